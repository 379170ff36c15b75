/* SPDX-License-Identifier: MIT */
/* With s = G'd
 *
 *   d'(G lambda + q) <= d'q + sum over finite bounds of sup s_i lambda_i
 *                           + sum over the rest of w_i |lambda_i|,
 *
 * where w_i is what s_i has of the sign for which sup s_i lambda_i is infinite. If the constant
 * part is -m < 0, the left side can be >= 0 only where
 *
 *   sum w_i |lambda_i| >= m,   so that   ||lambda||_1 >= m / max w_i,
 *
 * and if all w_i are 0, nowhere. For any c > 0, t = |G|'c and rho = max w_i / t_i that gives
 * t'|lambda| >= m / rho, and t'|lambda| is a sum of the rows of |G||lambda| with the factors c, so
 * that with weights omega of the rows
 *
 *   max_k omega_k (|G||lambda| + |q|)_k >= m / (rho sum c_k / omega_k).
 *
 * This is 2^30 times what the data and bounds can be to blame for, which is no more than
 * H = max_k omega_k (|G| hat + |q|)_k with the largest hat, if
 *
 *   m >= 2^30 rho H sum c_k / omega_k.
 *
 * c = |d| is the obvious choice, but where rounding is all that d has in some rows, so is s_i in
 * some columns. So c_k = max(|d_k|, omega_k D / rows) with D = sum |d_k| / omega_k: then sum c_k /
 * omega_k <= 2 D.
 *
 * A bound that is finite but far away only hurts perp_farkas_bound(): s_i lambda_i with w_i for
 * |s_i| may be the better estimate there, and both are tried. In the rule above it also enters H,
 * by which then w_i |lambda_i| <= w_i |bound| <= 2^-30 m: nothing is lost by taking every finite
 * bound. All rounding is counted against the proof, see total.h. */
#include "problem/farkas.h"

#include <float.h>
#include <math.h>

#include "base/finite.h"
#include "linalg/matrix.h"
#include "problem/total.h"

/* Room for solutions only where they are so much larger than the data. */
#define AMPLIFIED 0x1p30

/* ---- the verdict ---- */

typedef struct verdict {
  total constant;    /* d'q and what finite bounds give */
  wide_number wrong; /* max w_i                         */
  wide_number rho;
} verdict;

static verdict open_verdict(void) {
  const verdict v = {total_open(), {0, 0}, {0, 0}};
  return v;
}

/* rho for w_i = w 2^unit and t_i = t. NaN spoils the proof, and so does t = 0. */
static void count_part(verdict *v, double w, int32_t unit, const total *t) {
  const double part = w / t->sum;
  v->constant.sum += part - part;
  perp_wide_raise(&v->rho, part, unit - t->unit);
}

/* Least ||lambda||_1, from below; 0 if there is none or the rule does not hold. rho = 0: no
 * rule is asked for. Sums of so many positive terms and the few operations here are wrong by less
 * than a part of 2^-20. */
static double proof_of(const verdict *v, const total *D, wide_number hat) {
  const double m = -perp_total_top(&v->constant, 1), most = 2.0001 * v->rho.x * D->sum * hat.x;
  const int32_t unit = v->constant.unit;
  if (!(m > 0)) return 0; /* as where nothing was added, and unit is none */
  if (v->wrong.x == 0) return (double)INFINITY;
  if (v->rho.x != 0 &&
      !(perp_wide_scaled(m / most, unit - v->rho.unit - D->unit - hat.unit) >= AMPLIFIED))
    return 0;
  return (1 - 0x1p-40) * perp_wide_scaled(m / v->wrong.x, unit - v->wrong.unit);
}

/* D / rows, from below */
static double floor_of(const total *D, int32_t rows) {
  return perp_wide_scaled((1 - 0x1p-20) * D->sum / rows, D->unit);
}

double perp_farkas_orthant(int32_t n, const double *M, int32_t ld, const double *q,
                           const double *d) {
  const total D = perp_total_dot(n, d, NULL, 0);
  const double least = floor_of(&D, n);
  verdict v = {perp_total_dot(n, q, d, -1), {0, 0}, {0, 0}};
  wide_number hat = {0, 0};
  for (int32_t i = 0; i < n; i++, M += ld) {
    const total s = perp_total_dot(n, M, d, -1);
    const double w = perp_total_top(&s, 1);
    perp_wide_raise(&hat, fabs(q[i]), 0);
    if (w <= 0) continue;
    const total t = perp_total_dot(n, M, d, least);
    perp_wide_raise(&v.wrong, w, s.unit);
    count_part(&v, w, s.unit, &t);
  }
  return proof_of(&v, &D, hat);
}

/* ---- s = G'd ---- */

static total at(const farkas *s, int32_t col) {
  const total t = {s->sum[col], s->rest[col], s->error[col], (int32_t)s->unit[col], 0};
  return t;
}

static void put(farkas *s, int32_t col, const total *t) {
  s->sum[col] = t->sum;
  s->rest[col] = t->rest;
  s->error[col] = t->error;
  s->unit[col] = t->unit;
}

/* The block at (row, col) of M or, for sign = -1, of the matrix whose negative transpose joins G.
 */
typedef struct place {
  int32_t row, col, offset, sign, open;
} place;

/* t += w_i d_i, or |w_i| c_i, of row i. */
static void add_entry(const farkas *s, total *t, double w, int32_t i) {
  double factor = s->d[i];
  if (s->floor >= 0) {
    const double least = s->weight == NULL ? s->floor : s->floor * s->weight[i];
    w = fabs(w);
    factor = fabs(factor) < least ? least : fabs(factor);
  }
  perp_total_add(t, w, factor, 0);
}

/* sums + sign w'd for count vectors w, across apart, with size entries, along apart. */
static void add_vectors(farkas *s, place p, int32_t count, int32_t size, const double *w,
                        size_t across, size_t along) {
  const int32_t first = p.offset + (p.sign > 0 ? p.col : p.row);
  const int32_t row = p.sign > 0 ? p.row : p.col;
  for (int32_t k = first; k < first + count; k++, w += across) {
    total t = at(s, k);
    t.open = p.open;
    for (int32_t i = 0; i < size; i++) add_entry(s, &t, p.sign * w[along * (size_t)i], row + i);
    put(s, k, &t);
  }
}

static void add_block(farkas *s, place p, int32_t rows, int32_t cols, const double *a, int32_t ld) {
  if (p.sign > 0)
    add_vectors(s, p, cols, rows, a, (size_t)ld, 1);
  else
    add_vectors(s, p, rows, cols, a, 1, (size_t)ld);
}

static void add_blocks(farkas *s, const perp_matrix *M, place p) {
  const double *v = M->values;
  for (int32_t r = 0; r < M->block_rows; r++) {
    for (int32_t b = M->start[r]; b < M->start[r + 1]; b++) {
      const int32_t c = M->index[b];
      int32_t rows = 1, cols = 1;
      p.row = r;
      p.col = c;
      if (M->offset != NULL) {
        p.row = M->offset[r];
        p.col = M->offset[c];
        rows = M->offset[r + 1] - p.row;
        cols = M->offset[c + 1] - p.col;
      }
      add_block(s, p, rows, cols, v, rows);
      v += (size_t)rows * (size_t)cols;
    }
  }
}

static void traverse(farkas *s, const perp_matrix *M, place p) {
  if (M->kind == PERP_BLOCKS) add_blocks(s, M, p);
  if (M->kind == PERP_DENSE) add_block(s, p, M->rows, M->cols, M->values, M->ld);
  if (M->kind != PERP_DIAGONAL) return;
  for (p.row = 0; p.row < M->rows; p.row++) {
    p.col = p.row;
    add_block(s, p, 1, 1, M->values + p.row, 1);
  }
}

/* For the units of the sums first, then for the sums. */
static void add_part(farkas *s, const farkas_part *part) {
  const int32_t count = part->sign > 0 ? part->M->cols : part->M->rows;
  const total nothing = total_open();
  place p = {0, 0, part->col, part->sign, 1};
  for (int32_t i = 0; i < count; i++) put(s, part->col + i, &nothing);
  for (; p.open >= 0; p.open--) traverse(s, part->M, p);
}

static void add_matrix(farkas *s, const perp_matrix *M, int32_t col, int32_t sign) {
  const farkas_part part = {M, col, sign};
  s->part[s->parts++] = part;
  add_part(s, &part);
}

void perp_farkas_begin(farkas *s, int32_t rows, int32_t cols, const double *d, const double *q,
                       double *scratch) {
  const size_t n = (size_t)cols;
  const farkas begin = {.rows = rows, .cols = cols, .d = d, .q = q, .floor = -1};
  *s = begin;
  if (n == 0) return; /* scratch may be NULL */
  s->lower = scratch;
  s->upper = scratch + n;
  s->sum = scratch + 2 * n;
  s->rest = scratch + 3 * n;
  s->error = scratch + 4 * n;
  s->unit = scratch + 5 * n;
}

void perp_farkas_add(farkas *s, const perp_matrix *M, int32_t col) { add_matrix(s, M, col, 1); }

void perp_farkas_subtract_transpose(farkas *s, const perp_matrix *M, int32_t col) {
  add_matrix(s, M, col, -1);
}

/* ---- cones ---- */

/* |s_i| from above, in the unit of its sum. */
static double magnitude(const total *t) {
  const double top = perp_total_top(t, 1), depth = perp_total_top(t, -1);
  return !(top <= depth) ? top : depth;
}

/* || s_i ... || from above. */
static wide_number norm_above(const farkas *s, int32_t i, int32_t size) {
  wide_number most = {0, 0};
  double sum = 0;
  for (int32_t k = i; k < i + size; k++) {
    const total t = at(s, k);
    perp_wide_raise(&most, magnitude(&t), t.unit);
  }
  if (most.x == 0) return most;
  for (int32_t k = i; k < i + size; k++) {
    const total t = at(s, k);
    const double a = perp_wide_scaled(magnitude(&t) / most.x, t.unit - most.unit);
    sum += a * a;
  }
  most.x *= (1 + 32 * DBL_EPSILON) * sqrt(sum);
  return most;
}

/* The largest s[col] or |s_i| of the unknowns one by one, in the unit of its sum; NaN if there is
 * one. */
static double wrong_apart(const farkas *s, int32_t col, int32_t end) {
  const total normal = at(s, col);
  double apart = perp_total_top(&normal, 1);
  for (int32_t i = col + 1; i < end; i++) {
    const total t = at(s, i);
    const double part = magnitude(&t);
    if (!(part <= apart)) apart = part;
    if (part != part) return part;
  }
  return apart;
}

/* e = s[col] + sum of mu[k] ||s of group k|| from above, as a sum without error. */
static total folded(const farkas *s, int32_t col, int32_t groups, int32_t size, const double *mu) {
  const total normal = at(s, col);
  total e = total_open();
  for (; e.open >= 0; e.open--) {
    perp_total_add(&e, perp_total_top(&normal, 1), 1, normal.unit);
    for (int32_t k = 0; k < groups; k++) {
      const wide_number norm = norm_above(s, col + 1 + k * size, size);
      perp_total_add(&e, norm.x, mu[k], norm.unit);
    }
  }
  e.sum = perp_total_top(&e, 1);
  e.rest = e.error = 0;
  return e;
}

/* s'lambda <= e lambda[col]. Each unknown by itself is the other way, and better where e > 0
 * consists of rounding only in unknowns with small products. */
void perp_farkas_fold(farkas *s, int32_t col, int32_t groups, int32_t size, const double *mu) {
  const int32_t end = col + 1 + groups * size;
  const total e = folded(s, col, groups, size, mu), nothing = total_open(), normal = at(s, col);
  const double part = e.sum > 0 ? perp_wide_scaled(e.sum, e.unit - normal.unit) : 0;
  if (!(part < wrong_apart(s, col, end))) return;
  put(s, col, &e);
  for (int32_t i = col + 1; i < end; i++) put(s, i, &nothing);
}

/* ---- all bounds ---- */

static void count_bound(verdict *v, const total *t, double bound) {
  perp_total_add(&v->constant, t->sum, bound, t->unit);
  perp_total_add(&v->constant, t->rest, bound, t->unit);
  perp_total_add(&v->constant, 2 * t->error, fabs(bound), t->unit);
}

/* s_i lambda_i. Bounds from far on count as infinite where they would add to the constant. */
static void count_unknown(verdict *v, const farkas *s, int32_t i, double far) {
  const total t = at(s, i);
  const double l = s->lower[i], u = s->upper[i];
  const double top = perp_total_top(&t, 1);
  const double depth = perp_total_top(&t, -1); /* -depth <= s_i <= top */
  const int has_lower = l >= -DBL_MAX && l > -far, has_upper = u <= DBL_MAX && u < far;
  if (top <= 0 && depth <= 0) return;
  if (top <= 0 && has_lower) {
    count_bound(v, &t, l);
  } else if (depth <= 0 && has_upper) {
    count_bound(v, &t, u);
  } else { /* lambda_i >= 0, then lambda_i <= 0 */
    if (top > 0 && has_upper) perp_total_add(&v->constant, top, u > 0 ? u : 0, t.unit);
    if (top > 0 && !has_upper) perp_wide_raise(&v->wrong, top, t.unit);
    if (depth > 0 && has_lower) perp_total_add(&v->constant, depth, l < 0 ? -l : 0, t.unit);
    if (depth > 0 && !has_lower) perp_wide_raise(&v->wrong, depth, t.unit);
  }
}

/* data: sum of |d_k q_k|. Bounds with which s_i lambda_i may be 2^30 times that are taken as
 * infinite; NULL: none is. */
static verdict judge(const farkas *s, const total *data) {
  verdict v = open_verdict();
  for (; v.constant.open >= 0; v.constant.open--) {
    for (int32_t i = 0; i < s->rows; i++) perp_total_add(&v.constant, s->d[i], s->q[i], 0);
    for (int32_t i = 0; i < s->cols; i++) {
      double far = (double)INFINITY;
      if (data != NULL)
        far = perp_wide_scaled(AMPLIFIED * data->sum, data->unit - (int32_t)s->unit[i]);
      count_unknown(&v, s, i, far);
    }
  }
  return v;
}

static int finite(const farkas *s) {
  return perp_all_finite((size_t)s->rows, s->d) && perp_all_finite((size_t)s->rows, s->q) &&
         perp_all_finite(4 * (size_t)s->cols, s->sum);
}

double perp_farkas_bound(const farkas *s) {
  const wide_number none = {0, 0};
  if (!finite(s)) return 0;
  const total data = perp_total_dot(s->rows, s->d, s->q, 0);
  const verdict all = judge(s, NULL), near = judge(s, &data);
  const double first = proof_of(&all, &data, none), second = proof_of(&near, &data, none);
  return first > second ? first : second;
}

/* D = sum |d_k| / omega_k */
static total norm_of(const farkas *s) {
  total D = total_open();
  for (; D.open >= 0; D.open--)
    for (int32_t i = 0; i < s->rows; i++)
      perp_total_add(&D, fabs(s->d[i]), s->weight == NULL ? 1 : 1 / s->weight[i], 0);
  return D;
}

/* The largest hat of an unknown. */
static double hat_of(double lower, double upper) {
  const int bounded = lower >= -DBL_MAX && upper <= DBL_MAX;
  if (bounded) return fabs(lower) > fabs(upper) ? fabs(lower) : fabs(upper);
  return lower > 0 ? lower : upper < 0 ? -upper : 0;
}

wide_number perp_farkas_hat(const farkas *s, const perp_matrix *M, double *size) {
  const wide_number overflow = {(double)NAN, 0};
  wide_number most = {0, 0};
  double *hat = s->unit, any = 0;
  for (int32_t i = 0; i < M->cols; i++) {
    hat[i] = hat_of(s->lower[i], s->upper[i]);
    if (hat[i] > any) any = hat[i];
  }
  /* products that are no normal numbers lose up to half the least of all */
  const double least = any > 0 ? M->cols * 0x1p-1074 : 0;
  for (int32_t i = 0; i < s->rows; i++) size[i] = fabs(s->q[i]) + least;
  if (any > 0) perp_matrix_absolute_multiply_add(M, hat, size);
  for (int32_t i = 0; i < s->rows; i++) {
    int32_t e = 0;
    const double omega = s->weight == NULL ? 1 : perp_wide_split(s->weight[i], &e);
    if (!(omega * size[i] <= DBL_MAX)) return overflow;
    perp_wide_raise(&most, omega * size[i], e);
  }
  return most;
}

/* rho, after which no more is left of the sums and bounds. */
static void find_rho(farkas *s, verdict *v, const total *D) {
  for (int32_t i = 0; i < s->cols; i++) {
    verdict one = open_verdict();
    count_unknown(&one, s, i, (double)INFINITY);
    s->lower[i] = one.wrong.x;
    s->upper[i] = one.wrong.unit;
  }
  s->floor = floor_of(D, s->rows);
  for (int32_t k = 0; k < s->parts; k++) add_part(s, &s->part[k]);
  for (int32_t i = 0; i < s->cols; i++) {
    const total t = at(s, i);
    if (s->lower[i] != 0) count_part(v, s->lower[i], (int32_t)s->upper[i], &t);
  }
}

double perp_farkas_proof(farkas *s, wide_number hat) {
  if (!finite(s)) return 0;
  verdict v = judge(s, NULL);
  const total D = norm_of(s);
  if (v.wrong.x != 0) find_rho(s, &v, &D);
  return proof_of(&v, &D, hat);
}

double perp_farkas_margin(const farkas *s, wide_number hat) {
  if (!finite(s)) return 0;
  const verdict v = judge(s, NULL);
  const total D = norm_of(s);
  const double m = -perp_total_top(&v.constant, 1);
  if (!(m > 0)) return 0;
  return perp_wide_scaled(m / (D.sum * hat.x), v.constant.unit - D.unit - hat.unit);
}
