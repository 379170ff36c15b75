/* SPDX-License-Identifier: MIT */
/* Geometric stiffness: the reaction Hᵀλ turns with the positions, so the derivative of
 * R(v) − H(q)ᵀλ by v is
 *   W − a K,   K = ∂(Hᵀλ)/∂q = Σ_i λ_i ∂²y_i/∂q²,   a = ∂q/∂v = hθ, or 1 of a scheme on positions.
 * Without K passes converge at the rate of a W⁻¹K; with it quadratically. It enters where that rate
 * is slow, by differences of H, one system at a time: W has no place for what couples systems, so
 * of relations between bodies only K of those enters whose rows are sums of terms of one body each,
 * as of points that meet. What enters is symmetric, so that the one-step matrix is as symmetric as
 * it was (along rotations K has a part that is not, of the size of the torque), and leaves W
 * positive definite, or nothing enters. Source: Tournier, Nesme, Gilles and Faure 2015. */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "stepping/live.h"

/* Rate from which a pass is worth more than the evaluations. */
static const double slow = 0.1;

/* Relative step of differences: H may be one of central differences itself. */
static const double step = 0x1p-17;

/* Whether the rows of a relation are gradients of gaps, so that K is symmetric, and act. */
static int presses(const perp_simulation *sim, const interaction_run *run, size_t k) {
  const perp_relation_ops *ops = run->relation->ops;
  return run->live && run->order == 2 && ops->terms == NULL && run->law->ops->set <= PERP_SET_BOX &&
         ops->features != NULL && (ops->features(run->relation) & PERP_RELATION_HOLONOMIC) != 0 &&
         live_acts(sim, run, k);
}

static const double *lambda_of(const perp_simulation *sim, const interaction_run *run, size_t k) {
  return sim->trial_lambda + run->row0 + k * (size_t)run->m;
}

/* out += weight Hᵀλ over columns of one interaction's H. */
static void add_reaction(const interaction_run *run, int32_t column, int32_t columns,
                         const double *H, const double *lambda, double weight, double *out) {
  const size_t m = (size_t)run->m, n = (size_t)columns;
  H += (size_t)column * m;
  for (size_t c = 0; c < n; c++)
    for (size_t i = 0; i < m; i++) out[c] += weight * H[c * m + i] * lambda[i];
}

/* Whether the last change of v, which the laws were solved for without it, turned the reactions on
 * a system by as much as counts beside W times that change. */
static int turns(perp_simulation *sim, const system_run *run, size_t s) {
  const size_t n = (size_t)run->n, v0 = run->v0 + s * n;
  const int32_t system = run->first + (int32_t)s;
  const double *W = run->at.plain + s * n * n, *v = sim->trial_v + v0, *from = sim->from_v + v0;
  double *turned = sim->increment, all = 0, part = 0;
  memset(turned, 0, n * sizeof *turned);
  for (int32_t e = sim->incidence_start[system]; e < sim->incidence_start[system + 1]; e++) {
    const struct incidence *in = &sim->incidence[e];
    const interaction_run *by = &sim->interactions[in->run];
    const size_t k = (size_t)in->k, H0 = k * (size_t)by->m * (size_t)by->n;
    if (!presses(sim, by, k)) continue;
    const slot *at = &by->slots[in->slot];
    add_reaction(by, at->column, at->n, by->at.H + H0, lambda_of(sim, by, k), 1, turned);
    add_reaction(by, at->column, at->n, by->at.H_before + H0, lambda_of(sim, by, k), -1, turned);
  }
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t j = 0; j < n; j++) sum += W[i + n * j] * (v[j] - from[j]);
    all += fabs(sum * (v[i] - from[i]));
    part += fabs(turned[i] * (v[i] - from[i]));
  }
  return part > slow * all;
}

/* turn := derivative of Hᵀλ of interaction k, all of its columns, by positions of a slot along d.
 * Answers as callbacks do, > 0 too where something is not finite. */
static int32_t differentiate(perp_simulation *sim, const interaction_run *run, size_t k,
                             const slot *at, double *q, double t, double h, int32_t j,
                             double *turn) {
  const double *here = sim->trial_q + at->q0 + k * at->step_q;
  const int sized = at->run->n_q == at->n && fabs(here[j]) > 1;
  const double d = step * (sized ? fabs(here[j]) : 1);
  int32_t code = 0;
  memset(turn, 0, (size_t)run->n * sizeof *turn);
  for (int32_t side = 1; code == 0 && side >= -1; side -= 2) {
    memset(sim->increment, 0, (size_t)at->n * sizeof *sim->increment);
    sim->increment[j] = side * d;
    perp_live_displace(at->run, here, sim->increment, q);
    code = perp_live_relation_probe(sim, run, k, t, h);
    if (code == 0)
      add_reaction(run, 0, run->n, sim->probe, lambda_of(sim, run, k), side / (2 * d), turn);
  }
  return code;
}

/* block := K of interaction k on the system of a slot. Answers as differentiate(), > 0 too where K
 * couples that system with others. */
static int32_t set_block(perp_simulation *sim, const interaction_run *run, size_t k, int32_t number,
                         double t, double h, double *block) {
  const slot *at = &run->slots[number];
  const size_t n = (size_t)at->n, first = (size_t)at->column;
  double *q = perp_live_relation_positions(sim, run, k), own = 0, others = 0;
  double *turn = sim->probe + layout_probe_doubles(run->m, run->n);
  for (int32_t s = 0; s < number; s++) q += run->slots[s].run->n_q;
  int32_t code = 0;
  for (size_t j = 0; code == 0 && j < n; j++) {
    code = differentiate(sim, run, k, at, q, t, h, (int32_t)j, turn);
    memcpy(block + j * n, turn + first, n * sizeof *turn);
    for (size_t c = 0; c < (size_t)run->n; c++) {
      double *largest = c >= first && c < first + n ? &own : &others;
      *largest = live_worse(*largest, fabs(turn[c]));
    }
  }
  return code == 0 && others > slow * own ? 1 : code;
}

/* W −= a K, symmetric, if that is positive definite. */
static int enter(size_t n, double a, const double *K, double *W, double *trial) {
  for (size_t j = 0; j < n; j++)
    for (size_t i = j; i < n; i++)
      trial[i + n * j] =
          0.5 * (W[i + n * j] + W[j + n * i]) - 0.5 * a * (K[i + n * j] + K[j + n * i]);
  if (!all_finite(n * n, K) || perp_dense_cholesky((int32_t)n, trial, (int32_t)n) != PERP_OK)
    return 0;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) W[i + n * j] -= 0.5 * a * (K[i + n * j] + K[j + n * i]);
  return 1;
}

static void leave_out(perp_simulation *sim) {
  sim->report.left_out[1] += ++sim->report.left_out[0] == 0;
}

perp_status perp_live_geometric(perp_simulation *sim, system_run *run, size_t s, double t, double h,
                                perp_info *info) {
  const size_t n = (size_t)run->n;
  const int32_t system = run->first + (int32_t)s;
  double *K = run->at.dq, *block = run->at.dv;
  int any = 0;
  if (run->order != 2 || !turns(sim, run, s)) return PERP_OK;
  memset(K, 0, n * n * sizeof *K);
  for (int32_t e = sim->incidence_start[system]; e < sim->incidence_start[system + 1]; e++) {
    const struct incidence *in = &sim->incidence[e];
    const interaction_run *by = &sim->interactions[in->run];
    if (!presses(sim, by, (size_t)in->k)) continue;
    const int32_t code = set_block(sim, by, (size_t)in->k, in->slot, t, h, block);
    if (code < 0) return live_answer(code, "relation", by->first + in->k, info);
    if (code > 0) leave_out(sim);
    any |= code == 0;
    for (size_t i = 0; code == 0 && i < n * n; i++) K[i] += block[i];
  }
  const double a = run->position ? 1 : h * run->theta;
  if (any && !enter(n, a, K, run->at.plain + s * n * n, run->at.dv)) leave_out(sim);
  return PERP_OK;
}
