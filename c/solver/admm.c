/* SPDX-License-Identifier: MIT */
/* ADMM on one-step problems: its options, its linear system (W + ρI) r = ρ (z − ξ) − q − s, and
 * the judge. The iteration itself is in admm_loop.c. */
#include "perp/admm.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/info.h"
#include "linalg/matrix.h"
#include "linalg/sparse_table.h"
#include "problem/residual.h"
#include "solver/admm_loop.h"
#include "solver/admm_system.h"
#include "solver/options.h"

/* --- options --------------------------------------------------------------------------------- */

static const perp_admm_options defaults = {.struct_size = (uint32_t)sizeof(perp_admm_options),
                                           .tol = PERP_DEFAULT_TOL,
                                           .kind = "perp_admm_options",
                                           .rho = 0.3,
                                           .relaxation = 1,
                                           .memory = 10,
                                           .updates = 20};

void perp_admm_options_init(perp_admm_options *opts, size_t size) {
  perp_options_fill(opts, size, &defaults, sizeof defaults);
}

static perp_status check_options(const void *options, perp_info *info) {
  const perp_admm_options *out = options;
  if (!(out->rho > 0 && out->rho <= DBL_MAX)) return fail(info, PERP_EINVAL, "rho", -1, out->rho);
  if (!(out->relaxation > 0 && out->relaxation < 2))
    return fail(info, PERP_EINVAL, "relaxation", -1, out->relaxation);
  if (out->memory < 0 || out->memory > ANDERSON_MOST)
    return fail(info, PERP_EINVAL, "memory", -1, out->memory);
  if (out->updates < 0) return fail(info, PERP_EINVAL, "updates", -1, out->updates);
  if (out->outer != 0 && out->outer != 1) return fail(info, PERP_EINVAL, "outer", -1, out->outer);
  if (out->reserved != 0) return fail(info, PERP_EINVAL, "reserved", -1, out->reserved);
  return sparse_table_ok(out->sparse, 1) ? PERP_OK : fail_field(info, "sparse", -1);
}

perp_status perp_admm_read_options(perp_admm_options *out, const void *in, perp_info *info) {
  const perp_status status = perp_solver_options_read(&defaults, in, out, info);
  return status == PERP_OK ? check_options(out, info) : status;
}

/* --- memory ---------------------------------------------------------------------------------- */

typedef struct admm {
  admm_loop loop;
  admm_system system;
  const perp_problem *problem;
  double *best;       /* n: z                     */
  double *lambda, *y; /* the caller's             */
  double *scratch;    /* of the residual          */
} admm;

static void carve(admm *s, arena *a, const perp_shape *shape, const perp_admm_options *o) {
  s->best = arena_take(a, (size_t)shape->n, sizeof(double));
  s->scratch = arena_take(a, residual_scratch_doubles(shape->n), sizeof(double));
  perp_admm_loop_carve(&s->loop, a, shape, o->memory);
  perp_admm_carve(&s->system, a, shape, o->sparse);
}

static size_t workspace(const perp_shape *shape, const void *options) {
  admm s;
  if (shape->n < 0) return 0;
  arena a = arena_measure();
  carve(&s, &a, shape, options);
  return arena_bytes(&a);
}

/* --- what the iteration asks for ------------------------------------------------------------- */

static perp_status factorise(void *self, double rho) {
  return perp_admm_factor(&((admm *)self)->system, rho);
}

static int dear(const void *self) { return perp_admm_dear(&((const admm *)self)->system); }

static perp_status to_reaction(void *self, double *step) {
  admm *s = self;
  perp_admm_subtract_skew(&s->system, s->loop.z, step);
  return perp_admm_solve(&s->system, step);
}

static void keep(void *self) {
  const admm *s = self;
  memcpy(s->best, s->loop.z, (size_t)s->loop.n * sizeof *s->best);
}

static void hand_out(const admm *s, const double *z) {
  for (int32_t i = 0; i < s->loop.n; i++) s->lambda[i] = s->system.d[i] * z[s->system.place[i]];
}

static int judge(void *self, double *relative, double *scale) {
  admm *s = self;
  perp_residual r;
  hand_out(s, s->loop.z);
  perp_residual_compute(s->problem, s->lambda, s->y, &r, s->scratch);
  *relative = r.relative;
  *scale = r.scale;
  return perp_residual_solved(&r, s->loop.options.tol);
}

/* --- the solver ------------------------------------------------------------------------------ */

/* w = z − û / ρ at z = P(λ). 0 if that is no number. */
static int start(admm *s) {
  const admm_system *m = &s->system;
  for (int32_t i = 0; i < s->loop.n; i++) s->loop.z[m->place[i]] = s->lambda[i] / m->d[i];
  perp_admm_loop_project(&s->loop, s->loop.z);
  hand_out(s, s->loop.z);
  memcpy(s->y, s->problem->q, (size_t)s->loop.n * sizeof *s->y);
  perp_matrix_multiply_add(&s->problem->M, s->lambda, s->y);
  for (int32_t i = 0; i < s->loop.n; i++) s->loop.w[m->place[i]] = m->d[i] * s->y[i];
  return perp_admm_loop_start(&s->loop);
}

static perp_status open_workspace(admm *s, const perp_admm_options *o, const perp_problem *problem,
                                  void *work, size_t work_bytes) {
  perp_shape shape;
  perp_problem_shape(problem, &shape);
  arena a = arena_open(work, work_bytes);
  memset(s, 0, sizeof *s);
  carve(s, &a, &shape, o);
  if (!arena_fits(&a)) return PERP_EWORKSPACE;
  perp_admm_loop_open(&s->loop, o, &shape);
  s->loop.self = s;
  s->loop.factorise = factorise;
  s->loop.dear = dear;
  s->loop.solve = to_reaction;
  s->loop.keep = keep;
  s->loop.judge = judge;
  s->problem = problem;
  s->system.M = &problem->M;
  s->system.table = o->sparse;
  s->system.n = problem->n;
  return PERP_OK;
}

static perp_status solve(const perp_problem *problem, const void *options, double *lambda,
                         double *y, perp_warm *warm, void *work, size_t work_bytes,
                         perp_info *info) {
  admm s;
  (void)warm;
  perp_status status = open_workspace(&s, options, problem, work, work_bytes);
  if (status != PERP_OK) return fail(info, status, "work_bytes", -1, (double)work_bytes);
  s.lambda = lambda;
  s.y = y;
  perp_problem_contacts(problem, s.loop.contacts);
  perp_admm_prepare(&s.system, s.loop.contacts, s.loop.count, s.scratch);
  perp_admm_loop_fill(&s.loop, problem, s.system.d, s.system.place);
  if (!start(&s)) { /* of no use: an infinity comes of it */
    memset(lambda, 0, (size_t)problem->n * sizeof *lambda);
    (void)start(&s);
  }
  status = perp_admm_loop_run(&s.loop, info);
  if (status != PERP_OK && s.loop.best_merit <= DBL_MAX) hand_out(&s, s.best);
  perp_admm_release(&s.system);
  if (status == PERP_EUNSUPPORTED) return fail(info, status, "M", -1, 0);
  if (status == PERP_EBACKEND) return fail(info, status, "sparse", -1, 0);
  return status;
}

const perp_solver *perp_solver_admm(void) {
  static const perp_solver solver = {
      .struct_size = sizeof(perp_solver),
      .sets = 1u << PERP_SET_FREE | 1u << PERP_SET_ORTHANT | 1u << PERP_SET_BOX |
              1u << PERP_SET_CONE | 1u << PERP_SET_ROLLING,
      .matrices = 1u << PERP_ZERO | 1u << PERP_DIAGONAL | 1u << PERP_DENSE | 1u << PERP_BLOCKS,
      .assumes = PERP_ASSUMES_SYMMETRIC | PERP_ASSUMES_SEMIDEFINITE,
      .name = "admm",
      .defaults = &defaults,
      .check = check_options,
      .workspace = workspace,
      .solve = solve};
  return &solver;
}
