/* SPDX-License-Identifier: MIT */
/* Row r of a tableau is a combination of the equations y = M λ + q. With N the y that are no rows
 * (0, as their unknowns are free, or columns), Λ the λ that are rows, and σ = 1 where the row is
 * too small for every value of the columns, -1 where it is too large, d is the combination with
 *
 *   d_N = z,  z_Λ'M_NΛ = −σ M_iΛ  and d_i = σ   for y_i in row r,    −σ e_iᵀ  for λ_i in row r,
 *
 * so that d'y = d'(M λ + q) is σ times that row, but for a λ_i in it, and negative for all λ within
 * their bounds. Where the modes below t say that d'y >= 0, there is no solution. */
#include "solver/cells_proof.h"

#include <float.h>
#include <math.h>

#include "linalg/dense.h"
#include "problem/farkas.h"
#include "solver/mode.h"

void perp_cells_proof_carve(cells_proof *p, arena *a, int32_t n) {
  const size_t m = (size_t)n;
  p->B = arena_take(a, m, m * sizeof(double));
  p->z = arena_take(a, m, sizeof(double));
  p->d = arena_take(a, m, sizeof(double));
  p->scratch = arena_take(a, farkas_doubles(n), sizeof(double));
  p->eq = arena_take(a, m, sizeof(int32_t));
  p->basic = arena_take(a, m, sizeof(int32_t));
  p->pivots = arena_take(a, m, sizeof(int32_t));
}

/* The inequality for p->d, with G still to come. */
static farkas inequality(const cells_proof *p) {
  farkas f;
  const int32_t n = p->problem->n;
  perp_farkas_begin(&f, n, n, p->d, p->problem->q, p->scratch);
  memcpy(f.lower, p->lower, (size_t)n * sizeof(double));
  memcpy(f.upper, p->upper, (size_t)n * sizeof(double));
  return f;
}

void perp_cells_proof_open(cells_proof *p) {
  const farkas f = inequality(p);
  p->hat = perp_farkas_hat(&f, &p->problem->M, f.sum);
  p->bound = (double)INFINITY;
}

/* eq := N, basic := Λ; how many each are, -1 if they differ. */
static int32_t split_rows(cells_proof *p, const cells *s, const tableau *t) {
  int32_t count = 0, equations = 0;
  for (int32_t i = 0; i < s->n; i++) p->pivots[i] = 0;
  for (int32_t r = 0; r < s->n; r++) {
    if (t->row[r] >= 0)
      p->pivots[t->row[r]] = 1;
    else
      p->basic[count++] = -1 - t->row[r];
  }
  for (int32_t i = 0; i < s->n; i++)
    if (!p->pivots[i]) p->eq[equations++] = i;
  return equations == count ? count : -1;
}

/* d in the units of the cells; 0 if there is none. */
static int combine(cells_proof *p, const cells *s, const tableau *t) {
  const int32_t n = s->n, k = split_rows(p, s, t), row = t->row[s->refused];
  const double sign = s->too_small ? 1 : -1;
  if (k < 0) return 0;
  for (int32_t j = 0; j < k; j++) {
    const double *column = p->A + (size_t)n * (size_t)p->basic[j];
    for (int32_t i = 0; i < k; i++) p->B[(size_t)k * (size_t)j + (size_t)i] = column[p->eq[i]];
    p->z[j] = row >= 0 ? -sign * column[row] : p->basic[j] == -1 - row ? -sign : 0;
  }
  if (k > 0) {
    if (perp_dense_lu_factor(k, p->B, k, p->pivots) != PERP_OK) return 0;
    perp_dense_lu_solve_transposed(k, p->B, k, p->pivots, p->z);
  }
  for (int32_t i = 0; i < n; i++) p->d[i] = 0;
  for (int32_t i = 0; i < k; i++) p->d[p->eq[i]] = p->z[i];
  if (row >= 0) p->d[row] = sign;
  return 1;
}

/* d_i, or 0 where that of y_i which the modes tell does not make d_i y_i >= 0. */
static double allowed(double d, unsigned char mode, double lower, double upper) {
  if (mode == PERP_MODE_FREE) return d;
  if (!(lower < upper)) return 0; /* of a point y may be anything */
  const int up = mode == PERP_MODE_LOWER || (mode == PERP_MODE_UNKNOWN && upper > DBL_MAX);
  const int down = mode == PERP_MODE_UPPER || (mode == PERP_MODE_UNKNOWN && lower < -DBL_MAX);
  return (d > 0 && up) || (d < 0 && down) ? d : 0;
}

int perp_cells_refuted(cells_proof *p, const cells *s, const tableau *t) {
  if (!combine(p, s, t)) return 0;
  for (int32_t i = 0; i < s->n; i++)
    p->d[i] = allowed(p->d[i] / s->R[i], s->mode[i], p->lower[i], p->upper[i]);
  farkas f = inequality(p);
  for (int32_t i = 0; i < s->n; i++) {
    if (s->mode[i] == PERP_MODE_LOWER) f.upper[i] = f.lower[i];
    if (s->mode[i] == PERP_MODE_UPPER) f.lower[i] = f.upper[i];
  }
  perp_farkas_add(&f, &p->problem->M, 0);
  const double bound = perp_farkas_proof(&f, p->hat);
  if (!(bound > 0)) return 0;
  if (bound < p->bound) p->bound = bound;
  return 1;
}
