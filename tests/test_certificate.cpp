// SPDX-License-Identifier: MIT
// Farkas certificates: what is proved must be true, and what is true with exact data is proved.
#include <gtest/gtest.h>
#include <perp/problem.h>

#include <algorithm>
#include <cmath>

#include "problem_tools.hpp"

extern "C" {
#include "problem/certificate.h"
#include "problem/farkas.h"
#include "problem/residual.h"
}

namespace {

using tools::at;
using tools::dense;
using tools::from_rows;
using tools::ints;
using tools::kInf;
using tools::kNaN;
using tools::stored;
using tools::uniform;
using tools::vec;

// An interval problem in one box; owns its arrays.
class boxed {
 public:
  dense M;
  vec q, lower, upper;
  perp_problem p = PERP_PROBLEM_INIT;

  boxed(dense m, vec q_, vec l, vec u, std::int32_t kind = PERP_DENSE, ints cuts = {})
      : M(std::move(m)),
        q(std::move(q_)),
        lower(std::move(l)),
        upper(std::move(u)),
        view_(M, kind, std::move(cuts)) {
    perp_box_init(&box_, sizeof box_);
    box_.law.size = M.rows;
    box_.lower = lower.data();
    box_.upper = upper.data();
    p = perp_problem_of(view_.view, q.data(), 1, &law_, nullptr);
  }
  boxed(const boxed &) = delete;
  boxed &operator=(const boxed &) = delete;

  perp_status prove(const vec &u, double *bound) const {
    std::vector<unsigned char> work(perp_problem_residual_workspace(&p));
    *bound = 999;
    return perp_problem_certificate(&p, u.data(), bound, work.data(), work.size());
  }
  double bound(const vec &u) const {
    double b = 999;
    const perp_status status = prove(u, &b);
    EXPECT_EQ(status, b > 0 ? PERP_OK : PERP_INACCURATE);
    return b;
  }
  double proof(const vec &u) const {
    vec scratch(certificate_scratch_doubles(p.n) + 1, 999.0);
    const double least = perp_certificate_proves(&p, u.data(), scratch.data());
    EXPECT_EQ(scratch.back(), 999.0);
    return least;
  }
  bool proves(const vec &u) const { return proof(u) > 0; }

 private:
  stored view_;
  perp_box box_{};
  const perp_law *law_ = &box_.law;
};

vec all(std::int32_t n, double x) { return vec(at(n), x); }

boxed lcp(std::int32_t n, const vec &rows, const vec &q) {
  return boxed(from_rows(n, rows), q, all(n, 0), all(n, kInf));
}

TEST(Certificate, AScalarThatCannotBeSolvedIsProved) {
  const boxed s = lcp(1, {-1}, {-1});
  EXPECT_EQ(s.bound({1}), kInf);
  EXPECT_EQ(s.bound({0x1p-300}), kInf);  // a proof is a direction
  EXPECT_EQ(s.proof({1}), kInf);
}

TEST(Certificate, WhatIsNoDirectionOfTheConeProvesNothing) {
  const boxed s = lcp(1, {-1}, {-1});
  EXPECT_EQ(s.bound({-1}), 0);
  EXPECT_EQ(s.bound({0}), 0);
  const boxed up(from_rows(1, {-1}), {1}, {-kInf}, {0});  // y = 1 - x <= 0 for no x <= 0
  EXPECT_EQ(up.bound({-1}), kInf);
  EXPECT_EQ(up.bound({1}), 0);
  const boxed relay(from_rows(1, {1}), {-5}, {-1}, {1});  // always solvable
  for (const double u : {-1.0, 1.0, 1e-300}) EXPECT_EQ(relay.bound({u}), 0);
}

TEST(Certificate, AnInfeasibleSemidefiniteProblemIsProvedAndASolvableOneIsNot) {
  const vec M = {1, -1, -1, 1};
  EXPECT_EQ(lcp(2, M, {-1, -1}).bound({1, 1}), kInf);
  const boxed solvable = lcp(2, M, {1, -1});  // (t, 1 + t), norm 1 and more
  for (int i = 0; i <= 20; i++)
    for (int j = 0; j <= 20; j++) EXPECT_LE(solvable.bound({i / 10.0, j / 10.0}), 1);
}

TEST(Certificate, TheBoundIsExactWhereRoundingLeavesAWrongSign) {
  // (Mᵀu)_1 = 3 fl(0.1) - fl(0.3), which a product in doubles gets wrong by a factor of two.
  const boxed s = lcp(2, {0.1, 0, -0.3, 0}, {-1, 0});
  const long double wrong = 3 * static_cast<long double>(0.1) - static_cast<long double>(0.3);
  ASSERT_GT(wrong, 0);
  const double expected = static_cast<double>(3 / wrong);
  const double bound = s.bound({3, 1});
  EXPECT_LE(bound, expected);
  EXPECT_GT(bound, expected * (1 - 1e-9));
  EXPECT_EQ(s.proof({3, 1}), bound);
}

TEST(Certificate, AProductThatOnlyRoundingMakesNegativeIsNoProof) {
  // fl(0.3) - 3 fl(0.1) = -2.8e-17 exactly, -5.6e-17 in doubles: 2^-55 = 2.8e-17 makes it 0.
  const dense none(3, 3);
  const vec u = {1, 3, 1};
  for (const double last : {0.0, 0x1p-56, 0x1p-55, 0x1p-54}) {
    const vec q = {0.3, -0.1, last};
    long double sum = 0;
    for (std::size_t i = 0; i < 3; i++) sum += static_cast<long double>(q[i]) * u[i];
    EXPECT_EQ(boxed(none, q, all(3, 0), all(3, kInf)).bound(u), sum < 0 ? kInf : 0) << last;
  }
  EXPECT_EQ(lcp(2, {0, 0, 0, 0}, {0x1p-60, -0x1p-60}).bound({1, 1}), 0);  // exactly 0
}

TEST(Certificate, FiniteBoundsTakePart) {
  // y_1 = x_2 - 2 = 0 needs x_2 = 2.
  const auto with = [](double l, double u, const vec &d, double sign) {
    const boxed s(from_rows(2, {0, sign, 0, 1}), {-2 * sign, 0}, {-kInf, l}, {kInf, u});
    return s.bound(d);
  };
  for (const double sign : {1.0, -1.0}) {
    EXPECT_EQ(with(0, 1, {sign, 0}, sign), kInf);
    EXPECT_EQ(with(0, 1, {-sign, 0}, sign), 0);
    EXPECT_EQ(with(0, 3, {sign, 0}, sign), 0);
    EXPECT_EQ(with(0, 2, {sign, 0}, sign), 0);
    EXPECT_EQ(with(3, 4, {-sign, 0}, sign), kInf);
    EXPECT_EQ(with(3, kInf, {-sign, 0}, sign), kInf);
    EXPECT_EQ(with(-kInf, 1, {sign, 0}, sign), kInf);
    EXPECT_EQ(with(-kInf, 1, {-sign, 0}, sign), 0);
    EXPECT_EQ(with(0, kInf, {sign, 0}, sign), 2 * (1 - 0x1p-40));
  }
}

TEST(Certificate, BoundsFarAwayCountAsInfinite) {
  const boxed s(from_rows(3, {0, 0, 0.1, 0, 0, -0.3, 0, 0, 1}), {-1, 0, 0}, {-kInf, -kInf, -1e30},
                {kInf, kInf, 1e30});
  EXPECT_GT(s.bound({3, 1, 0}), 1e16);
  EXPECT_FALSE(s.proves({3, 1, 0}));  // but what is bounded may be as large as its bounds
  EXPECT_EQ(s.proof({0.3, 0.1, 0}), kInf);
}

TEST(Certificate, TheBoundIsTheSameForEveryStorage) {
  uniform random(7);
  for (int t = 0; t < 50; t++) {
    dense M(5, 5);
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 5; j++) M(i, j) = random() > 0.3 ? 0 : random();
    for (int j = 0; j < 5; j++) M(4, j) = -(M(0, j) + M(1, j) + M(2, j) + M(3, j));  // rounded
    const vec q = all(5, -1), l = {0, 0, 0, 0, 0}, u = all(5, kInf), d = all(5, 1);
    const double bound = boxed(M, q, l, u).bound(d);
    EXPECT_GT(bound, 1e13);
    EXPECT_EQ(boxed(M, q, l, u, PERP_BLOCKS).bound(d), bound);
    EXPECT_EQ(boxed(M, q, l, u, PERP_BLOCKS, {0, 2, 3, 5}).bound(d), bound);
    const double proof = boxed(M, q, l, u).proof(d);
    vec ray = d;
    EXPECT_EQ(perp_certificate_lcp(5, M.a.data(), M.ld, q.data(), ray.data()), proof);
    EXPECT_EQ(boxed(M, q, l, u, PERP_BLOCKS).proof(d), proof);
    EXPECT_EQ(boxed(M, q, l, u, PERP_BLOCKS, {0, 2, 3, 5}).proof(d), proof);
    EXPECT_EQ(proof, bound);
  }
  const dense D = from_rows(3, {-1, 0, 0, 0, 1e-20, 0, 0, 0, 0});
  for (const std::int32_t kind : {PERP_DIAGONAL, PERP_DENSE, PERP_BLOCKS}) {
    const boxed s(D, {-1, 0, -1}, all(3, 0), all(3, kInf), kind);
    EXPECT_EQ(s.bound({1, 0, 1}), kInf);
    const double b = s.bound({1, 1, 1});
    EXPECT_LE(b, 2e20);
    EXPECT_GT(b, 1.9999e20);
  }
  EXPECT_EQ(boxed(dense(2, 2), {1, -1}, all(2, 0), all(2, kInf), PERP_ZERO).bound({0, 1}), kInf);
}

// Integer data, so that the solution is exact: no direction may claim more than its norm.
TEST(Certificate, NoDirectionContradictsASolution) {
  uniform random(11);
  int claims = 0;
  for (int t = 0; t < 4000; t++) {
    const std::int32_t n = 1 + t % 4;
    const auto small = [&](int k) { return std::floor(random() * k); };
    dense M(n, n);
    vec x(at(n)), y(at(n)), q(at(n)), l(at(n)), u(at(n)), d(at(n));
    for (double &a : M.a) a = small(4);
    for (std::size_t i = 0; i < at(n); i++) {
      const double kind = random();
      l[i] = kind < -0.5 ? -kInf : small(3);
      u[i] = kind < -0.8 || kind > 0.2 ? kInf : (l[i] > -kInf ? l[i] : 0) + 2 + small(2);
      x[i] = l[i] > -kInf ? l[i] : u[i] < kInf ? u[i] : small(5);
      y[i] = l[i] > -kInf ? 1 + small(1) : u[i] < kInf ? -1 - small(1) : 0;
      if (random() > 0) {
        y[i] = 0;
        x[i] = l[i] > -kInf ? l[i] + 1 : u[i] < kInf ? u[i] - 1 : x[i];
        if (x[i] > u[i]) x[i] = u[i];
      }
      d[i] = l[i] == -kInf && u[i] == kInf ? small(3)
             : l[i] == -kInf               ? -std::fabs(small(3))
             : u[i] == kInf                ? std::fabs(small(3))
                                           : 0;
    }
    double norm = 0;
    for (std::int32_t i = 0; i < n; i++) {
      norm += std::fabs(x[at(i)]);
      q[at(i)] = y[at(i)];
      for (std::int32_t j = 0; j < n; j++) q[at(i)] -= M(i, j) * x[at(j)];
    }
    const boxed s(M, q, l, u);
    const double bound = s.bound(d);
    claims += bound > 0;
    EXPECT_LE(bound, norm) << t;
    EXPECT_FALSE(s.proves(d)) << t;
  }
  EXPECT_GT(claims, 100);
}

// M'u <= 0 with random doubles and u'q < 0: the bound is never above what long double finds.
TEST(Certificate, RoundingIsCountedAgainstTheProof) {
  uniform random(13);
  for (int t = 0; t < 500; t++) {
    const std::int32_t n = 2 + t % 9;
    dense M = random.matrix(n, n);
    vec u = random.vector(n), q = random.vector(n);
    for (double &x : u) x = 0.01 + std::fabs(x);
    for (std::int32_t j = 0; j < n; j++) {
      long double s = 0;
      for (std::int32_t i = 0; i + 1 < n; i++) s += static_cast<long double>(M(i, j)) * u[at(i)];
      M(n - 1, j) = static_cast<double>(-s / u[at(n - 1)]);
    }
    long double c = 0, wrong = 0;
    for (std::int32_t i = 0; i < n; i++) c -= static_cast<long double>(q[at(i)]) * u[at(i)];
    for (std::int32_t j = 0; j < n; j++) {
      long double s = 0;
      for (std::int32_t i = 0; i < n; i++) s += static_cast<long double>(M(i, j)) * u[at(i)];
      if (s > wrong) wrong = s;
    }
    const double bound = boxed(M, q, all(n, 0), all(n, kInf)).bound(u);
    if (c < -1e-15L) {
      EXPECT_EQ(bound, 0);
    }
    if (c > 1e-3L) {
      EXPECT_GT(bound, 1e11);
      if (wrong > 1e-17L) {
        EXPECT_NEAR(bound * static_cast<double>(wrong / c), 1, 0.05);
      }
    }
  }
}

TEST(Certificate, ScalesAndIllConditionedProblemsAreNotMistakenForInfeasibleOnes) {
  // solution 1e9 and more, in one tiny row
  const boxed scaled(from_rows(2, {1e-9, 0, 0, 1e9}), {-1, -1}, all(2, 0), all(2, kInf));
  EXPECT_FALSE(scaled.proves({1, 0}));
  const double near = scaled.bound({1, 0});
  EXPECT_LE(near, 1e9);
  // definite up to d: the solution is (1, 1) / d
  const auto thin = [](double d) {
    return boxed(from_rows(2, {1, -1 + d, -1 + d, 1}), {-1, -1}, all(2, 0), all(2, kInf))
        .proof({1, 1});
  };
  EXPECT_EQ(thin(0x1p-28), 0);  // amplification 2^29
  EXPECT_EQ(thin(0x1p-33), 0x1p34 * (1 - 0x1p-40));
  const boxed flat = lcp(2, {1, -1, -1, 1}, {-1, -1});
  EXPECT_TRUE(flat.proves({1, 1}));
  for (const double r : {1e-300, 1e-150, 1e-9, 1e9, 1e150, 1e300}) {  // scales do not count
    const boxed rows = lcp(2, {r, -1, -r, 1}, {-1e-7, -1e-7});
    EXPECT_TRUE(rows.proves({1, 1}));
  }
}

TEST(Certificate, InfeasibleByAHairIsInfeasible) {
  for (const double gap : {0x1p-10, 0x1p-50, 0x1p-52}) {
    const boxed hair(from_rows(2, {1, 2, 1, 2}), {1, -1 - gap}, {-kInf, -kInf}, {kInf, kInf});
    EXPECT_EQ(hair.proof({1, -1}), 0);
    EXPECT_EQ(hair.proof({-1, 1}), kInf);
  }
}

TEST(Certificate, NumbersAtTheEndsOfTheRangeCountInFull) {
  // M = 5e-324, q = -1e-300: the solution is 2e23, with A = 2
  const boxed tiny = lcp(1, {0x1p-1074}, {-1e-300});
  EXPECT_EQ(tiny.proof({1}), 0);
  EXPECT_LE(tiny.bound({1}), 1e-300 / 0x1p-1074);
  EXPECT_EQ(lcp(1, {-0x1p-1074}, {-0x1p-1074}).proof({0x1p-1074}), kInf);
  EXPECT_EQ(lcp(1, {-1e300}, {-1e300}).proof({1e300}), kInf);
  EXPECT_EQ(lcp(1, {-1e-300}, {-1e-300}).proof({1e-300}), kInf);
  EXPECT_EQ(lcp(1, {0x1p-1074}, {-0x1p-1074}).proof({1}), 0);
  // D M D with 1e±150: the sums are exactly 0 in every unit
  for (const double r : {0x1p-500, 0x1p500}) {
    const boxed mixed = lcp(2, {r * r, -r, -r, 1}, {-r, -1});
    EXPECT_EQ(mixed.proof({1 / r, 1}), kInf);
    EXPECT_EQ(mixed.proof({1, 1}), 0);
  }
}

TEST(Certificate, RowsInWhichTheRayIsRoundingDoNotSpoilIt) {
  const boxed s = lcp(3, {1, -1, 0, -1, 1, 0, 0, 0, 1}, {-1, -1, 3});
  EXPECT_EQ(s.proof({1, 1, 0}), kInf);
  EXPECT_GT(s.proof({1, 1, 1e-17}), 1e16);
  EXPECT_EQ(s.proof({1, 1, 1e-5}), 0);
}

TEST(Certificate, WhatIsBoundedMayBeAsLargeAsItsBounds) {
  // y_1 = 2^-40 x - 1 is solved by x = 2^40: allowed up to there, and amplified where x has no
  // bound
  const vec M = {0, 0x1p-40, 0, 1};
  const auto with = [&](double l, double u) {
    return boxed(from_rows(2, M), {-1, 0}, {0, l}, {kInf, u}).proof({1, 0});
  };
  EXPECT_EQ(with(-1, 0x1p39), kInf);
  EXPECT_EQ(with(-1, 0x1p41), 0);
  EXPECT_EQ(with(-kInf, 0x1p39), kInf);
  EXPECT_EQ(with(-kInf, kInf), 0x1p40 * (1 - 0x1p-40));
}

// Contacts of one kind with the rows of M and q.
class touching {
 public:
  dense M;
  vec q;
  std::int32_t size, groups;
  double mu[2];

  touching(dense m, vec q_, std::int32_t size_, double slides, double rolls = -1)
      : M(std::move(m)),
        q(std::move(q_)),
        size(size_),
        groups(rolls >= 0 ? 2 : 1),
        mu{slides, rolls},
        view_(M, PERP_DENSE, {}) {
    perp_friction_init(&friction_, sizeof friction_);
    perp_rolling_init(&rolling_, sizeof rolling_);
    friction_.law.size = rolling_.law.size = size;
    friction_.mu = rolling_.mu = slides;
    rolling_.mu_rolling = rolls;
    law_ = groups == 2 ? &rolling_.law : &friction_.law;
    offset_[1] = M.rows;
    p = perp_problem_of(view_.view, q.data(), 1, &law_, offset_);
  }
  touching(const touching &) = delete;
  touching &operator=(const touching &) = delete;

  double bound(const vec &u) const {
    double b = 999;
    std::vector<unsigned char> work(perp_problem_residual_workspace(&p));
    const perp_status status = perp_problem_certificate(&p, u.data(), &b, work.data(), work.size());
    EXPECT_EQ(status, b > 0 ? PERP_OK : PERP_INACCURATE);
    return b;
  }
  double proof(const vec &u) const {
    vec scratch(certificate_scratch_doubles(p.n));
    return perp_certificate_proves(&p, u.data(), scratch.data());
  }
  bool proves(const vec &u) const { return proof(u) > 0; }

  perp_problem p = PERP_PROBLEM_INIT;

 private:
  stored view_;
  perp_friction friction_{};
  perp_rolling rolling_{};
  const perp_law *law_ = nullptr;
  std::int32_t offset_[2] = {0, 0};
};

TEST(Certificate, AContactThatNothingCanOpenIsProved) {
  const touching inside(from_rows(2, {-0.6, 1, 0, 1}), {-1, 0}, 2, 0.5);
  EXPECT_EQ(inside.bound({1, 0}), kInf);  // y_n <= −0.1 λ_n − 1
  EXPECT_TRUE(inside.proves({1, 0}));
  const touching edge(from_rows(2, {-0.5, 1, 0, 1}), {-1, 0}, 2, 0.5);
  EXPECT_GE(edge.bound({1, 0}), 1e14);
  EXPECT_TRUE(edge.proves({1, 0}));
  const touching outside(from_rows(2, {-0.4, 1, 0, 1}), {-1, 0}, 2, 0.5);
  EXPECT_GE(outside.bound({1, 0}), 10 * (1 - 1e-10));  // y_n <= 0.1 λ_n − 1
  EXPECT_LE(outside.bound({1, 0}), 15);                // λ = (10, 5) opens it
  EXPECT_FALSE(outside.proves({1, 0}));
  const touching ball(from_rows(3, {-1, 1, -1, 0, 0, 0, 0, 0, 0}), {-1, 0, 0}, 3, 0.7);
  EXPECT_EQ(ball.bound({1, 0, 0}), kInf);  // 0.7 √2 < 1
  const touching faster(from_rows(3, {-1, 1, -1, 0, 0, 0, 0, 0, 0}), {-1, 0, 0}, 3, 0.71);
  EXPECT_LE(faster.bound({1, 0, 0}), 1000);
  const touching rolls(from_rows(3, {-1, 1, 2, 0, 0, 0, 0, 0, 0}), {-1, 0, 0}, 3, 0.5, 0.24);
  EXPECT_EQ(rolls.bound({1, 0, 0}), kInf);
  const touching further(from_rows(3, {-1, 1, 2, 0, 0, 0, 0, 0, 0}), {-1, 0, 0}, 3, 0.5, 0.26);
  EXPECT_LE(further.bound({1, 0, 0}), 1000);
}

TEST(Certificate, AtContactsOnlyNormalsProve) {
  const touching s(from_rows(2, {-0.6, 1, 0, 1}), {-1, 0}, 2, 0.5);
  EXPECT_EQ(s.bound({1, 1e-300}), 0);
  EXPECT_EQ(s.bound({-1, 0}), 0);
  EXPECT_EQ(s.bound({0, 0}), 0);
  EXPECT_EQ(s.bound({1, kNaN}), 0);
  EXPECT_EQ(s.bound({kInf, 0}), 0);
  EXPECT_EQ(touching(from_rows(2, {-0.6, kNaN, 0, 1}), {-1, 0}, 2, 0.5).bound({1, 0}), 0);
  EXPECT_EQ(touching(from_rows(2, {-0.6, kInf, 0, 1}), {-1, 0}, 2, 0).bound({1, 0}), 0);
  EXPECT_EQ(touching(from_rows(2, {-0.6, 1, 0, 1}), {1, 0}, 2, 0.5).bound({1, 0}), 0);
  vec scratch(8), u = {2, 3, -1, 0.5};
  const touching two(dense(4, 4), all(4, -1), 2, 0.5);
  perp_certificate_project(&two.p, u.data(), scratch.data());
  EXPECT_EQ(u, (vec{2, 0, 0, 0}));
}

// Whatever reactions are allowed and below the bound: uᵀ(M λ + q) < 0.
TEST(Certificate, WhatIsSaidOfContactsHoldsForEveryReaction) {
  uniform random(3);
  const auto between = [&random](double a, double b) { return a + (b - a) * (1 + random()) / 2; };
  int certain = 0, bounded = 0;
  for (int k = 0; k < 3000; k++) {
    const std::int32_t size = k % 4 < 2 ? 2 + k % 4 : k % 4 == 2 ? 3 : 5, count = 1 + k % 3;
    const bool rolling = k % 4 >= 2;
    const std::int32_t n = count * size;
    dense M(n, n);
    vec q(at(n)), u(at(n), 0);
    for (std::int32_t i = 0; i < n; i++) {
      q[at(i)] = between(-1, 0.3);
      for (std::int32_t j = 0; j < n; j++)
        M(i, j) = j % size == 0 ? between(-1, k % 2 == 0 ? 0 : 0.2) : between(-0.5, 0.5);
    }
    for (std::int32_t c = 0; c < n; c += size) u[at(c)] = between(0, 1);
    const touching s(M, q, size, between(0, 1), rolling ? between(0, 0.5) : -1);
    const double bound = s.bound(u);
    if (!(bound > 0)) continue;
    (bound == kInf ? certain : bounded)++;
    for (int trial = 0; trial < 20; trial++) {
      std::vector<long double> x(at(n), 0);
      long double sum = 0, value = 0;
      const std::int32_t group = (size - 1) / s.groups;
      for (std::int32_t c = 0; c < n; c += size) {
        x[at(c)] = between(0, 1);
        for (std::int32_t g = 0; g < s.groups; g++) {
          long double norm = 0;
          long double *t = x.data() + c + 1 + g * group;
          for (std::int32_t i = 0; i < group; i++) t[i] = between(-1, 1);
          for (std::int32_t i = 0; i < group; i++) norm += t[i] * t[i];
          for (std::int32_t i = 0; i < group; i++) t[i] *= s.mu[g] * x[at(c)] / std::sqrt(norm);
        }
      }
      for (const long double v : x) sum += std::fabs(v);
      const long double length = bound == kInf ? 1000 : 0.999L * bound / sum;
      for (std::int32_t i = 0; i < n; i++) {
        value += static_cast<long double>(u[at(i)]) * q[at(i)];
        for (std::int32_t j = 0; j < n; j++) value += u[at(i)] * M(i, j) * length * x[at(j)];
      }
      ASSERT_LT(value, 0) << k << " bound " << bound;
    }
  }
  EXPECT_GE(certain, 100);
  EXPECT_GE(bounded, 100);
}

// Whatever is of ordinary size keeps u'y < 0, for coefficients of friction from 0 to 1e10.
TEST(Certificate, ContactsAreProvedOnlyWhereEveryReactionIsAmplified) {
  uniform random(5);
  int proved = 0, certain = 0;
  for (int k = 0; k < 4000; k++) {
    const double mu = k % 5 == 0 ? 0 : std::pow(10, 10 * random());
    const std::int32_t size = 2 + k % 2, n = size * (1 + k % 3);
    dense M(n, n);
    vec q(at(n)), u(at(n), 0);
    for (double &x : M.a) x = random();
    for (double &x : q) x = random() - 0.2;
    for (std::int32_t c = 0; c < n; c += size) u[at(c)] = 0.1 + std::fabs(random());
    for (std::int32_t j = 0; j < n; j++) {  // the last normal makes Mᵀu vanish but for rounding
      double sum = 0;
      for (std::int32_t c = 0; c + size < n; c += size) sum += u[at(c)] * M(c, j);
      M(n - size, j) = -sum / u[at(n - size)];
      if (k % 4 == 0 && j % size == 0) M(n - size, j) -= 1e-5;
    }
    const touching s(M, q, size, mu);
    const double bound = s.proof(u);
    if (!(bound > 0)) continue;
    (bound == kInf ? certain : proved)++;
    for (int trial = 0; trial < 20; trial++) {
      std::vector<long double> x(at(n));
      long double hat = 0, row = 0, value = 0;
      for (std::int32_t c = 0; c < n; c += size) {
        long double norm = 0;
        x[at(c)] = std::fabs(random());
        for (std::int32_t t = c + 1; t < c + size; t++) x[at(t)] = random();
        for (std::int32_t t = c + 1; t < c + size; t++) norm += x[at(t)] * x[at(t)];
        for (std::int32_t t = c + 1; t < c + size; t++) x[at(t)] *= mu * x[at(c)] / std::sqrt(norm);
      }
      for (std::int32_t i = 0; i < n; i++) {
        long double sum = 0;
        for (std::int32_t j = 0; j < n; j++) sum += std::fabs(M(i, j) * x[at(j)]);
        row = std::max(row, sum);
        hat = std::max<long double>(hat, std::fabs(q[at(i)]));
      }
      const long double length = 0x1p29L * hat / row;  // amplification 2^29 and a little
      for (std::int32_t i = 0; i < n; i++) {
        value += static_cast<long double>(u[at(i)]) * q[at(i)];
        for (std::int32_t j = 0; j < n; j++) value += length * u[at(i)] * M(i, j) * x[at(j)];
      }
      ASSERT_LT(value, 0) << k << " bound " << bound << " mu " << mu;
    }
  }
  EXPECT_GE(proved, 100);
  EXPECT_GE(certain, 100);
}

// diag(w) of M and q, and d / w, are the same inequality.
TEST(Certificate, WeightsOfRowsAreUnitsOfRows) {
  uniform random(17);
  int proved = 0;
  const auto proof = [](const dense &A, const vec &r, const vec &b, const double *w) {
    vec scratch(farkas_doubles(A.rows));
    const perp_matrix view = perp_dense(A.rows, A.rows, A.a.data());
    farkas s;
    perp_farkas_begin(&s, A.rows, A.rows, r.data(), b.data(), scratch.data());
    s.weight = w;
    std::fill_n(s.lower, A.rows, 0.0);
    std::fill_n(s.upper, A.rows, kInf);
    const wide_number hat = perp_farkas_hat(&s, &view, s.sum);
    perp_farkas_add(&s, &view, 0);
    return perp_farkas_proof(&s, hat);
  };
  for (int k = 0; k < 500; k++) {
    const std::int32_t n = 1 + k % 4;
    dense M = random.matrix(n, n), scaled(n, n);
    vec d = random.vector(n), q = random.vector(n), weight(at(n)), qs(at(n)), ds(at(n));
    for (double &x : d) x = std::fabs(x);
    for (double &x : q) x -= 1;
    for (std::int32_t j = 0; j < n; j++) {
      double sum = 0;
      for (std::int32_t i = 0; i + 1 < n; i++) sum += d[at(i)] * M(i, j);
      M(n - 1, j) = -sum / d[at(n - 1)];
    }
    for (std::int32_t i = 0; i < n; i++) {
      weight[at(i)] = std::ldexp(1, static_cast<int>(20 * random()));
      qs[at(i)] = weight[at(i)] * q[at(i)];
      ds[at(i)] = d[at(i)] / weight[at(i)];
      for (std::int32_t j = 0; j < n; j++) scaled(i, j) = weight[at(i)] * M(i, j);
    }
    const double bound = proof(M, d, q, weight.data());
    EXPECT_EQ(bound, proof(scaled, ds, qs, nullptr)) << k;
    proved += bound > 0;
  }
  EXPECT_GE(proved, 50);
}

TEST(Certificate, ProjectionPutsADirectionIntoTheCone) {
  const boxed s(dense(4, 4), all(4, -1), {0, -kInf, -kInf, 0}, {kInf, 0, kInf, 1});
  vec scratch(8);
  vec u = {-1e-17, 1e-17, -1, 3};
  perp_certificate_project(&s.p, u.data(), scratch.data());
  EXPECT_EQ(u, (vec{0, 0, -1, 0}));
  u = {2, -2, 5, 0};
  perp_certificate_project(&s.p, u.data(), scratch.data());
  EXPECT_EQ(u, (vec{2, -2, 5, 0}));
}

TEST(Certificate, NotANumberProvesNothing) {
  for (const double bad : {kNaN, kInf, -kInf}) {
    EXPECT_EQ(lcp(1, {-1}, {-1}).bound({bad}), 0);
    EXPECT_EQ(lcp(1, {bad}, {-1}).bound({1}), 0);
    EXPECT_EQ(lcp(1, {-1}, {bad}).bound({1}), 0);
    EXPECT_FALSE(lcp(1, {-1}, {bad}).proves({1}));
    EXPECT_FALSE(lcp(2, {-1, bad, 0, -1}, {-1, -1}).proves({1, 1}));
  }
}

TEST(Certificate, RefusesWrongCalls) {
  const boxed s = lcp(2, {1, -1, -1, 1}, {-1, -1});
  const double u[2] = {1, 1};
  double bound = 999;
  std::vector<unsigned char> work(perp_problem_residual_workspace(&s.p));
  const auto call = [&](const perp_problem *p, const double *d, double *b, std::size_t bytes) {
    return perp_problem_certificate(p, d, b, work.data(), bytes);
  };
  EXPECT_EQ(call(nullptr, u, &bound, work.size()), PERP_EINVAL);
  EXPECT_EQ(call(&s.p, nullptr, &bound, work.size()), PERP_EINVAL);
  EXPECT_EQ(call(&s.p, u, nullptr, work.size()), PERP_EINVAL);
  EXPECT_EQ(call(&s.p, u, &bound, work.size() - 1), PERP_EWORKSPACE);
  EXPECT_EQ(perp_problem_certificate(&s.p, u, &bound, nullptr, work.size()), PERP_EINVAL);
  EXPECT_EQ(bound, 0);
  perp_problem negative = s.p;
  negative.n = -1;
  EXPECT_EQ(call(&negative, u, &bound, work.size()), PERP_EINVAL);
  const perp_problem empty = PERP_PROBLEM_INIT;
  EXPECT_EQ(perp_problem_certificate(&empty, nullptr, &bound, nullptr, 0), PERP_INACCURATE);
}

TEST(Certificate, RefusesSetsThatAreNoIntervals) {
  perp_law_ops ops{};
  ops.struct_size = sizeof ops;
  ops.set = PERP_SET_OTHER;
  ops.name = "point";
  ops.project = [](const perp_law *, const void *, const double *, double *p) { p[0] = 0; };
  const perp_law law = {&ops, sizeof law, 1}, *laws = &law;
  const double q = -1, u = 1;
  double bound = 999;
  perp_matrix zero{}; /* of kind PERP_ZERO */
  zero.rows = zero.cols = 1;
  const perp_problem p = perp_problem_of(zero, &q, 1, &laws, nullptr);
  std::vector<unsigned char> work(perp_problem_residual_workspace(&p));
  EXPECT_EQ(perp_problem_certificate(&p, &u, &bound, work.data(), work.size()), PERP_EUNSUPPORTED);
  EXPECT_EQ(bound, 0);
}

}  // namespace
