/* SPDX-License-Identifier: MIT */
#include "model/callback.h"

#include <string.h>

#include "base/finite.h"
#include "model/head.h"

int32_t perp_callback_next(const callback_site *at, int32_t k, perp_jacobian *out) {
  if (at->system != NULL)
    return at->system->ops->jacobian != NULL && at->system->ops->jacobian(at->system, k, out);
  return at->relation->ops->jacobian != NULL && at->relation->ops->jacobian(at->relation, k, out);
}

int32_t perp_callback_call(const perp_jacobian *listed, perp_callback_fn f, const callback_site *at,
                           double *out) {
  const int state = at->relation != NULL && at->relation->ops->order == 1;
  const double *a = state ? at->v : at->q;
  const double *b = at->relation == NULL || listed->velocity != 0 ? at->v : at->lambda;
  if (listed->by == PERP_BY_CLOCK) return time_of_callback(f)(at->t, out, listed->user);
  return f(at->t, a, b, listed->z, out, listed->user);
}

int32_t perp_callback_blame(const callback_site *at, double *room, size_t doubles,
                            const char **name, double *value) {
  perp_jacobian listed;
  for (int pass = 0; pass < 2; pass++)
    for (int32_t k = 0; perp_callback_next(at, k, &listed); k++) {
      const size_t entries = (size_t)listed.rows * (size_t)listed.columns;
      const perp_callback_fn f = pass == 0 ? listed.f : listed.J;
      if ((listed.by >= PERP_BY_NONE) != (pass == 0) || entries > doubles) continue;
      memset(room, 0, entries * sizeof *room);
      if (perp_callback_call(&listed, f, at, room) != 0) continue;
      const size_t bad = first_not_finite(entries, room);
      if (bad == entries) continue;
      *name = listed.name;
      *value = room[bad];
      return 1;
    }
  return 0;
}
