/* SPDX-License-Identifier: MIT */
/* Interactions (joints, limits, motors) beside a swept pool: evaluated like those of a live model
 * (live.h), but each system's W is known only while it is in the window, so G is made there. Their
 * one-step problem is that of a model without a pool. pool_joined.c has what surrounds it,
 * pool_joined_solve.c solves it by turns with the contacts. */
#ifndef PERP_STEPPING_POOL_JOINED_H
#define PERP_STEPPING_POOL_JOINED_H

#include "stepping/mixing.h"
#include "stepping/pool_swept.h"

/* What contacts take turns with: n rows of interactions, whose ν stands in lambda, start and
 * answer. answer: ν for step.free_v, which has what contacts push; apply: step.free_v += G ν. */
typedef struct joined_half {
  int32_t n;
  double *lambda;
  const double *weight; /* n: near 1/√ of a row's diagonal */
  double fine;          /* what rounding must not reach, 0: what the contacts are solved to */
  perp_status (*answer)(perp_simulation *sim, double h, perp_info *info);
  perp_status (*apply)(perp_simulation *sim, const double *nu, perp_info *info);
} joined_half;

typedef struct joined_pool {
  joined_half half; /* of the turns */
  int32_t all;      /* 1: G of all interactions is wanted, 0: of those that act */
  int32_t changed;  /* other units act than in the step before, or they are not assembled */
  int64_t failures; /* of the report before this solution */
  int32_t *bodies;  /* ranks of bodies that interactions and contacts share */
  int32_t n_bodies;
  double *from;        /* rows: λ of the interactions that the contacts are solved against */
  double *total;       /* rows: that, with what laws know of their impulses */
  double *rows;        /* of all interactions: total of those that act */
  double *weight;      /* rows: of those that are projected; NULL: none are */
  double *load, *size; /* largest n: Hᵀλ on one system, and |Hᵀ||λ| */
  mixing mix;
} joined_pool;

/* Begin of a step: what depends on h, which units act, the iterate. Once contacts are arranged and
 * the iterate is v_k. */
perp_status perp_pool_joined_begin(perp_simulation *sim, double t_next, double h, perp_info *info);
/* Rows of G that belong to the system in the window, whose W is factorised. */
perp_status perp_pool_joined_gain(perp_simulation *sim, const system_run *window, perp_info *info);
/* λ of interactions and contacts, and velocities: those of contacts' bodies in bodies, of all
 * others in step.free_v. *contacts: how that of the contacts ended, as perp_swept_solve(). */
perp_status perp_pool_joined_solve(perp_simulation *sim, double h, int first,
                                   const swept_options *o, swept_outcome *out,
                                   perp_status *contacts, perp_info *info);
/* By turns from base_v, what moves without either, and from ν and the λ of contacts, whose W is
 * prepared. */
perp_status perp_pool_joined_turns(perp_simulation *sim, double h, const joined_half *half,
                                   const swept_options *o, swept_outcome *out,
                                   perp_status *contacts, perp_info *info);
/* One more, of no more than so many sweeps. */
perp_status perp_pool_joined_turn(perp_simulation *sim, double h, const swept_options *o,
                                  swept_outcome *out, perp_status *contacts, perp_info *info);
/* List the bodies that contacts, as they are arranged, share with interactions. */
void perp_pool_joined_share(perp_simulation *sim);
/* Remember the iterate that a pass leaves; once the new one has its velocities: its λ, and what the
 * laws were solved for. */
void perp_pool_joined_leave(perp_simulation *sim);
void perp_pool_joined_keep(perp_simulation *sim);
/* Whether an interaction that acts is on system j: load := Hᵀλ at the iterate, size := |Hᵀ||λ|. */
int perp_pool_joined_load(const perp_simulation *sim, int32_t j, int32_t n);
/* The largest defect of an interaction, slack a velocity that is none; *worst: which. */
double perp_pool_joined_defect(const perp_simulation *sim, double slack, int32_t *worst);
/* λ, y, ẏ and modes of the state; how many rows acted, and began to push. Before q and v. */
int32_t perp_pool_joined_commit(perp_simulation *sim, int64_t *impacts);
/* Law states and the report, once the state is that at the end of the step. */
void perp_pool_joined_finish(perp_simulation *sim);

extern const struct live_stage perp_stage_joined;

#endif
