// SPDX-License-Identifier: MIT
// Contacts swept body by body: judged by dense matrices and the law's own cases; in simulations
// against the one-step problem that is assembled.
#include <gtest/gtest.h>
#include <perp/contact_list.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <set>

#include "pool_scenes.hpp"
#include "swept_tools.hpp"

namespace {

using tools::add_grains;
using tools::at;
using tools::contact_of;
using tools::count;
using tools::in_threads;
using tools::kGravity;
using tools::operator-;
using tools::operator*;
using tools::pooled;
using tools::run;
using tools::vec;

// ------------------------------------------------------------------------- the kernel ----

using swept::body;
using swept::contact;
using swept::dot;
using swept::generator;
using swept::judge;
using swept::scene;
using swept::solved;

TEST(Swept, SolvesTheLawByItsDefinition) {
  int solved_ones = 0;
  for (std::uint64_t seed = 0; seed < 300; seed++) {
    generator any(seed);
    scene s;
    const std::int32_t n = 1 + any(12);
    for (std::int32_t i = 0; i < n; i++) s.bodies.push_back(any.any_body(any(3)));
    for (std::int32_t k = 1 + any(2 * n); k > 0; k--) s.contacts.push_back(any.any_contact(n));
    solved out(s);
    out.solve(1e-12);
    if (out.status != PERP_OK) continue;  // no solution, or no convergence: nothing is claimed
    solved_ones++;
    ASSERT_LT(judge(s, out.lambda(s)), 1e-9) << seed;
  }
  EXPECT_GT(solved_ones, 270);
}

// W of each contact is diagonal then, and sliding is found without an iteration.
TEST(Swept, SpheresSlideByTheLaw) {
  int slides = 0;
  for (std::uint64_t seed = 0; seed < 100; seed++) {
    generator any(seed);
    scene s;
    const std::int32_t n = 1 + any(12);
    for (std::int32_t i = 0; i < n; i++) s.bodies.push_back(any.any_body(0));
    for (std::int32_t k = 1 + any(2 * n); k > 0; k--) {
      contact c = any.any_contact(n);
      c.mu = any(0.05, 0.5);
      for (std::size_t i = 0; i < 3; i++) c.arm_a[i] = -0.7 * c.n[i], c.arm_b[i] = 0.4 * c.n[i];
      s.contacts.push_back(c);
    }
    solved out(s);
    out.solve(1e-12);
    if (out.status != PERP_OK) continue;
    const auto lambda = out.lambda(s);
    ASSERT_LT(judge(s, lambda), 1e-9) << seed;
    for (std::size_t k = 0; k < lambda.size(); k++) {
      const double *const l = lambda[k].data(), most = s.contacts[k].mu * l[0];
      slides += l[0] > 0 && std::hypot(l[1], l[2]) > 0.999999 * most;
      EXPECT_LE(std::hypot(l[1], l[2]), most * (1 + 1e-15));
    }
  }
  EXPECT_GT(slides, 100);
}

TEST(Swept, WhatIsNotSolvedIsNotClaimed) {
  generator any(5);
  scene s;
  for (int i = 0; i < 40; i++) s.bodies.push_back(any.any_body(0));
  for (int k = 0; k < 80; k++) s.contacts.push_back(any.any_contact(40));
  solved out(s);
  out.solve(1e-12, 0, 2);
  EXPECT_EQ(out.status, PERP_MAX_ITER);
  EXPECT_EQ(out.outcome.sweeps, 2);
  EXPECT_GT(out.outcome.residual, 0);
  ASSERT_GE(out.outcome.worst, 0);
  EXPECT_GT(judge(s, out.lambda(s)), 1e-9);
  out.set.free[7] = std::numeric_limits<double>::quiet_NaN();
  out.solve(1e-12);
  EXPECT_EQ(out.status, PERP_ENOTFINITE);
}

TEST(Swept, ALooserResidualEndsEarlierAndIsHeld) {
  generator any(8);
  scene s;
  for (int i = 0; i < 60; i++) s.bodies.push_back(any.any_body(1));
  for (int k = 0; k < 120; k++) s.contacts.push_back(any.any_contact(60));
  std::int32_t before = 0;
  for (const double speed : {1e-1, 1e-3, 1e-5}) {
    solved out(s);
    out.solve(0, speed);
    ASSERT_EQ(out.status, PERP_OK);
    EXPECT_LE(out.outcome.residual, speed);
    EXPECT_GE(out.outcome.sweeps, before);
    before = out.outcome.sweeps;
  }
}

// A grid of bodies, each in contact with its neighbours; star: all of them with the first, too.
scene grid(std::int32_t side, bool star) {
  generator any(3);
  scene s;
  for (std::int32_t i = 0; i < side * side * side; i++) s.bodies.push_back(any.any_body(0));
  const auto add = [&](std::int32_t a, std::int32_t b) {
    contact c = any.any_contact(2);
    c.a = a;
    c.b = b;
    s.contacts.push_back(c);
  };
  for (std::int32_t i = 0; i < side * side * side; i++) {
    const std::int32_t x = i % side, y = i / side % side, z = i / side / side;
    if (x > 0) add(i, i - 1);
    if (y > 0) add(i, i - side);
    if (z > 0)
      add(i, i - side * side);
    else
      add(i, -1);
    if (star && i > 0) add(i, 0);
  }
  return s;
}

TEST(Swept, ChunksOfAPhaseShareNoBody) {
  for (const bool star : {false, true})
    for (const std::int32_t side : {1, 2, 5, 16}) {
      const scene s = grid(side, star);
      solved out(s);
      const swept_set &set = out.set;
      std::vector<int> seen(s.contacts.size());
      for (std::int32_t k = 0; k < set.n_contacts; k++) seen[at(set.order[k])]++;
      ASSERT_EQ(std::count(seen.begin(), seen.end(), 1), count(seen.size()));
      ASSERT_EQ(set.chunk[set.phase[set.phases]], set.n_contacts);
      for (std::int32_t p = 0; p < set.phases; p++) {
        std::vector<std::int32_t> owner(at(set.n_bodies), -1);
        for (std::int32_t c = set.phase[p]; c < set.phase[p + 1]; c++)
          for (std::int32_t k = set.chunk[c]; k < set.chunk[c + 1]; k++)
            for (const std::int32_t b : set.contacts[k].body) {
              if (b < 0) continue;
              ASSERT_TRUE(owner[at(b)] < 0 || owner[at(b)] == c);
              owner[at(b)] = c;
            }
      }
      // bodies belong to the chunks within clusters, which no other of these touches
      ASSERT_EQ(set.owned[0], 0);
      ASSERT_EQ(set.owned[set.owners], set.n_bodies);
      for (std::int32_t c = 0; c < set.owners && set.owners > 1; c++) {
        ASSERT_LT(set.owned[c], set.owned[c + 1]);
        for (std::int32_t k = set.chunk[c]; k < set.chunk[c + 1]; k++)
          for (const std::int32_t b : set.contacts[k].body)
            ASSERT_TRUE(b < 0 || (b >= set.owned[c] && b < set.owned[c + 1])) << c << " " << b;
      }
    }
}

// What the busier of two workers visits in a sweep, relative to all.
double busier(const swept_set &set) {
  double sum = 0;
  for (std::int32_t p = 0; p < set.phases; p++) {
    const std::int32_t *chunk = set.chunk + set.phase[p], n = set.phase[p + 1] - set.phase[p];
    std::int32_t most = chunk[n] - chunk[0];
    for (std::int32_t c = 1; c < n; c++)
      most = std::min(most, std::max(chunk[c] - chunk[0], chunk[n] - chunk[c]));
    sum += most;
  }
  return sum / set.n_contacts;
}

// Bodies at random places, in contact with what is near; below, with the ground.
scene cloud(std::int32_t n) {
  generator any(5);
  std::mt19937_64 bits(7);
  std::uniform_real_distribution<double> within(0, std::cbrt(n));
  std::vector<std::array<double, 3>> x(at(n));
  scene s;
  for (auto &p : x) {
    for (double &c : p) c = within(bits);
    s.bodies.push_back(any.any_body(0));
  }
  const auto add = [&](std::int32_t a, std::int32_t b) {
    contact c = any.any_contact(2);
    c.a = a;
    c.b = b;
    s.contacts.push_back(c);
  };
  for (std::int32_t i = 0; i < n; i++) {
    if (x[at(i)][2] < 0.5) add(i, -1);
    for (std::int32_t j = 0; j < i; j++) {
      const auto &p = x[at(i)], &q = x[at(j)];
      if (std::abs(p[2] - q[2]) < 1.1 && std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]) < 1.1)
        add(i, j);
    }
  }
  return s;
}

TEST(Swept, TwoWorkersShareASweep) {
  const scene s = cloud(3000);
  solved out(s);
  EXPECT_GT(out.set.owners, 8);
  EXPECT_LT(busier(out.set), 0.6);
  EXPECT_LT(out.set.phases, 18);  // colours; 24 where small clusters stay small
}

// Chunks backwards in one thread.
void backwards(std::int32_t chunks, perp_parallel_body work, void *ctx, void *) {
  for (std::int32_t i = chunks - 1; i >= 0; i--) work(i, i + 1, 0, ctx);
}

TEST(Swept, AnyNumberOfThreadsGivesTheSameBits) {
  const scene s = grid(12, false);
  solved one(s), two(s), reverse(s);
  two.set.parallel = in_threads;
  reverse.set.parallel = backwards;
  for (solved *x : {&one, &two, &reverse}) x->solve(0, 1e-4, 40);
  EXPECT_EQ(one.outcome.sweeps, two.outcome.sweeps);
  EXPECT_EQ(one.outcome.residual, two.outcome.residual);
  EXPECT_EQ(one.outcome.worst, reverse.outcome.worst);
  EXPECT_EQ(one.lambda(s), two.lambda(s));
  EXPECT_EQ(one.lambda(s), reverse.lambda(s));
}

// -------------------------------------------------------------------------- simulations ----

// Spheres and boxes of unequal moments that fall on one another and on the floor, spinning;
// contacts at points of spheres around them.
struct crowd : pooled {
  std::deque<perp_body> kinds;
  std::int32_t n;
  double radius = 0.05;
  crowd(std::int32_t how_many, double mu, double e, int kind) : pooled(4 * how_many), n(how_many) {
    generator any(11);
    for (std::int32_t i = 0; i < n; i++) {
      if (kind > 0 || kinds.empty()) {
        perp_body b = tools::sphere(1 + (kind > 0 ? 0.1 * i : 0), radius);
        if (kind > 0) b.inertia[4] *= 1.7;
        if (kind > 1)
          b.force = [](double, const double *, const double *v, double *f, void *) {
            for (std::size_t k = 0; k < 3; k++) f[k] = -0.3 * v[k];
            return 0;
          };
        kinds.push_back(b);
      }
      add(kinds.back().system);
      q0.insert(q0.end(),
                {0.101 * (i % 3) + any(-1e-3, 1e-3), 0.101 * (i / 3 % 3) + any(-1e-3, 1e-3),
                 0.06 + 0.105 * (i / 9), 1, 0, 0, 0});
      v0.insert(v0.end(), {any(-0.2, 0.2), any(-0.2, 0.2), 0, any(-3.0, 3.0), any(-3.0, 3.0), 2});
    }
    options.h = 2e-3;
    law(friction(3, mu, e));
    find = [this](double, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
      add_spheres(sim, out);
      return 0;
    };
  }
  void add_spheres(const perp_simulation *sim, std::vector<perp_pool_contact> &out) const {
    add_grains(sim, n, radius, 0.02, out);
    for (perp_pool_contact &c : out) {
      const tools::triple normal = {c.place.normal[0], c.place.normal[1], c.place.normal[2]};
      const tools::triple x = tools::place(perp_simulation_q(sim, c.systems[0]));
      c = tools::contact_at(c.systems[0], c.systems[1], c.place.gap, normal, x - radius * normal);
    }
  }
};

// Both forms solve the same problem, but for its tolerance; what grows by impacts is let be small.
void compare(const std::function<std::shared_ptr<pooled>()> &make, int steps, double near) {
  const auto a = make(), b = make();
  perp_nsgs_options o = perp_nsgs_options_default();
  o.tol = 1e-12;
  a->options.solver_options = b->options.solver_options = &o;
  b->options.formulation = PERP_FORMULATION_GLOBAL;
  run x(*a), y(*b);
  ASSERT_EQ(x.status, PERP_OK) << x.info.field;
  ASSERT_EQ(y.status, PERP_OK) << y.info.field;
  for (int k = 0; k < steps; k++) {
    ASSERT_EQ(x.step(), PERP_OK) << k << x.info.field;
    ASSERT_EQ(y.step(), PERP_OK) << k << y.info.field << y.info.value;
    for (std::size_t i = 0; i < a->q0.size(); i++)
      ASSERT_NEAR(perp_simulation_q(x.sim, 0)[i], perp_simulation_q(y.sim, 0)[i], near) << k;
  }
  EXPECT_GT(y.report().impacts, 4);
  // a λ at the size of the tolerance begins in one and not in the other
  EXPECT_NEAR(static_cast<double>(x.report().impacts), static_cast<double>(y.report().impacts), 3);
  EXPECT_EQ(x.report().active, y.report().active);
  std::vector<perp_contact_view> p(50), q(50);
  std::int32_t np = 0, nq = 0;
  ASSERT_EQ(perp_simulation_contacts(x.sim, p.data(), sizeof p[0], 50, &np), PERP_OK);
  ASSERT_EQ(perp_simulation_contacts(y.sim, q.data(), sizeof q[0], 50, &nq), PERP_OK);
  ASSERT_EQ(np, nq);
  const auto key = [](const perp_contact_view &c) {
    return std::array{c.systems[0], c.systems[1]};
  };
  const auto before = [&](const auto &c, const auto &d) { return key(c) < key(d); };
  std::sort(p.begin(), p.begin() + np, before);
  std::sort(q.begin(), q.begin() + nq, before);
  for (std::size_t i = 0; i < at(np); i++) {
    EXPECT_EQ(key(p[i]), key(q[i]));
    EXPECT_NEAR(p[i].gap, q[i].gap, 1e-5);
    for (std::size_t c = 0; c < 3; c++) {
      EXPECT_NEAR(p[i].force[c], q[i].force[c], 1e-3);
      if (c < at(p[i].rows)) {
        EXPECT_NEAR(p[i].ydot[c], q[i].ydot[c], 1e-6);
      }
      EXPECT_NEAR(p[i].point[c], q[i].point[c], 1e-6);
    }
  }
}

TEST(Swept, MovesAsTheAssembledProblemDoes) {
  const auto make = [](double mu, double e, int kind) {
    return [=] { return std::make_shared<crowd>(9, mu, e, kind); };
  };
  compare(make(0.4, 0, 0), 120, 1e-7);    // spheres
  compare(make(0.4, 0.3, 1), 120, 1e-7);  // gyroscopic torques: W is not symmetric
  compare(make(0, 0, 1), 120, 1e-7);      // no friction
  compare(make(0.4, 0, 2), 120, 1e-7);    // a force that depends on v: W is not m in translations
}

// Enough bodies for what is done for each to be done for blocks of them at once.
TEST(Swept, ThreadsOfAStepGiveTheSameBits) {
  for (int kind : {0, 1}) {
    crowd one(600, 0.4, 0.3, kind), two(600, 0.4, 0.3, kind), reverse(600, 0.4, 0.3, kind);
    two.options.parallel = in_threads;
    reverse.options.parallel = backwards;
    for (crowd *w : {&one, &two, &reverse}) w->options.formulation = PERP_FORMULATION_GLOBAL;
    run a(one), b(two), c(reverse);
    ASSERT_EQ(a.status, PERP_OK) << a.info.field;
    for (int k = 0; k < 5; k++) {
      ASSERT_EQ(a.step(), PERP_OK) << a.info.field;
      ASSERT_EQ(b.step(), PERP_OK);
      ASSERT_EQ(c.step(), PERP_OK);
      ASSERT_EQ(a.bytes(), b.bytes()) << kind << " " << k;
      ASSERT_EQ(a.bytes(), c.bytes()) << kind << " " << k;
    }
    EXPECT_GT(a.report().impacts, 200);
  }
}

TEST(Swept, DiscsInThePlaneMoveAsTheAssembledProblemDoes) {
  const auto make = [] {
    auto w = std::make_shared<pooled>(20);
    perp_lagrangian_linear &s = w->body(vec{2, 2, 0.01});
    s.f = w->keep({0, -2 * kGravity, 0});
    for (int i = 0; i < 5; i++) {
      w->add(s.system);
      w->q0.insert(w->q0.end(), {0.02 * i, 0.11 + 0.21 * i, 0});
      w->v0.insert(w->v0.end(), {0, 0, 4.0 - i});
    }
    w->pool.plane = 1;
    w->options.h = 2e-3;
    w->law(w->friction(2, 0.3));
    w->find = [](double, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
      for (std::int32_t i = 0; i < 5; i++) {
        const double *a = perp_simulation_q(sim, i);
        perp_pool_contact floor = contact_of(i, PERP_GROUND, a[1] - 0.1, {0, 1, 0});
        floor.place.velocity[0] = 0.3;  // a belt
        for (std::size_t k = 0; k < 2; k++)
          floor.place.a[k] = floor.place.b[k] = a[k] - (k == 1 ? 0.1 : 0);
        out.push_back(floor);
        for (std::int32_t j = 0; j < i; j++) {
          const double *b = perp_simulation_q(sim, j);
          const double d[2] = {a[0] - b[0], a[1] - b[1]}, l = std::hypot(d[0], d[1]);
          perp_pool_contact c = contact_of(i, j, l - 0.2, {d[0] / l, d[1] / l, 0});
          for (std::size_t k = 0; k < 2; k++) {
            c.place.a[k] = a[k] - 0.1 * d[k] / l;
            c.place.b[k] = b[k] + 0.1 * d[k] / l;
          }
          out.push_back(c);
        }
      }
      return 0;
    };
    return w;
  };
  compare(make, 100, 1e-7);
}

TEST(Swept, MemoryIsLinearAndSmall) {
  const auto bytes = [](std::int32_t bodies, std::int32_t places) {
    crowd w(bodies, 0.3, 0, 0);
    w.pool.capacity = places;
    w.options.formulation = PERP_FORMULATION_GLOBAL;
    const perp_model *m = w.finish();
    return perp_simulation_state_size(m, &w.options) + perp_simulation_work_size(m, &w.options);
  };
  const std::size_t few = bytes(1000, 1000);
  EXPECT_LE(bytes(1000, 101000) - few, std::size_t{100000} * 600);
  EXPECT_LE(bytes(11000, 1000) - few, std::size_t{10000} * 600);
}

TEST(Swept, AutoSweepsWhatCanBeAndAssemblesWhatHasAnotherLaw) {
  const auto work = [](std::int32_t places, std::int32_t formulation, bool rolls) {
    crowd w(4, 0.3, 0, 0);
    if (rolls) w.law(w.rolling(5, 0.3, 0.01));
    w.pool.capacity = places;
    w.options.formulation = formulation;
    return perp_simulation_work_size(w.finish(), &w.options);
  };
  EXPECT_EQ(work(1, PERP_FORMULATION_AUTO, false), work(1, PERP_FORMULATION_GLOBAL, false));
  EXPECT_EQ(work(5000, PERP_FORMULATION_AUTO, false), work(5000, PERP_FORMULATION_GLOBAL, false));
  EXPECT_EQ(work(5000, PERP_FORMULATION_AUTO, true), work(5000, PERP_FORMULATION_REDUCED, true));
  EXPECT_EQ(work(300, PERP_FORMULATION_GLOBAL, true), 0u);
}

TEST(Swept, WhatCannotBeSweptIsRefusedByName) {
  const auto refused = [](const std::function<void(crowd &)> &spoil) {
    crowd w(3, 0.3, 0, 0);
    w.options.formulation = PERP_FORMULATION_GLOBAL;
    spoil(w);
    run r(w);
    EXPECT_EQ(r.status, PERP_EUNSUPPORTED);
    return std::string(r.info.field == nullptr ? "" : r.info.field);
  };
  EXPECT_EQ(refused([](crowd &w) { w.law(w.rolling(5, 0.3, 0.01)); }), "pool.laws in global form");
  EXPECT_EQ(refused([](crowd &w) { w.law(w.friction(2, 0.3)); }), "pool.laws in global form");
  EXPECT_EQ(refused([](crowd &w) { w.options.projection = PERP_PROJECT_COMBINED; }),
            "combined projection of a pool");
}

TEST(Swept, WhatIsNotSolvedNamesASystemOrIsTakenAndCounted) {
  perp_nsgs_options o = perp_nsgs_options_default();
  o.max_iter = 1;
  o.tol = 1e-14;
  crowd stops(9, 0.4, 0, 1), goes_on(9, 0.4, 0, 1);
  for (crowd *w : {&stops, &goes_on}) {
    w->options.formulation = PERP_FORMULATION_GLOBAL;
    w->options.solver_options = &o;
  }
  goes_on.options.on_failure = PERP_FAILURE_ACCEPT;
  goes_on.options.accept_tol = HUGE_VAL;
  run x(stops), y(goes_on);
  perp_status status = PERP_OK;
  std::vector<unsigned char> before;
  while (status == PERP_OK) {
    before = x.bytes();
    status = x.step();
  }
  EXPECT_EQ(status, PERP_MAX_ITER);
  EXPECT_STREQ(x.info.field, "one-step problem at contact of system");
  EXPECT_EQ(x.bytes(), before);
  ASSERT_EQ(y.steps(60), PERP_OK);
  EXPECT_GT(y.report().accepted, 0);
  EXPECT_GT(y.report().residual, 1e-14);
}

TEST(Swept, UnequalMassesFarAwayAndHugePenetrations) {
  crowd w(9, 0.5, 0, 1);
  for (std::size_t i = 0; i < w.kinds.size(); i++) {
    const double m = std::pow(10.0, -9 + 2.25 * static_cast<double>(i));
    for (double &x : w.kinds[i].inertia) x *= m / w.kinds[i].mass;
    for (double &x : w.kinds[i].f) x *= m / w.kinds[i].mass;
    w.kinds[i].mass = m;
  }
  for (std::size_t i = 0; i < w.q0.size(); i += 7) w.q0[i] += 1e9;
  w.options.formulation = PERP_FORMULATION_GLOBAL;
  w.options.on_failure = PERP_FAILURE_ACCEPT;
  w.options.accept_tol = HUGE_VAL;
  perp_nsgs_options o = perp_nsgs_options_default();
  o.max_iter = 100;
  w.options.solver_options = &o;
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  ASSERT_EQ(r.steps(50), PERP_OK) << r.info.field;
  for (std::int32_t i = 0; i < 9; i++) EXPECT_TRUE(std::isfinite(r.v(i, 2)));
}

TEST(Swept, AStateWithImpossibleContactsIsRefused) {
  crowd w(9, 0.4, 0, 0);
  w.options.formulation = PERP_FORMULATION_GLOBAL;
  run r(w);
  ASSERT_EQ(r.steps(40), PERP_OK);
  std::int32_t n = 0;
  ASSERT_EQ(perp_simulation_contacts(r.sim, nullptr, sizeof(perp_contact_view), 0, &n), PERP_OK);
  ASSERT_GT(n, 3);
  const auto good = r.bytes();
  const std::size_t first = good.size() - at(w.pool.capacity) * 152;
  for (const std::size_t field : {0u, 4u, 8u, 12u}) {
    auto bad = good;
    const std::int32_t wrong = 77;
    std::memcpy(bad.data() + first + field, &wrong, sizeof wrong);
    run again(w.model, w.options, 0, bad.data());
    EXPECT_EQ(again.status, PERP_EINVAL) << field;
    EXPECT_STREQ(again.info.field, "state.pool");
  }
}

}  // namespace
