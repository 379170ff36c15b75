/* SPDX-License-Identifier: MIT */
/* The board on the machine that compiles: a console, and nothing to measure. */
#include <stdio.h>
#include <stdlib.h>

#include "board.h"

void board_text(const char *text) { fputs(text, stdout); }

uint32_t board_clock(void) { return 0; }

uint32_t board_instructions(uint32_t since) { return since; }

void board_stack_paint(void) {}

uint32_t board_stack_used(void) { return 0; }

int32_t board_every(uint32_t rate, uint32_t count, int32_t (*task)(void *user), void *user,
                    uint32_t *worst) {
  (void)rate;
  *worst = 0;
  for (uint32_t k = 0; k < count; k++)
    if (task(user) != 0) return -1;
  return 0;
}

void board_construct(void) {}

void board_exit(int32_t status) { exit(status); }
