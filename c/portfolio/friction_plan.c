/* SPDX-License-Identifier: MIT */
/* Which method comes when, for a problem with friction that is connected.
 *
 * Sweeps of Gauss–Seidel come first: often they are enough, and nothing costs less. Their rate is
 * watched; where the work that it promises exceeds what ADMM is thought to need, the point goes to
 * ADMM, and from there, by the same rule, to Newton's method, to the interior point, and back. */
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "linalg/klu.h"
#include "linalg/ldl.h"
#include "perp/perp.h"
#include "portfolio/portfolio.h"
#include "problem/bounds.h"
#include "problem/certificate.h"

/* --- what they cost -------------------------------------------------------------------------- */

/* Multiply-adds that take as long as the solution of one contact, measured. */
enum { COMPONENT = 15, PLANE = 40, SPACE = 100, ROLLING_PLANE = 4000, ROLLING_SPACE = 14000 };

/* Those of a law that is known by its projection, a component. */
enum { PROJECTED = 300 };

static double copy_cost(const perp_law *law) {
  if (law->ops->set <= PERP_SET_BOX) return COMPONENT * (double)law->size;
  if (law->ops->set == PERP_SET_CONE) return law->size == 2 ? PLANE : SPACE;
  if (law->ops->set == PERP_SET_ROLLING) return law->size == 3 ? ROLLING_PLANE : ROLLING_SPACE;
  return PROJECTED * (double)law->size;
}

double perp_local_cost(const perp_problem *p) {
  double sum = 0;
  for (int32_t b = 0, begin = 0, end; b < p->n_blocks; b++, begin = end) {
    end = problem_block_end(p, b, begin);
    sum += copy_cost(p->laws[b]) * ((double)(end - begin) / p->laws[b]->size);
  }
  return sum;
}

/* Iterations after which these methods are as a rule done. */
enum { NEWTON_STEPS = 10, ADMM_STEPS = 60, INTERIOR_STEPS = 40 };

/* ADMM's factor is in the order of Cuthill and McKee; what that leaves of the envelope. */
#define REORDERED 0.5

static void estimate(portfolio *s) {
  friction_estimate *e = &s->estimate;
  const double n = s->shape.n, entries = shape_entries(&s->shape);
  const double order = s->shape.matrix == PERP_BLOCKS ? REORDERED : 1;
  const double places = order * (double)s->shape.envelope, dense = n * n * n / 3 + 10 * n * n;
  e->sweep = entries + perp_local_cost(s->problem);
  e->scale = s->ratio * perp_residual_weighted_largest(s->shape.n, NULL, s->problem->q);
  e->admm_once = 0.6 * places * places / n + 10 * entries;
  e->admm_step = 2 * places + 2 * entries + 80 * n;
  e->newton_step = dense + entries;
  if (s->shape.matrix == PERP_BLOCKS && s->options->allocate != 0) {
    const double sparse = 2 * e->admm_once + 50 * entries;
    if (n > 60 && sparse < dense) e->newton_step = sparse;
  }
  s->promised[RIVAL_ADMM] = e->admm_once + ADMM_STEPS * e->admm_step;
}

double perp_friction_budget(const perp_shape *shape) {
  double most = 1e8 + 300000 * shape_entries(shape);
  if ((shape->sets & 1u << PERP_SET_ROLLING) != 0) most *= 2; /* their sweeps cost more */
  return most;
}

double perp_friction_rival(const portfolio *s) {
  const double *promised = s->promised;
  if (s->watch.rival == RIVAL_NONE) return INFINITY;
  if (s->watch.rival < RIVAL_BEST) return promised[s->watch.rival];
  return promised[RIVAL_ADMM] < promised[RIVAL_SWEEPS] ? promised[RIVAL_ADMM]
                                                       : promised[RIVAL_SWEEPS];
}

/* --- memory ---------------------------------------------------------------------------------- */

/* What any method needs for a small problem of n unknowns, by a bound. */
static size_t small_bytes(size_t n) { return 8192 + 1024 * n + 64 * n * n; }

static size_t method_bytes(const perp_solver *solver, const perp_shape *shape,
                           const void *options) {
  if ((shape->sets & ~solver->sets) != 0) return 0;
  if (perp_friction_small(shape)) return small_bytes((size_t)shape->n);
  return perp_portfolio_bytes(solver, shape, options, 1);
}

/* For matrices without symmetry, where M is no dense one. */
static const perp_sparse *back_end(const perp_shape *shape, int allocate) {
  return allocate != 0 && shape->matrix == PERP_BLOCKS ? perp_klu_affordable() : NULL;
}

/* Block rows are factorised within their envelope, which is faster than a sparse factor of twice
 * fewer entries; by a back end where the envelope takes too much memory. */
static perp_admm_options admm_options(const perp_shape *shape, int allocate) {
  perp_admm_options o = perp_admm_options_default();
  if (back_end(shape, allocate) != NULL && method_bytes(perp_solver_admm(), shape, &o) == 0)
    o.sparse = perp_ldl_affordable();
  return o;
}

size_t perp_friction_plan_bytes(const perp_shape *shape, int allocate) {
  const perp_admm_options admm = admm_options(shape, allocate);
  perp_friction_newton_options newton = perp_friction_newton_options_default();
  perp_friction_interior_options interior = perp_friction_interior_options_default();
  const struct {
    const perp_solver *solver;
    const void *options;
  } methods[] = {{perp_solver_nsgs(), NULL},
                 {perp_solver_admm(), &admm},
                 {perp_solver_friction_newton(), &newton},
                 {perp_solver_friction_interior(), &interior},
                 {perp_solver_extragradient(), NULL},
                 {perp_solver_fixed_point(), NULL}};
  newton.sparse = interior.sparse = back_end(shape, allocate);
  if (perp_friction_small(shape)) return method_bytes(perp_solver_nsgs(), shape, NULL);
  /* a shape that is not small holds problems that are, whose bound may be the larger one */
  size_t most = small_bytes(shape->n < 32 ? (size_t)shape->n : 32);
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    const size_t bytes = method_bytes(methods[k].solver, shape, methods[k].options);
    most = bytes > most ? bytes : most;
  }
  return most;
}

/* --- no solution ----------------------------------------------------------------------------- */

/* A law of a user's own may have y_n < 0. */
static int known_laws(const portfolio *s) { return (s->shape.sets >> PERP_SET_POLYHEDRON) == 0; }

/* Whether the reactions, or the direction that a method left along, prove that there is no
 * solution: d with d_n >= 0 and d_t = 0 at every contact has dᵀy >= 0 at a solution, as y_n >= 0;
 * there is none if Mᵀd = 0 and dᵀq < 0. The proof is then in ray. */
static int infeasible(portfolio *s) {
  const perp_problem *p = s->problem;
  for (int attempt = s->has_ray != 0 ? 0 : 1; attempt < 2 && known_laws(s); attempt++) {
    if (attempt == 1) memcpy(s->ray, s->lambda, (size_t)p->n * sizeof *s->ray);
    perp_certificate_project(p, s->ray, s->scratch);
    s->bound = perp_certificate_proves(p, s->ray, s->scratch);
    s->has_ray = s->bound > 0;
    if (s->has_ray) return 1;
  }
  return 0;
}

/* --- the methods one by one ------------------------------------------------------------------ */

/* Whether there is an answer, or none to be had. */
static int settled(const portfolio *s, perp_status status) {
  return status == PERP_OK || status == PERP_INFEASIBLE || status == PERP_STOPPED || s->hopeless;
}

/* Whether there is nothing more to try: also where the interior point has left along a ray, and
 * nobody has found a point without a λ so large that its residual says nothing. Then there is no
 * solution, as a rule. */
static int ends(const portfolio *s, perp_status status) { return settled(s, status) || s->away; }

/* Whether the next one is to begin, from the best point. */
static int goes_on(portfolio *s, perp_status status) {
  if (ends(s, status)) return 0;
  perp_portfolio_best(s);
  return 1;
}

/* Of the next method: look at the rate after so many iterations, then after twice as many more, and
 * so on. */
static void watch(portfolio *s, int rival, int32_t wait, double unit) {
  s->watch.rival = rival;
  s->watch.wait = wait;
  s->watch.unit = unit;
}

/* Run a method, and say what its point is worth. */
static perp_status run_method(portfolio *s, const perp_solver *solver, void *options,
                              double price) {
  perp_info said = PERP_INFO_INIT;
  perp_status status = perp_portfolio_run(s, solver, options, price, &said);
  s->work -= (said.iterations + 1) * price;
  if (s->watch.rival < RIVAL_BEST) s->promised[1 - s->watch.rival] = s->watch.left;
  s->bound = said.bound;
  s->has_ray = said.ray_kind == PERP_RAY_CERTIFICATE ? 1 : said.ray_kind == PERP_RAY_NONE ? 0 : -1;
  if (status < 0) return NOT_TRIED;
  if (status == PERP_STOPPED && s->watch.stopped == 1) status = PERP_MAX_ITER;
  if (s->has_ray == 1) return PERP_INFEASIBLE;
  if (status == PERP_OK && s->trusting) return PERP_OK;
  const int solved = perp_portfolio_judge(s, status);
  if (s->watch.stopped == 2) return PERP_STOPPED;
  if (solved) return PERP_OK;
  return status == PERP_OK ? PERP_INACCURATE : status;
}

/* Run a method for at most share of the work that is left, with price multiply-adds an iteration.
 * PERP_OK only if the residual says so; NOT_TRIED if it cannot run here. The next one is not
 * watched. */
static perp_status try_method(portfolio *s, const perp_solver *solver, void *options, double price,
                              double share) {
  const double iterations = share * s->work / price;
  const int32_t most = iterations < 5 ? 0 : perp_portfolio_allowed(s, iterations, 0, s->left);
  const size_t need = most > 0 ? method_bytes(solver, &s->shape, options) : 0;
  perp_status status = most > 0 || s->best_name == NULL ? NOT_TRIED : PERP_MAX_ITER;
  if (need > 0 && need <= s->room_bytes) {
    perp_portfolio_limit(s, most, options);
    status = run_method(s, solver, options, price);
  }
  watch(s, RIVAL_NONE, 0, 1);
  return status;
}

/* Iterations that share of what is left allows, for a price that is not that of the models: what
 * surrounds an iteration of few unknowns, which is no part of what methods are compared by. */
static int32_t affordable(const portfolio *s, double price, double share) {
  const int32_t most = perp_portfolio_allowed(s, INFINITY, price, share * s->left);
  return most > 0 ? most : 1;
}

static perp_status sweeps(portfolio *s, int rival, int32_t wait, double share) {
  perp_nsgs_options o = perp_nsgs_options_default();
  watch(s, rival, wait, s->estimate.scale);
  return try_method(s, perp_solver_nsgs(), &o, s->estimate.sweep, share);
}

static perp_status admm(portfolio *s, int rival, int32_t wait, double share) {
  if (!known_laws(s)) return NOT_TRIED;
  perp_admm_options o = admm_options(&s->shape, s->options->allocate);
  if (!(s->estimate.admm_once < share * s->work)) return NOT_TRIED;
  watch(s, rival, wait, s->estimate.scale);
  s->work -= s->estimate.admm_once;
  return try_method(s, perp_solver_admm(), &o, s->estimate.admm_step, share);
}

/* What surrounds a step of Newton's method, whatever n is; and sweeps and restarts among it. */
static const double least_step = 2000, least_newton = 1e4;

static perp_status newton(portfolio *s, int rival, int32_t wait, double share) {
  perp_friction_newton_options o = perp_friction_newton_options_default();
  o.sparse = back_end(&s->shape, s->options->allocate);
  watch(s, rival, wait, 1);
  o.max_iter = affordable(s, s->estimate.newton_step + least_step, share);
  const double step = s->estimate.newton_step, least = rival == RIVAL_NONE ? least_newton : 0;
  return try_method(s, perp_solver_friction_newton(), &o, step > least ? step : least, share);
}

static perp_status interior(portfolio *s, double share) {
  perp_friction_interior_options o = perp_friction_interior_options_default();
  o.sparse = back_end(&s->shape, s->options->allocate);
  const perp_status status =
      try_method(s, perp_solver_friction_interior(), &o, 3 * s->estimate.newton_step, share);
  s->away = status == PERP_RAY && s->best_score >= 1;
  return status;
}

/* For few unknowns: so many steps from many starts, in units of its own, of work of its own,
 * whatever the others have used or still have. */
static perp_status descent(portfolio *s, double steps) {
  perp_descent_options o = perp_descent_defaults;
  const double price = perp_descent_price(s->shape.n), wanted = steps * price;
  const double own = wanted < s->aside ? wanted : s->aside;
  if (!perp_friction_small(&s->shape)) return NOT_TRIED;
  o.visit = s->visits++;
  s->aside -= own;
  s->work += own;
  return try_method(s, perp_solver_descent(), &o, price, own / s->work);
}

/* --- the last resorts: without anybody to compare with --------------------------------------- */

static perp_status projection(portfolio *s, const perp_solver *solver, double share) {
  perp_vi_options o = perp_vi_options_default();
  const double pass = shape_entries(&s->shape);
  o.budget = share * s->left;
  o.max_iter = affordable(s, 2 * (pass + perp_local_cost(s->problem)), share);
  return try_method(s, solver, &o, 2 * pass, share);
}

static perp_status last_resorts(portfolio *s) {
  perp_status status = descent(s, INFINITY);
  if (goes_on(s, status)) status = newton(s, RIVAL_NONE, 0, 0.2);
  if (goes_on(s, status)) { /* a point that looks like a solution by its huge λ leads to none */
    memset(s->lambda, 0, (size_t)s->shape.n * sizeof *s->lambda);
    status = newton(s, RIVAL_NONE, 0, 0.2);
  }
  if (goes_on(s, status)) status = interior(s, 0.3);
  if (goes_on(s, status)) status = sweeps(s, RIVAL_NONE, 0, 0.5);
  if (goes_on(s, status)) status = projection(s, perp_solver_extragradient(), 0.5);
  if (goes_on(s, status)) status = projection(s, perp_solver_fixed_point(), 1);
  if (!goes_on(s, status)) return status;
  return s->best_name == NULL ? PERP_MAX_ITER : s->best_status;
}

/* --- their order ----------------------------------------------------------------------------- */

/* A step of the interior point costs so many of Newton's. */
enum { INTERIOR_FACTOR = 2 };

enum { ROUNDS = 10, DESCENT_STEPS = 100, FIRST_SWEEPS = 15, FIRST_STEPS = 120 };

/* Whether sweeps and ADMM both promise more work than this. */
static int both_exceed(const portfolio *s, double work) {
  return s->promised[RIVAL_SWEEPS] > work && s->promised[RIVAL_ADMM] > work;
}

/* Sweeps and ADMM in turn, as long as the one that runs promises more work than the other did when
 * it was left; each time they are given twice as long. In between Newton's method, and once the
 * interior point, where both promise more than that costs. */
static perp_status take_turns(portfolio *s) {
  const int rolls = (s->shape.sets >> PERP_SET_ROLLING & 1u) != 0;
  int interior_due = 1;
  /* contacts that roll in space: one may take a sweep a tenth of a second, where W is singular */
  if (rolls && s->shape.largest >= 5 && !s->known) {
    const perp_status status = descent(s, DESCENT_STEPS);
    if (ends(s, status)) return status;
    memset(s->lambda, 0, (size_t)s->shape.n * sizeof *s->lambda);
  }
  for (int32_t round = 0; round < ROUNDS; round++) {
    perp_status status = round > 1 ? descent(s, DESCENT_STEPS << round) : PERP_MAX_ITER;
    if (round > 1 && !goes_on(s, status)) return status;
    if (round > 0 || !s->admm_first) {
      status = sweeps(s, RIVAL_ADMM, FIRST_SWEEPS << round, 0.3);
      if (status == PERP_OK) s->admm_first = 0;
      if (!goes_on(s, status)) return status;
    }
    if (round == 0 && !s->known) memset(s->lambda, 0, (size_t)s->shape.n * sizeof *s->lambda);
    status = admm(s, RIVAL_SWEEPS, FIRST_STEPS << round, 0.3);
    if (status == PERP_OK) s->admm_first = 1;
    if (ends(s, status)) return status;
    if (infeasible(s)) return PERP_INFEASIBLE;
    perp_portfolio_best(s);
    if (status == NOT_TRIED) break;
    const double step = s->estimate.newton_step;
    if (both_exceed(s, NEWTON_STEPS * step)) {
      status = newton(s, RIVAL_BEST, 2 * NEWTON_STEPS << round, 0.2);
      if (!goes_on(s, status)) return status;
    }
    if (interior_due && both_exceed(s, INTERIOR_STEPS * INTERIOR_FACTOR * step)) {
      interior_due = 0;
      status = interior(s, 0.2);
      if (ends(s, status)) return status;
      if (infeasible(s)) return PERP_INFEASIBLE;
      perp_portfolio_best(s);
    }
  }
  return PERP_MAX_ITER;
}

perp_status perp_friction_plan(portfolio *s) {
  const double budget = s->options->budget;
  estimate(s);
  s->visits = s->away = 0;
  s->aside = 0.2 * (budget > 0 ? budget : perp_friction_budget(&s->shape));
  s->promised[RIVAL_SWEEPS] = INFINITY; /* nobody has swept yet */
  watch(s, RIVAL_NONE, 0, 1);
  perp_status status = take_turns(s);
  if (!ends(s, status)) status = last_resorts(s);
  if (!settled(s, status) && infeasible(s)) status = PERP_INFEASIBLE;
  if (status != PERP_OK && status != PERP_STOPPED) perp_portfolio_best(s);
  return status;
}
