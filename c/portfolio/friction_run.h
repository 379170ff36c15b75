/* SPDX-License-Identifier: MIT */
/* One problem, the whole or an island, on its way through the methods: the point, the best one so
 * far, and what work and iterations are left. */
#ifndef PERP_PORTFOLIO_FRICTION_RUN_H
#define PERP_PORTFOLIO_FRICTION_RUN_H

#include "perp/auto.h"
#include "problem/residual.h"

/* What a running method shows, and when it is to be stopped: where the work that its rate promises
 * until tol exceeds what another one is thought to need. */
typedef struct friction_watch {
  double price;       /* multiply-adds of an iteration                       */
  double alternative; /* multiply-adds that another method needs, 0: none    */
  double first, low;  /* merit at the last mark, and the least one since     */
  int32_t mark, wait; /* iterations at the last mark, and from one to the next */
  int32_t seen;       /* iterations                                          */
  int32_t stopped;    /* 1: by us, 2: by the caller                          */
} friction_watch;

typedef struct friction_run {
  const perp_auto_options *options;
  const perp_problem *problem;
  perp_shape shape;
  double tol; /* relative residual wanted here                              */
  double *lambda, *y;
  double *best;    /* n */
  double *scratch; /* of the residual */
  double *ray;     /* n */
  void *room;      /* for the methods */
  size_t room_bytes;
  double work;            /* multiply-adds left                                  */
  int32_t iterations;     /* of all methods so far                               */
  int32_t hopeless;       /* M or q are not finite                               */
  perp_residual residual; /* at the point judged last                        */
  double best_score;
  perp_status best_status;
  const char *name, *best_name; /* of the method whose point is in lambda, in best */
  int32_t has_ray;              /* ray is a certificate                            */
  friction_watch watch;
} friction_run;

/* Whether lambda solves the problem; kept where it is the best so far. */
int perp_friction_judge(friction_run *run, perp_status status);

/* Bytes that a method needs, 0 if it does not take the problem or wants far more than M has. */
size_t perp_friction_method_bytes(const perp_solver *solver, const perp_shape *shape);

/* Run a method for at most share of the work that is left, with price multiply-adds an iteration;
 * options is its own struct, whose common fields are set here. lambda is start and result.
 * PERP_OK only if the residual says so; FRICTION_PASSED if it cannot run here. */
enum { FRICTION_PASSED = 1000 };
perp_status perp_friction_try(friction_run *run, const perp_solver *solver, void *options,
                              double price, double share);

/* lambda := the best point so far. */
void perp_friction_best(friction_run *run);

/* The order of the methods, for a problem that is neither trivial nor in pieces. */
perp_status perp_friction_plan(friction_run *run);

/* Bytes of the greediest of them. */
size_t perp_friction_plan_bytes(const perp_shape *shape);

/* Multiply-adds for all of them, where the user says nothing. */
double perp_friction_budget(const perp_shape *shape);

#endif
