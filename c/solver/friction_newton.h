/* SPDX-License-Identifier: MIT */
/* The pieces of the Newton method for friction: friction_newton_system.c evaluates Φ and its
 * Jacobian, reads M contact by contact, assembles, factorises and solves; friction_newton.c is the
 * solver that callers see. */
#ifndef PERP_SOLVER_FRICTION_NEWTON_H
#define PERP_SOLVER_FRICTION_NEWTON_H

#include "solver/contact_map.h"
#include "solver/factor.h"
#include "solver/newton.h"

enum { FRICTION_NEWTON_DENSE = 60 }; /* systems up to this size are factorised dense */

/* The rows of one contact: value[i + ld k] in row i (of the contact) and column column[k]. All own
 * columns are among them. */
typedef struct panel {
  int32_t count;
  const int32_t *column;
  const double *value;
  size_t ld;
} panel;

typedef struct friction_newton {
  perp_friction_newton_options o; /* whose function changes between starts          */
  session *run;
  perp_status limit; /* GO_ON while the session says so                                */
  int32_t n, count;
  double pass;       /* multiply-adds of a pass over M and the contacts                */
  contact *contacts; /* count                                                          */
  /* rows */
  row_reader rows;
  int32_t *column; /* n: of the panel read last                                      */
  int32_t *seen;   /* n: where a column stands in it, -1                             */
  double *value;   /* most * n                                                       */
  /* equations */
  double *size;  /* count: norm of the diagonal block                                 */
  double *rho;   /* count                                                             */
  double *x, *u; /* the session's λ and y: M λ + q                                    */
  double *phi;
  double *A, *B; /* dΦ = A dλ + B du: blocks at begin * most, column-major           */
  double *d, *v; /* step, and M d                                                    */
  double *tx, *tu, *rhs, *centre;
  unsigned char *off;    /* count: B is 0, and A the identity                        */
  unsigned char *inside; /* count: part of the system                                */
  int32_t *place;        /* n: in the system, -1                                     */
  int32_t members;       /* unknowns of the system                                   */
  double sigma;          /* proximal parameter: M + σ diag(size)                     */
  double weight;         /* sigma is this times the residual                         */
  double theta;          /* merit at x                                               */
  merit_history merits;
  double mark_theta; /* the last low of the merit                                      */
  int32_t since;     /* steps from there                                               */
  double relative;   /* relative residual of x                                         */
  any_factor K;      /* of the system; dense and compressed rows in the same memory           */
} friction_newton;

/* Tables of the reader. */
void perp_friction_newton_rows_open(friction_newton *s);
/* Rows of contact k, in the solver's memory until the next call. */
panel perp_friction_newton_rows(friction_newton *s, int32_t k);

/* Merit of Φ at (x, u). */
double perp_friction_newton_merit(const friction_newton *s, const double *x, const double *u);
/* Φ, A, B, off and the merit at s->x, s->u. */
void perp_friction_newton_linearise(friction_newton *s);

/* d := −(A + B (M + σ diag(size)))⁻¹ Φ, v := M d: GO_ON. PERP_INACCURATE: there is no such d;
 * PERP_EBACKEND: the back end failed. */
perp_status perp_friction_newton_direction(friction_newton *s);

/* Multiply-adds are told to the session. */
void perp_friction_newton_spend(friction_newton *s, double multiply_adds);

#endif
