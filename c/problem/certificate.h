/* SPDX-License-Identifier: MIT */
/* Proofs that a problem of intervals and contacts has no solution, for solvers that found a
 * direction. */
#ifndef PERP_PROBLEM_CERTIFICATE_H
#define PERP_PROBLEM_CERTIFICATE_H

#include "perp/problem.h"

/* Doubles of scratch for n unknowns; no more than residual_scratch_doubles(n). */
static inline size_t certificate_scratch_doubles(int32_t n) { return 6 * (size_t)n; }

/* u := its projection on the recession cone C of K, where a certificate must lie: 0 where both
 * bounds are finite, no negative (positive) entry where only the lower (upper) one is. At
 * contacts only the normal stays, if positive. A ray that a method computed leaves C by rounding
 * only. scratch: 2 n. */
void perp_certificate_project(const perp_problem *problem, double *u, double *scratch);

/* Whether u proves that a checked problem (sets FREE, ORTHANT, BOX, CONE, ROLLING) has no solution,
 * or none worth the name: bound_wanted > 0:  every solution has ||lambda||_1 >= bound_wanted;
 *   bound_wanted = 0:  the rule for reporting PERP_INFEASIBLE, whatever the scaling of rows and
 *     columns: every solution has |u|'|M||lambda| >= 2^30 Q, with Q the sum of the magnitudes of
 *     the terms of u'q and of the finite bounds; a change of the entries of M by a part 2^-42 of
 *     each makes u an exact proof, and none of q and the bounds by such a part takes it away.
 * u must lie in C exactly. NaN and infinity prove nothing. */
int perp_certificate_proves(const perp_problem *problem, const double *u, double *scratch,
                            double bound_wanted);

/* As perp_certificate_project() and then perp_certificate_proves(.., 0) for the problem of one
 * block of complementarity and a dense M. scratch: certificate_scratch_doubles(). */
int perp_certificate_lcp(int32_t n, const double *M, int32_t ld, const double *q, double *u,
                         double *scratch);

#endif
