/* SPDX-License-Identifier: MIT */
/* The problem in global form, M v = q + H'r, u = H v + b, (u, r) in law: its check, and the
 * residual that judges (v, r) from the caller's data. With s = |M||v| + |q| + |H'||r| and d_j =
 * |M_jj|:
 *
 *   e = ||M v - q - H'r||            relative to ||s||,
 *   c = max r_a, rho_a = 1 / ||H_a D^-1 H_a'||_F   relative to || |H| D^-1 s + |b| ||.
 *
 * The laws are judged by the code of the one-step problem's residual, for u as its y. */
#include "perp/global.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/finite.h"
#include "base/info.h"
#include "linalg/matrix.h"
#include "problem/allowance.h"
#include "problem/bounds.h"
#include "problem/global_problem.h"
#include "problem/residual.h"

/* ---- shape ---- */

perp_problem perp_global_laws(const perp_global_problem *g) {
  perp_problem p = PERP_PROBLEM_INIT;
  p.n = p.M.rows = p.M.cols = g->n;
  p.n_blocks = g->n_blocks;
  p.q = g->b;
  p.laws = g->laws;
  p.offset = g->offset;
  p.states = g->states;
  p.weight = g->weight;
  p.floor = g->floor;
  return p;
}

static perp_status check_matrix(const perp_matrix *A, const char *name, int32_t rows, int32_t cols,
                                perp_info *info) {
  const perp_status status = perp_matrix_check(A, info);
  if (status != PERP_OK) return status;
  if (A->rows != rows) return fail(info, PERP_EINVAL, name, -1, A->rows);
  return A->cols == cols ? PERP_OK : fail(info, PERP_EINVAL, name, -1, A->cols);
}

perp_status perp_global_check(const perp_global_problem *problem, perp_info *info) {
  info_clear(info);
  if (problem == NULL) return fail_field(info, "problem", -1);
  if (!perp_options_known(problem, sizeof *problem, PERP_THROUGH(perp_global_problem, floor)))
    return fail(info, PERP_EINVAL, "struct_size", -1, problem->struct_size);
  if (problem->m < 0) return fail(info, PERP_EINVAL, "m", -1, problem->m);
  if (problem->n < 0) return fail(info, PERP_EINVAL, "n", -1, problem->n);
  perp_status status = check_matrix(&problem->M, "M", problem->m, problem->m, info);
  if (status == PERP_OK) status = check_matrix(&problem->H, "H", problem->n, problem->m, info);
  if (status != PERP_OK) return status;
  const perp_matrix *H = &problem->H;
  if (H->kind == PERP_DIAGONAL || (H->kind == PERP_BLOCKS && H->offset != NULL))
    return fail(info, PERP_EINVAL, "H", -1, H->kind);
  if (problem->m > 0 && problem->q == NULL) return fail_field(info, "q", -1);
  if (problem->n > 0 && problem->b == NULL) return fail_field(info, "b", -1);
  const perp_problem laws = perp_global_laws(problem);
  return perp_problem_check(&laws, info);
}

/* Size of the first perp_global_parts, which ends with a struct that may grow. */
#define FIRST_PARTS (offsetof(perp_global_parts, contact) + PERP_THROUGH(perp_residual, violation))

/* ---- the residual ---- */

typedef struct judge {
  const perp_global_problem *g;
  double *d;       /* m: scale of the diagonal of M                   */
  double *e;       /* m: M v - q - H'r                                */
  double *s;       /* m: |M||v| + |q| + |H'||r|                       */
  double *kept;    /* m: the same with rhat                           */
  double *t;       /* m                                               */
  double *scratch; /* of the residual of the laws, for n              */
} judge;

static void carve(judge *j, arena *a, const perp_global_problem *g, size_t projection) {
  const size_t m = (size_t)g->m, d = sizeof(double);
  const size_t own = residual_scratch_doubles(g->n);
  j->g = g;
  j->d = arena_take(a, m, d);
  j->e = arena_take(a, m, d);
  j->s = arena_take(a, m, d);
  j->kept = arena_take(a, m, d);
  j->t = arena_take(a, m, d);
  j->scratch = arena_take(a, projection > SIZE_MAX - own ? SIZE_MAX : own + projection, d);
}

static double ratio(double a, double b) { return a == 0 && b == 0 ? 0 : a / b; }

/* max x_i of entries >= 0, NaN if one is not finite. */
static double largest(int32_t n, const double *x, int32_t *at) {
  double most = 0;
  *at = n > 0 ? 0 : -1;
  for (int32_t i = 0; i < n; i++) {
    if (!is_finite(x[i])) {
      *at = i;
      return (double)NAN;
    }
    if (x[i] > most) {
      most = x[i];
      *at = i;
    }
  }
  return most;
}

/* Scale of the diagonal: where M_jj is 0 the row takes its place. */
static void diagonal(judge *j) {
  const int32_t m = j->g->m;
  int zero = 0;
  perp_matrix_diagonal(&j->g->M, j->d);
  for (int32_t i = 0; i < m; i++) {
    j->d[i] = fabs(j->d[i]);
    zero |= j->d[i] == 0;
    j->t[i] = 1;
  }
  if (!zero) return;
  for (int32_t i = 0; i < m; i++) j->s[i] = 0;
  perp_matrix_absolute_multiply_add(&j->g->M, j->t, j->s);
  for (int32_t i = 0; i < m; i++)
    if (j->d[i] == 0) j->d[i] = j->s[i] == 0 ? 1 : j->s[i];
}

/* e, s, and kept without the part of rhat. */
static void equations(judge *j, const double *v, const double *r) {
  const perp_global_problem *g = j->g;
  for (int32_t i = 0; i < g->m; i++) {
    j->e[i] = -g->q[i];
    j->s[i] = fabs(g->q[i]);
    j->t[i] = fabs(v[i]);
  }
  perp_matrix_multiply_add(&g->M, v, j->e);
  perp_matrix_absolute_multiply_add(&g->M, j->t, j->s);
  if (g->m > 0) memcpy(j->kept, j->s, (size_t)g->m * sizeof *j->s);
  perp_matrix_transpose_multiply_add(&g->H, -1, r, j->e, j->s);
}

/* out (n) := |H| D^-1 s + |b| */
static void velocity_terms(const judge *j, const double *s, double *out) {
  const perp_global_problem *g = j->g;
  for (int32_t i = 0; i < g->m; i++) j->t[i] = s[i] / j->d[i];
  for (int32_t i = 0; i < g->n; i++) out[i] = fabs(g->b[i]);
  perp_matrix_absolute_multiply_add(&g->H, j->t, out);
}

/* One row of H: count entries, col NULL: in columns 0, 1, ... */
typedef struct sparse_row {
  int32_t count;
  size_t stride;
  const int32_t *col;
  const double *value;
} sparse_row;

static sparse_row row_of(const perp_matrix *H, int32_t i) {
  sparse_row row = {0, 1, NULL, NULL};
  if (H->kind == PERP_DENSE && H->cols > 0) {
    row.count = H->cols;
    row.stride = (size_t)H->ld;
    row.value = H->values + i;
  }
  if (H->kind == PERP_BLOCKS && H->start[i + 1] > H->start[i]) {
    row.count = H->start[i + 1] - H->start[i];
    row.col = H->index + H->start[i];
    row.value = H->values + H->start[i];
  }
  return row;
}

/* norm[k] := ||column k of diag(weight) H_a D^-1 H_a'|| for the block of size rows at i; t is zero,
 * and stays. sums: size. */
static void block_norms(const judge *j, int32_t i, int32_t size, double *norm, double *sums) {
  for (int32_t k = i; k < i + size; k++) {
    const sparse_row a = row_of(&j->g->H, k);
    for (int32_t c = 0; c < a.count; c++) {
      const int32_t col = a.col == NULL ? c : a.col[c];
      j->t[col] += a.value[a.stride * (size_t)c] / j->d[col];
    }
    for (int32_t l = i; l < i + size; l++) {
      const sparse_row b = row_of(&j->g->H, l);
      double sum = 0;
      for (int32_t c = 0; c < b.count; c++)
        sum += b.value[b.stride * (size_t)c] * j->t[b.col == NULL ? c : b.col[c]];
      sums[l - i] = j->g->weight == NULL ? sum : j->g->weight[l] * sum;
    }
    for (int32_t c = 0; c < a.count; c++) j->t[a.col == NULL ? c : a.col[c]] = 0;
    norm[k] = perp_residual_norm(sums, size);
  }
}

/* sums: n. */
static void all_norms(const judge *j, double *norm, double *sums) {
  const perp_global_problem *g = j->g;
  for (int32_t i = 0; i < g->m; i++) j->t[i] = 0;
  for (int32_t b = 0, begin = 0, end; b < g->n_blocks; b++, begin = end) {
    const perp_law *law = g->laws[b];
    const int32_t size = law->ops->set <= PERP_SET_BOX ? 1 : law->size;
    end = g->offset == NULL ? begin + law->size : g->offset[b + 1];
    for (int32_t i = begin; i < end; i += size) block_norms(j, i, size, norm, sums);
  }
}

/* The laws, with |H| D^-1 s + |b| for the row sums; then hat, for rhat is known. */
static void contacts(judge *j, const double *r, double *u, perp_global_parts *out) {
  const perp_global_problem *g = j->g;
  const perp_problem laws = perp_global_laws(g);
  const size_t n = (size_t)g->n;
  if (n > 0) {
    velocity_terms(j, j->s, j->scratch);
    all_norms(j, j->scratch + n, j->scratch + 2 * n);
  }
  perp_residual_of_laws(&laws, r, u, &out->contact, j->scratch);
  if (n == 0) return;
  perp_matrix_transpose_multiply_add(&g->H, 1, j->scratch + 4 * n, j->t, j->kept);
  velocity_terms(j, j->kept, j->scratch + 5 * n);
  out->contact.hat = perp_residual_weighted_largest(g->n, g->weight, j->scratch + 5 * n);
}

static double norm_of(int32_t n, const double *x) {
  double sum = 0;
  for (int32_t i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

static void answer(judge *j, const double *v, const double *r, double *u, perp_global_parts *out) {
  const perp_global_problem *g = j->g;
  int32_t at;
  const double natural = norm_of(g->m, j->e), scale = largest(g->m, j->s, &at);
  const double kept = largest(g->m, j->kept, &at);
  for (int32_t i = 0; i < g->m; i++) j->e[i] = fabs(j->e[i]);
  out->equilibrium = largest(g->m, j->e, &out->worst_row);
  out->equilibrium_relative = ratio(out->equilibrium, scale);
  out->equilibrium_hat = kept;
  out->relative = out->equilibrium_relative > out->contact.relative ? out->equilibrium_relative
                                                                    : out->contact.relative;
  perp_residual *c = &out->contact;
  if (is_finite(out->equilibrium) && is_finite(scale) && is_finite(c->residual) &&
      all_finite((size_t)g->m, v)) {
    const perp_problem laws = perp_global_laws(g);
    const double map = g->n > 0 ? perp_residual_natural(&laws, r, u, j->scratch) : 0;
    const double q = norm_of(g->m, g->q), b = norm_of(g->n, g->b);
    c->natural_error = ratio(sqrt(natural * natural + map * map), sqrt(q * q + b * b));
    return;
  }
  c->residual = c->relative = c->hat = c->natural_error = (double)NAN;
  out->equilibrium = out->equilibrium_relative = out->equilibrium_hat = out->relative = (double)NAN;
}

size_t perp_global_residual_workspace(const perp_global_problem *problem) {
  if (perp_global_check(problem, NULL) != PERP_OK) return 0;
  const perp_problem laws = perp_global_laws(problem);
  judge j;
  arena a = arena_measure();
  carve(&j, &a, problem, perp_problem_projection_doubles(&laws));
  return arena_bytes(&a);
}

perp_status perp_global_residual(const perp_global_problem *problem, const double *v,
                                 const double *r, double *u, perp_global_parts *parts, void *work,
                                 size_t work_bytes) {
  const perp_status status = perp_global_check(problem, NULL);
  if (status != PERP_OK) return status;
  const size_t first = FIRST_PARTS;
  if (parts == NULL || parts->struct_size < first) return PERP_EINVAL;
  if (problem->m > 0 && v == NULL) return PERP_EINVAL;
  if (problem->n > 0 && (r == NULL || u == NULL)) return PERP_EINVAL;
  if (work == NULL) return PERP_EINVAL;
  const perp_problem laws = perp_global_laws(problem);
  judge j;
  arena a = arena_open(work, work_bytes);
  carve(&j, &a, problem, perp_problem_projection_doubles(&laws));
  if (!arena_fits(&a)) return PERP_EWORKSPACE;
  perp_global_parts out = PERP_GLOBAL_PARTS_INIT;
  diagonal(&j);
  equations(&j, v, r);
  if (problem->n > 0) memcpy(u, problem->b, (size_t)problem->n * sizeof *u);
  perp_matrix_multiply_add(&problem->H, v, u);
  contacts(&j, r, u, &out);
  answer(&j, v, r, u, &out);
  return perp_options_answer(parts, &out, sizeof out, first);
}

int32_t perp_global_solved(const perp_global_parts *parts, double tol) {
  if (parts == NULL || parts->struct_size < FIRST_PARTS) return 0;
  return perp_residual_solved(&parts->contact, tol) && parts->equilibrium_relative <= tol &&
         parts->equilibrium <= residual_allowance(tol) * parts->equilibrium_hat;
}
