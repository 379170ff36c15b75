/* SPDX-License-Identifier: MIT */
/* Derivatives of λ at a solution of  -(M λ + q) ∈ N_[l,u](λ). With the load r = dM λ + dq,
 *   dy = M dλ + r,   dy_F = 0,   dλ_N = 0,   0 <= t dλ_D ⟂ t dy_D >= 0,
 * F between the bounds, N at a bound with y of its sign, D at a bound with y = 0, t = 1 at the
 * lower, -1 at the upper one. F is eliminated:
 *   x = M_FF^-1 r_F,  W = M_FF^-1 M_FD,  S = M_DD - M_DF W,
 *   0 <= t dλ_D ⟂ t (S dλ_D + r_D - M_DF x) >= 0,   dλ_F = -x - W dλ_D.
 * Sources: Robinson, Math. Oper. Res. 5 (1980) 43-62; [CPS92] section 7.3. */
#include "perp/sensitivity.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/finite.h"
#include "base/info.h"
#include "base/options.h"
#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "perp/pivoting.h"
#include "problem/bounds.h"
#include "problem/residual.h"
#include "solver/mode_basis.h"
#include "solver/shell.h"

typedef struct sensitivity {
  mode_basis basis; /* its modes: FREE on F                                  */
  int32_t n, d;     /* unknowns, degenerate ones                             */
  int32_t *member;  /* n: D ascending                                        */
  unsigned char *mode;
  unsigned char *state;
  double *W;     /* k x d, in n x n / 4                                   */
  double *S;     /* d x d, rows and columns times t                       */
  double *x;     /* n                                                     */
  double *small; /* 3 n: the problem of D: q, solution, y; at first l, u, y */
  double *rows;  /* of the residual                                       */
  void *work;    /* of the solver of that problem                         */
  size_t work_bytes;
} sensitivity;

static const perp_sensitivity_options defaults = {
    .struct_size = (uint32_t)sizeof(perp_sensitivity_options), .tol = 1e-8};

void perp_sensitivity_options_init(perp_sensitivity_options *opts, size_t size) {
  perp_options_fill(opts, size, &defaults, sizeof defaults);
}

/* ---- memory ---- */

static sensitivity *carve(arena *a, int32_t n, int32_t kind) {
  const size_t m = (size_t)n;
  sensitivity own, *s = arena_take(a, 1, sizeof *s);
  perp_mode_basis_carve(&own.basis, a, n, kind);
  own.n = n;
  own.d = 0;
  own.member = arena_take(a, m, sizeof(int32_t));
  own.mode = arena_take(a, m, 1);
  own.state = arena_take(a, m, 1);
  own.W = arena_take(a, (m / 2 + 1) * (m / 2 + 1), sizeof(double));
  own.S = arena_take(a, m, m * sizeof(double));
  own.x = arena_take(a, m, sizeof(double));
  own.small = arena_take(a, m, 3 * sizeof(double));
  own.rows = arena_take(a, residual_scratch_doubles(n), sizeof(double));
  own.work_bytes = perp_lcp_workspace(perp_solver_lemke(), n, NULL);
  own.work = arena_take(a, own.work_bytes, 1);
  if (own.work_bytes == 0) a->failed = 1;
  if (s != NULL && arena_fits(a)) *s = own;
  return s;
}

size_t perp_sensitivity_workspace(const perp_problem *problem) {
  if (perp_problem_check(problem, NULL) != PERP_OK ||
      (perp_problem_sets(problem) & ~INTERVAL_SETS) != 0)
    return 0;
  arena a = arena_measure();
  (void)carve(&a, problem->n, problem->M.kind);
  return arena_bytes(&a);
}

/* ---- classes ---- */

static unsigned char classify(double v, double l, double u, double y, double column, double slack) {
  const double reach = column > 0 ? slack / column : 0;
  const double down = v - l, up = u - v;
  if (!(l < u)) return PERP_SENSITIVITY_FIXED;
  if (down > reach && up > reach) return PERP_SENSITIVITY_FREE;
  if (fabs(y) > slack) return PERP_SENSITIVITY_FIXED;
  return down <= up ? PERP_SENSITIVITY_LOWER : PERP_SENSITIVITY_UPPER;
}

/* slack: what |y_i| may be off; the bounds and y are in small. */
static void classify_all(sensitivity *s, const double *lambda, double slack) {
  const double *lower = s->small, *upper = lower + s->n, *y = upper + s->n;
  for (int32_t i = 0; i < s->n; i++) {
    s->state[i] = classify(lambda[i], lower[i], upper[i], y[i], s->basis.size[i], slack);
    s->mode[i] = s->state[i] == PERP_SENSITIVITY_FREE ? PERP_MODE_FREE : PERP_MODE_LOWER;
    if (s->state[i] >= PERP_SENSITIVITY_LOWER) s->member[s->d++] = i;
  }
}

/* ---- prepare ---- */

static double sign(const sensitivity *s, int32_t j) {
  return s->state[s->member[j]] == PERP_SENSITIVITY_LOWER ? 1 : -1;
}

/* W and S with the factor. */
static void reduce(sensitivity *s) {
  const mode_basis *b = &s->basis;
  const size_t k = (size_t)b->k, d = (size_t)s->d;
  for (int32_t j = 0; j < s->d; j++) {
    const double *m = mode_column(&s->basis, s->member[j]);
    double *w = s->W + k * (size_t)j, *t = s->S + d * (size_t)j;
    for (size_t a = 0; a < k; a++) w[a] = m[b->member[a]];
    perp_mode_basis_solve(b, w);
    for (size_t i = 0; i < d; i++) t[i] = m[s->member[i]];
    for (size_t a = 0; a < k; a++)
      for (size_t i = 0; i < d; i++)
        t[i] -= mode_column(&s->basis, b->member[a])[s->member[i]] * w[a];
    for (size_t i = 0; i < d; i++) t[i] *= sign(s, (int32_t)i) * sign(s, j);
  }
}

static perp_status check_arguments(const perp_sensitivity *s, const perp_problem *problem,
                                   const double *lambda, const void *work,
                                   const perp_sensitivity_options *o, perp_info *info) {
  info_clear(info);
  if (s == NULL) return fail_field(info, "s", -1);
  perp_status status = perp_problem_check(problem, info);
  if (status != PERP_OK) return status;
  if ((perp_problem_sets(problem) & ~INTERVAL_SETS) != 0)
    return fail(info, PERP_EUNSUPPORTED, "laws", -1, 0);
  if (problem->n > 0 && lambda == NULL) return fail_field(info, "lambda", -1);
  if (!(o->tol > 0 && o->tol <= DBL_MAX)) return fail(info, PERP_EINVAL, "tol", -1, o->tol);
  return work == NULL ? fail_field(info, "work", -1) : PERP_OK;
}

/* Classes and factor of a solution. */
static perp_status differentiate(sensitivity *s, const perp_problem *problem, const double *lambda,
                                 double tol, perp_info *info) {
  perp_problem plain = *problem; /* what is near a bound does not depend on weights */
  perp_residual residual, sized;
  double *lower = s->small, *upper = lower + s->n, *y = upper + s->n;
  perp_problem_bounds(problem, lower, upper);
  perp_mode_basis_open(&s->basis, &problem->M);
  perp_residual_compute(problem, lambda, y, &residual, s->rows);
  if (info_ready(info)) {
    info->residual = residual.residual;
    info->relative_residual = residual.relative;
    info->worst = residual.worst;
  }
  if (!is_finite(residual.residual))
    return fail(info, PERP_ENOTFINITE, "lambda", residual.worst, residual.residual);
  if (!perp_residual_solved(&residual, tol)) return PERP_INACCURATE;
  plain.weight = plain.floor = NULL;
  perp_residual_compute(&plain, lambda, y, &sized, s->rows);
  classify_all(s, lambda, tol * sized.scale);
  if (!perp_mode_basis_factor(&s->basis, s->mode, 0)) return PERP_RAY;
  reduce(s);
  return PERP_OK;
}

perp_status perp_sensitivity_prepare(perp_sensitivity *out, const perp_problem *problem,
                                     const double *lambda, const perp_sensitivity_options *opts,
                                     void *work, size_t work_bytes, perp_info *info) {
  perp_sensitivity_options o = defaults;
  if (perp_options_read(&o, sizeof o, opts, PERP_THROUGH(perp_sensitivity_options, tol)) !=
      PERP_OK) {
    info_clear(info);
    return fail_field(info, "struct_size", -1);
  }
  perp_status status = check_arguments(out, problem, lambda, work, &o, info);
  if (status != PERP_OK) return status;
  memset(out, 0, sizeof *out);
  arena a = arena_open(work, work_bytes);
  sensitivity *s = carve(&a, problem->n, problem->M.kind);
  if (!arena_fits(&a))
    return fail(info, PERP_EWORKSPACE, "work_bytes", -1,
                (double)perp_sensitivity_workspace(problem));
  status = problem->n > 0 ? differentiate(s, problem, lambda, o.tol, info) : PERP_OK;
  if (problem->n == 0) s->basis.k = 0;
  out->n = problem->n;
  out->n_free = s->basis.k;
  out->n_degenerate = s->d;
  out->state = s->state;
  out->data = status == PERP_OK ? s : NULL;
  return status;
}

/* ---- apply ---- */

perp_status perp_sensitivity_load(int32_t n, const perp_matrix *dM, const double *dq,
                                  const double *lambda, double *load) {
  if (n < 0 || (n > 0 && (lambda == NULL || load == NULL || load == lambda))) return PERP_EINVAL;
  if (dM != NULL && perp_matrix_check(dM, NULL) != PERP_OK) return PERP_EINVAL;
  if (dM != NULL && (dM->rows != n || dM->cols != n)) return PERP_EINVAL;
  for (int32_t i = 0; i < n; i++) load[i] = dq != NULL ? dq[i] : 0;
  if (dM != NULL && n > 0) perp_matrix_multiply_add(dM, lambda, load);
  return PERP_OK;
}

/* The problem of D in t dλ_D, with its q in small. */
static perp_status solve_small(sensitivity *s) {
  const int32_t d = s->d;
  double *q = s->small, *z = q + s->n, *w = z + s->n;
  const perp_lcp p = {d, d, s->S, q};
  if (!all_finite((size_t)d, q) || !all_finite((size_t)d * (size_t)d, s->S)) return PERP_INACCURATE;
  return perp_lcp_solve(perp_solver_lemke(), &p, NULL, z, w, s->work, s->work_bytes, NULL);
}

/* dλ_D, scattered into small + n, for x = M_FF^-1 r_F. */
static perp_status move_degenerate(sensitivity *s, const double *load, int32_t *one_sided) {
  const mode_basis *b = &s->basis;
  double *q = s->small, *z = q + s->n, *w = z + s->n, size = 0;
  for (int32_t i = 0; i < s->d; i++) {
    q[i] = load[s->member[i]];
    size += fabs(q[i]);
    for (int32_t a = 0; a < b->k; a++) {
      const double term = mode_column(&s->basis, b->member[a])[s->member[i]] * s->x[a];
      q[i] -= term;
      size += fabs(term);
    }
    q[i] *= sign(s, i);
  }
  const perp_status status = solve_small(s);
  if (status != PERP_OK) return status;
  *one_sided = 0;
  for (int32_t i = 0; i < s->d; i++) {
    const double moved = z[i] * s->basis.size[s->member[i]];
    if (moved > 64 * DBL_EPSILON * size || w[i] > 64 * DBL_EPSILON * size) *one_sided = 1;
    z[i] *= sign(s, i);
  }
  return PERP_OK;
}

/* One direction; dlambda may be load. */
static perp_status move(sensitivity *s, const double *load, double *dlambda, int32_t *one_sided) {
  const mode_basis *b = &s->basis;
  const double *z = s->small + s->n;
  *one_sided = 0;
  for (int32_t a = 0; a < b->k; a++) s->x[a] = load[b->member[a]];
  perp_mode_basis_solve(b, s->x);
  if (s->d > 0) {
    const perp_status status = move_degenerate(s, load, one_sided);
    if (status != PERP_OK) return status;
  }
  for (int32_t i = 0; i < s->d; i++)
    perp_dense_axpy(b->k, z[i], s->W + (size_t)b->k * (size_t)i, s->x);
  for (int32_t i = 0; i < s->n; i++) dlambda[i] = 0;
  for (int32_t a = 0; a < b->k; a++) dlambda[b->member[a]] = -s->x[a];
  for (int32_t i = 0; i < s->d; i++) dlambda[s->member[i]] = z[i];
  return PERP_OK;
}

static perp_status check_apply(const perp_sensitivity *s, int32_t m, const double *in,
                               const double *out) {
  if (s == NULL || s->data == NULL || m < 0) return PERP_EINVAL;
  return s->n > 0 && m > 0 && (in == NULL || out == NULL) ? PERP_EINVAL : PERP_OK;
}

perp_status perp_sensitivity_apply(const perp_sensitivity *s, int32_t m, const double *load,
                                   double *dlambda, int32_t *one_sided) {
  perp_status status = check_apply(s, m, load, dlambda);
  if (status != PERP_OK || s->n == 0) return status;
  const size_t n = (size_t)s->n;
  for (int32_t j = 0; j < m; j++) {
    int32_t side = 1;
    double *d = dlambda + n * (size_t)j;
    if (status == PERP_OK) status = move(s->data, load + n * (size_t)j, d, &side);
    for (size_t i = 0; status != PERP_OK && i < n; i++) d[i] = (double)NAN;
    if (one_sided != NULL) one_sided[j] = side;
  }
  return status;
}

perp_status perp_sensitivity_adjoint(const perp_sensitivity *s, int32_t m, const double *gradient,
                                     double *result) {
  perp_status status = check_apply(s, m, gradient, result);
  if (status != PERP_OK || s->n == 0) return status;
  sensitivity *own = s->data;
  const mode_basis *b = &own->basis;
  const size_t n = (size_t)s->n;
  for (int32_t j = 0; j < m; j++) {
    const double *g = gradient + n * (size_t)j;
    double *r = result + n * (size_t)j;
    for (int32_t a = 0; a < b->k; a++) own->x[a] = g[b->member[a]];
    perp_mode_basis_solve_transposed(b, own->x);
    for (size_t i = 0; i < n; i++) r[i] = 0;
    for (int32_t a = 0; a < b->k; a++) r[b->member[a]] = -own->x[a];
  }
  return PERP_OK;
}
