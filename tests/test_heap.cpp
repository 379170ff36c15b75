// SPDX-License-Identifier: MIT
// What perp::perp adds to the core beside LAPACK: simulations in blocks from malloc, solvers by
// name.
#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>
#include <vector>

#include "model_tools.hpp"
#include "sanitized.hpp"

namespace {

using tools::run;
using tools::world;

/** Three beads over a floor, the lowest about to hit it. */
struct column : world {
  column() {
    tools::make_column(*this, {0.01, 0.2, 0.2}, 1, 9.81, 0.5);
    finish();
  }
};

/** A simulation on the heap, 999 where create or restore should write. */
struct heap {
  perp_simulation *sim = reinterpret_cast<perp_simulation *>(999);
  perp_info info = PERP_INFO_INIT;
  perp_status status = 999;

  heap() = default;
  explicit heap(const world &w) {
    status = perp_simulation_create(&sim, &w.model, &w.options, &info);
  }
  heap(const world &w, const void *state, std::size_t bytes) {
    status = perp_simulation_restore(&sim, &w.model, &w.options, state, bytes, &info);
  }
  heap(const heap &) = delete;
  ~heap() {
    if (status == PERP_OK) perp_simulation_destroy(sim);
  }
};

void expect_same_bits(const perp_simulation *a, const perp_simulation *b) {
  EXPECT_EQ(perp_simulation_time(a), perp_simulation_time(b));
  EXPECT_EQ(perp_simulation_step_index(a), perp_simulation_step_index(b));
  for (std::int32_t i = 0; i < 3; i++) {
    EXPECT_EQ(*perp_simulation_q(a, i), *perp_simulation_q(b, i)) << i;
    EXPECT_EQ(*perp_simulation_v(a, i), *perp_simulation_v(b, i)) << i;
    EXPECT_EQ(*perp_simulation_lambda(a, i), *perp_simulation_lambda(b, i)) << i;
  }
}

void expect_refused(const heap &h, perp_status status, const char *field) {
  EXPECT_EQ(h.status, status);
  EXPECT_EQ(h.sim, nullptr);
  EXPECT_STREQ(h.info.field, field);
}

TEST(Heap, CreatedSimulationsHaveTheBitsOfThoseInBlocksOfTheCaller) {
  column w;
  run mine(w);
  heap h(w);
  ASSERT_EQ(h.status, PERP_OK);
  for (int k = 0; k < 40; k++) {
    ASSERT_EQ(perp_simulation_step(h.sim, nullptr), PERP_OK);
    ASSERT_EQ(mine.step(), PERP_OK);
    expect_same_bits(h.sim, mine.sim);
  }
}

TEST(Heap, RestoredSimulationsGoOnWithTheBitsOfTheUninterruptedRun) {
  column w;
  run mine(w);
  ASSERT_EQ(mine.steps(10), PERP_OK);
  auto copy = mine.bytes();
  heap h(w, copy.data(), copy.size());
  ASSERT_EQ(h.status, PERP_OK);
  copy.assign(copy.size(), 0x99);  // it is not needed any more
  expect_same_bits(h.sim, mine.sim);
  for (int k = 0; k < 30; k++) {
    ASSERT_EQ(perp_simulation_step(h.sim, nullptr), PERP_OK);
    ASSERT_EQ(mine.step(), PERP_OK);
    expect_same_bits(h.sim, mine.sim);
  }
}

TEST(Heap, TheStateOfACreatedSimulationIsACheckpoint) {
  column w;
  heap h(w);
  ASSERT_EQ(h.status, PERP_OK);
  for (int k = 0; k < 10; k++) ASSERT_EQ(perp_simulation_step(h.sim, nullptr), PERP_OK);
  std::size_t bytes = 999;
  const auto *state = static_cast<const unsigned char *>(perp_simulation_state(h.sim, &bytes));
  ASSERT_EQ(bytes, perp_simulation_state_size(&w.model, &w.options));
  const std::vector<unsigned char> copy(state, state + bytes);
  heap other(w, copy.data(), copy.size());
  ASSERT_EQ(other.status, PERP_OK);
  for (int k = 0; k < 30; k++) {
    ASSERT_EQ(perp_simulation_step(h.sim, nullptr), PERP_OK);
    ASSERT_EQ(perp_simulation_step(other.sim, nullptr), PERP_OK);
    expect_same_bits(h.sim, other.sim);
  }
  EXPECT_EQ(perp_simulation_state(nullptr, &bytes), nullptr);
  EXPECT_EQ(bytes, 0U);
  EXPECT_NE(perp_simulation_state(h.sim, nullptr), nullptr);
}

TEST(Heap, RestoreRefusesWhatIsNoStateOfTheModel) {
  column w;
  run mine(w);
  const auto copy = mine.bytes();
  expect_refused(heap(w, nullptr, copy.size()), PERP_EINVAL, "state");
  for (const std::size_t bytes : {std::size_t{0}, copy.size() - 1, copy.size() + 1}) {
    const heap h(w, copy.data(), bytes);
    expect_refused(h, PERP_EINVAL, "state_bytes");
    EXPECT_EQ(h.info.value, static_cast<double>(bytes));
  }
  auto foreign = copy;
  foreign[0] ^= 1U;
  const heap h(w, foreign.data(), foreign.size());
  EXPECT_EQ(h.status, PERP_EINVAL);
  EXPECT_EQ(h.sim, nullptr);
}

TEST(Heap, CreateSaysWhatInitWouldSay) {
  column w;
  w.options.h = -1;
  expect_refused(heap(w), PERP_EINVAL, "h");
  w.options.h = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(heap(w).status, run(w).status);
  w.options.h = 1e-2;
  w.q0[0] = -1;
  const heap deep(w);
  expect_refused(deep, PERP_EINVAL, "initial gap");
  EXPECT_EQ(deep.info.value, -1);
  w.q0[0] = std::numeric_limits<double>::infinity();
  const heap infinite(w);
  EXPECT_EQ(infinite.status, PERP_ENOTFINITE);
  EXPECT_EQ(infinite.sim, nullptr);
}

TEST(Heap, NullIsRefused) {
  column w;
  run mine(w);
  const auto copy = mine.bytes();
  perp_simulation *sim = reinterpret_cast<perp_simulation *>(999);
  EXPECT_EQ(perp_simulation_create(nullptr, &w.model, &w.options, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_simulation_create(&sim, nullptr, &w.options, nullptr), PERP_EINVAL);
  EXPECT_EQ(sim, nullptr);
  sim = reinterpret_cast<perp_simulation *>(999);
  EXPECT_EQ(perp_simulation_create(&sim, &w.model, nullptr, nullptr), PERP_EINVAL);
  EXPECT_EQ(sim, nullptr);
  EXPECT_EQ(
      perp_simulation_restore(nullptr, &w.model, &w.options, copy.data(), copy.size(), nullptr),
      PERP_EINVAL);
  EXPECT_EQ(perp_simulation_restore(nullptr, &w.model, &w.options, nullptr, 0, nullptr),
            PERP_EINVAL);
  EXPECT_EQ(perp_simulation_restore(&sim, nullptr, &w.options, copy.data(), copy.size(), nullptr),
            PERP_EINVAL);
  EXPECT_EQ(perp_simulation_restore(&sim, &w.model, nullptr, copy.data(), copy.size(), nullptr),
            PERP_EINVAL);
  perp_simulation_destroy(nullptr);
}

TEST(Heap, DestroyLeavesASimulationInBlocksOfTheCaller) {
  column w;
  run mine(w);
  perp_simulation_destroy(mine.sim);
  EXPECT_EQ(mine.steps(5), PERP_OK);
}

TEST(Heap, MemoryThatIsShortIsAFailureOfTheBackEnd) {
#if SANITIZED
  GTEST_SKIP() << "the sanitizer's allocator aborts where malloc says NULL";
#endif
  if (sizeof(std::size_t) < 8) GTEST_SKIP() << "such a size does not exist here";
  world w;  // 3.5 million unknowns for Lemke's method: a matrix beyond any address space
  const perp_system &body = w.body(tools::vec{1}).system;
  const perp_relation &many = w.contact(600, 1, tools::vec(600, 1.0)).relation;
  for (std::int32_t i = 0; i < 5900; i++) {
    w.add(body);
    w.join(many, w.impact(0.5), {i});
  }
  w.finish();
  ASSERT_GT(perp_simulation_work_size(&w.model, &w.options), std::size_t{1} << 47U);
  expect_refused(heap(w), PERP_EBACKEND, "malloc");
}

TEST(Heap, SolversAreFoundByTheirNames) {
  std::set<std::string> names;
  std::set<const perp_solver *> solvers;
  for (std::int32_t i = 0; i < perp_solver_count(); i++) {
    const perp_solver *s = perp_solver_at(i);
    ASSERT_NE(s, nullptr);
    EXPECT_EQ(perp_solver_find(s->name), s);
    names.insert(s->name);
    solvers.insert(s);
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(perp_solver_count()));
  EXPECT_EQ(solvers.count(perp_solver_lemke()), 1U);
  EXPECT_EQ(solvers.count(perp_solver_active_set()), 1U);
  EXPECT_EQ(perp_solver_find("lemke"), perp_solver_lemke());
  EXPECT_EQ(perp_solver_find("active-set"), perp_solver_active_set());
}

TEST(Heap, SolversThatAreNotThereAreNull) {
  constexpr std::int32_t largest = std::numeric_limits<std::int32_t>::max();
  for (const std::int32_t i : {-1, -largest - 1, perp_solver_count(), largest}) {
    EXPECT_EQ(perp_solver_at(i), nullptr) << i;
  }
  for (const char *name : {"", "lemk", "lemkes", "Lemke", " lemke"}) {
    EXPECT_EQ(perp_solver_find(name), nullptr) << name;
  }
  EXPECT_EQ(perp_solver_find(nullptr), nullptr);
}

}  // namespace
