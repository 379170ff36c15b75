/* SPDX-License-Identifier: MIT */
/* Lemke's method for an LCP in plain arrays, with what that needs and no more: the walk in a
 * dictionary, refined from M and q, and judged by the residual of an LCP. It names no law, no kind
 * of matrix and no descriptor, and its memory is the dictionary. For few kilobytes of code, not for
 * many unknowns: perp_solver_lemke() is the fast one. */
#include "base/finite.h"
#include "base/info.h"
#include "base/overlap.h"
#include "problem/certificate.h"
#include "problem/residual_lcp.h"
#include "solver/lcp_arrays.h"
#include "solver/lemke_walk.h"
#include "solver/options.h"

static size_t bytes_for(int32_t n) {
  dictionary s;
  arena a = arena_measure();
  perp_dictionary_carve(&s, &a, n);
  return arena_bytes(&a);
}

size_t perp_lcp_lemke_workspace(int32_t n) { return n < 0 ? 0 : bytes_for(n); }

static void load(dictionary *s, const perp_lcp *p) {
  for (int32_t j = 0; j < p->n; j++)
    memcpy(s->D + (size_t)p->n * (size_t)j, p->M + (size_t)p->ld * (size_t)j,
           (size_t)p->n * sizeof *s->D);
}

/* From the basis of the modes (NULL: that of w) to an ending and its point in z. */
static perp_status walk(lemke_walk *l, const perp_lcp *p, const unsigned char *modes, double *z,
                        double *w) {
  load(&l->s, p);
  perp_status status = perp_lemke_walk_from(l, p->q, modes);
  if (status == PERP_OK)
    perp_dictionary_refine(&l->s, p->M, p->ld, p->q, z, w);
  else
    perp_dictionary_point(&l->s, z);
  return status;
}

/* The dictionary's memory serves the judge. */
static int judged(const lemke_walk *l, const perp_lcp *p, const double *z, double *w,
                  perp_residual *r) {
  perp_residual_lcp(p->n, p->M, p->ld, p->q, z, w, r, l->s.R);
  return perp_residual_solved(r, l->o.tol);
}

/* Hand the ray over. If it proves that there is no solution, say so. */
static perp_status tell_ray(const lemke_walk *l, const perp_lcp *p, perp_info *info) {
  const double bound = perp_certificate_lcp(p->n, p->M, p->ld, p->q, l->ray);
  info_ray(info, PERP_RAY_SECONDARY, p->n, l->ray);
  if (!(bound > 0)) return PERP_RAY;
  info_proof(info, bound, p->n, l->ray);
  return PERP_INFEASIBLE;
}

/* From the basis of the z that are positive: a walk that met nearly tied rows may have made one
 * basic too many. */
static perp_status walk_again(lemke_walk *l, const perp_lcp *p, double *z, double *w) {
  unsigned char *modes = (unsigned char *)w;
  for (int32_t i = 0; i < p->n; i++) modes[i] = z[i] > 0 ? PERP_MODE_FREE : PERP_MODE_LOWER;
  perp_status status = walk(l, p, modes, z, w);
  return status == PERP_OK || status == PERP_RAY ? PERP_INACCURATE : status;
}

static perp_status run(lemke_walk *l, const perp_lcp *p, double *z, double *w, perp_residual *r,
                       perp_info *info) {
  l->ray = w; /* which is computed anew afterwards */
  perp_status status = walk(l, p, NULL, z, w);
  if (status == PERP_RAY) status = tell_ray(l, p, info);
  int solved = judged(l, p, z, w, r);
  if (status == PERP_OK && !solved) { /* the walk was long, or ended in a nearly singular basis */
    status = walk_again(l, p, z, w);
    solved = judged(l, p, z, w, r);
  }
  /* a solution is one, also where rounding or a limit kept the method from seeing it */
  if (!solved || status == PERP_STOPPED) return status;
  if (info_ready(info)) info->ray_kind = PERP_RAY_NONE, info->bound = 0;
  return PERP_OK;
}

static perp_status check(const perp_lcp *p, const perp_lemke_options *opts, const double *z,
                         const double *w, const void *work, size_t work_bytes, lemke_walk *l,
                         perp_info *info) {
  if (p == NULL) return fail_field(info, "problem", -1);
  perp_status status = perp_lcp_arrays_check(p->n, p->ld, p->M, p->q, z, w, info);
  if (status == PERP_OK) status = perp_solver_options_read(&perp_lemke_defaults, opts, &l->o, info);
  if (status != PERP_OK) return status;
  if (overlap(z, w, p->n)) return fail_field(info, "w", -1);
  size_t need = bytes_for(p->n);
  if (need == 0) return fail(info, PERP_EUNSUPPORTED, "n", -1, p->n);
  if (work == NULL) return fail_field(info, "work", -1);
  if (work_bytes < need) return fail(info, PERP_EWORKSPACE, "work_bytes", -1, (double)need);
  return perp_lemke_check_covering(l->o.covering, p->n, info);
}

perp_status perp_lcp_lemke(const perp_lcp *problem, const perp_lemke_options *opts, double *z,
                           double *w, void *work, size_t work_bytes, perp_info *info) {
  lemke_walk l;
  perp_residual r;
  info_clear(info);
  perp_status status = check(problem, opts, z, w, work, work_bytes, &l, info);
  if (status != PERP_OK) return status;
  arena a = arena_open(work, work_bytes);
  perp_dictionary_carve(&l.s, &a, problem->n);
  l.limit = pivot_limit(l.o.max_iter, problem->n);
  l.total = 0;
  if (problem->n > 0) status = run(&l, problem, z, w, &r, info);
  if (!info_ready(info)) return status;
  info->solver = "lemke";
  info->iterations = l.total;
  info->worst_block = problem->n > 0 ? 0 : -1;
  if (problem->n <= 0) return status;
  info->residual = r.residual;
  info->relative_residual = r.relative;
  info->amplification = residual_amplification(&r);
  info->worst = r.worst;
  memcpy(info->violation, r.violation, sizeof info->violation);
  return status;
}
