/* SPDX-License-Identifier: MIT */
#include "stepping/stages.h"

const struct perp_stages perp_stages_every = {
    &perp_stage_live,   &perp_stage_pool,   &perp_stage_swept, &perp_stage_sparse,
    &perp_stage_global, &perp_stage_steady, &perp_stage_relax};

const perp_stages *perp_stages_all(void) { return &perp_stages_every; }
