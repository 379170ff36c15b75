/* SPDX-License-Identifier: MIT */
/* Operations that several kinds of laws share. */
#ifndef PERP_PROBLEM_LAW_KINDS_H
#define PERP_PROBLEM_LAW_KINDS_H

#include <float.h>
#include <string.h>

#include "base/field_table.h"
#include "base/info.h"
#include "perp/law.h"

/* law.c: R₊ by component */
void perp_orthant_project(const perp_law *law, const void *state, const double *x, double *p);
void perp_orthant_jacobian(const perp_law *law, const void *state, const double *x, double *J);
perp_status perp_orthant_local(const perp_law *law, const void *state, const double *M, int32_t ld,
                               const double *q, double *lambda);

/* law.c: laws that begin with a perp_box */
perp_status perp_box_check(const perp_law *law, perp_info *info);
void perp_box_bounds(const perp_law *law, double *lower, double *upper);
const perp_field *perp_box_fields(const perp_law *law);
void perp_box_project(const perp_law *law, const void *state, const double *x, double *p);
void perp_box_jacobian(const perp_law *law, const void *state, const double *x, double *J);
perp_status perp_box_local(const perp_law *law, const void *state, const double *M, int32_t ld,
                           const double *q, double *lambda);

/* newton_impact.c: e of Newton's impact law, which adds e ẏ⁻ by component to q; NULL of any other.
 */
const double *perp_newton_impact_e(const perp_law *law);

/* friction.c: laws that begin with a perp_friction */
const perp_field *perp_friction_fields(const perp_law *law);
void perp_friction_project(const perp_law *law, const void *state, const double *x, double *p);
void perp_friction_jacobian(const perp_law *law, const void *state, const double *x, double *J);
void perp_friction_shift(const perp_law *law, const void *state, const double *y, double *yhat);
perp_status perp_friction_within(const perp_law *law, const void *state, const double *M,
                                 int32_t ld, const double *q, double *lambda, double *work);
perp_status perp_friction_local(const perp_law *law, const void *state, const double *M, int32_t ld,
                                const double *q, double *lambda);

/* A finite number between least and most. */
static inline perp_status law_check_number(const char *name, double x, double least, double most,
                                           perp_info *info) {
  if (!(x >= -DBL_MAX && x <= DBL_MAX)) return fail(info, PERP_ENOTFINITE, name, -1, x);
  return x >= least && x <= most ? PERP_OK : fail(info, PERP_EINVAL, name, -1, x);
}

/* Zero a description of bytes bytes and set its head. */
static inline void law_set_head(perp_law *law, const perp_law_ops *ops, size_t bytes,
                                int32_t size) {
  memset(law, 0, bytes);
  law->ops = ops;
  law->struct_size = (uint32_t)bytes;
  law->size = size;
}

#endif
