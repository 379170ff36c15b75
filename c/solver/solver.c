/* SPDX-License-Identifier: MIT */
/* What all solvers have in common: who accepts what, memory, and the verification of every answer
 * by the residual. The block that a solver worked in serves the verification afterwards. */
#include "perp/solver.h"

#include <string.h>

#include "base/arena.h"
#include "base/finite.h"
#include "base/info.h"
#include "base/overlap.h"
#include "linalg/matrix.h"
#include "problem/bounds.h"
#include "problem/contacts.h"
#include "problem/definite.h"
#include "problem/residual.h"
#include "problem/residual_lcp.h"
#include "solver/shell.h"
#include "solver/solver_options.h"
#include "solver/verified.h"
#include "solver/warm.h"

/* ---- shape ---- */

static size_t saturated(uint64_t x) { return x > SIZE_MAX ? SIZE_MAX : (size_t)x; }

/* What laws with memory of their own need. */
static void law_shape(const perp_problem *problem, perp_shape *shape) {
  uint64_t constraints = 0;
  shape->projection = shape->constraints = 0;
  shape->contacts = problem->n;
  shape->largest = problem->n > 0;
  if (shape->sets >> (PERP_SET_BOX + 1) == 0) return; /* each unknown by itself */
  for (int32_t b = 0, begin = 0, end; b < problem->n_blocks; b++, begin = end) {
    const perp_law *law = problem->laws[b];
    end = problem->offset == NULL ? begin + law->size : problem->offset[b + 1];
    if (law->ops->set <= PERP_SET_BOX) continue;
    const size_t doubles = law_projection_doubles(law);
    if (doubles > shape->projection) shape->projection = doubles;
    constraints += (uint64_t)law_constraints(law) * (uint64_t)((end - begin) / law->size);
  }
  shape->constraints = saturated(constraints);
  shape->contacts = perp_problem_contact_count(problem, &shape->largest);
}

void perp_problem_shape_known(const perp_problem *problem, perp_shape *shape) {
  shape->n = problem->n;
  shape->n_blocks = problem->n_blocks;
  shape->sets = perp_problem_sets(problem);
  shape->matrix = problem->M.kind;
  law_shape(problem, shape);
  uint64_t enveloped;
  shape->nonzeros = saturated(perp_matrix_entries(&problem->M, &enveloped));
  shape->envelope = saturated(enveloped);
}

void perp_problem_shape(const perp_problem *problem, perp_shape *shape) {
  if (shape == NULL) return;
  memset(shape, 0, sizeof *shape);
  if (perp_problem_check(problem, NULL) == PERP_OK) perp_problem_shape_known(problem, shape);
}

/* ---- who accepts what ---- */

static perp_status check_solver(const perp_solver *solver, perp_info *info) {
  if (solver == NULL) return fail_field(info, "solver", -1);
  if (solver->struct_size < PERP_THROUGH(perp_solver, reserved))
    return fail(info, PERP_EINVAL, "struct_size", -1, solver->struct_size);
  const perp_solver_options *d = solver->defaults;
  if (d != NULL && (d->struct_size < sizeof *d || d->struct_size > PERP_SOLVER_OPTIONS_MOST))
    return fail(info, PERP_EINVAL, "defaults", -1, d->struct_size);
  if (solver->method != NULL) return PERP_OK;
  if (solver->workspace == NULL) return fail_field(info, "workspace", -1);
  return solver->solve == NULL ? fail_field(info, "solve", -1) : PERP_OK;
}

/* o := the options as the solver gets them: in the room, or its defaults where they lie. */
static perp_status open_options(const perp_solver *solver, const void *options,
                                solver_options *room, const perp_solver_options **o,
                                perp_info *info) {
  const int given = options != NULL || solver->defaults == NULL;
  perp_status status = PERP_OK;
  *o = given ? &room->common : solver->defaults;
  if (given) status = perp_solver_options_read(solver->defaults, options, room, info);
  if (status == PERP_OK && solver->method != NULL)
    status = perp_options_in_range(solver->method->ranges, *o, info);
  return status == PERP_OK && solver->check != NULL ? solver->check(*o, info) : status;
}

perp_status perp_solver_check(const perp_solver *solver, const void *options, perp_info *info) {
  solver_options room;
  const perp_solver_options *o;
  info_clear(info);
  const perp_status status = check_solver(solver, info);
  return status == PERP_OK ? open_options(solver, options, &room, &o, info) : status;
}

static int takes_matrix(const perp_solver *solver, int32_t kind) {
  return kind >= PERP_ZERO && kind <= PERP_BLOCKS && (solver->matrices >> kind & 1u) != 0;
}

static perp_status check_accepts(const perp_solver *solver, const perp_problem *problem,
                                 perp_info *info) {
  if (!takes_matrix(solver, problem->M.kind))
    return fail_solver(info, solver->name, "M", PERP_OF_ENTRY, -1, problem->M.kind);
  for (int32_t b = 0; b < problem->n_blocks; b++) {
    int32_t set = problem->laws[b]->ops->set;
    if ((solver->sets >> set & 1u) == 0)
      return fail_solver(info, solver->name, "laws", PERP_OF_ENTRY, b, set);
  }
  if (solver->max_n > 0 && problem->n > solver->max_n)
    return fail_solver(info, solver->name, "n", PERP_OF_ENTRY, -1, problem->n);
  return PERP_OK;
}

/* ---- memory ---- */

static int accepts(const perp_solver *solver, const perp_shape *shape) {
  return takes_matrix(solver, shape->matrix) && (shape->sets & ~solver->sets) == 0 &&
         (solver->max_n <= 0 || shape->n <= solver->max_n);
}

/* For options that were opened. */
static size_t workspace_for(const perp_solver *solver, const perp_shape *shape,
                            const perp_solver_options *o) {
  if (!accepts(solver, shape)) return 0;
  const size_t own = solver->method != NULL ? perp_method_workspace(solver->method, shape, o)
                                            : solver->workspace(shape, o);
  arena verification = arena_measure();
  arena_take(&verification, residual_scratch_doubles(shape->n), sizeof(double));
  arena_take(&verification, shape->projection, sizeof(double));
  const size_t verify = arena_bytes(&verification);
  return own == 0 || verify == 0 ? 0 : own > verify ? own : verify;
}

size_t perp_solver_shape_workspace(const perp_solver *solver, const perp_shape *shape,
                                   const void *options) {
  solver_options room;
  const perp_solver_options *o;
  if (check_solver(solver, NULL) != PERP_OK || shape == NULL || shape->n < 0) return 0;
  if (open_options(solver, options, &room, &o, NULL) != PERP_OK) return 0;
  return workspace_for(solver, shape, o);
}

size_t perp_solver_workspace(const perp_solver *solver, const perp_problem *problem,
                             const void *options) {
  perp_shape shape;
  if (perp_problem_check(problem, NULL) != PERP_OK) return 0;
  perp_problem_shape_known(problem, &shape);
  return perp_solver_shape_workspace(solver, &shape, options);
}

size_t perp_solver_warm_bytes(const perp_solver *solver, const perp_problem *problem) {
  perp_shape shape;
  if (check_solver(solver, NULL) != PERP_OK || solver->warm_bytes == NULL) return 0;
  if (perp_problem_check(problem, NULL) != PERP_OK) return 0;
  perp_problem_shape_known(problem, &shape);
  return solver->warm_bytes(&shape);
}

/* ---- solve and verify ---- */

/* Name the first NaN or infinity of the caller's numbers, if there is one. */
static perp_status blame_input(const perp_problem *problem, perp_status status, perp_info *info) {
  const perp_matrix *M = &problem->M;
  uint64_t enveloped;
  const int dense = M->kind == PERP_DENSE;
  const size_t rows = dense ? (size_t)M->rows : (size_t)perp_matrix_entries(M, &enveloped);
  const perp_status input = perp_entries_check(problem->n, problem->q, rows, dense ? rows : 1,
                                               dense ? (size_t)M->ld : rows, M->values, info);
  return input == PERP_OK ? status : input;
}

static void forget(const perp_warm *warm, int32_t n) {
  warm_head *head = warm_block(warm, n);
  if (head != NULL) head->n = head->factor_stamp = 0;
}

/* What the residual knows of the laws, and what is suspicious about M. */
static void tell_laws(const perp_problem *problem, const perp_residual *r, double tol,
                      perp_info *info) {
  info->worst_block = r->worst_block;
  memcpy(info->violation, r->violation, sizeof info->violation);
  const uint32_t frictional = 1u << PERP_SET_CONE | 1u << PERP_SET_ROLLING;
  if ((perp_problem_sets(problem) & frictional) == 0) return;
  info->dissipates = r->creep <= tol * r->scale;
  const int32_t block = perp_problem_indefinite(problem);
  if (block < 0) return;
  info->warnings |= PERP_WARN_INDEFINITE;
  if (info->field == NULL) info->index = block;
}

static void tell(const perp_solver *solver, const perp_residual *r, perp_info *info) {
  if (info->solver == NULL) info->solver = solver->name;
  residual_tell(r, info);
}

/* The method alone, with options that were opened. */
static perp_status apply(const perp_solver *solver, const perp_problem *problem,
                         const perp_solver_options *o, double *lambda, double *y, perp_warm *warm,
                         void *work, size_t work_bytes, double *spent, perp_info *info) {
  if (solver->method == NULL)
    return solver->solve(problem, o, lambda, y, warm, work, work_bytes, info);
  return perp_method_run(solver->method, problem, o, lambda, y, warm, work, work_bytes, spent,
                         info);
}

/* Solve and verify with options that were opened. */
static perp_status run(const perp_solver *solver, const perp_problem *problem,
                       const perp_solver_options *o, double *lambda, double *y, perp_warm *warm,
                       void *work, size_t work_bytes, perp_residual *residual, perp_info *info) {
  perp_residual r;
  const double tol = o->tol;
  int again = warm_known(warm, problem->n), solved;
  arena a = arena_open(work, work_bytes);
  double *scratch = arena_take(&a, residual_scratch_doubles(problem->n), sizeof *scratch);
  if (problem->n > 0 && !arena_fits(&a)) return PERP_EWORKSPACE; /* the projection's lie behind */
  perp_status status = PERP_OK;
  for (;; again = 0) { /* wrong warm data must not cost the solution */
    if (problem->n > 0)
      status = apply(solver, problem, o, lambda, y, warm, work, work_bytes, NULL, info);
    if (status == PERP_EWORKSPACE && solver->method != NULL) return status; /* nothing was done */
    perp_residual_compute(problem, lambda, y, &r, scratch);
    solved = perp_residual_solved(&r, tol);
    if (status != PERP_OK || solved) break;
    forget(warm, problem->n);
    if (!again) status = PERP_INACCURATE;
    if (!again) break;
  }
  /* a solution is one, also where rounding or a limit kept the method from seeing it, and where
   * the method has shown that it must be a huge one */
  if (solved && (status == PERP_RAY || status == PERP_MAX_ITER || status == PERP_INFEASIBLE)) {
    status = PERP_OK;
    if (info_ready(info)) info->ray_kind = PERP_RAY_NONE;
  }
  if (status != PERP_INFEASIBLE && info_ready(info)) info->bound = 0;
  if (status > 0 && !is_finite(r.residual)) status = blame_input(problem, status, info);
  if (residual != NULL) *residual = r;
  if (info_ready(info)) tell(solver, &r, info);
  return status;
}

/* Solve and verify for a caller, who is told of the laws, too. */
static perp_status run_and_tell(const perp_solver *solver, const perp_problem *problem,
                                const perp_solver_options *o, double *lambda, double *y,
                                perp_warm *warm, void *work, size_t work_bytes, perp_info *info) {
  perp_residual r;
  const perp_status status = run(solver, problem, o, lambda, y, warm, work, work_bytes, &r, info);
  if (status != PERP_EWORKSPACE && info_ready(info)) tell_laws(problem, &r, o->tol, info);
  return status;
}

#if !defined(__OPTIMIZE_SIZE__) /* there the method finds it, when all is open */
/* Whether warm data alone solve the problem. */
static int recalls(const perp_solver *solver, const perp_problem *problem,
                   const perp_solver_options *o, double *lambda, double *y, const perp_warm *warm,
                   double *scratch, perp_residual *r, perp_info *info) {
  const perp_method *method = solver->method;
  if (method == NULL || method->recall == NULL || !method->recall(problem, o, warm, lambda, y))
    return 0;
  perp_residual_compute(problem, lambda, y, r, scratch);
  if (!perp_residual_solved(r, o->tol)) return 0;
  if (!info_ready(info)) return 1;
  info->iterations = 0;
  info->bound = 0;
  tell(solver, r, info);
  return 1;
}
#endif

perp_status perp_solver_run(const perp_solver *solver, const perp_problem *problem,
                            const void *options, double *lambda, double *y, perp_warm *warm,
                            void *work, size_t work_bytes, perp_residual *residual,
                            perp_info *info) {
  solver_options room;
  const perp_solver_options *o;
  const perp_status status = open_options(solver, options, &room, &o, info);
  if (status != PERP_OK) return status;
#if !defined(__OPTIMIZE_SIZE__)
  perp_residual r;
  if (recalls(solver, problem, o, lambda, y, warm, work, residual != NULL ? residual : &r, info))
    return PERP_OK;
#endif
  return run(solver, problem, o, lambda, y, warm, work, work_bytes, residual, info);
}

perp_status perp_solver_apply(const perp_solver *solver, const perp_problem *problem,
                              const void *options, double *lambda, double *y, perp_warm *warm,
                              void *work, size_t work_bytes, double *spent, perp_info *info) {
  solver_options room;
  const perp_solver_options *o;
  const perp_status status = open_options(solver, options, &room, &o, info);
  *spent = 0;
  if (status != PERP_OK) return status;
  return apply(solver, problem, o, lambda, y, warm, work, work_bytes, spent, info);
}

/* Whether it finds out by itself that its block is too small: a method does, and the residual where
 * no law needs memory of its own. */
static int measures_itself(const perp_solver *solver) {
  return solver->method != NULL && (solver->sets & ~INTERVAL_SETS) == 0 &&
         (solver->method->needs & NEEDS_REST) == 0;
}

perp_status perp_solver_solve(const perp_solver *solver, const perp_problem *problem,
                              const void *options, double *lambda, double *y, perp_warm *warm,
                              void *work, size_t work_bytes, perp_info *info) {
  solver_options room;
  const perp_solver_options *o;
  info_clear(info);
  perp_status status = check_solver(solver, info);
  if (status == PERP_OK) status = perp_problem_check(problem, info);
  if (status == PERP_OK) status = check_accepts(solver, problem, info);
  if (status == PERP_OK) status = open_options(solver, options, &room, &o, info);
  if (status != PERP_OK) return status;
  if (problem->n > 0 && lambda == NULL) return fail_field(info, "lambda", -1);
  if (problem->n > 0 && y == NULL) return fail_field(info, "y", -1);
  if (overlap(lambda, y, problem->n)) return fail_field(info, "y overlaps lambda", -1);
  if (measures_itself(solver) && work != NULL) {
    status = run_and_tell(solver, problem, o, lambda, y, warm, work, work_bytes, info);
    if (status != PERP_EWORKSPACE) return status;
  }
  perp_shape shape;
  perp_problem_shape_known(problem, &shape);
  size_t need = workspace_for(solver, &shape, o);
  if (need == 0) return fail_solver(info, solver->name, "n", PERP_OF_ENTRY, -1, problem->n);
  if (work == NULL) return fail_field(info, "work", -1);
  if (work_bytes < need) return fail(info, PERP_EWORKSPACE, "work_bytes", -1, (double)need);
  return run_and_tell(solver, problem, o, lambda, y, warm, work, work_bytes, info);
}

/* What a caller can have done wrong with it is told by the long way. */
perp_status perp_solver_solve_known(const perp_solver *solver, const perp_problem *problem,
                                    const void *options, double *lambda, double *y, void *work,
                                    size_t work_bytes, perp_info *info) {
  solver_options room;
  const perp_solver_options *o;
  int32_t n = problem->n;
  const perp_shape shape = dense_shape(n, PERP_SET_ORTHANT);
  int right = n > 0 && check_solver(solver, NULL) == PERP_OK && !overlap(lambda, y, n) &&
              open_options(solver, options, &room, &o, NULL) == PERP_OK && accepts(solver, &shape);
  size_t need = right && !measures_itself(solver) ? workspace_for(solver, &shape, o) : 1;
  perp_status status = PERP_EWORKSPACE;
  if (right && need > 0 && work_bytes >= need)
    status = run_and_tell(solver, problem, o, lambda, y, NULL, work, work_bytes, info);
  if (status != PERP_EWORKSPACE) return status;
  return perp_solver_solve(solver, problem, options, lambda, y, NULL, work, work_bytes, info);
}

/* ---- modes ---- */

perp_status perp_warm_set_modes(perp_warm *warm, int32_t n, const unsigned char *modes) {
  if (warm == NULL || n < 0 || (n > 0 && modes == NULL)) return PERP_EINVAL;
  if (warm->data == NULL || (uintptr_t)warm->data % 8 != 0) return PERP_EINVAL;
  for (int32_t i = 0; i < n; i++)
    if (modes[i] > PERP_MODE_UPPER) return PERP_EINVAL;
  unsigned char *out = warm_claim(warm, n);
  if (out == NULL) return PERP_EWORKSPACE;
  if (n > 0) memcpy(out, modes, (size_t)n);
  return PERP_OK;
}

perp_status perp_warm_get_modes(const perp_warm *warm, int32_t n, unsigned char *modes) {
  if (warm == NULL || n < 0 || (n > 0 && modes == NULL)) return PERP_EINVAL;
  const unsigned char *stored = warm_known(warm, n) ? warm_modes(warm, n) : NULL;
  for (int32_t i = 0; i < n; i++)
    modes[i] = stored != NULL && stored[i] <= PERP_MODE_UPPER ? stored[i] : PERP_MODE_UNKNOWN;
  return PERP_OK;
}
