/* SPDX-License-Identifier: MIT */
/* Going through what the tables of ::perp_field say that descriptions hold. */
#ifndef PERP_MODEL_FIELDS_H
#define PERP_MODEL_FIELDS_H

#include <string.h>

#include "perp/experimental.h"

/* Who goes through. at: the place of the field, whatever it holds, in its struct; count: of
 * numbers, triples, indices. Pointers that are NULL are shown, too. */
typedef struct field_visitor {
  void (*visit)(struct field_visitor *self, int32_t holds, size_t count, const void *at);
} field_visitor;

/* Show all fields of a description, one of another relation and then those of that. */
void perp_fields_of_system(const perp_system *system, field_visitor *to);
void perp_fields_of_relation(const perp_relation *relation, field_visitor *to);
void perp_fields_of_law(const perp_law *law, field_visitor *to);

/* The pointer at a place. */
static inline void *field_pointer(const void *at) {
  void *p;
  memcpy(&p, at, sizeof p);
  return p;
}

#endif
