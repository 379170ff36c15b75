/* SPDX-License-Identifier: MIT */
/* A contact of a pool, found at q_k with frame (n, t1, t2) and lever arms r:
 *   u = velocity of the point of the first system − that of the second or the ground,
 *   ẏ = (n·u, t1·u, t2·u, t1·ω, t2·ω) = H v + rate,   y = gap + H d  in the first row, 0 in others,
 * d the increment from q_k to q: of a body (x − x_k, 2 vec(Q_k* Q)), which is q ⊖ q_k up to third
 * order. H is that of q_k. In the plane ẏ = (n·u, t·u, ω) with t = e_z × n. */
#include "model/pool.h"

#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "linalg/matrix.h"
#include "model/body.h"
#include "model/contact_frame.h"

static const pool_relation *self(const perp_relation *relation) {
  return (const pool_relation *)(const void *)relation;
}

static uint32_t features(const perp_relation *relation) {
  (void)relation;
  return PERP_RELATION_HOLONOMIC;
}

static int32_t columns(int32_t kind) {
  return kind == POOL_BODY ? 6 : kind == POOL_POINT ? 2 : kind == POOL_NONE ? 0 : 3;
}

/* d := increment of one system; returns the number of its positions. */
static int32_t increment(int32_t kind, const double *from, const double *to, double *d) {
  const int32_t n = kind == POOL_BODY ? 3 : columns(kind);
  for (int32_t i = 0; i < n; i++) d[i] = to[i] - from[i];
  if (kind != POOL_BODY) return n;
  const double back[4] = {from[3], -from[4], -from[5], -from[6]};
  double turn[4];
  quaternion_product(back, &to[3], turn);
  for (int32_t i = 0; i < 3; i++) d[3 + i] = turn[0] < 0 ? -2 * turn[1 + i] : 2 * turn[1 + i];
  return 7;
}

static int32_t evaluate(const perp_relation *relation, const perp_relation_point *at,
                        const perp_relation_values *out, double *scratch) {
  (void)scratch;
  const pool_relation *r = self(relation);
  const size_t m = (size_t)relation->m, n = (size_t)relation->n;
  if (n == 0) return 0;
  double d[POOL_MAX_N] = {0};
  const int32_t first = increment(r->kind[0], r->q, at->q, d);
  (void)increment(r->kind[1], r->q + first, at->q + first, d + columns(r->kind[0]));
  memcpy(out->H, r->H, m * n * sizeof *r->H);
  memcpy(out->ydot, r->rate, m * sizeof *r->rate);
  out->y[0] = r->gap;
  for (size_t j = 0; j < n; j++) {
    out->y[0] += r->H[m * j] * d[j];
    for (size_t i = 0; i < m; i++) out->ydot[i] += r->H[i + m * j] * at->v[j];
  }
  return 0;
}

static const perp_relation_ops ops = {.struct_size = (uint32_t)sizeof(perp_relation_ops),
                                      .order = 2,
                                      .name = "contact of a pool",
                                      .bytes = sizeof(pool_relation),
                                      .features = features,
                                      .evaluate = evaluate};

/* ------------------------------------------------------------------------- geometry ---- */

int32_t perp_pool_kind(const perp_contact_pool *pool, const perp_system *system) {
  const int32_t n = system->n, extra = system->ops->extra_q;
  if (system->ops->order != 2) return POOL_NONE;
  if (pool->plane) return extra != 0 ? POOL_NONE : n == 3 ? POOL_PLANE : n == 2 ? POOL_POINT : 0;
  if (extra == 1 && n == 6) return POOL_BODY;
  return extra == 0 && n == 3 ? POOL_SPACE : POOL_NONE;
}

int32_t perp_pool_rows(const perp_contact_pool *pool) {
  int32_t rows = 1;
  for (int32_t i = 0; i < pool->n_laws; i++)
    if (pool->laws[i]->size > rows) rows = pool->laws[i]->size;
  return rows;
}

int32_t perp_pool_per_system(const perp_contact_pool *pool) {
  const int32_t most = pool->max_per_system;
  return most == 0 || most > pool->capacity ? pool->capacity : most;
}

void perp_pool_frame(const perp_contact_pool *pool, const perp_pool_contact *contact,
                     double frame[9]) {
  const double *n = contact->place.normal;
  if (!pool->plane) {
    frame_of_tangent(n, contact->place.tangent, frame);
    return;
  }
  const double plane[9] = {n[0], n[1], 0, -n[1], n[0], 0, 0, 0, 1};
  memcpy(frame, plane, sizeof plane);
}

void perp_pool_point(const perp_pool_contact *contact, double point[3]) {
  const perp_contact_place *at = &contact->place;
  for (int32_t i = 0; i < 3; i++)
    point[i] = contact->systems[1] < 0 ? at->a[i] : 0.5 * (at->a[i] + at->b[i]);
}

/* The m rows in the columns of one system. */
static void rows_of(int32_t kind, int32_t m, const double *frame, const double *point,
                    const double *q, double sign, double *H) {
  const size_t ld = (size_t)m;
  double R[9], lever[3] = {0, 0, 0};
  for (int32_t i = 0; i < (kind == POOL_PLANE ? 2 : 3) && kind != POOL_POINT; i++)
    lever[i] = point[i] - q[i];
  if (kind == POOL_BODY) {
    rotation_of(&q[3], R);
    contact_rows(m, frame, lever, R, sign, H, ld);
    return;
  }
  for (size_t c = 0; c < (size_t)columns(kind); c++)
    for (size_t i = 0; i < ld; i++) H[i + ld * c] = i < 3 ? sign * frame[3 * i + c] : 0;
  if (kind != POOL_PLANE) return;
  for (size_t i = 0; i < ld; i++) {
    const double *d = &frame[3 * i];
    H[i + 2 * ld] = sign * (i < 2 ? lever[0] * d[1] - lever[1] * d[0] : 1);
  }
}

void perp_pool_relation_clear(pool_relation *r) {
  memset(r, 0, sizeof *r);
  r->relation.ops = &ops;
  r->relation.struct_size = (uint32_t)sizeof *r;
  r->relation.m = 1;
}

void perp_pool_relation_set(pool_relation *r, const perp_contact_pool *pool,
                            const perp_pool_contact *contact, int32_t m, const int32_t kind[2],
                            const double *const q[2]) {
  double frame[9], point[3];
  perp_pool_relation_clear(r);
  perp_pool_frame(pool, contact, frame);
  perp_pool_point(contact, point);
  r->relation.m = m;
  r->gap = contact->place.gap;
  double *to = r->q, *H = r->H;
  for (int32_t s = 0; s < 2; s++) {
    const double sign = s == 0 ? 1 : -1;
    const int32_t n = columns(kind[s]);
    const size_t n_q = (size_t)(kind[s] == POOL_BODY ? 7 : n);
    r->kind[s] = kind[s];
    if (n == 0) continue;
    rows_of(kind[s], m, frame, point, q[s], sign, H);
    memcpy(to, q[s], n_q * sizeof *to);
    to += n_q;
    H += m * n;
    r->relation.n += n;
  }
  if (kind[1] != POOL_NONE) return;
  const int32_t rows = pool->plane ? 2 : 3;
  for (int32_t i = 0; i < m && i < rows; i++)
    r->rate[i] = -dot3(&frame[3 * (size_t)i], contact->place.velocity);
}

/* ---------------------------------------------------------------------------- check ---- */

static perp_status check_law(const perp_contact_pool *pool, int32_t i, perp_info *info) {
  if (pool->laws[i] == NULL) return fail_of(info, PERP_OF_LAW, PERP_EINVAL, "pool.laws", i, 0);
  const perp_status status = fail_within(perp_law_check(pool->laws[i], info), PERP_OF_LAW, i, info);
  if (status != PERP_OK) return status;
  const int32_t size = pool->laws[i]->size;
  if (size > (pool->plane ? 3 : POOL_MAX_ROWS) || size == 4)
    return fail_of(info, PERP_OF_LAW, PERP_EINVAL, "pool.laws.size", i, size);
  return PERP_OK;
}

perp_status perp_pool_check(const perp_model *model, int64_t rows, perp_info *info) {
  const perp_contact_pool *pool = model->pool;
  if (pool->struct_size < PERP_THROUGH(perp_contact_pool, user))
    return fail(info, PERP_EINVAL, "pool.struct_size", -1, pool->struct_size);
  if (pool->capacity < 1) return fail(info, PERP_EINVAL, "pool.capacity", -1, pool->capacity);
  if (pool->max_per_system < 0)
    return fail(info, PERP_EINVAL, "pool.max_per_system", -1, pool->max_per_system);
  if (pool->plane != 0 && pool->plane != 1)
    return fail(info, PERP_EINVAL, "pool.plane", -1, pool->plane);
  if (pool->n_laws < 1) return fail(info, PERP_EINVAL, "pool.n_laws", -1, pool->n_laws);
  if (pool->laws == NULL) return fail_field(info, "pool.laws", -1);
  if (pool->find == NULL) return fail_field(info, "pool.find", -1);
  for (int32_t i = 0; i < pool->n_laws; i++) {
    const perp_status status = check_law(pool, i, info);
    if (status != PERP_OK) return status;
  }
  rows += (int64_t)pool->capacity * perp_pool_rows(pool);
  if (rows <= INT32_MAX / 2) return PERP_OK;
  /* in any form: what is found, and what is kept of it */
  return fail(info, PERP_EWORKSPACE, "pool.capacity", -1,
              2.0 * sizeof(perp_pool_contact) * pool->capacity);
}

/* √(I/m) of a system that turns, I the mean of its moments of inertia; 0 of others. */
static double gyration(const perp_system *s, int32_t plane) {
  enum { SCRATCH = 64 };
  const int32_t n = plane ? 3 : 6, first = plane ? 2 : 3;
  double M[36] = {0}, scratch[SCRATCH], inertia = 0;
  if (s->ops->order != 2 || s->n != n || s->ops->extra_q != (plane ? 0 : 1)) return 0;
  if (s->ops->terms != NULL) {
    perp_system_terms terms;
    s->ops->terms(s, &terms);
    perp_matrix_add_to_dense(&terms.M, 1, M, n);
  } else if (s->ops->constant_mass == 0 ||
             (s->ops->scratch_doubles != NULL && s->ops->scratch_doubles(s) > SCRATCH) ||
             s->ops->mass(s, 0, NULL, M, scratch) != 0) {
    return 0;
  }
  for (int32_t i = first; i < n; i++) inertia += M[i * (n + 1)] / (n - first);
  return M[0] > 0 && inertia > 0 ? sqrt(inertia / M[0]) : 0;
}

/* The least radius of gyration; 0 where nothing turns. */
static double least_radius(const perp_model *model) {
  double least = 0;
  for (int32_t i = 0; model != NULL && model->pool != NULL && i < model->n_systems; i++) {
    if (i > 0 && model->systems[i] == model->systems[i - 1]) continue;
    const double radius = gyration(model->systems[i], model->pool->plane);
    if (radius > 0 && !(least > 0 && least <= radius)) least = radius;
  }
  return least;
}

double perp_pool_gap_tol(const perp_model *model) { return 1e-8 * least_radius(model); }

/* The constant force on the translations of a system, and its mass there. */
static double pull(const perp_system *s, int32_t plane, double *mass) {
  const int32_t n = plane ? 2 : 3;
  perp_system_terms t;
  double f[3] = {0}, trace = 0;
  *mass = perp_body_pull(s, f);
  if (*mass > 0 || s->ops->terms == NULL) return sqrt(dot3(f, f));
  s->ops->terms(s, &t);
  for (int32_t i = 0; i < n; i++) {
    if (t.f != NULL) f[i] = t.f[i];
    if (t.M.kind == PERP_ZERO) trace += 1;
    if (t.M.kind == PERP_DIAGONAL) trace += t.M.values[i];
    if (t.M.kind == PERP_DENSE) trace += t.M.values[(size_t)i * ((size_t)t.M.ld + 1)];
  }
  *mass = trace / n;
  return sqrt(dot3(f, f));
}

/* Sum of the constant forces over sum of the masses, of what is pulled; 0 where nothing is. One
 * body that is pulled hard, or one that floats, says little of the others. */
static double gravity(const perp_model *model) {
  double force = 0, mass = 0, f = 0, m = 0;
  for (int32_t i = 0; model != NULL && model->pool != NULL && i < model->n_systems; i++) {
    const perp_system *s = model->systems[i];
    if (perp_pool_kind(model->pool, s) == POOL_NONE) continue;
    if (i == 0 || s != model->systems[i - 1]) f = pull(s, model->pool->plane, &m);
    if (!(f > 0 && m > 0)) continue;
    force += f;
    mass += m;
  }
  return mass > 0 && is_finite(force / mass) ? force / mass : 0;
}

double perp_pool_speed_tol(const perp_model *model, double h) {
  const double part = 0.1 * gravity(model) * h;
  return h > 0 && is_finite(part) ? part : 0;
}

double perp_pool_gap_tol_of_step(const perp_model *model, double h) {
  const double radius = least_radius(model), fall = h > 0 ? gravity(model) * h * h : 0;
  if (!(fall > 1e-8 * radius)) return 1e-8 * radius;
  return fall < 1e-3 * radius ? fall : 1e-3 * radius;
}

void perp_pool_defaults(const perp_model *model, double h, int32_t named,
                        perp_simulation_options *options) {
  if (model == NULL || model->pool == NULL || options == NULL) return;
  options->on_failure = PERP_FAILURE_ACCEPT;
  options->gap_tol = perp_pool_gap_tol_of_step(model, h);
  if (named != 0) return;
  options->formulation = PERP_FORMULATION_AUTO;
  options->speed_tol = PERP_SPEED_PILE;
}
