/* SPDX-License-Identifier: MIT */
/* What comes to rest in a step and falls asleep (pool_swept_sleep.h). */
#include <string.h>

#include "stepping/pool_swept_sleep.h"

/* Contacts of what falls asleep go to the end. */
static void retire(perp_simulation *sim) {
  swept_pool *p = sim->pool->swept;
  swept_sleep *s = &p->sleep;
  kept_contact *moved = (kept_contact *)(void *)sim->pool->writer.found; /* kept by now */
  int32_t stay = 0, n = 0;
  for (int32_t i = 0; i < p->count; i++) {
    if (sleep_holds(s, &p->kept[i]))
      moved[n++] = p->kept[i];
    else
      p->kept[stay++] = p->kept[i];
  }
  memset(p->kept + stay, 0, (size_t)n * sizeof *p->kept);
  p->count = stay;
  const int32_t end = sim->pool->capacity;
  int32_t from = end - s->n_kept, to = from - n;
  for (int32_t i = 0; i < n;) {
    if (from < end && sleep_compare(&p->kept[from], &moved[i]) < 0) {
      p->kept[to++] = p->kept[from++];
      continue;
    }
    memset(moved[i].ydot, 0, sizeof moved[i].ydot);
    moved[i].stands |= KEPT_SLEEPS;
    p->kept[to++] = moved[i++];
  }
  s->n_kept += n;
}

/* ---- falling asleep ---- */

enum { STIRRED = -1 }; /* rested of what moving ground touches */

static int32_t root_of(int32_t *root, int32_t j) {
  for (; root[j] != j; j = root[j]) root[j] = root[root[j]];
  return j;
}

void perp_pool_sleep_join(perp_simulation *sim) {
  const swept_pool *p = sim->pool->swept;
  const perp_pool_writer *w = &sim->pool->writer;
  swept_sleep *s = sleep_of(sim);
  if (s->state == NULL) return;
  for (int32_t i = 0; i < s->n_awake; i++) {
    s->root[s->awake[i]] = s->awake[i];
    s->rested[s->awake[i]] = 0;
  }
  for (int32_t k = 0; k < p->set.n_contacts; k++) {
    const perp_pool_contact *c = &w->found[w->heap[p->set.order[k]]];
    const double *u = c->place.velocity;
    if (c->systems[1] < 0) {
      if (u[0] != 0 || u[1] != 0 || u[2] != 0) s->rested[c->systems[0]] = STIRRED;
      continue;
    }
    const int32_t a = root_of(s->root, c->systems[0]), b = root_of(s->root, c->systems[1]);
    s->root[a < b ? b : a] = a < b ? a : b;
  }
}

/* *quiet := whether the force on system j is the same at both ends of the step, and kept. */
static perp_status ask(perp_simulation *sim, int32_t j, double t_next, int *quiet,
                       perp_info *info) {
  size_t n;
  const size_t v0 = sleep_first(sim, j, &n);
  double *f = sleep_of(sim)->next_forces + v0, *begin = sim->step.increment;
  *quiet = 0;
  perp_status status =
      perp_pool_swept_force(sim, j, sim->state.head->t, sim->iterate.q, begin, info);
  if (status == PERP_OK) status = perp_pool_swept_force(sim, j, t_next, sim->iterate.q, f, info);
  if (status == PERP_OK) *quiet = memcmp(f, begin, n * sizeof *f) == 0;
  return status;
}

/* For how long a system that is awake has rested at the end of the step: 0 where interactions hold
 * it, which are evaluated in every step. */
static perp_status rest(perp_simulation *sim, int32_t j, double t_next, perp_info *info) {
  swept_sleep *s = sleep_of(sim);
  const double before = s->state[j].rested;
  const int stirred = s->rested[j] == STIRRED;
  double energy;
  s->rested[j] = 0;
  if (stirred || layout_is_off(sim, j) || layout_is_joined(sim, j)) return PERP_OK;
  perp_status status = perp_pool_swept_energy(sim, j, t_next, &energy, info);
  int quiet = status == PERP_OK && energy < sim->options.sleep_energy;
  if (quiet && s->forces != NULL && sleep_is_asked(sim->model->systems[j]))
    status = ask(sim, j, t_next, &quiet, info);
  if (quiet) s->rested[j] = (before > 0 ? before : 0) + s->h;
  return status;
}

perp_status perp_pool_sleep_settle(perp_simulation *sim, double t_next, perp_info *info) {
  swept_sleep *s = sleep_of(sim);
  const double enough = sim->options.sleep_time * (1 - 1e-12); /* a sum of steps is rounded */
  int ready = 0;
  s->n_falling = 0;
  if (s->state == NULL) return PERP_OK;
  for (int32_t i = 0; i < s->n_awake; i++) {
    const perp_status status = rest(sim, s->awake[i], t_next, info);
    if (status != PERP_OK) return status;
    ready |= s->rested[s->awake[i]] >= enough;
  }
  if (!ready) return PERP_OK;
  unsigned char *stirs = s->asleep; /* of roots, 0 before and after */
  for (int32_t i = 0; i < s->n_awake; i++)
    if (!(s->rested[s->awake[i]] >= enough)) stirs[root_of(s->root, s->awake[i])] = 1;
  for (int32_t i = 0; i < s->n_awake; i++) {
    const int32_t j = s->awake[i], root = root_of(s->root, j);
    if (stirs[root]) continue;
    s->rested[j] = -1.0 - root;
    s->n_falling++;
  }
  for (int32_t i = 0; i < s->n_awake; i++) stirs[s->awake[i]] = 0;
  return PERP_OK;
}

/* ---- commit ---- */

void perp_pool_sleep_leave(perp_simulation *sim, double h) {
  swept_sleep *s = sleep_of(sim);
  const double ratio = h / sim->state.head->h; /* impulses of other steps, forces stay */
  if (s->n_woken > 0) (void)perp_pool_sleep_withdraw(sim, NULL);
  for (int32_t i = 0; ratio != 1 && i < s->n_kept; i++)
    for (int32_t k = 0; k < 3; k++) sleep_kept(sim)[i].lambda[k] *= ratio;
}

static void fall(perp_simulation *sim, int32_t j) {
  swept_sleep *s = sleep_of(sim);
  size_t n;
  const size_t v0 = sleep_first(sim, j, &n);
  memset(sim->state.v + v0, 0, n * sizeof *sim->state.v);
  s->state[j].place = sleep_place(sim, j);
  s->asleep[j] = 1;
  if (s->forces != NULL && sleep_is_asked(sim->model->systems[j]))
    memcpy(s->forces + v0, s->next_forces + v0, n * sizeof *s->forces);
}

void perp_pool_sleep_commit(perp_simulation *sim) {
  swept_sleep *s = sleep_of(sim);
  if (s->state == NULL) return;
  s->n_woken = 0;
  for (int32_t i = 0; i < s->n_awake; i++) {
    const int32_t j = s->awake[i];
    s->state[j].rested = s->rested[j];
    if (s->rested[j] < 0) fall(sim, j);
  }
  if (s->n_falling == 0) return;
  retire(sim);
  perp_pool_sleep_read(sim);
}
