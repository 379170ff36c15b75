/* SPDX-License-Identifier: MIT */
/* Cortex-M in QEMU: the timer of Arm's Cortex-M System Design Kit (MPS2 boards) or of the nRF51
 * (micro:bit), and SysTick. */
#include "machine.h"

#define SCB_ICSR REGISTER(0xE000ED04u)
#define SYST_CSR REGISTER(0xE000E010u) /* bit 0 on, 1 interrupt, 2 processor clock */
#define SYST_RVR REGISTER(0xE000E014u)
#define SYST_CVR REGISTER(0xE000E018u)

uint32_t machine_semihost(uint32_t operation, const void *argument) {
  register uint32_t r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

#ifdef BOARD_NRF51
void machine_clock_start(void) {
  *REGISTER(BOARD_TIMER + 0x508u) = 3; /* 32 bits */
  *REGISTER(BOARD_TIMER + 0x510u) = 0; /* 16 MHz */
  *REGISTER(BOARD_TIMER) = 1;          /* start */
}

uint32_t board_clock(void) {
  *REGISTER(BOARD_TIMER + 0x40u) = 1; /* capture */
  return *REGISTER(BOARD_TIMER + 0x540u);
}
#else
void machine_clock_start(void) {
  *REGISTER(BOARD_TIMER + 8u) = UINT32_MAX; /* reload */
  *REGISTER(BOARD_TIMER + 4u) = UINT32_MAX;
  *REGISTER(BOARD_TIMER) = 1;
}

uint32_t board_clock(void) { return UINT32_MAX - *REGISTER(BOARD_TIMER + 4u); /* it counts down */ }
#endif

void machine_periodic(uint32_t rate) {
  *SYST_CSR = 0;
  if (rate == 0) return;
  *SYST_RVR = (uint32_t)(UINT64_C(1000000000000) / BOARD_TICK_PS) / rate - 1;
  *SYST_CVR = 0;
  *SYST_CSR = 7;
}

int32_t machine_periodic_due(void) { return (int32_t)(*SCB_ICSR >> 26 & 1); }
