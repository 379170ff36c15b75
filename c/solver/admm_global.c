/* SPDX-License-Identifier: MIT */
/* ADMM on problems in global form, M v = q + Hᵀ r, u = H v + b, without forming W = H M⁻¹ Hᵀ. The
 * linear system of the iteration, (W + ρI) r = c with c = ρ (z − ξ) − s − (H M⁻¹ q + b), is
 *
 *   (M + HᵀH / ρ) v = q + Hᵀ c' / ρ,   r = (c' − H v) / ρ,   c' = ρ (z − ξ) − s − b,
 *
 * so that the iterates are those of the condensed problem. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "perp/admm.h"
#include "problem/global.h"
#include "solver/admm_global.h"
#include "solver/admm_loop.h"
#include "solver/global_info.h"

#define SETS                                                                                 \
  (1u << PERP_SET_FREE | 1u << PERP_SET_ORTHANT | 1u << PERP_SET_BOX | 1u << PERP_SET_CONE | \
   1u << PERP_SET_ROLLING)

typedef struct admm {
  admm_loop loop;
  admm_global_system system;
  const perp_global_problem *g;
  perp_problem laws;
  int32_t n, m;
  int factorised;     /* at least once                        */
  int32_t *place;     /* n: 0, 1, 2, ...                      */
  double *x, *best_v; /* 4 m, of which x is v; m in there     */
  double *best;       /* n: z                                 */
  double *v, *r, *u;  /* the caller's                         */
  void *residual;
  size_t residual_bytes;
} admm;

/* --- memory ---------------------------------------------------------------------------------- */

static void carve(admm *s, arena *a, const perp_admm_options *o) {
  const size_t n = (size_t)s->n, m = (size_t)s->m;
  perp_shape shape;
  perp_problem_shape(&s->laws, &shape);
  s->place = arena_take(a, n, sizeof(int32_t));
  s->x = arena_take(a, 4 * m, sizeof(double));
  s->best_v = s->x == NULL ? NULL : s->x + m;
  s->best = arena_take(a, n, sizeof(double));
  s->system.table = o->sparse;
  perp_admm_global_carve(&s->system, a);
  s->residual_bytes = perp_global_residual_workspace(s->g);
  s->residual = arena_take(a, s->residual_bytes, 1);
  perp_admm_loop_carve(&s->loop, a, &shape, o->memory);
}

static void open_problem(admm *s, const perp_global_problem *g) {
  memset(s, 0, sizeof *s);
  s->g = g;
  s->n = g->n;
  s->m = g->m;
  s->system.g = g;
  s->system.n = g->n;
  s->system.m = g->m;
  s->laws = perp_global_laws(g);
}

static int takes_laws(const perp_global_problem *g, int32_t *block) {
  for (*block = 0; *block < g->n_blocks; ++*block)
    if ((SETS >> g->laws[*block]->ops->set & 1u) == 0) return 0;
  return 1;
}

size_t perp_global_admm_workspace(const perp_global_problem *problem,
                                  const perp_admm_options *options) {
  admm s;
  perp_admm_options o;
  int32_t block;
  if (perp_global_check(problem, NULL) != PERP_OK || !takes_laws(problem, &block)) return 0;
  if (perp_admm_read_options(&o, options, NULL) != PERP_OK) return 0;
  open_problem(&s, problem);
  arena a = arena_measure();
  carve(&s, &a, &o);
  return arena_bytes(&a);
}

/* --- what the iteration asks for ------------------------------------------------------------- */

static perp_status factorise(void *self, double rho) {
  admm *s = self;
  const perp_status status = perp_admm_global_factor(&s->system, rho);
  if (status == PERP_OK) s->factorised = 1;
  if (status != PERP_EINVAL) return status;
  return s->factorised ? PERP_INACCURATE : PERP_EUNSUPPORTED; /* no larger ρ helps */
}

static int dear(const void *self) {
  (void)self;
  return 1;
}

/* step, which is c', becomes r; x becomes v. */
static perp_status to_reaction(void *self, double *step) {
  admm *s = self;
  return perp_admm_global_solve(&s->system, step, s->x);
}

static void keep(void *self) {
  const admm *s = self;
  if (s->n > 0) memcpy(s->best, s->loop.z, (size_t)s->n * sizeof *s->best);
  if (s->m > 0) memcpy(s->best_v, s->x, (size_t)s->m * sizeof *s->best_v);
}

/* The point to the caller, and its residual. */
static perp_global_parts hand_out(const admm *s, const double *z, const double *v) {
  perp_global_parts parts = PERP_GLOBAL_PARTS_INIT;
  for (int32_t i = 0; i < s->n; i++) s->r[i] = s->system.d[i] * z[i];
  if (s->m > 0) memmove(s->v, v, (size_t)s->m * sizeof *v);
  (void)perp_global_residual(s->g, s->v, s->r, s->u, &parts, s->residual, s->residual_bytes);
  return parts;
}

static int judge(void *self, double *relative, double *scale) {
  const admm *s = self;
  const perp_global_parts parts = hand_out(s, s->loop.z, s->x);
  *relative = parts.relative;
  *scale = parts.contact.scale;
  return perp_global_solved(&parts, s->loop.options.tol);
}

/* --- the solve ------------------------------------------------------------------------------- */

/* The first entry that is not finite, -1 if there is none. */
static int32_t wild_entry(const perp_matrix *A, uint64_t entries) {
  if (A->kind == PERP_DENSE) {
    for (int32_t j = 0; j < A->cols; j++) {
      const double *column = A->values + (size_t)A->ld * (size_t)j;
      const size_t i = first_not_finite((size_t)A->rows, column);
      if (i < (size_t)A->rows) return (int32_t)i;
    }
    return -1;
  }
  const size_t i = first_not_finite((size_t)entries, A->values);
  return i < (size_t)entries ? (i < INT32_MAX ? (int32_t)i : INT32_MAX) : -1;
}

static perp_status check_finite(const admm *s, perp_info *info) {
  const perp_global_problem *g = s->g;
  const int32_t in_M = wild_entry(&g->M, perp_admm_global_entries(&g->M));
  if (in_M >= 0) return fail(info, PERP_ENOTFINITE, "M", in_M, NAN);
  const uint64_t stored = g->H.kind == PERP_BLOCKS ? (uint64_t)g->H.start[g->H.rows] : 0;
  const int32_t in_H = wild_entry(&g->H, stored);
  if (in_H >= 0) return fail(info, PERP_ENOTFINITE, "H", in_H, NAN);
  const size_t i = first_not_finite((size_t)s->m, g->q), k = first_not_finite((size_t)s->n, g->b);
  if (i < (size_t)s->m) return fail(info, PERP_ENOTFINITE, "q", (int32_t)i, g->q[i]);
  return k < (size_t)s->n ? fail(info, PERP_ENOTFINITE, "b", (int32_t)k, g->b[k]) : PERP_OK;
}

/* w from the caller's r, and from u at the caller's v. */
static int start(admm *s) {
  const size_t n = (size_t)s->n;
  for (size_t i = 0; i < n; i++) s->loop.z[i] = s->r[i] / s->system.d[i];
  perp_admm_loop_project(&s->loop, s->loop.z);
  for (size_t i = 0; i < n; i++) s->loop.w[i] = s->loop.q[i];
  const admm_global_system *m = &s->system;
  for (int32_t i = 0; i < s->n; i++)
    for (int32_t k = m->start[i]; k < m->start[i + 1]; k++)
      s->loop.w[i] += m->value[k] * s->v[m->index[k]];
  return perp_admm_loop_start(&s->loop);
}

static perp_status check_arguments(const perp_global_problem *g, const double *v, const double *r,
                                   const double *u, const void *work, perp_info *info) {
  int32_t block;
  if (!takes_laws(g, &block))
    return fail(info, PERP_EUNSUPPORTED, "laws", block, g->laws[block]->ops->set);
  if (g->m > 0 && v == NULL) return fail_field(info, "v", -1);
  if (g->n > 0 && r == NULL) return fail_field(info, "r", -1);
  if (g->n > 0 && u == NULL) return fail_field(info, "u", -1);
  return work == NULL ? fail_field(info, "work", -1) : PERP_OK;
}

static void open_loop(admm *s, const perp_admm_options *o) {
  perp_shape shape;
  perp_problem_shape(&s->laws, &shape);
  perp_admm_loop_open(&s->loop, o, &shape);
  s->loop.self = s;
  s->loop.factorise = factorise;
  s->loop.dear = dear;
  s->loop.solve = to_reaction;
  s->loop.keep = keep;
  s->loop.judge = judge;
}

/* Everything up to the first factor; 0 if M is not symmetric. */
static int prepare(admm *s) {
  for (int32_t i = 0; i < s->n; i++) s->place[i] = i;
  perp_problem_contacts(&s->laws, s->loop.contacts);
  if (!perp_admm_global_prepare(&s->system, s->loop.contacts, s->loop.count, s->x)) return 0;
  perp_admm_loop_fill(&s->loop, &s->laws, s->system.d, s->place);
  return 1;
}

static perp_status finish(const admm *s, perp_status status, perp_info *info) {
  const int kept = status != PERP_OK && s->loop.best_merit <= DBL_MAX;
  if (status != PERP_OK && !kept) { /* no iteration was made */
    if (s->m > 0) memset(s->v, 0, (size_t)s->m * sizeof *s->v);
    if (s->n > 0) memset(s->best, 0, (size_t)s->n * sizeof *s->best);
  }
  const perp_global_parts parts = hand_out(s, status == PERP_OK ? s->loop.z : s->best,
                                           status == PERP_OK ? s->x : (kept ? s->best_v : s->v));
  if (status == PERP_MAX_ITER && perp_global_solved(&parts, s->loop.options.tol)) status = PERP_OK;
  if (info_ready(info)) info->solver = "admm";
  global_info_tell(s->g, &parts, s->loop.options.tol, info);
  if (status == PERP_EUNSUPPORTED) return fail_field(info, "M", -1);
  return status == PERP_EBACKEND ? fail(info, status, "sparse", -1, 0) : status;
}

perp_status perp_global_admm(const perp_global_problem *problem, const perp_admm_options *options,
                             double *v, double *r, double *u, void *work, size_t work_bytes,
                             perp_info *info) {
  admm s;
  perp_admm_options o;
  info_clear(info);
  perp_status status = perp_global_check(problem, info);
  if (status == PERP_OK) status = perp_admm_read_options(&o, options, info);
  if (status == PERP_OK) status = check_arguments(problem, v, r, u, work, info);
  if (status != PERP_OK) return status;
  open_problem(&s, problem);
  arena a = arena_open(work, work_bytes);
  carve(&s, &a, &o);
  if (!arena_fits(&a)) return fail(info, PERP_EWORKSPACE, "work_bytes", -1, (double)work_bytes);
  s.v = v;
  s.r = r;
  s.u = u;
  status = check_finite(&s, info);
  if (status != PERP_OK) return status;
  open_loop(&s, &o);
  if (!prepare(&s)) return fail(info, PERP_EUNSUPPORTED, "M", -1, 0);
  if (!start(&s)) {
    if (s.m > 0) memset(v, 0, (size_t)s.m * sizeof *v);
    if (s.n > 0) memset(r, 0, (size_t)s.n * sizeof *r);
    (void)start(&s);
  }
  status = perp_admm_loop_run(&s.loop, info);
  status = finish(&s, status, info);
  if (o.sparse != NULL) o.sparse->release(s.system.handle);
  return status;
}
