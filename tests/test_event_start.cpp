// SPDX-License-Identifier: MIT
// States that are given (at the start, by a reset) and do not satisfy the joints: they are put on
// them before it is asked which contacts are closed.
#include <gtest/gtest.h>

#include "event_tools.hpp"

namespace {

using tools::Method;
using tools::Motion;
using tools::World;

class EventStart : public ::testing::TestWithParam<Method> {};

const double kOff = 1e-6;

// Two masses of 1 kg one above the other on a rod of 1 m, the lower one above the ground.
struct Rod : World {
  std::int32_t ground, rod;
  Rod(double low, double high, double speed = 0) {
    mass({1, 1}, {-10, -10}, {low, high}, {speed, speed});
    ground = connect(gap({1, 0}, {0}), newton(0.5));
    rod = connect(gap({-1, 1}, {-1}), equality());
  }
};

TEST_P(EventStart, AContactThatTheJointPutsOnTheGroundIsClosed) {
  Rod w(kOff, 1 - kOff);  // the nearest state with that rod has 0 and 1
  Motion run(w, GetParam());
  ASSERT_EQ(run.create(), PERP_OK);
  EXPECT_NEAR(run.q()[0], 0, 1e-15);
  EXPECT_NEAR(run.q()[1], 1, 1e-15);
  EXPECT_EQ(run.mode(w.ground), PERP_CONTACT_CLOSED);
  EXPECT_NEAR(run.lambda()[0], 20, 1e-9);
  run.expect_until(0.1);
  EXPECT_TRUE(run.events.empty());
}

TEST_P(EventStart, AnImpactOfAContactThatTheJointPutsOnTheGroundIsDone) {
  Rod w(kOff, 1 - kOff, -2);
  Motion run(w, GetParam());
  ASSERT_EQ(run.create(), PERP_OK);
  EXPECT_NEAR(run.v()[0], 1, 1e-12);
  EXPECT_NEAR(run.v()[1], 1, 1e-12);
}

TEST_P(EventStart, AContactThatTouchesGoesOnToWhereTheJointLetsIt) {
  Rod w(0, 1 + kOff);
  Motion run(w, GetParam());
  ASSERT_EQ(run.create(), PERP_OK);
  EXPECT_EQ(run.mode(w.ground), PERP_CONTACT_CLOSED);
  EXPECT_EQ(run.q()[0], 0);
  EXPECT_NEAR(run.q()[1], 1, 1e-15);
}

TEST_P(EventStart, AJointThatLiftsAContactOpensIt) {
  World w;
  w.mass({1}, {-10}, {0}, {0});
  const auto ground = w.connect(w.gap({1}, {0}), w.newton(0.5));
  w.connect(w.gap({1}, {-kOff}), w.equality());
  Motion run(w, GetParam());
  ASSERT_EQ(run.create(), PERP_OK);
  EXPECT_EQ(run.mode(ground), PERP_CONTACT_OPEN);
  EXPECT_NEAR(run.q()[0], kOff, 1e-20);
}

TEST_P(EventStart, AJointThatPutsAContactTooDeepIsRefused) {
  Rod w(kOff, 0.9);
  Motion run(w, GetParam());
  EXPECT_EQ(run.create(), PERP_EINVAL);
  EXPECT_STREQ(run.info.field, "initial gap");
}

TEST_P(EventStart, AResetIsPutOnTheJointsTheSameWay) {
  Rod w(1, 2);
  Motion run(w, GetParam());
  const double when = 0.25;
  perp_schedule schedule{};
  schedule.first = when;
  schedule.reset = [](perp_event_state *at, void *) -> std::int32_t {
    at->q[0] = kOff, at->q[1] = 1 - kOff;
    at->v[0] = at->v[1] = 0;
    return 0;
  };
  run.options.schedules = &schedule;
  run.options.n_schedules = 1;
  run.expect_until(when);
  EXPECT_EQ(run.mode(w.ground), PERP_CONTACT_CLOSED);
  EXPECT_NEAR(run.q()[0], 0, 1e-15);
}

INSTANTIATE_TEST_SUITE_P(All, EventStart, ::testing::ValuesIn(tools::kMethods), tools::method_name);

}  // namespace
