/* SPDX-License-Identifier: MIT */
/* What the dual active set does for programs, and what all methods for them have in common: checks,
 * and answers that are judged. The method itself stands in linalg/dual_set.c.
 *
 * As a solver of those with positive definite P: factors and the start,
 *
 *     P = L L',   J = L'^-1,   x = -J J'c   the minimum without constraints.
 *
 * As a search that tells why a convex program has no solution, whatever solver found none, by two
 * projections: of 0 on the constraints, whose failure comes with a proof, and of -c on the cone of
 * the d with P d = 0 that the constraints allow without end: a projection d other than 0 has
 * c'd = -|d|^2 < 0. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/info.h"
#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "solver/factor.h"
#include "solver/interval.h"
#include "solver/qp_dual.h"
#include "solver/solver_options.h"

/* A violation smaller than this part of its terms may be one of dependent rows. */
#define HAIR 1e-8

/* What is smaller than this part of the largest is noise. */
#define NOISE 0x1p-40

/* Projections of a direction, until it proves something. */
enum { PROJECTIONS = 3 };

/* --- border ---------------------------------------------------------------------------------- */

perp_status perp_qp_open(const qp_task *t) {
  const perp_status status = perp_qp_check(t->qp, t->info);
  if (status != PERP_OK) return status;
  if (t->qp->n > 0 && t->x == NULL) return fail_field(t->info, "x", -1);
  if (t->qp->m > 0 && t->nu == NULL) return fail_field(t->info, "nu", -1);
  if (t->qp->n > 0 && t->zeta == NULL) return fail_field(t->info, "zeta", -1);
  return perp_qp_check_finite(t->qp, t->info);
}

perp_status perp_qp_check_symmetric(const qp_task *t) {
  if (t->qp->n == 0) return PERP_OK; /* scratch may be NULL */
  const int32_t row = perp_factor_skew_row(&t->qp->P, NULL, 1e-10, t->scratch);
  return row < 0 ? PERP_OK : fail_field(t->info, "P", row);
}

/* --- answers --------------------------------------------------------------------------------- */

/* w, the multiplier of an interval in which the value is 0. */
static double at_zero(qp_interval b, double w) { return (w > 0 ? b.lower : b.upper) == 0 ? w : 0; }

static void drop_small_multipliers(const qp_task *t) {
  const perp_qp *qp = t->qp;
  const double most = largest_size(qp->n, qp->c);
  for (int32_t i = 0; i < qp->n; i++)
    if (fabs(t->zeta[i]) <= NOISE * most) t->zeta[i] = 0;
  for (int32_t k = 0; k < qp->m; k++)
    if (fabs(t->nu[k]) * perp_qp_row_weight(&qp->A, k) <= NOISE * most) t->nu[k] = 0;
}

void perp_qp_put_zeros(const qp_task *t, int32_t zeros) {
  const perp_qp *qp = t->qp;
  const int none = (zeros & QP_ZERO_MULTIPLIERS) != 0;
  for (int32_t i = 0; i < qp->n && (zeros & QP_ZERO_X) != 0; i++) {
    t->x[i] = 0;
    t->zeta[i] = at_zero(perp_qp_bound(qp, i), t->zeta[i]);
  }
  for (int32_t k = 0; k < qp->m && (zeros & QP_ZERO_X) != 0; k++)
    t->nu[k] = at_zero(perp_qp_row(qp, k), t->nu[k]);
  if ((zeros & QP_ZERO_NOISE) != 0) drop_small_multipliers(t);
  for (int32_t i = 0; i < qp->n && none; i++) t->zeta[i] = 0;
  for (int32_t k = 0; k < qp->m && none; k++) t->nu[k] = 0;
}

/* Whether status is one that a point with other zeros may change. */
static int is_refused(perp_status status) {
  return status == PERP_MAX_ITER || status == PERP_RAY || status == PERP_INACCURATE;
}

/* Judge the point. */
static perp_status confirm(const qp_task *t, perp_status status, double *amplification) {
  perp_qp_residual r;
  perp_info *info = t->info;
  perp_qp_residual_compute(t->qp, t->x, t->nu, t->zeta, &r, t->scratch);
  const double unit = ((double)t->qp->n + t->qp->m + 1) * DBL_EPSILON;
  const double x_terms = r.primal_rounding / r.primal_hat, terms = r.dual_rounding / r.dual_hat;
  *amplification = (x_terms > terms ? x_terms : terms) / unit;
  const int solved = perp_qp_residual_solved(&r, t->tol);
  const int dual = r.relative_dual > r.relative_primal && r.relative_dual > r.relative_gap;
  const int gap = !dual && r.relative_gap > r.relative_primal;
  if (info_ready(info)) {
    info->residual = dual ? r.dual : gap ? r.gap : r.primal;
    info->relative_residual = dual ? r.relative_dual : gap ? r.relative_gap : r.relative_primal;
    info->amplification = *amplification > 0 ? *amplification : 1;
    info->worst = r.worst;
  }
  if (status == PERP_OK && !solved) return PERP_INACCURATE;
  return is_refused(status) && solved ? PERP_OK : status;
}

perp_status perp_qp_answer(const qp_task *t, qp_reader read, const void *from, perp_status status,
                           double *amplification) {
  for (int32_t k = 0;; k++) {
    read(t, from, k % QP_ZEROS);
    perp_qp_put_zeros(t, k % QP_ZEROS);
    const perp_status ended = confirm(t, status, amplification);
    if (k >= QP_ZEROS || !is_refused(ended)) return ended;
  }
}

/* --- runs and proofs ------------------------------------------------------------------------- */

static int32_t steps_allowed(int32_t n, int32_t m) {
  const int64_t rule = 100 + 10 * ((int64_t)n + m);
  return rule < INT32_MAX ? (int32_t)rule : INT32_MAX;
}

static void constrain(dual_set *s, const double *row_lower, const double *row_upper,
                      const double *lower, const double *upper) {
  s->row_lower = row_lower;
  s->row_upper = row_upper;
  s->lower = lower;
  s->upper = upper;
}

/* Set entries to 0 that are noise beside the largest. A ray that proves nothing for their sake may
 * do without them. Returns whether there were any. */
static int drop_noise(int32_t n, double *ray) {
  const double largest = largest_size(n, ray);
  int any = 0;
  for (int32_t i = 0; i < n; i++) {
    if (ray[i] == 0 || fabs(ray[i]) > NOISE * largest) continue;
    ray[i] = 0;
    any = 1;
  }
  return any;
}

/* Run, passing over constraints that depend on others and are missed by less than a part hair of
 * their terms. */
static perp_status settle(dual_set *s, double hair) {
  perp_status status = perp_dual_set_run(s);
  while (status == PERP_INFEASIBLE && dual_set_missed_by(s, hair)) {
    s->side[s->entering] = DUAL_IGNORED;
    status = perp_dual_set_run(s);
  }
  return status;
}

/* Settle; a constraint that is missed by a part tol of its terms, or by a hair that no proof
 * confirms, depends on others and is left to the judge. PERP_INFEASIBLE: ray (m) is a proof for
 * this program. */
static perp_status run_dual(dual_set *s, const qp_task *t, double *ray) {
  for (;;) {
    perp_status status = settle(s, t->tol);
    if (status != PERP_INFEASIBLE) return status;
    perp_dual_set_ray(s, ray);
    if (perp_qp_proves_infeasible(t->qp, ray, t->scratch) > 0) return PERP_INFEASIBLE;
    if (drop_noise(s->m, ray) && perp_qp_proves_infeasible(t->qp, ray, t->scratch) > 0)
      return PERP_INFEASIBLE;
    if (!dual_set_missed_by(s, HAIR)) return PERP_RAY;
    s->side[s->entering] = DUAL_IGNORED;
  }
}

/* Hand over the ray (d, r); one of them is NULL for 0. */
static void hand_ray(const qp_task *t, const double *d, const double *r) {
  const perp_qp *qp = t->qp;
  double *scratch = t->scratch;
  const size_t n = (size_t)qp->n, m = (size_t)qp->m;
  const double bound = d == NULL ? perp_qp_proves_infeasible(qp, r, scratch)
                                 : perp_qp_proves_unbounded(qp, d, scratch);
  for (size_t i = 0; i < n; i++) scratch[i] = d == NULL ? 0 : d[i];
  for (size_t k = 0; k < m; k++) scratch[n + k] = r == NULL ? 0 : r[k];
  info_proof(t->info, bound, qp->n + qp->m, scratch);
}

/* --- the solver ------------------------------------------------------------------------------ */

/* What the method needs beside the arrays of the dual set. */
typedef struct solver {
  dual_set s;
  double *P, *A, *ray, *scratch;
} solver;

static solver carve(arena *a, int32_t unknowns, int32_t rows) {
  const size_t n = (size_t)unknowns, m = (size_t)rows, d = sizeof(double);
  solver p;
  memset(&p, 0, sizeof p);
  if (n > 0 && (n > SIZE_MAX / n || m > SIZE_MAX / n)) a->failed = 1;
  perp_dual_set_carve(&p.s, a, unknowns, rows);
  p.P = arena_take(a, n * n, d);
  p.A = arena_take(a, m * n, d);
  p.ray = arena_take(a, m, d);
  p.scratch = arena_take(a, qp_scratch_doubles(unknowns, rows), d);
  return p;
}

size_t perp_qp_dual_workspace(int32_t n, int32_t m) {
  if (n < 0 || m < 0 || m > INT32_MAX / 2 - n) return 0;
  arena a = arena_measure();
  (void)carve(&a, n, m);
  return arena_bytes(&a);
}

/* J (n x n) := L'^-1, upper triangular, column after column from the diagonal up. */
static void invert_transpose(int32_t n, const double *L, double *J) {
  for (int32_t j = 0; j < n; j++) {
    double *x = J + (size_t)n * (size_t)j;
    for (int32_t i = 0; i < n; i++) x[i] = 0;
    x[j] = 1 / L[(size_t)j + (size_t)n * (size_t)j];
    for (int32_t i = j; i-- > 0;) {
      const double *l = L + (size_t)i + (size_t)n * (size_t)i;
      x[i] = -perp_dense_dot(j - i, l + 1, x + i + 1) / l[0];
    }
  }
}

/* The arrays of the program as the dual set reads them, and its start. */
static perp_status start(solver *p, const perp_qp *qp, perp_info *info) {
  dual_set *s = &p->s;
  const int32_t n = qp->n;
  s->n = n;
  s->m = qp->m;
  s->c = qp->c;
  constrain(s, qp->row_lower, qp->row_upper, qp->lower, qp->upper);
  perp_matrix_to_dense(&qp->P, p->P, n);
  s->P = p->P;
  s->ldP = n;
  if (qp->m > 0) perp_matrix_to_dense(&qp->A, p->A, qp->m);
  s->A = p->A;
  s->ldA = qp->m;
  if (n > 0) memcpy(s->R, p->P, (size_t)n * (size_t)n * sizeof *s->R);
  if (perp_dense_cholesky(n, s->R, n) != PERP_OK) return fail(info, PERP_EUNSUPPORTED, "P", -1, 0);
  invert_transpose(n, s->R, s->J);
  for (int32_t i = 0; i < n; i++) s->x[i] = -qp->c[i];
  perp_dense_cholesky_solve(n, s->R, n, s->x);
  perp_dual_set_begin(s);
  return PERP_OK;
}

static void read_answer(const qp_task *t, const void *from, int32_t zeros) {
  const dual_set *s = from;
  (void)zeros;
  if (s->n > 0) memcpy(t->x, s->x, (size_t)s->n * sizeof *s->x);
  perp_dual_set_multipliers(s, t->nu, t->zeta);
}

/* The steps that the budget pays, each a product with J and the rows. */
static int32_t affordable(const perp_qp *qp, double budget) {
  const double price = (double)qp->n * (3.0 * qp->n + qp->m);
  if (budget == 0) budget = perp_solver_budget(qp->n + qp->m);
  return budget < INT32_MAX * price ? 1 + (int32_t)(budget / price) : INT32_MAX;
}

static perp_status solve(solver *p, const qp_task *t, const perp_solver_options *o) {
  dual_set *s = &p->s;
  double amplification;
  perp_status status = perp_qp_check_symmetric(t);
  if (status == PERP_OK) status = start(p, t->qp, t->info);
  if (status != PERP_OK) return status;
  const int32_t most = affordable(t->qp, o->budget);
  s->limit = o->max_iter > 0 ? o->max_iter : steps_allowed(t->qp->n, t->qp->m);
  if (s->limit > most) s->limit = most;
  s->observe = o->observe;
  s->user = o->user;
  status = run_dual(s, t, p->ray);
  if (info_ready(t->info)) t->info->iterations = s->iterations;
  if (status == PERP_INFEASIBLE) hand_ray(t, NULL, p->ray);
  if (status == PERP_RAY) status = PERP_INACCURATE; /* neither solved nor shown to be impossible */
  return perp_qp_answer(t, read_answer, s, status, &amplification);
}

perp_status perp_qp_dual(const perp_qp *qp, const perp_solver_options *opts, double *x, double *nu,
                         double *zeta, void *work, size_t work_bytes, perp_info *info) {
  perp_solver_options o;
  qp_task t = {.qp = qp, .x = x, .nu = nu, .zeta = zeta, .info = info};
  info_clear(info);
  perp_status status = perp_qp_open(&t);
  if (status == PERP_OK) status = perp_solver_options_read(NULL, opts, &o, info);
  if (status != PERP_OK) return status;
  if (work == NULL) return fail_field(info, "work", -1);
  arena a = arena_open(work, work_bytes);
  solver p = carve(&a, qp->n, qp->m);
  if (!arena_fits(&a))
    return fail(info, PERP_EWORKSPACE, "work_bytes", -1,
                (double)perp_qp_dual_workspace(qp->n, qp->m));
  t.tol = o.tol;
  t.scratch = p.scratch;
  if (info_ready(info)) info->solver = "qp-dual";
  for (int32_t i = 0; i < qp->n; i++) x[i] = zeta[i] = 0;
  for (int32_t k = 0; k < qp->m; k++) nu[k] = 0;
  return solve(&p, &t, &o);
}

/* --- why there is no solution ---------------------------------------------------------------- */

qp_search perp_qp_search_carve(arena *a, const perp_qp *qp) {
  const size_t n = (size_t)qp->n, m = (size_t)qp->m + n, d = sizeof(double);
  qp_search w;
  memset(&w, 0, sizeof w);
  if (n > 0 && m > SIZE_MAX / n) a->failed = 1;
  perp_dual_set_carve(&w.s, a, qp->n, (int32_t)m);
  w.A = arena_take(a, m * n, d);
  w.c = arena_take(a, n + 1, d);
  w.ray = arena_take(a, m, d);
  w.row_lower = arena_take(a, m, d);
  w.row_upper = arena_take(a, m, d);
  w.lower = arena_take(a, n, d);
  w.upper = arena_take(a, n, d);
  return w;
}

/* The dual set for the unit matrix, from the point x = -c. */
static void begin(qp_search *w, const perp_qp *qp, int32_t rows) {
  dual_set *s = &w->s;
  const size_t n = (size_t)qp->n;
  s->n = qp->n;
  s->m = rows;
  s->P = NULL;
  s->c = w->c;
  s->A = w->A;
  s->ldA = qp->m + qp->n;
  s->limit = steps_allowed(qp->n, rows);
  for (size_t i = 0; i < n * n; i++) s->J[i] = 0;
  for (size_t i = 0; i < n; i++) {
    s->J[i + n * i] = 1;
    s->x[i] = -w->c[i];
  }
  perp_dual_set_begin(s);
}

static int infeasible(qp_search *w, const qp_task *t) {
  const perp_qp *qp = t->qp;
  for (int32_t i = 0; i < qp->n; i++) w->c[i] = 0;
  constrain(&w->s, qp->row_lower, qp->row_upper, qp->lower, qp->upper);
  begin(w, qp, qp->m);
  return run_dual(&w->s, t, w->ray) == PERP_INFEASIBLE;
}

/* The directions that an interval allows without end. 0 is one, so that no constraint is out of
 * reach but by rounding. */
static void recede(qp_interval b, double *lower, double *upper) {
  *lower = b.lower >= -DBL_MAX ? 0 : -(double)INFINITY;
  *upper = b.upper <= DBL_MAX ? 0 : (double)INFINITY;
}

/* s.x := the projection of -c on the cone of directions, its largest entry 1; 0: there is none. */
static int project_direction(qp_search *w, const perp_qp *qp) {
  begin(w, qp, qp->m + qp->n);
  if (settle(&w->s, DBL_MAX) != PERP_OK) return 0;
  for (int32_t i = 0; i < qp->n; i++) w->s.x[i] = clip(w->s.x[i], w->lower[i], w->upper[i]);
  const double largest = largest_size(qp->n, w->s.x);
  if (!(largest > 0)) return 0;
  for (int32_t i = 0; i < qp->n; i++) w->s.x[i] /= largest;
  return 1;
}

/* Allow the d with P d = 0, of all directions or of those in which a feasible point stays so. */
static void allow(qp_search *w, const qp_task *t, int feasible) {
  const qp_interval whole = {-(double)INFINITY, (double)INFINITY};
  const perp_qp *qp = t->qp;
  for (int32_t k = 0; k < qp->m; k++)
    recede(feasible ? perp_qp_row(qp, k) : whole, w->row_lower + k, w->row_upper + k);
  for (int32_t i = 0; i < qp->n; i++) {
    recede(feasible ? perp_qp_bound(qp, i) : whole, w->lower + i, w->upper + i);
    w->row_lower[qp->m + i] = w->row_upper[qp->m + i] = 0;
  }
}

static int direction_proves(qp_search *w, const qp_task *t) {
  const size_t bytes = (size_t)t->qp->n * sizeof *w->ray;
  memcpy(w->ray, w->s.x, bytes);
  if (drop_noise(t->qp->n, w->ray) && perp_qp_proves_unbounded(t->qp, w->ray, t->scratch) > 0)
    return 1;
  memcpy(w->ray, w->s.x, bytes);
  return perp_qp_proves_unbounded(t->qp, w->ray, t->scratch) > 0;
}

/* A direction that is short beside c has its rounding errors from there, and is projected once more
 * then. first > 0: so many projections on the d with P d = 0 alone come before; the cone lies in
 * there, so that its projection is the same from that point on. */
static int falls(qp_search *w, const qp_task *t, int32_t first) {
  const perp_qp *qp = t->qp;
  for (int32_t i = 0; i < qp->n; i++) w->c[i] = qp->c[i];
  for (int32_t k = 0; k < first + PROJECTIONS; k++) {
    allow(w, t, k >= first);
    if (!project_direction(w, qp)) return 0;
    if (k >= first && direction_proves(w, t)) return 1;
    for (int32_t i = 0; i < qp->n; i++) w->c[i] = -w->s.x[i];
  }
  return 0;
}

static int unbounded(qp_search *w, const qp_task *t) {
  constrain(&w->s, w->row_lower, w->row_upper, w->lower, w->upper);
  return falls(w, t, 0) || falls(w, t, 1) || falls(w, t, PROJECTIONS);
}

perp_status perp_qp_explain(qp_search *w, const qp_task *t, perp_status status) {
  const perp_qp *qp = t->qp;
  const int32_t ld = qp->m + qp->n;
  if (qp->m > 0) perp_matrix_to_dense(&qp->A, w->A, ld);
  if (qp->n > 0) perp_matrix_to_dense(&qp->P, w->A + qp->m, ld);
  if (qp->m > 0 && infeasible(w, t)) {
    hand_ray(t, NULL, w->ray);
    return PERP_INFEASIBLE;
  }
  if (qp->n > 0 && unbounded(w, t)) {
    hand_ray(t, w->ray, NULL);
    return PERP_UNBOUNDED;
  }
  return status == PERP_INFEASIBLE ? PERP_INACCURATE : status;
}
