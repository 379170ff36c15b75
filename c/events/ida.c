/* SPDX-License-Identifier: MIT */
/* IDA: backward differentiation of order 1 to 5 on F(t, z, ż) = 0. The multipliers' integrals are
 * left out of the error test (they follow from Y) and kept in Newton's. When the mode changes and
 * with it the unknowns, IDA is made anew. Sources: Brenan, Campbell and Petzold 1996, ch. 5;
 * Hindmarsh et al., SUNDIALS, ACM TOMS 31 (2005). */
#include <assert.h>
#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include "base/finite.h"
#include "base/info.h"
#include "events/sundials.h"

static const double root_of_rounding = 1.4901161193847656e-8;

typedef struct ida {
  sundials s;                    /* first: what perp_sundials_step() and its neighbours get */
  int32_t n;                     /* entries of z                       */
  N_Vector zdot, kinds, weights; /* n each; 1 for entries of Y; atol   */
  int32_t *start, *index;        /* the structure as it was given      */
  int32_t kind;                  /* PERP_LINEAR_... in use             */
} ida;

static perp_status status_of(int flag) {
  switch (flag) {
    case IDA_TOO_MUCH_WORK:
    case IDA_TOO_MUCH_ACC:
    case IDA_ERR_FAIL:
    case IDA_CONV_FAIL:
    case IDA_LSETUP_FAIL:
    case IDA_LSOLVE_FAIL:
      return PERP_MAX_ITER;
    case IDA_RES_FAIL:
      return PERP_ECALLBACK;
    case IDA_REP_RES_ERR:
    case IDA_FIRST_RES_FAIL:
      return PERP_RETRY;
    case IDA_ILL_INPUT:
    case IDA_BAD_T:
      return PERP_EINVAL;
    default:
      return PERP_EBACKEND;
  }
}

/* ---------------------------------------------------------------------- equations ---- */

static int residual(double t, N_Vector z, N_Vector zdot, N_Vector F, void *user) {
  ida *c = user;
  sundials *s = &c->s;
  const smooth_problem *p = s->problem;
  double *out = N_VGetArrayPointer(F);
  if (s->answer < 0) return s->answer;
  s->counts.evaluations++;
  int32_t answer = p->residual(p->context, t, N_VGetArrayPointer(z), N_VGetArrayPointer(zdot), out);
  int32_t not_finite = answer == 0 && !all_finite((size_t)c->n, out);
  if (not_finite) answer = 1;
  if (answer != 0) {
    s->answer = answer;
    s->not_finite = not_finite;
  }
  return answer;
}

/* Where column j of the matrix is, so that entry i is at [i]. */
static double *column_of(SUNMatrix J, int32_t kind, int32_t j) {
  if (kind == PERP_LINEAR_DENSE) return SM_COLUMN_D(J, j);
  return SM_COLUMN_B(J, j) - j; /* the diagonal is its entry 0 */
}

/* ∂F/∂z + cj ∂F/∂ż by differences, all columns of a colour at once. */
static int jacobian(double t, double cj, N_Vector z_at, N_Vector zdot_at, N_Vector F_at,
                    SUNMatrix J, void *user, N_Vector a, N_Vector b, N_Vector r) {
  ida *c = user;
  const smooth_problem *problem = c->s.problem;
  const sundials_pattern *p = &c->s.pattern;
  const double *z = N_VGetArrayPointer(z_at), *zdot = N_VGetArrayPointer(zdot_at);
  const double *F = N_VGetArrayPointer(F_at), *atol = N_VGetArrayPointer(c->weights);
  double *moved = N_VGetArrayPointer(a), *moved_dot = N_VGetArrayPointer(b);
  double *G = N_VGetArrayPointer(r), h = 0;
  (void)IDAGetCurrentStep(c->s.package, &h);
  if (c->kind == PERP_LINEAR_SPARSE) perp_sundials_shape(p, J);
  for (int32_t colour = 0; colour < p->colours; colour++) {
    for (int32_t j = 0; j < p->n; j++) {
      moved[j] = z[j], moved_dot[j] = zdot[j];
      if (p->colour[j] != colour) continue;
      double size = fmax(fabs(z[j]), fmax(fabs(h * zdot[j]), atol[j] / problem->rtol));
      volatile double to = z[j] + root_of_rounding * size; /* as it is in the arithmetic */
      moved[j] = to;
      moved_dot[j] += cj * (to - z[j]);
    }
    int answer = residual(t, a, b, r, c);
    if (answer != 0) return answer;
    for (int32_t j = 0; j < p->n; j++) {
      if (p->colour[j] != colour) continue;
      double step = moved[j] - z[j];
      double *column = c->kind == PERP_LINEAR_SPARSE ? NULL : column_of(J, c->kind, j);
      for (int32_t k = p->start[j]; k < p->start[j + 1]; k++) {
        int32_t i = p->index[k];
        double slope = (G[i] - F[i]) / step;
        if (column == NULL)
          SM_DATA_S(J)[k] = slope;
        else
          column[i] = slope;
      }
    }
  }
  return 0;
}

/* -------------------------------------------------------------------------- begin ---- */

static void release_parts(ida *c) {
  sundials *s = &c->s;
  if (s->package != NULL) IDAFree(&s->package);
  if (s->linear != NULL) (void)SUNLinSolFree(s->linear);
  if (s->matrix != NULL) SUNMatDestroy(s->matrix);
  s->linear = NULL, s->matrix = NULL;
  perp_sundials_forget(&s->pattern);
  N_Vector *all[] = {&c->zdot, &c->kinds, &c->weights};
  for (int k = 0; k < 3; k++) {
    if (*all[k] != NULL) N_VDestroy(*all[k]);
    *all[k] = NULL;
  }
}

static void destroy(void *self) {
  ida *c = self;
  if (c == NULL) return;
  release_parts(c);
  free(c->start);
  free(c->index);
  perp_sundials_destroy(self);
}

/* The structure of a motion with n unknowns: 1 if it differs from the one in use, -1: no memory. */
static int read_structure(ida *c, int32_t n) {
  const smooth_problem *p = c->s.problem;
  int32_t *start = calloc((size_t)n + 1, sizeof *start);
  if (start == NULL) return -1;
  p->dae_structure(p->context, start, NULL);
  int32_t *index = calloc((size_t)start[n] + 1, sizeof *index);
  if (index == NULL) return free(start), -1;
  p->dae_structure(p->context, start, index);
  if (c->s.package != NULL && n == c->n &&
      memcmp(start, c->start, ((size_t)n + 1) * sizeof *start) == 0 &&
      memcmp(index, c->index, (size_t)start[n] * sizeof *index) == 0) {
    free(start);
    free(index);
    return 0;
  }
  free(c->start);
  free(c->index);
  c->start = start;
  c->index = index;
  c->n = n;
  return 1;
}

static int make_vectors(ida *c) {
  sundials *s = &c->s;
  N_Vector *all[] = {&s->y, &s->rate, &c->zdot, &c->kinds, &c->weights};
  for (int k = 0; k < 5; k++) {
    if (*all[k] != NULL) N_VDestroy(*all[k]);
    *all[k] = N_VNew_Serial(c->n, s->context);
    if (*all[k] == NULL) return IDA_MEM_FAIL;
    N_VConst(k == 3 ? 1 : 0, *all[k]);
  }
  double *kinds = N_VGetArrayPointer(c->kinds);
  for (int32_t k = s->problem->n; k < c->n; k++) kinds[k] = 0;
  return IDA_SUCCESS;
}

static int make_solver(ida *c, double t) {
  sundials *s = &c->s;
  const smooth_problem *p = s->problem;
  c->s.package = IDACreate(s->context);
  if (c->s.package == NULL) return IDA_MEM_FAIL;
  int flag = IDASetErrHandlerFn(c->s.package, perp_sundials_error, s->message);
  if (flag == IDA_SUCCESS) flag = IDAInit(c->s.package, residual, t, s->y, c->zdot);
  if (flag == IDA_SUCCESS) flag = IDASVtolerances(c->s.package, p->rtol, c->weights);
  if (flag == IDA_SUCCESS) flag = IDASetUserData(c->s.package, c);
  if (flag == IDA_SUCCESS) flag = IDASetId(c->s.package, c->kinds);
  if (flag == IDA_SUCCESS) flag = IDASetSuppressAlg(c->s.package, c->n > p->n);
  if (flag == IDA_SUCCESS && p->order > 0) flag = IDASetMaxOrd(c->s.package, p->order);
  if (flag == IDA_SUCCESS && p->h_max > 0) flag = IDASetMaxStep(c->s.package, p->h_max);
  if (flag == IDA_SUCCESS && p->max_steps > 0) flag = IDASetMaxNumSteps(c->s.package, p->max_steps);
  if (flag != IDA_SUCCESS) return flag;
  if (!perp_sundials_pattern(&s->pattern, c->n, c->start, c->index)) return IDA_MEM_FAIL;
  c->kind = perp_sundials_kind(&s->pattern, p->linear);
  if (!perp_sundials_linear(s->context, s->y, &s->pattern, c->kind, &s->matrix, &s->linear))
    return IDA_MEM_FAIL;
  flag = IDASetLinearSolver(c->s.package, s->linear, s->matrix);
  return flag == IDA_SUCCESS ? IDASetJacFn(c->s.package, jacobian) : flag;
}

/* From Y = y1, in the mode of the moment. */
static int begin(sundials *s, double t) {
  ida *c = (ida *)s;
  const smooth_problem *p = s->problem;
  int32_t n = 0;
  s->counts.evaluations++;
  int32_t answer = p->dae_begin(p->context, t, s->y1, &n);
  if (answer != 0) {
    s->answer = answer;
    return answer < 0 ? IDA_RES_FAIL : IDA_FIRST_RES_FAIL;
  }
  int changed = read_structure(c, n), flag = changed < 0 ? IDA_MEM_FAIL : IDA_SUCCESS;
  if (changed > 0) {
    release_parts(c);
    flag = make_vectors(c);
  }
  if (flag != IDA_SUCCESS) return flag;
  p->dae_consistent(p->context, N_VGetArrayPointer(s->y), N_VGetArrayPointer(c->zdot),
                    N_VGetArrayPointer(c->weights));
  if (changed > 0) return make_solver(c, t);
  flag = IDASVtolerances(c->s.package, p->rtol, c->weights);
  return flag == IDA_SUCCESS ? IDAReInit(c->s.package, t, s->y, c->zdot) : flag;
}

/* --------------------------------------------------------------------------- steps ---- */

static int one_step(sundials *s, double stop, double *t) {
  return IDASolve(s->package, stop, t, s->y, ((ida *)s)->zdot, IDA_ONE_STEP);
}

static void count(void *package, smooth_counts *counts) {
  long steps = 0, errors = 0, failures = 0, jacobians = 0;
  (void)IDAGetNumSteps(package, &steps);
  (void)IDAGetNumErrTestFails(package, &errors);
  (void)IDAGetNumStepSolveFails(package, &failures);
  (void)IDAGetNumJacEvals(package, &jacobians);
  counts->steps = steps;
  counts->rejected = errors + failures;
  counts->jacobians = jacobians;
}

static const sundials_method of_ida = {
    begin,          IDASetInitStep,    IDASetStopTime,    one_step, IDAGetDky, IDAGetLastOrder,
    IDAGetLastStep, IDAGetCurrentStep, IDAGetCurrentTime, count,    status_of, IDAFree};

static perp_status create(void **self, const smooth_problem *problem, perp_info *info) {
  *self = NULL;
  assert(problem->residual != NULL); /* of every engine whose integrator is one for residuals */
  perp_status status = perp_sundials_check(problem, 5, info);
  if (status != PERP_OK) return status;
  ida *c = calloc(1, sizeof *c);
  if (c == NULL) return fail(info, PERP_EBACKEND, "malloc", -1, (double)sizeof *c);
  c->s.first_order = 1;
  status = perp_sundials_open(&c->s, problem, &of_ida, info);
  return perp_sundials_created(self, c, status, destroy);
}

const perp_smooth *perp_smooth_ida(void) {
  static const perp_smooth table = SUNDIALS_TABLE(1, "ida", 0, 0, create, destroy, NULL);
  return &table;
}
