/* SPDX-License-Identifier: MIT */
/* The scaled problem of the interior-point method for friction and its linear systems,
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
#include "solver/friction_interior.h"

/* Shifts of the diagonal: of intervals, and the most for contacts, which may hold more forces than
 * equations; their plan says how much. Both grow up to MOST_BOOST. */
#define INTERVAL_SHIFT 1e-13
#define MOST_CONTACT   1e-3
#define MOST_BOOST     1e10

enum { REFINEMENTS = 2 };

/* --- scaling --------------------------------------------------------------------------------- */

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

int perp_friction_interior_scale(friction_interior *w) {
  const perp_problem *p = w->session->problem;
  double *diagonal = w->a, *rows = w->b;
  for (int32_t i = 0; i < w->n; i++) {
    w->u[i] = 1;
    rows[i] = 0;
  }
  perp_matrix_diagonal(w->M, diagonal);
  perp_matrix_absolute_multiply_add(w->M, w->u, rows);
  if (!all_finite((size_t)w->n, rows) || !all_finite((size_t)w->n, p->q)) return 0;
  for (const contact *c = w->contacts; c < w->contacts + w->n_contacts; c++) {
    const double d = contact_scale(c, diagonal, rows);
    for (int32_t i = c->begin; i < c->begin + c->size; i++) w->d[i] = d;
  }
  for (int32_t i = 0; i < w->n; i++) w->q[i] = w->d[i] * p->q[i];
  w->f = perp_residual_weighted_largest(w->n, NULL, w->q);
  if (!(w->f > 0)) w->f = 1;
  for (int32_t i = 0; i < w->n; i++) w->q[i] /= w->f;
  return is_finite(w->f) && all_finite((size_t)w->n, w->q);
}

void perp_friction_interior_product(friction_interior *w, const double *x, double *out) {
  for (int32_t i = 0; i < w->n; i++) {
    w->a[i] = w->d[i] * x[i];
    out[i] = 0;
  }
  perp_matrix_multiply_add(w->M, w->a, out);
  for (int32_t i = 0; i < w->n; i++) out[i] *= w->d[i];
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

/* Where column j stands in the row that began at begin; appended where it is new. */
static int32_t place(friction_interior *w, int32_t begin, int32_t *end, int32_t j) {
  if (w->place[j] < begin) {
    w->place[j] = *end;
    w->K.index[*end] = j;
    w->K.values[(*end)++] = 0;
  }
  return w->place[j];
}

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
    w->K.values[place(w, begin, &at, c->begin + j)] = block[i - c->begin + size * j];
  w->K.values[w->place[i]] += shift(w, c);
  for (int32_t k = 0; k < size; k++) {
    const double *left = w->left == NULL ? NULL : w->left + 5 * (size_t)c->begin;
    const double own = k == i - c->begin ? 1 : 0;
    const double factor = left == NULL ? own : left[i - c->begin + size * k];
    if (left == NULL && own == 0 && alike(w, c)) continue;
    const matrix_row row = row_read(&w->rows, c->begin + k);
    for (int32_t e = 0; e < row.count; e++)
      w->K.values[place(w, begin, &at, row.column[e])] +=
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
