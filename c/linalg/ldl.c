/* SPDX-License-Identifier: MIT */
/* The sparse back end on LDL, for symmetric positive definite matrices: P A Pᵀ = L D Lᵀ in an order
 * of AMD. LDL takes compressed columns of the upper triangle, which are compressed rows of the
 * lower one, permuted. A factor remembers its pattern: order, tree and counts are found once for
 * it, and new numbers go to their places. */
#include "linalg/ldl.h"

#include <amd.h>
#include <ldl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/finite.h"
#include "linalg/sparse_table.h"

typedef char int_is_int32[sizeof(int) == sizeof(int32_t) ? 1 : -1];

/* Multiply-adds of a factor that is affordable. */
static const double affordable = 1e10;
/* A pivot below this part of its diagonal entry is rounding. */
static const double singular = 4e-15;

typedef struct ldl_factors {
  int32_t n;
  int32_t *start;  /* n + 1, and all other integers behind it: the pattern of the analysis; NULL:
                      there is none */
  int32_t *index;  /* start[n]                                                        */
  int32_t *target; /* start[n]: place in value, -1 right of the diagonal              */
  int32_t *column; /* n + 1: the upper triangle of P A Pᵀ, in row and value           */
  int32_t *row;    /* start[n]                                                        */
  int32_t *order;  /* n: the unknown at each place; place its inverse                 */
  int32_t *place;
  int32_t *L_column; /* n + 1: columns of L                                           */
  int32_t *parent, *count, *pattern, *flag; /* n each: what LDL calls so              */
  double *value; /* start[n], and the other numbers of that length or n behind it   */
  double *D, *diagonal, *y, *b; /* n each */
  int32_t *L_row; /* L_column[n], NULL until a factor is wanted                      */
  double *L;      /* its values, NULL until then      */
  size_t entries; /* of L                                                            */
  double work;    /* multiply-adds of a factorisation                                */
  int good;
  double *room; /* the caller's */
  size_t room_bytes;
} ldl_factors;

static void forget(ldl_factors *f) {
  free(f->start);
  free(f->value);
  free(f->L_row);
  free(f->L);
  const ldl_factors kept = {.room = f->room, .room_bytes = f->room_bytes};
  *f = kept;
}

static int same_pattern(const ldl_factors *f, int32_t n, const int32_t *start,
                        const int32_t *index) {
  return f->start != NULL && f->n == n && sparse_pattern_same(n, f->start, f->index, start, index);
}

/* ---- analysis ---- */

static int take_room(ldl_factors *f, int32_t n, int32_t entries) {
  const size_t rows = (size_t)n, places = (size_t)entries;
  int32_t *i = malloc((9 * rows + 3 + 3 * places) * sizeof *i);
  double *v = malloc((4 * rows + places) * sizeof *v);
  f->n = n;
  f->start = i;
  f->value = v;
  if (i == NULL || v == NULL) return 0;
  f->column = f->start + rows + 1;
  f->L_column = f->column + rows + 1;
  f->order = f->L_column + rows + 1;
  f->place = f->order + rows;
  f->parent = f->place + rows;
  f->count = f->parent + rows;
  f->pattern = f->count + rows;
  f->flag = f->pattern + rows;
  f->index = f->flag + rows;
  f->target = f->index + places;
  f->row = f->target + places;
  f->D = v + places;
  f->diagonal = f->D + rows;
  f->y = f->diagonal + rows;
  f->b = f->y + rows;
  return 1;
}

/* order and place from the lower triangle alone; column and row are scratch. */
static perp_status find_order(ldl_factors *f) {
  int32_t count = 0;
  for (int32_t i = 0; i < f->n; i++) {
    f->column[i] = count;
    for (int32_t k = f->start[i]; k < f->start[i + 1]; k++)
      if (f->index[k] <= i) f->row[count++] = f->index[k];
  }
  f->column[f->n] = count;
  const int status = amd_order(f->n, f->column, f->row, f->order, NULL, NULL);
  if (status == AMD_INVALID) return PERP_EINVAL;
  if (status == AMD_OUT_OF_MEMORY) return PERP_EBACKEND;
  for (int32_t k = 0; k < f->n; k++) f->place[f->order[k]] = k;
  return PERP_OK;
}

static int32_t column_of(const ldl_factors *f, int32_t i, int32_t j) {
  return f->place[i] > f->place[j] ? f->place[i] : f->place[j];
}

static int32_t row_of(const ldl_factors *f, int32_t i, int32_t j) {
  return f->place[i] < f->place[j] ? f->place[i] : f->place[j];
}

/* The upper triangle of P A Pᵀ, and where every entry of A goes. */
static void permute_pattern(ldl_factors *f) {
  memset(f->column, 0, ((size_t)f->n + 1) * sizeof *f->column);
  for (int32_t i = 0; i < f->n; i++)
    for (int32_t k = f->start[i]; k < f->start[i + 1]; k++)
      if (f->index[k] <= i) f->column[column_of(f, i, f->index[k])]++;
  for (int32_t c = 0, end = 0; c <= f->n; c++) {
    end += f->column[c];
    f->column[c] = end; /* becomes the beginning below */
  }
  for (int32_t i = f->n; i-- > 0;)
    for (int32_t k = f->start[i]; k < f->start[i + 1]; k++) {
      const int32_t j = f->index[k];
      f->target[k] = j <= i ? --f->column[column_of(f, i, j)] : -1;
      if (j <= i) f->row[f->target[k]] = row_of(f, i, j);
    }
}

static perp_status analyse(ldl_factors *f, int32_t n, const int32_t *start, const int32_t *index) {
  forget(f);
  if (!take_room(f, n, start[n])) {
    forget(f);
    return PERP_EBACKEND;
  }
  memcpy(f->start, start, ((size_t)n + 1) * sizeof *start);
  memcpy(f->index, index, (size_t)start[n] * sizeof *index);
  const perp_status status = find_order(f);
  if (status != PERP_OK) {
    forget(f);
    return status;
  }
  permute_pattern(f);
  ldl_symbolic(n, f->column, f->row, f->L_column, f->parent, f->count, f->flag, NULL, NULL);
  for (int32_t k = 0; k < n; k++) {
    const double below = f->count[k];
    f->work += below * (below + 1) / 2;
    f->entries += (size_t)f->count[k];
  }
  return PERP_OK;
}

/* ---- numbers ---- */

/* Room for L, whose columns LDL counts in int. */
static int has_room(ldl_factors *f) {
  if (f->L != NULL) return 1;
  if (f->entries > INT32_MAX) return 0;
  free(f->L_row);
  f->L_row = malloc((f->entries + 1) * sizeof *f->L_row);
  f->L = malloc((f->entries + 1) * sizeof *f->L);
  return f->L_row != NULL && f->L != NULL;
}

static int factor_numbers(ldl_factors *f, const double *values) {
  memset(f->diagonal, 0, (size_t)f->n * sizeof *f->diagonal);
  for (int32_t i = 0; i < f->n; i++)
    for (int32_t k = f->start[i]; k < f->start[i + 1]; k++) {
      if (f->target[k] >= 0) f->value[f->target[k]] = values[k];
      if (f->index[k] == i) f->diagonal[f->place[i]] = values[k];
    }
  if (ldl_numeric(f->n, f->column, f->row, f->value, f->L_column, f->parent, f->count, f->L_row,
                  f->L, f->D, f->y, f->pattern, f->flag, NULL, NULL) != f->n)
    return 0;
  memset(f->y, 0, (size_t)f->n * sizeof *f->y);
  for (int32_t k = 0; k < f->n; k++)
    if (!(f->D[k] > 0 && f->D[k] > singular * f->diagonal[k] && is_finite(f->D[k]))) return 0;
  return 1;
}

/* The factor, begun if there is none. NULL: no memory. */
static ldl_factors *open_factor(void **factor) {
  if (*factor == NULL) *factor = calloc(1, sizeof(ldl_factors));
  return *factor;
}

static perp_status factor_within(double most, int32_t n, const int32_t *start, const int32_t *index,
                                 const double *values, void **factor) {
  const perp_status wrong = sparse_arguments(n, start, index, values, factor);
  if (wrong != PERP_OK || n == 0) return wrong;
  ldl_factors *f = open_factor(factor);
  if (f == NULL) return PERP_EBACKEND;
  f->good = 0;
  if (!same_pattern(f, n, start, index)) {
    const perp_status status = analyse(f, n, start, index);
    if (status != PERP_OK) return status;
  }
  if (f->work > most || !has_room(f)) return PERP_EBACKEND;
  f->good = factor_numbers(f, values);
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

/* ---- substitution ---- */

/* Order, scale and triangles in two passes, not in the five of LDL: with short columns a
 * substitution waits for its last result, and the rest is done meanwhile. A column that has the
 * next unknown only hands its result on without a way through memory. */

/* Row i of R times x. */
static double row_product(const int32_t *start, const int32_t *index, const double *values,
                          const double *x, int32_t i) {
  int32_t p = start[i];
  const int32_t end = start[i + 1];
  double sum = 0;
  for (; p + 3 <= end; p += 3)
    sum += values[p] * x[index[p]] +
           (values[p + 1] * x[index[p + 1]] + values[p + 2] * x[index[p + 2]]);
  for (; p < end; p++) sum += values[p] * x[index[p]];
  return sum;
}

/* Step k of b := L⁻¹ P (right-hand side): its entry, and what its column takes from later ones,
 * which gathers in y; that is 0 before and after. carry is what the column before took from this
 * one; what this one takes from the next alone is returned. */
static double substitute(const ldl_factors *f, int32_t k, double rhs, double carry) {
  const int32_t begin = f->L_column[k], end = f->L_column[k + 1], *row = f->L_row;
  double *y = f->y;
  const double x = (rhs + y[k]) + carry;
  y[k] = 0;
  f->b[k] = x;
  if (end - begin == 1 && row[begin] == k + 1) return -f->L[begin] * x;
  for (int32_t p = begin; p < end; p++) y[row[p]] -= f->L[p] * x;
  return 0;
}

/* out := base + Pᵀ L⁻ᵀ D⁻¹ b; without base where that is NULL. */
static void substitute_back(const ldl_factors *f, const double *base, double *restrict out) {
  const int32_t *column = f->L_column, *row = f->L_row, *order = f->order;
  const double *L = f->L, *D = f->D;
  double *restrict b = f->b, x = 0;
  for (int32_t k = f->n - 1; k >= 0; k--) {
    const int32_t begin = column[k], end = column[k + 1];
    if (end - begin == 1 && row[begin] == k + 1) {
      x = b[k] / D[k] - L[begin] * x;
    } else {
      x = b[k] / D[k];
      for (int32_t p = begin; p < end; p++) x -= L[p] * b[row[p]];
    }
    b[k] = x;
    out[order[k]] = base == NULL ? x : base[order[k]] + x;
  }
}

static perp_status solve(void *factor, double *b) {
  ldl_factors *f = factor;
  double carry = 0;
  if (f == NULL) return PERP_OK; /* of n = 0 */
  if (b == NULL || !f->good) return PERP_EINVAL;
  for (int32_t k = 0; k < f->n; k++) carry = substitute(f, k, b[f->order[k]], carry);
  substitute_back(f, NULL, b);
  return PERP_OK;
}

static perp_status solve_product(void *factor, const int32_t *start, const int32_t *index,
                                 const double *values, const double *x, const double *b,
                                 const double *base, double *out) {
  ldl_factors *f = factor;
  double carry = 0;
  if (f == NULL) return PERP_OK; /* of n = 0 */
  if (b == NULL || x == NULL || base == NULL || out == NULL || start == NULL || !f->good)
    return PERP_EINVAL;
  for (int32_t k = 0; k < f->n; k++) {
    const int32_t i = f->order[k];
    carry = substitute(f, k, b[i] + row_product(start, index, values, x, i), carry);
  }
  substitute_back(f, base, out);
  return PERP_OK;
}

static void release(void *factor) {
  ldl_factors *f = factor;
  if (f == NULL) return;
  forget(f);
  free(f->room);
  free(f);
}

/* ---- for the caller ---- */

static perp_status tell(int32_t n, const int32_t *start, const int32_t *index, void **factor,
                        double *multiply_adds, double *bytes) {
  if (n < 0 || factor == NULL || multiply_adds == NULL || bytes == NULL ||
      (n > 0 && (start == NULL || index == NULL)))
    return PERP_EINVAL;
  *multiply_adds = *bytes = 0;
  if (n == 0) return PERP_OK;
  ldl_factors *f = open_factor(factor);
  if (f == NULL) return PERP_EBACKEND;
  if (!same_pattern(f, n, start, index)) {
    const perp_status status = analyse(f, n, start, index);
    if (status != PERP_OK) return status;
  }
  *multiply_adds = f->work;
  *bytes = (double)f->entries * (sizeof *f->L + sizeof *f->L_row);
  return PERP_OK;
}

static perp_status room(void **factor, size_t bytes, void **block) {
  if (factor == NULL || block == NULL || bytes > SIZE_MAX / 2) return PERP_EINVAL;
  ldl_factors *f = open_factor(factor);
  *block = NULL;
  if (f == NULL) return PERP_EBACKEND;
  if (f->room_bytes < bytes || f->room == NULL) {
    free(f->room);
    f->room_bytes = bytes + bytes / 4 + 1;
    f->room = malloc(f->room_bytes);
    if (f->room == NULL) f->room_bytes = 0;
  }
  *block = f->room;
  return f->room == NULL ? PERP_EBACKEND : PERP_OK;
}

const perp_sparse *perp_sparse_ldl(void) {
  static const perp_sparse table = {sizeof(perp_sparse), 1,    "ldl", factor, solve, release,
                                    solve_product,       tell, room};
  return &table;
}

const perp_sparse *perp_ldl_affordable(void) {
  static const perp_sparse table = {
      sizeof(perp_sparse), 1, "ldl", factor_affordable, solve, release, solve_product, tell, room};
  return &table;
}
