// SPDX-License-Identifier: MIT
// A thousand models of random systems, relations and laws: every step solves the equations of its
// scheme, obeys every law and keeps its balance of energy, judged from the definitions.
#include <gtest/gtest.h>

#include "each.hpp"
#include "step_judge.hpp"

namespace {

using namespace tools;

struct outcome {
  std::int32_t steps = 0, acting = 0;
  perp_status failed = PERP_OK;
  std::string where;
  verdict worst;
};

// The energies that the library tells are those of the systems.
void judge_energy(const random_model &m, const step_judge &judge, const moment &s,
                  perp_simulation *sim, verdict &out) {
  wide sum = 0, size = 1;
  for (std::size_t i = 0; i < m.systems.size(); i++) {
    if (m.systems[i].order == 1) continue;
    if (!m.systems[i].exact) return;
    sum += judge.energy(s, i);
    size += std::fabs(judge.energy(s, i));
  }
  double T = 999, V = 999;
  if (perp_simulation_energy(sim, &T, &V) != PERP_OK) out.take(1, "energy", -1);
  out.take(std::fabs(T + V - sum) / size, "T + V", -1);
}

// And the work of reactions is that of impulses along the mean velocity of the step.
void judge_work(const random_model &m, const moment &old, const moment &now,
                const perp_simulation *sim, verdict &out) {
  for (std::size_t i = 0; i < m.relations.size(); i++) {
    if (m.relations[i].order == 1 || m.positions) continue;
    const wide theta = m.thetas[at(m.interaction_list[i]->systems[0])];
    wide sum = 0, size = 1e-3L;
    for (std::size_t r = 0; r < now.lambda[i].size(); r++) {
      const wide part = now.lambda[i][r] * (theta * now.ydot[i][r] + (1 - theta) * old.ydot[i][r]);
      sum += part;
      size += std::fabs(part);
    }
    double work = 999;
    if (perp_simulation_work_done(sim, count(i), &work, nullptr) != PERP_OK) work = 999;
    out.take(std::fabs(work - sum) / size, "work", count(i));
  }
}

outcome run(std::uint64_t seed) {
  random_model m(seed);
  outcome out;
  perp_info info = PERP_INFO_INIT;
  vec state(perp_simulation_state_size(&m.model, &m.options) / 8 + 1, 999);
  vec work(perp_simulation_work_size(&m.model, &m.options) / 8 + 1, 999);
  perp_simulation *sim = nullptr;
  perp_status status = perp_simulation_init(&sim, &m.model, &m.options, state.data(),
                                            state.size() * 8, work.data(), work.size() * 8, &info);
  if (status != PERP_OK) {
    out.failed = status;
    out.where = std::string("init: ") + (info.field != nullptr ? info.field : "?");
    return out;
  }
  step_judge judge(m);
  moment now = judge.look(sim);
  judge.begin(now, m.options.grid != nullptr ? m.grid[1] - m.grid[0] : m.options.h);
  for (std::int32_t k = 0; k < m.options.steps; k++) {
    const vec kept = state;
    status = perp_simulation_step(sim, &info);
    if (status != PERP_OK) {
      out.failed = status;
      out.where = std::string("step: ") + (info.field != nullptr ? info.field : "?");
      EXPECT_EQ(std::memcmp(kept.data(), state.data(), 8 * state.size()), 0) << seed;
      return out;
    }
    const moment next = judge.look(sim);
    verdict v = judge.judge(now, next);
    judge_energy(m, judge, next, sim, v);
    judge_work(m, now, next, sim, v);
    if (v.worst > out.worst.worst) {
      out.worst = v;
      out.worst.what += " in step " + std::to_string(k);
    }
    out.steps++;
    for (const wides &l : next.lambda)
      for (wide x : l) out.acting += x != 0;
    now = next;
  }
  return out;
}

TEST(RandomModels, StepsSolveTheEquationsOfTheScheme) {
  std::int32_t failures = 0, steps = 0, acting = 0;
  for (int seed = 1; seed <= 1000; seed += tools::each()) {
    const outcome o = run(static_cast<std::uint64_t>(seed));
    steps += o.steps;
    acting += o.acting;
    failures += o.failed != PERP_OK;
    EXPECT_GE(o.failed, 0) << seed << " " << o.where;
    EXPECT_LE(o.worst.worst, 1e-6) << "seed " << seed << ": " << o.worst.what;
  }
  EXPECT_LE(failures, 10 / tools::each());
  EXPECT_GE(steps, 15000 / tools::each());
  EXPECT_GE(acting, 20000 / tools::each());
}

}  // namespace
