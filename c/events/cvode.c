/* SPDX-License-Identifier: MIT */
/* CVODE: Adams' methods of order 1 to 12 with a fixed-point iteration, and backward differentiation
 * of order 1 to 5 with Newton's. Source: Hindmarsh et al., SUNDIALS, ACM TOMS 31 (2005). */
#include <cvode/cvode.h>
#include <stdlib.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "base/info.h"
#include "events/sundials.h"

typedef struct cvode {
  sundials s; /* first: what perp_sundials_step() and its neighbours get */
  SUNNonlinearSolver iteration;
} cvode;

static int restart(sundials *s, double t) { return CVodeReInit(s->package, t, s->y); }

static int one_step(sundials *s, double stop, double *t) {
  return CVode(s->package, stop, s->y, t, CV_ONE_STEP);
}

static void count_steps(void *package, smooth_counts *counts) {
  long steps = 0, errors = 0, failures = 0;
  (void)CVodeGetNumSteps(package, &steps);
  (void)CVodeGetNumErrTestFails(package, &errors);
  (void)CVodeGetNumStepSolveFails(package, &failures);
  counts->steps = steps;
  counts->rejected = errors + failures;
}

static void count_all(void *package, smooth_counts *counts) {
  long jacobians = 0;
  count_steps(package, counts);
  (void)CVodeGetNumJacEvals(package, &jacobians);
  counts->jacobians = jacobians;
}

static perp_status status_of(int flag) {
  switch (flag) {
    case CV_TOO_MUCH_WORK:
    case CV_TOO_MUCH_ACC:
    case CV_ERR_FAILURE:
    case CV_CONV_FAILURE:
      return PERP_MAX_ITER;
    case CV_RHSFUNC_FAIL:
      return PERP_ECALLBACK;
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR:
      return PERP_RETRY;
    case CV_ILL_INPUT:
    case CV_TOO_CLOSE:
    case CV_BAD_T:
      return PERP_EINVAL;
    default:
      return PERP_EBACKEND;
  }
}

#define METHOD(count)                                                                           \
  {                                                                                             \
    restart, CVodeSetInitStep, CVodeSetStopTime, one_step, CVodeGetDky, CVodeGetLastOrder,      \
        CVodeGetLastStep, CVodeGetCurrentStep, CVodeGetCurrentTime, count, status_of, CVodeFree \
  }

static const sundials_method of_adams = METHOD(count_steps), of_bdf = METHOD(count_all);

static void destroy(void *self) {
  cvode *c = self;
  if (c == NULL) return;
  if (c->s.package != NULL) CVodeFree(&c->s.package); /* before what it refers to */
  if (c->iteration != NULL) (void)SUNNonlinSolFree(c->iteration);
  perp_sundials_destroy(self);
}

static int attach_fixed_point(cvode *c) {
  c->iteration = SUNNonlinSol_FixedPoint(c->s.y, 0, c->s.context);
  return c->iteration != NULL ? CVodeSetNonlinearSolver(c->s.package, c->iteration) : CV_MEM_FAIL;
}

static int attach_matrix(cvode *c) {
  sundials *s = &c->s;
  const smooth_problem *p = s->problem;
  if (!perp_sundials_pattern(&s->pattern, p->n, p->start, p->index)) return CV_MEM_FAIL;
  int32_t kind = perp_sundials_kind(&s->pattern, p->linear);
  if (!perp_sundials_linear(s->context, s->y, &s->pattern, kind, &s->matrix, &s->linear))
    return CV_MEM_FAIL;
  int flag = CVodeSetLinearSolver(s->package, s->linear, s->matrix);
  if (flag != CV_SUCCESS || kind != PERP_LINEAR_SPARSE) return flag;
  return CVodeSetJacFn(s->package, perp_sundials_difference);
}

static int configure(cvode *c, int multistep) {
  sundials *s = &c->s;
  const smooth_problem *p = s->problem;
  s->package = CVodeCreate(multistep, s->context);
  if (s->package == NULL) return CV_MEM_FAIL;
  int flag = CVodeSetErrHandlerFn(s->package, perp_sundials_error, s->message);
  if (flag == CV_SUCCESS) flag = CVodeInit(s->package, perp_sundials_rhs, 0, s->y);
  if (flag == CV_SUCCESS) flag = CVodeSVtolerances(s->package, p->rtol, s->atol);
  if (flag == CV_SUCCESS) flag = CVodeSetUserData(s->package, s);
  if (flag == CV_SUCCESS && p->order > 0) flag = CVodeSetMaxOrd(s->package, p->order);
  if (flag == CV_SUCCESS && p->h_max > 0) flag = CVodeSetMaxStep(s->package, p->h_max);
  if (flag == CV_SUCCESS && p->max_steps > 0) flag = CVodeSetMaxNumSteps(s->package, p->max_steps);
  if (flag != CV_SUCCESS) return flag;
  return multistep == CV_ADAMS ? attach_fixed_point(c) : attach_matrix(c);
}

static perp_status create(void **self, const smooth_problem *problem, int multistep,
                          int32_t highest, perp_info *info) {
  *self = NULL;
  perp_status status = perp_sundials_check(problem, highest, info);
  if (status != PERP_OK) return status;
  cvode *c = calloc(1, sizeof *c);
  if (c == NULL) return fail(info, PERP_EBACKEND, "malloc", -1, (double)sizeof *c);
  c->s.first_order = 1;
  status = perp_sundials_open(&c->s, problem, multistep == CV_ADAMS ? &of_adams : &of_bdf, info);
  if (status == PERP_OK) status = perp_sundials_configured(&c->s, configure(c, multistep), info);
  return perp_sundials_created(self, c, status, destroy);
}

static perp_status create_adams(void **self, const smooth_problem *problem, perp_info *info) {
  return create(self, problem, CV_ADAMS, 12, info);
}

static perp_status create_bdf(void **self, const smooth_problem *problem, perp_info *info) {
  return create(self, problem, CV_BDF, 5, info);
}

const perp_smooth *perp_smooth_adams(void) {
  static const perp_smooth adams = SUNDIALS_TABLE(0, "adams", 0, 0.5, create_adams, destroy, NULL);
  return &adams;
}

const perp_smooth *perp_smooth_bdf(void) {
  static const perp_smooth bdf = SUNDIALS_TABLE(0, "bdf", 0, 0, create_bdf, destroy, NULL);
  return &bdf;
}
