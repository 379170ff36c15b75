/* SPDX-License-Identifier: MIT */
/* One problem, the whole or an island, on its way through the methods: the point, the best one so
 * far, and what work and iterations are left. */
#ifndef PERP_PORTFOLIO_FRICTION_RUN_H
#define PERP_PORTFOLIO_FRICTION_RUN_H

#include "base/arena.h"
#include "perp/auto.h"
#include "problem/residual.h"

/* Whom a running method is compared with. */
enum { RIVAL_SWEEPS, RIVAL_ADMM, RIVAL_BEST, RIVAL_NONE };

/* What a running method shows. */
typedef struct friction_watch {
  int rival;         /* what its promise is compared with                      */
  double price;      /* multiply-adds of an iteration                          */
  double unit;       /* of the merits: a merit of tol times it is the end      */
  double begin;      /* merit of the first iteration                           */
  double least;      /* the least merit of all                                 */
  double first, low; /* merit at the last mark, and the least one since        */
  double left;       /* multiply-adds to the end, by the rate                  */
  int32_t mark;      /* iterations at the last mark                            */
  int32_t wait;      /* from there to the next, 0: it is not watched           */
  int32_t seen;      /* iterations                                             */
  int32_t beyond;    /* those since a merit looked like the end                */
  int32_t stopped;   /* 1: by us, 2: by the caller                             */
} friction_watch;

/* Multiply-adds of each method. */
typedef struct friction_estimate {
  double sweep;       /* of Gauss–Seidel                        */
  double admm_once;   /* ADMM's factor                          */
  double admm_step;   /* and each of its iterations             */
  double newton_step; /* of Newton's method                     */
  double scale;       /* guess of ‖ |M||λ| + |q| ‖∞             */
  int weighed;        /* whether the factors have been looked at */
} friction_estimate;

/* Memory in which factors are weighed, n or n + 1 each. */
typedef struct friction_graph {
  int32_t *first, *node_of, *row_of, *order, *mark, *degree, *place, *low;
} friction_graph;

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
  friction_graph graph;
  double work;            /* multiply-adds left                                  */
  int32_t iterations;     /* of all methods so far                               */
  int32_t trusting;       /* who says PERP_OK is verified later                  */
  int32_t known;          /* the caller had a start                              */
  int32_t hopeless;       /* M or q are not finite                               */
  perp_residual residual; /* at the point judged last                        */
  double best_score;      /* its merit                                          */
  perp_status best_status;
  const char *name, *best_name; /* of the method whose point is in lambda, in best */
  int32_t has_ray;              /* 1: ray is a certificate, -1: a hint             */
  double bound;                 /* that it proves                                  */
  friction_watch watch;
  friction_estimate estimate;
  int32_t admm_first;      /* it won where both were tried                        */
  int32_t visits;          /* of descent                                        */
  double aside;            /* work that is left to it alone                     */
  double ratio;            /* of the scale to max |q|, a guess                    */
  double left[RIVAL_BEST]; /* what sweeps and ADMM promised when they were left */
} friction_run;

/* Whether lambda solves the problem; kept where it is the best so far. */
int perp_friction_judge(friction_run *run, perp_status status);

/* Bytes that a method needs, 0 if it does not take the problem or wants far more than M has. */
size_t perp_friction_method_bytes(const perp_solver *solver, const perp_shape *shape,
                                  const void *options);

/* Run a method for at most share of the work that is left, with price multiply-adds an iteration;
 * options is its own struct, whose common fields are set here. lambda is start and result.
 * PERP_OK only if the residual says so; FRICTION_PASSED if it cannot run here. */
enum { FRICTION_PASSED = 1000 };
perp_status perp_friction_try(friction_run *run, const perp_solver *solver, void *options,
                              double price, double share);

/* Whether the reactions, or the direction that a method left along, prove that there is no
 * solution: d with d_n >= 0 and d_t = 0 at every contact has dᵀy >= 0 at a solution, as y_n >= 0;
 * there is none if Mᵀd = 0 and dᵀq < 0. The proof is then in ray. */
int perp_friction_infeasible(friction_run *run);

/* lambda := the best point so far. */
void perp_friction_best(friction_run *run);

/* Stored entries, the diagonal counted once more. */
static inline double perp_friction_entries(const perp_shape *shape) {
  return (double)shape->nonzeros + (double)shape->n;
}

/* Iterations after which these methods are as a rule done. */
enum { NEWTON_STEPS = 10, ADMM_STEPS = 60, INTERIOR_STEPS = 40 };

/* Fill in what costs little to know; and what a factor costs, which takes a look at the graph. */
void perp_friction_estimate(friction_run *run);
void perp_friction_weigh_factors(friction_run *run);
void perp_friction_graph_carve(friction_graph *graph, arena *a, int32_t n);

/* Multiply-adds for all methods, where the user says nothing. */
double perp_friction_budget(const perp_shape *shape);

/* The order of the methods, for a problem that is neither trivial nor in pieces, and the bytes of
 * the greediest of them. */
perp_status perp_friction_plan(friction_run *run);
size_t perp_friction_plan_bytes(const perp_shape *shape, int allocate);

#endif
