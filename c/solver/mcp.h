/* SPDX-License-Identifier: MIT */
/* The pieces of the solver for nonlinear mixed complementarity: mcp.c (arguments, starts, the
 * loop), mcp_step.c (F, J, merit, judgement; one major iteration). */
#ifndef PERP_SOLVER_MCP_H
#define PERP_SOLVER_MCP_H

#include "perp/mcp.h"
#include "problem/residual.h"
#include "solver/box_form.h"
#include "solver/box_path.h"
#include "solver/newton.h"

typedef struct mcp {
  const perp_mcp *problem;
  perp_mcp_options o; /* max_pivots > 0                                               */
  session run;        /* for its limits and the observer                              */
  perp_status limit;  /* GO_ON while it says so                                       */
  int32_t n;
  perp_matrix J;   /* at z; its values are entries                                     */
  double *entries; /* own memory                                                       */
  box_path path;
  box_data data; /* the linearisation at z                                        */
  block_law law; /* the linearisation as a one-step problem, to be judged         */
  perp_problem linear;
  double *scratch;         /* of its residual                                              */
  double *q;               /* n: F − J z                                                   */
  double *z, *F;           /* n each: the iterate                                          */
  double *next, *next_F;   /* n each: a point that is tried                               */
  double *probe, *probe_F; /* n each: beside a point, for differences                   */
  double *newton;          /* n: the Newton point                                          */
  double *from;            /* n: F − y, the residual of the normal map; y of the path      */
  double *mark;            /* n: the last point with enough descent                        */
  double *best, *best_F;   /* n each: the point of the least relative residual            */
  double *R, *C;           /* n each: units of F and z, fixed for one start                */
  unsigned char *modes;    /* n                                                            */
  double merit;
  merit_history merits;
  double begin_size;        /* of z where this start began, at least 1 */
  double shift;             /* least proximal shift of this start                            */
  int32_t provisional;      /* points since mark                                             */
  int32_t gradient_steps;   /* in a row                                                   */
  int32_t memory, watchdog; /* of this start                                            */
  const char *asked;        /* which callback last ...                                      */
  int32_t answered;         /* and what it returned                                          */
  int not_finite;           /* whether a callback wrote NaN or infinity last                 */
  perp_residual judged;     /* of z                                                         */
  perp_residual best_judged;
} mcp;

/* What a callback said of a point, and what a step came to. */
enum { MCP_DONE = 0, MCP_REFUSED = 1, MCP_GIVE_UP = -1 };

/* Move z into the bounds; F, J, the units R and C, merit, begin_size there. */
int perp_mcp_begin(mcp *m);

/* Norm of the Fischer-Burmeister function, scaled. */
double perp_mcp_merit(const mcp *m, const double *z, const double *F);

/* g (n) := gradient of half its square with respect to z / C. */
void perp_mcp_gradient(const mcp *m, double *g);

/* Judge the iterate; keep it if it is the best. Whether it solves its linearisation. */
int perp_mcp_judge(mcp *m);

/* Whether a Newton step within the bounds would change the iterate little, so that it does not run
 * to infinity along with a residual that tends to 0. */
int perp_mcp_stays(mcp *m);

/* Projected Newton steps while they descend. MCP_DONE or MCP_GIVE_UP. */
int perp_mcp_crash(mcp *m);

/* One major iteration: MCP_DONE (a new iterate), MCP_REFUSED (nothing descends), MCP_GIVE_UP. */
int perp_mcp_step(mcp *m);

#endif
