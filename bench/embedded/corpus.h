/* SPDX-License-Identifier: MIT */
/* Random problems with the same bits everywhere, what a solve of each costs, and whether its answer
 * is one. */
#ifndef BENCH_EMBEDDED_CORPUS_H
#define BENCH_EMBEDDED_CORPUS_H

#include "perp/base.h"

#ifndef CORPUS_TOLERANCE
#define CORPUS_TOLERANCE 1e-9
#endif

/* Number k of a sequence of problems of n unknowns: M = B B^T / n + 0.1 I with entries of B uniform
 * in [-1, 1], so positive definite; if skew, every other one plus S - S^T with the same entries, so
 * not symmetric; q uniform in [-1, 1]. M is n x n by columns. */
void corpus_lcp(uint32_t k, int32_t n, int skew, double *M, double *q);

/* Contacts of `size` components, 2 or 3, the normal first, of bodies that hang together: M = H H^T
 * / n + 0.01 I, H random of size * contacts rows and two columns more; approaching velocities q.
 * Returns the coefficient of friction. */
double corpus_friction(uint32_t k, int32_t contacts, int32_t size, double *M, double *q);

/* Whether |min(z_i, (M z + q)_i)| <= CORPUS_TOLERANCE (1 + |M z| + |q|), for every i. */
int corpus_lcp_solved(int32_t n, const double *M, const double *q, const double *z);

/* Whether every contact takes off, sticks or slips, each condition to 100 CORPUS_TOLERANCE of the
 * largest numbers.
 */
int corpus_friction_solved(int32_t contacts, int32_t size, double mu, const double *M,
                           const double *q, const double *r);

/* What a solver took for the problems of one size. */
typedef struct corpus_costs {
  uint32_t problems, solved, count[100000]; /* instructions of each */
} corpus_costs;

/* Write n, problems, solved, median and maximum of the instructions, stack and work as notes. */
void corpus_report(int32_t n, corpus_costs *costs, uint32_t stack, size_t work);

#endif
