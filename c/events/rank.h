/* SPDX-License-Identifier: MIT */
/* Dense systems that may be singular but consistent: elimination with complete pivoting, in which
 * rows beyond the rank are left out and their unknowns are 0. Rows and columns are scaled to
 * largest entries of 1 first, so that units and masses far apart do not look like dependence. A
 * matrix that is block diagonal but for the order of its rows is kept, and factorised, by parts. */
#ifndef PERP_EVENTS_RANK_H
#define PERP_EVENTS_RANK_H

#include <stdint.h>

#include "events/room.h"

typedef struct rank_factor {
  int32_t n, rank;
  int32_t parts;
  int32_t *order; /* n: rows, and columns, part by part           */
  int32_t *first; /* parts + 1: where each begins in order         */
  double *A;      /* parts one after another, column-major: filled by the caller, then the factor */
  double *row_scale, *column_scale; /* what A was multiplied by: this and the following as order */
  double *work;
  int32_t *row, *column; /* pivots, within their part */
  int32_t *ranks;        /* of the parts              */
} rank_factor;

/* Room for n x n. */
void perp_rank_carve(arena *a, rank_factor *f, int32_t n);
/* A matrix of one part, n x n. */
void perp_rank_whole(rank_factor *f, int32_t n);
/* Factorise A; pivots below tolerance times the first one of their part end it. Answers 0, or -1 if
 * A is not finite. */
int32_t perp_rank_factorise(rank_factor *f, double tolerance);
/* b := x with A x = b, as far as the rank goes. */
void perp_rank_solve(const rank_factor *f, double *b);
/* The rows and columns (rank each) that were pivots. */
void perp_rank_pivots(const rank_factor *f, int32_t *rows, int32_t *columns);

#endif
