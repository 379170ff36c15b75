/* SPDX-License-Identifier: MIT */
/* Problems in global form,  M v = q + Hᵀ r,  u = H v + b,  (u, r) ∈ law,  by condensation:
 *
 *   W = H M⁻¹ Hᵀ,   r solves  u = W r + (H M⁻¹ q + b),   v = M⁻¹ (q + Hᵀ r),   u = H v + b.
 *
 * v is refined once, and (v, r) is judged from the caller's data. If the solver's answer is not
 * good enough for that, although it is for its own problem, it is asked for a better one. */
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "base/options.h"
#include "base/overlap.h"
#include "linalg/matrix.h"
#include "linalg/sparse_table.h"
#include "perp/global.h"
#include "problem/bounds.h"
#include "problem/global_problem.h"
#include "problem/residual_lcp.h"
#include "solver/global.h"
#include "solver/solver_options.h"

/* How often the solver is asked again. */
enum { ATTEMPTS = 3 };

/* Velocities of a component whose factor may be sparse: with smaller ones W costs little. */
enum { LARGE_BODY = 100 };

/* Iterations that a solve is counted with. */
#define SWEEPS 200.0

/* --- options --------------------------------------------------------------------------------- */

static const perp_global_options defaults = {.struct_size = (uint32_t)sizeof(perp_global_options),
                                             .tol = PERP_DEFAULT_TOL};

void perp_global_options_init(perp_global_options *opts, size_t size) {
  perp_options_fill(opts, size, &defaults, sizeof defaults);
}

/* Those of the solver are copied, so that tol can become less. */
static perp_status read_options(perp_global_options *out, const perp_global_options *in,
                                solver_options *local, perp_info *info) {
  *out = defaults;
  if (in == NULL) return fail_field(info, "options", -1);
  if (perp_options_read(out, sizeof *out, in, PERP_THROUGH(perp_global_options, sparse)) != PERP_OK)
    return fail_field(info, "struct_size", -1);
  if (out->solver == NULL) return fail_field(info, "solver", -1);
  if (!sparse_table_ok(out->sparse, 1)) return fail_field(info, "sparse", -1);
  const perp_solver_options common = {.struct_size = (uint32_t)sizeof common,
                                      .max_iter = out->max_iter,
                                      .tol = out->tol,
                                      .observe = out->observe,
                                      .user = out->user,
                                      .budget = out->budget};
  const void *own = out->solver_options == NULL ? &common : out->solver_options;
  perp_status status = perp_solver_check(out->solver, own, info);
  if (status != PERP_OK) return status;
  status = perp_solver_options_read(out->solver->defaults, own, local, info);
  out->tol = local->common.tol;
  return status;
}

/* --- memory ---------------------------------------------------------------------------------- */

/* Dense where most blocks are there anyway, or where the solver (NULL: any) takes nothing else. */
static int32_t kind_of(const global_pattern *p, const perp_solver *solver) {
  const size_t all = (size_t)p->contacts * (size_t)p->contacts;
  const uint32_t matrices = solver == NULL ? ~0u : solver->matrices;
  const int takes_dense = (matrices >> PERP_DENSE & 1u) != 0;
  const int takes_blocks = (matrices >> PERP_BLOCKS & 1u) != 0;
  if (!takes_blocks) return PERP_DENSE;
  return takes_dense && p->blocks > all / 2 ? PERP_DENSE : PERP_BLOCKS;
}

static size_t saturated(uint64_t x) { return x > SIZE_MAX ? SIZE_MAX : (size_t)x; }

static size_t solver_bytes(const global_pattern *p, const perp_solver *solver, int32_t kind,
                           const void *options) {
  const perp_problem laws = perp_global_laws(p->g);
  const uint64_t n = (uint64_t)p->g->n;
  perp_shape shape;
  perp_problem_shape(&laws, &shape);
  shape.matrix = kind;
  shape.nonzeros = kind == PERP_DENSE ? saturated(n * n) : p->nonzeros;
  shape.envelope = kind == PERP_DENSE ? saturated(n * (n + 1) / 2) : p->envelope;
  return perp_solver_shape_workspace(solver, &shape, options);
}

typedef struct memory {
  condensation c;
  double *e; /* m */
  void *tail;
  size_t tail_bytes; /* of the solver, then of the judge */
} memory;

/* What the pattern has counted says the rest; o NULL: for the condensation alone. */
static void carve(memory *mem, arena *a, const global_pattern *p, const perp_sparse *sparse,
                  const perp_global_options *o, const void *options) {
  const perp_solver *solver = o == NULL ? NULL : o->solver;
  const int32_t kind = kind_of(p, solver);
  perp_condensation_carve(&mem->c, a, p, sparse, kind);
  mem->e = arena_take(a, (size_t)p->g->m, sizeof(double));
  if (o == NULL) return;
  const size_t own = solver_bytes(p, solver, kind, options);
  const size_t judge = perp_global_residual_workspace(p->g);
  if (own == 0 || judge == 0) a->failed = 1;
  mem->tail_bytes = own > judge ? own : judge;
  mem->tail = arena_take(a, mem->tail_bytes, 1);
}

size_t perp_global_scratch(const perp_global_problem *problem) {
  if (perp_global_check(problem, NULL) != PERP_OK) return 0;
  global_pattern p;
  arena a = arena_measure();
  perp_global_pattern_carve(&p, &a, problem);
  return arena_bytes(&a);
}

/* The pattern of a checked problem at the begin of this memory. */
static perp_status open_pattern(global_pattern *p, arena *a, const perp_global_problem *g,
                                perp_info *info) {
  arena count = arena_measure();
  perp_global_pattern_carve(p, &count, g);
  perp_global_pattern_carve(p, a, g);
  if (!arena_fits(a)) /* the rest is known once the pattern is */
    return fail(info, PERP_EWORKSPACE, "work_bytes", -1, (double)arena_bytes(&count));
  return perp_global_pattern_make(p) ? PERP_OK : fail(info, PERP_EUNSUPPORTED, "n", -1, g->n);
}

/* Bytes of a pattern, which the solve makes again, and what carve() takes behind it. */
static size_t bytes_for(const perp_global_problem *g, const perp_sparse *sparse,
                        const perp_global_options *o, const void *options, void *scratch,
                        size_t scratch_bytes) {
  global_pattern p;
  memory mem;
  if (perp_global_check(g, NULL) != PERP_OK || scratch == NULL) return 0;
  arena own = arena_open(scratch, scratch_bytes), a = arena_measure();
  if (open_pattern(&p, &own, g, NULL) != PERP_OK) return 0;
  a.used = own.used;
  carve(&mem, &a, &p, sparse, o, options);
  return arena_bytes(&a);
}

size_t perp_global_workspace(const perp_global_problem *problem, const perp_global_options *options,
                             void *scratch, size_t scratch_bytes) {
  perp_global_options o;
  solver_options local;
  if (read_options(&o, options, &local, NULL) != PERP_OK) return 0;
  return bytes_for(problem, o.sparse, &o, &local, scratch, scratch_bytes);
}

size_t perp_global_condense_workspace(const perp_global_problem *problem, const perp_sparse *sparse,
                                      void *scratch, size_t scratch_bytes) {
  if (!sparse_table_ok(sparse, 1)) return 0;
  return bytes_for(problem, sparse, NULL, NULL, scratch, scratch_bytes);
}

/* Entries of the factor of a sparse matrix of n rows that is dissected well. */
static double fill_of(int32_t n, double entries) {
  int32_t levels = 1;
  for (int32_t k = n; k > 2; k /= 2) levels++;
  const double sparse = entries * levels, dense = (double)n * n / 2;
  return sparse < dense ? sparse : dense;
}

/* Multiplications: one solve with M for every row of H in each component it touches, then sweeps
 * over W. */
static double condensed_work(const global_pattern *p) {
  double work = SWEEPS * (double)p->nonzeros;
  for (int32_t c = 0; c < p->components; c++) {
    const double fill = fill_of(p->first[c + 1] - p->first[c], p->entries[c]);
    for (int32_t e = p->reach_start[c]; e < p->reach_start[c + 1]; e++)
      work += 2 * fill * p->contact[p->reach[e]].size;
  }
  return work;
}

/* One solve with M + Hᵀ H in every iteration. */
static double full_work(const global_pattern *p) {
  double entries = 0;
  for (int32_t c = 0; c < p->components; c++) entries += p->entries[c];
  for (int32_t i = 0; i < p->g->n; i++) {
    const double length = p->H.start[i + 1] - p->H.start[i];
    entries += length * length;
  }
  return SWEEPS * 2 * fill_of(p->g->m, entries);
}

int32_t perp_global_form(const perp_global_problem *problem, void *scratch, size_t scratch_bytes) {
  global_pattern p;
  if (perp_global_check(problem, NULL) != PERP_OK || scratch == NULL) return 0;
  arena a = arena_open(scratch, scratch_bytes);
  const perp_status status = open_pattern(&p, &a, problem, NULL);
  if (status != PERP_OK) return status == PERP_EUNSUPPORTED ? PERP_GLOBAL_FULL : 0;
  if (p.largest < LARGE_BODY) return PERP_GLOBAL_CONDENSED;
  return condensed_work(&p) > full_work(&p) ? PERP_GLOBAL_FULL : PERP_GLOBAL_CONDENSED;
}

/* --- arguments and the answer ---------------------------------------------------------------- */

perp_status perp_global_check_arguments(const perp_global_problem *g, const double *v,
                                        const double *r, const double *u, const void *work,
                                        perp_info *info) {
  static const char *const names[3] = {"v", "r", "u"};
  const double *const all[3] = {v, r, u};
  const size_t n = (size_t)g->n * sizeof *r, size[3] = {(size_t)g->m * sizeof *v, n, n};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j <= i && size[i] > 0; j++)
      if (all[i] == NULL ||
          (j < i && size[j] > 0 && overlap_blocks(all[i], size[i], all[j], size[j])))
        return fail_field(info, names[i], -1);
  return work == NULL ? fail_field(info, "work", -1) : PERP_OK;
}

static perp_status finite_rows(const row_reader *A, const char *field, perp_info *info) {
  for (int32_t i = 0; i < A->M->rows; i++) {
    const matrix_row row = row_read(A, i);
    const size_t count = (size_t)row.count, at = first_not_finite(count, row.value);
    if (at < count) return fail(info, PERP_ENOTFINITE, field, i, row.value[at]);
  }
  return PERP_OK;
}

perp_status perp_global_check_finite(const perp_global_problem *g, const row_reader *M,
                                     const perp_matrix *H, perp_info *info) {
  const row_reader rows = {.M = H};
  perp_status status = finite_rows(M, "M", info);
  if (status == PERP_OK) status = finite_rows(&rows, "H", info);
  if (status == PERP_OK) status = fail_not_finite(info, "q", (size_t)g->m, g->q);
  return status == PERP_OK ? fail_not_finite(info, "b", (size_t)g->n, g->b) : status;
}

perp_status perp_global_check_laws(const perp_global_problem *g, const char *solver, uint32_t sets,
                                   perp_info *info) {
  for (int32_t b = 0; b < g->n_blocks; b++)
    if ((sets >> g->laws[b]->ops->set & 1u) == 0)
      return fail_solver(info, solver, "laws", PERP_OF_ENTRY, b, g->laws[b]->ops->set);
  return PERP_OK;
}

void perp_global_tell(const perp_global_problem *g, const perp_global_parts *parts, double tol,
                      perp_info *info) {
  if (!info_ready(info)) return;
  const perp_problem laws = perp_global_laws(g);
  const uint32_t friction = 1u << PERP_SET_CONE | 1u << PERP_SET_ROLLING;
  residual_tell(&parts->contact, info);
  info->relative_residual = parts->relative;
  info->worst_block = parts->contact.worst_block;
  memcpy(info->violation, parts->contact.violation, sizeof info->violation);
  info->dissipates = -1;
  if ((perp_problem_sets(&laws) & friction) != 0)
    info->dissipates = parts->contact.creep <= tol * parts->contact.scale;
}

/* --- the solve ------------------------------------------------------------------------------- */

/* v := M⁻¹ (q + Hᵀ r), refined once. */
static perp_status recover(memory *mem, const double *r, double *v) {
  const perp_global_problem *g = mem->c.p->g;
  const size_t bytes = (size_t)g->m * sizeof *v;
  perp_status status = PERP_OK;
  if (g->m == 0) return PERP_OK;
  memset(v, 0, bytes);
  for (int pass = 0; pass < 2 && status == PERP_OK; pass++) {
    memset(mem->e, 0, bytes);
    perp_matrix_multiply_add(&g->M, v, mem->e);
    for (int32_t i = 0; i < g->m; i++) mem->e[i] = g->q[i] - mem->e[i];
    perp_matrix_transpose_multiply_add(&g->H, 1, r, mem->e, NULL);
    status = perp_condensation_solve(&mem->c, mem->e);
    for (int32_t i = 0; i < g->m; i++) v[i] += mem->e[i];
  }
  return status;
}

typedef struct point {
  double *v, *r, *u;
  perp_warm *warm;
} point;

/* Solve the condensed problem, judge the global one; again with a smaller tol where the condensed
 * answer is good and the global one is not. */
static perp_status solve_and_judge(memory *mem, const perp_global_options *o, solver_options *local,
                                   const point *x, perp_info *info) {
  const perp_problem condensed = perp_condensation_view(&mem->c);
  perp_info own = PERP_INFO_INIT, *told = info_ready(info) ? info : &own;
  perp_global_parts parts = PERP_GLOBAL_PARTS_INIT;
  int32_t iterations = 0;
  for (int attempt = 1;; attempt++) {
    perp_status status = perp_solver_solve(o->solver, &condensed, local, x->r, x->u, x->warm,
                                           mem->tail, mem->tail_bytes, told);
    if (status < 0) return status;
    const double relative = told->relative_residual;
    told->iterations = iterations += told->iterations;
    const perp_status back = recover(mem, x->r, x->v);
    if (back != PERP_OK) return back;
    (void)perp_global_residual(mem->c.p->g, x->v, x->r, x->u, &parts, mem->tail, mem->tail_bytes);
    perp_global_tell(mem->c.p->g, &parts, o->tol, told);
    if (relative > told->relative_residual) told->relative_residual = relative;
    const int solved = perp_global_solved(&parts, o->tol);
    /* a smaller tol that was not reached takes nothing from what was */
    if (attempt > 1 && solved && relative <= o->tol) return PERP_OK;
    if (status != PERP_OK || solved) return status;
    if (attempt == ATTEMPTS) return PERP_INACCURATE;
    if (!(local->common.tol > 1e-16)) return PERP_INACCURATE;
    const double part = o->tol / parts.contact.relative;
    local->common.tol *= part > 1e-3 && part < 1 ? 0.5 * part : 1e-3;
  }
}

/* Factorise M, and fill W. */
static perp_status condense(memory *mem, perp_info *info) {
  perp_status status = perp_global_check_finite(mem->c.p->g, &mem->c.p->M, &mem->c.p->H, info);
  if (status != PERP_OK) return status;
  status = perp_condensation_factor(&mem->c);
  if (status == PERP_EINVAL) return fail_field(info, "M", mem->c.singular);
  if (status != PERP_OK) return fail(info, status, "M", mem->c.singular, 0);
  return perp_condensation_fill(&mem->c, mem->e);
}

perp_status perp_global_condense(const perp_global_problem *problem, const perp_sparse *sparse,
                                 perp_problem *condensed, void *work, size_t work_bytes,
                                 perp_info *info) {
  global_pattern p;
  memory mem;
  info_clear(info);
  perp_status status = perp_global_check(problem, info);
  if (status != PERP_OK) return status;
  if (!sparse_table_ok(sparse, 1)) return fail_field(info, "sparse", -1);
  if (condensed == NULL) return fail_field(info, "condensed", -1);
  if (condensed->struct_size < PERP_THROUGH(perp_problem, floor))
    return fail(info, PERP_EINVAL, "condensed.struct_size", -1, condensed->struct_size);
  if (work == NULL) return fail_field(info, "work", -1);
  arena a = arena_open(work, work_bytes);
  status = open_pattern(&p, &a, problem, info);
  if (status != PERP_OK) return status;
  arena count = arena_measure();
  count.used = a.used;
  carve(&mem, &a, &p, sparse, NULL, NULL);
  if (!arena_fits(&a)) {
    carve(&mem, &count, &p, sparse, NULL, NULL);
    return fail(info, PERP_EWORKSPACE, "work_bytes", -1, (double)arena_bytes(&count));
  }
  status = condense(&mem, info);
  perp_condensation_release(&mem.c);
  if (status != PERP_OK) return status;
  const perp_problem view = perp_condensation_view(&mem.c);
  return perp_options_answer(condensed, &view, sizeof view, PERP_THROUGH(perp_problem, floor));
}

perp_status perp_global_solve(const perp_global_problem *problem,
                              const perp_global_options *options, double *v, double *r, double *u,
                              perp_warm *warm, void *work, size_t work_bytes, perp_info *info) {
  perp_global_options o;
  solver_options local;
  global_pattern p;
  memory mem;
  info_clear(info);
  perp_status status = perp_global_check(problem, info);
  if (status == PERP_OK) status = read_options(&o, options, &local, info);
  if (status == PERP_OK) status = perp_global_check_arguments(problem, v, r, u, work, info);
  if (status != PERP_OK) return status;
  arena a = arena_open(work, work_bytes);
  status = open_pattern(&p, &a, problem, info);
  if (status != PERP_OK) return status;
  arena count = arena_measure();
  count.used = a.used;
  carve(&mem, &a, &p, o.sparse, &o, &local);
  if (!arena_fits(&a)) {
    carve(&mem, &count, &p, o.sparse, &o, &local);
    if (arena_fits(&count))
      return fail(info, PERP_EWORKSPACE, "work_bytes", -1, (double)arena_bytes(&count));
    status = perp_global_check_laws(problem, o.solver->name, o.solver->sets, info);
    return status != PERP_OK
               ? status
               : fail_solver(info, o.solver->name, "n", PERP_OF_ENTRY, -1, problem->n);
  }
  const point x = {v, r, u, warm};
  status = condense(&mem, info);
  if (status == PERP_OK) status = solve_and_judge(&mem, &o, &local, &x, info);
  perp_condensation_release(&mem.c);
  return status;
}
