/* SPDX-License-Identifier: MIT */
/* A pool whose contacts are swept body by body (contacts/swept.h): no run, no row and no part of a
 * one-step matrix belongs to a place. Contacts stand in the state block in the order of their keys,
 * with nothing between them; those that sleep likewise, at the end of the places. pool_swept.c
 * leads through a step, pool_swept_motion.c moves the systems, pool_swept_correct.c takes overlaps
 * out, pool_swept_commit.c writes the state; how they sleep is in pool_swept_sleep.h. */
#ifndef PERP_STEPPING_POOL_SWEPT_H
#define PERP_STEPPING_POOL_SWEPT_H

#include "contacts/swept.h"
#include "stepping/live.h"
#include "stepping/pool_places.h"

/* A contact in the state block, as large as one that is found; a place without one is 0. */
typedef struct kept_contact {
  int32_t systems[2];
  int32_t law;
  int32_t stands; /* KEPT_STANDS, and whether it acted */
  uint32_t identity[2];
  double normal[3], tangent[3], point[3];
  double gap, ydot[3]; /* at the end of the step */
  double lambda[3];    /* of the last step in which it acted */
} kept_contact;

enum { KEPT_STANDS = 1, KEPT_ACTED = 2, KEPT_SLEEPS = 4 };

/* A system as contacts see it, in the fixed frame. */
typedef struct swept_sight {
  double v[6];     /* velocity, angular velocity                            */
  const double *x; /* what it turns about; NULL: contacts have no arms there */
} swept_sight;

/* Of a system, in the state block. */
typedef struct sleep_state {
  double rested; /* s; < 0: it sleeps, with all that have the same number, -1 - the least of them */
  uint64_t place; /* a hash of its positions, where it sleeps */
} sleep_state;

/* Who sleeps; arrays are NULL where nothing ever does. */
typedef struct swept_sleep {
  sleep_state *state;   /* state block: n_systems */
  double *forces;       /* state block, as velocities lie: f of those that sleep, which callbacks
                           give; NULL: none is given so */
  int32_t n_awake;      /* n_systems, but for those that sleep         */
  int32_t *awake;       /* n_awake, increasing                          */
  int32_t n_kept, room; /* contacts at the end of so many places        */
  int32_t n_asked;      /* those that sleep whose force has to be asked */
  int32_t *asked;
  unsigned char *asleep;   /* n_systems: 1; what has to wake is on the list */
  int32_t *next;           /* n_systems: round the island of what sleeps    */
  int32_t *list;           /* n_systems */
  int32_t n_list, n_woken; /* to wake; that woke in this step              */
  double h;                /* of this step                                  */
  /* what a step comes to, before its commit: */
  int32_t n_falling;
  int32_t *root;       /* n_systems: of the island, its least system    */
  double *rested;      /* n_systems; < 0: falls asleep                   */
  double *next_forces; /* as velocities lie; NULL with forces           */
} swept_sleep;

/* Of a block of contacts found: how many act, behind how many of the blocks before; how many of
 * them have begun to, their rows, and the deepest overlap. */
typedef struct swept_tally {
  int32_t acting, first, began, rows;
  double deepest;
} swept_tally;

typedef struct swept_pool {
  swept_set set;
  swept_tally *tally; /* blocks of the capacity */
  kept_contact *kept; /* state block, capacity     */
  int32_t *before; /* capacity: of a contact found, by key, its place in the state or −1; once the
                      velocities are solved, whether it acted */
  int32_t count;   /* of contacts in the state  */
  swept_sight *seen; /* n_systems: those awake, from perp_pool_swept_see(); 0 of others */
  double pile;       /* PERP_SPEED_PILE for h = 1 s, 0: no constant force acts */
  double asked;      /* speed_tol of the last step, 0: tol was asked for */
  /* of the step: */
  int64_t impacts;
  double deepest; /* overlap of a contact that acted */
  int32_t left;   /* 1: overlaps are left that should have been taken out, or joints open */
  int32_t at_end; /* 1: bodies are turned as at the end of the step, 0: as in the state */
  /* one system at a time: */
  system_run window;    /* a member of a live run, with room for one */
  const system_run *of; /* whose mass is in it       */
  double *inverse;      /* 6 x 6: W⁻¹ of what inverted holds, n x n each */
  double *inverted;
  int32_t n_inverted;         /* 0: of nothing */
  double *size;               /* n: of the terms of its equations */
  double rise[6];             /* v_free − v_k of a run whose members move alike */
  int32_t large;              /* 1: some system is moved by memory that all share */
  double open;                /* residual of contacts that is small enough, unit of u */
  struct joined_pool *joined; /* pool_joined.h; NULL: no interactions */
  swept_sleep sleep;
} swept_pool;

/* A loop over contacts. */
typedef struct swept_loop {
  perp_simulation *sim;
  double h;
  int32_t n;
} swept_loop;

static inline perp_pool_contact *swept_found(const perp_simulation *sim, int32_t f) {
  return &sim->pool->writer.found[f];
}

/* Where a system is held by a contact at a point; 0 where it does not turn. */
static inline void perp_pool_swept_arm(const perp_simulation *sim, int32_t j, const double *point,
                                       double *arm) {
  const double *x = sim->pool->swept->seen[j].x;
  for (int32_t i = 0; i < 3; i++) arm[i] = x != NULL ? point[i] - x[i] : 0;
  if (sim->pool->pool->plane) arm[2] = 0; /* x[2] is an angle */
}

/* pool_swept_correct.c: move the positions of the iterate so that contacts found overlap no more
 * and joints are closed. Places of contacts are digested, their gaps, and what relations are, those
 * at the end of the step, before and after. */
perp_status perp_pool_swept_correct(perp_simulation *sim, double t_next, double h, perp_info *info);

/* The i-th system that is awake. */
static inline int32_t swept_awake(const swept_pool *p, int32_t i) {
  return p->sleep.awake != NULL ? p->sleep.awake[i] : i;
}

/* Where a system stands in its run and in arrays of all positions and velocities. */
typedef struct swept_member {
  const system_run *run;
  size_t s, q, v;
} swept_member;

static inline swept_member swept_member_of(const perp_simulation *sim, int32_t j) {
  const system_run *run = &sim->runs.systems[sim->runs.of[j]];
  const size_t s = (size_t)(j - run->first);
  const swept_member at = {run, s, run->q0 + s * (size_t)run->n_q, run->v0 + s * (size_t)run->n};
  return at;
}

/* pool_swept.c: what options ask of sweeps; velocity of the first system of a contact at a point
 * relative to the second, in the fixed frame, as they are seen; order of a contact that is kept to
 * one that is found. */
swept_options perp_pool_swept_options(const perp_simulation *sim);
void perp_pool_swept_approach(const perp_simulation *sim, const perp_pool_contact *c,
                              const double *point, double out[3]);
int perp_pool_swept_compare(const kept_contact *a, const perp_pool_contact *b);
/* The first of kept from low to high − 1, in the order of their keys, that is not before c; high:
 * all are. */
int32_t perp_pool_swept_search(const swept_pool *p, int32_t low, int32_t high,
                               const perp_pool_contact *c);

/* pool_swept_commit.c: what the step has come to, of all contacts found; from then on nothing of
 * the step is in the set, whose memory a correction of the positions takes. Then the state. */
void perp_pool_swept_digest(perp_simulation *sim, double h);
void perp_pool_swept_commit(perp_simulation *sim, double t_next, double h);

/* pool_swept_motion.c */
void perp_pool_swept_carve_motion(arena *a, const perp_model *model, const layout_sizes *sizes,
                                  perp_simulation *sim, swept_pool *p);
/* Masses at the positions of the state; checked: judged as those of a new simulation. */
perp_status perp_pool_swept_masses(perp_simulation *sim, int checked, perp_info *info);
/* Velocity and angular velocity of system j in the fixed frame, from its own velocities at the
 * positions of the state, or at_end those of the iterate; and the way back. */
void perp_pool_swept_look(const perp_simulation *sim, int32_t j, const double *v, double out[6]);
void perp_pool_swept_turn(const perp_simulation *sim, int32_t j, const double in[6], double *v);
/* Systems awake are seen with velocities v at the positions of the state. */
void perp_pool_swept_see(perp_simulation *sim, const double *v);
/* The iterate := v_k. */
void perp_pool_swept_begin(perp_simulation *sim, double h);
/* Which bodies of the set have a full W⁻¹, once they are in order. */
void perp_pool_swept_number_wide(perp_simulation *sim);
/* v_free and W⁻¹ of every system at the iterate, into step.free_v and the bodies of contacts; after
 * the first pass of those that it changes. */
perp_status perp_pool_swept_linearise(perp_simulation *sim, double t_next, double h, int first,
                                      perp_info *info);
/* The mean change of velocity of what is in contact by all forces but those of contacts. */
double perp_pool_swept_fall(const perp_simulation *sim);
/* The iterate := what bodies and free velocities say. */
void perp_pool_swept_take(perp_simulation *sim, double h);
/* A velocity that is no defect, so that Newton's iteration asks for no more than what solves of
 * contacts leave: a hundredth of that, in units of the tolerance. */
double perp_pool_swept_slack(const perp_simulation *sim);
/* Kinetic energy of system j per mass at the iterate; its f at (t, q), at rest. */
perp_status perp_pool_swept_energy(perp_simulation *sim, int32_t j, double t, double *energy,
                                   perp_info *info);
perp_status perp_pool_swept_force(perp_simulation *sim, int32_t j, double t, const double *q,
                                  double *f, perp_info *info);
/* The largest defect of the equations of motion at the iterate, each relative to its terms. */
perp_status perp_pool_swept_defect(perp_simulation *sim, double t_next, double h, double *defect,
                                   int32_t *worst, perp_info *info);

#endif
