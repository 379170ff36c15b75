/* SPDX-License-Identifier: MIT */
/* perp_global_admm() as the step solver of simulations, its memory from malloc. In perp::perp
 * only. */
#include <stdlib.h>
#include <string.h>

#include "base/info.h"
#include "perp/admm.h"
#include "perp/simulation.h"
#include "solver/global.h"

typedef struct room {
  size_t bytes;
  double first[];
} room;

/* At least so many bytes, their contents anything; NULL: there are none. */
static void *reserve(void **memory, size_t bytes) {
  room *now = *memory;
  if (now != NULL && now->bytes >= bytes) return now->first;
  if (bytes > SIZE_MAX / 2) return NULL;
  free(now);
  now = malloc(sizeof *now + bytes + bytes / 4);
  *memory = now;
  if (now == NULL) return NULL;
  now->bytes = bytes + bytes / 4;
  return now->first;
}

static perp_status suits(void **memory, const perp_global_problem *problem, int32_t *yes) {
  const size_t bytes = perp_global_scratch(problem);
  *yes = 0;
  if (bytes == 0) return PERP_OK;
  void *scratch = reserve(memory, bytes);
  if (scratch == NULL) return PERP_EBACKEND;
  *yes = perp_global_form(problem, scratch, bytes) == PERP_GLOBAL_FULL;
  return PERP_OK;
}

static perp_status solve(void **memory, const perp_global_problem *problem,
                         const perp_solver_options *options, const perp_sparse *sparse, double *v,
                         double *r, double *u, perp_info *info) {
  perp_admm_options o = perp_admm_options_default();
  o.max_iter = options->max_iter;
  o.tol = options->tol;
  o.observe = options->observe;
  o.user = options->user;
  o.sparse = sparse;
  const size_t bytes = perp_global_admm_workspace(problem, &o);
  void *work = bytes > 0 ? reserve(memory, bytes) : NULL;
  if (bytes > 0 && work == NULL) return fail(info, PERP_EBACKEND, "malloc", -1, (double)bytes);
  if (work == NULL) {
    const perp_status status =
        perp_global_check_laws(problem, "admm", perp_solver_admm()->sets, info);
    return status != PERP_OK
               ? status
               : fail_solver(info, perp_solver_admm()->name, "n", PERP_OF_ENTRY, -1, problem->n);
  }
  return perp_global_admm(problem, &o, v, r, u, work, bytes, info);
}

static const perp_step_solver table = {
    (uint32_t)sizeof(perp_step_solver), 0, "admm", suits, solve, free};

const perp_step_solver *perp_global_step(void) { return &table; }
