/* SPDX-License-Identifier: MIT */
/* M + HᵀH / ρ: both parts are added up once, row by row over the columns of H, in one pattern; a
 * change of ρ is a sum of two arrays and a factor. D is from the diagonal of H diag(M)⁻¹ Hᵀ, which
 * has the size of the blocks of W. */
#include "solver/admm_global.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/matrix.h"

/* M differs from its transpose by more than rounding. */
#define SAME 1e-12
/* Diagonal entries below this are none: 1 / d would overflow. */
#define LEAST_DIAGONAL 1e-290

/* --- memory ---------------------------------------------------------------------------------- */

/* Entries of row i of H. */
static int32_t row_length(const perp_matrix *H, int32_t i) {
  if (H->kind == PERP_BLOCKS) return H->start[i + 1] - H->start[i];
  int32_t count = 0;
  for (int32_t j = 0; j < H->cols && H->kind == PERP_DENSE; j++)
    count += H->values[(size_t)i + (size_t)H->ld * (size_t)j] != 0;
  return count;
}

uint64_t perp_admm_global_entries(const perp_matrix *M) {
  uint64_t count = 0;
  if (M->kind == PERP_DIAGONAL) return (uint64_t)M->rows;
  if (M->kind == PERP_DENSE) return (uint64_t)M->rows * (uint64_t)M->rows;
  for (int32_t r = 0; r < M->block_rows && M->kind == PERP_BLOCKS; r++)
    for (int32_t k = M->start[r]; k < M->start[r + 1]; k++) {
      const int32_t c = M->index[k];
      count += M->offset == NULL ? 1
                                 : (uint64_t)(M->offset[r + 1] - M->offset[r]) *
                                       (uint64_t)(M->offset[c + 1] - M->offset[c]);
    }
  return count;
}

static size_t counted(uint64_t x) { return x < INT32_MAX ? (size_t)x : SIZE_MAX; }

static void carve_H(admm_global_system *s, arena *a, uint64_t *coupling) {
  const perp_matrix *H = &s->g->H;
  const size_t n = (size_t)s->n, m = (size_t)s->m, i = sizeof(int32_t);
  uint64_t stored = 0;
  *coupling = 0;
  for (int32_t k = 0; k < s->n; k++) {
    const uint64_t length = (uint64_t)row_length(H, k);
    stored += length;
    *coupling += length * length;
  }
  s->start = arena_take(a, n + 1, i);
  s->index = arena_take(a, counted(stored), i);
  s->value = arena_take(a, counted(stored), sizeof(double));
  s->column_start = arena_take(a, m + 1, i);
  s->column_row = arena_take(a, counted(stored), i);
}

static void carve_K(admm_global_system *s, arena *a, uint64_t coupling) {
  const size_t m = (size_t)s->m;
  s->dense = NULL;
  if (s->table == NULL) {
    s->dense = m > 0 && m > SIZE_MAX / m ? arena_take(a, SIZE_MAX, 2)
                                         : arena_take(a, m * m, sizeof(double));
    return;
  }
  const size_t entries = counted(coupling + perp_admm_global_entries(&s->g->M) + m);
  s->k_start = arena_take(a, m + 1, sizeof(int32_t));
  s->k_index = arena_take(a, entries, sizeof(int32_t));
  s->k_M = arena_take(a, entries, sizeof(double));
  s->k_H = arena_take(a, entries, sizeof(double));
  s->k_sum = arena_take(a, entries, sizeof(double));
}

void perp_admm_global_carve(admm_global_system *s, arena *a) {
  const size_t n = (size_t)s->n, m = (size_t)s->m;
  uint64_t coupling;
  s->d = arena_take(a, n, sizeof(double));
  s->mark = arena_take(a, m, sizeof(int32_t));
  carve_H(s, a, &coupling);
  carve_K(s, a, coupling);
  s->rows.value = arena_take(a, m, sizeof(double));
  s->rows.column = arena_take(a, m, sizeof(int32_t));
  s->rows.block = arena_take(a, m, sizeof(int32_t));
  s->rows.at = arena_take(a, m, sizeof(size_t));
}

/* --- H, its scale, and its columns ----------------------------------------------------------- */

static void copy_H(admm_global_system *s) {
  const perp_matrix *H = &s->g->H;
  int32_t at = 0;
  for (int32_t i = 0; i < s->n; i++) {
    s->start[i] = at;
    if (H->kind == PERP_BLOCKS)
      for (int32_t k = H->start[i]; k < H->start[i + 1]; k++) {
        s->index[at] = H->index[k];
        s->value[at++] = H->values[k];
      }
    for (int32_t j = 0; j < s->m && H->kind == PERP_DENSE; j++) {
      const double h = H->values[(size_t)i + (size_t)H->ld * (size_t)j];
      if (h == 0) continue;
      s->index[at] = j;
      s->value[at++] = h;
    }
  }
  s->start[s->n] = at;
}

/* D from the diagonal of H diag(M)⁻¹ Hᵀ; weight: 1 / |M_jj|, or 1. */
static void scale_H(admm_global_system *s, const contact *contacts, int32_t count, double *weight) {
  perp_matrix_diagonal(&s->g->M, weight);
  for (int32_t j = 0; j < s->m; j++)
    weight[j] = fabs(weight[j]) >= LEAST_DIAGONAL ? 1 / fabs(weight[j]) : 1;
  for (int32_t c = 0; c < count; c++) {
    const contact *at = contacts + c;
    const int32_t end = at->begin + at->size;
    double sum = 0;
    for (int32_t k = s->start[at->begin]; k < s->start[end]; k++)
      sum += s->value[k] * s->value[k] * weight[s->index[k]];
    const double w = sum / at->size;
    const double d = w >= LEAST_DIAGONAL && w <= DBL_MAX ? 1 / sqrt(w) : 1;
    for (int32_t i = at->begin; i < end; i++) s->d[i] = d;
    for (int32_t k = s->start[at->begin]; k < s->start[end]; k++) s->value[k] *= d;
  }
}

static void find_columns(admm_global_system *s) {
  int32_t *next = s->column_start;
  memset(next, 0, ((size_t)s->m + 1) * sizeof *next);
  for (int32_t k = 0; k < s->start[s->n]; k++) next[s->index[k]]++;
  for (int32_t j = 0, at = 0; j <= s->m; j++) next[j] = at += next[j];
  for (int32_t i = s->n; i-- > 0;)
    for (int32_t k = s->start[i]; k < s->start[i + 1]; k++) s->column_row[--next[s->index[k]]] = i;
}

/* x += Hᵀ y / ρ */
static void add_transposed(const admm_global_system *s, const double *y, double *x) {
  for (int32_t i = 0; i < s->n; i++) {
    const double w = y[i] / s->rho;
    for (int32_t k = s->start[i]; k < s->start[i + 1]; k++) x[s->index[k]] += s->value[k] * w;
  }
}

/* --- M + HᵀH / ρ ----------------------------------------------------------------------------- */

/* Place of column k in the row that begins at `begin` and ends at *at, which grows. */
static int32_t place_of(admm_global_system *s, int32_t *where, int32_t k, int32_t begin,
                        int32_t *at) {
  if (where[k] < begin) {
    where[k] = (*at)++;
    s->k_index[where[k]] = k;
    s->k_M[where[k]] = s->k_H[where[k]] = 0;
  }
  return where[k];
}

/* H_ij */
static double entry(const admm_global_system *s, int32_t i, int32_t j) {
  double sum = 0;
  for (int32_t k = s->start[i]; k < s->start[i + 1]; k++)
    if (s->index[k] == j) sum += s->value[k];
  return sum;
}

/* Rows of M and of HᵀH, up to the diagonal unless both triangles are wanted. where: m. */
static void assemble(admm_global_system *s, int32_t *where) {
  int32_t at = 0;
  for (int32_t j = 0; j < s->m; j++) where[j] = -1;
  for (int32_t j = 0; j < s->m; j++) {
    const int32_t begin = at, last = s->general ? s->m - 1 : j;
    s->k_start[j] = begin;
    (void)place_of(s, where, j, begin, &at);
    const matrix_row row = row_read(&s->rows, j);
    for (int32_t k = 0; k < row.count; k++)
      if (row.column[k] <= last)
        s->k_M[place_of(s, where, row.column[k], begin, &at)] += row.value[k];
    for (int32_t c = s->column_start[j]; c < s->column_start[j + 1]; c++) {
      const int32_t i = s->column_row[c];
      if (c > s->column_start[j] && s->column_row[c - 1] == i) continue;
      const double h = entry(s, i, j);
      for (int32_t k = s->start[i]; k < s->start[i + 1]; k++)
        if (s->index[k] <= last)
          s->k_H[place_of(s, where, s->index[k], begin, &at)] += h * s->value[k];
    }
  }
  s->k_start[s->m] = at;
}

static perp_status factor_dense(admm_global_system *s) {
  const size_t m = (size_t)s->m;
  perp_matrix_to_dense(&s->g->M, s->dense, s->m);
  for (int32_t i = 0; i < s->n; i++)
    for (int32_t a = s->start[i]; a < s->start[i + 1]; a++) {
      const double h = s->value[a] / s->rho;
      for (int32_t b = s->start[i]; b < s->start[i + 1]; b++)
        s->dense[(size_t)s->index[b] + m * (size_t)s->index[a]] += h * s->value[b];
    }
  return perp_dense_cholesky(s->m, s->dense, s->m);
}

static perp_status factor_sparse(admm_global_system *s) {
  for (int32_t k = 0; k < s->k_start[s->m]; k++) s->k_sum[k] = s->k_M[k] + s->k_H[k] / s->rho;
  return s->table->factor(s->m, s->k_start, s->k_index, s->k_sum, &s->handle);
}

/* Mx against Mᵀx, with the sizes of their terms. four: 4 m. */
static int symmetric(const admm_global_system *s, double *four) {
  const size_t m = (size_t)s->m;
  double *x = four, *right = four + m, *left = four + 2 * m, *size = four + 3 * m;
  for (size_t j = 0; j < m; j++) {
    x[j] = 1 + (double)(j * 7919 % 104729) / 104729;
    right[j] = left[j] = size[j] = 0;
  }
  perp_matrix_multiply_add(&s->g->M, x, right);
  perp_matrix_transpose_multiply_add(&s->g->M, 1, x, left, size);
  for (size_t j = 0; j < m; j++)
    if (!(fabs(right[j] - left[j]) <= SAME * size[j])) return 0;
  return 1;
}

/* --- for the solver -------------------------------------------------------------------------- */

int perp_admm_global_prepare(admm_global_system *s, const contact *contacts, int32_t count,
                             double *four) {
  copy_H(s);
  scale_H(s, contacts, count, four);
  find_columns(s);
  if (!symmetric(s, four)) return 0;
  s->handle = NULL;
  s->rows.M = &s->g->M;
  perp_row_reader_prepare(&s->rows);
  s->general = s->table != NULL && !s->table->symmetric;
  if (s->table != NULL) assemble(s, s->mark);
  return 1;
}

perp_status perp_admm_global_factor(admm_global_system *s, double rho) {
  s->rho = rho;
  return s->table == NULL ? factor_dense(s) : factor_sparse(s);
}

perp_status perp_admm_global_solve(admm_global_system *s, double *c, double *v) {
  if (s->m > 0) memcpy(v, s->g->q, (size_t)s->m * sizeof *v);
  add_transposed(s, c, v);
  if (s->table == NULL)
    perp_dense_cholesky_solve(s->m, s->dense, s->m, v);
  else if (s->table->solve(s->handle, v) != PERP_OK)
    return PERP_EBACKEND;
  for (int32_t i = 0; i < s->n; i++) {
    double sum = c[i];
    for (int32_t k = s->start[i]; k < s->start[i + 1]; k++) sum -= s->value[k] * v[s->index[k]];
    c[i] = sum / s->rho;
  }
  return PERP_OK;
}
