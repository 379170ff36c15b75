// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <perp/solver.h>

#include <cmath>
#include <string>

#include "problem_tools.hpp"

extern "C" {
#include "problem/bounds.h"
}

namespace {

using tools::at;
using tools::dense;
using tools::ints;
using tools::kInf;
using tools::kNaN;
using tools::stored;
using tools::vec;

// Five unknowns: an equality of one, two contacts, a box of two.
struct sample {
  vec M = vec(25, 0.0), q = vec(5, 1.0), lower = {-1, -kInf}, upper = {1, 2};
  perp_equality equality;
  perp_complementarity contact;
  perp_box box;
  std::vector<const perp_law *> laws;
  ints offset = {0, 1, 3, 5};
  perp_problem p = PERP_PROBLEM_INIT;
  perp_info info = PERP_INFO_INIT;

  sample() {
    perp_equality_init(&equality, sizeof equality);
    perp_complementarity_init(&contact, sizeof contact);
    perp_box_init(&box, sizeof box);
    box.law.size = 2;
    box.lower = lower.data();
    box.upper = upper.data();
    laws = {&equality.law, &contact.law, &box.law};
    p = perp_problem_of(perp_dense(5, 5, M.data()), q.data(), 3, laws.data(), offset.data());
  }
  bool refused(const char *field, std::int32_t index = -1) {
    const perp_status status = perp_problem_check(&p, &info);
    EXPECT_STREQ(info.field, field);
    EXPECT_EQ(info.index, index) << field;
    return status == PERP_EINVAL && perp_problem_check(&p, nullptr) == PERP_EINVAL;
  }
};

TEST(Problem, AWellFormedOnePasses) {
  sample s;
  EXPECT_EQ(perp_problem_check(&s.p, &s.info), PERP_OK);
  EXPECT_EQ(s.info.field, nullptr);
  perp_problem empty = PERP_PROBLEM_INIT;
  EXPECT_EQ(perp_problem_check(&empty, &s.info), PERP_OK);
}

TEST(Problem, EntriesAreNotRead) {
  sample s;
  s.M[3] = s.q[2] = kNaN;
  EXPECT_EQ(perp_problem_check(&s.p, nullptr), PERP_OK);
}

TEST(Problem, NamesWhatIsWrong) {
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(perp_problem_check(nullptr, &info), PERP_EINVAL);
  EXPECT_STREQ(info.field, "problem");
  const auto spoilt = [](void (*spoil)(sample &), const char *field, std::int32_t index = -1) {
    sample s;
    spoil(s);
    EXPECT_TRUE(s.refused(field, index)) << field;
  };
  spoilt([](sample &s) { s.p.n = -1; }, "n");
  spoilt([](sample &s) { s.p.n_blocks = -1; }, "n_blocks");
  spoilt([](sample &s) { s.p.M.kind = 9; }, "kind");
  spoilt([](sample &s) { s.p.M = perp_dense(4, 4, s.M.data()); }, "M");
  spoilt([](sample &s) { s.p.M = perp_dense(5, 4, s.M.data()); }, "M");
  spoilt([](sample &s) { s.p.M.values = nullptr; }, "values");
  spoilt([](sample &s) { s.p.q = nullptr; }, "q");
  spoilt([](sample &s) { s.p.laws = nullptr; }, "laws");
  spoilt([](sample &s) { s.laws[1] = nullptr; }, "laws", 1);
  spoilt([](sample &s) { s.offset[0] = 1; }, "offset", 0);
  spoilt([](sample &s) { s.offset[1] = -1; }, "offset", 0);
  spoilt([](sample &s) { s.offset[2] = 0; }, "offset", 1);
  spoilt([](sample &s) { s.offset[2] = 2; }, "offset", 2);  // three for a box of two
  spoilt([](sample &s) { s.offset[3] = 7; }, "offset", 2);
  spoilt([](sample &s) { s.p.n_blocks = 2; }, "n");      // two unknowns without a law
  spoilt([](sample &s) { s.p.offset = nullptr; }, "n");  // one copy each: four unknowns
  spoilt([](sample &s) { s.contact.law.size = 0; }, "size");
}

TEST(Problem, LawsAreChecked) {
  sample s;
  s.lower[0] = kNaN;
  EXPECT_EQ(perp_problem_check(&s.p, &s.info), PERP_ENOTFINITE);
  EXPECT_STREQ(s.info.field, "lower");
}

TEST(Problem, ALawWithStateNeedsOne) {
  sample s;
  perp_law_ops ops = *s.contact.law.ops;
  ops.check = nullptr;
  ops.state_bytes = [](const perp_law *) -> std::size_t { return 8; };
  ops.state_init = [](const perp_law *, void *) {};
  s.contact.law.ops = &ops;
  EXPECT_TRUE(s.refused("states", 1));
  const double state[2] = {0, 0};
  const void *states[3] = {nullptr, nullptr, nullptr};
  s.p.states = states;
  EXPECT_TRUE(s.refused("states", 1));
  states[1] = state;
  EXPECT_EQ(perp_problem_check(&s.p, nullptr), PERP_OK);
}

TEST(Problem, BoundsAndSetsAreThoseOfTheLaws) {
  sample s;
  vec l(5, 999.0), u(5, 999.0);
  perp_problem_bounds(&s.p, l.data(), u.data());
  EXPECT_EQ(l, (vec{-kInf, 0, 0, -1, -kInf}));
  EXPECT_EQ(u, (vec{kInf, kInf, kInf, 1, 2}));
  EXPECT_EQ(perp_problem_sets(&s.p), 7u);
  const std::vector<const perp_law *> single(3, &s.contact.law);
  perp_problem p =
      perp_problem_of(perp_dense(3, 3, s.M.data()), s.q.data(), 3, single.data(), nullptr);
  perp_problem_bounds(&p, l.data(), u.data());
  EXPECT_EQ(l[2], 0);
  EXPECT_EQ(u[2], kInf);
  EXPECT_EQ(perp_problem_sets(&p), 1u << PERP_SET_ORTHANT);
}

// Sum over rows of i - (first stored column, at most i) + 1, entry by entry.
std::size_t envelope_of(const dense &A) {
  std::size_t sum = 0;
  for (std::int32_t i = 0; i < A.rows; i++) {
    std::int32_t first = i;
    while (first > 0) {
      bool any = false;
      for (std::int32_t j = 0; j < first; j++) any = any || A(i, j) != 0;
      if (!any) break;
      first--;
    }
    sum += at(i - first + 1);
  }
  return sum;
}

TEST(Problem, ShapeCountsEntriesAndTheEnvelope) {
  const std::int32_t n = 12;
  tools::uniform random(2);
  perp_complementarity law;
  perp_complementarity_init(&law, sizeof law);
  const perp_law *laws[1] = {&law.law};
  const ints offset = {0, n};
  const vec q(at(n), 1.0);
  for (int trial = 0; trial < 50; trial++) {
    dense A(n, n);
    std::size_t nonzeros = 0;
    for (std::int32_t i = 0; i < n; i++)
      for (std::int32_t j = 0; j < n; j++)
        if (i == j || random() > 0.7) {
          A(i, j) = 1;
          nonzeros++;
        }
    const auto shape_of = [&](std::int32_t kind, ints cuts = {}) {
      const stored s(A, kind, std::move(cuts), trial % 2 == 0);
      const perp_problem p = perp_problem_of(s.view, q.data(), 1, laws, offset.data());
      perp_shape shape;
      perp_problem_shape(&p, &shape);
      EXPECT_EQ(shape.n, n);
      EXPECT_EQ(shape.n_blocks, 1);
      EXPECT_EQ(shape.sets, 2u);
      EXPECT_EQ(shape.matrix, kind);
      return shape;
    };
    const perp_shape rows = shape_of(PERP_BLOCKS);
    EXPECT_EQ(rows.nonzeros, nonzeros);
    EXPECT_EQ(rows.envelope, envelope_of(A));
    const ints cuts = {0, 3, 4, 9, 12};
    dense filled = A;  // a block is stored whole
    std::size_t stored_entries = 0;
    for (std::size_t r = 0; r + 1 < cuts.size(); r++)
      for (std::size_t c = 0; c + 1 < cuts.size(); c++) {
        bool any = false;
        for (std::int32_t i = cuts[r]; i < cuts[r + 1]; i++)
          for (std::int32_t j = cuts[c]; j < cuts[c + 1]; j++) any = any || A(i, j) != 0;
        for (std::int32_t i = cuts[r]; any && i < cuts[r + 1]; i++)
          for (std::int32_t j = cuts[c]; j < cuts[c + 1]; j++) filled(i, j) = 1, stored_entries++;
      }
    const perp_shape blocks = shape_of(PERP_BLOCKS, cuts);
    EXPECT_EQ(blocks.nonzeros, stored_entries);
    EXPECT_EQ(blocks.envelope, envelope_of(filled));
    EXPECT_EQ(shape_of(PERP_DENSE).envelope, at(n * (n + 1) / 2));
    EXPECT_EQ(shape_of(PERP_DENSE).nonzeros, at(n * n));
    EXPECT_EQ(shape_of(PERP_DIAGONAL).envelope, at(n));
    EXPECT_EQ(shape_of(PERP_DIAGONAL).nonzeros, at(n));
    EXPECT_EQ(shape_of(PERP_ZERO).nonzeros, 0u);
  }
}

TEST(Problem, ShapeOfNothingIsEmpty) {
  perp_shape shape;
  std::memset(&shape, 0x5A, sizeof shape);
  perp_problem_shape(nullptr, &shape);
  EXPECT_EQ(shape.n, 0);
  sample s;
  s.p.n = -3;
  std::memset(&shape, 0x5A, sizeof shape);
  perp_problem_shape(&s.p, &shape);
  EXPECT_EQ(shape.n, 0);
  perp_problem_shape(&s.p, nullptr);
}

TEST(Problem, RefusesASizeThatIsNoneAndWhatItDoesNotKnow) {
  const double M[] = {1}, q[] = {-1};
  perp_complementarity law;
  perp_complementarity_init(&law, sizeof law);
  const perp_law *laws[] = {&law.law};
  struct {
    perp_problem p;
    double later;
  } grown = {perp_problem_of(perp_dense(1, 1, M), q, 1, laws, nullptr), 0};
  const auto refused = [&](const char *field, perp_status wanted) {
    perp_info info = PERP_INFO_INIT;
    EXPECT_EQ(perp_problem_check(&grown.p, &info), wanted) << field;
    EXPECT_STREQ(info.field, field);
  };
  grown.p.struct_size = sizeof grown;
  EXPECT_EQ(perp_problem_check(&grown.p, nullptr), PERP_OK);
  grown.later = 1; /* set, and not known here */
  refused("struct_size", PERP_EINVAL);
  for (const std::size_t size : {std::size_t{0}, sizeof(perp_problem) - 8, std::size_t{1} << 20}) {
    grown.p.struct_size = static_cast<std::uint32_t>(size);
    refused("struct_size", PERP_EINVAL);
  }
  grown.p.struct_size = sizeof grown.p;
  grown.p.reserved = 1;
  refused("reserved", PERP_EINVAL);
  grown.p.reserved = 0;
  for (const double bad : {0.0, -1.0}) {
    grown.p.weight = &bad;
    refused("weight", PERP_EINVAL);
  }
  grown.p.weight = nullptr;
  const double negative = -1, nan = std::nan(""), infinite = HUGE_VAL, zero = 0;
  grown.p.floor = &negative;
  refused("floor", PERP_EINVAL);
  for (const double *bad : {&nan, &infinite}) {
    grown.p.floor = bad;
    refused("floor", PERP_ENOTFINITE);
    grown.p.floor = nullptr;
    grown.p.weight = bad;
    refused("weight", PERP_ENOTFINITE);
    grown.p.weight = nullptr;
  }
  grown.p.floor = &zero;
  EXPECT_EQ(perp_problem_check(&grown.p, nullptr), PERP_OK);
}

}  // namespace
