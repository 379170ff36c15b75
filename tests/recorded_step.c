/* SPDX-License-Identifier: MIT */
/* In place of perp_simulation_step() in the programs of examples/ that
 * tests/test_model_programs.cpp runs: the step, and then somebody who sees it. */
#include "perp/perp.h"

perp_status recorded_step(perp_simulation *sim, perp_info *info);
void (*recorded_step_seen)(perp_simulation *sim);

perp_status recorded_step(perp_simulation *sim, perp_info *info) {
  const perp_status status = perp_simulation_step(sim, info);
  if (status == PERP_OK) recorded_step_seen(sim);
  return status;
}
