/* SPDX-License-Identifier: MIT */
/* What the judge and the solvers of problems in global form share. */
#ifndef PERP_PROBLEM_GLOBAL_PROBLEM_H
#define PERP_PROBLEM_GLOBAL_PROBLEM_H

#include "perp/global.h"

/* What the laws see: a problem of n unknowns whose M is not to be read. */
perp_problem perp_global_laws(const perp_global_problem *g);

#endif
