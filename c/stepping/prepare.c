/* SPDX-License-Identifier: MIT */
/* Options of a simulation: defaults, and whether they fit a model. */
#include <float.h>
#include <math.h>

#include "base/finite.h"
#include "base/info.h"
#include "base/options.h"
#include "linalg/sparse_table.h"
#include "model/check.h"
#include "perp/pool.h"
#include "solver/solver_options.h"
#include "stepping/stages.h"

static perp_simulation_options defaults(void) {
  perp_simulation_options o;
  memset(&o, 0, sizeof o);
  o.struct_size = (uint32_t)sizeof o;
  o.theta = 0.5;
  o.gamma = PERP_GAMMA_DEFAULT;
  o.min_gap = -1e-3;
  o.max_halvings = 4;
  o.newton_max = 50;
  o.newton_halvings = 8;
  o.newton_tol = 1e-10;
  o.reaction_gamma = 1;
  o.equality_tol = 1e-3;
  o.accept_tol = 1e-2;
  o.sleep_time = 0.5;
  o.projection_max = 20;
  o.projection_tol = 1e-8;
  o.projection_tol_unilateral = 1e-8;
  return o;
}

void perp_simulation_options_init(perp_simulation_options *opts, size_t size) {
  perp_simulation_options o = defaults();
  perp_options_fill(opts, size, &o, sizeof o);
}

static perp_status check_grid(const perp_simulation_options *o, perp_info *info) {
  if (o->steps < 0) return fail(info, PERP_EINVAL, "steps", -1, o->steps);
  if (!is_finite(o->t0)) return fail(info, PERP_ENOTFINITE, "t0", -1, o->t0);
  if (o->grid == NULL) {
    if (!is_finite(o->h)) return fail(info, PERP_ENOTFINITE, "h", -1, o->h);
    return o->h > 0 ? PERP_OK : fail(info, PERP_EINVAL, "h", -1, o->h);
  }
  if (o->steps < 1) return fail(info, PERP_EINVAL, "steps", -1, o->steps);
  size_t points = (size_t)o->steps + 1, bad = first_not_finite(points, o->grid);
  if (bad < points) return fail(info, PERP_ENOTFINITE, "grid", (int32_t)bad, o->grid[bad]);
  for (int32_t k = 1; k <= o->steps; k++)
    if (!(o->grid[k] > o->grid[k - 1])) return fail(info, PERP_EINVAL, "grid", k, o->grid[k]);
  return PERP_OK;
}

static perp_status check_solver(const perp_model *model, const perp_simulation_options *o,
                                perp_info *info) {
  const perp_solver *solver = o->solver;
  const perp_contact_pool *pool = model->pool;
  if (solver == NULL)
    return model->n_interactions == 0 && pool == NULL ? PERP_OK : fail_field(info, "solver", -1);
  if (perp_solver_check(solver, NULL, NULL) != PERP_OK)
    return fail(info, PERP_EINVAL, "solver.struct_size", -1, solver->struct_size);
  if ((solver->matrices & (1u << PERP_BLOCKS)) == 0)
    return fail_solver(info, solver->name, "M", PERP_OF_ENTRY, -1, PERP_BLOCKS);
  for (int32_t i = 0; i < model->n_interactions; i++) {
    int32_t set = model->interactions[i]->law->ops->set;
    if ((solver->sets & (1u << set)) == 0)
      return fail_solver(info, solver->name, "law", PERP_OF_INTERACTION, i, set);
  }
  for (int32_t i = 0; pool != NULL && i < pool->n_laws; i++) {
    int32_t set = pool->laws[i]->ops->set;
    if ((solver->sets & (1u << set)) == 0)
      return fail_solver(info, solver->name, "pool.laws", PERP_OF_LAW, i, set);
  }
  return perp_solver_check(solver, o->solver_options, info);
}

static perp_status check_between(double x, double most, const char *field, int32_t index,
                                 perp_info *info) {
  if (!is_finite(x)) return fail(info, PERP_ENOTFINITE, field, index, x);
  return x >= 0 && x <= most ? PERP_OK : fail(info, PERP_EINVAL, field, index, x);
}

static perp_status check_weight(double x, const char *field, int32_t index, perp_info *info) {
  return check_between(x, 1, field, index, info);
}

/* Weights that are given, but that no scheme of the model looks at. */
static perp_status check_weights_used(const perp_model *model, const perp_simulation_options *o,
                                      perp_info *info) {
  int predicted = model->n_systems == 0, weighed = predicted;
  for (int32_t i = 0; i < model->n_systems; i++) {
    const perp_integrator *integrator = perp_layout_integrator(o, i);
    predicted |= integrator->order == 2 && integrator->two_step == 0;
    weighed |= integrator->order == 1 && integrator->reaction != PERP_REACTION_END;
  }
  if (!predicted && o->gamma != PERP_GAMMA_DEFAULT)
    return fail(info, PERP_EINVAL, "gamma", -1, o->gamma);
  if (!weighed && o->reaction_gamma != 1) /* 1 is what the others have */
    return fail(info, PERP_EINVAL, "reaction_gamma", -1, o->reaction_gamma);
  return PERP_OK;
}

/* One interaction joins systems of one kind of scheme. */
static perp_status check_joined(const perp_model *model, const perp_simulation_options *o,
                                int32_t i, perp_info *info) {
  const perp_interaction *inter = model->interactions[i];
  const perp_integrator *first = perp_layout_integrator(o, inter->systems[0]);
  for (int32_t s = 1; s < inter->n_systems; s++) {
    const perp_integrator *other = perp_layout_integrator(o, inter->systems[s]);
    if (other->reaction != first->reaction || other->two_step != first->two_step)
      return fail_system(info, PERP_EUNSUPPORTED, "integrators", inter->systems[s], i);
  }
  if (first->two_step == 0) return PERP_OK;
  return perp_layout_stages(model, o)->live->check_positions(model, i, info);
}

/* The integrator of every system, and θ where it has its own. */
static perp_status check_integrators(const perp_model *model, const perp_simulation_options *o,
                                     perp_info *info) {
  for (int32_t i = 0; i < model->n_systems; i++) {
    const perp_integrator *integrator = perp_layout_integrator(o, i);
    if (integrator == NULL) return fail_system(info, PERP_EINVAL, "integrator", i, 0);
    if (integrator->struct_size < sizeof *integrator)
      return fail_system(info, PERP_EINVAL, "integrator.struct_size", i, integrator->struct_size);
    if (integrator->weights == NULL)
      return fail_system(info, PERP_EINVAL, "integrator.weights", i, 0);
    if (integrator->order != model->systems[i]->ops->order)
      return fail_system(info, PERP_EINVAL, "integrator", i, integrator->order);
    if (integrator->reaction == PERP_REACTION_MIDDLE && o->reaction_gamma == 0)
      return fail_system(info, PERP_EINVAL, "reaction_gamma", i,
                         0); /* nothing would hold at t_{k+1} */
    perp_status status = o->thetas == NULL ? PERP_OK : check_weight(o->thetas[i], "theta", i, info);
    if (status != PERP_OK) return status;
  }
  for (int32_t i = 0; perp_layout_stages(model, o)->live == NULL && i < model->n_systems; i++)
    if (perp_layout_integrator(o, i)->two_step != 0)
      return fail_system(info, PERP_EUNSUPPORTED, "integrator.stages", i, 0);
  perp_status status = PERP_OK;
  for (int32_t i = 0; status == PERP_OK && i < model->n_interactions; i++)
    status = check_joined(model, o, i, info);
  return status;
}

static perp_status check_projection(const perp_model *model, const perp_simulation_options *o,
                                    perp_info *info) {
  const struct live_stage *live = perp_layout_stages(model, o)->live;
  if (o->projection < PERP_PROJECT_NONE || o->projection > PERP_PROJECT_COMBINED)
    return fail(info, PERP_EINVAL, "projection", -1, o->projection);
  if (o->projection == PERP_PROJECT_NONE) return PERP_OK;
  if (live == NULL) return fail(info, PERP_EUNSUPPORTED, "projection", -1, o->projection);
  return live->check_projection(model, o, info);
}

static perp_status check_formulation(const perp_model *model, const perp_simulation_options *o,
                                     perp_info *info) {
  const perp_step_solver *g = o->global;
  if (o->formulation < PERP_FORMULATION_REDUCED || o->formulation > PERP_FORMULATION_AUTO)
    return fail(info, PERP_EINVAL, "formulation", -1, o->formulation);
  if (o->reserved != 0) return fail(info, PERP_EINVAL, "reserved", -1, o->reserved);
  if (o->formulation == PERP_FORMULATION_REDUCED) return PERP_OK;
  if (model->pool != NULL) /* swept, or not */
    return o->formulation == PERP_FORMULATION_AUTO ? PERP_OK : perp_pool_swept_fits(model, o, info);
  if (g == NULL) return fail_field(info, "global", -1);
  if (g->struct_size < PERP_THROUGH(perp_step_solver, release) || g->suits == NULL ||
      g->solve == NULL || g->release == NULL)
    return fail(info, PERP_EINVAL, "global.struct_size", -1, g->struct_size);
  if (perp_layout_stages(model, o)->global == NULL)
    return fail(info, PERP_EUNSUPPORTED, "formulation", -1, o->formulation);
  return PERP_OK;
}

/* rows: of the interactions. */
static perp_status check_pool(const perp_model *model, const perp_simulation_options *o,
                              int64_t rows, perp_info *info) {
  const struct pool_stage *stage = perp_layout_stages(model, o)->pool;
  if (model->pool == NULL) return PERP_OK;
  if (stage == NULL) return fail(info, PERP_EUNSUPPORTED, "pool", -1, 0);
  return stage->check(model, rows, info);
}

#define SIMULATION(field) FIELD(perp_simulation_options, field)

const option_range perp_simulation_ranges[] = {
    {SIMULATION(gap_tol), OPTION_CLOSED, 0, DBL_MAX},
    {SIMULATION(switchable), OPTION_INT, 0, 1},
    {SIMULATION(min_gap), OPTION_CLOSED, -HUGE_VAL, HUGE_VAL},
    {SIMULATION(on_failure), OPTION_INT, PERP_FAILURE_STOP, PERP_FAILURE_ACCEPT},
    {SIMULATION(max_halvings), OPTION_INT, 0, 20},
    {SIMULATION(newton_stop), OPTION_INT, PERP_NEWTON_RESIDUAL, PERP_NEWTON_FIXED},
    {SIMULATION(newton_start), OPTION_INT, PERP_NEWTON_FROM_CURRENT, PERP_NEWTON_FROM_POSITION},
    {SIMULATION(newton_max), OPTION_INT, 1, INT32_MAX},
    {SIMULATION(newton_halvings), OPTION_INT, 0, 50},
    {SIMULATION(newton_tol), OPTION_OPEN, 0, HUGE_VAL},
    {SIMULATION(accept_tol), OPTION_CLOSED, 0, HUGE_VAL},
    {SIMULATION(equality_tol), OPTION_CLOSED, 0, DBL_MAX},
    {SIMULATION(speed_tol), OPTION_CLOSED, PERP_SPEED_STACK, DBL_MAX},
    {SIMULATION(sleep_energy), OPTION_CLOSED, 0, DBL_MAX},
    {SIMULATION(sleep_time), OPTION_OPEN, 0, HUGE_VAL},
    {NULL, 0, OPTION_INT, 0, 0}};

static perp_status check_ranges(const perp_simulation_options *o, perp_info *info) {
  perp_info own = PERP_INFO_INIT;
  perp_status status = perp_options_in_range(perp_simulation_ranges, o, &own);
  if (status == PERP_OK && o->speed_tol < 0 && o->speed_tol != PERP_SPEED_PILE &&
      o->speed_tol != PERP_SPEED_STACK)
    status = fail(&own, PERP_EINVAL, "speed_tol", -1, o->speed_tol);
  if (status == PERP_OK) return PERP_OK;
  return fail(info, is_finite(own.value) ? status : PERP_ENOTFINITE, own.field, -1, own.value);
}

static perp_status check_options(const perp_model *model, const perp_simulation_options *o,
                                 int64_t rows, perp_info *info) {
  perp_status status = check_grid(o, info);
  if (status == PERP_OK) status = check_integrators(model, o, info);
  if (status == PERP_OK) status = check_pool(model, o, rows, info);
  if (status == PERP_OK && o->thetas == NULL) status = check_weight(o->theta, "theta", -1, info);
  if (status == PERP_OK && o->gamma != PERP_GAMMA_DEFAULT)
    status = check_between(o->gamma, 2, "gamma", -1, info);
  if (status == PERP_OK) status = check_weight(o->reaction_gamma, "reaction_gamma", -1, info);
  if (status == PERP_OK) status = check_weights_used(model, o, info);
  if (status != PERP_OK) return status;
  status = check_ranges(o, info);
  if (status == PERP_OK) status = check_projection(model, o, info);
  if (status == PERP_OK) status = check_formulation(model, o, info);
  if (status != PERP_OK) return status;
  const perp_backend *b = o->backend;
  if (b != NULL && (b->struct_size < PERP_THROUGH(perp_backend, multiply_add) ||
                    b->lu_factor == NULL || b->lu_solve == NULL || b->multiply_add == NULL))
    return fail(info, PERP_EINVAL, "backend", -1, b->struct_size);
  return check_solver(model, o, info);
}

/* The sparse back end, which sparse systems need. */
static perp_status check_sparse(const perp_model *model, const perp_simulation_options *o,
                                const layout_sizes *sizes, perp_info *info) {
  if (!sparse_table_ok(o->sparse, 1))
    return fail(info, PERP_EINVAL, "sparse", -1, o->sparse->struct_size);
  return sizes->largest_sparse > 0 && o->sparse == NULL
             ? sizes->stages->sparse->refuse(model, o, sizes, info)
             : PERP_OK;
}

/* What varies needs the stage for it. */
static perp_status check_varying(const perp_model *model, const perp_simulation_options *o,
                                 const layout_sizes *sizes, perp_info *info) {
  if (!sizes->live || sizes->stages->live != NULL) return PERP_OK;
  for (int32_t i = 0; i < model->n_systems; i++)
    if (layout_is_live(model, o, sizes, i))
      return fail_system(info, PERP_EUNSUPPORTED, "system", i, 0);
  for (int32_t i = 0; i < model->n_interactions; i++)
    if (model->interactions[i]->relation->ops->terms == NULL)
      return fail_interaction(info, PERP_EUNSUPPORTED, "relation", i, RELATION_VARIES);
  return PERP_OK;
}

/* The bytes of the matrix: all of it, and what acts. */
static perp_status refuse_size(const perp_model *model, const layout_sizes *sizes,
                               perp_info *info) {
  const double bytes = 2.0 * sizeof(double) * (double)sizes->graph.entries;
  if (model->pool != NULL) return fail(info, PERP_EWORKSPACE, "pool.capacity", -1, bytes);
  return fail(info, PERP_EUNSUPPORTED, "n_interactions", -1, bytes);
}

perp_status perp_prepare(const perp_model *model, const perp_simulation_options *options,
                         perp_simulation_options *o, layout_sizes *sizes, perp_info *info) {
  info_clear(info);
  if (options == NULL) return fail_field(info, "options", -1);
  *o = defaults();
  perp_status status =
      perp_options_read(o, sizeof *o, options, PERP_THROUGH(perp_simulation_options, reserved));
  if (status != PERP_OK) return fail(info, status, "options.struct_size", -1, options->struct_size);
  const struct sparse_stage *sparse = NULL;
  if (model != NULL && model->struct_size >= PERP_THROUGH(perp_model, pool))
    sparse = perp_layout_stages(model, o)->sparse;
  int64_t rows = 0;
  status = perp_check_fixed(model, sparse != NULL ? sparse->check_rows : NULL, &rows, info);
  if (status == PERP_OK) status = check_options(model, o, rows, info);
  if (status != PERP_OK) return status;
  if (o->gamma == PERP_GAMMA_DEFAULT) o->gamma = 0.5;
  perp_layout_measure(model, o, sizes);
  status = check_varying(model, o, sizes, info);
  if (status != PERP_OK) return status;
  if (o->switchable != 0 && sizes->two_step)
    return fail(info, PERP_EUNSUPPORTED, "switchable", -1, 1);
  if (model->pool != NULL && sizes->two_step) /* positions of two steps back know no contact */
    return fail(info, PERP_EUNSUPPORTED, "pool", -1, 0);
  if (o->sleep_energy > 0 && !sizes->swept)
    return fail(info, PERP_EUNSUPPORTED, "sleep_energy", -1, o->sleep_energy);
  if (sizes->graph.entries > INT32_MAX) /* int32 numbers the entries of the one-step matrix */
    return refuse_size(model, sizes, info);
  if (o->formulation == PERP_FORMULATION_GLOBAL && model->pool == NULL)
    status = sizes->stages->global->fits(model, o, sizes, info);
  return status == PERP_OK ? check_sparse(model, o, sizes, info) : status;
}
