/* SPDX-License-Identifier: MIT */
/* Dual active set. With N the normals of the active constraints, turned so that each reads
 * n'x >= b, and J'PJ = 1, J'N = [R; 0], the parts of d = J'n_p for the violated constraint p give
 *
 *     z = J_2 d_2         the direction in which the minimum moves as p is pushed,
 *     r = R^-1 d_1        by which the multipliers of the others fall.
 *
 * The step is the full one, -slack / |d_2|^2, or ends where a multiplier of an inequality reaches
 * 0: that constraint leaves, and p is tried again. x stays minimal on the active set, its value
 * never falls and grows with every full step, so no set comes twice. d_2 = 0: n_p = N r; then x
 * stays, the multipliers move alone, and where none of them falls
 * n_p'x = r'N'x <= r'b < b_p for every x that satisfies the others: there is none.
 *
 * Equations enter first and never leave; their multipliers have any sign. Rotations keep J and R.
 * When nothing is violated, x and the multipliers are refined once with the factors at hand.
 * Source: Goldfarb and Idnani, Mathematical Programming 27 (1983) 1-33. */
#include "linalg/dual_set.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"

/* A normal whose part outside the active ones is smaller than this depends on them. */
#define DEPENDENT 0x1p-40
/* Digits kept in reserve when violations are told from rounding. */
#define SLOP 16

static double *column(const dual_set *s, int32_t j) { return s->J + (size_t)s->n * (size_t)j; }

static double *triangle(const dual_set *s, int32_t j) { return s->R + (size_t)s->n * (size_t)j; }

void perp_dual_set_carve(dual_set *s, arena *a, int32_t unknowns, int32_t rows) {
  const size_t n = (size_t)unknowns, m = (size_t)rows, d = sizeof(double);
  if (n > 0 && n > SIZE_MAX / n) a->failed = 1;
  /* one more each, so that none is NULL for n = 0 */
  s->x = arena_take(a, n + 1, d);
  s->J = arena_take(a, n * n, d);
  s->R = arena_take(a, n * n, d);
  s->u = arena_take(a, n + 1, d);
  s->d = arena_take(a, n + 1, d);
  s->z = arena_take(a, n + 1, d);
  s->r = arena_take(a, n + 1, d);
  s->normal = arena_take(a, n + 1, d);
  s->value = arena_take(a, m, d);
  s->size = arena_take(a, m, d);
  s->norm = arena_take(a, m, d);
  s->active = arena_take(a, n + 1, sizeof(int32_t));
  s->side = arena_take(a, m + n + 1, 1);
}

/* ---- constraints ---- */

static double bound(const double *b, int32_t i, double none) { return b == NULL ? none : b[i]; }

static double lower_of(const dual_set *s, int32_t k) {
  return k < s->m ? bound(s->row_lower, k, -(double)INFINITY)
                  : bound(s->lower, k - s->m, -(double)INFINITY);
}

static double upper_of(const dual_set *s, int32_t k) {
  return k < s->m ? bound(s->row_upper, k, (double)INFINITY)
                  : bound(s->upper, k - s->m, (double)INFINITY);
}

static int is_equation(const dual_set *s, int32_t k) { return lower_of(s, k) == upper_of(s, k); }

static void evaluate_rows(dual_set *s) {
  for (int32_t k = 0; k < s->m; k++) s->value[k] = s->size[k] = 0;
  for (int32_t j = 0; j < s->n && s->m > 0; j++) { /* without rows A may be NULL */
    const double *a = s->A + (size_t)s->ldA * (size_t)j, x = s->x[j];
    for (int32_t k = 0; k < s->m; k++) {
      double v = a[k] * x;
      s->value[k] += v;
      s->size[k] += fabs(v);
    }
  }
}

static double slop_of(const dual_set *s) { return (SLOP + s->n) * DBL_EPSILON; }

double perp_dual_set_noise(const dual_set *s) { return slop_of(s) * s->reach; }

static void note_reach(dual_set *s) {
  for (int32_t i = 0; i < s->n; i++)
    if (fabs(s->x[i]) > s->reach) s->reach = fabs(s->x[i]);
}

/* By how much constraint k is violated beyond rounding, 0 if it is not; side says where. */
static double violation(const dual_set *s, int32_t k, double noise, unsigned char *side,
                        double *size) {
  const double l = lower_of(s, k), u = upper_of(s, k);
  const double v = k < s->m ? s->value[k] : s->x[k - s->m];
  const double terms = k < s->m ? s->size[k] : fabs(v);
  const double below = l - v, over = v - u;
  *side = below > 0 ? DUAL_LOWER : DUAL_UPPER;
  *size = terms + fabs(below > 0 ? l : u);
  const double least = slop_of(s) * *size + noise;
  if (below > least) return below;
  return below <= 0 && over > least ? over : 0;
}

/* The constraint to enter: of the violated ones the farthest away, equations first; -1: none.
 * Noise in an x that is 0 but for rounding is a violation of its bound beside its own size, and may
 * be passed round without end; a run that has become suspiciously long holds it against the largest
 * entry. */
static int32_t most_violated(dual_set *s, unsigned char *side) {
  int32_t best = -1;
  int equation = 0;
  double farthest = 0;
  note_reach(s);
  const double noise = perp_dual_set_noise(s);
  const int is_long = s->iterations > 50 + 5 * ((int64_t)s->n + s->m);
  evaluate_rows(s);
  for (int32_t k = 0; k < s->m + s->n; k++) {
    unsigned char at;
    double size;
    if (s->side[k] != DUAL_INACTIVE) continue;
    const double norm = k < s->m ? s->norm[k] : 1;
    double v = violation(s, k, is_long ? noise * norm : 0, &at, &size);
    if (!(v > 0)) continue;
    int eq = is_equation(s, k);
    double distance = norm > 0 ? v / norm : v;
    if (eq < equation || (eq == equation && !(distance > farthest))) continue;
    best = k;
    equation = eq;
    farthest = distance;
    *side = at;
    s->violation = v;
    s->entering_size = size;
    s->entering_noise = noise * norm;
  }
  return best;
}

/* out += w n_k, n_k the normal of constraint k as an inequality n'x >= b. */
static void add_normal(const dual_set *s, int32_t k, int upper, double w, double *out) {
  if (upper) w = -w;
  if (k >= s->m)
    out[k - s->m] += w;
  else
    for (int32_t j = 0; j < s->n; j++) out[j] += w * s->A[(size_t)k + (size_t)s->ldA * (size_t)j];
}

/* ---- J and R ---- */

/* The rotation with c a + t b = hypot, c b - t a = 0. */
static double rotation(double a, double b, double *c, double *t) {
  const double big = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
  if (b == 0 || big == 0) {
    *c = 1;
    *t = 0;
    return a;
  }
  const double p = a / big, q = b / big, h = sqrt(p * p + q * q);
  *c = p / h;
  *t = q / h;
  return big * h;
}

static void rotate(int32_t n, double *a, double *b, double c, double t) {
  for (int32_t i = 0; i < n; i++) {
    double x = a[i], y = b[i];
    a[i] = c * x + t * y;
    b[i] = c * y - t * x;
  }
}

/* Append the normal whose J'n is d. */
static void append(dual_set *s, int32_t k) {
  const int32_t q = s->count;
  for (int32_t i = s->n - 1; i > q; i--) {
    double c, t;
    s->d[i - 1] = rotation(s->d[i - 1], s->d[i], &c, &t);
    if (t != 0) rotate(s->n, column(s, i - 1), column(s, i), c, t);
  }
  memcpy(triangle(s, q), s->d, ((size_t)q + 1) * sizeof *s->d);
  s->active[q] = k;
  s->count = q + 1;
}

/* Take the active constraint at place l out. */
static void drop(dual_set *s, int32_t l) {
  s->side[s->active[l]] = DUAL_INACTIVE;
  s->count--;
  for (int32_t j = l; j < s->count; j++) {
    double *r = triangle(s, j);
    s->active[j] = s->active[j + 1];
    s->u[j] = s->u[j + 1];
    memcpy(r, triangle(s, j + 1), ((size_t)j + 2) * sizeof *r);
  }
  s->u[s->count] = s->u[s->count + 1]; /* of the one that enters */
  for (int32_t j = l; j < s->count; j++) {
    double c, t, *r = triangle(s, j);
    r[j] = rotation(r[j], r[j + 1], &c, &t);
    r[j + 1] = 0;
    if (t == 0) continue;
    for (int32_t k = j + 1; k < s->count; k++)
      rotate(1, triangle(s, k) + j, triangle(s, k) + j + 1, c, t);
    rotate(s->n, column(s, j), column(s, j + 1), c, t);
  }
}

/* b := R^-1 b */
static void solve_upper(const dual_set *s, double *b) {
  for (int32_t j = s->count; j-- > 0;) {
    const double *r = triangle(s, j);
    b[j] /= r[j];
    for (int32_t i = 0; i < j; i++) b[i] -= r[i] * b[j];
  }
}

/* b := R'^-1 b */
static void solve_lower(const dual_set *s, double *b) {
  for (int32_t j = 0; j < s->count; j++) {
    const double *r = triangle(s, j);
    for (int32_t i = 0; i < j; i++) b[j] -= r[i] * b[i];
    b[j] /= r[j];
  }
}

/* ---- steps ---- */

/* d, z, r for the normal; the square of |d_2|, 0 if the normal depends on the active ones. */
static double directions(dual_set *s) {
  const int32_t n = s->n, q = s->count;
  double inside = 0, outside = 0;
  for (int32_t j = 0; j < n; j++) {
    double d = s->d[j] = perp_dense_dot(n, column(s, j), s->normal);
    if (j < q)
      inside += d * d;
    else
      outside += d * d;
    s->z[j] = 0;
  }
  memcpy(s->r, s->d, (size_t)q * sizeof *s->r);
  solve_upper(s, s->r);
  if (!(outside > DEPENDENT * DEPENDENT * (inside + outside))) return 0;
  for (int32_t j = q; j < n; j++) perp_dense_axpy(n, s->d[j], column(s, j), s->z);
  return outside;
}

/* r once more where the normal is taken for dependent: the ray must make n_p - N r small. */
static void refine_dual_step(dual_set *s) {
  memcpy(s->z, s->normal, (size_t)s->n * sizeof *s->z);
  for (int32_t j = 0; j < s->count; j++)
    add_normal(s, s->active[j], s->side[s->active[j]] == DUAL_UPPER, -s->r[j], s->z);
  for (int32_t j = 0; j < s->count; j++) s->d[j] = perp_dense_dot(s->n, column(s, j), s->z);
  solve_upper(s, s->d);
  for (int32_t j = 0; j < s->count; j++) s->r[j] += s->d[j];
}

/* Whether the dual step of place j counts as a fall. */
static int falls(const dual_set *s, int32_t j, double largest) {
  return s->r[j] > 16 * DBL_EPSILON * largest && !is_equation(s, s->active[j]);
}

static double largest_step(const dual_set *s) {
  double largest = 0;
  for (int32_t j = 0; j < s->count; j++)
    if (fabs(s->r[j]) > largest) largest = fabs(s->r[j]);
  return largest;
}

/* How far the multipliers let us go, and who stops us; -1: nobody. Of equal ones the steepest. */
static double dual_limit(const dual_set *s, int32_t *leaving) {
  const double largest = largest_step(s);
  double least = (double)INFINITY;
  *leaving = -1;
  for (int32_t j = 0; j < s->count; j++) {
    if (!falls(s, j, largest)) continue;
    double t = s->u[j] / s->r[j];
    if (*leaving >= 0 && (t > least || (t == least && s->r[j] <= s->r[*leaving]))) continue;
    least = t;
    *leaving = j;
  }
  return least;
}

static void move(dual_set *s, double t) {
  for (int32_t j = 0; j < s->count; j++) {
    s->u[j] -= t * s->r[j];
    if (s->u[j] < 0 && !is_equation(s, s->active[j])) s->u[j] = 0;
  }
  s->u[s->count] += t;
  perp_dense_axpy(s->n, t, s->z, s->x);
}

static int32_t report(dual_set *s, int32_t entering, int32_t leaving) {
  perp_iterate it = {s->iterations++, entering, leaving, s->violation};
  return s->observe == NULL ? 0 : s->observe(&it, s->user);
}

static double slack_of(const dual_set *s, int32_t k, unsigned char side) {
  double v = 0;
  if (k >= s->m)
    v = s->x[k - s->m];
  else
    for (int32_t j = 0; j < s->n; j++) v += s->A[(size_t)k + (size_t)s->ldA * (size_t)j] * s->x[j];
  return side == DUAL_LOWER ? v - lower_of(s, k) : upper_of(s, k) - v;
}

/* Make constraint k active. */
static perp_status enter(dual_set *s, int32_t k, unsigned char side) {
  memset(s->normal, 0, (size_t)s->n * sizeof *s->normal);
  add_normal(s, k, side == DUAL_UPPER, 1, s->normal);
  s->u[s->count] = 0;
  for (;;) {
    int32_t leaving;
    if (s->iterations >= s->limit) return PERP_MAX_ITER;
    double square = directions(s);
    if (square == 0) refine_dual_step(s);
    if (square == 0) memset(s->z, 0, (size_t)s->n * sizeof *s->z);
    double most = dual_limit(s, &leaving), slack = slack_of(s, k, side);
    double full = square > 0 ? (slack < 0 ? -slack / square : 0) : (double)INFINITY;
    if (leaving < 0 && square == 0) {
      s->entering = k;
      s->side[k] = side;
      return PERP_INFEASIBLE;
    }
    int whole = leaving < 0 || full <= most;
    move(s, whole ? full : most);
    int32_t out = whole ? -1 : s->active[leaving];
    if (whole) {
      append(s, k);
      s->side[k] = side;
    } else {
      drop(s, leaving);
    }
    if (report(s, k, out) != 0) return PERP_STOPPED;
    if (whole) return PERP_OK;
  }
}

/* ---- refinement ---- */

/* Newton's step for  Px + c = N u,  N'x = b  on the active set: with w = (R'^-1 h, J_2'g) it is
 * dx = J w,  du = R^-1 (w_1 - J_1'g),  g and h what is missing. */
static void refine(dual_set *s) {
  const int32_t n = s->n, q = s->count;
  double *g = s->normal, *w = s->d;
  for (int32_t i = 0; i < n; i++) g[i] = s->P == NULL ? s->c[i] + s->x[i] : s->c[i];
  if (s->P != NULL) perp_dense_multiply_add(n, n, s->P, s->ldP, s->x, g);
  for (int32_t i = 0; i < n; i++) g[i] = -g[i];
  for (int32_t j = 0; j < q; j++) {
    const int32_t k = s->active[j];
    add_normal(s, k, s->side[k] == DUAL_UPPER, s->u[j], g);
    w[j] = -slack_of(s, k, s->side[k]);
  }
  solve_lower(s, w);
  for (int32_t j = 0; j < n; j++) {
    double t = perp_dense_dot(n, column(s, j), g);
    if (j < q)
      s->r[j] = w[j] - t;
    else
      w[j] = t;
  }
  solve_upper(s, s->r);
  for (int32_t j = 0; j < n; j++) perp_dense_axpy(n, w[j], column(s, j), s->x);
  for (int32_t j = 0; j < q; j++) {
    s->u[j] += s->r[j];
    if (s->u[j] < 0 && !is_equation(s, s->active[j])) s->u[j] = 0;
  }
  for (int32_t j = 0; j < q; j++) { /* bounds hold exactly */
    const int32_t k = s->active[j];
    if (k >= s->m) s->x[k - s->m] = s->side[k] == DUAL_UPPER ? upper_of(s, k) : lower_of(s, k);
  }
}

/* ---- entry points ---- */

void perp_dual_set_begin(dual_set *s) {
  s->count = s->iterations = 0;
  s->reach = 0;
  s->entering = -1;
  memset(s->side, DUAL_INACTIVE, (size_t)s->m + (size_t)s->n);
  for (int32_t k = 0; k < s->m; k++) s->norm[k] = 0;
  for (int32_t j = 0; j < s->n && s->m > 0; j++) {
    const double *a = s->A + (size_t)s->ldA * (size_t)j;
    for (int32_t k = 0; k < s->m; k++) s->norm[k] += a[k] * a[k];
  }
  for (int32_t k = 0; k < s->m; k++) s->norm[k] = sqrt(s->norm[k]);
}

perp_status perp_dual_set_run(dual_set *s) {
  int refined = 0;
  for (;;) {
    unsigned char side = DUAL_LOWER;
    int32_t k = most_violated(s, &side);
    if (k < 0 && refined) return PERP_OK;
    if (k < 0) {
      refine(s);
      refined = 1;
      continue;
    }
    refined = 0;
    perp_status status = enter(s, k, side);
    if (status != PERP_OK) return status;
  }
}

void perp_dual_set_multipliers(const dual_set *s, double *rows, double *bounds) {
  for (int32_t k = 0; k < s->m; k++) rows[k] = 0;
  for (int32_t i = 0; bounds != NULL && i < s->n; i++) bounds[i] = 0;
  for (int32_t j = 0; j < s->count; j++) {
    const int32_t k = s->active[j];
    const double u = s->side[k] == DUAL_UPPER ? -s->u[j] : s->u[j];
    if (k < s->m)
      rows[k] = u;
    else if (bounds != NULL)
      bounds[k - s->m] = u;
  }
}

void perp_dual_set_ray(const dual_set *s, double *rows) {
  for (int32_t k = 0; k < s->m; k++) rows[k] = 0;
  if (s->entering < s->m) rows[s->entering] = s->side[s->entering] == DUAL_UPPER ? -1 : 1;
  for (int32_t j = 0; j < s->count; j++) {
    const int32_t k = s->active[j];
    double r = -s->r[j];
    if (r < 0 && !is_equation(s, k)) r = 0;
    if (k < s->m) rows[k] = s->side[k] == DUAL_UPPER ? -r : r;
  }
}
