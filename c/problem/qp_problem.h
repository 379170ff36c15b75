/* SPDX-License-Identifier: MIT */
/* What the solvers of quadratic programs share with the judge: bounds, checks, proofs. */
#ifndef PERP_PROBLEM_QP_PROBLEM_H
#define PERP_PROBLEM_QP_PROBLEM_H

#include "perp/qp.h"

typedef struct qp_interval {
  double lower, upper;
} qp_interval;

qp_interval perp_qp_row(const perp_qp *qp, int32_t k);
qp_interval perp_qp_bound(const perp_qp *qp, int32_t i);

/* Name the first entry of P, A, c that is not finite. */
perp_status perp_qp_check_finite(const perp_qp *qp, perp_info *info);

/* Largest |A_kj| of row k, to weigh a multiplier that may not be there. */
double perp_qp_row_weight(const perp_matrix *A, int32_t k);

/* Doubles of scratch for the three functions below. */
static inline size_t qp_scratch_doubles(int32_t n, int32_t m) {
  return 8 * ((size_t)n + (size_t)m);
}

/* perp_qp_judge() of a checked program. */
void perp_qp_residual_compute(const perp_qp *qp, const double *x, const double *nu,
                              const double *zeta, perp_qp_residual *out, double *scratch);

/* The bound, > 0, if r (m) proves that no x is feasible, and d (n) that the objective has no least
 * value, in the sense of perp_certificate_proves(); else 0. For r the rows are those of A x and of
 * the sides that r uses, for d those of P x + c - A'nu. */
double perp_qp_proves_infeasible(const perp_qp *qp, const double *r, double *scratch);
double perp_qp_proves_unbounded(const perp_qp *qp, const double *d, double *scratch);

#endif
