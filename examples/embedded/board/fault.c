/* SPDX-License-Identifier: MIT */
/* Runs out of stack; the board has to report a fault and fail. */
#include "board.h"

static int32_t deep(volatile int32_t n) {
  volatile char frame[256] = {0};
  return n == 0 ? frame[0] : deep(n - 1) + frame[n & 255];
}

int main(void) { return deep(100000); }
