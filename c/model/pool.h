/* SPDX-License-Identifier: MIT */
/* A model's pool: its check, and the relation of one of its contacts. */
#ifndef PERP_MODEL_POOL_H
#define PERP_MODEL_POOL_H

#include "perp/experimental.h"
#include "perp/pool.h"

/* How a system takes part in contacts. */
enum { POOL_NONE = 0, POOL_BODY, POOL_SPACE, POOL_PLANE, POOL_POINT };

enum { POOL_MAX_ROWS = 5, POOL_MAX_N = 12, POOL_MAX_Q = 14 };

/* The relation of a contact: H and the gap at the positions q where it was found. A contact that is
 * not there has n = 0. */
typedef struct pool_relation {
  perp_relation relation;
  int32_t kind[2]; /* POOL_NONE: no such system */
  double gap;
  double rate[POOL_MAX_ROWS]; /* ẏ that is not H v: of the ground */
  double H[POOL_MAX_ROWS * POOL_MAX_N];
  double q[POOL_MAX_Q];
} pool_relation;

/* POOL_NONE if the system cannot be in a contact of the pool. */
int32_t perp_pool_kind(const perp_contact_pool *pool, const perp_system *system);
/* Rows of the largest law. */
int32_t perp_pool_rows(const perp_contact_pool *pool);
/* Contacts on one system. */
int32_t perp_pool_per_system(const perp_contact_pool *pool);

/* Normal, tangents (in the plane the second is e_z) of a contact. */
void perp_pool_frame(const perp_contact_pool *pool, const perp_pool_contact *contact,
                     double frame[9]);
/* The point where its reaction acts. */
void perp_pool_point(const perp_pool_contact *contact, double point[3]);

/* No contact. */
void perp_pool_relation_clear(pool_relation *relation);
/* A contact of m rows between systems of these kinds at positions q. */
void perp_pool_relation_set(pool_relation *relation, const perp_contact_pool *pool,
                            const perp_pool_contact *contact, int32_t m, const int32_t kind[2],
                            const double *const q[2]);

/* The pool of a model that has one and is checked but for it; rows: those of its interactions. */
perp_status perp_pool_check(const perp_model *model, int64_t rows, perp_info *info);

#endif
