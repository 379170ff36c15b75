/* SPDX-License-Identifier: MIT */
/* The pool of a simulation. Each of its places is an interaction run of one unit with rows, units
 * and law state of its own that do not move; what stands there, its law, systems and H, changes
 * from step to step. Contacts stand in the first places, by rank; runs, units and rows of the
 * simulation end with the last contact's, so that a step costs by contacts and not by capacity.
 * What stands where is in the state block. */
#ifndef PERP_STEPPING_POOL_PLACES_H
#define PERP_STEPPING_POOL_PLACES_H

#include "model/pool.h"
#include "stepping/layout.h"

struct perp_pool_writer {
  const perp_simulation *sim;
  perp_simulation *of;      /* the same, for what the pool keeps of systems that sleep */
  perp_pool_contact *found; /* capacity */
  int32_t *number;          /* capacity: of what is found, by order of addition */
  int32_t *heap;            /* capacity: numbers in found, the shallowest first; used when full */
  int32_t count, capacity;
  uint32_t dropped;
  perp_status status; /* first refusal, and what was refused */
  const char *field;
  double value;
  int32_t index; /* of the contact, by order of addition */
  int32_t systems[2];
  int32_t added;
};

typedef struct pool_memory {
  const struct pool_stage *stage;
  const perp_contact_pool *pool;
  perp_pool_contact *places;        /* state block; reserved is the rank of a contact, > 0 */
  int32_t capacity, rows;           /* rows: of one place */
  int32_t count;                    /* of contacts, not those of a swept pool */
  int32_t run0, unit0;              /* first run, first unit */
  size_t row0, state0, state_bytes; /* first row; law states: first, of one place */
  pool_relation *relations;
  double *compliance; /* rows x rows each; NULL: no law has any */
  perp_pool_writer writer;
  int32_t *order;                 /* capacity: scratch; of found, which are new; of a swept pool
                                     the place of each in the sweeps, or -1 */
  int32_t *standing;              /* capacity: places likewise                  */
  int32_t *target;                /* capacity: which of found a place gets, or -1 */
  int32_t *from, *rank;           /* capacity: where that stood, or -1; its rank */
  int32_t *on_system;             /* n_systems: contacts so far; NULL: no bound   */
  int32_t old_count, old_n_acted; /* the state before this step, and what acted   */
  int32_t *old_acted;             /* all units */
  perp_pool_contact *old_places;
  double *old_lambda, *old_y, *old_ydot; /* rows of all places */
  unsigned char *old_modes, *old_law_states;
  int32_t backup_count;     /* of contacts in state.backup */
  struct swept_pool *swept; /* pool_swept.h: places are no runs, and what is old is not kept */
} pool_memory;

/* Work on blocks of so many, which may be at once. */
enum { POOL_BLOCK = 256 };
static inline int32_t pool_blocks(int32_t n) { return n / POOL_BLOCK + (n % POOL_BLOCK != 0); }
static inline void pool_each(const perp_simulation *sim, int32_t n, perp_parallel_body work,
                             void *ctx) {
  const int32_t blocks = pool_blocks(n);
  if (blocks > 1 && sim->options.parallel != NULL)
    sim->options.parallel(blocks, work, ctx, sim->options.parallel_user);
  else
    work(0, blocks, 0, ctx);
}

/* Of n, the first behind some blocks. */
static inline int32_t pool_end(int32_t n, int32_t blocks) {
  return blocks <= n / POOL_BLOCK ? blocks * POOL_BLOCK : n;
}

/* pool_find.c: let the callback find contacts, at most capacity, and sort them by their keys. */
perp_status perp_pool_find(perp_simulation *sim, perp_info *info);
/* Refuse one of those found, for its gap at the beginning. */
perp_status perp_pool_overlaps(const perp_simulation *sim, int32_t found, perp_info *info);
/* Order of contacts by systems and identity: < 0, 0, > 0. */
int perp_pool_compare(const perp_pool_contact *a, const perp_pool_contact *b);
/* Sort numbers of contacts by their keys. */
void perp_pool_sort(const perp_pool_contact *contacts, int32_t n, int32_t *numbers);

/* pool_backup.c */
/* The places from first to end, and all that is theirs in the state block, := 0. */
void perp_pool_clear(perp_simulation *sim, int32_t first, int32_t end);
/* What pool_stage tells. */
void perp_pool_backup(perp_simulation *sim, int back);

#endif
