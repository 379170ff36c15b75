// SPDX-License-Identifier: MIT
// Joints that constrain more than there is to constrain: rows that repeat others, loops of
// mechanisms whose joints are more than needed, rows that contradict each other by a little.
#include <gtest/gtest.h>
#include <perp/perp.h>

#include "body_world.hpp"

namespace {

using namespace tools;

struct solved {
  perp_status status = PERP_OK;
  std::int32_t steps = 0;
  double speed = 0;  // largest
  perp_report report = PERP_REPORT_INIT;
};

// Crank, coupler and rocker, all in the plane z = 0 and joined by pivots about z: 20 rows for 18
// velocities, of which one is free. With drift > 0 the pivots are out of place by that much.
struct four_bar : body_world {
  four_bar(const perp_solver *solver, double drift) {
    options.solver = solver;
    options.h = 1e-3;
    const std::array<double, 3> A = {0, 0, 0}, B = {0, 0.5, 0}, C = {1, 0.9, 0}, D = {1.5, 0, 0};
    bar(A, B);
    bar(B, C);
    bar(C, D);
    const std::array<double, 3> z = {0, 0, 1};
    add_joint(PERP_JOINT_PIVOT, A, z, {0});
    add_joint(PERP_JOINT_PIVOT, B, z, {0, 1});
    add_joint(PERP_JOINT_PIVOT, C, z, {1, 2});
    add_joint(PERP_JOINT_PIVOT, D, {drift, 0, 1}, {2});
  }
  void bar(const std::array<double, 3> &from, const std::array<double, 3> &to) {
    const double x = to[0] - from[0], y = to[1] - from[1], length = std::hypot(x, y);
    const std::array<double, 3> middle = {(from[0] + to[0]) / 2, (from[1] + to[1]) / 2, 0};
    vec q = {middle[0], middle[1], middle[2]}, Q(4);
    const double axis[3] = {0, 0, 1};
    perp_rotation_quaternion(axis, std::atan2(y, x), Q.data());
    q.insert(q.end(), Q.begin(), Q.end());
    perp_body &b = add_body(1, {0.01, length * length / 12, length * length / 12}, 0, q);
    b.f[1] = -9.81;
  }
};

template <class World>
solved run(World &w, std::int32_t steps, double *energy = nullptr, vec *q = nullptr) {
  solved out;
  w.finish();
  perp_simulation *sim = nullptr;
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(perp_simulation_create(&sim, &w.model, &w.options, &info), PERP_OK) << info.field;
  for (; out.steps < steps && out.status == PERP_OK; out.steps++)
    out.status = perp_simulation_step(sim, &info);
  perp_simulation_report(sim, &out.report);
  for (std::int32_t i = 0; i < w.model.n_systems; i++)
    out.speed = std::max(out.speed, std::fabs(perp_simulation_v(sim, i)[0]));
  if (q != nullptr) q->assign(perp_simulation_q(sim, 0), perp_simulation_q(sim, 0) + 2);
  double T = 0, V = 0;
  perp_simulation_energy(sim, &T, &V);
  if (energy != nullptr) *energy = T + V;
  perp_simulation_destroy(sim);
  return out;
}

const std::vector<const perp_solver *> solvers = {perp_solver_auto(), perp_solver_box_pivoting(),
                                                  perp_solver_active_set(), perp_solver_nsgs(),
                                                  perp_solver_interior_point()};

TEST(Overconstrained, MechanismsOfBodiesInSpaceMoveAsThoseOfThePlane) {
  for (const perp_solver *s : solvers) {
    four_bar w(s, 0);
    w.options.projection = PERP_PROJECT_POSITIONS;
    double before = 0, after = 0;
    {
      four_bar start(s, 0);
      run(start, 0, &before);
    }
    const solved r = run(w, 300, &after);
    EXPECT_EQ(r.status, PERP_OK) << s->name;
    EXPECT_EQ(r.report.failures, 0) << s->name;
    EXPECT_NEAR(after, before, 1e-3 * std::fabs(before)) << s->name;  // no joint takes energy
    EXPECT_GT(r.speed, 0.5) << s->name;                               // and none holds it
  }
}

TEST(Overconstrained, RowsThatRepeatOthersChangeNothing) {
  for (const perp_solver *s : solvers) {
    vec q[2];
    for (std::int32_t rows = 1; rows <= 3; rows += 2) {
      world w;
      w.options.solver = s;
      w.body({1.0, 2.0}).f = w.keep({1.0, -10.0});
      w.add(w.bodies.back().system);
      w.v0 = {0.1, 0.3};
      vec H(2 * at(rows), 1.0);
      w.contact(rows, 2, H);
      w.join(w.contacts.back().relation, w.equality(rows), {0});
      const solved r = run(w, 100, nullptr, &q[rows / 2]);
      EXPECT_EQ(r.status, PERP_OK) << s->name;
    }
    for (std::size_t i = 0; i < 2; i++) EXPECT_NEAR(q[0][i], q[1][i], 1e-9) << s->name;
  }
}

// Two motors on one mass.
struct two_motors : world {
  const std::int32_t first[1] = {0};
  const double speeds[2];
  perp_prescribed_velocity motors[2];
  two_motors(const perp_solver *solver, double speed, double other) : speeds{speed, other} {
    options.solver = solver;
    add(body({1.0, 1.0}).system);
    for (std::size_t i = 0; i < 2; i++) {
      perp_prescribed_velocity_init(&motors[i], sizeof motors[i], 1, 2);
      motors[i].index = first;
      motors[i].constant = &speeds[i];
      join(motors[i].relation, equality(), {0});
    }
  }
};

// Those that differ by little: the mean, and the report says so.
TEST(Overconstrained, RowsThatDifferByLittleAreMetInTheLeastSquaresSense) {
  for (const perp_solver *s :
       {perp_solver_auto(), perp_solver_box_pivoting(), perp_solver_active_set()}) {  // direct ones
    two_motors w(s, 1, 1.001);
    const solved r = run(w, 10);
    EXPECT_EQ(r.status, PERP_OK) << s->name;
    EXPECT_EQ(r.report.relaxed, 10) << s->name;
    EXPECT_NEAR(r.speed, 1.0005, 1e-6) << s->name;
  }
}

TEST(Overconstrained, RowsThatContradictEachOtherAreAnHonestFailure) {
  for (const perp_solver *s : solvers) {
    two_motors w(s, 1, 2);
    const solved r = run(w, 10);
    EXPECT_GT(r.status, PERP_OK) << s->name;
    EXPECT_EQ(r.steps, 1) << s->name;
    EXPECT_EQ(r.report.failures, 1) << s->name;
  }
}

// What is taken is what was judged, not what the relaxed problem led to.
TEST(Overconstrained, WhatIsAcceptedIsNotTheRelaxedPoint) {
  for (const perp_solver *s : {perp_solver_auto(), perp_solver_active_set(), perp_solver_nsgs()}) {
    two_motors w(s, 1, 2);
    w.options.on_failure = PERP_FAILURE_ACCEPT;
    w.options.accept_tol = HUGE_VAL;
    tools::run r(w);
    ASSERT_EQ(r.status, PERP_OK);
    ASSERT_EQ(r.step(), PERP_OK) << s->name;
    for (std::int32_t i = 0; i < 2; i++)
      EXPECT_LT(std::fabs(perp_simulation_lambda(r.sim, i)[0]), 1e7) << s->name;
  }
}

}  // namespace
