/* SPDX-License-Identifier: MIT */
/* A program of a user's, compiled with the headers of the last release: solvers with options,
 * a law and a solver of its own, quadratic programs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "perp/perp.h"

static int wrong;
#define CHECK(condition)                                                   \
  do {                                                                     \
    if (!(condition)) {                                                    \
      (void)printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      wrong = 1;                                                           \
    }                                                                      \
  } while (0)

static double work[20000];
static const double M[] = {2, 1, 1, 2}, q[] = {-5, -6}, mu[] = {0.5};

static void arrays(void) {
  const perp_lcp lcp = {2, 2, M, q};
  perp_lemke_options options = perp_lemke_options_default();
  perp_info info = PERP_INFO_INIT;
  double z[2], w[2], ray[2];
  info.ray = ray;
  info.ray_size = 2;
  CHECK(options.max_iter == 0 && options.tol == PERP_DEFAULT_TOL);
  options.max_iter = 100;
  CHECK(perp_lcp_lemke_workspace(2) <= sizeof work);
  CHECK(perp_lcp_lemke(&lcp, &options, z, w, work, sizeof work, &info) == PERP_OK);
  CHECK(fabs(z[0] - 4.0 / 3) < 1e-9 && fabs(z[1] - 7.0 / 3) < 1e-9);
  CHECK(info.iterations > 0 && info.relative_residual <= 1e-10 && info.field == NULL);
  const perp_lcp bad = {-1, 2, M, q};
  CHECK(perp_lcp_lemke(&bad, NULL, z, w, work, sizeof work, &info) == PERP_EINVAL);
  CHECK(info.field != NULL);
}

/* Every solver that takes such a problem, with the options that all know. */
static void every_solver(void) {
  perp_complementarity law;
  const perp_law *const laws[] = {&law.law};
  const int32_t offset[] = {0, 2};
  const perp_problem problem = perp_problem_of(perp_dense(2, 2, M), q, 1, laws, offset);
  const perp_solver_options options = {(uint32_t)sizeof options, 0, 1e-9, NULL, NULL};
  int solved = 0;
  CHECK(perp_complementarity_init(&law, sizeof law) == PERP_OK);
  for (int32_t i = 0; perp_solver_at(i) != NULL; i++) {
    const perp_solver *s = perp_solver_at(i);
    double lambda[2] = {0, 0}, y[2];
    CHECK(perp_solver_find(s->name) == s);
    if ((s->sets & 1u << PERP_SET_ORTHANT) == 0) continue;
    CHECK(perp_solver_workspace(s, &problem, &options) <= sizeof work);
    CHECK(perp_solver_solve(s, &problem, &options, lambda, y, NULL, work, sizeof work, NULL) ==
          PERP_OK);
    CHECK(fabs(lambda[0] - 4.0 / 3) < 1e-6 && fabs(lambda[1] - 7.0 / 3) < 1e-6);
    solved++;
  }
  CHECK(solved >= 15);
}

/* ---- a law: λ in the disc of radius 1 about 0; and a solver that knows this problem ---- */

static void disc_project(const perp_law *law, const void *state, const double *x, double *p) {
  const double norm = sqrt(x[0] * x[0] + x[1] * x[1]), s = norm > 1 ? 1 / norm : 1;
  (void)law, (void)state;
  p[0] = s * x[0];
  p[1] = s * x[1];
}

static size_t known_workspace(const perp_shape *shape, const void *options) {
  (void)options;
  return shape->n == 2 ? 8 : 0;
}

static perp_status known_solve(const perp_problem *problem, const void *options, double *lambda,
                               double *y, perp_warm *warm, void *bytes, size_t size,
                               perp_info *info) {
  (void)problem, (void)options, (void)y, (void)warm, (void)bytes, (void)size, (void)info;
  lambda[0] = 4.0 / 3;
  lambda[1] = 7.0 / 3;
  return PERP_OK;
}

static void own_law(void) {
  static const double unit[] = {1, 1}, c[] = {-3, -4};
  perp_law_ops ops;
  perp_law law = {&ops, (uint32_t)sizeof law, 2};
  const perp_law *const laws[] = {&law};
  const perp_problem problem = perp_problem_of(perp_diagonal(2, unit), c, 1, laws, NULL);
  double lambda[2] = {0, 0}, y[2];
  memset(&ops, 0, sizeof ops);
  ops.struct_size = (uint32_t)sizeof ops;
  ops.set = PERP_SET_OTHER;
  ops.name = "disc";
  ops.project = disc_project;
  CHECK(perp_law_check(&law, NULL) == PERP_OK);
  CHECK(perp_solver_solve(perp_solver_fixed_point(), &problem, NULL, lambda, y, NULL, work,
                          sizeof work, NULL) == PERP_OK);
  CHECK(fabs(lambda[0] - 0.6) < 1e-6 && fabs(lambda[1] - 0.8) < 1e-6);
}

static void own_solver(void) {
  perp_solver own;
  perp_complementarity law;
  perp_law_verdict verdict = PERP_LAW_VERDICT_INIT;
  const perp_lcp lcp = {2, 2, M, q};
  double z[2] = {0, 0}, w[2];
  memset(&own, 0, sizeof own);
  own.struct_size = (uint32_t)sizeof own;
  own.sets = 1u << PERP_SET_ORTHANT;
  own.matrices = 1u << PERP_DENSE;
  own.name = "known";
  own.workspace = known_workspace;
  own.solve = known_solve;
  CHECK(perp_lcp_solve(&own, &lcp, NULL, z, w, work, sizeof work, NULL) == PERP_OK);
  CHECK(perp_complementarity_init(&law, sizeof law) == PERP_OK);
  CHECK(perp_law_verify(&law.law, NULL, w, z, &verdict, work, sizeof work) == PERP_OK);
  CHECK(verdict.relative < 1e-9);
}

static void programs(void) {
  static const double c[] = {-2, -6}, A[] = {1, 1}, least[] = {-INFINITY}, most[] = {2};
  const perp_qp qp = {2, 1, perp_dense(2, 2, M), perp_dense(1, 2, A), c, least, most, NULL, NULL};
  perp_solver_options options = perp_solver_options_default();
  perp_qp_residual residual = PERP_QP_RESIDUAL_INIT;
  double x[2], nu[1], zeta[2];
  CHECK(perp_qp_dual(&qp, &options, x, nu, zeta, work, sizeof work, NULL) == PERP_OK);
  CHECK(x[0] + x[1] < 2 + 1e-9);
  CHECK(perp_qp_judge(&qp, x, nu, zeta, &residual, work, sizeof work) == PERP_OK);
  CHECK(perp_qp_residual_solved(&residual, 1e-9) == 1);
}

static void friction(void) {
  static const double W[] = {2, 0, 0, 0, 1, 0, 0, 0, 1}, u0[] = {-1, 0.2, 0};
  const perp_fc fc = {1, 3, 3, 0, W, u0, mu};
  perp_nsgs_options options = perp_nsgs_options_default();
  double r[3] = {0, 0, 0}, u[3];
  CHECK(perp_fc_nsgs(&fc, &options, r, u, work, sizeof work, NULL) == PERP_OK);
  CHECK(fabs(r[0] - 0.5) < 1e-9 && fabs(r[1] + 0.2) < 1e-9);
}

int main(void) {
  arrays();
  every_solver();
  own_law();
  own_solver();
  programs();
  friction();
  return wrong;
}
