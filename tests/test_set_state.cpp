// SPDX-License-Identifier: MIT
// perp_simulation_set_state(): what goes on from a state that is set has the bits of a new
// simulation that begins there; what is not set stays; what is refused changes nothing.
#include <gtest/gtest.h>
#include <perp/contact_list.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <string>

#include "pool_tools.hpp"
#include "random_model.hpp"

namespace {

using namespace tools;

constexpr std::size_t kHead = 48;  // bytes of a state before q: time, step and fingerprint

// q, v and x of all systems, as a model has them.
struct values {
  vec q, v, x;
  values() = default;
  explicit values(const run &r) {
    for (std::int32_t i = 0;; i++) {
      const std::int32_t n_q = perp_simulation_n_q(r.sim, i), n_v = perp_simulation_n_v(r.sim, i),
                         n_x = perp_simulation_n_x(r.sim, i);
      if (n_v == 0 && n_x == 0) break;
      const auto add = [](vec &to, const double *from, std::int32_t n) {
        if (n > 0) to.insert(to.end(), from, from + n);
      };
      add(q, perp_simulation_q(r.sim, i), n_q);
      add(v, perp_simulation_v(r.sim, i), n_v);
      add(x, perp_simulation_x(r.sim, i), n_x);
    }
  }
  perp_status set(run &r, std::int32_t first, std::int32_t n) const {
    return perp_simulation_set_state(r.sim, first, n, q.data(), v.data(), x.data(), &r.info);
  }
  perp_status set(run &r, const world &w) const { return set(r, 0, w.model.n_systems); }
};

// A new simulation of the same model that begins there and then; its initial values are w's then.
struct begun {
  vec q, v, x;
  perp_simulation_options options;
  run fresh;
  begun(world &w, const values &at, double t)
      : q(at.q), v(at.v), x(at.x), options(at_time(w.options, t)), fresh(put(w), options) {}

 private:
  static perp_simulation_options at_time(perp_simulation_options o, double t) {
    o.t0 = t;
    if (o.steps > 0) o.steps -= static_cast<std::int32_t>(std::lround(t / o.h));
    return o;
  }
  const perp_model &put(world &w) {
    w.q0 = q, w.v0 = v, w.x0 = x;
    return *w.finish();
  }
};

::testing::AssertionResult same(const run &a, const run &b) {
  const auto one = a.bytes(), other = b.bytes();
  if (one.size() != other.size()) return ::testing::AssertionFailure() << "sizes";
  if (a.time() != b.time()) return ::testing::AssertionFailure() << a.time() << " " << b.time();
  for (std::size_t i = kHead; i < one.size(); i++)
    if (one[i] != other[i])
      return ::testing::AssertionFailure() << "byte " << i << " of " << one.size();
  return ::testing::AssertionSuccess();
}

// Both go on alike; how many steps were taken.
int go_on_alike(run &a, run &b, int steps) {
  for (int k = 0; k < steps; k++) {
    const perp_status one = a.step(), other = b.step();
    EXPECT_EQ(one, other) << k;
    EXPECT_TRUE(same(a, b)) << k;
    if (one != PERP_OK || one != other || ::testing::Test::HasFailure()) return k;
  }
  return steps;
}

bool has_law_states(const run &r, const world &w) {
  for (std::int32_t i = 0; i < w.model.n_interactions; i++)
    if (perp_simulation_law_state(r.sim, i, 0, nullptr) != nullptr) return true;
  return false;
}

// ---- all kinds ----

// Somewhere else: numbers moved by up to so much, quaternions turned and of length 1.
values moved(const random_model &m, const run &r, dice &d, double far) {
  values to(r);
  for (vec *each : {&to.q, &to.v, &to.x})
    for (double &number : *each) number += d.in(-far, far);
  std::size_t at_q = 0;
  for (const perp_system *s : m.system_list) {
    if (s->ops->order != 2) continue;
    if (s->ops->extra_q == 1) {
      double *const turn = &to.q[at_q + 3],
                    length = std::sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2] +
                                       turn[3] * turn[3]);
      for (int i = 0; i < 4; i++) turn[i] /= length;
    }
    at_q += at(s->n) + at(s->ops->extra_q);
  }
  return to;
}

TEST(SetState, RandomModelsGoOnAsIfTheyBeganThere) {
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 0; seed < 240; seed++) {
    random_model m(seed);
    dice d(seed + 7);
    m.options.grid = nullptr;
    m.options.h = 1.0 / 128;  // times of the grid are exact
    run r(m.model, m.options);
    if (r.status != PERP_OK) continue;
    const int before = has_law_states(r, m) ? 0 : d.pick(m.options.steps);
    if (r.steps(before) != PERP_OK) continue;
    const values to = moved(m, r, d, 0.1);
    if (to.set(r, m) != PERP_OK) continue;  // out of the reach of some function
    begun b(m, to, r.time());
    ASSERT_EQ(b.fresh.status, PERP_OK) << seed;
    ASSERT_TRUE(same(r, b.fresh)) << seed << (m.positions ? " on positions" : "");
    seen[m.positions ? "steps on positions" : "steps"] +=
        go_on_alike(r, b.fresh, m.options.steps - before);
    ASSERT_FALSE(HasFailure()) << seed << (m.positions ? " on positions" : "");
    for (const perp_system *s : m.system_list) seen[s->ops->name]++;
    for (const perp_interaction *i : m.interaction_list) seen[i->relation->ops->name]++;
    seen["joints"] += !m.joints.empty();
    seen["begun later"] += before > 0;
  }
  EXPECT_GT(seen["steps"], 2000);
  EXPECT_GT(seen["steps on positions"], 100);
  EXPECT_GT(seen["joints"], 1);
  EXPECT_GT(seen["begun later"], 150);
  for (const char *kind : {"Lagrangian", "Lagrangian linear", "Newton-Euler body",
                           "first-order linear", "first-order nonlinear", "contact of bodies"})
    EXPECT_GT(seen[kind], 20) << kind;
}

// A state that is set is one of the state block: it is a checkpoint like any other.
TEST(SetState, ACheckpointBehindItHasTheBitsOfTheRun) {
  int steps = 0;
  for (std::uint64_t seed = 0; seed < 150; seed++) {
    random_model m(seed);
    dice d(seed);
    run r(m.model, m.options);
    const std::int32_t half = m.options.steps / 2;
    if (r.status != PERP_OK || r.steps(half) != PERP_OK) continue;
    if (moved(m, r, d, 0.05).set(r, m) != PERP_OK) continue;
    const auto bytes = r.bytes();
    run again(m.model, m.options, 0, bytes.data());
    ASSERT_EQ(again.status, PERP_OK) << seed;
    steps += go_on_alike(r, again, m.options.steps - half);
    ASSERT_FALSE(HasFailure()) << seed;
  }
  EXPECT_GT(steps, 500);
}

// ---- what it leaves alone ----

// What is given as it is does not begin anew, whatever stands beside it.
TEST(SetState, TheSameValuesChangeNothing) {
  for (std::uint64_t seed = 0; seed < 100; seed++) {
    random_model m(seed);
    run r(m.model, m.options), alone(m.model, m.options);
    if (r.status != PERP_OK) continue;
    for (std::int32_t k = 0; k < m.options.steps; k++) {
      const auto before = r.bytes();
      ASSERT_EQ(values(r).set(r, m), PERP_OK);
      ASSERT_EQ(perp_simulation_set_state(r.sim, 0, m.model.n_systems, nullptr, nullptr, nullptr,
                                          nullptr),
                PERP_OK);
      ASSERT_EQ(r.bytes(), before) << seed;
      const perp_status taken = r.step();
      ASSERT_EQ(taken, alone.step()) << seed;
      ASSERT_TRUE(same(r, alone)) << seed << " " << k;
      if (taken != PERP_OK) break;
    }
  }
}

// Two balls that know nothing of each other: what one is given is nothing to the other.
TEST(SetState, OtherSystemsGoOn) {
  for (const bool positions : {false, true}) {
    world w, one;
    for (world *each : {&w, &one}) {
      make_ball(*each, 1, kGravity, 0, 0, 0.5);  // at rest
      each->options.h = 1.0 / 128;
      if (positions) each->options.integrator = perp_integrator_schatzman_paoli();
    }
    w.add(w.bodies[0].system);
    w.q0.push_back(0), w.v0.push_back(0);
    w.join(w.contacts[0].relation, w.impact(0.5), {1});
    run r(w), alone(one);
    for (int k = 0; k < 60; k++) {
      if (k == 20) {
        const double q = 0.3, v = 2;
        ASSERT_EQ(perp_simulation_set_state(r.sim, 1, 1, &q, &v, nullptr, &r.info), PERP_OK);
        EXPECT_EQ(r.q(1), 0.3);
        EXPECT_EQ(r.v(1), 2);
        EXPECT_EQ(r.y(1), 0.3);
        EXPECT_EQ(perp_simulation_ydot(r.sim, 1)[0], 2);
        EXPECT_EQ(r.lambda(1), 0);
        EXPECT_GT(r.lambda(0), 0);
      }
      ASSERT_EQ(r.step(), PERP_OK);
      ASSERT_EQ(alone.step(), PERP_OK);
      ASSERT_EQ(r.q(0), alone.q(0)) << k;
      ASSERT_EQ(r.v(0), alone.v(0)) << k;
      ASSERT_EQ(r.lambda(0), alone.lambda(0)) << k;
    }
  }
}

// By hand: q_{k+1} = 2 q_k − q_{k−1} − h² g with q_{k−1} = q − h v, of that ball alone.
TEST(SetState, ASchemeOnPositionsGoesOnFromTheLineThroughIt) {
  world w;
  make_column(w, {0.5, 0.25}, 1, kGravity, 0.5);
  w.options.h = 1.0 / 128;
  w.options.integrator = perp_integrator_schatzman_paoli();
  run r(w);
  ASSERT_EQ(r.steps(5), PERP_OK);
  const double h = w.options.h, v = 1.5;
  ASSERT_EQ(perp_simulation_set_state(r.sim, 1, 1, nullptr, &v, nullptr, nullptr), PERP_OK);
  EXPECT_EQ(r.v(1), 1.5);
  const double q = r.q(1);
  ASSERT_EQ(r.step(), PERP_OK);
  EXPECT_NEAR(r.q(1), q + h * v - h * h * kGravity, 1e-14);
  // the lower has the way of free fall from its own two positions
  const double fall = 0.5 - kGravity * h * h * (1 + 2 + 3 + 4 + 5 + 6);
  EXPECT_NEAR(r.q(0), fall, 1e-14);
}

// ---- systems that are off ----

TEST(SetState, WhatIsOffStaysWhereItIsPut) {
  world w, alone;
  for (world *each : {&w, &alone}) make_ball(*each, 1, kGravity, 1, 0, 0.5);
  w.options.switchable = 1;
  w.options.h = alone.options.h = 1.0 / 128;
  run r(w);
  ASSERT_EQ(r.steps(9), PERP_OK);
  ASSERT_EQ(perp_simulation_set_active(r.sim, 0, 0), PERP_OK);
  const double q = 2, v = -3;
  ASSERT_EQ(perp_simulation_set_state(r.sim, 0, 1, &q, &v, nullptr, nullptr), PERP_OK);
  ASSERT_EQ(r.steps(5), PERP_OK);
  EXPECT_EQ(r.q(), 2);
  EXPECT_EQ(r.v(), -3);
  ASSERT_EQ(perp_simulation_set_active(r.sim, 0, 1), PERP_OK);
  alone.q0 = {2}, alone.v0 = {-3};
  run b(alone);
  for (int k = 0; k < 100; k++) {
    ASSERT_EQ(r.step(), PERP_OK);
    ASSERT_EQ(b.step(), PERP_OK);
    ASSERT_EQ(r.q(), b.q()) << k;
    ASSERT_EQ(r.v(), b.v()) << k;
  }
}

// ---- contacts of a pool ----

void make_grains(pooled &w, std::int32_t n, bool swept) {
  if (swept) w.options.formulation = PERP_FORMULATION_GLOBAL;
  w.law(w.friction(3, 0.4, 0.2));
  w.options.h = 1.0 / 256;
  w.options.min_gap = -0.1;
  w.options.theta = 1;
  perp_lagrangian_linear &s = grain(w, 1);
  for (std::int32_t i = 0; i < n; i++) {
    w.add(s.system);
    w.q0.insert(w.q0.end(), {0.3 * (i % 2), 0.07 * i, 0.51 + 1.02 * i});
    w.v0.insert(w.v0.end(), {0.1, 0, -1});
  }
  w.find = [n](double, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
    add_grains(sim, n, 0.5, 0.02, out);
    return 0;
  };
}

TEST(SetState, APoolFindsItsContactsAnew) {
  for (const bool swept : {false, true}) {
    pooled w(60);
    make_grains(w, 5, swept);
    run r(w);
    ASSERT_EQ(r.status, PERP_OK);
    ASSERT_EQ(r.steps(100), PERP_OK) << r.info.field;
    values to(r);
    for (double &number : to.q) number += 0.01;
    for (double &number : to.v) number *= -0.5;
    ASSERT_EQ(to.set(r, w), PERP_OK);
    std::int32_t n = -1;
    ASSERT_EQ(perp_simulation_contacts(r.sim, nullptr, sizeof(perp_contact_view), 0, &n), PERP_OK);
    EXPECT_EQ(n, 0);
    begun b(w, to, r.time());
    ASSERT_EQ(b.fresh.status, PERP_OK);
    for (int k = 0; k < 100; k++) {
      ASSERT_EQ(r.step(), PERP_OK);
      ASSERT_EQ(b.fresh.step(), PERP_OK);
      ASSERT_TRUE(same(r, b.fresh)) << swept << " " << k;
    }
    EXPECT_GT(r.report().impacts, 2);
  }
}

// The contacts of others keep what they know: λ of the rest, and what has stuck to the ground.
TEST(SetState, ContactsOfOtherSystemsStay) {
  for (const bool swept : {false, true}) {
    pooled w(60), one(60);
    make_grains(w, 2, swept);
    w.q0 = {0, 0, 0.5, 5, 0, 0.5};
    w.v0.assign(6, 0);
    w.find = [](double, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
      add_grains(sim, 2, 0.5, 0.02, out);
      return 0;
    };
    run r(w);
    ASSERT_EQ(r.steps(20), PERP_OK);
    const double q[] = {0, 0, 3}, v[] = {0, 0, 0};
    ASSERT_EQ(perp_simulation_set_state(r.sim, 0, 1, q, v, nullptr, nullptr), PERP_OK);
    perp_contact_view list[4];
    std::int32_t n = 0;
    ASSERT_EQ(perp_simulation_contacts(r.sim, list, sizeof *list, 4, &n), PERP_OK);
    ASSERT_EQ(n, 1);
    EXPECT_EQ(list[0].systems[0], 1);
    EXPECT_NEAR(list[0].lambda[0], kGravity * w.options.h, 1e-9);
    const auto bytes = r.bytes();
    run again(w.model, w.options, 0, bytes.data());
    ASSERT_EQ(again.status, PERP_OK);
    EXPECT_EQ(go_on_alike(r, again, 50), 50);
    EXPECT_LT(r.q(0, 2), 3);
    EXPECT_NEAR(r.q(1, 2), 0.5, 1e-9);
  }
}

// ---- what is refused ----

TEST(SetState, WhatIsRefusedChangesNothing) {
  world w;
  make_ball(w, 1, kGravity, 0, 0, 0.5);
  perp_body body = sphere(1, 0.1);
  w.add(body.system);
  w.q0.insert(w.q0.end(), {0, 0, 0, 1, 0, 0, 0});
  w.v0.insert(w.v0.end(), 6, 0.0);
  perp_first_order_linear &x = w.circuit(1);
  w.integrators = {perp_integrator_moreau_jean(), perp_integrator_moreau_jean(),
                   perp_integrator_theta()};
  w.options.integrators = w.integrators.data();
  w.add(x.system);
  w.x0 = {1};
  run r(w);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  ASSERT_EQ(r.steps(5), PERP_OK);
  const auto before = r.bytes();
  const values now(r);
  const auto refused = [&](perp_status status, const char *field, std::int32_t index,
                           const std::function<void(values &)> &spoil) {
    values bad = now;
    spoil(bad);
    bad.v[3] += 1;  // and what is well beside it is not set either
    EXPECT_EQ(bad.set(r, w), status) << field;
    EXPECT_STREQ(r.info.field, field);
    EXPECT_EQ(r.info.index, index) << field;
    EXPECT_EQ(r.bytes(), before) << field;
  };
  refused(PERP_ENOTFINITE, "q", 1, [](values &b) { b.q[2] = NAN; });
  refused(PERP_ENOTFINITE, "v", 0, [](values &b) { b.v[0] = HUGE_VAL; });
  refused(PERP_ENOTFINITE, "x", 2, [](values &b) { b.x[0] = NAN; });
  refused(PERP_EINVAL, "q0", 1, [](values &b) { b.q[4] = 1.01; });
  refused(PERP_EINVAL, "gap", 0, [](values &b) { b.q[0] = -0.1; });
  EXPECT_EQ(now.set(r, -1, 1), PERP_EINVAL);
  EXPECT_STREQ(r.info.field, "systems.first");
  EXPECT_EQ(now.set(r, 4, 0), PERP_EINVAL);
  EXPECT_EQ(now.set(r, 1, 3), PERP_EINVAL);
  EXPECT_STREQ(r.info.field, "systems.count");
  EXPECT_EQ(now.set(r, 0, -1), PERP_EINVAL);
  EXPECT_EQ(perp_simulation_set_state(nullptr, 0, 0, nullptr, nullptr, nullptr, nullptr),
            PERP_EINVAL);
  EXPECT_EQ(r.bytes(), before);
  EXPECT_EQ(now.set(r, 3, 0), PERP_OK);
  EXPECT_EQ(r.steps(5), PERP_OK);
}

// What overlaps already may go on to, and be taken out; not deeper.
TEST(SetState, AnOverlapMayShrink) {
  world w;
  make_ball(w, 1, kGravity, 0, 0, 0.5);
  w.options.min_gap = -1;
  w.q0 = {-0.5};
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  w.options.min_gap = -0.1;
  const auto bytes = r.bytes();
  run deep(w.model, w.options, 0, bytes.data());  // no gap is looked at
  ASSERT_EQ(deep.status, PERP_OK);
  const double v = 1, more = -0.6, less = -0.4;
  EXPECT_EQ(perp_simulation_set_state(deep.sim, 0, 1, nullptr, &v, nullptr, nullptr), PERP_OK);
  EXPECT_EQ(perp_simulation_set_state(deep.sim, 0, 1, &more, nullptr, nullptr, nullptr),
            PERP_EINVAL);
  EXPECT_EQ(perp_simulation_set_state(deep.sim, 0, 1, &less, nullptr, nullptr, nullptr), PERP_OK);
  EXPECT_EQ(deep.y(), -0.4);
}

}  // namespace
