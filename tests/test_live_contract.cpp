// SPDX-License-Identifier: MIT
// What every simulation keeps, for models that a step evaluates anew and for all schemes: blocks at
// any alignment, nothing written beyond them, checkpoints, simulations that share nothing.
#include <gtest/gtest.h>

#include <string>

#include "model_tools.hpp"
#include "systems.h"

namespace {

using tools::run;

struct trials {
  trial list[TRIALS];
  trials() { trials_init(list); }
};

class LiveContract : public testing::TestWithParam<int> {
 protected:
  trials all;
  const trial &t = all.list[GetParam()];
  int few() const { return t.steps < 150 ? t.steps : 150; }
};

const auto name_of = [](const testing::TestParamInfo<int> &info) {
  const trials all;
  std::string name = all.list[info.param].name;
  for (char &c : name) c = c == '-' ? '_' : c;
  return name;
};

TEST_P(LiveContract, WorksAtEveryAlignmentAndWritesNothingOutside) {
  run first(*t.model, t.options);
  ASSERT_EQ(first.status, PERP_OK) << first.info.field;
  ASSERT_EQ(first.steps(few()), PERP_OK);
  for (std::size_t alignment = 1; alignment < 64; alignment += alignment < 8 ? 1 : 9) {
    run r(*t.model, t.options, alignment);
    ASSERT_EQ(r.status, PERP_OK);
    ASSERT_EQ(r.steps(few()), PERP_OK);
    ASSERT_EQ(r.bytes(), first.bytes()) << alignment;
    for (std::size_t i = 0; i < r.shift; i++) ASSERT_EQ(r.work[i], 0xA5) << i;
    for (std::size_t i = r.shift + r.work_bytes; i < r.work.size(); i++)
      ASSERT_EQ(r.work[i], 0xA5) << i;
    unsigned char beyond[8];
    std::memcpy(beyond, reinterpret_cast<const unsigned char *>(r.state.data()) + r.state_bytes, 8);
    for (const unsigned char c : beyond) ASSERT_EQ(c, 0xA5);
  }
}

TEST_P(LiveContract, OneByteShortIsRefused) {
  const std::size_t state = perp_simulation_state_size(t.model, &t.options),
                    work = perp_simulation_work_size(t.model, &t.options);
  std::vector<std::uint64_t> s(state / 8 + 1, 0), w(work / 8 + 1, 0);
  perp_simulation *sim = nullptr;
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(
      perp_simulation_init(&sim, t.model, &t.options, s.data(), state - 1, w.data(), work, &info),
      PERP_EWORKSPACE);
  EXPECT_STREQ(info.field, "state_bytes");
  EXPECT_EQ(
      perp_simulation_init(&sim, t.model, &t.options, s.data(), state, w.data(), work - 1, &info),
      PERP_EWORKSPACE);
  EXPECT_STREQ(info.field, "work_bytes");
  EXPECT_EQ(sim, nullptr);
  for (const std::uint64_t x : s) ASSERT_EQ(x, 0u);
}

// A checkpoint goes on in blocks elsewhere, at any step.
TEST_P(LiveContract, ResumesWithTheSameBits) {
  run whole(*t.model, t.options);
  ASSERT_EQ(whole.status, PERP_OK);
  std::vector<std::vector<unsigned char>> at = {whole.bytes()};
  for (int k = 0; k < few(); k++) {
    ASSERT_EQ(whole.step(), PERP_OK);
    at.push_back(whole.bytes());
  }
  for (std::size_t k = 0; k < at.size(); k += k < 10 ? 3 : 41) {
    run again(*t.model, t.options, k % 8, at[k].data());
    ASSERT_EQ(again.status, PERP_OK) << again.info.field;
    ASSERT_EQ(again.bytes(), at[k]) << "resuming wrote into the state";
    for (std::size_t j = k + 1; j < at.size(); j++) {
      ASSERT_EQ(again.step(), PERP_OK);
      ASSERT_EQ(again.bytes(), at[j]) << "from " << k << " at " << j;
    }
  }
}

TEST_P(LiveContract, TwoSimulationsInTurnShareNothing) {
  run alone(*t.model, t.options), a(*t.model, t.options), b(*t.model, t.options, 3);
  ASSERT_EQ(alone.steps(few()), PERP_OK);
  ASSERT_EQ(b.steps(few() / 2), PERP_OK);
  for (int k = 0; k < few(); k++) {
    ASSERT_EQ(a.step(), PERP_OK);
    if (k < few() / 2) {
      ASSERT_EQ(b.step(), PERP_OK);
    }
  }
  EXPECT_EQ(a.bytes(), alone.bytes());
  if (few() % 2 == 0) {
    EXPECT_EQ(b.bytes(), alone.bytes());
  }
}

// A step length that the models cannot take leaves every byte as it was; the next step is that of a
// run which never asked.
TEST_P(LiveContract, ARefusedStepLeavesTheStateAndWhatFollows) {
  run other(*t.model, t.options);
  ASSERT_EQ(other.steps(few() / 2), PERP_OK);
  const auto before = other.bytes();
  ASSERT_EQ(other.steps(5), PERP_OK);
  int refused = 0;
  for (const double h : {1e160, 1e300, -1.0, 0.0, HUGE_VAL, static_cast<double>(NAN)}) {
    run r(*t.model, t.options, 0, before.data());
    if (perp_simulation_advance(r.sim, h, &r.info) == PERP_OK) continue; /* some can be taken */
    refused++;
    ASSERT_EQ(r.bytes(), before) << h;
    EXPECT_NE(r.info.field, nullptr) << h;
    ASSERT_EQ(r.steps(5), PERP_OK) << h;
    EXPECT_EQ(r.bytes(), other.bytes()) << h;
  }
  EXPECT_GE(refused, 4);
}

INSTANTIATE_TEST_SUITE_P(Trials, LiveContract, testing::Range(0, static_cast<int>(TRIALS)),
                         name_of);

// The trial that is there for it halves its steps.
TEST(LiveContractTrials, SomeStepsAreHalved) {
  const trials all;
  int halved = 0;
  for (const trial &t : all.list) {
    if (t.options.on_failure != PERP_FAILURE_RETRY) continue;
    run r(*t.model, t.options);
    ASSERT_EQ(r.steps(t.steps), PERP_OK);
    halved += r.report().retries;
  }
  EXPECT_GT(halved, 0);
}

}  // namespace
