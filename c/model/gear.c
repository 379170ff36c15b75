/* SPDX-License-Identifier: MIT */
/* A pair of gears on a carrier C (a body or the ground): with the angles φ of A and B about their
 * axes relative to C,  φ̇ = g·(ω − ω_C),
 *   y = φ_A + (z_B/z_A) φ_B, less whole teeth of A (2π/z_A),     ẏ = g_A·(ω_A − ω_C) + (z_B/z_A)
 * g_B·(ω_B − ω_C): a turn of B moves z_B teeth past, a whole number, so y is continuous while the
 * teeth mesh. */
#include "base/finite.h"
#include "base/info.h"
#include "model/head.h"
#include "model/joint.h"

static const perp_gear *gear_of(const perp_relation *relation) {
  return (const perp_gear *)(const void *)relation;
}

/* One gear and its carrier as they turn: frames and rotations in the fixed frame. */
typedef struct wheel {
  double R[9], RC[9], here[9], there[9];
} wheel;

static void see_wheel(const double *q, const double *frame, const double *carrier,
                      const double *frame_in_carrier, wheel *w) {
  rotation_of(q + 3, w->R);
  product3(w->R, frame, w->here);
  if (carrier != NULL) {
    rotation_of(carrier + 3, w->RC);
    product3(w->RC, frame_in_carrier, w->there);
  } else {
    memcpy(w->there, frame_in_carrier, sizeof w->there);
  }
}

/* The weighted angle of one gear relative to the carrier, and what it adds to the row. */
static double add_wheel(const double *q, const double *frame, const double *carrier,
                        const double *frame_in_carrier, double weight, double *row,
                        double *carrier_row) {
  wheel w;
  double g[3], part[6];
  see_wheel(q, frame, carrier, frame_in_carrier, &w);
  const double angle = perp_joint_angle(w.here, w.there, g);
  turning_row(g, w.R, weight, row, 1);
  if (carrier == NULL) return weight * angle;
  turning_row(g, w.RC, -weight, part, 1);
  for (size_t j = 0; j < 6; j++) carrier_row[j] += part[j];
  return weight * angle;
}

static int32_t evaluate(const perp_relation *relation, const perp_relation_point *at,
                        const perp_relation_values *out, double *scratch) {
  (void)scratch;
  const perp_gear *gear = gear_of(relation);
  const double *carrier = relation->n == 18 ? at->q + 14 : NULL;
  const double ratio = (double)gear->teeth_b / (double)gear->teeth_a;
  double *carrier_row = carrier != NULL ? out->H + 12 : NULL;
  double angle = add_wheel(at->q, gear->frame_a, carrier, gear->carrier_a, 1, out->H, carrier_row);
  angle +=
      add_wheel(at->q + 7, gear->frame_b, carrier, gear->carrier_b, ratio, out->H + 6, carrier_row);
  out->y[0] = perp_joint_wrap(angle, 6.283185307179586 / (double)gear->teeth_a);
  for (size_t j = 0; j < (size_t)relation->n; j++) out->ydot[0] += out->H[j] * at->v[j];
  return 0;
}

/* φ̈ of one gear while v̇ = 0; v_C NULL: the ground. */
static double wheel_bias(const double *q, const double *v, const double *frame,
                         const double *carrier, const double *v_C, const double *frame_in_carrier) {
  wheel w;
  double spin[3], spin_C[3] = {0, 0, 0};
  see_wheel(q, frame, carrier, frame_in_carrier, &w);
  multiply3(w.R, v + 3, spin);
  if (v_C != NULL) multiply3(w.RC, v_C + 3, spin_C);
  return perp_joint_angle_bias(w.here, w.there, spin, spin_C);
}

static int32_t bias(const perp_relation *relation, const perp_relation_point *at, double *gamma,
                    double *scratch) {
  (void)scratch;
  const perp_gear *gear = gear_of(relation);
  const int carried = relation->n == 18;
  const double *carrier = carried ? at->q + 14 : NULL, *v_C = carried ? at->v + 12 : NULL;
  const double ratio = (double)gear->teeth_b / (double)gear->teeth_a;
  gamma[0] = wheel_bias(at->q, at->v, gear->frame_a, carrier, v_C, gear->carrier_a) +
             ratio * wheel_bias(at->q + 7, at->v + 6, gear->frame_b, carrier, v_C, gear->carrier_b);
  return 0;
}

static uint32_t features(const perp_relation *relation) {
  (void)relation;
  return PERP_RELATION_BODIES | PERP_RELATION_HOLONOMIC;
}

static perp_status check(const perp_relation *relation, perp_info *info) {
  const perp_gear *gear = gear_of(relation);
  if (relation->m != 1) return fail(info, PERP_EINVAL, "relation.m", -1, relation->m);
  if (relation->n != 12 && relation->n != 18)
    return fail(info, PERP_EINVAL, "relation.n", -1, relation->n);
  if (gear->teeth_a < 1) return fail(info, PERP_EINVAL, "teeth_a", -1, gear->teeth_a);
  if (gear->teeth_b == 0) return fail(info, PERP_EINVAL, "teeth_b", -1, gear->teeth_b);
  if (!perp_joint_is_frame(gear->frame_a)) return fail_field(info, "frame_a", -1);
  if (!perp_joint_is_frame(gear->frame_b)) return fail_field(info, "frame_b", -1);
  if (!perp_joint_is_frame(gear->carrier_a)) return fail_field(info, "carrier_a", -1);
  return perp_joint_is_frame(gear->carrier_b) ? PERP_OK : fail_field(info, "carrier_b", -1);
}

static const perp_field *fields(const perp_relation *relation) {
  static const perp_field all[] = {FIELD_INTEGER(perp_gear, teeth_a),
                                   FIELD_INTEGER(perp_gear, teeth_b),
                                   FIELD_NUMBERS(perp_gear, frame_a, 9),
                                   FIELD_NUMBERS(perp_gear, frame_b, 9),
                                   FIELD_NUMBERS(perp_gear, carrier_a, 9),
                                   FIELD_NUMBERS(perp_gear, carrier_b, 9),
                                   FIELD_END};
  (void)relation;
  return all;
}

static const perp_relation_ops ops = {.struct_size = (uint32_t)sizeof(perp_relation_ops),
                                      .order = 2,
                                      .name = "gear",
                                      .bytes = sizeof(perp_gear),
                                      .features = features,
                                      .evaluate = evaluate,
                                      .check = check,
                                      .bias = bias,
                                      .fields = fields};

perp_status perp_gear_init(perp_gear *gear, size_t size, int32_t bodies) {
  if (bodies < 2 || bodies > 3) return PERP_EINVAL;
  const perp_status status = relation_init(gear, size, 1, 6 * bodies, &ops);
  if (status != PERP_OK) return status;
  gear->teeth_a = gear->teeth_b = 1;
  for (size_t i = 0; i < 3; i++)
    gear->frame_a[4 * i] = gear->frame_b[4 * i] = gear->carrier_a[4 * i] = gear->carrier_b[4 * i] =
        1;
  return PERP_OK;
}

/* A frame of the fixed frame, in that of a body at q; NULL: the ground. */
static void in_body(const double *q, const double *frame, double *to) {
  double R[9];
  if (q == NULL) {
    memcpy(to, frame, 9 * sizeof *to);
    return;
  }
  rotation_of(q + 3, R);
  product3_transposed(R, frame, to);
}

perp_status perp_gear_place(perp_gear *gear, const double axis_a[3], const double axis_b[3],
                            const double *qa, const double *qb, const double *qc) {
  if (gear == NULL || axis_a == NULL || axis_b == NULL || qa == NULL || qb == NULL)
    return PERP_EINVAL;
  const int carried = gear->relation.n == 18;
  if (carried && qc == NULL) return PERP_EINVAL;
  if (!all_finite(4, qa + 3) || !all_finite(4, qb + 3) || (carried && !all_finite(4, qc + 3)))
    return PERP_ENOTFINITE;
  double a[9], b[9];
  perp_status status = perp_joint_frame(axis_a, a);
  if (status == PERP_OK) status = perp_joint_frame(axis_b, b);
  if (status != PERP_OK) return status;
  in_body(qa, a, gear->frame_a);
  in_body(qb, b, gear->frame_b);
  in_body(carried ? qc : NULL, a, gear->carrier_a);
  in_body(carried ? qc : NULL, b, gear->carrier_b);
  return PERP_OK;
}
