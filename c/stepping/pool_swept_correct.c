/* SPDX-License-Identifier: MIT */
/* Overlaps taken out by split impulse: once velocities are solved, displacements d, with impulses p
 * of the same contacts, in the same cones of friction, and μ of what joints have drifted by,
 *
 *   d = W⁻¹ (Hᵀ p + Gᵀ μ),   u = H d + [g, 0, 0],   −(u + μ_c‖u_t‖ n) ∈ N_K(p),   q := q ⊕ d,
 *   y + G d = 0 of equalities,   0 ≤ y + G d ⟂ μ ≥ 0 of stops (projection.c),
 *
 * so that gaps y of the end of the step become y + (H d)_n >= −s/2 and stacks do not slide apart.
 * v stays, and with it the kinetic energy. Contacts and joints take turns as for the velocities
 * (pool_joined_solve.c), again until joints hold at the positions themselves; there gaps change as
 * they do to first order.
 *
 * The slop s is the largest of gap_tol, projection_tol_unilateral, and h speed_tol, by which the
 * velocities may miss in a step. Ten sweeps a pass (projection_max), in all no more than a solve
 * may take: few are worse than none for stacks, as boxes that were turned on the way open contacts.
 * Nothing is done unless a gap is below −s or a joint open, and then g = y + s/2 to an accuracy of
 * s/4: contacts stay a little closed, act, and are left alone for some steps.
 *
 * No body is moved far: d is cut to a quarter of its least radius of gyration, turns times that
 * radius included, and where nothing turns to four times the deepest overlap. Cutting equal bodies
 * to a ball is a nonexpansive map, so none comes nearer to another by more than d itself brings it;
 * what is cut is left for the next steps. What joints join is cut alike, so that they close all the
 * same.
 *
 * Overlaps that contradict each other have no p, and sweeps go to and fro between what the contacts
 * want. The mean of where a sweep ends and where it ends the other way lies in between: a body
 * squeezed between two walls is centred; where contacts contradict joints these hold. What is left
 * overlapping by more than s, or open, is counted. */
#include <math.h>
#include <string.h>

#include "base/info.h"
#include "model/rotation.h"
#include "stepping/layout_parts.h"
#include "stepping/pool_joined.h"

typedef struct correction {
  double h, slop, deepest;
} correction;

static joined_pool *joined_of(const perp_simulation *sim) { return sim->pool->swept->joined; }

static perp_pool_contact *found(const perp_simulation *sim, int32_t f) {
  return &sim->pool->writer.found[f];
}

static double deepest_of(const perp_simulation *sim) {
  double deepest = 0;
  for (int32_t f = 0; f < sim->pool->writer.count; f++)
    if (-found(sim, f)->place.gap > deepest) deepest = -found(sim, f)->place.gap;
  return deepest;
}

static double slop_of(const perp_simulation *sim, double h) {
  const perp_simulation_options *o = &sim->options;
  double slop = o->gap_tol;
  if (o->projection_tol_unilateral > slop) slop = o->projection_tol_unilateral;
  if (h * o->speed_tol > slop) slop = h * o->speed_tol;
  return slop;
}

/* ---- bodies ---- */

/* The square of the least radius of gyration, 0: does not turn. */
static double gyration(const swept_set *set, int32_t b) {
  const swept_body *body = &set->bodies[b];
  const double *W =
      set->wide != NULL && body->inverse_mass < 0 ? set->wide + 36 * (size_t)set->wide_of[b] : NULL;
  double m = body->inverse_mass, turns = 0;
  for (int32_t i = 0; i < 3; i++) {
    const double own = W != NULL ? W[7 * (3 + i)] : body->inverse_inertia[4 * i];
    if (own > turns) turns = own;
  }
  if (W != NULL) m = (W[0] + W[7] + W[14]) / 3;
  return turns > 0 ? m / turns : 0;
}

/* The part of the displacement of a body that it may be moved by, <= 1. */
static double part_of(const swept_set *set, int32_t b, const correction *c) {
  const double *d = set->bodies[b].v;
  const double square = gyration(set, b);
  const double most = square > 0 ? 0.25 * sqrt(square) : 4 * c->deepest;
  const double size = sqrt(dot3(d, d) + square * dot3(d + 3, d + 3));
  return size > most ? most / size : 1;
}

/* Cut the displacements to how far bodies may be moved. */
static void cut(perp_simulation *sim, const correction *c) {
  swept_set *set = &sim->pool->swept->set;
  double alike = 1;
  for (int32_t b = 0; b < set->n_bodies; b++) {
    const double part = part_of(set, b, c);
    if (layout_is_joined(sim, set->number[b])) {
      if (part < alike) alike = part;
      continue;
    }
    for (int32_t i = 0; part < 1 && i < 6; i++) set->bodies[b].v[i] *= part;
  }
  if (joined_of(sim) == NULL || alike == 1) return;
  for (int32_t i = 0; i < joined_of(sim)->n_bodies; i++)
    for (int32_t k = 0; k < 6; k++) set->bodies[joined_of(sim)->bodies[i]].v[k] *= alike;
  for (size_t i = 0; i < sim->state.n_v; i++) sim->step.free_v[i] *= alike;
}

/* Whether the system s of a contact is one that may be moved; what sleeps is as ground. */
static int moves(const perp_simulation *sim, const perp_pool_contact *at, int32_t s) {
  return at->systems[s] >= 0 && !perp_simulation_is_asleep(sim, at->systems[s]);
}

/* Whether only the second of a contact is: it is written as the first then. */
static int32_t first_sleeps(const perp_simulation *sim, const perp_pool_contact *at) {
  return !moves(sim, at, 0);
}

/* ---- the problem ---- */

/* Contacts that bodies could close on their way, in the order of sweeps. */
static void arrange(perp_simulation *sim) {
  swept_set *set = &sim->pool->swept->set;
  perp_pool_writer *w = &sim->pool->writer;
  enum { SPARE = 24 }; /* as in pool_swept.c */
  unsigned char *memory = (unsigned char *)set->contacts;
  swept_pair *pairs = (swept_pair *)(void *)(memory + SPARE * (size_t)w->count);
  for (int32_t f = 0; f < w->count; f++) {
    const int32_t turned = first_sleeps(sim, found(sim, f));
    pairs[f].body[0] = found(sim, f)->systems[turned];
    pairs[f].body[1] = moves(sim, found(sim, f), !turned) ? found(sim, f)->systems[!turned] : -1;
  }
  perp_swept_arrange(set, w->count, pairs);
  perp_pool_swept_number_wide(sim);
}

/* A contact, so that u is its gap over −s/2. */
static void write(const perp_simulation *sim, const perp_pool_contact *at, const correction *c,
                  swept_contact *out) {
  const swept_set *set = &sim->pool->swept->set;
  const perp_law *law = sim->pool->pool->laws[at->law];
  memset(out, 0, sizeof *out);
  memcpy(out->normal, at->place.normal, sizeof out->normal);
  memcpy(out->tangent, at->place.tangent, sizeof out->tangent);
  if (law->ops->set == PERP_SET_CONE) out->mu = ((const perp_friction *)(const void *)law)->mu;
  const int32_t turned = first_sleeps(sim, at);
  for (int32_t i = 0; turned && i < 3; i++) {
    out->normal[i] = -out->normal[i];
    out->tangent[i] = -out->tangent[i];
  }
  for (int32_t s = 0; s < 2; s++) {
    const int32_t of = turned ? !s : s, j = at->systems[of];
    out->body[s] = moves(sim, at, of) ? set->rank[j] : -1;
    if (out->body[s] >= 0) perp_pool_swept_arm(sim, j, at->place.a, out->arm[s]);
  }
  out->c[0] = at->place.gap + 0.5 * c->slop;
}

/* A loop over contacts. */
typedef struct contacts_loop {
  perp_simulation *sim;
  const correction *c;
  int32_t n;
} contacts_loop;

static void write_contacts(int32_t begin, int32_t end, int32_t worker, void *ctx) {
  const contacts_loop *loop = ctx;
  swept_set *set = &loop->sim->pool->swept->set;
  (void)worker;
  for (int32_t k = begin * POOL_BLOCK; k < pool_end(loop->n, end); k++)
    write(loop->sim, found(loop->sim, set->order[k]), loop->c, &set->contacts[k]);
}

static perp_status set_up(perp_simulation *sim, double t_next, const correction *c,
                          perp_info *info) {
  swept_set *set = &sim->pool->swept->set;
  if (sim->pool->writer.count > 0) arrange(sim);
  const perp_status status = perp_pool_swept_linearise(sim, t_next, c->h, 1, info);
  if (status != PERP_OK) return status;
  memset(set->free, 0, 6 * (size_t)set->n_bodies * sizeof *set->free);
  contacts_loop loop = {sim, c, set->n_contacts};
  pool_each(sim, loop.n, write_contacts, &loop);
  perp_swept_prepare(set);
  if (joined_of(sim) == NULL) return PERP_OK;
  perp_pool_joined_share(sim);
  memset(sim->iterate.base_v, 0, sim->state.n_v * sizeof *sim->iterate.base_v);
  memset(joined_of(sim)->rows, 0, sim->state.rows * sizeof *joined_of(sim)->rows);
  return PERP_OK;
}

/* ---- solution ---- */

/* to := the displacement of every system in its own velocities, 0 of those that nothing joins. */
static void collect(const perp_simulation *sim, double *to) {
  const swept_set *set = &sim->pool->swept->set;
  if (joined_of(sim) != NULL && to != sim->step.free_v)
    memcpy(to, sim->step.free_v, sim->state.n_v * sizeof *to);
  for (int32_t b = 0; b < set->n_bodies; b++) {
    const int32_t j = set->number[b];
    perp_pool_swept_turn(sim, j, set->bodies[b].v, to + swept_member_of(sim, j).v);
  }
}

/* The displacement := the mean of it and another one. */
static void add_half(perp_simulation *sim, const double *other) {
  swept_set *set = &sim->pool->swept->set;
  for (int32_t b = 0; b < set->n_bodies; b++) {
    const int32_t j = set->number[b];
    double d[6];
    perp_pool_swept_look(sim, j, other + swept_member_of(sim, j).v, d);
    for (int32_t i = 0; i < 6; i++) set->bodies[b].v[i] = 0.5 * (set->bodies[b].v[i] + d[i]);
  }
  for (size_t i = 0; joined_of(sim) != NULL && i < sim->state.n_v; i++)
    sim->step.free_v[i] = 0.5 * (sim->step.free_v[i] + other[i]);
}

/* Joints as a half of a turn: their rows for what contacts displace. */
static perp_status answer(perp_simulation *sim, double h, perp_info *info) {
  (void)h;
  memcpy(sim->projection.d, sim->step.free_v, sim->state.n_v * sizeof *sim->projection.d);
  const perp_status status = perp_projection_answer(sim, info);
  const projection *p = &sim->projection;
  for (int32_t i = 0; i < p->n; i++) {
    joined_of(sim)->weight[i] = 1;
    for (int32_t e = p->start[i]; e < p->start[i + 1]; e++)
      if (p->index[e] == i && p->value[e] > 0) joined_of(sim)->weight[i] = 1 / sqrt(p->value[e]);
  }
  return status;
}

static perp_status apply(perp_simulation *sim, const double *mu, perp_info *info) {
  (void)info;
  perp_projection_displace(sim, mu, sim->step.free_v);
  return PERP_OK;
}

/* The smallest of the tolerances. */
static double fine_of(const perp_simulation *sim, const correction *c) {
  const perp_simulation_options *o = &sim->options;
  double fine = 0.25 * c->slop;
  if (o->projection_tol < fine) fine = o->projection_tol;
  if (o->projection_tol_unilateral < fine) fine = o->projection_tol_unilateral;
  return fine;
}

/* The displacement of all bodies, joints that are listed included. */
static perp_status solve(perp_simulation *sim, const correction *c, perp_info *info) {
  swept_set *set = &sim->pool->swept->set;
  const int joins = joined_of(sim) != NULL;
  double *other = joins ? sim->iterate.from_v : sim->step.free_v;
  enum { SWEEPS = 10, MOST = 100000 }; /* of a pass, and in all */
  const int32_t passes = sim->options.projection_max;
  swept_options o = {passes < MOST / SWEEPS ? SWEEPS * passes : MOST, 0, 0.25 * c->slop, 0};
  const int32_t limit = perp_pool_swept_options(sim).max_sweeps;
  if (limit < o.max_sweeps) o.max_sweeps = limit > SWEEPS ? limit : SWEEPS;
  swept_outcome out;
  perp_status status = PERP_OK, joints = PERP_OK;
  if (joins) {
    const projection *p = &sim->projection;
    const joined_half half = {p->n, p->mu, joined_of(sim)->weight, fine_of(sim, c), answer, apply};
    joints = perp_pool_joined_turns(sim, c->h, &half, &o, &out, &status, info);
  } else {
    status = perp_swept_solve(set, &o, &out);
  }
  sim->counts.iterations += (uint32_t)out.sweeps;
  for (int32_t turn = 1; turn <= 2 && joints == PERP_OK && status == PERP_MAX_ITER; turn++) {
    o.max_sweeps = turn; /* forward, to and fro */
    o.plain = 1;
    out.sweeps = 0;
    if (joins)
      joints = perp_pool_joined_turn(sim, c->h, &o, &out, &status, info);
    else
      status = perp_swept_solve(set, &o, &out);
    sim->counts.iterations += (uint32_t)out.sweeps;
    if (turn == 1) collect(sim, other);
    if (turn == 2) add_half(sim, other);
  }
  if (joints == PERP_OK && status == PERP_ENOTFINITE)
    return fail_system(info, status, "projection", set->number[set->contacts[0].body[0]],
                       out.residual);
  return joints;
}

static perp_status find(perp_simulation *sim, void *context, perp_info *info) {
  const perp_status status = solve(sim, context, info);
  if (status == PERP_OK) collect(sim, sim->projection.d);
  return status;
}

/* ---- positions ---- */

/* q ⊕ d. */
static void displace(perp_simulation *sim, const double *d, int32_t j) {
  const system_run *run = &sim->runs.systems[sim->runs.of[j]];
  const size_t s = (size_t)(j - run->first);
  double *q = sim->iterate.q + run->q0 + s * (size_t)run->n_q;
  perp_live_displace(run, q, d + run->v0 + s * (size_t)run->n, q);
}

/* (H d)_n of a contact. */
static double way(const perp_simulation *sim, const perp_pool_contact *at) {
  const swept_set *set = &sim->pool->swept->set;
  double sum = 0;
  for (int32_t s = 0; s < 2; s++) {
    if (!moves(sim, at, s)) continue;
    const double *d = set->bodies[set->rank[at->systems[s]]].v;
    double arm[3], turn[3];
    perp_pool_swept_arm(sim, at->systems[s], at->place.a, arm);
    cross3(d + 3, arm, turn);
    sum += (s == 0 ? 1 : -1) * (dot3(at->place.normal, d) + dot3(at->place.normal, turn));
  }
  return sum;
}

static void move_gaps(int32_t begin, int32_t end, int32_t worker, void *ctx) {
  const contacts_loop *loop = ctx;
  (void)worker;
  for (int32_t f = begin * POOL_BLOCK; f < pool_end(loop->n, end); f++)
    found(loop->sim, f)->place.gap += way(loop->sim, found(loop->sim, f));
}

/* Positions of the iterate, and the gaps of contacts there. */
static void move(perp_simulation *sim, const correction *c) {
  const swept_set *set = &sim->pool->swept->set;
  double *d = sim->step.free_v;
  cut(sim, c);
  collect(sim, d);
  contacts_loop loop = {sim, c, sim->pool->writer.count};
  pool_each(sim, loop.n, move_gaps, &loop);
  for (int32_t b = 0; b < set->n_bodies; b++) displace(sim, d, set->number[b]);
  for (int32_t j = 0; joined_of(sim) != NULL && j < sim->n_systems; j++)
    if (layout_is_joined(sim, j) && set->rank[j] < 0) displace(sim, d, j);
}

/* Largest violation of joints, relative to its tolerance, and a list of their rows. */
static double drift_of(perp_simulation *sim) {
  return joined_of(sim) != NULL ? perp_projection_judge(sim) : 0;
}

static perp_status pass(perp_simulation *sim, double t_next, const correction *c, perp_info *info) {
  perp_status status = set_up(sim, t_next, c, info);
  if (status != PERP_OK) return status;
  if (joined_of(sim) == NULL) {
    status = solve(sim, c, info);
    if (status == PERP_OK) move(sim, c);
    return status;
  }
  status = perp_projection_find(sim, find, (void *)c, info);
  if (status != PERP_OK) return status;
  move(sim, c);
  for (int others = 0; status == PERP_OK && others <= 1; others++)
    status = perp_live_relations(sim, t_next, c->h, others, info);
  return status;
}

perp_status perp_pool_swept_correct(perp_simulation *sim, double t_next, double h,
                                    perp_info *info) {
  swept_pool *p = sim->pool->swept;
  correction c = {h, slop_of(sim, h), deepest_of(sim)};
  double drift = drift_of(sim);
  perp_status status = PERP_OK;
  p->at_end = 1;
  if (p->joined != NULL) p->joined->all = 1;
  for (int32_t i = 0; status == PERP_OK && i < sim->options.projection_max; i++) {
    if (!(drift > 1) && (i > 0 || !(c.deepest > c.slop))) break;
    status = pass(sim, t_next, &c, info);
    c.deepest = deepest_of(sim);
    drift = drift_of(sim);
  }
  p->at_end = 0;
  if (p->joined != NULL) p->joined->all = 0;
  p->left = c.deepest > c.slop || !(drift <= 1);
  return status;
}
