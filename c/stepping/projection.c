/* SPDX-License-Identifier: MIT */
/* Projection on the constraints at the end of a step: positions q ⊕ d with
 *   M d = Hᵀμ,   y + H d = 0 of bilateral rows,   0 ≤ y + H d ⟂ μ ≥ 0 of unilateral ones,
 * so d is the least displacement in the metric of the mass that the linearised constraints allow;
 * repeated until the constraints hold at the positions themselves. H is ∂ẏ/∂v, the derivative of y
 * along q ⊕ d, so a quaternion stays of unit length and needs no row of its own.
 * Combined: the velocities are solved again at the projected positions, and so on in turn.
 * Source: Acary, Comput. Methods Appl. Mech. Engrg. 256 (2013) 224-250. */
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "solver/run.h"
#include "stepping/live.h"

perp_status perp_projection_check(const perp_model *model, const perp_simulation_options *o,
                                  perp_info *info) {
  const uint32_t needed = 1u << PERP_SET_FREE | 1u << PERP_SET_ORTHANT;
  if (model->n_interactions == 0 && model->pool == NULL) return PERP_OK;
  if (o->projection_max < 1)
    return fail(info, PERP_EINVAL, "projection_max", -1, o->projection_max);
  if (!(o->projection_tol > 0))
    return fail(info, PERP_EINVAL, "projection_tol", -1, o->projection_tol);
  if (!(o->projection_tol_unilateral > 0))
    return fail(info, PERP_EINVAL, "projection_tol_unilateral", -1, o->projection_tol_unilateral);
  if (o->solver != NULL && (o->solver->sets & needed) != needed)
    return fail(info, PERP_EUNSUPPORTED, "projection", -1, o->solver->sets);
  return PERP_OK;
}

/* Rows of y that have a position: all of a bilateral copy, the first of a unilateral one. */
static int32_t rows_of(const interaction_run *run) {
  const perp_relation_ops *ops = run->relation->ops;
  if (!run->live || run->order != 2 || run->position) return 0;
  if (ops->terms == NULL &&
      (ops->features == NULL || (ops->features(run->relation) & PERP_RELATION_HOLONOMIC) == 0))
    return 0;
  if (run->law->ops->set == PERP_SET_FREE) return run->size;
  return run->gated ? 1 : 0;
}

/* List the rows to project; the largest violation of one, relative to its tolerance. */
static double select_rows(perp_simulation *sim) {
  projection *p = &sim->projection;
  const perp_simulation_options *o = &sim->options;
  double worst = 0;
  p->n = 0;
  for (int32_t r = 0; r < sim->n_interaction_runs; r++) {
    const interaction_run *run = &sim->interactions[r];
    const int32_t rows = rows_of(run);
    const int gated = rows > 0 && run->law->ops->set != PERP_SET_FREE;
    for (int32_t k = 0; k < run->count; k++) {
      p->first[run->first + k] = p->n;
      if (layout_rests(sim, run, k)) continue;
      for (int32_t copy = 0; rows > 0 && copy < run->copies; copy++) {
        const int32_t row = copy * run->size;
        const double *y = run->at.y + k * run->m + row;
        const int acts = sim->acting[run->unit0 + k * run->copies + copy];
        if (gated && !acts && y[0] >= 0) continue;
        for (int32_t i = 0; i < rows; i++) {
          const double violation = gated ? -y[i] / o->projection_tol_unilateral
                                         : (y[i] < 0 ? -y[i] : y[i]) / o->projection_tol;
          worst = live_worse(worst, violation);
          const projection_row at = {r, k, row + i, gated};
          p->rows[p->n++] = at;
        }
      }
    }
  }
  const interaction_run *last = &sim->interactions[sim->n_interaction_runs - 1];
  p->first[last->first + last->count] = p->n;
  return worst;
}

/* Value (row, other) of H M⁻¹ Hᵀ over one system that both have. */
static double product(const perp_simulation *sim, const projection_row *row, const slot *at,
                      const projection_row *other, const slot *in) {
  const interaction_run *a = &sim->interactions[row->run], *b = &sim->interactions[other->run];
  const size_t m = (size_t)a->m, n = (size_t)b->n;
  const double *H = a->at.H + (size_t)row->k * m * (size_t)a->n + (size_t)at->column * m;
  const double *G = b->G + (size_t)other->k * n * (size_t)b->m + (size_t)other->row * n;
  double sum = 0;
  for (size_t c = 0; c < (size_t)at->n; c++)
    sum += H[c * m + (size_t)row->row] * G[(size_t)in->column + c];
  return sum;
}

/* Row i of the matrix: what its systems join it to. */
static void assemble_row(perp_simulation *sim, int32_t i, int32_t *entries) {
  projection *p = &sim->projection;
  const projection_row *row = &p->rows[i];
  const interaction_run *run = &sim->interactions[row->run];
  const int32_t begin = *entries;
  p->start[i] = begin;
  for (int32_t s = 0; s < run->n_slots; s++) {
    const slot *at = &run->slots[s];
    const int32_t system = at->system0 + at->stride * row->k;
    for (int32_t e = sim->incidence_start[system]; e < sim->incidence_start[system + 1]; e++) {
      const struct incidence *in = &sim->incidence[e];
      const interaction_run *other = &sim->interactions[in->run];
      const int32_t number = other->first + in->k;
      for (int32_t j = p->first[number]; j < p->first[number + 1]; j++) {
        if (p->mark[j] < begin) {
          p->mark[j] = *entries;
          p->index[*entries] = j;
          p->value[(*entries)++] = 0;
        }
        p->value[p->mark[j]] += product(sim, row, at, &p->rows[j], &other->slots[in->slot]);
      }
    }
  }
}

/* The one-step problem of the rows, solved for μ. */
static perp_status solve(perp_simulation *sim, perp_info *info) {
  projection *p = &sim->projection;
  int32_t entries = 0, blocks = 0;
  for (int32_t i = 0; i < p->n; i++) p->mark[i] = -1;
  for (int32_t i = 0; i < p->n; i++) {
    const projection_row *row = &p->rows[i];
    const interaction_run *run = &sim->interactions[row->run];
    assemble_row(sim, i, &entries);
    p->rhs[i] = run->at.y[row->k * run->m + row->row];
    p->mu[i] = 0;
    p->floor[i] = 0.5 * (row->unilateral ? sim->options.projection_tol_unilateral
                                         : sim->options.projection_tol);
    if (i == 0 || row->unilateral != p->rows[i - 1].unilateral) {
      p->laws[blocks] = row->unilateral ? &p->unilateral.law : &p->bilateral.law;
      p->offset[blocks++] = i;
    }
  }
  p->start[p->n] = entries;
  p->offset[blocks] = p->n;
  perp_problem problem = perp_problem_of(perp_compressed_rows(p->n, p->start, p->index, p->value),
                                         p->rhs, blocks, p->laws, p->offset);
  problem.floor = p->floor;
  perp_info own = PERP_INFO_INIT;
  const perp_status status =
      perp_solver_run(sim->options.solver, &problem, sim->options.solver_options, p->mu, p->y, NULL,
                      sim->solver_work, sim->solver_bytes, NULL, &own);
  return status == PERP_OK ? PERP_OK : fail(info, status, "projection", -1, own.residual);
}

/* shift += M⁻¹Hᵀμ. */
static void displace(perp_simulation *sim) {
  const projection *p = &sim->projection;
  for (int32_t i = 0; i < p->n; i++) {
    const projection_row *row = &p->rows[i];
    const interaction_run *run = &sim->interactions[row->run];
    const size_t n = (size_t)run->n;
    const double *G = run->G + (size_t)row->k * n * (size_t)run->m + (size_t)row->row * n;
    for (int32_t s = 0; s < run->n_slots; s++) {
      const slot *at = &run->slots[s];
      double *shift = sim->shift + at->v0 + (size_t)row->k * at->step;
      for (int32_t c = 0; c < at->n; c++) shift[c] += G[at->column + c] * p->mu[i];
    }
  }
}

/* Everything about the relations at trial_q, of units that act or not. */
static perp_status evaluate(perp_simulation *sim, double t_next, double h, perp_info *info) {
  const perp_status status = perp_live_relations(sim, t_next, h, 0, info);
  return status == PERP_OK ? perp_live_relations(sim, t_next, h, 1, info) : status;
}

perp_status perp_projection(perp_simulation *sim, double t_next, double h, int *moved,
                            perp_info *info) {
  projection *p = &sim->projection;
  *moved = 0;
  if (sim->n_interaction_runs == 0) return PERP_OK;
  perp_status status = perp_live_relations(sim, t_next, h, 1, info);
  for (int32_t i = 0; status == PERP_OK; i++) {
    const double worst = select_rows(sim);
    if (worst <= 1) break;
    if (i == sim->options.projection_max)
      return fail(info, is_finite(worst) ? PERP_MAX_ITER : PERP_ENOTFINITE, "projection", -1,
                  worst);
    status = perp_live_masses(sim, sim->trial_q, t_next, info);
    for (int32_t r = 0; status == PERP_OK && r < sim->n_interaction_runs; r++) {
      const interaction_run *run = &sim->interactions[r];
      for (int32_t k = 0; status == PERP_OK && k < run->count; k++)
        if (p->first[run->first + k] < p->first[run->first + k + 1])
          status = perp_live_relation_gain(sim, run, (size_t)k);
    }
    if (status == PERP_OK) status = solve(sim, info);
    if (status != PERP_OK) return status;
    displace(sim);
    perp_live_move(sim, h);
    status = evaluate(sim, t_next, h, info);
    *moved = 1;
  }
  if (status == PERP_OK && *moved) status = perp_live_systems(sim, t_next, h, info);
  return status;
}
