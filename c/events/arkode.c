/* SPDX-License-Identifier: MIT */
/* ARKODE's explicit Runge-Kutta methods with embedded error estimates, of a chosen order: Heun and
 * Euler 2, Bogacki and Shampine 3, Zonneveld 4, Dormand and Prince 5, Verner 6, Fehlberg 7 and 8
 * (one pair). Between the ends of a step Hermite's polynomial of degree 5 at most, of order 5.
 * Source: Reynolds et al., ARKODE, ACM TOMS 49 (2023). */
#include <arkode/arkode_erkstep.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/info.h"
#include "events/sundials.h"

enum { DEFAULT_ORDER = 5, LEAST_ORDER = 2, HIGHEST_ORDER = 8 };

static int restart(sundials *s, double t) {
  return ERKStepReInit(s->package, perp_sundials_rhs, t, s->y);
}

/* At a stop time ARKODE interpolates its state, and takes no notice where a slope for that fails.
 */
static int one_step(sundials *s, double stop, double *t) {
  int flag = ERKStepEvolve(s->package, stop, s->y, t, ARK_ONE_STEP);
  if (flag < 0 || s->answer == 0) return flag;
  return s->answer < 0 ? ARK_RHSFUNC_FAIL : ARK_UNREC_RHSFUNC_ERR;
}

static void count(void *package, smooth_counts *counts) {
  long steps = 0, errors = 0;
  (void)ERKStepGetNumSteps(package, &steps);
  (void)ERKStepGetNumErrTestFails(package, &errors);
  counts->steps = steps;
  counts->rejected = errors;
}

static perp_status status_of(int flag) {
  switch (flag) {
    case ARK_TOO_MUCH_WORK:
    case ARK_TOO_MUCH_ACC:
    case ARK_ERR_FAILURE:
    case ARK_CONV_FAILURE:
      return PERP_MAX_ITER;
    case ARK_RHSFUNC_FAIL:
      return PERP_ECALLBACK;
    case ARK_FIRST_RHSFUNC_ERR:
    case ARK_REPTD_RHSFUNC_ERR:
    case ARK_UNREC_RHSFUNC_ERR:
      return PERP_RETRY;
    case ARK_ILL_INPUT:
    case ARK_TOO_CLOSE:
    case ARK_BAD_T:
      return PERP_EINVAL;
    default:
      return PERP_EBACKEND;
  }
}

static const sundials_method method = {restart,
                                       ERKStepSetInitStep,
                                       ERKStepSetStopTime,
                                       one_step,
                                       ERKStepGetDky,
                                       NULL,
                                       ERKStepGetLastStep,
                                       ERKStepGetCurrentStep,
                                       ERKStepGetCurrentTime,
                                       count,
                                       status_of,
                                       ERKStepFree};

static ARKODE_ERKTableID table_id(int32_t order) {
  switch (order) {
    case 2:
      return ARKODE_HEUN_EULER_2_1_2;
    case 3:
      return ARKODE_BOGACKI_SHAMPINE_4_2_3;
    case 4:
      return ARKODE_ZONNEVELD_5_3_4;
    case 5:
      return ARKODE_DORMAND_PRINCE_7_4_5;
    case 6:
      return ARKODE_VERNER_8_5_6;
    default:
      return ARKODE_FEHLBERG_13_7_8;
  }
}

/* The method with the slope at the end as its last stage. ERKStep of SUNDIALS 6.4 takes a last
 * stage at c = 1 for that slope, also where it lies at another point, and methods of order 6 and 8
 * lose orders by it. */
static ARKodeButcherTable with_end(ARKodeButcherTable from) {
  int s = from->stages;
  ARKodeButcherTable to = ARKodeButcherTable_Alloc(s + 1, 1);
  if (to == NULL) return NULL;
  to->q = from->q;
  to->p = from->p;
  for (int i = 0; i < s; i++) {
    memcpy(to->A[i], from->A[i], (size_t)s * sizeof(double));
    to->c[i] = from->c[i];
    to->b[i] = to->A[s][i] = from->b[i];
    to->d[i] = from->d[i];
  }
  to->c[s] = 1;
  return to;
}

static int ends_with_slope(ARKodeButcherTable table) {
  int s = table->stages - 1, same = table->c[s] >= 1;
  for (int i = 0; i <= s; i++) same = same && fabs(table->A[s][i] - table->b[i]) < 1e-15;
  return same;
}

static int set_table(void *package, int32_t order) {
  ARKodeButcherTable table = ARKodeButcherTable_LoadERK(table_id(order));
  if (table == NULL) return ARK_MEM_FAIL;
  if (!ends_with_slope(table)) {
    ARKodeButcherTable longer = with_end(table);
    ARKodeButcherTable_Free(table);
    table = longer;
  }
  int flag = table != NULL ? ERKStepSetTable(package, table) : ARK_MEM_FAIL;
  if (table != NULL) ARKodeButcherTable_Free(table);
  return flag;
}

static int configure(sundials *s) {
  const smooth_problem *p = s->problem;
  s->package = ERKStepCreate(perp_sundials_rhs, 0, s->y, s->context);
  if (s->package == NULL) return ARK_MEM_FAIL;
  int flag = ERKStepSetErrHandlerFn(s->package, perp_sundials_error, s->message);
  if (flag == ARK_SUCCESS) flag = ERKStepSVtolerances(s->package, p->rtol, s->atol);
  if (flag == ARK_SUCCESS) flag = ERKStepSetUserData(s->package, s);
  if (flag == ARK_SUCCESS) flag = set_table(s->package, s->first_order);
  if (flag == ARK_SUCCESS) flag = ERKStepSetInterpolantDegree(s->package, ARK_INTERP_MAX_DEGREE);
  if (flag == ARK_SUCCESS && p->h_max > 0) flag = ERKStepSetMaxStep(s->package, p->h_max);
  if (flag == ARK_SUCCESS && p->max_steps > 0)
    flag = ERKStepSetMaxNumSteps(s->package, p->max_steps);
  return flag;
}

static perp_status create(void **self, const smooth_problem *problem, perp_info *info) {
  *self = NULL;
  int32_t order = problem->order == 0 ? DEFAULT_ORDER : problem->order;
  if (order < LEAST_ORDER || order > HIGHEST_ORDER)
    return fail(info, PERP_EINVAL, "order", -1, order);
  sundials *s = calloc(1, sizeof *s);
  if (s == NULL) return fail(info, PERP_EBACKEND, "malloc", -1, (double)sizeof *s);
  s->first_order = order;
  perp_status status = perp_sundials_open(s, problem, &method, info);
  if (status == PERP_OK) status = perp_sundials_configured(s, configure(s), info);
  return perp_sundials_created(self, s, status, perp_sundials_destroy);
}

/* The step from begin again, as one of fixed length. */
static int step_again(sundials *s, double t) {
  memcpy(N_VGetArrayPointer(s->y), s->y0, (size_t)s->problem->n * sizeof(double));
  perp_sundials_tally(s);
  double now = t;
  int flag = restart(s, s->begin);
  if (flag >= 0) flag = ERKStepSetFixedStep(s->package, t - s->begin);
  if (flag >= 0) flag = ERKStepSetStopTime(s->package, t);
  if (flag >= 0) flag = one_step(s, t, &now);
  int back = ERKStepSetFixedStep(s->package, 0);
  s->fresh = 1;
  return flag < 0 ? flag : back;
}

static perp_status shorten(void *self, double t, double *y) {
  sundials *s = self;
  if (!(t > s->begin) || !(t <= s->full_end))
    return perp_smooth_outside(s->message, t, s->begin, s->full_end);
  size_t bytes = (size_t)s->problem->n * sizeof(double);
  if (t != s->end) {
    s->answer = s->not_finite = 0;
    int flag = step_again(s, t);
    if (flag < 0) {
      perp_status status = perp_sundials_refused(s, flag);
      (void)step_again(s, s->end); /* the step as it was */
      return status;
    }
    s->end = t;
    memcpy(s->y1, N_VGetArrayPointer(s->y), bytes);
  }
  memcpy(y, s->y1, bytes);
  return PERP_OK;
}

const perp_smooth *perp_smooth_arkode(void) {
  static const perp_smooth arkode =
      SUNDIALS_TABLE(0, "arkode", 1, 2, create, perp_sundials_destroy, shorten);
  return &arkode;
}
