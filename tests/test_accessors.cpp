// SPDX-License-Identifier: MIT
// What simulations by time-stepping and by events tell of the length and the level of what they
// show: random models of all kinds, held against the descriptions that they are made of.
#include <gtest/gtest.h>
#include <perp/experimental.h>

#include <climits>
#include <memory>

#include "random_model.hpp"

namespace {

using namespace tools;

struct destroyer {
  void operator()(perp_event_driven *sim) const { perp_event_driven_destroy(sim); }
};
using driven = std::unique_ptr<perp_event_driven, destroyer>;

driven by_events(const perp_model &m, const perp_event_options &o = perp_event_options_default()) {
  perp_event_driven *sim = nullptr;
  perp_info info = PERP_INFO_INIT;
  (void)perp_event_driven_create(&sim, &m, &o, &info);
  return driven(sim);
}

std::int32_t positions_of(const perp_system &s) {
  return s.ops->order == 2 ? s.n + s.ops->extra_q : 0;
}

// Lengths of a vector are those of its systems; each begins where the one before it ends.
template <class Sim, class View>
void lengths_are(const perp_model &m, Sim *sim, std::int32_t (*length)(const Sim *, std::int32_t),
                 View view, std::int32_t (*expected)(const perp_system &), bool one_piece) {
  const double *end = nullptr;
  for (std::int32_t i = 0; i < m.n_systems; i++) {
    ASSERT_EQ(length(sim, i), expected(*m.systems[i])) << i;
    const double *at = view(sim, i);
    ASSERT_EQ(at != nullptr, length(sim, i) > 0) << i;
    if (at == nullptr) continue;
    if (one_piece && end != nullptr && m.systems[i - 1]->ops->order == m.systems[i]->ops->order) {
      EXPECT_EQ(at, end) << i;
    }
    end = at + length(sim, i);
  }
  for (const std::int32_t i : {-1, m.n_systems, INT32_MIN, INT32_MAX}) EXPECT_EQ(length(sim, i), 0);
  EXPECT_EQ(length(nullptr, 0), 0);
}

std::int32_t velocities_of(const perp_system &s) { return s.ops->order == 2 ? s.n : 0; }
std::int32_t states_of(const perp_system &s) { return s.ops->order == 1 ? s.n : 0; }

std::int32_t level_of(const perp_system &first, bool positions) {
  if (first.ops->order == 1) return PERP_LEVEL_FORCE;
  return positions ? PERP_LEVEL_POSITION : PERP_LEVEL_IMPULSE;
}

TEST(Accessors, TimeSteppingTellsLengthsAndLevelsOfAnyModel) {
  std::int32_t seen[3] = {0, 0, 0}, bodies = 0;
  const double h = 0.01;
  for (std::uint64_t seed = 0; seed < 150; seed++) {
    random_model m(seed);
    run r(m.model, m.options);
    if (r.status != PERP_OK || perp_simulation_advance(r.sim, h, nullptr) != PERP_OK) continue;
    lengths_are(m.model, r.sim, perp_simulation_n_q, perp_simulation_q, positions_of, true);
    lengths_are(m.model, r.sim, perp_simulation_n_v, perp_simulation_v, velocities_of, true);
    lengths_are(m.model, r.sim, perp_simulation_n_x, perp_simulation_x, states_of, true);
    for (std::int32_t i = 0; i < m.model.n_interactions; i++) {
      const perp_interaction &joint = *m.model.interactions[i];
      const std::int32_t rows = joint.relation->m;
      const std::int32_t level = level_of(*m.model.systems[joint.systems[0]], m.positions);
      ASSERT_EQ(perp_simulation_n_rows(r.sim, i), rows);
      ASSERT_EQ(perp_simulation_level(r.sim, i), level);
      vec force(at(rows));
      ASSERT_EQ(perp_simulation_force(r.sim, i, force.data()), PERP_OK);
      const double unit = level == 0 ? 1 : level == 1 ? h : h * h;
      for (std::int32_t k = 0; k < rows; k++)
        EXPECT_EQ(force[at(k)], perp_simulation_lambda(r.sim, i)[k] / unit);
      seen[level]++;
    }
    for (std::int32_t i = 0; i < m.model.n_systems; i++)
      bodies += perp_simulation_n_q(r.sim, i) > perp_simulation_n_v(r.sim, i);
    for (const std::int32_t i : {-1, m.model.n_interactions, INT32_MIN, INT32_MAX}) {
      EXPECT_EQ(perp_simulation_n_rows(r.sim, i), 0);
      EXPECT_EQ(perp_simulation_level(r.sim, i), -1);
    }
  }
  EXPECT_EQ(perp_simulation_n_rows(nullptr, 0), 0);
  EXPECT_EQ(perp_simulation_level(nullptr, 0), -1);
  for (const std::int32_t n : seen) EXPECT_GE(n, 20);
  EXPECT_GE(bodies, 20);
}

// The number of parts that no interaction joins, by painting neighbours until nothing changes.
std::int32_t parts_of(const perp_model &m) {
  ids paint(at(m.n_systems));
  for (std::int32_t i = 0; i < m.n_systems; i++) paint[at(i)] = i;
  for (std::int32_t pass = 0; pass < m.n_systems; pass++)
    for (std::int32_t k = 0; k < m.n_interactions; k++) {
      const perp_interaction &joint = *m.interactions[k];
      std::int32_t least = INT32_MAX;
      for (std::int32_t s = 0; s < joint.n_systems; s++)
        least = std::min(least, paint[at(joint.systems[s])]);
      for (std::int32_t s = 0; s < joint.n_systems; s++) paint[at(joint.systems[s])] = least;
    }
  std::int32_t parts = 0;
  for (std::int32_t i = 0; i < m.n_systems; i++) parts += paint[at(i)] == i;
  return parts;
}

TEST(Accessors, EventsTellLengthsForcesAndPartsOfAnyModel) {
  std::int32_t judged = 0, several = 0;
  for (std::uint64_t seed = 0; seed < 150; seed++) {
    random_model m(seed);
    const driven made = by_events(m.model);
    perp_event_driven *sim = made.get();
    if (sim == nullptr) continue;
    judged++;
    lengths_are(m.model, sim, perp_event_driven_n_q, perp_event_driven_q, positions_of, false);
    lengths_are(m.model, sim, perp_event_driven_n_v, perp_event_driven_v, velocities_of, false);
    lengths_are(m.model, sim, perp_event_driven_n_x, perp_event_driven_x, states_of, false);
    std::int32_t n_q = 0, n_v = 0, n_x = 0, n_rows = 0;
    for (std::int32_t i = 0; i < m.model.n_systems; i++) {
      n_q += positions_of(*m.model.systems[i]);
      n_v += velocities_of(*m.model.systems[i]);
      n_x += states_of(*m.model.systems[i]);
    }
    for (std::int32_t i = 0; i < m.model.n_interactions; i++) {
      const std::int32_t rows = m.model.interactions[i]->relation->m;
      ASSERT_EQ(perp_event_driven_n_rows(sim, i), rows);
      const double *lambda = perp_event_driven_lambda(sim, i);
      vec force(at(rows) + 1, 7);
      ASSERT_EQ(perp_event_driven_force(sim, i, force.data()),
                lambda != nullptr ? PERP_OK : PERP_EINVAL);
      for (std::int32_t k = 0; lambda != nullptr && k < rows; k++)
        EXPECT_EQ(force[at(k)], lambda[k]);
      EXPECT_EQ(force[at(rows)], 7);
      n_rows += rows;
    }
    const perp_event *e = perp_event_driven_event(sim);
    EXPECT_EQ(e->n_q, n_q);
    EXPECT_EQ(e->n_v, n_v);
    EXPECT_EQ(e->n_x, n_x);
    EXPECT_EQ(e->n_rows, n_rows);
    EXPECT_EQ(perp_event_driven_components(sim), parts_of(m.model)) << seed;
    several += perp_event_driven_components(sim) > 1;
    double force = 0;
    for (const std::int32_t i : {-1, m.model.n_interactions, INT32_MIN, INT32_MAX}) {
      EXPECT_EQ(perp_event_driven_n_rows(sim, i), 0);
      EXPECT_EQ(perp_event_driven_force(sim, i, &force), PERP_EINVAL);
    }
    EXPECT_EQ(perp_event_driven_force(sim, 0, nullptr), PERP_EINVAL);
  }
  EXPECT_EQ(perp_event_driven_n_rows(nullptr, 0), 0);
  EXPECT_EQ(perp_event_driven_components(nullptr), 0);
  EXPECT_EQ(perp_event_driven_force(nullptr, 0, nullptr), PERP_EINVAL);
  EXPECT_GE(judged, 40);
  EXPECT_GE(several, 10);
}

// Guards and resets are told how long the state is that they look at.
TEST(Accessors, GuardsAndResetsKnowHowLongTheStateIs) {
  struct lengths {
    std::int32_t n_q, n_v, n_x, guards, resets;
    bool right(const perp_event_state *at) const {
      return at->n_q == n_q && at->n_v == n_v && at->n_x == n_x && at->reserved == 0;
    }
  };
  world w;
  w.add(w.body(vec{1, 2}).system);
  w.add(w.circuit(1).system);
  perp_body free;
  perp_body_init(&free, sizeof free);
  w.add(free.system);
  w.q0 = {0, 0, 0, 0, 0, 1, 0, 0, 0};
  w.v0 = {1, 0, 0, 0, 0, 0, 0, 0};
  w.x0 = {1};
  lengths told = {9, 8, 1, 0, 0};
  perp_guard guard{};
  guard.user = &told;
  guard.value = [](const perp_event_state *at, double *g, void *user) -> std::int32_t {
    auto *n = static_cast<lengths *>(user);
    n->guards += n->right(at);
    *g = at->q[0] - 0.5;
    return n->right(at) ? 0 : -1;
  };
  guard.reset = [](perp_event_state *at, void *user) -> std::int32_t {
    auto *n = static_cast<lengths *>(user);
    n->resets += n->right(at);
    return n->right(at) ? 0 : -1;
  };
  perp_event_options o = perp_event_options_default();
  o.guards = &guard;
  o.n_guards = 1;
  const driven sim = by_events(*w.finish(), o);
  ASSERT_NE(sim, nullptr);
  EXPECT_EQ(perp_event_driven_components(sim.get()), 1);  // a guard may look at all of them
  EXPECT_EQ(perp_event_driven_run(sim.get(), 1, nullptr, nullptr), PERP_OK);
  EXPECT_GT(told.guards, 0);
  EXPECT_EQ(told.resets, 1);
}

// Beyond 2³¹ steps the index is what it is: a run is resumed from a state that says so.
TEST(Accessors, StepsAreCountedBeyondThirtyTwoBits) {
  world w;
  w.add(w.body(vec{1}).system);
  run first(w);
  ASSERT_EQ(first.status, PERP_OK) << first.info.field;
  ASSERT_EQ(first.steps(3), PERP_OK);
  EXPECT_EQ(perp_simulation_step_index(first.sim), 3);
  EXPECT_EQ(perp_simulation_step_index(nullptr), 0);
  // The only 3 among the doubles of the state is the count of steps.
  const double many = 5e9;
  std::size_t places = 0;
  for (std::uint64_t &word : first.state) {
    double value = 0;
    std::memcpy(&value, &word, sizeof value);
    if (value != 3) continue;
    std::memcpy(&word, &many, sizeof word);
    places++;
  }
  ASSERT_EQ(places, 1u);
  run second(w.model, w.options, 0, first.state.data());
  ASSERT_EQ(second.status, PERP_OK) << second.info.field;
  EXPECT_EQ(perp_simulation_step_index(second.sim), 5000000000);
  EXPECT_EQ(second.step(), PERP_OK);
  EXPECT_EQ(perp_simulation_step_index(second.sim), 5000000001);
}

}  // namespace
