// SPDX-License-Identifier: MIT
// Constraints kept by IDA: mechanisms, a top, equations of first order, chains; against exact
// solutions, conserved quantities and Runge-Kutta.
#include <limits>

#include "pendulum_tools.hpp"

namespace {

using tools::kG;
using tools::Mechanism;
using tools::Motion;
using tools::simple_pendulum;
using tools::swing;
using tools::vec;

constexpr double kTol = 1e-10;

// ------------------------------------------------------------------------------ mechanisms

// Two parallel cranks with a coupler, and a row that says again that it stays level.
TEST(EventIda, RedundantConstraintsOfAParallelogramAreKept) {
  const double L = 0.8, d = 1.5, a = 1.1;
  Mechanism m;
  const double x = L * std::sin(a), y = -L * std::cos(a);
  m.weight(1, {x, y}, {0, 0});
  m.weight(2, {x + d, y}, {0, 0});
  m.join(m.rod(L), m.equality(), {0});
  m.join(m.rod(L, d), m.equality(), {1});
  m.join(m.rod_between(d), m.equality(), {0, 1});
  m.join(m.linear({0, 1, 0, -1}, {0}), m.equality(), {0, 1});
  for (const perp_smooth *smooth : {perp_smooth_ida(), perp_smooth_runge_kutta()}) {
    Motion run(m, smooth, kTol);
    ASSERT_EQ(run.created, PERP_OK);
    ASSERT_EQ(run.to(10, 0.1,
                     [&](Motion &r) {
                       const swing s = simple_pendulum(r.time(), L, a);
                       for (int i = 0; i < 2; i++) {
                         EXPECT_NEAR(r.q(0)[i], s.q[i], 1e-6);
                         EXPECT_NEAR(r.q(1)[i], s.q[i] + (i == 0 ? d : 0), 1e-6);
                         EXPECT_NEAR(r.v(1)[i], s.v[i], 1e-5);
                       }
                       for (int i = 0; i < 4; i++) {
                         EXPECT_LT(std::abs(r.y(i)[0]), 2e-15);
                         EXPECT_LT(std::abs(r.ydot(i)[0]), 1e-14);
                       }
                     }),
              PERP_OK)
        << run.message();
  }
}

TEST(EventIda, ASliderCrankKeepsItsLoopClosedAndItsEnergy) {
  Mechanism m;
  m.weight(1, {0, 1}, {5, 0});             // the pin of a crank of length 1
  m.weight(2, {std::sqrt(3), 0}, {5, 0});  // the slider, on a rod of length 2
  m.join(m.rod(1), m.equality(), {0});
  m.join(m.rod_between(2), m.equality(), {0, 1});
  m.join(m.linear({0, 1}, {0}), m.equality(), {1});
  Motion run(m, perp_smooth_ida(), 1e-11), other(m, perp_smooth_runge_kutta(), 1e-12);
  const auto energy = [](const Motion &r) {
    return 0.5 * tools::dot(r.v(0), r.v(0)) + tools::dot(r.v(1), r.v(1)) + kG * r.q(0)[1];
  };
  const double start = energy(run);
  ASSERT_EQ(run.to(5, 0.05,
                   [&](Motion &r) {
                     const double x = r.q(0)[0], y = r.q(0)[1];
                     EXPECT_NEAR(r.q(1)[0], x + std::sqrt(4 - y * y), 1e-14);
                     EXPECT_NEAR(energy(r), start, 1e-6);
                   }),
            PERP_OK)
      << run.message();
  ASSERT_EQ(other.to(5), PERP_OK);
  EXPECT_NEAR(run.q(0)[0], other.q(0)[0], 1e-6);
  EXPECT_NEAR(run.q(0)[1], other.q(0)[1], 1e-6);
}

// r = cosh wt on a straight wire that turns with w; the wire pushes with 2 w r'.
TEST(EventIda, ABeadOnATurningWireMovesAndIsPushedAsItMust) {
  const double w = 1.3;
  Mechanism m;
  m.point(1, {0, 0}, {1, 0}, {0, w});
  m.join(m.gap(
             1, 2,
             [w](double t, const double *q, double *y) {
               y[0] = q[1] * std::cos(w * t) - q[0] * std::sin(w * t);
             },
             [w](double t, const double *, double *H) {
               H[0] = -std::sin(w * t);
               H[1] = std::cos(w * t);
             },
             true),
         m.equality(), {0});
  for (const perp_smooth *smooth : {perp_smooth_ida(), perp_smooth_runge_kutta()}) {
    Motion run(m, smooth, kTol);
    ASSERT_EQ(run.created, PERP_OK);
    ASSERT_EQ(run.to(3, 0.1,
                     [&](Motion &r) {
                       const double t = r.time(), c = std::cosh(w * t), s = std::sinh(w * t);
                       EXPECT_NEAR(r.q()[0], c * std::cos(w * t), 1e-7 * c);
                       EXPECT_NEAR(r.q()[1], c * std::sin(w * t), 1e-7 * c);
                       EXPECT_NEAR(r.lambda()[0], 2 * w * w * s, 1e-6 * c);
                     }),
              PERP_OK)
        << run.message();
  }
}

// --------------------------------------------------------------------------------- the top

struct top {
  perp_body body{};
  perp_joint joint{};
  double I1 = 0.3, I3 = 0.1, m = 2, l = 0.7;

  // Tilted by an angle about the first axis, with angular velocity (body frame).
  void build(Mechanism &mechanism, double tilt, const vec &W) {
    EXPECT_EQ(perp_body_init(&body, sizeof body), PERP_OK);
    body.mass = m;
    body.inertia[0] = body.inertia[4] = I1;
    body.inertia[8] = I3;
    body.f[2] = -m * kG;
    EXPECT_EQ(perp_joint_init(&joint, sizeof joint, PERP_JOINT_SPHERICAL, 1), PERP_OK);
    joint.point_a[2] = -l;
    const double s = std::sin(tilt), c = std::cos(tilt);
    const double wx = W[0], wy = c * W[1] - s * W[2], wz = s * W[1] + c * W[2];
    const double px = 0, py = -l * s, pz = l * c;
    mechanism.add(&body.system, {px, py, pz, std::cos(tilt / 2), std::sin(tilt / 2), 0, 0},
                  {wy * pz - wz * py, wz * px - wx * pz, wx * py - wy * px, W[0], W[1], W[2]});
    mechanism.join(&joint.relation, mechanism.equality(), {0});
  }
};

TEST(EventIda, AHeavyTopPrecessesSteadilyAtItsRate) {
  top top;
  const double tilt = 0.6, rate = 1.7, s = std::sin(tilt), c = std::cos(tilt);
  const double spin =
      (top.m * kG * top.l + (top.I1 + top.m * top.l * top.l) * rate * rate * c) / (top.I3 * rate);
  Mechanism m;
  top.build(m, tilt, {0, rate * s, spin});
  for (const perp_smooth *smooth : {perp_smooth_ida(), perp_smooth_runge_kutta()}) {
    Motion run(m, smooth, kTol);
    ASSERT_EQ(run.created, PERP_OK);
    ASSERT_EQ(run.to(5, 0.1,
                     [&](Motion &r) {
                       const double a = rate * r.time();
                       EXPECT_NEAR(r.q()[0], top.l * s * std::sin(a), 1e-6);
                       EXPECT_NEAR(r.q()[1], -top.l * s * std::cos(a), 1e-6);
                       EXPECT_NEAR(r.q()[2], top.l * c, 1e-6);
                       for (int i = 0; i < 3; i++) {
                         EXPECT_LT(std::abs(r.y()[i]), 2e-15);
                         EXPECT_LT(std::abs(r.ydot()[i]), 1e-13);
                       }
                     }),
              PERP_OK)
        << run.message();
  }
}

TEST(EventIda, ANutatingTopKeepsEnergyAndBothMomenta) {
  top top;
  Mechanism m;
  top.build(m, 0.9, {0.4, 0.3, 40});
  Motion run(m, perp_smooth_ida(), 1e-11);
  ASSERT_EQ(run.created, PERP_OK);
  const auto conserved = [&](const Motion &r) {
    const double *q = r.q(), *v = r.v(), *Q = q + 3;
    const double I[3] = {top.I1, top.I1, top.I3};
    double R[9], energy = top.m * kG * q[2], vertical = top.m * (q[0] * v[1] - q[1] * v[0]);
    perp_rotation_matrix(Q, R);
    for (int i = 0; i < 3; i++) {
      energy += 0.5 * (top.m * v[i] * v[i] + I[i] * v[3 + i] * v[3 + i]);
      vertical += R[2 + 3 * i] * I[i] * v[3 + i];
    }
    return vec{energy, vertical, v[5], Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3]};
  };
  const vec start = conserved(run);
  ASSERT_EQ(run.to(5, 0.05,
                   [&](Motion &r) {
                     const vec now = conserved(r);
                     for (std::size_t i = 0; i < 3; i++)
                       EXPECT_NEAR(now[i], start[i], 1e-7 * std::abs(start[i])) << i;
                     EXPECT_NEAR(now[3], 1, 1e-15);
                   }),
            PERP_OK)
      << run.message();
}

// ----------------------------------------------------------------------------- first order

struct linear_states {
  perp_first_order_linear system{};
  perp_linear_relation relation{};

  void build(Mechanism &m, const vec &x0, const vec &A, const vec &C, const vec &D, const vec &B,
             const vec &b, const perp_law *law) {
    const auto n = static_cast<std::int32_t>(x0.size());
    EXPECT_EQ(perp_first_order_linear_init(&system, sizeof system, n), PERP_OK);
    system.A = perp_dense(n, n, m.keep(A));
    system.b = m.keep(b);
    EXPECT_EQ(perp_linear_relation_init(&relation, sizeof relation, 1, n), PERP_OK);
    relation.C = m.keep(C);
    relation.D = m.keep(D);
    relation.B = m.keep(B);
    m.state(&system.system, x0);
    m.join(&relation.relation, law, {0});
  }
};

TEST(EventIda, SemiExplicitEquationsOfIndexOneAreSolved) {
  Mechanism m;
  linear_states s;
  s.build(m, {1}, {-1}, {1}, {-2}, {1}, {0}, m.equality());  // λ = x/2
  Motion run(m, perp_smooth_ida(), kTol);
  ASSERT_EQ(run.created, PERP_OK);
  ASSERT_EQ(run.to(4, 0.1,
                   [](Motion &r) {
                     EXPECT_NEAR(r.x()[0], std::exp(-r.time() / 2), 1e-7);
                     EXPECT_NEAR(r.lambda()[0], std::exp(-r.time() / 2) / 2, 1e-7);
                   }),
            PERP_OK)
      << run.message();
}

TEST(EventIda, OutputsOfRelativeDegreeOneStayAtZero) {
  Mechanism m;
  linear_states s;
  s.build(m, {1, -1}, {-1, 0, 0, -2}, {1, 1}, {0}, {1, 1}, {0, 0}, m.equality());
  Motion run(m, perp_smooth_ida(), kTol);
  ASSERT_EQ(run.created, PERP_OK);
  ASSERT_EQ(run.to(4, 0.1,
                   [](Motion &r) {
                     EXPECT_NEAR(r.x()[0], std::exp(-1.5 * r.time()), 1e-7);
                     EXPECT_NEAR(r.lambda()[0], -0.5 * std::exp(-1.5 * r.time()), 1e-7);
                     EXPECT_LT(std::abs(r.y()[0]), 1e-9);
                   }),
            PERP_OK)
      << run.message();
}

// x1' = x2, x2' = x3 + λ, x3' = -x3, x1 + x3 = 0.
TEST(EventIda, OutputsOfRelativeDegreeTwoStayAtZero) {
  Mechanism m;
  linear_states s;
  s.build(m, {-1, 1, 1}, {0, 0, 0, 1, 0, 0, 0, 1, -1}, {1, 0, 1}, {0}, {0, 1, 0}, {0, 0, 0},
          m.equality());
  Motion run(m, perp_smooth_ida(), kTol);
  ASSERT_EQ(run.created, PERP_OK);
  ASSERT_EQ(run.to(4, 0.1,
                   [](Motion &r) {
                     const double e = std::exp(-r.time());
                     EXPECT_NEAR(r.x()[0], -e, 1e-7);
                     EXPECT_NEAR(r.x()[1], e, 1e-6);
                     EXPECT_NEAR(r.lambda()[0], -2 * e, 1e-6);
                     EXPECT_LT(std::abs(r.y()[0]), 1e-7);
                   }),
            PERP_OK)
      << run.message();
}

TEST(EventIda, ARelayIsSlid) {
  Mechanism m;
  perp_box relay{};
  ASSERT_EQ(perp_box_init(&relay, sizeof relay), PERP_OK);
  relay.lower = m.keep({-1});
  relay.upper = m.keep({1});
  linear_states s;
  s.build(m, {1}, {0}, {1}, {0}, {2}, {0.5}, &relay.law);
  Motion run(m, perp_smooth_ida(), kTol);
  ASSERT_EQ(run.created, PERP_OK);
  ASSERT_EQ(run.to(3), PERP_OK) << run.message();
  ASSERT_EQ(run.times.size(), 1u);
  EXPECT_NEAR(run.times[0], 2.0 / 3, 1e-9);
  EXPECT_NEAR(run.x()[0], 0, 1e-10);
  EXPECT_NEAR(run.lambda()[0], -0.25, 1e-12);
  EXPECT_EQ(run.mode(), PERP_CONTACT_BETWEEN);
}

// x' = -λ with λ³ + λ = x:  3λ²/2 + ln λ + t is constant.
TEST(EventIda, NonlinearSemiExplicitEquationsAreSolved) {
  Mechanism m;
  perp_first_order_linear system{};
  perp_first_order_relation relation{};
  ASSERT_EQ(perp_first_order_linear_init(&system, sizeof system, 1), PERP_OK);
  ASSERT_EQ(perp_first_order_type2_init(&relation, sizeof relation, 1, 1), PERP_OK);
  relation.h = [](double, const double *x, const double *l, const double *, double *y, void *) {
    y[0] = l[0] * l[0] * l[0] + l[0] - x[0];
    return 0;
  };
  relation.g = [](double, const double *, const double *l, const double *, double *r, void *) {
    r[0] = -l[0];
    return 0;
  };
  m.state(&system.system, {10});
  m.join(&relation.relation, m.equality(), {0});
  for (const perp_smooth *smooth : {perp_smooth_ida(), perp_smooth_runge_kutta()}) {
    Motion run(m, smooth, kTol);
    ASSERT_EQ(run.created, PERP_OK);
    EXPECT_NEAR(run.lambda()[0], 2, 1e-12);
    ASSERT_EQ(run.to(9, 0.1,
                     [](Motion &r) {
                       const double l = r.lambda()[0];
                       EXPECT_NEAR(1.5 * l * l + std::log(l) + r.time(), 6 + std::log(2), 1e-6);
                     }),
              PERP_OK)
        << run.message();
  }
}

// ------------------------------------------------------------------------------- structure

void hang_chain(Mechanism &m, std::int32_t links, double L) {
  const perp_relation *first = m.rod(L), *next = m.rod_between(L);
  for (std::int32_t i = 0; i < links; i++) {
    m.weight(1, {L * (i + 1), 0}, {0, 0});
    if (i == 0)
      m.join(first, m.equality(), {0});
    else
      m.join(next, m.equality(), {i - 1, i});
  }
}

TEST(EventIda, MatricesOfAllKindsGiveTheSameMotion) {
  Mechanism m;
  hang_chain(m, 12, 0.2);
  vec ends;
  for (const std::int32_t linear :
       {PERP_LINEAR_DENSE, PERP_LINEAR_BANDED, PERP_LINEAR_SPARSE, PERP_LINEAR_AUTO}) {
    Motion run(m, perp_smooth_ida(), 1e-9, [linear](perp_event_options &o) { o.linear = linear; });
    ASSERT_EQ(run.created, PERP_OK);
    ASSERT_EQ(run.to(0.5), PERP_OK) << run.message();
    ends.push_back(run.q(11)[0]);
    EXPECT_GT(run.report().jacobians, 0);
    EXPECT_LT(run.report().evaluations, 5000);  // Jacobians by colours, not by columns
  }
  Motion run(m, perp_smooth_runge_kutta(), 1e-11);
  ASSERT_EQ(run.to(0.5), PERP_OK);
  for (const double end : ends) EXPECT_NEAR(end, run.q(11)[0], 1e-6);
}

TEST(EventIda, AChainOfTwoHundredLinksFallsWithItsEnergyKept) {
  Mechanism m;
  const std::int32_t links = 200;
  hang_chain(m, links, 0.05);
  Motion run(m, perp_smooth_ida(), 1e-7);
  ASSERT_EQ(run.created, PERP_OK);
  ASSERT_EQ(run.to(0.3), PERP_OK) << run.message();
  double kinetic = 0, potential = 0, worst = 0;
  for (std::int32_t i = 0; i < links; i++) {
    kinetic += 0.5 * tools::dot(run.v(i), run.v(i));
    potential += kG * run.q(i)[1];
    worst = std::max({worst, std::abs(run.y(i)[0]), std::abs(run.ydot(i)[0])});
  }
  EXPECT_GT(kinetic, 100);
  EXPECT_NEAR(kinetic + potential, 0, 1e-4 * kinetic);
  EXPECT_LT(worst, 1e-12);
  EXPECT_EQ(run.report().restarts, 1);
}

// An elastic bar by finite elements, its mass and stiffness in compressed rows, held at one end.
TEST(EventIda, ASparseMassIsNotInverted) {
  const std::int32_t n = 40;
  std::vector<std::int32_t> start{0}, index;
  vec M, K, q0(n), v0(n, 0.0), H(n, 0.0);
  for (std::int32_t i = 0; i < n; i++) {
    for (std::int32_t j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); j++) {
      const bool end = i == 0 || i == n - 1;
      index.push_back(j);
      M.push_back(i == j ? 2.05 : -1);  // its inverse decays slowly
      K.push_back(100 * (i == j ? (end ? 1.0 : 2.0) : -1.0));
    }
    start.push_back(static_cast<std::int32_t>(index.size()));
    q0[static_cast<std::size_t>(i)] = 0.01 * i;
  }
  H[0] = 1;
  perp_lagrangian_linear bar{};
  ASSERT_EQ(perp_lagrangian_linear_init(&bar, sizeof bar, n), PERP_OK);
  bar.M = {PERP_BLOCKS, n, n, 0, n, 0, M.data(), start.data(), index.data(), nullptr};
  bar.K = {PERP_BLOCKS, n, n, 0, n, 0, K.data(), start.data(), index.data(), nullptr};
  Mechanism m;
  m.add(&bar.system, q0, v0);
  m.join(m.linear(H, {0}), m.equality(), {0});
  Motion run(m, perp_smooth_ida(), 1e-9), other(m, perp_smooth_runge_kutta(), 1e-11);
  ASSERT_EQ(run.created, PERP_OK);
  ASSERT_EQ(run.to(2), PERP_OK) << run.message();
  ASSERT_EQ(other.to(2), PERP_OK);
  for (std::int32_t i = 0; i < n; i++) EXPECT_NEAR(run.q()[i], other.q()[i], 1e-6) << i;
  EXPECT_NEAR(run.lambda()[0], other.lambda()[0], 1e-4);
  const perp_event_report r = run.report();
  EXPECT_LT(r.evaluations, 2 * r.steps + 20 * r.jacobians);
}

// -------------------------------------------------------------------------------- friction

// A block on the ground (normal axis first) that springs pull across its way: it slips on a curved
// path, stops and stays.
TEST(EventIda, ABlockSlipsStopsAndSticks) {
  perp_friction law{};
  ASSERT_EQ(perp_friction_init(&law, sizeof law), PERP_OK);
  law.law.size = 3;
  law.mu = 0.3;
  for (const double stiffness : {0.0, 1.5}) {
    perp_lagrangian_linear block{};
    Mechanism m;
    ASSERT_EQ(perp_lagrangian_linear_init(&block, sizeof block, 3), PERP_OK);
    block.M = perp_diagonal(3, m.keep({1, 1, 1}));
    block.K = perp_diagonal(3, m.keep({0, 0, stiffness}));
    block.f = m.keep({-kG, 0, 0});
    m.add(&block.system, {0, 0, 0.4}, {0, 3, 4});
    m.join(m.linear({1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}), &law.law, {0});
    Motion run(m, perp_smooth_ida(), kTol), other(m, perp_smooth_runge_kutta(), 1e-12);
    ASSERT_EQ(run.created, PERP_OK);
    EXPECT_EQ(run.mode(), PERP_CONTACT_SLIP);
    ASSERT_EQ(run.to(3), PERP_OK) << run.message();
    ASSERT_EQ(other.to(3), PERP_OK) << other.message();
    ASSERT_FALSE(run.times.empty());
    EXPECT_NEAR(run.times.back(), other.times.back(), 1e-7);
    EXPECT_EQ(run.mode(), PERP_CONTACT_STICK);
    for (int i = 0; i < 3; i++) EXPECT_NEAR(run.q()[i], other.q()[i], 1e-7);
    if (stiffness == 0) {
      const double stop = 5 / (0.3 * kG), way = 0.5 * 5 * stop;
      ASSERT_EQ(run.times.size(), 1u);
      EXPECT_NEAR(run.times[0], stop, 1e-8);
      EXPECT_NEAR(run.q()[1], 0.6 * way, 1e-8);
      EXPECT_NEAR(run.q()[2], 0.4 + 0.8 * way, 1e-8);
    }
  }
}

// A force of at most 2 against a velocity: known while it moves, held while it rests.
TEST(EventIda, ABoxBrakesAndHolds) {
  Mechanism m;
  perp_box brake{};
  ASSERT_EQ(perp_box_init(&brake, sizeof brake), PERP_OK);
  brake.lower = m.keep({-2});
  brake.upper = m.keep({2});
  m.point(1, {0.5}, {0}, {3});
  m.join(m.linear({1}, {0}), &brake.law, {0});
  Motion run(m, perp_smooth_ida(), kTol);
  ASSERT_EQ(run.created, PERP_OK);
  EXPECT_EQ(run.mode(), PERP_CONTACT_LOWER);
  ASSERT_EQ(run.to(4), PERP_OK) << run.message();
  ASSERT_EQ(run.times.size(), 1u);
  EXPECT_NEAR(run.times[0], 2, 1e-8);
  EXPECT_NEAR(run.q()[0], 3, 1e-8);
  EXPECT_NEAR(run.lambda()[0], -0.5, 1e-12);
  EXPECT_EQ(run.mode(), PERP_CONTACT_BETWEEN);
}

// -------------------------------------------------------------------------------- failures

TEST(EventIda, OptionsThatItDoesNotHaveAreRefused) {
  Mechanism m;
  tools::hang(m, 1, 1);
  EXPECT_EQ(Motion(m, perp_smooth_ida(), kTol, [](perp_event_options &o) { o.order = 6; }).created,
            PERP_EINVAL);
  Motion order(m, perp_smooth_ida(), kTol, [](perp_event_options &o) { o.order = 6; });
  EXPECT_EQ(order.field, "order");
}

TEST(EventIda, AForceThatGivesUpOrIsNotFiniteEndsTheRunWithItsState) {
  for (const int how : {0, 1, 2}) {
    perp_lagrangian s{};
    Mechanism m;
    ASSERT_EQ(perp_lagrangian_init(&s, sizeof s, 2), PERP_OK);
    s.M = perp_diagonal(2, m.keep({1, 1}));
    int user = how;
    s.user = &user;
    s.internal = [](double t, const double *, const double *, const double *, double *f, void *u) {
      f[1] = kG;
      if (t <= 1) return 0;
      const int kind = *static_cast<const int *>(u);
      if (kind == 2) f[1] = std::numeric_limits<double>::quiet_NaN();
      return kind == 0 ? -1 : kind == 1 ? 1 : 0;
    };
    m.add(&s.system, {1, 0}, {0, 0});
    m.join(m.rod(1), m.equality(), {0});
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    Motion run(m, perp_smooth_ida(), 1e-8);
    const perp_status status = run.to(2);
    EXPECT_EQ(status, how == 0 ? PERP_ECALLBACK : how == 1 ? PERP_RETRY : PERP_ENOTFINITE);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_GT(run.message().size(), 10u);
    EXPECT_LE(run.time(), 1);
    EXPECT_GT(run.time(), how == 0 ? 0.8 : 0.999);
    const swing exact = simple_pendulum(run.time(), 1, std::acos(0.0));
    EXPECT_NEAR(run.q()[0], exact.q[0], 1e-5);
  }
}

// What is seen after every step, not at outputs alone.
TEST(EventIda, ObserversOfStepsSeeStatesOnTheConstraints) {
  Mechanism m;
  tools::hang_two(m, 2, 1);
  perp_event_options o = perp_event_options_default();
  o.rtol = o.atol = 1e-5;
  o.smooth = perp_smooth_ida();
  perp_event_driven *sim = nullptr;
  ASSERT_EQ(perp_event_driven_create(&sim, m.model(), &o, nullptr), PERP_OK);
  perp_event_observer watch = PERP_EVENT_OBSERVER_INIT;
  struct seen {
    double drift = 0;
    int steps = 0;
  } seen;
  watch.user = &seen;
  watch.step = [](perp_event_driven *e, void *user) {
    auto *at = static_cast<struct seen *>(user);
    for (int i = 0; i < 2; i++)
      at->drift = std::max({at->drift, std::abs(perp_event_driven_y(e, i)[0]),
                            std::abs(perp_event_driven_ydot(e, i)[0])});
    at->steps++;
    return 0;
  };
  ASSERT_EQ(perp_event_driven_run(sim, 2, &watch, nullptr), PERP_OK);
  EXPECT_GT(seen.steps, 50);
  EXPECT_LT(seen.drift, 2e-14);
  perp_event_report r = PERP_EVENT_REPORT_INIT;
  ASSERT_EQ(perp_event_driven_report(sim, &r), PERP_OK);
  EXPECT_GT(r.drift, 1e-10);  // the method's own
  perp_event_driven_destroy(sim);
}

}  // namespace
