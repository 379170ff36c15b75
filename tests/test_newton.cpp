// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <perp/newton.h>

#include <cstring>
#include <string>

#include "families.hpp"
#include "watch.hpp"

extern "C" {
#include "solver/newton.h"
}

namespace {

using families::instance;
using families::lcp;
using families::posed;
using tools::at;
using tools::dense;
using tools::from_rows;
using tools::ints;
using tools::kInf;
using tools::kNaN;
using tools::seen;
using tools::stop_at;
using tools::vec;

const perp_solver *const kSolvers[] = {perp_solver_newton_min(), perp_solver_newton_fb()};

perp_newton_options watched() { return tools::watch(perp_newton_options_default()); }

struct answer {
  perp_status status = 999;
  vec lambda, y;
  perp_info info = PERP_INFO_INIT;
};

answer solve(const perp_solver *solver, const perp_problem &p, const vec &start = {},
             const perp_newton_options *o = nullptr, perp_warm *warm = nullptr) {
  answer a;
  a.lambda = start.empty() ? vec(at(p.n), 999.0) : start;
  a.y.assign(at(p.n), 999.0);
  std::vector<unsigned char> work(perp_solver_workspace(solver, &p, o), 0xA5);
  EXPECT_FALSE(work.empty());
  a.status = perp_solver_solve(solver, &p, o, a.lambda.data(), a.y.data(), warm, work.data(),
                               work.size(), &a.info);
  return a;
}

TEST(Newton, SolvesTheKnownProblems) {
  std::vector<instance> known;
  for (std::int32_t n : {2, 5, 12}) {
    dense L(n, n), U(n, n), F(n, n);
    for (std::int32_t i = 0; i < n; i++)
      for (std::int32_t j = 0; j < n; j++) {
        L(i, j) = i == j ? 1 : i > j ? 2 : 0;
        U(i, j) = i == j ? 1 : i < j ? 2 : 0;
        F(i, j) = i == j ? 4 * i + 1 : 4 * std::min(i, j) + 2;
      }
    for (const dense &M : {L, U, F}) known.push_back(lcp(M, vec(at(n), -1.0)));
    vec graded;
    for (std::int32_t j = 1; j <= n; j++) graded.push_back(std::ldexp(1, j) - std::ldexp(1, n + 1));
    known.push_back(lcp(U, graded));
  }
  known.push_back(lcp({0, -1, 3, 3, 0, 3, -1, 3, 1}, {-1, -1, -1}));
  known.push_back(lcp({1, 1, 1, 1}, {-1, -1}));
  known.push_back(lcp({0, -1, 2, 2, 0, -2, -1, 1, 0}, {-3, 6, -1}));
  known.push_back(lcp({0, 0, 10, 20, 0, 0, 30, 15, 10, 20, 0, 0, 30, 15, 0, 0}, {-1, -1, -1, -1}));
  known.push_back(lcp({1, -1, -1, 1}, {1, -1}));
  known.push_back(lcp({3, 1, 0, -1, -1, 2, 1, 1, 0, 1, 3, -1, 0, 0, 1, 2}, {-2, 1, -1, 1}));
  known.push_back(lcp({2, 1, 1, 2}, {-5, -6}));
  known.push_back(lcp({0, -1, -1, 1, 0, 0, -1, 0, 0}, {0, -1, 1}));
  known.push_back(lcp({0, 0, -1, -1, 0, 0, 1, -2, 1, -1, 2, -2, 1, 2, -2, 4}, {2, 2, -2, -6}));
  for (const instance &i : known)
    for (const perp_solver *s : kSolvers) {
      const posed t(i);
      for (const vec &start : {vec(), vec(i.q.size(), 0.0)}) {
        const answer a = solve(s, t.p(), start);
        EXPECT_EQ(a.status, PERP_OK) << s->name << " n " << i.n() << " q0 " << i.q[0];
        EXPECT_LE(tools::lcp_error(i.M, i.q, a.lambda), 1e-10) << s->name;
      }
    }
}

// From the active set {1} plain Newton on min goes to {2}, {3}, {1}, ...
TEST(Newton, LeavesTheCycleOfAPMatrix) {
  for (double c : {1.01, 2.0, 10.0, 1000.0}) {
    const posed t(lcp({1, 0, c, c, 1, 0, 0, c, 1}, {1, 1, 1}));
    for (const perp_solver *s : kSolvers) {
      double bytes[4] = {0};
      perp_warm warm = {bytes, sizeof bytes, 0, 0};
      const unsigned char modes[3] = {PERP_MODE_FREE, PERP_MODE_LOWER, PERP_MODE_LOWER};
      ASSERT_EQ(perp_warm_set_modes(&warm, 3, modes), PERP_OK);
      perp_newton_options o = watched();
      const answer a = solve(s, t.p(), {}, &o, &warm);
      EXPECT_EQ(a.status, PERP_OK) << s->name << " " << c;
      EXPECT_EQ(a.lambda, vec(3, 0.0));
      EXPECT_GT(seen.size(), 0U);  // it did begin elsewhere
      EXPECT_LT(seen.size(), 40U);
    }
  }
}

TEST(Newton, DoesNotCallAnInfeasibleProblemSolved) {
  const instance list[] = {lcp(vec{-1}, {-1}), lcp(vec{0}, {-1}), lcp({1, -1, -1, 1}, {-1, -1}),
                           lcp({0, -1, -1, 1, 0, 0, -1, 0, 0}, {-1e-4, -1, 1})};
  for (const instance &i : list)
    for (const perp_solver *s : kSolvers) {
      const posed t(i);
      for (double start : {0.0, 1.0, 999.0, 1e17}) {
        const answer a = solve(s, t.p(), vec(i.q.size(), start));
        EXPECT_EQ(a.status, PERP_MAX_ITER) << s->name;
        for (double x : a.lambda) EXPECT_GE(x, 0);
      }
    }
}

// Points where the gradient of the merit is 0, or to which descent leads, and no solution is.
TEST(Newton, FindsAWayOutOfStationaryPointsThatAreNoSolutions) {
  struct trap {
    const perp_solver *solver;
    instance i;
    vec start;
  };
  const perp_solver *min = kSolvers[0], *fb = kSolvers[1];
  const trap traps[] = {
      {fb, lcp(vec{-1}, {1}), {0.5}},  // between the solutions 0 and 1: V = 0
      {fb, lcp({1, -3, 1, -3}, {-3, -3}), {0, 0}},
      {fb, lcp({2, -3, 2, -3}, {-3, -3}), {0, 0}},
      {fb, lcp({1, -2, 2, -3}, {-3, -3}), {0, 0}},
      {fb, lcp({2, -2, 3, -3}, {-3, -3}), {0, 0}},  // towards infinity
      {min, lcp({2, -2, 3, -3}, {-3, -3}), {0, 0}},
      {min, lcp({3, 3, 2, 1}, {-3, -3}), {0, 0}},
  };
  for (const trap &t : traps) {
    const posed p(t.i);
    perp_newton_options o = perp_newton_options_default();
    o.restarts = 0;
    answer a = solve(t.solver, p.p(), t.start, &o);
    EXPECT_EQ(a.status, PERP_MAX_ITER) << "no trap any more; the test needs another one";
    a = solve(t.solver, p.p(), t.start);
    EXPECT_EQ(a.status, PERP_OK) << t.solver->name;
    EXPECT_LE(tools::lcp_error(t.i.M, t.i.q, a.lambda), 1e-10);
  }
}

bool solvable(const double M[4], const double q[2]) {  // whole numbers: exact
  for (int s = 0; s < 4; s++) {
    double z[2] = {0, 0}, d = 1;
    if (s == 1 || s == 2) d = M[3 * (s - 1)], z[s - 1] = -q[s - 1];
    if (s == 3) {
      d = M[0] * M[3] - M[1] * M[2];
      z[0] = -q[0] * M[3] + q[1] * M[2];
      z[1] = -q[1] * M[0] + q[0] * M[1];
    }
    if (d == 0) continue;
    if (d < 0) d = -d, z[0] = -z[0], z[1] = -z[1];
    const double w0 = M[0] * z[0] + M[2] * z[1] + q[0] * d;
    const double w1 = M[1] * z[0] + M[3] * z[1] + q[1] * d;
    if (z[0] >= 0 && z[1] >= 0 && w0 >= 0 && w1 >= 0) return true;
  }
  return false;
}

TEST(Newton, SolvesEverySolvableProblemOfTwoUnknownsAndSmallWholeNumbers) {
  std::vector<unsigned char> work(perp_lcp_workspace(perp_solver_newton_fb(), 2, nullptr));
  for (int code = 0; code < 5 * 5 * 5 * 5 * 5 * 5; code++) {
    double v[6];
    for (int k = 0, c = code; k < 6; k++, c /= 5) v[k] = c % 5 - 2;
    const perp_lcp p = {2, 2, v, v + 4};
    const bool has = solvable(v, v + 4);
    for (const perp_solver *solver : kSolvers) {
      double z[2] = {0, 0}, w[2];
      const perp_status status =
          perp_lcp_solve(solver, &p, nullptr, z, w, work.data(), work.size(), nullptr);
      if (has) {
        ASSERT_EQ(status, PERP_OK) << code;
        ASSERT_LE(
            tools::lcp_error(from_rows(2, {v[0], v[2], v[1], v[3]}), {v[4], v[5]}, {z[0], z[1]}),
            1e-10);
      } else if (status == PERP_OK) { /* a solution on a singular basis */
        ASSERT_LE(
            tools::lcp_error(from_rows(2, {v[0], v[2], v[1], v[3]}), {v[4], v[5]}, {z[0], z[1]}),
            1e-10);
      }
    }
  }
}

TEST(Newton, ConvergesQuadraticallyOnFischerBurmeisterAndInFinitelyManyStepsOnMin) {
  tools::uniform random(3);
  int steep = 0;
  for (int trial = 0; trial < 50; trial++) {
    const vec q = random.vector(20);
    const posed t(lcp(random.definite(20), q));
    perp_newton_options o = watched();
    o.tol = 1e-14;
    EXPECT_EQ(solve(kSolvers[1], t.p(), vec(20, 0.0), &o).status, PERP_OK);
    EXPECT_LT(seen.size(), 20U);
    for (std::size_t k = 1; k < seen.size(); k++)
      if (seen[k - 1].merit < 1e-2 && seen[k].merit > 1e-13) {
        EXPECT_LE(seen[k].merit, 100 * seen[k - 1].merit * seen[k - 1].merit);
        steep++;
      }
    o = watched();
    o.tol = 1e-14;
    EXPECT_EQ(solve(kSolvers[0], t.p(), vec(20, 0.0), &o).status, PERP_OK);
    EXPECT_LT(seen.size(), 10U);
    EXPECT_LE(seen.back().merit, 1e-12);  // at once, from a merit that was not small
    EXPECT_TRUE(seen.size() < 2 || seen[seen.size() - 2].merit >= 1e-6);
  }
  EXPECT_GT(steep, 10);
}

TEST(Newton, SolvesEveryFamilyInEveryStorage) {
  for (const families::family &f : families::all()) {
    families::source random(families::seed(f) + 1);
    int failed = 0;
    const int count = f.properties & families::kInfeasible ? 50 : 400;
    for (int k = 0; k < count; k++) {
      posed t(f.make(random));
      const std::int32_t n = t.i.n(), kind = k % 3;
      const ints cuts = n > 2 ? ints{0, 1, n / 2 + 1, n} : ints{0, n};
      const tools::stored M(t.i.M, kind == 0 ? PERP_DENSE : PERP_BLOCKS, kind == 1 ? cuts : ints{},
                            k % 2 == 1);
      t.laws.problem.M = M.view;
      for (const perp_solver *s : kSolvers) {
        const answer a = solve(s, t.p());
        EXPECT_TRUE(a.status == PERP_MAX_ITER ||
                    families::solves(t.i, a.lambda, 1e-10, tools::kEps))
            << f.name << " " << k << " " << s->name;
        EXPECT_TRUE(a.status == PERP_MAX_ITER || a.status == PERP_OK);
        failed += a.status != PERP_OK;
        for (std::int32_t i = 0; i < n; i++) {
          EXPECT_GE(a.lambda[at(i)], t.i.lower[at(i)]);
          EXPECT_LE(a.lambda[at(i)], t.i.upper[at(i)]);
        }
      }
    }
    if (f.properties & families::kInfeasible)
      EXPECT_EQ(failed, 2 * count) << f.name;
    else
      EXPECT_LE(failed, 2) << f.name;
  }
}

TEST(Newton, TakesZeroAndDiagonalMatrices) {
  instance i(3);
  i.lower = {0, -kInf, -1};
  i.upper = {kInf, 2, 1};
  i.q = {1, -2, 0};
  posed t(i);
  const tools::stored zero(i.M, PERP_ZERO);
  t.laws.problem.M = zero.view;
  for (const perp_solver *s : kSolvers) {
    const answer a = solve(s, t.p());
    EXPECT_EQ(a.status, PERP_OK);
    EXPECT_EQ(a.lambda[0], 0);
    EXPECT_EQ(a.lambda[1], 2);
  }
  i.M(0, 0) = 2, i.M(1, 1) = 4, i.M(2, 2) = 1e-9;
  i.q = {-3, -2, 1};
  posed d(i);
  const tools::stored diagonal(i.M, PERP_DIAGONAL);
  d.laws.problem.M = diagonal.view;
  for (const perp_solver *s : kSolvers) {
    const answer a = solve(s, d.p());
    EXPECT_EQ(a.status, PERP_OK);
    EXPECT_NEAR(a.lambda[0], 1.5, 1e-9);
    EXPECT_NEAR(a.lambda[1], 0.5, 1e-9);
    EXPECT_EQ(a.lambda[2], -1);
  }
}

// V of the merit against differences of Φ, for every kind of interval and side of the corners.
TEST(Newton, TheSlopesAreDerivatives) {
  double A = 0.5, q = 0.25, l, u, x, y, phi, da, db, row = 1, col = 1;
  newton s = {};
  s.n = 1;
  s.A = &A, s.q = &q, s.l = &l, s.u = &u, s.x = &x, s.y = &y, s.phi = &phi, s.da = &da, s.db = &db;
  s.row = &row, s.col = &col;
  const double bounds[][2] = {{0, kInf}, {-kInf, 1}, {-1, 2}, {-kInf, kInf}, {0.5, 0.5}};
  for (const auto &b : bounds)
    for (double px : {-3.0, -0.5, 0.0, 0.75, 1.0, 4.0})
      for (double py : {-2.0, -0.1, 0.3, 5.0}) {
        l = b[0], u = b[1];
        const auto value = [&](double vx, double vy) {
          x = vx, y = vy;
          perp_newton_linearise(&s);
          return phi;
        };
        const double h = 1e-6;
        const double dx = (value(px + h, py) - value(px - h, py)) / (2 * h);
        const double dy = (value(px, py + h) - value(px, py - h)) / (2 * h);
        const double here = value(px, py);
        EXPECT_NEAR(da, dx, 1e-5) << l << " " << u << " " << px << " " << py;
        EXPECT_NEAR(db, dy, 1e-5) << l << " " << u << " " << px << " " << py;
        EXPECT_DOUBLE_EQ(s.theta, 0.5 * here * here);
        EXPECT_DOUBLE_EQ(perp_newton_merit(&s, &px, &py), s.theta);
      }
  l = 0, u = kInf, x = 1e-200, y = 1e200; /* φ(a, b) = a where b is far larger */
  perp_newton_linearise(&s);
  EXPECT_DOUBLE_EQ(phi, 1e-200);
  x = y = 0;
  perp_newton_linearise(&s);
  EXPECT_EQ(phi, 0);
  EXPECT_GT(da, 0);
  EXPECT_GT(db, 0);
}

TEST(Newton, EndsAtTheLimitExactly) {
  const posed t(lcp({1, -1, -1, 1}, {-1, -1}));  // all scales are 1; no solution
  for (const perp_solver *s : kSolvers)
    for (std::int32_t limit : {1, 2, 3, 7, 50, 123}) {
      perp_newton_options o = watched();
      o.max_iter = limit;
      o.restarts = 1000;
      const answer a = solve(s, t.p(), vec{1, 2}, &o);
      EXPECT_EQ(a.status, PERP_MAX_ITER);
      EXPECT_EQ(a.info.iterations, limit);
      EXPECT_EQ(seen.size(), static_cast<std::size_t>(limit));
    }
}

TEST(Newton, TheBudgetOfWorkEndsIt) {
  const posed t(lcp({1, -1, -1, 1}, {-1, -1}));  // no solution
  for (const perp_solver *s : kSolvers) {
    std::int32_t last = 0;
    for (const double budget : {1.0, 100.0, 1000.0}) {
      perp_newton_options o = watched();
      o.restarts = 1000000;
      o.budget = budget;
      const answer a = solve(s, t.p(), vec{1, 2}, &o);
      EXPECT_EQ(a.status, PERP_MAX_ITER);
      EXPECT_GE(a.info.iterations, last);
      EXPECT_LT(a.info.iterations, 500);
      last = a.info.iterations;
    }
    EXPECT_GT(last, 1);
  }
}

// Entries of ±1 and q with a 1: nothing is scaled, so the observer's merit is that of the caller's
// numbers. The answer is in the box, the points on the way need not be.
TEST(Newton, EndsWithThePointOfLeastMerit) {
  families::source random(21);
  int wandered = 0;
  for (int trial = 0; trial < 400; trial++) {
    instance i(6);
    for (double &x : i.M.a) x = random.chance(0.5) ? 1 : -1;
    i.q = {-1, 1, -1, -0.5, 0.25, 1};
    const posed t(i);
    perp_newton_options o = watched();
    o.restarts = 0;
    o.history = 16;
    o.max_iter = 12;
    const answer a = solve(kSolvers[trial % 2], t.p(), vec(6, 0.0), &o);
    if (a.status == PERP_OK || seen.empty()) continue;
    double least = kInf, end = 0;
    for (const perp_iterate &it : seen) least = std::min(least, it.merit);
    const auto y = tools::affine(i.M, i.q, a.lambda);
    for (std::int32_t k = 0; k < 6; k++) {
      const double z = a.lambda[at(k)], w = static_cast<double>(y[at(k)]);
      end += (z + w - std::hypot(z, w)) * (z + w - std::hypot(z, w));
    }
    wandered += seen.back().merit > 1.5 * least;
    EXPECT_LE(std::sqrt(end), 3 * (1 + 1e-12));  // at z = 0, the start: φ(0, w) = 2 w for w < 0
  }
  EXPECT_GT(wandered, 20);
}

TEST(Newton, AStepToABasisSolvesItsEquationsWithTheShift) {
  double A[] = {2, 1, 0, 1}, q[] = {-3, 1}, l[] = {0, 0}, u[] = {kInf, 4}, x[] = {1, 2}, y[2];
  double ty[2], d[2], anchor[] = {0.5, 3}, t[2];
  unsigned char mode[] = {PERP_MODE_FREE, PERP_MODE_UPPER}, factored[2], block[512];
  newton s = {};
  arena room = arena_open(block, sizeof block);
  const perp_matrix view = perp_dense(2, 2, A);
  perp_mode_basis_carve(&s.basis, &room, 2, PERP_DENSE);
  perp_mode_basis_open(&s.basis, &view);
  s.n = 2, s.basis.k = -1, s.sigma = 0.25;
  s.A = A, s.q = q, s.l = l, s.u = u, s.x = x, s.y = y, s.ty = ty, s.d = d, s.t = t;
  s.anchor = anchor, s.mode = mode, s.factored = factored;
  perp_newton_map(&s, x, y);
  EXPECT_DOUBLE_EQ(y[0], 2 * 1 - 3 + 0.25 * (1 - 0.5));
  EXPECT_DOUBLE_EQ(y[1], 1 * 1 + 1 * 2 + 1 + 0.25 * (2 - 3));
  ASSERT_EQ(perp_newton_basis_step(&s), 1);
  EXPECT_DOUBLE_EQ(x[1] + d[1], 4);
  const double at_end[] = {x[0] + d[0], x[1] + d[1]};
  perp_newton_map(&s, at_end, y);
  EXPECT_NEAR(y[0], 0, 1e-15);
}

TEST(Newton, StopsWhenTheObserverSaysSo) {
  const posed t(lcp({1, -1, -1, 1}, {-1, -1}));
  for (const perp_solver *s : kSolvers) {
    perp_newton_options o = watched();
    stop_at = 3;
    const answer a = solve(s, t.p(), {}, &o);
    EXPECT_EQ(a.status, PERP_STOPPED);
    EXPECT_EQ(a.info.iterations, 4);
    EXPECT_TRUE(tools::no_pivots_seen());
    for (double x : a.lambda) EXPECT_TRUE(std::isfinite(x));
  }
}

TEST(Newton, WithAHistoryOfOneTheMeritNeverRises) {
  tools::uniform random(8);
  for (int trial = 0; trial < 100; trial++) {
    const posed t(lcp(random.matrix(8, 8), random.vector(8)));
    for (const perp_solver *s : kSolvers) {
      perp_newton_options o = watched();
      o.history = 1;
      o.restarts = 0;
      solve(s, t.p(), vec(8, 0.0), &o);
      for (std::size_t k = 1; k < seen.size(); k++)
        EXPECT_LE(seen[k].merit, seen[k - 1].merit * (1 + 1e-12));
    }
  }
}

TEST(Newton, AWarmStartWithTheRightModesNeedsNoStep) {
  families::source random(5);
  for (int trial = 0; trial < 100; trial++) {
    const posed t(families::relays(random));
    for (const perp_solver *s : kSolvers) {
      const std::size_t need = perp_solver_warm_bytes(s, &t.p());
      std::vector<double> bytes(need / 8 + 1, 0.0);
      perp_warm warm = {bytes.data(), need, 0, 0};
      EXPECT_EQ(solve(s, t.p(), {}, nullptr, &warm).status, PERP_OK);
      std::vector<unsigned char> modes(at(t.i.n()));
      ASSERT_EQ(perp_warm_get_modes(&warm, t.i.n(), modes.data()), PERP_OK);
      for (unsigned char m : modes) EXPECT_NE(m, PERP_MODE_UNKNOWN);
      const answer again = solve(s, t.p(), {}, nullptr, &warm);
      EXPECT_EQ(again.status, PERP_OK);
      EXPECT_EQ(again.info.iterations, 0);
      for (unsigned char &m : modes) m = static_cast<unsigned char>(random.integer(0, 3));
      ASSERT_EQ(perp_warm_set_modes(&warm, t.i.n(), modes.data()), PERP_OK);
      EXPECT_EQ(solve(s, t.p(), {}, nullptr, &warm).status, PERP_OK);
      std::memset(bytes.data() + 1, 0xE7, need - 8);
      EXPECT_EQ(solve(s, t.p(), {}, nullptr, &warm).status, PERP_OK);
    }
  }
}

TEST(Newton, StartsFromAnyNumbersAtAll) {
  const posed t(lcp({2, 1, 1, 2}, {-5, -6}));
  for (const perp_solver *s : kSolvers)
    for (double x : {kNaN, kInf, -kInf, 1e300, -1e300, 1e-300, -5.0}) {
      const answer a = solve(s, t.p(), vec{x, 1});
      EXPECT_EQ(a.status, PERP_OK);
      EXPECT_NEAR(a.lambda[0], 4.0 / 3, 1e-9);
      EXPECT_NEAR(a.lambda[1], 7.0 / 3, 1e-9);
    }
}

TEST(Newton, NotANumberInTheDataIsNamed) {
  for (const perp_solver *s : kSolvers)
    for (double bad : {kNaN, kInf, -kInf})
      for (std::size_t k = 0; k < 6; k++) {
        posed t(lcp({2, 1, 1, 2}, {-5, -6}));
        const tools::stored sparse(t.i.M, PERP_BLOCKS);
        if (k < 4) t.i.M.a[k] = bad;
        if (k >= 4) t.i.q[k - 4] = bad;
        answer a = solve(s, t.p());
        EXPECT_EQ(a.status, PERP_ENOTFINITE);
        EXPECT_STREQ(a.info.field, k < 4 ? "M" : "q");
        std::vector<unsigned char> work(perp_solver_workspace(s, &t.p(), nullptr));
        const perp_lcp p = {2, 2, t.i.M.data(), t.i.q.data()};
        double z[2], w[2];
        EXPECT_EQ(perp_lcp_solve(s, &p, nullptr, z, w, work.data(), work.size(), nullptr),
                  PERP_ENOTFINITE);
      }
}

TEST(Newton, SurvivesExtremeNumbers) {
  families::source random(9);
  for (int trial = 0; trial < 2000; trial++) {
    instance i(random.integer(1, 4));
    for (double *v : {i.M.data(), i.q.data()}) {
      const std::size_t count = v == i.q.data() ? i.q.size() : i.q.size() * i.q.size();
      for (std::size_t k = 0; k < count; k++)
        v[k] = random.chance(0.2) ? 0 : random.signed_unit() * random.power(300);
    }
    const posed t(i);
    for (const perp_solver *s : kSolvers) {
      perp_newton_options o = perp_newton_options_default();
      o.max_iter = 50;
      const answer a = solve(s, t.p(), {}, &o);
      EXPECT_GE(a.status, 0);
      /* M λ may be below all doubles */
      EXPECT_TRUE(a.status != PERP_OK || families::solves(i, a.lambda, 1e-10, 1e-16)) << trial;
    }
  }
}

TEST(Newton, AnEmptyProblemIsSolved) {
  const perp_lcp p = {0, 0, nullptr, nullptr};
  unsigned char work[4096];
  for (const perp_solver *solver : kSolvers)
    EXPECT_EQ(perp_lcp_solve(solver, &p, nullptr, nullptr, nullptr, work, sizeof work, nullptr),
              PERP_OK);
}

TEST(Newton, TakesMixedProblemsInPlainArrays) {
  const double M[] = {2, 0, 1, 0, 3, 0, -1, 0, 0}, q[] = {1, -9, -2};
  const double lower[] = {-kInf, -1, 0}, upper[] = {kInf, 1, kInf};
  const perp_mlcp p = {3, 3, M, q, lower, upper};
  std::vector<unsigned char> work(perp_mlcp_workspace(perp_solver_newton_min(), 3, nullptr));
  ASSERT_EQ(work.size(), perp_mlcp_workspace(perp_solver_newton_fb(), 3, nullptr));
  for (const perp_solver *solver : kSolvers) {
    double z[3] = {999, 999, 999}, w[3] = {999, 999, 999};
    EXPECT_EQ(perp_mlcp_solve(solver, &p, nullptr, z, w, work.data(), work.size(), nullptr),
              PERP_OK);
    EXPECT_NEAR(z[0], 2, 1e-9); /* rows: 2 z0 - z2 + 1, 3 z1 - 9, z0 - 2 */
    EXPECT_NEAR(z[2], 5, 1e-9);
    EXPECT_EQ(z[1], 1);
  }
}

TEST(Newton, RefusesOptionsOutOfRange) {
  const posed t(lcp(vec{1}, {-1}));
  const auto refused = [&](const perp_newton_options &o, const char *field) {
    for (const perp_solver *s : kSolvers) {
      double x = 999, y = 999;
      perp_info info = PERP_INFO_INIT;
      unsigned char work[4096];
      EXPECT_EQ(perp_solver_workspace(s, &t.p(), &o), 0U);
      EXPECT_EQ(perp_solver_solve(s, &t.p(), &o, &x, &y, nullptr, work, sizeof work, &info),
                PERP_EINVAL);
      EXPECT_STREQ(info.field, field);
      EXPECT_EQ(x, 999);
    }
  };
  perp_newton_options o = perp_newton_options_default();
  for (std::int32_t h : {0, -1, 17}) {
    o.history = h;
    refused(o, "history");
  }
  o = perp_newton_options_default();
  o.restarts = -1;
  refused(o, "restarts");
  o = perp_newton_options_default();
  o.tol = kNaN;
  refused(o, "tol");
  o = perp_newton_options_default();
  o.max_iter = -1;
  refused(o, "max_iter");
  o = perp_newton_options_default();
  o.struct_size = 8;
  refused(o, "struct_size");
  perp_newton_options_init(nullptr, sizeof o);
  perp_newton_options_init(&o, 3);
  EXPECT_EQ(o.struct_size, 8U);
}

TEST(Newton, TheWorkspaceIsExactAtEveryAlignmentAndBounded) {
  EXPECT_EQ(perp_lcp_workspace(perp_solver_newton_min(), -1, nullptr), 0U);
  EXPECT_EQ(perp_lcp_workspace(perp_solver_newton_fb(), -1, nullptr), 0U);
  EXPECT_EQ(perp_mlcp_workspace(perp_solver_newton_min(), -1, nullptr), 0U);
  EXPECT_EQ(perp_mlcp_workspace(perp_solver_newton_fb(), -7, nullptr), 0U);
  const perp_shape negative = {-1, 0, 0, PERP_DENSE, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(perp_solver_shape_workspace(kSolvers[0], &negative, nullptr), 0U);
  EXPECT_EQ(kSolvers[0]->warm_bytes(&negative), 0U);
  for (std::int32_t n : {1, 2, 3, 7, 8, 9, 100})
    for (const perp_solver *s : kSolvers)
      EXPECT_LE(perp_lcp_workspace(s, n, nullptr), PERP_NEWTON_WORKSPACE(n));
  const std::size_t need = perp_lcp_workspace(perp_solver_newton_min(), 2, nullptr);
  EXPECT_EQ(need, perp_lcp_workspace(perp_solver_newton_fb(), 2, nullptr));
  const double M[] = {2, 1, 1, 2}, q[] = {-5, -6};
  const perp_lcp p = {2, 2, M, q};
  for (const perp_solver *solver : kSolvers)
    for (std::size_t shift = 0; shift < 16; shift++) {
      std::vector<unsigned char> work(need + 32, 0xA5);
      double z[2] = {0, 0}, w[2];
      EXPECT_EQ(perp_lcp_solve(solver, &p, nullptr, z, w, work.data() + shift, need, nullptr),
                PERP_OK);
      EXPECT_EQ(work[shift + need], 0xA5);
      EXPECT_TRUE(shift == 0 || work[shift - 1] == 0xA5);
      EXPECT_EQ(perp_lcp_solve(solver, &p, nullptr, z, w, work.data() + shift, need - 1, nullptr),
                PERP_EWORKSPACE);
    }
}

TEST(Newton, RefusesMissingArrays) {
  unsigned char work[4096];
  double z[1] = {0}, w[1];
  const double one[] = {1};
  const perp_lcp p = {1, 1, one, one}, no_m = {1, 1, nullptr, one}, negative = {-1, 1, one, one};
  const perp_mlcp none = {1, 1, one, one, nullptr, nullptr};
  for (const perp_solver *solver : kSolvers) {
    EXPECT_EQ(perp_lcp_solve(solver, nullptr, nullptr, z, w, work, sizeof work, nullptr),
              PERP_EINVAL);
    EXPECT_EQ(perp_lcp_solve(solver, &no_m, nullptr, z, w, work, sizeof work, nullptr),
              PERP_EINVAL);
    EXPECT_EQ(perp_lcp_solve(solver, &negative, nullptr, z, w, work, sizeof work, nullptr),
              PERP_EINVAL);
    EXPECT_EQ(perp_lcp_solve(solver, &p, nullptr, nullptr, w, work, sizeof work, nullptr),
              PERP_EINVAL);
    EXPECT_EQ(perp_lcp_solve(solver, &p, nullptr, z, w, nullptr, 0, nullptr), PERP_EINVAL);
  }
  for (const perp_solver *solver : kSolvers) {
    EXPECT_EQ(perp_mlcp_solve(solver, nullptr, nullptr, z, w, work, sizeof work, nullptr),
              PERP_EINVAL);
    EXPECT_EQ(perp_mlcp_solve(solver, &none, nullptr, z, w, work, sizeof work, nullptr),
              PERP_EINVAL);
  }
}

}  // namespace
