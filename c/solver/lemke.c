/* SPDX-License-Identifier: MIT */
/* Lemke's method for  w = M z + q,  0 <= z _|_ w >= 0  [CPS92, section 4.4].
 *
 * as a descriptor. The path is that of lemke_walk.c, for a dense M followed in ways that cost less
 * than its dictionary, which takes over where they cannot go on. The point that is found is
 * computed once more from M, q and its basis alone.
 *
 * A warm start tries the basis of its modes, then starts the method from that basis, then from the
 * beginning. */
#include "perp/pivoting.h"

#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "linalg/matrix.h"
#include "problem/certificate.h"
#include "solver/lcp_basis.h"
#include "solver/lemke_path.h"
#include "solver/lemke_small.h"
#include "solver/lemke_walk.h"
#include "solver/options.h"
#include "solver/warm.h"

typedef struct lemke {
  lemke_walk walk;
  lemke_path path;
  lcp_basis basis;
  int on_path;     /* the last run ended on the path, not in the dictionary */
  double *inverse; /* k x k: warm cache, or the place of the dictionary  */
  double *x;       /* 3 n behind it                                      */
} lemke;

/* A basis uses the memory of the dictionary: one or the other. */
static void carve(lemke *l, arena *a, int32_t n) {
  perp_dictionary_carve(&l->walk.s, a, n);
  l->walk.total = l->on_path = 0;
  l->basis.k = 0;
  l->basis.set = l->walk.s.ties;
  l->basis.place = l->walk.s.nonbasic;
  l->inverse = l->walk.s.D;
  l->x = l->walk.s.D == NULL ? NULL : l->walk.s.D + (size_t)n * (size_t)n;
}

static size_t workspace(const perp_shape *shape, const void *options) {
  (void)options;
  if (shape->n < 0) return 0;
  lemke l;
  arena a = arena_measure();
  carve(&l, &a, shape->n);
  return arena_bytes(&a);
}

static size_t warm_bytes(const perp_shape *shape) {
  size_t n = shape->n > 0 ? (size_t)shape->n : 0;
  if (n > 0 && n > SIZE_MAX / n) return 0;
  return warm_full_bytes((int32_t)n, n * n);
}

/* ---- pivoting ---- */

/* One more beginning: the solver's own rule grants each its pivots, the caller's limit counts the
 * pivots of all. */
static void begin_again(lemke *l, int32_t n) {
  const int32_t most = pivot_limit(l->walk.o.max_iter, n);
  l->walk.limit =
      l->walk.o.max_iter > 0 || l->walk.total > INT32_MAX - most ? most : l->walk.total + most;
}

/* From the basis of the modes (NULL: that of w) to an ending, in the dictionary. */
static perp_status pivot_from(lemke *l, const perp_problem *problem, const unsigned char *modes) {
  perp_matrix_to_dense(&problem->M, l->walk.s.D, problem->n);
  return perp_lemke_walk_from(&l->walk, problem->q, modes);
}

/* The dictionary goes on where the path stands: this variable has left, its complement enters. */
static perp_status hand_over(lemke *l, const perp_problem *problem, int32_t left,
                             unsigned char *modes) {
  dictionary *s = &l->walk.s;
  int32_t n = s->n;
  perp_lemke_path_modes(&l->path, modes);
  l->on_path = 0;
  perp_matrix_to_dense(&problem->M, s->D, n);
  if (!perp_dictionary_resume(s, problem->q, l->walk.o.covering, modes, left))
    return pivot_from(l, problem, NULL);
  int32_t c = s->where[lemke_complement(n, left)];
  return perp_lemke_walk_on(&l->walk, perp_dictionary_ratio_test(s, c), c);
}

/* From the beginning in the dictionary, which scales M. */
static perp_status leave_path(lemke *l, const perp_problem *problem) {
  l->on_path = 0;
  begin_again(l, problem->n);
  return pivot_from(l, problem, NULL);
}

/* The whole method by the path. modes (n bytes) is scratch. */
static perp_status follow(lemke *l, const perp_problem *problem, unsigned char *modes) {
  lemke_path *p = &l->path;
  int32_t n = problem->n, entering = 2 * n;
  if (!perp_lemke_path_open(p, &problem->M, problem->q, l->walk.o.covering, l->walk.s.D,
                            l->walk.s.basic))
    return pivot_from(l, problem, NULL);
  l->on_path = 1;
  int32_t place = perp_lemke_path_first(p);
  if (place < 0) return PERP_OK;
  double z0 = 0; /* before the pivot */
  for (;;) {
    if (!is_finite(p->z0)) return leave_path(l, problem);
    if (place < 0) {
      perp_lemke_path_direction(p, l->walk.ray);
      return PERP_RAY;
    }
    if (l->walk.total >= l->walk.limit) {
      p->z0 = z0;
      return PERP_MAX_ITER;
    }
    int32_t leaving = place == n ? 2 * n : lemke_path_variable(p, place);
    if (perp_lemke_observed_stop(&l->walk, entering, leaving, p->z0)) return PERP_STOPPED;
    if (place == n) return PERP_OK;
    entering = lemke_complement(n, leaving);
    place = perp_lemke_path_exchange(p, place);
    if (place < 0) return hand_over(l, problem, leaving, modes);
    z0 = p->z0;
    place = perp_lemke_path_next(p, place);
  }
}

/* ---- points of a basis ---- */

/* The inverse goes where the next solve finds it, if that can be. */
static void place_inverse(lemke *l, const perp_warm *warm) {
  size_t n = (size_t)l->walk.s.n;
  double *cache = warm != NULL && warm->stamp != 0 ? warm_cache(warm, l->walk.s.n, n * n) : NULL;
  l->inverse = cache != NULL ? cache : l->walk.s.D;
}

enum { SINGULAR, REGULAR, SOLVED };

/* What the basis of the warm modes is good for. */
static int try_modes(lemke *l, const perp_problem *problem, const perp_warm *warm, double *z,
                     double *w) {
  int32_t n = l->walk.s.n;
  perp_lcp_basis_read(&l->basis, n, warm_modes(warm, n));
  place_inverse(l, warm);
  int cached = l->inverse != l->walk.s.D;
  if (!cached || !warm_factor_valid(warm, n, WARM_LEMKE)) {
    warm_factor_drop(warm, n);
    if (!perp_lcp_basis_invert(&l->basis, &problem->M, l->inverse, l->walk.s.basic))
      return SINGULAR;
    if (cached) warm_factor_keep(warm, n, WARM_LEMKE);
  }
  return perp_lcp_basis_point(&l->basis, problem, l->inverse, z, w, l->x) ? SOLVED : REGULAR;
}

/* z := the solution of the last basis, computed anew from M and q; the numbers of the pivots where
 * that basis is nearly singular. Whether the point is sure to solve the problem. What the pivots
 * worked on is gone afterwards. */
static int finish(lemke *l, const perp_problem *problem, const perp_warm *warm, double *z,
                  double *w) {
  dictionary *s = &l->walk.s;
  int32_t n = s->n;
  double *own = s->R;                           /* no longer needed */
  unsigned char *modes = (unsigned char *)s->C; /* nor is this, then */
  if (l->on_path) {
    perp_lemke_path_point(&l->path, own);
    perp_lemke_path_modes(&l->path, modes);
  } else {
    perp_dictionary_point(s, own);
    perp_dictionary_modes(s, modes);
  }
  unsigned char *kept = warm_claim(warm, n);
  if (kept != NULL) memcpy(kept, modes, (size_t)n);
  perp_lcp_basis_read(&l->basis, n, modes);
  place_inverse(l, warm);
  int regular = perp_lcp_basis_invert(&l->basis, &problem->M, l->inverse, s->basic);
  if (regular && l->inverse != s->D) warm_factor_keep(warm, n, WARM_LEMKE);
  if (regular && perp_lcp_basis_point(&l->basis, problem, l->inverse, z, w, l->x)) return 1;
  for (int32_t i = 0; i < n; i++) z[i] = own[i] < 0 ? 0 : own[i];
  return 0;
}

/* ---- solve ---- */

/* The plain cases of a few unknowns: the number of pivots, or -1. */
static int32_t solve_small(const perp_problem *problem, const perp_lemke_options *o, double *z) {
  int32_t n = problem->n, limit = pivot_limit(o->max_iter, n);
  if (n > LEMKE_SMALL || o->observe != NULL) return -1;
  return perp_lemke_small(problem, o->covering, limit, z);
}

/* From the beginning to an ending, z included. Who keeps nothing for a next solve is served by the
 * factor of the path. */
static perp_status cold(lemke *l, const perp_problem *problem, const perp_warm *warm, double *z,
                        double *w) {
  if (problem->M.kind == PERP_DENSE) {
    int32_t pivots =
        warm_block(warm, problem->n) == NULL ? solve_small(problem, &l->walk.o, z) : -1;
    if (pivots >= 0) {
      l->walk.total += pivots;
      return PERP_OK;
    }
    perp_status status = follow(l, problem, (unsigned char *)w);
    if (status != PERP_OK) return status;
    if (l->on_path && warm_block(warm, problem->n) == NULL)
      if (perp_lemke_path_finish(&l->path, problem->q, z, w)) return PERP_OK;
    if (finish(l, problem, warm, z, w) || !l->on_path) return PERP_OK;
    begin_again(l, problem->n);
    if (l->walk.total >= l->walk.limit) return PERP_OK; /* as well as it is, to be judged */
  }
  l->on_path = 0;
  perp_status status = pivot_from(l, problem, NULL);
  if (status == PERP_OK) finish(l, problem, warm, z, w);
  return status;
}

static perp_status run(lemke *l, const perp_problem *problem, const perp_warm *warm, double *z,
                       double *w) {
  perp_status status = PERP_RAY; /* of the warm start */
  if (warm_known(warm, l->walk.s.n)) {
    int basis = try_modes(l, problem, warm, z, w);
    if (basis == SOLVED) return PERP_OK;
    if (basis == REGULAR && l->basis.k > 0) {
      if (l->walk.o.max_iter > 0)
        l->walk.limit = l->walk.o.max_iter / 2; /* the rest is for the beginning */
      status = pivot_from(l, problem, warm_modes(warm, l->walk.s.n));
    }
    if (status == PERP_OK) finish(l, problem, warm, z, w);
  }
  if (status != PERP_OK && status != PERP_STOPPED) {
    begin_again(l, l->walk.s.n);
    status = cold(l, problem, warm, z, w);
  }
  if (status == PERP_OK) return status;
  if (l->on_path)
    perp_lemke_path_point(&l->path, z);
  else
    perp_dictionary_point(&l->walk.s, z);
  return status;
}

/* Hand the ray over. If it proves that there is no solution, say so. */
static perp_status tell_ray(lemke *l, const perp_problem *problem, perp_info *info) {
  double *scratch = l->walk.s.D; /* no longer needed */
  info_ray(info, PERP_RAY_SECONDARY, problem->n, l->walk.ray);
  perp_certificate_project(problem, l->walk.ray, scratch);
  const double bound = perp_certificate_proves(problem, l->walk.ray, scratch);
  if (!(bound > 0)) return PERP_RAY;
  info_proof(info, bound, problem->n, l->walk.ray);
  return PERP_INFEASIBLE;
}

static perp_status solve(const perp_problem *problem, const void *options, double *lambda,
                         double *y, perp_warm *warm, void *work, size_t work_bytes,
                         perp_info *info) {
  int32_t n = problem->n;
  lemke l;
  arena a = arena_open(work, work_bytes);
  carve(&l, &a, n);
  l.walk.o = *(const perp_lemke_options *)options;
  perp_status status = perp_lemke_check_covering(l.walk.o.covering, n, info);
  if (status != PERP_OK) return status;
  if (!arena_fits(&a)) return fail(info, PERP_EWORKSPACE, "work_bytes", -1, (double)work_bytes);
  l.walk.limit = pivot_limit(l.walk.o.max_iter, n);
  l.walk.ray = y; /* which is computed anew afterwards */
  status = run(&l, problem, warm, lambda, y);
  if (status == PERP_RAY) status = tell_ray(&l, problem, info);
  if (info_ready(info)) info->iterations = l.walk.total;
  return status;
}

static const perp_solver descriptor = {
    .struct_size = sizeof(perp_solver),
    .sets = 1u << PERP_SET_ORTHANT,
    .matrices = 1u << PERP_ZERO | 1u << PERP_DIAGONAL | 1u << PERP_DENSE | 1u << PERP_BLOCKS,
    .assumes = PERP_ASSUMES_COPOSITIVE,
    .name = "lemke",
    .defaults = &perp_lemke_defaults,
    .workspace = workspace,
    .warm_bytes = warm_bytes,
    .solve = solve};

const perp_solver *perp_solver_lemke(void) { return &descriptor; }
