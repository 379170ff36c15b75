/* SPDX-License-Identifier: MIT */
/* Lemke's path for a dense M by principal pivots: with z0 as a parameter, the basic variables of a
 * set B of z are  x = qb + z0 db,  and one factor of the rows M_.B is all that is kept of M. It
 * takes the pivots of the dictionary (dictionary.h), and hands over to it where a principal pivot
 * is too small to be divided by. */
#ifndef PERP_SOLVER_LEMKE_PATH_H
#define PERP_SOLVER_LEMKE_PATH_H

#include "perp/solver.h"

typedef struct lemke_path {
  int32_t n, k;        /* unknowns, size of B                                          */
  size_t ld;           /* column stride of M                                           */
  const double *M, *d; /* the caller's; d NULL: ones                                   */
  double *F;           /* n x n, column-major, k columns in use                        */
  double *qb, *db;     /* n each: of the basic variables, by place                     */
  double *tiny;        /* n: size up to which an entry of db is rounding               */
  double *x, *y, *t;   /* n each: scratch                                              */
  int32_t *name;       /* n: pair at a place; the first k places are B, as it grew     */
  int32_t *at;         /* n: scratch, place of a pair                                  */
  double z0, z0_first; /* now, and the largest so far                                  */
} lemke_path;

/* Begin with B empty, in n x n + 5 n doubles and 4 n integers (8-byte aligned). 0: q is not
 * finite. */
int perp_lemke_path_open(lemke_path *p, const perp_matrix *M, const double *q, const double *d,
                         double *F, int32_t *names);

/* Place of the variable that leaves when z0 enters; -1 if q >= 0. */
int32_t perp_lemke_path_first(lemke_path *p);

/* Exchange the pair at a place. Its new place; -1 if that pivot is refused: B is as it was. */
int32_t perp_lemke_path_exchange(lemke_path *p, int32_t place);

/* Place that blocks when the variable at this place grows, n: z0 itself, -1: none. */
int32_t perp_lemke_path_next(lemke_path *p, int32_t entered);

/* Number of the basic variable at a place, as in the dictionary. */
static inline int32_t lemke_path_variable(const lemke_path *p, int32_t place) {
  return p->name[place] + (place < p->k ? p->n : 0);
}

/* modes (n) := PERP_MODE_FREE in B, LOWER elsewhere. */
void perp_lemke_path_modes(const lemke_path *p, unsigned char *modes);

/* z (n) := the point of B and z0. */
void perp_lemke_path_point(const lemke_path *p, double *z);

/* z (n) := the direction of the point as z0 rises. */
void perp_lemke_path_direction(const lemke_path *p, double *z);

/* z := the solution of M_BB z_B = -q_B with one step of refinement, w := M z + q before that step.
 * Whether it solves the problem beyond doubt. */
int perp_lemke_path_finish(lemke_path *p, const double *q, double *z, double *w);

#endif
