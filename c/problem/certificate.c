/* SPDX-License-Identifier: MIT */
/* Farkas certificates of interval problems. C is the recession cone of K = prod [l_i, u_i]. At a
 * solution -y is in N_K(lambda), so for d in C (lambda + d in K) d'y >= 0; with s = M'd
 *
 *   0 <= d'y = d'q + sum s_i lambda_i <= d'q + sum over finite bounds of sup s_i lambda_i
 *                                            + sum over the rest of w_i |lambda_i|,
 *
 * where w_i is what s_i has of the sign for which sup s_i lambda_i would be infinite. If the
 * constant part is -c < 0, every solution has sum w_i |lambda_i| >= c; if all w_i are 0 there is
 * none. The inequality holds also for a w_i = |s_i| where the bound is finite but so far away that
 * the rounding of s_i would spoil the constant: both ways are tried.
 *
 * Every sum is a pair sum + rest: products and sums without error (Dekker 1971, Knuth), their low
 * parts added up in rest, and in lost the magnitudes of these, which bound the rounding of rest
 * (Ogita, Rump and Oishi, SIAM J. Sci. Comput. 26 (2005) 1955-1988). lost = 0 means exact. What
 * overflows becomes NaN and proves nothing. */
#include "problem/certificate.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/finite.h"
#include "problem/bounds.h"
#include "problem/residual.h"

#define BEYOND_DOUBT 0x1p42

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

/* ---- s = M'd ---- */

typedef struct farkas {
  const perp_problem *p;
  const double *d;
  double *lower, *upper;
  double *sum, *rest, *lost, *weight; /* s, see total */
  double terms;                       /* added to any of the sums, at most */
} farkas;

static void add_column(farkas *s, int32_t col, int32_t rows, const double *a, const double *d) {
  total t = {s->sum[col], s->rest[col], s->lost[col], s->weight[col]};
  for (int32_t i = 0; i < rows; i++) {
    if (d[i] != 0) add_product(&t, a[i], d[i]);
  }
  s->sum[col] = t.sum;
  s->rest[col] = t.rest;
  s->lost[col] = t.lost;
  s->weight[col] = t.weight;
  s->terms += rows;
}

static void add_blocks(farkas *s) {
  const perp_matrix *M = &s->p->M;
  const double *v = M->values;
  for (int32_t r = 0; r < M->block_rows; r++) {
    for (int32_t b = M->start[r]; b < M->start[r + 1]; b++) {
      int32_t row = r, rows = 1, col = M->index[b], end = col + 1;
      if (M->offset != NULL) {
        row = M->offset[r];
        rows = M->offset[r + 1] - row;
        end = M->offset[col + 1];
        col = M->offset[col];
      }
      for (; col < end; col++, v += rows) add_column(s, col, rows, v, s->d + row);
    }
  }
}

static void multiply(farkas *s) {
  const perp_matrix *M = &s->p->M;
  const size_t n = (size_t)s->p->n;
  memset(s->sum, 0, 4 * n * sizeof *s->sum);
  s->terms = (double)n;
  if (M->kind == PERP_DIAGONAL)
    for (int32_t i = 0; i < s->p->n; i++) add_column(s, i, 1, M->values + i, s->d + i);
  if (M->kind == PERP_DENSE)
    for (int32_t j = 0; j < s->p->n; j++)
      add_column(s, j, s->p->n, M->values + (size_t)M->ld * (size_t)j, s->d);
  if (M->kind == PERP_BLOCKS) add_blocks(s);
}

/* ---- the verdict ---- */

typedef struct verdict {
  total constant;  /* d'q and what finite bounds give                     */
  double slack;    /* what the constant may be larger                     */
  double wrong;    /* max w_i                                             */
  double relative; /* max w_i / (|M|'|d|)_i                               */
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

/* Bounds beyond far / (|M|'|d|)_i are taken as infinite. */
static verdict judge(const farkas *s, double far) {
  verdict v = {{0, 0, 0, 0}, 0, 0, 0, 0};
  const int32_t n = s->p->n;
  for (int32_t i = 0; i < n; i++) add_product(&v.constant, s->d[i], s->p->q[i]);
  for (int32_t i = 0; i < n; i++)
    count_unknown(&v, s, i, s->weight[i] > 0 ? far / s->weight[i] : (double)INFINITY);
  const total *t = &v.constant;
  /* sums of n positive terms are wrong by a part of n eps < 2^-20 */
  double extra = (1 + 0x1p-20) * (error_of(t->lost, s->terms + 3.0 * n) + v.slack);
  v.margin = -above(t->sum, t->rest, extra);
  return v;
}

/* Whether d lies in C. NaN does not. */
static int in_cone(const farkas *s) {
  for (int32_t i = 0; i < s->p->n; i++) {
    const int down = s->lower[i]<-DBL_MAX, up = s->upper[i]> DBL_MAX;
    if (!(s->d[i] == 0 || (s->d[i] > 0 && up) || (s->d[i] < 0 && down))) return 0;
  }
  return all_finite((size_t)s->p->n, s->d);
}

/* Whether d lies in C and all numbers are finite; then s is ready. */
static int prepare(farkas *s, const perp_problem *p, const double *d, double *scratch) {
  const size_t n = (size_t)p->n;
  s->p = p;
  s->d = d;
  s->lower = scratch;
  s->upper = scratch + n;
  s->sum = scratch + 2 * n;
  s->rest = scratch + 3 * n;
  s->lost = scratch + 4 * n;
  s->weight = scratch + 5 * n;
  perp_problem_bounds(p, s->lower, s->upper);
  if (!in_cone(s) || !all_finite(n, p->q)) return 0;
  multiply(s);
  return all_finite(4 * n, s->sum);
}

/* Least ||lambda||_1 of a solution, from below. */
static double bound_of(const verdict *v) {
  if (!(v->margin > 0)) return 0;
  return v->wrong == 0 ? (double)INFINITY : (1 - 0x1p-40) * (v->margin / v->wrong);
}

static int beyond_doubt(const verdict *v) {
  return v->margin > 0 && v->margin >= BEYOND_DOUBT * v->relative * v->constant.weight;
}

/* The verdict with all finite bounds, then the one without those too far away to count. */
static void judge_both(const farkas *s, verdict v[2]) {
  double scale = 0;
  v[0] = judge(s, (double)INFINITY);
  for (int32_t i = 0; i < s->p->n; i++) scale += fabs(s->d[i] * s->p->q[i]);
  v[1] = judge(s, BEYOND_DOUBT * scale);
}

void perp_certificate_project(const perp_problem *problem, double *u, double *scratch) {
  double *lower = scratch, *upper = scratch + problem->n;
  if (problem->n == 0) return;
  perp_problem_bounds(problem, lower, upper);
  for (int32_t i = 0; i < problem->n; i++) {
    if ((u[i] > 0 && upper[i] <= DBL_MAX) || (u[i] < 0 && lower[i] >= -DBL_MAX)) u[i] = 0;
  }
}

int perp_certificate_proves(const perp_problem *problem, const double *u, double *scratch,
                            double bound_wanted) {
  farkas s;
  verdict v[2];
  if (problem->n == 0 || !prepare(&s, problem, u, scratch)) return 0;
  judge_both(&s, v);
  if (bound_wanted > 0) return bound_of(&v[0]) >= bound_wanted || bound_of(&v[1]) >= bound_wanted;
  return bound_wanted == 0 && (beyond_doubt(&v[0]) || beyond_doubt(&v[1]));
}

perp_status perp_problem_certificate(const perp_problem *problem, const double *u, double *bound,
                                     void *work, size_t work_bytes) {
  const uint32_t intervals = 1u << PERP_SET_FREE | 1u << PERP_SET_ORTHANT | 1u << PERP_SET_BOX;
  perp_status status = perp_problem_check(problem, NULL);
  if (status != PERP_OK) return status;
  if (bound == NULL) return PERP_EINVAL;
  *bound = 0;
  if ((perp_problem_sets(problem) & ~intervals) != 0) return PERP_EUNSUPPORTED;
  if (problem->n == 0) return PERP_INACCURATE;
  if (u == NULL || work == NULL) return PERP_EINVAL;
  arena a = arena_open(work, work_bytes);
  double *scratch = arena_take(&a, certificate_scratch_doubles(problem->n), sizeof *scratch);
  if (!arena_fits(&a)) return PERP_EWORKSPACE;
  farkas s;
  verdict v[2];
  if (!prepare(&s, problem, u, scratch)) return PERP_INACCURATE;
  judge_both(&s, v);
  double first = bound_of(&v[0]), second = bound_of(&v[1]);
  *bound = first > second ? first : second;
  return *bound > 0 ? PERP_OK : PERP_INACCURATE;
}
