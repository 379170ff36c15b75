/* SPDX-License-Identifier: MIT */
/* Newton's steps with a proximal term whose centre is the present point, σ = w ε with the relative
 * residual ε: a step solves (A + B (M + σ D)) d = −Φ. The merit is searched along d, or watched. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "problem/allowance.h"
#include "problem/residual.h"
#include "solver/friction_newton.h"

enum { HALVINGS = 10, TRIES = 6 };

/* What a residual costs in passes over M, and a trial along d in multiply-adds a component. */
enum { JUDGE = 4, COMPONENT = 20 };

/* σ is at least this part of the residual. Less makes steps so long that contacts change at random
 * where M is singular. */
#define LEAST_WEIGHT 0.3

/* The watchdog marks a point where the merit is below this part of the last one marked, and does
 * not let it grow beyond WILD times that. */
#define MARKED 0.9
#define WILD   1e6

/* Along Newton's direction the merit has the slope −2θ. */
#define LEAST_DESCENT 1e-4
#define MOST_DESCENT  0.99

static double trial(friction_newton *s, double t) {
  s->work += COMPONENT * (double)s->n;
  for (int32_t i = 0; i < s->n; i++) {
    s->tx[i] = s->x[i] + t * s->d[i];
    s->tu[i] = s->u[i] + t * s->v[i];
  }
  return perp_friction_newton_merit(s, s->tx, s->tu);
}

/* The longest of 1, 1/2, 1/4, ... that brings the merit below the reference; 0: none does. */
double perp_friction_newton_search(friction_newton *s, double reference) {
  double t = 1;
  for (int32_t i = 0; i < HALVINGS; i++) {
    if (trial(s, t) <= reference - 2 * LEAST_DESCENT * t * s->theta) return t;
    t *= 0.5;
  }
  return 0;
}

/* Neither so long that the merit hardly falls nor so short that it falls by nearly all the slope
 * promises. */
static double goldstein_price(friction_newton *s, double reference) {
  double t = 1, low = 0, high = 0;
  for (int32_t i = 0; i < HALVINGS; i++) {
    const double theta = trial(s, t);
    if (!(theta <= reference - 2 * LEAST_DESCENT * t * s->theta)) {
      high = t;
    } else if (t < 1 && theta < s->theta * (1 - 2 * MOST_DESCENT * t)) {
      low = t;
    } else {
      return t;
    }
    t = 0.5 * (low + high);
  }
  return low;
}

static double search(friction_newton *s, double reference) {
  switch (s->o.search) {
    case PERP_SEARCH_NONMONOTONE:
      return perp_friction_newton_search(s, reference);
    case PERP_SEARCH_GOLDSTEIN_PRICE:
      return goldstein_price(s, reference);
    default:
      return trial(s, 1) <= reference ? 1 : 0;
  }
}

void perp_friction_newton_look(friction_newton *s, perp_residual *r) {
  perp_residual_compute(s->problem, s->x, s->u, r, s->scratch);
  s->work += JUDGE * s->pass;
  s->relative = r->relative;
  const double merit = residual_merit(r, s->o.tol);
  if (!(merit < s->least)) return;
  s->least = merit;
  memcpy(s->best, s->x, (size_t)s->n * sizeof *s->x);
}

int perp_friction_newton_used_up(const friction_newton *s) {
  return s->iterations >= s->o.max_iter || s->work > s->most_work;
}

int perp_friction_newton_told(friction_newton *s) {
  const perp_iterate it = {s->iterations, -1, -1, s->relative};
  s->iterations++;
  return s->o.observe != NULL && s->o.observe(&it, s->o.user) != 0;
}

/* The largest of the last merits. */
static double largest_merit(friction_newton *s) {
  double largest = s->theta;
  s->memory[s->remembered++ % s->o.history] = s->theta;
  for (int32_t i = 0; i < s->o.history && i < s->remembered; i++)
    if (s->memory[i] > largest) largest = s->memory[i];
  return largest;
}

/* The watchdog lets whole steps pass as long as within `history` of them the merit falls below that
 * of the marked point. Returns what the merit must not exceed; 0: its patience is at an end. */
static double watchdog(friction_newton *s) {
  if (s->theta < MARKED * s->mark_theta) {
    s->mark_theta = s->theta;
    s->since = 0;
  }
  return s->since++ > s->o.history ? 0 : WILD * s->mark_theta;
}

static double limit_of_merit(friction_newton *s) {
  if (s->o.search == PERP_SEARCH_WATCHDOG) return watchdog(s);
  return s->o.search == PERP_SEARCH_NONE ? DBL_MAX : largest_merit(s);
}

/* After a whole step: less of the proximal term where the merit falls, most of all to a new low. */
static double weight_factor(const friction_newton *s) {
  const double theta = perp_friction_newton_merit(s, s->tx, s->tu);
  if (theta > s->theta) return 10;
  return theta <= s->mark_theta ? 0.1 : 0.3;
}

/* One step from the linearised point. The proximal parameter follows the residual, so that the
 * last steps are those of Newton; weight grows where a step does not serve. 0: no step. */
static int step(friction_newton *s) {
  const double limit = limit_of_merit(s), relative = s->relative < 1 ? s->relative : 1;
  double t = 0;
  for (int32_t tries = 0; tries < TRIES && t == 0 && limit > 0; tries++) {
    s->sigma = s->weight * relative;
    if (s->o.proximal > 0 && s->sigma < FRICTION_NEWTON_LEAST_SIGMA)
      s->sigma = FRICTION_NEWTON_LEAST_SIGMA;
    if (perp_friction_newton_direction(s)) t = search(s, limit);
    if (s->failure != PERP_OK || s->o.proximal == 0) break;
    if (t == 0) s->weight = 10 * s->sigma / relative;
  }
  if (t == 1) s->weight *= weight_factor(s);
  if (s->o.proximal > 0 && s->weight < LEAST_WEIGHT) s->weight = LEAST_WEIGHT;
  for (int32_t i = 0; i < s->n; i++) s->x[i] += t * s->d[i];
  return t > 0;
}

int perp_friction_newton_fast(friction_newton *s) {
  perp_residual r;
  s->remembered = s->since = 0;
  s->mark_theta = (double)INFINITY;
  perp_friction_newton_weigh(s, 1);
  for (;;) {
    perp_friction_newton_look(s, &r);
    if (!(r.relative <= DBL_MAX)) return FRICTION_NEWTON_STUCK;
    if (perp_residual_solved(&r, s->o.tol)) return FRICTION_NEWTON_SOLVED;
    if (perp_friction_newton_used_up(s)) return FRICTION_NEWTON_LIMIT;
    perp_friction_newton_linearise(s);
    if (!step(s)) return FRICTION_NEWTON_STUCK;
    if (perp_friction_newton_told(s)) return FRICTION_NEWTON_STOPPED;
  }
}
