/* SPDX-License-Identifier: MIT */
/* How a run ended, in words: what was not solved, where, how far it was from what was asked, and
 * what may help. */
#include <float.h>
#include <string.h>

#include "heap/ending.h"
#include "heap/rules.h"
#include "perp/heap.h"
#include "solver/solver_options.h"
#include "stepping/layout.h"
#include "stepping/pool_swept.h"

/* Tolerances above this are not proposed. */
static const double loosest = 1e-6;

const char *perp_ending_reason(perp_status status) {
  switch (status) {
    case PERP_MAX_ITER:
      return "iteration limit";
    case PERP_RAY:
      return "no way on";
    case PERP_INACCURATE:
      return "not as accurate as asked";
    case PERP_INFEASIBLE:
      return "no solution";
    default:
      return perp_status_string(status);
  }
}

static const char *kind_of(const perp_model *model, int32_t system) {
  return model->systems[system]->ops->extra_q > 0 ? "body" : "system";
}

void perp_ending_interaction(page *p, const perp_model *model, int32_t i, int first) {
  const perp_interaction *inter = model->interactions[i];
  const int is_contact = inter->law->ops->unilateral && inter->relation->ops->order == 2;
  int bodies = 1;
  for (int32_t s = 0; s < inter->n_systems; s++)
    bodies = bodies && *kind_of(model, inter->systems[s]) == 'b';
  const char *one = bodies ? "body" : "system", *more = bodies ? "bodies" : "systems";
  put(p, "%s %d %s %s", is_contact ? "contact" : "interaction", (int)i + first,
      inter->n_systems > 1 ? "between" : "of", inter->n_systems > 1 ? more : one);
  for (int32_t s = 0; s < inter->n_systems; s++)
    put(p, "%s %d",
        s == 0                      ? ""
        : s == inter->n_systems - 1 ? " and"
                                    : ",",
        (int)inter->systems[s] + first);
}

static void put_where(page *p, const perp_simulation *sim, const perp_info *info, int first) {
  const int is_pooled = strstr(info->field, "contact of system") != NULL;
  put(p, ", ");
  if (info->of == PERP_OF_INTERACTION && info->index >= 0 && info->index < sim->n_interactions)
    perp_ending_interaction(p, sim->model, info->index, first);
  else if (info->of == PERP_OF_SYSTEM && info->index >= 0 && info->index < sim->n_systems)
    put(p, "%s%s %d", is_pooled ? "contact of " : "", kind_of(sim->model, info->index),
        (int)info->index + first);
  else
    perp_place(p, info, first);
}

double perp_ending_asked(const perp_solver *solver, const void *options) {
  solver_options all;
  if (solver == NULL || perp_solver_options_read(solver->defaults, options, &all, NULL) != PERP_OK)
    return PERP_DEFAULT_TOL;
  return all.common.tol;
}

const char *perp_ending_residual(page *p, double residual, double asked, int is_near,
                                 const char *option) {
  char a[40], b[40];
  if (residual > 0 && residual <= DBL_MAX)
    put(p, ", residual %s, asked %s", page_number(residual, 2, a), page_number(asked, 2, b));
  double tol = 1e-15;
  while (tol < residual && tol < loosest) tol *= 10;
  if (!is_near || residual > tol) return "; try ";
  put(p, "; try %s = %s", option, page_number(tol, 1, a));
  return " or ";
}

/* The same where a speed was asked for. */
static void put_speed(page *p, const perp_simulation *sim, double residual) {
  char a[40], b[40];
  const double asked = sim->pool->swept->asked;
  put(p, ", residual %s, asked %s of speed_tol", page_number(residual, 2, a),
      page_number(asked, 2, b));
  put(p, "; try a larger max_iter or speed_tol%s",
      sim->options.on_failure != PERP_FAILURE_ACCEPT ? ", or on_failure = accept" : "");
}

/* The residual, what was asked, and what may help. */
static void put_residual(page *p, const perp_simulation *sim, perp_status status, double residual,
                         int newton) {
  const perp_simulation_options *o = &sim->options;
  if (!newton && sim->pool != NULL && sim->pool->swept != NULL && sim->pool->swept->asked > 0) {
    put_speed(p, sim, residual);
    return;
  }
  const double asked = newton ? o->newton_tol : perp_ending_asked(o->solver, o->solver_options);
  const int is_near = residual > asked && status != PERP_INFEASIBLE;
  const char *glue =
      perp_ending_residual(p, residual, asked, is_near, newton ? "newton_tol" : "tol");
  if (o->on_failure != PERP_FAILURE_ACCEPT && is_near && residual <= o->accept_tol)
    put(p, "%son_failure = accept", glue);
  else if (o->on_failure == PERP_FAILURE_STOP)
    put(p, "%son_failure = retry", glue);
}

static void put_unsolved(page *p, const perp_simulation *sim, perp_status status,
                         const perp_info *info, int first) {
  const char *field = info != NULL && info->field != NULL ? info->field : "";
  const int newton = strncmp(field, "newton", 6) == 0;
  const int problem = newton || strncmp(field, "one-step problem", 16) == 0;
  char t[40];
  put(p, "not solved: %s%s in step %lld at t = %s", newton ? "Newton's " : "",
      perp_ending_reason(status), (long long)perp_simulation_step_index(sim) + 1,
      page_number(perp_simulation_time(sim), 9, t));
  if (*field != 0) put_where(p, sim, info, first);
  const char *rule = *field != 0 ? perp_rule(status, info) : NULL;
  if (rule != NULL) put(p, " %s", rule);
  if (problem)
    put_residual(p, sim, status, info->value, newton);
  else if (sim->options.on_failure == PERP_FAILURE_STOP)
    put(p, "; try on_failure = retry");
}

size_t perp_simulation_ending(const perp_simulation *sim, perp_status status, const perp_info *info,
                              int32_t first, char *text, size_t room) {
  page p = {text, room, 0};
  char rest[256], t[40];
  if (room > 0) *text = 0;
  if (sim == NULL) return perp_explain(status, info, first, text, room);
  const long long steps = (long long)perp_simulation_step_index(sim);
  (void)page_number(perp_simulation_time(sim), 9, t);
  if (status < 0) {
    (void)perp_explain(status, info, first, rest, sizeof rest);
    put(&p, "failed in step %lld at t = %s: %s", steps + 1, t, rest);
  } else if (status == PERP_OK || status == PERP_END || status == PERP_STOPPED) {
    const char *word = status == PERP_END       ? "finished"
                       : status == PERP_STOPPED ? "stopped"
                                                : "not ended";
    put(&p, "%s: %lld step%s, t = %s", word, steps, steps == 1 ? "" : "s", t);
  } else {
    put_unsolved(&p, sim, status, info, (int)first);
  }
  return p.length;
}
