// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <perp/pivoting.h>

#include "trial.hpp"

namespace {

using namespace trial;

const perp_solver *const kSolver = perp_solver_enumeration();

struct found {
  perp_status status = 999;
  std::vector<vec> points;
  perp_enumeration_report report{};
  perp_info info = PERP_INFO_INIT;
  const instance *p = nullptr;
  std::size_t stop_after = 1000000;
};

std::int32_t keep(const double *z, const double *w, void *user) {
  auto *f = static_cast<found *>(user);
  const std::size_t n = f->p->q.size();
  f->points.emplace_back(z, z + n);
  EXPECT_TRUE(families::solves(*f->p, f->points.back(), 1e-10));
  const auto y = tools::affine(f->p->M, f->p->q, f->points.back());
  for (std::size_t i = 0; i < n; i++)
    EXPECT_NEAR(w[i], static_cast<double>(y[i]), 1e-9 * (1 + std::fabs(w[i])));
  return f->points.size() >= f->stop_after;
}

found all(const instance &p, const perp_solver_options *o = nullptr,
          std::size_t stop_after = 1000000) {
  found f;
  f.p = &p;
  f.stop_after = stop_after;
  f.report.struct_size = sizeof f.report;
  f.report.solutions = f.report.nodes = f.report.complete = f.report.faces = 999;
  const perp_mlcp problem = {p.n(), p.M.ld, p.M.data(), p.q.data(), p.lower.data(), p.upper.data()};
  const std::size_t bytes = perp_mlcp_enumerate_workspace(p.n());
  EXPECT_GT(bytes, 0u);
  std::vector<unsigned char> work(bytes + 64, 0xA5);
  f.status = perp_mlcp_enumerate(&problem, o, keep, &f, &f.report, work.data() + 5, bytes, &f.info);
  for (std::size_t i = 0; i < 5; i++) EXPECT_EQ(work[i], 0xA5);
  for (std::size_t i = bytes + 5; i < work.size(); i++) EXPECT_EQ(work[i], 0xA5);
  EXPECT_EQ(static_cast<std::size_t>(f.report.solutions), f.points.size());
  EXPECT_EQ(f.report.nodes, f.info.iterations);
  return f;
}

int times(const found &f, const vec &point, double tol = 1e-9) {
  int count = 0;
  for (const vec &x : f.points) count += near(x, point, tol);
  return count;
}

// ---- by brute force ----

// All cells one by one, each by elimination with complete pivoting in long double; a point may come
// from several cells. Counts the singular ones.
struct brute {
  std::vector<vec> points;
  int singular = 0;

  explicit brute(const instance &p) {
    std::vector<int> mode(p.q.size(), 0);
    walk(p, mode, 0);
  }

 private:
  void walk(const instance &p, std::vector<int> &mode, std::size_t k) {
    if (k == mode.size()) return cell(p, mode);
    const double l = p.lower[k], u = p.upper[k];
    for (int m = 0; m < 3; m++) {
      if ((m == 0 && l == -kInf) || (m == 1 && !(l < u)) || (m == 2 && (u == kInf || !(l < u))))
        continue;
      mode[k] = m;
      walk(p, mode, k + 1);
    }
  }

  void cell(const instance &p, const std::vector<int> &mode) {
    const std::int32_t n = p.n();
    std::vector<std::int32_t> F;
    vec x(p.q.size(), 0);
    for (std::int32_t i = 0; i < n; i++) {
      if (mode[at(i)] == 1) F.push_back(i);
      if (mode[at(i)] == 0) x[at(i)] = p.lower[at(i)];
      if (mode[at(i)] == 2) x[at(i)] = p.upper[at(i)];
    }
    const std::size_t k = F.size();
    const auto y = tools::affine(p.M, p.q, x);
    std::vector<std::vector<long double>> A(k, std::vector<long double>(k + 1));
    for (std::size_t i = 0; i < k; i++) {
      for (std::size_t j = 0; j < k; j++) A[i][j] = p.M(F[i], F[j]);
      A[i][k] = -y[at(F[i])];
    }
    std::vector<std::size_t> place(k);
    for (std::size_t c = 0; c < k; c++) {
      std::size_t r = c, b = c;
      for (std::size_t i = c; i < k; i++)
        for (std::size_t j = c; j < k; j++)
          if (std::fabs(A[i][j]) > std::fabs(A[r][b])) r = i, b = j;
      if (!(std::fabs(A[r][b]) > 1e-11L)) {
        singular++;
        return;
      }
      std::swap(A[c], A[r]);
      for (auto &row : A) std::swap(row[c], row[b]);
      place[c] = b;
      for (std::size_t i = 0; i < k; i++) {
        if (i == c) continue;
        const long double t = A[i][c] / A[c][c];
        for (std::size_t j = c; j <= k; j++) A[i][j] -= t * A[c][j];
      }
    }
    std::vector<long double> v(k);
    for (std::size_t c = 0; c < k; c++) v[c] = A[c][k] / A[c][c];
    for (std::size_t c = k; c-- > 0;) std::swap(v[c], v[place[c]]);
    for (std::size_t c = 0; c < k; c++) x[at(F[c])] = static_cast<double>(v[c]);
    const auto w = tools::affine(p.M, p.q, x);
    for (std::size_t i = 0; i < x.size(); i++) {
      const double tol = 1e-10;
      if (mode[i] == 1 && !(x[i] >= p.lower[i] - tol && x[i] <= p.upper[i] + tol)) return;
      if (!(p.lower[i] < p.upper[i])) continue;
      if (mode[i] == 0 && !(w[i] >= -tol)) return;
      if (mode[i] == 2 && !(w[i] <= tol)) return;
    }
    for (const vec &other : points)
      if (near(other, x, 1e-9)) return;
    points.push_back(x);
  }
};

// ---- known problems ----

TEST(Enumeration, FindsTheThreeSolutionsOfTheBimatrixGame) {
  const instance p = bimatrix();
  const found f = all(p);
  EXPECT_EQ(f.status, PERP_OK);
  EXPECT_EQ(f.points.size(), 3u);
  EXPECT_EQ(times(f, {1.0 / 90, 2.0 / 45, 1.0 / 90, 2.0 / 45}), 1);
  EXPECT_EQ(times(f, {0.1, 0, 0.1, 0}), 1);
  EXPECT_EQ(times(f, {0, 1.0 / 15, 0, 1.0 / 15}), 1);
  EXPECT_EQ(f.report.complete, 1);
  EXPECT_EQ(f.report.faces, 0);
}

TEST(Enumeration, FindsTheOneSolutionOfProblemsThatHaveOne) {
  const std::vector<std::pair<instance, vec>> list = {
      {ortiz(), {2.0 / 3, 0, 1.0 / 3, 0}},
      {deudeu(), {4.0 / 3, 7.0 / 3}},
      {degenerate(), {0, 0, 1}},
      {cycle(2), {0, 0, 0}},
      {murty_lower(10), {1, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
      {murty_upper(10), {0, 0, 0, 0, 0, 0, 0, 0, 0, 1}},
      {fathi(8), {1, 0, 0, 0, 0, 0, 0, 0}}};
  for (const auto &[p, x] : list) {
    const found f = all(p);
    EXPECT_EQ(f.status, PERP_OK);
    EXPECT_EQ(f.points.size(), 1u);
    EXPECT_EQ(times(f, x), 1);
    EXPECT_EQ(f.report.complete, 1);
  }
  EXPECT_EQ(times(all(general()), {0, 1, 3}), 1);
  EXPECT_EQ(times(all(path_example()), {2.8, 0, 0.8, 1.2}), 1);
}

TEST(Enumeration, GivesTheEndsOfAnEdgeOnceEach) {
  const instance p = singular(), q = semidefinite();
  const found f = all(p), g = all(q);
  EXPECT_EQ(f.points.size(), 2u);
  EXPECT_EQ(times(f, {1, 0}), 1);
  EXPECT_EQ(times(f, {0, 1}), 1);
  EXPECT_EQ(g.points.size(), 1u);
  EXPECT_EQ(times(g, {0, 1}), 1);
}

// Only the cell with both free has solutions, z1 + z2 = 1 between bounds that cut off the ends.
TEST(Enumeration, FindsAPointOfAFaceThatNoRegularBasisHas) {
  const instance p = box(2, {1, 1, 1, 1}, {-1, -1}, {-1, -1}, {0.75, 0.75});
  const found f = all(p);
  EXPECT_EQ(f.status, PERP_OK);
  for (const vec &x : f.points) EXPECT_NEAR(x[0] + x[1], 1, 1e-12);
  const instance free = box(2, {1, 1, 1, 1}, {-1, -1}, {-kInf, -kInf}, {kInf, kInf});
  const found g = all(free);
  ASSERT_EQ(g.points.size(), 1u);
  EXPECT_NEAR(g.points[0][0] + g.points[0][1], 1, 1e-12);
  EXPECT_EQ(g.report.faces, 1);
  /* one more condition on the line: z1 - z2 in [0.1, 0.2] by a third unknown at 0 */
  const instance cut =
      box(3, {1, 1, 0, 1, 1, 0, 1, -1, 0}, {-1, -1, -0.1}, {-kInf, -kInf, 0}, {kInf, kInf, kInf});
  const found h = all(cut);
  ASSERT_GE(h.points.size(), 1u);
  EXPECT_GE(h.points[0][0] - h.points[0][1], 0.1 - 1e-12);
}

// q_1 in the unit of its row is beyond all doubles; the other row is as any.
TEST(Enumeration, ARowWhoseQOutgrowsItsUnitHidesNoSolution) {
  for (const double large : {1e300, 1e308}) {
    const instance p = lcp(2, {1e-300, 0, 0, 1}, {large, -1});
    const found f = all(p);
    EXPECT_EQ(f.status, PERP_OK);
    EXPECT_EQ(times(f, {0, 1}), 1);
    EXPECT_EQ(f.points.size(), 1u);
    EXPECT_EQ(run(kSolver, p).status, PERP_OK);
    const found none = all(lcp(2, {1e-300, 0, 0, 1}, {-large, -1}));
    EXPECT_TRUE(none.points.empty());  // -q_1 / M_11 is no double
    EXPECT_GT(none.status, PERP_OK);
  }
}

TEST(Enumeration, ProvesWhatHasNoSolution) {
  for (const instance &p : {no_solution(), isolated(-1e-4), lcp(2, {1, -1, -1, 1}, {-1, -1}),
                            box(2, {1, 1, 1, 1}, {-1, -2}, {-kInf, -kInf}, {kInf, kInf})}) {
    const found f = all(p);
    EXPECT_EQ(f.status, PERP_INFEASIBLE);
    EXPECT_TRUE(f.points.empty());
    EXPECT_EQ(f.report.complete, 1);
    EXPECT_EQ(run(kSolver, p).status, PERP_INFEASIBLE);
  }
  EXPECT_EQ(times(all(isolated(0)), {1, 0, 0}), 1);
}

TEST(Enumeration, WhatIsInfeasibleByLessThanRoundingIsNotProven) {
  const instance p = box(2, {1, 1, 1, 1}, {-1, -1 - 3e-14}, {-kInf, -kInf}, {kInf, kInf});
  const found f = all(p);
  EXPECT_TRUE(f.status == PERP_OK || f.status == PERP_RAY) << f.status;
  EXPECT_TRUE(f.status == PERP_OK || f.report.complete == 0);
}

// ---- laws ----

TEST(Enumeration, FindsWhatBruteForceFindsOnceEach) {
  families::source s(31);
  for (int k = 0; k < 3000; k++) {
    instance p(s.integer(1, 5));
    for (double &x : p.M.a) x = s.signed_unit();
    families::random_q(p, s);
    for (std::int32_t i = 0; i < p.n() && k % 2 == 1; i++) {
      const std::int32_t kind = s.integer(0, 5);
      if (kind == 0) p.lower[at(i)] = -kInf;
      if (kind == 1) p.lower[at(i)] = -kInf, p.upper[at(i)] = s.unit();
      if (kind == 2) p.lower[at(i)] = p.upper[at(i)] = s.signed_unit();
      if (kind >= 4) p.lower[at(i)] = -s.unit(), p.upper[at(i)] = s.unit();
    }
    const brute b(p);
    const found f = all(p);
    EXPECT_EQ(f.points.size(), b.points.size()) << k;
    for (const vec &x : b.points) EXPECT_EQ(times(f, x, 1e-7), 1) << k;
    EXPECT_EQ(f.status == PERP_OK, !b.points.empty()) << k;
  }
}

// Whole numbers: singular blocks, ties and faces everywhere.
TEST(Enumeration, WholeNumbersLoseNoSolution) {
  families::source s(32);
  int infeasible = 0, faces = 0;
  for (int k = 0; k < 4000; k++) {
    instance p(s.integer(1, 5));
    for (double &x : p.M.a) x = s.chance(0.4) ? 0 : s.integer(-2, 2);
    for (double &x : p.q) x = s.integer(-2, 2);
    for (std::int32_t i = 0; i < p.n() && k % 2 == 1; i++) {
      if (s.chance(0.2)) p.lower[at(i)] = -kInf;
      if (s.chance(0.3)) p.lower[at(i)] = -1, p.upper[at(i)] = s.integer(-1, 2);
    }
    const brute b(p);
    const found f = all(p);
    faces += f.report.faces;
    infeasible += f.status == PERP_INFEASIBLE;
    EXPECT_EQ(f.report.complete, 1) << k;
    if (!b.points.empty()) {
      EXPECT_EQ(f.status, PERP_OK) << k;
    }
    if (b.singular == 0) {
      EXPECT_EQ(f.points.size(), b.points.size()) << k;
    }
    for (std::size_t i = 0; i < f.points.size(); i++)
      EXPECT_TRUE(f.report.faces > 0 || times(f, f.points[i]) == 1) << k;
    for (const perp_solver *other :
         {perp_solver_lemke(), perp_solver_block_pivoting(), perp_solver_murty()}) {
      families::laws laws(p);
      laws.problem.M = perp_dense(p.n(), p.n(), p.M.data());
      if (perp_solver_workspace(other, &laws.problem, nullptr) == 0) continue;
      if (solved(p, run(other, p))) {
        EXPECT_EQ(f.status, PERP_OK) << k << " " << other->name;
      }
    }
  }
  EXPECT_GT(infeasible, 500);
  EXPECT_GT(faces, 100);
}

TEST(Enumeration, APMatrixHasOneSolutionAndPivotingFindsIt) {
  families::source s(33);
  for (int k = 0; k < 1500; k++) {
    instance p = k % 2 == 0 ? families::p_matrix(s) : families::relays(s);
    if (p.n() > 9) continue;
    const found f = all(p);
    EXPECT_EQ(f.points.size(), 1u) << k;
    if (f.points.empty()) continue;
    for (const perp_solver *other : {perp_solver_block_pivoting(), perp_solver_murty()}) {
      const answer a = run(other, p);
      EXPECT_TRUE(solved(p, a));
      EXPECT_TRUE(near(a.lambda, f.points[0], 1e-7)) << k;
    }
  }
}

// Murty 1972: if no principal minor is 0, the number of solutions is odd for all q without ties, or
// even for all.
TEST(Enumeration, TheNumberOfSolutionsHasOneParityForAllQ) {
  families::source s(34);
  for (int k = 0; k < 60; k++) {
    instance p(s.integer(1, 6));
    for (double &x : p.M.a) x = s.signed_unit();
    std::size_t parity = 0;
    for (int round = 0; round < 20; round++) {
      families::random_q(p, s);
      const std::size_t count = all(p).points.size();
      if (round == 0) parity = count % 2;
      EXPECT_EQ(count % 2, parity) << k;
    }
  }
}

TEST(Enumeration, InfeasibleOnesAreProvenOrLeftOpenNeverSolved) {
  families::source s(35);
  for (int k = 0; k < 500; k++) {
    const instance p = families::infeasible(s);
    EXPECT_EQ(all(p).status, PERP_INFEASIBLE) << k;
  }
}

// ---- endings, arguments ----

TEST(Enumeration, VisitAndObserverStopIt) {
  const instance p = bimatrix();
  for (std::size_t k = 1; k <= 3; k++) {
    const found f = all(p, nullptr, k);
    EXPECT_EQ(f.status, PERP_STOPPED);
    EXPECT_EQ(f.points.size(), k);
    EXPECT_EQ(f.report.complete, 0);
  }
  perp_solver_options o = perp_solver_options_default();
  static std::int32_t calls;
  calls = 0;
  o.observe = [](const perp_iterate *it, void *) -> std::int32_t {
    EXPECT_EQ(it->iteration, calls++);
    EXPECT_EQ(it->entering >= 0, it->leaving < 0);
    return it->iteration == 4;
  };
  EXPECT_EQ(all(p, &o).status, PERP_STOPPED);
  EXPECT_EQ(calls, 5);
}

TEST(Enumeration, MaxIterIsTheNumberOfNodesAllowed) {
  const instance p = bimatrix();
  const std::int32_t nodes = all(p).report.nodes;
  perp_solver_options o = perp_solver_options_default();
  for (o.max_iter = 1; o.max_iter < nodes; o.max_iter++) {
    const found f = all(p, &o);
    EXPECT_EQ(f.status, PERP_MAX_ITER); /* also with solutions: there may be more */
    EXPECT_EQ(f.report.nodes, o.max_iter);
    EXPECT_EQ(f.report.complete, 0);
  }
  EXPECT_EQ(all(p, &o).status, PERP_OK);
}

TEST(Enumeration, AsASolverItReturnsTheFirstSolution) {
  for (const instance &p : {bimatrix(), ortiz(), general(), singular(), path_example()}) {
    const answer a = run(kSolver, p);
    EXPECT_TRUE(solved(p, a));
    EXPECT_GE(times(all(p), a.lambda), 1);
  }
}

TEST(Enumeration, TakesAsManyUnknownsAsItSays) {
  instance p(PERP_ENUMERATION_MAX), q(PERP_ENUMERATION_MAX + 1);
  for (instance *x : {&p, &q})
    for (std::int32_t i = 0; i < x->n(); i++) {
      x->q[at(i)] = -1;
      x->M(i, i) = 1;
    }
  EXPECT_EQ(all(p).points.size(), 1u);
  families::laws laws(q);
  laws.problem.M = perp_dense(q.n(), q.n(), q.M.data());
  EXPECT_EQ(perp_solver_workspace(kSolver, &laws.problem, nullptr), 0u);
  EXPECT_EQ(perp_lcp_enumerate_workspace(26), 0u);
  EXPECT_EQ(perp_mlcp_enumerate_workspace(26), 0u);
  EXPECT_EQ(perp_lcp_enumerate_workspace(-1), 0u);
}

TEST(Enumeration, ArgumentsAreChecked) {
  const double M[] = {2, 1, 1, 2}, q[] = {-5, -6}, bad[] = {1, kNaN};
  std::vector<unsigned char> work(perp_lcp_enumerate_workspace(2));
  int count = 0;
  const auto visit = [](const double *, const double *, void *user) -> std::int32_t {
    ++*static_cast<int *>(user);
    return 0;
  };
  perp_info info = PERP_INFO_INIT;
  perp_solver_options o = perp_solver_options_default();
  const auto call = [&](perp_lcp p) {
    return perp_lcp_enumerate(&p, &o, visit, &count, nullptr, work.data(), work.size(), &info);
  };
  EXPECT_EQ(call({2, 2, M, q}), PERP_OK);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(call({-1, 2, M, q}), PERP_EINVAL);
  EXPECT_EQ(call({2, 1, M, q}), PERP_EINVAL);
  EXPECT_EQ(call({2, 2, nullptr, q}), PERP_EINVAL);
  EXPECT_EQ(call({2, 2, M, nullptr}), PERP_EINVAL);
  EXPECT_EQ(call({2, 2, M, bad}), PERP_ENOTFINITE);
  EXPECT_EQ(call({0, 0, nullptr, nullptr}), PERP_OK);
  EXPECT_EQ(count, 2);  // the empty point is a solution, too
  o.tol = kNaN;
  EXPECT_EQ(call({2, 2, M, q}), PERP_EINVAL);
  EXPECT_STREQ(info.field, "tol");
  o = perp_solver_options_default();
  o.max_iter = -1;
  EXPECT_EQ(call({2, 2, M, q}), PERP_EINVAL);
  o = perp_solver_options_default();
  const perp_lcp p = {2, 2, M, q};
  EXPECT_EQ(
      perp_lcp_enumerate(nullptr, &o, visit, &count, nullptr, work.data(), work.size(), &info),
      PERP_EINVAL);
  EXPECT_EQ(perp_lcp_enumerate(&p, &o, nullptr, &count, nullptr, work.data(), work.size(), &info),
            PERP_EINVAL);
  EXPECT_STREQ(info.field, "visit");
  EXPECT_EQ(perp_lcp_enumerate(&p, &o, visit, &count, nullptr, nullptr, work.size(), &info),
            PERP_EINVAL);
  EXPECT_EQ(perp_lcp_enumerate(&p, &o, visit, &count, nullptr, work.data(), work.size() - 1, &info),
            PERP_EWORKSPACE);
  EXPECT_EQ(
      perp_mlcp_enumerate(nullptr, &o, visit, &count, nullptr, work.data(), work.size(), nullptr),
      PERP_EINVAL);
  EXPECT_EQ(count, 2);
}

TEST(Enumeration, StaysInItsBlockAtEveryAlignment) { keeps_to_its_block(kSolver); }
TEST(Enumeration, NotANumberInAnyEntryIsNamed) { names_what_is_not_finite(kSolver); }
TEST(Enumeration, EveryKindOfStorageGivesTheSameBits) { same_bits_in_every_storage(kSolver); }

}  // namespace
