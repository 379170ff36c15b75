/* SPDX-License-Identifier: MIT */
/* A coordinate c of a joint, A relative to B: the angle about the axis or the translation along it
 * (joint.h), for drives, friction and stops:
 *   rate:    y = c,  ẏ = ċ − w(t);          effort:  y = c,  ẏ = h (ċ − w(t)),  H times h: the law
 * of a box asks for the sign of ẏ only, and the impulse Hᵀλ = h (∂c/∂q)ᵀ λ has λ at force level;
 *   lower:   y = c − l,  ẏ = ċ;             upper:   y = u − c,  ẏ = −ċ;        stops: both. */
#include "base/finite.h"
#include "base/info.h"
#include "model/curve.h"
#include "model/head.h"
#include "model/joint.h"

static const perp_joint_coordinate *coordinate_of(const perp_relation *relation) {
  return (const perp_joint_coordinate *)(const void *)relation;
}

/* c in the turn about centre, and row (6 for each body) := ∂c/∂q. */
static double measure(const perp_joint *joint, int32_t coordinate, double centre, const double *q,
                      double *row) {
  joint_view view;
  double y = 0, g[3];
  const joint_rows out = {&y, row, 1, NULL, NULL};
  perp_joint_see(joint, q, &view);
  if (coordinate == PERP_COORDINATE_TRANSLATION) {
    perp_joint_along(&view, view.b.frame, 1, 0, &out);
    return y;
  }
  const double angle = perp_joint_angle(view.a.frame, view.b.frame, g);
  turning_row(g, view.a.R, 1, row, 1);
  if (view.bodies == 2) turning_row(g, view.b.R, -1, row + 6, 1);
  return centre + perp_joint_wrap(angle - centre, 6.283185307179586);
}

static int32_t evaluate(const perp_relation *relation, const perp_relation_point *at,
                        const perp_relation_values *out, double *scratch) {
  (void)scratch;
  const perp_joint_coordinate *r = coordinate_of(relation);
  const size_t n = (size_t)relation->n;
  double row[12] = {0}, velocity = 0, rate = 0;
  const double c = measure(r->joint, r->coordinate, r->centre, at->q, row);
  for (size_t j = 0; j < n; j++) velocity += row[j] * at->v[j];
  if (r->use >= PERP_COORDINATE_STOPS) {
    const size_t m = (size_t)relation->m;
    for (size_t i = 0; i < m; i++) {
      const int lower = r->use == PERP_COORDINATE_LOWER || (m == 2 && i == 0);
      const double sign = lower ? 1 : -1;
      out->y[i] = lower ? c - r->lower : r->upper - c;
      out->ydot[i] = sign * velocity;
      for (size_t j = 0; j < n; j++) out->H[i + m * j] = sign * row[j];
    }
    return 0;
  }
  const int32_t answer = r->rate == NULL ? 0 : r->rate(at->t, &rate, r->user);
  const double scale = r->use == PERP_COORDINATE_EFFORT ? at->h : 1;
  out->y[0] = c;
  out->ydot[0] = scale * (velocity - rate);
  for (size_t j = 0; j < n; j++) out->H[j] = scale * row[j];
  return answer;
}

/* c̈ while v̇ = 0. */
static double measure_bias(const perp_joint *joint, int32_t coordinate, const double *q,
                           const double *v) {
  joint_view view;
  joint_motion motion;
  perp_joint_see(joint, q, &view);
  perp_joint_move(&view, v, &motion);
  if (coordinate == PERP_COORDINATE_TRANSLATION)
    return perp_joint_along_bias(&view, &motion, view.b.frame, 1);
  return perp_joint_angle_bias(view.a.frame, view.b.frame, motion.spin_a, motion.spin_b);
}

/* A prescribed rate as a function of the time from now on. */
typedef struct drive {
  const perp_joint_coordinate *relation;
  double t;
} drive;

static int32_t drive_at(double s, double *out, const void *context) {
  const drive *d = (const drive *)context;
  *out = 0;
  return d->relation->rate(d->t + s, out, d->relation->user);
}

static int32_t bias(const perp_relation *relation, const perp_relation_point *at, double *gamma,
                    double *scratch) {
  const perp_joint_coordinate *r = coordinate_of(relation);
  const double c = measure_bias(r->joint, r->coordinate, at->q, at->v);
  if (r->use >= PERP_COORDINATE_STOPS) {
    gamma[0] = r->use == PERP_COORDINATE_UPPER ? -c : c;
    if (relation->m == 2) gamma[1] = -c;
    return 0;
  }
  const drive moving = {r, at->t};
  double rate = 0;
  const int32_t answer = r->rate == NULL ? 0
                                         : perp_curve_derivative(1, drive_at, &moving, CURVE_RATE,
                                                                 1, NULL, &rate, scratch);
  gamma[0] = (r->use == PERP_COORDINATE_EFFORT ? at->h : 1) * (c - rate);
  return answer;
}

static size_t scratch_doubles(const perp_relation *relation) {
  return coordinate_of(relation)->rate == NULL ? 0 : perp_curve_doubles(1);
}

static uint32_t features(const perp_relation *relation) {
  return PERP_RELATION_BODIES |
         (coordinate_of(relation)->use >= PERP_COORDINATE_STOPS ? (uint32_t)PERP_RELATION_HOLONOMIC
                                                                : 0U);
}

static perp_status check(const perp_relation *relation, perp_info *info) {
  const perp_joint_coordinate *r = coordinate_of(relation);
  if (r->use < PERP_COORDINATE_RATE || r->use > PERP_COORDINATE_UPPER)
    return fail(info, PERP_EINVAL, "use", -1, r->use);
  if (r->coordinate != PERP_COORDINATE_ANGLE && r->coordinate != PERP_COORDINATE_TRANSLATION)
    return fail(info, PERP_EINVAL, "coordinate", -1, r->coordinate);
  if (relation->m != (r->use == PERP_COORDINATE_STOPS ? 2 : 1))
    return fail(info, PERP_EINVAL, "relation.m", -1, relation->m);
  if (r->joint == NULL || r->joint->relation.n != relation->n) return fail_field(info, "joint", -1);
  const perp_relation *joint = &r->joint->relation;
  if (joint->ops == NULL || joint->ops->check == NULL) return fail_field(info, "joint", -1);
  const perp_status status = joint->ops->check(joint, info);
  if (status != PERP_OK) return status;
  if (!is_finite(r->lower)) return fail(info, PERP_ENOTFINITE, "lower", -1, r->lower);
  if (!is_finite(r->upper)) return fail(info, PERP_ENOTFINITE, "upper", -1, r->upper);
  if (!is_finite(r->centre)) return fail(info, PERP_ENOTFINITE, "centre", -1, r->centre);
  if (r->use == PERP_COORDINATE_STOPS && !(r->lower < r->upper))
    return fail(info, PERP_EINVAL, "upper", -1, r->upper);
  return PERP_OK;
}

static int32_t given(const perp_relation *relation, int32_t k, perp_jacobian *out) {
  const perp_joint_coordinate *r = coordinate_of(relation);
  const perp_jacobian all[] = {
      {"rate", callback_of_time(r->rate), NULL, r->user, NULL, NULL, 1, 1, PERP_BY_CLOCK, 0}};
  return jacobian_pick(all, 1, k, out);
}

static const perp_field *fields(const perp_relation *relation) {
  static const perp_field all[] = {FIELD_RELATION(perp_joint_coordinate, joint),
                                   FIELD_INTEGER(perp_joint_coordinate, coordinate),
                                   FIELD_INTEGER(perp_joint_coordinate, use),
                                   FIELD_NUMBERS(perp_joint_coordinate, lower, 3),
                                   FIELD_USER(perp_joint_coordinate, user),
                                   FIELD_END};
  (void)relation;
  return all;
}

static const perp_relation_ops ops = {.struct_size = (uint32_t)sizeof(perp_relation_ops),
                                      .order = 2,
                                      .name = "joint coordinate",
                                      .bytes = sizeof(perp_joint_coordinate),
                                      .features = features,
                                      .scratch_doubles = scratch_doubles,
                                      .evaluate = evaluate,
                                      .check = check,
                                      .bias = bias,
                                      .jacobian = given,
                                      .fields = fields};

perp_status perp_joint_coordinate_init(perp_joint_coordinate *relation, size_t size,
                                       const perp_joint *joint, int32_t coordinate, int32_t use) {
  if (joint == NULL || use < PERP_COORDINATE_RATE || use > PERP_COORDINATE_UPPER ||
      coordinate < PERP_COORDINATE_ANGLE || coordinate > PERP_COORDINATE_TRANSLATION)
    return PERP_EINVAL;
  const perp_status status =
      relation_init(relation, size, use == PERP_COORDINATE_STOPS ? 2 : 1, joint->relation.n, &ops);
  if (status != PERP_OK) return status;
  relation->joint = joint;
  relation->coordinate = coordinate;
  relation->use = use;
  return PERP_OK;
}

perp_status perp_joint_coordinate_value(const perp_joint *joint, int32_t coordinate,
                                        const double *q, const double *v, double *value,
                                        double *rate) {
  if (joint == NULL || q == NULL || (rate != NULL && v == NULL) ||
      (joint->relation.n != 6 && joint->relation.n != 12) || coordinate < PERP_COORDINATE_ANGLE ||
      coordinate > PERP_COORDINATE_TRANSLATION)
    return PERP_EINVAL;
  double row[12] = {0}, sum = 0;
  const double c = measure(joint, coordinate, 0, q, row);
  if (value != NULL) *value = c;
  for (size_t j = 0; rate != NULL && j < (size_t)joint->relation.n; j++) sum += row[j] * v[j];
  if (rate != NULL) *rate = sum;
  return PERP_OK;
}
