/* SPDX-License-Identifier: MIT */
/* The tableau of the enumeration. A cell is a choice of modes; on the way to it some are chosen.
 * The unknowns at bounds are constants then, and free ones are eliminated by their equation
 * y_i = 0 where a pivot can be found. What is left of  y = M λ + q  reads
 *   row = a + A (λ of the columns),
 * with one row for each y_i that was not used up and each λ_i that was eliminated, one column for
 * each λ_i that is not chosen yet, or free and not eliminated (its y_i is a row that must be 0).
 *
 * Units are those of M equilibrated by powers of two. E and e bound the errors of A and a to first
 * order, those of a relative error ε in M and q included. An entry of A that does not stand out
 * from its error is 0. */
#ifndef PERP_SOLVER_CELLS_H
#define PERP_SOLVER_CELLS_H

#include "base/arena.h"
#include "perp/solver.h"
#include "problem/total.h"

typedef struct tableau {
  int32_t cols;
  int32_t *row;  /* n: i for y_i, -1 - i for λ_i */
  int32_t *col;  /* n: i for λ_i                 */
  double *A, *E; /* n x n, column-major         */
  double *a, *e; /* n                           */
} tableau;

typedef struct cells {
  int32_t n;
  double *R, *C;         /* n: y = R y', λ = C λ'                                 */
  double *lower, *upper; /* n: bounds in these units                              */
  unsigned char *mode;   /* n: of the unknowns that are chosen, others UNKNOWN    */
  double *low, *high;    /* n: ranges of the rows                                 */
  double *error;         /* n: their errors                                       */
  int32_t doubt;         /* whether a decision was near its rounding              */
  int32_t refused;       /* row for which a tableau was refused last,             */
  int32_t too_small;     /* and whether that is below what it must be             */
} cells;

void perp_cells_carve(cells *s, arena *a, int32_t n);
void perp_tableau_carve(tableau *t, arena *a, int32_t n);
void perp_tableau_copy(const cells *s, const tableau *from, tableau *to);

/* t := the problem with no mode chosen, M in t->A. lower and upper are scaled in place. */
void perp_cells_open(cells *s, tableau *t, const perp_matrix *M, const double *q);

/* Unknown i, whose mode was just chosen, at that bound or free. */
void perp_cells_choose(const cells *s, tableau *t, int32_t i);

/* Whether the cells below this tableau may hold a solution: no row is out of what it must be in,
 * whatever the columns are within their bounds. */
int perp_cells_possible(cells *s, const tableau *t);

/* lambda (n) := a point of the cell t, all modes chosen and possible; columns that are left span a
 * face, in which a feasible point is looked for (t is spoiled then; value: 2 n). It is shared if a
 * free unknown is at a bound, so that the cell with that mode has it too. */
enum { CELLS_NONE, CELLS_OWN, CELLS_SHARED };
int perp_cells_point(cells *s, tableau *t, double *value, double *lambda);

/* --- the proof ------------------------------------------------------------------------------- */

/* That a cell, or all cells below a tableau, hold no solution, shown from M and q themselves: the
 * tableau only says which combination of equations to look at. See farkas.h for what is shown. */
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
