/* SPDX-License-Identifier: MIT */
/* A dense one-step problem at an event, in memory that grows. */
#ifndef PERP_EVENTS_PROBLEM_H
#define PERP_EVENTS_PROBLEM_H

#include "perp/law.h"
#include "perp/solver.h"

typedef struct event_problem {
  int32_t n, n_blocks;
  int32_t room; /* unknowns for which there is memory */
  double *M, *q, *lambda, *y;
  int32_t *element, *row; /* n: whose row it is            */
  double *direction;      /* 2 n: of the force, for slip   */
  const perp_law **laws;
  int32_t *offset;
  void *work;
  size_t work_bytes;
  double *lower, *upper; /* n: bounds of boxes               */
  perp_box *box;         /* n: laws of single rows           */
  perp_equality equality;
  perp_complementarity complementarity;
} event_problem;

perp_status perp_event_problem_open(event_problem *p);
void perp_event_problem_close(event_problem *p);
/* Begin with no rows, and room for n. PERP_EBACKEND without memory. */
perp_status perp_event_problem_begin(event_problem *p, int32_t n);
/* Append a block of rows (first, first + 1, ... of an element) under a law. */
void perp_event_problem_add(event_problem *p, int32_t element, int32_t row, int32_t rows,
                            const perp_law *law);
/* Append one row under a box [lower, upper], that may be infinite on both sides. */
void perp_event_problem_add_box(event_problem *p, int32_t element, int32_t row, double lower,
                                double upper);
/* Solve; lambda and y. The status is the solver's. */
perp_status perp_event_problem_solve(event_problem *p, const perp_solver *solver,
                                     const void *options, perp_info *info);

#endif
