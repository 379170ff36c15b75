// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <perp/nsgs.h>

#include <cstring>
#include <string>

#include "contact_system.hpp"

namespace {

using contacts::box;
using contacts::free_row;
using contacts::orthant;
using contacts::plane;
using contacts::plane_rolling;
using contacts::space;
using contacts::space_rolling;
using contacts::system;
using contacts::unit;
using tools::at;
using tools::dense;
using tools::ints;
using tools::kInf;
using tools::kNaN;
using tools::vec;
using options = perp_nsgs_options;

struct watcher {
  std::vector<double> merits;
  std::int32_t stop_at = -1;
  static std::int32_t see(const perp_iterate *it, void *user) {
    watcher *w = static_cast<watcher *>(user);
    EXPECT_EQ(it->iteration, static_cast<std::int32_t>(w->merits.size()));
    w->merits.push_back(it->merit);
    return static_cast<std::int32_t>(w->merits.size()) == w->stop_at;
  }
};

struct trial {
  vec lambda, y, ray;
  perp_info info = PERP_INFO_INIT;
  perp_status status = 999;

  explicit trial(const perp_problem &p, const options *o = nullptr, vec start = {}) {
    lambda = start.empty() ? vec(at(p.n), 0.0) : std::move(start);
    y = ray = vec(at(p.n), 999);
    info.ray = ray.data();
    info.ray_size = p.n;
    const std::size_t bytes = perp_solver_workspace(perp_solver_nsgs(), &p, o);
    std::vector<unsigned char> work(bytes + 16, 0xA5);
    status = perp_solver_solve(perp_solver_nsgs(), &p, o, lambda.data(), y.data(), nullptr,
                               work.data() + 3, bytes, &info);
    for (std::size_t i = 0; i < 3; i++) EXPECT_EQ(work[i], 0xA5);
    for (std::size_t i = bytes + 3; i < work.size(); i++) EXPECT_EQ(work[i], 0xA5);
  }
  explicit trial(const system &s, const options *o = nullptr, vec start = {})
      : trial(s.problem, o, std::move(start)) {}
};

options precise(double tol = 1e-10) {
  options o = perp_nsgs_options_default();
  o.tol = tol;
  return o;
}

std::int32_t size_of(const std::vector<unit> &units) {
  std::int32_t n = 0;
  for (const unit &u : units) n += u.size;
  return n;
}

// A sparse-ish definite matrix: neighbours within a band of units couple.
dense coupled(tools::uniform &u, const std::vector<unit> &units, std::int32_t band, double shift) {
  const std::int32_t n = size_of(units), m = n + 3;
  dense J(n, m), M(n, n);
  std::int32_t begin = 0;
  for (std::size_t a = 0; a < units.size(); begin += units[a++].size)
    for (std::int32_t i = begin; i < begin + units[a].size; i++)
      for (std::int32_t k = 0; k < band * 3; k++) J(i, (begin + k) % m) = u();
  for (std::int32_t i = 0; i < n; i++)
    for (std::int32_t j = 0; j < n; j++) {
      double sum = i == j ? shift : 0;
      for (std::int32_t k = 0; k < m; k++) sum += J(i, k) * J(j, k);
      M(i, j) = sum;
    }
  return M;
}

vec pushing(tools::uniform &u, const std::vector<unit> &units) {
  vec q = u.vector(size_of(units));
  std::int32_t begin = 0;
  for (const unit &k : units) {
    q[at(begin)] -= 0.5;
    begin += k.size;
  }
  return q;
}

std::vector<unit> repeated(const unit &u, std::int32_t count) {
  return std::vector<unit>(at(count), u);
}

ints cuts_of(const std::vector<unit> &units) {
  ints cuts = {0};
  for (const unit &u : units) cuts.push_back(cuts.back() + u.size);
  return cuts;
}

std::vector<std::vector<unit>> mixtures() {
  std::vector<std::vector<unit>> all;
  for (std::int32_t count : {1, 2, 3, 8, 15}) {
    all.push_back(repeated(space(0.4), count));
    all.push_back(repeated(plane(0.7), count));
    all.push_back(repeated(plane_rolling(0.5, 0.1), count));
    all.push_back(repeated(space_rolling(0.5, 0.1), count));
    all.push_back(repeated(orthant(), count));
  }
  all.push_back({space(0), space(1e6), space(0.3), space(1)});
  all.push_back({plane(0), plane(1e6), plane(0.3)});
  all.push_back({free_row(), space(0.5), orthant(), plane(0.2), box(-0.1, 0.2), space(0.1)});
  all.push_back({plane_rolling(0.3, 0.2), space_rolling(0.4, 0.05), free_row(), space(0.8),
                 box(-1, kInf), plane(0.5)});
  return all;
}

// ---- solutions ----

TEST(Nsgs, EveryMixtureOfLawsIsSolvedInEveryStorage) {
  tools::uniform u(1);
  for (const auto &units : mixtures()) {
    const dense M = coupled(u, units, 2, 0.3);
    const vec q = pushing(u, units);
    const ints odd = {0, 1, size_of(units)};
    const options o = precise(1e-8);
    std::vector<ints> cuts = {{}, {}, cuts_of(units)};
    if (size_of(units) > 1) cuts.push_back(odd);
    for (std::size_t k = 0; k < cuts.size(); k++) {
      const system s(M, q, units, k == 0 ? PERP_DENSE : PERP_BLOCKS, cuts[k]);
      const trial t(s, &o);
      EXPECT_EQ(t.status, PERP_OK) << "storage " << k << " units " << units.size();
      EXPECT_LE(contacts::error(s, t.lambda), 1.01e-8) << "storage " << k;
      EXPECT_LE(std::fabs(contacts::error(s, t.lambda) - t.info.relative_residual), 1e-10);
    }
  }
}

TEST(Nsgs, DiagonalAndZeroMatricesAreSolved) {
  dense D(8, 8);
  for (std::int32_t i = 0; i < 8; i++) D(i, i) = 1 + i;
  const std::vector<unit> units = {space(0.5), space(0.2), plane(0.3)};
  const vec q = {-1, 0.3, -0.1, -1, 5, 2, -2, 7};
  for (std::int32_t kind : {PERP_DIAGONAL, PERP_DENSE}) {
    const system s(D, q, units, kind);
    const trial t(s);
    EXPECT_EQ(t.status, PERP_OK);
    EXPECT_LE(contacts::error(s, t.lambda), 1e-10);
  }
  const system zero(dense(8, 8), {1, 0, 0, 0, 3, 0, 0, -2}, units, PERP_ZERO);
  const trial t(zero);
  EXPECT_EQ(t.status, PERP_OK);
  EXPECT_EQ(contacts::error(zero, t.lambda), 0);
}

TEST(Nsgs, KnownContactsAreSolvedToTheLastDigits) {
  const struct {
    vec W, q;
    double mu;
    vec r;
  } known[] = {{{1, 0, 0, 2}, {-1, 3}, 0.5, {1, -0.5}},
               {{1, 0, 0, 2}, {-1, 0.5}, 0.5, {1, -0.25}},
               {{1, 1.5, 1.5, 4}, {-1, 0}, 1, {16.0 / 7, -6.0 / 7}},
               {{1, 1.5, 1.5, 4}, {-1, -3}, 1, {0.4, 0.4}},
               {{1, 1.5, 1.5, 4}, {1, 4}, 1, {0, 0}}};
  for (const auto &k : known) {
    const system s(tools::from_rows(2, k.W), k.q, {plane(k.mu)});
    const trial t(s);
    EXPECT_EQ(t.status, PERP_OK);
    for (std::size_t i = 0; i < 2; i++) EXPECT_NEAR(t.lambda[i], k.r[i], 1e-15);
  }
}

}  // namespace
