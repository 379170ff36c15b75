/* SPDX-License-Identifier: MIT */
/* Geometric stiffness: the reaction Hᵀλ turns with the positions, so the derivative of
 * R(v) − H(q)ᵀλ by v is
 *   W − a K,   K = ∂(Hᵀλ)/∂q = Σ_i λ_i ∂²y_i/∂q²,   a = ∂q/∂v = hθ, or 1 of a scheme on positions.
 * Without K passes converge at the rate of a W⁻¹K; with it quadratically. It enters where that rate
 * is slow, by differences of H. W has a block for each system and no place for what couples them.
 * Equalities between systems A and B can do without: where H δ = 0,
 *   K + HᵀY + YᵀH  is as good as K for any Y, which only changes λ,
 * and a Y that leaves nothing between A and B exists if K_AB is 0 between what H lets A do alone
 * and what it lets B do alone. So it is for the joints of rigid bodies: of what they allow, one
 * motion after another is allowed again. A rod between two points is another matter. What enters
 * is symmetric, so that the one-step matrix is as symmetric as it was (along rotations K has a part
 * that is not, of the size of the torque), and leaves W positive definite, or nothing enters.
 * Source: Tournier, Nesme, Gilles and Faure 2015. */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "stepping/live.h"

/* Rate from which a pass is worth more than the evaluations. */
static const double slow = 0.1;

/* Part of W that is more than the error of differences. */
static const double seen = 1e-4;

/* Steps of differences, relative to lengths and absolute: H may be one of central differences
 * itself, and a model may lie far from the origin, or at it. */
static const double step = 0x1p-22, least = 0x1p-40;

/* Whether the rows of a relation are gradients of gaps, so that K is symmetric, and act. */
static int presses(const perp_simulation *sim, const interaction_run *run, size_t k) {
  const perp_relation_ops *ops = run->relation->ops;
  return run->live && run->order == 2 && ops->terms == NULL && run->law->ops->set <= PERP_SET_BOX &&
         ops->features != NULL && (ops->features(run->relation) & PERP_RELATION_HOLONOMIC) != 0 &&
         live_acts(sim, run, k);
}

static const double *lambda_of(const perp_simulation *sim, const interaction_run *run, size_t k) {
  return sim->iterate.lambda + run->row0 + k * (size_t)run->m;
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
  const double *W = run->at.unfactored + s * n * n, *v = sim->iterate.v + v0,
               *from = sim->iterate.from_v + v0;
  double *turned = sim->step.increment, all = 0, part = 0;
  memset(turned, 0, n * sizeof *turned);
  for (int32_t e = sim->runs.incidence_start[system]; e < sim->runs.incidence_start[system + 1];
       e++) {
    const struct incidence *in = &sim->runs.incidence[e];
    const interaction_run *by = &sim->runs.interactions[in->run];
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

/* Largest entry of a column of H. */
static double slope_of(const interaction_run *run, size_t k, int32_t column) {
  const size_t m = (size_t)run->m;
  const double *H = run->at.H + k * m * (size_t)run->n + m * (size_t)column;
  double largest = 0;
  for (size_t i = 0; i < m; i++) largest = fabs(H[i]) > largest ? fabs(H[i]) : largest;
  return largest;
}

/* The size of position j of a slot: what moves y as far as the position that moves it farthest, but
 * no more than the largest of all. Angles of bodies are 1. */
static double size_of(const perp_simulation *sim, const interaction_run *run, size_t k,
                      const slot *at, int32_t j) {
  const double *q = sim->iterate.q + at->q0 + k * at->step_q;
  const int body = at->run->n_q != at->n;
  const double slope = slope_of(run, k, at->column + j);
  double largest = 0, farthest = 0;
  for (int32_t i = 0; i < at->n; i++) {
    const double size = body && i >= 3 ? 1 : fabs(q[i]),
                 way = size * slope_of(run, k, at->column + i);
    farthest = way > farthest ? way : farthest;
    if (!body || i < 3) largest = size > largest ? size : largest;
  }
  if (body && j >= 3) return 1;
  if (body) return farthest > largest * slope && slope > 0 ? farthest / slope : largest;
  return farthest < largest * slope ? farthest / slope : largest;
}

/* turn := derivative of Hᵀλ of interaction k, all of its columns, by positions of a slot along d.
 * Answers as callbacks do, > 0 too where something is not finite. */
static int32_t differentiate(perp_simulation *sim, const interaction_run *run, size_t k,
                             const slot *at, double *q, double t, double h, int32_t j,
                             double *turn) {
  const double *here = sim->iterate.q + at->q0 + k * at->step_q;
  const double wanted = step * size_of(sim, run, k, at, j);
  const double d = wanted > least ? wanted : least;
  int32_t code = 0;
  memset(turn, 0, (size_t)run->n * sizeof *turn);
  for (int32_t side = 1; code == 0 && side >= -1; side -= 2) {
    memset(sim->step.increment, 0, (size_t)at->n * sizeof *sim->step.increment);
    sim->step.increment[j] = side * d;
    perp_live_displace(at->run, here, sim->step.increment, q);
    code = perp_live_relation_probe(sim, run, k, t, h);
    if (code == 0)
      add_reaction(run, 0, run->n, sim->iterate.probe, lambda_of(sim, run, k), side / (2 * d),
                   turn);
  }
  return code;
}

/* ------------------------------------------------------------------- between systems ---- */

static double weight_of(const system_run *run, double h) {
  return run->two_step ? 1 : h * run->theta;
}

/* W of the system in a slot of interaction k. */
static double *matrix_of(const slot *at, size_t k) {
  const size_t s = (size_t)(at->system0 - at->run->first) + k * (size_t)at->stride;
  return at->run->at.unfactored + s * (size_t)at->n * (size_t)at->n;
}

/* Whether what K (n x n) has between the systems of two slots is more than a part of their W. */
static int couples(const interaction_run *run, size_t k, const slot *at, const slot *other,
                   const double *K, double h, double part) {
  const size_t n = (size_t)at->n, m = (size_t)other->n;
  const double *block = K + (size_t)other->column + (size_t)run->n * (size_t)at->column;
  const double *W = matrix_of(at, k), *V = other->run->live ? matrix_of(other, k) : NULL;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < m; i++) {
      const double between = weight_of(at->run, h) * fabs(block[i + (size_t)run->n * j]);
      const double own = sqrt(fabs(W[j * (n + 1)]));
      if (!(between <= (V == NULL ? 0 : part * own * sqrt(fabs(V[i * (m + 1)]))))) return 1;
    }
  return 0;
}

/* motion (m x n): of each system the one, least in units of W, that changes one row of H δ by 1 and
 * no other. 0: there is none, or its rows depend on each other. */
static int find_motions(const interaction_run *run, size_t k, double *gram, double *motion) {
  const size_t m = (size_t)run->m;
  for (int32_t s = 0; s < run->n_slots; s++) {
    const slot *at = &run->slots[s];
    const size_t n = (size_t)at->n, first = m * (size_t)at->column;
    const double *H = run->at.H + k * m * (size_t)run->n + first, *W = matrix_of(at, k);
    memset(gram, 0, m * m * sizeof *gram);
    for (size_t c = 0; c < n; c++)
      for (size_t j = 0; j < m; j++)
        for (size_t i = j; i < m; i++)
          gram[i + m * j] += H[i + m * c] * H[j + m * c] / W[c * (n + 1)];
    if (perp_dense_cholesky(run->m, gram, run->m) != PERP_OK) return 0;
    for (size_t i = 0; i < m; i++) {
      double sum = 0;
      for (size_t j = 0; j <= i; j++) sum += gram[i + m * j] * gram[i + m * j];
      if (!(gram[i * (m + 1)] * gram[i * (m + 1)] > 1e-12 * sum)) return 0;
    }
    for (size_t c = 0; c < n; c++) {
      double *column = motion + first + m * c;
      for (size_t i = 0; i < m; i++) column[i] = H[i + m * c] / W[c * (n + 1)];
      perp_dense_cholesky_solve(run->m, gram, run->m, column);
    }
  }
  return 1;
}

/* x (n entries of a stride) less what of it does work in those motions, system by system. */
static void leave_free(const interaction_run *run, const double *H, const double *motion, double *x,
                       size_t stride, double *work) {
  const size_t m = (size_t)run->m;
  for (int32_t s = 0; s < run->n_slots; s++) {
    const size_t first = (size_t)run->slots[s].column, end = first + (size_t)run->slots[s].n;
    memset(work, 0, m * sizeof *work);
    for (size_t c = first; c < end; c++)
      for (size_t i = 0; i < m; i++) work[i] += motion[i + m * c] * x[c * stride];
    for (size_t c = first; c < end; c++)
      for (size_t i = 0; i < m; i++) x[c * stride] -= work[i] * H[i + m * c];
  }
}

/* owed += weight K d, of K the blocks of single systems alone where that is asked for. */
static void add_turned(const perp_simulation *sim, const interaction_run *run, size_t k,
                       const double *K, const double *d, double weight, int alone) {
  const size_t n = (size_t)run->n;
  for (int32_t s = 0; s < run->n_slots; s++) {
    const slot *at = &run->slots[s];
    const size_t first = (size_t)at->column, end = first + (size_t)at->n;
    double *out = sim->iterate.owed + at->v0 + k * at->step;
    for (size_t c = alone ? first : 0; c < (alone ? end : n); c++)
      for (size_t r = first; r < end; r++) out[r - first] += weight * K[r + n * c] * d[c];
  }
}

/* K + HᵀY + YᵀH. With P the motions of one system along its rows of H, which are those of the other
 * reversed, and Q = 1 − P: what Q of A has with P of B goes to A, what P has with P to both by
 * halves. Left between A and B is what Q of A has with Q of B. H δ = −ẏ of the pass is not quite 0:
 * the difference to K d, where d is some motion with that H d, goes to the right-hand side. */
static void uncouple(perp_simulation *sim, const interaction_run *run, size_t k, double *K) {
  const size_t m = (size_t)run->m, n = (size_t)run->n, beside = (size_t)run->slots[1].column;
  const double *H = run->at.H + k * m * n;
  double *motion = run->G + k * run->G_step; /* made anew when W is known */
  double *z = sim->iterate.probe, *both = z + m * n, *work = both + m * m;
  double *d = sim->iterate.gather_v;
  if (!find_motions(run, k, both, motion)) return;
  memset(d, 0, n * sizeof *d);
  for (size_t c = 0; c < n; c++)
    for (size_t i = 0; i < m; i++) d[c] -= 0.5 * live_level(run)[k * m + i] * motion[i + m * c];
  add_turned(sim, run, k, K, d, 1, 0);
  memset(z, 0, (m * n + m * m) * sizeof *z);
  for (size_t c = 0; c < n; c++) /* z_i = K w_i, w_i = (p_i of A, −p_i of B) */
    for (size_t r = 0; r < n; r++)
      for (size_t i = 0; i < m; i++)
        z[i + m * r] += (c < beside ? 1 : -1) * K[r + n * c] * motion[i + m * c];
  for (size_t c = 0; c < n; c++)
    for (size_t j = 0; j < m; j++)
      for (size_t i = 0; i < m; i++)
        both[i + m * j] += (c < beside ? 1 : -1) * z[i + m * c] * motion[j + m * c];
  for (size_t c = 0; c < n; c++) leave_free(run, H, motion, K + n * c, 1, work);
  for (size_t r = 0; r < n; r++) leave_free(run, H, motion, K + r, n, work);
  for (size_t i = 0; i < m; i++) leave_free(run, H, motion, z + i, m, work);
  for (size_t c = 0; c < n; c++)
    for (size_t i = 0; i < m; i++) {
      if (c >= beside) z[i + m * c] *= -1;
      for (size_t j = 0; j < m; j++) z[i + m * c] += 0.25 * both[i + m * j] * H[j + m * c];
    }
  for (size_t c = 0; c < n; c++)
    for (size_t r = c < beside ? 0 : beside; r < (c < beside ? beside : n); r++)
      for (size_t i = 0; i < m; i++)
        K[r + n * c] += z[i + m * r] * H[i + m * c] + H[i + m * r] * z[i + m * c];
  add_turned(sim, run, k, K, d, -1, 1);
}

/* Whether the terms between the systems may go into λ: H δ is what it is. */
static int may_uncouple(const interaction_run *run) {
  const system_run *a = run->slots[0].run, *b = run->slots[run->n_slots - 1].run;
  return run->n_slots == 2 && run->law->ops->set == PERP_SET_FREE && run->compliance == NULL &&
         run->D == NULL && a->live && b->live && a->theta == b->theta && a->two_step == b->two_step;
}

/* ----------------------------------------------------------------------------- blocks ---- */

/* Whether the reactions on the system in a slot turn: 0, 1, or 2 where run->W holds K so far. */
static unsigned char *turned(const slot *at, size_t k) {
  return at->run->at.turned + (size_t)(at->system0 - at->run->first) + k * (size_t)at->stride;
}

/* K (n x n) of interaction k, columns of the systems that want it. Answers as differentiate(). */
static int32_t set_stiffness(perp_simulation *sim, const interaction_run *run, size_t k, double t,
                             double h, double *K) {
  const int all = may_uncouple(run);
  double *q = perp_live_relation_positions(sim, run, k);
  int32_t code = 0;
  for (int32_t s = 0; code == 0 && s < run->n_slots; s++) {
    const slot *at = &run->slots[s];
    const size_t n_q = (size_t)at->run->n_q;
    const int wanted = at->run->live && (all || *turned(at, k) != 0);
    for (int32_t j = 0; code == 0 && wanted && j < at->n; j++)
      code =
          differentiate(sim, run, k, at, q, t, h, j, K + (size_t)run->n * (size_t)(at->column + j));
    memcpy(q, sim->iterate.q + at->q0 + k * at->step_q, n_q * sizeof *q);
    q += n_q;
  }
  return code;
}

static void leave_out(perp_simulation *sim) { sim->counts.report.left_out++; }

/* Add the block of a slot to K of its system, in the place of its factor. */
static void add_block(const interaction_run *run, size_t k, const slot *at, const double *K) {
  const size_t n = (size_t)at->n, first = (size_t)at->column;
  at->run->at.factor_band[at->system0 - at->run->first + (int32_t)k * at->stride] = -1;
  double *sum = at->run->W + (matrix_of(at, k) - at->run->at.unfactored);
  if (*turned(at, k) != 2) memset(sum, 0, n * n * sizeof *sum);
  *turned(at, k) = 2;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) sum[i + n * j] += K[first + i + (size_t)run->n * (first + j)];
}

static int wants(const interaction_run *run, size_t k) {
  for (int32_t s = 0; s < run->n_slots; s++)
    if (run->slots[s].run->live && *turned(&run->slots[s], k) != 0) return 1;
  return 0;
}

static int couples_any(const interaction_run *run, size_t k, int32_t number, const double *K,
                       double h, double part) {
  for (int32_t s = 0; s < run->n_slots; s++)
    if (s != number && couples(run, k, &run->slots[number], &run->slots[s], K, h, part)) return 1;
  return 0;
}

/* What interaction k has for the systems on which reactions turn. */
static perp_status add_stiffness(perp_simulation *sim, const interaction_run *run, size_t k,
                                 double t, double h, perp_info *info) {
  double *K = sim->iterate.probe + layout_probe_doubles(run->m, run->n);
  const int32_t code = set_stiffness(sim, run, k, t, h, K);
  const int both = code == 0 && may_uncouple(run) && couples_any(run, k, 0, K, h, seen);
  if (code < 0)
    return live_answer(PERP_OF_INTERACTION, code, "relation", run->first + (int32_t)k, info);
  if (both) uncouple(sim, run, k, K);
  for (int32_t s = 0; s < run->n_slots; s++) {
    const slot *at = &run->slots[s];
    if (!at->run->live || (!both && *turned(at, k) == 0)) continue;
    if (code > 0 || couples_any(run, k, s, K, h, slow))
      leave_out(sim);
    else
      add_block(run, k, at, K);
  }
  return PERP_OK;
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

/* Which systems want K: from the pass on that turned their reactions, to the last. */
static void look(perp_simulation *sim) {
  for (int32_t r = 0; r < sim->runs.n_system_runs; r++) {
    const system_run *run = &sim->runs.systems[r];
    for (size_t s = 0; run->live && run->order == 2 && s < (size_t)run->count; s++)
      run->at.turned[s] = !layout_is_off(sim, run->first + (int32_t)s) &&
                          (run->at.turned[s] != 0 || turns(sim, run, s));
  }
}

void perp_live_no_geometric(perp_simulation *sim) {
  for (int32_t r = 0; r < sim->runs.n_system_runs; r++) {
    const system_run *run = &sim->runs.systems[r];
    if (run->live && run->order == 2) memset(run->at.turned, 0, (size_t)run->count);
  }
}

perp_status perp_live_geometric(perp_simulation *sim, double t, double h, perp_info *info) {
  look(sim);
  memset(sim->iterate.owed, 0,
         sim->state.n_v * sizeof *sim->iterate.owed); /* of the pass before, done with */
  for (int32_t r = 0; r < sim->runs.n_interaction_runs; r++) {
    const interaction_run *run = &sim->runs.interactions[r];
    for (size_t k = 0; k < (size_t)run->count; k++) {
      if (!presses(sim, run, k) || !wants(run, k)) continue;
      const perp_status status = add_stiffness(sim, run, k, t, h, info);
      if (status != PERP_OK) return status;
    }
  }
  for (int32_t r = 0; r < sim->runs.n_system_runs; r++) {
    system_run *run = &sim->runs.systems[r];
    const size_t n = (size_t)run->n;
    for (size_t s = 0; run->live && run->order == 2 && s < (size_t)run->count; s++) {
      if (run->at.turned[s] != 2) continue;
      double *free_v = sim->step.free_v + run->v0 + s * n,
             *turned = sim->iterate.owed + run->v0 + s * n;
      const double a = weight_of(run, h);
      run->at.clear = 0;
      if (enter(n, a, run->W + s * n * n, run->at.unfactored + s * n * n, run->at.dv))
        perp_dense_axpy(run->n, a, turned, free_v);
      else
        leave_out(sim);
    }
  }
  return PERP_OK;
}
