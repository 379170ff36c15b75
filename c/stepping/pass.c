/* SPDX-License-Identifier: MIT */
/* One step from t to t_next = t + h, from top to bottom. Everything before the commit writes into
 * work alone, so that a step that fails leaves the state as it was. */
#include <assert.h>
#include <string.h>

#include "stepping/pool_places.h"
#include "stepping/stages.h"

/* What depends on h and t alone: W, G and the one-step matrix of constant runs where h is new,
 * forces at both ends of the step, b + F z. */
static perp_status prepare(perp_simulation *sim, double t_next, double h, perp_info *info) {
  perp_status status = PERP_OK;
  if (sim->runs.h != h) status = perp_discretise(sim, h, info);
  if (status == PERP_OK && sim->runs.have_forces) status = perp_motion_forces(sim, t_next, h, info);
  if (status == PERP_OK && sim->runs.have_parameters) status = perp_motion_offsets(sim, info);
  sim->counts.iterations = 0;
  sim->counts.accepted = 0;
  sim->counts.relaxed = 0;
  return status;
}

/* Islands and matrices of what acts, where that is not what acted before. A live model makes them
 * anew in each of its passes. */
static perp_status assemble(perp_simulation *sim, int changed, perp_info *info) {
  if (sim->live == NULL && (changed || !sim->active.assembled)) perp_contact_assemble(sim);
  return sim->active.fresh && sim->global.chosen != NULL ? sim->global.stage->choose(sim, info)
                                                         : PERP_OK;
}

/* v⁺ and λ: by Newton's iteration where something varies, else by one problem for each island. */
static perp_status react(perp_simulation *sim, double t_next, double h, int changed,
                         perp_info *info) {
  if (sim->live != NULL) return sim->live->step(sim, t_next, h, changed, info);
  if (sim->active.n == 0) return PERP_OK;
  perp_status status = perp_reaction_rhs(sim, h, info);
  if (status == PERP_OK) status = perp_reaction_solve(sim, info);
  if (status == PERP_OK) status = perp_reaction_apply(sim, info);
  return status;
}

/* λ, modes, q, v, y and ẏ of the state. */
static void commit(perp_simulation *sim, double t_next, double h, int changed) {
  assert(sim->runs.h == h); /* constants are those of this step */
  if (sim->active.n > 0)
    memcpy(sim->step.ydot_before, sim->state.ydot, sim->state.rows * sizeof(double));
  if (sim->active.n > 0 || changed) perp_reaction_commit(sim);
  if (sim->state.n_off > 0) perp_motion_outputs_first(sim, 1);
  perp_motion_commit(sim, t_next, h);
  if (sim->live != NULL) sim->live->commit(sim);
  if (sim->state.n_off > 0) perp_switch_freeze(sim);
  perp_motion_outputs(sim);
  sim->active.assembled = sim->active.single && sim->state.moderate && sim->state.n_off == 0 &&
                                  sim->active.n == sim->active.n_acted
                              ? ASSEMBLED_STEADY
                              : ASSEMBLED;
}

/* Time, states of laws and the report, once the state is that at the end of the step. */
static void finish(perp_simulation *sim, double t_next, double h) {
  perp_report *report = &sim->counts.report;
  sim->state.head->t = t_next;
  sim->state.head->h = h;
  if (sim->runs.have_states) perp_reaction_commit_laws(sim);
  if (sim->active.n > 0 && sim->runs.have_gates) perp_reaction_penetration(sim);
  report->steps++;
}

/* Passes, and what was taken though it is not solved. */
static void count(perp_simulation *sim) {
  perp_report *report = &sim->counts.report;
  report->accepted += sim->counts.accepted;
  report->relaxed += sim->counts.relaxed;
  if (sim->live != NULL) report->newton += sim->counts.passes;
}

static perp_status pass(perp_simulation *sim, double t_next, double h, perp_info *info) {
  /* 1. Constants, forces, parameters. */
  perp_status status = prepare(sim, t_next, h, info);
  if (status != PERP_OK) return status;

  /* 2. The contacts that acted act alone and again: stages 3 to 8 at once. */
  if (sim->steady != NULL && sim->steady->step(sim, t_next, h, info)) {
    finish(sim, t_next, h);
    return PERP_OK;
  }

  /* 3. Which units act: y + γ h ẏ <= gap_tol. */
  const int changed = perp_contact_predict(sim, h);
  const int stale = !sim->active.assembled; /* the islands may be those of a step that failed */

  /* 4. v_free = v + P v + R q + drift. */
  status = perp_motion_free(sim, h, info);
  if (status != PERP_OK) return status;
  if (sim->state.n_off > 0) perp_switch_free(sim);

  /* 5. Islands and M. */
  status = assemble(sim, changed, info);
  sim->active.assembled = 0; /* until the step is accepted */
  if (status != PERP_OK) return status;

  /* 6. y = M λ + q, (y, λ) in the laws, v⁺ = v_free + G λ. */
  status = react(sim, t_next, h, changed || stale, info);
  if (status != PERP_OK) return status;

  /* 7. Nothing is lost to infinity. */
  status = perp_motion_check(sim, h, info);
  if (status != PERP_OK) return status;
  if (sim->runs.have_gates && (changed || stale || sim->pool != NULL))
    perp_reaction_penetration(sim); /* of what acts since this step, at its begin */

  /* 8. The new state. */
  commit(sim, t_next, h, changed);
  count(sim);
  finish(sim, t_next, h);
  return PERP_OK;
}

/* Contacts that come and go took their places before the step, and give them back where it fails.
 */
static perp_status settle_pool(perp_simulation *sim, perp_status status) {
  if (status != PERP_OK) {
    sim->pool->stage->undo(sim);
    return status;
  }
  sim->counts.report.dropped += sim->pool->writer.dropped;
  return PERP_OK;
}

perp_status perp_pass(perp_simulation *sim, double t_next, double h, perp_info *info) {
  if (sim->pool != NULL && sim->pool->stage->step != NULL)
    return sim->pool->stage->step(sim, t_next, h, info);
  perp_status status = sim->pool != NULL ? sim->pool->stage->update(sim, h, info) : PERP_OK;
  if (status == PERP_OK) status = pass(sim, t_next, h, info);
  return sim->pool != NULL ? settle_pool(sim, status) : status;
}
