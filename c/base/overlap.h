/* SPDX-License-Identifier: MIT */
#ifndef PERP_BASE_OVERLAP_H
#define PERP_BASE_OVERLAP_H

#include <stddef.h>
#include <stdint.h>

/* Whether two blocks have memory in common. */
static inline int overlap_blocks(const void *a, size_t a_bytes, const void *b, size_t b_bytes) {
  const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
  return x < y ? y - x < a_bytes : x - y < b_bytes;
}

/* Whether two arrays of n doubles have memory in common. */
static inline int overlap(const double *x, const double *y, int32_t n) {
  uintptr_t a = (uintptr_t)x, b = (uintptr_t)y, bytes = (uintptr_t)n * sizeof *x;
  return n > 0 && (a < b ? b - a : a - b) < bytes;
}

#endif
