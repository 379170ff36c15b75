/* SPDX-License-Identifier: MIT */
/* One contact of a law that is no interval, y = D λ + q and (y, λ) in the law, by what the law's
 * table has. */
#ifndef PERP_SOLVER_LOCAL_LAW_H
#define PERP_SOLVER_LOCAL_LAW_H

#include "problem/contacts.h"

/* By the law's own solution or else by a few projected steps
 *
 *   λ := P(λ − ŷ / ‖D‖),  ŷ = shift(D λ + q).
 *
 * A fixed point of these is a solution, so one that ends early only slows sweeps down. D is size x
 * size, column-major; lambda: in the old one, out the new one; trial: size doubles; spare: what the
 * projection needs. *vain: attempts at the law's own solution before it is asked no more, counted
 * down where it has none; NULL: it is asked always. */
void perp_local_law_solve(const contact *c, const double *D, const double *q, double *lambda,
                          double *trial, double *spare, int32_t *vain);

#endif
