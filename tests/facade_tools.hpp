// SPDX-License-Identifier: MIT
// A model written in C beside one of the façade: their runs must have the same bits.
#ifndef PERP_TEST_FACADE_TOOLS_HPP
#define PERP_TEST_FACADE_TOOLS_HPP

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "perp/perp.h"
#include "perp/perp.hpp"

namespace tools {

/** The C side; what is added must live as long. */
class c_world {
 public:
  std::vector<double> q0, v0, x0;
  const perp_contact_pool *pool = nullptr;

  void add(const perp_system &s) { systems_.push_back(&s); }
  void connect(const perp_relation &r, const perp_law &l, const std::vector<std::int32_t> &joined) {
    joined_.push_back(joined);
    interactions_.push_back(
        {&r, &l, joined_.back().data(), static_cast<std::int32_t>(joined_.back().size()), 0});
  }
  perp_model model() {
    pointers_.clear();
    for (const auto &i : interactions_) pointers_.push_back(&i);
    perp_model m = PERP_MODEL_INIT;
    m.n_systems = static_cast<std::int32_t>(systems_.size());
    m.n_interactions = static_cast<std::int32_t>(interactions_.size());
    m.systems = systems_.data();
    m.interactions = pointers_.data();
    m.q0 = q0.empty() ? nullptr : q0.data();
    m.v0 = v0.empty() ? nullptr : v0.data();
    m.x0 = x0.empty() ? nullptr : x0.data();
    m.pool = pool;
    return m;
  }

 private:
  std::vector<const perp_system *> systems_;
  std::deque<std::vector<std::int32_t>> joined_;
  std::deque<perp_interaction> interactions_;
  std::vector<const perp_interaction *> pointers_;
};

/** Run both for some steps with the same options; states are compared byte by byte. */
inline void expect_same_bits(const perp::model &mine, c_world &world, perp::simulation_options o,
                             int steps = 50) {
  const perp_model model = world.model();
  perp_info info = PERP_INFO_INIT;
  ASSERT_EQ(perp_model_check(&model, &info), PERP_OK) << info.field << " " << info.index;
  if (o.solver.solver == nullptr) o.solver = perp::nsgs();
  perp_simulation_options c = perp_simulation_options_default();
  c.h = o.h;
  c.theta = o.theta;
  c.gamma = o.gamma;
  c.min_gap = o.min_gap;
  c.gap_tol = o.gap_tol == perp::gap_by_model ? perp_pool_gap_tol_of_step(&model, o.h) : o.gap_tol;
  c.reaction_gamma = o.reaction_gamma;
  c.newton_stop = static_cast<std::int32_t>(o.newton_stop);
  c.newton_start = static_cast<std::int32_t>(o.newton_start);
  c.newton_max = o.newton_max;
  c.newton_halvings = o.newton_halvings;
  c.newton_tol = o.newton_tol;
  c.projection = static_cast<std::int32_t>(o.projection);
  c.projection_max = o.projection_max;
  c.projection_tol = o.projection_tol;
  c.projection_tol_unilateral = o.projection_tol_unilateral;
  c.solver = o.solver.solver;
  const bool order1 = !world.x0.empty();
  c.integrator = o.integrator != nullptr ? o.integrator
                 : order1                ? perp_integrator_theta()
                                         : perp_integrator_moreau_jean();
  std::vector<std::uint64_t> state(perp_simulation_state_size(&model, &c) / 8 + 1);
  std::vector<unsigned char> work(perp_simulation_work_size(&model, &c));
  perp_simulation *raw = nullptr;
  ASSERT_EQ(perp_simulation_init(&raw, &model, &c, state.data(), 8 * state.size(), work.data(),
                                 work.size(), &info),
            PERP_OK)
      << info.field << " " << info.index << " " << info.value;
  perp::simulation sim(mine, o);
  std::size_t bytes = 0, mine_bytes = 0;
  for (int k = 0; k <= steps; k++) {
    if (k > 0) {
      ASSERT_EQ(perp_simulation_step(raw, &info), PERP_OK) << "step " << k << " " << info.residual;
      ASSERT_EQ(sim.step(), PERP_OK) << "step " << k;
    }
    const void *expected = perp_simulation_state(raw, &bytes);
    const void *got = perp_simulation_state(sim.get(), &mine_bytes);
    ASSERT_EQ(bytes, mine_bytes);
    ASSERT_EQ(std::memcmp(expected, got, bytes), 0) << "step " << k;
  }
}

/** What the call threw: its text must hold all of words. */
template <class Call>
void expect_refusal(Call &&call, const std::vector<std::string> &words) {
  try {
    call();
    FAIL() << "accepted " << words.front();
  } catch (const perp::error &e) {
    for (const auto &word : words) {
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
    }
  }
}

/** The field of what the call threw, "" where it threw nothing. */
inline std::string field_of(const std::function<void()> &call) {
  try {
    call();
  } catch (const perp::error &e) {
    return e.field() == nullptr ? "no field" : e.field();
  }
  return "";
}

/** Steps of length h that begin with gaps as deep as the tests have them. */
inline perp::simulation_options deep_steps(double h) {
  perp::simulation_options o;
  o.h = h;
  o.min_gap = -10;
  return o;
}

}  // namespace tools

#endif
