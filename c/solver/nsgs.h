/* SPDX-License-Identifier: MIT */
/* The parts of nonsmooth Gauss–Seidel: M packed for sweeps, and the sweeps. */
#ifndef PERP_SOLVER_NSGS_H
#define PERP_SOLVER_NSGS_H

#include "base/arena.h"
#include "linalg/envelope.h"
#include "perp/sweeps.h"
#include "problem/contacts.h"

/* How the rows of the contacts are packed. */
enum {
  NSGS_SPACE = 0,   /* every contact is friction in space: 3x3 blocks, two by two                */
  NSGS_PLANE = 1,   /* every contact is friction in the plane: 2x2 blocks                        */
  NSGS_COLUMNS = 2, /* columns as high as the contact                                            */
  NSGS_ENTRIES = 3  /* entry by entry, where columns would take too much memory                  */
};

/* Row of one contact a: what Σ M_ab λ_b over the others needs, and the local problem. */
typedef struct nsgs_row {
  size_t value;  /* where its values begin                                                  */
  size_t index;  /* where the first unknowns of what they multiply begin                    */
  size_t local;  /* where its prepared local problem begins, in doubles                     */
  int32_t count; /* pairs of blocks (space), blocks (plane), columns, or entries of all rows */
  int32_t begin; /* first unknown of the contact                                            */
  double weight; /* mean diagonal entry of its own block, as the local problem has it       */
} nsgs_row;

typedef struct nsgs {
  const perp_problem *problem;
  perp_nsgs_options options;
  int32_t n, count;  /* unknowns, contacts                                         */
  int32_t pack;      /* NSGS_SPACE ...                                             */
  contact *contacts; /* count, in the order of the rows                            */
  nsgs_row *rows;    /* count                                                      */
  double *values;    /* capacity: the packed rows                                  */
  int32_t *index;    /* places                                                     */
  int32_t *ends;     /* NSGS_ENTRIES: entries of each row of M, n                  */
  double *locals;    /* prepared local problems                                    */
  size_t capacity, places;
  double *lambda;        /* n: the caller's                                       */
  double *q;             /* n: q − ρ c                                            */
  double *lower, *upper; /* n                                                     */
  double *w, *r, *trial; /* n: of local problems of more than 5 unknowns          */
  double *own;           /* block of one contact                                  */
  double *spare;         /* of projections that need memory                       */
  double rho;            /* as it is added to M                                   */
  double rest;           /* a contact that moves less may sleep                   */
  int32_t *asleep;       /* count: sweeps for which a contact is still left out   */
  int32_t *order;        /* count: shuffled rows                                  */
  row_reader reader;     /* of the caller's M                                     */
  int32_t *slot;         /* n: where a column stands in the row that is packed; -1 */
} nsgs;

/* Doubles for the prepared local problems of a shape. */
size_t perp_nsgs_local_doubles(const perp_shape *shape);

/* Doubles for that of one contact. */
size_t perp_nsgs_local_size(const contact *c);

/* Pack M into the order of s->contacts: rows, values, index, locals. diagonal: M_ii of all.
 * PERP_INFEASIBLE: row *row of M is zero where the law cannot bear q. */
perp_status perp_nsgs_pack(nsgs *s, const double *diagonal, int32_t *row);

/* Prepare the local problem of contact c with the block D (column-major) at out. */
void perp_nsgs_prepare(const contact *c, const double *D, double *out);

/* Solve y = D λ + q of one contact; lambda: in the old one, out the new one. */
void perp_nsgs_solve(const nsgs *s, const contact *c, double *local, const double *q,
                     double *lambda);

/* Solve the contacts at the places first ... last-1 one after the other, or from the last to the
 * first; order (NULL: as packed) says which row stands at which place. The largest change of a
 * contact times its weight, NaN if there is one. */
double perp_nsgs_sweep(const nsgs *s, int32_t first, int32_t last, int backward,
                       const int32_t *order);

#endif
