/* SPDX-License-Identifier: MIT */
/* QEMU's RISC-V board "virt", machine mode: from reset to main(), traps, the machine timer. Counts
 * of instructions reach 2^32 / 2^N, N as in qemu.c: the counter of the processor is in nanoseconds
 * there. */
#include "machine.h"

extern uint32_t board_stack_limit[];

#define MTIME    REGISTER(0x0200BFF8u)
#define MTIMECMP REGISTER(0x02004000u)
enum { MTIME_HZ = 10000000 };

#define CSR_READ(name, value)  __asm__ volatile("csrr %0, " #name : "=r"(value))
#define CSR_WRITE(name, value) __asm__ volatile("csrw " #name ", %0" ::"r"(value))

uint32_t machine_semihost(uint32_t operation, const void *argument) {
  register uint32_t a0 __asm__("a0") = operation;
  register const void *a1 __asm__("a1") = argument;
  __asm__ volatile(
      ".option push\n .option norvc\n .balign 16\n"
      "slli zero, zero, 0x1f\n ebreak\n srai zero, zero, 7\n .option pop"
      : "+r"(a0)
      : "r"(a1)
      : "memory");
  return a0;
}

void machine_clock_start(void) {}

uint32_t board_clock(void) {
  uint32_t count;
  CSR_READ(minstret, count);
  return count;
}

static uint64_t due;
static uint32_t period;

static uint64_t now(void) {
  uint32_t high, low;
  do {
    high = MTIME[1];
    low = MTIME[0];
  } while (high != MTIME[1]);
  return (uint64_t)high << 32 | low;
}

static void set_due(uint64_t time) {
  due = time;
  MTIMECMP[1] = UINT32_MAX; /* no interrupt in between */
  MTIMECMP[0] = (uint32_t)time;
  MTIMECMP[1] = (uint32_t)(time >> 32);
}

void machine_periodic(uint32_t rate) {
  if (rate == 0) {
    CSR_WRITE(mie, 0);
    return;
  }
  period = MTIME_HZ / rate;
  set_due(now() + period);
  CSR_WRITE(mie, 0x80); /* the timer's */
  __asm__ volatile("csrsi mstatus, 8");
}

int32_t machine_periodic_due(void) { return now() >= due; }

__attribute__((interrupt, used)) static void on_timer(void) {
  set_due(due + period);
  board_tick();
}

__attribute__((used)) static void fault(void) {
  uint32_t cause, counter;
  CSR_READ(mcause, cause);
  CSR_READ(mepc, counter);
  board_text("fault\n");
  board_note("cause of the trap", cause);
  board_note("program counter", counter);
  board_exit(3);
}

__attribute__((naked, aligned(4))) static void on_trap(void) {
  __asm__ volatile(
      "csrw mscratch, t0\n csrr t0, mcause\n bltz t0, 1f\n"
      "la sp, board_stack_top\n j fault\n" /* the stack may be what is broken */
      "1: csrr t0, mscratch\n j on_timer");
}

/* Traps, and no access to the 2 MiB below the stack, so that an overflow is a fault. */
__attribute__((used)) static void begin(void) {
  enum { GUARD = 1 << 21, LOCKED_POWER_OF_TWO = 0x98 };
  CSR_WRITE(mtvec, on_trap);
  CSR_WRITE(pmpaddr0, ((uintptr_t)board_stack_limit - GUARD) >> 2 | (GUARD / 8 - 1));
  CSR_WRITE(pmpcfg0, LOCKED_POWER_OF_TWO);
  board_start();
}

void board_reset(void);
__attribute__((naked, noreturn, section(".vectors"), used)) void board_reset(void) {
  __asm__ volatile("la sp, board_stack_top\n j begin");
}
