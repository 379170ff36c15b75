/* SPDX-License-Identifier: MIT */
#include "portfolio/contact_equations.h"

#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "problem/bounds.h"
#include "solver/contact_map.h"

void perp_contact_equations_carve(contact_equations *e, arena *a, int32_t unknowns) {
  const size_t n = (size_t)unknowns;
  double **const vectors[] = {&e->q, &e->unit, &e->lower, &e->upper, &e->y, &e->a, NULL};
  e->n = unknowns;
  e->contacts = arena_take(a, n, sizeof *e->contacts);
  e->W = arena_take(a, n * n, sizeof(double));
  arena_take_doubles(a, n, vectors);
}

/* --- units ----------------------------------------------------------------------------------- */

double perp_contact_equations_leverage(const contact *c) {
  const double most = c->mu > c->mu_rolling ? c->mu : c->mu_rolling;
  return most > 1 ? power_of_two(most) : 1;
}

/* Column j of a matrix with n rows. */
static const double *column(const double *A, int32_t n, int32_t j) {
  return A + (size_t)n * (size_t)j;
}

/* The largest |W_ij| with i in one contact and j in the other. */
static double block_size(const contact_equations *e, const contact *r, const contact *c) {
  double most = 0;
  for (int32_t j = c->begin; j < c->begin + c->size; j++)
    for (int32_t i = r->begin; i < r->begin + r->size; i++) {
      const double w = fabs(column(e->W, e->n, j)[i]);
      most = w > most ? w : most;
    }
  return most;
}

/* ρ of a contact: by its own block, or where that is 0 by what it does to the others. */
static double row_unit(const contact_equations *e, const contact *c) {
  double size = sqrt(block_size(e, c, c));
  for (int32_t k = 0; size == 0 && k < e->count; k++) {
    const contact *other = &e->contacts[k];
    const double own = sqrt(block_size(e, other, other)), w = block_size(e, other, c);
    if (own > 0 && w > 0) size = w / own;
  }
  return 1 / power_of_two(size);
}

/* W, q and the bounds in units of x. */
static void scale(contact_equations *e) {
  const int32_t n = e->n;
  double *row = e->unit, *w = e->W;
  for (int32_t k = 0; k < e->count; k++) {
    const contact *c = &e->contacts[k];
    const double unit = row_unit(e, c);
    for (int32_t i = c->begin; i < c->begin + c->size; i++) row[i] = unit;
  }
  for (int32_t j = 0; j < n; j++)
    for (int32_t i = 0; i < n; i++, w++) *w *= row[i] * row[j];
  for (int32_t i = 0; i < n; i++) e->q[i] *= row[i];
  const double tau = 1 / power_of_two(largest_size(n, e->q));
  for (int32_t i = 0; i < n; i++) {
    e->q[i] *= tau;
    e->unit[i] /= tau;
    e->lower[i] /= e->unit[i];
    e->upper[i] /= e->unit[i];
  }
}

int perp_contact_equations_open(contact_equations *e, const perp_problem *problem) {
  const size_t n = (size_t)problem->n;
  int32_t largest;
  e->count = perp_problem_contact_count(problem, &largest);
  perp_problem_contacts(problem, e->contacts);
  perp_problem_bounds(problem, e->lower, e->upper);
  perp_matrix_to_dense(&problem->M, e->W, problem->n);
  memcpy(e->q, problem->q, n * sizeof *e->q);
  scale(e);
  return all_finite(n * n, e->W) && all_finite(n, e->q) && all_finite(n, e->unit);
}

/* --- the equations --------------------------------------------------------------------------- */

/* One part, of a contact or an interval: its rows of φ, and
 * dφ = a (I − P) dx + P dy − g dx_n. */
typedef struct piece {
  int32_t at, size, normal;
  double a, phi[2], P[4], g[2];
} piece;

/* min(u, v) of which part is that of u; rounded off in a width of e. */
static double smooth_min(double u, double v, double e, double *part) {
  const double d = u - v, root = sqrt(d * d + 4 * e * e);
  *part = root > 0 ? 0.5 * (1 - d / root) : 0.5;
  return d > 0 ? v - 2 * e * (e / (root + d > 0 ? root + d : 1))
               : u - 2 * e * (e / (root - d > 0 ? root - d : 1));
}

/* min(y, a x), or clamped to an interval. */
static piece line_piece(const contact_equations *e, const double *x, int32_t i, double lower,
                        double upper) {
  const double a = e->a[i];
  piece p = {i, 1, i, a, {e->y[i], 0}, {1, 0, 0, 0}, {0, 0}};
  double part;
  if (is_finite(lower)) {
    p.phi[0] = smooth_min(p.phi[0], a * (x[i] - lower), e->width, &part);
    p.P[0] *= part;
  }
  if (is_finite(upper)) {
    p.phi[0] = -smooth_min(-p.phi[0], a * (upper - x[i]), e->width, &part);
    p.P[0] *= part;
  }
  return p;
}

/* With z = a x_t − y_t, the radius R = a μ x_n⁺ and M = max(R, ‖z‖) it is φ = a x_t − z R / M. */
static piece ball_piece(const contact_equations *e, const double *x, int32_t normal, int32_t at,
                        int32_t size, double mu) {
  const double a = e->a[at];
  piece p = {at, size, normal, a, {0, 0}, {1, 0, 0, 1}, {0, 0}};
  double z[2] = {0, 0}, of_radius, of_push;
  for (int32_t k = 0; k < size; k++) z[k] = a * x[at + k] - e->y[at + k];
  const double push = a * mu * x[normal], radius = -smooth_min(-push, 0, e->width, &of_push);
  const double norm = cone_norm(size, z);
  const double length = e->width > 0 ? sqrt(norm * norm + e->width * e->width) : norm;
  const double most = -smooth_min(-radius, -length, e->width, &of_radius);
  const double f = most > 0 ? radius / most : 1;
  const double turn = length > 0 && most > 0 ? f * (1 - of_radius) / (most * length) : 0;
  for (int32_t k = 0; k < size; k++) {
    p.phi[k] = (1 - f) * (a * x[at + k]) + f * e->y[at + k];
    p.g[k] = most > 0 ? z[k] / most * (1 - f * of_radius) * a * mu * of_push : 0;
    for (int32_t j = 0; j < size; j++) p.P[k + 2 * j] = f * (k == j) - turn * z[k] * z[j];
  }
  return p;
}

/* Its rows of the Jacobian. */
static void write_rows(const contact_equations *e, const piece *p, double *J, int32_t ld) {
  for (int32_t j = 0; j < e->n; j++) {
    const double *w = column(e->W, e->n, j) + p->at;
    double *out = J + (size_t)ld * (size_t)j + p->at;
    out[0] = p->P[0] * w[0];
    if (p->size < 2) continue;
    out[0] += p->P[2] * w[1];
    out[1] = p->P[1] * w[0] + p->P[3] * w[1];
  }
  double *own = J + (size_t)ld * (size_t)p->at + p->at;
  double *normal = J + (size_t)ld * (size_t)p->normal + p->at;
  for (int32_t k = 0; k < p->size; k++) normal[k] -= p->g[k];
  for (int32_t j = 0; j < p->size; j++, own += ld)
    for (int32_t k = 0; k < p->size; k++) own[k] += p->a * ((k == j) - p->P[k + 2 * j]);
}

/* The parts of one contact; how many. */
static int32_t pieces_of(const contact_equations *e, int32_t k, const double *x, piece out[3]) {
  const contact *c = &e->contacts[k];
  const int32_t i = c->begin, parts = contact_is_interval(c) ? 0 : contact_parts(c);
  out[0] = parts == 0 ? line_piece(e, x, i, e->lower[i], e->upper[i])
                      : line_piece(e, x, i, 0, (double)INFINITY);
  for (int32_t part = 0, half = contact_half(c); part < parts; part++)
    out[part + 1] = ball_piece(e, x, i, i + 1 + part * half, half, contact_mu(c, part));
  return parts + 1;
}

void perp_contact_equations_at(contact_equations *e, const double *x, double *phi, double *J,
                               int32_t ld) {
  piece pieces[3];
  memcpy(e->y, e->q, (size_t)e->n * sizeof *e->y);
  perp_dense_multiply_add(e->n, e->n, e->W, e->n, x, e->y);
  for (int32_t k = 0; k < e->count; k++) {
    const int32_t count = pieces_of(e, k, x, pieces);
    for (int32_t c = 0; c < count; c++) {
      for (int32_t i = 0; i < pieces[c].size; i++) phi[pieces[c].at + i] = pieces[c].phi[i];
      if (J != NULL) write_rows(e, &pieces[c], J, ld);
    }
  }
}
