/* SPDX-License-Identifier: MIT */
/* A hash of constants: FNV-1a, 64 bits. Numbers go in by the bits of their value, low byte first,
 * so that it is the same on every platform. */
#ifndef PERP_BASE_FINGERPRINT_H
#define PERP_BASE_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>

#define FINGERPRINT_BEGIN UINT64_C(0xcbf29ce484222325)

static inline void fingerprint_mix(uint64_t *hash, uint64_t value) {
  for (int i = 0; i < 8; i++, value >>= 8)
    *hash = (*hash ^ (value & 0xff)) * UINT64_C(0x100000001b3);
}

static inline void fingerprint_text(uint64_t *hash, const char *text) {
  for (; text != NULL && *text != '\0'; text++) fingerprint_mix(hash, (unsigned char)*text);
  fingerprint_mix(hash, 0);
}

#endif
