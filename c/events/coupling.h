/* SPDX-License-Identifier: MIT */
/* What hangs together at a point: rows are coupled where one's H and another's gain reach a common
 * velocity, directly or by way of others. H M⁻¹Hᵀ is block diagonal by these parts, so that each is
 * a problem of its own. */
#ifndef PERP_EVENTS_COUPLING_H
#define PERP_EVENTS_COUPLING_H

#include "events/plant.h"
#include "events/room.h"

typedef struct coupling {
  size_t n;        /* velocities                                          */
  int32_t *parent; /* n: a tree for each part, its lowest velocity the root */
  int32_t *part;   /* n: number of a part, by its root                      */
} coupling;

void perp_coupling_carve(arena *a, coupling *c, size_t n);
/* Nothing is coupled yet. */
void perp_coupling_begin(coupling *c);
/* Rows of an interaction that are one item; values and gains must be known. One of the velocities
 * that they reach, -1: none. */
int32_t perp_coupling_add(coupling *c, const plant_interaction *at, int32_t row, int32_t rows);
/* Sort n items into parts, reach[k] (overwritten) as perp_coupling_add() answered: order (n) :=
 * items part by part, first (parts + 1) := where each begins there. Items of a part, and parts by
 * their first items, come in the order of the items. Returns the number of parts. */
int32_t perp_coupling_sort(coupling *c, int32_t n, int32_t *reach, int32_t *order, int32_t *first);

#endif
