/* SPDX-License-Identifier: MIT */
/* What friction_bench.cpp and the peer's part of it share: a problem, and the solvers of a peer. */
#ifndef BENCH_FRICTION_H
#define BENCH_FRICTION_H

#include "perp/matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FRICTION_LOCAL, FRICTION_GLOBAL, FRICTION_ROLLING };

/* Local and rolling: u = W r + q. Global: M v = q + H r, u = Hᵀ v + b. */
typedef struct friction_case {
  int form;
  int dim, contacts;
  perp_matrix W; /* blocks of dim x dim */
  perp_matrix M; /* compressed rows */
  perp_matrix H; /* compressed rows, one row a velocity */
  const double *q, *b, *mu, *mu_rolling;
} friction_case;

/* A peer: its solvers for a form and dimension by number. */
typedef struct friction_peer {
  const char *name;
  int (*count)(int form, int dim);
  const char *(*solver)(int form, int dim, int i);
  /* Make everything that a solve needs but does not change; NULL: not for this problem. */
  void *(*open)(const friction_case *problem, int i, double tol);
  /* One solve from r (and 0 in u); 0: it says that it is solved. */
  int (*solve)(void *opened, double *r, double *u);
} friction_peer;

/* Defined by the peer's file where it is built. */
extern const friction_peer peer_friction;

#ifdef __cplusplus
}
#endif
#endif
