/* SPDX-License-Identifier: MIT */
/* A small problem with contacts as as many equations as unknowns, in units in which its numbers are
 * of size one. With powers of two ρ_i, the same for all rows of a contact, and τ
 *
 *   y' = τ ρ y,   λ = (ρ / τ) x,   W' = ρ W ρ,   q' = τ ρ q,   so that   y' = W' x + q',
 *
 * and the diagonal blocks of W' and max |q'| are of size one. (Units may differ by 2^±60 from
 * contact to contact.) The equations are natural maps, for any a > 0 of each part,
 *
 *   φ_n = min(y_n, a x_n),   φ_t = a x_t − P(a x_t − y_t),   P on ‖z‖ <= a μ x_n⁺,
 *
 * and those of intervals. Their kinks are rounded off in a width e, min(u, v) being
 * (u + v − √((u − v)² + 4 e²)) / 2: with e > 0 they are smooth, with e = 0 their zeros are the
 * solutions. Source: Chen, Mangasarian, Comput. Optim. Appl. 5 (1996) 97-138. */
#ifndef PERP_PORTFOLIO_CONTACT_EQUATIONS_H
#define PERP_PORTFOLIO_CONTACT_EQUATIONS_H

#include "base/arena.h"
#include "problem/contacts.h"

typedef struct contact_equations {
  int32_t n, count;
  contact *contacts;     /* count                                          */
  double *W, *q;         /* n x n, column-major; n                         */
  double *unit;          /* ρ / τ                                          */
  double *lower, *upper; /* of intervals, in units of x                    */
  double *y;             /* of the point seen last                         */
  double *a;             /* to choose, at the first row of each part       */
  double width;          /* e, to choose                                   */
} contact_equations;

void perp_contact_equations_carve(contact_equations *e, arena *a, int32_t n);

/* Read a checked problem with intervals and contacts; 0: numbers leave the range. */
int perp_contact_equations_open(contact_equations *e, const perp_problem *problem);

/* phi (n) := the equations at x; J (n columns of stride ld, NULL: not wanted) := an element of
 * their generalised Jacobian. */
void perp_contact_equations_at(contact_equations *e, const double *x, double *phi, double *J,
                               int32_t ld);

/* The power of two next to the largest coefficient of a contact, at least 1. */
double perp_contact_equations_leverage(const contact *c);

#endif
