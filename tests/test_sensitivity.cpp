// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <perp/pivoting.h>
#include <perp/sensitivity.h>

#include "trial.hpp"

namespace {

using namespace trial;

// A problem, a solution, and what is prepared of it, in a block with canaries.
struct prepared {
  const instance &p;
  families::laws laws;
  tools::stored M;
  std::vector<unsigned char> work;
  std::size_t bytes;
  perp_sensitivity s{};
  perp_info info = PERP_INFO_INIT;
  perp_status status = 999;

  prepared(const instance &problem, const vec &lambda, double tol = 1e-8,
           std::int32_t kind = PERP_DENSE)
      : p(problem), laws(problem), M(problem.M, kind) {
    laws.problem.M = M.view;
    bytes = perp_sensitivity_workspace(&laws.problem);
    EXPECT_GT(bytes, 0u);
    work.assign(bytes + 64, 0xA5);
    perp_sensitivity_options o;
    perp_sensitivity_options_init(&o, sizeof o);
    o.tol = tol;
    status = perp_sensitivity_prepare(&s, &laws.problem, lambda.data(), &o, work.data() + 3, bytes,
                                      &info);
  }
  ~prepared() {
    for (std::size_t i = 0; i < 3; i++) EXPECT_EQ(work[i], 0xA5);
    for (std::size_t i = bytes + 3; i < work.size(); i++) EXPECT_EQ(work[i], 0xA5);
  }
  prepared(const prepared &) = delete;
  prepared &operator=(const prepared &) = delete;

  vec apply(const vec &load, std::int32_t *one_sided = nullptr) const {
    vec d(p.q.size(), 999);
    std::int32_t side = 999;
    EXPECT_EQ(perp_sensitivity_apply(&s, 1, load.data(), d.data(), &side), PERP_OK);
    EXPECT_TRUE(side == 0 || side == 1);
    if (one_sided != nullptr) *one_sided = side;
    return d;
  }
};

// λ of p with M + h dM, q + h dq, by another method than the one that is judged.
vec moved(const instance &p, const tools::dense &dM, const vec &dq, double h) {
  instance q = p;
  for (std::int32_t j = 0; j < p.n(); j++) {
    q.q[at(j)] += h * dq[at(j)];
    for (std::int32_t i = 0; i < p.n(); i++) q.M(i, j) += h * dM(i, j);
  }
  const answer a = run(perp_solver_block_pivoting(), q);
  EXPECT_TRUE(solved(q, a));
  return a.lambda;
}

vec difference(const vec &a, const vec &b, double h) {
  vec d(a.size());
  for (std::size_t i = 0; i < a.size(); i++) d[i] = (a[i] - b[i]) / h;
  return d;
}

double distance(const vec &a, const vec &b) {
  double most = 0, size = 1;
  for (std::size_t i = 0; i < a.size(); i++) {
    if (!(std::fabs(a[i] - b[i]) <= most)) most = std::fabs(a[i] - b[i]);
    size = std::max(size, std::fabs(b[i]));
  }
  return most / size;
}

// A P-matrix with well-conditioned principal minors, and bounds of all kinds.
instance sample(families::source &s) {
  instance p(s.integer(1, 8));
  families::add_product(p.M, families::random_matrix(s, p.n(), p.n(), false), 1);
  families::add_diagonal(p.M, 0.5);
  families::add_skew(p.M, s, 1);
  for (std::int32_t i = 0; i < p.n(); i++) {
    const std::int32_t kind = s.integer(0, 5);
    if (kind == 0) p.lower[at(i)] = -kInf;
    if (kind == 1) p.lower[at(i)] = -kInf, p.upper[at(i)] = s.unit();
    if (kind == 2) p.lower[at(i)] = -s.unit(), p.upper[at(i)] = s.unit();
    if (kind == 3) p.lower[at(i)] = p.upper[at(i)] = 0.25;
  }
  return p;
}

struct change {
  tools::dense dM;
  vec dq, load;
  change(const instance &p, const vec &lambda, families::source &s)
      : dM(p.n(), p.n()), dq(p.q.size()), load(p.q.size(), 999) {
    for (double &x : dq) x = s.signed_unit();
    for (std::int32_t j = 0; j < p.n(); j++)
      for (std::int32_t i = 0; i < p.n(); i++) dM(i, j) = s.signed_unit();
    const tools::stored view(dM, PERP_DENSE);
    EXPECT_EQ(perp_sensitivity_load(p.n(), &view.view, dq.data(), lambda.data(), load.data()),
              PERP_OK);
    const auto expected = tools::affine(dM, dq, lambda);
    for (std::size_t i = 0; i < load.size(); i++)
      EXPECT_NEAR(load[i], static_cast<double>(expected[i]), 1e-13 * (1 + std::fabs(load[i])));
  }
};

// ---- by hand ----

TEST(Sensitivity, OneUnknownByHand) {
  const instance p = lcp(1, {2}, {-1}); /* λ = -q / M = 1/2 */
  const prepared s(p, {0.5});
  ASSERT_EQ(s.status, PERP_OK);
  EXPECT_EQ(s.s.n, 1);
  EXPECT_EQ(s.s.n_free, 1);
  EXPECT_EQ(s.s.n_degenerate, 0);
  EXPECT_EQ(s.s.state[0], PERP_SENSITIVITY_FREE);
  std::int32_t side;
  EXPECT_NEAR(s.apply({1}, &side)[0], -0.5, 1e-15); /* dq = 1 */
  EXPECT_EQ(side, 0);
  EXPECT_NEAR(s.apply({0.5})[0], -0.25, 1e-15); /* dM = 1: -λ / M */
  const instance off = lcp(1, {2}, {1});
  const prepared t(off, {0});
  EXPECT_EQ(t.s.state[0], PERP_SENSITIVITY_FIXED);
  EXPECT_NEAR(t.apply({1})[0], 0, 1e-15);
}

TEST(Sensitivity, AtACornerEachSideHasItsOwnDerivative) {
  const instance p = lcp(1, {2}, {0});
  const prepared s(p, {0});
  ASSERT_EQ(s.status, PERP_OK);
  EXPECT_EQ(s.s.n_degenerate, 1);
  EXPECT_EQ(s.s.state[0], PERP_SENSITIVITY_LOWER);
  std::int32_t side;
  EXPECT_NEAR(s.apply({-1}, &side)[0], 0.5, 1e-15);
  EXPECT_EQ(side, 1);
  EXPECT_NEAR(s.apply({1}, &side)[0], 0, 1e-15);
  EXPECT_EQ(side, 1);
  EXPECT_NEAR(s.apply({0}, &side)[0], 0, 1e-15);
  EXPECT_EQ(side, 0);
  const instance q = box(1, {2}, {-2}, {-1}, {1});
  const prepared u(q, {1});
  EXPECT_EQ(u.s.state[0], PERP_SENSITIVITY_UPPER);
  EXPECT_NEAR(u.apply({1})[0], -0.5, 1e-15);
  EXPECT_NEAR(u.apply({-1})[0], 0, 1e-15);
}

// min 9-8x1-6x2-4x3+2x1²+2x2²+x3²+2x1x2+2x1x3, x1+x2+2x3 <= b, x >= 0: at b = 3 the multiplier is
// 2/9, and the derivative by b follows from the conditions: with all
// x > 0, H dx + a dm = 0, aᵀdx = db.
TEST(Sensitivity, AQuadraticProgramsMultiplierByItsConditions) {
  const instance p = lcp(4, {4, 2, 2, 1, 2, 4, 0, 1, 2, 0, 2, 2, -1, -1, -2, 0}, {-8, -6, -4, 3});
  const prepared s(p, {4.0 / 3, 7.0 / 9, 4.0 / 9, 2.0 / 9});
  ASSERT_EQ(s.status, PERP_OK);
  EXPECT_EQ(s.s.n_free, 4);
  const vec d = s.apply({0, 0, 0, 1}); /* db = 1 */
  EXPECT_NEAR(d[0] + d[1] + 2 * d[2], 1, 1e-14);
  EXPECT_NEAR(4 * d[0] + 2 * d[1] + 2 * d[2] + d[3], 0, 1e-14);
  EXPECT_NEAR(2 * d[0] + 4 * d[1] + d[3], 0, 1e-14);
  EXPECT_NEAR(2 * d[0] + 2 * d[2] + 2 * d[3], 0, 1e-14);
}

// A nonlinear problem at its solution: M is the Jacobian there, q = F - M z, the load dF/dp dp.
// F = (z1² - p, z2 - z1³, 1 + z1), z1 free, z2, z3 >= 0: z = (√p, p^1.5, 0).
TEST(Sensitivity, ParametersOfANonlinearProblem) {
  const double p = 4;
  const vec z = {2, 8, 0};
  const instance linear =
      box(3, {2 * z[0], 0, 0, -3 * z[0] * z[0], 1, 0, 1, 0, 0}, {-8, 16, 1}, /* (0, 0, 3) - J z */
          {-kInf, 0, 0}, {kInf, kInf, kInf});
  const prepared s(linear, z);
  ASSERT_EQ(s.status, PERP_OK);
  const vec d = s.apply({-1, 0, 0});
  EXPECT_NEAR(d[0], 0.5 / std::sqrt(p), 1e-15);
  EXPECT_NEAR(d[1], 1.5 * std::sqrt(p), 1e-14);
  EXPECT_EQ(d[2], 0);
}

// ---- by differences of problems that are solved again ----

TEST(Sensitivity, AgreesWithDifferencesOnBothSidesWhereNothingIsDegenerate) {
  families::source s(41);
  int smooth = 0;
  for (int k = 0; k < 1500; k++) {
    instance p = sample(s);
    families::planted_q(p, s, false, 0);
    const vec lambda = moved(p, tools::dense(p.n(), p.n()), vec(p.q.size(), 0), 0);
    const prepared t(p, lambda);
    ASSERT_EQ(t.status, PERP_OK) << k;
    if (t.s.n_degenerate > 0) continue;
    smooth++;
    const change c(p, lambda, s);
    std::int32_t side;
    const vec d = t.apply(c.load, &side);
    EXPECT_EQ(side, 0);
    const double h = 1e-6;
    const vec ahead = moved(p, c.dM, c.dq, h), back = moved(p, c.dM, c.dq, -h);
    EXPECT_LE(distance(difference(ahead, lambda, h), d), 3e-4) << k;
    EXPECT_LE(distance(difference(lambda, back, h), d), 3e-4) << k;
    EXPECT_LE(distance(difference(ahead, back, 2 * h), d), 1e-7) << k;
  }
  EXPECT_GT(smooth, 1000);
}

TEST(Sensitivity, AgreesWithTheDifferenceOfEachSideWhereUnknownsAreDegenerate) {
  families::source s(42);
  int corners = 0, bent = 0;
  for (int k = 0; k < 1500; k++) {
    instance p = sample(s);
    families::planted_q(p, s, false, 0.7);
    const vec lambda = moved(p, tools::dense(p.n(), p.n()), vec(p.q.size(), 0), 0);
    const prepared t(p, lambda);
    ASSERT_EQ(t.status, PERP_OK) << k;
    if (t.s.n_degenerate == 0) continue;
    corners++;
    const change c(p, lambda, s);
    vec opposite = c.load;
    for (double &x : opposite) x = -x;
    std::int32_t side;
    const vec d = t.apply(c.load, &side), e = t.apply(opposite);
    const double h = 1e-6;
    EXPECT_LE(distance(difference(moved(p, c.dM, c.dq, h), lambda, h), d), 3e-4) << k;
    EXPECT_LE(distance(difference(moved(p, c.dM, c.dq, -h), lambda, h), e), 3e-4) << k;
    vec back = e;
    for (double &x : back) x = -x;
    if (side == 0) {
      EXPECT_LE(distance(back, d), 1e-10) << k;
    }
    bent += distance(back, d) > 1e-6;
    if (distance(back, d) > 1e-6) {
      EXPECT_EQ(side, 1) << k;
    }
  }
  EXPECT_GT(corners, 500);
  EXPECT_GT(bent, 300);
}

TEST(Sensitivity, TheAdjointIsTheTransposedMap) {
  families::source s(43);
  for (int k = 0; k < 500; k++) {
    instance p = sample(s);
    families::planted_q(p, s, false, 0);
    const vec lambda = moved(p, tools::dense(p.n(), p.n()), vec(p.q.size(), 0), 0);
    const prepared t(p, lambda);
    if (t.s.n_degenerate > 0) continue;
    vec load(p.q.size()), g(p.q.size()), r(p.q.size(), 999);
    for (double &x : load) x = s.signed_unit();
    for (double &x : g) x = s.signed_unit();
    const vec d = t.apply(load);
    ASSERT_EQ(perp_sensitivity_adjoint(&t.s, 1, g.data(), r.data()), PERP_OK);
    double left = 0, right = 0, size = 1;
    for (std::size_t i = 0; i < g.size(); i++) {
      left += g[i] * d[i];
      right += r[i] * load[i];
      size += std::fabs(g[i] * d[i]) + std::fabs(r[i] * load[i]);
    }
    EXPECT_NEAR(left, right, 1e-13 * size) << k;
  }
}

TEST(Sensitivity, ManyDirectionsInPlaceAreThoseOneByOne) {
  families::source s(44);
  instance p = sample(s);
  while (p.n() < 6) p = sample(s);
  families::planted_q(p, s, false, 0.5);
  const vec lambda = moved(p, tools::dense(p.n(), p.n()), vec(p.q.size(), 0), 0);
  for (const std::int32_t kind : {PERP_DENSE, PERP_BLOCKS}) {
    const prepared t(p, lambda, 1e-8, kind);
    const std::size_t n = p.q.size();
    vec loads(5 * n), g(5 * n);
    for (double &x : loads) x = s.signed_unit();
    vec d = loads, r = loads;
    std::vector<std::int32_t> sides(5, 999);
    ASSERT_EQ(perp_sensitivity_apply(&t.s, 5, d.data(), d.data(), sides.data()), PERP_OK);
    ASSERT_EQ(perp_sensitivity_adjoint(&t.s, 5, r.data(), r.data()), PERP_OK);
    for (std::size_t j = 0; j < 5; j++) {
      const auto first = loads.begin() + static_cast<std::ptrdiff_t>(j * n);
      const vec load(first, first + static_cast<std::ptrdiff_t>(n));
      std::int32_t side;
      const vec one = t.apply(load, &side);
      EXPECT_EQ(side, sides[j]);
      vec adjoint(n);
      perp_sensitivity_adjoint(&t.s, 1, load.data(), adjoint.data());
      for (std::size_t i = 0; i < n; i++) {
        EXPECT_EQ(one[i], d[j * n + i]);
        EXPECT_EQ(adjoint[i], r[j * n + i]);
      }
    }
  }
}

// ---- endings, arguments ----

TEST(Sensitivity, WhatIsNoSolutionHasNoDerivative) {
  const instance p = deudeu();
  const prepared s(p, {1, 1});
  EXPECT_EQ(s.status, PERP_INACCURATE);
  EXPECT_GT(s.info.relative_residual, 0.01);
  double x[2] = {1, 1};
  EXPECT_EQ(perp_sensitivity_apply(&s.s, 1, x, x, nullptr), PERP_EINVAL); /* not prepared */
  EXPECT_EQ(perp_sensitivity_adjoint(&s.s, 1, x, x), PERP_EINVAL);
  EXPECT_EQ(prepared(p, {kNaN, 1}).status, PERP_ENOTFINITE);
  EXPECT_EQ(prepared(p, {1, kInf}).status, PERP_ENOTFINITE);
}

TEST(Sensitivity, ASolutionThatIsNotAloneIsARay) {
  const instance p = singular();
  EXPECT_EQ(prepared(p, {0.5, 0.5}).status, PERP_RAY);
}

// z = 0 solves 0 <= z ⟂ -z >= 0; to the left of q = 0 there is no solution, to the right there are
// two.
TEST(Sensitivity, ADirectionWithoutDerivativeIsNotANumber) {
  const instance p = lcp(1, {-1}, {0});
  const prepared s(p, {0});
  ASSERT_EQ(s.status, PERP_OK);
  double load[2] = {-1, 1}, d[2] = {999, 999};
  std::int32_t side[2] = {999, 999};
  EXPECT_GT(perp_sensitivity_apply(&s.s, 2, load, d, side), 0);
  EXPECT_TRUE(std::isnan(d[0]));
  EXPECT_TRUE(std::isnan(d[1]));
}

TEST(Sensitivity, TheToleranceDecidesWhatIsDegenerate) {
  const instance p = lcp(2, {1, 0, 0, 1}, {-1e-6, 1e-6});
  const prepared fine(p, {1e-6, 0}), coarse(p, {1e-6, 0}, 10);
  EXPECT_EQ(fine.s.n_free, 1);
  EXPECT_EQ(fine.s.n_degenerate, 0);
  EXPECT_EQ(coarse.s.n_free, 0);
  EXPECT_EQ(coarse.s.n_degenerate, 2);
}

TEST(Sensitivity, NoUnknownsAreFine) {
  const instance p(0);
  const prepared s(p, {});
  EXPECT_EQ(s.status, PERP_OK);
  EXPECT_EQ(s.s.n, 0);
  EXPECT_EQ(perp_sensitivity_apply(&s.s, 1, nullptr, nullptr, nullptr), PERP_OK);
  EXPECT_EQ(perp_sensitivity_adjoint(&s.s, 1, nullptr, nullptr), PERP_OK);
}

TEST(Sensitivity, ArgumentsAreChecked) {
  const instance p = deudeu();
  families::laws laws(p);
  laws.problem.M = perp_dense(2, 2, p.M.data());
  const vec lambda = {4.0 / 3, 7.0 / 3};
  const std::size_t bytes = perp_sensitivity_workspace(&laws.problem);
  std::vector<unsigned char> work(bytes);
  perp_sensitivity s;
  perp_sensitivity_options o;
  perp_sensitivity_options_init(&o, sizeof o);
  EXPECT_EQ(o.tol, 1e-8);
  perp_sensitivity_options_init(nullptr, 8);
  perp_info info = PERP_INFO_INIT;
  const auto prepare = [&](perp_sensitivity *out, const perp_problem *problem, const double *x,
                           void *w, std::size_t b) {
    return perp_sensitivity_prepare(out, problem, x, &o, w, b, &info);
  };
  EXPECT_EQ(prepare(&s, &laws.problem, lambda.data(), work.data(), bytes), PERP_OK);
  EXPECT_EQ(prepare(nullptr, &laws.problem, lambda.data(), work.data(), bytes), PERP_EINVAL);
  EXPECT_EQ(prepare(&s, nullptr, lambda.data(), work.data(), bytes), PERP_EINVAL);
  EXPECT_EQ(prepare(&s, &laws.problem, nullptr, work.data(), bytes), PERP_EINVAL);
  EXPECT_EQ(prepare(&s, &laws.problem, lambda.data(), nullptr, bytes), PERP_EINVAL);
  EXPECT_EQ(prepare(&s, &laws.problem, lambda.data(), work.data(), bytes - 1), PERP_EWORKSPACE);
  EXPECT_STREQ(info.field, "work_bytes");
  EXPECT_EQ(info.value, static_cast<double>(bytes));
  for (const double bad : {0.0, -1.0, kNaN, kInf}) {
    o.tol = bad;
    EXPECT_EQ(prepare(&s, &laws.problem, lambda.data(), work.data(), bytes), PERP_EINVAL);
    EXPECT_STREQ(info.field, "tol");
  }
  o.struct_size = 1;
  EXPECT_EQ(prepare(&s, &laws.problem, lambda.data(), work.data(), bytes), PERP_EINVAL);
  EXPECT_EQ(perp_sensitivity_prepare(&s, &laws.problem, lambda.data(), nullptr, work.data(), bytes,
                                     nullptr),
            PERP_OK);
  EXPECT_EQ(perp_sensitivity_workspace(nullptr), 0u);
  double x[2] = {1, 2}, y[2] = {1, 2};
  EXPECT_EQ(perp_sensitivity_apply(nullptr, 1, x, y, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_sensitivity_apply(&s, -1, x, y, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_sensitivity_apply(&s, 1, nullptr, y, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_sensitivity_apply(&s, 1, x, nullptr, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_sensitivity_apply(&s, 0, nullptr, nullptr, nullptr), PERP_OK);
  EXPECT_EQ(perp_sensitivity_adjoint(nullptr, 1, x, y), PERP_EINVAL);
  EXPECT_EQ(perp_sensitivity_adjoint(&s, 1, nullptr, y), PERP_EINVAL);
  EXPECT_EQ(perp_sensitivity_load(2, nullptr, nullptr, x, y), PERP_OK);
  EXPECT_EQ(y[0], 0);
  EXPECT_EQ(perp_sensitivity_load(-1, nullptr, nullptr, x, y), PERP_EINVAL);
  EXPECT_EQ(perp_sensitivity_load(2, nullptr, nullptr, nullptr, y), PERP_EINVAL);
  EXPECT_EQ(perp_sensitivity_load(2, nullptr, nullptr, x, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_sensitivity_load(3, &laws.problem.M, nullptr, x, y), PERP_EINVAL);
}

// A law that is no interval.
TEST(Sensitivity, OtherSetsAreNotSupported) {
  perp_law_ops ops = {};
  ops.struct_size = sizeof ops;
  ops.set = PERP_SET_OTHER;
  ops.name = "half line";
  ops.project = [](const perp_law *, const void *, const double *x, double *p) {
    p[0] = x[0] > 0 ? x[0] : 0;
  };
  const perp_law law = {&ops, sizeof law, 1};
  const perp_law *laws[] = {&law};
  const double M[] = {1}, q[] = {-1}, lambda[] = {1};
  const perp_problem p = perp_problem_of(perp_dense(1, 1, M), q, 1, laws, nullptr);
  ASSERT_EQ(perp_problem_check(&p, nullptr), PERP_OK);
  EXPECT_EQ(perp_sensitivity_workspace(&p), 0u);
  perp_sensitivity s;
  unsigned char work[1000];
  EXPECT_EQ(perp_sensitivity_prepare(&s, &p, lambda, nullptr, work, sizeof work, nullptr),
            PERP_EUNSUPPORTED);
}

}  // namespace
