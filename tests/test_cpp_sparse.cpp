// SPDX-License-Identifier: MIT
// Sparse matrices in the descriptions of the façade.
#include <gtest/gtest.h>

#include <cmath>

#include "perp/perp.hpp"

namespace {

using entries = std::vector<perp::sparse_matrix::entry>;

// A chain of n masses from 1 kg on, springs of 100 N/m between them.
perp::sparse_matrix stiffness(std::int32_t n) {
  entries e;
  for (std::int32_t i = 1; i < n; i++)
    for (const auto &[a, b, k] : {std::tuple{i, i, 100.0}, std::tuple{i - 1, i - 1, 100.0},
                                  std::tuple{i, i - 1, -100.0}, std::tuple{i - 1, i, -100.0}})
      e.push_back({a, b, k});
  return {n, n, e};
}

perp::array full(const perp::sparse_matrix &A) {
  const perp_matrix view = A.get();
  std::vector<double> values;
  for (std::int32_t j = 0; j < A.columns(); j++)
    for (std::int32_t i = 0; i < A.rows(); i++) values.push_back(perp_matrix_entry(&view, i, j));
  return perp::array(values);
}

perp::lagrangian_linear chain(std::int32_t n, bool sparse) {
  perp::lagrangian_linear s(n, std::vector<double>(static_cast<std::size_t>(n), 1.0));
  if (sparse)
    s.K = stiffness(n);
  else
    s.K = full(stiffness(n));
  return s;
}

TEST(CppSparse, EntriesOfOnePlaceAreAdded) {
  const perp::sparse_matrix A(2, 3, {{1, 2, 4.0}, {0, 1, 1.0}, {1, 0, 2.0}, {1, 2, 0.5}});
  EXPECT_EQ(A.entries(), 3U);
  const perp_matrix view = A.get();
  EXPECT_EQ(perp_matrix_check(&view, nullptr), PERP_OK);
  EXPECT_EQ(perp_matrix_entry(&view, 0, 1), 1.0);
  EXPECT_EQ(perp_matrix_entry(&view, 1, 0), 2.0);
  EXPECT_EQ(perp_matrix_entry(&view, 1, 2), 4.5);
  EXPECT_EQ(perp_matrix_entry(&view, 0, 0), 0.0);
  const perp::sparse_matrix same(2, 3, {0, 1, 3}, {1, 0, 2}, {1.0, 2.0, 4.5});
  const perp_matrix other = same.get();
  for (std::int32_t i = 0; i < 2; i++)
    for (std::int32_t j = 0; j < 3; j++)
      EXPECT_EQ(perp_matrix_entry(&view, i, j), perp_matrix_entry(&other, i, j));
}

TEST(CppSparse, WhatDoesNotFitThrows) {
  EXPECT_THROW(perp::sparse_matrix(2, 2, {{2, 0, 1.0}}), perp::error);
  EXPECT_THROW(perp::sparse_matrix(2, 2, {{0, -1, 1.0}}), perp::error);
  EXPECT_THROW(perp::sparse_matrix(-1, 2, entries{}), perp::error);
  EXPECT_THROW(perp::sparse_matrix(2, 2, {0, 1}, {0}, {1.0}), perp::error);
  EXPECT_THROW(perp::sparse_matrix(1, 2, {0, 2}, {0}, {1.0}), perp::error);
  EXPECT_THROW(perp::sparse_matrix(1, 2, {0, 2}, {1, 1}, {1.0, 2.0}), perp::error);
  EXPECT_THROW(perp::sparse_matrix(1, 2, {0, 1}, {2}, {1.0}), perp::error);
  perp::model m;
  perp::lagrangian_linear s(3, {1, 1, 1});
  s.K = stiffness(4);
  EXPECT_THROW(m.add(s), perp::error);
  s.K = stiffness(3);
  const auto id = m.add(s);
  const perp::sparse_matrix row(1, 2, {{0, 0, 1.0}});
  EXPECT_THROW(m.connect(perp::lagrangian_linear_relation(row), perp::newton_impact(0), id),
               perp::error);
}

perp::model bouncing(bool sparse) {
  perp::model m;
  perp::lagrangian_linear s = chain(6, sparse);
  s.f = std::vector<double>(6, -9.81);
  const auto a = m.add(s, std::vector<double>(6, 0.1));
  const auto b = m.add(s, std::vector<double>(6, 0.2));  // the same description
  if (sparse) {
    const perp::sparse_matrix foot(1, 6, {{0, 0, 1.0}});
    m.connect(perp::lagrangian_linear_relation(foot), perp::newton_impact(0.5), a);
    m.connect(perp::lagrangian_linear_relation(foot), perp::newton_impact(0.5), b);
  } else {
    const perp::lagrangian_linear_relation foot({1, 0, 0, 0, 0, 0});
    m.connect(foot, perp::newton_impact(0.5), a);
    m.connect(foot, perp::newton_impact(0.5), b);
  }
  return m;
}

TEST(CppSparse, MovesAsTheDenseSystem) {
  const perp::model models[] = {bouncing(true), bouncing(false)};
  EXPECT_EQ(models[0].descriptions(), models[1].descriptions());
  perp::simulation sparse(models[0], 1e-3, 500), dense(models[1], 1e-3, 500);
  for (int k = 0; k < 500; k++) {
    ASSERT_EQ(sparse.step(), PERP_OK);
    ASSERT_EQ(dense.step(), PERP_OK);
    for (std::int32_t s = 0; s < 2; s++)
      for (std::size_t i = 0; i < 6; i++)
        ASSERT_NEAR(sparse.q(perp::system_id{s})[i], dense.q(perp::system_id{s})[i], 1e-9);
  }
  EXPECT_GT(sparse.report().impacts, 0U);
  EXPECT_NEAR(sparse.energy().total(), dense.energy().total(), 1e-8);
}

TEST(CppSparse, SimulationsAreMovedAndRestored) {
  const perp::model m = bouncing(true);
  perp::simulation one(m, 1e-3), two(m, 2e-3);
  for (int k = 0; k < 300; k++) ASSERT_EQ(one.step(), PERP_OK);
  const perp::checkpoint saved = one.checkpoint();
  for (int k = 0; k < 50; k++) ASSERT_EQ(one.step(), PERP_OK);
  const perp::checkpoint end = one.checkpoint();
  one.restore(saved);
  two = std::move(one);
  perp::simulation three(std::move(two));
  for (int k = 0; k < 50; k++) ASSERT_EQ(three.step(), PERP_OK);
  EXPECT_EQ(three.checkpoint(), end);
}

TEST(CppSparse, MatricesThatLdlRefusesGoToKlu) {
  perp::model m;
  perp::first_order_linear turn(2);
  turn.A = perp::sparse_matrix(2, 2, {{0, 1, 1.0}, {1, 0, -1.0}});  // a rotation
  const auto id = m.add(turn, {1.0, 0.0});
  perp::simulation s(m, 1e-3, 1000);
  ASSERT_EQ(s.run(), PERP_END);
  EXPECT_NEAR(s.x(id)[0], std::cos(1.0), 1e-6);
  EXPECT_NEAR(s.x(id)[1], -std::sin(1.0), 1e-6);
  perp::simulation_options named;
  named.h = 1e-3;
  named.sparse = perp_sparse_ldl();
  EXPECT_THROW(perp::simulation(m, named), perp::error);
}

}  // namespace
