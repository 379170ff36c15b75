/* SPDX-License-Identifier: MIT */
/* Lemke's method for  w = M z + d z0 + q,  0 <= z _|_ w >= 0,  d > 0  [CPS92, section 4.4].
 *
 *   0. z0 enters; the row of the least (lexicographic) q_i / d_i leaves: all that is basic is >= 0.
 *   1. What left drives its complement in; a ratio test says what that drives out.
 *   2. z0 leaves: solved. Nothing leaves: a ray. Else pivot, and go to 1.
 *
 * For a dense M the pivots are done on the path of lemke_path.c, which costs less than the
 * dictionary; that takes over where the path cannot go on. The point that is found is computed once
 * more from M, q and its basis alone.
 *
 * A warm start tries the basis of its modes, then starts the method from that basis, then from the
 * beginning. A ray of a few unknowns that proves nothing is followed by a look for a proof. */
#include "solver/lemke.h"

#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "linalg/matrix.h"
#include "solver/mode.h"
#include "solver/small.h"
#include "solver/warm.h"

typedef struct lemke {
  session *run;
  const double *covering;
  double *room; /* of one of the following at a time */
  dictionary s;
  lemke_path path;
  lcp_basis basis;
  int on_path;     /* pivots are done on the path, not in the dictionary        */
  double *inverse; /* of the basis: in the warm cache, or in the room           */
  double *x;       /* 3 n behind it                                             */
} lemke;

static void carve(void *state, arena *a, const perp_shape *shape, const void *options) {
  (void)options;
  ((lemke *)state)->room = dictionary_take(a, shape->n);
}

/* A basis uses the memory of the dictionary: one or the other. */
static void place(lemke *l, int32_t n) {
  perp_dictionary_place(&l->s, n, l->room);
  l->basis.set = l->s.ties;
  l->inverse = l->room;
  l->x = l->room + (size_t)n * (size_t)n;
}

static size_t warm_bytes(const perp_shape *shape) {
  size_t n = shape->n > 0 ? (size_t)shape->n : 0;
  if (n > 0 && n > SIZE_MAX / n) return 0;
  return warm_full_bytes((int32_t)n, n * n);
}

/* ---- limits ---- */

/* One more beginning: the solver's own rule grants each its pivots, the caller's limit counts the
 * pivots of all. */
static void begin_again(lemke *l) {
  session *run = l->run;
  const int32_t given = run->common->max_iter, most = pivot_limit(given, run->n);
  run->max_iter = given > 0 || run->iterations > INT32_MAX - most ? most : run->iterations + most;
}

/* Pivots that are left. */
static int32_t pivots_left(const session *run) {
  const int32_t most = run->max_iter - run->iterations;
  const double paid = (run->budget - run->work) / run->price;
  return paid < most ? (int32_t)paid + 1 : most;
}

/* ---- pivots ---- */

/* The problem in the basis of the modes (NULL: that of w). 0 if that is singular. */
static int open_dictionary(lemke *l, const unsigned char *modes) {
  const perp_problem *p = l->run->problem;
  l->on_path = 0;
  perp_matrix_to_dense(&p->M, l->s.D, p->n);
  return perp_dictionary_open(&l->s, p->q, l->covering, modes);
}

/* z0 enters the dictionary there. PERP_RAY where it is singular too. */
static perp_status walk(lemke *l, const unsigned char *modes) {
  dictionary *s = &l->s;
  if (!open_dictionary(l, modes)) return PERP_RAY;
  if (perp_dictionary_feasible(s)) return PERP_OK;
  return perp_dictionary_walk(s, l->run, perp_dictionary_first_row(s), s->n, l->run->y);
}

/* The path refused to let this variable enter: the dictionary goes on where it stands, or from the
 * beginning if it cannot. */
static perp_status resume(lemke *l, int32_t entering) {
  dictionary *s = &l->s;
  const perp_problem *p = l->run->problem;
  unsigned char *modes = (unsigned char *)l->run->y;
  perp_lemke_path_modes(&l->path, modes);
  l->on_path = 0;
  perp_matrix_to_dense(&p->M, s->D, p->n);
  if (!perp_dictionary_resume(s, p->q, l->covering, modes, lemke_complement(p->n, entering)))
    return walk(l, NULL);
  const int32_t c = s->where[entering];
  return perp_dictionary_walk(s, l->run, perp_dictionary_ratio_test(s, c), c, l->run->y);
}

/* z0 enters on the path. One that overflows is left, as the dictionary scales M. */
static perp_status follow(lemke *l) {
  session *run = l->run;
  lemke_path *path = &l->path;
  const perp_problem *p = run->problem;
  if (!perp_lemke_path_open(path, &p->M, p->q, l->covering, l->s.D, l->s.basic))
    return walk(l, NULL);
  l->on_path = 1;
  int32_t entering = 2 * p->n, place = perp_lemke_path_first(path);
  if (place < 0) return PERP_OK;
  while (place >= 0 && is_finite(path->z0)) {
    if (perp_session_limits(run) != GO_ON) {
      path->z0 = path->before;
      return PERP_MAX_ITER;
    }
    const int32_t leaving = lemke_path_variable(path, place);
    if (perp_session_step(run, entering, leaving, path->z0) == PERP_STOPPED) return PERP_STOPPED;
    if (leaving == 2 * p->n) return PERP_OK;
    entering = lemke_complement(p->n, leaving);
    const int32_t entered = perp_lemke_path_exchange(path, place);
    if (entered < 0) return resume(l, entering);
    place = perp_lemke_path_next(path, entered);
  }
  if (!is_finite(path->z0)) {
    begin_again(l);
    return walk(l, NULL);
  }
  perp_lemke_path_direction(path, run->y); /* which is computed anew afterwards */
  return PERP_RAY;
}

/* ---- points of a basis ---- */

/* The inverse goes where the next solve finds it, if that can be. Returns whether it can. */
static int place_inverse(lemke *l) {
  const perp_warm *warm = l->run->warm;
  const size_t n = (size_t)l->s.n;
  double *cache = warm != NULL && warm->stamp != 0 ? warm_cache(warm, l->s.n, n * n) : NULL;
  l->inverse = cache != NULL ? cache : l->s.D;
  return cache != NULL;
}

/* The inverse of the basis that was read, kept for the next solve. 0 if it is singular. */
static int invert(lemke *l, int kept) {
  const session *run = l->run;
  if (!perp_lcp_basis_invert(&l->basis, &run->problem->M, l->inverse, l->s.basic)) return 0;
  if (small_pairs(run->n)) perp_lcp_basis_spread(&l->basis, run->n, l->inverse);
  if (kept) warm_factor_keep(run->warm, run->n, WARM_LEMKE);
  return 1;
}

/* z, w := the point of the basis of these modes, which was read. Whether it is sure to solve the
 * problem. */
static int point(const lemke *l, const unsigned char *modes) {
  const session *run = l->run;
  const perp_problem *p = run->problem;
  if (small_pairs(p->n)) return perp_small_point(p, modes, l->inverse, run->lambda, run->y);
  return perp_lcp_basis_point(&l->basis, p, l->inverse, run->lambda, run->y, l->x);
}

enum { SINGULAR, REGULAR, SOLVED };

/* What the basis of the warm modes is good for. */
static int try_modes(lemke *l) {
  const session *run = l->run;
  const unsigned char *modes = warm_modes(run->warm, run->n);
  const int kept = place_inverse(l);
  const int valid = kept && warm_factor_valid(run->warm, run->n, WARM_LEMKE);
  perp_lcp_basis_read(&l->basis, run->n, modes);
  if (!valid) {
    warm_factor_drop(run->warm, run->n);
    if (!invert(l, kept)) return SINGULAR;
  }
  return point(l, modes) ? SOLVED : REGULAR;
}

/* z := the point of where the pivots ended. */
static void own_point(const lemke *l, double *z) {
  if (l->on_path)
    perp_lemke_path_point(&l->path, z);
  else
    perp_dictionary_point(&l->s, z);
}

/* z := the solution of the last basis, computed anew from M and q; the numbers of the pivots where
 * that basis is nearly singular. Whether the point is sure to solve the problem. What the pivots
 * worked on is gone afterwards. */
static int compute_point(lemke *l) {
  const session *run = l->run;
  dictionary *s = &l->s;
  const int32_t n = run->n;
  double *own = s->R;                           /* no longer needed */
  unsigned char *modes = (unsigned char *)s->C; /* nor is this, then */
  own_point(l, own);
  if (l->on_path)
    perp_lemke_path_modes(&l->path, modes);
  else
    perp_dictionary_modes(s, modes);
  warm_keep_modes(run->warm, n, modes);
  perp_lcp_basis_read(&l->basis, n, modes);
  if (invert(l, place_inverse(l)) && point(l, modes)) return 1;
  for (int32_t i = 0; i < n; i++) run->lambda[i] = own[i] < 0 ? 0 : own[i];
  return 0;
}

/* ---- the solver ---- */

#if defined(__OPTIMIZE_SIZE__)
#define recall_last NULL /* a warm start does the same, later */
#else
/* Whether the basis of the last solve and its inverse, of a few unknowns, solve this problem. */
static int recall_last(const perp_problem *problem, const void *options, const perp_warm *warm,
                       double *lambda, double *y) {
  const int32_t n = problem->n;
  const size_t m = (size_t)n;
  if (((const perp_lemke_options *)options)->covering != NULL) return 0; /* not checked yet */
  if (n == 0 || !small_pairs(n) || !warm_factor_valid(warm, n, WARM_LEMKE)) return 0;
  const double *inverse = warm_cache(warm, n, m * m);
  return inverse != NULL && perp_small_point(problem, warm_modes(warm, n), inverse, lambda, y);
}
#endif

/* The plain cases of a few unknowns, of which nobody keeps anything. */
static int solve_small(session *run, const double *covering) {
  if (run->n > SMALL_MOST || run->problem->M.kind != PERP_DENSE || run->common->observe != NULL ||
      warm_block(run->warm, run->n) != NULL)
    return 0;
  const int32_t count = perp_lemke_small(run->problem, covering, pivots_left(run), run->lambda);
  if (count < 0) return 0;
  run->iterations += count;
  run->work += count * run->price;
  return 1;
}

/* From the warm modes. PERP_RAY: to no avail. */
static perp_status warm_start(lemke *l) {
  session *run = l->run;
  perp_status status = PERP_RAY;
  const int basis = try_modes(l);
  if (basis == SOLVED) return PERP_OK;
  if (basis == REGULAR && l->basis.k > 0) {
    if (run->common->max_iter > 0)
      run->max_iter = run->common->max_iter / 2; /* the rest is for the beginning */
    status = walk(l, warm_modes(run->warm, run->n));
  }
  if (status == PERP_OK) compute_point(l);
  return status;
}

/* GO_ON: the path found no point that is sure to solve the problem. */
static perp_status follow_path(lemke *l) {
  session *run = l->run;
  const int kept = warm_block(run->warm, run->n) != NULL;
  const perp_status status = follow(l);
  if (status != PERP_OK) return status;
  /* who keeps nothing for a next solve is served by the factor of the path */
  if (l->on_path && !kept && perp_lemke_path_finish(&l->path, run->problem->q, run->lambda, run->y))
    return PERP_OK;
  if (compute_point(l) || !l->on_path) return PERP_OK;
  begin_again(l);
  return perp_session_limits(run) == GO_ON ? GO_ON : PERP_OK; /* as it is, to be judged */
}

static perp_status from_beginning(lemke *l) {
  perp_status status = GO_ON;
  begin_again(l);
  if (l->run->problem->M.kind == PERP_DENSE) status = follow_path(l);
  if (status != GO_ON) return status;
  status = walk(l, NULL);
  if (status == PERP_OK) compute_point(l);
  return status;
}

static perp_status start(void *state, session *run) {
  lemke *l = state;
  const double n = run->n;
  l->run = run;
  l->covering = ((const perp_lemke_options *)run->options)->covering;
  run->price = n * (n + 2);
  perp_status status = perp_lemke_check_covering(l->covering, run->n, run->info);
  if (status != PERP_OK) return status;
  begin_again(l);
  if (solve_small(run, l->covering)) return PERP_OK;
  place(l, run->n);
  status = PERP_RAY;
  if (warm_known(run->warm, run->n)) status = warm_start(l);
  if (status != PERP_OK && status != PERP_STOPPED) status = from_beginning(l);
  if (status != PERP_OK) own_point(l, run->lambda);
  return status;
}

/* ---- proofs ---- */

/* A ray. Is it a proof, or is there one? */
static perp_status finish(void *state, session *run, perp_status status) {
  lemke *l = state;
  if (status != PERP_RAY) return status;
  info_ray(run->info, PERP_RAY_SECONDARY, run->n, run->y);
  double *scratch = l->s.D; /* which is no longer needed */
  if (perp_direction_proves(run, run->y, scratch)) return PERP_INFEASIBLE;
  if (!open_dictionary(l, NULL) || perp_dictionary_feasible(&l->s) ||
      !perp_dictionary_separate(&l->s, run->y))
    return PERP_RAY;
  return perp_direction_proves(run, run->y, scratch) ? PERP_INFEASIBLE : PERP_RAY;
}

const perp_solver *perp_solver_lemke(void) {
  static const perp_method method = {.state = METHOD_STATE(lemke),
                                     .carve = carve,
                                     .start = start,
                                     .finish = finish,
                                     .recall = recall_last};
  static const perp_solver solver = {.struct_size = sizeof(perp_solver),
                                     .sets = 1u << PERP_SET_ORTHANT,
                                     .matrices = ALL_MATRICES,
                                     .assumes = PERP_ASSUMES_COPOSITIVE,
                                     .name = "lemke",
                                     .defaults = &perp_lemke_defaults,
                                     .warm_bytes = warm_bytes,
                                     .method = &method};
  return &solver;
}
