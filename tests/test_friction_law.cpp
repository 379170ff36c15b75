// SPDX-License-Identifier: MIT
// Friction and rolling as laws: projection, Jacobian, change of variable, restitution, and what the
// residual and perp_info say of them. A projection p of x on a closed convex cone K is judged by
// p ∈ K, x − p in the polar of K, (x − p)ᵀp = 0.
#include <gtest/gtest.h>
#include <perp/solver.h>
#include <perp/vi.h>

#include <cmath>
#include <limits>
#include <random>

#include "problem_tools.hpp"

extern "C" {
#include "problem/contacts.h"
#include "problem/definite.h"
}

namespace {

using tools::at;
using tools::dense;
using tools::ints;
using tools::kInf;
using tools::kNaN;
using tools::stored;
using tools::vec;

perp_friction friction(std::int32_t size, double mu) {
  perp_friction f;
  EXPECT_EQ(perp_friction_init(&f, sizeof f), PERP_OK);
  f.law.size = size;
  f.mu = mu;
  return f;
}

perp_rolling rolling(std::int32_t size, double mu, double mu_rolling) {
  perp_rolling r;
  EXPECT_EQ(perp_rolling_init(&r, sizeof r), PERP_OK);
  r.law.size = size;
  r.mu = mu;
  r.mu_rolling = mu_rolling;
  return r;
}

// A cone ‖x_k‖ <= c_k x_n as the test knows it: the parts of the law behind the normal.
struct cone {
  const perp_law *law;
  std::vector<double> c;

  std::size_t width() const { return (at(law->size) - 1) / c.size(); }
  double norm(const vec &x, std::size_t part) const {
    double sum = 0;
    for (std::size_t i = 0; i < width(); i++) {
      const double v = x[1 + part * width() + i];
      sum += v * v;
    }
    return std::sqrt(sum);
  }
  // How far x is outside of K, and outside of its polar x_n + Σ c_k ‖x_k‖ <= 0.
  double outside(const vec &x) const {
    double most = -x[0];
    for (std::size_t k = 0; k < c.size(); k++) most = std::max(most, norm(x, k) - c[k] * x[0]);
    return most;
  }
  double outside_polar(const vec &x) const {
    double sum = x[0];
    for (std::size_t k = 0; k < c.size(); k++) sum += c[k] * norm(x, k);
    return sum;
  }
};

class every_cone {
 public:
  every_cone() {
    for (const double mu : {0.0, 0.3, 1.0, 50.0}) {
      frictions_.push_back(friction(2, mu));
      frictions_.push_back(friction(3, mu));
      for (const double mu_rolling : {0.0, 0.1, 2.0}) {
        rollings_.push_back(rolling(3, mu, mu_rolling));
        rollings_.push_back(rolling(5, mu, mu_rolling));
      }
    }
    for (const perp_friction &f : frictions_) all.push_back({&f.law, {f.mu}});
    for (const perp_rolling &r : rollings_) all.push_back({&r.law, {r.mu, r.mu_rolling}});
  }
  std::vector<cone> all;

 private:
  std::vector<perp_friction> frictions_;
  std::vector<perp_rolling> rollings_;
};

class random_vector {
 public:
  explicit random_vector(unsigned seed) : engine_(seed) {}
  vec operator()(std::int32_t n) {
    vec x(at(n));
    for (double &v : x) v = normal_(engine_);
    if (engine_() % 4 == 0) x[engine_() % x.size()] = 0;
    return x;
  }

 private:
  std::mt19937 engine_;
  std::normal_distribution<double> normal_;
};

vec projected(const perp_law *law, const vec &x) {
  vec p(x.size(), 999);
  law->ops->project(law, nullptr, x.data(), p.data());
  return p;
}

TEST(FrictionLaw, TheProjectionIsTheNearestPointOfTheCone) {
  const every_cone cones;
  random_vector random(1);
  for (const cone &k : cones.all)
    for (int trial = 0; trial < 500; trial++) {
      vec x = random(k.law->size), rest(x.size());
      const vec p = projected(k.law, x);
      double product = 0;
      for (std::size_t i = 0; i < x.size(); i++) {
        rest[i] = x[i] - p[i];
        product += rest[i] * p[i];
      }
      const double eps = 1e-13 * (1 + k.c[0] * k.c[0]);
      ASSERT_LE(k.outside(p), eps);
      ASSERT_LE(k.outside_polar(rest), eps);
      ASSERT_NEAR(product, 0, eps);
      k.law->ops->project(k.law, nullptr, x.data(), x.data());
      ASSERT_EQ(x, p) << "in place";
      ASSERT_LE(k.outside(projected(k.law, p)), eps);
    }
}

TEST(FrictionLaw, TheJacobianIsTheDerivativeOfTheProjection) {
  const every_cone cones;
  random_vector random(2);
  const double h = 1e-6;
  int judged = 0;
  for (const cone &k : cones.all)
    for (int trial = 0; trial < 100; trial++) {
      const std::size_t n = at(k.law->size);
      const vec x = random(k.law->size);
      vec J(n * n, 999), D(n * n), near(n * n);
      k.law->ops->jacobian(k.law, nullptr, x.data(), J.data());
      vec moved = x;
      for (std::size_t i = 0; i < n; i++) moved[i] += 1e-4;
      k.law->ops->jacobian(k.law, nullptr, moved.data(), near.data());
      double change = 0, miss = 0, scale = 1;
      for (std::size_t j = 0; j < n; j++) {
        vec up = x, down = x;
        up[j] += h;
        down[j] -= h;
        const vec a = projected(k.law, up), b = projected(k.law, down);
        for (std::size_t i = 0; i < n; i++) {
          D[i + n * j] = (a[i] - b[i]) / (2 * h);
          miss = std::max(miss, std::fabs(D[i + n * j] - J[i + n * j]));
          change = std::max(change, std::fabs(near[i + n * j] - J[i + n * j]));
          scale = std::max(scale, std::fabs(J[i + n * j]));
        }
      }
      if (change > 1e-2 * scale) continue;  // a kink nearby
      judged++;
      ASSERT_LE(miss, 1e-5 * scale + change * 1e-1);
    }
  EXPECT_GT(judged, 1000);
}

TEST(FrictionLaw, TheChangeOfVariableAddsTheSlipToTheNormal) {
  const perp_friction f = friction(3, 0.5);
  const perp_rolling r = rolling(5, 0.5, 0.25);
  vec y{1, 3, 4}, out(3);
  f.law.ops->shift(&f.law, nullptr, y.data(), out.data());
  EXPECT_EQ(out, (vec{3.5, 3, 4}));
  f.law.ops->shift(&f.law, nullptr, y.data(), y.data());
  EXPECT_EQ(y, out) << "in place";
  y = {1, 3, 4, 0, -8};
  out.resize(5);
  r.law.ops->shift(&r.law, nullptr, y.data(), out.data());
  EXPECT_EQ(out, (vec{5.5, 3, 4, 0, -8}));
}

TEST(FrictionLaw, RestitutionJoinsQ) {
  perp_friction f = friction(3, 0.5);
  f.e_n = 0.5;
  f.e_t = -1;
  const vec ydot{-2, 3, 4};
  vec q{1, 1, 1};
  f.law.ops->restitute(&f.law, nullptr, ydot.data(), q.data());
  EXPECT_EQ(q, (vec{0, -2, -3}));
  perp_rolling r = rolling(3, 1, 1);
  r.e_n = 1;
  r.e_t = 0.5;
  q = {0, 0, 0};
  r.law.ops->restitute(&r.law, nullptr, ydot.data(), q.data());
  EXPECT_EQ(q, (vec{-2, 1.5, 2}));
}

TEST(FrictionLaw, DataOutOfRangeIsNamed) {
  const auto status = [](const perp_law &law, const char **field) {
    perp_info info = PERP_INFO_INIT;
    const perp_status s = perp_law_check(&law, &info);
    *field = info.field == nullptr ? "" : info.field;
    return s;
  };
  const struct {
    double mu, e_n, e_t;
    perp_status expected;
    const char *field;
  } cases[] = {{0, 0, 0, PERP_OK, ""},
               {1e300, 1, -1, PERP_OK, ""},
               {-0.1, 0, 0, PERP_EINVAL, "mu"},
               {kNaN, 0, 0, PERP_ENOTFINITE, "mu"},
               {kInf, 0, 0, PERP_ENOTFINITE, "mu"},
               {1, 1.1, 0, PERP_EINVAL, "e_n"},
               {1, 0, -1.5, PERP_EINVAL, "e_t"},
               {1, 0, kNaN, PERP_ENOTFINITE, "e_t"}};
  for (const auto &c : cases) {
    perp_friction f = friction(3, c.mu);
    f.e_n = c.e_n;
    f.e_t = c.e_t;
    perp_rolling r = rolling(5, c.mu, 0.1);
    r.e_n = c.e_n;
    r.e_t = c.e_t;
    const char *field;
    EXPECT_EQ(status(f.law, &field), c.expected);
    EXPECT_STREQ(field, c.field);
    EXPECT_EQ(status(r.law, &field), c.expected);
    EXPECT_STREQ(field, c.field);
  }
  const char *field;
  EXPECT_EQ(status(rolling(3, 1, -1).law, &field), PERP_EINVAL);
  EXPECT_STREQ(field, "mu_rolling");
  EXPECT_EQ(status(friction(4, 1).law, &field), PERP_EINVAL);
  EXPECT_STREQ(field, "size");
  EXPECT_EQ(status(rolling(4, 1, 1).law, &field), PERP_EINVAL);
  perp_friction f;
  perp_rolling r;
  EXPECT_EQ(perp_friction_init(nullptr, sizeof f), PERP_EINVAL);
  EXPECT_EQ(perp_friction_init(&f, 8), PERP_EINVAL);
  EXPECT_EQ(perp_rolling_init(&r, sizeof f), PERP_EINVAL);
}

TEST(FrictionLaw, NanComesOutAndLargeNumbersDoNotOverflow) {
  const every_cone cones;
  for (const cone &k : cones.all) {
    for (std::int32_t i = 0; i < k.law->size; i++) {
      vec x(at(k.law->size), 1);
      x[at(i)] = kNaN;
      double sum = 0;
      for (const double v : projected(k.law, x)) sum += v;
      EXPECT_TRUE(std::isnan(sum)) << i;
    }
    for (const double large : {1e-200, 1e200}) {
      vec x(at(k.law->size), large);
      for (const double v : projected(k.law, x)) EXPECT_TRUE(std::isfinite(v));
    }
  }
}

TEST(FrictionLaw, TheListOfContactsIsTheLawsCopyByCopy) {
  const perp_friction f = friction(3, 0.5);
  const perp_rolling r = rolling(5, 0.25, 0.125);
  perp_complementarity c;
  ASSERT_EQ(perp_complementarity_init(&c, sizeof c), PERP_OK);
  const perp_law *laws[] = {&c.law, &f.law, &r.law};
  const ints offset{0, 2, 8, 13};
  const vec q(13);
  perp_problem p = perp_problem_of(perp_matrix{}, q.data(), 3, laws, offset.data());
  p.n = 13;
  p.M.rows = p.M.cols = 13;
  ASSERT_EQ(perp_problem_check(&p, nullptr), PERP_OK);
  std::int32_t largest = 0;
  ASSERT_EQ(perp_problem_contact_count(&p, &largest), 5);
  EXPECT_EQ(largest, 5);
  contact out[5];
  perp_problem_contacts(&p, out);
  const ints begins{0, 1, 2, 5, 8}, sizes{1, 1, 3, 3, 5}, blocks{0, 0, 1, 1, 2};
  for (std::size_t i = 0; i < 5; i++) {
    EXPECT_EQ(out[i].begin, begins[i]);
    EXPECT_EQ(out[i].size, sizes[i]);
    EXPECT_EQ(out[i].block, blocks[i]);
    EXPECT_EQ(out[i].law, laws[blocks[i]]);
  }
  EXPECT_EQ(out[2].mu, 0.5);
  EXPECT_EQ(out[4].mu_rolling, 0.125);
  perp_shape shape;
  perp_problem_shape(&p, &shape);
  EXPECT_EQ(shape.contacts, 5);
  EXPECT_EQ(shape.largest, 5);
}

dense random_matrix(std::int32_t n, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  dense A(n, n);
  for (std::int32_t j = 0; j < n; j++)
    for (std::int32_t i = 0; i < n; i++) A(i, j) = uniform(engine);
  return A;
}

TEST(FrictionLaw, DiagonalBlocksAreReadFromEveryStorage) {
  const dense A = random_matrix(13, 3);
  const ints begins{0, 3, 5, 8}, sizes{3, 2, 3, 5};
  const std::vector<std::pair<std::int32_t, ints>> kinds = {{PERP_DENSE, {}},
                                                            {PERP_DIAGONAL, {}},
                                                            {PERP_ZERO, {}},
                                                            {PERP_BLOCKS, {}},
                                                            {PERP_BLOCKS, {0, 3, 5, 8, 13}},
                                                            {PERP_BLOCKS, {0, 4, 13}},
                                                            {PERP_BLOCKS, {0, 1, 6, 7, 13}}};
  for (const auto &[kind, cuts] : kinds) {
    const stored s(A, kind, cuts, true);
    block_reader reader = block_reader_open(&s.view);
    for (std::size_t c = 0; c < begins.size(); c++) {
      vec B(25, 999);
      perp_block_read(&s.view, &reader, begins[c], sizes[c], B.data());
      for (std::int32_t j = 0; j < sizes[c]; j++)
        for (std::int32_t i = 0; i < sizes[c]; i++)
          EXPECT_EQ(B[at(i + sizes[c] * j)],
                    perp_matrix_entry(&s.view, begins[c] + i, begins[c] + j));
    }
  }
}

TEST(FrictionLaw, AnIndefiniteBlockIsAWarningAndSixDigitsAreNone) {
  const perp_friction f = friction(3, 0.5);
  const perp_law *laws[] = {&f.law, &f.law};
  const vec q(6);
  dense A(6, 6);
  for (std::int32_t i = 0; i < 6; i++)
    for (std::int32_t j = 0; j < 6; j++) A(i, j) = i == j ? 1 : 0;
  const auto found = [&](double last) {
    A(5, 5) = last;
    const stored s(A, PERP_BLOCKS, {0, 3, 6});
    const perp_problem p = perp_problem_of(s.view, q.data(), 2, laws, nullptr);
    vec lambda(6), y(6), work(400);
    perp_info info = PERP_INFO_INIT;
    EXPECT_EQ(perp_solver_solve(perp_solver_extragradient(), &p, nullptr, lambda.data(), y.data(),
                                nullptr, work.data(), work.size() * sizeof(double), &info),
              PERP_OK);
    EXPECT_EQ(info.warnings != 0, perp_problem_indefinite(&p) >= 0);
    if (info.warnings != 0) {
      EXPECT_EQ(info.index, 1);
    }
    return perp_problem_indefinite(&p);
  };
  EXPECT_EQ(found(1), -1);
  EXPECT_EQ(found(0), -1);
  EXPECT_EQ(found(-1e-6), -1);
  EXPECT_EQ(found(-1e-4), 1);
}

// The cone of a huge coefficient is nearly a half-space, and û far inside its dual.
TEST(FrictionLaw, APenetrationIsNoSolutionHoweverLargeTheCoefficientIs) {
  const vec M{1, 1, 1}, q{-2, 0.25, 0.3};
  vec work(200), y(3);
  for (const double mu : {0.5, 1e3, 1e6, 1e12}) {
    const perp_friction f = friction(3, mu);
    const perp_law *laws[] = {&f.law};
    const perp_problem p = perp_problem_of(perp_diagonal(3, M.data()), q.data(), 1, laws, nullptr);
    for (const vec &lambda : {vec{0, 0, 0}, vec{2, -0.25, -0.3}}) {
      perp_residual r = PERP_RESIDUAL_INIT;
      ASSERT_EQ(perp_problem_residual(&p, lambda.data(), y.data(), &r, work.data(),
                                      work.size() * sizeof(double)),
                PERP_OK);
      EXPECT_NEAR(r.residual, lambda[0] == 0 ? 2 : 0, 1e-15);
      EXPECT_EQ(perp_residual_solved(&r, 1e-4), lambda[0] == 0 ? 0 : 1) << mu;
    }
  }
}

// Contacts that stick, slip and take off, beside an equation: what info says of a point near them.
TEST(FrictionLaw, InfoTellsTheWorstOfEachLawAndWhetherFrictionDissipates) {
  const perp_friction f = friction(2, 0.5);
  perp_equality e;
  ASSERT_EQ(perp_equality_init(&e, sizeof e), PERP_OK);
  const perp_law *laws[] = {&f.law, &e.law, &f.law};
  const vec M{1, 2, 1, 1, 2}, q{-1, 3, -4, -1, 0.5};
  const perp_problem p = perp_problem_of(perp_diagonal(5, M.data()), q.data(), 3, laws, nullptr);
  vec work(400), y(5);
  const auto measure = [&](const vec &lambda) {
    perp_residual r = PERP_RESIDUAL_INIT;
    EXPECT_EQ(perp_problem_residual(&p, lambda.data(), y.data(), &r, work.data(),
                                    work.size() * sizeof(double)),
              PERP_OK);
    return r;
  };
  perp_residual r = measure({1, -0.5, 4, 1, -0.25});
  EXPECT_EQ(r.residual, 0);
  EXPECT_LE(r.creep, 0);
  EXPECT_EQ(r.scale, 8);
  r = measure({1, -0.5, 4.25, 1, -0.25});
  EXPECT_EQ(r.worst_block, 1);
  EXPECT_EQ(r.violation[PERP_SET_FREE], 0.25);
  EXPECT_EQ(r.violation[PERP_SET_CONE], 0);
  r = measure({1, 0.5, 4, 1, -0.25});  // friction that drives
  EXPECT_EQ(r.worst_block, 0);
  EXPECT_EQ(r.creep, 4);
  EXPECT_GT(r.violation[PERP_SET_CONE], 1);

  vec lambda(5);
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(perp_solver_solve(perp_solver_fixed_point(), &p, nullptr, lambda.data(), y.data(),
                              nullptr, work.data(), work.size() * sizeof(double), &info),
            PERP_OK);
  EXPECT_EQ(info.dissipates, 1);
  EXPECT_LE(info.violation[PERP_SET_CONE], info.residual);
  EXPECT_NEAR(lambda[1], -0.5, 1e-9);
}

}  // namespace
