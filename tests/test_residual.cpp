// SPDX-License-Identifier: MIT
// The verifier against its definition, written here again in long double.
#include <gtest/gtest.h>
#include <perp/problem.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "contact_system.hpp"
#include "problem_tools.hpp"

extern "C" {
#include "problem/residual.h"
#include "problem/residual_lcp.h"
}

namespace {

using tools::at;
using tools::dense;
using tools::ints;
using tools::kEps;
using tools::kInf;
using tools::kNaN;
using tools::stored;
using tools::uniform;
using tools::vec;
using real = long double;

// A user's law: the ball of radius r (in the state of each copy) in 3 components, with a change of
// variable as friction has one.
void ball_project(const perp_law *, const void *state, const double *x, double *p) {
  double r;
  std::memcpy(&r, state, sizeof r);
  const double norm = std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  const double f = norm <= r ? 1 : r / norm;
  for (int i = 0; i < 3; i++) p[i] = f * x[i];
}
void ball_shift(const perp_law *, const void *, const double *y, double *out) {
  const double first = y[0] + 0.25 * std::fabs(y[1]);
  out[2] = y[2];
  out[1] = y[1];
  out[0] = first;
}
std::size_t ball_state(const perp_law *) { return sizeof(double); }
void ball_init(const perp_law *, void *state) { std::memset(state, 0, sizeof(double)); }

// One block of laws as the test knows it.
struct spec {
  char kind;          // 'e'quality, 'c'omplementarity, 'i'mpact, 'b'ox, 'o'ther
  std::int32_t size;  // of a copy
  std::int32_t copies;
  vec lower, upper;  // box: one copy
  vec radius;        // other: all copies
};

// The perp view of specs; owns the laws.
class law_blocks {
 public:
  std::vector<const perp_law *> laws;
  ints offset{0};
  std::vector<const void *> states;

  explicit law_blocks(std::vector<spec> specs) : specs_(std::move(specs)) {
    ops_.struct_size = sizeof ops_;
    ops_.set = PERP_SET_OTHER;
    ops_.name = "ball";
    ops_.project = ball_project;
    ops_.shift = ball_shift;
    ops_.state_bytes = ball_state;
    ops_.state_init = ball_init;
    for (const spec &s : specs_) add(s);
  }
  law_blocks(const law_blocks &) = delete;
  law_blocks &operator=(const law_blocks &) = delete;

 private:
  union any {
    perp_law law;
    perp_equality equality;
    perp_complementarity complementarity;
    perp_newton_impact impact;
    perp_box box;
  };
  std::vector<spec> specs_;
  perp_law_ops ops_{};
  std::vector<std::unique_ptr<any>> owned_;

  void add(const spec &s) {
    owned_.push_back(std::make_unique<any>());
    any &a = *owned_.back();
    if (s.kind == 'e') perp_equality_init(&a.equality, sizeof a.equality);
    if (s.kind == 'c') perp_complementarity_init(&a.complementarity, sizeof a.complementarity);
    if (s.kind == 'i') perp_newton_impact_init(&a.impact, sizeof a.impact);
    if (s.kind == 'b') {
      perp_box_init(&a.box, sizeof a.box);
      a.box.lower = s.lower.data();
      a.box.upper = s.upper.data();
    }
    if (s.kind == 'o') a.law = {&ops_, sizeof a.law, 3};
    a.law.size = s.size;
    laws.push_back(&a.law);
    offset.push_back(offset.back() + s.size * s.copies);
    states.push_back(s.kind == 'o' ? s.radius.data() : nullptr);
  }
};

struct verdict {
  real residual = 0, relative = 0, hat = 0, natural = 0;
  std::vector<real> r;  // of every unknown's block
};

// P of one copy in long double.
std::vector<real> project(const spec &s, std::int32_t copy, const std::vector<real> &x) {
  std::vector<real> p = x;
  if (s.kind == 'o') {
    const real norm = std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), r = s.radius[at(copy)];
    if (norm > r)
      for (real &v : p) v *= r / norm;
    return p;
  }
  for (std::size_t i = 0; i < x.size(); i++) {
    const real l = s.kind == 'e' ? -kInf : s.kind == 'b' ? s.lower[i] : 0;
    const real u = s.kind == 'b' ? s.upper[i] : kInf;
    p[i] = std::max(l, std::min(u, x[i]));
  }
  return p;
}

verdict judge(const dense &M, const vec &q, const vec &lambda, const std::vector<spec> &specs) {
  const std::int32_t n = M.rows;
  verdict v;
  v.r.resize(at(n));
  const std::vector<real> y = tools::affine(M, q, lambda);
  vec hat(at(n));
  real natural = 0, q_norm = 0, scale = 0, hat_scale = 0;
  std::int32_t begin = 0;
  for (const spec &s : specs) {
    for (std::int32_t copy = 0; copy < s.copies; copy++, begin += s.size) {
      const std::size_t size = at(s.size);
      std::vector<real> shifted(size), column(size), zero(size), step(size), unit(size);
      for (std::size_t k = 0; k < size; k++) {
        shifted[k] = y[at(begin) + k];
        for (std::int32_t i = 0; i < n; i++)
          column[k] += static_cast<real>(M(i, begin + static_cast<std::int32_t>(k))) *
                       M(i, begin + static_cast<std::int32_t>(k));
      }
      if (s.kind == 'o') shifted[0] += 0.25L * std::fabs(shifted[1]);
      real block = 0;  // by component the block is the component
      for (std::size_t k = 0; k < size; k++) block += column[k];
      std::vector<real> rho(size);
      for (std::size_t k = 0; k < size; k++) {
        const real f = s.kind == 'o' ? block : column[k];
        rho[k] = f > 0 ? 1 / std::sqrt(f) : 1;
        step[k] = lambda[at(begin) + k] - rho[k] * shifted[k];
        unit[k] = lambda[at(begin) + k] - shifted[k];
      }
      const std::vector<real> p = project(s, copy, step), p1 = project(s, copy, unit);
      const std::vector<real> p0 = project(s, copy, zero);
      real whole = 0;
      for (std::size_t k = 0; k < size; k++) {
        const real d = (lambda[at(begin) + k] - p[k]) / rho[k];
        const real e = lambda[at(begin) + k] - p1[k];
        v.r[at(begin) + k] = std::fabs(d);
        whole += d * d;
        natural += e * e;
        const bool bounded =
            s.kind == 'b' && std::isfinite(s.lower[k]) && std::isfinite(s.upper[k]);
        hat[at(begin) + k] =
            std::fabs(bounded ? lambda[at(begin) + k] : static_cast<double>(p0[k]));
      }
      if (s.kind == 'o')
        for (std::size_t k = 0; k < size; k++) v.r[at(begin) + k] = std::sqrt(whole);
    }
  }
  for (std::int32_t i = 0; i < n; i++) {
    real row = std::fabs(static_cast<real>(q[at(i)])), hat_row = row;
    q_norm += row * row;
    for (std::int32_t j = 0; j < n; j++) {
      row += std::fabs(static_cast<real>(M(i, j)) * lambda[at(j)]);
      hat_row += std::fabs(static_cast<real>(M(i, j))) * hat[at(j)];
    }
    scale = std::max(scale, row);
    hat_scale = std::max(hat_scale, hat_row);
    v.residual = std::max(v.residual, v.r[at(i)]);
  }
  v.relative = v.residual == 0 && scale == 0 ? 0 : v.residual / scale;
  v.hat = hat_scale;
  v.natural = natural == 0 && q_norm == 0 ? 0 : std::sqrt(natural / q_norm);
  return v;
}

// A residual computed through the public function, outputs filled before.
struct measured {
  perp_residual r = PERP_RESIDUAL_INIT;
  vec y;
  perp_status status;
};

perp_residual filled() {
  perp_residual r = PERP_RESIDUAL_INIT;
  r.residual = r.relative = r.hat = r.natural_error = r.creep = r.scale = 999;
  r.worst = r.worst_block = 999;
  for (double &v : r.violation) v = 999;
  return r;
}

measured measure(const perp_problem &p, const vec &lambda) {
  const std::size_t bytes = perp_problem_residual_workspace(&p);
  std::vector<unsigned char> work(bytes, 0xA5);
  measured m = {filled(), vec(at(p.n), 999.0), PERP_OK};
  m.status = perp_problem_residual(&p, lambda.data(), m.y.data(), &m.r, work.data(), bytes);
  return m;
}

perp_problem view(const stored &M, const vec &q, const law_blocks &laws) {
  perp_problem p = PERP_PROBLEM_INIT;
  p.M = M.view;
  p.q = q.data();
  p.n = static_cast<std::int32_t>(q.size());
  p.n_blocks = static_cast<std::int32_t>(laws.laws.size());
  p.laws = laws.laws.data();
  p.offset = laws.offset.data();
  p.states = laws.states.data();
  return p;
}

std::vector<spec> random_specs(uniform &random, std::int32_t n) {
  std::vector<spec> specs;
  const auto pick = [&](std::int32_t m) {
    return std::min(m - 1, static_cast<std::int32_t>((random() + 1) / 2 * m));
  };
  for (std::int32_t left = n; left > 0;) {
    spec s = {"ecibo"[pick(5)], 1 + pick(2), 1 + pick(2), {}, {}, {}};
    if (s.kind == 'o') s.size = 3;
    if (s.size * s.copies > left) continue;
    for (std::int32_t k = 0; k < s.size; k++) {
      const double l = random(), u = l + pick(3);
      s.lower.push_back(pick(4) == 0 ? -kInf : l);
      s.upper.push_back(pick(4) == 0 ? kInf : u);
    }
    for (std::int32_t k = 0; k < s.copies; k++) s.radius.push_back(1 + random());
    left -= s.size * s.copies;
    specs.push_back(s);
  }
  return specs;
}

dense random_matrix(uniform &random, std::int32_t n, std::int32_t kind) {
  dense M(n, n, kind == PERP_DENSE ? 2 : 0);
  for (std::int32_t j = 0; j < n; j++)
    for (std::int32_t i = 0; i < n; i++) {
      const double v = random();
      if (kind == PERP_ZERO || (kind == PERP_DIAGONAL && i != j)) continue;
      if (kind == PERP_BLOCKS && random() < 0) continue;
      M(i, j) = v;
    }
  return M;
}

ints random_cuts(uniform &random, std::int32_t n) {
  ints cuts = {0};
  while (cuts.back() < n) cuts.push_back(std::min(n, cuts.back() + 1 + (random() > 0 ? 1 : 0)));
  return cuts;
}

void expect_close(double a, real b, const char *what, int trial) {
  EXPECT_NEAR(a, static_cast<double>(b), 1e-13 * (1 + std::fabs(static_cast<double>(b))))
      << what << " in trial " << trial;
}

TEST(Residual, FollowsTheDefinitionForAllLawsAndKindsOfMatrices) {
  uniform random(7);
  for (int trial = 0; trial < 2000; trial++) {
    const std::int32_t n = 1 + trial % 11, kind = trial / 11 % 4;
    const dense M = random_matrix(random, n, kind);
    const std::vector<spec> specs = random_specs(random, n);
    const bool variable = trial % 3 == 0;
    const stored s(M, kind, variable ? random_cuts(random, n) : ints{}, trial % 2 == 0);
    const law_blocks laws(specs);
    const vec q = random.vector(n);
    vec lambda = random.vector(n);
    for (double &x : lambda) x = x > 0.6 ? 0 : 2 * x;
    const perp_problem p = view(s, q, laws);
    const measured m = measure(p, lambda);
    const verdict v = judge(M, q, lambda, specs);
    ASSERT_EQ(m.status, PERP_OK);
    expect_close(m.r.residual, v.residual, "residual", trial);
    expect_close(m.r.relative, v.relative, "relative", trial);
    expect_close(m.r.hat, v.hat, "hat", trial);
    expect_close(m.r.natural_error, v.natural, "natural error", trial);
    ASSERT_GE(m.r.worst, 0);
    ASSERT_LT(m.r.worst, n);
    expect_close(static_cast<double>(v.r[at(m.r.worst)]), v.residual, "worst", trial);
    if (m.r.worst > 0 && v.r[at(m.r.worst - 1)] < v.residual * (1 - 1e-9L)) {
      EXPECT_LT(v.r[at(m.r.worst - 1)], v.residual);  // the first unknown of its block
    }
    const std::vector<real> y = tools::affine(M, q, lambda);
    for (std::int32_t i = 0; i < n; i++) expect_close(m.y[at(i)], y[at(i)], "y", trial);
  }
}

TEST(Residual, ManyBlocksOfOneLawAreOneRunAndChangeNoBit) {
  uniform random(3);
  const std::int32_t n = 9;
  const dense M = random.definite(n);
  const vec q = random.vector(n), lambda = random.vector(n);
  perp_complementarity law;
  perp_complementarity_init(&law, sizeof law);
  const std::vector<const perp_law *> laws(at(n), &law.law);
  const ints whole = {0, n}, cut = {0, 2, 2, 7, 9};
  perp_problem p = perp_problem_of(perp_dense(n, n, M.data()), q.data(), n, laws.data(), nullptr);
  measured single = measure(p, lambda);
  EXPECT_EQ(single.r.worst_block, single.r.worst);
  p.n_blocks = 1;
  p.offset = whole.data();
  measured one = measure(p, lambda);
  EXPECT_EQ(one.r.worst_block, 0);
  p.n_blocks = 4;
  p.offset = cut.data();
  measured four = measure(p, lambda);
  EXPECT_EQ(four.r.worst_block, four.r.worst < 2 ? 0 : four.r.worst < 7 ? 2 : 3);
  single.r.worst_block = one.r.worst_block = four.r.worst_block = 0;
  EXPECT_EQ(std::memcmp(&single.r, &one.r, sizeof one.r), 0);
  EXPECT_EQ(std::memcmp(&single.r, &four.r, sizeof one.r), 0);
}

// A small problem with every kind of interval, solved exactly.
struct mixed {
  dense M = tools::from_rows(4, {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2});
  vec q = {-2, 4, 8, -1}, lambda = {1, 0, -3, 0.5};
  std::vector<spec> specs = {{'e', 1, 1, {}, {}, {}},
                             {'c', 1, 1, {}, {}, {}},
                             {'b', 1, 1, {-3}, {3}, {}},
                             {'i', 1, 1, {}, {}, {}}};
};

TEST(Residual, IsZeroAtASolution) {
  mixed x;
  const stored s(x.M, PERP_DENSE);
  const law_blocks laws(x.specs);
  const measured m = measure(view(s, x.q, laws), x.lambda);
  EXPECT_EQ(m.r.residual, 0);
  EXPECT_EQ(m.r.relative, 0);
  EXPECT_EQ(m.r.natural_error, 0);
  EXPECT_EQ(m.r.worst, 0);
  EXPECT_EQ(perp_residual_solved(&m.r, 0), 1);
}

TEST(Residual, ProblemsWithoutDataOrUnknownsAreSolved) {
  const dense M(3, 3);
  const stored s(M, PERP_ZERO);
  const law_blocks laws({{'c', 1, 3, {}, {}, {}}});
  const measured m = measure(view(s, vec(3, 0.0), laws), vec(3, 7.0));
  EXPECT_EQ(m.r.relative, 0);  // 0/0
  EXPECT_EQ(perp_residual_solved(&m.r, 0), 1);
  perp_problem empty = PERP_PROBLEM_INIT;
  perp_residual r = filled();
  unsigned char work[64];
  EXPECT_GT(perp_problem_residual_workspace(&empty), 0u);
  EXPECT_EQ(perp_problem_residual(&empty, nullptr, nullptr, &r, work, sizeof work), PERP_OK);
  EXPECT_EQ(r.worst, -1);
  EXPECT_EQ(r.residual, 0);
  EXPECT_EQ(perp_residual_solved(&r, 1e-10), 1);
}

TEST(Residual, AHugeMultiplierOfAnInfeasibleProblemIsNoSolution) {
  const dense M = tools::from_rows(2, {1, -1, -1, 1});
  const stored s(M, PERP_DENSE);
  const law_blocks laws({{'c', 1, 2, {}, {}, {}}});
  const vec q = {-1, -1};
  const measured m = measure(view(s, q, laws), {1e10, 1e10});
  EXPECT_LE(m.r.relative, 1e-10);  // a backward error alone would take it
  EXPECT_EQ(m.r.residual, 1);
  EXPECT_DOUBLE_EQ(m.r.hat, 1);
  EXPECT_EQ(perp_residual_solved(&m.r, 1e-9), 0);
}

TEST(Residual, AMultiplierThatDrownsTheDataInRoundingIsNoSolution) {
  const dense M = tools::from_rows(2, {1, -1, -1, 1});
  const stored s(M, PERP_DENSE);
  const law_blocks laws({{'c', 1, 2, {}, {}, {}}});
  const measured m = measure(view(s, vec{-1, -1}, laws), {1e17, 1e17});  // y = 1e17 - 1e17 - 1
  EXPECT_LE(m.r.relative, 1e-16);
  EXPECT_EQ(m.r.residual, 1);  // in twice the precision
  EXPECT_EQ(perp_residual_solved(&m.r, 1e-9), 0);
  const measured zero = measure(view(s, vec{0, 0}, laws), {1e17, 1e17});  // does solve
  EXPECT_EQ(perp_residual_solved(&zero.r, 1e-9), 1);
}

TEST(Residual, LargeMultipliersOnBoundedSetsAreNotHeldAgainstThem) {
  const dense M = tools::from_rows(1, {1});
  const stored s(M, PERP_DENSE);
  const law_blocks laws({{'b', 1, 1, {-2e10}, {2e10}, {}}});
  const measured m = measure(view(s, vec{-1}, laws), vec{1e10});
  EXPECT_DOUBLE_EQ(m.r.hat, 1e10 + 1);
}

TEST(Residual, FollowsTheUnits) {  // exactly, as the factors are powers of two
  uniform random(5);
  const std::int32_t n = 6;
  const dense M = random.definite(n);
  const vec q = random.vector(n), lambda = random.vector(n);
  const law_blocks laws({{'c', 1, 4, {}, {}, {}}, {'e', 1, 2, {}, {}, {}}});
  const stored s(M, PERP_DENSE);
  const measured unit = measure(view(s, q, laws), lambda);
  for (int a : {-900, -600, -3, 40, 600, 900}) {  // units of y
    for (int b : {-300, -60, 0, 60, 300}) {       // units of lambda
      if (a + b > 900 || a - b > 900 || a + b < -900 || a - b < -900) continue;
      dense Ms = M;
      vec qs = q, ls = lambda;
      for (double &x : Ms.a) x = std::ldexp(x, a - b);
      for (double &x : qs) x = std::ldexp(x, a);
      for (double &x : ls) x = std::ldexp(x, b);
      const stored scaled(Ms, PERP_DENSE);
      const measured m = measure(view(scaled, qs, laws), ls);
      EXPECT_NEAR(std::ldexp(m.r.residual, -a), unit.r.residual, 4 * kEps * unit.r.residual);
      EXPECT_NEAR(m.r.relative, unit.r.relative, 4 * kEps) << a << " " << b;
      EXPECT_EQ(m.r.worst, unit.r.worst);
    }
  }
}

perp_residual judged(const contacts::system &s, const vec &lambda) {
  vec y(lambda.size(), 999);
  std::vector<unsigned char> work(perp_problem_residual_workspace(&s.problem));
  perp_residual r = PERP_RESIDUAL_INIT;
  EXPECT_EQ(
      perp_problem_residual(&s.problem, lambda.data(), y.data(), &r, work.data(), work.size()),
      PERP_OK);
  return r;
}

// Contacts that stick though y_T = q_T: squares of 1e-170 are 0, those of 1e170 infinite.
TEST(Residual, SeesASlipInAnyUnits) {
  for (int a : {-1000, -600, -520, 0, 510, 600, 1000}) {  // units of y
    for (int b : {-1000, -600, 0, 600, 1000}) {           // units of lambda
      if (std::abs(a - b) > 1000) continue;
      dense M(3, 3);
      for (std::int32_t i = 0; i < 3; i++) M(i, i) = std::ldexp(1.0, a - b);
      const double one = std::ldexp(1.0, a);
      const vec lambda = {std::ldexp(1.0, b), 0, 0};
      for (const contacts::unit &law : {contacts::space(1), contacts::plane_rolling(1, 1)}) {
        const contacts::system s(M, {-one, one / 2, one / 4}, {law});
        const perp_residual r = judged(s, lambda);
        const double exact = contacts::error(s, lambda);
        EXPECT_GT(exact, 0.1);
        EXPECT_NEAR(r.relative, exact, 8 * kEps) << a << " " << b;
        EXPECT_FALSE(perp_residual_solved(&r, 1e-3)) << a << " " << b;
      }
    }
  }
}

TEST(Residual, ProductsBelowTheLeastDoubleAreZero) {
  const double least = std::numeric_limits<double>::denorm_min();
  dense M(1, 1);
  M(0, 0) = least;
  const contacts::system s(M, {0}, {contacts::box(-2.375, least)});
  const perp_residual r = judged(s, {least}); /* y = 2^-2148 > 0 asks for the lower bound */
  EXPECT_TRUE(perp_residual_solved(&r, 0));
  EXPECT_EQ(contacts::error(s, {least}), 0);
}

// y_T = (0, 1e-18), which λ - ρ ŷ does not see; without q there is no other bound.
TEST(Residual, AReactionThatDrownsTheSlipInRoundingIsNoSolution) {
  for (const double other : {1e-18, 1.0}) {
    dense M(3, 3);
    M(2, 0) = 1e-18;
    M(1, 1) = other;
    const contacts::system s(M, {0, 0, 0}, {contacts::space(1)});
    const perp_residual r = judged(s, {1, 0, 0.5});
    EXPECT_GE(contacts::error(s, {1, 0, 0.5}), 0.1);
    EXPECT_FALSE(perp_residual_solved(&r, 1e-8)) << other;
  }
}

// |λ_T| = 3 λ_N up to rounding, of which M makes as much as c = 3, and y_T = -5e-10: r is as exact
// as λ, not as c λ − P(c λ − y) in doubles.
TEST(Residual, TheRoundingOfAReactionOnItsConeIsItsBackwardError) {
  dense M(3, 3);
  M(2, 0) = -1e-9;
  M(0, 1) = -3;
  const contacts::system s(M, {0, 0, 0}, {contacts::space(3)});
  const vec lambda = {0.48433611406271321, 1.5331734199067415e-314, 1.4530083421881397};
  const perp_residual r = judged(s, lambda);
  EXPECT_NEAR(contacts::error(s, lambda), r.relative, 1e-12);
  EXPECT_GT(r.relative, 1e-8);
  EXPECT_FALSE(perp_residual_solved(&r, 1e-8));
  EXPECT_LE(contacts::error(s, lambda, kEps), 1e-8);
}

// M = 0, so that c = 1, and a λ so large that its last bits are more than tol max |q|.
TEST(Residual, AReactionFarLargerThanItsVelocitiesHidesNothing) {
  const double mu = 6176.8949327120299;
  const contacts::system s(dense(2, 2), {0, 1}, {contacts::plane(mu)});
  for (const double n : {1000.1, 1234.5, 3e4 + 0.7}) {
    const double most = mu * n, beside = std::fabs(std::fma(mu, n, -most));
    const perp_residual r = judged(s, {n, -most});
    EXPECT_GT(beside, 1e-12);
    EXPECT_NEAR(r.residual, beside, 1e-14);
  }
}

// A contact that sticks loses nothing to rounding, however large c λ is beside y.
TEST(Residual, AStickingReactionOfAnySizeIsJudged) {
  dense M(2, 2);
  M(0, 0) = 0x1p-30;
  M(1, 1) = 8;
  const contacts::system s(M, {-0.375, 0}, {contacts::plane(1)});
  const perp_residual r = judged(s, {0x1.8p+28, 0});
  EXPECT_EQ(r.residual, 0);
  EXPECT_TRUE(perp_residual_solved(&r, 1e-12));
}

TEST(Residual, OfAConeThatIsNearlyAHalfSpaceIsTheJudgesToo) {
  dense M(2, 2);
  M(0, 1) = M(1, 0) = -1e-9;
  const contacts::system s(M, {0, 0}, {contacts::plane(1e150)});
  const vec lambda = {3.1622808192963251e-146, -31622.80819296325}; /* on the cone's boundary */
  const perp_residual r = judged(s, lambda);
  EXPECT_LE(r.relative, kEps);
  EXPECT_NEAR(contacts::error(s, lambda), r.relative, kEps);
}

TEST(Residual, NotANumberAnywhereShows) {
  uniform random(9);
  const std::int32_t n = 7;
  const dense M = random.definite(n);
  const vec q = random.vector(n), lambda = random.vector(n);
  const std::vector<spec> specs = {{'e', 1, 1, {}, {}, {}},
                                   {'c', 1, 2, {}, {}, {}},
                                   {'b', 1, 1, {-1}, {1}, {}},
                                   {'o', 3, 1, {}, {}, {1}}};
  const law_blocks laws(specs);
  const auto first = [](std::size_t i) { return static_cast<std::int32_t>(i < 4 ? i : 4); };
  for (std::int32_t kind : {PERP_ZERO, PERP_DIAGONAL, PERP_DENSE, PERP_BLOCKS}) {
    stored s(M, kind, kind == PERP_BLOCKS ? ints{0, 2, 3, 7} : ints{});
    for (double bad : {kNaN, -kNaN, kInf, -kInf}) {
      const auto expect_nan = [&](const measured &m, const char *what, std::size_t i) {
        EXPECT_TRUE(std::isnan(m.r.residual)) << what << " " << i << " kind " << kind;
        EXPECT_TRUE(std::isnan(m.r.relative));
        EXPECT_TRUE(std::isnan(m.r.natural_error));
        EXPECT_EQ(perp_residual_solved(&m.r, 1e300), 0);
        EXPECT_GE(m.r.worst, 0);
        EXPECT_LT(m.r.worst, n);
      };
      for (std::size_t i = 0; i < q.size(); i++) {
        vec x = q;
        x[i] = bad;
        const measured m = measure(view(s, x, laws), lambda);
        expect_nan(m, "q", i);
        EXPECT_EQ(m.r.worst, first(i));
        x = lambda;
        x[i] = bad;
        const measured l = measure(view(s, q, laws), x);
        expect_nan(l, "lambda", i);
        if (kind <= PERP_DIAGONAL) {
          EXPECT_EQ(l.r.worst, first(i));
        }
      }
      for (std::size_t i = 0; i < s.values.size(); i++) {
        if (kind == PERP_DENSE && i >= at(n * n)) continue;  // behind the last entry
        const double kept = s.values[i];
        s.values[i] = bad;
        expect_nan(measure(view(s, q, laws), lambda), "M", i);
        expect_nan(measure(view(s, q, laws), vec(at(n), 0.0)), "M with lambda 0", i);
        s.values[i] = kept;
      }
    }
  }
}

TEST(Residual, NotANumberThatALawMakesShowsAtItsBlock) {
  const dense M = tools::from_rows(4, {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2});
  const stored s(M, PERP_DENSE);
  const law_blocks laws({{'c', 1, 1, {}, {}, {}}, {'o', 3, 1, {}, {}, {kNaN}}});
  const measured m = measure(view(s, vec(4, -1.0), laws), vec(4, 1.0));
  EXPECT_TRUE(std::isnan(m.r.residual));
  EXPECT_EQ(m.r.worst, 1);
  EXPECT_EQ(perp_residual_solved(&m.r, 1), 0);
}

TEST(Residual, NotANumberAmongBoundsShowsAtItsComponent) {
  perp_law_ops ops = {};
  ops.struct_size = sizeof ops;
  ops.set = PERP_SET_BOX;
  ops.name = "spoilt";
  const dense M = tools::from_rows(3, {2, 0, 0, 0, 2, 0, 0, 0, 2});
  const vec q(3, -1.0), lambda(3, 0.25);
  for (bool lower : {false, true}) {
    ops.bounds = lower ? [](const perp_law *, double *l, double *u) { *l = kNaN, *u = 1; }
                       : [](const perp_law *, double *l, double *u) { *l = 0, *u = kNaN; };
    const perp_law law = {&ops, sizeof law, 1};
    perp_complementarity good;
    perp_complementarity_init(&good, sizeof good);
    const perp_law *laws[3] = {&good.law, &law, &good.law};
    const perp_problem p = perp_problem_of(perp_dense(3, 3, M.data()), q.data(), 3, laws, nullptr);
    const measured m = measure(p, lambda);
    EXPECT_TRUE(std::isnan(m.r.residual));
    EXPECT_EQ(m.r.worst, 1);
  }
}

TEST(Residual, GapsBetweenColumnsAreNotRead) {
  dense M(2, 2, 3);
  for (double &x : M.a) x = kNaN;
  M(0, 0) = M(1, 1) = 1;
  M(0, 1) = M(1, 0) = 0;
  const stored s(M, PERP_DENSE);
  const law_blocks laws({{'c', 1, 2, {}, {}, {}}});
  const measured m = measure(view(s, vec{-1, 1}, laws), vec{1, 0});
  EXPECT_EQ(m.r.residual, 0);
}

// y_1 = -1 beside slip of 1e6 at mu = 1e6: De Saxcé's variable is positive, the contact penetrates.
TEST(Residual, ALargeCoefficientHidesNoPenetration) {
  const dense M = tools::from_rows(2, {1, 0, 0, 1});
  const contacts::system s(M, {-2, 1}, {contacts::plane(1e6)});
  const perp_residual r = judged(s, {1, -1e-3});
  EXPECT_EQ(r.residual, 1); /* |min(y_n, c λ_n)| */
  EXPECT_FALSE(perp_residual_solved(&r, 1e-3));
}

// [[1, -1], [-1, 1]], q = (-1, 1 + gap): the sum of the rows says gap >= 0.
TEST(Residual, TheSecondTestEndsWhereTheDataAreMissedByAMillionth) {
  const dense M = tools::from_rows(2, {1, -1, -1, 1});
  const stored s(M, PERP_DENSE);
  const law_blocks laws({{'c', 1, 2, {}, {}, {}}});
  for (const double gap : {1e-2, 1e-5, 3e-6, 1e-7}) {
    const measured m = measure(view(s, vec{-1, 1 - gap}, laws), {1e9 + 1, 1e9});
    EXPECT_LE(m.r.relative, 1e-10);
    EXPECT_NEAR(m.r.residual, gap, 1e-15);
    EXPECT_EQ(perp_residual_solved(&m.r, 1e-10), gap <= 1e-6) << gap;
    EXPECT_EQ(perp_residual_solved(&m.r, 1e-4), gap <= 1e-3) << gap;
  }
}

// A problem in variables weight y and λ / weight: what was judged by weights, told without.
TEST(Residual, WeightsAreAChangeOfUnits) {
  uniform random(17);
  for (int trial = 0; trial < 200; trial++) {
    const std::int32_t n = 1 + trial % 9, kind = trial % 4;
    const dense M = random_matrix(random, n, kind);
    const stored s(M, kind,
                   kind == PERP_BLOCKS && trial % 3 == 0 ? random_cuts(random, n) : ints{});
    vec lower(at(n), -0.5), upper(at(n), 0.75);
    const std::vector<spec> specs = {{"ceb" [trial % 3], n, 1, lower, upper, {}}};
    const law_blocks laws(specs);
    const vec q = random.vector(n), lambda = random.vector(n);
    vec weight(at(n)), q2 = q, lambda2 = lambda;
    dense M2 = M;
    for (double &w : weight) w = std::ldexp(1.0, static_cast<int>(6 * random()));
    for (std::int32_t i = 0; i < n; i++) {
      q2[at(i)] *= weight[at(i)];
      lambda2[at(i)] /= weight[at(i)];
      lower[at(i)] /= weight[at(i)];
      upper[at(i)] /= weight[at(i)];
      for (std::int32_t j = 0; j < n; j++) M2(i, j) *= weight[at(i)] * weight[at(j)];
    }
    perp_problem p = view(s, q, laws);
    p.weight = weight.data();
    const stored s2(M2, PERP_DENSE);
    const law_blocks laws2({{"ceb" [trial % 3], n, 1, lower, upper, {}}});
    const measured one = measure(p, lambda), two = measure(view(s2, q2, laws2), lambda2);
    expect_close(one.r.residual, two.r.residual, "residual", trial);
    expect_close(one.r.scale, two.r.scale, "scale", trial);
    expect_close(one.r.hat, two.r.hat, "hat", trial);
    EXPECT_EQ(one.r.worst, two.r.worst) << trial;
  }
}

void expect_change_of_units(const vec &rhs, const vec &lambda) {
  const dense M = tools::from_rows(3, {4, 1, 0, 1, 2, 0.5, 0, 0.5, 3});
  const contacts::system s(M, rhs, {contacts::plane_rolling(0.5, 0.25)});
  const vec weight = {2, 2, 0.125};
  perp_problem p = s.problem;
  p.weight = weight.data();
  vec y(3), work(300);
  perp_residual r = PERP_RESIDUAL_INIT;
  ASSERT_EQ(perp_problem_residual(&p, lambda.data(), y.data(), &r, work.data(), 2400), PERP_OK);
  dense scaled = M;
  vec q = s.q, moved = lambda;
  for (std::int32_t i = 0; i < 3; i++) {
    q[at(i)] *= weight[at(i)];
    moved[at(i)] /= weight[at(i)];
    for (std::int32_t j = 0; j < 3; j++) scaled(i, j) *= weight[at(i)] * weight[at(j)];
  }
  const contacts::system t(scaled, q, {contacts::plane_rolling(0.5, 0.25 * 2 / 0.125)});
  EXPECT_NEAR(r.residual, judged(t, moved).residual, 1e-15);
  EXPECT_NEAR(r.relative, judged(t, moved).relative, 1e-15);
  EXPECT_NEAR(r.componentwise, judged(t, moved).componentwise, 1e-15);
}

// The largest part is the tangential one, then that of the moments.
TEST(Residual, WeightsOfContactsAreAChangeOfUnitsToo) {
  expect_change_of_units({-1, 2, 0.5}, {0.5, -0.2, 0.06});
  expect_change_of_units({-1.8, 0, 300}, {0.5, -0.2, 0.06});
}

TEST(Residual, WhatRoundingMayHideCountsInTheSecondTest) {
  perp_residual r = PERP_RESIDUAL_INIT;
  r.residual = 0.99e-6;
  r.hat = 1;
  r.scale = 1e6;
  r.relative = r.residual / r.scale;
  r.rounding = 0.005e-6;
  EXPECT_EQ(perp_residual_solved(&r, 1e-10), 1);
  r.rounding = 0.02e-6;
  EXPECT_EQ(perp_residual_solved(&r, 1e-10), 0);
}

TEST(Residual, BelowItsFloorARowPasses) {
  const dense M = tools::from_rows(2, {1, 0, 0, 1});
  const stored s(M, PERP_DENSE);
  const law_blocks laws({{'c', 1, 2, {}, {}, {}}});
  const vec floor = {1e-3, 0};
  const vec q = {-1, -1};
  perp_problem p = view(s, q, laws);
  p.floor = floor.data();
  EXPECT_EQ(measure(p, {0.9995, 1}).r.residual, 0);
  EXPECT_NEAR(measure(p, {0.998, 1}).r.residual, 0.002, 1e-15);
  EXPECT_NEAR(measure(p, {1, 0.9995}).r.residual, 0.0005, 1e-15);
}

TEST(Residual, TellsTheComponentwiseBackwardError) {
  const dense M = tools::from_rows(2, {1, 0, 0, 1e-6});
  const stored s(M, PERP_DENSE);
  const law_blocks laws({{'c', 1, 2, {}, {}, {}}});
  const vec q = {-1, -1e-6};
  const measured m = measure(view(s, q, laws), {1, 0.5});
  EXPECT_NEAR(m.r.relative, 0.25e-6, 1e-12);
  EXPECT_NEAR(m.r.componentwise, 1.0 / 3, 1e-12); /* 0.5e-6 of 1.5e-6 */
}

// The judge of arrays has the bits of the general one.
void expect_the_bits_of_arrays(const dense &M, const vec &q, const vec &lambda, const measured &m) {
  perp_residual r;
  vec y(q.size()), scratch(residual_lcp_doubles(M.rows));
  perp_residual_lcp(M.rows, M.data(), M.ld, q.data(), lambda.data(), y.data(), &r, scratch.data());
  EXPECT_EQ(m.y, y);
  EXPECT_EQ(m.r.residual, r.residual);
  EXPECT_EQ(m.r.relative, r.relative);
  EXPECT_EQ(m.r.scale, r.scale);
  EXPECT_EQ(m.r.hat, r.hat);
  EXPECT_EQ(m.r.rounding, r.rounding);
  EXPECT_EQ(m.r.worst, r.worst);
  EXPECT_EQ(m.r.violation[PERP_SET_ORTHANT], r.violation[PERP_SET_ORTHANT]);
}

// M of whole numbers, λ beyond 1 or 0, and q that all but solves; all of M and q times 2^low. In
// long double the least of them is an ordinary number.
TEST(Residual, DenormalNumbersAreJudgedAsOrdinaryOnes) {
  uniform random(77);
  for (int trial = 0; trial < 4000; trial++) {
    const std::int32_t n = 1 + trial % 11, low = -1074 + 12 * (trial % 10);
    const char kind = "cbec"[trial % 4];
    dense M = random_matrix(random, n, PERP_DENSE);
    for (double &m : M.a) m = std::ldexp(std::round(64 * m), low);
    vec lambda = random.vector(n), q(at(n), 0.0);
    for (double &x : lambda) x = x < 0 && kind != 'e' ? 0 : std::round(4 + 3 * x);
    const std::vector<real> y = tools::affine(M, q, lambda);
    for (std::int32_t i = 0; i < n; i++)
      q[at(i)] = static_cast<double>(-y[at(i)]) + (lambda[at(i)] == 0 ? std::ldexp(9.0, low) : 0);
    for (double &x : lambda) x *= 1 + (trial % 3) * 1e-9 * random();
    const stored s(M, trial % 8 < 4 ? PERP_DENSE : PERP_BLOCKS);
    const std::vector<spec> specs = {{kind, n, 1, vec(at(n), 0.0), vec(at(n), 99.0), {}}};
    const law_blocks laws(specs);
    const measured m = measure(view(s, q, laws), lambda);
    const verdict v = judge(M, q, lambda, specs);
    /* digits of long doubles, and of doubles */
    const double lost = 0x1p-1074 + (m.r.scale < 0x1p-960 ? 1e-17 : 1e-14) * m.r.scale;
    const auto off = [](double x, real e) { /* beyond rounding of its own */
                                            return static_cast<double>(std::fabs(x - e) -
                                                                       1e-15L * std::fabs(e));
    };
    ASSERT_NEAR(m.r.relative, static_cast<double>(v.relative), 1e-14) << trial;
    ASSERT_LE(off(m.r.residual, v.residual), lost) << trial;
    ASSERT_LE(off(m.r.hat, v.hat), lost) << trial;
    ASSERT_EQ(perp_residual_solved(&m.r, 1e-12), v.relative < 1e-12) << trial;
    const std::vector<real> exact = tools::affine(M, q, lambda);
    for (std::size_t i = 0; i < at(n); i++) ASSERT_LE(off(m.y[i], exact[i]), lost) << trial;
  }
}

// What is judged in registers or in two passes, and what by the code for all laws, has the same
// bits.
TEST(Residual, TheJudgeOfAFewUnknownsHasTheBitsOfTheGeneralOne) {
  uniform random(23);
  const vec none(13, 0.0);
  for (int trial = 0; trial < 8000; trial++) {
    const std::int32_t n = 1 + trial % (trial < 4000 ? 4 : 13);
    const dense M = random_matrix(random, n, PERP_DENSE);
    const stored s(M, trial % 2 == 0 ? PERP_DENSE : PERP_BLOCKS);
    const law_blocks laws({{'c', 1, n, {}, {}, {}}});
    vec q = random.vector(n), lambda = random.vector(n);
    const double far = std::pow(10.0, 6 + 6 * random());
    for (double &x : lambda) x = x > 0.3 ? 0 : trial % 5 == 0 ? far * x : x;
    for (double &x : q) x = std::ldexp(x, trial % 7 == 0 ? -1070 : 0);
    for (double &x : lambda) x = std::ldexp(x, trial % 7 == 0 ? -1070 : 0);
    perp_problem p = view(s, q, laws);
    const measured one = measure(p, lambda);
    if (trial % 7 != 0 && s.view.kind == PERP_DENSE) expect_the_bits_of_arrays(M, q, lambda, one);
    p.floor = none.data(); /* general: floors of 0 change nothing */
    const measured two = measure(p, lambda);
    ASSERT_EQ(one.y, two.y) << trial;
    ASSERT_EQ(one.r.residual, two.r.residual) << trial;
    ASSERT_EQ(one.r.relative, two.r.relative) << trial;
    ASSERT_EQ(one.r.scale, two.r.scale);
    ASSERT_EQ(one.r.hat, two.r.hat);
    ASSERT_EQ(one.r.rounding, two.r.rounding);
    ASSERT_EQ(one.r.worst, two.r.worst);
    ASSERT_EQ(one.r.violation[PERP_SET_ORTHANT], two.r.violation[PERP_SET_ORTHANT]);
  }
}

// A chain so long that rounding bounded by n, and not by the terms of a row, would be too coarse.
TEST(Residual, TheJudgeOfALongChainHasTheBitsOfTheGeneralOne) {
  const std::int32_t n = 100000;
  std::vector<std::int32_t> start{0}, index;
  vec values;
  for (std::int32_t i = 0; i < n; i++) {
    for (std::int32_t j = std::max(i - 1, 0); j <= std::min(i + 1, n - 1); j++) {
      index.push_back(j);
      values.push_back(i == j ? 2 : -1);
    }
    start.push_back(static_cast<std::int32_t>(index.size()));
  }
  const law_blocks laws({{'c', 1, n, {}, {}, {}}});
  const vec floor(at(n), 0.0), lambda(at(n), 1.0);
  for (const double load : {1.0, 1e-3, 1e-5, 1e-9}) {
    const vec q(at(n), -load);
    perp_problem p = view(stored(dense(0, 0), PERP_DENSE), q, laws);
    p.M = perp_compressed_rows(n, start.data(), index.data(), values.data());
    const measured one = measure(p, lambda);
    p.floor = floor.data(); /* general: floors of 0 change nothing */
    const measured two = measure(p, lambda);
    EXPECT_EQ(one.y, two.y) << load;
    EXPECT_EQ(one.r.residual, two.r.residual) << load;
    EXPECT_EQ(one.r.scale, two.r.scale) << load;
    EXPECT_EQ(one.r.hat, two.r.hat) << load;
    EXPECT_EQ(one.r.rounding, two.r.rounding) << load;
    EXPECT_EQ(one.r.worst, two.r.worst) << load;
  }
}

TEST(Residual, WritesAsMuchAsTheCallerKnows) {
  const dense M = tools::from_rows(1, {1});
  const stored s(M, PERP_DENSE);
  const law_blocks laws({{'c', 1, 1, {}, {}, {}}});
  const vec q = {-1};
  const perp_problem p = view(s, q, laws);
  const double lambda[] = {1};
  double y[1], work[20];
  struct {
    perp_residual r;
    double behind;
  } grown = {PERP_RESIDUAL_INIT, 999};
  grown.r.struct_size += 8;
  EXPECT_EQ(perp_problem_residual(&p, lambda, y, &grown.r, work, sizeof work), PERP_OK);
  EXPECT_EQ(grown.behind, 999);
  EXPECT_EQ(grown.r.struct_size, sizeof(perp_residual) + 8);
  grown.r.struct_size = 0;
  EXPECT_EQ(perp_problem_residual(&p, lambda, y, &grown.r, work, sizeof work), PERP_EINVAL);
}

TEST(Residual, SolvedNeedsBothConditionsAndNumbers) {
  perp_residual r = PERP_RESIDUAL_INIT;
  r.residual = r.relative = 1e-12;
  r.hat = 1;
  EXPECT_EQ(perp_residual_solved(&r, 1e-12), 1);
  EXPECT_EQ(perp_residual_solved(&r, 1e-13), 0);
  r.hat = 0.9e-6; /* 1e-6 of it is less than the residual */
  EXPECT_EQ(perp_residual_solved(&r, 1e-10), 0);
  EXPECT_EQ(perp_residual_solved(&r, 1e-6), 1); /* 1e-5 of it is more */
  r.hat = 1;
  r.rounding = 1.1e-6;
  EXPECT_EQ(perp_residual_solved(&r, 1e-10), 0);
  EXPECT_EQ(perp_residual_solved(&r, 1e-6), 1);
  r.rounding = 0.02; /* beyond 10⁻² at any tolerance */
  EXPECT_EQ(perp_residual_solved(&r, 1), 0);
  r.rounding = 0;
  EXPECT_EQ(perp_residual_solved(&r, kNaN), 0);
  r.relative = kNaN;
  EXPECT_EQ(perp_residual_solved(&r, 1), 0);
  r.relative = 0;
  r.residual = kNaN;
  EXPECT_EQ(perp_residual_solved(&r, 1), 0);
  r.residual = r.hat = kInf;
  EXPECT_EQ(perp_residual_solved(&r, kInf), 0);
  r = PERP_RESIDUAL_INIT;
  EXPECT_EQ(perp_residual_solved(&r, 0), 1);
  r.struct_size = 0;
  EXPECT_EQ(perp_residual_solved(&r, 0), 0);
  r = PERP_RESIDUAL_INIT;
  r.hat = kNaN;
  EXPECT_EQ(perp_residual_solved(&r, 1), 0);
  EXPECT_EQ(perp_residual_solved(nullptr, 1), 0);
}

TEST(Residual, NeedsExactlyItsBytesAtAnyAlignment) {
  mixed x;
  const stored s(x.M, PERP_DENSE);
  const law_blocks laws(x.specs);
  const perp_problem p = view(s, x.q, laws);
  const std::size_t need = perp_problem_residual_workspace(&p);
  std::vector<unsigned char> block(need + 256);
  unsigned char *base = block.data() + 64;
  for (std::size_t shift = 0; shift < 64; shift++) {
    std::memset(block.data(), 0xA5, block.size());
    perp_residual r = filled();
    vec y(4, 999.0);
    ASSERT_EQ(perp_problem_residual(&p, x.lambda.data(), y.data(), &r, base + shift, need),
              PERP_OK);
    EXPECT_EQ(r.residual, 0);
    for (std::size_t i = 0; i < block.size(); i++) {
      const bool outside = i < 64 + shift || i >= 64 + shift + need;
      ASSERT_TRUE(!outside || block[i] == 0xA5);
    }
  }
  perp_residual r = filled();
  vec y(4, 999.0);
  // An aligned block does not need the slack for alignment: one byte less than the rest.
  for (std::size_t shift = 0; shift < 8; shift++) {
    auto *begin = base + shift;
    const std::size_t skip = (8 - reinterpret_cast<std::uintptr_t>(begin) % 8) % 8;
    EXPECT_EQ(perp_problem_residual(&p, x.lambda.data(), y.data(), &r, begin, need - 7 + skip - 1),
              PERP_EWORKSPACE);
  }
  EXPECT_EQ(r.residual, 999);
  EXPECT_EQ(y[0], 999.0);
}

TEST(Residual, ABlockOfNoCopiesNeedsNoRoomForItsBounds) {
  constexpr std::int32_t size = 64;
  const vec lower(at(size), -1.0), upper(at(size), 1.0);
  perp_box box;
  perp_equality equality;
  perp_box_init(&box, sizeof box);
  perp_equality_init(&equality, sizeof equality);
  box.law.size = size;
  box.lower = lower.data();
  box.upper = upper.data();
  const double M[] = {2}, q[] = {-1}, lambda[] = {0.5};
  const perp_law *laws[] = {&box.law, &equality.law};
  const std::int32_t offset[] = {0, 0, 1};
  const perp_problem p = perp_problem_of(perp_dense(1, 1, M), q, 2, laws, offset);
  const std::size_t bytes = perp_problem_residual_workspace(&p);
  std::vector<unsigned char> work(bytes + 8 * 6 * at(size), 0xA5);
  double y[] = {999};
  perp_residual r = PERP_RESIDUAL_INIT;
  ASSERT_EQ(perp_problem_residual(&p, lambda, y, &r, work.data(), bytes), PERP_OK);
  EXPECT_EQ(r.residual, 0);
  for (std::size_t i = bytes; i < work.size(); i++) ASSERT_EQ(work[i], 0xA5) << i - bytes;
}

TEST(Residual, RefusesMissingArguments) {
  mixed x;
  const stored s(x.M, PERP_DENSE);
  const law_blocks laws(x.specs);
  perp_problem p = view(s, x.q, laws);
  perp_residual r = PERP_RESIDUAL_INIT;
  vec y(4);
  unsigned char work[1024];
  const double *l = x.lambda.data();
  EXPECT_EQ(perp_problem_residual(nullptr, l, y.data(), &r, work, sizeof work), PERP_EINVAL);
  EXPECT_EQ(perp_problem_residual(&p, nullptr, y.data(), &r, work, sizeof work), PERP_EINVAL);
  EXPECT_EQ(perp_problem_residual(&p, l, nullptr, &r, work, sizeof work), PERP_EINVAL);
  EXPECT_EQ(perp_problem_residual(&p, l, y.data(), nullptr, work, sizeof work), PERP_EINVAL);
  EXPECT_EQ(perp_problem_residual(&p, l, y.data(), &r, nullptr, sizeof work), PERP_EINVAL);
  EXPECT_EQ(perp_problem_residual_workspace(nullptr), 0u);
  p.n = -1;
  EXPECT_EQ(perp_problem_residual(&p, l, y.data(), &r, work, sizeof work), PERP_EINVAL);
  EXPECT_EQ(perp_problem_residual_workspace(&p), 0u);
}

}  // namespace
