// SPDX-License-Identifier: MIT
// Published event-driven trajectories: the rows and columns that their README says are
// reproducible, to the tolerances it gives. The files are not part of this repository; their folder
// is PERP_DATA/reference.
#include <gtest/gtest.h>
#include <perp/lagrangian_relation.h>

#include <cmath>
#include <vector>

#include "event_tools.hpp"
#include "reference_tools.hpp"

namespace {

using tools::Method;
using tools::Motion;
using tools::vec;
using tools::World;

constexpr double kG = 9.81;

/** Integrators whose orders reach the tolerances of the files. */
const Method kExact[] = {
    tools::kMethods[0], {"adams", perp_smooth_adams, 1e-14, 1e-15, 1}, tools::kMethods[3]};

class EventReference : public ::testing::TestWithParam<Method> {};

TEST_P(EventReference, BouncingBallED) {
  OPEN_OR_SKIP(ref, "BouncingBallED.ref");
  World w;
  w.mass({1, 1, 0.006}, {-kG, 0, 0}, {1, 0, 0}, {0, 0, 0});
  w.connect(w.gap({1, 0, 0}, {0}), w.newton(0.9));
  Motion run(w, GetParam());
  run.observer.every = 0.005; /* from 0 on, which the file has not */
  run.keep_lambda = true;
  run.expect_until(8.5);
  run.samples.erase(run.samples.begin());
  const auto impacts = run.of(PERP_EVENT_IMPACT);
  ASSERT_EQ(2 * impacts.size() + run.samples.size(), ref.size());
  const vec tolerance{1e-10, 1e-11, 1e-9, 1e-10, 1e-10};
  std::size_t row = 0, n = 0;
  for (const tools::Sample &s : run.samples) {
    for (; n < impacts.size() && impacts[n].t < s.t; n++) {
      const tools::Seen &e = impacts[n];
      ref.expect(row++, {e.t, e.q[0], e.v[0], e.impulse[0], 0, 0, 0}, tolerance);
      ref.expect(row++, {e.t, e.q_after[0], e.v_after[0], e.impulse[0], 0, e.impulse[0], 0},
                 tolerance);
    }
    ref.expect(row++, {s.t, s.q[0], s.v[0], 0, s.lambda[0], 0, s.lambda[0]}, tolerance);
    ASSERT_FALSE(HasFatalFailure());
  }
}

TEST_P(EventReference, LinearOscillatorED) {
  OPEN_OR_SKIP(ref, "LinearOscillatorED.ref");
  constexpr double m = 1e-3;
  World w;
  w.mass({m, m, 0.6 * m * 0.01}, {-m * kG, 0, 0}, {1, 1e-3, 0}, {0, 0, 0}, {100, 100, 0});
  w.connect(w.gap({1, 0, 0}, {0}), w.newton(0.9));
  Motion run(w, GetParam());
  run.observer.first = run.observer.every = 0.005;
  run.keep_lambda = true;
  run.expect_until(7.075);
  const auto impacts = run.of(PERP_EVENT_IMPACT);
  EXPECT_NEAR(static_cast<double>(impacts.size()), 220, 40);
  const vec early{1e-11, 1e-11, 1e-9, 1e-11, 1e-11, 1e-11, 1e-11, 1e-11, 1e-9};
  std::size_t row = 0, n = 0, k = 0;
  while (row < 355) { /* the last of them is on the grid */
    const tools::Sample &s = run.samples[k];
    const tools::Seen &e = impacts[n];
    if (e.t < s.t) {
      const double p = e.impulse[0];
      ref.expect(row, {e.t, e.q[0], e.v[0], p, 0, 0, 0, row == 0 ? 1e-3 : 0, 0}, early);
      row++;
      ref.expect(row++, {e.t, e.q_after[0], e.v_after[0], p, 0, p, 0, e.q_after[1], e.v_after[1]},
                 early);
      n++;
    } else {
      ref.expect(row++, {s.t, s.q[0], s.v[0], 0, s.lambda[0], 0, s.lambda[0], s.q[1], s.v[1]},
                 early);
      k++;
    }
    ASSERT_FALSE(HasFatalFailure());
  }
  const vec late{1e-12, 1e-10, 1e-10, 1e-12, 1e-8, 1e-12, 1e-8, 1e-9, 1e-7};
  for (row = 614; row < ref.size(); row++) {
    k = static_cast<std::size_t>(std::lround(ref.row(row)[0] / 0.005)) - 1;
    ASSERT_LT(k, run.samples.size());
    const tools::Sample &s = run.samples[k];
    ref.expect(row, {s.t, s.q[0], s.v[0], 0, s.lambda[0], 0, s.lambda[0], s.q[1], s.v[1]}, late);
    ASSERT_FALSE(HasFatalFailure());
  }
}

TEST_P(EventReference, SimplePendulumED) {
  OPEN_OR_SKIP(ref, "SimplePendulumED_Lsodar.ref");
  perp_lagrangian_relation string;
  ASSERT_EQ(perp_lagrangian_scleronomous_init(&string, sizeof string, 1, 2), PERP_OK);
  string.h = [](double, const double *q, const double *, const double *, double *y,
                void *) -> std::int32_t { return y[0] = 1 - q[0] * q[0] - q[1] * q[1], 0; };
  string.H = [](double, const double *q, const double *, const double *, double *H,
                void *) -> std::int32_t { return H[0] = -2 * q[0], H[1] = -2 * q[1], 0; };
  World w;
  w.mass({1, 1}, {0, kG}, {std::sin(M_PI / 3), std::cos(M_PI / 3)}, {0, 0});
  w.connect(&string.relation, w.newton(0.9));
  Motion run(w, GetParam());
  ASSERT_EQ(run.create(), PERP_OK);
  EXPECT_NEAR(run.lambda()[0], ref.row(0)[9], 1e-12);
  run.observer.first = run.observer.every = 0.01;
  run.keep_lambda = true;
  run.expect_until(10);
  EXPECT_TRUE(run.events.empty());
  ASSERT_EQ(run.samples.size() + 1, ref.size());
  for (std::size_t k = 1; k < ref.size(); k++) {
    const tools::Sample &s = run.samples[k - 1];
    const double *row = ref.row(k), rate = -2 * (s.q[0] * s.v[0] + s.q[1] * s.v[1]);
    ref.expect(k,
               {s.t, s.q[0], s.q[1], s.v[0], s.v[1], row[5], row[6],
                1 - s.q[0] * s.q[0] - s.q[1] * s.q[1], rate, s.lambda[0]},
               {1e-12, 1e-9, 1e-9, 1e-9, 1e-9, 1, 1, 1e-11, 1e-11, 1e-8});
    ASSERT_FALSE(HasFatalFailure());
  }
}

INSTANTIATE_TEST_SUITE_P(All, EventReference, ::testing::ValuesIn(kExact), tools::method_name);

}  // namespace
