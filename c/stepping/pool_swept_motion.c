/* SPDX-License-Identifier: MIT */
/* Systems of a swept pool, one after the other through one window: what a live run keeps of each of
 * its members (live.h) is made, read, and forgotten. */
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "linalg/dense.h"
#include "model/body.h"
#include "model/check.h"
#include "model/rotation.h"
#include "stepping/layout_parts.h"
#include "stepping/pool_joined.h"
#include "stepping/pool_swept.h"

enum { MOST = 6 }; /* degrees of freedom of a system that can be in a contact */

static swept_pool *pool_of(const perp_simulation *sim) { return sim->pool->swept; }

static int32_t kind_of(const perp_simulation *sim, const system_run *run) {
  return perp_pool_kind(sim->model->pool, run->system);
}

/* ---- memory ---- */

/* Whether W of a system is m in its translations and has no part between these and its turns,
 * whatever a step does. */
static int is_plain(const perp_model *model, int32_t i) {
  const perp_system *s = model->systems[i];
  perp_system_terms t;
  if (perp_body_is_free(s)) return 1;
  if (perp_pool_kind(model->pool, s) == POOL_NONE) return 1; /* no contact asks */
  if (s->ops->terms == NULL) return 0;
  s->ops->terms(s, &t);
  if (t.C.kind != PERP_ZERO || t.K.kind != PERP_ZERO || t.A.kind != PERP_ZERO) return 0;
  if (t.M.kind == PERP_ZERO) return 1;
  const int32_t translations = model->pool->plane && s->n == 3 ? 2 : s->n;
  for (int32_t k = 1; t.M.kind == PERP_DIAGONAL && k < translations; k++)
    if (t.M.values[k] != t.M.values[0]) return 0;
  return t.M.kind == PERP_DIAGONAL;
}

static void carve_window(arena *a, size_t n, swept_pool *p) {
  system_run *w = &p->window;
  live_system *at = &w->at;
  memset(w, 0, sizeof *w);
  w->W = layout_doubles(a, n * n);
  w->pivots = arena_take(a, n, sizeof *w->pivots);
  at->mass = layout_doubles(a, n * n);
  at->f_begin = layout_doubles(a, n);
  at->f_end = layout_doubles(a, n);
  at->defect = layout_doubles(a, n);
  at->unfactored = layout_doubles(a, n * n);
  at->factored = layout_doubles(a, n * n);
  at->factor_band = arena_take(a, 1, sizeof *at->factor_band);
  at->dv = layout_doubles(a, 2 * n * n);
  p->size = layout_doubles(a, n);
  p->large = n > LIVE_SMALL;
  p->inverse = layout_doubles(a, MOST * MOST);
  p->inverted = layout_doubles(a, MOST * MOST);
}

void perp_pool_swept_carve_motion(arena *a, const perp_model *model, const layout_sizes *sizes,
                                  perp_simulation *sim, swept_pool *p) {
  size_t wide = 0;
  int32_t *wide_of = NULL;
  for (int32_t i = 0; i < model->n_systems; i++) wide += !is_plain(model, i);
  if (wide > 0) wide_of = arena_take(a, (size_t)model->n_systems, sizeof *wide_of);
  p->set.wide = layout_doubles(a, wide * MOST * MOST);
  p->set.wide_of = wide_of;
  sim->iterate.q = layout_doubles(a, sizes->n_q + 1);
  sim->iterate.v = layout_doubles(a, sizes->n_v);
  sim->iterate.gather_q = layout_doubles(a, sizes->joined_q);
  sim->iterate.scratch_doubles = sizes->scratch + (size_t)sizes->largest_n + sizes->joined_v + 1;
  sim->iterate.scratch = layout_doubles(a, sim->iterate.scratch_doubles);
  carve_window(a, (size_t)sizes->largest_n, p);
}

/* ---- the window ---- */

static perp_status set_mass(perp_simulation *sim, system_run *w, perp_info *info) {
  const perp_status status =
      perp_live_system_mass(sim, w, sim->state.head->t, sim->state.q + w->q0, info);
  w->at.mass_band = w->at.constant_mass ? perp_dense_band(w->n, w->at.mass) : w->n;
  return status;
}

/* Look at member s of a run. */
static perp_status view(perp_simulation *sim, const system_run *run, int32_t s, perp_info *info) {
  swept_pool *p = pool_of(sim);
  system_run *w = &p->window;
  const live_system at = w->at;
  double *const W = w->W;
  int32_t *const pivots = w->pivots;
  *w = *run;
  w->at = at;
  w->W = W;
  w->pivots = pivots;
  w->dense = 1;
  w->first += s;
  w->count = 1;
  w->q0 += (size_t)s * (size_t)run->n_q;
  w->v0 += (size_t)s * (size_t)run->n;
  w->at.dq = w->at.dv + run->n * run->n;
  if (p->of == run) return PERP_OK;
  p->of = run;
  p->n_inverted = 0;
  w->at.clear = 0;
  w->at.factor_band[0] = -1;
  w->at.constant_mass = run->system->ops->constant_mass != 0 || run->system->ops->terms != NULL;
  return w->at.constant_mass ? set_mass(sim, w, info) : PERP_OK;
}

/* Look at system j. */
static perp_status look_at(perp_simulation *sim, int32_t j, perp_info *info) {
  const system_run *run = &sim->runs.systems[sim->runs.of[j]];
  return view(sim, run, j - run->first, info);
}

perp_status perp_pool_swept_masses(perp_simulation *sim, int checked, perp_info *info) {
  swept_pool *p = pool_of(sim);
  p->of = NULL;
  for (int32_t r = 0; r < sim->runs.n_system_runs; r++) {
    const system_run *run = &sim->runs.systems[r];
    for (int32_t s = 0; s < run->count; s++) {
      perp_status status = view(sim, run, s, info);
      if (status == PERP_OK && !p->window.at.constant_mass)
        status = set_mass(sim, &p->window, info);
      if (status == PERP_OK && checked)
        status = perp_check_dense_mass(run->n, p->window.at.mass, p->window.at.factored,
                                       p->window.first, info);
      if (status != PERP_OK) return status;
      if (p->window.at.constant_mass) break; /* so are the others */
    }
  }
  p->of = NULL;
  return PERP_OK;
}

/* ---- frames ---- */

static const double *frames_of(const perp_simulation *sim) {
  return pool_of(sim)->at_end ? sim->iterate.q : sim->state.q;
}

void perp_pool_swept_look(const perp_simulation *sim, int32_t j, const double *v, double out[6]) {
  const system_run *run = &sim->runs.systems[sim->runs.of[j]];
  const int32_t kind = kind_of(sim, run);
  memset(out, 0, 6 * sizeof *out);
  for (int32_t i = 0; i < 3 && i < run->n; i++) out[i] = v[i];
  if (kind == POOL_PLANE) {
    out[5] = v[2];
    out[2] = 0;
  } else if (kind == POOL_BODY) {
    double R[9];
    rotation_of(frames_of(sim) + run->q0 + (size_t)(j - run->first) * 7 + 3, R);
    multiply3(R, v + 3, out + 3);
  }
}

void perp_pool_swept_turn(const perp_simulation *sim, int32_t j, const double in[6], double *v) {
  const system_run *run = &sim->runs.systems[sim->runs.of[j]];
  const int32_t kind = kind_of(sim, run);
  for (int32_t i = 0; i < 3 && i < run->n; i++) v[i] = in[i];
  if (kind == POOL_PLANE) {
    v[2] = in[5];
  } else if (kind == POOL_BODY) {
    double R[9];
    rotation_of(frames_of(sim) + run->q0 + (size_t)(j - run->first) * 7 + 3, R);
    multiply3_transposed(R, in + 3, v + 3);
  }
}

/* A loop over awake systems, first ... end, of one run or of all. */
typedef struct systems_loop {
  perp_simulation *sim;
  const system_run *run;
  int32_t first, end;
  const double *v;
  double h;
} systems_loop;

static void see(int32_t begin, int32_t end, int32_t worker, void *ctx) {
  const systems_loop *loop = ctx;
  const perp_simulation *sim = loop->sim;
  const swept_pool *p = pool_of(sim);
  (void)worker;
  for (int32_t i = begin * POOL_BLOCK; i < pool_end(loop->end, end); i++) {
    const int32_t j = swept_awake(p, i);
    const swept_member at = swept_member_of(sim, j);
    const int32_t kind = kind_of(sim, at.run);
    swept_sight *seen = &p->seen[j];
    perp_pool_swept_look(sim, j, loop->v + at.v, seen->v);
    seen->x = kind == POOL_PLANE || kind == POOL_BODY ? sim->state.q + at.q : NULL;
  }
}

void perp_pool_swept_see(perp_simulation *sim, const double *v) {
  const swept_pool *p = pool_of(sim);
  systems_loop loop = {sim, NULL, 0, p->sleep.n_awake, v, 0};
  if (p->sleep.n_awake < sim->n_systems)
    memset(p->seen, 0, (size_t)sim->n_systems * sizeof *p->seen);
  pool_each(sim, loop.end, see, &loop);
}

/* ---- W⁻¹ ---- */

/* inverse := W⁻¹ of the window. */
static perp_status invert(perp_simulation *sim, double h, perp_info *info) {
  swept_pool *p = pool_of(sim);
  const system_run *w = &p->window;
  const size_t n = (size_t)w->n, bytes = n * n * sizeof(double);
  if (p->n_inverted == w->n && memcmp(p->inverted, w->at.unfactored, bytes) == 0) return PERP_OK;
  memset(p->inverse, 0, bytes);
  for (size_t i = 0; i < n; i++) p->inverse[i * (n + 1)] = 1;
  const perp_status status = perp_discretise_solve(sim, w, 0, w->n, p->inverse, w->n);
  if (status != PERP_OK) return fail_system(info, status, "W", w->first, h);
  memcpy(p->inverted, w->at.unfactored, bytes);
  p->n_inverted = w->n;
  return PERP_OK;
}

/* T X Tᵀ, T = diag(1, R), of the 6 x 6 that the body is. */
static void turn_inverse(const double *X, const double *R, double *out) {
  double half[36];
  for (size_t j = 0; j < 6; j++) {
    memcpy(half + 6 * j, X + 6 * j, 3 * sizeof *half);
    multiply3(R, X + 6 * j + 3, half + 6 * j + 3);
  }
  memcpy(out, half, 18 * sizeof *out);
  for (size_t i = 0; i < 6; i++) {
    const double row[3] = {half[18 + i], half[24 + i], half[30 + i]};
    double turned[3];
    multiply3(R, row, turned);
    for (size_t j = 0; j < 3; j++) out[6 * (3 + j) + i] = turned[j];
  }
}

/* Whether a 6 x 6 is m in its translations and has no part between these and turns. */
static int is_compact(const double *X) {
  for (size_t j = 0; j < 3; j++)
    for (size_t i = 0; i < 3; i++)
      if (X[18 + 6 * j + i] != 0 || X[6 * j + 3 + i] != 0 || (i != j && X[6 * j + i] != 0))
        return 0;
  return X[0] == X[7] && X[0] == X[14];
}

/* Whether it is the same in all directions, for what it is turned by. */
static int is_round(const double *X) {
  return X[21] == X[28] && X[21] == X[35] && X[22] == 0 && X[23] == 0 && X[27] == 0 && X[29] == 0 &&
         X[33] == 0 && X[34] == 0;
}

/* W⁻¹ of the window as a 6 x 6, and what of it is known. */
typedef struct body_inverse {
  double X[36];
  int compact, turns; /* turns: it is another where the body is turned */
} body_inverse;

static void spread(const perp_simulation *sim, const system_run *run, body_inverse *in) {
  const swept_pool *p = pool_of(sim);
  const size_t n = (size_t)run->n;
  double *X = in->X;
  const int32_t kind = kind_of(sim, run);
  const size_t place[6] = {0, 1, kind == POOL_PLANE ? 5 : 2, 3, 4, 5};
  memset(X, 0, sizeof in->X);
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) X[6 * place[j] + place[i]] = p->inverse[n * j + i];
  if (n <= 3 && sim->model->pool->plane && X[0] == X[7]) X[14] = X[0]; /* nothing pushes there */
  in->compact = is_compact(X);
  in->turns = kind == POOL_BODY && !(in->compact && is_round(X));
}

/* W⁻¹ of a system at q, as the others see it. */
static void set_body(const perp_simulation *sim, const body_inverse *in, const double *q,
                     int32_t rank) {
  const swept_pool *p = pool_of(sim);
  swept_body *b = &p->set.bodies[rank];
  double turned[36], R[9];
  const double *at = in->X;
  if (in->turns) {
    rotation_of(q + 3, R);
    turn_inverse(in->X, R, turned);
    at = turned;
  }
  if (in->compact) {
    b->inverse_mass = at[0];
    for (size_t j = 0; j < 3; j++) memcpy(b->inverse_inertia + 3 * j, at + 21 + 6 * j, 24);
    return;
  }
  b->inverse_mass = -1;
  memcpy(p->set.wide + 36 * (size_t)p->set.wide_of[rank], at, 36 * sizeof *at);
}

/* ---- a pass ---- */

void perp_pool_swept_number_wide(perp_simulation *sim) {
  swept_set *set = &pool_of(sim)->set;
  int32_t wide = 0;
  for (int32_t b = 0; set->wide_of != NULL && b < set->n_bodies; b++)
    set->wide_of[b] = is_plain(sim->model, set->number[b]) ? -1 : wide++;
}

static void begin(int32_t first, int32_t end, int32_t worker, void *ctx) {
  const systems_loop *loop = ctx;
  perp_simulation *sim = loop->sim;
  (void)worker;
  for (int32_t i = first * POOL_BLOCK; i < pool_end(loop->end, end); i++) {
    const swept_member at = swept_member_of(sim, swept_awake(pool_of(sim), i));
    const size_t n = (size_t)at.run->n, n_q = (size_t)at.run->n_q;
    memcpy(sim->iterate.v + at.v, sim->state.v + at.v, n * sizeof *sim->iterate.v);
    if (sim->options.newton_start == PERP_NEWTON_FROM_POSITION)
      memcpy(sim->iterate.q + at.q, sim->state.q + at.q, n_q * sizeof *sim->iterate.q);
    else
      perp_live_system_move(sim, at.run, at.s, loop->h);
  }
}

/* A loop over all that is awake, at once where no system needs room that they share. */
static void each_awake(perp_simulation *sim, double h, perp_parallel_body work) {
  const swept_pool *p = pool_of(sim);
  systems_loop loop = {sim, NULL, 0, p->sleep.n_awake, NULL, h};
  if (p->large)
    work(0, (loop.end + POOL_BLOCK - 1) / POOL_BLOCK, 0, &loop);
  else
    pool_each(sim, loop.end, work, &loop);
}

void perp_pool_swept_begin(perp_simulation *sim, double h) {
  each_awake(sim, h, begin);
  perp_pool_swept_number_wide(sim);
}

/* v_free and the factor of W of the window. */
static perp_status free_motion(perp_simulation *sim, double t_next, double h, perp_info *info) {
  system_run *w = &pool_of(sim)->window;
  perp_status status = perp_live_system_begin(sim, w, 0, info);
  if (status == PERP_OK) status = perp_live_system_evaluate(sim, w, 0, t_next, h, info);
  if (status == PERP_OK) status = perp_live_system_linearise(sim, w, 0, t_next, h, info);
  if (status == PERP_OK) status = perp_live_system_solve(sim, w, 0, h, info);
  return status;
}

/* A system by the window. */
static perp_status linearise(perp_simulation *sim, double t_next, double h, perp_info *info) {
  swept_pool *p = pool_of(sim);
  system_run *w = &p->window;
  const int32_t rank = p->set.rank[w->first];
  double *free_v = sim->step.free_v + w->v0;
  if (layout_is_off(sim, w->first)) {
    memcpy(free_v, sim->state.v + w->v0, (size_t)w->n * sizeof *free_v);
    return PERP_OK;
  }
  perp_status status = free_motion(sim, t_next, h, info);
  if (status == PERP_OK && p->joined != NULL) status = perp_pool_joined_gain(sim, w, info);
  if (status != PERP_OK || rank < 0) return status;
  status = invert(sim, h, info);
  if (status != PERP_OK) return status;
  body_inverse in;
  spread(sim, w, &in);
  set_body(sim, &in, frames_of(sim) + w->q0, rank);
  perp_pool_swept_look(sim, w->first, free_v, p->set.free + 6 * (size_t)rank);
  return PERP_OK;
}

/* Whether nothing in the equations of a run varies but v: its members move alike. */
static int is_uniform(const system_run *run) {
  perp_system_terms t;
  if (run->n > MOST || run->two_step) return 0;
  if (system_is_varying(run->system)) return perp_body_is_linear(run->system);
  run->system->ops->terms(run->system, &t);
  return t.force == NULL && t.C.kind == PERP_ZERO && t.K.kind == PERP_ZERO;
}

/* Whether system j moves as all of its run do. */
static int is_alone(const perp_simulation *sim, int32_t j) {
  return !layout_is_joined(sim, j) && !layout_is_off(sim, j);
}

/* Members of a uniform run, whose first one has been through the window: v_free = v_k + rise. */
static void follow(int32_t begin, int32_t end, int32_t worker, void *ctx) {
  const systems_loop *loop = ctx;
  perp_simulation *sim = loop->sim;
  const swept_pool *p = pool_of(sim);
  body_inverse in;
  (void)worker;
  spread(sim, loop->run, &in);
  for (int32_t i = loop->first + begin * POOL_BLOCK;
       i < loop->first + pool_end(loop->end - loop->first, end); i++) {
    const int32_t j = swept_awake(p, i), rank = p->set.rank[j];
    if (!is_alone(sim, j)) continue;
    const swept_member at = swept_member_of(sim, j);
    double *free_v = sim->step.free_v + at.v;
    for (int32_t k = 0; k < at.run->n; k++) free_v[k] = sim->state.v[at.v + (size_t)k] + p->rise[k];
    if (rank < 0) continue;
    set_body(sim, &in, frames_of(sim) + at.q, rank);
    perp_pool_swept_look(sim, j, free_v, p->set.free + 6 * (size_t)rank);
  }
}

/* rise := W⁻¹ h f, and inverse, by the first of those that are alone; 0: none is. */
static perp_status lead(perp_simulation *sim, const systems_loop *loop, double t_next, double h,
                        int *any, perp_info *info) {
  swept_pool *p = pool_of(sim);
  system_run *w = &p->window;
  int32_t i = loop->first;
  while (i < loop->end && !is_alone(sim, swept_awake(p, i))) i++;
  *any = i < loop->end;
  if (!*any) return PERP_OK;
  perp_status status = look_at(sim, swept_awake(p, i), info);
  if (status == PERP_OK) status = free_motion(sim, t_next, h, info);
  if (status != PERP_OK) return status;
  const double end = h * w->theta, begin = h * (1 - w->theta);
  for (int32_t k = 0; k < w->n; k++) p->rise[k] = end * w->at.f_end[k] + begin * w->at.f_begin[k];
  status = perp_discretise_solve(sim, w, 0, 1, p->rise, w->n);
  if (status == PERP_OK) status = invert(sim, h, info);
  return status;
}

perp_status perp_pool_swept_linearise(perp_simulation *sim, double t_next, double h, int first,
                                      perp_info *info) {
  const swept_pool *p = pool_of(sim);
  systems_loop loop = {sim, NULL, 0, 0, NULL, h};
  for (; loop.first < p->sleep.n_awake; loop.first = loop.end) {
    loop.run = swept_member_of(sim, swept_awake(p, loop.first)).run;
    const int32_t last = loop.run->first + loop.run->count - 1; /* of the run */
    const int uniform = is_uniform(loop.run);
    int any = 0;
    perp_status status = PERP_OK;
    loop.end = loop.first + 1;
    if (p->sleep.awake == NULL)
      loop.end = last + 1;
    else
      while (loop.end < p->sleep.n_awake && p->sleep.awake[loop.end] <= last) loop.end++;
    if (uniform && first) status = lead(sim, &loop, t_next, h, &any, info);
    if (status == PERP_OK && any) pool_each(sim, loop.end - loop.first, follow, &loop);
    for (int32_t i = loop.first; status == PERP_OK && i < loop.end; i++) {
      const int32_t j = swept_awake(p, i);
      if (uniform && is_alone(sim, j)) continue;
      status = look_at(sim, j, info);
      if (status == PERP_OK) status = linearise(sim, t_next, h, info);
    }
    if (status != PERP_OK) return status;
  }
  return PERP_OK;
}

double perp_pool_swept_fall(const perp_simulation *sim) {
  const swept_set *set = &pool_of(sim)->set;
  double sum = 0;
  int32_t n = 0;
  for (int32_t b = 0; b < set->n_bodies; b++) {
    const int32_t j = set->number[b];
    double v[6];
    perp_pool_swept_look(sim, j, sim->state.v + swept_member_of(sim, j).v, v);
    for (size_t i = 0; i < 3; i++) v[i] = set->free[6 * (size_t)b + i] - v[i];
    const double change = sqrt(dot3(v, v));
    sum += change;
    n += change > 0;
  }
  return n > 0 && is_finite(sum) ? sum / n : 0;
}

static void take(int32_t first, int32_t end, int32_t worker, void *ctx) {
  const systems_loop *loop = ctx;
  perp_simulation *sim = loop->sim;
  const swept_set *set = &pool_of(sim)->set;
  (void)worker;
  for (int32_t i = first * POOL_BLOCK; i < pool_end(loop->end, end); i++) {
    const int32_t j = swept_awake(pool_of(sim), i);
    const swept_member at = swept_member_of(sim, j);
    double *v = sim->iterate.v + at.v;
    memcpy(v, sim->step.free_v + at.v, (size_t)at.run->n * sizeof *v);
    if (set->rank[j] >= 0) perp_pool_swept_turn(sim, j, set->bodies[set->rank[j]].v, v);
    perp_live_system_move(sim, at.run, at.s, loop->h);
  }
}

void perp_pool_swept_take(perp_simulation *sim, double h) { each_awake(sim, h, take); }

/* ---- defects ---- */

double perp_pool_swept_slack(const perp_simulation *sim) {
  return 0.01 * pool_of(sim)->open / sim->options.newton_tol;
}

/* Whether the equations of a run without interactions are solved by a pass: nothing in them varies.
 */
static int is_linear(const system_run *run) {
  return run->system->ops->terms != NULL || perp_body_is_linear(run->system);
}

/* The defect of the window, of which contacts and interactions have their part. What interactions
 * leave has parts that others of the same system outweigh. */
static double defect_of(const perp_simulation *sim, double h) {
  const swept_pool *p = pool_of(sim);
  const system_run *w = &p->window;
  const int32_t rank = p->set.rank[w->first];
  const int joined = p->joined != NULL && perp_pool_joined_load(sim, w->first, w->n);
  const double slack = perp_pool_swept_slack(sim);
  double load[MOST] = {0}, worst = 0, largest = 0;
  if (!joined && is_linear(w)) return 0;
  perp_live_system_sizes(sim, w, 0, h, p->size);
  if (rank >= 0) perp_pool_swept_turn(sim, w->first, p->set.load + 6 * (size_t)rank, load);
  for (int32_t i = 0; i < w->n; i++) {
    p->size[i] += slack * fabs(w->at.mass[(size_t)i * ((size_t)w->n + 1)]);
    if (rank >= 0) p->size[i] += fabs(load[i]);
    if (joined) p->size[i] += p->joined->size[i];
    if (p->size[i] > largest) largest = p->size[i];
  }
  for (int32_t i = 0; i < w->n; i++) {
    const double push = (rank >= 0 ? load[i] : 0) + (joined ? p->joined->load[i] : 0);
    const double left = fabs(w->at.defect[i] - push), terms = p->size[i] + joined * 1e-3 * largest;
    const double part = left == 0 && terms == 0 ? 0 : left / terms;
    worst = live_worse(worst, part);
  }
  return worst;
}

perp_status perp_pool_swept_defect(perp_simulation *sim, double t_next, double h, double *defect,
                                   int32_t *worst, perp_info *info) {
  swept_pool *p = pool_of(sim);
  *defect = 0;
  *worst = 0;
  for (int32_t i = 0; i < p->sleep.n_awake; i++) {
    const int32_t j = swept_awake(p, i);
    const system_run *run = &sim->runs.systems[sim->runs.of[j]];
    if (p->joined == NULL && is_linear(run)) {
      if (p->sleep.awake == NULL) i += run->count - 1; /* so are its neighbours */
      continue;
    }
    if (layout_is_off(sim, j) || (!layout_is_joined(sim, j) && is_linear(run))) continue;
    perp_status status = view(sim, run, j - run->first, info);
    if (status == PERP_OK) status = perp_live_system_begin(sim, &p->window, 0, info);
    if (status == PERP_OK) status = perp_live_system_evaluate(sim, &p->window, 0, t_next, h, info);
    if (status != PERP_OK) return status;
    const double own = defect_of(sim, h);
    if (own <= *defect) continue;
    *defect = live_worse(*defect, own);
    *worst = p->window.first;
  }
  return PERP_OK;
}

/* ---- rest ---- */

perp_status perp_pool_swept_energy(perp_simulation *sim, int32_t j, double t, double *energy,
                                   perp_info *info) {
  system_run *w = &pool_of(sim)->window;
  perp_status status = look_at(sim, j, info);
  if (status == PERP_OK && !w->at.constant_mass)
    status = perp_live_system_mass(sim, w, t, sim->iterate.q + w->q0, info);
  if (status != PERP_OK) return status;
  const double *v = sim->iterate.v + w->v0, *M = w->at.mass;
  const size_t n = (size_t)w->n;
  double twice = 0;
  for (size_t c = 0; c < n; c++)
    for (size_t r = 0; r < n; r++) twice += v[r] * M[r + n * c] * v[c];
  *energy = 0.5 * twice / M[0];
  return PERP_OK;
}

perp_status perp_pool_swept_force(perp_simulation *sim, int32_t j, double t, const double *q,
                                  double *f, perp_info *info) {
  const system_run *run = &sim->runs.systems[sim->runs.of[j]];
  const size_t s = (size_t)(j - run->first);
  double *still = pool_of(sim)->size;
  memset(still, 0, (size_t)run->n * sizeof *still);
  return perp_live_system_force(sim, run, s, t, q + run->q0 + s * (size_t)run->n_q, still, f, info);
}
