/* SPDX-License-Identifier: MIT */
/* The sparse back end by fronts, for matrices whose pattern is nearly symmetric and whose unknowns
 * come in small dense blocks, as contacts have them. A front is the dense matrix of the unknowns it
 * eliminates and of those these are coupled with; what elimination leaves,
 *
 *   F = [F11 F12; F21 F22],   F11 = P L U,   S = F22 − (F21 U⁻¹) (L⁻¹ P F12),
 *
 * is added to the front of its parent in the elimination tree. Rows are exchanged within a front
 * only, so patterns and memory are those of the analysis. Where a pivot is small against the rest
 * of its column the factor is given up, and KLU takes over, which exchanges any rows.
 *
 * Source: Duff and Reid, ACM Trans. Math. Softw. 9 (1983). */
#include "linalg/multifrontal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/finite.h"
#include "linalg/dense.h"
#include "perp/sparse.h"

/* A pivot may be this part of the largest entry below it. */
static const double least_pivot = 1e-9;
/* Smallest against largest pivot below which KLU is asked whether the matrix is singular. */
static const double doubtful = 1e-15;
/* Multiply-adds of a factor that is affordable. */
static const double affordable = 5e9;
/* Columns that are eliminated one by one. */
enum { NARROW = 4 };

/* ---- one front ---- */

static void exchange_rows(double *F, size_t m, size_t i, size_t j) {
  for (size_t c = 0; c < m; c++) {
    const double x = F[i + m * c];
    F[i + m * c] = F[j + m * c];
    F[j + m * c] = x;
  }
}

/* Pivot for column c from rows c ... w-1; column c and what it adds to those up to end. 0: no pivot
 * is good enough. */
static int eliminate_column(double *F, size_t m, size_t w, size_t c, size_t end, int32_t *pivots) {
  double *a = F + m * c, largest = 0, below = 0;
  size_t p = c;
  for (size_t i = c; i < w; i++)
    if (fabs(a[i]) > largest) {
      largest = fabs(a[i]);
      p = i;
    }
  for (size_t i = w; i < m; i++) below = fabs(a[i]) > below ? fabs(a[i]) : below;
  if (!(largest > least_pivot * below) || !(largest > 0)) return 0;
  pivots[c] = (int32_t)p;
  if (p != c) exchange_rows(F, m, c, p);
  const double inverse = 1 / a[c];
  for (size_t i = c + 1; i < m; i++) a[i] *= inverse;
  for (size_t j = c + 1; j < end; j++) {
    double *b = F + m * j;
    const double u = b[c];
    for (size_t i = c + 1; i < m; i++) b[i] -= u * a[i];
  }
  return 1;
}

/* Rows begin ... end-1 of columns from ... to-1 := L⁻¹ of them, L the unit lower triangle that
 * begins at (begin, begin). */
static void lower_solve(double *F, size_t m, size_t begin, size_t end, size_t from, size_t to) {
  for (size_t b = begin; b < end; b += NARROW) {
    const size_t stop = b + NARROW < end ? b + NARROW : end;
    for (size_t j = from; j < to; j++) {
      double *x = F + m * j;
      for (size_t c = b; c < stop; c++)
        for (size_t i = c + 1; i < stop; i++) x[i] -= F[i + m * c] * x[c];
    }
    if (stop < end)
      perp_dense_subtract_product(end - stop, to - from, stop - b, F + stop + m * b, m,
                                  F + b + m * from, 1, m, F + stop + m * from, m);
  }
}

/* Columns from ... to-1 brought up to date with the elimination of begin ... end-1. */
static void update(double *F, size_t m, size_t begin, size_t end, size_t from, size_t to) {
  if (from >= to) return;
  lower_solve(F, m, begin, end, from, to);
  if (end < m)
    perp_dense_subtract_product(m - end, to - from, end - begin, F + end + m * begin, m,
                                F + begin + m * from, 1, m, F + end + m * from, m);
}

/* Eliminate columns begin ... end-1, by halves; what stands right of end is left as it is. */
static int eliminate(double *F, size_t m, size_t w, size_t begin, size_t end, int32_t *pivots) {
  if (end - begin <= NARROW) {
    for (size_t c = begin; c < end; c++)
      if (!eliminate_column(F, m, w, c, end, pivots)) return 0;
    return 1;
  }
  const size_t half = (end - begin + 1) / 2, middle = begin + (half + 3) / 4 * 4;
  const size_t cut = middle < end ? middle : begin + half;
  if (!eliminate(F, m, w, begin, cut, pivots)) return 0;
  update(F, m, begin, cut, cut, end);
  return eliminate(F, m, w, cut, end, pivots);
}

/* ---- all fronts ---- */

static void add_child(const multifrontal *s, int32_t c, const double *S, double *F, size_t m) {
  const int32_t *link = s->link + s->row_start[c];
  const int32_t h = front_height(s, c);
  for (int32_t j = 0; j < h; j++) {
    double *column = F + m * (size_t)link[j];
    for (int32_t i = 0; i < h; i++) column[link[i]] += *S++;
  }
}

static void keep(const multifrontal *s, int32_t f, const double *F, size_t m, size_t w) {
  double *L = s->factor + s->panel[f], *U = L + m * w;
  memcpy(L, F, m * w * sizeof *L);
  for (size_t j = w; j < m; j++, U += w) memcpy(U, F + m * j, w * sizeof *U);
}

/* Whether the pivots of all fronts are of one size. */
static int regular(const multifrontal *s) {
  double least = (double)INFINITY, most = 0;
  for (int32_t f = 0; f < s->fronts; f++) {
    const size_t w = (size_t)front_width(s, f), m = w + (size_t)front_height(s, f);
    for (size_t c = 0; c < w; c++) {
      const double pivot = fabs(s->factor[s->panel[f] + c + m * c]);
      least = pivot < least ? pivot : least;
      most = pivot > most ? pivot : most;
    }
  }
  return least > doubtful * most && is_finite(most);
}

/* 0: a pivot is too small. waiting: fronts whose rest is on the stack, in vector's memory. */
static int factor_fronts(multifrontal *s, const double *values) {
  double *top = s->stack;
  int32_t *waiting = (int32_t *)(void *)s->vector, depth = 0;
  for (int32_t f = 0; f < s->fronts; f++) {
    const size_t w = (size_t)front_width(s, f), h = (size_t)front_height(s, f), m = w + h;
    double *F = s->front;
    memset(F, 0, m * m * sizeof *F);
    for (int32_t e = s->entry_start[f]; e < s->entry_start[f + 1]; e++)
      F[s->target[e]] += values[s->entry[e]];
    for (int32_t k = 0; k < s->children[f]; k++) {
      const int32_t c = waiting[--depth];
      top -= (size_t)front_height(s, c) * (size_t)front_height(s, c);
      add_child(s, c, top, F, m);
    }
    if (!eliminate(F, m, w, 0, w, s->pivots + s->own[f])) return 0;
    update(F, m, 0, w, w, m);
    keep(s, f, F, m, w);
    if (h == 0) continue;
    for (size_t j = 0; j < h; j++, top += h) memcpy(top, F + w + m * (w + j), h * sizeof *top);
    waiting[depth++] = f;
  }
  return 1;
}

static void forward(const multifrontal *s, int32_t f, double *x) {
  const size_t w = (size_t)front_width(s, f), h = (size_t)front_height(s, f), m = w + h;
  const double *L = s->factor + s->panel[f];
  const int32_t *row = s->row + s->row_start[f];
  double *own = x + s->own[f];
  for (size_t c = 0; c < w; c++) {
    const size_t p = (size_t)s->pivots[s->own[f] + (int32_t)c];
    const double t = own[p];
    own[p] = own[c];
    own[c] = t;
  }
  for (size_t c = 0; c < w; c++, L += m) {
    for (size_t i = c + 1; i < w; i++) own[i] -= L[i] * own[c];
    for (size_t i = 0; i < h; i++) x[row[i]] -= L[w + i] * own[c];
  }
}

static void backward(const multifrontal *s, int32_t f, double *x) {
  const size_t w = (size_t)front_width(s, f), h = (size_t)front_height(s, f), m = w + h;
  const double *L = s->factor + s->panel[f], *U = L + m * w;
  const int32_t *row = s->row + s->row_start[f];
  double *own = x + s->own[f];
  for (size_t j = 0; j < h; j++, U += w)
    for (size_t i = 0; i < w; i++) own[i] -= U[i] * x[row[j]];
  for (size_t c = w; c-- > 0;) {
    own[c] /= L[c + m * c];
    for (size_t i = 0; i < c; i++) own[i] -= L[i + m * c] * own[c];
  }
}

/* ---- the table ---- */

static int same_pattern(const multifrontal *s, int32_t n, const int32_t *start,
                        const int32_t *index) {
  if (s->factor == NULL || s->n != n) return 0;
  return memcmp(s->start, start, ((size_t)n + 1) * sizeof *start) == 0 &&
         memcmp(s->index, index, (size_t)start[n] * sizeof *index) == 0;
}

static perp_status factor_within(double most, int32_t n, const int32_t *start, const int32_t *index,
                                 const double *values, void **handle) {
  if (n < 0 || handle == NULL || (n > 0 && (start == NULL || index == NULL || values == NULL)))
    return PERP_EINVAL;
  if (n == 0) return PERP_OK;
  if (!all_finite((size_t)start[n], values)) return PERP_ENOTFINITE;
  multifrontal *s = *handle;
  if (s == NULL) {
    *handle = s = calloc(1, sizeof *s);
    if (s == NULL) return PERP_EBACKEND;
  }
  if (!same_pattern(s, n, start, index) && !perp_multifrontal_analyse(s, n, start, index, most))
    return PERP_EBACKEND;
  s->use_klu = !factor_fronts(s, values) || !regular(s);
  return s->use_klu ? perp_sparse_klu()->factor(n, start, index, values, &s->klu) : PERP_OK;
}

static perp_status factor(int32_t n, const int32_t *start, const int32_t *index,
                          const double *values, void **handle) {
  return factor_within(INFINITY, n, start, index, values, handle);
}

static perp_status factor_affordable(int32_t n, const int32_t *start, const int32_t *index,
                                     const double *values, void **handle) {
  return factor_within(affordable, n, start, index, values, handle);
}

static perp_status solve(void *handle, double *b) {
  multifrontal *s = handle;
  if (s == NULL) return PERP_OK; /* of n = 0 */
  if (b == NULL || s->factor == NULL) return PERP_EINVAL;
  if (s->use_klu) return perp_sparse_klu()->solve(s->klu, b);
  double *x = s->vector;
  for (int32_t i = 0; i < s->n; i++) x[i] = b[s->order[i]];
  for (int32_t f = 0; f < s->fronts; f++) forward(s, f, x);
  for (int32_t f = s->fronts; f-- > 0;) backward(s, f, x);
  for (int32_t i = 0; i < s->n; i++) b[s->order[i]] = x[i];
  return PERP_OK;
}

static void release(void *handle) {
  multifrontal *s = handle;
  if (s == NULL) return;
  perp_multifrontal_forget(s);
  perp_sparse_klu()->release(s->klu);
  free(s);
}

const perp_sparse *perp_sparse_multifrontal(void) {
  static const perp_sparse table = {sizeof(perp_sparse), 0, "multifrontal", factor, solve, release};
  return &table;
}

const perp_sparse *perp_multifrontal_affordable(void) {
  static const perp_sparse table = {sizeof(perp_sparse), 0,     "multifrontal",
                                    factor_affordable,   solve, release};
  return &table;
}
