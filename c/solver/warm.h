/* SPDX-License-Identifier: MIT */
/* Layout of the bytes behind a perp_warm, for solvers of n unknowns:
 *
 *   {uint32 n, uint32 factor_stamp}     whose modes these are (0: nobody's), M of the cached factor
 *   n mode bytes, padded to 8
 *   {uint32 owner, uint32 0}            which solver wrote the cache
 *   cache                               doubles of that solver
 *
 * A block that is missing, misaligned or too short is used as far as it goes: first the modes, then
 * the cache. The bytes come from outside, so a cache is a guess: what it gives must be verified,
 * and no index may be taken from it unchecked. */
#ifndef PERP_SOLVER_WARM_H
#define PERP_SOLVER_WARM_H

#include <string.h>

#include "perp/solver.h"

/* Owners of a cache; 0 is nobody. */
enum { WARM_LEMKE = 1, WARM_ACTIVE_SET = 2 };

typedef struct warm_head {
  uint32_t n;
  uint32_t factor_stamp;
} warm_head;

typedef struct warm_tag {
  uint32_t owner;
  uint32_t reserved;
} warm_tag;

/* Bytes up to the end of the padded modes. */
static inline size_t warm_modes_bytes(int32_t n) {
  return sizeof(warm_head) + ((size_t)n + 7) / 8 * 8;
}

/* The warm_bytes of a solver that keeps nothing else. */
static inline size_t warm_shape_bytes(const perp_shape *shape) {
  return shape->n < 0 ? 0 : warm_modes_bytes(shape->n);
}

/* Bytes for the modes and a cache of so many doubles; 0 if that overflows. */
static inline size_t warm_full_bytes(int32_t n, size_t doubles) {
  size_t head = warm_modes_bytes(n) + sizeof(warm_tag);
  return doubles > (SIZE_MAX - head) / sizeof(double) ? 0 : head + doubles * sizeof(double);
}

/* The head, NULL unless the block can hold n modes. */
static inline warm_head *warm_block(const perp_warm *warm, int32_t n) {
  if (warm == NULL || warm->data == NULL || warm->bytes < warm_modes_bytes(n)) return NULL;
  return (uintptr_t)warm->data % 8 == 0 ? (warm_head *)warm->data : NULL;
}

/* Room for n modes, NULL if there is none. Whether they say anything: warm_known(). Every byte is
 * possible in them. */
static inline unsigned char *warm_modes(const perp_warm *warm, int32_t n) {
  warm_head *head = warm_block(warm, n);
  return head == NULL ? NULL : (unsigned char *)(head + 1);
}

/* Whether the block holds modes of n unknowns. */
static inline int warm_known(const perp_warm *warm, int32_t n) {
  const warm_head *head = warm_block(warm, n);
  return head != NULL && head->n == (uint32_t)n;
}

/* The block's modes belong to n unknowns from now on (the caller writes them right after); a cached
 * factor is forgotten. Returns the modes, NULL if there is no room. */
static inline unsigned char *warm_claim(const perp_warm *warm, int32_t n) {
  warm_head *head = warm_block(warm, n);
  if (head == NULL) return NULL;
  head->n = (uint32_t)n;
  head->factor_stamp = 0;
  return (unsigned char *)(head + 1);
}

/* The modes that the block holds of n unknowns, NULL: none. */
static inline const unsigned char *warm_known_modes(const perp_warm *warm, int32_t n) {
  return warm_known(warm, n) ? warm_modes(warm, n) : NULL;
}

/* Keep n modes, and nothing else. */
static inline void warm_keep_modes(const perp_warm *warm, int32_t n, const unsigned char *modes) {
  unsigned char *kept = warm_claim(warm, n);
  if (kept != NULL) memcpy(kept, modes, (size_t)n);
}

static inline warm_tag *warm_cache_tag(const perp_warm *warm, int32_t n) {
  if (warm_block(warm, n) == NULL || warm->bytes < warm_modes_bytes(n) + sizeof(warm_tag))
    return NULL;
  return (warm_tag *)(void *)((unsigned char *)warm->data + warm_modes_bytes(n));
}

/* Doubles of cache behind n modes, 0 if there is no room. */
static inline size_t warm_cache_doubles(const perp_warm *warm, int32_t n) {
  const size_t head = warm_modes_bytes(n) + sizeof(warm_tag);
  return warm_cache_tag(warm, n) == NULL ? 0 : (warm->bytes - head) / sizeof(double);
}

/* The cache, NULL unless it has room for so many doubles. */
static inline double *warm_cache(const perp_warm *warm, int32_t n, size_t doubles) {
  if (doubles == 0 || warm_cache_doubles(warm, n) < doubles) return NULL;
  return (double *)(void *)(warm_cache_tag(warm, n) + 1);
}

/* Whether the cache holds a factor that this owner made for the stored modes and for an M with the
 * stamp of today. Stamp 0 promises nothing. */
static inline int warm_factor_valid(const perp_warm *warm, int32_t n, uint32_t owner) {
  const warm_tag *tag = warm_cache_tag(warm, n);
  if (tag == NULL || tag->owner != owner || warm->stamp == 0 || !warm_known(warm, n)) return 0;
  return warm_block(warm, n)->factor_stamp == warm->stamp;
}

/* The cache now holds this owner's factor for the stored modes and today's M. Without a stamp the
 * factor cannot be found again. */
static inline void warm_factor_keep(const perp_warm *warm, int32_t n, uint32_t owner) {
  warm_tag *tag = warm_cache_tag(warm, n);
  if (tag == NULL) return;
  tag->owner = owner;
  tag->reserved = 0;
  warm_block(warm, n)->factor_stamp = warm->stamp;
}

/* Forget the factor, keep the modes. */
static inline void warm_factor_drop(const perp_warm *warm, int32_t n) {
  warm_head *head = warm_block(warm, n);
  if (head != NULL) head->factor_stamp = 0;
}

#endif
