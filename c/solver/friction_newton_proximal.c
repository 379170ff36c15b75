/* SPDX-License-Identifier: MIT */
/* The proximal point method: around a centre c, Newton's steps on the problem with M + σ D and
 * q − σ D c, until Φ is small against σ (x − c); then c := x. σ falls as long as that is easy.
 * ρ = 1 / (√σ ‖M_αα‖) lets the search see how stiff the contact is beside the proximal term. A few
 * sweeps of Gauss–Seidel between two centres carry news through the pile that no system holds.
 *
 * Sources: Rockafellar, SIAM J. Control Optim. 14 (1976); Acary, Brémond and Huber 2018. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "solver/friction_newton.h"

enum { CLOSER = FRICTION_NEWTON_STUCK + 1 };
enum { INNER_STEPS = 30, SWEEPS_ON = 30, SWEEPS_BACK = 100 };

#define FIRST_SIGMA 1.0
#define MOST_SIGMA  1e6
#define INNER       0.25 /* of the energy of the proximal term */

/* u += σ D (x − c), c the centre; returns ½ ‖x − c‖² in the norm of D. */
static double pull(friction_newton *s) {
  double energy = 0;
  for (int32_t k = 0; k < s->count; k++) {
    const contact *c = &s->contacts[k];
    for (int32_t i = c->begin; i < c->begin + c->size; i++) {
      const double away = s->x[i] - s->centre[i];
      s->u[i] += s->sigma * s->size[k] * away;
      energy += 0.5 * s->size[k] * away * away;
    }
  }
  return energy;
}

/* v += σ D d: what a step changes in u with the proximal term. */
static void pull_step(friction_newton *s) {
  for (int32_t k = 0; k < s->count; k++)
    for (int32_t i = s->contacts[k].begin; i < s->contacts[k].begin + s->contacts[k].size; i++)
      s->v[i] += s->sigma * s->size[k] * s->d[i];
}

/* CLOSER: solved as well as its centre deserves, in *steps. */
static int approach(friction_newton *s, int32_t *steps) {
  perp_residual r;
  for (*steps = 0;; ++*steps) {
    perp_friction_newton_look(s, &r);
    if (!(r.relative <= DBL_MAX)) return FRICTION_NEWTON_STUCK;
    if (perp_residual_solved(&r, s->o.tol)) return FRICTION_NEWTON_SOLVED;
    if (perp_friction_newton_used_up(s)) return FRICTION_NEWTON_LIMIT;
    const double energy = pull(s);
    perp_friction_newton_linearise(s);
    if (*steps > 0 && s->theta <= INNER * s->sigma * s->sigma * energy) return CLOSER;
    if (*steps >= INNER_STEPS || !perp_friction_newton_direction(s)) return FRICTION_NEWTON_STUCK;
    pull_step(s);
    const double t = perp_friction_newton_search(s, s->theta);
    if (t == 0) return FRICTION_NEWTON_STUCK;
    for (int32_t i = 0; i < s->n; i++) s->x[i] += t * s->d[i];
    if (perp_friction_newton_told(s)) return FRICTION_NEWTON_STOPPED;
  }
}

/* By the steps that the last problem took. */
static double sigma_factor(int32_t steps) {
  return steps <= 3 ? 0.1 : steps <= 6 ? 0.3 : steps <= 10 ? 1 : 3;
}

int perp_friction_newton_proximal(friction_newton *s) {
  double sigma = FIRST_SIGMA;
  while (sigma <= MOST_SIGMA) {
    int32_t steps;
    s->sigma = sigma;
    memcpy(s->centre, s->x, (size_t)s->n * sizeof *s->x);
    perp_friction_newton_weigh(s, sigma < 1 ? 1 / sqrt(sigma) : 1 / sigma);
    const int end = approach(s, &steps);
    perp_friction_newton_weigh(s, 1);
    if (s->failure != PERP_OK) return FRICTION_NEWTON_STUCK;
    if (end == CLOSER) {
      sigma *= sigma_factor(steps);
      if (sigma < FRICTION_NEWTON_LEAST_SIGMA) sigma = FRICTION_NEWTON_LEAST_SIGMA;
      perp_friction_newton_sweep(s, SWEEPS_ON);
    } else if (end == FRICTION_NEWTON_STUCK) {
      memcpy(s->x, s->centre, (size_t)s->n * sizeof *s->x);
      sigma *= 3;
      perp_friction_newton_sweep(s, SWEEPS_BACK);
    } else {
      return end;
    }
  }
  return FRICTION_NEWTON_STUCK;
}
