/* SPDX-License-Identifier: MIT */
/* All golden runs on a board without an operating system. */
#include "board.h"
#include "golden.h"

void golden_put(const char *text) { board_text(text); }

int main(void) { return golden_run(GOLDEN_ALL) == 0 ? 0 : 1; }
