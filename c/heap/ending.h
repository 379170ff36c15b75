/* SPDX-License-Identifier: MIT */
/* What sentences on how a run ended have in common. */
#ifndef PERP_HEAP_ENDING_H
#define PERP_HEAP_ENDING_H

#include "heap/page.h"
#include "perp/model.h"
#include "perp/solver.h"

/* "iteration limit", "no solution": of a positive status. */
const char *perp_ending_reason(perp_status status);

/* "contact 17 between bodies 4 and 9", "interaction 3 of system 0" */
void perp_ending_interaction(page *p, const perp_model *model, int32_t i, int first);

/* The tolerance that a solver with these options has. */
double perp_ending_asked(const perp_solver *solver, const void *options);

/* ", residual 2.6e-9, asked 1e-10", and "; try tol = 1e-8" where the answer is near; returns what
 * stands before a further proposal. */
const char *perp_ending_residual(page *p, double residual, double asked, int is_near,
                                 const char *option);

#endif
