// SPDX-License-Identifier: MIT
// Two threads solve different problems at once, and get the bits that one thread gets. Continuous
// integration runs this under the thread sanitizer, too.
#include <gtest/gtest.h>
#include <perp/heap.h>
#include <perp/solver.h>

#include <thread>
#include <vector>

#include "families.hpp"

namespace {

using namespace families;

struct answer {
  perp_status status;
  vec lambda, y;
  bool operator==(const answer &o) const {
    return status == o.status && tools::same_bits(lambda, o.lambda) && tools::same_bits(y, o.y);
  }
};

// count problems, of one family after the other, each by any of the solvers.
std::vector<answer> solve_some(std::uint64_t seed, int count) {
  std::vector<answer> answers;
  std::vector<unsigned char> work;
  source s(seed);
  for (int k = 0; static_cast<int>(answers.size()) < count; k++) {
    const instance p = all()[static_cast<std::size_t>(k) % all().size()].make(s);
    if (p.n() > 12) continue;
    laws l(p);
    l.problem.M = perp_dense(p.n(), p.n(), p.M.data());
    const perp_solver *solver = perp_solver_at(s.integer(0, perp_solver_count() - 1));
    const std::size_t bytes = perp_solver_workspace(solver, &l.problem, nullptr);
    if (bytes == 0) continue;
    if (bytes > work.size()) work.resize(bytes);
    answer a{0, vec(p.q.size(), 0), vec(p.q.size(), 0)};
    a.status = perp_solver_solve(solver, &l.problem, nullptr, a.lambda.data(), a.y.data(), nullptr,
                                 work.data(), bytes, nullptr);
    answers.push_back(std::move(a));
  }
  return answers;
}

TEST(Threads, TwoAtOnceGetTheBitsOfOne) {
  const int count = PERP_THREAD_PROBLEMS;
  std::vector<answer> first, second;
  std::thread a([&] { first = solve_some(1, count); });
  std::thread b([&] { second = solve_some(2, count); });
  a.join();
  b.join();
  EXPECT_TRUE(first == solve_some(1, count));
  EXPECT_TRUE(second == solve_some(2, count));
}

}  // namespace
