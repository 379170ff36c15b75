/* SPDX-License-Identifier: MIT */
#ifndef PERP_HEAP_CHECK_H
#define PERP_HEAP_CHECK_H

#include "perp/model.h"

/* perp_model_check_callbacks() with memory from malloc. */
perp_status perp_heap_check_callbacks(const perp_model *model, double t, perp_info *info);

#endif
