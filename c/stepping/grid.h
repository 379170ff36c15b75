/* SPDX-License-Identifier: MIT */
/* The points of time that steps lead to. */
#ifndef PERP_STEPPING_GRID_H
#define PERP_STEPPING_GRID_H

#include "perp/simulation.h"

static inline double grid_time(const perp_simulation_options *o, double k) {
  return o->grid != NULL ? o->grid[(size_t)k] : o->t0 + k * o->h;
}

/* Whether point k is the last. */
static inline int grid_ends(const perp_simulation_options *o, double k) {
  return o->steps > 0 && k >= o->steps;
}

static inline double grid_first_h(const perp_simulation_options *o) {
  return o->grid != NULL ? o->grid[1] - o->grid[0] : o->h;
}

/* advance.c: last point, from k on, that is not after t; k is one already. */
double perp_grid_index(const perp_simulation_options *o, double k, double t);

#endif
