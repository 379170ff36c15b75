/* SPDX-License-Identifier: MIT */
/* Scaling, functions and steps of the Newton methods.
 *
 * Scaling: y' = R y, λ = C x with powers of two that bring the largest entry of every row and
 * column of R M C near 1 [Ruiz 2001], and the data R (M P(0) + q) to size 1. Boxes and
 * complementarity keep their meaning under any positive R and C, and a symmetric M stays so.
 *
 * A step from x; the merit is θ = ½ ‖Φ‖². Directions, the first that serves:
 *   1. min function:  d_N = bound − x_N,  (A_FF + σI) d_F = −(y_F + A_FN d_N),
 *      or Fischer and Burmeister:  V d = −Φ;
 *   2. Levenberg and Marquardt:  (VᵀV + μI) d = −VᵀΦ,  μ falling with ‖Φ‖;
 *   3. steepest descent:  d = −VᵀΦ.
 * A whole step that brings the merit below nine tenths of the largest remembered one is taken
 * without further ado; else t = 1, 1/2, ... until
 *   θ(x + t d) <= max remembered θ + 10⁻⁴ t ∇θᵀd.
 * Since that maximum has to fall again and again, steps of the first kind cannot cycle. */
#include "solver/newton.h"

#include <string.h>

#include "base/finite.h"
#include "linalg/dense.h"
#include "linalg/matrix.h"

/* --- scaling --------------------------------------------------------------------------------- */

enum { RUIZ_PASSES = 4 };

/* row, col /= root of the largest entry of every row and column as scaled so far; t, d: maxima. */
static void ruiz_pass(newton *s) {
  const size_t n = (size_t)s->n;
  memset(s->t, 0, n * sizeof *s->t);
  memset(s->d, 0, n * sizeof *s->d);
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) {
      const double v = fabs(s->A[i + n * j]) * s->row[i] * s->col[j];
      if (v > s->t[i]) s->t[i] = v;
      if (v > s->d[j]) s->d[j] = v;
    }
  for (size_t i = 0; i < n; i++) {
    if (s->t[i] >= DBL_MIN && s->t[i] <= DBL_MAX) s->row[i] /= sqrt(s->t[i]);
    if (s->d[i] >= DBL_MIN && s->d[i] <= DBL_MAX) s->col[i] /= sqrt(s->d[i]);
  }
}

/* The size of the data: R (M P(0) + q), C^-1 P(0). */
static double data_size(newton *s) {
  const perp_problem *p = s->run->problem;
  double size = 0;
  for (int32_t i = 0; i < s->n; i++) s->t[i] = clip(0, s->l[i], s->u[i]);
  memcpy(s->y, p->q, (size_t)s->n * sizeof *s->y);
  perp_matrix_multiply_add(&p->M, s->t, s->y);
  for (int32_t i = 0; i < s->n; i++) {
    const double v = fabs(s->row[i] * s->y[i]), w = fabs(s->t[i] / s->col[i]);
    if (v > size) size = v;
    if (w > size) size = w;
  }
  return size;
}

int perp_newton_scale(newton *s) {
  const size_t n = (size_t)s->n;
  const perp_problem *p = s->run->problem;
  perp_matrix_to_dense(&p->M, s->A, s->n);
  for (size_t i = 0; i < n; i++) s->row[i] = s->col[i] = 1;
  for (int pass = 0; pass < RUIZ_PASSES; pass++) ruiz_pass(s);
  for (size_t i = 0; i < n; i++) {
    s->row[i] = power_of_two(s->row[i]);
    s->col[i] = power_of_two(s->col[i]);
  }
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) s->A[i + n * j] *= s->row[i] * s->col[j];
  const double size = power_of_two(data_size(s));
  for (size_t i = 0; i < n; i++) {
    s->row[i] /= size;
    s->col[i] *= size;
    s->q[i] = s->row[i] * p->q[i];
    s->l[i] /= s->col[i];
    s->u[i] /= s->col[i];
  }
  const perp_matrix A = perp_dense(s->n, s->n, s->A);
  perp_mode_basis_open(&s->basis, &A);
  return all_finite(n * n, s->A) && all_finite(n, s->q);
}

/* --- functions ------------------------------------------------------------------------------- */

void perp_newton_map(const newton *s, const double *x, double *y) {
  memcpy(y, s->q, (size_t)s->n * sizeof *y);
  if (s->sigma != 0)
    for (int32_t i = 0; i < s->n; i++) y[i] += s->sigma * (x[i] - s->anchor[i]);
  perp_dense_multiply_add(s->n, s->n, s->A, s->n, x, y);
}

static double finite_or_infinity(double theta) {
  return theta <= DBL_MAX ? theta : (double)INFINITY;
}

double perp_newton_merit(const newton *s, const double *x, const double *y) {
  double sum = 0;
  for (int32_t i = 0; i < s->n; i++) {
    const double v = fischer_interval(x[i], y[i], s->l[i], s->u[i]).value;
    sum += v * v;
  }
  return finite_or_infinity(0.5 * sum);
}

void perp_newton_linearise(newton *s) {
  double sum = 0;
  for (int32_t i = 0; i < s->n; i++) {
    const fischer_slope c = fischer_interval(s->x[i], s->y[i], s->l[i], s->u[i]);
    s->phi[i] = c.value;
    s->da[i] = c.a;
    s->db[i] = c.b;
    sum += c.value * c.value;
  }
  s->theta = finite_or_infinity(0.5 * sum);
}

void perp_newton_modes(const newton *s, unsigned char *mode) {
  for (int32_t i = 0; i < s->n; i++) {
    const double v = s->x[i] - s->y[i];
    mode[i] = v <= s->l[i] ? PERP_MODE_LOWER : v >= s->u[i] ? PERP_MODE_UPPER : PERP_MODE_FREE;
    if (!(s->l[i] < s->u[i])) mode[i] = PERP_MODE_LOWER;
  }
}

/* --- directions ------------------------------------------------------------------------------ */

/* A whole step must bring the merit below this part of the reference. */
#define ENOUGH 0.9
/* What is added to a singular A_FF. */
#define SHIFT 1e-9

enum { HALVINGS = 12, HALVINGS_LAST = 40 };

static double cube(double n) { return n * n * n; }

static double *column_of(double *A, int32_t n, int32_t j) { return A + (size_t)n * (size_t)j; }

/* The factor for s->mode. A singular A_FF is moved a little: where the system can be solved all
 * the same, as for a semidefinite A, the steps then converge to one of its solutions. */
static int factor_basis(newton *s) {
  mode_basis *b = &s->basis;
  if (b->k >= 0 && memcmp(s->mode, s->factored, (size_t)s->n) == 0) return 1;
  memcpy(s->factored, s->mode, (size_t)s->n);
  int done = perp_mode_basis_factor(b, s->mode, s->sigma);
  s->work += cube(b->k) / 3;
  if (done) return 1;
  done = perp_mode_basis_factor(b, s->mode, s->sigma + SHIFT);
  s->work += cube(b->k) / 3;
  if (!done) b->k = -1;
  return done;
}

int perp_newton_basis_step(newton *s) {
  const int32_t n = s->n;
  if (!factor_basis(s)) return 0;
  memcpy(s->t, s->y, (size_t)n * sizeof *s->t);
  for (int32_t j = 0; j < n; j++) {
    s->d[j] = 0;
    if (s->mode[j] == PERP_MODE_FREE) continue;
    s->d[j] = (s->mode[j] == PERP_MODE_LOWER ? s->l[j] : s->u[j]) - s->x[j];
    if (s->d[j] != 0) perp_dense_axpy(n, s->d[j], column_of(s->A, n, j), s->t);
  }
  double *rhs = s->ty;
  const mode_basis *b = &s->basis;
  for (int32_t a = 0; a < b->k; a++) rhs[a] = -s->t[b->member[a]];
  perp_mode_basis_solve(b, rhs);
  for (int32_t a = 0; a < b->k; a++) s->d[b->member[a]] = rhs[a];
  return all_finite((size_t)n, s->d);
}

static int fischer_step(newton *s) {
  const int32_t n = s->n;
  s->basis.k = -1;
  for (int32_t j = 0; j < n; j++) {
    const double *a = column_of(s->A, n, j);
    double *f = column_of(s->basis.factor, n, j);
    for (int32_t i = 0; i < n; i++) f[i] = s->db[i] * a[i];
    f[j] += s->da[j] + s->db[j] * s->sigma;
  }
  s->work += cube(n) / 3;
  if (perp_dense_lu_factor(n, s->basis.factor, n, s->basis.pivots) != PERP_OK) return 0;
  for (int32_t i = 0; i < n; i++) s->d[i] = -s->phi[i];
  perp_dense_lu_solve(n, 1, s->basis.factor, n, s->basis.pivots, s->d, n);
  return all_finite((size_t)n, s->d);
}

/* g := VᵀΦ */
static void gradient(newton *s) {
  const int32_t n = s->n;
  for (int32_t i = 0; i < n; i++) s->t[i] = s->db[i] * s->phi[i];
  for (int32_t j = 0; j < n; j++)
    s->g[j] =
        s->da[j] * s->phi[j] + s->sigma * s->t[j] + perp_dense_dot(n, column_of(s->A, n, j), s->t);
}

/* Lower triangle of VᵀV + μI into F. With w = diag(db)² times column j of A + σI:
 *   (VᵀV)_kj = (A + σI)_·k · w + da_j db_j (A + σI)_jk + da_k db_k (A + σI)_kj + δ_kj da_j². */
static void normal_matrix(newton *s, double mu) {
  const int32_t n = s->n;
  for (int32_t j = 0; j < n; j++) {
    const double *a = column_of(s->A, n, j);
    double *f = column_of(s->basis.factor, n, j), *w = s->t;
    for (int32_t i = 0; i < n; i++) w[i] = s->db[i] * s->db[i] * a[i];
    w[j] += s->db[j] * s->db[j] * s->sigma;
    for (int32_t k = j; k < n; k++) {
      const double *b = column_of(s->A, n, k);
      f[k] = perp_dense_dot(n, b, w) + s->sigma * w[k] + s->da[j] * s->db[j] * b[j] +
             s->da[k] * s->db[k] * a[k];
    }
    f[j] += s->da[j] * (s->da[j] + 2 * s->db[j] * s->sigma) + mu;
  }
}

static int marquardt_step(newton *s, double mu) {
  s->basis.k = -1;
  s->work += cube(s->n) * 2 / 3;
  normal_matrix(s, mu);
  if (perp_dense_cholesky(s->n, s->basis.factor, s->n) != PERP_OK) return 0;
  for (int32_t i = 0; i < s->n; i++) s->d[i] = -s->g[i];
  perp_dense_cholesky_solve(s->n, s->basis.factor, s->n, s->d);
  return all_finite((size_t)s->n, s->d);
}

/* --- line search ----------------------------------------------------------------------------- */

static void accept(newton *s) {
  const size_t bytes = (size_t)s->n * sizeof(double);
  memcpy(s->x, s->tx, bytes);
  memcpy(s->y, s->ty, bytes);
}

void perp_newton_move(newton *s, int basis) {
  for (int32_t i = 0; i < s->n; i++) {
    s->tx[i] = s->x[i] + s->d[i];
    if (basis && s->mode[i] == PERP_MODE_LOWER) s->tx[i] = s->l[i];
    if (basis && s->mode[i] == PERP_MODE_UPPER) s->tx[i] = s->u[i];
  }
}

/* Try the whole step. Leaves its y in ty. */
static int whole_step(newton *s, int basis, double enough) {
  perp_newton_move(s, basis);
  perp_newton_map(s, s->tx, s->ty);
  if (!(perp_newton_merit(s, s->tx, s->ty) <= enough)) return 0;
  accept(s);
  return 1;
}

/* Shorten d, whose whole step was tried, until the merit falls. y is affine: its change along d,
 * kept in t, serves every trial. */
static int shorten(newton *s, double reference_value, int halvings) {
  const int32_t n = s->n;
  const double slope = perp_dense_dot(n, s->g, s->d);
  const double size = perp_dense_dot(n, s->g, s->g) * perp_dense_dot(n, s->d, s->d);
  if (!(slope < 0 && slope * slope >= 1e-20 * size)) return 0;
  for (int32_t i = 0; i < n; i++) s->t[i] = s->ty[i] - s->y[i];
  double t = 1;
  for (int h = 0; h <= halvings; h++) {
    for (int32_t i = 0; i < n; i++) {
      s->tx[i] = s->x[i] + t * s->d[i];
      s->ty[i] = s->y[i] + t * s->t[i];
    }
    if (perp_newton_merit(s, s->tx, s->ty) <= reference_value + 1e-4 * t * slope) {
      perp_newton_map(s, s->tx, s->ty);
      accept(s);
      return 1;
    }
    t *= 0.5;
  }
  return 0;
}

/* Steps that are sure to go downhill. Here the merit has to fall: allowing it to rise serves the
 * steps that are quadratically convergent. */
static int descend(newton *s) {
  const double size = sqrt(2 * s->theta);
  double next = 1e-2 * (size < 1 ? size : 1);
  for (int trial = 0; trial < 3; trial++) {
    const double mu = next > 1e-14 ? next : 1e-14;
    next *= 1e3;
    if (!marquardt_step(s, mu)) continue;
    if (whole_step(s, 0, 0.5 * s->theta)) return 1;
    if (shorten(s, s->theta, HALVINGS)) return 1;
  }
  for (int32_t i = 0; i < s->n; i++) s->d[i] = -s->g[i];
  return whole_step(s, 0, 0.5 * s->theta) || shorten(s, s->theta, HALVINGS_LAST);
}

int perp_newton_advance(newton *s) {
  merits_remember(&s->merits, s->history, s->theta);
  const double highest = merits_largest(&s->merits, s->history);
  s->work += 4 * (double)s->n * s->n;
  if (s->natural) perp_newton_modes(s, s->mode);
  const int usable = s->natural ? perp_newton_basis_step(s) : fischer_step(s);
  if (usable && whole_step(s, s->natural, ENOUGH * highest)) return 1;
  gradient(s);
  if (!all_finite((size_t)s->n, s->g)) return 0;
  if (usable && shorten(s, highest, HALVINGS)) return 1;
  return descend(s);
}
