// SPDX-License-Identifier: MIT
// Reactions that depend on the states of several systems: linear ones are solved in one pass, since
// the iteration matrix of the whole component is exact.
#include <gtest/gtest.h>

#include <cmath>

#include "model_tools.hpp"

namespace {

using tools::run;
using tools::vec;
using tools::world;

// y = C x + D λ + e, r = K x + B λ of two joined scalar systems.
struct port {
  double C[2], D, e, K[4], B[2];
};

const port &of(void *user) { return *static_cast<const port *>(user); }

std::int32_t h(double, const double *x, const double *lambda, const double *, double *y,
               void *user) {
  y[0] = of(user).C[0] * x[0] + of(user).C[1] * x[1] + of(user).D * lambda[0] + of(user).e;
  return 0;
}

std::int32_t g(double, const double *x, const double *lambda, const double *, double *r,
               void *user) {
  for (int i = 0; i < 2; i++)
    r[i] = of(user).K[i] * x[0] + of(user).K[i + 2] * x[1] + of(user).B[i] * lambda[0];
  return 0;
}

std::int32_t by_C(double, const double *, const double *, const double *, double *out, void *user) {
  std::copy(of(user).C, of(user).C + 2, out);
  return 0;
}
std::int32_t by_D(double, const double *, const double *, const double *, double *out, void *user) {
  out[0] = of(user).D;
  return 0;
}
std::int32_t by_K(double, const double *, const double *, const double *, double *out, void *user) {
  std::copy(of(user).K, of(user).K + 4, out);
  return 0;
}
std::int32_t by_B(double, const double *, const double *, const double *, double *out, void *user) {
  std::copy(of(user).B, of(user).B + 2, out);
  return 0;
}

// Systems 0 ... 4; ports join (0, 3), (3, 1) and (2, 4): two components, {0, 1, 3} and {2, 4}. A
// linear relation without K joins 0 and 2, so that the components meet in one island.
struct network {
  world w;
  port ports[3] = {{{1, -0.5}, 0.3, 0.1, {-1, 2, 0.7, -3}, {1, -0.4}},
                   {{0.8, 1}, 0.5, -0.2, {-2, 0.5, 1.5, -1}, {0.6, 1}},
                   {{1, 1}, 0.2, -0.1, {-0.5, 1, -1, -0.7}, {1, 0.5}}};
  int joined[3][2] = {{0, 3}, {3, 1}, {2, 4}};
  perp_first_order_relation relations[3];
  double A[5] = {-1, 0.5, -2, 0.3, -0.7}, b[5] = {2, -1, 0.5, 1, -2};

  network() {
    for (int j = 0; j < 5; j++) {
      auto &s = w.circuit(1);
      s.A = perp_dense(1, 1, &A[j]);
      s.b = &b[j];
      w.add(s.system);
    }
    for (int i = 0; i < 3; i++) {
      auto &r = relations[i];
      perp_first_order_relation_init(&r, sizeof r, 1, 2);
      r.h = h;
      r.g = g;
      r.C = by_C;
      r.D = by_D;
      r.K = by_K;
      r.B = by_B;
      r.user = &ports[i];
      w.join(r.relation, w.complementarity(), {joined[i][0], joined[i][1]});
    }
    auto &plain = w.port(1, 2, {1, -1});
    plain.D = w.keep({0.4});
    plain.B = w.keep({0.5, -0.5});
    w.join(plain.relation, w.complementarity(), {0, 2});
    w.x0 = {1, -1, 0.5, 0.2, -0.3};
    w.options.h = 0.05;
    w.options.theta = 0.6;
    w.options.integrator = perp_integrator_theta();
    w.options.solver = perp_solver_lemke();
  }
};

TEST(Component, LinearReactionsOfSeveralSystemsAreSolvedInOnePass) {
  network n;
  run r(n.w);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  const double dt = n.w.options.h, theta = n.w.options.theta;
  vec x = n.w.x0;
  int pushed = 0;
  for (int k = 0; k < 200; k++) {
    ASSERT_EQ(r.step(), PERP_OK) << k;
    vec next(5), reaction(5, 0.0);
    for (int j = 0; j < 5; j++) next[tools::at(j)] = r.x(j);
    for (int i = 0; i < 3; i++) {
      const auto a = tools::at(n.joined[i][0]), c = tools::at(n.joined[i][1]);
      const double lambda = r.lambda(i), pair[] = {next[a], next[c]};
      double y = 0, force[2];
      h(0, pair, &lambda, nullptr, &y, &n.ports[i]);
      g(0, pair, &lambda, nullptr, force, &n.ports[i]);
      reaction[a] += force[0];
      reaction[c] += force[1];
      ASSERT_NEAR(y, r.y(i), 1e-12);
      ASSERT_GE(lambda, 0);
      ASSERT_GE(y, -1e-9);
      ASSERT_LE(std::fmin(y, lambda), 1e-9);
      pushed += lambda > 1e-6;
    }
    reaction[0] += 0.5 * r.lambda(3);
    reaction[2] -= 0.5 * r.lambda(3);
    pushed += r.lambda(3) > 1e-6;
    for (std::size_t j = 0; j < 5; j++)
      ASSERT_NEAR(
          next[j] - x[j],
          dt * (theta * (n.A[j] * next[j]) + (1 - theta) * (n.A[j] * x[j]) + n.b[j] + reaction[j]),
          1e-11)
          << k << " " << j;
    x = next;
  }
  EXPECT_GT(pushed, 100);
  EXPECT_EQ(static_cast<double>(r.report().newton), 200);
}

std::int32_t own(double, const double *x, const double *lambda, const double *, double *r,
                 void *user) {
  r[0] = *static_cast<const double *>(user) * x[0] + lambda[0];
  return 0;
}

std::int32_t own_K(double, const double *, const double *, const double *, double *out,
                   void *user) {
  out[0] = *static_cast<const double *>(user);
  return 0;
}

std::int32_t sum(double, const double *x, const double *lambda, const double *, double *y, void *) {
  y[0] = x[0] + lambda[0];
  return 0;
}

// A stiff reaction of one member alone is part of its component's matrix too.
TEST(Component, AReactionOfOneMemberIsPartOfTheMatrix) {
  for (double K : {-1.0, -100.0, -1000.0}) {
    network n;
    perp_first_order_relation alone;
    perp_first_order_relation_init(&alone, sizeof alone, 1, 1);
    alone.h = sum;
    alone.g = own;
    alone.K = own_K;
    alone.user = &K;
    n.w.join(alone.relation, n.w.complementarity(), {1});
    run r(n.w);
    ASSERT_EQ(r.steps(50), PERP_OK) << K;
    EXPECT_EQ(static_cast<double>(r.report().newton), 50) << K;
  }
}

TEST(Component, ResumesWithTheSameBits) {
  network n;
  run a(n.w);
  ASSERT_EQ(a.steps(50), PERP_OK);
  const auto checkpoint = a.bytes();
  ASSERT_EQ(a.steps(50), PERP_OK);
  run b(n.w.model, n.w.options, 0, checkpoint.data());
  ASSERT_EQ(b.status, PERP_OK);
  ASSERT_EQ(b.steps(50), PERP_OK);
  EXPECT_EQ(a.bytes(), b.bytes());
}

TEST(Component, ASingularMatrixOfAComponentIsNamed) {
  network n;
  // W − hK of systems 0 and 3 without the other port: I − 0.05 K singular for this K
  n.ports[0] = {{1, 1}, 1, 0, {10, 10, 10, 10}, {1, 1}};
  n.ports[1].K[0] = n.ports[1].K[1] = n.ports[1].K[2] = n.ports[1].K[3] = 0;
  n.A[0] = n.A[3] = 0;
  n.w.options.h = 0.05;
  run r(n.w);
  ASSERT_EQ(r.status, PERP_OK);
  const auto before = r.bytes();
  EXPECT_EQ(r.step(), PERP_EINVAL);
  EXPECT_STREQ(r.info.field, "W");
  EXPECT_EQ(r.bytes(), before);
}

}  // namespace
