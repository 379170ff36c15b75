/* SPDX-License-Identifier: MIT */
/* What all solvers of the library do alike, done once: a solver is a table of its state, start and
 * iterate; the shell reads its options, carves its memory, fetches bounds, keeps the best point,
 * counts iterations and work against their limits, asks the observer, and says how it ended.
 *
 *   start:    what is done once: PERP_OK or another ending, or GO_ON
 *   iterate:  one iteration, the same endings; NULL where start is the whole method, which then
 *             counts by perp_session_step() itself
 *   finish:   how it ends, after the last iteration; NULL: as iterate said
 *   recall:   whether warm data alone (NULL: none) give the answer, before anything is opened:
 * lambda and y, neither of which is read; NULL: they never do
 *
 * Who claims PERP_OK is judged by solver.c as every solver is. */
#ifndef PERP_SOLVER_SHELL_H
#define PERP_SOLVER_SHELL_H

#include "base/arena.h"
#include "perp/solver.h"
#include "solver/solver_options.h"

/* Beside the statuses: no ending. */
enum { GO_ON = 100 };

/* Laws by component, these and contacts, and all; and every M: for descriptors. */
#define INTERVAL_SETS (1u << PERP_SET_FREE | 1u << PERP_SET_ORTHANT | 1u << PERP_SET_BOX)
#define CONTACT_SETS  (INTERVAL_SETS | 1u << PERP_SET_CONE | 1u << PERP_SET_ROLLING)
#define ALL_SETS      (CONTACT_SETS | 1u << PERP_SET_POLYHEDRON | 1u << PERP_SET_OTHER)
#define ALL_MATRICES  (1u << PERP_ZERO | 1u << PERP_DIAGONAL | 1u << PERP_DENSE | 1u << PERP_BLOCKS)

/* What the shell prepares for a method. */
enum {
  NEEDS_SHAPE = 1,  /* more of the shape than n and the kind of M */
  NEEDS_BOUNDS = 2, /* lower, upper; lambda a point between them  */
  NEEDS_BEST = 4,   /* room for the best point                    */
  NEEDS_JUDGE = 8,  /* room for the residual                      */
  NEEDS_REST = 16,  /* all that is left, the envelope of M at least */
  NO_START = 32     /* that lambda is a start: it is only written  */
};

/* A solve under way. Methods read it, and write merit, best_merit, factor, price, max_iter. */
typedef struct session {
  const perp_problem *problem;
  const void *options; /* of the method's own kind, checked                        */
  const perp_solver_options *common;
  int32_t n;
  int32_t variant;    /* of the method                                            */
  int32_t max_iter;   /* iterations allowed; where options say 0: the method's, if it sets any */
  int32_t iterations; /* done                                                     */
  double tol;
  double *lambda, *y;    /* the caller's: start, and the answer; y is free room      */
  double *lower, *upper; /* n each                                                   */
  double *best;          /* n: the point of the least merit                          */
  double *scratch;       /* of the residual, and of projections right behind it      */
  double *rest;          /* rest_doubles                                             */
  size_t rest_doubles;
  double merit;        /* of this iteration, for the observer                      */
  double best_merit;   /* of best, INFINITY: there is none                         */
  double factor;       /* by how much the own merit must be below tol, learned     */
  double price;        /* multiply-adds of an iteration                            */
  double work, budget; /* multiply-adds done, and allowed                          */
  double next_call;    /* of the observer, amid an iteration                       */
  perp_warm *warm;
  perp_info *info;
} session;

struct perp_method {
  size_t state;               /* bytes of it, see METHOD_STATE; 0 before carve() */
  int32_t variant;            /* of methods that share their functions           */
  uint32_t needs;             /* bits NEEDS_...                                  */
  const option_range *ranges; /* of the options beside the common ones; NULL: none */
  void (*carve)(void *state, arena *a, const perp_shape *shape, const void *options);
  perp_status (*start)(void *state, session *s);
  perp_status (*iterate)(void *state, session *s);
  perp_status (*finish)(void *state, session *s, perp_status status);
  int (*recall)(const perp_problem *problem, const void *options, const perp_warm *warm,
                double *lambda, double *y);
};

/* The state lies on the stack. */
enum { METHOD_STATE_MOST = 1024 };

/* sizeof(type), which does not compile where that is too large. */
#define METHOD_STATE(type) \
  (sizeof(type) + 0 * sizeof(char[sizeof(type) <= METHOD_STATE_MOST ? 1 : -1]))

/* Bytes for a shape, 0: no such size. */
size_t perp_method_workspace(const perp_method *method, const perp_shape *shape,
                             const void *options);

/* Run it with opened options; spent (may be NULL) := the multiply-adds that it counted. */
perp_status perp_method_run(const perp_method *method, const perp_problem *problem,
                            const void *options, double *lambda, double *y, perp_warm *warm,
                            void *work, size_t work_bytes, double *spent, perp_info *info);

/* One iteration is done: GO_ON, PERP_STOPPED, or PERP_MAX_ITER where a limit is reached. */
perp_status perp_session_step(session *s, int32_t entering, int32_t leaving, double merit);

/* Whether the limits leave another iteration: GO_ON or PERP_MAX_ITER. */
perp_status perp_session_limits(const session *s);

/* Multiply-adds beside the price of iterations. PERP_STOPPED by the observer, which is asked now
 * and then, PERP_MAX_ITER beyond the budget, else GO_ON. */
perp_status perp_session_spend(session *s, double multiply_adds);

/* What is left for a solver that works for this one, 0: its own rule, as the caller set none. */
double perp_session_budget_left(const session *s);

/* Whether the point lambda is the best so far by this merit; it is kept, then. */
int perp_session_keep(session *s, double merit);

/* The residual at lambda: whether it solves the problem. By its merit the best point is kept. */
int perp_session_judge(session *s, perp_residual *r);

/* lambda := the best point, if there is one: for a method that looks at what it hands out. */
void perp_session_take_best(session *s);

/* The judge's own answer at lambda. If it says no, the factor becomes smaller by what is missing.
 */
int perp_session_confirmed(session *s);

#endif
