/* SPDX-License-Identifier: MIT */
/* Levenberg's and Marquardt's method: from x with J an element of the Jacobian of φ the step is
 *
 *   s = argmin ‖J s + φ‖² + d² ‖K s‖²,
 *
 * which is short where J is nearly singular; d falls where the step makes ‖φ‖ smaller, and rises
 * where it does not and x stays. Where W has no full rank, solutions are not isolated, and still
 * the method goes to the next one quadratically. Householder's reflections keep the last digits,
 * which normal equations lose: one solution may have forces that differ by 10^10.
 *
 * The width e in which kinks of φ are rounded off goes to 0 as ‖φ‖ does. Where ‖φ‖ falls no more x
 * is a least point of it, and the method begins anew: elsewhere, with another e, and with other
 * weights a of the parts, which have their least points elsewhere. In K, and in a, a normal force
 * counts as much as the friction that it allows: λ_n = 10^-10 may hold λ_t = 1. Source: Fan, Yuan,
 * Computing 74 (2005) 23-39. */
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "linalg/dense.h"
#include "portfolio/contact_equations.h"
#include "portfolio/portfolio.h"
#include "problem/allowance.h"
#include "problem/cone.h"
#include "solver/newton.h"

/* Unknowns; steps from one start; steps without a decrease worth the name after which e falls, and
 * after which x is left. */
enum { MOST = 32, STEPS = 100, TRIALS = 4, PATIENCE = 12 };

static const double least_damping = 1e-15, most_damping = 1e6;

/* ‖φ‖ below which a point may be a solution; and the part of e above which it does not fall for
 * want of a decrease: x is a least point then. */
static const double near_by = 1e-5, far = 100;

const perp_descent_options perp_descent_defaults = {
    {.struct_size = (uint32_t)sizeof(perp_descent_options), .tol = PERP_DEFAULT_TOL},
    .kind = "descent"};

typedef struct descent {
  session *session;
  contact_equations e;
  int32_t n;
  double *A;           /* 2 n x n, [J; d K], then its reflections  */
  double *b;           /* 2 n, [-φ; 0], then the step              */
  double *x, *next;    /* the point, and the one tried             */
  double *phi, *other; /* their equations                          */
  double *weight;      /* the diagonal of K                        */
  double damping;
  uint64_t chance;    /* state of the generator of starts                          */
  perp_status status; /* GO_ON: steps are left                                     */
} descent;

static void carve(void *state, arena *a, const perp_shape *shape, const void *options) {
  descent *s = state;
  double **const vectors[] = {&s->x, &s->next, &s->phi, &s->other, &s->weight, NULL};
  const size_t n = (size_t)shape->n;
  (void)options;
  s->n = shape->n;
  perp_contact_equations_carve(&s->e, a, shape->n);
  s->A = arena_take(a, 2 * n * n, sizeof(double));
  s->b = arena_take(a, 2 * n, sizeof(double));
  arena_take_doubles(a, n, vectors);
}

double perp_descent_price(int32_t n) {
  const double x = n;
  return x * x * (2 * x + 10) + 200 * x;
}

/* --- one step -------------------------------------------------------------------------------- */

/* Column k of A, of b for k = n. */
static double *column(const descent *s, int32_t k) {
  return k < s->n ? s->A + 2 * (size_t)s->n * (size_t)k : s->b;
}

/* Column k of A and what is right of it, reflected so that the column ends with its diagonal entry.
 * Below that lie rows k + 1 ... n - 1 of J and the first k + 1 rows of d K: they are adjacent. */
static double reflect(descent *s, int32_t k) {
  const int32_t n = s->n, rows = n + 1;
  double *v = column(s, k) + k;
  const double norm = perp_residual_norm(v, rows);
  if (!(norm > 0)) return 0;
  const double diagonal = v[0] > 0 ? -norm : norm, first = v[0] - diagonal;
  for (int32_t i = 1; i < rows; i++) v[i] /= first;
  for (int32_t j = k + 1; j <= n; j++) {
    double *c = column(s, j) + k, sum = c[0];
    for (int32_t i = 1; i < rows; i++) sum += v[i] * c[i];
    sum *= first / diagonal;
    c[0] += sum;
    for (int32_t i = 1; i < rows; i++) c[i] += sum * v[i];
  }
  return diagonal;
}

/* b := the step. */
static void solve_damped(descent *s) {
  const int32_t n = s->n;
  for (int32_t k = 0; k < n; k++) {
    const double diagonal = reflect(s, k);
    column(s, k)[k] = diagonal;
  }
  for (int32_t k = n - 1; k >= 0; k--) {
    const double *c = column(s, k);
    s->b[k] = c[k] != 0 ? s->b[k] / c[k] : 0;
    for (int32_t i = 0; i < k; i++) s->b[i] -= c[i] * s->b[k];
  }
}

/* A := [J; d K], b := [−φ; 0]. */
static void build(descent *s) {
  const int32_t n = s->n;
  perp_contact_equations_at(&s->e, s->x, s->phi, s->A, 2 * n);
  for (int32_t j = 0; j < n; j++) {
    memset(column(s, j) + n, 0, (size_t)n * sizeof *s->A);
    column(s, j)[n + j] = s->damping * s->weight[j];
    s->b[j] = -s->phi[j];
    s->b[n + j] = 0;
  }
}

/* Returns the part of ‖φ‖² that is left: 1 where x stays. */
static double step(descent *s, double before) {
  const int32_t n = s->n;
  build(s);
  solve_damped(s);
  for (int32_t i = 0; i < n; i++) s->next[i] = s->x[i] + s->b[i];
  perp_contact_equations_at(&s->e, s->next, s->other, NULL, 0);
  const double after = perp_dense_dot(n, s->other, s->other);
  if (!(after < before)) {
    s->damping = s->damping * 8 < most_damping ? s->damping * 8 : most_damping;
    return 1;
  }
  s->damping = after < 0.25 * before ? s->damping / 16 : s->damping / 3;
  if (s->damping < least_damping) s->damping = least_damping;
  memcpy(s->x, s->next, (size_t)n * sizeof *s->x);
  return after / before;
}

/* --- from one start -------------------------------------------------------------------------- */

/* Whether x solves the problem; the best point is kept. */
static int judge(descent *s) {
  session *run = s->session;
  perp_residual r;
  for (int32_t i = 0; i < s->n; i++) run->lambda[i] = s->e.unit[i] * s->x[i];
  perp_residual_compute(run->problem, run->lambda, run->y, &r, run->scratch);
  const int solved = perp_residual_solved(&r, run->tol);
  (void)perp_session_keep(run, solved ? -1 : residual_merit(&r, run->tol));
  return solved;
}

static double merit_here(descent *s) {
  perp_contact_equations_at(&s->e, s->x, s->phi, NULL, 0);
  return perp_dense_dot(s->n, s->phi, s->phi);
}

/* Returns whether there is nothing more to do: it is solved, or what is allowed is used up. */
static int descend(descent *s, double width) {
  int32_t idle = 0;
  s->damping = 1;
  s->e.width = width;
  double merit = merit_here(s);
  for (int32_t k = 0; k < STEPS && idle < PATIENCE; k++) {
    const double left = merit > 0 ? step(s, merit) : 1, e = s->e.width;
    merit *= left;
    idle = left < 0.9 ? 0 : idle + 1;
    if (left < 1 && e < near_by && merit < near_by * near_by && judge(s)) return 1;
    s->status = perp_session_step(s->session, -1, -1, sqrt(merit));
    if (s->status != GO_ON) break;
    if (e == 0 || (merit >= e * e && idle < TRIALS)) continue;
    if (merit > far * far * e * e) break;
    s->e.width = e > 1e-16 ? 0.1 * e : 0;
    merit = merit_here(s);
    idle = 0;
  }
  return judge(s) || s->status != GO_ON;
}

/* --- starts ---------------------------------------------------------------------------------- */

static double draw(descent *s) { return next_number(&s->chance); }

/* A power of two in [2^-8, 2^8]. */
static double any_weight(descent *s) {
  const double x = draw(s), up = power_of_two(1 / (0x1p-8 + (1 - 0x1p-8) * draw(s)));
  return x < 0.5 ? up : 1 / up;
}

/* A force within the cone, or none, and any weights. */
static void place(descent *s, const contact *c, double leverage) {
  double *x = s->x + c->begin;
  for (int32_t i = 0; i < c->size; i++) {
    x[i] = 0;
    s->e.a[c->begin + i] = any_weight(s);
  }
  s->e.a[c->begin] *= leverage;
  if (draw(s) < 0.3) return;
  const double size = power_of_two(0x1p-20 + draw(s) * draw(s) * draw(s) * draw(s));
  x[0] = size * draw(s) / leverage;
  for (int32_t i = 1; i < c->size; i++) {
    const double most = c->mu * x[0];
    x[i] = (2 * draw(s) - 1) * (most < size ? most : size);
  }
}

/* Twice from the point that was given, and twice from 0, then from anywhere. */
enum { GIVEN = 2, KNOWN = 4 };

/* Returns in which width the kinks are rounded off at first. */
static double place_all(descent *s, int32_t attempt) {
  static const double widths[KNOWN] = {0, 1e-4, 1, 1};
  for (int32_t k = 0; k < s->e.count; k++) {
    const contact *c = &s->e.contacts[k];
    const int plain = attempt < KNOWN ? attempt % 2 == 1 : draw(s) < 0.5;
    const double leverage = plain ? 1 : perp_contact_equations_leverage(c);
    for (int32_t i = c->begin; i < c->begin + c->size; i++) {
      s->weight[i] = s->e.a[i] = i == c->begin ? leverage : 1;
      if (attempt < KNOWN) s->x[i] = attempt < GIVEN ? s->session->lambda[i] / s->e.unit[i] : 0;
    }
    if (attempt >= KNOWN) place(s, c, leverage);
  }
  if (attempt < KNOWN) return widths[attempt];
  return attempt % 4 == 0 ? 0 : power_of_two(1 / (1 + 1023 * draw(s) * draw(s)));
}

/* The whole method: attempt after attempt, until the last step that is allowed. */
static perp_status start(void *state, session *run) {
  descent *s = state;
  const int32_t visit = ((const perp_descent_options *)run->options)->visit;
  const size_t bytes = (size_t)s->n * sizeof *run->lambda;
  s->session = run;
  s->chance = (uint64_t)visit;
  s->status = GO_ON;
  run->price = perp_descent_price(s->n);
  memcpy(run->best, run->lambda, bytes);
  if (!perp_contact_equations_open(&s->e, run->problem)) return PERP_MAX_ITER;
  int ended = 0;
  for (int32_t attempt = 0; !ended; attempt++) {
    if (attempt == GIVEN && visit > 0) attempt = KNOWN;
    if (attempt < GIVEN) memcpy(run->lambda, run->best, bytes);
    ended = descend(s, place_all(s, attempt));
  }
  memcpy(run->lambda, run->best, bytes);
  if (s->status == PERP_STOPPED) return PERP_STOPPED;
  return run->best_merit < 0 ? PERP_OK : PERP_MAX_ITER;
}

const perp_solver *perp_solver_descent(void) {
  static const perp_method method = {.state = METHOD_STATE(descent),
                                     .needs = NEEDS_BEST | NEEDS_JUDGE,
                                     .carve = carve,
                                     .start = start};
  static const perp_solver solver = {.struct_size = sizeof(perp_solver),
                                     .sets = CONTACT_SETS,
                                     .matrices = ALL_MATRICES,
                                     .name = "auto",
                                     .defaults = &perp_descent_defaults,
                                     .method = &method,
                                     .max_n = MOST};
  return &solver;
}
