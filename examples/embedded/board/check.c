/* SPDX-License-Identifier: MIT */
/* Whether the board measures what it says: instructions of a loop of known length, bytes of a stack
 * frame of known size, a task that comes at its rate. Ends with 0 if all do. */
#include "board.h"

/* 2 n instructions. */
__attribute__((noinline)) static void loop(uint32_t n) {
#ifdef __riscv
  __asm__ volatile("1: addi %0, %0, -1\n bnez %0, 1b" : "+r"(n));
#else
  __asm__ volatile(".syntax unified\n1: subs %0, #1\n bne 1b" : "+l"(n)::"cc");
#endif
}

enum { EXACT = BOARD_TICK_PS > 50000u ? 4 : 2 }; /* two counts, each to a tick */

static int count_is_exact(uint32_t n) {
  uint32_t begin = board_clock();
  loop(1000);
  const uint32_t base = board_instructions(begin);
  begin = board_clock();
  loop(1000 + n);
  const uint32_t difference = board_instructions(begin) - base;
  board_note("instructions of the loop", difference);
  return difference + EXACT >= 2 * n && difference <= 2 * n + EXACT;
}

__attribute__((noinline)) static void use(uint32_t bytes) {
  volatile char frame[bytes];
  for (uint32_t i = 0; i < bytes; i++) frame[i] = frame[0];
}

static int stack_is_seen(uint32_t bytes) {
  board_stack_paint();
  use(bytes);
  const uint32_t used = board_stack_used();
  board_note("stack", used);
  return used >= bytes && used <= bytes + 128;
}

static uint32_t first, ten, calls;

static int32_t note_time(void *user) {
  (void)user;
  if (calls++ == 0) first = board_clock();
  ten = board_instructions(first);
  return 0;
}

static int task_is_in_time(void) {
  uint32_t worst;
  if (board_every(1000, 11, note_time, 0, &worst) != 0) return 0;
  board_note("instructions in ten periods", ten);
  return ten > 10 * 31250 - 10 && ten < 10 * 31250 + 10; /* 1 ms is 31250 x 32 ns */
}

/* A loop that is not over in time has to be seen. */
static int32_t dawdle(void *user) {
  (void)user;
  loop(20000);
  return 0;
}

static int32_t fail(void *user) {
  (void)user;
  return 1;
}

int main(void) {
  uint32_t worst;
  if (!count_is_exact(10) || !count_is_exact(12345) || !count_is_exact(1000000)) return 1;
  if (!stack_is_seen(100) || !stack_is_seen(3000)) return 1;
  if (!task_is_in_time()) return 1;
  if (board_every(1000, 5, dawdle, 0, &worst) < 3 || worst < 40000) return 1;
  if (board_every(1000, 5, fail, 0, &worst) != -1) return 1;
  board_text("the board measures what it says\n");
  return 0;
}
