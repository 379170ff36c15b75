/* SPDX-License-Identifier: MIT */
/* In place of perp_simulation_step() and perp_event_driven_run() in the programs of examples/ that
 * tests/test_model_programs.cpp runs: the step or the run, and then somebody who sees it. */
#include "perp/perp.h"

perp_status recorded_step(perp_simulation *sim, perp_info *info);
void (*recorded_step_seen)(perp_simulation *sim);
perp_status recorded_run(perp_event_driven *sim, double until, const perp_event_observer *observer,
                         perp_info *info);
void (*recorded_run_seen)(perp_event_driven *sim, double until);

perp_status recorded_step(perp_simulation *sim, perp_info *info) {
  const perp_status status = perp_simulation_step(sim, info);
  if (status == PERP_OK) recorded_step_seen(sim);
  return status;
}

perp_status recorded_run(perp_event_driven *sim, double until, const perp_event_observer *observer,
                         perp_info *info) {
  const perp_status status = perp_event_driven_run(sim, until, observer, info);
  if (status == PERP_OK) recorded_run_seen(sim, until);
  return status;
}
