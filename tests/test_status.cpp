// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <climits>
#include <cstring>
#include <set>
#include <string>

#include "perp/base.h"

namespace {

const char *const kUnknown = "unknown status";

TEST(Status, EveryPublishedValueHasItsOwnText) {
  std::set<std::string> texts;
  for (perp_status s = PERP_ENOTFINITE; s <= PERP_STORM; s++) {
    ASSERT_NE(perp_status_string(s), nullptr);
    EXPECT_STRNE(perp_status_string(s), kUnknown) << s;
    EXPECT_TRUE(texts.insert(perp_status_string(s)).second) << "text of " << s << " is not its own";
  }
  EXPECT_EQ(texts.size(), 16u);
}

TEST(Status, AnyOtherNumberIsUnknown) {
  for (perp_status s : {PERP_ENOTFINITE - 1, PERP_STORM + 1, 255, 256, 65536, 1 << 24, -250, -256,
                        INT32_MAX, INT32_MIN})
    EXPECT_STREQ(perp_status_string(s), kUnknown) << s;
}

TEST(Status, SuccessIsZeroAndErrorsAreNegative) {
  EXPECT_EQ(PERP_OK, 0);
  for (perp_status s : {PERP_EINVAL, PERP_EWORKSPACE, PERP_ECALLBACK, PERP_EUNSUPPORTED,
                        PERP_EBACKEND, PERP_ENOTFINITE})
    EXPECT_LT(s, 0);
  for (perp_status s : {PERP_MAX_ITER, PERP_RAY, PERP_INACCURATE, PERP_INFEASIBLE, PERP_STOPPED,
                        PERP_END, PERP_RETRY, PERP_UNBOUNDED, PERP_STORM})
    EXPECT_GT(s, 0);
}

TEST(Version, LibraryAndHeaderAgree) {
  EXPECT_EQ(perp_version(), PERP_VERSION);
  const std::string text = std::to_string(PERP_VERSION / 10000) + "." +
                           std::to_string(PERP_VERSION / 100 % 100) + "." +
                           std::to_string(PERP_VERSION % 100) + PERP_VERSION_SUFFIX;
  EXPECT_EQ(perp_version_string(), text);
}

TEST(Info, InitialiserNamesNothing) {
  const perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(info.struct_size, sizeof(perp_info));
  EXPECT_EQ(info.field, nullptr);
  EXPECT_EQ(info.index, -1);
  EXPECT_EQ(info.worst, -1);
  EXPECT_EQ(info.value, 0.0);
}

}  // namespace
