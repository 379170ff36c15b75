// SPDX-License-Identifier: MIT
// Larger models: a bar of lumped masses against a wall, by each way to store and factorise the
// matrix of BDF; a column of beads. Judged by each other, by energy, and by time-stepping.
#include <gtest/gtest.h>

#include <algorithm>

#include "event_tools.hpp"

namespace {

using tools::Motion;
using tools::vec;
using tools::World;

// n masses in a row with springs between them, thrown on a wall at the left; K in compressed rows.
struct Bar : World {
  std::vector<std::int32_t> start, index;
  explicit Bar(std::int32_t n) {
    const double stiffness = 400;
    vec values, q(static_cast<std::size_t>(n), 0.01), v(static_cast<std::size_t>(n), -1);
    vec H(static_cast<std::size_t>(n), 0), none(static_cast<std::size_t>(n), 0);
    H[0] = 1;
    start.push_back(0);
    for (std::int32_t i = 0; i < n; i++) {
      const double ends = i == 0 || i == n - 1 ? 1 : 2;
      for (std::int32_t j = std::max(i - 1, 0); j <= std::min(i + 1, n - 1); j++) {
        index.push_back(j);
        values.push_back(i == j ? ends * stiffness : -stiffness);
      }
      start.push_back(static_cast<std::int32_t>(index.size()));
    }
    perp_lagrangian_linear &s = mass(vec(static_cast<std::size_t>(n), 0.05), none, q, v);
    s.K = perp_compressed_rows(n, start.data(), index.data(), keep(values));
    connect(gap(H, {0}), newton(0));
  }
};

TEST(EventSparse, ABarOnAWallIsTheSameByEveryFactor) {
  const std::int32_t n = 200;
  vec first, times;
  for (const std::int32_t linear :
       {PERP_LINEAR_AUTO, PERP_LINEAR_DENSE, PERP_LINEAR_BANDED, PERP_LINEAR_SPARSE}) {
    Bar w(n);
    Motion run(w, tools::kMethods[2]);
    run.options.linear = linear;
    run.options.rtol = 1e-8, run.options.atol = 1e-10;
    run.expect_until(0.3);
    EXPECT_LE(run.energy(), n * 0.05 / 2 * (1 + 1e-6));
    const auto impacts = run.of(PERP_EVENT_IMPACT);
    ASSERT_GE(impacts.size(), 1u);
    EXPECT_NEAR(impacts[0].t, 0.01, 1e-8);
    EXPECT_EQ(run.mode(), PERP_CONTACT_CLOSED);
    // the pressure behind the wave: v √(k m)
    EXPECT_NEAR(run.lambda()[0], std::sqrt(400 * 0.05), 0.3);
    if (first.empty()) first = run.q();
    for (std::size_t i = 0; i < first.size(); i++) EXPECT_NEAR(run.q()[i], first[i], 1e-6);
  }
}

TEST(EventSparse, TenBeadsFallAsTimeSteppingSays) {
  World w;
  const int n = 10;
  for (int i = 0; i < n; i++) w.mass({1}, {-10}, {0.2 + 0.25 * i + 0.01 * i * i}, {0});
  w.connect(w.gap({1}, {0}), w.newton(0.5), {0});
  for (int i = 0; i + 1 < n; i++) w.connect(w.gap({-1, 1}, {-0.2}), w.newton(0.5), {i, i + 1});
  Motion run(w);
  run.expect_until(0.3);
  EXPECT_GE(run.of(PERP_EVENT_IMPACT).size(), 1u);
  double last = INFINITY;
  for (const double h : {1e-3, 1e-4, 1e-5}) {
    perp_simulation_options o = perp_simulation_options_default();
    o.h = h;
    o.integrator = perp_integrator_moreau_jean();
    o.solver = perp_solver_auto();
    perp_simulation *sim = nullptr;
    ASSERT_EQ(perp_simulation_create(&sim, w.model(), &o, nullptr), PERP_OK);
    for (int k = 0; k < static_cast<int>(std::lround(0.3 / h)); k++)
      ASSERT_EQ(perp_simulation_step(sim, nullptr), PERP_OK);
    double worst = 0;
    for (int i = 0; i < n; i++)
      worst = std::max(
          worst, std::fabs(perp_simulation_q(sim, i)[0] - run.q()[static_cast<std::size_t>(i)]));
    perp_simulation_destroy(sim);
    EXPECT_LT(worst, 0.5 * last) << h;
    last = worst;
  }
  EXPECT_LT(last, 1e-4);
}

}  // namespace
