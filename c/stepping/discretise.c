/* SPDX-License-Identifier: MIT */
/* The constant parts of a step of length h:
 *   W = M + w_A A + w_C C + w_K K,  W P = p_A A + p_C C + p_K K,  W R = r_K K,
 *   drift = s W⁻¹ F,  G = gain W⁻¹ B,
 * and gain_begin W⁻¹ B, h W⁻¹ a where the reactions at the begin of the step have a weight. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "linalg/dense.h"
#include "stepping/stages.h"

/* out (n x n) += a A, A zero, diagonal or dense and tight. */
static void add_dense(int32_t n, double a, const perp_matrix *A, double *out) {
  size_t size = (size_t)n;
  if (A->kind == PERP_DENSE)
    for (size_t i = 0; i < size * size; i++) out[i] += a * A->values[i];
  if (A->kind == PERP_DIAGONAL)
    for (size_t i = 0; i < size; i++) out[i * (size + 1)] += a * A->values[i];
}

/* out (n) += a diag(A). */
static void add_diagonal(int32_t n, double a, const perp_matrix *A, double *out) {
  if (A->kind == PERP_ZERO) return;
  for (int32_t i = 0; i < n; i++) out[i] += a * A->values[i];
}

/* out := M, the identity where it is absent. */
static void set_mass(const system_run *run, double *out) {
  size_t n = (size_t)run->n, stride = run->dense ? n + 1 : 1;
  memset(out, 0, (run->dense ? n * n : n) * sizeof *out);
  if (run->M.kind == PERP_ZERO)
    for (size_t i = 0; i < n; i++) out[i * stride] = 1;
  else if (run->dense)
    add_dense(run->n, 1, &run->M, out);
  else
    add_diagonal(run->n, 1, &run->M, out);
}

/* Own kernels for small matrices, the back end's for large ones if there is one. */
static const perp_backend *backend_for(const perp_simulation *sim, int32_t n) {
  return n >= PERP_BACKEND_MIN ? sim->options.backend : NULL;
}

/* Whether a pivot of a dense factor is rounding: below n ε of the largest entry of its column of U.
 * By columns, since the sizes of a matrix with mixed units say nothing about its rank. */
static int nearly_singular(int32_t n, const double *U) {
  for (int32_t j = 0; j < n; j++, U += n) {
    double largest = 0;
    for (int32_t i = 0; i <= j; i++) largest = fabs(U[i]) > largest ? fabs(U[i]) : largest;
    if (!(fabs(U[j]) > n * DBL_EPSILON * largest)) return 1;
  }
  return 0;
}

perp_status perp_discretise_factor(const perp_simulation *sim, int32_t n, double *W,
                                   int32_t *pivots) {
  const perp_backend *backend = backend_for(sim, n);
  perp_status status =
      backend != NULL ? backend->lu_factor(n, W, n, pivots) : perp_dense_lu_factor(n, W, n, pivots);
  if (status != PERP_OK) return status;
  return nearly_singular(n, W) ? PERP_EINVAL : PERP_OK;
}

/* Factorise W in place. */
static perp_status factorise(const perp_simulation *sim, system_run *run) {
  int32_t n = run->n;
  if (!run->dense) {
    for (int32_t i = 0; i < n; i++) {
      run->W[i] = 1 / run->W[i];
      if (!is_finite(run->W[i]) || run->W[i] == 0) return PERP_EINVAL;
    }
    return PERP_OK;
  }
  return perp_discretise_factor(sim, n, run->W, run->pivots);
}

perp_status perp_discretise_solve(const perp_simulation *sim, const system_run *run, int32_t member,
                                  int32_t columns, double *X, int32_t ld) {
  if (run->sparse) return sim->sparse->solve(sim, run, columns, X, ld);
  const perp_backend *backend = backend_for(sim, run->n);
  const size_t n = (size_t)run->n, at = run->live ? (size_t)member : 0;
  const double *W = run->W + at * n * n;
  const int32_t *pivots = at > 0 ? run->pivots + at * n : run->pivots;
  if (!run->dense) {
    for (int32_t j = 0; j < columns; j++)
      for (int32_t i = 0; i < run->n; i++) X[(size_t)j * (size_t)ld + (size_t)i] *= run->W[i];
  } else if (backend != NULL) {
    return backend->lu_solve(run->n, columns, W, run->n, pivots, X, ld);
  } else if (run->live && run->at.factor_band[member] < run->n) {
    perp_dense_lu_solve_band(run->n, run->at.factor_band[member], columns, W, X, ld);
  } else {
    perp_dense_lu_solve(run->n, columns, W, run->n, pivots, X, ld);
  }
  return PERP_OK;
}

/* part (n of the slot x columns, stride ld) := weight W⁻¹ part. */
static perp_status solve_slot(const perp_simulation *sim, const slot *at, double weight,
                              int32_t columns, double *part, int32_t ld) {
  perp_status status = perp_discretise_solve(sim, at->run, 0, columns, part, ld);
  for (size_t j = 0; j < (size_t)columns; j++)
    for (size_t c = 0; c < (size_t)at->n; c++) part[j * (size_t)ld + c] *= weight;
  return status;
}

/* Repeat the first n entries over the tile. */
static void repeat(const system_run *run, double *x) {
  for (int32_t i = run->n; i < run->tile; i++) x[i] = x[i - run->n];
}

/* out += a A, in the form of the run's W. */
static void add(const system_run *run, double a, const perp_matrix *A, double *out) {
  if (run->dense)
    add_dense(run->n, a, A, out);
  else
    add_diagonal(run->n, a, A, out);
}

/* X := W⁻¹ (a A + c C + k K); NULL: nothing to do. */
static perp_status combine(const perp_simulation *sim, const system_run *run, double a, double c,
                           double k, double *X) {
  int32_t n = run->n, columns = run->dense ? n : 1;
  if (X == NULL) return PERP_OK;
  memset(X, 0, (size_t)n * (size_t)columns * sizeof *X);
  add(run, a, &run->A, X);
  add(run, c, &run->C, X);
  add(run, k, &run->K, X);
  perp_status status = perp_discretise_solve(sim, run, 0, columns, X, n);
  if (!run->dense) repeat(run, X);
  return status;
}

perp_status perp_discretise_drift(const perp_simulation *sim, system_run *run, double s) {
  for (int32_t i = 0; i < run->n; i++) {
    double force = run->constant[i];
    if (run->force != NULL)
      force += run->theta * run->force_end[i] + (1 - run->theta) * run->force_begin[i];
    run->drift[i] = s * force;
  }
  if (run->sparse) return PERP_OK; /* solved for with the rest of the free motion */
  perp_status status = perp_discretise_solve(sim, run, 0, 1, run->drift, run->n);
  repeat(run, run->drift);
  return status;
}

static perp_status discretise_system(perp_simulation *sim, system_run *run, double h) {
  perp_weights w;
  run->integrator->weights(h, run->theta, &w);
  run->gain = w.s_reaction;
  run->gain_begin = 0;
  if (run->integrator->reaction == PERP_REACTION_WEIGHTED) {
    run->gain = w.s_reaction * sim->options.reaction_gamma;
    run->gain_begin = w.s_reaction * (1 - sim->options.reaction_gamma);
  }
  if (run->live) return PERP_OK; /* its W is made at every iterate */
  if (run->sparse) {
    perp_status status = sim->sparse->factorise(sim, run, &w);
    if (status == PERP_OK && run->force == NULL) status = perp_discretise_drift(sim, run, w.s);
    return status;
  }
  set_mass(run, run->W);
  add(run, w.w_A, &run->A, run->W);
  add(run, w.w_C, &run->C, run->W);
  add(run, w.w_K, &run->K, run->W);
  perp_status status = factorise(sim, run);
  if (status == PERP_OK) status = combine(sim, run, w.p_A, w.p_C, w.p_K, run->P);
  if (status == PERP_OK) status = combine(sim, run, 0, 0, w.r_K, run->R);
  if (status == PERP_OK && run->force == NULL) status = perp_discretise_drift(sim, run, w.s);
  return status;
}

/* Terms of the columns of G, slot by slot. */
static void list_G(interaction_run *run) {
  int32_t count = 0;
  for (int32_t r = 0; r < run->m; r++) {
    run->G_start[r] = count;
    for (int32_t s = 0; s < run->n_slots; s++) {
      const slot *at = &run->slots[s];
      for (int32_t c = 0; !at->run->sparse && c < at->n; c++) {
        double value = run->G[(size_t)r * (size_t)run->n_gain + (size_t)(at->gain + c)];
        if (value == 0) continue;
        term t = {value, s, c, at->q0 + (size_t)c, at->v0 + (size_t)c};
        run->G_terms[count++] = t;
      }
    }
  }
  run->G_start[run->m] = count;
}

/* G := B, which is Hᵀ at order 2, without the sparse systems. */
static void set_B(interaction_run *run) {
  size_t m = (size_t)run->m, n = (size_t)run->n_gain, slots = (size_t)run->n_slots;
  if (n > 0) memset(run->G, 0, n * m * sizeof(double));
  for (size_t r = 0; r < m; r++)
    for (size_t s = 0; s < slots; s++) {
      const slot *at = &run->slots[s];
      if (at->run->sparse) continue;
      double *part = run->G + r * n + at->gain;
      if (run->order == 1 && run->B != NULL)
        memcpy(part, run->B + r * (size_t)run->n + at->column, (size_t)at->n * sizeof *part);
      for (int32_t i = run->H_start[r * slots + s];
           run->order == 2 && i < run->H_start[r * slots + s + 1]; i++)
        part[run->H[i].column] = run->H[i].value;
    }
}

/* The law's own part of D. */
static void set_compliance(const interaction_run *run, double h) {
  if (run->compliance == NULL) return;
  memset(run->compliance, 0, (size_t)run->size * (size_t)run->size * sizeof(double));
  run->law->ops->compliance(run->law, h, run->compliance);
}

/* Whether H G is finite, which a live model has no matrix to see in before its first step. */
static int has_finite_products(const interaction_run *run) {
  const size_t n = (size_t)run->n_gain;
  for (int32_t j = 0; j < run->m; j++)
    for (const term *t = run->H; t < run->H + run->H_start[run->m * run->n_slots]; t++) {
      const slot *at = &run->slots[t->slot];
      if (at->run->sparse) continue;
      if (!is_finite(t->value * run->G[(size_t)j * n + (size_t)(at->gain + t->column)])) return 0;
    }
  return 1;
}

static perp_status discretise_interaction(const perp_simulation *sim, interaction_run *run) {
  const size_t m = (size_t)run->m;
  perp_status status = PERP_OK;
  set_B(run);
  if (run->Ga != NULL) memcpy(run->Ga, run->a, (size_t)run->n * sizeof(double));
  if (run->G_begin != NULL) memcpy(run->G_begin, run->B, (size_t)run->n * m * sizeof(double));
  for (int32_t s = 0; s < run->n_slots && status == PERP_OK; s++) {
    const slot *at = &run->slots[s];
    const double gain = at->run->gain, gain_begin = at->run->gain_begin;
    if (!at->run->sparse)
      status = solve_slot(sim, at, gain, run->m, run->G + at->gain, run->n_gain);
    if (status == PERP_OK && run->Ga != NULL)
      status = solve_slot(sim, at, gain + gain_begin, 1, run->Ga + at->column, run->n);
    if (status == PERP_OK && run->G_begin != NULL && !at->run->sparse)
      status = solve_slot(sim, at, gain_begin, run->m, run->G_begin + at->column, run->n);
  }
  if (status != PERP_OK) return status;
  list_G(run);
  return has_finite_products(run) ? PERP_OK : PERP_ENOTFINITE;
}

void perp_discretise_dense(const perp_simulation *sim, const system_run *run, double *W) {
  perp_weights w;
  run->integrator->weights(sim->runs.h, run->theta, &w);
  set_mass(run, W);
  add_dense(run->n, w.w_A, &run->A, W);
  add_dense(run->n, w.w_C, &run->C, W);
  add_dense(run->n, w.w_K, &run->K, W);
}

/* Whether the one-step matrix of all units is finite; else the run of a row that is not is named.
 */
static perp_status check_matrix(const perp_simulation *sim, double h, perp_info *info) {
  for (int32_t r = 0; r < sim->runs.n_interaction_runs; r++) {
    const interaction_run *run = &sim->runs.interactions[r];
    const size_t first = sim->whole.entry[run->unit0],
                 end = sim->whole.entry[run->unit0 + run->units];
    if (!perp_all_finite(end - first, sim->whole.value + first))
      return fail_interaction(info, PERP_ENOTFINITE, "H W^-1 B", run->first, h);
  }
  return PERP_OK;
}

#if !defined(__OPTIMIZE_SIZE__)
static int is_calm(const system_run *run) {
  int calm = run->order == 2 && !run->live && !run->dense && !run->sparse && run->P == NULL &&
             run->force == NULL;
  for (int32_t i = 0; calm && i < run->n; i++) calm = fabs(run->drift[i]) < 0x1p800;
  return calm;
}
#endif

perp_status perp_discretise(perp_simulation *sim, double h, perp_info *info) {
  sim->runs.h = 0;
  sim->active.assembled = 0;
  for (int32_t r = 0; r < sim->runs.n_system_runs; r++) {
    perp_status status = discretise_system(sim, &sim->runs.systems[r], h);
    if (status != PERP_OK) return fail_system(info, status, "W", sim->runs.systems[r].first, h);
  }
  for (int32_t r = 0; r < sim->runs.n_interaction_runs; r++) {
    set_compliance(&sim->runs.interactions[r], h);
    if (sim->runs.interactions[r].live) continue;
    perp_status status = discretise_interaction(sim, &sim->runs.interactions[r]);
    if (status != PERP_OK)
      return fail_interaction(info, status, "H W^-1 B", sim->runs.interactions[r].first, h);
  }
  if (!sim->live) perp_delassus_assemble(sim);
  perp_status status = PERP_OK;
  sim->global.columns = 0;
#if !defined(__OPTIMIZE_SIZE__) /* for steady steps alone */
  sim->runs.calm = 1;
  for (int32_t r = 0; r < sim->runs.n_system_runs; r++)
    sim->runs.calm &= is_calm(&sim->runs.systems[r]);
#endif
  if (sim->sparse != NULL && sim->global.chosen == NULL) status = sim->sparse->columns(sim, info);
  if (status == PERP_OK && !sim->live) status = check_matrix(sim, h, info);
  if (status == PERP_OK) sim->runs.h = h;
  return status;
}

/* Whether the mass in W is positive definite; W is used up. */
static int is_definite(const system_run *run) {
  return !run->dense || perp_dense_cholesky(run->n, run->W, run->n) == PERP_OK;
}

perp_status perp_discretise_check_mass(perp_simulation *sim, perp_info *info) {
  for (int32_t r = 0; r < sim->runs.n_system_runs; r++) {
    system_run *run = &sim->runs.systems[r];
    if (run->live) continue; /* when it is first evaluated */
    if (run->sparse) {
      perp_status status = sim->sparse->check_mass(sim, run, info);
      if (status != PERP_OK) return status;
      continue;
    }
    set_mass(run, run->W);
    perp_status status = run->order == 2 && !is_definite(run) ? PERP_EINVAL : PERP_OK;
    set_mass(run, run->W);
    if (status == PERP_OK) status = factorise(sim, run);
    if (status != PERP_OK) return fail_system(info, status, "M", run->first, 0);
  }
  return PERP_OK;
}
