/* SPDX-License-Identifier: MIT */
/* Islands that sleep. A system rests while its kinetic energy per mass is below sleep_energy and
 * the force on it does not change with time; an island, of systems that contacts which act join,
 * sleeps once all of it have rested for sleep_time and no interaction holds one. Its velocities are
 * 0 then, its contacts stand at the end of the places, in the order of their keys, and no step
 * looks at either. Whatever wakes one system wakes its island, before contacts are chosen: they are
 * found again then, so that the step is that of a model in which it had never slept.
 *
 * What a step changes of this lies in work until it is committed. pool_swept_sleep.c keeps who
 * sleeps, and wakes; pool_swept_rest.c lets fall asleep. */
#ifndef PERP_STEPPING_POOL_SWEPT_SLEEP_H
#define PERP_STEPPING_POOL_SWEPT_SLEEP_H

#include "base/fingerprint.h"
#include "base/finite.h"
#include "model/body.h"
#include "model/head.h"
#include "stepping/pool_swept.h"

static inline swept_sleep *sleep_of(const perp_simulation *sim) { return &sim->pool->swept->sleep; }

/* Whether the force on a system at rest may change while its positions do not. */
static inline int sleep_is_asked(const perp_system *s) {
  perp_system_terms terms;
  if (system_is_varying(s)) return !perp_body_is_free(s);
  s->ops->terms(s, &terms);
  return terms.force != NULL;
}

/* Where the velocities of system j lie. */
static inline size_t sleep_first(const perp_simulation *sim, int32_t j, size_t *n) {
  const system_run *run = &sim->runs.systems[sim->runs.of[j]];
  *n = (size_t)run->n;
  return run->v0 + (size_t)(j - run->first) * *n;
}

/* A hash of its positions. */
static inline uint64_t sleep_place(const perp_simulation *sim, int32_t j) {
  const system_run *run = &sim->runs.systems[sim->runs.of[j]];
  const double *q = sim->state.q + run->q0 + (size_t)(j - run->first) * (size_t)run->n_q;
  uint64_t hash = FINGERPRINT_BEGIN;
  for (int32_t i = 0; i < run->n_q; i++) fingerprint_mix(&hash, bits_of(q[i]));
  return hash;
}

/* The first contact at the end of the places; whether all that a contact joins sleep. */
static inline kept_contact *sleep_kept(const perp_simulation *sim) {
  const swept_pool *p = sim->pool->swept;
  return p->kept + (sim->pool->capacity - p->sleep.n_kept);
}

static inline int sleep_holds(const swept_sleep *s, const kept_contact *c) {
  return s->asleep[c->systems[0]] != 0 && (c->systems[1] < 0 || s->asleep[c->systems[1]] != 0);
}

/* Order by keys. */
static inline int sleep_compare(const kept_contact *a, const kept_contact *b) {
  perp_pool_contact key;
  memcpy(key.systems, b->systems, sizeof key.systems);
  memcpy(key.identity, b->identity, sizeof key.identity);
  return perp_pool_swept_compare(a, &key);
}

/* pool_swept_sleep.c */
size_t perp_pool_sleep_bytes(const perp_model *model);
void perp_pool_sleep_carve(arena *a, const perp_model *model, const layout_sizes *sizes,
                           swept_pool *p);
/* Lists from the state block, once contacts are counted; what a state written by others moves is
 * awake then. PERP_EINVAL: the block is damaged. */
perp_status perp_pool_sleep_recall(perp_simulation *sim, perp_info *info);
/* Before contacts are found: forces that have changed wake. */
perp_status perp_pool_sleep_begin(perp_simulation *sim, double t_next, double h, perp_info *info);
/* Wake what has to; 0: nothing. */
int perp_pool_sleep_rouse(perp_simulation *sim);
/* Of a step that failed. */
void perp_pool_sleep_undo(perp_simulation *sim);
/* The contact at the end of the places that is the one found; -1: none. */
int32_t perp_pool_sleep_place(const swept_pool *p, const perp_pool_contact *c);
/* Who sleeps, and the rings of islands, from the state. */
void perp_pool_sleep_read(perp_simulation *sim);
/* Contacts of what has woken leave the end of the places, to moved if that is not NULL, in their
 * order; how many. */
int32_t perp_pool_sleep_withdraw(perp_simulation *sim, kept_contact *moved);
/* struct pool_stage */
int perp_pool_sleep_told(perp_simulation *sim, const perp_pool_contact *c);
void perp_pool_sleep_wake(perp_simulation *sim, int32_t system);
void perp_pool_swept_forget(perp_simulation *sim, const state_values *given);

/* pool_swept_rest.c */
/* Once velocities are solved: islands of what is awake, each by its least system; and what moving
 * ground touches does not rest. Of the set, before a correction takes it. */
void perp_pool_sleep_join(perp_simulation *sim);
/* Before the commit: how long each has rested by the end of the step, and who falls asleep. */
perp_status perp_pool_sleep_settle(perp_simulation *sim, double t_next, perp_info *info);
/* In the commit of a step of length h: contacts of what woke leave the end of the places, before
 * others are written; and what falls asleep, once they are. */
void perp_pool_sleep_leave(perp_simulation *sim, double h);
void perp_pool_sleep_commit(perp_simulation *sim);

#endif
