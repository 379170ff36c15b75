/* SPDX-License-Identifier: MIT */
/* Overlaps taken out by split impulse: once velocities are solved, velocities w that only move the
 * positions, with impulses p of the same contacts, in the same cones of friction,
 *
 *   w = W⁻¹ Hᵀ p,   u = H w + [g/h, 0, 0],   −(u + μ‖u_t‖ n) ∈ N_K(p),   q := q ⊕ h w,
 *
 * so that gaps y of the end of the step become y + h (H w)_n >= −s/2 and stacks do not slide apart.
 * v stays, and with it the kinetic energy: it is the body's own part that q ⊕ turns.
 *
 * The slop s is the largest of gap_tol, projection_tol_unilateral, and h speed_tol, by which the
 * velocities may miss in a step. Ten sweeps a pass (projection_max): few are worse than none for
 * stacks, as boxes that were turned on the way open contacts. Nothing is done unless a gap is below
 * −s, and then g = y + s/2 to an accuracy of s/4: contacts stay a little closed, act, and are left
 * alone for some steps.
 *
 * No body is moved far: h w is cut to a quarter of its least radius of gyration, turns times that
 * radius included, and where nothing turns to four times the deepest overlap. Cutting equal bodies
 * to a ball is a nonexpansive map, so none comes nearer to another by more than w itself brings it;
 * what is cut is left for the next steps.
 *
 * Overlaps that contradict each other have no p, and sweeps go to and fro between what the contacts
 * want. The mean of where a sweep ends and where it ends the other way lies in between: a body
 * squeezed between two walls is centred. What is left overlapping by more than s is counted. */
#include <math.h>
#include <string.h>

#include "base/info.h"
#include "model/rotation.h"
#include "stepping/layout_parts.h"
#include "stepping/pool_swept.h"

typedef struct correction {
  double h, slop, deepest;
} correction;

static perp_pool_contact *found(const perp_simulation *sim, int32_t f) {
  return &sim->pool->writer.found[sim->pool->order[f]];
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

/* Cut w of a body to how far it may be moved. */
static void cut(swept_set *set, int32_t b, const correction *c) {
  double *w = set->bodies[b].v;
  const double square = gyration(set, b);
  const double most = (square > 0 ? 0.25 * sqrt(square) : 4 * c->deepest) / c->h;
  const double size = sqrt(dot3(w, w) + square * dot3(w + 3, w + 3));
  for (int32_t i = 0; size > most && i < 6; i++) w[i] *= most / size;
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
    w->heap[f] = f;
  }
  perp_swept_arrange(set, w->count, pairs);
  perp_pool_swept_number_wide(sim);
}

/* A contact. Equalities with an error of position would be written likewise, c the error / h. */
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
  out->c[0] = (at->place.gap + 0.5 * c->slop) / c->h;
}

static perp_status set_up(perp_simulation *sim, double t_next, const correction *c,
                          perp_info *info) {
  swept_set *set = &sim->pool->swept->set;
  arrange(sim);
  const perp_status status = perp_pool_swept_linearise(sim, t_next, c->h, 1, info);
  if (status != PERP_OK) return status;
  memset(set->free, 0, 6 * (size_t)set->n_bodies * sizeof *set->free);
  for (int32_t k = 0; k < set->n_contacts; k++)
    write(sim, found(sim, sim->pool->writer.heap[set->order[k]]), c, &set->contacts[k]);
  perp_swept_prepare(set);
  return PERP_OK;
}

/* ---- solution ---- */

/* w of all bodies in their own velocities, and back. */
static void put_away(perp_simulation *sim, double *to) {
  const swept_set *set = &sim->pool->swept->set;
  for (int32_t b = 0; b < set->n_bodies; b++) {
    const int32_t j = set->number[b];
    const system_run *run = &sim->runs.systems[sim->runs.of[j]];
    perp_pool_swept_turn(sim, j, set->bodies[b].v,
                         to + run->v0 + (size_t)(j - run->first) * (size_t)run->n);
  }
}

static void add_half(perp_simulation *sim, const double *from) {
  swept_set *set = &sim->pool->swept->set;
  for (int32_t b = 0; b < set->n_bodies; b++) {
    const int32_t j = set->number[b];
    const system_run *run = &sim->runs.systems[sim->runs.of[j]];
    double w[6];
    perp_pool_swept_look(sim, j, from + run->v0 + (size_t)(j - run->first) * (size_t)run->n, w);
    for (int32_t i = 0; i < 6; i++) set->bodies[b].v[i] = 0.5 * (set->bodies[b].v[i] + w[i]);
  }
}

/* w of the bodies. */
static perp_status solve(perp_simulation *sim, const correction *c, perp_info *info) {
  swept_set *set = &sim->pool->swept->set;
  enum { SWEEPS = 10, MOST = 100000 }; /* of a pass, and in all */
  const int32_t passes = sim->options.projection_max;
  swept_options o = {passes < MOST / SWEEPS ? SWEEPS * passes : MOST, 0, 0.25 * c->slop / c->h, 0};
  swept_outcome out;
  perp_status status = perp_swept_solve(set, &o, &out);
  sim->counts.iterations += (uint32_t)out.sweeps;
  for (int32_t turn = 1; turn <= 2 && status == PERP_MAX_ITER; turn++) { /* forward, to and fro */
    o.max_sweeps = turn;
    o.plain = 1;
    status = perp_swept_solve(set, &o, &out);
    sim->counts.iterations += (uint32_t)out.sweeps;
    if (turn == 1) put_away(sim, sim->step.free_v);
    if (turn == 2) add_half(sim, sim->step.free_v);
  }
  if (status == PERP_ENOTFINITE)
    return fail_system(info, status, "projection", set->number[set->contacts[0].body[0]],
                       out.residual);
  for (int32_t b = 0; b < set->n_bodies; b++) cut(set, b, c);
  return PERP_OK;
}

/* ---- positions ---- */

/* q ⊕ h w of a body whose own turns are about its own axes, those of the end of the step. */
static void displace(perp_simulation *sim, int32_t b, double h) {
  const swept_set *set = &sim->pool->swept->set;
  const int32_t j = set->number[b];
  const system_run *run = &sim->runs.systems[sim->runs.of[j]];
  double *q = sim->iterate.q + run->q0 + (size_t)(j - run->first) * (size_t)run->n_q;
  double d[6], R[9];
  for (int32_t i = 0; i < 6; i++) d[i] = h * set->bodies[b].v[i];
  if (perp_pool_kind(sim->model->pool, run->system) == POOL_BODY) {
    double turn[3] = {d[3], d[4], d[5]};
    rotation_of(q + 3, R);
    multiply3_transposed(R, turn, d + 3);
  } else {
    const double own[6] = {d[0], d[1], d[2], d[3], d[4], d[5]};
    perp_pool_swept_turn(sim, j, own, d);
  }
  perp_live_displace(run, q, d, q);
}

/* h (H w)_n of a contact. */
static double way(const perp_simulation *sim, const perp_pool_contact *at, double h) {
  const swept_set *set = &sim->pool->swept->set;
  double sum = 0;
  for (int32_t s = 0; s < 2; s++) {
    if (!moves(sim, at, s)) continue;
    const double *w = set->bodies[set->rank[at->systems[s]]].v;
    double arm[3], turn[3];
    perp_pool_swept_arm(sim, at->systems[s], at->place.a, arm);
    cross3(w + 3, arm, turn);
    sum += (s == 0 ? h : -h) * (dot3(at->place.normal, w) + dot3(at->place.normal, turn));
  }
  return sum;
}

perp_status perp_pool_swept_correct(perp_simulation *sim, double t_next, double h,
                                    perp_info *info) {
  swept_pool *p = sim->pool->swept;
  const correction c = {h, slop_of(sim, h), deepest_of(sim)};
  p->left = 0;
  if (!(c.deepest > c.slop)) return PERP_OK;
  perp_status status = set_up(sim, t_next, &c, info);
  if (status == PERP_OK) status = solve(sim, &c, info);
  if (status != PERP_OK) return status;
  for (int32_t b = 0; b < p->set.n_bodies; b++) displace(sim, b, h);
  for (int32_t f = 0; f < sim->pool->writer.count; f++)
    found(sim, f)->place.gap += way(sim, found(sim, f), h);
  p->left = deepest_of(sim) > c.slop;
  return PERP_OK;
}
