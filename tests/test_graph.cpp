// SPDX-License-Identifier: MIT
// Counts of the interaction graph against sets that are written down in full.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <utility>

#include "model_tools.hpp"

extern "C" {
#include "model/graph.h"
}

namespace {

using tools::at;
using tools::count;
using tools::ids;
using tools::vec;
using tools::world;

// What the counts have to bound, pair by pair.
struct full_count {
  std::size_t units = 0, rows = 0, incidences = 0, blocks = 0, entries = 0, envelope = 0;

  explicit full_count(const perp_model &model) {
    std::vector<std::size_t> interaction, size, row;  // of each unit
    for (std::int32_t i = 0; i < model.n_interactions; i++) {
      const perp_interaction *in = model.interactions[i];
      incidences += at(in->n_systems);
      for (std::int32_t k = 0; k < in->relation->m; k += in->law->size) {
        interaction.push_back(at(i));
        size.push_back(at(in->law->size));
        row.push_back(rows);
        rows += at(in->law->size);
        units++;
      }
    }
    for (std::size_t a = 0; a < units; a++) {
      std::size_t first = row[a];
      for (std::size_t b = 0; b < units; b++) {
        if (!coupled(*model.interactions[interaction[a]], *model.interactions[interaction[b]]))
          continue;
        blocks++;
        entries += size[a] * size[b];
        first = std::min(first, row[b]);
      }
      for (std::size_t r = row[a]; r < row[a] + size[a]; r++) envelope += r - first + 1;
    }
  }
  static bool coupled(const perp_interaction &a, const perp_interaction &b) {
    if (&a == &b) return true;
    return std::any_of(a.systems, a.systems + a.n_systems, [&b](std::int32_t j) {
      return std::find(b.systems, b.systems + b.n_systems, j) != b.systems + b.n_systems;
    });
  }
};

graph_counts counts_of(const perp_model &model) {
  graph_counts c;
  std::memset(&c, 0x5A, sizeof c);
  perp_graph_count(&model, &c);
  return c;
}

void expect_bounds(const perp_model &model) {
  const graph_counts c = counts_of(model);
  const full_count exact(model);
  EXPECT_EQ(at(c.rows), exact.rows);
  EXPECT_EQ(at(c.units), exact.units);
  EXPECT_EQ(c.incidences, exact.incidences);
  EXPECT_GE(c.blocks, exact.blocks);
  EXPECT_GE(c.entries, exact.entries);
  EXPECT_GE(c.envelope, exact.envelope);
  EXPECT_LE(c.envelope, exact.rows * (exact.rows + 1) / 2);
}

TEST(Graph, OfNothingIsEmpty) {
  world w;
  const graph_counts c = counts_of(*w.finish());
  EXPECT_EQ(c.rows, 0);
  EXPECT_EQ(c.units, 0);
  EXPECT_EQ(c.incidences, 0u);
  EXPECT_EQ(c.blocks, 0u);
  EXPECT_EQ(c.entries, 0u);
  EXPECT_EQ(c.envelope, 0u);
}

TEST(Graph, OfAColumnGrowsLinearly) {
  for (const std::int32_t N : {1, 2, 64, 65, 1024, 1025, 3000}) {
    world w;
    tools::make_column(w, vec(at(N), 0.1), 1, 9.81, 0);
    const graph_counts c = counts_of(*w.finish());
    EXPECT_EQ(c.rows, N);
    EXPECT_EQ(c.units, N);
    EXPECT_EQ(c.incidences, at(2 * N - 1));
    // two contacts on each bead but the last
    EXPECT_EQ(c.blocks, at(4 * (N - 1) + 1));
    EXPECT_EQ(c.entries, at(4 * (N - 1) + 1));
    EXPECT_EQ(c.envelope, at(2 * N - 1));
  }
}

TEST(Graph, CountsCopiesAndSizes) {
  world w;
  w.add(w.body(vec{1, 1}).system);
  w.add(w.body(vec{1}).system);
  const perp_relation &six = w.contact(6, 3, vec(18, 0.5)).relation;
  const perp_relation &one = w.contact(1, 1, {1}).relation;
  w.join(six, w.equality(2), {0, 1});
  w.join(one, w.equality(), {1});
  const graph_counts c = counts_of(*w.finish());
  EXPECT_EQ(c.rows, 7);
  EXPECT_EQ(c.units, 4);
  EXPECT_EQ(c.incidences, 3u);
  EXPECT_EQ(c.blocks, 9u + 16u);
  EXPECT_EQ(c.entries, 36u + 49u);
  expect_bounds(w.model);
}

// Small enough to write down, on both sides of the limits of a window.
TEST(Graph, BoundsRandomGraphs) {
  std::mt19937 random(5);
  const auto draw = [&random](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  for (int trial = 0; trial < 60; trial++) {
    SCOPED_TRACE(trial);
    world w;
    const perp_system &s = w.body(vec{1}).system;
    const int systems = trial % 4 == 0   ? draw(1020, 1030)
                        : trial % 4 == 1 ? draw(60, 68)
                                         : draw(1, 12);
    for (int i = 0; i < systems; i++) w.add(s);
    for (int i = draw(0, 60); i > 0; i--) {
      std::set<std::int32_t> chosen;
      for (int k = draw(1, 4); k > 0; k--)
        chosen.insert(draw(std::max(0, systems - 9), systems - 1));
      if (draw(0, 1)) chosen.insert(draw(0, systems - 1));
      ids joined(chosen.begin(), chosen.end());
      std::shuffle(joined.begin(), joined.end(), random);
      const int size = draw(1, 3), m = size * draw(1, 3);
      const std::int32_t n = count(joined.size());
      w.join(w.contact(m, n, vec(at(m) * at(n), 1)).relation, w.equality(size), joined);
    }
    ASSERT_EQ(perp_model_check(w.finish(), nullptr), PERP_OK);
    expect_bounds(w.model);
  }
}

}  // namespace
