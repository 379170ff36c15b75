/* SPDX-License-Identifier: MIT */
/* How a run ended, in words: what was not solved, where, how far it was from what was asked, and
 * what may help. */
#include <float.h>
#include <string.h>

#include "heap/page.h"
#include "heap/rules.h"
#include "perp/heap.h"
#include "solver/solver_options.h"
#include "stepping/layout.h"

/* Tolerances above this are not proposed. */
static const double loosest = 1e-6;

static const char *reason_of(perp_status status, int newton) {
  switch (status) {
    case PERP_MAX_ITER:
      return newton ? "Newton's iteration limit" : "iteration limit";
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

/* "contact 17 between bodies 4 and 9", "interaction 3 of system 0" */
static void put_interaction(page *p, const perp_model *model, int32_t i, int first) {
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
    put_interaction(p, sim->model, info->index, first);
  else if (info->of == PERP_OF_SYSTEM && info->index >= 0 && info->index < sim->n_systems)
    put(p, "%s%s %d", is_pooled ? "contact of " : "", kind_of(sim->model, info->index),
        (int)info->index + first);
  else
    perp_place(p, info, first);
}

static double asked_of(const perp_simulation *sim, int newton) {
  solver_options all;
  const perp_simulation_options *o = &sim->options;
  if (newton) return o->newton_tol;
  if (o->solver == NULL ||
      perp_solver_options_read(o->solver->defaults, o->solver_options, &all, NULL) != PERP_OK)
    return PERP_DEFAULT_TOL;
  return all.common.tol;
}

/* The residual, what was asked, and what may help. */
static void put_residual(page *p, const perp_simulation *sim, perp_status status, double residual,
                         int newton) {
  const perp_simulation_options *o = &sim->options;
  const double asked = asked_of(sim, newton);
  const int is_near = residual > asked && status != PERP_INFEASIBLE;
  char a[40], b[40];
  const char *glue = "; try ";
  if (residual > 0 && residual <= DBL_MAX)
    put(p, ", residual %s, asked %s", page_number(residual, 2, a), page_number(asked, 2, b));
  double tol = 1e-15;
  while (tol < residual && tol < loosest) tol *= 10;
  if (is_near && residual <= tol) {
    put(p, "%s%s = %s", glue, newton ? "newton_tol" : "tol", page_number(tol, 1, a));
    glue = " or ";
  }
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
  put(p, "not solved: %s in step %lld at t = %s", reason_of(status, newton),
      (long long)perp_simulation_step_index(sim) + 1, page_number(perp_simulation_time(sim), 9, t));
  if (*field != 0) put_where(p, sim, info, first);
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
