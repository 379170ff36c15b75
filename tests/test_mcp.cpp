// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <perp/mcp.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <string>

#include "problem_tools.hpp"

extern "C" {
#include "solver/mcp.h"
}

namespace {

using tools::at;
using tools::dense;
using tools::from_rows;
using tools::ints;
using tools::kInf;
using tools::kNaN;
using tools::same_bits;
using tools::uniform;
using tools::vec;

// A problem whose callbacks are lambdas; counts what it is asked.
struct model {
  std::int32_t n;
  vec l, u;
  std::function<std::int32_t(const double *z, double *F)> F;
  std::function<std::int32_t(const double *z, dense &J)> J;  // empty: differences
  int F_calls = 0, J_calls = 0;
  std::int32_t ld = 0;  // of the layout, 0: n
  bool sparse = false;  // all entries as compressed rows, the order reversed
  ints start, index;

  explicit model(std::int32_t size) : n(size), l(at(size), 0), u(at(size), kInf) {}

  perp_mcp view() {
    perp_mcp p = {};
    p.n = n;
    p.function = [](const double *z, double *out, void *self) -> std::int32_t {
      model *m = static_cast<model *>(self);
      m->F_calls++;
      return m->F(z, out);
    };
    if (J) p.jacobian = jacobian;
    p.layout = perp_dense(n, n, nullptr);
    if (ld > 0) p.layout.ld = ld;
    if (sparse) {
      start.assign(1, 0);
      index.clear();
      for (std::int32_t i = 0; i < n; i++) {
        for (std::int32_t j = n; j-- > 0;) index.push_back(j);
        start.push_back(static_cast<std::int32_t>(index.size()));
      }
      p.layout = perp_compressed_rows(n, start.data(), index.data(), nullptr);
    }
    p.lower = l.data();
    p.upper = u.data();
    p.user = this;
    return p;
  }

  static std::int32_t jacobian(const double *z, double *values, void *self) {
    model *m = static_cast<model *>(self);
    m->J_calls++;
    dense entries(m->n, m->n);
    const std::int32_t code = m->J(z, entries);
    for (std::int32_t i = 0; i < m->n; i++)
      for (std::int32_t j = 0; j < m->n; j++) {
        const std::int32_t stride = m->ld > 0 ? m->ld : m->n;
        values[m->sparse ? at(i * m->n + (m->n - 1 - j)) : at(i + stride * j)] = entries(i, j);
      }
    return code;
  }

  // Largest violation of the definition, in units of F; infinite outside the bounds.
  double error(const vec &z) {
    vec f(at(n), 999);
    if (F(z.data(), f.data()) != 0) return kInf;
    double worst = 0;
    for (std::int32_t i = 0; i < n; i++) {
      const std::size_t k = at(i);
      if (!(z[k] >= l[k] && z[k] <= u[k]) || !std::isfinite(f[k])) return kInf;
      if (z[k] > l[k] && f[k] > worst) worst = f[k];
      if (z[k] < u[k] && -f[k] > worst) worst = -f[k];
    }
    return worst;
  }
};

struct answer {
  perp_status status = 999;
  vec z, F;
  perp_info info = PERP_INFO_INIT;
};

answer solve(model &m, vec start, const perp_mcp_options *o = nullptr) {
  const perp_mcp p = m.view();
  answer a;
  a.z = std::move(start);
  a.F.assign(at(m.n), 999);
  std::vector<unsigned char> work(perp_mcp_workspace(&p, o));
  a.status = perp_mcp_solve(&p, o, a.z.data(), a.F.data(), work.data(), work.size(), &a.info);
  return a;
}

void expect_solved(model &m, const answer &a, double tol = 1e-9) {
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_LE(m.error(a.z), tol);
  EXPECT_LE(a.info.relative_residual, 1e-10);
  vec F(at(m.n), 999);
  m.F(a.z.data(), F.data());
  for (std::int32_t i = 0; i < m.n; i++) EXPECT_TRUE(same_bits(F[at(i)], a.F[at(i)]));
}

double distance(const vec &a, const vec &b) {
  double d = 0;
  for (std::size_t i = 0; i < a.size(); i++) d = std::max(d, std::fabs(a[i] - b[i]));
  return d;
}

// ---- problems with known solutions ----

model kojima_shindo() {
  model m(4);
  m.F = [](const double *x, double *F) {
    const double a = x[0], b = x[1], c = x[2], d = x[3];
    F[0] = 3 * a * a + 2 * a * b + 2 * b * b + c + 3 * d - 6;
    F[1] = 2 * a * a + a + b * b + 10 * c + 2 * d - 2;
    F[2] = 3 * a * a + a * b + 2 * b * b + 2 * c + 9 * d - 9;
    F[3] = a * a + 3 * b * b + 2 * c + 3 * d - 3;
    return 0;
  };
  m.J = [](const double *x, dense &J) {
    const double a = x[0], b = x[1];
    J = from_rows(4, {6 * a + 2 * b, 2 * a + 4 * b, 1, 3, 4 * a + 1, 2 * b, 10, 2, 6 * a + b,
                      a + 4 * b, 2, 9, 2 * a, 6 * b, 2, 3});
    return 0;
  };
  return m;
}

TEST(Mcp, KojimaAndShindoHaveTwoSolutionsAndEveryStartFindsOne) {
  model m = kojima_shindo();
  const vec regular = {1, 0, 3, 0}, degenerate = {std::sqrt(6.0) / 2, 0, 0, 0.5};
  uniform u(1);
  int count[2] = {0, 0};
  for (int k = 0; k < 200; k++) {
    vec start(4);
    for (double &x : start) x = k == 0 ? 0 : k == 1 ? 1 : 5 * u() + 4;
    const answer a = solve(m, start);
    expect_solved(m, a, 1e-8);
    EXPECT_LE(a.info.iterations, 100);
    const bool first = distance(a.z, regular) < 1e-7;
    EXPECT_TRUE(first || distance(a.z, degenerate) < 1e-4) << k;
    count[first]++;
  }
  EXPECT_GT(count[0], 0);
  EXPECT_GT(count[1], 0);
}

TEST(Mcp, BillupsIsSolvedFromWhereNewtonStalls) {
  model m(1);
  m.F = [](const double *x, double *F) {
    F[0] = (x[0] - 1) * (x[0] - 1) - 1.01;
    return 0;
  };
  m.J = [](const double *x, dense &J) {
    J(0, 0) = 2 * (x[0] - 1);
    return 0;
  };
  for (const double start : {0.0, 0.5, 1.0, -3.0, 10.0, 1e6}) {
    const answer a = solve(m, {start});
    expect_solved(m, a);
    EXPECT_NEAR(a.z[0], 1 + std::sqrt(1.01), 1e-9) << start;
  }
}

TEST(Mcp, MathiesenModifiedEndsOnItsLineOfSolutions) {
  model m(4);
  m.F = [](const double *x, double *F) {
    F[0] = -x[1] + x[2] + x[3];
    F[1] = x[0] - (4.5 * x[2] + 2.7 * x[3]) / (x[1] + 1);
    F[2] = 5 - x[0] - (0.5 * x[2] + 0.3 * x[3]) / (x[2] + 1);
    F[3] = 3 - x[0];
    return 0;
  };
  m.J = [](const double *x, dense &J) {
    const double s = x[1] + 1, t = x[2] + 1, p = 4.5 * x[2] + 2.7 * x[3];
    const double r = 0.5 * x[2] + 0.3 * x[3];
    J = from_rows(4, {0, -1, 1, 1, 1, p / (s * s), -4.5 / s, -2.7 / s, -1, 0,
                      -0.5 / t + r / (t * t), -0.3 / t, -1, 0, 0, 0});
    return 0;
  };
  uniform u(2);
  for (int k = 0; k < 200; k++) {
    vec start(4);
    for (double &x : start) x = k == 0 ? 0 : k == 1 ? 1 : 5 * u() + 5;
    const answer a = solve(m, start);
    expect_solved(m, a);
    EXPECT_LE(std::fabs(a.z[1]) + std::fabs(a.z[2]) + std::fabs(a.z[3]), 1e-7) << k;
    EXPECT_LE(a.z[0], 3 + 1e-9);
  }
}

TEST(Mcp, JosephyHasOneSolutionAndItIsFoundFromEverywhere) {
  model m(4);
  m.F = [](const double *x, double *F) {
    const double a = x[0], b = x[1], c = x[2], d = x[3];
    F[0] = 3 * a * a + 2 * a * b + 2 * b * b + c + 3 * d - 6;
    F[1] = 2 * a * a + a + b * b + 3 * c + 2 * d - 2;
    F[2] = 3 * a * a + a * b + 2 * b * b + 2 * c + 3 * d - 1;
    F[3] = a * a + 3 * b * b + 2 * c + 3 * d - 3;
    return 0;
  };
  uniform u(12);
  for (int k = 0; k < 100; k++) {
    vec start(4);
    for (double &x : start) x = k == 0 ? 0 : 5 * u() + 5;
    const answer a = solve(m, start);
    expect_solved(m, a, 1e-8);
    EXPECT_LE(distance(a.z, {std::sqrt(6.0) / 2, 0, 0, 0.5}), 1e-5) << k;
  }
}

// Five firms with marginal costs c + (q / 5)^(1/b) sell at the price (5000 / sum)^(1/1.1).
TEST(Mcp, AnOligopolyIsInEquilibriumWithoutJacobian) {
  model m(5);
  m.F = [](const double *q, double *F) {
    const double c[5] = {10, 8, 6, 4, 2}, b[5] = {1.2, 1.1, 1, 0.9, 0.8}, g = 1 / 1.1;
    double sum = 0;
    for (int i = 0; i < 5; i++) sum += q[i];
    if (!(sum > 0)) return 1;
    const double price = std::pow(5000 / sum, g), slope = -g * price / sum;
    for (int i = 0; i < 5; i++) F[i] = c[i] + std::pow(q[i] / 5, 1 / b[i]) - price - q[i] * slope;
    return 0;
  };
  for (const double start : {1.0, 10.0, 100.0, 1000.0}) {
    const answer a = solve(m, vec(5, start));
    expect_solved(m, a, 1e-8);
    EXPECT_LE(distance(a.z, {36.93, 41.82, 43.71, 42.66, 39.18}), 0.01) << start;
  }
}

// min 9 - 8 a - 6 b - 4 c + 2 a² + 2 b² + c² + 2 a b + 2 a c,  a + b + 2 c <= 3
TEST(Mcp, TheOptimumOfHs35SolvesItsKktConditions) {
  model m(4);
  const dense J = from_rows(4, {4, 2, 2, 1, 2, 4, 0, 1, 2, 0, 2, 2, -1, -1, -2, 0});
  m.F = [&J](const double *x, double *F) {
    const double q[4] = {-8, -6, -4, 3};
    for (std::int32_t i = 0; i < 4; i++) {
      F[i] = q[i];
      for (std::int32_t j = 0; j < 4; j++) F[i] += J(i, j) * x[j];
    }
    return 0;
  };
  m.J = [&J](const double *, dense &out) { return out = J, 0; };
  uniform u(3);
  for (int k = 0; k < 100; k++) {
    vec start(4);
    for (double &x : start) x = k == 0 ? 0.5 : 10 * u();
    const answer a = solve(m, start);
    expect_solved(m, a);
    EXPECT_LE(distance(a.z, {4.0 / 3, 7.0 / 9, 4.0 / 9, 2.0 / 9}), 1e-12);
  }
}

// F(z) = M z + q + c (z + s)³ componentwise, M monotone, with a planted solution and all kinds of
// bounds.
model random_monotone(uniform &u, std::int32_t n, double cube, double diagonal, vec *solution) {
  model m(n);
  dense M(n, n), B(n, n);
  vec s(at(n)), c(at(n)), q(at(n));
  for (double &x : B.a) x = u();
  for (std::int32_t i = 0; i < n; i++)
    for (std::int32_t j = 0; j < n; j++) {
      M(i, j) = B(i, j) - B(j, i) + (i == j ? diagonal : 0);
      for (std::int32_t k = 0; k < n; k++) M(i, j) += diagonal * B(i, k) * B(j, k);
    }
  solution->assign(at(n), 0);
  for (std::int32_t i = 0; i < n; i++) {
    const std::size_t k = at(i);
    const int kind = static_cast<int>(2.5 * (u() + 1)), where = static_cast<int>(1.5 * (u() + 1));
    const double base = 2 * u(), width = 1.5 + u(), in = base + width * (0.5 + 0.4 * u());
    m.l[k] = kind == 0 || kind == 2 ? -kInf : base;
    m.u[k] = kind == 0 || kind == 4 ? kInf : kind == 3 ? base : base + width;
    (*solution)[k] = in;
    double y = 0;
    if ((where == 0 && m.l[k] > -kInf) || kind == 3) {
      (*solution)[k] = m.l[k];
      y = kind == 3 ? u() : u() + 1;
    } else if (where == 1 && m.u[k] < kInf) {
      (*solution)[k] = m.u[k];
      y = -(u() + 1);
    }
    s[k] = u();
    c[k] = cube * (u() + 1);
    q[k] = y - c[k] * std::pow((*solution)[k] + s[k], 3);
  }
  const std::vector<long double> image = tools::affine(M, vec(at(n), 0), *solution);
  for (std::int32_t i = 0; i < n; i++) q[at(i)] -= static_cast<double>(image[at(i)]);
  m.F = [=](const double *z, double *F) {
    for (std::int32_t i = 0; i < n; i++) {
      F[i] = q[at(i)] + c[at(i)] * std::pow(z[i] + s[at(i)], 3);
      for (std::int32_t j = 0; j < n; j++) F[i] += M(i, j) * z[j];
    }
    return 0;
  };
  m.J = [=](const double *z, dense &J) {
    J = M;
    for (std::int32_t i = 0; i < n; i++) J(i, i) += 3 * c[at(i)] * std::pow(z[i] + s[at(i)], 2);
    return 0;
  };
  return m;
}

vec random_start(uniform &u, std::int32_t n, double size) {
  vec z(at(n));
  for (double &x : z) x = size * u();
  return z;
}

TEST(Mcp, RandomMonotoneProblemsAreSolvedFromFarAway) {
  uniform u(4);
  for (int k = 0; k < 300; k++) {
    const std::int32_t n = 1 + k % 12;
    vec exact;
    model m = random_monotone(u, n, 1, 0.5, &exact);
    const answer a = solve(m, random_start(u, n, k % 3 == 0 ? 100 : 5));
    expect_solved(m, a, 1e-7);
    EXPECT_LE(distance(a.z, exact), 1e-7) << k;
  }
}

TEST(Mcp, AffineProblemsTakeOneIterationInEveryMode) {
  uniform u(5);
  for (int k = 0; k < 200; k++) {
    const std::int32_t n = 1 + k % 10;
    vec exact;
    model m = random_monotone(u, n, 0, 1, &exact);
    for (const std::int32_t mode : {PERP_MCP_PATH, PERP_MCP_LEMKE, PERP_MCP_JOSEPHY_NEWTON}) {
      perp_mcp_options o = perp_mcp_options_default();
      o.mode = mode;
      o.crash = 0;
      const answer a = solve(m, random_start(u, n, 10), &o);
      expect_solved(m, a, 1e-10);
      EXPECT_LE(distance(a.z, exact), 1e-10) << k;
      EXPECT_LE(a.info.iterations, 1) << k << " mode " << mode << " n " << n;
    }
    const answer a = solve(m, exact);
    EXPECT_EQ(a.status, PERP_OK);
    EXPECT_LE(a.info.iterations, 1);
  }
}

TEST(Mcp, CrashStepsAreNotIterations) {
  uniform u(6);
  int without = 0, with = 0;
  for (int k = 0; k < 50; k++) {
    vec exact;
    model m = random_monotone(u, 8, 1, 1, &exact);
    const vec start = random_start(u, 8, 20);
    perp_mcp_options o = perp_mcp_options_default();
    with += solve(m, start, &o).info.iterations;
    o.crash = 0;
    without += solve(m, start, &o).info.iterations;
  }
  EXPECT_LT(with, without);
}

TEST(Mcp, WithoutMemoryAndWatchdogTheMeritFallsInEveryStep) {
  int rises[2] = {0, 0};
  for (const std::int32_t watchdog : {0, 3}) {
    uniform u(16);
    for (int k = 0; k < 60; k++) {
      model m = kojima_shindo();
      vec merits;
      perp_mcp_options o = perp_mcp_options_default();
      o.memory = 1;
      o.watchdog = watchdog;
      o.restarts = 0;
      o.user = &merits;
      o.observe = [](const perp_iterate *it, void *user) -> std::int32_t {
        static_cast<vec *>(user)->push_back(it->merit);
        return 0;
      };
      vec start(4);
      for (double &x : start) x = 5 * u() + 4;
      solve(m, start, &o);
      for (std::size_t i = 1; i < merits.size(); i++)
        rises[watchdog > 0] += merits[i] > merits[i - 1];
    }
  }
  EXPECT_EQ(rises[0], 0);
  EXPECT_GT(rises[1], 0);
}

TEST(Mcp, ConvergenceIsQuadratic) {
  uniform u(7);
  for (const std::int32_t mode : {PERP_MCP_PATH, PERP_MCP_JOSEPHY_NEWTON, PERP_MCP_LEMKE}) {
    int seen = 0;
    for (int k = 0; k < 40; k++) {
      vec exact, merits;
      model m = random_monotone(u, 6, 1, 1, &exact);
      perp_mcp_options o = perp_mcp_options_default();
      o.mode = mode;
      o.crash = 0;
      o.tol = 1e-15;
      o.user = &merits;
      o.observe = [](const perp_iterate *it, void *user) -> std::int32_t {
        EXPECT_EQ(static_cast<std::size_t>(it->iteration), static_cast<vec *>(user)->size());
        EXPECT_EQ(it->entering, -1);
        EXPECT_EQ(it->leaving, -1);
        static_cast<vec *>(user)->push_back(it->merit);
        return 0;
      };
      vec start = exact;
      for (double &x : start) x += 0.1 * u();
      const answer a = solve(m, start, &o);
      EXPECT_LE(m.error(a.z), 1e-12);
      for (std::size_t i = 1; i < merits.size(); i++)
        if (merits[i - 1] < 1e-2 && merits[i - 1] > 1e-7) {
          seen++;
          EXPECT_LE(merits[i], 100 * merits[i - 1] * merits[i - 1] + 1e-15);
        }
    }
    EXPECT_GT(seen, 20);
  }
}

// ---- Jacobians ----

TEST(Mcp, EveryLayoutOfTheJacobianGivesTheSamePoint) {
  uniform u(8);
  for (int k = 0; k < 60; k++) {
    const std::int32_t n = 1 + k % 9;
    vec exact;
    model m = random_monotone(u, n, 1, 1, &exact);
    const vec start = random_start(u, n, 5);
    const answer plain = solve(m, start);
    m.ld = n + 3;
    const answer strided = solve(m, start);
    m.sparse = true;
    const answer rows = solve(m, start);
    m.J = nullptr;
    const answer differences = solve(m, start);
    for (std::int32_t i = 0; i < n; i++) {
      EXPECT_TRUE(same_bits(plain.z[at(i)], strided.z[at(i)]));
      EXPECT_NEAR(rows.z[at(i)], plain.z[at(i)], 1e-9);
      EXPECT_NEAR(differences.z[at(i)], plain.z[at(i)], 1e-8);
    }
    expect_solved(m, rows, 1e-7);
    expect_solved(m, differences, 1e-7);
  }
}

TEST(Mcp, DifferencesStayWithinTheBounds) {
  model m(3);
  m.l = {0, -1, 2};
  m.u = {1e-12, 1, 2};
  bool outside = false;
  m.F = [&](const double *z, double *F) {
    for (std::size_t i = 0; i < 3; i++) outside = outside || !(z[i] >= m.l[i] && z[i] <= m.u[i]);
    F[0] = z[0] - 1;
    F[1] = z[1] * z[1] * z[1] + z[1] - 3;
    F[2] = z[2];
    return 0;
  };
  const answer a = solve(m, {5, 5, 5});
  expect_solved(m, a);
  EXPECT_EQ(a.z, vec({1e-12, 1, 2}));
  EXPECT_FALSE(outside);
}

// ---- callbacks that fail ----

// log z - 1 = 0, which has no value for z <= 0 although z is free.
model logarithm(bool nan) {
  model m(1);
  m.l = {-kInf};
  m.F = [nan](const double *z, double *F) {
    F[0] = z[0] > 0 ? std::log(z[0]) - 1 : kNaN;
    return !nan && !(z[0] > 0);
  };
  m.J = [](const double *z, dense &J) { return J(0, 0) = 1 / z[0], 0; };
  return m;
}

TEST(Mcp, WhereFCannotBeEvaluatedTheStepIsShortened) {
  for (const bool nan : {false, true})
    for (const bool differences : {false, true}) {
      model m = logarithm(nan);
      if (differences) m.J = nullptr;
      for (const double start : {1e-9, 1.0, 8.0, 100.0, 1e5}) {  // Newton from 8 goes below 0
        const answer a = solve(m, {start});
        EXPECT_EQ(a.status, PERP_OK);
        EXPECT_NEAR(a.z[0], std::exp(1.0), 1e-8) << start;
      }
    }
}

TEST(Mcp, WhereJCannotBeEvaluatedTheStepIsShortened) {
  for (const bool nan : {false, true}) {
    model m(1);
    m.F = [](const double *z, double *F) { return F[0] = std::atan(z[0] - 2), 0; };
    m.J = [nan](const double *z, dense &J) {
      J(0, 0) = nan && z[0] > 5 ? kNaN : 1 / (1 + (z[0] - 2) * (z[0] - 2));
      return !nan && z[0] > 5;
    };
    const answer a = solve(m, {0});  // the Newton step from 0 goes to 5.5
    expect_solved(m, a);
    EXPECT_NEAR(a.z[0], 2, 1e-9);
  }
}

TEST(Mcp, AStartWithoutAValueIsReportedIfNoOtherHasOne) {
  for (const bool nan : {false, true}) {
    model m = logarithm(nan);
    const answer a = solve(m, {-1e6});
    EXPECT_EQ(a.status, nan ? PERP_ENOTFINITE : PERP_RETRY);
    EXPECT_EQ(a.z[0], -1e6);
    m.J = [](const double *, dense &) { return 1; };
    EXPECT_EQ(solve(m, {1}).status, PERP_RETRY);
  }
}

TEST(Mcp, ANegativeAnswerEndsTheSolveAtOnce) {
  for (int last = 1; last < 12; last++) {
    model m = kojima_shindo();
    const auto F = m.F;
    m.F = [&](const double *z, double *out) {
      F(z, out);
      return m.F_calls >= last ? -5 : 0;
    };
    const answer a = solve(m, {0, 0, 0, 0});
    if (a.status == PERP_OK) continue;
    EXPECT_EQ(a.status, PERP_ECALLBACK);
    EXPECT_EQ(m.F_calls, last);
    for (const double z : a.z) EXPECT_TRUE(std::isfinite(z));
  }
  for (int last = 1; last < 6; last++) {
    model m = kojima_shindo();
    const auto J = m.J;
    m.J = [&](const double *z, dense &out) {
      J(z, out);
      return m.J_calls >= last ? -1 : 0;
    };
    const answer a = solve(m, {0, 0, 0, 0});
    if (a.status == PERP_OK) continue;
    EXPECT_EQ(a.status, PERP_ECALLBACK);
    EXPECT_EQ(m.J_calls, last);
  }
}

// ---- endings ----

TEST(Mcp, WithoutASolutionNothingIsSolved) {
  model m(2);
  m.F = [](const double *z, double *F) {
    F[0] = -1 - z[0] * z[0];
    F[1] = z[1] - 1;
    return 0;
  };
  m.J = [](const double *z, dense &J) { return J = from_rows(2, {-2 * z[0], 0, 0, 1}), 0; };
  const answer a = solve(m, {1, 1});
  EXPECT_TRUE(a.status == PERP_RAY || a.status == PERP_MAX_ITER);
  EXPECT_GT(a.info.relative_residual, 1e-6);
  EXPECT_TRUE(std::isfinite(a.z[0]) && std::isfinite(a.z[1]));
}

TEST(Mcp, TheBudgetOfWorkEndsIt) {
  model m = kojima_shindo();
  perp_mcp_options o = perp_mcp_options_default();
  o.crash = 0;
  const answer whole = solve(m, {90, 80, 70, 60}, &o);
  ASSERT_GT(whole.info.iterations, 2);
  o.budget = 1; /* a multiply-add: one iteration */
  const answer cut = solve(m, {90, 80, 70, 60}, &o);
  EXPECT_EQ(cut.status, PERP_MAX_ITER);
  EXPECT_EQ(cut.info.iterations, 1);
}

TEST(Mcp, TheLimitIsKeptExactlyAndTheBestPointReturned) {
  model m = kojima_shindo();
  for (std::int32_t limit = 1; limit < 5; limit++) {
    perp_mcp_options o = perp_mcp_options_default();
    o.max_iter = limit;
    o.crash = 0;
    int seen = 0;
    o.user = &seen;
    o.observe = [](const perp_iterate *, void *user) -> std::int32_t {
      ++*static_cast<int *>(user);
      return 0;
    };
    const answer a = solve(m, {90, 80, 70, 60}, &o);
    EXPECT_EQ(a.status, PERP_MAX_ITER);
    EXPECT_EQ(a.info.iterations, limit);
    EXPECT_EQ(seen, limit);
    EXPECT_LT(m.error(a.z), m.error({90, 80, 70, 60}));
    vec F(4);
    m.F(a.z.data(), F.data());
    EXPECT_EQ(F, a.F);
  }
}

TEST(Mcp, TheObserverMayStop) {
  model m = kojima_shindo();
  perp_mcp_options o = perp_mcp_options_default();
  o.crash = 0;
  o.observe = [](const perp_iterate *it, void *) -> std::int32_t { return it->iteration == 1; };
  const answer a = solve(m, {90, 80, 70, 60}, &o);
  EXPECT_EQ(a.status, PERP_STOPPED);
  EXPECT_EQ(a.info.iterations, 2);
}

TEST(Mcp, ASolutionIsRecognisedWithoutAStep) {
  model m = kojima_shindo();
  const answer a = solve(m, {1, 0, 3, 0});
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_EQ(a.info.iterations, 0);
  EXPECT_EQ(a.z, vec({1, 0, 3, 0}));
  EXPECT_STREQ(a.info.solver, "mcp-path");
}

TEST(Mcp, TheStartIsMovedIntoTheBounds) {
  model m(2);
  m.l = {1, -kInf};
  m.u = {2, 3};
  m.F = [&](const double *z, double *F) {
    EXPECT_TRUE(z[0] >= 1 && z[0] <= 2 && z[1] <= 3);
    F[0] = z[0] - 1.5;
    F[1] = z[1] + z[0];
    return 0;
  };
  m.J = [](const double *, dense &J) { return J = from_rows(2, {1, 0, 1, 1}), 0; };
  const answer a = solve(m, {-1e300, 1e300});
  expect_solved(m, a);
  EXPECT_EQ(a.z, vec({1.5, -1.5}));
}

// ---- pieces ----

TEST(McpModel, TheGradientIsThatOfHalfTheSquareOfTheMerit) {
  uniform u(13);
  for (int k = 0; k < 100; k++) {
    const std::int32_t n = 6;
    vec exact, F(6), g(6), R(6), C(6), z(6), probe(6);
    model d = random_monotone(u, n, 1, 1, &exact);
    d.sparse = k % 2 == 1;
    const perp_mcp p = d.view();
    vec entries(36);
    mcp m = {};
    m.problem = &p;
    m.n = n;
    for (std::size_t i = 0; i < 6; i++) {
      R[i] = std::ldexp(1.0, static_cast<int>(3 * u()));
      C[i] = std::ldexp(1.0, static_cast<int>(3 * u()));
      const double l = std::max(d.l[i], -3.0), h = std::min(d.u[i], 3.0);
      z[i] = l + (h - l) * (0.5 + 0.4 * u());
    }
    m.R = R.data();
    m.C = C.data();
    m.z = z.data();
    m.F = F.data();
    m.entries = entries.data();
    m.probe = probe.data();
    m.J = p.layout;
    m.J.values = m.entries;
    p.jacobian(z.data(), m.entries, p.user);
    d.F(z.data(), F.data());
    perp_mcp_gradient(&m, g.data());
    for (std::size_t i = 0; i < 6; i++) {
      const double h = 1e-6;
      double half[2];
      for (const int side : {0, 1}) {
        vec moved = z, image(6);
        moved[i] += side == 0 ? -h : h;
        d.F(moved.data(), image.data());
        const double merit = perp_mcp_merit(&m, moved.data(), image.data());
        half[side] = merit * merit / 2;
      }
      const double slope = (half[1] - half[0]) / (2 * h) * C[i];
      if (d.l[i] < d.u[i]) {
        EXPECT_NEAR(g[i], slope, 1e-4 * (1 + std::fabs(slope))) << k << " " << i;
      }
    }
  }
}

TEST(McpModel, TheMeritVanishesAtSolutionsOnly) {
  uniform u(14);
  for (int k = 0; k < 200; k++) {
    vec exact, F(5, 0), unit(5, 1);
    model d = random_monotone(u, 5, 1, 1, &exact);
    const perp_mcp p = d.view();
    mcp m = {};
    m.problem = &p;
    m.n = 5;
    m.R = m.C = unit.data();
    d.F(exact.data(), F.data());
    EXPECT_LE(perp_mcp_merit(&m, exact.data(), F.data()), 1e-13);
    for (std::size_t i = 0; i < 5; i++) {
      if (!(d.l[i] < d.u[i])) continue;
      vec z = exact, wrong = F;
      const bool low = z[i] <= d.l[i], high = z[i] >= d.u[i];
      wrong[i] = low ? -0.1 : high ? 0.1 : u() > 0 ? 0.1 : -0.1;
      EXPECT_GT(perp_mcp_merit(&m, z.data(), wrong.data()), 1e-3);
    }
  }
}

TEST(Mcp, ExtremeNumbersEndSomehow) {
  uniform u(15);
  for (int k = 0; k < 300; k++) {
    const std::int32_t n = 1 + k % 4;
    vec c(at(3 * n * n));
    for (double &x : c) x = u() * std::pow(10.0, std::floor((k % 2 == 0 ? 3 : 150) * u()));
    model m(n);
    for (std::int32_t i = 0; i < n; i++) {
      m.l[at(i)] = u() > 0 ? -kInf : u() * 1e9;
      m.u[at(i)] = u() > 0 ? kInf : m.l[at(i)] > -kInf ? m.l[at(i)] : 1e-9;
    }
    bool outside = false;
    m.F = [&](const double *z, double *F) {
      for (std::int32_t i = 0; i < n; i++) {
        outside = outside || !(z[i] >= m.l[at(i)] && z[i] <= m.u[at(i)] && std::isfinite(z[i]));
        F[i] = c[at(i)];
        for (std::int32_t j = 0; j < n; j++)
          F[i] += c[at(n + i * n + j)] * z[j] + c[at(i)] * std::exp(z[j]) * z[i];
      }
      return 0;
    };
    const answer a = solve(m, random_start(u, n, 10));
    if (a.status == PERP_OK) {
      EXPECT_LE(a.info.relative_residual, 1e-10);
    }
    for (const double z : a.z) EXPECT_TRUE(std::isfinite(z));
    EXPECT_FALSE(outside) << k;
  }
}

// ---- arguments and memory ----

TEST(Mcp, WrongArgumentsAreNamed) {
  const auto refused = [](perp_status status, const char *field, auto change) {
    model m = kojima_shindo();
    perp_mcp p = m.view();
    perp_mcp_options o = perp_mcp_options_default();
    vec z(4, 0.5), F(4, 999);
    std::vector<unsigned char> work(perp_mcp_workspace(&p, &o));
    perp_info info = PERP_INFO_INIT;
    change(p, o, z);
    EXPECT_EQ(perp_mcp_solve(&p, &o, z.data(), F.data(), work.data(), work.size(), &info), status)
        << field;
    EXPECT_STREQ(info.field, field);
    EXPECT_EQ(F, vec(4, 999));
    EXPECT_EQ(m.F_calls, 0);
    if (std::string(field) != "z") {
      EXPECT_EQ(perp_mcp_workspace(&p, &o), 0u) << field;
    }
  };
  static const double nan[4] = {0, kNaN, 0, 0}, high[4] = {0, 0, 0, kInf},
                      low[4] = {0, -kInf, 1, 1};
  static const double one[4] = {1, 1, 1, 1}, nil[4] = {0, 0, 0, 0};
  using options = perp_mcp_options;
  refused(PERP_EINVAL, "n", [](perp_mcp &p, options &, vec &) { p.n = -1; });
  refused(PERP_EINVAL, "function", [](perp_mcp &p, options &, vec &) { p.function = nullptr; });
  refused(PERP_EINVAL, "lower", [](perp_mcp &p, options &, vec &) { p.lower = nullptr; });
  refused(PERP_EINVAL, "upper", [](perp_mcp &p, options &, vec &) { p.upper = nullptr; });
  refused(PERP_ENOTFINITE, "lower", [](perp_mcp &p, options &, vec &) { p.lower = nan; });
  refused(PERP_ENOTFINITE, "lower", [](perp_mcp &p, options &, vec &) { p.lower = high; });
  refused(PERP_ENOTFINITE, "upper", [](perp_mcp &p, options &, vec &) { p.upper = nan; });
  refused(PERP_ENOTFINITE, "upper", [](perp_mcp &p, options &, vec &) { p.upper = low; });
  refused(PERP_EINVAL, "lower", [](perp_mcp &p, options &, vec &) {
    p.lower = one;
    p.upper = nil;
  });
  refused(PERP_EINVAL, "kind",
          [](perp_mcp &p, options &, vec &) { p.layout.kind = PERP_DIAGONAL; });
  refused(PERP_EINVAL, "rows", [](perp_mcp &p, options &, vec &) { p.layout.rows = 5; });
  refused(PERP_EINVAL, "cols", [](perp_mcp &p, options &, vec &) { p.layout.cols = 3; });
  refused(PERP_EINVAL, "ld", [](perp_mcp &p, options &, vec &) { p.layout.ld = 3; });
  refused(PERP_EINVAL, "struct_size", [](perp_mcp &, options &o, vec &) { o.struct_size = 4; });
  refused(PERP_EINVAL, "max_iter", [](perp_mcp &, options &o, vec &) { o.max_iter = -1; });
  refused(PERP_EINVAL, "tol", [](perp_mcp &, options &o, vec &) { o.tol = kNaN; });
  refused(PERP_EINVAL, "tol", [](perp_mcp &, options &o, vec &) { o.tol = -1; });
  refused(PERP_EINVAL, "budget", [](perp_mcp &, options &o, vec &) { o.budget = -1; });
  refused(PERP_EINVAL, "budget", [](perp_mcp &, options &o, vec &) { o.budget = kNaN; });
  refused(PERP_EINVAL, "mode", [](perp_mcp &, options &o, vec &) { o.mode = 3; });
  refused(PERP_EINVAL, "mode", [](perp_mcp &, options &o, vec &) { o.mode = -1; });
  refused(PERP_EINVAL, "max_pivots", [](perp_mcp &, options &o, vec &) { o.max_pivots = -1; });
  refused(PERP_EINVAL, "crash", [](perp_mcp &, options &o, vec &) { o.crash = -1; });
  refused(PERP_EINVAL, "restarts", [](perp_mcp &, options &o, vec &) { o.restarts = 6; });
  refused(PERP_EINVAL, "memory", [](perp_mcp &, options &o, vec &) { o.memory = 0; });
  refused(PERP_EINVAL, "memory", [](perp_mcp &, options &o, vec &) { o.memory = 17; });
  refused(PERP_EINVAL, "watchdog", [](perp_mcp &, options &o, vec &) { o.watchdog = -1; });
  refused(PERP_EINVAL, "decrease", [](perp_mcp &, options &o, vec &) { o.decrease = 1; });
  refused(PERP_EINVAL, "decrease", [](perp_mcp &, options &o, vec &) { o.decrease = kNaN; });
  refused(PERP_ENOTFINITE, "z", [](perp_mcp &, options &, vec &z) { z[2] = kNaN; });
  refused(PERP_ENOTFINITE, "z", [](perp_mcp &, options &, vec &z) { z[2] = kInf; });
}

TEST(Mcp, MissingAndOverlappingArraysAreNamed) {
  model m = kojima_shindo();
  const perp_mcp p = m.view();
  vec both(8, 0.5);
  std::vector<unsigned char> work(perp_mcp_workspace(&p, nullptr));
  perp_info info = PERP_INFO_INIT;
  double *z = both.data(), *F = z + 4;
  const auto call = [&](const perp_mcp *q, double *a, double *b, void *w, std::size_t bytes) {
    return perp_mcp_solve(q, nullptr, a, b, w, bytes, &info);
  };
  EXPECT_EQ(call(nullptr, z, F, work.data(), work.size()), PERP_EINVAL);
  EXPECT_STREQ(info.field, "problem");
  EXPECT_EQ(call(&p, nullptr, F, work.data(), work.size()), PERP_EINVAL);
  EXPECT_STREQ(info.field, "z");
  EXPECT_EQ(call(&p, z, nullptr, work.data(), work.size()), PERP_EINVAL);
  EXPECT_STREQ(info.field, "F");
  EXPECT_EQ(call(&p, z, z + 3, work.data(), work.size()), PERP_EINVAL);
  EXPECT_STREQ(info.field, "F overlaps z");
  EXPECT_EQ(call(&p, z, F, nullptr, work.size()), PERP_EINVAL);
  EXPECT_STREQ(info.field, "work");
  EXPECT_EQ(call(&p, z, F, work.data(), work.size() - 1), PERP_EWORKSPACE);
  EXPECT_STREQ(info.field, "work_bytes");
  EXPECT_EQ(both, vec(8, 0.5));
  EXPECT_EQ(perp_mcp_workspace(nullptr, nullptr), 0u);
  EXPECT_EQ(perp_mcp_solve(&p, nullptr, z, F, work.data(), work.size(), nullptr), PERP_OK);
  perp_mcp_options_init(nullptr, 8);
}

TEST(Mcp, NothingIsSolvedByNothing) {
  perp_mcp p = {};
  std::vector<unsigned char> work(perp_mcp_workspace(&p, nullptr));
  EXPECT_GT(work.size(), 0u);
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(perp_mcp_solve(&p, nullptr, nullptr, nullptr, work.data(), work.size(), &info),
            PERP_OK);
}

TEST(Mcp, WorksInExactlyTheMemoryItAsksForAtEveryAlignment) {
  model m = kojima_shindo();
  for (const bool sparse : {false, true}) {
    m.sparse = sparse;
    const perp_mcp p = m.view();
    const std::size_t need = perp_mcp_workspace(&p, nullptr);
    vec first;
    for (std::size_t shift = 0; shift < 16; shift++) {
      std::vector<unsigned char> work(need + 64, 0xA5);
      vec z(4, 0), F(4, 999);
      EXPECT_EQ(
          perp_mcp_solve(&p, nullptr, z.data(), F.data(), work.data() + 16 + shift, need, nullptr),
          PERP_OK);
      for (std::size_t i = 0; i < work.size(); i++)
        if (i < 16 + shift || i >= 16 + shift + need) {
          ASSERT_EQ(work[i], 0xA5) << i;
        }
      if (shift == 0) first = z;
      for (std::size_t i = 0; i < 4; i++) EXPECT_TRUE(same_bits(z[i], first[i]));
    }
  }
}

}  // namespace
