/* SPDX-License-Identifier: MIT */
/* One step of the interior-point method for friction. With the gradient G of g, the scaling H of
 * each pair and the scaled point v = H x = H⁻¹ z, Newton on
 *
 *   F = A r + q − Σ Cᵀ g(z) = 0,   x ∘ z = σ μ e   (in the scaled space)
 *
 * is   (A + Σ Cᵀ G H² C) dr = −F + Σ Cᵀ G c,   dz = c − H² C dr,   c = H (v \ t) − z,
 *
 * t = 0 for the predictor, and t = σ μ e − (H dx) ∘ (H⁻¹ dz) of the predictor for the corrector. */
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "solver/friction_interior.h"

/* The shift of the diagonal of A grows up to this while K is singular. */
#define MOST_SHIFT 1e-3
#define LEAST_STEP 1e-12

static int linearised(const friction_interior *w, const soc *c) {
  return c->shifted && w->plan.coupling == PERP_FRICTION_INTERIOR_NEWTON;
}

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
    double g[3], grad[3];
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
  double grad[3];
  if (!linearised(w, c)) return;
  (void)perp_soc_shift(c->size, w->plan.shift, w->z + 3 * (size_t)k, grad);
  double first = y[0];
  for (int32_t j = 0; j < c->size; j++) first -= grad[j] * y[j];
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
      double e[3] = {0, 0, 0}, column[3];
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
    if (w->failure != PERP_OK || !(w->delta < MOST_SHIFT)) return 0;
    w->delta *= 100;
  }
  return 1;
}

/* dr, dx, dz for the c in rc. */
static void solve_for(friction_interior *w) {
  for (int32_t i = 0; i < w->n; i++) w->rhs[i] = -w->F[i];
  for (int32_t k = 0; k < w->n_cones; k++) {
    double y[3];
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

/* rc of the corrector of cone k. */
static void correct(friction_interior *w, int32_t k, double target) {
  const int32_t size = w->cones[k].size;
  const soc_scaling *s = &w->nt[k];
  const size_t at = 3 * (size_t)k;
  double x[3], z[3], t[3], y[3];
  perp_soc_apply(size, s, w->dx + at, x);
  perp_soc_apply_inverse(size, s, w->dz + at, z);
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

int perp_friction_interior_step(friction_interior *w) {
  if (!build(w) || !factorised(w)) return 0;
  for (size_t i = 0; i < 3 * (size_t)w->n_cones; i++) w->rc[i] = -w->z[i];
  solve_for(w);
  const double ahead = least(1, longest(w)), ratio = mu_after(w, ahead) / w->mu;
  double sigma = ratio * ratio * ratio;
  if (!(sigma < 1)) sigma = 1;
  if (!(sigma > 1e-10)) sigma = 1e-10;
  for (int32_t k = 0; k < w->n_cones; k++) correct(w, k, sigma * w->mu);
  solve_for(w);
  const double most = longest(w), alpha = least(1, (0.9 + 0.099 * ahead) * most);
  if (!(alpha > LEAST_STEP) || !all_finite((size_t)w->n, w->dr)) return 0;
  for (int32_t i = 0; i < w->n; i++) w->r[i] += alpha * w->dr[i];
  for (size_t i = 0; i < 3 * (size_t)w->n_cones; i++) w->z[i] += alpha * w->dz[i];
  perp_friction_interior_slacks(w);
  return 1;
}
