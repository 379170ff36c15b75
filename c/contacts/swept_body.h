/* SPDX-License-Identifier: MIT */
/* How a contact sees its bodies, and moves them. */
#ifndef PERP_CONTACTS_SWEPT_BODY_H
#define PERP_CONTACTS_SWEPT_BODY_H

#include "contacts/swept.h"

static inline void swept_cross(const double *a, const double *b, double *out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline double swept_dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* out := sign (v + ω × arm), added to what is there. */
static inline void swept_add_velocity(const double *v, const double *arm, double sign,
                                      double *out) {
  out[0] += sign * (v[0] + (v[4] * arm[2] - v[5] * arm[1]));
  out[1] += sign * (v[1] + (v[5] * arm[0] - v[3] * arm[2]));
  out[2] += sign * (v[2] + (v[3] * arm[1] - v[4] * arm[0]));
}

/* v += W⁻¹ of a force, and of a torque. */
static inline void swept_push(const swept_set *s, int32_t body, const double *force,
                              const double *torque, double *v) {
  const swept_body *b = &s->bodies[body];
  const double m = b->inverse_mass, *I = b->inverse_inertia;
  if (m >= 0) {
    for (int i = 0; i < 3; i++) {
      v[i] += m * force[i];
      v[3 + i] += I[i] * torque[0] + I[3 + i] * torque[1] + I[6 + i] * torque[2];
    }
    return;
  }
  const double *W = s->wide + 36 * (size_t)s->wide_of[body];
  for (int j = 0; j < 3; j++, W += 6)
    for (int i = 0; i < 6; i++) v[i] += W[i] * force[j] + W[18 + i] * torque[j];
}

/* Components of x in the frame of a contact; second: its second tangent. */
static inline void swept_in_frame(const swept_contact *c, const double *second, const double *x,
                                  double *out) {
  out[0] = swept_dot(c->normal, x);
  out[1] = swept_dot(c->tangent, x);
  out[2] = swept_dot(second, x);
}

/* x of components in the frame. */
static inline void swept_from_frame(const swept_contact *c, const double *second, const double *in,
                                    double *x) {
  for (int i = 0; i < 3; i++)
    x[i] = in[0] * c->normal[i] + in[1] * c->tangent[i] + in[2] * second[i];
}

#endif
