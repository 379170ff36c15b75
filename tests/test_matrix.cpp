// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <climits>
#include <string>

#include "dense_tools.hpp"

extern "C" {
#include "linalg/matrix.h"
}

namespace {

using tools::dense;
using tools::kInf;
using tools::kNaN;
using tools::same_bits;
using tools::uniform;
using ints = std::vector<std::int32_t>;

// A matrix, how it should look as a dense array, and the arrays that its view points to.
struct sample {
  std::string name;
  dense expected;
  ints start, index, offset;
  std::vector<double> values;
  perp_matrix view;
};

sample zero_sample(std::int32_t rows, std::int32_t cols) {
  sample s = {"zero", dense(rows, cols), {}, {}, {}, {}, {}};
  s.view.rows = rows;
  s.view.cols = cols;
  return s;
}

sample diagonal_sample(uniform &random, std::int32_t n) {
  sample s = {"diagonal", dense(n, n), {}, {}, {}, random.vector(n), {}};
  for (std::int32_t i = 0; i < n; i++) s.expected(i, i) = s.values[static_cast<std::size_t>(i)];
  s.view = perp_diagonal(n, s.values.data());
  return s;
}

sample dense_sample(uniform &random, std::int32_t rows, std::int32_t cols, std::int32_t gap) {
  sample s = {"dense", random.matrix(rows, cols, gap), {}, {}, {}, {}, {}};
  s.values = s.expected.a;
  s.view = perp_dense(rows, cols, s.values.data());
  s.view.ld = s.expected.ld;
  return s;
}

// About half of the blocks, in descending or ascending order within a row.
sample block_sample(uniform &random, const ints &cuts, bool descending) {
  const auto blocks = static_cast<std::int32_t>(cuts.size()) - 1;
  sample s = {"blocks", dense(cuts.back(), cuts.back()), {0}, {}, cuts, {}, {}};
  for (std::int32_t r = 0; r < blocks; r++) {
    for (std::int32_t k = 0; k < blocks; k++) {
      const std::int32_t c = descending ? blocks - 1 - k : k;
      if (random() < 0 && r != c) continue;
      s.index.push_back(c);
      for (std::int32_t j = cuts[static_cast<std::size_t>(c)];
           j < cuts[static_cast<std::size_t>(c) + 1]; j++)
        for (std::int32_t i = cuts[static_cast<std::size_t>(r)];
             i < cuts[static_cast<std::size_t>(r) + 1]; i++)
          s.values.push_back(s.expected(i, j) = random());
    }
    s.start.push_back(static_cast<std::int32_t>(s.index.size()));
  }
  s.view =
      perp_block_rows(blocks, s.offset.data(), s.start.data(), s.index.data(), s.values.data());
  return s;
}

sample row_sample(uniform &random, std::int32_t n, bool descending) {
  ints cuts;
  for (std::int32_t i = 0; i <= n; i++) cuts.push_back(i);
  sample s = block_sample(random, cuts, descending);
  s.name = "rows";
  s.view = perp_compressed_rows(n, s.start.data(), s.index.data(), s.values.data());
  return s;
}

std::vector<sample> samples() {
  uniform random(41);
  std::vector<sample> list;  // moving a vector keeps its elements, so the views stay valid
  list.push_back(zero_sample(4, 3));
  list.push_back(zero_sample(0, 0));
  list.push_back(diagonal_sample(random, 5));
  list.push_back(dense_sample(random, 7, 4, 0));
  list.push_back(dense_sample(random, 3, 9, 2));
  for (bool descending : {false, true}) {
    list.push_back(row_sample(random, 9, descending));
    list.push_back(block_sample(random, {0, 3, 4, 6, 11, 12}, descending));
    list.push_back(block_sample(random, {0, 3, 6, 9}, descending));
    list.push_back(block_sample(random, {0, 5}, descending));
  }
  return list;
}

perp_status check(const perp_matrix &m, perp_info *info) {
  *info = PERP_INFO_INIT;
  info->field = "stale";
  return perp_matrix_check(&m, info);
}

void expect_refused(const perp_matrix &m, const char *field, std::int32_t index, double value) {
  perp_info info;
  EXPECT_EQ(check(m, &info), PERP_EINVAL) << field;
  EXPECT_STREQ(info.field, field);
  EXPECT_EQ(info.index, index) << field;
  EXPECT_EQ(info.value, value) << field;
  EXPECT_EQ(perp_matrix_check(&m, nullptr), PERP_EINVAL);
  double x[64] = {}, y[64] = {};
  EXPECT_EQ(perp_matrix_multiply(&m, x, y), PERP_EINVAL) << field;
}

TEST(Matrix, WellFormedViewsPass) {
  for (const sample &s : samples()) {
    perp_info info;
    EXPECT_EQ(check(s.view, &info), PERP_OK) << s.name;
    EXPECT_EQ(info.field, nullptr);
    EXPECT_EQ(perp_matrix_check(&s.view, nullptr), PERP_OK);
  }
}

TEST(Matrix, NoRowsNeedNoArrays) {
  const double one = 1;
  for (const perp_matrix &m : {perp_matrix{}, perp_dense(0, 0, nullptr), perp_dense(0, 5, nullptr),
                               perp_dense(5, 0, nullptr), perp_diagonal(0, nullptr),
                               perp_compressed_rows(0, nullptr, nullptr, nullptr),
                               perp_block_rows(0, nullptr, nullptr, nullptr, nullptr)}) {
    EXPECT_EQ(perp_matrix_check(&m, nullptr), PERP_OK) << m.kind;
    std::vector<double> x(5, 1.0), y(5, 999.0);
    EXPECT_EQ(perp_matrix_multiply(&m, x.data(), y.data()), PERP_OK);
    for (std::size_t i = 0; i < 5; i++)
      EXPECT_EQ(y[i], i < static_cast<std::size_t>(m.rows) ? 0.0 : 999.0);
    EXPECT_EQ(perp_matrix_entry(&m, 0, 0), 0.0);
  }
  const std::int32_t start[] = {0, 0, 0};  // rows, but nothing stored
  const perp_matrix empty = perp_compressed_rows(2, start, nullptr, nullptr);
  double y[2] = {999, 999};
  EXPECT_EQ(perp_matrix_multiply(&empty, &one, y), PERP_OK);
  EXPECT_EQ(y[0] + y[1], 0.0);
  EXPECT_EQ(perp_matrix_entry(&empty, 1, 1), 0.0);
}

TEST(Matrix, EntriesAreThoseOfTheDenseArray) {
  for (const sample &s : samples()) {
    for (std::int32_t i = -1; i <= s.expected.rows; i++)
      for (std::int32_t j = -1; j <= s.expected.cols; j++) {
        const bool inside = i >= 0 && j >= 0 && i < s.expected.rows && j < s.expected.cols;
        EXPECT_EQ(perp_matrix_entry(&s.view, i, j), inside ? s.expected(i, j) : 0.0)
            << s.name << " " << i << " " << j;
      }
    EXPECT_EQ(perp_matrix_entry(&s.view, INT_MAX, INT_MIN), 0.0);
  }
}

TEST(Matrix, MultiplyIsTheSumOverEntries) {
  uniform random(42);
  for (const sample &s : samples()) {
    const auto x = random.vector(s.expected.cols);
    std::vector<double> y(static_cast<std::size_t>(s.expected.rows) + 1, 999.0);
    ASSERT_EQ(perp_matrix_multiply(&s.view, x.data(), y.data()), PERP_OK) << s.name;
    for (std::int32_t i = 0; i < s.expected.rows; i++) {
      long double sum = 0;
      for (std::int32_t j = 0; j < s.expected.cols; j++)
        sum += static_cast<long double>(s.expected(i, j)) * x[static_cast<std::size_t>(j)];
      EXPECT_NEAR(y[static_cast<std::size_t>(i)], static_cast<double>(sum), 1e-14) << s.name;
    }
    EXPECT_EQ(y.back(), 999.0);
  }
}

TEST(Matrix, AbsoluteMultiplyTakesTheMagnitudes) {
  uniform random(43);
  for (const sample &s : samples()) {
    const auto x = random.vector(s.expected.cols);
    std::vector<double> y(static_cast<std::size_t>(s.expected.rows) + 1, 0.5);
    perp_matrix_absolute_multiply_add(&s.view, x.data(), y.data());
    for (std::int32_t i = 0; i < s.expected.rows; i++) {
      long double sum = 0.5;
      for (std::int32_t j = 0; j < s.expected.cols; j++)
        sum +=
            std::fabs(static_cast<long double>(s.expected(i, j))) * x[static_cast<std::size_t>(j)];
      EXPECT_NEAR(y[static_cast<std::size_t>(i)], static_cast<double>(sum), 1e-14) << s.name;
    }
    EXPECT_EQ(y.back(), 0.5);
  }
}

// With the columns in order, absent entries as zeros change no bit.
TEST(Matrix, OrderedBlocksHaveTheBitsOfTheDenseProduct) {
  uniform random(44);
  for (int repeat = 0; repeat < 20; repeat++)
    for (const sample &s :
         {row_sample(random, 9, false), block_sample(random, {0, 3, 4, 6, 11, 12}, false)}) {
      const auto x = random.vector(s.expected.cols);
      auto y = random.vector(s.expected.rows), z = y;
      const perp_matrix full = perp_dense(s.expected.rows, s.expected.cols, s.expected.data());
      perp_matrix_multiply_add(&s.view, x.data(), y.data());
      perp_matrix_multiply_add(&full, x.data(), z.data());
      EXPECT_TRUE(same_bits(y, z)) << s.name;
    }
}

TEST(Matrix, CopiesAndWeightedSumsAreDense) {
  for (const sample &s : samples()) {
    dense out(s.expected.rows, s.expected.cols, 2);
    for (std::int32_t j = 0; j < out.cols; j++)
      for (std::int32_t i = 0; i < out.rows; i++) out(i, j) = 999;
    perp_matrix_to_dense(&s.view, out.data(), out.ld);
    for (std::int32_t j = 0; j < out.cols; j++)
      for (std::int32_t i = 0; i < out.rows; i++) EXPECT_EQ(out(i, j), s.expected(i, j)) << s.name;
    perp_matrix_add_to_dense(&s.view, -0.25, out.data(), out.ld);
    for (std::int32_t j = 0; j < out.cols; j++)
      for (std::int32_t i = 0; i < out.rows; i++)
        EXPECT_DOUBLE_EQ(out(i, j), 0.75 * s.expected(i, j)) << s.name;
    EXPECT_TRUE(out.gaps_untouched());
  }
}

TEST(Matrix, NaNAndInfinityReachTheProduct) {
  for (double bad : {kNaN, kInf})
    for (sample s : samples()) {
      if (s.values.empty()) continue;
      s.values.assign(s.values.size(), bad);
      s.view.values = s.values.data();
      s.view.start = s.start.data();
      s.view.index = s.index.data();
      if (s.view.offset != nullptr) s.view.offset = s.offset.data();
      const std::vector<double> x(static_cast<std::size_t>(s.expected.cols), 1.0);
      std::vector<double> y(static_cast<std::size_t>(s.expected.rows), 999.0);
      EXPECT_EQ(perp_matrix_check(&s.view, nullptr), PERP_OK);
      ASSERT_EQ(perp_matrix_multiply(&s.view, x.data(), y.data()), PERP_OK);
      for (double v : y) EXPECT_FALSE(std::isfinite(v)) << s.name;
    }
}

TEST(Matrix, NullAndWrongNumbersAreNamed) {
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(perp_matrix_check(nullptr, &info), PERP_EINVAL);
  EXPECT_STREQ(info.field, "matrix");
  EXPECT_EQ(perp_matrix_entry(nullptr, 0, 0), 0.0);
  double one[1] = {1}, y[1] = {999};
  EXPECT_EQ(perp_matrix_multiply(nullptr, one, y), PERP_EINVAL);
  const perp_matrix m = perp_dense(1, 1, one);
  EXPECT_EQ(perp_matrix_multiply(&m, nullptr, y), PERP_EINVAL);
  EXPECT_EQ(perp_matrix_multiply(&m, one, nullptr), PERP_EINVAL);
  EXPECT_EQ(y[0], 999.0);

  perp_matrix bad = m;
  for (std::int32_t kind : {-1, 4, INT_MAX, INT_MIN})
    expect_refused((bad.kind = kind, bad), "kind", -1, kind);
  for (std::int32_t kind : {PERP_ZERO, PERP_DIAGONAL, PERP_DENSE, PERP_BLOCKS})
    for (std::int32_t n : {-1, INT_MIN}) {
      bad = m;
      bad.kind = kind;
      bad.rows = n;
      expect_refused(bad, "rows", -1, n);
      bad.rows = 1;
      bad.cols = n;
      expect_refused(bad, "cols", -1, n);
    }
  bad = m;
  bad.reserved = 7;
  expect_refused(bad, "reserved", -1, 7);
}

TEST(Matrix, WrongDenseAndDiagonalViewsAreNamed) {
  const double v[4] = {1, 2, 3, 4};
  perp_matrix m = perp_dense(2, 2, v);
  m.ld = 1;
  expect_refused(m, "ld", -1, 1);
  m.ld = -1;
  expect_refused(m, "ld", -1, -1);
  expect_refused(perp_dense(2, 2, nullptr), "values", -1, 0);
  expect_refused(perp_dense(INT_MAX, INT_MAX, v), "ld", -1, INT_MAX);  // no object is that large
  expect_refused(perp_diagonal(2, nullptr), "values", -1, 0);
  m = perp_diagonal(2, v);
  m.cols = 3;
  expect_refused(m, "cols", -1, 3);
}

TEST(Matrix, WrongBlockViewsAreNamed) {
  const std::int32_t start[] = {0, 1, 3}, index[] = {0, 1, 0}, offset[] = {0, 1, 3};
  const double v[16] = {};
  const perp_matrix good = perp_block_rows(2, offset, start, index, v);
  ASSERT_EQ(perp_matrix_check(&good, nullptr), PERP_OK);
  perp_matrix m = good;
  expect_refused((m.cols = 4, m), "cols", -1, 4);
  for (std::int32_t n : {-1, 0, 4, INT_MAX, INT_MIN})
    expect_refused((m = good, m.block_rows = n, m), "block_rows", -1, n);
  expect_refused((m = good, m.offset = nullptr, m), "block_rows", -1, 2);
  expect_refused((m = good, m.start = nullptr, m), "start", -1, 0);
  expect_refused((m = good, m.index = nullptr, m), "index", -1, 0);
  expect_refused((m = good, m.values = nullptr, m), "values", -1, 0);
  expect_refused(perp_block_rows(-1, offset, start, index, v), "rows", -1, -1);

  const std::int32_t first[] = {1, 2, 3}, falls[] = {0, 3, 1}, negative[] = {0, -5, 3};
  expect_refused((m = good, m.start = first, m), "start", 0, 1);
  expect_refused((m = good, m.start = falls, m), "start", 2, 1);
  expect_refused((m = good, m.start = negative, m), "start", 1, -5);
  const std::int32_t flat[] = {0, 0, 3}, shortened[] = {0, 1, 2}, turned[] = {0, 4, 3};
  expect_refused((m = good, m.offset = first, m), "offset", 0, 1);
  expect_refused((m = good, m.offset = flat, m), "offset", 1, 0);
  expect_refused((m = good, m.offset = shortened, m), "offset", 2, 2);
  expect_refused((m = good, m.offset = turned, m), "offset", 2, 3);
  for (std::int32_t c : {-1, 2, INT_MAX, INT_MIN}) {
    const std::int32_t beyond[] = {0, c, 0};
    expect_refused((m = good, m.index = beyond, m), "index", 1, c);
  }
  const std::int32_t twice[] = {0, 1, 1};
  expect_refused((m = good, m.index = twice, m), "index", 2, 1);
  const std::int32_t huge_cuts[] = {0, INT_MAX - 1, INT_MAX}, all[] = {0, 2, 2}, both[] = {0, 1};
  expect_refused(perp_block_rows(2, huge_cuts, all, both, v), "values", 0, 0);
}

// The definition in the header, spelled out for arrays that are long enough.
bool well_formed(const perp_matrix &m) {
  if (m.kind != PERP_BLOCKS || m.rows < 0 || m.cols < 0 || m.block_rows < 0) return false;
  if (m.offset != nullptr && m.cols != m.rows) return false;
  if (m.block_rows == 0) return m.rows == 0;
  if (m.start == nullptr || m.start[0] != 0) return false;
  if (m.offset == nullptr && m.block_rows != m.rows) return false;
  if (m.offset != nullptr && (m.block_rows > m.rows || m.offset[0] != 0)) return false;
  for (std::int32_t r = 0; r < m.block_rows; r++) {
    if (m.start[r + 1] < m.start[r]) return false;
    if (m.offset != nullptr && m.offset[r + 1] <= m.offset[r]) return false;
  }
  if (m.offset != nullptr && m.offset[m.block_rows] != m.rows) return false;
  if (m.start[m.block_rows] > 0 && (m.index == nullptr || m.values == nullptr)) return false;
  for (std::int32_t r = 0; r < m.block_rows; r++)
    for (std::int32_t a = m.start[r]; a < m.start[r + 1]; a++) {
      if (m.index[a] < 0 || m.index[a] >= (m.offset == nullptr ? m.cols : m.block_rows))
        return false;
      for (std::int32_t b = m.start[r]; b < a; b++)
        if (m.index[a] == m.index[b]) return false;
    }
  return true;
}

TEST(Matrix, AnyNumbersGetTheAnswerOfTheDefinition) {
  std::mt19937 engine(45);
  const auto pick = [&](std::int32_t low, std::int32_t high) {
    return low + static_cast<std::int32_t>(engine() % static_cast<unsigned>(high - low + 1));
  };
  const std::vector<double> values(256, 1.0), x(8, 1.0);
  int passed = 0;
  for (int repeat = 0; repeat < 200000; repeat++) {
    ints start(8), index(64), offset(8);
    for (auto &s : start) s = pick(-1, 6);
    for (auto &c : index) c = pick(repeat % 2 == 0 ? -1 : 0, 3);
    for (auto &o : offset) o = pick(-1, 4);
    if (repeat % 3 != 0) {  // mostly nearly right, so that some pass
      std::sort(start.begin(), start.end());
      std::sort(offset.begin(), offset.end());
      start[0] = offset[0] = 0;
    }
    perp_matrix m = {};
    m.kind = PERP_BLOCKS;
    m.rows = pick(-1, 4);
    m.cols = pick(0, 5) == 0 ? pick(-1, 4) : m.rows;
    m.block_rows = pick(0, 2) == 0 ? pick(-1, 4) : m.rows;
    m.values = pick(0, 20) == 0 ? nullptr : values.data();
    m.start = pick(0, 20) == 0 ? nullptr : start.data();
    m.index = pick(0, 20) == 0 ? nullptr : index.data();
    m.offset = pick(0, 1) == 0 ? nullptr : offset.data();
    const bool expected = well_formed(m);
    ASSERT_EQ(perp_matrix_check(&m, nullptr), expected ? PERP_OK : PERP_EINVAL) << repeat;
    std::vector<double> y(8, 999.0);
    ASSERT_EQ(perp_matrix_multiply(&m, x.data(), y.data()), expected ? PERP_OK : PERP_EINVAL);
    for (std::int32_t i = -1; i < 5; i++) perp_matrix_entry(&m, i, pick(-1, 4));  // survives
    passed += expected;
  }
  EXPECT_GT(passed, 1000);
}

}  // namespace
