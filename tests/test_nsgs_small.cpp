// SPDX-License-Identifier: MIT
// Nonsmooth Gauss–Seidel for firmware, and the small law of friction: judged from the laws' own
// definition. In simulations: test_stages.cpp.
#include <gtest/gtest.h>
#include <perp/experimental.h>
#include <perp/sweeps.h>

#include "friction_tools.hpp"

namespace {

using tools::at;
using tools::contact;
using tools::interval;
using tools::kInf;
using tools::piece;
using tools::planted;
using tools::rolling_contact;
using tools::scene;
using tools::vec;

struct trial {
  vec lambda, y;
  perp_info info = PERP_INFO_INIT;
  perp_status status = 999;
  std::size_t bytes;

  explicit trial(const perp_problem &p, const perp_solver_options *o = nullptr)
      : lambda(at(p.n), 0.0), y(at(p.n), 999.0) {
    const perp_solver *solver = perp_solver_nsgs_small();
    bytes = perp_solver_workspace(solver, &p, o);
    std::vector<unsigned char> work(bytes + 16, 0xA5);
    status = perp_solver_solve(solver, &p, o, lambda.data(), y.data(), nullptr, work.data() + 3,
                               bytes, &info);
    for (std::size_t i = 0; i < 3; i++) EXPECT_EQ(work[i], 0xA5);
    for (std::size_t i = bytes + 3; i < work.size(); i++) EXPECT_EQ(work[i], 0xA5);
  }
};

TEST(NsgsSmall, SolvesContactsOfAllKinds) {
  const std::vector<std::vector<piece>> families = {
      {contact(3, 0.3), contact(3, 0.8), contact(3, 0), contact(3, 1.5)},
      {contact(2, 0.3), contact(2, 0.8), contact(2, 0.1), contact(2, 1)},
      {rolling_contact(5, 0.3, 0.1), rolling_contact(3, 0.5, 0.2)},
      {interval(0, kInf), interval(0, kInf), interval(-1, 2), interval(-kInf, kInf)},
      {contact(3, 0.5), interval(0, kInf), contact(2, 0.4), interval(-kInf, kInf)}};
  for (const auto &pieces : families)
    for (std::uint64_t seed = 1; seed <= 40; seed++) {
      const auto s = planted(pieces, 40, seed);
      const trial t(s->problem);
      ASSERT_EQ(t.status, PERP_OK) << seed << " of " << &pieces - families.data();
      EXPECT_LE(s->error(t.lambda), 1e-7) << seed;
      EXPECT_GT(t.info.iterations, 0);
      EXPECT_LE(t.bytes, PERP_NSGS_SMALL_WORKSPACE(s->problem.n, pieces.size()));
    }
}

TEST(NsgsSmall, TellsWhatItCouldNotDo) {
  const auto s = planted({contact(3, 0.5), contact(3, 0.5)}, 40, 3);
  perp_solver_options o = {sizeof o, 1, 1e-12, nullptr, nullptr, 0};
  EXPECT_EQ(trial(s->problem, &o).status, PERP_MAX_ITER);
  o.max_iter = 0;
  o.observe = [](const perp_iterate *, void *) -> std::int32_t { return 1; };
  EXPECT_EQ(trial(s->problem, &o).status, PERP_STOPPED);
  o.observe = nullptr;
  s->M(0, 0) = tools::kNaN;
  EXPECT_LT(trial(s->problem, &o).status, 0);
}

// A law whose own solution never comes.
int asked;

TEST(NsgsSmall, AsksALawInVainOnlyAFewTimes) {
  perp_friction law;
  ASSERT_EQ(perp_friction_init(&law, sizeof law), PERP_OK);
  law.law.size = 3;
  law.mu = 0.5;
  perp_law_ops ops = *law.law.ops;
  ops.local = [](const perp_law *, const void *, const double *, std::int32_t, const double *,
                 double *) -> perp_status {
    asked++;
    return PERP_RAY;
  };
  ops.local_within = nullptr;  // which would be asked in its place
  law.law.ops = &ops;
  const double M[] = {1e-3, 0, 0, 0, 1, 0, 0, 0, 1}, q[] = {-1, 0.5, 0.25};
  const perp_law *laws[] = {&law.law};
  perp_matrix A{};
  A.kind = PERP_DENSE;
  A.rows = A.cols = A.ld = 3;
  A.values = M;
  const perp_problem problem = perp_problem_of(A, q, 1, laws, nullptr);
  const perp_solver_options o = {sizeof o, 100, 1e-12, nullptr, nullptr, 0};
  asked = 0;
  EXPECT_GE(trial(problem, &o).status, 0);
  EXPECT_GT(asked, 0);
  EXPECT_LE(asked, 8);
}

// No solution: a row of zeros that pulls.
TEST(NsgsSmall, InfeasibleProblemIsNotSolved) {
  const scene s({interval(0, kInf)}, tools::dense(1, 1), {-1});
  EXPECT_GT(trial(s.problem).status, 0);
}

TEST(FrictionSmall, ItsOwnSolutionIsExactOrNone) {
  int solved = 0, all = 0;
  for (const std::int32_t size : {2, 3})
    for (std::uint64_t seed = 1; seed <= 500; seed++, all++) {
      perp_friction law;
      ASSERT_EQ(perp_friction_small_init(&law, sizeof law), PERP_OK);
      law.law.size = size;
      law.mu = 0.1 * static_cast<double>(1 + seed % 12);
      const auto s = planted({contact(size, law.mu)}, 8, seed);
      vec lambda(at(size), 999.0);
      const perp_status status =
          law.law.ops->local(&law.law, nullptr, s->M.data(), size, s->q.data(), lambda.data());
      if (status != PERP_OK) {
        EXPECT_EQ(status, PERP_INACCURATE);
        continue;
      }
      solved++;
      EXPECT_LE(s->error(lambda), 1e-14) << size << " " << seed;
    }
  EXPECT_GT(solved, all * 95 / 100);
}

// A block without an inverse is in doubt: the law says so, and the solver goes on without it.
TEST(FrictionSmall, SingularBlocksAreLeftToTheSolver) {
  int left = 0;
  for (const std::int32_t size : {2, 3})
    for (std::uint64_t seed = 1; seed <= 100; seed++) {
      perp_friction law;
      ASSERT_EQ(perp_friction_small_init(&law, sizeof law), PERP_OK);
      law.law.size = size;
      law.mu = 0.5;
      const auto s = planted({contact(size, law.mu)}, 1, seed);
      vec lambda(at(size), 999.0);
      if (law.law.ops->local(&law.law, nullptr, s->M.data(), size, s->q.data(), lambda.data()) ==
          PERP_OK) {
        EXPECT_LE(s->error(lambda), 1e-14) << size << " " << seed;
      } else {
        left++;
      }
    }
  EXPECT_GT(left, 0);
}

TEST(FrictionSmall, InitRefusesWhatTheOthersRefuse) {
  perp_friction law;
  EXPECT_EQ(perp_friction_small_init(nullptr, sizeof law), PERP_EINVAL);
  EXPECT_EQ(perp_friction_small_init(&law, sizeof law - 1), PERP_EINVAL);
}

}  // namespace
