// SPDX-License-Identifier: MIT
// Systems that are switched off are not there: the others move as in a model without them.
#include <gtest/gtest.h>

#include <cmath>

#include "pool_tools.hpp"

namespace {

using tools::kGravity;
using tools::pooled;
using tools::run;
using tools::vec;
using tools::world;

TEST(Switch, OthersMoveAsIfItWereNotThere) {
  // the upper of two beads rests on the lower, which rests on the floor; without the lower it falls
  world two;
  tools::make_column(two, {0, 0.1}, 1, kGravity, 0);
  two.join(two.contacts[0].relation, two.impact(0), {1});  // bead 1 and the floor
  two.options.switchable = 1;
  world one;
  tools::make_ball(one, 1, kGravity, 0.1, 0, 0);
  run a(two), b(one);
  ASSERT_EQ(a.status, PERP_OK) << a.info.field;
  ASSERT_EQ(perp_simulation_set_active(a.sim, 0, 0), PERP_OK);
  EXPECT_EQ(perp_simulation_is_active(a.sim, 0), 0);
  EXPECT_EQ(perp_simulation_is_active(a.sim, 1), 1);
  for (int k = 0; k < 60; k++) {
    ASSERT_EQ(a.step(), PERP_OK);
    ASSERT_EQ(b.step(), PERP_OK);
    EXPECT_EQ(a.q(1), b.q(0)) << k;
    EXPECT_EQ(a.v(1), b.v(0)) << k;
    EXPECT_EQ(a.q(0), 0);
    EXPECT_EQ(a.v(0), 0);
    EXPECT_EQ(a.lambda(0), 0);
    EXPECT_EQ(a.lambda(1), 0);
  }
  EXPECT_NEAR(a.v(1), 0, 1e-15);
}

TEST(Switch, WhatComesBackGoesOnFromWhereItWas) {
  world w, alone;
  tools::make_ball(w, 1, kGravity, 1, 0.5, 0.5);
  w.add(w.bodies[0].system);  // falls freely
  w.q0.push_back(3);
  w.v0.push_back(-2);
  w.options.switchable = 1;
  tools::make_ball(alone, 1, kGravity, 1, 0.5, 0.5);
  run a(w), b(alone);
  ASSERT_EQ(a.steps(7), PERP_OK);
  ASSERT_EQ(b.steps(7), PERP_OK);
  ASSERT_EQ(perp_simulation_set_active(a.sim, 0, 0), PERP_OK);
  const double free_q = a.q(1);
  ASSERT_EQ(a.steps(50), PERP_OK);
  EXPECT_EQ(a.q(0), b.q(0));
  EXPECT_EQ(a.v(0), b.v(0));
  EXPECT_LT(a.q(1), free_q - 1);
  double kinetic = 0;
  EXPECT_EQ(perp_simulation_energy(a.sim, &kinetic, nullptr), PERP_OK);
  EXPECT_NEAR(kinetic, 0.5 * a.v(1) * a.v(1), 1e-12);
  ASSERT_EQ(perp_simulation_set_active(a.sim, 0, 1), PERP_OK);
  for (int k = 0; k < 200; k++) {
    ASSERT_EQ(a.step(), PERP_OK);
    ASSERT_EQ(b.step(), PERP_OK);
    EXPECT_EQ(a.q(0), b.q(0)) << k;
  }
}

// Laws that always act are left, too, and taken up again.
TEST(Switch, EquationsOfWhatIsOffDoNotHold) {
  world w;
  perp_lagrangian_linear &s = w.body(vec{1});
  w.add(s.system);
  w.add(s.system);
  w.join(w.contact(1, 2, {1, -1}).relation, w.equality(), {0, 1});
  w.options.solver = perp_solver_box_pivoting();
  w.options.switchable = 1;
  w.v0 = {2, 2};
  w.bodies[0].f = w.keep({0.5});
  run r(w);
  ASSERT_EQ(r.steps(3), PERP_OK) << r.info.field;
  EXPECT_NEAR(r.v(0), r.v(1), 1e-14);
  ASSERT_EQ(perp_simulation_set_active(r.sim, 1, 0), PERP_OK);
  const double v = r.v(0);
  ASSERT_EQ(r.steps(4), PERP_OK);
  EXPECT_NEAR(r.v(0), v + 4 * 0.5 * w.options.h, 1e-14);
  EXPECT_NEAR(r.v(1), v, 1e-14);
  EXPECT_EQ(r.lambda(), 0);
  ASSERT_EQ(perp_simulation_set_active(r.sim, 1, 1), PERP_OK);
  ASSERT_EQ(r.step(), PERP_OK);
  EXPECT_NEAR(r.v(0), r.v(1), 1e-14);
}

// A relation by callback joins a constant system that is off: its rate is that of the frozen one.
TEST(Switch, RatesKnowThatASystemIsFrozen) {
  world w;
  perp_lagrangian_linear &s = w.body(vec{1});
  s.f = w.keep({-kGravity});
  w.add(s.system);
  w.add(s.system);
  perp_lagrangian_relation gap;
  perp_lagrangian_scleronomous_init(&gap, sizeof gap, 1, 2);
  gap.h = [](double, const double *q, const double *, const double *, double *out,
             void *) -> std::int32_t {
    out[0] = q[1] - q[0];
    return 0;
  };
  w.join(gap.relation, w.impact(0.5), {0, 1});
  w.options.switchable = 1;
  w.q0 = {0, 10};
  w.v0 = {0, -1};
  run r(w);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  ASSERT_EQ(perp_simulation_set_active(r.sim, 1, 0), PERP_OK);
  ASSERT_EQ(r.steps(10), PERP_OK);
  EXPECT_EQ(r.v(1), -1);
  EXPECT_NEAR(perp_simulation_ydot(r.sim, 0)[0], -1 - r.v(0), 1e-8);
  EXPECT_NEAR(r.y(), 10 - r.q(0), 1e-12);
}

TEST(Switch, ACheckpointKnowsWhatIsOff) {
  world w;
  tools::make_column(w, {0.1, 0.1, 0.1}, 1, kGravity, 0.3);
  w.options.switchable = 1;
  run a(w);
  ASSERT_EQ(a.steps(5), PERP_OK);
  ASSERT_EQ(perp_simulation_set_active(a.sim, 1, 0), PERP_OK);
  ASSERT_EQ(a.steps(20), PERP_OK);
  const auto bytes = a.bytes();
  run b(w.model, w.options, 0, bytes.data());
  ASSERT_EQ(b.status, PERP_OK);
  EXPECT_EQ(perp_simulation_is_active(b.sim, 1), 0);
  for (int k = 0; k < 40; k++) {
    if (k == 20) {
      ASSERT_EQ(perp_simulation_set_active(a.sim, 1, 1), PERP_OK);
      ASSERT_EQ(perp_simulation_set_active(b.sim, 1, 1), PERP_OK);
    }
    ASSERT_EQ(a.step(), PERP_OK);
    ASSERT_EQ(b.step(), PERP_OK);
    ASSERT_EQ(a.bytes(), b.bytes()) << k;
  }
  w.options.switchable = 0;
  run c(w.model, w.options, 0, bytes.data());
  EXPECT_EQ(c.status, PERP_EINVAL);
}

// Circuits: two capacitors joined by a diode, one with a resistor to its source.
TEST(Switch, FirstOrderSystemsRestToo) {
  world w;
  perp_first_order_linear &s = w.circuit(1);
  s.A = perp_diagonal(1, w.keep({-1}));
  w.add(s.system);
  w.add(s.system);
  perp_linear_relation &r = w.port(1, 2, {1, -1});
  r.B = w.keep({1, -1});
  r.D = w.keep({0.1});
  r.a = w.keep({0.5, 0.25});
  w.join(r.relation, w.complementarity(), {0, 1});
  w.x0 = {1, 2};
  w.options.integrator = perp_integrator_theta();
  w.options.switchable = 1;
  run a(w);
  ASSERT_EQ(a.status, PERP_OK) << a.info.field;
  ASSERT_EQ(perp_simulation_set_active(a.sim, 1, 0), PERP_OK);
  double x = 1;
  for (int k = 0; k < 50; k++) {
    ASSERT_EQ(a.step(), PERP_OK);
    x *= (1 - 0.5 * w.options.h) / (1 + 0.5 * w.options.h);  // no reaction at all
    EXPECT_NEAR(a.x(0), x, 1e-14);
    EXPECT_EQ(a.x(1), 2);
    EXPECT_EQ(a.lambda(0), 0);
    EXPECT_NEAR(a.y(0), x - 2, 1e-14);
  }
}

// Three states coupled through reactions that read them; without the third, the others move as two.
TEST(Switch, AChainOfReactionsIsCut) {
  perp_first_order_relation link;
  perp_first_order_relation_init(&link, sizeof link, 1, 2);
  link.reads = PERP_OUTPUT_READS_LAMBDA | PERP_REACTION_READS_X;
  link.h = [](double, const double *x, const double *lambda, const double *, double *out,
              void *) -> std::int32_t {
    out[0] = x[0] * x[0] - x[1] + 0.5 * lambda[0];
    return 0;
  };
  link.g = [](double, const double *x, const double *lambda, const double *, double *out,
              void *) -> std::int32_t {
    const double flow = 2 * std::pow(x[1] - x[0], 3) + lambda[0];
    out[0] = flow;
    out[1] = -flow;
    return 0;
  };
  const auto fill = [&](world &w, std::int32_t n) {
    perp_first_order_linear &s = w.circuit(1);
    s.A = perp_diagonal(1, w.keep({-0.3}));
    for (std::int32_t i = 0; i < n; i++) {
      w.add(s.system);
      w.x0.push_back(1.5 * i - 0.5);
      if (i > 0) w.join(link.relation, w.complementarity(), {i - 1, i});
    }
    w.options.integrator = perp_integrator_theta();
    w.options.switchable = 1;
  };
  world three, two;
  fill(three, 3);
  fill(two, 2);
  run a(three), b(two);
  ASSERT_EQ(a.status, PERP_OK) << a.info.field;
  ASSERT_EQ(perp_simulation_set_active(a.sim, 2, 0), PERP_OK);
  for (int k = 0; k < 40; k++) {
    ASSERT_EQ(a.step(), PERP_OK) << a.info.field;
    ASSERT_EQ(b.step(), PERP_OK);
    EXPECT_NEAR(a.x(0), b.x(0), 1e-9) << k;
    EXPECT_NEAR(a.x(1), b.x(1), 1e-9) << k;
    EXPECT_EQ(a.x(2), 2.5);
    EXPECT_EQ(a.lambda(1), 0);
  }
  EXPECT_NE(b.lambda(0), 0);
  ASSERT_EQ(perp_simulation_set_active(a.sim, 2, 1), PERP_OK);
  ASSERT_EQ(a.step(), PERP_OK);
  EXPECT_LT(a.x(2), 2.4);
}

// Bodies by Newton's iteration: off, neither force nor contact is evaluated for one.
TEST(Switch, ABodyThatIsOffIsNotEvaluated) {
  static int calls;
  calls = 0;
  pooled w(4);
  perp_body falling, counted;
  perp_body_init(&falling, sizeof falling);
  falling.f[2] = -kGravity;
  counted = falling;
  counted.force = [](double, const double *, const double *, double *f, void *) -> std::int32_t {
    calls++;
    f[0] = f[1] = f[2] = 0;
    return 0;
  };
  counted.force_jacobian = [](double, const double *, const double *, double *, double *,
                              void *) -> std::int32_t { return 0; };
  w.add(falling.system);
  w.add(counted.system);
  w.q0 = {0, 0, 0.1, 1, 0, 0, 0, 1, 0, 0.1, 1, 0, 0, 0};
  w.v0 = {0, 0, 0, 0, 0, 1, 3, 0, 0, 1, 2, 3};
  w.options.switchable = 1;
  w.law(w.friction(3, 0.2));
  w.find = [&](double, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
    for (std::int32_t i = 0; i < 2; i++) {
      const double *q = perp_simulation_q(sim, i);
      out.push_back(tools::contact_of(i, PERP_GROUND, q[2] - 0.1, {0, 0, 1}));
      for (std::size_t c = 0; c < 3; c++) out.back().place.a[c] = q[c] - (c == 2 ? 0.1 : 0);
    }
    return 0;
  };
  run a(w);
  ASSERT_EQ(a.status, PERP_OK) << a.info.field;
  ASSERT_EQ(a.steps(2), PERP_OK);
  EXPECT_GT(calls, 0);
  EXPECT_EQ(w.answers, (std::vector<std::int32_t>{1, 1}));
  ASSERT_EQ(perp_simulation_set_active(a.sim, 1, 0), PERP_OK);
  calls = 0;
  const vec before(perp_simulation_q(a.sim, 1), perp_simulation_q(a.sim, 1) + 7);
  const vec speed(perp_simulation_v(a.sim, 1), perp_simulation_v(a.sim, 1) + 6);
  for (int k = 0; k < 20; k++) {
    ASSERT_EQ(a.step(), PERP_OK) << a.info.field;
    EXPECT_EQ(w.answers, (std::vector<std::int32_t>{1, 0}));
    EXPECT_NEAR(a.v(0, 2), 0, 1e-12);
    for (std::size_t c = 0; c < 7; c++) EXPECT_EQ(a.q(1, c), before[c]);
    for (std::size_t c = 0; c < 6; c++) EXPECT_EQ(a.v(1, c), speed[c]);
  }
  EXPECT_EQ(calls, 0);
  ASSERT_EQ(perp_simulation_set_active(a.sim, 1, 1), PERP_OK);
  ASSERT_EQ(a.step(), PERP_OK);
  EXPECT_GT(calls, 0);
  EXPECT_GT(a.q(1, 0), before[0]);
}

TEST(Switch, IsRefusedWhereItIsNotPossible) {
  world w;
  tools::make_ball(w, 1, kGravity, 1, 0, 0.5);
  run a(w);
  EXPECT_EQ(perp_simulation_set_active(a.sim, 0, 0), PERP_EUNSUPPORTED);
  EXPECT_EQ(perp_simulation_is_active(a.sim, 0), 1);
  w.options.switchable = 1;
  run b(w.model, w.options);
  EXPECT_EQ(perp_simulation_set_active(nullptr, 0, 0), PERP_EINVAL);
  EXPECT_EQ(perp_simulation_set_active(b.sim, 1, 0), PERP_EINVAL);
  EXPECT_EQ(perp_simulation_set_active(b.sim, -1, 0), PERP_EINVAL);
  EXPECT_EQ(perp_simulation_set_active(b.sim, 0, 2), PERP_EINVAL);
  EXPECT_EQ(perp_simulation_is_active(b.sim, 5), 0);
  EXPECT_EQ(perp_simulation_is_active(nullptr, 0), 0);
  w.options.switchable = 3;
  run c(w.model, w.options);
  EXPECT_EQ(c.status, PERP_EINVAL);
  EXPECT_STREQ(c.info.field, "switchable");
  w.options.switchable = 1;
  w.options.integrator = perp_integrator_schatzman_paoli();
  run d(w.model, w.options);
  EXPECT_EQ(d.status, PERP_EUNSUPPORTED);
  EXPECT_STREQ(d.info.field, "switchable");
}

}  // namespace
