/* SPDX-License-Identifier: MIT */
#include "model/graph.h"

#include <string.h>

/* Rows, units and the lowest row on the systems first ... first + count - 1. */
typedef struct tally {
  uint32_t rows, units;
  int32_t lowest;
} tally;

/* One pass over the interactions for the systems of one window. */
static void count_window(const perp_model *model, int32_t first, int32_t count, tally *window,
                         graph_counts *c) {
  memset(window, 0, (size_t)count * sizeof *window);
  int32_t row = 0;
  for (int32_t i = 0; i < model->n_interactions; i++) {
    const perp_interaction *inter = model->interactions[i];
    int32_t m = inter->relation->m;
    for (int32_t s = 0; s < inter->n_systems; s++) {
      int32_t j = inter->systems[s] - first;
      if (j < 0 || j >= count) continue;
      if (window[j].rows == 0) window[j].lowest = row;
      window[j].rows += (uint32_t)m;
      window[j].units += (uint32_t)(m / inter->law->size);
      c->envelope += (size_t)m * (size_t)(row - window[j].lowest);
    }
    row += m;
  }
  for (int32_t j = 0; j < count; j++) {
    c->blocks += (size_t)window[j].units * window[j].units;
    c->entries += (size_t)window[j].rows * window[j].rows;
  }
}

/* Two window sizes, so that a small model needs a small stack and a large one few passes. */
static void count_small(const perp_model *model, graph_counts *c) {
  tally window[64];
  count_window(model, 0, model->n_systems, window, c);
}

static void count_large(const perp_model *model, graph_counts *c) {
  enum { WINDOW = 1024 };
  tally window[WINDOW];
  for (int32_t first = 0; first < model->n_systems; first += WINDOW) {
    int32_t left = model->n_systems - first;
    count_window(model, first, left < WINDOW ? left : WINDOW, window, c);
  }
}

void graph_count(const perp_model *model, graph_counts *counts) {
  memset(counts, 0, sizeof *counts);
  for (int32_t i = 0; i < model->n_interactions; i++) {
    const perp_interaction *inter = model->interactions[i];
    int32_t m = inter->relation->m;
    counts->rows += m;
    counts->units += m / inter->law->size;
    counts->incidences += (size_t)inter->n_systems;
    counts->envelope += (size_t)m * (size_t)(m + 1) / 2;
  }
  if (model->n_systems <= 64)
    count_small(model, counts);
  else
    count_large(model, counts);
}
