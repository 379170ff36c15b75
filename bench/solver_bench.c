/* SPDX-License-Identifier: MIT */
/* The solvers of perp and those of a peer on the same problems, in one run.
 *
 *   solver_bench [--seconds S] [--once] [--no-peer] [--data DIR] CASE...
 *
 * A case is METHOD-FAMILY-N or the name of a file under DIR/{lcp,mlcp,relay} (without .dat):
 *   lemke-spd-N   Lemke against the peer's Lemke
 *   auto-spd-N    auto against the fastest of the peer's solvers that is right
 *   auto-stiff-N, auto-banded-N, auto-blocks-N, auto-skew-N   the same on other families of
 *                 families.h
 *
 * Each solver runs in a process of its own, for a limited time (a peer's that needs ten times the
 * best so far may be cut off), from z = 0 and without anything that it kept of an earlier solve;
 * setting up is not measured. The figure is the best window of many. Every answer is judged by
 * perp_problem_residual(): the peer's (tolerance 1e-8) is right up to a relative residual of 1e-7,
 * ours (tolerance 1e-10) up to 1e-9. One JSON line a case. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "families.h"
#include "perp/perp.h"
#include "read.h"
#include "solve.h"

static const double right_peer = 1e-7, right_perp = 1e-9, peer_tol = 1e-8;

/* One call of a solver. */
typedef struct callable {
  int (*solve)(void *self, double *z, double *w); /* 0: it says that it is solved */
  void *self;
} callable;

typedef struct result {
  int good;      /* it said so, and it is right */
  double ns;     /* of one solve                */
  double error;  /* relative residual           */
  char name[32]; /* who solved                  */
} result;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- one of perp's solvers ---- */

/* Small problems go through the door for plain arrays, which is made for them. */
enum { PLAIN_MOST = 32 };

typedef struct perp_run {
  const perp_solver *solver;
  const bench_problem *p;
  perp_complementarity orthant;
  perp_box box;
  const perp_law *law;
  int32_t offset[2];
  perp_problem problem;
  void *work;
  size_t bytes;
  perp_info info;
} perp_run;

static int perp_solve(void *self, double *z, double *w) {
  perp_run *r = (perp_run *)self;
  const bench_problem *p = r->p;
  if (p->M.kind != PERP_DENSE || p->n > PLAIN_MOST)
    return perp_solver_solve(r->solver, &r->problem, NULL, z, w, NULL, r->work, r->bytes, &r->info);
  if (p->kind == PROBLEM_LCP) {
    const perp_lcp lcp = {p->n, p->M.ld, p->M.values, p->q};
    return perp_lcp_solve(r->solver, &lcp, NULL, z, w, r->work, r->bytes, &r->info);
  }
  const perp_mlcp mlcp = {p->n, p->M.ld, p->M.values, p->q, p->lower, p->upper};
  return perp_mlcp_solve(r->solver, &mlcp, NULL, z, w, r->work, r->bytes, &r->info);
}

static int perp_open(perp_run *r, const bench_problem *p, const char *method) {
  memset(r, 0, sizeof *r);
  r->info = (perp_info)PERP_INFO_INIT;
  r->solver = perp_solver_find(method);
  r->p = p;
  perp_complementarity_init(&r->orthant, sizeof r->orthant);
  perp_box_init(&r->box, sizeof r->box);
  r->box.law.size = p->n;
  r->box.lower = p->lower;
  r->box.upper = p->upper;
  r->law = p->kind == PROBLEM_LCP ? &r->orthant.law : &r->box.law;
  r->offset[1] = p->n;
  r->problem = perp_problem_of(p->M, p->q, 1, &r->law, r->offset);
  if (r->solver == NULL) return 0;
  r->bytes = perp_solver_workspace(r->solver, &r->problem, NULL);
  r->work = malloc(r->bytes);
  return r->bytes > 0 && r->work != NULL;
}

/* Relative residual of z, -1 if there is none. */
static double judge(const bench_problem *p, const double *z) {
  perp_run r;
  perp_residual residual = PERP_RESIDUAL_INIT;
  double error = -1, *y = (double *)malloc((size_t)p->n * sizeof *y);
  void *work;
  if (perp_open(&r, p, "lemke"), free(r.work), y == NULL) return -1;
  const size_t bytes = perp_problem_residual_workspace(&r.problem);
  work = malloc(bytes);
  if (perp_problem_residual(&r.problem, z, y, &residual, work, bytes) == PERP_OK &&
      perp_residual_solved(&residual, INFINITY))
    error = residual.relative;
  free(work);
  free(y);
  return error;
}

/* ---- measuring, in a process of its own ---- */

typedef struct report {
  int status;
  double ns;
  char name[32];
} report;

static int call(const callable *c, int n, double *z, double *w) {
  memset(z, 0, (size_t)n * sizeof *z);
  memset(w, 0, (size_t)n * sizeof *w);
  return c->solve(c->self, z, w);
}

/* Best window of at least 1 ms; a solver that is far slower than best is not measured twice. */
static double best_window(const callable *c, int n, double *z, double *w, int *status,
                          double seconds, double best) {
  const double begin = now();
  *status = call(c, n, z, w);
  double least = now() - begin, spent = 0;
  if (*status != 0 || seconds == 0 || least > 5 * best) return least;
  for (int calls = 1; spent < seconds;) {
    const double start = now();
    for (int k = 0; k < calls; k++) (void)call(c, n, z, w);
    const double window = now() - start;
    spent += window;
    if (window / calls < least) least = window / calls;
    if (window < 1e-3) calls = window < 1e-4 ? 10 * calls : 2 * calls;
  }
  return least;
}

static void put(int out, const void *from, size_t bytes) {
  const char *at = (const char *)from;
  while (bytes > 0) {
    const ssize_t n = write(out, at, bytes);
    if (n <= 0) _exit(1);
    at += n;
    bytes -= (size_t)n;
  }
}

static int get(int in, void *to, size_t bytes, double end) {
  char *at = (char *)to;
  while (bytes > 0) {
    struct pollfd poller = {in, POLLIN, 0};
    const double left = end - now();
    if (left <= 0 || poll(&poller, 1, (int)(1e3 * left) + 1) <= 0) return 0;
    const ssize_t n = read(in, at, bytes);
    if (n <= 0) return 0;
    at += n;
    bytes -= (size_t)n;
  }
  return 1;
}

/* What a child is to do. */
typedef struct job {
  const bench_problem *p;
  const bench_peer *peer; /* NULL: perp */
  int number;             /* of the peer's solver */
  const char *method;     /* of perp              */
  double seconds, best;
} job;

static void child(const job *j, int out) {
  perp_run r;
  callable c = {perp_solve, &r};
  report told = {-1, 0, ""};
  const size_t n = (size_t)j->p->n;
  double *z = (double *)calloc(2 * n, sizeof *z);
  const int nowhere = open("/dev/null", O_WRONLY);
  if (z == NULL || nowhere < 0) _exit(1);
  dup2(nowhere, 1);
  dup2(nowhere, 2);
  if (j->peer != NULL) {
    c.solve = j->peer->solve;
    c.self = j->peer->open(j->p, j->number, peer_tol);
    if (c.self == NULL) _exit(1);
  } else if (!perp_open(&r, j->p, j->method)) {
    _exit(1);
  }
  told.ns = 1e9 * best_window(&c, j->p->n, z, z + n, &told.status, j->seconds, j->best);
  if (j->peer == NULL && r.info.solver != NULL)
    strncpy(told.name, r.info.solver, sizeof told.name - 1);
  put(out, &told, sizeof told);
  put(out, z, n * sizeof *z);
  _exit(0);
}

static result measure(const job *j, double limit) {
  result found = {0, 0, -1, ""};
  report told;
  int pipes[2];
  double *z = (double *)malloc((size_t)j->p->n * sizeof *z);
  if (z == NULL || pipe(pipes) != 0) exit(1);
  fflush(stdout);
  const pid_t pid = fork();
  if (pid < 0) exit(1);
  if (pid == 0) child(j, pipes[1]);
  close(pipes[1]);
  const double end = now() + limit;
  if (get(pipes[0], &told, sizeof told, end) &&
      get(pipes[0], z, (size_t)j->p->n * sizeof *z, end)) {
    found.ns = told.ns;
    found.error = judge(j->p, z);
    found.good = told.status == 0 && found.error >= 0 &&
                 found.error <= (j->peer != NULL ? right_peer : right_perp);
    memcpy(found.name, told.name, sizeof found.name);
  }
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  close(pipes[0]);
  free(z);
  return found;
}

/* ---- cases ---- */

typedef struct request {
  double seconds;
  const char *data;
  int peer, verbose;
} request;

static const bench_peer *the_peer(void) {
#ifdef BENCH_PEER
  return &peer_numerics;
#else
  return NULL;
#endif
}

/* The fastest of the peer's right solvers, or its Lemke alone. */
static result fastest(const bench_problem *p, const char *method, const request *ask) {
  const bench_peer *peer = the_peer();
  result best = {0, 0, -1, ""};
  for (int i = 0; peer != NULL && i < peer->count(p->kind); i++) {
    const char *name = peer->solver(p->kind, i);
    if (strcmp(method, "lemke") == 0 && strcmp(name, "Lemke") != 0) continue;
    const job j = {p, peer, i, NULL, ask->seconds, best.good ? 1e-9 * best.ns : 1e9};
    /* Ten times the best so far, and time to start; the first one gets what it needs. */
    const double limit = best.good ? 1 + 1e-8 * best.ns : p->n > 500 ? 10 : 1;
    result found = measure(&j, ask->seconds + limit);
    if (ask->verbose)
      fprintf(stderr, "  %-20s %d %12.0f ns  %.1e\n", name, found.good, found.ns, found.error);
    if (!found.good || (best.good && found.ns >= best.ns)) continue;
    best = found;
    strncpy(best.name, name, sizeof best.name - 1);
  }
  return best;
}

static void print_number(const char *key, const char *form, int there, double value) {
  printf(", \"%s\": ", key);
  there ? printf(form, value) : printf("null");
}

static void print_name(const char *key, const char *before, const char *name) {
  printf(", \"%s\": ", key);
  name[0] != 0 ? printf("\"%s%s\"", before, name) : printf("null");
}

static int run_case(const char *name, const char *method, const bench_problem *p,
                    const request *ask) {
  const job j = {p, NULL, 0, method, ask->seconds, 1e9};
  const result ours = measure(&j, 60);
  result theirs = {0, 0, -1, ""};
  if (ask->peer) theirs = fastest(p, method, ask);
  printf("{\"case\": \"%s\", \"n\": %d", name, p->n);
  print_name("solver", "", ours.name);
  print_number("ns", "%.6g", ours.good, ours.ns);
  print_number("error", "%.3g", ours.error >= 0, ours.error);
  print_name("peer_solver", "", theirs.name);
  print_number("peer_ns", "%.6g", theirs.good, theirs.ns);
  print_number("peer_error", "%.3g", theirs.good, theirs.error);
  printf("}\n");
  fflush(stdout);
  return ours.good;
}

static int run_generated(const char *name, const char *method, const char *family, int n,
                         const request *ask) {
  bench_problem p;
  if (!make_problem(&p, family, n)) return 0;
  const int good = run_case(name, method, &p, ask);
  free_problem(&p);
  return good;
}

static int run_named(const char *name, const request *ask) {
  char method[16], family[16];
  int n;
  bench_problem p;
  if (sscanf(name, "%15[a-z]-%15[a-z]-%d", method, family, &n) == 3)
    return run_generated(name, method, family, n, ask);
#ifdef BENCH_FILES
  if (read_named(&p, ask->data, name)) return run_case(name, "auto", &p, ask);
#else
  fprintf(stderr, "solver_bench: this build does not read files\n");
#endif
  return 0;
}

int main(int argc, char **argv) {
  request ask = {0.3, "../shared/data", 1, 0};
  int failed = 0;
  if (getenv("PERP_DATA") != NULL) ask.data = getenv("PERP_DATA");
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--once") == 0) {
      ask.seconds = 0;
    } else if (strcmp(argv[i], "--no-peer") == 0) {
      ask.peer = 0;
    } else if (strcmp(argv[i], "--verbose") == 0) {
      ask.verbose = 1;
    } else if (i + 1 < argc && strcmp(argv[i], "--seconds") == 0) {
      ask.seconds = atof(argv[++i]);
    } else if (i + 1 < argc && strcmp(argv[i], "--data") == 0) {
      ask.data = argv[++i];
    } else if (!run_named(argv[i], &ask)) {
      fprintf(stderr, "solver_bench: case %s failed\n", argv[i]);
      failed = 1;
    }
  }
  return failed;
}
