// SPDX-License-Identifier: MIT
// Contacts that come and go (compiled a second time for those that are swept, which take fewer
// laws): judged against the same contacts given once for all, and by analysis.
#include <gtest/gtest.h>
#include <perp/contact_list.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "pool_scenes.hpp"

namespace {

using tools::add_grains;
using tools::at;
using tools::contact_of;
using tools::grain;
using tools::kGravity;
using tools::pooled;
using tools::run;
using tools::vec;
using tools::world;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// A column of n grains, well apart, over one another.
void make_column(world &w, std::int32_t n, double r, double spacing) {
  perp_lagrangian_linear &s = grain(w, 0.5);
  for (std::int32_t i = 0; i < n; i++) {
    w.add(s.system);
    w.q0.insert(w.q0.end(), {0, 0, r + 0.1 + spacing * i});
    w.v0.insert(w.v0.end(), {0, 0, -0.1 * i});
  }
  w.options.h = 2e-3;
}

TEST(Pool, MovesAsTheSameContactsGivenOnceForAll) {
  const std::int32_t n = 4;
  const double r = 0.05;
  world fixed;
  make_column(fixed, n, r, 0.13);
  perp_lagrangian_linear_relation &floor = fixed.contact(1, 3, {0, 0, 1});
  perp_lagrangian_linear_relation &pair = fixed.contact(1, 6, {0, 0, 1, 0, 0, -1});
  floor.b = fixed.keep({-r});
  pair.b = fixed.keep({-2 * r});
  const perp_law *law = fixed.impact(0.4);
  for (std::int32_t i = 0; i < n; i++) {
    fixed.join(floor.relation, law, {i});
    if (i > 0) fixed.join(pair.relation, law, {i, i - 1});
  }
  pooled loose(2 * n);
  make_column(loose, n, r, 0.13);
  loose.law(loose.impact(0.4));
  loose.find = [&](double, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
    add_grains(sim, n, r, 0.02, out);
    return 0;
  };
  run a(fixed), b(loose);
  ASSERT_EQ(a.status, PERP_OK);
  ASSERT_EQ(b.status, PERP_OK) << b.info.field;
  for (int k = 0; k < 600; k++) {
    ASSERT_EQ(a.step(), PERP_OK);
    ASSERT_EQ(b.step(), PERP_OK) << b.info.field;
    for (std::int32_t i = 0; i < n; i++)
      for (std::size_t c = 0; c < 3; c++) {
        ASSERT_NEAR(a.q(i, c), b.q(i, c), 1e-9) << k;
        ASSERT_NEAR(a.v(i, c), b.v(i, c), 1e-7) << k;
      }
  }
  EXPECT_NEAR(b.v(n - 1, 2), 0, 1e-6);
  EXPECT_GT(static_cast<double>(b.report().impacts), 5);
  EXPECT_EQ(static_cast<double>(b.report().dropped), 0);
}

TEST(Pool, FrictionOnTheGroundIsThatOfAFixedContact) {
  const double r = 0.1;
  const auto fill = [&](world &w) {
    w.add(grain(w, 2).system);
    w.q0 = {0, 0, r + 0.05};
    w.v0 = {1, -0.5, 0};
    w.options.solver = perp_solver_nsgs();
    w.options.h = 1e-3;
  };
  world fixed;
  fill(fixed);
  perp_lagrangian_linear_relation &floor = fixed.contact(3, 3, {0, 1, 0, 0, 0, 1, 1, 0, 0});
  floor.b = fixed.keep({-r, 0, 0});
  fixed.join(floor.relation, fixed.friction(3, 0.3, 0.5), {0});
  pooled loose(1);
  fill(loose);
  loose.law(loose.friction(3, 0.3, 0.5));
  loose.find = [&](double, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
    add_grains(sim, 1, r, 0.01, out);
    return 0;
  };
  run a(fixed), b(loose);
  ASSERT_EQ(b.status, PERP_OK);
  for (int k = 0; k < 1000; k++) {
    ASSERT_EQ(a.step(), PERP_OK);
    ASSERT_EQ(b.step(), PERP_OK);
    for (std::size_t c = 0; c < 3; c++) ASSERT_NEAR(a.q(0, c), b.q(0, c), 1e-10) << k;
  }
  EXPECT_NEAR(b.v(0, 0), 0, 1e-10);
}

// A heap that settles: many contacts, found in an order that changes.
struct heap : pooled {
  std::int32_t n;
  std::mt19937 random{7};
  bool shuffled = false;
  explicit heap(std::int32_t grains) : pooled(4 * grains), n(grains) {
    perp_lagrangian_linear &s = grain(*this, 1);
    std::mt19937 place(3);
    std::uniform_real_distribution<double> jitter(-0.01, 0.01);
    for (std::int32_t i = 0; i < n; i++) {
      add(s.system);
      q0.insert(q0.end(), {0.12 * (i % 3) + jitter(place), 0.12 * (i / 3 % 3) + jitter(place),
                           0.06 + 0.11 * (i / 9)});
    }
    options.h = 2e-3;
    law(friction(3, 0.5));
    find = [this](double, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
      add_grains(sim, n, 0.05, 0.02, out);
      if (shuffled) std::shuffle(out.begin(), out.end(), random);
      return 0;
    };
  }
};

TEST(Pool, TheOrderOfAdditionDoesNotMatter) {
  heap a(18), b(18);
  b.shuffled = true;
  run x(a), y(b);
  ASSERT_EQ(x.status, PERP_OK) << x.info.field;
  for (int k = 0; k < 150; k++) {
    ASSERT_EQ(x.step(), PERP_OK) << k << x.info.field;
    ASSERT_EQ(y.step(), PERP_OK) << k;
    ASSERT_EQ(x.bytes(), y.bytes()) << k;
  }
}

// Rows of grains on the floor, each with its neighbour: more contacts than a thread takes in one
// go.
struct rows : pooled {
  static constexpr std::int32_t n = 330;
  perp_complementarity push;
  std::function<void(std::vector<perp_pool_contact> &)> spoil = [](auto &) {};

  explicit rows(std::int32_t capacity) : pooled(capacity) {
    perp_complementarity_init(&push, sizeof push);
    law(&push.law);
    perp_lagrangian_linear &s = grain(*this, 0.5);
    for (std::int32_t i = 0; i < n; i++) {
      add(s.system);
      q0.insert(q0.end(), {0.1 * i, 0, 0.05 + 1e-3 * (i % 7)});
      v0.insert(v0.end(), {i % 3 == 0 ? 0.1 : -0.1, 0, 0});
    }
    options.h = 1e-3;
    find = [this](double, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
      for (std::int32_t i = 0; i < n; i++) {
        const double *a = perp_simulation_q(sim, i), *b = i > 0 ? a - 3 : nullptr;
        if (b != nullptr) out.push_back(contact_of(i, i - 1, a[0] - b[0] - 0.1, {1, 0, 0}));
        out.push_back(contact_of(i, PERP_GROUND, a[2] - 0.05, {0, 0, 1}));
      }
      spoil(out);
      return 0;
    };
  }
};

TEST(Pool, ManyAtOnceByThreadsAreWhatTheyAreOneByOne) {
  const struct {
    const char *what;
    std::int32_t capacity;
    std::function<void(std::vector<perp_pool_contact> &)> spoil;
  } cases[] = {
      {"all", 700, [](auto &) {}},
      {"as many as there is room for", 659, [](auto &) {}},
      {"more", 600, [](auto &) {}},
      {"none", 700, [](auto &c) { c.clear(); }},
      {"one that is none", 700, [](auto &c) { c[300].law = 7; }},
      {"two, the later in an earlier part", 700,
       [](auto &c) { c[330].law = 7, c[329].place.gap = kNan; }},
      {"one key twice", 700, [](auto &c) { c[500] = c[100]; }},
  };
  for (const auto &c : cases) {
    rows one(c.capacity), many(c.capacity), threaded(c.capacity);
    many.at_once = threaded.at_once = true;
    threaded.options.parallel = tools::in_threads;
    run a(one), b(many), d(threaded);
    ASSERT_EQ(a.status, PERP_OK) << c.what << a.info.field;
    for (int k = 0; k < 6; k++) {
      if (k == 3) one.spoil = many.spoil = threaded.spoil = c.spoil;
      if (k == 5) one.spoil = many.spoil = threaded.spoil = [](auto &) {};
      const perp_status status = a.step();
      for (run *r : {&b, &d}) {
        ASSERT_EQ(r->step(), status) << c.what << k;
        ASSERT_EQ(r->bytes(), a.bytes()) << c.what << k;
        EXPECT_EQ(r->report().dropped, a.report().dropped) << c.what;
        if (status == PERP_OK) continue;
        EXPECT_STREQ(r->info.field, a.info.field) << c.what;
        EXPECT_EQ(r->info.index, a.info.index) << c.what;
        EXPECT_EQ(r->info.systems[0], a.info.systems[0]) << c.what;
      }
      if (status != PERP_OK) continue;
      EXPECT_EQ(many.answers, one.answers) << c.what;
      EXPECT_EQ(threaded.answers, one.answers) << c.what;
    }
  }
}

TEST(Pool, ManyThatAreNoneAreRefusedByName) {
  for (const std::int32_t n : {-1, 1}) {
    rows w(700);
    w.pool.user = const_cast<std::int32_t *>(&n);
    w.pool.find = [](double, const perp_simulation *, perp_pool_writer *out, void *user) {
      EXPECT_EQ(perp_pool_add_all(out, *static_cast<std::int32_t *>(user), nullptr, nullptr),
                PERP_EINVAL);
      return 0;
    };
    run r(w);
    EXPECT_EQ(r.status, PERP_EINVAL) << n;
    EXPECT_STREQ(r.info.field, "contacts") << n;
    EXPECT_EQ(r.info.value, n);
  }
}

TEST(Pool, ManyAtOnceLeaveOutWhatIsSwitchedOff) {
  rows one(700), many(700);
  many.at_once = true;
  one.options.switchable = many.options.switchable = 1;
  run a(one), b(many);
  for (run *r : {&a, &b}) {
    ASSERT_EQ(perp_simulation_set_active(r->sim, 200, 0), PERP_OK);
    ASSERT_EQ(r->steps(3), PERP_OK);
  }
  EXPECT_EQ(a.bytes(), b.bytes());
  EXPECT_EQ(many.answers, one.answers);
}

TEST(Pool, ARunGoesOnWithTheSameBits) {
  heap a(18);
  run x(a);
  ASSERT_EQ(x.steps(60), PERP_OK);
  const auto saved = x.bytes();
  run y(a.model, a.options, 3, saved.data());
  ASSERT_EQ(y.status, PERP_OK) << y.info.field;
  for (int k = 0; k < 60; k++) {
    ASSERT_EQ(x.step(), PERP_OK);
    ASSERT_EQ(y.step(), PERP_OK);
    ASSERT_EQ(x.bytes(), y.bytes()) << k;
  }
}

#ifndef PERP_TESTS_SWEPT
TEST(Pool, WhatStandsAgainStartsFromItsReaction) {
  // resting on the floor under a column: the start is the solution unless the identity changes
  const auto iterations = [](bool forgetful) {
    pooled w(8);
    perp_lagrangian_linear &s = grain(w, 1);
    for (std::int32_t i = 0; i < 6; i++) {
      w.add(s.system);
      w.q0.insert(w.q0.end(), {0, 0, 0.05 + 0.1 * i});
    }
    w.law(w.impact(0));
    std::uint32_t clock = 0;
    w.find = [&](double, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
      add_grains(sim, 6, 0.05, 0.02, out);
      clock++;
      for (auto &c : out) c.identity[1] = forgetful ? clock : 5;
      return 0;
    };
    run r(w);
    EXPECT_EQ(r.steps(20), PERP_OK);
    const double settling = static_cast<double>(r.report().solver_iterations);
    EXPECT_EQ(r.steps(20), PERP_OK);
    return static_cast<double>(r.report().solver_iterations) - settling;
  };
  EXPECT_LE(iterations(false), 20);
  EXPECT_GE(iterations(true), 80);
}
#endif

TEST(Pool, EmptyPlacesDoNoWork) {
  pooled w(8);
  w.add(grain(w, 1).system);
  w.q0 = {0, 0, 1};
  w.law(w.impact(0));
  w.find = [](double, const perp_simulation *, std::vector<perp_pool_contact> &) { return 0; };
  run r(w);
  ASSERT_EQ(r.step(), PERP_OK);
  double all = 1, tangential = 1;
  EXPECT_EQ(perp_simulation_work_done(r.sim, -1, &all, &tangential), PERP_OK);
  EXPECT_EQ(all, 0);
  EXPECT_EQ(tangential, 0);
}

TEST(Pool, TheDeepestAreKeptWhereThereIsNoRoom) {
  pooled w(2);
  for (std::int32_t i = 0; i < 5; i++) w.add(grain(w, 1).system);
  w.q0 = vec(15, 0.0);
  for (std::size_t i = 0; i < 5; i++) w.q0[3 * i] = static_cast<double>(i);
  w.law(w.impact(0));
  const double gap[5] = {-1e-5, -4e-5, -2e-5, -5e-5, -3e-5};
  w.find = [&](double, const perp_simulation *, std::vector<perp_pool_contact> &out) {
    for (std::int32_t i = 0; i < 5; i++)
      out.push_back(contact_of(i, PERP_GROUND, gap[i], {0, 0, 1}));
    return 0;
  };
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  ASSERT_EQ(r.step(), PERP_OK);
  EXPECT_EQ(w.answers, (std::vector<std::int32_t>{1, 1, 1, 1, 0}));
  for (std::int32_t i = 0; i < 5; i++)
    EXPECT_EQ(r.v(i, 2) < -1e-3, i != 1 && i != 3) << i;  // what is not held falls
  EXPECT_EQ(static_cast<double>(r.report().dropped), 3);
  ASSERT_EQ(r.step(), PERP_OK);
  EXPECT_EQ(static_cast<double>(r.report().dropped), 6);
}

TEST(Pool, ABoundPerSystemKeepsItsDeepest) {
  pooled w(4);
  w.pool.max_per_system = 2;
  for (std::int32_t i = 0; i < 4; i++) w.add(grain(w, 1).system);
  w.q0 = vec(12, 0.0);
  w.law(w.impact(0));
  w.find = [&](double, const perp_simulation *, std::vector<perp_pool_contact> &out) {
    for (std::int32_t i = 1; i < 4; i++)
      out.push_back(contact_of(i, 0, -1e-5 * i, {0, 0, 1}));  // all on grain 0
    out.push_back(contact_of(0, PERP_GROUND, -1e-6, {0, 0, 1}));
    return 0;
  };
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  ASSERT_EQ(r.step(), PERP_OK) << r.info.field;
  EXPECT_EQ(static_cast<double>(r.report().dropped), 2);
  EXPECT_EQ(r.report().max_active, 2);
}

TEST(Pool, MemoryIsExactlyWhatWasAskedFor) {
  heap w(18);
  const perp_model &model = *w.finish();
  const std::size_t state_bytes = perp_simulation_state_size(&model, &w.options);
  const std::size_t work_bytes = perp_simulation_work_size(&model, &w.options);
  ASSERT_GT(work_bytes, 0u);
  const std::unique_ptr<std::uint64_t[]> state(new std::uint64_t[state_bytes / 8]);
  const std::unique_ptr<unsigned char[]> work(new unsigned char[work_bytes]);
  perp_simulation *sim = nullptr;
  EXPECT_EQ(perp_simulation_init(&sim, &model, &w.options, state.get(), state_bytes, work.get(),
                                 work_bytes - 1, nullptr),
            PERP_EWORKSPACE);
  ASSERT_EQ(perp_simulation_init(&sim, &model, &w.options, state.get(), state_bytes, work.get(),
                                 work_bytes, nullptr),
            PERP_OK);
  for (int k = 0; k < 100; k++) ASSERT_EQ(perp_simulation_step(sim, nullptr), PERP_OK);
}

#ifndef PERP_TESTS_SWEPT
// Whatever pairs are found, beside interactions that are always there: the memory is enough, and
// what is not solved says so.
TEST(Pool, AnyContactsFitIntoTheMemoryAskedFor) {
  std::mt19937 random(11);
  const auto pick = [&](std::int32_t n) {
    return static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(n));
  };
  const auto real = [&] { return std::uniform_real_distribution<double>(-1, 1)(random); };
  int solved = 0, steps = 0;
  for (int trial = 0; trial < 120; trial++) {
    pooled w(1 + pick(20));
    w.pool.max_per_system = pick(3) == 0 ? 0 : 1 + pick(5);
    w.pool.plane = pick(3) == 0;
    const std::int32_t n = 1 + pick(9), capacity = w.pool.capacity;
    perp_body body;
    perp_body_init(&body, sizeof body);
    const perp_law *rolls = w.rolling(w.pool.plane ? 3 : 5, 0.3, 0.01);
    for (std::int32_t i = 0; i < n; i++) {
      const bool turns = !w.pool.plane && pick(2) == 0;
      w.add(turns ? body.system : w.body(vec{1, 2, 0.5}).system);
      for (int c = 0; c < 3; c++) w.q0.push_back(real());
      if (turns) w.q0.insert(w.q0.end(), {1, 0, 0, 0});
      for (int c = 0; c < (turns ? 6 : 3); c++) w.v0.push_back(real());
      if (!turns && pick(2) == 0)  // it also stands on something of its own
        w.join(w.contact(2, 3, {1, 0, 0, 1, 0, 0.5}).relation, w.impact(0.2), {i});
    }
    w.law(w.impact(0.3));
    w.law(w.friction(2, 0.4));
    if (!w.pool.plane) w.law(w.friction(3, 0.4));
    if (!w.pool.plane) w.law(rolls);
    w.options.switchable = 1;
    w.options.min_gap = -HUGE_VAL;
    w.options.on_failure = PERP_FAILURE_ACCEPT;
    if (pick(3) == 0) w.options.projection = PERP_PROJECT_POSITIONS;
    w.find = [&](double, const perp_simulation *, std::vector<perp_pool_contact> &out) {
      for (std::int32_t k = pick(2 * capacity + 2); k > 0; k--) {
        const double angle = 3 * real();
        perp_pool_contact c =
            contact_of(pick(n), PERP_GROUND, 0.01 * real(), {std::cos(angle), std::sin(angle), 0});
        const std::int32_t other = pick(n);
        if (other != c.systems[0]) c.systems[1] = other;
        c.law = pick(w.pool.n_laws);
        if (c.law == 3) c.law = 2;  // some have nothing that rolls
        c.identity[0] = static_cast<std::uint32_t>(pick(3));
        for (std::size_t i = 0; i < 2; i++) c.place.a[i] = real(), c.place.b[i] = real();
        const bool again = std::any_of(out.begin(), out.end(), [&](const perp_pool_contact &o) {
          return o.systems[0] == c.systems[0] && o.systems[1] == c.systems[1] &&
                 o.identity[0] == c.identity[0];
        });
        if (!again) out.push_back(c);
      }
      return 0;
    };
    const perp_model &model = *w.finish();
    const std::size_t state_bytes = perp_simulation_state_size(&model, &w.options);
    const std::size_t work_bytes = perp_simulation_work_size(&model, &w.options);
    ASSERT_GT(work_bytes, 0u);
    const std::unique_ptr<std::uint64_t[]> state(new std::uint64_t[state_bytes / 8]);
    const std::unique_ptr<unsigned char[]> work(new unsigned char[work_bytes]);
    perp_simulation *sim = nullptr;
    perp_info info = PERP_INFO_INIT;
    ASSERT_EQ(perp_simulation_init(&sim, &model, &w.options, state.get(), state_bytes, work.get(),
                                   work_bytes, &info),
              PERP_OK)
        << info.field;
    for (int k = 0; k < 25; k++, steps++) {
      if (pick(4) == 0) {
        ASSERT_EQ(perp_simulation_set_active(sim, pick(n), pick(2)), PERP_OK);
      }
      const perp_status status = perp_simulation_step(sim, &info);
      EXPECT_GE(status, 0) << info.field;
      solved += status == PERP_OK;
      std::int32_t listed = -1, again = -1;
      EXPECT_EQ(perp_simulation_contacts(sim, nullptr, sizeof(perp_contact_view), 0, &listed),
                PERP_OK);
      EXPECT_LE(listed, capacity + 2 * n);
      std::vector<perp_contact_view> list(at(listed));
      EXPECT_EQ(
          perp_simulation_contacts(sim, list.data(), sizeof(perp_contact_view), listed, &again),
          PERP_OK);
      EXPECT_EQ(again, listed);
    }
  }
  EXPECT_GT(solved, steps / 2);
}
#endif

// --------------------------------------------------------------------------- refusals ----

struct one_grain : pooled {
  std::function<void(perp_pool_contact &)> spoil = [](perp_pool_contact &) {};
  std::int32_t answer = 0;
  one_grain() : pooled(3) {
    add(grain(*this, 1).system);
    add(grain(*this, 1).system);
    perp_lagrangian_linear &odd = body(vec{1});
    add(odd.system);
    q0 = {0, 0, 0.05, 1, 0, 0.05, 0};
    law(friction(3, 0.3));
    find = [this](double, const perp_simulation *, std::vector<perp_pool_contact> &out) {
      out.push_back(contact_of(0, PERP_GROUND, 0, {0, 0, 1}));
      out.push_back(contact_of(1, PERP_GROUND, 0, {0, 0, 1}));
      spoil(out.back());
      return answer;
    };
  }
};

TEST(Pool, AFailingCallbackLeavesTheState) {
  one_grain w;
  run r(w);
  ASSERT_EQ(r.steps(3), PERP_OK);
  const auto before = r.bytes();
  w.answer = -7;
  EXPECT_EQ(r.step(), PERP_ECALLBACK);
  EXPECT_STREQ(r.info.field, "pool.find");
  EXPECT_EQ(r.bytes(), before);
  w.answer = 2;
  EXPECT_EQ(r.step(), PERP_RETRY);
  EXPECT_EQ(r.bytes(), before);
  w.answer = 0;
  run again(w.model, w.options, 0, before.data());
  ASSERT_EQ(r.steps(5), PERP_OK);
  ASSERT_EQ(again.steps(5), PERP_OK);
  EXPECT_EQ(r.bytes(), again.bytes());
}

// The contacts have changed already when the step fails.
TEST(Pool, AStepThatFailsLaterLeavesTheContactsToo) {
  heap w(9);
  bool fails = false, retries = false;
  const auto find = w.find;
  perp_lagrangian_linear &s = w.body(vec{1});
  struct answers {
    bool *fails, *retries;
    double h;
  } user = {&fails, &retries, w.options.h};
  s.force = [](double, double *f, void *self) -> std::int32_t {
    f[0] = 0;
    return *static_cast<answers *>(self)->fails ? -1 : *static_cast<answers *>(self)->retries;
  };
  s.user = &user;
  w.add(s.system);
  w.q0.push_back(0);
  run r(w);
  ASSERT_EQ(r.steps(30), PERP_OK);
  const auto before = r.bytes();
  w.find = [&](double t, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
    const std::int32_t answer = find(t, sim, out);
    out.erase(out.begin(), out.begin() + 3);
    return answer;
  };
  fails = true;
  EXPECT_EQ(r.step(), PERP_ECALLBACK);
  EXPECT_STREQ(r.info.field, "force");
  EXPECT_EQ(r.bytes(), before);
  fails = false;
  retries = true;
  EXPECT_EQ(r.step(), PERP_RETRY);
  EXPECT_EQ(r.bytes(), before);
  retries = false;
  w.find = find;
  run again(w.model, w.options, 0, before.data());
  ASSERT_EQ(r.steps(5), PERP_OK);
  ASSERT_EQ(again.steps(5), PERP_OK);
  EXPECT_EQ(r.bytes(), again.bytes());
}

// A callback that wants shorter steps gets them; where none is short enough, nothing has changed.
TEST(Pool, AskingForAShorterStepHalvesIt) {
  one_grain w;
  w.options.on_failure = PERP_FAILURE_RETRY;
  w.options.max_halvings = 2;
  run r(w);
  ASSERT_EQ(r.steps(2), PERP_OK);
  const auto before = r.bytes();
  const auto find = w.find;
  int asked = 0;
  w.find = [&](double t, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
    const std::int32_t answer = find(t, sim, out);
    return ++asked == 1 ? 1 : answer;
  };
  ASSERT_EQ(r.step(), PERP_OK);
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(r.report().retries, 1);
  EXPECT_NEAR(r.time(), 3 * w.options.h, 1e-15);
  const auto after = r.bytes();
  EXPECT_NE(after, before);
  w.find = [&](double t, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
    (void)find(t, sim, out);
    out.pop_back();
    return ++asked % 2 == 0 ? 0 : 1;  // within any halving
  };
  asked = 0;
  EXPECT_EQ(r.step(), PERP_RETRY);
  EXPECT_EQ(r.bytes(), after);
  w.find = find;
  EXPECT_EQ(r.step(), PERP_OK);
}

// Grains that overlap are pushed apart by the projection, as fixed contacts would be.
TEST(Pool, ProjectionRemovesThePenetration) {
  pooled w(4);
  perp_lagrangian_linear &s = grain(w, 1);
  for (std::int32_t i = 0; i < 2; i++) {
    w.add(s.system);
    w.q0.insert(w.q0.end(), {0, 0, 0.0499 + 0.0998 * i});
  }
  w.law(w.impact(0));
  w.options.projection = PERP_PROJECT_POSITIONS;
  w.find = [&](double, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
    add_grains(sim, 2, 0.05, 0.01, out);
    return 0;
  };
  run r(w);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  ASSERT_EQ(r.steps(3), PERP_OK) << r.info.field;
  EXPECT_NEAR(r.q(0, 2), 0.05, 2e-8);
  EXPECT_NEAR(r.q(1, 2), 0.15, 4e-8);
}

TEST(Pool, WhatIsNoContactIsRefusedByName) {
  const struct {
    const char *field;
    perp_status status;
    std::function<void(perp_pool_contact &)> spoil;
  } cases[] = {
      {"contact.gap", PERP_ENOTFINITE, [](perp_pool_contact &c) { c.place.gap = kNan; }},
      {"contact.gap", PERP_ENOTFINITE, [](perp_pool_contact &c) { c.place.gap = -HUGE_VAL; }},
      {"contact.normal", PERP_ENOTFINITE,
       [](perp_pool_contact &c) { c.place.normal[2] = HUGE_VAL; }},
      {"contact.normal", PERP_EINVAL, [](perp_pool_contact &c) { c.place.normal[2] = 0; }},
      {"contact.normal", PERP_EINVAL, [](perp_pool_contact &c) { c.place.normal[2] = 1e200; }},
      {"contact.normal", PERP_ENOTFINITE, [](perp_pool_contact &c) { c.place.normal[1] = kNan; }},
      {"contact.normal", PERP_EINVAL, [](perp_pool_contact &c) { c.place.normal[2] = 0.9; }},
      {"contact.a", PERP_ENOTFINITE, [](perp_pool_contact &c) { c.place.a[0] = -HUGE_VAL; }},
      {"contact.b", PERP_ENOTFINITE, [](perp_pool_contact &c) { c.place.b[2] = kNan; }},
      {"contact.velocity", PERP_ENOTFINITE,
       [](perp_pool_contact &c) { c.place.velocity[2] = kNan; }},
      {"contact.tangent", PERP_ENOTFINITE, [](perp_pool_contact &c) { c.place.tangent[0] = kNan; }},
      {"contact.systems", PERP_EINVAL, [](perp_pool_contact &c) { c.systems[0] = -1; }},
      {"contact.systems", PERP_EINVAL, [](perp_pool_contact &c) { c.systems[0] = 3; }},
      {"contact.systems", PERP_EINVAL, [](perp_pool_contact &c) { c.systems[1] = 1; }},
      {"contact.systems", PERP_EINVAL, [](perp_pool_contact &c) { c.systems[1] = -2; }},
      {"contact.systems", PERP_EUNSUPPORTED, [](perp_pool_contact &c) { c.systems[1] = 2; }},
      {"contact.law", PERP_EINVAL, [](perp_pool_contact &c) { c.law = 1; }},
      {"contact.law", PERP_EINVAL, [](perp_pool_contact &c) { c.law = -1; }},
      {"contact.reserved", PERP_EINVAL, [](perp_pool_contact &c) { c.reserved = 1; }},
  };
  one_grain flawless;
  run twin(flawless);
  ASSERT_EQ(twin.steps(5), PERP_OK);
  for (const auto &c : cases) {
    one_grain w;
    run r(w);
    ASSERT_EQ(r.steps(2), PERP_OK);
    const auto before = r.bytes();
    w.spoil = c.spoil;
    perp_pool_contact spoilt = contact_of(1, PERP_GROUND, 0, {0, 0, 1});
    c.spoil(spoilt);
    EXPECT_EQ(r.step(), c.status) << c.field;
    EXPECT_STREQ(r.info.field, c.field);
    EXPECT_EQ(r.info.of, static_cast<std::uint32_t>(PERP_OF_CONTACT));
    EXPECT_EQ(r.info.index, 1);
    EXPECT_EQ(r.info.systems[0], spoilt.systems[0]);
    EXPECT_EQ(r.info.systems[1], spoilt.systems[1]);
    EXPECT_EQ(r.bytes(), before);
    run fresh(w.model, w.options);
    EXPECT_EQ(fresh.status, c.status);
    EXPECT_EQ(fresh.sim, nullptr);
    w.spoil = [](perp_pool_contact &) {};
    EXPECT_EQ(r.steps(3), PERP_OK);
    EXPECT_EQ(r.bytes(), twin.bytes()) << c.field;
  }
  EXPECT_EQ(perp_pool_add(nullptr, nullptr, nullptr), PERP_EINVAL);
}

// Two contacts of one key: which of them is the one of before could not be told.
TEST(Pool, IdentitiesThatRepeatAreRefused) {
  pooled w(4);
  for (std::int32_t i = 0; i < 3; i++) {
    w.add(grain(w, 1).system);
    w.q0.insert(w.q0.end(), {0.2 * i, 0, 0.05});
  }
  w.law(w.friction(3, 0.3));
  std::uint32_t last = 4;
  w.find = [&](double, const perp_simulation *, std::vector<perp_pool_contact> &out) {
    for (std::int32_t i = 2; i >= 0; i--) out.push_back(contact_of(i, PERP_GROUND, 0, {0, 0, 1}));
    out.push_back(contact_of(1, PERP_GROUND, 1, {0, 0, 1}));
    out.back().identity[1] = last;
    return 0;
  };
  run r(w), twin(w);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  ASSERT_EQ(twin.steps(6), PERP_OK);
  ASSERT_EQ(r.steps(3), PERP_OK);
  const auto before = r.bytes();
  last = 0;
  EXPECT_EQ(r.step(), PERP_EINVAL);
  EXPECT_STREQ(r.info.field, "contact.identity");
  EXPECT_EQ(r.info.of, static_cast<std::uint32_t>(PERP_OF_CONTACT));
  EXPECT_EQ(r.info.index, 3);
  EXPECT_EQ(r.info.value, 1);
  EXPECT_EQ(r.info.systems[0], 1);
  EXPECT_EQ(r.info.systems[1], PERP_GROUND);
  EXPECT_EQ(r.bytes(), before);
  last = 4;
  ASSERT_EQ(r.steps(3), PERP_OK);
  EXPECT_EQ(r.bytes(), twin.bytes());
}

TEST(Pool, APoolThatIsNoneIsRefusedByName) {
  const struct {
    const char *field;
    std::function<void(one_grain &)> spoil;
  } cases[] = {
      {"pool.struct_size", [](one_grain &w) { w.pool.struct_size = 8; }},
      {"pool.capacity", [](one_grain &w) { w.pool.capacity = 0; }},
      {"pool.capacity", [](one_grain &w) { w.pool.capacity = -4; }},
      {"pool.capacity", [](one_grain &w) { w.pool.capacity = INT32_MAX; }},
      {"pool.max_per_system", [](one_grain &w) { w.pool.max_per_system = -1; }},
      {"pool.plane", [](one_grain &w) { w.pool.plane = 2; }},
      {"pool.n_laws", [](one_grain &w) { w.pool.n_laws = 0; }},
      {"pool.laws", [](one_grain &w) { w.pool.laws = nullptr; }},
      {"pool.laws", [](one_grain &w) { w.law_list[0] = nullptr; }},
      {"pool.laws.size", [](one_grain &w) { w.law_list[0] = w.equality(4); }},
      {"mu", [](one_grain &w) { w.law_list[0] = w.friction(3, -1); }},
      {"pool", [](one_grain &w) { w.options.integrator = perp_integrator_schatzman_paoli(); }},
      {"pool.find", [](one_grain &w) { w.pool.find = nullptr; }},
      {"solver", [](one_grain &w) { w.options.solver = nullptr; }},
      {"pool.laws", [](one_grain &w) { w.options.solver = perp_solver_lemke(); }},
  };
  for (const auto &c : cases) {
    one_grain w;
    c.spoil(w);
    run r(w);
    EXPECT_LT(r.status, 0) << c.field;
    EXPECT_STREQ(r.info.field, c.field);
  }
}

TEST(Pool, InitialPenetrationIsRefused) {
  one_grain w;
  w.spoil = [](perp_pool_contact &c) { c.place.gap = -0.1; };
  run r(w);
  EXPECT_EQ(r.status, PERP_EINVAL);
  EXPECT_STREQ(r.info.field, "initial gap");
  EXPECT_EQ(r.info.of, static_cast<std::uint32_t>(PERP_OF_CONTACT));
  EXPECT_EQ(r.info.index, 1);
  EXPECT_EQ(r.info.systems[0], 1);
  EXPECT_EQ(r.info.systems[1], PERP_GROUND);
  EXPECT_EQ(r.sim, nullptr);
}

#ifndef PERP_TESTS_SWEPT
TEST(Pool, AStateWithImpossibleContactsIsRefused) {
  one_grain w;
  run r(w);
  ASSERT_EQ(r.steps(2), PERP_OK);
  for (const std::int32_t bad : {-5, 3, 2}) {
    auto bytes = r.bytes();
    const std::size_t place = bytes.size() - 3 * sizeof(perp_pool_contact);
    std::memcpy(bytes.data() + place, &bad, sizeof bad);
    run again(w.model, w.options, 0, bytes.data());
    EXPECT_EQ(again.status, PERP_EINVAL);
    EXPECT_STREQ(again.info.field, "state.pool");
  }
}
#endif

// ------------------------------------------------------------------------------ bodies ----

// A sphere thrown along the ground slides until it rolls: then v = 5/7 v_0.
TEST(Pool, ASlidingSphereComesToRollAtFiveSevenths) {
  const double r = 0.1, m = 2, mu = 0.2;
  pooled w(1);
  const perp_body body = tools::sphere(m, r);
  w.add(body.system);
  w.q0 = {0, 0, r, 1, 0, 0, 0};
  w.v0 = {1.4, 0.7, 0, 0, 0, 0};
  w.law(w.friction(3, mu));
  w.options.h = 1e-3;
  w.find = [&](double, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
    const double *q = perp_simulation_q(sim, 0);
    perp_pool_contact c = contact_of(0, PERP_GROUND, q[2] - r, {0, 0, 1});
    for (std::size_t i = 0; i < 2; i++) c.place.a[i] = q[i];
    c.place.a[2] = q[2] - r;
    out.push_back(c);
    return 0;
  };
  run s(w);
  ASSERT_EQ(s.status, PERP_OK) << s.info.field;
  ASSERT_EQ(s.steps(1000), PERP_OK) << s.info.field;
  EXPECT_NEAR(s.v(0, 0), 1.0, 2e-3);
  EXPECT_NEAR(s.v(0, 1), 0.5, 2e-3);
  double R[9];
  perp_rotation_matrix(perp_simulation_q(s.sim, 0) + 3, R);
  double spin[3] = {0, 0, 0};  // in the fixed frame
  for (std::size_t i = 0; i < 3; i++)
    for (std::size_t j = 0; j < 3; j++) spin[i] += R[i + 3 * j] * s.v(0, 3 + j);
  EXPECT_NEAR(spin[1] * r, s.v(0, 0), 1e-3);
  EXPECT_NEAR(-spin[0] * r, s.v(0, 1), 1e-3);
}

// Two bodies that meet centrally exchange their velocities; the pair exists only near the impact.
TEST(Pool, TwoBodiesExchangeVelocitiesInTheLineOfCentres) {
  const double r = 0.1;
  pooled w(3);
  perp_body body;
  perp_body_init(&body, sizeof body);
  w.add(body.system);
  w.add(body.system);
  w.q0 = {0, 0, 0, 1, 0, 0, 0, 0.6, 0, 0.8, 1, 0, 0, 0};
  w.v0 = {0.6, 0, 0.8, 0.1, 0.2, 0.3, 0, 0, 0, 0, 0, 0};
  w.law(w.impact(1));
  std::int32_t found = 0;
  w.find = [&](double, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
    const double *a = perp_simulation_q(sim, 0), *b = perp_simulation_q(sim, 1);
    perp_pool_contact c{};
    c.systems[1] = 1;
    double q[14];
    std::copy(a, a + 7, q);
    std::copy(b, b + 7, q + 7);
    perp_sphere_sphere geometry = {{r, r}};
    EXPECT_EQ(perp_locate_sphere_sphere(0, q, &c.place, &geometry), 0);
    if (c.place.gap < 0.1) out.push_back(c), found++;
    return 0;
  };
  run s(w);
  ASSERT_EQ(s.steps(150), PERP_OK) << s.info.field;
  EXPECT_GT(found, 5);
  EXPECT_LT(found, 60);
  for (std::size_t i = 0; i < 3; i++) EXPECT_NEAR(s.v(0, i), 0, 1e-12);
  EXPECT_NEAR(s.v(1, 0), 0.6, 1e-12);
  EXPECT_NEAR(s.v(1, 2), 0.8, 1e-12);
  EXPECT_NEAR(s.v(0, 5), 0.3, 1e-12);
}

// A disc in the plane, I = m r²/2, on a belt that moves with speed u: it rolls with (u + 2 v_0)/3.
TEST(Pool, ADiscInThePlaneRollsOnABelt) {
  const double r = 0.2, m = 3, u = -0.5;
  pooled w(2);
  perp_lagrangian_linear &disc = w.body(vec{m, m, 0.5 * m * r * r});
  disc.f = w.keep({0, -m * kGravity, 0});
  w.pool.plane = 1;
  w.add(disc.system);
  w.q0 = {0, r, 0};
  w.v0 = {1, 0, 0};
  w.law(w.friction(2, 0.3));
  w.options.h = 1e-3;
  w.find = [&](double, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
    const double *q = perp_simulation_q(sim, 0);
    perp_pool_contact c = contact_of(0, PERP_GROUND, q[1] - r, {0, 1, 0});
    c.place.a[0] = q[0];
    c.place.a[1] = q[1] - r;
    c.place.velocity[0] = u;
    out.push_back(c);
    return 0;
  };
  run s(w);
  ASSERT_EQ(s.status, PERP_OK) << s.info.field;
  ASSERT_EQ(s.steps(1000), PERP_OK) << s.info.field;
  EXPECT_NEAR(s.v(0, 0), (u + 2 * 1.0) / 3, 1e-9);
  EXPECT_NEAR(s.v(0, 0) + r * s.v(0, 2), u, 1e-9);  // of the lowest point
}

#ifndef PERP_TESTS_SWEPT
// Rolling resistance in the plane stops a disc; three rows in the plane.
TEST(Pool, RollingResistanceStopsADisc) {
  const double r = 0.2, m = 3;
  pooled w(2);
  perp_lagrangian_linear &disc = w.body(vec{m, m, 0.5 * m * r * r});
  disc.f = w.keep({0, -m * kGravity, 0});
  w.pool.plane = 1;
  w.add(disc.system);
  w.q0 = {0, r, 0};
  w.v0 = {1, 0, -1 / r};
  w.law(w.rolling(3, 0.5, 0.01));
  w.options.h = 1e-3;
  w.find = [&](double, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
    const double *q = perp_simulation_q(sim, 0);
    perp_pool_contact c = contact_of(0, PERP_GROUND, q[1] - r, {0, 1, 0});
    c.place.a[0] = q[0];
    c.place.a[1] = q[1] - r;
    out.push_back(c);
    return 0;
  };
  run s(w);
  ASSERT_EQ(s.steps(1000), PERP_OK) << s.info.field;
  // (3/2) m v̇ = -μ_r m g / r
  EXPECT_NEAR(s.v(0, 0), 1 - 2.0 / 3 * 0.01 / r * kGravity, 1e-9);
  ASSERT_EQ(s.steps(3000), PERP_OK) << s.info.field;
  EXPECT_NEAR(s.v(0, 0), 0, 1e-12);
}
#endif

// --------------------------------------------------------------------------- law states ----

#ifndef PERP_TESTS_SWEPT
// A law that counts its commits: what it has counted goes with the contact.
struct counting {
  perp_law law{};
  static double last;
};
double counting::last = 0;

TEST(Pool, TheStateOfALawStaysWhileItsContactStands) {
  static const perp_law_ops ops = [] {
    perp_law_ops o{};
    o.struct_size = sizeof o;
    o.set = PERP_SET_ORTHANT;
    o.unilateral = 1;
    o.name = "counting";
    o.state_bytes = [](const perp_law *) -> std::size_t { return 8; };
    o.state_init = [](const perp_law *, void *state) {
      const double begin = 100;
      std::memcpy(state, &begin, 8);
    };
    o.commit = [](const perp_law *, void *state, const double *, const double *) {
      std::memcpy(&counting::last, state, 8);
      counting::last += 1;
      std::memcpy(state, &counting::last, 8);
    };
    return o;
  }();
  counting law;
  law.law.ops = &ops;
  law.law.struct_size = sizeof law;
  law.law.size = 1;
  pooled w(2);
  w.add(grain(w, 1).system);
  w.law(&law.law);
  std::uint32_t identity = 4;
  bool other = false;
  w.find = [&](double, const perp_simulation *, std::vector<perp_pool_contact> &out) {
    out.push_back(contact_of(0, PERP_GROUND, 0, {0, 0, 1}));
    out.back().identity[0] = identity;
    if (other) out.push_back(contact_of(0, PERP_GROUND, 1, {0, 0, 1}));
    return 0;
  };
  run r(w);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  ASSERT_EQ(r.steps(3), PERP_OK);
  EXPECT_EQ(counting::last, 103);
  other = true;  // one whose key comes first, and which is open
  ASSERT_EQ(r.steps(2), PERP_OK);
  EXPECT_EQ(counting::last, 105);
  other = false;
  ASSERT_EQ(r.step(), PERP_OK);
  EXPECT_EQ(counting::last, 106);
  identity = 5;
  ASSERT_EQ(r.steps(2), PERP_OK);
  EXPECT_EQ(counting::last, 102);
}
#endif

}  // namespace
