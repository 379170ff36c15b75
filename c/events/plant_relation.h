/* SPDX-License-Identifier: MIT */
/* The interactions of a plant: what plant.c needs of them. */
#ifndef PERP_EVENTS_PLANT_RELATION_H
#define PERP_EVENTS_PLANT_RELATION_H

#include "base/arena.h"
#include "events/plant.h"

/* Sizes and arrays of an interaction; row0 is the caller's. */
void perp_plant_interaction_carve(arena *a, const perp_model *model,
                                  const perp_interaction *interaction, plant_interaction *at);
/* Doubles of scratch of its operations. */
size_t perp_plant_interaction_doubles(const plant_interaction *at,
                                      const perp_system *const *joined);
/* Its columns and constants. */
void perp_plant_interaction_start(plant *p, int32_t index);

#endif
