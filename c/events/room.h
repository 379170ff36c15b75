/* SPDX-License-Identifier: MIT */
/* Arrays of one block on the heap: what is carved twice, once to measure, once to place. */
#ifndef PERP_EVENTS_ROOM_H
#define PERP_EVENTS_ROOM_H

#include <stdlib.h>

#include "base/arena.h"
#include "base/info.h"

/* The zeroed block that was measured, at which a begins now; NULL without memory. */
static inline void *room_for(arena *a) {
  const size_t bytes = arena_bytes(a);
  void *block = bytes > 0 ? calloc(1, bytes) : NULL;
  if (block != NULL) *a = arena_open(block, bytes);
  return block;
}

static inline double *room_doubles(arena *a, size_t n) {
  return (double *)arena_take(a, n, sizeof(double));
}

static inline int32_t *room_ints(arena *a, size_t n) {
  return (int32_t *)arena_take(a, n, sizeof(int32_t));
}

static inline unsigned char *room_bytes(arena *a, size_t n) {
  return (unsigned char *)arena_take(a, n, 1);
}

static inline perp_status no_room(const arena *a, perp_info *info) {
  return fail(info, PERP_EBACKEND, "memory", -1, (double)arena_bytes(a));
}

#endif
