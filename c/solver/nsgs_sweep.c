/* SPDX-License-Identifier: MIT */
/* Sweeps of nonsmooth Gauss–Seidel over packed rows: for each contact a
 *
 *   w = q_a + Σ M_ab λ_b,  b ≠ a,    λ' solves  y = D λ' + w,    λ_a := λ_a + ω (λ' − λ_a),
 *
 * moved back into the law's set where ω > 1. Sums have a fixed order, two lanes each in space and
 * in the plane. */
#include <math.h>
#include <string.h>

#include "base/pair.h"
#include "problem/bounds.h"
#include "problem/one_contact.h"
#include "solver/sweeps.h"

/* ---- rows ---- */

static inline double sum_of(pair x) { return pair_first(x) + pair_second(x); }

/* Two rows of 3x3 blocks are 6 wide: (x0 x1), (x2 y0), (y1 y2). */
static inline pair six(const double *v, pair a, pair b, pair c) {
  const pair ab = pair_add(pair_multiply(pair_load(v), a), pair_multiply(pair_load(v + 2), b));
  return pair_add(ab, pair_multiply(pair_load(v + 4), c));
}

static inline void row_space(const nsgs *s, const nsgs_row *row, double *w) {
  const double *v = s->values + row->value, *lambda = s->lambda, *q = s->q + row->begin;
  const int32_t *at = s->index + row->index;
  pair n = pair_twice(0), t = n, u = n;
  for (int32_t k = 0; k < row->count; k++, v += 18, at += 2) {
    const double *x = lambda + at[0], *y = lambda + at[1];
    const pair a = pair_load(x), b = pair_of(x[2], y[0]), c = pair_load(y + 1);
    n = pair_add(n, six(v, a, b, c));
    t = pair_add(t, six(v + 6, a, b, c));
    u = pair_add(u, six(v + 12, a, b, c));
  }
  w[0] = q[0] + sum_of(n);
  w[1] = q[1] + sum_of(t);
  w[2] = q[2] + sum_of(u);
}

static inline void row_plane(const nsgs *s, const nsgs_row *row, double *w) {
  const double *v = s->values + row->value, *q = s->q + row->begin;
  const int32_t *at = s->index + row->index;
  pair n = pair_twice(0), t = n;
  for (int32_t k = 0; k < row->count; k++, v += 4) {
    const pair x = pair_load(s->lambda + at[k]);
    n = pair_add(n, pair_multiply(pair_load(v), x));
    t = pair_add(t, pair_multiply(pair_load(v + 2), x));
  }
  w[0] = q[0] + sum_of(n);
  w[1] = q[1] + sum_of(t);
}

/* Columns of a height that the compiler knows. */
static inline void row_columns(const nsgs *s, const nsgs_row *row, int32_t size, double *w) {
  const double *v = s->values + row->value;
  const int32_t *at = s->index + row->index;
  for (int32_t i = 0; i < size; i++) w[i] = s->q[row->begin + i];
  for (int32_t k = 0; k < row->count; k++, v += size) {
    const double x = s->lambda[at[k]];
    for (int32_t i = 0; i < size; i++) w[i] += v[i] * x;
  }
}

/* One row in four lanes. */
static inline double row_single(const nsgs *s, const nsgs_row *row) {
  const double *v = s->values + row->value, *x = s->lambda;
  const int32_t *at = s->index + row->index, count = row->count;
  double a = 0, b = 0, c = 0, d = 0;
  int32_t k = 0;
  for (; k + 4 <= count; k += 4) {
    a += v[k] * x[at[k]];
    b += v[k + 1] * x[at[k + 1]];
    c += v[k + 2] * x[at[k + 2]];
    d += v[k + 3] * x[at[k + 3]];
  }
  for (; k < count; k++) a += v[k] * x[at[k]];
  return s->q[row->begin] + ((a + b) + (c + d));
}

static void row_entries(const nsgs *s, const nsgs_row *row, int32_t size, double *w) {
  const double *v = s->values + row->value;
  const int32_t *at = s->index + row->index;
  for (int32_t i = 0; i < size; i++) {
    const int32_t count = s->ends[row->begin + i];
    double sum = s->q[row->begin + i];
    for (int32_t k = 0; k < count; k++) sum += v[k] * s->lambda[at[k]];
    v += count;
    at += count;
    w[i] = sum;
  }
}

static void row_of(const nsgs *s, const nsgs_row *row, int32_t size, double *w) {
  if (s->pack == NSGS_ENTRIES)
    row_entries(s, row, size, w);
  else if (size == 1)
    w[0] = row_single(s, row);
  else if (size == 2)
    row_columns(s, row, 2, w);
  else if (size == 3)
    row_columns(s, row, 3, w);
  else if (size == 5)
    row_columns(s, row, 5, w);
  else
    row_columns(s, row, size, w);
}

/* ---- contacts ---- */

/* λ := λ + ω (λ' − λ), in the set of the law. */
static void relax(const nsgs *s, const contact *c, const double *before, double *lambda) {
  const double omega = s->options->omega;
  for (int32_t i = 0; i < c->size; i++) lambda[i] = before[i] + omega * (lambda[i] - before[i]);
  if (omega <= 1) return;
  if (c->set > PERP_SET_BOX)
    law_project(c->law, c->state, lambda, lambda, s->spare);
  else
    *lambda = clip(*lambda, s->lower[c->begin], s->upper[c->begin]);
}

/* Exact solutions beyond the usual case are paid for one by one. */
static void pay(nsgs_pass *pass, double work) {
  pass->work += work;
  if (pass->run != NULL) pass->status = perp_session_spend(pass->run, work);
}

/* Contact k goes from its λ to r; how far, weighed. */
static inline double move(const nsgs *s, int32_t k, int32_t size, double *r) {
  const nsgs_row *row = &s->rows[k];
  double *lambda = s->lambda + row->begin, sum = 0;
  if (s->options->omega != 1) relax(s, &s->contacts[k], lambda, r);
  for (int32_t i = 0; i < size; i++) sum += fabs(r[i] - lambda[i]);
  memcpy(lambda, r, (size_t)size * sizeof *r);
  return row->weight * sum;
}

static inline double visit_space(const nsgs *s, int32_t k, nsgs_pass *pass) {
  const nsgs_row *row = &s->rows[k];
  void *local = s->locals + row->local;
  contact_3d *c = local;
  const double before = c->work;
  double w[3], r[3];
  row_space(s, row, w);
  memcpy(r, s->lambda + row->begin, sizeof r);
  (void)contact_3d_sweep(c, w, r);
  if (c->work > before) pay(pass, c->work - before);
  return move(s, k, 3, r);
}

static inline double visit_plane(const nsgs *s, int32_t k, nsgs_pass *pass) {
  const nsgs_row *row = &s->rows[k];
  void *local = s->locals + row->local;
  contact_2d *c = local;
  const double before = c->work;
  double w[2], r[2];
  row_plane(s, row, w);
  memcpy(r, s->lambda + row->begin, sizeof r);
  (void)contact_2d_sweep(c, w, r);
  if (c->work > before) pay(pass, c->work - before);
  return move(s, k, 2, r);
}

/* The local problem y = D λ + q of one contact: exactly for intervals, friction and rolling, by
 * what the law's table has for other laws. lambda: in the old one, out the new one. The
 * multiply-adds beyond the usual case. */
static double solve(const nsgs *s, const contact *c, double *local, const double *q,
                    double *lambda) {
  void *prepared = local;
  if (c->set <= PERP_SET_BOX) {
    *lambda = clip(-(q[0] / local[0]), s->lower[c->begin], s->upper[c->begin]);
    return 0;
  }
  if (c->set == PERP_SET_ROLLING) {
    contact_rolling *rolling = prepared;
    const double before = rolling->work;
    (void)perp_contact_rolling_sweep(rolling, q, lambda);
    return rolling->work - before;
  }
  if (c->set != PERP_SET_CONE)
    return perp_local_law_solve(c, local, q, lambda, s->trial + c->begin, s->spare, NULL);
  if (c->size == 2) {
    contact_2d *plane = prepared;
    const double before = plane->work;
    (void)contact_2d_sweep(plane, q, lambda);
    return plane->work - before;
  }
  contact_3d *space = prepared;
  const double before = space->work;
  (void)contact_3d_sweep(space, q, lambda);
  return space->work - before;
}

enum { FEW = 5 };

static double visit(const nsgs *s, int32_t k, nsgs_pass *pass) {
  const nsgs_row *row = &s->rows[k];
  const contact *c = &s->contacts[k];
  double small[2 * FEW];
  double *w = c->size <= FEW ? small : s->w + c->begin;
  double *r = c->size <= FEW ? small + FEW : s->r + c->begin;
  row_of(s, row, c->size, w);
  memcpy(r, s->lambda + c->begin, (size_t)c->size * sizeof *r);
  const double work = solve(s, c, s->locals + row->local, w, r);
  if (work > 0) pay(pass, work);
  return move(s, k, c->size, r);
}

/* ---- sweeps ---- */

#define SWEEP(visit_one)                                                           \
  for (int32_t k = 0; k < last - first && pass->status == GO_ON; k++) {            \
    const int32_t place = backward ? last - 1 - k : first + k;                     \
    const double moved = visit_one(s, order == NULL ? place : order[place], pass); \
    most = interval_raise(most, moved);                                            \
  }

/* The same where contacts at rest are left out for a while. */
static double visit_awake(const nsgs *s, int32_t k, nsgs_pass *pass) {
  if (s->asleep[k] > 0) {
    s->asleep[k]--;
    return 0;
  }
  const double moved = s->pack == NSGS_SPACE   ? visit_space(s, k, pass)
                       : s->pack == NSGS_PLANE ? visit_plane(s, k, pass)
                                               : visit(s, k, pass);
  if (moved <= s->rest) s->asleep[k] = s->options->freeze;
  return moved;
}

void perp_nsgs_sweep(const nsgs *s, int32_t first, int32_t last, int backward, const int32_t *order,
                     nsgs_pass *pass) {
  double most = 0;
  if (s->options->freeze > 0) {
    SWEEP(visit_awake)
  } else if (s->pack == NSGS_SPACE) {
    SWEEP(visit_space)
  } else if (s->pack == NSGS_PLANE) {
    SWEEP(visit_plane)
  } else {
    SWEEP(visit)
  }
  pass->change = most;
}
