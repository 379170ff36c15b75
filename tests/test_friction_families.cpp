// SPDX-License-Identifier: MIT
// The generated friction problems are what they say: W = H M⁻¹ Hᵀ, orthonormal frames, known ranks.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <set>
#include <stdexcept>

#include "friction_collection.hpp"
#include "io_tools.hpp"
#include "perp/auto.h"
#include "perp/global.hpp"
#include "perp/sparse.h"
#include "tool/judge.hpp"

namespace {

namespace ff = friction_families;
using perp::io::at;
using perp::io::reals;
using real = long double;

// Row-major, in long double.
struct table {
  std::size_t rows = 0, cols = 0;
  std::vector<real> a;
  table(std::size_t m, std::size_t n) : rows(m), cols(n), a(m * n, 0) {}
  explicit table(const perp::io::matrix &A) : table(at(A.rows), at(A.cols)) {
    for (const perp::io::triplet &e : perp::io::entries_of(A))
      (*this)(at(e.row), at(e.col)) += e.value;
  }
  real &operator()(std::size_t i, std::size_t j) { return a[i * cols + j]; }
  real operator()(std::size_t i, std::size_t j) const { return a[i * cols + j]; }
};

// X with A X = B, by elimination with partial pivoting.
table solve(table A, table B) {
  for (std::size_t c = 0; c < A.rows; c++) {
    std::size_t p = c;
    for (std::size_t i = c; i < A.rows; i++)
      if (std::fabs(A(i, c)) > std::fabs(A(p, c))) p = i;
    for (std::size_t j = 0; j < A.cols; j++) std::swap(A(p, j), A(c, j));
    for (std::size_t j = 0; j < B.cols; j++) std::swap(B(p, j), B(c, j));
    for (std::size_t i = c + 1; i < A.rows; i++) {
      const real t = A(i, c) / A(c, c);
      if (t == 0) continue;
      for (std::size_t j = c; j < A.cols; j++) A(i, j) -= t * A(c, j);
      for (std::size_t j = 0; j < B.cols; j++) B(i, j) -= t * B(c, j);
    }
  }
  for (std::size_t c = A.rows; c-- > 0;)
    for (std::size_t j = 0; j < B.cols; j++) {
      for (std::size_t k = c + 1; k < A.rows; k++) B(c, j) -= A(c, k) * B(k, j);
      B(c, j) /= A(c, c);
    }
  return B;
}

table transposed(const table &A) {
  table T(A.cols, A.rows);
  for (std::size_t i = 0; i < A.rows; i++)
    for (std::size_t j = 0; j < A.cols; j++) T(j, i) = A(i, j);
  return T;
}

table product(const table &A, const table &B) {
  table C(A.rows, B.cols);
  for (std::size_t i = 0; i < A.rows; i++)
    for (std::size_t k = 0; k < A.cols; k++)
      for (std::size_t j = 0; A(i, k) != 0 && j < B.cols; j++) C(i, j) += A(i, k) * B(k, j);
  return C;
}

real largest(const table &A) {
  real most = 0;
  for (const real x : A.a) most = std::max(most, std::fabs(x));
  return most;
}

// Steps of Cholesky with the largest pivot until nothing above the noise is left; *rest: the most
// negative pivot.
std::size_t rank_of(table W, real noise, real *rest) {
  std::vector<bool> done(W.rows, false);
  for (std::size_t rank = 0;; rank++) {
    std::size_t p = W.rows;
    *rest = 0;
    for (std::size_t i = 0; i < W.rows; i++) {
      if (done[i]) continue;
      *rest = std::min(*rest, W(i, i));
      if (p == W.rows || W(i, i) > W(p, p)) p = i;
    }
    if (p == W.rows || !(W(p, p) > noise)) return rank;
    done[p] = true;
    for (std::size_t i = 0; i < W.rows; i++) {
      const real t = W(i, p) / W(p, p);
      if (done[i] || t == 0) continue;
      for (std::size_t j = 0; j < W.rows; j++)
        if (!done[j]) W(i, j) -= t * W(p, j);
    }
  }
}

const perp::io::matrix &delassus(const perp::io::any_problem &p) { return perp::io::matrix_of(p); }

const reals &free_velocity(const perp::io::any_problem &p) {
  if (const auto *r = std::get_if<perp::io::rolling>(&p)) return r->q;
  return std::get<perp::io::friction>(p).q;
}

class Families : public ::testing::TestWithParam<const char *> {};

TEST_P(Families, SameSeedSameProblemOtherSeedAnother) {
  const auto a = ff::local(ff::make(GetParam(), 25, 7)), b = ff::local(ff::make(GetParam(), 25, 7));
  EXPECT_TRUE(tools::same(a, b));
  EXPECT_FALSE(tools::same(a, ff::local(ff::make(GetParam(), 25, 8))));
}

TEST_P(Families, HasAboutAsManyContactsAsAsked) {
  for (const std::int32_t n : {1, 2, 3, 4, 5, 17, 100, 400}) {
    const ff::model m = ff::make(GetParam(), n, 1);
    EXPECT_GE(m.contacts(), 1);
    EXPECT_GE(m.contacts(), n / 3) << n;
    EXPECT_LE(m.contacts(), n + n / 5 + 40) << n;
    EXPECT_EQ(m.H.rows, m.dim * m.contacts());
    EXPECT_EQ(m.b.size(), at(m.H.rows));
    EXPECT_EQ(m.f.size(), at(m.M.rows));
    EXPECT_EQ(m.bodies.back(), m.M.rows);
    for (const double mu : m.mu) EXPECT_TRUE(mu >= 0 && mu <= 1e3);
  }
}

TEST_P(Families, EliminatesTheVelocities) {
  for (const std::uint64_t seed : {0u, 1u, 2u}) {
    const ff::model m = ff::make(GetParam(), 30, seed);
    const auto p = ff::local(m);
    const table W(delassus(p)), H(m.H), M(m.M);
    const table exact = product(H, solve(M, transposed(H)));
    const real size = largest(exact);
    /* single contacts reach a condition of 1e12, each with its own size */
    for (std::size_t i = 0; i < W.rows; i++)
      for (std::size_t j = 0; j < W.cols; j++)
        ASSERT_LE(std::fabs(W(i, j) - exact(i, j)),
                  1e-13L * std::min(size, exact(i, i) + exact(j, j)))
            << i << " " << j;
    table f(M.rows, 1);
    for (std::size_t i = 0; i < M.rows; i++) f(i, 0) = m.f[i];
    const table u = product(H, solve(M, f));
    const real speed = largest(u);
    for (std::size_t i = 0; i < W.rows; i++)
      ASSERT_LE(std::fabs(u(i, 0) + m.b[i] - free_velocity(p)[i]), 1e-12L * (speed + 1)) << i;
  }
}

TEST_P(Families, MatrixIsSymmetricSemidefiniteAndOfTheExpectedRank) {
  for (const std::uint64_t seed : {0u, 1u, 2u}) {
    const ff::model m = ff::make(GetParam(), 30, seed);
    const auto p = ff::local(m);
    const table W(delassus(p));
    for (std::size_t i = 0; i < W.rows; i++)
      for (std::size_t j = 0; j < i; j++) ASSERT_EQ(W(i, j), W(j, i));
    if (std::string(GetParam()) == "single") continue; /* its blocks: below */
    const real noise = 1e-12L * largest(W);
    real rest = 0;
    const std::size_t rank = rank_of(W, noise, &rest);
    EXPECT_GE(rest, -noise);
    EXPECT_LE(rank, std::min(W.rows, at(m.M.rows)));
    if (m.rank >= 0) {
      EXPECT_EQ(rank, at(m.rank));
    }
  }
}

TEST_P(Families, FilesKeepEveryBit) {
  const tools::folder here;
  const ff::model m = ff::make(GetParam(), 12, 2);
  const std::string name = here / (m.rolling ? "a.dat" : "a.hdf5");
  perp::io::document d;
  d.problem = ff::local(m);
  perp::io::write_problem(name, d);
  EXPECT_TRUE(tools::same(perp::io::read_problem(name).problem, d.problem));
  if (m.rolling) {
    EXPECT_THROW((void)ff::global(m), std::invalid_argument);
    return;
  }
  d.problem = ff::global(m);
  perp::io::write_problem(name, d);
  EXPECT_TRUE(tools::same(perp::io::read_problem(name).problem, d.problem));
  EXPECT_EQ(std::get<perp::io::global_friction>(d.problem).q, m.f);
}

INSTANTIATE_TEST_SUITE_P(Friction, Families, ::testing::ValuesIn([] {
                           std::vector<const char *> names;
                           for (const ff::family &f : ff::families()) names.push_back(f.name);
                           return names;
                         }()),
                         [](const auto &param) {
                           std::string name;
                           for (const char *c = param.param; *c != 0; c++)
                             name += *c == '-' ? '_' : *c;
                           return name;
                         });

// Of rigid bodies: the translational part of the rows at one body.
TEST(FrictionFamilies, FramesAreOrthonormal) {
  for (const char *name : {"arch", "chain", "planks", "pyramid", "spheres", "stacks", "wall"}) {
    const ff::model m = ff::make(name, 60, 1);
    const table H(m.H);
    for (std::size_t c = 0; c < at(m.contacts()); c++)
      for (std::size_t o = 0; o < H.cols; o += 6) {
        real inner[3][3] = {};
        for (std::size_t i = 0; i < 3; i++)
          for (std::size_t j = 0; j < 3; j++)
            for (std::size_t k = 0; k < 3; k++)
              inner[i][j] += H(3 * c + i, o + k) * H(3 * c + j, o + k);
        if (inner[0][0] == 0) continue;
        for (std::size_t i = 0; i < 3; i++)
          for (std::size_t j = 0; j < 3; j++)
            ASSERT_LE(std::fabs(inner[i][j] - (i == j ? 1 : 0)), 1e-14L) << name;
      }
  }
}

// Bodies that move together do not meet: with one common velocity only contacts with the ground see
// any of it, and all of it.
TEST(FrictionFamilies, CommonVelocityIsSeenByTheGroundAlone) {
  for (const char *name : {"arch", "chain", "planks", "pyramid", "spheres", "stacks", "wall"}) {
    const ff::model m = ff::make(name, 60, 1);
    const table H(m.H);
    table v(H.cols, 1);
    const real speed[] = {1, 2, -3};
    for (std::size_t i = 0; i < H.cols; i++) v(i, 0) = i % 6 < 3 ? speed[i % 6] : 0;
    const table u = product(H, v);
    for (std::size_t c = 0; c < at(m.contacts()); c++) {
      std::size_t touched = 0;
      for (std::size_t o = 0; o < H.cols; o += 6)
        touched += H(3 * c, o) != 0 || H(3 * c, o + 1) != 0 || H(3 * c, o + 2) != 0;
      real size = 0;
      for (std::size_t i = 3 * c; i < 3 * c + 3; i++) size += u(i, 0) * u(i, 0);
      ASSERT_TRUE(touched == 1 || touched == 2) << name;
      ASSERT_LE(std::fabs(size - (touched == 1 ? 14 : 0)), 1e-13L) << name << " " << c;
    }
  }
}

// A sphere on the ground: it falls by h g, its spin moves the contact by its radius, and only along
// the ground; rolling sees the spin itself.
TEST(FrictionFamilies, SphereOnTheGroundIsWhatItSays) {
  for (const char *name : {"spheres", "pyramid", "rolling-spheres"}) {
    const ff::model m = ff::make(name, 1, 0);
    ASSERT_EQ(m.contacts(), 1) << name;
    const auto p = ff::local(m);
    EXPECT_NEAR(free_velocity(p)[0], -5e-3 * 9.81, 1e-15);
    for (std::size_t i = 1; i < free_velocity(p).size(); i++) EXPECT_EQ(free_velocity(p)[i], 0);
    const table H(m.H), M(m.M);
    const real radius = std::sqrt(M(3, 3) / M(0, 0) / 0.4L);
    for (std::size_t i = 0; i < H.rows; i++) {
      real lever = 0;
      for (std::size_t k = 3; k < 6; k++) lever += H(i, k) * H(i, k);
      const real expected = i == 0 ? 0 : i < 3 ? radius : 1;
      EXPECT_LE(std::fabs(std::sqrt(lever) - expected), 1e-15L) << name << " " << i;
    }
  }
}

// A face of four contacts holds the six velocities of a box: 12 reactions, rank 6.
TEST(FrictionFamilies, StacksAreHyperstatic) {
  const ff::model m = ff::make("stacks", 40, 1);
  EXPECT_EQ(m.contacts(), 40);
  EXPECT_EQ(m.rank, 60);
  EXPECT_EQ(m.M.rows, 60);
}

TEST(FrictionFamilies, BlockOnAPlaneFillsItsMatrix) {
  const ff::model m = ff::make("elastic", 36, 1);
  const auto p = ff::local(m);
  EXPECT_EQ(delassus(p).index.size(), at(m.contacts()) * at(m.contacts()));
}

TEST(FrictionFamilies, SingleContactsReachEveryCondition) {
  const ff::model m = ff::make("single", 2000, 1);
  double least = 1e300, most = 0, mu_most = 0;
  bool frictionless = false;
  for (std::int32_t c = 0; c < m.contacts(); c++) {
    const double condition = m.M.values[at(3 * c) + 2] / m.M.values[at(3 * c)];
    least = std::min(least, condition);
    most = std::max(most, condition);
    mu_most = std::max(mu_most, m.mu[at(c)]);
    frictionless = frictionless || m.mu[at(c)] == 0;
  }
  EXPECT_LT(least, 2);
  EXPECT_GT(most, 9e11);
  EXPECT_LE(most, 1.1e12);
  EXPECT_GT(mu_most, 900);
  EXPECT_TRUE(frictionless);
}

// With a seed divisible by 3 nothing moves, and there is no restitution.
TEST(FrictionFamilies, SeedChoosesTheMotion) {
  const auto moves = [](const reals &b) {
    return std::any_of(b.begin(), b.end(), [](double x) { return x != 0; });
  };
  EXPECT_FALSE(moves(ff::make("stacks", 40, 3).b));
  EXPECT_FALSE(moves(ff::make("stacks", 40, 4).b));
  EXPECT_TRUE(moves(ff::make("stacks", 40, 5).b));
}

TEST(FrictionFamilies, CollectionHasAHundredNamesAndEveryFamily) {
  std::set<std::string> names, families;
  for (const ff::member &one : ff::collection()) {
    names.insert(one.file());
    families.insert(one.family);
    EXPECT_FALSE(one.global && one.rolling());
  }
  EXPECT_EQ(names.size(), ff::collection().size());
  EXPECT_GE(names.size(), 95u);
  EXPECT_LE(names.size(), 120u);
  EXPECT_EQ(families.size(), ff::families().size());
}

TEST(FrictionFamilies, RefusesWhatIsNoFamily) {
  EXPECT_THROW((void)ff::make("none", 3, 0), std::invalid_argument);
  EXPECT_THROW((void)ff::make("wall", 0, 0), std::invalid_argument);
  EXPECT_THROW((void)ff::make("wall", -1, 0), std::invalid_argument);
}

// Reactions by auto; empty where it does not say that it solved.
reals solved_locally(const perp::io::any_problem &p, double tol) {
  const perp::problem held = perp::io::view(p);
  const perp_problem view = held.get();
  const perp_solver *solver = perp_solver_auto();
  const perp_solver_options options = {sizeof options, 0, tol, nullptr, nullptr, 0};
  std::vector<std::byte> work(perp_solver_workspace(solver, &view, &options));
  reals r(at(view.n), 0), u(at(view.n), 999);
  const perp_status status = perp_solver_solve(solver, &view, &options, r.data(), u.data(), nullptr,
                                               work.data(), work.size(), nullptr);
  return status == PERP_OK ? r : reals();
}

reals solved_globally(const perp::io::global_friction &p, double tol) {
  const perp::global_problem held = perp::io::view_global(p);
  const perp_global_problem view = held.get();
  perp_global_options options = perp_global_options_default();
  options.tol = tol;
  options.solver = perp_solver_auto();
  options.sparse = perp_sparse_klu();
  std::vector<std::byte> scratch(perp_global_scratch(&view));
  std::vector<std::byte> work(
      perp_global_workspace(&view, &options, scratch.data(), scratch.size()));
  reals v(at(view.m), 999), r(at(view.n), 0), u(at(view.n), 999);
  const perp_status status = perp_global_solve(&view, &options, v.data(), r.data(), u.data(),
                                               nullptr, work.data(), work.size(), nullptr);
  return status == PERP_OK ? r : reals();
}

// The most contacts that are tried; PERP_FRICTION_MOST asks for more.
std::int32_t most_contacts() {
  const char *text = std::getenv("PERP_FRICTION_MOST");
  return text != nullptr ? std::atoi(text) : 60;
}

bool auto_solves(const ff::member &one, const ff::model &m, double tol) {
  if (!one.global) {
    const auto p = ff::local(m);
    const reals r = solved_locally(p, tol);
    return !r.empty() && perp::tool::judge(p).is_solution(r, tol);
  }
  const auto global = ff::global(m);
  const reals r = solved_globally(std::get<perp::io::global_friction>(global), tol);
  /* the judge does not eliminate so large a body; the two forms have different scales */
  if (one.family == "elastic")
    return !r.empty() && perp::tool::judge(ff::local(m)).is_solution(r, 100 * tol);
  return !r.empty() && perp::tool::judge(global).is_solution(r, tol);
}

TEST(FrictionFamilies, AutoSolvesTheCollection) {
  int tried = 0, precise = 0;
  for (const ff::member &one : ff::collection()) {
    if (one.contacts > most_contacts()) continue;
    const ff::model m = ff::make(one.family, one.contacts, one.seed);
    tried++;
    EXPECT_TRUE(auto_solves(one, m, 1e-6)) << one.name();
    if (auto_solves(one, m, 1e-8)) {
      precise++;
    } else {
      std::printf("not at 1e-8: %s\n", one.name().c_str());
    }
  }
  EXPECT_GE(precise, 0.99 * tried) << "of " << tried;
}

}  // namespace
