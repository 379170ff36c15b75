/* SPDX-License-Identifier: MIT */
/* Heads of descriptions: how they are set (everything else becomes 0) and read. */
#ifndef PERP_MODEL_HEAD_H
#define PERP_MODEL_HEAD_H

#include <string.h>

#include "base/field_table.h"
#include "perp/experimental.h"

/* system is the caller's struct of the kind with these ops, size what the caller takes it for. */
static inline perp_status system_init(void *system, size_t size, int32_t n,
                                      const perp_system_ops *ops) {
  if (system == NULL || size != ops->bytes || n < 1) return PERP_EINVAL;
  memset(system, 0, size);
  perp_system *head = (perp_system *)system;
  head->ops = ops;
  head->struct_size = (uint32_t)size;
  head->n = n;
  return PERP_OK;
}

/* Whether a system is evaluated in every Newton iteration; otherwise its terms are compiled. */
static inline int system_is_varying(const perp_system *system) {
  const perp_system_ops *ops = system->ops;
  return ops->terms == NULL || (ops->varying != NULL && ops->varying(system) != 0);
}

/* How the iteration matrix of terms is stored: dense if some operator is, else in compressed rows
 * if some operator is, else as its diagonal. */
static inline int32_t terms_storage(const perp_system_terms *t) {
  const int32_t kinds[] = {t->M.kind, t->A.kind, t->C.kind, t->K.kind};
  int32_t storage = PERP_DIAGONAL;
  for (int i = 0; i < 4; i++) {
    if (kinds[i] == PERP_DENSE) return PERP_DENSE;
    if (kinds[i] == PERP_BLOCKS) storage = PERP_BLOCKS;
  }
  return storage;
}

/* A function of time among other callbacks, see PERP_BY_CLOCK, and back. */
typedef void (*any_fn)(void);
static inline perp_callback_fn callback_of_time(perp_time_fn f) {
  return (perp_callback_fn)(any_fn)f;
}
static inline perp_time_fn time_of_callback(perp_callback_fn f) { return (perp_time_fn)(any_fn)f; }

/* Number k of those of all that the user gave. */
static inline int32_t jacobian_pick(const perp_jacobian *all, int32_t count, int32_t k,
                                    perp_jacobian *out) {
  for (int32_t i = 0; i < count; i++)
    if (all[i].f != NULL && (all[i].J != NULL || all[i].by >= PERP_BY_NONE) && k-- == 0) {
      *out = all[i];
      return 1;
    }
  return 0;
}

static inline perp_status relation_init(void *relation, size_t size, int32_t m, int32_t n,
                                        const perp_relation_ops *ops) {
  if (relation == NULL || size != ops->bytes || m < 1 || n < 1) return PERP_EINVAL;
  memset(relation, 0, size);
  perp_relation *head = (perp_relation *)relation;
  head->ops = ops;
  head->struct_size = (uint32_t)size;
  head->m = m;
  head->n = n;
  return PERP_OK;
}

#endif
