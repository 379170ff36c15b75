/* SPDX-License-Identifier: MIT */
/* Envelope factor, row by row. With g = row k of M_FF left of the diagonal, from its first nonzero
 * column f on, and f_j the first column of row j:
 *
 *   g_j := g_j − Σ_{max(f, f_j) ≤ m < j} L_jm g_m     j = f, ..., k−1
 *   L_kj = g_j / D_j,   D_k = M_kk + σ − Σ_j L_kj g_j
 *
 * Every row takes at least one place in lower, so that a tridiagonal L is the array lower itself
 * and its two recurrences run without tables. Source: Jennings, The Computer Journal 9 (1966). */
#include "envelope.h"

#include <float.h>
#include <string.h>

#include "dense.h"

/* Below this length a call costs more than the loop. */
enum { SHORT_ROW = 8 };

static double magnitude(double x) { return x < 0 ? -x : x; }

void row_reader_prepare(row_reader *reader) {
  const perp_matrix *M = reader->M;
  if (M->kind == PERP_DENSE || M->kind == PERP_DIAGONAL) {
    for (int32_t i = 0; i < M->rows; i++) reader->column[i] = i;
  } else if (M->kind == PERP_BLOCKS && M->offset != NULL) {
    size_t at = 0;
    for (int32_t r = 0; r < M->block_rows; r++) {
      size_t height = (size_t)(M->offset[r + 1] - M->offset[r]), width = 0;
      for (int32_t i = M->offset[r]; i < M->offset[r + 1]; i++) reader->block[i] = r;
      for (int32_t b = M->start[r]; b < M->start[r + 1]; b++)
        width += (size_t)(M->offset[M->index[b] + 1] - M->offset[M->index[b]]);
      reader->at[r] = at;
      at += height * width;
    }
  }
}

static matrix_row gather_blocks(const row_reader *reader, int32_t i) {
  const perp_matrix *M = reader->M;
  int32_t r = reader->block[i], count = 0;
  size_t height = (size_t)(M->offset[r + 1] - M->offset[r]);
  const double *v = M->values + reader->at[r] + (i - M->offset[r]);
  for (int32_t b = M->start[r]; b < M->start[r + 1]; b++) {
    int32_t end = M->offset[M->index[b] + 1];
    for (int32_t j = M->offset[M->index[b]]; j < end; j++, count++, v += height) {
      reader->column[count] = j;
      reader->value[count] = *v;
    }
  }
  matrix_row row = {count, reader->column, reader->value};
  return row;
}

matrix_row row_gather(const row_reader *reader, int32_t i) {
  const perp_matrix *M = reader->M;
  matrix_row row = {0, reader->column, reader->value};
  if (M->kind == PERP_BLOCKS) return gather_blocks(reader, i);
  if (M->kind == PERP_DENSE) {
    row.count = M->cols;
    const double *v = M->values + i;
    for (int32_t j = 0; j < M->cols; j++, v += M->ld) reader->value[j] = *v;
  } else if (M->kind == PERP_DIAGONAL) {
    row.count = 1;
    row.column = reader->column + i;
    row.value = M->values + i;
  }
  return row;
}

double row_scale(const row_reader *reader, int32_t i, const double *x, double *norm) {
  matrix_row row = row_read(reader, i);
  double sum = 0, total = 0;
  for (int32_t c = 0; c < row.count; c++) {
    double a = magnitude(row.value[c]);
    sum += a * magnitude(x[row.column[c]]);
    total += a;
  }
  *norm = total;
  return sum;
}

double row_diagonal(const row_reader *reader, int32_t i) {
  matrix_row row = row_read(reader, i);
  double d = 0;
  for (int32_t c = 0; c < row.count; c++)
    if (row.column[c] == i) d += row.value[c];
  return d;
}

static double dot(int32_t n, const double *x, const double *y) {
  if (n >= SHORT_ROW) return dense_dot(n, x, y);
  double sum = 0;
  for (int32_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* Places row k takes in lower. */
static size_t places(int32_t length) { return length > 0 ? (size_t)length : 1; }

/* Spread row k of M_FF from its first nonzero column on into lower; its diagonal comes back in
 * diagonal. 0 if lower is full. */
static int spread_row(envelope *e, const row_reader *reader, int32_t k, double *diagonal) {
  const int32_t i = e->member[k], *position = e->position;
  const matrix_row row = row_read(reader, i);
  int32_t low = k;
  for (int32_t c = 0; c < row.count; c++) {
    int32_t j = row.column[c];
    if (j < i && position[j] >= 0 && position[j] < low && row.value[c] != 0) low = position[j];
  }
  size_t start = k == 0 ? 0 : e->start[k - 1] + places(k - 1 - e->first[k - 1]);
  size_t count = places(k - low);
  if (count > e->capacity || start > e->capacity - count) return 0;
  double *g = e->lower + start, d = 0;
  for (size_t t = 0; t < count; t++) g[t] = 0;
  for (int32_t c = 0; c < row.count; c++) {
    int32_t j = row.column[c];
    if (j == i) d += row.value[c];
    if (j < i && position[j] >= low) g[position[j] - low] += row.value[c];
  }
  e->first[k] = low;
  e->start[k] = start;
  *diagonal = d;
  return 1;
}

/* Turn row k of M_FF into row k of L; returns Σ L_kj g_j. */
static double reduce_row(envelope *e, int32_t k) {
  const int32_t low = e->first[k], length = k - low;
  double *g = e->lower + e->start[k], sum = 0;
  for (int32_t t = 1; t < length; t++) {
    int32_t j = low + t, first = e->first[j], from = first > low ? first : low;
    g[t] -= dot(j - from, e->lower + e->start[j] + (from - first), g + (from - low));
  }
  for (int32_t t = 0; t < length; t++) {
    double scaled = g[t] * e->inverse[low + t];
    sum += scaled * g[t];
    g[t] = scaled;
  }
  return sum;
}

/* What the rows that stay say of the whole. */
static void measure_kept(envelope *e) {
  int32_t band = 0;
  for (int32_t k = 0; k < e->valid; k++)
    if (k - e->first[k] > band) band = k - e->first[k];
  e->band = band;
  if (e->weak >= e->valid) e->weak = e->rows;
}

int envelope_factor(envelope *e, const row_reader *reader, double shift) {
  const double least = (16.0 + e->n) * DBL_EPSILON;
  measure_kept(e);
  for (int32_t k = e->valid; k < e->rows; k++) {
    double diagonal;
    if (!spread_row(e, reader, k, &diagonal)) return ENVELOPE_FULL;
    diagonal += shift;
    double pivot = diagonal - reduce_row(e, k);
    if (!(pivot > least * magnitude(diagonal) && pivot <= DBL_MAX)) return ENVELOPE_NOT_DEFINITE;
    if (pivot < ENVELOPE_WEAK * diagonal && e->weak > k) e->weak = k;
    if (k - e->first[k] > e->band) e->band = k - e->first[k];
    e->inverse[k] = 1 / pivot;
    e->valid = k + 1;
  }
  return ENVELOPE_DONE;
}

int envelope_adopt(envelope *e) {
  size_t start = 0;
  int32_t band = 0;
  for (int32_t k = 0; k < e->rows; k++) {
    int32_t length = k - e->first[k];
    if (e->first[k] < 0 || length < 0) return 0;
    e->start[k] = start;
    start += places(length);
    if (length > band) band = length;
  }
  e->band = band;
  e->weak = e->rows;
  e->valid = start <= e->capacity ? e->rows : 0;
  return start <= e->capacity;
}

void envelope_move(envelope *e, double *inverse, double *lower, size_t capacity) {
  if (e->valid > 0) {
    int32_t last = e->valid - 1;
    memcpy(inverse, e->inverse, (size_t)e->valid * sizeof *inverse);
    memcpy(lower, e->lower, (e->start[last] + places(last - e->first[last])) * sizeof *lower);
  }
  e->inverse = inverse;
  e->lower = lower;
  e->capacity = capacity;
}

/* Two recurrences that carry their last value in a register. */
static void solve_tridiagonal(const envelope *e, double *x) {
  const int32_t n = e->rows;
  const double *lower = e->lower, *inverse = e->inverse;
  double carry = x[0];
  for (int32_t k = 1; k < n; k++) x[k] = carry = x[k] - lower[k] * carry;
  x[n - 1] = carry = x[n - 1] * inverse[n - 1];
  for (int32_t k = n - 2; k >= 0; k--) x[k] = carry = x[k] * inverse[k] - lower[k + 1] * carry;
}

void envelope_solve(const envelope *e, double *x) {
  if (e->rows == 0) return;
  if (e->band == 1) {
    solve_tridiagonal(e, x);
    return;
  }
  if (e->band > 1)
    for (int32_t k = 1; k < e->rows; k++)
      x[k] -= dot(k - e->first[k], e->lower + e->start[k], x + e->first[k]);
  for (int32_t k = 0; k < e->rows; k++) x[k] *= e->inverse[k];
  if (e->band > 1)
    for (int32_t k = e->rows - 1; k > 0; k--) {
      const double *row = e->lower + e->start[k], value = x[k];
      double *y = x + e->first[k];
      for (int32_t t = 0; t < k - e->first[k]; t++) y[t] -= row[t] * value;
    }
}
