/* SPDX-License-Identifier: MIT */
/* The pattern of a sparse W: in every row the columns of any operator in compressed rows, and the
 * diagonal. Operators keep their values on this one pattern, so that W is a sum of arrays. Counted
 * without memory, since a size query has none; rows of a mesh are short, and those that operators
 * have in common are compared as a whole. */
#include <math.h>
#include <string.h>

#include "stepping/sparse_pattern.h"

enum { OPERATORS = 4 };

static void list_operators(const system_run *run, const perp_matrix *list[OPERATORS]) {
  list[0] = &run->M;
  list[1] = &run->A;
  list[2] = &run->C;
  list[3] = &run->K;
}

/* Row i of an operator; none where it is not in compressed rows. */
static int32_t row_of(const perp_matrix *A, int32_t i, const int32_t **columns) {
  if (A->kind != PERP_BLOCKS || A->index == NULL) return 0;
  *columns = A->index + A->start[i];
  return A->start[i + 1] - A->start[i];
}

static int contains(const int32_t *columns, int32_t count, int32_t j) {
  for (int32_t p = 0; p < count; p++)
    if (columns[p] == j) return 1;
  return 0;
}

/* Whether column j of row i stands on the diagonal or in one of the first operators. */
static int seen(const perp_matrix *const list[], int operators, int32_t i, int32_t j) {
  if (i == j) return 1;
  for (int k = 0; k < operators; k++) {
    const int32_t *columns = NULL;
    int32_t count = row_of(list[k], i, &columns);
    if (contains(columns, count, j)) return 1;
  }
  return 0;
}

/* Whether row i of operator k is row i of an operator before it. */
static int repeated(const perp_matrix *const list[], int k, int32_t i) {
  const int32_t *columns = NULL, *before = NULL;
  int32_t count = row_of(list[k], i, &columns);
  for (int b = 0; b < k; b++)
    if (row_of(list[b], i, &before) == count &&
        (count == 0 || memcmp(columns, before, (size_t)count * sizeof *columns) == 0))
      return 1;
  return 0;
}

/* Columns of row i of W, in increasing order to out unless that is NULL. */
static int32_t merge_row(const perp_matrix *const list[], int32_t i, int32_t *out) {
  int32_t total = 1;
  if (out != NULL) out[0] = i;
  for (int k = 0; k < OPERATORS; k++) {
    const int32_t *columns = NULL;
    int32_t count = row_of(list[k], i, &columns);
    if (count == 0 || repeated(list, k, i)) continue;
    for (int32_t p = 0; p < count; p++) {
      if (seen(list, k, i, columns[p])) continue;
      int32_t at = total++;
      if (out == NULL) continue;
      for (; at > 0 && out[at - 1] > columns[p]; at--) out[at] = out[at - 1];
      out[at] = columns[p];
    }
  }
  return total;
}

size_t perp_pattern_count(const system_run *run) {
  const perp_matrix *list[OPERATORS];
  size_t total = 0;
  list_operators(run, list);
  for (int32_t i = 0; i < run->n; i++) total += (size_t)merge_row(list, i, NULL);
  return total;
}

void perp_pattern_fill(system_run *run) {
  const perp_matrix *list[OPERATORS];
  int32_t total = 0;
  list_operators(run, list);
  for (int32_t i = 0; i < run->n; i++) {
    run->start[i] = total;
    total += merge_row(list, i, run->index + total);
  }
  run->start[run->n] = total;
}

/* Place of (i, j) in the pattern, which has it; looked for at the hint first. */
static int32_t place_of(const system_run *run, int32_t i, int32_t j, int32_t hint) {
  int32_t low = run->start[i], high = run->start[i + 1] - 1;
  if (hint <= high && run->index[hint] == j) return hint;
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (run->index[middle] < j)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void perp_pattern_spread(const system_run *run, const perp_matrix *A, double *out) {
  memset(out, 0, (size_t)run->start[run->n] * sizeof *out);
  for (int32_t i = 0; i < run->n; i++) {
    int32_t at = run->start[i];
    for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) {
      at = place_of(run, i, A->index[p], at);
      out[at++] = A->values[p];
    }
  }
}

void perp_pattern_add(const system_run *run, double a, const perp_matrix *A, double *out) {
  if (A != NULL && A->kind == PERP_BLOCKS) {
    for (int32_t p = 0; p < run->start[run->n]; p++) out[p] += a * A->values[p];
  } else if (A == NULL || A->kind == PERP_DIAGONAL) {
    for (int32_t i = 0; i < run->n; i++)
      out[place_of(run, i, i, run->start[i])] += A == NULL ? a : a * A->values[i];
  }
}

/* Entries that differ by no more than what assembling a mesh in another order may do. */
static int alike(double a, double b, double scale) {
  double d = a - b, size = fabs(a) > fabs(b) ? a * a : b * b;
  return d * d <= 1e-24 * (size > scale ? size : scale);
}

int perp_pattern_symmetric(const system_run *run, const perp_matrix *A) {
  if (A->kind != PERP_BLOCKS) return 1;
  for (int32_t i = 0; i < run->n; i++)
    for (int32_t p = run->start[i]; p < run->start[i + 1]; p++) {
      int32_t j = run->index[p], m = place_of(run, j, i, run->start[j]);
      double mirror = run->index[m] == i ? A->values[m] : 0;
      if (A->values[p] == mirror) continue;
      double di = A->values[place_of(run, i, i, run->start[i])];
      double dj = A->values[place_of(run, j, j, run->start[j])];
      if (!alike(A->values[p], mirror, fabs(di * dj))) return 0;
    }
  return 1;
}
