// SPDX-License-Identifier: MIT
// One solve of a random or known problem by any solver, in memory with canaries, and the promises
// that every solver of dense box problems keeps.
#ifndef PERP_TESTS_TRIAL_HPP
#define PERP_TESTS_TRIAL_HPP

#include <gtest/gtest.h>
#include <perp/lcp.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "families.hpp"
#include "watch.hpp"

namespace trial {

using families::instance;
using tools::at;
using tools::ints;
using tools::kInf;
using tools::kNaN;
using tools::seen;
using tools::stop_at;
using tools::vec;
using tools::watch;

// w = M z + q, 0 <= z ⟂ w >= 0, M by rows.
inline instance lcp(std::int32_t n, const vec &rows, vec q) {
  instance p(n);
  p.M = tools::from_rows(n, rows);
  p.q = std::move(q);
  return p;
}

inline instance box(std::int32_t n, const vec &rows, vec q, vec lower, vec upper) {
  instance p = lcp(n, rows, std::move(q));
  p.lower = std::move(lower);
  p.upper = std::move(upper);
  return p;
}

struct answer {
  perp_status status = 999;
  vec lambda, y, ray;
  perp_info info = PERP_INFO_INIT;
};

// Solve in a block of exactly the size asked for, at an odd address, between canaries.
inline answer run(const perp_solver *solver, const instance &p, const void *options = nullptr,
                  perp_warm *warm = nullptr, std::int32_t kind = PERP_DENSE, ints cuts = {},
                  std::size_t shift = 3) {
  answer a;
  a.lambda.assign(p.q.size(), 999.0);
  a.y.assign(p.q.size(), 999.0);
  a.ray.assign(p.q.size(), 999.0);
  a.info.ray = a.ray.data();
  a.info.ray_size = p.n();
  families::laws laws(p);
  const tools::stored M(p.M, kind, std::move(cuts));
  laws.problem.M = M.view;
  const std::size_t bytes = perp_solver_workspace(solver, &laws.problem, options);
  EXPECT_GT(bytes, 0u);
  std::vector<unsigned char> work(bytes + 128, 0xA5);
  a.status = perp_solver_solve(solver, &laws.problem, options, a.lambda.data(), a.y.data(), warm,
                               work.data() + shift, bytes, &a.info);
  for (std::size_t i = 0; i < shift; i++) EXPECT_EQ(work[i], 0xA5);
  for (std::size_t i = shift + bytes; i < work.size(); i++) EXPECT_EQ(work[i], 0xA5);
  if (a.status == PERP_OK) {
    EXPECT_STREQ(a.info.solver, solver->name);
  }
  return a;
}

// Solved, and by the definition too.
inline testing::AssertionResult solved(const instance &p, const answer &a, double tol = 1e-10) {
  if (a.status != PERP_OK) return testing::AssertionFailure() << perp_status_string(a.status);
  if (!families::solves(p, a.lambda, tol))
    return testing::AssertionFailure() << "solved says the method, the definition does not";
  return testing::AssertionSuccess();
}

inline bool near(const vec &a, const vec &b, double tol = 1e-12) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); i++)
    if (!(std::fabs(a[i] - b[i]) <= tol * (1 + std::fabs(b[i])))) return false;
  return true;
}

// ---- known problems ----

inline instance murty_lower(std::int32_t n) {
  instance p(n);
  for (std::int32_t i = 0; i < n; i++) {
    p.q[at(i)] = -1;
    for (std::int32_t j = 0; j <= i; j++) p.M(i, j) = i == j ? 1 : 2;
  }
  return p;
}

inline instance murty_upper(std::int32_t n) {
  instance p(n);
  for (std::int32_t i = 0; i < n; i++) {
    p.q[at(i)] = -1;
    for (std::int32_t j = i; j < n; j++) p.M(i, j) = i == j ? 1 : 2;
  }
  return p;
}

inline instance fathi(std::int32_t n) {
  instance p(n);
  for (std::int32_t i = 0; i < n; i++) {
    p.q[at(i)] = -1;
    for (std::int32_t j = 0; j < n; j++)
      p.M(i, j) = i == j ? 4 * (i + 1) - 3 : 4 * (std::min(i, j) + 1) - 2;
  }
  return p;
}

inline instance cycle(double a) { return lcp(3, {1, 0, a, a, 1, 0, 0, a, 1}, {1, 1, 1}); }
inline instance ortiz() {
  return lcp(4, {3, 1, 0, -1, -1, 2, 1, 1, 0, 1, 3, -1, 0, 0, 1, 2}, {-2, 1, -1, 1});
}
inline instance deudeu() { return lcp(2, {2, 1, 1, 2}, {-5, -6}); }
inline instance singular() { return lcp(2, {1, 1, 1, 1}, {-1, -1}); }
inline instance semidefinite() { return lcp(2, {1, -1, -1, 1}, {1, -1}); }
inline instance no_solution() { return lcp(1, {-1}, {-1}); }
inline instance bimatrix() {
  return lcp(4, {0, 0, 10, 20, 0, 0, 30, 15, 10, 20, 0, 0, 30, 15, 0, 0}, {-1, -1, -1, -1});
}
inline instance degenerate() { return lcp(3, {0, -1, 3, 3, 0, 3, -1, 3, 1}, {-1, -1, -1}); }
inline instance general() { return lcp(3, {0, -1, 2, 2, 0, -2, -1, 1, 0}, {-3, 6, -1}); }
inline instance isolated(double q0) { return lcp(3, {0, -1, -1, 1, 0, 0, -1, 0, 0}, {q0, -1, 1}); }
inline instance path_example() {
  return lcp(4, {0, 0, -1, -1, 0, 0, 1, -2, 1, -1, 2, -2, 1, 2, -2, 4}, {2, 2, -2, -6});
}

// ---- promises of every solver ----

// The block at every alignment; one byte less is refused and nothing is written.
inline void keeps_to_its_block(const perp_solver *solver) {
  const instance p = ortiz();
  for (std::size_t shift = 0; shift < 64; shift++)
    EXPECT_TRUE(solved(p, run(solver, p, nullptr, nullptr, PERP_DENSE, {}, shift)));
  families::laws laws(p);
  laws.problem.M = perp_dense(4, 4, p.M.data());
  const std::size_t bytes = perp_solver_workspace(solver, &laws.problem, nullptr);
  std::vector<unsigned char> work(bytes);
  vec z(4, 999.0), w(4, 999.0);
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(perp_solver_solve(solver, &laws.problem, nullptr, z.data(), w.data(), nullptr,
                              work.data(), bytes - 1, &info),
            PERP_EWORKSPACE);
  EXPECT_STREQ(info.field, "work_bytes");
  EXPECT_EQ(z, vec(4, 999.0));
}

// NaN and infinity in any entry of M and q end the solve with the entry's name.
inline void names_what_is_not_finite(const perp_solver *solver) {
  const instance good = ortiz();
  for (const double bad : {kNaN, kInf, -kInf})
    for (const std::int32_t kind : {PERP_DENSE, PERP_BLOCKS}) {
      for (std::size_t i = 0; i < 4; i++) {
        instance p = good;
        p.q[i] = bad;
        const answer a = run(solver, p, nullptr, nullptr, kind);
        EXPECT_EQ(a.status, PERP_ENOTFINITE) << "q " << i;
        EXPECT_STREQ(a.info.field, "q");
        EXPECT_EQ(a.info.index, static_cast<std::int32_t>(i));
      }
      for (std::int32_t j = 0; j < 4; j++)
        for (std::int32_t i = 0; i < 4; i++) {
          instance p = good;
          p.M(i, j) = bad;
          const answer a = run(solver, p, nullptr, nullptr, kind);
          EXPECT_EQ(a.status, PERP_ENOTFINITE) << "M " << i << " " << j;
          EXPECT_STREQ(a.info.field, "M");
        }
    }
}

// Dense, in compressed rows and in blocks: the same bits. Zero and diagonal matrices too.
inline void same_bits_in_every_storage(const perp_solver *solver) {
  families::source s(5);
  for (int k = 0; k < 50; k++) {
    instance p(6);
    for (std::int32_t j = 0; j < 6; j++)
      for (std::int32_t i = 0; i < 6; i++)
        p.M(i, j) = i == j ? 4 + s.unit() : s.chance(0.4) ? s.signed_unit() : 0;
    for (double &x : p.q) x = s.signed_unit();
    p.lower[1] = -kInf;
    p.lower[2] = -0.1;
    p.upper[2] = 0.2;
    const answer dense = run(solver, p);
    ASSERT_TRUE(solved(p, dense));
    for (const ints &cuts : {ints{}, ints{0, 2, 3, 6}}) {
      const answer other = run(solver, p, nullptr, nullptr, PERP_BLOCKS, cuts);
      EXPECT_TRUE(solved(p, other));
      EXPECT_EQ(std::memcmp(other.lambda.data(), dense.lambda.data(), 6 * sizeof(double)), 0);
    }
  }
  instance diagonal(3);
  diagonal.q = {-1, 2, -3};
  for (std::int32_t i = 0; i < 3; i++) diagonal.M(i, i) = 2;
  const answer a = run(solver, diagonal, nullptr, nullptr, PERP_DIAGONAL);
  EXPECT_TRUE(solved(diagonal, a));
  EXPECT_TRUE(near(a.lambda, {0.5, 0, 1.5}, 1e-15));
  instance zero(2);
  zero.q = {1, 0};
  EXPECT_TRUE(solved(zero, run(solver, zero, nullptr, nullptr, PERP_ZERO)));
}

// The entry for plain arrays: a solution, wrong arguments, n = 0.
inline void takes_plain_arrays(const perp_solver *solver) {
  const auto solve = [solver](const perp_lcp *p, double *z, double *w, void *work,
                              std::size_t bytes, perp_info *info) {
    return perp_lcp_solve(solver, p, nullptr, z, w, work, bytes, info);
  };
  const auto workspace = [solver](std::int32_t n) {
    return perp_lcp_workspace(solver, n, nullptr);
  };
  const double M[] = {2, 1, 1, 2}, q[] = {-5, -6};
  double z[2] = {999, 999}, w[2] = {999, 999};
  std::vector<unsigned char> work(workspace(2));
  perp_info info = PERP_INFO_INIT;
  const auto call = [&](perp_lcp p) { return solve(&p, z, w, work.data(), work.size(), &info); };
  EXPECT_EQ(call({2, 2, M, q}), PERP_OK);
  EXPECT_NEAR(z[0], 4.0 / 3, 1e-15);
  EXPECT_NEAR(z[1], 7.0 / 3, 1e-15);
  EXPECT_EQ(call({-1, 2, M, q}), PERP_EINVAL);
  EXPECT_EQ(call({2, 1, M, q}), PERP_EINVAL);
  EXPECT_EQ(call({2, 2, nullptr, q}), PERP_EINVAL);
  EXPECT_EQ(call({2, 2, M, nullptr}), PERP_EINVAL);
  EXPECT_EQ(call({0, 0, nullptr, nullptr}), PERP_OK);
  const perp_lcp p = {2, 2, M, q};
  EXPECT_EQ(solve(nullptr, z, w, work.data(), work.size(), &info), PERP_EINVAL);
  EXPECT_EQ(solve(&p, nullptr, w, work.data(), work.size(), &info), PERP_EINVAL);
  EXPECT_EQ(solve(&p, z, nullptr, work.data(), work.size(), &info), PERP_EINVAL);
  EXPECT_EQ(solve(&p, z, z, work.data(), work.size(), &info), PERP_EINVAL);
  EXPECT_EQ(solve(&p, z, w, nullptr, work.size(), &info), PERP_EINVAL);
  EXPECT_EQ(solve(&p, z, w, work.data(), work.size() - 1, &info), PERP_EWORKSPACE);
  EXPECT_EQ(solve(&p, z, w, work.data(), work.size(), nullptr), PERP_OK);
  EXPECT_EQ(workspace(-1), 0u);
  EXPECT_GT(workspace(0), 0u);
}

inline void takes_plain_boxes(const perp_solver *solver) {
  const auto workspace = [solver](std::int32_t n) {
    return perp_mlcp_workspace(solver, n, nullptr);
  };
  const double M[] = {1, 0, 1, 1}, q[] = {3, 0.5}, l[] = {-kInf, -1}, u[] = {kInf, 1};
  const double crossed[] = {1, 2}, nan[] = {kNaN, 0}, ones[] = {1, 1};
  double z[2] = {999, 999}, w[2] = {999, 999};
  std::vector<unsigned char> work(workspace(2));
  const auto call = [&](perp_mlcp p) {
    return perp_mlcp_solve(solver, &p, nullptr, z, w, work.data(), work.size(), nullptr);
  };
  EXPECT_EQ(call({2, 2, M, q, l, u}), PERP_OK); /* z2 = -1/2, z1 = -3 - z2 */
  EXPECT_EQ(z[0], -2.5);
  EXPECT_EQ(z[1], -0.5);
  EXPECT_EQ(call({-1, 2, M, q, l, u}), PERP_EINVAL);
  EXPECT_EQ(call({2, 2, M, q, nullptr, u}), PERP_EINVAL);
  EXPECT_EQ(call({2, 2, M, q, l, nullptr}), PERP_EINVAL);
  EXPECT_LT(call({2, 2, M, q, l, nan}), 0);
  EXPECT_EQ(call({2, 2, M, q, crossed, ones}), PERP_EINVAL);
  EXPECT_EQ(call({0, 0, nullptr, nullptr, nullptr, nullptr}), PERP_OK);
  EXPECT_EQ(workspace(-1), 0u);
}

// ---- promises of pivoting methods ----

inline void ends_honestly_at_the_limits(const perp_solver *solver) {
  for (const double m : {1e-300, 1e-150, 1e150, 1e300})
    for (const double q : {1e-300, 1.0, 1e300}) {
      const instance p = lcp(2, {m, 0, m / 2, m}, {-q, -q});
      const answer a = run(solver, p);
      EXPECT_GE(a.status, 0);
      if (a.status == PERP_OK) {
        EXPECT_TRUE(solved(p, a)) << m << " " << q;
      }
    }
}

inline void claims_nothing_beyond_rounding(const perp_solver *solver, std::uint64_t seed) {
  families::source s(seed);
  perp_solver_options o = perp_solver_options_default();
  o.tol = 1e-30;
  int refused = 0;
  for (int k = 0; k < 50; k++) {
    const answer a = run(solver, families::relays(s), &o);
    EXPECT_TRUE(a.status == PERP_OK || a.status == PERP_INACCURATE);
    refused += a.status == PERP_INACCURATE;
    if (a.status == PERP_OK) {
      EXPECT_LE(a.info.relative_residual, 1e-30);
    }
  }
  EXPECT_GT(refused, 10);
}

// Room for the modes of n unknowns, of which none is known.
struct warm_block {
  vec bytes;
  perp_warm warm{};
  explicit warm_block(std::int32_t n) : bytes(at(n) / 8 + 4, 0) {
    warm.data = bytes.data();
    warm.bytes = bytes.size() * sizeof(double);
  }
};

// From the modes of a solution it takes so many iterations, and the same bits come out.
inline void starts_from_modes(const perp_solver *solver, std::uint64_t seed,
                              std::int32_t iterations) {
  families::source s(seed);
  for (int k = 0; k < 200; k++) {
    const instance p = k % 2 == 0 ? families::relays(s) : families::p_matrix(s);
    warm_block w(p.n());
    const answer cold = run(solver, p, nullptr, &w.warm), again = run(solver, p, nullptr, &w.warm);
    EXPECT_TRUE(solved(p, cold));
    EXPECT_EQ(again.status, PERP_OK);
    EXPECT_EQ(again.info.iterations, iterations);
    EXPECT_EQ(std::memcmp(again.lambda.data(), cold.lambda.data(), p.q.size() * 8), 0);
  }
}

inline void survives_garbage(const perp_solver *solver, std::uint64_t seed) {
  families::source s(seed);
  for (int k = 0; k < 500; k++) {
    const instance p = families::relays(s);
    warm_block w(p.n());
    auto *raw = reinterpret_cast<unsigned char *>(w.bytes.data());
    for (std::size_t i = 0; i < w.warm.bytes; i++)
      raw[i] = static_cast<unsigned char>(s.integer(0, k % 2 == 0 ? 4 : 255));
    const auto n = static_cast<std::uint32_t>(p.n());
    std::memcpy(raw, &n, sizeof n);
    EXPECT_TRUE(solved(p, run(solver, p, nullptr, &w.warm)));
  }
}

// ---- options ----

inline bool refuses(const perp_solver *solver, const void *options, const std::string &field) {
  const double M[] = {1}, q[] = {-1};
  const perp_lcp p = {1, 1, M, q};
  double z[1], w[1];
  std::vector<unsigned char> work(perp_lcp_workspace(solver, 1, nullptr));
  perp_info info = PERP_INFO_INIT;
  const perp_status s = perp_lcp_solve(solver, &p, options, z, w, work.data(), work.size(), &info);
  return s == PERP_EINVAL && info.field != nullptr && info.field == field;
}

template <class Options>
void refuses_common_fields(const perp_solver *solver, const Options &defaults) {
  const auto refused = [&](auto change, const char *field) {
    Options o = defaults;
    change(o);
    EXPECT_TRUE(refuses(solver, &o, field)) << field;
  };
  refused([](auto &o) { o.tol = -1; }, "tol");
  refused([](auto &o) { o.tol = kNaN; }, "tol");
  refused([](auto &o) { o.max_iter = -1; }, "max_iter");
  refused([](auto &o) { o.struct_size = 3; }, "struct_size");
}

}  // namespace trial

#endif
