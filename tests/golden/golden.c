/* SPDX-License-Identifier: MIT */
/* Hash, output and memory of the golden runs. */
#include "golden.h"

#include <string.h>

void *golden_memory(void) {
  static double block[GOLDEN_MEMORY / sizeof(double)];
  return block;
}

uint64_t golden_hash_start(void) { return UINT64_C(14695981039346656037); }

/* The bytes of bits, lowest first on any machine. */
static void hash_bits(uint64_t *hash, uint64_t bits, int bytes) {
  for (int i = 0; i < bytes; i++) {
    *hash ^= bits >> (8 * i) & 0xff;
    *hash *= UINT64_C(1099511628211);
  }
}

void golden_hash_integer(uint64_t *hash, int32_t value) { hash_bits(hash, (uint32_t)value, 4); }

/* A NaN counts as one: which of its bits are set is the machine's choice. */
void golden_hash_doubles(uint64_t *hash, const double *x, int32_t n) {
  for (int32_t i = 0; x != NULL && i < n; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    hash_bits(hash, x[i] == x[i] ? bits : UINT64_C(0x7ff8000000000000), 8);
  }
}

static void put_hex(uint64_t bits) {
  char text[17] = {0};
  for (int i = 0; i < 16; i++) text[i] = "0123456789abcdef"[bits >> (60 - 4 * i) & 15];
  golden_put(text);
}

static void put_count(int32_t count) {
  char text[12] = {0};
  int i = 11;
  do {
    text[--i] = (char)('0' + count % 10);
    count /= 10;
  } while (count > 0 && i > 0);
  golden_put(&text[i]);
}

void golden_line(const char *first, const char *second, uint64_t hash, int32_t done,
                 int32_t asked) {
  golden_put(first);
  if (second != NULL) {
    golden_put("/");
    golden_put(second);
  }
  golden_put(" ");
  put_hex(hash);
  golden_put(" ");
  put_count(done);
  golden_put("/");
  put_count(asked);
  golden_put("\n");
}

int golden_run(unsigned parts) {
  int wrong = 0;
  if ((parts & GOLDEN_TRAJECTORIES) != 0) wrong += golden_trajectories();
  if ((parts & GOLDEN_SOLVERS) != 0) wrong += golden_solvers();
  if ((parts & GOLDEN_METHODS) != 0) wrong += golden_methods();
  if ((parts & GOLDEN_SIZES) != 0) wrong += golden_sizes();
  return wrong;
}
