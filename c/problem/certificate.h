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

/* The bound, > 0, if u shows of a checked problem (sets FREE, ORTHANT, BOX, CONE, ROLLING) what
 * PERP_INFEASIBLE means, else 0: every solution, if there is any at all, has ||lambda||_1 >= bound
 * and an amplification A >= 2^30; if the bound is infinite, there is none for certain. With
 *   scale = || |M||lambda| + |q| ||_inf,   hat = || |M| lambda^ + |q| ||_inf,   A = scale / hat
 * lambda^_i is |lambda_i| where both bounds are finite and that of the point next to 0 elsewhere, 0
 * at contacts. u must lie in C exactly. NaN and infinity prove nothing. */
double perp_certificate_proves(const perp_problem *problem, const double *u, double *scratch);

/* Of a u that proves: a part of the hat that no point misses the problem by less than. At a lambda
 * in K with d'(M lambda + q) <= -m some -y_i with d_i > 0, or y_i with d_i < 0, is >= m / |d|_1,
 * and this is r_i there, as the bound on that side is infinite. A point outside K lies r_j / c_j
 * from it at most, so that it has n + 1 times less. 0 where rounding leaves nothing. */
double perp_certificate_margin(const perp_problem *problem, const double *u, double *scratch);

/* perp_certificate_project() and then perp_certificate_proves() for the problem of one block of
 * complementarity and a dense M. */
double perp_certificate_lcp(int32_t n, const double *M, int32_t ld, const double *q, double *u);

#endif
