// SPDX-License-Identifier: MIT
// Overlaps of swept contacts that are taken out: judged from the places of bodies and their energy.
#include <gtest/gtest.h>
#include <perp/contact_list.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "pool_scenes.hpp"

namespace {

using namespace tools;

vec positions(const run &r, std::size_t n) {
  return vec(perp_simulation_q(r.sim, 0), perp_simulation_q(r.sim, 0) + n);
}

// The heavier moves less, as an impulse between them has it; nobody turns, nobody gets a speed.
TEST(PoolCorrect, OverlappingSpheresPartWithoutSpeed) {
  spheres w(4);
  w.law(w.friction(3, 0.5));
  w.put(1, 0, {0, 0, 0});
  w.put(3, 0, {0.096, 0, 0});
  run r(w);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  ASSERT_EQ(r.step(), PERP_OK) << r.info.field;
  const double gap = r.q(1, 0) - r.q(0, 0) - 0.1;
  EXPECT_NEAR(gap, -kSlop / 2, kSlop / 4);
  EXPECT_NEAR(r.q(0, 0) + 3 * (r.q(1, 0) - 0.096), 0, 1e-15);
  EXPECT_EQ(w.kinetic(r), 0);
  for (std::int32_t i = 0; i < 2; i++)
    for (std::size_t k : {1u, 2u, 4u, 5u, 6u}) EXPECT_NEAR(r.q(i, k), 0, 1e-15);
  // what is told is of the end of the step; the overlap at its begin is not forgotten
  perp_contact_view view;
  std::int32_t n = 0;
  ASSERT_EQ(perp_simulation_contacts(r.sim, &view, sizeof view, 1, &n), PERP_OK);
  ASSERT_EQ(n, 1);
  EXPECT_NEAR(view.gap, gap, 1e-12);
  EXPECT_NEAR(r.report().penetration, 0.004, 1e-15);
  EXPECT_EQ(r.report().relaxed, 0);
  // and then they stay
  const vec before = positions(r, 14);
  ASSERT_EQ(r.steps(5), PERP_OK);
  EXPECT_EQ(positions(r, 14), before);
}

TEST(PoolCorrect, WithoutTheOptionTheOverlapStays) {
  spheres w(4);
  w.law(w.friction(3, 0.5));
  w.put(1, 0, {0, 0, 0});
  w.put(3, 0, {0.096, 0, 0});
  w.options.projection = PERP_PROJECT_NONE;
  run r(w);
  const vec before = positions(r, 14);
  ASSERT_EQ(r.steps(3), PERP_OK);
  EXPECT_EQ(positions(r, 14), before);
}

TEST(PoolCorrect, ASphereIsLiftedOutOfTheGround) {
  spheres w(4);
  w.law(w.friction(3, 0.5));
  w.floor();
  w.put(2, kGravity, {0.3, 0.2, 0.045});
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  for (int k = 0; k < 50; k++) {
    ASSERT_EQ(r.step(), PERP_OK);
    EXPECT_NEAR(r.q(0, 2), 0.05 - kSlop / 2, kSlop / 4);
    EXPECT_LE(w.kinetic(r), 1e-24);
  }
  EXPECT_NEAR(r.q(0, 0), 0.3, 1e-15);
  EXPECT_NEAR(r.q(0, 1), 0.2, 1e-15);
}

// A sphere in a floor and a wall rolls on the wall as it is lifted, unless nothing rubs: then it
// only moves, by both overlaps.
TEST(PoolCorrect, TheWayOutHasTheFrictionOfTheContact) {
  for (const double mu : {0.0, 0.5}) {
    spheres w(4);
    w.law(w.friction(3, mu));
    w.floor();
    w.walls.push_back({{0, 0, 0}, {1, 0, 0}});
    w.put(1, 0, {0.048, 0, 0.045});
    run r(w);
    ASSERT_EQ(r.steps(5), PERP_OK) << r.info.field;
    EXPECT_LE(w.deepest(r), kSlop);
    EXPECT_EQ(w.kinetic(r), 0);
    if (mu == 0) {
      EXPECT_NEAR(r.q(0, 0), 0.05 - kSlop / 2, kSlop / 4);
      EXPECT_NEAR(r.q(0, 2), 0.05 - kSlop / 2, kSlop / 4);
      EXPECT_EQ(r.q(0, 3), 1);
    } else {
      EXPECT_GT(std::abs(r.q(0, 5)), 1e-3);  // about y
    }
    EXPECT_NEAR(r.q(0, 1), 0, 1e-15);
  }
}

// An overlap of two bodies is nothing to others, neither far away nor within the margin.
TEST(PoolCorrect, NobodyIsPushedIntoANeighbour) {
  spheres w(20);
  w.law(w.friction(3, 0));
  w.put(1, 0, {0, 0, 0});
  w.put(1, 0, {0.094, 0, 0});
  w.put(1, 0, {0.195, 0, 0});  // a gap of 1 mm, and the second comes 3 mm nearer
  w.put(1, 0, {0, 1, 0});
  run r(w);
  ASSERT_EQ(r.step(), PERP_OK);
  EXPECT_LE(w.deepest(r), kSlop);
  EXPECT_GT(r.q(2, 0), 0.195);
  EXPECT_EQ(r.q(3, 1), 1);
  EXPECT_EQ(r.report().relaxed, 0);
}

// ------------------------------------------------------------------------------- reach ----

// Two spheres nearly in one another, and a column of them: not further than a quarter of the least
// radius of gyration in a step, and apart in the end.
TEST(PoolCorrect, ADeepStartDoesNotExplode) {
  spheres w(200);
  w.law(w.friction(3, 0.3));
  w.floor();
  for (int i = 0; i < 8; i++) w.put(1 + i % 3, kGravity, {0, 0, 0.01 + 0.02 * i});
  run r(w);
  const double most = 0.25 * std::sqrt(0.4) * 0.05;
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  for (int k = 0; k < 150; k++) {
    const vec before = positions(r, 56);
    ASSERT_EQ(r.step(), PERP_OK);
    for (std::int32_t i = 0; i < 8; i++) {
      double square = 0;
      for (std::size_t c = 0; c < 3; c++) {
        const double moved = r.q(i, c) - before[at(7 * i) + c] - 2e-3 * r.v(i, c);
        square += moved * moved;
      }
      ASSERT_LE(std::sqrt(square), most * (1 + 1e-9)) << k;
    }
    ASSERT_LE(w.kinetic(r), 1e-4) << k;
    if (k == 0) {
      EXPECT_EQ(r.report().relaxed, 1);
    }
  }
  EXPECT_LE(w.deepest(r), 1.01 * kSlop);
}

// Walls closer than a body is wide: it comes to their middle, rests there, and each step says that
// something is left.
TEST(PoolCorrect, WhatIsSqueezedIsCentredAndCounted) {
  for (const double mu : {0.0, 0.5}) {
    spheres w(8);
    w.law(w.friction(3, mu));
    w.walls = {{{-0.04, 0, 0}, {1, 0, 0}}, {{0.04, 0, 0}, {-1, 0, 0}}};
    w.put(1, 0, {0.007, 0, 0});
    w.put(1, 0, {0, 0.5, 0});
    run r(w);
    ASSERT_EQ(r.status, PERP_OK);
    for (int k = 1; k <= 30; k++) {
      ASSERT_EQ(r.step(), PERP_OK);
      EXPECT_EQ(r.report().relaxed, k);
      for (std::int32_t i = 0; i < 2; i++) {
        EXPECT_LE(std::abs(r.q(i, 0)), 0.0071);
        EXPECT_NEAR(r.q(i, 2), 0, 1e-12);
      }
      EXPECT_EQ(w.kinetic(r), 0);
    }
    EXPECT_NEAR(r.q(0, 0), 0, kSlop);
    EXPECT_NEAR(r.q(0, 1), 0, 1e-12);
  }
}

// ------------------------------------------------------------------------------- piles ----

struct pile : spheres {
  explicit pile(std::int32_t n) : spheres(6 * n) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> jitter(-0.004, 0.004);
    law(friction(3, 0.4));
    floor();
    for (const double side : {-1.0, 1.0}) {
      walls.push_back({{side * 0.17, 0, 0}, {-side, 0, 0}});
      walls.push_back({{0, side * 0.17, 0}, {0, -side, 0}});
    }
    for (std::int32_t i = 0; i < n; i++)
      put(1, kGravity,
          {-0.11 + 0.11 * (i % 3) + jitter(random), -0.11 + 0.11 * (i / 3 % 3) + jitter(random),
           0.06 + 0.11 * (i / 9)});
    options.h = 5e-3;
    options.gap_tol = 1e-4;
    options.speed_tol = 0.01 * kGravity * options.h;
    options.on_failure = PERP_FAILURE_ACCEPT;
    options.accept_tol = HUGE_VAL;
  }
};

// Most work of the forces of a step on what their solution leaves open.
double open_work(const pile &w, const run &r) {
  std::vector<perp_contact_view> views(at(w.pool.capacity));
  std::int32_t n = 0;
  perp_simulation_contacts(r.sim, views.data(), sizeof views[0], w.pool.capacity, &n);
  double sum = 0;
  for (std::int32_t i = 0; i < n; i++)
    for (std::size_t k = 0; k < 3; k++) sum += std::abs(views[at(i)].lambda[k]);
  return sum * w.options.speed_tol;
}

// The total energy of a pile that settles rises by no more than what the lifting of its overlaps
// costs; where nothing overlaps nothing is moved but by velocities.
TEST(PoolCorrect, APileSettlesWithoutOverlapAndGainsNoEnergy) {
  pile w(45), plain(45);
  plain.options.projection = PERP_PROJECT_NONE;
  run r(w), as_it_was(plain);
  const std::size_t n = 7 * 45;
  double lifted = 0, energy = w.kinetic(r) + w.potential(perp_simulation_q(r.sim, 0));
  int moved_steps = 0;
  ASSERT_EQ(r.status, PERP_OK);
  for (int k = 0; k < 500; k++) {
    vec q = positions(r, n);
    ASSERT_EQ(r.step(), PERP_OK) << k << r.info.field;
    for (std::int32_t i = 0; i < 45; i++)
      for (std::size_t c = 0; c < 3; c++) q[at(7 * i) + c] += w.options.h * r.v(i, c);
    double deepest = 0, moved = 0;
    w.each(q.data(), [&](std::int32_t, std::int32_t, double gap, const auto &) {
      deepest = std::max(deepest, -gap);
    });
    for (std::int32_t i = 0; i < 45; i++)
      for (std::size_t c = 0; c < 3; c++)
        moved = std::max(moved, std::abs(r.q(i, c) - q[at(7 * i) + c]));
    const double lift = w.potential(perp_simulation_q(r.sim, 0)) - w.potential(q.data());
    const double now = w.kinetic(r) + w.potential(perp_simulation_q(r.sim, 0));
    // gaps are those of the plane at the begin of the step
    if (deepest < 0.9e-4) {
      EXPECT_LE(moved, 1e-15) << k;
    }
    if (deepest > 1.5e-4) {
      EXPECT_GT(moved, 1e-6) << k;
    }
    moved_steps += moved > 1e-15;
    ASSERT_LE(now, energy + std::max(lift, 0.0) + open_work(w, r)) << k;
    lifted += std::max(lift, 0.0);
    energy = now;
  }
  ASSERT_EQ(as_it_was.steps(500), PERP_OK);
  EXPECT_LE(w.deepest(r), 3e-4);  // 0.6 % of the radius
  EXPECT_GT(plain.deepest(as_it_was), 1e-3);
  EXPECT_GT(moved_steps, 10);
  EXPECT_LT(lifted, 45 * kGravity * 0.01);  // a fifth of a radius each
  EXPECT_LT(w.kinetic(r), 45 * 0.5 * std::pow(kGravity * w.options.h, 2));
}

// The solver's limit holds for velocities and for displacements, which take three sweeps more for
// their mean.
TEST(PoolCorrect, ACorrectionTakesNoMoreSweepsThanTheSolverMay) {
  pile w(45), patient(45);
  w.sweeps.max_iter = 15;
  run a(w), b(patient);
  std::int64_t most = 0, usual = 0;
  for (int k = 0; k < 200; k++) {
    const std::int64_t before = a.report().solver_iterations, then = b.report().solver_iterations;
    ASSERT_EQ(a.step(), PERP_OK) << k << a.info.field;
    ASSERT_EQ(b.step(), PERP_OK) << k << b.info.field;
    most = std::max(most, a.report().solver_iterations - before);
    usual = std::max(usual, b.report().solver_iterations - then);
  }
  EXPECT_LE(most, 15 + 15 + 3);
  EXPECT_GT(usual, 40);
}

TEST(PoolCorrect, ThreadsAndAResumedRunHaveTheSameBits) {
  pile w(90), threaded(90);
  w.sweeps.max_iter = threaded.sweeps.max_iter = 50;
  threaded.options.parallel = in_threads;
  run a(w), b(threaded);
  std::vector<unsigned char> middle;
  for (int k = 0; k < 60; k++) {
    if (k == 30) middle = a.bytes();
    ASSERT_EQ(a.step(), PERP_OK);
    ASSERT_EQ(b.step(), PERP_OK);
    ASSERT_EQ(a.bytes(), b.bytes()) << k;
  }
  run c(w.model, w.options, 8, middle.data());
  ASSERT_EQ(c.status, PERP_OK);
  ASSERT_EQ(c.steps(30), PERP_OK);
  EXPECT_EQ(c.bytes(), a.bytes());
}

// ------------------------------------------------------------------------------- boxes ----

TEST(PoolCorrect, AStackOfBoxesComesApartAtRest) {
  boxes w(10, 0.01);
  w.law(w.friction(3, 0.5));
  w.options.h = 5e-3;
  w.options.gap_tol = 1e-4;
  w.options.projection_max = 1000;
  w.options.on_failure = PERP_FAILURE_ACCEPT;
  run r(w);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  int steps = 0;
  for (int k = 0; k < 200; k++) {
    ASSERT_EQ(r.step(), PERP_OK) << k << r.info.field;
    ASSERT_LE(w.speed(r), 1e-7) << k;  // of the solver's tolerance
    if (w.lowest(r) < -1e-4) steps = k + 1;
  }
  EXPECT_LE(steps, 40);
  EXPECT_LE(w.lowest(r), 0);
  for (std::int32_t i = 0; i < 10; i++) {
    // a slop on one side of the lowest turns all by 1e-4
    EXPECT_NEAR(r.q(i, 0), 0, 5e-4);
    EXPECT_NEAR(r.q(i, 1), 0, 5e-4);
    EXPECT_NEAR(r.q(i, 2), 0.25 + 0.5 * i, 1e-4 * (i + 1));
    EXPECT_NEAR(r.q(i, 3), 1, 1e-8);
  }
}

// Velocities have the bits of the run that leaves the overlap: what lifts the box does not hold it.
TEST(PoolCorrect, ASlidingBoxKeepsItsSpeed) {
  boxes w(1, 0.005, 0.6), plain(1, 0.005, 0.6);
  for (boxes *x : {&w, &plain}) {
    x->law(x->friction(3, 0.3));
    x->v0 = {-std::cos(0.6), 0, -std::sin(0.6), 0, 0, 0};
  }
  plain.options.projection = PERP_PROJECT_NONE;
  run r(w), as_it_was(plain);
  ASSERT_EQ(r.status, PERP_OK);
  double speed = 1;
  for (int k = 0; k < 200; k++) {
    ASSERT_EQ(r.step(), PERP_OK);
    ASSERT_EQ(as_it_was.step(), PERP_OK);
    speed += w.options.h * kGravity * (std::sin(0.6) - 0.3 * std::cos(0.6));
    EXPECT_NEAR(-r.v(0, 0) * std::cos(0.6) - r.v(0, 2) * std::sin(0.6), speed, 1e-8);
    for (std::size_t c = 0; c < 6; c++) ASSERT_NEAR(r.v(0, c), as_it_was.v(0, c), 1e-9) << k;
  }
  EXPECT_NEAR(w.lowest(r), -kSlop / 2, kSlop / 2);
  EXPECT_NEAR(plain.lowest(as_it_was), -0.005, 1e-6);
  // along the slope both are where that speed has brought them
  const double apart = (r.q(0, 0) - as_it_was.q(0, 0)) * std::cos(0.6) +
                       (r.q(0, 2) - as_it_was.q(0, 2)) * std::sin(0.6);
  EXPECT_NEAR(apart, 0, kSlop / 4);  // what the correction leaves open
}

// One corner of a box lies deeper: it is turned back, the length of its quaternion stays.
TEST(PoolCorrect, ATiltedBoxIsTurnedOutOfTheGround) {
  boxes w(1, 0.002);
  w.law(w.friction(3, 0.5));
  const double tilt = 0.01;
  const double c = std::cos(0.6), d = std::sin(0.6);  // turned by 1.2 about z before
  const double u = std::sin(tilt / 2) * 0.6, v = std::sin(tilt / 2) * 0.8;
  w.q0[3] = c * std::cos(tilt / 2);
  w.q0[4] = c * u - d * v;
  w.q0[5] = c * v + d * u;
  w.q0[6] = d * std::cos(tilt / 2);
  w.options.gap_tol = 1e-4;
  for (double &f : w.bodies[0].f) f = 0;
  run r(w);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  ASSERT_EQ(r.steps(2), PERP_OK);
  EXPECT_GE(w.lowest(r), -1e-4);
  EXPECT_LE(w.lowest(r), 0);
  EXPECT_EQ(w.speed(r), 0);
  double square = 0;
  for (std::size_t k = 3; k < 7; k++) square += r.q(0, k) * r.q(0, k);
  EXPECT_NEAR(square, 1, 1e-14);
}

// ------------------------------------------------------------------------ other bodies ----

TEST(PoolCorrect, PointsWithoutFrictionPart) {
  pooled w(4);
  perp_lagrangian_linear &s = w.body(vec{1, 1, 1});
  for (const double x : {0.0, 0.09}) {
    w.add(s.system);
    w.q0.insert(w.q0.end(), {x, 0, 0.05});
  }
  w.law(w.impact(0));
  w.options.formulation = PERP_FORMULATION_GLOBAL;
  w.options.projection = PERP_PROJECT_POSITIONS;
  w.options.min_gap = -1;
  w.find = [](double, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
    tools::add_grains(sim, 2, 0.05, 0.01, out);
    return 0;
  };
  run r(w);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  ASSERT_EQ(r.steps(3), PERP_OK);
  EXPECT_NEAR(r.q(1, 0) - r.q(0, 0), 0.1, 1e-8);
  EXPECT_NEAR(r.q(0, 0) + r.q(1, 0), 0.09, 1e-15);
  EXPECT_EQ(r.q(0, 2), 0.05);
}

// Discs in the plane, heavy in y: lifted out of the ground, off each other, and into no third
// direction. What is switched off is not moved.
TEST(PoolCorrect, DiscsInThePlaneAndOnesThatAreSwitchedOff) {
  pooled w(12);
  perp_lagrangian_linear &s = w.body(vec{2, 2, 0.01});
  s.f = w.keep({0, -2 * kGravity, 0});
  for (int i = 0; i < 3; i++) {
    w.add(s.system);
    w.q0.insert(w.q0.end(), {0.0, 0.098 + 0.197 * i, 0.3 * i});
  }
  w.pool.plane = 1;
  w.law(w.friction(2, 0.3));
  w.options.h = 2e-3;
  w.options.formulation = PERP_FORMULATION_GLOBAL;
  w.options.projection = PERP_PROJECT_POSITIONS;
  w.options.min_gap = -1;
  w.options.gap_tol = kSlop;
  w.options.switchable = 1;
  w.find = [](double, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
    for (std::int32_t i = 0; i < 3; i++) {
      const double *a = perp_simulation_q(sim, i);
      perp_pool_contact c = contact_of(i, PERP_GROUND, a[1] - 0.1, {0, 1, 0});
      for (std::size_t k = 0; k < 2; k++) c.place.a[k] = c.place.b[k] = a[k] - (k == 1 ? 0.1 : 0);
      if (i > 0) {
        const double *b = perp_simulation_q(sim, i - 1);
        c.systems[1] = i - 1;
        c.place.gap = a[1] - b[1] - 0.2;
      }
      out.push_back(c);
    }
    return 0;
  };
  run r(w);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  ASSERT_EQ(perp_simulation_set_active(r.sim, 2, 0), PERP_OK);
  ASSERT_EQ(r.steps(5), PERP_OK) << r.info.field;
  EXPECT_NEAR(r.q(0, 1), 0.1, kSlop);
  EXPECT_NEAR(r.q(1, 1), 0.3, 2 * kSlop);
  EXPECT_EQ(r.q(2, 1), 0.098 + 0.197 * 2);
  for (std::int32_t i = 0; i < 3; i++) {
    EXPECT_NEAR(r.q(i, 0), 0, 1e-15);
    EXPECT_NEAR(r.q(i, 2), 0.3 * i, 1e-15);
    for (std::size_t k = 0; k < 3; k++) EXPECT_NEAR(r.v(i, k), 0, 1e-12);
  }
  ASSERT_EQ(perp_simulation_set_active(r.sim, 2, 1), PERP_OK);
  ASSERT_EQ(r.steps(5), PERP_OK);
  EXPECT_NEAR(r.q(2, 1), 0.5, 3 * kSlop);
}

// W of these is no mass times 1 in translations: it is looked at in full.
TEST(PoolCorrect, BodiesWithAForceOfTheirOwnPartToo) {
  spheres w(8);
  w.law(w.friction(3, 0.4));
  w.floor();
  w.put(1, kGravity, {0, 0, 0.048});
  w.put(1, kGravity, {0, 0, 0.145});
  for (perp_body &b : w.kinds)
    b.force = [](double, const double *, const double *v, double *f, void *) {
      for (std::size_t k = 0; k < 3; k++) f[k] = -0.3 * v[k];
      return 0;
    };
  run r(w);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  ASSERT_EQ(r.steps(5), PERP_OK) << r.info.field;
  EXPECT_LE(w.deepest(r), kSlop);
  EXPECT_NEAR(r.q(0, 2), 0.05, kSlop);
  EXPECT_NEAR(r.q(1, 2), 0.15, 2 * kSlop);
}

// ----------------------------------------------------------------------------- refusals ----

TEST(PoolCorrect, WhatIsNotPossibleIsRefusedAndAFailedStepLeavesTheState) {
  spheres w(4);
  w.law(w.friction(3, 0.5));
  w.put(1, 0, {0, 0, 0});
  w.put(1, 0, {0.09, 0, 0});
  w.options.projection = PERP_PROJECT_COMBINED;
  run refused(w);
  EXPECT_EQ(refused.status, PERP_EUNSUPPORTED);
  EXPECT_STREQ(refused.info.field, "combined projection of a pool");
  w.options.projection = PERP_PROJECT_POSITIONS;
  static int calls;
  calls = 0;
  w.kinds[0].force = [](double, const double *, const double *, double *f, void *) {
    f[0] = f[1] = f[2] = 0;
    return ++calls > 3 ? -1 : 0;
  };
  int failures = 0;
  for (int allowed = 0; allowed < 40; allowed++) {
    calls = -1000;
    run r(w);
    ASSERT_EQ(r.status, PERP_OK);
    const auto before = r.bytes();
    calls = 3 - allowed;  // the call after so many fails
    if (r.step() == PERP_OK) break;
    failures++;
    EXPECT_EQ(r.bytes(), before);
  }
  EXPECT_GT(failures, 2);
  EXPECT_LT(failures, 40);
}

}  // namespace
