// SPDX-License-Identifier: MIT
// Every solver of the library on ten thousand random problems of each family, judged from the
// definition: no wrong "solved", no wrong "infeasible", no ending that is not in the list, and on
// the families that a solver's assumptions cover, a solution.
#include <gtest/gtest.h>
#include <perp/heap.h>
#include <perp/law.h>
#include <perp/solver.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "families.hpp"

namespace {

using namespace families;

constexpr double kTol = 1e-9;
constexpr double kRounding = 4e-15;  // of the sums of a row in doubles

int problems() {
  const char *text = std::getenv("PERP_FAMILY_PROBLEMS");
  return text != nullptr ? std::atoi(text) : PERP_FAMILY_PROBLEMS;
}

unsigned needed(const perp_solver &s) {
  unsigned p = 0;
  if (s.assumes & PERP_ASSUMES_SYMMETRIC) p |= kSymmetric;
  if (s.assumes & PERP_ASSUMES_DEFINITE) p |= kDefinite;
  if (s.assumes & PERP_ASSUMES_SEMIDEFINITE) p |= kSemidefinite;
  if (s.assumes & PERP_ASSUMES_P_MATRIX) p |= kPMatrix;
  if (s.assumes & PERP_ASSUMES_COPOSITIVE) p |= kCopositive;
  return p;
}

// Methods whose speed depends on the condition of M, so that a limit is no surprise.
bool first_order(const perp_solver &s) {
  const std::string name = s.name;
  return name == "pgs" || name == "cpg" || name == "fixed-point" || name == "extragradient";
}

// Methods for contacts take laws by component beside them, but are not made for these alone.
bool for_contacts(const perp_solver &s) {
  return (s.sets >> PERP_SET_CONE & 1u) != 0 && std::strcmp(s.name, "auto") != 0;
}

struct score {
  int tried = 0, solved = 0, proved = 0;
  int far = 0;  // not solved, and the terms of y are 1e8 times the data
  std::map<perp_status, int> endings;
};

class Families : public testing::TestWithParam<family> {};

TEST_P(Families, NoSolverLiesAndEachSolvesWhatItIsFor) {
  const family &f = GetParam();
  std::vector<score> scores(at(perp_solver_count()));
  std::vector<unsigned char> work;
  source s(seed(f));
  const perp_solver_options options = {sizeof options, 0, kTol, nullptr, nullptr, 0};
  for (int k = 0; k < problems(); k++) {
    const instance p = f.make(s);
    laws l(p);
    const bool sparse = std::strcmp(f.name, "banded") == 0;
    const tools::stored M(p.M, sparse ? PERP_BLOCKS : PERP_DENSE);
    l.problem.M = M.view;
    for (std::int32_t i = 0; i < perp_solver_count(); i++) {
      const perp_solver *solver = perp_solver_at(i);
      const std::size_t bytes = perp_solver_workspace(solver, &l.problem, &options);
      if (bytes == 0) continue;
      if (solver->max_n > 0 && p.n() > 10) continue; /* exponential, and limited for that */
      if (bytes > work.size()) work.resize(bytes);
      score &sc = scores[at(i)];
      vec lambda(p.q.size(), 0), y(p.q.size(), 999);
      vec ray(p.q.size(), 999);
      perp_info info = PERP_INFO_INIT;
      info.ray = ray.data();
      info.ray_size = p.n();
      const perp_status status = perp_solver_solve(solver, &l.problem, &options, lambda.data(),
                                                   y.data(), nullptr, work.data(), bytes, &info);
      sc.tried++;
      sc.endings[status]++;
      if (status != PERP_OK && info.amplification > 1e8) sc.far++;
      ASSERT_GE(status, 0) << solver->name << " problem " << k;
      if (status == PERP_OK) {
        sc.solved++;
        ASSERT_TRUE(solves(p, lambda, kTol, kRounding)) << solver->name << " problem " << k;
      }
      if (status == PERP_INFEASIBLE) {
        ASSERT_FALSE(f.properties & kSolvable) << solver->name << " problem " << k;
      }
      if (info.ray_kind == PERP_RAY_CERTIFICATE) {
        sc.proved++;
        ASSERT_TRUE(proves_infeasible(p, ray)) << solver->name << " problem " << k;
      }
    }
  }
  for (std::int32_t i = 0; i < perp_solver_count(); i++) {
    const perp_solver *solver = perp_solver_at(i);
    const score &sc = scores[at(i)];
    if (sc.tried == 0) continue;
    std::printf("  %-18s %-16s %6d of %6d solved;", f.name, solver->name, sc.solved, sc.tried);
    for (const auto &[status, count] : sc.endings)
      if (status != PERP_OK) std::printf(" %s: %d", perp_status_string(status), count);
    if (sc.proved > 0) std::printf(" certificates: %d", sc.proved);
    std::printf("\n");
    if (f.properties & kInfeasible) {
      EXPECT_EQ(sc.solved, 0) << solver->name;
    } else if ((needed(*solver) & ~f.properties) == 0 && !first_order(*solver) &&
               !for_contacts(*solver)) {
      /* rounding may stop a single method at a condition of 1e12, never all of them */
      const int spare = std::strcmp(solver->name, "auto") == 0 ? sc.far : 1 + sc.tried / 1000;
      EXPECT_GE(sc.solved, sc.tried - spare) << solver->name;
    }
  }
}

std::string word(const testing::TestParamInfo<family> &info) {
  std::string name;
  bool capital = true;
  for (const char *c = info.param.name; *c != '\0'; c++) {
    if (*c == ' ' || *c == '-') {
      capital = true;
      continue;
    }
    name += capital ? static_cast<char>(std::toupper(*c)) : *c;
    capital = false;
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Families, testing::ValuesIn(families::all()), word);

}  // namespace
