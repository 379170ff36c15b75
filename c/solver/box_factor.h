/* SPDX-License-Identifier: MIT */
/* The matrix of a box problem in equilibrated units, M' = R^-1 M C with powers of two, and the
 * elimination of a set of unknowns from it: L U with the zeros left out, in place. Beside M' stand
 * two columns that follow every row operation: d, the covering vector, and g = q' + M' λ'_0, the y
 * of the reference point.
 *
 * Zeros are known by bits, 64 to a word, for each row and each column, so a step of the elimination
 * on a circuit costs what its nonzeros cost. */
#ifndef PERP_SOLVER_BOX_FACTOR_H
#define PERP_SOLVER_BOX_FACTOR_H

#include "base/arena.h"
#include "perp/solver.h"

/* Entries below this are zero where entries of size one have cancelled. */
#define BOX_ZERO 0x1p-44

typedef struct box_factor {
  int32_t n;
  int32_t words;         /* of 64 bits for n of them                                        */
  int32_t count;         /* unknowns eliminated                                             */
  double *W;             /* n x (n + 2), column-major: M', then d, then g. After the elimination
                            of row r with column c: U in row r, the multipliers of L in column c */
  double *R, *C;         /* n each                                                          */
  double *value;         /* n: multipliers of one step                                      */
  uint64_t *rows, *cols; /* n x words: where row i, column j is not zero            */
  uint64_t *open_rows;   /* words: rows and columns that are left                   */
  uint64_t *open_cols;
  int32_t *pivot_row, *pivot_col; /* n: of each step                                */
  int32_t *list;                  /* n: rows of one step                            */
  int32_t *size;                  /* 2 n: nonzeros of the rows, of the columns of M */
} box_factor;

/* Measure or place for n unknowns. */
void perp_box_factor_carve(box_factor *f, arena *a, int32_t n);

/* W := M' + shift I, nothing eliminated, d and g are left. 0 if an entry is not finite. */
int perp_box_factor_load(box_factor *f, const perp_matrix *M, double shift);

/* Eliminate the unknowns with chosen[i] != 0, as far as their block is regular; the columns of the
 * others follow if all is set. Returns how many are left over. */
int32_t perp_box_factor_eliminate(box_factor *f, const unsigned char *chosen, int all);

/* v := L^-1 v for a column v of n rows. */
void perp_box_factor_forward(const box_factor *f, double *v);

/* x of the eliminated unknowns from v = L^-1 (right-hand side), so that their rows of M' x + v are
 * 0; x holds the others, which count if all is set. */
void perp_box_factor_back(const box_factor *f, const double *v, double *x);

static inline double *box_column(const box_factor *f, int32_t j) {
  return f->W + (size_t)f->n * (size_t)j;
}

static inline int box_bit(const uint64_t *set, int32_t i) {
  return (int)(set[i >> 6] >> (i & 63) & 1u);
}

static inline void box_set(uint64_t *set, int32_t i) { set[i >> 6] |= UINT64_C(1) << (i & 63); }

static inline void box_clear(uint64_t *set, int32_t i) {
  set[i >> 6] &= ~(UINT64_C(1) << (i & 63));
}

/* Index of the lowest bit of a word that is not 0. */
static inline int32_t box_lowest(uint64_t x) {
#ifdef __GNUC__
  return __builtin_ctzll(x);
#else
  int32_t i = 0;
  for (int32_t half = 32; half > 0; half /= 2)
    if ((x & ((UINT64_C(1) << half) - 1)) == 0) {
      x >>= half;
      i += half;
    }
  return i;
#endif
}

#endif
