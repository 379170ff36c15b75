/* SPDX-License-Identifier: MIT */
#include "model/graph.h"

#include <string.h>

#include "model/pool.h"

/* Rows and units on one system, and the lowest of the rows. */
typedef struct tally {
  uint32_t rows, units;
  int32_t lowest;
} tally;

/* Sums that a size_t of 32 bits may not hold. */
typedef struct totals {
  uint64_t blocks, entries, envelope;
  uint64_t units, rows; /* most on one system */
} totals;

/* A stretch of interactions: its first row, and the systems between which all of its lie. */
typedef struct stretch {
  int32_t row, least, most;
} stretch;

/* Stretches of a large model; with WINDOW this is what the stack holds. */
enum { WINDOW = 1024, STRETCHES = 512 };

/* What interactions begin ... end - 1 put on the systems first ... first + count - 1. */
static void count_range(const perp_model *model, int32_t begin, int32_t end, int32_t row,
                        int32_t first, int32_t count, tally *window, totals *c) {
  for (int32_t i = begin; i < end; i++) {
    const perp_interaction *inter = model->interactions[i];
    int32_t m = inter->relation->m;
    for (int32_t s = 0; s < inter->n_systems; s++) {
      int32_t j = inter->systems[s] - first;
      if (j < 0 || j >= count) continue;
      if (window[j].rows == 0) window[j].lowest = row;
      window[j].rows += (uint32_t)m;
      window[j].units += (uint32_t)(m / inter->law->size);
      c->envelope += (uint64_t)m * (uint64_t)(row - window[j].lowest);
    }
    row += m;
  }
}

static void close_window(int32_t count, const tally *window, totals *c) {
  for (int32_t j = 0; j < count; j++) {
    c->blocks += (uint64_t)window[j].units * window[j].units;
    c->entries += (uint64_t)window[j].rows * window[j].rows;
    if (window[j].units > c->units) c->units = window[j].units;
    if (window[j].rows > c->rows) c->rows = window[j].rows;
  }
}

#if defined(__OPTIMIZE_SIZE__)
/* Small windows, each over all interactions. */
static void count_systems(const perp_model *model, totals *c) {
  enum { FEW = 32 };
  tally window[FEW];
  for (int32_t first = 0; first < model->n_systems; first += FEW) {
    memset(window, 0, sizeof window);
    count_range(model, 0, model->n_interactions, 0, first, FEW, window, c);
    close_window(FEW, window, c);
  }
}
#else
/* All systems in one window. */
static void count_small(const perp_model *model, totals *c) {
  tally window[64];
  memset(window, 0, sizeof window);
  count_range(model, 0, model->n_interactions, 0, 0, model->n_systems, window, c);
  close_window(model->n_systems, window, c);
}

static void summarise(const perp_model *model, int32_t length, stretch *stretches) {
  int32_t row = 0;
  for (int32_t i = 0; i < model->n_interactions; i++) {
    const perp_interaction *inter = model->interactions[i];
    stretch *at = &stretches[i / length];
    if (i % length == 0) {
      at->row = row;
      at->least = INT32_MAX;
      at->most = -1;
    }
    for (int32_t s = 0; s < inter->n_systems; s++) {
      if (inter->systems[s] < at->least) at->least = inter->systems[s];
      if (inter->systems[s] > at->most) at->most = inter->systems[s];
    }
    row += inter->relation->m;
  }
}

/* Window by window. Of the interactions each window reads only the stretches that reach into it,
 * so that a model whose neighbours have near numbers takes linear time. */
static void count_large(const perp_model *model, totals *c) {
  tally window[WINDOW];
  stretch stretches[STRETCHES];
  int32_t interactions = model->n_interactions;
  int32_t length = interactions / STRETCHES + 1;
  summarise(model, length, stretches);
  for (int32_t first = 0; first < model->n_systems; first += WINDOW) {
    int32_t left = model->n_systems - first, count = left < WINDOW ? left : WINDOW;
    memset(window, 0, sizeof window);
    for (int32_t begin = 0; begin < interactions; begin += length) {
      const stretch *at = &stretches[begin / length];
      if (at->most < first || at->least >= first + count) continue;
      int32_t end = interactions - begin < length ? interactions : begin + length;
      count_range(model, begin, end, at->row, first, count, window, c);
    }
    close_window(count, window, c);
  }
}

static void count_systems(const perp_model *model, totals *c) {
  if (model->n_systems <= 64)
    count_small(model, c);
  else
    count_large(model, c);
}
#endif

static size_t saturated(uint64_t x) { return x > SIZE_MAX ? SIZE_MAX : (size_t)x; }

/* A contact meets those of the pool on its two systems, and the interactions on them; any two rows
 * may be coupled. */
static void count_pool(const perp_contact_pool *pool, graph_counts *counts, totals *c) {
  const uint64_t capacity = (uint64_t)pool->capacity, rows = (uint64_t)perp_pool_rows(pool);
  const uint64_t near = 2 * (uint64_t)perp_pool_per_system(pool) - 1;
  const uint64_t partners = capacity < near ? capacity : near;
  counts->rows += (int32_t)(capacity * rows);
  counts->units += (int32_t)capacity;
  counts->incidences += 2 * (size_t)capacity;
  c->blocks += capacity * (partners + 4 * c->units);
  c->entries += capacity * rows * (partners * rows + 4 * c->rows);
  c->envelope = UINT64_MAX;
}

void perp_graph_count(const perp_model *model, graph_counts *counts) {
  totals sum = {0, 0, 0, 0, 0};
  memset(counts, 0, sizeof *counts);
  for (int32_t i = 0; i < model->n_interactions; i++) {
    const perp_interaction *inter = model->interactions[i];
    uint64_t m = (uint64_t)inter->relation->m;
    counts->rows += inter->relation->m;
    counts->units += inter->relation->m / inter->law->size;
    counts->incidences += (size_t)inter->n_systems;
    sum.envelope += m * (m + 1) / 2;
  }
  count_systems(model, &sum);
  if (model->pool != NULL) count_pool(model->pool, counts, &sum);
  /* an interaction over several systems was counted on each of them */
  uint64_t rows = (uint64_t)counts->rows, full = rows * (rows + 1) / 2;
  counts->blocks = saturated(sum.blocks);
  counts->entries = saturated(sum.entries);
  counts->envelope = saturated(sum.envelope < full ? sum.envelope : full);
}
