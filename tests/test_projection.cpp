// SPDX-License-Identifier: MIT
// Projection on constraints: what the positions satisfy at the end of every step.
#include <gtest/gtest.h>

#include <cmath>

#include "model_tools.hpp"

namespace {

using tools::kRod;
using tools::run;
using tools::vec;
using tools::world;

struct pendulum {
  world w;
  perp_lagrangian_relation relation{};

  explicit pendulum(std::int32_t projection, double theta = 0.5) {
    auto &mass = w.body(vec{2, 2});
    mass.f = w.keep({0, -2 * 9.81});
    w.join(tools::make_rod(relation), w.equality(), {w.add(mass.system)});
    w.q0 = {kRod, 0};
    w.v0 = {0, 0};
    w.options.h = 5e-3;
    w.options.theta = theta;
    w.options.solver = perp_solver_active_set();
    w.options.projection = projection;
  }
};

double length(const run &r) { return std::hypot(r.q(0, 0), r.q(0, 1)); }

TEST(Projection, WithoutItAPendulumDriftsOffItsCircle) {
  pendulum p(PERP_PROJECT_NONE, 1.0);
  run r(p.w);
  ASSERT_EQ(r.steps(400), PERP_OK);
  EXPECT_GT(std::fabs(length(r) - kRod), 1e-3);
}

TEST(Projection, KeepsAPendulumOnItsCircle) {
  for (int projection : {PERP_PROJECT_POSITIONS, PERP_PROJECT_COMBINED})
    for (double theta : {0.5, 1.0}) {
      pendulum p(projection, theta);
      run r(p.w);
      ASSERT_EQ(r.status, PERP_OK) << r.info.field;
      for (int k = 0; k < 1000; k++) {
        ASSERT_EQ(r.step(), PERP_OK) << k << " " << (r.info.field ? r.info.field : "");
        ASSERT_NEAR(length(r), kRod, 2e-8) << k;
        ASSERT_NEAR(r.y(), 0, 1e-8);
      }
    }
}

TEST(Projection, CombinedLeavesNoVelocityOffTheConstraint) {
  pendulum p(PERP_PROJECT_COMBINED), only(PERP_PROJECT_POSITIONS);
  run r(p.w), s(only.w);
  double worst = 0, worst_only = 0;
  for (int k = 0; k < 500; k++) {
    ASSERT_EQ(r.step(), PERP_OK);
    ASSERT_EQ(s.step(), PERP_OK);
    const auto off = [](const run &x) {
      return std::fabs(x.q(0, 0) * x.v(0, 0) + x.q(0, 1) * x.v(0, 1)) / kRod;
    };
    worst = std::fmax(worst, off(r));
    worst_only = std::fmax(worst_only, off(s));
    ASSERT_LT(std::fabs(length(r) - kRod), 2e-8);
  }
  EXPECT_LT(worst, 1e-7);
  EXPECT_GT(worst_only, 10 * worst) << "positions alone leave a velocity";
}

// H is taken at the end of a step: what the constraint does to the energy is of first order.
TEST(Projection, EnergyOfAPendulumChangesWithTheOrderOfTheStep) {
  double before = 0;
  for (double h : {4e-3, 2e-3, 1e-3}) {
    pendulum p(PERP_PROJECT_COMBINED);
    p.w.options.h = h;
    run r(p.w);
    ASSERT_EQ(r.steps(static_cast<int>(1.0 / h + 0.5)), PERP_OK);
    double T = 0, V = 0;
    ASSERT_EQ(perp_simulation_energy(r.sim, &T, &V), PERP_OK);
    const double error = std::fabs(T + V);
    if (before > 0) {
      EXPECT_GT(before / error, 1.8) << h;
    }
    before = error;
  }
  EXPECT_LT(before, 0.02 * 2 * 9.81 * kRod);
}

TEST(Projection, LeavesNoPenetrationOfAContact) {
  for (int projection : {PERP_PROJECT_POSITIONS, PERP_PROJECT_COMBINED}) {
    world w;
    tools::make_column(w, {1.0, 0.5, 0.25}, 1, 9.81, 0.3);
    w.options.h = 5e-3;
    w.options.projection = projection;
    w.options.solver = perp_solver_active_set();
    run r(w);
    ASSERT_EQ(r.status, PERP_OK);
    for (int k = 0; k < 400; k++) {
      ASSERT_EQ(r.step(), PERP_OK) << k;
      for (int i = 0; i < 3; i++) ASSERT_GE(r.y(i), -1e-8) << k;
    }
  }
}

// Bodies on a string of spherical joints: no gap, and quaternions of unit length.
TEST(Projection, KeepsAChainOfBodiesTogether) {
  constexpr int kBodies = 4;
  world w;
  perp_body body;
  ASSERT_EQ(perp_body_init(&body, sizeof body), PERP_OK);
  body.mass = 0.7;
  for (int i = 0; i < 3; i++) body.inertia[4 * i] = 0.02 + 0.01 * i;
  body.f[2] = -0.7 * 9.81;
  std::vector<perp_joint> joints(kBodies);
  for (int i = 0; i < kBodies; i++) {
    w.add(body.system);
    const vec q = {0.5 * i + 0.25, 0, 0, 1, 0, 0, 0};
    w.q0.insert(w.q0.end(), q.begin(), q.end());
    for (int c = 0; c < 6; c++) w.v0.push_back(c == 3 ? 2.0 : 0.0);
  }
  for (int i = 0; i < kBodies; i++) {
    auto &joint = joints[static_cast<std::size_t>(i)];
    ASSERT_EQ(perp_joint_init(&joint, sizeof joint, PERP_JOINT_SPHERICAL, i == 0 ? 1 : 2), PERP_OK);
    const double point[] = {0.5 * i, 0, 0};
    const double *a = w.q0.data() + 7 * (i == 0 ? 0 : i - 1);
    ASSERT_EQ(perp_joint_place(&joint, point, nullptr, a, i == 0 ? nullptr : a + 7), PERP_OK);
    w.join(joint.relation, w.equality(3), i == 0 ? tools::ids{0} : tools::ids{i - 1, i});
  }
  w.options.h = 2e-3;
  w.options.solver = perp_solver_box_pivoting();  // gyroscopic torques: M is not symmetric
  for (int projection : {PERP_PROJECT_POSITIONS, PERP_PROJECT_COMBINED}) {
    w.options.projection = projection;
    run r(w);
    ASSERT_EQ(r.status, PERP_OK) << r.info.field;
    for (int k = 0; k < 500; k++) {
      ASSERT_EQ(r.step(), PERP_OK) << k << " " << (r.info.field ? r.info.field : "");
      for (int i = 0; i < kBodies; i++) {
        for (std::size_t c = 0; c < 3; c++) ASSERT_NEAR(r.y(i, c), 0, 1e-8) << k;
        double norm = 0;
        for (std::size_t c = 3; c < 7; c++) norm += r.q(i, c) * r.q(i, c);
        ASSERT_NEAR(norm, 1, 1e-12);
      }
    }
  }
}

// A floor that rises by its parameter: the prediction sees z of now, projected or not.
TEST(Projection, ParametersActFromTheNextStepOn) {
  for (int projection : {PERP_PROJECT_NONE, PERP_PROJECT_POSITIONS}) {
    world w;
    auto &s = w.body(vec{1});
    auto &floor = w.contact(1, 1, {1});
    double z = 0;
    const double F = -1;
    floor.F = &F;
    floor.z = &z;
    floor.n_z = 1;
    w.join(floor.relation, w.impact(0), {w.add(s.system)});
    w.q0 = {1};
    w.v0 = {-0.02};
    w.options.projection = projection;
    w.options.projection_tol_unilateral = 1e9;
    w.options.solver = perp_solver_active_set();
    run r(w);
    ASSERT_EQ(r.step(), PERP_OK);
    z = 2;
    ASSERT_EQ(r.step(), PERP_OK);
    EXPECT_NEAR(r.lambda(), 0.02, 1e-12) << projection;
  }
}

TEST(Projection, RefusesOptionsOutOfRange) {
  const auto refused = [](void (*change)(perp_simulation_options &)) {
    pendulum p(PERP_PROJECT_POSITIONS);
    change(p.w.options);
    run r(p.w);
    EXPECT_LT(r.status, 0);
    return std::string(r.info.field == nullptr ? "" : r.info.field);
  };
  EXPECT_EQ(refused([](auto &o) { o.projection = 3; }), "projection");
  EXPECT_EQ(refused([](auto &o) { o.projection_max = 0; }), "projection_max");
  EXPECT_EQ(refused([](auto &o) { o.projection_tol = 0; }), "projection_tol");
  EXPECT_EQ(refused([](auto &o) { o.projection_tol_unilateral = std::nan(""); }),
            "projection_tol_unilateral");
  EXPECT_EQ(refused([](auto &o) { o.solver = perp_solver_lemke(); }), "projection");
}

// A constraint that cannot be reached: the state stays, the status says so.
TEST(Projection, FailureLeavesTheState) {
  pendulum p(PERP_PROJECT_POSITIONS);
  p.w.options.projection_max = 1;
  p.w.options.projection_tol = 1e-300;
  run r(p.w);
  const auto before = r.bytes();
  EXPECT_EQ(r.step(), PERP_MAX_ITER);
  EXPECT_STREQ(r.info.field, "projection");
  EXPECT_EQ(r.bytes(), before);
}

}  // namespace
