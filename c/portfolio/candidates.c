/* SPDX-License-Identifier: MIT */
#include "portfolio/candidates.h"

#include "base/arena.h"
#include "linalg/klu.h"
#include "perp/perp.h"
#include "portfolio/subspace.h"
#include "problem/residual.h"

/* The interior-point method with KLU, for what no envelope takes; more steps do not help. */
static void with_klu(solver_options *options) {
  enum { STEPS = 100 };
  perp_interior_point_options *o = (void *)options;
  if (o->max_iter == 0 || o->max_iter > STEPS) o->max_iter = STEPS;
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

static double entries(const perp_shape *shape) {
  return (double)shape->nonzeros + (double)shape->n;
}

/* What surrounds a dense factor, in multiply-adds, whatever n is. */
static const double least_cube = 1000;

double perp_candidate_cost(int cost, const perp_shape *shape) {
  const double n = shape->n, row = (double)shape->envelope / n;
  const double cube = n * n * n / 3 + entries(shape);
  if (cost == COST_PIVOT) return 2 * n * n;
  if (cost == COST_FACTOR) return n * (row * row / 2 + 8 * row) + entries(shape);
  if (cost == COST_CUBE) return cube > least_cube ? cube : least_cube;
  return entries(shape);
}

double perp_sparse_budget(const perp_shape *shape) { return 2000 * entries(shape); }

/* From SPARSE_LEAST unknowns and down from an entry in SPARSE_PART. */
enum { SPARSE_LEAST = 200, SPARSE_PART = 8, ENVELOPE_LONG = 16 };

int perp_few_entries(const perp_shape *shape) {
  return shape->matrix == PERP_BLOCKS && shape->n >= SPARSE_LEAST &&
         SPARSE_PART * entries(shape) <= (double)shape->n * shape->n;
}

int perp_long_envelope(const perp_shape *shape) {
  return perp_few_entries(shape) && (double)shape->envelope > ENVELOPE_LONG * entries(shape);
}

double perp_default_budget(const perp_shape *shape) {
  const double n = shape->n, sweeps = perp_sparse_budget(shape);
  const double most = shape->matrix == PERP_DENSE
                          ? 100 * n * n * n
                          : 50 * perp_candidate_cost(COST_FACTOR, shape) + sweeps;
  return most > 1e7 ? most : 1e7;
}

/* A dense copy where that is small, and some copies of M in any case. */
static size_t most_bytes(const perp_shape *shape) {
  const size_t least = (size_t)64 << 20, n = (size_t)shape->n;
  if (shape->nonzeros > SIZE_MAX / 256 - least || n > SIZE_MAX / 4096) return SIZE_MAX;
  return least + 1024 * n + 64 * shape->nonzeros;
}

void perp_candidate_options(const candidate *c, const perp_solver_options *common,
                            solver_options *out) {
  (void)perp_solver_options_read(c->solver()->defaults, common, out, NULL);
  if (c->preset != NULL) c->preset(out);
}

size_t perp_candidate_bytes(const candidate *c, const perp_shape *shape) {
  solver_options o;
  if (c->most > 0 && shape->n > c->most) return 0;
  perp_candidate_options(c, NULL, &o);
  const size_t bytes = perp_solver_shape_workspace(c->solver(), shape, &o);
  return bytes <= most_bytes(shape) ? bytes : 0;
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
  (void)arena_take(&verify, residual_scratch_doubles(shape->n), sizeof(double));
  (void)arena_take(&verify, shape->projection, sizeof(double));
  size_t most = larger(arena_bytes(&verify), small_bytes(shape->n));
  for (uint32_t class = 0; class < CLASSES; class ++) {
    const plan p = perp_candidates(class);
    for (int32_t k = 0; k < p.count; k++)
      most = larger(most, perp_candidate_bytes(&p.list[k], shape));
  }
  if (shape->n <= SMALL || !interval_laws(shape)) return most;
  subspace s;
  perp_subspace_carve(&s, &a, shape->n, shape->matrix);
  return larger(most, arena_bytes(&a));
}
