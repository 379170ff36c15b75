// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <perp/interior_point.h>
#include <perp/newton.h>

#include <memory>
#include <string>

#include "problem_tools.hpp"
#include "watch.hpp"

extern "C" {
#include "solver/friction_newton.h"
}

namespace {

using tools::at;
using tools::dense;
using tools::ints;
using tools::kInf;
using tools::kNaN;
using tools::seen;
using tools::stop_at;
using tools::uniform;
using tools::vec;

constexpr std::int32_t kFunctions[] = {PERP_FRICTION_NATURAL, PERP_FRICTION_ALART_CURNIER,
                                       PERP_FRICTION_JEAN_MOREAU};

// One letter for each contact: 2 and 3 friction in the plane and in space, r and R rolling in the
// plane and in space, f free, o orthant, b box.
class sample {
 public:
  dense M;
  vec q;
  std::string letters;
  double mu, mu_rolling;
  perp_problem problem = PERP_PROBLEM_INIT;

  sample(dense M_, vec q_, std::string letters_, double mu_ = 0.5, double rolling = 0.1)
      : M(std::move(M_)),
        q(std::move(q_)),
        letters(std::move(letters_)),
        mu(mu_),
        mu_rolling(rolling) {
    for (auto *f : {&plane_, &space_}) perp_friction_init(f, sizeof *f);
    for (auto *r : {&plane_rolling_, &space_rolling_}) perp_rolling_init(r, sizeof *r);
    plane_.law.size = 2;
    plane_rolling_.law.size = 3;
    plane_.mu = space_.mu = plane_rolling_.mu = space_rolling_.mu = mu;
    plane_rolling_.mu_rolling = space_rolling_.mu_rolling = mu_rolling;
    perp_equality_init(&free_, sizeof free_);
    perp_complementarity_init(&orthant_, sizeof orthant_);
    perp_box_init(&box_, sizeof box_);
    box_.lower = lower_;
    box_.upper = upper_;
    free_.law.size = orthant_.law.size = box_.law.size = 1;
    for (char c : letters) laws_.push_back(law(c));
    problem.q = q.data();
    problem.n = static_cast<std::int32_t>(q.size());
    problem.n_blocks = static_cast<std::int32_t>(laws_.size());
    problem.laws = laws_.data();
    dense_ = std::make_unique<tools::stored>(M, PERP_DENSE);
    problem.M = dense_->view;
  }
  sample(const sample &) = delete;
  sample &operator=(const sample &) = delete;

  static std::int32_t size(char c) {
    return c == '2' ? 2 : c == '3' || c == 'r' ? 3 : c == 'R' ? 5 : 1;
  }
  static std::int32_t size(const std::string &all) {
    std::int32_t n = 0;
    for (char c : all) n += size(c);
    return n;
  }
  ints cuts() const {
    ints c{0};
    for (char l : letters) c.push_back(c.back() + size(l));
    return c;
  }

  // The largest violation of the laws by λ, by definition, relative to the rows; in long double.
  double error(const vec &x) const {
    const auto y = tools::affine(M, q, x);
    long double scale = 0, worst = 0;
    for (std::int32_t i = 0; i < M.rows; i++) {
      long double row = std::fabs(q[at(i)]);
      for (std::int32_t j = 0; j < M.cols; j++)
        row += std::fabs(static_cast<long double>(M(i, j)) * x[at(j)]);
      scale = std::max(scale, row);
    }
    std::int32_t i = 0;
    for (char c : letters) {
      worst = std::max(worst, contact_error(c, i, x, y));
      i += size(c);
    }
    return worst == 0 ? 0 : static_cast<double>(worst / scale);
  }

 private:
  perp_friction plane_{}, space_{};
  perp_rolling plane_rolling_{}, space_rolling_{};
  perp_equality free_{};
  perp_complementarity orthant_{};
  perp_box box_{};
  const double lower_[1] = {-0.5}, upper_[1] = {0.25};
  std::vector<const perp_law *> laws_;
  std::unique_ptr<tools::stored> dense_;

  const perp_law *law(char c) const {
    return c == '2'   ? &plane_.law
           : c == '3' ? &space_.law
           : c == 'r' ? &plane_rolling_.law
           : c == 'R' ? &space_rolling_.law
           : c == 'f' ? &free_.law
           : c == 'o' ? &orthant_.law
                      : &box_.law;
  }

  static long double norm(const long double *v, std::int32_t n) {
    long double sum = 0;
    for (std::int32_t k = 0; k < n; k++) sum += v[k] * v[k];
    return std::sqrt(sum);
  }

  // In units of y; forces are weighed by the largest diagonal entry.
  long double contact_error(char c, std::int32_t i, const vec &x,
                            const std::vector<long double> &y) const {
    const long double x0 = x[at(i)], y0 = y[at(i)], d = std::fabs(M(i, i)) + 1e-30L;
    if (!(x0 == x0) || !(y0 == y0)) return kInf;
    if (c == 'f') return std::fabs(y0);
    if (c == 'o') return std::fabs(std::min(d * x0, y0));
    if (c == 'b')
      return std::fabs(std::max(d * (x0 - upper_[0]), std::min(d * (x0 - lower_[0]), y0)));
    long double worst = std::fabs(std::min(d * x0, y0));
    const bool rolls = c == 'r' || c == 'R';
    const std::int32_t half = rolls ? (size(c) - 1) / 2 : size(c) - 1;
    for (std::int32_t p = 0; p < (rolls ? 2 : 1); p++) {
      long double f[2], v[2], miss[2];
      for (std::int32_t k = 0; k < half; k++) {
        f[k] = x[at(i + 1 + p * half + k)];
        v[k] = y[at(i + 1 + p * half + k)];
      }
      const long double bound = (p == 0 ? mu : mu_rolling) * x0, speed = norm(v, half);
      worst = std::max(worst, d * (norm(f, half) - bound));
      // where it slides, the force is opposite and largest: the smaller of what misses in either
      for (std::int32_t k = 0; k < half; k++) miss[k] = speed > 0 ? f[k] + bound * v[k] / speed : 0;
      worst = std::max(worst, std::min(speed, d * norm(miss, half)));
    }
    return worst;
  }
};

struct answer {
  perp_status status = 999;
  vec lambda, y;
  perp_info info = PERP_INFO_INIT;
};

answer solve(const perp_problem &p, const perp_friction_newton_options *o = nullptr,
             const vec &start = {}) {
  const perp_solver *solver = perp_solver_friction_newton();
  answer a;
  a.lambda = start.empty() ? vec(at(p.n), 999.0) : start;
  a.y.assign(at(p.n), 999.0);
  const std::size_t bytes = perp_solver_workspace(solver, &p, o);
  EXPECT_GT(bytes, 0U);
  std::vector<unsigned char> work(bytes + 16, 0xA5);
  a.status = perp_solver_solve(solver, &p, o, a.lambda.data(), a.y.data(), nullptr, work.data() + 3,
                               bytes, &a.info);
  for (std::size_t i = 0; i < 3; i++) EXPECT_EQ(work[i], 0xA5);
  for (std::size_t i = bytes + 3; i < work.size(); i++) EXPECT_EQ(work[i], 0xA5);
  return a;
}

perp_friction_newton_options with(std::int32_t function) {
  perp_friction_newton_options o = perp_friction_newton_options_default();
  o.function = function;
  return o;
}

dense diagonal(const vec &d) {
  const auto n = static_cast<std::int32_t>(d.size());
  dense M(n, n);
  for (std::int32_t i = 0; i < n; i++) M(i, i) = d[at(i)];
  return M;
}

// H Hᵀ of rank at most k, its rows scaled.
dense gram(std::int32_t n, std::int32_t k, uniform &u) {
  const dense H = u.matrix(n, k);
  dense M(n, n);
  for (std::int32_t i = 0; i < n; i++)
    for (std::int32_t j = 0; j < n; j++)
      for (std::int32_t r = 0; r < k; r++) M(i, j) += H(i, r) * H(j, r);
  return M;
}

// q = −M w with w in the cones: λ = w is a solution at rest, whatever the rank of M is.
vec resting(const dense &M, const std::string &letters, double mu, uniform &u) {
  vec w(at(M.rows)), q(at(M.rows));
  std::size_t i = 0;
  for (char c : letters) {
    w[i] = c == 'b' ? 0 : 1 + std::fabs(u());
    for (std::size_t k = 1; k < at(sample::size(c)); k++) w[i + k] = 0.05 * mu * u();
    i += at(sample::size(c));
  }
  for (std::int32_t r = 0; r < M.rows; r++)
    for (std::int32_t c = 0; c < M.cols; c++) q[at(r)] -= M(r, c) * w[at(c)];
  return q;
}

TEST(FrictionNewton, OneContactOfTheBookComesOutExactly) {
  struct known {
    dense M;
    vec q;
    double mu;
    vec lambda;
  };
  const known list[] = {
      {diagonal({1, 2}), {-1, 3}, 0.5, {1, -0.5}},
      {diagonal({1, 2}), {-1, 0.5}, 0.5, {1, -0.25}},
      {tools::from_rows(2, {1, 1.5, 1.5, 4}), {-1, 0}, 1, {16.0 / 7, -6.0 / 7}},
      {tools::from_rows(2, {1, 1.5, 1.5, 4}), {-1, -3}, 1, {0.4, 0.4}},
      {tools::from_rows(2, {1, 1.5, 1.5, 4}), {1, 4}, 1, {0, 0}},
      {diagonal({2, 3, 3}), {-4, 3, 4}, 0, {2, 0, 0}},
      {diagonal({2, 3, 3}), {-4, 3, 4}, 0.25, {2, -0.3, -0.4}},
      {diagonal({2, 3, 3}), {-4, 3, 4}, 1e6, {2, -1, -4.0 / 3}},
  };
  for (const known &k : list)
    for (std::int32_t f : kFunctions) {
      const sample s(k.M, k.q, k.q.size() == 2 ? "2" : "3", k.mu);
      perp_friction_newton_options o = with(f);
      o.tol = 1e-13;
      const answer a = solve(s.problem, &o, vec(k.q.size(), 0.0));
      EXPECT_EQ(a.status, PERP_OK) << f;
      for (std::size_t i = 0; i < k.q.size(); i++)
        EXPECT_NEAR(a.lambda[i], k.lambda[i], 1e-11) << f << " mu " << k.mu;
    }
}

TEST(FrictionNewton, EveryLawInOneProblemIsSolvedInEveryStorage) {
  for (std::int32_t f : kFunctions)
    for (std::uint64_t seed = 1; seed <= 20; seed++) {
      uniform u(seed);
      const std::string letters = seed % 2 == 0 ? "32rRfob3" : "o3R2fbr33";
      const std::int32_t n = sample::size(letters);
      const sample s(u.definite(n), u.vector(n), letters);
      const perp_friction_newton_options o = with(f);
      const answer dense_one = solve(s.problem, &o);
      EXPECT_EQ(dense_one.status, PERP_OK) << f << " seed " << seed;
      EXPECT_LE(s.error(dense_one.lambda), 1e-9) << f << " seed " << seed;
      for (const ints &cuts : {ints{}, s.cuts(), ints{0, 4, 5, n}})
        for (bool reverse : {false, true}) {
          const tools::stored rows(s.M, PERP_BLOCKS, cuts, reverse);
          perp_problem p = s.problem;
          p.M = rows.view;
          const answer a = solve(p, &o);
          EXPECT_EQ(a.status, PERP_OK) << f << " seed " << seed;
          EXPECT_LE(s.error(a.lambda), 1e-9);
        }
    }
}

TEST(FrictionNewton, TheLastDigitsComeWithFewSteps) {
  for (std::uint64_t seed = 1; seed <= 20; seed++) {
    uniform u(seed);
    const std::string letters(12, '3');
    const sample s(u.definite(36), u.vector(36), letters);
    perp_friction_newton_options o = perp_friction_newton_options_default();
    o.tol = 1e-13;
    const answer a = solve(s.problem, &o);
    EXPECT_EQ(a.status, PERP_OK) << seed;
    EXPECT_LE(s.error(a.lambda), 1e-12) << seed;
    EXPECT_LE(a.info.iterations, 40) << seed;
  }
}

TEST(FrictionNewton, HyperstaticProblemsAreSolved) {
  for (std::uint64_t seed = 1; seed <= 20; seed++)
    for (const std::string &letters : {std::string(10, '3'), std::string(8, '2') + "RRrr"}) {
      uniform u(seed);
      const std::int32_t n = sample::size(letters);
      const dense M = gram(n, 6, u);
      const sample s(M, resting(M, letters, 0.5, u), letters);
      perp_friction_newton_options o = perp_friction_newton_options_default();
      o.tol = 1e-10;
      const answer a = solve(s.problem, &o);
      EXPECT_EQ(a.status, PERP_OK) << letters << " seed " << seed;
      EXPECT_LE(s.error(a.lambda), 1e-9) << letters << " seed " << seed;
    }
}

// A pile of equal disks in rows, each upon two of the row below: more reactions than needed, many
// of them at the edge of sliding. Rows of H are (normal, tangential) for the disks of a contact.
std::unique_ptr<sample> pile(std::int32_t rows, double mu) {
  std::vector<std::vector<double>> H;
  vec q;
  std::vector<std::int32_t> first;
  std::int32_t disks = 0;
  for (std::int32_t r = 0; r < rows; r++) {
    first.push_back(disks);
    disks += rows - r;
  }
  const auto contact = [&](std::int32_t a, std::int32_t b, double nx, double ny) {
    vec n(at(3 * disks), 0.0), t(at(3 * disks), 0.0);
    n[at(3 * a)] = nx, n[at(3 * a + 1)] = ny;
    t[at(3 * a)] = -ny, t[at(3 * a + 1)] = nx, t[at(3 * a + 2)] = -1;
    if (b >= 0) {
      n[at(3 * b)] = -nx, n[at(3 * b + 1)] = -ny;
      t[at(3 * b)] = ny, t[at(3 * b + 1)] = -nx, t[at(3 * b + 2)] = -1;
    }
    H.push_back(n);
    H.push_back(t);
  };
  const double c = 0.5, h = std::sqrt(0.75);
  for (std::int32_t r = 0; r < rows; r++)
    for (std::int32_t k = 0; k < rows - r; k++) {
      const std::int32_t d = first[at(r)] + k;
      if (r == 0) contact(d, -1, 0, 1);
      if (k > 0) contact(d, d - 1, 1, 0);
      if (r > 0) contact(d, first[at(r - 1)] + k, c, h);
      if (r > 0) contact(d, first[at(r - 1)] + k + 1, -c, h);
    }
  const auto n = static_cast<std::int32_t>(H.size());
  dense M(n, n);
  for (std::int32_t i = 0; i < n; i++)
    for (std::int32_t j = 0; j < n; j++)
      for (std::int32_t k = 0; k < 3 * disks; k++)
        M(i, j) += (k % 3 == 2 ? 2 : 1) * H[at(i)][at(k)] * H[at(j)][at(k)];
  for (std::int32_t i = 0; i < n; i++) {  // falling, and drifting to one side
    double v = 0;
    for (std::int32_t d = 0; d < disks; d++)
      v += 0.1 * H[at(i)][at(3 * d)] * (d % 3) - H[at(i)][at(3 * d + 1)];
    q.push_back(v);
  }
  return std::make_unique<sample>(M, q, std::string(at(n / 2), '2'), mu);
}

TEST(FrictionNewton, PilesOfDisksAreSolved) {
  for (std::int32_t rows : {2, 4, 7})
    for (double mu : {0.1, 0.3, 0.8}) {
      const auto s = pile(rows, mu);
      for (std::int32_t sweeps : {0, 20}) {
        perp_friction_newton_options o = perp_friction_newton_options_default();
        o.sweeps = sweeps;
        o.tol = 1e-9;
        const answer a = solve(s->problem, &o, vec(at(s->problem.n), 0.0));
        EXPECT_EQ(a.status, PERP_OK) << rows << " rows, mu " << mu << ", sweeps " << sweeps;
        EXPECT_LE(s->error(a.lambda), 1e-8) << rows << " rows, mu " << mu;
      }
    }
}

TEST(FrictionNewton, SearchesAndSweepsAreChoices) {
  uniform u(5);
  const sample s(u.definite(18), u.vector(18), "333333");
  for (std::int32_t search : {PERP_SEARCH_WATCHDOG, PERP_SEARCH_NONMONOTONE,
                              PERP_SEARCH_GOLDSTEIN_PRICE, PERP_SEARCH_NONE})
    for (std::int32_t sweeps : {0, 1, 30}) {
      perp_friction_newton_options o = perp_friction_newton_options_default();
      o.search = search;
      o.sweeps = sweeps;
      const answer a = solve(s.problem, &o);
      EXPECT_EQ(a.status, PERP_OK) << search << " " << sweeps;
      EXPECT_LE(s.error(a.lambda), 1e-9);
    }
}

TEST(FrictionNewton, FrictionOfNoneAndOfVeryMuch) {
  for (double mu : {0.0, 1e-12, 10.0, 1e4}) {
    uniform u(3);
    const vec q = u.vector(21);  // drawn in one order by every compiler
    const sample s(u.definite(21), q, "332R32r", mu, mu);
    const answer a = solve(s.problem);
    EXPECT_EQ(a.status, PERP_OK) << mu;
    EXPECT_LE(s.error(a.lambda), 1e-9) << mu;
  }
}

TEST(FrictionNewton, WhatHasNoSolutionIsNotSolved) {
  for (std::int32_t f : kFunctions) {
    const perp_friction_newton_options o = with(f);
    for (const std::string &letters : {std::string("3"), std::string("2o")}) {
      const sample s(dense(3, 3), {-1, 0.5, 0}, letters);  // nothing moves, and it falls
      EXPECT_GT(solve(s.problem, &o).status, 0);
      perp_problem p = s.problem;
      p.M.kind = PERP_ZERO;
      EXPECT_GT(solve(p, &o).status, 0);
    }
    // pressed from both sides by two rigid walls
    const sample wedge(tools::from_rows(4, {1, 0, -1, 0, 0, 1, 0, -1, -1, 0, 1, 0, 0, -1, 0, 1}),
                       {-1, 0, -1, 0}, "22");
    EXPECT_GT(solve(wedge.problem, &o).status, 0);
  }
}

TEST(FrictionNewton, ADiagonalBlockOfZerosEndsHonestly) {
  uniform u(9);
  dense M = u.definite(9);
  for (std::int32_t i = 3; i < 6; i++)
    for (std::int32_t j = 0; j < 9; j++) M(i, j) = M(j, i) = 0;
  const sample falls(M, vec{-1, 0, 0, -1, 0, 0, -1, 0, 0}, "333"),
      rests(M, vec{-1, 0, 0, 1, 0, 0, -1, 0, 0}, "333");
  EXPECT_GT(solve(falls.problem).status, 0);
  const answer a = solve(rests.problem);
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_LE(rests.error(a.lambda), 1e-9);
}

TEST(FrictionNewton, NaNIsNamed) {
  uniform u(2);
  const dense M = u.definite(6);
  const vec q = u.vector(6);
  for (double bad : {kNaN, kInf, -kInf})
    for (std::int32_t i = 0; i < 6; i++) {
      vec wrong = q;
      wrong[at(i)] = bad;
      const sample s(M, wrong, "33");
      EXPECT_EQ(solve(s.problem).status, PERP_ENOTFINITE);
      dense N = M;
      N(i, 2) = bad;
      const sample t(N, q, "33");
      EXPECT_EQ(solve(t.problem).status, PERP_ENOTFINITE);
      vec start(6, 0.0);
      start[at(i)] = bad;
      const sample fine(M, q, "33");
      EXPECT_EQ(solve(fine.problem, nullptr, start).status, PERP_OK);
    }
}

TEST(FrictionNewton, NothingIsSolved) {
  const sample s(dense(0, 0), {}, "");
  const answer a = solve(s.problem);
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_EQ(a.info.iterations, 0);
}

TEST(FrictionNewton, LimitAndObserverAreObeyed) {
  uniform u(4);
  const sample s(u.definite(30), u.vector(30), std::string(10, '3'));
  perp_friction_newton_options o = tools::watch(perp_friction_newton_options_default());
  o.sweeps = 0;
  const answer whole = solve(s.problem, &o);
  ASSERT_EQ(whole.status, PERP_OK);
  ASSERT_GE(seen.size(), 3U);
  EXPECT_EQ(whole.info.iterations, static_cast<std::int32_t>(seen.size()));
  seen.clear();
  o.max_iter = 2;
  const answer cut = solve(s.problem, &o);
  EXPECT_EQ(cut.status, PERP_MAX_ITER);
  EXPECT_EQ(cut.info.iterations, 2);
  EXPECT_EQ(seen.size(), 2U);
  seen.clear();
  o.max_iter = 0;
  stop_at = 1;
  EXPECT_EQ(solve(s.problem, &o).status, PERP_STOPPED);
  EXPECT_EQ(seen.size(), 2U);
}

TEST(FrictionNewton, TheBudgetOfWorkEndsIt) {
  uniform u(4);
  const sample s(u.definite(30), u.vector(30), std::string(10, '3'));
  perp_friction_newton_options o = perp_friction_newton_options_default();
  ASSERT_EQ(solve(s.problem, &o).status, PERP_OK);
  o.budget = 1;
  const answer cut = solve(s.problem, &o);
  EXPECT_EQ(cut.status, PERP_MAX_ITER);
  EXPECT_EQ(cut.info.iterations, 0);
}

TEST(FrictionNewton, SparseWithoutABackEndIsDenseUpToALimit) {
  const perp_solver *solver = perp_solver_friction_newton();
  perp_shape shape{};
  shape.n = 2500;
  shape.n_blocks = shape.contacts = 2500;
  shape.largest = 1;
  shape.sets = 1U << PERP_SET_ORTHANT;
  shape.matrix = PERP_BLOCKS;
  shape.nonzeros = shape.envelope = 10000;
  EXPECT_GT(perp_solver_shape_workspace(solver, &shape, nullptr), std::size_t{2500} * 2500 * 8);
  shape.n = shape.n_blocks = shape.contacts = 2501;
  EXPECT_EQ(perp_solver_shape_workspace(solver, &shape, nullptr), 0U);
}

// ---- a back end that is dense, and counts ----

struct fake {
  std::vector<double> lu;
  std::int32_t n = 0;
};
int made = 0, released = 0;
perp_status trouble = PERP_OK;

perp_status fake_factor(std::int32_t n, const std::int32_t *start, const std::int32_t *index,
                        const double *values, void **factor) {
  if (trouble != PERP_OK) return trouble;
  if (*factor == nullptr) {
    *factor = new fake;
    made++;
  }
  fake &f = *static_cast<fake *>(*factor);
  f.n = n;
  f.lu.assign(at(n) * at(n), 0);
  for (std::int32_t i = 0; i < n; i++)
    for (std::int32_t e = start[i]; e < start[i + 1]; e++) {
      EXPECT_EQ(f.lu[at(i) + at(n) * at(index[e])], 0);  // each entry once
      f.lu[at(i) + at(n) * at(index[e])] = values[e];
    }
  return PERP_OK;
}
perp_status fake_solve(void *factor, double *b) {
  fake f = *static_cast<fake *>(factor);
  const std::size_t n = at(f.n);
  for (std::size_t k = 0; k < n; k++) {
    std::size_t p = k;
    for (std::size_t i = k; i < n; i++)
      if (std::fabs(f.lu[i + n * k]) > std::fabs(f.lu[p + n * k])) p = i;
    for (std::size_t j = 0; j < n; j++) std::swap(f.lu[k + n * j], f.lu[p + n * j]);
    std::swap(b[k], b[p]);
    for (std::size_t i = k + 1; i < n; i++) {
      const double m = f.lu[i + n * k] / f.lu[k + n * k];
      for (std::size_t j = k; j < n; j++) f.lu[i + n * j] -= m * f.lu[k + n * j];
      b[i] -= m * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; j++) b[k] -= f.lu[k + n * j] * b[j];
    b[k] /= f.lu[k + n * k];
  }
  return PERP_OK;
}
void fake_release(void *factor) {
  if (factor != nullptr) released++;
  delete static_cast<fake *>(factor);
}
const perp_sparse kFake = {sizeof(perp_sparse), 0,       "fake",  fake_factor, fake_solve,
                           fake_release,        nullptr, nullptr, nullptr};

TEST(FrictionNewton, ABackEndGetsTheSameSystemsAndItsFactorBack) {
  uniform u(6);
  const std::string letters = std::string(24, '3') + "rRfob2";
  const std::int32_t n = sample::size(letters);
  const sample s(u.definite(n), u.vector(n), letters);
  perp_friction_newton_options o = perp_friction_newton_options_default();
  o.sparse = &kFake;
  made = released = 0;
  trouble = PERP_OK;
  for (const ints &cuts : {ints{}, s.cuts()}) {
    const tools::stored rows(s.M, PERP_BLOCKS, cuts);
    perp_problem p = s.problem;
    p.M = rows.view;
    const answer a = solve(p, &o);
    EXPECT_EQ(a.status, PERP_OK);
    EXPECT_LE(s.error(a.lambda), 1e-9);
  }
  EXPECT_EQ(made, 2);
  EXPECT_EQ(released, 2);
}

TEST(FrictionNewton, AnIncompleteBackEndAndOneForSymmetricMatricesAreRefused) {
  for (int k = 0; k < 5; k++) {
    perp_sparse table = kFake;
    if (k == 0) table.struct_size = 8;
    if (k == 1) table.factor = nullptr;
    if (k == 2) table.solve = nullptr;
    if (k == 3) table.release = nullptr;
    if (k == 4) table.symmetric = 1;
    perp_friction_newton_options o = perp_friction_newton_options_default();
    o.sparse = &table;
    perp_info info = PERP_INFO_INIT;
    EXPECT_EQ(perp_solver_check(perp_solver_friction_newton(), &o, &info), PERP_EINVAL) << k;
    EXPECT_STREQ(info.field, "sparse");
  }
}

TEST(FrictionNewton, ABackEndThatFailsIsAFailure) {
  uniform u(6);
  const std::string letters(30, '3');
  const sample s(u.definite(90), vec(90, -1.0), letters);
  const tools::stored rows(s.M, PERP_BLOCKS, s.cuts());
  perp_problem p = s.problem;
  p.M = rows.view;
  perp_friction_newton_options o = perp_friction_newton_options_default();
  o.sparse = &kFake;
  trouble = PERP_EBACKEND;
  EXPECT_EQ(solve(p, &o).status, PERP_EBACKEND);
  trouble = PERP_EINVAL;  // always singular: sweeps are all there is
  const answer a = solve(p, &o);
  EXPECT_GE(a.status, 0);
  EXPECT_TRUE(a.status != PERP_OK || s.error(a.lambda) <= 1e-9);
  trouble = PERP_OK;
}

// ---- the pieces ----

// A solver's tables for one problem, in vectors.
class inner {
 public:
  friction_newton s{};
  session run{};
  explicit inner(const perp_problem &p) {
    perp_shape shape;
    perp_problem_shape(&p, &shape);
    const std::size_t n = at(p.n);
    s.run = &run;
    run.problem = &p;
    s.n = p.n;
    s.count = shape.contacts;
    contacts_.resize(at(s.count));
    perp_problem_contacts(&p, contacts_.data());
    s.contacts = contacts_.data();
    s.o = perp_friction_newton_options_default();
    run.lower = real(n, -0.5);
    run.upper = real(n, 0.25);
    s.rho = real(at(s.count), 0.7);
    s.size = real(at(s.count), 1);
    s.x = real(n, 0);
    s.u = real(n, 0);
    s.phi = real(n, 0);
    s.A = real(5 * n, kNaN);
    s.B = real(5 * n, kNaN);
    s.value = real(5 * n, kNaN);
    s.rows.value = real(n, kNaN);
    bytes_.assign(at(s.count), 0);
    s.off = bytes_.data();
    s.rows.column = whole(n);
    s.rows.block = whole(n);
    s.column = whole(n);
    s.seen = whole(n);
    at_.resize(n);
    s.rows.at = at_.data();
    perp_friction_newton_rows_open(&s);
  }
  inner(const inner &) = delete;
  inner &operator=(const inner &) = delete;

 private:
  std::vector<contact> contacts_;
  std::vector<std::unique_ptr<vec>> reals_;
  std::vector<std::unique_ptr<ints>> wholes_;
  std::vector<unsigned char> bytes_;
  std::vector<std::size_t> at_;
  double *real(std::size_t n, double x) {
    reals_.push_back(std::make_unique<vec>(n, x));
    return reals_.back()->data();
  }
  std::int32_t *whole(std::size_t n) {
    wholes_.push_back(std::make_unique<ints>(n, -7));
    return wholes_.back()->data();
  }
};

TEST(FrictionNewton, RowsAreThoseOfM) {
  uniform u(8);
  const std::string letters = "3o2Rbr";
  const std::int32_t n = sample::size(letters);
  dense M = u.matrix(n, n);
  for (std::int32_t k = 0; k < n; k++) M((7 * k) % n, (3 * k) % n) = M(k, k) = 0;
  for (std::int32_t i = 3; i < 6; i++)  // no diagonal block to find
    for (std::int32_t j = 3; j < 6; j++) M(i, j) = 0;
  const sample s(M, u.vector(n), letters);
  for (const ints &cuts : {ints{}, s.cuts(), ints{0, 2, 9, n}, ints{-1}})
    for (bool reverse : {false, true}) {
      const bool plain = cuts == ints{-1};
      const tools::stored M_view(s.M, plain ? PERP_DENSE : PERP_BLOCKS, plain ? ints{} : cuts,
                                 reverse);
      perp_problem p = s.problem;
      p.M = M_view.view;
      inner in(p);
      for (std::int32_t twice = 0; twice < 2; twice++)
        for (std::int32_t k = 0; k < in.s.count; k++) {
          const contact &c = in.s.contacts[k];
          const panel rows = perp_friction_newton_rows(&in.s, k);
          dense got(c.size, n);
          ints times(at(n), 0);
          for (std::int32_t e = 0; e < rows.count; e++) {
            times[at(rows.column[e])]++;
            for (std::int32_t i = 0; i < c.size; i++)
              got(i, rows.column[e]) += rows.value[at(i) + rows.ld * at(e)];
          }
          for (std::int32_t j = 0; j < n; j++) {
            EXPECT_LE(times[at(j)], 1);
            EXPECT_TRUE(times[at(j)] == 1 || j < c.begin || j >= c.begin + c.size);
            for (std::int32_t i = 0; i < c.size; i++) EXPECT_EQ(got(i, j), s.M(c.begin + i, j));
          }
        }
    }
}

TEST(FrictionNewton, JacobiansAreTheDerivatives) {
  uniform u(11);
  const std::string letters = "23rRfob";
  const std::int32_t n = sample::size(letters);
  const sample s(u.definite(n), u.vector(n), letters, 0.6, 0.3);
  int on = 0, off = 0;
  for (std::int32_t f : kFunctions)
    for (int round = 0; round < 200; round++) {
      inner in(s.problem);
      in.s.o.function = f;
      for (std::int32_t i = 0; i < n; i++) {
        in.s.x[i] = 2 * u();
        in.s.u[i] = u();
      }
      perp_friction_newton_linearise(&in.s);
      const double h = 1e-6;
      for (std::int32_t k = 0; k < in.s.count; k++) {
        const contact &c = in.s.contacts[k];
        (in.s.off[k] != 0 ? off : on)++;
        for (std::int32_t which = 0; which < 2; which++)
          for (std::int32_t j = 0; j < c.size; j++) {
            double *v = (which == 0 ? in.s.x : in.s.u) + c.begin + j;
            const double keep = *v;
            vec plus, minus;
            inner at_plus(s.problem), at_minus(s.problem);
            for (inner *other : {&at_plus, &at_minus}) {
              other->s.o.function = f;
              *v = other == &at_plus ? keep + h : keep - h;
              std::copy(in.s.x, in.s.x + n, other->s.x);
              std::copy(in.s.u, in.s.u + n, other->s.u);
              perp_friction_newton_linearise(&other->s);
            }
            *v = keep;
            const double *J = (which == 0 ? in.s.A : in.s.B) + 5 * at(c.begin) + at(c.size * j);
            const double *P = (which == 0 ? at_plus.s.A : at_plus.s.B) + 5 * at(c.begin) +
                              at(c.size * j),
                         *N = (which == 0 ? at_minus.s.A : at_minus.s.B) + 5 * at(c.begin) +
                              at(c.size * j);
            for (std::int32_t i = 0; i < c.size; i++) {
              if (std::fabs(P[i] - N[i]) > 1e-3) continue;  // a corner between
              const double slope =
                  (at_plus.s.phi[c.begin + i] - at_minus.s.phi[c.begin + i]) / (2 * h);
              EXPECT_NEAR(J[i], slope, 1e-4) << "function " << f << " law " << letters[at(k)]
                                             << " entry " << i << "," << j << " of " << which;
            }
          }
      }
    }
  EXPECT_GT(on, 1000);
  EXPECT_GT(off, 200);
}

// No factor of 30 000 x 30 000 behind the back: without a sparse back end there is no size for it.
TEST(FrictionNewton, WhatIsLargeAndSparseIsRefusedWithoutABackEnd) {
  const std::int32_t n = 30000;
  ints start(at(n) + 1), index(at(n));
  vec value(at(n), 1.0), q(at(n), -1.0), lambda(at(n), 999.0), y(at(n), 999.0), work(1000);
  for (std::int32_t i = 0; i <= n; i++) start[at(i)] = i;
  for (std::int32_t i = 0; i < n; i++) index[at(i)] = i;
  perp_friction friction;
  perp_friction_init(&friction, sizeof friction);
  friction.law.size = 3;
  friction.mu = 0.5;
  std::vector<const perp_law *> laws(at(n) / 3, &friction.law);
  ints offset(at(n) / 3 + 1);
  for (std::size_t k = 0; k < offset.size(); k++) offset[k] = 3 * static_cast<std::int32_t>(k);
  perp_problem p = PERP_PROBLEM_INIT;
  p.n = n;
  p.n_blocks = n / 3;
  p.M = perp_sparse_rows(n, n, start.data(), index.data(), value.data());
  p.q = q.data();
  p.laws = laws.data();
  p.offset = offset.data();
  for (const perp_solver *solver :
       {perp_solver_friction_newton(), perp_solver_friction_interior()}) {
    EXPECT_EQ(perp_solver_workspace(solver, &p, nullptr), 0u) << solver->name;
    perp_info info = PERP_INFO_INIT;
    EXPECT_EQ(perp_solver_solve(solver, &p, nullptr, lambda.data(), y.data(), nullptr, work.data(),
                                8 * work.size(), &info),
              PERP_EUNSUPPORTED);
    EXPECT_STREQ(info.field, "n") << solver->name;
    EXPECT_EQ(info.value, n);
    EXPECT_EQ(lambda[0], 999);
  }
}

TEST(FrictionNewton, TheMeritIsThatOfThePoint) {
  uniform u(12);
  const std::string letters = "23rRfob";
  const std::int32_t n = sample::size(letters);
  const sample s(u.definite(n), u.vector(n), letters);
  for (std::int32_t f : kFunctions) {
    inner in(s.problem);
    in.s.o.function = f;
    for (std::int32_t i = 0; i < n; i++) {
      in.s.x[i] = u();
      in.s.u[i] = u();
    }
    perp_friction_newton_linearise(&in.s);
    double sum = 0;
    for (std::int32_t i = 0; i < n; i++) sum += in.s.phi[i] * in.s.phi[i] / (2 * 0.7);
    EXPECT_NEAR(in.s.theta, sum, 1e-12);
    EXPECT_EQ(in.s.theta, perp_friction_newton_merit(&in.s, in.s.x, in.s.u));
  }
}

}  // namespace
