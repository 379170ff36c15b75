/* SPDX-License-Identifier: MIT */
/* Systems in static memory that every step evaluates anew, in C and with no libm but sqrt: a
 * mechanism that slides on a curved floor, a swinging pair of bodies, oscillators whose reactions
 * depend on their states, grains. */
#ifndef PERP_TESTS_LIVE_SYSTEMS_H
#define PERP_TESTS_LIVE_SYSTEMS_H

#include <math.h>

#include "perp/perp.h"

/* ---- a mechanism: M(q) = [2 + a², 0.3 a; 0.3 a, 1], a = q_1, on y = q_0 + 0.1 q_1² >= 0 ---- */

static int32_t arm_mass(double t, const double *q, const double *v, const double *z, double *M,
                        void *user) {
  (void)t, (void)v, (void)z, (void)user;
  M[0] = 2 + q[1] * q[1];
  M[1] = M[2] = 0.3 * q[1];
  M[3] = 1;
  return 0;
}

/* What the variation of M brings. */
static int32_t arm_gyroscopic(double t, const double *q, const double *v, const double *z,
                              double *N, void *user) {
  (void)t, (void)z, (void)user;
  N[0] = 2 * q[1] * v[0] * v[1] + 0.3 * v[1] * v[1];
  N[1] = -q[1] * v[0] * v[0];
  return 0;
}

static int32_t arm_internal(double t, const double *q, const double *v, const double *z, double *F,
                            void *user) {
  (void)t, (void)z, (void)user;
  F[0] = 0.1 * v[0];
  F[1] = 20 * q[1] + 15 * q[1] * q[1] * q[1] + 0.05 * v[1];
  return 0;
}

static int32_t arm_internal_dq(double t, const double *q, const double *v, const double *z,
                               double *out, void *user) {
  (void)t, (void)v, (void)z, (void)user;
  out[3] = 20 + 45 * q[1] * q[1];
  return 0;
}

static int32_t floor_gap(double t, const double *q, const double *lambda, const double *z,
                         double *y, void *user) {
  (void)t, (void)lambda, (void)z, (void)user;
  y[0] = q[0] + 0.1 * q[1] * q[1];
  return 0;
}

static int32_t floor_H(double t, const double *q, const double *lambda, const double *z, double *H,
                       void *user) {
  (void)t, (void)lambda, (void)z, (void)user;
  H[0] = 1;
  H[1] = 0.2 * q[1];
  return 0;
}

static int32_t floor_T(double t, const double *q, const double *lambda, const double *z, double *T,
                       void *user) {
  (void)t, (void)lambda, (void)z, (void)user;
  T[0] = -0.2 * q[1];
  T[1] = 1;
  return 0;
}

static const perp_model *mechanism(int rough) {
  static const double f[] = {-19.62, 3}, q0[] = {0.3, 0.4}, v0[] = {0, 1.5};
  static const int32_t systems[] = {0};
  static perp_lagrangian arm;
  static perp_lagrangian_contact_relation sliding;
  static perp_lagrangian_relation smooth;
  static perp_friction friction;
  static perp_newton_impact impact;
  static perp_interaction contacts[2];
  static const perp_system *const all[] = {&arm.system};
  static const perp_interaction *const joined[2] = {&contacts[0], &contacts[1]};
  static perp_model models[2] = {PERP_MODEL_INIT, PERP_MODEL_INIT};

  (void)perp_lagrangian_init(&arm, sizeof arm, 2);
  arm.mass = arm_mass;
  arm.gyroscopic = arm_gyroscopic;
  arm.internal = arm_internal;
  arm.internal_dq = arm_internal_dq;
  arm.f = f;
  (void)perp_lagrangian_contact_relation_init(&sliding, sizeof sliding, 1, 2, 2);
  sliding.h = floor_gap;
  sliding.G = floor_H;
  sliding.T = floor_T;
  (void)perp_lagrangian_scleronomous_init(&smooth, sizeof smooth, 1, 2);
  smooth.h = floor_gap;
  smooth.H = floor_H;
  (void)perp_friction_init(&friction, sizeof friction);
  friction.law.size = 2;
  friction.mu = 0.4;
  friction.e_n = 0.5;
  (void)perp_newton_impact_init(&impact, sizeof impact);
  impact.e = 0.7;
  contacts[0].relation = &smooth.relation;
  contacts[0].law = &impact.law;
  contacts[1].relation = &sliding.relation;
  contacts[1].law = &friction.law;
  for (int i = 0; i < 2; i++) {
    contacts[i].systems = systems;
    contacts[i].n_systems = 1;
    models[i].n_systems = models[i].n_interactions = 1;
    models[i].systems = all;
    models[i].interactions = &joined[i];
    models[i].q0 = q0;
    models[i].v0 = v0;
  }
  return &models[rough];
}

/* ---- two bodies: one hangs on a ball joint, the other by a pivot on it, over a rough floor ----
 */

static const perp_model *swing(void) {
  static const double q0[] = {0.5, 0, 1.2, 1, 0, 0, 0, 1.5, 0, 1.2, 1, 0, 0, 0};
  static const double v0[] = {0, 0, 0, 0.5, 0, 0, 0, 0, 0, 0, 0, 0.5};
  static const double root[] = {0, 0, 1.2}, middle[] = {1, 0, 1.2}, axis[] = {0, 1, 0};
  static const int32_t systems[] = {0, 1};
  static perp_body upper, lower;
  static perp_joint ball_joint, pivot;
  static perp_body_contact touching;
  static perp_sphere_plane ground = {0.3, {0, 0, 1}, -0.9};
  static perp_equality three, five;
  static perp_friction friction;
  static perp_interaction joined[3];
  static const perp_system *const all[] = {&upper.system, &lower.system};
  static const perp_interaction *const interactions[] = {&joined[0], &joined[1], &joined[2]};
  static perp_model model = PERP_MODEL_INIT;

  (void)perp_body_init(&upper, sizeof upper);
  (void)perp_body_init(&lower, sizeof lower);
  upper.inertia[0] = lower.inertia[0] = 0.01;
  upper.inertia[4] = upper.inertia[8] = 0.09;
  lower.inertia[4] = lower.inertia[8] = 0.12;
  upper.f[2] = lower.f[2] = -9.81;
  (void)perp_joint_init(&ball_joint, sizeof ball_joint, PERP_JOINT_SPHERICAL, 1);
  (void)perp_joint_place(&ball_joint, root, NULL, q0, NULL);
  (void)perp_joint_init(&pivot, sizeof pivot, PERP_JOINT_PIVOT, 2);
  (void)perp_joint_place(&pivot, middle, axis, q0, q0 + 7);
  (void)perp_body_contact_init(&touching, sizeof touching, 3, 1);
  touching.locate = perp_locate_sphere_plane;
  touching.user = &ground;
  (void)perp_equality_init(&three, sizeof three);
  three.law.size = 3;
  (void)perp_equality_init(&five, sizeof five);
  five.law.size = 5;
  (void)perp_friction_init(&friction, sizeof friction);
  friction.mu = 0.3;
  friction.e_n = 0.2;
  joined[0].relation = &ball_joint.relation;
  joined[0].law = &three.law;
  joined[1].relation = &pivot.relation;
  joined[1].law = &five.law;
  joined[2].relation = &touching.relation;
  joined[2].law = &friction.law;
  for (int i = 0; i < 3; i++) {
    joined[i].systems = i == 2 ? systems + 1 : systems;
    joined[i].n_systems = i == 1 ? 2 : 1;
  }
  model.n_systems = 2;
  model.n_interactions = 3;
  model.systems = all;
  model.interactions = interactions;
  model.q0 = q0;
  model.v0 = v0;
  return &model;
}

/* ---- three oscillators in a chain of reactions r = K x + B λ that saturate ---- */

static int32_t oscillator_f(double t, const double *x, const double *z, double *f, void *user) {
  (void)t, (void)z, (void)user;
  f[0] = x[1];
  f[1] = -x[0] + 2 * (1 - x[0] * x[0]) * x[1];
  return 0;
}

static int32_t chain_h(double t, const double *x, const double *lambda, const double *z, double *y,
                       void *user) {
  (void)t, (void)z, (void)user;
  y[0] = x[0] - 0.5 * x[2] + 0.3 * lambda[0] + 0.1 * lambda[0] * lambda[0];
  return 0;
}

static int32_t chain_g(double t, const double *x, const double *lambda, const double *z, double *r,
                       void *user) {
  (void)t, (void)z, (void)user;
  r[0] = lambda[0] - 0.2 * x[2] * x[2];
  r[1] = -0.4 * (x[1] - x[3]);
  r[2] = -0.5 * lambda[0];
  r[3] = 0.4 * (x[1] - x[3]);
  return 0;
}

static const perp_model *chain(void) {
  static const double x0[] = {1, 0, -0.5, 0.3, 0.2, -1};
  static const int32_t systems[] = {0, 1, 2};
  static perp_first_order oscillator;
  static perp_first_order_relation coupling;
  static perp_complementarity law;
  static perp_interaction joined[2];
  static const perp_system *const all[] = {&oscillator.system, &oscillator.system,
                                           &oscillator.system};
  static const perp_interaction *const interactions[] = {&joined[0], &joined[1]};
  static perp_model model = PERP_MODEL_INIT;

  (void)perp_first_order_init(&oscillator, sizeof oscillator, 2);
  oscillator.f = oscillator_f;
  (void)perp_first_order_relation_init(&coupling, sizeof coupling, 1, 4);
  coupling.h = chain_h;
  coupling.g = chain_g;
  (void)perp_complementarity_init(&law, sizeof law);
  for (int i = 0; i < 2; i++) {
    joined[i].relation = &coupling.relation;
    joined[i].law = &law.law;
    joined[i].systems = systems + i;
    joined[i].n_systems = 2;
  }
  model.n_systems = 3;
  model.n_interactions = 2;
  model.systems = all;
  model.interactions = interactions;
  model.x0 = x0;
  return &model;
}

/* ---- grains that fall on each other and on the floor, found by a callback ---- */

enum { GRAINS = 5 };

static int32_t find_grains(double t, const perp_simulation *sim, perp_pool_writer *out,
                           void *user) {
  (void)t, (void)user;
  const double radius = 0.1, margin = 0.05;
  int32_t answer = 0;
  for (int32_t i = 0; i < GRAINS; i++) {
    const double *a = perp_simulation_q(sim, i);
    for (int32_t j = -1; j < i; j++) {
      perp_pool_contact c = {{i, j}, 0, 0, {0, 0}, {0, {0, 0, 0}, {0}, {0}, {0}, {0}}};
      if (j < 0) {
        c.place.gap = a[2] - radius;
        c.place.normal[2] = 1;
      } else {
        const double *b = perp_simulation_q(sim, j);
        const double d[] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
        const double distance = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        c.place.gap = distance - 2 * radius;
        for (int k = 0; k < 3; k++) c.place.normal[k] = d[k] / distance;
      }
      if (c.place.gap >= margin) continue;
      answer = perp_pool_add(out, &c, NULL);
      if (answer != PERP_OK) return answer;
    }
  }
  return 0;
}

static const perp_model *grains(void) {
  static const double M[] = {1, 1, 1}, f[] = {0, 0, -9.81};
  static double q0[3 * GRAINS];
  static perp_lagrangian_linear grain;
  static perp_friction friction;
  static const perp_law *const laws[] = {&friction.law};
  static const perp_system *all[GRAINS];
  static perp_contact_pool pool = PERP_CONTACT_POOL_INIT;
  static perp_model model = PERP_MODEL_INIT;

  (void)perp_lagrangian_linear_init(&grain, sizeof grain, 3);
  grain.M = perp_diagonal(3, M);
  grain.f = f;
  (void)perp_friction_init(&friction, sizeof friction);
  friction.mu = 0.5;
  for (int32_t i = 0; i < GRAINS; i++) {
    all[i] = &grain.system;
    q0[3 * i] = 0.04 * i;
    q0[3 * i + 1] = i % 2 * 0.03;
    q0[3 * i + 2] = 0.12 + 0.22 * i;
  }
  pool.capacity = 8;
  pool.n_laws = 1;
  pool.laws = laws;
  pool.find = find_grains;
  model.n_systems = GRAINS;
  model.systems = all;
  model.q0 = q0;
  model.pool = &pool;
  return &model;
}

#endif
