// SPDX-License-Identifier: MIT
// Quadratic programs, nonlinear complementarity and variational inequalities through the façade.
#include <gtest/gtest.h>
#include <perp/heap.h>

#include <perp/perp.hpp>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
using vec = std::vector<double>;

// min 9 - 8 x1 - 6 x2 - 4 x3 + 2 x1² + 2 x2² + x3² + 2 x1 x2 + 2 x1 x3, x1 + x2 + 2 x3 <= 3, x >= 0
struct hs35 {
  vec P{4, 2, 2, 2, 4, 0, 2, 0, 2}, c{-8, -6, -4}, A{1, 1, 2}, low{-kInf}, high{3}, zero{0, 0, 0};
  perp::qp program() const { return perp::qp(P, c).rows(A, low, high).bounds(zero, {}); }
};

void expect_hs35(const perp::qp_solution &s) {
  ASSERT_EQ(s.status, PERP_OK);
  EXPECT_NEAR(s.x[0], 4.0 / 3, 1e-9);
  EXPECT_NEAR(s.x[1], 7.0 / 9, 1e-9);
  EXPECT_NEAR(s.x[2], 4.0 / 9, 1e-9);
  EXPECT_NEAR(s.nu[0], -2.0 / 9, 1e-9);
  EXPECT_TRUE(s.ray.empty());
}

TEST(CppQp, AKnownProgramIsSolvedByEveryWay) {
  const hs35 p;
  expect_hs35(perp::solve(p.program()));
  expect_hs35(perp::solve(p.program(), perp::box_pivoting()));
  expect_hs35(perp::solve(p.program(), perp::interior_point()));
  expect_hs35(perp::solve_dual(p.program()));
}

TEST(CppQp, AnInfeasibleProgramComesWithItsProof) {
  const vec P{1}, c{0}, A{1, 1}, low{1, -kInf}, high{kInf, 0};  // x >= 1, x <= 0
  for (const auto &s : {perp::solve(perp::qp(P, c).rows(A, low, high)),
                        perp::solve_dual(perp::qp(P, c).rows(A, low, high))}) {
    EXPECT_EQ(s.status, PERP_INFEASIBLE);
    ASSERT_EQ(s.ray.size(), 3u);
    EXPECT_EQ(s.ray[0], 0);
    EXPECT_GT(s.ray[1], 0);  // of x >= 1
    EXPECT_LT(s.ray[2], 0);  // of x <= 0
  }
}

TEST(CppQp, SizesThatDoNotFitThrow) {
  const vec P{1, 0, 0, 1}, c{0, 0}, one{0};
  EXPECT_THROW(perp::qp(one, c), perp::error);
  EXPECT_THROW(perp::qp(P, c).rows(one, one, one), perp::error);
  EXPECT_THROW(perp::qp(P, c).bounds(one, {}), perp::error);
  const vec up{1, 1}, down{2, 2};
  EXPECT_THROW(perp::solve(perp::qp(P, c).bounds(down, up)), perp::error);  // lower > upper
}

// Kojima and Shindo's problem.
void kojima_shindo(perp::view x, perp::span F) {
  const double a = x[0], b = x[1], c = x[2], d = x[3];
  F[0] = 3 * a * a + 2 * a * b + 2 * b * b + c + 3 * d - 6;
  F[1] = 2 * a * a + a + b * b + 10 * c + 2 * d - 2;
  F[2] = 3 * a * a + a * b + 2 * b * b + 2 * c + 9 * d - 9;
  F[3] = a * a + 3 * b * b + 2 * c + 3 * d - 3;
}

double natural_residual(const vec &x, const vec &F) {
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); i++)
    worst = std::max(worst, std::fabs(x[i] - std::max(0.0, x[i] - F[i])));
  return worst;
}

TEST(CppMcp, ALambdaIsSolvedWithAndWithoutItsJacobian) {
  const vec zero(4, 0), infinite(4, kInf), start{1, 1, 1, 1};
  const auto J = [](perp::view x, perp::span out) {
    const double a = x[0], b = x[1];
    const double columns[] = {6 * a + 2 * b,
                              4 * a + 1,
                              6 * a + b,
                              2 * a,
                              2 * a + 4 * b,
                              2 * b,
                              a + 4 * b,
                              6 * b,
                              1,
                              10,
                              2,
                              2,
                              3,
                              2,
                              9,
                              3};
    std::copy(columns, columns + 16, out.begin());
  };
  const auto with = perp::solve_mcp(start, zero, infinite, kojima_shindo, J);
  const auto without = perp::solve_mcp(start, zero, infinite, kojima_shindo);
  for (const auto *s : {&with, &without}) {
    ASSERT_EQ(s->status, PERP_OK);
    vec F(4);
    kojima_shindo(s->x, F);
    EXPECT_LT(natural_residual(s->x, F), 1e-8);
  }
}

TEST(CppMcp, WhatAFunctionThrowsComesOut) {
  const vec zero(1, 0), infinite(1, kInf), start{1};
  const auto thrower = [](perp::view, perp::span) { throw std::runtime_error("from F"); };
  EXPECT_THROW(perp::solve_mcp(start, zero, infinite, thrower), std::runtime_error);
  const auto refuses = [](perp::view, perp::span) { return -1; };
  try {
    perp::solve_mcp(start, zero, infinite, refuses);
    FAIL() << "a callback that gives up is an error";
  } catch (const perp::error &e) {
    EXPECT_EQ(e.status(), PERP_ECALLBACK);
  }
  EXPECT_THROW(perp::solve_mcp(start, vec{}, infinite, thrower), perp::error);
}

TEST(CppVi, ARotationOnTheDiscIsSolvedByExtragradient) {
  // F(x) = R (x - a), R the rotation by a right angle: monotone, and no gradient of anything
  const auto F = [](perp::view x, perp::span out) {
    out[0] = -(x[1] - 0.25);
    out[1] = x[0] - 0.5;
  };
  const auto disc = [](perp::view x, perp::span p) {
    const double r = std::hypot(x[0], x[1]);
    for (int i = 0; i < 2; i++)
      p[static_cast<std::size_t>(i)] = x[static_cast<std::size_t>(i)] / (r > 1 ? r : 1);
  };
  const auto s = perp::solve_extragradient({1.0, -1.0}, F, disc);
  ASSERT_EQ(s.status, PERP_OK);
  EXPECT_NEAR(s.x[0], 0.5, 1e-8);
  EXPECT_NEAR(s.x[1], 0.25, 1e-8);
}

TEST(CppVi, TheFixedPointProjectsAPointOnASet) {
  const auto F = [](perp::view x, perp::span out) {
    for (std::size_t i = 0; i < 3; i++) out[i] = x[i] - static_cast<double>(i);
  };
  const auto box = [](perp::view x, perp::span p) {
    for (std::size_t i = 0; i < 3; i++) p[i] = std::min(1.0, std::max(0.5, x[i]));
  };
  const auto s = perp::solve_fixed_point({0, 0, 0}, F, box);
  ASSERT_EQ(s.status, PERP_OK);
  EXPECT_NEAR(s.x[0], 0.5, 1e-9);
  EXPECT_NEAR(s.x[1], 1, 1e-9);
  EXPECT_NEAR(s.x[2], 1, 1e-9);
}

TEST(CppSolver, WithoutAMethodTheAutomaticOneTellsWhoSolvedIt) {
  const vec M{2, 1, 1, 2}, q{-5, -6};
  perp::solver s;
  vec z(2), w(2);
  ASSERT_EQ(s.lcp(M, q, z, w), PERP_OK);
  EXPECT_STREQ(s.name(), "auto");
  ASSERT_NE(s.used(), nullptr);
  EXPECT_NE(perp_solver_find(s.used()), nullptr);
  EXPECT_NEAR(z[0], 4.0 / 3, 1e-12);
  EXPECT_NEAR(z[1], 7.0 / 3, 1e-12);
}

TEST(CppSolver, APolyhedronIsALawLikeOthers) {
  // the point of the triangle x, y >= 0, x + y <= 1 next to (2, 1), and a free unknown beside it
  const vec M{1, 0, 0, 0, 1, 0, 0, 0, 2}, q{-2, -1, -3};
  perp::problem p(M, q);
  p.add(perp::polyhedron(perp::rows({{1, 0}, {0, 1}, {-1, -1}}), {0, 0, -1})).add(perp::equality());
  perp::solver s(perp::avi_pivoting());
  vec x(3), y(3);
  ASSERT_EQ(s.solve(p, x, y), PERP_OK);
  EXPECT_NEAR(x[0], 1, 1e-12);
  EXPECT_NEAR(x[1], 0, 1e-12);
  EXPECT_NEAR(x[2], 1.5, 1e-12);
  EXPECT_THROW(perp::problem(M, q).add(perp::polyhedron({1, 2, 3}, {0, 0})), perp::error);
}

TEST(CppSolver, EveryMethodByItsNameSolvesADefiniteProblem) {
  const vec M{4, 1, 0, 1, 3, -1, 0, -1, 5}, q{-1, 2, -3};
  for (const perp::method &m :
       {perp::automatic(), perp::lemke(), perp::box_pivoting(), perp::active_set(),
        perp::block_pivoting(), perp::murty(), perp::pgs(), perp::cpg(), perp::newton_min(),
        perp::newton_fb(), perp::interior_point(), perp::enumeration(), perp::fixed_point(),
        perp::extragradient()}) {
    const auto s = perp::solve_lcp(M, q, m);
    ASSERT_EQ(s.status, PERP_OK) << m.solver->name;
    EXPECT_NEAR(s.z[0], 0.25, 1e-8) << m.solver->name;
    EXPECT_NEAR(s.z[1], 0, 1e-8) << m.solver->name;
    EXPECT_NEAR(s.z[2], 0.6, 1e-8) << m.solver->name;
  }
}

}  // namespace
