/* SPDX-License-Identifier: MIT */
/* Varying relations at an iterate: values, what they add to W, G, right-hand side, reactions
 * (live.h). */
#include <string.h>

#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "stepping/live.h"
#include "stepping/state_component.h"

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

/* v = (q_{k+1} − q_{k−1}) / (2h). */
static const double *gather_mean(const perp_simulation *sim, const interaction_run *run, size_t k,
                                 double h) {
  for (int32_t s = 0; s < run->n_slots; s++) {
    const slot *at = &run->slots[s];
    const double *change = sim->iterate.v + at->v0 + k * at->step;
    for (int32_t i = 0; i < at->n; i++) sim->iterate.gather_v[at->column + i] = change[i] / (2 * h);
  }
  return sim->iterate.gather_v;
}

/* x_{k+γ} = γ x + (1−γ) x_k. */
static const double *gather_middle(const perp_simulation *sim, const interaction_run *run,
                                   size_t k) {
  for (int32_t s = 0; s < run->n_slots; s++) {
    const slot *at = &run->slots[s];
    const double *x = sim->iterate.v + at->v0 + k * at->step,
                 *before = sim->state.v + at->v0 + k * at->step;
    for (int32_t i = 0; i < at->n; i++)
      sim->iterate.gather_v[at->column + i] = run->gamma * x[i] + (1 - run->gamma) * before[i];
  }
  return sim->iterate.gather_v;
}

/* What the relation calls v, or x. */
static const double *gather(const perp_simulation *sim, const interaction_run *run, size_t k,
                            double h) {
  if (run->two_step && !sim->iterate.starting) return gather_mean(sim, run, k, h);
  if (run->gamma != 1 && !sim->iterate.starting) return gather_middle(sim, run, k);
  return gather_v(run, k, sim->iterate.v, sim->iterate.gather_v);
}

double *perp_live_relation_positions(const perp_simulation *sim, const interaction_run *run,
                                     size_t k) {
  double *to = sim->iterate.gather_q;
  for (int32_t s = 0; s < run->n_slots; s++) {
    const slot *at = &run->slots[s];
    const size_t n_q = (size_t)at->run->n_q;
    memcpy(to, sim->iterate.q + at->q0 + k * at->step_q, n_q * sizeof *to);
    to += n_q;
  }
  return sim->iterate.gather_q;
}

static const double *gather_q(const perp_simulation *sim, const interaction_run *run, size_t k) {
  if (run->order == 1) return NULL;
  if (run->n_slots == 1) return sim->iterate.q + run->slots[0].q0 + k * run->slots[0].step_q;
  return perp_live_relation_positions(sim, run, k);
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
  if (t.H != NULL)
    memcpy(out->H, t.H, m * n * sizeof(double));
  else
    perp_matrix_to_dense(&t.H_rows, out->H, run->m);
  memcpy(out->y, run->offset, m * sizeof(double));
  perp_dense_multiply_add(run->m, run->n, out->H, run->m, at->v, y);
  if (run->order == 2) perp_dense_multiply_add(run->m, run->n, out->H, run->m, at->q, out->y);
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

/* Derivatives by x_{k+1} from those by x_{k+γ}. */
static void scale_middle(const interaction_run *run, const perp_relation_values *out) {
  const size_t m = (size_t)run->m, n = (size_t)run->n;
  for (size_t i = 0; i < m * n; i++) out->H[i] *= run->gamma;
  for (size_t i = 0; out->K != NULL && i < n * n; i++) out->K[i] *= run->gamma;
}

/* Everything about interaction k of a live run at the iterate. */
static perp_status evaluate_relation(perp_simulation *sim, interaction_run *run, size_t k, double t,
                                     double h, perp_info *info) {
  live_interaction *at = &run->at;
  const size_t m = (size_t)run->m, n = (size_t)run->n, row = run->row0 + k * m;
  const int32_t index = run->first + (int32_t)k;
  const int first = run->order == 1;
  const int middle = run->gamma != 1 && !sim->iterate.starting;
  const perp_relation_point point = {
      middle ? t - (1 - run->gamma) * h : t,
      h,
      gather_q(sim, run, k),
      gather(sim, run, k, h),
      sim->iterate.lambda + row,
      sim->iterate.starting ? sim->iterate.lambda + row : sim->state.lambda + row,
      sim->iterate.starting ? h : sim->state.head->h};
  const perp_relation_values out = {first ? at->ydot + k * m : at->y + k * m,
                                    first ? NULL : at->ydot + k * m,
                                    at->H + k * m * n,
                                    piece(run->D, k, m * m),
                                    piece(at->r, k, n),
                                    piece(at->B, k, n * m),
                                    piece(at->K, k, n * n)};
  double *y = at->y + k * m, *ydot = at->ydot + k * m;
  memset(y, 0, m * sizeof *y);
  memset(ydot, 0, m * sizeof *ydot);
  memset(out.H, 0, m * n * sizeof(double));
  if (out.D != NULL) memset(out.D, 0, m * m * sizeof(double));
  if (first) {
    memset(out.r, 0, n * sizeof(double));
    memset(out.B, 0, n * m * sizeof(double));
    if (out.K != NULL) memset(out.K, 0, n * n * sizeof(double));
  }
  if (run->relation->ops->terms != NULL) {
    evaluate_terms(run, &point, &out);
    if (middle) scale_middle(run, &out);
    return PERP_OK; /* of finite constants; what overflows shows in the residual */
  }
  const int32_t code =
      run->relation->ops->evaluate(run->relation, &point, &out, sim->iterate.scratch);
  const uint32_t of = PERP_OF_INTERACTION;
  perp_status status = live_answer(of, code, "relation", index, info);
  if (status == PERP_OK) status = live_finite(of, m, y, "y", index, info);
  if (status == PERP_OK) status = live_finite(of, m, ydot, "ydot", index, info);
  if (status == PERP_OK) status = live_finite(of, m * n, out.H, first ? "C" : "H", index, info);
  if (status == PERP_OK && out.D != NULL) status = live_finite(of, m * m, out.D, "D", index, info);
  if (status == PERP_OK && first) {
    status = live_finite(of, n, out.r, "r", index, info);
    if (status == PERP_OK) status = live_finite(of, n * m, out.B, "B", index, info);
    if (status == PERP_OK && out.K != NULL)
      status = live_finite(of, n * n, out.K, "K", index, info);
  }
  if (middle) scale_middle(run, &out);
  if (status != PERP_ENOTFINITE) return status;
  const callback_site place = {NULL, run->relation, point.t, point.q, point.v, point.lambda};
  return live_blame(of, sim, &place, index, info);
}

int32_t perp_live_relation_probe(perp_simulation *sim, const interaction_run *run, size_t k,
                                 double t, double h) {
  const size_t m = (size_t)run->m, n = (size_t)run->n, row = run->row0 + k * m;
  const perp_relation_point point = {t,
                                     h,
                                     sim->iterate.gather_q,
                                     gather(sim, run, k, h),
                                     sim->iterate.lambda + row,
                                     sim->state.lambda + row,
                                     sim->state.head->h};
  double *rest = sim->iterate.probe + m * n;
  const perp_relation_values out = {
      rest, rest + m, sim->iterate.probe, run->D == NULL ? NULL : rest + 2 * m, NULL, NULL, NULL};
  memset(sim->iterate.probe, 0, layout_probe_doubles(run->m, run->n) * sizeof *sim->iterate.probe);
  const int32_t code =
      run->relation->ops->evaluate(run->relation, &point, &out, sim->iterate.scratch);
  return code == 0 && !all_finite(m * n, sim->iterate.probe) ? 1 : code;
}

perp_status perp_live_relations(perp_simulation *sim, double t, double h, int others,
                                perp_info *info) {
  for (int32_t r = 0; r < sim->runs.n_interaction_runs; r++) {
    interaction_run *run = &sim->runs.interactions[r];
    for (size_t k = 0; run->live && k < (size_t)run->count; k++) {
      if (live_acts(sim, run, k) == others) continue;
      const perp_status status = evaluate_relation(sim, run, k, t, h, info);
      if (status != PERP_OK) return status;
    }
  }
  return PERP_OK;
}

/* load += gain W⁻¹ a on a constant system: its free velocities stand already, and what else reacts
 * on it is B λ, since relations that vary leave no system of order 1 constant. */
static perp_status add_constant(const perp_simulation *sim, const interaction_run *run,
                                const slot *at, double *load) {
  double *part = sim->step.increment;
  if (run->a == NULL) return PERP_OK;
  for (int32_t i = 0; i < at->n; i++) part[i] = at->run->gain * run->a[at->column + i];
  const perp_status status = perp_discretise_solve(sim, at->run, 0, 1, part, at->n);
  for (int32_t i = 0; i < at->n; i++) load[i] += part[i];
  return status;
}

perp_status perp_live_relation_load(perp_simulation *sim, const interaction_run *run, size_t k) {
  const size_t m = (size_t)run->m, n = (size_t)run->n;
  const double *r = run->at.r + k * n, *B = run->at.B + k * n * m;
  const double *begin = run->at.r_begin == NULL ? NULL : run->at.r_begin + k * n;
  const double *lambda = sim->iterate.lambda + run->row0 + k * m;
  for (int32_t s = 0; s < run->n_slots; s++) {
    const slot *at = &run->slots[s];
    const system_run *system = at->run;
    const double gain = system->gain;
    const size_t width = (size_t)at->n, column = (size_t)at->column;
    const size_t member = (size_t)(at->system0 - system->first) + k * (size_t)at->stride;
    double *load = sim->step.free_v + at->v0 + k * at->step;
    if (!system->live) {
      const perp_status status = add_constant(sim, run, at, load);
      if (status != PERP_OK) return status;
      continue;
    }
    for (size_t i = 0; i < width; i++) {
      double sum = r[column + i];
      for (size_t j = 0; j < m; j++) sum -= B[column + i + n * j] * lambda[j];
      load[i] += gain * sum;
      if (begin != NULL) load[i] += system->gain_begin * begin[column + i];
    }
    if (run->at.K == NULL) continue;
    for (int32_t p = 0; p < run->n_slots; p++) {
      const slot *by = &run->slots[p];
      int32_t ld = at->n;
      double *entry = live_is_alone(sim, at->system0)
                          ? system->at.unfactored + member * width * width
                          : perp_component_entry(sim, at->system0, by->system0, &ld);
      const double *K = run->at.K + k * n * n + column + n * (size_t)by->column;
      for (size_t j = 0; j < (size_t)by->n; j++)
        for (size_t i = 0; i < width; i++) entry[i + (size_t)ld * j] -= gain * K[i + n * j];
    }
  }
  return PERP_OK;
}

perp_status perp_live_relation_gain(const perp_simulation *sim, const interaction_run *run,
                                    size_t k) {
  const size_t m = (size_t)run->m, n = (size_t)run->n;
  const double *H = run->at.H + k * m * n;
  const size_t ld = (size_t)run->n_gain;
  double *G = run->G + k * run->G_step;
  if (run->order == 1)
    for (size_t r = 0; r < m; r++) {
      const double *B = run->at.B + k * n * m + r * n, scale = run->slots[0].run->gain;
      for (size_t c = 0; c < ld; c++) G[c + ld * r] = c < n ? scale * B[c] : 0;
    }
  else
    for (size_t c = 0; c < n; c++)
      for (size_t r = 0; r < m; r++) G[c + n * r] = H[r + m * c];
  if (run->wide != run->slots) return perp_component_gain(sim, run, G);
  for (int32_t s = 0; s < run->n_slots; s++) {
    const slot *at = &run->slots[s];
    const int32_t member = at->system0 - at->run->first + (int32_t)k * at->stride;
    const perp_status status =
        perp_discretise_solve(sim, at->run, member, run->m, G + at->gain, run->n_gain);
    if (status != PERP_OK) return status;
  }
  return PERP_OK;
}

perp_status perp_live_reactions_begin(perp_simulation *sim, double h, perp_info *info) {
  for (int32_t r = 0; r < sim->runs.n_interaction_runs; r++) {
    interaction_run *run = &sim->runs.interactions[r];
    for (size_t k = 0; run->at.r_begin != NULL && k < (size_t)run->count; k++) {
      const perp_status status = evaluate_relation(sim, run, k, sim->state.head->t, h, info);
      if (status != PERP_OK) return status;
      memcpy(run->at.r_begin + k * (size_t)run->n, run->at.r + k * (size_t)run->n,
             (size_t)run->n * sizeof(double));
    }
  }
  return PERP_OK;
}

/* ------------------------------------------------------------- right-hand side, apply ---- */

void perp_live_rhs(const perp_simulation *sim, const interaction_run *run, const segment *at,
                   double *rhs) {
  const size_t m = (size_t)run->m, size = (size_t)run->size;
  for (int32_t u = 0; u < at->count; u++, rhs += size) {
    const int32_t unit = at->k * run->copies + at->copy + u;
    const size_t k = (size_t)(unit / run->copies), first = (size_t)(unit % run->copies) * size;
    const double *y = live_level(run) + k * m + first;
    for (size_t i = 0; i < size; i++) rhs[i] = y[i];
    live_add_change(run, k, first, size, sim->step.free_v, sim->iterate.v, rhs);
    if (run->D == NULL) continue;
    const double *D = run->D + k * run->D_step + first,
                 *lambda = sim->iterate.lambda + run->row0 + k * m;
    for (size_t j = 0; j < m; j++)
      for (size_t i = 0; i < size; i++) rhs[i] -= D[m * j + i] * lambda[j];
  }
}

void perp_live_apply(perp_simulation *sim, const interaction_run *run, const segment *at,
                     const double *lambda) {
  const size_t n = (size_t)run->n_gain, size = (size_t)run->size;
  for (int32_t u = 0; u < at->count; u++, lambda += size) {
    const int32_t unit = at->k * run->copies + at->copy + u;
    const size_t k = (size_t)(unit / run->copies), first = (size_t)(unit % run->copies) * size;
    const double *G = run->G + k * run->G_step + first * n;
    for (int32_t s = 0; s < run->n_wide; s++) {
      const slot *joined = &run->wide[s];
      double *v = sim->step.free_v + joined->v0 + k * joined->step;
      for (size_t i = 0; i < size; i++)
        for (size_t c = 0; c < (size_t)joined->n; c++)
          v[c] += G[n * i + (size_t)joined->gain + c] * lambda[i];
    }
  }
}
