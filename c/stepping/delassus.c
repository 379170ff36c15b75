/* SPDX-License-Identifier: MIT */
/* The one-step matrix (Delassus operator) of all units, in a live model of those acting, in block
 * rows:
 *   M_αβ = Σ_j γ H_α^j G_β^j + D_αβ  over the systems j of both,  G = gain W⁻¹ B,  γ = 1 unless the
 *   relation holds at x_{k+γ}; a live H has it in it.
 * Only interactions that share a system have a block. */
#include <assert.h>
#include <string.h>

#include "stepping/stages.h"

void perp_delassus_graph(perp_simulation *sim) {
  int32_t *start = sim->runs.incidence_start;
  memset(start, 0, ((size_t)sim->n_systems + 1) * sizeof *start);
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t r = 0; r < sim->runs.n_interaction_runs; r++) {
      const interaction_run *run = &sim->runs.interactions[r];
      for (int32_t k = 0; k < run->count; k++)
        for (int32_t s = 0; s < run->n_wide; s++) {
          int32_t j = run->wide[s].system0 + run->wide[s].stride * k;
          if (pass == 0) {
            start[j + 1]++;
          } else {
            struct incidence entry = {r, k, s};
            sim->runs.incidence[start[j]++] = entry;
          }
        }
    }
    if (pass == 0)
      for (int32_t j = 0; j < sim->n_systems; j++) start[j + 1] += start[j];
  }
  /* each start has moved to where the next one was */
  memmove(start + 1, start, (size_t)sim->n_systems * sizeof *start);
  start[0] = 0;
}

/* A block row in the making. For a column, parent holds the last block made in it, and position
 * where its values begin in the row; both are scratch until the first step. */
typedef struct block_row {
  const interaction_run *run;
  int32_t k, copy;
  size_t blocks, begin;   /* blocks so far, and where this row began */
  size_t entries, origin; /* likewise for values                     */
} block_row;

/* Values of the block in the column of a unit, made and zeroed if it is new. */
static double *block_at(perp_simulation *sim, block_row *row, int32_t unit, int32_t columns) {
  if (sim->active.parent[unit] < (int32_t)row->begin) {
    size_t size = (size_t)row->run->size * (size_t)columns;
    sim->active.parent[unit] = (int32_t)row->blocks;
    sim->active.place[unit] = (int32_t)(row->entries - row->origin);
    sim->whole.index[row->blocks++] = unit;
    memset(sim->whole.value + row->entries, 0, size * sizeof(double));
    row->entries += size;
  }
  return sim->whole.value + row->origin + sim->active.place[unit];
}

/* The product where H is evaluated, by its columns. */
static void add_product_live(const block_row *row, int32_t s, int32_t columns, const double *G,
                             int32_t ld, double *block) {
  const interaction_run *run = row->run;
  const slot *at = &run->slots[s];
  const size_t m = (size_t)run->m, n = (size_t)run->n, size = (size_t)run->size;
  const double *H =
      run->at.H + (size_t)row->k * m * n + (size_t)at->column * m + (size_t)row->copy * size;
  for (int32_t j = 0; j < columns; j++, G += ld, block += size)
    for (int32_t c = 0; c < at->n; c++)
      for (size_t i = 0; i < size; i++) block[i] += H[(size_t)c * m + i] * G[c];
}

/* block += γ H_α^s G_β^t for one system that both have, G the columns of the copy. */
static void add_product(const block_row *row, int32_t s, const interaction_run *other,
                        const double *columns, double *block) {
  const interaction_run *run = row->run;
  const int32_t ld = other->n_gain;
  if (!other->live && run->slots[s].run->sparse) return; /* sparse.c adds it column by column */
  if (run->live) {
    add_product_live(row, s, other->size, columns, ld, block);
    return;
  }
  for (int32_t i = 0; i < run->size; i++) {
    int32_t at = (row->copy * run->size + i) * run->n_slots + s;
    const term *begin = run->H + run->H_start[at], *end = run->H + run->H_start[at + 1];
    for (int32_t j = 0; j < other->size; j++) {
      const double *G = columns + (size_t)j * (size_t)ld;
      double sum = 0;
      for (const term *e = begin; e < end; e++) sum += e->value * G[e->column];
      block[i + run->size * j] += run->gamma * sum;
    }
  }
}

/* The products over one system of the unit. */
static void add_system(perp_simulation *sim, block_row *row, int32_t s) {
  int32_t j = row->run->slots[s].system0 + row->run->slots[s].stride * row->k;
  for (int32_t i = sim->runs.incidence_start[j]; i < sim->runs.incidence_start[j + 1]; i++) {
    const struct incidence *in = &sim->runs.incidence[i];
    const interaction_run *other = &sim->runs.interactions[in->run];
    const size_t n = (size_t)other->n_gain;
    const double *G = other->G;
    if (G != NULL) G += (size_t)in->k * other->G_step + (size_t)other->wide[in->slot].gain;
    int32_t unit = other->unit0 + in->k * other->copies;
    for (int32_t copy = 0; copy < other->copies; copy++) {
      if (sim->active.acts != NULL && !sim->active.acts[unit + copy]) continue;
      add_product(row, s, other, G != NULL ? G + (size_t)(copy * other->size) * n : NULL,
                  block_at(sim, row, unit + copy, other->size));
    }
  }
}

/* D of the unit's own interaction, and the compliance of its law. */
static void add_own(perp_simulation *sim, block_row *row) {
  const interaction_run *run = row->run;
  if (run->compliance != NULL) {
    double *own = block_at(sim, row, run->unit0 + row->k * run->copies + row->copy, run->size);
    for (int32_t i = 0; i < run->size * run->size; i++) own[i] += run->compliance[i];
  }
  if (run->D == NULL) return;
  const double *D = run->D + (size_t)row->k * run->D_step;
  for (int32_t copy = 0; copy < run->copies; copy++) {
    int32_t unit = run->unit0 + row->k * run->copies + copy;
    if (sim->active.acts != NULL && !sim->active.acts[unit]) continue;
    double *block = block_at(sim, row, unit, run->size);
    for (int32_t j = 0; j < run->size; j++)
      for (int32_t i = 0; i < run->size; i++)
        block[i + run->size * j] += D[row->copy * run->size + i + run->m * (copy * run->size + j)];
  }
}

void perp_delassus_assemble(perp_simulation *sim) {
  block_row row = {NULL, 0, 0, 0, 0, 0, 0};
  int32_t unit = 0;
  for (int32_t u = 0; u < sim->runs.units; u++) sim->active.parent[u] = -1;
  for (int32_t r = 0; r < sim->runs.n_interaction_runs; r++) {
    row.run = &sim->runs.interactions[r];
    for (row.k = 0; row.k < row.run->count; row.k++)
      for (row.copy = 0; row.copy < row.run->copies; row.copy++, unit++) {
        if (sim->whole.width != NULL) sim->whole.width[unit] = row.run->size;
        row.begin = row.blocks;
        row.origin = row.entries;
        sim->whole.start[unit] = (int32_t)row.blocks;
        sim->whole.entry[unit] = row.entries;
        if (sim->active.acts != NULL && !sim->active.acts[unit]) continue;
        for (int32_t s = 0; s < row.run->n_slots; s++) add_system(sim, &row, s);
        add_own(sim, &row);
      }
  }
  assert(unit == sim->runs.units);
  sim->whole.start[unit] = (int32_t)row.blocks;
  sim->whole.entry[unit] = row.entries;
  for (int32_t u = 0; u < sim->runs.units; u++) sim->active.place[u] = -1;
  sim->active.n_listed = 0;
}
