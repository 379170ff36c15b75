/* SPDX-License-Identifier: MIT */
/* Joints: the rows of joint.h, put together by kind. Directions across the axis are those of B, so
 * that rows of pivots stay independent at any angle; joints that hold the angle, too, pair one
 * direction of A with another of B for each of the three. The angle is that of e2 of A between e2
 * and e3 of B:  φ = atan2(s, c), s = e2_A·e3_B, c = e2_A·e2_B,  φ̇ = g·ω, g = e2_A × (c e3_B − s
 * e2_B)/(s² + c²).  A screw:  y = e1_B·d − lead φ/2π, less whole turns. */
#include "model/joint.h"

#include "base/finite.h"
#include "base/info.h"
#include "model/head.h"

static const int32_t rows_of[6] = {3, 5, 5, 4, 6, 5};

static const perp_joint *joint_of(const perp_relation *relation) {
  return (const perp_joint *)(const void *)relation;
}

/* ---------------------------------------------------------------------------- rows ---- */

static void see_side(const double *q, const double *point, const double *frame, joint_side *side) {
  memset(side, 0, sizeof *side);
  if (q != NULL) {
    memcpy(side->x, q, sizeof side->x);
    rotation_of(q + 3, side->R);
  } else {
    side->R[0] = side->R[4] = side->R[8] = 1;
  }
  multiply3(side->R, point, side->point);
  for (int32_t i = 0; i < 3; i++) side->point[i] += side->x[i];
  product3(side->R, frame, side->frame);
}

void perp_joint_see(const perp_joint *joint, const double *q, joint_view *view) {
  view->bodies = joint->relation.n / 6;
  see_side(q, joint->point_a, joint->frame_a, &view->a);
  see_side(view->bodies == 2 ? q + 7 : NULL, joint->point_b, joint->frame_b, &view->b);
  for (int32_t i = 0; i < 3; i++) view->d[i] = view->a.point[i] - view->b.point[i];
}

void perp_joint_along(const joint_view *view, const double w[3], int w_of_b, size_t row,
                      const joint_rows *out) {
  double lever[3];
  if (out->motion != NULL) {
    out->gamma[row] = perp_joint_along_bias(view, out->motion, w, w_of_b);
    return;
  }
  out->y[row] = dot3(w, view->d);
  for (int32_t i = 0; i < 3; i++) lever[i] = view->a.point[i] - view->a.x[i];
  contact_row(w, lever, view->a.R, 1, out->H + row, out->m);
  if (view->bodies == 1) return;
  const double *end = w_of_b ? view->a.point : view->b.point;
  for (int32_t i = 0; i < 3; i++) lever[i] = end[i] - view->b.x[i];
  contact_row(w, lever, view->b.R, -1, out->H + 6 * out->m + row, out->m);
}

/* The row g·ω. */
static void turning(const joint_view *view, const double g[3], double sign, size_t row,
                    const joint_rows *out) {
  turning_row(g, view->a.R, sign, out->H + row, out->m);
  if (view->bodies == 2) turning_row(g, view->b.R, -sign, out->H + 6 * out->m + row, out->m);
}

static void across(const joint_view *view, const double u[3], const double w[3], double sign,
                   size_t row, const joint_rows *out) {
  double g[3];
  if (out->motion != NULL) {
    out->gamma[row] = sign * perp_joint_across_bias(out->motion, u, w);
    return;
  }
  cross3(u, w, g);
  out->y[row] = sign * dot3(u, w);
  turning(view, g, sign, row, out);
}

double perp_joint_angle(const double *frame_a, const double *frame_b, double g[3]) {
  const double s = dot3(&frame_a[3], &frame_b[6]), c = dot3(&frame_a[3], &frame_b[3]);
  double w[3];
  for (int32_t i = 0; i < 3; i++)
    w[i] = (c * frame_b[6 + i] - s * frame_b[3 + i]) / (s * s + c * c);
  cross3(&frame_a[3], w, g);
  return perp_atan2(s, c);
}

double perp_joint_wrap(double x, double period) {
  const double shift = 6755399441055744.0; /* 1.5·2^52: adding it rounds to an integer */
  if (period == 0) return x;
  return x - period * ((x / period + shift) - shift);
}

/* --------------------------------------------------------------------------- kinds ---- */

static void point_rows(const joint_view *view, const joint_rows *out) {
  for (size_t i = 0; i < 3; i++) {
    double w[3] = {0, 0, 0};
    w[i] = 1;
    perp_joint_along(view, w, 0, i, out);
  }
}

/* The axis of A may not leave that of B: two rows across it. */
static void axis_rows(const joint_view *view, size_t row, const joint_rows *out) {
  const double *a = view->a.frame, *b = view->b.frame;
  across(view, a, b + 6, -1, row, out); /* about e2 */
  across(view, a, b + 3, 1, row + 1, out);
}

/* No rotation: three rows about e1, e2, e3. */
static void rotation_rows(const joint_view *view, size_t row, const joint_rows *out) {
  const double *a = view->a.frame, *b = view->b.frame;
  across(view, a + 3, b + 6, 1, row, out);
  across(view, a + 6, b, 1, row + 1, out);
  across(view, a, b + 3, 1, row + 2, out);
}

static void screw_row(const perp_joint *joint, const joint_view *view, size_t row,
                      const joint_rows *out) {
  const double slope = joint->lead / 6.283185307179586;
  double g[3], angle[12] = {0}, y;
  const joint_rows turn = {&y, angle, 1, NULL, NULL};
  perp_joint_along(view, view->b.frame, 1, row, out);
  if (out->motion != NULL) {
    out->gamma[row] -= slope * perp_joint_angle_bias(view->a.frame, view->b.frame,
                                                     out->motion->spin_a, out->motion->spin_b);
    return;
  }
  const double phi = perp_joint_angle(view->a.frame, view->b.frame, g);
  turning(view, g, 1, 0, &turn);
  for (size_t j = 0; j < 6 * (size_t)view->bodies; j++)
    out->H[row + out->m * j] -= slope * angle[j];
  out->y[row] = perp_joint_wrap(out->y[row] - slope * phi, joint->lead);
}

static void put_rows(const perp_joint *joint, const joint_view *view, const joint_rows *rows) {
  if (joint->kind == PERP_JOINT_SPHERICAL || joint->kind == PERP_JOINT_PIVOT ||
      joint->kind == PERP_JOINT_FIXED) {
    point_rows(view, rows);
  } else {
    perp_joint_along(view, view->b.frame + 3, 1, 0, rows);
    perp_joint_along(view, view->b.frame + 6, 1, 1, rows);
  }
  if (joint->kind == PERP_JOINT_PIVOT) axis_rows(view, 3, rows);
  if (joint->kind == PERP_JOINT_CYLINDRICAL || joint->kind == PERP_JOINT_SCREW)
    axis_rows(view, 2, rows);
  if (joint->kind == PERP_JOINT_PRISMATIC) rotation_rows(view, 2, rows);
  if (joint->kind == PERP_JOINT_FIXED) rotation_rows(view, 3, rows);
  if (joint->kind == PERP_JOINT_SCREW) screw_row(joint, view, 4, rows);
}

static int32_t evaluate(const perp_relation *relation, const perp_relation_point *at,
                        const perp_relation_values *out, double *scratch) {
  (void)scratch;
  const joint_rows rows = {out->y, out->H, (size_t)relation->m, NULL, NULL};
  joint_view view;
  perp_joint_see(joint_of(relation), at->q, &view);
  put_rows(joint_of(relation), &view, &rows);
  for (size_t i = 0; i < rows.m; i++)
    for (size_t j = 0; j < (size_t)relation->n; j++)
      out->ydot[i] += out->H[i + rows.m * j] * at->v[j];
  return 0;
}

static int32_t bias(const perp_relation *relation, const perp_relation_point *at, double *gamma,
                    double *scratch) {
  (void)scratch;
  joint_view view;
  joint_motion motion;
  const joint_rows rows = {NULL, NULL, (size_t)relation->m, &motion, gamma};
  perp_joint_see(joint_of(relation), at->q, &view);
  perp_joint_move(&view, at->v, &motion);
  put_rows(joint_of(relation), &view, &rows);
  return 0;
}

static uint32_t features(const perp_relation *relation) {
  (void)relation;
  return PERP_RELATION_BODIES | PERP_RELATION_HOLONOMIC | PERP_RELATION_BILATERAL;
}

/* ------------------------------------------------------------------ check and init ---- */

int perp_joint_is_frame(const double *frame) {
  double third[3], worst = 0;
  cross3(frame, frame + 3, third);
  for (int32_t i = 0; i < 3; i++) {
    const double error = fabs(third[i] - frame[6 + i]);
    if (!(error <= worst)) worst = error;
  }
  return worst <= 1e-9 && fabs(dot3(frame, frame) - 1) <= 1e-9 &&
         fabs(dot3(frame + 3, frame + 3) - 1) <= 1e-9 && fabs(dot3(frame, frame + 3)) <= 1e-9;
}

static perp_status check(const perp_relation *relation, perp_info *info) {
  const perp_joint *joint = joint_of(relation);
  if (joint->kind < PERP_JOINT_SPHERICAL || joint->kind > PERP_JOINT_SCREW)
    return fail(info, PERP_EINVAL, "kind", -1, joint->kind);
  if (relation->m != rows_of[joint->kind])
    return fail(info, PERP_EINVAL, "relation.m", -1, relation->m);
  if (relation->n != 6 && relation->n != 12)
    return fail(info, PERP_EINVAL, "relation.n", -1, relation->n);
  const double *points[2] = {joint->point_a, joint->point_b};
  for (int32_t s = 0; s < 2; s++) {
    const size_t bad = first_not_finite(3, points[s]);
    if (bad < 3)
      return fail(info, PERP_ENOTFINITE, s == 0 ? "point_a" : "point_b", -1, points[s][bad]);
  }
  if (!perp_joint_is_frame(joint->frame_a)) return fail_field(info, "frame_a", -1);
  if (!perp_joint_is_frame(joint->frame_b)) return fail_field(info, "frame_b", -1);
  return is_finite(joint->lead) ? PERP_OK : fail(info, PERP_ENOTFINITE, "lead", -1, joint->lead);
}

static const perp_field *fields(const perp_relation *relation) {
  static const perp_field all[] = {FIELD_INTEGER(perp_joint, kind),
                                   FIELD_NUMBERS(perp_joint, point_a, 3),
                                   FIELD_NUMBERS(perp_joint, point_b, 3),
                                   FIELD_NUMBERS(perp_joint, frame_a, 9),
                                   FIELD_NUMBERS(perp_joint, frame_b, 9),
                                   FIELD_NUMBERS(perp_joint, lead, 1),
                                   FIELD_END};
  (void)relation;
  return all;
}

static const perp_relation_ops ops = {.struct_size = (uint32_t)sizeof(perp_relation_ops),
                                      .order = 2,
                                      .name = "joint",
                                      .bytes = sizeof(perp_joint),
                                      .features = features,
                                      .evaluate = evaluate,
                                      .check = check,
                                      .bias = bias,
                                      .fields = fields};

perp_status perp_joint_init(perp_joint *joint, size_t size, int32_t kind, int32_t bodies) {
  if (kind < PERP_JOINT_SPHERICAL || kind > PERP_JOINT_SCREW || bodies < 1 || bodies > 2)
    return PERP_EINVAL;
  const perp_status status = relation_init(joint, size, rows_of[kind], 6 * bodies, &ops);
  if (status != PERP_OK) return status;
  joint->kind = kind;
  for (size_t i = 0; i < 3; i++) joint->frame_a[4 * i] = joint->frame_b[4 * i] = 1;
  return PERP_OK;
}

perp_status perp_joint_frame(const double *axis, double frame[9]) {
  double n[3] = {1, 0, 0}, largest = 0;
  for (int32_t i = 0; axis != NULL && i < 3; i++) {
    if (!is_finite(axis[i])) return PERP_ENOTFINITE;
    largest = fabs(axis[i]) > largest ? fabs(axis[i]) : largest;
  }
  if (axis == NULL) {
    memset(frame, 0, 9 * sizeof *frame);
    frame[0] = frame[4] = frame[8] = 1;
    return PERP_OK;
  }
  if (largest == 0) return PERP_EINVAL;
  for (int32_t i = 0; i < 3; i++) n[i] = axis[i] / largest;
  const double length = sqrt(dot3(n, n));
  for (int32_t i = 0; i < 3; i++) n[i] /= length;
  frame_of_normal(n, frame);
  return PERP_OK;
}

/* Point and frame of one side while its body is at q; NULL: the ground. */
static void place_side(const double *q, const double *point, const double *frame, double *to_point,
                       double *to_frame) {
  if (q == NULL) {
    memcpy(to_point, point, 3 * sizeof *point);
    memcpy(to_frame, frame, 9 * sizeof *frame);
    return;
  }
  double R[9], lever[3];
  rotation_of(q + 3, R);
  for (int32_t i = 0; i < 3; i++) lever[i] = point[i] - q[i];
  multiply3_transposed(R, lever, to_point);
  product3_transposed(R, frame, to_frame);
}

perp_status perp_joint_place(perp_joint *joint, const double point[3], const double axis[3],
                             const double *qa, const double *qb) {
  if (joint == NULL || point == NULL || qa == NULL) return PERP_EINVAL;
  const int two = joint->relation.n == 12;
  if (two && qb == NULL) return PERP_EINVAL;
  if (!all_finite(3, point) || !all_finite(7, qa) || (two && !all_finite(7, qb)))
    return PERP_ENOTFINITE;
  double frame[9];
  const perp_status status = perp_joint_frame(axis, frame);
  if (status != PERP_OK) return status;
  place_side(qa, point, frame, joint->point_a, joint->frame_a);
  place_side(two ? qb : NULL, point, frame, joint->point_b, joint->frame_b);
  return PERP_OK;
}
