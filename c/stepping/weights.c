/* SPDX-License-Identifier: MIT */
/* Weights of the rows of mechanical islands, whose residuals may have different units: the power of
 * two next to 1/sqrt(W_ii), so that weighing rounds nothing. A contact with friction has one weight
 * for its normal and its tangents, whose units are the same, and rolling one for its moments. */
#include "base/finite.h"
#include "stepping/stages.h"

/* 2^-floor(e/2) for d = 2^e m, 1 <= m < 2; 1 where d is not positive and normal. */
static double weight_of(double d) {
  const uint64_t bits = bits_of(d);
  const int32_t biased = (int32_t)(bits >> 52); /* the sign is its bit 11 */
  if (biased <= 0 || biased >= 0x7ff) return 1;
  const int32_t e = biased - 1023, half = e >= 0 ? e / 2 : -((1 - e) / 2);
  return double_of((uint64_t)(1023 - half) << 52);
}

/* Weights of a unit whose block of W is B, NULL: 0. */
static void weigh_unit(const interaction_run *run, const double *B, double *weight) {
  const int32_t size = run->size, set = run->law->ops->set;
  const int32_t half = (size - 1) / 2;
  for (int32_t i = 0; i < size; i++) {
    int32_t of = set <= PERP_SET_BOX ? i : 0;
    if (set == PERP_SET_ROLLING && i > half) of = half + 1;
    weight[i] = B == NULL ? 1 : weight_of(B[of * (size + 1)]);
  }
}

/* The block of unit u of an island on the diagonal; *entry moves behind its row. */
static const double *diagonal_block(const perp_simulation *sim, const island *at, int32_t i,
                                    int32_t u, size_t *entry) {
  const int32_t *start = sim->problem.start + at->first + i,
                rows = sim->runs.interactions[sim->active.units[at->first + u].run].size;
  const double *found = NULL;
  for (int32_t b = start[u]; b < start[u + 1]; b++) {
    const int32_t c = sim->problem.index[at->block + (size_t)b];
    const int32_t cols = sim->runs.interactions[sim->active.units[at->first + c].run].size;
    if (c == u) found = sim->problem.value + at->entry + *entry;
    *entry += (size_t)rows * (size_t)cols;
  }
  return found;
}

/* An island whose units have one row each. */
static void weigh_rows(perp_simulation *sim, island *at, int32_t i) {
  const int32_t *start = sim->problem.start + at->first + i,
                *index = sim->problem.index + at->block;
  const double *value = sim->problem.value + at->entry;
  double *weight = sim->problem.weight + at->row;
  for (int32_t r = 0; r < at->rows; r++) {
    weight[r] = 1;
    for (int32_t b = start[r]; b < start[r + 1]; b++)
      if (index[b] == r) weight[r] = weight_of(value[b]);
    at->weighted |= weight[r] != weight[0];
  }
}

static void weigh_units(perp_simulation *sim, island *at, int32_t i) {
  size_t entry = 0;
  int32_t row = at->row;
  for (int32_t u = 0; u < at->count; u++) {
    const interaction_run *run = &sim->runs.interactions[sim->active.units[at->first + u].run];
    const double *B = diagonal_block(sim, at, i, u, &entry);
    weigh_unit(run, B, sim->problem.weight + row);
    for (int32_t r = row; r < row + run->size; r++)
      at->weighted |= sim->problem.weight[r] != sim->problem.weight[at->row];
    row += run->size;
  }
}

void perp_weigh_islands(perp_simulation *sim) {
  for (int32_t i = 0; i < sim->active.n_islands; i++) {
    island *at = &sim->active.islands[i];
    at->weighted = 0;
    if (at->count < 2 && sim->problem.cut == NULL) continue; /* one row */
    if (sim->runs.interactions[sim->active.units[at->first].run].order == 1) continue;
    if (sim->problem.cut == NULL) /* islands are of one order */
      weigh_rows(sim, at, i);
    else
      weigh_units(sim, at, i);
  }
}
