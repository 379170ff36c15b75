/* SPDX-License-Identifier: MIT */
/* From reset to main() on a Cortex-M: vector table, floating-point unit, memory, faults. */
#include "mps2.h"

extern uint32_t board_stack_limit[], board_stack_top[], board_data[], board_data_end[];
extern uint32_t board_bss[], board_bss_end[];
extern const uint32_t board_data_image[];

int main(void);

static void start(void) {
  *SCB_CPACR |= UINT32_C(0xF) << 20; /* full access to the floating-point unit */
  __asm__ volatile("dsb\n isb" ::: "memory");
  const uint32_t *from = board_data_image;
  for (volatile uint32_t *to = board_data; to < board_data_end; to++) *to = *from++;
  for (volatile uint32_t *to = board_bss; to < board_bss_end; to++) *to = 0;
  board_clock_start();
  board_exit(main());
}

/* No frame: what it is called with is not set up yet. */
__attribute__((naked, noreturn)) void board_reset(void) { __asm__ volatile("b %0" ::"i"(start)); }

/* A fault is reported and ends the program with a failure. */
__attribute__((used)) static void fault(const uint32_t *frame) {
  board_text("fault\n");
  board_note("configurable fault status", *SCB_CFSR);
  const int stacked = frame > board_stack_limit && frame + 8 <= board_stack_top;
  if (stacked) board_note("program counter", frame[6]);
  board_exit(3);
}
__attribute__((naked)) static void on_fault(void) {
  __asm__ volatile(
      "mrs r0, msp\n"
      "ldr r1, =board_stack_top\n" /* the stack may be what is broken */
      "mov sp, r1\n"
      "b %0" ::"i"(fault));
}

typedef void handler(void);

__attribute__((section(".vectors"), used)) static const struct {
  uint32_t *stack;
  handler *reset, *non_maskable, *hard, *memory, *bus, *usage, *secure, *reserved[3], *call, *debug,
      *reserved_13, *pendable, *tick;
} vectors = {board_stack_top, board_reset, on_fault, on_fault, on_fault, on_fault, on_fault,
             on_fault,        {0},         on_fault, on_fault, 0,        on_fault, board_tick};
