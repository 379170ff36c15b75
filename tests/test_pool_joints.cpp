// SPDX-License-Identifier: MIT
// Joints, stops and drives beside contacts that are swept: mechanisms that carry and push things,
// against the one-step problem that is assembled, and judged from the laws of motion.
#include <gtest/gtest.h>
#include <perp/contact_list.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "pool_scenes.hpp"

namespace {

using namespace tools;

// Both forms solve the same problem, but for its tolerance.
void compare(const std::function<std::shared_ptr<mechanism>()> &make, int steps, double near) {
  const auto a = make(), b = make();
  perp_auto_options o = perp_auto_options_default();
  o.tol = 1e-10;
  a->options.solver_options = b->options.solver_options = &o;
  b->options.formulation = PERP_FORMULATION_GLOBAL;
  run x(*a), y(*b);
  ASSERT_EQ(x.status, PERP_OK) << x.info.field;
  ASSERT_EQ(y.status, PERP_OK) << y.info.field;
  for (int k = 0; k < steps; k++) {
    ASSERT_EQ(x.step(), PERP_OK) << k << x.info.field << x.info.value;
    ASSERT_EQ(y.step(), PERP_OK) << k << y.info.field << y.info.value;
    for (std::size_t i = 0; i < a->q0.size(); i++)
      ASSERT_NEAR(perp_simulation_q(x.sim, 0)[i], perp_simulation_q(y.sim, 0)[i], near) << k;
  }
  EXPECT_EQ(x.report().active, y.report().active);
  EXPECT_EQ(x.report().max_active, y.report().max_active);
  EXPECT_EQ(x.report().impacts, y.report().impacts);
  EXPECT_EQ(y.report().accepted, 0);
  EXPECT_LE(y.report().residual, 1e-10);
  for (std::int32_t i = 0; i < b->model.n_interactions; i++)
    for (std::int32_t r = 0; r < perp_simulation_n_rows(y.sim, i); r++) {
      EXPECT_NEAR(x.y(i, at(r)), y.y(i, at(r)), near);
      EXPECT_NEAR(perp_simulation_ydot(x.sim, i)[r], perp_simulation_ydot(y.sim, i)[r], near);
    }
}

TEST(PoolJoints, APileOnAHingedPlateMovesAsTheAssembledProblemDoes) {
  compare([] { return plate(2, 1); }, 40, 1e-8);
}
TEST(PoolJoints, AnArmThatPushesBallsMovesAsTheAssembledProblemDoes) { compare(arm, 400, 1e-7); }
TEST(PoolJoints, ABridgeThatCarriesBoxesMovesAsTheAssembledProblemDoes) {
  compare([] { return bridge(20, 1); }, 12, 1e-8);
  compare([] { return bridge(6, 8); }, 25, 1e-7); /* what is carried is heavy */
}

// ----------------------------------------------------------------------- from the definition ----

struct missed {
  double apart = 0, speed = 0, turn = 0, contact = 0;
};

// How far hinges are open, in positions and velocities, and contacts from Signorini's and Coulomb's
// laws.
missed judge(const mechanism &w, const run &r) {
  missed m;
  for (const mechanism::hinge &j : w.hinges) {
    m.apart = std::max(m.apart, norm(point_at(r, j.a, j.at_a) - point_at(r, j.b, j.at_b)));
    m.speed = std::max(m.speed, norm(velocity_at(r, j.a, j.at_a) - velocity_at(r, j.b, j.at_b)));
    if (j.free_turn) continue;
    const triple axis = rotate(perp_simulation_q(r.sim, j.a), j.axis_a);
    m.turn = std::max(m.turn, norm(cross(spin(r, j.a) - spin(r, j.b), axis)));
  }
  std::vector<perp_contact_view> list(400);
  std::int32_t n = 0;
  EXPECT_EQ(perp_simulation_contacts(r.sim, list.data(), sizeof list[0], 400, &n), PERP_OK);
  for (std::size_t k = 0; k < at(std::min(n, 400)); k++) {
    const perp_contact_view &c = list[k];
    if (c.interaction >= 0) continue;
    const double u = c.ydot[0], p = c.lambda[0];
    const double ut = std::hypot(c.ydot[1], c.ydot[2]), pt = std::hypot(c.lambda[1], c.lambda[2]);
    const double open = std::max(std::max(-u, -p), std::min(u, p));
    const double cone = std::max(pt - 0.4 * p, 0.0);
    const double slips = std::min(ut, 0.4 * p - pt); /* neither sticks nor slides */
    const double along = ut * pt + c.ydot[1] * c.lambda[1] + c.ydot[2] * c.lambda[2];
    m.contact = std::max({m.contact, open, cone, slips, along});
  }
  return m;
}

TEST(PoolJoints, HingesHoldAndContactsObeyTheirLaws) {
  const auto scenes = {plate(3, 1), bridge(8, 2), arm()};
  for (const auto &w : scenes) {
    w->options.formulation = PERP_FORMULATION_GLOBAL;
    run r(*w);
    ASSERT_EQ(r.status, PERP_OK) << r.info.field;
    for (int k = 0; k < 150; k++) {
      ASSERT_EQ(r.step(), PERP_OK) << r.info.field;
      const missed m = judge(*w, r);
      ASSERT_LT(m.speed, 2e-4) << k; /* H of Newton's last iterate holds at its positions */
      ASSERT_LT(m.turn, 2e-4) << k;
      ASSERT_LT(m.contact, 1e-5) << k;
      ASSERT_LT(m.apart, 2e-4) << k;
    }
    EXPECT_GT(r.report().active, 1000);
  }
}

// Two hinged panels slide and fold on the floor, boxes on them: what changes their momentum is
// weight and the floor alone, and at rest the floor carries all.
TEST(PoolJoints, MomentumChangesByTheWeightAndTheFloorAlone) {
  mechanism w(200);
  const double slope = 0.3, half = 0.3;
  for (int side = -1; side <= 1; side += 2) {
    const std::int32_t p =
        w.body(1.5, {half, 0.2, 0.02}, 0, {side * half * std::cos(slope), 0, 0}, true);
    w.tilt(p, side * slope);
    const triple foot = rotate(w.q_of(p), {side * half, 0, -0.02});
    w.q0[7 * at(p) + 2] = -foot[2] + 0.003;
    w.v0[6 * at(p)] = 0.4;
  }
  const triple top = place(w.q_of(0), {half, 0, 0});
  w.pivot(0, 1, top, {0, 1, 0});
  w.body(0.7, {0.05, 0.05, 0.05}, 0, {0.3, 0.0, 0.3}, false);
  w.options.formulation = PERP_FORMULATION_GLOBAL;
  run r(w);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  const std::array<double, 3> mass = {1.5, 1.5, 0.7};
  const double weight = 3.7 * kGravity;
  triple last{0.4 * 3.0, 0, 0};
  double carried = 0;
  for (int k = 0; k < 1500; k++) {
    ASSERT_EQ(r.step(), PERP_OK) << k << r.info.field << r.info.value;
    triple now{}, floor{};
    for (std::int32_t i = 0; i < 3; i++)
      for (std::size_t c = 0; c < 3; c++) now[c] += mass[at(i)] * r.v(i, c);
    std::vector<perp_contact_view> list(100);
    std::int32_t n = 0;
    ASSERT_EQ(perp_simulation_contacts(r.sim, list.data(), sizeof list[0], 100, &n), PERP_OK);
    for (std::size_t e = 0; e < at(n); e++)
      for (std::size_t c = 0; list[e].systems[1] < 0 && c < 3; c++) floor[c] += list[e].impulse[c];
    for (std::size_t c = 0; c < 3; c++)
      ASSERT_NEAR(now[c] - last[c], floor[c] - (c == 2 ? w.options.h * weight : 0), 1e-9) << k;
    last = now;
    carried = floor[2] / w.options.h;
  }
  EXPECT_NEAR(carried, weight, 1e-4 * weight);
  EXPECT_LT(std::fabs(r.v(2, 2)), 1e-5);
}

TEST(PoolJoints, StopsAndLimitedDrivesActBesideContacts) {
  const auto w = arm();
  w->options.formulation = PERP_FORMULATION_GLOBAL;
  run r(*w);
  ASSERT_EQ(r.status, PERP_OK);
  int stopped = 0, saturated = 0, driven = 0;
  for (int k = 0; k < 500; k++) {
    ASSERT_EQ(r.step(), PERP_OK) << k;
    const double torque = r.lambda(3);
    EXPECT_LE(std::fabs(torque), 40 + 1e-6);
    saturated += std::fabs(torque) > 40 - 1e-6;
    driven += std::fabs(r.v(0, 5) - 0.8) < 1e-6;
    EXPECT_TRUE(std::fabs(torque) > 40 - 1e-6 || std::fabs(r.v(0, 5) - 0.8) < 1e-4) << k;
    for (std::size_t c = 0; c < 2; c++) {
      EXPECT_GE(r.lambda(4, c), 0);
      EXPECT_GE(r.y(4, c), -6e-3); /* what a step of an impact goes too far */
      stopped += r.lambda(4, c) > 0;
    }
  }
  EXPECT_GT(stopped, 50);
  EXPECT_GT(saturated, 3);
  EXPECT_GT(driven, 100);
}

// ---------------------------------------------------------------------------------- passes ----

// A bridge in a thick fluid comes to rest.
void slow_down(mechanism &w) {
  for (perp_body &b : w.kinds)
    b.force = [](double, const double *, const double *v, double *f, void *) {
      for (std::size_t i = 0; i < 3; i++) f[i] = -40 * v[i];
      return 0;
    };
}

TEST(PoolJoints, NearRestAStepTakesTwoPassesAtMost) {
  const auto still = bridge(8, 2);
  slow_down(*still);
  for (const auto &w : {plate(3, 1), still}) {
    w->options.formulation = PERP_FORMULATION_GLOBAL;
    w->options.speed_tol = perp_pool_speed_tol(w->finish(), w->options.h);
    run r(*w);
    ASSERT_EQ(r.status, PERP_OK);
    ASSERT_EQ(r.steps(1500), PERP_OK) << r.info.field;
    for (int k = 0; k < 100; k++) {
      const perp_report before = r.report();
      ASSERT_EQ(r.step(), PERP_OK);
      EXPECT_LE(r.report().newton - before.newton, 2);
      EXPECT_LE(r.report().solver_iterations - before.solver_iterations, 100);
    }
    EXPECT_EQ(r.report().failures, 0);
    EXPECT_LT(std::fabs(r.v(0, 2)), 1e-3);
  }
}

// ------------------------------------------------------------------------------------ bits ----

// An arm among many balls, so that there is something to share.
std::shared_ptr<mechanism> crowd() {
  auto w = arm();
  for (int i = 0; i < 300; i++)
    w->body(0.5, {}, 0.05, {-3 + 0.1001 * (i % 20), 0.1001 * (i / 20 % 5), 0.05 + 0.1 * (i / 100)},
            false);
  w->pool.capacity = 5000;
  w->options.formulation = PERP_FORMULATION_GLOBAL;
  return w;
}

TEST(PoolJoints, AnyNumberOfThreadsGivesTheSameBits) {
  const auto a = crowd(), b = crowd();
  b->options.parallel = in_threads;
  run x(*a), y(*b);
  ASSERT_EQ(x.status, PERP_OK) << x.info.field;
  ASSERT_EQ(x.steps(6), PERP_OK) << x.info.field;
  ASSERT_EQ(y.steps(6), PERP_OK);
  EXPECT_EQ(x.bytes(), y.bytes());
}

TEST(PoolJoints, ARunThatIsResumedGoesOnBitByBit) {
  for (const auto &make :
       std::vector<std::function<std::shared_ptr<mechanism>()>>{arm, [] { return bridge(6, 2); }}) {
    const auto a = make(), b = make();
    a->options.formulation = b->options.formulation = PERP_FORMULATION_GLOBAL;
    run x(*a);
    ASSERT_EQ(x.steps(60), PERP_OK);
    const auto there = x.bytes();
    run y(*b->finish(), b->options, 8, there.data());
    ASSERT_EQ(y.status, PERP_OK) << y.info.field;
    for (int k = 0; k < 60; k++) {
      ASSERT_EQ(x.step(), PERP_OK);
      ASSERT_EQ(y.step(), PERP_OK);
      ASSERT_EQ(x.bytes(), y.bytes()) << k;
    }
  }
}

// --------------------------------------------------------------------------------- endings ----

TEST(PoolJoints, AFailedStepLeavesTheState) {
  const auto w = bridge(6, 2);
  perp_auto_options o = perp_auto_options_default();
  o.max_iter = 2; /* sweeps */
  o.tol = 1e-13;
  w->options.solver_options = &o;
  w->options.formulation = PERP_FORMULATION_GLOBAL;
  run r(*w);
  ASSERT_EQ(r.status, PERP_OK);
  perp_status status = PERP_OK;
  std::vector<unsigned char> before;
  for (int k = 0; k < 100 && status == PERP_OK; k++) {
    before = r.bytes();
    status = r.step();
  }
  EXPECT_EQ(status, PERP_MAX_ITER);
  EXPECT_EQ(r.bytes(), before);
  w->options.on_failure = PERP_FAILURE_ACCEPT;
  w->options.accept_tol = HUGE_VAL;
  run taken(*w);
  ASSERT_EQ(taken.steps(20), PERP_OK) << taken.info.field;
  EXPECT_GE(taken.report().accepted, 1);
  EXPECT_GT(taken.report().residual, 1e-13);
}

TEST(PoolJoints, AJointThatIsOpenFromTheBeginningIsRefused) {
  const auto w = plate(1, 1);
  w->q0[0] += 0.1;
  w->options.formulation = PERP_FORMULATION_GLOBAL;
  run r(*w);
  EXPECT_EQ(r.status, PERP_EINVAL);
  EXPECT_STREQ(r.info.field, "initial gap");
}

TEST(PoolJoints, ANewtonThatFindsNoEndNamesTheInteraction) {
  const auto w = bridge(6, 2);
  w->options.formulation = PERP_FORMULATION_GLOBAL;
  w->options.newton_max = 1;
  run r(*w);
  ASSERT_EQ(r.status, PERP_OK);
  const perp_status status = r.steps(20);
  EXPECT_EQ(status, PERP_MAX_ITER);
  EXPECT_EQ(std::string(r.info.field).rfind("newton at ", 0), 0u) << r.info.field;
}

// Two rotors on one shaft line that no contact can touch, coupled by 2 ω_1 = ω_2 and driven by a
// constant torque: both obey (I_1 + 4 I_2) dω_1 = M dt, whatever happens beside them.
// Two boxes and a ball rest on the floor; a pendulum, held by a pivot, swings into the ball.
std::unique_ptr<mechanism> pendulum_beside_a_stack(double sleep_energy) {
  auto w = std::make_unique<mechanism>(100);
  const triple half = {0.2, 0.2, 0.2};
  w->options.formulation = PERP_FORMULATION_GLOBAL;
  w->options.solver = perp_solver_nsgs();
  w->options.speed_tol = 1e-6;
  w->options.sleep_energy = sleep_energy;
  w->options.sleep_time = 0.1;
  w->body(1, half, 0, {0, 0, 0.2}, true);
  w->body(1, half, 0, {0, 0, 0.6}, false);
  w->body(1, half, 0.2, {3.2, 0, 0.2}, false);
  const std::int32_t bob = w->body(1, half, 0.2, {4.4, 0, 1.15}, false);
  w->pivot(bob, -1, {3.5, 0, 1.15}, {0, 1, 0});
  return w;
}

TEST(PoolJoints, WhatInteractionsHoldStaysAwakeWhileTheRestSleeps) {
  const auto a = pendulum_beside_a_stack(0), b = pendulum_beside_a_stack(1e-4);
  run x(*a), y(*b);
  ASSERT_EQ(x.status, PERP_OK) << x.info.field;
  ASSERT_EQ(y.status, PERP_OK) << y.info.field;
  int slept = 0, hit = 0;
  for (int k = 0; k < 500; k++) {
    ASSERT_EQ(x.step(), PERP_OK) << k << x.info.field;
    ASSERT_EQ(y.step(), PERP_OK) << k << y.info.field;
    const auto sleeps = [&](std::int32_t j) { return perp_simulation_is_asleep(y.sim, j) != 0; };
    ASSERT_FALSE(sleeps(3)) << k;
    if (hit == 0 && std::abs(x.v(2, 0)) > 1e-3) hit = k;
    slept += perp_simulation_awake(y.sim) == 1;
    ASSERT_TRUE(k <= 100 || (sleeps(0) && sleeps(1))) << k;
    ASSERT_TRUE(hit > 0 ? !sleeps(2) : k <= 100 || sleeps(2)) << k;
    for (std::int32_t j = 2; j < 4; j++)
      for (std::size_t i = 0; i < 7; i++)
        ASSERT_NEAR(perp_simulation_q(x.sim, j)[i], perp_simulation_q(y.sim, j)[i], 1e-5) << k;
  }
  EXPECT_GT(slept, 50);
  EXPECT_GT(hit, 150);
  EXPECT_LT(y.v(2, 0), -0.5);
}

// What contacts join to something held does not sleep either.
TEST(PoolJoints, APileOnAPlateThatIsHeldStaysAwake) {
  const auto w = plate(2, 1);
  w->options.formulation = PERP_FORMULATION_GLOBAL;
  w->options.sleep_energy = 1e-2;
  w->options.sleep_time = 0.05;
  run s(*w);
  ASSERT_EQ(s.status, PERP_OK) << s.info.field;
  for (int k = 0; k < 200; k++) ASSERT_EQ(s.step(), PERP_OK) << k << s.info.field;
  EXPECT_EQ(perp_simulation_awake(s.sim), w->model.n_systems);
}

TEST(PoolJoints, SystemsThatNoContactTouchesMoveByThemselves) {
  const auto w = plate(1, 1);
  perp_lagrangian_linear &first = w->world::body(vec{0.3}), &second = w->world::body(vec{0.1});
  first.f = w->keep({1.4});
  const std::int32_t a = w->add(first.system), b = w->add(second.system);
  w->q0.insert(w->q0.end(), {0, 0});
  w->v0.insert(w->v0.end(), {0, 0});
  w->join(w->contact(1, 2, {2, -1}).relation, w->equality(), {a, b});
  w->options.formulation = PERP_FORMULATION_GLOBAL;
  run r(*w);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  ASSERT_EQ(r.steps(50), PERP_OK) << r.info.field;
  EXPECT_NEAR(r.v(a), 1.4 / 0.7 * r.time(), 1e-12);
  EXPECT_NEAR(r.v(b), 2 * r.v(a), 1e-12);
  EXPECT_NEAR(r.lambda(1), -2.0 * 0.1 * 2e-3 * 2, 1e-12); /* I_2 dω_2 = −λ */
  EXPECT_NEAR(r.q(b), 2 * r.q(a), 1e-12);
}

TEST(PoolJoints, JointsWithoutAnyContactMoveAsWithoutAPool) {
  const auto a = bridge(6, 0), b = bridge(6, 0);
  a->options.formulation = PERP_FORMULATION_GLOBAL;
  a->find = [](double, const perp_simulation *, std::vector<perp_pool_contact> &) { return 0; };
  b->model.pool = nullptr;
  run x(*a), y(*b);
  ASSERT_EQ(x.status, PERP_OK) << x.info.field;
  ASSERT_EQ(y.status, PERP_OK) << y.info.field;
  for (int k = 0; k < 40; k++) {
    ASSERT_EQ(x.step(), PERP_OK) << x.info.field;
    ASSERT_EQ(y.step(), PERP_OK);
    for (std::size_t i = 0; i < a->q0.size(); i++)
      ASSERT_NEAR(perp_simulation_q(x.sim, 0)[i], perp_simulation_q(y.sim, 0)[i], 1e-9) << k;
  }
}

TEST(PoolJoints, AutoSweepsALargePoolBesideJoints) {
  const auto size = [](std::int32_t places, std::int32_t formulation) {
    const auto w = arm();
    w->pool.capacity = places;
    w->options.formulation = formulation;
    return perp_simulation_work_size(w->finish(), &w->options);
  };
  EXPECT_EQ(size(5000, PERP_FORMULATION_AUTO), size(5000, PERP_FORMULATION_GLOBAL));
  EXPECT_LE(size(105000, PERP_FORMULATION_GLOBAL) - size(5000, PERP_FORMULATION_GLOBAL),
            std::size_t{100000} * 600);
}

// Memory for interactions is as it is without a pool: linear along a chain but for the solver's.
TEST(PoolJoints, MemoryIsLinearInPlacesAndBodies) {
  const auto size = [](std::int32_t planks) {
    const auto w = bridge(planks, 1);
    w->options.formulation = PERP_FORMULATION_GLOBAL;
    w->options.solver = perp_solver_nsgs();
    return static_cast<double>(perp_simulation_work_size(w->finish(), &w->options));
  };
  const double few = size(50), more = size(100), most = size(200);
  EXPECT_NEAR((most - more) / (more - few), 2, 0.05);
}

// ------------------------------------------------------------------------------ correction ----

double deepest(const mechanism &w, const run &r) {
  std::vector<perp_pool_contact> all;
  w.add_contacts(r.sim, all);
  double worst = 0;
  for (const perp_pool_contact &c : all) worst = std::max(worst, -c.place.gap);
  return worst;
}
double energy(const mechanism &w, const run &r) {
  double sum = 0;
  for (std::int32_t i = 0; i < count(w.kinds.size()); i++) {
    const perp_body &b = w.kinds[at(i)];
    for (std::size_t k = 0; k < 3; k++)
      sum +=
          0.5 * (b.mass * std::pow(r.v(i, k), 2) + b.inertia[4 * k] * std::pow(r.v(i, 3 + k), 2));
    sum -= b.f[2] * r.q(i, 2);
  }
  return sum;
}
double apart(const mechanism &w, const run &r) {
  double worst = 0;
  for (const mechanism::hinge &j : w.hinges)
    worst = std::max(worst, norm(point_at(r, j.a, j.at_a) - point_at(r, j.b, j.at_b)));
  return worst;
}

std::shared_ptr<mechanism> corrected(const std::shared_ptr<mechanism> &w) {
  w->options.formulation = PERP_FORMULATION_GLOBAL;
  w->options.projection = PERP_PROJECT_POSITIONS;
  w->options.theta = 1;
  w->options.gap_tol = kSlop;
  w->options.speed_tol = 0.01 * kGravity * w->options.h;
  w->options.on_failure = PERP_FAILURE_ACCEPT;
  return w;
}
const double kOpen = std::sqrt(3.0) * 1e-8; /* projection_tol of three rows, as a distance */

// Boxes joined end to end, one end held, over a slab that two boxes carry.
std::shared_ptr<mechanism> chain(std::int32_t links, double mass) {
  auto w = std::make_shared<mechanism>(400);
  for (const double x : {0.1, 1.5}) w->body(2, {0.15, 0.6, 0.1}, 0, {x, 0, 0.1}, true);
  w->body(4, {0.8, 0.5, 0.05}, 0, {0.8, 0, 0.25}, false);
  const double half = 0.1, height = 0.5;
  for (std::int32_t i = 0; i < links; i++) {
    const std::int32_t j =
        w->body(mass, {half, 0.05, 0.05}, 0, {half * (2 * i + 1), 0, height}, false);
    w->pivot(j, i > 0 ? j - 1 : -1, {2 * half * i, 0, height}, {0, 1, 0}, PERP_JOINT_SPHERICAL);
  }
  return w;
}

// Planks that hang between the upper boxes of two piles, which friction alone holds.
std::shared_ptr<mechanism> piers(double mass) {
  auto w = std::make_shared<mechanism>(400);
  w->law_list.clear();
  w->law(w->friction(3, 0.8));
  const double half = 0.15, sag = 0.4;
  const std::int32_t planks = 4;
  std::vector<triple> ends = {{0.15, 0, 0.3}};
  for (std::int32_t i = 0; i < planks; i++) {
    const double slope = sag * (1 - 2.0 * (i + 0.5) / planks);
    const triple along = {2 * half * std::cos(slope), 0, -2 * half * std::sin(slope)};
    const triple middle = ends.back() + 0.5 * along;
    w->tilt(w->body(mass, {half, 0.1, 0.01}, 0, middle, true), slope);
    ends.push_back(ends.back() + along);
  }
  for (const double x : {0.0, ends.back()[0] + 0.15}) {
    w->body(6, {0.2, 0.2, 0.1}, 0, {x, 0, 0.1}, true);
    w->body(6, {0.15, 0.15, 0.1}, 0, {x, 0, 0.3}, false);
  }
  w->pivot(0, planks + 1, ends[0], {0, 1, 0});
  for (std::int32_t i = 1; i < planks; i++) w->pivot(i, i - 1, ends[at(i)], {0, 1, 0});
  w->pivot(planks - 1, planks + 3, ends.back(), {0, 1, 0}, PERP_JOINT_SPHERICAL);
  return w;
}

TEST(PoolJoints, AChainDroppedOnAPileComesToRestClosedAndOnIt) {
  const auto w = corrected(chain(6, 0.5)), plain = corrected(chain(6, 0.5));
  plain->options.projection = PERP_PROJECT_NONE;
  run r(*w), as_it_was(*plain);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  double overlap = 0;
  for (int k = 0; k < 1000; k++) {
    ASSERT_EQ(r.step(), PERP_OK) << k << r.info.field;
    ASSERT_EQ(as_it_was.step(), PERP_OK) << k;
    ASSERT_LE(apart(*w, r), kOpen) << k;
    ASSERT_LE(deepest(*w, r), 4 * kSlop) << k; /* gaps change to first order */
    overlap = std::max(overlap, deepest(*plain, as_it_was));
  }
  EXPECT_GT(apart(*plain, as_it_was), 1e-4); /* what is taken out */
  EXPECT_GT(overlap, 1e-4);
  const std::int64_t missed_steps = r.report().relaxed;
  const double begin = energy(*w, r);
  double before = begin;
  for (int k = 0; k < 1000; k++) {
    ASSERT_EQ(r.step(), PERP_OK) << k;
    const double now = energy(*w, r);
    ASSERT_LE(now, before + 3 * kGravity * 0.5 * kSlop)
        << k; /* what lifts the chain by half a slop */
    before = std::min(before, now);
  }
  EXPECT_LE(energy(*w, r), begin + 1e-6);
  EXPECT_LE(missed_steps, 3); /* of the impact */
  EXPECT_EQ(r.report().relaxed, missed_steps);
  EXPECT_GT(r.q(8, 2), 0.3); /* the last link lies on the slab */
}

TEST(PoolJoints, ABridgeHangsAtRestBetweenPiles) {
  const auto w = corrected(piers(0.5));
  slow_down(*w);
  run r(*w);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  ASSERT_EQ(r.steps(500), PERP_OK) << r.info.field;
  const double before = energy(*w, r);
  for (int k = 0; k < 1000; k++) {
    ASSERT_EQ(r.step(), PERP_OK) << k << r.info.field;
    ASSERT_LE(apart(*w, r), kOpen) << k;
    ASSERT_LE(deepest(*w, r), kSlop) << k;
    ASSERT_LE(energy(*w, r), before + 26 * kGravity * 0.25 * kSlop) << k; /* of overlaps */
  }
  EXPECT_EQ(r.report().relaxed, 0);
  for (const std::int32_t pier : {5, 7}) EXPECT_NEAR(r.q(pier, 2), 0.3, 2 * kSlop);
  EXPECT_GT(r.q(1, 2), 0.1); /* it hangs */
}

// What is heavy stands on light planks.
TEST(PoolJoints, ABridgeThatCarriesBoxesIsCorrected) {
  for (const double load : {2.0, 8.0}) {
    const auto w = corrected(bridge(6, load));
    run r(*w);
    ASSERT_EQ(r.status, PERP_OK) << r.info.field;
    for (int k = 0; k < 300; k++) {
      ASSERT_EQ(r.step(), PERP_OK) << k << r.info.field;
      ASSERT_LE(apart(*w, r), kOpen) << k;
      ASSERT_LE(deepest(*w, r), kSlop) << k;
    }
    EXPECT_EQ(r.report().relaxed, 0);
  }
}

// A stop that is run into does not stay open by what an impact goes too far.
TEST(PoolJoints, StopsAreProjectedBesideContacts) {
  const auto w = corrected(arm()), plain = corrected(arm());
  plain->options.projection = PERP_PROJECT_NONE;
  run r(*w), as_it_was(*plain);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  double least = 0, before = 0;
  int stopped = 0, touched = 0;
  for (int k = 0; k < 500; k++) {
    ASSERT_EQ(r.step(), PERP_OK) << k << r.info.field;
    ASSERT_EQ(as_it_was.step(), PERP_OK) << k;
    ASSERT_LE(apart(*w, r), kOpen) << k;
    ASSERT_LE(deepest(*w, r), 1.05 * kSlop) << k;
    for (std::size_t c = 0; c < 2; c++) {
      least = std::min(least, r.y(4, c));
      before = std::min(before, as_it_was.y(4, c));
      stopped += r.lambda(4, c) > 0;
    }
    touched += deepest(*w, r) > 0;
  }
  EXPECT_GE(least, -1.0001e-8);
  EXPECT_LT(before, -5e-5);
  EXPECT_GT(stopped, 50);
  EXPECT_GT(touched, 50);
}

// A box is held in the floor, one overlaps it and one a neighbour that it is joined to: the joint
// holds, which is counted in each step; all else comes out.
TEST(PoolJoints, AJointThatHoldsABodyInTheFloorIsCounted) {
  const auto w = corrected(std::make_shared<mechanism>(100));
  const std::int32_t held = w->body(1, {0.1, 0.1, 0.1}, 0, {0, 0, 0.095}, false);
  w->tilt(held, 0.01);
  w->pivot(held, -1, {0.03, 0.02, 0.095}, {0, 0, 1}, PERP_JOINT_FIXED);
  const std::int32_t alone = w->body(1, {0.1, 0.1, 0.1}, 0, {1, 0, 0.096}, false);
  const std::int32_t one = w->body(1, {0.1, 0.1, 0.1}, 0, {2, 0, 0.097}, false);
  const std::int32_t other = w->body(3, {0.1, 0.1, 0.1}, 0, {2.2, 0, 0.097}, false);
  w->pivot(one, other, {2.1, 0, 0.1}, {0, 1, 0});
  run r(*w);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  for (int k = 1; k <= 300; k++) {
    ASSERT_EQ(r.step(), PERP_OK) << k << r.info.field;
    ASSERT_EQ(r.report().relaxed, k);
    ASSERT_LE(apart(*w, r), kOpen) << k;
    ASSERT_NEAR(r.q(held, 2), 0.095, 1e-7) << k;
    for (std::int32_t i = 0; i < 4; i++)
      for (std::size_t c = 0; c < 6; c++) ASSERT_NEAR(r.v(i, c), 0, 1e-3) << k;
  }
  for (const std::int32_t i : {alone, one, other}) EXPECT_NEAR(r.q(i, 2), 0.1, 2 * kSlop);
  EXPECT_NEAR(r.q(one, 0), 2, 1e-3);
}

// Boxes of 1e-9 to 1e9 kg: a light one joined to a heavy one, and one on that. Where sweeps come to
// no end the steps are counted, and the rest is taken out in the next ones.
TEST(PoolJoints, AnyMassesAreCorrectedBesideAJoint) {
  for (const double light : {1e-9, 1e-3, 1.0})
    for (const double heavy : {1.0, 1e3, 1e9}) {
      const auto w = corrected(std::make_shared<mechanism>(100));
      const std::int32_t a = w->body(light, {0.1, 0.1, 0.1}, 0, {0, 0, 0.096}, false);
      const std::int32_t b = w->body(heavy, {0.1, 0.1, 0.1}, 0, {0.2, 0, 0.097}, false);
      w->pivot(a, b, {0.1, 0, 0.1}, {0, 1, 0});
      w->body(light, {0.09, 0.09, 0.1}, 0, {0.2, 0, 0.294}, false); /* on the heavy one */
      w->options.accept_tol = HUGE_VAL;
      std::int64_t before = 0;
      run r(*w);
      ASSERT_EQ(r.status, PERP_OK) << r.info.field;
      for (int k = 0; k < 100; k++) {
        ASSERT_EQ(r.step(), PERP_OK) << k << r.info.field;
        const bool counted = r.report().relaxed > before;
        ASSERT_LE(apart(*w, r), counted ? 1e-5 : kOpen) << light << " " << heavy << " " << k;
        before = r.report().relaxed;
        for (std::int32_t i = 0; i < 3; i++)
          for (std::size_t c = 0; c < 3; c++) ASSERT_LE(std::fabs(r.v(i, c)), 0.1) << k;
      }
      EXPECT_LE(deepest(*w, r), 1.05 * kSlop) << light << " " << heavy;
      EXPECT_LE(apart(*w, r), kOpen);
      EXPECT_LE(before, light / heavy > 1e-4 ? 0 : 30);
    }
}

// Two boxes that a pivot joins ride on a belt that also rises: at its speed, on it, and closed.
TEST(PoolJoints, WhatIsJoinedRidesOnGroundThatMoves) {
  const auto w = corrected(std::make_shared<mechanism>(100));
  const double belt[3] = {0.3, 0, 0.1};
  const std::int32_t a = w->body(1, {0.1, 0.1, 0.1}, 0, {0, 0, 0.098}, false);
  const std::int32_t b = w->body(2, {0.1, 0.1, 0.1}, 0, {0.25, 0, 0.098}, false);
  w->pivot(a, b, {0.12, 0, 0.1}, {0, 1, 0});
  const auto rise = [&](double t) { return belt[2] * t; };
  const auto corners = [&](const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
    const double height = rise(perp_simulation_time(sim));
    for (const std::int32_t i : {a, b})
      for (std::uint32_t c = 0; c < 4; c++) {
        const triple p = place(perp_simulation_q(sim, i),
                               {(c % 2 == 0 ? -0.1 : 0.1), (c / 2 == 0 ? -0.1 : 0.1), -0.1});
        out.push_back(contact_at(i, PERP_GROUND, p[2] - height, {0, 0, 1}, p));
        out.back().identity[0] = c;
        for (std::size_t k = 0; k < 3; k++) out.back().place.velocity[k] = belt[k];
      }
  };
  w->find = [&](double, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
    corners(sim, out);
    return 0;
  };
  run r(*w);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  for (int k = 0; k < 500; k++) {
    ASSERT_EQ(r.step(), PERP_OK) << k << r.info.field;
    ASSERT_LE(apart(*w, r), kOpen) << k;
    std::vector<perp_pool_contact> all;
    corners(r.sim, all);
    for (const perp_pool_contact &c : all) ASSERT_GE(c.place.gap, -1.05 * kSlop) << k;
  }
  for (const std::int32_t i : {a, b}) {
    EXPECT_NEAR(r.v(i, 0), belt[0], 1e-3);
    EXPECT_NEAR(r.v(i, 2), belt[2], 1e-3);
    EXPECT_NEAR(r.q(i, 2), 0.1 + rise(r.time()), 2 * kSlop);
  }
}

TEST(PoolJoints, JointsAloneAreProjectedAsWithoutAPool) {
  const auto a = corrected(bridge(6, 0)), b = corrected(bridge(6, 0));
  a->find = [](double, const perp_simulation *, std::vector<perp_pool_contact> &) { return 0; };
  b->model.pool = nullptr;
  b->options.formulation = PERP_FORMULATION_REDUCED;
  run x(*a), y(*b);
  ASSERT_EQ(x.status, PERP_OK) << x.info.field;
  ASSERT_EQ(y.status, PERP_OK) << y.info.field;
  for (int k = 0; k < 100; k++) {
    ASSERT_EQ(x.step(), PERP_OK) << x.info.field;
    ASSERT_EQ(y.step(), PERP_OK);
    ASSERT_LE(apart(*a, x), kOpen) << k;
    for (std::size_t i = 0; i < a->q0.size(); i++)
      ASSERT_NEAR(perp_simulation_q(x.sim, 0)[i], perp_simulation_q(y.sim, 0)[i], 1e-7) << k;
  }
}

TEST(PoolJoints, ACorrectedRunHasTheSameBitsInThreadsAndResumed) {
  const auto a = corrected(crowd()), b = corrected(crowd());
  b->options.parallel = in_threads;
  run x(*a), y(*b);
  ASSERT_EQ(x.status, PERP_OK) << x.info.field;
  std::vector<unsigned char> middle;
  for (int k = 0; k < 6; k++) {
    if (k == 3) middle = x.bytes();
    ASSERT_EQ(x.step(), PERP_OK) << x.info.field;
    ASSERT_EQ(y.step(), PERP_OK);
    ASSERT_EQ(x.bytes(), y.bytes()) << k;
  }
  run z(*a->finish(), a->options, 8, middle.data());
  ASSERT_EQ(z.status, PERP_OK);
  ASSERT_EQ(z.steps(3), PERP_OK);
  EXPECT_EQ(z.bytes(), x.bytes());
}

// Whatever call of a callback answers NaN or refuses, the step fails and leaves the state.
TEST(PoolJoints, NaNBesideACorrectionFailsTheStep) {
  static int calls;
  static double answer;
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL}) {
    answer = bad;
    int failures = 0;
    for (int allowed = 0; allowed < 60; allowed++) {
      const auto w = corrected(chain(2, 0.5));
      w->q0[7 * 2 + 2] -= 1e-3; /* the slab overlaps what carries it */
      w->kinds[3].force = [](double, const double *, const double *, double *f, void *) {
        f[0] = f[1] = f[2] = 0;
        if (++calls > 0) f[2] = answer;
        return 0;
      };
      calls = -1000000;
      run r(*w);
      ASSERT_EQ(r.status, PERP_OK) << r.info.field;
      const auto before = r.bytes();
      calls = -allowed;
      if (r.step() == PERP_OK) break;
      failures++;
      EXPECT_EQ(r.step() < 0 ? PERP_ENOTFINITE : PERP_OK, PERP_ENOTFINITE);
      EXPECT_EQ(r.bytes(), before);
    }
    EXPECT_GT(failures, 3);
    EXPECT_LT(failures, 60);
  }
  const auto w = corrected(chain(2, 0.5));
  w->find = [&w](double, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
    w->add_contacts(sim, out);
    if (perp_simulation_time(sim) > 0) out[0].place.gap = std::numeric_limits<double>::quiet_NaN();
    return 0;
  };
  run r(*w);
  ASSERT_EQ(r.step(), PERP_OK) << r.info.field;
  const auto before = r.bytes();
  EXPECT_LT(r.step(), 0);
  EXPECT_EQ(r.bytes(), before);
}

}  // namespace
