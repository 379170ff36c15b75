/* SPDX-License-Identifier: MIT */
/* The projection methods for −F(x) ∈ N_K(x), F and K told by callbacks or by a one-step problem,
 * with the self-adaptive step length: with
 *
 *   x̄ = P(x − ρ w F(x)),   r = ρ ‖F(x) − F(x̄)‖ / ‖x − x̄‖
 *
 * ρ shrinks, and x̄ is tried again, until r <= L; it grows after the step if r < L / 3. Norms are
 * weighted, ‖x‖² = Σ x²/w and ‖F‖² = Σ w F², which is the method in the unknowns x/√w; w is
 * constant on each set that is projected on, so P is the projection there too. A fixed point of P
 * is a solution for any ρ > 0.
 *
 * Fixed point of the projection: x := x̄. The step is a contraction for small ρ if F is strongly
 * monotone, and averaged for ρ < 2 / L if F is the gradient of a convex function with Lipschitz
 * constant L. Then ‖x − x̄‖ / ρ does not grow; where it does, shorter steps are taken. For F that is
 * only monotone, a rotation, it leads away from the solution.
 *
 * Extragradient: x := P(x − ρ w F(x̄)). With r <= L < 1 every step comes closer to every solution of
 * a monotone problem:  ‖x⁺ − x*‖² <= ‖x − x*‖² − (1 − L²) ‖x − x̄‖² .
 *
 * As solvers of one-step problems: F(λ) = ŷ, the change of variable of each law applied to M λ + q,
 * and P by the laws' projections. The weights are 1 / M_ii by component of an interval, and one
 * number, size / Σ M_ii, on a copy of any other law.
 *
 * Sources: [Korpelevich 1976], [Khobotov 1987], [He and Liao 2002]. */
#include "perp/vi.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "base/overlap.h"
#include "linalg/matrix.h"
#include "problem/allowance.h"
#include "problem/bounds.h"
#include "problem/residual.h"
#include "solver/factor.h"
#include "solver/sweeps.h"

/* WINDOW: iterations over which the fixed point compares the residual. */
enum { TRIALS = 100, DEFAULT_ITERATIONS = 5000, WINDOW = 16 };

/* A residual that has to fall below this part of what was asked for is rounding. */
#define LEAST_FACTOR 1e-6

/* Beside the statuses: F has no value there. */
enum { SHORTER = 101 };

typedef struct vi vi;

struct vi {
  /* set before the run */
  session *run;
  const perp_vi_options *options;
  perp_vi_function function;
  perp_vi_project project;
  void *user;
  /* Whether x, with F there, is a solution: PERP_OK, or GO_ON with run->factor made smaller, or an
   * error; may overwrite F with its value anew, and ahead must stay x̄. */
  perp_status (*judge)(vi *s);
  int extra;              /* extragradient; else the fixed point                              */
  perp_status not_finite; /* what NaN from F is called                                        */
  double price;           /* multiply-adds of a value of F                                    */
  double reference;       /* size of F that residuals are compared with at least              */
  double rho;             /* > 0                                                              */
  /* memory, n each; x is run->lambda */
  int32_t n;
  double *x, *F, *ahead, *F_ahead, *trial;
  double *weight; /* units of x per unit of F by unknown; NULL: ones             */
  double *root;   /* √w; NULL: ones                                              */
  /* of the iteration, and learned */
  double size, merit; /* ‖x − x̄‖, and that by ρ                                             */
  double ratio, last; /* L of the rule, and the merit at the end of the window before        */
  double lipschitz; /* largest ‖F(a) − F(b)‖ / ‖a − b‖ met, 0 if none                     */
  double nearby; /* largest, with those of the past halved at each step                 */
  /* of one-step problems */
  contact *contacts; /* count: the copies of laws that are no intervals          */
  int32_t count;
  double *spare; /* of projections that need memory                          */
  /* of callbacks: what is told of the point */
  double residual, relative;
  int32_t worst;
};

/* --- options --------------------------------------------------------------------------------- */

static const perp_vi_options defaults = {.struct_size = (uint32_t)sizeof(perp_vi_options),
                                         .tol = PERP_DEFAULT_TOL,
                                         .kind = "perp_vi_options",
                                         .ratio = 0.9,
                                         .shrink = 2.0 / 3,
                                         .grow = 1.5};

void perp_vi_options_init(perp_vi_options *opts, size_t size) {
  perp_options_fill(opts, size, &defaults, sizeof defaults);
}

static const option_range ranges[] = {{FIELD(perp_vi_options, step), OPTION_CLOSED, 0, DBL_MAX},
                                      {FIELD(perp_vi_options, ratio), OPTION_OPEN, 0, 1},
                                      {FIELD(perp_vi_options, shrink), OPTION_OPEN, 0, 1},
                                      {FIELD(perp_vi_options, grow), OPTION_CLOSED, 1, DBL_MAX},
                                      {0}};

/* --- F and P ------------------------------------------------------------------------------------
 */

static void carve(void *state, arena *a, const perp_shape *shape, const void *options) {
  vi *s = state;
  double **const taken[] = {&s->F, &s->ahead, &s->F_ahead, &s->trial, NULL};
  (void)options;
  arena_take_doubles(a, (size_t)shape->n, taken);
  s->price = shape->n; /* what callbacks cost nobody knows */
}

static void open_run(vi *s, session *run) {
  s->run = run;
  s->options = run->options;
  s->n = run->n;
  s->x = run->lambda;
  s->rho = s->options->step > 0 ? s->options->step : 1;
  if (s->options->max_iter == 0) run->max_iter = DEFAULT_ITERATIONS;
}

static perp_status not_finite(const vi *s, const char *field, const double *x) {
  const size_t at = first_not_finite((size_t)s->n, x);
  if (s->not_finite != PERP_ENOTFINITE) return s->not_finite;
  return fail(s->run->info, PERP_ENOTFINITE, field, (int32_t)at, x[at]);
}

/* F := F(x): GO_ON, SHORTER, or an error. */
static perp_status evaluate(vi *s, const double *x, double *F) {
  const int32_t answer = s->function(x, F, s->user);
  if (answer > 0) return SHORTER;
  if (answer < 0) return fail(s->run->info, PERP_ECALLBACK, "function", -1, answer);
  return all_finite((size_t)s->n, F) ? GO_ON : not_finite(s, "function", F);
}

/* p := P(x): GO_ON or an error. */
static perp_status onto(const vi *s, const double *x, double *p) {
  const int32_t answer = s->project(x, p, s->user);
  if (answer != 0) return fail(s->run->info, PERP_ECALLBACK, "project", -1, answer);
  return all_finite((size_t)s->n, p) ? GO_ON : not_finite(s, "project", p);
}

/* p := P(x − ρ w F): the same; overwrites trial. */
static perp_status project_step(vi *s, double rho, const double *F, double *p) {
  for (int32_t i = 0; i < s->n; i++) {
    const double w = s->weight == NULL ? rho : rho * s->weight[i];
    s->trial[i] = s->x[i] - w * F[i];
  }
  if (!all_finite((size_t)s->n, s->trial))
    return PERP_INACCURATE; /* run away: no callback's fault */
  return onto(s, s->trial, p);
}

/* --- norms ----------------------------------------------------------------------------------- */

/* √Σ c (a − b)² with c = 1, w, or 1/w, so that no square overflows. */
static double norm(const vi *s, const double *a, const double *b, int inverse) {
  double sum = 0, largest = 0;
  for (int32_t i = 0; i < s->n; i++) {
    double e = fabs(b == NULL ? a[i] : a[i] - b[i]);
    if (s->root != NULL) e *= inverse ? 1 / s->root[i] : s->root[i];
    if (e > largest) {
      sum = largest > 0 ? sum * (largest / e) * (largest / e) + 1 : 1;
      largest = e;
    } else if (e > 0) {
      sum += (e / largest) * (e / largest);
    }
  }
  return largest * sqrt(sum);
}

/* √Σ (a − b)² / w, and with F for x √Σ (a − b)² w; b NULL: 0. */
static double distance(const vi *s, const double *a, const double *b) { return norm(s, a, b, 1); }

static double difference(const vi *s, const double *a, const double *b) { return norm(s, a, b, 0); }

/* --- the loop -------------------------------------------------------------------------------- */

/* Ask the judge where the own residual is small enough, or can become no smaller. */
static perp_status ask_judge(vi *s) {
  session *run = s->run;
  double scale = difference(s, s->F, NULL) + s->lipschitz * distance(s, s->x, NULL);
  if (s->reference > scale) scale = s->reference;
  if (!(s->merit <= run->factor * run->tol * scale)) return GO_ON;
  const perp_status status = s->judge(s);
  if (status != GO_ON) return status;
  return s->merit == 0 || run->factor < LEAST_FACTOR ? PERP_INACCURATE : GO_ON;
}

/* x̄ for the present ρ, and what its distance says of x. */
static perp_status look(vi *s) {
  const perp_status status = project_step(s, s->rho, s->F, s->ahead);
  if (status != GO_ON) return status;
  s->size = distance(s, s->x, s->ahead);
  s->merit = s->size / s->rho;
  if (!(s->merit <= DIVERGED * (s->run->best_merit + s->reference))) return PERP_INACCURATE;
  (void)perp_session_keep(s->run, s->merit);
  return ask_judge(s);
}

/* x̄ for another ρ. */
static perp_status look_again(vi *s, double by) {
  s->rho *= by;
  const perp_status status = project_step(s, s->rho, s->F, s->ahead);
  s->size = distance(s, s->x, s->ahead);
  if (status != GO_ON) return status;
  return s->size > 0 ? perp_session_spend(s->run, s->price) : PERP_INACCURATE;
}

/* F̄, and r = ρ ‖F − F̄‖ / size. */
static perp_status compare(vi *s, double *r) {
  const perp_status status = evaluate(s, s->ahead, s->F_ahead);
  if (status != GO_ON) return status;
  const double slope = difference(s, s->F, s->F_ahead) / s->size;
  if (slope > s->lipschitz) s->lipschitz = slope;
  if (slope > s->nearby) s->nearby = slope;
  *r = s->rho * slope;
  return GO_ON;
}

/* x := the next one, F there. */
static perp_status step(vi *s) {
  perp_status status = GO_ON;
  if (s->extra) {
    status = project_step(s, s->rho, s->F_ahead, s->ahead);
    if (status == GO_ON) status = evaluate(s, s->ahead, s->F_ahead);
  }
  if (status != GO_ON) return status;
  double *F = s->F;
  memcpy(s->x, s->ahead, (size_t)s->n * sizeof *s->x);
  s->F = s->F_ahead;
  s->F_ahead = F;
  return GO_ON;
}

/* The rule of the fixed point becomes stricter where the residual grows. */
static void adapt(vi *s) {
  if (s->extra || s->run->iterations % WINDOW != 0) return;
  const double now = s->merit > s->last ? 0.7 * s->ratio : 1.05 * s->ratio;
  s->ratio = now < s->options->ratio ? now : s->options->ratio;
  s->last = s->merit;
}

/* One step from x with a ρ for which the rule holds and F has all the values that are asked for. */
static perp_status move(vi *s) {
  perp_status status = SHORTER;
  if (s->size == 0) return PERP_INACCURATE;
  adapt(s);
  s->nearby /= 2;
  for (int k = 0; k < TRIALS; k++) {
    double r = 0, by = s->options->shrink;
    status = compare(s, &r);
    if (status == GO_ON && r <= s->ratio) {
      status = step(s);
      if (status == GO_ON && r < s->ratio / 3) s->rho *= s->options->grow;
      if (status != SHORTER) return status;
    } else if (status == GO_ON) {
      if (r <= DBL_MAX) by *= s->ratio / r;
    } else if (status != SHORTER) {
      return status;
    }
    const perp_status again = look_again(s, by);
    if (again == PERP_INACCURATE && status == SHORTER) break;
    if (again != GO_ON) return again;
  }
  return status == SHORTER ? PERP_RETRY : PERP_INACCURATE;
}

/* Iterate from x, F(x) in F. */
static perp_status approach(vi *s) {
  perp_status limit = GO_ON;
  s->run->factor = 1;
  s->run->price = s->extra ? 2 * s->price : s->price;
  s->ratio = s->options->ratio;
  s->last = INFINITY;
  perp_status status = look(s);
  while (status == GO_ON && limit == GO_ON) {
    status = move(s);
    if (status != GO_ON) return status; /* a step that was none is not counted */
    limit = perp_session_step(s->run, -1, -1, s->merit);
    if (limit == PERP_STOPPED) return limit;
    status = look(s); /* the last one may have arrived */
  }
  return status == GO_ON ? limit : status;
}

/* --- one-step problems ----------------------------------------------------------------------- */

static void carve_problem(void *state, arena *a, const perp_shape *shape, const void *options) {
  vi *s = state;
  double **const taken[] = {&s->weight, &s->root, NULL};
  carve(s, a, shape, options);
  arena_take_doubles(a, (size_t)shape->n, taken);
  s->contacts = arena_take(a, (size_t)shape->contacts, sizeof *s->contacts);
  s->price += (double)shape->nonzeros;
}

static void find_contacts(vi *s) {
  int32_t largest;
  const int32_t all = perp_problem_contact_count(s->run->problem, &largest);
  perp_problem_contacts(s->run->problem, s->contacts);
  for (int32_t k = 0; k < all; k++)
    if (s->contacts[k].set > PERP_SET_BOX) s->contacts[s->count++] = s->contacts[k];
}

static int32_t function(const double *x, double *F, void *user) {
  const vi *s = user;
  double *y = s->run->y;
  const size_t bytes = (size_t)s->n * sizeof *F;
  memcpy(y, s->run->problem->q, bytes);
  perp_matrix_multiply_add(&s->run->problem->M, x, y);
  memcpy(F, y, bytes);
  for (const contact *c = s->contacts; c < s->contacts + s->count; c++)
    if (c->law->ops->shift != NULL)
      c->law->ops->shift(c->law, c->state, y + c->begin, F + c->begin);
  return 0;
}

static int32_t project(const double *x, double *p, void *user) {
  const vi *s = user;
  for (int32_t i = 0; i < s->n; i++) p[i] = clip(x[i], s->run->lower[i], s->run->upper[i]);
  for (const contact *c = s->contacts; c < s->contacts + s->count; c++)
    law_project(c->law, c->state, p + c->begin, p + c->begin, s->spare);
  return 0;
}

static perp_status judge_problem(vi *s) { return perp_session_confirmed(s->run) ? PERP_OK : GO_ON; }

/* w = 1 / M_ii; where M_ii is not positive, the sum of the row's magnitudes stands for it. One
 * weight for the copy of a law: of the mean diagonal entry. */
static void weigh(vi *s) {
  const perp_matrix *M = &s->run->problem->M;
  double *w = s->weight, *ones = s->trial, *sums = s->ahead;
  perp_factor_row_sums(M, ones, sums);
  perp_matrix_diagonal(M, w);
  for (int32_t i = 0; i < s->n; i++) {
    if (!(w[i] >= LEAST_DIAGONAL)) w[i] = sums[i];
    if (!(w[i] >= LEAST_DIAGONAL && w[i] <= DBL_MAX)) w[i] = 1;
  }
  for (const contact *c = s->contacts; c < s->contacts + s->count; c++) {
    double sum = 0;
    for (int32_t i = c->begin; i < c->begin + c->size; i++) sum += w[i];
    for (int32_t i = c->begin; i < c->begin + c->size; i++) w[i] = sum / c->size;
  }
  for (int32_t i = 0; i < s->n; i++) {
    w[i] = 1 / w[i];
    s->root[i] = sqrt(w[i]);
  }
}

/* F at the start, moved into K; at the point of K next to 0 if the start was too large. */
static perp_status begin_problem(vi *s) {
  (void)project(s->x, s->x, s);
  if (evaluate(s, s->x, s->F) == GO_ON) return GO_ON;
  memset(s->trial, 0, (size_t)s->n * sizeof *s->trial);
  (void)project(s->trial, s->x, s);
  return evaluate(s, s->x, s->F);
}

static perp_status start(void *state, session *run) {
  vi *s = state;
  open_run(s, run);
  s->extra = run->variant;
  s->function = function;
  s->project = project;
  s->user = s;
  s->judge = judge_problem;
  s->not_finite = PERP_INACCURATE; /* who looks at the residual afterwards finds the culprit */
  s->spare = run->scratch + residual_scratch_doubles(run->n);
  find_contacts(s);
  weigh(s);
  const perp_status status = begin_problem(s);
  if (status != GO_ON) return status;
  if (perp_session_confirmed(run)) return PERP_OK; /* the last step's solution often is one */
  s->reference = difference(s, run->problem->q, NULL);
  return approach(s);
}

#define NEEDED (NEEDS_SHAPE | NEEDS_BOUNDS | NEEDS_BEST | NEEDS_JUDGE)

const perp_solver *perp_solver_fixed_point(void) {
  static const perp_method method = {.state = METHOD_STATE(vi),
                                     .ranges = ranges,
                                     .needs = NEEDED,
                                     .carve = carve_problem,
                                     .start = start};
  static const perp_solver solver = {.struct_size = sizeof(perp_solver),
                                     .sets = ALL_SETS,
                                     .matrices = ALL_MATRICES,
                                     .assumes = PERP_ASSUMES_SYMMETRIC | PERP_ASSUMES_SEMIDEFINITE,
                                     .name = "fixed-point",
                                     .defaults = &defaults,
                                     .method = &method};
  return &solver;
}

const perp_solver *perp_solver_extragradient(void) {
  static const perp_method method = {.state = METHOD_STATE(vi),
                                     .ranges = ranges,
                                     .needs = NEEDED,
                                     .carve = carve_problem,
                                     .variant = 1,
                                     .start = start};
  static const perp_solver solver = {.struct_size = sizeof(perp_solver),
                                     .sets = ALL_SETS,
                                     .matrices = ALL_MATRICES,
                                     .assumes = PERP_ASSUMES_SEMIDEFINITE,
                                     .name = "extragradient",
                                     .defaults = &defaults,
                                     .method = &method};
  return &solver;
}

/* --- callbacks of the user -------------------------------------------------------------------- */

/* −F(x) ∈ N_K(x) in the user's callbacks: every claim is verified. With Λ the largest ‖F(a) − F(b)‖
 * / ‖a − b‖ met, Λ' the largest of late, Λ₀ the one at the start,
 *
 *   r = Λ ‖x − P(x − F(x) / Λ)‖,   relative = r / max(‖F(x)‖ + Λ'‖x‖, ‖F(x₀)‖ + Λ₀‖x₀‖),
 *   solved: relative <= tol and r <= a(tol) (‖F(x₀)‖ + Λ₀‖x₀‖),   x₀ = P(0).
 *
 * For F = M x + q on the orthant that is the residual of problem.h up to the choice of norms: F(x₀)
 * is q, and without the second test a huge x of a problem without a solution would pass. Λ' and not
 * Λ: where F flattens out towards infinity, Λ‖x‖ would excuse anything. */
/* A call as the shell sees it: its options, and what they are for. */
typedef struct call {
  perp_vi_options options;
  const perp_vi *problem;
  int extra;
} call;

/* Λ, or what stands for it where F was the same wherever it was asked. */
static double slope(const vi *s) { return s->lipschitz > 0 ? s->lipschitz : 1 / s->rho; }

/* r at x and where its largest part stands; F anew. Overwrites ahead. */
static perp_status measure(vi *s) {
  const double lambda = slope(s);
  perp_status status = evaluate(s, s->x, s->F);
  if (status != GO_ON) return status;
  status = project_step(s, 1 / lambda, s->F, s->ahead);
  if (status != GO_ON) return status;
  const double size = difference(s, s->F, NULL) + s->nearby * distance(s, s->x, NULL);
  const double scale = size > s->reference ? size : s->reference;
  double largest = -1;
  for (int32_t i = 0; i < s->n; i++) {
    const double part = fabs(s->x[i] - s->ahead[i]);
    if (part > largest) {
      largest = part;
      s->worst = i;
    }
  }
  s->residual = lambda * distance(s, s->x, s->ahead);
  s->relative = s->residual == 0 ? 0 : s->residual / scale;
  return GO_ON;
}

/* Before two points were compared only F with no residual at all solves: Λ is not known, and 1 / ρ
 * of a long first step would hide any residual on a bounded set. */
static int solved(const vi *s) {
  if (s->lipschitz == 0 && s->run->iterations == 0 && s->residual != 0) return 0;
  const double tol = s->run->tol;
  return s->relative <= tol && s->residual <= residual_allowance(tol) * s->reference;
}

/* The loop goes on with ahead for its own ρ. */
static perp_status judge_inequality(vi *s) {
  const perp_status status = measure(s);
  if (status != GO_ON) return status == SHORTER ? PERP_RETRY : status;
  if (solved(s)) return PERP_OK;
  s->run->factor = tightened(s->run->factor, s->run->tol, s->relative);
  return project_step(s, s->rho, s->F, s->ahead);
}

/* Start from P(x): F there. */
static perp_status begin_inequality(vi *s) {
  perp_status status = onto(s, s->x, s->ahead);
  if (status != GO_ON) return status;
  status = evaluate(s, s->ahead, s->F);
  if (status == GO_ON) memcpy(s->x, s->ahead, (size_t)s->n * sizeof *s->x);
  return status == SHORTER ? PERP_RETRY : status;
}

/* The first estimate of Λ, and the reference ‖F(x₀)‖ + Λ‖x₀‖, with x₀ in ahead. F need not have a
 * value at P(0); then the start serves. */
static perp_status refer(vi *s) {
  const size_t n = (size_t)s->n;
  memset(s->trial, 0, n * sizeof *s->trial);
  const perp_status status = onto(s, s->trial, s->ahead);
  if (status != GO_ON) return status;
  const int32_t value = s->function(s->ahead, s->F_ahead, s->user);
  if (value < 0) return fail(s->run->info, PERP_ECALLBACK, "function", -1, value);
  const int there = value == 0 && all_finite(n, s->F_ahead);
  const double far = distance(s, s->x, s->ahead);
  if (there && far > 0) s->lipschitz = difference(s, s->F, s->F_ahead) / far;
  if (s->options->step == 0 && s->lipschitz > 0) s->rho = s->options->ratio / s->lipschitz;
  const double lambda = slope(s);
  s->reference = 0;
  if (there) s->reference = difference(s, s->F_ahead, NULL) + lambda * distance(s, s->ahead, NULL);
  if (s->reference == 0)
    s->reference = difference(s, s->F, NULL) + lambda * distance(s, s->x, NULL);
  return GO_ON;
}

static perp_status start_inequality(void *state, session *run) {
  vi *s = state;
  const call *c = run->options;
  open_run(s, run);
  s->function = c->problem->function;
  s->project = c->problem->project;
  s->user = c->problem->user;
  s->extra = c->extra;
  s->judge = judge_inequality;
  s->not_finite = PERP_ENOTFINITE;
  s->worst = -1;
  perp_status status = begin_inequality(s);
  if (status == GO_ON) status = refer(s);
  if (status != GO_ON) return status;
  s->residual = s->relative = (double)NAN; /* until it is known */
  status = approach(s);
  if (status != PERP_OK && status != PERP_STOPPED) perp_session_take_best(run);
  if (status > 0) { /* what the point handed out is like */
    const perp_status last = measure(s);
    if (last < 0) status = last;
    if (last == GO_ON && status == PERP_MAX_ITER && solved(s)) status = PERP_OK;
  }
  memcpy(run->y, s->F, (size_t)s->n * sizeof *s->F);
  return status;
}

static perp_status finish(void *state, session *run, perp_status status) {
  const vi *s = state;
  if (info_ready(run->info)) {
    run->info->residual = s->residual;
    run->info->relative_residual = s->relative;
    run->info->worst = s->worst;
  }
  return status;
}

static const perp_method method = {.state = METHOD_STATE(vi),
                                   .needs = NEEDS_BEST,
                                   .carve = carve,
                                   .start = start_inequality,
                                   .finish = finish};

size_t perp_vi_workspace(int32_t n) {
  const perp_shape shape = {.n = n};
  return perp_method_workspace(&method, &shape, NULL);
}

static perp_status check(const perp_vi *problem, const double *x, const double *F, const void *work,
                         perp_info *info) {
  if (problem == NULL) return fail_field(info, "problem", -1);
  if (problem->n < 0) return fail(info, PERP_EINVAL, "n", -1, problem->n);
  if (problem->function == NULL) return fail_field(info, "function", -1);
  if (problem->project == NULL) return fail_field(info, "project", -1);
  if (problem->n > 0 && x == NULL) return fail_field(info, "x", -1);
  if (problem->n > 0 && F == NULL) return fail_field(info, "F", -1);
  if (overlap(x, F, problem->n)) return fail_field(info, "F overlaps x", -1);
  if (problem->n > 0 && work == NULL) return fail_field(info, "work", -1);
  return fail_not_finite(info, "x", (size_t)problem->n, x);
}

static perp_status solve(const perp_vi *problem, const perp_vi_options *options, int extra,
                         double *x, double *F, void *work, size_t work_bytes, perp_info *info) {
  call c = {.problem = problem, .extra = extra};
  info_clear(info);
  perp_status status = check(problem, x, F, work, info);
  if (status == PERP_OK) status = perp_solver_options_read(&defaults, options, &c.options, info);
  if (status == PERP_OK) status = perp_options_in_range(ranges, &c.options, info);
  if (info_ready(info)) info->solver = extra ? "extragradient" : "fixed-point";
  if (status != PERP_OK || problem->n == 0) return status;
  perp_problem sized = PERP_PROBLEM_INIT; /* all that the shell looks at */
  sized.n = problem->n;
  return perp_method_run(&method, &sized, &c, x, F, NULL, work, work_bytes, NULL, info);
}

perp_status perp_vi_fixed_point(const perp_vi *problem, const perp_vi_options *options, double *x,
                                double *F, void *work, size_t work_bytes, perp_info *info) {
  return solve(problem, options, 0, x, F, work, work_bytes, info);
}

perp_status perp_vi_extragradient(const perp_vi *problem, const perp_vi_options *options, double *x,
                                  double *F, void *work, size_t work_bytes, perp_info *info) {
  return solve(problem, options, 1, x, F, work, work_bytes, info);
}
