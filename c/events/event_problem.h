/* SPDX-License-Identifier: MIT */
/* The one-step problems at an event, in memory that grows: one for each part of what is coupled,
 * with a dense matrix. */
#ifndef PERP_EVENTS_EVENT_PROBLEM_H
#define PERP_EVENTS_EVENT_PROBLEM_H

#include "perp/law.h"
#include "perp/solver.h"

typedef struct event_problem {
  int32_t n, n_blocks;
  int32_t room;          /* unknowns for which there is memory      */
  int32_t parts;         /* each of the rows part[p] ... part[p + 1] - 1 */
  int32_t solved;        /* parts before the one that was not       */
  int32_t *part, *block; /* room + 1: first row, and first block, of each */
  double *M;             /* of the parts, one after another, column-major */
  double *q, *lambda, *y;
  double *diagonal;       /* n: of M, for who asks */
  int32_t *element, *row; /* n: whose row it is            */
  double *direction;      /* 2 n: of the force, for slip   */
  const perp_law **laws;
  int32_t *offset; /* of blocks in the rows of their part, and its size behind its last */
  void *work;
  size_t work_bytes;
  double *lower, *upper; /* n: bounds of boxes               */
  perp_box *box;         /* n: laws of single rows           */
  perp_equality equality;
  perp_complementarity complementarity;
} event_problem;

/* Rows first ... first + n - 1, and their matrix. */
typedef struct event_part {
  int32_t first, n;
  double *M; /* n x n, column-major */
} event_part;

/* Entry of M by rows of the whole problem. */
static inline double event_part_entry(const event_part *x, int32_t row, int32_t column) {
  return x->M[(size_t)(row - x->first) + (size_t)(column - x->first) * (size_t)x->n];
}

perp_status perp_event_problem_open(event_problem *p);
void perp_event_problem_close(event_problem *p);
/* Begin with no rows, and room for n. PERP_EBACKEND without memory. */
perp_status perp_event_problem_begin(event_problem *p, int32_t n);
/* What is appended from here on is coupled with nothing before. */
void perp_event_problem_part(event_problem *p);
/* Append a block of rows (first, first + 1, ... of an element) under a law. */
void perp_event_problem_add(event_problem *p, int32_t element, int32_t row, int32_t rows,
                            const perp_law *law);
/* Append one row under a box [lower, upper], that may be infinite on both sides. */
void perp_event_problem_add_box(event_problem *p, int32_t element, int32_t row, double lower,
                                double upper);
/* No more rows. */
void perp_event_problem_end(event_problem *p);
/* Part k, its matrix at *M, which moves behind it: p->M for the first. */
event_part perp_event_problem_take(const event_problem *p, int32_t k, double **M);
/* Solve part by part; lambda and y. The status is the solver's. */
perp_status perp_event_problem_solve(event_problem *p, const perp_solver *solver,
                                     const void *options, perp_info *info);

#endif
