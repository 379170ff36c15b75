/* SPDX-License-Identifier: MIT */
/* Proximal loop for monotone M:  λ^{k+1} solves the problem of M + σI and q − σ λ^k.
 *
 * At λ^{k+1} the original problem is off by σ (λ^{k+1} − λ^k), which tends to 0 where a solution
 * exists; for symmetric M the part of the error in the range of M falls by σ / (σ + μ) a step, μ
 * the least positive eigenvalue, so σ is lowered where that is slow. Where none exists, σ times the
 * difference tends to d = −v, v the point of least length in the closure of the range of
 * T(λ) = Mλ + q + N_K(λ). That set is convex, so <r, d> <= −|v|² for all r in it: dᵀ(Mλ + q) < 0
 * for every λ in K, and d in the recession cone of K. Such a d proves it.
 * Source: Rockafellar, SIAM Journal on Control and Optimization 14 (1976) 877-898. */
#include "solver/proximal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/info.h"
#include "problem/certificate.h"
#include "problem/residual.h"
#include "solver/mode.h"

/* How often σ may grow tenfold before M counts as not monotone. */
enum { RAISES = 8 };

/* Least σ / unit. */
#define SHIFT_LEAST 1e-9

/* Whether λ − λ^k, scaled to 1, proves that there is no solution. It is made in y. */
static int shows_infeasible(proximal *p) {
  const int32_t n = p->problem->n;
  double size = 0, *d = p->y;
  for (int32_t i = 0; i < n; i++) d[i] = p->lambda[i] - p->previous[i];
  perp_certificate_project(p->problem, d, p->residual);
  for (int32_t i = 0; i < n; i++)
    if (fabs(d[i]) > size) size = fabs(d[i]);
  if (!(size > 0 && size <= DBL_MAX)) return 0;
  for (int32_t i = 0; i < n; i++) d[i] /= size;
  const double bound = perp_certificate_proves(p->problem, d, p->residual);
  if (!(bound > 0)) return 0;
  info_proof(p->info, bound, n, d);
  return 1;
}

static void begin(proximal *p) {
  for (int32_t i = 0; i < p->problem->n; i++) {
    p->previous[i] = nearest_to_zero(p->lower[i], p->upper[i]);
    p->lambda[i] = p->previous[i];
  }
}

/* Solve for the present σ and λ^k; σ grows where that cannot be. */
static perp_status step(proximal *p, double *shift, int32_t *raises) {
  const size_t n = (size_t)p->problem->n;
  for (;;) {
    for (size_t i = 0; i < n; i++) p->moved[i] = p->problem->q[i] - *shift * p->previous[i];
    perp_status status = p->solve(p->self, *shift, p->moved);
    if (status != PROXIMAL_RAISE) return status;
    memcpy(p->lambda, p->previous, n * sizeof *p->lambda);
    if (++*raises > RAISES) return PERP_INACCURATE;
    *shift *= 10;
  }
}

perp_status perp_proximal_run(proximal *p) {
  const size_t n = (size_t)p->problem->n, bytes = n * sizeof(double);
  double last = DBL_MAX, shift = p->shift * p->unit;
  int32_t raises = 0, solved = 0;
  begin(p);
  for (int32_t k = 0; k < p->max_iter; k++) {
    perp_status status = step(p, &shift, &raises);
    if (status != PERP_OK) {
      if (solved) memcpy(p->lambda, p->previous, bytes);
      return solved && status == PERP_MAX_ITER ? PERP_OK : status;
    }
    for (size_t i = 0; i < n; i++) p->lambda[i] = clip(p->lambda[i], p->lower[i], p->upper[i]);
    perp_residual residual;
    perp_residual_compute(p->problem, p->lambda, p->y, &residual, p->residual);
    const double now = residual.relative;
    if (!(now <= DBL_MAX)) return PERP_INACCURATE;
    if (solved && !(now < last / 2)) { /* as far as rounding lets it */
      if (!(now < last)) memcpy(p->lambda, p->previous, bytes);
      return PERP_OK;
    }
    solved = perp_residual_solved(&residual, p->tol);
    if (solved && now <= 2 * DBL_EPSILON) return PERP_OK;
    if (!solved && shows_infeasible(p)) return PERP_INFEASIBLE;
    if (!(now < last / 5) && raises == 0 && shift > SHIFT_LEAST * p->unit) shift /= 10;
    last = now;
    memcpy(p->previous, p->lambda, bytes);
  }
  return solved ? PERP_OK : PERP_MAX_ITER;
}
