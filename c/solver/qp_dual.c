/* SPDX-License-Identifier: MIT */
/* The dual active-set method for programs with positive definite P: factors and start for the
 * method itself, which stands in linalg/dual_set.c.
 *
 *     P = L L',   J = L'^-1,   x = -J J'c   the minimum without constraints. */
#include "base/arena.h"
#include "base/info.h"
#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "solver/options.h"
#include "solver/qp_shared.h"

/* What the method needs beside the arrays of the dual set. */
typedef struct pieces {
  dual_set s;
  double *P, *A, *ray, *scratch;
} pieces;

static pieces carve(arena *a, int32_t unknowns, int32_t rows) {
  const size_t n = (size_t)unknowns, m = (size_t)rows, d = sizeof(double);
  pieces p;
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
static perp_status start(pieces *p, const perp_qp *qp, perp_info *info) {
  dual_set *s = &p->s;
  const int32_t n = qp->n;
  s->n = n;
  s->m = qp->m;
  s->c = qp->c;
  s->row_lower = qp->row_lower;
  s->row_upper = qp->row_upper;
  s->lower = qp->lower;
  s->upper = qp->upper;
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

static perp_status take_answer(dual_set *s, const perp_qp *qp, double tol, perp_status status,
                               double *x, double *nu, double *zeta, double *scratch,
                               perp_info *info) {
  for (int32_t k = 0;; k++) {
    double amplification;
    if (qp->n > 0) memcpy(x, s->x, (size_t)qp->n * sizeof *x);
    perp_dual_set_multipliers(s, nu, zeta);
    perp_qp_put_zeros(qp, k % QP_ZEROS, x, nu, zeta);
    const perp_status ended =
        perp_qp_confirm(qp, tol, status, x, nu, zeta, scratch, &amplification, info);
    if (k >= QP_ZEROS || !qp_is_refused(ended)) return ended;
  }
}

static perp_status solve(pieces *p, const perp_qp *qp, const perp_solver_options *o, double *x,
                         double *nu, double *zeta, perp_info *info) {
  dual_set *s = &p->s;
  perp_status status = perp_qp_check_symmetric(qp, p->scratch, info);
  if (status == PERP_OK) status = start(p, qp, info);
  if (status != PERP_OK) return status;
  const int64_t rule = 100 + 10 * ((int64_t)qp->n + qp->m);
  s->limit = o->max_iter > 0 ? o->max_iter : rule < INT32_MAX ? (int32_t)rule : INT32_MAX;
  s->observe = o->observe;
  s->user = o->user;
  status = perp_qp_dual_run(s, qp, o->tol, p->ray, p->scratch);
  if (info_ready(info)) info->iterations = s->iterations;
  if (status == PERP_INFEASIBLE) perp_qp_hand_ray(qp, NULL, p->ray, p->scratch, info);
  if (status == PERP_RAY) status = PERP_INACCURATE; /* neither solved nor shown to be impossible */
  return take_answer(s, qp, o->tol, status, x, nu, zeta, p->scratch, info);
}

perp_status perp_qp_dual(const perp_qp *qp, const perp_solver_options *opts, double *x, double *nu,
                         double *zeta, void *work, size_t work_bytes, perp_info *info) {
  perp_solver_options o;
  info_clear(info);
  perp_status status = perp_qp_open(qp, x, nu, zeta, info);
  if (status == PERP_OK) status = perp_solver_options_read(NULL, opts, &o, info);
  if (status != PERP_OK) return status;
  if (work == NULL) return fail_field(info, "work", -1);
  arena a = arena_open(work, work_bytes);
  pieces p = carve(&a, qp->n, qp->m);
  if (!arena_fits(&a))
    return fail(info, PERP_EWORKSPACE, "work_bytes", -1,
                (double)perp_qp_dual_workspace(qp->n, qp->m));
  if (info_ready(info)) info->solver = "qp-dual";
  for (int32_t i = 0; i < qp->n; i++) x[i] = zeta[i] = 0;
  for (int32_t k = 0; k < qp->m; k++) nu[k] = 0;
  return solve(&p, qp, &o, x, nu, zeta, info);
}
