// SPDX-License-Identifier: MIT
// The plain entries for one contact: exact answers, endings without one, wrong arguments.
#include <gtest/gtest.h>
#include <perp/contact.h>

#include <cmath>
#include <vector>

#include "contact_tools.hpp"
#include "dense_tools.hpp"

namespace {

using contacts::block;
using contacts::source;
using tools::kInf;
using tools::kNaN;
using vec = std::vector<double>;

enum class kind { plane, space, rolling_plane, rolling_space };
const kind kAll[] = {kind::plane, kind::space, kind::rolling_plane, kind::rolling_space};

int size_of(kind k) { return k == kind::plane ? 2 : k == kind::rolling_space ? 5 : 3; }
bool rolls(kind k) { return k == kind::rolling_plane || k == kind::rolling_space; }

perp_status call(kind k, const double *W, const double *q, double mu, double mu_r, double *r,
                 double *u) {
  switch (k) {
    case kind::plane:
      return perp_contact_2d(W, q, mu, r, u);
    case kind::space:
      return perp_contact_3d(W, q, mu, r, u);
    case kind::rolling_plane:
      return perp_contact_rolling_2d(W, q, mu, mu_r, r, u);
    case kind::rolling_space:
      return perp_contact_rolling_3d(W, q, mu, mu_r, r, u);
  }
  return 999;
}

struct answer {
  perp_status status = 999;
  vec r, u;
};

answer solve(kind k, const vec &W, const vec &q, double mu, double mu_r = 0) {
  answer a;
  a.r.assign(q.size(), 999);
  a.u.assign(q.size(), 999);
  a.status = call(k, W.data(), q.data(), mu, mu_r, a.r.data(), a.u.data());
  return a;
}

vec identity(int n, double a = 1) {
  vec W(static_cast<std::size_t>(n * n), 0);
  for (int i = 0; i < n; i++) W[static_cast<std::size_t>(i * (n + 1))] = a;
  return W;
}

void expect_near(const vec &x, const vec &y, double tol) {
  ASSERT_EQ(x.size(), y.size());
  for (std::size_t i = 0; i < x.size(); i++) EXPECT_NEAR(x[i], y[i], tol) << "entry " << i;
}

// ---- exact answers ----

TEST(Contact, PlaneByHand) {
  answer a = solve(kind::plane, {1, 0, 0, 2}, {-1, 3}, 0.5);
  EXPECT_EQ(a.status, PERP_OK);
  expect_near(a.r, {1, -0.5}, 1e-15);
  expect_near(a.u, {0, 2}, 1e-15);
  a = solve(kind::plane, {1, 0, 0, 2}, {-1, 0.5}, 0.5);
  EXPECT_EQ(a.status, PERP_OK);
  expect_near(a.r, {1, -0.25}, 1e-15);
  expect_near(a.u, {0, 0}, 1e-15);
  a = solve(kind::plane, {1, 1.5, 1.5, 4}, {-1, 0}, 1);
  EXPECT_EQ(a.status, PERP_OK);
  expect_near(a.r, {16.0 / 7, -6.0 / 7}, 2e-15);
  expect_near(a.u, {0, 0}, 2e-15);
  a = solve(kind::plane, {1, 1.5, 1.5, 4}, {-1, -3}, 1);
  EXPECT_EQ(a.status, PERP_OK);
  expect_near(a.r, {0.4, 0.4}, 1e-15);
  expect_near(a.u, {0, -0.8}, 1e-15);
  a = solve(kind::plane, {1, 1.5, 1.5, 4}, {1, 4}, 1);
  EXPECT_EQ(a.status, PERP_OK);
  expect_near(a.r, {0, 0}, 0);
  expect_near(a.u, {1, 4}, 0);
}

// W = diag(a, b, b): r_n = -q_n / a, and friction acts along q_t.
TEST(Contact, SpaceWithEqualTangentialEntries) {
  source s(1);
  for (int i = 0; i < 2000; i++) {
    const double a = s.power(-2, 2), b = s.power(-2, 2), mu = s.power(-2, 1);
    const vec q = {-s.power(-1, 1), s.round(), s.round()};
    const answer x = solve(kind::space, {a, 0, 0, 0, b, 0, 0, 0, b}, q, mu);
    ASSERT_EQ(x.status, PERP_OK);
    const double n = -q[0] / a, speed = std::hypot(q[1], q[2]);
    const double force = std::fmin(mu * n, speed / b), left = speed - b * force;
    expect_near(x.r, {n, -force * q[1] / speed, -force * q[2] / speed}, 1e-13 * (n + force));
    expect_near(x.u, {0, left * q[1] / speed, left * q[2] / speed},
                1e-13 * (speed + b * force - q[0]));
  }
}

// A contact in space whose tangential part is decoupled from one axis slides as in the plane.
TEST(Contact, SpaceAlongAnAxisIsThePlane) {
  source s(2);
  for (int i = 0; i < 2000; i++) {
    const double a = s.power(-1, 1), d = s.power(-1, 1), c = s.uniform(-.9, .9) * std::sqrt(a * d);
    const double e = s.power(-2, 2), mu = s.power(-2, 0);
    const vec q = {-s.power(-1, 1), s.round()};
    const answer p = solve(kind::plane, {a, c, c, d}, q, mu);
    const answer x = solve(kind::space, {a, 0, c, 0, e, 0, c, 0, d}, {q[0], 0, q[1]}, mu);
    ASSERT_EQ(p.status, PERP_OK);
    ASSERT_EQ(x.status, PERP_OK);
    const double size = std::fabs(p.r[0]) + std::fabs(p.r[1]);
    expect_near({x.r[0], x.r[2]}, p.r, 1e-11 * size);
    EXPECT_NEAR(x.r[1], 0, 1e-11 * size);
  }
}

// Each part of a decoupled block is solved by itself.
TEST(Contact, RollingDecoupled) {
  const double mu = 0.5, mu_r = 0.1;
  const answer plane =
      solve(kind::rolling_plane, {1, 0, 0, 0, 2, 0, 0, 0, 4}, {-1, 3, 0.2}, mu, mu_r);
  EXPECT_EQ(plane.status, PERP_OK);
  expect_near(plane.r, {1, -0.5, -0.05}, 1e-15);
  expect_near(plane.u, {0, 2, 0}, 1e-15);
  vec W = identity(5);
  W[6] = W[12] = 2;
  W[18] = W[24] = 4;
  const answer space = solve(kind::rolling_space, W, {-1, 0.3, 0.4, 3, -4}, mu, mu_r);
  EXPECT_EQ(space.status, PERP_OK);
  expect_near(space.r, {1, -0.15, -0.2, -0.06, 0.08}, 1e-14);
  expect_near(space.u, {0, 0, 0, 3 - 0.24, -4 + 0.32}, 1e-14);
}

// Without a resistance to rolling the moments are 0 and the rest is the contact with friction.
TEST(Contact, RollingWithoutResistanceIsFriction) {
  source s(3);
  for (int i = 0; i < 300; i++) {
    block b;
    b.size = 5;
    b.W.assign(25, 0);
    contacts::definite(s, &b, 1);
    const double mu = s.power(-2, 0);
    const vec q = {-1, s.round(), s.round(), s.round(), s.round()};
    const answer x = solve(kind::rolling_space, b.W, q, mu, 0);
    ASSERT_EQ(x.status, PERP_OK);
    vec V;
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) V.push_back(b.at(k, j));
    const answer y = solve(kind::space, V, {q[0], q[1], q[2]}, mu);
    ASSERT_EQ(y.status, PERP_OK);
    expect_near({x.r[0], x.r[1], x.r[2]}, y.r, 1e-12 * y.r[0]);
    EXPECT_EQ(x.r[3], 0);
    EXPECT_EQ(x.r[4], 0);
  }
}

// ---- ordinary extremes ----

TEST(Contact, NoFrictionAndMuch) {
  for (const kind k : kAll) {
    const int n = size_of(k);
    vec q(static_cast<std::size_t>(n), 0.25);
    q[0] = -2;
    const answer none = solve(k, identity(n, 4), q, 0, 0);
    EXPECT_EQ(none.status, PERP_OK);
    EXPECT_EQ(none.r[0], 0.5);
    for (std::size_t i = 1; i < q.size(); i++) {
      EXPECT_EQ(none.r[i], 0);
      EXPECT_EQ(none.u[i], 0.25);
    }
    for (const double mu : {1e3, 1e8, 1e100}) {
      const answer much = solve(k, identity(n, 3), q, mu, mu);
      EXPECT_EQ(much.status, PERP_OK) << n << " " << mu;
      expect_near(much.u, vec(q.size(), 0), 1e-13);
    }
  }
}

// Friction as large as it may be still solves blocks of every kind.
TEST(Contact, HugeFrictionOnCoupledBlocks) {
  source s(4);
  for (int i = 0; i < 3000; i++) {
    block b;
    b.size = i % 2 == 0 ? 2 : 3;
    b.W.assign(static_cast<std::size_t>(b.size * b.size), 0);
    contacts::definite(s, &b, 3);
    b.mu[0] = s.power(3, 10);
    b.q = {-s.power(-3, 0), s.round()};
    if (b.size == 3) b.q.push_back(s.round());
    const answer a = solve(b.size == 2 ? kind::plane : kind::space, b.W, b.q, b.mu[0]);
    ASSERT_EQ(a.status, PERP_OK) << contacts::show(b, a.r.data());
    EXPECT_LE(contacts::backward_error(b, a.r.data()), 1e-13) << contacts::show(b, a.r.data());
  }
}

TEST(Contact, UnitsDoNotMatter) {
  const vec W = {1, .2, .1, .2, 2, -.3, .1, -.3, 1.5}, q = {-1, .7, -2};
  const answer one = solve(kind::space, W, q, 0.4);
  ASSERT_EQ(one.status, PERP_OK);
  for (const double w : {0x1p-400, 0x1p-10, 0x1p300})
    for (const double v : {0x1p-500, 0x1p20, 0x1p400}) {
      vec A = W, p = q;
      for (double &x : A) x *= w;
      for (double &x : p) x *= v;
      const answer a = solve(kind::space, A, p, 0.4);
      EXPECT_EQ(a.status, PERP_OK);
      for (std::size_t i = 0; i < 3; i++) EXPECT_NEAR(a.r[i] / (v / w), one.r[i], 4e-15) << w << v;
    }
}

// ---- singular W ----

TEST(Contact, ConsistentSingularBlocksAreSolved) {
  source s(5);
  for (int i = 0; i < 3000; i++) {
    block b;
    b.size = i % 2 == 0 ? 2 : 3;
    const int n = b.size, rank = 1 + s.below(n - 1);
    b.W.assign(static_cast<std::size_t>(n * n), 0);
    for (int k = 0; k < rank; k++) {
      double h[3];
      for (double &x : h) x = s.below(7) - 3; /* whole numbers, so that W is singular exactly */
      for (int c = 0; c < n; c++)
        for (int a = 0; a < n; a++) b.at(a, c) += h[a] * h[c];
    }
    b.mu[0] = s.power(-1, 1);
    double r[5];
    contacts::force(s, b, s.uniform(0, 1), r);
    for (int a = 0; a < n; a++) {
      b.q.push_back(0);
      for (int c = 0; c < n; c++) b.q.back() -= b.at(a, c) * r[c];
    }
    const answer x = solve(n == 2 ? kind::plane : kind::space, b.W, b.q, b.mu[0]);
    ASSERT_EQ(x.status, PERP_OK) << contacts::show(b, x.r.data());
    EXPECT_LE(contacts::backward_error(b, x.r.data()), 1e-12) << contacts::show(b, x.r.data());
  }
}

// ---- no solution ----

TEST(Contact, WhatCannotMoveAndIsPressedHasNoSolution) {
  for (const kind k : kAll) {
    const int n = size_of(k);
    vec q(static_cast<std::size_t>(n), 0);
    q[0] = -1;
    EXPECT_EQ(solve(k, identity(n, 0), q, 0.5, 0.1).status, PERP_RAY);
    vec W = identity(n);
    W[0] = 0; /* only the tangential part can move */
    EXPECT_EQ(solve(k, W, q, 0.5, 0.1).status, PERP_RAY);
    W[0] = -1;
    EXPECT_EQ(solve(k, W, q, 0.5, 0.1).status, PERP_RAY);
  }
}

// Painlevé: with W_nn - mu W_nt < 0 a contact that slides forward has no answer if it can neither
// stick; where it can stick it does.
TEST(Contact, PainlevesRod) {
  const vec W = {1, 3, 3, 10}, q = {-1, 5}; /* det 1; sliding forward: 1 - 3 mu */
  for (const double mu : {0.3, 0.34, 1.0, 3.5}) {
    block b;
    b.size = 2;
    b.W = W;
    b.q = q;
    b.mu[0] = mu;
    const answer a = solve(kind::plane, W, q, mu);
    ASSERT_EQ(a.status, PERP_OK) << mu;
    EXPECT_LE(contacts::backward_error(b, a.r.data()), 1e-14);
    EXPECT_GT(a.r[0], 0);
  }
  /* not a mechanical one: neither take-off, stick nor slip */
  EXPECT_EQ(solve(kind::plane, {1, 0, 4, -1}, {-1, 3}, 0.5).status, PERP_RAY);
}

// ---- wrong arguments ----

TEST(Contact, WrongArguments) {
  for (const kind k : kAll) {
    const int n = size_of(k);
    const vec W = identity(n);
    vec q(static_cast<std::size_t>(n), -1), r(q.size(), 999), u(q.size(), 999);
    EXPECT_EQ(call(k, nullptr, q.data(), 1, 1, r.data(), u.data()), PERP_EINVAL);
    EXPECT_EQ(call(k, W.data(), nullptr, 1, 1, r.data(), u.data()), PERP_EINVAL);
    EXPECT_EQ(call(k, W.data(), q.data(), 1, 1, nullptr, u.data()), PERP_EINVAL);
    EXPECT_EQ(call(k, W.data(), q.data(), -1e-300, 1, r.data(), u.data()), PERP_EINVAL);
    EXPECT_EQ(call(k, W.data(), q.data(), -kInf, 1, r.data(), u.data()), PERP_EINVAL);
    if (rolls(k)) {
      EXPECT_EQ(call(k, W.data(), q.data(), 1, -1, r.data(), u.data()), PERP_EINVAL);
    }
    for (const double x : r) EXPECT_EQ(x, 999);
    for (const double x : u) EXPECT_EQ(x, 999);
    EXPECT_EQ(call(k, W.data(), q.data(), 1, 1, r.data(), nullptr), PERP_OK);
    EXPECT_EQ(r[0], 1);
  }
}

TEST(Contact, NotANumber) {
  for (const kind k : kAll)
    for (const double bad : {kNaN, kInf, -kInf}) {
      const int n = size_of(k);
      const vec W = identity(n);
      vec q(static_cast<std::size_t>(n), -1);
      for (std::size_t i = 0; i < W.size(); i++) {
        vec A = W;
        A[i] = bad;
        const answer a = solve(k, A, q, 0.5, 0.5);
        EXPECT_EQ(a.status, PERP_ENOTFINITE) << n << " W " << i;
        for (const double x : a.r) EXPECT_EQ(x, 0);
        for (const double x : a.u) EXPECT_EQ(x, 0);
      }
      for (const double normal : {-1.0, 1.0})
        for (std::size_t i = 0; i < q.size(); i++) {
          vec p = q;
          p[0] = normal;
          p[i] = bad;
          EXPECT_EQ(solve(k, W, p, 0.5, 0.5).status, PERP_ENOTFINITE) << n << " q " << i;
        }
      if (bad == -kInf) continue;
      EXPECT_EQ(solve(k, W, q, bad, 0.5).status, PERP_ENOTFINITE);
      if (rolls(k)) {
        EXPECT_EQ(solve(k, W, q, 0.5, bad).status, PERP_ENOTFINITE);
      }
    }
}

// Whatever the numbers, the call ends, and r is finite.
TEST(Contact, WildNumbersEnd) {
  source s(6);
  for (int i = 0; i < 4000; i++) {
    const kind k = kAll[s.below(4)];
    const int n = size_of(k);
    vec W, q;
    for (int j = 0; j < n * n; j++)
      W.push_back(s.below(4) == 0 ? 0 : s.sign() * s.power(-300, 300));
    for (int j = 0; j < n; j++) q.push_back(s.below(4) == 0 ? 0 : s.sign() * s.power(-300, 300));
    const answer a = solve(k, W, q, s.power(-300, 300), s.power(-300, 300));
    EXPECT_TRUE(a.status == PERP_OK || a.status == PERP_INACCURATE || a.status == PERP_RAY);
    for (const double x : a.r) EXPECT_TRUE(std::isfinite(x));
    EXPECT_TRUE(a.status != PERP_OK || a.r[0] >= 0);
  }
}

}  // namespace
