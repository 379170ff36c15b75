/* SPDX-License-Identifier: MIT */
/* With B the z that are basic, N the rest, and z0 a parameter,
 *
 *   z_B = -M_BB^-1 (q + z0 d)_B,   w_N = (q + z0 d)_N + M_NB z_B,     x = qb + z0 db,
 *
 * one of these reaches 0 at z0 = -qb_i / db_i; its pair is exchanged by a principal pivot, and the
 * variable that enters grows while z0 falls (or rises, where the pivot is negative). The pivots
 * are those of Lemke's method: the dictionary's column of the entering variable is db up to a
 * factor. With rows in the order of B, then N, the columns of B are kept as
 *
 *   M_.B = L U,   L = [unit lower triangle; M_NB U^-1],   U upper triangular,
 *
 * in place in F, the inverse of u_pp on the diagonal. What a pivot needs of the dictionary is one
 * column. To exchange r in N:
 *
 *   [t; v] = elimination of M_.r,   column = [-U^-1 t; v],   (n - k/2) k + k^2/2 products,
 *
 * and t and v / v_r are the next column of F. To exchange r in B, at place p, column p and row p
 * leave the factor: with x = L_.p, y = U_p., the rest is the factor of L U + x y^T [Bennett 1965],
 * column by column
 *
 *   u' = u + x_c y,   beta = y_c / u'_cc,   x -= x_c l,   l' = l + beta x,   y -= beta u',
 *
 * and x ends as the new column of r up to the factor s = u_pp prod u_cc / u'_cc. */
#include "solver/lemke.h"

#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/pair.h"
#include "solver/interval.h"
#include "solver/sweeps.h"

/* Part of a slope's own size below which it is rounding. */
static const double slope_floor = 0x1p-44;
/* Relative difference up to which two ratios are equal. */
static const double equal = 0x1p-36;
/* Part of the largest z0 up to which z0 is 0. */
static const double z0_floor = 0x1p-40;
/* Largest multiplier, and least part of the diagonal entry that a pivot must keep. */
static const double growth = 0x1p20, least_pivot = 0x1p-26;

static double *column(const lemke_path *p, int32_t c) { return p->F + (size_t)p->n * (size_t)c; }

static const double *column_of_M(const lemke_path *p, int32_t j) {
  return p->M->values + (size_t)p->M->ld * (size_t)j;
}

int perp_lemke_path_open(lemke_path *p, const perp_matrix *M, const double *q, const double *d,
                         double *F, int32_t *names) {
  int32_t n = M->rows;
  size_t m = (size_t)n;
  p->n = n;
  p->k = 0;
  p->M = M;
  p->d = d;
  p->F = F;
  p->qb = F + m * m;
  p->db = p->qb + m;
  p->tiny = p->db + m;
  p->x = p->tiny + m;
  p->y = p->x + m;
  p->name = names;
  p->at = names + m;
  p->t = (double *)(void *)(names + 2 * m);
  p->z0 = p->before = p->z0_first = 0;
  if (!all_finite(m, q)) return 0;
  for (int32_t i = 0; i < n; i++) {
    p->qb[i] = q[i];
    p->db[i] = d == NULL ? 1 : d[i];
    p->tiny[i] = slope_floor * p->db[i];
    p->name[i] = i;
  }
  return 1;
}

/* ---- factor ---- */

/* a -= f0 w0 + ... + f3 w3 on the entries begin ... end - 1, f in neighbouring columns. */
static void subtract_4(int32_t begin, int32_t end, size_t n, const double *restrict f,
                       const double *w, double *restrict a) {
  const double *restrict f1 = f + n, *restrict f2 = f1 + n, *restrict f3 = f2 + n;
  double w0 = w[0], w1 = w[1], w2 = w[2], w3 = w[3];
  for (int32_t i = begin; i < end; i++)
    a[i] = (((a[i] - f[i] * w0) - f1[i] * w1) - f2[i] * w2) - f3[i] * w3;
}

/* a := L^-1 a by the columns begin ... end - 1. */
static void eliminate(const lemke_path *p, int32_t begin, int32_t end, int32_t rows,
                      double *restrict a) {
  size_t n = (size_t)p->n;
  int32_t c = begin;
  for (; c + 3 < end; c += 4) {
    const double *f = column(p, c), *g = f + n, *h = g + n;
    a[c + 1] -= f[c + 1] * a[c];
    a[c + 2] = (a[c + 2] - f[c + 2] * a[c]) - g[c + 2] * a[c + 1];
    a[c + 3] = ((a[c + 3] - f[c + 3] * a[c]) - g[c + 3] * a[c + 1]) - h[c + 3] * a[c + 2];
    subtract_4(c + 4, rows, n, f, a + c, a);
  }
  for (; c < end; c++) {
    const double *restrict f = column(p, c);
    double w = a[c];
    for (int32_t i = c + 1; i < rows; i++) a[i] -= f[i] * w;
  }
}

/* a := U^-1 a, k entries. */
static void back_substitute(const lemke_path *p, double *restrict a) {
  size_t n = (size_t)p->n;
  int32_t c = p->k;
  for (; c >= 4; c -= 4) {
    const double *f = column(p, c - 4), *g = f + n, *h = g + n, *l = h + n;
    a[c - 1] *= l[c - 1];
    a[c - 2] = (a[c - 2] - l[c - 2] * a[c - 1]) * h[c - 2];
    a[c - 3] = ((a[c - 3] - l[c - 3] * a[c - 1]) - h[c - 3] * a[c - 2]) * g[c - 3];
    a[c - 4] =
        (((a[c - 4] - l[c - 4] * a[c - 1]) - h[c - 4] * a[c - 2]) - g[c - 4] * a[c - 3]) * f[c - 4];
    subtract_4(0, c - 4, n, f, a + c - 4, a);
  }
  while (c-- > 0) {
    const double *restrict f = column(p, c);
    double w = a[c] *= f[c];
    for (int32_t i = 0; i < c; i++) a[i] -= f[i] * w;
  }
}

/* Sign bit set where |x| is above the limit or NaN. */
static uint64_t beyond(double x, double limit) { return bits_of(limit) - bits_of(fabs(x)); }

/* a := the column of M of the pair at a place, eliminated. */
static void load(const lemke_path *p, int32_t place, double *restrict a) {
  const double *m = column_of_M(p, p->name[place]);
  const int32_t *restrict name = p->name;
  for (int32_t i = 0; i < p->n; i++) a[i] = m[name[i]];
  eliminate(p, 0, p->k, p->n, a);
}

static void swap(double *a, int32_t i, int32_t j) {
  double t = a[i];
  a[i] = a[j];
  a[j] = t;
}

/* Exchange the places i and j, in k columns of F too. */
static void swap_places(lemke_path *p, int32_t i, int32_t j) {
  int32_t t = p->name[i];
  if (i == j) return;
  p->name[i] = p->name[j];
  p->name[j] = t;
  swap(p->qb, i, j);
  swap(p->db, i, j);
  swap(p->tiny, i, j);
  for (int32_t c = 0; c < p->k; c++) swap(column(p, c), i, j);
}

/* ---- a pair enters B ---- */

/* x += column of the dictionary times the value of what enters: y for -U^-1 t, a for the rest. */
static void shift(const lemke_path *p, const double *restrict a, double zq, double zd) {
  double *restrict qb = p->qb, *restrict db = p->db;
  const double *restrict y = p->y;
  int32_t k = p->k, n = p->n;
  for (int32_t i = 0; i < k; i++) {
    qb[i] -= y[i] * zq;
    db[i] -= y[i] * zd;
  }
  for (int32_t i = k; i < n; i++) {
    qb[i] += a[i] * zq;
    db[i] += a[i] * zd;
  }
}

static int32_t enter(lemke_path *p, int32_t r) {
  int32_t k = p->k, n = p->n;
  double *a = column(p, k), *y = p->y;
  load(p, r, a);
  double pivot = a[r], inverse = 1 / pivot;
  uint64_t wild = 0;
  if (!(fabs(pivot) > least_pivot * fabs(column_of_M(p, p->name[r])[p->name[r]]))) return -1;
  for (int32_t i = 0; i < k; i++) y[i] = a[i];
  back_substitute(p, y);
  double zq = -p->qb[r] * inverse, zd = -p->db[r] * inverse;
  for (int32_t i = k; i < n; i++) wild |= beyond(a[i] * inverse, growth);
  if (wild >> 63 != 0) return -1;
  shift(p, a, zq, zd);
  p->qb[r] = zq;
  p->db[r] = zd;
  p->tiny[r] = slope_floor * fabs(zd);
  for (int32_t i = k; i < n; i++) a[i] *= inverse;
  swap_places(p, r, k);
  a[r] = a[k];
  a[k] = inverse;
  p->k++;
  return k;
}

/* ---- a pair leaves B ---- */

/* Row at to the end of the first k. */
static void rotate(double *a, int32_t at, int32_t k) {
  double t = a[at];
  memmove(a + at, a + at + 1, (size_t)(k - 1 - at) * sizeof *a);
  a[k - 1] = t;
}

/* The factor without column and row at, x as above, in the places of before: rows are moved
 * afterwards. The column of the pair that left goes to the last column. 0: a pivot is too small. */
static int remove_column(lemke_path *p, int32_t at) {
  int32_t k = p->k, n = p->n;
  double *restrict x = p->x, *restrict beta = p->y, *old = column(p, at);
  double s = 1 / old[at];
  for (int32_t i = at + 1; i < n; i++) x[i] = old[i];
  x[at] = 1;
  double *t = p->t;
  memcpy(t, old, (size_t)at * sizeof *t);
  for (int32_t c = at + 1; c < k; c++) {
    const double *restrict a = column(p, c);
    double *restrict b = column(p, c - 1);
    double y = a[at], w = x[c], u = 1 / a[c];
    memcpy(b, a, (size_t)at * sizeof *b);
    for (int32_t i = at + 1; i < c; i++) {
      b[i] = a[i] + x[i] * y;
      y -= beta[i] * b[i];
    }
    double v = u + w * y, inverse = 1 / v, g = y * inverse;
    if (!(fabs(v) > least_pivot * fabs(u))) return 0;
    beta[c] = g;
    b[c] = inverse;
    t[c] = s * w;
    s *= u * inverse;
    for (int32_t i = c + 1; i < n; i++) {
      x[i] -= w * a[i];
      b[i] = a[i] + g * x[i];
    }
    b[at] = g; /* the row that left */
  }
  double *last = column(p, k - 1);
  for (int32_t i = 0; i < k; i++) last[i] = t[i];
  for (int32_t i = k; i < n; i++) last[i] = s * x[i];
  last[at] = s;
  return is_finite(s) && s != 0;
}

static int32_t leave(lemke_path *p, int32_t at) {
  int32_t k = p->k, name = p->name[at];
  double zq = p->qb[at], zd = p->db[at];
  if (!remove_column(p, at)) return -1;
  for (int32_t c = 0; c < k; c++) rotate(column(p, c), at, k);
  rotate(p->qb, at, k);
  rotate(p->db, at, k);
  rotate(p->tiny, at, k);
  memmove(p->name + at, p->name + at + 1, (size_t)(k - 1 - at) * sizeof *p->name);
  p->name[k - 1] = name;
  p->k = --k;
  const double *a = column(p, k);
  memcpy(p->y, a, (size_t)k * sizeof *a);
  back_substitute(p, p->y);
  shift(p, a, -zq, -zd);
  p->qb[k] = -zq * a[k];
  p->db[k] = -zd * a[k];
  p->tiny[k] = slope_floor * (p->d == NULL ? 1 : p->d[name]);
  return k;
}

int32_t perp_lemke_path_exchange(lemke_path *p, int32_t place) {
  return place < p->k ? leave(p, place) : enter(p, place);
}

/* ---- what blocks ---- */

/* Coefficients of w_B in the row at a place, by place, in out (k): the perturbed q makes the basic
 * variable there  x + sum -out_c eps^name(c). */
static void row(const lemke_path *p, int32_t place, double *out) {
  int32_t k = p->k;
  for (int32_t c = 0; c < k; c++) {
    const double *a = column(p, c);
    double sum = place == c ? 1 : 0;
    if (place < k) { /* row of U^-1 */
      for (int32_t i = place; i < c; i++) sum -= out[i] * a[i];
      out[c] = c < place ? 0 : sum * a[c];
    } else {
      out[c] = a[place];
    }
  }
  for (int32_t c = k - 1; c-- > 0;) {
    const double *a = column(p, c);
    for (int32_t i = c + 1; i < k; i++) out[c] -= out[i] * a[i];
  }
}

/* c_kj of the variable at a place, see dictionary.c, over its slope. j is at place at. */
static double coefficient(const lemke_path *p, int32_t place, const double *out, int32_t at) {
  double c = at < p->k ? -out[at] : at == place ? 1 : 0;
  return c / fabs(p->db[place]);
}

/* Of two tied places the one that leaves; their rows in x (first) and y. */
static int32_t lower_of(const lemke_path *p, int32_t first, int32_t second) {
  double size = largest_size(p->k, p->x) / fabs(p->db[first]);
  double other = largest_size(p->k, p->y) / fabs(p->db[second]);
  double slack = z0_floor * (other > size ? other : size);
  for (int32_t j = 0; j < p->n; j++) {
    double a = coefficient(p, first, p->x, p->at[j]), b = coefficient(p, second, p->y, p->at[j]);
    if (fabs(a - b) <= equal * (fabs(a) + fabs(b)) + slack) continue;
    return a < b ? first : second;
  }
  return fabs(p->db[second]) > fabs(p->db[first]) ? second : first;
}

/* Of the places with ratio[i] >= least, the lexicographically first. Rows cost k^2 each; where the
 * first w are basic none is needed to see that theirs are not that. */
static int32_t break_ties(lemke_path *p, const double *ratio, double least) {
  const int32_t n = p->n;
  int32_t best = 0, count = 0;
  double *keep = p->t;
  memcpy(keep, ratio, (size_t)n * sizeof *keep);
  for (int32_t i = 0; i < n; i++) {
    p->at[p->name[i]] = i;
    count += keep[i] >= least;
  }
  for (int32_t j = 0; p->at[j] >= p->k && count > 1; j++) {
    count -= keep[p->at[j]] >= least;
    keep[p->at[j]] = -(double)INFINITY;
  }
  while (!(keep[best] >= least)) best++;
  if (count > 1) row(p, best, p->x);
  for (int32_t i = best + 1; i < n && count > 1; i++) {
    if (!(keep[i] >= least)) continue;
    row(p, i, p->y);
    const int32_t next = lower_of(p, best, i);
    if (next != best) memcpy(p->x, p->y, (size_t)p->k * sizeof *p->x);
    best = next;
  }
  return best;
}

/* Ratios z0_i = -qb_i / db_i where db_i > tiny, 0 elsewhere: z0 falls. */
static void falling_ratios(const lemke_path *p, double *restrict ratio) {
  int32_t n = p->n, i = 0;
  const double *restrict qb = p->qb, *restrict db = p->db, *restrict tiny = p->tiny;
  for (; i + 1 < n; i += 2) {
    pair slope = pair_load(db + i), minus = pair_subtract(pair_twice(-0.0), pair_load(qb + i));
    pair value = pair_divide(minus, slope);
    pair_store(ratio + i, pair_where_greater(slope, pair_load(tiny + i), value));
  }
  for (; i < n; i++) ratio[i] = db[i] > tiny[i] ? -qb[i] / db[i] : 0;
}

/* -z0_i where db_i < -tiny, -infinity elsewhere: z0 rises. */
static void rising_ratios(const lemke_path *p, double *restrict ratio) {
  for (int32_t i = 0; i < p->n; i++)
    ratio[i] = -p->db[i] > p->tiny[i] ? p->qb[i] / p->db[i] : -(double)INFINITY;
}

/* Place of the largest ratio (in x), *value; -1 if none is above least. */
static int32_t largest_ratio(lemke_path *p, double least, double *value) {
  int32_t at = 0;
  const double *ratio = p->x;
  double best = least, second = least;
  for (int32_t i = 0; i < p->n; i++) {
    double r = ratio[i], low = r < best ? r : best;
    best = r > best ? r : best;
    second = low > second ? low : second;
  }
  *value = best;
  if (!(best > least)) return -1;
  double tied = is_finite(best) ? best - 2 * equal * fabs(best) : best;
  while (!(ratio[at] >= tied)) at++;
  return second >= tied ? break_ties(p, ratio, tied) : at;
}

int32_t perp_lemke_path_first(lemke_path *p) {
  double z0;
  falling_ratios(p, p->x);
  int32_t at = largest_ratio(p, 0, &z0);
  p->z0 = p->z0_first = z0;
  return at;
}

int32_t perp_lemke_path_next(lemke_path *p, int32_t entered) {
  double z0;
  p->before = p->z0;
  if (p->db[entered] < 0) {
    falling_ratios(p, p->x);
    int32_t at = largest_ratio(p, 0, &z0);
    int solved = !(z0 > z0_floor * p->z0_first);
    p->z0 = solved ? 0 : z0;
    return solved ? p->n : at;
  }
  rising_ratios(p, p->x);
  int32_t at = largest_ratio(p, -(double)INFINITY, &z0);
  if (at >= 0) p->z0 = -z0;
  if (p->z0 > p->z0_first) p->z0_first = p->z0;
  return at;
}

/* ---- points ---- */

void perp_lemke_path_modes(const lemke_path *p, unsigned char *modes) {
  for (int32_t i = 0; i < p->n; i++)
    modes[p->name[i]] = i < p->k ? PERP_MODE_FREE : PERP_MODE_LOWER;
}

void perp_lemke_path_point(const lemke_path *p, double *z) {
  for (int32_t i = 0; i < p->n; i++) {
    double x = p->qb[i] + p->z0 * p->db[i];
    z[p->name[i]] = i < p->k && x > 0 ? x : 0;
  }
}

void perp_lemke_path_direction(const lemke_path *p, double *z) {
  for (int32_t i = 0; i < p->n; i++) z[p->name[i]] = i < p->k ? p->db[i] : 0;
}

int perp_lemke_path_finish(lemke_path *p, const double *q, double *z, double *w) {
  int32_t n = p->n, k = p->k, good = 1;
  double largest = 0, changes = 0, size = largest_size(n, q);
  for (int32_t i = 0; i < n; i++) z[p->name[i]] = i < k ? p->qb[i] : 0;
  memcpy(w, q, (size_t)n * sizeof *w);
  (void)perp_multiply_add_sparsely(p->M, z, w);
  for (int32_t i = 0; i < k; i++) p->y[i] = w[p->name[i]];
  eliminate(p, 0, k, k, p->y);
  back_substitute(p, p->y);
  for (int32_t i = 0; i < k; i++) {
    double x = p->qb[i] - p->y[i];
    changes += fabs(p->y[i]); /* a sum keeps a NaN */
    largest = fabs(x) > largest ? fabs(x) : largest;
    z[p->name[i]] = x > 0 ? x : 0;
  }
  for (int32_t i = 0; i < k; i++) good &= p->qb[i] - p->y[i] >= -z0_floor * largest;
  for (int32_t i = k; i < n; i++) good &= w[p->name[i]] >= -z0_floor * size;
  return good && changes <= 0x1p-20 * largest;
}
