/* SPDX-License-Identifier: MIT */
/* From the first step to the last a simulation allocates nothing and makes no system call; nor
 * does any solver of the core in a whole solve.
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
  return perp_simulation_report(r->sim, &report) != PERP_OK || !((double)report.active > 0);
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

/* ---- solvers ---- */

/* One to a line, all of the core. */
/* clang-format off */
static const perp_solver *(*const solvers[])(void) = {
    perp_solver_lemke,
    perp_solver_active_set,
    perp_solver_friction_interior,
    perp_solver_friction_lemke,
    perp_solver_interior_point,
    perp_solver_newton_fb,
    perp_solver_newton_min,
    perp_solver_cpg,
    perp_solver_pgs,
    perp_solver_admm,
    perp_solver_box_pivoting,
    perp_solver_avi_pivoting,
    perp_solver_block_pivoting,
    perp_solver_murty,
    perp_solver_extragradient,
    perp_solver_fixed_point,
    perp_solver_enumeration,
};
/* clang-format on */
enum { SOLVERS = sizeof solvers / sizeof *solvers, UNKNOWNS = 12 };

typedef struct ready_solve {
  const perp_solver *solver;
  perp_problem problem;
  void *work;
  size_t bytes;
  perp_warm warm;
} ready_solve;

/* Cold, with warm data, and with them again after they were written. */
static int solve_thrice(void *data) {
  ready_solve *r = data;
  double lambda[UNKNOWNS] = {0}, y[UNKNOWNS], ray[UNKNOWNS];
  perp_info info = PERP_INFO_INIT;
  info.ray = ray;
  info.ray_size = UNKNOWNS;
  for (int k = 0; k < 3; k++)
    if (perp_solver_solve(r->solver, &r->problem, NULL, lambda, y, k == 0 ? NULL : &r->warm,
                          r->work, r->bytes, &info) != PERP_OK)
      return 1;
  return 0;
}

/* A chain of unknowns, each tied to the next, half of them pressed: dense, so that all take it. */
static int solver_passes(const perp_solver *solver, enum trap trap) {
  static double M[UNKNOWNS * UNKNOWNS], q[UNKNOWNS];
  perp_complementarity law;
  const perp_law *laws[1] = {&law.law};
  const int32_t offset[2] = {0, UNKNOWNS};
  for (int i = 0; i < UNKNOWNS; i++) {
    q[i] = i % 3 == 0 ? -1 : 0.5 * i;
    M[i * (UNKNOWNS + 1)] = 3;
    if (i > 0) M[i + UNKNOWNS * (i - 1)] = M[i - 1 + UNKNOWNS * i] = -1;
  }
  perp_complementarity_init(&law, sizeof law);
  ready_solve r = {solver,
                   perp_problem_of(perp_dense(UNKNOWNS, UNKNOWNS, M), q, 1, laws, offset),
                   NULL,
                   0,
                   {NULL, 0, 1, 0}};
  r.bytes = perp_solver_workspace(solver, &r.problem, NULL);
  r.warm.bytes = perp_solver_warm_bytes(solver, &r.problem);
  r.work = malloc(r.bytes);
  r.warm.data = calloc(1, r.warm.bytes + 8);
  const int outcome = r.work != NULL && r.warm.data != NULL ? follow(trap, solve_thrice, &r) : 1;
  free(r.warm.data);
  free(r.work);
  printf("%-17s %-12s %s\n", solver->name, trap == ALLOCATOR ? "allocator" : "system calls",
         outcome == 0        ? "not touched"
         : outcome == CAUGHT ? "TOUCHED in a solve"
                             : "FAILED");
  return outcome == 0;
}

/* ---- global problems ---- */

typedef struct ready_global {
  perp_global_problem problem;
  perp_global_options options;
  void *work;
  size_t bytes;
} ready_global;

static int solve_global(void *data) {
  ready_global *r = data;
  double v[UNKNOWNS], lambda[UNKNOWNS] = {0}, u[UNKNOWNS];
  return perp_global_solve(&r->problem, &r->options, v, lambda, u, NULL, r->work, r->bytes, NULL) !=
         PERP_OK;
}

/* A chain of masses, each held up from below. */
static int global_passes(enum trap trap) {
  static double M[UNKNOWNS * UNKNOWNS], H[UNKNOWNS * UNKNOWNS], q[UNKNOWNS], b[UNKNOWNS];
  perp_complementarity law;
  const perp_law *laws[1] = {&law.law};
  const int32_t offset[2] = {0, UNKNOWNS};
  for (int i = 0; i < UNKNOWNS; i++) {
    q[i] = i % 3 == 0 ? -1 : 0.5 * i;
    M[i * (UNKNOWNS + 1)] = 3;
    H[i * (UNKNOWNS + 1)] = 1;
    if (i > 0) M[i + UNKNOWNS * (i - 1)] = M[i - 1 + UNKNOWNS * i] = -1;
  }
  perp_complementarity_init(&law, sizeof law);
  ready_global r = {PERP_GLOBAL_PROBLEM_INIT, perp_global_options_default(), NULL, 0};
  r.problem.M = perp_dense(UNKNOWNS, UNKNOWNS, M);
  r.problem.H = perp_dense(UNKNOWNS, UNKNOWNS, H);
  r.problem.q = q;
  r.problem.b = b;
  r.problem.m = r.problem.n = UNKNOWNS;
  r.problem.n_blocks = 1;
  r.problem.laws = laws;
  r.problem.offset = offset;
  r.options.solver = perp_solver_lemke();
  const size_t bytes = perp_global_scratch(&r.problem);
  void *scratch = malloc(bytes);
  r.bytes = perp_global_workspace(&r.problem, &r.options, scratch, bytes);
  r.work = malloc(r.bytes);
  const int outcome = scratch != NULL && r.work != NULL ? follow(trap, solve_global, &r) : 1;
  free(r.work);
  free(scratch);
  printf("%-17s %-12s %s\n", "global problem", trap == ALLOCATOR ? "allocator" : "system calls",
         outcome == 0        ? "not touched"
         : outcome == CAUGHT ? "TOUCHED in a solve"
                             : "FAILED");
  return outcome == 0;
}

int main(void) {
  trial trials[TRIALS];
  trials_init(trials);
  int passed = follow(ALLOCATOR, allocate, NULL) == CAUGHT;
  if (!passed) puts("the armed allocator does not catch");
  for (int i = 0; i < TRIALS; i++) passed &= steps_pass(&trials[i], ALLOCATOR);
  for (int i = 0; i < SOLVERS; i++) passed &= solver_passes(solvers[i](), ALLOCATOR);
  passed &= global_passes(ALLOCATOR);

  int outcome = follow(SYSTEM_CALLS, call_the_system, NULL);
  if (outcome == UNAVAILABLE) {
    puts("system calls not checked: this kernel offers no seccomp filter");
    return passed ? UNAVAILABLE : 1;
  }
  if (outcome != CAUGHT) puts("the filter of system calls does not catch"), passed = 0;
  for (int i = 0; i < TRIALS; i++) passed &= steps_pass(&trials[i], SYSTEM_CALLS);
  for (int i = 0; i < SOLVERS; i++) passed &= solver_passes(solvers[i](), SYSTEM_CALLS);
  passed &= global_passes(SYSTEM_CALLS);
  return passed ? 0 : 1;
}
