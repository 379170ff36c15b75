/* SPDX-License-Identifier: MIT */
/* One step of the interior-point method for friction. With the gradient G of g, the scaling H of
 * each pair and the scaled point v = H x = H⁻¹ z, Newton on
 *
 *   F = A r + q − Σ Cᵀ g(z) = 0,   x ∘ z = σ μ e   (in the scaled space)
 *
 * is   (A + Σ Cᵀ G H² C) dr = −F + Σ Cᵀ G c,   dz = c − H² C dr,   c = H (v \ t) − z,
 *
 * t = 0 for the predictor, which comes as far as the part p; for the corrector t = σ μ e −
 * p (H dx) ∘ (H⁻¹ dz) of the predictor, and 1 − σ of F, so that a step which only centres stays
 * where it is otherwise.
 *
 * The algebra of one Lorentz cone of dimension 1, 2 or 3, J = diag(1, −1, −1):
 *
 *   x ∘ z = (xᵀz, x_1 z_t + z_1 x_t),   det x = x_1² − ‖x_t‖²,
 *   eta = (det z / det x)^¼,   w = (z/√det z + J x/√det x) / √(2 + 2 xᵀz/√(det x det z)),
 *   H = eta (2 h hᵀ − J),  h = (w + e) / √(2 (w_1 + 1)),   H² = eta² (2 w wᵀ − J),  H x = H⁻¹ z.
 *
 * Source: Vandenberghe, The CVXOPT linear and quadratic cone program solvers, 2010, sections 4, 5.
 *
 * The scaled problem of the interior-point method for friction and its linear systems,
 * K = L A + B + δI with block diagonal L and B, one block a contact; unknowns that keep their value
 * have a unit row and a zero column. By the caller's sparse back end, its pattern that of A and the
 * blocks at every step, or by dense LU. Solutions are refined with K as it is kept beside its
 * factor. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "problem/residual.h"
#include "solver/contact_map.h"
#include "solver/friction_interior.h"

/* Shifts of the diagonal: of intervals, and the most for contacts, which may hold more forces than
 * equations; their plan says how much. Both grow up to MOST_BOOST. */
#define INTERVAL_SHIFT 1e-13
#define MOST_CONTACT   1e-3
#define MOST_BOOST     1e10

enum { REFINEMENTS = 2 };

/* --- scaling --------------------------------------------------------------------------------- */

int perp_friction_interior_scale(friction_interior *w) {
  const perp_problem *p = w->session->problem;
  contacts_scale(w->M, w->n_contacts, w->contacts, 0, w->a, w->d); /* the sums in b */
  if (!all_finite((size_t)w->n, w->b) || !all_finite((size_t)w->n, p->q)) return 0;
  for (int32_t i = 0; i < w->n; i++) w->q[i] = w->d[i] * p->q[i];
  w->f = perp_residual_weighted_largest(w->n, NULL, w->q);
  if (!(w->f > 0)) w->f = 1;
  for (int32_t i = 0; i < w->n; i++) w->q[i] /= w->f;
  return is_finite(w->f) && all_finite((size_t)w->n, w->q);
}

void perp_friction_interior_product(friction_interior *w, const double *x, double *out) {
  perp_factor_product(w->M, w->d, x, w->a, out);
}

void perp_friction_interior_velocity(friction_interior *w) {
  perp_friction_interior_product(w, w->r, w->u);
  for (int32_t i = 0; i < w->n; i++) w->u[i] += w->q[i];
}

static double shift(const friction_interior *w, const contact *c) {
  if (c->set <= PERP_SET_BOX) return INTERVAL_SHIFT * w->boost;
  const double s = w->plan.shift_size * w->boost;
  return s < MOST_CONTACT ? s : MOST_CONTACT;
}

/* --- dense ----------------------------------------------------------------------------------- */

/* Rows of one contact in columns of K := left times them. */
static void left_multiply(friction_interior *w, const contact *c, const double *left) {
  const size_t n = (size_t)w->n, bytes = (size_t)c->size * sizeof(double);
  for (size_t j = 0; j < n; j++) {
    double *column = w->K.dense + n * j + c->begin, old[5];
    memcpy(old, column, bytes);
    memset(column, 0, bytes);
    perp_dense_multiply_add(c->size, c->size, left, c->size, old, column);
  }
}

static void assemble_dense(friction_interior *w) {
  const size_t n = (size_t)w->n;
  double *K = w->K.dense;
  perp_matrix_to_dense(w->M, K, w->n);
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) K[i + n * j] *= w->d[i] * w->d[j];
  for (const contact *c = w->contacts; c < w->contacts + w->n_contacts; c++) {
    const size_t size = (size_t)c->size, at = (size_t)c->begin;
    if (w->left != NULL) left_multiply(w, c, w->left + 5 * at);
    for (size_t j = 0; j < size; j++) {
      for (size_t i = 0; i < size; i++)
        K[at + i + n * (at + j)] += w->blocks[5 * at + i + size * j];
      K[(at + j) * (n + 1)] += shift(w, c);
    }
  }
  for (size_t i = 0; i < n; i++) {
    if (!w->fixed[i]) continue;
    for (size_t j = 0; j < n; j++) K[i + n * j] = K[j + n * i] = 0;
    K[i + n * i] = 1;
  }
}

/* --- sparse ---------------------------------------------------------------------------------- */

/* Whether the rows of a contact have their entries in the same columns because of how they are
 * stored. */
static int alike(const friction_interior *w, const contact *c) {
  const perp_matrix *M = w->M;
  return M->offset != NULL && w->rows.block[c->begin] == w->rows.block[c->begin + c->size - 1];
}

/* Row i of contact c: the block first, then what any of its rows has, so that the pattern never
 * changes. */
static int32_t sparse_row(friction_interior *w, const contact *c, int32_t i, int32_t at) {
  const int32_t size = c->size, begin = at;
  const double *block = w->blocks + 5 * (size_t)c->begin;
  for (int32_t j = 0; j < size; j++)
    w->K.values[factor_place(&w->K, w->place, begin, &at, c->begin + j)] =
        block[i - c->begin + size * j];
  w->K.values[w->place[i]] += shift(w, c);
  for (int32_t k = 0; k < size; k++) {
    const double *left = w->left == NULL ? NULL : w->left + 5 * (size_t)c->begin;
    const double own = k == i - c->begin ? 1 : 0;
    const double factor = left == NULL ? own : left[i - c->begin + size * k];
    if (left == NULL && own == 0 && alike(w, c)) continue;
    const matrix_row row = row_read(&w->rows, c->begin + k);
    for (int32_t e = 0; e < row.count; e++)
      w->K.values[factor_place(&w->K, w->place, begin, &at, row.column[e])] +=
          factor * (w->d[c->begin + k] * row.value[e] * w->d[row.column[e]]);
  }
  for (int32_t e = begin; e < at; e++)
    if (w->fixed[i] || w->fixed[w->K.index[e]]) w->K.values[e] = w->K.index[e] == i ? 1 : 0;
  return at;
}

static void assemble_sparse(friction_interior *w) {
  int32_t at = 0;
  for (int32_t i = 0; i < w->n; i++) w->place[i] = -1;
  for (const contact *c = w->contacts; c < w->contacts + w->n_contacts; c++) {
    for (int32_t i = c->begin; i < c->begin + c->size; i++) {
      w->K.start[i] = at;
      at = sparse_row(w, c, i, at);
    }
  }
  w->K.start[w->n] = at;
}

/* --- factor and solve ------------------------------------------------------------------------ */

int perp_friction_interior_factor(friction_interior *w) {
  for (;;) {
    if (w->K.way == FACTOR_LU)
      assemble_dense(w);
    else
      assemble_sparse(w);
    if (perp_factor_make(&w->K, 0) == PERP_OK) return 1;
    if (w->K.failure != PERP_OK || !(w->boost < MOST_BOOST)) return 0;
    w->boost *= 100;
  }
}

/* y += block x of each contact. */
static void multiply_blocks(const friction_interior *w, const double *blocks, const double *x,
                            double *y) {
  for (const contact *c = w->contacts; c < w->contacts + w->n_contacts; c++)
    perp_dense_multiply_add(c->size, c->size, blocks + 5 * (size_t)c->begin, c->size, x + c->begin,
                            y + c->begin);
}

/* out := K x */
static void multiply(friction_interior *w, const double *x, double *out) {
  double *Ax = w->b;
  perp_friction_interior_product(w, x, Ax);
  for (int32_t i = 0; i < w->n; i++) out[i] = w->left == NULL ? Ax[i] : 0;
  if (w->left != NULL) multiply_blocks(w, w->left, Ax, out);
  multiply_blocks(w, w->blocks, x, out);
  for (const contact *c = w->contacts; c < w->contacts + w->n_contacts; c++) {
    for (int32_t i = c->begin; i < c->begin + c->size; i++) out[i] += shift(w, c) * x[i];
  }
}

void perp_friction_interior_solve(friction_interior *w, const double *rhs, double *x) {
  const size_t n = (size_t)w->n;
  double *rest = w->rest;
  memcpy(x, rhs, n * sizeof *x);
  for (size_t i = 0; i < n; i++)
    if (w->fixed[i]) x[i] = 0;
  (void)perp_factor_solve(&w->K, x);
  for (int pass = 0; pass < REFINEMENTS; pass++) {
    multiply(w, x, rest);
    for (size_t i = 0; i < n; i++) rest[i] = w->fixed[i] ? 0 : rhs[i] - rest[i];
    (void)perp_factor_solve(&w->K, rest);
    for (size_t i = 0; i < n; i++) x[i] += rest[i];
  }
}

#define LEAST_STEP 1e-12
/* A predictor shorter than this calls for caution in so many steps. */
#define STALL 0.1
#define LAG   5
enum { REST = 3 };

/* --- one cone -------------------------------------------------------------------------------- */

/* det x without cancellation in squares. */
static double det(int32_t size, const double *x) {
  if (size == 1) return x[0] * x[0];
  const double t = cone_norm(size - 1, x + 1);
  return (x[0] - t) * (x[0] + t);
}

static double dot(int32_t size, const double *x, const double *z) {
  double sum = 0;
  for (int32_t k = 0; k < size; k++) sum += x[k] * z[k];
  return sum;
}

/* out := scale (2 (h·x) h − J x) */
static void reflect(int32_t size, double scale, const double *h, const double *x, double *out) {
  const double c = 2 * dot(size, h, x);
  for (int32_t k = 0; k < size; k++) out[k] = scale * (c * h[k] - (k == 0 ? x[k] : -x[k]));
}

/* out := H x, H⁻¹ x, H² x. out may not be x. */
static void apply(const soc *c, const double *x, double *out) {
  reflect(c->size, c->eta, c->half, x, out);
}

static void apply_inverse(const soc *c, const double *x, double *out) {
  double h[3] = {c->half[0], 0, 0};
  for (int32_t k = 1; k < c->size; k++) h[k] = -c->half[k];
  reflect(c->size, 1 / c->eta, h, x, out);
}

static void apply_square(const soc *c, const double *x, double *out) {
  reflect(c->size, c->eta * c->eta, c->w, x, out);
}

/* The scaling of x and z. 0: one of them is not inside. */
static int scale(soc *c) {
  const double *x = c->x, *z = c->z, dx = sqrt(det(c->size, x)), dz = sqrt(det(c->size, z));
  if (!(x[0] > 0 && z[0] > 0 && dx > 0 && dz > 0)) return 0;
  const double gamma = sqrt(2 + 2 * dot(c->size, x, z) / dx / dz);
  c->eta = sqrt(dz / dx);
  for (int32_t k = 0; k < c->size; k++)
    c->w[k] = (z[k] / dz + (k == 0 ? x[k] : -x[k]) / dx) / gamma;
  const double tail = c->size == 1 ? 0 : dot(c->size - 1, c->w + 1, c->w + 1);
  c->w[0] = sqrt(1 + tail); /* det w = 1 */
  const double root = sqrt(2 * (c->w[0] + 1));
  for (int32_t k = 0; k < c->size; k++) c->half[k] = (c->w[k] + (k == 0 ? 1 : 0)) / root;
  apply(c, x, c->v);
  return 1;
}

/* out := u with v ∘ u = b. */
static void divide(int32_t size, const double *v, const double *b, double *out) {
  double c = v[0] * b[0];
  for (int32_t k = 1; k < size; k++) c -= v[k] * b[k];
  out[0] = c / det(size, v);
  if (size == 1) out[0] = b[0] / v[0];
  for (int32_t k = 1; k < size; k++) out[k] = (b[k] - out[0] * v[k]) / v[0];
}

/* The largest step that stays in the cone, infinity if it never leaves: the first zero of det(x + α
 * dx) = a α² + 2 b α + c. */
static double step_length(int32_t size, const double *x, const double *dx) {
  if (size == 1) return dx[0] < 0 ? -x[0] / dx[0] : (double)INFINITY;
  const double c = det(size, x), a = det(size, dx);
  double b = x[0] * dx[0];
  for (int32_t k = 1; k < size; k++) b -= x[k] * dx[k];
  const double square = b * b - a * c;
  if (!(square >= 0)) return (double)INFINITY;
  const double bottom = -b + sqrt(square);
  return bottom > 0 ? c / bottom : (double)INFINITY;
}

/* z_1 − g_1(z) for a g of friction; grad := its gradient. */
static double shift_of(int32_t size, int32_t shift, const double *z, double *grad) {
  double t = 0;
  if (shift == SOC_NORM) {
    t = cone_norm(size - 1, z + 1);
    grad[0] = 0;
    for (int32_t k = 1; k < size; k++) grad[k] = t > 0 ? z[k] / t : 0;
    return t;
  }
  for (int32_t k = 1; k < size; k++) {
    grad[k] = z[k] / z[0];
    t += grad[k] * grad[k];
    grad[k] *= 2;
  }
  grad[0] = -t;
  return t * z[0];
}

/* --- cones of the problem -------------------------------------------------------------------- */

static void add_half_line(friction_interior *w, int32_t k, int32_t i, double sign, double h) {
  w->cones[w->n_cones++] =
      (soc){.size = 1, .normal = i, .tangent = i, .contact = k, .a = sign, .h = h};
}

/* ‖r_t‖ <= mu r_n with size entries of r from tangent on; mu = 0 fixes them. */
static int add_friction(friction_interior *w, int32_t k, int32_t tangent, int32_t size, double mu) {
  const double most = mu > 1 ? mu : 1;
  if (mu / most > 0) {
    w->cones[w->n_cones++] = (soc){.size = size + 1,
                                   .normal = w->contacts[k].begin,
                                   .tangent = tangent,
                                   .contact = k,
                                   .shifted = 1,
                                   .a = mu / most,
                                   .b = 1 / most};
    return 1;
  }
  for (int32_t i = tangent; i < tangent + size; i++) w->fixed[i] = 1;
  return 0;
}

static void add_contact(friction_interior *w, int32_t k) {
  const contact *c = &w->contacts[k];
  const int32_t half = contact_half(c);
  int cones = 0;
  for (int32_t part = 0; part < contact_parts(c); part++)
    cones += add_friction(w, k, c->begin + 1 + part * half, half, contact_mu(c, part));
  if (cones == 0) add_half_line(w, k, c->begin, 1, 0);
  w->r[c->begin] = w->plan.start;
}

static void add_interval(friction_interior *w, int32_t k) {
  const int32_t i = w->contacts[k].begin;
  const double unit = w->f * w->d[i], l = w->session->lower[i] / unit,
               u = w->session->upper[i] / unit;
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

/* x := C r + h of all cones. */
static void set_slacks(friction_interior *w) {
  for (soc *c = w->cones; c < w->cones + w->n_cones; c++) {
    c->x[0] = c->a * w->r[c->normal] + c->h;
    for (int32_t j = 1; j < c->size; j++) c->x[j] = c->b * w->r[c->tangent + j - 1];
  }
}

/* Every normal force 1 times the plan's start, every û_n too, so that all products x_1 z_1 are the
 * same. */
void perp_friction_interior_start(friction_interior *w) {
  memset(w->fixed, 0, (size_t)w->n);
  memset(w->r, 0, (size_t)w->n * sizeof *w->r);
  w->n_cones = 0;
  for (int32_t k = 0; k < w->n_contacts; k++) {
    if (w->contacts[k].set <= PERP_SET_BOX)
      add_interval(w, k);
    else
      add_contact(w, k);
  }
  set_slacks(w);
  for (soc *c = w->cones; c < w->cones + w->n_cones; c++)
    c->z[0] = w->plan.start * w->plan.start / c->x[0];
}

/* --- the system ------------------------------------------------------------------------------ */

/* out += scale Cᵀ y */
static void add_transposed(const soc *c, double scale, const double *y, double *out) {
  out[c->normal] += scale * c->a * y[0];
  for (int32_t j = 1; j < c->size && j < 3; j++) out[c->tangent + j - 1] += scale * c->b * y[j];
}

/* F and mu at the iterate. */
static void evaluate(friction_interior *w) {
  double sum = 0;
  perp_friction_interior_velocity(w);
  memcpy(w->F, w->u, (size_t)w->n * sizeof *w->F);
  for (const soc *c = w->cones; c < w->cones + w->n_cones; c++) {
    double g[3] = {c->z[0], c->z[1], c->z[2]}, grad[3] = {0};
    for (int32_t j = 0; j < c->size; j++) sum += c->x[j] * c->z[j];
    if (c->shifted) g[0] -= shift_of(c->size, w->plan.shift, c->z, grad);
    add_transposed(c, -1, g, w->F);
  }
  for (int32_t i = 0; i < w->n; i++)
    if (w->fixed[i]) w->F[i] = 0;
  w->mu = w->n_cones > 0 ? sum / w->n_cones : 0;
}

/* G y in place. */
static void apply_gradient(const friction_interior *w, const soc *c, double *y) {
  double grad[3] = {0};
  if (!c->shifted || w->theta == 0) return;
  (void)shift_of(c->size, w->plan.shift, c->z, grad);
  double first = y[0];
  for (int32_t j = 0; j < c->size && j < 3; j++) first -= w->theta * grad[j] * y[j];
  y[0] = first;
}

/* Scale all pairs and gather Cᵀ G H² C. */
static int build(friction_interior *w) {
  memset(w->blocks, 0, 5 * (size_t)w->n * sizeof *w->blocks);
  for (soc *c = w->cones; c < w->cones + w->n_cones; c++) {
    const contact *home = &w->contacts[c->contact];
    double *block = w->blocks + 5 * (size_t)home->begin;
    if (!scale(c)) return 0;
    for (int32_t j = 0; j < c->size; j++) {
      double e[3] = {0, 0, 0}, column[3] = {0};
      e[j] = j == 0 ? c->a : c->b;
      apply_square(c, e, column);
      apply_gradient(w, c, column);
      const int32_t at = j == 0 ? c->normal : c->tangent + j - 1;
      add_transposed(c, 1, column, block + home->size * (at - home->begin) - home->begin);
    }
  }
  return 1;
}

/* dr, dx, dz for the c of the cones and a share of F. */
static void solve_for(friction_interior *w, double share) {
  for (int32_t i = 0; i < w->n; i++) w->rhs[i] = -share * w->F[i];
  for (const soc *c = w->cones; c < w->cones + w->n_cones; c++) {
    double y[3] = {c->c[0], c->c[1], c->c[2]};
    apply_gradient(w, c, y);
    add_transposed(c, 1, y, w->rhs);
  }
  perp_friction_interior_solve(w, w->rhs, w->dr);
  for (soc *c = w->cones; c < w->cones + w->n_cones; c++) {
    c->dx[0] = c->a * w->dr[c->normal];
    for (int32_t j = 1; j < c->size; j++) c->dx[j] = c->b * w->dr[c->tangent + j - 1];
    apply_square(c, c->dx, c->dz);
    for (int32_t j = 0; j < c->size; j++) c->dz[j] = c->c[j] - c->dz[j];
  }
}

/* --- lengths and targets --------------------------------------------------------------------- */

static double least(double a, double b) { return a < b ? a : b; }

static double longest(const friction_interior *w) {
  double alpha = (double)INFINITY;
  for (const soc *c = w->cones; c < w->cones + w->n_cones; c++) {
    const double x = step_length(c->size, c->x, c->dx), z = step_length(c->size, c->z, c->dz);
    if (!(x >= alpha)) alpha = x;
    if (!(z >= alpha)) alpha = z;
  }
  return alpha;
}

static double mu_after(const friction_interior *w, double alpha) {
  double sum = 0;
  for (const soc *c = w->cones; c < w->cones + w->n_cones; c++)
    for (int32_t j = 0; j < c->size; j++)
      sum += (c->x[j] + alpha * c->dx[j]) * (c->z[j] + alpha * c->dz[j]);
  return w->n_cones > 0 ? sum / w->n_cones : 0;
}

/* c of the corrector: the target on the diagonal, the second order by its weight. */
static void correct(soc *c, double target, double weight) {
  double x[3] = {0}, z[3] = {0}, t[3] = {0}, y[3] = {0};
  apply(c, c->dx, x);
  apply_inverse(c, c->dz, z);
  for (int32_t j = 0; j < c->size; j++) x[j] *= weight;
  t[0] = target - x[0] * z[0];
  for (int32_t j = 1; j < c->size; j++) {
    t[0] -= x[j] * z[j];
    t[j] = -x[0] * z[j] - z[0] * x[j];
  }
  divide(c->size, c->v, t, y);
  apply(c, y, c->c);
  for (int32_t j = 0; j < c->size; j++) c->c[j] -= c->z[j];
}

/* What part of the gradient of g to take: all of it, but less for some steps after one whose
 * predictor came to nothing although all pairs were near their mean. There the path of the
 * nonassociated problem turns back; that of the part theta does not yet. */
static double part(const friction_interior *w) {
  if (w->options->coupling == PERP_FRICTION_INTERIOR_LAGGED) return 0;
  return w->caution > 0 ? w->plan.theta : 1;
}

static void be_cautious(friction_interior *w, double ahead) {
  if (w->caution > 0)
    w->caution--;
  else if (ahead < STALL && !w->plan.bold)
    w->caution = REST;
}

/* Whether F has fallen behind μ while the gradient of g was left out: then the step aims at F. */
static int lags(const friction_interior *w) {
  if (w->caution == 0 || w->plan.bold) return 0;
  return perp_residual_weighted_largest(w->n, NULL, w->F) > LAG * w->mu;
}

/* --- the step -------------------------------------------------------------------------------- */

static double between(double low, double x, double high) {
  return x < high ? x > low ? x : low : high;
}

static int move(friction_interior *w, double alpha) {
  if (!(alpha > LEAST_STEP) || !all_finite((size_t)w->n, w->dr)) return 0;
  for (int32_t i = 0; i < w->n; i++) w->r[i] += alpha * w->dr[i];
  for (soc *c = w->cones; c < w->cones + w->n_cones; c++)
    for (int32_t j = 0; j < c->size; j++) c->z[j] += alpha * c->dz[j];
  set_slacks(w);
  return 1;
}

int perp_friction_interior_step(friction_interior *w) {
  soc *end = w->cones + w->n_cones;
  evaluate(w);
  w->theta = part(w);
  if (!build(w) || !perp_friction_interior_factor(w)) return 0;
  for (soc *c = w->cones; c < end; c++)
    for (int32_t j = 0; j < 3; j++) c->c[j] = -c->z[j];
  solve_for(w, 1);
  const double ahead = least(1, longest(w)), ratio = mu_after(w, ahead) / w->mu;
  const int behind = lags(w);
  const double sigma = behind ? 1 : between(1e-10, ratio * ratio * ratio, 1);
  be_cautious(w, ahead);
  for (soc *c = w->cones; c < end; c++) correct(c, sigma * w->mu, w->plan.bold ? 1 : ahead);
  solve_for(w, w->plan.bold || behind ? 1 : 1 - sigma);
  return move(w, least(1, (0.9 + 0.099 * ahead) * longest(w)));
}
