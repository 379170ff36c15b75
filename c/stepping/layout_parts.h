/* SPDX-License-Identifier: MIT */
/* What the files that carve a simulation's memory share. */
#ifndef PERP_STEPPING_LAYOUT_PARTS_H
#define PERP_STEPPING_LAYOUT_PARTS_H

#include <string.h>

#include "stepping/layout.h"

static inline double *layout_doubles(arena *a, size_t count) {
  return arena_take(a, count, sizeof(double));
}

/* A copy of count doubles; NULL of NULL. */
static inline double *layout_keep(arena *a, const double *x, size_t count) {
  if (x == NULL) return NULL;
  double *copy = layout_doubles(a, count);
  if (copy != NULL) memcpy(copy, x, count * sizeof(double));
  return copy;
}

/* Bytes of one copy's state, in whole doubles. */
static inline size_t layout_law_bytes(const perp_law *law) {
  return law->ops->state_bytes == NULL ? 0 : (law->ops->state_bytes(law) + 7) / 8 * 8;
}

/* Positions of one system. */
static inline size_t layout_positions(const perp_system *s) {
  return s->ops->order == 2 ? (size_t)s->n + (size_t)s->ops->extra_q : 0;
}

/* layout_system.c: a tight copy of an operator, dense if it is in compressed rows; the view is made
 * to point to it. */
void perp_layout_keep_matrix(arena *a, const layout_sizes *sizes, perp_matrix *A);

/* layout_interaction.c: append the term of H in column c of a slot to the first count, unless it is
 * 0; how many there are. */
int32_t perp_layout_term(interaction_run *run, int32_t count, int32_t s, int32_t c, double value);

/* layout_interaction.c: what joins system j, a member of a run, by columns of H from column on. */
void perp_layout_slot(const system_run *run, int32_t j, int32_t column, slot *at);

/* layout_system.c: all system runs; run_of (NULL while measuring) gets the run of each system. */
void perp_layout_systems(arena *a, const perp_model *model, const perp_simulation_options *o,
                         const layout_sizes *sizes, system_run *runs, int32_t *run_of);

/* layout_interaction.c: all interaction runs but those of a pool; systems and runs are NULL while
 * measuring. */
void perp_layout_interactions(arena *a, const perp_model *model, const perp_simulation_options *o,
                              const layout_sizes *sizes, const system_run *systems,
                              const int32_t *run_of, interaction_run *runs);

#endif
