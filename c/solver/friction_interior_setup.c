/* SPDX-License-Identifier: MIT */
/* The scaled problem of the interior-point method for friction, its cones, and the start: every
 * normal force 1, every û_n 1, so that all products x_1 z_1 are 1. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "linalg/matrix.h"
#include "problem/bounds.h"
#include "solver/friction_interior.h"

/* ---- scaling ---- */

/* d of one contact from the trace of its block, without what rolls, which has other units; where
 * that is 0, from its rows. */
static double contact_scale(const contact *c, const double *diagonal, const double *rows) {
  double sum = 0, most = 0;
  const int32_t size = c->set == PERP_SET_ROLLING ? 1 : c->size;
  for (int32_t i = c->begin; i < c->begin + size; i++) {
    sum += diagonal[i];
    most = rows[i] > most ? rows[i] : most;
  }
  const double trace = sum / size;
  if (trace > 1e-10 * most && trace >= DBL_MIN) return 1 / sqrt(trace);
  return most >= DBL_MIN ? 1 / sqrt(most) : 1;
}

/* d, f and the scaled q. 0: not finite. */
static int scale(friction_interior *w) {
  const perp_problem *p = w->problem;
  double *diagonal = w->a, *rows = w->b;
  for (int32_t i = 0; i < w->n; i++) {
    w->u[i] = 1;
    rows[i] = 0;
  }
  perp_matrix_diagonal(&p->M, diagonal);
  perp_matrix_absolute_multiply_add(&p->M, w->u, rows);
  if (!all_finite((size_t)w->n, rows) || !all_finite((size_t)w->n, p->q)) return 0;
  for (int32_t k = 0; k < w->n_contacts; k++) {
    const contact *c = &w->contacts[k];
    const double d = contact_scale(c, diagonal, rows);
    for (int32_t i = c->begin; i < c->begin + c->size; i++) w->d[i] = d;
  }
  w->f = 0;
  for (int32_t i = 0; i < w->n; i++) {
    w->q[i] = w->d[i] * p->q[i];
    if (fabs(w->q[i]) > w->f) w->f = fabs(w->q[i]);
  }
  if (!(w->f > 0)) w->f = 1;
  for (int32_t i = 0; i < w->n; i++) w->q[i] /= w->f;
  return is_finite(w->f) && all_finite((size_t)w->n, w->q);
}

void perp_friction_interior_product(friction_interior *w, const double *x, double *out) {
  for (int32_t i = 0; i < w->n; i++) {
    w->a[i] = w->d[i] * x[i];
    out[i] = 0;
  }
  perp_matrix_multiply_add(&w->problem->M, w->a, out);
  for (int32_t i = 0; i < w->n; i++) out[i] *= w->d[i];
}

/* ---- cones ---- */

static void add_cone(friction_interior *w, soc cone) { w->cones[w->n_cones++] = cone; }

static void add_half_line(friction_interior *w, int32_t k, int32_t i, double sign, double h) {
  const soc cone = {1, i, i, k, 0, sign, 0, h};
  add_cone(w, cone);
}

/* ‖r_t‖ <= mu r_n with size entries of r from tangent on; mu = 0 fixes them. */
static int add_friction(friction_interior *w, int32_t k, int32_t tangent, int32_t size, double mu) {
  const double most = mu > 1 ? mu : 1;
  const soc cone = {size + 1, w->contacts[k].begin, tangent, k, 1, mu / most, 1 / most, 0};
  if (cone.a > 0) {
    add_cone(w, cone);
    return 1;
  }
  for (int32_t i = tangent; i < tangent + size; i++) w->fixed[i] = 1;
  return 0;
}

static void add_contact(friction_interior *w, int32_t k) {
  const contact *c = &w->contacts[k];
  const int32_t begin = c->begin, parts = c->set == PERP_SET_ROLLING ? 2 : 1;
  const int32_t half = (c->size - 1) / parts;
  int cones = add_friction(w, k, begin + 1, half, c->mu);
  if (parts == 2) cones += add_friction(w, k, begin + 1 + half, half, c->mu_rolling);
  if (cones == 0) add_half_line(w, k, begin, 1, 0);
  w->r[begin] = w->plan.start;
}

/* The bounds stand in a and b. */
static void add_interval(friction_interior *w, int32_t k) {
  const int32_t i = w->contacts[k].begin;
  const double unit = w->f * w->d[i], l = w->a[i] / unit, u = w->b[i] / unit;
  const int below = is_finite(l), above = is_finite(u);
  double room = w->plan.start;
  w->r[i] = 0;
  if (below && above && !(0.5 * (u - l) >= room)) room = 0.5 * (u - l);
  if (below && w->r[i] < l + room) w->r[i] = l + room;
  if (above && w->r[i] > u - room) w->r[i] = u - room;
  const int open = (!below || w->r[i] - l > 0) && (!above || u - w->r[i] > 0);
  if (!open) w->r[i] = l;
  w->fixed[i] = !open;
  if (below && open) add_half_line(w, k, i, 1, -l);
  if (above && open) add_half_line(w, k, i, -1, u);
}

static void list_cones(friction_interior *w) {
  perp_problem_bounds(w->problem, w->a, w->b);
  memset(w->fixed, 0, (size_t)w->n);
  memset(w->r, 0, (size_t)w->n * sizeof *w->r);
  w->n_cones = 0;
  for (int32_t k = 0; k < w->n_contacts; k++) {
    if (w->contacts[k].set <= PERP_SET_BOX)
      add_interval(w, k);
    else
      add_contact(w, k);
  }
}

void perp_friction_interior_slacks(friction_interior *w) {
  for (int32_t k = 0; k < w->n_cones; k++) {
    const soc *c = &w->cones[k];
    double *x = w->x + 3 * (size_t)k;
    x[0] = c->a * w->r[c->normal] + c->h;
    for (int32_t j = 1; j < c->size; j++) x[j] = c->b * w->r[c->tangent + j - 1];
  }
}

int perp_friction_interior_setup(friction_interior *w) {
  perp_problem_contacts(w->problem, w->contacts);
  return scale(w);
}

void perp_friction_interior_start(friction_interior *w) {
  const double product = w->plan.start * w->plan.start;
  list_cones(w);
  memset(w->z, 0, 3 * (size_t)w->n_cones * sizeof *w->z);
  perp_friction_interior_slacks(w);
  for (int32_t k = 0; k < w->n_cones; k++) w->z[3 * (size_t)k] = product / w->x[3 * (size_t)k];
}
