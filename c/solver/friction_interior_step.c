/* SPDX-License-Identifier: MIT */
/* One step of the interior-point method for friction. With the gradient G of g, the scaling H of
 * each pair and the scaled point v = H x = H⁻¹ z, Newton on
 *
 *   F = A r + q − Σ Cᵀ g(z) = 0,   x ∘ z = σ μ e   (in the scaled space)
 *
 * is   (A + Σ Cᵀ G H² C) dr = −F + Σ Cᵀ G c,   dz = c − H² C dr,   c = H (v \ t) − z,
 *
 * t = 0 for the predictor, which comes as far as the part p; for the corrector t = σ μ e −
 * p (H dx) ∘ (H⁻¹ dz) of the predictor, and 1 − σ of F, so that a step which only centres stays
 * where it is otherwise. */
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "solver/friction_interior.h"

#define LEAST_STEP 1e-12
/* A predictor shorter than this calls for caution in so many steps. */
#define STALL 0.1
#define LAG   5
enum { REST = 3 };

/* out += scale Cᵀ y */
static void add_transposed(const soc *c, double scale, const double *y, double *out) {
  out[c->normal] += scale * c->a * y[0];
  for (int32_t j = 1; j < c->size; j++) out[c->tangent + j - 1] += scale * c->b * y[j];
}

void perp_friction_interior_evaluate(friction_interior *w) {
  double sum = 0;
  perp_friction_interior_product(w, w->r, w->u);
  for (int32_t i = 0; i < w->n; i++) {
    w->u[i] += w->q[i];
    w->F[i] = w->u[i];
  }
  for (int32_t k = 0; k < w->n_cones; k++) {
    const soc *c = &w->cones[k];
    const double *x = w->x + 3 * (size_t)k, *z = w->z + 3 * (size_t)k;
    double g[3] = {0, 0, 0}, grad[3] = {0};
    for (int32_t j = 0; j < c->size; j++) {
      g[j] = z[j];
      sum += x[j] * z[j];
    }
    if (c->shifted) g[0] -= perp_soc_shift(c->size, w->plan.shift, z, grad);
    add_transposed(c, -1, g, w->F);
  }
  for (int32_t i = 0; i < w->n; i++)
    if (w->fixed[i]) w->F[i] = 0;
  w->mu = w->n_cones > 0 ? sum / w->n_cones : 0;
}

/* G y in place. */
static void apply_gradient(const friction_interior *w, int32_t k, double *y) {
  const soc *c = &w->cones[k];
  double grad[3] = {0};
  if (!c->shifted || w->theta == 0) return;
  (void)perp_soc_shift(c->size, w->plan.shift, w->z + 3 * (size_t)k, grad);
  double first = y[0];
  for (int32_t j = 0; j < c->size; j++) first -= w->theta * grad[j] * y[j];
  y[0] = first;
}

/* Scale all pairs and gather Cᵀ G H² C. */
static int build(friction_interior *w) {
  memset(w->blocks, 0, 5 * (size_t)w->n * sizeof *w->blocks);
  for (int32_t k = 0; k < w->n_cones; k++) {
    const soc *c = &w->cones[k];
    const contact *home = &w->contacts[c->contact];
    double *block = w->blocks + 5 * (size_t)home->begin;
    if (!perp_soc_scale(c->size, w->x + 3 * (size_t)k, w->z + 3 * (size_t)k, &w->nt[k])) return 0;
    for (int32_t j = 0; j < c->size; j++) {
      double e[3] = {0, 0, 0}, column[3] = {0};
      e[j] = j == 0 ? c->a : c->b;
      perp_soc_square(c->size, &w->nt[k], e, column);
      apply_gradient(w, k, column);
      const int32_t at = j == 0 ? c->normal : c->tangent + j - 1;
      add_transposed(c, 1, column, block + home->size * (at - home->begin) - home->begin);
    }
  }
  return 1;
}

static int factorised(friction_interior *w) {
  while (!perp_friction_interior_factor(w)) {
    if (w->failure != PERP_OK || !(w->boost < MOST_BOOST)) return 0;
    w->boost *= 100;
  }
  return 1;
}

/* dr, dx, dz for the c in rc and a share of F. */
static void solve_for(friction_interior *w, double share) {
  for (int32_t i = 0; i < w->n; i++) w->rhs[i] = -share * w->F[i];
  for (int32_t k = 0; k < w->n_cones; k++) {
    double y[3] = {0};
    memcpy(y, w->rc + 3 * (size_t)k, sizeof y);
    apply_gradient(w, k, y);
    add_transposed(&w->cones[k], 1, y, w->rhs);
  }
  perp_friction_interior_solve(w, w->rhs, w->dr);
  for (int32_t k = 0; k < w->n_cones; k++) {
    const soc *c = &w->cones[k];
    double *dx = w->dx + 3 * (size_t)k, *dz = w->dz + 3 * (size_t)k;
    const double *rc = w->rc + 3 * (size_t)k;
    dx[0] = c->a * w->dr[c->normal];
    for (int32_t j = 1; j < c->size; j++) dx[j] = c->b * w->dr[c->tangent + j - 1];
    perp_soc_square(c->size, &w->nt[k], dx, dz);
    for (int32_t j = 0; j < c->size; j++) dz[j] = rc[j] - dz[j];
  }
}

static double longest(const friction_interior *w) {
  double alpha = (double)INFINITY;
  for (int32_t k = 0; k < w->n_cones; k++) {
    const size_t at = 3 * (size_t)k;
    const double x = perp_soc_step(w->cones[k].size, w->x + at, w->dx + at);
    const double z = perp_soc_step(w->cones[k].size, w->z + at, w->dz + at);
    if (!(x >= alpha)) alpha = x;
    if (!(z >= alpha)) alpha = z;
  }
  return alpha;
}

static double mu_after(const friction_interior *w, double alpha) {
  double sum = 0;
  for (int32_t k = 0; k < w->n_cones; k++)
    for (int32_t j = 0; j < w->cones[k].size; j++) {
      const size_t at = 3 * (size_t)k + (size_t)j;
      sum += (w->x[at] + alpha * w->dx[at]) * (w->z[at] + alpha * w->dz[at]);
    }
  return w->n_cones > 0 ? sum / w->n_cones : 0;
}

/* rc of the corrector of cone k: the target on the diagonal, the second order by its weight. */
static void correct(friction_interior *w, int32_t k, double target, double weight) {
  const int32_t size = w->cones[k].size;
  const soc_scaling *s = &w->nt[k];
  const size_t at = 3 * (size_t)k;
  double x[3] = {0}, z[3] = {0}, t[3] = {0}, y[3] = {0};
  perp_soc_apply(size, s, w->dx + at, x);
  perp_soc_apply_inverse(size, s, w->dz + at, z);
  for (int32_t j = 0; j < size; j++) x[j] *= weight;
  t[0] = target - x[0] * z[0];
  for (int32_t j = 1; j < size; j++) {
    t[0] -= x[j] * z[j];
    t[j] = -x[0] * z[j] - z[0] * x[j];
  }
  perp_soc_divide(size, s->v, t, y);
  perp_soc_apply(size, s, y, w->rc + at);
  for (int32_t j = 0; j < size; j++) w->rc[at + (size_t)j] -= w->z[at + (size_t)j];
}

static double least(double a, double b) { return a < b ? a : b; }

/* What part of the gradient of g to take: all of it, but less for some steps after one whose
 * predictor came to nothing although all pairs were near their mean. There the path of the
 * nonassociated problem turns back; that of the part theta does not yet. */
static double part(const friction_interior *w) {
  if (w->o.coupling == PERP_FRICTION_INTERIOR_LAGGED) return 0;
  return w->caution > 0 ? w->plan.theta : 1;
}

static void be_cautious(friction_interior *w, double ahead) {
  if (w->caution > 0)
    w->caution--;
  else if (ahead < STALL && !w->plan.bold)
    w->caution = REST;
}

/* Whether F has fallen behind μ while the gradient of g was left out: then the step aims at F. */
static int lags(const friction_interior *w) {
  double left = 0;
  if (w->caution == 0 || w->plan.bold) return 0;
  for (int32_t i = 0; i < w->n; i++)
    if (fabs(w->F[i]) > left) left = fabs(w->F[i]);
  return left > LAG * w->mu;
}

static double between(double low, double x, double high) {
  return x < high ? x > low ? x : low : high;
}

static int move(friction_interior *w, double alpha) {
  if (!(alpha > LEAST_STEP) || !all_finite((size_t)w->n, w->dr)) return 0;
  for (int32_t i = 0; i < w->n; i++) w->r[i] += alpha * w->dr[i];
  for (size_t i = 0; i < 3 * (size_t)w->n_cones; i++) w->z[i] += alpha * w->dz[i];
  perp_friction_interior_slacks(w);
  return 1;
}

int perp_friction_interior_step(friction_interior *w) {
  w->theta = part(w);
  if (!build(w) || !factorised(w)) return 0;
  for (size_t i = 0; i < 3 * (size_t)w->n_cones; i++) w->rc[i] = -w->z[i];
  solve_for(w, 1);
  const double ahead = least(1, longest(w)), ratio = mu_after(w, ahead) / w->mu;
  const int behind = lags(w);
  const double sigma = behind ? 1 : between(1e-10, ratio * ratio * ratio, 1);
  be_cautious(w, ahead);
  for (int32_t k = 0; k < w->n_cones; k++) correct(w, k, sigma * w->mu, w->plan.bold ? 1 : ahead);
  solve_for(w, w->plan.bold || behind ? 1 : 1 - sigma);
  return move(w, least(1, (0.9 + 0.099 * ahead) * longest(w)));
}
