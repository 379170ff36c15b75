/* SPDX-License-Identifier: MIT */
/* The components of a model: systems that interactions join, directly or by way of others. Each
 * moves as if it were alone, as a model of its own. */
#ifndef PERP_EVENTS_COMPONENT_H
#define PERP_EVENTS_COMPONENT_H

#include "perp/model.h"

typedef struct component {
  perp_model model;            /* its systems and interactions; no initial values        */
  const int32_t *systems;      /* model.n_systems: their numbers in the whole model      */
  const int32_t *interactions; /* model.n_interactions: the same                         */
  const size_t *rows;          /* and their first rows among those of all interactions   */
} component;

/* Where a system or an interaction of the whole model is. */
typedef struct place {
  int32_t component, index;
} place;

typedef struct components {
  component *at;
  int32_t n;
  place *systems, *interactions; /* of the whole model */
  void *block;
} components;

/* Those of a checked model, which lives as long; in the order of their first systems. whole: all of
 * it is one. PERP_EBACKEND without memory. */
perp_status perp_components_make(components *c, const perp_model *model, int whole,
                                 perp_info *info);
void perp_components_free(components *c);

#endif
