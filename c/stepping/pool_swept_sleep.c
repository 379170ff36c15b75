/* SPDX-License-Identifier: MIT */
/* Who sleeps: lists, contacts at the end of the places, waking, and what a state block says of it
 * (pool_swept_sleep.h). */
#include <math.h>
#include <string.h>

#include "base/info.h"
#include "model/rotation.h"
#include "stepping/layout_parts.h"
#include "stepping/pool_swept_sleep.h"
#include "stepping/stages.h"

static int any_asked(const perp_model *model) {
  for (int32_t i = 0; i < model->n_systems; i++)
    if ((i == 0 || model->systems[i] != model->systems[i - 1]) && sleep_is_asked(model->systems[i]))
      return 1;
  return 0;
}

static size_t velocities(const perp_model *model) {
  size_t n = 0;
  for (int32_t i = 0; i < model->n_systems; i++) n += (size_t)model->systems[i]->n;
  return n;
}

/* ---- memory ---- */

size_t perp_pool_sleep_bytes(const perp_model *model) {
  return (size_t)model->n_systems * sizeof(sleep_state) +
         (any_asked(model) ? velocities(model) * sizeof(double) : 0);
}

void perp_pool_sleep_carve(arena *a, const perp_model *model, const layout_sizes *sizes,
                           swept_pool *p) {
  const size_t n = (size_t)model->n_systems;
  swept_sleep *s = &p->sleep;
  memset(s, 0, sizeof *s);
  s->n_awake = model->n_systems;
  if (!sizes->sleeps) return;
  s->awake = arena_take(a, n, sizeof *s->awake);
  s->asked = arena_take(a, n, sizeof *s->asked);
  s->asleep = arena_take(a, n, sizeof *s->asleep);
  s->next = arena_take(a, n, sizeof *s->next);
  s->list = arena_take(a, n, sizeof *s->list);
  s->root = arena_take(a, n, sizeof *s->root);
  s->rested = layout_doubles(a, n);
  if (any_asked(model)) s->next_forces = layout_doubles(a, velocities(model));
}

/* ---- lists ---- */

/* Lists, counts and the room for contacts, from who sleeps. */
static void list(perp_simulation *sim) {
  swept_sleep *s = sleep_of(sim);
  int32_t held = s->n_kept;
  s->n_awake = s->n_asked = 0;
  for (int32_t j = 0; j < sim->n_systems; j++) {
    if (s->asleep[j] == 0)
      s->awake[s->n_awake++] = j;
    else if (s->forces != NULL && sleep_is_asked(sim->model->systems[j]))
      s->asked[s->n_asked++] = j;
  }
  for (int32_t i = 0; s->n_woken > 0 && i < s->n_kept; i++)
    held -= !sleep_holds(s, sleep_kept(sim) + i);
  sim->pool->writer.capacity = sim->pool->capacity - held;
  sim->counts.report.asleep = sim->n_systems - s->n_awake;
}

/* Who sleeps, and the rings of islands, from the state; the root of an island is its first. */
void perp_pool_sleep_read(perp_simulation *sim) {
  swept_sleep *s = sleep_of(sim);
  s->n_list = s->n_woken = 0;
  for (int32_t j = 0; j < sim->n_systems; j++) {
    s->asleep[j] = s->state[j].rested < 0;
    if (!s->asleep[j]) continue;
    const int32_t root = (int32_t)(-1 - s->state[j].rested);
    if (root != j) s->next[s->list[root]] = j;
    s->next[j] = root;
    s->list[root] = j; /* the last so far */
  }
  list(sim);
}

/* ---- contacts ---- */

int32_t perp_pool_sleep_place(const swept_pool *p, const perp_pool_contact *c) {
  const int32_t end = p->sleep.room;
  const int32_t at = perp_pool_swept_search(p, end - p->sleep.n_kept, end, c);
  return at < end && perp_pool_swept_compare(&p->kept[at], c) == 0 ? at : -1;
}

/* Contacts of what has woken leave the end; they come to moved, in their order. How many. */
int32_t perp_pool_sleep_withdraw(perp_simulation *sim, kept_contact *moved) {
  swept_pool *p = sim->pool->swept;
  swept_sleep *s = &p->sleep;
  const int32_t end = sim->pool->capacity;
  int32_t to = end, n = 0;
  for (int32_t i = end; i-- > end - s->n_kept;) {
    if (sleep_holds(s, &p->kept[i]))
      p->kept[--to] = p->kept[i];
    else if (moved != NULL)
      moved[n++] = p->kept[i];
  }
  memset(p->kept + (end - s->n_kept), 0, (size_t)(to - (end - s->n_kept)) * sizeof *p->kept);
  s->n_kept = end - to;
  for (int32_t i = 0; i < n / 2; i++) {
    const kept_contact last = moved[n - 1 - i];
    moved[n - 1 - i] = moved[i];
    moved[i] = last;
  }
  return n;
}

/* What has woken between two steps begins to rest anew, its contacts among the others. */
static void release(perp_simulation *sim) {
  swept_pool *p = sim->pool->swept;
  swept_sleep *s = &p->sleep;
  kept_contact *moved = (kept_contact *)(void *)sim->pool->writer.found; /* of no step */
  const int32_t n = perp_pool_sleep_withdraw(sim, moved);
  int32_t from = p->count, to = p->count + n;
  for (int32_t i = n; i > 0;) {
    if (from > 0 && sleep_compare(&p->kept[from - 1], &moved[i - 1]) > 0) {
      p->kept[--to] = p->kept[--from];
    } else {
      p->kept[--to] = moved[--i];
      p->kept[to].stands &= ~KEPT_SLEEPS;
    }
  }
  p->count += n;
  for (int32_t i = 0; i < s->n_awake; i++)
    if (s->state[s->awake[i]].rested < 0) s->state[s->awake[i]].rested = 0;
  s->n_woken = 0;
}

/* ---- waking ---- */

static void mark(swept_sleep *s, int32_t j) {
  if (j < 0 || s->asleep[j] != 1) return;
  s->asleep[j] = 2;
  s->list[s->n_list++] = j;
}

int perp_pool_sleep_rouse(perp_simulation *sim) {
  swept_sleep *s = sleep_of(sim);
  if (s->n_list == 0) return 0;
  for (int32_t i = 0; i < s->n_list; i++)
    for (int32_t j = s->list[i]; s->asleep[j] != 0; j = s->next[j]) {
      s->asleep[j] = 0;
      s->n_woken++;
    }
  s->n_list = 0;
  list(sim);
  return 1;
}

perp_status perp_pool_sleep_begin(perp_simulation *sim, double t_next, double h, perp_info *info) {
  swept_sleep *s = sleep_of(sim);
  s->h = h;
  s->n_woken = s->n_list = 0;
  for (int32_t i = 0; i < s->n_asked; i++) {
    size_t n;
    const int32_t j = s->asked[i];
    const size_t v0 = sleep_first(sim, j, &n);
    double *f = s->next_forces + v0;
    const perp_status status = perp_pool_swept_force(sim, j, t_next, sim->state.q, f, info);
    if (status != PERP_OK) return status;
    if (memcmp(f, s->forces + v0, n * sizeof *f) != 0) mark(s, j);
  }
  (void)perp_pool_sleep_rouse(sim);
  return PERP_OK;
}

/* Whether a contact acts in this step, as the velocities are. */
static int acts(const perp_simulation *sim, const perp_pool_contact *c) {
  double point[3], u[3];
  perp_pool_point(c, point);
  perp_pool_swept_approach(sim, c, point, u);
  return c->place.gap + sim->options.gamma * sleep_of(sim)->h * dot3(c->place.normal, u) <=
         sim->options.gap_tol;
}

/* Whether a contact between systems that sleep is another one by now. */
static int has_changed(const perp_simulation *sim, const perp_pool_contact *c,
                       const kept_contact *kept) {
  const double moved = sleep_of(sim)->h * sqrt(2 * sim->options.sleep_energy);
  if (kept->law != c->law) return 1;
  for (int32_t i = 0; c->systems[1] < 0 && i < 3; i++)
    if (c->place.velocity[i] != 0) return 1;
  return !(fabs(c->place.gap - kept->gap) <= sim->options.gap_tol + moved);
}

int perp_pool_sleep_told(perp_simulation *sim, const perp_pool_contact *c) {
  swept_pool *p = sim->pool->swept;
  swept_sleep *s = &p->sleep;
  if (s->n_awake == sim->n_systems) return -1;
  const int first = s->asleep[c->systems[0]] != 0;
  const int second = c->systems[1] < 0 ? first : s->asleep[c->systems[1]] != 0;
  if (!first && !second) return -1;
  const int32_t at = first && second ? perp_pool_sleep_place(p, c) : -1;
  if (at >= 0 ? has_changed(sim, c, &p->kept[at]) : acts(sim, c)) {
    mark(s, c->systems[0]);
    mark(s, c->systems[1]);
  }
  return first && second ? at >= 0 : -1;
}

void perp_pool_sleep_undo(perp_simulation *sim) {
  const swept_sleep *s = sleep_of(sim);
  if (s->n_woken > 0 || s->n_list > 0) perp_pool_sleep_read(sim);
}

void perp_pool_sleep_wake(perp_simulation *sim, int32_t system) {
  swept_sleep *s = sleep_of(sim);
  if (s->state == NULL) return;
  if (s->asleep[system] == 0) s->state[system].rested = 0;
  mark(s, system);
  if (perp_pool_sleep_rouse(sim)) release(sim);
}

/* ---- a state is set ---- */

/* Whether it changes system j; all are of order 2. */
static int is_changed(const perp_simulation *sim, const state_values *g, int32_t j) {
  if (j < g->first || j - g->first >= g->count) return 0;
  const swept_member at = swept_member_of(sim, j), first = swept_member_of(sim, g->first);
  const size_t n = (size_t)at.run->n, n_q = (size_t)at.run->n_q;
  return (g->q != NULL &&
          memcmp(g->q + (at.q - first.q), sim->state.q + at.q, n_q * sizeof *sim->state.q) != 0) ||
         (g->v != NULL &&
          memcmp(g->v + (at.v - first.v), sim->state.v + at.v, n * sizeof *sim->state.v) != 0);
}

void perp_pool_swept_forget(perp_simulation *sim, const state_values *given) {
  swept_pool *p = sim->pool->swept;
  swept_sleep *s = &p->sleep;
  for (int32_t j = given->first; s->state != NULL && j < given->first + given->count; j++) {
    if (!is_changed(sim, given, j)) continue;
    if (s->asleep[j] == 0) s->state[j].rested = 0;
    mark(s, j);
  }
  if (s->state != NULL && perp_pool_sleep_rouse(sim)) release(sim);
  for (int32_t j = given->first; s->state != NULL && j < given->first + given->count; j++)
    if (is_changed(sim, given, j)) s->state[j].place = 0; /* as if it had never slept */
  int32_t n = 0;
  for (int32_t i = 0; i < p->count; i++)
    if (!is_changed(sim, given, p->kept[i].systems[0]) &&
        !is_changed(sim, given, p->kept[i].systems[1]))
      p->kept[n++] = p->kept[i];
  memset(p->kept + n, 0, (size_t)(p->count - n) * sizeof *p->kept);
  p->count = n;
}

/* ---- the state block ---- */

/* Whether what the block says of system j may be believed. */
static int is_sound(const perp_simulation *sim, int32_t j) {
  const swept_sleep *s = sleep_of(sim);
  const double rested = s->state[j].rested;
  if (!is_finite(rested)) return 0;
  if (rested >= 0) return 1;
  if (!(rested <= -1 && -1 - rested <= j)) return 0;
  const int32_t root = (int32_t)(-1 - rested);
  return -1.0 - root == rested && s->state[root].rested == rested;
}

/* Whether a system that sleeps was moved since, or pushed, or switched off. */
static int is_moved(const perp_simulation *sim, int32_t j) {
  size_t n;
  const double *v = sim->state.v + sleep_first(sim, j, &n);
  for (size_t i = 0; i < n; i++)
    if (v[i] != 0) return 1;
  return layout_is_off(sim, j) || sleep_of(sim)->state[j].place != sleep_place(sim, j);
}

perp_status perp_pool_sleep_recall(perp_simulation *sim, perp_info *info) {
  swept_pool *p = sim->pool->swept;
  swept_sleep *s = &p->sleep;
  const int32_t end = sim->pool->capacity;
  if (s->awake != NULL) {
    s->state = (sleep_state *)(void *)(p->kept + end);
    if (s->next_forces != NULL) s->forces = (double *)(void *)(s->state + sim->n_systems);
  }
  s->room = end;
  for (int32_t j = 0; s->state != NULL && j < sim->n_systems; j++)
    if (!is_sound(sim, j)) return fail_system(info, PERP_EINVAL, "state.pool", j, 0);
  if (s->state != NULL) perp_pool_sleep_read(sim);
  for (int32_t i = end - s->n_kept; i < end; i++)
    if (s->state == NULL || !sleep_holds(s, &p->kept[i]))
      return fail_of(info, PERP_OF_PLACE, PERP_EINVAL, "state.pool", i, 0);
  for (int32_t j = 0; s->state != NULL && j < sim->n_systems; j++)
    if (s->asleep[j] != 0 && (is_moved(sim, j) || layout_is_joined(sim, j)))
      perp_pool_sleep_wake(sim, j);
  return PERP_OK;
}

/* ---- from outside ---- */

int32_t perp_simulation_is_asleep(const perp_simulation *sim, int32_t system) {
  if (sim == NULL || system < 0 || system >= sim->n_systems) return 0;
  const swept_pool *p = sim->pool != NULL ? sim->pool->swept : NULL;
  return p != NULL && p->sleep.state != NULL && p->sleep.asleep[system] != 0;
}

int32_t perp_simulation_awake(const perp_simulation *sim) {
  if (sim == NULL) return 0;
  const swept_pool *p = sim->pool != NULL ? sim->pool->swept : NULL;
  return (p != NULL ? p->sleep.n_awake : sim->n_systems) - sim->state.n_off;
}

perp_status perp_simulation_wake(perp_simulation *sim, int32_t system) {
  if (sim == NULL || system < 0 || system >= sim->n_systems || sim->stepping) return PERP_EINVAL;
  if (sim->pool != NULL && sim->pool->stage->wake != NULL) sim->pool->stage->wake(sim, system);
  return PERP_OK;
}
