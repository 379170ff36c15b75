/* SPDX-License-Identifier: MIT */
/* Lines of text without stdio. */
#include <string.h>

#include "board.h"

void board_bits(const char *name, const double *values, int32_t n) {
  board_text(name);
  for (int32_t i = 0; i < n; i++) {
    char digits[18] = " ";
    uint64_t bits;
    memcpy(&bits, values + i, sizeof bits);
    for (int k = 16; k >= 1; k--, bits >>= 4) digits[k] = "0123456789abcdef"[bits & 15];
    digits[17] = '\0';
    board_text(digits);
  }
  board_text("\n");
}

void board_note(const char *name, uint32_t value) {
  char digits[12] = {0};
  int k = 11;
  do digits[--k] = (char)('0' + value % 10);
  while ((value /= 10) > 0);
  board_text("# ");
  board_text(name);
  board_text(" ");
  board_text(digits + k);
  board_text("\n");
}
