// SPDX-License-Identifier: MIT
// The equations of contacts in units of size one: their zeros are the solutions, and their Jacobian
// is that of differences.
#include <gtest/gtest.h>
#include <perp/perp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "families.hpp"
extern "C" {
#include "portfolio/contact_equations.h"
}

namespace {

using families::source;
using tools::at;
using tools::vec;

// An equation, a box, a contact in space, one that rolls: n = 10, and row i in units of 2^unit.
struct scene {
  perp_equality equation{};
  perp_box box{};
  perp_friction contact{};
  perp_rolling roller{};
  double lower = -1, upper = 2;
  std::array<const perp_law *, 4> laws{&equation.law, &box.law, &contact.law, &roller.law};
  vec M = vec(100), q = vec(10);
  perp_problem problem = PERP_PROBLEM_INIT;
  std::vector<unsigned char> bytes;
  contact_equations e{};

  explicit scene(int unit) {
    (void)perp_equality_init(&equation, sizeof equation);
    (void)perp_box_init(&box, sizeof box);
    (void)perp_friction_init(&contact, sizeof contact);
    (void)perp_rolling_init(&roller, sizeof roller);
    box.law.size = 1;
    box.lower = &lower;
    box.upper = &upper;
    contact.law.size = 3;
    contact.mu = 0.5;
    roller.law.size = 5;
    roller.mu = 0.75;
    roller.mu_rolling = 0.25;
    source r(3);
    vec B(100);
    for (double &b : B) b = r.signed_unit();
    for (std::int32_t i = 0; i < 10; i++) {
      q[at(i)] = std::ldexp(r.signed_unit(), i >= 5 ? unit : 0);
      for (std::int32_t j = 0; j < 10; j++) {
        for (std::int32_t k = 0; k < 10; k++)
          M[at(i + 10 * j)] += B[at(i + 10 * k)] * B[at(j + 10 * k)];
        M[at(i + 10 * j)] =
            std::ldexp(M[at(i + 10 * j)], (i >= 5 ? unit : 0) + (j >= 5 ? unit : 0));
      }
    }
    problem.M = perp_dense(10, 10, M.data());
    problem.q = q.data();
    problem.n = 10;
    problem.n_blocks = 4;
    problem.laws = laws.data();
    arena measured = arena_measure();
    perp_contact_equations_carve(&e, &measured, 10);
    bytes.resize(arena_bytes(&measured));
    arena a = arena_open(bytes.data(), bytes.size());
    perp_contact_equations_carve(&e, &a, 10);
    EXPECT_TRUE(arena_fits(&a));
    EXPECT_TRUE(perp_contact_equations_open(&e, &problem));
    for (std::int32_t i = 0; i < 10; i++) e.a[i] = i % 2 == 0 ? 1 : 4;
    e.width = 0;
  }
  scene(const scene &) = delete;
  scene &operator=(const scene &) = delete;
};

void compare_with_differences(scene &s, const vec &x) {
  vec J(100), phi(10), up(10), down(10);
  perp_contact_equations_at(&s.e, x.data(), phi.data(), J.data(), 10);
  for (std::int32_t j = 0; j < 10; j++) {
    vec other = x;
    const double h = 1e-6;
    other[at(j)] = x[at(j)] + h;
    perp_contact_equations_at(&s.e, other.data(), up.data(), nullptr, 0);
    other[at(j)] = x[at(j)] - h;
    perp_contact_equations_at(&s.e, other.data(), down.data(), nullptr, 0);
    for (std::int32_t i = 0; i < 10; i++)
      EXPECT_NEAR(J[at(i + 10 * j)], (up[at(i)] - down[at(i)]) / (2 * h), 1e-6) << i << ' ' << j;
  }
}

TEST(ContactEquations, TheJacobianIsThatOfDifferences) {
  source r(5);
  for (int attempt = 0; attempt < 30; attempt++) {
    scene s(attempt % 2 == 0 ? 0 : 40);
    vec x(10);
    for (double &xi : x) xi = r.signed_unit();
    s.e.width = attempt % 3 == 0 ? 0 : 0.1;
    compare_with_differences(s, x);
  }
}

TEST(ContactEquations, NumbersAreOfSizeOneInAnyUnits) {
  const scene a(0), b(40);
  for (std::size_t k = 0; k < 100; k++) EXPECT_EQ(a.e.W[k], b.e.W[k]);
  for (std::size_t i = 0; i < 10; i++) EXPECT_EQ(a.e.q[i], b.e.q[i]);
}

TEST(ContactEquations, ASolutionIsAZero) {
  scene s(0);
  vec lambda(10), y(10), phi(10), x(10);
  std::vector<unsigned char> work(
      perp_solver_workspace(perp_solver_friction_newton(), &s.problem, nullptr));
  ASSERT_EQ(perp_solver_solve(perp_solver_friction_newton(), &s.problem, nullptr, lambda.data(),
                              y.data(), nullptr, work.data(), work.size(), nullptr),
            PERP_OK);
  for (std::size_t i = 0; i < 10; i++) x[i] = lambda[i] / s.e.unit[i];
  perp_contact_equations_at(&s.e, x.data(), phi.data(), nullptr, 0);
  for (const double f : phi) EXPECT_NEAR(f, 0, 1e-8);
  x[3] += 1e-3;
  perp_contact_equations_at(&s.e, x.data(), phi.data(), nullptr, 0);
  double most = 0;
  for (const double f : phi) most = std::max(most, std::fabs(f));
  EXPECT_GT(most, 1e-5);
}

}  // namespace
