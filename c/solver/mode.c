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
#include "solver/mode.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/info.h"
#include "problem/certificate.h"
#include "problem/residual.h"
#include "solver/sweeps.h"
#include "solver/warm.h"

/* How often σ may grow tenfold before M counts as not monotone. */
enum { RAISES = 8 };

void perp_modes_start(const session *s, unsigned char *mode) {
  const double *l = s->lower, *u = s->upper;
  const perp_matrix *M = &s->problem->M;
  int nonzero = 0;
  if (adopt_modes(s->n, warm_known_modes(s->warm, s->n), l, u, mode) == 0) return;
  for (int32_t i = 0; i < s->n; i++) {
    const int at_bound = mode[i] == PERP_MODE_LOWER || mode[i] == PERP_MODE_UPPER;
    s->lambda[i] = at_bound ? mode_bound(mode[i], l[i], u[i]) : nearest_to_zero(l[i], u[i]);
    s->y[i] = s->problem->q[i];
    nonzero |= s->lambda[i] != 0;
  }
  if (nonzero) (void)perp_multiply_add_sparsely(M, s->lambda, s->y);
  for (int32_t i = 0; i < s->n; i++)
    if (mode[i] == PERP_MODE_UNKNOWN)
      mode[i] = jacobi_mode(s->lambda[i], l[i], u[i], perp_matrix_entry(M, i, i), s->y[i]);
}

void perp_modes_at_bounds(const session *s, unsigned char *mode) {
  (void)adopt_modes(s->n, warm_known_modes(s->warm, s->n), s->lower, s->upper, mode);
  for (int32_t i = 0; i < s->n; i++) {
    const double l = s->lower[i], u = s->upper[i];
    if (mode[i] != PERP_MODE_UNKNOWN) continue;
    mode[i] = u <= DBL_MAX ? PERP_MODE_UPPER : PERP_MODE_FREE;
    if (l >= -DBL_MAX && (u > DBL_MAX || fabs(l) <= fabs(u))) mode[i] = PERP_MODE_LOWER;
  }
}

int perp_direction_proves(const session *s, double *u, double *scratch) {
  perp_certificate_project(s->problem, u, scratch);
  const double size = power_of_two(largest_size(s->n, u));
  for (int32_t i = 0; i < s->n; i++) u[i] /= size;
  const double bound = perp_certificate_proves(s->problem, u, scratch);
  if (bound > 0) info_proof(s->info, bound, s->n, u);
  return bound > 0;
}

/* Whether λ − λ^k proves that there is no solution. It is made in y. */
static int shows_infeasible(const proximal *p) {
  const session *r = p->run;
  for (int32_t i = 0; i < r->n; i++) r->y[i] = r->lambda[i] - p->previous[i];
  return perp_direction_proves(r, r->y, r->scratch);
}

/* Solve for the present σ and λ^k; σ grows where that cannot be. */
static perp_status step(const proximal *p, double *shift, int32_t *raises) {
  const session *r = p->run;
  for (;;) {
    for (int32_t i = 0; i < r->n && p->moved != NULL; i++)
      p->moved[i] = r->problem->q[i] - *shift * p->previous[i];
    perp_status status = p->solve(p->self, *shift, p->moved);
    if (status != PROXIMAL_RAISE) return status;
    memcpy(r->lambda, p->previous, (size_t)r->n * sizeof *r->lambda);
    if (++*raises > RAISES) return PERP_INACCURATE;
    *shift *= 10;
  }
}

perp_status perp_proximal_run(const proximal *p) {
  const session *r = p->run;
  const size_t bytes = (size_t)r->n * sizeof(double);
  double last = DBL_MAX, shift = p->shift;
  int32_t raises = 0, solved = 0;
  for (int32_t i = 0; i < r->n; i++)
    p->previous[i] = r->lambda[i] = nearest_to_zero(r->lower[i], r->upper[i]);
  for (int32_t k = 0; k < p->steps; k++) {
    perp_status status = step(p, &shift, &raises);
    if (status != PERP_OK) {
      if (solved) memcpy(r->lambda, p->previous, bytes);
      return solved && status == PERP_MAX_ITER ? PERP_OK : status;
    }
    clip_all(r->n, r->lambda, r->lower, r->upper);
    perp_residual residual;
    perp_residual_compute(r->problem, r->lambda, r->y, &residual, r->scratch);
    const double now = residual.relative;
    const int now_solved = perp_residual_solved(&residual, r->tol);
    if (!(now <= DBL_MAX)) return PERP_INACCURATE;
    if (solved && !(now < last / 2)) { /* as far as rounding lets it */
      if (!now_solved || !(now < last)) memcpy(r->lambda, p->previous, bytes);
      return PERP_OK;
    }
    solved = now_solved;
    if (solved && now <= 2 * DBL_EPSILON) return PERP_OK;
    if (!solved && shows_infeasible(p)) return PERP_INFEASIBLE;
    if (!(now < last / 5) && raises == 0 && shift > p->least) shift /= 10;
    last = now;
    memcpy(p->previous, r->lambda, bytes);
  }
  return solved ? PERP_OK : PERP_MAX_ITER;
}
