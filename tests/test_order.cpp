// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

extern "C" {
#include "linalg/order.h"
}

#include <numeric>
#include <random>

#include "problem_tools.hpp"

namespace {

using tools::at;
using tools::dense;
using tools::ints;

// A matrix of blocks as a graph whose nodes have `size` unknowns each.
struct graph {
  tools::stored M;
  ints first, node_of, row_of;
  order_graph g{};

  graph(const dense &A, std::int32_t size, const ints &cuts) : M(A, PERP_BLOCKS, cuts) {
    for (std::int32_t i = 0; i <= A.rows; i += size) first.push_back(i);
    for (std::int32_t i = 0; i < A.rows; i++) {
      node_of.push_back(i / size);
      std::int32_t row = i;
      if (!cuts.empty())
        for (row = 0; cuts[at(row + 1)] <= i;) row++;
      row_of.push_back(row);
    }
    g = {&M.view, A.rows / size, first.data(), node_of.data(), row_of.data()};
  }
  ints order() const {
    ints o(at(g.nodes), 999), mark(at(g.nodes), 999), degree(at(g.nodes), 999);
    perp_order_cuthill_mckee(&g, o.data(), mark.data(), degree.data());
    return o;
  }
  std::size_t envelope(const ints &o) const {
    ints place(at(g.nodes), 999), low(at(g.nodes), 999);
    const std::size_t places = perp_order_envelope(&g, o.data(), place.data(), low.data());
    for (std::size_t k = 0; k < o.size(); k++) EXPECT_EQ(place[at(o[k])], static_cast<int>(k));
    return places;
  }
};

// Places of the lower triangle of A + Aᵀ by definition, unknowns of a node together.
std::size_t envelope_of(const dense &A, std::int32_t size, const ints &order) {
  ints unknown;
  for (const std::int32_t node : order)
    for (std::int32_t i = 0; i < size; i++) unknown.push_back(size * node + i);
  std::size_t sum = 0;
  for (std::int32_t k = 0; k < A.rows; k++) {
    std::int32_t low = k / size * size;
    for (std::int32_t j = 0; j < k; j++)
      for (std::int32_t a = k / size * size; a < k / size * size + size; a++)
        if (A(unknown[at(a)], unknown[at(j)]) != 0 || A(unknown[at(j)], unknown[at(a)]) != 0)
          low = std::min(low, j / size * size);
    sum += at(k - low + 1);
  }
  return sum;
}

ints identity(std::int32_t n) {
  ints o(at(n));
  std::iota(o.begin(), o.end(), 0);
  return o;
}

ints shuffled(std::int32_t n, unsigned seed) {
  ints o = identity(n);
  std::mt19937 engine(seed);
  for (std::size_t i = o.size(); i > 1; i--) std::swap(o[i - 1], o[engine() % i]);
  return o;
}

bool permutation(ints o) {
  std::sort(o.begin(), o.end());
  return o == identity(static_cast<std::int32_t>(o.size()));
}

TEST(Order, AShuffledPathBecomesAPath) {
  for (const std::int32_t n : {1, 2, 3, 50}) {
    const ints name = shuffled(n, 3);
    dense A(n, n);
    for (std::int32_t i = 0; i < n; i++) {
      A(name[at(i)], name[at(i)]) = 2;
      if (i > 0) A(name[at(i)], name[at(i - 1)]) = A(name[at(i - 1)], name[at(i)]) = -1;
    }
    const graph g(A, 1, {});
    EXPECT_EQ(g.envelope(g.order()), 2 * at(n) - 1) << n;
  }
}

TEST(Order, AShuffledGridHasAnEnvelopeNearThatOfItsRows) {
  const std::int32_t wide = 5, high = 40, n = wide * high;
  const ints name = shuffled(n, 4);
  dense A(n, n), B(n, n);
  const auto join = [&](std::int32_t a, std::int32_t b) {
    A(name[at(a)], name[at(b)]) = A(name[at(b)], name[at(a)]) = 1;
    B(a, b) = B(b, a) = 1;
  };
  for (std::int32_t y = 0; y < high; y++)
    for (std::int32_t x = 0; x < wide; x++) {
      join(wide * y + x, wide * y + x);
      if (x > 0) join(wide * y + x, wide * y + x - 1);
      if (y > 0) join(wide * y + x, wide * (y - 1) + x);
    }
  const graph g(A, 1, {});
  const std::size_t by_rows = envelope_of(B, 1, identity(n));
  EXPECT_LE(g.envelope(g.order()), by_rows + by_rows / 4);
  EXPECT_GT(g.envelope(identity(n)), 5 * by_rows);
}

TEST(Order, EveryGraphGetsAPermutationAndItsEnvelopeIsCounted) {
  tools::uniform random(5);
  for (int trial = 0; trial < 60; trial++) {
    const std::int32_t size = 1 + trial % 3, nodes = 1 + trial % 17, n = size * nodes;
    dense A(n, n);
    for (std::int32_t i = 0; i < n; i++)
      for (std::int32_t j = 0; j < n; j++)
        if (random() > (trial % 2 == 0 ? 0.95 : 0.7)) A(i, j) = 1; /* structure not symmetric */
    ints cuts;
    if (trial % 4 == 1)
      for (std::int32_t c = 0; c <= nodes; c++) cuts.push_back(size * c);
    if (trial % 4 == 3) { /* blocks that are not those of the nodes */
      for (std::int32_t c = 0; c < n; c += 2) cuts.push_back(c);
      cuts.push_back(n);
    }
    const graph g(A, size, cuts);
    const ints o = g.order();
    ASSERT_TRUE(permutation(o)) << trial;
    EXPECT_EQ(o, g.order());
    for (const ints &any : {o, identity(nodes), shuffled(nodes, 9)}) {
      if (cuts.empty() || trial % 4 == 1) {
        EXPECT_EQ(g.envelope(any), envelope_of(A, size, any)) << trial;
      } else {
        EXPECT_GE(g.envelope(any), envelope_of(A, size, any)) << trial;
      }
    }
  }
}

}  // namespace
