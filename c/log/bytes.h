/* SPDX-License-Identifier: MIT */
/* Little-endian numbers in bytes, and the checksum of a log. */
#ifndef PERP_LOG_BYTES_H
#define PERP_LOG_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* CRC-32C (polynomial 0x1EDC6F41, reflected) by eight tables, so that eight bytes take eight
 * look-ups (Kounavis and Berry, 2008). Made anew for each log: 8 KiB. */
typedef struct crc32c {
  uint32_t table[8][256];
} crc32c;

void perp_crc32c_init(crc32c *crc);
/* Go on from a value (that of no bytes is 0) with n bytes. */
uint32_t perp_crc32c_add(const crc32c *crc, uint32_t value, size_t n, const void *bytes);

static inline int little_endian(void) {
  const uint32_t one = 1;
  unsigned char first;
  memcpy(&first, &one, 1);
  return first == 1;
}

static inline unsigned char *put_number(unsigned char *to, size_t bytes, uint64_t value) {
  for (size_t i = 0; i < bytes; i++, value >>= 8) to[i] = (unsigned char)(value & 0xff);
  return to + bytes;
}

static inline unsigned char *put_u16(unsigned char *to, uint16_t value) {
  return put_number(to, 2, value);
}

static inline unsigned char *put_u32(unsigned char *to, uint32_t value) {
  return put_number(to, 4, value);
}

static inline unsigned char *put_u64(unsigned char *to, uint64_t value) {
  return put_number(to, 8, value);
}

static inline unsigned char *put_i32(unsigned char *to, int32_t value) {
  return put_u32(to, (uint32_t)value);
}

static inline unsigned char *put_f64s(unsigned char *to, size_t n, const double *x) {
  if (n > 0 && little_endian()) memcpy(to, x, 8 * n);
  for (size_t i = 0; !little_endian() && i < n; i++) {
    uint64_t bits;
    memcpy(&bits, x + i, 8);
    put_u64(to + 8 * i, bits);
  }
  return to + 8 * n;
}

static inline unsigned char *put_f64(unsigned char *to, double x) { return put_f64s(to, 1, &x); }

static inline unsigned char *put_f32s(unsigned char *to, size_t n, const double *x) {
  for (size_t i = 0; i < n; i++, to += 4) {
    const float single = (float)x[i];
    uint32_t bits;
    memcpy(&bits, &single, 4);
    put_u32(to, bits);
  }
  return to;
}

static inline uint64_t get_number(const unsigned char *from, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = bytes; i-- > 0;) value = value << 8 | from[i];
  return value;
}

static inline uint32_t get_u32(const unsigned char *from) { return (uint32_t)get_number(from, 4); }

static inline uint64_t get_u64(const unsigned char *from) { return get_number(from, 8); }

static inline int32_t get_i32(const unsigned char *from) {
  const uint32_t bits = get_u32(from);
  int32_t value;
  memcpy(&value, &bits, 4);
  return value;
}

static inline void get_f64s(const unsigned char *from, size_t n, double *x) {
  if (n > 0 && little_endian()) memcpy(x, from, 8 * n);
  for (size_t i = 0; !little_endian() && i < n; i++) {
    const uint64_t bits = get_u64(from + 8 * i);
    memcpy(x + i, &bits, 8);
  }
}

static inline double get_f64(const unsigned char *from) {
  const uint64_t bits = get_u64(from);
  double x;
  memcpy(&x, &bits, 8);
  return x;
}

static inline void get_f32s(const unsigned char *from, size_t n, double *x) {
  for (size_t i = 0; i < n; i++, from += 4) {
    const uint32_t bits = get_u32(from);
    float single;
    memcpy(&single, &bits, 4);
    x[i] = (double)single;
  }
}

#endif
