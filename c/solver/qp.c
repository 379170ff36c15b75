/* SPDX-License-Identifier: MIT */
/* Convex quadratic programs through their optimality conditions in box form,
 *
 *     -(P x + c - A'nu) in N_[l,u](x),     a row b <= a'x:   0 <= a'x - b  _|_  nu >= 0,
 *     a row a'x = b:  nu free,             a row a'x <= b:   the same for -a, -b, -nu,
 *     a row b <= a'x <= B:  nu free, a'x - s = 0, and -nu in N_[b,B](s) for one unknown s more.
 *
 * The matrix [P -A'; A 0] is positive semidefinite, so every solution of this problem is a minimum.
 * It has none where no x is feasible or the objective has no least value; which of the two is told
 * by qp_dual.c. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/finite.h"
#include "base/info.h"
#include "linalg/envelope.h"
#include "linalg/matrix.h"
#include "perp/law.h"
#include "solver/box_form.h"
#include "solver/interval.h"
#include "solver/qp_dual.h"

/* A point whose terms are so much larger than the data stands back behind a proof that there is no
 * solution. */
#define SUSPICIOUS 0x1p10

/* --- what becomes of a row ------------------------------------------------------------------- */

enum { ROW_NONE, ROW_EQUATION, ROW_LOWER, ROW_UPPER, ROW_RANGE };

static int row_kind(const perp_qp *qp, int32_t k) {
  const qp_interval b = perp_qp_row(qp, k);
  const int lower = b.lower >= -DBL_MAX, upper = b.upper <= DBL_MAX;
  if (lower && upper) return b.lower == b.upper ? ROW_EQUATION : ROW_RANGE;
  return lower ? ROW_LOWER : upper ? ROW_UPPER : ROW_NONE;
}

typedef struct kkt {
  int32_t n;     /* unknowns: x, nu of the rows that bind, s of those with two bounds */
  int32_t set;   /* PERP_SET_ORTHANT, _FREE, or _BOX                                  */
  int32_t dense; /* the matrix is written down; else it is P                          */
} kkt;

static kkt measure(const perp_solver *solver, const perp_qp *qp) {
  int64_t n = qp->n;
  int orthant = 1, whole = 1;
  for (int32_t i = 0; i < qp->n; i++) {
    const qp_interval b = perp_qp_bound(qp, i);
    orthant &= b.lower == 0 && b.upper > DBL_MAX;
    whole &= b.lower < -DBL_MAX && b.upper > DBL_MAX;
  }
  for (int32_t k = 0; k < qp->m; k++) {
    const int kind = row_kind(qp, k);
    n += kind == ROW_RANGE ? 2 : kind != ROW_NONE;
    orthant &= kind != ROW_RANGE && kind != ROW_EQUATION;
    whole &= kind == ROW_NONE || kind == ROW_EQUATION;
  }
  kkt s = {n > INT32_MAX ? -1 : (int32_t)n, PERP_SET_BOX, n > qp->n};
  if (orthant && (solver->sets >> PERP_SET_ORTHANT & 1u) != 0) s.set = PERP_SET_ORTHANT;
  if (whole && (solver->sets >> PERP_SET_FREE & 1u) != 0) s.set = PERP_SET_FREE;
  return s;
}

/* --- memory: three uses of one block, one after the other ------------------------------------ */

typedef struct convex {
  row_reader rows;
  envelope factor;
} convex;

static convex carve_convex(arena *a, const perp_shape *shape) {
  const size_t n = (size_t)shape->n;
  convex c;
  memset(&c, 0, sizeof c);
  c.rows.value = arena_take(a, n, sizeof(double));
  row_reader_carve(&c.rows, a, n, 1);
  envelope_carve(&c.factor, a, n, shape->envelope);
  return c;
}

static box_form carve_kkt(arena *a, const kkt *s, size_t bytes) {
  const size_t n = (size_t)s->n;
  box_form p;
  perp_box_form_carve(&p, a, s->dense ? n * n : 0, n, n, bytes);
  return p;
}

/* The shape of P alone. */
static perp_shape shape_of_P(const perp_qp *qp) {
  block_law law;
  perp_shape shape;
  const perp_problem p = box_form_problem(&law, PERP_SET_FREE, qp->P, qp->c, NULL, NULL);
  perp_problem_shape(&p, &shape);
  shape.matrix = qp->P.kind;
  return shape;
}

/* Bytes of the solver for the problem that it gets. */
static size_t solver_bytes(const perp_solver *solver, const perp_qp *qp, const kkt *s,
                           const void *options) {
  if (s->dense) return perp_box_form_bytes(solver, s->n, s->set, options);
  perp_shape shape = shape_of_P(qp);
  shape.sets = s->n > 0 ? 1u << s->set : 0;
  return perp_solver_shape_workspace(solver, &shape, options);
}

size_t perp_qp_workspace(const perp_solver *solver, const perp_qp *qp, const void *options) {
  if (solver == NULL || perp_qp_check(qp, NULL) != PERP_OK) return 0;
  const kkt s = measure(solver, qp);
  const size_t own = s.n < 0 ? 0 : solver_bytes(solver, qp, &s, options);
  if (own == 0) return 0;
  const perp_shape P = shape_of_P(qp);
  arena scratch = arena_measure();
  (void)arena_take(&scratch, qp_scratch_doubles(qp->n, qp->m), sizeof(double));
  arena first = scratch, second = scratch, third = scratch;
  (void)carve_convex(&first, &P);
  (void)carve_kkt(&second, &s, own);
  (void)perp_qp_search_carve(&third, qp);
  const size_t a = arena_bytes(&first), b = arena_bytes(&second), c = arena_bytes(&third);
  if (a == 0 || b == 0 || c == 0) return 0;
  return a > b ? (a > c ? a : c) : b > c ? b : c;
}

/* --- convexity ------------------------------------------------------------------------------- */

/* Whether P + sigma 1 has a factor, sigma a hair above what rounding may do to a semidefinite P. */
static int is_convex(const perp_qp *qp, convex *c) {
  const int32_t n = qp->n;
  if (n == 0) return 1;
  perp_matrix_diagonal(&qp->P, c->rows.value);
  const double largest = largest_size(n, c->rows.value);
  perp_row_reader_prepare(&c->rows, &qp->P);
  for (int32_t i = 0; i < n; i++) c->factor.member[i] = c->factor.place[i] = i;
  c->factor.rows = n;
  c->factor.valid = 0;
  const double hair = 64 * (16 + (double)n) * DBL_EPSILON * largest;
  return perp_envelope_factor(&c->factor, &c->rows, hair > 0 ? hair : DBL_MIN) == ENVELOPE_DONE;
}

/* --- the problem in box form ----------------------------------------------------------------- */

/* Row k of A at nu in place v: w a' and its transpose. */
static void put_row(const box_form *p, const perp_qp *qp, size_t size, int32_t k, size_t v,
                    double w) {
  for (int32_t j = 0; j < qp->n; j++) {
    const double a = w * perp_matrix_entry(&qp->A, k, j);
    p->M[v + size * (size_t)j] = a;
    p->M[(size_t)j + size * v] = -a;
  }
}

static void put_interval(const box_form *p, size_t i, double lower, double upper) {
  p->lower[i] = lower;
  p->upper[i] = upper;
}

static void put_rows(const box_form *p, const perp_qp *qp, size_t size) {
  const double infinite = (double)INFINITY;
  size_t v = (size_t)qp->n;
  for (int32_t k = 0; k < qp->m; k++) {
    const qp_interval b = perp_qp_row(qp, k);
    const int kind = row_kind(qp, k);
    if (kind == ROW_NONE) continue;
    put_row(p, qp, size, k, v, kind == ROW_UPPER ? -1 : 1);
    p->q[v] = kind == ROW_UPPER ? b.upper : kind == ROW_RANGE ? 0 : -b.lower;
    put_interval(p, v, kind == ROW_LOWER || kind == ROW_UPPER ? 0 : -infinite, infinite);
    v++;
    if (kind != ROW_RANGE) continue;
    p->M[v - 1 + size * v] = -1;
    p->M[v + size * (v - 1)] = 1;
    p->q[v] = 0;
    put_interval(p, v, b.lower, b.upper);
    v++;
  }
}

static void put_problem(const box_form *p, const perp_qp *qp, const kkt *s, const double *x) {
  const size_t size = (size_t)s->n;
  for (size_t i = 0; i < size; i++) p->z[i] = p->w[i] = 0;
  for (int32_t i = 0; i < qp->n; i++) {
    const qp_interval b = perp_qp_bound(qp, i);
    p->q[i] = qp->c[i];
    p->z[i] = is_finite(x[i]) ? x[i] : 0;
    put_interval(p, (size_t)i, b.lower, b.upper);
  }
  if (!s->dense) return;
  for (size_t i = 0; i < size * size; i++) p->M[i] = 0;
  perp_matrix_add_to_dense(&qp->P, 1, p->M, s->n);
  put_rows(p, qp, size);
}

static perp_status run(const perp_solver *solver, const perp_qp *qp, const kkt *s, box_form *p,
                       const void *options, perp_info *info) {
  block_law law;
  const perp_matrix M = s->dense ? perp_dense(s->n, s->n, p->M) : qp->P;
  const perp_problem problem = box_form_problem(&law, s->set, M, p->q, p->lower, p->upper);
  return perp_solver_solve(solver, &problem, options, p->z, p->w, NULL, p->work, p->bytes, info);
}

/* --- the answer ------------------------------------------------------------------------------ */

static void take_rows(const perp_qp *qp, const double *lambda, double *nu) {
  size_t v = (size_t)qp->n;
  for (int32_t k = 0; k < qp->m; k++) {
    const int kind = row_kind(qp, k);
    nu[k] = kind == ROW_NONE ? 0 : kind == ROW_UPPER ? -lambda[v] : lambda[v];
    v += kind == ROW_NONE ? 0 : kind == ROW_RANGE ? 2 : 1;
  }
}

/* zeta := P x + c - A'nu where that is the multiplier of a bound near by, 0 where it is an error of
 * the gradient: whichever is the smaller error. */
static void take_bounds(const perp_qp *qp, const double *x, const double *nu, double *zeta,
                        double *scratch) {
  const size_t n = (size_t)qp->n;
  if (n == 0) return; /* scratch may be NULL */
  double *size = scratch, *magnitude = scratch + n;
  for (size_t i = 0; i < n; i++) {
    zeta[i] = qp->c[i];
    size[i] = fabs(qp->c[i]);
    magnitude[i] = fabs(x[i]);
  }
  perp_matrix_multiply_add(&qp->P, x, zeta);
  perp_matrix_absolute_multiply_add(&qp->P, magnitude, size);
  if (qp->m > 0) perp_matrix_transpose_multiply_add(&qp->A, -1, nu, zeta, size);
  const double largest = largest_size(qp->n, size);
  for (size_t i = 0; i < n; i++) {
    const qp_interval b = perp_qp_bound(qp, (int32_t)i);
    const double side = zeta[i] > 0 ? b.lower : b.upper, distance = fabs(x[i] - side);
    const double away = distance == 0 ? 0 : distance / (fabs(x[i]) + fabs(side));
    if (!(fabs(side) <= DBL_MAX) || !(away * largest <= fabs(zeta[i]))) zeta[i] = 0;
  }
}

static void read_answer(const qp_task *t, const void *from, int32_t zeros) {
  const box_form *p = from;
  for (int32_t i = 0; i < t->qp->n; i++) {
    const qp_interval b = perp_qp_bound(t->qp, i);
    t->x[i] = clip(p->z[i], b.lower, b.upper);
  }
  take_rows(t->qp, p->z, t->nu);
  perp_qp_put_zeros(t, zeros);
  take_bounds(t->qp, t->x, t->nu, t->zeta, t->scratch);
}

/* --- entry ----------------------------------------------------------------------------------- */

static perp_status solve(const perp_solver *solver, const qp_task *t, const kkt *s,
                         const void *options, arena memory) {
  const perp_qp *qp = t->qp;
  const perp_shape P = shape_of_P(qp);
  const size_t bytes = solver_bytes(solver, qp, s, options);
  arena a = memory;
  convex c = carve_convex(&a, &P);
  perp_status status = perp_qp_check_symmetric(t);
  if (status != PERP_OK) return status;
  if (!is_convex(qp, &c)) return fail(t->info, PERP_EUNSUPPORTED, "P", -1, 0);
  a = memory;
  box_form p = carve_kkt(&a, s, bytes);
  put_problem(&p, qp, s, t->x);
  perp_info own = PERP_INFO_INIT; /* a ray of the solver is not one of the program */
  status = run(solver, qp, s, &p, options, &own);
  info_name(t->info, own.field, own.index, own.value);
  if (info_ready(t->info)) {
    t->info->iterations = own.iterations;
    t->info->solver = own.solver;
  }
  if (status < 0) return status;
  double amplification;
  status = perp_qp_answer(t, read_answer, &p, status, &amplification);
  if (status == PERP_STOPPED || (status == PERP_OK && !(amplification > SUSPICIOUS))) return status;
  a = memory;
  qp_search search = perp_qp_search_carve(&a, qp);
  return perp_qp_explain(&search, t, status);
}

perp_status perp_qp_solve(const perp_solver *solver, const perp_qp *qp, const void *options,
                          double *x, double *nu, double *zeta, void *work, size_t work_bytes,
                          perp_info *info) {
  const perp_solver_options *o = options;
  qp_task t = {.qp = qp, .x = x, .nu = nu, .zeta = zeta, .info = info};
  perp_status status = perp_solver_check(solver, options, info);
  if (status == PERP_OK) status = perp_qp_open(&t);
  if (status != PERP_OK) return status;
  const kkt s = measure(solver, qp);
  const size_t need = perp_qp_workspace(solver, qp, options);
  if (need == 0 && s.n >= 0 && (solver->sets >> s.set & 1u) == 0)
    return fail_solver(info, solver->name, "law", PERP_OF_ENTRY, -1, s.set);
  if (need == 0) return fail_solver(info, solver->name, "n", PERP_OF_ENTRY, -1, s.n);
  if (work == NULL) return fail_field(info, "work", -1);
  if (work_bytes < need) return fail(info, PERP_EWORKSPACE, "work_bytes", -1, (double)need);
  arena a = arena_open(work, work_bytes);
  t.scratch = arena_take(&a, qp_scratch_doubles(qp->n, qp->m), sizeof *t.scratch);
  t.tol = o == NULL ? PERP_DEFAULT_TOL : o->tol;
  for (int32_t k = 0; k < qp->m; k++) nu[k] = 0;
  for (int32_t i = 0; i < qp->n; i++) zeta[i] = 0;
  return solve(solver, &t, &s, options, a);
}
