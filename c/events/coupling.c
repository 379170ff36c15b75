/* SPDX-License-Identifier: MIT */
#include "events/coupling.h"

#include "base/forest.h"

void perp_coupling_carve(arena *a, coupling *c, size_t n) {
  c->n = n;
  c->parent = room_ints(a, n);
  c->part = room_ints(a, n);
}

void perp_coupling_begin(coupling *c) {
  for (size_t j = 0; j < c->n; j++) c->parent[j] = (int32_t)j, c->part[j] = -1;
}

int32_t perp_coupling_add(coupling *c, const plant_interaction *at, int32_t row, int32_t rows) {
  int32_t first = -1;
  for (int32_t j = 0; j < at->n; j++) {
    int reached = 0;
    for (int32_t r = row; r < row + rows && !reached; r++)
      reached = at->H[(size_t)r + (size_t)j * (size_t)at->m] != 0 ||
                at->G[(size_t)j + (size_t)r * (size_t)at->n] != 0;
    if (!reached) continue;
    if (first < 0) first = at->column[j];
    (void)forest_join(c->parent, first, at->column[j]);
  }
  return first;
}

int32_t perp_coupling_sort(coupling *c, int32_t n, int32_t *reach, int32_t *order, int32_t *first) {
  int32_t parts = 0;
  for (int32_t k = 0; k < n; k++) {
    int32_t *part = reach[k] < 0 ? NULL : &c->part[forest_root(c->parent, reach[k])];
    if (part == NULL || *part < 0) first[parts] = 0;
    reach[k] = part == NULL ? parts++ : *part >= 0 ? *part : (*part = parts++);
    first[reach[k]]++;
  }
  for (int32_t p = 0, at = 0; p <= parts; p++) {
    const int32_t size = p < parts ? first[p] : 0;
    first[p] = at;
    at += size;
  }
  for (int32_t k = 0; k < n; k++) order[first[reach[k]]++] = k;
  for (int32_t p = parts; p > 0; p--) first[p] = first[p - 1];
  first[0] = 0;
  return parts;
}
