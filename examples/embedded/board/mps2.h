/* SPDX-License-Identifier: MIT */
/* Registers that mps2.c and startup.c use. Armv7-M and Armv8-M reference manuals; the timer is
 * that of Arm's Cortex-M System Design Kit. */
#ifndef BOARD_MPS2_H
#define BOARD_MPS2_H

#include "board.h"

#define REGISTER(address) ((volatile uint32_t *)(uintptr_t)(address))

#define SCB_ICSR  REGISTER(0xE000ED04u)
#define SCB_CFSR  REGISTER(0xE000ED28u)
#define SCB_CPACR REGISTER(0xE000ED88u)

#define SYST_CSR REGISTER(0xE000E010u) /* bit 0 on, 1 interrupt, 2 processor clock */
#define SYST_RVR REGISTER(0xE000E014u)
#define SYST_CVR REGISTER(0xE000E018u)

#define TIMER_CTRL   REGISTER(BOARD_TIMER) /* bit 0: on */
#define TIMER_VALUE  REGISTER(BOARD_TIMER + 4u)
#define TIMER_RELOAD REGISTER(BOARD_TIMER + 8u)

void board_clock_start(void);
void board_tick(void); /* interrupt of SysTick */

#endif
