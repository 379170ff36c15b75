/* SPDX-License-Identifier: MIT */
/* All solutions by a depth-first search over the modes of the unknowns. At depth k the first k (in
 * an order that begins with those that have one mode only) are chosen; the tableau of cells.h is
 * carried down from level to level at a cost of n (n - k) a node. A branch ends where some row
 * cannot be what it must be for any value of what is left within its bounds: the y of a chosen or
 * of a half-bounded unknown has a sign, the λ of a free one lies in its interval. */
#include "perp/pivoting.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/finite.h"
#include "base/info.h"
#include "problem/residual.h"
#include "solver/box_form.h"
#include "solver/cells.h"
#include "solver/mode.h"
#include "solver/mode_basis.h"
#include "solver/shell.h"
#include "solver/solver_options.h"

/* KNOWN: how many solutions are remembered, so that those that several cells share come once. */
enum { MOST_NODES = 1 << 27, KNOWN = 128 };

typedef struct outcome {
  perp_status status; /* of the search */
  perp_enumeration_report report;
} outcome;

/* Options of the descriptor that goes on after the first solution. */
typedef struct visitor {
  perp_solver_options options;
  const char *kind;
  perp_enumeration_visit visit;
  void *user;
  outcome *out;
} visitor;

typedef struct search {
  session *run;
  const visitor *visitor; /* NULL: the first solution will do                    */
  int32_t n;
  int32_t solutions, faces;
  int32_t proving; /* 0: search; else nodes that are left for the proof that there is none */
  cells cells;
  cells_proof proof;
  mode_basis basis;
  double *point;        /* n: a candidate                                      */
  double *value;        /* 2 n                                                 */
  double *known;        /* KNOWN n: the first solutions; where there are none, the proof's */
  int32_t *order;       /* n: the unknown chosen at each level                 */
  tableau *level;       /* n + 1                                               */
  unsigned char *tried; /* n: the mode tried last at each level                */
} search;

/* ---- memory ---- */

static void carve(void *state, arena *a, const perp_shape *shape, const void *options) {
  search *s = state;
  const int32_t n = shape->n;
  const size_t m = (size_t)n, d = sizeof(double);
  (void)options;
  perp_cells_carve(&s->cells, a, n);
  perp_mode_basis_carve(&s->basis, a, n, shape->matrix);
  s->point = arena_take(a, m, d);
  s->value = arena_take(a, m, 2 * d);
  s->known = arena_take(a, m, KNOWN * d);
  s->order = arena_take(a, m, sizeof *s->order);
  s->tried = arena_take(a, m, 1);
  s->level = arena_take(a, m + 1, sizeof *s->level);
  for (int32_t k = 0; k <= n; k++) {
    tableau t;
    perp_tableau_carve(&t, a, n);
    if (s->level != NULL) s->level[k] = t;
  }
}

/* ---- solutions ---- */

/* λ of the modes anew from M and q, where its basis is regular. */
static void sharpen(search *s) {
  if (!perp_mode_basis_factor(&s->basis, s->cells.mode, 0)) return;
  perp_mode_basis_point(&s->basis, s->cells.mode, s->run->lower, s->run->upper, s->run->problem->q,
                        s->point, s->run->y);
}

/* Whether the candidate is a solution that was found before. Where more were found than are
 * remembered, it is taken for one. */
static int is_known(const search *s) {
  const int32_t count = s->solutions < KNOWN ? s->solutions : KNOWN;
  for (int32_t k = 0; k < count; k++) {
    const double *x = s->known + (size_t)s->n * (size_t)k;
    int same = 1;
    for (int32_t i = 0; i < s->n; i++) {
      const double size = fabs(x[i]) > s->cells.C[i] ? fabs(x[i]) : s->cells.C[i];
      same &= fabs(x[i] - s->point[i]) <= 0x1p-26 * size;
    }
    if (same) return 1;
  }
  return s->solutions > KNOWN;
}

static perp_status hand_over(search *s, int face) {
  const size_t n = (size_t)s->n;
  if (s->solutions < KNOWN)
    memcpy(s->known + n * (size_t)s->solutions, s->point, n * sizeof *s->known);
  memcpy(s->run->lambda, s->point, n * sizeof *s->run->lambda);
  s->solutions++;
  s->faces += face;
  if (s->visitor == NULL) return PERP_STOPPED;
  return s->visitor->visit(s->run->lambda, s->run->y, s->visitor->user) == 0 ? PERP_OK
                                                                             : PERP_STOPPED;
}

/* The modes are all chosen. A point that cells with unknowns at bounds have too is handed over only
 * if those, which were searched before, could not hold it. PERP_OK: go on. */
static perp_status take_cell(search *s) {
  tableau *t = &s->level[s->n];
  const int face = t->cols > 0;
  const int kind = perp_cells_point(&s->cells, t, s->value, s->point);
  if (kind == CELLS_NONE) return PERP_OK;
  if (!face) sharpen(s);
  clip_all(s->n, s->point, s->run->lower, s->run->upper);
  perp_residual r;
  perp_residual_compute(s->run->problem, s->point, s->run->y, &r, s->run->scratch);
  if (!perp_residual_solved(&r, s->run->tol)) {
    s->cells.doubt = 1;
    return PERP_OK;
  }
  return kind == CELLS_SHARED && is_known(s) ? PERP_OK : hand_over(s, face);
}

/* ---- proof ---- */

/* The cells below t are possible, or it was not shown that they are not. */
static int remains(search *s, const tableau *t) {
  if (perp_cells_possible(&s->cells, t)) return 1;
  return s->proving && !perp_cells_refuted(&s->proof, &s->cells, t);
}

/* The modes are all chosen, and their cell remains. A face may still be refused as a whole. */
static perp_status refute_cell(search *s) {
  tableau *t = &s->level[s->n];
  s->cells.doubt = 0;
  if (t->cols > 0 && perp_cells_point(&s->cells, t, s->value, s->point) == CELLS_NONE &&
      !s->cells.doubt && perp_cells_refuted(&s->proof, &s->cells, t))
    return PERP_OK;
  return PERP_RAY;
}

/* ---- search ---- */

/* The next mode of unknown i after one that was tried (UNKNOWN: none), UNKNOWN if there is none;
 * bounds come first. */
static unsigned char next_mode(const search *s, int32_t i, unsigned char tried) {
  static const unsigned char after[] = {PERP_MODE_LOWER, PERP_MODE_UPPER, PERP_MODE_UNKNOWN,
                                        PERP_MODE_FREE}; /* of UNKNOWN, LOWER, FREE, UPPER */
  unsigned char mode = after[tried];
  while (mode != PERP_MODE_UNKNOWN && !mode_fits(mode, s->run->lower[i], s->run->upper[i]))
    mode = after[mode];
  return mode;
}

static int has_one_mode(const search *s, int32_t i) {
  return next_mode(s, i, next_mode(s, i, PERP_MODE_UNKNOWN)) == PERP_MODE_UNKNOWN;
}

static void choose_order(search *s) {
  int32_t k = 0;
  for (int many = 0; many < 2; many++)
    for (int32_t i = 0; i < s->n; i++)
      if (has_one_mode(s, i) != many) s->order[k++] = i;
}

static perp_status count_node(search *s, int32_t i, unsigned char mode) {
  const int is_free = mode == PERP_MODE_FREE;
  if (s->proving) return --s->proving > 0 ? PERP_OK : PERP_RAY;
  if (perp_session_limits(s->run) != GO_ON) return PERP_MAX_ITER;
  const perp_status status =
      perp_session_step(s->run, is_free ? i : -1, is_free ? -1 : i, s->solutions);
  return status == PERP_STOPPED ? PERP_STOPPED : PERP_OK;
}

/* Give the unknown of level k its next mode. Returns 0 if there is none; *status says whether to go
 * on, *below whether to go down. */
static int branch(search *s, int32_t k, perp_status *status, int *below) {
  const int32_t i = s->order[k];
  s->tried[k] = s->cells.mode[i] = next_mode(s, i, s->tried[k]);
  if (s->tried[k] == PERP_MODE_UNKNOWN) return 0;
  *status = count_node(s, i, s->tried[k]);
  if (*status != PERP_OK) return 1;
  perp_tableau_copy(&s->cells, &s->level[k], &s->level[k + 1]);
  perp_cells_choose(&s->cells, &s->level[k + 1], i);
  *below = remains(s, &s->level[k + 1]);
  return 1;
}

static perp_status descend(search *s) {
  memset(s->tried, PERP_MODE_UNKNOWN, (size_t)s->n);
  if (!remains(s, &s->level[0])) return PERP_OK;
  for (int32_t k = 0; k >= 0;) {
    perp_status status = PERP_OK;
    int below = 0;
    if (k == s->n) {
      status = s->proving ? refute_cell(s) : take_cell(s);
      if (status != PERP_OK) return status;
      k--;
    } else if (!branch(s, k, &status, &below)) {
      k--;
    } else if (status != PERP_OK) {
      return status;
    } else if (below) {
      k++;
    }
  }
  return PERP_OK;
}

/* No solution was found: PERP_INFEASIBLE if every cell is refuted beyond rounding, or PERP_RAY. A
 * refusal that is not proved is taken back, which opens the cells below it, up to a limit. */
static perp_status prove(search *s) {
  arena a = arena_open(s->known, (size_t)s->n * KNOWN * sizeof(double));
  perp_cells_proof_carve(&s->proof, &a, s->n); /* n (n + 10) doubles and few more */
  s->proof.problem = s->run->problem;
  s->proof.lower = s->run->lower;
  s->proof.upper = s->run->upper;
  s->proof.A = s->level[0].A;
  const int32_t nodes = s->run->iterations;
  s->proving = 1000 + 2 * (nodes < MOST_NODES ? nodes : MOST_NODES);
  memset(s->cells.mode, PERP_MODE_UNKNOWN, (size_t)s->n);
  perp_cells_proof_open(&s->proof);
  s->cells.doubt = descend(s) != PERP_OK;
  /* a finite bound comes with an amplification of rows that are not weighted */
  if (s->run->problem->weight != NULL && s->proof.bound <= DBL_MAX) s->cells.doubt = 1;
  return s->cells.doubt ? PERP_RAY : PERP_INFEASIBLE;
}

/* ---- solve ---- */

static perp_status run(search *s) {
  const int32_t n = s->n;
  const size_t bytes = (size_t)n * sizeof(double);
  for (int32_t i = 0; i < n; i++)
    s->run->lambda[i] = nearest_to_zero(s->run->lower[i], s->run->upper[i]);
  perp_mode_basis_open(&s->basis, &s->run->problem->M);
  memcpy(s->cells.lower, s->run->lower, bytes);
  memcpy(s->cells.upper, s->run->upper, bytes);
  perp_cells_open(&s->cells, &s->level[0], &s->run->problem->M, s->run->problem->q);
  if (!all_finite((size_t)n * (size_t)n, s->level[0].A) || !all_finite((size_t)n, s->level[0].a))
    return PERP_RAY;
  choose_order(s);
  const perp_status status = descend(s);
  if (s->visitor == NULL && s->solutions > 0) return PERP_OK;
  if (status != PERP_OK || s->solutions > 0) return status;
  return s->cells.doubt ? PERP_RAY : prove(s);
}

/* Half a search is none: without a limit of the caller's it has no budget. */
static perp_status start(void *state, session *given) {
  search *s = state;
  const double n = given->n;
  s->run = given;
  s->visitor = given->common->struct_size == sizeof(visitor) ? given->options : NULL;
  s->n = given->n;
  given->price = n * n;
  if (given->common->max_iter == 0) given->max_iter = MOST_NODES;
  if (given->common->budget == 0) given->budget = INFINITY;
  const perp_status status = run(s);
  if (info_ready(given->info) && status == PERP_INFEASIBLE) given->info->bound = s->proof.bound;
  if (s->visitor == NULL) return status;
  const int complete = (status == PERP_OK || status == PERP_INFEASIBLE) && !s->cells.doubt;
  *s->visitor->out = (outcome){status, {0, s->solutions, given->iterations, complete, s->faces}};
  return status;
}

static const perp_method method = {.state = METHOD_STATE(search),
                                   .needs = NEEDS_BOUNDS | NEEDS_JUDGE,
                                   .carve = carve,
                                   .start = start};

const perp_solver *perp_solver_enumeration(void) {
  static const perp_solver solver = {.struct_size = sizeof(perp_solver),
                                     .sets = INTERVAL_SETS,
                                     .matrices = ALL_MATRICES,
                                     .name = "enumeration",
                                     .method = &method,
                                     .max_n = PERP_ENUMERATION_MAX};
  return &solver;
}

/* ---- all solutions, plain arrays ---- */

/* That solver with a visitor for its options, so that the doors for plain arrays check and
 * verify as for any solver. */
static const visitor visiting = {
    {.struct_size = (uint32_t)sizeof(visitor), .tol = PERP_DEFAULT_TOL}, .kind = "visitor"};

static const perp_solver *all_solutions(void) {
  static const perp_solver solver = {.struct_size = sizeof(perp_solver),
                                     .sets = 1u << PERP_SET_ORTHANT | 1u << PERP_SET_BOX,
                                     .matrices = 1u << PERP_DENSE,
                                     .name = "enumeration",
                                     .defaults = &visiting,
                                     .method = &method,
                                     .max_n = PERP_ENUMERATION_MAX};
  return &solver;
}

/* The solver's bytes and, before them, z and w. */
static size_t bytes_with(size_t own, int32_t n) {
  arena a = arena_measure();
  if (own == 0) return 0;
  (void)arena_take(&a, (size_t)n, 2 * sizeof(double));
  return arena_bytes(&a) + own;
}

/* The problem in z and w, which are taken from the block. */
static perp_status search_all(visitor *v, int32_t set, const perp_mlcp *p,
                              const perp_solver_options *opts, void *work, size_t work_bytes,
                              perp_info *info) {
  perp_status status = perp_solver_options_read(NULL, opts, &v->options, info);
  if (status != PERP_OK) return status;
  v->options.struct_size = (uint32_t)sizeof *v;
  if (v->visit == NULL) return fail_field(info, "visit", -1);
  if (work == NULL) return fail_field(info, "work", -1);
  if (p == NULL) return fail_field(info, "problem", -1);
  arena a = arena_open(work, work_bytes);
  double *z = arena_take(&a, p->n > 0 ? (size_t)p->n : 0, 2 * sizeof *z);
  double *w = z == NULL ? NULL : z + p->n;
  if (!arena_fits(&a))
    return fail(info, PERP_EWORKSPACE, "work_bytes", -1,
                (double)(set == PERP_SET_BOX ? perp_mlcp_enumerate_workspace(p->n)
                                             : perp_lcp_enumerate_workspace(p->n)));
  status = perp_box_arrays_solve(all_solutions(), set, p, v, z, w, a.base + a.used, a.size - a.used,
                                 info);
  if (status == PERP_OK && p->n == 0) { /* the empty point is the one solution, found by nobody */
    v->out->report.solutions = v->out->report.complete = 1;
    if (v->visit(z, w, v->user) != 0) v->out->status = PERP_STOPPED;
  }
  return status;
}

/* The status of the search, unless the call itself was wrong: that the last solution solves says
 * nothing of the others. */
static perp_status enumerate(int32_t set, const perp_mlcp *problem, const perp_solver_options *opts,
                             perp_enumeration_visit visit, void *user,
                             perp_enumeration_report *report, void *work, size_t work_bytes,
                             perp_info *info) {
  outcome out = {.status = PERP_OK};
  visitor v = {visiting.options, visiting.kind, visit, user, &out};
  info_clear(info);
  const perp_status status = search_all(&v, set, problem, opts, work, work_bytes, info);
  if (report != NULL)
    (void)perp_options_answer(report, &out.report, sizeof out.report,
                              PERP_THROUGH(perp_enumeration_report, faces));
  return status < 0 ? status : out.status;
}

size_t perp_lcp_enumerate_workspace(int32_t n) {
  return bytes_with(perp_lcp_workspace(all_solutions(), n, NULL), n);
}

perp_status perp_lcp_enumerate(const perp_lcp *problem, const perp_solver_options *opts,
                               perp_enumeration_visit visit, void *user,
                               perp_enumeration_report *report, void *work, size_t work_bytes,
                               perp_info *info) {
  perp_mlcp m;
  if (problem != NULL) m = box_arrays(problem);
  return enumerate(PERP_SET_ORTHANT, problem != NULL ? &m : NULL, opts, visit, user, report, work,
                   work_bytes, info);
}

size_t perp_mlcp_enumerate_workspace(int32_t n) {
  return bytes_with(perp_mlcp_workspace(all_solutions(), n, NULL), n);
}

perp_status perp_mlcp_enumerate(const perp_mlcp *problem, const perp_solver_options *opts,
                                perp_enumeration_visit visit, void *user,
                                perp_enumeration_report *report, void *work, size_t work_bytes,
                                perp_info *info) {
  return enumerate(PERP_SET_BOX, problem, opts, visit, user, report, work, work_bytes, info);
}
