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
 * K carries ρI, since free unknowns add nothing to it; refinement takes ρ out of the answer.
 *
 * The scaled problem of the interior-point method, and factors of A_FF + diag(D) + ρI.
 *
 * Scaling: d by powers of two so that the largest entry of every row and column of d M d, taken
 * together, is near 1 [Ruiz 2001]. As both sides have the same d, the matrix stays monotone, and
 * symmetric if it was. The origin is moved to P(0), which makes one of two bounds 0 wherever 0 is
 * outside, and the data are scaled to size 1.
 *
 * Factors: Cholesky where M is symmetric and dense, the envelope factor where it is symmetric and
 * sparse, the caller's sparse back end for other sparse M and for envelopes that are much longer
 * than M, dense LU otherwise. D >= 0, and for monotone A all of them exist. The back end is given
 * all n unknowns, those outside F with a unit row and column, so that the pattern is that of M and
 * its diagonal at every step and it is analysed once:
 *
 *   K_ij = A_ij for i, j in F,   K_ii += D_i + ρ for i in F,   K_ii = 1 outside F,   0 elsewhere.
 *
 * Whether M is symmetric is asked by one product with M and one with its transpose; an M
 * that differs from its transpose by rounding passes. The factor only directs the way: answers are
 * judged by M itself. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "solver/interior.h"
#include "solver/interval.h"

#define SAME 1e-13

enum { PASSES = 4 };

/* --- scaling --------------------------------------------------------------------------------- */

static void raise_to(double *m, double v) {
  if (v > *m) *m = v;
}

/* m_i := the largest of |d_i M_ij d_j| and |d_j M_ji d_i| over j. */
static void largest_entries(interior *w, double *m) {
  memset(m, 0, (size_t)w->n * sizeof *m);
  for (int32_t i = 0; i < w->n; i++) {
    const matrix_row row = row_read(&w->rows, i);
    for (int32_t c = 0; c < row.count; c++) {
      const double e = fabs(row.value[c]) * w->d[i] * w->d[row.column[c]];
      raise_to(&m[i], e);
      raise_to(&m[row.column[c]], e);
    }
  }
}

static void equilibrate(interior *w) {
  for (int32_t i = 0; i < w->n; i++) w->d[i] = 1;
  for (int pass = 0; pass < PASSES; pass++) {
    largest_entries(w, w->a);
    for (int32_t i = 0; i < w->n; i++)
      if (w->a[i] >= DBL_MIN && w->a[i] <= DBL_MAX) w->d[i] /= sqrt(w->a[i]);
  }
  for (int32_t i = 0; i < w->n; i++) w->d[i] = power_of_two(w->d[i]);
}

static void scale_bounds(interior *w, int32_t i) {
  const double l = w->session->lower[i], u = w->session->upper[i], unit = w->d[i] * w->factor;
  const int below = l >= -DBL_MAX, above = u <= DBL_MAX;
  int kind = INTERIOR_FREE | (below ? INTERIOR_BELOW : 0) | (above ? INTERIOR_ABOVE : 0);
  if (below && above && !(l < u)) kind = INTERIOR_FIXED;
  w->kind[i] = (unsigned char)kind;
  w->side[0].bound[i] = below ? (l - w->p[i]) / unit : 0;
  w->side[1].bound[i] = above ? (u - w->p[i]) / unit : 0;
}

int perp_interior_scale(interior *w) {
  const size_t n = (size_t)w->n;
  equilibrate(w);
  for (size_t i = 0; i < n; i++)
    w->p[i] = nearest_to_zero(w->session->lower[i], w->session->upper[i]);
  memcpy(w->q, w->session->problem->q, n * sizeof *w->q);
  perp_matrix_multiply_add(w->M, w->p, w->q);
  for (size_t i = 0; i < n; i++) w->q[i] *= w->d[i];
  w->factor = power_of_two(largest_size(w->n, w->q));
  for (size_t i = 0; i < n; i++) w->q[i] /= w->factor;
  for (int32_t i = 0; i < w->n; i++) scale_bounds(w, i);
  return all_finite(n, w->q) && all_finite(n, w->d) && all_finite(n, w->side[0].bound) &&
         all_finite(n, w->side[1].bound);
}

void perp_interior_product(interior *w, const double *x, double *out) {
  perp_factor_product(w->M, w->d, x, w->b, out);
}

/* --- which factor ---------------------------------------------------------------------------- */

int perp_interior_choose(interior *w) {
  const int dense = w->M->kind == PERP_DENSE;
  w->K.way = w->options->sparse != NULL && !dense ? FACTOR_SPARSE : FACTOR_LU;
  if ((dense || w->narrow) && perp_factor_symmetric(w->M, w->d, 2 * SAME, w->session->scratch))
    w->K.way = dense ? FACTOR_CHOLESKY : FACTOR_ENVELOPE;
  return w->K.way != FACTOR_LU || w->K.dense != NULL;
}

/* --- factor ---------------------------------------------------------------------------------- */

/* K := A_FF + diag, k x k without gaps, moved together within the n x n copy of M. */
static void gather_dense(interior *w, const double *D, double rho) {
  const size_t n = (size_t)w->n, k = (size_t)w->k;
  double *K = w->K.dense;
  perp_matrix_to_dense(w->M, K, w->n);
  for (size_t b = 0; b < k; b++) {
    const size_t j = (size_t)w->member[b];
    for (size_t a = 0; a < k; a++) {
      const size_t i = (size_t)w->member[a];
      K[a + k * b] = K[i + n * j] * (w->d[i] * w->d[j]);
    }
    K[b + k * b] += rho + (D == NULL ? 0 : D[j]);
  }
}

/* Row i from place at on, its diagonal first; returns the place behind it. The envelope factor
 * wants the lower triangle only, and no rows outside F. */
static int32_t gather_row(interior *w, int32_t i, int32_t at, double diagonal) {
  const int32_t *place = w->K.env.place, pivot = at;
  const int lower = w->K.way == FACTOR_ENVELOPE;
  const matrix_row row = row_read(&w->rows, i);
  w->K.index[at] = i;
  w->K.values[at++] = place[i] < 0 ? 1 : diagonal;
  for (int32_t c = 0; c < row.count; c++) {
    const int32_t j = row.column[c];
    const int inside = place[i] >= 0 && place[j] >= 0;
    const double v = inside ? row.value[c] * (w->d[i] * w->d[j]) : 0;
    if (j == i) {
      w->K.values[pivot] += v;
    } else if (j < i || !lower) {
      w->K.index[at] = j;
      w->K.values[at++] = v;
    }
  }
  return at;
}

static void gather_sparse(interior *w, const double *D, double rho) {
  int32_t at = 0;
  memset(w->K.env.place, 0xff, (size_t)w->n * sizeof *w->K.env.place); /* all -1 */
  for (int32_t b = 0; b < w->k; b++) w->K.env.place[w->member[b]] = b;
  for (int32_t i = 0; i < w->n; i++) {
    w->K.start[i] = at;
    at = gather_row(w, i, at, rho + (D == NULL ? 0 : D[i]));
  }
  w->K.start[w->n] = at;
}

int perp_interior_factor(interior *w, const double *D, double rho) {
  const int dense = w->K.way <= FACTOR_LU;
  w->K.n = dense ? w->k : w->n;
  w->K.env.rows = w->k;
  if (dense)
    gather_dense(w, D, rho);
  else
    gather_sparse(w, D, rho);
  return perp_factor_make(&w->K, 0) == PERP_OK;
}

void perp_interior_solve(interior *w, double *x) {
  const int whole = w->K.way == FACTOR_SPARSE;
  double *b = w->a;
  if (whole) memset(b, 0, (size_t)w->n * sizeof *b);
  for (int32_t i = 0; i < w->k; i++) b[whole ? w->member[i] : i] = x[w->member[i]];
  (void)perp_factor_solve(&w->K, b);
  memset(x, 0, (size_t)w->n * sizeof *x);
  for (int32_t i = 0; i < w->k; i++) x[w->member[i]] = b[whole ? w->member[i] : i];
}

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
