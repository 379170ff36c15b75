/* SPDX-License-Identifier: MIT */
/* Dense systems that may be singular but consistent: elimination with complete pivoting, in which
 * rows beyond the rank are left out and their unknowns are 0. Rows and columns are scaled to
 * largest entries of 1 first, so that units and masses far apart do not look like dependence. */
#ifndef PERP_EVENTS_RANK_H
#define PERP_EVENTS_RANK_H

#include <stdint.h>

#include "base/arena.h"

typedef struct rank_factor {
  int32_t n, rank, room;
  double *A;                        /* n x n, column-major: filled by the caller, then the factor */
  double *row_scale, *column_scale; /* what A was multiplied by                            */
  double *work;
  int32_t *row, *column; /* pivots */
} rank_factor;

/* Room for n x n. */
void perp_rank_carve(arena *a, rank_factor *f, int32_t n);
/* Factorise A (n x n); pivots below tolerance times the first one end it. Answers 0, or -1 if A is
 * not finite. */
int32_t perp_rank_factorise(rank_factor *f, double tolerance);
/* b := x with A x = b, as far as the rank goes. */
void perp_rank_solve(const rank_factor *f, double *b);

#endif
