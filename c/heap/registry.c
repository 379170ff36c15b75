/* SPDX-License-Identifier: MIT */
/* The solvers of the library by number and by name. In perp::perp only: who names one solver links
 * one solver. */
#include <string.h>

#include "perp/admm.h"
#include "perp/auto.h"
#include "perp/heap.h"
#include "perp/interior_point.h"
#include "perp/newton.h"
#include "perp/pivoting.h"
#include "perp/sweeps.h"
#include "perp/vi.h"

/* One to a line, so that two who add one do not meet. */
/* clang-format off */
static const perp_solver *(*const solvers[])(void) = {
    perp_solver_lemke,
    perp_solver_active_set,
    perp_solver_interior_point,
    perp_solver_newton_fb,
    perp_solver_newton_min,
    perp_solver_cpg,
    perp_solver_friction_lemke,
    perp_solver_friction_newton,
    perp_solver_pgs,
    perp_solver_admm,
    perp_solver_box_pivoting,
    perp_solver_avi_pivoting,
    perp_solver_block_pivoting,
    perp_solver_murty,
    perp_solver_extragradient,
    perp_solver_fixed_point,
    perp_solver_friction_interior,
    perp_solver_enumeration,
    perp_solver_nsgs,
    perp_solver_nsgs_small,
    perp_solver_auto,
};
/* clang-format on */

int32_t perp_solver_count(void) { return (int32_t)(sizeof solvers / sizeof *solvers); }

const perp_solver *perp_solver_at(int32_t i) {
  return i >= 0 && i < perp_solver_count() ? solvers[i]() : NULL;
}

const perp_solver *perp_solver_find(const char *name) {
  for (int32_t i = 0; name != NULL && i < perp_solver_count(); i++)
    if (strcmp(solvers[i]()->name, name) == 0) return solvers[i]();
  return NULL;
}
