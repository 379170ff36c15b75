/* SPDX-License-Identifier: MIT */
/* Which units act in a step, and the matrix of their one-step problems:
 *   active where y_k + γ h ẏ_k ≤ 0 (gated laws), always otherwise;
 *   islands: connected components of the active units that share systems;
 *   M is the part of the matrix of all units (delassus.c) that belongs to an island.
 * Everything but the prediction is done only when the active units change. */
#include <string.h>

#include "stepping/stages.h"

/* -------------------------------------------------------------------------- predict ---- */

/* Not (gap > 0), so that a NaN acts and shows in the residual. */
static int closed(double y, double ydot, double gamma_h) { return !(y + gamma_h * ydot > 0); }

/* Rows that are copies of size one. A long run is first looked over in stretches, so that open
 * gaps cost next to nothing. */
static int32_t *predict_rows(const double *y, const double *ydot, double gamma_h, int32_t count,
                             int32_t unit, int32_t *out) {
  enum { STRETCH = 16 };
  int32_t k = 0;
  for (; k + STRETCH <= count; k += STRETCH) {
    int32_t any = 0;
    for (int32_t i = k; i < k + STRETCH; i++) any |= closed(y[i], ydot[i], gamma_h);
    if (!any) continue;
    for (int32_t i = k; i < k + STRETCH; i++)
      if (closed(y[i], ydot[i], gamma_h)) *out++ = unit + i;
  }
  for (; k < count; k++)
    if (closed(y[k], ydot[k], gamma_h)) *out++ = unit + k;
  return out;
}

static int32_t *predict_run(const perp_simulation *sim, const interaction_run *run, double gamma_h,
                            int32_t *out) {
  const double *y = sim->y + run->row0, *ydot = sim->ydot + run->row0;
  if (run->gated && run->size == 1)
    return predict_rows(y, ydot, gamma_h, run->units, run->unit0, out);
  for (int32_t u = 0; u < run->units; u++) {
    size_t row = (size_t)u * (size_t)run->size;
    if (!run->gated || closed(y[row], ydot[row], gamma_h)) *out++ = run->unit0 + u;
  }
  return out;
}

int contact_predict(perp_simulation *sim, double h) {
  int32_t *out = sim->now;
  for (int32_t r = 0; r < sim->n_interaction_runs; r++)
    out = predict_run(sim, &sim->interactions[r], sim->options.gamma * h, out);
  sim->n_active = (int32_t)(out - sim->now);
  if (sim->n_active != sim->n_before) return 1;
  int32_t differ = 0;
  for (int32_t u = 0; u < sim->n_active; u++) differ |= sim->now[u] ^ sim->before[u];
  return differ != 0;
}

void contact_recall(perp_simulation *sim) {
  int32_t count = 0;
  for (int32_t r = 0; r < sim->n_interaction_runs; r++) {
    const interaction_run *run = &sim->interactions[r];
    for (int32_t u = 0; u < run->units; u++) {
      size_t row = run->row0 + (size_t)u * (size_t)run->size;
      int set = 0;
      for (size_t i = row; i < row + (size_t)run->size; i++)
        set |= sim->lambda[i] != 0 || sim->modes[i] != PERP_MODE_UNKNOWN;
      if (set) sim->before[count++] = run->unit0 + u;
    }
  }
  sim->n_before = count;
}

/* -------------------------------------------------------------------------- islands ---- */

/* Walks the runs along increasing unit numbers. */
typedef struct walker {
  const perp_simulation *sim;
  int32_t run;
} walker;

static active_unit walk(walker *w, int32_t unit) {
  const interaction_run *run = &w->sim->interactions[w->run];
  while (unit >= run->unit0 + run->units) run = &w->sim->interactions[++w->run];
  int32_t within = unit - run->unit0;
  active_unit a = {unit, w->run, within / run->copies, within % run->copies};
  return a;
}

static int32_t find_root(int32_t *parent, int32_t i) {
  while (parent[i] != i) {
    parent[i] = parent[parent[i]];
    i = parent[i];
  }
  return i;
}

/* Unite with the smaller root, so that a root is the first unit of its island. */
static void unite(int32_t *parent, int32_t i, int32_t j) {
  i = find_root(parent, i);
  j = find_root(parent, j);
  if (i < j)
    parent[j] = i;
  else
    parent[i] = j;
}

/* List the active units in the order of now, and unite those that are coupled. */
static void connect(perp_simulation *sim) {
  walker w = {sim, 0};
  for (int32_t i = 0; i < sim->n_active; i++) {
    int32_t unit = sim->now[i];
    sim->active[i] = walk(&w, unit);
    sim->position[unit] = i;
    sim->parent[i] = i;
    for (int32_t b = sim->full_start[unit]; b < sim->full_start[unit + 1]; b++) {
      int32_t p = sim->position[sim->full_index[b]];
      if (p >= 0 && p < i) unite(sim->parent, p, i);
    }
  }
}

/* Reorder active so that islands are contiguous, in the order of their first unit. */
static void permute(perp_simulation *sim, const int32_t *number) {
  active_unit *unsorted = sim->active;
  sim->active = sim->unsorted;
  sim->unsorted = unsorted;
  for (int32_t i = 0; i < sim->n_islands; i++) sim->islands[i].count = 0;
  for (int32_t i = 0; i < sim->n_active; i++) {
    island *at = &sim->islands[number[find_root(sim->parent, i)]];
    int32_t place = at->first + at->count++;
    sim->active[place] = unsorted[i];
    sim->position[unsorted[i].unit] = place;
  }
}

static void sort_islands(perp_simulation *sim) {
  int32_t *number = sim->start; /* island of a root; start is filled later */
  int32_t last = 0, sorted = 1;
  sim->n_islands = 0;
  for (int32_t i = 0; i < sim->n_active; i++) {
    int32_t root = find_root(sim->parent, i);
    if (root == i) {
      sim->islands[sim->n_islands].count = 0;
      number[i] = sim->n_islands++;
    }
    if (number[root] < last) sorted = 0;
    last = number[root];
    sim->islands[last].count++;
  }
  for (int32_t i = 0, first = 0; i < sim->n_islands; i++) {
    sim->islands[i].first = first;
    first += sim->islands[i].count;
  }
  if (!sorted) permute(sim, number);
}

/* ------------------------------------------------------------------------- assembly ---- */

/* Rows and columns of the active units out of the matrix of all; block and entry count what the
 * islands before have used. */
static void extract_island(perp_simulation *sim, int32_t i, size_t *block, size_t *entry) {
  island *at = &sim->islands[i];
  int32_t *start = sim->start + at->first + i;
  int32_t *cut = sim->cut != NULL ? sim->cut + at->first + i : NULL;
  at->block = *block;
  at->entry = *entry;
  at->rows = 0;
  for (int32_t u = 0; u < at->count; u++) {
    const active_unit *a = &sim->active[at->first + u];
    size_t size = (size_t)sim->interactions[a->run].size;
    const double *value = sim->full_value + sim->full_entry[a->unit];
    start[u] = (int32_t)(*block - at->block);
    if (cut != NULL) cut[u] = at->rows;
    at->rows += (int32_t)size;
    for (int32_t b = sim->full_start[a->unit]; b < sim->full_start[a->unit + 1]; b++) {
      int32_t column = sim->full_index[b], p = sim->position[column];
      size_t entries = size;
      if (cut != NULL) entries *= (size_t)(sim->full_width[column]);
      if (p >= 0) {
        sim->index[(*block)++] = p - at->first;
        for (size_t e = 0; e < entries; e++) sim->value[(*entry)++] = value[e];
      }
      value += entries;
    }
  }
  start[at->count] = (int32_t)(*block - at->block);
  if (cut != NULL) cut[at->count] = at->rows;
}

/* Law blocks of an island: neighbours with one law and no state are one block. */
static void list_laws(perp_simulation *sim, int32_t i, int32_t law) {
  island *at = &sim->islands[i];
  int32_t *offset = sim->law_offset + law + i;
  at->law = law;
  at->laws = 0;
  for (int32_t u = 0, row = 0; u < at->count; u++) {
    const active_unit *a = &sim->active[at->first + u];
    const interaction_run *run = &sim->interactions[a->run];
    int32_t last = law + at->laws - 1;
    if (at->laws == 0 || sim->laws[last] != run->law || run->state_bytes > 0) {
      last = law + at->laws++;
      sim->laws[last] = run->law;
      offset[last - law] = row;
      if (sim->states != NULL)
        sim->states[last] = sim->law_states + run->state0 +
                            run->state_bytes * (size_t)(a->k * run->copies + a->copy);
    }
    row += run->size;
  }
  offset[at->laws] = at->rows;
}

/* Rows of the model that the active rows are, and λ as the start of the solver. */
static void list_rows(perp_simulation *sim) {
  int32_t row = 0;
  for (int32_t u = 0; u < sim->n_active; u++) {
    const active_unit *a = &sim->active[u];
    const interaction_run *run = &sim->interactions[a->run];
    size_t id = layout_unit_row(run, a->k, a->copy);
    for (int32_t i = 0; i < run->size; i++, row++) {
      sim->row_id[row] = (int32_t)id + i;
      sim->active_lambda[row] = sim->lambda[id + (size_t)i];
    }
  }
  sim->active_rows = row;
}

static void list_segments(perp_simulation *sim) {
  sim->n_segments = 0;
  for (int32_t u = 0, row = 0; u < sim->n_active; u++) {
    const active_unit *a = &sim->active[u];
    const interaction_run *run = &sim->interactions[a->run];
    segment *last = sim->n_segments > 0 ? &sim->segments[sim->n_segments - 1] : NULL;
    if (last != NULL && run->m == 1 && last->run == a->run && last->k + last->count == a->k) {
      last->count++;
    } else {
      segment s = {a->run, a->k, a->copy, 1, row};
      sim->segments[sim->n_segments++] = s;
    }
    row += run->size;
  }
}

/* Hand out the warm bytes, as far as they go. */
static void share_warm(perp_simulation *sim) {
  const perp_solver *solver = sim->options.solver;
  size_t used = 0;
  for (int32_t i = 0; i < sim->n_islands && sim->warm_bytes > 0; i++) {
    island *at = &sim->islands[i];
    perp_problem problem;
    perp_shape shape;
    layout_island_problem(sim, i, &problem);
    perp_problem_shape(&problem, &shape);
    size_t bytes = (solver->warm_bytes(&shape) + 7) / 8 * 8;
    if (bytes > sim->warm_bytes - used) bytes = 0;
    at->warm = used;
    at->warm_bytes = bytes;
    used += bytes;
  }
}

void contact_assemble(perp_simulation *sim) {
  for (int32_t u = 0; u < sim->n_listed; u++) sim->position[sim->active[u].unit] = -1;
  sim->n_listed = sim->n_active;
  connect(sim);
  sort_islands(sim);
  list_rows(sim);
  list_segments(sim);
  size_t block = 0, entry = 0;
  for (int32_t i = 0, row = 0, law = 0; i < sim->n_islands; i++) {
    island *at = &sim->islands[i];
    extract_island(sim, i, &block, &entry);
    at->row = row;
    row += at->rows;
    list_laws(sim, i, law);
    law += at->laws;
  }
  share_warm(sim);
  if (++sim->stamp == 0) sim->stamp = 1;
  sim->assembled = 1;
  sim->fresh = 1;
}
