/* SPDX-License-Identifier: MIT */
/* Which method comes when, for a problem with friction that is connected.
 *
 * Sweeps of Gauss–Seidel come first: often they are enough, and nothing costs less. Their rate is
 * watched; where the work that it promises exceeds what ADMM is thought to need, the point goes to
 * ADMM, and from there, by the same rule, to Newton's method, to the interior point, and back. */
#include <math.h>
#include <string.h>

#include "linalg/klu.h"
#include "linalg/ldl.h"
#include "perp/perp.h"
#include "portfolio/descent.h"
#include "portfolio/friction.h"
#include "portfolio/friction_run.h"
#include "problem/cone.h"

/* --- memory ---------------------------------------------------------------------------------- */

/* Block rows are factorised within their envelope, which is faster than a sparse factor of twice
 * fewer entries; by a back end where the envelope takes too much memory. */
static perp_admm_options admm_options(const perp_shape *shape, int allocate) {
  perp_admm_options o = perp_admm_options_default();
  if (allocate != 0 && shape->matrix == PERP_BLOCKS &&
      perp_friction_method_bytes(perp_solver_admm(), shape, &o) == 0)
    o.sparse = perp_ldl_affordable();
  return o;
}

/* For Newton's method and the interior point; NULL: none, or M is dense. */
static const perp_sparse *back_end(const perp_shape *shape, int allocate) {
  return allocate != 0 && shape->matrix == PERP_BLOCKS ? perp_klu_affordable() : NULL;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

size_t perp_friction_plan_bytes(const perp_shape *shape, int allocate) {
  const perp_admm_options admm = admm_options(shape, allocate);
  perp_friction_newton_options newton = perp_friction_newton_options_default();
  perp_friction_interior_options interior = perp_friction_interior_options_default();
  newton.sparse = interior.sparse = back_end(shape, allocate);
  size_t most = perp_friction_method_bytes(perp_solver_nsgs(), shape, NULL);
  if (perp_friction_small(shape)) return most;
  /* a shape that is not small holds problems that are, whose bound may be the larger one */
  most = larger(most, perp_friction_small_bytes(shape->n < 32 ? (size_t)shape->n : 32));
  most = larger(most, perp_friction_method_bytes(perp_solver_admm(), shape, &admm));
  most = larger(most, perp_friction_method_bytes(perp_solver_friction_newton(), shape, &newton));
  most =
      larger(most, perp_friction_method_bytes(perp_solver_friction_interior(), shape, &interior));
  most = larger(most, perp_friction_method_bytes(perp_solver_extragradient(), shape, NULL));
  return larger(most, perp_friction_method_bytes(perp_solver_fixed_point(), shape, NULL));
}

/* Whether there is nothing more to try. */
static int ends(const friction_run *run, perp_status status) {
  return status == PERP_OK || status == PERP_INFEASIBLE || status == PERP_STOPPED || run->hopeless;
}

/* Whether the laws are among those of a method. */
static int takes(const friction_run *run, const perp_solver *solver) {
  return (run->shape.sets & ~solver->sets) == 0;
}

/* A step of the interior point costs so many of Newton's. */
enum { INTERIOR_FACTOR = 2 };

/* --- the methods one by one ------------------------------------------------------------------ */

/* Look at the rate after so many iterations, then after twice as many more, and so on. */
static void watch(friction_run *run, int rival, int32_t wait, double unit) {
  run->watch.rival = rival;
  run->watch.wait = wait;
  run->watch.unit = unit;
}

static perp_status sweeps(friction_run *run, int rival, int32_t wait, double share) {
  perp_nsgs_options o = perp_nsgs_options_default();
  watch(run, rival, wait, run->estimate.scale);
  return perp_friction_try(run, perp_solver_nsgs(), &o, run->estimate.sweep, share);
}

static perp_status admm(friction_run *run, int rival, int32_t wait, double share) {
  if (!takes(run, perp_solver_admm())) return FRICTION_PASSED;
  perp_admm_options o = admm_options(&run->shape, run->options->allocate);
  perp_friction_weigh_factors(run);
  if (!(run->estimate.admm_once < share * run->work)) return FRICTION_PASSED;
  watch(run, rival, wait, run->estimate.scale);
  run->work -= run->estimate.admm_once;
  return perp_friction_try(run, perp_solver_admm(), &o, run->estimate.admm_step, share);
}

/* What surrounds a step of Newton's method, sweeps and restarts among it, whatever n is. */
static const double least_newton = 1e4;

static perp_status newton(friction_run *run, int rival, int32_t wait, double share) {
  perp_friction_newton_options o = perp_friction_newton_options_default();
  if (!takes(run, perp_solver_friction_newton())) return FRICTION_PASSED;
  perp_friction_weigh_factors(run);
  o.sparse = back_end(&run->shape, run->options->allocate);
  watch(run, rival, wait, 1);
  const double step = run->estimate.newton_step, least = rival == RIVAL_NONE ? least_newton : 0;
  return perp_friction_try(run, perp_solver_friction_newton(), &o, step > least ? step : least,
                           share);
}

static perp_status interior(friction_run *run, double share) {
  perp_friction_interior_options o = perp_friction_interior_options_default();
  if (!takes(run, perp_solver_friction_interior())) return FRICTION_PASSED;
  perp_friction_weigh_factors(run);
  o.sparse = back_end(&run->shape, run->options->allocate);
  watch(run, RIVAL_NONE, 0, 1);
  return perp_friction_try(run, perp_solver_friction_interior(), &o, 3 * run->estimate.newton_step,
                           share);
}

static perp_status projection(friction_run *run, const perp_solver *solver, double share) {
  perp_vi_options o = perp_vi_options_default();
  watch(run, RIVAL_NONE, 0, 1);
  return perp_friction_try(run, solver, &o, 2 * perp_friction_entries(&run->shape), share);
}

/* Contacts in the plane, exactly: for problems so small that its tables fit beside the others. */
static perp_status pivots(friction_run *run) {
  perp_solver_options o = perp_solver_options_default();
  const double n = run->shape.n;
  if (!takes(run, perp_solver_friction_lemke()) || !perp_friction_small(&run->shape))
    return FRICTION_PASSED;
  watch(run, RIVAL_NONE, 0, 1);
  return perp_friction_try(run, perp_solver_friction_lemke(), &o, 16 * n * n, 0.2);
}

/* λ := the best point, where friction needs it with λ_n raised to ‖λ_t‖ / μ: with a large μ λ_t is
 * known far better than the λ_n that belongs to it. */
static void lift(friction_run *run) {
  const perp_problem *p = run->problem;
  perp_friction_best(run);
  for (int32_t b = 0, i = 0; b < p->n_blocks; b++) {
    const perp_law *law = p->laws[b];
    const int32_t end = p->offset == NULL ? i + law->size : p->offset[b + 1];
    for (; law->ops->set == PERP_SET_CONE && i < end; i += law->size) {
      const double mu = ((const perp_friction *)(const void *)law)->mu;
      double *x = run->lambda + i;
      const double least = mu > 0 ? cone_norm(law->size - 1, x + 1) / mu : 0;
      if (x[0] < least) x[0] = least;
    }
    i = end;
  }
}

/* The last digits: points that miss one of the tests by little lead Newton's method, without
 * sweeps, to one that misses none. */
static perp_status polish(friction_run *run) {
  static const int32_t functions[] = {PERP_FRICTION_JEAN_MOREAU, PERP_FRICTION_ALART_CURNIER};
  const double near_by = 1e-3;
  perp_status status = FRICTION_PASSED;
  for (int k = 0; k < 4 && run->best_score <= near_by; k++) {
    perp_friction_newton_options o = perp_friction_newton_options_default();
    if (!takes(run, perp_solver_friction_newton())) return FRICTION_PASSED;
    o.sweeps = 0;
    o.function = functions[k % 2];
    o.proximal = k < 2 ? o.proximal : 0;
    o.sparse = back_end(&run->shape, run->options->allocate);
    lift(run);
    watch(run, RIVAL_NONE, 0, 1);
    status = perp_friction_try(run, perp_solver_friction_newton(), &o,
                               run->estimate.newton_step + least_newton, 0.1);
    if (ends(run, status)) return status;
  }
  perp_friction_best(run);
  return status;
}

/* For few unknowns: so many steps from many starts, in units of its own, of work of its own,
 * whatever the others have used or still have. */
static perp_status descent(friction_run *run, double steps) {
  perp_descent_options o = perp_descent_defaults;
  const double price = perp_descent_price(run->shape.n), wanted = steps * price;
  const double own = wanted < run->aside ? wanted : run->aside;
  if (!takes(run, perp_solver_descent()) || !perp_friction_small(&run->shape))
    return FRICTION_PASSED;
  o.visit = run->visits++;
  run->aside -= own;
  run->work += own;
  watch(run, RIVAL_NONE, 0, 1);
  const perp_status status =
      perp_friction_try(run, perp_solver_descent(), &o, price, own / run->work);
  if (!ends(run, status)) perp_friction_best(run);
  return status;
}

/* Newton's method from a start of its own: a point that looks like a solution by its huge λ leads
 * to none. */
static perp_status newton_anew(friction_run *run) {
  memset(run->lambda, 0, (size_t)run->shape.n * sizeof *run->lambda);
  return newton(run, RIVAL_NONE, 0, 0.2);
}

/* --- their order ----------------------------------------------------------------------------- */

enum { ROUNDS = 10, DESCENT_STEPS = 100, FIRST_SWEEPS = 15, FIRST_STEPS = 120 };

/* Whether sweeps and ADMM both promise more work than this. */
static int both_exceed(const friction_run *run, double work) {
  return run->left[RIVAL_SWEEPS] > work && run->left[RIVAL_ADMM] > work;
}

/* Whether the interior point has left along a ray, and nobody has found a point without a λ so
 * large that its residual says nothing: then there is no solution, as a rule. */
static int runs_away(const friction_run *run, perp_status status) {
  return status == PERP_RAY && run->best_score >= 1;
}

/* Contacts that roll in space: one may take a sweep a tenth of a second, where W is singular. */
static int rolls_in_space(const friction_run *run) {
  const perp_problem *p = run->problem;
  for (int32_t b = 0; b < p->n_blocks; b++)
    if (p->laws[b]->ops->set == PERP_SET_ROLLING && p->laws[b]->size == 5) return 1;
  return 0;
}

/* Sweeps and ADMM in turn, as long as the one that runs promises more work than the other did when
 * it was left; each time they are given twice as long. In between Newton's method, and once the
 * interior point, where both promise more than that costs. */
static perp_status take_turns(friction_run *run) {
  int interior_due = 1;
  if (rolls_in_space(run) && !run->known) {
    const perp_status status = descent(run, DESCENT_STEPS);
    if (ends(run, status)) return status;
    memset(run->lambda, 0, (size_t)run->shape.n * sizeof *run->lambda);
  }
  for (int32_t round = 0; round < ROUNDS; round++) {
    perp_status status = round > 1 ? descent(run, DESCENT_STEPS << round) : PERP_MAX_ITER;
    if (ends(run, status)) return status;
    if (round > 0 || !run->admm_first) {
      status = sweeps(run, RIVAL_ADMM, FIRST_SWEEPS << round, 0.3);
      if (status == PERP_OK) run->admm_first = 0;
      if (ends(run, status)) return status;
      perp_friction_best(run);
    }
    if (round == 0 && !run->known)
      memset(run->lambda, 0, (size_t)run->shape.n * sizeof *run->lambda);
    status = admm(run, RIVAL_SWEEPS, FIRST_STEPS << round, 0.3);
    if (status == PERP_OK) run->admm_first = 1;
    if (ends(run, status)) return status;
    if (perp_friction_infeasible(run)) return PERP_INFEASIBLE;
    perp_friction_best(run);
    if (status == FRICTION_PASSED) break;
    const double step = run->estimate.newton_step;
    if (both_exceed(run, NEWTON_STEPS * step)) {
      status = newton(run, RIVAL_BEST, 2 * NEWTON_STEPS << round, 0.2);
      if (ends(run, status)) return status;
      perp_friction_best(run);
    }
    if (interior_due && both_exceed(run, INTERIOR_STEPS * INTERIOR_FACTOR * step)) {
      interior_due = 0;
      status = interior(run, 0.2);
      if (ends(run, status)) return status;
      if (perp_friction_infeasible(run)) return PERP_INFEASIBLE;
      if (runs_away(run, status)) return status;
      perp_friction_best(run);
    }
  }
  return PERP_MAX_ITER;
}

/* Where these have failed: once more, without anybody to compare with. */
static perp_status last_resorts(friction_run *run) {
  perp_status status = descent(run, INFINITY);
  if (ends(run, status)) return status;
  status = newton(run, RIVAL_NONE, 0, 0.2);
  if (ends(run, status)) return status;
  perp_friction_best(run);
  status = pivots(run);
  if (ends(run, status)) return status;
  status = newton_anew(run);
  if (ends(run, status)) return status;
  status = polish(run);
  if (ends(run, status)) return status;
  perp_friction_best(run);
  status = interior(run, 0.3);
  if (ends(run, status) || runs_away(run, status)) return status;
  perp_friction_best(run);
  status = sweeps(run, RIVAL_NONE, 0, 0.5);
  if (ends(run, status)) return status;
  perp_friction_best(run);
  status = projection(run, perp_solver_extragradient(), 0.5);
  if (ends(run, status)) return status;
  perp_friction_best(run);
  status = projection(run, perp_solver_fixed_point(), 1);
  if (ends(run, status)) return status;
  perp_friction_best(run);
  return run->best_name == NULL ? PERP_MAX_ITER : run->best_status;
}

perp_status perp_friction_plan(friction_run *run) {
  perp_friction_estimate(run);
  run->visits = 0;
  const double budget = run->options->budget;
  run->aside = 0.2 * (budget > 0 ? budget : perp_friction_budget(&run->shape));
  run->left[RIVAL_SWEEPS] = INFINITY; /* nobody has swept yet */
  perp_status status = take_turns(run);
  if (!ends(run, status) && !runs_away(run, status)) status = last_resorts(run);
  if (!ends(run, status) && perp_friction_infeasible(run)) status = PERP_INFEASIBLE;
  if (status != PERP_OK && status != PERP_STOPPED) perp_friction_best(run);
  return status;
}
