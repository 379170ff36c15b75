/* SPDX-License-Identifier: MIT */
/* Proximal loop for semidefinite M:  λ^{k+1} solves the problem of M + σI and q − σ λ^k.
 *
 * At λ^{k+1} the original problem is off by σ (λ^{k+1} − λ^k), which tends to 0 where a solution
 * exists; the part of the error in the range of M falls by σ / (σ + μ) a step, μ the least
 * positive eigenvalue, so σ is lowered where that is slow. Where none exists, the difference tends
 * to a direction d of the recession cone with M d = 0 and qᵀd < 0. Such a d proves it: a solution
 * would have 0 <= dᵀy = qᵀd + (Mᵀd)ᵀλ < 0.
 * Source: Rockafellar, SIAM Journal on Control and Optimization 14 (1976) 877-898. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "problem/residual.h"
#include "solver/exchange.h"

/* How often σ may grow tenfold before M counts as indefinite. */
enum { RAISES = 8 };

/* A certificate counts if it leaves room only for solutions larger than this times ‖q‖ / max M_ii.
 */
#define CERTAINTY 1e11

/* Least σ / max M_ii. */
#define SHIFT_LEAST 1e-9

static double largest_diagonal(const exchange *s) {
  double largest = 0;
  for (int32_t i = 0; i < s->n; i++) {
    double d = fabs(perp_row_diagonal(&s->rows, i));
    if (d > largest) largest = d;
  }
  return largest;
}

/* d := λ − λ^k scaled to 1 and moved into the recession cone of the box, in s->x. Returns 0 if
 * nothing is left. */
static int recession_direction(exchange *s) {
  double size = 0, *d = s->x;
  for (int32_t i = 0; i < s->n; i++) {
    d[i] = s->lambda[i] - s->previous[i];
    if ((d[i] < 0 && s->lower[i] >= -DBL_MAX) || (d[i] > 0 && s->upper[i] <= DBL_MAX)) d[i] = 0;
    if (fabs(d[i]) > size) size = fabs(d[i]);
  }
  if (!(size > 0 && size <= DBL_MAX)) return 0;
  for (int32_t i = 0; i < s->n; i++) d[i] /= size;
  return 1;
}

/* Whether λ − λ^k proves that there is no solution. */
static int shows_infeasible(exchange *s, double diagonal) {
  if (!recession_direction(s)) return 0;
  const double *d = s->x, *q = s->problem->q;
  double *product = s->scratch, descent = 0, size = 0, largest = 0, rest = 0;
  for (int32_t i = 0; i < s->n; i++) product[i] = 0;
  for (int32_t i = 0; i < s->n; i++) {
    matrix_row row = row_read(&s->rows, i);
    for (int32_t c = 0; d[i] != 0 && c < row.count; c++)
      product[row.column[c]] += row.value[c] * d[i];
    descent -= q[i] * d[i];
    size += fabs(q[i] * d[i]);
    if (fabs(q[i]) > largest) largest = fabs(q[i]);
  }
  for (int32_t i = 0; i < s->n; i++) rest += fabs(product[i]);
  return descent > 1e-8 * size && descent * diagonal >= CERTAINTY * rest * largest;
}

static void begin(exchange *s) {
  for (int32_t i = 0; i < s->n; i++) {
    s->previous[i] = nearest_to_zero(s->lower[i], s->upper[i]);
    s->lambda[i] = s->previous[i];
  }
  s->q = s->moved;
}

static void set_shift(exchange *s, double shift) {
  if (shift != s->shift) s->factor.valid = 0;
  s->shift = shift;
}

/* Solve for the present σ and λ^k; σ grows where M + σI is not definite. */
static perp_status proximal_step(exchange *s, int32_t *raises) {
  for (;;) {
    for (int32_t i = 0; i < s->n; i++) s->moved[i] = s->problem->q[i] - s->shift * s->previous[i];
    perp_status status = perp_exchange_run(s);
    if (status != EXCHANGE_NOT_DEFINITE) return status;
    memcpy(s->lambda, s->previous, (size_t)s->n * sizeof *s->lambda);
    if (++*raises > RAISES) return PERP_INACCURATE;
    set_shift(s, 10 * s->shift);
  }
}

perp_status perp_proximal_run(exchange *s) {
  const size_t bytes = (size_t)s->n * sizeof(double);
  const double diagonal = largest_diagonal(s), unit = diagonal > 0 ? diagonal : 1;
  double last = DBL_MAX;
  int32_t raises = 0, solved = 0;
  begin(s);
  set_shift(s, s->options.proximal * unit);
  for (int32_t k = 0; k < s->options.max_iter; k++) {
    perp_status status = proximal_step(s, &raises);
    if (status != PERP_OK) {
      if (solved) memcpy(s->lambda, s->previous, bytes);
      return solved && status == PERP_MAX_ITER ? PERP_OK : status;
    }
    for (int32_t i = 0; i < s->n; i++) s->lambda[i] = clip(s->lambda[i], s->lower[i], s->upper[i]);
    perp_residual residual;
    perp_residual_compute(s->problem, s->lambda, s->scratch, &residual, s->residual);
    const double now = residual.relative;
    if (!(now <= DBL_MAX)) return PERP_INACCURATE;
    if (solved && !(now < last / 2)) { /* as far as rounding lets it */
      if (!(now < last)) memcpy(s->lambda, s->previous, bytes);
      return PERP_OK;
    }
    solved = perp_residual_solved(&residual, s->options.tol);
    if (solved && now <= 2 * DBL_EPSILON) return PERP_OK;
    if (!solved && shows_infeasible(s, diagonal)) return PERP_INFEASIBLE;
    if (!(now < last / 5) && raises == 0 && s->shift > SHIFT_LEAST * unit)
      set_shift(s, s->shift / 10);
    last = now;
    memcpy(s->previous, s->lambda, bytes);
  }
  return solved ? PERP_OK : PERP_MAX_ITER;
}
