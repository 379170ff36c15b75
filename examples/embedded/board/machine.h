/* SPDX-License-Identifier: MIT */
/* What qemu.c wants from a machine: cortex_m.c for Arm's MPS2 boards and the micro:bit, virt.c for
 * QEMU's RISC-V board. */
#ifndef BOARD_MACHINE_H
#define BOARD_MACHINE_H

#include "board.h"

#define REGISTER(address) ((volatile uint32_t *)(uintptr_t)(address))

/* BOARD_TICK_PS: picoseconds of a tick of board_clock(). */

uint32_t machine_semihost(uint32_t operation, const void *argument);
void machine_clock_start(void);

/* Call board_tick() at a rate (Hz), or, with 0, no more. */
void machine_periodic(uint32_t rate);
int32_t machine_periodic_due(void); /* whether the next call is pending already */
void board_tick(void);

/* Memory of main(), then main(), then the end. */
void board_start(void);

#endif
