/* SPDX-License-Identifier: MIT */
/* Which method comes when, for a problem with friction that is connected. */
#include <math.h>

#include "perp/perp.h"
#include "portfolio/friction_run.h"

/* --- costs ----------------------------------------------------------------------------------- */

static double entries(const perp_shape *shape) {
  return (double)shape->nonzeros + (double)shape->n;
}

double perp_friction_budget(const perp_shape *shape) { return 1e8 + 400000 * entries(shape); }

/* --- methods --------------------------------------------------------------------------------- */

/* clang-format off: one to a line */
static const perp_solver *(*const methods[])(void) = {
    perp_solver_extragradient,
    perp_solver_fixed_point,
};
/* clang-format on */

size_t perp_friction_plan_bytes(const perp_shape *shape) {
  size_t most = 0;
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    const size_t bytes = perp_friction_method_bytes(methods[k](), shape);
    most = bytes > most ? bytes : most;
  }
  return most;
}

/* Whether there is nothing more to try. */
static int ends(const friction_run *run, perp_status status) {
  return status == PERP_OK || status == PERP_INFEASIBLE || status == PERP_STOPPED || run->hopeless;
}

static perp_status try_projection(friction_run *run, const perp_solver *solver, double share) {
  perp_vi_options o = perp_vi_options_default();
  return perp_friction_try(run, solver, &o, 2 * entries(&run->shape), share);
}

perp_status perp_friction_plan(friction_run *run) {
  perp_status status = try_projection(run, perp_solver_extragradient(), 0.5);
  if (ends(run, status)) return status;
  perp_friction_best(run);
  status = try_projection(run, perp_solver_fixed_point(), 1);
  if (ends(run, status)) return status;
  perp_friction_best(run);
  return run->best_name == NULL ? PERP_MAX_ITER : run->best_status;
}
