/* SPDX-License-Identifier: MIT */
/* With s = G'd
 *
 *   d'(G lambda + q) <= d'q + sum over finite bounds of sup s_i lambda_i
 *                           + sum over the rest of w_i |lambda_i|,
 *
 * where w_i is what s_i has of the sign for which sup s_i lambda_i would be infinite. If the
 * constant part is -c < 0, the left side can be >= 0 only where sum w_i |lambda_i| >= c. That holds
 * also for w_i = |s_i| where the bound is finite but so far away that the rounding of s_i would
 * spoil the constant: both ways are tried.
 *
 * Every sum is a pair sum + rest: products and sums without error (Dekker 1971, Knuth), their low
 * parts added up in rest, and in lost the magnitudes of these, which bound the rounding of rest
 * (Ogita, Rump and Oishi, SIAM J. Sci. Comput. 26 (2005) 1955-1988). lost = 0 means exact. What
 * overflows becomes NaN and proves nothing. */
#include "problem/farkas.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"

/* What counts as a proof: w_i below this part of the terms of s_i, and c above it of its own, */
#define EXACTNESS 0x1p-42
/* and room for solutions only where the terms are so much larger than the data. */
#define BEYOND_DOUBT 0x1p30

/* ---- sums with a bound of their error ---- */

typedef struct total {
  double sum, rest; /* the value is sum + rest, up to a multiple of lost */
  double lost;
  double weight; /* sum of the magnitudes of the terms */
} total;

/* High half of the digits of x. */
static double upper_half(double x) {
  double c = 134217729.0 * x;
  return c - (c - x);
}

/* a b - p for p = fl(a b), without error in the normal range. */
static double product_error(double a, double b, double p) {
  double ah = upper_half(a), al = a - ah, bh = upper_half(b), bl = b - bh;
  return al * bl - (((p - ah * bh) - al * bh) - ah * bl);
}

static void add_product(total *t, double a, double b) {
  if (a == 0 || b == 0) return;
  double p = a * b, e = 0;
  if (fabs(p) < 0x1p-950) /* the low part may not be a double; 2^-1074 is the most that is lost */
    t->lost += 0x1p-1018;
  else
    e = product_error(a, b, p);
  double sum = t->sum + p, back = sum - t->sum;
  double f = (t->sum - (sum - back)) + (p - back);
  t->sum = sum;
  t->rest += e + f;
  t->lost += fabs(e) + fabs(f);
  t->weight += fabs(p);
}

/* What |sum + rest - value| cannot exceed after so many terms. */
static double error_of(double lost, double terms) { return 4 * terms * DBL_EPSILON * lost; }

/* x + y + e from above, with e >= 0. */
static double above(double x, double y, double e) {
  if (y == 0 && e == 0) return x;
  return x + (y + e) + 4 * DBL_EPSILON * (fabs(x) + fabs(y) + e);
}

/* ---- s = G'd ---- */

static total at(const farkas *s, int32_t col) {
  total t = {s->sum[col], s->rest[col], s->lost[col], s->weight[col]};
  return t;
}

static void put(farkas *s, int32_t col, total t) {
  s->sum[col] = t.sum;
  s->rest[col] = t.rest;
  s->lost[col] = t.lost;
  s->weight[col] = t.weight;
}

/* The block at (row, col) of M or, for sign = -1, of the matrix whose negative transpose joins G.
 */
typedef struct place {
  int32_t row, col, offset, sign;
} place;

/* sums + sign w'd for count vectors w, across apart, with size entries, along apart. */
static void add_vectors(farkas *s, int32_t target, int32_t count, int32_t size, const double *w,
                        size_t across, size_t along, const double *d, double sign) {
  for (int32_t k = target; k < target + count; k++, w += across) {
    total t = at(s, k);
    for (int32_t i = 0; i < size; i++) add_product(&t, sign * w[along * (size_t)i], d[i]);
    put(s, k, t);
  }
  s->terms += size;
}

static void add_block(farkas *s, place p, int32_t rows, int32_t cols, const double *a, int32_t ld) {
  if (p.sign > 0)
    add_vectors(s, p.offset + p.col, cols, rows, a, (size_t)ld, 1, s->d + p.row, 1);
  else
    add_vectors(s, p.offset + p.row, rows, cols, a, 1, (size_t)ld, s->d + p.col, -1);
}

static void add_blocks(farkas *s, const perp_matrix *M, int32_t offset, int32_t sign) {
  const double *v = M->values;
  for (int32_t r = 0; r < M->block_rows; r++) {
    for (int32_t b = M->start[r]; b < M->start[r + 1]; b++) {
      const int32_t c = M->index[b];
      place p = {r, c, offset, sign};
      int32_t rows = 1, cols = 1;
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

static void add_matrix(farkas *s, const perp_matrix *M, int32_t offset, int32_t sign) {
  if (M->kind == PERP_BLOCKS) add_blocks(s, M, offset, sign);
  if (M->kind == PERP_DENSE) {
    place p = {0, 0, offset, sign};
    add_block(s, p, M->rows, M->cols, M->values, M->ld);
  }
  if (M->kind != PERP_DIAGONAL) return;
  for (int32_t i = 0; i < M->rows; i++) {
    place p = {i, i, offset, sign};
    add_block(s, p, 1, 1, M->values + i, 1);
  }
}

void perp_farkas_begin(farkas *s, int32_t rows, int32_t cols, const double *d, const double *q,
                       double *scratch) {
  const size_t n = (size_t)cols;
  farkas begin = {.rows = rows, .cols = cols, .d = d, .q = q, .terms = 1};
  *s = begin;
  if (n == 0) return; /* scratch may be NULL */
  s->lower = scratch;
  s->upper = scratch + n;
  s->sum = scratch + 2 * n;
  s->rest = scratch + 3 * n;
  s->lost = scratch + 4 * n;
  s->weight = scratch + 5 * n;
  memset(s->sum, 0, 4 * n * sizeof *s->sum);
}

void perp_farkas_add_dense(farkas *s, const double *M, int32_t ld) {
  add_vectors(s, 0, s->cols, s->rows, M, (size_t)ld, 1, s->d, 1);
}

void perp_farkas_add(farkas *s, const perp_matrix *M, int32_t col) { add_matrix(s, M, col, 1); }

void perp_farkas_subtract_transpose(farkas *s, const perp_matrix *M, int32_t col) {
  add_matrix(s, M, col, -1);
}

/* ---- cones ---- */

/* s_i from above. */
static double top_of(const farkas *s, int32_t i) {
  return above(s->sum[i], s->rest[i], error_of(s->lost[i], s->terms));
}

/* |s_i| from above. */
static double magnitude(const farkas *s, int32_t i) {
  const double top = top_of(s, i);
  const double depth = above(-s->sum[i], -s->rest[i], error_of(s->lost[i], s->terms));
  return !(top <= depth) ? top : depth;
}

/* || s_i ... || from above. */
static double norm_above(const farkas *s, int32_t i, int32_t size) {
  double most = 0, sum = 0;
  for (int32_t k = i; k < i + size; k++) {
    const double a = magnitude(s, k);
    if (!(a <= most)) most = a;
  }
  if (most == 0) return 0;
  for (int32_t k = i; k < i + size; k++) {
    const double a = magnitude(s, k) / most;
    sum += a * a;
  }
  return (1 + 32 * DBL_EPSILON) * (most * sqrt(sum)) + 0x1p-1060;
}

/* What is wrong as a part of the terms. */
static double part_of(double wrong, double weight) { return wrong <= 0 ? 0 : wrong / weight; }

/* s'lambda <= e lambda[col] with e = s[col] + sum of mu[k] ||s of group k||. Each unknown by itself
 * is the other way, and better where e > 0 consists of rounding only in unknowns with few terms. */
void perp_farkas_fold(farkas *s, int32_t col, int32_t groups, int32_t size, const double *mu) {
  double apart = part_of(top_of(s, col), s->weight[col]), rise = 0;
  const int32_t end = col + 1 + groups * size;
  for (int32_t i = col + 1; i < end; i++) {
    const double part = part_of(magnitude(s, i), s->weight[i]);
    if (!(part <= apart)) apart = part;
  }
  for (int32_t k = 0; k < groups; k++) {
    const double norm = norm_above(s, col + 1 + k * size, size);
    if (norm != 0 && mu[k] != 0) rise += (1 + 4 * DBL_EPSILON) * (mu[k] * norm) + 0x1p-1060;
  }
  const double e = above(top_of(s, col), rise, 4 * DBL_EPSILON * rise);
  if (!(part_of(e, s->weight[col]) < apart)) return;
  s->sum[col] = e;
  s->rest[col] = s->lost[col] = 0;
  for (int32_t i = col + 1; i < end; i++) s->sum[i] = s->rest[i] = s->lost[i] = 0;
}

/* ---- the verdict ---- */

typedef struct verdict {
  total constant;  /* d'q and what finite bounds give                     */
  double slack;    /* what the constant may be larger                     */
  double wrong;    /* max w_i                                             */
  double relative; /* max w_i / (|G|'|d|)_i                               */
  double margin;   /* c, from below; > 0 if this is a proof               */
} verdict;

static void count_wrong(verdict *v, const farkas *s, int32_t i, double w) {
  if (w > v->wrong) v->wrong = w;
  if (w > v->relative * s->weight[i]) v->relative = w / s->weight[i];
}

static void count_bound(verdict *v, const farkas *s, int32_t i, double bound) {
  add_product(&v->constant, s->sum[i], bound);
  add_product(&v->constant, s->rest[i], bound);
  v->slack += error_of(s->lost[i], s->terms) * fabs(bound);
}

/* s_i lambda_i. Bounds from far on count as infinite where they would add to the constant. */
static void count_unknown(verdict *v, const farkas *s, int32_t i, double far) {
  const double l = s->lower[i], u = s->upper[i], e = error_of(s->lost[i], s->terms);
  const double top = above(s->sum[i], s->rest[i], e);
  const double depth = above(-s->sum[i], -s->rest[i], e); /* -depth <= s_i <= top */
  const int has_lower = l >= -DBL_MAX && l > -far, has_upper = u <= DBL_MAX && u < far;
  if (top <= 0 && depth <= 0) return;
  if (top <= 0 && has_lower) {
    count_bound(v, s, i, l);
  } else if (depth <= 0 && has_upper) {
    count_bound(v, s, i, u);
  } else { /* lambda_i >= 0, then lambda_i <= 0 */
    if (top > 0 && has_upper) v->slack += u > 0 ? top * u : 0;
    if (top > 0 && !has_upper) count_wrong(v, s, i, top);
    if (depth > 0 && has_lower) v->slack += l < 0 ? depth * -l : 0;
    if (depth > 0 && !has_lower) count_wrong(v, s, i, depth);
  }
}

static verdict open_verdict(const farkas *s) {
  verdict v = {{0, 0, 0, 0}, 0, 0, 0, 0};
  for (int32_t i = 0; i < s->rows; i++) add_product(&v.constant, s->d[i], s->q[i]);
  return v;
}

static void close_verdict(const farkas *s, verdict *v) {
  const total *t = &v->constant;
  /* sums of so many positive terms are wrong by less than a part of 2^-20 */
  double extra = (1 + 0x1p-20) * (error_of(t->lost, s->rows + 2.0 * s->cols) + v->slack);
  v->margin = -above(t->sum, t->rest, extra);
}

/* Bounds beyond far / (|G|'|d|)_i are taken as infinite. */
static verdict judge(const farkas *s, double far) {
  verdict v = open_verdict(s);
  for (int32_t i = 0; i < s->cols; i++)
    count_unknown(&v, s, i, s->weight[i] > 0 ? far / s->weight[i] : (double)INFINITY);
  close_verdict(s, &v);
  return v;
}

static int finite(const farkas *s) {
  if (!perp_all_finite((size_t)s->rows, s->d) || !perp_all_finite((size_t)s->rows, s->q)) return 0;
  return perp_all_finite(4 * (size_t)s->cols, s->sum);
}

/* The verdict with all finite bounds, then the one without those too far away to count. Returns 0
 * where numbers are not finite. */
static int judge_both(const farkas *s, verdict v[2]) {
  double scale = 0;
  if (!finite(s)) return 0;
  v[0] = judge(s, (double)INFINITY);
  for (int32_t i = 0; i < s->rows; i++) scale += fabs(s->d[i] * s->q[i]);
  v[1] = judge(s, BEYOND_DOUBT * scale);
  return 1;
}

/* Least ||lambda||_1, from below. */
static double bound_of(const verdict *v) {
  if (!(v->margin > 0)) return 0;
  return v->wrong == 0 ? (double)INFINITY : (1 - 0x1p-40) * (v->margin / v->wrong);
}

double perp_farkas_bound(const farkas *s) {
  verdict v[2];
  if (!judge_both(s, v)) return 0;
  double first = bound_of(&v[0]), second = bound_of(&v[1]);
  return first > second ? first : second;
}

static int beyond_doubt(const verdict *v) {
  const double terms = v->constant.weight;
  return v->margin > 0 && v->margin >= EXACTNESS * terms && v->relative <= EXACTNESS &&
         v->margin >= BEYOND_DOUBT * v->relative * terms;
}

int perp_farkas_beyond_doubt(const farkas *s) {
  verdict v[2];
  return judge_both(s, v) && (beyond_doubt(&v[0]) || beyond_doubt(&v[1]));
}

/* Of the bounds 0 and infinity nothing joins the constant. */
int perp_farkas_orthant_beyond_doubt(const farkas *s) {
  if (!finite(s)) return 0;
  verdict v = open_verdict(s);
  for (int32_t i = 0; i < s->cols; i++)
    if (top_of(s, i) > 0) count_wrong(&v, s, i, top_of(s, i));
  close_verdict(s, &v);
  return beyond_doubt(&v);
}
