/* SPDX-License-Identifier: MIT */
/* Where impacts accumulate. To open contacts that forces λ > 0 would hold takes the energy Σ λ_k
 * y_k, and there is the kinetic energy T that their velocities are above rest, of which impacts
 * between them only take: whatever follows, contact k rises by no more than T/λ_k. Where this may
 * be cut off, for all of them that move, they come to rest, by the least change of velocity, which
 * takes T. A contact that rises further is left out, and the others are asked without it. So it is
 * with one ball, with a column whose balls kick each other, with a block whose corners do. */
#include <math.h>
#include <string.h>

#include "events/engine.h"

static const double kPressed = 1e3;     /* by others, times its own acceleration, at most */
static const double kDependent = 1e-11; /* a row that others imply */

/* What is held of a part of the problem of the impact. */
typedef struct calm {
  engine *e;
  event_part part;
  int32_t n;
  int32_t *row;             /* n: in the problem                                    */
  double *lambda, *impulse; /* n: that hold the rows, and that bring them to rest   */
  double energy;
} calm;

static element *element_of(const calm *x, int32_t k) {
  return &x->e->elements[x->e->problem.element[k]];
}

static double speed_of(const calm *x, int32_t k) {
  return problem_home(x->e, k)->ydot[x->e->problem.row[k]];
}

static double acceleration(const calm *x, int32_t k) {
  const plant_interaction *at = problem_home(x->e, k);
  const int32_t row = x->e->problem.row[k];
  return perp_plant_row(at, row, x->e->wdot) + at->gamma[row];
}

/* Excursions that may be cut off: below them there is rounding, or the motion's own error. */
static double negligible(const calm *x, int32_t k) {
  return fmax(x->e->options.zeno_tol, perp_element_error(x->e, element_of(x, k)));
}

static int is_gap(const calm *x, int32_t k) {
  return is_contact(element_of(x, k)) && x->e->problem.row[k] == element_of(x, k)->row;
}

static int moves(const calm *x, int32_t k) {
  return is_gap(x, k) && speed_of(x, k) > element_of(x, k)->rest;
}

/* The rows that are held: equalities, gaps, and what does not slide. Returns whether one moves. */
static int choose(calm *x) {
  int any = 0;
  x->n = 0;
  for (int32_t k = x->part.first; k < x->part.first + x->part.n; k++) {
    const element *of = element_of(x, k);
    if (of->kind == ELEMENT_BOX || of->loose) continue;
    if (of->kind == ELEMENT_FRICTION && !is_gap(x, k) && !(fabs(speed_of(x, k)) <= of->rest))
      continue;
    any = any || moves(x, k);
    x->row[x->n++] = k;
  }
  return any;
}

/* Forces, impulses and energy of what is held. Answers 0, or -1 if they are not finite. */
static int hold(calm *x) {
  rank_factor *R = &x->e->R;
  perp_rank_whole(R, x->n);
  for (int32_t c = 0; c < x->n; c++) {
    for (int32_t r = 0; r < x->n; r++)
      R->A[(size_t)r + (size_t)x->n * (size_t)c] = event_part_entry(&x->part, x->row[r], x->row[c]);
    x->lambda[c] = -acceleration(x, x->row[c]);
    x->impulse[c] = -speed_of(x, x->row[c]);
  }
  if (perp_rank_factorise(R, kDependent) != 0) return -1;
  perp_rank_solve(R, x->lambda);
  perp_rank_solve(R, x->impulse);
  x->energy = 0;
  for (int32_t i = 0; i < x->n; i++) x->energy -= 0.5 * x->impulse[i] * speed_of(x, x->row[i]);
  return 0;
}

/* How far the gap of held row i rises by its own velocity, while the others are held. */
static double own_rise(const calm *x, int32_t i) {
  const int32_t k = x->row[i];
  const double v = speed_of(x, k);
  return x->lambda[i] > 0 ? 0.5 * v * v / (event_part_entry(&x->part, k, k) * x->lambda[i])
                          : HUGE_VAL;
}

/* Leave out what rises too far; where each alone does not, but all of them might, the worst.
 * Returns whether anything was. */
static int loosen(const calm *x) {
  int any = 0, too_much = 0;
  double worst = 0;
  element *least = NULL;
  for (int32_t i = 0; i < x->n; i++) {
    const int32_t k = x->row[i];
    if (!is_gap(x, k)) continue;
    const double rise = own_rise(x, i) / negligible(x, k);
    if (rise > 1) any = element_of(x, k)->loose = 1;
    if (!moves(x, k)) continue;
    too_much = too_much || x->energy > negligible(x, k) * x->lambda[i];
    if (rise >= worst) worst = rise, least = element_of(x, k);
  }
  if (!any && too_much && least != NULL) any = least->loose = 1;
  return any;
}

/* What flies so fast that no force holds it. */
static void loosen_fast(calm *x) {
  double most = 0;
  for (int32_t k = x->part.first; k < x->part.first + x->part.n; k++)
    most = fmax(most, fabs(acceleration(x, k)));
  for (int32_t k = x->part.first; k < x->part.first + x->part.n; k++) {
    const double v = speed_of(x, k);
    if (is_gap(x, k)) element_of(x, k)->loose = 0.5 * v * v > kPressed * most * negligible(x, k);
  }
}

/* Where the sequence would have ended: flights shrink as the speeds do. */
static double end_of(const calm *x, int32_t i) {
  const int32_t k = x->row[i];
  const double v = speed_of(x, k), hit = element_of(x, k)->hit;
  const double fall = event_part_entry(&x->part, k, k) * x->lambda[i];
  return v < hit ? x->e->t + 2 * v / (fall * (1 - v / hit)) : x->e->t;
}

static void come_to_rest(const calm *x) {
  engine *e = x->e;
  double *w = e->Y + e->p.n_q;
  e->event.kinds |= PERP_EVENT_ACCUMULATION;
  e->report.jumps++;
  for (int32_t i = 0; i < x->n; i++) {
    const int32_t k = x->row[i], row = e->problem.row[k];
    const plant_interaction *at = problem_home(e, k);
    if (moves(x, k)) {
      e->event.error = fmax(e->event.error, x->energy / x->lambda[i]);
      e->event.until = fmax(e->event.until, end_of(x, i));
    }
    perp_plant_add_gain(at, row, x->impulse[i], w);
    e->impulse[at->row0 + (size_t)row] += x->impulse[i];
  }
}

/* ẇ without the forces of contacts. */
static int32_t find_accelerations(engine *e) {
  int32_t code = 0;
  for (int32_t i = 0; i < e->p.n_interactions && code == 0; i++)
    if (e->p.interactions[i].order == 2) code = perp_plant_need(&e->p, i, PLANT_BIAS);
  memcpy(e->wdot, e->p.free, e->p.n_w * sizeof *e->wdot);
  return code == 0 ? perp_force_known(e) : code;
}

int32_t perp_accumulation(engine *e, int *rests) {
  event_problem *p = &e->problem;
  double *M = p->M;
  *rests = 0;
  if (e->options.zeno == PERP_ZENO_STOP) return 0;
  const int32_t code = find_accelerations(e);
  for (int32_t k = 0; k < p->parts && code == 0; k++) {
    calm x = {e, perp_event_problem_take(p, k, &M), 0, e->reach, p->q, p->y, 0};
    int found = 0;
    loosen_fast(&x);
    while (!found && choose(&x) && hold(&x) == 0) found = !loosen(&x);
    if (found) come_to_rest(&x);
    *rests = *rests || found;
  }
  return code;
}
