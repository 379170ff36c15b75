/* SPDX-License-Identifier: MIT */
/* Equalities that contradict each other, as those of joints that over-constrain and have drifted:
 * no λ solves them. With ε on the diagonal of the equality rows, y_E + ε λ_E = 0,   y = M λ + q, λ
 * always exists; as ε → 0 the velocities are those that miss the equalities least, in the metric of
 * M's range, and λ has least norm among theirs. ε is 1e-9 of the largest diagonal entry of a row.
 */
#include <math.h>
#include <string.h>

#include "solver/verified.h"
#include "stepping/stages.h"

/* Calls visit for every diagonal entry of the island's equality rows, row counted in the island. */
typedef void visitor(double *entry, int32_t row, void *context);

static int each_equality(perp_simulation *sim, int32_t i, visitor *visit, void *context) {
  const island *at = &sim->active.islands[i];
  const int32_t *start = sim->problem.start + at->first + i,
                *index = sim->problem.index + at->block;
  double *value = sim->problem.value + at->entry;
  int32_t row = 0, found = 0;
  for (int32_t u = 0; u < at->count; u++) {
    const interaction_run *run = &sim->runs.interactions[sim->active.units[at->first + u].run];
    const int32_t height = run->size;
    for (int32_t b = start[u]; b < start[u + 1]; b++) {
      const int32_t width =
          sim->runs.interactions[sim->active.units[at->first + index[b]].run].size;
      for (int32_t r = 0; index[b] == u && run->law->ops->set == PERP_SET_FREE && r < height;
           r++, found++)
        visit(value + (size_t)r * (size_t)(height + 1), row + r, context);
      value += (size_t)height * (size_t)width;
    }
    row += height;
  }
  return found;
}

typedef struct relaxation {
  double *kept, epsilon;
} relaxation;

static void largest(double *entry, int32_t row, void *context) {
  relaxation *x = (relaxation *)context;
  (void)row;
  if (fabs(*entry) > x->epsilon) x->epsilon = fabs(*entry);
}

static void add(double *entry, int32_t row, void *context) {
  relaxation *x = (relaxation *)context;
  x->kept[row] = *entry;
  *entry += x->epsilon;
}

static void restore(double *entry, int32_t row, void *context) {
  *entry = ((relaxation *)context)->kept[row];
}

/* Relax the equalities of an island by ε, returned; 0: it has none. */
static double relax(perp_simulation *sim, int32_t i) {
  relaxation x = {sim->problem.kept, 0};
  if (each_equality(sim, i, largest, &x) == 0) return 0;
  x.epsilon *= 1e-9;
  if (x.epsilon > 0) (void)each_equality(sim, i, add, &x);
  return x.epsilon;
}

static void give_back(perp_simulation *sim, int32_t i) {
  relaxation x = {sim->problem.kept, 0};
  (void)each_equality(sim, i, restore, &x);
}

/* Least squares where the equalities of an island contradict each other: the problem that the
 * solver could not solve, relaxed; y is that of the problem itself. */
static perp_status solve(perp_simulation *sim, int32_t i, const perp_problem *problem,
                         perp_status status, perp_residual *residual, perp_info *info) {
  const island *at = &sim->active.islands[i];
  double *lambda = sim->problem.lambda + at->row, *y = sim->problem.y + at->row;
  const double epsilon = sim->options.equality_tol > 0 ? relax(sim, i) : 0;
  if (!(epsilon > 0)) return status;
  perp_residual relaxed = PERP_RESIDUAL_INIT;
  perp_info own = PERP_INFO_INIT;
  memset(lambda, 0, (size_t)at->rows * sizeof *lambda);
  const perp_status again =
      perp_solver_run(sim->options.solver, problem, sim->options.solver_options, lambda, y, NULL,
                      sim->problem.work, sim->problem.work_bytes, &relaxed, &own);
  give_back(sim, i);
  info->iterations += own.iterations;
  double missed = 0;
  for (int32_t b = 0; b < at->laws; b++) {
    const int32_t *offset = problem->offset + b;
    for (int32_t r = offset[0]; problem->laws[b]->ops->set == PERP_SET_FREE && r < offset[1]; r++) {
      y[r] -= epsilon * lambda[r];
      missed = fabs(y[r]) > missed ? fabs(y[r]) : missed;
    }
  }
  if (again != PERP_OK || !(missed <= sim->options.equality_tol)) { /* its own λ again */
    memset(lambda, 0, (size_t)at->rows * sizeof *lambda);
    return perp_solver_run(sim->options.solver, problem, sim->options.solver_options, lambda, y,
                           NULL, sim->problem.work, sim->problem.work_bytes, residual, &own);
  }
  *residual = relaxed;
  sim->counts.relaxed++;
  return PERP_OK;
}

const struct relax_stage perp_stage_relax = {.solve = solve};
