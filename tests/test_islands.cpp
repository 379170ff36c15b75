// SPDX-License-Identifier: MIT
// The connected components of a problem, and what is taken out of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "families.hpp"
extern "C" {
#include "problem/islands.h"
}

namespace {

using families::source;
using tools::at;
using tools::dense;
using tools::ints;
using tools::stored;
using tools::vec;

// Laws of chosen sizes on a matrix whose entries say where they stand: 1000 i + j, for unknowns i,
// j of one group of laws; 0 elsewhere.
struct grouped {
  std::vector<perp_friction> contacts;
  std::vector<const perp_law *> laws;
  ints cuts{0};
  vec q;
  dense M{0, 0};

  grouped(const ints &sizes, const ints &group) : contacts(sizes.size()) {
    for (std::size_t b = 0; b < sizes.size(); b++) {
      (void)perp_friction_init(&contacts[b], sizeof contacts[b]);
      contacts[b].law.size = sizes[b];
      contacts[b].mu = static_cast<double>(b);
      laws.push_back(&contacts[b].law);
      cuts.push_back(cuts.back() + sizes[b]);
    }
    M = dense(cuts.back(), cuts.back());
    for (std::size_t b = 0; b < sizes.size(); b++)
      for (std::size_t c = 0; c < sizes.size(); c++)
        for (std::int32_t i = cuts[b]; i < cuts[b + 1] && group[b] == group[c]; i++)
          for (std::int32_t j = cuts[c]; j < cuts[c + 1]; j++) M(i, j) = 1000 * i + j + 1;
    for (std::int32_t i = 0; i < cuts.back(); i++) q.push_back(i);
  }
  perp_problem view(const perp_matrix &A) const {
    perp_problem p = PERP_PROBLEM_INIT;
    p.M = A;
    p.q = q.data();
    p.n = cuts.back();
    p.n_blocks = static_cast<std::int32_t>(laws.size());
    p.laws = laws.data();
    return p;
  }
};

// The islands of a problem in memory that is as large as asked for.
struct decomposed {
  perp_problem p = PERP_PROBLEM_INIT;
  std::vector<unsigned char> bytes;
  islands found{};
  island part{};
  decomposed(const decomposed &) = delete;

  explicit decomposed(const perp_problem &problem) : p(problem) {
    perp_shape shape;
    perp_problem_shape(&p, &shape);
    for (int pass = 0; pass < 2; pass++) {
      arena a = pass == 0 ? arena_measure() : arena_open(bytes.data(), bytes.size());
      perp_islands_carve(&found, &a, p.n);
      perp_island_carve(&part, &a, &shape);
      EXPECT_TRUE(arena_fits(&a));
      if (pass == 0) bytes.assign(arena_bytes(&a), 0xA5);
    }
    perp_islands_find(&found, &p);
  }
};

const std::vector<std::pair<std::int32_t, bool>> storages = {
    {PERP_DENSE, false}, {PERP_BLOCKS, false}, {PERP_BLOCKS, true}};

TEST(Islands, EachIsTakenOutWithItsPartOfEverythingWhateverTheStorage) {
  const ints sizes = {3, 2, 3, 2, 2, 3}, group = {0, 1, 0, 2, 1, 0};
  const grouped g(sizes, group);
  for (const auto &[kind, blocks] : storages)
    for (const bool reverse : {false, true}) {
      const stored A(g.M, kind, blocks ? g.cuts : ints{}, reverse);
      const perp_problem p = g.view(A.view);
      decomposed d(p);
      ASSERT_EQ(d.found.count, 3);
      vec lambda(at(p.n));
      for (std::int32_t i = 0; i < p.n; i++) lambda[at(i)] = 7 + i;
      for (std::int32_t k = 0; k < 3; k++) {
        perp_island_extract(&d.found, k, lambda.data(), &d.part);
        const perp_problem &part = d.part.problem;
        ASSERT_EQ(perp_problem_check(&part, nullptr), PERP_OK);
        ASSERT_EQ(part.n, perp_island_size(&d.found, k));
        EXPECT_EQ(part.M.kind, kind);
        ints whole;
        for (std::size_t b = 0, c = 0; b < sizes.size(); b++) {
          if (group[b] != k) continue;
          EXPECT_EQ(part.laws[c++], g.laws[b]);
          for (std::int32_t i = g.cuts[b]; i < g.cuts[b + 1]; i++) whole.push_back(i);
        }
        for (std::int32_t i = 0; i < part.n; i++) {
          EXPECT_EQ(d.part.list[i], whole[at(i)]);
          EXPECT_EQ(part.q[i], g.q[at(whole[at(i)])]);
          EXPECT_EQ(d.part.lambda[i], lambda[at(whole[at(i)])]);
          for (std::int32_t j = 0; j < part.n; j++)
            EXPECT_EQ(perp_matrix_entry(&part.M, i, j), g.M(whole[at(i)], whole[at(j)]));
        }
      }
    }
}

TEST(Islands, OneDirectionOfAnEntryIsEnoughToConnect) {
  for (const bool lower : {false, true}) {
    grouped g({2, 2, 2}, {0, 1, 2});
    g.M(lower ? 5 : 0, lower ? 0 : 5) = 1e-300;
    for (const auto &[kind, blocks] : storages) {
      const stored A(g.M, kind, blocks ? g.cuts : ints{});
      EXPECT_EQ(decomposed(g.view(A.view)).found.count, 2);
    }
  }
}

TEST(Islands, NothingConnectsTheContactsOfADiagonal) {
  const grouped g({2, 3, 2}, {0, 1, 2});
  for (const std::int32_t kind : {PERP_ZERO, PERP_DIAGONAL}) {
    const stored A(g.M, kind);
    decomposed d(g.view(A.view));
    EXPECT_EQ(d.found.count, 3);
    const vec lambda(7, 1);
    perp_island_extract(&d.found, 1, lambda.data(), &d.part);
    EXPECT_EQ(d.part.problem.n, 3);
    EXPECT_EQ(perp_matrix_entry(&d.part.problem.M, 1, 1), kind == PERP_ZERO ? 0 : g.M(3, 3));
  }
}

TEST(Islands, BlocksOfMThatCutThroughContactsConnectThem) {
  const grouped g({2, 2, 2, 2}, {0, 1, 2, 3});
  const stored A(g.M, PERP_BLOCKS, {0, 3, 5, 6, 8});
  decomposed d(g.view(A.view));
  ASSERT_EQ(d.found.count, 2);
  const vec lambda(8, 1);
  perp_island_extract(&d.found, 0, lambda.data(), &d.part);
  EXPECT_EQ(d.part.problem.n, 6);
  for (std::int32_t i = 0; i < 6; i++)
    for (std::int32_t j = 0; j < 6; j++)
      EXPECT_EQ(perp_matrix_entry(&d.part.problem.M, i, j), g.M(i, j));
}

TEST(Islands, TheBlockOfALonelyContactIsReadFromAnyStorage) {
  const grouped g({3, 2, 3}, {0, 1, 2});
  for (const auto &[kind, blocks] : storages) {
    const stored A(g.M, kind, blocks ? g.cuts : ints{});
    const decomposed d(g.view(A.view));
    for (std::int32_t node = 0; node < 3; node++) {
      double B[9];
      perp_island_block(&d.found, node, B);
      const std::int32_t begin = g.cuts[at(node)], size = g.cuts[at(node) + 1] - begin;
      for (std::int32_t j = 0; j < size; j++)
        for (std::int32_t i = 0; i < size; i++)
          EXPECT_EQ(B[i + size * j], g.M(begin + i, begin + j));
    }
  }
}

TEST(Islands, RandomGraphsGiveTheComponentsThatASearchGives) {
  source r(1);
  for (int trial = 0; trial < 200; trial++) {
    const std::int32_t nodes = r.integer(1, 30);
    ints alone(at(nodes));
    for (std::int32_t k = 0; k < nodes; k++) alone[at(k)] = k;
    grouped g(ints(at(nodes), 2), alone);
    ints label = alone;
    const std::int32_t edges = r.integer(0, nodes);
    for (std::int32_t e = 0; e < edges; e++) {
      const std::int32_t a = r.integer(0, nodes - 1), b = r.integer(0, nodes - 1);
      g.M(2 * a + 1, 2 * b) = 1;
      const std::int32_t from = label[at(a)], to = label[at(b)];
      for (std::int32_t &l : label)
        if (l == from) l = to;
    }
    const stored A(g.M, PERP_BLOCKS, g.cuts);
    const decomposed d(g.view(A.view));
    for (std::int32_t a = 0; a < nodes; a++)
      for (std::int32_t b = 0; b < nodes; b++)
        ASSERT_EQ(d.found.owner[a] == d.found.owner[b], label[at(a)] == label[at(b)]);
  }
}

}  // namespace
