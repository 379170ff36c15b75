/* SPDX-License-Identifier: MIT */
/* What varies in a step, at an iterate (q, v, λ) of Newton's method. Order 2:
 *   R = M(q*)(v − v_k) − h(θ f(t_{k+1}, q, v) + (1−θ) f(t_k, q_k, v_k)),
 *   q = q_k ⊕ h(θ v + (1−θ) v_k),   q* = q_k ⊕ θ h(θ v + (1−θ) v_k),
 *   W = M(q*) − hθ ∂f/∂v − h²θ² ∂f/∂q,   v_free = v − W⁻¹R,   G = W⁻¹Hᵀ.
 * Order 1, x in the place of v, with the reaction r = g(t, x, λ) of weight h (gain):
 *   W = M − hθ ∂f/∂x − h ∂g/∂x,   x_free = x − W⁻¹(R − h(r − B λ)),   G = h W⁻¹B.
 * The relations give  ẏ(v⁺, λ⁺) ≈ ẏ + H (v⁺ − v) + D (λ⁺ − λ). */
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "linalg/dense.h"
#include "stepping/stages.h"

static perp_status answer(int32_t code, const char *field, int32_t index, perp_info *info) {
  if (code == 0) return PERP_OK;
  return fail(info, code < 0 ? PERP_ECALLBACK : PERP_RETRY, field, index, code);
}

/* What a callback wrote. */
static perp_status judge(size_t n, const double *x, const char *field, int32_t index,
                         perp_info *info) {
  if (all_finite(n, x)) return PERP_OK;
  return fail(info, PERP_ENOTFINITE, field, index, x[first_not_finite(n, x)]);
}

/* ------------------------------------------------------------------------ positions ---- */

/* out := q ⊕ d for one system of a run. */
static void move(const system_run *run, const double *q, const double *d, double *out) {
  if (run->system->ops->move != NULL) {
    run->system->ops->move(run->system, q, d, out);
    return;
  }
  for (int32_t i = 0; i < run->n; i++) out[i] = q[i] + d[i];
}

/* d := weight h(θ v + (1−θ) v_k) of member s. */
static void displacement(const perp_simulation *sim, const system_run *run, size_t s, double h,
                         double weight, double *d) {
  const size_t v0 = run->v0 + s * (size_t)run->n;
  const double *v = sim->trial_v + v0, *before = sim->v + v0;
  const double a = weight * h * run->theta, b = weight * h * (1 - run->theta);
  for (int32_t i = 0; i < run->n; i++) d[i] = a * v[i] + b * before[i];
}

void perp_live_move(perp_simulation *sim, double h) {
  for (int32_t r = 0; r < sim->n_system_runs; r++) {
    const system_run *run = &sim->systems[r];
    for (size_t s = 0; run->order == 2 && s < (size_t)run->count; s++) {
      const size_t q0 = run->q0 + s * (size_t)run->n_q;
      displacement(sim, run, s, h, 1, sim->increment);
      move(run, sim->q + q0, sim->increment, sim->trial_q + q0);
    }
  }
}

/* -------------------------------------------------------------------------- systems ---- */

/* The positions of member s in an array of all; NULL at order 1. */
static const double *positions(const system_run *run, const double *q, size_t s) {
  return run->order == 2 ? q + run->q0 + s * (size_t)run->n_q : NULL;
}

/* f at (t, q, v); at order 1 a constant kind is evaluated from its terms: A x + b + B(t). */
static perp_status force(const perp_simulation *sim, const system_run *run, size_t s, double t,
                         const double *q, const double *v, double *f, perp_info *info) {
  const perp_system *system = run->system;
  const int32_t index = run->first + (int32_t)s;
  const size_t n = (size_t)run->n;
  int32_t code = 0;
  memset(f, 0, n * sizeof *f);
  if (system_is_varying(system)) {
    code = system->ops->force(system, t, q, v, f, sim->scratch);
  } else {
    perp_system_terms terms;
    system->ops->terms(system, &terms);
    if (terms.force != NULL) code = terms.force(t, f, terms.user);
    for (size_t i = 0; terms.f != NULL && i < n; i++) f[i] += terms.f[i];
    if (terms.A.kind == PERP_DENSE)
      perp_dense_multiply_add(run->n, run->n, terms.A.values, terms.A.ld, v, f);
    for (size_t i = 0; terms.A.kind == PERP_DIAGONAL && i < n; i++)
      f[i] += terms.A.values[i] * v[i];
  }
  const perp_status status = answer(code, "force", index, info);
  return status == PERP_OK ? judge(n, f, "force", index, info) : status;
}

/* A term of a constant kind, dense. */
static void spread(int32_t n, const perp_matrix *A, double absent, double *out) {
  const size_t size = (size_t)n;
  for (size_t i = 0; i < size; i++) {
    if (A->kind == PERP_DENSE)
      memcpy(out + i * size, A->values + i * (size_t)A->ld, size * sizeof *out);
    else
      out[i * (size + 1)] = A->kind == PERP_DIAGONAL ? A->values[i] : absent;
  }
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
    code = system->ops->mass(system, t, q, M, sim->scratch);
  } else {
    perp_system_terms terms;
    system->ops->terms(system, &terms);
    spread(run->n, &terms.M, 1, M);
  }
  const perp_status status = answer(code, "M", index, info);
  return status == PERP_OK ? judge(n * n, M, "M", index, info) : status;
}

static int mass_is_constant(const system_run *run) {
  return run->system->ops->constant_mass != 0 || run->system->ops->terms != NULL;
}

static double *mass_of(const system_run *run, size_t s) {
  return run->at.mass + (mass_is_constant(run) ? 0 : s * (size_t)run->n * (size_t)run->n);
}

/* R of member s, and the sizes of the terms it is made of. */
static void defect_of(const perp_simulation *sim, const system_run *run, size_t s, double h) {
  const size_t n = (size_t)run->n, at = s * n;
  const double *M = mass_of(run, s), *v = sim->trial_v + run->v0 + at,
               *before = sim->v + run->v0 + at;
  const double *now = run->at.now + at, *end = run->at.end + at;
  const double a = h * run->theta, b = h * (1 - run->theta);
  double *R = run->at.defect + at, *size = run->at.size + at;
  for (size_t i = 0; i < n; i++) {
    R[i] = -(a * end[i] + b * now[i]);
    size[i] = a * fabs(end[i]) + b * fabs(now[i]);
  }
  for (size_t j = 0; j < n; j++) {
    const double change = v[j] - before[j], largest = fabs(v[j]) + fabs(before[j]);
    for (size_t i = 0; i < n; i++) {
      R[i] += M[i + n * j] * change;
      size[i] += fabs(M[i + n * j]) * largest;
    }
  }
}

static perp_status evaluate_system(perp_simulation *sim, system_run *run, size_t s, double t_next,
                                   double h, perp_info *info) {
  const double *v = sim->trial_v + run->v0 + s * (size_t)run->n;
  perp_status status = PERP_OK;
  if (!mass_is_constant(run)) {
    double *middle = sim->gather_q; /* q*; no relation is being evaluated */
    displacement(sim, run, s, h, run->theta, sim->increment);
    if (run->order == 2) move(run, positions(run, sim->q, s), sim->increment, middle);
    status = mass(sim, run, s, sim->head->t + run->theta * h, run->order == 2 ? middle : NULL,
                  mass_of(run, s), info);
  }
  if (status == PERP_OK)
    status = force(sim, run, s, t_next, positions(run, sim->trial_q, s), v,
                   run->at.end + s * (size_t)run->n, info);
  if (status == PERP_OK) defect_of(sim, run, s, h);
  return status;
}

perp_status perp_live_systems(perp_simulation *sim, double t_next, double h, perp_info *info) {
  for (int32_t r = 0; r < sim->n_system_runs; r++) {
    system_run *run = &sim->systems[r];
    for (size_t s = 0; run->live && s < (size_t)run->count; s++) {
      const perp_status status = evaluate_system(sim, run, s, t_next, h, info);
      if (status != PERP_OK) return status;
    }
  }
  return PERP_OK;
}

perp_status perp_live_begin(perp_simulation *sim, perp_info *info) {
  const double t = sim->head->t;
  for (int32_t r = 0; r < sim->n_system_runs; r++) {
    system_run *run = &sim->systems[r];
    if (!run->live || (run->at.now_known && run->at.t_now == t)) continue;
    run->at.now_known = 0;
    for (size_t s = 0; s < (size_t)run->count; s++) {
      const size_t at = s * (size_t)run->n;
      const perp_status status = force(sim, run, s, t, positions(run, sim->q, s),
                                       sim->v + run->v0 + at, run->at.now + at, info);
      if (status != PERP_OK) return status;
    }
    run->at.t_now = t;
    run->at.now_known = 1;
  }
  return PERP_OK;
}

/* ------------------------------------------------------------------------ relations ---- */

/* What interaction k of a run joins, one after another: a view where it lies so already. */
static const double *gather_v(const interaction_run *run, size_t k, const double *v,
                              double *buffer) {
  if (run->n_slots == 1) return v + run->slots[0].v0 + k * run->slots[0].step;
  for (int32_t s = 0; s < run->n_slots; s++) {
    const slot *at = &run->slots[s];
    memcpy(buffer + at->column, v + at->v0 + k * at->step, (size_t)at->n * sizeof *buffer);
  }
  return buffer;
}

static const double *gather_q(const interaction_run *run, size_t k, const double *q,
                              double *buffer) {
  if (run->order == 1) return NULL;
  if (run->n_slots == 1) return q + run->slots[0].q0 + k * run->slots[0].step_q;
  double *to = buffer;
  for (int32_t s = 0; s < run->n_slots; s++) {
    const slot *at = &run->slots[s];
    const size_t n_q = (size_t)at->run->n_q;
    memcpy(to, q + at->q0 + k * at->step_q, n_q * sizeof *to);
    to += n_q;
  }
  return buffer;
}

static double *piece(double *x, size_t k, size_t size) { return x == NULL ? NULL : x + k * size; }

/* A constant relation: y = H q + offset, ẏ = H v + D λ;  order 1: y = H x + D λ + offset,
 * r = B λ + a. */
static void evaluate_terms(const interaction_run *run, const perp_relation_point *at,
                           const perp_relation_values *out) {
  const size_t m = (size_t)run->m, n = (size_t)run->n;
  perp_relation_terms t;
  run->relation->ops->terms(run->relation, &t);
  double *y = run->order == 2 ? out->ydot : out->y;
  memcpy(out->H, t.H, m * n * sizeof(double));
  memcpy(out->y, run->offset, m * sizeof(double));
  perp_dense_multiply_add(run->m, run->n, t.H, run->m, at->v, y);
  if (run->order == 2) perp_dense_multiply_add(run->m, run->n, t.H, run->m, at->q, out->y);
  if (t.D != NULL) {
    memcpy(out->D, t.D, m * m * sizeof(double));
    perp_dense_multiply_add(run->m, run->m, t.D, run->m, at->lambda, y);
  }
  if (run->order == 2) return;
  if (t.B != NULL) {
    memcpy(out->B, t.B, n * m * sizeof(double));
    perp_dense_multiply_add(run->n, run->m, t.B, run->n, at->lambda, out->r);
  }
  for (size_t i = 0; t.a != NULL && i < n; i++) out->r[i] += t.a[i];
}

/* Everything about interaction k of a live run at the iterate. */
static perp_status evaluate_relation(perp_simulation *sim, interaction_run *run, size_t k, double t,
                                     double h, perp_info *info) {
  live_interaction *at = &run->at;
  const size_t m = (size_t)run->m, n = (size_t)run->n, row = run->row0 + k * m;
  const int32_t index = run->first + (int32_t)k;
  const int first = run->order == 1;
  const perp_relation_point point = {t,
                                     h,
                                     gather_q(run, k, sim->trial_q, sim->gather_q),
                                     gather_v(run, k, sim->trial_v, sim->gather_v),
                                     sim->trial_lambda + row,
                                     sim->lambda + row,
                                     sim->head->h};
  const perp_relation_values out = {first ? at->ydot + k * m : at->y + k * m,
                                    first ? NULL : at->ydot + k * m,
                                    at->H + k * m * n,
                                    piece(at->D, k, m * m),
                                    piece(at->r, k, n),
                                    piece(at->B, k, n * m),
                                    piece(at->K, k, n * n)};
  memset(at->y + k * m, 0, m * sizeof(double));
  memset(at->ydot + k * m, 0, m * sizeof(double));
  memset(out.H, 0, m * n * sizeof(double));
  if (out.D != NULL) memset(out.D, 0, m * m * sizeof(double));
  if (out.r != NULL) memset(out.r, 0, n * sizeof(double));
  if (out.B != NULL) memset(out.B, 0, n * m * sizeof(double));
  if (out.K != NULL) memset(out.K, 0, n * n * sizeof(double));
  if (run->relation->ops->terms != NULL) {
    evaluate_terms(run, &point, &out);
    return PERP_OK; /* of finite constants; what overflows shows in the residual */
  }
  perp_status status =
      answer(run->relation->ops->evaluate(run->relation, &point, &out, sim->scratch), "relation",
             index, info);
  if (status == PERP_OK) status = judge(m, at->y + k * m, "y", index, info);
  if (status == PERP_OK) status = judge(m, at->ydot + k * m, "ydot", index, info);
  if (status == PERP_OK) status = judge(m * n, out.H, "H", index, info);
  if (status == PERP_OK && out.D != NULL) status = judge(m * m, out.D, "D", index, info);
  if (status == PERP_OK && out.r != NULL) status = judge(n, out.r, "r", index, info);
  if (status == PERP_OK && out.B != NULL) status = judge(n * m, out.B, "B", index, info);
  if (status == PERP_OK && out.K != NULL) status = judge(n * n, out.K, "K", index, info);
  return status;
}

/* Whether some copy of interaction k acts. */
static int acts(const perp_simulation *sim, const interaction_run *run, size_t k) {
  const unsigned char *acting = sim->acting + (size_t)run->unit0 + k * (size_t)run->copies;
  for (int32_t copy = 0; copy < run->copies; copy++)
    if (acting[copy]) return 1;
  return 0;
}

perp_status perp_live_relations(perp_simulation *sim, double t, double h, int others,
                                perp_info *info) {
  for (int32_t r = 0; r < sim->n_interaction_runs; r++) {
    interaction_run *run = &sim->interactions[r];
    for (size_t k = 0; run->live && k < (size_t)run->count; k++) {
      if (acts(sim, run, k) == others) continue;
      const perp_status status = evaluate_relation(sim, run, k, t, h, info);
      if (status != PERP_OK) return status;
    }
  }
  return PERP_OK;
}

/* ------------------------------------------------------------------------ linearise ---- */

/* W of member s, and its free velocities but for what relations of order 1 add. */
static perp_status linearise_system(perp_simulation *sim, system_run *run, size_t s, double t_next,
                                    double h, perp_info *info) {
  const size_t n = (size_t)run->n, at = s * n;
  const perp_system *system = run->system;
  double *W = run->W + s * n * n, *dq = run->at.dq, *dv = run->at.dv;
  int32_t code = 0;
  memset(dv, 0, n * n * sizeof *dv);
  if (dq != NULL) memset(dq, 0, n * n * sizeof *dq);
  if (system_is_varying(system)) {
    code = system->ops->jacobians(system, t_next, positions(run, sim->trial_q, s),
                                  sim->trial_v + run->v0 + at, dq, dv, sim->scratch);
  } else {
    perp_system_terms terms;
    system->ops->terms(system, &terms);
    if (terms.A.kind != PERP_ZERO) spread(run->n, &terms.A, 0, dv);
  }
  const int32_t index = run->first + (int32_t)s;
  perp_status status = answer(code, "jacobians", index, info);
  if (status == PERP_OK) status = judge(n * n, dv, "jacobians", index, info);
  if (status == PERP_OK && dq != NULL) status = judge(n * n, dq, "jacobians", index, info);
  if (status != PERP_OK) return status;
  const double *M = mass_of(run, s);
  const double a = h * run->theta, b = a * a;
  for (size_t i = 0; i < n * n; i++) W[i] = M[i] - a * dv[i] - (dq != NULL ? b * dq[i] : 0);
  double *free_v = sim->free_v + run->v0 + at; /* holds −R until W is factorised */
  for (size_t i = 0; i < n; i++) free_v[i] = -run->at.defect[at + i];
  return PERP_OK;
}

/* What relations of order 1 add to W and to −R: −h K, and h (r − B λ). */
static void add_reaction(perp_simulation *sim, const interaction_run *run, size_t k) {
  const size_t m = (size_t)run->m, n = (size_t)run->n;
  const double *r = run->at.r + k * n, *B = run->at.B + k * n * m;
  const double *lambda = sim->trial_lambda + run->row0 + k * m;
  for (int32_t s = 0; s < run->n_slots; s++) {
    const slot *at = &run->slots[s];
    const system_run *system = at->run;
    const double gain = system->gain;
    const size_t width = (size_t)at->n, column = (size_t)at->column;
    const size_t member = (size_t)(at->system0 - system->first) + k * (size_t)at->stride;
    double *load = sim->free_v + at->v0 + k * at->step, *W = system->W + member * width * width;
    for (size_t i = 0; i < width; i++) {
      double sum = r[column + i];
      for (size_t j = 0; j < m; j++) sum -= B[column + i + n * j] * lambda[j];
      load[i] += gain * sum;
    }
    if (run->at.K == NULL) continue;
    const double *K = run->at.K + k * n * n + column + n * column;
    for (size_t j = 0; j < width; j++)
      for (size_t i = 0; i < width; i++) W[i + width * j] -= gain * K[i + n * j];
  }
}

/* G := gain W⁻¹ B of interaction k, slot by slot. */
static perp_status gain(const perp_simulation *sim, const interaction_run *run, size_t k) {
  const size_t m = (size_t)run->m, n = (size_t)run->n;
  const double *H = run->at.H + k * m * n;
  double *G = run->G + k * n * m;
  if (run->order == 1)
    memcpy(G, run->at.B + k * n * m, n * m * sizeof *G);
  else
    for (size_t c = 0; c < n; c++)
      for (size_t r = 0; r < m; r++) G[c + n * r] = H[r + m * c];
  for (int32_t s = 0; s < run->n_slots; s++) {
    const slot *at = &run->slots[s];
    const int32_t member = at->system0 - at->run->first + (int32_t)k * at->stride;
    const perp_status status =
        perp_discretise_solve(sim, at->run, member, run->m, G + at->column, run->n);
    if (status != PERP_OK) return status;
    for (size_t r = 0; at->run->gain != 1 && r < m; r++)
      for (size_t c = 0; c < (size_t)at->n; c++) G[(size_t)at->column + c + n * r] *= at->run->gain;
  }
  return PERP_OK;
}

perp_status perp_live_linearise(perp_simulation *sim, double t_next, double h, perp_info *info) {
  memcpy(sim->free_v, sim->base_v, sim->n_v * sizeof *sim->free_v);
  for (int32_t r = 0; r < sim->n_system_runs; r++) {
    system_run *run = &sim->systems[r];
    for (size_t s = 0; run->live && s < (size_t)run->count; s++) {
      const perp_status status = linearise_system(sim, run, s, t_next, h, info);
      if (status != PERP_OK) return status;
    }
  }
  for (int32_t r = 0; r < sim->n_interaction_runs; r++) {
    const interaction_run *run = &sim->interactions[r];
    for (size_t k = 0; run->live && run->order == 1 && k < (size_t)run->count; k++)
      add_reaction(sim, run, k);
  }
  for (int32_t r = 0; r < sim->n_system_runs; r++) {
    system_run *run = &sim->systems[r];
    const size_t n = (size_t)run->n;
    for (size_t s = 0; run->live && s < (size_t)run->count; s++) {
      double *free_v = sim->free_v + run->v0 + s * n;
      const double *v = sim->trial_v + run->v0 + s * n;
      perp_status status =
          perp_discretise_factor(sim, run->n, run->W + s * n * n, run->pivots + s * n);
      if (status == PERP_OK)
        status = perp_discretise_solve(sim, run, (int32_t)s, 1, free_v, run->n);
      if (status != PERP_OK) return fail(info, status, "W", run->first + (int32_t)s, h);
      for (size_t i = 0; i < n; i++) free_v[i] += v[i];
    }
  }
  for (int32_t r = 0; r < sim->n_interaction_runs; r++) {
    const interaction_run *run = &sim->interactions[r];
    for (size_t k = 0; run->live && k < (size_t)run->count; k++) {
      const perp_status status = acts(sim, run, k) ? gain(sim, run, k) : PERP_OK;
      if (status != PERP_OK) return fail(info, status, "H W^-1 B", run->first + (int32_t)k, h);
    }
  }
  return PERP_OK;
}

/* ------------------------------------------------------------- right-hand side, apply ---- */

void perp_live_rhs(const perp_simulation *sim, const interaction_run *run, const segment *at,
                   double *rhs) {
  const size_t m = (size_t)run->m, n = (size_t)run->n, size = (size_t)run->size;
  for (int32_t u = 0; u < at->count; u++, rhs += size) {
    const int32_t unit = at->k * run->copies + at->copy + u;
    const size_t k = (size_t)(unit / run->copies), first = (size_t)(unit % run->copies) * size;
    const double *H = run->at.H + k * m * n + first, *y = run->at.ydot + k * m + first;
    for (size_t i = 0; i < size; i++) rhs[i] = y[i];
    for (int32_t s = 0; s < run->n_slots; s++) {
      const slot *joined = &run->slots[s];
      const double *end = sim->free_v + joined->v0 + k * joined->step;
      const double *v = sim->trial_v + joined->v0 + k * joined->step;
      for (size_t c = 0; c < (size_t)joined->n; c++) {
        const double change = end[c] - v[c];
        for (size_t i = 0; i < size; i++)
          rhs[i] += H[((size_t)joined->column + c) * m + i] * change;
      }
    }
    if (run->at.D == NULL) continue;
    const double *D = run->at.D + k * m * m + first,
                 *lambda = sim->trial_lambda + run->row0 + k * m;
    for (size_t j = 0; j < m; j++)
      for (size_t i = 0; i < size; i++) rhs[i] -= D[m * j + i] * lambda[j];
  }
}

void perp_live_apply(perp_simulation *sim, const interaction_run *run, const segment *at,
                     const double *lambda) {
  const size_t m = (size_t)run->m, n = (size_t)run->n, size = (size_t)run->size;
  for (int32_t u = 0; u < at->count; u++, lambda += size) {
    const int32_t unit = at->k * run->copies + at->copy + u;
    const size_t k = (size_t)(unit / run->copies), first = (size_t)(unit % run->copies) * size;
    const double *G = run->G + k * n * m + first * n;
    for (int32_t s = 0; s < run->n_slots; s++) {
      const slot *joined = &run->slots[s];
      double *v = sim->free_v + joined->v0 + k * joined->step;
      for (size_t i = 0; i < size; i++)
        for (size_t c = 0; c < (size_t)joined->n; c++)
          v[c] += G[n * i + (size_t)joined->column + c] * lambda[i];
    }
  }
}

/* --------------------------------------------------------------------------- defect ---- */

/* predicted := ẏ at the iterate as the relation linearised at the one before has it. */
static void predict(const perp_simulation *sim, const interaction_run *run, size_t k) {
  const size_t m = (size_t)run->m, n = (size_t)run->n, row = run->row0 + k * m;
  const double *H = run->at.H + k * m * n, *y = run->at.ydot + k * m;
  double *out = run->at.predicted + k * m;
  memcpy(run->at.base + k * m, y, m * sizeof *out);
  memcpy(out, y, m * sizeof *out);
  for (int32_t s = 0; s < run->n_slots; s++) {
    const slot *at = &run->slots[s];
    const size_t v0 = at->v0 + k * at->step;
    for (size_t c = 0; c < (size_t)at->n; c++) {
      const double change = sim->trial_v[v0 + c] - sim->from_v[v0 + c];
      for (size_t i = 0; i < m; i++) out[i] += H[((size_t)at->column + c) * m + i] * change;
    }
  }
  if (run->at.D == NULL) return;
  const double *D = run->at.D + k * m * m;
  for (size_t j = 0; j < m; j++) {
    const double change = sim->trial_lambda[row + j] - sim->from_lambda[row + j];
    for (size_t i = 0; i < m; i++) out[i] += D[m * j + i] * change;
  }
}

void perp_live_keep(perp_simulation *sim) {
  for (int32_t r = 0; r < sim->n_interaction_runs; r++) {
    interaction_run *run = &sim->interactions[r];
    for (size_t k = 0; run->live && k < (size_t)run->count; k++)
      if (acts(sim, run, k)) predict(sim, run, k);
    double *before = run->at.H_before;
    run->at.H_before = run->at.H;
    run->at.H = before;
  }
}

/* Subtract the reaction of interaction k from the defect of its systems: all of it from live ones;
 * a constant system was solved with the H of before and lacks what the new one differs by. */
static void subtract_reaction(perp_simulation *sim, const interaction_run *run, size_t k) {
  const size_t m = (size_t)run->m, n = (size_t)run->n;
  const double *lambda = sim->trial_lambda + run->row0 + k * m;
  const double *H = run->at.H + k * m * n, *before = run->at.H_before + k * m * n;
  for (int32_t s = 0; s < run->n_slots; s++) {
    const slot *at = &run->slots[s];
    double *defect = sim->defect + at->v0 + k * at->step;
    double *size = sim->defect_size + at->v0 + k * at->step;
    for (size_t c = 0; c < (size_t)at->n; c++) {
      const size_t column = (size_t)at->column + c;
      double r = 0, lag = 0;
      if (run->order == 1) {
        r = at->run->gain * run->at.r[k * n + column];
      } else {
        for (size_t i = 0; i < m; i++) {
          r += H[column * m + i] * lambda[i];
          lag += before[column * m + i] * lambda[i];
        }
      }
      defect[c] -= at->run->live ? r : r - lag;
      size[c] += fabs(r);
    }
  }
}

/* Largest |defect| of a system relative to the sizes of its terms, each component against its own
 * but none against less than a thousandth of the largest. */
static double relative(size_t n, const double *defect, const double *size) {
  double largest = 0, worst = 0;
  for (size_t i = 0; i < n; i++) largest = size[i] > largest ? size[i] : largest;
  for (size_t i = 0; i < n; i++) {
    const double ratio = fabs(defect[i]) / (size[i] + 1e-3 * largest);
    if (defect[i] != 0 && !(ratio <= worst)) worst = ratio; /* NaN is the worst */
  }
  return worst;
}

/* What the relation of interaction k differs by from its linearisation, relative likewise. */
static double relation_defect(const perp_simulation *sim, const interaction_run *run, size_t k,
                              double part) {
  const size_t m = (size_t)run->m, n = (size_t)run->n;
  const double *H = run->at.H + k * m * n, *y = run->at.ydot + k * m;
  const double *base = run->at.base + k * m, *full = run->at.predicted + k * m;
  const double *before = (run->order == 2 ? sim->ydot : sim->y) + run->row0 + k * m;
  double worst = 0;
  for (size_t i = 0; i < m; i++) {
    const double predicted = part == 1 ? full[i] : base[i] + part * (full[i] - base[i]);
    const double difference = fabs(y[i] - predicted);
    if (difference == 0) continue;
    double size = fabs(y[i]) + fabs(before[i]);
    for (int32_t s = 0; s < run->n_slots; s++) {
      const slot *at = &run->slots[s];
      const double *v = sim->trial_v + at->v0 + k * at->step;
      const double *from = sim->from_v + at->v0 + k * at->step;
      for (size_t c = 0; c < (size_t)at->n; c++)
        size += fabs(H[((size_t)at->column + c) * m + i]) * (fabs(v[c]) + fabs(from[c]));
    }
    if (!(difference <= worst * size)) worst = difference / size;
  }
  return worst;
}

double perp_live_defect(perp_simulation *sim, double part) {
  double worst = 0;
  memset(sim->defect, 0, sim->n_v * sizeof *sim->defect);
  memset(sim->defect_size, 0, sim->n_v * sizeof *sim->defect_size);
  for (int32_t r = 0; r < sim->n_system_runs; r++) {
    const system_run *run = &sim->systems[r];
    if (!run->live) continue;
    memcpy(sim->defect + run->v0, run->at.defect, run->size * sizeof(double));
    memcpy(sim->defect_size + run->v0, run->at.size, run->size * sizeof(double));
  }
  for (int32_t r = 0; r < sim->n_interaction_runs; r++) {
    const interaction_run *run = &sim->interactions[r];
    for (size_t k = 0; run->live && k < (size_t)run->count; k++) {
      if (!acts(sim, run, k)) continue;
      subtract_reaction(sim, run, k);
      const double defect = relation_defect(sim, run, k, part);
      if (!(defect <= worst)) worst = defect;
    }
  }
  for (int32_t r = 0; r < sim->n_system_runs; r++) {
    const system_run *run = &sim->systems[r];
    const size_t n = (size_t)run->n;
    for (size_t s = 0; s < (size_t)run->count; s++) {
      const size_t at = run->v0 + s * n;
      const double defect = relative(n, sim->defect + at, sim->defect_size + at);
      if (!(defect <= worst)) worst = defect;
    }
  }
  return worst;
}

double perp_live_imbalance(perp_simulation *sim) {
  double sum = 0;
  memset(sim->defect, 0, sim->n_v * sizeof *sim->defect);
  for (int32_t r = 0; r < sim->n_system_runs; r++) {
    const system_run *run = &sim->systems[r];
    if (run->live) memcpy(sim->defect + run->v0, run->at.defect, run->size * sizeof(double));
  }
  for (int32_t i = 0; i < sim->n_interaction_runs; i++) {
    const interaction_run *run = &sim->interactions[i];
    const size_t m = (size_t)run->m, n = (size_t)run->n;
    for (size_t k = 0; run->live && k < (size_t)run->count; k++) {
      const double *lambda = sim->trial_lambda + run->row0 + k * m;
      const double *H = run->at.H_before + k * m * n;
      if (!acts(sim, run, k)) continue;
      for (int32_t s = 0; s < run->n_slots; s++) {
        const slot *at = &run->slots[s];
        double *defect = sim->defect + at->v0 + k * at->step;
        for (size_t c = 0; at->run->live && c < (size_t)at->n; c++) {
          const size_t column = (size_t)at->column + c;
          if (run->order == 1) defect[c] -= at->run->gain * run->at.r[k * n + column];
          for (size_t j = 0; run->order == 2 && j < m; j++)
            defect[c] -= H[column * m + j] * lambda[j];
        }
      }
    }
  }
  for (size_t i = 0; i < sim->n_v; i++) sum += sim->defect[i] * sim->defect[i];
  return sqrt(sum);
}

/* --------------------------------------------------------------------------- commit ---- */

/* y and ẏ of the state from what was evaluated. */
static void store_outputs(perp_simulation *sim) {
  for (int32_t r = 0; r < sim->n_interaction_runs; r++) {
    const interaction_run *run = &sim->interactions[r];
    const size_t bytes = (size_t)run->m * (size_t)run->count * sizeof(double);
    if (!run->live) continue;
    memcpy(sim->y + run->row0, run->order == 2 ? run->at.y : run->at.ydot, bytes);
    if (run->order == 2) memcpy(sim->ydot + run->row0, run->at.ydot, bytes);
  }
}

void perp_live_commit(perp_simulation *sim, double t_next) {
  memcpy(sim->q, sim->trial_q, sim->n_q * sizeof *sim->q);
  for (int32_t r = 0; r < sim->n_system_runs; r++) {
    system_run *run = &sim->systems[r];
    if (!run->live) continue;
    memcpy(sim->v + run->v0, sim->trial_v + run->v0, run->size * sizeof *sim->v);
    double *end = run->at.end; /* f(t_{k+1}) is the next step's f(t_k) */
    run->at.end = run->at.now;
    run->at.now = end;
    run->at.t_now = t_next;
    run->at.now_known = 1;
  }
  store_outputs(sim);
}

static void set(double *to, const double *from, size_t n) {
  if (from != NULL)
    memcpy(to, from, n * sizeof *to);
  else
    memset(to, 0, n * sizeof *to);
}

/* The initial values of all systems as the iterate. */
static void set_iterate(perp_simulation *sim, const double *q, const double *v, const double *x) {
  size_t second = 0, first = 0;
  set(sim->trial_q, q, sim->n_q);
  for (int32_t r = 0; r < sim->n_system_runs; r++) {
    const system_run *run = &sim->systems[r];
    if (run->order == 2) {
      set(sim->trial_v + run->v0, v == NULL ? NULL : v + second, run->size);
      second += run->size;
    } else {
      set(sim->trial_v + run->v0, x == NULL ? NULL : x + first, run->size);
      first += run->size;
    }
  }
}

perp_status perp_live_masses(perp_simulation *sim, const double *q, double t, perp_info *info) {
  for (int32_t r = 0; r < sim->n_system_runs; r++) {
    system_run *run = &sim->systems[r];
    const size_t n = (size_t)run->n;
    for (size_t s = 0; run->live && s < (size_t)run->count; s++) {
      double *M = mass_of(run, s), *W = run->W + s * n * n;
      perp_status status = mass(sim, run, s, t, positions(run, q, s), M, info);
      if (status != PERP_OK) return status;
      memcpy(W, M, n * n * sizeof *W);
      status = perp_discretise_factor(sim, run->n, W, run->pivots + s * n);
      if (status != PERP_OK) return fail(info, status, "M", run->first + (int32_t)s, 0);
    }
  }
  return PERP_OK;
}

perp_status perp_live_initial(perp_simulation *sim, const double *q, const double *v,
                              const double *x, double t, double h, perp_info *info) {
  set_iterate(sim, q, v, x);
  memset(sim->trial_lambda, 0, sim->rows * sizeof *sim->trial_lambda);
  memset(sim->lambda, 0, sim->rows * sizeof *sim->lambda);
  memset(sim->acting, 0, (size_t)sim->units);
  perp_status status = perp_live_masses(sim, sim->trial_q, t, info);
  return status == PERP_OK ? perp_live_relations(sim, t, h, 1, info) : status;
}

void perp_live_outputs(perp_simulation *sim) { store_outputs(sim); }
