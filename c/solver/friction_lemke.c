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

#include "base/finite.h"
#include "base/info.h"
#include "linalg/dense.h"
#include "linalg/envelope.h"
#include "problem/contacts.h"
#include "problem/residual.h"
#include "solver/box_form.h"
#include "solver/shell.h"
#include "solver/verified.h"

/* Unknowns a contact with friction has in each form; the most that the solver takes. */
enum { SHORT = 3, LONG = 4, MOST = 2000 };

/* ---- memory ---- */

typedef struct planar {
  session *run;
  const perp_solver *method; /* of the complementarity problem                        */
  int32_t set;               /* PERP_SET_BOX beside boxes, PERP_SET_ORTHANT           */
  contact *contacts;
  int32_t count;
  row_reader rows;
  int32_t *owner;           /* n: the contact of each unknown                                   */
  int32_t *base;            /* contacts: its first unknown z                                    */
  int32_t per;              /* unknowns of a contact with friction, SHORT or LONG               */
  int32_t N;                /* unknowns z in this form                                          */
  double force, speed;      /* λ = z speed / force, y = w speed; powers of two             */
  box_form form;            /* the complementarity problem; bounds only beside boxes */
  int32_t *member, *slides; /* n: unknowns of the finish; contacts: -1, 0, 1 (r_t = ∓ μ r_n)      */
  int32_t *pivots;          /* n                                                                  */
} planar;

static const uint32_t boxes = 1u << PERP_SET_FREE | 1u << PERP_SET_BOX;

/* A contact has two unknowns, so LONG / 2 for each of them is enough. */
static void carve(void *state, arena *a, const perp_shape *shape, const void *options) {
  planar *s = state;
  const int cones = (shape->sets >> PERP_SET_CONE & 1u) != 0, boxed = (shape->sets & boxes) != 0;
  if (shape->n > MOST || (cones && shape->largest > 2)) {
    a->failed = 1;
    return;
  }
  const int32_t most = cones ? LONG / 2 * shape->n : shape->n;
  const size_t n = (size_t)shape->n, N = (size_t)most, i = sizeof(int32_t);
  (void)options;
  s->count = shape->contacts;
  s->method = boxed ? perp_solver_box_pivoting() : perp_solver_lemke();
  s->set = boxed ? PERP_SET_BOX : PERP_SET_ORTHANT;
  s->contacts = arena_take(a, n, sizeof(contact));
  s->owner = arena_take(a, n, i);
  s->base = arena_take(a, n, i);
  s->rows.value = arena_take(a, n, sizeof(double));
  row_reader_carve(&s->rows, a, n, shape->matrix == PERP_BLOCKS);
  s->member = arena_take(a, n, i);
  s->slides = arena_take(a, n, i);
  s->pivots = arena_take(a, n, i);
  perp_box_form_carve(&s->form, a, N * N, N, boxed ? N : 0,
                      perp_box_form_bytes(s->method, most, s->set, NULL));
}

/* ---- the complementarity problem ---- */

static int slips(const contact *c) { return c->set == PERP_SET_CONE && c->mu > 0; }

/* Unknowns z of a contact: of one without friction the normal force alone. */
static int32_t width(const planar *s, const contact *c) { return slips(c) ? s->per : 1; }

static void number(planar *s) {
  s->N = 0;
  for (int32_t k = 0; k < s->count; k++) {
    s->base[k] = s->N;
    s->N += width(s, &s->contacts[k]);
  }
}

/* Powers of two near the largest entry of the diagonal of M, or of M, and of q. */
static void measure(planar *s) {
  double diagonal = 0, entry = 0, speed = 0;
  for (int32_t i = 0; i < s->run->problem->n; i++) {
    const matrix_row row = row_read(&s->rows, i);
    for (int32_t c = 0; c < row.count; c++) {
      const double v = fabs(row.value[c]);
      if (v > entry) entry = v;
      if (row.column[c] == i && v > diagonal) diagonal = v;
    }
    if (fabs(s->run->problem->q[i]) > speed) speed = fabs(s->run->problem->q[i]);
  }
  s->force = power_of_two(diagonal > 0 ? diagonal : entry);
  s->speed = power_of_two(speed);
}

/* Add w M_ij, j being an unknown of contact k, to row z of A. */
static void add_entry(planar *s, int32_t z, int32_t k, int32_t j, double value) {
  const size_t N = (size_t)s->N;
  const contact *c = &s->contacts[k];
  double *a = s->form.M + (size_t)z + N * (size_t)s->base[k];
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
static void add_row(planar *s, int32_t i, int32_t z, double sign) {
  const matrix_row row = row_read(&s->rows, i);
  for (int32_t c = 0; c < row.count; c++)
    add_entry(s, z, s->owner[row.column[c]], row.column[c], sign * row.value[c] / s->force);
  s->form.q[z] = sign * s->run->problem->q[i] / s->speed;
}

/* The rows of a contact with friction behind that of u_n. */
static void add_friction(planar *s, const contact *c, int32_t base) {
  const size_t N = (size_t)s->N, last = (size_t)(base + s->per - 1);
  const double size = power_of_two(c->mu > 1 ? c->mu : 1);
  double *A = s->form.M + (size_t)base * N; /* column of r_n */
  double *slip = s->form.M + last * N;      /* column of s   */
  add_row(s, c->begin + 1, base + 1, 1);
  slip[base + 1] += 1;
  s->form.q[last] = 0;
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
static void set_bounds(planar *s, int32_t k) {
  const contact *c = &s->contacts[k];
  const double unit = s->force / s->speed;
  for (int32_t z = s->base[k]; z < s->base[k] + width(s, c); z++) {
    s->form.lower[z] = 0;
    s->form.upper[z] = INFINITY;
  }
  if (c->set > PERP_SET_BOX) return;
  s->form.lower[s->base[k]] = s->run->lower[c->begin] * unit;
  s->form.upper[s->base[k]] = s->run->upper[c->begin] * unit;
}

static void build(planar *s, int32_t per) {
  s->per = per;
  number(s);
  memset(s->form.M, 0, (size_t)s->N * (size_t)s->N * sizeof *s->form.M);
  for (int32_t k = 0; k < s->count; k++) {
    const contact *c = &s->contacts[k];
    add_row(s, c->begin, s->base[k], 1);
    if (slips(c)) add_friction(s, c, s->base[k]);
    if (s->set == PERP_SET_BOX) set_bounds(s, k);
  }
}

/* λ of z. */
static void read_point(planar *s, double *lambda) {
  const double unit = s->speed / s->force;
  for (int32_t k = 0; k < s->count; k++) {
    const contact *c = &s->contacts[k];
    const double *z = s->form.z + s->base[k];
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
static int32_t read_modes(planar *s) {
  const double *z = s->form.z, *w = s->form.w;
  int32_t count = 0;
  for (int32_t k = 0; k < s->count; k++) {
    const contact *c = &s->contacts[k];
    const int32_t b = s->base[k], last = b + s->per - 1;
    s->slides[k] = 0;
    if (c->set <= PERP_SET_BOX) {
      const double l = s->run->lower[c->begin], u = s->run->upper[c->begin];
      if (s->run->lambda[c->begin] > l && s->run->lambda[c->begin] < u)
        s->member[count++] = c->begin;
      continue;
    }
    if (!(z[b] > w[b])) {
      s->run->lambda[c->begin] = s->run->lambda[c->begin + 1] = 0;
      continue;
    }
    s->member[count++] = c->begin;
    if (!slips(c)) continue;
    const int moves = z[last] > w[last], is_short = s->per == SHORT;
    const int forward = (is_short || moves) && w[b + 1] > z[b + 1];
    const int backward = moves && (is_short || w[b + 2] > z[b + 2]);
    if (forward || backward)
      s->slides[k] = forward ? -1 : 1;
    else
      s->member[count++] = c->begin + 1;
  }
  return count;
}

/* Column j of the equations in unknown i: M_ij, and with the tangential part that follows r_n. */
static double follow(const planar *s, int32_t j) {
  const int32_t k = s->owner[j];
  return s->slides[k] != 0 && j == s->contacts[k].begin ? s->slides[k] * s->contacts[k].mu : 0;
}

/* place[j]: where λ_j, or the normal force that it follows, stands among the members; -1. */
static void equations(planar *s, int32_t count, int32_t *place, double *E) {
  const size_t m = (size_t)count;
  for (int32_t i = 0; i < s->run->problem->n; i++) place[i] = -1;
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

static void apply_slip(planar *s) {
  for (int32_t k = 0; k < s->count; k++) {
    const int32_t b = s->contacts[k].begin;
    if (s->slides[k] != 0) s->run->lambda[b + 1] = follow(s, b) * s->run->lambda[b];
  }
}

/* λ := the solution of the equations, refined once; as it was where they are singular. x: count. */
static void finish(planar *s) {
  const int32_t count = read_modes(s);
  double *E = s->form.M, *x = s->form.w;
  apply_slip(s);
  equations(s, count, s->base, E); /* the numbering of z is not needed any more */
  if (count == 0 || perp_dense_lu_factor(count, E, count, s->pivots) != PERP_OK) return;
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t e = 0; e < count; e++) {
      const int32_t i = s->member[e];
      x[e] = -(s->run->problem->q[i] + row_dot(&s->rows, i, s->run->lambda));
    }
    perp_dense_lu_solve(count, 1, E, count, s->pivots, x, count);
    for (int32_t e = 0; e < count; e++) s->run->lambda[s->member[e]] += x[e];
    apply_slip(s);
  }
}

/* ---- the solver ---- */

/* The observer of the caller, to whom both forms are one sequence of pivots. */
static int32_t watch(const perp_iterate *it, void *user) {
  const session *run = user;
  const perp_iterate seen = {run->iterations + it->iteration, -1, -1, it->merit};
  return run->common->observe(&seen, run->common->user);
}

/* Solve the complementarity problem in the form that is built. */
static perp_status pivot(planar *s) {
  session *run = s->run;
  const box_form *f = &s->form;
  block_law law;
  const perp_matrix M = perp_dense(s->N, s->N, f->M);
  const perp_problem inner = box_form_problem(&law, s->set, M, f->q, f->lower, f->upper);
  const perp_solver_options *all = run->common;
  const perp_solver_options o = {
      .struct_size = (uint32_t)sizeof o,
      .max_iter = all->max_iter > 0 ? all->max_iter - run->iterations : 0,
      .tol = all->tol,
      .observe = all->observe == NULL ? NULL : watch,
      .user = run,
      .budget = perp_session_budget_left(run)};
  perp_info own = PERP_INFO_INIT;
  memset(f->z, 0, (size_t)s->N * sizeof *f->z);
  const perp_status status =
      perp_solver_run(s->method, &inner, &o, f->z, f->w, NULL, f->work, f->bytes, NULL, &own);
  run->iterations += own.iterations;
  run->work += own.iterations * ((double)s->N * s->N);
  if (status == PERP_INFEASIBLE) return PERP_RAY; /* its proof is not one for these laws */
  /* a huge μ may overflow; what is not finite in the caller's data shows in the residual */
  return status == PERP_ENOTFINITE ? PERP_INACCURATE : status;
}

/* One form: its point, then the exact one. */
static perp_status attempt(planar *s, int32_t per) {
  perp_residual r;
  build(s, per);
  const perp_status status = pivot(s);
  if (status < 0) return status;
  read_point(s, s->run->lambda);
  const int solved = perp_session_judge(s->run, &r);
  if (status != PERP_OK && status != PERP_INACCURATE) return status;
  finish(s);
  return perp_session_judge(s->run, &r) || solved ? PERP_OK : PERP_INACCURATE;
}

static void open(planar *s, session *run) {
  const perp_problem *p = run->problem;
  s->run = run;
  perp_row_reader_prepare(&s->rows, &p->M);
  perp_problem_contacts(p, s->contacts);
  for (int32_t k = 0; k < s->count; k++)
    for (int32_t i = 0; i < s->contacts[k].size; i++) s->owner[s->contacts[k].begin + i] = k;
}

static perp_status start(void *state, session *run) {
  planar *s = state;
  const size_t bytes = (size_t)run->n * sizeof *run->best;
  open(s, run);
  measure(s);
  memset(run->best, 0, bytes);
  perp_status status = attempt(s, SHORT);
  const int own_rule = run->common->max_iter == 0;
  const int again =
      status == PERP_RAY || status == PERP_INACCURATE || (status == PERP_MAX_ITER && own_rule);
  const int friction = s->N > s->count; /* as it is numbered now */
  if (again && friction && perp_session_limits(run) == GO_ON) status = attempt(s, LONG);
  if (status >= 0) memcpy(run->lambda, run->best, bytes);
  return status;
}

const perp_solver *perp_solver_friction_lemke(void) {
  static const perp_method method = {
      .state = METHOD_STATE(planar),
      .needs = NEEDS_SHAPE | NEEDS_BOUNDS | NEEDS_BEST | NEEDS_JUDGE | NO_START,
      .carve = carve,
      .start = start};
  static const perp_solver friction_lemke = {.struct_size = sizeof(perp_solver),
                                             .sets = INTERVAL_SETS | 1u << PERP_SET_CONE,
                                             .matrices = ALL_MATRICES,
                                             .assumes = PERP_ASSUMES_SEMIDEFINITE,
                                             .name = "friction-lemke",
                                             .method = &method,
                                             .max_n = MOST};
  return &friction_lemke;
}
