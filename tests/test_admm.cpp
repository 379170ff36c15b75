// SPDX-License-Identifier: MIT
#include "perp/admm.h"

#include <gtest/gtest.h>

#include "contact_system.hpp"

namespace {

using namespace contacts;
using tools::kNaN;
using model = contacts::system;
using options = perp_admm_options;

options with(double tol, std::int32_t max_iter = 0) {
  options o = perp_admm_options_default();
  o.tol = tol;
  o.max_iter = max_iter;
  return o;
}

struct answer {
  perp_status status = 999;
  vec lambda, y;
  perp_info info = PERP_INFO_INIT;
};

answer solve(const perp_problem &p, const options &o, vec start = {}) {
  answer a;
  a.lambda = start.empty() ? vec(at(p.n), 0.0) : std::move(start);
  a.y.assign(at(p.n), 999.0);
  const std::size_t bytes = perp_solver_workspace(perp_solver_admm(), &p, &o);
  std::vector<unsigned char> work(bytes, 0xA5);
  a.status = perp_solver_solve(perp_solver_admm(), &p, &o, a.lambda.data(), a.y.data(), nullptr,
                               work.data(), work.size(), &a.info);
  return a;
}

// W = H Hᵀ of bodies that touch their neighbours; hyperstatic where rank < n.
dense mechanical(std::int32_t n, std::int32_t rank, std::uint64_t seed) {
  tools::uniform random(seed);
  dense H(n, rank), W(n, n);
  for (std::int32_t j = 0; j < rank; j++)
    for (std::int32_t i = 0; i < n; i++)
      if (std::abs(i * rank / n - j) < 4) H(i, j) = random();
  for (std::int32_t j = 0; j < n; j++)
    for (std::int32_t i = 0; i < n; i++)
      for (std::int32_t k = 0; k < rank; k++) W(i, j) += H(i, k) * H(j, k);
  return W;
}

// q = W x + v with v_n > 0 > x: a problem that has a solution (normal velocities can be positive).
vec feasible(const dense &W, const std::vector<unit> &units, std::uint64_t seed) {
  tools::uniform random(seed);
  vec x(at(W.rows)), q(at(W.rows));
  std::int32_t begin = 0;
  for (const unit &u : units) {
    for (std::int32_t i = 0; i < u.size; i++) {
      x[at(begin + i)] = random();
      q[at(begin + i)] = u.c.empty() || i > 0 ? 0 : 0.1;
    }
    if (!u.c.empty()) x[at(begin)] = -1 - random();
    if (u.c.empty() && u.lower == 0) q[at(begin)] = 0.1;
    begin += u.size;
  }
  for (std::int32_t i = 0; i < W.rows; i++)
    for (std::int32_t j = 0; j < W.rows; j++) q[at(i)] += W(i, j) * x[at(j)];
  return q;
}

std::vector<unit> all_laws(int contacts_each, double mu) {
  std::vector<unit> units;
  for (int k = 0; k < contacts_each; k++)
    for (const unit &u : {space(mu), orthant(), plane(mu), box(-0.5, 0.25), space_rolling(mu, 0.1),
                          plane_rolling(mu, 0.2), space(0)})
      units.push_back(u);
  return units;
}

std::int32_t unknowns(const std::vector<unit> &units) {
  std::int32_t n = 0;
  for (const unit &u : units) n += u.size;
  return n;
}

ints cuts_of(const std::vector<unit> &units) {
  ints cuts = {0};
  for (const unit &u : units) cuts.push_back(cuts.back() + u.size);
  return cuts;
}

// ---- solutions ----

TEST(Admm, OneContactHasItsKnownSolutions) {
  const dense D = tools::from_rows(2, {1, 0, 0, 2}), W = tools::from_rows(2, {1, 1.5, 1.5, 4});
  const struct {
    const dense &W;
    double mu;
    vec q, r;
  } known[] = {{D, 0.5, {-1, 3}, {1, -0.5}},
               {D, 0.5, {-1, 0.5}, {1, -0.25}},
               {W, 1, {-1, 0}, {16.0 / 7, -6.0 / 7}},
               {W, 1, {-1, -3}, {0.4, 0.4}},
               {W, 1, {1, 4}, {0, 0}}};
  for (const auto &k : known) {
    const model s(k.W, k.q, {plane(k.mu)});
    const answer a = solve(s.problem, with(1e-12));
    ASSERT_EQ(a.status, PERP_OK);
    for (std::size_t i = 0; i < 2; i++) EXPECT_NEAR(a.lambda[i], k.r[i], 1e-10);
  }
}

TEST(Admm, SlidingInSpaceHasItsClosedForm) {
  dense W(3, 3);
  W(0, 0) = 2;
  W(1, 1) = W(2, 2) = 5;
  const model s(W, {-4, 30, -40}, {space(0.5)});
  const answer a = solve(s.problem, with(1e-12));
  ASSERT_EQ(a.status, PERP_OK);
  EXPECT_NEAR(a.lambda[0], 2, 1e-10);
  EXPECT_NEAR(a.lambda[1], -0.6, 1e-10);
  EXPECT_NEAR(a.lambda[2], 0.8, 1e-10);
}

TEST(Admm, AllLawsTogetherInEveryStorage) {
  for (const double mu : {0.0, 0.3, 5.0}) {
    const auto units = all_laws(4, mu);
    const std::int32_t n = unknowns(units);
    for (const std::int32_t rank : {n + 6, 2 * n / 3}) {
      const dense W = mechanical(n, rank, 7);
      const vec q = feasible(W, units, 8);
      for (const ints &cuts : {ints{}, cuts_of(units), ints{-1}}) {
        const std::int32_t kind = cuts == ints{-1} ? PERP_DENSE : PERP_BLOCKS;
        const model s(W, q, units, kind, kind == PERP_DENSE ? ints{} : cuts);
        const answer a = solve(s.problem, with(1e-9));
        EXPECT_EQ(a.status, PERP_OK) << mu << ' ' << rank;
        EXPECT_LE(contacts::error(s, a.lambda), 1.001e-9) << mu << ' ' << rank;
      }
    }
  }
}

TEST(Admm, EquationsBesideFriction) {
  std::vector<unit> units;
  for (int k = 0; k < 8; k++) {
    units.push_back(space(0.4));
    units.push_back(free_row());
  }
  const dense W = mechanical(32, 40, 3);
  const model s(W, feasible(W, units, 4), units);
  const answer a = solve(s.problem, with(1e-10));
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_LE(contacts::error(s, a.lambda), 1.001e-10);
}

TEST(Admm, ContactsInAnyOrderHaveTheSameForces) {
  const std::int32_t contacts = 20, n = 3 * contacts;
  const std::vector<unit> units(at(contacts), space(0.4));
  const dense W = mechanical(n, n + 6, 12);
  const vec q = feasible(W, units, 13);
  dense moved(n, n);
  vec rhs(at(n));
  const auto to = [&](std::int32_t i) { return 3 * (i / 3 * 7 % contacts) + i % 3; };
  for (std::int32_t i = 0; i < n; i++) {
    rhs[at(to(i))] = q[at(i)];
    for (std::int32_t j = 0; j < n; j++) moved(to(i), to(j)) = W(i, j);
  }
  const model s(W, q, units, PERP_BLOCKS), t(moved, rhs, units, PERP_BLOCKS);
  const answer a = solve(s.problem, with(1e-12)), b = solve(t.problem, with(1e-12));
  ASSERT_EQ(a.status, PERP_OK);
  ASSERT_EQ(b.status, PERP_OK);
  for (std::int32_t i = 0; i < n; i++) EXPECT_NEAR(a.y[at(i)], b.y[at(to(i))], 1e-9);
}

TEST(Admm, UnitsOfForceAndVelocityDoNotMatter) {
  const auto units = all_laws(2, 0.5);
  const std::int32_t n = unknowns(units);
  for (const double size : {1e-120, 1e120}) {
    dense W = mechanical(n, n, 5);
    const vec q0 = feasible(W, units, 6);
    for (double &x : W.a) x *= size;
    vec q = q0;
    for (double &x : q) x *= size; /* the same forces, which boxes need */
    const model s(W, q, units);
    const answer a = solve(s.problem, with(1e-9));
    EXPECT_EQ(a.status, PERP_OK) << size;
    EXPECT_LE(contacts::error(s, a.lambda), 1.001e-9) << size;
  }
}

TEST(Admm, StartsFromLambda) {
  const std::vector<unit> units(6, space(0.3));
  const dense W = mechanical(18, 24, 15);
  const model s(W, feasible(W, units, 16), units);
  const answer cold = solve(s.problem, with(1e-12));
  ASSERT_EQ(cold.status, PERP_OK);
  const answer warm = solve(s.problem, with(1e-9), cold.lambda);
  EXPECT_EQ(warm.status, PERP_OK);
  EXPECT_EQ(warm.info.iterations, 1);
  const answer lost = solve(s.problem, with(1e-9), vec(18, kNaN));
  EXPECT_EQ(lost.status, PERP_OK);
}

// ---- matrices that are not symmetric ----

TEST(Admm, AFewWrongDigitsOfASparseMatrixAreCarriedAlong) {
  const std::vector<unit> units(12, space(0.6));
  dense W = mechanical(36, 42, 17);
  tools::uniform random(18);
  const vec q = feasible(W, units, 19);
  for (double &x : W.a) x += x != 0 && x != 999 ? 1e-3 * random() : 0;
  const model s(W, q, units, PERP_BLOCKS);
  const answer a = solve(s.problem, with(1e-10));
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_LE(contacts::error(s, a.lambda), 1.001e-10);
}

TEST(Admm, ADenseMonotoneMatrixNeedNotBeSymmetric) {
  const std::vector<unit> units(6, space(0.2));
  dense W = mechanical(18, 24, 20);
  tools::uniform random(22);
  const vec q = feasible(W, units, 21);
  for (std::int32_t j = 0; j < 18; j++)
    for (std::int32_t i = 0; i < j; i++) {
      const double skew = random();
      W(i, j) += skew;
      W(j, i) -= skew;
    }
  const model s(W, q, units);
  const answer a = solve(s.problem, with(1e-10));
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_LE(contacts::error(s, a.lambda), 1.001e-10);
}

TEST(Admm, EntriesOnOneSideOfTheDiagonalOnlyAreRefused) {
  dense W(3, 3);
  for (std::int32_t i = 0; i < 3; i++) W(i, i) = 1;
  W(0, 2) = W(0, 1) = W(1, 2) = 0.5;
  const model s(W, {-1, -1, -1}, {orthant(), orthant(), orthant()}, PERP_BLOCKS);
  const answer a = solve(s.problem, with(1e-10));
  EXPECT_EQ(a.status, PERP_EUNSUPPORTED);
  EXPECT_STREQ(a.info.field, "M");
}

// ---- options ----

TEST(Admm, EveryVariantFindsASolution) {
  const auto units = all_laws(2, 0.3);
  const std::int32_t n = unknowns(units);
  const dense W = mechanical(n, n + 6, 30);
  const model s(W, feasible(W, units, 31), units);
  std::vector<options> variants(8, with(1e-8, 20000));
  variants[1].memory = 0;
  variants[2].memory = 0;
  variants[2].relaxation = 1.6;
  variants[3].memory = 30;
  variants[4].outer = 1;
  variants[5].updates = 0;
  variants[6].rho = 1e4;
  variants[7].rho = 1e-3;
  for (std::size_t k = 0; k < variants.size(); k++) {
    const answer a = solve(s.problem, variants[k]);
    EXPECT_EQ(a.status, PERP_OK) << k;
    EXPECT_LE(contacts::error(s, a.lambda), 1.001e-8) << k;
  }
}

TEST(Admm, AccelerationAndBalanceSaveIterations) {
  const auto units = all_laws(3, 0.3);
  const std::int32_t n = unknowns(units);
  const dense W = mechanical(n, 2 * n / 3, 32);
  const model s(W, feasible(W, units, 33), units);
  options plain = with(1e-8, 100000), far = plain, kept = plain;
  plain.memory = 0;
  far.rho = kept.rho = 300;
  kept.updates = 0;
  const std::int32_t best = solve(s.problem, with(1e-8)).info.iterations;
  EXPECT_LT(3 * best, 2 * solve(s.problem, plain).info.iterations);
  EXPECT_LT(2 * solve(s.problem, far).info.iterations, solve(s.problem, kept).info.iterations);
}

TEST(Admm, OptionsOutOfRangeAreNamed) {
  const model s(tools::from_rows(1, {1}), {-1}, {orthant()});
  const auto refused = [&](const options &o, const char *field) {
    perp_info info = PERP_INFO_INIT;
    EXPECT_EQ(perp_solver_check(perp_solver_admm(), &o, &info), PERP_EINVAL) << field;
    EXPECT_STREQ(info.field, field);
    EXPECT_EQ(perp_solver_workspace(perp_solver_admm(), &s.problem, &o), 0U) << field;
  };
  for (const double bad : {0.0, -1.0, kInf, kNaN}) {
    options o = with(1e-8);
    o.rho = bad;
    refused(o, "rho");
  }
  for (const double bad : {0.0, -1.0, 2.0, kInf, kNaN}) {
    options o = with(1e-8);
    o.relaxation = bad;
    refused(o, "relaxation");
  }
  options o = with(1e-8);
  o.memory = 31;
  refused(o, "memory");
  o.memory = -1;
  refused(o, "memory");
  o = with(1e-8);
  o.updates = -1;
  refused(o, "updates");
  o = with(1e-8);
  o.outer = 2;
  refused(o, "outer");
  const perp_sparse none = {};
  o = with(1e-8);
  o.sparse = &none;
  refused(o, "sparse");
}

// ---- the caller's back end ----

struct backend {
  int alive = 0, factors = 0;
  bool lower_only = true;
  perp_status fails = PERP_OK;
};
backend *seen;

// A dense Cholesky or LU behind the table.
struct dense_factor {
  std::int32_t n;
  dense A;
};

perp_status factor(std::int32_t n, const std::int32_t *start, const std::int32_t *index,
                   const double *values, void **factor) {
  seen->factors++;
  if (seen->fails != PERP_OK) return seen->fails;
  auto *f = static_cast<dense_factor *>(*factor);
  if (f == nullptr) {
    *factor = f = new dense_factor{n, dense(n, n)};
    seen->alive++;
  }
  f->A = dense(n, n);
  for (std::int32_t i = 0; i < n; i++)
    for (std::int32_t k = start[i]; k < start[i + 1]; k++) {
      if (index[k] > i) seen->lower_only = false;
      f->A(i, index[k]) += values[k];
    }
  return PERP_OK;
}

perp_status eliminate(void *factor, double *b, bool symmetric) {
  const auto *f = static_cast<dense_factor *>(factor);
  dense A = f->A;
  const std::int32_t n = f->n;
  for (std::int32_t i = 0; i < n && symmetric; i++)
    for (std::int32_t j = i + 1; j < n; j++) A(i, j) = A(j, i);
  for (std::int32_t k = 0; k < n; k++)
    for (std::int32_t i = k + 1; i < n; i++) {
      const double m = A(i, k) / A(k, k);
      for (std::int32_t j = k; j < n; j++) A(i, j) -= m * A(k, j);
      b[i] -= m * b[k];
    }
  for (std::int32_t k = n; k-- > 0;) {
    for (std::int32_t j = k + 1; j < n; j++) b[k] -= A(k, j) * b[j];
    b[k] /= A(k, k);
  }
  return PERP_OK;
}
perp_status solve_symmetric(void *factor, double *b) { return eliminate(factor, b, true); }
perp_status solve_general(void *factor, double *b) { return eliminate(factor, b, false); }
void release(void *factor) {
  seen->alive -= factor != nullptr;
  delete static_cast<dense_factor *>(factor);
}

const perp_sparse for_symmetric = {sizeof(perp_sparse),
                                   1,
                                   "symmetric",
                                   factor,
                                   solve_symmetric,
                                   release,
                                   nullptr,
                                   nullptr,
                                   nullptr};
const perp_sparse for_any = {
    sizeof(perp_sparse), 0, "any", factor, solve_general, release, nullptr, nullptr, nullptr};

// A star: its envelope is long in any order.
model star(bool skewed) {
  const std::int32_t arms = 60, n = 3 * (arms + 1);
  tools::uniform random(40);
  dense W(n, n);
  for (std::int32_t i = 0; i < n; i++) W(i, i) = i < 3 ? 3 * arms : 4;
  for (std::int32_t k = 1; k <= arms; k++)
    for (std::int32_t a = 0; a < 3; a++)
      for (std::int32_t b = 0; b < 3; b++) {
        const double v = random();
        W(a, 3 * k + b) = v;
        W(3 * k + b, a) = skewed ? -v : v;
      }
  for (std::int32_t k = 1; k < arms; k += 2)
    for (std::int32_t j = 1; j < arms; j += 9)
      if (j != k) W(3 * k, 3 * j) = W(3 * j, 3 * k) = 0.05;
  const std::vector<unit> units(at(arms + 1), space(0.3));
  return {W, tools::uniform(41).vector(n), units, PERP_BLOCKS};
}

TEST(Admm, ABackEndFactorisesWhatHasALongEnvelope) {
  for (const perp_sparse *table : {&for_symmetric, &for_any}) {
    for (const bool skewed : {false, true}) {
      if (skewed && table == &for_symmetric) continue;
      const model s = star(skewed);
      backend b;
      seen = &b;
      options o = with(1e-10);
      o.sparse = table;
      const answer a = solve(s.problem, o);
      EXPECT_EQ(a.status, PERP_OK) << table->name;
      EXPECT_LE(contacts::error(s, a.lambda), 1.001e-10) << table->name;
      EXPECT_GT(b.factors, 0);
      EXPECT_EQ(b.alive, 0);
      EXPECT_EQ(b.lower_only, table == &for_symmetric);
    }
  }
}

TEST(Admm, ABackEndThatFailsIsNamed) {
  const model s = star(false);
  for (const perp_status bad : {PERP_EBACKEND, PERP_EINVAL, PERP_ENOTFINITE}) {
    backend b;
    b.fails = bad;
    seen = &b;
    options o = with(1e-10);
    o.sparse = &for_symmetric;
    const answer a = solve(s.problem, o);
    EXPECT_EQ(a.status, bad == PERP_EBACKEND ? PERP_EBACKEND : PERP_INACCURATE);
    if (bad == PERP_EBACKEND) {
      EXPECT_STREQ(a.info.field, "sparse");
    }
    EXPECT_EQ(b.alive, 0);
  }
}

// ---- endings ----

TEST(Admm, WithoutASolutionItEndsAtTheLimit) {
  const model s(tools::from_rows(2, {0, 0, 0, 1}), {-1, 0}, {plane(0.5)});
  const answer a = solve(s.problem, with(1e-8, 50));
  EXPECT_EQ(a.status, PERP_MAX_ITER);
  EXPECT_EQ(a.info.iterations, 50);
}

TEST(Admm, TheBudgetEndsIt) {
  const auto units = all_laws(4, 0.3);
  const std::int32_t n = unknowns(units);
  const dense W = mechanical(n, n + 6, 7);
  const vec q = feasible(W, units, 8);
  for (const std::int32_t kind : {PERP_BLOCKS, PERP_DENSE}) {
    const model s(W, q, units, kind);
    options o = with(1e-12);
    const answer whole = solve(s.problem, o);
    EXPECT_EQ(whole.status, PERP_OK);
    o.budget = 5.0 * n * n;
    const answer a = solve(s.problem, o);
    EXPECT_EQ(a.status, PERP_MAX_ITER);
    EXPECT_LT(a.info.iterations, whole.info.iterations);
  }
}

TEST(Admm, TheWorstContactAndDissipationAreTold) {
  const std::vector<unit> units(5, space(0.4));
  const dense W = mechanical(15, 21, 50);
  const model s(W, feasible(W, units, 51), units);
  const answer a = solve(s.problem, with(1e-12));
  ASSERT_EQ(a.status, PERP_OK);
  EXPECT_EQ(a.info.dissipates, 1);
  EXPECT_EQ(a.info.warnings, 0U);
}

}  // namespace
