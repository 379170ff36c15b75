/* SPDX-License-Identifier: MIT */
/* That a cell of the enumeration, or all cells below a tableau, hold no solution, shown from M and
 * q themselves: the tableau only says which combination of equations to look at. See farkas.h for
 * what is shown. */
#ifndef PERP_SOLVER_CELLS_PROOF_H
#define PERP_SOLVER_CELLS_PROOF_H

#include "problem/total.h"
#include "solver/cells.h"

typedef struct cells_proof {
  const perp_problem *problem;
  const double *lower, *upper; /* n: the problem's                                      */
  const double *A;             /* n x n: M in the units of the cells                    */
  wide_number hat;
  double bound;        /* least ||lambda||_1 of a solution in what was refuted so far */
  double *B;           /* n x n                                                       */
  double *z, *d;       /* n                                                           */
  double *scratch;     /* 6 n                                                         */
  int32_t *eq, *basic; /* n: y_i that are 0 or a column; eliminated lambda_i          */
  int32_t *pivots;     /* n                                                           */
} cells_proof;

void perp_cells_proof_carve(cells_proof *p, arena *a, int32_t n);

/* Begin with nothing refuted. problem, lower, upper and A are filled in. */
void perp_cells_proof_open(cells_proof *p);

/* Whether the row that perp_cells_possible() or perp_cells_point() refused t for shows that there
 * is no solution below t, or none worth the name. */
int perp_cells_refuted(cells_proof *p, const cells *s, const tableau *t);

#endif
