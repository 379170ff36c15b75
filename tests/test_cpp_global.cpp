// SPDX-License-Identifier: MIT
// Problems in global form through the façade, and with the sparse back end.
#include <gtest/gtest.h>
#include <perp/perp.hpp>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace {

using reals = std::vector<double>;
using ints = std::vector<std::int32_t>;

// A chain of masses and springs, M tridiagonal, one contact at every third mass.
struct chain {
  std::int32_t m, n;
  ints start{0}, index, h_start{0}, h_index;
  reals values, h_values, q, b;

  explicit chain(std::int32_t size) : m(size), n(size / 3) {
    for (std::int32_t i = 0; i < m; i++) {
      for (std::int32_t j = i - 1; j <= i + 1; j++) {
        if (j < 0 || j >= m) continue;
        index.push_back(j);
        values.push_back(j == i ? 2.5 : -1);
      }
      start.push_back(static_cast<std::int32_t>(index.size()));
      q.push_back(std::sin(i) - 0.5);
    }
    for (std::int32_t k = 0; k < n; k++) {
      h_index.push_back(3 * k);
      h_values.push_back(1);
      h_start.push_back(k + 1);
      b.push_back(0.01 * std::cos(k));
    }
  }
  perp_matrix M() const {
    return perp_compressed_rows(m, start.data(), index.data(), values.data());
  }
  perp_matrix H() const {
    return perp_sparse_rows(n, m, h_start.data(), h_index.data(), h_values.data());
  }
  perp::global_problem problem() const {
    return perp::global_problem(M(), H(), q, b).add(perp::complementarity(), n);
  }
};

TEST(CppGlobal, ABallSticks) {
  const reals M{2, 0, 0, 2}, H{0, 1, 1, 0}, q{0.4, -2}, b{0, 0};
  const auto p = perp::global_problem(M, H, q, b).add(perp::friction_2d(0.5));
  EXPECT_EQ(p.velocities(), 2u);
  EXPECT_EQ(p.size(), 2u);
  perp::global_solver solver;
  reals v(2), r(2), u(2);
  ASSERT_EQ(solver.tolerance(1e-12).solve(p, v, r, u), PERP_OK);
  EXPECT_NEAR(r[0], 2, 1e-11);
  EXPECT_NEAR(r[1], -0.4, 1e-11);
  EXPECT_NEAR(v[0], 0, 1e-11);
  EXPECT_NE(solver.used(), nullptr);
  EXPECT_LE(solver.info().relative_residual, 1e-12);
}

TEST(CppGlobal, WeightsAndFloorsAreThoseOfTheRows) {
  const reals M{1}, H{0}, q{0}, b{-1e-6};  // u = b < 0, whatever v is
  auto p = perp::global_problem(M, H, q, b).add(perp::complementarity());
  perp::global_solver solver;
  reals v(1), r(1), u(1);
  EXPECT_NE(solver.solve(p, v, r, u), PERP_OK);
  EXPECT_EQ(solver.info().residual, 1e-6);
  p.weigh({4});
  EXPECT_NE(solver.solve(p, v, r, u), PERP_OK);
  EXPECT_EQ(solver.info().residual, 4e-6);
  p.weigh({1});
  p.set_floor({2e-6});
  EXPECT_EQ(solver.solve(p, v, r, u), PERP_OK);
  EXPECT_THROW(p.weigh({1, 1}), perp::error);
}

TEST(CppGlobal, TheCondensedProblemIsTheOneStepProblem) {
  const reals M{2, 0, 0, 4}, H{0, 1, 1, 0}, q{0.4, -2}, b{1, 2};
  const auto p = perp::global_problem(M, H, q, b).add(perp::friction_2d(0.5));
  const perp::condensed_problem local(p.get());
  EXPECT_EQ(perp_matrix_entry(&local.get().M, 0, 0), 0.25);
  EXPECT_EQ(perp_matrix_entry(&local.get().M, 1, 1), 0.5);
  EXPECT_EQ(perp_matrix_entry(&local.get().M, 0, 1), 0);
  EXPECT_EQ(local.get().q[0], 0.5);
  EXPECT_EQ(local.get().q[1], 2.2);
  EXPECT_EQ(local.get().laws[0]->ops->set, PERP_SET_CONE);
}

TEST(CppGlobal, TheSparseBackEndFindsTheSameSolution) {
  const chain c(300);
  const perp::global_problem p = c.problem();
  reals v(300), r(100), u(100), v2(300), r2(100), u2(100);
  perp::global_solver sparse(perp::active_set()), dense(perp::active_set(), nullptr);
  perp::global_solver symmetric(perp::active_set(), perp_sparse_ldl());
  ASSERT_EQ(sparse.solve(p, v, r, u), PERP_OK);
  ASSERT_EQ(symmetric.solve(p, v2, r2, u2), PERP_OK);
  for (std::size_t i = 0; i < 100; i++) EXPECT_NEAR(r[i], r2[i], 1e-12);
  ASSERT_EQ(dense.solve(p, v2, r2, u2), PERP_OK);
  for (std::size_t i = 0; i < 100; i++) EXPECT_NEAR(r[i], r2[i], 1e-12);
  for (std::size_t i = 0; i < 300; i++) EXPECT_NEAR(v[i], v2[i], 1e-12);
}

// On one body that all contacts share W is left alone, and the answer is as good.
TEST(CppGlobal, ALargeBodyIsSolvedWithoutItsW) {
  const chain c(3000);
  const perp::global_problem p = c.problem();
  reals v(3000), r(1000), u(1000), v2(3000), r2(1000), u2(1000);
  perp::global_solver chosen(perp::automatic()), condensed(perp::active_set());
  ASSERT_EQ(chosen.solve(p, v, r, u), PERP_OK);
  EXPECT_STREQ(chosen.used(), "admm");
  ASSERT_EQ(condensed.solve(p, v2, r2, u2), PERP_OK);
  for (std::size_t i = 0; i < 1000; i++) EXPECT_NEAR(r[i], r2[i], 1e-7);
}

// W is symmetric bit by bit if M is, whoever factorised it.
TEST(CppGlobal, SymmetryIsExact) {
  const chain c(240);
  const perp::global_problem p = c.problem();
  for (const perp_sparse *table : {perp_sparse_klu(), static_cast<const perp_sparse *>(nullptr)}) {
    const perp::condensed_problem local(p.get(), table);
    for (std::int32_t i = 0; i < 80; i++)
      for (std::int32_t j = 0; j < i; j++)
        EXPECT_EQ(perp_matrix_entry(&local.get().M, i, j), perp_matrix_entry(&local.get().M, j, i));
  }
}

TEST(CppGlobal, WrongCallsThrowInWords) {
  const reals M{2, 0, 0, 2}, H{0, 1, 1, 0}, q{0.4, -2}, b{0, 0};
  EXPECT_THROW(perp::global_problem(reals{1}, H, q, b), perp::error);
  EXPECT_THROW(perp::global_problem(M, reals{1}, q, b), perp::error);
  EXPECT_THROW(perp::global_solver{perp::method{}}, perp::error);
  perp::global_solver solver;
  reals v(2), r(2), u(2), one(1);
  const auto p = perp::global_problem(M, H, q, b).add(perp::friction_2d(0.5));
  EXPECT_THROW((void)solver.solve(p, one, r, u), perp::error);
  EXPECT_THROW((void)solver.solve(p, v, one, u), perp::error);
  EXPECT_THROW((void)solver.solve(p, v, r, one), perp::error);
  perp::global_solver lemke(perp::lemke());
  try {
    (void)lemke.solve(p, v, r, u);
    FAIL() << "accepted";
  } catch (const perp::error &e) {
    EXPECT_EQ(e.status(), PERP_EUNSUPPORTED);
  }
  const reals singular{2, 0, 0, 0};
  const auto bad = perp::global_problem(singular, H, q, b).add(perp::friction_2d(0.5));
  for (int k = 0; k < 2; k++) {
    try {
      if (k == 0)
        (void)solver.solve(bad, v, r, u);
      else
        (void)perp::condensed_problem(bad.get());
      FAIL() << "accepted";
    } catch (const perp::error &e) {
      EXPECT_EQ(e.status(), PERP_EINVAL);
      EXPECT_NE(std::string(e.what()).find("M[1]"), std::string::npos) << e.what();
    }
  }
}

// What a problem keeps alive is there as long as a copy of its views is used.
TEST(CppGlobal, AProblemKeepsWhatItViews) {
  struct arrays {
    reals M{2, 0, 0, 2}, H{0, 1, 1, 0}, q{0.4, -2}, b{0, 0};
  };
  auto own = std::make_shared<arrays>();
  auto p = perp::global_problem(own->M, own->H, own->q, own->b).add(perp::friction_2d(0.5));
  const std::weak_ptr<arrays> seen = own;
  p.keep(std::move(own));
  EXPECT_FALSE(seen.expired());
  reals v(2), r(2), u(2);
  perp::global_solver solver;
  EXPECT_EQ(solver.solve(p, v, r, u), PERP_OK);
}

}  // namespace
