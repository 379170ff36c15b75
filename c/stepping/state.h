/* SPDX-License-Identifier: MIT */
/* The state block of a simulation, which a run goes on from. */
#ifndef PERP_STEPPING_STATE_H
#define PERP_STEPPING_STATE_H

#include <stddef.h>
#include <stdint.h>

/* Begin of the state block; then q, v, λ, y, ẏ, with a scheme on positions q and y of the step
 * before (doubles), law states, modes (bytes). */
typedef struct state_header {
  uint32_t magic, version;
  uint32_t fingerprint[2]; /* of the model's shape          */
  uint32_t bytes[2];       /* of the whole block, low, high */
  double t;                /* current time                  */
  double h;                /* length of the last step       */
  double step;             /* steps of the grid taken       */
} state_header;

/* Where what is in it lies, and what is known of it. */
typedef struct simulation_state {
  state_header *head;
  size_t bytes;
  size_t n_q, n_v, rows; /* of q, of v, of λ, y and ẏ */
  double *q, *v, *lambda, *y, *ydot;
  double *q_before, *y_before; /* of the step before; NULL without a scheme on positions */
  unsigned char *laws, *modes; /* states of laws; of each row what perp_warm tells */
  unsigned char *off;          /* n_systems; NULL: none may be switched off */
  int32_t n_off;
  int32_t moderate;            /* v is known to be below 2^901 */
  double *frozen_q, *frozen_v; /* q and v of the systems that are off */
  unsigned char *backup;       /* the whole block, for retries */
} simulation_state;

#endif
