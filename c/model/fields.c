/* SPDX-License-Identifier: MIT */
#include "model/fields.h"

#include "base/options.h"

static size_t length(const char *description, uint16_t offset) {
  int32_t n;
  if ((offset & PERP_FIXED(0)) != 0) return offset & 0x7fffu;
  memcpy(&n, description + offset, sizeof n);
  return n > 0 ? (size_t)n : 0;
}

static void go_through(const void *description, const perp_field *table, field_visitor *to) {
  const char *base = description;
  for (const perp_field *f = table; f != NULL && f->holds != PERP_HOLDS_END; f++) {
    const void *at = base + f->offset;
    const int sized = f->holds != PERP_HOLDS_INTEGER && f->holds != PERP_HOLDS_MATRIX &&
                      f->holds != PERP_HOLDS_RELATION && f->holds != PERP_HOLDS_USER;
    to->visit(to, f->holds, sized ? length(base, f->rows) * length(base, f->columns) : 1, at);
    if (f->holds != PERP_HOLDS_RELATION) continue;
    const perp_relation *other = field_pointer(at); /* to may have put another one there */
    if (other != NULL) perp_fields_of_relation(other, to);
  }
}

void perp_fields_of_system(const perp_system *system, field_visitor *to) {
  if (system->ops->fields != NULL) go_through(system, system->ops->fields(system), to);
}

void perp_fields_of_relation(const perp_relation *relation, field_visitor *to) {
  if (relation->ops->fields != NULL) go_through(relation, relation->ops->fields(relation), to);
}

void perp_fields_of_law(const perp_law *law, field_visitor *to) {
  const perp_law_ops *ops = law->ops;
  if (ops->struct_size >= PERP_THROUGH(perp_law_ops, fields) && ops->fields != NULL)
    go_through(law, ops->fields(law), to);
}
