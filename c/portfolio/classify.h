/* SPDX-License-Identifier: MIT */
/* What of a matrix decides about the method: tested, not assumed. */
#ifndef PERP_PORTFOLIO_CLASSIFY_H
#define PERP_PORTFOLIO_CLASSIFY_H

#include "perp/matrix.h"

/* Whether M is symmetric up to rounding, with early exit. Dense: entry by entry. Block rows: by
 * u·Mv = v·Mu for fixed u and v, 3 n doubles of scratch. Who is taken in fails the verification. */
int perp_matrix_symmetric(const perp_matrix *M, double *scratch);

/* The same from a sample of 3 n pairs of entries of dense M, others count as symmetric: enough to
 * begin with a method that costs little where it fails. */
int perp_matrix_looks_symmetric(const perp_matrix *M);

#endif
