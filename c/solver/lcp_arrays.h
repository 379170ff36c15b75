/* SPDX-License-Identifier: MIT */
/* What can be wrong with problems in plain arrays. */
#ifndef PERP_SOLVER_LCP_ARRAYS_H
#define PERP_SOLVER_LCP_ARRAYS_H

#include "perp/base.h"

/* Sizes, pointers, and entries that are not finite, the first named in info. z, w: the answer's. */
perp_status perp_lcp_arrays_check(int32_t n, int32_t ld, const double *M, const double *q,
                                  const double *z, const double *w, perp_info *info);

#endif
