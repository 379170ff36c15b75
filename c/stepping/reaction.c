/* SPDX-License-Identifier: MIT */
/* The one-step problem  y = M λ + q:
 *   q = H v_free + (what the law maps from ẏ_k)   at order 2,   q = H x_free + offset   at order 1,
 *   q = H (γ x_free + (1−γ) x_k) + offset   where a relation of order 1 holds at x_{k+γ};
 *   solved island by island, each judged by the residual; then  v⁺ = v_free + G λ.
 * Where a law knows a part s of its impulse, λ = λ' + s: v_free gains G s, q gains D s, and the
 * problem is about λ'. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "problem/law_kinds.h"
#include "problem/residual.h"
#include "problem/residual_lcp.h"
#include "solver/verified.h"
#include "stepping/flat.h"
#include "stepping/pool_places.h"
#include "stepping/stages.h"

/* State of the law of a unit, counted within its run. */
static void *law_state(const perp_simulation *sim, const interaction_run *run, int32_t unit) {
  if (run->state_bytes == 0) return NULL;
  return sim->state.laws + run->state0 + run->state_bytes * (size_t)unit;
}

/* ------------------------------------------------------------------ right-hand side ---- */

/* Interactions of one row: out[i] := start + H v of interaction k + i. */
static void rhs_along(const interaction_run *run, const segment *at, const double *v, double start,
                      double *out) {
  int32_t terms = run->H_start[run->n_slots];
  const term *t = run->H;
  size_t k = (size_t)at->k, count = (size_t)at->count;
  if (terms == 2) {
    size_t d0 = run->slots[t[0].slot].step, d1 = run->slots[t[1].slot].step;
    const double *v0 = v + t[0].v + k * d0, *v1 = v + t[1].v + k * d1;
    double a0 = t[0].value, a1 = t[1].value;
    for (size_t i = 0; i < count; i++, v0 += d0, v1 += d1) out[i] = start + (a0 * *v0 + a1 * *v1);
    return;
  }
  for (size_t i = 0; i < count; i++) {
    double sum = 0;
    for (int32_t e = 0; e < terms; e++)
      sum += t[e].value * v[t[e].v + (k + i) * run->slots[t[e].slot].step];
    out[i] = start + sum;
  }
}

/* Copies within one interaction. */
static void rhs_within(const interaction_run *run, const segment *at, const double *x,
                       double *out) {
  flat_rows(run, (size_t)at->k, at->copy * run->size, at->count * run->size, x, out);
}

/* Where the relations of a run hold: at the end of the step, or at x_{k+γ}. */
static const double *end_of(const perp_simulation *sim, const interaction_run *run) {
  return run->gamma != 1 ? sim->step.middle : sim->step.free_v;
}

/* What the law of unit u of a segment may know of the begin of the step. */
static perp_law_step begin_of(const perp_simulation *sim, const interaction_run *run,
                              const segment *at, int32_t u, double h) {
  size_t row = layout_unit_row(run, at->k, at->copy) + (size_t)u * (size_t)run->size;
  perp_law_step step = {sim->state.head->t, h, sim->state.y + row, sim->state.ydot + row,
                        sim->state.lambda + row};
  return step;
}

static perp_status apply_all(perp_simulation *sim, const double *lambda, perp_info *info);
static void apply_within(perp_simulation *sim, const interaction_run *run, const segment *at,
                         const double *lambda);

/* The known parts of the impulses: preload := s, free_v += G s. */
static perp_status set_preload(perp_simulation *sim, double h, perp_info *info) {
  memset(sim->problem.preload, 0, (size_t)sim->problem.rows * sizeof(double));
  for (int32_t s = 0; s < sim->active.n_segments; s++) {
    const segment *at = &sim->active.segments[s];
    const interaction_run *run = &sim->runs.interactions[at->run];
    if (run->law->ops->preload == NULL) continue;
    for (int32_t u = 0; u < at->count; u++) {
      perp_law_step step = begin_of(sim, run, at, u, h);
      run->law->ops->preload(run->law, law_state(sim, run, at->k * run->copies + at->copy + u),
                             &step, sim->problem.preload + at->row + u * run->size);
    }
  }
  return apply_all(sim, sim->problem.preload, info);
}

/* rhs (rows of segment s) += D times the known impulses of segment t, of the same interaction. */
static void add_preload_of(const perp_simulation *sim, const segment *at, const segment *other,
                           double *rhs) {
  const interaction_run *run = &sim->runs.interactions[at->run];
  const int32_t size = run->size, m = run->m;
  const double *D = run->D + (size_t)at->k * run->D_step;
  for (int32_t j = 0; j < other->count * size; j++)
    for (int32_t i = 0; i < at->count * size; i++)
      rhs[i] += D[at->copy * size + i + m * (other->copy * size + j)] *
                sim->problem.preload[other->row + j];
}

/* rhs += D s of the units of segment s: D joins all copies of an interaction, whose segments follow
 * one another. */
static void add_preload(const perp_simulation *sim, int32_t s, double *rhs) {
  const segment *at = &sim->active.segments[s],
                *end = sim->active.segments + sim->active.n_segments, *other = at;
  const interaction_run *run = &sim->runs.interactions[at->run];
  if (run->D == NULL) return;
  if (run->m == 1) {
    const double *D = run->D + (size_t)at->k * run->D_step;
    for (int32_t u = 0; u < at->count; u++)
      rhs[u] += D[(size_t)u * run->D_step] * sim->problem.preload[at->row + u];
    return;
  }
  while (other > sim->active.segments && other[-1].run == at->run && other[-1].k == at->k) other--;
  for (; other < end && other->run == at->run && other->k == at->k; other++)
    add_preload_of(sim, at, other, rhs);
}

/* What the law adds to the right-hand side of the units of a segment. */
static void add_restitution(const perp_simulation *sim, const interaction_run *run,
                            const segment *at, double *rhs) {
  const double *level = run->two_step ? sim->iterate.last_y : sim->state.ydot;
  const double *ydot = level + layout_unit_row(run, at->k, at->copy);
  int32_t unit = at->k * run->copies + at->copy;
#if !defined(__OPTIMIZE_SIZE__) /* all at once, without a call for each */
  const double *e = perp_newton_impact_e(run->law);
  if (e != NULL) {
    flat_add((size_t)at->count * (size_t)run->size, *e, ydot, rhs);
    return;
  }
#endif
  for (int32_t i = 0; i < at->count; i++)
    run->law->ops->restitute(run->law, law_state(sim, run, unit + i), ydot + i * run->size,
                             rhs + i * run->size);
}

static perp_status add_restitution_step(const perp_simulation *sim, const interaction_run *run,
                                        const segment *at, double h, double *rhs, perp_info *info) {
  int32_t unit = at->k * run->copies + at->copy;
  for (int32_t i = 0; i < at->count; i++) {
    perp_law_step step = begin_of(sim, run, at, i, h);
    int32_t answer = run->law->ops->restitute_step(run->law, law_state(sim, run, unit + i), &step,
                                                   rhs + i * run->size);
    if (answer != 0)
      return fail_interaction(info, answer < 0 ? PERP_ECALLBACK : PERP_RETRY, "law",
                              run->first + (unit + i) / run->copies, answer);
  }
  return PERP_OK;
}

perp_status perp_reaction_rhs(perp_simulation *sim, double h, perp_info *info) {
  if (sim->problem.preload != NULL) {
    perp_status status = set_preload(sim, h, info);
    if (status != PERP_OK) return status;
  }
  if (sim->step.middle != NULL) perp_motion_middle(sim);
  for (int32_t s = 0; s < sim->active.n_segments; s++) {
    const segment *at = &sim->active.segments[s];
    const interaction_run *run = &sim->runs.interactions[at->run];
    double *rhs = sim->problem.rhs + at->row;
    if (run->live)
      sim->live->rhs(sim, run, at, rhs);
    else if (run->m == 1)
      rhs_along(run, at, end_of(sim, run), run->order == 1 ? run->offset[0] : 0, rhs);
    else
      rhs_within(run, at, end_of(sim, run), rhs);
    if (run->order == 1) continue;
    if (sim->problem.preload != NULL) add_preload(sim, s, rhs);
    if (run->law->ops->restitute_step != NULL) {
      perp_status status = add_restitution_step(sim, run, at, h, rhs, info);
      if (status != PERP_OK) return status;
    } else if (run->law->ops->restitute != NULL) {
      add_restitution(sim, run, at, rhs);
    }
  }
  return PERP_OK;
}

/* ---------------------------------------------------------------------------- solve ---- */

/* One unit by its law's exact solution, then judged like any other; 0 where the law cannot, and
 * the solver may. */
static int solve_unit(perp_simulation *sim, const island *at, perp_residual *residual) {
  const active_unit *a = &sim->active.units[at->first];
  const interaction_run *run = &sim->runs.interactions[a->run];
  const perp_law_ops *ops = run->law->ops;
  if (!run->local) return 0;
  double *lambda = sim->problem.lambda + at->row;
  const double *M = sim->problem.value + at->entry;
  const void *state = law_state(sim, run, a->unit - run->unit0);
  const int32_t offset[2] = {0, run->size};
  perp_problem problem =
      perp_problem_of(perp_dense(run->size, run->size, M), sim->problem.rhs + at->row, 1,
                      &sim->problem.laws[at->law], offset);
  problem.weight = at->weighted ? sim->problem.weight + at->row : NULL;
  problem.states = &state;
  if (ops->local(run->law, state, M, run->size, problem.q, lambda) != PERP_OK) return 0;
  perp_residual_compute(&problem, lambda, sim->problem.y + at->row, residual,
                        sim->problem.residual_work);
  const perp_solver_options *options = (const perp_solver_options *)sim->options.solver_options;
  return perp_residual_solved(residual, options != NULL ? options->tol : PERP_DEFAULT_TOL);
}

/* The warm data of an island; none, with data NULL, if it got no bytes. */
static perp_warm warm_of(const perp_simulation *sim, const island *at) {
  perp_warm warm = {NULL, at->warm_bytes, sim->problem.stamp, 0};
  if (at->warm_bytes > 0) warm.data = sim->problem.warm + at->warm;
  return warm;
}

/* Modes of the state's rows of an island, as the warm start of a matrix that is new. None known is
 * what a solver leaves that forgot them; so is it after a resume. */
static void set_warm(perp_simulation *sim, const island *at, perp_warm *warm) {
  const int32_t *id = sim->problem.row_id + at->row;
  unsigned char *modes = sim->problem.modes + at->row, known = PERP_MODE_UNKNOWN;
  for (int32_t r = 0; r < at->rows; r++) {
    modes[r] = sim->state.modes[id[r]];
    known |= modes[r];
  }
  memset(warm->data, 0, warm->bytes < 16 ? warm->bytes : 16);
  if (known != PERP_MODE_UNKNOWN) (void)perp_warm_set_modes(warm, at->rows, modes);
}

static perp_status solve_island(perp_simulation *sim, int32_t i, perp_residual *residual,
                                perp_info *info) {
  const island *at = &sim->active.islands[i];
  if (sim->global.chosen != NULL && sim->global.chosen[i])
    return sim->global.stage->solve(sim, i, residual, info);
  perp_problem problem;
  perp_layout_island_problem(sim, i, &problem);
  perp_warm warm = warm_of(sim, at);
  if (at->warm_bytes > 0 && sim->active.fresh) set_warm(sim, at, &warm);
  const perp_status status = perp_solver_run(
      sim->options.solver, &problem, sim->options.solver_options, sim->problem.lambda + at->row,
      sim->problem.y + at->row, at->warm_bytes > 0 ? &warm : NULL, sim->problem.work,
      sim->problem.work_bytes, residual, info);
  if (status <= 0 || status == PERP_STOPPED || sim->relax == NULL) return status;
  return sim->relax->solve(sim, i, &problem, status, residual, info);
}

int32_t perp_reaction_whose(const perp_simulation *sim, const interaction_run *run, int32_t k,
                            int *pooled) {
  const int32_t place =
      sim->pool != NULL ? (int32_t)(run - sim->runs.interactions) - sim->pool->run0 : -1;
  *pooled = place >= 0;
  return place >= 0 ? sim->pool->places[place].systems[0] : run->first + k;
}

/* The ending of an island that is not solved, at the unit of its worst row; what a solver names
 * itself is its own. */
static perp_status fail_island(const perp_simulation *sim, const island *at, perp_status status,
                               const perp_residual *residual, const perp_info *own,
                               perp_info *info) {
  if (own->field != NULL) {
    if (info_ready(info)) info->solver = own->solver;
    return fail_of(info, own->of, status, own->field, own->index, own->value);
  }
  const active_unit *worst = &sim->active.units[at->first];
  const interaction_run *run = &sim->runs.interactions[worst->run];
  for (int32_t row = run->size; row <= residual->worst; row += run->size)
    run = &sim->runs.interactions[(++worst)->run];
  int pooled = 0;
  const int32_t index = perp_reaction_whose(sim, run, worst->k, &pooled);
  return fail_of(
      info, pooled ? PERP_OF_SYSTEM : PERP_OF_INTERACTION, status,
      pooled ? "one-step problem at contact of system" : "one-step problem at interaction", index,
      residual->relative);
}

/* Whether the best point of an island that is not solved is near enough. */
static int may_accept(const perp_simulation *sim, const island *at, const perp_residual *residual) {
  const double tol = sim->options.accept_tol;
  return sim->options.on_failure == PERP_FAILURE_ACCEPT &&
         all_finite((size_t)at->rows, sim->problem.lambda + at->row) &&
         (tol == HUGE_VAL || perp_residual_solved(residual, tol));
}

/* The worst residual of the islands so far. */
static void note_residual(perp_simulation *sim, const island *at, const perp_residual *residual,
                          perp_info *info) {
  if (residual->relative <= sim->counts.residual) return;
  sim->counts.residual = residual->relative;
  if (!info_ready(info)) return;
  info->residual = residual->residual;
  info->relative_residual = residual->relative;
  info->amplification = residual_amplification(residual);
  info->worst = residual->worst >= 0 ? sim->problem.row_id[at->row + residual->worst] : -1;
}

/* An island by the solver; its best point where that is to be accepted. */
static perp_status solve_by_solver(perp_simulation *sim, int32_t i, perp_info *info) {
  const island *at = &sim->active.islands[i];
  perp_residual residual = PERP_RESIDUAL_INIT;
  perp_info own = PERP_INFO_INIT;
  const perp_status status = solve_island(sim, i, &residual, &own);
  sim->counts.iterations += (uint32_t)own.iterations;
  note_residual(sim, at, &residual, info);
  if (status == PERP_OK) return PERP_OK;
  sim->counts.report.failures++;
  if (status < 0 || !may_accept(sim, at, &residual))
    return fail_island(sim, at, status, &residual, &own, info);
  sim->counts.accepted++;
  return PERP_OK;
}

int perp_reaction_unit(perp_simulation *sim, const island *at, perp_info *info) {
  const active_unit *a = &sim->active.units[at->first];
  const interaction_run *run = &sim->runs.interactions[a->run];
  const segment one = {a->run, a->k, a->copy, 1, at->row};
  double *rhs = sim->problem.rhs + at->row;
  perp_residual residual;
  rhs_within(run, &one, sim->step.free_v, rhs);
  if (run->law->ops->restitute != NULL)
    run->law->ops->restitute(run->law, law_state(sim, run, a->unit - run->unit0),
                             sim->state.ydot + layout_unit_row(run, a->k, a->copy), rhs);
  if (!solve_unit(sim, at, &residual)) return 0;
  note_residual(sim, at, &residual, info);
  apply_within(sim, run, &one, sim->problem.lambda + at->row);
  return 1;
}

perp_status perp_reaction_solve(perp_simulation *sim, perp_info *info) {
  perp_status status = PERP_OK;
  sim->counts.residual = 0;
  sim->counts.relaxed = 0;
  for (int32_t i = 0; i < sim->active.n_islands && status == PERP_OK; i++) {
    const island *at = &sim->active.islands[i];
    const int global = sim->global.chosen != NULL && sim->global.chosen[i];
    perp_residual residual; /* written whole by the judge */
    if (at->count == 1 && !global && solve_unit(sim, at, &residual))
      note_residual(sim, at, &residual, info);
    else
      status = solve_by_solver(sim, i, info);
  }
  if (info_ready(info)) info->iterations = (int32_t)sim->counts.iterations;
  return status;
}

/* ---------------------------------------------------------------------------- apply ---- */

/* Interactions of one row: term by term of G, along the interactions. */
static void apply_along(perp_simulation *sim, const interaction_run *run, const segment *at,
                        const double *lambda) {
  for (int32_t e = 0; e < run->G_start[1]; e++) {
    const term *t = &run->G_terms[e];
    size_t step = run->slots[t->slot].step;
    double *restrict v = sim->step.free_v + t->v + (size_t)at->k * step, g = t->value;
    for (int32_t k = 0; k < at->count; k++, v += step) *v += g * lambda[k];
  }
}

/* Copies within one interaction: column by column of G. */
static void apply_within(perp_simulation *sim, const interaction_run *run, const segment *at,
                         const double *lambda) {
  const int32_t *start = run->G_start + at->copy * run->size;
  const term *t = run->G_terms + *start;
  double *v = sim->step.free_v;
  for (int32_t i = 0; i < at->count * run->size; i++) {
    const term *end = run->G_terms + start[i + 1];
    for (; t < end; t++) v[t->v + flat_shift(run, t, (size_t)at->k)] += t->value * lambda[i];
  }
}

/* free_v += G λ of one segment. */
static void apply(perp_simulation *sim, const segment *at, const double *lambda) {
  const interaction_run *run = &sim->runs.interactions[at->run];
  if (run->live)
    sim->live->apply(sim, run, at, lambda);
  else if (run->m == 1)
    apply_along(sim, run, at, lambda);
  else
    apply_within(sim, run, at, lambda);
}

/* free_v += G λ of all segments, λ of the active rows. */
static perp_status apply_all(perp_simulation *sim, const double *lambda, perp_info *info) {
  for (int32_t s = 0; s < sim->active.n_segments; s++)
    apply(sim, &sim->active.segments[s], lambda + sim->active.segments[s].row);
  perp_status status = sim->sparse != NULL ? sim->sparse->apply(sim, lambda) : PERP_OK;
  return status == PERP_OK ? PERP_OK : fail(info, status, "sparse", -1, sim->runs.h);
}

perp_status perp_reaction_apply(perp_simulation *sim, perp_info *info) {
  return apply_all(sim, sim->problem.lambda, info);
}

/* --------------------------------------------------------------------------- commit ---- */

/* Forget λ and modes of the units that acted before, and do not now. */
static void clear_before(perp_simulation *sim) {
  const int32_t *now = sim->active.acting, *end = now + sim->active.n; /* some acted: no NULL */
  for (int32_t u = 0; u < sim->active.n_acted; u++) {
    const int32_t unit = sim->active.acted[u];
    if (active_among(&now, end, unit)) continue;
    const interaction_run *run = perp_layout_run_of(sim, unit, 1);
    const size_t row = run->row0 + (size_t)(unit - run->unit0) * (size_t)run->size;
    for (size_t i = row; i < row + (size_t)run->size; i++) {
      sim->state.lambda[i] = 0;
      sim->state.modes[i] = PERP_MODE_UNKNOWN;
    }
  }
}

/* The mode of one unknown where no solver told it. */
static unsigned char mode_of(int32_t set, double lambda) {
  return set == PERP_SET_ORTHANT && !(lambda > 0) ? PERP_MODE_LOWER : PERP_MODE_FREE;
}

/* Modes of an island as its solver told them, or as λ shows them. */
static void read_modes(perp_simulation *sim, int32_t i) {
  const island *at = &sim->active.islands[i];
  unsigned char *modes = sim->problem.modes + at->row;
  perp_warm warm = warm_of(sim, at);
  if (at->warm_bytes > 0 && perp_warm_get_modes(&warm, at->rows, modes) == PERP_OK) return;
  int32_t set = sim->problem.laws[at->law]->ops->set;
  for (int32_t r = 0; r < at->rows; r++) modes[r] = mode_of(set, sim->problem.lambda[at->row + r]);
}

/* λ and modes of one segment, whose rows are neighbours in the state too; at order 1 also y, which
 * the one-step problem is about. Returns how many of its gated units have just begun to push. */
static uint32_t store(perp_simulation *sim, const segment *at) {
  const interaction_run *run = &sim->runs.interactions[at->run];
  const size_t row = layout_unit_row(run, at->k, at->copy);
  const int32_t rows = at->count * run->size;
  const double *restrict now = sim->problem.lambda + at->row;
  double *restrict lambda = sim->state.lambda + row;
  uint32_t impacts = 0;
  for (int32_t i = run->gated ? 0 : rows; i < rows; i += run->size)
    impacts += now[i] > 0 && !(lambda[i] > 0);
  memcpy(lambda, now, (size_t)rows * sizeof *lambda);
  memcpy(sim->state.modes + row, sim->problem.modes + at->row, (size_t)rows);
  if (run->order == 1 && !run->live)
    memcpy(sim->state.y + row, sim->problem.y + at->row, (size_t)rows * sizeof(double));
  return impacts;
}

static void count(perp_simulation *sim, uint32_t impacts) {
  perp_report *report = &sim->counts.report;
  report->active += (uint32_t)sim->problem.rows;
  report->impacts += impacts;
  report->solver_iterations += sim->counts.iterations;
  if (sim->problem.rows > report->max_active) report->max_active = sim->problem.rows;
  if (!(sim->counts.residual <= report->residual)) report->residual = sim->counts.residual;
}

void perp_reaction_commit(perp_simulation *sim) {
  uint32_t impacts = 0;
  for (int32_t i = 0; i < sim->active.n_islands; i++) read_modes(sim, i);
  /* The whole impulse, from which the next step starts as a resumed one does. */
  for (int32_t r = 0; sim->problem.preload != NULL && r < sim->problem.rows; r++)
    sim->problem.lambda[r] += sim->problem.preload[r];
  assert(sim->active.fresh || sim->active.n == sim->active.n_acted);
  if (sim->active.fresh) clear_before(sim);
  for (int32_t s = 0; s < sim->active.n_segments; s++)
    impacts += store(sim, &sim->active.segments[s]);
  if (sim->active.fresh) { /* otherwise they are equal */
    int32_t *spare = sim->active.acted;
    sim->active.acted = sim->active.acting;
    sim->active.acting = spare;
    sim->active.n_acted = sim->active.n;
  }
  sim->active.fresh = 0;
  if (sim->active.n > 0) count(sim, impacts);
}

void perp_reaction_commit_units(perp_simulation *sim) {
  uint32_t impacts = 0;
  for (int32_t i = 0; i < sim->active.n_islands; i++) {
    const active_unit *a = &sim->active.units[i];
    const interaction_run *run = &sim->runs.interactions[a->run];
    const int32_t set = run->law->ops->set;
    const double *now = sim->problem.lambda + sim->active.islands[i].row;
    const size_t row = layout_unit_row(run, a->k, a->copy);
    double *lambda = sim->state.lambda + row;
    unsigned char *modes = sim->state.modes + row;
    impacts += run->gated && now[0] > 0 && !(lambda[0] > 0);
    for (int32_t r = 0; r < run->size; r++) {
      lambda[r] = now[r];
      modes[r] = mode_of(set, now[r]);
    }
  }
  count(sim, impacts);
}

void perp_reaction_commit_laws(perp_simulation *sim) {
  for (int32_t u = 0; u < sim->active.n; u++) {
    const active_unit *a = &sim->active.units[u];
    const interaction_run *run = &sim->runs.interactions[a->run];
    size_t row = layout_unit_row(run, a->k, a->copy);
    const perp_law_ops *ops = run->law->ops;
    void *state = law_state(sim, run, a->unit - run->unit0);
    perp_law_step step = {sim->state.head->t, sim->state.head->h, sim->state.y + row,
                          sim->state.ydot + row, sim->state.lambda + row};
    if (ops->commit_step != NULL && run->order == 2)
      ops->commit_step(run->law, state, &step);
    else if (ops->commit != NULL)
      ops->commit(run->law, state, run->order == 2 ? step.ydot : step.y, step.lambda);
  }
}

void perp_reaction_penetration(perp_simulation *sim) {
  double lowest = -sim->counts.report.penetration;
  for (int32_t s = 0; s < sim->active.n_segments; s++) {
    const segment *at = &sim->active.segments[s];
    const interaction_run *run = &sim->runs.interactions[at->run];
    const double *y = sim->state.y + layout_unit_row(run, at->k, at->copy);
    for (int32_t u = run->gated ? at->count : 0; u > 0; u--, y += run->size)
      lowest = *y < lowest ? *y : lowest;
  }
  sim->counts.report.penetration = -lowest;
}
