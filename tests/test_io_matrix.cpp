// SPDX-License-Identifier: MIT
// Storages of a matrix are ways to say the same numbers.
#include <gtest/gtest.h>

#include "io_tools.hpp"

namespace {

using namespace tools;

matrix sample(std::int32_t rows, std::int32_t cols) {
  matrix A = hard_matrix(rows, cols);
  for (std::size_t k = 0; k < A.values.size(); k += 2) A.values[k] = 0;
  return A;
}

TEST(IoMatrix, EveryStorageHoldsTheSameEntries) {
  for (const auto &[rows, cols] :
       {std::pair{6, 6}, std::pair{4, 7}, std::pair{1, 1}, std::pair{5, 2}}) {
    const matrix A = sample(rows, cols);
    const matrix S = to_sparse(A), B = to_blocks(S, {0, rows}, {0, 1, cols == 1 ? 1 : cols});
    EXPECT_TRUE(same(A, S));
    EXPECT_EQ(to_dense(S).values, A.values);
    if (cols == 1) continue;
    EXPECT_TRUE(same(A, B));
    EXPECT_EQ(to_dense(B).values, A.values);
    EXPECT_EQ(to_sparse(B).index, S.index);
  }
}

TEST(IoMatrix, TheViewHasTheEntriesOfTheMatrix) {
  const matrix A = sample(7, 7);
  for (const matrix &M : {A, to_sparse(A), to_blocks(A, {0, 2, 3, 7}, {0, 2, 3, 7})}) {
    const perp_matrix view = M.view();
    ASSERT_EQ(perp_matrix_check(&view, nullptr), PERP_OK);
    for (std::int32_t i = 0; i < 7; i++)
      for (std::int32_t j = 0; j < 7; j++)
        EXPECT_EQ(perp_matrix_entry(&view, i, j), A.values[at(i + 7 * j)]) << i << ' ' << j;
  }
}

TEST(IoMatrix, OnlySquareBlocksHaveAView) {
  EXPECT_FALSE(to_blocks(sample(2, 3), {0, 2}, {0, 3}).has_view());
  EXPECT_FALSE(to_blocks(sample(4, 4), {0, 1, 4}, {0, 2, 4}).has_view());
  EXPECT_THROW((void)to_blocks(sample(2, 3), {0, 2}, {0, 3}).view(), std::logic_error);
  EXPECT_TRUE(sample(2, 3).has_view());
  const matrix S = to_sparse(sample(2, 3));
  const perp_matrix view = S.view();
  EXPECT_EQ(perp_matrix_check(&view, nullptr), PERP_OK);
  for (std::int32_t i = 0; i < 2; i++)
    for (std::int32_t j = 0; j < 3; j++)
      EXPECT_EQ(perp_matrix_entry(&view, i, j), sample(2, 3).values[at(i + 2 * j)]);
}

TEST(IoMatrix, EntriesOfOnePlaceAddUpAndColumnsAscend) {
  const matrix A = compressed_rows(2, 3, {{1, 2, 1}, {0, 1, 5}, {1, 0, 2}, {1, 2, 0.5}});
  EXPECT_EQ(A.start, (ints{0, 1, 3}));
  EXPECT_EQ(A.index, (ints{1, 0, 2}));
  EXPECT_EQ(A.values, (reals{5, 2, 1.5}));
}

TEST(IoMatrix, BlocksOfZerosAreNotStored) {
  matrix A = dense(4, 4, reals(16));
  A.values[0] = 1;
  A.values[15] = 2;
  EXPECT_EQ(to_blocks(A, {0, 2, 4}, {0, 2, 4}).index, (ints{0, 1}));
  EXPECT_EQ(to_sparse(A).stored(), 2u);
}

TEST(IoMatrix, NothingIsAMatrixToo) {
  const matrix none = dense(0, 0, {});
  EXPECT_EQ(to_sparse(none).start, ints{0});
  EXPECT_EQ(to_blocks(none, {0}, {0}).stored(), 0u);
  EXPECT_EQ(to_dense(to_sparse(none)).stored(), 0u);
}

TEST(IoProblem, StoringInAnotherWayKeepsTheProblem) {
  for (const any_problem &p : one_of_each()) {
    for (const storage kind : {storage::dense, storage::blocks, storage::sparse}) {
      any_problem copy = p;
      store(&copy, kind, 2);
      EXPECT_EQ(matrix_of(copy).kind, kind);
      EXPECT_TRUE(same(copy, p)) << class_name(p);
    }
  }
}

TEST(IoProblem, BlocksOfContactsAreCutAtTheContacts) {
  any_problem p = friction{3, hard_matrix(6, 6), hards(6), {0, 0}, {}};
  store(&p, storage::blocks);
  EXPECT_EQ(matrix_of(p).row_cuts, (ints{0, 3, 6}));
  p = mlcp{hard_matrix(6, 6), hards(6), {0, 1, 6}, {false, true}};
  store(&p, storage::blocks, 3);
  EXPECT_EQ(matrix_of(p).row_cuts, (ints{0, 1, 4, 6}));
}

TEST(IoProblem, WhatHasALawHasAProblemAndOthersAName) {
  for (const any_problem &p : one_of_each()) {
    EXPECT_TRUE(is_class(class_name(p)));
    if (!std::holds_alternative<mixed>(p)) {
      const perp::problem held = view(p);
      const perp_problem v = held.get();
      EXPECT_EQ(perp_problem_check(&v, nullptr), PERP_OK) << class_name(p);
      EXPECT_EQ(at(v.n), unknowns(p));
    } else {
      EXPECT_THROW((void)view(p), no_law) << class_name(p);
    }
  }
  EXPECT_FALSE(is_class("lcp2"));
  EXPECT_FALSE(is_class(""));
}

// Equations beside contacts are rows of one matrix, behind those of the contacts.
TEST(IoProblem, EquationsBesideContactsJoinTheMatrix) {
  const matrix W = hard_matrix(4, 4), V = hard_matrix(4, 3), R = hard_matrix(3, 3);
  for (const storage kind : {storage::dense, storage::blocks, storage::sparse}) {
    any_problem p = friction{2, W, hards(4), {0.1, 0.2}, local_equations{V, R, hards(3, 1)}};
    store(&p, kind);
    const perp::problem held = view(p);
    const perp_problem v = held.get();
    ASSERT_EQ(perp_problem_check(&v, nullptr), PERP_OK);
    ASSERT_EQ(v.n, 7);
    ASSERT_EQ(v.n_blocks, 3);
    EXPECT_EQ(v.laws[1]->ops->set, PERP_SET_CONE);
    EXPECT_EQ(v.laws[2]->ops->set, PERP_SET_FREE);
    EXPECT_EQ(unknowns(p), 7u);
    for (std::int32_t i = 0; i < 7; i++) {
      EXPECT_EQ(v.q[i], i < 4 ? hards(4)[at(i)] : hards(3, 1)[at(i - 4)]);
      for (std::int32_t j = 0; j < 7; j++) {
        const double expected = i < 4 && j < 4 ? W.values[at(i + 4 * j)]
                                : i < 4        ? V.values[at(i + 4 * (j - 4))]
                                : j < 4        ? V.values[at(j + 4 * (i - 4))]
                                               : R.values[at(i - 4 + 3 * (j - 4))];
        EXPECT_EQ(perp_matrix_entry(&v.M, i, j), expected) << i << ' ' << j;
      }
    }
  }
}

TEST(IoProblem, AGlobalProblemHasItsReactionsInRows) {
  const matrix M = hard_matrix(5, 5), H = hard_matrix(5, 4), G = hard_matrix(5, 2);
  const any_problem any =
      global_friction{2, M, H, hards(5), hards(4), {0.1, 0.2}, global_equations{G, hards(2, 1)}};
  const perp::global_problem held = view_global(std::get<global_friction>(any));
  const perp_global_problem p = held.get();
  ASSERT_EQ(perp_global_check(&p, nullptr), PERP_OK);
  EXPECT_EQ(p.m, 5);
  ASSERT_EQ(p.n, 6);
  EXPECT_EQ(p.n_blocks, 3);
  EXPECT_EQ(p.laws[2]->ops->set, PERP_SET_FREE);
  for (std::int32_t i = 0; i < 6; i++) {
    EXPECT_EQ(p.b[i], i < 4 ? hards(4)[at(i)] : hards(2, 1)[at(i - 4)]);
    for (std::int32_t j = 0; j < 5; j++)
      EXPECT_EQ(perp_matrix_entry(&p.H, i, j),
                i < 4 ? H.values[at(j + 5 * i)] : G.values[at(j + 5 * (i - 4))]);
  }
  const perp::problem condensed = view(any);
  EXPECT_EQ(condensed.size(), unknowns(any));
}

TEST(IoProblem, AMixedProblemOfIntervalLawsCanBeSolved) {
  mixed p{to_blocks(dense(2, 2, {1, 0, 0, 1}), {0, 1, 2}, {0, 1, 2}),
          {-1, 2},
          {0, 1, 2},
          {0, 2},
          {0, 0}};
  const any_problem any = p;
  EXPECT_EQ(view(any).get().n_blocks, 2);
}

TEST(IoProblem, AContactOfAMixedProblemIsOneLawOfThreeRows) {
  matrix M = to_blocks(dense(4, 4, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}), {0, 1, 4},
                       {0, 1, 4});
  const any_problem any = mixed{M, {-2, -1, 0.2, 0}, {0, 1, 4}, {2, 4}, {0, 0.5}};
  const perp::problem p = view(any);
  const perp_problem c = p.get();
  EXPECT_EQ(perp_problem_check(&c, nullptr), PERP_OK);
  EXPECT_EQ(c.offset[1], 1);
  EXPECT_EQ(c.offset[2], 4);
}

}  // namespace
