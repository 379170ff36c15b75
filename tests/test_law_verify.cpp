// SPDX-License-Identifier: MIT
// The law verifier: pairs built to satisfy a law do, and pairs moved away from one by a known
// amount are told that amount, in its own units.
#include <gtest/gtest.h>
#include <perp/perp.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include "model_tools.hpp"

namespace {

using tools::vec;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

struct judged {
  perp_status status;
  perp_law_verdict v;
};

judged judge(const perp_law *law, const vec &y, const vec &lambda, const void *state = nullptr) {
  judged j = {999, {sizeof(perp_law_verdict), 999, "?", 999, 999, 999, 999, 999}};
  const std::size_t bytes = perp_law_verify_workspace(law);
  std::vector<unsigned char> work(bytes + 16, 0xA5);
  j.status = perp_law_verify(law, state, y.data(), lambda.data(), &j.v, work.data(), bytes);
  for (std::size_t i = bytes; i < work.size(); i++) EXPECT_EQ(work[i], 0xA5);
  return j;
}

void expect_holds(const perp_law *law, const vec &y, const vec &lambda, const char *state) {
  const judged j = judge(law, y, lambda);
  ASSERT_EQ(j.status, PERP_OK);
  EXPECT_STREQ(j.v.state, state);
  EXPECT_LT(j.v.lambda, 1e-12);
  EXPECT_LT(j.v.y, 1e-12);
  EXPECT_LT(j.v.work, 1e-12);
  EXPECT_LT(j.v.relative, 1e-12);
}

void expect_missing(const perp_law *law, const vec &y, const vec &lambda, double of_lambda,
                    double of_y, double of_work) {
  const judged j = judge(law, y, lambda);
  ASSERT_EQ(j.status, PERP_OK);
  EXPECT_NEAR(j.v.lambda, of_lambda, 1e-12);
  EXPECT_NEAR(j.v.y, of_y, 1e-12);
  EXPECT_NEAR(j.v.work, of_work, 1e-12);
  EXPECT_GT(j.v.relative, 1e-3);
  EXPECT_GE(j.v.worst, 0);
}

TEST(LawVerify, LawsByComponent) {
  tools::world w;
  const perp_law *equality = w.equality(), *comp = w.complementarity(), *relay = w.box({-1}, {2});
  expect_holds(equality, {0}, {-7}, "equality");
  expect_missing(equality, {0.3}, {-7}, 0, 0.3, 0);
  expect_holds(comp, {3}, {0}, "open");
  expect_holds(comp, {0}, {5}, "closed");
  expect_missing(comp, {-0.25}, {5}, 0, 0.25, 0);
  expect_missing(comp, {-0.25}, {0}, 0, 0.25, 0);
  expect_missing(comp, {3}, {-0.5}, 0.5, 0, 0);
  expect_missing(comp, {3}, {0.5}, 0, 0, 1.5);
  expect_holds(w.impact(0.5), {0}, {5}, "closed");
  expect_holds(relay, {4}, {-1}, "lower");
  expect_holds(relay, {-4}, {2}, "upper");
  expect_holds(relay, {0}, {0.5}, "between");
  expect_missing(relay, {4}, {0}, 0, 0, 4);
  expect_missing(relay, {-4}, {0}, 0, 0, 8);
  expect_missing(relay, {4}, {-3}, 2, 0, 0);
  expect_missing(w.box({-kInf}, {2}), {4}, {1}, 0, 4, 0);
  const perp_law *two = w.box({-1, -1}, {1, 1});
  expect_holds(two, {3, -2}, {-1, 1}, "various");
  expect_holds(two, {3, 2}, {-1, -1}, "lower");
  EXPECT_EQ(judge(two, {3, 2}, {-1, 0}).v.worst, 1);
  EXPECT_EQ(judge(two, {3, 2}, {-1, -1}).v.worst, -1);
}

TEST(LawVerify, MixedKnowsItsParts) {
  perp_mixed law;
  perp_mixed_init(&law, sizeof law);
  law.law.size = 2;
  law.equalities = 1;
  expect_holds(&law.law, {0, 2}, {-3, 0}, "various");
  expect_missing(&law.law, {0.5, 2}, {-3, 0}, 0, 0.5, 0);
  expect_missing(&law.law, {0, 2}, {-3, 0.25}, 0, 0, 0.5);
}

TEST(LawVerify, FrictionTellsOpenStickAndSlip) {
  tools::world w;
  const perp_law *plane = w.friction(2, 0.5), *space = w.friction(3, 0.5);
  expect_holds(plane, {3, -1}, {0, 0}, "open");
  expect_holds(plane, {0, 0}, {4, 1}, "stick");
  expect_holds(plane, {0, 0}, {4, 2}, "stick");
  expect_holds(plane, {0, -7}, {4, 2}, "slip");
  expect_holds(space, {0, 3, -4}, {10, -3, 4}, "slip");
  expect_missing(space, {0.5, 0, 0}, {10, 0, 0}, 0, 0, 5);
  expect_missing(space, {-0.5, 0, 0}, {10, 0, 0}, 0, 0.5, 0);
  // slips without the whole friction: μ λ_n ‖y_t‖ + λ_t·y_t is missing
  expect_missing(space, {0, 2, 0}, {10, -3, 0}, 0, 0, 10 - 6);
  // pulled: the cone is 4 away; outside of it sideways: the distance to the ray is 3·2/√5
  expect_missing(space, {0, 0, 0}, {-4, 0, 0}, 4, 0, 0);
  expect_missing(plane, {0, 0}, {2, 4}, 3 * 2 / std::sqrt(5.0), 0, 0);
}

TEST(LawVerify, AngleIsThatBetweenForceAndOppositeSlip) {
  tools::world w;
  const perp_law *space = w.friction(3, 0.5);
  for (const double angle : {0.0, 1e-8, 0.3, 1.5707963267948966, 3.0, 3.141592653589793}) {
    const double p = 5, a = 0.7;
    const judged j = judge(space, {0, -2 * std::cos(a), -2 * std::sin(a)},
                           {10, p * std::cos(a + angle), p * std::sin(a + angle)});
    ASSERT_EQ(j.status, PERP_OK);
    EXPECT_NEAR(j.v.angle, angle, 1e-15 + 1e-14 * angle);
    EXPECT_NEAR(j.v.work, 10 * (1 - std::cos(angle)), 1e-13);
  }
}

TEST(LawVerify, RollingTellsWhatMoves) {
  tools::world w;
  const perp_law *law = w.rolling(5, 0.5, 0.1);
  expect_holds(law, {1, 2, 3, 4, 5}, {0, 0, 0, 0, 0}, "open");
  expect_holds(law, {0, 0, 0, 0, 0}, {10, 1, 2, 0.3, 0}, "stick");
  expect_holds(law, {0, 3, -4, 0, 0}, {10, -3, 4, 0.3, 0}, "slip");
  expect_holds(law, {0, 0, 0, 0, 2}, {10, 1, 2, 0, -1}, "roll");
  expect_holds(law, {0, 3, -4, 0, 2}, {10, -3, 4, 0, -1}, "slip and roll");
  expect_missing(law, {0, 0, 0, 0, 2}, {10, 1, 2, 0, -0.5}, 0, 0, 1);
}

TEST(LawVerify, PolyhedraByTheirProjection) {
  const double H[] = {1, 0, 0, 1}, K[] = {0, 0};
  perp_polyhedron law;
  perp_polyhedron_init(&law, sizeof law);
  law.law.size = 2;
  law.H = perp_dense(2, 2, H);
  law.K = K;
  expect_holds(&law.law, {0, 0}, {1, 2}, "inside");
  expect_holds(&law.law, {3, 0}, {0, 2}, "boundary");
  judged j = judge(&law.law, {3, 0}, {-1, 2});
  EXPECT_NEAR(j.v.lambda, 1, 1e-12);
  EXPECT_EQ(j.v.worst, 0);
  j = judge(&law.law, {3, 0}, {0.5, 2});
  EXPECT_GT(j.v.work, 0.5);
  EXPECT_GT(j.v.relative, 0.1);
}

// Scaling the units of y and λ changes what has units, and nothing else.
TEST(LawVerify, RelativeHasNoUnits) {
  tools::world w;
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  const perp_law *laws[] = {w.friction(3, 0.7), w.complementarity(), w.rolling(3, 0.3, 0.2)};
  for (const perp_law *law : laws)
    for (int trial = 0; trial < 100; trial++) {
      vec y, lambda, y2, lambda2;
      for (int i = 0; i < law->size; i++) {
        y.push_back(normal(random)), lambda.push_back(normal(random));
        y2.push_back(1024 * y.back()), lambda2.push_back(lambda.back() / 4096);
      }
      const judged a = judge(law, y, lambda), b = judge(law, y2, lambda2);
      EXPECT_NEAR(a.v.relative, b.v.relative, 1e-12);
      EXPECT_NEAR(a.v.lambda / 4096, b.v.lambda, 1e-12);
      EXPECT_NEAR(a.v.y * 1024, b.v.y, 1e-9);
      EXPECT_NEAR(a.v.work / 4, b.v.work, 1e-12);
      EXPECT_STREQ(a.v.state, b.v.state);
    }
}

// Every island of a run, by its own one-step problem.
TEST(LawVerify, StepsOfASimulationSatisfyTheirLaws) {
  tools::world w;
  w.add(w.body(vec{1, 1}).system);
  w.bodies[0].f = w.keep({-10, 4});
  w.join(w.contact(2, 2, {1, 0, 0, 1}).relation, w.friction(2, 0.3), {0});
  w.q0 = {0.01, 0};
  w.v0 = {0, -2};
  w.options.solver = perp_solver_nsgs();
  tools::run r(w);
  std::string seen;
  for (int k = 0; k < 60; k++) {
    ASSERT_EQ(r.step(), PERP_OK);
    if (perp_simulation_islands(r.sim) == 0) continue;
    perp_problem problem = PERP_PROBLEM_INIT;
    ASSERT_EQ(perp_simulation_problem(r.sim, 0, &problem, nullptr), PERP_OK);
    const vec lambda = {r.lambda(0, 0), r.lambda(0, 1)};
    const vec y = {r.v(0, 0), r.v(0, 1)};
    const judged j = judge(problem.laws[0], y, lambda);
    EXPECT_LT(j.v.relative, 1e-7);
    if (seen.empty() || seen.substr(seen.rfind(' ') + 1) != j.v.state)
      seen += std::string(seen.empty() ? "" : " ") + j.v.state;
  }
  EXPECT_EQ(seen, "slip stick slip");  // against the pull, at rest for a step, with it
}

TEST(LawVerify, RefusesWhatIsMissingOrNotANumber) {
  tools::world w;
  const perp_law *law = w.friction(2, 0.5);
  const vec y = {0, 0}, lambda = {1, 0};
  perp_law_verdict v = PERP_LAW_VERDICT_INIT;
  std::vector<unsigned char> work(perp_law_verify_workspace(law));
  ASSERT_GT(work.size(), 0u);
  const auto call = [&](const perp_law *l, const double *a, const double *b, perp_law_verdict *out,
                        void *m, std::size_t bytes) {
    return perp_law_verify(l, nullptr, a, b, out, m, bytes);
  };
  EXPECT_EQ(call(law, y.data(), lambda.data(), &v, work.data(), work.size()), PERP_OK);
  EXPECT_EQ(call(nullptr, y.data(), lambda.data(), &v, work.data(), work.size()), PERP_EINVAL);
  EXPECT_EQ(call(law, nullptr, lambda.data(), &v, work.data(), work.size()), PERP_EINVAL);
  EXPECT_EQ(call(law, y.data(), nullptr, &v, work.data(), work.size()), PERP_EINVAL);
  EXPECT_EQ(call(law, y.data(), lambda.data(), nullptr, work.data(), work.size()), PERP_EINVAL);
  EXPECT_EQ(call(law, y.data(), lambda.data(), &v, nullptr, work.size()), PERP_EWORKSPACE);
  EXPECT_EQ(call(law, y.data(), lambda.data(), &v, work.data(), work.size() - 1), PERP_EWORKSPACE);
  v.struct_size = 8;
  EXPECT_EQ(call(law, y.data(), lambda.data(), &v, work.data(), work.size()), PERP_EINVAL);
  EXPECT_EQ(perp_law_verify_workspace(nullptr), 0u);
  EXPECT_EQ(perp_law_verify_workspace(w.friction(2, kNaN)), 0u);
  for (const double bad : {kNaN, kInf, -kInf}) {
    EXPECT_EQ(judge(law, {bad, 0}, {1, 0}).status, PERP_ENOTFINITE);
    EXPECT_EQ(judge(law, {0, 0}, {1, bad}).status, PERP_ENOTFINITE);
  }
}

}  // namespace
