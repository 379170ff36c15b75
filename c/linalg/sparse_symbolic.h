/* SPDX-License-Identifier: MIT */
/* What the pattern of a symmetric matrix tells of its Cholesky factor: an order, the columns that
 * are alike (supernodes), and where every entry goes. On the heap; in perp::perp only. */
#ifndef PERP_LINALG_SPARSE_SYMBOLIC_H
#define PERP_LINALG_SPARSE_SYMBOLIC_H

#include "perp/sparse.h"

/* Columns [first, first + cols) of L, which have the same rows below them: a trapezoid of
 * cols + rows rows, column-major. Its rows below are list[0 ... rows-1], ascending. */
typedef struct supernode {
  int32_t first, cols, rows;
  int32_t parent;   /* supernode of the first row below, -1: none */
  int32_t children; /* how many; the last is the supernode before */
  int32_t before;   /* the supernode before the first of its subtree, that is its elder sibling, if
                       it has one */
  size_t at;        /* its begin in the values of L               */
  size_t list;      /* and of its rows in rows                    */
} supernode;

typedef struct sparse_symbolic {
  int32_t n, count;
  int32_t *start, *index; /* the pattern that this is of                                  */
  int32_t *place;         /* n: where row i of the matrix stands in L                     */
  supernode *node;        /* count, children before their parents, in the order of a stack */
  int32_t *rows;
  size_t *target;  /* start[n]: where in the values of L an entry is added; places for what is
                      right of the diagonal */
  int32_t *origin; /* n: entry of the diagonal, -1 if there is none                        */
  size_t places;   /* of L                                                                 */
  size_t stack;    /* doubles that the update matrices need at once                        */
  int32_t most;    /* rows of the largest supernode, its columns among them                */
  double flops;    /* multiply-adds of a factorisation                                     */
} sparse_symbolic;

/* The symbolic factor of a pattern (compressed rows; what is right of the diagonal is not looked
 * at), NULL if there is no memory. */
sparse_symbolic *perp_symbolic_new(int32_t n, const int32_t *start, const int32_t *index);

void perp_symbolic_free(sparse_symbolic *s);

#endif
