/* SPDX-License-Identifier: MIT */
/* Overflows a signed integer: fails where the undefined-behaviour sanitizer is really on. */
#include <limits.h>

int main(void) {
  volatile int largest = INT_MAX;
  volatile int sum = largest + 1;
  return sum == 0;
}
