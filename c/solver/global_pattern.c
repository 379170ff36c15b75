/* SPDX-License-Identifier: MIT */
/* What couples what in  W = H M⁻¹ Hᵀ.  M falls into connected components, M⁻¹ into the same ones;
 * contact α touches the components in which a row of H_α has an entry, and W_αβ is not 0 only where
 * α and β touch one and the same. Components by union and find, with halved paths. */
#include <string.h>

#include "problem/global.h"
#include "solver/global.h"

static size_t larger(int32_t a, int32_t b) { return (size_t)(a > b ? a : b); }

/* --- H --------------------------------------------------------------------------------------- */

int32_t perp_global_row_length(const perp_matrix *H, int32_t i) {
  if (H->kind == PERP_BLOCKS) return H->start[i + 1] - H->start[i];
  int32_t count = 0;
  for (int32_t j = 0; j < H->cols && H->kind == PERP_DENSE; j++)
    count += H->values[(size_t)i + (size_t)H->ld * (size_t)j] != 0;
  return count;
}

uint64_t perp_global_stored(const perp_matrix *H) {
  uint64_t count = 0;
  for (int32_t i = 0; i < H->rows; i++) count += (uint64_t)perp_global_row_length(H, i);
  return count;
}

void perp_global_copy_rows(const perp_matrix *H, int32_t *start, int32_t *index, double *value) {
  int32_t at = 0;
  for (int32_t i = 0; i < H->rows; i++) {
    start[i] = at;
    const int32_t stored = H->kind == PERP_BLOCKS ? perp_global_row_length(H, i) : 0;
    for (int32_t k = 0; k < stored; k++) {
      index[at] = H->index[H->start[i] + k];
      value[at++] = H->values[H->start[i] + k];
    }
    for (int32_t j = 0; j < H->cols && H->kind == PERP_DENSE; j++) {
      const double h = H->values[(size_t)i + (size_t)H->ld * (size_t)j];
      if (h == 0) continue;
      index[at] = j;
      value[at++] = h;
    }
  }
  start[H->rows] = at;
}

static void take_rows(global_pattern *p) {
  const perp_matrix *H = &p->g->H;
  if (H->kind == PERP_BLOCKS) {
    p->H = (global_rows){H->start, H->index, H->values};
    return;
  }
  perp_global_copy_rows(H, p->h_start, p->h_index, p->h_value);
  p->H = (global_rows){p->h_start, p->h_index, p->h_value};
}

/* --- memory ---------------------------------------------------------------------------------- */

void perp_global_pattern_carve(global_pattern *p, arena *a, const perp_global_problem *g) {
  const size_t m = (size_t)g->m, i = sizeof(int32_t), d = sizeof(double);
  const perp_problem laws = perp_global_laws(g);
  const int cut = g->M.kind == PERP_BLOCKS && g->M.offset != NULL;
  const int own = g->H.kind != PERP_BLOCKS;
  memset(p, 0, sizeof *p);
  p->g = g;
  p->contacts = perp_problem_contact_count(&laws, &p->widest);
  const uint64_t stored = perp_global_stored(&g->H);
  if (stored > INT32_MAX) a->failed = 1;
  p->stored = (size_t)stored;
  p->component = arena_take(a, m, i);
  p->place = arena_take(a, m, i);
  p->member = arena_take(a, m, i);
  p->first = arena_take(a, m + 1, i);
  p->entries = arena_take(a, m, i);
  p->contact = arena_take(a, (size_t)p->contacts, sizeof(contact));
  p->touch_start = arena_take(a, (size_t)p->contacts + 1, i);
  p->touch = arena_take(a, p->stored, i);
  p->reach_start = arena_take(a, m + 1, i);
  p->reach = arena_take(a, p->stored, i);
  p->link = arena_take(a, p->stored, i);
  p->mark = arena_take(a, larger(g->m, p->contacts), i);
  p->h_start = arena_take(a, own ? (size_t)g->n + 1 : 0, i);
  p->h_index = arena_take(a, own ? p->stored : 0, i);
  p->h_value = arena_take(a, own ? p->stored : 0, d);
  p->M.M = &g->M;
  p->M.value = arena_take(a, m, d);
  row_reader_carve(&p->M, a, m, cut);
}

/* --- components of M ------------------------------------------------------------------------- */

static int32_t root(int32_t *parent, int32_t i) {
  while (parent[i] != i) {
    parent[i] = parent[parent[i]];
    i = parent[i];
  }
  return i;
}

/* The smaller root stays one, so a component has the number of its first velocity. */
static void join(int32_t *parent, int32_t i, int32_t j) {
  const int32_t a = root(parent, i), b = root(parent, j);
  if (a < b) parent[b] = a;
  if (b < a) parent[a] = b;
}

static void couple(global_pattern *p) {
  const int32_t m = p->g->m;
  for (int32_t i = 0; i < m; i++) p->mark[i] = i;
  for (int32_t i = 0; i < m && p->g->M.kind != PERP_ZERO && p->g->M.kind != PERP_DIAGONAL; i++) {
    const matrix_row row = row_read(&p->M, i);
    for (int32_t c = 0; c < row.count; c++)
      if (row.value[c] != 0) join(p->mark, i, row.column[c]);
  }
}

static void number_components(global_pattern *p) {
  const int32_t m = p->g->m;
  p->components = 0;
  for (int32_t i = 0; i < m; i++) {
    const int32_t r = root(p->mark, i);
    p->component[i] = r == i ? p->components++ : p->component[r];
  }
  for (int32_t c = 0; c <= p->components; c++) p->first[c] = 0;
  for (int32_t i = 0; i < m; i++) {
    p->place[i] = p->first[p->component[i] + 1]++;
    if (p->place[i] + 1 > p->largest) p->largest = p->place[i] + 1;
  }
  for (int32_t c = 0; c < p->components; c++) p->first[c + 1] += p->first[c];
  for (int32_t i = 0; i < m; i++) p->member[p->first[p->component[i]] + p->place[i]] = i;
}

/* Entries of M in each component; saturates. */
static void count_entries(global_pattern *p) {
  for (int32_t c = 0; c < p->components; c++) p->entries[c] = 0;
  for (int32_t i = 0; i < p->g->m; i++) {
    const matrix_row row = row_read(&p->M, i);
    int32_t *entries = &p->entries[p->component[i]];
    for (int32_t c = 0; c < row.count; c++)
      if (row.value[c] != 0 && *entries < INT32_MAX) ++*entries;
  }
}

/* --- who touches what ------------------------------------------------------------------------ */

static void find_touched(global_pattern *p) {
  int32_t count = 0;
  for (int32_t c = 0; c < p->components; c++) p->mark[c] = -1;
  for (int32_t k = 0; k < p->contacts; k++) {
    const contact *a = &p->contact[k];
    p->touch_start[k] = count;
    for (int32_t i = a->begin; i < a->begin + a->size; i++) {
      for (int32_t e = p->H.start[i]; e < p->H.start[i + 1]; e++) {
        const int32_t c = p->component[p->H.index[e]];
        if (p->mark[c] != k) p->touch[count++] = c;
        p->mark[c] = k;
      }
    }
  }
  p->touch_start[p->contacts] = count;
}

static void find_reach(global_pattern *p) {
  for (int32_t c = 0; c <= p->components; c++) p->reach_start[c] = 0;
  for (int32_t k = 0; k < p->touch_start[p->contacts]; k++) p->reach_start[p->touch[k] + 1]++;
  for (int32_t c = 0; c < p->components; c++) p->reach_start[c + 1] += p->reach_start[c];
  for (int32_t c = 0; c < p->components; c++) p->mark[c] = p->reach_start[c];
  for (int32_t k = 0; k < p->contacts; k++)
    for (int32_t t = p->touch_start[k]; t < p->touch_start[k + 1]; t++) {
      const int32_t e = p->mark[p->touch[t]]++;
      p->reach[e] = k;
      p->link[e] = t;
    }
}

/* --- blocks of W ----------------------------------------------------------------------------- */

/* Mark the contacts that share a component with contact k, itself first; out (may be NULL) takes
 * them. Their number, and how many unknowns they have. */
static int32_t partners(const global_pattern *p, int32_t k, int32_t *out, size_t *unknowns) {
  int32_t count = 1;
  p->mark[k] = k;
  if (out != NULL) out[0] = k;
  *unknowns = (size_t)p->contact[k].size;
  for (int32_t t = p->touch_start[k]; t < p->touch_start[k + 1]; t++) {
    const int32_t c = p->touch[t];
    for (int32_t e = p->reach_start[c]; e < p->reach_start[c + 1]; e++) {
      const int32_t other = p->reach[e];
      if (p->mark[other] == k) continue;
      p->mark[other] = k;
      *unknowns += (size_t)p->contact[other].size;
      if (out != NULL) out[count] = other;
      count++;
    }
  }
  return count;
}

static void no_marks(const global_pattern *p) {
  for (int32_t k = 0; k < p->contacts; k++) p->mark[k] = -1;
}

/* A component that all contacts touch makes W full, whatever the others are. */
static int is_full(const global_pattern *p) {
  for (int32_t c = 0; c < p->components; c++)
    if (p->reach_start[c + 1] - p->reach_start[c] == p->contacts) return 1;
  return p->contacts <= 1;
}

static void count_row(global_pattern *p, int32_t k) {
  const contact *a = &p->contact[k];
  const size_t rows = (size_t)a->size;
  int32_t first = a->begin;
  size_t cols;
  p->blocks += (size_t)partners(p, k, NULL, &cols);
  p->nonzeros += rows * cols;
  for (int32_t t = p->touch_start[k]; t < p->touch_start[k + 1]; t++) {
    const int32_t *reach = p->reach + p->reach_start[p->touch[t]];
    if (p->contact[*reach].begin < first) first = p->contact[*reach].begin;
  }
  p->envelope += rows * (size_t)(a->begin - first) + rows * (rows + 1) / 2;
}

static void count_blocks(global_pattern *p) {
  const size_t n = (size_t)p->g->n, k = (size_t)p->contacts;
  if (is_full(p)) {
    p->blocks = k * k;
    p->nonzeros = n * n;
    p->envelope = n * (n + 1) / 2;
    return;
  }
  no_marks(p);
  for (int32_t c = 0; c < p->contacts; c++) count_row(p, c);
}

int perp_global_pattern_make(global_pattern *p) {
  const perp_problem laws = perp_global_laws(p->g);
  if (p->g->m > 0) perp_row_reader_prepare(&p->M);
  if (p->contacts > 0) perp_problem_contacts(&laws, p->contact);
  p->unit = p->widest <= 1;
  take_rows(p);
  couple(p);
  number_components(p);
  count_entries(p);
  find_touched(p);
  find_reach(p);
  count_blocks(p);
  return p->blocks <= INT32_MAX;
}

void perp_global_pattern_blocks(const global_pattern *p, int32_t *start, int32_t *index,
                                int32_t *spare) {
  int32_t count = 0;
  size_t unknowns;
  no_marks(p);
  for (int32_t k = 0; k < p->contacts; k++) {
    start[k] = count;
    count += partners(p, k, spare + count, &unknowns);
  }
  start[p->contacts] = count;
  /* W's pattern is symmetric, so its transpose, written row by row, is it in order */
  for (int32_t k = 0; k < p->contacts; k++) p->mark[k] = start[k];
  for (int32_t k = 0; k < p->contacts; k++)
    for (int32_t e = start[k]; e < start[k + 1]; e++) index[p->mark[spare[e]]++] = k;
}
