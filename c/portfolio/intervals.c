/* SPDX-License-Identifier: MIT */
/* The plan for intervals and polyhedra: the order of the candidates for a class of problems, the
 * work each may take, and what one hands to the next.
 *
 * Each candidate has a model of the multiply-adds of one iteration; its limit of iterations is
 * its share of the budget by that model, so the choice depends on the problem alone. A candidate
 * that says PERP_OK is believed if every λ_i at a bound has y_i of the right sign, every other
 * |y_i| <= tol max |q|, and no y_i is so large that its rounding is in doubt (which implies the
 * residual's verdict but where huge terms cancel), or else if the residual says so. */
#include <math.h>
#include <string.h>

#include "base/info.h"
#include "linalg/klu.h"
#include "perp/perp.h"
#include "portfolio/portfolio.h"
#include "problem/allowance.h"
#include "problem/certificate.h"
#include "solver/factor.h"
#include "solver/warm.h"

/* --- the lists ------------------------------------------------------------------------------- */

/* What an iteration costs by the model of docs/choose-a-solver.md. */
enum { COST_PIVOT, COST_FACTOR, COST_CUBE, COST_SWEEP };

/* What it needs: M = Mᵀ; leave to allocate. */
enum { NEEDS_SYMMETRIC = 1, NEEDS_ALLOCATION = 2 };

typedef struct candidate {
  const perp_solver *(*solver)(void);
  int cost;
  int needs;
  double share;                     /* of the budget; above 1 only where that is the default */
  void (*preset)(solver_options *); /* of its own options; NULL: their defaults              */
  int32_t most;                     /* unknowns, 0: any number                               */
} candidate;

/* Classes of problems, and the place of who comes first where it is not the first of them. */
enum {
  CLASS_SMALL,
  CLASS_SYMMETRIC,
  CLASS_GENERAL,
  CLASS_OTHERS,
  CLASS_SPARSE,
  CLASS_WIDE,
  CLASSES
};
enum { BOXES_FIRST = 4 };

typedef struct plan {
  const candidate *list;
  int32_t count;
} plan;

/* The interior-point method with KLU, for what no envelope takes; more steps do not help. */
static void with_klu(solver_options *options) {
  enum { STEPS = 100 };
  perp_interior_point_options *o = (void *)options;
  o->max_iter = STEPS;
  o->sparse = perp_klu_affordable();
}

/* What one start of Newton's method leads to is a matter of luck where M is no P-matrix, and luck
 * can be had by the number of starts: the limit of iterations comes first. */
static void many_starts(solver_options *options) {
  enum { STARTS = 10000 };
  ((perp_newton_options *)(void *)options)->restarts = STARTS;
}

/* clang-format off: one to a line */

/* Up to SMALL unknowns. With boxes or free unknowns BOXES_FIRST, and without Lemke's method, which
 * does not take them. */
static const candidate small[] = {
    {perp_solver_lemke, COST_PIVOT, 0, 0.3, NULL, 0},
    {perp_solver_newton_min, COST_CUBE, 0, 0.05, NULL, 0},
    {perp_solver_active_set, COST_FACTOR, NEEDS_SYMMETRIC, 0.3, NULL, 0},
    {perp_solver_newton_fb, COST_CUBE, 0, 0.3, NULL, 0},
    {perp_solver_box_pivoting, COST_PIVOT, 0, 0.3, NULL, 0},
    {perp_solver_interior_point, COST_CUBE, 0, 0.1, NULL, 0},
    {perp_solver_enumeration, COST_CUBE, 0, 1, NULL, 0},
};

/* Symmetric. The first WIDE are for block rows whose envelope is much longer than M; others begin
 * behind NARROW. */
enum { NARROW = 2, WIDE = 7 };
static const candidate definite[] = {
    {perp_solver_interior_point, COST_FACTOR, NEEDS_ALLOCATION, 0.5, with_klu, 0},
    {perp_solver_cpg, COST_SWEEP, NEEDS_SYMMETRIC, 0.5, NULL, 0},
    {perp_solver_active_set, COST_FACTOR, NEEDS_SYMMETRIC, 0.5, NULL, 0},
    {perp_solver_cpg, COST_SWEEP, NEEDS_SYMMETRIC, 0.1, NULL, 0},
    {perp_solver_lemke, COST_PIVOT, 0, 0.3, NULL, 0},
    {perp_solver_newton_fb, COST_CUBE, 0, 0.3, NULL, 0},
    {perp_solver_box_pivoting, COST_PIVOT, 0, 0.3, NULL, 0},
    {perp_solver_interior_point, COST_CUBE, 0, 0.1, NULL, 0},
};

/* Laws that are no intervals. */
static const candidate others[] = {
    {perp_solver_avi_pivoting, COST_PIVOT, 0, 0.5, NULL, 0},
    {perp_solver_extragradient, COST_SWEEP, 0, 1, NULL, 0},
    {perp_solver_fixed_point, COST_SWEEP, 0, 1, NULL, 0},
};

/* Not symmetric. The first SPARSE are for block rows with few entries: some sweeps are cheap, and
 * often enough. Others begin behind SWEEPS. */
enum { SWEEPS = 3, SPARSE = 8 };
static const candidate general[] = {
    {perp_solver_pgs, COST_SWEEP, 0, 0.05, NULL, 0},
    {perp_solver_interior_point, COST_FACTOR, NEEDS_ALLOCATION, 0.5, with_klu, 0},
    {perp_solver_pgs, COST_SWEEP, 0, 0.5, NULL, 0},
    {perp_solver_block_pivoting, COST_CUBE, 0, 0.3, NULL, 0},
    {perp_solver_newton_min, COST_CUBE, 0, 0.3, NULL, 0},
    {perp_solver_lemke, COST_PIVOT, 0, 0.3, NULL, 0},
    {perp_solver_box_pivoting, COST_PIVOT, 0, 0.3, NULL, 0},
    {perp_solver_newton_fb, COST_CUBE, 0, 0.3, NULL, 0},
    {perp_solver_interior_point, COST_CUBE, 0, 0.1, NULL, 0},
    {perp_solver_pgs, COST_SWEEP, 0, 0.3, NULL, 0},
    {perp_solver_newton_fb, COST_CUBE, 0, 16, many_starts, 200},
};
/* clang-format on */

#define COUNT(list) ((int32_t)(sizeof(list) / sizeof *(list)))

static plan plan_of(uint32_t class) {
  static const plan plans[CLASSES] = {{small, COUNT(small)},
                                      {definite + NARROW, COUNT(definite) - NARROW},
                                      {general + SWEEPS, COUNT(general) - SWEEPS},
                                      {others, COUNT(others)},
                                      {general, SPARSE},
                                      {definite, WIDE}};
  return plans[class];
}

/* --- what they cost -------------------------------------------------------------------------- */

/* What surrounds a dense factor, in multiply-adds, whatever n is. */
static const double least_cube = 1000;

static double candidate_cost(int cost, const perp_shape *shape) {
  const double n = shape->n, row = (double)shape->envelope / n;
  const double cube = n * n * n / 3 + shape_entries(shape);
  if (cost == COST_PIVOT) return 2 * n * n;
  if (cost == COST_FACTOR) return n * (row * row / 2 + 8 * row) + shape_entries(shape);
  if (cost == COST_CUBE) return cube > least_cube ? cube : least_cube;
  return shape_entries(shape);
}

static double sparse_budget(const perp_shape *shape) { return 2000 * shape_entries(shape); }

/* From SPARSE_LEAST unknowns and down from an entry in SPARSE_PART. */
enum { SPARSE_LEAST = 200, SPARSE_PART = 8, ENVELOPE_LONG = 16 };

static int few_entries(const perp_shape *shape) {
  return shape->matrix == PERP_BLOCKS && shape->n >= SPARSE_LEAST &&
         SPARSE_PART * shape_entries(shape) <= (double)shape->n * shape->n;
}

static int long_envelope(const perp_shape *shape) {
  return few_entries(shape) && (double)shape->envelope > ENVELOPE_LONG * shape_entries(shape);
}

double perp_default_budget(const perp_shape *shape) {
  const double n = shape->n, sweeps = sparse_budget(shape);
  const double most = shape->matrix == PERP_DENSE
                          ? 100 * n * n * n
                          : 50 * candidate_cost(COST_FACTOR, shape) + sweeps;
  return most > 1e7 ? most : 1e7;
}

/* --- memory ---------------------------------------------------------------------------------- */

static size_t candidate_bytes(const candidate *c, const perp_shape *shape,
                              solver_options *options) {
  (void)perp_solver_options_read(c->solver()->defaults, NULL, options, NULL);
  if (c->preset != NULL) c->preset(options);
  if (c->most > 0 && shape->n > c->most) return 0;
  return perp_portfolio_bytes(c->solver(), shape, options, 0);
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* Laws by component, up to SMALL unknowns. It grows with n, so that a block for a large problem is
 * one for every smaller one. */
static size_t small_bytes(int32_t unknowns) {
  const size_t n = (size_t)(unknowns < SMALL ? unknowns : SMALL);
  const size_t m = n < ENUMERATE ? n : ENUMERATE;
  return 96 * n * n + 1024 * n + 4096 + 32 * m * m * m;
}

size_t perp_candidates_bytes(const perp_shape *shape) {
  if (shape->n <= SMALL && interval_laws(shape)) return small_bytes(shape->n);
  solver_options o;
  size_t most = small_bytes(shape->n);
  for (uint32_t class = 0; class < CLASSES; class ++) {
    const plan p = plan_of(class);
    for (int32_t k = 0; k < p.count; k++)
      most = larger(most, candidate_bytes(&p.list[k], shape, &o));
  }
  if (shape->n <= SMALL || !interval_laws(shape)) return most;
  return larger(most, perp_solver_shape_workspace(perp_solver_subspace(), shape, NULL));
}

/* --- symmetry -------------------------------------------------------------------------------- */

/* Whether entries (i, j) and (j, i) differ by more than rounding, as those of H W⁻¹ Hᵀ do. */
static inline int pair_differs(const double *A, size_t ld, int32_t i, int32_t j) {
  const double a = A[(size_t)i + ld * (size_t)j], b = A[(size_t)j + ld * (size_t)i];
  const double own = fabs(A[(ld + 1) * (size_t)i]) + fabs(A[(ld + 1) * (size_t)j]);
  return !(fabs(a - b) <= 1e-13 * (fabs(a) + fabs(b) + 0.01 * own));
}

static int matrix_looks_symmetric(const perp_matrix *M) {
  if (M->kind != PERP_DENSE) return 1;
  const int32_t n = M->rows, apart[3] = {1, n / 3, n / 2};
  int differ = 0;
  for (int32_t k = 0; k < 3; k++)
    for (int32_t i = 0, j = apart[k]; j < n; i++, j++)
      differ |= pair_differs(M->values, (size_t)M->ld, i, j);
  return !differ;
}

/* --- judging --------------------------------------------------------------------------------- */

/* Whether λ, y leave nothing to the residual: see the head of the file. */
int perp_plainly_solved(const portfolio *s) {
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

/* Whether λ solves the problem. If not it is kept where it is the best so far. */
int perp_intervals_judge(portfolio *s, perp_status status) {
  if (status == PERP_OK) {
    perp_portfolio_multiply(s);
    if (perp_plainly_solved(s)) return 1;
  }
  return perp_portfolio_judge(s, status);
}

/* --- what one candidate leaves to the next ---------------------------------------------------- */

/* Points worse than this say nothing about modes. */
static const double telling = 1e-3;

/* The modes of λ into the warm data, which have room for them. */
static void write_modes(portfolio *s) {
  unsigned char *mode = warm_claim(&s->warm, s->shape.n);
  perp_portfolio_multiply(s);
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

/* Iterations it may take of the budget by the model, and of what is left as they are. */
static int32_t allowed(const portfolio *s, const candidate *c, double budget, double price,
                       double left) {
  const int32_t least = 50;
  const double share = s->options->budget > 0 && c->share > 1 ? 1 : c->share;
  double most = share * budget / candidate_cost(c->cost, &s->shape);
  if (most < least || s->proved) most = least; /* no more for what is a point by rounding only */
  return perp_portfolio_allowed(s, most, price, left);
}

static int is_symmetric(portfolio *s) {
  const perp_matrix *M = &s->problem->M;
  if (s->symmetric < 0)
    s->symmetric = (M->kind != PERP_DENSE && M->kind != PERP_BLOCKS) ||
                   perp_factor_symmetric(M, NULL, 1e-12, s->room);
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
  const size_t need = candidate_bytes(c, &s->shape, &o);
  if (need == 0 || need > s->room_bytes) return NOT_TRIED;
  if ((c->needs & NEEDS_SYMMETRIC) != 0 && !is_symmetric(s)) return NOT_TRIED;
  const double projections = interval_laws(&s->shape) ? 0 : perp_local_cost(s->problem);
  const double price = candidate_cost(c->cost, &s->shape) + projections;
  o.common.budget = last ? s->left : 0.5 * s->left;
  const int32_t most = allowed(s, c, budget, price, o.common.budget);
  if (most <= 0) return PERP_MAX_ITER;
  perp_portfolio_limit(s, most, &o.common);
  perp_info said = PERP_INFO_INIT;
  const double left = s->left;
  const perp_status status = perp_portfolio_run(s, solver, &o, price, &said);
  const double rest = left - projections * said.iterations; /* what no method may count */
  s->left = s->left < rest ? s->left : rest;
  if (status < 0) return NOT_TRIED;
  const int shown = said.ray_kind == PERP_RAY_CERTIFICATE;
  if (!shown && status != PERP_INFEASIBLE) return status;
  return take_proof(s, said.bound, shown, info);
}

/* Whether there is nothing more to try. */
static int ends(portfolio *s, perp_status status) {
  if (status == NOT_TRIED) return 0;
  if (status == PERP_INFEASIBLE || status == PERP_STOPPED) return 1;
  return perp_intervals_judge(s, status);
}

static perp_status run_plan(portfolio *s, uint32_t class, int32_t first, perp_info *info) {
  const plan p = plan_of(class);
  const int few = class == CLASS_SPARSE || class == CLASS_WIDE;
  const double most = few ? sparse_budget(&s->shape) : s->work;
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

/* --- the subspace ----------------------------------------------------------------------------- */

/* PERP_OK, PERP_STOPPED, or NOT_TRIED: it did not come to a solution. */
static perp_status run_subspace(portfolio *s, int symmetric) {
  const double most = 30 * candidate_cost(COST_SWEEP, &s->shape) +
                      (long_envelope(&s->shape) ? sparse_budget(&s->shape) / 5
                                                : candidate_cost(COST_FACTOR, &s->shape) / 3);
  perp_subspace_options o = perp_subspace_defaults;
  perp_info said = PERP_INFO_INIT;
  const int32_t allowed = perp_portfolio_allowed(s, INT32_MAX, 0, s->left);
  if (allowed <= 0 ||
      perp_solver_shape_workspace(perp_solver_subspace(), &s->shape, &o) > s->room_bytes)
    return NOT_TRIED;
  o.symmetric = symmetric;
  o.common.budget = most < s->left ? most : s->left;
  perp_portfolio_limit(s, allowed, &o.common);
  const perp_status status = perp_portfolio_run(s, perp_solver_subspace(), &o, 0, &said);
  if (status == PERP_OK || status == PERP_STOPPED) return status;
  return status == PERP_MAX_ITER && perp_intervals_judge(s, status) ? PERP_OK : NOT_TRIED;
}

/* --- the order ------------------------------------------------------------------------------- */

static uint32_t classify(portfolio *s) {
  if (!is_symmetric(s)) return few_entries(&s->shape) ? CLASS_SPARSE : CLASS_GENERAL;
  return long_envelope(&s->shape) ? CLASS_WIDE : CLASS_SYMMETRIC;
}

/* A first look, which costs little; block rows are looked at whole. */
static int looks_symmetric(portfolio *s) {
  const perp_matrix *M = &s->problem->M;
  return M->kind == PERP_BLOCKS ? is_symmetric(s) : matrix_looks_symmetric(M);
}

perp_status perp_intervals_plan(portfolio *s, perp_info *info) {
  const uint32_t box = 1u << PERP_SET_FREE | 1u << PERP_SET_BOX;
  const memo *m = s->remembered;
  if (m != NULL && m->stamp != 0 && m->stamp == s->warm.stamp && m->n == (uint32_t)s->shape.n &&
      m->class < CLASSES && warm_known(&s->warm, s->shape.n))
    return run_plan(s, m->class, (int32_t)(m->winner < 1000 ? m->winner : 0), info);
  if (!interval_laws(&s->shape)) return run_plan(s, CLASS_OTHERS, 0, info);
  if (s->shape.n <= SMALL)
    return run_plan(s, CLASS_SMALL, (s->shape.sets & box) != 0 ? BOXES_FIRST : 0, info);
  /* under a stamp a method may still have its factor */
  const int kept = s->warm.stamp != 0 && warm_known(&s->warm, s->shape.n);
  if (s->shape.envelope > 16 * (size_t)s->shape.n && !kept &&
      (s->shape.matrix == PERP_DENSE || looks_symmetric(s))) {
    const perp_status status = run_subspace(s, looks_symmetric(s));
    if (status == PERP_OK && s->remembered != NULL) write_modes(s);
    if (status != NOT_TRIED) return status;
    hand_on(s);
  }
  return run_plan(s, classify(s), 0, info);
}
