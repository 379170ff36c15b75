/* SPDX-License-Identifier: MIT */
/* Systems of order 1 whose states couple through reactions r = g(t, x, λ) of several systems: with
 * K = ∂g/∂x over a connected component, W K̂ = W − hγ K is one matrix for all of it. */
#ifndef PERP_STEPPING_STATE_COMPONENT_H
#define PERP_STEPPING_STATE_COMPONENT_H

#include "stepping/layout.h"

/* Whether a relation joins the states of its systems through K. */
static inline int component_joins(const perp_interaction *inter) {
  const perp_relation_ops *ops = inter->relation->ops;
  return ops->order == 1 && inter->n_systems > 1 && ops->features != NULL &&
         (ops->features(inter->relation) & PERP_RELATION_K) != 0;
}

/* Number the components of more than one system; carved with the rest of the work block. */
void perp_component_carve(arena *a, const perp_model *model, const layout_sizes *sizes,
                          perp_simulation *sim);

/* Once the runs stand: places of the members, and the slots of every interaction of order 1 on
 * them, which reach over whole components. */
void perp_component_connect(perp_simulation *sim);

/* Entries of W − hγ K between two members. */
double *perp_component_entry(const perp_simulation *sim, int32_t row_system, int32_t column_system,
                             int32_t *ld);
/* Copy the members' own W into the components, before relations add to them. */
void perp_component_begin(perp_simulation *sim);
/* Factors, and free_v of the members from their right-hand sides. PERP_EINVAL names "W". */
perp_status perp_component_solve(perp_simulation *sim, double h, perp_info *info);
/* Columns of G (n_gain x m, rows by wide slots) := W⁻¹ of what they hold. */
perp_status perp_component_gain(const perp_simulation *sim, const interaction_run *run, double *G);

#endif
