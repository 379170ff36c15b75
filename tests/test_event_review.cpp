// SPDX-License-Identifier: MIT
// What event-driven simulation has to bear: units and masses far from 1, late times, contacts that
// depend on each other, constraints that contradict, resets that break what is held.
#include <gtest/gtest.h>
#include <perp/event_driven.h>
#include <perp/perp.h>

#include <cmath>
#include <cstdint>

#include "event_tools.hpp"

namespace {

using tools::Motion;
using tools::World;

TEST(EventReview, MassesFarApartRestOnOneFloor) {
  for (const double ratio : {1e-14, 1e-6, 1e6, 1e14}) {
    World w;
    w.mass({1}, {-10}, {0}, {0});
    w.mass({ratio}, {-10 * ratio}, {0}, {0});
    w.connect(w.gap({1}, {0}), w.newton(0.5), {0});
    w.connect(w.gap({1}, {0}), w.newton(0.5), {1});
    Motion m(w);
    m.expect_until(1);
    EXPECT_NEAR(m.q()[0], 0, 1e-12) << ratio;
    EXPECT_NEAR(m.q()[1], 0, 1e-12) << ratio;
    EXPECT_NEAR(m.lambda()[0], 10, 1e-9) << ratio;
    EXPECT_NEAR(m.lambda()[1] / ratio, 10, 1e-9) << ratio;
  }
}

/* A table on four legs, of which the floor (0.1 sin 3t) needs but three. */
int32_t gaps(double t, const double *q, const double *, const double *, double *y, void *) {
  for (int i = 0; i < 4; i++)
    y[i] = q[0] + (i < 2 ? q[1] : -q[1]) + (i % 2 == 0 ? q[2] : -q[2]) - 0.1 * std::sin(3 * t);
  return 0;
}
int32_t gaps_H(double, const double *, const double *, const double *, double *H, void *) {
  for (int i = 0; i < 4; i++) H[i] = 1, H[4 + i] = i < 2 ? 1 : -1, H[8 + i] = i % 2 == 0 ? 1 : -1;
  return 0;
}

class EventReviewOf : public ::testing::TestWithParam<tools::Method> {};
INSTANTIATE_TEST_SUITE_P(All, EventReviewOf, ::testing::ValuesIn(tools::kMethods),
                         tools::method_name);

TEST_P(EventReviewOf, AFourLeggedTableStaysOnAFloorThatMoves) {
  World w;
  w.mass({2, 1, 1}, {-20, 0, 0}, {0, 0, 0}, {0.3, 0, 0});
  perp_lagrangian_relation r;
  ASSERT_EQ(perp_lagrangian_rheonomous_init(&r, sizeof r, 4, 3), PERP_OK);
  r.h = gaps;
  r.H = gaps_H;
  w.connect(&r.relation, w.newton(0.5));
  Motion m(w, GetParam());
  m.options.rtol = 1e-9;
  m.options.atol = 1e-10;
  m.expect_until(2);
  EXPECT_NEAR(m.q()[0], 0.1 * std::sin(6), 1e-12);
  EXPECT_NEAR(m.v()[0], 0.3 * std::cos(6), 1e-12);
  double carried = 0;
  for (const double l : m.lambda()) carried += l;
  EXPECT_NEAR(carried, 2 * (10 - 0.9 * std::sin(6)), 1e-6);
  EXPECT_TRUE(m.events.empty());
}

}  // namespace
