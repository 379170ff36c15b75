// SPDX-License-Identifier: MIT
// Friction in the plane by Lemke's method: known contacts, families of all ranks, laws beside it.
#include <gtest/gtest.h>
#include <perp/pivoting.h>

#include <algorithm>

#include "contact_system.hpp"
#include "families.hpp"

namespace {

using row_system = contacts::system;
using contacts::unit;
using families::source;
using tools::at;
using tools::dense;
using tools::ints;
using tools::kInf;
using tools::kNaN;
using tools::vec;

struct answer {
  perp_status status = 999;
  vec lambda, y;
  perp_info info = PERP_INFO_INIT;
};

answer solve(const row_system &s, const void *options = nullptr, std::size_t shift = 5) {
  answer a;
  a.lambda.assign(s.q.size(), 999);
  a.y.assign(s.q.size(), 999);
  const std::size_t bytes =
      perp_solver_workspace(perp_solver_friction_lemke(), &s.problem, options);
  EXPECT_GT(bytes, 0u);
  std::vector<unsigned char> work(bytes + 64, 0xA5);
  a.status = perp_solver_solve(perp_solver_friction_lemke(), &s.problem, options, a.lambda.data(),
                               a.y.data(), nullptr, work.data() + shift, bytes, &a.info);
  for (std::size_t i = 0; i < shift; i++) EXPECT_EQ(work[i], 0xA5);
  for (std::size_t i = shift + bytes; i < work.size(); i++) EXPECT_EQ(work[i], 0xA5);
  return a;
}

perp_solver_options with(double tol, std::int32_t max_iter = 0) {
  perp_solver_options o = perp_solver_options_default();
  o.tol = tol;
  o.max_iter = max_iter;
  return o;
}

// B Bᵀ of so many columns, and a q of the range of B, so that the frictionless problem is feasible.
void mechanics(source *s, std::int32_t n, std::int32_t rank, dense *M, vec *q) {
  dense B(n, rank);
  for (std::int32_t j = 0; j < rank; j++)
    for (std::int32_t i = 0; i < n; i++) B(i, j) = s->signed_unit();
  *M = dense(n, n);
  q->assign(at(n), 0);
  for (std::int32_t i = 0; i < n; i++)
    for (std::int32_t j = 0; j < n; j++)
      for (std::int32_t k = 0; k < rank; k++) (*M)(i, j) += B(i, k) * B(j, k);
  for (std::int32_t k = 0; k < rank; k++) {
    const double v = s->signed_unit();
    for (std::int32_t i = 0; i < n; i++) (*q)[at(i)] += B(i, k) * v;
  }
}

std::vector<unit> planes(source *s, std::int32_t contacts, double decades = 0) {
  std::vector<unit> row;
  for (std::int32_t c = 0; c < contacts; c++)
    row.push_back(contacts::plane(decades > 0 ? s->power(decades) : s->unit()));
  return row;
}

dense rows(std::int32_t n, const vec &values) { return tools::from_rows(n, values); }

}  // namespace

TEST(FrictionLemke, OneContactSticksSlipsOrTakesOff) {
  struct known {
    vec M, q, r;
    double mu;
  };
  const known all[] = {{{1, 0, 0, 2}, {-1, 3}, {1, -0.5}, 0.5},
                       {{1, 0, 0, 2}, {-1, 0.5}, {1, -0.25}, 0.5},
                       {{1, 0, 0, 2}, {-1, -3}, {1, 0.5}, 0.5},
                       {{1, 1.5, 1.5, 4}, {-1, 0}, {16.0 / 7, -6.0 / 7}, 1},
                       {{1, 1.5, 1.5, 4}, {-1, -3}, {0.4, 0.4}, 1},
                       {{1, 1.5, 1.5, 4}, {1, 4}, {0, 0}, 1},
                       {{1, 0, 0, 2}, {-1, 3}, {1, 0}, 0}};
  for (const known &k : all) {
    const row_system s(rows(2, k.M), k.q, {contacts::plane(k.mu)});
    const answer a = solve(s);
    ASSERT_EQ(a.status, PERP_OK);
    EXPECT_NEAR(a.lambda[0], k.r[0], 1e-14);
    EXPECT_NEAR(a.lambda[1], k.r[1], 1e-14);
    EXPECT_STREQ(a.info.solver, "friction-lemke");
  }
}

TEST(FrictionLemke, DefiniteProblemsAreSolvedExactly) {
  source s(31);
  const perp_solver_options o = with(1e-12);
  for (int t = 0; t < 500; t++) {
    const std::int32_t contacts = families::size(s, 8);
    dense M(0, 0);
    vec q;
    mechanics(&s, 2 * contacts, 2 * contacts + 3, &M, &q);
    const row_system p(M, q, planes(&s, contacts));
    const answer a = solve(p, &o);
    ASSERT_EQ(a.status, PERP_OK) << t;
    EXPECT_LT(contacts::error(p, a.lambda), 1e-12) << t;
  }
}

TEST(FrictionLemke, HyperstaticProblemsAreSolved) {
  source s(32);
  const perp_solver_options o = with(1e-10);
  for (int t = 0; t < 500; t++) {
    const std::int32_t contacts = families::size(s, 8);
    dense M(0, 0);
    vec q;
    mechanics(&s, 2 * contacts, s.integer(1, 2 * contacts), &M, &q);
    const row_system p(M, q, planes(&s, contacts));
    const answer a = solve(p, &o);
    ASSERT_EQ(a.status, PERP_OK) << t;
    EXPECT_LT(contacts::error(p, a.lambda), 1e-10) << t;
  }
}

TEST(FrictionLemke, FrictionOfAnySize) {
  source s(33);
  const perp_solver_options o = with(1e-9);
  int solved = 0;
  for (int t = 0; t < 300; t++) {
    const std::int32_t contacts = s.integer(1, 6);
    dense M(0, 0);
    vec q;
    mechanics(&s, 2 * contacts, s.integer(contacts, 3 * contacts), &M, &q);
    const row_system p(M, q, planes(&s, contacts, 6)); /* 1e-6 ... 1e6 */
    const answer a = solve(p, &o);
    if (a.status != PERP_OK) continue;
    solved++;
    EXPECT_LT(contacts::error(p, a.lambda), 1e-9) << t;
  }
  EXPECT_GE(solved, 297);
}

TEST(FrictionLemke, UnitsDoNotMatter) {
  source s(34);
  for (int t = 0; t < 50; t++) {
    const std::int32_t contacts = s.integer(1, 6);
    dense M(0, 0);
    vec q;
    mechanics(&s, 2 * contacts, 2 * contacts, &M, &q);
    const std::vector<unit> row = planes(&s, contacts);
    const row_system one(M, q, row);
    for (double &x : M.a) x *= 0x1p-40;
    for (double &x : q) x *= 0x1p30;
    const row_system two(M, q, row);
    const answer a = solve(one), b = solve(two);
    ASSERT_EQ(a.status, PERP_OK);
    ASSERT_EQ(b.status, PERP_OK);
    for (std::size_t i = 0; i < q.size(); i++) EXPECT_EQ(b.lambda[i], 0x1p70 * a.lambda[i]);
  }
}

TEST(FrictionLemke, LawsByComponentStandBesideFriction) {
  source s(35);
  for (int t = 0; t < 300; t++) {
    std::vector<unit> row;
    std::int32_t n = 0;
    const bool interval = s.chance(0.7);
    for (int k = 0; k < 5; k++) {
      const std::int32_t what = s.integer(0, interval ? 4 : 1);
      row.push_back(what == 0   ? contacts::orthant()
                    : what == 1 ? contacts::plane(s.unit())
                    : what == 2 ? contacts::free_row()
                    : what == 3 ? contacts::box(-s.unit(), s.unit())
                                : contacts::plane(0));
      n += row.back().size;
    }
    dense M(0, 0);
    vec q;
    mechanics(&s, n, n + 2, &M, &q);
    const row_system p(M, q, row, s.chance(0.5) ? PERP_DENSE : PERP_BLOCKS);
    const answer a = solve(p);
    ASSERT_EQ(a.status, PERP_OK) << t;
    EXPECT_LT(contacts::error(p, a.lambda), 1e-10) << t;
  }
}

TEST(FrictionLemke, StorageChangesNoBit) {
  source s(36);
  dense M(0, 0);
  vec q;
  mechanics(&s, 8, 9, &M, &q);
  const std::vector<unit> row = planes(&s, 4);
  const answer one = solve(row_system(M, q, row));
  ASSERT_EQ(one.status, PERP_OK);
  for (const ints &cuts : {ints{}, ints{0, 2, 4, 6, 8}, ints{0, 3, 8}}) {
    const answer two = solve(row_system(M, q, row, PERP_BLOCKS, cuts));
    EXPECT_EQ(two.lambda, one.lambda);
  }
  const vec d{1, 2, 3, 4};
  dense D(4, 4);
  for (std::int32_t i = 0; i < 4; i++) D(i, i) = d[at(i)];
  EXPECT_EQ(solve(row_system(D, {-1, 1, -2, 5}, planes(&s, 2), PERP_DIAGONAL)).status, PERP_OK);
  EXPECT_EQ(solve(row_system(dense(4, 4), {1, 0, 2, 0}, planes(&s, 2), PERP_ZERO)).status, PERP_OK);
}

TEST(FrictionLemke, WhatHasNoSolutionIsNotSolved) {
  const row_system sinks(dense(2, 2), {-1, 0}, {contacts::plane(0.5)}, PERP_ZERO);
  EXPECT_EQ(solve(sinks).status, PERP_RAY);
  dense negative(2, 2);
  negative(0, 0) = -1;
  negative(1, 1) = 1;
  EXPECT_GT(solve(row_system(negative, {-1, 0}, {contacts::plane(0.5)})).status, 0);
}

TEST(FrictionLemke, FrictionInSpaceIsRefused) {
  const row_system p(rows(3, {1, 0, 0, 0, 1, 0, 0, 0, 1}), {-1, 0, 0}, {contacts::space(0.5)});
  EXPECT_EQ(perp_solver_workspace(perp_solver_friction_lemke(), &p.problem, nullptr), 0u);
  vec lambda(3, 999), y(3, 999);
  std::vector<unsigned char> work(10000);
  EXPECT_EQ(perp_solver_solve(perp_solver_friction_lemke(), &p.problem, nullptr, lambda.data(),
                              y.data(), nullptr, work.data(), work.size(), nullptr),
            PERP_EUNSUPPORTED);
}

TEST(FrictionLemke, WhatIsNotFiniteIsNamed) {
  for (const double bad : {kNaN, kInf, -kInf})
    for (int where = 0; where < 6; where++) {
      vec M{1, 0.5, 0.5, 2}, q{-1, 0.5};
      (where < 4 ? M[at(where)] : q[at(where - 4)]) = bad;
      for (const std::int32_t kind : {PERP_DENSE, PERP_BLOCKS}) {
        const answer a = solve(row_system(rows(2, M), q, {contacts::plane(0.5)}, kind));
        EXPECT_EQ(a.status, PERP_ENOTFINITE) << where;
        EXPECT_STREQ(a.info.field, where < 4 ? "M" : "q");
      }
    }
}

TEST(FrictionLemke, HugeFrictionEndsHonestly) {
  for (const double mu : {1e8, 1e100, 1e300}) {
    const row_system p(rows(2, {1, 0.5, 0.5, 2}), {-1, 0.5}, {contacts::plane(mu)});
    const answer a = solve(p);
    ASSERT_EQ(a.status, PERP_OK) << mu; /* it sticks */
    EXPECT_NEAR(a.lambda[0], 9.0 / 7, 1e-14);
    EXPECT_NEAR(a.lambda[1], -4.0 / 7, 1e-14);
  }
}

TEST(FrictionLemke, NothingIsSolved) {
  perp_problem none = PERP_PROBLEM_INIT;
  std::vector<unsigned char> work(
      perp_solver_workspace(perp_solver_friction_lemke(), &none, nullptr));
  EXPECT_EQ(perp_solver_solve(perp_solver_friction_lemke(), &none, nullptr, nullptr, nullptr,
                              nullptr, work.data(), work.size(), nullptr),
            PERP_OK);
}

TEST(FrictionLemke, LimitsAndObserversAreKept) {
  source s(37);
  dense M(0, 0);
  vec q;
  mechanics(&s, 20, 22, &M, &q);
  for (double &x : q) x = -std::fabs(x);
  const row_system p(M, q, planes(&s, 10));
  perp_solver_options o = with(1e-10);
  const answer all = solve(p, &o);
  ASSERT_EQ(all.status, PERP_OK);
  ASSERT_GT(all.info.iterations, 3);
  o.max_iter = 3;
  const answer few = solve(p, &o);
  EXPECT_EQ(few.status, PERP_MAX_ITER);
  EXPECT_EQ(few.info.iterations, 3);
  o.max_iter = 0;
  static std::int32_t seen;
  seen = 0;
  o.observe = [](const perp_iterate *it, void *user) -> std::int32_t {
    EXPECT_EQ(it->iteration, seen++);
    return user != nullptr && seen == 2 ? 1 : 0;
  };
  EXPECT_EQ(solve(p, &o).status, PERP_OK);
  EXPECT_EQ(seen, all.info.iterations);
  seen = 0;
  o.user = &seen;
  EXPECT_EQ(solve(p, &o).status, PERP_STOPPED);
  EXPECT_EQ(seen, 2);
}

TEST(FrictionLemke, TheBlockOfMemoryIsExact) {
  const row_system p(rows(2, {1, 0, 0, 2}), {-1, 3}, {contacts::plane(0.5)});
  for (std::size_t shift = 0; shift < 64; shift++)
    EXPECT_EQ(solve(p, nullptr, shift).status, PERP_OK);
  const std::size_t bytes =
      perp_solver_workspace(perp_solver_friction_lemke(), &p.problem, nullptr);
  std::vector<unsigned char> work(bytes);
  vec lambda(2, 999), y(2, 999);
  EXPECT_EQ(perp_solver_solve(perp_solver_friction_lemke(), &p.problem, nullptr, lambda.data(),
                              y.data(), nullptr, work.data(), bytes - 1, nullptr),
            PERP_EWORKSPACE);
  EXPECT_EQ(lambda, vec(2, 999));
}

TEST(FrictionLemke, OptionsAreChecked) {
  const row_system p(rows(2, {1, 0, 0, 2}), {-1, 3}, {contacts::plane(0.5)});
  for (const double tol : {-1.0, kNaN}) {
    const perp_solver_options o = with(tol);
    EXPECT_EQ(perp_solver_workspace(perp_solver_friction_lemke(), &p.problem, &o), 0u);
  }
  const perp_solver_options o = with(1e-10, -1);
  EXPECT_EQ(perp_solver_workspace(perp_solver_friction_lemke(), &p.problem, &o), 0u);
}
