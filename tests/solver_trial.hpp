// SPDX-License-Identifier: MIT
// One call of a solver on a box-form problem, with everything that it wrote.
#ifndef PERP_TESTS_SOLVER_TRIAL_HPP
#define PERP_TESTS_SOLVER_TRIAL_HPP

#include <gtest/gtest.h>
#include <perp/lcp.h>
#include <perp/solver.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "families.hpp"
#include "watch.hpp"

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

// Free, complementary and bounded unknowns.
inline families::instance mixed(std::uint64_t seed, std::int32_t n) {
  families::instance p(n);
  uniform u(seed);
  p.M = u.definite(n, 3);
  p.q = u.vector(n);
  for (std::int32_t i = 0; i < n; i++) {
    p.lower[at(i)] = i % 3 == 0 ? -kInf : i % 3 == 1 ? 0 : -0.01;
    p.upper[at(i)] = i % 3 == 2 ? 0.02 : kInf;
  }
  return p;
}

// ---- promises of iterative solvers ----

template <class Options>
void is_watched_and_stopped(const perp_solver *solver, const Options &plain,
                            const families::instance &p) {
  Options o = watch(plain);
  const trial t(solver, p, &o);
  EXPECT_EQ(t.status, PERP_OK);
  EXPECT_EQ(seen.size(), at(t.info.iterations));
  EXPECT_TRUE(no_pivots_seen());
  EXPECT_LT(seen.back().merit, 1e-6 * seen.front().merit);
  o = watch(plain);
  stop_at = 3;
  const trial s(solver, p, &o);
  EXPECT_EQ(s.status, PERP_STOPPED);
  EXPECT_EQ(s.info.iterations, 4);
  EXPECT_EQ(seen.size(), 4u);
}

inline void names_what_is_no_number(const perp_solver *solver, const void *options = nullptr) {
  for (const double bad : {kNaN, kInf, -kInf})
    for (std::int32_t place = 0; place < 9; place++) {
      families::instance p = mixed(2, 3), r = p;
      p.M(place % 3, place / 3) = bad;
      const stored rows(p.M, PERP_BLOCKS), blocks(p.M, PERP_BLOCKS, {0, 2, 3});
      EXPECT_EQ(trial(solver, p, options).status, PERP_ENOTFINITE);
      EXPECT_EQ(trial(solver, p, rows.view, options).status, PERP_ENOTFINITE);
      EXPECT_EQ(trial(solver, p, blocks.view, options).status, PERP_ENOTFINITE);
      r.q[at(place % 3)] = bad;
      const trial t(solver, r, options);
      EXPECT_EQ(t.status, PERP_ENOTFINITE);
      EXPECT_STREQ(t.info.field, "q");
    }
}

// Columns with a gap between them, and wrong arguments.
inline void takes_plain_arrays(const perp_solver *solver) {
  constexpr std::int32_t n = 2;
  const double M[] = {2, 1, 999, 1, 2, 999}, q[] = {-5, -6};
  const double lower[] = {-1, -kInf}, upper[] = {1, kInf};
  const perp_lcp p = {n, 3, M, q};
  const perp_mlcp m = {n, 3, M, q, lower, upper};
  double z[] = {0, 0}, w[] = {999, 999};
  const std::size_t need = perp_lcp_workspace(solver, n, nullptr);
  std::vector<unsigned char> work(std::max(need, perp_mlcp_workspace(solver, n, nullptr)));
  const auto call = [&](const perp_lcp *of, double *to, void *room, std::size_t bytes) {
    return perp_lcp_solve(solver, of, nullptr, to, w, room, bytes, nullptr);
  };
  EXPECT_EQ(call(&p, z, work.data(), need), PERP_OK);
  EXPECT_NEAR(z[0], 4.0 / 3, 1e-9);
  EXPECT_NEAR(z[1], 7.0 / 3, 1e-9);
  EXPECT_EQ(perp_mlcp_solve(solver, &m, nullptr, z, w, work.data(), work.size(), nullptr), PERP_OK);
  EXPECT_NEAR(z[0], 1, 1e-9);
  EXPECT_NEAR(z[1], 2.5, 1e-9);
  EXPECT_EQ(call(&p, z, work.data(), need - 1), PERP_EWORKSPACE);
  EXPECT_EQ(call(nullptr, z, work.data(), need), PERP_EINVAL);
  EXPECT_EQ(call(&p, nullptr, work.data(), need), PERP_EINVAL);
  EXPECT_EQ(call(&p, z, nullptr, need), PERP_EINVAL);
  EXPECT_EQ(perp_mlcp_solve(solver, nullptr, nullptr, z, w, work.data(), need, nullptr),
            PERP_EINVAL);
  EXPECT_EQ(perp_lcp_workspace(solver, -1, nullptr), 0u);
  EXPECT_EQ(perp_mlcp_workspace(solver, -1, nullptr), 0u);
}

}  // namespace tools

#endif
