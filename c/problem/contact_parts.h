/* SPDX-License-Identifier: MIT */
/* The parts of a contact with friction or rolling in the residual of problem.h: with the weight w
 * of the first row of each, and c = chat / w,
 *
 *   r_n = |min(w y_n, c λ_n)|,   r_k = ‖c λ_k − P(c λ_k − w y_k)‖,   P on ‖x‖ <= c μ_k λ_n⁺. */
#ifndef PERP_PROBLEM_CONTACT_PARTS_H
#define PERP_PROBLEM_CONTACT_PARTS_H

#include "perp/law.h"
#include "problem/cone.h"

typedef struct contact_parts {
  int32_t count; /* 2, with rolling 3                                       */
  int32_t half;  /* rows of each but the first, which is that of the normal */
  double r[3];
} contact_parts;

/* r_k of size rows, radius μ_k λ_n⁺. */
static inline double contact_ball(int32_t size, double c, double w, double radius,
                                  const double *lambda, const double *y) {
  const double most = c * radius;
  double x[2] = {0, 0}, moved[2] = {0, 0};
  for (int32_t k = 0; k < size; k++) {
    x[k] = c * lambda[k];
    moved[k] = x[k] - w * y[k];
  }
  const double length = cone_norm(size, moved);
  if (length <= most) return w * cone_norm(size, y);
  for (int32_t k = 0; k < size; k++) x[k] -= most * (moved[k] / length);
  return cone_norm(size, x);
}

/* contact_ball() where c λ is so much larger than y that its last bits matter; radius is mu push.
 */
double perp_contact_ball_fine(int32_t size, double c, double w, double mu, double push,
                              const double *lambda, const double *y);

/* weight: of the rows of the contact, NULL: all 1; fine: see above. */
static inline contact_parts contact_parts_of(const perp_law *law, double chat, const double *weight,
                                             const double *lambda, const double *y, int fine) {
  const int rolls = law->ops->set == PERP_SET_ROLLING;
  const perp_friction *f = (const perp_friction *)(const void *)law;
  const perp_rolling *g = (const perp_rolling *)(const void *)law;
  const double mu[2] = {rolls ? g->mu : f->mu, rolls ? g->mu_rolling : 0};
  const double push = lambda[0] > 0 ? lambda[0] : 0, first = weight == NULL ? 1 : weight[0];
  const double x = chat / first * lambda[0], v = first * y[0];
  contact_parts out = {rolls ? 3 : 2, rolls ? (law->size - 1) / 2 : law->size - 1, {0, 0, 0}};
  out.r[0] = fabs(x < v ? x : v);
  for (int32_t k = 0, i = 1; k + 1 < out.count; k++, i += out.half) {
    const double w = weight == NULL ? 1 : weight[i], c = chat / w;
    out.r[k + 1] = fine ? perp_contact_ball_fine(out.half, c, w, mu[k], push, lambda + i, y + i)
                        : contact_ball(out.half, c, w, mu[k] * push, lambda + i, y + i);
  }
  return out;
}

#endif
