/* SPDX-License-Identifier: MIT */
/* Smooth motion over one step:
 *   v_free = v + (P v + R q + drift),   q⁺ = q + h(θ v⁺ + (1−θ) v),
 *   order 1:  x_free = x + (P x + drift) + h W⁻¹ a + gain_begin W⁻¹ B λ_k,
 *   y = H q + offset,  ẏ = H v + D λ   (order 1:  y = H x + D λ + offset). */
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "linalg/dense.h"
#include "stepping/flat.h"
#include "stepping/stages.h"

/* --------------------------------------------------------------------------- forces ---- */

static perp_status evaluate(const system_run *run, double t, double *force, perp_info *info) {
  const char *name = run->order == 1 ? "input" : "force";
  memset(force, 0, (size_t)run->n * sizeof *force);
  int32_t answer = run->force(t, force, run->user);
  if (answer < 0) return fail_system(info, PERP_ECALLBACK, name, run->first, answer);
  if (answer > 0) return fail_system(info, PERP_RETRY, name, run->first, answer);
  size_t n = (size_t)run->n, bad = first_not_finite(n, force);
  return bad == n ? PERP_OK : fail_system(info, PERP_ENOTFINITE, name, run->first, force[bad]);
}

perp_status perp_motion_forces(perp_simulation *sim, double t_next, double h, perp_info *info) {
  double t = sim->state.head->t;
  for (int32_t r = 0; r < sim->runs.n_system_runs; r++) {
    system_run *run = &sim->runs.systems[r];
    if (run->force == NULL) continue;
    if (!run->begin_known || run->t_begin != t) {
      run->begin_known = 0;
      perp_status status = evaluate(run, t, run->force_begin, info);
      if (status != PERP_OK) return status;
      run->t_begin = t;
      run->begin_known = 1;
    }
    perp_status status = evaluate(run, t_next, run->force_end, info);
    if (status != PERP_OK) return status;
    perp_weights w;
    run->integrator->weights(h, run->theta, &w);
    status = perp_discretise_drift(sim, run, w.s);
    if (status != PERP_OK) return fail_system(info, status, "backend", run->first, h);
  }
  return PERP_OK;
}

/* ---------------------------------------------------------------------- free motion ---- */

/* sum + row i of A (n x n) times x; A NULL: 0. */
static inline double add_row(double sum, size_t n, const double *A, size_t i, const double *x) {
  if (A == NULL) return sum;
  for (size_t j = 0; j < n; j++) sum += x[j] * A[i + n * j];
  return sum;
}

/* Free motion under dense operators of n rows, which the compiler unrolls where it knows n. */
static inline void free_rows(const system_run *run, size_t n, const double *restrict v,
                             const double *restrict q, double *restrict out) {
  const double *drift = run->drift, *P = run->P, *R = run->R, *end = out + run->size;
  const size_t step_q = run->order == 2 ? n : 0;
  for (; out < end; v += n, q += step_q, out += n)
    for (size_t i = 0; i < n; i++)
      out[i] = v[i] + add_row(add_row(drift[i], n, P, i, v), n, R, i, q);
}

void perp_motion_free_small(const system_run *run, const double *v, const double *q, double *out) {
  if (run->n == 1)
    free_rows(run, 1, v, q, out);
  else if (run->n == 2)
    free_rows(run, 2, v, q, out);
  else
    free_rows(run, 3, v, q, out);
}

static void free_dense(perp_simulation *sim, const system_run *run, const double *v,
                       const double *q, double *out) {
  int32_t n = run->n;
  size_t size = (size_t)n;
  const perp_backend *backend = n >= PERP_BACKEND_MIN ? sim->options.backend : NULL;
  void (*multiply_add)(int32_t, int32_t, const double *, int32_t, const double *, double *) =
      backend != NULL ? backend->multiply_add : perp_dense_multiply_add;
  double *increment = sim->step.increment;
  for (int32_t s = 0; s < run->count; s++, v += size, q += run->order == 2 ? size : 0) {
    memcpy(increment, run->drift, size * sizeof *increment);
    if (run->P != NULL) multiply_add(n, n, run->P, n, v, increment);
    if (run->R != NULL) multiply_add(n, n, run->R, n, q, increment);
    for (size_t i = 0; i < size; i++) *out++ = v[i] + increment[i];
  }
}

/* free_v += h W⁻¹ a of the relations with a constant reaction. */
static void add_constant_reaction(perp_simulation *sim, const interaction_run *run) {
  for (int32_t s = 0; s < run->n_slots; s++) {
    const slot *at = &run->slots[s];
    for (int32_t k = 0; k < run->count; k++) {
      if (layout_rests(sim, run, k)) continue;
      for (int32_t c = 0; c < at->n; c++)
        sim->step.free_v[at->v0 + at->step * (size_t)k + (size_t)c] += run->Ga[at->column + c];
    }
  }
}

/* free_v += gain_begin W⁻¹ B λ_k of the systems that are not sparse. */
static void add_reactions_begin(perp_simulation *sim, const interaction_run *run) {
  const size_t m = (size_t)run->m, n = (size_t)run->n;
  for (int32_t k = 0; k < run->count; k++) {
    const double *lambda = sim->state.lambda + run->row0 + (size_t)k * m;
    if (layout_rests(sim, run, k)) continue;
    for (int32_t s = 0; s < run->n_slots; s++) {
      const slot *at = &run->slots[s];
      double *v = sim->step.free_v + at->v0 + at->step * (size_t)k;
      for (size_t r = 0; !at->run->sparse && r < m; r++) {
        const double *column = run->G_begin + (size_t)at->column + n * r;
        for (int32_t c = 0; lambda[r] != 0 && c < at->n; c++) v[c] += column[c] * lambda[r];
      }
    }
  }
}

perp_status perp_motion_free(perp_simulation *sim, double h, perp_info *info) {
  for (int32_t r = 0; r < sim->runs.n_system_runs; r++) {
    const system_run *run = &sim->runs.systems[r];
    const double *v = sim->state.v + run->v0, *q = sim->state.q + run->q0;
    if (run->live) continue; /* by Newton's iteration */
    double *out = sim->step.free_v + run->v0;
    if (run->sparse) {
      perp_status status = sim->sparse->free_motion(sim, run, h, v, q, out);
      if (status != PERP_OK) return fail_system(info, status, "sparse", run->first, h);
    } else if (!run->dense) {
      flat_free_diagonal(run, v, q, out);
#if !defined(__OPTIMIZE_SIZE__)
    } else if (run->n < FLAT_SMALL) {
      perp_motion_free_small(run, v, q, out);
#endif
    } else {
      free_dense(sim, run, v, q, out);
    }
  }
  for (int32_t r = 0; sim->runs.have_a && r < sim->runs.n_interaction_runs; r++)
    if (sim->runs.interactions[r].Ga != NULL && !sim->runs.interactions[r].live)
      add_constant_reaction(sim, &sim->runs.interactions[r]);
  for (int32_t r = 0; sim->runs.have_reactions_begin && r < sim->runs.n_interaction_runs; r++)
    if (sim->runs.interactions[r].G_begin != NULL)
      add_reactions_begin(sim, &sim->runs.interactions[r]);
  if (!sim->runs.have_reactions_begin || sim->sparse == NULL) return PERP_OK;
  perp_status status = sim->sparse->reactions_begin(sim);
  return status == PERP_OK ? PERP_OK : fail(info, status, "sparse", -1, h);
}

/* --------------------------------------------------------------------------- commit ---- */

/* First position of a run that would not be finite, its size if there is none. */
static size_t first_lost(const perp_simulation *sim, const system_run *run, double h,
                         double *lost) {
  const double *q = sim->state.q + run->q0, *v = sim->state.v + run->v0,
               *v_new = sim->step.free_v + run->v0;
  double new_part = h * run->theta, old_part = h * (1 - run->theta);
  size_t i = 0;
  for (; i < run->size; i++) {
    *lost = q[i] + (new_part * v_new[i] + old_part * v[i]);
    if (!is_finite(*lost)) break;
  }
  return i;
}

perp_status perp_motion_check(perp_simulation *sim, double h, perp_info *info) {
  int moderate = all_moderate(sim->state.n_v, sim->step.free_v) && h < 1e15;
  if (!moderate || !sim->state.moderate) {
    size_t bad = first_not_finite(sim->state.n_v, sim->step.free_v);
    if (bad < sim->state.n_v)
      return fail(info, PERP_ENOTFINITE, "v", (int32_t)bad, sim->step.free_v[bad]);
    for (int32_t r = 0; r < sim->runs.n_system_runs; r++) {
      const system_run *run = &sim->runs.systems[r];
      double lost = 0;
      bad = run->order == 2 && !run->live ? first_lost(sim, run, h, &lost) : run->size;
      if (bad < run->size) return fail(info, PERP_ENOTFINITE, "q", (int32_t)(run->q0 + bad), lost);
    }
  }
  sim->state.moderate = moderate;
  return PERP_OK;
}

void perp_motion_commit(perp_simulation *sim, double t_next, double h) {
  for (int32_t r = 0; r < sim->runs.n_system_runs; r++) {
    system_run *run = &sim->runs.systems[r];
    if (!run->live) flat_commit_run(sim, run, t_next, h); /* else by its stage */
  }
}

/* -------------------------------------------------------------------------- outputs ---- */

perp_status perp_motion_offsets(perp_simulation *sim, perp_info *info) {
  for (int32_t r = 0; r < sim->runs.n_interaction_runs; r++) {
    interaction_run *run = &sim->runs.interactions[r];
    if (run->F == NULL) continue;
    memcpy(run->offset, run->b, (size_t)run->m * sizeof(double));
    perp_dense_multiply_add(run->m, run->n_z, run->F, run->m, run->z, run->offset);
    size_t m = (size_t)run->m, bad = first_not_finite(m, run->offset);
    if (bad < m) return fail_interaction(info, PERP_ENOTFINITE, "z", run->first, run->offset[bad]);
  }
  return PERP_OK;
}

/* out += D λ for every interaction of a run. */
static void add_D(const perp_simulation *sim, const interaction_run *run, double *out) {
  size_t m = (size_t)run->m;
  const double *lambda = sim->state.lambda + run->row0;
  for (int32_t k = 0; k < run->count; k++, lambda += m, out += m)
    perp_dense_multiply_add(run->m, run->m, run->D, run->m, lambda, out);
}

void perp_motion_outputs(perp_simulation *sim) {
  for (int32_t i = 0; i < sim->runs.n_interaction_runs; i++) {
    const interaction_run *run = &sim->runs.interactions[i];
    if (run->order != 2 || run->live) continue;
    flat_outputs(sim, run);
    if (run->D != NULL) add_D(sim, run, sim->state.ydot + run->row0);
  }
}

void perp_motion_middle(perp_simulation *sim) {
  const double end = sim->options.reaction_gamma, begin = 1 - end;
  for (size_t i = 0; i < sim->state.n_v; i++)
    sim->step.middle[i] = end * sim->step.free_v[i] + begin * sim->state.v[i];
}

/* y = H x + D λ + offset of interaction k at order 1. */
static void outputs_first(const perp_simulation *sim, const interaction_run *run, int32_t k,
                          const double *x) {
  const size_t row = run->row0 + (size_t)k * (size_t)run->m;
  double *y = sim->state.y + row;
  flat_rows(run, (size_t)k, 0, run->m, x, y);
  if (run->D != NULL)
    perp_dense_multiply_add(run->m, run->m, run->D, run->m, sim->state.lambda + row, y);
}

void perp_motion_outputs_first(perp_simulation *sim, int resting) {
  if (resting && sim->step.middle != NULL) perp_motion_middle(sim);
  for (int32_t i = 0; i < sim->runs.n_interaction_runs; i++) {
    const interaction_run *run = &sim->runs.interactions[i];
    const double *end = run->gamma != 1 ? sim->step.middle : sim->step.free_v;
    for (int32_t k = 0; run->order == 1 && !run->live && k < run->count; k++)
      if (!resting || layout_rests(sim, run, k))
        outputs_first(sim, run, k, resting ? end : sim->state.v);
  }
}
