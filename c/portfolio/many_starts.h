/* SPDX-License-Identifier: MIT */
/* "newton-fb" from many starts: the last resort for M of no class that any method answers for. */
#ifndef PERP_PORTFOLIO_MANY_STARTS_H
#define PERP_PORTFOLIO_MANY_STARTS_H

#include "perp/solver.h"

/* Takes up to 200 unknowns. Options: the fields of perp_solver_options. */
const perp_solver *perp_solver_many_starts(void);

#endif
