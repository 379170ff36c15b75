/* SPDX-License-Identifier: MIT */
/* The callbacks of a description one by one, as its operation `jacobian` lists them: to find who
 * wrote what is not finite, or behind the end. */
#ifndef PERP_MODEL_CALLBACK_H
#define PERP_MODEL_CALLBACK_H

#include "perp/experimental.h"

/* A description, one of the two, and where it is: vectors as its operations get them. */
typedef struct callback_site {
  const perp_system *system;
  const perp_relation *relation;
  double t;
  const double *q, *v, *lambda;
} callback_site;

/* Callback number k of it; 0: there is none. */
int32_t perp_callback_next(const callback_site *at, int32_t k, perp_jacobian *out);

/* out (rows x columns, set to 0 by the caller) := f, or J, of what was listed. */
int32_t perp_callback_call(const perp_jacobian *listed, perp_callback_fn f, const callback_site *at,
                           double *out);

/* Name the first callback that is not finite there, functions before their Jacobians, and what it
 * wrote: 1; 0 if none is, of those that need no more than these doubles of room. */
int32_t perp_callback_blame(const callback_site *at, double *room, size_t doubles,
                            const char **name, double *value);

#endif
