// SPDX-License-Identifier: MIT
// What looks at a run or a model as a whole: contacts that come and go, the list of those that act,
// systems that are switched off, Jacobians compared with differences.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

#include "facade_tools.hpp"
#include "perp/perp.hpp"

namespace {

using perp::span;
using perp::view;
using tools::c_world;
using tools::expect_refusal;

constexpr double kRadius = 0.1;

/** Grains that fall on the ground and on each other, all pairs that are near: some at once. */
void find_grains(perp::contact_search &at) {
  std::vector<perp_pool_contact> pairs;
  for (std::int32_t i = 0; i < at.systems(); i++) {
    const perp::system_id a{i};
    const view q = at.q(a);
    ASSERT_EQ(q.size(), 7u);
    ASSERT_EQ(at.v(a).size(), 6u);
    perp::contact_place place{};
    perp_sphere_plane floor = {kRadius, {0, 0, 1}, 0};
    ASSERT_EQ(perp_locate_sphere_plane(0, q.data(), &place, &floor), 0);
    if (place.gap < 0.05) at.add(a, perp::ground, place, 1);
    for (std::int32_t j = 0; j < i; j++) {
      double both[14];
      std::copy(q.begin(), q.end(), both);
      const view other = at.q(perp::system_id{j});
      std::copy(other.begin(), other.end(), both + 7);
      perp_sphere_sphere pair = {{kRadius, kRadius}};
      place = {};
      ASSERT_EQ(perp_locate_sphere_sphere(0, both, &place, &pair), 0);
      if (place.gap >= 0.05) continue;
      if (j == i - 1)
        at.add(a, perp::system_id{j}, place, 0, std::uint64_t{7} << 32);
      else
        pairs.push_back({{i, j}, 0, 0, {0, 7}, place});
    }
  }
  at.add(pairs.data(), static_cast<std::int32_t>(pairs.size()));
}

std::int32_t find_in_c(double, const perp_simulation *sim, perp_pool_writer *out, void *user) {
  const std::int32_t n = *static_cast<std::int32_t *>(user);
  for (std::int32_t i = 0; i < n; i++) {
    const double *q = perp_simulation_q(sim, i);
    perp_pool_contact c = {{i, PERP_GROUND}, 1, 0, {0, 0}, {}};
    perp_sphere_plane floor = {kRadius, {0, 0, 1}, 0};
    perp_locate_sphere_plane(0, q, &c.place, &floor);
    if (c.place.gap < 0.05) perp_pool_add(out, &c, nullptr);
    for (std::int32_t j = 0; j < i; j++) {
      double both[14];
      std::copy(q, q + 7, both);
      std::copy(perp_simulation_q(sim, j), perp_simulation_q(sim, j) + 7, both + 7);
      perp_sphere_sphere pair = {{kRadius, kRadius}};
      perp_pool_contact p = {{i, j}, 0, 0, {0, 7}, {}};
      perp_locate_sphere_sphere(0, both, &p.place, &pair);
      if (p.place.gap < 0.05) perp_pool_add(out, &p, nullptr);
    }
  }
  return 0;
}

perp::model grains(std::int32_t n, c_world *world, const perp_body *c) {
  perp::model m;
  for (std::int32_t i = 0; i < n; i++) {
    const perp::pose q = perp::pose_at({0.02 * (i % 2), 0, 0.15 + 0.22 * i});
    m.add(perp::ball(1, kRadius, {0, 0, -9.81}), q);
    if (world == nullptr) continue;
    world->add(c->system);
    world->q0.insert(world->q0.end(), q.begin(), q.end());
  }
  perp::contact_pool pool(20, perp::friction_3d(0.3), find_grains);
  pool.laws.push_back(perp::friction_3d(0.8, 0.2));
  pool.max_per_system = 6;
  m.pool(pool);
  return m;
}

TEST(CppPool, RefusalsNameTheContactAndItsBodies) {
  const auto said = [](std::int32_t capacity, double length) -> std::string {
    perp::model m;
    m.add(perp::ball(1, kRadius, {0, 0, -9.81}), perp::pose_at({0, 0, kRadius}));
    m.add(perp::ball(1, kRadius, {0, 0, -9.81}), perp::pose_at({1, 0, kRadius}));
    m.pool(perp::contact_pool(capacity, perp::friction_3d(0.3), [&](perp::contact_search &at) {
      perp::contact_place place{};
      place.normal[2] = 1;
      at.add(perp::system_id{1}, perp::ground, place);
      place.normal[2] = length;
      at.add(perp::system_id{1}, perp::system_id{0}, place);
    }));
    try {
      perp::simulation sim(m, 0.01);
    } catch (const std::exception &e) {
      return e.what();
    }
    return "nothing";
  };
  EXPECT_EQ(said(4, 1), "nothing");
  EXPECT_NE(said(4, 0.5).find("contact 1 of bodies 1 and 0: normal of length 0.5, must be 1"),
            std::string::npos)
      << said(4, 0.5);
  EXPECT_NE(said(INT32_MAX, 1).find("pool.capacity needs at least 6.5"), std::string::npos)
      << said(INT32_MAX, 1);
}

TEST(CppPool, HasTheBitsOfC) {
  perp_body c;
  perp_friction laws[2];
  ASSERT_EQ(perp_body_init(&c, sizeof c), PERP_OK);
  c.inertia[0] = c.inertia[4] = c.inertia[8] = 0.4 * 1 * kRadius * kRadius;
  c.f[2] = -9.81;
  ASSERT_EQ(perp_friction_init(&laws[0], sizeof laws[0]), PERP_OK);
  ASSERT_EQ(perp_friction_init(&laws[1], sizeof laws[1]), PERP_OK);
  laws[0].mu = 0.3, laws[1].mu = 0.8, laws[1].e_n = 0.2;
  const perp_law *heads[] = {&laws[0].law, &laws[1].law};
  std::int32_t n = 4;
  perp_contact_pool pool = PERP_CONTACT_POOL_INIT;
  pool.capacity = 20, pool.max_per_system = 6, pool.n_laws = 2, pool.laws = heads;
  pool.find = find_in_c, pool.user = &n;
  c_world w;
  w.pool = &pool;
  const perp::model m = grains(n, &w, &c);
  perp::simulation_options o;
  o.h = 0.005;
  tools::expect_same_bits(m, w, o, 200);
}

TEST(CppPool, ContactsThatActAreListed) {
  perp::simulation sim(grains(4, nullptr, nullptr), 0.005);
  std::size_t most = 0;
  for (int k = 0; k < 400; k++) {
    ASSERT_EQ(sim.step(), PERP_OK);
    const auto list = sim.contacts();
    most = std::max(most, list.size());
    double lifted = 0;
    for (const auto &c : list) {
      EXPECT_EQ(c.interaction, -1);
      EXPECT_EQ(c.rows, 3);
      if (c.systems[1] != PERP_GROUND) {
        EXPECT_EQ(c.identity[1], 7u);
      } else {
        lifted += c.force[2];
      }
    }
    if (k == 399) {
      EXPECT_NEAR(lifted, 4 * 9.81, 8);
    }
  }
  EXPECT_GE(most, 4u);
  EXPECT_EQ(sim.report().dropped, 0u);
}

/** Balls in a square shaft four diameters wide, layer upon layer. */
constexpr double kShaft = 0.42;

void find_in_a_shaft(perp::contact_search &at) {
  const double planes[5][4] = {{0, 0, 1, 0},
                               {1, 0, 0, -kShaft},
                               {-1, 0, 0, -kShaft},
                               {0, 1, 0, -kShaft},
                               {0, -1, 0, -kShaft}};
  for (std::int32_t i = 0; i < at.systems(); i++) {
    const perp::system_id a{i};
    const view q = at.q(a);
    for (std::uint64_t p = 0; p < 5; p++) {
      perp_sphere_plane wall = {kRadius, {planes[p][0], planes[p][1], planes[p][2]}, planes[p][3]};
      perp::contact_place place{};
      perp_locate_sphere_plane(0, q.data(), &place, &wall);
      if (place.gap < 0.05) at.add(a, perp::ground, place, 0, p);
    }
    for (std::int32_t j = 0; j < i; j++) {
      const view other = at.q(perp::system_id{j});
      if (std::hypot(q[0] - other[0], q[1] - other[1], q[2] - other[2]) > 0.25) continue;
      double both[14];
      std::copy(q.begin(), q.end(), both);
      std::copy(other.begin(), other.end(), both + 7);
      perp_sphere_sphere pair = {{kRadius, kRadius}};
      perp::contact_place place{};
      perp_locate_sphere_sphere(0, both, &place, &pair);
      at.add(a, perp::system_id{j}, place);
    }
  }
}

perp::model shaft(std::int32_t n, const perp::law &law) {
  std::mt19937 random(3);
  const auto near = [&random] { return 0.009 * (static_cast<double>(random()) * 0x1p-32 - 0.5); };
  perp::model m;
  for (std::int32_t i = 0; i < n; i++) {
    const double x = 0.21 * (i % 4 - 1.5), y = 0.21 * (i / 4 % 4 - 1.5), z = 0.12 + 0.22 * (i / 16);
    const double dx = near(), dy = near(), dz = near();
    m.add(perp::ball(1, kRadius, {0, 0, -9.81}), perp::pose_at({x + dx, y + dy, z + dz}));
  }
  perp::contact_pool pool(12 * n, law, find_in_a_shaft);
  pool.max_per_system = 20;
  m.pool(pool);
  return m;
}

/** What a step did, from the definition: momentum of every ball, Coulomb's law with Newton's at
 * every contact to a tenth of what gravity gives in a step, and how deep the balls are in each
 * other and the walls. */
void expect_a_step(const perp::simulation &sim, std::int32_t n, double h, double mu,
                   const std::vector<double> &before) {
  std::vector<double> missing(3 * static_cast<std::size_t>(n));
  for (std::int32_t i = 0; i < n; i++)
    for (std::size_t k = 0; k < 3; k++) {
      const std::size_t at = 3 * static_cast<std::size_t>(i) + k;
      missing[at] = sim.v(perp::system_id{i})[k] - before[at] + (k == 2 ? 9.81 * h : 0);
    }
  for (const auto &c : sim.contacts()) {
    const double *l = c.lambda, *u = c.ydot;
    const double pushed = std::hypot(l[1], l[2]), slip = std::hypot(u[1], u[2]);
    const double speed = 1.5 * 0.1 * 9.81 * h;
    EXPECT_GE(l[0], -1e-12);
    EXPECT_LE(pushed, mu * l[0] * (1 + 1e-12));
    EXPECT_GE(u[0], -speed);
    EXPECT_LE(l[0] * std::fabs(u[0]), speed * std::fmax(1, l[0]));
    // along the slip, against it
    EXPECT_LE(mu * l[0] * slip + l[1] * u[1] + l[2] * u[2], speed * (1 + mu) * std::fmax(1, l[0]));
    for (std::size_t k = 0; k < 3; k++) {
      missing[3 * static_cast<std::size_t>(c.systems[0]) + k] -= c.impulse[k];
      if (c.systems[1] != PERP_GROUND)
        missing[3 * static_cast<std::size_t>(c.systems[1]) + k] += c.impulse[k];
    }
  }
  for (const double x : missing) EXPECT_NEAR(x, 0, 1e-10);
  for (std::int32_t i = 0; i < n; i++) {
    const view a = sim.q(perp::system_id{i});
    EXPECT_GT(std::fmin(a[2], kShaft - std::fmax(std::fabs(a[0]), std::fabs(a[1]))), 0.9 * kRadius);
    for (std::int32_t j = 0; j < i; j++) {
      const view b = sim.q(perp::system_id{j});
      EXPECT_GT(std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]), 1.8 * kRadius);
    }
  }
}

// With nothing named but the step: large piles whose problems have no last digit in reasonable
// time.
TEST(CppPool, APileRunsByDefaultAndTellsWhatIsLeft) {
  struct pile {
    std::int32_t n, steps;
    double mu;
  };
  for (const pile p : {pile{100, 150, 0.3}, pile{30, 250, 3.0}}) {
    perp::simulation sim(shaft(p.n, perp::friction_3d(p.mu)), 0.005);
    std::vector<double> before(3 * static_cast<std::size_t>(p.n));
    for (int k = 1; k <= p.steps; k++) {
      for (std::int32_t i = 0; i < p.n; i++)
        std::copy_n(sim.v(perp::system_id{i}).begin(), 3, &before[3 * static_cast<std::size_t>(i)]);
      ASSERT_EQ(sim.step(), PERP_OK) << p.n << " " << k;
      expect_a_step(sim, p.n, 0.005, p.mu, before);
      ASSERT_FALSE(HasFailure()) << p.n << " " << k;
    }
    const perp::run_report report = sim.report();
    EXPECT_EQ(report.accepted, report.failures);
    EXPECT_LE(report.accepted, 2);
    EXPECT_GT(report.speed_residual, 0);
    EXPECT_EQ(report.accepted > 0, report.speed_residual > 0.1 * 9.81 * 0.005) << report.accepted;
  }
}

/** A limit of one sweep. */
perp::simulation_options hurried() {
  perp_auto_options limit = perp_auto_options_default();
  limit.max_iter = 1;
  perp::simulation_options o;
  o.h = 0.005;
  o.solver = perp::automatic(limit);
  o.formulation = perp::formulation::automatic;
  o.speed_tol = perp::speed_for_piles;
  return o;
}

TEST(CppPool, WhatMissesTheSpeedIsTakenCountedAndTold) {
  perp::simulation sim(shaft(30, perp::friction_3d(0.3)), hurried());
  std::int64_t missed = 0;
  for (int k = 0; k < 250; k++) {
    const std::int64_t before = sim.report().accepted;
    ASSERT_EQ(sim.step(), PERP_OK) << sim.ending();
    missed += sim.report().accepted > before;
    EXPECT_LE(sim.report().accepted, before + 1) << "steps are counted";
    EXPECT_EQ(sim.report().accepted > 0, sim.report().speed_residual > 0.1 * 9.81 * 0.005);
  }
  EXPECT_GT(missed, 10);
  EXPECT_EQ(sim.report().accepted, missed);
}

TEST(CppPool, OrEndsTheRunWhereThatIsNamed) {
  perp::simulation_options o = hurried();
  o.on_failure = perp::failure::stop;
  perp::simulation sim(shaft(30, perp::friction_3d(0.3)), o);
  perp_status status = PERP_OK;
  for (int k = 0; k < 250 && status == PERP_OK; k++) status = sim.step();
  ASSERT_EQ(status, PERP_MAX_ITER);
  EXPECT_EQ(sim.report().accepted, 0);
  EXPECT_GT(sim.info().value, 0.1 * 9.81 * 0.005);
  EXPECT_NE(sim.ending().find(", asked 0.0049 of speed_tol; try a larger max_iter or speed_tol, or "
                              "on_failure = accept"),
            std::string::npos)
      << sim.ending();
}

// Who asks for it gets an ending instead, and where it was.
TEST(CppPool, APileStopsWhereThatIsNamed) {
  perp::simulation_options o;
  o.h = 0.005;
  o.on_failure = perp::failure::stop;
  o.formulation = perp::formulation::reduced;
  perp::simulation sim(shaft(30, perp::friction_3d(0.3)), o);
  perp_status status = PERP_OK;
  for (int k = 0; k < 250 && status == PERP_OK; k++) status = sim.step();
  ASSERT_EQ(status, PERP_MAX_ITER);
  EXPECT_STREQ(sim.info().field, "one-step problem at contact of system");
  EXPECT_GE(sim.info().index, 0);
  EXPECT_LT(sim.info().index, 30);
  EXPECT_GT(sim.info().value, 1e-8);
  EXPECT_EQ(sim.report().accepted, 0);
  const std::string begin =
      "not solved: iteration limit in step " + std::to_string(sim.step_index() + 1) + " at t = ";
  EXPECT_EQ(sim.ending().rfind(begin, 0), 0u) << sim.ending();
  const std::string who = ", contact of body " + std::to_string(sim.info().index) + ", residual ";
  EXPECT_NE(sim.ending().find(who), std::string::npos) << sim.ending();
  EXPECT_NE(sim.ending().find(", asked 1e-8; try tol = "), std::string::npos) << sim.ending();
}

TEST(CppPool, ContactsBeyondItsRoomAreCounted) {
  perp::model m = grains(4, nullptr, nullptr);
  perp::contact_pool small(1, perp::friction_3d(0.3), find_grains);
  small.laws.push_back(perp::friction_3d(0.8, 0.2));
  m.pool(small);
  perp::simulation sim(m, 0.005);
  for (int k = 0; k < 100; k++) ASSERT_EQ(sim.step(), PERP_OK);
  EXPECT_GT(sim.report().dropped, 0u);
}

TEST(CppPool, WhatFindThrowsComesOut) {
  perp::model m;
  m.add(perp::ball(1, kRadius), perp::pose_at({0, 0, 1}));
  bool angry = false;
  m.pool(perp::contact_pool(1, perp::newton_impact(0), [&](double t, perp::contact_search &at) {
    EXPECT_GE(t, 0.0);
    if (angry) throw std::runtime_error("lost");
    EXPECT_THROW((void)at.q(perp::system_id{1}), perp::error);
  }));
  perp::simulation sim(m, 0.01);
  ASSERT_EQ(sim.step(), PERP_OK);
  angry = true;
  EXPECT_THROW((void)sim.step(), std::runtime_error);
  angry = false;
  EXPECT_EQ(sim.step(), PERP_OK);
}

TEST(CppPool, WhatIsNoContactIsRefused) {
  perp::model m;
  const auto a = m.add(perp::ball(1, kRadius), perp::pose_at({0, 0, 1}));
  expect_refusal([&] { m.pool(perp::contact_pool(1, perp::newton_impact(0), nullptr)); }, {"find"});
  expect_refusal([&] { m.pool(perp::contact_pool(1, perp::newton_impact(2), find_grains)); },
                 {"law"});
  m.pool(perp::contact_pool(1, perp::newton_impact(0), [&](perp::contact_search &at) {
    perp::contact_place place{};
    place.normal[2] = 2;  // not of length 1
    EXPECT_FALSE(at.add(a, perp::ground, place));
  }));
  expect_refusal([&] { perp::simulation sim(m, 0.01); }, {"normal of length 2"});
  m.pool(perp::contact_pool(0, perp::newton_impact(0), [](perp::contact_search &) {}));
  expect_refusal([&] { perp::simulation sim(m, 0.01); }, {"capacity"});
}

TEST(CppSwitch, ASystemThatIsOffStays) {
  perp::model m;
  const auto a = m.add(perp::lagrangian_linear(1, 1.0, -9.81), {1.0});
  const auto b = m.add(perp::lagrangian_linear(1, 1.0, -9.81), {1.0});
  perp::simulation_options o;
  o.h = 0.01;
  o.switchable = true;
  perp::simulation sim(m, o);
  sim.set_active(a, false);
  EXPECT_FALSE(sim.is_active(a));
  EXPECT_TRUE(sim.is_active(b));
  ASSERT_EQ(sim.run_until(0.1), PERP_OK);
  EXPECT_NEAR(sim.time(), 0.1, 1e-12);
  EXPECT_EQ(sim.q(a)[0], 1.0);
  EXPECT_LT(sim.q(b)[0], 0.96);
  perp::simulation fixed(m, 0.01);
  EXPECT_THROW(fixed.set_active(a, false), perp::error);
}

// What sleeps is told to the callable and to the run, and wakes by hand.
TEST(CppPool, WhatRestsSleeps) {
  perp::model m;
  const auto a = m.add(perp::ball(1, kRadius, {0, 0, -9.81}), perp::pose_at({0, 0, kRadius}));
  std::int32_t skipped = 0;
  m.pool({4, perp::friction_3d(0.3), [&](double, perp::contact_search &at) {
            if (at.awake() == 0 && at.is_asleep(perp::system_id{0}))
              skipped++;
            else
              at.add(perp::system_id{0}, perp::ground,
                     perp::contact_place{
                         at.q(perp::system_id{0})[2] - kRadius, {0, 0, 1}, {}, {}, {}, {}});
          }});
  perp::simulation_options o;
  o.h = 1e-3;
  o.formulation = perp::formulation::global;
  o.sleep_energy = 1e-3;
  o.sleep_time = 0.02;
  perp::simulation sim(m, o);
  for (int k = 0; k < 40; k++) ASSERT_EQ(sim.step(), PERP_OK);
  EXPECT_TRUE(sim.is_asleep(a));
  EXPECT_EQ(sim.awake(), 0);
  EXPECT_EQ(sim.report().asleep, 1);
  EXPECT_GT(skipped, 10);
  sim.wake(a);
  EXPECT_FALSE(sim.is_asleep(a));
  EXPECT_EQ(sim.awake(), 1);
  EXPECT_THROW(sim.wake(perp::system_id{3}), perp::error);
}

perp::model duffing(double slope) {
  perp::lagrangian s(1, 1.0);
  s.internal = [](view q, view v, span F) { F[0] = q[0] + q[0] * q[0] * q[0] + 0.1 * v[0]; };
  s.internal_dq = [=](view q, view, span J) { J[0] = 1 + slope * q[0] * q[0]; };
  s.internal_dv = 0.1;
  perp::model m;
  m.add(perp::lagrangian_linear(1, 1.0));
  m.add(s, {0.7}, {0.3});
  return m;
}

TEST(CppDerivatives, AWrongOneIsNamed) {
  const auto good = perp::check_derivatives(duffing(3));
  EXPECT_TRUE(good);
  EXPECT_EQ(good.worst.compared, 2);
  EXPECT_NE(good.text().find("2 Jacobians agree"), std::string::npos);
  const auto bad = perp::check_derivatives(duffing(2));
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.status, PERP_INACCURATE);
  EXPECT_EQ(bad.worst.index, 1);
  EXPECT_STREQ(bad.worst.jacobian, "internal_dq");
  EXPECT_NEAR(bad.worst.expected, 1 + 3 * 0.49, 1e-9);
  EXPECT_NE(bad.text().find("system 1: internal_dq(0, 0)"), std::string::npos) << bad.text();
  perp::derivative_point at;
  const double zeros[] = {0, 0};
  at.q = at.v = zeros;
  EXPECT_TRUE(perp::check_derivatives(duffing(2), at)) << "at zero the mistake hides";
  const double one[] = {0};
  at.q = one;
  expect_refusal([&] { (void)perp::check_derivatives(duffing(2), at); }, {"q has 1 entries", "2"});
}

TEST(CppDerivatives, AWrongConstantOfARelationIsNamed) {
  perp::model m;
  const auto a = m.add(perp::lagrangian_linear(2, {1, 1}), {0.3, 0.4});
  perp::lagrangian_scleronomous r;
  r.h = [](view q, span y) { y[0] = 2 * q[0] - q[1]; };
  r.H = {2, 1};
  m.connect(r, perp::equality(), a);
  const auto report = perp::check_derivatives(m);
  EXPECT_FALSE(report);
  EXPECT_EQ(report.worst.found, PERP_FOUND_RELATION);
  EXPECT_EQ(report.worst.column, 1);
  EXPECT_EQ(report.worst.given, 1.0);
}

TEST(CppDerivatives, WhatACallableThrowsComesOut) {
  perp::first_order s(1, [](view, span) { throw std::runtime_error("no"); });
  perp::model m;
  m.add(s);
  s.f_dx = 1.0;
  m.add(s);
  EXPECT_THROW((void)perp::check_derivatives(m), std::runtime_error);
}

}  // namespace
