/* SPDX-License-Identifier: MIT */
/* The last resort of auto for a few unknowns with contacts: descent to a zero of the equations of
 * contact_equations.h, from the given point, from 0, and from points here and there. */
#ifndef PERP_PORTFOLIO_DESCENT_H
#define PERP_PORTFOLIO_DESCENT_H

#include "perp/solver.h"

typedef struct perp_descent_options {
  perp_solver_options common;
  const char *kind;
  int32_t visit; /* how often it was asked before: each time it begins elsewhere */
} perp_descent_options;

extern const perp_descent_options perp_descent_defaults;

/* Takes up to 32 unknowns of intervals, friction and rolling; lambda is the first start. An
 * iteration is one step. */
const perp_solver *perp_solver_descent(void);

/* Multiply-adds of a step. */
double perp_descent_price(int32_t n);

#endif
