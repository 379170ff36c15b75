/* SPDX-License-Identifier: MIT */
/* What a program in C++ wants beside startup.c: constructors, a heap of static memory, and where
 * abort() ends. Linked to programs in C++ only. */
#include <stddef.h>

#include "board.h"

typedef void constructor(void);
extern constructor *const board_constructors[], *const board_constructors_end[];

void board_construct(void) {
  for (constructor *const *c = board_constructors; c < board_constructors_end; c++) (*c)();
}

extern void *__dso_handle;
void *__dso_handle; /* of the destructors of what is static: never called */

void *_sbrk(ptrdiff_t bytes);
void _exit(int status);
int _kill(int process, int signal);
int _getpid(void);

void *_sbrk(ptrdiff_t bytes) {
  static char heap[65536] __attribute__((aligned(8)));
  static ptrdiff_t used;
  if (bytes > (ptrdiff_t)sizeof heap - used) return (void *)-1; /* as newlib has it */
  char *const begin = heap + used;
  used += bytes;
  return begin;
}
void _exit(int status) {
  board_exit(status);
  for (;;) {
  }
}
int _kill(int process, int signal) {
  (void)process;
  _exit(signal);
  return -1;
}
int _getpid(void) { return 1; }
