/* SPDX-License-Identifier: MIT */
/* What of a matrix decides about the method: tested, not assumed. */
#ifndef PERP_PORTFOLIO_CLASSIFY_H
#define PERP_PORTFOLIO_CLASSIFY_H

#include "perp/matrix.h"

/* Whether M is symmetric up to rounding, with early exit. Dense: entry by entry. Block rows: by
 * u·Mv = v·Mu for fixed u and v, 3 n doubles of scratch. Who is taken in fails the verification. */
int perp_matrix_symmetric(const perp_matrix *M, double *scratch);

#endif
