// SPDX-License-Identifier: MIT
// Integrators of the smooth motion, judged by motions whose solutions are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "smooth_tools.hpp"

namespace {

using tools::integrator;
using tools::motion;
using tools::settings;
using tools::state;
using tools::taken;

const double kNaN = std::numeric_limits<double>::quiet_NaN();

struct method {
  const char *name;
  const perp_smooth *(*table)();
  bool stiff;                   // takes long steps on stiff motions
  double global, interpolated;  // errors on the way, in units of rtol, that are to be expected
  double rate;                  // error of the derivative within the first, shortest steps
};

std::ostream &operator<<(std::ostream &out, const method &m) { return out << m.name; }

class Smooth : public testing::TestWithParam<method> {
 protected:
  const perp_smooth *table() const { return GetParam().table(); }
};

TEST_P(Smooth, TheTableIsCompleteAndAlwaysTheSame) {
  const perp_smooth *t = table();
  EXPECT_EQ(t, table());
  EXPECT_EQ(t->struct_size, sizeof(perp_smooth));
  EXPECT_NE(t->name, nullptr);
  EXPECT_EQ(t->dae, 0);
  EXPECT_EQ(t->shorten != nullptr, t->one_step != 0);
}

TEST_P(Smooth, TheErrorIsProportionalToTheTolerance) {
  for (const motion &m : {tools::oscillator(), tools::kepler()}) {
    double last = 1;
    for (const double tol : {1e-4, 1e-6, 1e-8, 1e-10}) {
      settings s;
      s.rtol = tol;
      s.atol = tol * 1e-2;
      integrator i(table(), m, s);
      ASSERT_EQ(i.begin(), PERP_OK);
      ASSERT_GT(i.run(6), 0) << i.message();
      EXPECT_LT(i.error(), GetParam().global * tol) << m.name << tol;
      EXPECT_LT(i.error(), 0.3 * last);
      last = i.error();
    }
  }
}

TEST_P(Smooth, StepsFollowOneAnotherUpToTheStopAndNeverBeyond) {
  integrator i(table(), tools::oscillator());
  ASSERT_EQ(i.begin(), PERP_OK);
  double t = 0;
  for (const double stop : {0.1, 0.1 + 1e-9, 0.5, 3.0, 3.0 + 1e-12, 7.7}) {
    while (t < stop) {
      const taken s = i.step(stop);
      ASSERT_EQ(s.status, PERP_OK) << i.message();
      EXPECT_EQ(s.begin, t);
      EXPECT_GT(s.end, t);
      EXPECT_LE(s.end, stop);
      t = s.end;
    }
    EXPECT_EQ(t, stop);
    EXPECT_LT(i.error(), GetParam().global * 1e-10);
  }
  EXPECT_EQ(i.step(7.7).status, PERP_EINVAL);
  EXPECT_EQ(i.step(kNaN).status, PERP_EINVAL);
  EXPECT_NE(i.message(), "");
  EXPECT_EQ(i.step(8).status, PERP_OK);
}

TEST_P(Smooth, TheInterpolationIsAccurateWithinTheStep) {
  for (const motion &m : {tools::oscillator(), tools::kepler()}) {
    integrator i(table(), m);
    ASSERT_EQ(i.begin(), PERP_OK);
    double worst = 0, worst_rate = 0;
    for (double t = 0; t < 6;) {
      const taken s = i.step(6);
      ASSERT_EQ(s.status, PERP_OK);
      t = s.end;
      for (int k = 0; k <= 10; k++) {
        const double u = k == 10 ? s.end : s.begin + k * 0.1 * (s.end - s.begin);
        state y, ydot, rate(m.exact(0).size());
        ASSERT_EQ(i.at(u, &y, &ydot), PERP_OK) << i.message();
        const state exact = m.exact(u);
        m.rhs(u, exact.data(), rate.data());
        worst = std::max(worst, tools::distance(y, exact));
        worst_rate = std::max(worst_rate, tools::distance(ydot, rate));
        if (k == 10) {
          EXPECT_EQ(tools::distance(y, s.y), 0);
        }
      }
      state y;
      EXPECT_EQ(i.at(s.begin - 1e-3, &y), PERP_EINVAL);
      EXPECT_EQ(i.at(s.end + 1e-3, &y), PERP_EINVAL);
      EXPECT_EQ(i.at(kNaN, &y), PERP_EINVAL);
      EXPECT_NE(i.message(), "");
    }
    RecordProperty(m.name + "_interpolated", std::to_string(worst * 1e10));
    EXPECT_LT(worst, GetParam().interpolated * 1e-10) << m.name;
    EXPECT_LT(worst_rate, GetParam().rate) << m.name;
  }
}

TEST_P(Smooth, ARestartGoesOnCorrectlyWithTheStepThatItIsTold) {
  integrator i(table(), tools::oscillator());
  ASSERT_EQ(i.begin(), PERP_OK);
  ASSERT_GT(i.run(2), 0);
  const double h = i.next_step();
  EXPECT_GT(h, 1e-3);
  // At the same point, then from another state: the motion reflected, as after an impact.
  ASSERT_EQ(i.restart(2, i.y(), h), PERP_OK);
  ASSERT_GT(i.run(4), 0);
  EXPECT_LT(i.error(), GetParam().global * 1e-10);
  const state before = i.y();
  ASSERT_EQ(i.restart(4, {before[0], -before[1]}, 0.1 * h), PERP_OK);
  const taken first = i.step(6);
  ASSERT_EQ(first.status, PERP_OK);
  EXPECT_GT(first.end - first.begin, table()->one_step != 0 ? 0.05 * h : 1e-6);
  ASSERT_GT(i.run(6), 0);
  const state exact = {before[0] * std::cos(2.0) - before[1] * std::sin(2.0),
                       -before[0] * std::sin(2.0) - before[1] * std::cos(2.0)};
  EXPECT_LT(tools::distance(i.y(), exact), GetParam().global * 1e-10);
  // Back in time, too: a restart is a new begin.
  ASSERT_EQ(i.restart(0, {1, 0}), PERP_OK);
  ASSERT_GT(i.run(1), 0);
  EXPECT_LT(i.error(), GetParam().global * 1e-10);
}

TEST_P(Smooth, NoStepIsLongerThanAllowed) {
  settings s;
  s.h_max = 0.01;
  integrator i(table(), tools::oscillator(), s);
  ASSERT_EQ(i.begin(), PERP_OK);
  for (double t = 0; t < 0.5;) {
    const taken step = i.step(1);
    ASSERT_EQ(step.status, PERP_OK);
    EXPECT_LE(step.end - step.begin, 0.01 * (1 + 1e-12));
    t = step.end;
  }
}

TEST_P(Smooth, ShorteningGivesTheAccuracyOfAStep) {
  if (table()->shorten == nullptr) GTEST_SKIP() << "not a one-step method";
  for (const motion &m : {tools::oscillator(), tools::kepler(), tools::ball()}) {
    integrator i(table(), m);
    ASSERT_EQ(i.begin(), PERP_OK);
    taken s = i.step(3);
    for (int k = 0; k < 4; k++) s = i.step(3);
    ASSERT_EQ(s.status, PERP_OK);
    const double before = std::max(tools::distance(s.y, m.exact(s.end)), 1e-15);
    for (const double part : {0.3, 0.9, 0.31, 1.0, 0.31}) {
      const double t = part == 1 ? s.end : s.begin + part * (s.end - s.begin);
      state y, inside;
      ASSERT_EQ(i.shorten(t, &y), PERP_OK) << i.message();
      EXPECT_LT(tools::distance(y, m.exact(t)), 2 * before + 1e-11) << m.name << part;
      const double half = 0.5 * (s.begin + t);
      ASSERT_EQ(i.at(half, &inside), PERP_OK);
      EXPECT_LT(tools::distance(inside, m.exact(half)), 2 * before + 1e-11) << m.name << part;
      if (part < 1) {
        EXPECT_EQ(i.at(s.end, &inside), PERP_EINVAL);
      }
    }
    state y;
    EXPECT_EQ(i.shorten(s.begin, &y), PERP_EINVAL);
    EXPECT_EQ(i.shorten(s.end + 1, &y), PERP_EINVAL);
    EXPECT_EQ(i.shorten(kNaN, &y), PERP_EINVAL);
    EXPECT_NE(i.message(), "");
    ASSERT_GT(i.run(3), 0);  // goes on from where it was cut
    EXPECT_LT(i.error(), GetParam().global * 1e-10);
  }
}

const method kMethods[] = {
    {"runge_kutta", perp_smooth_runge_kutta, false, 50, 200, 1e-7},
    {"adams", perp_smooth_adams, false, 1000, 1000, 1e-4},
    {"bdf", perp_smooth_bdf, true, 5000, 1000, 1e-4},
};

INSTANTIATE_TEST_SUITE_P(Methods, Smooth, testing::ValuesIn(kMethods),
                         [](const auto &p) { return std::string(p.param.name); });

}  // namespace
