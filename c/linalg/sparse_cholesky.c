/* SPDX-License-Identifier: MIT */
/* The sparse back end for symmetric positive definite matrices: A = L Lᵀ by supernodes and fronts
 * [Duff and Reid 1983; Liu 1992]. Each supernode has a front, dense, of its columns and the rows
 * below them; A and the update matrices of its children are added, its columns are eliminated,
 *
 *   ( L₁     ) ( L₁ᵀ L₂ᵀ )   ( F₁₁  ·  )
 *   ( L₂   I ) (      U  ) = ( F₂₁ F₂₂ ),     U = F₂₂ − L₂ L₂ᵀ,
 *
 * and U waits on a stack for the parent. The columns stand in L, only U is outside of it. The order
 * of all sums depends on the pattern alone: the same bits in every run. */
#include "linalg/sparse_cholesky.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/finite.h"
#include "linalg/dense.h"
#include "linalg/sparse_symbolic.h"

/* Columns that are eliminated at a time, and columns of U that are updated at a time. */
enum { PANEL = 8, SQUARE = 32 };

/* Multiply-adds of a factor that is affordable. */
static const double affordable = 1e10;

/* A pivot below this part of its diagonal entry is rounding. */
static const double singular = 4e-15;

typedef struct cholesky_factors {
  sparse_symbolic *symbolic;
  double *L;      /* places + 1: the last takes what is right of the diagonal */
  double *stack;  /* update matrices                                          */
  double *b;      /* n: right side in the order of L                          */
  double *below;  /* most: its entries in the rows of one supernode           */
  int32_t *where; /* n: row of the front at hand                              */
  int good;
} cholesky_factors;

static void forget(cholesky_factors *f) {
  perp_symbolic_free(f->symbolic);
  free(f->L);
  free(f->stack);
  free(f->b);
  free(f->below);
  free(f->where);
  memset(f, 0, sizeof *f);
}

static int same_pattern(const cholesky_factors *f, int32_t n, const int32_t *start,
                        const int32_t *index) {
  const sparse_symbolic *s = f->symbolic;
  if (s == NULL || s->n != n) return 0;
  return memcmp(s->start, start, ((size_t)n + 1) * sizeof *start) == 0 &&
         memcmp(s->index, index, (size_t)start[n] * sizeof *index) == 0;
}

static void *doubles(size_t count) {
  return count < SIZE_MAX / sizeof(double) ? malloc((count + 1) * sizeof(double)) : NULL;
}

static perp_status analyse(cholesky_factors *f, int32_t n, const int32_t *start,
                           const int32_t *index) {
  forget(f);
  f->symbolic = perp_symbolic_new(n, start, index);
  if (f->symbolic == NULL) return PERP_EBACKEND;
  f->L = doubles(f->symbolic->places);
  f->stack = doubles(f->symbolic->stack);
  f->b = doubles((size_t)n);
  f->below = doubles((size_t)f->symbolic->most);
  f->where = malloc((size_t)n * sizeof *f->where);
  if (f->L != NULL && f->stack != NULL && f->b != NULL && f->below != NULL && f->where != NULL)
    return PERP_OK;
  forget(f);
  return PERP_EBACKEND;
}

/* ---- one front ---- */

/* Add the update matrix of a child to the front: to the columns in L, or to U. */
static void extend_add(const cholesky_factors *f, const supernode *node, const supernode *child,
                       const double *update, double *U) {
  const int32_t *rows = f->symbolic->rows + child->list, *where = f->where;
  const size_t height = (size_t)(node->cols + node->rows), size = (size_t)child->rows;
  for (int32_t j = 0; j < child->rows; j++, update += size) {
    const int32_t c = where[rows[j]];
    double *to = c < node->cols ? f->L + node->at + height * (size_t)c
                                : U + (size_t)node->rows * (size_t)(c - node->cols) - node->cols;
    for (int32_t i = j; i < child->rows; i++) to[where[rows[i]]] += update[i];
  }
}

/* Eliminate the columns [p, p + width) of a front of so many rows, from which all before are
 * subtracted. diagonal: the entries of A. 0 if a pivot is not positive. */
static int eliminate(double *L, size_t height, size_t p, size_t width, const double *diagonal) {
  for (size_t c = p; c < p + width; c++) {
    double *a = L + height * c;
    perp_dense_subtract_product(height - c, 1, c - p, L + c + height * p, height,
                                L + c + height * p, height, 1, a + c, height);
    if (!(a[c] > singular * diagonal[c] && is_finite(a[c]))) return 0;
    const double root = sqrt(a[c]), inverse = 1 / root;
    a[c] = root;
    for (size_t i = c + 1; i < height; i++) a[i] *= inverse;
  }
  return 1;
}

/* U −= L₂ L₂ᵀ, the lower triangle and little more. */
static void update(const double *L2, size_t height, size_t cols, size_t rows, double *U) {
  for (size_t j = 0; j < rows; j += SQUARE) {
    const size_t width = rows - j < SQUARE ? rows - j : SQUARE;
    perp_dense_subtract_product(rows - j, width, cols, L2 + j, height, L2 + j, height, 1,
                                U + j + rows * j, rows);
  }
}

static int factor_columns(cholesky_factors *f, const supernode *node, const double *values) {
  const sparse_symbolic *s = f->symbolic;
  const size_t height = (size_t)(node->cols + node->rows), cols = (size_t)node->cols;
  double *L = f->L + node->at, *diagonal = f->b;
  for (size_t c = 0; c < cols; c++) {
    const int32_t k = s->origin[node->first + (int32_t)c];
    diagonal[c] = k < 0 ? 0 : values[k];
  }
  for (size_t p = 0; p < cols; p += PANEL) {
    const size_t width = cols - p < PANEL ? cols - p : PANEL;
    perp_dense_subtract_product(height - p, width, p, L + p, height, L + p, height, 1,
                                L + p + height * p, height);
    if (!eliminate(L, height, p, width, diagonal)) return 0;
  }
  return 1;
}

/* ---- all fronts ---- */

static int factor_all(cholesky_factors *f, const double *values) {
  const sparse_symbolic *s = f->symbolic;
  double *top = f->stack;
  for (int32_t t = 0; t < s->count; t++) {
    const supernode *node = s->node + t;
    const size_t rows = (size_t)node->rows, height = (size_t)node->cols + rows;
    double *U = top, *below = top;
    for (int32_t c = 0; c < node->cols; c++) f->where[node->first + c] = c;
    for (int32_t i = 0; i < node->rows; i++)
      f->where[s->rows[node->list + (size_t)i]] = node->cols + i;
    memset(U, 0, rows * rows * sizeof *U);
    for (int32_t k = 0, c = t - 1; k < node->children; k++) {
      const supernode *child = s->node + c;
      below -= (size_t)child->rows * (size_t)child->rows;
      extend_add(f, node, child, below, U);
      c = child->before; /* its subtree lies between */
    }
    if (!factor_columns(f, node, values)) return 0;
    update(f->L + node->at + node->cols, height, (size_t)node->cols, rows, U);
    memmove(below, U, rows * rows * sizeof *U);
    top = below + rows * rows;
  }
  return 1;
}

static perp_status factor_within(double most, int32_t n, const int32_t *start, const int32_t *index,
                                 const double *values, void **factor) {
  if (n < 0 || factor == NULL || (n > 0 && (start == NULL || index == NULL || values == NULL)))
    return PERP_EINVAL;
  if (n == 0) return PERP_OK;
  if (!all_finite((size_t)start[n], values)) return PERP_ENOTFINITE;
  cholesky_factors *f = *factor;
  if (f == NULL) {
    *factor = f = calloc(1, sizeof *f);
    if (f == NULL) return PERP_EBACKEND;
  }
  if (!same_pattern(f, n, start, index)) {
    const perp_status status = analyse(f, n, start, index);
    if (status != PERP_OK) return status;
  }
  if (f->symbolic->flops > most) return PERP_EBACKEND;
  memset(f->L, 0, f->symbolic->places * sizeof *f->L);
  for (int32_t k = 0; k < start[n]; k++) f->L[f->symbolic->target[k]] += values[k];
  f->good = factor_all(f, values);
  return f->good ? PERP_OK : PERP_EINVAL;
}

static perp_status factor(int32_t n, const int32_t *start, const int32_t *index,
                          const double *values, void **factor) {
  return factor_within(INFINITY, n, start, index, values, factor);
}

static perp_status factor_affordable(int32_t n, const int32_t *start, const int32_t *index,
                                     const double *values, void **factor) {
  return factor_within(affordable, n, start, index, values, factor);
}

/* ---- solution ---- */

static void solve_down(const cholesky_factors *f) {
  const sparse_symbolic *s = f->symbolic;
  for (int32_t t = 0; t < s->count; t++) {
    const supernode *node = s->node + t;
    const size_t height = (size_t)(node->cols + node->rows), cols = (size_t)node->cols;
    const double *L = f->L + node->at;
    const int32_t *rows = s->rows + node->list;
    double *x = f->b + node->first;
    for (size_t c = 0; c < cols; c++) {
      x[c] /= L[c + height * c];
      for (size_t i = c + 1; i < cols; i++) x[i] -= L[i + height * c] * x[c];
    }
    memset(f->below, 0, (size_t)node->rows * sizeof *f->below);
    perp_dense_multiply_add(node->rows, node->cols, L + cols, (int32_t)height, x, f->below);
    for (int32_t i = 0; i < node->rows; i++) f->b[rows[i]] -= f->below[i];
  }
}

static void solve_up(const cholesky_factors *f) {
  const sparse_symbolic *s = f->symbolic;
  for (int32_t t = s->count; t-- > 0;) {
    const supernode *node = s->node + t;
    const size_t height = (size_t)(node->cols + node->rows), cols = (size_t)node->cols;
    const double *L = f->L + node->at;
    const int32_t *rows = s->rows + node->list;
    double *x = f->b + node->first;
    for (int32_t i = 0; i < node->rows; i++) f->below[i] = f->b[rows[i]];
    for (size_t c = cols; c-- > 0;) {
      double sum = x[c] - perp_dense_dot(node->rows, L + cols + height * c, f->below);
      for (size_t i = c + 1; i < cols; i++) sum -= L[i + height * c] * x[i];
      x[c] = sum / L[c + height * c];
    }
  }
}

static perp_status solve(void *factor, double *b) {
  const cholesky_factors *f = factor;
  if (f == NULL) return PERP_OK; /* of n = 0 */
  if (b == NULL || !f->good) return PERP_EINVAL;
  const sparse_symbolic *s = f->symbolic;
  for (int32_t i = 0; i < s->n; i++) f->b[s->place[i]] = b[i];
  solve_down(f);
  solve_up(f);
  for (int32_t i = 0; i < s->n; i++) b[i] = f->b[s->place[i]];
  return PERP_OK;
}

static void release(void *factor) {
  if (factor == NULL) return;
  forget(factor);
  free(factor);
}

const perp_sparse *perp_sparse_cholesky(void) {
  static const perp_sparse table = {sizeof(perp_sparse), 1, "cholesky", factor, solve, release};
  return &table;
}

const perp_sparse *perp_cholesky_affordable(void) {
  static const perp_sparse table = {sizeof(perp_sparse), 1,     "cholesky",
                                    factor_affordable,   solve, release};
  return &table;
}
