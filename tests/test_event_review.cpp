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

}  // namespace
