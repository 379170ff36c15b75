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
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "portfolio/portfolio.h"
#include "solver/sweeps.h"

const perp_subspace_options perp_subspace_defaults = {
    {.struct_size = (uint32_t)sizeof(perp_subspace_options), .tol = PERP_DEFAULT_TOL},
    .kind = "subspace",
    .symmetric = 1};

typedef struct subspace {
  session *run;
  const perp_matrix *M;
  int32_t symmetric, slow; /* M is; sweeps were seen to be                                 */
  int32_t k;               /* size of the subset                                           */
  int32_t *list;           /* n: it                                                        */
  double *block;           /* k x k of the scaled M, in n x n; NULL: M itself, the subset is all */
  double least;            /* accepted |y_i|                                               */
  double target;           /* on |g_i| √M_ii                                               */
  double least_root;       /* of M_ii                                                      */
  double *diagonal;        /* n: M_ii                                                      */
  double *x, *g, *p, *Mp, *lower, *upper, *scale, *root, *beta, *to; /* k: of the subset */
} subspace;

static void carve(void *state, arena *a, const perp_shape *shape, const void *options) {
  subspace *s = state;
  double **const vectors[] = {&s->x,     &s->g,    &s->p,    &s->Mp, &s->lower,    &s->upper,
                              &s->scale, &s->root, &s->beta, &s->to, &s->diagonal, NULL};
  const size_t n = (size_t)shape->n;
  s->symmetric = ((const perp_subspace_options *)options)->symmetric;
  arena_take_doubles(a, n, vectors);
  s->list = arena_take(a, n, sizeof *s->list);
  s->block = shape->matrix == PERP_DENSE ? arena_take(a, n, n * sizeof(double)) : NULL;
}

static double dot(const subspace *s, const double *x, const double *y) {
  return perp_dense_dot(s->k, x, y);
}

/* out := scaled M in. */
static void multiply(subspace *s, const double *in, double *out) {
  const int32_t k = s->k;
  memset(out, 0, (size_t)k * sizeof *out);
  if (s->block != NULL) {
    perp_dense_multiply_add(k, k, s->block, k, in, out);
    s->run->work += (double)k * k;
    return;
  }
  for (int32_t i = 0; i < k; i++) s->to[i] = s->scale[i] * in[i];
  perp_matrix_multiply_add(s->M, s->to, out);
  for (int32_t i = 0; i < k; i++) out[i] *= s->scale[i];
  s->run->work += s->M->kind == PERP_BLOCKS && s->M->offset == NULL ? s->M->start[k] : 9.0 * k;
}

/* Squares of the norms of φ and β. */
typedef struct split {
  double phi, beta;
} split;

/* phi := φ, s->beta := β. */
static split split_gradient(const subspace *s, double *restrict phi) {
  const double *restrict x = s->x, *restrict g = s->g, *restrict l = s->lower,
                         *restrict u = s->upper;
  double *restrict beta = s->beta;
  for (int32_t i = 0; i < s->k; i++) {
    const double low = x[i] > l[i] ? 0 : (g[i] < 0 ? g[i] : 0); /* what a bound lets pass */
    const double high = x[i] < u[i] ? 0 : (g[i] > 0 ? g[i] : 0);
    phi[i] = x[i] > l[i] ? (x[i] < u[i] ? g[i] : 0) : 0;
    beta[i] = l[i] < u[i] ? low + high : 0;
  }
  const split t = {dot(s, phi, phi), dot(s, beta, beta)};
  return t;
}

/* Whether all |g_i| √M_ii that are free or point inside are within the target. */
static int close(const subspace *s, split t) {
  const double square = t.phi + t.beta, target = s->target / s->least_root;
  if (square > target * target * s->k) return 0;
  double largest = 0;
  for (int32_t i = 0; i < s->k; i++) {
    const int free = (s->x[i] > s->lower[i]) & (s->x[i] < s->upper[i]);
    const double size = fabs(free ? s->g[i] : s->beta[i]) * s->root[i];
    largest = size > largest ? size : largest;
  }
  return largest <= s->target;
}

/* Whether x − α p is in the box; to := it. */
static int stays(const subspace *s, double a, const double *restrict p, double *restrict to) {
  const double *restrict x = s->x, *restrict l = s->lower, *restrict u = s->upper;
  double out0 = 0, out1 = 0; /* sums of what lies outside */
  for (int32_t i = 0; i < s->k; i++) to[i] = x[i] - a * p[i];
  for (int32_t i = 0; i < s->k; i++) {
    out0 += to[i] < l[i] ? 1 : 0;
    out1 += to[i] > u[i] ? 1 : 0;
  }
  return out0 + out1 == 0;
}

/* x := P(x − α p), or where that does not make the function fall, the lowest point on the way
 * there. p becomes the way. 0 if it does not fall at all. */
static int project_step(subspace *s, double a) {
  for (int32_t i = 0; i < s->k; i++)
    s->p[i] = s->x[i] - clip(s->x[i] - a * s->p[i], s->lower[i], s->upper[i]);
  const double slope = dot(s, s->g, s->p);
  if (!(slope > 0)) return 0;
  multiply(s, s->p, s->Mp);
  s->run->iterations++; /* a product more than the step has counted */
  const double curvature = dot(s, s->p, s->Mp), t = slope > 0.5 * curvature ? 1 : slope / curvature;
  for (int32_t i = 0; i < s->k; i++) {
    s->x[i] = clip(s->x[i] - t * s->p[i], s->lower[i], s->upper[i]);
    s->g[i] -= t * s->Mp[i];
  }
  return 1;
}

/* Count a step that is about to be done: GO_ON, or what ends the iterations from outside. */
static perp_status count_step(const subspace *s, double merit) {
  if (perp_session_limits(s->run) != GO_ON) return PERP_MAX_ITER;
  return perp_session_step(s->run, -1, -1, merit) == PERP_STOPPED ? PERP_STOPPED : GO_ON;
}

/* x := to, g −= α Mp; the next conjugate direction. */
static split advance(subspace *s, double a, double curvature) {
  const double *restrict Mp = s->Mp;
  double *restrict g = s->g, *restrict p = s->p, *phi = s->x;
  s->x = s->to;
  s->to = phi;
  for (int32_t i = 0; i < s->k; i++) g[i] -= a * Mp[i];
  const split t = split_gradient(s, phi);
  const double gamma = dot(s, phi, Mp) / curvature;
  for (int32_t i = 0; i < s->k; i++) p[i] = phi[i] - gamma * p[i];
  return t;
}

/* To the target: PERP_OK, PERP_RAY (M is not definite), PERP_MAX_ITER, PERP_STOPPED. */
static perp_status minimise(subspace *s) {
  split t = split_gradient(s, s->p);
  while (!close(s, t)) {
    const perp_status ended = count_step(s, sqrt(t.phi + t.beta));
    if (ended != GO_ON) return ended;
    if (t.beta > t.phi)
      for (int32_t i = 0; i < s->k; i++) s->p[i] += s->beta[i];
    multiply(s, s->p, s->Mp);
    const double curvature = dot(s, s->p, s->Mp), square = dot(s, s->p, s->p);
    if (!(curvature > DBL_EPSILON * square)) return PERP_RAY;
    const double a = dot(s, s->g, s->p) / curvature;
    if (stays(s, a, s->p, s->to)) {
      t = advance(s, a, curvature);
      continue;
    }
    if (!project_step(s, a)) { /* only a direction that is no gradient does not fall */
      (void)split_gradient(s, s->p);
      if (!project_step(s, 1)) return PERP_MAX_ITER;
    }
    t = split_gradient(s, s->p);
  }
  return PERP_OK;
}

/* One sweep over the unknowns. */
static void relax(subspace *s) {
  const int32_t k = s->k;
  for (int32_t b = 0; b < k; b += 4) {
    const int32_t count = k - b < 4 ? k - b : 4;
    const double *block = s->block + (size_t)k * (size_t)b;
    double change[4] = {0, 0, 0, 0}, any = 0;
    for (int32_t c = 0; c < count; c++) {
      const int32_t i = b + c;
      double g = s->g[i]; /* with the changes of this group */
      for (int32_t d = 0; d < c; d++) g += block[(size_t)i + (size_t)k * (size_t)d] * change[d];
      const double to = clip(s->x[i] - g, s->lower[i], s->upper[i]);
      change[c] = to - s->x[i];
      any += fabs(change[c]);
      s->x[i] = to;
    }
    if (any != 0) perp_dense_multiply_add(k, count, block, k, change, s->g);
  }
  s->run->work += (double)k * k;
}

/* Sweeps to s->target, as long as so many of them reduce the error to a part. */
static perp_status sweep(subspace *s, int32_t patience, double part) {
  double last = INFINITY;
  split t = split_gradient(s, s->p);
  for (int32_t sweeps = 0; !close(s, t); sweeps++) {
    const double norm = sqrt(t.phi + t.beta);
    if (sweeps % patience == 0) {
      if (!(norm < part * last)) return PERP_MAX_ITER;
      last = norm;
    }
    const perp_status ended = count_step(s, norm);
    if (ended != GO_ON) return ended;
    relax(s);
    t = split_gradient(s, s->p);
  }
  return PERP_OK;
}

/* To the target by whatever is fast: once conjugate gradients promise more, they do the rest. */
static perp_status solve_face(subspace *s) {
  if (!s->symmetric) return sweep(s, 8, 0.5);
  if (s->block != NULL && !s->slow) {
    const perp_status status = sweep(s, 2, 0.2);
    if (status != PERP_MAX_ITER) return status;
    s->slow = 1;
  }
  return minimise(s);
}

/* ---- the subset ---- */

static int held(const subspace *s, int32_t i) {
  const session *r = s->run;
  const double x = r->lambda[i], y = r->y[i], l = r->lower[i], u = r->upper[i];
  return !(l < u) || (x <= l && y >= 0) || (x >= u && y <= 0);
}

/* Whether the subset still has every unknown that no bound holds, and few others. */
static int still_fits(const subspace *s) {
  int32_t at = 0, needed = 0;
  for (int32_t i = 0; i < s->run->n; i++) {
    const int inside = at < s->k && s->list[at] == i;
    at += inside;
    if (held(s, i)) continue;
    if (!inside) return 0;
    needed++;
  }
  return 8 * needed >= 7 * s->k;
}

/* The subset: everything for sparse M. */
static void choose(subspace *s) {
  const int all = s->block == NULL;
  s->k = 0;
  for (int32_t i = 0; i < s->run->n; i++)
    if (all || !held(s, i)) s->list[s->k++] = i;
}

/* Scaled copy of M on the subset if it is not known, and its vectors at λ. 0 if a diagonal entry is
 * not positive. */
static int gather(subspace *s, int known) {
  const session *run = s->run;
  const int32_t k = s->k;
  s->least_root = INFINITY;
  for (int32_t a = 0; a < k; a++) {
    const int32_t i = s->list[a];
    const double d = s->diagonal[i];
    if (!(d > 0 && d <= DBL_MAX)) return 0;
    const double r = sqrt(d);
    s->root[a] = r;
    s->least_root = r < s->least_root ? r : s->least_root;
    s->scale[a] = 1 / r;
    s->x[a] = run->lambda[i] * r;
    s->g[a] = run->y[i] / r;
    s->lower[a] = run->lower[i] * r;
    s->upper[a] = run->upper[i] * r;
  }
  const int32_t *restrict list = s->list;
  const double *restrict scale = s->scale;
  for (int32_t b = 0; s->block != NULL && !known && b < k; b++) {
    const double *restrict column = s->M->values + (size_t)s->M->ld * (size_t)list[b];
    double *restrict out = s->block + (size_t)k * (size_t)b;
    const double w = scale[b];
    for (int32_t a = 0; a < k; a++) out[a] = column[list[a]];
    for (int32_t a = 0; a < k; a++) out[a] *= scale[a] * w;
  }
  return 1;
}

static void put_back(const subspace *s) {
  const session *run = s->run;
  for (int32_t a = 0; a < s->k; a++) {
    const int32_t i = s->list[a];
    double x = s->x[a] * s->scale[a];
    if (s->x[a] <= s->lower[a]) x = run->lower[i];
    if (s->x[a] >= s->upper[a]) x = run->upper[i];
    run->lambda[i] = clip(x, run->lower[i], run->upper[i]);
  }
}

/* Largest |y_i| that no bound answers for, y := M λ + q; infinity if one is not a number. columns:
 * how many were read. */
static double largest_error(const subspace *s, int32_t *columns) {
  const session *run = s->run;
  double worst = 0;
  memcpy(run->y, run->problem->q, (size_t)run->n * sizeof *run->y);
  *columns = perp_multiply_add_sparsely(s->M, run->lambda, run->y);
  for (int32_t i = 0; i < run->n; i++) {
    const double e = held(s, i) ? 0 : fabs(run->y[i]);
    if (!(e <= DBL_MAX)) return INFINITY;
    worst = e > worst ? e : worst;
  }
  return worst;
}

/* The whole method. A step may take two products. */
static perp_status start(void *state, session *run) {
  subspace *s = state;
  int32_t columns;
  s->run = run;
  s->M = &run->problem->M;
  s->k = s->slow = 0;
  perp_matrix_diagonal(s->M, s->diagonal);
  s->least = run->tol * largest_size(run->n, run->problem->q);
  run->max_iter--;
  double error = largest_error(s, &columns);
  while (!(error <= s->least)) {
    if (!(error <= DBL_MAX)) return PERP_RAY;
    const int known = s->k > 0 && still_fits(s);
    if (!known) choose(s);
    if (!gather(s, known)) return PERP_RAY;
    s->target = 5e-3 * error;
    if (!(s->target > 0.5 * s->least)) s->target = 0.5 * s->least;
    const perp_status status = solve_face(s);
    put_back(s);
    error = largest_error(s, &columns);
    run->work += (double)run->n * columns;
    if (status != PERP_OK) return status;
  }
  return PERP_OK;
}

const perp_solver *perp_solver_subspace(void) {
  static const perp_method method = {
      .state = METHOD_STATE(subspace), .needs = NEEDS_BOUNDS, .carve = carve, .start = start};
  static const perp_solver solver = {.struct_size = sizeof(perp_solver),
                                     .sets = INTERVAL_SETS,
                                     .matrices = ALL_MATRICES,
                                     .name = "subspace",
                                     .defaults = &perp_subspace_defaults,
                                     .method = &method};
  return &solver;
}
