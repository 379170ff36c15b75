/* SPDX-License-Identifier: MIT */
/* The methods for intervals and polyhedra: their order for each class of problems, what an
 * iteration costs, the memory they may want, and what of a matrix decides about the class: tested,
 * not assumed. */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/klu.h"
#include "linalg/matrix.h"
#include "perp/perp.h"
#include "portfolio/portfolio.h"
#include "portfolio/subspace.h"

/* --- the lists ------------------------------------------------------------------------------- */

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

/* Up to SMALL unknowns, complementarity only. */
static const candidate small[] = {
    {perp_solver_lemke, COST_PIVOT, 0, 0.3, NULL, 0},
    {perp_solver_newton_min, COST_CUBE, 0, 0.05, NULL, 0},
    {perp_solver_active_set, COST_FACTOR, NEEDS_SYMMETRIC, 0.3, NULL, 0},
    {perp_solver_newton_fb, COST_CUBE, 0, 0.3, NULL, 0},
    {perp_solver_box_pivoting, COST_PIVOT, 0, 0.3, NULL, 0},
    {perp_solver_interior_point, COST_CUBE, 0, 0.1, NULL, 0},
    {perp_solver_enumeration, COST_CUBE, 0, 1, NULL, 0},
};

/* Up to SMALL unknowns, with boxes or free unknowns. */
static const candidate boxes[] = {
    {perp_solver_box_pivoting, COST_PIVOT, 0, 0.3, NULL, 0},
    {perp_solver_newton_min, COST_CUBE, 0, 0.05, NULL, 0},
    {perp_solver_active_set, COST_FACTOR, NEEDS_SYMMETRIC, 0.3, NULL, 0},
    {perp_solver_newton_fb, COST_CUBE, 0, 0.3, NULL, 0},
    {perp_solver_interior_point, COST_CUBE, 0, 0.1, NULL, 0},
    {perp_solver_enumeration, COST_CUBE, 0, 1, NULL, 0},
};

static const candidate symmetric[] = {
    {perp_solver_active_set, COST_FACTOR, NEEDS_SYMMETRIC, 0.5, NULL, 0},
    {perp_solver_conjugate_gradient, COST_SWEEP, NEEDS_SYMMETRIC, 0.1, NULL, 0},
    {perp_solver_lemke, COST_PIVOT, 0, 0.3, NULL, 0},
    {perp_solver_newton_fb, COST_CUBE, 0, 0.3, NULL, 0},
    {perp_solver_box_pivoting, COST_PIVOT, 0, 0.3, NULL, 0},
    {perp_solver_interior_point, COST_CUBE, 0, 0.1, NULL, 0},
};

static const candidate general[] = {
    {perp_solver_block_pivoting, COST_CUBE, 0, 0.3, NULL, 0},
    {perp_solver_newton_min, COST_CUBE, 0, 0.3, NULL, 0},
    {perp_solver_lemke, COST_PIVOT, 0, 0.3, NULL, 0},
    {perp_solver_box_pivoting, COST_PIVOT, 0, 0.3, NULL, 0},
    {perp_solver_newton_fb, COST_CUBE, 0, 0.3, NULL, 0},
    {perp_solver_interior_point, COST_CUBE, 0, 0.1, NULL, 0},
    {perp_solver_gauss_seidel, COST_SWEEP, 0, 0.3, NULL, 0},
    {perp_solver_newton_fb, COST_CUBE, 0, 16, many_starts, 200},
};

/* Laws that are no intervals. */
static const candidate others[] = {
    {perp_solver_avi_pivoting, COST_PIVOT, 0, 0.5, NULL, 0},
    {perp_solver_extragradient, COST_SWEEP, 0, 1, NULL, 0},
    {perp_solver_fixed_point, COST_SWEEP, 0, 1, NULL, 0},
};

/* Block rows with few entries, not symmetric: some sweeps are cheap, and often enough. */
static const candidate sparse[] = {
    {perp_solver_gauss_seidel, COST_SWEEP, 0, 0.05, NULL, 0},
    {perp_solver_interior_point, COST_FACTOR, NEEDS_ALLOCATION, 0.5, with_klu, 0},
    {perp_solver_gauss_seidel, COST_SWEEP, 0, 0.5, NULL, 0},
    {perp_solver_block_pivoting, COST_CUBE, 0, 0.3, NULL, 0},
    {perp_solver_newton_min, COST_CUBE, 0, 0.3, NULL, 0},
    {perp_solver_lemke, COST_PIVOT, 0, 0.3, NULL, 0},
    {perp_solver_box_pivoting, COST_PIVOT, 0, 0.3, NULL, 0},
    {perp_solver_newton_fb, COST_CUBE, 0, 0.3, NULL, 0},
};

/* Symmetric, with an envelope much longer than M. */
static const candidate wide[] = {
    {perp_solver_interior_point, COST_FACTOR, NEEDS_ALLOCATION, 0.5, with_klu, 0},
    {perp_solver_conjugate_gradient, COST_SWEEP, NEEDS_SYMMETRIC, 0.5, NULL, 0},
    {perp_solver_active_set, COST_FACTOR, NEEDS_SYMMETRIC, 0.5, NULL, 0},
    {perp_solver_lemke, COST_PIVOT, 0, 0.3, NULL, 0},
    {perp_solver_newton_fb, COST_CUBE, 0, 0.3, NULL, 0},
    {perp_solver_box_pivoting, COST_PIVOT, 0, 0.3, NULL, 0},
};
/* clang-format on */

#define COUNT(list) ((int32_t)(sizeof(list) / sizeof *(list)))

plan perp_candidates(uint32_t class) {
  static const plan plans[CLASSES] = {
      {small, COUNT(small)},     {boxes, COUNT(boxes)},   {symmetric, COUNT(symmetric)},
      {general, COUNT(general)}, {others, COUNT(others)}, {sparse, COUNT(sparse)},
      {wide, COUNT(wide)}};
  return plans[class];
}

/* --- what they cost -------------------------------------------------------------------------- */

/* What surrounds a dense factor, in multiply-adds, whatever n is. */
static const double least_cube = 1000;

double perp_candidate_cost(int cost, const perp_shape *shape) {
  const double n = shape->n, row = (double)shape->envelope / n;
  const double cube = n * n * n / 3 + shape_entries(shape);
  if (cost == COST_PIVOT) return 2 * n * n;
  if (cost == COST_FACTOR) return n * (row * row / 2 + 8 * row) + shape_entries(shape);
  if (cost == COST_CUBE) return cube > least_cube ? cube : least_cube;
  return shape_entries(shape);
}

double perp_sparse_budget(const perp_shape *shape) { return 2000 * shape_entries(shape); }

/* From SPARSE_LEAST unknowns and down from an entry in SPARSE_PART. */
enum { SPARSE_LEAST = 200, SPARSE_PART = 8, ENVELOPE_LONG = 16 };

int perp_few_entries(const perp_shape *shape) {
  return shape->matrix == PERP_BLOCKS && shape->n >= SPARSE_LEAST &&
         SPARSE_PART * shape_entries(shape) <= (double)shape->n * shape->n;
}

int perp_long_envelope(const perp_shape *shape) {
  return perp_few_entries(shape) && (double)shape->envelope > ENVELOPE_LONG * shape_entries(shape);
}

double perp_default_budget(const perp_shape *shape) {
  const double n = shape->n, sweeps = perp_sparse_budget(shape);
  const double most = shape->matrix == PERP_DENSE
                          ? 100 * n * n * n
                          : 50 * perp_candidate_cost(COST_FACTOR, shape) + sweeps;
  return most > 1e7 ? most : 1e7;
}

/* --- memory ---------------------------------------------------------------------------------- */

size_t perp_candidate_bytes(const candidate *c, const perp_shape *shape, solver_options *options) {
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
  arena verify = arena_measure(), a = arena_measure();
  solver_options o;
  (void)arena_take(&verify, residual_scratch_doubles(shape->n), sizeof(double));
  (void)arena_take(&verify, shape->projection, sizeof(double));
  size_t most = larger(arena_bytes(&verify), small_bytes(shape->n));
  for (uint32_t class = 0; class < CLASSES; class ++) {
    const plan p = perp_candidates(class);
    for (int32_t k = 0; k < p.count; k++)
      most = larger(most, perp_candidate_bytes(&p.list[k], shape, &o));
  }
  if (shape->n <= SMALL || !interval_laws(shape)) return most;
  subspace s;
  perp_subspace_carve(&s, &a, shape->n, shape->matrix);
  return larger(most, arena_bytes(&a));
}

/* --- symmetry -------------------------------------------------------------------------------- */

/* Entries that differ by less, in parts of their size or of the largest diagonal entry, are equal:
 * M = H W⁻¹ Hᵀ is symmetric up to rounding only. */
static const double rounding = 1e-13;

enum { TILE = 32 };

static int32_t smaller(int32_t a, int32_t b) { return a < b ? a : b; }

/* Rows and columns i0 ... and j0 ... of M against each other. */
static int tile_symmetric(const double *A, size_t ld, int32_t n, int32_t i0, int32_t j0,
                          double noise) {
  const int32_t i1 = smaller(i0 + TILE, n), j1 = smaller(j0 + TILE, n);
  int differ = 0;
  for (int32_t j = j0; j < j1; j++)
    for (int32_t i = i0; i < i1; i++) {
      const double a = A[(size_t)i + ld * (size_t)j], b = A[(size_t)j + ld * (size_t)i];
      differ |= !(fabs(a - b) <= rounding * (fabs(a) + fabs(b)) + noise);
    }
  return !differ;
}

/* What differences are noise whatever the entries are. */
static double noise_level(const perp_matrix *M) {
  double largest = 0;
  for (int32_t i = 0; i < M->rows; i++) {
    const double d = fabs(M->values[((size_t)M->ld + 1) * (size_t)i]);
    largest = d > largest ? d : largest;
  }
  return 0.01 * rounding * largest;
}

static int dense_symmetric(const perp_matrix *M) {
  const int32_t n = M->rows;
  const size_t ld = (size_t)M->ld;
  const double noise = noise_level(M);
  for (int32_t j = 0; j < n; j += TILE)
    for (int32_t i = j; i < n; i += TILE)
      if (!tile_symmetric(M->values, ld, n, i, j, noise)) return 0;
  return 1;
}

/* Numbers in [0.5, 1.5) without pattern. */
static void fill(int32_t n, uint32_t seed, double *x) {
  for (int32_t i = 0; i < n; i++) {
    seed = seed * UINT32_C(1664525) + UINT32_C(1013904223);
    x[i] = 0.5 + (double)(seed >> 8) / 16777216.0;
  }
}

static int bilinear_symmetric(const perp_matrix *M, double *scratch) {
  const int32_t n = M->rows;
  double *u = scratch, *v = scratch + n, *y = scratch + 2 * (size_t)n;
  fill(n, 1, u);
  fill(n, 2, v);
  memset(y, 0, (size_t)n * sizeof *y);
  perp_matrix_multiply_add(M, v, y);
  const double uMv = perp_dense_dot(n, u, y);
  memset(y, 0, (size_t)n * sizeof *y);
  perp_matrix_multiply_add(M, u, y);
  const double vMu = perp_dense_dot(n, v, y);
  for (int32_t i = 0; i < n; i++) y[i] = fabs(y[i]);
  return fabs(uMv - vMu) <= 1e-12 * perp_dense_dot(n, v, y);
}

int perp_matrix_symmetric(const perp_matrix *M, double *scratch) {
  if (M->kind == PERP_DENSE) return dense_symmetric(M);
  return M->kind == PERP_BLOCKS ? bilinear_symmetric(M, scratch) : 1;
}

int perp_matrix_looks_symmetric(const perp_matrix *M) {
  if (M->kind != PERP_DENSE) return 1;
  const int32_t n = M->rows, apart[3] = {1, n / 3, n / 2};
  const size_t ld = (size_t)M->ld;
  const double noise = noise_level(M);
  int differ = 0;
  for (int32_t k = 0; k < 3; k++)
    for (int32_t i = 0, j = apart[k]; j < n; i++, j++) {
      const double a = M->values[(size_t)i + ld * (size_t)j];
      const double b = M->values[(size_t)j + ld * (size_t)i];
      differ |= !(fabs(a - b) <= rounding * (fabs(a) + fabs(b)) + noise);
    }
  return !differ;
}
