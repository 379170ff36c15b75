/* SPDX-License-Identifier: MIT */
/* Why a convex program has no solution: a search by a method of its own, whatever solver found
 * none.
 */
#ifndef PERP_SOLVER_QP_SEARCH_H
#define PERP_SOLVER_QP_SEARCH_H

#include "linalg/dual_set.h"
#include "perp/qp.h"

/* The dual set for the constraints and, in its last n rows, P. */
typedef struct qp_search {
  dual_set s;
  double *A, *c, *ray, *row_lower, *row_upper, *lower, *upper;
} qp_search;

qp_search perp_qp_search_carve(arena *a, const perp_qp *qp);

/* PERP_INFEASIBLE or PERP_UNBOUNDED where a proof was found, which info gets; else the status, but
 * for a PERP_INFEASIBLE that nothing proves. */
perp_status perp_qp_explain(qp_search *t, const perp_qp *qp, double tol, perp_status status,
                            double *scratch, perp_info *info);

#endif
