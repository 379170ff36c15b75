/* SPDX-License-Identifier: MIT */
/* Impacts at several contacts: arguments, units, and the balance of energy at the end.
 *
 * Units: d_i = W_ii^(-1/2), V = max over the approaching contacts of d_i |ẏ_i|; velocities u = d
 * ẏ/V, impulses P/(d V), W_ij d_i d_j, energies /V². Stiffness κ_i d_i^-(η+1), then all by the
 * largest: a common factor of stiffness only changes the scale of τ.
 *
 * Balance: kinetic energy changes by B + A/2, B = P·u0, A = P·W P. The impulses are multiplied by
 * the α next to 1 with α B + α² A/2 = −Σ lost, so the energy that leaves is that which the springs
 * have dissipated. Near α = −B/A, where all is lost, energy tells nothing about α; there the losses
 * take the factor instead. */
#include <float.h>
#include <math.h>

#include "base/elementary.h"
#include "base/finite.h"
#include "base/info.h"
#include "base/options.h"
#include "linalg/dense.h"
#include "problem/multiple_impact.h"

void perp_multiple_impact_options_init(perp_multiple_impact_options *opts, size_t size) {
  perp_multiple_impact_options defaults;
  memset(&defaults, 0, sizeof defaults);
  defaults.compliance = PERP_STIFFNESS_BI;
  defaults.exponent = 1;
  defaults.step = 0.5;
  defaults.tol = 1e-12;
  defaults.max_steps = 10000000;
  perp_options_fill(opts, size, &defaults, sizeof defaults);
}

size_t perp_multiple_impact_workspace(int32_t m) {
  if (m < 0) return 0;
  arena a = arena_measure();
  impact_path path;
  perp_impact_carve(&path, &a, m);
  return arena_bytes(&a);
}

static perp_status check_options(perp_multiple_impact_options *o,
                                 const perp_multiple_impact_options *in, int32_t m,
                                 perp_info *info) {
  perp_multiple_impact_options_init(o, sizeof *o);
  if (perp_options_read(o, sizeof *o, in, PERP_THROUGH(perp_multiple_impact_options, stiffness)) !=
      PERP_OK)
    return fail_field(info, "struct_size", -1);
  if (o->compliance != PERP_STIFFNESS_MONO && o->compliance != PERP_STIFFNESS_BI)
    return fail(info, PERP_EINVAL, "compliance", -1, o->compliance);
  if (!(o->exponent > 0 && o->exponent <= 16))
    return fail(info, PERP_EINVAL, "exponent", -1, o->exponent);
  if (!(o->step > 0 && o->step <= 1)) return fail(info, PERP_EINVAL, "step", -1, o->step);
  if (!(o->tol > 0 && o->tol <= 1)) return fail(info, PERP_EINVAL, "tol", -1, o->tol);
  if (o->max_steps < 1) return fail(info, PERP_EINVAL, "max_steps", -1, o->max_steps);
  if (o->reserved != 0) return fail(info, PERP_EINVAL, "reserved", -1, o->reserved);
  for (int32_t i = 0; o->stiffness != NULL && i < m; i++) {
    const double k = o->stiffness[i];
    if (!is_finite(k)) return fail(info, PERP_ENOTFINITE, "stiffness", i, k);
    if (!(k > 0)) return fail(info, PERP_EINVAL, "stiffness", i, k);
  }
  return PERP_OK;
}

perp_status perp_impact_check(int32_t m, const double *W, const double *ydot, const double *e,
                              const double *impulse, perp_info *info) {
  if (m < 0) return fail(info, PERP_EINVAL, "m", -1, m);
  if (m == 0) return PERP_OK;
  if (W == NULL) return fail_field(info, "W", -1);
  if (ydot == NULL) return fail_field(info, "ydot", -1);
  if (e == NULL) return fail_field(info, "e", -1);
  if (impulse == NULL) return fail_field(info, "impulse", -1);
  const size_t n = (size_t)m, at = first_not_finite(n * n, W), slow = first_not_finite(n, ydot);
  if (at < n * n) return fail(info, PERP_ENOTFINITE, "W", at > INT32_MAX ? -1 : (int32_t)at, W[at]);
  if (slow < n) return fail(info, PERP_ENOTFINITE, "ydot", (int32_t)slow, ydot[slow]);
  for (int32_t i = 0; i < m; i++) {
    if (!is_finite(e[i])) return fail(info, PERP_ENOTFINITE, "e", i, e[i]);
    if (!(e[i] >= 0 && e[i] <= 1)) return fail(info, PERP_EINVAL, "e", i, e[i]);
  }
  return PERP_OK;
}

/* The largest of |x_0|, |x_stride|, ..., n of them. */
static double largest(size_t n, size_t stride, const double *x) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fabs(x[stride * i]) > most ? fabs(x[stride * i]) : most;
  return most;
}

/* What every symmetric positive semidefinite W has: |W_ij|² <= W_ii W_jj, W_ij = W_ji, up to the
 * rounding of a W from which joints were eliminated. Where W_ii = 0 nothing can change ẏ_i. */
static perp_status check_matrix(int32_t m, const double *W, const double *ydot, perp_info *info) {
  const size_t n = (size_t)m;
  const double noise = 1e-13 * largest(n, n + 1, W), still = 1e-12 * largest(n, 1, ydot);
  for (size_t i = 0; i < n; i++) {
    const double diagonal = W[i + n * i];
    const int32_t at = i + n * i > INT32_MAX ? -1 : (int32_t)(i + n * i);
    if (diagonal < -noise || (diagonal <= 0 && ydot[i] < -still))
      return fail(info, PERP_EINVAL, "W", at, diagonal);
  }
  for (size_t j = 0; j < n; j++) {
    for (size_t i = 0; i < j; i++) {
      const double a = W[i + n * j], b = W[j + n * i];
      const double product =
          W[i + n * i] > 0 && W[j + n * j] > 0 ? sqrt(W[i + n * i]) * sqrt(W[j + n * j]) : 0;
      if (fabs(a) <= product * (1 + 1e-8) + noise && fabs(a - b) <= product * 1e-8 + noise)
        continue;
      return fail(info, PERP_EINVAL, "W", i + n * j > INT32_MAX ? -1 : (int32_t)(i + n * j), a);
    }
  }
  return PERP_OK;
}

/* Set how far column i reaches; whether beyond its diagonal. */
static int coupled(impact_path *c, int32_t i) {
  c->reach[i] = 0;
  for (int32_t j = 0; j < c->m; j++) {
    const int32_t far = j < i ? i - j : j - i;
    if (far > c->reach[i] && impact_entry(c->m, c->W, j, i) != 0) c->reach[i] = far;
  }
  return c->reach[i] > 0;
}

/* Set d and u0 (still with its unit); returns V, 0 if no contact of the path approaches. */
static double scale_velocities(impact_path *c, const double *ydot) {
  double fastest = 0;
  for (int32_t i = 0; i < c->m; i++) {
    const double diagonal = impact_entry(c->m, c->W, i, i);
    const int joined = coupled(c, i), in = joined && diagonal > 0;
    c->phase[i] = in ? IMPACT_OPEN : IMPACT_APART;
    c->d[i] = in ? 1 / sqrt(diagonal) : 0;
    c->u0[i] = c->d[i] * ydot[i];
    if (-c->u0[i] > fastest) fastest = -c->u0[i];
  }
  for (int32_t i = 0; i < c->m && fastest > 0; i++) c->u0[i] /= fastest;
  return fastest;
}

/* Logarithms, for the range; the ratio of the softest to the stiffest has to be a number. */
static perp_status scale_stiffness(impact_path *c, const double *stiffness, perp_info *info) {
  double largest = -DBL_MAX;
  for (int32_t i = 0; i < c->m; i++) {
    if (c->phase[i] == IMPACT_APART) continue;
    const double kappa = stiffness != NULL ? perp_log(stiffness[i]) : 0;
    c->k[i] = kappa - (c->exponent + 1) * perp_log(c->d[i]);
    if (c->k[i] > largest) largest = c->k[i];
  }
  for (int32_t i = 0; i < c->m; i++) {
    if (c->phase[i] == IMPACT_APART) continue;
    const double ratio = c->k[i] - largest;
    c->k[i] = perp_exp(ratio / (c->exponent + 1));
    if (ratio < -138) /* 1e-60 */
      return fail(info, PERP_EINVAL, "stiffness", i, stiffness != NULL ? stiffness[i] : 1);
  }
  return PERP_OK;
}

static void begin(impact_path *c, const double *e) {
  for (int32_t i = 0; i < c->m; i++) {
    c->e[i] = e[i];
    c->P[i] = c->s[i] = c->end[i] = c->begin[i] = c->taken[i] = c->lost[i] = 0;
    c->u[i] = c->u0[i];
    c->flips[i] = 0;
    if (c->phase[i] == IMPACT_APART) c->k[i] = 1;
  }
  c->steps = 0;
}

/* See the head of the file. */
static void balance(impact_path *c) {
  double A = 0, B = 0, lost = 0;
  for (int32_t i = 0; i < c->m; i++) {
    A += c->P[i] * (c->u[i] - c->u0[i]);
    B += c->P[i] * c->u0[i];
    lost += c->lost[i];
  }
  const double square = B * B - 2 * A * lost;
  if (A > 0 && A + B > 0.01 * A && square > 0) {
    const double alpha = (sqrt(square) - B) / A;
    for (int32_t i = 0; i < c->m; i++) c->P[i] *= alpha;
  } else if (lost > 0) {
    const double factor = -(B + 0.5 * A) / lost;
    for (int32_t i = 0; i < c->m; i++) c->lost[i] *= factor > 0 ? factor : 0;
  }
}

/* Back to the caller's units, and the contacts that no other is coupled to. */
static void hand_out(const impact_path *c, const double *ydot, double V, double *impulse,
                     double *energy) {
  for (int32_t i = 0; i < c->m; i++) {
    double P = c->P[i] > 0 ? c->P[i] * c->d[i] * V : 0, lost = c->lost[i] * V * V;
    const double diagonal = impact_entry(c->m, c->W, i, i);
    if (c->phase[i] == IMPACT_APART && ydot[i] < 0 && diagonal > 0) {
      P = -(1 + c->e[i]) * ydot[i] / diagonal;
      lost = 0.5 * (1 - c->e[i]) * (1 + c->e[i]) * ydot[i] * (ydot[i] / diagonal);
    }
    impulse[i] = P;
    if (energy != NULL) energy[i] = lost;
  }
}

perp_status perp_multiple_impact(int32_t m, const double *W, const double *ydot, const double *e,
                                 const perp_multiple_impact_options *options, double *impulse,
                                 double *energy, void *work, size_t work_bytes, perp_info *info) {
  info_clear(info);
  perp_status status = perp_impact_check(m, W, ydot, e, impulse, info);
  if (status == PERP_OK) status = check_matrix(m, W, ydot, info);
  if (status != PERP_OK) return status;
  perp_multiple_impact_options o;
  status = check_options(&o, options, m, info);
  if (status != PERP_OK) return status;
  arena a = arena_open(work, work_bytes);
  impact_path c = {.W = W,
                   .exponent = o.exponent,
                   .step = o.step,
                   .tol = o.tol,
                   .compliance = o.compliance,
                   .max_steps = o.max_steps};
  perp_impact_carve(&c, &a, m);
  if (!arena_fits(&a))
    return fail(info, PERP_EWORKSPACE, "work_bytes", -1, (double)perp_multiple_impact_workspace(m));
  const double V = scale_velocities(&c, ydot);
  begin(&c, e);
  if (V > 0) {
    status = scale_stiffness(&c, o.stiffness, info);
    if (status != PERP_OK) return status;
    status = perp_impact_follow(&c);
    if (status == PERP_OK) {
      perp_impact_settle(&c);
      balance(&c);
      perp_impact_settle(&c);
    }
  }
  hand_out(&c, ydot, V, impulse, energy);
  if (info_ready(info)) info->iterations = c.steps;
  const size_t at = first_not_finite((size_t)m, impulse);
  if (at < (size_t)m) return fail(info, PERP_ENOTFINITE, "impulse", (int32_t)at, impulse[at]);
  return status;
}
