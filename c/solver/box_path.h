/* SPDX-License-Identifier: MIT */
/* The piecewise linear path of  −(M λ + q + d t) ∈ N_[l,u](λ)  from a large t, or from a given
 * point at t = 1, down to t = 0: a dictionary whose variables have bounds.
 *
 * Unknowns with two infinite bounds are eliminated first (box_factor.h), those with l = u are
 * constant. The others, and the free ones whose block is singular, are members e = 0 ... m-1, each
 * with a pair of variables y'_e (named e) and λ'_e (named m + e) that are 0 when not basic:
 *   flip_e = 0:  λ = l + C λ',  y = R y';      flip_e = 1:  λ = u − C λ',  y = −R y'.
 * t is 2 m. Every member thus looks as if it were at its lower bound 0, with λ' <= width. */
#ifndef PERP_SOLVER_BOX_PATH_H
#define PERP_SOLVER_BOX_PATH_H

#include "solver/box_factor.h"

/* The problem that a path is for, M + shift P with the weights P_i = R_i / C_i, and q − shift P
 * center.
 */
typedef struct box_data {
  const perp_matrix *M;
  const double *q, *lower, *upper;
  const double *center; /* n; NULL with shift 0 */
  double shift;
} box_data;

typedef struct box_path {
  box_factor f;
  const box_data *data;
  int32_t n, m;
  int32_t missing;   /* members that the modes, or no bounds, want basic and that are not      */
  double *D;         /* m x (m + 2): nonbasic columns, among them that of t, and the values      */
  double *width;     /* m: bound of λ', infinity if there is none                                */
  double *reference; /* n: λ at which g was made                                               */
  double *x;         /* n: scratch                                                             */
  double *v;         /* n: scratch                                                             */
  int32_t *member;   /* m: unknown                                                             */
  int32_t *row;      /* m: row of M' behind y, not the unknown's own if that is free           */
  int32_t *local;    /* n: member, -1: eliminated or constant                                  */
  int32_t *basic;    /* m: variable of a row                                                   */
  int32_t *nonbasic; /* m + 1: variable of a column                                            */
  int32_t *where;    /* 2 m + 1: row r as -1 - r, or column                                    */
  int32_t *origin;   /* m: variable of a row at the start, which carries eps^row               */
  int32_t *ties;     /* m + 1                                                                  */
  unsigned char *unbounded;   /* m: a free unknown that is a member                              */
  unsigned char *flip;        /* m                                                               */
  unsigned char *origin_flip; /* m: as it was at the start                                     */
  unsigned char *chosen;      /* n: scratch                                                    */
  double noise;               /* size up to which a value is taken for rounding      */
  double stop;                /* t at which to stop                                  */
  double ceiling;             /* t that ends the path as a ray does, where it comes back from */
  double least;               /* least t that the path has come to                   */
  int32_t at;                 /* column that has moved off 0, -1: none               */
  double value;               /* by how much                                         */
  int32_t pivots;
  int32_t limit; /* pivots allowed */
  perp_observer observe;
  void *user;
} box_path;

/* How following a path ends. */
enum { BOX_SOLVED, BOX_RAY, BOX_LIMIT, BOX_STOPPED };

/* Measure or place for n unknowns. */
void perp_box_path_carve(box_path *p, arena *a, int32_t n);

/* Where unknown i with these bounds stands when it is not basic: 1 at its upper one. */
static inline int box_upper(double lower, double upper, unsigned char mode) {
  return upper - lower > 0 && upper <= 1.7976931348623157e308 &&
         (mode == PERP_MODE_UPPER || lower < -1.7976931348623157e308);
}

/* Write the problem in the basis of the modes (PERP_MODE_FREE: basic; NULL: at bounds); where that
 * is singular others are brought in. 0 if M or q is not finite. With p->missing > 0 that did not
 * help: then there is no path if modes were given (pairs may have both variables in the basis), and
 * one that leaves out some equations of free unknowns if not. With from NULL t starts from infinity
 * with the covering vector d > 0 (NULL: ones). Otherwise it starts from 1 at the point of the modes
 * where M λ + q − y = from. */
int perp_box_path_open(box_path *p, const box_data *data, const unsigned char *modes,
                       const double *covering, const double *from);

/* Exchange the variables of row r and column c. */
void perp_box_path_pivot(box_path *p, int32_t r, int32_t c);

/* Follow the path to t = p->stop: BOX_SOLVED, or another ending. */
int perp_box_path_follow(box_path *p);

/* λ (n) at the end of the path, t there. */
double perp_box_path_point(box_path *p, double *lambda);

/* modes (n) at the end: FREE if λ is basic, LOWER or UPPER if y is, UNKNOWN if neither. */
void perp_box_path_modes(const box_path *p, unsigned char *modes);

/* λ (n) -= the change that makes r vanish, the residual M λ + q on the rows of the basis. */
void perp_box_path_correct(box_path *p, const double *r, double *lambda);

/* ray (n) := direction of λ in which the path leaves, after BOX_RAY. */
void perp_box_path_ray(box_path *p, double *ray);

#endif
