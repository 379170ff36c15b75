// SPDX-License-Identifier: MIT
// Relations of order 1 without Jacobians of the user's, by relative degree: event-driven
// integration differentiates their outputs along the motion, and takes C, D and B by differences.
#include <gtest/gtest.h>

#include "event_tools.hpp"

namespace {

using tools::Method;
using tools::Motion;
using tools::World;

class EventDifferences : public ::testing::TestWithParam<Method> {
 protected:
  World w;
  perp_first_order_relation r;
  void SetUp() override {
    ASSERT_EQ(perp_first_order_relation_init(&r, sizeof r, 1, 2), PERP_OK);
    r.g = [](double, const double *, const double *lambda, const double *, double *out, void *) {
      return out[1] = lambda[0] + 0.1 * lambda[0] * lambda[0] * lambda[0], 0;
    };
  }
  void expect_sine();
};

double force(double r) {  // λ + 0.1 λ³ = r
  double l = r;
  for (int k = 0; k < 50; k++) l -= (l + 0.1 * l * l * l - r) / (1 + 0.3 * l * l);
  return l;
}

// x1' = x2, x2' = g(λ) with an output that holds x1 at sin t.
void EventDifferences::expect_sine() {
  w.state({0, 1}, {0, 0, 1, 0});
  w.connect(&r.relation, w.equality());
  Motion m(w, GetParam());
  m.options.rtol = 1e-9, m.options.atol = 1e-10;
  m.expect_until(2);
  EXPECT_NEAR(m.x()[0], std::sin(2), 1e-7);
  EXPECT_NEAR(m.x()[1], std::cos(2), 1e-7);
  EXPECT_NEAR(m.lambda()[0], force(-std::sin(2)), 1e-6);
}

// By the position: degree 2.
TEST_P(EventDifferences, AnOutputOfDegreeTwoFollowsItsPath) {
  r.h = [](double t, const double *x, const double *, const double *, double *y, void *) {
    return y[0] = std::exp(x[0] - std::sin(t)) - 1, 0;
  };
  expect_sine();
}

// By its derivative: degree 1.
TEST_P(EventDifferences, AnOutputOfDegreeOneFollowsItsPath) {
  r.h = [](double t, const double *x, const double *, const double *, double *y, void *) {
    return y[0] = std::exp(x[1] - std::cos(t)) - 1, 0;
  };
  expect_sine();
}

// A ball on a floor, x1' = x2, x2' = −2 + λ: it falls from 1, stays there from t = 1 on.
TEST_P(EventDifferences, AComplementarityOfDegreeTwoCloses) {
  r.h = [](double, const double *x, const double *, const double *, double *y, void *) {
    return y[0] = std::exp(0.1 * x[0]) - 1, 0;
  };
  r.g = [](double, const double *, const double *lambda, const double *, double *out, void *) {
    return out[1] = lambda[0], 0;
  };
  w.state({1, 0}, {0, 0, 1, 0}, {0, -2});
  w.connect(&r.relation, w.diode());
  Motion m(w, GetParam());
  m.options.rtol = 1e-9, m.options.atol = 1e-10;
  m.expect_until(0.5);
  EXPECT_NEAR(m.x()[0], 0.75, 1e-8);
  m.expect_until(2);
  EXPECT_NEAR(m.x()[0], 0, 1e-7);
  EXPECT_NEAR(m.x()[1], 0, 1e-7);
  EXPECT_NEAR(m.lambda()[0], 2, 1e-6);
}

// A point that λ keeps on a circle, pulling it to the middle: degree 2 on a curved surface.
TEST_P(EventDifferences, APointStaysOnItsCircle) {
  ASSERT_EQ(perp_first_order_relation_init(&r, sizeof r, 1, 4), PERP_OK);
  r.reads = PERP_REACTION_READS_X;
  r.h = [](double, const double *x, const double *, const double *, double *y, void *) {
    return y[0] = std::hypot(x[0], x[1]) - 1, 0;
  };
  r.g = [](double, const double *x, const double *l, const double *, double *out, void *) {
    return out[2] = x[0] * l[0], out[3] = x[1] * l[0], 0;
  };
  w.state({1, 0, 0, 1}, {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0});
  w.connect(&r.relation, w.equality());
  Motion m(w, GetParam());
  m.options.rtol = 1e-9, m.options.atol = 1e-10;
  m.expect_until(1);
  EXPECT_NEAR(m.x()[0], std::cos(1), 1e-7);
  EXPECT_NEAR(m.x()[1], std::sin(1), 1e-7);
  EXPECT_NEAR(m.lambda()[0], -1, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(All, EventDifferences, ::testing::ValuesIn(tools::kMethods),
                         tools::method_name);

}  // namespace
