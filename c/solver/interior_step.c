/* SPDX-License-Identifier: MIT */
/* One step on the homogeneous model of the monotone problem [Andersen and Ye 1999]:
 *
 *   A x + q τ − z + v = 0,     s = x − l τ,  t = u τ − x,     s, t, z, v, τ, κ >= 0,
 *   κ + xᵀA x / τ + qᵀx − lᵀz + uᵀv = 0,     s z = 0,  t v = 0,  τ κ = 0
 *
 * (z = 0 without a lower bound, v = 0 without an upper one). A solution with τ > 0 gives x / τ, one
 * with κ > 0 a direction that proves there is none. The products are driven to σ μ, the two
 * equations to 1 − η = σ of their residuals r1, r2. With D = z/s + v/t, K = A + D, and between the
 * bounds the point b = ((z/s) l + (v/t) u) / D (0 for free unknowns), elimination leaves
 *
 *   K P = −η r1 + c_z / s − c_v / t,   K W = q + A b,   dx = P + (b − W) dτ,
 *   (eᵀA e + WᵀD W + Σ (z/s)(v/t)(u − l)² / D + κ/τ) dτ
 *     = c_κ/τ + η (r2 − bᵀr1) + (A x/τ + q)ᵀP + (x/τ − b)ᵀA P + Σ ((v/t) c_z/s + (z/s) c_v/t)(u −
 * l)/D
 *
 * with e = x/τ − b + W: every term of the factor of dτ is >= 0, and nothing large cancels as s or t
 * tends to 0. A step costs one factor of K and a few solutions. Predictor: σ = 0; corrector:
 * σ = (μ_aff / μ)³ and the predictor's products of second order [Mehrotra 1992]; then corrections
 * of products that a longer step would leave far from σ μ [Gondzio 1996].
 *
 * Without the second equation and with τ = 1, κ = 0, dτ = 0 the same is the plain method. It
 * proves nothing, but does not care by what the equations of free unknowns are multiplied.
 *
 * K carries ρI, since free unknowns add nothing to it; refinement takes ρ out of the answer. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "linalg/dense.h"
#include "solver/interior.h"

#define TO_BOUNDARY 0.995
/* A step is slow if mu did not fall below this part of itself in two steps. */
#define SLOW       0.5
#define SIGMA_SAFE 0.3
#define SIGMA_MOST 0.9

/* --- the point ------------------------------------------------------------------------------- */

/* The quotients z/s and v/t weigh the two bounds: D, b, and how far it is from each. */
static void weigh(interior *w, int32_t i, double zs, double vt) {
  const double D = zs + vt, l = w->side[0].bound[i], u = w->side[1].bound[i];
  const int below = interior_has(w, 0, i), above = interior_has(w, 1, i);
  const double low = below && above ? vt / D * (u - l) : 0;
  const double high = below && above ? zs / D * (u - l) : 0;
  w->D[i] = D;
  w->side[0].reach[i] = low;
  w->side[1].reach[i] = high;
  w->B[i] = !below ? u : !above ? l : low < high ? l + low : u - high;
}

/* mu, A x, r1, r2, D, b and A b. */
static void measure(interior *w) {
  const interior_side *L = &w->side[0], *U = &w->side[1];
  double products = w->tau * w->kappa, rest = w->kappa;
  int32_t count = w->plain ? 0 : 1;
  perp_interior_product(w, w->x, w->Ax);
  for (int32_t i = 0; i < w->n; i++) {
    const int lower = interior_has(w, 0, i), upper = interior_has(w, 1, i);
    const double z = L->dual[i], v = U->dual[i];
    weigh(w, i, lower ? z / L->slack[i] : 0, upper ? v / U->slack[i] : 0);
    w->r1[i] = w->Ax[i] + w->q[i] * w->tau - z + v;
    products += L->slack[i] * z + U->slack[i] * v;
    rest += w->q[i] * w->x[i] - L->bound[i] * z + U->bound[i] * v;
    count += lower + upper;
  }
  perp_interior_product(w, w->B, w->AB);
  w->mu = count > 0 ? products / count : 0;
  w->r2 = rest + perp_dense_dot(w->n, w->x, w->Ax) / w->tau;
}

/* --- solutions with K ------------------------------------------------------------------------ */

/* X := K^-1 X, refined once, and AX := A X; rhs: scratch. */
static void solve_refined(interior *w, double *X, double *AX, double *rhs) {
  const int32_t n = w->n;
  memcpy(rhs, X, (size_t)n * sizeof *rhs);
  perp_interior_solve(w, X);
  perp_interior_product(w, X, AX);
  for (int32_t i = 0; i < n; i++) rhs[i] -= AX[i] + w->D[i] * X[i];
  perp_interior_solve(w, rhs);
  if (!all_finite((size_t)n, rhs)) return;
  for (int32_t i = 0; i < n; i++) X[i] += rhs[i];
  perp_interior_product(w, X, AX);
}

/* The factor of dtau; see above. eᵀA e, of a monotone A, is 0 where rounding makes it less. */
static double curvature(const interior *w) {
  double sum = w->kappa / w->tau, square = 0, size = 0;
  for (int32_t i = 0; i < w->n; i++) {
    const double e = w->x[i] / w->tau - w->B[i] + w->W[i];
    square += e * (w->Ax[i] / w->tau - w->AB[i] + w->AW[i]);
    size += fabs(e);
    sum += w->W[i] * w->D[i] * w->W[i];
    if (w->side[0].reach[i] > 0) sum += w->side[0].reach[i] * w->side[1].reach[i] * w->D[i];
  }
  if (square < 0 && -square <= 8 * DBL_EPSILON * size * size) square = 0;
  return sum + square;
}

/* Factorise K, solve for W, and set the factor of dtau. 0: K breaks down. */
static int prepare(interior *w) {
  double rho = w->rho;
  w->k = 0;
  for (int32_t i = 0; i < w->n; i++)
    if (w->kind[i] != INTERIOR_FIXED) w->member[w->k++] = i;
  int done = perp_interior_factor(w, w->D, rho);
  for (int trial = 0; trial < 3 && !done; trial++) done = perp_interior_factor(w, w->D, rho *= 100);
  if (!done) return 0;
  for (int32_t i = 0; i < w->n; i++) w->W[i] = w->q[i] + w->AB[i];
  solve_refined(w, w->W, w->AW, w->dx);
  if (w->plain) return all_finite((size_t)w->n, w->W);
  w->curvature = curvature(w);
  return all_finite((size_t)w->n, w->W) && w->curvature > 0 && w->curvature <= DBL_MAX;
}

/* ds or dt. */
static double slack_change(const interior *w, int side, int32_t i) {
  return (side == 0 ? w->dx[i] : -w->dx[i]) + w->side[side].reach[i] * w->dtau;
}

/* c_z/s or c_v/t. */
static double pushed(const interior *w, int side, int32_t i) {
  return interior_has(w, side, i) ? w->side[side].target[i] / w->side[side].slack[i] : 0;
}

static double dual_change(const interior *w, int side, int32_t i) {
  const interior_side *b = &w->side[side];
  if (!interior_has(w, side, i)) return 0;
  return (b->target[i] - b->dual[i] * slack_change(w, side, i)) / b->slack[i];
}

/* The step whose products change by the targets and ck to first order. Leaves dx − b dtau in dx. */
static void direction(interior *w, double eta, double ck) {
  const double *low = w->side[0].reach, *high = w->side[1].reach;
  double rest = ck / w->tau + eta * w->r2;
  for (int32_t i = 0; i < w->n; i++) {
    const double z = pushed(w, 0, i), v = pushed(w, 1, i);
    w->P[i] = z - v - eta * w->r1[i];
    rest += low[i] * z + high[i] * v - eta * w->B[i] * w->r1[i];
  }
  solve_refined(w, w->P, w->AP, w->dx);
  for (int32_t i = 0; i < w->n; i++)
    rest += (w->Ax[i] / w->tau + w->q[i]) * w->P[i] + (w->x[i] / w->tau - w->B[i]) * w->AP[i];
  w->dtau = w->plain ? 0 : rest / w->curvature;
  w->dkappa = w->plain ? 0 : (ck - w->kappa * w->dtau) / w->tau;
  for (int32_t i = 0; i < w->n; i++) {
    w->dx[i] = w->P[i] - w->W[i] * w->dtau;
    for (int k = 0; k < 2; k++) w->side[k].change[i] = dual_change(w, k, i);
  }
}

/* --- step lengths ---------------------------------------------------------------------------- */

static void limit(double *alpha, double value, double change) {
  if (change < 0 && -value < *alpha * change) return;
  if (change < 0) *alpha = -value / change;
}

/* Largest step up to 1 that keeps everything >= 0. */
static double longest(const interior *w) {
  double alpha = 1;
  limit(&alpha, w->tau, w->dtau);
  limit(&alpha, w->kappa, w->dkappa);
  for (int32_t i = 0; i < w->n; i++)
    for (int k = 0; k < 2; k++) {
      if (!interior_has(w, k, i)) continue;
      limit(&alpha, w->side[k].slack[i], slack_change(w, k, i));
      limit(&alpha, w->side[k].dual[i], w->side[k].change[i]);
    }
  return alpha;
}

/* A product of slack and multiplier after a step of alpha. */
static double product_after(const interior *w, int side, int32_t i, double alpha) {
  const interior_side *b = &w->side[side];
  return (b->slack[i] + alpha * slack_change(w, side, i)) * (b->dual[i] + alpha * b->change[i]);
}

static double last_product_after(const interior *w, double alpha) {
  return (w->tau + alpha * w->dtau) * (w->kappa + alpha * w->dkappa);
}

/* Mean product after a step of alpha. */
static double mu_after(const interior *w, double alpha) {
  double sum = last_product_after(w, alpha);
  int32_t count = w->plain ? 0 : 1;
  for (int32_t i = 0; i < w->n; i++)
    for (int k = 0; k < 2; k++) {
      if (!interior_has(w, k, i)) continue;
      sum += product_after(w, k, i, alpha);
      count++;
    }
  return count > 0 ? sum / count : 0;
}

static void advance(interior *w, double alpha) {
  for (int32_t i = 0; i < w->n; i++) {
    w->x[i] += alpha * (w->dx[i] + w->B[i] * w->dtau);
    for (int k = 0; k < 2; k++) {
      if (!interior_has(w, k, i)) continue;
      w->side[k].slack[i] += alpha * slack_change(w, k, i);
      w->side[k].dual[i] += alpha * w->side[k].change[i];
    }
  }
  w->tau += alpha * w->dtau;
  w->kappa += alpha * w->dkappa;
}

/* --- the parts of a step --------------------------------------------------------------------- */

/* Changes that bring every product to aim; with second_order less the products of the last
 * direction's changes. */
static double target(interior *w, double aim, int second_order) {
  for (int k = 0; k < 2; k++) {
    const interior_side *b = &w->side[k];
    for (int32_t i = 0; i < w->n; i++)
      b->target[i] = aim - b->slack[i] * b->dual[i] -
                     (second_order ? slack_change(w, k, i) * b->change[i] : 0);
  }
  return aim - w->tau * w->kappa - (second_order ? w->dtau * w->dkappa : 0);
}

/* What brings a product to within [aim / 10, 10 aim], no more than 10 aim down. */
static double pull(double product, double aim) {
  double change = 0;
  if (product < 0.1 * aim) change = 0.1 * aim - product;
  if (product > 10 * aim) change = 10 * aim - product;
  return change < -10 * aim ? -10 * aim : change;
}

/* Add to the targets what the products at a longer step than alpha lack. */
static double target_centred(interior *w, double aim, double alpha, double ck) {
  const double t = 1.1 * alpha + 0.1 < 1 ? 1.1 * alpha + 0.1 : 1;
  for (int k = 0; k < 2; k++)
    for (int32_t i = 0; i < w->n; i++) w->side[k].target[i] += pull(product_after(w, k, i, t), aim);
  return ck + pull(last_product_after(w, t), aim);
}

/* Improve the direction while that lengthens the step; returns its length. */
static double centre(interior *w, double aim, double eta, double ck, double alpha) {
  const size_t bytes = 3 * (size_t)w->n * sizeof *w->dx; /* dx, dz, dv */
  for (int32_t c = 0; c < w->options->correctors && alpha < 0.9; c++) {
    const double dtau = w->dtau, dkappa = w->dkappa;
    memcpy(w->saved, w->dx, bytes);
    ck = target_centred(w, aim, alpha, ck);
    direction(w, eta, ck);
    const double longer = longest(w);
    if (!(longer >= 1.1 * alpha)) { /* NaN too */
      memcpy(w->dx, w->saved, bytes);
      w->dtau = dtau;
      w->dkappa = dkappa;
      break;
    }
    alpha = longer;
  }
  return alpha;
}

/* The direction of a step, and how far it leads. A predictor that promises more than it keeps may
 * go around in circles [Gondzio 1996]: where mu hardly fell in two steps, a step of first order
 * with much centring comes between. */
static double choose_direction(interior *w) {
  const int slow = w->mu > SLOW * w->earlier[1];
  double sigma = SIGMA_SAFE;
  if (!slow) {
    direction(w, 1, target(w, 0, 0));
    const double ratio = w->mu > 0 ? mu_after(w, longest(w)) / w->mu : 0;
    sigma = ratio > 0 ? ratio * ratio * ratio : 0;
    if (!(sigma < SIGMA_MOST)) sigma = SIGMA_MOST;
    const double ck = target(w, sigma * w->mu, 1);
    direction(w, 1 - sigma, ck);
    const double alpha = longest(w);
    if (alpha > 0.1) return centre(w, sigma * w->mu, 1 - sigma, ck, alpha);
  }
  if (sigma < SIGMA_SAFE) sigma = SIGMA_SAFE;
  direction(w, 1 - sigma, target(w, sigma * w->mu, 0));
  return longest(w);
}

int perp_interior_step(interior *w) {
  measure(w);
  if (!(w->mu >= 0 && w->mu <= DBL_MAX) || !prepare(w)) return 0;
  const double alpha = choose_direction(w);
  w->earlier[1] = w->earlier[0];
  w->earlier[0] = w->mu;
  if (!(alpha > 1e-12) || !all_finite((size_t)w->n, w->dx) || !is_finite(w->dtau)) return 0;
  w->mu = mu_after(w, TO_BOUNDARY * alpha);
  advance(w, TO_BOUNDARY * alpha);
  return all_finite((size_t)w->n, w->x) && w->tau > 0 && (w->plain || w->kappa > 0);
}
