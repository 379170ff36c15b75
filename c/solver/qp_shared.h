/* SPDX-License-Identifier: MIT */
/* What the entry points for quadratic programs have in common. */
#ifndef PERP_SOLVER_QP_SHARED_H
#define PERP_SOLVER_QP_SHARED_H

#include "linalg/dual_set.h"
#include "problem/qp.h"

/* Check the program, the outputs, and that entries are finite. */
perp_status perp_qp_open(const perp_qp *qp, const double *x, const double *nu, const double *zeta,
                         perp_info *info);

/* PERP_EINVAL unless P is symmetric up to rounding: P w and P'w are compared for a w without
 * structure. scratch: 4 n. */
perp_status perp_qp_check_symmetric(const perp_qp *qp, double *scratch, perp_info *info);

/* Where 0 is feasible, or c is 0, the solution may be x = 0 or multipliers of 0 but for rounding,
 * and beside itself noise is never small. So a point that was refused is asked again with zeros
 * there: in x, in the multipliers, in both, in those multipliers that add nothing to c; the last
 * time, QP_ZEROS, as it was. */
enum { QP_ZERO_X = 1, QP_ZERO_MULTIPLIERS = 2, QP_ZERO_NOISE = 4, QP_ZEROS = 5 };

/* Whether status is one that a point with other zeros may change. */
static inline int qp_is_refused(perp_status status) {
  return status == PERP_MAX_ITER || status == PERP_RAY || status == PERP_INACCURATE;
}

/* What the sum says is 0 := 0; with x also the multipliers of all other sides than 0. */
void perp_qp_put_zeros(const perp_qp *qp, int32_t zeros, double *x, double *nu, double *zeta);

/* Judge the point; info gets the numbers. PERP_OK stays if the residual confirms it, and becomes
 * PERP_INACCURATE if not; a limit becomes PERP_OK if it does. amplification: how much larger the
 * terms at the point are than what does not depend on it. */
perp_status perp_qp_confirm(const perp_qp *qp, double tol, perp_status status, const double *x,
                            const double *nu, const double *zeta, double *scratch,
                            double *amplification, perp_info *info);

/* Run the dual active set, passing over constraints that depend on others and are missed by less
 * than a part hair of their terms. */
perp_status perp_qp_dual_settle(dual_set *s, double hair);

/* The same; a constraint that is missed by a part tol of its terms, or by a hair
 * that no proof confirms, depends on others and is left to the judge. PERP_INFEASIBLE: ray (m) is a
 * proof for this program. */
perp_status perp_qp_dual_run(dual_set *s, const perp_qp *constraints, double tol, double *ray,
                             double *scratch);

/* Set entries to 0 that are noise beside the largest. A ray that proves nothing for their sake may
 * do without them. Returns whether there were any. */
int perp_qp_drop_noise(int32_t n, double *ray);

/* Hand over the ray (d, r); either may be NULL for 0. scratch: n + m. */
void perp_qp_hand_ray(const perp_qp *qp, const double *d, const double *r, double *scratch,
                      perp_info *info);

#endif
