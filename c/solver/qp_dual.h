/* SPDX-License-Identifier: MIT */
/* What the entry points for quadratic programs have in common, and the search for a proof that one
 * has no solution. */
#ifndef PERP_SOLVER_QP_DUAL_H
#define PERP_SOLVER_QP_DUAL_H

#include "linalg/dual_set.h"
#include "problem/qp_problem.h"

/* A program under way: where its answer goes, and what any method needs beside. */
typedef struct qp_task {
  const perp_qp *qp;
  double tol;
  double *x, *nu, *zeta; /* n, m, n: the caller's    */
  double *scratch;       /* qp_scratch_doubles(n, m) */
  perp_info *info;
} qp_task;

/* Check the program, the outputs, and that entries are finite. */
perp_status perp_qp_open(const qp_task *t);

/* PERP_EINVAL unless P is symmetric up to rounding: P w and P'w are compared for a w without
 * structure. */
perp_status perp_qp_check_symmetric(const qp_task *t);

/* Where 0 is feasible, or c is 0, the solution may be x = 0 or multipliers of 0 but for rounding,
 * and beside itself noise is never small. So a point that was refused is asked again with zeros
 * there: in x, in the multipliers, in both, in those multipliers that add nothing to c; the last
 * time, QP_ZEROS, as it was. */
enum { QP_ZERO_X = 1, QP_ZERO_MULTIPLIERS = 2, QP_ZERO_NOISE = 4, QP_ZEROS = 5 };

/* What the sum says is 0 := 0; with x also the multipliers of all other sides than 0. */
void perp_qp_put_zeros(const qp_task *t, int32_t zeros);

/* Write a method's point and multipliers, from its own data; what the zeros that come after make of
 * it may have a part in that. */
typedef void (*qp_reader)(const qp_task *t, const void *from, int32_t zeros);

/* Read the answer and judge it, with one set of zeros after the other; info gets the numbers.
 * PERP_OK stays if the residual confirms it, and becomes PERP_INACCURATE if not; a limit becomes
 * PERP_OK if it does. amplification: how much larger the terms at the point are than what does not
 * depend on it. */
perp_status perp_qp_answer(const qp_task *t, qp_reader read, const void *from, perp_status status,
                           double *amplification);

/* Why a convex program has no solution, by a method of its own: the dual set for the constraints
 * and, in its last n rows, P. */
typedef struct qp_search {
  dual_set s;
  double *A, *c, *ray, *row_lower, *row_upper, *lower, *upper;
} qp_search;

qp_search perp_qp_search_carve(arena *a, const perp_qp *qp);

/* PERP_INFEASIBLE or PERP_UNBOUNDED where a proof was found, which info gets; else the status, but
 * for a PERP_INFEASIBLE that nothing proves. */
perp_status perp_qp_explain(qp_search *search, const qp_task *t, perp_status status);

#endif
