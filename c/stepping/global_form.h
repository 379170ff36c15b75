/* SPDX-License-Identifier: MIT */
/* One-step problems in global form, M v = q + Hᵀ λ. */
#ifndef PERP_STEPPING_GLOBAL_FORM_H
#define PERP_STEPPING_GLOBAL_FORM_H

#include <stddef.h>
#include <stdint.h>

typedef struct global_form {
  const struct global_stage *stage; /* NULL: always reduced                         */
  void *memory;                     /* of the table                                           */
  unsigned char *chosen;            /* units: island i is solved so                           */
  int32_t *base;                    /* n_systems: first velocity in M, -1: not of the island */
  int32_t *start, *index;           /* M, rows of all systems                                 */
  int32_t *H_start, *H_index;
  double *value, *H_value;
  double *q, *v, *b; /* right-hand sides; v_free, then the solution */
  double *dense;     /* W of a dense system           */
  void *judge;
  size_t judge_bytes;
  int32_t columns; /* the one-step matrix of sparse systems is made */
} global_form;

#endif
