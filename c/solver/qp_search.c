/* SPDX-License-Identifier: MIT */
/* Two projections tell why a convex program has no solution, by the dual active set: of 0 on the
 * constraints, whose failure comes with a proof, and of -c on the cone of the d with P d = 0 that
 * the constraints allow without end: a projection d other than 0 has c'd = -|d|^2 < 0. */
#include "solver/qp_search.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/matrix.h"
#include "solver/interval.h"
#include "solver/qp_shared.h"

/* Projections of a direction, until it proves something. */
enum { PROJECTIONS = 3 };

qp_search perp_qp_search_carve(arena *a, const perp_qp *qp) {
  const size_t n = (size_t)qp->n, m = (size_t)qp->m + n, d = sizeof(double);
  qp_search t;
  memset(&t, 0, sizeof t);
  if (n > 0 && m > SIZE_MAX / n) a->failed = 1;
  perp_dual_set_carve(&t.s, a, qp->n, (int32_t)m);
  t.A = arena_take(a, m * n, d);
  t.c = arena_take(a, n + 1, d);
  t.ray = arena_take(a, m, d);
  t.row_lower = arena_take(a, m, d);
  t.row_upper = arena_take(a, m, d);
  t.lower = arena_take(a, n, d);
  t.upper = arena_take(a, n, d);
  return t;
}

/* The dual set for the unit matrix, from the point x = -c. */
static void begin(qp_search *t, const perp_qp *qp, int32_t rows) {
  dual_set *s = &t->s;
  const size_t n = (size_t)qp->n;
  s->n = qp->n;
  s->m = rows;
  s->P = NULL;
  s->c = t->c;
  s->A = t->A;
  s->ldA = qp->m + qp->n;
  const int64_t limit = 100 + 10 * ((int64_t)qp->n + rows);
  s->limit = limit < INT32_MAX ? (int32_t)limit : INT32_MAX;
  for (size_t i = 0; i < n * n; i++) s->J[i] = 0;
  for (size_t i = 0; i < n; i++) {
    s->J[i + n * i] = 1;
    s->x[i] = -t->c[i];
  }
  perp_dual_set_begin(s);
}

static int infeasible(qp_search *t, const perp_qp *qp, double tol, double *scratch) {
  for (int32_t i = 0; i < qp->n; i++) t->c[i] = 0;
  t->s.row_lower = qp->row_lower;
  t->s.row_upper = qp->row_upper;
  t->s.lower = qp->lower;
  t->s.upper = qp->upper;
  begin(t, qp, qp->m);
  return perp_qp_dual_run(&t->s, qp, tol, t->ray, scratch) == PERP_INFEASIBLE;
}

/* The directions that an interval allows without end. 0 is one, so that no constraint is out of
 * reach but by rounding. */
static void recede(qp_interval b, double *lower, double *upper) {
  *lower = b.lower >= -DBL_MAX ? 0 : -(double)INFINITY;
  *upper = b.upper <= DBL_MAX ? 0 : (double)INFINITY;
}

/* s.x := the projection of -c on the cone of directions, its largest entry 1; 0: there is none. */
static int project_direction(qp_search *t, const perp_qp *qp) {
  double largest = 0;
  begin(t, qp, qp->m + qp->n);
  if (perp_qp_dual_settle(&t->s, DBL_MAX) != PERP_OK) return 0;
  for (int32_t i = 0; i < qp->n; i++) {
    t->s.x[i] = clip(t->s.x[i], t->lower[i], t->upper[i]);
    if (fabs(t->s.x[i]) > largest) largest = fabs(t->s.x[i]);
  }
  if (!(largest > 0)) return 0;
  for (int32_t i = 0; i < qp->n; i++) t->s.x[i] /= largest;
  return 1;
}

static void open_all(qp_search *t, const perp_qp *qp) {
  for (int32_t i = 0; i < qp->n; i++) {
    t->lower[i] = -(double)INFINITY;
    t->upper[i] = (double)INFINITY;
    t->row_lower[qp->m + i] = t->row_upper[qp->m + i] = 0;
  }
  for (int32_t k = 0; k < qp->m; k++) {
    t->row_lower[k] = -(double)INFINITY;
    t->row_upper[k] = (double)INFINITY;
  }
}

static void keep_feasible(qp_search *t, const perp_qp *qp) {
  for (int32_t i = 0; i < qp->n; i++) recede(perp_qp_bound(qp, i), t->lower + i, t->upper + i);
  for (int32_t k = 0; k < qp->m; k++)
    recede(perp_qp_row(qp, k), t->row_lower + k, t->row_upper + k);
}

static int direction_proves(qp_search *t, const perp_qp *qp, double *scratch) {
  const size_t bytes = (size_t)qp->n * sizeof *t->ray;
  memcpy(t->ray, t->s.x, bytes);
  if (perp_qp_drop_noise(qp->n, t->ray) && perp_qp_proves_unbounded(qp, t->ray, scratch) > 0)
    return 1;
  memcpy(t->ray, t->s.x, bytes);
  return perp_qp_proves_unbounded(qp, t->ray, scratch) > 0;
}

/* A direction that is short beside c has its rounding errors from there, and is projected once more
 * then. first > 0: so many projections on the d with P d = 0 alone come before; the cone lies in
 * there, so that its projection is the same from that point on. */
static int falls(qp_search *t, const perp_qp *qp, int32_t first, double *scratch) {
  for (int32_t i = 0; i < qp->n; i++) t->c[i] = qp->c[i];
  open_all(t, qp);
  for (int32_t k = 0; k < first + PROJECTIONS; k++) {
    if (k == first) keep_feasible(t, qp);
    if (!project_direction(t, qp)) return 0;
    if (k >= first && direction_proves(t, qp, scratch)) return 1;
    for (int32_t i = 0; i < qp->n; i++) t->c[i] = -t->s.x[i];
  }
  return 0;
}

static int unbounded(qp_search *t, const perp_qp *qp, double *scratch) {
  t->s.row_lower = t->row_lower;
  t->s.row_upper = t->row_upper;
  t->s.lower = t->lower;
  t->s.upper = t->upper;
  return falls(t, qp, 0, scratch) || falls(t, qp, 1, scratch) || falls(t, qp, PROJECTIONS, scratch);
}

perp_status perp_qp_explain(qp_search *t, const perp_qp *qp, double tol, perp_status status,
                            double *scratch, perp_info *info) {
  const int32_t ld = qp->m + qp->n;
  if (qp->m > 0) perp_matrix_to_dense(&qp->A, t->A, ld);
  if (qp->n > 0) perp_matrix_to_dense(&qp->P, t->A + qp->m, ld);
  if (qp->m > 0 && infeasible(t, qp, tol, scratch)) {
    perp_qp_hand_ray(qp, NULL, t->ray, scratch, info);
    return PERP_INFEASIBLE;
  }
  if (qp->n > 0 && unbounded(t, qp, scratch)) {
    perp_qp_hand_ray(qp, t->ray, NULL, scratch, info);
    return PERP_UNBOUNDED;
  }
  return status == PERP_INFEASIBLE ? PERP_INACCURATE : status;
}
