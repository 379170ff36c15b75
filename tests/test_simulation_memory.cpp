// SPDX-License-Identifier: MIT
// The memory of a simulation: exact sizes, any alignment of work, nothing written beyond, and the
// constant expressions for static arrays.
#include <gtest/gtest.h>

#include <perp/pivoting.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <string>

#include "random_graph.hpp"

namespace {

using tools::at;
using tools::count;
using tools::dense;
using tools::flat;
using tools::ids;
using tools::make_ball;
using tools::make_column;
using tools::random_graph;
using tools::run;
using tools::uniform;
using tools::vec;
using tools::world;

// Blocks of exactly the given sizes on the heap, where a sanitizer sees every byte beyond, with
// canaries on both sides for builds without one.
struct exact_block {
  static constexpr std::size_t kGuard = 64;
  std::vector<std::uint64_t> memory;
  unsigned char *begin;
  std::size_t bytes;

  exact_block(std::size_t size, std::size_t alignment)
      : memory((size + 4 * kGuard) / 8 + 1, UINT64_C(0xA5A5A5A5A5A5A5A5)), bytes(size) {
    unsigned char *base = reinterpret_cast<unsigned char *>(memory.data());
    const std::size_t skip = (64 - reinterpret_cast<std::uintptr_t>(base) % 64) % 64;
    begin = base + kGuard + skip + alignment;
    std::memset(base, 0xC3, at_begin());
    std::memset(begin + bytes, 0xC3, at_end());
  }
  std::size_t at_begin() const {
    return static_cast<std::size_t>(begin - reinterpret_cast<const unsigned char *>(memory.data()));
  }
  std::size_t at_end() const { return memory.size() * 8 - at_begin() - bytes; }
  bool untouched_outside() const {
    const unsigned char *base = reinterpret_cast<const unsigned char *>(memory.data());
    const auto canary = [](unsigned char c) { return c == 0xC3; };
    return std::all_of(base, base + at_begin(), canary) &&
           std::all_of(begin + bytes, begin + bytes + at_end(), canary);
  }
};

// Bytes of the state after some steps in blocks of these sizes and alignments.
std::vector<unsigned char> run_in(const world &w, std::size_t state_bytes, std::size_t work_bytes,
                                  std::size_t alignment, int steps) {
  exact_block state(state_bytes, 8 * (alignment % 8)), work(work_bytes, alignment);
  perp_simulation *sim = nullptr;
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(perp_simulation_init(&sim, &w.model, &w.options, state.begin, state_bytes, work.begin,
                                 work_bytes, &info),
            PERP_OK)
      << info.field;
  for (int k = 0; sim != nullptr && k < steps; k++) {
    EXPECT_EQ(perp_simulation_step(sim, &info), PERP_OK);
  }
  EXPECT_TRUE(state.untouched_outside());
  EXPECT_TRUE(work.untouched_outside());
  return std::vector<unsigned char>(state.begin,
                                    state.begin + perp_simulation_state_size(&w.model, &w.options));
}

void expect_any_alignment(world &w, int steps) {
  w.finish();
  const std::size_t state = perp_simulation_state_size(&w.model, &w.options),
                    work = perp_simulation_work_size(&w.model, &w.options);
  ASSERT_GT(state, 0u);
  ASSERT_GT(work, 0u);
  const auto first = run_in(w, state, work, 0, steps);
  for (std::size_t alignment = 1; alignment < 64; alignment++) {
    ASSERT_EQ(run_in(w, state, work, alignment, steps), first) << "alignment " << alignment;
  }
  EXPECT_EQ(run_in(w, state + 40, work + 1000, 3, steps), first);
}

TEST(SimulationMemory, WorksAtEveryAlignmentAndWritesNothingOutside) {
  world ball, lemke, active_set, retry;
  make_ball(ball, 1, 9.81, 0.05, 0, 0.5);
  make_column(lemke, {0.01, 0.02, 0.01, 0.03}, 1, 9.81, 0.3);
  make_column(active_set, vec(30, 0.001), 1, 9.81, 0.3);
  active_set.options.solver = perp_solver_active_set();
  make_column(retry, vec(3, 0.001), 1, 9.81, 0.3);
  retry.options.on_failure = PERP_FAILURE_RETRY;
  for (world *w : {&ball, &lemke, &active_set, &retry}) expect_any_alignment(*w, 60);
}

TEST(SimulationMemory, OfAnyGraphIsExact) {
  for (std::uint64_t seed = 1; seed <= 24 && !HasFailure(); seed++) {
    SCOPED_TRACE(seed);
    world w;
    random_graph(w, seed, seed % 2 == 0, 0);
    w.options.on_failure = static_cast<std::int32_t>(seed % 3);
    expect_any_alignment(w, 4);
  }
}

TEST(SimulationMemory, MoreUnknownsThanTheSolverTakesAreCounted) {
  world w;
  make_column(w, vec(PERP_ENUMERATION_MAX + 1, 0.01), 1, 9.81, 0.3);
  w.options.solver = perp_solver_enumeration();
  w.options.solver_options = nullptr;
  w.finish();
  EXPECT_EQ(perp_simulation_work_size(&w.model, &w.options), 0U);
  std::vector<double> state(4096), work(4096);
  perp_simulation *sim = nullptr;
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(perp_simulation_init(&sim, &w.model, &w.options, state.data(), 8 * state.size(),
                                 work.data(), 8 * work.size(), &info),
            PERP_EUNSUPPORTED);
  EXPECT_STREQ(info.field, "solver");
  EXPECT_EQ(info.value, PERP_ENUMERATION_MAX + 1);
}

TEST(SimulationMemory, OneByteShortIsRefused) {
  world w;
  make_column(w, vec(5, 0.01), 1, 9.81, 0.3);
  w.finish();
  const std::size_t state = perp_simulation_state_size(&w.model, &w.options),
                    work = perp_simulation_work_size(&w.model, &w.options);
  run good(w);
  ASSERT_EQ(good.status, PERP_OK);
  for (const auto call : {perp_simulation_init, perp_simulation_resume})
    for (const std::size_t alignment : {0u, 1u, 7u}) {
      exact_block s(state, 0), k(work, alignment);
      std::memcpy(s.begin, good.state.data(), state);
      perp_simulation *sim = reinterpret_cast<perp_simulation *>(&w);
      perp_info info = PERP_INFO_INIT;
      EXPECT_EQ(call(&sim, &w.model, &w.options, s.begin, state - 1, k.begin, work, &info),
                PERP_EWORKSPACE);
      EXPECT_EQ(sim, nullptr);
      EXPECT_STREQ(info.field, "state_bytes");
      EXPECT_EQ(info.value, static_cast<double>(state));
      EXPECT_EQ(call(&sim, &w.model, &w.options, s.begin, state, k.begin, work - 1, &info),
                PERP_EWORKSPACE);
      EXPECT_EQ(sim, nullptr);
      EXPECT_STREQ(info.field, "work_bytes");
      EXPECT_EQ(info.value, static_cast<double>(work));
      EXPECT_EQ(call(&sim, &w.model, &w.options, s.begin, state, k.begin, 0, &info),
                PERP_EWORKSPACE);
      EXPECT_EQ(call(&sim, &w.model, &w.options, s.begin, 0, k.begin, work, &info),
                PERP_EWORKSPACE);
      EXPECT_EQ(std::memcmp(s.begin, good.state.data(), state), 0) << "the state was written to";
      EXPECT_EQ(call(&sim, &w.model, &w.options, s.begin, state, k.begin, work, &info), PERP_OK);
    }
}

TEST(SimulationMemory, AMisalignedStateIsRefused) {
  world w;
  make_ball(w, 1, 9.81, 1, 0, 0);
  w.finish();
  const std::size_t state = perp_simulation_state_size(&w.model, &w.options),
                    work = perp_simulation_work_size(&w.model, &w.options);
  exact_block k(work, 0);
  for (std::size_t alignment = 1; alignment < 8; alignment++) {
    exact_block s(state, alignment);
    perp_simulation *sim = nullptr;
    perp_info info = PERP_INFO_INIT;
    EXPECT_EQ(
        perp_simulation_init(&sim, &w.model, &w.options, s.begin, state, k.begin, work, &info),
        PERP_EINVAL);
    EXPECT_EQ(sim, nullptr);
    EXPECT_STREQ(info.field, "state");
  }
}

TEST(SimulationMemory, NullBlocksAreRefused) {
  world w;
  make_ball(w, 1, 9.81, 1, 0, 0);
  w.finish();
  std::vector<std::uint64_t> s(1000), k(10000);
  for (const auto call : {perp_simulation_init, perp_simulation_resume}) {
    perp_simulation *sim = reinterpret_cast<perp_simulation *>(&w);
    perp_info info = PERP_INFO_INIT;
    EXPECT_EQ(call(nullptr, &w.model, &w.options, s.data(), 8000, k.data(), 80000, &info),
              PERP_EINVAL);
    EXPECT_STREQ(info.field, "out");
    EXPECT_EQ(call(&sim, nullptr, &w.options, s.data(), 8000, k.data(), 80000, &info), PERP_EINVAL);
    EXPECT_STREQ(info.field, "model");
    EXPECT_EQ(sim, nullptr);
    EXPECT_EQ(call(&sim, &w.model, nullptr, s.data(), 8000, k.data(), 80000, &info), PERP_EINVAL);
    EXPECT_STREQ(info.field, "options");
    EXPECT_EQ(call(&sim, &w.model, &w.options, nullptr, 8000, k.data(), 80000, &info), PERP_EINVAL);
    EXPECT_STREQ(info.field, "state");
    EXPECT_EQ(call(&sim, &w.model, &w.options, s.data(), 8000, nullptr, 80000, &info), PERP_EINVAL);
    EXPECT_STREQ(info.field, "work");
  }
  EXPECT_EQ(perp_simulation_state_size(nullptr, &w.options), 0u);
  EXPECT_EQ(perp_simulation_state_size(&w.model, nullptr), 0u);
  EXPECT_EQ(perp_simulation_work_size(nullptr, &w.options), 0u);
  EXPECT_EQ(perp_simulation_work_size(&w.model, nullptr), 0u);
  w.options.h = -1;
  EXPECT_EQ(perp_simulation_state_size(&w.model, &w.options), 0u);
  EXPECT_EQ(perp_simulation_work_size(&w.model, &w.options), 0u);
}

TEST(SimulationMemory, SizesThatOverflowAreRefused) {
  world w;  // Lemke's dense matrix of 2^29 x 2^29 does not fit
  perp_lagrangian_linear &s = w.body(vec{1});
  w.add(s.system);
  const perp_relation &big = w.contact(1 << 12, 1, vec(1 << 12, 1.0)).relation;
  for (int i = 0; i < (1 << 17); i++) w.join(big, nullptr, {0});
  const perp_law *law = w.impact(0);
  for (perp_interaction &i : w.interactions) i.law = law;
  w.finish();
  EXPECT_EQ(perp_simulation_work_size(&w.model, &w.options), 0u);
  std::vector<std::uint64_t> state(1000);
  perp_simulation *sim = nullptr;
  perp_info info = PERP_INFO_INIT;
  EXPECT_LT(perp_simulation_init(&sim, &w.model, &w.options, state.data(), 8000, state.data(), 8000,
                                 &info),
            0);
  EXPECT_EQ(sim, nullptr);
}

// -------------------------------------------------------------------- constant expressions ----

// The arguments of PERP_SIMULATION_WORK_BYTES, counted as its comment says.
struct macro_arguments {
  std::size_t n_q = 0, n_v = 0, rows = 0, systems, n = 0, system_runs = 0, interactions, m = 0,
              joined = 0, interaction_runs = 0, couplings = 0, envelope = 0;

  macro_arguments(const perp_model &model, const perp_simulation_options &o)
      : systems(at(model.n_systems)), interactions(at(model.n_interactions)) {
    vec on(systems, 0.0);
    for (std::int32_t i = 0; i < model.n_systems; i++) {
      const perp_system *s = model.systems[i];
      n = std::max(n, at(s->n));
      n_v += at(s->n);
      if (o.integrator == perp_integrator_moreau_jean()) n_q += at(s->n);
      system_runs += i == 0 || s != model.systems[i - 1];
    }
    std::int32_t length = 0;
    for (std::int32_t i = 0; i < model.n_interactions; i++) {
      const perp_interaction *in = model.interactions[i];
      m = std::max(m, at(in->relation->m));
      joined = std::max(joined, at(in->n_systems));
      rows += at(in->relation->m);
      for (std::int32_t k = 0; k < in->n_systems; k++) on[at(in->systems[k])] += in->relation->m;
      length = i > 0 && goes_on(model, i, length) ? length + 1 : 1;
      interaction_runs += length == 1;
    }
    for (const double r : on) couplings += static_cast<std::size_t>(r * r);
    envelope = rows * (rows + 1) / 2;
  }
  static bool goes_on(const perp_model &model, std::int32_t i, std::int32_t length) {
    const perp_interaction *b = model.interactions[i], *a = model.interactions[i - 1];
    if (a->relation != b->relation || a->law != b->law) return false;
    for (std::int32_t k = 0; k < b->n_systems; k++) {
      const std::int32_t step = b->systems[k] - a->systems[k];
      if (step != 0 && step != 1) return false;
      if (model.systems[a->systems[k]] != model.systems[b->systems[k]]) return false;
      if (length > 1 && a->systems[k] - model.interactions[i - 2]->systems[k] != step) return false;
    }
    return true;
  }
  std::size_t work(std::size_t solver) const {
    return PERP_SIMULATION_WORK_BYTES(systems, n, system_runs, interactions, m, joined,
                                      interaction_runs, couplings, solver);
  }
};

// Both solvers; the envelope of the active set as narrow as the caller knows it.
void expect_macros(world &w, std::size_t envelope, const std::string &what) {
  SCOPED_TRACE(what);
  w.finish();
  const macro_arguments a(w.model, w.options);
  for (const std::int32_t policy : {PERP_FAILURE_STOP, PERP_FAILURE_ACCEPT}) {
    w.options.on_failure = policy;
    w.options.solver = perp_solver_lemke();
    ASSERT_GT(perp_simulation_work_size(&w.model, &w.options), 0u);
    EXPECT_EQ(PERP_SIMULATION_STATE_BYTES(a.n_q, a.n_v, a.rows),
              perp_simulation_state_size(&w.model, &w.options));
    const std::size_t margin = 8 * (a.n_v + a.rows) + 256;
    EXPECT_GE(a.work(PERP_LEMKE_BYTES(a.rows)),
              perp_simulation_work_size(&w.model, &w.options) + margin);
    w.options.solver = perp_solver_active_set();
    EXPECT_GE(a.work(PERP_ACTIVE_SET_BYTES(a.rows, envelope != 0 ? envelope : a.envelope)),
              perp_simulation_work_size(&w.model, &w.options) + margin);
  }
}

TEST(SimulationMemory, ConstantExpressionsBoundABall) {
  world w, three;
  make_ball(w, 1, 9.81, 1, 0, 0.9);
  expect_macros(w, 1, "one coordinate");
  perp_lagrangian_linear &s = three.body(vec{1, 1, 0.004});
  three.add(s.system);
  three.join(three.contact(1, 3, {1, 0, 0}).relation, three.impact(0.9), {0});
  expect_macros(three, 1, "three coordinates");
  static std::uint64_t state[PERP_SIMULATION_STATE_BYTES(1, 1, 1) / 8];
  static unsigned char
      work[PERP_SIMULATION_WORK_BYTES(1, 1, 1, 1, 1, 1, 1, 1, PERP_LEMKE_BYTES(1))];
  perp_simulation *sim = nullptr;
  EXPECT_EQ(perp_simulation_init(&sim, &w.model, &w.options, state, sizeof state, work, sizeof work,
                                 nullptr),
            PERP_OK);
}

TEST(SimulationMemory, ConstantExpressionsBoundColumns) {
  for (std::int32_t N = 1; N <= 200; N++) {
    world w;
    make_column(w, vec(at(N), 0.1), 1, 9.81, 0.9);
    expect_macros(w, at(2 * N), std::to_string(N) + " beads");
  }
}

TEST(SimulationMemory, ConstantExpressionsBoundDenseSystems) {
  uniform random(3);
  for (std::int32_t n = 1; n <= 20; n++)
    for (const std::int32_t m : {1, 2, 5})
      for (const bool damped : {false, true}) {
        world w;
        perp_lagrangian_linear &s = w.body(n);
        s.M = perp_dense(n, n, w.keep(flat(random.definite(n))));
        s.f = w.keep(random.vector(n));
        if (damped) {
          s.C = perp_dense(n, n, w.keep(flat(random.definite(n))));
          s.K = perp_dense(n, n, w.keep(flat(random.definite(n))));
          s.force = tools::wave_of_two;
        }
        w.add(s.system);
        perp_lagrangian_linear_relation &r = w.contact(m, n, flat(random.matrix(m, n)));
        r.D = w.keep(flat(random.definite(m)));
        r.b = w.keep(random.vector(m));
        w.join(r.relation, w.impact(0.5), {0});
        expect_macros(w, 0, "n = " + std::to_string(n) + ", m = " + std::to_string(m));
      }
}

TEST(SimulationMemory, ConstantExpressionsBoundCopies) {
  for (std::int32_t k = 1; k <= 12; k++)
    for (const std::int32_t size : {1, 2})
      for (const std::int32_t plates : {1, 2, 7}) {
        world w;
        uniform random(9);
        perp_lagrangian_linear &s = w.body(vec(3, 1.0));
        const perp_relation &feet =
            w.contact(k * size, 3, flat(random.matrix(k * size, 3))).relation;
        const perp_law *law = w.impact(0, size);
        for (std::int32_t p = 0; p < plates; p++) {
          w.add(s.system);
          w.join(feet, law, {p});
        }
        expect_macros(w, 0, std::to_string(k) + " copies of " + std::to_string(size));
      }
}

TEST(SimulationMemory, ConstantExpressionsBoundThreeSystemsInOneInteraction) {
  for (const std::int32_t n : {1, 3, 6})
    for (const std::int32_t m : {1, 2, 4})
      for (std::int32_t bodies = 3; bodies <= 12; bodies++)
        for (const bool chain : {false, true}) {
          world w;
          uniform random(4);
          perp_lagrangian_linear &a = w.body(vec(at(n), 1.0)), &b = w.body(vec(at(n), 2.0));
          for (std::int32_t i = 0; i < bodies; i++) w.add(i % 3 == 1 ? b.system : a.system);
          const perp_relation &r = w.contact(m, 3 * n, flat(random.matrix(m, 3 * n))).relation;
          const perp_law *law = w.impact(0);
          for (std::int32_t i = 0; i + 2 < bodies; i++)
            w.join(r, law, chain ? ids{i, i + 1, i + 2} : ids{2, 0, 1});
          expect_macros(w, 0, std::to_string(bodies) + " bodies, m = " + std::to_string(m));
        }
}

TEST(SimulationMemory, ConstantExpressionsBoundCircuits) {
  uniform random(5);
  for (std::int32_t n = 1; n <= 6; n++)
    for (std::int32_t m = 1; m <= 6; m++) {
      world w;
      perp_first_order_linear &s = w.circuit(n);
      s.M = perp_dense(n, n, w.keep(flat(random.definite(n))));
      s.A = perp_dense(n, n, w.keep(flat(random.matrix(n, n))));
      s.b = w.keep(random.vector(n));
      w.add(s.system);
      perp_linear_relation &r = w.port(m, n, flat(random.matrix(m, n)));
      r.B = w.keep(flat(random.matrix(n, m)));
      r.D = w.keep(flat(random.definite(m)));
      r.e = w.keep(random.vector(m));
      r.a = w.keep(random.vector(n));
      w.join(r.relation, w.complementarity(), {0});
      w.options.integrator = perp_integrator_theta();
      expect_macros(w, 0, std::to_string(n) + " states, m = " + std::to_string(m));
    }
}

// A body held back by impulses of |l_1| + |l_2| <= 1/2 a step: a law whose projection needs memory.
// With unit masses l = P(-v), the projection on a ball of the 1-norm.
TEST(SimulationMemory, LawsThatProjectWithMemoryHaveIt) {
  const double H[8] = {-1, -1, 1, 1, -1, 1, -1, 1}, K[4] = {-0.5, -0.5, -0.5, -0.5};
  perp_polyhedron law;
  perp_polyhedron_init(&law, sizeof law);
  law.law.size = 2;
  law.H = perp_dense(4, 2, H);
  law.K = K;
  const auto held = [](double a, double b) {  // of a, for speeds a and b
    const double x = std::fabs(a), y = std::fabs(b), over = x + y - 0.5;
    if (over <= 0) return -a;
    const double l = x - y >= 0.5 ? 0.5 : y - x >= 0.5 ? 0 : x - over / 2;
    return a > 0 ? -l : l;
  };
  for (const perp_solver *solver : {perp_solver_avi_pivoting(), perp_solver_extragradient()}) {
    tools::world w;
    w.options.solver = solver;
    w.add(w.body(tools::vec{1, 1, 1, 1}).system);
    tools::vec eye(16, 0.0);
    for (std::size_t i = 0; i < 4; i++) eye[5 * i] = 1;
    w.join(w.contact(4, 4, eye).relation, &law.law, {0});  // two copies
    w.v0 = {3, 1, 0.125, -0.25};
    tools::run r(w);
    ASSERT_EQ(r.status, PERP_OK) << r.info.field;
    tools::vec v = w.v0;
    for (int k = 0; k < 20; k++) {
      ASSERT_EQ(r.step(), PERP_OK) << k;
      const tools::vec l = {held(v[0], v[1]), held(v[1], v[0]), held(v[2], v[3]), held(v[3], v[2])};
      for (std::size_t i = 0; i < 4; i++) {
        EXPECT_NEAR(r.lambda(0, i), l[i], 1e-8) << k;
        v[i] += l[i];
        EXPECT_NEAR(r.v(0, i), v[i], 1e-8) << k;
      }
    }
    for (std::size_t i = 0; i < 4; i++) EXPECT_NEAR(r.v(0, i), 0, 1e-8);
    EXPECT_EQ(r.work[r.shift + r.work_bytes], 0xA5);
  }
}

}  // namespace
