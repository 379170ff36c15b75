// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "dense_tools.hpp"

extern "C" {
#include "linalg/envelope.h"
}

namespace {

using tools::dense;
using tools::kEps;
using tools::kInf;
using tools::kNaN;
using tools::same_bits;
using tools::uniform;
using list = std::vector<std::int32_t>;

std::size_t size(std::int32_t n) { return static_cast<std::size_t>(n); }

// Symmetric positive definite, zero farther than band from the diagonal and at random inside it.
dense banded(uniform &u, std::int32_t n, std::int32_t band) {
  dense A(n, n);
  for (std::int32_t i = 0; i < n; i++)
    for (std::int32_t j = std::max(0, i - band); j < i; j++)
      if (u() > -0.4) A(i, j) = A(j, i) = u();
  for (std::int32_t i = 0; i < n; i++) {
    A(i, i) = 0.1;
    for (std::int32_t j = 0; j < n; j++)
      if (j != i) A(i, i) += std::fabs(A(i, j));
  }
  return A;
}

// One matrix in every kind of storage.
struct stored {
  std::vector<double> values;
  list start{0}, index, cuts;
  perp_matrix M{};

  static stored rows(const dense &A, uniform &u) {  // compressed rows, columns in any order
    stored s;
    for (std::int32_t i = 0; i < A.rows; i++) {
      list columns;
      for (std::int32_t j = 0; j < A.cols; j++)
        if (A(i, j) != 0 || std::isnan(A(i, j))) columns.push_back(j);
      for (std::size_t k = columns.size(); k > 1; k--)
        std::swap(columns[k - 1], columns[static_cast<std::size_t>((u() + 1) / 2 * double(k))]);
      for (std::int32_t j : columns) {
        s.index.push_back(j);
        s.values.push_back(A(i, j));
      }
      s.start.push_back(static_cast<std::int32_t>(s.index.size()));
    }
    s.M = perp_compressed_rows(A.rows, s.start.data(), s.index.data(), s.values.data());
    return s;
  }
  static stored blocks(const dense &A, uniform &u) {  // of 1 to 3 rows, the last column first
    stored s;
    s.cuts = {0};
    while (s.cuts.back() < A.rows)
      s.cuts.push_back(std::min(A.rows, s.cuts.back() + 2 + static_cast<std::int32_t>(u() * 1.99)));
    const auto count = static_cast<std::int32_t>(s.cuts.size()) - 1;
    for (std::int32_t r = 0; r < count; r++) {
      for (std::int32_t c = count - 1; c >= 0; c--) {
        bool any = false;
        std::vector<double> block;
        for (std::int32_t j = s.cuts[size(c)]; j < s.cuts[size(c) + 1]; j++)
          for (std::int32_t i = s.cuts[size(r)]; i < s.cuts[size(r) + 1]; i++) {
            block.push_back(A(i, j));
            any = any || A(i, j) != 0;
          }
        if (!any) continue;
        s.index.push_back(c);
        s.values.insert(s.values.end(), block.begin(), block.end());
      }
      s.start.push_back(static_cast<std::int32_t>(s.index.size()));
    }
    s.M = perp_block_rows(count, s.cuts.data(), s.start.data(), s.index.data(), s.values.data());
    return s;
  }
};

// An envelope and a reader with memory of their own.
struct bench {
  list column, block, member, position, first;
  std::vector<double> value, inverse, lower;
  std::vector<std::size_t> at, start;
  row_reader reader{};
  envelope e{};

  bench(const perp_matrix &M, std::size_t capacity)
      : column(size(M.rows)),
        block(column),
        member(column),
        position(size(M.rows), -1),
        first(size(M.rows), 999),
        value(size(M.rows), 999.0),
        inverse(value),
        lower(capacity + 1, 999.0),
        at(size(M.rows)),
        start(at) {
    reader = {nullptr, column.data(), value.data(), block.data(), at.data()};
    perp_row_reader_prepare(&reader, &M);
    e.n = M.rows;
    e.capacity = capacity;
    e.member = member.data();
    e.place = position.data();
    e.first = first.data();
    e.start = start.data();
    e.inverse = inverse.data();
    e.lower = lower.data();
  }
  bench(const bench &) = delete;
  bench &operator=(const bench &) = delete;

  void choose(const list &free, std::int32_t valid) {
    std::fill(position.begin(), position.end(), -1);
    std::copy(free.begin(), free.end(), member.begin());
    for (std::size_t k = 0; k < free.size(); k++)
      position[size(free[k])] = static_cast<std::int32_t>(k);
    e.rows = static_cast<std::int32_t>(free.size());
    e.valid = valid;
  }
  int factor(const list &free, std::int32_t valid = 0, double shift = 0) {
    choose(free, valid);
    return perp_envelope_factor(&e, &reader, shift);
  }
  std::size_t places() const {
    const size_t last = size(e.rows) - 1;
    return start[last] + size(std::max(1, e.rows - 1 - first[last]));
  }
  std::vector<double> bits() const {  // everything that makes the factor
    std::vector<double> all(inverse.begin(), inverse.begin() + e.rows);
    all.insert(all.end(), lower.begin(), lower.begin() + static_cast<long>(places()));
    all.insert(all.end(), first.begin(), first.begin() + e.rows);
    return all;
  }
};

list some(uniform &u, std::int32_t n) {
  list free;
  for (std::int32_t i = 0; i < n; i++)
    if (u() > -0.3) free.push_back(i);
  if (free.empty()) free.push_back(n / 2);
  return free;
}

list all(std::int32_t n) {
  list free(size(n));
  for (std::int32_t i = 0; i < n; i++) free[size(i)] = i;
  return free;
}

// max |b - (M_FF + shift) x| / max (|M_FF||x| + |b|), in long double
double backward_error(const dense &A, const list &F, double shift, const std::vector<double> &x,
                      const std::vector<double> &b) {
  long double worst = 0, scale = 0;
  for (std::size_t k = 0; k < F.size(); k++) {
    long double r = b[k], s = std::fabs(b[k]);
    for (std::size_t m = 0; m < F.size(); m++) {
      long double a = A(F[k], F[m]) + (k == m ? shift : 0.0L);
      r -= a * x[m];
      s += std::fabs(a * x[m]);
    }
    worst = std::max(worst, std::fabs(r));
    scale = std::max(scale, s);
  }
  return static_cast<double>(worst / scale);
}

TEST(Envelope, SolvesWithPrincipalSubmatricesOfEveryKindInTheSameBits) {
  uniform u(1);
  for (std::int32_t n : {1, 2, 3, 5, 8, 13, 40, 90})
    for (std::int32_t band : {0, 1, 2, 5, 39, 89})
      for (int repeat = 0; repeat < 10; repeat++) {
        const dense A = banded(u, n, band);
        const stored rows = stored::rows(A, u), blocks = stored::blocks(A, u);
        const list F = repeat == 0 ? all(n) : some(u, n);
        const std::vector<double> b = u.vector(static_cast<std::int32_t>(F.size()));
        const double shift = repeat % 3 == 2 ? 0.25 : 0;
        const perp_matrix full = perp_dense(n, n, A.data());
        std::vector<double> reference;
        for (const perp_matrix *M : {&full, &rows.M, &blocks.M}) {
          bench t(*M, size(n * (n + 1) / 2));
          ASSERT_EQ(t.factor(F, 0, shift), ENVELOPE_DONE);
          EXPECT_EQ(t.e.valid, t.e.rows);
          EXPECT_EQ(t.lower.back(), 999.0);
          std::vector<double> x = b;
          perp_envelope_solve(&t.e, x.data());
          EXPECT_LT(backward_error(A, F, shift, x, b), 8 * kEps);
          if (reference.empty()) reference = x;
          EXPECT_TRUE(same_bits(x, reference));
        }
      }
}

TEST(Envelope, ADiagonalMatrixIsDividedBy) {
  const double d[] = {2, 4, 0.5, 8};
  const perp_matrix M = perp_diagonal(4, d);
  bench t(M, 4);
  ASSERT_EQ(t.factor({0, 2, 3}), ENVELOPE_DONE);
  EXPECT_EQ(t.e.band, 0);
  double x[] = {1, 1, 1};
  perp_envelope_solve(&t.e, x);
  EXPECT_EQ(x[0], 0.5);
  EXPECT_EQ(x[1], 2);
  EXPECT_EQ(x[2], 0.125);
}

TEST(Envelope, RowsThatStayKeepTheBitsOfAFullFactorisation) {
  uniform u(2);
  for (std::int32_t n : {2, 7, 20, 60, 110})
    for (std::int32_t band : {1, 3, 30, 59, 109}) {
      const dense A = banded(u, n, band);
      const stored s = stored::rows(A, u);
      bench t(s.M, size(n * (n + 1) / 2));
      list before = all(n);
      ASSERT_EQ(t.factor(before), ENVELOPE_DONE);
      for (int change = 0; change < 30; change++) {
        list F = some(u, n);
        if (change % 2 == 0) {  // a late change
          F = before;
          if (F.size() > 1) F.erase(F.end() - 1 - (change / 2) % static_cast<int>(F.size() - 1));
        }
        const auto common = std::mismatch(F.begin(), F.end(), before.begin(), before.end());
        ASSERT_EQ(t.factor(F, static_cast<std::int32_t>(common.first - F.begin())), ENVELOPE_DONE);
        bench fresh(s.M, size(n * (n + 1) / 2));
        ASSERT_EQ(fresh.factor(F), ENVELOPE_DONE);
        EXPECT_TRUE(same_bits(t.bits(), fresh.bits()));
        EXPECT_EQ(t.e.band, fresh.e.band);
        EXPECT_EQ(t.e.weak, fresh.e.weak);
        before = F;
      }
    }
}

TEST(Envelope, EntriesAboveTheDiagonalAreNotRead) {
  uniform u(3);
  dense A = banded(u, 12, 4);
  const stored s = stored::rows(A, u);
  bench expected(s.M, 78);
  ASSERT_EQ(expected.factor(all(12)), ENVELOPE_DONE);
  for (std::int32_t j = 0; j < 12; j++)
    for (std::int32_t i = 0; i < j; i++) A(i, j) = kNaN;
  const perp_matrix M = perp_dense(12, 12, A.data());
  bench t(M, 78);
  ASSERT_EQ(t.factor(all(12)), ENVELOPE_DONE);
  EXPECT_TRUE(same_bits(t.bits(), expected.bits()));
}

TEST(Envelope, MatricesThatAreNotDefiniteAreRefusedAtTheirRow) {
  const double singular[] = {1, 1, 1, 1}, indefinite[] = {1, 2, 2, 1}, negative[] = {-1, 0, 0, 1},
               nan[] = {1, 0, 0, kNaN}, infinite[] = {1, 0, 0, kInf}, beside[] = {1, kNaN, 0, 1};
  const struct {
    const double *a;
    std::int32_t valid;
  } cases[] = {{singular, 1}, {indefinite, 1}, {negative, 0}, {nan, 1}, {infinite, 1}, {beside, 1}};
  for (const auto &c : cases) {
    const perp_matrix M = perp_dense(2, 2, c.a);
    bench t(M, 3);
    EXPECT_EQ(t.factor({0, 1}), ENVELOPE_NOT_DEFINITE);
    EXPECT_EQ(t.e.valid, c.valid);
  }
  perp_matrix zero{};
  zero.rows = zero.cols = 2;
  bench t(zero, 2);
  EXPECT_EQ(t.factor({0, 1}), ENVELOPE_NOT_DEFINITE);
  EXPECT_EQ(t.factor({0, 1}, 0, 1.0), ENVELOPE_DONE) << "a shift makes it definite";
}

TEST(Envelope, ARowThatIsRefusedAmongLongOnesKeepsThoseBeforeIt) {
  uniform u(7);
  for (std::int32_t bad : {23, 30, 31, 32, 39, 50, 69}) {
    dense A = banded(u, 70, 69);
    const stored good = stored::rows(A, u);
    bench whole(good.M, 70 * 71 / 2);
    ASSERT_EQ(whole.factor(all(70)), ENVELOPE_DONE);
    A(bad, bad) = -A(bad, bad);
    const perp_matrix M = perp_dense(70, 70, A.data());
    bench t(M, 70 * 71 / 2);
    EXPECT_EQ(t.factor(all(70)), ENVELOPE_NOT_DEFINITE);
    EXPECT_EQ(t.e.valid, bad);
    EXPECT_EQ(0, std::memcmp(t.inverse.data(), whole.inverse.data(), size(bad) * sizeof(double)));
  }
}

TEST(Envelope, APivotThatLostHalfTheDigitsIsNamed) {
  for (double lost : {1e-3, 1e-7, 1e-9, 1e-12}) {
    const double a[] = {1, 0, 0, 0, 1, 1, 0, 1, 1 + lost};
    const perp_matrix M = perp_dense(3, 3, a);
    bench t(M, 6);
    ASSERT_EQ(t.factor(all(3)), ENVELOPE_DONE);
    EXPECT_EQ(t.e.weak, lost < ENVELOPE_WEAK ? 2 : 3) << lost;
    ASSERT_EQ(t.factor({0, 1}, 2), ENVELOPE_DONE);
    EXPECT_EQ(t.e.weak, 2) << "none any more";
  }
}

TEST(Envelope, MemoryOfATridiagonalMatrixIsLinear) {
  const std::int32_t n = 100000;
  std::vector<double> values;
  list start{0}, index;
  for (std::int32_t i = 0; i < n; i++) {
    for (std::int32_t j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); j++) {
      index.push_back(j);
      values.push_back(i == j ? 2 : -1);
    }
    start.push_back(static_cast<std::int32_t>(index.size()));
  }
  const perp_matrix M = perp_compressed_rows(n, start.data(), index.data(), values.data());
  bench t(M, size(n));
  ASSERT_EQ(t.factor(all(n)), ENVELOPE_DONE);
  EXPECT_EQ(t.places(), size(n));
  EXPECT_EQ(t.e.band, 1);
  EXPECT_NEAR(t.inverse[999], 1000.0 / 1001.0, 1e-12) << "pivots are (k + 1) / k";
}

TEST(Envelope, TheEnvelopeIsEnoughAndLessIsNoticed) {
  uniform u(4);
  for (std::int32_t n : {1, 2, 9, 30, 75}) {
    const dense A = banded(u, n, n);
    const stored s = stored::rows(A, u);
    std::size_t bound = 0;
    for (std::int32_t i = 0; i < n; i++) {
      std::int32_t f = 0;
      while (A(i, f) == 0) f++;
      bound += size(i - f + 1);
    }
    bench enough(s.M, bound);
    ASSERT_EQ(enough.factor(all(n)), ENVELOPE_DONE);
    const std::size_t used = enough.places();
    EXPECT_LE(used, bound);
    bench tight(s.M, used - 1);
    EXPECT_EQ(tight.factor(all(n)), ENVELOPE_FULL);
    EXPECT_EQ(tight.lower.back(), 999.0);
    std::vector<double> inverse(size(n), 999.0), lower(used, 999.0);
    perp_envelope_move(&tight.e, inverse.data(), lower.data(), used);
    ASSERT_EQ(perp_envelope_factor(&tight.e, &tight.reader, 0), ENVELOPE_DONE);
    EXPECT_EQ(0, std::memcmp(lower.data(), enough.lower.data(), used * sizeof(double)));
    EXPECT_EQ(0, std::memcmp(inverse.data(), enough.inverse.data(), size(n) * sizeof(double)));
  }
}

TEST(Envelope, AnAdoptedFactorSolvesInTheSameBits) {
  uniform u(5);
  const dense A = banded(u, 25, 4);
  const stored s = stored::rows(A, u);
  bench t(s.M, 325);
  const list F = some(u, 25);
  ASSERT_EQ(t.factor(F), ENVELOPE_DONE);
  const std::vector<double> b = u.vector(t.e.rows);
  std::vector<double> x = b, y = b;
  perp_envelope_solve(&t.e, x.data());
  bench other(s.M, t.places());
  other.choose(F, 0);
  other.first = t.first;
  other.e.first = other.first.data();
  std::copy_n(t.inverse.begin(), t.e.rows, other.inverse.begin());
  std::copy_n(t.lower.begin(), t.places(), other.lower.begin());
  ASSERT_TRUE(perp_envelope_adopt(&other.e));
  perp_envelope_solve(&other.e, y.data());
  EXPECT_TRUE(same_bits(x, y));
}

TEST(Envelope, WhatIsNoEnvelopeIsNotAdopted) {
  const double d[] = {1, 1, 1};
  const perp_matrix M = perp_diagonal(3, d);
  for (const list &first : {list{0, 0, -1}, list{0, 2, 0}, list{1, 0, 0}, list{INT32_MIN, 0, 0},
                            list{0, 0, INT32_MAX}}) {
    bench t(M, 6);
    t.choose(all(3), 0);
    std::copy(first.begin(), first.end(), t.first.begin());
    EXPECT_FALSE(perp_envelope_adopt(&t.e));
    EXPECT_EQ(t.e.valid, 0);
  }
  bench t(M, 3);  // rows of 1, 1, 2 places
  t.choose(all(3), 0);
  std::fill(t.first.begin(), t.first.end(), 0);
  EXPECT_FALSE(perp_envelope_adopt(&t.e));
}

TEST(Envelope, RowsOfEveryKindAreReadAsStored) {
  uniform u(6);
  const dense A = banded(u, 11, 3);
  const stored rows = stored::rows(A, u), blocks = stored::blocks(A, u);
  const perp_matrix full = perp_dense(11, 11, A.data());
  const std::vector<double> x = u.vector(11);
  for (const perp_matrix *M : {&full, &rows.M, &blocks.M}) {
    bench t(*M, 1);
    for (std::int32_t i = 0; i < 11; i++) {
      double product = 0, scale = 0, norm = 0, got = 999;
      for (std::int32_t j = 0; j < 11; j++) {
        product += A(i, j) * x[size(j)];
        scale += std::fabs(A(i, j) * x[size(j)]);
        norm += std::fabs(A(i, j));
      }
      EXPECT_NEAR(row_dot(&t.reader, i, x.data()), product, 16 * kEps * scale);
      EXPECT_NEAR(perp_row_scale(&t.reader, i, x.data(), &got), scale, 16 * kEps * scale);
      EXPECT_NEAR(got, norm, 16 * kEps * norm);
    }
  }
}

}  // namespace
