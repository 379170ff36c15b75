/* SPDX-License-Identifier: MIT */
/* What the exact solutions of one contact share: the block brought to a common scale, the best
 * point so far with its error, and the ways to find points. */
#ifndef PERP_PROBLEM_ONE_CONTACT_EXACT_H
#define PERP_PROBLEM_ONE_CONTACT_EXACT_H

#include <string.h>

#include "base/finite.h"
#include "problem/one_contact.h"

/* One block. The tangential components come in parts of equal size (friction: one part, rolling:
 * two), part k bounded by ||r_k|| <= mu[k] r_n. W and q are the caller's times powers of two, so
 * that their largest entries are in [1, 2); r = unit r_caller. */
typedef struct contact_block {
  int32_t size, parts, half;
  double mu[2];
  double W[25], q[5]; /* stride size */
  double norm;        /* ||W||_F, 1 if that is 0 */
  double unit;
  double best[5]; /* the best point, in the block's scale */
  int rough;      /* velocities in doubles, for sweeps */
  double error;   /* of it, perp_contact_error(); infinity before the first point */
  double *left;   /* multiply-adds that are left, for all copies of a block */
} contact_block;

/* PERP_OK; PERP_EINVAL, PERP_ENOTFINITE. *left is counted down. */
perp_status perp_contact_block_open(contact_block *b, int32_t size, int32_t parts, const double *W,
                                    int32_t ld, const double *q, const double *mu, double *left);

/* r := the best point in the caller's scale, and what its error means. */
perp_status perp_contact_block_close(contact_block *b, double *r);

/* How far r (block's scale) is from passing the tests of contact.h, which are 1e-12 of this, in
 * twice the precision; infinity if it is none. */
double perp_contact_error(const contact_block *b, const double *r);

/* Judge r and keep it if it is better than what there was. */
void perp_contact_consider(contact_block *b, const double *r);

/* y = W r + q, rounded once. */
void perp_contact_velocity(const contact_block *b, const double *r, double *y);

/* Consider r = -W^-1 q by elimination with complete pivoting, where pivots below tiny times the
 * largest are dropped, and its refinements; W may be singular. */
void perp_contact_stick(contact_block *b, double tiny);

/* x -= A^+ y for A (n x n, stride n, n <= 5) by the same elimination, no pivot dropped but 0. */
void perp_contact_eliminate(int32_t n, const double *A, const double *y, double *x);

/* Where a part is on its bound the rounding of r leaves ||r_k|| next to mu_k r_n, and c times the
 * distance is far above the last bit of u if W is weak in these directions. Search the neighbours
 * of the best point for one that is closer. */
void perp_contact_settle(contact_block *b);

/* Newton's method with line search on the map of Alart and Curnier from r, and projections with the
 * map of the residual from r: for blocks for which no case fits. Both consider what they reach. */
void perp_contact_newton(contact_block *b, const double *r);
void perp_contact_project(contact_block *b, const double *r);

/* Proximal points: the same problem with W + D about the point before, D a small diagonal, which
 * `cases` solves. Their limit is a solution near 0 where W is singular and the cases say nothing.
 */
void perp_contact_approach(contact_block *b, void (*cases)(contact_block *));

/* Newton's method in doubles until it hardly moves, without judging; whether r was moved there. */
int perp_contact_newton_rough(const contact_block *b, double *r);

/* For a given normal force, which leaves a monotone problem in the tangential entries of r
 * with one solution if W is positive definite. Whether r was moved there. */
int perp_contact_newton_given(const contact_block *b, double normal, double *r);

/* Good enough to look no further. */
static inline int contact_done(const contact_block *b) { return b->error <= 4e-16; }

/* A map, its derivative, or a point's error in twice the precision. */
static inline void contact_charge(const contact_block *b) { *b->left -= 25.0 * b->size * b->size; }

/* Whether to try another case, or go on with this one. */
static inline int contact_unsure(const contact_block *b, double tol) {
  return b->error > tol && *b->left > 0;
}

/* Good enough not to look among the neighbours. */
static inline int contact_settled(const contact_block *b) { return b->error <= 4e-15; }

/* All directions (at most 16) in which the polynomial of a contact in space is 0 or touches 0. */
int perp_contact_circle_zeros(const contact_circle *k, double d[16][2]);

#endif
