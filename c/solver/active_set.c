/* SPDX-License-Identifier: MIT */
/* The active-set method: block principal pivoting with bounds and a monotone safeguard, for
 * positive definite M, in a loop (mode.h) where M is semidefinite (here M stands for M + σI).
 *
 * Modes split the unknowns into F (free) and N (at a bound). A basis is solved by
 *   M_FF λ_F = −(q_F + M_FN λ_N),   y_N = M_NF λ_F + M_NN λ_N + q_N,
 * and a component is infeasible if λ_i < l_i or λ_i > u_i (i ∈ F), y_i < 0 at the lower or y_i > 0
 * at the upper bound, beyond the rounding of its row. All infeasible ones are exchanged at once
 * while their number finds a new minimum within PATIENCE tries. Otherwise the safeguard, a primal
 * active-set method, goes from minimiser to minimiser of ½ λᵀMλ + qᵀλ over faces of the box.
 *
 * It ends: from one minimiser to the next the objective falls strictly, because the direction that
 * frees the worst violator t has dλ_t = −y_t / s with the Schur complement s > 0, so at most |F|
 * components leave F at step length 0 before a step of positive length; faces are finitely many.
 * Block exchanges return when the number of infeasibilities fell below all earlier ones, at most n
 * times; if they fail, the safeguard goes on from the minimiser it left. In floating point a
 * violator whose step takes it back at once is rounding: the slack grows until it counts as none.
 *
 * Start: modes that the warm data knows; any other unknown goes where a step of Jacobi's method
 * from P_[l,u](0) takes it: with r = M λ⁰ + q it is free unless r_i > (λ⁰_i − l_i) M_ii (lower) or
 * r_i < (λ⁰_i − u_i) M_ii (upper). For complementarity that is {q_i <= 0}. Ties are free: on a
 * resting column all but a few q_i are 0 and all contacts carry load, so ties at the bound would
 * free one contact after another.
 *
 * Cache behind the modes: first (int32, padded), inverse, lower of the envelope. The factor
 * depends on M and the free set only, so using it again changes no bit.
 *
 * Sources: Júdice and Pires, Computers & Operations Research 21 (1994) 587-596; Kostreva, Linear
 * Algebra Appl. 21 (1978) 207-215; Lawson and Hanson, Solving Least Squares Problems, ch. 23. */
#include "perp/pivoting.h"

#include <math.h>
#include <string.h>

#include "base/info.h"
#include "linalg/envelope.h"
#include "linalg/matrix.h"
#include "solver/mode.h"
#include "solver/warm.h"

enum { PATIENCE = 5, PATIENCE_LATER = 1, TIE_ROUNDS = 8 };

/* --- options --------------------------------------------------------------------------------- */

static const perp_active_set_options defaults = {
    .struct_size = (uint32_t)sizeof(perp_active_set_options),
    .tol = PERP_DEFAULT_TOL,
    .kind = "perp_active_set_options",
    .proximal = 1e-6};

void perp_active_set_options_init(perp_active_set_options *opts, size_t size) {
  perp_options_fill(opts, size, &defaults, sizeof defaults);
}

static const option_range ranges[] = {
    {FIELD(perp_active_set_options, proximal), OPTION_OPEN, 0, (double)INFINITY}, {0}};

/* --- memory ---------------------------------------------------------------------------------- */

typedef struct exchange {
  session *run;
  row_reader rows;
  envelope factor;
  int32_t n;
  int nonzero;     /* whether λ has an entry that is not 0                            */
  double slack;    /* rounding of one row sum, in parts of |M||λ| + |q|               */
  double floor;    /* rounding of any row: what is smaller than that of max |q| is noise   */
  double shift;    /* σ                                                               */
  const double *q; /* problem->q, or q − σ λ^k in memory of the proximal loop         */
  const double *lower, *upper;
  double *lambda;        /* n: the caller's                                                 */
  unsigned char *mode;   /* n: PERP_MODE_LOWER, FREE or UPPER, FREE only if lower < upper   */
  unsigned char *listed; /* n: the modes for which the lists of the factor were made */
  unsigned char *next;   /* n: the modes with all infeasible ones exchanged                 */
  unsigned char *anchor; /* n: modes of the minimiser that the safeguard left last */
  double *x;             /* n: right-hand side and solution on F                            */
  double *point;         /* n: feasible point of the safeguard                              */
  double *moved;         /* n: q − σ λ^k                                                    */
  double *previous;      /* n: λ^k of the proximal loop                                     */
  double *spare_inverse; /* the factor's home in the workspace, beside run->rest            */
} exchange;

/* Of each kind of numbers one piece; open() knows what lies in it. */
static void carve(void *state, arena *a, const perp_shape *shape, const void *options) {
  exchange *s = state;
  const size_t n = (size_t)shape->n, cut = shape->matrix == PERP_BLOCKS;
  (void)options;
  s->previous = arena_take(a, n, 2 * sizeof(double));
  s->factor.start = arena_take(a, (1 + cut) * n, sizeof(size_t));
  s->factor.member = arena_take(a, (4 + cut) * n, sizeof(int32_t));
  s->mode = arena_take(a, n, 4);
}

static void open(exchange *s, session *run) {
  const size_t n = (size_t)run->n;
  s->run = run;
  s->n = s->factor.n = run->n;
  s->q = run->problem->q;
  s->lower = run->lower;
  s->upper = run->upper;
  s->lambda = run->lambda;
  s->x = run->scratch; /* between residuals */
  s->point = run->scratch + n;
  s->moved = run->scratch + 2 * n;
  s->rows.value = run->scratch + 3 * n;
  s->spare_inverse = s->previous + n;
  s->rows.at = s->factor.start + n;
  s->factor.place = s->factor.member + n;
  s->factor.first = s->factor.place + n;
  s->rows.column = s->factor.first + n;
  s->rows.block = s->rows.column + n;
  s->next = s->mode + n;
  s->listed = s->next + n;
  s->anchor = s->listed + n;
  perp_row_reader_prepare(&s->rows, &run->problem->M);
  s->factor.inverse = s->spare_inverse;
  s->factor.lower = run->rest; /* the envelope of M is enough */
  s->factor.capacity = run->rest_doubles;
  memset(s->factor.place, 0xff, n * sizeof *s->factor.place); /* all -1 */
  memset(s->listed, PERP_MODE_LOWER, n);
}

/* --- one basis ------------------------------------------------------------------------------- */

/* Bring member, place, rows of the factor up to date with modes; the rows before the first
 * unknown that entered or left F stay valid. */
static void list_members(exchange *s, const unsigned char *mode) {
  envelope *e = &s->factor;
  int32_t i = 0;
  if (memcmp(mode, s->listed, (size_t)s->n) == 0) return;
  while (i < s->n && (mode[i] == PERP_MODE_FREE) == (s->listed[i] == PERP_MODE_FREE)) i++;
  if (i < s->n) {
    int32_t rows = 0;
    for (int32_t j = 0; j < i; j++) rows += mode[j] == PERP_MODE_FREE;
    if (e->valid > rows) e->valid = rows;
    for (; i < s->n; i++) {
      int is_free = mode[i] == PERP_MODE_FREE;
      e->place[i] = is_free ? rows : -1;
      e->member[rows] = i;
      rows += is_free;
    }
    e->rows = rows;
  }
  memcpy(s->listed, mode, (size_t)s->n);
}

/* GO_ON, or PROXIMAL_RAISE: M_FF + σI is not numerically positive definite. */
static perp_status factorise(exchange *s) {
  envelope *e = &s->factor;
  session *r = s->run;
  int outcome = ENVELOPE_DONE;
  list_members(s, s->mode);
  const double fresh = e->rows - e->valid;
  if (fresh > 0) outcome = perp_envelope_factor(e, &s->rows, s->shift);
  if (outcome == ENVELOPE_FULL && e->lower != r->rest) {
    perp_envelope_move(e, s->spare_inverse, r->rest, r->rest_doubles);
    outcome = perp_envelope_factor(e, &s->rows, s->shift);
  }
  r->price = e->band * (fresh * e->band / 2 + 2.0 * e->rows);
  if (outcome == ENVELOPE_FULL) return PERP_EWORKSPACE;
  return outcome == ENVELOPE_DONE ? GO_ON : (perp_status)PROXIMAL_RAISE;
}

/* λ_N := bounds, λ_F := 0. Returns whether any of them is not 0. */
static int set_bounds(exchange *s) {
  int any = 0;
  if (s->factor.rows == s->n) return 0;
  for (int32_t i = 0; i < s->n; i++) {
    const int fixed = s->mode[i] != PERP_MODE_FREE;
    s->lambda[i] = fixed ? mode_bound(s->mode[i], s->lower[i], s->upper[i]) : 0;
    any |= s->lambda[i] != 0;
  }
  return any;
}

/* x := −(q_F + M_FN λ_N) */
static void gather(exchange *s) {
  const int32_t rows = s->factor.rows, *member = s->factor.member;
  const double *q = s->q;
  double *x = s->x;
  const int offset = set_bounds(s);
  s->nonzero = offset || rows > 0;
  if (offset)
    for (int32_t k = 0; k < rows; k++)
      x[k] = -(q[member[k]] + row_dot(&s->rows, member[k], s->lambda));
  else if (rows < s->n)
    for (int32_t k = 0; k < rows; k++) x[k] = -q[member[k]];
  else
    for (int32_t k = 0; k < rows; k++) x[k] = -q[k];
}

/* Solve the basis of the modes for λ: GO_ON, or why not. Who judges it counts it. */
static perp_status solve_basis(exchange *s) {
  if (perp_session_limits(s->run) != GO_ON) return PERP_MAX_ITER;
  const perp_status status = factorise(s);
  if (status == PROXIMAL_RAISE && perp_session_step(s->run, -1, -1, INFINITY) == PERP_STOPPED)
    return PERP_STOPPED;
  if (status != GO_ON) return status;
  const int32_t rows = s->factor.rows, *member = s->factor.member;
  gather(s);
  perp_envelope_solve(&s->factor, s->x);
  if (rows == s->n)
    memcpy(s->lambda, s->x, (size_t)rows * sizeof *s->x);
  else
    for (int32_t k = 0; k < rows; k++) s->lambda[member[k]] = s->x[k];
  return GO_ON;
}

/* --- infeasibilities ------------------------------------------------------------------------- */

/* (|M||λ| + |q|)_i, what rounding of row i is measured by; norm: the sum of |M_ij|. */
static double row_scale(const exchange *s, int32_t i, double *norm) {
  const double sum = perp_row_scale(&s->rows, i, s->lambda, norm) + fabs(s->q[i]);
  return sum + s->shift * fabs(s->lambda[i]);
}

/* next := mode, but for the infeasible free components; returns how many they are. */
static int32_t judge_free(exchange *s) {
  const envelope *e = &s->factor;
  int32_t count = 0;
  memcpy(s->next, s->mode, (size_t)s->n);
  for (int32_t k = 0; k < e->rows; k++) {
    int32_t i = e->member[k];
    double v = s->x[k], l = s->lower[i], u = s->upper[i];
    if (!(v < l || v > u)) continue;
    /* beyond rounding: what exceeds a bound moves y by up to that much times the norm of row i */
    double norm, excess = v < l ? l - v : v - u;
    const double scale = row_scale(s, i, &norm);
    if (!(excess * (norm + s->shift) > s->slack * scale + s->floor)) continue;
    s->next[i] = v < l ? PERP_MODE_LOWER : PERP_MODE_UPPER;
    count++;
  }
  return count;
}

/* (M λ)_i, and (|M||λ|)_i in size. */
static inline double row_sums(const exchange *s, int32_t i, double *size) {
  const matrix_row row = row_read(&s->rows, i);
  double sum = 0, total = 0;
  for (int32_t c = 0; c < row.count; c++) {
    const double u = row.value[c] * s->lambda[row.column[c]];
    sum += u;
    total += fabs(u);
  }
  *size = total;
  return sum;
}

/* What y_i violates at a bound, in parts of its row; 0 if nothing beyond rounding. */
static inline double violation(const exchange *s, int32_t i) {
  double y = s->q[i], size = 0;
  if (s->nonzero) y += row_sums(s, i, &size) + s->shift * s->lambda[i];
  if (s->mode[i] == PERP_MODE_LOWER) y = -y;
  if (!(y > 0) || !(s->lower[i] < s->upper[i])) return 0;
  const double scale = size + fabs(s->q[i]) + s->shift * fabs(s->lambda[i]);
  return y > s->slack * scale + s->floor ? y / scale : 0;
}

/* next_i of the infeasible components at bounds; returns how many they are, and the one whose
 * violation is the largest (-1: none) in worst, which may be NULL. */
static int32_t judge_bound(exchange *s, int32_t *worst) {
  int32_t count = 0;
  double most = 0;
  if (worst != NULL) *worst = -1;
  if (s->factor.rows == s->n) return 0;
  for (int32_t i = 0; i < s->n; i++) {
    if (s->mode[i] == PERP_MODE_FREE) continue;
    double v = violation(s, i);
    if (!(v > 0)) continue;
    s->next[i] = PERP_MODE_FREE;
    count++;
    if (v > most && worst != NULL) {
      most = v;
      *worst = i;
    }
  }
  return count;
}

/* --- safeguard ------------------------------------------------------------------------------- */

/* Go from the feasible point towards λ, on F, as far as the box allows, and fix what then lies at a
 * bound. Returns the first of those. Some free component is infeasible. */
static int32_t step_to_bounds(exchange *s) {
  const envelope *e = &s->factor;
  double length = 1;
  int32_t leaving = -1;
  for (int32_t k = 0; k < e->rows; k++) {
    int32_t i = e->member[k];
    if (s->next[i] == PERP_MODE_FREE) continue;
    double from = s->point[i], bound = mode_bound(s->next[i], s->lower[i], s->upper[i]);
    double reach = (bound - from) / (s->x[k] - from);
    if (leaving >= 0 && !(reach < length)) continue;
    length = reach;
    leaving = i;
  }
  for (int32_t k = 0; k < e->rows; k++) {
    int32_t i = e->member[k];
    double from = s->point[i], to = from + length * (s->x[k] - from);
    s->point[i] = clip(to, s->lower[i], s->upper[i]);
    if (i == leaving || (s->next[i] == PERP_MODE_LOWER && to <= s->lower[i]) ||
        (s->next[i] == PERP_MODE_UPPER && to >= s->upper[i])) {
      s->mode[i] = s->next[i];
      s->point[i] = mode_bound(s->next[i], s->lower[i], s->upper[i]);
    }
  }
  return leaving;
}

/* point := λ moved into the box. */
static void clip_point(exchange *s) {
  memcpy(s->point, s->lambda, (size_t)s->n * sizeof *s->point);
  clip_all(s->n, s->point, s->lower, s->upper);
}

/* Minimise over the face of the free components, dropping those that block. On GO_ON λ is the
 * minimiser. entering was freed before, -1: none. */
static perp_status minimise_face(exchange *s, int32_t entering) {
  const double origin = entering < 0 ? 0 : s->point[entering];
  int32_t freed = entering;
  for (int32_t leaving = -1;;) {
    const perp_status status = solve_basis(s);
    if (status != GO_ON) return status;
    const int32_t count = judge_free(s);
    if (perp_session_step(s->run, entering, leaving, count) == PERP_STOPPED) return PERP_STOPPED;
    if (count == 0) break;
    leaving = step_to_bounds(s);
    entering = -1;
    /* a true violator moves away from its bound: this one was rounding */
    if (freed >= 0 && s->mode[freed] != PERP_MODE_FREE && s->point[freed] == origin) {
      if (s->slack < MODE_COARSEST) s->slack *= 4;
      freed = -1;
    }
  }
  clip_point(s);
  return GO_ON;
}

/* Where the safeguard starts: at the minimiser it left last, or at λ moved into the box. */
static void enter_safeguard(exchange *s, int resumed) {
  if (resumed) {
    memcpy(s->mode, s->anchor, (size_t)s->n);
    return;
  }
  clip_point(s);
  for (int32_t i = 0; i < s->n; i++)
    if (s->mode[i] == PERP_MODE_FREE) s->mode[i] = s->next[i];
}

/* Go down from minimiser to minimiser until one has fewer infeasibilities than best (then *best is
 * their number, next the exchange, anchor the modes, and it says GO_ON). */
static perp_status safeguard(exchange *s, int resumed, int32_t *best) {
  int32_t entering = -1;
  enter_safeguard(s, resumed);
  for (;;) {
    const perp_status status = minimise_face(s, entering);
    if (status != GO_ON) return status;
    const int32_t count = judge_bound(s, &entering);
    if (count < *best) {
      *best = count;
      memcpy(s->anchor, s->mode, (size_t)s->n);
      return GO_ON;
    }
    s->mode[entering] = PERP_MODE_FREE;
  }
}

/* --- block exchanges ------------------------------------------------------------------------- */

/* Let next also free the components at a bound whose y is zero but for rounding:
 * in a chain at rest y is zero wherever no neighbour is free, so that a contact lost in one
 * exchange would otherwise come back one neighbour at a time. */
static void free_ties(exchange *s) {
  for (int32_t i = 0; i < s->n; i++) {
    if (s->mode[i] == PERP_MODE_FREE || !(s->lower[i] < s->upper[i])) continue;
    double size, y = s->q[i] + row_sums(s, i, &size) + s->shift * s->lambda[i];
    if (fabs(y) <= MODE_ROUNDING * size + s->floor) s->next[i] = PERP_MODE_FREE;
  }
}

/* Solve for M + σI and q from the modes: PERP_OK (no component infeasible beyond rounding), or what
 * solve_basis() ended with. */
static perp_status exchange_blocks(exchange *s) {
  int32_t best = INT32_MAX, tries = 0, patience = PATIENCE;
  s->slack = MODE_ROUNDING;
  s->floor = MODE_ROUNDING * largest_size(s->n, s->q);
  for (int32_t round = 0;; round++) {
    perp_status status = solve_basis(s);
    if (status != GO_ON) return status;
    const int32_t count = judge_free(s) + judge_bound(s, NULL);
    if (perp_session_step(s->run, -1, -1, count) == PERP_STOPPED) return PERP_STOPPED;
    if (count == 0) return PERP_OK;
    if (count < best) {
      best = count;
      tries = 0;
    } else if (tries++ == patience) {
      status = safeguard(s, patience < PATIENCE, &best);
      if (status != GO_ON) return status;
      if (best == 0) return PERP_OK;
      patience = PATIENCE_LATER;
      tries = 0;
    }
    if (round < TIE_ROUNDS) free_ties(s);
    memcpy(s->mode, s->next, (size_t)s->n);
  }
}

/* --- warm data ------------------------------------------------------------------------------- */

/* Doubles that hold n int32. */
static size_t first_doubles(int32_t n) { return ((size_t)n + 1) / 2; }

static size_t warm_bytes(const perp_shape *shape) {
  const size_t n = (size_t)shape->n, fixed = first_doubles(shape->n) + n;
  if (shape->n < 0 || shape->envelope > SIZE_MAX - fixed) return 0;
  return warm_full_bytes(shape->n, fixed + shape->envelope);
}

/* Let the factor live in the warm data if they have a stamp and room, and use what they hold. known
 * are the modes it was made for. */
static void attach_cache(exchange *s, const perp_warm *warm, const unsigned char *known) {
  envelope *e = &s->factor;
  const size_t fixed = first_doubles(s->n) + (size_t)s->n;
  const size_t room = warm == NULL || warm->stamp == 0 ? 0 : warm_cache_doubles(warm, s->n);
  if (room <= fixed) return;
  double *cache = warm_cache(warm, s->n, room);
  e->inverse = cache + first_doubles(s->n);
  e->lower = cache + fixed;
  e->capacity = room - fixed;
  if (known == NULL || !warm_factor_valid(warm, s->n, WARM_ACTIVE_SET)) return;
  memcpy(e->first, cache, (size_t)s->n * sizeof *e->first);
  list_members(s, known);
  (void)perp_envelope_adopt(e);
}

/* Keep the modes, and the factor if it is the plain one of M and lives in the warm data. */
static void keep_warm(const exchange *s, const perp_warm *warm) {
  const envelope *e = &s->factor;
  unsigned char *modes = warm_claim(warm, s->n);
  if (modes == NULL) return;
  memcpy(modes, s->mode, (size_t)s->n);
  if (s->shift != 0 || e->valid != e->rows || e->weak != e->rows || e->lower == s->run->rest)
    return;
  double *cache = e->inverse - first_doubles(s->n);
  memcpy(cache, e->first, (size_t)s->n * sizeof *e->first);
  warm_factor_keep(warm, s->n, WARM_ACTIVE_SET);
}

/* --- the solver ------------------------------------------------------------------------------ */

static perp_status solve_shifted(void *self, double shift, const double *q) {
  exchange *s = self;
  if (shift != s->shift) s->factor.valid = 0;
  s->shift = shift;
  s->q = q;
  return exchange_blocks(s);
}

static perp_status run_proximal(exchange *s) {
  const perp_active_set_options *o = s->run->options;
  perp_matrix_diagonal(s->rows.M, s->x);
  const double diagonal = largest_size(s->n, s->x), unit = diagonal > 0 ? diagonal : 1;
  const proximal p = {s->run,           s,           solve_shifted, o->proximal * unit, 1e-9 * unit,
                      s->run->max_iter, s->previous, s->moved};
  return perp_proximal_run(&p);
}

static perp_status start(void *state, session *run) {
  exchange *s = state;
  const int32_t n = run->n;
  if (run->common->max_iter == 0) run->max_iter = n < 200000000 ? 100 + 10 * n : INT32_MAX;
  open(s, run);
  perp_modes_start(run, s->mode);
  attach_cache(s, run->warm, warm_known_modes(run->warm, n));
  perp_status status = exchange_blocks(s);
  clip_all(n, s->lambda, s->lower, s->upper);
  /* a weak factor lost so many digits that only the residual can tell a solution */
  const int doubtful =
      status == PERP_OK && s->factor.weak != s->factor.rows && !perp_session_confirmed(run);
  if (status != PROXIMAL_RAISE && !doubtful) return status;
  status = run_proximal(s);
  clip_all(n, s->lambda, s->lower, s->upper);
  return status;
}

static perp_status finish(void *state, session *run, perp_status status) {
  if (status == PERP_OK)
    keep_warm(state, run->warm);
  else
    warm_factor_drop(run->warm, run->n);
  return status;
}

const perp_solver *perp_solver_active_set(void) {
  static const perp_method method = {.state = METHOD_STATE(exchange),
                                     .ranges = ranges,
                                     .needs = NEEDS_BOUNDS | NEEDS_JUDGE | NEEDS_REST | NO_START,
                                     .carve = carve,
                                     .start = start,
                                     .finish = finish};
  static const perp_solver solver = {.struct_size = sizeof(perp_solver),
                                     .sets = INTERVAL_SETS,
                                     .matrices = ALL_MATRICES,
                                     .assumes = PERP_ASSUMES_SYMMETRIC | PERP_ASSUMES_SEMIDEFINITE,
                                     .name = "active-set",
                                     .defaults = &defaults,
                                     .warm_bytes = warm_bytes,
                                     .method = &method};
  return &solver;
}
