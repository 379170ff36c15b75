/* SPDX-License-Identifier: MIT */
/* Step k takes column c and row r of the chosen set and subtracts from every row i that is left
 *   W_ij -= m_i W_rj,   m_i = W_ic / W_rc,
 * for the columns j that are left. Columns come in the order of their nonzeros in M; in a column
 * any entry of at least an eighth of the largest may be the pivot, and the row with the fewest
 * nonzeros in M is taken. A column without an entry is dependent on those before and is left over,
 * and so is a row. Then  x_c = −(v_r + Σ W_rj x_j) / W_rc  backwards. */
#include "solver/box_path.h"

#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "linalg/matrix.h"

/* Share of the largest entry of its column that a pivot must have. */
static const double threshold = 0.125;

/* From this share of nonzeros on, 1 / DENSE, a column is treated as if it had no zeros. */
enum { DENSE = 3 };

void perp_box_factor_carve(box_factor *f, arena *a, int32_t n) {
  size_t m = (size_t)n, words = (m + 63) / 64;
  f->n = n;
  f->words = (int32_t)words;
  if (m > SIZE_MAX / sizeof *f->W - 5) a->failed = 1;
  f->W = arena_take(a, m, (m + 5) * sizeof *f->W);
  f->rows = arena_take(a, 2 * m + 3, words * sizeof *f->rows);
  f->pivot_row = arena_take(a, m, 5 * sizeof *f->pivot_row);
  if (f->W == NULL || f->pivot_row == NULL) return;
  f->R = f->W + m * (m + 2);
  f->C = f->R + m;
  f->value = f->C + m;
  f->cols = f->rows + m * words;
  f->open_rows = f->cols + m * words;
  f->open_cols = f->open_rows + words;
  f->pivot_col = f->pivot_row + m;
  f->list = f->pivot_col + m;
  f->size = f->list + m;
}

static uint64_t *row_bits(const box_factor *f, int32_t i) {
  return f->rows + (size_t)i * (size_t)f->words;
}

static uint64_t *col_bits(const box_factor *f, int32_t j) {
  return f->cols + (size_t)j * (size_t)f->words;
}

/* ---- load ---- */

/* Enter a nonzero of column j. */
static void note(box_factor *f, int32_t i, int32_t j, double v) {
  box_set(row_bits(f, i), j);
  box_set(col_bits(f, j), i);
  f->size[i]++;
  f->size[f->n + j]++;
  if (fabs(v) > f->R[i]) f->R[i] = fabs(v);
}

/* The bits, the sizes, and R := largest entry of each row. */
static void find_nonzeros(box_factor *f) {
  const int32_t n = f->n;
  memset(f->rows, 0, (2 * (size_t)n + 2) * (size_t)f->words * sizeof *f->rows);
  memset(f->size, 0, 2 * (size_t)n * sizeof *f->size);
  memset(f->R, 0, (size_t)n * sizeof *f->R);
  for (int32_t j = 0; j < n; j++) {
    const double *w = box_column(f, j);
    for (int32_t i = 0; i < n; i++)
      if (w[i] != 0) note(f, i, j, w[i]);
  }
}

/* Rows to size one, then columns; 0 if an entry was not finite. value: 1 / R. */
static int equilibrate(box_factor *f) {
  const int32_t n = f->n;
  double worst = 0;
  for (int32_t i = 0; i < n; i++) {
    f->R[i] = power_of_two(f->R[i]);
    f->value[i] = 1 / f->R[i];
  }
  for (int32_t j = 0; j < n; j++) {
    double *w = box_column(f, j), largest = 0;
    const uint64_t *bits = col_bits(f, j);
    for (int32_t word = 0; word < f->words; word++)
      for (uint64_t x = bits[word]; x != 0; x &= x - 1) {
        int32_t i = 64 * word + box_lowest(x);
        worst += 0 * w[i]; /* NaN once an entry is not finite */
        w[i] *= f->value[i];
        if (fabs(w[i]) > largest) largest = fabs(w[i]);
      }
    double scale = 1 / power_of_two(largest);
    f->C[j] = scale;
    for (int32_t word = 0; word < f->words && scale != 1; word++)
      for (uint64_t x = bits[word]; x != 0; x &= x - 1) w[64 * word + box_lowest(x)] *= scale;
  }
  return worst == 0;
}

int perp_box_factor_load(box_factor *f, const perp_matrix *M, double shift) {
  const int32_t n = f->n;
  perp_matrix_to_dense(M, f->W, n);
  find_nonzeros(f);
  int finite = equilibrate(f);
  for (int32_t i = 0; i < n; i++) {
    box_set(f->open_rows, i);
    box_set(f->open_cols, i);
    if (shift == 0) continue;
    box_column(f, i)[i] += shift;
    box_set(row_bits(f, i), i);
    box_set(col_bits(f, i), i);
  }
  f->count = 0;
  return finite;
}

/* ---- elimination ---- */

/* Row of the pivot in column c among the chosen rows that are left; -1: none. */
static int32_t choose_row(const box_factor *f, const unsigned char *chosen, int32_t c) {
  const double *w = box_column(f, c);
  const uint64_t *bits = col_bits(f, c);
  double largest = BOX_ZERO;
  int32_t best = -1, count = 0;
  for (int32_t word = 0; word < f->words; word++)
    for (uint64_t x = bits[word] & f->open_rows[word]; x != 0; x &= x - 1) {
      int32_t i = 64 * word + box_lowest(x);
      if (!chosen[i]) continue;
      f->list[count++] = i;
      if (fabs(w[i]) > largest) {
        largest = fabs(w[i]);
        best = i;
      }
    }
  if (best < 0) return -1;
  for (int32_t k = 0; k < count; k++) {
    int32_t i = f->list[k];
    if (fabs(w[i]) >= threshold * largest && f->size[i] < f->size[best]) best = i;
  }
  return best;
}

/* List the rows of column c that are left, with their multipliers, which take the place of the
 * entries; the bits of the column become those of L. */
static int32_t list_multipliers(box_factor *f, int32_t r, int32_t c) {
  double *w = box_column(f, c), inverse = 1 / w[r];
  uint64_t *bits = col_bits(f, c);
  int32_t count = 0;
  for (int32_t word = 0; word < f->words; word++) {
    uint64_t x = bits[word] & f->open_rows[word];
    bits[word] = x;
    for (; x != 0; x &= x - 1) {
      int32_t i = 64 * word + box_lowest(x);
      w[i] *= inverse;
      f->list[count] = i;
      f->value[count++] = w[i];
    }
  }
  return count;
}

static void subtract(const box_factor *f, int32_t count, const double *multipliers, double t,
                     double *restrict w) {
  if (multipliers != NULL) {
    for (int32_t i = 0; i < f->n; i++) w[i] -= multipliers[i] * t;
    return;
  }
  for (int32_t e = 0; e < count; e++) w[f->list[e]] -= f->value[e] * t;
}

/* The multipliers as a column with zeros, in value. */
static const double *spread(box_factor *f, int32_t count, int32_t c) {
  memset(f->value, 0, (size_t)f->n * sizeof *f->value);
  for (int32_t e = 0; e < count; e++) f->value[f->list[e]] = box_column(f, c)[f->list[e]];
  return f->value;
}

static void eliminate(box_factor *f, int32_t r, int32_t c, const uint64_t *live) {
  box_clear(f->open_rows, r);
  box_clear(f->open_cols, c);
  const int32_t count = list_multipliers(f, r, c);
  const uint64_t *below = col_bits(f, c);
  uint64_t *right = row_bits(f, r);
  const double *multipliers = count >= 8 && count > f->n / DENSE ? spread(f, count, c) : NULL;
  for (int32_t word = 0; word < f->words; word++) {
    right[word] &= f->open_cols[word] & live[word];
    for (uint64_t x = right[word]; x != 0 && count > 0; x &= x - 1) {
      int32_t j = 64 * word + box_lowest(x);
      double *w = box_column(f, j);
      subtract(f, count, multipliers, w[r], w);
      for (int32_t k = 0; k < f->words; k++) col_bits(f, j)[k] |= below[k];
    }
  }
  for (int32_t j = f->n; j < f->n + 2; j++) {
    double *w = box_column(f, j);
    if (w[r] != 0) subtract(f, count, multipliers, w[r], w);
  }
  for (int32_t e = 0; e < count; e++)
    for (int32_t k = 0; k < f->words; k++) row_bits(f, f->list[e])[k] |= right[k];
  f->pivot_row[f->count] = r;
  f->pivot_col[f->count++] = c;
}

/* The chosen columns by their nonzeros, into pivot_col from its end: what a step writes there is
 * read before. Returns how many they are. */
static int32_t order_columns(box_factor *f, const unsigned char *chosen) {
  const int32_t n = f->n;
  int32_t count = 0, *order = f->pivot_row; /* count <= steps to come, read in time */
  for (int32_t j = 0; j < n; j++) {
    if (!chosen[j]) continue;
    int32_t k = count++;
    for (; k > 0 && f->size[n + order[k - 1]] > f->size[n + j]; k--) order[k] = order[k - 1];
    order[k] = j;
  }
  return count;
}

int32_t perp_box_factor_eliminate(box_factor *f, const unsigned char *chosen, int all) {
  const int32_t count = order_columns(f, chosen);
  uint64_t *live = f->open_cols + f->words; /* the words behind */
  for (int32_t word = 0; word < f->words; word++) live[word] = all ? ~UINT64_C(0) : 0;
  for (int32_t j = 0; j < f->n && !all; j++)
    if (chosen[j]) box_set(live, j);
  for (int32_t k = 0; k < count; k++) {
    const int32_t c = f->pivot_row[k], r = choose_row(f, chosen, c); /* f->count <= k */
    if (r >= 0) eliminate(f, r, c, live);
  }
  return count - f->count;
}

/* ---- solutions ---- */

void perp_box_factor_forward(const box_factor *f, double *v) {
  for (int32_t k = 0; k < f->count; k++) {
    const double t = v[f->pivot_row[k]], *w = box_column(f, f->pivot_col[k]);
    const uint64_t *bits = col_bits(f, f->pivot_col[k]);
    for (int32_t word = 0; word < f->words && t != 0; word++)
      for (uint64_t x = bits[word]; x != 0; x &= x - 1) {
        int32_t i = 64 * word + box_lowest(x);
        v[i] -= w[i] * t;
      }
  }
}

void perp_box_factor_back(const box_factor *f, const double *v, double *x) {
  const size_t ld = (size_t)f->n;
  for (int32_t k = f->count; k-- > 0;) {
    const int32_t r = f->pivot_row[k], c = f->pivot_col[k];
    const double *w = f->W + r;
    const uint64_t *bits = row_bits(f, r);
    double sum = v[r];
    for (int32_t word = 0; word < f->words; word++)
      for (uint64_t b = bits[word]; b != 0; b &= b - 1) {
        int32_t j = 64 * word + box_lowest(b);
        sum += w[ld * (size_t)j] * x[j];
      }
    x[c] = -sum / w[ld * (size_t)c];
  }
}
