/* SPDX-License-Identifier: MIT */
/* K = W + Hᵀ D² H / ρ. With friction the three directions of a contact have one weight, so that its
 * frame cancels: its part of the block of bodies a and b is, up to sign, the weight times
 *
 *   G_aᵀ G_b,   G_a = [1  −[a]×]   and so   ( 1      −[b]×       )
 *                                           ( [a]×   a·b 1 − b aᵀ )
 *
 * with the arms a and b; without friction h_a h_bᵀ, h_a = (n, a × n). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "contacts/direct.h"
#include "contacts/swept_body.h"
#include "linalg/dense.h"

void perp_direct_matrix_carve(direct_matrix *m, arena *a, int32_t bodies, int32_t contacts) {
  const size_t n = (size_t)bodies, k = (size_t)contacts, entries = 36 * k + 21 * n;
  m->bodies = bodies;
  m->contacts = contacts;
  m->first = arena_take(a, n + 1, sizeof *m->first);
  m->neighbour = arena_take(a, k, sizeof *m->neighbour);
  m->block = arena_take(a, k, sizeof *m->block);
  m->start = arena_take(a, 6 * n + 1, sizeof *m->start);
  m->index = arena_take(a, entries, sizeof *m->index);
  m->values = arena_take(a, entries, sizeof *m->values);
  m->own = arena_take(a, 36 * n, sizeof *m->own);
  m->skew = arena_take(a, 36 * n, sizeof *m->skew);
  m->held = arena_take(a, 6 * n, sizeof *m->held);
}

/* ---- pattern ---- */

static inline int32_t later(const swept_contact *c) {
  return c->body[0] > c->body[1] ? c->body[0] : c->body[1];
}

static inline int32_t earlier(const swept_contact *c) {
  return c->body[0] > c->body[1] ? c->body[1] : c->body[0];
}

/* Contacts of each body with those before it: their numbers in index, from first on. */
static void sort(direct_matrix *m, const swept_set *s) {
  memset(m->first, 0, ((size_t)m->bodies + 1) * sizeof *m->first);
  for (int32_t k = 0; k < m->contacts; k++)
    if (earlier(&s->contacts[k]) >= 0) m->first[later(&s->contacts[k])]++;
  for (int32_t b = 0, end = 0; b <= m->bodies; b++) m->first[b] = end += m->first[b];
  for (int32_t k = m->contacts; k-- > 0;)
    if (earlier(&s->contacts[k]) >= 0) m->index[--m->first[later(&s->contacts[k])]] = k;
}

/* Pairs of what sort() has left; seen: bodies. */
static void pair_up(direct_matrix *m, const swept_set *s, int32_t *seen) {
  int32_t pairs = 0;
  for (int32_t b = 0; b < m->bodies; b++) seen[b] = -1;
  for (int32_t b = 0; b < m->bodies; b++) {
    const int32_t begin = m->first[b], end = m->first[b + 1], own = pairs;
    for (int32_t e = begin; e < end; e++) {
      const int32_t k = m->index[e], other = earlier(&s->contacts[k]);
      if (seen[other] < own) {
        seen[other] = pairs;
        m->neighbour[pairs++] = other;
      }
      m->block[k] = seen[other] - own;
    }
    m->first[b] = own;
  }
  m->first[m->bodies] = pairs;
}

int perp_direct_matrix_pattern(direct_matrix *m, const swept_set *s) {
  int32_t *at = m->index;
  if (36 * (double)m->contacts + 21 * (double)m->bodies > INT32_MAX) return 0;
  sort(m, s);
  pair_up(m, s, (int32_t *)(void *)m->values);
  for (int32_t b = 0; b < m->bodies; b++)
    for (int32_t r = 0; r < 6; r++) {
      m->start[6 * b + r] = (int32_t)(at - m->index);
      for (int32_t p = m->first[b]; p < m->first[b + 1]; p++)
        for (int32_t i = 0; i < 6; i++) *at++ = 6 * m->neighbour[p] + i;
      for (int32_t i = 0; i <= r; i++) *at++ = 6 * b + i;
    }
  m->start[6 * m->bodies] = (int32_t)(at - m->index);
  return 1;
}

/* ---- bodies ---- */

/* Column-major. */
static void inverse_of(const swept_set *s, int32_t body, double *X) {
  const double none[3] = {0};
  for (int j = 0; j < 6; j++) {
    double unit[6] = {0};
    unit[j] = 1;
    memset(X + 6 * j, 0, 6 * sizeof *X);
    swept_push(s, body, j < 3 ? unit : none, j < 3 ? none : unit + 3, X + 6 * j);
  }
}

/* W: the inverse of X within what is not held. 0: there is none. */
static int invert(const double *X, const unsigned char *held, double *W) {
  double A[36];
  int32_t place[6], pivots[6], n = 0;
  for (int32_t i = 0; i < 6; i++)
    if (!held[i]) place[n++] = i;
  for (int32_t j = 0; j < n; j++)
    for (int32_t i = 0; i < n; i++) A[n * j + i] = X[6 * place[j] + place[i]];
  memset(W, 0, 36 * sizeof *W);
  for (int32_t i = 0; i < 6; i++) W[7 * i] = 1;
  if (n == 0) return 1;
  if (perp_dense_lu_factor(n, A, n, pivots) != PERP_OK) return 0;
  for (int32_t j = 0; j < n; j++) {
    double column[6] = {0};
    column[j] = 1;
    perp_dense_lu_solve(n, 1, A, n, pivots, column, n);
    for (int32_t i = 0; i < n; i++) {
      if (!(fabs(column[i]) <= DBL_MAX)) return 0;
      W[6 * place[j] + place[i]] = column[i];
    }
  }
  return 1;
}

int perp_direct_matrix_bodies(direct_matrix *m, const swept_set *s) {
  m->is_skew = m->any_held = 0;
  for (int32_t b = 0; b < m->bodies; b++) {
    double X[36], *W = m->own + 36 * (size_t)b, *E = m->skew + 36 * (size_t)b;
    unsigned char *held = m->held + 6 * (size_t)b;
    inverse_of(s, b, X);
    for (int i = 0; i < 6; i++) {
      held[i] = X[7 * i] == 0;
      if (held[i]) m->any_held = 1;
    }
    if (!invert(X, held, W)) return 0;
    for (int j = 0; j < 6; j++)
      for (int i = 0; i <= j; i++) {
        const double mean = 0.5 * (W[6 * j + i] + W[6 * i + j]), odd = W[6 * j + i] - mean;
        W[6 * j + i] = W[6 * i + j] = mean;
        E[6 * j + i] = odd;
        E[6 * i + j] = -odd;
        if (odd != 0) m->is_skew = 1;
      }
  }
  return 1;
}

/* ---- numbers ---- */

/* weight G_aᵀ G_b, row-major. */
static void outer(const swept_contact *c, int a, int b, double weight, double *G) {
  const double *x = c->arm[a], *y = c->arm[b];
  if (c->mu == 0) {
    double left[6], right[6];
    memcpy(left, c->normal, 3 * sizeof *left);
    memcpy(right, c->normal, 3 * sizeof *right);
    swept_cross(x, c->normal, left + 3);
    swept_cross(y, c->normal, right + 3);
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++) G[6 * i + j] = weight * left[i] * right[j];
    return;
  }
  const double dot = weight * swept_dot(x, y);
  const double X[3] = {weight * x[0], weight * x[1], weight * x[2]};
  const double Y[3] = {weight * y[0], weight * y[1], weight * y[2]};
  const double block[36] = {weight,
                            0,
                            0,
                            0,
                            Y[2],
                            -Y[1],
                            0,
                            weight,
                            0,
                            -Y[2],
                            0,
                            Y[0],
                            0,
                            0,
                            weight,
                            Y[1],
                            -Y[0],
                            0,
                            0,
                            -X[2],
                            X[1],
                            dot - y[0] * X[0],
                            -y[0] * X[1],
                            -y[0] * X[2],
                            X[2],
                            0,
                            -X[0],
                            -y[1] * X[0],
                            dot - y[1] * X[1],
                            -y[1] * X[2],
                            -X[1],
                            X[0],
                            0,
                            -y[2] * X[0],
                            -y[2] * X[1],
                            dot - y[2] * X[2]};
  memcpy(G, block, sizeof block);
}

/* The first entry of row r of a body that is its own. */
static inline int32_t own_entry(const direct_matrix *m, int32_t body, int32_t r) {
  return m->start[6 * body + r] + 6 * (m->first[body + 1] - m->first[body]);
}

/* What is held in G, out of it. */
static void cross_out(const direct_matrix *m, int32_t row, int32_t column, double *G) {
  const unsigned char *down = m->held + 6 * (size_t)row, *right = m->held + 6 * (size_t)column;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      if (down[i] || right[j]) G[6 * i + j] = 0;
}

static void add_pair(direct_matrix *m, const swept_contact *c, int32_t k, double weight) {
  const int a = c->body[0] > c->body[1] ? 0 : 1;
  const int32_t row = c->body[a], column = c->body[1 - a];
  double G[36];
  outer(c, a, 1 - a, weight, G);
  if (m->any_held) cross_out(m, row, column, G);
  for (int32_t i = 0; i < 6; i++) {
    double *to = m->values + m->start[6 * row + i] + 6 * m->block[k];
    for (int32_t j = 0; j < 6; j++) to[j] -= G[6 * i + j];
  }
}

static void add_own(direct_matrix *m, const swept_contact *c, int side, double weight) {
  const int32_t body = c->body[side];
  double G[36];
  outer(c, side, side, weight, G);
  if (m->any_held) cross_out(m, body, body, G);
  for (int32_t i = 0; i < 6; i++) {
    double *to = m->values + own_entry(m, body, i);
    for (int32_t j = 0; j <= i; j++) to[j] += G[6 * i + j];
  }
}

void perp_direct_matrix_fill(direct_matrix *m, const swept_set *s, double rho) {
  memset(m->values, 0, (size_t)m->start[6 * m->bodies] * sizeof *m->values);
  for (int32_t b = 0; b < m->bodies; b++)
    for (int32_t i = 0; i < 6; i++)
      for (int32_t j = 0; j <= i; j++)
        m->values[own_entry(m, b, i) + j] = m->own[36 * (size_t)b + 6 * (size_t)j + (size_t)i];
  for (int32_t k = 0; k < m->contacts; k++) {
    const swept_contact *c = &s->contacts[k];
    const double weight = m->weight[k] / rho;
    for (int side = 0; side < 2; side++)
      if (c->body[side] >= 0) add_own(m, c, side, weight);
    if (c->body[1] >= 0) add_pair(m, c, k, weight);
  }
}
