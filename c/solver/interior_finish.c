/* SPDX-License-Identifier: MIT */
/* Endings of the interior-point method.
 *
 * Crossover: an unknown whose slack is below its multiplier is set to that bound, the others solve
 * A_FF x_F = −(q_F + A_FN x_N), in increments from the iterate: where A_FF is singular ρI is added
 * to it, and the increments lead to a solution nearby. The residual tells whether the set was
 * right.
 *
 * Proof: where there is no solution, x tends to a direction of the recession cone with A x = 0 on
 * its support F, qᵀx < 0 and Aᵀx <= 0 elsewhere; so does −W, the answer to −q, and it alone where
 * it is free unknowns that leave none. They are that only as far as the iteration came; inverse
 * iteration with A_FF + ρI sharpens it to rounding, as the null spaces of a monotone matrix
 * and of its transpose are the same. What comes out is judged by perp_certificate_proves(). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "problem/bounds.h"
#include "problem/certificate.h"
#include "problem/residual.h"
#include "solver/interior.h"

#define NEGLIGIBLE 1e-14

enum { INCREMENTS = 5, INVERSE_STEPS = 3 };

void perp_interior_guess(interior *w, double margin) {
  for (int32_t i = 0; i < w->n; i++) {
    const int lower = (w->kind[i] & INTERIOR_BELOW) && w->s[i] < margin * w->z[i];
    const int upper = (w->kind[i] & INTERIOR_ABOVE) && w->t[i] < margin * w->v[i];
    w->guess[i] = PERP_MODE_FREE;
    if (lower) w->guess[i] = PERP_MODE_LOWER;
    if (upper && !(lower && w->s[i] < w->t[i])) w->guess[i] = PERP_MODE_UPPER;
    if (w->kind[i] == INTERIOR_FIXED) w->guess[i] = PERP_MODE_LOWER;
  }
}

/* λ of the scaled point x, moved into the box: bounds exactly. */
static void unscale(const interior *w, const double *x, double tau, double *lambda, double *lower,
                    double *upper) {
  perp_problem_bounds(w->problem, lower, upper);
  for (int32_t i = 0; i < w->n; i++) {
    const double v = w->p[i] + w->factor * w->d[i] * (x[i] / tau);
    lambda[i] = v < lower[i] ? lower[i] : v > upper[i] ? upper[i] : v;
  }
}

void perp_interior_point(const interior *w, double *lambda) {
  unscale(w, w->x, w->tau, lambda, w->residual, w->residual + w->n);
}

int perp_interior_judge(interior *w, const double *lambda, double *y) {
  perp_residual r;
  perp_residual_compute(w->problem, lambda, y, &r, w->residual);
  return perp_residual_solved(&r, w->o.tol);
}

/* x_N at their bounds, x_F where the iterate has them. */
static void start_of_basis(interior *w, double *x) {
  w->k = 0;
  for (int32_t i = 0; i < w->n; i++) {
    x[i] = w->x[i] / w->tau;
    if (w->guess[i] == PERP_MODE_LOWER) x[i] = w->l[i];
    if (w->guess[i] == PERP_MODE_UPPER) x[i] = w->u[i];
    if (w->kind[i] == INTERIOR_FIXED) x[i] = 0;
    if (w->guess[i] == PERP_MODE_FREE && w->kind[i] != INTERIOR_FIXED) w->member[w->k++] = i;
  }
}

static int solved_with(interior *w, double rho, double *lambda, double *y) {
  double *x = w->P, *step = w->AP;
  start_of_basis(w, x);
  if (!perp_interior_factor(w, NULL, rho)) return 0;
  for (int round = 0; round < INCREMENTS; round++) {
    perp_interior_product(w, x, step);
    for (int32_t i = 0; i < w->n; i++) step[i] = -(step[i] + w->q[i]);
    perp_interior_solve(w, step);
    if (!all_finite((size_t)w->n, step)) return 0;
    for (int32_t i = 0; i < w->n; i++) x[i] += step[i];
    if (round == 0) continue;
    unscale(w, x, 1, lambda, w->residual, w->residual + w->n);
    if (perp_interior_judge(w, lambda, y)) return 1;
  }
  return 0;
}

int perp_interior_crossover(interior *w, double *lambda, double *y) {
  memcpy(w->tried, w->guess, (size_t)w->n);
  return solved_with(w, 0, lambda, y) || solved_with(w, w->rho, lambda, y);
}

/* ---- proof ---- */

static double normalise(int32_t n, double *x) {
  double largest = 0;
  for (int32_t i = 0; i < n; i++)
    if (fabs(x[i]) > largest) largest = fabs(x[i]);
  if (!(largest > 0 && largest <= DBL_MAX)) return 0;
  for (int32_t i = 0; i < n; i++) x[i] /= largest;
  return largest;
}

/* The bound that is proved, 0 for none; so below. */
static double proves(interior *w, const double *x, double *u) {
  for (int32_t i = 0; i < w->n; i++) u[i] = w->d[i] * x[i];
  perp_certificate_project(w->problem, u, w->residual);
  return normalise(w->n, u) > 0 ? perp_certificate_proves(w->problem, u, w->residual) : 0;
}

/* Inverse iteration on the unknowns of x (of size 1) above a threshold and, if asked, on the free
 * ones, whose (Aᵀu)_i has to be 0. What falls below rounding belongs to no direction. */
static double sharpened(interior *w, double *x, double threshold, int with_free, double *u) {
  w->k = 0;
  for (int32_t i = 0; i < w->n; i++)
    if (fabs(x[i]) > threshold || (with_free && w->kind[i] == INTERIOR_FREE)) w->member[w->k++] = i;
  if (!perp_interior_factor(w, NULL, w->rho)) return 0;
  for (int step = 0; step < INVERSE_STEPS; step++) {
    perp_interior_solve(w, x);
    if (normalise(w->n, x) == 0) return 0;
  }
  for (int32_t i = 0; i < w->n; i++)
    if (fabs(x[i]) < NEGLIGIBLE) x[i] = 0;
  return proves(w, x, u);
}

/* From one direction, times sign, sharpened in one way; -1: as it is, then in all ways. */
static double proves_from(interior *w, const double *from, double sign, int way, double *u) {
  static const double thresholds[] = {1e-2, 1e-5, 1e-8};
  double *x = w->P;
  for (int i = -1; i < INTERIOR_WAYS; i++) {
    if (way >= 0 && i != way) continue;
    for (int32_t j = 0; j < w->n; j++) x[j] = sign * from[j];
    if (normalise(w->n, x) == 0) return 0;
    const double bound = i < 0 ? proves(w, x, u) : sharpened(w, x, thresholds[i / 2], i % 2, u);
    if (bound > 0) return bound;
  }
  return 0;
}

double perp_interior_certificate(interior *w, int way, double *u) {
  const double bound = proves_from(w, w->x, 1, way, u);
  return bound > 0 ? bound : proves_from(w, w->W, -1, way, u);
}
