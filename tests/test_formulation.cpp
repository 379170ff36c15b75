// SPDX-License-Identifier: MIT
// One-step problems in global form: the trajectories are those of the reduced form, and the
// form that is chosen is the one that suits.
#include <gtest/gtest.h>
#include <perp/heap.h>
#include <perp/sweeps.h>

#include <cmath>
#include <map>

#include "model_tools.hpp"

namespace {

using tools::at;
using tools::count;
using tools::ids;
using tools::run;
using tools::vec;
using tools::world;

enum storage { kDiagonal, kDense, kSparse };

// Values by place, and what a model wants of them.
struct entries {
  std::vector<std::map<std::int32_t, double>> rows;
  std::int32_t cols;
  entries(std::int32_t m, std::int32_t n) : rows(at(m)), cols(n) {}
  void add(std::int32_t i, std::int32_t j, double x) { rows[at(i)][j] += x; }
  perp_matrix sparse(world &w) const {
    vec values;
    ids start{0}, index;
    for (const auto &row : rows) {
      for (const auto &[j, x] : row) index.push_back(j), values.push_back(x);
      start.push_back(count(index.size()));
    }
    const std::int32_t *starts = w.joined.emplace_back(start).data();
    return perp_sparse_rows(count(rows.size()), cols, starts, w.joined.emplace_back(index).data(),
                            w.keep(values));
  }
  perp_matrix dense(world &w) const {
    vec full(rows.size() * at(cols), 0.0);
    for (std::size_t i = 0; i < rows.size(); i++)
      for (const auto &[j, x] : rows[i]) full[i + rows.size() * at(j)] = x;
    return perp_dense(count(rows.size()), cols, w.keep(full));
  }
};

// A block of nx x ny nodes with dim directions each and springs between neighbours, that falls and
// slides on the floor with the first `contacts` nodes of its lowest row.
void make_block(world &w, std::int32_t nx, std::int32_t ny, std::int32_t dim, std::int32_t contacts,
                storage way) {
  const std::int32_t n = nx * ny * dim;
  perp_lagrangian_linear &block = w.body(vec(at(n), 0.02));
  entries K(n, n);
  const auto spring = [&](std::int32_t a, std::int32_t b) {
    for (std::int32_t d = 0; d < dim; d++) {
      const std::int32_t i = a * dim + d, j = b * dim + d;
      K.add(i, i, 40), K.add(j, j, 40), K.add(i, j, -40), K.add(j, i, -40);
      const std::int32_t l = b * dim + (d + 1) % dim;  // shear between the directions
      K.add(i, i, 5), K.add(l, l, 5), K.add(i, l, -5), K.add(l, i, -5);
    }
  };
  for (std::int32_t y = 0; y < ny; y++)
    for (std::int32_t x = 0; x < nx; x++) {
      if (x + 1 < nx) spring(y * nx + x, y * nx + x + 1);
      if (y + 1 < ny) spring(y * nx + x, (y + 1) * nx + x);
    }
  if (way != kDiagonal) block.K = way == kSparse ? K.sparse(w) : K.dense(w);
  vec force(at(n), 0.0), v(at(n), 0.0);
  for (std::int32_t i = 0; i < n; i++) {
    force[at(i)] = i % dim == 0 ? -0.02 * 9.81 : 0;
    v[at(i)] = i % dim == 0 ? -0.3 : 0.5 + 0.01 * (i % 7);
  }
  block.f = w.keep(force);
  w.v0.insert(w.v0.end(), v.begin(), v.end());
  w.q0.resize(w.v0.size(), 0.0);
  const std::int32_t me = w.add(block.system);
  const perp_law *law = w.friction(dim, 0.3);
  for (std::int32_t c = 0; c < contacts; c++) {
    entries H(dim, n);
    for (std::int32_t d = 0; d < dim; d++) H.add(d, c * dim + d, 1);
    perp_lagrangian_linear_relation &r = w.contact(dim, n, {});
    r.H = nullptr;
    if (way == kSparse)
      r.H_rows = H.sparse(w);
    else
      r.H = H.dense(w).values;
    w.join(r.relation, law, {me});
  }
  w.options.h = 2e-3;
  w.options.solver = perp_solver_nsgs();
  w.options.sparse = perp_sparse_ldl();
}

void in_form(world &w, std::int32_t formulation) {
  w.options.formulation = formulation;
  w.options.global = perp_global_step();
}

void expect_same(void (*make)(world &, int), int which) {
  world a, b;
  make(a, which), make(b, which);
  in_form(b, PERP_FORMULATION_GLOBAL);
  run reduced(a), global(b);
  ASSERT_EQ(reduced.status, PERP_OK);
  ASSERT_EQ(global.status, PERP_OK) << (global.info.field ? global.info.field : "");
  for (int k = 0; k < 40; k++) {
    ASSERT_EQ(reduced.step(), PERP_OK) << k;
    ASSERT_EQ(global.step(), PERP_OK)
        << k << " " << global.info.relative_residual << " " << global.info.iterations;
    for (std::int32_t s = 0; s < b.model.n_systems; s++)
      for (std::int32_t i = 0; i < b.system_list[at(s)]->n; i++)
        ASSERT_NEAR(global.v(s, at(i)), reduced.v(s, at(i)), 1e-5) << k << " " << s << " " << i;
  }
  EXPECT_GT(global.report().max_active, 0);
}

TEST(Formulation, StepsAreThoseOfTheReducedForm) {
  for (int which = 0; which < 6; which++) {
    SCOPED_TRACE(which);
    expect_same([](world &w, int k) { make_block(w, 4, 3, 2 + k % 2, 4, storage(k / 2)); }, which);
    if (HasFailure()) return;
  }
}

// Two blocks of different storage, glued together at one node.
void make_pair(world &w, int k) {
  make_block(w, 4, 3, 2, 4, storage(k % 3));
  make_block(w, 3, 2, 2, 3, storage((k + 1) % 3));
  entries H(2, 36);
  for (std::int32_t d = 0; d < 2; d++) H.add(d, 22 + d, 1), H.add(d, 24 + 10 + d, -1);
  perp_lagrangian_linear_relation &glue = w.contact(2, 36, {});
  glue.H = H.dense(w).values;
  w.join(glue.relation, w.equality(2), {0, 1});
}

TEST(Formulation, JointsBetweenSystemsOfAllStoragesHoldInIt) {
  for (int which = 0; which < 3; which++) {
    SCOPED_TRACE(which);
    expect_same(make_pair, which);
  }
}

TEST(Formulation, AutoTakesTheGlobalFormForManyContactsOnly) {
  for (const std::int32_t contacts : {1, 200}) {
    world a, b;
    make_block(a, 200, 25, 2, contacts, kSparse);
    make_block(b, 200, 25, 2, contacts, kSparse);
    in_form(a, PERP_FORMULATION_AUTO);
    in_form(b, contacts == 1 ? PERP_FORMULATION_REDUCED : PERP_FORMULATION_GLOBAL);
    run x(a), y(b);
    ASSERT_EQ(x.status, PERP_OK);
    ASSERT_EQ(x.steps(3), PERP_OK) << contacts << " " << x.info.relative_residual << " "
                                   << x.info.iterations << " " << x.time();
    ASSERT_EQ(y.steps(3), PERP_OK) << (y.info.field ? y.info.field : "");
    EXPECT_EQ(x.report().solver_iterations, y.report().solver_iterations) << contacts;
    for (std::size_t i = 0; i < 10000; i++) ASSERT_NEAR(x.v(0, i), y.v(0, i), 1e-7);
  }
}

TEST(Formulation, AResumedRunRepeatsTheBits) {
  for (const std::int32_t form : {PERP_FORMULATION_GLOBAL, PERP_FORMULATION_AUTO}) {
    world w;
    make_block(w, 12, 10, 2, 6, kSparse);
    in_form(w, form);
    run whole(w);
    ASSERT_EQ(whole.steps(9), PERP_OK);
    const auto middle = whole.bytes();
    ASSERT_EQ(whole.steps(9), PERP_OK);
    run again(w.model, w.options, 0, middle.data());
    ASSERT_EQ(again.steps(9), PERP_OK);
    EXPECT_EQ(whole.bytes(), again.bytes());
  }
}

// One contact, which its law could solve as well: it is the global form's in every step.
TEST(Formulation, ASingleContactIsSolvedGloballyInEveryStep) {
  world w;
  make_block(w, 4, 3, 2, 1, kDiagonal);
  in_form(w, PERP_FORMULATION_GLOBAL);
  run whole(w);
  for (int k = 0; k < 60; k++) {
    const auto before = whole.bytes();
    ASSERT_EQ(whole.step(), PERP_OK);
    run again(w.model, w.options, 0, before.data());
    ASSERT_EQ(again.step(), PERP_OK);
    ASSERT_EQ(whole.bytes(), again.bytes()) << k;
    ASSERT_EQ(whole.info.iterations, again.info.iterations) << k;
  }
  EXPECT_GT(whole.report().solver_iterations, 0u);
}

TEST(Formulation, AModelWithoutContactsHasIt) {
  world w;
  w.add(w.body(vec{1}).system);
  w.q0 = w.v0 = {1};
  in_form(w, PERP_FORMULATION_GLOBAL);
  run r(w);
  EXPECT_EQ(r.steps(3), PERP_OK);
}

TEST(Formulation, AFailedSolveLeavesTheState) {
  static perp_step_solver broken;
  broken = *perp_global_step();
  broken.solve = [](void **, const perp_global_problem *, const perp_solver_options *,
                    const perp_sparse *, double *, double *r, double *,
                    perp_info *) -> perp_status {
    r[0] = 1e9;  // a lie that the verification sees
    return PERP_OK;
  };
  world w;
  make_block(w, 4, 3, 2, 4, kSparse);
  in_form(w, PERP_FORMULATION_GLOBAL);
  w.options.global = &broken;
  run r(w);
  const auto before = r.bytes();
  EXPECT_EQ(r.step(), PERP_INACCURATE);
  EXPECT_EQ(before, r.bytes());
}

TEST(Formulation, WhatCannotBeGlobalIsRefusedAndAutoTakesTheReducedForm) {
  world w;
  tools::make_ball(w, 1, 9.81, 0, -1, 0.5);
  w.contacts.back().D = w.keep({0.1});
  in_form(w, PERP_FORMULATION_GLOBAL);
  run refused(w);
  EXPECT_EQ(refused.status, PERP_EUNSUPPORTED);
  EXPECT_STREQ(refused.info.field, "interactions");
  w.options.formulation = PERP_FORMULATION_AUTO;
  run reduced(w);
  EXPECT_EQ(reduced.steps(3), PERP_OK);
  w.options.global = nullptr;
  EXPECT_EQ(run(w).status, PERP_EINVAL);
  for (const std::int32_t bad : {-1, 3}) {
    w.options.formulation = bad;
    EXPECT_EQ(run(w).status, PERP_EINVAL);
  }
}

}  // namespace
