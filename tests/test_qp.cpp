// SPDX-License-Identifier: MIT
// Quadratic programs judged by their optimality conditions, written here again in long double.
#include <gtest/gtest.h>
#include <perp/interior_point.h>
#include <perp/pivoting.h>
#include <perp/qp.h>

#include <cmath>
#include <cstring>
#include <functional>

#include "problem_tools.hpp"

namespace {

using tools::at;
using tools::dense;
using tools::ints;
using tools::kInf;
using tools::kNaN;
using tools::stored;
using tools::uniform;
using tools::vec;
using real = long double;

// A program in dense arrays, by rows as one writes them, and its answer.
class program {
 public:
  std::int32_t n, m;
  dense P, A;
  vec c, row_lower, row_upper, lower, upper;
  vec x, nu, zeta, ray;
  perp_info info = PERP_INFO_INIT;
  perp_qp qp{};

  program(std::int32_t n_, std::int32_t m_) : n(n_), m(m_), P(n, n), A(m, n) {
    c.assign(at(n), 0);
    row_lower.assign(at(m), -kInf);
    row_upper.assign(at(m), kInf);
    lower.assign(at(n), -kInf);
    upper.assign(at(n), kInf);
  }
  program &hessian(const vec &rows) { return fill(&P, rows); }
  program &rows(const vec &rows) { return fill(&A, rows); }
  program &linear(vec v) { return set(&c, std::move(v)); }
  program &below(vec v) { return set(&row_upper, std::move(v)); }
  program &above(vec v) { return set(&row_lower, std::move(v)); }
  program &equal(const vec &v) { return above(v).below(v); }
  program &from(vec v) { return set(&lower, std::move(v)); }
  program &to(vec v) { return set(&upper, std::move(v)); }

  perp_qp *view() {
    x.assign(at(n), 999);
    nu.assign(at(m), 999);
    zeta.assign(at(n), 999);
    ray.assign(at(n + m), 999);
    qp = {n,
          m,
          perp_dense(n, n, P.data()),
          perp_dense(m, n, A.data()),
          c.data(),
          row_lower.data(),
          row_upper.data(),
          lower.data(),
          upper.data()};
    info.ray = ray.data();
    info.ray_size = n + m;
    return &qp;
  }
  perp_status dual(const perp_solver_options *o = nullptr) {
    view();
    std::vector<unsigned char> work(perp_qp_dual_workspace(n, m));
    return perp_qp_dual(&qp, o, x.data(), nu.data(), zeta.data(), work.data(), work.size(), &info);
  }
  perp_status solve(const perp_solver *solver, const void *options = nullptr) {
    view();
    for (double &v : x) v = 0;
    std::vector<unsigned char> work(perp_qp_workspace(solver, &qp, options));
    return perp_qp_solve(solver, &qp, options, x.data(), nu.data(), zeta.data(), work.data(),
                         work.size(), &info);
  }
  perp_status proves(const vec &r, double *bound) const {
    std::vector<unsigned char> work(perp_qp_judge_workspace(&qp));
    return perp_qp_certificate(&qp, r.data(), bound, work.data(), work.size());
  }
  perp_qp_residual judge() const {
    perp_qp_residual r;
    std::memset(&r, 0x55, sizeof r);
    r.struct_size = sizeof r;
    std::vector<unsigned char> work(perp_qp_judge_workspace(&qp));
    EXPECT_EQ(perp_qp_judge(&qp, x.data(), nu.data(), zeta.data(), &r, work.data(), work.size()),
              PERP_OK);
    return r;
  }

  // Largest violation of the optimality conditions: feasibility, gradient, and for each multiplier
  // the smaller of itself and the distance from its side, each relative to its terms.
  double error() const {
    real primal = 0, primal_scale = 1e-300L, gradient = 0, gradient_scale = 1e-300L;
    std::vector<real> g(at(n)), s(at(n));
    for (std::int32_t i = 0; i < n; i++) {
      g[at(i)] = static_cast<real>(c[at(i)]) - zeta[at(i)];
      s[at(i)] = std::fabs(c[at(i)]) + std::fabs(zeta[at(i)]);
      for (std::int32_t j = 0; j < n; j++) add(&g[at(i)], &s[at(i)], P(i, j), x[at(j)]);
      for (std::int32_t k = 0; k < m; k++) add(&g[at(i)], &s[at(i)], -A(k, i), nu[at(k)]);
      gradient = std::max(gradient, std::fabs(g[at(i)]));
      gradient_scale = std::max(gradient_scale, s[at(i)]);
      if (!(g[at(i)] == g[at(i)])) return kInf;
    }
    std::vector<real> off;
    const auto constraint = [&](real v, real size, double l, double u, double w) {
      const double side = w > 0 ? l : u, near = v <= l ? l : v >= u ? u : 0;
      primal = std::max({primal, l - v, v - u});
      primal_scale = std::max(primal_scale, size + std::fabs(near));
      off.push_back(w == 0 ? 0 : std::fabs(v - side));
    };
    std::vector<real> multipliers;
    for (std::int32_t k = 0; k < m; k++) {
      real v = 0, size = 0;
      for (std::int32_t j = 0; j < n; j++) add(&v, &size, A(k, j), x[at(j)]);
      constraint(v, size, row_lower[at(k)], row_upper[at(k)], nu[at(k)]);
      multipliers.push_back(std::fabs(nu[at(k)]));
    }
    for (std::int32_t i = 0; i < n; i++) {
      constraint(x[at(i)], std::fabs(x[at(i)]), lower[at(i)], upper[at(i)], zeta[at(i)]);
      multipliers.push_back(std::fabs(zeta[at(i)]));
    }
    real worst = std::max(primal / primal_scale, gradient / gradient_scale);
    for (std::size_t k = 0; k < off.size(); k++)
      worst = std::max(worst, std::min(off[k] / primal_scale, multipliers[k] / gradient_scale));
    return worst == worst ? static_cast<double>(worst) : kInf;
  }

 private:
  static void add(real *sum, real *size, double a, double b) {
    *sum += static_cast<real>(a) * b;
    *size += std::fabs(static_cast<real>(a) * b);
  }
  program &fill(dense *M, const vec &rows) {
    for (std::int32_t i = 0; i < M->rows; i++)
      for (std::int32_t j = 0; j < M->cols; j++) (*M)(i, j) = rows[at(i * M->cols + j)];
    return *this;
  }
  program &set(vec *to, vec v) {
    *to = std::move(v);
    return *this;
  }
};

void expect_near(const vec &a, const vec &b, double tol = 1e-9) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); i++) EXPECT_NEAR(a[i], b[i], tol) << i;
}

// Hock and Schittkowski, problems 21, 35, 76.
program hs21() {
  return program(2, 1)
      .hessian({0.02, 0, 0, 2})
      .rows({10, -1})
      .above({10})
      .from({2, -50})
      .to({50, 50});
}
program hs35() {
  return program(3, 1)
      .hessian({4, 2, 2, 2, 4, 0, 2, 0, 2})
      .linear({-8, -6, -4})
      .rows({1, 1, 2})
      .below({3})
      .from({0, 0, 0});
}
program hs76() {
  return program(4, 3)
      .hessian({2, 0, -1, 0, 0, 1, 0, 0, -1, 0, 2, 1, 0, 0, 1, 1})
      .linear({-1, -3, 1, -1})
      .rows({1, 2, 1, 1, 3, 1, 2, -1, 0, -1, -4, 0})
      .below({5, 4, -1.5})
      .from({0, 0, 0, 0});
}

void expect_hs(const std::function<perp_status(program &)> &run, bool boxes) {
  program a = hs21(), b = hs35(), d = hs76();
  if (boxes) {
    EXPECT_EQ(run(a), PERP_OK);
    expect_near(a.x, {2, 0});
    EXPECT_LT(a.error(), 1e-12);
    EXPECT_NEAR(a.judge().objective, 0.04, 1e-12);
  }
  EXPECT_EQ(run(b), PERP_OK);
  expect_near(b.x, {4.0 / 3, 7.0 / 9, 4.0 / 9});
  expect_near(b.nu, {-2.0 / 9});
  expect_near(b.zeta, {0, 0, 0});
  EXPECT_LT(b.error(), 1e-12);
  EXPECT_EQ(run(d), PERP_OK);
  expect_near(d.x, {3.0 / 11, 23.0 / 11, 0, 6.0 / 11});
  EXPECT_NEAR(d.judge().objective, -4.681818181818, 1e-9);
  EXPECT_LT(d.error(), 1e-12);
}

TEST(QpDual, SolvesProblemsOfHockAndSchittkowski) {
  expect_hs([](program &p) { return p.dual(); }, true);
}

TEST(QpSolve, SolvesProblemsOfHockAndSchittkowskiAsLcps) {
  expect_hs([](program &p) { return p.solve(perp_solver_lemke()); }, false);
}

TEST(QpSolve, SolvesProblemsOfHockAndSchittkowskiWithBoxes) {
  expect_hs([](program &p) { return p.solve(perp_solver_box_pivoting()); }, true);
}

TEST(QpDual, TheUnconstrainedMinimumNeedsNoIteration) {
  program p(2, 0);
  p.hessian({2, 1, 1, 2}).linear({-5, -6});
  EXPECT_EQ(p.dual(), PERP_OK);
  expect_near(p.x, {4.0 / 3, 7.0 / 3});
  EXPECT_EQ(p.info.iterations, 0);
  EXPECT_STREQ(p.info.solver, "qp-dual");
}

TEST(QpDual, MultipliersHaveTheSignOfTheirSide) {
  for (const double side : {-1.0, 1.0}) {
    program p(1, 1);
    p.hessian({1}).linear({-5 * side}).rows({2}).above({-4}).below({4});
    EXPECT_EQ(p.dual(), PERP_OK);
    expect_near(p.x, {2 * side});
    expect_near(p.nu, {-1.5 * side});
    program q(1, 0);
    q.hessian({1}).linear({-5 * side}).from({-2}).to({2});
    EXPECT_EQ(q.dual(), PERP_OK);
    expect_near(q.x, {2 * side});
    expect_near(q.zeta, {-3 * side});
  }
}

// Random programs with many constraints through one point, copies of rows, equations and ranges.
program random_program(uniform &random, std::int32_t n, std::int32_t m) {
  program p(n, m);
  p.P = random.definite(n);
  p.A = random.matrix(m, n);
  p.c = random.vector(n);
  for (double &v : p.c) v *= 10;
  const vec point = random.vector(n);
  for (std::int32_t k = 0; k < m; k++) {
    if (k > 0 && random() > 0.5)
      for (std::int32_t j = 0; j < n; j++) p.A(k, j) = p.A(k - 1, j) * (random() > 0 ? 1 : -1);
    double v = 0;
    for (std::int32_t j = 0; j < n; j++) v += p.A(k, j) * point[at(j)];
    const double kind = random();
    if (kind < 0.6) p.row_lower[at(k)] = v;
    if (kind > 0.4) p.row_upper[at(k)] = kind > 0.9 ? v + 0.5 : v;
  }
  for (std::int32_t j = 0; j < n; j++) {
    if (random() > 0) p.lower[at(j)] = point[at(j)];
    if (random() > 0) p.upper[at(j)] = point[at(j)] + (random() > 0 ? 1 : 0);
  }
  return p;
}

TEST(QpDual, SolvesDegeneratePrograms) {
  uniform random(3);
  for (int t = 0; t < 3000; t++) {
    const std::int32_t n = 1 + t % 9, m = (t / 9) % 14;
    program p = random_program(random, n, m);
    ASSERT_EQ(p.dual(), PERP_OK) << t << " " << p.info.relative_residual;
    EXPECT_LT(p.error(), 1e-10) << t;
    EXPECT_LE(p.info.relative_residual, 1e-10);
  }
}

TEST(Qp, LargerProgramsAreSolved) {
  uniform random(5);
  program p = random_program(random, 60, 90);
  EXPECT_EQ(p.dual(), PERP_OK);
  EXPECT_LT(p.error(), 1e-10);
  for (const perp_solver *solver : {perp_solver_box_pivoting(), perp_solver_interior_point()}) {
    EXPECT_EQ(p.solve(solver), PERP_OK) << solver->name;
    EXPECT_LT(p.error(), 1e-8) << solver->name;
  }
}

TEST(QpDual, IllConditionedProgramsAreSolvedOrRefused) {
  uniform random(9);
  int solved = 0;
  for (int t = 0; t < 300; t++) {
    const std::int32_t n = 2 + t % 6;
    program p = random_program(random, n, n);
    p.P = tools::hilbert(n);
    for (std::int32_t i = 0; i < n; i++) p.P(i, i) += std::pow(10.0, -(t % 12));
    const perp_status status = p.dual();
    if (status == PERP_OK) {
      EXPECT_LT(p.error(), 1e-9) << t;
    }
    solved += status == PERP_OK;
  }
  EXPECT_GT(solved, 280);
}

TEST(QpDual, ContradictionsAreInfeasibleWithACertificate) {
  double bound = 0;
  program rows(2, 2);
  rows.hessian({1, 0, 0, 1}).rows({1, 1, 1, 1}).equal({1, 2});
  EXPECT_EQ(rows.dual(), PERP_INFEASIBLE);
  EXPECT_EQ(rows.info.ray_kind, PERP_RAY_CERTIFICATE);
  EXPECT_EQ(rows.proves(rows.ray, &bound), PERP_INFEASIBLE);
  EXPECT_EQ(bound, kInf);
  program against(2, 1);
  against.hessian({1, 0, 0, 1}).rows({1, 1}).above({3}).from({0, 0}).to({1, 1});
  EXPECT_EQ(against.dual(), PERP_INFEASIBLE);
  EXPECT_EQ(against.proves(against.ray, &bound), PERP_INFEASIBLE);
  EXPECT_EQ(bound, kInf);
  program nothing(2, 1);
  nothing.hessian({1, 0, 0, 1}).rows({0, 0}).below({-1});
  EXPECT_EQ(nothing.dual(), PERP_INFEASIBLE);
  EXPECT_EQ(nothing.proves(nothing.ray, &bound), PERP_INFEASIBLE);
}

TEST(QpDual, RandomInfeasibleProgramsAreProved) {
  uniform random(17);
  for (int t = 0; t < 1000; t++) {
    const std::int32_t n = 1 + t % 7, m = 2 + t % 5;
    program p = random_program(random, n, m);
    // the last row contradicts a positive combination of the others, and of the bounds
    double sum = 0;
    for (std::int32_t j = 0; j < n; j++) p.A(m - 1, j) = 0;
    for (std::int32_t k = 0; k + 1 < m; k++) {
      if (p.row_lower[at(k)] == -kInf) p.row_lower[at(k)] = p.row_upper[at(k)] - 1;
      const double w = std::fabs(random());
      for (std::int32_t j = 0; j < n; j++) p.A(m - 1, j) += w * p.A(k, j);
      sum += w * p.row_lower[at(k)];
    }
    p.row_lower[at(m - 1)] = -kInf;
    p.row_upper[at(m - 1)] = sum - 0.01 - 0.1 * std::fabs(random());
    ASSERT_EQ(p.dual(), PERP_INFEASIBLE) << t;
    ASSERT_EQ(p.info.ray_kind, PERP_RAY_CERTIFICATE);
    double bound = 0;
    EXPECT_EQ(p.proves(p.ray, &bound), PERP_INFEASIBLE);
    EXPECT_GT(bound, 1e8) << t;
  }
}

TEST(QpDual, RedundantEquationsAreNoContradiction) {
  uniform random(23);
  for (int t = 0; t < 500; t++) {
    const std::int32_t n = 2 + t % 6, r = 1 + t % n, m = r + 1 + t % 4;
    program p(n, m);
    p.P = random.definite(n);
    p.A = random.matrix(m, n);
    p.c = random.vector(n);
    const vec point = random.vector(n);
    for (std::int32_t k = 0; k < m; k++) {
      for (std::int32_t j = 0; k >= r && j < n; j++) {
        p.A(k, j) = 0;
        for (std::int32_t i = 0; i < r; i++) p.A(k, j) += (i + 1.0 + k) / 3 * p.A(i, j);
      }
      double v = 0;
      for (std::int32_t j = 0; j < n; j++) v += p.A(k, j) * point[at(j)];
      p.row_lower[at(k)] = p.row_upper[at(k)] = v;  // consistent up to rounding
    }
    ASSERT_EQ(p.dual(), PERP_OK) << t;
    EXPECT_LT(p.error(), 1e-11) << t;
  }
}

TEST(QpDual, EveryEndingCanBeProvoked) {
  program p = hs76();
  perp_solver_options o = perp_solver_options_default();
  o.max_iter = 1;
  EXPECT_EQ(p.dual(&o), PERP_MAX_ITER);
  EXPECT_EQ(p.info.iterations, 1);
  o.max_iter = 0;
  o.budget = 1;
  EXPECT_EQ(p.dual(&o), PERP_MAX_ITER);
  EXPECT_EQ(p.info.iterations, 1);
  o.budget = 0;
  int calls = 0;
  o.user = &calls;
  o.observe = [](const perp_iterate *it, void *user) -> std::int32_t {
    int *count = static_cast<int *>(user);
    EXPECT_EQ(it->iteration, (*count)++);
    EXPECT_GE(it->entering, 0);
    EXPECT_GT(it->merit, 0);
    return *count == 2;
  };
  EXPECT_EQ(p.dual(&o), PERP_STOPPED);
  EXPECT_EQ(calls, 2);
  o.observe = nullptr;
  o.tol = 0;
  program round = hs35();
  const perp_status status = round.dual(&o);
  EXPECT_TRUE(status == PERP_OK || status == PERP_INACCURATE);
  program flat(2, 0);
  flat.hessian({1, 1, 1, 1});
  EXPECT_EQ(flat.dual(), PERP_EUNSUPPORTED);
  EXPECT_STREQ(flat.info.field, "P");
  program skew(2, 0);
  skew.hessian({1, 0.5, 0, 1});
  EXPECT_EQ(skew.dual(), PERP_EINVAL);
  EXPECT_STREQ(skew.info.field, "P");
}

TEST(Qp, NothingIsSolved) {
  program p(0, 0);
  EXPECT_EQ(p.dual(), PERP_OK);
  EXPECT_EQ(p.solve(perp_solver_lemke()), PERP_OK);
  perp_qp_residual r = p.judge();
  EXPECT_EQ(r.worst, -1);
  EXPECT_EQ(perp_qp_residual_solved(&r, 0), 1);
  program rows(0, 2);
  rows.above({-1, 0}).below({1, 0});
  EXPECT_EQ(rows.dual(), PERP_OK);
  rows.above({-1, 1}).below({1, 1});
  EXPECT_EQ(rows.dual(), PERP_INFEASIBLE);
  double bound = 0;
  EXPECT_EQ(rows.proves(rows.ray, &bound), PERP_INFEASIBLE);
  EXPECT_EQ(bound, kInf);
}

TEST(QpSolve, WithoutRowsTheMatrixIsP) {
  uniform random(29);
  for (int t = 0; t < 200; t++) {
    program p = random_program(random, 1 + t % 8, 0);
    ASSERT_EQ(p.solve(perp_solver_active_set()), PERP_OK) << t;
    EXPECT_LT(p.error(), 1e-10);
    const vec x = p.x;
    ASSERT_EQ(p.dual(), PERP_OK);
    expect_near(x, p.x);
  }
}

TEST(QpSolve, EveryStorageOfPAndAGivesTheSameAnswer) {
  program p = hs35();
  ASSERT_EQ(p.solve(perp_solver_lemke()), PERP_OK);
  const vec x = p.x, nu = p.nu;
  for (const ints &cuts : {ints{}, ints{0, 1, 3}}) {
    p.view();
    const stored P(p.P, PERP_BLOCKS, cuts);
    p.qp.P = P.view;
    std::vector<unsigned char> work(perp_qp_workspace(perp_solver_lemke(), &p.qp, nullptr));
    EXPECT_EQ(perp_qp_solve(perp_solver_lemke(), &p.qp, nullptr, p.x.data(), p.nu.data(),
                            p.zeta.data(), work.data(), work.size(), nullptr),
              PERP_OK);
    expect_near(p.x, x);
    expect_near(p.nu, nu);
    std::vector<unsigned char> small(perp_qp_dual_workspace(3, 1));
    EXPECT_EQ(perp_qp_dual(&p.qp, nullptr, p.x.data(), p.nu.data(), p.zeta.data(), small.data(),
                           small.size(), nullptr),
              PERP_OK);
    expect_near(p.x, x);
    EXPECT_LT(p.error(), 1e-12);
  }
}

// How programs ended, each judged: a solution, or a proof that there is none.
struct verdicts {
  int solved = 0, infeasible = 0, unbounded = 0;
  void take(const program &p, perp_status status, int t) {
    if (status == PERP_OK) {
      solved++;
      EXPECT_LT(p.error(), 1e-10) << t;
      return;
    }
    double bound = 0;
    ASSERT_TRUE(status == PERP_INFEASIBLE || status == PERP_UNBOUNDED) << t << " " << status;
    (status == PERP_INFEASIBLE ? infeasible : unbounded)++;
    ASSERT_EQ(p.info.ray_kind, PERP_RAY_CERTIFICATE);
    EXPECT_EQ(p.proves(p.ray, &bound), status) << t;
    EXPECT_GT(bound, 1e8) << t;
  }
};

// Programs without free unknowns and ranges, semidefinite P, as LCPs.
TEST(QpSolve, SemidefiniteProgramsAreSolvedOrToldApart) {
  uniform random(31);
  verdicts told;
  for (int t = 0; t < 1500; t++) {
    const std::int32_t n = 1 + t % 6, m = t % 5, rank = t % (n + 1);
    program p(n, m);
    const dense R = random.matrix(n, rank);
    for (std::int32_t i = 0; i < n; i++)
      for (std::int32_t j = 0; j < n; j++)
        for (std::int32_t k = 0; k < rank; k++) p.P(i, j) += R(i, k) * R(j, k);
    p.A = random.matrix(m, n);
    p.c = random.vector(n);
    for (std::int32_t j = 0; j < n; j++) p.lower[at(j)] = 0;
    for (std::int32_t k = 0; k < m; k++) (t % 2 ? p.row_lower : p.row_upper)[at(k)] = random();
    const perp_status status = p.solve(perp_solver_lemke());
    told.take(p, status, t);
  }
  EXPECT_GT(told.solved, 100);
  EXPECT_GT(told.infeasible, 50);
  EXPECT_GT(told.unbounded, 100);
}

// The solution is x = 0, or has no multipliers, and noise beside noise is no small part of it.
TEST(QpSolve, WhereZeroIsTheSolutionNoiseIsNone) {
  program unmoved = program(1, 1).hessian({0x1.29p+0}).rows({0x1.18p-1}).linear({0x1.18p-3});
  unmoved.above({0}).from({-1}).to({1});
  program pinned = program(1, 3).hessian({0x1.3p+3}).rows({3, 3, -3}).linear({-0x1.ep+0});
  pinned.above({-2, -kInf, -kInf}).below({2, 0, 0});
  program cone = program(1, 2).rows({-0x1.2p-1, 0x1.ap-1}).linear({0x1.38p-2});
  cone.above({-1, 0}).below({1, kInf}).to({0});
  program idle = program(1, 2).rows({0x1.08p-1, 0x1.ap-3});
  idle.above({-0x1.42p+1, -0x1.f4p+0}).below({kInf, -0x1.ap-3});
  program plane = program(2, 2).rows({0x1.b8p-1, -0x1p-4, 0x1.18p-1, -0x1.5p-1});
  plane.above({-0x1.6dp-1, -0x1.18p-4}).below({0x1.498p+0, -0x1.18p-4});
  plane.from({-0x1.ap+0, -0x1.ep+0}).to({-0x1p-3, -0x1.4p-1});
  for (program *p : {&unmoved, &pinned, &cone, &idle, &plane}) {
    for (const perp_solver *solver : {perp_solver_box_pivoting(), perp_solver_interior_point()}) {
      EXPECT_EQ(p->solve(solver), PERP_OK) << p->info.relative_residual;
      EXPECT_LT(p->error(), 1e-10);
    }
  }
  program dual = program(1, 1).hessian({0x1.2c2p-1}).rows({-0x1.5p-1}).linear({0x1.26p-1});
  dual.above({-0x1.cp+0}).below({0}).from({-0x1p-1});
  EXPECT_EQ(dual.dual(), PERP_OK);
  EXPECT_LT(dual.error(), 1e-10);
}

// Semidefinite programs with equations, ranges and free unknowns. The data are small integers, so
// that dependent rows are so exactly.
TEST(QpSolve, ProgramsOfEveryKindAreSolvedOrToldApart) {
  uniform random(37);
  verdicts told;
  const auto small = [&](int k) { return std::floor(random() * k + 0.5); };
  for (int t = 0; t < 2000; t++) {
    const std::int32_t n = 1 + t % 6, m = t % 5, rank = (t / 30) % (n + 1);
    program p(n, m);
    dense R(n, rank);
    for (double &v : R.a) v = small(3);
    for (std::int32_t i = 0; i < n; i++) {
      for (std::int32_t j = 0; j < n; j++)
        for (std::int32_t k = 0; k < rank; k++) p.P(i, j) += R(i, k) * R(j, k);
      p.c[at(i)] = small(4);
      if (random() > -0.2) p.lower[at(i)] = small(2);
      if (random() > 0.4) p.upper[at(i)] = (random() > 0 ? 3 : std::max(2.0, p.lower[at(i)]));
    }
    for (std::int32_t k = 0; k < m; k++) {
      for (std::int32_t j = 0; j < n; j++) p.A(k, j) = small(2);
      const double kind = random();
      if (kind < 0.3) p.row_lower[at(k)] = small(3);
      if (kind > 0) p.row_upper[at(k)] = kind < 0.15 ? p.row_lower[at(k)] : 5 + small(2);
    }
    const perp_status status = p.solve(perp_solver_box_pivoting());
    told.take(p, status, t);
  }
  EXPECT_GT(told.solved, 500);
  EXPECT_GT(told.infeasible, 50);
  EXPECT_GT(told.unbounded, 100);
}

TEST(QpSolve, AgreesWithTheDualActiveSet) {
  uniform random(41);
  for (int t = 0; t < 500; t++) {
    program p = random_program(random, 1 + t % 7, (t / 7) % 8);
    const perp_status status = p.solve(perp_solver_box_pivoting());
    const vec x = p.x;
    ASSERT_EQ(p.dual(), PERP_OK) << t;
    ASSERT_EQ(status, PERP_OK) << t;
    expect_near(x, p.x, 1e-7);
  }
}

// An iterative engine ends at its tolerance; contradictions and free falls are found without it.
TEST(QpSolve, TheInteriorPointMethodServes) {
  uniform random(43);
  for (program p : {hs21(), hs35(), hs76()}) {
    ASSERT_EQ(p.solve(perp_solver_interior_point()), PERP_OK);
    EXPECT_LT(p.error(), 1e-8);
  }
  for (int t = 0; t < 200; t++) {
    program p = random_program(random, 1 + t % 7, (t / 7) % 8);
    ASSERT_EQ(p.solve(perp_solver_interior_point()), PERP_OK) << t;
    EXPECT_LT(p.error(), 1e-7) << t;
  }
  program fall(2, 1);
  fall.linear({-1, 0}).rows({1, -1}).below({1});
  EXPECT_EQ(fall.solve(perp_solver_interior_point()), PERP_UNBOUNDED);
  program none(2, 2);
  none.hessian({1, 0, 0, 0}).rows({1, 1, 1, 1}).equal({1, 2});
  EXPECT_EQ(none.solve(perp_solver_interior_point()), PERP_INFEASIBLE);
}

TEST(QpSolve, ConvexityIsTested) {
  program p(2, 0);
  p.hessian({1, 2, 2, 1}).from({0, 0});
  EXPECT_EQ(p.solve(perp_solver_lemke()), PERP_EUNSUPPORTED);
  EXPECT_STREQ(p.info.field, "P");
  program zero(2, 0);
  zero.hessian({0, 1, 1, 0}).from({0, 0});
  EXPECT_EQ(zero.solve(perp_solver_lemke()), PERP_EUNSUPPORTED);
  program skew(2, 0);
  skew.hessian({1, 1, -1, 1}).from({0, 0});
  EXPECT_EQ(skew.solve(perp_solver_lemke()), PERP_EINVAL);
  program linear(2, 1);  // P = 0
  linear.linear({1, 2}).rows({1, 1}).above({1}).from({0, 0});
  EXPECT_EQ(linear.solve(perp_solver_lemke()), PERP_OK);
  expect_near(linear.x, {1, 0});
  expect_near(linear.nu, {1});
  expect_near(linear.zeta, {0, 1});
}

TEST(QpSolve, ASolverThatTakesNoSuchProblemIsRefused) {
  program p = hs21();  // bounds on both sides
  EXPECT_EQ(p.solve(perp_solver_lemke()), PERP_EUNSUPPORTED);
  EXPECT_STREQ(p.info.field, "law");
}

TEST(QpCertificate, NoRayContradictsASolution) {
  uniform random(47);
  int claims = 0;
  for (int t = 0; t < 2000; t++) {
    program p = random_program(random, 1 + t % 4, 1 + (t / 4) % 4);
    for (double &v : p.row_lower) v -= 1e-6;  // copies of rows may contradict one another
    for (double &v : p.row_upper) v += 1e-6;  // by rounding, and that is true
    ASSERT_EQ(p.dual(), PERP_OK) << t;
    double norm = 0, both = 0, bound = 999;
    for (const double v : p.x) norm += std::fabs(v);
    both = norm;
    for (const double v : p.nu) both += std::fabs(v);
    vec ray(at(p.n + p.m), 0.0);
    const bool rows = t % 3 == 0;
    for (std::int32_t i = 0; i < p.n && !rows; i++) {
      ray[at(i)] = std::floor(3 * random());
      if (p.lower[at(i)] > -kInf) ray[at(i)] = std::fabs(ray[at(i)]);
      if (p.upper[at(i)] < kInf) ray[at(i)] = p.lower[at(i)] > -kInf ? 0 : -std::fabs(ray[at(i)]);
    }
    for (std::int32_t k = 0; k < p.m && rows; k++) {
      ray[at(p.n + k)] = std::floor(3 * random());
      if (p.row_lower[at(k)] == -kInf) ray[at(p.n + k)] = -std::fabs(ray[at(p.n + k)]);
      if (p.row_upper[at(k)] == kInf) ray[at(p.n + k)] = std::fabs(ray[at(p.n + k)]);
      if (p.row_lower[at(k)] == -kInf && p.row_upper[at(k)] == kInf) ray[at(p.n + k)] = 0;
    }
    const perp_status status = p.proves(ray, &bound);
    EXPECT_EQ(status == PERP_INACCURATE, bound == 0);
    EXPECT_LE(bound, (status == PERP_INFEASIBLE ? norm : both) * (1 + 1e-9)) << t;
    claims += bound > 0;
  }
  EXPECT_GT(claims, 100);
}

TEST(QpCertificate, ADirectionMustStayWithinTheRows) {
  for (const double sign : {1.0, -1.0}) {
    program p(1, 1);  // x falls to the bound of the row: x = 5, nu = -1, or the same for -x
    p.linear({-sign}).rows({1});
    sign > 0 ? p.below({5}) : p.above({-5});
    EXPECT_EQ(p.solve(perp_solver_box_pivoting()), PERP_OK);
    double bound = 999;
    p.proves({sign, 0}, &bound);
    EXPECT_LE(bound, 6);
    program free(1, 1);
    free.linear({-sign}).rows({1});
    sign > 0 ? free.above({5}) : free.below({-5});
    free.view();
    EXPECT_EQ(free.proves({sign, 0}, &bound), PERP_UNBOUNDED);
    EXPECT_EQ(bound, kInf);
    EXPECT_EQ(free.proves({-sign, 0}, &bound), PERP_INACCURATE);
    EXPECT_EQ(free.proves({sign, 1}, &bound), PERP_INACCURATE);  // one thing at a time
    EXPECT_EQ(free.proves({kNaN, 0}, &bound), PERP_INACCURATE);
    EXPECT_EQ(free.proves({0, kNaN}, &bound), PERP_INACCURATE);
    EXPECT_EQ(free.proves({0, 0}, &bound), PERP_INACCURATE);
  }
}

TEST(QpJudge, AgreesWithTheDefinitionAndSeesEveryError) {
  program p = hs76();
  ASSERT_EQ(p.dual(), PERP_OK);
  perp_qp_residual r = p.judge();
  EXPECT_LT(r.relative_primal, 1e-14);
  EXPECT_LT(r.relative_dual, 1e-14);
  EXPECT_LT(r.relative_gap, 1e-14);
  const auto spoilt = [&](double perp_qp_residual::*part, double size, auto &&change) {
    program s = p;
    change(s);
    s.qp = {s.n,
            s.m,
            perp_dense(s.n, s.n, s.P.data()),
            perp_dense(s.m, s.n, s.A.data()),
            s.c.data(),
            s.row_lower.data(),
            s.row_upper.data(),
            s.lower.data(),
            s.upper.data()};
    const perp_qp_residual e = s.judge();
    EXPECT_NEAR(e.*part, size, 1e-9);
    EXPECT_EQ(perp_qp_residual_solved(&e, 1e-6), 0);
  };
  spoilt(&perp_qp_residual::primal, 0.01, [](program &s) { s.x[2] = -0.01; });
  spoilt(&perp_qp_residual::dual, 0.01, [](program &s) { s.c[1] += 0.01; });
  spoilt(&perp_qp_residual::dual, 3 * 4,
         [](program &s) { s.nu[2] = 3; });  // lower side is infinite
  spoilt(&perp_qp_residual::gap, 2 * 3.0 / 11, [](program &s) { s.zeta[0] = 2; });
}

// A caller that knows less, or more, of the struct.
TEST(QpJudge, WritesAsFarAsTheCallerKnows) {
  program p = hs76();
  ASSERT_EQ(p.dual(), PERP_OK);
  std::vector<unsigned char> work(perp_qp_judge_workspace(&p.qp));
  const auto judge = [&](perp_qp_residual *r) {
    return perp_qp_judge(&p.qp, p.x.data(), p.nu.data(), p.zeta.data(), r, work.data(),
                         work.size());
  };
  struct {
    perp_qp_residual known = PERP_QP_RESIDUAL_INIT;
    double more = 999;
  } newer;
  newer.known.struct_size = sizeof newer;
  EXPECT_EQ(judge(&newer.known), PERP_OK);
  EXPECT_EQ(newer.known.struct_size, sizeof newer);
  EXPECT_EQ(newer.more, 999);
  EXPECT_EQ(perp_qp_residual_solved(&newer.known, 1e-10), 1);
  for (const std::size_t size : {std::size_t{0}, std::size_t{4}, sizeof(perp_qp_residual) - 8}) {
    perp_qp_residual r = PERP_QP_RESIDUAL_INIT;
    r.struct_size = static_cast<std::uint32_t>(size);
    r.primal = 999;
    EXPECT_EQ(judge(&r), PERP_EINVAL) << size;
    EXPECT_EQ(r.primal, 999) << size;
    EXPECT_EQ(perp_qp_residual_solved(&r, 1), 0) << size;
  }
}

// With c = 0 and x̂ = 0 the gradient is held against that of bounded x: multipliers that are 10^10
// times larger and all but cancel are no solution. Where no x is bounded, 0 is one.
TEST(QpJudge, WithoutALinearTermBoundedUnknownsAreTheSize) {
  program p(1, 0);
  p.hessian({4}).linear({0});
  p.lower = {-1};
  p.upper = {6};
  p.view();
  p.x = {1e-11};
  p.nu = {};
  p.zeta = {0};
  EXPECT_EQ(p.judge().dual_hat, 4e-11);
  p.upper = {kInf};
  p.view();
  EXPECT_EQ(p.judge().dual_hat, kInf);
}

// An objective that falls by a part t of c: what is left of the gradient there is refused above the
// ceiling, whatever the terms at the point are.
TEST(QpJudge, TheCeilingFollowsTheTolerance) {
  for (const double t : {3e-3, 3e-5, 3e-6, 1e-7, 1e-9}) {
    program p(2, 0);
    p.hessian({1, 0, 0, 0}).linear({1, -t});
    p.view();
    p.x = {-1, 1};
    p.nu = {};
    p.zeta = {0, 0};
    perp_qp_residual r = p.judge();
    EXPECT_EQ(r.dual_hat, 1);
    EXPECT_EQ(r.primal_hat, kInf);
    EXPECT_NEAR(r.dual, t, 1e-15);
    for (const double tol : {1e-1, 1e-4, 1e-6, 1e-8, 1e-12}) {
      r.relative_dual = 0;
      const double most = std::min(1e-2, std::max(1e-6, 10 * tol));
      EXPECT_EQ(perp_qp_residual_solved(&r, tol), t <= most) << t << " " << tol;
    }
    r.dual_rounding = 2e-2;  // hides what is asked for
    EXPECT_EQ(perp_qp_residual_solved(&r, 1e-1), 0);
  }
}

TEST(QpJudge, AHugePointOfAnInfeasibleProgramIsNoSolution) {
  program p(2, 2);
  p.rows({1, -1, 1, -1}).equal({1, 2});
  p.view();
  p.x = {1e15, 1e15};
  p.nu = {0, 0};
  p.zeta = {0, 0};
  const perp_qp_residual r = p.judge();
  EXPECT_LT(r.relative_primal, 1e-12);
  EXPECT_EQ(perp_qp_residual_solved(&r, 1e-10), 0);
}

TEST(QpJudge, AnUnusedBoundFarAwayHidesNothing) {
  program p(2, 1);
  p.hessian({1, 0, 0, 1}).rows({1, 1}).equal({1}).to({1e20, 1e20}).from({-1e20, -1e20});
  p.view();
  p.x = {0.5, 0.4};
  p.nu = {0.5};
  p.zeta = {0, 0};
  const perp_qp_residual r = p.judge();
  EXPECT_GT(r.relative_primal, 1e-2);
  EXPECT_EQ(p.dual(), PERP_OK);
  expect_near(p.x, {0.5, 0.5});
}

TEST(Qp, NotANumberIsNamedAndNeverSolved) {
  const auto spoilt = [](auto &&change, const char *field) {
    for (const double bad : {kNaN, kInf}) {
      program p = hs76();
      change(p, bad);
      EXPECT_EQ(p.dual(), PERP_ENOTFINITE) << field;
      EXPECT_STREQ(p.info.field, field);
      EXPECT_EQ(p.solve(perp_solver_lemke()), PERP_ENOTFINITE) << field;
      EXPECT_STREQ(p.info.field, field);
    }
  };
  spoilt([](program &p, double v) { p.P(1, 2) = v; }, "P");
  spoilt([](program &p, double v) { p.A(2, 3) = v; }, "A");
  spoilt([](program &p, double v) { p.c[3] = v; }, "c");
  spoilt([](program &p, double v) { p.row_lower[1] = v; }, "row_lower");
  spoilt([](program &p, double v) { p.lower[1] = v; }, "lower");
  spoilt([](program &p, double v) { p.row_upper[1] = v == kInf ? -v : v; }, "row_upper");
  spoilt([](program &p, double v) { p.upper[1] = v == kInf ? -v : v; }, "upper");
  program p = hs35();
  ASSERT_EQ(p.dual(), PERP_OK);
  for (const double bad : {kNaN, kInf}) {
    program s = hs35();
    s.dual();
    s.x[1] = bad;
    perp_qp_residual r = s.judge();
    EXPECT_EQ(perp_qp_residual_solved(&r, kInf), 0);
    s.dual();
    s.nu[0] = bad;
    r = s.judge();
    EXPECT_EQ(perp_qp_residual_solved(&r, kInf), 0);
  }
  EXPECT_EQ(perp_qp_residual_solved(nullptr, 1), 0);
}

TEST(Qp, ExtremeNumbersEnd) {
  for (const double s : {1e-300, 1e-150, 1e150, 1e300}) {
    program p = hs76();
    for (double &v : p.P.a) v *= s;
    p.P.a.back() = 999;
    for (double &v : p.c) v *= s;
    const perp_status status = p.dual();
    if (status == PERP_OK) {
      EXPECT_LT(p.error(), 1e-9);
    }
    (void)p.solve(perp_solver_lemke());
  }
}

TEST(Qp, ProgramsOfExtremeNumbersEndAndAreNotMistaken) {
  uniform random(53);
  const double sizes[] = {0, 1, -1, 0.1, 1e-9, -1e9, 1e-160, 1e160, -1e300, 1e-300, 5e-324, 3};
  const auto any = [&] { return sizes[at(static_cast<std::int32_t>((random() + 1) * 6)) % 12]; };
  int solved = 0;
  for (int t = 0; t < 4000; t++) {
    const std::int32_t n = 1 + t % 4, m = (t / 4) % 4;
    program p(n, m);
    for (std::int32_t i = 0; i < n; i++) {
      for (std::int32_t j = 0; j < i; j++) p.P(i, j) = p.P(j, i) = random() > 0.5 ? any() : 0;
      p.P(i, i) = std::fabs(any());
      p.c[at(i)] = any();
      if (random() > 0) p.lower[at(i)] = any();
      if (random() > 0) p.upper[at(i)] = std::max(any(), p.lower[at(i)]);
    }
    for (double &v : p.A.a) v = any();
    for (std::int32_t k = 0; k < m; k++) {
      if (random() > 0) p.row_lower[at(k)] = any();
      if (random() > 0) p.row_upper[at(k)] = std::max(any(), p.row_lower[at(k)]);
    }
    for (const bool dual : {true, false}) {
      const perp_status status = dual ? p.dual() : p.solve(perp_solver_box_pivoting());
      if (status != PERP_OK) continue;
      EXPECT_LT(p.error(), 1e-9) << t << dual;
      solved++;
    }
  }
  EXPECT_GT(solved, 500);
}

TEST(Qp, NamesWhatIsWrong) {
  const auto refused = [](auto &&spoil, const char *field) {
    program p = hs76();
    p.view();
    spoil(p.qp);
    EXPECT_EQ(perp_qp_check(&p.qp, &p.info), PERP_EINVAL);
    EXPECT_STREQ(p.info.field, field);
    std::vector<unsigned char> work(100000);
    EXPECT_EQ(perp_qp_dual(&p.qp, nullptr, p.x.data(), p.nu.data(), p.zeta.data(), work.data(),
                           work.size(), &p.info),
              PERP_EINVAL);
    EXPECT_EQ(perp_qp_solve(perp_solver_lemke(), &p.qp, nullptr, p.x.data(), p.nu.data(),
                            p.zeta.data(), work.data(), work.size(), &p.info),
              PERP_EINVAL);
    EXPECT_STREQ(p.info.field, field);
    EXPECT_EQ(perp_qp_workspace(perp_solver_lemke(), &p.qp, nullptr), 0u);
    EXPECT_EQ(perp_qp_judge_workspace(&p.qp), 0u);
  };
  refused([](perp_qp &q) { q.n = -1; }, "n");
  refused([](perp_qp &q) { q.m = -1; }, "m");
  refused([](perp_qp &q) { q.m = INT32_MAX; }, "m");
  refused([](perp_qp &q) { q.P.rows = 3; }, "P");
  refused([](perp_qp &q) { q.P.values = nullptr; }, "P");
  refused([](perp_qp &q) { q.A.cols = 3; }, "A");
  refused([](perp_qp &q) { q.c = nullptr; }, "c");
  static const double one[4] = {1, 1, 1, 1}, two[4] = {2, 2, 2, 2};
  refused([](perp_qp &q) { q.row_lower = two, q.row_upper = one; }, "row_lower");
  refused([](perp_qp &q) { q.lower = two, q.upper = one; }, "lower");
  EXPECT_EQ(perp_qp_check(nullptr, nullptr), PERP_EINVAL);
}

TEST(Qp, NullArgumentsAndSmallBlocksAreRefused) {
  program p = hs76();
  perp_qp *q = p.view();
  const perp_solver *lemke = perp_solver_lemke();
  const std::size_t dual = perp_qp_dual_workspace(4, 3), kkt = perp_qp_workspace(lemke, q, nullptr),
                    judge = perp_qp_judge_workspace(q);
  ASSERT_GT(dual, 0u);
  ASSERT_GT(kkt, 0u);
  std::vector<unsigned char> work(std::max({dual, kkt, judge}) + 64);
  double *x = p.x.data(), *nu = p.nu.data(), *zeta = p.zeta.data();
  void *w = work.data();
  EXPECT_EQ(perp_qp_dual(nullptr, nullptr, x, nu, zeta, w, dual, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_qp_dual(q, nullptr, nullptr, nu, zeta, w, dual, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_qp_dual(q, nullptr, x, nullptr, zeta, w, dual, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_qp_dual(q, nullptr, x, nu, nullptr, w, dual, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_qp_dual(q, nullptr, x, nu, zeta, nullptr, dual, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_qp_dual(q, nullptr, x, nu, zeta, w, dual - 1, nullptr), PERP_EWORKSPACE);
  EXPECT_EQ(perp_qp_solve(nullptr, q, nullptr, x, nu, zeta, w, kkt, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_qp_solve(lemke, nullptr, nullptr, x, nu, zeta, w, kkt, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_qp_solve(lemke, q, nullptr, nullptr, nu, zeta, w, kkt, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_qp_solve(lemke, q, nullptr, x, nu, zeta, nullptr, kkt, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_qp_solve(lemke, q, nullptr, x, nu, zeta, w, kkt - 1, nullptr), PERP_EWORKSPACE);
  perp_qp_residual r = PERP_QP_RESIDUAL_INIT;
  EXPECT_EQ(perp_qp_judge(q, x, nu, zeta, nullptr, w, judge), PERP_EINVAL);
  EXPECT_EQ(perp_qp_judge(q, nullptr, nu, zeta, &r, w, judge), PERP_EINVAL);
  EXPECT_EQ(perp_qp_judge(q, x, nu, zeta, &r, nullptr, judge), PERP_EINVAL);
  EXPECT_EQ(perp_qp_judge(q, x, nu, zeta, &r, w, judge - 1), PERP_EWORKSPACE);
  double bound;
  EXPECT_EQ(perp_qp_certificate(q, nullptr, &bound, w, judge), PERP_EINVAL);
  EXPECT_EQ(perp_qp_certificate(q, x, nullptr, w, judge), PERP_EINVAL);
  EXPECT_EQ(perp_qp_certificate(q, p.ray.data(), &bound, w, judge - 1), PERP_EWORKSPACE);
  EXPECT_EQ(perp_qp_certificate(q, p.ray.data(), &bound, w, judge), PERP_INACCURATE);
  EXPECT_EQ(perp_qp_dual_workspace(-1, 0), 0u);
  EXPECT_EQ(perp_qp_dual_workspace(0, -1), 0u);
  EXPECT_EQ(perp_qp_dual_workspace(INT32_MAX, INT32_MAX), 0u);
  EXPECT_EQ(perp_qp_workspace(nullptr, q, nullptr), 0u);
  perp_solver_options o = perp_solver_options_default();
  o.tol = kNaN;
  EXPECT_EQ(p.dual(&o), PERP_EINVAL);
  o.tol = -1;
  EXPECT_EQ(p.dual(&o), PERP_EINVAL);
  o = perp_solver_options_default();
  o.max_iter = -1;
  EXPECT_EQ(p.dual(&o), PERP_EINVAL);
  o = perp_solver_options_default();
  o.struct_size = 4;
  EXPECT_EQ(p.dual(&o), PERP_EINVAL);
  EXPECT_EQ(p.solve(lemke, &o), PERP_EINVAL);
}

TEST(Qp, TheBoundOfTheWorkspaceHolds) {
  for (const std::int32_t n : {0, 1, 2, 3, 8, 17, 100, 1000})
    for (const std::int32_t m : {0, 1, 5, 8, 33, 1000}) {
      const std::size_t need = perp_qp_dual_workspace(n, m);
      EXPECT_GT(need, 0u);
      EXPECT_LE(need, PERP_QP_DUAL_WORKSPACE(n, m)) << n << " " << m;
    }
}

TEST(Qp, MemoryIsExactAtEveryAlignment) {
  program p = hs76();
  perp_qp *q = p.view();
  const perp_solver *lemke = perp_solver_lemke();
  for (const bool dual : {true, false}) {
    const std::size_t need =
        dual ? perp_qp_dual_workspace(4, 3) : perp_qp_workspace(lemke, q, nullptr);
    for (std::size_t shift = 0; shift < 16; shift++) {
      std::vector<unsigned char> work(need + 80, 0xA5);
      unsigned char *w = work.data() + 8 + shift;
      EXPECT_EQ(
          dual ? perp_qp_dual(q, nullptr, p.x.data(), p.nu.data(), p.zeta.data(), w, need, nullptr)
               : perp_qp_solve(lemke, q, nullptr, p.x.data(), p.nu.data(), p.zeta.data(), w, need,
                               nullptr),
          PERP_OK);
      EXPECT_EQ(w[-1], 0xA5);
      EXPECT_EQ(w[need], 0xA5);
    }
  }
}

}  // namespace
