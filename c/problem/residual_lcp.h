/* SPDX-License-Identifier: MIT */
/* The residual of complementarity with a dense M, and those of its parts that the residual of all
 * laws is made of: who judges an LCP in plain arrays needs no laws and no other kind of matrix. */
#ifndef PERP_PROBLEM_RESIDUAL_LCP_H
#define PERP_PROBLEM_RESIDUAL_LCP_H

#include "base/finite.h"
#include "perp/problem.h"

/* A largest r, and where. */
typedef struct residual_maximum {
  double r;
  int32_t at;
} residual_maximum;

/* Rounding decides about the order of the r of a solution, so nothing branches on it. */
static inline void residual_raise(residual_maximum *m, int32_t i, double r) {
  m->at = r > m->r ? i : m->at;
  m->r = r > m->r ? r : m->r;
}

static inline double residual_positive(double norm) { return norm > 0 ? norm : 1; }

/* Sign bit set where the square of a norm has left the range in which sqrt gives all bits: below
 * 2^-970 (0 among them) it has lost some, above 2^1000 it may have overflowed, or it is NaN. As
 * bits, so that a loop over it vectorises. */
static inline uint64_t residual_out_of_range(double square) {
  uint64_t bits = bits_of(square);
  return (bits - bits_of(0x1p-970)) | (bits_of(0x1p1000) - bits);
}

/* a / b, 0/0 = 0 */
static inline double residual_ratio(double a, double b) { return a == 0 && b == 0 ? 0 : a / b; }

/* A, 1 where scale and hat are 0. */
static inline double residual_amplification(const perp_residual *r) {
  return r->scale == r->hat ? 1 : r->scale / r->hat;
}

/* What it says of the whole problem. */
static inline void residual_tell(const perp_residual *r, perp_info *info) {
  info->residual = r->residual;
  info->relative_residual = r->relative;
  info->amplification = residual_amplification(r);
  info->worst = r->worst;
}

/* max |x_i|, NaN if there is one. */
double perp_residual_largest(int32_t n, const double *x);

/* y := q, rows := |q|, norm := 0, n each; the largest row. */
double perp_residual_begin(int32_t n, const double *q, double *y, double *rows, double *norm);

/* norm (n): from squares to norms. Whether one is out of range. */
int perp_residual_norms(int32_t n, double *norm);

/* After perp_residual_begin(): y += M lambda, rows += |M||lambda|, norm := of the columns. */
void perp_residual_dense(int32_t n, const double *M, int32_t ld, const double *lambda, double *y,
                         double *rows, double *norm);

/* The components begin ... end - 1 of the orthant: m := the largest r of it and them. */
void perp_residual_orthant(int32_t begin, int32_t end, const double *norm, const double *lambda,
                           const double *y, residual_maximum *m);

/* Doubles of scratch for n unknowns. */
static inline size_t residual_lcp_doubles(int32_t n) { return 2 * (size_t)n; }

/* As perp_residual_compute() for the problem of one block of complementarity and a dense M, but for
 * denormal numbers, which it takes as products round them. */
void perp_residual_lcp(int32_t n, const double *M, int32_t ld, const double *q,
                       const double *lambda, double *y, perp_residual *residual, double *scratch);

#endif
