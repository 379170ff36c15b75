/* SPDX-License-Identifier: MIT */
/* The iterate of a live model, and what is known there. */
#ifndef PERP_STEPPING_ITERATE_H
#define PERP_STEPPING_ITERATE_H

#include <stddef.h>
#include <stdint.h>

typedef struct newton_iterate {
  double *q, *v;                /* n_q, n_v: positions, velocities and states             */
  double *last_q, *last_y;      /* q, y a step of this length ago; NULL as q_before       */
  double *lambda;               /* of all rows                                            */
  double *base_v;               /* n_v: free_v of the constant runs                       */
  double *from_v, *from_lambda; /* where a line search starts                             */
  double *defect, *defect_size; /* n_v: what the equations lack, and the sizes of their terms */
  double *owed;                 /* n_v: defect at the iterate before                      */
  const char *missed;           /* whose defect is the largest: what it is, and its number */
  uint32_t missed_of;           /* PERP_OF_SYSTEM or PERP_OF_INTERACTION */
  int32_t missed_index;
  int32_t starting;            /* no step yet: the state is not written                 */
  int32_t given;               /* q, v and last_q to start with are there, see set_state.c */
  double *gather_q, *gather_v; /* of the systems of one interaction                     */
  double *scratch;             /* of the operations of kinds                            */
  size_t scratch_doubles;
  double *probe; /* of one interaction: H beside the iterate, and what comes with it */
} newton_iterate;

#endif
