// SPDX-License-Identifier: MIT
// Islands that sleep: piles of boxes whose corners stand on the faces below, judged by the weight,
// by free fall, by runs in which nothing sleeps, and bit by bit.
#include <gtest/gtest.h>
#include <perp/contact_list.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "pool_tools.hpp"
#include "sanitized.hpp"

namespace {

using tools::at;
using tools::contact_of;
using tools::kGravity;
using tools::pooled;
using tools::run;
using tools::vec;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kHalf = 0.5;  // of the edge of a box of 1 kg
constexpr double kMargin = 0.02;

// The point of body q (7) that lies at x in its frame.
std::array<double, 3> point_of(const double *q, const std::array<double, 3> &x) {
  double R[9];
  perp_rotation_matrix(q + 3, R);
  std::array<double, 3> p = {q[0], q[1], q[2]};
  for (std::size_t i = 0; i < 3; i++)
    for (std::size_t j = 0; j < 3; j++) p[i] += R[i + 3 * j] * x[j];
  return p;
}

// Boxes, each standing with its lower corners on other boxes or on the ground z = 0, and balls of
// radius kHalf over boxes or over the ground.
struct pile : pooled {
  struct stand {
    std::int32_t upper, lower;  // or PERP_GROUND
    std::array<double, 3> corner;
    std::uint32_t feature;
  };
  std::deque<perp_body> bodies6;
  std::vector<stand> stands;
  bool tells_all = true;  // also what sleeps
  double margin = kMargin;
  std::function<std::array<double, 3>(double)> belt = [](double) {
    return std::array<double, 3>{0, 0, 0};
  };
  std::function<void(double, std::vector<perp_pool_contact> &)> more;
  std::int32_t calls = 0, fail_at = -1, answer = -1;

  explicit pile(std::int32_t capacity = 400) : pooled(capacity) {
    law(friction(3, 0.5));
    options.h = 5e-3;
    options.theta = 1;
    options.gap_tol = kGravity * options.h * options.h;
    options.formulation = PERP_FORMULATION_GLOBAL;
    options.sleep_energy = 1e-3;
    options.sleep_time = 0.1;
    options.speed_tol = 1e-6;
    options.on_failure = PERP_FAILURE_STOP;
    find = [this](double t, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
      if (calls++ == fail_at) return answer;
      look(t, sim, out);
      if (more) more(t, out);
      return 0;
    };
  }

  std::int32_t body(double x, double z, double inertia, double vz = 0) {
    perp_body &b = bodies6.emplace_back();
    perp_body_init(&b, sizeof b);
    for (std::size_t i = 0; i < 3; i++) b.inertia[4 * i] = inertia;
    b.f[2] = -kGravity;
    q0.insert(q0.end(), {x, 0, z, 1, 0, 0, 0});
    v0.insert(v0.end(), {0, 0, vz, 0, 0, 0});
    return add(b.system);
  }
  std::int32_t box(double x, double z) { return body(x, z, 1.0 / 6); }
  // A box over others: corners with x < 0 on the one, those with x > 0 on the other.
  std::int32_t box_on(double x, double z, std::int32_t left, std::int32_t right) {
    const std::int32_t b = box(x, z);
    for (std::uint32_t c = 0; c < 4; c++)
      stands.push_back({b,
                        (c & 1) != 0 ? right : left,
                        {(c & 1) != 0 ? kHalf : -kHalf, (c & 2) != 0 ? kHalf : -kHalf, -kHalf},
                        c});
    return b;
  }
  std::int32_t ball_over(std::int32_t lower, double x, double z, double vz = 0) {
    const std::int32_t b = body(x, z, 0.1, vz);
    stands.push_back({b, lower, {0, 0, 0}, 9});
    return b;
  }
  void pyramid(std::int32_t rows) {
    std::int32_t first = 0, next = 0;
    for (std::int32_t row = 0; row < rows; row++, first = next - (rows - row + 1))
      for (std::int32_t i = 0; i < rows - row; i++, next++)
        box_on(1.1 * (i + 0.5 * row), kHalf + row, row > 0 ? first + i : PERP_GROUND,
               row > 0 ? first + i + 1 : PERP_GROUND);
  }

  void look(double t, const perp_simulation *sim, std::vector<perp_pool_contact> &out) const {
    for (const stand &s : stands) {
      const auto sleeps = [&](std::int32_t j) {
        return j == PERP_GROUND || perp_simulation_is_asleep(sim, j) == 1;
      };
      if (!tells_all && sleeps(s.upper) && sleeps(s.lower)) continue;
      const double *q = perp_simulation_q(sim, s.upper);
      const double radius = s.feature == 9 ? kHalf : 0;
      std::array<double, 3> p = point_of(q, s.corner), n = {0, 0, 1}, o = {0, 0, 0};
      if (s.lower >= 0) {
        const double *below = perp_simulation_q(sim, s.lower);
        o = point_of(below, {0, 0, kHalf});
        const auto up = point_of(below, {0, 0, 1});
        for (std::size_t i = 0; i < 3; i++) n[i] = up[i] - below[i];
      }
      double gap = -radius;
      for (std::size_t i = 0; i < 3; i++) gap += n[i] * (p[i] - o[i]);
      if (gap > margin) continue;
      perp_pool_contact c = contact_of(s.upper, s.lower, gap, n);
      c.identity[0] = s.feature;
      for (std::size_t i = 0; i < 3; i++) {
        c.place.a[i] = p[i] - radius * n[i];
        c.place.b[i] = c.place.a[i] - gap * n[i];
        if (s.lower == PERP_GROUND) c.place.velocity[i] = belt(t)[i];
      }
      out.push_back(c);
    }
  }
};

std::vector<perp_contact_view> contacts(const run &s) {
  std::vector<perp_contact_view> list(1000);
  std::int32_t n = 0;
  EXPECT_EQ(perp_simulation_contacts(s.sim, list.data(), sizeof list[0], 1000, &n), PERP_OK);
  list.resize(at(n));
  return list;
}

double lift_of_ground(const run &s) {
  double up = 0;
  for (const auto &c : contacts(s))
    if (c.systems[1] == PERP_GROUND) up += c.force[2];
  return up;
}

double energy(const run &s) {
  double kinetic = 0, potential = 0;
  EXPECT_EQ(perp_simulation_energy(s.sim, &kinetic, &potential), PERP_OK);
  return kinetic + potential;
}

bool asleep(const run &s, std::int32_t j) { return perp_simulation_is_asleep(s.sim, j) == 1; }

// Steps until only so many are awake.
int until_awake(run &s, std::int32_t awake, int most = 400) {
  int k = 0;
  for (; k < most && perp_simulation_awake(s.sim) != awake; k++)
    if (s.step() != PERP_OK) return -1;
  EXPECT_EQ(perp_simulation_awake(s.sim), awake);
  return k;
}

// ---- falling asleep ----

TEST(PoolSleep, APileAtRestFallsAsleepAndItsForcesCarryIt) {
  pile w;
  w.pyramid(4);
  run s(w);
  ASSERT_EQ(s.status, PERP_OK) << s.info.field;
  EXPECT_EQ(perp_simulation_awake(s.sim), 10);
  const int k = until_awake(s, 0);
  EXPECT_GE(k, 20);       // sleep_time
  EXPECT_LE(k, 20 + 40);  // and it settles
  EXPECT_EQ(s.report().asleep, 10);
  const auto forces = contacts(s);
  EXPECT_EQ(forces.size(), 40u);
  EXPECT_NEAR(lift_of_ground(s), 10 * kGravity, 1e-3 * 10 * kGravity);
  const vec q(perp_simulation_q(s.sim, 0), perp_simulation_q(s.sim, 0) + 70);
  const std::int64_t sweeps = s.report().solver_iterations;
  for (int i = 0; i < 50; i++) {
    ASSERT_EQ(s.step(), PERP_OK);
    for (std::size_t c = 0; c < 60; c++) ASSERT_EQ(perp_simulation_v(s.sim, 0)[c], 0);
    for (std::size_t c = 0; c < 70; c++) ASSERT_EQ(perp_simulation_q(s.sim, 0)[c], q[c]);
  }
  EXPECT_EQ(s.report().solver_iterations, sweeps);
  EXPECT_EQ(s.report().asleep, 10);
  const auto later = contacts(s);
  ASSERT_EQ(later.size(), forces.size());
  for (std::size_t i = 0; i < later.size(); i++)
    for (std::size_t c = 0; c < 3; c++) EXPECT_EQ(later[i].force[c], forces[i].force[c]);
}

// Rows that begin 2 mm in one another are parted before they sleep, and stay where they are then.
// A state that is set wakes the island of what it changes, and no other; all that sleeps set to
// other values goes on as a new simulation does that begins there.
TEST(PoolSleep, AStateThatIsSetWakesItsIsland) {
  pile w;
  w.pyramid(3);
  w.box_on(20, kHalf, PERP_GROUND, PERP_GROUND);
  w.options.h = 1.0 / 256;
  w.options.t0 = 0;
  run s(w);
  ASSERT_EQ(s.status, PERP_OK) << s.info.field;
  until_awake(s, 0);
  ASSERT_EQ(s.report().asleep, 7);
  const double up[] = {1.1, 0, 3.5, 1, 0, 0, 0};
  ASSERT_EQ(perp_simulation_set_state(s.sim, 5, 1, up, nullptr, nullptr, nullptr), PERP_OK);
  EXPECT_EQ(perp_simulation_awake(s.sim), 6);
  EXPECT_TRUE(asleep(s, 6));
  EXPECT_EQ(contacts(s).size(), 24u);  // without those of the top
  const auto bytes = s.bytes();
  run again(w.model, w.options, 0, bytes.data());
  ASSERT_EQ(again.status, PERP_OK);
  for (int k = 0; k < 200; k++) {
    ASSERT_EQ(s.step(), PERP_OK);
    ASSERT_EQ(again.step(), PERP_OK);
    ASSERT_EQ(s.bytes(), again.bytes()) << k;
    ASSERT_TRUE(asleep(s, 6));
  }
  until_awake(s, 0);
  ASSERT_EQ(s.report().asleep, 7);
  vec v = w.v0;
  for (std::size_t i = 0; i < 7; i++)
    w.q0[7 * i + 2] += 0.01 * (1.0 + static_cast<double>(i)), v[6 * i] = 1e-3;
  w.v0 = v;
  ASSERT_EQ(perp_simulation_set_state(s.sim, 0, 7, w.q0.data(), v.data(), nullptr, nullptr),
            PERP_OK);
  EXPECT_EQ(s.report().asleep, 0);
  EXPECT_EQ(contacts(s).size(), 0u);
  w.options.t0 = s.time();
  run fresh(w);
  ASSERT_EQ(fresh.status, PERP_OK) << fresh.info.field;
  for (int k = 0; k < 300; k++) {
    ASSERT_EQ(s.step(), PERP_OK);
    ASSERT_EQ(fresh.step(), PERP_OK);
    const auto one = s.bytes(), other = fresh.bytes();
    ASSERT_TRUE(std::equal(one.begin() + 48, one.end(), other.begin() + 48)) << k;
  }
  EXPECT_GT(s.report().asleep, 0);
}

TEST(PoolSleep, APileWhoseOverlapsAreTakenOutFallsAsleep) {
  pile w;
  for (std::int32_t row = 0; row < 4; row++)
    w.box_on(0, kHalf + row - 2e-3 * (row + 1), row > 0 ? row - 1 : PERP_GROUND,
             row > 0 ? row - 1 : PERP_GROUND);
  w.options.projection = PERP_PROJECT_POSITIONS;
  w.options.min_gap = -1;
  run s(w);
  ASSERT_EQ(s.status, PERP_OK) << s.info.field;
  const int k = until_awake(s, 0);
  EXPECT_GE(k, 20);
  EXPECT_LE(k, 20 + 60);
  for (std::int32_t row = 0; row < 4; row++)
    EXPECT_NEAR(perp_simulation_q(s.sim, row)[2], kHalf + row, 4 * w.options.gap_tol) << row;
  EXPECT_NEAR(lift_of_ground(s), 4 * kGravity, 1e-3 * 4 * kGravity);
  const vec q(perp_simulation_q(s.sim, 0), perp_simulation_q(s.sim, 0) + 28);
  for (int i = 0; i < 20; i++) ASSERT_EQ(s.step(), PERP_OK);
  EXPECT_EQ(vec(perp_simulation_q(s.sim, 0), perp_simulation_q(s.sim, 0) + 28), q);
  EXPECT_EQ(s.report().asleep, 4);
}

// A ball squeezed between a ceiling and a sleeper that it does not touch within the step is centred
// between them: it has no room that the sleeper would give by moving.
TEST(PoolSleep, OverlapsAreTakenOutAsIfSleepersWereGround) {
  for (const bool sleeper_first : {false, true}) {
    pile w;
    const std::int32_t a = w.box_on(0, kHalf, PERP_GROUND, PERP_GROUND);
    const std::int32_t b = w.body(0, 5, 0.1, 0.05);
    w.bodies6[at(b)].f[2] = 0;
    w.options.projection = PERP_PROJECT_POSITIONS;
    bool squeezed = false;
    w.more = [&](double, std::vector<perp_pool_contact> &out) {
      if (!squeezed) return;
      out.push_back(sleeper_first ? contact_of(a, b, 4e-4, {0, 0, -1})
                                  : contact_of(b, a, 4e-4, {0, 0, 1}));
      out.push_back(contact_of(b, PERP_GROUND, -2e-3, {0, 0, -1}));
      for (std::size_t i = out.size() - 2; i < out.size(); i++)
        for (double *p : {out[i].place.a, out[i].place.b}) p[0] = p[1] = 0, p[2] = 5;
    };
    run s(w);
    ASSERT_EQ(s.status, PERP_OK) << s.info.field;
    EXPECT_LE(until_awake(s, 1), 60);
    ASSERT_TRUE(asleep(s, a));
    const vec still(perp_simulation_q(s.sim, a), perp_simulation_q(s.sim, a) + 7);
    const double z = perp_simulation_q(s.sim, b)[2];
    squeezed = true;
    ASSERT_EQ(s.step(), PERP_OK);
    EXPECT_TRUE(asleep(s, a));
    EXPECT_EQ(vec(perp_simulation_q(s.sim, a), perp_simulation_q(s.sim, a) + 7), still);
    const double half = 0.5 * w.options.gap_tol;
    EXPECT_NEAR(z - perp_simulation_q(s.sim, b)[2], 0.5 * (2e-3 - half + 4e-4 + half), 1e-4);
  }
}

TEST(PoolSleep, WithoutTheOptionNothingSleeps) {
  pile w;
  w.options.sleep_energy = 0;
  w.pyramid(2);
  run s(w);
  ASSERT_EQ(s.steps(100), PERP_OK);
  EXPECT_EQ(perp_simulation_awake(s.sim), 3);
  EXPECT_EQ(s.report().asleep, 0);
  EXPECT_FALSE(asleep(s, 0));
  EXPECT_EQ(perp_simulation_wake(s.sim, 0), PERP_OK);
}

TEST(PoolSleep, WhatIsToldOfSleepersChangesNothing) {
  pile a, b;
  for (pile *w : {&a, &b}) {
    w->pyramid(3);
    w->ball_over(5, 1.1, 3 + kHalf + 1.5);
  }
  b.tells_all = false;
  run x(a), y(b);
  for (int k = 0; k < 200; k++) {
    ASSERT_EQ(x.step(), PERP_OK) << k << x.info.field;
    ASSERT_EQ(y.step(), PERP_OK) << k << y.info.field;
    ASSERT_EQ(x.bytes(), y.bytes()) << k;
  }
}

// What accelerates by more than √(2e)/T is never taken for at rest, what does by less is.
TEST(PoolSleep, ASlowlyRollingSphereSleepsByTheThresholdAlone) {
  for (const double slope : {0.10, 0.008}) {
    pile w;
    w.options.sleep_time = 0.5;
    const std::int32_t b = w.ball_over(PERP_GROUND, 0, kHalf);
    w.bodies6[0].f[0] = slope * kGravity;
    run s(w);
    const double a = slope * kGravity * 5 / 7;  // of a solid sphere that rolls
    ASSERT_EQ(a > std::sqrt(2 * 1e-3 * 5 / 7) / 0.5, slope > 0.05);
    ASSERT_EQ(s.steps(2), PERP_OK);
    for (int k = 2; k < 200; k++) {
      ASSERT_EQ(s.step(), PERP_OK);
      if (slope > 0.05) {
        ASSERT_FALSE(asleep(s, b)) << k;
        ASSERT_NEAR(s.v(b, 0), a * s.time(), 1e-3 + 1e-2 * a * s.time());
      }
    }
    EXPECT_EQ(asleep(s, b), slope < 0.05);
  }
}

TEST(PoolSleep, ABallAtItsHighestPointDoesNotSleep) {
  pile w;
  const std::int32_t b = w.ball_over(PERP_GROUND, 0, 3, 2.0);
  run s(w);
  for (int k = 1; k <= 100; k++) {
    ASSERT_EQ(s.step(), PERP_OK);
    ASSERT_FALSE(asleep(s, b));
    ASSERT_NEAR(s.v(b, 2), 2.0 - kGravity * s.time(), 1e-12);
  }
}

TEST(PoolSleep, WithoutGravityWhatIsStillSleepsAndWhatMovesWakesIt) {
  pile w;
  w.options.gap_tol = 1e-9;
  const std::int32_t still = w.box(0, 0.5), comes = w.ball_over(still, 0, 3.5, -1.0);
  w.bodies6[0].f[2] = w.bodies6[1].f[2] = 0;
  run s(w);
  ASSERT_EQ(s.steps(19), PERP_OK);
  EXPECT_FALSE(asleep(s, still));
  ASSERT_EQ(s.steps(1), PERP_OK);
  EXPECT_TRUE(asleep(s, still));
  double before = energy(s);
  while (s.v(still, 2) == 0 && s.time() < 3) {
    ASSERT_TRUE(asleep(s, still));
    ASSERT_EQ(s.step(), PERP_OK);
    ASSERT_LE(energy(s), before + 1e-12);
    before = energy(s);
  }
  EXPECT_NEAR(s.time(), 2, 2 * w.options.h);
  EXPECT_NEAR(s.v(still, 2), -0.5, 1e-6);  // plastic: both go on with half of it
  EXPECT_NEAR(s.v(comes, 2), -0.5, 1e-6);
  EXPECT_FALSE(asleep(s, still));
}

// ---- waking ----

TEST(PoolSleep, AThrownBallMeetsThePileAsIfItHadNotSlept) {
  pile a, b;
  for (pile *w : {&a, &b}) {
    w->options.speed_tol = 0;
    w->pyramid(3);
    w->ball_over(5, 1.1 + 0.2, 3 + kHalf + 1.5);
  }
  static perp_nsgs_options tight = perp_nsgs_options_default();
  tight.tol = 1e-11;
  tight.max_iter = 100000;
  a.options.solver_options = b.options.solver_options = &tight;
  b.options.sleep_energy = 0;
  run x(a), y(b);
  int woken = 0, slept = 0;
  double lowest = energy(x);
  for (int k = 0; k < 140; k++) {
    ASSERT_EQ(x.step(), PERP_OK) << k << x.info.field;
    ASSERT_EQ(y.step(), PERP_OK) << k << y.info.field;
    ASSERT_LE(energy(x), lowest + 1e-6);
    lowest = std::min(lowest, energy(x));
    slept += asleep(x, 0) ? 1 : 0;
    woken += slept > 0 && !asleep(x, 0) ? 1 : 0;
    for (std::int32_t j = 0; j < 7; j++) {
      for (std::size_t c = 0; c < 7; c++) ASSERT_NEAR(x.q(j, c), y.q(j, c), 1e-5) << k;
      for (std::size_t c = 0; c < 6; c++) ASSERT_NEAR(x.v(j, c), y.v(j, c), 1e-3) << k;
    }
  }
  EXPECT_GT(slept, 50);
  EXPECT_GT(woken, 5);
}

struct kick {
  double at, size;
};

std::int32_t pull(double t, const double *, const double *, double *f, void *user) {
  const kick *k = static_cast<const kick *>(user);
  f[0] = f[1] = 0;
  f[2] = t > k->at ? k->size : 0;
  return 0;
}

TEST(PoolSleep, AForceThatChangesWakesInThatStep) {
  pile w;
  kick up = {0.7525, 2 * kGravity};
  w.box_on(0, kHalf, PERP_GROUND, PERP_GROUND);
  const std::int32_t top = w.box_on(0, kHalf + 1, 0, 0);
  w.bodies6[1].force = pull;
  w.bodies6[1].user = &up;
  run s(w);
  ASSERT_EQ(s.status, PERP_OK) << s.info.field;
  until_awake(s, 0);
  while (s.time() + w.options.h <= up.at) {
    ASSERT_EQ(s.step(), PERP_OK);
    ASSERT_EQ(perp_simulation_awake(s.sim), 0);
  }
  ASSERT_EQ(s.step(), PERP_OK);
  EXPECT_EQ(perp_simulation_awake(s.sim), 2);
  EXPECT_NEAR(s.v(top, 2), kGravity * w.options.h, 1e-9);
}

std::int32_t sway(double t, const double *, const double *, double *f, void *) {
  f[0] = 0.1 * std::sin(40 * t);
  f[1] = f[2] = 0;
  return 0;
}

TEST(PoolSleep, WhatAForcePushesInTurnDoesNotSleep) {
  pile w;
  w.box_on(0, kHalf, PERP_GROUND, PERP_GROUND);
  w.bodies6[0].force = sway;
  run s(w);
  for (int k = 0; k < 100; k++) {
    ASSERT_EQ(s.step(), PERP_OK);
    ASSERT_EQ(perp_simulation_awake(s.sim), 1) << k;
  }
}

TEST(PoolSleep, WithoutItsSupportThePileFallsInThatStep) {
  pile w;
  w.options.switchable = 1;
  w.box_on(0, kHalf, PERP_GROUND, PERP_GROUND);
  w.box_on(0, kHalf + 1, 0, 0);
  w.box_on(0, kHalf + 2, 1, 1);
  run s(w);
  until_awake(s, 0);
  ASSERT_EQ(perp_simulation_set_active(s.sim, 0, 0), PERP_OK);
  EXPECT_EQ(perp_simulation_awake(s.sim), 2);
  EXPECT_EQ(s.report().asleep, 0);
  ASSERT_EQ(s.step(), PERP_OK);
  for (std::int32_t j = 1; j < 3; j++) EXPECT_NEAR(s.v(j, 2), -kGravity * w.options.h, 1e-6);
  EXPECT_EQ(s.v(0, 2), 0);
}

TEST(PoolSleep, MovingGroundWakesAndKeepsAwake) {
  pile w;
  w.belt = [](double t) { return std::array<double, 3>{t > 0.5 && t < 1 ? 0.3 : 0, 0, 0}; };
  w.pyramid(2);
  run s(w);
  until_awake(s, 0);
  while (s.time() <= 0.5) {
    ASSERT_EQ(perp_simulation_awake(s.sim), 0);
    ASSERT_EQ(s.step(), PERP_OK);
  }
  ASSERT_EQ(s.step(), PERP_OK);
  ASSERT_EQ(perp_simulation_awake(s.sim), 3);
  EXPECT_GT(s.v(0, 0), 0.5 * 0.5 * kGravity * w.options.h);  // friction has begun to pull
  while (s.time() < 1) {
    ASSERT_EQ(perp_simulation_awake(s.sim), 3);
    ASSERT_EQ(s.step(), PERP_OK);
  }
  EXPECT_NEAR(s.v(0, 0), 0.3, 1e-3);
  until_awake(s, 0);
}

// A box held on a belt by a wall rests, and is pushed nevertheless.
TEST(PoolSleep, WhatStandsOnMovingGroundDoesNotSleep) {
  pile w;
  w.belt = [](double) { return std::array<double, 3>{0.3, 0, 0}; };
  w.box_on(0, kHalf, PERP_GROUND, PERP_GROUND);
  run *seen = nullptr;
  w.more = [&](double, std::vector<perp_pool_contact> &out) {
    const double x = seen != nullptr && seen->sim != nullptr ? seen->q(0, 0) : 0;
    perp_pool_contact c = contact_of(0, PERP_GROUND, -x, {-1, 0, 0});
    c.identity[0] = 77;
    c.place.a[0] = c.place.b[0] = x + kHalf;
    c.place.a[2] = c.place.b[2] = 0.1;
    out.push_back(c);
  };
  run s(w);
  seen = &s;
  for (int k = 0; k < 100; k++) {
    ASSERT_EQ(s.step(), PERP_OK) << s.info.field;
    ASSERT_EQ(perp_simulation_awake(s.sim), 1) << k;
  }
  EXPECT_NEAR(s.v(0, 0), 0, 1e-3);
}

TEST(PoolSleep, GroundThatIsTakenAwayOrAddedWakesWhereItIsTold) {
  for (const double sign : {1.0, -1.0}) {
    pile w;
    w.box_on(0, kHalf, PERP_GROUND, PERP_GROUND);
    w.margin = 10;
    double sinks = 0;
    w.more = [&](double, std::vector<perp_pool_contact> &out) {
      for (auto &c : out) c.place.gap += sinks;
      if (sinks >= 0) return;
      out.resize(4);
      perp_pool_contact c = contact_of(0, PERP_GROUND, -1e-3, {1, 0, 0});
      for (auto &o : out) o.place.gap -= sinks;
      c.identity[0] = 78;
      c.place.a[0] = c.place.b[0] = -kHalf;
      c.place.a[2] = c.place.b[2] = kHalf;
      out.push_back(c);
    };
    run s(w);
    until_awake(s, 0);
    ASSERT_EQ(s.steps(3), PERP_OK);
    ASSERT_EQ(perp_simulation_awake(s.sim), 0);
    sinks = sign;
    ASSERT_EQ(s.step(), PERP_OK);
    EXPECT_EQ(perp_simulation_awake(s.sim), 1) << sign;
    if (sign > 0) {
      EXPECT_NEAR(s.v(0, 2), -kGravity * w.options.h, 1e-12);
    }
  }
}

TEST(PoolSleep, WhatOthersWriteIntoTheStateWakes) {
  for (const int which : {0, 1, 2}) {
    pile w;
    w.pyramid(2);
    run s(w);
    until_awake(s, 0);
    const double *q = perp_simulation_q(s.sim, 2), *v = perp_simulation_v(s.sim, 2);
    const auto *base = static_cast<const unsigned char *>(perp_simulation_state(s.sim, nullptr));
    auto saved = s.bytes();
    const double height = q[2] + 0.5, speed = 1;
    const auto offset = [&](const double *p) {
      return static_cast<std::size_t>(reinterpret_cast<const unsigned char *>(p) - base);
    };
    if (which == 1) std::memcpy(saved.data() + offset(q + 2), &height, sizeof height);
    if (which == 2) std::memcpy(saved.data() + offset(v + 2), &speed, sizeof speed);
    run t(w.model, w.options, 0, saved.data());
    ASSERT_EQ(t.status, PERP_OK) << t.info.field;
    EXPECT_EQ(perp_simulation_awake(t.sim), which == 0 ? 0 : 3);
    EXPECT_EQ(t.report().asleep, which == 0 ? 3 : 0);
    ASSERT_EQ(t.step(), PERP_OK);
    if (which > 0) {
      EXPECT_NEAR(t.v(2, 2), which - 1 - kGravity * w.options.h, 1e-9);
    }
  }
}

TEST(PoolSleep, WakingByHandLetsChangedConstantsAct) {
  pile w;
  w.pyramid(2);
  run s(w);
  until_awake(s, 0);
  w.bodies6[2].f[2] = +kGravity;
  ASSERT_EQ(s.steps(2), PERP_OK);
  EXPECT_EQ(s.v(2, 2), 0);
  ASSERT_EQ(perp_simulation_wake(s.sim, 0), PERP_OK);  // one of the island is enough
  EXPECT_EQ(perp_simulation_awake(s.sim), 3);
  EXPECT_EQ(contacts(s).size(), 12u);
  ASSERT_EQ(s.step(), PERP_OK);
  EXPECT_NEAR(s.v(2, 2), kGravity * w.options.h, 1e-9);
  EXPECT_EQ(perp_simulation_wake(nullptr, 0), PERP_EINVAL);
  EXPECT_EQ(perp_simulation_wake(s.sim, -1), PERP_EINVAL);
  EXPECT_EQ(perp_simulation_wake(s.sim, 3), PERP_EINVAL);
  EXPECT_EQ(perp_simulation_is_asleep(nullptr, 0), 0);
  EXPECT_EQ(perp_simulation_is_asleep(s.sim, -1), 0);
  EXPECT_EQ(perp_simulation_is_asleep(s.sim, 3), 0);
  EXPECT_EQ(perp_simulation_awake(nullptr), 0);
}

TEST(PoolSleep, WakingWithinAStepIsRefused) {
  pile w;
  w.box_on(0, kHalf, PERP_GROUND, PERP_GROUND);
  run *seen = nullptr;
  std::int32_t refused = 0;
  w.more = [&](double, std::vector<perp_pool_contact> &) {
    if (seen != nullptr) refused += perp_simulation_wake(seen->sim, 0) == PERP_EINVAL ? 1 : 0;
  };
  run s(w);
  seen = &s;
  ASSERT_EQ(s.steps(3), PERP_OK);
  EXPECT_EQ(refused, 3);
}

TEST(PoolSleep, IslandsSleepEachForItself) {
  pile w;
  w.pyramid(2);
  w.box_on(10, kHalf, PERP_GROUND, PERP_GROUND);
  w.box_on(10, kHalf + 1, 3, 3);
  w.ball_over(4, 10, 2 + kHalf + 2.0);
  run s(w);
  until_awake(s, 1);  // the ball
  EXPECT_FALSE(asleep(s, 5));
  ASSERT_EQ(s.steps(5), PERP_OK);
  EXPECT_EQ(s.report().asleep, 5);
  const vec q(perp_simulation_q(s.sim, 0), perp_simulation_q(s.sim, 0) + 21);
  int met = 0;
  for (int k = 0; k < 200 && met == 0; k++) {
    ASSERT_EQ(s.step(), PERP_OK);
    met += asleep(s, 4) ? 0 : 1;
  }
  EXPECT_EQ(met, 1);
  EXPECT_FALSE(asleep(s, 3));
  for (std::int32_t j = 0; j < 3; j++) EXPECT_TRUE(asleep(s, j));
  EXPECT_NEAR(lift_of_ground(s), 3 * kGravity + lift_of_ground(s) - 3 * kGravity, 1e-9);
  until_awake(s, 0);
  EXPECT_NEAR(lift_of_ground(s), 6 * kGravity, 1e-3 * 6 * kGravity);
  for (std::size_t c = 0; c < 21; c++) EXPECT_EQ(perp_simulation_q(s.sim, 0)[c], q[c]);
}

// ---- what a step promises ----

TEST(PoolSleep, AFailedStepLeavesTheStateAndWhoSleeps) {
  pile a, b;
  for (pile *w : {&a, &b}) {
    w->pyramid(2);
    w->ball_over(2, 0.55, 2 + kHalf + 1.5);
  }
  run x(a), y(b);
  int failures = 0;
  for (int k = 0; k < 160; k++) {
    const auto before = x.bytes();
    const std::int32_t awake = perp_simulation_awake(x.sim);
    for (const std::int32_t nth : {0, 1}) { /* the second: where something has woken */
      a.fail_at = a.calls + nth;
      a.answer = -1;
      run trial(a.model, a.options, 0, before.data());
      ASSERT_EQ(trial.status, PERP_OK);
      const perp_status answer = trial.step();
      if (answer == PERP_OK) continue;
      failures += nth;
      ASSERT_EQ(answer, PERP_ECALLBACK);
      ASSERT_EQ(trial.bytes(), before);
      ASSERT_EQ(perp_simulation_awake(trial.sim), awake);
      a.fail_at = -1;
      ASSERT_EQ(trial.step(), PERP_OK);
      ASSERT_EQ(y.bytes(), before);
    }
    a.fail_at = -1;
    ASSERT_EQ(x.step(), PERP_OK);
    ASSERT_EQ(y.step(), PERP_OK);
    ASSERT_EQ(x.bytes(), y.bytes());
  }
  EXPECT_GE(failures, 1);
}

TEST(PoolSleep, ARunGoesOnWithTheSameBitsFromAnyOfItsStates) {
  pile w;
  w.pyramid(3);
  w.ball_over(5, 1.1, 3 + kHalf + 1.5);
  run s(w);
  std::vector<std::vector<unsigned char>> states;
  for (int k = 0; k < 160; k++) {
    states.push_back(s.bytes());
    ASSERT_EQ(s.step(), PERP_OK);
  }
  states.push_back(s.bytes());
  for (std::size_t k = 0; k + 1 < states.size(); k += 7) {
    run t(w.model, w.options, k % 3, states[k].data());
    ASSERT_EQ(t.status, PERP_OK) << k << t.info.field;
    ASSERT_EQ(t.bytes(), states[k]) << k;
    for (std::size_t i = k + 1; i < states.size() && i < k + 40; i++) {
      ASSERT_EQ(t.step(), PERP_OK);
      ASSERT_EQ(t.bytes(), states[i]) << k << " " << i;
    }
  }
}

void backwards(std::int32_t chunks, void (*body)(std::int32_t, std::int32_t, std::int32_t, void *),
               void *ctx, void *) {
  for (std::int32_t i = chunks; i-- > 0;) body(i, i + 1, 0, ctx);
}

TEST(PoolSleep, ThreadsGiveTheSameBits) {
  pile a, b;
  for (pile *w : {&a, &b}) {
    w->pyramid(8);
    w->ball_over(35, 3.85, 8 + kHalf + 1);
    w->options.speed_tol = 1e-4;
  }
  b.options.parallel = backwards;
  run x(a), y(b);
  int slept = 0;
  for (int k = 0; k < 150; k++) {
    ASSERT_EQ(x.step(), PERP_OK);
    ASSERT_EQ(y.step(), PERP_OK);
    ASSERT_EQ(x.bytes(), y.bytes()) << k;
    slept += asleep(x, 0) ? 1 : 0;
  }
  EXPECT_GT(slept, 5);
}

TEST(PoolSleep, AStepThatIsHalvedWakesToo) {
  pile w;
  w.options.on_failure = PERP_FAILURE_RETRY;
  w.pyramid(2);
  w.ball_over(2, 0.55, 2 + kHalf + 1.5);
  run s(w);
  until_awake(s, 1);
  std::int32_t before = w.calls;
  while (asleep(s, 0)) {
    before = w.calls;
    const auto saved = s.bytes();
    run t(w.model, w.options, 0, saved.data());
    w.fail_at = w.calls + 1;  // a second look in a step: something wakes
    w.answer = 1;
    const perp_status answer = t.step();
    const bool halved = w.calls > w.fail_at;
    w.fail_at = -1;
    ASSERT_EQ(answer, PERP_OK) << t.info.field;
    if (halved) {
      EXPECT_GE(t.report().retries, 1);
    }
    ASSERT_EQ(s.step(), PERP_OK);
  }
  EXPECT_GT(w.calls, before);
}

TEST(PoolSleep, ForcesStayWhereTheStepLengthChanges) {
  pile w;
  w.pyramid(2);
  run s(w);
  until_awake(s, 0);
  ASSERT_EQ(perp_simulation_advance(s.sim, 1e-3, &s.info), PERP_OK);
  EXPECT_NEAR(lift_of_ground(s), 3 * kGravity, 1e-3 * 3 * kGravity);
  ASSERT_EQ(s.step(), PERP_OK);
  EXPECT_NEAR(lift_of_ground(s), 3 * kGravity, 1e-3 * 3 * kGravity);
}

TEST(PoolSleep, SleepersHoldTheirPlacesAndWhatTouchesThemWakesThemAnyway) {
  pile w(12);  // those of the three boxes
  w.pyramid(2);
  const std::int32_t ball = w.ball_over(2, 0.55, 2 + kHalf + 1.5);
  w.margin = 0.5;
  for (const bool tells : {true, false}) {
    w.tells_all = tells;
    w.calls = 0;
    run s(w);
    until_awake(s, 1);
    while (s.q(ball, 2) > 2 + kHalf + 0.3) {
      ASSERT_EQ(s.step(), PERP_OK);
      ASSERT_TRUE(asleep(s, 2));
    }
    EXPECT_GT(s.report().dropped, 0);  // the ball's: there is no place for it
    const auto saved = s.bytes();
    run fresh(w.model, w.options, 0, saved.data());  // in memory that nobody has cleared
    ASSERT_EQ(fresh.step(), PERP_OK);
    EXPECT_TRUE(asleep(fresh, 2));
    EXPECT_EQ(fresh.report().dropped, 1);
    EXPECT_EQ(contacts(s).size(), 12u);
    EXPECT_NEAR(lift_of_ground(s), 3 * kGravity, 1e-3 * 3 * kGravity);
    while (asleep(s, 2) && s.time() < 2) ASSERT_EQ(s.step(), PERP_OK);
    EXPECT_FALSE(asleep(s, 2));
    EXPECT_NEAR(s.q(ball, 2), 2 + kHalf, 6 * w.options.h);
  }
}

// ---- hostile ----

TEST(PoolSleep, OptionsThatAreNoneAreRefusedByName) {
  const struct {
    double energy, time;
    perp_status status;
    const char *field;
  } bad[] = {
      {-1, 0.5, PERP_EINVAL, "sleep_energy"},       {kNan, 0.5, PERP_ENOTFINITE, "sleep_energy"},
      {kInf, 0.5, PERP_ENOTFINITE, "sleep_energy"}, {1e-3, 0, PERP_EINVAL, "sleep_time"},
      {1e-3, -1, PERP_EINVAL, "sleep_time"},        {1e-3, kNan, PERP_ENOTFINITE, "sleep_time"},
      {1e-3, kInf, PERP_ENOTFINITE, "sleep_time"}};
  for (const auto &b : bad) {
    pile w;
    w.pyramid(1);
    w.options.sleep_energy = b.energy;
    w.options.sleep_time = b.time;
    run s(w);
    EXPECT_EQ(s.status, b.status);
    EXPECT_STREQ(s.info.field, b.field);
  }
  pile reduced;
  reduced.pyramid(1);
  reduced.options.formulation = PERP_FORMULATION_REDUCED;
  run s(reduced);
  EXPECT_EQ(s.status, PERP_EUNSUPPORTED);
  EXPECT_STREQ(s.info.field, "sleep_energy");
  EXPECT_EQ(perp_simulation_options_default().sleep_energy, 0);
  EXPECT_EQ(perp_simulation_options_default().sleep_time, 0.5);
}

TEST(PoolSleep, AStateInWhichNobodyCouldSleepIsRefused) {
  pile w;
  w.pyramid(2);
  run s(w);
  until_awake(s, 0);
  ASSERT_EQ(s.steps(2), PERP_OK);
  const auto good = s.bytes();
  const std::size_t entries = 3 * 2 * sizeof(double), first = good.size() - entries;
  for (const double wrong : {kNan, kInf, -0.5, -2.0, -7.0, -1e300, 0.0}) {
    for (std::size_t j = 0; j < 3; j++) {
      if (wrong == -2.0 && j == 1) continue;  // an island of its own
      auto bytes = good;
      std::memcpy(bytes.data() + first + 16 * j, &wrong, sizeof wrong);
      run t(w.model, w.options, 0, bytes.data());
      EXPECT_EQ(t.status, PERP_EINVAL) << wrong << " " << j;
      EXPECT_STREQ(t.info.field, "state.pool");
    }
  }
  // Places in disorder: what sleeps is at the end.
  std::int32_t refused = 0;
  for (std::size_t byte = 0; byte < good.size(); byte += SANITIZED ? 12 : 4) {
    auto bytes = good;
    bytes[byte] = static_cast<unsigned char>(bytes[byte] ^ 5);
    run t(w.model, w.options, 0, bytes.data());
    if (t.status != PERP_OK)
      refused++;
    else
      (void)t.steps(2);
  }
  EXPECT_GT(refused, 10);
}

}  // namespace
