/* SPDX-License-Identifier: MIT */
/* Affine variational inequalities over polyhedra through their multipliers: -y in N_P(lambda) for
 * P = {H lambda >= K} is  y = H'mu,  0 <= H lambda - K  _|_  mu >= 0,  without a condition on H. So
 *
 *     -(M lambda + q - H'mu) in N(lambda),    0 <= H lambda - K  _|_  mu >= 0
 *
 * is a problem in box form, lambda free where a polyhedron is, as the law says elsewhere. Two
 * opposite rows with opposite K, an equation, share one mu without sign: as two unknowns they would
 * make the matrix singular wherever they are active. */
#include "perp/vi.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "linalg/matrix.h"
#include "problem/bounds.h"
#include "solver/box_form.h"
#include "solver/interval.h"
#include "solver/lemke.h"
#include "solver/shell.h"
#include "solver/verified.h"

static const perp_avi_pivoting_options defaults = {
    .struct_size = (uint32_t)sizeof(perp_avi_pivoting_options),
    .tol = PERP_DEFAULT_TOL,
    .kind = "perp_avi_pivoting_options"};

void perp_avi_pivoting_options_init(perp_avi_pivoting_options *opts, size_t size) {
  perp_options_fill(opts, size, &defaults, sizeof defaults);
}

static const perp_solver *engine_of(const perp_avi_pivoting_options *o) {
  return o->engine == NULL ? perp_solver_box_pivoting() : o->engine;
}

static perp_status check(const void *options, perp_info *info) {
  const perp_solver *engine = engine_of(options);
  if (perp_solver_check(engine, NULL, NULL) != PERP_OK) return fail_field(info, "engine", -1);
  if ((engine->sets >> PERP_SET_BOX & 1u) == 0 || (engine->matrices >> PERP_DENSE & 1u) == 0 ||
      (engine->assumes & PERP_ASSUMES_SYMMETRIC) != 0)
    return fail(info, PERP_EUNSUPPORTED, "engine", -1, engine->sets);
  return PERP_OK;
}

static perp_solver_options engine_options(const perp_avi_pivoting_options *o) {
  perp_solver_options e = {(uint32_t)sizeof e, o->max_iter, o->tol, o->observe, o->user, o->budget};
  return e;
}

/* What y is multiplied by at a time where it is small beside the bounds. */
#define FAR 0x1p20

/* ---- memory ---- */

typedef struct lift {
  int32_t n, rows; /* of the problem; of all H, copy by copy              */
  int32_t size;    /* unknowns in box form: n + rows without twins        */
  box_form form;
  double unit;           /* of y and mu, a power of two: their rows are divided by it */
  double *center;        /* n: what lambda is counted from                      */
  double *ray;           /* n + rows                                            */
  int32_t *place, *twin; /* of each row: its unknown; the row that it negates, or -1 */
} lift;

static void carve(void *state, arena *a, const perp_shape *shape, const void *options) {
  lift *s = state;
  const size_t d = sizeof(double), rows = shape->constraints, all = (size_t)shape->n + rows;
  const size_t most = (size_t)(INT32_MAX / 2);
  if (rows > most || all > most || (all > 0 && all > SIZE_MAX / all)) {
    a->failed = 1;
    return;
  }
  s->n = shape->n;
  s->rows = (int32_t)rows;
  const perp_solver_options e = engine_options(options);
  perp_box_form_carve(&s->form, a, all * all, all, all,
                      perp_box_form_bytes(engine_of(options), (int32_t)all, PERP_SET_BOX, &e));
  s->ray = arena_take(a, all, d);
  s->center = arena_take(a, (size_t)shape->n, d);
  s->place = arena_take(a, rows, sizeof(int32_t));
  s->twin = arena_take(a, rows, sizeof(int32_t));
}

/* ---- the box form ---- */

/* Whether row k is minus row i of the same H and K. */
static int opposite(const perp_polyhedron *p, int32_t i, int32_t k) {
  if (p->K[i] != -p->K[k]) return 0;
  for (int32_t j = 0; j < p->law.size; j++)
    if (perp_matrix_entry(&p->H, i, j) != -perp_matrix_entry(&p->H, k, j)) return 0;
  return 1;
}

/* Places for the rows of one copy, whose first row is number first. */
static void place_rows(lift *s, const perp_polyhedron *p, int32_t first, int32_t begin) {
  (void)begin;
  for (int32_t k = 0; k < p->H.rows; k++) {
    s->twin[first + k] = -1;
    for (int32_t i = 0; i < k && s->twin[first + k] < 0; i++)
      if (s->twin[first + i] < 0 && s->form.lower[s->place[first + i]] == 0 && opposite(p, i, k))
        s->twin[first + k] = first + i;
    const int32_t twin = s->twin[first + k];
    if (twin >= 0) {
      s->place[first + k] = s->place[twin];
      s->form.lower[s->place[twin]] = -(double)INFINITY;
      continue;
    }
    s->place[first + k] = s->size;
    s->form.lower[s->size] = 0;
    s->form.upper[s->size] = (double)INFINITY;
    s->form.q[s->size] = -p->K[k];
    s->size++;
  }
}

typedef void (*copy_visit)(lift *s, const perp_polyhedron *p, int32_t first, int32_t begin);

/* Every copy of every polyhedron: its first row, its first unknown. */
static void visit_copies(lift *s, const perp_problem *problem, copy_visit visit) {
  int32_t first = 0;
  for (int32_t b = 0, begin = 0, end; b < problem->n_blocks; b++, begin = end) {
    const perp_law *law = problem->laws[b];
    end = problem->offset == NULL ? begin + law->size : problem->offset[b + 1];
    if (law->ops->set != PERP_SET_POLYHEDRON) continue;
    for (int32_t i = begin; i < end; i += law->size) {
      visit(s, (const perp_polyhedron *)(const void *)law, first, i);
      first += law_constraints(law);
    }
  }
}

static void place_entries(lift *s, const perp_polyhedron *p, int32_t first, int32_t begin) {
  const size_t size = (size_t)s->size;
  for (int32_t k = 0; k < p->H.rows; k++) {
    const size_t v = (size_t)s->place[first + k];
    if (s->twin[first + k] >= 0) continue;
    for (int32_t j = 0; j < p->law.size; j++) {
      const double h = perp_matrix_entry(&p->H, k, j);
      const size_t i = (size_t)begin + (size_t)j;
      s->form.M[v + size * i] = h;
      s->form.M[i + size * v] = -h;
    }
  }
}

/* What y is measured in: forces that are tiny beside the bounds would be noise beside them. */
static double unit_of(const lift *s) {
  const double force = largest_size(s->n, s->form.q);
  const double bound = largest_size(s->size - s->n, s->form.q + s->n);
  double unit = 1;
  if (!(force > 0 && bound > 0 && force <= DBL_MAX && bound <= DBL_MAX)) return 1;
  while (unit * bound > force * FAR && unit > 0x1p-300) unit /= FAR;
  return unit;
}

static void divide_rows(const lift *s) {
  const size_t size = (size_t)s->size;
  for (size_t i = 0; i < (size_t)s->n; i++) {
    s->form.q[i] /= s->unit;
    for (size_t j = 0; j < (size_t)s->n; j++) s->form.M[i + size * j] /= s->unit;
  }
}

/* The unit, in those of now, in which M is of the size of H; 1 where one of them is 0. */
static double balance_of(const lift *s) {
  double M = 0, H = 0;
  for (size_t j = 0; j < (size_t)s->n; j++) {
    const double *column = s->form.M + (size_t)s->size * j;
    const double of_M = largest_size(s->n, column),
                 of_H = largest_size(s->size - s->n, column + s->n);
    if (of_M > M) M = of_M;
    if (of_H > H) H = of_H;
  }
  return M > 0 && H > 0 ? power_of_two(M) / power_of_two(H) : 1;
}

/* The box form, y in units of unit; 0: as it serves. */
static void put_problem(lift *s, const perp_problem *problem, const double *lambda, double unit) {
  s->size = s->n;
  perp_problem_bounds(problem, s->form.lower, s->form.upper);
  for (int32_t i = 0; i < s->n; i++) s->form.q[i] = problem->q[i];
  visit_copies(s, problem, place_rows);
  const size_t size = (size_t)s->size;
  for (size_t i = 0; i < size * size; i++) s->form.M[i] = 0;
  perp_matrix_add_to_dense(&problem->M, 1, s->form.M, s->size);
  visit_copies(s, problem, place_entries);
  s->unit = unit > 0 ? unit : unit_of(s);
  if (s->unit != 1) divide_rows(s);
  for (int32_t i = 0; i < s->size; i++)
    s->form.z[i] = i < s->n && is_finite(lambda[i]) ? lambda[i] : 0;
}

/* Whether 0 solves the box form. Without it a problem of q = 0 could be answered by a λ that is as
 * good, but has nothing to be measured by. */
static int zero_solves(const lift *s) {
  int32_t i = 0;
  while (i < s->size && s->form.lower[i] <= 0 && s->form.upper[i] >= 0 &&
         (s->form.q[i] == 0 || (s->form.q[i] > 0 ? s->form.lower[i] : s->form.upper[i]) == 0))
    i++;
  return i == s->size;
}

/* The problem in lambda - center. A bound or a row that is far away there beside its K is not met
 * again, and left out: it would make noise of a y that is small. */
static void recentre(lift *s, const perp_problem *problem) {
  const size_t size = (size_t)s->size;
  const double bound = largest_size(s->size - s->n, s->form.q + s->n);
  for (int32_t i = 0; i < s->n; i++) {
    const double z = s->form.z[i], l = s->form.lower[i] - z, u = s->form.upper[i] - z;
    s->center[i] = z;
    s->form.q[i] = problem->q[i];
    s->form.lower[i] = l < -bound / FAR ? -(double)INFINITY : l;
    s->form.upper[i] = u > bound / FAR ? (double)INFINITY : u;
  }
  for (size_t j = 0; j < (size_t)s->n; j++)
    for (size_t i = 0; i < size; i++) {
      if (i < (size_t)s->n) s->form.M[i + size * j] *= s->unit;
      s->form.q[i] += s->form.M[i + size * j] * s->center[j];
    }
  s->unit = 1;
  for (int32_t i = s->n; i < s->size; i++) {
    if (!(s->form.lower[i] == 0 && s->form.q[i] > bound / FAR)) continue;
    s->form.upper[i] = s->form.q[i] = 0;
  }
  for (int32_t i = 0; i < s->size; i++) s->form.z[i] = 0;
}

/* ---- solve ---- */

/* The engine's ray with an entry for every row again. */
static void hand_ray(const lift *s, const perp_info *own, perp_info *info) {
  if (own->ray_kind == PERP_RAY_NONE || !info_ready(info) || info->ray == NULL ||
      info->ray_size < s->n + s->rows)
    return;
  for (int32_t i = 0; i < s->n; i++) info->ray[i] = own->ray[i];
  for (int32_t k = 0; k < s->rows; k++) {
    const double v = own->ray[s->place[k]] * s->unit;
    const int shared = s->form.lower[s->place[k]] < 0;
    const double part = s->twin[k] >= 0 ? -v : v;
    info->ray[s->n + k] = shared && part < 0 ? 0 : part;
  }
  info->ray_kind = own->ray_kind;
}

static perp_status solve_box_form(lift *s, session *run, perp_info *info) {
  perp_solver_options e = engine_options(run->options);
  const box_form *f = &s->form;
  block_law law;
  perp_info own = PERP_INFO_INIT;
  own.ray = s->ray;
  own.ray_size = s->size;
  e.budget = perp_session_budget_left(run);
  const perp_matrix M = perp_dense(s->size, s->size, f->M);
  const perp_problem p = box_form_problem(&law, PERP_SET_BOX, M, f->q, f->lower, f->upper);
  const perp_status status =
      perp_solver_solve(engine_of(run->options), &p, &e, f->z, f->w, NULL, f->work, f->bytes, &own);
  run->iterations += own.iterations;
  run->work += own.iterations * ((double)s->size * s->size);
  hand_ray(s, &own, info);
  if (status == PERP_INFEASIBLE && info_ready(info)) info->bound = own.bound;
  if (status < 0 && status != PERP_ENOTFINITE) info_name(info, own.field, own.index, own.value);
  /* what the residual of the box form rejects may pass the projection, and is judged by that */
  return status == PERP_INACCURATE ? PERP_OK : status;
}

/* Where y is small beside the bounds a solution is exact to rounding of the bounds only. From there
 * it is found once more. */
static perp_status solve_twice(lift *s, session *run) {
  const int small = s->unit < 1;
  perp_status status = solve_box_form(s, run, run->info);
  if (status != PERP_OK || !small) return status;
  recentre(s, run->problem);
  const perp_status again = solve_box_form(s, run, NULL);
  if (again == PERP_STOPPED) status = again;
  for (int32_t i = 0; i < s->n; i++)
    s->form.z[i] = s->center[i] + (again == PERP_OK ? s->form.z[i] : 0);
  return status;
}

/* A proof holds for λ and mu together: where mu is huge in its unit beside a λ that is not, it is
 * none, and the problem is solved with M of the size of H. */
static perp_status solve_balanced(lift *s, session *run) {
  const perp_status status = solve_twice(s, run);
  const double unit = s->unit * balance_of(s);
  if (status != PERP_INFEASIBLE || unit == s->unit || !(unit > 0x1p-300 && unit < 0x1p300))
    return status;
  if (info_ready(run->info)) {
    run->info->ray_kind = PERP_RAY_NONE;
    run->info->bound = 0;
  }
  put_problem(s, run->problem, run->lambda, unit);
  return solve_box_form(s, run, run->info);
}

static perp_status start(void *state, session *run) {
  lift *s = state;
  perp_status status = PERP_OK;
  put_problem(s, run->problem, run->lambda, 0);
  if (zero_solves(s))
    for (int32_t i = 0; i < s->n; i++) s->form.z[i] = 0;
  else
    status = solve_balanced(s, run);
  for (int32_t i = 0; i < s->n; i++) run->lambda[i] = s->form.z[i];
  return status == PERP_ENOTFINITE ? PERP_INACCURATE : status; /* the caller names the entry */
}

const perp_solver *perp_solver_avi_pivoting(void) {
  static const perp_method method = {
      .state = METHOD_STATE(lift), .needs = NEEDS_SHAPE, .carve = carve, .start = start};
  static const perp_solver solver = {.struct_size = sizeof(perp_solver),
                                     .sets = INTERVAL_SETS | 1u << PERP_SET_POLYHEDRON,
                                     .matrices = ALL_MATRICES,
                                     .assumes = PERP_ASSUMES_SEMIDEFINITE,
                                     .name = "avi-pivoting",
                                     .defaults = &defaults,
                                     .check = check,
                                     .method = &method};
  return &solver;
}

/* ---- plain arrays: problems of one law ---- */

/* The law of the view; m = 0 leaves H empty. */
static void set_law(perp_polyhedron *law, const perp_avi *p) {
  perp_polyhedron_init(law, sizeof *law);
  law->law.size = p->n;
  law->K = p->K;
  if (p->m == 0) return;
  law->H = perp_dense(p->m, p->n, p->H);
  law->H.ld = p->ldH;
}

size_t perp_avi_pivoting_workspace(int32_t n, int32_t m, const perp_avi_pivoting_options *opts) {
  const size_t size = n > 0 ? (size_t)n : 0;
  perp_polyhedron law;
  if (n < 0 || m < 0 || m > INT32_MAX / 4 || n > INT32_MAX / 4) return 0;
  if (size > 0 && size > SIZE_MAX / size) return 0;
  const perp_avi view = {n, n, NULL, NULL, m, m, NULL, NULL};
  perp_shape shape = dense_shape(n, PERP_SET_POLYHEDRON);
  if (n > 0) {
    set_law(&law, &view);
    shape.constraints = (size_t)m;
    shape.projection = law_projection_doubles(&law.law);
  }
  return perp_solver_shape_workspace(perp_solver_avi_pivoting(), &shape, opts);
}

perp_status perp_avi_pivoting(const perp_avi *problem, const perp_avi_pivoting_options *opts,
                              double *z, double *w, void *work, size_t work_bytes,
                              perp_info *info) {
  info_clear(info);
  if (problem == NULL) return fail_field(info, "problem", -1);
  const int32_t n = problem->n, m = problem->m;
  if (n < 0) return fail(info, PERP_EINVAL, "n", -1, n);
  if (m < 0 || m > INT32_MAX / 4) return fail(info, PERP_EINVAL, "m", -1, m);
  if (problem->ldM < n) return fail(info, PERP_EINVAL, "ldM", -1, problem->ldM);
  if (problem->ldH < m) return fail(info, PERP_EINVAL, "ldH", -1, problem->ldH);
  if (n > 0 && m > 0 && problem->H == NULL) return fail_field(info, "H", -1);
  if (m > 0 && problem->K == NULL) return fail_field(info, "K", -1);
  perp_status status = perp_lcp_arrays_check(n, problem->ldM, problem->M, problem->q, z, w, info);
  if (status != PERP_OK) return status;
  for (int32_t k = 0; n == 0 && k < m; k++) { /* 0 >= K_k */
    if (!is_finite(problem->K[k])) return fail(info, PERP_ENOTFINITE, "K", k, problem->K[k]);
    if (problem->K[k] > 0) return PERP_INFEASIBLE;
  }
  perp_polyhedron law;
  const perp_law *laws = &law.law;
  set_law(&law, problem);
  perp_problem p = perp_problem_of(perp_dense(n, n, problem->M), problem->q, n > 0, &laws, NULL);
  p.M.ld = problem->ldM;
  return perp_solver_solve(perp_solver_avi_pivoting(), &p, opts, z, w, NULL, work, work_bytes,
                           info);
}
