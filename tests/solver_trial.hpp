// SPDX-License-Identifier: MIT
// One call of a solver on a box-form problem, with everything that it wrote.
#ifndef PERP_TESTS_SOLVER_TRIAL_HPP
#define PERP_TESTS_SOLVER_TRIAL_HPP

#include <perp/solver.h>

#include <initializer_list>
#include <utility>

#include "families.hpp"

namespace tools {

// w = M z + q, complementary; rows of M one after another.
inline families::instance lcp(const vec &rows, vec q) {
  families::instance p(static_cast<std::int32_t>(q.size()));
  p.M = from_rows(p.n(), rows);
  p.q = std::move(q);
  return p;
}

inline families::instance boxed(const vec &rows, vec q, vec lower, vec upper) {
  families::instance p = lcp(rows, std::move(q));
  p.lower = std::move(lower);
  p.upper = std::move(upper);
  return p;
}

struct trial {
  vec lambda, y, ray;
  perp_info info = PERP_INFO_INIT;
  perp_status status = 999;

  // Start at the point given, or at 0.
  trial(const perp_solver *solver, const families::instance &p, const perp_matrix &M,
        const void *options = nullptr, vec start = {}) {
    families::laws l(p);
    l.problem.M = M;
    lambda = start.empty() ? vec(p.q.size(), 0.0) : std::move(start);
    y = ray = vec(p.q.size(), 999);
    info.ray = ray.data();
    info.ray_size = p.n();
    const std::size_t bytes = perp_solver_workspace(solver, &l.problem, options);
    std::vector<unsigned char> work(bytes + 16, 0xA5);
    status = perp_solver_solve(solver, &l.problem, options, lambda.data(), y.data(), nullptr,
                               work.data() + 3, bytes, &info);
    for (std::size_t i = 0; i < 3; i++) intact = intact && work[i] == 0xA5;
    for (std::size_t i = bytes + 3; i < work.size(); i++) intact = intact && work[i] == 0xA5;
  }
  trial(const perp_solver *solver, const families::instance &p, const void *options = nullptr,
        vec start = {})
      : trial(solver, p, view(p.M), options, std::move(start)) {}

  bool intact = true;  // the bytes around the workspace

 private:
  static perp_matrix view(const dense &M) {
    perp_matrix m = perp_dense(M.rows, M.cols, M.data());
    m.ld = M.ld;
    return m;
  }
};

// Small linear complementarity problems that are in the literature for one trap each; every one
// has a solution.
struct known_problem {
  const char *name;
  families::instance problem;
};

inline std::vector<known_problem> known_problems() {
  std::vector<known_problem> all;
  families::instance lower(6), upper(6), fathi(6);
  for (std::int32_t i = 0; i < 6; i++)
    for (std::int32_t j = 0; j < 6; j++) {
      lower.M(i, j) = i == j ? 1 : i > j ? 2 : 0;
      upper.M(i, j) = i == j ? 1 : i < j ? 2 : 0;
      fathi.M(i, j) = i == j ? 4 * i + 1 : 4 * std::min(i, j) + 2;
    }
  lower.q = upper.q = fathi.q = vec(6, -1.0);
  all.push_back({"Murty lower", lower});
  all.push_back({"Murty upper", upper});
  all.push_back({"Fathi", fathi});
  all.push_back({"cycle of Newton-min", lcp({1, 0, 2, 2, 1, 0, 0, 2, 1}, {1, 1, 1})});
  all.push_back({"degenerate", lcp({0, -1, 3, 3, 0, 3, -1, 3, 1}, {-1, -1, -1})});
  all.push_back({"singular", lcp({1, 1, 1, 1}, {-1, -1})});
  all.push_back({"indefinite", lcp({0, -1, 2, 2, 0, -2, -1, 1, 0}, {-3, 6, -1})});
  all.push_back({"bimatrix game",
                 lcp({0, 0, 10, 20, 0, 0, 30, 15, 10, 20, 0, 0, 30, 15, 0, 0}, {-1, -1, -1, -1})});
  all.push_back({"semidefinite", lcp({1, -1, -1, 1}, {1, -1})});
  all.push_back(
      {"four unknowns", lcp({3, 1, 0, -1, -1, 2, 1, 1, 0, 1, 3, -1, 0, 0, 1, 2}, {-2, 1, -1, 1})});
  all.push_back({"two unknowns", lcp({2, 1, 1, 2}, {-5, -6})});
  all.push_back({"isolated", lcp({0, -1, -1, 1, 0, 0, -1, 0, 0}, {0, -1, 1})});
  all.push_back(
      {"free block", lcp({0, 0, -1, -1, 0, 0, 1, -2, 1, -1, 2, -2, 1, 2, -2, 4}, {2, 2, -2, -6})});
  return all;
}

}  // namespace tools

#endif
