/* SPDX-License-Identifier: MIT */
/* Newton's iteration of a step with varying systems or relations. A pass linearises at the iterate
 * (live.c), solves the one-step problem of what acts, takes the new iterate and evaluates it. The
 * set of units that act is that of the prediction and stays.
 * Source: Acary and Brogliato 2008, section 10.1.2. */
#include <math.h>
#include <string.h>

#include "stepping/live.h"

/* q and y a step of length h ago, on the line through the last two if that had another length. */
static void look_back(perp_simulation *sim, double h) {
  const double ratio = h / sim->state.head->h;
  for (size_t i = 0; i < sim->state.n_q; i++)
    sim->iterate.last_q[i] =
        ratio == 1 ? sim->state.q_before[i]
                   : sim->state.q[i] - ratio * (sim->state.q[i] - sim->state.q_before[i]);
  for (size_t i = 0; i < sim->state.rows; i++)
    sim->iterate.last_y[i] =
        ratio == 1 ? sim->state.y_before[i]
                   : sim->state.y[i] - ratio * (sim->state.y[i] - sim->state.y_before[i]);
}

static void start(perp_simulation *sim, double h) {
  if (sim->iterate.last_q != NULL) look_back(sim, h);
  if (sim->projection.shift != NULL)
    memset(sim->projection.shift, 0, sim->state.n_v * sizeof *sim->projection.shift);
  if (live_keeps_free(sim))
    memcpy(sim->iterate.base_v, sim->step.free_v, sim->state.n_v * sizeof *sim->iterate.base_v);
  memcpy(sim->iterate.v, sim->state.v, sim->state.n_v * sizeof *sim->iterate.v);
  if (sim->iterate.last_q != NULL) perp_live_scale_positions(sim, 2 * h);
  memcpy(sim->iterate.lambda, sim->state.lambda, sim->state.rows * sizeof *sim->iterate.lambda);
  if (sim->options.newton_start == PERP_NEWTON_FROM_POSITION)
    memcpy(sim->iterate.q, sim->state.q, sim->state.n_q * sizeof *sim->iterate.q);
  else
    perp_live_move(sim, h);
  memset(sim->active.acts, 0, (size_t)sim->runs.units);
  for (int32_t u = 0; u < sim->active.n; u++) sim->active.acts[sim->active.acting[u]] = 1;
}

/* Everything at the iterate. */
static perp_status evaluate(perp_simulation *sim, double t_next, double h, perp_info *info) {
  const perp_status status = perp_live_systems(sim, t_next, h, info);
  if (status != PERP_OK || sim->active.n == 0) return status;
  return perp_live_relations(sim, t_next, h, 0, info);
}

/* free_v and the λ of what acts, from the linearisation at the iterate of a pass. */
static perp_status solve(perp_simulation *sim, double t_next, double h, int32_t pass, int changed,
                         perp_info *info) {
  const int fresh = pass == 1 && changed;
  /* what other endings accept depends on the way there, which is theirs */
  const int again = pass > 1 && sim->options.newton_stop == PERP_NEWTON_RESIDUAL;
  perp_status status = perp_live_linearise(sim, t_next, h, again, info);
  sim->counts.accepted = 0; /* of the last pass: what earlier ones left open is not taken */
  if (status != PERP_OK) return status;
  if (sim->active.n > 0 || fresh) {
    perp_delassus_assemble(sim);
    if (sim->sparse != NULL) status = sim->sparse->couple(sim, info);
    if (status != PERP_OK) return status;
    perp_contact_assemble(sim);
  }
  if (sim->active.n == 0) return PERP_OK;
  status = perp_reaction_rhs(sim, h, info);
  if (status == PERP_OK) status = perp_reaction_solve(sim, info);
  if (status == PERP_OK) status = perp_reaction_apply(sim, info);
  return status;
}

/* The iterate at the part s of the way from the last one to free_v and λ. */
static void take(perp_simulation *sim, double s, double h) {
  for (size_t i = 0; i < sim->state.n_v; i++)
    sim->iterate.v[i] =
        s == 1 ? sim->step.free_v[i]
               : sim->iterate.from_v[i] + s * (sim->step.free_v[i] - sim->iterate.from_v[i]);
  memset(sim->iterate.lambda, 0, sim->state.rows * sizeof *sim->iterate.lambda);
  for (int32_t i = 0; sim->active.n > 0 && i < sim->problem.rows; i++)
    sim->iterate.lambda[sim->problem.row_id[i]] =
        sim->problem.lambda[i] + (sim->problem.preload != NULL ? sim->problem.preload[i] : 0);
  for (size_t i = 0; s != 1 && i < sim->state.rows; i++)
    sim->iterate.lambda[i] =
        sim->iterate.from_lambda[i] + s * (sim->iterate.lambda[i] - sim->iterate.from_lambda[i]);
  perp_live_move(sim, h);
}

static double merit(perp_simulation *sim, double s, double h) {
  return sim->options.newton_stop == PERP_NEWTON_DYNAMICS ? perp_live_imbalance(sim)
                                                          : perp_live_defect(sim, s, h);
}

/* Shorter and shorter steps until the defect decreases; if it never does, the full one again, as
 * where the laws switch: between two of their branches nothing is a solution. Where a callback has
 * no finite value the defect is as large as can be. */
static perp_status search(perp_simulation *sim, double t_next, double h, double before,
                          double *defect, int *full, perp_info *info) {
  double s = 1;
  for (int32_t i = 0; i < sim->options.newton_halvings && !(*defect < before); i++) {
    s *= 0.5;
    *full = 0;
    take(sim, s, h);
    const perp_status status = evaluate(sim, t_next, h, info);
    if (status < 0 && status != PERP_ENOTFINITE) return status;
    if (status == PERP_OK) *defect = merit(sim, s, h);
  }
  if (*full) return PERP_OK; /* there was no search */
  if (*defect < before) {
    perp_live_shorten(sim, s);
    return PERP_OK;
  }
  *full = 1;
  take(sim, 1, h);
  const perp_status status = evaluate(sim, t_next, h, info);
  if (status == PERP_OK) *defect = merit(sim, 1, h);
  return status;
}

/* Whether the λ at the iterate solves the laws. A shortened step is between two λ, which is a
 * solution if both were and all that acts are equalities. */
static int solves_laws(const perp_simulation *sim, int full, int before) {
  if (sim->counts.accepted > 0) return 0;
  if (full) return 1;
  for (int32_t u = 0; before && u < sim->active.n; u++)
    if (sim->runs.interactions[sim->active.units[u].run].law->ops->set != PERP_SET_FREE) return 0;
  return before;
}

static perp_status iterate(perp_simulation *sim, double t_next, double h, int changed,
                           perp_info *info) {
  const perp_simulation_options *o = &sim->options;
  const int may_search = o->newton_stop != PERP_NEWTON_FIXED && o->newton_halvings > 0;
  double defect = 0;
  int solved = 0;
  perp_live_hold(sim);
  perp_live_no_geometric(sim);
  for (int32_t pass = 1; pass <= o->newton_max; pass++) {
    const double before = defect;
    int full = 1;
    perp_status status = solve(sim, t_next, h, pass, changed, info);
    if (status != PERP_OK) return status;
    sim->counts.passes++;
    memcpy(sim->iterate.from_v, sim->iterate.v, sim->state.n_v * sizeof *sim->iterate.from_v);
    memcpy(sim->iterate.from_lambda, sim->iterate.lambda,
           sim->state.rows * sizeof *sim->iterate.from_lambda);
    take(sim, 1, h);
    perp_live_keep(sim);
    status = evaluate(sim, t_next, h, info);
    const int nowhere = status == PERP_ENOTFINITE && may_search;
    if (status != PERP_OK && !nowhere) return status;
    if (o->newton_stop == PERP_NEWTON_FIXED) continue;
    defect = nowhere ? HUGE_VAL : merit(sim, 1, h);
    if (defect <= o->newton_tol) return PERP_OK;
    if (nowhere || (pass > 1 && !(defect < before)))
      status = search(sim, t_next, h, nowhere ? HUGE_VAL : before, &defect, &full, info);
    if (status != PERP_OK) return status;
    if (nowhere) info_clear(info); /* of what was not finite */
    solved = solves_laws(sim, full, solved);
    if ((full || solved) && defect <= o->newton_tol) return PERP_OK;
  }
  if (o->newton_stop == PERP_NEWTON_FIXED) return PERP_OK;
  sim->counts.report.failures++;
  const double most = o->newton_stop == PERP_NEWTON_RESIDUAL ? o->accept_tol : HUGE_VAL;
  if (o->on_failure != PERP_FAILURE_ACCEPT || !(defect <= most))
    return fail_of(info, sim->iterate.missed_of, PERP_MAX_ITER, sim->iterate.missed,
                   sim->iterate.missed_index, defect);
  sim->counts.accepted++; /* counted if the step is taken */
  take(sim, 1, h);        /* λ as the laws have it */
  return evaluate(sim, t_next, h, info);
}

/* Projection of the positions; combined with that of the velocities, in turn until the positions
 * stay. */
static perp_status project(perp_simulation *sim, double t_next, double h, perp_info *info) {
  int moved = 0;
  perp_status status = perp_projection(sim, t_next, h, &moved, info);
  for (int32_t i = 0;
       status == PERP_OK && moved && sim->options.projection == PERP_PROJECT_COMBINED; i++) {
    if (i == sim->options.projection_max) return fail(info, PERP_MAX_ITER, "projection", -1, i);
    status = iterate(sim, t_next, h, 0, info);
    if (status == PERP_OK) status = perp_projection(sim, t_next, h, &moved, info);
  }
  return status;
}

perp_status perp_newton(perp_simulation *sim, double t_next, double h, int changed,
                        perp_info *info) {
  sim->counts.passes = 0;
  start(sim, h);
  perp_status status = perp_live_begin(sim, info);
  if (status == PERP_OK) status = perp_live_reactions_begin(sim, h, info);
  if (status == PERP_OK) status = evaluate(sim, t_next, h, info);
  if (status == PERP_OK) status = iterate(sim, t_next, h, changed, info);
  if (status == PERP_OK && sim->projection.shift != NULL) status = project(sim, t_next, h, info);
  if (status == PERP_OK) status = perp_live_relations(sim, t_next, h, 1, info);
  if (status != PERP_OK) return status;
  if (sim->iterate.last_q != NULL) perp_live_scale_positions(sim, 1 / (2 * h));
  memcpy(sim->step.free_v, sim->iterate.v, sim->state.n_v * sizeof *sim->step.free_v);
  const size_t bad = first_not_finite(sim->state.n_q, sim->iterate.q);
  if (bad < sim->state.n_q)
    return fail(info, PERP_ENOTFINITE, "q", (int32_t)bad, sim->iterate.q[bad]);
  return PERP_OK;
}
