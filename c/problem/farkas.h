/* SPDX-License-Identifier: MIT */
/* The inequality behind every certificate: for d and a matrix G = [G_1 G_2 ...] whose products
 * with d are added one after the other,
 *
 *     d'(G lambda + q) < 0   for all lambda with lower <= lambda <= upper,
 *
 * and where only rounding is in the way, how large lambda would have to be. Neither units nor the
 * length of d count, and no number is too large or too small. Zeros of d and G are skipped and the
 * others taken by ascending rows, so that the answer does not depend on how G is stored. */
#ifndef PERP_PROBLEM_FARKAS_H
#define PERP_PROBLEM_FARKAS_H

#include "perp/matrix.h"
#include "problem/total.h"

typedef struct farkas_part {
  const perp_matrix *M;
  int32_t col, sign; /* sign = -1: its negative transpose */
} farkas_part;

typedef struct farkas {
  int32_t rows, cols;
  const double *d, *q;               /* rows                                             */
  const double *weight;              /* rows, > 0: what rows are judged by; NULL: 1      */
  double *lower, *upper;             /* cols, filled by the caller                       */
  double *sum, *rest, *error, *unit; /* cols: G'd, see farkas.c                          */
  double floor;                      /* of factors instead of d; -1: none                */
  int32_t parts;
  farkas_part part[2]; /* of G                                             */
} farkas;

static inline size_t farkas_doubles(int32_t cols) { return 6 * (size_t)cols; }

/* Begin with no columns; scratch holds farkas_doubles(cols) and keeps lower and upper first. */
void perp_farkas_begin(farkas *s, int32_t rows, int32_t cols, const double *d, const double *q,
                       double *scratch);

/* G gets the columns of M (rows x M->cols) at col, once. M is read again by perp_farkas_proof(). */
void perp_farkas_add(farkas *s, const perp_matrix *M, int32_t col);

/* G gets the columns of -M' (M->cols = rows) at col, once. */
void perp_farkas_subtract_transpose(farkas *s, const perp_matrix *M, int32_t col);

/* lambda[col] bounds the norms of the groups of size unknowns behind it: of group k by mu[k]
 * lambda[col]. To be called after G is complete, with lower[col] = 0 and these unknowns free. */
void perp_farkas_fold(farkas *s, int32_t col, int32_t groups, int32_t size, const double *mu);

/* Least ||lambda||_1 for which the inequality may fail, from below; 0 if it fails anyway or a
 * number is not finite. */
double perp_farkas_bound(const farkas *s);

/* H = max_k weight_k (|M| hat + |q|)_k with the largest hat: |lambda| where both bounds are finite,
 * else that of the point of [lower, upper] next to 0. M holds the first columns of G, and those of
 * the others count nothing. NaN where it overflows. To be called before G is added; size: rows, may
 * be s->sum. */
wide_number perp_farkas_hat(const farkas *s, const perp_matrix *M, double *size);

/* perp_farkas_bound(), and 0 unless the inequality cannot fail at all (infinity) or only where
 * max_k weight_k (|G||lambda| + |q|)_k >= 2^30 H. To be called last: spoils what is in scratch. */
double perp_farkas_proof(farkas *s, wide_number hat);

/* What a proof leaves for points that nearly solve: every lambda within its bounds that is too
 * small for perp_farkas_bound() has a k with  -weight_k (G lambda + q)_k >= margin H. 0 if there is
 * none.
 */
double perp_farkas_margin(const farkas *s, wide_number hat);

/* perp_farkas_proof() where every lower is 0, every upper infinite, and G a dense n x n matrix. */
double perp_farkas_orthant(int32_t n, const double *M, int32_t ld, const double *q,
                           const double *d);

#endif
