/* SPDX-License-Identifier: MIT */
/* Which unknowns enter which equations of the DAE: from the terms of constant systems and relations
 * entry by entry, of others as full blocks of what they join. */
#include <string.h>

#include "events/dae.h"

/* Counts entries by column (index NULL, start shifted by one), or writes them at start[column]. */
typedef struct entries {
  int32_t *start, *index;
} entries;

static void add_entry(entries *b, size_t row, size_t column) {
  if (b->index == NULL)
    b->start[column + 1]++;
  else
    b->index[b->start[column]++] = (int32_t)row;
}

static void add_block(entries *b, size_t row, int32_t rows, size_t column, int32_t columns) {
  for (int32_t j = 0; j < columns; j++)
    for (int32_t i = 0; i < rows; i++) add_entry(b, row + (size_t)i, column + (size_t)j);
}

static void add_matrix(entries *b, const perp_matrix *A, size_t row, size_t column) {
  if (A->kind == PERP_DENSE) add_block(b, row, A->rows, column, A->cols);
  for (int32_t i = 0; A->kind == PERP_DIAGONAL && i < A->rows; i++)
    add_entry(b, row + (size_t)i, column + (size_t)i);
  for (int32_t i = 0; A->kind == PERP_BLOCKS && i < A->rows; i++)
    for (int32_t k = A->start[i]; k < A->start[i + 1]; k++)
      add_entry(b, row + (size_t)i, column + (size_t)A->index[k]);
}

/* ----------------------------------------------------------------------- systems ---- */

static size_t first_w(const engine *e, const plant_system *s) { return e->p.n_q + s->w0; }

/* Whether M⁻¹ carries a force on one coordinate to all. */
static int spreads(const plant_system *s) { return s->storage == PERP_DENSE; }

static void add_diagonal(entries *b, size_t at, int32_t n) {
  for (int32_t i = 0; i < n; i++) add_entry(b, at + (size_t)i, at + (size_t)i);
}

static void add_system(const engine *e, entries *b, const plant_system *s) {
  const size_t q = s->q0, w = first_w(e, s);
  const int full = s->varying || spreads(s);
  add_diagonal(b, w, s->n);
  if (s->storage == PERP_BLOCKS) add_matrix(b, &s->terms.M, w, w);
  if (full) add_block(b, w, s->n, w, s->n);
  if (s->order == 1) {
    if (!full) add_matrix(b, &s->terms.A, w, w);
    return;
  }
  add_diagonal(b, q, s->n_q);
  if (s->n_q > s->n || s->system->ops->rate != NULL) {
    add_block(b, q, s->n_q, q, s->n_q);
    add_block(b, q, s->n_q, w, s->n);
  } else {
    for (int32_t i = 0; i < s->n; i++) add_entry(b, q + (size_t)i, w + (size_t)i);
  }
  if (s->storage == PERP_BLOCKS) {
    add_matrix(b, &s->terms.M, q, q);
    add_matrix(b, &s->terms.M, q, w);
  }
  if (full) {
    add_block(b, w, s->n, q, s->n_q);
  } else {
    add_matrix(b, &s->terms.C, w, w);
    add_matrix(b, &s->terms.K, w, q);
  }
}

/* ------------------------------------------------------------------ interactions ---- */

enum { BY_Q, BY_W };

/* Coordinates of the systems joined that a row of H, or a column of B, has entries for. */
typedef struct reach {
  const engine *e;
  const plant_interaction *at;
  const double *A;    /* H or B; NULL: all                       */
  size_t first, step; /* of the entries, one for each coordinate */
  int32_t rows;       /* as many rows together,                  */
  size_t next;        /* from one to the next                    */
} reach;

static int touches(const reach *r, int32_t column) {
  if (r->A == NULL) return 1;
  for (int32_t k = 0; k < r->rows; k++)
    if (r->A[r->first + (size_t)k * r->next + (size_t)column * r->step] != 0) return 1;
  return 0;
}

/* H of rows row ... row + rows - 1. */
static reach by_rows(const engine *e, const plant_interaction *at, int32_t row, int32_t rows) {
  const reach r = {e, at, at->varying ? NULL : at->H, (size_t)row, (size_t)at->m, rows, 1};
  return r;
}

/* Columns of the reaction. */
static reach by_columns(const engine *e, const plant_interaction *at, int32_t row) {
  const reach r = {e, at, at->varying ? NULL : at->B, (size_t)row * (size_t)at->n, 1, 1, 0};
  return r;
}

/* Coordinates (of the kind) that a reach touches, as rows: entries (coordinate, other), or as
 * columns: (other, coordinate). As rows a mass that spreads fills its system. */
static void add_reach(const reach *r, entries *b, int kind, int as_rows, size_t other) {
  int32_t column = 0;
  for (int32_t k = 0; k < r->at->n_systems; k++) {
    const plant_system *s = &r->e->p.systems[r->at->systems[k]];
    const size_t at = kind == BY_Q ? s->q0 : first_w(r->e, s);
    const int32_t n = kind == BY_Q ? s->n_q : s->n;
    int any = 0;
    for (int32_t i = 0; i < s->n; i++) any = any || touches(r, column + i);
    const int all = any && ((as_rows && spreads(s)) || n != s->n ||
                            (kind == BY_Q && s->system->ops->rate != NULL));
    for (int32_t i = 0; i < n; i++) {
      if (!all && (n != s->n || !touches(r, column + i))) continue;
      if (as_rows)
        add_entry(b, at + (size_t)i, other);
      else
        add_entry(b, other, at + (size_t)i);
    }
    column += s->n;
  }
}

/* Rates of all that is joined by all of it. */
static void add_joined(const engine *e, entries *b, const plant_interaction *at) {
  for (int32_t i = 0; i < at->n_systems; i++) {
    const plant_system *s = &e->p.systems[at->systems[i]];
    const size_t q = s->q0, w = first_w(e, s);
    for (int32_t j = 0; j < at->n_systems; j++) {
      const plant_system *o = &e->p.systems[at->systems[j]];
      add_block(b, w, s->n, first_w(e, o), o->n);
      if (at->order == 1) continue;
      add_block(b, w, s->n, o->q0, o->n_q);
      add_block(b, q, s->n_q, o->q0, o->n_q);
      add_block(b, q, s->n_q, first_w(e, o), o->n);
    }
  }
}

/* λ with the column of the row, a slipping contact with those of its tangents. */
static void add_force(const engine *e, entries *b, int32_t k, size_t unknown) {
  const element *x = &e->elements[e->held[k].element];
  const plant_interaction *at = held_home(e, k);
  const int slips = x->state == PERP_CONTACT_SLIP;
  const reach r = by_rows(e, at, e->held[k].row, slips ? x->size : 1);
  add_reach(&r, b, BY_W, 1, unknown);
  if (at->varying || (slips && x->size == 3)) add_joined(e, b, at);
}

/* Forces that are known, along directions that vary. */
static void add_known(const engine *e, entries *b) {
  for (int32_t i = 0; i < e->p.n_interactions; i++)
    if (e->p.interactions[i].order == 1 && e->p.interactions[i].varying)
      add_joined(e, b, &e->p.interactions[i]);
  for (int32_t k = 0; k < e->n_elements; k++) {
    const element *x = &e->elements[k];
    const plant_interaction *at = &e->p.interactions[x->interaction];
    if (x->kind == ELEMENT_BOX && x->held < 0 && at->varying) add_joined(e, b, at);
  }
}

static void add_mechanics(const engine *e, entries *b) {
  const dae *d = e->dae;
  for (int32_t k = 0; k < d->n_rows; k++) {
    const plant_interaction *at = held_home(e, d->row[k]);
    const size_t equation = dae_lambda(e) + (size_t)k;
    const reach r = by_rows(e, at, e->held[d->row[k]].row, 1);
    add_force(e, b, d->column[k], equation);
    add_reach(&r, b, BY_W, 0, equation);
    if (at->varying) add_reach(&r, b, BY_Q, 0, equation);
  }
  for (int32_t k = 0; k < d->n_positions; k++) {
    const size_t equation = dae_mu(e) + (size_t)k;
    const reach r = by_rows(e, held_home(e, d->position[k]), e->held[d->position[k]].row, 1);
    add_reach(&r, b, BY_Q, 1, equation);
    add_reach(&r, b, BY_Q, 0, equation);
  }
  for (int32_t k = 0; k < d->n_bodies; k++) {
    const size_t Q = e->p.systems[d->body[k]].q0 + 3, equation = dae_kappa(e) + (size_t)k;
    add_block(b, Q, 4, equation, 1);
    add_block(b, equation, 1, Q, 4);
  }
}

static void add_output(const engine *e, entries *b, int32_t k) {
  const element *x = &e->elements[e->first.element[k]];
  const plant_interaction *at = &e->p.interactions[x->interaction];
  const size_t equation = dae_outputs(e) + (size_t)k;
  const reach rows = by_rows(e, at, x->row, 1), columns = by_columns(e, at, x->row);
  add_reach(&columns, b, BY_W, 1, equation);
  add_reach(&rows, b, BY_W, 0, equation);
  for (int32_t j = 0; j < e->first.n; j++) {
    const element *other = &e->elements[e->first.element[j]];
    if (other->interaction != x->interaction) continue;
    if (at->varying || at->D[(size_t)x->row + (size_t)other->row * (size_t)at->m] != 0)
      add_entry(b, equation, dae_outputs(e) + (size_t)j);
  }
}

void perp_dae_structure(void *context, int32_t *start, int32_t *index) {
  const engine *e = (const engine *)context;
  const size_t n = (size_t)e->dae->n, n_w = e->p.n_q + e->p.n_v;
  entries b = {start, index};
  if (index == NULL) memset(start, 0, (n + 1) * sizeof *start);
  for (int32_t i = 0; i < e->p.n_systems; i++) add_system(e, &b, &e->p.systems[i]);
  add_known(e, &b);
  add_mechanics(e, &b);
  for (int32_t k = 0; k < e->dae->n_outputs; k++) add_output(e, &b, k);
  if (!perp_dae_holds_outputs(e)) /* λ eliminated */
    add_block(&b, n_w, (int32_t)e->p.n_x, n_w, (int32_t)e->p.n_x);
  if (index == NULL) {
    for (size_t k = 0; k < n; k++) start[k + 1] += start[k];
  } else { /* each start has come to the next */
    memmove(start + 1, start, n * sizeof *start);
    start[0] = 0;
  }
}
