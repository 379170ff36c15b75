/* SPDX-License-Identifier: MIT */
/* Lemke's method for  w = M z + q,  0 <= z _|_ w >= 0  [CPS92, section 4.4].
 *
 * Augment to w = M z + d z0 + q with d > 0. First z0 enters and the row of the least
 * (lexicographic) q_i / d_i leaves, so that all basic variables are >= 0. Then, over and over, the
 * complement of what left enters, and a ratio test says what leaves: z0 (solved), another variable,
 * or none (a ray). The point that is found is computed once more from M, q and its basis alone.
 *
 * A warm start tries the basis of its modes, then starts the method from that basis, then from the
 * beginning. */
#include "perp/lemke.h"

#include <float.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "problem/certificate.h"
#include "problem/residual.h"
#include "solver/dictionary.h"
#include "solver/lcp_basis.h"
#include "solver/lemke_path.h"
#include "solver/lemke_small.h"
#include "solver/lemke_table.h"
#include "solver/options.h"
#include "solver/warm.h"

typedef struct lemke {
  dictionary s;
  lemke_path path;
  lcp_basis basis;
  perp_lemke_options o;
  int32_t limit;   /* pivots allowed                                     */
  int32_t total;   /* of all runs of this solve                          */
  int on_path;     /* the last run ended on the path, not in the dictionary */
  double *inverse; /* k x k: warm cache, or the place of the dictionary  */
  double *x;       /* 3 n behind it                                      */
  double *ray;     /* n: direction of the last run that ended on a ray   */
} lemke;

static const perp_lemke_options defaults = {
    (uint32_t)sizeof(perp_lemke_options), 0, PERP_DEFAULT_TOL, NULL, NULL, NULL};

void perp_lemke_options_init(perp_lemke_options *opts, size_t size) {
  perp_options_fill(opts, size, &defaults, sizeof defaults);
}

static perp_status read_options(perp_lemke_options *o, const void *options, perp_info *info) {
  *o = defaults;
  return solver_options_read(o, sizeof *o, options, info);
}

static perp_status check(const void *options, perp_info *info) {
  perp_lemke_options o;
  return read_options(&o, options, info);
}

static perp_status check_covering(const double *d, int32_t n, perp_info *info) {
  for (int32_t i = 0; d != NULL && i < n; i++) {
    if (!is_finite(d[i])) return fail(info, PERP_ENOTFINITE, "covering", i, d[i]);
    if (!(d[i] > 0)) return fail(info, PERP_EINVAL, "covering", i, d[i]);
  }
  return PERP_OK;
}

/* A basis uses the memory of the dictionary: one or the other. */
static void carve(lemke *l, arena *a, int32_t n) {
  perp_dictionary_carve(&l->s, a, n);
  l->total = l->on_path = 0;
  l->basis.k = 0;
  l->basis.set = l->s.ties;
  l->basis.place = l->s.nonbasic;
  l->inverse = l->s.D;
  l->x = l->s.D == NULL ? NULL : l->s.D + (size_t)n * (size_t)n;
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
  const int32_t most = pivot_limit(l->o.max_iter, n);
  l->limit = l->o.max_iter > 0 || l->total > INT32_MAX - most ? most : l->total + most;
}

/* Tell the observer of the pivot that was just done. */
static int observed_stop(lemke *l, int32_t entering, int32_t leaving, double z0) {
  perp_iterate it = {l->total, entering, leaving, z0};
  l->total++;
  return l->o.observe != NULL && l->o.observe(&it, l->o.user) != 0;
}

static int32_t complement(int32_t n, int32_t variable) {
  return variable < n ? variable + n : variable - n;
}

/* The method in the dictionary, from where column c enters and row r leaves to an ending. */
static perp_status pivot_on(lemke *l, int32_t r, int32_t c) {
  dictionary *s = &l->s;
  int32_t n = s->n;
  for (;; r = perp_dictionary_ratio_test(s, c)) {
    if (r < 0) {
      perp_dictionary_direction(s, c, l->ray);
      return PERP_RAY;
    }
    if (l->total >= l->limit) return PERP_MAX_ITER;
    int32_t entering = s->nonbasic[c], leaving = s->basic[r];
    perp_dictionary_pivot(s, r, c);
    if (observed_stop(l, entering, leaving, perp_dictionary_z0(s))) return PERP_STOPPED;
    if (leaving == 2 * n) return PERP_OK;
    c = s->where[complement(n, leaving)];
  }
}

/* From the basis of the modes (NULL: that of w) to an ending. */
static perp_status pivot_from(lemke *l, const perp_problem *problem, const unsigned char *modes) {
  dictionary *s = &l->s;
  if (!perp_dictionary_open(s, &problem->M, problem->q, l->o.covering, modes)) return PERP_RAY;
  if (perp_dictionary_feasible(s)) return PERP_OK;
  return pivot_on(l, perp_dictionary_first_row(s), s->n);
}

/* The dictionary goes on where the path stands: this variable has left, its complement enters. */
static perp_status hand_over(lemke *l, const perp_problem *problem, int32_t left,
                             unsigned char *modes) {
  dictionary *s = &l->s;
  int32_t n = s->n;
  perp_lemke_path_modes(&l->path, modes);
  l->on_path = 0;
  if (!perp_dictionary_resume(s, &problem->M, problem->q, l->o.covering, modes, left))
    return pivot_from(l, problem, NULL);
  int32_t c = s->where[complement(n, left)];
  return pivot_on(l, perp_dictionary_ratio_test(s, c), c);
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
  if (!perp_lemke_path_open(p, &problem->M, problem->q, l->o.covering, l->s.D, l->s.basic))
    return pivot_from(l, problem, NULL);
  l->on_path = 1;
  int32_t place = perp_lemke_path_first(p);
  if (place < 0) return PERP_OK;
  double z0 = 0; /* before the pivot */
  for (;;) {
    if (!is_finite(p->z0)) return leave_path(l, problem);
    if (place < 0) {
      perp_lemke_path_direction(p, l->ray);
      return PERP_RAY;
    }
    if (l->total >= l->limit) {
      p->z0 = z0;
      return PERP_MAX_ITER;
    }
    int32_t leaving = place == n ? 2 * n : lemke_path_variable(p, place);
    if (observed_stop(l, entering, leaving, p->z0)) return PERP_STOPPED;
    if (place == n) return PERP_OK;
    entering = complement(n, leaving);
    place = perp_lemke_path_exchange(p, place);
    if (place < 0) return hand_over(l, problem, leaving, modes);
    z0 = p->z0;
    place = perp_lemke_path_next(p, place);
  }
}

/* ---- points of a basis ---- */

/* The inverse goes where the next solve finds it, if that can be. */
static void place_inverse(lemke *l, const perp_warm *warm) {
  size_t n = (size_t)l->s.n;
  double *cache = warm != NULL && warm->stamp != 0 ? warm_cache(warm, l->s.n, n * n) : NULL;
  l->inverse = cache != NULL ? cache : l->s.D;
}

enum { SINGULAR, REGULAR, SOLVED };

/* What the basis of the warm modes is good for. */
static int try_modes(lemke *l, const perp_problem *problem, const perp_warm *warm, double *z,
                     double *w) {
  int32_t n = l->s.n;
  perp_lcp_basis_read(&l->basis, n, warm_modes(warm, n));
  place_inverse(l, warm);
  int cached = l->inverse != l->s.D;
  if (!cached || !warm_factor_valid(warm, n, WARM_LEMKE)) {
    warm_factor_drop(warm, n);
    if (!perp_lcp_basis_invert(&l->basis, &problem->M, l->inverse, l->s.basic)) return SINGULAR;
    if (cached) warm_factor_keep(warm, n, WARM_LEMKE);
  }
  return perp_lcp_basis_point(&l->basis, problem, l->inverse, z, w, l->x) ? SOLVED : REGULAR;
}

/* z := the solution of the last basis, computed anew from M and q; the numbers of the pivots where
 * that basis is nearly singular. Whether the point is sure to solve the problem. What the pivots
 * worked on is gone afterwards. */
static int finish(lemke *l, const perp_problem *problem, const perp_warm *warm, double *z,
                  double *w) {
  dictionary *s = &l->s;
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
  if (n <= LEMKE_TABLE) return perp_lemke_table(problem, o->covering, limit, z);
  return perp_lemke_small(problem, o->covering, limit, z);
}

/* From the beginning to an ending, z included. Who keeps nothing for a next solve is served by the
 * factor of the path. */
static perp_status cold(lemke *l, const perp_problem *problem, const perp_warm *warm, double *z,
                        double *w) {
  if (problem->M.kind == PERP_DENSE) {
    int32_t pivots = warm_block(warm, problem->n) == NULL ? solve_small(problem, &l->o, z) : -1;
    if (pivots >= 0) {
      l->total += pivots;
      return PERP_OK;
    }
    perp_status status = follow(l, problem, (unsigned char *)w);
    if (status != PERP_OK) return status;
    if (l->on_path && warm_block(warm, problem->n) == NULL)
      if (perp_lemke_path_finish(&l->path, problem->q, z, w)) return PERP_OK;
    if (finish(l, problem, warm, z, w) || !l->on_path) return PERP_OK;
    begin_again(l, problem->n);
    if (l->total >= l->limit) return PERP_OK; /* as well as it is, to be judged */
  }
  l->on_path = 0;
  perp_status status = pivot_from(l, problem, NULL);
  if (status == PERP_OK) finish(l, problem, warm, z, w);
  return status;
}

static perp_status run(lemke *l, const perp_problem *problem, const perp_warm *warm, double *z,
                       double *w) {
  perp_status status = PERP_RAY; /* of the warm start */
  if (warm_known(warm, l->s.n)) {
    int basis = try_modes(l, problem, warm, z, w);
    if (basis == SOLVED) return PERP_OK;
    if (basis == REGULAR && l->basis.k > 0) {
      if (l->o.max_iter > 0) l->limit = l->o.max_iter / 2; /* the rest is for the beginning */
      status = pivot_from(l, problem, warm_modes(warm, l->s.n));
    }
    if (status == PERP_OK) finish(l, problem, warm, z, w);
  }
  if (status != PERP_OK && status != PERP_STOPPED) {
    begin_again(l, l->s.n);
    status = cold(l, problem, warm, z, w);
  }
  if (status == PERP_OK) return status;
  if (l->on_path)
    perp_lemke_path_point(&l->path, z);
  else
    perp_dictionary_point(&l->s, z);
  return status;
}

/* Hand the ray over. If it proves that there is no solution, say so. */
static perp_status tell_ray(lemke *l, const perp_problem *problem, perp_info *info) {
  double *scratch = l->s.D; /* no longer needed */
  info_ray(info, PERP_RAY_SECONDARY, problem->n, l->ray);
  perp_certificate_project(problem, l->ray, scratch);
  if (!perp_certificate_proves(problem, l->ray, scratch, 0)) return PERP_RAY;
  info_ray(info, PERP_RAY_CERTIFICATE, problem->n, l->ray);
  return PERP_INFEASIBLE;
}

static perp_status solve(const perp_problem *problem, const void *options, double *lambda,
                         double *y, perp_warm *warm, void *work, size_t work_bytes,
                         perp_info *info) {
  int32_t n = problem->n;
  lemke l;
  arena a = arena_open(work, work_bytes);
  carve(&l, &a, n);
  perp_status status = read_options(&l.o, options, info);
  if (status == PERP_OK) status = check_covering(l.o.covering, n, info);
  if (status != PERP_OK || n == 0) return status;
  if (!arena_fits(&a)) return fail(info, PERP_EWORKSPACE, "work_bytes", -1, (double)work_bytes);
  l.limit = pivot_limit(l.o.max_iter, n);
  l.ray = y; /* which is computed anew afterwards */
  status = run(&l, problem, warm, lambda, y);
  if (status == PERP_RAY) status = tell_ray(&l, problem, info);
  if (info_ready(info)) info->iterations = l.total;
  return status;
}

static const perp_solver descriptor = {
    .struct_size = sizeof(perp_solver),
    .sets = 1u << PERP_SET_ORTHANT,
    .matrices = 1u << PERP_ZERO | 1u << PERP_DIAGONAL | 1u << PERP_DENSE | 1u << PERP_BLOCKS,
    .assumes = PERP_ASSUMES_COPOSITIVE,
    .name = "lemke",
    .check = check,
    .workspace = workspace,
    .warm_bytes = warm_bytes,
    .solve = solve};

const perp_solver *perp_solver_lemke(void) { return &descriptor; }

/* ---- plain arrays ---- */

size_t perp_lcp_lemke_workspace(int32_t n) { return perp_lcp_workspace(&descriptor, n, NULL); }

/* Whether a problem of a few unknowns was a plain case, and its solution confirmed by the judge of
 * all others. Nothing is written where not, and nothing is wrong with the arguments where so. */
static int solved_at_once(const perp_lcp *lcp, const perp_lemke_options *opts, double *z, double *w,
                          const void *work, size_t work_bytes, perp_info *info) {
  double x[LEMKE_SMALL], y[LEMKE_SMALL], scratch[6 * LEMKE_SMALL];
  int32_t n = lcp == NULL ? 0 : lcp->n;
  perp_lemke_options o = defaults;
  if (n <= 0 || n > LEMKE_SMALL || lcp->ld < n || lcp->M == NULL || lcp->q == NULL) return 0;
  if (z == NULL || w == NULL || work == NULL) return 0;
  if (work_bytes < dictionary_doubles(n) * sizeof *x + ARENA_SLACK) return 0;
  if ((uintptr_t)z - (uintptr_t)w < (uintptr_t)n * sizeof *z) return 0; /* they overlap */
  if ((uintptr_t)w - (uintptr_t)z < (uintptr_t)n * sizeof *w) return 0;
  if (opts != NULL && read_options(&o, opts, NULL) != PERP_OK) return 0;
  if (check_covering(o.covering, n, NULL) != PERP_OK) return 0;
  perp_complementarity law;
  const perp_law *laws[1] = {&law.law};
  const int32_t offset[2] = {0, n};
  perp_problem p = {perp_dense(n, n, lcp->M), lcp->q, n, 1, laws, offset, NULL};
  perp_residual r;
  perp_complementarity_init(&law, sizeof law);
  p.M.ld = lcp->ld;
  int quick = n <= LEMKE_TABLE && o.observe == NULL;
  int32_t pivots = quick ? perp_lemke_table_quick(&p, o.covering, pivot_limit(o.max_iter, n), x)
                         : solve_small(&p, &o, x);
  if (pivots < 0) return 0;
  perp_residual_compute(&p, x, y, &r, scratch);
  if (!perp_residual_solved(&r, o.tol)) return 0;
  if (quick && !(r.relative <= 16 * DBL_EPSILON)) return 0; /* a step of refinement can do better */
  for (int32_t i = 0; i < n; i++) z[i] = x[i];
  for (int32_t i = 0; i < n; i++) w[i] = y[i];
  if (info_ready(info)) {
    info_clear(info);
    info->solver = descriptor.name;
    info->iterations = pivots;
    info->residual = r.residual;
    info->relative_residual = r.relative;
    info->worst = r.worst;
  }
  return 1;
}

perp_status perp_lcp_lemke(const perp_lcp *problem, const perp_lemke_options *opts, double *z,
                           double *w, void *work, size_t work_bytes, perp_info *info) {
  if (solved_at_once(problem, opts, z, w, work, work_bytes, info)) return PERP_OK;
  return perp_lcp_solve(&descriptor, problem, opts, z, w, work, work_bytes, info);
}
