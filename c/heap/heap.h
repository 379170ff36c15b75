/* SPDX-License-Identifier: MIT */
#ifndef PERP_HEAP_HEAP_H
#define PERP_HEAP_HEAP_H

#include "perp/model.h"
#include "perp/simulation.h"

/* perp_simulation_create() of a model whose callbacks were checked before. */
perp_status perp_heap_create(perp_simulation **out, const perp_model *model,
                             const perp_simulation_options *options, perp_info *info);

/* perp_model_check_callbacks() with memory from malloc. */
perp_status perp_heap_check_callbacks(const perp_model *model, double t, perp_info *info);

#endif
