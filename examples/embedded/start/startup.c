/* SPDX-License-Identifier: MIT */
/* From reset to main() on a Cortex-M, to be copied: with board.ld it is all that a program wants
 * beside perp and the compiler's memcpy, memset and arithmetic. No heap, no stdio, no constructors
 * of C++. */
#include <stdint.h>

extern uint32_t stack_top[], data[], data_end[], bss[], bss_end[]; /* board.ld */
extern const uint32_t data_image[];

int main(void);
void reset(void);

volatile int32_t main_state =
    1; /* for a debugger: from the end of main() on 2 and what it returned */

/* Faults, and interrupts that have no handler. Reset the processor here, or make its outputs safe.
 */
static void stop(void) {
  for (;;) {
  }
}

void reset(void) {
#ifdef __ARM_FP /* there is a floating-point unit: full access, before anything uses it */
  *(volatile uint32_t *)0xE000ED88u |= UINT32_C(0xF) << 20;
  __asm__ volatile("dsb\n isb" ::: "memory");
#endif
  const uint32_t *from = data_image;
  for (volatile uint32_t *to = data; to < data_end; to++) *to = *from++;
  for (volatile uint32_t *to = bss; to < bss_end; to++) *to = 0;
  main_state += 1 + main();
  stop();
}

typedef void handler(void);

/* Interrupts of your chip follow. */
__attribute__((section(".vectors"), used)) static const struct {
  uint32_t *stack;
  handler *reset, *non_maskable, *hard_fault, *memory, *bus, *usage, *secure, *reserved[3], *call,
      *debug, *reserved_13, *pendable, *tick;
} vectors = {stack_top, reset, stop, stop, stop, stop, stop, stop, {0}, stop, stop, 0, stop, stop};
