/* SPDX-License-Identifier: MIT */
/* Varying systems at an iterate: positions, forces, residual, W, free velocities (live.h). */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "model/check.h"
#include "stepping/live.h"

/* ------------------------------------------------------------------------ positions ---- */

void perp_live_displace(const system_run *run, const double *q, const double *d, double *out) {
  if (run->system->ops->move != NULL) {
    run->system->ops->move(run->system, q, d, out);
    return;
  }
  for (int32_t i = 0; i < run->n; i++) out[i] = q[i] + d[i];
}

#if defined(__OPTIMIZE_SIZE__)
enum { BY_DIAGONAL = 0 };
#else
enum { BY_DIAGONAL = 1 }; /* a diagonal mass has loops of its own */
#endif

/* out := a x + b y, the negative of it, or a |x| + b |y|. */
enum { SUM, NEGATIVE, SIZES };

LIVE_INLINE void combine(int kind, size_t n, double a, const double *x, double b, const double *y,
                         double *out) {
  size_t i = 0;
#if !defined(__OPTIMIZE_SIZE__)
  for (; i + 2 <= n; i += 2) {
    pair u = pair_load(x + i), v = pair_load(y + i);
    if (kind == SIZES) u = pair_absolute(u), v = pair_absolute(v);
    u = pair_add(pair_multiply(pair_twice(a), u), pair_multiply(pair_twice(b), v));
    pair_store(out + i, kind == NEGATIVE ? pair_subtract(pair_twice(-0.0), u) : u);
  }
#endif
  for (; i < n; i++) {
    const double u = kind == SIZES ? fabs(x[i]) : x[i], v = kind == SIZES ? fabs(y[i]) : y[i];
    out[i] = kind == NEGATIVE ? -(a * u + b * v) : a * u + b * v;
  }
}

LIVE_INLINE void displace(size_t n, int two_step, const perp_simulation *sim, const system_run *run,
                          size_t s, double h, double weight, double *d) {
  const size_t v0 = run->v0 + s * n;
  const double *v = sim->iterate.v + v0, *before = sim->state.v + v0;
  const double a = weight * h * run->theta, b = weight * h * (1 - run->theta);
  if (two_step) { /* of q_k */
    const double *q = sim->state.q + run->q0 + s * n,
                 *last = sim->iterate.last_q + (q - sim->state.q);
    for (size_t i = 0; i < n; i++) d[i] = weight * (v[i] - (q[i] - last[i]));
    return;
  }
  combine(SUM, n, a, v, b, before, d);
}

/* d := weight h(θ v + (1−θ) v_k) of member s. */
static inline void displacement(const perp_simulation *sim, const system_run *run, size_t s,
                                double h, double weight, double *d) {
  LIVE_UNROLLED(run, displace, sim, run, s, h, weight, d);
}

void perp_live_system_move(perp_simulation *sim, const system_run *run, size_t s, double h) {
  double own[LIVE_SMALL], *d = run->n <= LIVE_SMALL ? own : sim->step.increment;
  const size_t q0 = run->q0 + s * (size_t)run->n_q;
  if (layout_is_off(sim, run->first + (int32_t)s)) {
    memcpy(sim->iterate.q + q0, sim->state.q + q0, (size_t)run->n_q * sizeof *sim->state.q);
    return;
  }
  if (run->two_step) {
    perp_live_displace(run, sim->iterate.last_q + q0, sim->iterate.v + run->v0 + s * (size_t)run->n,
                       sim->iterate.q + q0);
    return;
  }
  displacement(sim, run, s, h, 1, d);
  perp_live_displace(run, sim->state.q + q0, d, sim->iterate.q + q0);
  if (sim->projection.shift != NULL)
    perp_live_displace(run, sim->iterate.q + q0,
                       sim->projection.shift + run->v0 + s * (size_t)run->n, sim->iterate.q + q0);
}

void perp_live_move(perp_simulation *sim, double h) {
  for (int32_t r = 0; r < sim->runs.n_system_runs; r++) {
    const system_run *run = &sim->runs.systems[r];
    for (size_t s = 0; run->order == 2 && s < (size_t)run->count; s++)
      perp_live_system_move(sim, run, s, h);
  }
}

void perp_live_scale_positions(perp_simulation *sim, double factor) {
  for (int32_t r = 0; r < sim->runs.n_system_runs; r++) {
    const system_run *run = &sim->runs.systems[r];
    for (size_t i = 0; run->two_step && i < run->size; i++) sim->iterate.v[run->v0 + i] *= factor;
  }
}

/* -------------------------------------------------------------------------- systems ---- */

/* The positions of member s in an array of all; NULL at order 1. */
static const double *positions(const system_run *run, const double *q, size_t s) {
  return run->order == 2 ? q + run->q0 + s * (size_t)run->n_q : NULL;
}

/* f += a A x for a term of a constant kind. */
static void add_term(int32_t n, double a, const perp_matrix *A, const double *x, double *f) {
  for (int32_t j = 0; A->kind == PERP_DENSE && j < n; j++)
    perp_dense_axpy(n, a * x[j], A->values + (size_t)j * (size_t)A->ld, f);
  for (int32_t i = 0; A->kind == PERP_DIAGONAL && i < n; i++) f[i] += a * A->values[i] * x[i];
  for (int32_t i = 0; A->kind == PERP_BLOCKS && i < n; i++)
    for (int32_t p = A->start[i]; p < A->start[i + 1]; p++)
      f[i] += a * A->values[p] * x[A->index[p]];
}

/* x := 0, and whether x is finite, of the n rows of a system. */
LIVE_INLINE void clear_rows(size_t n, int two_step, double *x) {
  (void)two_step;
  memset(x, 0, n * sizeof *x);
}

LIVE_INLINE int finite_rows(size_t n, int two_step, const double *x) {
  (void)two_step;
  return all_finite(n, x);
}

/* f at (t, q, v); a constant kind is evaluated from its terms: A x + b + B(t), or F(t) + f − C v −
 * K q. */
static perp_status force(const perp_simulation *sim, const system_run *run, size_t s, double t,
                         const double *q, const double *v, double *f, perp_info *info) {
  const perp_system *system = run->system;
  const int varying = system_is_varying(system);
  const size_t n = (size_t)run->n;
  int32_t code = 0;
  LIVE_UNROLLED(run, clear_rows, f);
  if (varying) {
    code = system->ops->force(system, t, q, v, f, sim->iterate.scratch);
  } else {
    perp_system_terms terms;
    system->ops->terms(system, &terms);
    if (terms.force != NULL) code = terms.force(t, f, terms.user);
    for (size_t i = 0; terms.f != NULL && i < n; i++) f[i] += terms.f[i];
    add_term(run->n, 1, &terms.A, v, f);
    add_term(run->n, -1, &terms.C, v, f);
    add_term(run->n, -1, &terms.K, q, f);
  }
  if (code == 0 && LIVE_UNROLLED(run, finite_rows, f)) return PERP_OK;
  const int input = system->ops->order == 1 && !varying;
  const char *name = input ? "input" : "force"; /* the callback, or the operation */
  const int32_t index = run->first + (int32_t)s;
  if (code != 0) return live_answer(PERP_OF_SYSTEM, code, name, index, info);
  const callback_site at = {system, NULL, t, q, v, NULL};
  (void)fail_system(info, PERP_ENOTFINITE, name, index, f[first_not_finite(n, f)]);
  return live_blame(PERP_OF_SYSTEM, sim, &at, index, info);
}

/* M at the positions q*. */
static perp_status mass(const perp_simulation *sim, const system_run *run, size_t s, double t,
                        const double *q, double *M, perp_info *info) {
  const perp_system *system = run->system;
  const int32_t index = run->first + (int32_t)s;
  const size_t n = (size_t)run->n;
  int32_t code = 0;
  memset(M, 0, n * n * sizeof *M);
  if (system_is_varying(system)) {
    code = system->ops->mass(system, t, q, M, sim->iterate.scratch);
  } else {
    perp_system_terms terms;
    system->ops->terms(system, &terms);
    perp_matrix_add_to_dense(&terms.M, 1, M, run->n);
    for (size_t i = 0; terms.M.kind == PERP_ZERO && i < n; i++) M[i * (n + 1)] = 1;
  }
  const perp_status status = live_answer(PERP_OF_SYSTEM, code, "mass", index, info);
  if (status != PERP_OK) return status;
  return live_finite(PERP_OF_SYSTEM, n * n, M, system_is_varying(system) ? "mass" : "M", index,
                     info);
}

static double *mass_of(const system_run *run, size_t s) {
  return run->at.mass + (run->at.constant_mass ? 0 : s * (size_t)run->n * (size_t)run->n);
}

/* The rows of column j of M that are not 0. */
static inline size_t first_in(size_t band, size_t j) { return j > band ? j - band : 0; }

static inline size_t end_in(size_t n, size_t band, size_t j) {
  return j + 1 + band < n ? j + 1 + band : n;
}

/* The velocity that the residual of member s changes from: v_k, or 2(q_k − q_{k−1}) in units of the
 * unknown of a scheme on positions. */
static inline double velocity_before(const perp_simulation *sim, const system_run *run,
                                     int two_step, size_t i) {
  if (!two_step) return sim->state.v[run->v0 + i];
  return 2 * (sim->state.q[run->q0 + i] - sim->iterate.last_q[run->q0 + i]);
}

/* R of member s. */
LIVE_INLINE void set_defect(size_t n, int two_step, const perp_simulation *sim,
                            const system_run *run, size_t s, double h) {
  const size_t at = s * n, band = (size_t)run->at.mass_band;
  const double *M = mass_of(run, s), *v = sim->iterate.v + run->v0 + at;
  const double *begin = run->at.f_begin + at, *end = run->at.f_end + at;
  const double scale = two_step ? h * h : h;
  const double a = scale * run->theta, b = scale * (1 - run->theta);
  double *restrict R = run->at.defect + at;
  combine(NEGATIVE, n, a, end, b, begin, R);
  for (size_t j = 0; j < n; j++) {
    const double change = v[j] - velocity_before(sim, run, two_step, at + j);
    if (change == 0) continue;
    if (BY_DIAGONAL && band == 0)
      R[j] += M[j + n * j] * change;
    else
      for (size_t i = first_in(band, j); i < end_in(n, band, j); i++) R[i] += M[i + n * j] * change;
  }
}

LIVE_INLINE void sizes(size_t n, int two_step, const perp_simulation *sim, const system_run *run,
                       size_t s, double h, double *restrict size) {
  const size_t at = s * n, band = (size_t)run->at.mass_band;
  const double *M = mass_of(run, s), *v = sim->iterate.v + run->v0 + at;
  const double *begin = run->at.f_begin + at, *end = run->at.f_end + at;
  const double scale = two_step ? h * h : h;
  const double a = scale * run->theta, b = scale * (1 - run->theta);
  combine(SIZES, n, a, end, b, begin, size);
  for (size_t j = 0; j < n; j++) {
    const double largest = fabs(v[j]) + fabs(velocity_before(sim, run, two_step, at + j));
    if (largest == 0) continue;
    if (BY_DIAGONAL && band == 0)
      size[j] += fabs(M[j + n * j]) * largest;
    else
      for (size_t i = first_in(band, j); i < end_in(n, band, j); i++)
        size[i] += fabs(M[i + n * j]) * largest;
  }
}

void perp_live_system_sizes(const perp_simulation *sim, const system_run *run, size_t s, double h,
                            double *size) {
  LIVE_UNROLLED(run, sizes, sim, run, s, h, size);
}

/* Velocities of member s at the iterate; buffer holds n entries. */
static const double *velocities(const perp_simulation *sim, const system_run *run, size_t s,
                                double h, double *buffer) {
  const double *v = sim->iterate.v + run->v0 + s * (size_t)run->n;
  if (!run->two_step) return v;
  for (int32_t i = 0; i < run->n; i++) buffer[i] = v[i] / (2 * h);
  return buffer;
}

static perp_status evaluate_system(perp_simulation *sim, system_run *run, size_t s, double t_next,
                                   double h, perp_info *info) {
  perp_status status = PERP_OK;
  if (!run->at.constant_mass) {
    double *middle = sim->iterate.gather_q; /* q*; no relation is being evaluated */
    displacement(sim, run, s, h, run->theta, sim->step.increment);
    if (run->order == 2)
      perp_live_displace(run, positions(run, sim->state.q, s), sim->step.increment, middle);
    status = mass(sim, run, s, sim->state.head->t + run->theta * h, run->order == 2 ? middle : NULL,
                  mass_of(run, s), info);
  }
  if (status == PERP_OK)
    status = force(sim, run, s, t_next, positions(run, sim->iterate.q, s),
                   velocities(sim, run, s, h, sim->step.increment),
                   run->at.f_end + s * (size_t)run->n, info);
  if (status == PERP_OK) LIVE_UNROLLED(run, set_defect, sim, run, s, h);
  return status;
}

perp_status perp_live_system_evaluate(perp_simulation *sim, system_run *run, size_t s,
                                      double t_next, double h, perp_info *info) {
  return evaluate_system(sim, run, s, t_next, h, info);
}

perp_status perp_live_system_force(perp_simulation *sim, const system_run *run, size_t s, double t,
                                   const double *q, const double *v, double *f, perp_info *info) {
  return force(sim, run, s, t, q, v, f, info);
}

perp_status perp_live_system_mass(perp_simulation *sim, system_run *run, double t, const double *q,
                                  perp_info *info) {
  return mass(sim, run, 0, t, q, run->at.mass, info);
}

perp_status perp_live_systems(perp_simulation *sim, double t_next, double h, perp_info *info) {
  for (int32_t r = 0; r < sim->runs.n_system_runs; r++) {
    system_run *run = &sim->runs.systems[r];
    for (size_t s = 0; run->live && s < (size_t)run->count; s++) {
      if (layout_is_off(sim, run->first + (int32_t)s)) {
        memset(run->at.defect + s * (size_t)run->n, 0, (size_t)run->n * sizeof(double));
        continue;
      }
      const perp_status status = evaluate_system(sim, run, s, t_next, h, info);
      if (status != PERP_OK) return status;
    }
  }
  return PERP_OK;
}

static perp_status begin(perp_simulation *sim, system_run *run, size_t s, perp_info *info) {
  const size_t at = s * (size_t)run->n;
  return force(sim, run, s, sim->state.head->t, positions(run, sim->state.q, s),
               sim->state.v + run->v0 + at, run->at.f_begin + at, info);
}

perp_status perp_live_system_begin(perp_simulation *sim, system_run *run, size_t s,
                                   perp_info *info) {
  return begin(sim, run, s, info);
}

perp_status perp_live_begin(perp_simulation *sim, perp_info *info) {
  for (int32_t r = 0; r < sim->runs.n_system_runs; r++) {
    system_run *run = &sim->runs.systems[r];
    for (size_t s = 0; run->live && s < (size_t)run->count; s++) {
      if (layout_is_off(sim, run->first + (int32_t)s)) continue;
      const perp_status status = begin(sim, run, s, info);
      if (status != PERP_OK) return status;
    }
  }
  return PERP_OK;
}

/* ------------------------------------------------------------------------ linearise ---- */

/* Whether n > 0 entries are 0 without a sign: the first is, and each is as the one before. */
static int all_clear(size_t n, const double *x) {
  return bits_of(x[0]) == 0 && memcmp(x, x + 1, (n - 1) * sizeof *x) == 0;
}

/* W of member s from its derivatives. */
static void set_W(const system_run *run, size_t s, double h, double *W) {
  const size_t n = (size_t)run->n;
  const double *M = mass_of(run, s), *dq = run->at.dq, *dv = run->at.dv;
  const double a = (run->two_step ? h / 2 : h) * run->theta;
  const double b = run->two_step ? h * h * run->theta : a * a;
  if (run->at.clear)
    memcpy(W, M, n * n * sizeof *W);
  else if (dq == NULL)
    for (size_t i = 0; i < n * n; i++) W[i] = M[i] - a * dv[i];
  else
    for (size_t i = 0; i < n * n; i++) W[i] = M[i] - (a * dv[i] + b * dq[i]);
}

LIVE_INLINE void negate(size_t n, int two_step, const double *x, double *restrict out) {
  (void)two_step;
  for (size_t i = 0; i < n; i++) out[i] = -x[i];
}

perp_status perp_live_system_linearise(perp_simulation *sim, system_run *run, size_t s,
                                       double t_next, double h, perp_info *info) {
  const size_t n = (size_t)run->n, at = s * n;
  const perp_system *system = run->system;
  double *W = run->at.unfactored + s * n * n, *dq = run->at.dq, *dv = run->at.dv;
  const size_t derivatives = dq != NULL ? 2 * n * n : n * n;
  int32_t code = 0;
  if (!run->at.clear) memset(dv, 0, derivatives * sizeof *dv);
  run->at.clear = 0;
  if (system_is_varying(system)) {
    code = system->ops->jacobians(system, t_next, positions(run, sim->iterate.q, s),
                                  velocities(sim, run, s, h, sim->step.increment), dq, dv,
                                  sim->iterate.scratch);
  } else {
    perp_system_terms terms;
    system->ops->terms(system, &terms);
    perp_matrix_add_to_dense(&terms.A, 1, dv, run->n);
    perp_matrix_add_to_dense(&terms.C, -1, dv, run->n);
    if (dq != NULL) perp_matrix_add_to_dense(&terms.K, -1, dq, run->n);
  }
  const int32_t index = run->first + (int32_t)s;
  run->at.clear = all_clear(derivatives, dv);
  perp_status status = live_answer(PERP_OF_SYSTEM, code, "jacobians", index, info);
  if (status == PERP_OK && !run->at.clear)
    status = live_finite(PERP_OF_SYSTEM, derivatives, dv, "jacobians", index, info);
  if (status == PERP_ENOTFINITE) {
    const callback_site at_end = {system,
                                  NULL,
                                  t_next,
                                  positions(run, sim->iterate.q, s),
                                  velocities(sim, run, s, h, sim->step.increment),
                                  NULL};
    return live_blame(PERP_OF_SYSTEM, sim, &at_end, index, info);
  }
  if (status != PERP_OK) return status;
  set_W(run, s, h, W);
  double *free_v = sim->step.free_v + run->v0 + at; /* holds −R until W is factorised */
  LIVE_UNROLLED(run, negate, run->at.defect + at, free_v);
  return PERP_OK;
}

/* The factor of W, where that is not the one that was factorised last. */
static perp_status factorise(const perp_simulation *sim, system_run *run, size_t s) {
  const size_t n = (size_t)run->n, bytes = n * n * sizeof(double);
  const double *plain = run->at.unfactored + s * n * n;
  double *W = run->W + s * n * n, *factored = run->at.factored + s * n * n;
  if (run->at.factor_band[s] >= 0 && memcmp(plain, factored, bytes) == 0) return PERP_OK;
  run->at.factor_band[s] = -1;
  memcpy(W, plain, bytes);
  const perp_status status = perp_discretise_factor(sim, run->n, W, run->pivots + s * n);
  if (status != PERP_OK) return status;
  memcpy(factored, plain, bytes);
  run->at.factor_band[s] = perp_dense_lu_band(run->n, W, run->pivots + s * n);
  return PERP_OK;
}

perp_status perp_live_system_solve(perp_simulation *sim, system_run *run, size_t s, double h,
                                   perp_info *info) {
  const size_t n = (size_t)run->n;
  double *free_v = sim->step.free_v + run->v0 + s * n;
  const double *v = sim->iterate.v + run->v0 + s * n;
  perp_status status = factorise(sim, run, s);
  if (status == PERP_OK) status = perp_discretise_solve(sim, run, (int32_t)s, 1, free_v, run->n);
  if (status != PERP_OK) return fail_system(info, status, "W", run->first + (int32_t)s, h);
  for (size_t i = 0; i < n; i++) free_v[i] += v[i];
  return PERP_OK;
}

perp_status perp_live_masses(perp_simulation *sim, const double *q, double t, perp_info *info) {
  for (int32_t r = 0; r < sim->runs.n_system_runs; r++) {
    system_run *run = &sim->runs.systems[r];
    const size_t n = (size_t)run->n;
    const int judged = sim->iterate.starting && run->order == 2 && system_is_varying(run->system);
    for (size_t s = 0; run->live && s < (size_t)run->count; s++) {
      double *M = mass_of(run, s), *plain = run->at.unfactored + s * n * n;
      perp_status status = mass(sim, run, s, t, positions(run, q, s), M, info);
      if (status == PERP_OK && judged)
        status = perp_check_dense_mass(run->n, M, plain, run->first + (int32_t)s, info);
      if (status != PERP_OK) return status;
      if (run->at.constant_mass) run->at.mass_band = perp_dense_band(run->n, M);
      memcpy(plain, M, n * n * sizeof *M);
      status = factorise(sim, run, s);
      if (status != PERP_OK) return fail_system(info, status, "M", run->first + (int32_t)s, 0);
    }
  }
  return PERP_OK;
}
