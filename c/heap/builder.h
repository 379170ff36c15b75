/* SPDX-License-Identifier: MIT */
#ifndef PERP_HEAP_BUILDER_H
#define PERP_HEAP_BUILDER_H

#include "heap/shelf.h"

/* An array that grows. */
typedef struct growing {
  void *data;
  size_t room; /* entries */
  size_t entry;
} growing;

/* What a builder has of a system beside its description. */
typedef struct start {
  int32_t first_q; /* its first entry in q0 */
  int32_t first_v; /* in v0, at order 1 in x0 */
} start;

enum {
  LIST_SYSTEMS,      /* const perp_system *                       */
  LIST_STARTS,       /* start                                     */
  LIST_Q,            /* double: positions of order 2              */
  LIST_V,            /* double: velocities of order 2             */
  LIST_X,            /* double: states of order 1                 */
  LIST_INTERACTIONS, /* perp_interaction, its systems not yet set */
  LIST_JOINED,       /* int32_t: systems of all interactions      */
  LIST_POINTERS,     /* const perp_interaction *, not yet set     */
  LIST_POOL_LAWS,    /* const perp_law *                          */
  LIST_INTEGRATORS,  /* const perp_integrator *, where both orders are */
  LISTS
};

struct perp_builder {
  perp_model model; /* its counts; pointers only once it was taken */
  int taken;
  shelf shelf;
  growing list[LISTS];
  size_t n_q, n_v, n_x, n_joined; /* entries in use */
  perp_contact_pool pool;
  perp_simulation_options options;
};

/* Room for `entries` entries of a list. */
perp_status perp_builder_reserve(perp_builder *b, int which, size_t entries, perp_info *info);

#endif
