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

static int below(const interior *w, int32_t i) { return w->kind[i] & INTERIOR_BELOW; }

static int above(const interior *w, int32_t i) { return w->kind[i] & INTERIOR_ABOVE; }

/* ---- the point ---- */

/* Products of (s, z) and (t, v) weigh the two bounds: b, and how far it is from each. */
static void weigh(interior *w, int32_t i, double zs, double vt) {
  const double D = zs + vt, l = w->l[i], u = w->u[i];
  const int both = below(w, i) && above(w, i);
  w->D[i] = D;
  w->low[i] = both ? vt / D * (u - l) : 0;
  w->high[i] = both ? zs / D * (u - l) : 0;
  w->B[i] = !below(w, i)             ? u
            : !above(w, i)           ? l
            : w->low[i] < w->high[i] ? l + w->low[i]
                                     : u - w->high[i];
}

/* mu, A x, r1, r2, D, b and A b. */
static void measure(interior *w) {
  const int32_t n = w->n;
  double products = w->tau * w->kappa, rest = w->kappa;
  int32_t count = w->plain ? 0 : 1;
  perp_interior_product(w, w->x, w->Ax);
  for (int32_t i = 0; i < n; i++) {
    const int lower = below(w, i) != 0, upper = above(w, i) != 0;
    weigh(w, i, lower ? w->z[i] / w->s[i] : 0, upper ? w->v[i] / w->t[i] : 0);
    w->r1[i] = w->Ax[i] + w->q[i] * w->tau - w->z[i] + w->v[i];
    products += w->s[i] * w->z[i] + w->t[i] * w->v[i];
    rest += w->q[i] * w->x[i] - w->l[i] * w->z[i] + w->u[i] * w->v[i];
    count += lower + upper;
  }
  perp_interior_product(w, w->B, w->AB);
  w->mu = count > 0 ? products / count : 0;
  w->r2 = rest + perp_dense_dot(n, w->x, w->Ax) / w->tau;
}

/* ---- solutions with K ---- */

/* X := K^-1 X, refined once, and AX := A X; uses dx and cz's neighbour b only. */
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
    if (w->low[i] > 0) sum += w->low[i] * w->high[i] * w->D[i];
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

static double ds(const interior *w, int32_t i) { return w->dx[i] + w->low[i] * w->dtau; }

static double dt(const interior *w, int32_t i) { return w->high[i] * w->dtau - w->dx[i]; }

/* The step whose products change by cz, cv, ck to first order. Leaves dx − b dtau in dx. */
static void direction(interior *w, double eta, double ck) {
  const int32_t n = w->n;
  double rest = ck / w->tau + eta * w->r2;
  for (int32_t i = 0; i < n; i++) {
    const double z = below(w, i) ? w->cz[i] / w->s[i] : 0, v = above(w, i) ? w->cv[i] / w->t[i] : 0;
    w->P[i] = z - v - eta * w->r1[i];
    rest += w->low[i] * z + w->high[i] * v - eta * w->B[i] * w->r1[i];
  }
  solve_refined(w, w->P, w->AP, w->dx);
  for (int32_t i = 0; i < n; i++)
    rest += (w->Ax[i] / w->tau + w->q[i]) * w->P[i] + (w->x[i] / w->tau - w->B[i]) * w->AP[i];
  w->dtau = w->plain ? 0 : rest / w->curvature;
  w->dkappa = w->plain ? 0 : (ck - w->kappa * w->dtau) / w->tau;
  for (int32_t i = 0; i < n; i++) {
    w->dx[i] = w->P[i] - w->W[i] * w->dtau;
    w->dz[i] = below(w, i) ? (w->cz[i] - w->z[i] * ds(w, i)) / w->s[i] : 0;
    w->dv[i] = above(w, i) ? (w->cv[i] - w->v[i] * dt(w, i)) / w->t[i] : 0;
  }
}

/* ---- step lengths ---- */

static void limit(double *alpha, double value, double change) {
  if (change < 0 && -value < *alpha * change) return;
  if (change < 0) *alpha = -value / change;
}

/* Largest step up to 1 that keeps everything >= 0. */
static double longest(const interior *w) {
  double alpha = 1;
  limit(&alpha, w->tau, w->dtau);
  limit(&alpha, w->kappa, w->dkappa);
  for (int32_t i = 0; i < w->n; i++) {
    if (below(w, i)) {
      limit(&alpha, w->s[i], ds(w, i));
      limit(&alpha, w->z[i], w->dz[i]);
    }
    if (above(w, i)) {
      limit(&alpha, w->t[i], dt(w, i));
      limit(&alpha, w->v[i], w->dv[i]);
    }
  }
  return alpha;
}

/* Mean product after a step of alpha. */
static double mu_after(const interior *w, double alpha) {
  double sum = (w->tau + alpha * w->dtau) * (w->kappa + alpha * w->dkappa);
  int32_t count = w->plain ? 0 : 1;
  for (int32_t i = 0; i < w->n; i++) {
    if (below(w, i)) sum += (w->s[i] + alpha * ds(w, i)) * (w->z[i] + alpha * w->dz[i]);
    if (above(w, i)) sum += (w->t[i] + alpha * dt(w, i)) * (w->v[i] + alpha * w->dv[i]);
    count += (below(w, i) != 0) + (above(w, i) != 0);
  }
  return count > 0 ? sum / count : 0;
}

static void advance(interior *w, double alpha) {
  for (int32_t i = 0; i < w->n; i++) {
    w->x[i] += alpha * (w->dx[i] + w->B[i] * w->dtau);
    if (below(w, i)) w->s[i] += alpha * ds(w, i);
    if (above(w, i)) w->t[i] += alpha * dt(w, i);
    w->z[i] += alpha * w->dz[i];
    w->v[i] += alpha * w->dv[i];
  }
  w->tau += alpha * w->dtau;
  w->kappa += alpha * w->dkappa;
}

/* ---- the parts of a step ---- */

/* Changes that bring every product to aim, less the products of the last direction's changes. */
static double target_second_order(interior *w, double aim) {
  for (int32_t i = 0; i < w->n; i++) {
    w->cz[i] = aim - w->s[i] * w->z[i] - ds(w, i) * w->dz[i];
    w->cv[i] = aim - w->t[i] * w->v[i] - dt(w, i) * w->dv[i];
  }
  return aim - w->tau * w->kappa - w->dtau * w->dkappa;
}

static double target_first_order(interior *w, double aim) {
  for (int32_t i = 0; i < w->n; i++) {
    w->cz[i] = aim - w->s[i] * w->z[i];
    w->cv[i] = aim - w->t[i] * w->v[i];
  }
  return aim - w->tau * w->kappa;
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
  for (int32_t i = 0; i < w->n; i++) {
    w->cz[i] += pull((w->s[i] + t * ds(w, i)) * (w->z[i] + t * w->dz[i]), aim);
    w->cv[i] += pull((w->t[i] + t * dt(w, i)) * (w->v[i] + t * w->dv[i]), aim);
  }
  return ck + pull((w->tau + t * w->dtau) * (w->kappa + t * w->dkappa), aim);
}

static void keep(interior *w, double *scalars) {
  const size_t n = (size_t)w->n, bytes = n * sizeof(double);
  memcpy(w->saved, w->dx, bytes);
  memcpy(w->saved + n, w->dz, bytes);
  memcpy(w->saved + 2 * n, w->dv, bytes);
  scalars[0] = w->dtau;
  scalars[1] = w->dkappa;
}

static void recall(interior *w, const double *scalars) {
  const size_t n = (size_t)w->n, bytes = n * sizeof(double);
  memcpy(w->dx, w->saved, bytes);
  memcpy(w->dz, w->saved + n, bytes);
  memcpy(w->dv, w->saved + 2 * n, bytes);
  w->dtau = scalars[0];
  w->dkappa = scalars[1];
}

/* Improve the direction while that lengthens the step; returns its length. */
static double centre(interior *w, double aim, double eta, double ck, double alpha) {
  double scalars[2];
  for (int32_t c = 0; c < w->o.correctors && alpha < 0.9; c++) {
    keep(w, scalars);
    ck = target_centred(w, aim, alpha, ck);
    direction(w, eta, ck);
    const double longer = longest(w);
    if (!(longer >= 1.1 * alpha)) { /* NaN too */
      recall(w, scalars);
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
    direction(w, 1, target_first_order(w, 0));
    const double ratio = w->mu > 0 ? mu_after(w, longest(w)) / w->mu : 0;
    sigma = ratio > 0 ? ratio * ratio * ratio : 0;
    if (!(sigma < SIGMA_MOST)) sigma = SIGMA_MOST;
    const double ck = target_second_order(w, sigma * w->mu);
    direction(w, 1 - sigma, ck);
    const double alpha = longest(w);
    if (alpha > 0.1) return centre(w, sigma * w->mu, 1 - sigma, ck, alpha);
  }
  if (sigma < SIGMA_SAFE) sigma = SIGMA_SAFE;
  direction(w, 1 - sigma, target_first_order(w, sigma * w->mu));
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
