/* SPDX-License-Identifier: MIT */
/* A step of a model whose contacts are swept: find, sort, see which act, then passes of Newton's
 * iteration, each with one solve of all contacts, warm after the first. The state is written at the
 * end alone. */
#include "stepping/pool_swept.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "contacts/direct.h"
#include "model/rotation.h"
#include "stepping/layout_parts.h"
#include "stepping/pool_joined.h"
#include "stepping/pool_swept_sleep.h"
#include "stepping/stages.h"

/* ---- what can be swept ---- */

static int law_fits(const perp_contact_pool *pool, const perp_law *law) {
  const perp_law_ops *ops = law->ops;
  if (ops->preload != NULL || ops->compliance != NULL || ops->restitute_step != NULL ||
      ops->state_bytes != NULL || ops->unilateral == 0)
    return 0;
  return (ops->set == PERP_SET_ORTHANT && law->size == 1) ||
         (ops->set == PERP_SET_CONE && law->size == (pool->plane ? 2 : 3));
}

perp_status perp_pool_swept_fits(const perp_model *model, const perp_simulation_options *o,
                                 perp_info *info) {
  const perp_contact_pool *pool = model->pool;
  if (o->projection == PERP_PROJECT_COMBINED)
    return fail(info, PERP_EUNSUPPORTED, "combined projection of a pool", -1, o->projection);
  for (int32_t i = 0; i < model->n_systems; i++)
    if (model->systems[i]->ops->order != 2)
      return fail_system(info, PERP_EUNSUPPORTED, "order beside a pool", i, 1);
  for (int32_t i = 0; i < pool->n_laws; i++)
    if (!law_fits(pool, pool->laws[i]))
      return fail_of(info, PERP_OF_LAW, PERP_EUNSUPPORTED, "pool.laws in global form", i, 0);
  return PERP_OK;
}

/* ---- memory ---- */

static void measure(const perp_model *model, layout_sizes *sizes) {
  sizes->pool_bytes = (size_t)model->pool->capacity * sizeof(kept_contact);
  if (sizes->sleeps) sizes->pool_bytes += perp_pool_sleep_bytes(model);
}

static void carve(arena *a, const perp_model *model, const layout_sizes *sizes,
                  perp_simulation *sim) {
  const perp_contact_pool *pool = model->pool;
  const size_t capacity = (size_t)pool->capacity;
  pool_memory local, *placed = arena_take(a, 1, sizeof *placed);
  swept_pool local_swept, *taken = arena_take(a, 1, sizeof *taken);
  pool_memory *memory = placed != NULL ? placed : &local;
  swept_pool *p = taken != NULL ? taken : &local_swept;
  memset(memory, 0, sizeof *memory);
  memset(p, 0, sizeof *p);
  memory->stage = &perp_stage_swept;
  memory->swept = p;
  memory->pool = pool;
  memory->capacity = memory->writer.capacity = pool->capacity;
  memory->rows = perp_pool_rows(pool);
  memory->run0 = sizes->n_interaction_runs; /* no run is a place's */
  memory->writer.found = arena_take(a, capacity, sizeof *memory->writer.found);
  memory->writer.number = arena_take(a, capacity, sizeof(int32_t));
  memory->writer.heap = arena_take(a, capacity, sizeof(int32_t));
  memory->order = arena_take(a, capacity, sizeof(int32_t));
  p->before = arena_take(a, capacity, sizeof *p->before);
  p->tally = arena_take(a, (size_t)pool_blocks(pool->capacity), sizeof *p->tally);
  p->seen = arena_take(a, (size_t)model->n_systems, sizeof *p->seen);
  if (perp_pool_per_system(pool) < pool->capacity)
    memory->on_system = arena_take(a, (size_t)model->n_systems, sizeof(int32_t));
  perp_swept_carve(&p->set, a, (size_t)model->n_systems, capacity);
  p->set.sparse = perp_direct_knows(sim->options.sparse) ? sim->options.sparse : NULL;
  p->set.parallel = sim->options.parallel;
  p->set.parallel_user = sim->options.parallel_user;
  perp_pool_swept_carve_motion(a, model, sizes, sim, p);
  perp_pool_sleep_carve(a, model, sizes, p);
  sim->pool = placed;
}

/* ---- contacts of the state ---- */

int perp_pool_swept_compare(const kept_contact *a, const perp_pool_contact *b) {
  perp_pool_contact key;
  memcpy(key.systems, a->systems, sizeof key.systems);
  memcpy(key.identity, a->identity, sizeof key.identity);
  return perp_pool_compare(&key, b);
}

int32_t perp_pool_swept_search(const swept_pool *p, int32_t low, int32_t high,
                               const perp_pool_contact *c) {
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (perp_pool_swept_compare(&p->kept[middle], c) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* before := where each contact found stood; both are in the order of their keys. */
static void match_block(const perp_simulation *sim, int32_t begin, int32_t end) {
  swept_pool *p = sim->pool->swept;
  int32_t k = perp_pool_swept_search(p, 0, p->count, swept_found(sim, begin));
  for (int32_t f = begin; f < end; f++) {
    const perp_pool_contact *c = swept_found(sim, f);
    int order = 1;
    while (k < p->count && (order = perp_pool_swept_compare(&p->kept[k], c)) < 0) k++;
    p->before[f] = k < p->count && order == 0 ? k++ : -1;
    if (p->before[f] < 0 && p->sleep.n_woken > 0) p->before[f] = perp_pool_sleep_place(p, c);
  }
}

static int is_sound(const perp_simulation *sim, const kept_contact *c, int stood) {
  if (c->stands == 0) return 1;
  const int32_t known = KEPT_STANDS | KEPT_ACTED | KEPT_SLEEPS;
  if (!stood || (c->stands & ~known) != 0 || c->law < 0 || c->law >= sim->model->pool->n_laws)
    return 0;
  for (int32_t s = 0; s < 2; s++) {
    const int32_t j = c->systems[s];
    if (s == 1 && j == PERP_GROUND) continue;
    if (j < 0 || j >= sim->n_systems || (s == 1 && j == c->systems[0])) return 0;
  }
  return 1;
}

static perp_status recall(perp_simulation *sim, int32_t most, perp_info *info) {
  swept_pool *p = sim->pool->swept;
  p->kept = (kept_contact *)(void *)sim->pool->places;
  p->count = 0;
  p->asked = 0;
  p->pile = perp_pool_speed_tol(sim->model, 1);
  p->sleep.n_kept = 0;
  for (int32_t i = 0; i < most; i++) {
    const int sleeps = (p->kept[i].stands & KEPT_SLEEPS) != 0;
    if (!is_sound(sim, &p->kept[i], sleeps || p->count == i) ||
        (p->sleep.n_kept > 0 && !sleeps)) /* to the end of the places */
      return fail_of(info, PERP_OF_PLACE, PERP_EINVAL, "state.pool", i, 0);
    p->sleep.n_kept += sleeps;
    p->count += p->kept[i].stands != 0 && !sleeps;
  }
  const perp_status status = perp_pool_swept_masses(sim, 0, info);
  return status == PERP_OK ? perp_pool_sleep_recall(sim, info) : status;
}

/* ---- contacts of the step ---- */

void perp_pool_swept_approach(const perp_simulation *sim, const perp_pool_contact *c,
                              const double *point, double out[3]) {
  for (int32_t i = 0; i < 3; i++) out[i] = c->systems[1] < 0 ? -c->place.velocity[i] : 0;
  for (int32_t s = 0; s < 2 && c->systems[s] >= 0; s++) {
    const double *v = sim->pool->swept->seen[c->systems[s]].v;
    double arm[3], turn[3];
    perp_pool_swept_arm(sim, c->systems[s], point, arm);
    cross3(v + 3, arm, turn);
    for (int32_t i = 0; i < 3; i++) out[i] += (s == 0 ? 1 : -1) * (v[i] + turn[i]);
  }
}

/* Whether a contact acts, y + γ h ẏ <= gap_tol. */
static int acts(const perp_simulation *sim, const perp_pool_contact *c, double h) {
  double point[3], u[3];
  perp_pool_point(c, point);
  perp_pool_swept_approach(sim, c, point, u);
  const double gap = c->place.gap + sim->options.gamma * h * dot3(c->place.normal, u);
  return gap <= sim->options.gap_tol;
}

/* Where contacts stood, and of each block in set.order the numbers of those that act. None has a
 * place among the contacts of the sweeps yet. */
static void see_contacts(int32_t begin, int32_t end, int32_t worker, void *ctx) {
  const swept_loop *loop = ctx;
  swept_pool *p = loop->sim->pool->swept;
  (void)worker;
  for (int32_t b = begin; b < end; b++) {
    const int32_t first = b * POOL_BLOCK, last = pool_end(loop->n, b + 1);
    int32_t n = 0;
    match_block(loop->sim, first, last);
    for (int32_t f = first; f < last; f++) {
      loop->sim->pool->order[f] = -1;
      if (acts(loop->sim, swept_found(loop->sim, f), loop->h)) p->set.order[first + n++] = f;
    }
    p->tally[b].acting = n;
  }
}

typedef struct choosing {
  const perp_simulation *sim;
  swept_pair *pairs;
} choosing;

static void list_acting(int32_t begin, int32_t end, int32_t worker, void *ctx) {
  const choosing *loop = ctx;
  const swept_pool *p = loop->sim->pool->swept;
  (void)worker;
  for (int32_t b = begin; b < end; b++)
    for (int32_t i = 0; i < p->tally[b].acting; i++) {
      const int32_t f = p->set.order[b * POOL_BLOCK + i], n = p->tally[b].first + i;
      memcpy(loop->pairs[n].body, swept_found(loop->sim, f)->systems, sizeof loop->pairs->body);
      loop->sim->pool->writer.heap[n] = f;
    }
}

/* The contacts that act: their numbers by key in heap, their systems in pairs. */
static int32_t choose(perp_simulation *sim, double h, swept_pair *pairs) {
  const int32_t found = sim->pool->writer.count;
  const swept_pool *p = sim->pool->swept;
  int32_t n = 0;
  swept_loop seen = {sim, h, found};
  choosing listed = {sim, pairs};
  pool_each(sim, found, see_contacts, &seen);
  for (int32_t b = 0; b < pool_blocks(found); n += p->tally[b++].acting) p->tally[b].first = n;
  pool_each(sim, found, list_acting, &listed);
  return n;
}

/* Contact f of those found, as the sweeps take it. */
static void write(const perp_simulation *sim, int32_t f, swept_contact *out) {
  const swept_pool *p = sim->pool->swept;
  const perp_pool_contact *c = &sim->pool->writer.found[f];
  const perp_law *law = sim->pool->pool->laws[c->law];
  double frame[9], point[3], u[3], ydot[3];
  perp_pool_frame(sim->pool->pool, c, frame);
  perp_pool_point(c, point);
  perp_pool_swept_approach(sim, c, point, u);
  memset(out, 0, sizeof *out);
  memcpy(out->normal, frame, sizeof out->normal);
  memcpy(out->tangent, frame + 3, sizeof out->tangent);
  if (law->ops->set == PERP_SET_CONE) out->mu = ((const perp_friction *)(const void *)law)->mu;
  for (int32_t i = 0; i < 3; i++) {
    ydot[i] = dot3(frame + 3 * (size_t)i, u);
    out->c[i] = c->systems[1] < 0 ? -dot3(frame + 3 * (size_t)i, c->place.velocity) : 0;
    if (p->before[f] >= 0) out->lambda[i] = p->kept[p->before[f]].lambda[i];
  }
  if (law->ops->restitute != NULL) law->ops->restitute(law, NULL, ydot, out->c);
  for (int32_t s = 0; s < 2; s++) {
    const int32_t j = c->systems[s];
    out->body[s] = j < 0 ? -1 : p->set.rank[j];
    if (j >= 0) perp_pool_swept_arm(sim, j, point, out->arm[s]);
  }
}

static void write_contacts(int32_t begin, int32_t end, int32_t worker, void *ctx) {
  const swept_loop *loop = ctx;
  const perp_simulation *sim = loop->sim;
  swept_set *set = &sim->pool->swept->set;
  (void)worker;
  for (int32_t k = begin * POOL_BLOCK; k < pool_end(loop->n, end); k++) {
    const int32_t f = sim->pool->writer.heap[set->order[k]];
    write(sim, f, &set->contacts[k]);
    sim->pool->order[f] = k;
  }
}

/* No contact joins any of what is awake. */
static void arrange_none(perp_simulation *sim) {
  swept_pool *p = sim->pool->swept;
  p->set.n_contacts = p->set.n_bodies = p->set.phases = p->set.owners = 0;
  for (int32_t i = 0; i < p->sleep.n_awake; i++) p->set.rank[swept_awake(p, i)] = -1;
}

/* Which contacts act, where they stood, and in what order they are swept. */
static void gather(perp_simulation *sim, double h) {
  swept_set *set = &sim->pool->swept->set;
  enum { SPARE = 24 }; /* bytes of a contact that its arrangement uses, before it is written */
  unsigned char *memory = (unsigned char *)set->contacts;
  swept_pair *pairs = (swept_pair *)(void *)(memory + SPARE * (size_t)sim->pool->writer.count);
  const int32_t n = choose(sim, h, pairs);
  if (n > 0)
    perp_swept_arrange(set, n, pairs);
  else
    arrange_none(sim);
  swept_loop loop = {sim, h, n};
  pool_each(sim, n, write_contacts, &loop);
}

/* ---- solution ---- */

/* The speed_tol of this step. */
static double speed_of(const perp_simulation *sim, double h) {
  const double asked = sim->options.speed_tol, pile = sim->pool->swept->pile * h;
  if (asked >= 0) return asked;
  return (asked == PERP_SPEED_STACK ? 0.1 : 1) *
         (pile > 0 ? pile : 0.1 * perp_pool_swept_fall(sim));
}

swept_options perp_pool_swept_options(const perp_simulation *sim) {
  enum { SWEEPS = 1000 };
  const double pass = 150.0 * sim->pool->swept->set.n_contacts; /* multiply-adds */
  const perp_solver_options *own = (const perp_solver_options *)sim->options.solver_options;
  swept_options o = {SWEEPS, PERP_DEFAULT_TOL, sim->pool->swept->asked, 0};
  if (own != NULL) o.tol = own->tol;
  if (own != NULL && own->max_iter > 0) o.max_sweeps = own->max_iter;
  if (own != NULL && own->budget > 0 && own->budget < pass * o.max_sweeps)
    o.max_sweeps = 1 + (int32_t)(own->budget / pass);
  if (o.speed_tol > 0) o.tol = 0;
  return o;
}

static double relative(const swept_outcome *out) {
  return out->residual == 0 && out->scale == 0 ? 0 : out->residual / out->scale;
}

/* What is left is within accept_tol, which says nothing where a speed is asked for. */
static int may_accept(const perp_simulation *sim, const swept_outcome *out) {
  const double tol = sim->options.accept_tol;
  return sim->options.on_failure == PERP_FAILURE_ACCEPT && out->residual <= DBL_MAX &&
         (sim->options.speed_tol != 0 || tol == HUGE_VAL || relative(out) <= tol);
}

static perp_status solve(perp_simulation *sim, double h, int first, perp_info *info) {
  swept_pool *p = sim->pool->swept;
  swept_set *set = &p->set;
  swept_outcome out;
  perp_status status = PERP_OK;
  sim->counts.accepted = 0;
  sim->counts.speed_residual = 0;
  p->open = 0;
  p->asked = speed_of(sim, h);
  const swept_options o = perp_pool_swept_options(sim);
  if (set->n_contacts > 0 && first) perp_swept_prepare(set); /* arms and frames stay */
  if (p->joined != NULL) {
    const perp_status joined = perp_pool_joined_solve(sim, h, first, &o, &out, &status, info);
    if (joined != PERP_OK) return joined;
  }
  if (set->n_contacts == 0) return PERP_OK;
  if (p->joined == NULL) status = perp_swept_solve(set, &o, &out);
  p->open = swept_wanted(&o, out.scale);
  sim->counts.iterations += (uint32_t)(out.sweeps + out.iterations);
  sim->counts.residual = live_worse(sim->counts.residual, relative(&out));
  sim->counts.speed_residual = out.residual;
  if (info_ready(info)) {
    info->residual = out.residual;
    info->relative_residual = relative(&out);
  }
  if (status == PERP_OK) return PERP_OK;
  sim->counts.report.failures++;
  if (may_accept(sim, &out)) {
    sim->counts.accepted = 1;
    return PERP_OK;
  }
  const swept_contact *worst = &set->contacts[out.worst < 0 ? 0 : out.worst];
  return fail_of(info, PERP_OF_SYSTEM, status, "one-step problem at contact of system",
                 set->number[worst->body[0]], p->asked > 0 ? out.residual : relative(&out));
}

/* What the equations of motion lack at the iterate, and the interactions there. */
static perp_status look(perp_simulation *sim, double t_next, double h, double *defect,
                        int32_t *worst, uint32_t *of, perp_info *info) {
  const joined_pool *joined = sim->pool->swept->joined;
  perp_status status = PERP_OK;
  if (joined != NULL) status = perp_live_relations(sim, t_next, h, 0, info);
  *of = PERP_OF_SYSTEM;
  *defect = 0;
  if (status != PERP_OK || sim->options.newton_stop == PERP_NEWTON_FIXED) return status;
  status = perp_pool_swept_defect(sim, t_next, h, defect, worst, info);
  if (status != PERP_OK || joined == NULL) return status;
  int32_t interaction = 0;
  const double own = perp_pool_joined_defect(sim, perp_pool_swept_slack(sim), &interaction);
  if (own <= *defect) return PERP_OK;
  *defect = live_worse(*defect, own);
  *worst = interaction;
  *of = PERP_OF_INTERACTION;
  return PERP_OK;
}

/* Passes until the equations of motion hold at the iterate, which is v_k at first. */
static perp_status iterate(perp_simulation *sim, double t_next, double h, perp_info *info) {
  const perp_simulation_options *o = &sim->options;
  const joined_pool *joined = sim->pool->swept->joined;
  double defect = 0;
  int32_t worst = 0;
  uint32_t of = PERP_OF_SYSTEM;
  for (int32_t pass = 1; pass <= o->newton_max; pass++) {
    perp_status status = perp_pool_swept_linearise(sim, t_next, h, pass == 1, info);
    if (status == PERP_OK) status = solve(sim, h, pass == 1, info);
    if (status != PERP_OK) return status;
    sim->counts.passes = (uint32_t)pass;
    if (joined != NULL) perp_pool_joined_leave(sim);
    perp_pool_swept_take(sim, h);
    if (joined != NULL) perp_pool_joined_keep(sim);
    status = look(sim, t_next, h, &defect, &worst, &of, info);
    if (status != PERP_OK) return status;
    if (o->newton_stop != PERP_NEWTON_FIXED && defect <= o->newton_tol) return PERP_OK;
  }
  if (o->newton_stop == PERP_NEWTON_FIXED) return PERP_OK;
  sim->counts.report.failures++;
  if (o->on_failure != PERP_FAILURE_ACCEPT || !(defect <= o->accept_tol))
    return fail_of(info, of, PERP_MAX_ITER,
                   of == PERP_OF_SYSTEM ? "newton at system" : "newton at interaction", worst,
                   defect);
  sim->counts.accepted = 1;
  return PERP_OK;
}

/* ---- the stage ---- */

static perp_status check_finite(const perp_simulation *sim, perp_info *info) {
  const swept_pool *p = sim->pool->swept;
  for (int32_t a = 0; a < p->sleep.n_awake; a++) {
    const swept_member at = swept_member_of(sim, swept_awake(p, a));
    const size_t n = (size_t)at.run->n, n_q = (size_t)at.run->n_q;
    const size_t v = at.v + first_not_finite(n, sim->iterate.v + at.v);
    const size_t q = at.q + first_not_finite(n_q, sim->iterate.q + at.q);
    if (v < at.v + n) return fail(info, PERP_ENOTFINITE, "v", (int32_t)v, sim->iterate.v[v]);
    if (q < at.q + n_q) return fail(info, PERP_ENOTFINITE, "q", (int32_t)q, sim->iterate.q[q]);
  }
  return PERP_OK;
}

/* The contacts of what is awake, once all is that has to be. */
static perp_status find(perp_simulation *sim, double t_next, double h, perp_info *info) {
  perp_status status = perp_pool_sleep_begin(sim, t_next, h, info);
  do {
    perp_pool_swept_see(sim, sim->state.v);
    if (status == PERP_OK) status = perp_pool_find(sim, info);
  } while (status == PERP_OK && perp_pool_sleep_rouse(sim));
  return status;
}

/* All of a step but what it writes into the state. */
static perp_status solve_step(perp_simulation *sim, double t_next, double h, perp_info *info) {
  const joined_pool *joined = sim->pool->swept->joined;
  perp_status status = PERP_OK;
  gather(sim, h);
  perp_pool_swept_begin(sim, h);
  if (joined != NULL) status = perp_pool_joined_begin(sim, t_next, h, info);
  if (status == PERP_OK) status = iterate(sim, t_next, h, info);
  if (status == PERP_OK && joined != NULL) status = perp_live_relations(sim, t_next, h, 1, info);
  if (status == PERP_OK) status = check_finite(sim, info);
  if (status != PERP_OK) return status;
  perp_pool_sleep_join(sim);
  perp_pool_swept_digest(sim, h);
  if (sim->options.projection != PERP_PROJECT_NONE) {
    status = perp_pool_swept_correct(sim, t_next, h, info);
    if (status == PERP_OK) status = check_finite(sim, info);
  }
  return status == PERP_OK ? perp_pool_sleep_settle(sim, t_next, info) : status;
}

static perp_status step(perp_simulation *sim, double t_next, double h, perp_info *info) {
  sim->counts.iterations = 0;
  sim->counts.residual = 0;
  perp_status status = find(sim, t_next, h, info);
  if (status == PERP_OK) status = solve_step(sim, t_next, h, info);
  if (status == PERP_OK)
    perp_pool_swept_commit(sim, t_next, h);
  else
    perp_pool_sleep_undo(sim);
  return status;
}

/* Refuse penetration from the beginning. */
static perp_status begin(perp_simulation *sim, double h, perp_info *info) {
  (void)h;
  perp_status status = recall(sim, sim->pool->capacity, info);
  if (status == PERP_OK) status = perp_pool_swept_masses(sim, 1, info);
  perp_pool_swept_see(sim, sim->state.v);
  if (status == PERP_OK) status = perp_pool_find(sim, info);
  for (int32_t f = 0; status == PERP_OK && f < sim->pool->writer.count; f++) {
    if (!(swept_found(sim, f)->place.gap >= sim->options.min_gap))
      return perp_pool_overlaps(sim, f, info);
  }
  return status;
}

static void release(perp_simulation *sim) {
  swept_set *set = &sim->pool->swept->set;
  if (set->sparse != NULL) set->sparse->release(set->factor);
  set->factor = NULL;
}

const struct pool_stage perp_stage_swept = {.live = &perp_stage_joined,
                                            .check = perp_pool_check,
                                            .measure = measure,
                                            .carve = carve,
                                            .begin = begin,
                                            .backup = perp_pool_backup,
                                            .step = step,
                                            .recall = recall,
                                            .release = release,
                                            .told = perp_pool_sleep_told,
                                            .wake = perp_pool_sleep_wake,
                                            .forget = perp_pool_swept_forget};
