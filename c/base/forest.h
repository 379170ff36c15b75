/* SPDX-License-Identifier: MIT */
/* Sets of numbers as trees, each under its smallest number: union and find, with halved paths. A
 * number alone is its own parent. */
#ifndef PERP_BASE_FOREST_H
#define PERP_BASE_FOREST_H

#include <stdint.h>

static inline void forest_begin(int32_t n, int32_t *parent) {
  for (int32_t i = 0; i < n; i++) parent[i] = i;
}

/* The smallest number of the set of i. */
static inline int32_t forest_root(int32_t *parent, int32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/* Unite two sets; whether they were apart. */
static inline int forest_join(int32_t *parent, int32_t i, int32_t j) {
  const int32_t a = forest_root(parent, i), b = forest_root(parent, j);
  parent[a > b ? a : b] = a > b ? b : a;
  return a != b;
}

#endif
