// SPDX-License-Identifier: MIT
// Colours and threads: the bits do not depend on the number of workers. Continuous integration runs
// this under the thread sanitizer, too.
#include <gtest/gtest.h>
#include <perp/heap.h>
#include <perp/sweeps.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "contact_system.hpp"

namespace {

using contacts::unit;
using tools::at;
using tools::dense;
using tools::ints;
using tools::vec;
using options = perp_nsgs_options;

struct pool_deleter {
  void operator()(perp_threads *p) const { perp_threads_destroy(p); }
};
using pool = std::unique_ptr<perp_threads, pool_deleter>;

pool make_pool(std::int32_t workers) {
  perp_threads *p = nullptr;
  EXPECT_EQ(perp_threads_create(&p, workers), PERP_OK);
  return pool(p);
}

// ---- the pool ----

struct tally {
  std::vector<std::atomic<int>> chunk;
  std::atomic<int> wrong{0};
  std::int32_t workers;
  tally(std::int32_t chunks, std::int32_t most) : chunk(at(chunks)), workers(most) {}
  static void body(std::int32_t begin, std::int32_t end, std::int32_t worker, void *ctx) {
    tally *t = static_cast<tally *>(ctx);
    if (worker < 0 || worker >= t->workers) t->wrong++;
    for (std::int32_t i = begin; i < end; i++) t->chunk[at(i)]++;
  }
};

TEST(Threads, EveryChunkIsDoneOnceByAnyNumberOfWorkers) {
  for (std::int32_t workers : {1, 2, 3, 5, 8}) {
    const pool p = make_pool(workers);
    for (std::int32_t chunks : {0, 1, 2, 3, 7, 8, 100}) {
      for (int turn = 0; turn < 20; turn++) {
        tally t(chunks, workers);
        perp_threads_for(chunks, tally::body, &t, p.get());
        EXPECT_EQ(t.wrong, 0);
        for (const auto &c : t.chunk) EXPECT_EQ(c, 1) << workers << " workers " << chunks;
      }
    }
  }
}

TEST(Threads, SleepersWakeUp) {
  const pool p = make_pool(3);
  for (int turn = 0; turn < 3; turn++) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    tally t(9, 3);
    perp_threads_for(9, tally::body, &t, p.get());
    for (const auto &c : t.chunk) EXPECT_EQ(c, 1);
  }
}

TEST(Threads, WithoutAPoolTheCallerDoesItAll) {
  tally t(5, 1);
  perp_threads_for(5, tally::body, &t, nullptr);
  for (const auto &c : t.chunk) EXPECT_EQ(c, 1);
  perp_threads_for(5, nullptr, &t, nullptr);
  perp_threads_for(-1, tally::body, &t, nullptr);
  for (const auto &c : t.chunk) EXPECT_EQ(c, 1);
}

TEST(Threads, WrongNumbersOfWorkersAreRefused) {
  perp_threads *p = reinterpret_cast<perp_threads *>(&p);
  for (std::int32_t workers : {0, -1, 257, INT32_MAX, INT32_MIN}) {
    EXPECT_EQ(perp_threads_create(&p, workers), PERP_EINVAL);
    EXPECT_EQ(p, nullptr);
  }
  EXPECT_EQ(perp_threads_create(nullptr, 2), PERP_EINVAL);
  perp_threads_destroy(nullptr);
}

// ---- the solver ----

// Contacts on a grid, each coupled with those beside it, four to a place.
struct grid {
  std::vector<unit> units;
  dense M{0, 0};
  vec q;
  ints cuts = {0};
};

grid make_grid(std::int32_t side, const std::vector<unit> &kinds) {
  grid g;
  tools::uniform u(7);
  std::vector<std::int32_t> place;
  for (std::int32_t k = 0; k < side * side; k++)
    for (int copy = 0; copy < 4; copy++) {
      g.units.push_back(kinds[at(copy) % kinds.size()]);
      place.push_back(k);
      g.cuts.push_back(g.cuts.back() + g.units.back().size);
    }
  const std::int32_t n = g.cuts.back();
  g.M = dense(n, n);
  g.q = u.vector(n);
  std::vector<vec> row(at(n), vec(at(side * side + side + 1), 0.0));
  for (std::size_t a = 0; a < g.units.size(); a++) {
    g.q[at(g.cuts[a])] -= 1;
    for (std::int32_t i = g.cuts[a]; i < g.cuts[a + 1]; i++)
      for (std::int32_t k : {place[a], place[a] + 1, place[a] + side}) row[at(i)][at(k)] = u();
  }
  for (std::int32_t i = 0; i < n; i++)
    for (std::int32_t j = 0; j < n; j++) {
      double sum = i == j ? 0.5 : 0;
      for (std::size_t k = 0; k < row[at(i)].size(); k++) sum += row[at(i)][k] * row[at(j)][k];
      g.M(i, j) = sum;
    }
  return g;
}

struct answer {
  perp_status status = 999;
  std::int32_t iterations = 0;
  vec lambda, y;
};

answer solve(const perp_problem &p, const options &o) {
  answer a;
  perp_info info = PERP_INFO_INIT;
  a.lambda.assign(at(p.n), 0);
  a.y.assign(at(p.n), 999);
  std::vector<unsigned char> work(perp_solver_workspace(perp_solver_nsgs(), &p, &o));
  a.status = perp_solver_solve(perp_solver_nsgs(), &p, &o, a.lambda.data(), a.y.data(), nullptr,
                               work.data(), work.size(), &info);
  a.iterations = info.iterations;
  return a;
}

std::vector<std::vector<unit>> kinds() {
  return {{contacts::space(0.4)},
          {contacts::plane(0.4)},
          {contacts::orthant()},
          {contacts::space(0.4), contacts::plane(0.3), contacts::free_row(),
           contacts::space_rolling(0.5, 0.1)}};
}

TEST(NsgsThreads, AnyNumberOfWorkersGivesTheSameBits) {
  for (const auto &kind : kinds()) {
    const grid g = make_grid(4, kind);
    for (const ints &cuts : {ints{}, g.cuts}) {
      const contacts::system s(g.M, g.q, g.units, PERP_BLOCKS, cuts);
      for (std::int32_t order : {PERP_NSGS_FORWARD, PERP_NSGS_SYMMETRIC, PERP_NSGS_SHUFFLED}) {
        options o = perp_nsgs_options_default();
        o.order = order;
        o.colours = 1;
        const answer serial = solve(s.problem, o);
        EXPECT_EQ(serial.status, PERP_OK);
        EXPECT_LE(contacts::error(s, serial.lambda), 1.01e-10);
        o.colours = 0;
        for (std::int32_t workers : {1, 2, 3}) {
          const pool p = make_pool(workers);
          o.parallel = perp_threads_for;
          o.parallel_user = p.get();
          const answer a = solve(s.problem, o);
          EXPECT_EQ(a.status, serial.status);
          EXPECT_EQ(a.iterations, serial.iterations);
          EXPECT_TRUE(tools::same_bits(a.lambda, serial.lambda)) << workers << " order " << order;
          EXPECT_TRUE(tools::same_bits(a.y, serial.y));
        }
      }
    }
  }
}

// A hook that goes backward, chunk by chunk, as no pool would.
void backward(std::int32_t chunks, perp_parallel_body body, void *ctx, void *user) {
  int *loops = static_cast<int *>(user);
  ++*loops;
  for (std::int32_t k = chunks - 1; k >= 0; k--) body(k, k + 1, k % 7, ctx);
}

TEST(NsgsThreads, ChunksOfAColourMayComeInAnyOrder) {
  for (const auto &kind : kinds()) {
    const grid g = make_grid(5, kind);
    const contacts::system s(g.M, g.q, g.units, PERP_BLOCKS, g.cuts);
    options o = perp_nsgs_options_default();
    int loops = 0;
    o.freeze = 3;
    o.colours = 1;
    const answer serial = solve(s.problem, o);
    o.parallel = backward;
    o.parallel_user = &loops;
    const answer a = solve(s.problem, o);
    EXPECT_GT(loops, 0);
    EXPECT_EQ(a.status, PERP_OK);
    EXPECT_TRUE(tools::same_bits(a.lambda, serial.lambda));
  }
}

}  // namespace
