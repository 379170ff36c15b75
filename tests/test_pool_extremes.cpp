// SPDX-License-Identifier: MIT
// Piles far from the origin, of masses far apart, held by points far away: what a step says is
// solved is judged from velocities and impulses, or it says that it is not.
#include <gtest/gtest.h>
#include <perp/contact_list.h>

#include <algorithm>
#include <cmath>

#include "pool_tools.hpp"

namespace {

using tools::contact_of;
using tools::pooled;
using tools::run;
using tools::vec;

constexpr std::int32_t kForms[] = {PERP_FORMULATION_REDUCED, PERP_FORMULATION_GLOBAL};

// A column of spheres at (x, 0) over the floor, each on the one before.
struct column : pooled {
  std::vector<perp_body> bodies;
  column(const vec &masses, double x, double r, std::int32_t formulation)
      : pooled(static_cast<std::int32_t>(masses.size())) {
    for (const double m : masses) bodies.push_back(tools::sphere(m, r));
    for (std::size_t i = 0; i < masses.size(); i++) {
      add(bodies[i].system);
      q0.insert(q0.end(), {x, 0, r * (2 * static_cast<double>(i) + 1), 1, 0, 0, 0});
    }
    law(friction(3, 0.3));
    options.h = 1e-3;
    options.gap_tol = 1e-6 * r;
    options.formulation = formulation;
    find = [r, n = masses.size()](double, const perp_simulation *sim,
                                  std::vector<perp_pool_contact> &out) {
      for (std::size_t i = 0; i < n; i++) {
        const auto a = static_cast<std::int32_t>(i);
        const double *q = perp_simulation_q(sim, a), *below = nullptr;
        if (i > 0) below = perp_simulation_q(sim, a - 1);
        const double z = below == nullptr ? 0 : below[2] + r;
        out.push_back(contact_of(a, a - 1, q[2] - r - z, {0, 0, 1}));
        perp_contact_place &at = out.back().place;
        for (std::size_t k = 0; k < 2; k++) {
          at.a[k] = q[k];
          at.b[k] = below == nullptr ? q[k] : below[k];
        }
        at.a[2] = q[2] - r;
        at.b[2] = z;
      }
      return 0;
    };
  }
};

TEST(PoolExtremes, APileFarFromTheOriginIsHeldAsAnyOther) {
  for (const std::int32_t form : kForms) {
    column w(vec(4, 1.0), 1e9, 0.1, form);
    run r(w);
    ASSERT_EQ(r.status, PERP_OK) << r.info.field;
    ASSERT_EQ(r.steps(200), PERP_OK) << r.info.field;
    EXPECT_EQ(r.report().accepted, 0);
    EXPECT_EQ(r.report().failures, 0);
    std::vector<perp_contact_view> list(4);
    std::int32_t n = 0;
    ASSERT_EQ(perp_simulation_contacts(r.sim, list.data(), sizeof list[0], 4, &n), PERP_OK);
    ASSERT_EQ(n, 4);
    for (const auto &c : list) EXPECT_NEAR(c.force[2], (4 - c.systems[0]) * tools::kGravity, 1e-6);
    for (std::int32_t i = 0; i < 4; i++) {
      EXPECT_EQ(r.q(i, 0), 1e9);
      EXPECT_NEAR(r.q(i, 2), 0.1 * (2 * i + 1), 1e-6);
    }
  }
}

// Masses from 1e-9 to 1e9, the light ones below the heavy ones: what is called solved does not
// approach by more than the tolerance, and pushes only where nothing moves; the rest is counted.
TEST(PoolExtremes, MassesFarApartAreSolvedOrCounted) {
  for (const std::int32_t form : kForms)
    for (const vec &masses :
         {vec{1e9, 1e-9, 1, 1e3, 1e-3}, vec{1e-9, 1e9}, vec{1e9, 1e4, 1, 1e-4, 1e-9}}) {
      column w(masses, 0, 0.1, form);
      w.options.on_failure = PERP_FAILURE_ACCEPT;
      w.options.accept_tol = HUGE_VAL;
      const double speed = 0.01 * tools::kGravity * w.options.h;
      w.options.speed_tol = speed;
      run r(w);
      ASSERT_EQ(r.status, PERP_OK) << r.info.field;
      int solved = 0;
      for (int k = 0; k < 20; k++) {
        const auto before = r.report().accepted, failed = r.report().failures;
        ASSERT_EQ(r.step(), PERP_OK) << r.info.field;
        const auto n = static_cast<std::int32_t>(masses.size());
        for (std::int32_t i = 0; i < n; i++) ASSERT_TRUE(std::isfinite(r.v(i, 2)));
        if (r.report().accepted != before) {
          EXPECT_GT(r.report().failures, failed);
          continue;
        }
        solved++;
        std::vector<perp_contact_view> list(masses.size());
        std::int32_t found = 0;
        ASSERT_EQ(perp_simulation_contacts(r.sim, list.data(), sizeof list[0], n, &found), PERP_OK);
        for (const auto &c : list) {
          if (&c - list.data() >= found) continue;
          const double u = r.v(c.systems[0], 2) - (c.systems[1] < 0 ? 0 : r.v(c.systems[1], 2));
          // in the reduced form the tolerance is relative to the velocities of free motion
          EXPECT_GE(u, -2 * speed) << masses[0] << " " << form << " " << c.systems[0];
          EXPECT_LE(c.lambda[0] > 0 ? u : 0, 2 * speed) << masses[0] << " " << form;
          EXPECT_LE(std::hypot(c.lambda[1], c.lambda[2]), 0.3 * c.lambda[0] * (1 + 1e-9));
        }
      }
      RecordProperty("solved", solved);
    }
}

// A beam held at its ends, however long: the step is solved. A body held by points that are as far
// away, but small: solved, or the step says that it is not and leaves the state.
TEST(PoolExtremes, LeversOfAnyLengthLoseNoSolution) {
  for (const std::int32_t form : kForms)
    for (const bool small : {false, true})
      for (const double lever : {1.0, 1e3, 1e6, 1e9, 1e12, 1e100, 1e300}) {
        pooled w(2);
        perp_body body = tools::sphere(1, 0.1);
        if (!small && lever < 1e100)
          for (std::size_t k = 0; k < 3; k++) body.inertia[4 * k] = lever * lever / 3;
        w.add(body.system);
        w.q0 = {0, 0, 0.1, 1, 0, 0, 0};
        w.law(w.friction(3, 0.3));
        w.options.h = 1e-3;
        w.options.formulation = form;
        w.find = [&](double, const perp_simulation *, std::vector<perp_pool_contact> &out) {
          for (std::uint32_t i = 0; i < 2; i++) {
            out.push_back(contact_of(0, PERP_GROUND, 0, {0, 0, 1}));
            out.back().identity[0] = i;
            out.back().place.a[0] = i == 0 ? lever : -lever;
          }
          return 0;
        };
        run r(w);
        ASSERT_EQ(r.status, PERP_OK) << r.info.field;
        const auto before = r.bytes();
        const perp_status status = r.step();
        if (!small && lever < 1e100) {
          ASSERT_EQ(status, PERP_OK) << lever << " " << form << " " << r.info.field;
        }
        if (status == PERP_OK) {  // held: it neither falls nor turns
          EXPECT_NEAR(r.v(0, 2), 0, 1e-6) << lever << " " << form << " " << small;
          for (std::size_t k = 3; k < 6; k++)
            EXPECT_NEAR(r.v(0, k) * lever, 0, 1e-6) << lever << " " << form << " " << small;
        } else {
          EXPECT_EQ(r.bytes(), before) << lever << " " << form;
          EXPECT_NE(r.info.field, nullptr);
        }
      }
}

}  // namespace
