/* SPDX-License-Identifier: MIT */
/* Reading what callers hand to a solver: options, and problems in plain arrays. */
#ifndef PERP_SOLVER_SOLVER_OPTIONS_H
#define PERP_SOLVER_SOLVER_OPTIONS_H

#include "base/info.h"
#include "base/options.h"
#include "perp/solver.h"

/* Room for the options of any solver. */
typedef union solver_options {
  perp_solver_options common;
  double room[PERP_SOLVER_OPTIONS_MOST / sizeof(double)];
} solver_options;

/* out := the defaults (an options struct, NULL: perp_solver_options) with what the caller set in
 * options (NULL: nothing): the common fields, or all of them if they are of the defaults' kind. */
perp_status perp_solver_options_read(const void *defaults, const void *options, void *out,
                                     perp_info *info);

/* What a field may be. */
enum {
  OPTION_INT,      /* int32_t, least ... most                                                */
  OPTION_CLOSED,   /* double, least <= x <= most                                             */
  OPTION_OPEN,     /* double, least < x < most                                               */
  OPTION_SPARSE,   /* const perp_sparse *: NULL or a back end for matrices without symmetry  */
  OPTION_SYMMETRIC /* const perp_sparse *, where one for symmetric matrices will do           */
};

/* A field and its range. A table of them is read in its order, and ends with {0}. */
typedef struct option_range {
  const char *name;
  size_t offset;
  int32_t kind;
  double least, most;
} option_range;

/* Name and place of a field. */
#define FIELD(type, field) #field, offsetof(type, field)

/* PERP_OK, or PERP_EINVAL for the first field that is out of its range; ranges NULL: no field. */
perp_status perp_options_in_range(const option_range *ranges, const void *options, perp_info *info);

/* PERP_OK, or the first entry of q (n) or of M (rows x cols, column stride ld) that is not finite.
 */
perp_status perp_entries_check(int32_t n, const double *q, size_t rows, size_t cols, size_t ld,
                               const double *M, perp_info *info);

/* Sizes and pointers of a problem in plain arrays, and its entries. z, w: the answer's. */
perp_status perp_lcp_arrays_check(int32_t n, int32_t ld, const double *M, const double *q,
                                  const double *z, const double *w, perp_info *info);

/* Pivots that a method of n unknowns may take; max_iter 0 picks 1000 + 50 n. */
static inline int32_t pivot_limit(int32_t max_iter, int32_t n) {
  const int64_t rule = 1000 + 50 * (int64_t)n;
  if (max_iter > 0) return max_iter;
  return rule < INT32_MAX ? (int32_t)rule : INT32_MAX;
}

#endif
