// SPDX-License-Identifier: MIT
// What perp_pool_defaults() chooses, and that a pile with more points than hold it runs with that.
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <limits>

#include "pool_tools.hpp"

namespace {

using tools::contact_of;
using tools::kGravity;
using tools::pooled;
using tools::run;

constexpr double kStep = 2e-3;

// Cubes of 1 kg in rows of 5, 4, ... with gaps between neighbours; the corners are what touches.
struct pyramid : pooled {
  perp_body cube;
  double edge;
  explicit pyramid(double length, double pull = kGravity)
      : pooled(300), cube(tools::sphere(1, 1)), edge(length) {
    for (std::size_t i = 0; i < 3; i++) cube.inertia[4 * i] = edge * edge / 6;
    cube.f[2] = -pull;
    for (int row = 0; row < 5; row++)
      for (int i = 0; i < 5 - row; i++) {
        add(cube.system);
        q0.insert(q0.end(), {edge * (1.02 * i + 0.51 * row), 0, edge * (row + 0.5), 1, 0, 0, 0});
        v0.insert(v0.end(), 6, 0);
      }
    law(friction(3, 0.5));
    options.h = kStep * std::sqrt(edge);
    perp_pool_defaults(finish(), options.h, 0, &options);
    find = [this](double, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
      for (std::int32_t a = 0; a < 15; a++)
        for (unsigned c = 0; c < 8; c++) add_corner(sim, a, c, out);
      return 0;
    };
  }

  void add_corner(const perp_simulation *sim, std::int32_t a, unsigned c,
                  std::vector<perp_pool_contact> &out) const {
    double x[3];
    const double *q = perp_simulation_q(sim, a);
    double R[9];
    perp_rotation_matrix(q + 3, R);
    for (std::size_t k = 0; k < 3; k++) {
      x[k] = q[k];
      for (std::size_t j = 0; j < 3; j++) x[k] += (c >> j & 1 ? 0.5 : -0.5) * edge * R[k + 3 * j];
    }
    if (x[2] < 0.05 * edge) {
      perp_pool_contact floor = contact_of(a, PERP_GROUND, x[2], {0, 0, 1});
      std::memcpy(floor.place.a, x, sizeof x);
      floor.identity[0] = c;
      out.push_back(floor);
    }
    for (std::int32_t b = 0; b < 15; b++) {
      const double *p = perp_simulation_q(sim, b);
      double local[3] = {0, 0, 0};
      perp_rotation_matrix(p + 3, R);
      for (std::size_t j = 0; j < 3; j++)
        for (std::size_t k = 0; k < 3; k++) local[j] += R[k + 3 * j] * (x[k] - p[k]);
      const double side = local[2] > 0 ? 1 : -1, gap = side * local[2] - 0.5 * edge;
      if (b == a || std::fabs(gap) > 0.05 * edge ||
          std::fmax(std::fabs(local[0]), std::fabs(local[1])) > 0.5 * edge * (1 + 1e-6))
        continue;
      perp_pool_contact d = contact_of(a, b, gap, {side * R[6], side * R[7], side * R[8]});
      d.identity[0] = c;
      for (std::size_t k = 0; k < 3; k++) {
        d.place.a[k] = x[k];
        d.place.b[k] = x[k] - gap * d.place.normal[k];
      }
      out.push_back(d);
    }
  }
};

double furthest(const run &r, const pyramid &w) {
  double most = 0;
  for (std::int32_t i = 0; i < 15; i++)
    for (std::int32_t k = 0; k < 3; k++)
      most = std::fmax(most, std::fabs(perp_simulation_q(r.sim, i)[k] -
                                       w.q0[static_cast<std::size_t>(7 * i + k)]));
  return most;
}

TEST(PoolDefaults, AreWhatTheHeaderSays) {
  const pyramid w(1);
  const double radius = std::sqrt(1.0 / 6), fall = kGravity * kStep * kStep;
  EXPECT_EQ(w.options.on_failure, PERP_FAILURE_ACCEPT);
  EXPECT_EQ(w.options.formulation, PERP_FORMULATION_AUTO);
  EXPECT_EQ(w.options.speed_tol, PERP_SPEED_PILE);
  EXPECT_NEAR(w.options.gap_tol, fall, 1e-12 * fall);
  EXPECT_NEAR(perp_pool_speed_tol(&w.model, kStep), 0.1 * kGravity * kStep, 1e-15);
  EXPECT_NEAR(perp_pool_gap_tol_of_step(&w.model, 1), 1e-3 * radius, 1e-15);
  EXPECT_EQ(perp_pool_gap_tol_of_step(&w.model, 1e-9), perp_pool_gap_tol(&w.model));
  perp_simulation_options named = perp_simulation_options_default();
  perp_pool_defaults(&w.model, kStep, 1, &named);
  EXPECT_EQ(named.formulation, PERP_FORMULATION_REDUCED);
  EXPECT_EQ(named.speed_tol, 0);
  EXPECT_EQ(named.on_failure, PERP_FAILURE_ACCEPT);
}

TEST(PoolDefaults, OneThatIsPulledHardSaysLittle) {
  pyramid w(1);
  perp_body light = w.cube, floats = w.cube;
  light.mass = 1e-3, light.f[2] = 5, floats.f[2] = 0;
  w.add(light.system);
  w.add(floats.system);
  for (int k = 0; k < 2; k++) w.q0.insert(w.q0.end(), {9.0 * (k + 1), 9, 9, 1, 0, 0, 0});
  w.v0.insert(w.v0.end(), 12, 0);
  const double g = perp_pool_speed_tol(w.finish(), 1) / 0.1;
  EXPECT_NEAR(g, (15 * kGravity + 5) / 15.001, 1e-12);
}

TEST(PoolDefaults, SurviveWhatIsMissingOrMeaningless) {
  const pyramid w(1);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  perp_simulation_options o = perp_simulation_options_default();
  const perp_simulation_options before = o;
  perp_pool_defaults(nullptr, kStep, 0, &o);
  perp_model bare = w.model;
  bare.pool = nullptr;
  perp_pool_defaults(&bare, kStep, 0, &o);
  EXPECT_EQ(std::memcmp(&o, &before, sizeof o), 0);
  perp_pool_defaults(&w.model, kStep, 0, nullptr);
  for (const double h : {nan, -1.0, 0.0, -HUGE_VAL}) {
    EXPECT_EQ(perp_pool_gap_tol_of_step(&w.model, h), perp_pool_gap_tol(&w.model));
    EXPECT_EQ(perp_pool_speed_tol(&w.model, h), 0);
  }
  EXPECT_EQ(perp_pool_speed_tol(&w.model, HUGE_VAL), 0);
  EXPECT_EQ(perp_pool_gap_tol_of_step(nullptr, kStep), 0);
  EXPECT_EQ(perp_pool_gap_tol_of_step(&bare, kStep), 0);
  EXPECT_TRUE(std::isfinite(perp_pool_gap_tol_of_step(&w.model, HUGE_VAL)));
}

TEST(PoolDefaults, APyramidWithMorePointsThanHoldItRuns) {
  for (const double edge : {1.0, 1e-4, 1e4}) {
    pyramid w(edge);
    run r(w);
    ASSERT_EQ(r.steps(400), PERP_OK) << edge;
    EXPECT_EQ(r.report().accepted, 0);
    EXPECT_GT(r.report().speed_residual, 0);
    EXPECT_LE(r.report().speed_residual, 0.1 * kGravity * w.options.h * (1 + 1e-12));
    EXPECT_LT(furthest(r, w), 5e-3 * edge);
  }
}

TEST(PoolDefaults, StacksAreSolvedTenTimesBetter) {
  pyramid w(1);
  w.options.speed_tol = PERP_SPEED_STACK;
  run r(w);
  ASSERT_EQ(r.steps(400), PERP_OK);
  EXPECT_GT(r.report().speed_residual, 0);
  EXPECT_LE(r.report().speed_residual, 0.01 * kGravity * kStep * (1 + 1e-12));
  EXPECT_LT(furthest(r, w), 1e-3);
}

// What a callback pulls by is seen in the step.
TEST(PoolDefaults, GravityByACallbackIsMeasured) {
  pyramid w(1, 0);
  w.cube.force = [](double, const double *, const double *, double *f, void *) {
    f[0] = f[1] = 0;
    f[2] = -kGravity;
    return 0;
  };
  EXPECT_EQ(perp_pool_speed_tol(w.finish(), kStep), 0);
  run r(w);
  ASSERT_EQ(r.steps(400), PERP_OK);
  EXPECT_EQ(r.report().accepted, 0);
  EXPECT_GT(r.report().speed_residual, 1e-3 * kGravity * kStep);
  EXPECT_LE(r.report().speed_residual, 0.1 * kGravity * kStep * (1 + 1e-12));
  EXPECT_LT(furthest(r, w), 1e-2);
}

TEST(PoolDefaults, WithoutAnyForceTheToleranceIsTheSolvers) {
  pyramid w(1, 0);
  for (std::size_t i = 0; i < w.v0.size(); i += 6) w.v0[i + 2] = -1;
  run r(w);
  ASSERT_EQ(r.steps(50), PERP_OK);
  EXPECT_EQ(r.report().accepted > 0, r.report().residual > PERP_DEFAULT_TOL);
  EXPECT_LT(r.report().residual, 1e-3);
  EXPECT_GT(r.report().impacts, 0);
}

TEST(PoolDefaults, WhatALimitLeavesIsCountedWithItsResidualOrStops) {
  perp_nsgs_options once = perp_nsgs_options_default();
  once.max_iter = 1;
  pyramid w(1), strict(1);
  w.options.solver_options = strict.options.solver_options = &once;
  strict.options.on_failure = PERP_FAILURE_STOP;
  run r(w), s(strict);
  std::int64_t missed = 0;
  for (int k = 0; k < 400; k++) {
    const std::int64_t before = r.report().accepted;
    ASSERT_EQ(r.step(), PERP_OK);
    missed += r.report().accepted != before;
  }
  EXPECT_GT(missed, 0);
  EXPECT_EQ(r.report().accepted, missed);
  EXPECT_GT(r.report().speed_residual, 0.1 * kGravity * kStep);
  perp_status status = PERP_OK;
  std::vector<unsigned char> before;
  for (int k = 0; k < 400 && status == PERP_OK; k++) before = s.bytes(), status = s.step();
  EXPECT_EQ(status, PERP_MAX_ITER);
  EXPECT_EQ(s.bytes(), before);
  EXPECT_EQ(s.report().accepted, 0);
  EXPECT_GT(s.info.value, 0.1 * kGravity * kStep);
}

TEST(PoolDefaults, AResumedRunHasItsBits) {
  pyramid w(1);
  run whole(w);
  ASSERT_EQ(whole.steps(40), PERP_OK);
  const auto half = whole.bytes();
  ASSERT_EQ(whole.steps(40), PERP_OK);
  run rest(w.model, w.options, 8, half.data());
  ASSERT_EQ(rest.steps(40), PERP_OK);
  EXPECT_EQ(rest.bytes(), whole.bytes());
}

}  // namespace
