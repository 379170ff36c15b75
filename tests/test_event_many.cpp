// SPDX-License-Identifier: MIT
// Many bodies, of which few are coupled: each part moves as it does alone, and an event of one asks
// little of the others.
#include <gtest/gtest.h>

#include <algorithm>

#include "event_tools.hpp"

namespace {

using tools::indices;
using tools::Method;
using tools::Motion;
using tools::vec;
using tools::World;

const double kG = 10;

class EventMany : public ::testing::TestWithParam<Method> {
 protected:
  double slack() const { return GetParam().slack; }
};

// Heights between 1 and 2, no two of them near each other.
vec heights(int n) {
  vec h;
  for (int k = 0; k < n; k++) h.push_back(1 + std::fmod(0.6180339887498949 * (k + 1), 1));
  return h;
}

// Balls that are dropped, each on ground of its own.
void drop(World *w, const vec &h, double e) {
  for (std::size_t k = 0; k < h.size(); k++) {
    w->mass({1}, {-kG}, {h[k]}, {0});
    w->connect(w->gap({1}, {0}), w->newton(e), {static_cast<std::int32_t>(k)});
  }
}

TEST_P(EventMany, EachOfManyBallsHitsWhenItDoesAlone) {
  const vec h = heights(60);
  World w;
  drop(&w, h, 0.5);
  Motion run(w, GetParam());
  run.expect_until(0.64);
  vec times;
  for (const double height : h) times.push_back(std::sqrt(2 * height / kG));
  std::sort(times.begin(), times.end());
  ASSERT_EQ(run.events.size(), h.size());
  for (std::size_t k = 0; k < h.size(); k++)
    EXPECT_NEAR(run.events[k].t, times[k], 1e-12 * slack()) << k;
}

TEST(EventManyWork, AnEventEvaluatesTheGuardsOfAllAFewTimes) {
  const vec h = heights(300);
  World w;
  drop(&w, h, 0.5);
  Motion run(w);
  run.expect_until(0.64);
  ASSERT_EQ(run.events.size(), h.size());
  EXPECT_LE(run.report().guards, 30 * 300);
}

// Stacks of two and single masses at rest, listed so that nothing of a stack stands together; on
// the last stack a ball falls.
struct Stacks : World {
  enum { COUNT = 4 };
  indices floor, upper, single;
  std::int32_t falling = 0;
  Stacks() {
    const double down = -kG;
    for (int k = 0; k < COUNT; k++) mass({1.0 + k}, {(1.0 + k) * down}, {0}, {0});
    for (int k = 0; k < COUNT; k++) mass({0.5}, {0.5 * down}, {0}, {0});
    for (int k = 0; k < COUNT; k++) mass({7}, {7 * down}, {0}, {0});
    mass({1}, {down}, {0.2}, {0});
    for (std::int32_t k = 0; k < COUNT; k++) {
      upper.push_back(connect(gap({-1, 1}, {0}), newton(0), {k, COUNT + k}));
      single.push_back(connect(gap({1}, {0}), newton(0), {2 * COUNT + k}));
    }
    for (std::int32_t k = 0; k < COUNT; k++)
      floor.push_back(connect(gap({1}, {0}), newton(0), {k}));
    falling = connect(gap({-1, 1}, {0}), newton(0.5), {2 * COUNT - 1, 3 * COUNT});
  }
  void expect_forces(const vec &lambda) const {
    const auto at = [&](const indices &list, int k) {
      return lambda[static_cast<std::size_t>(list[static_cast<std::size_t>(k)])];
    };
    for (int k = 0; k < COUNT; k++) {
      EXPECT_NEAR(at(floor, k), (1.5 + k) * kG, 1e-12) << k;
      EXPECT_NEAR(at(upper, k), 0.5 * kG, 1e-12) << k;
      EXPECT_NEAR(at(single, k), 7 * kG, 1e-12) << k;
    }
  }
};

TEST_P(EventMany, ForcesOfPartsAreThoseOfEachPart) {
  Stacks w;
  Motion run(w, GetParam());
  ASSERT_EQ(run.create(), PERP_OK);
  w.expect_forces(run.lambda());
  run.expect_until(0.19);
  w.expect_forces(run.lambda());
  run.expect_until(0.21);  // the ball has hit at 0.2 with 2 m/s, and leaves with 1 m/s
  w.expect_forces(run.lambda());
  ASSERT_EQ(run.of(PERP_EVENT_IMPACT).size(), 1u);
  const vec p = run.of(PERP_EVENT_IMPACT)[0].impulse;
  for (std::int32_t k = 0; k < w.falling; k++) {
    const bool hit = k == w.upper[3] || k == w.floor[3];
    EXPECT_NEAR(p[static_cast<std::size_t>(k)], hit ? 3 : 0, 1e-9) << k;
  }
  EXPECT_NEAR(p[static_cast<std::size_t>(w.falling)], 3, 1e-9);
  EXPECT_EQ(run.report().impacts, 3);
}

// Two bodies, each held by two joints that say the same, which do not stand together.
TEST_P(EventMany, JointsOfPartsThatSayTheSameShareTheirLoad) {
  World w;
  w.mass({2}, {-2 * kG}, {0}, {0});
  w.mass({3}, {-3 * kG}, {0}, {0});
  w.mass({1}, {-kG}, {0.2}, {0});
  for (int pass = 0; pass < 2; pass++)
    for (std::int32_t k = 0; k < 2; k++) w.connect(w.gap({1}, {0}), w.equality(), {k});
  w.connect(w.gap({1}, {0}), w.newton(0.5), {2});
  Motion run(w, GetParam());
  run.expect_until(0.3);
  const vec lambda = run.lambda();
  EXPECT_NEAR(lambda[0] + lambda[2], 2 * kG, 1e-10);
  EXPECT_NEAR(lambda[1] + lambda[3], 3 * kG, 1e-10);
  EXPECT_NEAR(run.q()[0], 0, 1e-15);
  EXPECT_NEAR(run.v()[1], 0, 1e-15);
}

// Rows of three balls that touch; the first of each is thrown at the second.
struct Rows : World {
  explicit Rows(const vec &masses) {
    for (int k = 0; k < 3; k++)
      for (const double m : masses) mass({m}, {0}, {k == 0 ? -1.0 : 0.0}, {k == 0 ? 1.0 : 0.0});
    const auto n = static_cast<std::int32_t>(masses.size());
    for (std::int32_t k = 1; k < 3; k++)
      for (std::int32_t i = 0; i < n; i++)
        connect(gap({-1, 1}, {0}), newton(0.7), {(k - 1) * n + i, k * n + i});
  }
};

TEST(EventManyImpacts, RowsThatAreHitTogetherMoveAsEachAlone) {
  const vec masses = {1, 2, 5};
  for (const std::int32_t law : {PERP_IMPACT_POISSON, PERP_IMPACT_LZB}) {
    Rows together(masses), alone({1});
    Motion all(together), one(alone);
    all.options.impact = one.options.impact = law;
    all.expect_until(1.5);
    one.expect_until(1.5);
    const vec v = all.v(), v1 = one.v();
    ASSERT_GE(one.events.size(), 1u);
    ASSERT_EQ(all.events.size(), one.events.size());
    EXPECT_GT(v1[2], 0.1);
    for (std::size_t k = 0; k < 3; k++)
      for (std::size_t i = 0; i < masses.size(); i++)
        EXPECT_NEAR(v[3 * k + i], v1[k], 1e-12) << law << " " << k << " " << i;
  }
}

// A joint is hit by a reset while a ball hits the ground: a part without contacts.
TEST(EventManyImpacts, AJointAloneIsHitBesideAContact) {
  for (const std::int32_t law : {PERP_IMPACT_LAW, PERP_IMPACT_POISSON, PERP_IMPACT_LZB}) {
    World w;
    w.mass({1}, {0}, {0}, {0});
    w.mass({1}, {0}, {1}, {-1});
    w.connect(w.gap({1}, {0}), w.equality(), {0});
    w.connect(w.gap({1}, {0}), w.newton(0.5), {1});
    Motion run(w);
    run.options.impact = law;
    perp_schedule push{};
    push.first = 1;
    push.reset = [](perp_event_state *s, void *) {
      s->v[0] = 4;
      return std::int32_t{0};
    };
    run.options.schedules = &push;
    run.options.n_schedules = 1;
    run.expect_until(1.5);
    EXPECT_NEAR(run.v()[0], 0, 1e-15) << law;
    EXPECT_NEAR(run.v()[1], 0.5, 1e-15) << law;
  }
}

INSTANTIATE_TEST_SUITE_P(All, EventMany, ::testing::ValuesIn(tools::kMethods), tools::method_name);

}  // namespace
