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
using tools::trouble;

const double kNaN = std::numeric_limits<double>::quiet_NaN();

struct method {
  const char *name;
  const perp_smooth *(*table)();
  bool stiff;                   // takes long steps on stiff motions
  double global, interpolated;  // errors on the way, in units of rtol, that are to be expected
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
  EXPECT_EQ(t->dae != 0, t == perp_smooth_ida());
  EXPECT_EQ(t->shorten != nullptr, t->one_step != 0);
  EXPECT_EQ(t->border == 0, t == perp_smooth_bdf() || t == perp_smooth_ida());
}

TEST_P(Smooth, TheErrorIsProportionalToTheTolerance) {
  for (const motion &m : {tools::oscillator(), tools::kepler(), tools::forced()}) {
    double last = 1;
    for (const double tol : {1e-4, 1e-6, 1e-8, 1e-10}) {
      settings s;
      s.rtol = tol;
      s.atol = tol * 1e-2;
      integrator i(table(), m, s);
      ASSERT_EQ(i.begin(), PERP_OK);
      double worst = 0;
      for (double t = 0; t < 6;) {
        const taken step = i.step(6);
        ASSERT_EQ(step.status, PERP_OK) << i.message();
        t = step.end;
        worst = std::max(worst, i.error());
      }
      EXPECT_LT(i.error(), GetParam().global * tol) << m.name << tol;
      EXPECT_LT(worst, 0.3 * last);
      last = worst;
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
    double worst = 0;
    for (double t = 0; t < 6;) {
      const taken s = i.step(6);
      ASSERT_EQ(s.status, PERP_OK);
      t = s.end;
      for (int k = 0; k <= 10; k++) {
        const double u = k == 10 ? s.end : s.begin + k * 0.1 * (s.end - s.begin);
        state y;
        ASSERT_EQ(i.at(u, &y), PERP_OK) << i.message();
        worst = std::max(worst, tools::distance(y, m.exact(u)));
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
  }
}

TEST_P(Smooth, ARestartGoesOnCorrectlyWithTheStepThatItIsTold) {
  integrator i(table(), tools::oscillator());
  ASSERT_EQ(i.begin(), PERP_OK);
  ASSERT_GT(i.run(2), 0);
  const taken last = i.step(4);
  const double h = last.end - last.begin;
  EXPECT_GT(h, 1e-3);
  // At the same point, then from another state: the motion reflected, as after an impact.
  ASSERT_EQ(i.restart(i.time(), i.y(), h), PERP_OK);
  ASSERT_GT(i.run(4), 0);
  EXPECT_LT(i.error(), GetParam().global * 1e-10);
  const state before = i.y();
  ASSERT_EQ(i.restart(4, {before[0], -before[1]}, 0.1 * h), PERP_OK);
  const taken first = i.step(6);
  ASSERT_EQ(first.status, PERP_OK);
  EXPECT_GT(first.end - first.begin, table()->one_step != 0 ? 0.05 * h : 1e-7);
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
  // A stop that lies little behind the longest step.
  const taken step = i.step(i.time() + 0.0103);
  ASSERT_EQ(step.status, PERP_OK);
  EXPECT_LE(step.end - step.begin, 0.01 * (1 + 1e-12));
}

TEST_P(Smooth, AStopDoesNotShortenTheStepsBehindIt) {
  integrator i(table(), tools::oscillator());
  ASSERT_EQ(i.begin(), PERP_OK);
  for (int k = 0; k < 150; k++) ASSERT_EQ(i.step(100).status, PERP_OK);
  taken s = i.step(100);
  const double h = s.end - s.begin;
  ASSERT_EQ(i.step(s.end + 0.01 * h).status, PERP_OK);
  s = i.step(100);
  EXPECT_LT(s.end - s.begin, 20 * h);
  if (table()->one_step == 0) return;
  EXPECT_GT(s.end - s.begin, 0.5 * h);
}

TEST_P(Smooth, ShorteningGivesTheAccuracyOfAStep) {
  if (table()->shorten == nullptr) GTEST_SKIP() << "not a one-step method";
  for (const motion &m : {tools::oscillator(), tools::kepler(), tools::ball()}) {
    integrator i(table(), m);
    ASSERT_EQ(i.begin(), PERP_OK);
    taken s = i.step(8);
    for (int k = 0; k < 4 && s.end < 3; k++) s = i.step(8);
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
    ASSERT_GT(i.run(8), 0);  // goes on from where it was cut
    EXPECT_LT(i.error(), GetParam().global * 1e-10);
  }
}

TEST_P(Smooth, NothingIsEvaluatedBeyondTheStop) {
  motion m = tools::oscillator();
  double latest = 0;
  const auto rhs = m.rhs;
  m.rhs = [&](double t, const double *y, double *f) {
    latest = std::max(latest, t);
    return rhs(t, y, f);
  };
  integrator i(table(), m);
  ASSERT_EQ(i.begin(), PERP_OK);
  for (const double stop : {1e-3, 0.7, 0.7 + 1e-11, 2.0}) {
    ASSERT_GT(i.run(stop), 0);
    EXPECT_LE(latest, stop * (1 + 1e-15));
    state y;
    ASSERT_EQ(i.at(stop, &y), PERP_OK);
  }
}

TEST_P(Smooth, AFailureIsToldAndLeavesTheStateAsItWas) {
  struct {
    std::int32_t answer;
    double value;
    perp_status status;
  } const cases[] = {{1, 0, PERP_RETRY}, {-1, 0, PERP_ECALLBACK}, {0, kNaN, PERP_ENOTFINITE}};
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  for (const auto &c : cases) {
    trouble law;
    integrator i(table(), law.law);
    ASSERT_EQ(i.begin(), PERP_OK);
    ASSERT_GT(i.run(1), 0);  // so that the next step must fail
    const state before = i.y();
    law.answer = c.answer;
    law.value = c.value;
    const taken s = i.step(2);
    EXPECT_EQ(s.status, c.status) << i.message();
    EXPECT_GT(i.message().size(), 10u);
    EXPECT_TRUE(std::isnan(s.y[0]));  // nothing is written
    EXPECT_EQ(i.step(2).status, c.status);
    state y;
    ASSERT_EQ(i.at(1, &y), PERP_OK);
    EXPECT_EQ(tools::distance(y, before), 0);
    law.answer = 0;
    law.value = 0;
    ASSERT_GT(i.run(2), 0) << i.message();
    EXPECT_EQ(i.message(), "");
    EXPECT_LT(i.error(), GetParam().global * 1e-10);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST_P(Smooth, ACallbackThatAsksForSmallerStepsGetsThem) {
  motion m = tools::oscillator();
  double reached = 0;
  int asked = 0;
  const auto rhs = m.rhs;
  m.rhs = [&](double t, const double *y, double *f) {
    if (t > reached + 0.004) return asked++, 1;
    return rhs(t, y, f);
  };
  integrator i(table(), m);
  ASSERT_EQ(i.begin(), PERP_OK);
  while (reached < 0.5) {
    const taken s = i.step(0.5);
    ASSERT_EQ(s.status, PERP_OK) << i.message();
    reached = s.end;
  }
  EXPECT_GT(asked, 0);
  EXPECT_LT(i.error(), GetParam().global * 1e-10);
}

TEST_P(Smooth, AMotionWithoutEndStopsWhereItIsSingular) {
  const motion blow_up = {"blow up",
                          [](double, const double *y, double *f) {
                            f[0] = y[0] * y[0];
                            return 0;
                          },
                          [](double t) { return state{1 / (1 - t)}; }};
  testing::internal::CaptureStderr();
  integrator i(table(), blow_up);
  ASSERT_EQ(i.begin(), PERP_OK);
  taken s = i.step(2);
  double last = 0;
  for (int k = 0; k < 100000 && s.status == PERP_OK; k++) {
    last = s.end;
    s = i.step(2);
  }
  EXPECT_TRUE(s.status == PERP_MAX_ITER || s.status == PERP_ENOTFINITE) << s.status;
  EXPECT_NEAR(last, 1, 1e-6);
  EXPECT_GT(i.message().size(), 10u);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_P(Smooth, ABadProblemOrStateIsRefused) {
  perp_info info = PERP_INFO_INIT;
  settings s;
  for (const std::int32_t order : {-1, 13}) {
    s.order = order;
    integrator i(table(), tools::oscillator(), s);
    EXPECT_EQ(i.create(&info), PERP_EINVAL);
    EXPECT_STREQ(info.field, "order");
  }
  integrator empty(table(), tools::oscillator());
  empty.problem().n = 0;
  EXPECT_EQ(empty.create(&info), PERP_EINVAL);
  EXPECT_STREQ(info.field, "n");
  integrator i(table(), tools::oscillator());
  ASSERT_EQ(i.begin(), PERP_OK);
  EXPECT_EQ(i.restart(kNaN, {1, 0}), PERP_ENOTFINITE);
  EXPECT_EQ(i.restart(0, {1, kNaN}), PERP_ENOTFINITE);
  EXPECT_NE(i.message(), "");
  ASSERT_EQ(i.restart(0, {1, 0}), PERP_OK);
  EXPECT_EQ(i.message(), "");
  state y;
  ASSERT_EQ(i.at(0, &y), PERP_OK);  // before any step
  EXPECT_EQ(y, (state{1, 0}));
}

TEST_P(Smooth, CountsTellWhatWasDoneSinceTheCreation) {
  motion m = tools::oscillator();
  std::int64_t evaluations = 0;
  const auto rhs = m.rhs;
  m.rhs = [&](double t, const double *y, double *f) {
    evaluations++;
    return rhs(t, y, f);
  };
  integrator i(table(), m);
  ASSERT_EQ(i.begin(), PERP_OK);
  std::int64_t steps = i.run(1);
  ASSERT_EQ(i.restart(0, {1, 0}), PERP_OK);
  steps += i.run(1);
  EXPECT_EQ(i.counts().evaluations, evaluations);
  EXPECT_NEAR(static_cast<double>(i.counts().steps), static_cast<double>(steps), 2);
  EXPECT_EQ(i.counts().jacobians > 0, GetParam().stiff);
}

TEST_P(Smooth, StiffMotionsAreForTheImplicitMethod) {
  settings s;
  s.rtol = 1e-6;
  s.atol = 1e-8;
  integrator i(table(), tools::stiff(), s);
  ASSERT_EQ(i.begin(), PERP_OK);
  const int steps = i.run(10);
  ASSERT_GT(steps, 0);
  EXPECT_LT(i.error(), 1e-4);
  if (GetParam().stiff) {
    EXPECT_LT(steps, 400);
  } else {
    EXPECT_GT(steps, 1000);
  }
}

const method kMethods[] = {
    {"runge_kutta", perp_smooth_runge_kutta, false, 50, 200},
    {"arkode", perp_smooth_arkode, false, 1000, 1000},
    {"adams", perp_smooth_adams, false, 1000, 1000},
    {"bdf", perp_smooth_bdf, true, 5000, 1000},
    {"ida", perp_smooth_ida, true, 5000, 1000},
};

INSTANTIATE_TEST_SUITE_P(Methods, Smooth, testing::ValuesIn(kMethods),
                         [](const auto &p) { return std::string(p.param.name); });

}  // namespace
