/* SPDX-License-Identifier: MIT */
/* Arena: one carve both measures and places, so that a size formula and a layout cannot drift.
 *
 *   static lemke carve(arena *a, size_t n) {
 *     lemke s;
 *     s.D = arena_take(a, n * n, sizeof *s.D); ...
 *   }
 *   arena a = arena_measure();          carve(&a, n);  bytes = arena_bytes(&a);  (0: overflow)
 *   arena a = arena_open(work, bytes);  s = carve(&a, n);
 *   if (!arena_fits(&a)) return PERP_EWORKSPACE;
 *
 * Pieces are 8-byte aligned; a block of any alignment is accepted. The slack for the alignment is
 * always charged, so whether a block suffices depends on its size alone, never on its address. */
#ifndef PERP_BASE_ARENA_H
#define PERP_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

typedef struct arena {
  unsigned char *base; /* aligned begin of the block, NULL while measuring */
  size_t used;         /* bytes taken so far, a multiple of 8 */
  size_t size;         /* bytes available from base on */
  int failed;          /* overflow or too small; sticks */
} arena;

enum { ARENA_ALIGN = 8, ARENA_SLACK = ARENA_ALIGN - 1 };

static inline arena arena_measure(void) {
  arena a = {NULL, 0, SIZE_MAX / 2, 0};
  return a;
}

static inline arena arena_open(void *block, size_t bytes) {
  arena a = {NULL, 0, 0, 0};
  size_t skip = (ARENA_ALIGN - (size_t)((uintptr_t)block % ARENA_ALIGN)) % ARENA_ALIGN;
  if (block == NULL || bytes < ARENA_SLACK) {
    a.failed = 1;
    return a;
  }
  a.base = (unsigned char *)block + skip;
  a.size = bytes - ARENA_SLACK;
  return a;
}

/* Take count items of the given size; NULL while measuring, after a failure, and for count 0. */
static inline void *arena_take_inline(arena *a, size_t count, size_t size) {
  if (a->failed || (size != 0 && count > (SIZE_MAX / 2 - ARENA_ALIGN) / size)) {
    a->failed = 1;
    return NULL;
  }
  size_t bytes = (count * size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
  if (bytes > a->size - a->used) {
    a->failed = 1;
    return NULL;
  }
  void *piece = a->base != NULL && bytes > 0 ? a->base + a->used : NULL;
  a->used += bytes;
  return piece;
}

#if defined(__OPTIMIZE_SIZE__) /* options.c: one function for all */
void *perp_arena_take(arena *a, size_t count, size_t size);
#define arena_take perp_arena_take
#else
#define arena_take arena_take_inline
#endif

/* Take n doubles for each of the vectors, behind which stands NULL. */
static inline void arena_take_doubles(arena *a, size_t n, double **const *vectors) {
  for (; *vectors != NULL; vectors++) **vectors = (double *)arena_take(a, n, sizeof(double));
}

static inline int arena_fits(const arena *a) { return !a->failed; }

/* Bytes a block of any alignment needs for what was taken, never 0; 0 after an overflow. */
static inline size_t arena_bytes(const arena *a) { return a->failed ? 0 : a->used + ARENA_SLACK; }

#endif
