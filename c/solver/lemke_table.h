/* SPDX-License-Identifier: MIT */
/* The plain cases of Lemke's method for up to four unknowns, as lemke_small.h for more. */
#ifndef PERP_SOLVER_LEMKE_TABLE_H
#define PERP_SOLVER_LEMKE_TABLE_H

#include "perp/solver.h"

enum { LEMKE_TABLE = 4 };

/* As perp_lemke_small() for n <= LEMKE_TABLE. */
int32_t perp_lemke_table(const perp_problem *problem, const double *d, int32_t limit, double *z);

#endif
