// SPDX-License-Identifier: MIT
// Solvers as objects: memory that is reused, answers that are no solutions do not throw, wrong
// calls do.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "perp/perp.hpp"
#include "sanitized.hpp"

namespace {

using perp::view;

/** The definition of an LCP, with n written out: largest violation of any of its conditions. */
double violation(view M, view q, view z, view w) {
  const std::size_t n = q.size();
  double worst = 0;
  for (std::size_t i = 0; i < n; i++) {
    double y = q[i];
    for (std::size_t j = 0; j < n; j++) y += M[i + n * j] * z[j];
    for (const double bad : {std::abs(y - w[i]), -z[i], -w[i], std::abs(z[i] * w[i])}) {
      if (!(bad <= worst)) worst = bad;
    }
  }
  return worst;
}

TEST(CppSolver, SolvesAnLcpOfBraces) {
  const auto s = perp::solve_lcp({2, 1, 1, 2}, {-5, -6});
  EXPECT_EQ(s.status, PERP_OK);
  EXPECT_NEAR(s.z[0], 4.0 / 3, 1e-14);
  EXPECT_NEAR(s.z[1], 7.0 / 3, 1e-14);
  EXPECT_LE(violation(view({2, 1, 1, 2}), view({-5, -6}), s.z, s.w), 1e-13);
  EXPECT_LE(s.info.relative_residual, 1e-14);
}

TEST(CppSolver, MatricesAreReadByColumns) {
  const std::vector<double> M = [] {
    const perp::array a = perp::rows({{1, 0}, {-2, 1}});  // w2 = -2 z1 + z2 + q2
    return std::vector<double>(a.begin(), a.end());
  }();
  const auto s = perp::solve_lcp(M, {-1, 0});
  ASSERT_EQ(s.status, PERP_OK);
  EXPECT_NEAR(s.z[0], 1, 1e-14);
  EXPECT_NEAR(s.z[1], 2, 1e-14);
}

TEST(CppSolver, IsReusedForAnySize) {
  for (const perp::method &method : {perp::lemke(), perp::active_set()}) {
    for (const bool warm : {false, true}) {
      perp::solver solver(method, warm);
      for (const std::size_t n : {3u, 1u, 0u, 12u, 12u, 5u, 3u}) {
        std::vector<double> M(n * n, 0.0), q(n), z(n, 999), w(n, 999);
        for (std::size_t i = 0; i < n; i++) {
          M[i * n + i] = 4;
          if (i > 0) M[i * n + i - 1] = M[(i - 1) * n + i] = -1;
          q[i] = i % 3 == 0 ? 2 : -3;
        }
        ASSERT_EQ(solver.lcp(M, q, z, w), PERP_OK) << solver.name() << " n = " << n;
        EXPECT_LE(violation(M, q, z, w), 1e-13);
      }
    }
  }
}

TEST(CppSolver, WarmStartsSaveIterations) {
  const std::vector<double> M{2, 1, 1, 2}, q{-5, -6};
  double z[2], w[2];
  const auto iterations = [&](bool warm) {
    perp::solver solver(perp::lemke(), warm);
    EXPECT_EQ(solver.lcp(M, q, z, w), PERP_OK);
    EXPECT_EQ(solver.lcp(M, q, z, w), PERP_OK);
    return solver.info().iterations;
  };
  EXPECT_LT(iterations(true), iterations(false));
}

TEST(CppSolver, NoSolutionIsAnAnswerNotAnException) {
  double z[1], w[1];
  perp::solver lemke(perp::lemke());
  EXPECT_EQ(lemke.lcp({-1}, {-1}, z, w), PERP_INFEASIBLE);
}

TEST(CppSolver, OptionsGoWithTheMethod) {
  perp_lemke_options o = perp_lemke_options_default();
  o.max_iter = 1;
  perp::solver lemke(perp::lemke(o));
  o.max_iter = 1000;  // its own copy
  double z[2], w[2];
  EXPECT_EQ(lemke.lcp({2, 1, 1, 2}, {-5, -6}, z, w), PERP_MAX_ITER);
  EXPECT_EQ(lemke.info().iterations, 1);
}

TEST(CppSolver, ProblemsMixLaws) {
  // y1 = 2 l1 + 1 with a free l1, y2 = 2 l2 - 1 with l2 >= 0, y3 = 2 l3 - 9 with l3 in [-1, 1].
  const std::vector<double> M{2, 0, 0, 0, 2, 0, 0, 0, 2}, q{1, -1, -9};
  perp::problem p{view(M), view(q)};
  p.add(perp::equality()).add(perp::complementarity()).add(perp::box(-1, 1));
  perp::solver solver(perp::active_set());
  double lambda[3] = {0, 0, 0}, y[3];
  ASSERT_EQ(solver.solve(p, lambda, y), PERP_OK);
  EXPECT_NEAR(lambda[0], -0.5, 1e-14);
  EXPECT_NEAR(lambda[1], 0.5, 1e-14);
  EXPECT_NEAR(lambda[2], 1, 1e-14);
  EXPECT_NEAR(y[2], -7, 1e-14);
}

TEST(CppSolver, ProblemsAreWrittenInOneExpression) {
  const std::vector<double> M{2, 0, 0, 0, 2, 0, 0, 0, 2}, q{1, -1, -9};
  const auto p = perp::problem(M, q)
                     .add(perp::equality(), 2)
                     .add(perp::complementarity(), 0)
                     .add(perp::box(-1, 1));
  perp::solver solver(perp::active_set());
  double lambda[3] = {0, 0, 0}, y[3];
  ASSERT_EQ(solver.solve(p, lambda, y), PERP_OK);
  EXPECT_NEAR(lambda[0], -0.5, 1e-14);
  EXPECT_NEAR(lambda[1], 0.5, 1e-14);
  EXPECT_NEAR(lambda[2], 1, 1e-14);
}

TEST(CppSolver, WeightsMultiplyRowsAndFloorsAreTolerances) {
  const double M[1] = {0}, q[1] = {-1e-6};
  perp::solver solver(perp::lemke());
  double z[1] = {0}, w[1];
  auto p = perp::problem(M, q).add(perp::complementarity());
  EXPECT_EQ(solver.solve(p, z, w), PERP_INFEASIBLE);
  EXPECT_EQ(solver.info().residual, 1e-6);
  EXPECT_EQ(solver.info().bound, HUGE_VAL);
  p.weigh({4});
  EXPECT_EQ(solver.solve(p, z, w), PERP_INFEASIBLE);
  EXPECT_EQ(solver.info().residual, 4e-6);
  p.weigh({1});
  p.set_floor({2e-6});
  EXPECT_EQ(solver.solve(p, z, w), PERP_OK);
  EXPECT_EQ(solver.info().residual, 0);
  EXPECT_THROW(p.weigh({1, 1}), perp::error);
  p.weigh({0});
  EXPECT_THROW((void)solver.solve(p, z, w), perp::error);
}

TEST(CppSolver, AmplificationTellsHowFarLambdaWent) {
  const auto s = perp::solve_lcp({2, 1, 1, 2}, {-5, -6});
  EXPECT_NEAR(s.info.amplification, 2, 1e-14);  // (4/3 + 14/3 + 6) / 6
  EXPECT_EQ(s.info.bound, 0);
}

TEST(CppSolver, LawsOfAProblemAreItsOwn) {
  const std::vector<double> q{-9};
  const std::vector<double> M{1};
  perp::problem p{view(M), view(q)};
  {
    std::vector<double> lower{-1}, upper{2};
    p.add(perp::box(lower, upper));
    lower[0] = upper[0] = 77;
  }
  perp::problem moved = std::move(p);
  double lambda[1] = {0}, y[1];
  perp::solver solver(perp::active_set());
  ASSERT_EQ(solver.solve(moved, lambda, y), PERP_OK);
  EXPECT_EQ(lambda[0], 2.0);
}

TEST(CppSolver, WrongCallsThrowInWords) {
  perp::solver lemke(perp::lemke());
  double z[2], w[2];
  EXPECT_THROW((void)lemke.lcp({1, 2, 3}, {1, 2}, z, w), perp::error);
  EXPECT_THROW(perp::solver{perp::method{}}, perp::error);
  try {
    (void)lemke.lcp({2, 1, 1, 2}, {1, 2}, perp::span(z, 1), w);
    FAIL() << "accepted";
  } catch (const perp::error &e) {
    EXPECT_NE(std::string(e.what()).find("lambda = 1"), std::string::npos) << e.what();
  }
  const std::vector<double> M{1}, q{1};
  perp::problem uncovered{view(M), view(q)};
  EXPECT_THROW((void)lemke.solve(uncovered, perp::span(z, 1), perp::span(w, 1)), perp::error);
  EXPECT_THROW(uncovered.add(perp::complementarity(), -1), perp::error);
}

TEST(CppSolver, LawsThatTheMethodDoesNotKnowThrow) {
  const std::vector<double> M{1}, q{1};
  perp::problem p{view(M), view(q)};
  p.add(perp::box(-1, 1));
  perp::solver lemke(perp::lemke());
  double z[1], w[1];
  try {
    (void)lemke.solve(p, z, w);
    FAIL() << "accepted";
  } catch (const perp::error &e) {
    EXPECT_EQ(e.status(), PERP_EUNSUPPORTED);
  }
}

/** What f throws, in words; no other exception than perp::error comes. */
template <class F>
std::string refusal(perp_status status, F &&f) {
  try {
    f();
  } catch (const perp::error &e) {
    EXPECT_EQ(e.status(), status) << e.what();
    return e.what();
  } catch (const std::exception &e) {
    ADD_FAILURE() << e.what();
  }
  return "accepted";
}

TEST(CppSolver, OptionsOfAnotherSolverAreRefusedByName) {
  const perp::method wrong(perp_solver_lemke(), perp_cpg_options_default());
  const auto names = [](auto &&f) {
    const std::string text = refusal(PERP_EINVAL, f);
    EXPECT_NE(text.find("perp_lemke_options"), std::string::npos) << text;
  };
  double z[2], w[2];
  names([&] { (void)perp::solver(wrong).lcp({2, 1, 1, 2}, {-5, -6}, z, w); });
  const std::vector<double> P{2, 0, 0, 2}, c{1, 1};
  names([&] { (void)perp::solve(perp::qp(view(P), view(c)), wrong); });
  perp::model m;
  const auto ball = m.add(perp::lagrangian_linear(1, 1.0), {1.0});
  m.connect(perp::lagrangian_linear_relation(1.0), perp::newton_impact(0.5), ball);
  perp::simulation_options o;
  o.solver = wrong;
  names([&] { perp::simulation sim(m, o); });
}

TEST(CppSolver, MemoryThatIsNotThereIsToldInBytes) {
#if SANITIZED
  GTEST_SKIP() << "the sanitizer's allocator aborts where malloc says NULL";
#endif
  constexpr std::int32_t n = 5000000;  // a tableau of 2e14 bytes, more than addresses have
  const std::vector<double> diagonal(n, 1.0), q(n, 1.0);
  perp::problem p(perp_diagonal(n, diagonal.data()), view(q));
  p.add(perp::complementarity(), n);
  std::vector<double> lambda(n), y(n);
  perp::solver lemke(perp::lemke());
  const std::string text = refusal(PERP_EWORKSPACE, [&] { (void)lemke.solve(p, lambda, y); });
  EXPECT_EQ(text.rfind("lemke: no memory (work_bytes = 2.0", 0), 0u) << text;
  perp::solver small(perp::box_pivoting());
  double z[1], w[1];
  EXPECT_EQ(small.lcp({2}, {-4}, z, w), PERP_OK);
  perp::model m;
  for (int i = 0; i < 150000; i++) {
    const auto ball = m.add(perp::lagrangian_linear(1, 1.0), {1.0});
    m.connect(perp::lagrangian_linear_relation(1.0), perp::newton_impact(0.5), ball);
  }
  perp::simulation_options o;
  o.solver = perp::lemke();
  const std::string told = refusal(PERP_EWORKSPACE, [&] { perp::simulation sim(m, o); });
  EXPECT_EQ(told.rfind("simulation: no memory (work_bytes = ", 0), 0u) << told;
}

TEST(CppSolver, NaNIsNeverSolved) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const perp::method &method : {perp::lemke(), perp::active_set()}) {
    for (int where = 0; where < 2; where++) {
      std::vector<double> M{2, 1, 1, 2}, q{-5, -6}, z(2), w(2);
      (where == 0 ? M : q)[1] = nan;
      perp::solver solver(method);
      perp_status status = PERP_OK;
      try {
        status = solver.lcp(M, q, z, w);
      } catch (const perp::error &e) {
        status = e.status();
      }
      EXPECT_NE(status, PERP_OK) << solver.name() << " " << where;
    }
  }
}

}  // namespace
