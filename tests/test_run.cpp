// SPDX-License-Identifier: MIT
// The driver of many steps ends where it is told, and says why.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "model_tools.hpp"

namespace {

using tools::make_ball;
using tools::run;
using tools::world;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct watcher {
  int seen = 0, stop_after = -1;
  std::int32_t answer = 1;
  static std::int32_t see(perp_simulation *, void *user) {
    auto *self = static_cast<watcher *>(user);
    return ++self->seen == self->stop_after ? self->answer : 0;
  }
};

TEST(Run, TakesAsManyStepsAsAskedFor) {
  world w;
  make_ball(w, 1, 9.81, 1, 0, 0.5);
  run a(w), b(w.model, w.options);
  watcher eye;
  EXPECT_EQ(perp_simulation_run(a.sim, 30, HUGE_VAL, watcher::see, &eye, &a.info), PERP_OK);
  EXPECT_EQ(eye.seen, 30);
  ASSERT_EQ(b.steps(30), PERP_OK);
  EXPECT_EQ(a.bytes(), b.bytes());
  EXPECT_EQ(perp_simulation_run(a.sim, 3, HUGE_VAL, nullptr, nullptr, nullptr), PERP_OK);
  EXPECT_EQ(perp_simulation_step_index(a.sim), 33);
}

TEST(Run, EndsAtTheFirstTimeThatIsNotBefore) {
  world w;
  make_ball(w, 1, 9.81, 1, 0, 0.5);
  run a(w);
  EXPECT_EQ(perp_simulation_run(a.sim, 0, 0.255, nullptr, nullptr, &a.info), PERP_OK);
  EXPECT_EQ(perp_simulation_step_index(a.sim), 26);
  EXPECT_EQ(perp_simulation_run(a.sim, 0, 0.255, nullptr, nullptr, &a.info), PERP_OK);
  EXPECT_EQ(perp_simulation_step_index(a.sim), 26);
  EXPECT_EQ(perp_simulation_run(a.sim, 5, 100, nullptr, nullptr, &a.info), PERP_OK);
  EXPECT_EQ(perp_simulation_step_index(a.sim), 31);
}

TEST(Run, SaysThatTheGridHasEnded) {
  world w;
  make_ball(w, 1, 9.81, 1, 0, 0.5);
  w.options.steps = 10;
  run a(w);
  watcher eye;
  EXPECT_EQ(perp_simulation_run(a.sim, 0, HUGE_VAL, watcher::see, &eye, &a.info), PERP_END);
  EXPECT_EQ(eye.seen, 10);
  EXPECT_EQ(perp_simulation_run(a.sim, 4, HUGE_VAL, nullptr, nullptr, &a.info), PERP_END);
}

TEST(Run, StopsAfterTheStepThatTheObserverRefuses) {
  world w;
  make_ball(w, 1, 9.81, 1, 0, 0.5);
  run a(w);
  watcher eye;
  eye.stop_after = 7;
  EXPECT_EQ(perp_simulation_run(a.sim, 0, HUGE_VAL, watcher::see, &eye, &a.info), PERP_STOPPED);
  EXPECT_EQ(perp_simulation_step_index(a.sim), 7);  // the step is taken
  eye.stop_after = 9;
  eye.answer = -1;
  EXPECT_EQ(perp_simulation_run(a.sim, 0, HUGE_VAL, watcher::see, &eye, &a.info), PERP_ECALLBACK);
  EXPECT_STREQ(a.info.field, "observe");
  EXPECT_EQ(perp_simulation_step_index(a.sim), 9);
}

TEST(Run, HandsOnWhyAStepWasNotTaken) {
  world w;
  perp_lagrangian_linear &s = w.body(tools::vec{1});
  s.force = [](double t, double *f, void *) -> std::int32_t {
    f[0] = 0;
    return t > 0.095 ? -1 : 0;
  };
  w.add(s.system);
  run a(w);
  EXPECT_EQ(perp_simulation_run(a.sim, 20, HUGE_VAL, nullptr, nullptr, &a.info), PERP_ECALLBACK);
  EXPECT_EQ(perp_simulation_step_index(a.sim), 9);
}

TEST(Run, RefusesWhatIsNoLimit) {
  world w;
  make_ball(w, 1, 9.81, 1, 0, 0.5);
  run a(w);
  EXPECT_EQ(perp_simulation_run(nullptr, 1, 1, nullptr, nullptr, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_simulation_run(a.sim, -1, 1, nullptr, nullptr, &a.info), PERP_EINVAL);
  EXPECT_STREQ(a.info.field, "steps");
  EXPECT_EQ(perp_simulation_run(a.sim, 1, kNan, nullptr, nullptr, &a.info), PERP_ENOTFINITE);
  EXPECT_EQ(perp_simulation_run(a.sim, 0, HUGE_VAL, nullptr, nullptr, &a.info), PERP_EINVAL);
  EXPECT_EQ(perp_simulation_step_index(a.sim), 0);
}

}  // namespace
