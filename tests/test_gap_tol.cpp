// SPDX-License-Identifier: MIT
// Which contacts act: those whose predicted gap is within the tolerance, and those that pushed and
// are open by no more than the rounding of their gap.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pool_tools.hpp"

namespace {

using tools::kGravity;
using tools::pooled;
using tools::run;
using tools::world;

// A ball at rest at q = 0.3 on a floor that is lowered by z.
struct lowered : world {
  double z = 0;
  lowered() {
    perp_lagrangian_linear &s = body(tools::vec{2});
    s.f = keep({-2 * kGravity});
    add(s.system);
    perp_lagrangian_linear_relation &r = contact(1, 1, {1});
    r.b = keep({-0.3});
    r.F = keep({1});
    r.z = &z;
    r.n_z = 1;
    join(r.relation, impact(0), {0});
    q0 = {0.3};
  }
};

TEST(GapTol, WhatRestsIsNotLeftForARounding) {
  lowered w;
  run r(w);
  const double weight = 2 * kGravity * w.options.h;
  ASSERT_EQ(r.steps(3), PERP_OK);
  EXPECT_NEAR(r.lambda(), weight, 1e-15);
  w.z = 5e-17;  // one unit in the last place of 0.3
  ASSERT_EQ(r.step(), PERP_OK);
  EXPECT_NEAR(r.lambda(), weight, 1e-15);
  EXPECT_NEAR(r.v(), 0, 1e-16);
  w.z = 1e-14;  // more than rounding
  ASSERT_EQ(r.step(), PERP_OK);
  EXPECT_EQ(r.lambda(), 0);
  EXPECT_NEAR(r.v(), -kGravity * w.options.h, 1e-15);
}

TEST(GapTol, WhatDidNotPushIsNotHeld) {
  lowered w;
  w.z = 5e-17;
  run r(w);
  ASSERT_EQ(r.step(), PERP_OK);
  EXPECT_EQ(r.lambda(), 0);
}

TEST(GapTol, AToleranceTakesWhatIsNear) {
  lowered w;
  w.options.gap_tol = 1e-6;
  w.z = 9e-7;
  run r(w);
  ASSERT_EQ(r.step(), PERP_OK);
  EXPECT_GT(r.lambda(), 0);
  w.z = 1.1e-6;
  ASSERT_EQ(r.step(), PERP_OK);
  EXPECT_EQ(r.lambda(), 0);
}

TEST(GapTol, AResumedRunHoldsTheSame) {
  lowered w;
  run r(w);
  ASSERT_EQ(r.steps(3), PERP_OK);
  const auto bytes = r.bytes();
  w.z = 5e-17;
  run again(w.model, w.options, 0, bytes.data());
  ASSERT_EQ(r.step(), PERP_OK);
  ASSERT_EQ(again.step(), PERP_OK);
  EXPECT_EQ(r.bytes(), again.bytes());
  EXPECT_GT(again.lambda(), 0);
}

TEST(GapTol, ContactsOfAPoolAreHeldToo) {
  pooled w(2);
  w.add(tools::grain(w, 1).system);
  w.q0 = {0, 0, 0.1};
  w.law(w.impact(0));
  double gap = 0;
  w.find = [&](double, const perp_simulation *, std::vector<perp_pool_contact> &out) {
    out.push_back(tools::contact_of(0, PERP_GROUND, gap, {0, 0, 1}));
    return 0;
  };
  run r(w);
  ASSERT_EQ(r.steps(2), PERP_OK);
  EXPECT_NEAR(r.v(0, 2), 0, 1e-16);
  gap = 2e-17;
  ASSERT_EQ(r.step(), PERP_OK);
  EXPECT_NEAR(r.v(0, 2), 0, 1e-16);
  gap = 1e-12;
  ASSERT_EQ(r.step(), PERP_OK);
  EXPECT_LT(r.v(0, 2), -1e-3);
}

TEST(GapTol, OnlyFiniteTolerancesAreTaken) {
  for (const double bad : {-1e-9, std::numeric_limits<double>::quiet_NaN(), HUGE_VAL}) {
    lowered w;
    w.options.gap_tol = bad;
    run r(w);
    EXPECT_LT(r.status, 0);
    EXPECT_STREQ(r.info.field, "gap_tol");
  }
}

}  // namespace
