// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

extern "C" {
#include "base/options.h"
}

namespace {

struct first {  // as published first
  std::uint32_t struct_size;
  std::int32_t max_iter;
  double tol;
};
struct current {  // as this library knows it
  std::uint32_t struct_size;
  std::int32_t max_iter;
  double tol;
  double added;
};
struct later {  // as a newer header has it
  std::uint32_t struct_size;
  std::int32_t max_iter;
  double tol;
  double added;
  double unknown[2];
};

const current kDefaults = {sizeof(current), 50, 1e-8, 0.25};

perp_status read(current *out, const void *in) {
  *out = kDefaults;
  return perp_options_read(out, sizeof *out, in, sizeof(first));
}

void expect_defaults(const current &o) {
  EXPECT_EQ(o.struct_size, sizeof(current));
  EXPECT_EQ(o.max_iter, 50);
  EXPECT_EQ(o.tol, 1e-8);
  EXPECT_EQ(o.added, 0.25);
}

template <class T>
T filled() {
  T o;
  std::memset(&o, 0x99, sizeof o);
  perp_options_fill(&o, sizeof o, &kDefaults, sizeof kDefaults);
  return o;
}

TEST(Options, NullMeansDefaults) {
  current o;
  EXPECT_EQ(read(&o, nullptr), PERP_OK);
  expect_defaults(o);
}

TEST(Options, FilledDefaultsReadBackForCallersOfEveryAge) {
  current o;
  const auto a = filled<first>();
  EXPECT_EQ(a.struct_size, sizeof a);
  EXPECT_EQ(read(&o, &a), PERP_OK);
  expect_defaults(o);
  const auto b = filled<current>();
  EXPECT_EQ(b.struct_size, sizeof b);
  EXPECT_EQ(read(&o, &b), PERP_OK);
  expect_defaults(o);
  const auto c = filled<later>();
  EXPECT_EQ(c.struct_size, sizeof c);
  EXPECT_EQ(c.unknown[0], 0.0);
  EXPECT_EQ(c.unknown[1], 0.0);
  EXPECT_EQ(read(&o, &c), PERP_OK);
  expect_defaults(o);
}

TEST(Options, FillStaysInsideTheCallersStruct) {
  for (std::size_t size = 0; size <= 64; size++) {
    std::vector<unsigned char> memory(80, 0xA5);
    perp_options_fill(memory.data() + 8, size, &kDefaults, sizeof kDefaults);
    for (std::size_t i = 0; i < 80; i++) {
      const bool outside = i < 8 || i >= 8 + size;
      ASSERT_TRUE(memory[i] == 0xA5 || !outside) << size << " " << i;
    }
  }
  perp_options_fill(nullptr, sizeof kDefaults, &kDefaults, sizeof kDefaults);  // survives
}

TEST(Options, AnOldCallersFieldsWinAndNewFieldsKeepTheirDefaults) {
  auto in = filled<first>();
  in.max_iter = 7;
  in.tol = 0.5;
  current o;
  EXPECT_EQ(read(&o, &in), PERP_OK);
  EXPECT_EQ(o.struct_size, sizeof(current));
  EXPECT_EQ(o.max_iter, 7);
  EXPECT_EQ(o.tol, 0.5);
  EXPECT_EQ(o.added, 0.25);
}

TEST(Options, ANewCallersKnownFieldsWin) {
  auto in = filled<later>();
  in.added = 3;
  current o;
  EXPECT_EQ(read(&o, &in), PERP_OK);
  EXPECT_EQ(o.added, 3.0);
  EXPECT_EQ(o.struct_size, sizeof(current));
}

TEST(Options, AnUnknownFieldThatIsSetIsRefusedInEveryByte) {
  for (std::size_t i = sizeof(current); i < sizeof(later); i++) {
    auto in = filled<later>();
    in.max_iter = 7;
    reinterpret_cast<unsigned char *>(&in)[i] = 1;
    current o;
    EXPECT_EQ(read(&o, &in), PERP_EINVAL) << i;
    expect_defaults(o);
  }
}

TEST(Options, AStructThatWasNeverInitialisedIsRefused) {
  current o;
  const current zero = {};
  EXPECT_EQ(read(&o, &zero), PERP_EINVAL);
  expect_defaults(o);
  // Only the size may be read of these: they stand at the end of their memory.
  for (std::uint32_t size : {1u, 4u, 15u, 17u, 4097u, 0xA5A5A5A5u, 0xFFFFFFFFu}) {
    std::vector<unsigned char> memory(sizeof size);
    std::memcpy(memory.data(), &size, sizeof size);
    EXPECT_EQ(read(&o, memory.data()), PERP_EINVAL) << size;
    expect_defaults(o);
  }
  alignas(8) unsigned char large[4100] = {};
  const std::uint32_t size = sizeof large;
  std::memcpy(large, &size, sizeof size);
  EXPECT_EQ(read(&o, large), PERP_EINVAL);
}

TEST(Options, ASizeThatNoStructHasIsRefusedAfterwards) {
  for (std::size_t size : {std::size_t{4097}, static_cast<std::size_t>(-1)}) {
    current in;
    std::memset(&in, 0x99, sizeof in);
    perp_options_fill(&in, size, &kDefaults, sizeof kDefaults);
    EXPECT_EQ(in.struct_size, 0u);
    current o;
    EXPECT_EQ(read(&o, &in), PERP_EINVAL);
  }
}

}  // namespace
