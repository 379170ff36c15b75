/* SPDX-License-Identifier: MIT */
/* The pieces of the Newton method for friction: friction_newton_rows.c reads M contact by contact,
 * friction_newton_map.c evaluates Φ and its Jacobian, friction_newton_system.c assembles,
 * factorises and solves, friction_newton_sweep.c makes a start, friction_newton.c is the solver
 * that callers see. */
#ifndef PERP_SOLVER_FRICTION_NEWTON_H
#define PERP_SOLVER_FRICTION_NEWTON_H

#include "linalg/envelope.h"
#include "perp/newton.h"
#include "problem/contacts.h"

enum {
  FRICTION_NEWTON_MOST = 5,     /* unknowns of a contact                          */
  FRICTION_NEWTON_HISTORY = 16, /* merits that are remembered                     */
  FRICTION_NEWTON_DENSE = 60    /* systems up to this size are factorised dense   */
};

/* The proximal parameter where the residual is near 0: enough to keep a singular system in bounds,
 * too little to be seen in the convergence. */
#define FRICTION_NEWTON_LEAST_SIGMA 1e-10

/* The rows of one contact: value[i + ld k] in row i (of the contact) and column column[k]. All own
 * columns are among them. */
typedef struct panel {
  int32_t count;
  const int32_t *column;
  const double *value;
  size_t ld;
} panel;

typedef struct friction_newton {
  const perp_problem *problem;
  perp_friction_newton_options o;
  int32_t n, count, iterations, factors;
  double pass;            /* multiply-adds of a pass over M and the contacts            */
  double work, most_work; /* multiply-adds so far, and after which it ends              */
  contact *contacts;      /* count                                                       */
  double *lower, *upper;
  /* rows */
  row_reader rows;
  int32_t *match;  /* count: block row that is the rows of this contact, -1: none   */
  int32_t *column; /* n: of the panel read last                                      */
  int32_t *seen;   /* n: where a column stands in it, -1                             */
  double *value;   /* most * n                                                       */
  /* equations */
  double *size;  /* count: norm of the diagonal block                                 */
  double *rho;   /* count                                                             */
  double *x, *u; /* λ, and M λ + q                                                   */
  double *phi;
  double *A, *B; /* dΦ = A dλ + B du: blocks at begin * most, column-major           */
  double *d, *v; /* step, and M d                                                    */
  double *tx, *tu, *best, *rhs, *centre;
  unsigned char *off;    /* count: B is 0, and A the identity                        */
  unsigned char *inside; /* count: part of the system                                */
  int32_t *place;        /* n: in the system, -1                                     */
  int32_t members;       /* unknowns of the system                                   */
  double sigma;          /* proximal parameter: M + σ diag(size)                     */
  double weight;         /* sigma is this times the residual                         */
  double theta;          /* merit at x                                               */
  double memory[FRICTION_NEWTON_HISTORY]; /* the last merits                         */
  int32_t remembered;                     /* how many there were                     */
  double mark_theta;                      /* the last low of the merit               */
  int32_t since;                          /* steps from there                        */
  double relative;                        /* relative residual of x                  */
  double least;                           /* residual_merit() of best                */
  /* factor */
  size_t capacity; /* entries of K                                                  */
  double *K;
  int32_t *start, *index, *pivots;
  int dense; /* how the last factor is stored                                        */
  void *factor;
  perp_status failure; /* PERP_EBACKEND, or PERP_OK                                  */
  double *scratch;
} friction_newton;

/* Tables of the reader; match. */
void perp_friction_newton_rows_open(friction_newton *s);
/* Rows of contact k, in the solver's memory until the next call. */
panel perp_friction_newton_rows(friction_newton *s, int32_t k);

/* Merit of Φ at (x, u). */
double perp_friction_newton_merit(const friction_newton *s, const double *x, const double *u);
/* Φ, A, B, off and the merit at s->x, s->u. */
void perp_friction_newton_linearise(friction_newton *s);
/* x of contact k := its projection. */
void perp_friction_newton_project(const friction_newton *s, int32_t k, double *x);

/* d := −(A + B (M + σ diag(size)))⁻¹ Φ, v := M d. 0 if there is no such d. */
int perp_friction_newton_direction(friction_newton *s);

/* rho := factor / size. */
void perp_friction_newton_weigh(friction_newton *s, double factor);

/* Look at s->x: u, the residual, and whether it is the best point so far. */
void perp_friction_newton_look(friction_newton *s, perp_residual *r);
/* Whether no more iterations, or no more work, are allowed. */
int perp_friction_newton_used_up(const friction_newton *s);
/* Count an iteration and show it to the observer; 1: stop. */
int perp_friction_newton_told(friction_newton *s);
/* The longest step along d that brings the merit below the reference, 0: none does. tx, tu and the
 * merit are those of the last trial. */
double perp_friction_newton_search(friction_newton *s, double reference);

/* How a run ends. */
enum {
  FRICTION_NEWTON_SOLVED,
  FRICTION_NEWTON_LIMIT,
  FRICTION_NEWTON_STOPPED,
  FRICTION_NEWTON_STUCK
};

/* Newton's steps from s->x whose proximal centre goes along. */
int perp_friction_newton_fast(friction_newton *s);
/* The same around centres that stay until their problem is solved. */
int perp_friction_newton_proximal(friction_newton *s);

/* Projected Gauss–Seidel sweeps on s->x. */
void perp_friction_newton_sweep(friction_newton *s, int32_t sweeps);

#endif
