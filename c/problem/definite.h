/* SPDX-License-Identifier: MIT */
/* Whether M may come from mechanics at the contacts with friction. */
#ifndef PERP_PROBLEM_DEFINITE_H
#define PERP_PROBLEM_DEFINITE_H

#include "perp/problem.h"

/* The first law block of friction or rolling with a copy at which the symmetric part of the block
 * of M has an eigenvalue below -1e-5 of the block's norm; -1 if there is none. */
int32_t perp_problem_indefinite(const perp_problem *problem);

/* B (size x size, column-major) := the block of M at unknowns begin ... begin + size - 1. O(stored
 * entries of these rows) where M is dense, diagonal or compressed rows; hint as below. */
typedef struct block_reader {
  int32_t row;        /* block rows: the next one to look at  */
  const double *next; /* block rows: where its values begin   */
} block_reader;

static inline block_reader block_reader_open(const perp_matrix *M) {
  const block_reader r = {0, M->values};
  return r;
}

/* Copies must be asked for in ascending order with one reader. size <= 5. */
void perp_block_read(const perp_matrix *M, block_reader *reader, int32_t begin, int32_t size,
                     double *B);

#endif
