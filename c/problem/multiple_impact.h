/* SPDX-License-Identifier: MIT */
/* The path of an impact at several contacts, in units in which W has a diagonal of ones, the
 * fastest approach has speed 1 and compression 1 holds its energy, 1/2:
 *
 *   P_i' = k_i s_i^η,   s_i' = −g_i ω_i u_i,   ω = 2k/(η+1),   u = u0 + W P,   E = s^(η+1)/2,
 *
 * P impulses, s compressions, g = 1 but 1/e² in expansion with two stiffnesses; k is the
 * (η+1)th root of the ratio of stiffnesses, 1 for the stiffest. The right-hand side is smooth
 * between the moments at which a contact changes its phase; steps end there. */
#ifndef PERP_PROBLEM_MULTIPLE_IMPACT_H
#define PERP_PROBLEM_MULTIPLE_IMPACT_H

#include "base/arena.h"
#include "perp/multiple_impact.h"

enum { IMPACT_STAGES = 7 };

/* Phase of a contact. */
enum {
  IMPACT_OPEN = 0,    /* no force                                                     */
  IMPACT_LOADING = 1, /* compression; with e = 1 also expansion, which follows the same law */
  IMPACT_UNLOADING = 2,
  IMPACT_APART = 3 /* coupled to no other: not in the path                        */
};

/* Velocities and compressions below these count as 0 where a phase is decided. */
#define IMPACT_SMALL 1e-13

/* Where no contact that acts or approaches has more energy than at this speed, the impact is over:
 * with little restitution contacts that push each other would come to rest after infinitely many
 * compressions, each a part smaller than the one before. */
#define IMPACT_REST 1e-11

typedef struct impact_path {
  int32_t m;
  const double *W;           /* m x m, the caller's                                          */
  double *d;                 /* W_ii^(-1/2), 0: not in the path                                */
  double *k;                 /* force at compression 1                                       */
  double *rate;              /* g ω                                                          */
  double *e;                 /* restitution                                                  */
  double *u0;                /* velocities before                                            */
  double *P, *s, *u;         /* state at the beginning of a step               */
  double *P1, *s1, *u1;      /* at its end                                     */
  double *KP[IMPACT_STAGES]; /* derivatives of P                               */
  double *Ks[IMPACT_STAGES]; /* derivatives of s                               */
  double *end;               /* compression at which expansion ends            */
  double *begin;             /* energy of the spring where this phase began    */
  double *taken;             /* energy taken since the contact closed          */
  double *lost;              /* energy dissipated                              */
  int32_t *reach;            /* |i − j| of the farthest W_ij in a column that is not 0        */
  unsigned char *phase, *flips; /* flips: 1 changed in this step, 2 at its end */
  double exponent, step, tol;
  int32_t compliance, max_steps, steps;
} impact_path;

/* What every impact at m contacts is given: finite W (m x m) and ydot, e in [0, 1], and where to
 * put its impulses. */
perp_status perp_impact_check(int32_t m, const double *W, const double *ydot, const double *e,
                              const double *impulse, perp_info *info);

static inline double impact_entry(int32_t m, const double *W, int32_t i, int32_t j) {
  return W[(size_t)i + (size_t)m * (size_t)j];
}

/* Place the arrays of m contacts. */
void perp_impact_carve(impact_path *path, arena *a, int32_t m);

/* x^η for x >= 0. */
double perp_impact_power(double x, double exponent);

/* From P = 0, s = 0, u = u0 to the end; PERP_MAX_ITER after max_steps. */
perp_status perp_impact_follow(impact_path *path);

/* u := u0 + W P, and what is left of approaching velocities, not much more than IMPACT_REST, taken
 * out without restitution:  0 <= u ⟂ change of P >= 0, by sweeps of Gauss and Seidel. */
void perp_impact_settle(impact_path *path);

#endif
