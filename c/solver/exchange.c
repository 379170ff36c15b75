/* SPDX-License-Identifier: MIT */
/* Block principal pivoting with bounds and a monotone safeguard, for positive definite M (here
 * M stands for M + σI).
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
 * Sources: Júdice and Pires, Computers & Operations Research 21 (1994) 587-596; Kostreva, Linear
 * Algebra Appl. 21 (1978) 207-215; Lawson and Hanson, Solving Least Squares Problems, ch. 23. */
#include "solver/exchange.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PATIENCE = 5, PATIENCE_LATER = 1, TIE_ROUNDS = 8 };

/* What rounding may leave of y_i, in parts of (|M||λ| + |q|)_i, and of max |q| because a basis is
 * solved to that; and the most that such parts may grow to. */
#define ROUNDING (16 * DBL_EPSILON)
#define COARSEST 1e-10

/* --- one basis ------------------------------------------------------------------------------- */

/* First unknown whose modes in a and b differ, n if there is none. */
static int32_t first_difference(int32_t n, const unsigned char *a, const unsigned char *b) {
  enum { STRIDE = 64 };
  int32_t i = 0;
  while (i + STRIDE <= n && memcmp(a + i, b + i, STRIDE) == 0) i += STRIDE;
  while (i < n && a[i] == b[i]) i++;
  return i;
}

void perp_exchange_list(exchange *s, const unsigned char *mode) {
  envelope *e = &s->factor;
  int32_t i = first_difference(s->n, mode, s->listed);
  while (i < s->n && (mode[i] == PERP_MODE_FREE) == (s->listed[i] == PERP_MODE_FREE)) i++;
  if (i < s->n) {
    int32_t rows = 0;
    for (int32_t j = 0; j < i; j++) rows += mode[j] == PERP_MODE_FREE;
    if (e->valid > rows) e->valid = rows;
    for (; i < s->n; i++) {
      int is_free = mode[i] == PERP_MODE_FREE;
      e->position[i] = is_free ? rows : -1;
      e->member[rows] = i;
      rows += is_free;
    }
    e->rows = rows;
  }
  memcpy(s->listed, mode, (size_t)s->n);
}

static perp_status factorise(exchange *s) {
  envelope *e = &s->factor;
  perp_exchange_list(s, s->mode);
  if (e->valid == e->rows) return PERP_OK;
  int outcome = perp_envelope_factor(e, &s->rows, s->shift);
  if (outcome == ENVELOPE_FULL && e->lower != s->spare_lower) {
    perp_envelope_move(e, s->spare_inverse, s->spare_lower, s->spare_capacity);
    outcome = perp_envelope_factor(e, &s->rows, s->shift);
  }
  if (outcome == ENVELOPE_FULL) return PERP_EWORKSPACE;
  return outcome == ENVELOPE_DONE ? PERP_OK : EXCHANGE_NOT_DEFINITE;
}

/* λ_N := bounds, λ_F := 0. Returns whether any of them is not 0. */
static int set_bounds(exchange *s) {
  int any = 0;
  if (s->factor.rows == s->n) return 0;
  for (int32_t i = 0; i < s->n; i++) {
    double v = 0;
    if (s->mode[i] != PERP_MODE_FREE) v = s->mode[i] == PERP_MODE_LOWER ? s->lower[i] : s->upper[i];
    s->lambda[i] = v;
    any |= v != 0;
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
  else if (rows == s->n)
    for (int32_t k = 0; k < rows; k++) x[k] = -q[k];
  else
    for (int32_t k = 0; k < rows; k++) x[k] = -q[member[k]];
}

static perp_status report(const exchange *s, int32_t entering, int32_t leaving, double merit) {
  if (s->options.observe == NULL) return PERP_OK;
  perp_iterate it = {s->iterations - 1, entering, leaving, merit};
  return s->options.observe(&it, s->options.user) == 0 ? PERP_OK : PERP_STOPPED;
}

/* Solve the basis of the modes for λ. */
static perp_status solve_basis(exchange *s) {
  if (s->iterations >= s->options.max_iter) return PERP_MAX_ITER;
  s->iterations++;
  perp_status status = factorise(s);
  if (status == EXCHANGE_NOT_DEFINITE && report(s, -1, -1, INFINITY) != PERP_OK)
    return PERP_STOPPED;
  if (status != PERP_OK) return status;
  const int32_t rows = s->factor.rows, *member = s->factor.member;
  gather(s);
  perp_envelope_solve(&s->factor, s->x);
  if (rows == s->n)
    memcpy(s->lambda, s->x, (size_t)rows * sizeof *s->lambda);
  else
    for (int32_t k = 0; k < rows; k++) s->lambda[member[k]] = s->x[k];
  return PERP_OK;
}

/* --- infeasibilities ------------------------------------------------------------------------- */

/* Whether an excess of λ_i over its bound is more than rounding: it moves y by up to that much
 * times the norm of row i. */
static int beyond_bound(const exchange *s, int32_t i, double excess) {
  double norm, scale = perp_row_scale(&s->rows, i, s->lambda, &norm) + fabs(s->q[i]);
  return excess * (norm + s->shift) > s->slack * (scale + s->shift * fabs(s->lambda[i])) + s->floor;
}

/* Whether a free component leaves its interval at all: one pass that vectorises. */
static int any_outside(const exchange *s) {
  const double *v = s->lambda, *l = s->lower, *u = s->upper;
  int any = 0;
  for (int32_t i = 0; i < s->n; i++) any |= (v[i] < l[i]) | (v[i] > u[i]);
  return any;
}

/* next := mode, but for the infeasible free components; returns how many they are. */
static int32_t judge_free(exchange *s) {
  const envelope *e = &s->factor;
  int32_t count = 0;
  memcpy(s->next, s->mode, (size_t)s->n);
  s->outside = any_outside(s);
  if (!s->outside) return 0;
  for (int32_t k = 0; k < e->rows; k++) {
    int32_t i = e->member[k];
    double v = s->x[k], l = s->lower[i], u = s->upper[i];
    if (!(v < l || v > u)) continue;
    if (!beyond_bound(s, i, v < l ? l - v : v - u)) continue;
    s->next[i] = v < l ? PERP_MODE_LOWER : PERP_MODE_UPPER;
    count++;
  }
  return count;
}

/* What y_i violates at a bound, in parts of its row; 0 if nothing beyond rounding. */
static double violation(const exchange *s, int32_t i) {
  double y = s->q[i], norm;
  if (s->nonzero) y += row_dot(&s->rows, i, s->lambda) + s->shift * s->lambda[i];
  if (s->mode[i] == PERP_MODE_LOWER) y = -y;
  if (!(y > 0) || !(s->lower[i] < s->upper[i])) return 0;
  double scale =
      perp_row_scale(&s->rows, i, s->lambda, &norm) + fabs(s->q[i]) + s->shift * fabs(s->lambda[i]);
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
    double from = s->point[i], bound = s->next[i] == PERP_MODE_LOWER ? s->lower[i] : s->upper[i];
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
      s->point[i] = s->next[i] == PERP_MODE_LOWER ? s->lower[i] : s->upper[i];
    }
  }
  return leaving;
}

/* Minimise over the face of the free components, dropping those that block. On PERP_OK λ is the
 * minimiser. entering was freed before, -1: none. */
static perp_status minimise_face(exchange *s, int32_t entering) {
  const double origin = entering < 0 ? 0 : s->point[entering];
  int32_t freed = entering;
  for (int32_t leaving = -1;;) {
    perp_status status = solve_basis(s);
    if (status != PERP_OK) return status;
    int32_t count = judge_free(s);
    status = report(s, entering, leaving, count);
    if (status != PERP_OK) return status;
    if (count == 0) break;
    leaving = step_to_bounds(s);
    entering = -1;
    /* a true violator moves away from its bound: this one was rounding */
    if (freed >= 0 && s->mode[freed] != PERP_MODE_FREE && s->point[freed] == origin) {
      if (s->slack < COARSEST) s->slack *= 4;
      freed = -1;
    }
  }
  for (int32_t i = 0; i < s->n; i++) s->point[i] = clip(s->lambda[i], s->lower[i], s->upper[i]);
  return PERP_OK;
}

/* Where the safeguard starts: at the minimiser it left last, or at λ moved into the box. */
static void enter_safeguard(exchange *s, int resumed) {
  if (resumed) {
    memcpy(s->mode, s->anchor, (size_t)s->n);
    return;
  }
  for (int32_t i = 0; i < s->n; i++) {
    s->point[i] = clip(s->lambda[i], s->lower[i], s->upper[i]);
    if (s->mode[i] == PERP_MODE_FREE) s->mode[i] = s->next[i];
  }
}

/* Go down from minimiser to minimiser until one has fewer infeasibilities than best (then *best is
 * their number, next the exchange, anchor the modes). */
static perp_status safeguard(exchange *s, int resumed, int32_t *best) {
  int32_t entering = -1;
  enter_safeguard(s, resumed);
  for (;;) {
    perp_status status = minimise_face(s, entering);
    if (status != PERP_OK) return status;
    int32_t count = judge_bound(s, &entering);
    if (count < *best) {
      *best = count;
      memcpy(s->anchor, s->mode, (size_t)s->n);
      return PERP_OK;
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
    double y = s->q[i] + row_dot(&s->rows, i, s->lambda) + s->shift * s->lambda[i], norm;
    double scale = perp_row_scale(&s->rows, i, s->lambda, &norm);
    if (fabs(y) <= ROUNDING * scale + s->floor) s->next[i] = PERP_MODE_FREE;
  }
}

static double largest_q(const exchange *s) {
  double largest = 0;
  for (int32_t i = 0; i < s->n; i++) largest = fabs(s->q[i]) > largest ? fabs(s->q[i]) : largest;
  return largest;
}

perp_status perp_exchange_run(exchange *s) {
  int32_t best = INT32_MAX, tries = 0, patience = PATIENCE;
  s->slack = ROUNDING;
  s->floor = ROUNDING * largest_q(s);
  for (int32_t round = 0;; round++) {
    perp_status status = solve_basis(s);
    if (status != PERP_OK) return status;
    int32_t count = judge_free(s) + judge_bound(s, NULL);
    status = report(s, -1, -1, count);
    if (count == 0 || status != PERP_OK) return status;
    if (count < best) {
      best = count;
      tries = 0;
    } else if (tries++ == patience) {
      status = safeguard(s, patience < PATIENCE, &best);
      if (best == 0 || status != PERP_OK) return status;
      patience = PATIENCE_LATER;
      tries = 0;
    }
    if (round < TIE_ROUNDS) free_ties(s);
    memcpy(s->mode, s->next, (size_t)s->n);
  }
}
