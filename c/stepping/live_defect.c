/* SPDX-License-Identifier: MIT */
/* How far an iterate is from the discrete equations (live.h): each defect against the sizes of the
 * terms it is made of, evaluated anew. */
#include <math.h>
#include <string.h>

#include "stepping/live.h"

/* predicted := ẏ at the iterate as the relation linearised at the one before has it, which the laws
 * were solved for; base := the same of the iterate before. */
static void predict(const perp_simulation *sim, const interaction_run *run, size_t k) {
  const size_t m = (size_t)run->m, row = run->row0 + k * m;
  const double *y = live_level(run) + k * m;
  double *out = run->at.predicted + k * m;
  memcpy(run->at.base + k * m, out, m * sizeof *out);
  memcpy(out, y, m * sizeof *out);
  live_add_change(run, k, 0, m, sim->iterate.v, sim->iterate.from_v, out);
  if (run->D == NULL) return;
  const double *D = run->D + k * run->D_step;
  for (size_t j = 0; j < m; j++) {
    const double change = sim->iterate.lambda[row + j] - sim->iterate.from_lambda[row + j];
    for (size_t i = 0; i < m; i++) out[i] += D[m * j + i] * change;
  }
}

void perp_live_hold(perp_simulation *sim) {
  if (sim->runs.have_constant)
    memset(sim->iterate.defect, 0, sim->state.n_v * sizeof *sim->iterate.defect);
  for (int32_t r = 0; sim->active.n > 0 && r < sim->runs.n_interaction_runs; r++) {
    const interaction_run *run = &sim->runs.interactions[r];
    const size_t rows = (size_t)run->m * (size_t)run->count;
    if (run->live) memcpy(run->at.predicted, live_level(run), rows * sizeof(double));
  }
}

/* What a part of the way from base to predicted leads to. */
static double between(const interaction_run *run, size_t row, double part) {
  const double from = run->at.base[row], to = run->at.predicted[row];
  return part == 1 ? to : from + part * (to - from);
}

void perp_live_shorten(perp_simulation *sim, double part) {
  for (int32_t r = 0; r < sim->runs.n_interaction_runs; r++) {
    const interaction_run *run = &sim->runs.interactions[r];
    const size_t rows = run->live ? (size_t)run->m * (size_t)run->count : 0;
    for (size_t i = 0; i < rows; i++) run->at.predicted[i] = between(run, i, part);
  }
}

void perp_live_keep(perp_simulation *sim) {
  if (sim->runs.have_constant)
    memcpy(sim->iterate.owed, sim->iterate.defect, sim->state.n_v * sizeof *sim->iterate.owed);
  for (int32_t r = 0; sim->active.n > 0 && r < sim->runs.n_interaction_runs; r++) {
    interaction_run *run = &sim->runs.interactions[r];
    for (size_t k = 0; run->live && k < (size_t)run->count; k++)
      if (live_acts(sim, run, k)) predict(sim, run, k);
    double *before = run->at.H_before;
    run->at.H_before = run->at.H;
    run->at.H = before;
  }
}

/* A component of the reaction of order 1 as the scheme weighs it. */
static double reaction_of(const interaction_run *run, const system_run *system, size_t i) {
  const double r = system->gain * run->at.r[i];
  return run->at.r_begin == NULL ? r : r + system->gain_begin * run->at.r_begin[i];
}

/* Subtract the reaction of interaction k with the H of all from the defect of its systems: all of
 * it from live ones; a constant system was solved with the H of before and lacks what the other
 * differs by. */
static void subtract_reaction(perp_simulation *sim, const interaction_run *run, const double *all,
                              size_t k) {
  const size_t m = (size_t)run->m, n = (size_t)run->n;
  const double *lambda = sim->iterate.lambda + run->row0 + k * m;
  const double *H = all + k * m * n, *before = run->at.H_before + k * m * n;
  for (int32_t s = 0; s < run->n_slots; s++) {
    const slot *at = &run->slots[s];
    double *defect = sim->iterate.defect + at->v0 + k * at->step;
    double *size = sim->iterate.defect_size + at->v0 + k * at->step;
    for (size_t c = 0; c < (size_t)at->n; c++) {
      const size_t column = (size_t)at->column + c;
      double r = 0, lag = 0;
      if (run->order == 1) {
        r = reaction_of(run, at->run, k * n + column);
        lag = r; /* what reacts on a constant system is linear */
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
LIVE_INLINE double relative(size_t n, int two_step, const double *defect, const double *size) {
  double largest = 0, worst = 0;
  (void)two_step;
  for (size_t i = 0; i < n; i++) largest = size[i] > largest ? size[i] : largest;
  for (size_t i = 0; i < n; i++) {
    const double ratio = fabs(defect[i]) / (size[i] + 1e-3 * largest);
    if (defect[i] != 0) worst = live_worse(worst, ratio);
  }
  return worst;
}

/* Size of the terms of row i of interaction k: those of λ, and of velocities, each velocity against
 * its own but none against less than a thousandth of the largest of its system: rows that meet
 * nothing but the rounding of directions that do not move are no defect. Of a scheme on positions,
 * y has the size of H q. */
static double row_size(const perp_simulation *sim, const interaction_run *run, size_t k, size_t i) {
  const size_t m = (size_t)run->m, n = (size_t)run->n;
  const double *H = run->at.H + k * m * n;
  double size = 0;
  for (int32_t s = 0; s < run->n_slots; s++) {
    const slot *at = &run->slots[s];
    const double *v = sim->iterate.v + at->v0 + k * at->step;
    const double *from = sim->iterate.from_v + at->v0 + k * at->step;
    const double *q = run->two_step ? sim->iterate.q + at->q0 + k * at->step_q : NULL;
    double fastest = 0, steepest = 0;
    for (size_t c = 0; c < (size_t)at->n; c++) {
      const double slope = fabs(H[((size_t)at->column + c) * m + i]);
      const double speed = fabs(v[c]) + fabs(from[c]) + (q != NULL ? fabs(q[c]) : 0);
      steepest = slope > steepest ? slope : steepest;
      fastest = speed > fastest ? speed : fastest;
      size += slope * speed;
    }
    size += 1e-3 * steepest * fastest;
  }
  const double *D = run->D == NULL ? NULL : run->D + k * run->D_step;
  const double *lambda = sim->iterate.lambda + run->row0 + k * m;
  const double *from = sim->iterate.from_lambda + run->row0 + k * m;
  for (size_t j = 0; D != NULL && j < m; j++)
    size += fabs(D[i + m * j]) * (fabs(lambda[j]) + fabs(from[j]));
  return size;
}

/* What the relation of interaction k differs by from what its law was solved for, relative
 * likewise.
 */
double perp_live_relation_defect(const perp_simulation *sim, const interaction_run *run, size_t k,
                                 double part, double slack) {
  const size_t m = (size_t)run->m;
  const double *y = live_level(run) + k * m;
  const double *before =
      (run->order == 2 && !run->two_step ? sim->state.ydot : sim->state.y) + run->row0 + k * m;
  double worst = 0;
  for (size_t i = 0; i < m; i++) {
    const double difference = fabs(y[i] - between(run, k * m + i, part));
    if (difference == 0) continue;
    const double size = fabs(y[i]) + fabs(before[i]) + row_size(sim, run, k, i) + slack;
    worst = live_worse(worst, difference / size);
  }
  return worst;
}

/* The defect of interaction k, or of a system where run is NULL, is the largest so far. */
static void blame(perp_simulation *sim, const interaction_run *run, int32_t k) {
  int pooled = 0;
  sim->iterate.missed_index = run == NULL ? k : perp_reaction_whose(sim, run, k, &pooled);
  sim->iterate.missed_of = run == NULL || pooled ? PERP_OF_SYSTEM : PERP_OF_INTERACTION;
  sim->iterate.missed = run == NULL ? "newton at system"
                        : pooled    ? "newton at contact of system"
                                    : "newton at interaction";
}

static double worse(perp_simulation *sim, double worst, double defect, const interaction_run *run,
                    int32_t k) {
  if (worst == worst && !(defect <= worst)) blame(sim, run, k);
  return live_worse(worst, defect);
}

/* The defects of the systems: R of live ones, of constant ones what a part of the way left of
 * theirs. */
static void begin(perp_simulation *sim, double part) {
  for (int32_t r = 0; r < sim->runs.n_system_runs; r++) {
    const system_run *run = &sim->runs.systems[r];
    double *defect = sim->iterate.defect + run->v0;
    for (size_t i = 0; !run->live && i < run->size; i++)
      defect[i] = part == 1 ? 0 : (1 - part) * sim->iterate.owed[run->v0 + i];
    if (run->live) memcpy(defect, run->at.defect, run->size * sizeof(double));
  }
}

double perp_live_defect(perp_simulation *sim, double part, double h) {
  double worst = 0;
  memset(sim->iterate.defect_size, 0, sim->state.n_v * sizeof *sim->iterate.defect_size);
  begin(sim, part);
  for (int32_t r = 0; r < sim->runs.n_system_runs; r++) {
    const system_run *run = &sim->runs.systems[r];
    for (int32_t s = 0; run->live && s < run->count; s++)
      if (!layout_is_off(sim, run->first + s))
        perp_live_system_sizes(sim, run, (size_t)s, h,
                               sim->iterate.defect_size + run->v0 + (size_t)s * (size_t)run->n);
  }
  for (int32_t r = 0; sim->active.n > 0 && r < sim->runs.n_interaction_runs; r++) {
    const interaction_run *run = &sim->runs.interactions[r];
    for (size_t k = 0; run->live && k < (size_t)run->count; k++) {
      if (!live_acts(sim, run, k)) continue;
      subtract_reaction(sim, run, run->at.H, k);
      const double defect = perp_live_relation_defect(sim, run, k, part, 0);
      worst = worse(sim, worst, defect, run, (int32_t)k);
    }
  }
  for (int32_t r = 0; r < sim->runs.n_system_runs; r++) {
    const system_run *run = &sim->runs.systems[r];
    for (size_t s = 0; s < (size_t)run->count; s++) {
      const size_t at = run->v0 + s * (size_t)run->n;
      const double defect =
          LIVE_UNROLLED(run, relative, sim->iterate.defect + at, sim->iterate.defect_size + at);
      worst = worse(sim, worst, defect, NULL, run->first + (int32_t)s);
    }
  }
  return worst;
}

double perp_live_imbalance(perp_simulation *sim) {
  double sum = 0, largest = 0;
  begin(sim, 1);
  for (int32_t r = 0; r < sim->runs.n_interaction_runs; r++) {
    const interaction_run *run = &sim->runs.interactions[r];
    for (size_t k = 0; run->live && k < (size_t)run->count; k++)
      if (live_acts(sim, run, k)) subtract_reaction(sim, run, run->at.H_before, k);
  }
  for (int32_t r = 0; r < sim->runs.n_system_runs; r++) {
    const system_run *run = &sim->runs.systems[r];
    for (size_t i = 0; i < run->size; i++) {
      const double defect = fabs(sim->iterate.defect[run->v0 + i]);
      largest = worse(sim, largest, defect, NULL, run->first + (int32_t)(i / (size_t)run->n));
      sum += defect * defect;
    }
  }
  return sqrt(sum);
}
