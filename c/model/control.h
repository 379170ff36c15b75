/* SPDX-License-Identifier: MIT */
/* Control T u as a part of a system; the operations answer as callbacks do. */
#ifndef PERP_MODEL_CONTROL_H
#define PERP_MODEL_CONTROL_H

#include "perp/control.h"

/* out := q ⊕ d, CONTROL_POSITIONS entries of q. */
typedef void (*control_move)(const double *q, const double *d, double *out);
enum { CONTROL_POSITIONS = 7, CONTROL_INCREMENTS = 6 };

/* What control is evaluated with. At order 1: q NULL, v = x, and the same for the sizes. */
typedef struct control_point {
  int32_t n;
  double t;
  const double *q, *v, *z;
  const double *typical_q, *typical_v;
  control_move move; /* of a q with another number of entries than v; NULL: q + d */
} control_point;

/* Doubles of scratch for n unknowns. */
size_t perp_control_doubles(const perp_control *control, int32_t n);

/* f += T u. */
int32_t perp_control_force(const perp_control *control, const control_point *at, double *f,
                           double *scratch);

/* df_dq += ∂(T u)/∂q (NULL at order 1), df_dv += ∂(T u)/∂v; at order 1 ∂(T u)/∂x. */
int32_t perp_control_jacobians(const perp_control *control, const control_point *at, double *df_dq,
                               double *df_dv, double *scratch);

/* Sizes, callbacks, T; order of the system. */
perp_status perp_control_check(const perp_control *control, int32_t n, int32_t order,
                               perp_info *info);

#endif
