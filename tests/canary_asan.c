/* SPDX-License-Identifier: MIT */
/* Writes one byte past its block: fails where the address sanitizer is really on. */
#include <stdlib.h>

int main(void) {
  volatile size_t size = 8;
  volatile char *block = malloc(size);
  if (block == NULL) return 0;
  block[size] = 1;
  free((void *)block);
  return 0;
}
