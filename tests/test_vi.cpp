// SPDX-License-Identifier: MIT
// Variational inequalities in callbacks, and the same methods as solvers of one-step problems.
#include <gtest/gtest.h>
#include <perp/vi.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "solver_trial.hpp"

namespace {

using families::instance;
using tools::at;
using tools::boxed;
using tools::dense;
using tools::kInf;
using tools::kNaN;
using tools::vec;

using map = std::function<std::int32_t(const double *, double *)>;
using method = perp_status (*)(const perp_vi *, const perp_vi_options *, double *, double *, void *,
                               std::size_t, perp_info *);

// A problem in lambdas; counts the calls.
struct inequality {
  map F, P;
  mutable int values = 0, projections = 0;

  static std::int32_t function(const double *x, double *F, void *user) {
    const auto *self = static_cast<const inequality *>(user);
    self->values++;
    return self->F(x, F);
  }
  static std::int32_t project(const double *x, double *p, void *user) {
    const auto *self = static_cast<const inequality *>(user);
    self->projections++;
    return self->P(x, p);
  }
  perp_vi view(std::int32_t n) {
    perp_vi v = {};
    v.n = n;
    v.function = function;
    v.project = project;
    v.user = this;
    return v;
  }
};

struct answer {
  vec x, F;
  perp_info info = PERP_INFO_INIT;
  perp_status status = 999;
  bool intact = true;

  answer(method solve, inequality &p, vec start, const perp_vi_options *o = nullptr)
      : x(std::move(start)), F(x.size(), 999) {
    const auto n = static_cast<std::int32_t>(x.size());
    const perp_vi v = p.view(n);
    const std::size_t bytes = perp_vi_workspace(n);
    EXPECT_LE(bytes, PERP_VI_WORKSPACE(n));
    std::vector<unsigned char> work(bytes + 16, 0xA5);
    status = solve(&v, o, x.data(), F.data(), work.data() + 3, bytes, &info);
    for (std::size_t i = 0; i < 3; i++) intact = intact && work[i] == 0xA5;
    for (std::size_t i = bytes + 3; i < work.size(); i++) intact = intact && work[i] == 0xA5;
    EXPECT_TRUE(intact);
  }
};

perp_vi_options limited(std::int32_t max_iter, double tol = PERP_DEFAULT_TOL) {
  perp_vi_options o = perp_vi_options_default();
  o.max_iter = max_iter;
  o.tol = tol;
  return o;
}

map linear(const dense &M, vec q) {
  return [M, q = std::move(q)](const double *x, double *F) {
    for (std::int32_t i = 0; i < M.rows; i++) {
      F[i] = q[at(i)];
      for (std::int32_t j = 0; j < M.cols; j++) F[i] += M(i, j) * x[j];
    }
    return 0;
  };
}

map everywhere(std::int32_t n) {
  return [n](const double *x, double *p) {
    std::copy(x, x + n, p);
    return 0;
  };
}

map orthant(std::int32_t n) {
  return [n](const double *x, double *p) {
    for (std::int32_t i = 0; i < n; i++) p[i] = std::max(x[i], 0.0);
    return 0;
  };
}

map ball(std::int32_t n, double radius) {
  return [n, radius](const double *x, double *p) {
    double sum = 0;
    for (std::int32_t i = 0; i < n; i++) sum += x[i] * x[i];
    const double by = std::sqrt(sum) > radius ? radius / std::sqrt(sum) : 1;
    for (std::int32_t i = 0; i < n; i++) p[i] = by * x[i];
    return 0;
  };
}

// Points with x >= 0 and sum 1, in blocks of so many unknowns.
map simplices(std::int32_t blocks, std::int32_t size) {
  return [blocks, size](const double *x, double *p) {
    for (std::int32_t b = 0; b < blocks; b++, x += size, p += size) {
      vec sorted(x, x + size);
      std::sort(sorted.rbegin(), sorted.rend());
      double sum = 0, level = 0;
      for (std::int32_t k = 0; k < size; k++) {
        sum += sorted[at(k)];
        const double t = (sum - 1) / (k + 1);
        if (sorted[at(k)] > t) level = t;
      }
      for (std::int32_t i = 0; i < size; i++) p[i] = std::max(x[i] - level, 0.0);
    }
    return 0;
  };
}

// {x_0 >= ‖(x_1, x_2)‖}
void cone_project(const double *x, double *p) {
  const double t = std::hypot(x[1], x[2]);
  if (t <= x[0]) {
    std::copy(x, x + 3, p);
  } else if (t <= -x[0]) {
    p[0] = p[1] = p[2] = 0;
  } else {
    const double r = (x[0] + t) / 2, x1 = x[1], x2 = x[2];
    p[0] = r;
    p[1] = r * x1 / t;
    p[2] = r * x2 / t;
  }
}

const method methods[] = {perp_vi_fixed_point, perp_vi_extragradient};

TEST(Vi, ThePointOfASetNextToAnotherPointIsFoundByBoth) {
  for (const method solve : methods) {
    inequality sphere{linear(tools::from_rows(2, {1, 0, 0, 1}), {-3, -4}), ball(2, 1)};
    const answer b(solve, sphere, {0, 0});
    EXPECT_EQ(b.status, PERP_OK);
    EXPECT_NEAR(b.x[0], 0.6, 1e-9);
    EXPECT_NEAR(b.x[1], 0.8, 1e-9);
    EXPECT_NEAR(b.F[0], -2.4, 1e-9);
    EXPECT_NEAR(b.F[1], -3.2, 1e-9);
    inequality simplex{linear(tools::from_rows(3, {1, 0, 0, 0, 1, 0, 0, 0, 1}), {-1, -0.5, 1}),
                       simplices(1, 3)};
    const answer s(solve, simplex, {9, 9, 9});
    EXPECT_EQ(s.status, PERP_OK);
    EXPECT_NEAR(s.x[0], 0.75, 1e-9);
    EXPECT_NEAR(s.x[1], 0.25, 1e-9);
    EXPECT_EQ(s.x[2], 0);
  }
}

TEST(Vi, OnAConeTheValueLiesInTheDualConeAndIsOrthogonal) {
  tools::uniform u(5);
  for (int k = 0; k < 20; k++) {
    const dense M = u.definite(3);
    for (const method solve : methods) {
      inequality p{linear(M, u.vector(3)), [](const double *x, double *q) {
                     cone_project(x, q);
                     return 0;
                   }};
      const answer a(solve, p, {0, 0, 0});
      ASSERT_EQ(a.status, PERP_OK);
      EXPECT_GE(a.x[0] - std::hypot(a.x[1], a.x[2]), -1e-9);
      EXPECT_GE(a.F[0] - std::hypot(a.F[1], a.F[2]), -1e-9);
      EXPECT_NEAR(a.x[0] * a.F[0] + a.x[1] * a.F[1] + a.x[2] * a.F[2], 0, 1e-8);
    }
  }
}

TEST(Vi, OfARotationOnlyTheExtragradientFindsTheCentre) {
  const dense A = tools::from_rows(2, {0, 1, -1, 0});
  inequality p{linear(A, {-2, 1}), everywhere(2)};
  const answer e(perp_vi_extragradient, p, {5, 5});
  EXPECT_EQ(e.status, PERP_OK);
  EXPECT_NEAR(e.x[0], 1, 1e-8);
  EXPECT_NEAR(e.x[1], 2, 1e-8);
  const answer f(perp_vi_fixed_point, p, {5, 5});
  EXPECT_TRUE(f.status == PERP_MAX_ITER || f.status == PERP_INACCURATE);
  EXPECT_LE(std::hypot(f.x[0] - 1, f.x[1] - 2), std::hypot(4, 3) + 1e-12);  // the best point
}

// Rock, paper, scissors with stakes: both play a mixed strategy.
TEST(Vi, AMatrixGameIsSolvedByTheExtragradient) {
  const dense pay = tools::from_rows(3, {0, -1, 2, 1, 0, -1, -2, 1, 0});
  inequality game{[pay](const double *x, double *F) {
                    for (std::int32_t i = 0; i < 3; i++) {
                      F[i] = F[3 + i] = 0;
                      for (std::int32_t j = 0; j < 3; j++) {
                        F[i] -= pay(i, j) * x[3 + j];
                        F[3 + i] += pay(j, i) * x[j];
                      }
                    }
                    return 0;
                  },
                  simplices(2, 3)};
  const answer a(perp_vi_extragradient, game, {1, 0, 0, 0, 1, 0});
  EXPECT_EQ(a.status, PERP_OK);
  const double mixed[] = {0.25, 0.5, 0.25};
  for (std::size_t i = 0; i < 6; i++) EXPECT_NEAR(a.x[i], mixed[i % 3], 1e-8);
}

TEST(Vi, EveryStepOfTheExtragradientComesCloserToTheSolution) {
  tools::uniform u(3);
  dense M = u.matrix(6, 6);
  for (std::int32_t j = 0; j < 6; j++)
    for (std::int32_t i = 0; i < j; i++) M(i, j) = -M(j, i);
  for (std::int32_t i = 0; i < 6; i++) M(i, i) = 0;
  const vec solution = {1, 0, 2, 0, 0.5, 3};
  vec q = {0, 1, 0, 2, 0, 0};
  for (std::int32_t i = 0; i < 6; i++)
    for (std::int32_t j = 0; j < 6; j++) q[at(i)] -= M(i, j) * solution[at(j)];
  double last = kInf;
  for (std::int32_t k = 1; k < 60; k++) {
    inequality p{linear(M, q), orthant(6)};
    // where the limit is, the last point is handed out only if it is the best: look at the solution
    const perp_vi_options o = limited(k, 0);
    const answer a(perp_vi_extragradient, p, vec(6, 0.0), &o);
    ASSERT_EQ(a.status, PERP_MAX_ITER);
    double distance = 0;
    for (std::size_t i = 0; i < 6; i++) distance += std::pow(a.x[i] - solution[i], 2);
    EXPECT_LE(distance, last * (1 + 1e-12)) << k;
    last = distance;
  }
}

TEST(Vi, StrongMonotonyGivesALinearRate) {
  const dense M = tools::from_rows(3, {2, 1, 0, -1, 2, 0.5, 0, -0.5, 1});
  for (const method solve : methods) {
    int previous = 0;
    for (const double tol : {1e-4, 1e-7, 1e-10, 1e-13}) {
      inequality p{linear(M, {-1, 2, -3}), orthant(3)};
      const perp_vi_options o = limited(0, tol);
      const answer a(solve, p, {0, 0, 0}, &o);
      ASSERT_EQ(a.status, PERP_OK) << tol;
      EXPECT_LT(a.info.iterations - previous, 80);
      previous = a.info.iterations;
    }
  }
}

// ρ < 2 μ / L² = 0.077 is asked for; the rule alone would allow 0.17, which leads away.
TEST(Vi, TheFixedPointTakesShorterStepsWhereTheRuleIsNotEnough) {
  inequality p{linear(tools::from_rows(2, {1, 5, -5, 1}), {-1, 2}), everywhere(2)};
  const answer a(perp_vi_fixed_point, p, {3, 4});
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_NEAR(a.x[0], 11.0 / 26, 1e-8);
  EXPECT_NEAR(a.x[1], 3.0 / 26, 1e-8);
}

TEST(Vi, LinearProblemsAgreeWithTheDefinition) {
  for (std::uint64_t seed = 1; seed <= 30; seed++) {
    families::source s(seed);
    const instance m = families::monotone(s);
    inequality p{linear(m.M, m.q), orthant(m.n())};
    const perp_vi_options o = limited(20000);
    const answer a(perp_vi_extragradient, p, vec(m.q.size(), 0.0), &o);
    EXPECT_GE(a.status, 0);
    if (a.status == PERP_OK) {
      EXPECT_TRUE(families::solves(m, a.x, 1e-9));
    }
  }
}

TEST(Vi, ANonlinearMonotoneProblemIsSolved) {
  // F_i = x_i^3 + sinh-like growth + a rotation, on x >= 0.1
  const auto value = [](const double *x, double *F) {
    F[0] = x[0] * x[0] * x[0] - 2 + x[1];
    F[1] = std::exp(x[1]) - 2 - x[0];
    return 0;
  };
  const auto nearest = [](const double *x, double *p) {
    p[0] = std::max(x[0], 0.1);
    p[1] = std::max(x[1], 0.1);
    return 0;
  };
  for (const method solve : methods) {
    inequality p{value, nearest};
    const answer a(solve, p, {4, 4});
    ASSERT_EQ(a.status, PERP_OK);
    EXPECT_NEAR(a.x[0] * a.x[0] * a.x[0] + a.x[1], 2, 1e-8);
    EXPECT_NEAR(std::exp(a.x[1]) - a.x[0], 2, 1e-8);
  }
}

TEST(Vi, UnitsOfXAndFDoNotMatter) {
  const dense M = tools::from_rows(2, {2, 1, -1, 2});
  for (const method solve : methods) {
    int iterations = -1;
    for (const double unit_x : {1.0, 0x1p-40, 0x1p40})
      for (const double unit_F : {1.0, 0x1p-40, 0x1p40}) {
        dense scaled = M;
        for (double &v : scaled.a) v *= unit_F / unit_x;
        inequality p{linear(scaled, {-3 * unit_F, 1 * unit_F}), orthant(2)};
        const answer a(solve, p, {unit_x, 0});
        EXPECT_EQ(a.status, PERP_OK);
        EXPECT_NEAR(a.x[0] / unit_x, 1.4, 1e-9);
        if (iterations < 0) iterations = a.info.iterations;
        EXPECT_EQ(a.info.iterations, iterations) << unit_x << " " << unit_F;
      }
  }
}

TEST(Vi, TheSolutionZeroIsFoundFromAnyStart) {
  for (const method solve : methods) {
    inequality p{linear(tools::from_rows(2, {2, 1, -1, 2}), {0, 0}), everywhere(2)};
    const answer a(solve, p, {3, -7});
    EXPECT_EQ(a.status, PERP_OK);
    EXPECT_LT(std::hypot(a.x[0], a.x[1]), 1e-8);
    const answer b(solve, p, {0, 0});
    EXPECT_EQ(b.status, PERP_OK);
    EXPECT_EQ(b.info.iterations, 0);
  }
}

TEST(Vi, WhatHasNoSolutionIsNeverSolved) {
  for (const method solve : methods) {
    inequality constant{[](const double *, double *F) {
                          F[0] = -1;
                          return 0;
                        },
                        orthant(1)};
    EXPECT_GT(answer(solve, constant, {0}).status, 0);
    inequality flat{[](const double *x, double *F) {  // rises to 0, and does not reach it
                      F[0] = -1 / (1 + std::fabs(x[0]));
                      return 0;
                    },
                    orthant(1)};
    const perp_vi_options o = limited(50);
    EXPECT_GT(answer(solve, flat, {0}, &o).status, 0);
    inequality infeasible{linear(tools::from_rows(2, {1, -1, -1, 1}), {-1, -1}), orthant(2)};
    EXPECT_GT(answer(solve, infeasible, {0, 0}).status, 0);
  }
}

TEST(Vi, AFirstStepThatIsLongHidesNoResidual) {
  dense M(1, 1);
  M(0, 0) = 3;
  inequality p{linear(M, {-11}), ball(1, 1)};
  perp_vi_options o = limited(500);
  o.step = 1e12;
  for (const method solve : {perp_vi_fixed_point, perp_vi_extragradient}) {
    const answer a(solve, p, {0}, &o);
    EXPECT_EQ(a.status, PERP_OK);
    EXPECT_NEAR(a.x[0], 1, 1e-9);
  }
}

TEST(Vi, WhereFHasNoValueTheStepIsShortened) {
  for (const method solve : methods) {
    inequality p{[](const double *x, double *F) {
                   if (!(x[0] > 0)) return 1;
                   F[0] = 0.25 - 1 / x[0];
                   return 0;
                 },
                 everywhere(1)};
    const answer a(solve, p, {0.01});
    EXPECT_EQ(a.status, PERP_OK);
    EXPECT_NEAR(a.x[0], 4, 1e-7);
    perp_vi_options o = limited(0);
    o.step = 1e6;
    const answer far(solve, p, {40}, &o);
    EXPECT_EQ(far.status, PERP_OK);
    EXPECT_NEAR(far.x[0], 4, 1e-7);
    const answer outside(solve, p, {-1}, &o);
    EXPECT_EQ(outside.status, PERP_RETRY);
  }
}

TEST(Vi, WithoutAValueNearTheStartItAsksForARetry) {
  for (const method solve : methods) {
    int calls = 0;
    inequality p{[&calls](const double *, double *F) {
                   F[0] = 1;
                   return calls++ < 2 ? 0 : 1;
                 },
                 everywhere(1)};
    EXPECT_EQ(answer(solve, p, {1}).status, PERP_RETRY);
  }
}

TEST(Vi, CallbacksThatGiveUpEndTheSolve) {
  for (const method solve : methods)
    for (int when = 0; when < 6; when++) {
      int calls = 0;
      const map rotate = linear(tools::from_rows(2, {1, 1, -1, 1}), {-1, 2});
      inequality F{[&](const double *x, double *f) { return calls++ < when ? rotate(x, f) : -7; },
                   orthant(2)};
      const answer a(solve, F, {1, 1});
      EXPECT_EQ(a.status, PERP_ECALLBACK);
      EXPECT_STREQ(a.info.field, "function");
      EXPECT_EQ(a.info.value, -7);
      calls = 0;
      const map right = orthant(2);
      inequality P{rotate,
                   [&](const double *x, double *p) { return calls++ < when ? right(x, p) : 3; }};
      const answer b(solve, P, {1, 1});
      EXPECT_EQ(b.status, PERP_ECALLBACK);
      EXPECT_STREQ(b.info.field, "project");
      EXPECT_EQ(b.info.value, 3);
    }
}

TEST(Vi, NotANumberFromACallbackIsNamed) {
  for (const method solve : methods)
    for (const double bad : {kNaN, kInf, -kInf})
      for (int when = 2; when < 6; when++) {
        int calls = 0;
        const map rotate = linear(tools::from_rows(2, {1, 1, -1, 1}), {-1, 2});
        const map right = orthant(2);
        inequality F{[&](const double *x, double *f) {
                       rotate(x, f);
                       if (calls++ >= when) f[1] = bad;
                       return 0;
                     },
                     right};
        const answer a(solve, F, {1, 1});
        EXPECT_EQ(a.status, PERP_ENOTFINITE);
        EXPECT_STREQ(a.info.field, "function");
        EXPECT_EQ(a.info.index, 1);
        calls = 0;
        inequality P{rotate, [&](const double *x, double *p) {
                       right(x, p);
                       if (calls++ >= when) p[0] = bad;
                       return 0;
                     }};
        const answer b(solve, P, {1, 1});
        EXPECT_EQ(b.status, PERP_ENOTFINITE);
        EXPECT_STREQ(b.info.field, "project");
        EXPECT_EQ(b.info.index, 0);
      }
}

TEST(Vi, FNeedsNoValueAtThePointOfKNextToZero) {
  for (const method solve : methods) {
    inequality p{[](const double *x, double *F) {
                   F[0] = std::log(x[0]) - 1;  // -inf at 0
                   return 0;
                 },
                 [](const double *x, double *q) {
                   q[0] = x[0] == 0 ? 0 : std::max(x[0], 1e-3);
                   return 0;
                 }};
    const answer a(solve, p, {1});
    EXPECT_EQ(a.status, PERP_OK);
    EXPECT_NEAR(a.x[0], std::exp(1.0), 1e-8);
  }
}

std::int32_t calls, stop_at;

std::int32_t watch(const perp_iterate *it, void *user) {
  EXPECT_EQ(user, &calls);
  EXPECT_EQ(it->iteration, calls);
  EXPECT_GT(it->merit, 0);
  return ++calls == stop_at;
}

TEST(Vi, TheBudgetEndsIt) {
  for (const method solve : methods) {
    inequality p{linear(tools::from_rows(2, {2, 1, -1, 2}), {-3, 1}), orthant(2)};
    perp_vi_options o = limited(0);
    const answer whole(solve, p, {0, 0}, &o);
    o.budget = 8;
    const answer a(solve, p, {0, 0}, &o);
    EXPECT_EQ(a.status, PERP_MAX_ITER);
    EXPECT_GT(a.info.iterations, 0);
    EXPECT_LT(a.info.iterations, whole.info.iterations);
  }
}

TEST(Vi, TheObserverSeesEveryIterationAndMayStop) {
  for (const method solve : methods) {
    inequality p{linear(tools::from_rows(2, {2, 1, -1, 2}), {-3, 1}), orthant(2)};
    perp_vi_options o = limited(0);
    o.observe = watch;
    o.user = &calls;
    calls = stop_at = 0;
    const answer a(solve, p, {0, 0}, &o);
    EXPECT_EQ(a.status, PERP_OK);
    EXPECT_EQ(calls, a.info.iterations);
    EXPECT_GT(calls, 3);
    calls = 0;
    stop_at = 3;
    const answer b(solve, p, {0, 0}, &o);
    EXPECT_EQ(b.status, PERP_STOPPED);
    EXPECT_EQ(calls, 3);
    EXPECT_EQ(b.info.iterations, 3);
  }
}

TEST(Vi, TheLimitIsKeptExactlyAndTheBestPointComesWithItsValue) {
  for (const method solve : methods)
    for (const std::int32_t limit : {1, 2, 5}) {
      const dense M = tools::from_rows(2, {2, 1, -1, 2});
      inequality p{linear(M, {-3, 1}), orthant(2)};
      const perp_vi_options o = limited(limit, 0);
      const answer a(solve, p, {0, 0}, &o);
      EXPECT_EQ(a.status, PERP_MAX_ITER);
      EXPECT_EQ(a.info.iterations, limit);
      double F[2];
      p.F(a.x.data(), F);
      EXPECT_EQ(a.F[0], F[0]);
      EXPECT_EQ(a.F[1], F[1]);
      EXPECT_GT(a.info.residual, 0);
    }
}

TEST(Vi, TheExtragradientTakesTwoValuesAnIterationAndTheFixedPointOne) {
  for (const method solve : methods) {
    inequality p{linear(tools::from_rows(2, {2, 1, -1, 2}), {-3, 1}), orthant(2)};
    const perp_vi_options o = limited(30, 0);
    const answer a(solve, p, {0, 0}, &o);
    ASSERT_EQ(a.info.iterations, 30);
    const int each = solve == perp_vi_extragradient ? 2 : 1;
    EXPECT_LE(p.values, 30 * each + 15);
    EXPECT_GE(p.values, 30 * each);
  }
}

TEST(Vi, RefusesWhatIsNoProblem) {
  for (const method solve : methods) {
    inequality p{linear(tools::from_rows(1, {1}), {-1}), orthant(1)};
    perp_vi v = p.view(1);
    double x[] = {0}, F[] = {999};
    unsigned char work[PERP_VI_WORKSPACE(1)];
    const std::size_t need = perp_vi_workspace(1);
    EXPECT_EQ(solve(&v, nullptr, x, F, work, need, nullptr), PERP_OK);
    EXPECT_EQ(solve(nullptr, nullptr, x, F, work, need, nullptr), PERP_EINVAL);
    EXPECT_EQ(solve(&v, nullptr, nullptr, F, work, need, nullptr), PERP_EINVAL);
    EXPECT_EQ(solve(&v, nullptr, x, nullptr, work, need, nullptr), PERP_EINVAL);
    EXPECT_EQ(solve(&v, nullptr, x, x, work, need, nullptr), PERP_EINVAL);
    EXPECT_EQ(solve(&v, nullptr, x, F, nullptr, need, nullptr), PERP_EINVAL);
    EXPECT_EQ(solve(&v, nullptr, x, F, work, need - 1, nullptr), PERP_EWORKSPACE);
    for (const double bad : {kNaN, kInf}) {
      x[0] = bad;
      EXPECT_EQ(solve(&v, nullptr, x, F, work, need, nullptr), PERP_ENOTFINITE);
    }
    x[0] = 0;
    v.n = -1;
    EXPECT_EQ(solve(&v, nullptr, x, F, work, need, nullptr), PERP_EINVAL);
    v.n = 0;
    EXPECT_EQ(solve(&v, nullptr, nullptr, nullptr, nullptr, 0, nullptr), PERP_OK);
    v.n = 1;
    v.function = nullptr;
    EXPECT_EQ(solve(&v, nullptr, x, F, work, need, nullptr), PERP_EINVAL);
    v = p.view(1);
    v.project = nullptr;
    EXPECT_EQ(solve(&v, nullptr, x, F, work, need, nullptr), PERP_EINVAL);
  }
  EXPECT_EQ(perp_vi_workspace(-1), 0u);
}

TEST(Vi, RefusesOptionsOutOfRange) {
  inequality p{linear(tools::from_rows(1, {1}), {-1}), orthant(1)};
  const auto refused = [&](const perp_vi_options &o, const char *field) {
    for (const method solve : methods) {
      const answer a(solve, p, {0}, &o);
      if (a.status != PERP_EINVAL || std::string(a.info.field) != field) return false;
    }
    const instance l = tools::lcp({1}, {-1});
    for (const perp_solver *s : {perp_solver_fixed_point(), perp_solver_extragradient()})
      if (tools::trial(s, l, &o).status != PERP_EINVAL) return false;
    return true;
  };
  const auto with = [](auto member, double value) {
    perp_vi_options o = perp_vi_options_default();
    o.*member = value;
    return o;
  };
  for (const double v : {-1.0, kNaN, kInf})
    EXPECT_TRUE(refused(with(&perp_vi_options::step, v), "step"));
  for (const double v : {0.0, 1.0, kNaN})
    EXPECT_TRUE(refused(with(&perp_vi_options::ratio, v), "ratio"));
  for (const double v : {0.0, 1.0, kNaN})
    EXPECT_TRUE(refused(with(&perp_vi_options::shrink, v), "shrink"));
  for (const double v : {0.5, kNaN, kInf})
    EXPECT_TRUE(refused(with(&perp_vi_options::grow, v), "grow"));
  EXPECT_TRUE(refused(with(&perp_vi_options::tol, kNaN), "tol"));
  perp_vi_options o = limited(-1);
  EXPECT_TRUE(refused(o, "max_iter"));
  o = limited(0);
  o.struct_size = 4;
  EXPECT_TRUE(refused(o, "struct_size"));
  perp_vi_options_init(nullptr, sizeof o);
}

// ---- one-step problems ----

const perp_solver *const solvers[] = {perp_solver_fixed_point(), perp_solver_extragradient()};

TEST(ViProblem, IntervalProblemsAreSolvedInEveryStorage) {
  for (const perp_solver *solver : solvers)
    for (std::uint64_t seed = 1; seed <= 15; seed++) {
      tools::uniform u(seed);
      instance p(3 + static_cast<std::int32_t>(seed));
      p.M = u.definite(p.n(), 2);
      p.q = u.vector(p.n());
      for (std::int32_t i = 0; i < p.n(); i++) {
        p.lower[at(i)] = i % 3 == 0 ? -kInf : i % 3 == 1 ? 0 : -0.01;
        p.upper[at(i)] = i % 3 == 2 ? 0.02 : kInf;
      }
      const tools::stored full(p.M, PERP_DENSE), rows(p.M, PERP_BLOCKS, {}, true);
      const tools::stored blocks(p.M, PERP_BLOCKS, {0, 1, 3, p.n()}, true);
      for (const perp_matrix *M : {&full.view, &rows.view, &blocks.view}) {
        const tools::trial t(solver, p, *M);
        ASSERT_EQ(t.status, PERP_OK) << solver->name << seed;
        EXPECT_TRUE(families::solves(p, t.lambda, 1e-10));
        EXPECT_TRUE(t.intact);
        EXPECT_STREQ(t.info.solver, solver->name);
        const tools::trial again(solver, p, *M, nullptr, t.lambda);
        EXPECT_EQ(again.status, PERP_OK);
        EXPECT_EQ(again.info.iterations, 0);
      }
    }
}

TEST(ViProblem, ScalingOfTheUnknownsChangesNoBitOfTheIterates) {
  const perp_vi_options o = limited(20, 0);
  for (const perp_solver *solver : solvers) {
    tools::uniform u(8);
    instance p(8);
    p.M = u.definite(8);
    for (std::int32_t i = 0; i < 8; i++) p.M(i, i) = 4; /* of which all roots are exact */
    p.q = u.vector(8);
    const tools::trial plain(solver, p, &o);
    const auto d = [](std::int32_t k) { return std::ldexp(1.0, 5 * k - 18); };
    for (std::int32_t k = 0; k < p.n(); k++) {
      for (std::int32_t j = 0; j < p.n(); j++) p.M(k, j) *= d(k);
      for (std::int32_t i = 0; i < p.n(); i++) p.M(i, k) *= d(k);
      p.q[at(k)] *= d(k);
    }
    const tools::trial scaled(solver, p, &o);
    EXPECT_EQ(plain.status, PERP_MAX_ITER);
    EXPECT_EQ(scaled.status, PERP_MAX_ITER);
    for (std::int32_t k = 0; k < p.n(); k++)
      EXPECT_EQ(d(k) * scaled.lambda[at(k)], plain.lambda[at(k)]) << k;
  }
}

TEST(ViProblem, TheExtragradientSolvesSkewProblems) {
  const instance p = tools::lcp({0, 1, -1, 0}, {-1, 2});
  const tools::trial e(perp_solver_extragradient(), p);
  EXPECT_EQ(e.status, PERP_OK);
  EXPECT_TRUE(families::solves(p, e.lambda, 1e-10));
}

TEST(ViProblem, TheLiteraturesProblemsAreSolvedOrHonestlyNot) {
  for (const perp_solver *solver : solvers)
    for (const auto &k : tools::known_problems()) {
      const tools::trial t(solver, k.problem);
      EXPECT_GE(t.status, 0) << k.name;
      EXPECT_NE(t.status, PERP_INFEASIBLE) << k.name;
      EXPECT_EQ(t.status == PERP_OK, families::solves(k.problem, t.lambda, 1e-10)) << k.name;
    }
}

TEST(ViProblem, NotANumberInTheDataIsNamedAndOneInTheStartIsReplaced) {
  for (const perp_solver *solver : solvers)
    for (const double bad : {kNaN, kInf, -kInf, 1e308}) {
      const instance p = tools::lcp({2, 1, 1, 2}, {-5, -6});
      EXPECT_EQ(tools::trial(solver, p, nullptr, vec{bad, bad}).status, PERP_OK) << bad;
      if (bad == 1e308) continue;
      for (std::int32_t place = 0; place < 4; place++) {
        instance m = p;
        m.M(place % 2, place / 2) = bad;
        EXPECT_EQ(tools::trial(solver, m).status, PERP_ENOTFINITE);
      }
      instance q = p;
      q.q[1] = bad;
      const tools::trial t(solver, q);
      EXPECT_EQ(t.status, PERP_ENOTFINITE);
      EXPECT_STREQ(t.info.field, "q");
      EXPECT_EQ(t.info.index, 1);
    }
}

TEST(ViProblem, NothingLeftIsSolvedAndEmpty) {
  for (const perp_solver *solver : solvers) {
    const tools::trial t(solver, instance(0));
    EXPECT_EQ(t.status, PERP_OK);
    EXPECT_EQ(t.info.iterations, 0);
  }
}

// A law of the test's own: λ in a ball, whose radius is the state of each copy.
struct ball_law {
  perp_law law;
};

void ball_law_project(const perp_law *law, const void *state, const double *x, double *p) {
  double sum = 0, radius = 0;
  std::copy_n(static_cast<const double *>(state), 1, &radius);
  for (std::int32_t i = 0; i < law->size; i++) sum += x[i] * x[i];
  const double by = std::sqrt(sum) > radius ? radius / std::sqrt(sum) : 1;
  for (std::int32_t i = 0; i < law->size; i++) p[i] = by * x[i];
}

std::size_t ball_law_bytes(const perp_law *) { return sizeof(double); }

void ball_law_init(const perp_law *, void *state) { *static_cast<double *>(state) = 1; }

perp_law_ops ball_law_ops() {
  perp_law_ops ops = {};
  ops.struct_size = sizeof ops;
  ops.set = PERP_SET_OTHER;
  ops.name = "ball";
  ops.project = ball_law_project;
  ops.state_bytes = ball_law_bytes;
  ops.state_init = ball_law_init;
  return ops;
}

TEST(ViProblem, AUsersLawIsSolvedByItsProjection) {
  const perp_law_ops ops = ball_law_ops();
  for (const perp_solver *solver : solvers)
    for (std::uint64_t seed = 1; seed <= 10; seed++) {
      tools::uniform u(seed);
      const dense M = u.definite(7);
      const vec q = u.vector(7);
      const ball_law ball = {{&ops, sizeof(ball_law), 3}};
      perp_complementarity contact;
      perp_complementarity_init(&contact, sizeof contact);
      const perp_law *laws[] = {&contact.law, &ball.law};
      const std::int32_t offset[] = {0, 1, 7};
      const double radius[] = {0.01, 1000};
      const void *states[] = {nullptr, radius};
      perp_problem p = perp_problem_of(perp_dense(7, 7, M.data()), q.data(), 2, laws, offset);
      p.states = states;
      vec lambda(7, 0.0), y(7, 999);
      std::vector<unsigned char> work(perp_solver_workspace(solver, &p, nullptr));
      ASSERT_GT(work.size(), 0u);
      perp_info info = PERP_INFO_INIT;
      ASSERT_EQ(perp_solver_solve(solver, &p, nullptr, lambda.data(), y.data(), nullptr,
                                  work.data(), work.size(), &info),
                PERP_OK);
      EXPECT_GE(lambda[0], 0);
      EXPECT_NEAR(std::min(lambda[0], y[0]), 0, 1e-9);
      const double size = std::hypot(std::hypot(lambda[1], lambda[2]), lambda[3]);
      const double force = std::hypot(std::hypot(y[1], y[2]), y[3]);
      EXPECT_LE(size, 0.01 * (1 + 1e-12));
      if (force > 1e-8) { /* on the sphere, against the force */
        EXPECT_NEAR(size, 0.01, 1e-9);
        for (std::size_t i = 1; i < 4; i++) EXPECT_NEAR(lambda[i] / size, -y[i] / force, 1e-6);
      }
      for (std::size_t i = 4; i < 7; i++)
        EXPECT_NEAR(y[i], 0, 1e-8); /* the wide ball is no bound */
    }
}

// A ball by a projection that asks for memory, and fills all of it.
std::size_t greedy_doubles(const perp_law *law) { return 5 * at(law->size); }

void greedy_project(const perp_law *law, const void *state, const double *x, double *p,
                    double *scratch) {
  std::fill_n(scratch, 5 * law->size, kNaN);
  std::copy_n(x, law->size, scratch);
  ball_law_project(law, state, scratch, p);
}

TEST(ViProblem, AProjectionThatNeedsMemoryGetsIt) {
  perp_law_ops ops = ball_law_ops();
  ops.project = nullptr;
  ops.project_doubles = greedy_doubles;
  ops.project_with = greedy_project;
  const perp_law_ops plain = ball_law_ops();
  tools::uniform u(2);
  const dense M = u.definite(4);
  const vec q = u.vector(4);
  const double radius[] = {0.02, 0.02};
  const void *states[] = {radius};
  for (const perp_solver *solver : solvers) {
    vec found[2];
    for (int k = 0; k < 2; k++) {
      const ball_law ball = {{k == 0 ? &plain : &ops, sizeof(ball_law), 2}};
      const perp_law *laws[] = {&ball.law};
      const std::int32_t offset[] = {0, 4};
      perp_problem p = perp_problem_of(perp_dense(4, 4, M.data()), q.data(), 1, laws, offset);
      p.states = states;
      vec y(4, 999);
      found[k] = vec(4, 0.0);
      const std::size_t bytes = perp_solver_workspace(solver, &p, nullptr);
      std::vector<unsigned char> work(bytes + 8, 0xA5);
      ASSERT_EQ(perp_solver_solve(solver, &p, nullptr, found[k].data(), y.data(), nullptr,
                                  work.data(), bytes, nullptr),
                PERP_OK);
      for (std::size_t i = bytes; i < work.size(); i++) EXPECT_EQ(work[i], 0xA5);
    }
    EXPECT_EQ(found[0], found[1]);
  }
}

// The simplex as a polyhedron: x >= 0, and the sum is 1 by two rows.
TEST(ViProblem, PolyhedraAreProjectedOn) {
  const double H[] = {1, 0, 0, 1, -1, 0, 1, 0, 1, -1, 0, 0, 1, 1, -1}, K[] = {0, 0, 0, 1, -1};
  perp_polyhedron simplex;
  perp_polyhedron_init(&simplex, sizeof simplex);
  simplex.law.size = 3;
  simplex.H = perp_dense(5, 3, H);
  simplex.K = K;
  const perp_law *laws[] = {&simplex.law};
  const double M[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[] = {-1, -0.5, 1};
  const perp_problem p = perp_problem_of(perp_dense(3, 3, M), q, 1, laws, nullptr);
  for (const perp_solver *solver : solvers) {
    double x[] = {0, 0, 0}, y[] = {999, 999, 999};
    std::vector<unsigned char> work(perp_solver_workspace(solver, &p, nullptr));
    ASSERT_GT(work.size(), 0u);
    EXPECT_EQ(
        perp_solver_solve(solver, &p, nullptr, x, y, nullptr, work.data(), work.size(), nullptr),
        PERP_OK);
    EXPECT_NEAR(x[0], 0.75, 1e-9);
    EXPECT_NEAR(x[1], 0.25, 1e-9);
    EXPECT_NEAR(x[2], 0, 1e-9);
  }
}

// Coulomb's law for one contact in De Saxcé's form, written in the test: y + μ ‖y_t‖ n.
struct coulomb_law {
  perp_law law;
  double mu;
};

void coulomb_project(const perp_law *law, const void *, const double *x, double *p) {
  const double mu = reinterpret_cast<const coulomb_law *>(law)->mu;
  const double t = std::hypot(x[1], x[2]), x1 = x[1], x2 = x[2];
  if (t <= mu * x[0]) {
    if (p != x) std::copy(x, x + 3, p);
  } else if (mu * t <= -x[0]) {
    p[0] = p[1] = p[2] = 0;
  } else {
    p[0] = (x[0] + mu * t) / (1 + mu * mu);
    p[1] = mu * p[0] * x1 / t;
    p[2] = mu * p[0] * x2 / t;
  }
}

void coulomb_shift(const perp_law *law, const void *, const double *y, double *yhat) {
  yhat[0] = y[0] + reinterpret_cast<const coulomb_law *>(law)->mu * std::hypot(y[1], y[2]);
  yhat[1] = y[1];
  yhat[2] = y[2];
}

TEST(ViProblem, FrictionByTheChangeOfVariableSticksAndSlips) {
  perp_law_ops ops = {};
  ops.struct_size = sizeof ops;
  ops.set = PERP_SET_OTHER;
  ops.name = "coulomb";
  ops.project = coulomb_project;
  ops.shift = coulomb_shift;
  const coulomb_law law = {{&ops, sizeof(coulomb_law), 3}, 0.5};
  const perp_law *laws[] = {&law.law};
  const double M[] = {1, 0, 0, 0, 2, 0, 0, 0, 2};
  const struct {
    double q[3], lambda[3], slip;
  } cases[] = {{{-1, 3, 0}, {1, -0.5, 0}, 2},     // slips
               {{-1, 0.5, 0}, {1, -0.25, 0}, 0},  // sticks
               {{1, 4, 0}, {0, 0, 0}, 4}};        // takes off
  for (const perp_solver *solver : solvers)
    for (const auto &c : cases) {
      const perp_problem p = perp_problem_of(perp_dense(3, 3, M), c.q, 1, laws, nullptr);
      double lambda[] = {0, 0, 0}, y[] = {999, 999, 999};
      std::vector<unsigned char> work(perp_solver_workspace(solver, &p, nullptr));
      ASSERT_EQ(perp_solver_solve(solver, &p, nullptr, lambda, y, nullptr, work.data(), work.size(),
                                  nullptr),
                PERP_OK);
      for (int i = 0; i < 3; i++) EXPECT_NEAR(lambda[i], c.lambda[i], 1e-8);
      EXPECT_NEAR(std::hypot(y[1], y[2]), c.slip, 1e-8);
    }
}

}  // namespace
