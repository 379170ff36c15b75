/* SPDX-License-Identifier: MIT */
/* min ½ λᵀM λ + qᵀλ on [l, u] for symmetric positive definite M, by conjugate gradients on the face
 * of the unknowns between their bounds. In the variables x = λ / s, s_i = 1 / √M_ii, with
 * g = S (M S x + q) the gradient, φ its part on the free unknowns and β what of the rest points
 * inside:
 *
 *   ‖β‖ <= ‖φ‖:  x := x − α p,  α = gᵀp / pᵀMp,  p := φ − (φᵀMp / pᵀMp) p;  where that leaves the
 *                box x := P(x − α p) instead, and p := φ;
 *   otherwise    x := x − α β  as far as the box goes, and p := φ.
 *
 * Where M is not symmetric, sweeps of projected Gauss–Seidel, x_i := P(x_i − g_i), take the place
 * of that. Four unknowns at a time they change g of all by four columns.
 *
 * For dense M all that happens on a subset that is copied out of M: every unknown that is not at a
 * bound where y holds it. The subset is solved roughly, then y of all is looked at, and the subset
 * is made anew, until nothing outside of it moves. So most products touch a quarter of M.
 * Source: Dostál, Optimal Quadratic Programming Algorithms, 2009, ch. 5 (MPRGP). */
#include "portfolio/subspace.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "solver/sweeps.h"

void perp_subspace_carve(subspace *s, arena *a, int32_t n, int32_t matrix) {
  const size_t size = (size_t)n;
  s->vector = arena_take(a, size, SUBSPACE_VECTORS * sizeof(double));
  s->list = arena_take(a, size, sizeof(int32_t));
  s->block = NULL;
  if (matrix == PERP_DENSE) s->block = arena_take(a, size, size * sizeof(double));
}

/* The vectors of the subset, size entries each. */
typedef struct face {
  int32_t k;
  double *x, *g, *p, *Mp, *lower, *upper, *scale, *root, *beta, *to;
  const double *block; /* NULL: M itself, the subset is everything */
  const perp_matrix *M;
  subspace *s;
  double target;     /* on |g_i| √M_ii */
  double least_root; /* of M_ii        */
} face;

static face open_face(subspace *s) {
  const size_t n = (size_t)s->problem->n;
  double *v = s->vector;
  face f = {s->size,        v,         v + n,     v + 2 * n, v + 3 * n, v + 4 * n,
            v + 5 * n,      v + 6 * n, v + 7 * n, v + 8 * n, v + 9 * n, s->block,
            &s->problem->M, s,         0,         INFINITY};
  return f;
}

static double dot(const face *f, const double *x, const double *y) {
  return perp_dense_dot(f->k, x, y);
}

/* out := scaled M in. */
static void multiply(face *f, const double *in, double *out) {
  const int32_t k = f->k;
  memset(out, 0, (size_t)k * sizeof *out);
  f->s->iterations++;
  if (f->block != NULL) {
    perp_dense_multiply_add(k, k, f->block, k, in, out);
    f->s->work -= (double)k * k;
    return;
  }
  for (int32_t i = 0; i < k; i++) f->to[i] = f->scale[i] * in[i];
  perp_matrix_multiply_add(f->M, f->to, out);
  for (int32_t i = 0; i < k; i++) out[i] *= f->scale[i];
  f->s->work -= f->M->kind == PERP_BLOCKS && f->M->offset == NULL ? f->M->start[k] : 9.0 * k;
}

/* Squares of the norms of φ and β. */
typedef struct split {
  double phi, beta;
} split;

/* phi := φ, f->beta := β. */
static split split_gradient(const face *f, double *restrict phi) {
  const double *restrict x = f->x, *restrict g = f->g, *restrict l = f->lower,
                         *restrict u = f->upper;
  double *restrict beta = f->beta;
  for (int32_t i = 0; i < f->k; i++) {
    const double low = x[i] > l[i] ? 0 : (g[i] < 0 ? g[i] : 0); /* what a bound lets pass */
    const double high = x[i] < u[i] ? 0 : (g[i] > 0 ? g[i] : 0);
    phi[i] = x[i] > l[i] ? (x[i] < u[i] ? g[i] : 0) : 0;
    beta[i] = l[i] < u[i] ? low + high : 0;
  }
  const split t = {dot(f, phi, phi), dot(f, beta, beta)};
  return t;
}

/* Whether all |g_i| √M_ii that are free or point inside are within the target. */
static int close(const face *f, split t) {
  const double square = t.phi + t.beta, target = f->target / f->least_root;
  if (square > target * target * f->k) return 0;
  double largest = 0;
  for (int32_t i = 0; i < f->k; i++) {
    const int free = (f->x[i] > f->lower[i]) & (f->x[i] < f->upper[i]);
    const double size = fabs(free ? f->g[i] : f->beta[i]) * f->root[i];
    largest = size > largest ? size : largest;
  }
  return largest <= f->target;
}

/* Whether x − α p is in the box; to := it. */
static int stays(const face *f, double a, const double *restrict p, double *restrict to) {
  const double *restrict x = f->x, *restrict l = f->lower, *restrict u = f->upper;
  double out0 = 0, out1 = 0; /* sums of what lies outside */
  for (int32_t i = 0; i < f->k; i++) to[i] = x[i] - a * p[i];
  for (int32_t i = 0; i < f->k; i++) {
    out0 += to[i] < l[i] ? 1 : 0;
    out1 += to[i] > u[i] ? 1 : 0;
  }
  return out0 + out1 == 0;
}

/* x := P(x − α p), or where that does not make the function fall, the lowest point on the way
 * there. p becomes the way. 0 if it does not fall at all. */
static int project_step(face *f, double a) {
  for (int32_t i = 0; i < f->k; i++)
    f->p[i] = f->x[i] - clip(f->x[i] - a * f->p[i], f->lower[i], f->upper[i]);
  const double slope = dot(f, f->g, f->p);
  if (!(slope > 0)) return 0;
  multiply(f, f->p, f->Mp);
  const double curvature = dot(f, f->p, f->Mp), t = slope > 0.5 * curvature ? 1 : slope / curvature;
  for (int32_t i = 0; i < f->k; i++) {
    f->x[i] = clip(f->x[i] - t * f->p[i], f->lower[i], f->upper[i]);
    f->g[i] -= t * f->Mp[i];
  }
  return 1;
}

/* What ends the iterations from outside, or PERP_OK. */
static int tell(const subspace *s, double merit) {
  const perp_solver_options *o = s->options;
  if (!(s->work > 0) || (o->max_iter > 0 && s->iterations + 2 > o->max_iter)) return SUBSPACE_SLOW;
  const perp_iterate it = {s->iterations, -1, -1, merit};
  return o->observe != NULL && o->observe(&it, o->user) != 0 ? SUBSPACE_STOPPED : PERP_OK;
}

/* x := to, g −= α Mp; the next conjugate direction. */
static split advance(face *f, double a, double curvature) {
  const double *restrict Mp = f->Mp;
  double *restrict g = f->g, *restrict p = f->p, *phi = f->x;
  f->x = f->to;
  f->to = phi;
  for (int32_t i = 0; i < f->k; i++) g[i] -= a * Mp[i];
  const split t = split_gradient(f, phi);
  const double gamma = dot(f, phi, Mp) / curvature;
  for (int32_t i = 0; i < f->k; i++) p[i] = phi[i] - gamma * p[i];
  return t;
}

/* To f->target; PERP_OK, SUBSPACE_NOT_DEFINITE, SUBSPACE_SLOW, SUBSPACE_STOPPED. */
static int minimise(face *f) {
  split t = split_gradient(f, f->p);
  while (!close(f, t)) {
    const int ended = tell(f->s, sqrt(t.phi + t.beta));
    if (ended) return ended;
    if (t.beta > t.phi)
      for (int32_t i = 0; i < f->k; i++) f->p[i] += f->beta[i];
    multiply(f, f->p, f->Mp);
    const double curvature = dot(f, f->p, f->Mp), square = dot(f, f->p, f->p);
    if (!(curvature > DBL_EPSILON * square)) return SUBSPACE_NOT_DEFINITE;
    const double a = dot(f, f->g, f->p) / curvature;
    if (stays(f, a, f->p, f->to)) {
      t = advance(f, a, curvature);
      continue;
    }
    if (!project_step(f, a)) { /* only a direction that is no gradient does not fall */
      (void)split_gradient(f, f->p);
      if (!project_step(f, 1)) return SUBSPACE_SLOW;
    }
    t = split_gradient(f, f->p);
  }
  return PERP_OK;
}

/* One sweep over the unknowns. */
static void relax(face *f) {
  const int32_t k = f->k;
  for (int32_t b = 0; b < k; b += 4) {
    const int32_t count = k - b < 4 ? k - b : 4;
    const double *block = f->block + (size_t)k * (size_t)b;
    double change[4] = {0, 0, 0, 0}, any = 0;
    for (int32_t c = 0; c < count; c++) {
      const int32_t i = b + c;
      double g = f->g[i]; /* with the changes of this group */
      for (int32_t d = 0; d < c; d++) g += block[(size_t)i + (size_t)k * (size_t)d] * change[d];
      const double to = clip(f->x[i] - g, f->lower[i], f->upper[i]);
      change[c] = to - f->x[i];
      any += fabs(change[c]);
      f->x[i] = to;
    }
    if (any != 0) perp_dense_multiply_add(k, count, block, k, change, f->g);
  }
  f->s->iterations++;
  f->s->work -= (double)k * k;
}

/* Sweeps to f->target, as long as so many of them reduce the error to a part. */
static int sweep(face *f, int32_t patience, double part) {
  double last = INFINITY;
  split t = split_gradient(f, f->p);
  for (int32_t sweeps = 0; !close(f, t); sweeps++) {
    const double norm = sqrt(t.phi + t.beta);
    const int ended = tell(f->s, norm);
    if (ended) return ended;
    if (sweeps % patience == 0) {
      if (!(norm < part * last)) return SUBSPACE_SLOW;
      last = norm;
    }
    relax(f);
    t = split_gradient(f, f->p);
  }
  return PERP_OK;
}

/* To f->target by whatever is fast: once conjugate gradients promise more, they do the rest. */
static int solve_face(face *f) {
  subspace *s = f->s;
  if (!s->symmetric) return sweep(f, 8, 0.5);
  if (s->block != NULL && !s->slow) {
    const int status = sweep(f, 2, 0.2);
    if (status != SUBSPACE_SLOW) return status;
    s->slow = 1;
  }
  return minimise(f);
}

/* ---- the subset ---- */

static int held(const subspace *s, int32_t i) {
  const double x = s->lambda[i], y = s->y[i];
  if (!(s->lower[i] < s->upper[i])) return 1;
  return (x <= s->lower[i] && y >= 0) || (x >= s->upper[i] && y <= 0);
}

static double diagonal(const subspace *s, int32_t i) {
  const perp_matrix *M = &s->problem->M;
  if (M->kind == PERP_DENSE) return M->values[(size_t)i * ((size_t)M->ld + 1)];
  return perp_matrix_entry(M, i, i);
}

/* Whether the subset still has every unknown that no bound holds, and few others. */
static int still_fits(const subspace *s) {
  int32_t at = 0, needed = 0;
  for (int32_t i = 0; i < s->problem->n; i++) {
    const int inside = at < s->size && s->list[at] == i;
    at += inside;
    if (held(s, i)) continue;
    if (!inside) return 0;
    needed++;
  }
  return 8 * needed >= 7 * s->size;
}

/* The subset: everything for sparse M. */
static void choose(subspace *s) {
  const int all = s->block == NULL;
  s->size = 0;
  for (int32_t i = 0; i < s->problem->n; i++)
    if (all || !held(s, i)) s->list[s->size++] = i;
}

/* Scaled copy of M on the subset if it is not known, and its vectors at λ. 0 if a diagonal entry is
 * not positive. */
static int gather(subspace *s, face *f, int known) {
  const perp_matrix *M = &s->problem->M;
  const int32_t k = s->size;
  for (int32_t a = 0; a < k; a++) {
    const int32_t i = s->list[a];
    const double d = diagonal(s, i);
    if (!(d > 0 && d <= DBL_MAX)) return 0;
    const double r = sqrt(d);
    f->root[a] = r;
    f->least_root = r < f->least_root ? r : f->least_root;
    f->scale[a] = 1 / r;
    f->x[a] = s->lambda[i] * r;
    f->g[a] = s->y[i] / r;
    f->lower[a] = s->lower[i] * r;
    f->upper[a] = s->upper[i] * r;
  }
  const int32_t *restrict list = s->list;
  const double *restrict scale = f->scale;
  for (int32_t b = 0; s->block != NULL && !known && b < k; b++) {
    const double *restrict column = M->values + (size_t)M->ld * (size_t)list[b];
    double *restrict out = s->block + (size_t)k * (size_t)b;
    const double w = scale[b];
    for (int32_t a = 0; a < k; a++) out[a] = column[list[a]];
    for (int32_t a = 0; a < k; a++) out[a] *= scale[a] * w;
  }
  return 1;
}

/* y := M λ + q; returns the number of columns. */
static int32_t multiply_all(subspace *s) {
  memcpy(s->y, s->problem->q, (size_t)s->problem->n * sizeof *s->y);
  return perp_multiply_add_sparsely(&s->problem->M, s->lambda, s->y);
}

/* Largest |y_i| that no bound answers for; infinity if one is not a number. */
static double largest_error(const subspace *s) {
  double worst = 0;
  for (int32_t i = 0; i < s->problem->n; i++) {
    const double e = held(s, i) ? 0 : fabs(s->y[i]);
    if (!(e <= DBL_MAX)) return INFINITY;
    worst = e > worst ? e : worst;
  }
  return worst;
}

static void put_back(subspace *s, const face *f) {
  for (int32_t a = 0; a < s->size; a++) {
    const int32_t i = s->list[a];
    double x = f->x[a] * f->scale[a];
    if (f->x[a] <= f->lower[a]) x = s->lower[i];
    if (f->x[a] >= f->upper[a]) x = s->upper[i];
    s->lambda[i] = clip(x, s->lower[i], s->upper[i]);
  }
}

int perp_subspace_run(subspace *s) {
  double largest = 0;
  for (int32_t i = 0; i < s->problem->n; i++)
    largest = fabs(s->problem->q[i]) > largest ? fabs(s->problem->q[i]) : largest;
  s->least = s->tol * largest;
  s->iterations = 0;
  s->size = s->slow = 0;
  (void)multiply_all(s);
  double error = largest_error(s);
  while (!(error <= s->least)) {
    if (!(error <= DBL_MAX)) return SUBSPACE_NOT_DEFINITE;
    face f;
    const int known = s->size > 0 && still_fits(s);
    if (!known) choose(s);
    f = open_face(s);
    if (!gather(s, &f, known)) return SUBSPACE_NOT_DEFINITE;
    f.target = 5e-3 * error;
    if (!(f.target > 0.5 * s->least)) f.target = 0.5 * s->least;
    const int status = solve_face(&f);
    put_back(s, &f);
    s->work -= (double)s->problem->n * multiply_all(s);
    error = largest_error(s);
    if (status != PERP_OK) return status;
  }
  return PERP_OK;
}
