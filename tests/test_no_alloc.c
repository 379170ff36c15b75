/* SPDX-License-Identifier: MIT */
/* From the first step to the last a simulation allocates nothing and makes no system call.
 *
 * Linked with --wrap for the allocator, and run under a seccomp filter (Linux) that kills the
 * process at any system call but its exit. The two traps are tried first: each must catch. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "systems.h"

static volatile int armed;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *block, size_t bytes);
void __real_free(void *block);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *block, size_t bytes);
void __wrap_free(void *block);

void *__wrap_malloc(size_t bytes) { return armed ? abort(), NULL : __real_malloc(bytes); }
void *__wrap_calloc(size_t count, size_t bytes) {
  return armed ? abort(), NULL : __real_calloc(count, bytes);
}
void *__wrap_realloc(void *block, size_t bytes) {
  return armed ? abort(), NULL : __real_realloc(block, bytes);
}
void __wrap_free(void *block) {
  if (armed) abort();
  __real_free(block);
}

/* From here on this process may exit and do nothing else; 0 if the kernel has no such filter. */
static int forbid_system_calls(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

enum trap { ALLOCATOR, SYSTEM_CALLS };
enum { CAUGHT = -1, UNAVAILABLE = 77 }; /* what follow() returns beside an exit code */

/* Run body in a child with the trap set: its exit code, or CAUGHT. */
static int follow(enum trap trap, int (*body)(void *), void *data) {
  int outcome = 0;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    if (trap == ALLOCATOR) {
      signal(SIGABRT, SIG_DFL);
      armed = 1;
    } else if (!forbid_system_calls()) {
      syscall(SYS_exit_group, UNAVAILABLE);
    }
    syscall(SYS_exit_group, body(data));
  }
  if (child < 0 || waitpid(child, &outcome, 0) != child) return 1;
  return WIFEXITED(outcome) ? WEXITSTATUS(outcome) : CAUGHT;
}

static int allocate(void *data) {
  (void)data;
  char *volatile block = malloc(1);
  free(block);
  return 0;
}

static int call_the_system(void *data) {
  (void)data;
  return syscall(SYS_getppid) < 0;
}

typedef struct ready {
  perp_simulation *sim;
  int32_t steps;
} ready;

static int step_to_the_end(void *data) {
  ready *r = data;
  perp_info info = PERP_INFO_INIT;
  perp_report report = PERP_REPORT_INIT;
  for (int32_t k = 0; k < r->steps; k++)
    if (perp_simulation_step(r->sim, &info) != PERP_OK) return 1;
  return perp_simulation_report(r->sim, &report) != PERP_OK || !(perp_count(report.active) > 0);
}

static int steps_pass(const trial *t, enum trap trap) {
  size_t state_bytes = perp_simulation_state_size(t->model, &t->options);
  size_t work_bytes = perp_simulation_work_size(t->model, &t->options);
  void *state = malloc(state_bytes), *work = malloc(work_bytes);
  ready r = {NULL, t->steps};
  int outcome = 1;
  if (state != NULL && work != NULL &&
      perp_simulation_init(&r.sim, t->model, &t->options, state, state_bytes, work, work_bytes,
                           NULL) == PERP_OK)
    outcome = follow(trap, step_to_the_end, &r);
  free(work);
  free(state);
  printf("%-17s %-12s %s\n", t->name, trap == ALLOCATOR ? "allocator" : "system calls",
         outcome == 0        ? "not touched"
         : outcome == CAUGHT ? "TOUCHED in a step"
                             : "FAILED");
  return outcome == 0;
}

int main(void) {
  trial trials[TRIALS];
  trials_init(trials);
  int passed = follow(ALLOCATOR, allocate, NULL) == CAUGHT;
  if (!passed) puts("the armed allocator does not catch");
  for (int i = 0; i < TRIALS; i++) passed &= steps_pass(&trials[i], ALLOCATOR);

  int outcome = follow(SYSTEM_CALLS, call_the_system, NULL);
  if (outcome == UNAVAILABLE) {
    puts("system calls not checked: this kernel offers no seccomp filter");
    return passed ? UNAVAILABLE : 1;
  }
  if (outcome != CAUGHT) puts("the filter of system calls does not catch"), passed = 0;
  for (int i = 0; i < TRIALS; i++) passed &= steps_pass(&trials[i], SYSTEM_CALLS);
  return passed ? 0 : 1;
}
