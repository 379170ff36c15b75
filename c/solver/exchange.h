/* SPDX-License-Identifier: MIT */
/* The pieces of the active-set method: exchange.c solves for positive definite M + σI,
 * proximal.h loops over it for semidefinite M, active_set.c is the solver that callers see. */
#ifndef PERP_SOLVER_EXCHANGE_H
#define PERP_SOLVER_EXCHANGE_H

#include "linalg/envelope.h"
#include "perp/pivoting.h"
#include "solver/mode.h"

typedef struct exchange {
  const perp_problem *problem;
  perp_active_set_options options; /* max_iter > 0                                        */
  row_reader rows;
  envelope factor;
  int32_t n;
  int32_t iterations;
  int nonzero;     /* whether λ has an entry that is not 0                            */
  int outside;     /* whether λ leaves the box, by rounding once perp_exchange_run() is done   */
  double slack;    /* rounding of one row sum, in parts of |M||λ| + |q|               */
  double floor;    /* rounding of any row: what is smaller than that of max |q| is noise   */
  double shift;    /* σ                                                               */
  const double *q; /* problem->q, or q − σ λ^k in memory of the proximal loop         */
  double *lower;   /* n                                                               */
  double *upper;   /* n                                                               */
  unsigned char *mode;   /* n: PERP_MODE_LOWER, FREE or UPPER, FREE only if lower < upper   */
  unsigned char *listed; /* n: the modes for which the lists of the factor were made */
  unsigned char *next;   /* n: the modes with all infeasible ones exchanged                 */
  double *lambda;        /* n: the caller's                                                 */
  double *scratch;       /* n: the caller's y                                               */
  double *x;             /* n: right-hand side and solution on F                            */
  double *point;         /* n: feasible point of the safeguard                              */
  double *previous;      /* n: λ^k of the proximal loop                                     */
  double *moved;         /* n: q − σ λ^k                                                    */
  double *residual;      /* residual_scratch_doubles(n)                                     */
  unsigned char *anchor; /* n: modes of the minimiser that the safeguard left last */
  double *spare_inverse; /* the factor's home in the workspace                            */
  double *spare_lower;
  size_t spare_capacity;
} exchange;

/* Beside the statuses: M_FF + σI is not numerically positive definite. */
enum { EXCHANGE_NOT_DEFINITE = 1000 };

/* Bring member, position, rows of the factor up to date with modes; the rows before the first
 * unknown that entered or left F stay valid. */
void perp_exchange_list(exchange *s, const unsigned char *mode);

/* Solve for M + σI and q from the modes of s: PERP_OK (no component infeasible beyond rounding),
 * PERP_MAX_ITER, PERP_STOPPED, PERP_EWORKSPACE, EXCHANGE_NOT_DEFINITE. */
perp_status perp_exchange_run(exchange *s);

#endif
