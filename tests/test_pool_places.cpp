// SPDX-License-Identifier: MIT
// A pool costs by its contacts and not by its places: a step does not even look at the memory of
// the empty ones; and contacts that move up where others are gone take all that is theirs with
// them.
#include <gtest/gtest.h>
#include <perp/contact_list.h>

#include <cstring>
#include <random>

#include "pool_tools.hpp"

#if defined(__linux__)
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace {

using tools::contact_of;
using tools::grain;
using tools::pooled;
using tools::run;
using tools::vec;

// Grains side by side on the ground; those in `touching` have a contact.
struct row_of_grains : pooled {
  std::vector<bool> touching;
  row_of_grains(std::int32_t n, std::int32_t capacity, std::int32_t formulation)
      : pooled(capacity), touching(static_cast<std::size_t>(n), true) {
    perp_lagrangian_linear &s = grain(*this, 1);
    for (std::int32_t i = 0; i < n; i++) {
      add(s.system);
      q0.insert(q0.end(), {0.1 * i, 0, 0.05});
      v0.insert(v0.end(), {0.01 * i, 0, 0});
    }
    pool.max_per_system = 1;
    options.formulation = formulation;
    find = [this](double, const perp_simulation *, std::vector<perp_pool_contact> &out) {
      for (std::size_t i = 0; i < touching.size(); i++)
        if (touching[i])
          out.push_back(contact_of(static_cast<std::int32_t>(i), PERP_GROUND, 0, {0, 0, 1}));
      return 0;
    };
  }
};

#if defined(__linux__)

// ------------------------------------------------------------------------ what is touched ----

struct guarded {
  unsigned char *begin = nullptr;
  std::size_t bytes = 0;
};
guarded blocks[2];
std::size_t page = 4096, touched = 0;

// Who touches a page of a block for the first time comes here.
void open_page(int, siginfo_t *what, void *) {
  auto *at = static_cast<unsigned char *>(what->si_addr);
  for (const guarded &b : blocks) {
    if (b.begin == nullptr || at < b.begin || at >= b.begin + b.bytes) continue;
    unsigned char *start = b.begin + static_cast<std::size_t>(at - b.begin) / page * page;
    touched++;
    if (mprotect(start, page, PROT_READ | PROT_WRITE) == 0) return;
  }
  signal(SIGSEGV, SIG_DFL);
}

unsigned char *map(guarded &block, std::size_t bytes) {
  block.bytes = (bytes + page - 1) / page * page;
  void *at = mmap(nullptr, block.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_NE(at, MAP_FAILED);
  block.begin = static_cast<unsigned char *>(at);
  return block.begin;
}

// Pages of state and work that ten steps touch, contacts coming and going.
std::size_t pages(std::int32_t capacity, std::int32_t formulation, std::int32_t on_failure) {
  row_of_grains w(8, capacity, formulation);
  w.law(w.impact(0));
  w.options.on_failure = on_failure;
  const perp_model &model = *w.finish();
  const std::size_t state_bytes = perp_simulation_state_size(&model, &w.options);
  const std::size_t work_bytes = perp_simulation_work_size(&model, &w.options);
  page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  unsigned char *state = map(blocks[0], state_bytes), *work = map(blocks[1], work_bytes);
  perp_simulation *sim = nullptr;
  EXPECT_EQ(
      perp_simulation_init(&sim, &model, &w.options, state, state_bytes, work, work_bytes, nullptr),
      PERP_OK);
  struct sigaction act = {}, before = {};
  act.sa_sigaction = open_page;
  act.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &act, &before);
  touched = 0;
  for (const guarded &b : blocks) mprotect(b.begin, b.bytes, PROT_NONE);
  perp_status status = PERP_OK;
  for (std::size_t k = 0; k < 10 && status == PERP_OK; k++) {
    w.touching[(3 * k) % 8] = k % 3 == 0;
    status = perp_simulation_step(sim, nullptr);
  }
  sigaction(SIGSEGV, &before, nullptr);
  EXPECT_EQ(status, PERP_OK);
  for (guarded &b : blocks) {
    munmap(b.begin, b.bytes);
    b = guarded{};
  }
  return touched;
}

TEST(PoolPlaces, AStepLooksAtNoEmptyPlace) {
  for (const std::int32_t formulation : {PERP_FORMULATION_REDUCED, PERP_FORMULATION_GLOBAL})
    for (const std::int32_t on_failure : {PERP_FAILURE_STOP, PERP_FAILURE_RETRY}) {
      const std::size_t few = pages(1024, formulation, on_failure);
      const std::size_t many = pages(32768, formulation, on_failure);
      EXPECT_GT(few, 4u);
      // a byte of each of the other places would be 7 pages
      EXPECT_LE(many, few + 6) << formulation << " " << on_failure;
    }
}
#endif

// The size of a pool is known without a look at its places, and linear in them.
TEST(PoolPlaces, TheSizeOfAPoolIsLinearInItsPlaces) {
  for (const std::int32_t formulation : {PERP_FORMULATION_REDUCED, PERP_FORMULATION_GLOBAL}) {
    row_of_grains w(2, 1, formulation);
    w.law(w.impact(0));
    w.options.solver = perp_solver_nsgs();
    const perp_model &model = *w.finish();
    const auto size = [&](std::int32_t capacity) {
      w.pool.capacity = capacity;
      return static_cast<double>(perp_simulation_state_size(&model, &w.options)) +
             static_cast<double>(perp_simulation_work_size(&model, &w.options));
    };
    const double one = size(64), two = size(128), four = size(256), huge = size(1 << 28);
    ASSERT_GT(one, 0);
    EXPECT_NEAR(four - two, 2 * (two - one), 64);
    EXPECT_NEAR(huge / (1 << 28), (four - two) / 128, 1);
  }
}

// ------------------------------------------------------------------------ those that move ----

// A law that counts the steps of its contact.
struct counting {
  perp_law law;
  static double last[64];
  static const perp_law_ops ops;
};
double counting::last[64];
const perp_law_ops counting::ops = [] {
  perp_law_ops o{};
  o.struct_size = sizeof o;
  o.set = PERP_SET_ORTHANT;
  o.unilateral = 1;
  o.name = "counting";
  o.state_bytes = [](const perp_law *) -> std::size_t { return 16; };
  o.state_init = [](const perp_law *, void *state) { std::memset(state, 0, 16); };
  // the impulse of each grain is its own: it tells whose state this is
  o.commit = [](const perp_law *, void *state, const double *, const double *lambda) {
    double now[2];
    std::memcpy(now, state, sizeof now);
    now[0] += 1;
    now[1] = lambda[0];
    std::memcpy(state, now, sizeof now);
    counting::last[static_cast<std::size_t>(std::lround(lambda[0] / (1e-3 * tools::kGravity)))] =
        now[0];
  };
  return o;
}();

TEST(PoolPlaces, WhatMovesUpTakesItsReactionAndTheStateOfItsLawWithIt) {
  counting law{};
  law.law.ops = &counting::ops;
  law.law.struct_size = sizeof law;
  law.law.size = 1;
  pooled w(8);
  std::vector<std::int32_t> standing = {0, 1, 2, 3};
  for (std::int32_t i = 0; i < 5; i++) {
    w.add(grain(w, i + 1.0).system);
    w.q0.insert(w.q0.end(), {0.1 * i, 0, 0.05});
  }
  w.options.h = 1e-3;
  w.law(&law.law);
  w.find = [&](double, const perp_simulation *, std::vector<perp_pool_contact> &out) {
    for (const std::int32_t i : standing) out.push_back(contact_of(i, PERP_GROUND, 0, {0, 0, 1}));
    return 0;
  };
  run r(w);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  ASSERT_EQ(r.steps(3), PERP_OK);
  standing = {1, 3};  // from the second and the fourth place to the first and the second
  ASSERT_EQ(r.steps(2), PERP_OK);
  EXPECT_EQ(counting::last[2], 5);
  EXPECT_EQ(counting::last[4], 5);
  standing = {4, 3, 1, 0};  // new ones between and behind them
  ASSERT_EQ(r.steps(2), PERP_OK);
  EXPECT_EQ(counting::last[1], 2);
  EXPECT_EQ(counting::last[2], 7);
  EXPECT_EQ(counting::last[4], 7);
  EXPECT_EQ(counting::last[5], 2);
}

// Any contacts in any step, steps that fail once contacts have moved, runs that are resumed, and
// capacities: all have the bits of the run that knows none of that.
TEST(PoolPlaces, FailuresResumptionAndCapacityLeaveNoTrace) {
  std::mt19937 random(4);
  bool fails = false;
  row_of_grains w(10, 10, PERP_FORMULATION_REDUCED), wide(10, 100, PERP_FORMULATION_REDUCED);
  for (auto *each : {&w, &wide}) {
    perp_lagrangian_linear &s = each->body(vec{1});
    s.force = [](double, double *f, void *self) -> std::int32_t {
      f[0] = 0;
      return *static_cast<bool *>(self) ? -1 : 0;
    };
    s.user = &fails;
    each->add(s.system);
    each->q0.push_back(0);
    each->v0.push_back(0);
    each->law(each->friction(3, 0.3));
  }
  run r(w), large(wide);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  ASSERT_EQ(large.status, PERP_OK) << large.info.field;
  for (int k = 0; k < 200; k++) {
    const auto before = r.bytes();
    std::vector<perp_contact_view> seen(10), still(10);
    std::int32_t n = 0, m = 0;
    (void)perp_simulation_contacts(r.sim, seen.data(), sizeof seen[0], 10, &n);
    for (auto &&one : w.touching) one = random() % 3 != 0;
    fails = true;
    ASSERT_EQ(r.step(), PERP_ECALLBACK);
    ASSERT_EQ(r.bytes(), before) << k;
    (void)perp_simulation_contacts(r.sim, still.data(), sizeof still[0], 10, &m);
    ASSERT_EQ(n, m);
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); i++) {
      EXPECT_EQ(seen[i].systems[0], still[i].systems[0]);
      EXPECT_EQ(seen[i].lambda[0], still[i].lambda[0]);
    }
    fails = false;
    for (auto &&one : w.touching) one = random() % 3 != 0;
    wide.touching = w.touching;
    run again(w.model, w.options, 0, before.data());
    ASSERT_EQ(r.step(), PERP_OK);
    ASSERT_EQ(again.step(), PERP_OK);
    ASSERT_EQ(large.step(), PERP_OK);
    ASSERT_EQ(r.bytes(), again.bytes()) << k;
    for (std::int32_t i = 0; i < 10; i++)
      for (std::size_t j = 0; j < 3; j++) {
        ASSERT_EQ(r.q(i, j), large.q(i, j));
        ASSERT_EQ(r.v(i, j), large.v(i, j));
      }
  }
}

// What stands behind an empty place, or out of its order, is no state of a pool.
TEST(PoolPlaces, AStateWithContactsThatDoNotStandTogetherIsRefused) {
  row_of_grains w(3, 5, PERP_FORMULATION_REDUCED);
  w.law(w.impact(0));
  run r(w);
  ASSERT_EQ(r.steps(2), PERP_OK);
  const auto good = r.bytes();
  const std::size_t size = sizeof(perp_pool_contact), first = good.size() - 5 * size;
  const auto refused = [&](std::size_t to, std::size_t from) {
    auto bytes = good;
    std::memcpy(bytes.data() + first + to * size, good.data() + first + from * size, size);
    run again(w.model, w.options, 0, bytes.data());
    return again.status == PERP_EINVAL && std::strcmp(again.info.field, "state.pool") == 0;
  };
  EXPECT_FALSE(refused(0, 0));
  EXPECT_FALSE(refused(2, 4));  // one fewer
  EXPECT_TRUE(refused(1, 4));   // a hole
  EXPECT_TRUE(refused(0, 4));
  EXPECT_TRUE(refused(4, 2));  // behind empty ones
  EXPECT_TRUE(refused(1, 0));  // twice the same rank
  EXPECT_TRUE(refused(1, 2));  // not in order
}

}  // namespace
