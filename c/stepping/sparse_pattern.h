/* SPDX-License-Identifier: MIT */
/* W of a sparse run in compressed rows. */
#ifndef PERP_STEPPING_SPARSE_PATTERN_H
#define PERP_STEPPING_SPARSE_PATTERN_H

#include "stepping/layout.h"

/* Entries of the pattern: those of any operator, and the diagonal. */
size_t perp_pattern_count(const system_run *run);
/* start and index of the run. */
void perp_pattern_fill(system_run *run);
/* out := values of an operator in compressed rows, on the pattern. */
void perp_pattern_spread(const system_run *run, const perp_matrix *A, double *out);
/* out += a A, A any operator of the run; NULL: the identity. */
void perp_pattern_add(const system_run *run, double a, const perp_matrix *A, double *out);
/* Whether an operator of the run is symmetric up to rounding. */
int perp_pattern_symmetric(const system_run *run, const perp_matrix *A);

#endif
