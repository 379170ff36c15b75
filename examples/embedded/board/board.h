/* SPDX-License-Identifier: MIT */
/* What the programs of this folder want from the machine they run on. qemu.c provides
 * it on boards in QEMU, host.c on the machine that compiles. No heap and no stdio. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

/** Write text to the console. */
void board_text(const char *text);

/** Write a line: name, then the bits of n doubles as 16 hexadecimal digits each. The lines that
 * this writes are the same on every machine, and compared. */
void board_bits(const char *name, const double *values, int32_t n);

/** Write a line "# name value" about this machine; such lines are not compared. */
void board_note(const char *name, uint32_t value);

/** A clock that counts instructions, in ticks; for board_instructions(). */
uint32_t board_clock(void);

/** Instructions since the clock showed `since`, exact to two, up to 2^32 of them; 0 on the host. */
uint32_t board_instructions(uint32_t since);

/** Paint the stack below the caller, so that board_stack_used() begins anew. */
void board_stack_paint(void);

/** Most bytes of stack in use below the frame that called board_stack_paint(), interrupts
 * included; 0 on the host. */
uint32_t board_stack_used(void);

/**
 * Call task(user) from a timer interrupt, count times at rate (Hz), and wait in between.
 * @param[out] worst  most instructions that one call took; 0 on the host
 * @return calls that were not over when the next was due; -1 as soon as task returns non-zero
 * On the host the calls follow one another. */
int32_t board_every(uint32_t rate, uint32_t count, int32_t (*task)(void *user), void *user,
                    uint32_t *worst);

/** End the program: 0 is success. main() may return instead. */
void board_exit(int32_t status);

/** First of all in a program in C++: call the constructors of what is static (cxx.c). */
void board_construct(void);

#endif
