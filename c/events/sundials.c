/* SPDX-License-Identifier: MIT */
#include "events/sundials.h"

#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"

typedef char realtype_is_double[sizeof(realtype) == sizeof(double) ? 1 : -1];

perp_status perp_sundials_open(sundials *s, const smooth_problem *problem,
                               const sundials_method *method, perp_info *info) {
  if (problem->n < 1) return fail(info, PERP_EINVAL, "n", -1, problem->n);
  size_t n = (size_t)problem->n;
  s->problem = problem;
  s->method = method;
  if (SUNContext_Create(NULL, &s->context) != 0)
    return fail(info, PERP_EBACKEND, "malloc", -1, (double)n);
  s->y = N_VNew_Serial(problem->n, s->context);
  s->rate = N_VNew_Serial(problem->n, s->context);
  s->atol = N_VNew_Serial(problem->n, s->context);
  s->refused_at = -HUGE_VAL;
  s->y0 = s->memory = calloc(2 * n, sizeof *s->memory);
  if (s->y == NULL || s->rate == NULL || s->atol == NULL || s->y0 == NULL)
    return fail(info, PERP_EBACKEND, "malloc", -1, (double)n);
  s->y1 = s->y0 + n;
  memcpy(N_VGetArrayPointer(s->atol), problem->atol, n * sizeof *problem->atol);
  memset(N_VGetArrayPointer(s->y), 0, n * sizeof(double));
  s->fresh = 1;
  return PERP_OK;
}

/* Harmless on what perp_sundials_open() left half done. */
void perp_sundials_destroy(void *self) {
  sundials *s = self;
  if (s == NULL) return;
  if (s->package != NULL) s->method->release(&s->package);
  if (s->linear != NULL) (void)SUNLinSolFree(s->linear);
  if (s->matrix != NULL) SUNMatDestroy(s->matrix);
  perp_sundials_forget(&s->pattern);
  if (s->y != NULL) N_VDestroy(s->y);
  if (s->rate != NULL) N_VDestroy(s->rate);
  if (s->atol != NULL) N_VDestroy(s->atol);
  if (s->context != NULL) (void)SUNContext_Free(&s->context);
  free(s->memory);
  free(s);
}

perp_status perp_sundials_check(const smooth_problem *problem, int32_t highest, perp_info *info) {
  if (problem->order < 0 || problem->order > highest)
    return fail(info, PERP_EINVAL, "order", -1, problem->order);
  if (problem->linear < PERP_LINEAR_AUTO || problem->linear > PERP_LINEAR_SPARSE)
    return fail(info, PERP_EINVAL, "linear", -1, problem->linear);
  return PERP_OK;
}

perp_status perp_sundials_configured(const sundials *s, int flag, perp_info *info) {
  return flag == 0 ? PERP_OK : fail(info, s->method->status(flag), "smooth", -1, flag);
}

perp_status perp_sundials_created(void **self, void *made, perp_status status,
                                  void (*destroy)(void *)) {
  if (status == PERP_OK)
    *self = made;
  else
    destroy(made);
  return status;
}

void perp_sundials_error(int code, const char *module, const char *function, char *words,
                         void *message) {
  if (code > 0) return; /* warnings: the step went on */
  (void)snprintf(message, SMOOTH_MESSAGE, "%s, %s: %s", module, function, words);
}

int perp_sundials_rhs(double t, N_Vector y, N_Vector ydot, void *user) {
  sundials *s = user;
  const smooth_problem *p = s->problem;
  double *slope = N_VGetArrayPointer(ydot);
  if (s->answer < 0) return s->answer; /* it gave up in this step: fixed-point iterations go on */
  s->counts.evaluations++;
  int32_t answer = p->rhs(p->context, t, N_VGetArrayPointer(y), slope);
  int32_t not_finite = answer == 0 && !all_finite((size_t)p->n, slope);
  if (not_finite) answer = 1;
  if (answer != 0) {
    s->answer = answer;
    s->not_finite = not_finite;
    s->refused_at = t;
    s->refused_as_nan = not_finite;
  }
  return answer;
}
