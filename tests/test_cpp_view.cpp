// SPDX-License-Identifier: MIT
// Arrays at the border: what is borrowed is not copied, what is owned is not affected by its
// origin, and an error says in words what was wrong.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#if __has_include(<Eigen/Dense>)
#include <Eigen/Dense>
#define HAVE_EIGEN 1
#endif

#include "perp/perp.hpp"

namespace {

using perp::array;
using perp::span;
using perp::view;

std::string text_of(const perp::error &e) { return e.what(); }

/** A foreign container: only data() and size(), and a signed size. */
struct Foreign {
  double values[3] = {1, 2, 3};
  const double *data() const { return values; }
  double *data() { return values; }
  int size() const { return 3; }
};

/** A block of a foreign matrix: columns of two, three apart, unless told otherwise. */
struct Strided : Foreign {
  int inner = 1, outer = 3;
  int size() const { return 2; }
  int innerStride() const { return inner; }
  int outerStride() const { return outer; }
  int innerSize() const { return 1; }
};

TEST(CppView, RefersToWhatItWasMadeFrom) {
  std::vector<double> v{1, 2, 3};
  std::array<double, 3> a{1, 2, 3};
  double c[3] = {1, 2, 3};
  Foreign f;
  EXPECT_EQ(view(v).data(), v.data());
  EXPECT_EQ(view(a).data(), a.data());
  EXPECT_EQ(view(c).data(), c);
  EXPECT_EQ(view(f).data(), f.values);
  EXPECT_EQ(view(view(v)).data(), v.data());
  EXPECT_EQ(view(span(v)).data(), v.data());
  for (const view x : {view(v), view(a), view(c), view(f)}) {
    ASSERT_EQ(x.size(), 3u);
    EXPECT_EQ(x[0] + x[1] + x[2], 6.0);
    EXPECT_EQ(x.front(), 1.0);
    EXPECT_EQ(x.back(), 3.0);
    double sum = 0;
    for (const double value : x) sum += value;
    EXPECT_EQ(sum, 6.0);
  }
  EXPECT_TRUE(view().empty());
  EXPECT_EQ(view().data(), nullptr);
}

TEST(CppView, BracesLastAsLongAsTheCall) {
  const auto sum = [](view v) { return v.size() == 3 ? v[0] + v[1] + v[2] : -1.0; };
  EXPECT_EQ(sum({1, 2, 3}), 6.0);
  EXPECT_EQ(sum({}), -1.0);
}

TEST(CppView, SpanWritesThrough) {
  std::vector<double> v(3);
  Foreign f;
  const auto fill = [](span s) {
    for (double &x : s) x = 7;
  };
  fill(v);
  fill(f);
  EXPECT_EQ(v, std::vector<double>(3, 7.0));
  EXPECT_EQ(f.values[2], 7.0);
}

TEST(CppView, WrongTypesDoNotConvert) {
  static_assert(!std::is_constructible_v<view, std::vector<float>>, "another scalar");
  static_assert(!std::is_constructible_v<view, std::vector<int>>, "another scalar");
  static_assert(!std::is_constructible_v<span, const std::vector<double> &>, "read-only");
  static_assert(!std::is_constructible_v<span, view>, "read-only");
  static_assert(std::is_constructible_v<view, span>, "writable is readable");
  SUCCEED();
}

TEST(CppView, GapsBetweenColumnsAreRefused) {
  Strided block;
  try {
    view v(block);
    FAIL() << "accepted";
  } catch (const perp::error &e) {
    EXPECT_EQ(e.status(), PERP_EINVAL);
    EXPECT_EQ(e.value(), 3.0);
    EXPECT_NE(text_of(e).find("gaps"), std::string::npos) << e.what();
  }
  block.outer = 1;
  EXPECT_EQ(view(block).data(), block.values);
  block.inner = 2;
  EXPECT_THROW(view{block}, perp::error);
}

TEST(CppArray, OwnsACopy) {
  std::vector<double> v{1, 2, 3};
  array a(v);
  v[0] = 99;
  EXPECT_EQ(a[0], 1.0);
  const array copy(view{a});
  const double *before = a.data();
  array moved = std::move(a);
  EXPECT_EQ(moved.data(), before) << "moving keeps the place";
  EXPECT_NE(copy.data(), before);
  EXPECT_EQ(copy[2], 3.0);
  EXPECT_FALSE(copy.is_borrowed());
}

TEST(CppArray, BorrowsWhenTold) {
  std::vector<double> v{1, 2, 3};
  array a = perp::borrow(v);
  v[0] = 99;
  EXPECT_EQ(a[0], 99.0);
  EXPECT_EQ(a.data(), v.data());
  const array copy = a;
  EXPECT_EQ(copy.data(), v.data());
  EXPECT_TRUE(copy.is_borrowed());
}

TEST(CppArray, ComesFromNumbersBracesAndContainers) {
  array a = 2.5;
  EXPECT_EQ(a.size(), 1u);
  a = {1, 2};
  EXPECT_EQ(a.size(), 2u);
  a = Foreign();
  EXPECT_EQ(a.size(), 3u);
  a = {};
  EXPECT_TRUE(a.empty());
  EXPECT_EQ(a.pointer(), nullptr);
}

TEST(CppArray, RowsAreStoredByColumns) {
  const array a = perp::rows({{1, 2, 3}, {4, 5, 6}});
  const double expected[] = {1, 4, 2, 5, 3, 6};
  ASSERT_EQ(a.size(), 6u);
  for (std::size_t i = 0; i < 6; i++) EXPECT_EQ(a[i], expected[i]);
  EXPECT_TRUE(perp::rows({}).empty());
  EXPECT_THROW(perp::rows({{1, 2}, {3}}), perp::error);
}

TEST(CppError, IsASentence) {
  perp_info info = PERP_INFO_INIT;
  info.field = "theta";
  info.index = 3;
  info.value = 1.5;
  const perp::error e(PERP_EINVAL, "simulation", info);
  EXPECT_EQ(e.status(), PERP_EINVAL);
  EXPECT_STREQ(e.field(), "theta");
  EXPECT_EQ(e.index(), 3);
  EXPECT_EQ(e.value(), 1.5);
  EXPECT_EQ(text_of(e),
            "simulation: theta[3] = 1.5: must be between 0 and 1, of compliant laws > 0");
  const std::runtime_error &base = e;
  EXPECT_STREQ(base.what(), e.what());
}

TEST(CppError, OnlyNegativeStatusesThrow) {
  for (perp_status s = 0; s < 100; s++) EXPECT_EQ(perp::check(s), s);
  for (perp_status s = -100; s < 0; s++) EXPECT_THROW(perp::check(s), perp::error) << s;
}

TEST(CppEigen, ObjectsPassWithoutACopy) {
#ifdef HAVE_EIGEN
  Eigen::Vector3d v(1, 2, 3);
  Eigen::MatrixXd M(2, 2);
  M << 2, 1, 1, 2;
  EXPECT_EQ(view(v).data(), v.data());
  EXPECT_EQ(view(M).data(), M.data());
  EXPECT_EQ(view(M.col(1)).data(), M.data() + 2);
  EXPECT_THROW(view(M.row(1)), perp::error) << "a row has gaps";
  Eigen::Matrix<double, 1, 3> row(1, 2, 3);
  EXPECT_EQ(view(row).data(), row.data());
  Eigen::VectorXd z(2), w(2), q(2);
  q << -5, -6;
  perp::solver lemke(perp::lemke());
  ASSERT_EQ(lemke.lcp(M, q, z, w), PERP_OK);
  EXPECT_NEAR((M * z + q - w).norm(), 0, 1e-14);
  EXPECT_GE(z.minCoeff(), 0);
  EXPECT_NEAR(z.dot(w), 0, 1e-14);
  perp::lagrangian_linear s(2, M);
  s.f = v.head(2);
  s.force = [](double, span f) { Eigen::Map<Eigen::VectorXd>(f.data(), 2).setOnes(); };
  perp::model m;
  const auto id = m.add(s, q, v.tail<2>());
  perp::simulation sim(m, 1e-3);
  ASSERT_EQ(sim.step(), PERP_OK);
  const Eigen::Map<const Eigen::VectorXd> velocity(sim.v(id).data(), 2);
  const Eigen::Vector2d expected = v.tail<2>() + 1e-3 * M.inverse() * Eigen::Vector2d(2, 3);
  EXPECT_NEAR((velocity - expected).norm(), 0, 1e-14);
#else
  GTEST_SKIP() << "Eigen is not installed";
#endif
}

}  // namespace
