/* SPDX-License-Identifier: MIT */
/* Conjugate projected gradient: min f(λ) = ½ λᵀM λ + qᵀλ over l ≤ λ ≤ u, M symmetric and positive
 * semidefinite. With g = M λ + q = y and a diagonal scaling w ≈ 1 / M_ii the gradient splits into
 *
 *   free     φ_i = g_i where l_i < λ_i < u_i, else 0
 *   chopped  β_i = min(g_i, 0) where λ_i = l_i,  max(g_i, 0) where λ_i = u_i,  else 0.
 *
 * λ solves the problem where both are 0. Each iteration makes one product with M:
 *
 *   p := γ p − wφ           while ‖β‖² ≤ Γ² ‖φ‖²: conjugate gradients on the face
 *   p := −w (φ + β)         else: the face is left
 *   λ := the first minimum of f along the path t ↦ P(λ + t p).
 *
 * The path bends where an unknown i meets a bound; from there on p_i = 0, and M p loses p_i times
 * column i, which costs no product. So one iteration changes any number of active bounds, and f
 * does not grow. If one did, conjugacy starts anew. Norms are in units of w. Where pᵀM p ≤ 0 and no
 * bound is left on the path, f falls for ever: with M p = 0 that proves that there is no solution.
 * Sources: [Dostál and Schöberl 2005], [Moré and Toraldo 1991]. */
#include "perp/sweeps.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/info.h"
#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "solver/mode.h"
#include "solver/sweeps.h"

/* A curvature pᵀM p below this part of −gᵀp, which is ‖p‖² of the scaled gradient, is rounding. */
#define FLAT 1e-13

/* Growth of λ that is looked into. */
#define ALARM 1e4

/* How often the judge may say no. */
enum { REFUSALS = 20 };

/* --- options --------------------------------------------------------------------------------- */

static const perp_cpg_options defaults = {.struct_size = (uint32_t)sizeof(perp_cpg_options),
                                          .tol = PERP_DEFAULT_TOL,
                                          .kind = "perp_cpg_options",
                                          .proportion = 0.5};

void perp_cpg_options_init(perp_cpg_options *opts, size_t size) {
  perp_options_fill(opts, size, &defaults, sizeof defaults);
}

static const option_range ranges[] = {
    {FIELD(perp_cpg_options, proportion), OPTION_OPEN, 0, (double)INFINITY}, {0}};

/* --- memory ---------------------------------------------------------------------------------- */

static void carve(void *state, arena *a, const perp_shape *shape, const void *options) {
  box_descent *s = state;
  double **const vectors[] = {&s->weight, &s->p, &s->Mp, &s->ray, NULL};
  const size_t n = (size_t)shape->n;
  (void)options;
  arena_take_doubles(a, n, vectors);
  s->heap = arena_take(a, n, sizeof(int32_t));
  row_reader_carve(&s->rows, a, n, shape->matrix == PERP_BLOCKS);
}

static void multiply(const box_descent *s) {
  memset(s->Mp, 0, (size_t)s->n * sizeof *s->Mp);
  (void)perp_multiply_add_sparsely(s->M, s->p, s->Mp);
}

/* --- where λ stands -------------------------------------------------------------------------- */

/* The residual, and the size of its terms. */
static void measure(box_descent *s) {
  double merit = 0, size = 0;
  for (int32_t i = 0; i < s->n; i++) {
    const double x = s->lambda[i], w = s->weight[i], terms = fabs(x) / w + fabs(s->q[i]);
    merit = interval_raise(merit, interval_residual(x, s->lower[i], s->upper[i], 1 / w, s->g[i]));
    if (terms > size) size = terms;
  }
  s->merit = merit;
  s->size = size;
}

/* The judge's own residual. It writes M λ + q anew into g, free of what rounding has gathered. */
static int confirmed(box_descent *s) {
  s->conjugate = 0;
  if (perp_session_confirmed(s->run)) return 1;
  s->refused++;
  return 0;
}

/* --- directions ------------------------------------------------------------------------------ */

/* release := w (φ + β), face := wφ */
static void scale_gradient(const box_descent *s, double *restrict release, double *restrict face) {
  const double *restrict x = s->lambda, *restrict l = s->lower, *restrict u = s->upper;
  const double *restrict g = s->g, *restrict w = s->weight;
  for (int32_t i = 0; i < s->n; i++) {
    const double step = w[i] * g[i], low = l[i], high = u[i];
    release[i] = x[i] == (step > 0 ? low : high) ? 0 : step;
    face[i] = ((x[i] > low) & (x[i] < high)) != 0 ? step : 0;
  }
}

/* p := −w (φ + β), or γ p − wφ, conjugate to what the last path ended with. */
static void choose_direction(box_descent *s, double proportion) {
  double *restrict p = s->p, *restrict release = s->meets, *restrict face = s->since, gamma = 0;
  scale_gradient(s, release, face);
  const double free = perp_dense_dot(s->n, s->g, face);
  const double chopped = perp_dense_dot(s->n, s->g, release) - free;
  const int stays = chopped <= proportion * proportion * free && free > 0;
  const double *restrict step = stays ? face : release;
  if ((s->conjugate &= stays) != 0) gamma = perp_dense_dot(s->n, face, s->Mp) / s->curved;
  for (int32_t i = 0; i < s->n; i++) p[i] = s->conjugate ? gamma * p[i] - step[i] : -step[i];
}

/* --- the path -------------------------------------------------------------------------------- */

/* Let the entry at place k of the heap sink to where it belongs: the least meets is on top. */
static void sink(box_descent *s, int32_t k) {
  int32_t *heap = s->heap, moving = heap[k];
  for (int32_t child; (child = 2 * k + 1) < s->waiting && child > 0; k = child) {
    if (child + 1 < s->waiting && s->meets[heap[child + 1]] < s->meets[heap[child]]) child++;
    if (!(s->meets[heap[child]] < s->meets[moving])) break;
    heap[k] = heap[child];
  }
  heap[k] = moving;
}

/* Where each unknown meets its bound on the way along p. Returns where the first one does. */
static double look_ahead(box_descent *s) {
  const double *restrict x = s->lambda, *restrict p = s->p;
  const double *restrict l = s->lower, *restrict u = s->upper;
  double *restrict meets = s->meets, first = INFINITY;
  for (int32_t i = 0; i < s->n; i++) {
    const double below = l[i], above = u[i], t = ((p[i] < 0 ? below : above) - x[i]) / p[i];
    meets[i] = p[i] == 0 ? INFINITY : t;
  }
  for (int32_t i = 0; i < s->n; i++) first = meets[i] < first ? meets[i] : first;
  return first;
}

static void line_up(box_descent *s) {
  s->waiting = 0;
  for (int32_t i = 0; i < s->n; i++)
    if (s->meets[i] <= DBL_MAX) s->heap[s->waiting++] = i;
  for (int32_t k = s->waiting / 2 - 1; k >= 0; k--) sink(s, k);
}

static inline void catch_up(box_descent *s, int32_t j, double t) {
  s->g[j] += (t - s->since[j]) * s->Mp[j];
  s->since[j] = t;
}

/* Unknown i has met its bound at t: p_i := 0, M p and its curvature follow. */
static void stop_at_bound(box_descent *s, int32_t i, double t) {
  const perp_matrix *M = s->M;
  const double p = s->p[i], before = s->Mp[i];
  double diagonal = 0;
  s->lambda[i] = p < 0 ? s->lower[i] : s->upper[i];
  if (M->kind == PERP_DENSE) {
    const double *restrict column = M->values + (size_t)M->ld * (size_t)i;
    double *restrict g = s->g, *restrict Mp = s->Mp, *restrict since = s->since;
    for (int32_t j = 0; j < s->n; j++) {
      g[j] += (t - since[j]) * Mp[j];
      since[j] = t;
      Mp[j] -= p * column[j];
    }
    diagonal = column[i];
  } else {
    const matrix_row row = row_read(&s->rows, i);
    for (int32_t c = 0; c < row.count; c++) {
      const int32_t j = row.column[c];
      catch_up(s, j, t);
      s->Mp[j] -= p * row.value[c];
      diagonal += j == i ? row.value[c] : 0;
    }
    catch_up(s, i, t);
  }
  s->slope -= p * s->g[i];
  s->curved -= p * (2 * before - p * diagonal);
  s->p[i] = 0;
}

/* g at t, and from it what the path has in store. */
static void settle(box_descent *s, double t) {
  for (int32_t j = 0; j < s->n && t > 0; j++) catch_up(s, j, t);
  s->slope = perp_dense_dot(s->n, s->g, s->p);
  s->curved = perp_dense_dot(s->n, s->p, s->Mp);
}

/* Whether p, along which no bound stands, proves that there is no solution; then it is handed out.
 * Uses scratch. */
static int proved_infeasible(box_descent *s) {
  memcpy(s->ray, s->p, (size_t)s->n * sizeof *s->ray);
  return perp_direction_proves(s->run, s->ray, s->scratch);
}

/* --- the method ------------------------------------------------------------------------------ */

/* From λ along the path of p to its first minimum, *end. Unknowns that meet their bounds are moved
 * there, the others wait. GO_ON, or PERP_RAY if f falls for ever along what is left of p. */
static perp_status follow(box_descent *s, double next, double *end) {
  double t = 0;
  uint32_t met = 0;
  for (;;) {
    double least = s->curved > 0 ? t - s->slope / s->curved : INFINITY;
    if (least > next) least = next;
    if (least > DBL_MAX && met > 0) { /* rounding may have made that up */
      settle(s, t);
      least = s->curved > 0 ? t - s->slope / s->curved : INFINITY;
    }
    if (!(s->slope < 0)) least = t;
    *end = least;
    if (least > DBL_MAX) return *end = t, PERP_RAY;
    if (least < next || !(s->slope < 0)) return GO_ON;
    if (met == 0) line_up(s);
    const int32_t i = s->heap[0];
    s->heap[0] = s->heap[--s->waiting];
    if (s->waiting > 0) sink(s, 0);
    s->slope += (next - t) * s->curved;
    t = next;
    stop_at_bound(s, i, t);
    met++;
    if ((met & (met - 1)) == 0) settle(s, t);
    next = s->waiting > 0 ? s->meets[s->heap[0]] : INFINITY;
  }
}

/* λ := where the path was left. */
static void arrive(box_descent *s, double t) {
  double *restrict x = s->lambda, *restrict g = s->g;
  const double *restrict p = s->p, *restrict Mp = s->Mp, *restrict since = s->since;
  const double *restrict l = s->lower, *restrict u = s->upper;
  for (int32_t i = 0; i < s->n; i++) g[i] += (t - since[i]) * Mp[i];
  for (int32_t i = 0; i < s->n; i++) {
    const double to = x[i] + t * p[i], below = l[i], above = u[i];
    x[i] = clip(to, below, above);
  }
}

/* Whether λ + t p is in the box. */
static int stays(const box_descent *s, double t) {
  const double *restrict x = s->lambda, *restrict p = s->p;
  const double *restrict l = s->lower, *restrict u = s->upper;
  double below = 0, above = 0; /* how many are not */
  for (int32_t i = 0; i < s->n; i++) {
    const double to = x[i] + t * p[i];
    below += to < l[i] ? 1 : 0;
    above += to > u[i] ? 1 : 0;
  }
  return below + above == 0;
}

perp_status perp_box_descent_step(box_descent *s, double gamma) {
  perp_status status = GO_ON;
  choose_direction(s, gamma);
  multiply(s);
  settle(s, 0);
  if (s->conjugate && !(s->slope < 0)) return s->conjugate = 0, GO_ON; /* anew, by φ alone */
  if (!(s->slope < 0 && fabs(s->curved) <= DBL_MAX)) return PERP_INACCURATE;
  double end = -s->slope / s->curved;
  const int flat = s->curved <= -FLAT * s->slope;
  if (flat && s->run == NULL) return PERP_RAY;
  if (flat && look_ahead(s) > DBL_MAX && proved_infeasible(s)) return PERP_INFEASIBLE;
  memset(s->since, 0, (size_t)s->n * sizeof *s->since);
  if (flat || !stays(s, end)) status = follow(s, look_ahead(s), &end);
  arrive(s, end);
  s->conjugate = s->slope < 0 && s->curved > 0; /* not if it ended in a bend */
  if (status == GO_ON || s->run == NULL) return status;
  if (proved_infeasible(s)) return PERP_INFEASIBLE;
  info_ray(s->run->info, PERP_RAY_SECONDARY, s->n, s->p);
  return PERP_RAY;
}

/* Where f falls for ever, −w (φ + β) turns to the direction in which it does. */
static int has_no_solution(box_descent *s) {
  scale_gradient(s, s->p, s->since);
  for (int32_t i = 0; i < s->n; i++) s->p[i] = -s->p[i];
  return proved_infeasible(s);
}

/* GO_ON with the residual of the present λ, or how this ends. */
static perp_status judge(box_descent *s) {
  measure(s);
  if (!(s->merit <= DBL_MAX)) return PERP_INACCURATE;
  if (s->merit <= s->run->factor * s->run->tol * s->size) {
    if (confirmed(s)) return PERP_OK;
    if (s->refused > REFUSALS) return PERP_INACCURATE;
    measure(s);
  }
  if (s->alarm == 0) s->alarm = ALARM * s->size;
  if (s->size <= s->alarm) return GO_ON;
  s->alarm = ALARM * s->size;
  return has_no_solution(s) ? PERP_INFEASIBLE : GO_ON;
}

/* The observer gets the residual before the step, and stops before the one behind it is judged. */
static perp_status iterate(box_descent *s) {
  const perp_cpg_options *o = s->run->options;
  const double before = s->merit;
  perp_status status = perp_box_descent_step(s, o->proportion);
  if (status != GO_ON) return status;
  const perp_status limit = perp_session_step(s->run, -1, -1, before);
  if (limit == PERP_STOPPED) return limit;
  status = judge(s);
  return status == GO_ON ? limit : status;
}

/* w, and where M_ii is 0 (so is the row of a semidefinite M) the bound that q_i asks for. */
static void begin(box_descent *s) {
  double largest = 0;
  perp_matrix_diagonal(s->M, s->weight);
  for (int32_t i = 0; i < s->n; i++)
    if (s->weight[i] > largest) largest = s->weight[i];
  const double otherwise = largest >= LEAST_DIAGONAL && largest <= DBL_MAX ? 1 / largest : 1;
  for (int32_t i = 0; i < s->n; i++) {
    const double d = s->weight[i], q = s->q[i], end = q > 0 ? s->lower[i] : s->upper[i];
    if (d == 0 && q != 0 && fabs(end) <= DBL_MAX) s->lambda[i] = end;
    s->weight[i] = d >= LEAST_DIAGONAL && d <= DBL_MAX ? 1 / d : otherwise;
  }
  memcpy(s->g, s->q, (size_t)s->n * sizeof *s->g);
  memcpy(s->p, s->lambda, (size_t)s->n * sizeof *s->p);
  multiply(s);
  perp_dense_axpy(s->n, 1, s->Mp, s->g);
}

static void open_problem(box_descent *s, session *run) {
  s->run = run;
  s->n = run->n;
  s->M = &run->problem->M;
  s->q = run->problem->q;
  s->lower = run->lower;
  s->upper = run->upper;
  s->lambda = run->lambda;
  s->g = run->y;
  s->scratch = s->meets = run->scratch;
  s->since = s->scratch + s->n;
  s->rows.value = s->scratch + 2 * s->n;
  perp_row_reader_prepare(&s->rows, s->M);
}

/* The whole method: a step that ends it is no iteration. */
static perp_status start(void *state, session *run) {
  box_descent *s = state;
  open_problem(s, run);
  if (run->common->max_iter == 0) run->max_iter = s->n < 100000000 ? 1000 + 20 * s->n : INT32_MAX;
  run->price = 2 * perp_matrix_work(s->M) + 20.0 * s->n; /* the path may bend at every unknown */
  begin(s);
  measure(s);
  if (!(s->merit <= DBL_MAX)) { /* the start is no use */
    for (int32_t i = 0; i < s->n; i++) s->lambda[i] = clip(0, s->lower[i], s->upper[i]);
    begin(s);
  }
  perp_status status = judge(s);
  while (status == GO_ON) status = iterate(s);
  return status;
}

static perp_status finish(void *state, session *run, perp_status status) {
  box_descent *s = state;
  (void)run;
  if (status == PERP_OK || status == PERP_INFEASIBLE || status == PERP_STOPPED) return status;
  if (!(s->merit <= DBL_MAX)) return status;
  if (status == PERP_INACCURATE && confirmed(s)) return PERP_OK;
  return has_no_solution(s) ? PERP_INFEASIBLE : status;
}

const perp_solver *perp_solver_cpg(void) {
  static const perp_method method = {.state = METHOD_STATE(box_descent),
                                     .ranges = ranges,
                                     .needs = NEEDS_BOUNDS | NEEDS_JUDGE,
                                     .carve = carve,
                                     .start = start,
                                     .finish = finish};
  static const perp_solver solver = {.struct_size = sizeof(perp_solver),
                                     .sets = INTERVAL_SETS,
                                     .matrices = ALL_MATRICES,
                                     .assumes = PERP_ASSUMES_SYMMETRIC | PERP_ASSUMES_SEMIDEFINITE,
                                     .name = "cpg",
                                     .defaults = &defaults,
                                     .method = &method};
  return &solver;
}
