/* SPDX-License-Identifier: MIT */
/* auto: one runner and two plans. The runner (portfolio.c) gives a method its part of the work and
 * of the iterations, counts them on, judges the point and keeps the best one; a plan says who comes
 * when: intervals.c for laws by component and polyhedra, friction_plan.c for friction, rolling, and
 * laws known by their projection only. */
#ifndef PERP_PORTFOLIO_PORTFOLIO_H
#define PERP_PORTFOLIO_PORTFOLIO_H

#include "base/arena.h"
#include "perp/auto.h"
#include "problem/residual.h"
#include "solver/shell.h"

/* --- the runner ------------------------------------------------------------------------------ */

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
} friction_estimate;

/* What auto remembers of the last problem, at the end of the warm data. */
typedef struct memo {
  uint32_t stamp;  /* of M                                   */
  uint32_t n;      /* unknowns, 0: nothing known             */
  uint32_t class;  /* number of its plan                     */
  uint32_t winner; /* place of the one who solved it there, or the number of candidates: subspace */
} memo;

/* One problem, the whole or an island, on its way through the methods: the point, the best one so
 * far, and what work and iterations are left. */
typedef struct portfolio {
  const perp_problem *problem;
  const perp_auto_options *options;
  perp_shape shape;
  double tol;         /* relative residual wanted here               */
  double *lambda, *y; /* the caller's, or those of an island         */
  double *best;       /* n: the best λ of those that failed          */
  double *ray;        /* n: of the last method                       */
  double *scratch;    /* of the residual                             */
  void *room;         /* for the methods                             */
  size_t room_bytes;
  double work;        /* multiply-adds left, by the models           */
  double left;        /* left, as methods count it: the end          */
  int32_t iterations; /* of all methods so far                       */
  int32_t hopeless;   /* M or q are not finite                       */
  double best_score;  /* merit of best, INFINITY: there is none      */
  perp_status best_status;
  const char *name, *best_name; /* of the method whose point is in lambda, in best */
  perp_residual residual;       /* at the point judged last                        */
  friction_watch watch;
  /* intervals and polyhedra */
  double *lower, *upper; /* n each                                             */
  perp_warm warm;        /* for the candidates: the caller's, or own modes     */
  memo *remembered;      /* at the end of the caller's, NULL: no room          */
  double accepted;       /* tol max |q|, of every row                          */
  double borne;          /* largest |y| that leaves no doubt in sums           */
  int32_t symmetric;     /* -1: not looked at                                  */
  int32_t proved;        /* there is no solution, but by a hair                */
  /* friction */
  friction_estimate estimate;
  int32_t trusting;            /* who says PERP_OK is verified later              */
  int32_t known;               /* the caller had a start                          */
  int32_t has_ray;             /* 1: ray is a certificate, -1: a hint             */
  double bound;                /* that it proves                                  */
  int32_t away;                /* the interior point left along a ray             */
  int32_t admm_first;          /* it won where both were tried                    */
  int32_t visits;              /* of descent                                      */
  double aside;                /* work that is left to it alone                   */
  double ratio;                /* of the scale to max |q|, a guess                */
  double promised[RIVAL_BEST]; /* by sweeps and ADMM when they were left          */
} portfolio;

/* Beside the statuses: this one had nothing to say. */
enum { NOT_TRIED = 1000 };

void perp_portfolio_open(portfolio *s, const perp_problem *problem,
                         const perp_auto_options *options, double *lambda, double *y);

/* Whether λ solves the problem, by the residual; if not it is kept where it is the best so far. */
int perp_portfolio_judge(portfolio *s, perp_status status);

/* y := M λ + q. */
void perp_portfolio_multiply(portfolio *s);

/* λ := the best point so far. */
void perp_portfolio_best(portfolio *s);

/* The common fields of a method's options: at most so many iterations, and half of the work that is
 * left. Limits that are in them already stay, that of the iterations where it is tighter. */
void perp_portfolio_limit(portfolio *s, int32_t most, perp_solver_options *o);

/* All that the caller still allows, for what is no method of the library's. */
perp_solver_options perp_portfolio_limits(portfolio *s);

/* Run it, options and all, with price multiply-adds an iteration. λ is start and result; said
 * without a ray has it written to s->ray. */
perp_status perp_portfolio_run(portfolio *s, const perp_solver *solver, void *options, double price,
                               perp_info *said);

/* How many of so many iterations the caller allows, and so many multiply-adds: none if not > 0. */
int32_t perp_portfolio_allowed(const portfolio *s, double iterations, double price, double left);

/* Bytes that a method needs, 0 if it does not take the problem or wants far more than M has: a
 * dense copy where that is small, and some copies of M in any case. With friction, twice as many.
 */
size_t perp_portfolio_bytes(const perp_solver *solver, const perp_shape *shape, const void *options,
                            int friction);

/* Stored entries, the diagonal counted once more. */
static inline double shape_entries(const perp_shape *shape) {
  return (double)shape->nonzeros + (double)shape->n;
}

/* The caller's budget, where he gives one; no infinity, which would be taken from itself. */
static inline double budget_or(double budget, double otherwise) {
  if (!(budget > 0)) return otherwise;
  return budget < 1e200 ? budget : 1e200;
}

/* --- intervals and polyhedra -------------------------------------------------------------------
 */

/* Up to SMALL unknowns pivoting is faster than a look at M; up to ENUMERATE the search over all
 * solutions is the last resort. */
enum { SMALL = 32, ENUMERATE = 15 };

static inline int interval_laws(const perp_shape *shape) {
  return (shape->sets & ~INTERVAL_SETS) == 0;
}

/* Multiply-adds for all candidates, where the user says nothing. */
double perp_default_budget(const perp_shape *shape);

/* Bytes of the largest candidate, its verification included. For at most SMALL unknowns with laws
 * by component an upper bound of these and auto's own, since asking each would take longer than a
 * solve. */
size_t perp_candidates_bytes(const perp_shape *shape);

/* Whether λ, y leave nothing to the residual: see intervals.c. */
int perp_plainly_solved(const portfolio *s);

/* Whether λ solves the problem. If not it is kept where it is the best so far. */
int perp_intervals_judge(portfolio *s, perp_status status);

/* All candidates for the class of the problem, for one that needs a method. */
perp_status perp_intervals_plan(portfolio *s, perp_info *info);

/* λ := solution of an interval problem with dense M of at most SMALL_MOST unknowns, without memory
 * of the caller; λ is as before if there is none. Of the options max_iter (0: no limit), observe
 * and user count; iterations += pivots. PERP_OK, PERP_STOPPED, TINY_FAILED. */
int perp_tiny_solve(const perp_matrix *M, const double *q, const double *lower, const double *upper,
                    double *lambda, const perp_solver_options *options, int32_t *iterations);

/* Definite M, or nearly so, on a subset of the unknowns at a time: see subspace.c. y is M λ + q in
 * the end in any case. An iteration is a product with M. */
typedef struct perp_subspace_options {
  perp_solver_options common;
  const char *kind;
  int32_t symmetric; /* 0: Gauss–Seidel takes the place of conjugate gradients */
} perp_subspace_options;

extern const perp_subspace_options perp_subspace_defaults;

/* PERP_OK: all |y_i| where λ_i is inside are at most tol max |q|. PERP_RAY: a diagonal entry or a
 * curvature is not positive. */
const perp_solver *perp_solver_subspace(void);

/* --- friction --------------------------------------------------------------------------------- */

/* Whether auto hands a problem with these laws over to friction.c. */
static inline int frictional(uint32_t sets) {
  return (sets & (1u << PERP_SET_CONE | 1u << PERP_SET_ROLLING | 1u << PERP_SET_OTHER)) != 0;
}

/* Whether the problem is so small that bytes are bounded by a formula: asking every method would
 * take longer than a solve. */
static inline int perp_friction_small(const perp_shape *shape) {
  const size_t n = (size_t)shape->n;
  return shape->n <= 32 && (shape->sets & ~CONTACT_SETS) == 0 && shape->nonzeros <= n * n;
}

size_t perp_friction_bytes(const perp_shape *shape, int allocate);

/* Solve a checked problem with n > 0; options have been read. */
perp_status perp_friction_solve(const perp_problem *problem, const perp_auto_options *options,
                                double *lambda, double *y, perp_warm *warm, void *work,
                                size_t work_bytes, perp_info *info);

/* The order of the methods, for a problem that is neither trivial nor in pieces, and the bytes of
 * the greediest of them. */
perp_status perp_friction_plan(portfolio *s);
size_t perp_friction_plan_bytes(const perp_shape *shape, int allocate);

/* Multiply-adds for all methods, where the user says nothing. */
double perp_friction_budget(const perp_shape *shape);

/* Multiply-adds that take as long as the projections of all laws, or the solution of all contacts
 * one by one. */
double perp_local_cost(const perp_problem *problem);

/* What the rival of the method under way needs. */
double perp_friction_rival(const portfolio *s);

/* The last resort for a few unknowns with contacts: descent to a zero of the equations of
 * contact_equations.h, from the given point, from 0, and from points here and there. */
typedef struct perp_descent_options {
  perp_solver_options common;
  const char *kind;
  int32_t visit; /* how often it was asked before: each time it begins elsewhere */
} perp_descent_options;

extern const perp_descent_options perp_descent_defaults;

/* Takes up to 32 unknowns of intervals, friction and rolling; lambda is the first start. An
 * iteration is one step. */
const perp_solver *perp_solver_descent(void);

/* Multiply-adds of a step. */
double perp_descent_price(int32_t n);

#endif
