// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

extern "C" {
#include "base/arena.h"
}

namespace {

using pieces = std::vector<std::pair<std::size_t, std::size_t>>;  // count, size

const pieces kPieces = {{3, 8}, {5, 4}, {0, 8}, {1, 1}, {7, 3}, {2, 64}, {4, 0}};

std::vector<void *> carve(arena *a, const pieces &list) {
  std::vector<void *> taken;
  for (const auto &[count, size] : list) taken.push_back(arena_take(a, count, size));
  return taken;
}

std::size_t measured(const pieces &list) {
  arena a = arena_measure();
  for (void *p : carve(&a, list)) EXPECT_EQ(p, nullptr);
  return arena_bytes(&a);
}

// The definition: each piece rounded up to 8 bytes, and 7 bytes for the alignment of the block.
TEST(Arena, MeasuresRoundedPiecesAndTheSlack) {
  std::size_t expected = 7;
  for (const auto &[count, size] : kPieces)
    for (std::size_t bytes = 0; bytes < count * size; bytes += 8) expected += 8;
  EXPECT_EQ(measured(kPieces), expected);
  EXPECT_EQ(measured({}), 7u);
}

TEST(Arena, MeasuredSizeSufficesAtEveryAlignmentAndPiecesStayInside) {
  const std::size_t need = measured(kPieces);
  std::vector<unsigned char> memory(need + 192, 0xA5);
  const std::size_t skip = (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) % 64;
  for (std::size_t shift = 0; shift < 64; shift++) {
    std::fill(memory.begin(), memory.end(), static_cast<unsigned char>(0xA5));
    unsigned char *block = memory.data() + skip + shift;
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block) % 64, shift);
    arena a = arena_open(block, need);
    const std::vector<void *> taken = carve(&a, kPieces);
    ASSERT_TRUE(arena_fits(&a)) << shift;
    EXPECT_EQ(arena_bytes(&a), need);
    for (std::size_t k = 0; k < kPieces.size(); k++) {
      const std::size_t bytes = kPieces[k].first * kPieces[k].second;
      ASSERT_EQ(taken[k] == nullptr, bytes == 0);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(taken[k]) % 8, 0u);
      auto *p = static_cast<unsigned char *>(taken[k]);
      for (std::size_t i = 0; i < bytes; i++) {
        ASSERT_EQ(p[i], 0xA5) << "pieces overlap";
        p[i] = 1;
      }
    }
    for (unsigned char *p = memory.data(); p < block; p++) ASSERT_EQ(*p, 0xA5);
    for (unsigned char *p = block + need; p < &memory.back(); p++) ASSERT_EQ(*p, 0xA5);
  }
}

TEST(Arena, OneByteShortFailsAtEveryAlignment) {
  const std::size_t need = measured(kPieces);
  std::vector<unsigned char> memory(need + 64);
  for (std::size_t shift = 0; shift < 64; shift++)
    for (std::size_t bytes : {need - 1, need - 8, std::size_t{7}, std::size_t{6}, std::size_t{0}}) {
      arena a = arena_open(memory.data() + shift, bytes);
      carve(&a, kPieces);
      EXPECT_FALSE(arena_fits(&a)) << shift << " " << bytes;
      EXPECT_EQ(arena_bytes(&a), 0u);
    }
}

TEST(Arena, NothingFitsIntoNull) {
  arena a = arena_open(nullptr, 1000);
  EXPECT_FALSE(arena_fits(&a));
  EXPECT_EQ(arena_take(&a, 1, 1), nullptr);
}

TEST(Arena, OverflowSticks) {
  const std::size_t huge = SIZE_MAX;
  for (const auto &[count, size] : pieces{{huge, 8},
                                          {huge / 8, 8},
                                          {huge / 8 + 1, 8},
                                          {8, huge},
                                          {huge, huge},
                                          {huge / 2, 1},
                                          {huge / 2 + 1, 2}}) {
    arena a = arena_measure();
    arena_take(&a, 1, 8);
    arena_take(&a, count, size);
    EXPECT_EQ(arena_bytes(&a), 0u) << count << " x " << size;
    arena_take(&a, 1, 8);
    EXPECT_EQ(arena_bytes(&a), 0u);
    EXPECT_FALSE(arena_fits(&a));
  }
}

TEST(Arena, ASumThatOverflowsSticks) {
  arena a = arena_measure();
  arena_take(&a, SIZE_MAX / 4, 1);
  EXPECT_GT(arena_bytes(&a), 0u);
  arena_take(&a, SIZE_MAX / 4, 1);
  arena_take(&a, 16, 1);
  EXPECT_EQ(arena_bytes(&a), 0u);
}

TEST(Arena, AFailedPieceIsNotFollowedByAnother) {
  alignas(8) unsigned char block[64];
  arena a = arena_open(block, sizeof block);
  EXPECT_NE(arena_take(&a, 1, 8), nullptr);
  EXPECT_EQ(arena_take(&a, 1, 64), nullptr);
  EXPECT_EQ(arena_take(&a, 1, 8), nullptr);  // would fit
}

}  // namespace
