/* SPDX-License-Identifier: MIT */
/* A board in QEMU: memory at the start, console and exit by semihosting, counts of instructions, a
 * periodic task.
 *
 * Counting. QEMU runs with -icount shift=N: each instruction takes 2^N ns of virtual time, no more
 * and no less. The timer counts virtual time in ticks (40 ns on MPS2 boards, 50 ns on that of the
 * M33, 62.5 ns on the micro:bit), so their time / 2^N is the number of instructions. With N = 5 a
 * tick is one instruction and a quarter (and a half, two), and counts are exact to two (four on the
 * micro:bit). check.c holds them to a loop of known length. Cycles of a real core are more, by its
 * memory and its pipeline. */
#include "machine.h"

extern uint32_t board_stack_limit[], board_data[], board_data_end[], board_bss[], board_bss_end[];
extern const uint32_t board_data_image[];
extern const char board_shift[]; /* its address is N */

enum { WRITE0 = 0x04, EXIT_EXTENDED = 0x20, APPLICATION_EXIT = 0x20026 };

int main(void);

void board_start(void) {
  const uint32_t *from = board_data_image;
  for (volatile uint32_t *to = board_data; to < board_data_end; to++) *to = *from++;
  for (volatile uint32_t *to = board_bss; to < board_bss_end; to++) *to = 0;
  machine_clock_start();
  board_exit(main());
}

void board_text(const char *text) { machine_semihost(WRITE0, text); }

void board_exit(int32_t status) {
  const uint32_t reason[] = {APPLICATION_EXIT, (uint32_t)status};
  for (;;) machine_semihost(EXIT_EXTENDED, reason);
}

uint32_t board_instructions(uint32_t since) {
  const uint32_t ticks = board_clock() - since;
  return (uint32_t)(((uint64_t)ticks * BOARD_TICK_PS / 1000) >> (uintptr_t)board_shift);
}

#define PAINT UINT32_C(0xC0FFEE11)

static uint32_t *painted_below; /* the stack was painted from its limit to here */

__attribute__((noinline)) void board_stack_paint(void) {
  painted_below = __builtin_frame_address(0);
  for (volatile uint32_t *p = board_stack_limit; p < painted_below - 8; p++) *p = PAINT;
}

uint32_t board_stack_used(void) {
  const volatile uint32_t *p = board_stack_limit;
  while (p < painted_below && *p == PAINT) p++;
  return (uint32_t)((const volatile char *)painted_below - (const volatile char *)p);
}

static struct {
  int32_t (*task)(void *user);
  void *user;
  uint32_t left, worst;
  int32_t late; /* calls that were not over in time; -1: the task failed */
} periodic;

void board_tick(void) {
  if (periodic.left == 0) return;
  const uint32_t begin = board_clock();
  const int32_t failed = periodic.task(periodic.user);
  const uint32_t spent = board_instructions(begin);
  if (spent > periodic.worst) periodic.worst = spent;
  if (machine_periodic_due()) periodic.late++;
  periodic.left--;
  if (failed != 0) {
    periodic.late = -1;
    periodic.left = 0;
  }
}

int32_t board_every(uint32_t rate, uint32_t count, int32_t (*task)(void *user), void *user,
                    uint32_t *worst) {
  periodic.task = task;
  periodic.user = user;
  periodic.left = count;
  periodic.worst = 0;
  periodic.late = 0;
  machine_periodic(rate);
  /* A real board would sleep (wfi). Under -icount, QEMU passes such a sleep at the speed of the
   * host's clock or in steps that are too long; so that virtual time stays exact, it is awake. */
  while (*(volatile uint32_t *)&periodic.left > 0) {
  }
  machine_periodic(0);
  *worst = periodic.worst;
  return periodic.late;
}
