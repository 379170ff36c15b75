/* SPDX-License-Identifier: MIT */
/* The rows of M contact by contact. Where M is stored in blocks that are cut at the contacts its
 * own memory is handed out, and dense rows too; everything else is gathered. */
#include <string.h>

#include "solver/friction_newton.h"

static int has_diagonal(const perp_matrix *M, int32_t r) {
  for (int32_t b = M->start[r]; b < M->start[r + 1]; b++)
    if (M->index[b] == r) return 1;
  return 0;
}

void perp_friction_newton_rows_open(friction_newton *s) {
  const perp_matrix *M = &s->problem->M;
  s->rows.M = M;
  perp_row_reader_prepare(&s->rows);
  for (int32_t i = 0; i < s->n; i++) s->seen[i] = -1;
  for (int32_t k = 0; k < s->count; k++) s->match[k] = -1;
  if (M->kind == PERP_DENSE)
    for (int32_t i = 0; i < s->n; i++) s->column[i] = i;
  if (M->kind != PERP_BLOCKS || M->offset == NULL) return;
  for (int32_t k = 0; k < s->count; k++) {
    const contact *c = &s->contacts[k];
    const int32_t r = s->rows.block[c->begin];
    if (M->offset[r] == c->begin && M->offset[r + 1] == c->begin + c->size && has_diagonal(M, r))
      s->match[k] = r;
  }
}

static panel stored_rows(friction_newton *s, const contact *c, int32_t r) {
  const perp_matrix *M = &s->problem->M;
  int32_t count = 0;
  for (int32_t b = M->start[r]; b < M->start[r + 1]; b++)
    for (int32_t j = M->offset[M->index[b]]; j < M->offset[M->index[b] + 1] && count < s->n; j++)
      s->column[count++] = j;
  const panel p = {count, s->column, M->values + s->rows.at[r], (size_t)c->size};
  return p;
}

static int32_t column_place(friction_newton *s, int32_t *count, size_t size, int32_t j) {
  if (s->seen[j] < 0) {
    s->seen[j] = *count;
    s->column[*count] = j;
    memset(s->value + size * (size_t)*count, 0, size * sizeof *s->value);
    *count += 1;
  }
  return s->seen[j];
}

static panel gathered_rows(friction_newton *s, const contact *c) {
  const size_t size = (size_t)c->size;
  int32_t count = 0;
  for (int32_t i = 0; i < c->size; i++) {
    const matrix_row row = row_read(&s->rows, c->begin + i);
    for (int32_t k = 0; k < row.count; k++)
      s->value[(size_t)i + size * (size_t)column_place(s, &count, size, row.column[k])] +=
          row.value[k];
  }
  for (int32_t i = 0; i < c->size; i++) (void)column_place(s, &count, size, c->begin + i);
  for (int32_t k = 0; k < count; k++) s->seen[s->column[k]] = -1;
  const panel p = {count, s->column, s->value, size};
  return p;
}

panel perp_friction_newton_rows(friction_newton *s, int32_t k) {
  const contact *c = &s->contacts[k];
  const perp_matrix *M = &s->problem->M;
  if (M->kind == PERP_DENSE) {
    const panel p = {s->n, s->column, M->values + c->begin, (size_t)M->ld};
    return p;
  }
  return s->match[k] >= 0 ? stored_rows(s, c, s->match[k]) : gathered_rows(s, c);
}
