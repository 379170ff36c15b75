/* SPDX-License-Identifier: MIT */
/* Matrices by structure, and Jacobians by differences: columns of one colour share no row, so that
 * one evaluation gives all of them (Curtis, Powell and Reid 1974). */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include "events/sundials.h"

/* Up to here a dense matrix costs no more than the bookkeeping of another. */
enum { SMALL = 30 };
static const double root_of_rounding = 1.4901161193847656e-8, rounding = 2.220446049250313e-16;

void perp_sundials_forget(sundials_pattern *pattern) {
  free(pattern->start);
  free(pattern->index);
  free(pattern->colour);
  memset(pattern, 0, sizeof *pattern);
}

/* Column j with its diagonal, ascending, into index; how many. mark: n, 0 before and after. */
static int32_t take_column(int32_t n, int32_t j, const int32_t *start, const int32_t *index,
                           int32_t *out, int32_t *mark) {
  int32_t count = 0, first = j, last = j;
  mark[j] = 1;
  for (int32_t k = start == NULL ? 0 : start[j]; k < (start == NULL ? n : start[j + 1]); k++) {
    int32_t i = start == NULL ? k : index[k];
    mark[i] = 1;
    if (i < first) first = i;
    if (i > last) last = i;
  }
  for (int32_t i = first; i <= last; i++) {
    if (mark[i] == 0) continue;
    if (out != NULL) out[count] = i;
    count++;
    mark[i] = 0;
  }
  return count;
}

static void measure_band(sundials_pattern *p) {
  for (int32_t j = 0; j < p->n; j++) {
    int32_t up = j - p->index[p->start[j]], down = p->index[p->start[j + 1] - 1] - j;
    if (up > p->upper) p->upper = up;
    if (down > p->lower) p->lower = down;
  }
}

/* Each column in turn gets the least colour that no column with a row in common has. */
static int colour_columns(sundials_pattern *p) {
  int32_t n = p->n, entries = p->start[n];
  size_t cuts = (size_t)n + 1;
  int32_t *row = calloc(cuts + (size_t)entries + 2 * cuts, sizeof *row);
  if (row == NULL) return 0;
  int32_t *column = row + cuts, *fill = column + entries, *taken = fill + cuts;
  for (int32_t k = 0; k < entries; k++) row[p->index[k] + 1]++;
  for (int32_t i = 0; i < n; i++) row[i + 1] += row[i];
  for (int32_t j = 0; j < n; j++) {
    for (int32_t k = p->start[j]; k < p->start[j + 1]; k++) {
      int32_t i = p->index[k];
      column[row[i] + fill[i]++] = j;
    }
  }
  for (int32_t j = 0; j < n; j++) { /* taken[c] = j + 1: colour c is not free for column j */
    for (int32_t k = p->start[j]; k < p->start[j + 1]; k++) {
      int32_t i = p->index[k];
      for (int32_t l = row[i]; l < row[i + 1] && column[l] < j; l++)
        taken[p->colour[column[l]]] = j + 1;
    }
    int32_t c = 0;
    while (taken[c] == j + 1) c++;
    p->colour[j] = c;
    if (c >= p->colours) p->colours = c + 1;
  }
  free(row);
  return 1;
}

int perp_sundials_pattern(sundials_pattern *p, int32_t n, const int32_t *start,
                          const int32_t *index) {
  memset(p, 0, sizeof *p);
  p->n = n;
  p->start = calloc((size_t)n + 1, sizeof *p->start);
  p->colour = calloc((size_t)n, sizeof *p->colour);
  int32_t *mark = calloc((size_t)n, sizeof *mark);
  if (p->start != NULL && p->colour != NULL && mark != NULL) {
    for (int32_t j = 0; j < n; j++)
      p->start[j + 1] = p->start[j] + take_column(n, j, start, index, NULL, mark);
    p->index = calloc((size_t)p->start[n] + 1, sizeof *p->index);
    for (int32_t j = 0; j < n && p->index != NULL; j++)
      (void)take_column(n, j, start, index, p->index + p->start[j], mark);
  }
  free(mark);
  if (p->index != NULL) measure_band(p);
  if (p->index != NULL && colour_columns(p)) return 1;
  perp_sundials_forget(p);
  return 0;
}

int32_t perp_sundials_kind(const sundials_pattern *p, int32_t asked) {
  if (asked != PERP_LINEAR_AUTO) return asked;
  int64_t n = p->n, entries = p->start[n], band = 2 * (int64_t)p->lower + p->upper + 1;
  if (n <= SMALL || 4 * entries > n * n) return PERP_LINEAR_DENSE;
  return band <= 12 || band * n <= 4 * entries ? PERP_LINEAR_BANDED : PERP_LINEAR_SPARSE;
}

int perp_sundials_linear(SUNContext context, N_Vector y, const sundials_pattern *p, int32_t kind,
                         SUNMatrix *matrix, SUNLinearSolver *linear) {
  if (kind == PERP_LINEAR_SPARSE) {
    *matrix = SUNSparseMatrix(p->n, p->n, p->start[p->n], CSC_MAT, context);
    if (*matrix == NULL) return 0;
    perp_sundials_shape(p, *matrix);
    *linear = SUNLinSol_KLU(y, *matrix, context);
  } else if (kind == PERP_LINEAR_BANDED) {
    *matrix = SUNBandMatrix(p->n, p->upper, p->lower, context);
    *linear = *matrix != NULL ? SUNLinSol_Band(y, *matrix, context) : NULL;
  } else {
    *matrix = SUNDenseMatrix(p->n, p->n, context);
    *linear = *matrix != NULL ? SUNLinSol_Dense(y, *matrix, context) : NULL;
  }
  return *linear != NULL;
}

void perp_sundials_shape(const sundials_pattern *p, SUNMatrix matrix) {
  sunindextype *start = SM_INDEXPTRS_S(matrix), *index = SM_INDEXVALS_S(matrix);
  for (int32_t j = 0; j <= p->n; j++) start[j] = p->start[j];
  for (int32_t k = 0; k < p->start[p->n]; k++) index[k] = p->index[k];
  memset(SM_DATA_S(matrix), 0, (size_t)p->start[p->n] * sizeof(double));
}

/* Increment of component j: the root of rounding relatively, and no less than what keeps the
 * difference of slopes above its rounding (Hindmarsh et al. 2005, 2.1). */
static double increment(const sundials *s, const double *y, double least, int32_t j) {
  double relative = root_of_rounding * fabs(y[j]);
  double absolute = least * (s->problem->rtol * fabs(y[j]) + s->problem->atol[j]);
  return relative > absolute ? relative : absolute;
}

static double least_increment(const sundials *s, const double *y, const double *f) {
  double sum = 0;
  for (int32_t i = 0; i < s->problem->n; i++) {
    double a = f[i] / (s->problem->rtol * fabs(y[i]) + s->problem->atol[i]);
    sum += a * a;
  }
  double h = s->h > 0 ? s->h : 1, n = s->problem->n, norm = sqrt(sum / n);
  return norm > 0 ? 1000 * h * rounding * n * norm : 1;
}

int perp_sundials_difference(double t, N_Vector y_at, N_Vector f_at, SUNMatrix J, void *user,
                             N_Vector a, N_Vector b, N_Vector c) {
  sundials *s = user;
  const sundials_pattern *p = &s->pattern;
  const double *y = N_VGetArrayPointer(y_at), *f = N_VGetArrayPointer(f_at);
  double *z = N_VGetArrayPointer(a), *g = N_VGetArrayPointer(b), *step = N_VGetArrayPointer(c);
  perp_sundials_shape(p, J);
  double *values = SM_DATA_S(J), least = least_increment(s, y, f);
  for (int32_t j = 0; j < p->n; j++) { /* as it is in the arithmetic */
    volatile double moved = y[j] + increment(s, y, least, j);
    step[j] = moved - y[j];
  }
  for (int32_t colour = 0; colour < p->colours; colour++) {
    for (int32_t j = 0; j < p->n; j++) z[j] = p->colour[j] == colour ? y[j] + step[j] : y[j];
    int answer = perp_sundials_rhs(t, a, b, s);
    if (answer != 0) return answer;
    for (int32_t j = 0; j < p->n; j++) {
      if (p->colour[j] != colour) continue;
      for (int32_t k = p->start[j]; k < p->start[j + 1]; k++)
        values[k] = (g[p->index[k]] - f[p->index[k]]) / step[j];
    }
  }
  return 0;
}
