// SPDX-License-Identifier: MIT
// Rigid bodies by events: impacts with spin and friction, free rotation, rolling, a box that comes
// to rest on its corners. Judged by closed forms and by what must stay.
#include <gtest/gtest.h>
#include <perp/newton_euler.h>

#include <algorithm>

#include "event_tools.hpp"

namespace {

using tools::vec;
using tools::World;

struct Bodies : World {
  std::deque<perp_body> bodies;
  std::deque<perp_body_contact> touches;
  std::deque<perp_sphere_plane> spheres;
  std::deque<perp_point_plane> points;

  perp_body &body(double mass, const vec &inertia, double g, const vec &x, const vec &v) {
    perp_body &b = bodies.emplace_back();
    EXPECT_EQ(perp_body_init(&b, sizeof b), PERP_OK);
    b.mass = mass;
    for (std::size_t i = 0; i < 3; i++) b.inertia[4 * i] = inertia[i];
    b.f[2] = -mass * g;
    add(&b.system, {x[0], x[1], x[2], 1, 0, 0, 0}, v);
    return b;
  }
  std::int32_t ground(double radius, const perp_law *law) {
    perp_sphere_plane &s = spheres.emplace_back();
    s = {radius, {0, 0, 1}, 0};
    return touch(perp_locate_sphere_plane, &s, law);
  }
  std::int32_t corner(const vec &at, const perp_law *law) {
    perp_point_plane &s = points.emplace_back();
    s = {{at[0], at[1], at[2]}, {0, 0, 1}, 0};
    return touch(perp_locate_point_plane, &s, law);
  }
  std::int32_t touch(perp_locate_fn locate, void *user, const perp_law *law) {
    perp_body_contact &c = touches.emplace_back();
    EXPECT_EQ(perp_body_contact_init(&c, sizeof c, 3, 1), PERP_OK);
    c.locate = locate;
    c.user = user;
    return connect(&c.relation, law, {0});
  }
};

struct Flight {
  perp_event_options options = perp_event_options_default();
  perp_event_driven *sim = nullptr;
  struct impact {
    double t;
    vec before, after;
  };
  std::vector<impact> impacts;
  Flight() { options.rtol = 1e-12, options.atol = 1e-13; }
  Flight(const Flight &) = delete;
  ~Flight() { perp_event_driven_destroy(sim); }
  void until(World &w, double t) {
    if (sim == nullptr) {
      ASSERT_EQ(perp_event_driven_create(&sim, w.model(), &options, nullptr), PERP_OK);
    }
    perp_event_observer o = PERP_EVENT_OBSERVER_INIT;
    o.event = [](perp_event_driven *at, const perp_event *e, void *self) {
      if ((e->kinds & std::uint32_t{PERP_EVENT_IMPACT}) != 0) {
        const double *v = perp_event_driven_v(at, 0);
        static_cast<Flight *>(self)->impacts.push_back({e->t, vec(e->v, e->v + 6), vec(v, v + 6)});
      }
      return 0;
    };
    o.user = this;
    ASSERT_EQ(perp_event_driven_run(sim, t, &o, nullptr), PERP_OK)
        << perp_event_driven_message(sim);
  }
  const double *q() const { return perp_event_driven_q(sim, 0); }
  const double *v() const { return perp_event_driven_v(sim, 0); }
  double energy() const {
    double kinetic = NAN, potential = NAN;
    EXPECT_EQ(perp_event_driven_energy(sim, &kinetic, &potential), PERP_OK);
    return kinetic + potential;
  }
};

// A ball thrown along x with backspin. At the ground u = ẋ − r ω_y; sticking takes the impulse
// −(2/7) m u, slipping μ times the normal one.
TEST(EventBodies, AnImpactWithSpinSticksOrSlips) {
  const double m = 2, r = 0.1, J = 0.4 * m * r * r, e = 0.6;
  for (const double mu : {0.05, 0.9}) {
    Bodies w;
    w.body(m, {J, J, J}, 10, {0, 0, 0.1 + 0.8}, {1, 0, 0, 0, -20, 0});
    w.ground(r, w.friction(3, mu, e));
    Flight run;
    run.until(w, 0.5);
    ASSERT_EQ(run.impacts.size(), 1u);
    const vec &v = run.impacts[0].after;
    EXPECT_NEAR(run.impacts[0].t, 0.4, 1e-12);
    EXPECT_NEAR(v[2], 4 * e, 1e-10);
    const double u = 1 + 2, normal = m * 4 * (1 + e);
    const double push = std::min(2.0 / 7 * m * u, mu * normal);
    EXPECT_EQ(push<mu * normal, mu> 0.5);
    EXPECT_NEAR(v[0], 1 - push / m, 1e-10);
    EXPECT_NEAR(v[4], -20 + push * r / J, 1e-8);
    const auto T = [&](const vec &s) {
      return m * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2]) / 2 + J * s[4] * s[4] / 2;
    };
    EXPECT_LT(T(v), T(run.impacts[0].before));
  }
}

TEST(EventBodies, FreeRotationKeepsEnergyMomentumAndItsQuaternion) {
  Bodies w;
  const vec I = {1, 2, 3};
  w.body(1, I, 0, {0, 0, 0}, {0.1, 0.2, 0.3, 0.01, 4, 0.02});  // about the unstable axis
  const auto momentum = [&](const Flight &run) {
    double R[9];
    perp_rotation_matrix(run.q() + 3, R);
    vec L(3, 0);
    for (std::size_t i = 0; i < 3; i++)
      for (std::size_t j = 0; j < 3; j++) L[i] += R[i + 3 * j] * I[j] * run.v()[3 + j];
    return L;
  };
  for (const perp_smooth *method : {perp_smooth_runge_kutta(), perp_smooth_adams()}) {
    Flight run;
    run.options.smooth = method;
    run.until(w, 0);
    const double E = run.energy();
    const vec L = momentum(run);
    double turned = INFINITY;
    for (int k = 1; k <= 40; k++) {
      run.until(w, 0.5 * k);
      double norm = 0;
      for (std::size_t i = 3; i < 7; i++) norm += run.q()[i] * run.q()[i];
      EXPECT_NEAR(norm, 1, 1e-15 * 8);
      EXPECT_NEAR(run.energy(), E, 1e-8 * E);
      for (std::size_t i = 0; i < 3; i++) EXPECT_NEAR(momentum(run)[i], L[i], 1e-8 * 8);
      turned = std::min(turned, run.v()[4]);
    }
    EXPECT_LT(turned, -3.9);  // it tumbles
    EXPECT_NEAR(run.q()[0], 2, 1e-11);
  }
}

// A ball that slides with v0 rolls at t = 2 v0/(7 μ g), with 5/7 of v0.
TEST(EventBodies, ASlidingBallComesToRoll) {
  const double m = 3, r = 0.2, J = 0.4 * m * r * r, mu = 0.3, g = 9.81, v0 = 2;
  Bodies w;
  w.body(m, {J, J, J}, g, {0, 0, r}, {v0, 0, 0, 0, 0, 0});
  w.ground(r, w.friction(3, mu));
  Flight run;
  run.until(w, 0);
  EXPECT_EQ(perp_event_driven_mode(run.sim, 0, 0), PERP_CONTACT_SLIP);
  ASSERT_EQ(perp_event_driven_next(run.sim, 2, nullptr), PERP_OK);
  EXPECT_NEAR(perp_event_driven_time(run.sim), 2 * v0 / (7 * mu * g), 1e-10);
  EXPECT_NE(perp_event_driven_event(run.sim)->kinds & std::uint32_t{PERP_EVENT_STICK}, 0u);
  EXPECT_EQ(perp_event_driven_mode(run.sim, 0, 0), PERP_CONTACT_STICK);
  run.until(w, 2);
  EXPECT_NEAR(run.v()[0], 5 * v0 / 7, 1e-9);
  EXPECT_NEAR(run.q()[2], r, 1e-12);
}

// A box falls flat on its four corners: redundant, and together they carry it.
TEST(EventBodies, ABoxLandsOnFourCorners) {
  for (const double e : {0.0, 0.3}) {
    const double m = 2, g = 10;
    Bodies w;
    w.body(m, {0.3, 0.4, 0.5}, g, {0, 0, 0.1 + 0.2}, {0, 0, 0, 0, 0, 0});
    for (const double x : {-0.3, 0.3})
      for (const double y : {-0.2, 0.2}) w.corner({x, y, -0.1}, w.friction(3, 0.5, e));
    Flight run;
    run.until(w, 2);
    double weight = 0;
    for (int i = 0; i < 4; i++) {
      const double *l = perp_event_driven_lambda(run.sim, i);
      ASSERT_NE(l, nullptr);
      weight += l[0];
      EXPECT_GE(l[0], -1e-9);
      EXPECT_LE(std::hypot(l[1], l[2]), 0.5 * l[0] + 1e-9);
    }
    EXPECT_NEAR(weight, m * g, 1e-8);
    EXPECT_NEAR(run.q()[2], 0.1, 1e-11);
    for (std::size_t k = 0; k < 6; k++) EXPECT_NEAR(run.v()[k], 0, 1e-9);
    EXPECT_NEAR(run.impacts.at(0).t, 0.2, 1e-11);
  }
}

}  // namespace
