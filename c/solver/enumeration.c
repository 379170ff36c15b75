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
#include "problem/bounds.h"
#include "problem/residual.h"
#include "solver/cells.h"
#include "solver/mode.h"
#include "solver/mode_basis.h"
#include "solver/options.h"

/* KNOWN: how many solutions are remembered, so that those that several cells share come once. */
enum { LEVELS = PERP_ENUMERATION_MAX + 1, MOST_NODES = 1 << 27, KNOWN = 128 };

typedef struct outcome {
  perp_status status; /* of the search */
  int32_t solutions, nodes, faces, complete;
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
  const perp_problem *problem;
  perp_solver_options options; /* max_iter > 0                                        */
  const visitor *visitor;      /* NULL: the first solution will do                    */
  int32_t n;
  int32_t nodes, solutions, faces;
  int32_t proving; /* 0: search; else nodes that are left for the proof that there is none */
  cells cells;
  cells_proof proof;
  mode_basis basis;
  double *lower, *upper; /* n: the problem's                                    */
  double *lambda, *y;    /* the caller's: the last solution                     */
  double *point;         /* n: a candidate                                      */
  double *value;         /* 2 n                                                 */
  double *residual;      /* residual_scratch_doubles(n)                         */
  double *known;         /* KNOWN n: the first solutions; where there are none, the proof's */
  int32_t *order;        /* n: the unknown chosen at each level                 */
  tableau level[LEVELS]; /* n + 1                                               */
  unsigned char *tried;  /* n: the mode tried last at each level                */
} search;

/* ---- options, memory ---- */

static void carve(search *s, arena *a, int32_t n, int32_t kind) {
  const size_t m = (size_t)n;
  perp_cells_carve(&s->cells, a, n);
  perp_mode_basis_carve(&s->basis, a, n, kind);
  s->lower = arena_take(a, m, sizeof(double));
  s->upper = arena_take(a, m, sizeof(double));
  s->point = arena_take(a, m, sizeof(double));
  s->value = arena_take(a, m, 2 * sizeof(double));
  s->residual = arena_take(a, residual_scratch_doubles(n), sizeof(double));
  s->known = arena_take(a, m, KNOWN * sizeof(double));
  s->order = arena_take(a, m, sizeof(int32_t));
  s->tried = arena_take(a, m, 1);
  for (int32_t k = 0; k <= n && k < LEVELS; k++) perp_tableau_carve(&s->level[k], a, n);
}

static size_t workspace(const perp_shape *shape, const void *options) {
  (void)options;
  if (shape->n < 0 || shape->n > PERP_ENUMERATION_MAX) return 0;
  search s;
  arena a = arena_measure();
  carve(&s, &a, shape->n, shape->matrix);
  return arena_bytes(&a);
}

/* ---- solutions ---- */

/* λ of the modes anew from M and q, where its basis is regular. */
static void sharpen(search *s) {
  if (!perp_mode_basis_factor(&s->basis, s->cells.mode, 0)) return;
  perp_mode_basis_point(&s->basis, s->cells.mode, s->lower, s->upper, s->problem->q, s->point,
                        s->y);
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
  memcpy(s->lambda, s->point, n * sizeof *s->lambda);
  s->solutions++;
  s->faces += face;
  if (s->visitor == NULL) return PERP_STOPPED;
  return s->visitor->visit(s->lambda, s->y, s->visitor->user) == 0 ? PERP_OK : PERP_STOPPED;
}

/* The modes are all chosen. A point that cells with unknowns at bounds have too is handed over only
 * if those, which were searched before, could not hold it. PERP_OK: go on. */
static perp_status take_cell(search *s) {
  tableau *t = &s->level[s->n];
  const int face = t->cols > 0;
  const int kind = perp_cells_point(&s->cells, t, s->value, s->point);
  if (kind == CELLS_NONE) return PERP_OK;
  if (!face) sharpen(s);
  for (int32_t i = 0; i < s->n; i++) s->point[i] = clip(s->point[i], s->lower[i], s->upper[i]);
  perp_residual r;
  perp_residual_compute(s->problem, s->point, s->y, &r, s->residual);
  if (!perp_residual_solved(&r, s->options.tol)) {
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
  while (mode != PERP_MODE_UNKNOWN && !mode_fits(mode, s->lower[i], s->upper[i]))
    mode = after[mode];
  return mode;
}

static int has_one_mode(const search *s, int32_t i) {
  return next_mode(s, i, next_mode(s, i, PERP_MODE_UNKNOWN)) == PERP_MODE_UNKNOWN;
}

static void choose_order(search *s) {
  int32_t k = 0;
  for (int32_t i = 0; i < s->n; i++)
    if (has_one_mode(s, i)) s->order[k++] = i;
  for (int32_t i = 0; i < s->n; i++)
    if (!has_one_mode(s, i)) s->order[k++] = i;
}

static perp_status report(const search *s, int32_t i, unsigned char mode) {
  if (s->options.observe == NULL) return PERP_OK;
  const int is_free = mode == PERP_MODE_FREE;
  perp_iterate it = {s->nodes - 1, is_free ? i : -1, is_free ? -1 : i, s->solutions};
  return s->options.observe(&it, s->options.user) == 0 ? PERP_OK : PERP_STOPPED;
}

static perp_status count_node(search *s, int32_t i, unsigned char mode) {
  if (s->proving) return --s->proving > 0 ? PERP_OK : PERP_RAY;
  if (s->nodes >= s->options.max_iter) return PERP_MAX_ITER;
  s->nodes++;
  return report(s, i, mode);
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
  s->proof.problem = s->problem;
  s->proof.lower = s->lower;
  s->proof.upper = s->upper;
  s->proof.A = s->level[0].A;
  s->proving = 1000 + 2 * (s->nodes < MOST_NODES ? s->nodes : MOST_NODES);
  memset(s->cells.mode, PERP_MODE_UNKNOWN, (size_t)s->n);
  perp_cells_proof_open(&s->proof);
  s->cells.doubt = descend(s) != PERP_OK;
  /* a finite bound comes with an amplification of rows that are not weighted */
  if (s->problem->weight != NULL && s->proof.bound <= DBL_MAX) s->cells.doubt = 1;
  return s->cells.doubt ? PERP_RAY : PERP_INFEASIBLE;
}

/* ---- solve ---- */

static int finite_problem(const search *s) {
  for (int32_t j = 0; j < s->n; j++)
    if (!all_finite((size_t)s->n, s->basis.M + (size_t)s->basis.ld * (size_t)j)) return 0;
  return all_finite((size_t)s->n, s->problem->q);
}

static perp_status run(search *s) {
  const int32_t n = s->n;
  for (int32_t i = 0; i < n; i++) s->lambda[i] = nearest_to_zero(s->lower[i], s->upper[i]);
  perp_mode_basis_open(&s->basis, &s->problem->M);
  if (!finite_problem(s)) return PERP_RAY;
  memcpy(s->cells.lower, s->lower, (size_t)n * sizeof(double));
  memcpy(s->cells.upper, s->upper, (size_t)n * sizeof(double));
  perp_cells_open(&s->cells, &s->level[0], &s->problem->M, s->problem->q);
  choose_order(s);
  perp_status status = descend(s);
  if (s->visitor == NULL && s->solutions > 0) return PERP_OK;
  if (status != PERP_OK) return status;
  if (s->solutions > 0) return PERP_OK;
  return s->cells.doubt ? PERP_RAY : prove(s);
}

static perp_status solve_with(const visitor *v, const perp_problem *problem, const void *options,
                              double *lambda, double *y, void *work, size_t work_bytes,
                              perp_info *info) {
  const int32_t n = problem->n;
  search s;
  if (n > PERP_ENUMERATION_MAX) return fail(info, PERP_EUNSUPPORTED, "n", -1, n);
  arena a = arena_open(work, work_bytes);
  carve(&s, &a, n, problem->M.kind);
  if (!arena_fits(&a)) return fail(info, PERP_EWORKSPACE, "work_bytes", -1, (double)work_bytes);
  s.options = *(const perp_solver_options *)options;
  if (s.options.max_iter == 0) s.options.max_iter = MOST_NODES;
  s.problem = problem;
  s.visitor = v;
  s.n = n;
  s.nodes = s.solutions = s.faces = s.proving = 0;
  s.lambda = lambda;
  s.y = y;
  perp_problem_bounds(problem, s.lower, s.upper);
  const perp_status status = run(&s);
  if (info_ready(info)) info->iterations = s.nodes;
  if (info_ready(info) && status == PERP_INFEASIBLE) info->bound = s.proof.bound;
  if (v == NULL) return status;
  const int searched = status == PERP_OK || status == PERP_INFEASIBLE;
  const outcome out = {status, s.solutions, s.nodes, s.faces, searched && !s.cells.doubt};
  *v->out = out;
  return status;
}

static perp_status solve(const perp_problem *problem, const void *options, double *lambda,
                         double *y, perp_warm *warm, void *work, size_t work_bytes,
                         perp_info *info) {
  (void)warm;
  return solve_with(NULL, problem, options, lambda, y, work, work_bytes, info);
}

static const perp_solver descriptor = {
    .struct_size = sizeof(perp_solver),
    .sets = 1u << PERP_SET_FREE | 1u << PERP_SET_ORTHANT | 1u << PERP_SET_BOX,
    .matrices = 1u << PERP_ZERO | 1u << PERP_DIAGONAL | 1u << PERP_DENSE | 1u << PERP_BLOCKS,
    .assumes = 0,
    .name = "enumeration",
    .workspace = workspace,
    .solve = solve,
    .max_n = PERP_ENUMERATION_MAX};

const perp_solver *perp_solver_enumeration(void) { return &descriptor; }

/* ---- all solutions, plain arrays ---- */

/* That solver with a visitor for its options, so that the doors for plain arrays check and
 * verify as for any solver. */
static perp_status solve_all(const perp_problem *problem, const void *options, double *lambda,
                             double *y, perp_warm *warm, void *work, size_t work_bytes,
                             perp_info *info) {
  (void)warm;
  return solve_with(options, problem, options, lambda, y, work, work_bytes, info);
}

static const visitor visiting = {
    {.struct_size = (uint32_t)sizeof(visitor), .tol = PERP_DEFAULT_TOL}, .kind = "visitor"};

static const perp_solver all_solutions = {.struct_size = sizeof(perp_solver),
                                          .sets = 1u << PERP_SET_ORTHANT | 1u << PERP_SET_BOX,
                                          .matrices = 1u << PERP_DENSE,
                                          .assumes = 0,
                                          .name = "enumeration",
                                          .defaults = &visiting,
                                          .workspace = workspace,
                                          .solve = solve_all,
                                          .max_n = PERP_ENUMERATION_MAX};

/* The block of an enumeration: z, w, and what is left. */
typedef struct block {
  double *z, *w;
  void *rest;
  size_t rest_bytes;
} block;

static void carve_block(block *b, arena *a, int32_t n) {
  b->z = arena_take(a, (size_t)n, sizeof(double));
  b->w = arena_take(a, (size_t)n, sizeof(double));
}

static size_t block_bytes(size_t own, int32_t n) {
  block b;
  arena a = arena_measure();
  if (own == 0) return 0;
  carve_block(&b, &a, n);
  return arena_bytes(&a) + own;
}

static perp_status begin(visitor *v, block *b, const perp_solver_options *opts, int32_t n,
                         void *work, size_t work_bytes, perp_info *info) {
  info_clear(info);
  perp_status status = perp_solver_options_read(NULL, opts, &v->options, info);
  if (status != PERP_OK) return status;
  v->options.struct_size = (uint32_t)sizeof *v;
  if (v->visit == NULL) return fail_field(info, "visit", -1);
  if (work == NULL) return fail_field(info, "work", -1);
  arena a = arena_open(work, work_bytes);
  carve_block(b, &a, n > 0 ? n : 0);
  if (!arena_fits(&a)) return fail(info, PERP_EWORKSPACE, "work_bytes", -1, (double)work_bytes);
  b->rest = a.base + a.used;
  b->rest_bytes = a.size - a.used;
  return PERP_OK;
}

/* The status of the search, unless the call itself was wrong: that the last solution solves says
 * nothing of the others. */
static perp_status end(const visitor *v, const block *b, int32_t n, perp_status status,
                       perp_enumeration_report *report) {
  outcome *out = v->out;
  if (status == PERP_OK && n == 0) { /* the empty point is the one solution, found by nobody */
    out->solutions = out->complete = 1;
    if (v->visit(b->z, b->w, v->user) != 0) out->status = PERP_STOPPED;
  }
  if (report != NULL && report->struct_size >= PERP_THROUGH(perp_enumeration_report, faces)) {
    report->solutions = out->solutions;
    report->nodes = out->nodes;
    report->complete = out->complete;
    report->faces = out->faces;
  }
  return status < 0 ? status : out->status;
}

size_t perp_lcp_enumerate_workspace(int32_t n) {
  return block_bytes(perp_lcp_workspace(&all_solutions, n, NULL), n);
}

perp_status perp_lcp_enumerate(const perp_lcp *problem, const perp_solver_options *opts,
                               perp_enumeration_visit visit, void *user,
                               perp_enumeration_report *report, void *work, size_t work_bytes,
                               perp_info *info) {
  block b;
  outcome out = {PERP_OK, 0, 0, 0, 0};
  visitor v = {visiting.options, visiting.kind, visit, user, &out};
  perp_status status =
      begin(&v, &b, opts, problem != NULL ? problem->n : 0, work, work_bytes, info);
  if (status == PERP_OK)
    status = perp_lcp_solve(&all_solutions, problem, &v, b.z, b.w, b.rest, b.rest_bytes, info);
  return end(&v, &b, problem != NULL ? problem->n : 0, status, report);
}

size_t perp_mlcp_enumerate_workspace(int32_t n) {
  return block_bytes(perp_mlcp_workspace(&all_solutions, n, NULL), n);
}

perp_status perp_mlcp_enumerate(const perp_mlcp *problem, const perp_solver_options *opts,
                                perp_enumeration_visit visit, void *user,
                                perp_enumeration_report *report, void *work, size_t work_bytes,
                                perp_info *info) {
  block b;
  outcome out = {PERP_OK, 0, 0, 0, 0};
  visitor v = {visiting.options, visiting.kind, visit, user, &out};
  perp_status status =
      begin(&v, &b, opts, problem != NULL ? problem->n : 0, work, work_bytes, info);
  if (status == PERP_OK)
    status = perp_mlcp_solve(&all_solutions, problem, &v, b.z, b.w, b.rest, b.rest_bytes, info);
  return end(&v, &b, problem != NULL ? problem->n : 0, status, report);
}
