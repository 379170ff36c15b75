/* SPDX-License-Identifier: MIT */
#include "problem/islands.h"

#include <string.h>

#include "base/forest.h"

/* --- memory ---------------------------------------------------------------------------------- */

void perp_islands_carve(islands *s, arena *a, int32_t unknowns) {
  const size_t n = (size_t)unknowns;
  s->begin = arena_take(a, n + 1, sizeof(int32_t));
  s->law = arena_take(a, n, sizeof(int32_t));
  s->copy = arena_take(a, n, sizeof(int32_t));
  s->node = arena_take(a, n, sizeof(int32_t));
  s->owner = arena_take(a, n, sizeof(int32_t));
  s->order = arena_take(a, n, sizeof(int32_t));
  s->first = arena_take(a, n + 1, sizeof(int32_t));
  s->row = arena_take(a, n, sizeof(int32_t));
  s->at = arena_take(a, n, sizeof(size_t));
}

void perp_island_carve(island *s, arena *a, const perp_shape *shape) {
  const size_t n = (size_t)shape->n;
  const size_t entries = shape->matrix == PERP_BLOCKS ? shape->nonzeros : 0;
  const int stored = shape->matrix == PERP_BLOCKS || shape->matrix == PERP_DENSE;
  s->list = arena_take(a, n, sizeof(int32_t));
  s->lambda = arena_take(a, n, sizeof(double));
  s->y = arena_take(a, n, sizeof(double));
  s->q = arena_take(a, n, sizeof(double));
  s->weight = arena_take(a, n, sizeof(double));
  s->floor = arena_take(a, n, sizeof(double));
  s->values = arena_take(a, stored ? shape->nonzeros : n, sizeof(double));
  s->start = arena_take(a, n + 1, sizeof(int32_t));
  s->index = arena_take(a, entries, sizeof(int32_t));
  s->offset = arena_take(a, n + 1, sizeof(int32_t));
  s->place = arena_take(a, n, sizeof(int32_t));
  s->laws = arena_take(a, n, sizeof(perp_law *));
  s->states = arena_take(a, n, sizeof(void *));
}

/* --- nodes ----------------------------------------------------------------------------------- */

static void find_nodes(islands *s) {
  const perp_problem *p = s->problem;
  s->nodes = 0;
  for (int32_t b = 0, i = 0; b < p->n_blocks; b++) {
    const int32_t size = p->laws[b]->size;
    const int32_t end = p->offset == NULL ? i + size : p->offset[b + 1];
    for (int32_t copy = 0; i < end; copy++, i += size) {
      s->begin[s->nodes] = i;
      s->law[s->nodes] = b;
      s->copy[s->nodes] = copy;
      for (int32_t k = i; k < i + size; k++) s->node[k] = s->nodes;
      s->nodes++;
    }
  }
  s->begin[s->nodes] = p->n;
}

static size_t block_entries(const perp_matrix *M, int32_t r, int32_t c) {
  if (M->offset == NULL) return 1;
  return (size_t)(M->offset[r + 1] - M->offset[r]) * (size_t)(M->offset[c + 1] - M->offset[c]);
}

static int32_t row_begin(const perp_matrix *M, int32_t r) {
  return M->offset == NULL ? r : M->offset[r];
}

static void find_rows(islands *s) {
  const perp_matrix *M = &s->problem->M;
  size_t at = 0;
  for (int32_t r = 0; r < M->block_rows; r++) {
    s->at[r] = at;
    for (int32_t i = row_begin(M, r); i < row_begin(M, r + 1); i++) s->row[i] = r;
    for (int32_t b = M->start[r]; b < M->start[r + 1]; b++) at += block_entries(M, r, M->index[b]);
  }
}

/* --- who is connected: owner[] holds a tree until the islands get their numbers -----------------
 */

/* The smallest number is the root, so the roots come in the order of the islands. */
static void join(islands *s, int32_t a, int32_t b) { s->count -= forest_join(s->owner, a, b); }

static void join_dense(islands *s) {
  const perp_matrix *M = &s->problem->M;
  for (int32_t j = 0; j < M->cols && s->count > 1; j++) {
    const double *column = M->values + (size_t)M->ld * (size_t)j;
    for (int32_t i = 0; i < M->rows; i++)
      if (column[i] != 0) join(s, s->node[i], s->node[j]);
  }
}

static int nonzero(const double *values, size_t count) {
  for (size_t k = 0; k < count; k++)
    if (values[k] != 0) return 1;
  return 0;
}

/* Unknowns of one block row stay together, as those of one node. */
static void join_rows(islands *s) {
  const perp_matrix *M = &s->problem->M;
  for (int32_t i = 1; i < s->problem->n; i++)
    if (s->row[i] == s->row[i - 1]) join(s, s->node[i], s->node[i - 1]);
  for (int32_t r = 0; r < M->block_rows && s->count > 1; r++) {
    size_t at = s->at[r];
    for (int32_t b = M->start[r]; b < M->start[r + 1]; b++) {
      const int32_t c = M->index[b], here = s->node[row_begin(M, r)],
                    there = s->node[row_begin(M, c)];
      const size_t entries = block_entries(M, r, c);
      if (forest_root(s->owner, here) != forest_root(s->owner, there) &&
          nonzero(M->values + at, entries))
        join(s, here, there);
      at += entries;
    }
  }
}

static void number_islands(islands *s) {
  int32_t count = 0;
  for (int32_t k = 0; k < s->nodes; k++) { /* a parent comes before its children */
    s->first[count] = 0;
    s->owner[k] = s->owner[k] == k ? count++ : s->owner[s->owner[k]];
  }
  s->first[count] = 0;
  for (int32_t k = 0; k < s->nodes; k++) s->first[s->owner[k] + 1]++;
  for (int32_t i = 0; i < count; i++) s->first[i + 1] += s->first[i];
  for (int32_t k = 0; k < s->nodes; k++) s->order[s->first[s->owner[k]]++] = k;
  for (int32_t i = count; i > 0; i--) s->first[i] = s->first[i - 1];
  s->first[0] = 0;
}

void perp_islands_find(islands *s, const perp_problem *problem) {
  s->problem = problem;
  find_nodes(s);
  s->count = s->nodes;
  for (int32_t k = 0; k < s->nodes; k++) s->owner[k] = k;
  if (problem->M.kind == PERP_DENSE) join_dense(s);
  if (problem->M.kind == PERP_BLOCKS) {
    find_rows(s);
    join_rows(s);
  }
  number_islands(s);
}

int32_t perp_island_size(const islands *s, int32_t k) {
  int32_t size = 0;
  for (int32_t i = s->first[k]; i < s->first[k + 1]; i++)
    size += s->begin[s->order[i] + 1] - s->begin[s->order[i]];
  return size;
}

/* --- taking one out -------------------------------------------------------------------------- */

const void *perp_island_state(const islands *s, int32_t node) {
  const perp_problem *p = s->problem;
  const perp_law *law = p->laws[s->law[node]];
  const unsigned char *first = p->states == NULL ? NULL : p->states[s->law[node]];
  if (first == NULL || law->ops->state_bytes == NULL) return NULL;
  return first + (size_t)s->copy[node] * law->ops->state_bytes(law);
}

static void extract_laws(const islands *s, int32_t k, island *out) {
  const perp_problem *p = s->problem;
  const perp_problem none = PERP_PROBLEM_INIT;
  perp_problem *part = &out->problem;
  *part = none;
  for (int32_t i = s->first[k]; i < s->first[k + 1]; i++) {
    const int32_t node = s->order[i];
    out->laws[part->n_blocks] = p->laws[s->law[node]];
    out->states[part->n_blocks++] = perp_island_state(s, node);
    for (int32_t u = s->begin[node]; u < s->begin[node + 1]; u++) out->list[part->n++] = u;
  }
  part->laws = out->laws;
  part->states = out->states;
}

static void extract_dense(const perp_matrix *M, island *out) {
  const int32_t n = out->problem.n;
  double *to = out->values;
  for (int32_t j = 0; j < n; j++) {
    const double *column = M->values + (size_t)M->ld * (size_t)out->list[j];
    for (int32_t i = 0; i < n; i++) *to++ = column[out->list[i]];
  }
  out->problem.M = perp_dense(n, n, out->values);
}

/* A block row ends where the next unknown belongs to another one. */
static int32_t place_rows(const islands *s, island *out) {
  int32_t rows = 0;
  for (int32_t i = 0; i < out->problem.n; i++) {
    const int32_t r = s->row[out->list[i]];
    if (i > 0 && s->row[out->list[i - 1]] == r) continue;
    out->place[r] = rows;
    out->offset[rows++] = i;
  }
  out->offset[rows] = out->problem.n;
  return rows;
}

/* Explicit zeros may lead to other islands; they are left there. */
static void extract_rows(const islands *s, int32_t k, island *out) {
  const perp_matrix *M = &s->problem->M;
  const int32_t rows = place_rows(s, out);
  double *to = out->values;
  int32_t blocks = 0;
  for (int32_t i = 0; i < rows; i++) {
    const int32_t r = s->row[out->list[out->offset[i]]];
    size_t at = s->at[r];
    out->start[i] = blocks;
    for (int32_t b = M->start[r]; b < M->start[r + 1]; b++) {
      const int32_t c = M->index[b];
      const size_t entries = block_entries(M, r, c);
      if (s->owner[s->node[row_begin(M, c)]] == k) {
        memcpy(to, M->values + at, entries * sizeof *to);
        out->index[blocks++] = out->place[c];
        to += entries;
      }
      at += entries;
    }
  }
  out->start[rows] = blocks;
  out->problem.M = perp_block_rows(rows, out->offset, out->start, out->index, out->values);
  if (M->offset == NULL)
    out->problem.M = perp_compressed_rows(rows, out->start, out->index, out->values);
}

void perp_island_extract(const islands *s, int32_t k, const double *lambda, island *out) {
  const perp_problem *p = s->problem;
  extract_laws(s, k, out);
  for (int32_t i = 0; i < out->problem.n; i++) {
    out->q[i] = p->q[out->list[i]];
    out->lambda[i] = lambda[out->list[i]];
    if (p->weight != NULL) out->weight[i] = p->weight[out->list[i]];
    if (p->floor != NULL) out->floor[i] = p->floor[out->list[i]];
  }
  out->problem.q = out->q;
  if (p->weight != NULL) out->problem.weight = out->weight;
  if (p->floor != NULL) out->problem.floor = out->floor;
  out->problem.M.rows = out->problem.M.cols = out->problem.n;
  if (p->M.kind == PERP_DENSE) extract_dense(&p->M, out);
  if (p->M.kind == PERP_BLOCKS) extract_rows(s, k, out);
  if (p->M.kind != PERP_DIAGONAL) return;
  for (int32_t i = 0; i < out->problem.n; i++) out->values[i] = p->M.values[out->list[i]];
  out->problem.M = perp_diagonal(out->problem.n, out->values);
}

/* --- one node -------------------------------------------------------------------------------- */

static void add_row(const islands *s, int32_t r, int32_t begin, int32_t size, double *B) {
  const perp_matrix *M = &s->problem->M;
  const int32_t top = row_begin(M, r) - begin, rows = row_begin(M, r + 1) - row_begin(M, r);
  size_t at = s->at[r];
  for (int32_t b = M->start[r]; b < M->start[r + 1]; b++) {
    const int32_t left = row_begin(M, M->index[b]) - begin;
    const int32_t cols = row_begin(M, M->index[b] + 1) - row_begin(M, M->index[b]);
    for (int32_t j = left; j < left + cols; j++, at += (size_t)rows)
      for (int32_t i = 0; i < rows && j >= 0 && j < size; i++)
        B[top + i + size * j] += M->values[at + (size_t)i];
  }
}

void perp_island_block(const islands *s, int32_t node, double *B) {
  const perp_matrix *M = &s->problem->M;
  const int32_t begin = s->begin[node], size = s->begin[node + 1] - begin;
  memset(B, 0, (size_t)(size * size) * sizeof *B);
  for (int32_t j = 0; j < size; j++) {
    if (M->kind == PERP_DIAGONAL) B[j * (size + 1)] = M->values[begin + j];
    if (M->kind == PERP_DENSE)
      memcpy(B + size * j, M->values + (size_t)begin + (size_t)M->ld * (size_t)(begin + j),
             (size_t)size * sizeof *B);
    if (M->kind == PERP_BLOCKS && (j == 0 || s->row[begin + j] != s->row[begin + j - 1]))
      add_row(s, s->row[begin + j], begin, size, B);
  }
}
