// SPDX-License-Identifier: MIT
// Problems in global form: the residual from its definition, and condensation against a dense
// elimination in long double that shares nothing with it.
#include <gtest/gtest.h>
#include <perp/global.h>
#include <perp/pivoting.h>
#include <perp/sweeps.h>
#include <perp/vi.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "families.hpp"

namespace {

using families::source;
using tools::at;
using tools::dense;
using tools::ints;
using tools::kInf;
using tools::kNaN;
using tools::vec;
using wide = std::vector<long double>;

// How H is stored.
enum class rows_as { dense, compressed, zero };

// A problem that owns its arrays, and does not move.
struct instance {
  dense M, H;
  vec q, b;
  std::vector<std::unique_ptr<perp_friction>> contacts;  // of each law block, or empty: orthant
  std::vector<const perp_law *> laws;
  perp_complementarity orthant{};
  perp_equality free{};
  perp_global_problem problem = PERP_GLOBAL_PROBLEM_INIT;

  instance(std::int32_t m, std::int32_t n) : M(m, m), H(n, m), q(at(m), 0), b(at(n), 0) {
    perp_complementarity_init(&orthant, sizeof orthant);
    perp_equality_init(&free, sizeof free);
  }
  instance(const instance &) = delete;
  instance &operator=(const instance &) = delete;
  void add(const perp_law *law) { laws.push_back(law); }
  void add_friction(std::int32_t dim, double mu) {
    contacts.push_back(std::make_unique<perp_friction>());
    perp_friction_init(contacts.back().get(), sizeof(perp_friction));
    contacts.back()->law.size = dim;
    contacts.back()->mu = mu;
    laws.push_back(&contacts.back()->law);
  }
  void all(const perp_law *law) {
    while (static_cast<std::int32_t>(laws.size()) < H.rows) laws.push_back(law);
  }

  // The view with M and H stored in one way or another.
  const perp_global_problem &view(std::int32_t kind = PERP_DENSE, rows_as rows = rows_as::dense,
                                  const ints &cuts = {}) {
    stored_ = std::make_unique<tools::stored>(M, kind, cuts);
    problem = PERP_GLOBAL_PROBLEM_INIT;
    problem.M = stored_->view;
    problem.H = perp_dense(H.rows, H.cols, H.data());
    problem.H.ld = H.ld;
    if (rows == rows_as::compressed) compress();
    if (rows == rows_as::zero) {
      problem.H = {};
      problem.H.rows = H.rows;
      problem.H.cols = H.cols;
    }
    problem.q = q.data();
    problem.b = b.data();
    problem.m = M.rows;
    problem.n = H.rows;
    problem.n_blocks = static_cast<std::int32_t>(laws.size());
    problem.laws = laws.data();
    return problem;
  }

 private:
  std::unique_ptr<tools::stored> stored_;
  ints start_, index_;
  vec values_;

  void compress() {
    start_ = {0};
    index_.clear();
    values_.clear();
    for (std::int32_t i = 0; i < H.rows; i++) {
      for (std::int32_t j = H.cols; j-- > 0;) { /* any order */
        if (H(i, j) == 0) continue;
        index_.push_back(j);
        values_.push_back(H(i, j));
      }
      start_.push_back(static_cast<std::int32_t>(index_.size()));
    }
    problem.H = perp_sparse_rows(H.rows, H.cols, start_.data(), index_.data(), values_.data());
  }
};

// x := A⁻¹ x by elimination.
wide eliminate(const dense &M, wide x) {
  const std::int32_t m = M.rows;
  std::vector<wide> A(at(m), wide(at(m)));
  for (std::int32_t i = 0; i < m; i++)
    for (std::int32_t j = 0; j < m; j++) A[at(i)][at(j)] = M(i, j);
  for (std::size_t k = 0; k < at(m); k++) {
    std::size_t p = k;
    for (std::size_t i = k; i < at(m); i++)
      if (std::fabs(A[i][k]) > std::fabs(A[p][k])) p = i;
    std::swap(A[k], A[p]);
    std::swap(x[k], x[p]);
    for (std::size_t i = k + 1; i < at(m); i++) {
      const long double f = A[i][k] / A[k][k];
      for (std::size_t j = k; j < at(m); j++) A[i][j] -= f * A[k][j];
      x[i] -= f * x[k];
    }
  }
  for (std::size_t k = at(m); k-- > 0;) {
    for (std::size_t j = k + 1; j < at(m); j++) x[k] -= A[k][j] * x[j];
    x[k] /= A[k][k];
  }
  return x;
}

// Violation of u = H v + b with v = M⁻¹(q + Hᵀ r), 0 <= u_n ⟂ r_n >= 0 and Coulomb's law, in
// absolute terms.
double violation(const instance &p, const vec &r) {
  wide v(p.q.begin(), p.q.end()), u(p.b.begin(), p.b.end());
  for (std::int32_t i = 0; i < p.H.rows; i++)
    for (std::int32_t j = 0; j < p.H.cols; j++)
      v[at(j)] += static_cast<long double>(p.H(i, j)) * r[at(i)];
  v = eliminate(p.M, v);
  for (std::int32_t i = 0; i < p.H.rows; i++)
    for (std::int32_t j = 0; j < p.H.cols; j++) u[at(i)] += p.H(i, j) * v[at(j)];
  long double worst = 0;
  const auto bad = [&](long double x) { worst = std::isnan(x) ? kInf : std::max(worst, x); };
  std::size_t i = 0;
  for (const perp_law *law : p.laws) {
    if (law == &p.free.law) {
      bad(std::fabs(u[i++]));
      continue;
    }
    bad(-u[i]);
    bad(-r[i]);
    bad(std::min(std::fabs(u[i]), std::fabs(static_cast<long double>(r[i]))));
    if (law->ops->set == PERP_SET_CONE) {
      const double mu = reinterpret_cast<const perp_friction *>(law)->mu;
      long double slip = 0, force = 0, power = 0;
      for (std::size_t k = i + 1; k < i + at(law->size); k++) {
        slip = std::hypot(slip, u[k]);
        force = std::hypot(force, static_cast<long double>(r[k]));
        power += u[k] * r[k];
      }
      const long double limit = mu * static_cast<long double>(r[i]);
      bad(force - limit);
      if (slip > 1e-5L) bad(std::fabs(power + limit * slip) / slip);
    }
    i += at(law->size);
  }
  return static_cast<double>(worst);
}

struct answer {
  perp_status status = 999;
  vec v, r, u;
  perp_info info = PERP_INFO_INIT;
  std::size_t bytes = 0;
};

std::size_t bytes_for(const perp_global_problem &p, const perp_global_options &o) {
  std::vector<unsigned char> scratch(perp_global_scratch(&p));
  return perp_global_workspace(&p, &o, scratch.data(), scratch.size());
}

// Solve in a block of exactly the size asked for, at an odd address, between canaries.
answer solve(const perp_global_problem &p, const perp_global_options &o, std::size_t shift = 3) {
  answer a;
  a.v.assign(at(p.m), 999);
  a.r.assign(at(p.n), 0);
  a.u.assign(at(p.n), 999);
  a.bytes = bytes_for(p, o);
  EXPECT_GT(a.bytes, 0u);
  std::vector<unsigned char> work(a.bytes + 128, 0xA5);
  a.status = perp_global_solve(&p, &o, a.v.data(), a.r.data(), a.u.data(), nullptr,
                               work.data() + shift, a.bytes, &a.info);
  for (std::size_t i = 0; i < shift; i++) EXPECT_EQ(work[i], 0xA5);
  for (std::size_t i = shift + a.bytes; i < work.size(); i++) EXPECT_EQ(work[i], 0xA5);
  return a;
}

perp_global_options with(const perp_solver *solver, double tol = 1e-10) {
  perp_global_options o = perp_global_options_default();
  o.solver = solver;
  o.tol = tol;
  return o;
}

perp_global_parts judge(const perp_global_problem &p, const vec &v, const vec &r) {
  vec u(at(p.n), 999);
  perp_global_parts parts = PERP_GLOBAL_PARTS_INIT;
  std::vector<unsigned char> work(perp_global_residual_workspace(&p));
  EXPECT_EQ(
      perp_global_residual(&p, v.data(), r.data(), u.data(), &parts, work.data(), work.size()),
      PERP_OK);
  return parts;
}

// Bodies of a few velocities each, in a shuffled numbering; contacts between a body and another or
// the ground.
void fill(instance *p, source *s, std::int32_t body, std::int32_t dim) {
  const std::int32_t m = p->M.rows, bodies = m / body;
  ints name(at(m));
  std::iota(name.begin(), name.end(), 0);
  for (std::size_t i = name.size(); i-- > 1;)
    std::swap(name[i], name[at(s->integer(0, static_cast<std::int32_t>(i)))]);
  for (std::int32_t k = 0; k < bodies; k++) {
    dense R(body, body);
    for (double &x : R.a) x = s->signed_unit();
    for (std::int32_t i = 0; i < body; i++)
      for (std::int32_t j = 0; j < body; j++) {
        double sum = i == j ? 0.5 : 0;
        for (std::int32_t c = 0; c < body; c++) sum += R(i, c) * R(j, c);
        p->M(name[at(k * body + i)], name[at(k * body + j)]) = sum;
      }
  }
  for (double &x : p->q) x = 3 * s->signed_unit();
  for (double &x : p->b) x = s->signed_unit();
  for (std::int32_t i = 0; i < p->H.rows; i += dim) {
    const std::int32_t one = s->integer(0, bodies - 1), two = s->integer(0, bodies - 1);
    for (std::int32_t d = 0; d < dim; d++)
      for (std::int32_t c = 0; c < body; c++) {
        p->H(i + d, name[at(one * body + c)]) = s->signed_unit();
        if (two != one) p->H(i + d, name[at(two * body + c)]) = s->signed_unit();
      }
  }
}

// A ball of mass m that falls with v_n and slides with v_t on the ground, in the plane.
std::unique_ptr<instance> ball(double mass, double vn, double vt, double mu) {
  auto p = std::make_unique<instance>(2, 2);
  p->M(0, 0) = p->M(1, 1) = mass;
  p->H(0, 1) = 1; /* normal: up */
  p->H(1, 0) = 1;
  p->q = {mass * vt, mass * vn};
  p->add_friction(2, mu);
  return p;
}

}  // namespace

// ---- the check ----

TEST(GlobalCheck, WhatDoesNotFitIsNamed) {
  const auto p = ball(1, -1, 0.2, 0.5);
  const perp_global_problem good = p->view();
  EXPECT_EQ(perp_global_check(&good, nullptr), PERP_OK);
  EXPECT_EQ(perp_global_check(nullptr, nullptr), PERP_EINVAL);
  const auto refused = [&](auto change, const char *field) {
    perp_global_problem bad = good;
    change(bad);
    perp_info info = PERP_INFO_INIT;
    EXPECT_EQ(perp_global_check(&bad, &info), PERP_EINVAL) << field;
    EXPECT_STREQ(info.field, field);
  };
  refused([](auto &g) { g.m = -1; }, "m");
  refused([](auto &g) { g.m = 3; }, "M");
  refused([](auto &g) { g.M.cols = 3; }, "M");
  refused([](auto &g) { g.n = -1; }, "n");
  refused([](auto &g) { g.n = 1; }, "H");
  refused([](auto &g) { g.H.cols = 1; }, "H");
  refused([](auto &g) { g.H = g.M, g.H.kind = PERP_DIAGONAL; }, "H");
  refused([](auto &g) { g.H.ld = 1; }, "ld");
  refused([](auto &g) { g.struct_size = 0; }, "struct_size");
  refused([](auto &g) { g.q = nullptr; }, "q");
  refused([](auto &g) { g.b = nullptr; }, "b");
  refused([](auto &g) { g.n_blocks = -1; }, "n_blocks");
  refused([](auto &g) { g.laws = nullptr; }, "laws");
  p->contacts[0]->mu = -1;
  refused([](auto &) {}, "mu");
}

// ---- the residual ----

TEST(GlobalResidual, ASolutionHasNone) {
  const auto p = ball(2, -1, 0.2, 0.5); /* sticks */
  const perp_global_parts parts = judge(p->view(), {0, 0}, {2, -0.4});
  EXPECT_EQ(parts.equilibrium, 0);
  EXPECT_EQ(parts.contact.residual, 0);
  EXPECT_EQ(parts.relative, 0);
  EXPECT_TRUE(perp_global_solved(&parts, 0));
}

TEST(GlobalResidual, PartsAreMeasuredInTheirOwnUnits) {
  const auto p = ball(2, -1, 0.2, 0.5);
  /* the right r, v off by (0, 0.1): u_n = 0.1 with r_n = 2 */
  perp_global_parts parts = judge(p->view(), {0, 0.1}, {2, -0.4});
  EXPECT_NEAR(parts.equilibrium, 0.2, 1e-15);
  EXPECT_EQ(parts.worst_row, 1);
  EXPECT_NEAR(parts.equilibrium_relative, 0.2 / (2 * 0.1 + 2 + 2), 1e-15);
  /* H D⁻¹ Hᵀ = I/2; its norm is sqrt(1/2), and û = (0.1, 0) */
  EXPECT_NEAR(parts.contact.residual, 0.1, 1e-3);
  EXPECT_NEAR(parts.contact.scale, 4.2 / 2, 1e-15);
  EXPECT_EQ(parts.contact.worst_block, 0);
  EXPECT_GT(parts.contact.violation[PERP_SET_CONE], 0);
  /* no reaction: v is free, u_n = -1 */
  parts = judge(p->view(), {0.2, -1}, {0, 0});
  EXPECT_EQ(parts.equilibrium, 0);
  EXPECT_GT(parts.contact.residual, 0.5);
  EXPECT_FALSE(perp_global_solved(&parts, 0.01));
}

// Scaling masses, lengths and times changes residuals with their units and relative ones not.
TEST(GlobalResidual, UnitsDoNotChangeTheRelativeResidual) {
  source s(7);
  for (int t = 0; t < 50; t++) {
    instance p(6, 4);
    fill(&p, &s, 3, 2);
    p.add_friction(2, 0.3);
    p.add_friction(2, 0.7);
    vec v(6), r(4);
    for (double &x : v) x = s.signed_unit();
    for (double &x : r) x = s.signed_unit();
    const perp_global_parts one = judge(p.view(), v, r);
    const double force = 0x1p7, speed = 0x1p-5; /* exact */
    for (double &x : p.M.a) x *= force / speed;
    for (double &x : p.q) x *= force;
    for (double &x : p.b) x *= speed;
    for (double &x : v) x *= speed;
    for (double &x : r) x *= force;
    const perp_global_parts two = judge(p.view(), v, r);
    EXPECT_EQ(two.relative, one.relative);
    EXPECT_EQ(two.equilibrium, force * one.equilibrium);
    EXPECT_NEAR(two.contact.residual, speed * one.contact.residual, 1e-14);
  }
}

// Far enough that squares of H D⁻¹ Hᵀ leave the range of doubles.
TEST(GlobalResidual, UnitsDoNotChangeTheRelativeResidualFarFromOne) {
  const auto p = ball(2, -1, 0.2, 0.5);
  vec v = {0, 0.1}, r = {2, -0.4};
  const perp_global_parts one = judge(p->view(), v, r);
  for (const double mass : {0x1p-600, 0x1p600}) {
    const auto scaled = ball(2, -1, 0.2, 0.5);
    for (double &x : scaled->M.a) x *= mass;
    for (double &x : scaled->q) x *= mass;
    const perp_global_parts two = judge(scaled->view(), v, {mass * r[0], mass * r[1]});
    EXPECT_EQ(two.relative, one.relative);
    EXPECT_NEAR(two.contact.residual, one.contact.residual, 1e-14);
    EXPECT_NEAR(two.contact.hat, one.contact.hat, 1e-14);
  }
}

TEST(GlobalResidual, StorageDoesNotMatter) {
  source s(8);
  instance p(6, 6);
  fill(&p, &s, 3, 3);
  p.add_friction(3, 0.3);
  p.add_friction(3, 0.7);
  vec v(6), r(6);
  for (double &x : v) x = s.signed_unit();
  for (double &x : r) x = s.signed_unit();
  const perp_global_parts one = judge(p.view(), v, r);
  for (const rows_as rows : {rows_as::dense, rows_as::compressed})
    for (const ints &cuts : {ints{}, ints{0, 1, 4, 6}}) {
      const perp_global_parts two = judge(p.view(PERP_BLOCKS, rows, cuts), v, r);
      EXPECT_NEAR(two.relative, one.relative, 1e-14 * one.relative);
      EXPECT_NEAR(two.contact.residual, one.contact.residual, 1e-14);
      EXPECT_NEAR(two.contact.natural_error, one.contact.natural_error, 1e-14);
      EXPECT_NEAR(two.contact.hat, one.contact.hat, 1e-14);
    }
}

TEST(GlobalResidual, NaturalErrorIsThatOfTheLiterature) {
  const auto p = ball(2, -1, 0.2, 0.5);
  const perp_global_parts parts = judge(p->view(), {0, 0.1}, {2, 0});
  /* Mv - q - H'r = (-0.4, 0.2); r - P(r - u) = (0.1, 0) */
  EXPECT_NEAR(parts.contact.natural_error, std::sqrt(0.16 + 0.04 + 0.01) / std::sqrt(0.16 + 4),
              1e-15);
}

TEST(GlobalResidual, NaNAndInfinityAreNeverSolved) {
  for (const double bad : {kNaN, kInf, -kInf})
    for (int where = 0; where < 6; where++) {
      const auto p = ball(2, -1, 0.2, 0.5);
      vec v{0, 0}, r{2, -0.4};
      if (where == 0) p->M(0, 0) = bad;
      if (where == 1) p->H(0, 1) = bad;
      if (where == 2) p->q[1] = bad;
      if (where == 3) p->b[0] = bad;
      if (where == 4) v[0] = bad;
      if (where == 5) r[1] = bad;
      const perp_global_parts parts = judge(p->view(), v, r);
      EXPECT_TRUE(std::isnan(parts.relative)) << where << ' ' << bad;
      EXPECT_TRUE(std::isnan(parts.contact.residual)) << where;
      EXPECT_FALSE(perp_global_solved(&parts, kInf)) << where;
    }
}

// u_1 + u_2 = -2 whatever v is; a huge r hides it from the relative residuals.
TEST(GlobalResidual, ReactionsThatRunAwayDoNotSolve) {
  instance p(2, 2);
  p.M(0, 0) = p.M(1, 1) = 1;
  p.H(0, 0) = p.H(1, 1) = 1;
  p.H(0, 1) = p.H(1, 0) = -1;
  p.b = {-1, -1};
  p.all(&p.orthant.law);
  for (const double size : {1e10, 1e15, 1e20, 1e30})
    for (const double speed : {0.0, 1e10}) {
      const perp_global_parts parts = judge(p.view(), {speed, speed}, {size, size});
      EXPECT_FALSE(perp_global_solved(&parts, 1e-6)) << size << ' ' << speed;
    }
}

TEST(GlobalResidual, WrongArgumentsAreRefused) {
  const auto p = ball(2, -1, 0.2, 0.5);
  const perp_global_problem g = p->view();
  const vec v{0, 0}, r{2, -0.4};
  vec u(2, 999);
  perp_global_parts parts = PERP_GLOBAL_PARTS_INIT;
  std::vector<unsigned char> work(perp_global_residual_workspace(&g));
  const auto call = [&](const perp_global_problem *problem, const double *a, const double *b,
                        double *c, perp_global_parts *d, void *w, std::size_t bytes) {
    return perp_global_residual(problem, a, b, c, d, w, bytes);
  };
  const std::size_t n = work.size();
  EXPECT_EQ(call(nullptr, v.data(), r.data(), u.data(), &parts, work.data(), n), PERP_EINVAL);
  EXPECT_EQ(call(&g, nullptr, r.data(), u.data(), &parts, work.data(), n), PERP_EINVAL);
  EXPECT_EQ(call(&g, v.data(), nullptr, u.data(), &parts, work.data(), n), PERP_EINVAL);
  EXPECT_EQ(call(&g, v.data(), r.data(), nullptr, &parts, work.data(), n), PERP_EINVAL);
  EXPECT_EQ(call(&g, v.data(), r.data(), u.data(), nullptr, work.data(), n), PERP_EINVAL);
  EXPECT_EQ(call(&g, v.data(), r.data(), u.data(), &parts, nullptr, n), PERP_EINVAL);
  EXPECT_EQ(call(&g, v.data(), r.data(), u.data(), &parts, work.data(), n - 1), PERP_EWORKSPACE);
  EXPECT_EQ(u, vec(2, 999));
  EXPECT_EQ(perp_global_residual_workspace(nullptr), 0u);
  EXPECT_EQ(perp_global_solved(nullptr, 1), 0);
}

// ---- the solve ----

TEST(GlobalSolve, ABallSticksSlipsOrTakesOff) {
  const perp_global_options o = with(perp_solver_extragradient(), 1e-12);
  const auto sticks = ball(2, -1, 0.2, 0.5), slips = ball(2, -1, 3, 0.5),
             leaves = ball(2, 1, 3, 0.5);
  answer a = solve(sticks->view(), o);
  ASSERT_EQ(a.status, PERP_OK);
  EXPECT_NEAR(a.r[0], 2, 1e-10);
  EXPECT_NEAR(a.r[1], -0.4, 1e-10);
  EXPECT_NEAR(a.v[0], 0, 1e-10);
  a = solve(slips->view(), o);
  ASSERT_EQ(a.status, PERP_OK);
  EXPECT_NEAR(a.r[0], 2, 1e-10);
  EXPECT_NEAR(a.r[1], -1, 1e-10);
  EXPECT_NEAR(a.u[1], 2.5, 1e-10);
  a = solve(leaves->view(), o);
  ASSERT_EQ(a.status, PERP_OK);
  EXPECT_EQ(a.r, vec({0, 0}));
  EXPECT_EQ(a.v, vec({3, 1}));
}

TEST(GlobalSolve, RandomBodiesWithContact) {
  source s(21);
  for (int t = 0; t < 300; t++) {
    const std::int32_t body = s.integer(1, 6), bodies = s.integer(1, 5);
    instance p(body * bodies, s.integer(1, body * bodies));
    fill(&p, &s, body, 1);
    p.all(&p.orthant.law);
    const std::int32_t kind = s.chance(0.5) ? PERP_DENSE : PERP_BLOCKS;
    const answer a = solve(p.view(kind, s.chance(0.5) ? rows_as::dense : rows_as::compressed),
                           with(perp_solver_lemke()));
    ASSERT_EQ(a.status, PERP_OK) << t;
    EXPECT_LT(violation(p, a.r), 1e-8) << t;
    EXPECT_STREQ(a.info.solver, "lemke");
  }
}

TEST(GlobalSolve, RandomBodiesWithFriction) {
  source s(22);
  for (int t = 0; t < 100; t++) {
    const std::int32_t dim = s.integer(2, 3), body = 6, bodies = s.integer(1, 4);
    const std::int32_t contacts = s.integer(1, bodies * body / dim);
    instance p(body * bodies, dim * contacts);
    fill(&p, &s, body, dim);
    for (std::int32_t c = 0; c < contacts; c++) p.add_friction(dim, s.unit());
    perp_vi_options vi = perp_vi_options_default();
    vi.tol = 1e-9;
    vi.max_iter = 20000;
    perp_global_options o = with(perp_solver_extragradient(), 1e-9);
    o.solver_options = &vi;
    const answer a = solve(p.view(PERP_BLOCKS, rows_as::compressed), o);
    if (a.status == PERP_MAX_ITER) continue; /* a projection method may be slow */
    ASSERT_EQ(a.status, PERP_OK) << t;
    EXPECT_LT(violation(p, a.r), 1e-6) << t;
  }
}

TEST(GlobalSolve, MIsNeitherSymmetricNorDefinite) {
  source s(23);
  for (int t = 0; t < 100; t++) {
    instance p(5, 2);
    fill(&p, &s, 5, 1);
    for (std::int32_t i = 0; i < 5; i++)
      for (std::int32_t j = 0; j < 5; j++) p.M(i, j) = s.signed_unit();
    p.all(&p.free.law); /* joints */
    const answer a = solve(p.view(), with(perp_solver_pgs(), 1e-9));
    if (a.status != PERP_OK) continue; /* W may be anything; the joints of most are solved */
    EXPECT_LT(violation(p, a.r), 1e-5) << t;
  }
  instance saddle(3, 1); /* 0 on the diagonal of M: a body with a constraint inside */
  saddle.M(0, 0) = saddle.M(1, 1) = 1;
  saddle.M(0, 2) = saddle.M(2, 0) = 1;
  saddle.H(0, 1) = 1;
  saddle.q = {1, -2, 0};
  saddle.all(&saddle.orthant.law);
  const answer a = solve(saddle.view(), with(perp_solver_lemke()));
  ASSERT_EQ(a.status, PERP_OK);
  EXPECT_NEAR(a.v[0], 0, 1e-15);
  EXPECT_NEAR(a.v[2], 1, 1e-15);
  EXPECT_NEAR(a.r[0], 2, 1e-15);
}

// A singular M is named by the first velocity of the component that is.
TEST(GlobalSolve, ASingularMIsNamed) {
  instance p(5, 1);
  for (std::int32_t i = 0; i < 5; i++) p.M(i, i) = 1;
  p.M(1, 3) = p.M(3, 1) = 1; /* [[1 1] [1 1]] of velocities 1 and 3 */
  p.H(0, 0) = 1;
  p.all(&p.orthant.law);
  for (const std::int32_t kind : {PERP_DENSE, PERP_BLOCKS}) {
    const answer a = solve(p.view(kind), with(perp_solver_lemke()));
    EXPECT_EQ(a.status, PERP_EINVAL);
    EXPECT_STREQ(a.info.field, "M");
    EXPECT_EQ(a.info.index, 1);
  }
  p.M(1, 3) = p.M(3, 1) = 0;
  p.M(4, 4) = 0;
  answer a = solve(p.view(PERP_DIAGONAL), with(perp_solver_lemke()));
  EXPECT_EQ(a.status, PERP_EINVAL);
  EXPECT_EQ(a.info.index, 4);
  a = solve(p.view(PERP_ZERO), with(perp_solver_lemke()));
  EXPECT_EQ(a.status, PERP_EINVAL);
  EXPECT_EQ(a.info.index, 0);
}

// The last pivot of a singular matrix is rounding, not 0; units of the velocities change nothing.
TEST(GlobalSolve, AnMThatIsSingularUpToRoundingIsNamed) {
  for (const double unit : {1.0, 1e-9, 1e9}) {
    instance p(3, 1);
    for (std::int32_t i = 0; i < 3; i++)
      for (std::int32_t j = 0; j < 3; j++)
        p.M(i, j) = (0.1 + 0.3 * i + 0.1 * j) * (j == 2 ? unit : 1);
    p.H(0, 0) = 1;
    p.all(&p.orthant.law);
    EXPECT_EQ(solve(p.view(), with(perp_solver_lemke())).status, PERP_EINVAL) << unit;
    p.M(2, 2) *= 1 + 1e-9; /* badly conditioned, but regular */
    EXPECT_GE(solve(p.view(), with(perp_solver_lemke())).status, 0) << unit;
  }
}

TEST(GlobalSolve, WhatIsNotFiniteIsNamed) {
  for (const double bad : {kNaN, kInf, -kInf})
    for (int where = 0; where < 4; where++) {
      const auto p = ball(2, -1, 0.2, 0.5);
      if (where == 0) p->M(1, 1) = bad;
      if (where == 1) p->H(0, 1) = bad;
      if (where == 2) p->q[1] = bad;
      if (where == 3) p->b[1] = bad;
      const answer a = solve(p->view(), with(perp_solver_extragradient()));
      const char *const names[] = {"M", "H", "q", "b"};
      EXPECT_EQ(a.status, PERP_ENOTFINITE);
      EXPECT_STREQ(a.info.field, names[where]);
      EXPECT_EQ(a.info.index, where == 1 ? 0 : 1);
    }
}

TEST(GlobalSolve, WithoutContactsTheMotionIsFree) {
  instance p(2, 0);
  p.M(0, 0) = 2;
  p.M(1, 1) = 4;
  p.q = {1, 2};
  answer a = solve(p.view(), with(perp_solver_lemke()));
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_EQ(a.v, vec({0.5, 0.5}));
  instance nothing(0, 0);
  EXPECT_EQ(solve(nothing.view(), with(perp_solver_lemke())).status, PERP_OK);
  instance apart(1, 2); /* H = 0: u = b */
  apart.M(0, 0) = 1;
  apart.b = {1, 2};
  apart.all(&apart.orthant.law);
  a = solve(apart.view(PERP_DENSE, rows_as::zero), with(perp_solver_lemke()));
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_EQ(a.u, apart.b);
  apart.b[1] = -1;
  a = solve(apart.view(PERP_DENSE, rows_as::zero), with(perp_solver_lemke()));
  EXPECT_EQ(a.status, PERP_INFEASIBLE);
}

TEST(GlobalSolve, AnInfeasibleProblemIsNotSolved) {
  instance p(1, 2);
  p.M(0, 0) = 1;
  p.H(0, 0) = 1;
  p.H(1, 0) = -1;
  p.b = {-1, -1}; /* v >= 1 and v <= -1 */
  p.all(&p.orthant.law);
  EXPECT_EQ(solve(p.view(), with(perp_solver_lemke())).status, PERP_INFEASIBLE);
  const answer a = solve(p.view(), with(perp_solver_extragradient()));
  EXPECT_GT(a.status, 0);
}

TEST(GlobalSolve, TheBlockOfMemoryIsExact) {
  source s(24);
  instance p(12, 9);
  fill(&p, &s, 6, 3);
  for (int c = 0; c < 3; c++) p.add_friction(3, 0.4);
  const perp_global_options o = with(perp_solver_fixed_point(), 1e-6);
  const perp_global_problem g = p.view(PERP_BLOCKS, rows_as::compressed);
  for (std::size_t shift = 0; shift < 64; shift += 7) (void)solve(g, o, shift);
  const std::size_t bytes = bytes_for(g, o);
  std::vector<unsigned char> work(bytes);
  vec v(12, 999), r(9, 999), u(9, 999);
  perp_info info = PERP_INFO_INIT;
  for (const std::size_t less : {std::size_t{1}, std::size_t{100}, bytes - 10, bytes})
    EXPECT_EQ(perp_global_solve(&g, &o, v.data(), r.data(), u.data(), nullptr, work.data(),
                                bytes - less, &info),
              PERP_EWORKSPACE);
  EXPECT_STREQ(info.field, "work_bytes");
  EXPECT_EQ(v, vec(12, 999));
  EXPECT_EQ(r, vec(9, 999));
}

TEST(GlobalSolve, WrongArgumentsAreRefused) {
  const auto p = ball(2, -1, 0.2, 0.5);
  const perp_global_problem g = p->view();
  const perp_global_options good = with(perp_solver_extragradient());
  vec v(2, 999), r(2, 999), u(2, 999);
  std::vector<unsigned char> work(bytes_for(g, good));
  perp_info info = PERP_INFO_INIT;
  const auto call = [&](const perp_global_problem *problem, const perp_global_options *o, double *a,
                        double *b, double *c, void *w) {
    return perp_global_solve(problem, o, a, b, c, nullptr, w, work.size(), &info);
  };
  EXPECT_EQ(call(nullptr, &good, v.data(), r.data(), u.data(), work.data()), PERP_EINVAL);
  EXPECT_EQ(call(&g, nullptr, v.data(), r.data(), u.data(), work.data()), PERP_EINVAL);
  EXPECT_STREQ(info.field, "options");
  EXPECT_EQ(call(&g, &good, nullptr, r.data(), u.data(), work.data()), PERP_EINVAL);
  EXPECT_EQ(call(&g, &good, v.data(), nullptr, u.data(), work.data()), PERP_EINVAL);
  EXPECT_EQ(call(&g, &good, v.data(), r.data(), nullptr, work.data()), PERP_EINVAL);
  EXPECT_EQ(call(&g, &good, v.data(), r.data(), r.data() + 1, work.data()), PERP_EINVAL);
  EXPECT_STREQ(info.field, "u");
  EXPECT_EQ(call(&g, &good, v.data(), v.data(), u.data(), work.data()), PERP_EINVAL);
  EXPECT_EQ(call(&g, &good, v.data(), r.data(), u.data(), nullptr), PERP_EINVAL);
  const auto options = [&](auto change, perp_status status, const char *field) {
    perp_global_options o = good;
    change(o);
    EXPECT_EQ(call(&g, &o, v.data(), r.data(), u.data(), work.data()), status) << field;
    EXPECT_STREQ(info.field, field);
  };
  options([](auto &o) { o.solver = nullptr; }, PERP_EINVAL, "solver");
  options([](auto &o) { o.tol = -1; }, PERP_EINVAL, "tol");
  options([](auto &o) { o.tol = kNaN; }, PERP_EINVAL, "tol");
  options([](auto &o) { o.max_iter = -1; }, PERP_EINVAL, "max_iter");
  options([](auto &o) { o.struct_size = 8; }, PERP_EINVAL, "struct_size");
  options([](auto &o) { o.solver = perp_solver_lemke(); }, PERP_EUNSUPPORTED, "laws");
  perp_sparse broken = {};
  options([&](auto &o) { o.sparse = &broken; }, PERP_EINVAL, "sparse");
  perp_vi_options vi = perp_vi_options_default();
  vi.tol = -1;
  options([&](auto &o) { o.solver_options = &vi; }, PERP_EINVAL, "tol");
  vi.struct_size = 3;
  options([&](auto &o) { o.solver_options = &vi; }, PERP_EINVAL, "struct_size");
  EXPECT_EQ(perp_global_scratch(nullptr), 0u);
  EXPECT_EQ(perp_global_workspace(&g, &good, nullptr, 0), 0u);
  EXPECT_EQ(perp_global_workspace(&g, nullptr, work.data(), work.size()), 0u);
  EXPECT_EQ(perp_global_workspace(nullptr, &good, work.data(), work.size()), 0u);
  EXPECT_EQ(perp_global_workspace(&g, &good, work.data(), 5), 0u);
}

TEST(GlobalSolve, LimitsAndObserversReachTheSolver) {
  source s(25);
  instance p(6, 6);
  fill(&p, &s, 6, 1);
  p.all(&p.orthant.law);
  perp_global_options o = with(perp_solver_extragradient(), 1e-14);
  o.max_iter = 1;
  EXPECT_EQ(solve(p.view(), o).status, PERP_MAX_ITER);
  o.max_iter = 0;
  o.observe = [](const perp_iterate *, void *) -> std::int32_t { return 1; };
  EXPECT_EQ(solve(p.view(), o).status, PERP_STOPPED);
}

// ---- the back end ----

namespace {

// A back end that keeps a dense inverse and counts its calls.
struct counted {
  std::int32_t factors = 0, solves = 0, releases = 0;
  perp_status next = PERP_OK, next_solve = PERP_OK;
} counts;

struct kept_rows {
  std::int32_t n;
  ints start, index;
  vec values;
};

perp_status count_factor(std::int32_t n, const std::int32_t *start, const std::int32_t *index,
                         const double *values, void **factor) {
  counts.factors++;
  if (counts.next != PERP_OK) return counts.next;
  *factor = new kept_rows{
      n, {start, start + n + 1}, {index, index + start[n]}, {values, values + start[n]}};
  return PERP_OK;
}

perp_status count_solve(void *factor, double *b) {
  const auto *f = static_cast<const kept_rows *>(factor);
  counts.solves++;
  if (counts.next_solve != PERP_OK) return counts.next_solve;
  dense A(f->n, f->n);
  for (std::int32_t i = 0; i < f->n; i++)
    for (std::int32_t k = f->start[at(i)]; k < f->start[at(i) + 1]; k++)
      A(i, f->index[at(k)]) = f->values[at(k)];
  const wide x = eliminate(A, wide(b, b + f->n));
  for (std::int32_t i = 0; i < f->n; i++) b[i] = static_cast<double>(x[at(i)]);
  return PERP_OK;
}

void count_release(void *factor) {
  counts.releases += factor != nullptr ? 1 : 0;
  delete static_cast<kept_rows *>(factor);
}

const perp_sparse counting = {sizeof(perp_sparse), 0,       "counting", count_factor, count_solve,
                              count_release,       nullptr, nullptr,    nullptr};

// Two chains of masses, of so many each, and a body of three velocities between them.
std::unique_ptr<instance> chains(std::int32_t size) {
  auto p = std::make_unique<instance>(2 * size + 3, 4);
  for (std::int32_t i = 0; i < p->M.rows; i++) p->M(i, i) = 3;
  for (std::int32_t i = 0; i + 1 < p->M.rows; i++) {
    const bool apart = i == size - 1 || i == size + 2;
    if (apart) continue;
    p->M(i, i + 1) = -1;
    p->M(i + 1, i) = -1.25; /* and not symmetric */
  }
  p->H(0, 0) = p->H(1, size - 1) = p->H(2, size + 1) = p->H(3, p->M.rows - 1) = 1;
  p->H(1, size) = p->H(2, size + 5) = -1;
  for (std::size_t i = 0; i < p->q.size(); i++) p->q[i] = std::sin(static_cast<double>(i)) - 0.5;
  p->all(&p->orthant.law);
  return p;
}

}  // namespace

TEST(GlobalSparse, LargeComponentsGoToTheBackEndAndSmallOnesNot) {
  const auto p = chains(110);
  perp_global_options o = with(perp_solver_lemke());
  const answer own = solve(p->view(PERP_BLOCKS, rows_as::compressed), o);
  ASSERT_EQ(own.status, PERP_OK);
  o.sparse = &counting;
  counts = {};
  const answer other = solve(p->view(PERP_BLOCKS, rows_as::compressed), o);
  ASSERT_EQ(other.status, PERP_OK);
  EXPECT_EQ(counts.factors, 2);
  EXPECT_EQ(counts.releases, 2);
  EXPECT_GT(counts.solves, 4);
  EXPECT_LT(other.bytes, own.bytes);
  for (std::size_t i = 0; i < 4; i++) EXPECT_NEAR(other.r[i], own.r[i], 1e-13);
  EXPECT_LT(violation(*p, other.r), 1e-12);
}

TEST(GlobalSparse, ASymmetricBackEndGetsSymmetricComponentsOnly) {
  const auto p = chains(110);
  perp_sparse table = counting;
  table.symmetric = 1;
  perp_global_options o = with(perp_solver_lemke());
  o.sparse = &table;
  counts = {};
  const answer a = solve(p->view(PERP_BLOCKS), o);
  EXPECT_EQ(a.status, PERP_EUNSUPPORTED);
  EXPECT_STREQ(a.info.field, "M");
  EXPECT_EQ(counts.factors, 0);
  for (std::int32_t i = 0; i + 1 < p->M.rows; i++) p->M(i + 1, i) = p->M(i, i + 1);
  EXPECT_EQ(solve(p->view(PERP_BLOCKS), o).status, PERP_OK);
  EXPECT_EQ(counts.factors, 2);
}

TEST(GlobalSparse, ABackEndThatFailsIsReleased) {
  const auto p = chains(110);
  perp_global_options o = with(perp_solver_lemke());
  o.sparse = &counting;
  for (const perp_status bad : {PERP_EBACKEND, PERP_EINVAL}) {
    counts = {};
    counts.next = bad;
    const answer a = solve(p->view(PERP_BLOCKS), o);
    EXPECT_EQ(a.status, bad);
    EXPECT_STREQ(a.info.field, "M");
    EXPECT_EQ(a.info.index, 0);
    EXPECT_EQ(counts.releases, 0);
    counts = {};
    counts.next_solve = PERP_EBACKEND;
    EXPECT_EQ(solve(p->view(PERP_BLOCKS), o).status, PERP_EBACKEND);
    EXPECT_EQ(counts.releases, 2);
  }
}

// ---- W itself ----

TEST(GlobalCondense, BlocksStandWhereContactsShareABody) {
  source s(41);
  for (int t = 0; t < 60; t++) {
    const std::int32_t dim = s.integer(1, 3), body = s.integer(1, 4), bodies = s.integer(3, 12);
    instance p(body * bodies, dim * s.integer(1, 10));
    fill(&p, &s, body, dim);
    if (s.chance(0.3)) p.M(0, body * bodies - 1) += 0.25; /* not symmetric, and joins two bodies */
    for (std::int32_t c = 0; c < p.H.rows; c += dim) {
      if (dim == 1)
        p.add(&p.orthant.law);
      else
        p.add_friction(dim, 0.5);
    }
    const perp_global_problem g = p.view(PERP_BLOCKS, rows_as::compressed);
    std::vector<unsigned char> scratch(perp_global_scratch(&g));
    const std::size_t bytes =
        perp_global_condense_workspace(&g, nullptr, scratch.data(), scratch.size());
    std::vector<unsigned char> work(bytes + 1);
    perp_problem local = PERP_PROBLEM_INIT;
    EXPECT_EQ(perp_global_condense(&g, nullptr, &local, work.data(), bytes - 1, nullptr),
              PERP_EWORKSPACE);
    ASSERT_EQ(perp_global_condense(&g, nullptr, &local, work.data() + 1, bytes, nullptr), PERP_OK);
    ASSERT_EQ(perp_problem_check(&local, nullptr), PERP_OK);
    for (std::int32_t j = 0; j < g.n; j++) {
      wide h(at(g.m));
      for (std::int32_t k = 0; k < g.m; k++) h[at(k)] = p.H(j, k);
      const wide x = eliminate(p.M, h);
      for (std::int32_t i = 0; i < g.n; i++) {
        long double w = 0;
        for (std::int32_t k = 0; k < g.m; k++) w += p.H(i, k) * x[at(k)];
        EXPECT_NEAR(perp_matrix_entry(&local.M, i, j), static_cast<double>(w), 1e-12) << t;
      }
    }
  }
}

TEST(GlobalCondense, ASymmetricBackEndAndAnotherMatrixGiveNoW) {
  const auto p = chains(110);
  perp_sparse table = counting;
  table.symmetric = 1;
  for (const bool symmetric : {false, true}) {
    for (std::int32_t i = 0; symmetric && i + 1 < p->M.rows; i++) p->M(i + 1, i) = p->M(i, i + 1);
    const perp_global_problem g = p->view(PERP_BLOCKS);
    std::vector<unsigned char> scratch(perp_global_scratch(&g));
    std::vector<unsigned char> work(
        perp_global_condense_workspace(&g, &table, scratch.data(), scratch.size()));
    perp_problem local = PERP_PROBLEM_INIT;
    perp_info info = PERP_INFO_INIT;
    counts = {};
    EXPECT_EQ(perp_global_condense(&g, &table, &local, work.data(), work.size(), &info),
              symmetric ? PERP_OK : PERP_EUNSUPPORTED);
    EXPECT_STREQ(info.field, symmetric ? nullptr : "M");
    EXPECT_EQ(counts.factors, symmetric ? 2 : 0);
  }
}

TEST(GlobalCondense, WrongArgumentsAreRefused) {
  const auto p = ball(2, -1, 0.2, 0.5);
  const perp_global_problem g = p->view();
  std::vector<unsigned char> work(10000);
  perp_problem local = PERP_PROBLEM_INIT;
  EXPECT_EQ(perp_global_condense(nullptr, nullptr, &local, work.data(), work.size(), nullptr),
            PERP_EINVAL);
  EXPECT_EQ(perp_global_condense(&g, nullptr, nullptr, work.data(), work.size(), nullptr),
            PERP_EINVAL);
  EXPECT_EQ(perp_global_condense(&g, nullptr, &local, nullptr, work.size(), nullptr), PERP_EINVAL);
  const perp_sparse broken = {};
  EXPECT_EQ(perp_global_condense(&g, &broken, &local, work.data(), work.size(), nullptr),
            PERP_EINVAL);
  EXPECT_EQ(perp_global_condense_workspace(&g, nullptr, nullptr, 0), 0u);
  EXPECT_EQ(perp_global_condense_workspace(nullptr, nullptr, work.data(), work.size()), 0u);
  EXPECT_EQ(perp_global_condense_workspace(&g, &broken, work.data(), work.size()), 0u);
  p->M(0, 0) = kNaN;
  const perp_global_problem bad = p->view();
  EXPECT_EQ(perp_global_condense(&bad, nullptr, &local, work.data(), work.size(), nullptr),
            PERP_ENOTFINITE);
}

// ---- which form ----

// One long chain with a contact at every third mass: W is full. Masses apart: it is diagonal.
TEST(GlobalForm, AFullWThatIsLargeIsNotFormed) {
  for (const std::int32_t n : {50, 1000, 5000})
    for (const bool tied : {false, true}) {
      const std::int32_t m = 3 * n;
      ints start{0}, index, h_start{0}, h_index;
      for (std::int32_t i = 0; i < m; i++) {
        for (std::int32_t j = i - 1; j <= i + 1; j++)
          if (j == i || (tied && j >= 0 && j < m)) index.push_back(j);
        start.push_back(static_cast<std::int32_t>(index.size()));
      }
      for (std::int32_t k = 0; k < n; k++) {
        h_index.push_back(3 * k);
        h_start.push_back(k + 1);
      }
      const vec values(index.size(), 1), ones(at(m), 1);
      perp_complementarity law;
      perp_complementarity_init(&law, sizeof law);
      const perp_law *laws[1] = {&law.law};
      const std::int32_t offset[2] = {0, n};
      perp_global_problem g = PERP_GLOBAL_PROBLEM_INIT;
      g.M = perp_compressed_rows(m, start.data(), index.data(), values.data());
      g.H = perp_sparse_rows(n, m, h_start.data(), h_index.data(), ones.data());
      g.q = g.b = ones.data();
      g.m = m;
      g.n = n;
      g.n_blocks = 1;
      g.laws = laws;
      g.offset = offset;
      std::vector<unsigned char> scratch(perp_global_scratch(&g));
      EXPECT_EQ(perp_global_form(&g, scratch.data(), scratch.size()),
                tied && n > 50 ? PERP_GLOBAL_FULL : PERP_GLOBAL_CONDENSED);
      EXPECT_EQ(perp_global_form(&g, scratch.data(), scratch.size() - 1), 0);
      EXPECT_EQ(perp_global_form(&g, nullptr, scratch.size()), 0);
    }
  EXPECT_EQ(perp_global_form(nullptr, nullptr, 0), 0);
}
