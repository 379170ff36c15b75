/* SPDX-License-Identifier: MIT */
/* Lemke's method for an LCP in plain arrays, with what that needs and no more: pivots in a
 * dictionary, refined from M and q, and judged by the residual of an LCP. It names no law, no kind
 * of matrix and no descriptor, and its memory is the dictionary. For few kilobytes of code, not for
 * many unknowns: perp_solver_lemke() is the fast one. */
#include "base/finite.h"
#include "base/info.h"
#include "problem/certificate.h"
#include "problem/residual_lcp.h"
#include "solver/lemke.h"
#include "solver/solver_options.h"

typedef struct walk {
  const perp_lcp *p;
  perp_lemke_options o;
  dictionary s;
  int32_t limit; /* pivots allowed              */
  int32_t total; /* and done                    */
  double *z, *w; /* w: the ray, until it is judged */
} walk;

size_t perp_lcp_lemke_workspace(int32_t n) {
  arena a = arena_measure();
  if (n < 0) return 0;
  (void)dictionary_take(&a, n);
  return arena_bytes(&a);
}

/* ---- pivots ---- */

/* Limits as of the other solvers: an iteration that begins within the budget is done. The default
 * budget is more than the default pivots take. */
static int32_t pivots_allowed(const perp_lemke_options *o, int32_t n) {
  const int32_t most = pivot_limit(o->max_iter, n);
  const double paid = o->budget / (n * (n + 2.0));
  return o->budget > 0 && paid < most ? (int32_t)paid + 1 : most;
}

static int observed_stop(walk *l, int32_t entering, int32_t leaving) {
  const perp_iterate it = {l->total++, entering, leaving, perp_dictionary_z0(&l->s)};
  return l->o.observe != NULL && l->o.observe(&it, l->o.user) != 0;
}

/* From the basis of the modes (NULL: that of w) to an ending, see lemke.c. */
static perp_status pivots(walk *l, const unsigned char *modes) {
  dictionary *s = &l->s;
  const int32_t n = s->n;
  if (!perp_dictionary_open(s, l->p->q, l->o.covering, modes)) return PERP_RAY;
  if (perp_dictionary_feasible(s)) return PERP_OK;
  int32_t c = n, r = perp_dictionary_first_row(s);
  while (r >= 0) {
    if (l->total >= l->limit) return PERP_MAX_ITER;
    const int32_t entering = s->nonbasic[c], leaving = s->basic[r];
    perp_dictionary_pivot(s, r, c);
    if (observed_stop(l, entering, leaving)) return PERP_STOPPED;
    if (leaving == 2 * n) return PERP_OK;
    c = s->where[lemke_complement(n, leaving)];
    r = perp_dictionary_ratio_test(s, c);
  }
  perp_dictionary_direction(s, c, l->w);
  return PERP_RAY;
}

static void load(walk *l) {
  const perp_lcp *p = l->p;
  for (int32_t j = 0; j < p->n; j++)
    memcpy(l->s.D + (size_t)p->n * (size_t)j, p->M + (size_t)p->ld * (size_t)j,
           (size_t)p->n * sizeof *l->s.D);
}

/* Pivots from M as it is given, and their point in z. */
static perp_status go(walk *l, const unsigned char *modes) {
  const perp_lcp *p = l->p;
  load(l);
  const perp_status status = pivots(l, modes);
  if (status == PERP_OK)
    perp_dictionary_refine(&l->s, p->M, p->ld, p->q, l->z, l->w);
  else
    perp_dictionary_point(&l->s, l->z);
  return status;
}

/* From the basis of the z that are positive: pivots among nearly tied rows may have made one basic
 * too many. */
static perp_status go_again(walk *l) {
  unsigned char *modes = (unsigned char *)l->w;
  for (int32_t i = 0; i < l->p->n; i++) modes[i] = l->z[i] > 0 ? PERP_MODE_FREE : PERP_MODE_LOWER;
  const perp_status status = go(l, modes);
  return status == PERP_OK || status == PERP_RAY ? PERP_INACCURATE : status;
}

/* ---- endings ---- */

/* The dictionary's memory serves the judge. */
static int judged(const walk *l, perp_residual *r) {
  perp_residual_lcp(l->p->n, l->p->M, l->p->ld, l->p->q, l->z, l->w, r, l->s.R);
  return perp_residual_solved(r, l->o.tol);
}

/* Hand the ray over. If it proves that there is no solution, say so; no other proof is looked for,
 * which would take half a kilobyte more of code. */
static perp_status tell_ray(const walk *l, perp_info *info) {
  const perp_lcp *p = l->p;
  const double bound = perp_certificate_lcp(p->n, p->M, p->ld, p->q, l->w);
  if (bound > 0)
    info_proof(info, bound, p->n, l->w);
  else
    info_ray(info, PERP_RAY_SECONDARY, p->n, l->w);
  return bound > 0 ? PERP_INFEASIBLE : PERP_RAY;
}

static perp_status run(walk *l, perp_residual *r, perp_info *info) {
  perp_status status = go(l, NULL);
  if (status == PERP_RAY) status = tell_ray(l, info);
  int solved = judged(l, r);
  if (status == PERP_OK && !solved) { /* the pivots were many, or the basis is nearly singular */
    status = go_again(l);
    solved = judged(l, r);
  }
  /* a solution is one, also where rounding or a limit kept the method from seeing it */
  if (!solved || status == PERP_STOPPED) return status;
  if (info_ready(info)) info->ray_kind = PERP_RAY_NONE, info->bound = 0;
  return PERP_OK;
}

/* ---- arguments ---- */

static perp_status check(walk *l, const perp_lemke_options *opts, const void *work,
                         size_t work_bytes, perp_info *info) {
  const perp_lcp *p = l->p;
  if (p == NULL) return fail_field(info, "problem", -1);
  perp_status status = perp_lcp_arrays_check(p->n, p->ld, p->M, p->q, l->z, l->w, info);
  if (status == PERP_OK) status = perp_solver_options_read(&perp_lemke_defaults, opts, &l->o, info);
  if (status != PERP_OK) return status;
  const size_t need = perp_lcp_lemke_workspace(p->n);
  if (need == 0) return fail(info, PERP_EUNSUPPORTED, "n", -1, p->n);
  if (work == NULL) return fail_field(info, "work", -1);
  if (work_bytes < need) return fail(info, PERP_EWORKSPACE, "work_bytes", -1, (double)need);
  return perp_lemke_check_covering(l->o.covering, p->n, info);
}

perp_status perp_lcp_lemke(const perp_lcp *problem, const perp_lemke_options *opts, double *z,
                           double *w, void *work, size_t work_bytes, perp_info *info) {
  walk l;
  perp_residual r;
  l.p = problem;
  l.z = z;
  l.w = w;
  l.total = 0;
  info_clear(info);
  perp_status status = check(&l, opts, work, work_bytes, info);
  if (status != PERP_OK) return status;
  arena a = arena_open(work, work_bytes);
  perp_dictionary_place(&l.s, problem->n, dictionary_take(&a, problem->n));
  l.limit = pivots_allowed(&l.o, problem->n);
  if (problem->n > 0) status = run(&l, &r, info);
  if (!info_ready(info)) return status;
  info->solver = "lemke";
  info->iterations = l.total;
  info->worst_block = problem->n > 0 ? 0 : -1;
  if (problem->n <= 0) return status;
  residual_tell(&r, info);
  memcpy(info->violation, r.violation, sizeof info->violation);
  return status;
}
