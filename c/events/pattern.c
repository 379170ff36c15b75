/* SPDX-License-Identifier: MIT */
/* Which entries of ∂Ẏ/∂Y may be other than 0, over all modes: those of the systems, and where
 * interactions hang together through their systems, all that their forces move by all that their
 * forces depend on. */
#include <stdlib.h>
#include <string.h>

#include "base/forest.h"
#include "events/engine.h"

enum { SMALLEST = 32 }; /* below that dense is faster */

/* Entries as column * n + row, in any order, at first with repetitions. */
typedef struct entries {
  size_t n, count, room;
  uint64_t *at;
  int failed; /* no memory, or so many that dense is better */
} entries;

static void put(entries *x, size_t row, size_t column) {
  if (x->failed) return;
  if (x->count == x->room) {
    const size_t room = x->room == 0 ? 1024 : 2 * x->room;
    uint64_t *more =
        room > 8 * x->n * x->n ? NULL : (uint64_t *)realloc(x->at, room * sizeof *more);
    if (more == NULL) {
      x->failed = 1;
      return;
    }
    x->at = more;
    x->room = room;
  }
  x->at[x->count++] = (uint64_t)column * x->n + row;
}

static int compare(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static void sort(entries *x) {
  if (x->failed || x->count == 0) return;
  qsort(x->at, x->count, sizeof *x->at, compare);
  size_t kept = 1;
  for (size_t k = 1; k < x->count; k++)
    if (x->at[k] != x->at[kept - 1]) x->at[kept++] = x->at[k];
  x->count = kept;
}

/* Rows row0 + i, columns column0 + j of the entries of an operator. */
static void put_matrix(entries *x, const perp_matrix *A, size_t row0, size_t column0) {
  const size_t n = (size_t)A->rows;
  for (size_t i = 0; i < n && A->kind != PERP_ZERO; i++) {
    if (A->kind == PERP_DIAGONAL) put(x, row0 + i, column0 + i);
    for (size_t j = 0; A->kind == PERP_DENSE && j < n; j++)
      if (A->values[i + j * (size_t)A->ld] != 0) put(x, row0 + i, column0 + j);
    for (int32_t p = A->kind == PERP_BLOCKS ? A->start[i] : 0;
         A->kind == PERP_BLOCKS && p < A->start[i + 1]; p++)
      put(x, row0 + i, column0 + (size_t)A->index[p]);
  }
}

static void put_all(entries *x, size_t row0, size_t rows, size_t column0, size_t columns) {
  for (size_t j = 0; j < columns; j++)
    for (size_t i = 0; i < rows; i++) put(x, row0 + i, column0 + j);
}

/* Whether M⁻¹ keeps the structure of what it multiplies. */
static int is_lumped(const plant_system *s) {
  return s->storage == PERP_ZERO || s->storage == PERP_DIAGONAL;
}

static void put_system(const plant *p, const plant_system *s, entries *x) {
  const size_t n = (size_t)s->n, n_q = (size_t)s->n_q, w = p->n_q + s->w0;
  const int full = s->varying || !is_lumped(s);
  if (s->order == 2) {
    if (n_q != n) {
      put_all(x, s->q0, n_q, s->q0, n_q);
      put_all(x, s->q0, n_q, w, n);
    }
    for (size_t i = 0; n_q == n && i < n; i++) put(x, s->q0 + i, w + i);
    if (full) {
      put_all(x, w, n, s->q0, n_q);
    } else {
      put_matrix(x, &s->terms.K, w, s->q0);
      put_matrix(x, &s->terms.C, w, w);
    }
  } else if (!full) {
    put_matrix(x, &s->terms.A, w, w);
  }
  if (full) put_all(x, w, n, w, n);
}

/* -------------------------------------------------------------------- components ---- */

/* Component of each interaction: its lowest number. */
static void join(const plant *p, int32_t *parent, int32_t *first_on) {
  for (int32_t s = 0; s < p->n_systems; s++) first_on[s] = -1;
  for (int32_t i = 0; i < p->n_interactions; i++) parent[i] = i;
  for (int32_t i = 0; i < p->n_interactions; i++)
    for (int32_t k = 0; k < p->interactions[i].n_systems; k++) {
      int32_t *first = &first_on[p->interactions[i].systems[k]];
      if (*first < 0) *first = i;
      (void)forest_join(parent, *first, i);
    }
}

/* Mark what the forces of an interaction move (1) and what they depend on (2), by entry of Y. */
static void mark(const plant *p, const plant_interaction *at, unsigned char *what) {
  int32_t column = 0;
  for (int32_t k = 0; k < at->n_systems; k++) {
    const plant_system *s = &p->systems[at->systems[k]];
    const size_t w = p->n_q + s->w0;
    const int all = at->varying || s->varying || !is_lumped(s);
    for (int32_t j = 0; j < s->n; j++, column++) {
      int used = all;
      for (int32_t r = 0; r < at->m && !used; r++)
        used = at->H[r + at->m * column] != 0 || at->B[column + at->n * r] != 0;
      if (!used) continue;
      what[w + (size_t)j] |= 3;
      if (s->order == 2 && s->n_q == s->n) what[s->q0 + (size_t)j] |= 2;
    }
    for (int32_t j = 0; s->order == 2 && s->n_q != s->n && j < s->n_q; j++)
      what[s->q0 + (size_t)j] |= 2;
  }
}

/* Entries of Y that the rates of marked ones depend on, by the structure of the systems: twice, for
 * rows that are differentiated twice. */
static void widen(const entries *systems, unsigned char *what) {
  const size_t n = systems->n;
  for (int pass = 0; pass < 2; pass++) {
    for (size_t k = 0; k < systems->count; k++) {
      const size_t row = (size_t)(systems->at[k] % n), column = (size_t)(systems->at[k] / n);
      if ((what[row] & 2) != 0) what[column] |= 4;
    }
    for (size_t k = 0; k < n; k++)
      if ((what[k] & 4) != 0) what[k] = (unsigned char)((what[k] & 1) | 2);
  }
}

static void put_component(entries *x, const unsigned char *what) {
  for (size_t j = 0; j < x->n; j++)
    for (size_t i = 0; (what[j] & 2) != 0 && i < x->n; i++)
      if ((what[i] & 1) != 0) put(x, i, j);
}

static void put_interactions(const plant *p, entries *x, int32_t *parent, int32_t *first_on,
                             unsigned char *what) {
  join(p, parent, first_on);
  entries systems = *x; /* those put so far stay where they are, or move with x */
  const size_t count = x->count;
  for (int32_t c = 0; c < p->n_interactions && !x->failed; c++) {
    if (forest_root(parent, c) != c) continue;
    memset(what, 0, x->n);
    for (int32_t i = c; i < p->n_interactions; i++)
      if (forest_root(parent, i) == c) mark(p, &p->interactions[i], what);
    systems.at = x->at;
    systems.count = count;
    widen(&systems, what);
    put_component(x, what);
  }
}

/* ------------------------------------------------------------------------- result ---- */

/* Compressed columns. */
static perp_status compress(engine *e, const entries *x) {
  const size_t n = x->n;
  e->pattern = (int32_t *)calloc(n + 1 + x->count, sizeof(int32_t));
  if (e->pattern == NULL) return PERP_EBACKEND;
  int32_t *start = e->pattern, *index = start + n + 1;
  for (size_t k = 0; k < x->count; k++) {
    start[x->at[k] / n + 1]++;
    index[k] = (int32_t)(x->at[k] % n);
  }
  for (size_t j = 0; j < n; j++) start[j + 1] += start[j];
  e->equations.start = start;
  e->equations.index = index;
  return PERP_OK;
}

perp_status perp_pattern_make(engine *e) {
  const plant *p = &e->p;
  entries x = {p->n, 0, 0, NULL, 0};
  if (p->n < SMALLEST) return PERP_OK;
  const size_t systems = (size_t)p->n_systems + 1, interactions = (size_t)p->n_interactions + 1;
  int32_t *parent = (int32_t *)calloc(interactions, sizeof *parent);
  int32_t *first_on = (int32_t *)calloc(systems, sizeof *first_on);
  unsigned char *what = (unsigned char *)calloc(p->n, 1);
  perp_status status = PERP_EBACKEND;
  if (parent != NULL && first_on != NULL && what != NULL) {
    for (size_t i = 0; i < p->n; i++) put(&x, i, i);
    for (int32_t i = 0; i < p->n_systems; i++) put_system(p, &p->systems[i], &x);
    put_interactions(p, &x, parent, first_on, what);
    sort(&x);
    const int dense = x.failed || x.count > p->n * p->n / 2 || x.count > INT32_MAX / 4;
    status = dense ? PERP_OK : compress(e, &x);
  }
  free(parent);
  free(first_on);
  free(what);
  free(x.at);
  return status;
}
