// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <perp/pivoting.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>

#include "dense_tools.hpp"
#include "watch.hpp"

namespace {

using tools::dense;
using tools::kEps;
using tools::kInf;
using tools::kNaN;
using tools::same_bits;
using tools::seen;
using tools::stop_at;
using tools::uniform;
using vec = std::vector<double>;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// A problem of interval laws, one law per unknown.
struct problem {
  dense A{0, 0};
  vec q, lower, upper;
  std::vector<perp_box> boxes;
  perp_equality equality{};
  perp_complementarity contact{};
  std::vector<const perp_law *> laws;
  std::vector<double> values;
  std::vector<std::int32_t> start, index;
  perp_problem p = PERP_PROBLEM_INIT;

  problem(dense M, vec rhs, vec l = {}, vec u = {}) : A(std::move(M)), q(std::move(rhs)) {
    const std::size_t n = q.size();
    lower = l.empty() ? vec(n, 0.0) : std::move(l);
    upper = u.empty() ? vec(n, kInf) : std::move(u);
    perp_equality_init(&equality, sizeof equality);
    perp_complementarity_init(&contact, sizeof contact);
    boxes.resize(n);
    for (std::size_t i = 0; i < n; i++) {
      perp_box_init(&boxes[i], sizeof boxes[i]);
      boxes[i].lower = &lower[i];
      boxes[i].upper = &upper[i];
      if (lower[i] == -kInf && upper[i] == kInf)
        laws.push_back(&equality.law);
      else if (lower[i] == 0 && upper[i] == kInf)
        laws.push_back(&contact.law);
      else
        laws.push_back(&boxes[i].law);
    }
    p.n = p.n_blocks = static_cast<std::int32_t>(n);
    p.q = q.data();
    p.laws = laws.data();
    p.M = perp_dense(A.rows, A.cols, A.data());
    p.M.ld = A.ld;
  }
  problem(const problem &) = delete;
  problem &operator=(const problem &) = delete;

  std::int32_t n() const { return p.n; }
  void use_compressed_rows() {
    start = {0};
    index.clear();
    values.clear();
    for (std::int32_t i = 0; i < n(); i++) {
      for (std::int32_t j = n() - 1; j >= 0; j--)
        if (A(i, j) != 0) {
          index.push_back(j);
          values.push_back(A(i, j));
        }
      start.push_back(static_cast<std::int32_t>(index.size()));
    }
    p.M = perp_compressed_rows(n(), start.data(), index.data(), values.data());
  }
};

perp_active_set_options watched() { return tools::watch(perp_active_set_options_default()); }

struct answer {
  perp_status status = 999;
  vec lambda, y;
  perp_info info = PERP_INFO_INIT;
};

answer solve(const perp_problem &p, const perp_active_set_options *o = nullptr,
             perp_warm *warm = nullptr) {
  answer a;
  a.lambda.assign(at(p.n), 999.0);
  a.y.assign(at(p.n), 999.0);
  const perp_solver *s = perp_solver_active_set();
  std::vector<unsigned char> work(perp_solver_workspace(s, &p, o), 0xA5);
  EXPECT_FALSE(work.empty());
  a.status = perp_solver_solve(s, &p, o, a.lambda.data(), a.y.data(), warm, work.data(),
                               work.size(), &a.info);
  return a;
}

// The definition, in long double: how far (M λ + q, λ) is from the law, as a backward error.
double backward_error(const problem &t, const vec &lambda) {
  long double worst = 0, scale = 0;
  for (std::int32_t i = 0; i < t.n(); i++) {
    long double y = t.q[at(i)], s = std::fabs(y), c = 0;
    for (std::int32_t j = 0; j < t.n(); j++) {
      const long double term = static_cast<long double>(t.A(i, j)) * lambda[at(j)];
      y += term;
      s += std::fabs(term);
      c += static_cast<long double>(t.A(j, i)) * t.A(j, i);
    }
    c = c > 0 ? std::sqrt(c) : 1;
    const long double v = lambda[at(i)],
                      back = std::min<long double>(std::max<long double>(v - y / c, t.lower[at(i)]),
                                                   t.upper[at(i)]);
    worst = std::max(worst, std::fabs(v - back) * c);
    scale = std::max(scale, s);
  }
  if (worst == 0) return 0;
  return static_cast<double>(worst / scale);
}

// Solution of M_FF x = b by elimination with pivoting in long double; false if singular.
bool eliminate(std::vector<std::vector<long double>> a, std::vector<long double> *x) {
  const std::size_t n = a.size();
  for (std::size_t k = 0; k < n; k++) {
    std::size_t p = k;
    for (std::size_t i = k; i < n; i++)
      if (std::fabs(a[i][k]) > std::fabs(a[p][k])) p = i;
    if (a[p][k] == 0) return false;
    std::swap(a[k], a[p]);
    for (std::size_t i = k + 1; i < n; i++) {
      const long double f = a[i][k] / a[k][k];
      for (std::size_t j = k; j <= n; j++) a[i][j] -= f * a[k][j];
    }
  }
  x->assign(n, 0);
  for (std::size_t k = n; k-- > 0;) {
    long double s = a[k][n];
    for (std::size_t j = k + 1; j < n; j++) s -= a[k][j] * (*x)[j];
    (*x)[k] = s / a[k][k];
  }
  return true;
}

// λ for given modes ('l', 'f', 'u'), and whether it solves the problem.
bool basis_solves(const problem &t, const std::string &modes, vec *lambda) {
  std::vector<std::int32_t> F;
  lambda->assign(at(t.n()), 0.0);
  for (std::int32_t i = 0; i < t.n(); i++) {
    if (modes[at(i)] == 'f') F.push_back(i);
    if (modes[at(i)] == 'l') (*lambda)[at(i)] = t.lower[at(i)];
    if (modes[at(i)] == 'u') (*lambda)[at(i)] = t.upper[at(i)];
  }
  std::vector<std::vector<long double>> a;
  for (std::int32_t i : F) {
    a.emplace_back();
    for (std::int32_t j : F) a.back().push_back(t.A(i, j));
    long double b = -static_cast<long double>(t.q[at(i)]);
    for (std::int32_t j = 0; j < t.n(); j++) b -= (long double)t.A(i, j) * (*lambda)[at(j)];
    a.back().push_back(b);
  }
  std::vector<long double> x;
  if (!eliminate(a, &x)) return false;
  for (std::size_t k = 0; k < F.size(); k++) (*lambda)[at(F[k])] = static_cast<double>(x[k]);
  for (std::size_t k = 0; k < F.size(); k++)
    if (x[k] < t.lower[at(F[k])] - 1e-12L || x[k] > t.upper[at(F[k])] + 1e-12L) return false;
  for (std::int32_t i = 0; i < t.n(); i++) {
    long double y = t.q[at(i)];
    for (std::int32_t j = 0; j < t.n(); j++) y += (long double)t.A(i, j) * (*lambda)[at(j)];
    if (t.lower[at(i)] == t.upper[at(i)]) continue;
    if ((modes[at(i)] == 'l' && y < -1e-12L) || (modes[at(i)] == 'u' && y > 1e-12L)) return false;
  }
  return true;
}

// Every split of the unknowns into modes until one solves.
bool by_enumeration(const problem &t, vec *lambda) {
  std::vector<std::string> choices;
  for (std::size_t i = 0; i < t.q.size(); i++) {
    std::string c;
    if (t.lower[i] < t.upper[i]) c += 'f';
    if (t.lower[i] > -kInf) c += 'l';
    if (t.upper[i] < kInf && t.lower[i] < t.upper[i]) c += 'u';
    choices.push_back(c);
  }
  std::vector<std::size_t> digit(t.q.size(), 0);
  for (;;) {
    std::string modes;
    for (std::size_t i = 0; i < digit.size(); i++) modes += choices[i][digit[i]];
    if (basis_solves(t, modes, lambda)) return true;
    std::size_t i = 0;
    while (i < digit.size() && ++digit[i] == choices[i].size()) digit[i++] = 0;
    if (i == digit.size()) return false;
  }
}

// G Gᵀ + small I of n x n with G n x rank.
dense gram(uniform &u, std::int32_t n, std::int32_t rank, double small) {
  const dense G = u.matrix(n, rank);
  dense A(n, n);
  for (std::int32_t i = 0; i < n; i++)
    for (std::int32_t j = 0; j < n; j++) {
      for (std::int32_t k = 0; k < rank; k++) A(i, j) += G(i, k) * G(j, k);
      if (i == j) A(i, j) += small;
    }
  return A;
}

void random_bounds(uniform &u, std::int32_t n, bool boxes, vec *lower, vec *upper) {
  for (std::int32_t i = 0; i < n; i++) {
    const double kind = u(), a = u(), b = u();
    double l = 0, h = kInf;
    if (kind < -0.7) l = -kInf;
    if (boxes && kind > -0.1) l = std::min(a, b), h = std::max(a, b);
    if (boxes && kind > 0.6) l = -kInf;
    if (boxes && kind > 0.8) l = a, h = kInf;
    if (boxes && kind > 0.95) h = l;
    lower->push_back(l);
    upper->push_back(h);
  }
}

// A tridiagonal matrix as compressed rows with the problem on it, O(n) memory: N beads on the
// ground in contact with their neighbours, masses 1, W = tridiag(-1, 2, -1) with W_11 = 1.
struct column {
  std::vector<std::int32_t> start{0}, index, offset;
  vec values, q;
  perp_complementarity law{};
  const perp_law *laws[1] = {&law.law};
  perp_problem p = PERP_PROBLEM_INIT;

  explicit column(std::int32_t n, bool ground_last = false) : q(at(n), 0.0) {
    perp_complementarity_init(&law, sizeof law);
    const std::int32_t ground = ground_last ? n - 1 : 0;
    for (std::int32_t i = 0; i < n; i++) {
      for (std::int32_t j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); j++) {
        index.push_back(j);
        values.push_back(i != j ? -1 : (i == ground ? 1 : 2));
      }
      start.push_back(static_cast<std::int32_t>(index.size()));
    }
    q[at(ground)] = -1;  // the ground's bead falls; all others fall alike
    offset = {0, n};
    p.n = n;
    p.n_blocks = 1;
    p.laws = laws;
    p.offset = offset.data();
    p.q = q.data();
    p.M = perp_compressed_rows(n, start.data(), index.data(), values.data());
  }
  column(const column &) = delete;
  column &operator=(const column &) = delete;
};

struct warm_block {
  vec bytes;
  perp_warm warm{};
  warm_block(std::size_t n, std::uint32_t stamp, unsigned char fill = 0) : bytes(n / 8 + 1) {
    std::memset(bytes.data(), fill, bytes.size() * sizeof(double));
    warm.data = bytes.data();
    warm.bytes = n;
    warm.stamp = stamp;
  }
  warm_block(const warm_block &) = delete;
  warm_block &operator=(const warm_block &) = delete;
};

// --- known problems

TEST(ActiveSet, SolvesFathisMatrices) {
  for (std::int32_t n = 1; n <= 12; n++) {
    dense F(n, n);
    for (std::int32_t i = 1; i <= n; i++)
      for (std::int32_t j = 1; j <= n; j++)
        F(i - 1, j - 1) = i == j ? 4 * i - 3 : 4 * std::min(i, j) - 2;
    const problem t(F, vec(at(n), -1.0));
    const answer a = solve(t.p);
    ASSERT_EQ(a.status, PERP_OK) << n;
    for (std::int32_t i = 0; i < n; i++) EXPECT_NEAR(a.lambda[at(i)], i == 0, 1e-12);
    EXPECT_LE(a.info.iterations, 40) << "Lemke's method takes 2^n pivots here";
  }
}

TEST(ActiveSet, SolvesTheSmallProblemsOfTheLiterature) {
  dense D(2, 2), S(2, 2), P(2, 2);
  D(0, 0) = D(1, 1) = 2, D(0, 1) = D(1, 0) = 1;
  S(0, 0) = S(1, 1) = S(0, 1) = S(1, 0) = 1;
  P(0, 0) = P(1, 1) = 1, P(0, 1) = P(1, 0) = -1;
  const problem deudeu(D, {-5, -6});
  answer a = solve(deudeu.p);
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_NEAR(a.lambda[0], 4.0 / 3, 1e-15);
  EXPECT_NEAR(a.lambda[1], 7.0 / 3, 1e-15);
  const problem singular(S, {-1, -1});
  a = solve(singular.p);
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_NEAR(a.lambda[0] + a.lambda[1], 1, 1e-14);
  const problem feasible(P, {1, -1});
  a = solve(feasible.p);
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_NEAR(a.lambda[1] - a.lambda[0], 1, 1e-14);
  EXPECT_GE(a.lambda[0], 0);
  const problem infeasible(P, {-1, -1});
  EXPECT_EQ(solve(infeasible.p).status, PERP_INFEASIBLE);
}

TEST(ActiveSet, IndefiniteMatricesAreNeverCalledSolvedWrongly) {
  dense N(1, 1), X(2, 2), C(2, 2);
  N(0, 0) = -1;
  X(0, 1) = X(1, 0) = -1;
  C(0, 0) = C(1, 1) = 1, C(0, 1) = C(1, 0) = 2;
  for (double s : {-1.0, 1.0}) {
    for (const dense *M : {&X, &C}) {
      const problem t(*M, {s, s});
      const answer a = solve(t.p);
      EXPECT_GE(a.status, 0);
      EXPECT_TRUE(a.status != PERP_OK || backward_error(t, a.lambda) < 1e-10);
      EXPECT_FALSE(std::isnan(a.lambda[0]) || a.lambda[0] == 999);
    }
  }
  const problem scalar(N, {-1});
  EXPECT_GT(solve(scalar.p).status, 0);
  const problem zero(N, {1});
  const answer a = solve(zero.p);  // λ = 0 and λ = 1
  EXPECT_EQ(a.status, PERP_OK);
}

// --- random problems against enumeration

TEST(ActiveSet, AgreesWithEnumerationOnContactsAndEqualities) {
  uniform u(11);
  for (std::int32_t n = 1; n <= 12; n++)
    for (int repeat = 0; repeat < (n < 9 ? 60 : 8); repeat++) {
      vec l, h;
      random_bounds(u, n, false, &l, &h);
      problem t(gram(u, n, n, 0.05), u.vector(n), l, h);
      if (repeat % 2 == 1) t.use_compressed_rows();
      const answer a = solve(t.p);
      ASSERT_EQ(a.status, PERP_OK);
      EXPECT_LT(backward_error(t, a.lambda), 4e-15);
      vec expected;
      ASSERT_TRUE(by_enumeration(t, &expected));
      for (std::size_t i = 0; i < expected.size(); i++) EXPECT_NEAR(a.lambda[i], expected[i], 1e-9);
    }
}

TEST(ActiveSet, AgreesWithEnumerationOnBoxes) {
  uniform u(12);
  for (std::int32_t n = 1; n <= 8; n++)
    for (int repeat = 0; repeat < (n < 7 ? 80 : 15); repeat++) {
      vec l, h;
      random_bounds(u, n, true, &l, &h);
      const problem t(gram(u, n, n, 0.05), u.vector(n), l, h);
      const answer a = solve(t.p);
      ASSERT_EQ(a.status, PERP_OK);
      EXPECT_LT(backward_error(t, a.lambda), 4e-15);
      vec expected;
      ASSERT_TRUE(by_enumeration(t, &expected));
      for (std::size_t i = 0; i < expected.size(); i++) {
        EXPECT_NEAR(a.lambda[i], expected[i], 1e-9);
        EXPECT_TRUE(a.lambda[i] >= l[i] && a.lambda[i] <= h[i]) << "inside its box to the bit";
      }
    }
}

TEST(ActiveSet, EveryStorageOfAMatrixGivesItsSolution) {
  uniform u(35);
  const std::vector<std::int32_t> cuts = {0, 2, 3, 6, 7};  // a ring of blocks
  for (int repeat = 0; repeat < 50; repeat++) {
    dense A = gram(u, 7, 7, 3);
    std::vector<std::int32_t> start = {0}, index;
    vec values, l, h;
    for (std::int32_t r = 0; r < 4; r++) {
      for (std::int32_t c : {(r + 1) % 4, r, (r + 3) % 4}) {
        index.push_back(c);
        for (std::int32_t j = cuts[at(c)]; j < cuts[at(c) + 1]; j++)
          for (std::int32_t i = cuts[at(r)]; i < cuts[at(r) + 1]; i++) values.push_back(A(i, j));
      }
      start.push_back(static_cast<std::int32_t>(index.size()));
      for (std::int32_t j = cuts[at((r + 2) % 4)]; j < cuts[at((r + 2) % 4) + 1]; j++)
        for (std::int32_t i = cuts[at(r)]; i < cuts[at(r) + 1]; i++) A(i, j) = 0;
    }
    random_bounds(u, 7, true, &l, &h);
    problem t(A, u.vector(7), l, h);
    const answer full = solve(t.p);
    t.p.M = perp_block_rows(4, cuts.data(), start.data(), index.data(), values.data());
    const answer blocks = solve(t.p);
    t.use_compressed_rows();
    const answer rows = solve(t.p);
    for (const answer *a : {&full, &blocks, &rows}) {
      ASSERT_EQ(a->status, PERP_OK);
      EXPECT_LT(backward_error(t, a->lambda), 4e-15);
      for (std::size_t i = 0; i < 7; i++) EXPECT_NEAR(a->lambda[i], full.lambda[i], 1e-12);
    }
  }
}

TEST(ActiveSet, SolutionsAreAccurateToRoundingOnBadlyScaledMatrices) {
  uniform u(13);
  for (int repeat = 0; repeat < 300; repeat++) {
    const std::int32_t n = 2 + repeat % 30;
    dense A = gram(u, n, n, 1e-6);
    vec s(at(n)), q = u.vector(n);
    for (double &x : s) x = std::pow(10.0, 3 * u());
    for (std::int32_t i = 0; i < n; i++) {
      for (std::int32_t j = 0; j < n; j++) A(i, j) *= s[at(i)] * s[at(j)];
      q[at(i)] *= s[at(i)];
    }
    const problem t(A, q);
    const answer a = solve(t.p);
    ASSERT_EQ(a.status, PERP_OK);
    EXPECT_LT(backward_error(t, a.lambda), 1e-13);
  }
}

// --- large banded problems

TEST(ActiveSet, ARestingColumnCarriesTheWeightAboveInOneFactorisation) {
  for (std::int32_t n : {1000, 100000}) {
    const column t(n);
    const answer a = solve(t.p);
    ASSERT_EQ(a.status, PERP_OK);
    EXPECT_EQ(a.info.iterations, 1);
    EXPECT_LT(a.info.relative_residual, 1e-15);
    double worst = 0;
    for (std::int32_t i = 0; i < n; i++)
      worst = std::max(worst, std::fabs(a.lambda[at(i)] / (n - i) - 1));
    EXPECT_LT(worst, 1e-10);
  }
}

TEST(ActiveSet, AColumnNumberedFromItsTopIsJustAsNearToItsProblem) {
  const column t(1000, true);
  const answer a = solve(t.p);
  ASSERT_EQ(a.status, PERP_OK);
  EXPECT_LT(a.info.relative_residual, 1e-15);
  for (std::int32_t i = 0; i < 1000; i++) EXPECT_NEAR(a.lambda[at(i)], i + 1, 1e-9 * (i + 1));
}

TEST(ActiveSet, AContactLostInAColumnDoesNotComeBackOneNeighbourAtATime) {
  // All carry load but one in the upper part, which is pulled open: solved all free, everything
  // below it would pull, and is at rest with y = 0 once it was let go.
  const std::int32_t n = 1000;
  column t(n);
  t.q[0] = -0.005;
  t.q[900] = 11;
  t.q[901] = -4;
  warm_block w(perp_solver_warm_bytes(perp_solver_active_set(), &t.p), 0);
  const std::vector<unsigned char> modes(at(n), PERP_MODE_FREE);
  ASSERT_EQ(perp_warm_set_modes(&w.warm, n, modes.data()), PERP_OK);
  const answer a = solve(t.p, nullptr, &w.warm);
  ASSERT_EQ(a.status, PERP_OK);
  EXPECT_LT(a.info.relative_residual, 1e-15);
  EXPECT_LE(a.info.iterations, 6);
}

TEST(ActiveSet, AFallingColumnIsAtRestInOneFactorisation) {
  column t(1000);
  std::fill(t.q.begin(), t.q.end(), 1.0);
  const answer a = solve(t.p);
  ASSERT_EQ(a.status, PERP_OK);
  EXPECT_EQ(a.info.iterations, 1);
  for (double v : a.lambda) EXPECT_EQ(v, 0);
}

TEST(ActiveSet, MixedContactsOfALongColumnNeedFewFactorisations) {
  uniform u(14);
  for (std::int32_t n : {100, 1000, 10000, 100000}) {
    column t(n);
    for (double &x : t.values) x = x == 2 ? 3 : x;  // a bounded condition number
    for (double &x : t.q) x = u();
    const answer a = solve(t.p);
    ASSERT_EQ(a.status, PERP_OK);
    EXPECT_LE(a.info.iterations, 16) << n;
    EXPECT_LT(a.info.relative_residual, 4e-15);
    const auto free =
        std::count_if(a.lambda.begin(), a.lambda.end(), [](double v) { return v > 0; });
    EXPECT_TRUE(free > n / 4 && free < 3 * n / 4);
  }
}

TEST(ActiveSet, IllConditionedMixedColumnsEndToo) {
  uniform u(15);
  for (std::int32_t n : {100, 1000, 3000}) {
    column t(n);
    for (double &x : t.q) x = u();
    const answer a = solve(t.p);
    ASSERT_EQ(a.status, PERP_OK);
    EXPECT_LT(a.info.relative_residual, 4e-15);
  }
}

TEST(ActiveSet, DegenerateContactsDoNotFlipForEver) {
  // q = -M λ* with many λ*_i = y*_i = 0, so that only rounding tells their modes
  uniform u(16);
  for (int repeat = 0; repeat < 100; repeat++) {
    const std::int32_t n = 5 + repeat % 40;
    const dense A = gram(u, n, n, 1e-4);
    vec z = u.vector(n), q(at(n), 0.0);
    for (double &x : z) x = std::max(x, 0.0);
    for (std::int32_t i = 0; i < n; i++)
      for (std::int32_t j = 0; j < n; j++) q[at(i)] -= A(i, j) * z[at(j)];
    const problem t(A, q);
    const answer a = solve(t.p);
    ASSERT_EQ(a.status, PERP_OK);
    EXPECT_LT(backward_error(t, a.lambda), 1e-13);
    EXPECT_LE(a.info.iterations, 60);
  }
}

// --- the safeguard

// Exchanging all infeasible components at once, and nothing else: true if it comes back to a basis
// it has seen.
bool plain_exchange_cycles(const problem &t) {
  std::set<std::string> met;
  std::string modes;
  for (double x : t.q) modes += x <= 0 ? 'f' : 'l';
  while (met.insert(modes).second) {
    vec lambda;
    basis_solves(t, modes, &lambda);
    std::string next = modes;
    for (std::int32_t i = 0; i < t.n(); i++) {
      double y = t.q[at(i)];
      for (std::int32_t j = 0; j < t.n(); j++) y += t.A(i, j) * lambda[at(j)];
      if (modes[at(i)] == 'f' && lambda[at(i)] < 0) next[at(i)] = 'l';
      if (modes[at(i)] == 'l' && y < -1e-13) next[at(i)] = 'f';
    }
    if (next == modes) return false;
    modes = next;
  }
  return true;
}

TEST(ActiveSet, WherePlainExchangesCycleTheSafeguardEnds) {
  uniform u(17);
  int cycles = 0, guarded = 0;
  for (int repeat = 0; repeat < 4000; repeat++) {
    const std::int32_t n = 4 + repeat % 9;
    const problem t(gram(u, n, 2 + repeat % n, 1e-3), u.vector(n));
    if (!plain_exchange_cycles(t)) continue;
    cycles++;
    const perp_active_set_options o = watched();
    const answer a = solve(t.p, &o);
    ASSERT_EQ(a.status, PERP_OK);
    EXPECT_LT(backward_error(t, a.lambda), 1e-12);
    EXPECT_EQ(seen.back().merit, 0);
    EXPECT_EQ(a.info.iterations, static_cast<std::int32_t>(seen.size()));
    EXPECT_LE(seen.size(), 80u);
    // A single component enters or leaves in the safeguard only.
    guarded += std::any_of(seen.begin(), seen.end(),
                           [](const perp_iterate &i) { return i.entering >= 0 || i.leaving >= 0; });
  }
  EXPECT_GT(cycles, 20);
  EXPECT_GT(guarded, cycles / 2);
}

TEST(ActiveSet, TheSafeguardKeepsWhatItGained) {
  uniform u(32);
  std::int32_t guarded = 0;
  for (int repeat = 0; repeat < 300; repeat++) {
    const std::int32_t n = 20 + repeat % 41;
    const problem t(gram(u, n, n / 2, 1e-6), u.vector(n));
    const perp_active_set_options o = watched();
    const answer a = solve(t.p, &o);
    ASSERT_EQ(a.status, PERP_OK);
    EXPECT_LT(backward_error(t, a.lambda), 4e-15);
    EXPECT_LE(a.info.iterations, 3 * n);
    guarded += std::any_of(seen.begin(), seen.end(),
                           [](const perp_iterate &i) { return i.entering >= 0 || i.leaving >= 0; });
  }
  EXPECT_GT(guarded, 50);
}

// --- semidefinite matrices

TEST(ActiveSet, SemidefiniteProblemsWithASolutionAreSolved) {
  uniform u(18);
  for (int repeat = 0; repeat < 400; repeat++) {
    const std::int32_t n = 2 + repeat % 20, rank = 1 + repeat % std::max(1, n - 1);
    const dense A = gram(u, n, rank, 0);
    vec l, h, q(at(n));
    random_bounds(u, n, repeat % 2 == 0, &l, &h);
    for (std::int32_t i = 0; i < n; i++) {  // a solution is chosen, q follows
      const double low = std::max(l[at(i)], -2.0), high = std::min(h[at(i)], 2.0), pick = u();
      const double z =
          pick < -0.3 && l[at(i)] > -kInf ? l[at(i)] : low + (high - low) * (u() + 1) / 2;
      if (z == l[at(i)]) q[at(i)] += std::fabs(u());
      for (std::int32_t j = 0; j < n; j++) q[at(j)] -= A(j, i) * z;
    }
    const problem t(A, q, l, h);
    const answer a = solve(t.p);
    ASSERT_EQ(a.status, PERP_OK) << repeat;
    EXPECT_LT(backward_error(t, a.lambda), 1e-10);
  }
}

TEST(ActiveSet, SemidefiniteProblemsWithoutASolutionAreShownToBe) {
  uniform u(19);
  for (int repeat = 0; repeat < 300; repeat++) {
    const std::int32_t n = 2 + repeat % 15, rank = std::max(1, n / 2);
    const vec d = u.vector(n);  // d >= 0 with M d = 0 and qᵀd < 0: no solution
    dense G = u.matrix(n, rank), A(n, n);
    vec direction = d, q = u.vector(n);
    double dd = 0, dq = 0;
    for (double &x : direction) x = std::fabs(x) + 0.1;
    for (double x : direction) dd += x * x;
    for (std::int32_t k = 0; k < rank; k++) {
      double dg = 0;
      for (std::int32_t i = 0; i < n; i++) dg += G(i, k) * direction[at(i)];
      for (std::int32_t i = 0; i < n; i++) G(i, k) -= dg / dd * direction[at(i)];
    }
    for (std::int32_t i = 0; i < n; i++)
      for (std::int32_t j = 0; j < n; j++)
        for (std::int32_t k = 0; k < rank; k++) A(i, j) += G(i, k) * G(j, k);
    for (std::int32_t i = 0; i < n; i++) dq += q[at(i)] * direction[at(i)];
    for (std::int32_t i = 0; i < n; i++) q[at(i)] -= (dq + 0.5) / dd * direction[at(i)];
    const problem t(A, q);
    const answer a = solve(t.p);
    EXPECT_EQ(a.status, PERP_INFEASIBLE) << repeat << " rank " << rank << " of " << n;
  }
}

TEST(ActiveSet, AVeryLargeSolutionIsNotMistakenForNone) {
  for (double small : {1e-3, 1e-5, 1e-7}) {
    dense A(2, 2);
    A(0, 0) = 1, A(1, 1) = 1 + small, A(0, 1) = A(1, 0) = -1;
    const problem t(A, {-1, -1});
    const answer a = solve(t.p);
    EXPECT_NE(a.status, PERP_INFEASIBLE);
    EXPECT_TRUE(a.status != PERP_OK || std::fabs(a.lambda[1] * small - 2) < 1e-6);
  }
}

TEST(ActiveSet, ALargeSolutionBesideASingularBlockIsFound) {
  for (double small : {1e-3, 1e-5, 1e-7}) {
    dense A(3, 3);  // the last row is 0, so M is singular at the start
    A(0, 0) = 1, A(1, 1) = 1 + small, A(0, 1) = A(1, 0) = -1;
    const problem t(A, {-1, -1, 0});
    const answer a = solve(t.p);
    EXPECT_EQ(a.status, PERP_OK) << small;
    EXPECT_NEAR(a.lambda[1] * small, 2, 1e-6);
  }
}

TEST(ActiveSet, AFactorWithoutDigitsIsDoubted) {
  uniform u(34);
  int undecided = 0;
  for (int repeat = 0; repeat < 400; repeat++) {  // definite to the factor, to nothing else
    const std::int32_t n = 4 + repeat % 9;
    const problem t(gram(u, n, n / 2, 1e-14), u.vector(n));
    const answer a = solve(t.p);
    undecided += a.status == PERP_MAX_ITER;
    EXPECT_TRUE(a.status == PERP_OK || a.status == PERP_INFEASIBLE || a.status == PERP_MAX_ITER)
        << a.status;
    EXPECT_TRUE(a.status != PERP_OK || backward_error(t, a.lambda) < 1e-10);
  }
  EXPECT_LE(undecided, 4);  // too near to singular for a solution, too far for a certificate
}

TEST(ActiveSet, AnUnknownAtABoundThatIsNotZeroStaysThereBesideASingularBlock) {
  for (double y : {1e-7, 1e-9, 1e-12}) {
    dense A(3, 3);
    A(0, 0) = A(1, 1) = A(0, 1) = A(1, 0) = A(2, 2) = 1;
    for (double side : {1.0, -1.0}) {
      const double l = side > 0 ? 1 : -2, h = side > 0 ? 2 : -1;
      const problem t(A, {-1, -1, side * (y - 1)}, {0, 0, l}, {kInf, kInf, h});
      const perp_active_set_options o = watched();
      const answer a = solve(t.p, &o);
      EXPECT_EQ(a.status, PERP_OK);
      EXPECT_EQ(a.lambda[2], side);
      EXPECT_NEAR(a.lambda[0] + a.lambda[1], 1, 1e-12);
      EXPECT_LE(seen.size(), 6u);
    }
  }
}

TEST(ActiveSet, TheZeroMatrixLeavesTheSignOfQ) {
  problem t(dense(3, 3), {1, 2, 0});
  t.p.M = perp_matrix{};
  t.p.M.rows = t.p.M.cols = 3;
  answer a = solve(t.p);
  EXPECT_EQ(a.status, PERP_OK);
  t.q[1] = -1;
  EXPECT_EQ(solve(t.p).status, PERP_INFEASIBLE);
  problem relay(dense(3, 3), {1, -2, 0}, {-1, -1, -1}, {1, 1, 1});
  a = solve(relay.p);
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_EQ(a.lambda[0], -1);
  EXPECT_EQ(a.lambda[1], 1);
}

TEST(ActiveSet, ADiagonalMatrixDecouples) {
  const double d[] = {1, 2, 4};
  problem t(dense(3, 3), {-1, 3, 8}, {0, 0, -1}, {kInf, kInf, 1});
  t.p.M = perp_diagonal(3, d);
  const answer a = solve(t.p);
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_EQ(a.lambda, (vec{1, 0, -1}));
  EXPECT_EQ(a.info.iterations, 1);
}

TEST(ActiveSet, BoxesStartWhereTheirOwnRowPutsThem) {
  dense A(6, 6);
  for (std::int32_t i = 0; i < 6; i++) A(i, i) = 2;
  const problem t(A, {1, 3, -3, -1, -5, -9}, {-1, -1, -1, -1, 1, 1}, {1, 1, 1, 1, 3, 3});
  const answer a = solve(t.p);
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_EQ(a.lambda, (vec{-0.5, -1, 1, 0.5, 2.5, 3}));
  EXPECT_EQ(a.info.iterations, 1);
}

// --- warm starts

TEST(ActiveSet, TheCacheChangesNoBitWhateverTheHistory) {
  uniform u(20);
  for (std::int32_t n : {1, 2, 5, 12, 40}) {
    std::vector<std::unique_ptr<problem>> family;
    for (int k = 0; k < 2; k++) {
      family.push_back(std::make_unique<problem>(gram(u, n, n, 0.1), u.vector(n)));
      if (k == 1) family.back()->use_compressed_rows();
    }
    const std::size_t full = perp_solver_warm_bytes(perp_solver_active_set(), &family[0]->p);
    ASSERT_GT(full, 0u);
    warm_block cached(full, 0), modes_only(16 + at(n) + 8, 0);
    for (int step = 0; step < 120; step++) {
      const std::uint32_t which = u() > 0.6 ? 1 : 0;
      problem &t = *family[which];
      for (double &x : t.q) x = u() > 0.7 ? u() : x;
      cached.warm.stamp = modes_only.warm.stamp = which + 1;
      if (step % 7 == 3) cached.warm.stamp = 0;
      const answer a = solve(t.p, nullptr, &cached.warm), b = solve(t.p, nullptr, &modes_only.warm);
      ASSERT_EQ(a.status, PERP_OK);
      ASSERT_EQ(b.status, PERP_OK);
      EXPECT_TRUE(same_bits(a.lambda, b.lambda));
      EXPECT_TRUE(same_bits(a.y, b.y));
      EXPECT_EQ(a.info.iterations, b.info.iterations);
    }
  }
}

TEST(ActiveSet, ASolvedProblemIsSolvedAgainInOneIterationWithTheSameBits) {
  uniform u(21);
  column t(500);
  for (double &x : t.q) x = u();
  warm_block w(perp_solver_warm_bytes(perp_solver_active_set(), &t.p), 7);
  const answer cold = solve(t.p), first = solve(t.p, nullptr, &w.warm),
               again = solve(t.p, nullptr, &w.warm);
  ASSERT_EQ(first.status, PERP_OK);
  ASSERT_EQ(again.status, PERP_OK);
  EXPECT_GT(cold.info.iterations, 1);
  EXPECT_EQ(again.info.iterations, 1);
  EXPECT_TRUE(same_bits(cold.lambda, first.lambda));
  EXPECT_TRUE(same_bits(cold.lambda, again.lambda));
}

TEST(ActiveSet, AStoppedSolveLeavesNoFactorBehind) {
  uniform u(33);
  column t(300);
  for (double &x : t.values) x = x == 2 ? 3 : x;
  for (double &x : t.q) x = u();
  const vec q = t.q;
  warm_block w(perp_solver_warm_bytes(perp_solver_active_set(), &t.p), 4);
  const answer first = solve(t.p, nullptr, &w.warm);
  ASSERT_EQ(first.status, PERP_OK);
  for (double &x : t.q) x = u();
  perp_active_set_options o = perp_active_set_options_default();
  o.max_iter = 2;
  ASSERT_EQ(solve(t.p, &o, &w.warm).status, PERP_MAX_ITER);
  std::copy(q.begin(), q.end(), t.q.begin());
  const answer again = solve(t.p, nullptr, &w.warm);
  EXPECT_EQ(again.status, PERP_OK);
  EXPECT_EQ(again.info.iterations, 1);
  EXPECT_TRUE(same_bits(again.lambda, first.lambda));
}

TEST(ActiveSet, TheFactorOfAProximalStepIsNotKept) {
  dense A(3, 3);
  A(0, 0) = A(1, 1) = A(0, 1) = A(1, 0) = A(2, 2) = 1;
  const problem t(A, {-1, -1, -1});
  warm_block w(perp_solver_warm_bytes(perp_solver_active_set(), &t.p), 4);
  perp_active_set_options o = watched();
  const answer first = solve(t.p, &o, &w.warm);
  const std::size_t bases = seen.size();
  o = watched();
  const answer again = solve(t.p, &o, &w.warm);
  ASSERT_EQ(first.status, PERP_OK);
  ASSERT_EQ(again.status, PERP_OK);
  EXPECT_TRUE(same_bits(again.lambda, first.lambda));
  EXPECT_EQ(seen.size(), bases) << "nothing was tried in vain";
}

TEST(ActiveSet, ModesReadBackSayWhereTheSolutionStands) {
  uniform u(22);
  const problem t(gram(u, 3, 3, 3), {-1, 1, -9}, {0, 0, -1}, {kInf, kInf, 1});
  warm_block w(perp_solver_warm_bytes(perp_solver_active_set(), &t.p), 1);
  const answer a = solve(t.p, nullptr, &w.warm);
  ASSERT_EQ(a.status, PERP_OK);
  unsigned char modes[3] = {9, 9, 9};
  ASSERT_EQ(perp_warm_get_modes(&w.warm, 3, modes), PERP_OK);
  for (std::size_t i = 0; i < 3; i++) {
    EXPECT_TRUE(modes[i] != PERP_MODE_LOWER || a.lambda[i] == t.lower[i]);
    EXPECT_TRUE(modes[i] != PERP_MODE_UPPER || a.lambda[i] == t.upper[i]);
    EXPECT_TRUE(modes[i] >= PERP_MODE_LOWER && modes[i] <= PERP_MODE_UPPER);
  }
  EXPECT_EQ(modes[2], PERP_MODE_UPPER);
  ASSERT_EQ(perp_warm_set_modes(&w.warm, 3, modes), PERP_OK);
  const perp_active_set_options o = watched();
  EXPECT_EQ(solve(t.p, &o, &w.warm).info.iterations, 1);
}

TEST(ActiveSet, AnyStartModesLeadToTheSolution) {
  uniform u(23);
  for (int repeat = 0; repeat < 200; repeat++) {
    const std::int32_t n = 1 + repeat % 10;
    vec l, h;
    random_bounds(u, n, true, &l, &h);
    const problem t(gram(u, n, n, 0.1), u.vector(n), l, h);
    const answer cold = solve(t.p);
    warm_block w(perp_solver_warm_bytes(perp_solver_active_set(), &t.p), 5);
    std::vector<unsigned char> modes(at(n));
    for (auto &m : modes) m = static_cast<unsigned char>((u() + 1) * 2);
    ASSERT_EQ(perp_warm_set_modes(&w.warm, n, modes.data()), PERP_OK);
    const answer a = solve(t.p, nullptr, &w.warm);
    ASSERT_EQ(a.status, PERP_OK);
    for (std::size_t i = 0; i < modes.size(); i++) EXPECT_NEAR(a.lambda[i], cold.lambda[i], 1e-9);
  }
}

TEST(ActiveSet, GarbageInTheWarmDataCostsAtMostTime) {
  uniform u(24);
  const problem t(gram(u, 9, 9, 0.1), u.vector(9));
  const answer cold = solve(t.p);
  const std::size_t full = perp_solver_warm_bytes(perp_solver_active_set(), &t.p);
  for (unsigned fill = 0; fill < 256; fill++) {
    warm_block w(full, 3, static_cast<unsigned char>(fill));
    const answer a = solve(t.p, nullptr, &w.warm);
    ASSERT_EQ(a.status, PERP_OK) << fill;
    EXPECT_TRUE(same_bits(a.lambda, cold.lambda));
  }
  warm_block w(full, 3);
  ASSERT_EQ(solve(t.p, nullptr, &w.warm).status, PERP_OK);
  const vec good = w.bytes;
  for (std::size_t byte = 0; byte < full; byte++)
    for (unsigned flip : {0x01u, 0x80u, 0xffu}) {
      w.bytes = good;
      w.warm.data = w.bytes.data();
      auto *raw = reinterpret_cast<unsigned char *>(w.bytes.data());
      raw[byte] = static_cast<unsigned char>(raw[byte] ^ flip);
      const answer a = solve(t.p, nullptr, &w.warm);
      ASSERT_EQ(a.status, PERP_OK) << byte;
      for (std::size_t i = 0; i < 9; i++) EXPECT_NEAR(a.lambda[i], cold.lambda[i], 1e-8);
    }
}

TEST(ActiveSet, WarmDataOfAnyLengthAreUsedAsFarAsTheyGo) {
  uniform u(25);
  const problem t(gram(u, 6, 6, 0.1), u.vector(6));
  const answer cold = solve(t.p);
  const std::size_t full = perp_solver_warm_bytes(perp_solver_active_set(), &t.p);
  for (std::size_t bytes = 0; bytes <= full + 16; bytes++) {
    warm_block w(bytes + 16, 1, 0xA5);
    std::memset(w.bytes.data(), 0, bytes);
    w.warm.bytes = bytes;
    const answer first = solve(t.p, nullptr, &w.warm), again = solve(t.p, nullptr, &w.warm);
    ASSERT_EQ(again.status, PERP_OK);
    EXPECT_TRUE(same_bits(first.lambda, cold.lambda));
    EXPECT_TRUE(same_bits(again.lambda, cold.lambda));
    EXPECT_LE(again.info.iterations, first.info.iterations);
    const auto *raw = reinterpret_cast<const unsigned char *>(w.bytes.data());
    for (std::size_t k = bytes; k < bytes + 16; k++) EXPECT_EQ(raw[k], 0xA5);
  }
}

TEST(ActiveSet, ANewMatrixUnderANewStampIsFactorisedAnew) {
  uniform u(26);
  problem t(gram(u, 5, 5, 0.1), vec(5, -1.0));
  warm_block w(perp_solver_warm_bytes(perp_solver_active_set(), &t.p), 1);
  for (std::uint32_t stamp : {1u, 2u, 3u, 0u, 0u}) {
    for (std::int32_t i = 0; i < 5; i++) t.A(i, i) += 0.5;
    w.warm.stamp = stamp;
    const answer a = solve(t.p, nullptr, &w.warm), cold = solve(t.p);
    ASSERT_EQ(a.status, PERP_OK);
    EXPECT_TRUE(same_bits(a.lambda, cold.lambda));
  }
}

// --- endings

TEST(ActiveSet, TheIterationLimitIsKept) {
  uniform u(27);
  column t(200);
  for (double &x : t.q) x = u();
  perp_active_set_options o = watched();
  const std::int32_t needed = solve(t.p, &o).info.iterations;
  ASSERT_GT(needed, 2);
  for (std::int32_t limit = 1; limit <= needed; limit++) {
    o = watched();
    o.max_iter = limit;
    const answer a = solve(t.p, &o);
    EXPECT_EQ(a.status, limit < needed ? PERP_MAX_ITER : PERP_OK);
    EXPECT_EQ(a.info.iterations, limit);
    for (double v : a.lambda) EXPECT_TRUE(v >= 0 && v != 999);
  }
}

TEST(ActiveSet, TheObserverCanStopIt) {
  uniform u(28);
  column t(200);
  for (double &x : t.q) x = u();
  for (std::int32_t k = 0; k < 2; k++) {
    const perp_active_set_options o = watched();
    stop_at = k;
    EXPECT_EQ(solve(t.p, &o).status, PERP_STOPPED);
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(k) + 1);
  }
  const problem infeasible(dense(2, 2), {-1, -1});
  const perp_active_set_options o = watched();
  stop_at = 0;
  EXPECT_EQ(solve(infeasible.p, &o).status, PERP_STOPPED) << "in the proximal loop too";
}

TEST(ActiveSet, WhatTheResidualDoesNotConfirmIsInaccurate) {
  dense A(2, 2);  // not symmetric: the factor is that of another matrix
  A(0, 0) = A(1, 1) = 2, A(0, 1) = 1.5, A(1, 0) = -0.5;
  const problem t(A, {-1, -1});
  EXPECT_EQ(solve(t.p).status, PERP_INACCURATE);
}

TEST(ActiveSet, NaNAndInfinityAnywhereAreNeverSolved) {
  uniform u(29);
  problem t(gram(u, 3, 3, 0.2), {-1, 0.5, -2});
  for (double bad : {kNaN, kInf, -kInf})
    for (std::int32_t e = 0; e < 12; e++) {
      double &x = e < 9 ? t.A(e / 3, e % 3) : t.q[at(e - 9)];
      const double good = x;
      x = bad;
      const answer a = solve(t.p);
      EXPECT_EQ(a.status, PERP_ENOTFINITE) << e << ' ' << bad;
      EXPECT_STREQ(a.info.field, e < 9 ? "M" : "q");
      x = good;
    }
  EXPECT_EQ(solve(t.p).status, PERP_OK);
}

TEST(ActiveSet, OptionsAreChecked) {
  uniform u(30);
  const problem t(gram(u, 2, 2, 1), {-1, -1});
  const perp_solver *s = perp_solver_active_set();
  double lambda[2], y[2];
  std::vector<unsigned char> work(perp_solver_workspace(s, &t.p, nullptr));
  const auto status = [&](const perp_active_set_options &o, const char *field) {
    perp_info info = PERP_INFO_INIT;
    const perp_status result =
        perp_solver_solve(s, &t.p, &o, lambda, y, nullptr, work.data(), work.size(), &info);
    EXPECT_STREQ(info.field, field);
    return result;
  };
  perp_active_set_options o = perp_active_set_options_default();
  EXPECT_EQ(o.struct_size, sizeof o);
  EXPECT_EQ(o.tol, PERP_DEFAULT_TOL);
  EXPECT_EQ(status(o, nullptr), PERP_OK);
  for (double bad : {-1.0, kNaN}) {
    o = perp_active_set_options_default();
    o.tol = bad;
    EXPECT_EQ(status(o, "tol"), PERP_EINVAL);
  }
  for (double bad : {0.0, -1.0, kNaN, kInf}) {
    o = perp_active_set_options_default();
    o.proximal = bad;
    EXPECT_EQ(status(o, "proximal"), PERP_EINVAL);
  }
  o = perp_active_set_options_default();
  o.max_iter = -1;
  EXPECT_EQ(status(o, "max_iter"), PERP_EINVAL);
  o = perp_active_set_options{};
  EXPECT_EQ(status(o, "struct_size"), PERP_EINVAL);
  perp_active_set_options_init(nullptr, sizeof o);
  perp_active_set_options_init(&o, 0);
}

TEST(ActiveSet, ConesAreNotAccepted) {
  perp_shape shape = {3, 1, 1u << PERP_SET_CONE, PERP_DENSE, 9, 6, 0, 0, 1, 3};
  EXPECT_EQ(perp_solver_shape_workspace(perp_solver_active_set(), &shape, nullptr), 0u);
}

// --- memory

TEST(ActiveSet, WorksInExactlyTheBytesItAsksForAtEveryAlignment) {
  uniform u(31);
  vec l, h;
  random_bounds(u, 7, true, &l, &h);
  problem t(gram(u, 7, 7, 0.1), u.vector(7), l, h), singular(gram(u, 7, 3, 0), vec(7, 1.0));
  const perp_solver *s = perp_solver_active_set();
  for (problem *p : {&t, &singular})
    for (int kind = 0; kind < 2; kind++) {
      if (kind == 1) p->use_compressed_rows();
      const std::size_t need = perp_solver_workspace(s, &p->p, nullptr);
      const answer expected = solve(p->p);
      ASSERT_EQ(expected.status, PERP_OK);
      for (std::size_t shift = 0; shift < 16; shift++) {
        std::vector<unsigned char> work(need + 32, 0xA5);
        vec lambda(7, 999.0), y(7, 999.0);
        EXPECT_EQ(perp_solver_solve(s, &p->p, nullptr, lambda.data(), y.data(), nullptr,
                                    work.data() + shift, need, nullptr),
                  PERP_OK);
        EXPECT_TRUE(same_bits(lambda, expected.lambda));
        for (std::size_t k = 0; k < shift; k++) EXPECT_EQ(work[k], 0xA5);
        for (std::size_t k = shift + need; k < work.size(); k++) EXPECT_EQ(work[k], 0xA5);
        EXPECT_EQ(perp_solver_solve(s, &p->p, nullptr, lambda.data(), y.data(), nullptr,
                                    work.data() + shift, need - 1, nullptr),
                  PERP_EWORKSPACE);
      }
    }
}

TEST(ActiveSet, TheMacroBoundsTheWorkspaceAndBothAreLinear) {
  for (std::int32_t kind : {PERP_ZERO, PERP_DIAGONAL, PERP_DENSE, PERP_BLOCKS})
    for (std::int32_t n : {0, 1, 2, 3, 7, 8, 100, 100001}) {
      const std::size_t m = at(n);
      for (std::size_t envelope : {m, 2 * m, 10 * m}) {
        const perp_shape shape = {n, n, 1u << PERP_SET_ORTHANT, kind, envelope, envelope, 0, 0,
                                  n, 1};
        const std::size_t need =
            perp_solver_shape_workspace(perp_solver_active_set(), &shape, nullptr);
        ASSERT_GT(need, 0u);
        EXPECT_LE(need, PERP_ACTIVE_SET_WORKSPACE(n, envelope));
      }
    }
  static unsigned char fixed[PERP_ACTIVE_SET_WORKSPACE(3, 6)];
  EXPECT_GE(sizeof fixed, perp_lcp_workspace(perp_solver_active_set(), 3, nullptr));
}

// --- plain arrays

TEST(LcpActiveSet, SolvesWithAStride) {
  const double M[] = {2, 1, 999, 1, 2, 999}, q[] = {-5, -6};
  const perp_lcp p = {2, 3, M, q};
  std::vector<unsigned char> work(perp_lcp_workspace(perp_solver_active_set(), 2, nullptr));
  double z[2] = {999, 999}, w[2] = {999, 999};
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(
      perp_lcp_solve(perp_solver_active_set(), &p, nullptr, z, w, work.data(), work.size(), &info),
      PERP_OK);
  EXPECT_NEAR(z[0], 4.0 / 3, 1e-15);
  EXPECT_NEAR(z[1], 7.0 / 3, 1e-15);
  EXPECT_NEAR(w[0], 0, 1e-14);
  EXPECT_EQ(info.iterations, 1);
  EXPECT_EQ(perp_lcp_solve(perp_solver_active_set(), &p, nullptr, z, w, work.data(),
                           work.size() - 1, &info),
            PERP_EWORKSPACE);
}

TEST(LcpActiveSet, RefusesWrongArgumentsByName) {
  double M[] = {2, 1, 1, 2}, q[] = {-5, -6}, z[2], w[2];
  std::vector<unsigned char> work(perp_lcp_workspace(perp_solver_active_set(), 2, nullptr));
  const perp_lcp good = {2, 2, M, q};
  perp_info info = PERP_INFO_INIT;
  const auto call = [&](const perp_lcp *p, double *zz, double *ww, void *b) {
    info = PERP_INFO_INIT;
    return perp_lcp_solve(perp_solver_active_set(), p, nullptr, zz, ww, b, work.size(), &info);
  };
  EXPECT_EQ(call(&good, z, w, work.data()), PERP_OK);
  EXPECT_EQ(call(nullptr, z, w, work.data()), PERP_EINVAL);
  EXPECT_STREQ(info.field, "problem");
  const struct {
    perp_lcp p;
    const char *field;
  } wrong[] = {{{-1, 2, M, q}, "n"},      {{2, 1, M, q}, "ld"},      {{2, -2, M, q}, "ld"},
               {{2, 2, nullptr, q}, "M"}, {{2, 2, M, nullptr}, "q"}, {{INT32_MIN, 0, M, q}, "n"}};
  for (const auto &c : wrong) {
    EXPECT_EQ(call(&c.p, z, w, work.data()), PERP_EINVAL);
    EXPECT_STREQ(info.field, c.field);
  }
  EXPECT_EQ(call(&good, nullptr, w, work.data()), PERP_EINVAL);
  EXPECT_STREQ(info.field, "z");
  EXPECT_EQ(call(&good, z, nullptr, work.data()), PERP_EINVAL);
  EXPECT_STREQ(info.field, "w");
  EXPECT_LT(call(&good, z, w, nullptr), 0);
  for (double bad : {kNaN, kInf, -kInf})
    for (std::int32_t e = 0; e < 6; e++) {
      double &x = e < 4 ? M[e] : q[e - 4];
      const double before = x;
      x = bad;
      EXPECT_EQ(call(&good, z, w, work.data()), PERP_ENOTFINITE);
      EXPECT_STREQ(info.field, e < 4 ? "M" : "q");
      EXPECT_EQ(info.index, e < 4 ? e : e - 4);
      EXPECT_TRUE(same_bits(info.value, bad));
      x = before;
    }
}

TEST(MlcpActiveSet, TakesAnEquationAndBothBounds) {
  // y = (2 z0 - z1 - 1, -z0 + 2 z1 - z2, -z1 + 2 z2 + 9): z0 free, z1 <= 1/4, z2 >= -1
  const double M[] = {2, -1, 0, -1, 2, -1, 0, -1, 2}, q[] = {-1, 0, 9};
  const double lower[] = {-kInf, -1, -1}, upper[] = {kInf, 0.25, 1};
  const perp_mlcp p = {3, 3, M, q, lower, upper};
  std::vector<unsigned char> work(perp_mlcp_workspace(perp_solver_active_set(), 3, nullptr));
  double z[3] = {999, 999, 999}, w[3] = {999, 999, 999};
  EXPECT_EQ(perp_mlcp_solve(perp_solver_active_set(), &p, nullptr, z, w, work.data(), work.size(),
                            nullptr),
            PERP_OK);
  EXPECT_NEAR(z[0], 1.0 / 3, 1e-15);
  EXPECT_NEAR(z[1], -1.0 / 3, 1e-15);
  EXPECT_EQ(z[2], -1);
  EXPECT_NEAR(w[2], 22.0 / 3, 1e-14);
  EXPECT_EQ(perp_mlcp_solve(perp_solver_active_set(), &p, nullptr, z, w, work.data(),
                            work.size() - 1, nullptr),
            PERP_EWORKSPACE);
  EXPECT_EQ(perp_mlcp_solve(perp_solver_active_set(), nullptr, nullptr, z, w, work.data(),
                            work.size(), nullptr),
            PERP_EINVAL);
  EXPECT_EQ(perp_mlcp_workspace(perp_solver_active_set(), -1, nullptr), 0u);
}

TEST(LcpActiveSet, WorkspaceOfImpossibleSizesIsZero) {
  EXPECT_EQ(perp_lcp_workspace(perp_solver_active_set(), -1, nullptr), 0u);
  EXPECT_EQ(perp_lcp_workspace(perp_solver_active_set(), INT32_MIN, nullptr), 0u);
  EXPECT_GT(perp_lcp_workspace(perp_solver_active_set(), 0, nullptr), 0u);
  EXPECT_GT(perp_lcp_workspace(perp_solver_active_set(), 1000, nullptr), 4000000u);
}

TEST(LcpActiveSet, NothingIsSolvedByNoUnknowns) {
  const perp_lcp p = {0, 0, nullptr, nullptr};
  unsigned char work[64];
  EXPECT_EQ(perp_lcp_solve(perp_solver_active_set(), &p, nullptr, nullptr, nullptr, work,
                           sizeof work, nullptr),
            PERP_OK);
}

// 64 contacts near the top of a falling column, all at rest to rounding: what is left in q is
// noise, and one contact violated its law in whatever mode it was put.
TEST(ActiveSet, NoiseThatLooksLikeAViolationIsTold) {
  const std::vector<double> q = {2.6367796834847467e-17,
                                 -2.6367796834847467e-17,
                                 2.6367796834847467e-17,
                                 -2.6367796834847467e-17,
                                 2.6367796834847467e-17,
                                 5.800915303666443e-16,
                                 0.0,
                                 0.0,
                                 2.6367796834847467e-17,
                                 -2.6367796834847467e-17,
                                 0.0,
                                 0.0,
                                 0.0,
                                 0.0,
                                 2.6367796834847467e-17,
                                 -2.6367796834847467e-17,
                                 0.0,
                                 2.742250870824137e-15,
                                 -5.484501741648274e-15,
                                 2.742250870824137e-15,
                                 2.5049406993105094e-15,
                                 2.715883073989289e-15,
                                 2.6367796834847467e-17,
                                 -5.458133944813426e-15,
                                 -2.7949864644938317e-15,
                                 2.768618667658984e-15,
                                 -2.715883073989289e-15,
                                 2.715883073989289e-15,
                                 0.0,
                                 2.742250870824137e-15,
                                 2.715883073989289e-15,
                                 2.6367796834847467e-17,
                                 2.715883073989289e-15,
                                 2.6367796834847467e-17,
                                 -2.768618667658984e-15,
                                 -2.742250870824137e-15,
                                 -6.802891583390647e-15,
                                 5.458133944813426e-15,
                                 1.3711254354120685e-15,
                                 2.715883073989289e-15,
                                 5.484501741648274e-15,
                                 -2.715883073989289e-15,
                                 -5.2735593669694933e-17,
                                 5.2735593669694933e-17,
                                 -2.6367796834847467e-17,
                                 -5.484501741648274e-15,
                                 -4.06064071256651e-15,
                                 -2.6367796834847467e-17,
                                 4.113376306236205e-15,
                                 6.117328865684613e-15,
                                 4.1661118999059005e-15,
                                 -4.8516746176119344e-15,
                                 -4.746203430272544e-15,
                                 0.0,
                                 -9.756084828893565e-16,
                                 4.798939023942239e-15,
                                 2.3731017151362723e-16,
                                 5.721811913161901e-15,
                                 0.0,
                                 5.695444116327053e-15,
                                 1.3711254354120683e-14,
                                 1.8457457784393228e-16,
                                 7.91033905045424e-17,
                                 4.9571458049513246e-15};
  const int32_t n = static_cast<int32_t>(q.size());
  std::vector<int32_t> start = {0}, index;
  std::vector<double> value;
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); j++) {
      index.push_back(j);
      value.push_back(i == j ? 2 : -1);
    }
    start.push_back(static_cast<int32_t>(index.size()));
  }
  perp_complementarity law;
  perp_complementarity_init(&law, sizeof law);
  const perp_law *laws[] = {&law.law};
  const int32_t offset[] = {0, n};
  const perp_problem p = perp_problem_of(
      perp_compressed_rows(n, start.data(), index.data(), value.data()), q.data(), 1, laws, offset);
  std::vector<double> lambda(q.size(), 0.0), y(q.size(), 999.0);
  std::vector<unsigned char> work(perp_solver_workspace(perp_solver_active_set(), &p, nullptr));
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(perp_solver_solve(perp_solver_active_set(), &p, nullptr, lambda.data(), y.data(),
                              nullptr, work.data(), work.size(), &info),
            PERP_OK);
  EXPECT_LT(info.iterations, 100);
}

}  // namespace
