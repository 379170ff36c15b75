// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <perp/pivoting.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "problem_tools.hpp"

extern "C" {
#include "solver/box_path.h"
#include "solver/warm.h"
}

namespace {

using tools::at;
using tools::box_error;
using tools::dense;
using tools::from_rows;
using tools::kInf;
using tools::kNaN;
using tools::lcp_error;
using tools::same_bits;
using tools::stored;
using tools::uniform;
using tools::vec;
using modes = std::vector<unsigned char>;

struct answer {
  perp_status status = 999;
  vec z, w, ray;
  perp_info info = PERP_INFO_INIT;
};

// A problem in box form; by default all unknowns are complementary.
struct box {
  dense M;
  vec q, l, u;
  box(dense matrix, vec right) : M(std::move(matrix)), q(std::move(right)) {
    l.assign(q.size(), 0);
    u.assign(q.size(), kInf);
  }
  box(dense matrix, vec right, vec lower, vec upper)
      : M(std::move(matrix)), q(std::move(right)), l(std::move(lower)), u(std::move(upper)) {}
  std::int32_t n() const { return M.rows; }
  double error(const vec &z) const { return box_error(M, q, l, u, z); }
};

// The plain entry, in exactly the memory it asks for.
answer solve(const box &b, const perp_box_pivoting_options *o = nullptr) {
  const perp_mlcp problem = {b.n(), b.M.ld, b.M.data(), b.q.data(), b.l.data(), b.u.data()};
  answer a;
  a.z.assign(at(b.n()), 999);
  a.w.assign(at(b.n()), 999);
  a.ray.assign(at(b.n()), 999);
  a.info.ray = a.ray.data();
  a.info.ray_size = b.n();
  std::vector<unsigned char> work(perp_mlcp_workspace(perp_solver_box_pivoting(), b.n(), nullptr));
  a.status = perp_mlcp_solve(perp_solver_box_pivoting(), &problem, o, a.z.data(), a.w.data(),
                             work.data(), work.size(), &a.info);
  return a;
}

answer solve_lcp(const dense &M, const vec &q, const perp_box_pivoting_options *o = nullptr) {
  const std::int32_t n = M.rows;
  const perp_lcp problem = {n, M.ld, M.data(), q.data()};
  answer a;
  a.z.assign(at(n), 999);
  a.w.assign(at(n), 999);
  std::vector<unsigned char> work(perp_lcp_workspace(perp_solver_box_pivoting(), n, nullptr));
  a.status = perp_lcp_solve(perp_solver_box_pivoting(), &problem, o, a.z.data(), a.w.data(),
                            work.data(), work.size(), &a.info);
  return a;
}

// The descriptor, with warm data.
struct holder {
  perp_box law;
  const perp_law *laws[1] = {&law.law};
  std::int32_t offset[2];
  perp_problem p = PERP_PROBLEM_INIT;
  holder(const box &b, const perp_matrix &M) : offset{0, b.n()} {
    perp_box_init(&law, sizeof law);
    law.law.size = b.n();
    law.lower = b.l.data();
    law.upper = b.u.data();
    p = perp_problem_of(M, b.q.data(), b.n() > 0 ? 1 : 0, laws, offset);
  }
};

answer solve_warm(const box &b, perp_warm *warm, std::int32_t kind = PERP_DENSE,
                  const perp_box_pivoting_options *o = nullptr) {
  const stored M(b.M, kind);
  const holder h(b, M.view);
  answer a;
  a.z.assign(at(b.n()), 999);
  a.w.assign(at(b.n()), 999);
  std::vector<unsigned char> work(perp_solver_workspace(perp_solver_box_pivoting(), &h.p, o));
  a.status = perp_solver_solve(perp_solver_box_pivoting(), &h.p, o, a.z.data(), a.w.data(), warm,
                               work.data(), work.size(), &a.info);
  return a;
}

// ---- files ----

std::filesystem::path problems() {
  const char *env = std::getenv("PERP_DATA");
  const std::filesystem::path data =
      env != nullptr ? env : std::filesystem::path(PERP_SOURCE_DIR) / "../shared/data";
  return data / "problems";
}

vec read_numbers(std::istream &in, std::int32_t count) {
  vec v(at(count));
  for (double &x : v) {
    std::string token;
    in >> token;
    x = std::strtod(token.c_str(), nullptr);
  }
  return v;
}

dense read_matrix(std::istream &in) {  // storage 0
  std::int32_t storage = -1, rows = 0, cols = 0;
  in >> storage >> rows >> cols >> rows >> cols;
  EXPECT_EQ(storage, 0);
  dense M(rows, cols);
  const vec v = read_numbers(in, rows * cols);
  for (std::int32_t j = 0; j < cols; j++)
    for (std::int32_t i = 0; i < rows; i++) M(i, j) = v[at(i + rows * j)];
  return M;
}

box read_mlcp(const std::filesystem::path &file) {
  std::ifstream in(file);
  std::int32_t s1 = 0, s2 = 0, n = 0, m = 0;
  in >> s1 >> s2 >> n >> m;
  EXPECT_EQ(s1, 1);
  std::vector<std::int32_t> cut(1, 0), kind;
  std::int32_t next = 0;
  in >> next;
  while (next < n + m) {
    in >> next;
    cut.push_back(next);
  }
  kind.resize(cut.size() - 1);
  for (std::int32_t &k : kind) in >> k;
  box b(read_matrix(in), {});
  b.q = read_numbers(in, n + m);
  b.l.assign(at(n + m), 0);
  b.u.assign(at(n + m), kInf);
  for (std::size_t k = 0; k < kind.size(); k++)
    for (std::int32_t i = cut[k]; i < cut[k + 1] && kind[k] == 0; i++) b.l[at(i)] = -kInf;
  return b;
}

box read_relay(const std::filesystem::path &file) {
  std::ifstream in(file);
  std::int32_t n = 0;
  in >> n;
  box b(read_matrix(in), {});
  b.q = read_numbers(in, n);
  b.l = read_numbers(in, n);
  b.u = read_numbers(in, n);
  return b;
}

template <class Read>
int solve_files(const std::filesystem::path &folder, Read read) {
  int count = 0;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".dat") continue;
    count++;
    const box b = read(entry.path());
    for (const std::int32_t kind : {PERP_DENSE, PERP_BLOCKS}) {
      const answer a = solve_warm(b, nullptr, kind);
      EXPECT_EQ(a.status, PERP_OK) << entry.path();
      EXPECT_LE(b.error(a.z), 1e-12) << entry.path();
      EXPECT_LE(a.info.relative_residual, 1e-12) << entry.path();
    }
  }
  return count;
}

TEST(BoxPivoting, SolvesAllMixedProblemsOfTheCommunity) {
  const auto folder = problems() / "mlcp";
  if (!std::filesystem::is_directory(folder))
    GTEST_SKIP() << "no problems in " << folder << "; set PERP_DATA to the folder that has them";
  EXPECT_GT(solve_files(folder, read_mlcp), 0);
}

TEST(BoxPivoting, SolvesAllRelaysOfTheCommunity) {
  const auto folder = problems() / "relay";
  if (!std::filesystem::is_directory(folder))
    GTEST_SKIP() << "no problems in " << folder << "; set PERP_DATA to the folder that has them";
  EXPECT_GT(solve_files(folder, read_relay), 0);
}

// ---- pivots of Lemke's method, KNOWN by name ----

perp_box_pivoting_options many_pivots() {
  perp_box_pivoting_options o = perp_box_pivoting_options_default();
  o.max_iter = 1 << 20;
  return o;
}

dense murty(std::int32_t n, bool upper) {
  dense M(n, n);
  for (std::int32_t i = 0; i < n; i++)
    for (std::int32_t j = 0; j <= i; j++) (upper ? M(j, i) : M(i, j)) = i == j ? 1 : 2;
  return M;
}

dense fathi(std::int32_t n) {
  dense M(n, n);
  for (std::int32_t i = 1; i <= n; i++)
    for (std::int32_t j = 1; j <= n; j++)
      M(i - 1, j - 1) = i == j ? 4 * i - 3 : 4 * std::min(i, j) - 2;
  return M;
}

TEST(BoxPivoting, WithoutBoxesThePivotsAreThoseOfLemke) {
  const perp_box_pivoting_options many = many_pivots();
  for (std::int32_t n = 2; n <= 10; n++) {
    const std::int32_t all = 1 << n;
    const vec ones(at(n), -1);
    answer a = solve_lcp(murty(n, false), ones, &many);
    EXPECT_EQ(a.status, PERP_OK);
    EXPECT_EQ(a.info.iterations, all) << "lower triangle, n = " << n;
    EXPECT_EQ(a.z[0], 1);
    a = solve_lcp(murty(n, true), ones, &many);
    EXPECT_EQ(a.info.iterations, 2);
    EXPECT_EQ(a.z[at(n - 1)], 1);
    vec graded(at(n)), powers(at(n));
    for (std::int32_t j = 0; j < n; j++) graded[at(j)] = -(2.0 * all - std::ldexp(1.0, j + 1));
    for (std::int32_t j = 0; j < n; j++) powers[at(j)] = std::ldexp(1.0, j + 1);
    a = solve_lcp(murty(n, true), graded, &many);
    EXPECT_EQ(a.info.iterations, all) << "graded, n = " << n;
    EXPECT_EQ(a.z[at(n - 1)], all);
    a = solve_lcp(fathi(n), ones, &many);
    EXPECT_EQ(a.info.iterations, all) << "Fathi, n = " << n;
    perp_box_pivoting_options covered = many;
    covered.covering = powers.data();
    a = solve_lcp(fathi(n), ones, &covered);
    EXPECT_EQ(a.info.iterations, 2);
    EXPECT_NEAR(a.z[0], 1, 1e-9);
  }
}

TEST(BoxPivoting, SmallProblemsWithKnownSolutions) {
  answer a = solve_lcp(from_rows(3, {0, -1, 3, 3, 0, 3, -1, 3, 1}), {-1, -1, -1});
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_EQ(a.info.iterations, 2);
  EXPECT_EQ(a.z, vec({0, 0, 1}));
  a = solve_lcp(from_rows(3, {0, -1, 2, 2, 0, -2, -1, 1, 0}), {-3, 6, -1});
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_EQ(a.info.iterations, 5);
  EXPECT_LE(std::fabs(a.z[1] - 1) + std::fabs(a.z[2] - 3), 1e-14);
  a = solve_lcp(from_rows(4, {0, 0, -1, -1, 0, 0, 1, -2, 1, -1, 2, -2, 1, 2, -2, 4}),
                {2, 2, -2, -6});
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_EQ(a.info.iterations, 4);
  EXPECT_NEAR(a.z[0], 2.8, 1e-14);
  EXPECT_NEAR(a.z[3], 1.2, 1e-14);
  a = solve_lcp(from_rows(3, {0, -1, -1, 1, 0, 0, -1, 0, 0}), {0, -1, 1});
  EXPECT_EQ(a.z, vec({1, 0, 0}));
  for (const vec &q : {vec({-1, -1}), vec({1, -1})}) {
    const dense M = from_rows(2, q[0] < 0 ? vec({1, 1, 1, 1}) : vec({1, -1, -1, 1}));
    a = solve_lcp(M, q);
    EXPECT_EQ(a.status, PERP_OK);
    EXPECT_EQ(lcp_error(M, q, a.z), 0);
  }
}

TEST(BoxPivoting, ABimatrixGameEndsOnASecondaryRay) {
  const dense M = from_rows(4, {0, 0, 10, 20, 0, 0, 30, 15, 10, 20, 0, 0, 30, 15, 0, 0});
  const answer a = solve({M, vec(4, -1)});
  EXPECT_EQ(a.status, PERP_RAY);
  EXPECT_EQ(a.info.iterations, 1);
  EXPECT_EQ(a.info.ray_kind, PERP_RAY_SECONDARY);
  double size = 0;
  for (const double x : a.ray) {
    EXPECT_GE(x, 0);
    size += x;
  }
  EXPECT_GT(size, 0);
}

TEST(BoxPivoting, TakesTheSameNumberOfPivotsAsLemkeOnRandomProblems) {
  uniform u(11);
  for (int k = 0; k < 400; k++) {
    const std::int32_t n = 1 + k % 12;
    dense M(n, n);
    vec q(at(n));
    for (std::int32_t i = 0; i < n; i++) {
      for (std::int32_t j = 0; j < n; j++) M(i, j) = u();
      M(i, i) += k % 2 == 0 ? 0 : 3;
      q[at(i)] = u();
    }
    const perp_lcp problem = {n, M.ld, M.data(), q.data()};
    vec z(at(n), 999), w(at(n), 999);
    perp_info info = PERP_INFO_INIT;
    std::vector<unsigned char> work(perp_lcp_lemke_workspace(n));
    const perp_status status =
        perp_lcp_lemke(&problem, nullptr, z.data(), w.data(), work.data(), work.size(), &info);
    const answer a = solve_lcp(M, q);
    if (status != PERP_OK) continue;
    EXPECT_EQ(a.status, PERP_OK);
    EXPECT_EQ(a.info.iterations, info.iterations);
    for (std::int32_t i = 0; i < n; i++) EXPECT_NEAR(a.z[at(i)], z[at(i)], 1e-9 * (1 + z[at(i)]));
  }
}

// ---- boxes ----

// The covering is 1 beside a row that is not: in its unit the path took all slopes for zero.
TEST(BoxPivoting, AScalarOfAnySizeIsSolved) {
  for (const double m : {1.25e-14, 1e-100, 1e-8, 1e8, 1.25e14, 1e100})
    for (const double q : {-1.45, -1e-30, -1e30}) {
      dense M(1, 1);
      M(0, 0) = m;
      const answer a = solve_lcp(M, {q});
      EXPECT_EQ(a.status, PERP_OK) << m << " " << q;
      EXPECT_NEAR(a.z[0] / (-q / m), 1, 1e-15);
    }
}

TEST(BoxPivoting, AScalarIsClampedToItsBox) {
  const double m = 2;
  for (const double q : {-10.0, -2.0, -1.0, 0.0, 1.0, 2.0, 10.0}) {
    for (const auto &[l, u] : {std::pair<double, double>{-1, 1},
                               {-kInf, 0.25},
                               {-0.5, kInf},
                               {-kInf, kInf},
                               {0.5, 0.5},
                               {3, 4},
                               {-4, -3}}) {
      const answer a = solve({from_rows(1, {m}), {q}, {l}, {u}});
      EXPECT_EQ(a.status, PERP_OK);
      const double free = -q / m, exact = free < l ? l : free > u ? u : free;
      EXPECT_EQ(a.z[0], exact) << q << " in [" << l << ", " << u << "]";
    }
  }
}

// A chance of one in five each for a free unknown, two bounds, upper only, a fixed one, lower only.
box random_box(uniform &u, std::int32_t n, double skew, double diagonal) {
  box b(dense(n, n), vec(at(n)));
  dense B(n, n);
  for (std::int32_t i = 0; i < n; i++)
    for (std::int32_t j = 0; j < n; j++) B(i, j) = u();
  for (std::int32_t i = 0; i < n; i++)
    for (std::int32_t j = 0; j < n; j++) {
      b.M(i, j) += skew * (B(i, j) - B(j, i)) + (i == j ? diagonal : 0);
      for (std::int32_t k = 0; k < n; k++) b.M(i, j) += diagonal * B(i, k) * B(j, k);
    }
  for (std::int32_t i = 0; i < n; i++) {
    b.q[at(i)] = 3 * u();
    const double c = u(), w = u() + 1;
    const int kind = static_cast<int>(2.5 * (u() + 1));
    b.l[at(i)] = kind == 0 || kind == 2 ? -kInf : c;
    b.u[at(i)] = kind == 0 || kind == 4 ? kInf : kind == 3 ? c : c + w;
  }
  return b;
}

TEST(BoxPivoting, RandomBoxesWithFreeAndFixedUnknownsAreSolvedInBothStorages) {
  uniform u(7);
  for (int k = 0; k < 600; k++) {
    const std::int32_t n = 1 + k % 15;
    const box b = random_box(u, n, k % 3, 1);
    const answer a = solve(b);
    ASSERT_EQ(a.status, PERP_OK) << k;
    EXPECT_LE(b.error(a.z), 1e-13) << k;
    const answer c = solve_warm(b, nullptr, PERP_BLOCKS);
    for (std::int32_t i = 0; i < n; i++) EXPECT_NEAR(c.z[at(i)], a.z[at(i)], 1e-12);
    EXPECT_EQ(c.info.iterations, a.info.iterations);
  }
}

TEST(BoxPivoting, AnEnteringUnknownMayCrossItsWholeBoxWithoutAPivot) {
  // λ enters at -1, reaches 1 before y would have become 0
  struct seen {
    int turns = 0;
  } seen;
  perp_box_pivoting_options o = perp_box_pivoting_options_default();
  o.user = &seen;
  o.observe = [](const perp_iterate *it, void *user) -> std::int32_t {
    static_cast<struct seen *>(user)->turns += it->entering == it->leaving;
    return 0;
  };
  const box b(from_rows(1, {1}), {-10}, {-1}, {1});
  const answer a = solve(b, &o);
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_EQ(a.z[0], 1);
  EXPECT_EQ(a.w[0], -9);
  EXPECT_EQ(seen.turns, 1);
  EXPECT_EQ(a.info.iterations, 3);  // t and y, across, y and t
}

TEST(BoxPivoting, TiesBetweenBothBoundsDoNotCycle) {
  uniform u(3);
  for (int k = 0; k < 500; k++) {  // small whole numbers
    const std::int32_t n = 2 + k % 7;
    box b(dense(n, n), vec(at(n)));
    for (std::int32_t i = 0; i < n; i++) {
      for (std::int32_t j = 0; j < i; j++) {
        b.M(i, j) = std::floor(3 * u());
        b.M(j, i) = -b.M(i, j);
      }
      b.M(i, i) = std::floor(u() + 1);
      b.q[at(i)] = std::floor(2 * u());
      b.l[at(i)] = -1;
      b.u[at(i)] = std::floor(u() + 1);
    }
    const answer a = solve(b);
    ASSERT_EQ(a.status, PERP_OK) << k;  // a bounded monotone problem has a solution
    EXPECT_LE(b.error(a.z), 1e-13);
  }
}

// ---- singular free blocks ----

TEST(BoxPivoting, AFreeUnknownWithoutADiagonalTakesABoundedOneAlong) {
  // y0 = z1 - 1 = 0, y1 = -z0 + z1 + 0.5 >= 0
  const box one(from_rows(2, {0, 1, -1, 1}), {-1, 0.5}, {-kInf, 0}, {kInf, kInf});
  answer a = solve(one);
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_EQ(a.z, vec({1.5, 1}));
  // z0 is seen by z2 only, row 0 sees z1 only, and z1 and z2 see each other
  const box two(from_rows(3, {0, 1, 0, 0, 1, 1, -1, -1, 1}), {-1, -3, 0.5}, {-kInf, 0, 0},
                {kInf, kInf, kInf});
  a = solve(two);
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_LE(two.error(a.z), 1e-15);
  // the bounded one has two bounds
  const box both(from_rows(2, {0, 1, -1, 1}), {-1, 0.5}, {-kInf, 0}, {kInf, 3});
  a = solve(both);
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_EQ(a.z, vec({1.5, 1}));
  // and would begin outside: z1 + z2 = 5 with both in [0, 3]
  const box outside(from_rows(3, {0, 1, 1, -1, 1, 0, -1, 0, 2}), {-5, 0.5, 1}, {-kInf, 0, 0},
                    {kInf, 3, 3});
  a = solve(outside);
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_LE(outside.error(a.z), 1e-15);
}

TEST(BoxPivoting, RedundantEquationsAreSolvedWhereTheyAgreeAndRefutedWhereNot) {
  // free potentials of a network without ground, and one diode
  const dense M = from_rows(4, {1, -1, 0, 1, -1, 2, -1, 0, 0, -1, 1, -1, -1, 0, 1, 0});
  const box agree(M, {1, 1, -2, 0.5}, {-kInf, -kInf, -kInf, 0}, vec(4, kInf));
  answer a = solve(agree);
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_LE(agree.error(a.z), 1e-10);
  const box disagree(M, {1, 1, -1, 0.5}, {-kInf, -kInf, -kInf, 0}, vec(4, kInf));
  a = solve(disagree);
  EXPECT_EQ(a.status, PERP_INFEASIBLE);
  EXPECT_EQ(a.info.ray_kind, PERP_RAY_CERTIFICATE);
}

TEST(BoxPivoting, RandomMonotoneProblemsWithSingularFreeBlocksAreSolved) {
  uniform u(23);
  for (int k = 0; k < 400; k++) {
    const std::int32_t n = 3 + k % 10, free = 1 + k % 4 % n;
    box b = random_box(u, n, 1, 0);  // skew: the free block is singular whenever its order is odd
    vec x(at(n)), y(at(n));
    for (std::int32_t i = 0; i < n; i++) {  // a solution, strictly complementary or not
      b.l[at(i)] = i < free ? -kInf : 0;
      b.u[at(i)] = i >= free && i % 3 == 0 ? 1 : kInf;
      const double v = u();
      x[at(i)] = i < free ? v : v > 0 ? v : 0;
      y[at(i)] = i < free || v > 0 ? 0 : -v;
    }
    const std::vector<long double> image = tools::affine(b.M, vec(at(n), 0), x);
    for (std::int32_t i = 0; i < n; i++) b.q[at(i)] = y[at(i)] - static_cast<double>(image[at(i)]);
    const answer a = solve(b);
    EXPECT_EQ(a.status, PERP_OK) << k;
    EXPECT_LE(b.error(a.z), 1e-10) << k;
  }
}

// ---- endings ----

TEST(BoxPivoting, AnUnsolvableProblemThatIsNotMonotoneIsNeverSolved) {
  const answer a = solve({from_rows(3, {0, -1, -1, 1, 0, 0, -1, 0, 0}), {-1e-4, -1, 1}});
  EXPECT_TRUE(a.status == PERP_RAY || a.status == PERP_INFEASIBLE);
  EXPECT_NE(a.info.ray_kind, PERP_RAY_NONE);
}

TEST(BoxPivoting, UnsolvableProblemsAreRefuted) {
  for (const box &b : {box(from_rows(1, {-1}), {-1}), box(from_rows(2, {1, -1, -1, 1}), {-1, -1}),
                       box(from_rows(1, {0}), {-1}), box(from_rows(1, {0}), {1}, {-kInf}, {kInf}),
                       box(from_rows(1, {0}), {1}, {-kInf}, {5})}) {
    const answer a = solve(b);
    EXPECT_EQ(a.status, PERP_INFEASIBLE);
    EXPECT_EQ(a.info.ray_kind, PERP_RAY_CERTIFICATE);
    double bound = 0;
    const stored M(b.M, PERP_DENSE);
    const holder h(b, M.view);
    vec work(100);
    EXPECT_EQ(perp_problem_certificate(&h.p, a.ray.data(), &bound, work.data(), 800), PERP_OK);
  }
}

TEST(BoxPivoting, TheLimitIsKeptExactly) {
  const vec q(8, -1);
  for (const std::int32_t limit : {1, 2, 77, 255}) {
    perp_box_pivoting_options o = perp_box_pivoting_options_default();
    o.max_iter = limit;
    const answer a = solve_lcp(murty(8, false), q, &o);
    EXPECT_EQ(a.status, PERP_MAX_ITER);
    EXPECT_EQ(a.info.iterations, limit);
    for (const double z : a.z) EXPECT_TRUE(std::isfinite(z));
  }
  perp_box_pivoting_options o = perp_box_pivoting_options_default();
  o.max_iter = 256;
  EXPECT_EQ(solve_lcp(murty(8, false), q, &o).status, PERP_OK);
}

TEST(BoxPivoting, TheObserverSeesEveryPivotAndMayStop) {
  struct log {
    std::vector<perp_iterate> seen;
    std::size_t most;
  } log = {{}, 100};
  perp_box_pivoting_options o = perp_box_pivoting_options_default();
  o.user = &log;
  o.observe = [](const perp_iterate *it, void *user) -> std::int32_t {
    struct log *l = static_cast<struct log *>(user);
    l->seen.push_back(*it);
    return l->seen.size() >= l->most;
  };
  const dense M = from_rows(2, {2, 1, 1, 2});
  EXPECT_EQ(solve_lcp(M, {-5, -6}, &o).status, PERP_OK);
  ASSERT_EQ(log.seen.size(), 3u);
  const std::int32_t names[3][2] = {{4, 1}, {3, 0}, {2, 4}};
  const double merit[3] = {6, 4, 0};
  for (int k = 0; k < 3; k++) {
    EXPECT_EQ(log.seen[at(k)].iteration, k);
    EXPECT_EQ(log.seen[at(k)].entering, names[k][0]);
    EXPECT_EQ(log.seen[at(k)].leaving, names[k][1]);
    EXPECT_EQ(log.seen[at(k)].merit, merit[k]);
  }
  log = {{}, 2};
  EXPECT_EQ(solve_lcp(M, {-5, -6}, &o).status, PERP_STOPPED);
  EXPECT_EQ(log.seen.size(), 2u);
}

TEST(BoxPivoting, NotANumberEndsAsSuch) {
  const box good(from_rows(3, {2, 1, 0, -1, 0, 1, 0, -1, 2}), {-1, 2, -1}, {0, -kInf, -1},
                 {kInf, kInf, 1});
  EXPECT_EQ(solve(good).status, PERP_OK);
  for (const double bad : {kNaN, kInf, -kInf})
    for (int k = 0; k < 12; k++) {
      box b = good;
      (k < 9 ? b.M.a[at(k)] : b.q[at(k - 9)]) = bad;
      for (const std::int32_t kind : {PERP_DENSE, PERP_BLOCKS}) {
        const answer a = solve_warm(b, nullptr, kind);
        EXPECT_EQ(a.status, PERP_ENOTFINITE) << k;
        EXPECT_STREQ(a.info.field, k < 9 ? "M" : "q");
      }
    }
}

TEST(BoxPivoting, ExtremeNumbersEndSomehow) {
  uniform u(5);
  for (int k = 0; k < 2000; k++) {
    const std::int32_t n = 1 + k % 5;
    box b = random_box(u, n, 1, k % 2);
    for (double &x : b.M.a) x *= std::pow(10.0, std::floor(300 * u()));
    for (double &x : b.q) x *= std::pow(10.0, std::floor(300 * u()));
    const answer a = solve(b);
    EXPECT_GE(a.status, 0);
    if (a.status == PERP_OK) {
      EXPECT_LE(a.info.relative_residual, 1e-10);
    }
  }
}

// ---- warm start ----

struct warm_block {
  vec bytes;
  perp_warm warm;
  explicit warm_block(std::int32_t n) : bytes(at(n) + 8, 0.0) {
    warm = {bytes.data(), bytes.size() * 8, 0, 0};
  }
  modes known(std::int32_t n) const {
    modes m(at(n), 77);
    EXPECT_EQ(perp_warm_get_modes(&warm, n, m.data()), PERP_OK);
    return m;
  }
};

TEST(BoxPivoting, ARightBasisTakesNoPivot) {
  uniform u(31);
  for (int k = 0; k < 200; k++) {
    const std::int32_t n = 1 + k % 12;
    box b = random_box(u, n, 1, 1);
    warm_block w(n);
    const answer cold = solve_warm(b, &w.warm);
    ASSERT_EQ(cold.status, PERP_OK);
    const modes m = w.known(n);
    for (std::int32_t i = 0; i < n; i++) {
      if (m[at(i)] == PERP_MODE_LOWER) {
        EXPECT_EQ(cold.z[at(i)], b.l[at(i)]);
      }
      if (m[at(i)] == PERP_MODE_UPPER) {
        EXPECT_EQ(cold.z[at(i)], b.u[at(i)]);
      }
      EXPECT_NE(m[at(i)], PERP_MODE_UNKNOWN);
    }
    for (double &q : b.q) q += 1e-9 * u();
    const answer warm = solve_warm(b, &w.warm);
    EXPECT_EQ(warm.status, PERP_OK);
    EXPECT_EQ(warm.info.iterations, 0) << k;
    EXPECT_LE(b.error(warm.z), 1e-13);
  }
}

TEST(BoxPivoting, WrongModesCostPivotsButNotTheSolution) {
  uniform u(37);
  for (int k = 0; k < 500; k++) {
    const std::int32_t n = 1 + k % 9;
    const box b = random_box(u, n, 1, 1);
    warm_block w(n);
    modes m(at(n));
    for (unsigned char &x : m) x = static_cast<unsigned char>(2 * (u() + 1));
    ASSERT_EQ(perp_warm_set_modes(&w.warm, n, m.data()), PERP_OK);
    if (k % 5 == 0)
      std::memset(reinterpret_cast<unsigned char *>(w.bytes.data()) + 8, 200 + k % 7, at(n));
    const answer a = solve_warm(b, &w.warm);
    EXPECT_EQ(a.status, PERP_OK) << k;
    EXPECT_LE(b.error(a.z), 1e-13) << k;
  }
}

TEST(BoxPivoting, ModesOfASingularBasisAreOnlyAHint) {
  const box cross(from_rows(2, {0, 1, 0, 0}), {-1, -1}, {0, 0}, {2, 2});
  for (const modes &m :
       {modes({PERP_MODE_FREE, PERP_MODE_FREE}), modes({PERP_MODE_UPPER, PERP_MODE_FREE})}) {
    warm_block w(2);
    ASSERT_EQ(perp_warm_set_modes(&w.warm, 2, m.data()), PERP_OK);
    const answer a = solve_warm(cross, &w.warm);
    EXPECT_EQ(a.status, PERP_OK);
    EXPECT_EQ(a.z, vec({0, 2}));
  }
  uniform u(47);
  for (int k = 0; k < 2000; k++) {  // whole numbers, skew, with many zeros
    const std::int32_t n = 2 + k % 6;
    box b(dense(n, n), vec(at(n)));
    modes m(at(n));
    for (std::int32_t i = 0; i < n; i++) {
      for (std::int32_t j = 0; j < i; j++) {
        b.M(i, j) = std::floor(0.6 * u() + 0.5);
        b.M(j, i) = -b.M(i, j);
      }
      b.q[at(i)] = std::floor(2 * u());
      b.l[at(i)] = -1;
      b.u[at(i)] = 1;
      m[at(i)] = static_cast<unsigned char>(2 * (u() + 1));
    }
    warm_block w(n);
    ASSERT_EQ(perp_warm_set_modes(&w.warm, n, m.data()), PERP_OK);
    const answer a = solve_warm(b, &w.warm);
    ASSERT_EQ(a.status, PERP_OK) << k;
    EXPECT_LE(b.error(a.z), 1e-14);
  }
}

TEST(BoxPivoting, AGameIsSolvedFromAnotherBasis) {
  const box b(from_rows(4, {0, 0, 10, 20, 0, 0, 30, 15, 10, 20, 0, 0, 30, 15, 0, 0}), vec(4, -1));
  warm_block w(4);
  const modes m = {PERP_MODE_FREE, PERP_MODE_LOWER, PERP_MODE_FREE, PERP_MODE_LOWER};
  ASSERT_EQ(perp_warm_set_modes(&w.warm, 4, m.data()), PERP_OK);
  const answer a = solve_warm(b, &w.warm);
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_LE(b.error(a.z), 1e-14);
}

// ---- arguments and memory ----

TEST(BoxPivoting, OptionsOutOfRangeAreNamed) {
  const dense M = from_rows(2, {2, 1, 1, 2});
  const auto refused = [&](perp_box_pivoting_options o, perp_status status, const char *field) {
    const answer a = solve_lcp(M, {-5, -6}, &o);
    EXPECT_EQ(a.status, status);
    EXPECT_STREQ(a.info.field, field);
    EXPECT_EQ(a.z[0], 999);
  };
  perp_box_pivoting_options o = perp_box_pivoting_options_default();
  EXPECT_EQ(o.tol, PERP_DEFAULT_TOL);
  EXPECT_EQ(o.max_iter, 0);
  o.max_iter = -1;
  refused(o, PERP_EINVAL, "max_iter");
  for (const double bad : {-1.0, kNaN}) {
    o = perp_box_pivoting_options_default();
    o.tol = bad;
    refused(o, PERP_EINVAL, "tol");
  }
  for (const double bad : {0.0, -1.0, kNaN, kInf}) {
    o = perp_box_pivoting_options_default();
    o.proximal = bad;
    refused(o, PERP_EINVAL, "proximal");
  }
  o = perp_box_pivoting_options_default();
  o.struct_size = 8;
  refused(o, PERP_EINVAL, "struct_size");
  for (const double bad : {0.0, -1.0, kNaN, kInf}) {
    const double d[2] = {1, bad};
    o = perp_box_pivoting_options_default();
    o.covering = d;
    const answer a = solve_lcp(M, {-5, -6}, &o);
    EXPECT_EQ(a.status, bad == 0 || bad == -1 ? PERP_EINVAL : PERP_ENOTFINITE);
    EXPECT_STREQ(a.info.field, "covering");
    EXPECT_EQ(a.info.index, 1);
  }
  perp_box_pivoting_options_init(nullptr, 48);
}

TEST(BoxPivoting, NothingIsSolvedByNothing) {
  const answer a = solve(box(dense(0, 0), {}));
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_EQ(perp_lcp_workspace(perp_solver_box_pivoting(), -1, nullptr), 0u);
  EXPECT_EQ(perp_mlcp_workspace(perp_solver_box_pivoting(), -1, nullptr), 0u);
  EXPECT_GT(perp_mlcp_workspace(perp_solver_box_pivoting(), 0, nullptr), 0u);
  EXPECT_EQ(perp_mlcp_workspace(perp_solver_box_pivoting(), 0x7fffffff, nullptr), 0u);
  EXPECT_EQ(perp_mlcp_solve(perp_solver_box_pivoting(), nullptr, nullptr, nullptr, nullptr, nullptr,
                            0, nullptr),
            PERP_EINVAL);
  EXPECT_EQ(perp_lcp_solve(perp_solver_box_pivoting(), nullptr, nullptr, nullptr, nullptr, nullptr,
                           0, nullptr),
            PERP_EINVAL);
}

TEST(BoxPivoting, WorksInExactlyTheMemoryItAsksForAtEveryAlignment) {
  uniform u(41);
  const box b = random_box(u, 9, 1, 1);
  const perp_mlcp problem = {9, b.M.ld, b.M.data(), b.q.data(), b.l.data(), b.u.data()};
  const std::size_t need = perp_mlcp_workspace(perp_solver_box_pivoting(), 9, nullptr);
  vec first(9, 999);
  for (std::size_t shift = 0; shift < 16; shift++) {
    std::vector<unsigned char> work(need + 64, 0xA5);
    vec z(9, 999), w(9, 999);
    EXPECT_EQ(perp_mlcp_solve(perp_solver_box_pivoting(), &problem, nullptr, z.data(), w.data(),
                              work.data() + 16 + shift, need, nullptr),
              PERP_OK);
    for (std::size_t i = 0; i < work.size(); i++) {
      if (i < 16 + shift || i >= 16 + shift + need) {
        ASSERT_EQ(work[i], 0xA5) << i;
      }
    }
    if (shift == 0) first = z;
    for (std::size_t i = 0; i < 9; i++) EXPECT_TRUE(same_bits(z[i], first[i]));
    EXPECT_EQ(perp_mlcp_solve(perp_solver_box_pivoting(), &problem, nullptr, z.data(), w.data(),
                              work.data() + shift, need - 1, nullptr),
              PERP_EWORKSPACE);
  }
}

// ---- the path itself, from a point ----

// A path with memory of its own, and a point x of the normal map: its projection z, and y = z - x.
struct walk {
  const box &b;
  stored M;
  box_data data;
  box_path path;
  std::vector<unsigned char> bytes;
  vec z, y, from;
  modes m;

  walk(const box &problem, const vec &x)
      : b(problem), M(problem.M, PERP_DENSE), z(x), y(x), from(x), m(x.size()) {
    data = {&M.view, b.q.data(), b.l.data(), b.u.data(), nullptr, 0};
    arena a = arena_measure();
    perp_box_path_carve(&path, &a, b.n());
    bytes.resize(arena_bytes(&a));
    a = arena_open(bytes.data(), bytes.size());
    perp_box_path_carve(&path, &a, b.n());
    path.limit = 10000;
    for (std::size_t i = 0; i < x.size(); i++) {
      z[i] = x[i] < b.l[i] ? b.l[i] : x[i] > b.u[i] ? b.u[i] : x[i];
      y[i] = z[i] - x[i];
      m[i] = x[i] <= b.l[i] ? PERP_MODE_LOWER : x[i] >= b.u[i] ? PERP_MODE_UPPER : PERP_MODE_FREE;
    }
    const std::vector<long double> F = tools::affine(b.M, b.q, z);
    for (std::size_t i = 0; i < x.size(); i++) from[i] = static_cast<double>(F[i] - y[i]);
  }
  int follow(double t) {
    path.pivots = 0;
    EXPECT_EQ(perp_box_path_open(&path, &data, m.data(), nullptr, from.data()), 1);
    if (path.missing > 0) return -1;
    path.stop = t;
    return perp_box_path_follow(&path);
  }
};

vec random_point(uniform &u, std::int32_t n) {
  vec x(at(n));
  for (double &v : x) v = 3 * u();
  return x;
}

TEST(BoxPath, FromAPointTheResidualShrinksInProportionToT) {
  uniform u(43);
  for (int k = 0; k < 300; k++) {
    const std::int32_t n = 1 + k % 10;
    const box b = random_box(u, n, 1, 1);
    walk w(b, random_point(u, n));
    for (const double stop : {0.75, 0.25, 0.0}) {
      ASSERT_EQ(w.follow(stop), BOX_SOLVED);
      vec z(at(n), 999), q = b.q;
      EXPECT_NEAR(perp_box_path_point(&w.path, z.data()), stop, 1e-12);
      for (std::int32_t i = 0; i < n; i++) q[at(i)] -= stop * w.from[at(i)];
      EXPECT_LE(box_error(b.M, q, b.l, b.u, z), 1e-11) << k << " " << stop;
    }
  }
}

TEST(BoxPath, APathThatComesBackToItsStartEnds) {
  uniform u(44);
  int rays = 0, solved = 0;
  for (int k = 0; k < 3000; k++) {
    const std::int32_t n = 2 + k % 5;
    box b = random_box(u, n, 1, 0);
    for (double &x : b.M.a) x += u();
    walk w(b, random_point(u, n));
    const int end = w.follow(0);
    EXPECT_NE(end, BOX_LIMIT) << k;
    rays += end == BOX_RAY;
    solved += end == BOX_SOLVED;
  }
  EXPECT_GT(rays, 100);
  EXPECT_GT(solved, 100);
}

TEST(BoxPath, TheProximalTermIsWeighedByTheEquilibration) {
  uniform u(45);
  for (int k = 0; k < 200; k++) {
    const std::int32_t n = 1 + k % 8;
    box b = random_box(u, n, 1, k % 2);
    for (double &x : b.M.a) x *= 64;
    walk w(b, random_point(u, n));
    const vec center = random_point(u, n);
    w.data.center = center.data();
    w.data.shift = 0.25;
    ASSERT_EQ(perp_box_path_open(&w.path, &w.data, nullptr, nullptr, nullptr), 1);
    ASSERT_EQ(perp_box_path_follow(&w.path), BOX_SOLVED);
    vec z(at(n), 999), y(at(n));
    perp_box_path_point(&w.path, z.data());
    modes m(at(n));
    perp_box_path_modes(&w.path, m.data());
    EXPECT_EQ(perp_box_basis_refine(&w.path, m.data(), z.data(), y.data()), 1);
    dense M = b.M;
    vec q = b.q;
    for (std::int32_t i = 0; i < n; i++) {
      const double p = 0.25 * w.path.f.R[at(i)] / w.path.f.C[at(i)];
      M(i, i) += p;
      q[at(i)] -= p * center[at(i)];
    }
    EXPECT_LE(box_error(M, q, b.l, b.u, z), 1e-14) << k;
    EXPECT_EQ(perp_box_basis_point(&w.path, &w.data, m.data(), z.data(), y.data()), 1);
    EXPECT_LE(box_error(M, q, b.l, b.u, z), 1e-14) << k;
  }
}

}  // namespace
