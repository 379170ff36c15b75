/* SPDX-License-Identifier: MIT */
/* Contact of a body A with the ground or with a body B: with the frame (n, t1, t2) of the normal
 * and the lever arms r_A = a − x_A, r_B = b − x_B, u = v_A + ω_A × r_A − v_B − ω_B × r_B      (of
 * the ground: its velocity at the contact), y = (gap, 0, ...),   ẏ = (n·u, t1·u, t2·u, t1·(ω_A −
 * ω_B), t2·(ω_A − ω_B)) = H v − (of the ground). n·u is the rate of the gap where a and b are the
 * nearest points of the two surfaces. */
#include "model/body_contact.h"

#include <math.h>
#include <stddef.h>

#include "base/finite.h"
#include "base/info.h"
#include "model/contact_frame.h"
#include "model/head.h"
#include "perp/newton_euler.h"

static const perp_body_contact *contact_of(const perp_relation *relation) {
  return (const perp_body_contact *)(const void *)relation;
}

static uint32_t features(const perp_relation *relation) {
  const uint32_t open =
      perp_body_contact_bias_known(contact_of(relation)) ? 0U : (uint32_t)PERP_RELATION_NO_BIAS;
  return PERP_RELATION_BODIES | PERP_RELATION_HOLONOMIC | open;
}

static int32_t bias(const perp_relation *relation, const perp_relation_point *at, double *gamma,
                    double *scratch) {
  (void)scratch;
  return perp_body_contact_bias(contact_of(relation), at, gamma);
}

/* The columns of one body at q, in contact at point. */
static inline void add_body(int32_t m, const double *frame, const double *q, const double *point,
                            double sign, double *H) {
  double R[9], lever[3];
  rotation_of(&q[3], R);
  for (int32_t i = 0; i < 3; i++) lever[i] = point[i] - q[i];
  contact_rows(m, frame, lever, R, sign, H, (size_t)m);
}

/* All of m rows and n columns at a place. */
static inline void write_rows(size_t m, size_t n, const perp_relation_point *at,
                              perp_contact_place *place, const perp_relation_values *out) {
  double frame[9];
  const int32_t rows = (int32_t)m;
  frame_of_tangent(place->normal, place->tangent, frame);
  out->y[0] = place->gap;
  if (n == 12)
    for (size_t i = 0; i < 3; i++) place->a[i] = 0.5 * (place->a[i] + place->b[i]);
  add_body(rows, frame, at->q, place->a, 1, out->H);
  if (n == 12) add_body(rows, frame, at->q + 7, place->a, -1, out->H + 6 * m);
  for (size_t i = 0; i < m; i++) {
    double rate = n == 6 && i < 3 ? -dot3(&frame[3 * i], place->velocity) : 0;
    for (size_t j = 0; j < n; j++) rate += out->H[i + m * j] * at->v[j];
    out->ydot[i] = rate;
  }
}

static int32_t evaluate(const perp_relation *relation, const perp_relation_point *at,
                        const perp_relation_values *out, double *scratch) {
  (void)scratch;
  const perp_body_contact *contact = contact_of(relation);
  perp_contact_place place;
  memset(&place, 0, sizeof place);
  const int32_t answer = contact->locate(at->t, at->q, &place, contact->user);
  if (answer != 0) return answer;
#if !defined(__OPTIMIZE_SIZE__) /* the usual contact, unrolled */
  if (relation->m == 3 && relation->n == 6) {
    write_rows(3, 6, at, &place, out);
    return 0;
  }
#endif
  write_rows((size_t)relation->m, (size_t)relation->n, at, &place, out);
  return 0;
}

static int32_t locate(const perp_relation *relation, double t, const double *q, int32_t copy,
                      double frame[9], double point[3]) {
  (void)copy; /* there is one */
  const perp_body_contact *contact = contact_of(relation);
  perp_contact_place place;
  memset(&place, 0, sizeof place);
  const int32_t answer = contact->locate(t, q, &place, contact->user);
  if (answer != 0) return answer;
  frame_of_tangent(place.normal, place.tangent, frame);
  for (int32_t i = 0; i < 3; i++)
    point[i] = relation->n == 12 ? 0.5 * (place.a[i] + place.b[i]) : place.a[i];
  return 0;
}

/* How many numbers a geometry of this library has behind user, and which of them is the first of a
 * normal, 0: none is. What is behind another user pointer nobody knows: 0. */
static size_t geometry_of(const perp_body_contact *c, size_t *normal) {
  size_t bytes = 0, at = 0;
  if (c->locate == perp_locate_sphere_sphere) bytes = sizeof(perp_sphere_sphere);
  if (c->locate == perp_locate_sphere_plane)
    bytes = sizeof(perp_sphere_plane), at = offsetof(perp_sphere_plane, normal);
  if (c->locate == perp_locate_point_plane)
    bytes = sizeof(perp_point_plane), at = offsetof(perp_point_plane, normal);
  *normal = at / sizeof(double);
  return bytes / sizeof(double);
}

static perp_status check_geometry(const perp_body_contact *c, perp_info *info) {
  size_t normal;
  const size_t n = geometry_of(c, &normal);
  const double *numbers = (const double *)c->user;
  if (n == 0) return PERP_OK;
  if (numbers == NULL) return fail_field(info, "user", -1);
  const size_t bad = first_not_finite(n, numbers);
  if (bad < n) return fail(info, PERP_ENOTFINITE, "user", (int32_t)bad, numbers[bad]);
  const double square = normal == 0 ? 1 : dot3(numbers + normal, numbers + normal);
  return fabs(square - 1) <= 1e-6 ? PERP_OK : fail(info, PERP_EINVAL, "normal", -1, sqrt(square));
}

static perp_status check(const perp_relation *relation, perp_info *info) {
  const int32_t m = relation->m;
  if (m < 1 || m > 5 || m == 4) return fail(info, PERP_EINVAL, "relation.m", -1, m);
  if (relation->n != 6 && relation->n != 12)
    return fail(info, PERP_EINVAL, "relation.n", -1, relation->n);
  if (contact_of(relation)->locate == NULL) return fail_field(info, "locate", -1);
  return check_geometry(contact_of(relation), info);
}

/* locate in the form of other callbacks; user is the contact. */
static int32_t locate_call(double t, const double *q, const double *lambda, const double *z,
                           double *out, void *user) {
  const perp_body_contact *contact = (const perp_body_contact *)user;
  (void)lambda, (void)z;
  return contact->locate(t, q, (perp_contact_place *)(void *)out, contact->user);
}

static int32_t given(const perp_relation *relation, int32_t k, perp_jacobian *out) {
  union { /* handed on as the user pointer of a call that only reads it */
    const perp_body_contact *read;
    void *user;
  } me = {contact_of(relation)};
  const int32_t doubles = (int32_t)(sizeof(perp_contact_place) / sizeof(double));
  const perp_jacobian all[] = {
      {"locate", locate_call, NULL, me.user, NULL, NULL, doubles, 1, PERP_BY_NONE, 0}};
  return jacobian_pick(all, 1, k, out);
}

/* Behind the user pointer of a geometry of this library are its numbers. */
#define FIELD_GEOMETRY(geometry)                                            \
  {                                                                         \
    FIELD_AT(perp_body_contact, user, PERP_HOLDS_ARRAY,                     \
             PERP_FIXED(sizeof(geometry) / sizeof(double)), PERP_FIXED(1)), \
        FIELD_END                                                           \
  }

static const perp_field *fields(const perp_relation *relation) {
  static const perp_field of_user[] = {FIELD_USER(perp_body_contact, user), FIELD_END};
  static const perp_field sphere_sphere[] = FIELD_GEOMETRY(perp_sphere_sphere);
  static const perp_field sphere_plane[] = FIELD_GEOMETRY(perp_sphere_plane);
  static const perp_field point_plane[] = FIELD_GEOMETRY(perp_point_plane);
  const perp_locate_fn of = contact_of(relation)->locate;
  if (of == perp_locate_sphere_sphere) return sphere_sphere;
  if (of == perp_locate_sphere_plane) return sphere_plane;
  return of == perp_locate_point_plane ? point_plane : of_user;
}

static const perp_relation_ops ops = {.struct_size = (uint32_t)sizeof(perp_relation_ops),
                                      .order = 2,
                                      .name = "contact of bodies",
                                      .bytes = sizeof(perp_body_contact),
                                      .features = features,
                                      .evaluate = evaluate,
                                      .check = check,
                                      .locate = locate,
                                      .bias = bias,
                                      .jacobian = given,
                                      .fields = fields};

perp_status perp_body_contact_init(perp_body_contact *contact, size_t size, int32_t m,
                                   int32_t bodies) {
  if (m < 1 || m > 5 || m == 4 || bodies < 1 || bodies > 2) return PERP_EINVAL;
  return relation_init(contact, size, m, 6 * bodies, &ops);
}

int32_t perp_locate_sphere_plane(double t, const double *q, perp_contact_place *place, void *user) {
  (void)t;
  if (q == NULL || place == NULL || user == NULL) return -1;
  const perp_sphere_plane *g = (const perp_sphere_plane *)user;
  const double height = dot3(g->normal, q) - g->offset;
  place->gap = height - g->radius;
  for (int32_t i = 0; i < 3; i++) {
    place->normal[i] = g->normal[i];
    place->a[i] = q[i] - g->radius * g->normal[i];
    place->b[i] = q[i] - height * g->normal[i];
  }
  return 0;
}

int32_t perp_locate_sphere_sphere(double t, const double *q, perp_contact_place *place,
                                  void *user) {
  (void)t;
  if (q == NULL || place == NULL || user == NULL) return -1;
  const perp_sphere_sphere *g = (const perp_sphere_sphere *)user;
  double d[3];
  for (int32_t i = 0; i < 3; i++) d[i] = q[i] - q[7 + i];
  const double distance = sqrt(dot3(d, d));
  if (distance == 0) return 1; /* no normal here */
  place->gap = distance - (g->radius[0] + g->radius[1]);
  for (int32_t i = 0; i < 3; i++) {
    place->normal[i] = d[i] / distance;
    place->a[i] = q[i] - g->radius[0] * place->normal[i];
    place->b[i] = q[7 + i] + g->radius[1] * place->normal[i];
  }
  return 0;
}

int32_t perp_locate_point_plane(double t, const double *q, perp_contact_place *place, void *user) {
  (void)t;
  if (q == NULL || place == NULL || user == NULL) return -1;
  const perp_point_plane *g = (const perp_point_plane *)user;
  double R[9];
  rotation_of(&q[3], R);
  multiply3(R, g->point, place->a);
  for (int32_t i = 0; i < 3; i++) place->a[i] += q[i];
  place->gap = dot3(g->normal, place->a) - g->offset;
  for (int32_t i = 0; i < 3; i++) {
    place->normal[i] = g->normal[i];
    place->b[i] = place->a[i] - place->gap * g->normal[i];
  }
  return 0;
}
