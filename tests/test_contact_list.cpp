// SPDX-License-Identifier: MIT
// The list of acting contacts: against what must hold a body up, and against momentum.
#include <gtest/gtest.h>
#include <perp/contact_list.h>

#include <array>
#include <cmath>

#include "pool_tools.hpp"

namespace {

using tools::kGravity;
using tools::pooled;
using tools::run;
using tools::vec;
using tools::world;

std::vector<perp_contact_view> list_of(const run &r) {
  std::int32_t n = -1, again = -1;
  EXPECT_EQ(perp_simulation_contacts(r.sim, nullptr, sizeof(perp_contact_view), 0, &n), PERP_OK);
  std::vector<perp_contact_view> list(tools::at(n));
  EXPECT_EQ(perp_simulation_contacts(r.sim, list.data(), sizeof(perp_contact_view), n, &again),
            PERP_OK);
  EXPECT_EQ(again, n);
  return list;
}

TEST(ContactList, HeldGrainsShowTheirWeight) {
  pooled w(4);
  const double mass = 0.5, r = 0.05;
  perp_lagrangian_linear &s = tools::grain(w, mass);
  for (std::int32_t i = 0; i < 2; i++) {
    w.add(s.system);
    w.q0.insert(w.q0.end(), {0.2, -0.1, r + 2 * r * i - 1e-6 * (i + 1)});
  }
  w.law(w.friction(3, 0.4));
  w.find = [&](double, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
    tools::add_grains(sim, 2, r, 0.01, out);
    for (auto &c : out) {
      c.identity[0] = 10 + static_cast<std::uint32_t>(c.systems[0]);
      c.place.a[2] = 0.5;
      c.place.b[2] = 0.25;
    }
    return 0;
  };
  run x(w);
  EXPECT_TRUE(list_of(x).empty());
  ASSERT_EQ(x.steps(5), PERP_OK);
  const auto list = list_of(x);
  ASSERT_EQ(list.size(), 2u);
  for (const auto &c : list) {
    const double held = c.systems[1] == PERP_GROUND ? 2 : 1;
    EXPECT_EQ(c.interaction, -1);
    EXPECT_EQ(c.law, 0);
    EXPECT_EQ(c.rows, 3);
    EXPECT_EQ(c.located, 1);
    EXPECT_EQ(c.identity[0], 10u + static_cast<std::uint32_t>(c.systems[0]));
    EXPECT_NEAR(c.impulse[2], held * mass * kGravity * w.options.h, 1e-12);
    EXPECT_NEAR(c.force[2], held * mass * kGravity, 1e-9);
    EXPECT_NEAR(c.force[0], 0, 1e-12);
    EXPECT_NEAR(c.lambda[0], c.impulse[2], 1e-15);
    EXPECT_NEAR(c.ydot[0], 0, 1e-12);
    EXPECT_EQ(c.frame[2], 1);
    EXPECT_EQ(c.point[2], held == 2 ? 0.5 : 0.375);
    EXPECT_NEAR(c.gap, -1e-6, 1e-9);
  }
  // a resumed simulation tells the same
  const auto bytes = x.bytes();
  run y(w.model, w.options, 0, bytes.data());
  const auto again = list_of(y);
  ASSERT_EQ(again.size(), 2u);
  for (std::size_t i = 0; i < 2; i++)
    for (std::size_t k = 0; k < 3; k++) EXPECT_EQ(again[i].force[k], list[i].force[k]);
}

// The impulses in the list change the momentum of a body that slides, rolls and bounces, together
// with its weight; their moments the angular momentum.
TEST(ContactList, ImpulsesOfFixedContactsOfBodiesAreTheChangeOfMomentum) {
  const double m = 2, r = 0.1, h = 1e-3;
  world w;
  w.options.h = h;
  w.options.solver = perp_solver_nsgs();
  const perp_body body = tools::sphere(m, r);
  const double c = std::cos(0.3), s = std::sin(0.3);
  perp_sphere_plane plane = {r, {0, -s, c}, 0};
  perp_body_contact contact;
  perp_body_contact_init(&contact, sizeof contact, 3, 1);
  contact.locate = perp_locate_sphere_plane;
  contact.user = &plane;
  w.add(body.system);
  w.join(contact.relation, w.friction(3, 0.3, 0.5), {0});
  w.q0 = {0, 0, 0.4, 1, 0, 0, 0};
  w.v0 = {1, 0, 0, 0, 3, 0};
  run x(w);
  ASSERT_EQ(x.status, PERP_OK) << x.info.field;
  const auto spin = [&](double out[3]) {
    double R[9];
    perp_rotation_matrix(perp_simulation_q(x.sim, 0) + 3, R);
    for (std::size_t i = 0; i < 3; i++) {
      out[i] = 0;
      for (std::size_t j = 0; j < 3; j++) out[i] += 0.4 * m * r * r * R[i + 3 * j] * x.v(0, 3 + j);
    }
  };
  int listed = 0;
  for (int k = 0; k < 600; k++) {
    double p[3], L[3], after[3], impulse[3] = {0, 0, 0}, moment[3] = {0, 0, 0};
    for (std::size_t i = 0; i < 3; i++) p[i] = m * x.v(0, i);
    spin(L);
    ASSERT_EQ(x.step(), PERP_OK);
    for (const auto &v : list_of(x)) {
      EXPECT_EQ(v.interaction, 0);
      EXPECT_EQ(v.located, 1);
      EXPECT_EQ(v.systems[0], 0);
      EXPECT_EQ(v.systems[1], -1);
      double arm[3];
      for (std::size_t i = 0; i < 3; i++) {
        impulse[i] += v.impulse[i];
        arm[i] = v.point[i] - x.q(0, i);
        EXPECT_NEAR(v.force[i] * h, v.impulse[i], 1e-15);
      }
      for (std::size_t i = 0; i < 3; i++)
        moment[i] +=
            arm[(i + 1) % 3] * v.impulse[(i + 2) % 3] - arm[(i + 2) % 3] * v.impulse[(i + 1) % 3];
      listed++;
    }
    spin(after);
    for (std::size_t i = 0; i < 3; i++) {
      EXPECT_NEAR(m * x.v(0, i) - p[i], impulse[i] - (i == 2 ? m * kGravity * h : 0), 1e-11) << k;
      EXPECT_NEAR(after[i] - L[i], moment[i], 3e-4) << k;  // the frame turns in the step
    }
  }
  EXPECT_GE(listed, 2);
}

TEST(ContactList, LinearContactsHaveNoPlaceAndOthersAreNotListed) {
  world w;
  perp_lagrangian_linear &s = w.body(vec{2, 2});
  s.f = w.keep({1, -2 * kGravity});
  w.add(s.system);
  w.join(w.contact(1, 2, {1, 0}).relation, w.equality(), {0});
  w.join(w.contact(1, 2, {0, 1}).relation, w.impact(0), {0});
  w.options.solver = perp_solver_box_pivoting();
  run x(w);
  ASSERT_EQ(x.steps(2), PERP_OK);
  const auto list = list_of(x);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].interaction, 1);
  EXPECT_EQ(list[0].located, 0);
  EXPECT_EQ(list[0].force[0], 0);
  EXPECT_EQ(list[0].lambda, perp_simulation_lambda(x.sim, 1));
  EXPECT_EQ(list[0].ydot, perp_simulation_ydot(x.sim, 1));
}

TEST(ContactList, WritesNoMoreThanThereIsRoomFor) {
  world w;
  tools::make_column(w, {-1e-6, -1e-6, -1e-6, -1e-6}, 1, kGravity, 0);
  run x(w);
  ASSERT_EQ(x.steps(3), PERP_OK);
  std::vector<perp_contact_view> list(4);
  std::memset(static_cast<void *>(list.data()), 0x5a, 4 * sizeof list[0]);
  std::int32_t count = -1;
  EXPECT_EQ(perp_simulation_contacts(x.sim, list.data(), sizeof list[0], 2, &count), PERP_OK);
  EXPECT_EQ(count, 4);
  EXPECT_EQ(list[1].interaction, 1);
  EXPECT_EQ(list[2].interaction, 0x5a5a5a5a);
  const auto refuses = [&](const perp_simulation *sim, perp_contact_view *to, std::size_t entry,
                           std::int32_t capacity) {
    count = -1;
    EXPECT_EQ(perp_simulation_contacts(sim, to, entry, capacity, &count), PERP_EINVAL);
    EXPECT_EQ(count, 0);
  };
  refuses(nullptr, list.data(), sizeof list[0], 2);
  refuses(x.sim, nullptr, sizeof list[0], 2);
  refuses(x.sim, list.data(), 8, 2);
  refuses(x.sim, list.data(), sizeof list[0] - sizeof(void *), 2);
  refuses(x.sim, list.data(), sizeof list[0] + 1, 2);
  refuses(x.sim, list.data(), SIZE_MAX - sizeof(void *) + 1, 2);
  refuses(x.sim, list.data(), sizeof list[0], -1);
}

// A program that knows more fields than the library steps through its own entries; what only it
// knows is 0.
TEST(ContactList, EntriesAreAsLongAsTheCallerSays) {
  struct longer {
    perp_contact_view view;
    double fresh;
  };
  world w;
  tools::make_column(w, {-1e-6, -1e-6, -1e-6}, 1, kGravity, 0);
  run x(w);
  ASSERT_EQ(x.steps(3), PERP_OK);
  std::vector<longer> entries(4);
  std::memset(static_cast<void *>(entries.data()), 0x5a, 4 * sizeof(longer));
  std::int32_t count = -1;
  ASSERT_EQ(perp_simulation_contacts(x.sim, &entries[0].view, sizeof(longer), 4, &count), PERP_OK);
  const std::vector<perp_contact_view> list = list_of(x);
  ASSERT_EQ(tools::at(count), list.size());
  for (std::size_t k = 0; k < list.size(); k++) {
    EXPECT_EQ(entries[k].view.interaction, list[k].interaction);
    EXPECT_EQ(entries[k].view.gap, list[k].gap);
    EXPECT_EQ(entries[k].view.lambda, list[k].lambda);
    EXPECT_EQ(entries[k].fresh, 0);
  }
  EXPECT_EQ(entries[3].view.interaction, 0x5a5a5a5a);
}

// The gap at the end of a step is that of the new positions, before it is found again.
TEST(ContactList, TheGapIsThatOfTheEndOfTheStep) {
  pooled w(1);
  w.add(tools::grain(w, 1).system);
  w.q0 = {0, 0, 0.06};
  w.v0 = {0.3, 0, -3};
  w.law(w.impact(0.5));
  w.find = [&](double, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
    tools::add_grains(sim, 1, 0.05, 0.1, out);
    return 0;
  };
  run x(w);
  ASSERT_EQ(x.step(), PERP_OK);
  const auto list = list_of(x);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_GT(list[0].impulse[2], 4);
  EXPECT_NEAR(list[0].gap, x.q(0, 2) - 0.05, 1e-15);
  EXPECT_NEAR(list[0].ydot[0], 1.5, 1e-12);
}

// A sphere that rolls along x is slowed by a couple against its spin, about -y.
TEST(ContactList, TheCoupleInSpaceIsAboutTheTangents) {
  const double r = 0.1, m = 2, mu_r = 0.004;
  pooled w(1);
  const perp_body body = tools::sphere(m, r);
  w.add(body.system);
  w.q0 = {0, 0, r, 1, 0, 0, 0};
  w.v0 = {1, 0, 0, 0, 1 / r, 0};
  w.law(w.rolling(5, 0.5, mu_r));
  w.options.h = 1e-3;
  w.find = [&](double, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
    const double *q = perp_simulation_q(sim, 0);
    out.push_back(tools::contact_of(0, PERP_GROUND, q[2] - r, {0, 0, 1}));
    for (std::size_t i = 0; i < 3; i++) out.back().place.a[i] = q[i] - (i == 2 ? r : 0);
    return 0;
  };
  run x(w);
  ASSERT_EQ(x.status, PERP_OK) << x.info.field;
  ASSERT_EQ(x.steps(5), PERP_OK) << x.info.field;
  const auto list = list_of(x);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_NEAR(list[0].couple[1], -mu_r * m * kGravity * w.options.h, 1e-9);
  EXPECT_NEAR(list[0].couple[0], 0, 1e-9);
  EXPECT_NEAR(list[0].couple[2], 0, 1e-12);
  EXPECT_LT(list[0].force[0], 0);
}

// Resistance to rolling of a disc in the plane: its couple on the first system.
TEST(ContactList, TheCoupleOfRollingResistanceSlowsTheDisc) {
  const double r = 0.2, m = 3, mu_r = 0.01;
  pooled w(1);
  perp_lagrangian_linear &disc = w.body(vec{m, m, 0.5 * m * r * r});
  disc.f = w.keep({0, -m * kGravity, 0});
  w.pool.plane = 1;
  w.add(disc.system);
  w.q0 = {0, r, 0};
  w.v0 = {1, 0, -1 / r};
  w.law(w.rolling(3, 0.5, mu_r));
  w.find = [&](double, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
    const double *q = perp_simulation_q(sim, 0);
    out.push_back(tools::contact_of(0, PERP_GROUND, q[1] - r, {0, 1, 0}));
    out.back().place.a[0] = q[0];
    out.back().place.a[1] = q[1] - r;
    return 0;
  };
  run x(w);
  ASSERT_EQ(x.steps(10), PERP_OK);
  const auto list = list_of(x);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_NEAR(list[0].couple[2], mu_r * m * kGravity * w.options.h, 1e-10);
  EXPECT_NEAR(list[0].force[1], m * kGravity, 1e-8);
  EXPECT_LT(list[0].force[0], 0);
}

}  // namespace
