/* SPDX-License-Identifier: MIT */
/* From reset to main() on a Cortex-M: vector table, floating-point unit, memory, faults. */
#include "machine.h"

#define SCB_CFSR  REGISTER(0xE000ED28u)
#define SCB_CPACR REGISTER(0xE000ED88u)

extern uint32_t board_stack_limit[], board_stack_top[];

__attribute__((used)) static void start(void) {
#ifdef __ARM_FP
  *SCB_CPACR |= UINT32_C(0xF) << 20; /* full access to the floating-point unit */
  __asm__ volatile("dsb\n isb" ::: "memory");
#endif
  board_start();
}

/* No frame: what it is called with is not set up yet. */
__attribute__((naked, noreturn)) void board_reset(void) { __asm__ volatile("bl start"); }

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
      "bl fault");
}

typedef void handler(void);

__attribute__((section(".vectors"), used)) static const struct {
  uint32_t *stack;
  handler *reset, *non_maskable, *hard, *memory, *bus, *usage, *secure, *reserved[3], *call, *debug,
      *reserved_13, *pendable, *tick;
} vectors = {board_stack_top, board_reset, on_fault, on_fault, on_fault, on_fault, on_fault,
             on_fault,        {0},         on_fault, on_fault, 0,        on_fault, board_tick};
