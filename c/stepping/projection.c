/* SPDX-License-Identifier: MIT */
/* Projection on the constraints at the end of a step: positions q ⊕ d with
 *   M d = Hᵀμ,   y + H d = 0 of bilateral rows,   0 ≤ y + H d ⟂ μ ≥ 0 of unilateral ones,
 * so d is the least displacement in the metric of the mass that the linearised constraints allow;
 * repeated until the constraints hold at the positions themselves. H is ∂ẏ/∂v, the derivative of y
 * along q ⊕ d, so a quaternion stays of unit length and needs no row of its own.
 * Combined: the velocities are solved again at the projected positions, and so on in turn.
 * Source: Acary, Comput. Methods Appl. Mech. Engrg. 256 (2013) 224-250. */
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "solver/verified.h"
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
    return fail_solver(info, o->solver->name, "projection", PERP_OF_ENTRY, -1, o->solver->sets);
  return PERP_OK;
}

/* Rows of y that have a position: all of a bilateral copy, the first of a unilateral one. */
static int32_t rows_of(const interaction_run *run) {
  const perp_relation_ops *ops = run->relation->ops;
  if (!run->live || run->order != 2 || run->two_step) return 0;
  if (ops->terms == NULL &&
      (ops->features == NULL || (ops->features(run->relation) & PERP_RELATION_HOLONOMIC) == 0))
    return 0;
  if (run->law->ops->set == PERP_SET_FREE) return run->size;
  return run->gated ? 1 : 0;
}

static int is_unilateral(const interaction_run *run) { return run->law->ops->set != PERP_SET_FREE; }

/* Calls visit for every copy whose rows could be projected. */
typedef void visitor(perp_simulation *sim, projection_row at, void *context);

static void each_copy(perp_simulation *sim, visitor *visit, void *context) {
  for (int32_t r = 0; r < sim->runs.n_interaction_runs; r++) {
    const interaction_run *run = &sim->runs.interactions[r];
    const int32_t rows = rows_of(run);
    for (int32_t k = 0; rows > 0 && k < run->count; k++) {
      if (layout_rests(sim, run, k)) continue;
      for (int32_t copy = 0; copy < run->copies; copy++) {
        const projection_row at = {r, k, copy * run->size, is_unilateral(run)};
        visit(sim, at, context);
      }
    }
  }
}

static double value_of(const perp_simulation *sim, const projection_row *row) {
  const interaction_run *run = &sim->runs.interactions[row->run];
  return run->at.y[(size_t)row->k * (size_t)run->m + (size_t)row->row];
}

static unsigned char *listed(const perp_simulation *sim, const projection_row *row) {
  const interaction_run *run = &sim->runs.interactions[row->run];
  return sim->projection.listed + run->unit0 + row->k * run->copies + row->row / run->size;
}

/* The largest violation of a row, relative to its tolerance; the first rows to project: equalities,
 * and contacts that act or are violated. */
static void judge_row(perp_simulation *sim, projection_row at, void *context) {
  const perp_simulation_options *o = &sim->options;
  const interaction_run *run = &sim->runs.interactions[at.run];
  const double y = value_of(sim, &at);
  double *worst = (double *)context;
  *listed(sim, &at) = 1;
  if (at.unilateral) {
    *worst = live_worse(*worst, -y / o->projection_tol_unilateral);
    *listed(sim, &at) =
        y < 0 || sim->active.acts[run->unit0 + at.k * run->copies + at.row / run->size];
    return;
  }
  for (int32_t i = 0; i < run->size; i++, at.row++)
    *worst = live_worse(*worst, fabs(value_of(sim, &at)) / o->projection_tol);
}

double perp_projection_judge(perp_simulation *sim) {
  double worst = 0;
  each_copy(sim, judge_row, &worst);
  return worst;
}

/* Number the rows that are listed. */
static void number_rows(perp_simulation *sim) {
  projection *p = &sim->projection;
  p->n = 0;
  for (int32_t r = 0; r < sim->runs.n_interaction_runs; r++) {
    const interaction_run *run = &sim->runs.interactions[r];
    const int32_t rows = rows_of(run);
    for (int32_t k = 0; k < run->count; k++) {
      p->first[run->first + k] = p->n;
      if (layout_rests(sim, run, k)) continue;
      for (int32_t row = 0; rows > 0 && row < run->m; row += run->size) {
        projection_row at = {r, k, row, is_unilateral(run)};
        if (!*listed(sim, &at)) continue;
        for (int32_t i = 0; i < rows; i++, at.row++) p->rows[p->n++] = at;
      }
    }
  }
  const interaction_run *last = &sim->runs.interactions[sim->runs.n_interaction_runs - 1];
  p->first[last->first + last->count] = p->n;
}

/* Value (row, other) of H M⁻¹ Hᵀ over one system that both have. */
static double product(const perp_simulation *sim, const projection_row *row, const slot *at,
                      const projection_row *other, const slot *in) {
  const interaction_run *a = &sim->runs.interactions[row->run],
                        *b = &sim->runs.interactions[other->run];
  const size_t m = (size_t)a->m, n = (size_t)b->n;
  const double *H = a->at.H + (size_t)row->k * m * (size_t)a->n + (size_t)at->column * m;
  const double *G = b->G + (size_t)other->k * b->G_step + (size_t)other->row * n;
  double sum = 0;
  for (size_t c = 0; c < (size_t)at->n; c++)
    sum += H[c * m + (size_t)row->row] * G[(size_t)in->column + c];
  return sum;
}

/* Row i of the matrix: what its systems join it to. */
static void assemble_row(perp_simulation *sim, int32_t i, int32_t *entries) {
  projection *p = &sim->projection;
  const projection_row *row = &p->rows[i];
  const interaction_run *run = &sim->runs.interactions[row->run];
  const int32_t begin = *entries;
  p->start[i] = begin;
  for (int32_t s = 0; s < run->n_slots; s++) {
    const slot *at = &run->slots[s];
    const int32_t system = at->system0 + at->stride * row->k;
    for (int32_t e = sim->runs.incidence_start[system]; e < sim->runs.incidence_start[system + 1];
         e++) {
      const struct incidence *in = &sim->runs.incidence[e];
      const interaction_run *other = &sim->runs.interactions[in->run];
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

/* H d of a row. */
static double change_of(const perp_simulation *sim, const projection_row *row) {
  const interaction_run *run = &sim->runs.interactions[row->run];
  const size_t m = (size_t)run->m;
  const double *H = run->at.H + (size_t)row->k * m * (size_t)run->n + (size_t)row->row;
  double sum = 0;
  for (int32_t s = 0; s < run->n_slots; s++) {
    const slot *at = &run->slots[s];
    const double *d = sim->projection.d + at->v0 + (size_t)row->k * at->step;
    for (int32_t c = 0; c < at->n; c++) sum += H[(size_t)(at->column + c) * m] * d[c];
  }
  return sum;
}

/* The linear problem of the rows that are listed, where others move positions by d. */
static perp_problem assemble(perp_simulation *sim) {
  projection *p = &sim->projection;
  int32_t entries = 0, blocks = 0;
  for (int32_t i = 0; i < p->n; i++) p->mark[i] = -1;
  for (int32_t i = 0; i < p->n; i++) {
    const projection_row *row = &p->rows[i];
    assemble_row(sim, i, &entries);
    p->rhs[i] = value_of(sim, row) + change_of(sim, row);
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
  return problem;
}

static perp_status run_solver(perp_simulation *sim, const perp_problem *problem, perp_info *info) {
  return perp_solver_run(sim->options.solver, problem, sim->options.solver_options,
                         sim->projection.mu, sim->projection.y, NULL, sim->problem.work,
                         sim->problem.work_bytes, NULL, info);
}

/* Rows that contradict each other: with ε_i on the diagonal, 0 <= y + H d + ε μ ⟂ μ >= 0, μ always
 * exists, and as ε → 0 the rows are missed least, in the sum of squares weighted by 1/ε. ε_i is
 * 1e-9 of the entry there, so that no row depends on the scale of others. */
static void relax(projection *p) {
  for (int32_t i = 0; i < p->n; i++)
    for (int32_t e = p->start[i]; e < p->start[i + 1]; e++)
      if (p->index[e] == i) p->value[e] = p->value[e] > 0 ? p->value[e] * (1 + 1e-9) : 1e-9;
  memset(p->mu, 0, (size_t)p->n * sizeof *p->mu);
}

/* A displacement d, and what it does to the rows. */
typedef struct effect {
  double largest;       /* of all |H d|                                                    */
  double missed;        /* by how much listed rows are missed after d                      */
  double reach;         /* gaps up to this may be closed by a displacement of this size    */
  int closes;           /* a row that is not listed is closed by d                         */
  int added;            /* to the list, for that                                           */
  int relaxed;          /* the rows contradict each other: d misses them least             */
  perp_status unsolved; /* what the solver said of the rows as they are                    */
} effect;

/* μ of the rows that are listed. Where the solver met its limit, what it has may still bring the
 * positions nearer: they are judged, not μ. */
static perp_status solve(perp_simulation *sim, effect *x, perp_info *info) {
  const projection *p = &sim->projection;
  perp_info own = PERP_INFO_INIT, again = PERP_INFO_INIT;
  const perp_problem problem = assemble(sim);
  x->relaxed = 0;
  x->unsolved = run_solver(sim, &problem, &own);
  if (x->unsolved == PERP_OK) return PERP_OK;
  if (x->unsolved > 0 && x->unsolved != PERP_STOPPED && sim->options.equality_tol > 0) {
    relax(&sim->projection);
    x->relaxed = run_solver(sim, &problem, &again) == PERP_OK;
  }
  if (x->relaxed) return PERP_OK;
  if ((x->unsolved == PERP_MAX_ITER || x->unsolved == PERP_INACCURATE) &&
      all_finite((size_t)p->n, p->mu))
    return PERP_OK;
  return fail(info, x->unsolved, "projection", -1, own.residual);
}

perp_status perp_projection_answer(perp_simulation *sim, perp_info *info) {
  effect own;
  return solve(sim, &own, info);
}

void perp_projection_displace(const perp_simulation *sim, const double *mu, double *x) {
  const projection *p = &sim->projection;
  for (int32_t i = 0; i < p->n; i++) {
    const projection_row *row = &p->rows[i];
    const interaction_run *run = &sim->runs.interactions[row->run];
    const size_t n = (size_t)run->n;
    const double *G = run->G + (size_t)row->k * run->G_step + (size_t)row->row * n;
    for (int32_t s = 0; s < run->n_slots; s++) {
      const slot *at = &run->slots[s];
      double *d = x + at->v0 + (size_t)row->k * at->step;
      for (int32_t c = 0; c < at->n; c++) d[c] += G[at->column + c] * mu[i];
    }
  }
}

static void add_effect(perp_simulation *sim, projection_row at, void *context) {
  effect *x = (effect *)context;
  const int32_t rows = at.unilateral ? 1 : sim->runs.interactions[at.run].size;
  const int is_listed = *listed(sim, &at);
  for (int32_t i = 0; i < rows; i++, at.row++) {
    const double change = change_of(sim, &at), y = value_of(sim, &at) + change;
    const double miss = at.unilateral ? -y : fabs(y);
    x->largest = live_worse(x->largest, fabs(change));
    if (is_listed) x->missed = live_worse(x->missed, miss);
    if (!is_listed && miss > 0.5 * sim->options.projection_tol_unilateral) x->closes = 1;
  }
}

static void add_within_reach(perp_simulation *sim, projection_row at, void *context) {
  effect *x = (effect *)context;
  unsigned char *is_listed = listed(sim, &at);
  if (*is_listed || value_of(sim, &at) > x->reach) return;
  *is_listed = 1;
  x->added = 1;
}

static perp_status gains(perp_simulation *sim, perp_info *info) {
  const projection *p = &sim->projection;
  perp_status status = PERP_OK;
  for (int32_t r = 0; status == PERP_OK && r < sim->runs.n_interaction_runs; r++) {
    const interaction_run *run = &sim->runs.interactions[r];
    for (int32_t k = 0; status == PERP_OK && k < run->count; k++)
      if (p->first[run->first + k] < p->first[run->first + k + 1])
        status = perp_live_relation_gain(sim, run, (size_t)k);
    if (status != PERP_OK) fail_interaction(info, status, "projection", run->first, 0);
  }
  return status;
}

/* d of the rows that are listed. */
static perp_status find_alone(perp_simulation *sim, void *context, perp_info *info) {
  effect *x = (effect *)context;
  memset(sim->projection.d, 0, sim->state.n_v * sizeof(double));
  perp_status status = gains(sim, info);
  if (status == PERP_OK) status = solve(sim, x, info);
  if (status == PERP_OK) perp_projection_displace(sim, sim->projection.mu, sim->projection.d);
  return status;
}

/* d of all rows: those that are listed, and then those whose gaps it would close, with all that are
 * as near, further and further until it closes none. */
static perp_status find_all(perp_simulation *sim, effect *x, perp_projection_finder *find,
                            void *context, perp_info *info) {
  x->reach = 0;
  do {
    number_rows(sim);
    const perp_status status = find(sim, context, info);
    if (status != PERP_OK) return status;
    x->largest = x->missed = 0;
    x->closes = x->added = 0;
    each_copy(sim, add_effect, x);
    x->reach = x->largest > 2 * x->reach ? x->largest : 2 * x->reach;
    if (x->closes) each_copy(sim, add_within_reach, x);
  } while (x->added);
  return PERP_OK;
}

perp_status perp_projection_find(perp_simulation *sim, perp_projection_finder *find, void *context,
                                 perp_info *info) {
  effect own = {0};
  return find_all(sim, &own, find, context, info);
}

/* Everything about the relations at trial_q, of units that act or not. */
static perp_status evaluate(perp_simulation *sim, double t_next, double h, perp_info *info) {
  const perp_status status = perp_live_relations(sim, t_next, h, 0, info);
  return status == PERP_OK ? perp_live_relations(sim, t_next, h, 1, info) : status;
}

/* One pass: positions moved by d, and everything evaluated there. Where d of an unsolved problem is
 * nothing they stay: *least, or no pass would help. */
static perp_status pass(perp_simulation *sim, double t_next, double h, int *least,
                        perp_info *info) {
  const perp_simulation_options *o = &sim->options;
  effect x = {0};
  perp_status status = perp_live_masses(sim, sim->iterate.q, t_next, info);
  if (status == PERP_OK) status = find_all(sim, &x, find_alone, &x, info);
  if (status != PERP_OK) return status;
  if (x.unsolved != PERP_OK && x.largest <= o->projection_tol &&
      x.largest <= o->projection_tol_unilateral) {
    *least = x.relaxed && x.missed <= o->equality_tol;
    return *least ? PERP_OK : fail(info, x.unsolved, "projection", -1, x.missed);
  }
  perp_projection_displace(sim, sim->projection.mu, sim->projection.shift);
  perp_live_move(sim, h);
  return evaluate(sim, t_next, h, info);
}

perp_status perp_projection(perp_simulation *sim, double t_next, double h, int *moved,
                            perp_info *info) {
  int least = 0;
  *moved = 0;
  if (sim->runs.n_interaction_runs == 0) return PERP_OK;
  perp_status status = perp_live_relations(sim, t_next, h, 1, info);
  for (int32_t i = 0; status == PERP_OK; i++) {
    const double worst = perp_projection_judge(sim);
    if (worst <= 1) break;
    if (i == sim->options.projection_max)
      return fail(info, is_finite(worst) ? PERP_MAX_ITER : PERP_ENOTFINITE, "projection", -1,
                  worst);
    status = pass(sim, t_next, h, &least, info);
    if (least) break;
    *moved = 1;
  }
  sim->counts.relaxed += least;
  if (status == PERP_OK && *moved) status = perp_live_systems(sim, t_next, h, info);
  return status;
}
