/* SPDX-License-Identifier: MIT */
#include "events/smooth.h"

#include <math.h>
#include <stdio.h>

double perp_smooth_norm(const smooth_problem *p, const double *y, const double *x) {
  double sum = 0;
  for (int32_t i = 0; i < p->n; i++) {
    const double a = x[i] / (p->atol[i] + p->rtol * fabs(y[i]));
    sum += a * a;
  }
  return sqrt(sum / (double)p->n);
}

perp_status perp_smooth_outside(char *message, double t, double begin, double end) {
  (void)snprintf(message, SMOOTH_MESSAGE,
                 "t = %.17g is not within the last step, from %.17g to %.17g", t, begin, end);
  return PERP_EINVAL;
}

perp_status perp_smooth_stopped(char *message, double stop, double t) {
  (void)snprintf(message, SMOOTH_MESSAGE, "stop = %.17g is not after t = %.17g", stop, t);
  return PERP_EINVAL;
}
