// SPDX-License-Identifier: MIT
// Every solver of the library that takes friction on random small problems of each family, judged
// from the definition: no wrong "solved", no wrong "infeasible", only endings that exist, and where
// a solution is sure auto finds it.
#include <gtest/gtest.h>
#include <perp/heap.h>
#include <perp/solver.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "contact_system.hpp"
#include "families.hpp"

namespace {

using namespace contacts;
using families::source;

constexpr double kTol = 1e-8;

int problems() {
  const char *text = std::getenv("PERP_FAMILY_PROBLEMS");
  const int all = text != nullptr ? std::atoi(text) : PERP_FAMILY_PROBLEMS;
  return all / 10;
}

// What a method of first order does not reach soon it would be long in not reaching.
std::int32_t iterations(const perp_solver &s) { return std::string(s.name) == "auto" ? 0 : 1000; }

double coefficient(source &s) {
  return s.chance(0.1) ? 0 : s.chance(0.1) ? s.power(3) : 1.2 * s.unit();
}

unit any_contact(source &s, bool plane_only) {
  const double mu = coefficient(s);
  return plane_only || s.chance(0.3) ? plane(mu) : space(mu);
}

std::vector<unit> row_of(source &s, std::int32_t count, char kind) {
  std::vector<unit> row;
  for (std::int32_t i = 0; i < count; i++) {
    if (kind == 'p') row.push_back(plane(coefficient(s)));
    if (kind == 's') row.push_back(space(coefficient(s)));
    if (kind == 'r')
      row.push_back(s.chance(0.5) ? plane_rolling(coefficient(s), coefficient(s))
                                  : space_rolling(coefficient(s), coefficient(s)));
    if (kind == 'm') {
      const std::int32_t law = s.integer(0, 4);
      row.push_back(law == 0   ? free_row()
                    : law == 1 ? orthant()
                    : law == 2 ? box(-s.unit(), s.unit())
                               : any_contact(s, false));
    }
  }
  return row;
}

std::int32_t rows(const std::vector<unit> &row) {
  std::int32_t n = 0;
  for (const unit &u : row) n += u.size;
  return n;
}

struct family {
  const char *name;
  char laws;          // of row_of()
  double rank;        // columns of B in M = B Bᵀ, against the rows of M
  double decades;     // of the scales of the rows of B
  double skew;        // part that is not symmetric
  bool solvable;      // for certain
  std::int32_t most;  // laws in one problem
};

// Full rank: every q has a solution (Acary, Cadoux, Lemaréchal, Malick, ZAMM 91 (2011) 155-175).
// Less: q = B v has one, since v = 0 keeps every contact.
const family kFamilies[] = {
    {"plane", 'p', 2, 0, 0, true, 6},
    {"space", 's', 2, 0, 0, true, 6},
    {"rolling", 'r', 2, 0, 0, true, 4},
    {"mixed", 'm', 2, 0, 0, true, 8},
    {"plane hyperstatic", 'p', 0.5, 0, 0, true, 8},
    {"space hyperstatic", 's', 0.5, 0, 0, true, 8},
    {"mixed hyperstatic", 'm', 0.6, 0, 0, true, 8},
    {"space scaled", 's', 2, 3, 0, true, 4},
    {"space skew", 's', 2, 0, 0.3, false, 4},
    {"space any q", 's', 0.5, 0, 0, false, 6},
};

std::unique_ptr<contacts::system> make(const family &f, source &s) {
  std::vector<unit> row = row_of(s, s.integer(1, f.most), f.laws);
  const std::int32_t n = rows(row), m = std::max(1, static_cast<std::int32_t>(f.rank * n));
  dense B = families::random_matrix(s, n, m, false), M(n, n);
  for (std::int32_t i = 0; i < n; i++) {
    const double scale = s.power(f.decades);
    for (std::int32_t k = 0; k < m; k++) B(i, k) *= scale;
  }
  families::add_product(M, B, 1);
  if (f.skew > 0) families::add_skew(M, s, f.skew);
  vec q(at(n), 0);
  if (f.rank < 1 && f.solvable) {
    for (std::int32_t k = 0; k < m; k++) {
      const double v = s.signed_unit();
      for (std::int32_t i = 0; i < n; i++) q[at(i)] += B(i, k) * v;
    }
  } else {
    for (double &x : q) x = s.signed_unit();
  }
  const std::int32_t kind = s.chance(0.5) ? PERP_DENSE : PERP_BLOCKS;
  return std::make_unique<contacts::system>(std::move(M), std::move(q), std::move(row), kind);
}

struct score {
  int tried = 0, solved = 0;
  std::map<perp_status, int> endings;
};

void PrintTo(const family &f, std::ostream *out) { *out << f.name; }

class FrictionSolvers : public testing::TestWithParam<family> {};

TEST_P(FrictionSolvers, NoneLiesAndAutoSolvesWhatHasASolution) {
  const family &f = GetParam();
  std::vector<score> scores(at(perp_solver_count()));
  std::vector<unsigned char> work;
  source s(7);
  for (int k = 0; k < problems(); k++) {
    const auto p = make(f, s);
    for (std::int32_t i = 0; i < perp_solver_count(); i++) {
      const perp_solver *solver = perp_solver_at(i);
      const perp_solver_options options = {
          sizeof options, iterations(*solver), kTol, nullptr, nullptr, 0};
      const std::size_t bytes = perp_solver_workspace(solver, &p->problem, &options);
      if (bytes == 0) continue;
      if (bytes > work.size()) work.resize(bytes);
      score &sc = scores[at(i)];
      vec lambda(p->q.size(), 0), y(p->q.size(), 999);
      perp_info info = PERP_INFO_INIT;
      const perp_status status = perp_solver_solve(solver, &p->problem, &options, lambda.data(),
                                                   y.data(), nullptr, work.data(), bytes, &info);
      sc.tried++;
      sc.endings[status]++;
      ASSERT_GE(status, 0) << solver->name << " problem " << k << ' '
                           << (info.field == nullptr ? "" : info.field);
      ASSERT_STRNE(perp_status_string(status), "unknown status");
      if (status == PERP_OK) {
        sc.solved++;
        ASSERT_LE(error(*p, lambda), kTol * (1 + 1e-6) + 1e-15 * p->M.rows)
            << solver->name << " problem " << k;
        double most = 0;
        for (const double v : info.violation) most = std::max(most, v);
        ASSERT_EQ(most, info.residual) << solver->name;
      }
      if (status == PERP_INFEASIBLE) {
        ASSERT_FALSE(f.solvable) << solver->name << " problem " << k;
      }
    }
  }
  for (std::int32_t i = 0; i < perp_solver_count(); i++) {
    const score &sc = scores[at(i)];
    if (sc.tried == 0) continue;
    std::printf("  %-18s %-22s %6d of %6d solved;", f.name, perp_solver_at(i)->name, sc.solved,
                sc.tried);
    for (const auto &[status, count] : sc.endings)
      if (status != PERP_OK) std::printf(" %s: %d", perp_status_string(status), count);
    std::printf("\n");
    if (f.solvable && std::string(perp_solver_at(i)->name) == "auto") {
      EXPECT_EQ(sc.solved, sc.tried);
    }
  }
}

std::string word(const testing::TestParamInfo<family> &info) {
  std::string name = info.param.name;
  for (char &c : name)
    if (c == ' ') c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, FrictionSolvers, testing::ValuesIn(kFamilies), word);

// No force can help: nothing that is pressed moves, or what moves presses the other contact.
TEST(FrictionSolvers, WhatHasNoSolutionIsNeverSolved) {
  struct bad {
    dense M;
    vec q;
    std::vector<unit> row;
  };
  std::vector<bad> list;
  list.push_back({dense(3, 3), {-1, 0, 0}, {space(0.5)}});
  list.push_back({dense(2, 2), {-1, 0.5}, {plane(0.5)}});
  dense clamp(4, 4);  // two contacts on opposite sides of one body, both of which must open
  clamp(0, 0) = clamp(2, 2) = 1;
  clamp(0, 2) = clamp(2, 0) = -1;
  clamp(1, 1) = clamp(3, 3) = 1;
  clamp(1, 3) = clamp(3, 1) = -1;
  list.push_back({clamp, {-1, 0, -1, 0}, {plane(0.5), plane(0)}});
  list.push_back({clamp, {-1e-3, 1, -1e4, 2}, {plane(2), plane(0.1)}});
  std::vector<unsigned char> work;
  int proofs = 0;
  for (const bad &b : list)
    for (const std::int32_t kind : {PERP_DENSE, PERP_BLOCKS}) {
      const contacts::system p(b.M, b.q, b.row, kind);
      for (std::int32_t i = 0; i < perp_solver_count(); i++) {
        const perp_solver *solver = perp_solver_at(i);
        const std::size_t bytes = perp_solver_workspace(solver, &p.problem, nullptr);
        if (bytes == 0) continue;
        if (bytes > work.size()) work.resize(bytes);
        vec lambda(b.q.size(), 0), y = lambda;
        vec ray(b.q.size(), 999);
        perp_info info = PERP_INFO_INIT;
        info.ray = ray.data();
        info.ray_size = p.problem.n;
        const perp_status status = perp_solver_solve(solver, &p.problem, nullptr, lambda.data(),
                                                     y.data(), nullptr, work.data(), bytes, &info);
        EXPECT_GT(status, 0) << solver->name << " problem " << &b - list.data() << " kind " << kind;
        EXPECT_NE(status, PERP_STOPPED) << solver->name;
        if (info.ray_kind != PERP_RAY_CERTIFICATE) continue;
        double bound = 999;
        std::vector<unsigned char> scratch(perp_problem_residual_workspace(&p.problem));
        EXPECT_EQ(status, PERP_INFEASIBLE) << solver->name;
        EXPECT_EQ(perp_problem_certificate(&p.problem, ray.data(), &bound, scratch.data(),
                                           scratch.size()),
                  PERP_OK)
            << solver->name;
        EXPECT_GE(bound, 1e9) << solver->name;
        proofs += std::string(solver->name) == "auto";
      }
    }
  EXPECT_GE(proofs, 4);
}

}  // namespace
