/* SPDX-License-Identifier: MIT */
#include "log/bytes.h"

void perp_crc32c_init(crc32c *crc) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; bit++) value = value >> 1 ^ (value & 1 ? 0x82f63b78u : 0);
    crc->table[0][i] = value;
  }
  for (int k = 1; k < 8; k++)
    for (int i = 0; i < 256; i++) {
      const uint32_t before = crc->table[k - 1][i];
      crc->table[k][i] = before >> 8 ^ crc->table[0][before & 255];
    }
}

uint32_t perp_crc32c_add(const crc32c *crc, uint32_t value, size_t n, const void *bytes) {
  const unsigned char *at = bytes;
  value = ~value;
  for (; n >= 8; n -= 8, at += 8) {
    const uint32_t low = value ^ get_u32(at), high = get_u32(at + 4);
    value = crc->table[7][low & 255] ^ crc->table[6][low >> 8 & 255] ^
            crc->table[5][low >> 16 & 255] ^ crc->table[4][low >> 24] ^ crc->table[3][high & 255] ^
            crc->table[2][high >> 8 & 255] ^ crc->table[1][high >> 16 & 255] ^
            crc->table[0][high >> 24];
  }
  for (; n > 0; n--, at++) value = value >> 8 ^ crc->table[0][(value ^ *at) & 255];
  return ~value;
}
