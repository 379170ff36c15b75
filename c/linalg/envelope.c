/* SPDX-License-Identifier: MIT */
/* Envelope factor, row by row. With g = row k of M_FF left of the diagonal, from its first nonzero
 * column f on, and f_j the first column of row j:
 *
 *   g_j := g_j − Σ_{max(f, f_j) ≤ m < j} L_jm g_m     j = f, ..., k−1
 *   L_kj = g_j / D_j,   D_k = M_kk + σ − Σ_j L_kj g_j
 *
 * Every row takes at least one place in lower, so that a tridiagonal L is the array lower itself
 * and its two recurrences run without tables. Long rows that begin in one column are reduced as a
 * panel, four columns at a time: each entry subtracts the same sum in the same four lanes, while L
 * comes to the processor once for the panel. Source: Jennings, The Computer Journal 9 (1966). */
#include "linalg/envelope.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/pair.h"
#include "linalg/dense.h"

/* Below this length a call costs more than the loop. */
enum { SHORT_ROW = 8 };
/* From this length on rows are reduced by panels of so many. */
enum { LONG_ROW = 24, PANEL = 8 };

void perp_row_reader_prepare(row_reader *reader, const perp_matrix *M) {
  reader->M = M;
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
  if (M->start[r] == M->start[r + 1]) return (matrix_row){0, reader->column, reader->value};
  size_t height = (size_t)(M->offset[r + 1] - M->offset[r]);
  const double *v = M->values + reader->at[r] + (i - M->offset[r]);
  for (int32_t b = M->start[r]; b < M->start[r + 1]; b++) {
    int32_t end = M->offset[M->index[b] + 1];
    for (int32_t j = M->offset[M->index[b]]; j < end && count < M->cols; j++, v += height) {
      reader->column[count] = j;
      reader->value[count++] = *v;
    }
  }
  matrix_row row = {count, reader->column, reader->value};
  return row;
}

matrix_row perp_row_gather(const row_reader *reader, int32_t i) {
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

double perp_row_scale(const row_reader *reader, int32_t i, const double *x, double *norm) {
  matrix_row row = row_read(reader, i);
  double sum = 0, total = 0;
  for (int32_t c = 0; c < row.count; c++) {
    double a = fabs(row.value[c]);
    sum += a * fabs(x[row.column[c]]);
    total += a;
  }
  *norm = total;
  return sum;
}

static double dot(int32_t n, const double *x, const double *y) {
  if (n >= SHORT_ROW) return perp_dense_dot(n, x, y);
  double sum = 0;
  for (int32_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* Places row k takes in lower. */
static size_t places(int32_t length) { return length > 0 ? (size_t)length : 1; }

/* Row k of M_FF as far as one look at the entries tells it. */
typedef struct look {
  int32_t low;     /* first nonzero column, k if there is none */
  double beside;   /* entry in column k - 1                    */
  double diagonal; /* entry in column k                        */
} look;

static inline look look_at_row(const envelope *e, matrix_row row, int32_t k) {
  const int32_t i = e->member[k], *place = e->place;
  look seen = {k, 0, 0};
  for (int32_t c = 0; c < row.count; c++) {
    const int32_t j = row.column[c];
    const double v = row.value[c];
    if (j < i) {
      const int32_t p = place[j];
      if (p >= 0 && v != 0) {
        if (p < seen.low) seen.low = p;
        if (p == k - 1) seen.beside += v;
      }
    } else if (j == i) {
      seen.diagonal += v;
    }
  }
  return seen;
}

/* In dense M, whose rows are not gathered. */
static look look_at_dense(const envelope *e, const perp_matrix *M, int32_t k) {
  const double *row = M->values + e->member[k];
  const size_t ld = (size_t)M->ld;
  look seen = {0, 0, row[ld * (size_t)e->member[k]]};
  while (seen.low < k && row[ld * (size_t)e->member[seen.low]] == 0) seen.low++;
  if (seen.low < k) seen.beside = row[ld * (size_t)e->member[k - 1]];
  return seen;
}

static inline matrix_row row_unless_dense(const row_reader *reader, int32_t i) {
  const matrix_row none = {0, NULL, NULL};
  return reader->M->kind == PERP_DENSE ? none : row_read(reader, i);
}

/* Row k of M_FF into its places in lower. */
static inline void spread_row(envelope *e, const perp_matrix *M, matrix_row row, int32_t k) {
  const int32_t low = e->first[k], length = k - low, i = e->member[k];
  double *g = e->lower + e->start[k];
  if (M->kind == PERP_DENSE) {
    const double *dense = M->values + i;
    const int32_t *member = e->member + low;
    for (int32_t t = 0; t < length; t++) g[t] = 0 + dense[(size_t)M->ld * (size_t)member[t]];
    return;
  }
  for (int32_t t = 0; t < length; t++) g[t] = 0;
  for (int32_t c = 0; c < row.count; c++) {
    int32_t j = row.column[c];
    if (j < i && e->place[j] >= low) g[e->place[j] - low] += row.value[c];
  }
}

/* Columns [from, to) of row k, which is spread and reduced before them. */
static inline void reduce_columns(envelope *e, int32_t k, int32_t from, int32_t to) {
  const int32_t low = e->first[k];
  double *g = e->lower + e->start[k];
  for (int32_t j = from; j < to; j++) {
    const int32_t first = e->first[j], begin = first > low ? first : low;
    g[j - low] -= dot(j - begin, e->lower + e->start[j] + (begin - first), g + (begin - low));
  }
}

/* Row k from g to L; returns Σ L_kj g_j. */
static inline double scale_row(envelope *e, int32_t k) {
  const int32_t low = e->first[k], length = k - low;
  double *g = e->lower + e->start[k], sum = 0;
  for (int32_t t = 0; t < length; t++) {
    double scaled = g[t] * e->inverse[low + t];
    sum += scaled * g[t];
    g[t] = scaled;
  }
  return sum;
}

/* Four columns of row k from column j on, all of which begin at the row's first or before:
 * as reduce_columns(), with the lanes of perp_dense_dot(); j - first[k] is a multiple of 4. */
static void reduce_4_columns(envelope *e, int32_t k, int32_t j) {
  const int32_t low = e->first[k], n = j - low;
  const double *row[4];
  double *g = e->lower + e->start[k];
  pair s[4], t[4];
  for (int32_t c = 0; c < 4; c++) {
    row[c] = e->lower + e->start[j + c] + (low - e->first[j + c]);
    s[c] = t[c] = pair_twice(0);
  }
  for (int32_t m = 0; m < n; m += 4) {
    const pair a = pair_load(g + m), b = pair_load(g + m + 2);
    for (int32_t c = 0; c < 4; c++) {
      s[c] = pair_add(s[c], pair_multiply(pair_load(row[c] + m), a));
      t[c] = pair_add(t[c], pair_multiply(pair_load(row[c] + m + 2), b));
    }
  }
  for (int32_t c = 0; c < 4; c++) {
    double lane[4] = {pair_first(s[c]), pair_second(s[c]), pair_first(t[c]), pair_second(t[c])};
    for (int32_t r = 0; r < c; r++) lane[r] += row[c][n + r] * g[n + r];
    g[n + c] -= (lane[0] + lane[2]) + (lane[1] + lane[3]);
  }
}

/* Columns before begin of the rows [begin, end), which are spread and have one first column. */
static void reduce_panel(envelope *e, int32_t begin, int32_t end) {
  const int32_t low = e->first[begin];
  for (int32_t j = low + 1; j < begin;) {
    const int32_t *first = e->first + j;
    const int four = j - low >= SHORT_ROW && (j - low) % 4 == 0 && j + 4 <= begin &&
                     first[0] <= low && first[1] <= low && first[2] <= low && first[3] <= low;
    for (int32_t k = begin; k < end; k++) {
      if (four)
        reduce_4_columns(e, k, j);
      else
        reduce_columns(e, k, j, j + 1);
    }
    j += four ? 4 : 1;
  }
}

/* Take in row k, whose envelope starts at place `start` of lower. 0 if it is full. */
static inline int place_row(envelope *e, look seen, int32_t k, size_t start) {
  const size_t count = places(k - seen.low);
  if (count > e->capacity || start > e->capacity - count) return 0;
  e->first[k] = seen.low;
  e->start[k] = start;
  return 1;
}

/* Spread the rows from k on that form a panel with it, k among them: their diagonal entries.
 * Returns the end of the panel. */
static int32_t open_panel(envelope *e, const row_reader *reader, int32_t k, double *diagonal) {
  const int32_t low = e->first[k], dense = reader->M->kind == PERP_DENSE;
  size_t start = e->start[k] + places(k - low);
  int32_t end = k + 1;
  for (; end < e->rows && end < k + PANEL; end++) {
    const matrix_row row = row_unless_dense(reader, e->member[end]);
    const look seen = dense ? look_at_dense(e, reader->M, end) : look_at_row(e, row, end);
    if (seen.low != low || !place_row(e, seen, end, start)) break;
    spread_row(e, reader->M, row, end);
    diagonal[end - k] = seen.diagonal;
    start += places(end - low);
  }
  return end;
}

/* Places and band of the rows [0, e->valid) from their first columns. Returns the places. */
static size_t measure_kept(envelope *e) {
  size_t start = 0;
  int32_t band = 0;
  for (int32_t k = 0; k < e->valid; k++) {
    int32_t length = k - e->first[k];
    e->start[k] = start;
    start += places(length);
    if (length > band) band = length;
  }
  e->band = band;
  return start;
}

/* What a pivot must exceed to count as positive, in parts of the diagonal entry. */
static inline double least_pivot(const envelope *e) { return (16.0 + e->n) * DBL_EPSILON; }

/* Row k has its pivot. 0 if that is not numerically positive. */
static inline int close_row(envelope *e, int32_t k, double diagonal, double pivot) {
  if (!(pivot > least_pivot(e) * fabs(diagonal) && pivot <= DBL_MAX)) return 0;
  if (pivot < ENVELOPE_WEAK * diagonal && e->weak > k) e->weak = k;
  if (k - e->first[k] > e->band) e->band = k - e->first[k];
  e->inverse[k] = 1 / pivot;
  e->valid = k + 1;
  return 1;
}

/* Row k and those that form a panel with it. 0 if a pivot is not numerically positive. */
static int factor_panel(envelope *e, const row_reader *reader, int32_t k, double entry,
                        double shift) {
  double diagonal[PANEL];
  diagonal[0] = entry;
  const int32_t end = open_panel(e, reader, k, diagonal);
  reduce_panel(e, k, end);
  for (int32_t r = k; r < end; r++) {
    const double d = diagonal[r - k] + shift;
    reduce_columns(e, r, k > e->first[r] + 1 ? k : e->first[r] + 1, r);
    if (!close_row(e, r, d, d - scale_row(e, r))) return 0;
  }
  return 1;
}

#if !defined(__OPTIMIZE_SIZE__)
/* Rows from e->valid on, of M with blocks of one entry, for as long as they are coupled to none but
 * the one before: as below, at a third of the price. Returns where the next row begins. */
static size_t factor_chain(envelope *e, const perp_matrix *M, size_t start, double shift) {
  const int32_t *from = M->start, *index = M->index, *place = e->place, *member = e->member;
  const size_t room = e->capacity - start;
  const double *value = M->values, least = least_pivot(e);
  double *restrict lower = e->lower + start, *restrict inverse = e->inverse;
  int32_t k = e->valid, end = e->rows, weak = e->weak, longest = 0, *first = e->first;
  size_t *begin = e->start;
  if (room < (size_t)(end - k)) end = k + (int32_t)room;
  double before = k > 0 ? inverse[k - 1] : 0;
  for (; k < end; k++) {
    const int32_t i = member[k], stop = from[i + 1];
    double beside = 0, own = 0;
    int32_t low = k;
    for (int32_t c = from[i]; c < stop; c++) {
      const int32_t j = index[c];
      if (j < i && place[j] >= 0 && value[c] != 0) {
        low = place[j] < low ? place[j] : low;
        beside += value[c];
      } else if (j == i) {
        own += value[c];
      }
    }
    const double diagonal = own + shift, scaled = low < k ? beside * before : 0;
    const double pivot = diagonal - scaled * beside;
    if (low < k - 1 || !(pivot > least * fabs(diagonal) && pivot <= DBL_MAX)) break;
    if (pivot < ENVELOPE_WEAK * diagonal && weak > k) weak = k;
    longest = low < k ? 1 : longest;
    first[k] = low;
    begin[k] = start++;
    inverse[k] = before = 1 / pivot;
    *lower++ = scaled;
  }
  e->valid = k;
  e->weak = weak;
  if (longest > e->band) e->band = longest;
  return start;
}
#endif

int perp_envelope_factor(envelope *e, const row_reader *reader, double shift) {
  const int dense = reader->M->kind == PERP_DENSE;
  size_t start = measure_kept(e);
  if (e->weak >= e->valid) e->weak = e->rows;
#if !defined(__OPTIMIZE_SIZE__)
  if (reader->M->kind == PERP_BLOCKS && reader->M->offset == NULL)
    start = factor_chain(e, reader->M, start, shift);
#endif
  for (int32_t k = e->valid; k < e->rows; k = e->valid) {
    const matrix_row row = row_unless_dense(reader, e->member[k]);
    const look seen = dense ? look_at_dense(e, reader->M, k) : look_at_row(e, row, k);
    const double diagonal = seen.diagonal + shift;
    if (!place_row(e, seen, k, start)) return ENVELOPE_FULL;
    if (seen.low >= k - 1) {
      const double scaled = seen.low < k ? seen.beside * e->inverse[k - 1] : 0;
      e->lower[start++] = scaled;
      if (!close_row(e, k, diagonal, diagonal - scaled * seen.beside)) return ENVELOPE_NOT_DEFINITE;
      continue;
    }
    spread_row(e, reader->M, row, k);
    if (k - seen.low < LONG_ROW) {
      reduce_columns(e, k, seen.low + 1, k);
      if (!close_row(e, k, diagonal, diagonal - scale_row(e, k))) return ENVELOPE_NOT_DEFINITE;
      start += (size_t)(k - seen.low);
      continue;
    }
    if (!factor_panel(e, reader, k, seen.diagonal, shift)) return ENVELOPE_NOT_DEFINITE;
    start = e->start[e->valid - 1] + places(e->valid - 1 - e->first[e->valid - 1]);
  }
  return ENVELOPE_DONE;
}

int perp_envelope_adopt(envelope *e) {
  int wrong = 0;
  int32_t band = 0;
  for (int32_t k = 0; k < e->rows; k++) {
    const int32_t first = e->first[k], length = first < 0 ? 0 : k - first;
    wrong |= (first < 0) | (first > k);
    band = length > band ? length : band;
  }
  size_t used = (size_t)e->rows; /* one place a row up to tridiagonal, whose start is not read */
  e->weak = e->rows;
  e->valid = wrong ? 0 : e->rows;
  e->band = band;
  if (band > 1) used = measure_kept(e);
  if (used > e->capacity) e->valid = 0;
  return e->valid == e->rows;
}

void perp_envelope_move(envelope *e, double *inverse, double *lower, size_t capacity) {
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

void perp_envelope_solve(const envelope *e, double *x) {
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
