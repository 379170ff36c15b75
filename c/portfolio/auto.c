/* SPDX-License-Identifier: MIT */
/* The solver that chooses: what is solved without a method, the order of the candidates for a class
 * of problems, the work each may take, and what one hands to the next.
 *
 * Each candidate has a model of the multiply-adds of one iteration; its limit of iterations is
 * its share of the budget by that model, so the choice depends on the problem alone. A candidate
 * that says PERP_OK is believed if every λ_i at a bound has y_i of the right sign, every other
 * |y_i| <= tol max |q|, and no y_i is so large that its rounding is in doubt (which implies the
 * residual's verdict but where huge terms cancel), or else if the residual says so. */
#include "perp/auto.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "linalg/matrix.h"
#include "perp/pivoting.h"
#include "portfolio/portfolio.h"
#include "portfolio/subspace.h"
#include "portfolio/tiny.h"
#include "problem/allowance.h"
#include "problem/bounds.h"
#include "problem/certificate.h"
#include "solver/run.h"
#include "solver/warm.h"

/* --- options --------------------------------------------------------------------------------- */

static const perp_auto_options defaults = {.struct_size = (uint32_t)sizeof(perp_auto_options),
                                           .tol = PERP_DEFAULT_TOL,
                                           .kind = "perp_auto_options",
                                           .allocate = 1};

void perp_auto_options_init(perp_auto_options *opts, size_t size) {
  perp_options_fill(opts, size, &defaults, sizeof defaults);
}

static perp_status check_options(const void *options, perp_info *info) {
  const perp_auto_options *out = options;
  if (out->allocate != 0 && out->allocate != 1)
    return fail(info, PERP_EINVAL, "allocate", -1, out->allocate);
  return PERP_OK;
}

/* --- memory ---------------------------------------------------------------------------------- */

static void carve(portfolio *s, arena *a, int32_t unknowns) {
  const size_t n = (size_t)unknowns;
  s->lower = arena_take(a, n, 4 * sizeof(double));
  s->upper = s->lower == NULL ? NULL : s->lower + n;
  s->best = s->lower == NULL ? NULL : s->lower + 2 * n;
  s->ray = s->lower == NULL ? NULL : s->lower + 3 * n;
  s->warm.bytes = warm_modes_bytes(unknowns);
  s->warm.data = arena_take(a, s->warm.bytes, 1);
}

static size_t workspace(const perp_shape *shape, const void *options) {
  const perp_auto_options *o = options;
  portfolio s;
  if (shape->n < 0) return 0;
  perp_shape plain = *shape; /* within it may be a problem without friction */
  if (perp_friction_small(shape)) plain.sets &= INTERVAL_SETS;
  const size_t most = perp_candidates_bytes(&plain);
  arena a = arena_measure();
  carve(&s, &a, shape->n);
  (void)arena_take(&a, most, 1);
  if (most == 0) return 0;
  const size_t bytes = shape->n <= SMALL && interval_laws(&plain) ? most : arena_bytes(&a);
  const size_t friction = frictional(shape->sets) ? perp_friction_bytes(shape, o->allocate) : bytes;
  return friction == 0 || friction > bytes ? friction : bytes;
}

/* Who solves contacts with friction begins with points and keeps no factor. */
static size_t warm_bytes(const perp_shape *shape) {
  const size_t most = frictional(shape->sets) ? warm_modes_bytes(shape->n)
                                              : perp_solver_active_set()->warm_bytes(shape);
  return most > SIZE_MAX - sizeof(memo) || most == 0 ? 0 : most + sizeof(memo);
}

/* --- judging --------------------------------------------------------------------------------- */

/* Whether λ, y leave nothing to the residual: see the head of the file. */
static int plainly_solved(const portfolio *s) {
  int wrong = !interval_laws(&s->shape);
  for (int32_t i = 0; i < s->shape.n; i++) {
    const double x = s->lambda[i], y = s->y[i];
    const int low = x == s->lower[i], high = x == s->upper[i];
    const int inside = (x >= s->lower[i]) & (x <= s->upper[i]);
    wrong |= !(inside & ((y >= -s->accepted) | high) & ((y <= s->accepted) | low) &
               (fabs(y) <= s->borne));
  }
  return !wrong;
}

static void multiply(portfolio *s) {
  memcpy(s->y, s->problem->q, (size_t)s->shape.n * sizeof *s->y);
  perp_matrix_multiply_add(&s->problem->M, s->lambda, s->y);
}

/* By the residual of 0: that of a λ which ran away may overflow, and says nothing of M and q. */
static int data_are_finite(portfolio *s) {
  perp_residual at_zero;
  memset(s->ray, 0, (size_t)s->shape.n * sizeof *s->ray);
  perp_residual_compute(s->problem, s->ray, s->y, &at_zero, s->scratch);
  return is_finite(at_zero.residual);
}

/* Whether λ solves the problem. If not it is kept where it is the best so far. */
static int judge(portfolio *s, perp_status status) {
  if (status == PERP_OK) {
    multiply(s);
    if (plainly_solved(s)) return 1;
  }
  if (perp_portfolio_judge(s, status)) return 1;
  s->hopeless = !is_finite(s->residual.residual) && !data_are_finite(s);
  return 0;
}

/* --- what one candidate leaves to the next ---------------------------------------------------- */

/* Points worse than this say nothing about modes. */
static const double telling = 1e-3;

/* The modes of λ into the warm data, which have room for them. */
static void write_modes(portfolio *s) {
  unsigned char *mode = warm_claim(&s->warm, s->shape.n);
  multiply(s);
  for (int32_t i = 0; i < s->shape.n; i++) {
    mode[i] = PERP_MODE_FREE;
    if (s->lambda[i] <= s->lower[i] && s->y[i] >= 0) mode[i] = PERP_MODE_LOWER;
    if (s->lambda[i] >= s->upper[i] && s->y[i] <= 0) mode[i] = PERP_MODE_UPPER;
  }
}

/* λ := the best point, and its modes into the warm data if it is good enough; y is made anew. */
static void hand_on(portfolio *s) {
  warm_head *head = warm_block(&s->warm, s->shape.n);
  perp_portfolio_best(s);
  if (s->best_name == NULL || head == NULL) return;
  head->n = head->factor_stamp = 0;
  if (!(s->best_score <= telling) || !interval_laws(&s->shape)) return;
  write_modes(s);
}

/* --- running a candidate ---------------------------------------------------------------------- */

/* All that the caller still allows, for what is no candidate. */
static perp_solver_options limits(portfolio *s) {
  const int32_t most = perp_portfolio_allowed(s, INT32_MAX, 0, s->left);
  perp_solver_options o = {.struct_size = (uint32_t)sizeof o};
  perp_portfolio_limit(s, most > 0 ? most : 1, &o);
  return o;
}

/* Iterations it may take of the budget by the model, and of what is left as they are. */
static int32_t allowed(const portfolio *s, const candidate *c, double budget, double price,
                       double left) {
  const int32_t least = 50;
  const double share = s->options->budget > 0 && c->share > 1 ? 1 : c->share;
  double most = share * budget / perp_candidate_cost(c->cost, &s->shape);
  if (most < least || s->proved) most = least; /* no more for what is a point by rounding only */
  return perp_portfolio_allowed(s, most, price, left);
}

static int is_symmetric(portfolio *s) {
  if (s->symmetric < 0) s->symmetric = perp_matrix_symmetric(&s->problem->M, s->room);
  return s->symmetric;
}

/* Whether a proof leaves no point that the residual accepts, for the ray that shows it. Only of
 * intervals it is known how much room it leaves. */
static int is_final(const portfolio *s) {
  if (!interval_laws(&s->shape)) return 1;
  const double margin = perp_certificate_margin(s->problem, s->ray, s->room);
  return margin > (s->shape.n + 1.0) * residual_allowance(s->tol);
}

/* There is no solution, so it says; shown: by the ray. Where data are infeasible by their last bits
 * there may be points that solve for all that doubles can tell: the others go on looking. */
static perp_status take_proof(portfolio *s, double bound, int shown, perp_info *info) {
  const int final = shown && is_final(s);
  if (final || !s->proved) {
    if (shown)
      info_proof(info, bound, s->shape.n, s->ray);
    else if (info_ready(info))
      info->bound = bound;
  }
  if (final) return PERP_INFEASIBLE;
  s->proved = 1;
  return PERP_RAY;
}

/* Whoever is not the last one leaves half of what is left. */
static perp_status try_candidate(portfolio *s, const candidate *c, double budget, int last,
                                 perp_info *info) {
  const perp_solver *solver = c->solver();
  solver_options o;
  if ((c->needs & NEEDS_ALLOCATION) != 0 && !s->options->allocate) return NOT_TRIED;
  const size_t need = perp_candidate_bytes(c, &s->shape, &o);
  if (need == 0 || need > s->room_bytes) return NOT_TRIED;
  if ((c->needs & NEEDS_SYMMETRIC) != 0 && !is_symmetric(s)) return NOT_TRIED;
  const double projections = interval_laws(&s->shape) ? 0 : perp_local_cost(s->problem);
  const double price = perp_candidate_cost(c->cost, &s->shape) + projections;
  o.common.budget = last ? s->left : 0.5 * s->left;
  const int32_t most = allowed(s, c, budget, price, o.common.budget);
  if (most <= 0) return PERP_MAX_ITER;
  perp_portfolio_limit(s, most, &o.common);
  perp_info said = PERP_INFO_INIT;
  const perp_status status = perp_portfolio_run(s, solver, &o, price, &said);
  if (status < 0) return NOT_TRIED;
  const int shown = said.ray_kind == PERP_RAY_CERTIFICATE;
  if (!shown && status != PERP_INFEASIBLE) return status;
  return take_proof(s, said.bound, shown, info);
}

/* Whether there is nothing more to try. */
static int ends(portfolio *s, perp_status status) {
  if (status == NOT_TRIED) return 0;
  if (status == PERP_INFEASIBLE || status == PERP_STOPPED) return 1;
  return judge(s, status);
}

static perp_status run_plan(portfolio *s, uint32_t class, int32_t first, perp_info *info) {
  const plan p = perp_candidates(class);
  const int sparse = class == CLASS_SPARSE || class == CLASS_WIDE;
  const double most = sparse ? perp_sparse_budget(&s->shape) : s->work;
  const double budget = most < s->work ? most : s->work;
  if (first >= p.count) first = 0;
  for (int32_t k = 0; k < p.count && !s->hopeless; k++) {
    const int32_t number = k == 0 ? first : k <= first ? k - 1 : k; /* first, then the others */
    if (k > 0) hand_on(s);
    const perp_status status = try_candidate(s, &p.list[number], budget, k + 1 == p.count, info);
    if (!ends(s, status)) continue;
    if (s->remembered != NULL && status != PERP_INFEASIBLE && status != PERP_STOPPED) {
      const memo m = {s->warm.stamp, (uint32_t)s->shape.n, class, (uint32_t)number};
      *s->remembered = m;
    }
    return status == PERP_INFEASIBLE || status == PERP_STOPPED ? status : PERP_OK;
  }
  if (s->best_name == NULL) return PERP_MAX_ITER; /* nobody accepts the problem */
  perp_portfolio_best(s);
  return s->best_status;
}

/* --- without a method ------------------------------------------------------------------------- */

/* A solution of −(m x + q) ∈ N_[l,u](x); 0 if there is none. */
static int solve_scalar(double m, double q, double l, double u, double *out) {
  const double root = -q / m;
  *out = l > 0 ? l : u < 0 ? u : 0;
  if (m * *out + q == 0) return 1;
  if (m != 0 && root >= l && root <= u && root >= -DBL_MAX && root <= DBL_MAX)
    return *out = root, 1;
  if (l >= -DBL_MAX && m * l + q >= 0) return *out = l, 1;
  if (u <= DBL_MAX && m * u + q <= 0) return *out = u, 1;
  return 0;
}

/* λ := solution component by component. 0 if M has other entries, or if there is none. */
static int solve_apart(const perp_matrix *M, const double *q, const double *lower,
                       const double *upper, double *lambda) {
  if (M->kind == PERP_BLOCKS || (M->kind == PERP_DENSE && M->rows > 1)) return 0;
  for (int32_t i = 0; i < M->rows; i++)
    if (!solve_scalar(M->kind == PERP_ZERO ? 0 : M->values[i], q[i], lower[i], upper[i],
                      &lambda[i]))
      return 0;
  return 1;
}

static int solve_tiny(portfolio *s) {
  const perp_matrix *M = &s->problem->M;
  if (M->kind != PERP_DENSE || M->rows > TINY_MOST) return NOT_TRIED;
  const perp_solver_options o = limits(s);
  const int status =
      perp_tiny_solve(M, s->problem->q, s->lower, s->upper, s->lambda, &o, &s->iterations);
  if (status != PERP_OK) return status;
  multiply(s);
  return plainly_solved(s) ? PERP_OK : NOT_TRIED;
}

/* λ := P(0), and whether that is the solution. */
static int start(portfolio *s) {
  int zero = 1;
  for (int32_t i = 0; i < s->shape.n; i++) {
    const double l = s->lower[i], u = s->upper[i];
    s->lambda[i] = l > 0 ? l : u < 0 ? u : 0;
    zero &= s->lambda[i] == 0;
  }
  if (!zero) return 0;
  memcpy(s->y, s->problem->q, (size_t)s->shape.n * sizeof *s->y);
  return plainly_solved(s);
}

/* --- the subspace ----------------------------------------------------------------------------- */

static int run_subspace(portfolio *s, int symmetric) {
  subspace t;
  memset(&t, 0, sizeof t);
  arena a = arena_open(s->room, s->room_bytes);
  perp_subspace_carve(&t, &a, s->shape.n, s->shape.matrix);
  if (!arena_fits(&a)) return NOT_TRIED;
  const perp_solver_options o = limits(s);
  const double most =
      30 * perp_candidate_cost(COST_SWEEP, &s->shape) +
      (perp_long_envelope(&s->shape) ? perp_sparse_budget(&s->shape) / 5
                                     : perp_candidate_cost(COST_FACTOR, &s->shape) / 3);
  t.options = &o;
  t.problem = s->problem;
  t.symmetric = symmetric;
  t.lower = s->lower;
  t.upper = s->upper;
  t.lambda = s->lambda;
  t.y = s->y;
  t.tol = s->tol;
  t.work = most < s->left ? most : s->left;
  s->left -= t.work;
  s->name = "subspace";
  const int status = perp_subspace_run(&t);
  s->iterations += t.iterations;
  s->left += t.work;
  if (status == SUBSPACE_STOPPED) return PERP_STOPPED;
  if (status == PERP_OK || (status == SUBSPACE_SLOW && judge(s, PERP_MAX_ITER))) return PERP_OK;
  return NOT_TRIED;
}

/* --- the solver ------------------------------------------------------------------------------- */

/* The caller's warm data up to the memo at its end, or the own modes without anything known. */
static void find_warm(portfolio *s, const perp_warm *warm) {
  const size_t own = s->warm.bytes;
  s->warm.stamp = 0;
  s->warm.reserved = 0;
  s->remembered = NULL;
  memset(s->warm.data, 0, sizeof(warm_head));
  if (warm_block(warm, s->shape.n) == NULL || warm->bytes < own + sizeof(memo)) return;
  s->warm = *warm;
  s->warm.bytes = (warm->bytes - sizeof(memo)) / 8 * 8;
  s->remembered = (memo *)(void *)((unsigned char *)warm->data + s->warm.bytes);
}

static uint32_t classify(portfolio *s) {
  if (!is_symmetric(s)) return perp_few_entries(&s->shape) ? CLASS_SPARSE : CLASS_GENERAL;
  return perp_long_envelope(&s->shape) ? CLASS_WIDE : CLASS_SYMMETRIC;
}

/* A first look, which costs little; block rows are looked at whole. */
static int looks_symmetric(portfolio *s) {
  const perp_matrix *M = &s->problem->M;
  return M->kind == PERP_BLOCKS ? is_symmetric(s) : perp_matrix_looks_symmetric(M);
}

static perp_status solve_large(portfolio *s, perp_info *info) {
  const uint32_t box = 1u << PERP_SET_FREE | 1u << PERP_SET_BOX;
  const memo *m = s->remembered;
  if (m != NULL && m->stamp != 0 && m->stamp == s->warm.stamp && m->n == (uint32_t)s->shape.n &&
      m->class < CLASSES && warm_known(&s->warm, s->shape.n))
    return run_plan(s, m->class, (int32_t)(m->winner < 1000 ? m->winner : 0), info);
  if (!interval_laws(&s->shape)) return run_plan(s, CLASS_OTHERS, 0, info);
  if (s->shape.n <= SMALL)
    return run_plan(s, (s->shape.sets & box) != 0 ? CLASS_BOXES : CLASS_SMALL, 0, info);
  /* under a stamp a method may still have its factor */
  const int kept = s->warm.stamp != 0 && warm_known(&s->warm, s->shape.n);
  if (s->shape.envelope > 16 * (size_t)s->shape.n && !kept &&
      (s->shape.matrix == PERP_DENSE || looks_symmetric(s))) {
    const int status = run_subspace(s, looks_symmetric(s));
    if (status == PERP_OK && s->remembered != NULL) write_modes(s);
    if (status != NOT_TRIED) return status;
    hand_on(s);
  }
  return run_plan(s, classify(s), 0, info);
}

/* What needs no method first. */
static perp_status solve_stages(portfolio *s, perp_info *info) {
  const int known = warm_known(&s->warm, s->shape.n) && all_finite((size_t)s->shape.n, s->lambda);
  if (!interval_laws(&s->shape)) {
    for (int32_t i = 0; i < s->shape.n && !known; i++) s->lambda[i] = 0;
    return solve_large(s, info);
  }
  if (!known && start(s)) return PERP_OK;
  for (int32_t i = 0; i < s->shape.n && known; i++) {
    const double x = s->lambda[i], l = s->lower[i], u = s->upper[i];
    s->lambda[i] = x < l ? l : x > u ? u : x;
  }
  if (solve_apart(&s->problem->M, s->problem->q, s->lower, s->upper, s->lambda)) return PERP_OK;
  const int status = solve_tiny(s);
  return status == PERP_OK || status == PERP_STOPPED ? status : solve_large(s, info);
}

static int is_failure(perp_status status) {
  return status == PERP_RAY || status == PERP_MAX_ITER || status == PERP_INACCURATE;
}

static void tell(perp_info *info, const char *name, int32_t iterations) {
  if (!info_ready(info)) return;
  info->iterations = iterations;
  info->solver = name;
}

/* A few unknowns, complementarity only, nobody to be told: without any memory. */
static int solve_at_once(const perp_problem *p, const perp_auto_options *o, double *lambda,
                         perp_info *info) {
  int32_t pivots = 0;
  if (p->n > TINY_MOST || p->M.kind != PERP_DENSE || o->observe != NULL || o->max_iter > 0)
    return 0;
  if (p->weight != NULL) return 0;
  for (int32_t b = 0; b < p->n_blocks; b++)
    if (p->laws[b]->ops->set != PERP_SET_ORTHANT) return 0;
  const double tol = 0.5 * (o->tol < 1e-2 ? o->tol : 1e-2);
  if (perp_tiny_orthant(&p->M, p->q, tol, lambda, &pivots) != PERP_OK) return 0;
  tell(info, "auto", pivots);
  return 1;
}

static perp_status solve_intervals(const perp_problem *problem, const perp_auto_options *options,
                                   double *lambda, double *y, const perp_warm *warm, void *work,
                                   size_t work_bytes, double *left, perp_info *info);

/* The same in other units. */
static perp_status solve_in_units(portfolio *s, perp_status status, int how) {
  rescaled r;
  arena a = arena_open(s->room, s->room_bytes);
  const perp_solver_options rest = limits(s);
  perp_auto_options o = *s->options;
  perp_info said = PERP_INFO_INIT;
  perp_rescale_carve(&r, &a, s->shape.n);
  if (!arena_fits(&a) || !perp_rescale(&r, s->problem, s->lower, s->upper, how)) return status;
  const size_t bytes = (a.size - a.used) / ARENA_ALIGN * ARENA_ALIGN;
  o.max_iter = o.max_iter > 0 ? rest.max_iter : 0;
  o.observe = rest.observe;
  o.user = rest.user;
  const perp_status ended = solve_at_once(&r.problem, &o, r.lambda, &said)
                                ? PERP_OK
                                : solve_intervals(&r.problem, &o, r.lambda, r.y, NULL,
                                                  arena_take(&a, bytes, 1), bytes, &s->left, &said);
  s->iterations += said.iterations;
  if (ended == PERP_STOPPED) return ended;
  if (ended != PERP_OK) return status;
  perp_rescale_back(&r, s->lower, s->upper, s->lambda);
  s->name = said.solver;
  if (judge(s, PERP_OK)) return PERP_OK;
  perp_portfolio_best(s);
  return status;
}

/* Where all has failed, and numbers are denormal, huge, or far apart. */
static perp_status solve_rescaled(portfolio *s, perp_status status) {
  if (s->problem->weight != NULL || s->problem->floor != NULL || s->hopeless) return status;
  for (int how = 0; how < RESCALES && is_failure(status); how++)
    status = solve_in_units(s, status, how);
  return status;
}

/* A proof by a hair stands where nothing else came out, and is taken back where a point did. */
static perp_status end_proof(perp_status status, perp_info *info) {
  if (is_failure(status) || status == PERP_INFEASIBLE) return PERP_INFEASIBLE;
  if (info_ready(info)) {
    info->ray_kind = PERP_RAY_NONE;
    info->bound = 0;
  }
  return status;
}

/* max |q|; what a part of it is in every row, whatever its weight, where there are weights. */
static double size_of(const perp_problem *p) {
  double most = 0;
  for (int32_t i = 0; p->weight != NULL && i < p->n; i++)
    most = p->weight[i] > most ? p->weight[i] : most;
  const double size = perp_residual_weighted_largest(p->n, p->weight, p->q);
  return p->weight == NULL ? size : size / most;
}

/* left: multiply-adds allowed, and left afterwards. */
static perp_status solve_intervals(const perp_problem *problem, const perp_auto_options *options,
                                   double *lambda, double *y, const perp_warm *warm, void *work,
                                   size_t work_bytes, double *left, perp_info *info) {
  portfolio s;
  perp_portfolio_open(&s, problem, options, lambda, y);
  arena a = arena_open(work, work_bytes);
  carve(&s, &a, problem->n);
  if (!arena_fits(&a)) return fail(info, PERP_EWORKSPACE, "work_bytes", -1, (double)work_bytes);
  s.room_bytes = (a.size - a.used) / ARENA_ALIGN * ARENA_ALIGN;
  s.room = s.scratch = arena_take(&a, s.room_bytes, 1);
  const double size = size_of(problem);
  s.borne = tiny_borne(problem->n, size);
  s.accepted = tiny_is_denormal(size) ? -0x1p-1074 /* the residual has to say it */
                                      : 0.5 * (s.tol < 1e-2 ? s.tol : 1e-2) * size;
  perp_problem_bounds(problem, s.lower, s.upper);
  find_warm(&s, warm);
  s.work = options->budget > 0 ? options->budget : perp_default_budget(&s.shape);
  s.left = *left;
  perp_status status = solve_stages(&s, info);
  if (is_failure(status) && s.shape.n <= SMALL && interval_laws(&s.shape))
    status = solve_rescaled(&s, status);
  if (s.proved) status = end_proof(status, info);
  *left = s.left;
  tell(info, s.name, s.iterations);
  return status;
}

static perp_status solve(const perp_problem *problem, const void *options, double *lambda,
                         double *y, perp_warm *warm, void *work, size_t work_bytes,
                         perp_info *info) {
  const perp_auto_options *o = options;
  if (warm == NULL && solve_at_once(problem, o, lambda, info)) return PERP_OK;
  if (frictional(perp_problem_sets(problem)))
    return perp_friction_solve(problem, o, lambda, y, warm, work, work_bytes, info);
  double left = o->budget > 0 ? o->budget : perp_solver_budget(problem->n);
  return solve_intervals(problem, o, lambda, y, warm, work, work_bytes, &left, info);
}

const perp_solver *perp_solver_auto(void) {
  static const perp_solver solver = {
      .struct_size = sizeof(perp_solver),
      .sets = INTERVAL_SETS | 1u << PERP_SET_CONE | 1u << PERP_SET_ROLLING |
              1u << PERP_SET_POLYHEDRON | 1u << PERP_SET_OTHER,
      .matrices = 1u << PERP_ZERO | 1u << PERP_DIAGONAL | 1u << PERP_DENSE | 1u << PERP_BLOCKS,
      .name = "auto",
      .defaults = &defaults,
      .check = check_options,
      .workspace = workspace,
      .warm_bytes = warm_bytes,
      .solve = solve};
  return &solver;
}
