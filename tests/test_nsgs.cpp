// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <perp/sweeps.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "contact_system.hpp"

extern "C" {
#include "problem/one_contact.h"
}

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
  all.push_back({space(0), space(1e4), space(0.3), space(1)});
  all.push_back({plane(0), plane(1e4), plane(0.3)});
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
    const options o = precise();
    std::vector<ints> cuts = {{}, {}, cuts_of(units)};
    if (size_of(units) > 1) cuts.push_back(odd);
    for (std::size_t k = 0; k < cuts.size(); k++) {
      const system s(M, q, units, k == 0 ? PERP_DENSE : PERP_BLOCKS, cuts[k]);
      const trial t(s, &o);
      EXPECT_EQ(t.status, PERP_OK) << "storage " << k << " units " << units.size();
      EXPECT_LE(contacts::error(s, t.lambda), 1.01e-10) << "storage " << k;
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

// ---- sweeps ----

// One contact from its definition; friction by the exact solution of one contact.
void solve_one(const unit &u, const vec &D, const vec &w, double *r) {
  if (u.size == 2) {
    EXPECT_EQ(perp_contact_2d_solve(D.data(), 2, w.data(), u.c[0], r), PERP_OK);
  } else if (u.size == 3) {
    EXPECT_EQ(perp_contact_3d_solve(D.data(), 3, w.data(), u.c[0], r), PERP_OK);
  } else {
    r[0] = std::min(std::max(-w[0] / D[0], u.lower), u.upper);
  }
}

void sweep(const system &s, bool backward, double omega, vec &x) {
  const ints cuts = cuts_of(s.units);
  for (std::size_t k = 0; k < s.units.size(); k++) {
    const std::size_t a = backward ? s.units.size() - 1 - k : k;
    const std::int32_t begin = cuts[a], size = s.units[a].size;
    vec D, w, r(at(size));
    for (std::int32_t j = begin; j < begin + size; j++)
      for (std::int32_t i = begin; i < begin + size; i++) D.push_back(s.M(i, j));
    for (std::int32_t i = begin; i < begin + size; i++) {
      double sum = s.q[at(i)];
      for (std::int32_t j = 0; j < s.M.rows; j++)
        if (j < begin || j >= begin + size) sum += s.M(i, j) * x[at(j)];
      w.push_back(sum);
    }
    solve_one(s.units[a], D, w, r.data());
    std::vector<contacts::real> p;
    for (std::int32_t i = 0; i < size; i++)
      p.push_back(x[at(begin + i)] + omega * (r[at(i)] - x[at(begin + i)]));
    if (omega > 1) p = contacts::projected(s.units[a], p);
    for (std::int32_t i = 0; i < size; i++) x[at(begin + i)] = static_cast<double>(p[at(i)]);
  }
}

options plain(std::int32_t sweeps, double omega = 1, std::int32_t order = PERP_NSGS_FORWARD) {
  options o = perp_nsgs_options_default();
  o.acceleration = PERP_NSGS_PLAIN;
  o.tol = 0;
  o.max_iter = sweeps;
  o.omega = omega;
  o.order = order;
  o.check = 1;
  return o;
}

std::vector<std::vector<unit>> simple() {
  std::vector<std::vector<unit>> all;
  for (std::int32_t count : {1, 2, 3, 4, 7}) {
    all.push_back(repeated(space(0.4), count));
    all.push_back(repeated(plane(0.7), count));
    all.push_back(repeated(orthant(), count));
  }
  all.push_back({free_row(), space(0.5), orthant(), plane(0.2), box(-0.1, 0.2), space(0.1)});
  return all;
}

double distance(const vec &a, const vec &b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); i++) most = std::max(most, std::fabs(a[i] - b[i]));
  return most;
}

TEST(Nsgs, ASweepIsTheOneOfTheDefinitionInEveryStorage) {
  tools::uniform u(3);
  for (const auto &units : simple()) {
    const dense M = coupled(u, units, 3, 0.5);
    const vec q = pushing(u, units);
    for (double omega : {0.6, 1.0, 1.4})
      for (std::int32_t order : {PERP_NSGS_FORWARD, PERP_NSGS_SYMMETRIC}) {
        options o = plain(3, omega, order);
        o.observe = watcher::see;
        std::vector<ints> cuts = {{}, {}, cuts_of(units)};
        for (std::size_t k = 0; k < cuts.size(); k++) {
          const system s(M, q, units, k == 0 ? PERP_DENSE : PERP_BLOCKS, cuts[k]);
          watcher w;
          w.stop_at = 3;  // a limit would give the best point
          o.user = &w;
          const trial t(s, &o);
          vec x(q.size(), 0.0);
          for (std::int32_t i = 0; i < t.info.iterations; i++)
            sweep(s, order == PERP_NSGS_SYMMETRIC && i % 2 == 1, omega, x);
          EXPECT_LE(distance(x, t.lambda), 1e-10) << "storage " << k << " omega " << omega;
        }
      }
  }
}

// Rows of a contact that meet different columns make panels of zeros; such a matrix is packed entry
// by entry, and swept as before.
TEST(Nsgs, AMatrixOfScatteredEntriesIsSweptAsAnyOther) {
  const std::int32_t count = 20, n = 3 * count;
  tools::uniform u(5);
  dense M(n, n);
  for (std::int32_t i = 0; i < n; i++) {
    M(i, i) = 4;
    for (int k = 0; k < 3; k++) {
      const std::int32_t j = (i * 7 + k * 11 + 13) % n;
      if (i / 3 != j / 3) M(i, j) = M(j, i) = 0.3 * u();
    }
  }
  const std::vector<unit> units = repeated(space(0.4), count);
  const vec q = pushing(u, units);
  const options o = plain(4), exact = precise();
  for (bool mixed : {false, true}) {
    std::vector<unit> row = units;
    if (mixed) {
      row.pop_back();
      for (int k = 0; k < 3; k++) row.push_back(orthant());
    }
    const system full(M, q, row, PERP_DENSE), rows(M, q, row, PERP_BLOCKS);
    EXPECT_LE(distance(trial(full, &o).lambda, trial(rows, &o).lambda), 1e-14);
    EXPECT_EQ(trial(rows, &exact).status, PERP_OK);
  }
}

TEST(Nsgs, TheObserverSeesEverySweepAndItsChange) {
  tools::uniform u(4);
  const auto units = repeated(space(0.3), 6);
  const system s(coupled(u, units, 2, 0.4), pushing(u, units), units);
  watcher w;
  options o = plain(7);
  o.observe = watcher::see;
  o.user = &w;
  vec before(s.q.size(), 0.0), after = before;
  const trial t(s, &o);
  ASSERT_EQ(w.merits.size(), 7u);
  for (double merit : w.merits) {
    sweep(s, false, 1, after);
    double most = 0;
    for (std::size_t a = 0; a < units.size(); a++) {
      double trace = 0, moved = 0;
      for (std::size_t i = 3 * a; i < 3 * a + 3; i++) {
        const std::int32_t d = static_cast<std::int32_t>(i);
        trace += s.M(d, d);
        moved += std::fabs(after[i] - before[i]);
      }
      most = std::max(most, trace / 3 * moved);
    }
    EXPECT_NEAR(merit, most, 1e-10);
    before = after;
  }
}

// ---- options ----

// A heap of bodies: contacts between neighbours in a line.
system chain(std::int32_t count, double shift = 0, std::int32_t kind = PERP_BLOCKS) {
  const auto units = repeated(space(0.5), count);
  const std::int32_t n = 3 * count;
  dense M(n, n);
  vec q(at(n), 0.0);
  for (std::int32_t a = 0; a < count; a++) {
    for (std::int32_t i = 0; i < 3; i++) {
      M(3 * a + i, 3 * a + i) = 2 + shift;
      if (a + 1 < count) M(3 * a + i, 3 * a + 3 + i) = M(3 * a + 3 + i, 3 * a + i) = -1;
    }
    q[at(3 * a)] = -1;
    q[at(3 * a + 1)] = 0.3;
  }
  return {M, q, units, kind, kind == PERP_BLOCKS ? cuts_of(units) : ints{}};
}

TEST(Nsgs, EveryOptionLeadsToASolution) {
  const system s = chain(20);
  std::vector<options> all;
  const auto add = [&](auto change) {
    all.push_back(precise());
    change(all.back());
  };
  for (double omega : {0.5, 1.0, 1.5, 1.9}) add([&](options &o) { o.omega = omega; });
  for (std::int32_t order : {0, 1, 2})
    for (std::int32_t acceleration : {0, 1, 2})
      for (std::int32_t freeze : {0, 4})
        for (std::int32_t colours : {0, 1})
          add([&](options &o) {
            o.order = order;
            o.acceleration = acceleration;
            o.freeze = freeze;
            o.colours = colours;
          });
  for (std::int32_t depth : {1, 2, 3, 4, 5}) add([&](options &o) { o.depth = depth; });
  for (std::int32_t check : {1, 7, 100000}) add([&](options &o) { o.check = check; });
  for (double rho : {0.003, 0.1})
    for (std::int32_t acceleration : {0, 1, 2})
      add([&](options &o) {
        o.regularisation = rho;
        o.acceleration = acceleration;
      });
  for (std::size_t k = 0; k < all.size(); k++) {
    const trial t(s, &all[k]);
    EXPECT_EQ(t.status, PERP_OK) << "options " << k;
    EXPECT_LE(contacts::error(s, t.lambda), 1.01e-10) << "options " << k;
    const trial again(s, &all[k]);
    EXPECT_TRUE(tools::same_bits(t.lambda, again.lambda)) << "options " << k;
  }
}

TEST(Nsgs, AccelerationSavesSweeps) {
  const system s = chain(30);
  options o = precise();
  o.acceleration = PERP_NSGS_PLAIN;
  const std::int32_t slow = trial(s, &o).info.iterations;
  o.acceleration = PERP_NSGS_ANDERSON;
  EXPECT_LT(trial(s, &o).info.iterations, slow / 15);
  o.acceleration = PERP_NSGS_MOMENTUM;
  EXPECT_LT(trial(s, &o).info.iterations, slow / 8);
}

TEST(Nsgs, ShuffledSweepsArePlainOnes) {
  const system s = chain(5);
  options o = precise();
  o.order = PERP_NSGS_SHUFFLED;
  o.acceleration = PERP_NSGS_PLAIN;
  const trial plain_ones(s, &o);
  o.acceleration = PERP_NSGS_ANDERSON;
  const trial asked(s, &o);
  EXPECT_EQ(asked.info.iterations, plain_ones.info.iterations);
  EXPECT_TRUE(tools::same_bits(asked.lambda, plain_ones.lambda));
}

// Two bodies with far more contacts than hold them: forces wander along the kernel of M.
TEST(Nsgs, HyperstaticContactsAreSolved) {
  const std::int32_t count = 12;
  const auto units = repeated(space(0.6), count);
  tools::uniform u(9);
  const std::int32_t n = 3 * count;
  dense J(n, 6), M(n, n);
  vec q(at(n));
  const vec fall = {1, 0.2, -0.1, 0.3, 0.1, -0.2};
  for (std::int32_t a = 0; a < count; a++) {
    const double x = u(), y = u();
    const double rows[3][6] = {{1, 0, 0, y, -x, 0}, {0, 1, 0, 0, 0, -y}, {0, 0, 1, 0, 0, x}};
    for (std::int32_t i = 0; i < 3; i++)
      for (std::int32_t k = 0; k < 6; k++) {
        J(3 * a + i, k) = rows[i][k];
        q[at(3 * a + i)] -= rows[i][k] * fall[at(k)];
      }
  }
  for (std::int32_t i = 0; i < n; i++)
    for (std::int32_t j = 0; j < n; j++)
      for (std::int32_t k = 0; k < 6; k++) M(i, j) += J(i, k) * J(j, k);
  const system s(M, q, units);
  for (double rho : {0.0, 0.1}) {
    options o = precise();
    o.regularisation = rho;
    const trial t(s, &o);
    EXPECT_EQ(t.status, PERP_OK) << rho;
    EXPECT_LE(contacts::error(s, t.lambda), 1.01e-10);
  }
}

// Equations beside contacts: blocks of the diagonal that are zero.
TEST(Nsgs, MissingDiagonalBlocksAreSolved) {
  const std::vector<unit> units = {free_row(), free_row(), free_row(), space(0.4)};
  dense M(6, 6);
  for (std::int32_t i = 0; i < 3; i++) {
    M(i, i) = 2;
    M(3 + i, i) = 1;
    M(i, 3 + i) = -1;
  }
  const vec q = {1, -0.2, 0.1, 0, 0, 0};
  for (const ints &cuts : {ints{}, cuts_of(units), ints{0, 3, 6}}) {
    const system s(M, q, units, PERP_BLOCKS, cuts);
    const options o = precise();
    const trial t(s, &o);
    EXPECT_EQ(t.status, PERP_OK);
    EXPECT_LE(contacts::error(s, t.lambda), 1.01e-10);
  }
}

// ---- laws by projection ----

int calls = 0;

perp_status count_and_solve(const perp_law *, const void *, const double *M, std::int32_t,
                            const double *q, double *lambda) {
  calls++;
  lambda[0] = q[0] < 0 ? -q[0] / M[0] : 0;
  return PERP_OK;
}

void orthant_project(const perp_law *, const void *, const double *x, double *p) {
  p[0] = x[0] > 0 ? x[0] : 0;
}

TEST(Nsgs, AUsersLawIsSolvedByItsProjectionOrItsOwnSolution) {
  perp_law_ops ops = {};
  ops.struct_size = sizeof ops;
  ops.set = PERP_SET_OTHER;
  ops.name = "mine";
  ops.project = orthant_project;
  const perp_law law = {&ops, sizeof(perp_law), 1};
  const dense M = tools::from_rows(3, {2, 1, 0, 1, 2, 0.5, 0, 0.5, 1});
  const vec q = {-1, 1, -2};
  const std::int32_t offset[] = {0, 3};
  const perp_law *laws[] = {&law};
  const tools::stored view(M, PERP_DENSE);
  const perp_problem p = perp_problem_of(view.view, q.data(), 1, laws, offset);
  const options o = precise();
  for (auto local : {decltype(ops.local)(nullptr), decltype(ops.local)(count_and_solve)}) {
    ops.local = local;
    calls = 0;
    const trial t(p, &o);
    EXPECT_EQ(t.status, PERP_OK);
    EXPECT_LE(tools::lcp_error(M, q, t.lambda), 1e-9);
    EXPECT_EQ(calls, local == nullptr ? 0 : 3 * t.info.iterations);
  }
}

TEST(Nsgs, FrozenContactsAreNotVisited) {
  perp_law_ops ops = {};
  ops.struct_size = sizeof ops;
  ops.set = PERP_SET_OTHER;
  ops.name = "mine";
  ops.project = orthant_project;
  ops.local = count_and_solve;
  const perp_law law = {&ops, sizeof(perp_law), 1};
  const std::int32_t n = 30, offset[] = {0, n};
  dense M(n, n);
  vec q(at(n), -1.0);
  for (std::int32_t i = 0; i < n; i++) {
    M(i, i) = 2;
    if (i > 0 && i != 20) M(i, i - 1) = M(i - 1, i) = -0.95;
    if (i >= 20) q[at(i)] = 1;
  }
  const perp_law *laws[] = {&law};
  const tools::stored view(M, PERP_BLOCKS);
  const perp_problem p = perp_problem_of(view.view, q.data(), 1, laws, offset);
  options o = precise();
  o.acceleration = PERP_NSGS_PLAIN;
  calls = 0;
  const trial awake(p, &o);
  EXPECT_EQ(calls, n * awake.info.iterations);
  o.freeze = 10;
  calls = 0;
  const trial t(p, &o);
  EXPECT_EQ(t.status, PERP_OK);
  EXPECT_LE(tools::lcp_error(M, q, t.lambda), 1e-9);
  EXPECT_LT(calls, n * t.info.iterations * 9 / 10);
  EXPECT_LE(t.info.iterations, 2 * awake.info.iterations + 20);
}

TEST(Nsgs, APolyhedronIsSolvedByProjection) {
  perp_polyhedron law;
  perp_polyhedron_init(&law, sizeof law);
  const double H[] = {1, 0, -1, 0, 1, -1}, K[] = {0, 0, -1};  // x, y >= 0, x + y <= 1
  law.law.size = 2;
  law.H = perp_dense(3, 2, H);
  law.K = K;
  const perp_law *laws[] = {&law.law};
  const double M[] = {2, 1, 1, 2}, q[] = {-3, -2};
  const perp_problem p = perp_problem_of(perp_dense(2, 2, M), q, 1, laws, nullptr);
  const options o = precise();
  const trial t(p, &o);
  EXPECT_EQ(t.status, PERP_OK);
  EXPECT_NEAR(t.lambda[0], 1, 1e-9);
  EXPECT_NEAR(t.lambda[1], 0, 1e-9);
}

// ---- endings ----

TEST(Nsgs, TheLimitIsKeptAndTheObserverStops) {
  const system s = chain(30);
  for (std::int32_t most : {1, 2, 9, 10, 11}) {
    watcher w;
    options o = precise();
    o.max_iter = most;
    o.observe = watcher::see;
    o.user = &w;
    const trial t(s, &o);
    EXPECT_EQ(t.status, PERP_MAX_ITER);
    EXPECT_EQ(t.info.iterations, most);
    EXPECT_EQ(w.merits.size(), at(most));
    w = {};
    w.stop_at = most;
    o.max_iter = 0;
    const trial stopped(s, &o);
    EXPECT_EQ(stopped.status, PERP_STOPPED);
    EXPECT_EQ(stopped.info.iterations, most);
  }
}

TEST(Nsgs, ARowOfZerosThatCannotBeBorneIsInfeasible) {
  const system friction(dense(3, 3), {-1, 0, 0}, {space(0.5)}, PERP_ZERO);
  EXPECT_EQ(trial(friction).status, PERP_INFEASIBLE);
  const dense M = tools::from_rows(2, {2, 0, 0, 0});
  const system interval(M, {-1, -1}, {orthant(), orthant()});
  const trial t(interval);
  EXPECT_EQ(t.status, PERP_INFEASIBLE);
  EXPECT_EQ(t.info.ray_kind, PERP_RAY_CERTIFICATE);
  double bound = 0;
  unsigned char work[4096];
  EXPECT_EQ(perp_problem_certificate(&interval.problem, t.ray.data(), &bound, work, sizeof work),
            PERP_OK);
  const system rests(M, {-1, 1}, {orthant(), orthant()});
  EXPECT_EQ(trial(rests).status, PERP_OK);
  const system bounded(M, {-1, -1}, {orthant(), box(-1, 5)});
  const trial b(bounded);
  EXPECT_EQ(b.status, PERP_OK);
  EXPECT_EQ(b.lambda[1], 5);
}

TEST(Nsgs, WhatDivergesIsInaccurate) {
  const system s(tools::from_rows(2, {1, 10, 10, 1}), {-1, -1}, {free_row(), free_row()});
  options o = plain(0);
  o.tol = 1e-10;
  const trial t(s, &o);
  EXPECT_EQ(t.status, PERP_INACCURATE);
  EXPECT_LT(t.info.iterations, 100);
  for (double x : t.lambda) EXPECT_TRUE(std::isfinite(x));
}

TEST(Nsgs, NumbersThatAreNoneAreNamed) {
  for (double bad : {kNaN, kInf, -kInf}) {
    const system good = chain(4, 0.1);
    for (std::int32_t place : {0, 4, 11}) {
      vec q = good.q;
      q[at(place)] = bad;
      const system s(good.M, q, good.units, PERP_BLOCKS, cuts_of(good.units));
      const trial t(s);
      EXPECT_EQ(t.status, PERP_ENOTFINITE);
      EXPECT_STREQ(t.info.field, "q");
      EXPECT_EQ(t.info.index, place);
      dense M = good.M;
      M(place, (place + 3) % 12) = bad;
      const system m(M, good.q, good.units, PERP_BLOCKS, cuts_of(good.units));
      EXPECT_EQ(trial(m).status, PERP_ENOTFINITE);
      vec start(12, 0.1);
      start[at(place)] = bad;
      EXPECT_EQ(trial(good, nullptr, start).status, PERP_OK);
    }
  }
  const system s = chain(4, 0.1);
  EXPECT_EQ(trial(s, nullptr, vec(12, 1e308)).status, PERP_OK);
}

TEST(Nsgs, OptionsOutOfRangeAreRefusedByName) {
  const system s = chain(2);
  const struct {
    const char *field;
    void (*change)(options &);
  } wrong[] = {{"omega", [](options &o) { o.omega = 0; }},
               {"omega", [](options &o) { o.omega = 2; }},
               {"omega", [](options &o) { o.omega = kNaN; }},
               {"regularisation", [](options &o) { o.regularisation = -1; }},
               {"regularisation", [](options &o) { o.regularisation = kInf; }},
               {"order", [](options &o) { o.order = 3; }},
               {"order", [](options &o) { o.order = -1; }},
               {"acceleration", [](options &o) { o.acceleration = 3; }},
               {"acceleration", [](options &o) { o.acceleration = -1; }},
               {"depth", [](options &o) { o.depth = 0; }},
               {"depth", [](options &o) { o.depth = 6; }},
               {"freeze", [](options &o) { o.freeze = -1; }},
               {"check", [](options &o) { o.check = 0; }},
               {"tol", [](options &o) { o.tol = kNaN; }},
               {"max_iter", [](options &o) { o.max_iter = -1; }}};
  for (const auto &w : wrong) {
    options o = perp_nsgs_options_default();
    w.change(o);
    vec lambda(6, 0), y(6, 0);
    perp_info info = PERP_INFO_INIT;
    unsigned char work[8];
    EXPECT_EQ(perp_solver_workspace(perp_solver_nsgs(), &s.problem, &o), 0u) << w.field;
    EXPECT_EQ(perp_solver_solve(perp_solver_nsgs(), &s.problem, &o, lambda.data(), y.data(),
                                nullptr, work, sizeof work, &info),
              PERP_EINVAL);
    EXPECT_STREQ(info.field, w.field);
  }
  perp_nsgs_options_init(nullptr, sizeof(options));
}

TEST(Nsgs, AGoodStartCostsOneSweep) {
  const system s = chain(20);
  const options o = precise(1e-8);
  const options exact = precise(1e-12);
  const trial first(s, &exact);
  ASSERT_EQ(first.status, PERP_OK);
  EXPECT_EQ(trial(s, &o, first.lambda).info.iterations, 1);
}

}  // namespace
