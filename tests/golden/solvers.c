/* SPDX-License-Identifier: MIT */
/* Every solver of one-step problems on every family of problems that it accepts: also where the
 * problem is not what its method assumes, since a failure has to have the same bits, too. */
#include "golden.h"
#include "problems.h"

enum { SOLVERS = 20, ITERATIONS = 300 };

static void list_solvers(const perp_solver *list[SOLVERS]) {
  const perp_solver **s = list;
  *s++ = perp_solver_active_set();
  *s++ = perp_solver_admm();
  *s++ = perp_solver_avi_pivoting();
  *s++ = perp_solver_block_pivoting();
  *s++ = perp_solver_box_pivoting();
  *s++ = perp_solver_cpg();
  *s++ = perp_solver_enumeration();
  *s++ = perp_solver_extragradient();
  *s++ = perp_solver_fixed_point();
  *s++ = perp_solver_friction_interior();
  *s++ = perp_solver_friction_lemke();
  *s++ = perp_solver_friction_newton();
  *s++ = perp_solver_pgs();
  *s++ = perp_solver_interior_point();
  *s++ = perp_solver_lemke();
  *s++ = perp_solver_murty();
  *s++ = perp_solver_newton_fb();
  *s++ = perp_solver_newton_min();
  *s++ = perp_solver_nsgs();
  *s = perp_solver_nsgs_small();
}

/* Solve one problem; < 0 if it was refused, 1 if it was solved, 0 if not. */
static int solve(const perp_solver *solver, const golden_problem *p, uint64_t *hash) {
  const perp_solver_options options = {(uint32_t)sizeof options, ITERATIONS, 1e-10, NULL, NULL, 0};
  double lambda[GOLDEN_N] = {0}, y[GOLDEN_N] = {0};
  perp_info info = PERP_INFO_INIT;
  const size_t bytes = perp_solver_workspace(solver, &p->problem, &options);
  perp_status status = PERP_EWORKSPACE;
  if (bytes != 0 && bytes <= GOLDEN_MEMORY)
    status = perp_solver_solve(solver, &p->problem, &options, lambda, y, NULL, golden_memory(),
                               bytes, &info);
  golden_hash_integer(hash, status);
  golden_hash_integer(hash, info.iterations);
  golden_hash_doubles(hash, lambda, p->problem.n);
  golden_hash_doubles(hash, y, p->problem.n);
  golden_hash_doubles(hash, &info.relative_residual, 1);
  return status < 0 ? -1 : status == PERP_OK;
}

static int accepts(const perp_solver *solver, const golden_problem *p) {
  return perp_solver_workspace(solver, &p->problem, NULL) != 0;
}

/* One line, where the solver accepts any problem of the family. */
static int run(const perp_solver *solver, int32_t family) {
  static golden_problem p;
  uint64_t hash = golden_hash_start();
  int32_t solved = 0, asked = 0, wrong = 0;
  for (int32_t k = 0; k < GOLDEN_INSTANCES; k++) {
    golden_problem_init(&p, family, k);
    if (!accepts(solver, &p)) continue;
    const int answer = solve(solver, &p, &hash);
    asked++;
    solved += answer > 0;
    wrong |= answer < 0;
  }
  if (asked > 0) golden_line(golden_family(family), solver->name, hash, solved, asked);
  return wrong;
}

int golden_solvers(void) {
  const perp_solver *list[SOLVERS];
  int wrong = 0;
  list_solvers(list);
  for (int32_t family = 0; family < GOLDEN_FAMILIES; family++)
    for (int i = 0; i < SOLVERS; i++) wrong += run(list[i], family);
  return wrong;
}
