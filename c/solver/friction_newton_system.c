/* SPDX-License-Identifier: MIT */
/* Newton's system. Contacts that take off have dλ = −Φ, so the rest is
 *
 *   (A + B (M + σ D))_II d_I = −Φ_I − B_I M_IO d_O .
 *
 * I holds the contacts that touch, and keeps for a while some that do so no more: the pattern of
 * the system then stays, and the back end its analysis. */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "solver/friction_newton.h"

enum { FILL = 50 };

enum { MOST = FRICTION_NEWTON_MOST };

/* Contacts that left the system may be this part of it. */
static const double spare = 0.25;

static void choose_members(friction_newton *s) {
  int32_t on = 0, with = 0, fresh = 0;
  for (int32_t k = 0; k < s->count; k++) {
    const int32_t size = s->contacts[k].size;
    if (!s->off[k]) on += size;
    if (!s->off[k] || s->inside[k]) with += size;
    if (!s->off[k] && !s->inside[k]) fresh = 1;
  }
  const int shrink = with > (1 + spare) * on;
  if (!fresh && !shrink) return;
  for (int32_t k = 0; k < s->count; k++)
    s->inside[k] = (unsigned char)(!s->off[k] || (s->inside[k] && !shrink));
  s->members = 0;
  for (int32_t k = 0; k < s->count; k++)
    for (int32_t i = s->contacts[k].begin; i < s->contacts[k].begin + s->contacts[k].size; i++)
      s->place[i] = s->inside[k] ? s->members++ : -1;
}

/* out := B v, with the size a constant where it is inlined. */
static inline void multiply(int32_t m, const double *B, const double *v, double *out) {
  for (int32_t i = 0; i < m; i++) out[i] = B[i] * v[0];
  for (int32_t j = 1; j < m; j++)
    for (int32_t i = 0; i < m; i++) out[i] += B[i + m * j] * v[j];
}

static inline void product(int32_t m, const double *B, const double *v, double *out) {
  switch (m) {
    case 1:
      multiply(1, B, v, out);
      break;
    case 2:
      multiply(2, B, v, out);
      break;
    case 3:
      multiply(3, B, v, out);
      break;
    default:
      multiply(m, B, v, out);
  }
}

static void own_column(const friction_newton *s, int32_t k, int32_t j, double *out) {
  const contact *c = &s->contacts[k];
  const size_t at = (size_t)c->begin * MOST + (size_t)(c->size * j);
  for (int32_t i = 0; i < c->size; i++)
    out[i] += s->A[at + (size_t)i] + s->sigma * s->size[k] * s->B[at + (size_t)i];
}

static void dense_rows(friction_newton *s, int32_t k) {
  const contact *c = &s->contacts[k];
  const panel p = perp_friction_newton_rows(s, k);
  const double *B = s->B + (size_t)c->begin * MOST;
  const int32_t row = s->place[c->begin];
  double out[MOST];
  for (int32_t e = 0; e < p.count; e++) {
    const int32_t j = p.column[e];
    if (s->place[j] < 0) continue;
    product(c->size, B, p.value + p.ld * (size_t)e, out);
    if (j >= c->begin && j < c->begin + c->size) own_column(s, k, j - c->begin, out);
    memcpy(s->K + (size_t)row + (size_t)s->members * (size_t)s->place[j], out,
           (size_t)c->size * sizeof *out);
  }
}

static perp_status factor_dense(friction_newton *s) {
  const size_t m = (size_t)s->members;
  memset(s->K, 0, m * m * sizeof *s->K);
  for (int32_t k = 0; k < s->count; k++)
    if (s->inside[k]) dense_rows(s, k);
  return perp_dense_lu_factor(s->members, s->K, s->members, s->pivots);
}

/* The rows of contact k in compressed rows, from place at on, m unknowns. Returns the place behind.
 */
static inline int32_t compressed(friction_newton *s, int32_t k, int32_t m, int32_t at) {
  const contact *c = &s->contacts[k];
  const panel p = perp_friction_newton_rows(s, k);
  const double *B = s->B + (size_t)c->begin * MOST;
  int32_t *start = s->start + s->place[c->begin];
  int32_t width = 0;
  for (int32_t i = 0; i < p.count; i++) width += s->place[p.column[i]] >= 0;
  int32_t *index = s->index + at;
  double *K = s->K + at;
  for (int32_t i = 0, e = 0; i < p.count; i++) {
    const int32_t j = p.column[i], place = s->place[j];
    double out[MOST];
    if (place < 0) continue;
    multiply(m, B, p.value + p.ld * (size_t)i, out);
    if (j >= c->begin && j < c->begin + m) own_column(s, k, j - c->begin, out);
    for (int32_t r = 0; r < m; r++) {
      index[r * width + e] = place;
      K[r * width + e] = out[r];
    }
    e++;
  }
  for (int32_t r = 0; r < m; r++) start[r] = at + r * width;
  return at + m * width;
}

static int32_t sparse_rows(friction_newton *s, int32_t k, int32_t at) {
  switch (s->contacts[k].size) {
    case 1:
      return compressed(s, k, 1, at);
    case 2:
      return compressed(s, k, 2, at);
    case 3:
      return compressed(s, k, 3, at);
    default:
      return compressed(s, k, s->contacts[k].size, at);
  }
}

static perp_status factor_sparse(friction_newton *s) {
  int32_t at = 0;
  for (int32_t k = 0; k < s->count; k++)
    if (s->inside[k]) at = sparse_rows(s, k, at);
  s->start[s->members] = at;
  const perp_status status = s->o.sparse->factor(s->members, s->start, s->index, s->K, &s->factor);
  if (status == PERP_EBACKEND) s->failure = status;
  return status;
}

/* rhs := −Φ − B (M d) on the members, where d holds the steps of the others. */
static void right_side(friction_newton *s) {
  int any = 0;
  for (int32_t k = 0; k < s->count; k++) {
    const contact *c = &s->contacts[k];
    for (int32_t i = c->begin; i < c->begin + c->size; i++) {
      s->d[i] = s->inside[k] ? 0 : -s->phi[i];
      any |= s->d[i] != 0;
    }
  }
  memset(s->v, 0, (size_t)s->n * sizeof *s->v);
  if (any) perp_matrix_multiply_add(&s->problem->M, s->d, s->v);
  for (int32_t k = 0; k < s->count; k++) {
    const contact *c = &s->contacts[k];
    double out[MOST];
    if (!s->inside[k]) continue;
    product(c->size, s->B + (size_t)c->begin * MOST, s->v + c->begin, out);
    for (int32_t i = 0; i < c->size; i++)
      s->rhs[s->place[c->begin] + i] = -s->phi[c->begin + i] - out[i];
  }
}

static int solve(friction_newton *s) {
  right_side(s);
  if (s->members > 0 && s->dense)
    perp_dense_lu_solve(s->members, 1, s->K, s->members, s->pivots, s->rhs, s->members);
  if (s->members > 0 && !s->dense && s->o.sparse->solve(s->factor, s->rhs) != PERP_OK) {
    s->failure = PERP_EBACKEND;
    return 0;
  }
  for (int32_t i = 0; i < s->n; i++)
    if (s->place[i] >= 0) s->d[i] = s->rhs[s->place[i]];
  memset(s->v, 0, (size_t)s->n * sizeof *s->v);
  perp_matrix_multiply_add(&s->problem->M, s->d, s->v);
  return 1;
}

/* Multiply-adds of a step. What a sparse factor has beyond the entries of the system is not known
 * before: some tens of passes. */
static double factor_work(const friction_newton *s) {
  const double m = s->members;
  return s->dense ? m * m * m / 3 + FRICTION_NEWTON_MOST * s->pass : FILL * s->pass;
}

int perp_friction_newton_direction(friction_newton *s) {
  choose_members(s);
  const perp_matrix *M = &s->problem->M;
  const int small = s->members <= FRICTION_NEWTON_DENSE || M->kind == PERP_DENSE;
  s->dense = s->o.sparse == NULL || small;
  if (s->members > 0) {
    s->factors++;
    s->work += factor_work(s);
    if ((s->dense ? factor_dense(s) : factor_sparse(s)) != PERP_OK) return 0;
  }
  return solve(s);
}
