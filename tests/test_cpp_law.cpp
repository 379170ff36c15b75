// SPDX-License-Identifier: MIT
// Laws of the façade become the C laws of the same name, with their data; graphs are taken apart
// where they are connected and put together where they are seen; callables are called, and what
// they throw comes out.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "perp/perp.hpp"

namespace {

using perp::law;
using perp::view;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <class C>
const C &as(const perp::detail::c_law &l) {
  return *reinterpret_cast<const C *>(l.head);
}

TEST(CppLaw, DataArriveInC) {
  const law mixed = perp::mixed(1, 2);
  const perp::detail::c_law m(mixed);
  EXPECT_STREQ(m.head->ops->name, "mixed");
  EXPECT_EQ(m.head->size, 3);
  EXPECT_EQ(as<perp_mixed>(m).equalities, 1);
  const perp::detail::c_law c(perp::compliant(1000, 3, 0.75));
  EXPECT_STREQ(c.head->ops->name, "compliant");
  EXPECT_EQ(as<perp_compliant>(c).k, 1000);
  EXPECT_EQ(as<perp_compliant>(c).c, 3);
  EXPECT_EQ(as<perp_compliant>(c).theta, 0.75);
  const perp::detail::c_law f(perp::fremond_2d(0.3, 0.8)), f3(perp::fremond_3d(0.3));
  EXPECT_STREQ(f.head->ops->name, "fremond");
  EXPECT_EQ(f.head->size, 2);
  EXPECT_EQ(f3.head->size, 3);
  EXPECT_EQ(as<perp_fremond>(f).friction.mu, 0.3);
  EXPECT_EQ(as<perp_fremond>(f).friction.e_n, 0.8);
  law bonded = perp::cohesive_3d(0.5, 1e6, 20, 0.01);
  bonded.slip_weight = 0.5;
  bonded.e = 0.25;
  const perp::detail::c_law b(bonded), b2(perp::cohesive_2d(0.5, 1e6, 20));
  EXPECT_STREQ(b.head->ops->name, "cohesive");
  EXPECT_EQ(b.head->size, 3);
  EXPECT_EQ(b2.head->size, 2);
  EXPECT_EQ(as<perp_cohesive>(b).friction.mu, 0.5);
  EXPECT_EQ(as<perp_cohesive>(b).friction.e_n, 0.25);
  EXPECT_EQ(as<perp_cohesive>(b).sigma_c, 1e6);
  EXPECT_EQ(as<perp_cohesive>(b).G_c, 20);
  EXPECT_EQ(as<perp_cohesive>(b).area, 0.01);
  EXPECT_EQ(as<perp_cohesive>(b).slip_weight, 0.5);
  const law relay = perp::relay(2);
  const perp::detail::c_law r(relay);
  EXPECT_EQ(as<perp_box>(r).lower[0], -2);
  EXPECT_EQ(as<perp_box>(r).upper[0], 2);
}

TEST(CppLaw, ByComponentAndSize) {
  EXPECT_TRUE(perp::mixed(1, 1).by_component());
  EXPECT_EQ(perp::mixed(1, 1).size(), 2);
  EXPECT_TRUE(perp::compliant(1).by_component());
  EXPECT_TRUE(perp::relay_dead_zone(1).by_component());
  EXPECT_EQ(perp::relay_dead_zone(1).size(), 1);
  EXPECT_FALSE(perp::fremond_2d(0.1).by_component());
  EXPECT_FALSE(perp::cohesive_3d(0.1, 1, 1).by_component());
  const auto nothing = [](const perp::law_step &, perp::span) {};
  EXPECT_TRUE(perp::impact(nothing).by_component());
  EXPECT_FALSE(perp::impact_3d(0.1, nothing).by_component());
  EXPECT_EQ(perp::impact_3d(0.1, nothing).size(), 3);
}

template <class Call>
void expect_refusal(Call &&call, const std::string &word) {
  try {
    call();
    FAIL() << "accepted " << word;
  } catch (const perp::error &e) {
    EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
  }
}

TEST(CppLaw, WrongDataAreRefusedWhereTheyAreConnected) {
  perp::model m;
  const auto body = m.add(perp::lagrangian_linear(2, {1.0, 1.0}));
  const auto circuit = m.add(perp::first_order_linear(1));
  perp::lagrangian_linear_relation plane({1.0, 0.0, 0.0, 1.0});
  perp::linear_relation port;
  port.C = 1.0;
  expect_refusal([&] { m.connect(plane, perp::mixed(-1, 3), body); }, "equalities");
  expect_refusal([&] { perp::mixed(3, -1); }, "complementarities");
  expect_refusal([&] { perp::mixed(3, std::numeric_limits<std::int32_t>::max()); },
                 "complementarities");
  expect_refusal([&] { m.connect(plane, perp::compliant(-1), body); }, "k");
  expect_refusal([&] { m.connect(plane, perp::fremond_2d(-1), body); }, "mu");
  expect_refusal([&] { m.connect(plane, perp::cohesive_2d(0.5, 1, 0), body); }, "G_c");
  expect_refusal([&] { m.connect(plane, perp::impact_2d(0.5, nullptr), body); }, "restitute");
  expect_refusal([&] { m.connect(port, perp::piecewise_linear({1, 0}, {0, 0}), circuit); }, "y");
  expect_refusal([&] { m.connect(port, perp::piecewise_linear({0, 1}, {0}), circuit); }, "lambda");
  expect_refusal([&] { m.connect(port, perp::piecewise_linear({0}, {0}, -1), circuit); },
                 "slope_before");
  perp::law_functions cone;
  cone.set = PERP_SET_CONE;
  expect_refusal([&] { m.connect(plane, perp::user_law(cone), body); }, "set");
  expect_refusal([&] { m.connect(plane, perp::user_law(perp::law_functions()), body); }, "project");
  const double one = 1, zero = 0;
  expect_refusal(
      [&] { perp::problem(view(&one, 1), view(&zero, 1)).add(perp::relay_dead_zone(1)); },
      "connect");
  EXPECT_EQ(m.interactions(), 0u);
}

TEST(CppLaw, RelayWithDeadZoneAsALawOfSizeOne) {
  perp::model m;
  perp::first_order_linear s(1);
  s.b = 0.3;
  std::vector<perp::system_id> x;
  perp::linear_relation port;
  port.C = 1.0;
  port.B = 1.0;
  std::vector<perp::interaction_id> relay;
  for (int i = 0; i < 3; i++) {
    x.push_back(m.add(s, {2.0 + i}));
    relay.push_back(m.connect(port, perp::relay_dead_zone(0.5), x.back()));
  }
  const perp::c_model c(m);
  EXPECT_EQ(c.get()->interactions[0]->relation, c.get()->interactions[2]->relation)
      << "taken apart once";
  perp::simulation sim(m, 0.01, 800);
  ASSERT_EQ(sim.run([&](const perp::simulation &now) {
    for (int i = 0; i < 3; i++) {
      const auto id = relay[static_cast<std::size_t>(i)];
      ASSERT_EQ(now.lambda(id).size(), 1u);
      EXPECT_NEAR(now.y(id)[0], now.x(x[static_cast<std::size_t>(i)])[0], 1e-9);
      const double y = now.y(id)[0], lambda = now.lambda(id)[0];
      if (y > 0.5 + 1e-7) {
        EXPECT_NEAR(lambda, -1, 1e-9);
      }
      double force = 999;
      now.force(id, perp::span(&force, 1));
      EXPECT_EQ(force, lambda);
    }
  }),
            PERP_END);
  for (int i = 0; i < 3; i++) {
    EXPECT_NEAR(sim.x(x[static_cast<std::size_t>(i)])[0], 0.5, 1e-9);
    EXPECT_NEAR(sim.lambda(relay[static_cast<std::size_t>(i)])[0], -0.3, 1e-9);
  }
}

TEST(CppLaw, GraphsOnBodiesShowGapVelocityAndImpulse) {
  perp::model m;
  perp::lagrangian_linear s(1, 2.0, 5.0);
  const auto body = m.add(s, {0.25}, {-1.0});
  // a brake: 0.1 N s at most, and a little more with speed
  const auto brake = m.connect(perp::lagrangian_linear_relation(1.0),
                               perp::piecewise_linear({0.0, 0.0}, {0.1, -0.1}, 0.01, 0.01), body);
  perp::simulation sim(m, 0.05, 40);
  double v = -1;
  ASSERT_EQ(sim.run([&](const perp::simulation &now) {
    EXPECT_NEAR(now.y(brake)[0], now.q(body)[0], 1e-12);
    EXPECT_NEAR(now.ydot(brake)[0], now.v(body)[0], 1e-9);
    EXPECT_NEAR(2 * (now.v(body)[0] - v), 0.25 + now.lambda(brake)[0], 1e-9);
    v = now.v(body)[0];
    if (v > 1e-9) {
      EXPECT_NEAR(now.lambda(brake)[0], -0.1 - 0.01 * v, 1e-7);
    }
    double f = 999;
    now.force(brake, perp::span(&f, 1));
    EXPECT_NEAR(f, now.lambda(brake)[0] / 0.05, 1e-12);
  }),
            PERP_END);
  EXPECT_GT(v, 0.5);
}

TEST(CppLaw, ImpactByLambda) {
  perp::model m;
  int calls = 0;
  const auto ball = m.add(perp::lagrangian_linear(1, 3.0), {0.0}, {-2.0});
  m.connect(perp::lagrangian_linear_relation(1.0),
            perp::impact([&calls](const perp::law_step &begin, perp::span q) {
              calls++;
              q[0] += begin.ydot[0] / (1 + std::fabs(begin.ydot[0]));
            }),
            ball);
  perp::simulation sim(m, 0.01, 1);
  ASSERT_EQ(sim.run(), PERP_END);
  EXPECT_NEAR(sim.v(ball)[0], 2.0 / 3, 1e-12);
  EXPECT_EQ(calls, 1);
}

TEST(CppLaw, WhatAnImpactLawThrowsComesOutOfTheStep) {
  perp::model m;
  const auto ball = m.add(perp::lagrangian_linear(1, 3.0), {0.0}, {-2.0});
  m.connect(perp::lagrangian_linear_relation(1.0),
            perp::impact([](const perp::law_step &, perp::span) {
              throw std::runtime_error("out of clay");
            }),
            ball);
  perp::simulation sim(m, 0.01);
  try {
    (void)sim.step();
    FAIL();
  } catch (const std::runtime_error &e) {
    EXPECT_STREQ(e.what(), "out of clay");
  }
  EXPECT_EQ(sim.v(ball)[0], -2.0);
}

TEST(CppLaw, CohesiveDamageIsSeen) {
  perp::model m;
  const auto block = m.add(perp::lagrangian_linear(2, {1.0, 1.0}, {12.0, 0.0}));
  const auto bond = m.connect(perp::lagrangian_linear_relation({1.0, 0.0, 0.0, 1.0}),
                              perp::cohesive_2d(0.4, 10, 0.05), block);
  const auto free = m.add(perp::lagrangian_linear(1, 1.0));
  const auto held = m.connect(perp::lagrangian_linear_relation(1.0), perp::equality(), free);
  perp::simulation sim(m, 1e-3, 400);
  double last = 1;
  ASSERT_EQ(sim.run([&](const perp::simulation &now) {
    ASSERT_EQ(now.law_state(bond).size(), 3u);
    EXPECT_LE(now.law_state(bond)[0], last);
    last = now.law_state(bond)[0];
  }),
            PERP_END);
  EXPECT_EQ(last, 0);
  EXPECT_THROW((void)sim.law_state(held), perp::error);
  EXPECT_THROW((void)sim.law_state(bond, 1), perp::error);
}

// A law by callables: a contact that wears, its compliance fixed and its restitution falling with
// every impact it remembers.
perp::law_functions wearing() {
  perp::law_functions f;
  f.set = PERP_SET_ORTHANT;
  f.unilateral = true;
  f.state = 2;
  f.project = [](view, view x, perp::span p) { p[0] = x[0] < 0 ? 0 : x[0]; };
  f.jacobian = [](view, view x, perp::span J) { J[0] = x[0] > 0 ? 1 : 0; };
  f.begin = [](perp::span state) { state[0] = 0.8; };
  f.restitute = [](view state, const perp::law_step &begin, perp::span q) {
    q[0] += state[0] * begin.ydot[0];
  };
  f.commit = [](perp::span state, const perp::law_step &end) {
    if (end.lambda[0] > 0) state[0] *= 0.5, state[1] += end.lambda[0];
  };
  return f;
}

TEST(CppLaw, CallablesMayDeclareTheirSetBounded) {
  perp::law_functions f;
  f.project = [](view, view x, perp::span p) { p[0] = std::tanh(x[0]); };
  for (const bool bounded : {false, true}) {
    f.bounded = bounded;
    const law l = perp::user_law(f);
    EXPECT_EQ(perp::detail::c_law(l).head->ops->bounded, bounded);
  }
}

// The twisting controller on the parallelogram of its two gains, after Siconos' class of that name:
// once at the origin, forces are those of rounding, |q| = 1e-14 on a set of size 1.
TEST(CppLaw, TheTwistingControllerStaysOnItsPolyhedron) {
  for (const double beta : {0.1, 0.5, 0.9})
    for (const double h : {0.1, 0.01}) {
      perp::linear_relation relation;
      relation.C = perp::rows({{1, 0}, {0, 1}});
      relation.B = perp::rows({{0, 0}, {10, 10 * beta}});
      perp::model m;
      const auto x = m.add(perp::first_order_linear(2, perp::rows({{0, 1}, {0, 0}})), {1, 1});
      const auto relays =
          m.connect(relation,
                    perp::polyhedron(perp::rows({{1, 0}, {-h / 2, 1}, {-1, 0}, {h / 2, -1}}),
                                     {-1, -1, -1, -1}),
                    x);
      perp::simulation_options o;
      o.h = h, o.steps = 1000, o.theta = 1;
      perp::simulation sim(m, o);
      double away = 0, outside = 0;
      for (const auto &s : sim.steps()) {
        const double u = s.lambda(relays)[0], v = s.lambda(relays)[1];
        outside = std::fmax(outside, std::fmax(std::abs(u), std::abs(v - h / 2 * u)));
        away = std::fmax(std::abs(s.x(x)[0]), std::abs(s.x(x)[1]));
      }
      EXPECT_EQ(sim.status(), PERP_END) << beta << " " << h << " " << sim.step_index();
      EXPECT_LT(away, 1e-12) << beta << " " << h;
      EXPECT_LT(outside, 1 + 1e-12) << beta << " " << h;
    }
}

TEST(CppLaw, LawOfCallablesWithState) {
  perp::model m;
  const auto ball = m.add(perp::lagrangian_linear(1, 2.0, -20.0), {0.0}, {-3.0});
  const auto floor =
      m.connect(perp::lagrangian_linear_relation(1.0), perp::user_law(wearing()), ball);
  perp::simulation sim(m, 1e-3, 2000);
  ASSERT_EQ(sim.step(), PERP_OK);
  EXPECT_NEAR(sim.v(ball)[0], 2.4, 1e-12);
  EXPECT_EQ(sim.law_state(floor)[0], 0.4);
  EXPECT_NEAR(sim.law_state(floor)[1], 2 * 5.4 + 0.02, 1e-12);
  const auto c = sim.checkpoint();
  ASSERT_EQ(sim.run(), PERP_END);
  EXPECT_LT(sim.law_state(floor)[0], 0.2);
  sim.restore(c);
  EXPECT_EQ(sim.law_state(floor)[0], 0.4);
}

TEST(CppLaw, OtherOperationsOfCallables) {
  perp::law_functions f = wearing();
  f.restitute = nullptr;
  f.commit = nullptr;
  f.compliance = [](double h, perp::span D) { D[0] = 0.02 / h; };
  f.preload = [](view, const perp::law_step &, perp::span s) { s[0] = -0.5; };
  f.acts = [](view) { return true; };
  perp::model m;
  const auto ball = m.add(perp::lagrangian_linear(1, 2.0), {1.0}, {-3.0});
  const auto floor = m.connect(perp::lagrangian_linear_relation(1.0), perp::user_law(f), ball);
  perp::simulation sim(m, 0.01, 1);
  ASSERT_EQ(sim.run(), PERP_END);
  // v = −3 + λ/2, 0 = v + 2 (λ + 0.5), λ' = λ + 0.5 > 0
  const double lambda = sim.lambda(floor)[0];
  EXPECT_NEAR(sim.v(ball)[0], -3 + lambda / 2, 1e-12);
  EXPECT_NEAR(sim.v(ball)[0] + 2 * (lambda + 0.5), 0, 1e-12);
}

TEST(CppLaw, SetKnownByItsProjectionOnly) {
  // λ in the disc of radius 2, a brake in the plane: −y ∈ N(λ)
  perp::law_functions f;
  f.size = 2;
  f.project = [](view, view x, perp::span p) {
    const double r = std::hypot(x[0], x[1]), s = r > 2 ? 2 / r : 1;
    p[0] = s * x[0], p[1] = s * x[1];
  };
  perp::model m;
  const auto puck = m.add(perp::lagrangian_linear(2, {1.0, 1.0}), {0.0, 0.0}, {3.0, 4.0});
  const auto brake =
      m.connect(perp::lagrangian_linear_relation({1.0, 0.0, 0.0, 1.0}), perp::user_law(f), puck);
  perp::simulation_options o;
  o.h = 0.1;
  o.solver = perp::fixed_point();
  perp::simulation sim(m, o);
  ASSERT_EQ(sim.step(), PERP_OK);
  EXPECT_NEAR(sim.lambda(brake)[0], -1.2, 1e-6);
  EXPECT_NEAR(sim.lambda(brake)[1], -1.6, 1e-6);
  EXPECT_NEAR(sim.v(puck)[0], 1.8, 1e-6);
  f.project = [](view, view, perp::span) { throw std::logic_error("no such set"); };
  perp::model broken;
  broken.add(perp::lagrangian_linear(2, {1.0, 1.0}), {0.0, 0.0}, {3.0, 4.0});
  broken.connect(perp::lagrangian_linear_relation({1.0, 0.0, 0.0, 1.0}), perp::user_law(f),
                 perp::system_id{0});
  perp::simulation fails(broken, o);
  EXPECT_THROW((void)fails.step(), std::logic_error);
}

TEST(CppLaw, PairsAreJudged) {
  const perp_law_verdict slip = perp::verify(perp::friction_2d(0.5), {0, -7}, {4, 2});
  EXPECT_STREQ(slip.state, "slip");
  EXPECT_LT(slip.relative, 1e-12);
  EXPECT_NEAR(perp::verify(perp::complementarity(), {3}, {0.5}).work, 1.5, 1e-15);
  EXPECT_THROW((void)perp::verify(perp::friction_2d(0.5), {0}, {4, 2}), perp::error);
  EXPECT_THROW((void)perp::verify(perp::complementarity(), {kNaN}, {0}), perp::error);
  EXPECT_NEAR(perp::distance(perp::relay_dead_zone(1, 2), 0.5, 0.25), 0.25, 1e-15);
  EXPECT_THROW((void)perp::distance(perp::complementarity(), 0, 0), perp::error);
}

TEST(CppLaw, EqualLawsAreOneDescription) {
  perp::model m;
  const perp::impact_function map = [](const perp::law_step &, perp::span) {};
  const auto a = m.add(perp::lagrangian_linear(1, 1.0)), b = m.add(perp::lagrangian_linear(1, 1.0));
  m.connect(perp::lagrangian_linear_relation(1.0), perp::impact(map), a);
  m.connect(perp::lagrangian_linear_relation(1.0), perp::impact(map), b);
  EXPECT_EQ(m.descriptions(), 3u);
  m.connect(perp::lagrangian_linear_relation(1.0), perp::compliant(10), a);
  m.connect(perp::lagrangian_linear_relation(1.0), perp::compliant(20), a);
  m.connect(perp::lagrangian_linear_relation(1.0), perp::compliant(20), b);
  EXPECT_EQ(m.descriptions(), 5u);
}

}  // namespace
