/* SPDX-License-Identifier: MIT */
/* Friction in the plane as a linear complementarity problem [Klarbring 1986]. At a contact with
 * r_t = σ − μ r_n and u_t = u_t⁺ − s,
 *
 *   0 ≤ r_n ⟂ u_n ≥ 0,   0 ≤ σ ⟂ u_t + s ≥ 0,   0 ≤ s ⟂ 2 μ r_n − σ ≥ 0,
 *
 * three unknowns a contact, none of which is degenerate while it sticks. Their matrix need not be
 * copositive, so where Lemke's method ends on a ray it begins again with [Stewart, Trinkle 1996]
 *
 *   r_t = β − γ:   0 ≤ β ⟂ u_t + s ≥ 0,   0 ≤ γ ⟂ s − u_t ≥ 0,   0 ≤ s ⟂ μ r_n − β − γ ≥ 0,
 *
 * which has  zᵀ N z = rᵀ M r + μ s r_n >= 0. Forces are measured in units that make M of size one,
 * velocities in units of q. Beside equality or boxes the pivotal method for boxes takes the place
 * of Lemke's.
 *
 * The end is exact: the contacts' modes are read from the point, and the linear equations that they
 * stand for are solved from the caller's M and q, with one step of refinement. */
#include "perp/pivoting.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/finite.h"
#include "base/info.h"
#include "linalg/dense.h"
#include "linalg/envelope.h"
#include "problem/bounds.h"
#include "problem/contacts.h"
#include "problem/residual.h"
#include "solver/options.h"
#include "solver/run.h"

/* Unknowns a contact with friction has in each form; the most that the solver takes. */
enum { SHORT = 3, LONG = 4, MOST = 2000 };

/* ---- options ---- */

/* ---- memory ---- */

typedef struct session {
  const perp_problem *problem;
  perp_solver_options options;
  const perp_solver *method; /* of the complementarity problem                        */
  contact *contacts;
  int32_t count;
  row_reader rows;
  int32_t *owner;      /* n: the contact of each unknown                                   */
  int32_t *base;       /* contacts: its first unknown z                                    */
  int32_t per;         /* unknowns of a contact with friction, SHORT or LONG               */
  int32_t N;           /* unknowns z in this form                                          */
  double force, speed; /* λ = z speed / force, y = w speed; powers of two             */
  double *A, *a, *z, *w, *lower, *upper; /* the complementarity problem; bounds only beside boxes */
  double *bounds;                        /* 2 n: of the given problem                             */
  double *lambda, *y;                    /* the caller's                                          */
  double *best;                          /* n                                                     */
  double best_merit;
  int32_t *member, *slides; /* n: unknowns of the finish; contacts: -1, 0, 1 (r_t = ∓ μ r_n)      */
  int32_t *pivots;          /* n                                                                  */
  double *scratch;          /* of the residual                                                    */
  void *tail;               /* of the method                                                      */
  size_t tail_bytes;
  int32_t iterations;
} session;

static const uint32_t boxes = 1u << PERP_SET_FREE | 1u << PERP_SET_BOX;

static const perp_solver *method_for(uint32_t sets) {
  return (sets & boxes) != 0 ? perp_solver_box_pivoting() : perp_solver_lemke();
}

/* A contact has two unknowns, so LONG / 2 for each of them is enough. */
static int32_t most_unknowns(int32_t n, uint32_t sets) {
  return (sets >> PERP_SET_CONE & 1u) != 0 ? LONG / 2 * n : n;
}

static void carve(session *s, arena *a, int32_t unknowns, uint32_t sets, int32_t kind) {
  const int32_t most = most_unknowns(unknowns, sets);
  const size_t n = (size_t)unknowns, N = (size_t)most, d = sizeof(double), i = sizeof(int32_t);
  const size_t box = (sets & boxes) != 0 ? N : 0, cut = kind == PERP_BLOCKS ? n : 0;
  perp_shape inner = {most, 1, 1u << PERP_SET_ORTHANT, PERP_DENSE, N * N, N * (N + 1) / 2, 0, 0,
                      most, 1};
  s->method = method_for(sets);
  if (box > 0) inner.sets = 1u << PERP_SET_BOX;
  s->contacts = arena_take(a, n, sizeof(contact));
  s->owner = arena_take(a, n, i);
  s->base = arena_take(a, n, i);
  s->rows.column = arena_take(a, n, i);
  s->rows.value = arena_take(a, n, d);
  s->rows.block = arena_take(a, cut, i);
  s->rows.at = arena_take(a, cut, sizeof(size_t));
  s->A = arena_take(a, N * N, d);
  s->a = arena_take(a, N, d);
  s->z = arena_take(a, N, d);
  s->w = arena_take(a, N, d);
  s->lower = arena_take(a, box, d);
  s->upper = arena_take(a, box, d);
  s->bounds = arena_take(a, 2 * n, d);
  s->best = arena_take(a, n, d);
  s->member = arena_take(a, n, i);
  s->slides = arena_take(a, n, i);
  s->pivots = arena_take(a, n, i);
  s->scratch = arena_take(a, residual_scratch_doubles(unknowns), d);
  s->tail_bytes = perp_solver_shape_workspace(s->method, &inner, NULL);
  if (s->tail_bytes == 0) a->failed = 1;
  s->tail = arena_take(a, s->tail_bytes, 1);
}

static size_t workspace(const perp_shape *shape, const void *options) {
  (void)options;
  session s;
  if (shape->n < 0 || shape->n > MOST) return 0;
  if ((shape->sets >> PERP_SET_CONE & 1u) != 0 && shape->largest > 2) return 0;
  arena a = arena_measure();
  carve(&s, &a, shape->n, shape->sets, shape->matrix);
  return arena_bytes(&a);
}

/* ---- the complementarity problem ---- */

static int slips(const contact *c) { return c->set == PERP_SET_CONE && c->mu > 0; }

/* Unknowns z of a contact: of one without friction the normal force alone. */
static int32_t width(const session *s, const contact *c) { return slips(c) ? s->per : 1; }

static void number(session *s) {
  s->N = 0;
  for (int32_t k = 0; k < s->count; k++) {
    s->base[k] = s->N;
    s->N += width(s, &s->contacts[k]);
  }
}

/* Powers of two near the largest entry of the diagonal of M, or of M, and of q. */
static void measure(session *s) {
  double diagonal = 0, entry = 0, speed = 0;
  for (int32_t i = 0; i < s->problem->n; i++) {
    const matrix_row row = row_read(&s->rows, i);
    for (int32_t c = 0; c < row.count; c++) {
      const double v = fabs(row.value[c]);
      if (v > entry) entry = v;
      if (row.column[c] == i && v > diagonal) diagonal = v;
    }
    if (fabs(s->problem->q[i]) > speed) speed = fabs(s->problem->q[i]);
  }
  s->force = power_of_two(diagonal > 0 ? diagonal : entry);
  s->speed = power_of_two(speed);
}

/* Add w M_ij, j being an unknown of contact k, to row z of A. */
static void add_entry(session *s, int32_t z, int32_t k, int32_t j, double value) {
  const size_t N = (size_t)s->N;
  const contact *c = &s->contacts[k];
  double *a = s->A + (size_t)z + N * (size_t)s->base[k];
  if (j == c->begin) {
    a[0] += value;
  } else if (slips(c) && s->per == SHORT) {
    a[N] += value;
    a[0] -= c->mu * value;
  } else if (slips(c)) {
    a[N] += value;
    a[2 * N] -= value;
  }
}

/* Row i of M and q as row z of A and a, times sign. */
static void add_row(session *s, int32_t i, int32_t z, double sign) {
  const matrix_row row = row_read(&s->rows, i);
  for (int32_t c = 0; c < row.count; c++)
    add_entry(s, z, s->owner[row.column[c]], row.column[c], sign * row.value[c] / s->force);
  s->a[z] = sign * s->problem->q[i] / s->speed;
}

/* The rows of a contact with friction behind that of u_n. */
static void add_friction(session *s, const contact *c, int32_t base) {
  const size_t N = (size_t)s->N, last = (size_t)(base + s->per - 1);
  const double size = power_of_two(c->mu > 1 ? c->mu : 1);
  double *A = s->A + (size_t)base * N; /* column of r_n */
  double *slip = s->A + last * N;      /* column of s   */
  add_row(s, c->begin + 1, base + 1, 1);
  slip[base + 1] += 1;
  s->a[last] = 0;
  if (s->per == SHORT) {
    A[last] = 2 * (c->mu / size);
    A[last + N] = -1 / size;
    return;
  }
  add_row(s, c->begin + 1, base + 2, -1);
  slip[base + 2] += 1;
  A[last] = c->mu / size;
  A[last + N] = A[last + 2 * N] = -1 / size;
}

/* Bounds of λ in units of z. */
static void set_bounds(session *s, int32_t k) {
  const contact *c = &s->contacts[k];
  const double unit = s->force / s->speed;
  for (int32_t z = s->base[k]; z < s->base[k] + width(s, c); z++) {
    s->lower[z] = 0;
    s->upper[z] = INFINITY;
  }
  if (c->set > PERP_SET_BOX) return;
  s->lower[s->base[k]] = s->bounds[c->begin] * unit;
  s->upper[s->base[k]] = s->bounds[s->problem->n + c->begin] * unit;
}

static void build(session *s, int32_t per) {
  s->per = per;
  number(s);
  memset(s->A, 0, (size_t)s->N * (size_t)s->N * sizeof *s->A);
  for (int32_t k = 0; k < s->count; k++) {
    const contact *c = &s->contacts[k];
    add_row(s, c->begin, s->base[k], 1);
    if (slips(c)) add_friction(s, c, s->base[k]);
    if (s->method != perp_solver_lemke()) set_bounds(s, k);
  }
}

/* λ of z. */
static void read_point(session *s, double *lambda) {
  const double unit = s->speed / s->force;
  for (int32_t k = 0; k < s->count; k++) {
    const contact *c = &s->contacts[k];
    const double *z = s->z + s->base[k];
    lambda[c->begin] = z[0] * unit;
    if (c->size < 2) continue;
    const double t = !slips(c) ? 0 : s->per == SHORT ? z[1] - c->mu * z[0] : z[1] - z[2];
    lambda[c->begin + 1] = t * unit;
  }
}

/* ---- the exact end ---- */

/* Which unknowns the equations of the present modes have: the normal force of a contact that acts
 * (slides: r_t = ∓ μ r_n), its tangential force where it sticks, and λ between its bounds. The
 * others keep their value. Modes are read from what is 0 in (z, w). */
static int32_t read_modes(session *s) {
  int32_t count = 0;
  for (int32_t k = 0; k < s->count; k++) {
    const contact *c = &s->contacts[k];
    const int32_t b = s->base[k], last = b + s->per - 1;
    s->slides[k] = 0;
    if (c->set <= PERP_SET_BOX) {
      const double l = s->bounds[c->begin], u = s->bounds[s->problem->n + c->begin];
      if (s->lambda[c->begin] > l && s->lambda[c->begin] < u) s->member[count++] = c->begin;
      continue;
    }
    if (!(s->z[b] > s->w[b])) {
      s->lambda[c->begin] = s->lambda[c->begin + 1] = 0;
      continue;
    }
    s->member[count++] = c->begin;
    if (!slips(c)) continue;
    const int forward = s->per == SHORT ? s->w[b + 1] > s->z[b + 1]
                                        : s->z[last] > s->w[last] && s->w[b + 1] > s->z[b + 1];
    const int backward = s->per == SHORT ? s->z[last] > s->w[last]
                                         : s->z[last] > s->w[last] && s->w[b + 2] > s->z[b + 2];
    if (forward || backward)
      s->slides[k] = forward ? -1 : 1;
    else
      s->member[count++] = c->begin + 1;
  }
  return count;
}

/* Column j of the equations in unknown i: M_ij, and with the tangential part that follows r_n. */
static double follow(const session *s, int32_t j) {
  const int32_t k = s->owner[j];
  return s->slides[k] != 0 && j == s->contacts[k].begin ? s->slides[k] * s->contacts[k].mu : 0;
}

/* place[j]: where λ_j, or the normal force that it follows, stands among the members; -1. */
static void equations(session *s, int32_t count, int32_t *place, double *E) {
  const size_t m = (size_t)count;
  for (int32_t i = 0; i < s->problem->n; i++) place[i] = -1;
  for (int32_t e = 0; e < count; e++) place[s->member[e]] = e;
  memset(E, 0, m * m * sizeof *E);
  for (int32_t e = 0; e < count; e++) {
    const matrix_row row = row_read(&s->rows, s->member[e]);
    for (int32_t c = 0; c < row.count; c++) {
      const int32_t j = row.column[c], first = s->contacts[s->owner[j]].begin;
      if (place[j] >= 0)
        E[(size_t)e + m * (size_t)place[j]] += row.value[c];
      else if (j != first && place[first] >= 0)
        E[(size_t)e + m * (size_t)place[first]] += follow(s, first) * row.value[c];
    }
  }
}

static void apply_slip(session *s) {
  for (int32_t k = 0; k < s->count; k++) {
    const int32_t b = s->contacts[k].begin;
    if (s->slides[k] != 0) s->lambda[b + 1] = follow(s, b) * s->lambda[b];
  }
}

/* λ := the solution of the equations, refined once; as it was where they are singular. x: count. */
static void finish(session *s) {
  const int32_t count = read_modes(s);
  double *E = s->A, *x = s->w;
  apply_slip(s);
  equations(s, count, s->base, E); /* the numbering of z is not needed any more */
  if (count == 0 || perp_dense_lu_factor(count, E, count, s->pivots) != PERP_OK) return;
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t e = 0; e < count; e++) {
      const int32_t i = s->member[e];
      x[e] = -(s->problem->q[i] + row_dot(&s->rows, i, s->lambda));
    }
    perp_dense_lu_solve(count, 1, E, count, s->pivots, x, count);
    for (int32_t e = 0; e < count; e++) s->lambda[s->member[e]] += x[e];
    apply_slip(s);
  }
}

/* Keep λ if it is better than the best one; whether it solves the problem. */
static int keep_better(session *s) {
  perp_residual r;
  perp_residual_compute(s->problem, s->lambda, s->y, &r, s->scratch);
  if (r.relative < s->best_merit) {
    s->best_merit = r.relative;
    memcpy(s->best, s->lambda, (size_t)s->problem->n * sizeof *s->best);
  }
  return perp_residual_solved(&r, s->options.tol);
}

/* ---- the solver ---- */

/* The observer of the caller, to whom both forms are one sequence of pivots. */
typedef struct watcher {
  const session *s;
  int32_t before;
} watcher;

static int32_t watch(const perp_iterate *it, void *user) {
  const watcher *v = user;
  const perp_iterate seen = {v->before + it->iteration, -1, -1, it->merit};
  return v->s->options.observe(&seen, v->s->options.user);
}

/* Solve the complementarity problem in the form that is built. */
static perp_status pivot(session *s, perp_info *info) {
  perp_complementarity orthant;
  perp_box box;
  (void)perp_complementarity_init(&orthant, sizeof orthant);
  (void)perp_box_init(&box, sizeof box);
  box.law.size = s->N;
  box.lower = s->lower;
  box.upper = s->upper;
  const int boxed = s->method != perp_solver_lemke();
  const perp_law *const law = boxed ? &box.law : &orthant.law;
  const int32_t offset[2] = {0, s->N};
  const perp_problem inner = perp_problem_of(perp_dense(s->N, s->N, s->A), s->a, 1, &law, offset);
  watcher v = {s, s->iterations};
  const int32_t left = s->options.max_iter > 0 ? s->options.max_iter - s->iterations : 0;
  const perp_solver_options o = {.struct_size = (uint32_t)sizeof o,
                                 .max_iter = left,
                                 .tol = s->options.tol,
                                 .observe = s->options.observe == NULL ? NULL : watch,
                                 .user = &v,
                                 .budget = s->options.budget};
  perp_info own = PERP_INFO_INIT;
  memset(s->z, 0, (size_t)s->N * sizeof *s->z);
  const perp_status status =
      perp_solver_run(s->method, &inner, &o, s->z, s->w, NULL, s->tail, s->tail_bytes, NULL, &own);
  s->iterations += own.iterations;
  if (info_ready(info)) info->iterations = s->iterations;
  if (status == PERP_INFEASIBLE) return PERP_RAY; /* its proof is not one for these laws */
  /* a huge μ may overflow; what is not finite in the caller's data shows in the residual */
  return status == PERP_ENOTFINITE ? PERP_INACCURATE : status;
}

/* One form: its point, then the exact one. */
static perp_status attempt(session *s, int32_t per, perp_info *info) {
  build(s, per);
  const perp_status status = pivot(s, info);
  if (status < 0) return status;
  read_point(s, s->lambda);
  if (status != PERP_OK && status != PERP_INACCURATE) {
    (void)keep_better(s);
    return status;
  }
  const int solved = keep_better(s);
  finish(s);
  return keep_better(s) || solved ? PERP_OK : PERP_INACCURATE;
}

static int has_friction(const session *s) {
  for (int32_t k = 0; k < s->count; k++)
    if (slips(&s->contacts[k])) return 1;
  return 0;
}

static perp_status open_session(session *s, const perp_problem *p, double *lambda, double *y,
                                void *work, size_t work_bytes) {
  arena a = arena_open(work, work_bytes);
  memset(s, 0, sizeof *s);
  carve(s, &a, p->n, perp_problem_sets(p), p->M.kind);
  if (!arena_fits(&a)) return PERP_EWORKSPACE;
  int32_t largest;
  s->problem = p;
  s->lambda = lambda;
  s->y = y;
  s->best_merit = INFINITY;
  s->rows.M = &p->M;
  perp_row_reader_prepare(&s->rows);
  s->count = perp_problem_contact_count(p, &largest);
  perp_problem_contacts(p, s->contacts);
  for (int32_t k = 0; k < s->count; k++)
    for (int32_t i = 0; i < s->contacts[k].size; i++) s->owner[s->contacts[k].begin + i] = k;
  perp_problem_bounds(p, s->bounds, s->bounds + p->n);
  memset(s->best, 0, (size_t)p->n * sizeof *s->best);
  return PERP_OK;
}

static perp_status solve(const perp_problem *problem, const void *options, double *lambda,
                         double *y, perp_warm *warm, void *work, size_t work_bytes,
                         perp_info *info) {
  session s;
  const perp_solver_options o = *(const perp_solver_options *)options;
  (void)warm;
  perp_status status = open_session(&s, problem, lambda, y, work, work_bytes);
  if (status != PERP_OK) return status;
  s.options = o;
  measure(&s);
  status = attempt(&s, SHORT, info);
  const int again = status == PERP_RAY || status == PERP_INACCURATE ||
                    (status == PERP_MAX_ITER && o.max_iter == 0);
  const int some = o.max_iter == 0 || s.iterations < o.max_iter;
  if (again && some && has_friction(&s)) status = attempt(&s, LONG, info);
  if (status >= 0) memcpy(lambda, s.best, (size_t)problem->n * sizeof *lambda);
  return status;
}

const perp_solver *perp_solver_friction_lemke(void) {
  static const perp_solver friction_lemke = {
      .struct_size = sizeof(perp_solver),
      .sets =
          1u << PERP_SET_FREE | 1u << PERP_SET_ORTHANT | 1u << PERP_SET_BOX | 1u << PERP_SET_CONE,
      .matrices = 1u << PERP_ZERO | 1u << PERP_DIAGONAL | 1u << PERP_DENSE | 1u << PERP_BLOCKS,
      .assumes = PERP_ASSUMES_SEMIDEFINITE,
      .name = "friction-lemke",
      .workspace = workspace,
      .solve = solve,
      .max_n = MOST};
  return &friction_lemke;
}
