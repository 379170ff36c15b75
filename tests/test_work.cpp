// SPDX-License-Identifier: MIT
// The work of reactions: what contacts take from the energy of their systems, and what friction
// has of it.
#include <gtest/gtest.h>

#include <cmath>

#include "model_tools.hpp"

namespace {

using namespace tools;

struct running {
  vec state, work;
  perp_simulation *sim = nullptr;
  explicit running(world &w) {
    w.finish();
    state.assign(perp_simulation_state_size(&w.model, &w.options) / 8 + 1, 999);
    work.assign(perp_simulation_work_size(&w.model, &w.options) / 8 + 1, 999);
    EXPECT_EQ(perp_simulation_init(&sim, &w.model, &w.options, state.data(), 8 * state.size(),
                                   work.data(), 8 * work.size(), nullptr),
              PERP_OK);
  }
  double energy() const {
    double T = 999, V = 999;
    EXPECT_EQ(perp_simulation_energy(sim, &T, &V), PERP_OK);
    return T + V;
  }
  double done(std::int32_t i = -1) const {
    double all = 999;
    EXPECT_EQ(perp_simulation_work_done(sim, i, &all, nullptr), PERP_OK);
    return all;
  }
  double slid(std::int32_t i = -1) const {
    double part = 999;
    EXPECT_EQ(perp_simulation_work_done(sim, i, nullptr, &part), PERP_OK);
    return part;
  }
};

// A ball above a floor, and one that hits the other.
void balls(world &w, double e) {
  const auto &b = w.body(vec{2.0});
  bool first = true;
  for (double height : {0.02, 0.05}) {
    w.add(b.system);
    w.q0.push_back(height);
    w.v0.push_back(-1);
  }
  w.bodies.back().f = w.keep({-19.62});
  for (const ids &on : {ids{0}, ids{0, 1}}) {
    auto &r = w.contact(1, count(on.size()), first ? vec{1} : vec{-1, 1});
    w.join(r.relation, w.impact(e), on);
    first = false;
  }
}

TEST(Work, OfImpactsIsTheLossOfEnergyWithoutDamping) {
  for (double e : {0.0, 0.5, 1.0}) {
    world w;
    w.options.theta = 0.5;
    balls(w, e);
    running r(w);
    EXPECT_EQ(r.done(), 0);
    double total = 0;
    for (std::int32_t k = 0; k < 200; k++) {
      const double before = r.energy();
      ASSERT_EQ(perp_simulation_step(r.sim, nullptr), PERP_OK);
      EXPECT_NEAR(r.energy() - before, r.done(), 1e-13);
      EXPECT_NEAR(r.done(0) + r.done(1), r.done(), 1e-15);
      EXPECT_EQ(r.slid(), 0);
      total += r.done();
    }
    if (e == 1)
      EXPECT_NEAR(total, 0, 1e-12);
    else
      EXPECT_LT(total, -0.5);
  }
}

TEST(Work, OfAnImpactIsThatOfNewtonsLaw) {
  world w;
  w.options.theta = 0.7;
  w.body(vec{3.0});
  w.add(w.bodies.back().system);
  auto &r = w.contact(1, 1, {1});
  w.join(r.relation, w.impact(0.25), {0});
  w.v0 = {-2};
  running run(w);
  ASSERT_EQ(perp_simulation_step(run.sim, nullptr), PERP_OK);
  // P = m (1 + e) 2, velocities −2 and 0.5, weighed by θ
  EXPECT_NEAR(run.done(), 7.5 * (0.7 * 0.5 - 0.3 * 2), 1e-14);
}

TEST(Work, OfFrictionIsWhatABlockLoses) {
  world w;
  w.options.theta = 0.5;
  w.options.h = 1e-3;
  w.body(vec{1.5, 1.5});
  w.add(w.bodies.back().system);
  w.bodies.back().f = w.keep({0.0, -1.5 * 9.81});
  auto &r = w.contact(2, 2, {0, 1, 1, 0});
  w.join(r.relation, w.friction(2, 0.4), {0});
  w.options.solver = perp_solver_nsgs();
  w.v0 = {2, 0};
  running run(w);
  double lost = 0;
  for (std::int32_t k = 0; k < 1000; k++) {
    ASSERT_EQ(perp_simulation_step(run.sim, nullptr), PERP_OK);
    EXPECT_LE(run.slid(), 1e-15);
    EXPECT_NEAR(run.slid(), run.done(), 1e-14);
    lost -= run.slid();
  }
  EXPECT_NEAR(lost, 0.5 * 1.5 * 4, 1e-10);  // it has stopped
  const double stop = 2 * 2 / (2 * 0.4 * 9.81);
  EXPECT_NEAR(perp_simulation_q(run.sim, 0)[0], stop, 1e-6);
}

TEST(Work, IsNoneWhereNothingActs) {
  world w;
  balls(w, 0.5);
  w.options.h = 1e-4;
  running r(w);
  ASSERT_EQ(perp_simulation_step(r.sim, nullptr), PERP_OK);
  EXPECT_EQ(r.done(), 0);
}

TEST(Work, OnPositionsIsThatOfForcesAlongTheGap) {
  world w;
  w.options.integrator = perp_integrator_schatzman_paoli();
  w.options.theta = 0.5;
  balls(w, 0.5);
  running r(w);
  for (std::int32_t k = 0; k < 50; k++) {
    const double before = perp_simulation_y(r.sim, 0)[0];
    ASSERT_EQ(perp_simulation_step(r.sim, nullptr), PERP_OK);
    double force = 999;
    ASSERT_EQ(perp_simulation_force(r.sim, 0, &force), PERP_OK);
    EXPECT_NEAR(r.done(0), force * (perp_simulation_y(r.sim, 0)[0] - before), 1e-11);
  }
}

TEST(Work, RefusesWhatItDoesNotKnow) {
  world w;
  balls(w, 0.5);
  running r(w);
  double x = 999;
  EXPECT_EQ(perp_simulation_work_done(nullptr, 0, &x, &x), PERP_EINVAL);
  EXPECT_EQ(perp_simulation_work_done(r.sim, -2, &x, &x), PERP_EINVAL);
  EXPECT_EQ(perp_simulation_work_done(r.sim, 2, &x, &x), PERP_EINVAL);
  EXPECT_EQ(x, 999);
  EXPECT_EQ(perp_simulation_work_done(r.sim, 1, nullptr, nullptr), PERP_OK);
}

}  // namespace
