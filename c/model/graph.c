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
/* Interactions begin ... end - 1: their first row, and the systems between which all of theirs lie.
 */
typedef struct stretch {
  int32_t begin, end, row, least, most;
} stretch;

enum { WINDOW = 64, STRETCHES = 24 }; /* together less than 2 kB of the stack */

static int reaches(const stretch *s, int32_t first, int32_t count) {
  return s->most >= first && s->least - first < count;
}

/* What begins at `begin` and `row`, no longer than `length` and not beyond `end`. */
static stretch summarise(const perp_model *model, int32_t begin, int32_t end, int32_t length,
                         int32_t row) {
  stretch s = {begin, end - begin < length ? end : begin + length, row, INT32_MAX, -1};
  for (int32_t i = s.begin; i < s.end; i++) {
    const perp_interaction *inter = model->interactions[i];
    for (int32_t k = 0; k < inter->n_systems; k++) {
      if (inter->systems[k] < s.least) s.least = inter->systems[k];
      if (inter->systems[k] > s.most) s.most = inter->systems[k];
    }
  }
  return s;
}

/* Those of n stretches that reach into the systems first ... first + count - 1, in at most
 * STRETCHES parts. Returns how many. */
static int32_t cut(const perp_model *model, const stretch *whole, int32_t n, int32_t first,
                   int32_t count, stretch *parts) {
  int32_t near = 0, made = 0;
  for (int32_t i = 0; i < n; i++) near += reaches(whole + i, first, count);
  for (int32_t i = 0; i < n; i++) {
    const stretch *w = whole + i;
    if (!reaches(w, first, count)) continue;
    int32_t length = (w->end - w->begin) / (STRETCHES / near) + 1, row = w->row;
    for (int32_t begin = w->begin; begin < w->end; begin += length) {
      parts[made] = summarise(model, begin, w->end, length, row);
      for (int32_t k = begin; k < parts[made].end; k++) row += model->interactions[k]->relation->m;
      made++;
    }
  }
  return made;
}

/* Window by window. Of the interactions each window reads only the stretches that reach into it,
 * found in two passes, so that a model whose neighbours have near numbers takes little more than
 * linear time. */
static void count_systems(const perp_model *model, totals *c) {
  const stretch whole = {0, model->n_interactions, 0, 0, model->n_systems - 1};
  stretch all[STRETCHES], near[STRETCHES] = {whole};
  tally window[WINDOW];
  const int32_t systems = model->n_systems, span = (systems / STRETCHES / WINDOW + 1) * WINDOW;
  const int32_t n_all = systems <= WINDOW ? 0 : cut(model, &whole, 1, 0, systems, all);
  int32_t n_near = 1;
  for (int32_t first = 0; first < systems; first += WINDOW) {
    int32_t left = systems - first, count = left < WINDOW ? left : WINDOW;
    if (n_all > 0 && first % span == 0) n_near = cut(model, all, n_all, first, span, near);
    memset(window, 0, sizeof window);
    for (const stretch *s = near; s < near + n_near; s++)
      if (reaches(s, first, count))
        count_range(model, s->begin, s->end, s->row, first, count, window, c);
    close_window(count, window, c);
  }
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
