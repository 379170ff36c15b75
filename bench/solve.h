/* SPDX-License-Identifier: MIT */
/* What solver_bench.c and the peer's part of it share: a problem, and the solvers of a peer.
 *
 * All kinds are  −(M z + q) ∈ N_[lower, upper](z)  in the order of the rows. */
#ifndef BENCH_SOLVE_H
#define BENCH_SOLVE_H

#include "perp/matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PROBLEM_LCP, PROBLEM_MLCP, PROBLEM_RELAY };

typedef struct bench_problem {
  int kind;
  int n;
  perp_matrix M; /* dense, or block rows */
  const double *q, *lower, *upper;
  const char *file; /* it was read from there; NULL: generated */
} bench_problem;

/* A peer: its solvers for a kind of problem by number. */
typedef struct bench_peer {
  const char *name;
  int (*count)(int kind);
  const char *(*solver)(int kind, int i);
  /* Make everything that a solve needs but does not change; NULL: not for this problem. A solver
   * that keeps something from one solve to the next says so by not being there. */
  void *(*open)(const bench_problem *problem, int i, double tol);
  /* One solve from z, w; 0: it says that it is solved. */
  int (*solve)(void *opened, double *z, double *w);
} bench_peer;

/* Defined by the peer's file where it is built. */
extern const bench_peer peer_numerics;

#ifdef __cplusplus
}
#endif
#endif
