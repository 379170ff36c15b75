/* SPDX-License-Identifier: MIT */
/* The contacts that acted in the last step: those whose λ or mode in the state is set. With the
 * frame (n, t1, t2) of a contact its impulse on the first system is n λ_1 + t1 λ_2 + t2 λ_3. */
#include "stepping/contact_list.h"

#include <string.h>

#include "base/options.h"
#include "model/rotation.h"
#include "stepping/pool_swept.h"

/* Frame and point of a contact of the pool. */
static void locate_pooled(const perp_simulation *sim, const interaction_run *run,
                          perp_contact_view *view) {
  const perp_contact_pool *pool = sim->model->pool;
  const perp_pool_contact *place =
      &sim->pool->places[run - sim->runs.interactions - sim->pool->run0];
  view->interaction = -1;
  view->systems[1] = place->systems[1];
  view->law = place->law;
  memcpy(view->identity, place->identity, sizeof view->identity);
  perp_pool_frame(pool, place, view->frame);
  perp_pool_point(place, view->point);
  view->located = 1;
}

/* Frame and point of an interaction whose relation can tell. */
static void locate(const perp_simulation *sim, const interaction_run *run, size_t k,
                   perp_contact_view *view) {
  const perp_relation_ops *ops = run->relation->ops;
  double q[POOL_MAX_Q];
  size_t n = 0;
  if (ops->struct_size < sizeof *ops || ops->locate == NULL || run->n_q > POOL_MAX_Q) return;
  for (int32_t s = 0; s < run->n_slots; s++) {
    const slot *at = &run->slots[s];
    const size_t n_q = (size_t)at->run->n_q;
    memcpy(q + n, sim->state.q + at->q0 + k * at->step_q, n_q * sizeof *q);
    n += n_q;
  }
  view->located =
      ops->locate(run->relation, sim->state.head->t, q, view->copy, view->frame, view->point) == 0;
}

/* Impulse and couple in the fixed frame. Rows beyond the tangents turn: about both tangents, in the
 * plane about e_z. */
static void resolve(const perp_simulation *sim, perp_contact_view *view) {
  const int plane = view->interaction < 0 && sim->model->pool->plane;
  const int32_t pushes = plane ? 2 : 3;
  for (int32_t r = 0; r < view->rows && r < 5; r++) {
    const double *direction = &view->frame[3 * (size_t)(r < pushes ? r
                                                        : plane    ? 2
                                                                   : r - pushes + 1)];
    double *to = r < pushes ? view->impulse : view->couple;
    for (int32_t i = 0; i < 3; i++) to[i] += direction[i] * view->lambda[r];
  }
  for (int32_t i = 0; i < 3; i++) view->force[i] = view->impulse[i] / sim->state.head->h;
}

static void look(const perp_simulation *sim, const interaction_run *run, int32_t unit,
                 perp_contact_view *view) {
  const int32_t within = unit - run->unit0;
  const size_t k = (size_t)(within / run->copies);
  memset(view, 0, sizeof *view);
  view->copy = within % run->copies;
  view->interaction = run->first + (int32_t)k;
  view->law = -1;
  view->rows = run->size;
  for (int32_t s = 0; s < 2; s++)
    view->systems[s] =
        s < run->n_slots ? run->slots[s].system0 + run->slots[s].stride * (int32_t)k : -1;
  const size_t row = layout_unit_row(run, (int32_t)k, view->copy);
  view->gap = sim->state.y[row];
  view->ydot = sim->state.ydot + row;
  view->lambda = sim->state.lambda + row;
  if (view->interaction >= sim->n_interactions)
    locate_pooled(sim, run, view);
  else
    locate(sim, run, k, view);
  if (view->located) resolve(sim, view);
}

/* A contact that is swept. */
static void look_swept(const perp_simulation *sim, const kept_contact *at,
                       perp_contact_view *view) {
  memset(view, 0, sizeof *view);
  view->interaction = -1;
  view->law = at->law;
  view->rows = sim->model->pool->laws[at->law]->size;
  view->gap = at->gap;
  view->ydot = at->ydot;
  view->lambda = at->lambda;
  memcpy(view->systems, at->systems, sizeof view->systems);
  memcpy(view->identity, at->identity, sizeof view->identity);
  memcpy(view->frame, at->normal, sizeof at->normal);
  memcpy(view->frame + 3, at->tangent, sizeof at->tangent);
  cross3(at->normal, at->tangent, view->frame + 6);
  memcpy(view->point, at->point, sizeof view->point);
  view->located = 1;
  resolve(sim, view);
}

/* The i-th contact that stands; those that sleep are the last of the places. */
static const kept_contact *look_up(const perp_simulation *sim, const swept_pool *swept, int32_t i) {
  const int32_t gap = sim->pool->capacity - swept->count - swept->sleep.n_kept;
  return &swept->kept[i < swept->count ? i : i + gap];
}

int32_t perp_contacts_each(const perp_simulation *sim, int32_t most,
                           void (*see)(const perp_contact_view *view, void *user), void *user) {
  perp_contact_view view;
  int32_t count = 0;
  for (int32_t u = 0; u < sim->active.n_acted; u++) {
    const interaction_run *run = perp_layout_run_of(sim, sim->active.acted[u], 1);
    if (run->order != 2 || run->law->ops->unilateral == 0) continue;
    if (count++ >= most) continue;
    look(sim, run, sim->active.acted[u], &view);
    see(&view, user);
  }
  const swept_pool *swept = sim->pool != NULL ? sim->pool->swept : NULL;
  const int32_t standing = swept != NULL ? swept->count + swept->sleep.n_kept : 0;
  for (int32_t i = 0; i < standing; i++) {
    const kept_contact *at = look_up(sim, swept, i);
    if ((at->stands & KEPT_ACTED) == 0 || count++ >= most) continue;
    look_swept(sim, at, &view);
    see(&view, user);
  }
  return count;
}

enum { MOST_BYTES = 4096 }; /* of an entry; beyond it the caller's size is none, as in options.c */

/* A caller's list: as much of each view as he knows, 0 where only he does. */
typedef struct handing {
  unsigned char *entry;
  size_t bytes;
} handing;

static void hand_out(const perp_contact_view *view, void *user) {
  handing *to = user;
  const size_t shared = to->bytes < sizeof *view ? to->bytes : sizeof *view;
  memcpy(to->entry, view, shared);
  memset(to->entry + shared, 0, to->bytes - shared);
  to->entry += to->bytes;
}

perp_status perp_simulation_contacts(const perp_simulation *sim, perp_contact_view *list,
                                     size_t entry_bytes, int32_t capacity, int32_t *count) {
  if (count == NULL) return PERP_EINVAL;
  *count = 0;
  if (sim == NULL || capacity < 0 || (list == NULL && capacity > 0)) return PERP_EINVAL;
  if (entry_bytes < PERP_THROUGH(perp_contact_view, couple) || entry_bytes > MOST_BYTES ||
      entry_bytes % sizeof(void *) != 0)
    return PERP_EINVAL;
  handing to = {(unsigned char *)list, entry_bytes};
  *count = perp_contacts_each(sim, capacity, hand_out, &to);
  return PERP_OK;
}
