// SPDX-License-Identifier: MIT
// How often y has to be differentiated until λ shows, for every kind of relation.
#include <gtest/gtest.h>
#include <perp/check.h>
#include <perp/first_order_relation.h>
#include <perp/joint.h>
#include <perp/lagrangian_relation.h>

#include "model_tools.hpp"

namespace {

using namespace tools;

ids degrees(const perp_model &model, std::int32_t i, perp_status expected = PERP_OK,
            const double *x = nullptr) {
  ids degree(at(model.interactions[i]->relation->m), 999);
  const std::size_t bytes = perp_model_relative_degree_workspace(&model, i);
  EXPECT_GT(bytes, 0u);
  vec work(bytes / 8 + 1, 999);
  EXPECT_EQ(perp_model_relative_degree(&model, i, 0, nullptr, nullptr, x, degree.data(),
                                       work.data(), bytes, nullptr),
            expected);
  EXPECT_EQ(perp_model_relative_degree(&model, i, 0, nullptr, nullptr, x, degree.data(),
                                       work.data(), bytes - 16, nullptr),
            PERP_EWORKSPACE);
  return degree;
}

// A chain of integrators ẋ_1 = x_2, ẋ_2 = x_3, ẋ_3 = λ, with a mass that is not 1.
struct chain : world {
  perp_first_order_linear &s;
  chain() : s(circuit(3)) {
    s.M = perp_diagonal(3, keep({2, 3, 4}));
    s.A = perp_dense(3, 3, keep({0, 0, 0, 1, 0, 0, 0, 1, 0}));
    add(s.system);
  }
  perp_linear_relation &output(std::int32_t m, const vec &C) {
    perp_linear_relation &r = port(m, 3, C);
    vec B(3 * at(m));
    for (std::size_t j = 0; j < at(m); j++) B[2 + 3 * j] = 1;
    r.B = keep(B);
    join(r.relation, equality(m), {0});
    return r;
  }
};

TEST(RelativeDegree, OfAChainOfIntegratorsIsItsLength) {
  chain w;
  w.output(4, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0});
  w.finish();
  EXPECT_EQ(degrees(w.model, 0), (ids{3, 2, 1, -1}));
}

TEST(RelativeDegree, IsZeroWhereLambdaFeedsThrough) {
  chain w;
  w.output(2, {1, 0, 0, 0, 0, 1}).D = w.keep({0.5, 0, 0, 0});
  w.finish();
  EXPECT_EQ(degrees(w.model, 0), (ids{0, 1}));
}

TEST(RelativeDegree, PassesFromOneSystemToAnotherOnlyByTheRelation) {
  world w;
  for (int i = 0; i < 2; i++) w.add(w.circuit(1).system);
  perp_linear_relation &r = w.port(1, 2, {1, 0});  // y of the first, reaction on the second
  r.B = w.keep({0, 1});
  w.join(r.relation, w.equality(), {0, 1});
  w.finish();
  EXPECT_EQ(degrees(w.model, 0), (ids{-1}));
}

std::int32_t lifts(double, const double *x, const double *lambda, const double *, double *r,
                   void *) {
  r[0] = x[1];  // K carries the second state to the first
  r[1] = lambda[0];
  return 0;
}
std::int32_t first_state(double, const double *x, const double *, const double *, double *y,
                         void *) {
  y[0] = x[0] * x[0];
  return 0;
}

std::int32_t first_slope(double, const double *x, const double *, const double *, double *C,
                         void *) {
  C[0] = 2 * x[0];
  return 0;
}

TEST(RelativeDegree, CountsWhatTheReactionCarries) {
  world w;
  w.add(w.circuit(2).system);
  perp_first_order_relation r;
  perp_first_order_relation_init(&r, sizeof r, 1, 2);
  r.reads = PERP_REACTION_READS_X;
  r.h = first_state;
  r.C = first_slope;
  r.g = lifts;
  w.join(r.relation, w.equality(), {0});
  w.x0 = {1, 1};
  w.finish();
  EXPECT_EQ(degrees(w.model, 0), (ids{2}));
  const double nothing[2] = {0, 1};  // where ∂h/∂x is 0
  EXPECT_EQ(degrees(w.model, 0, PERP_OK, nothing), (ids{-1}));
}

std::int32_t distance(double, const double *q, const double *lambda, const double *, double *y,
                      void *user) {
  y[0] = q[0] * q[0] - 1 + (user != nullptr ? 0.01 * lambda[0] : 0);
  return 0;
}
std::int32_t speed(double, const double *, const double *v, const double *, double *y, void *) {
  y[0] = v[0] + v[1];
  return 0;
}

TEST(RelativeDegree, OfMechanicsIsTwoOneOrNone) {
  world w;
  w.add(w.body(vec{1, 1}).system);
  auto &gap = w.contact(2, 2, {1, 0, 0, 0});
  w.join(gap.relation, w.equality(2), {0});
  auto &fed = w.contact(1, 2, {1, 1});
  fed.D = w.keep({0.1});
  w.join(fed.relation, w.equality(), {0});
  perp_lagrangian_relation rigid, soft;
  perp_lagrangian_scleronomous_init(&rigid, sizeof rigid, 1, 2);
  perp_lagrangian_compliant_init(&soft, sizeof soft, 1, 2);
  rigid.h = soft.h = distance;
  soft.user = &soft;
  w.join(rigid.relation, w.equality(), {0});
  w.join(soft.relation, w.equality(), {0});
  perp_lagrangian_velocity_relation wheel;
  perp_lagrangian_velocity_relation_init(&wheel, sizeof wheel, 1, 2);
  wheel.g = speed;
  w.join(wheel.relation, w.equality(), {0});
  w.q0 = {2, 0};
  w.finish();
  EXPECT_EQ(degrees(w.model, 0), (ids{2, -1}));
  EXPECT_EQ(degrees(w.model, 1), (ids{1}));
  EXPECT_EQ(degrees(w.model, 2), (ids{2}));
  EXPECT_EQ(degrees(w.model, 3), (ids{0}));
  EXPECT_EQ(degrees(w.model, 4), (ids{1}));
}

TEST(RelativeDegree, OfAJointIsTwo) {
  world w;
  perp_body b;
  perp_body_init(&b, sizeof b);
  w.add(b.system);
  perp_joint j;
  perp_joint_init(&j, sizeof j, PERP_JOINT_PIVOT, 1);
  w.join(j.relation, w.equality(5), {0});
  w.q0 = {0, 0, 0, 1, 0, 0, 0};
  w.finish();
  EXPECT_EQ(degrees(w.model, 0), ids(5, 2));
}

TEST(RelativeDegree, RefusesWhatIsNotThere) {
  chain w;
  w.output(1, {1, 0, 0});
  w.finish();
  vec work(1000);
  std::int32_t degree = 999;
  const auto ask = [&](const perp_model *model, std::int32_t i, std::int32_t *out, void *memory) {
    return perp_model_relative_degree(model, i, 0, nullptr, nullptr, nullptr, out, memory, 8000,
                                      nullptr);
  };
  EXPECT_EQ(ask(nullptr, 0, &degree, work.data()), PERP_EINVAL);
  EXPECT_EQ(ask(&w.model, -1, &degree, work.data()), PERP_EINVAL);
  EXPECT_EQ(ask(&w.model, 1, &degree, work.data()), PERP_EINVAL);
  EXPECT_EQ(ask(&w.model, 0, nullptr, work.data()), PERP_EINVAL);
  EXPECT_EQ(ask(&w.model, 0, &degree, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_model_relative_degree_workspace(nullptr, 0), 0u);
  EXPECT_EQ(perp_model_relative_degree_workspace(&w.model, 1), 0u);
  EXPECT_EQ(degree, 999);
  w.s.M = perp_diagonal(3, w.keep({2, 0, 4}));
  EXPECT_EQ(ask(&w.model, 0, &degree, work.data()), PERP_EINVAL);
}

}  // namespace
