/* SPDX-License-Identifier: MIT */
/* The inequality behind every certificate: for d and a matrix G = [G_1 G_2 ...] whose products
 * with d are added one after the other,
 *
 *     d'(G lambda + q) < 0   for all lambda with lower <= lambda <= upper,
 *
 * and where only rounding is in the way, how large |lambda| would have to be. */
#ifndef PERP_PROBLEM_FARKAS_H
#define PERP_PROBLEM_FARKAS_H

#include "perp/matrix.h"

typedef struct farkas {
  int32_t rows, cols;
  const double *d, *q;                /* rows                                     */
  double *lower, *upper;              /* cols, filled by the caller               */
  double *sum, *rest, *lost, *weight; /* cols: G'd, as sums with error, see farkas.c */
  double terms;                       /* added to any of the sums, at most        */
} farkas;

static inline size_t farkas_doubles(int32_t cols) { return 6 * (size_t)cols; }

/* Begin with G = 0; scratch holds farkas_doubles(cols) and keeps lower and upper first. */
void perp_farkas_begin(farkas *s, int32_t rows, int32_t cols, const double *d, const double *q,
                       double *scratch);

/* G gets the columns of M (rows x M->cols) at col. */
void perp_farkas_add(farkas *s, const perp_matrix *M, int32_t col);

/* G := a dense matrix of its size. */
void perp_farkas_add_dense(farkas *s, const double *M, int32_t ld);

/* G gets the columns of -M' (M->cols = rows) at col. */
void perp_farkas_subtract_transpose(farkas *s, const perp_matrix *M, int32_t col);

/* lambda[col] bounds the norms of the groups of size unknowns behind it: of group k by mu[k]
 * lambda[col]. To be called after G is complete, with lower[col] = 0 and these unknowns free. */
void perp_farkas_fold(farkas *s, int32_t col, int32_t groups, int32_t size, const double *mu);

/* Least ||lambda||_1 for which the inequality may fail, from below; 0 if it fails anyway or a
 * number is not finite. */
double perp_farkas_bound(const farkas *s);

/* Whether it can fail only where |d|'|G||lambda| >= 2^30 (|d|'|q| + what finite bounds add), not at
 * all for a G that differs in each entry by a part 2^-42, and holds by more than such a change of q
 * and the bounds can make up for. */
int perp_farkas_beyond_doubt(const farkas *s);

/* The same where every lower is 0 and every upper infinite; neither is read. */
int perp_farkas_orthant_beyond_doubt(const farkas *s);

#endif
