// SPDX-License-Identifier: MIT
// Simulations as objects: they own what they need, may be moved at any time, hand exceptions of
// callbacks to whoever steps, and add nothing to the arithmetic of the C interface.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "perp/event_driven.hpp"
#include "perp/perp.hpp"

namespace {
std::atomic<long> allocations{0};
}

// Not inlined: compilers that see through one of the pair believe that the other does not match.
[[gnu::noinline]] void *operator new(std::size_t size) {
  allocations++;
  void *p = std::malloc(size);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
[[gnu::noinline]] void operator delete(void *p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void *p, std::size_t) noexcept { std::free(p); }

namespace {

using perp::interaction_id;
using perp::simulation_options;
using perp::system_id;

constexpr system_id kBall{0};
constexpr interaction_id kFloor{0};
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

perp::model ball_model(double height = 1, perp::time_function force = {}) {
  perp::lagrangian_linear ball(1, 1.0, -9.81);
  ball.force = std::move(force);
  perp::model m;
  const auto b = m.add(ball, {height});
  m.connect(perp::lagrangian_linear_relation(1.0), perp::newton_impact(0.9), b);
  return m;
}

simulation_options grid(double h, std::int32_t steps) {
  simulation_options o;
  o.h = h;
  o.steps = steps;
  return o;
}

/** Positions and velocities of a run, from t = 0 on. */
std::vector<double> trajectory(perp::simulation &sim, int steps) {
  std::vector<double> out;
  for (int k = 0; k < steps; k++) {
    EXPECT_EQ(sim.step(), PERP_OK);
    out.push_back(sim.q(kBall)[0]);
    out.push_back(sim.v(kBall)[0]);
  }
  return out;
}

TEST(CppSimulation, HasTheBitsOfTheCInterface) {
  const double M = 1, f = -9.81, H = 1, q0 = 1;
  const std::int32_t first = 0;
  perp_lagrangian_linear ball;
  perp_lagrangian_linear_relation gap;
  perp_newton_impact law;
  ASSERT_EQ(perp_lagrangian_linear_init(&ball, sizeof ball, 1), PERP_OK);
  ASSERT_EQ(perp_lagrangian_linear_relation_init(&gap, sizeof gap, 1, 1), PERP_OK);
  ASSERT_EQ(perp_newton_impact_init(&law, sizeof law), PERP_OK);
  ball.M = perp_diagonal(1, &M);
  ball.f = &f;
  gap.H = &H;
  law.e = 0.9;
  const perp_interaction floor = {&gap.relation, &law.law, &first, 1, 0};
  const perp_interaction *const interactions[] = {&floor};
  const perp_system *const systems[] = {&ball.system};
  perp_model model = PERP_MODEL_INIT;
  model.n_systems = model.n_interactions = 1;
  model.systems = systems;
  model.interactions = interactions;
  model.q0 = &q0;
  perp_simulation_options o = perp_simulation_options_default();
  o.h = 0.005;
  o.integrator = perp_integrator_moreau_jean();
  o.solver = perp_solver_active_set();
  std::vector<std::uint64_t> state(perp_simulation_state_size(&model, &o) / 8 + 1);
  std::vector<unsigned char> work(perp_simulation_work_size(&model, &o));
  perp_simulation *c = nullptr;
  ASSERT_EQ(perp_simulation_init(&c, &model, &o, state.data(), 8 * state.size(), work.data(),
                                 work.size(), nullptr),
            PERP_OK);
  perp::simulation sim(ball_model(), 0.005);
  for (int k = 0; k < 1000; k++) {
    ASSERT_EQ(perp_simulation_step(c, nullptr), PERP_OK);
    ASSERT_EQ(sim.step(), PERP_OK);
    ASSERT_EQ(sim.time(), perp_simulation_time(c));
    ASSERT_EQ(sim.q(kBall)[0], *perp_simulation_q(c, 0));
    ASSERT_EQ(sim.v(kBall)[0], *perp_simulation_v(c, 0));
    ASSERT_EQ(sim.lambda(kFloor)[0], *perp_simulation_lambda(c, 0));
  }
}

TEST(CppSimulation, OutlivesModelAndOptions) {
  perp::simulation reference(ball_model(), 0.005);
  const auto expected = trajectory(reference, 300);
  std::unique_ptr<perp::simulation> sim;
  {
    auto m = std::make_unique<perp::model>(ball_model());
    auto o = std::make_unique<simulation_options>();
    o->h = 0.005;
    o->thetas = {0.5};
    o->solver = perp::active_set(perp_active_set_options_default());
    sim = std::make_unique<perp::simulation>(*m, *o);
    m->add(perp::lagrangian_linear(1, 5.0));  // later changes are not seen
  }
  EXPECT_EQ(trajectory(*sim, 300), expected);
}

TEST(CppSimulation, ForcesMayBeMovedAfterwards) {
  const auto make = [] {
    auto amplitude = std::make_unique<double>(3);  // a callable that owns something
    const double *place = amplitude.get();
    std::shared_ptr<double> shared = std::move(amplitude);
    perp::lagrangian_linear s(1, 2.0);
    s.force = [shared, place](double t, perp::span f) {
      ASSERT_EQ(shared.get(), place);
      f[0] = *shared * t;
    };
    perp::lagrangian_linear moved = std::move(s);
    perp::model m;
    m.add(moved);
    moved.force = nullptr;
    perp::model other = std::move(m);
    return perp::simulation(other, 0.5);
  };
  perp::simulation sim = make();
  perp::simulation again = std::move(sim);
  ASSERT_EQ(again.step(), PERP_OK);
  EXPECT_DOUBLE_EQ(again.v(kBall)[0], 3 * 0.25 * 0.5 / 2);  // trapezoid of 3 t over [0, 1/2]
}

TEST(CppSimulation, MovesBetweenStepsAndViewsStay) {
  perp::simulation reference(ball_model(), 0.005);
  const auto expected = trajectory(reference, 200);
  perp::simulation a(ball_model(), 0.005);
  auto got = trajectory(a, 100);
  const perp::view q = a.q(kBall);
  perp::simulation b = std::move(a);
  perp::simulation c(ball_model(), 0.1);
  c = std::move(b);
  EXPECT_EQ(c.q(kBall).data(), q.data());
  const auto rest = trajectory(c, 100);
  got.insert(got.end(), rest.begin(), rest.end());
  EXPECT_EQ(got, expected);
  EXPECT_THROW((void)b.step(), perp::error) << "moved from";
  EXPECT_THROW((void)b.q(kBall), perp::error);
  EXPECT_THROW(b.restore(c.checkpoint()), perp::error);
  EXPECT_TRUE(b.checkpoint().empty());
}

TEST(CppSimulation, IsMoveOnly) {
  static_assert(!std::is_copy_constructible_v<perp::simulation>, "owns its state");
  static_assert(std::is_nothrow_move_constructible_v<perp::simulation>, "moves pointers");
  SUCCEED();
}

struct Oops : std::runtime_error {
  using std::runtime_error::runtime_error;
};

TEST(CppSimulation, ExceptionsOfCallbacksComeOutOfStep) {
  auto broken = std::make_shared<bool>(false);
  perp::simulation sim(ball_model(1,
                                  [broken](double, perp::span f) {
                                    if (*broken) throw Oops("no force today");
                                    f[0] = 0;
                                  }),
                       0.005);
  ASSERT_EQ(sim.step(), PERP_OK);
  const auto before = sim.checkpoint();
  *broken = true;
  for (int attempt = 0; attempt < 2; attempt++) {
    try {
      (void)sim.step();
      FAIL() << "went through";
    } catch (const Oops &e) {
      EXPECT_STREQ(e.what(), "no force today");
    }
    EXPECT_EQ(sim.status(), PERP_ECALLBACK);
    EXPECT_EQ(sim.checkpoint(), before) << "the state stays as it was";
  }
  *broken = false;
  EXPECT_EQ(sim.step(), PERP_OK);
  EXPECT_DOUBLE_EQ(sim.v(kBall)[0], -9.81 * 0.01);
}

TEST(CppSimulation, AnExceptionIsThrownOnce) {
  int call = 0;
  perp::simulation sim(ball_model(1,
                                  [&call](double, perp::span f) -> std::int32_t {
                                    f[0] = 0;
                                    if (call == 1) throw Oops("once");
                                    return call == 2 ? -1 : 0;
                                  }),
                       0.005);
  ASSERT_EQ(sim.step(), PERP_OK);
  call = 1;
  EXPECT_THROW((void)sim.step(), Oops);
  call = 2;
  EXPECT_THROW((void)sim.step(), perp::error) << "a number, not the exception of before";
}

TEST(CppSimulation, ExceptionsOfCallbacksComeOutOfTheConstructorOrTheFirstStep) {
  const auto m = ball_model(1, [](double, perp::span) { throw Oops("never"); });
  EXPECT_THROW(
      {
        perp::simulation sim(m, 0.005);
        (void)sim.step();
      },
      Oops);
}

TEST(CppSimulation, ThrownThingsNeedNotBeExceptions) {
  const auto m = ball_model(1, [](double t, perp::span f) {
    f[0] = 0;
    if (t > 0.02) throw 42;
  });
  perp::simulation sim(m, 0.005);
  try {
    while (sim.step() == PERP_OK) {
    }
    FAIL() << "went through";
  } catch (int value) {
    EXPECT_EQ(value, 42);
  }
}

TEST(CppSimulation, CallbacksAnswerByNumbersToo) {
  std::int32_t answer = 0;
  const auto m = ball_model(1, [&answer](double, perp::span f) {
    f[0] = 0;
    return answer;
  });
  perp::simulation sim(m, 0.005);
  EXPECT_EQ(sim.step(), PERP_OK);
  answer = 1;
  EXPECT_EQ(sim.step(), PERP_RETRY) << "a smaller step is asked for, which is no error";
  answer = -7;
  try {
    (void)sim.step();
    FAIL() << "went through";
  } catch (const perp::error &e) {
    EXPECT_EQ(e.status(), PERP_ECALLBACK);
  }
  answer = 0;
  EXPECT_EQ(sim.step(), PERP_OK);
}

TEST(CppSimulation, LoopsEndInAStatus) {
  perp::simulation sim(ball_model(), 0.005, 100);
  int seen = 0;
  for (auto &s : sim.steps()) EXPECT_EQ(s.step_index(), ++seen);
  EXPECT_EQ(seen, 100);
  EXPECT_EQ(sim.status(), PERP_END);
  EXPECT_EQ(sim.step(), PERP_END) << "and stays there";
  EXPECT_NEAR(sim.time(), 0.5, 1e-15);

  perp::simulation other(ball_model(), 0.005, 100);
  seen = 0;
  EXPECT_EQ(other.run([&](const perp::simulation &) { seen++; }), PERP_END);
  EXPECT_EQ(seen, 100);

  perp::simulation third(ball_model(), 0.005, 100);
  EXPECT_EQ(third.run([](const perp::simulation &s) { return s.step_index() < 7; }), PERP_STOPPED);
  EXPECT_EQ(third.step_index(), 7);
  EXPECT_EQ(third.status(), PERP_STOPPED);
  EXPECT_EQ(third.run(), PERP_END) << "goes on";
}

TEST(CppSimulation, GridsMayBeGiven) {
  simulation_options o;
  o.grid = {0, 0.1, 0.3, 0.35};
  perp::simulation sim(ball_model(5), o);
  std::vector<double> times;
  for (auto &s : sim.steps()) times.push_back(s.time());
  EXPECT_EQ(times, (std::vector<double>{0.1, 0.3, 0.35}));
  EXPECT_NEAR(sim.q(kBall)[0], 5 - 9.81 * 0.35 * 0.35 / 2, 1e-14);
}

TEST(CppSimulation, AdvancesOffTheGrid) {
  perp::simulation sim(ball_model(5), 0.1);
  EXPECT_EQ(sim.advance(0.025), PERP_OK);
  EXPECT_NEAR(sim.time(), 0.025, 1e-15);
  EXPECT_NEAR(sim.q(kBall)[0], 5 - 9.81 * 0.025 * 0.025 / 2, 1e-14);
  for (const double h : {0.0, -1.0, kNaN, kInf}) {
    EXPECT_THROW((void)sim.advance(h), perp::error) << h;
  }
}

TEST(CppSimulation, RestoredRunsHaveTheBitsOfTheUninterrupted) {
  perp::simulation whole(ball_model(), 0.005);
  const auto expected = trajectory(whole, 400);
  perp::simulation sim(ball_model(), 0.005);
  (void)trajectory(sim, 150);
  const perp::checkpoint c = sim.checkpoint();
  EXPECT_EQ(c.size(), sim.state_bytes());
  (void)trajectory(sim, 77);
  sim.restore(c);
  EXPECT_EQ(sim.status(), PERP_OK);
  auto rest = trajectory(sim, 250);
  EXPECT_EQ(rest, std::vector<double>(expected.begin() + 300, expected.end()));
  perp::simulation fresh(ball_model(), 0.005);
  fresh.restore(c);
  rest = trajectory(fresh, 250);
  EXPECT_EQ(rest, std::vector<double>(expected.begin() + 300, expected.end()));
}

TEST(CppSimulation, AStateIsSetBetweenSteps) {
  perp::model m;
  const auto ball = m.add(perp::lagrangian_linear(1, 1.0, -9.81), {1});
  const auto cell = m.add(perp::first_order_linear(1), {3});
  perp::simulation sim(m, 0.01);
  ASSERT_EQ(sim.step(), PERP_OK);
  const double v = sim.v(ball)[0];
  const std::vector<double> two = {2}, five = {5}, nan = {NAN};
  sim.set_state(ball, two);
  EXPECT_EQ(sim.q(ball)[0], 2);
  EXPECT_EQ(sim.v(ball)[0], v);
  sim.set_state(ball, {}, five);
  sim.set_state(cell, {}, {}, two);
  EXPECT_EQ(sim.v(ball)[0], 5);
  EXPECT_EQ(sim.x(cell)[0], 2);
  EXPECT_THROW(sim.set_state(ball, {}, {}, two), perp::error);
  EXPECT_THROW(sim.set_state(ball, nan), perp::error);
  EXPECT_THROW(sim.set_state(perp::system_id{7}, two), perp::error);
  EXPECT_EQ(sim.q(ball)[0], 2);
  ASSERT_EQ(sim.step(), PERP_OK);
  EXPECT_EQ(sim.v(ball)[0], 5 - 0.01 * 9.81);
}

TEST(CppSimulation, ForeignCheckpointsChangeNothing) {
  perp::simulation sim(ball_model(), 0.005);
  (void)trajectory(sim, 10);
  const auto before = sim.checkpoint();
  perp::checkpoint broken = before;
  broken.pop_back();
  EXPECT_THROW(sim.restore(broken), perp::error);
  broken.assign(before.size(), std::byte{0x5a});
  EXPECT_THROW(sim.restore(broken), perp::error);
  EXPECT_THROW(sim.restore({}), perp::error);
  EXPECT_EQ(sim.checkpoint(), before);
  EXPECT_EQ(sim.step(), PERP_OK);
}

TEST(CppSimulation, IntegratorsGoByTheOrderOfEachSystem) {
  perp::model m = ball_model();
  const auto decay = m.add(perp::first_order_linear(1, -2.0), {1});
  perp::linear_relation observer;
  observer.C = 3.0;
  const auto out = m.connect(observer, perp::equality(), decay);
  (void)out;
  perp::model only;
  const auto x = only.add(perp::first_order_linear(1, -2.0), {1});
  perp::simulation sim(only, 0.1, 3);
  EXPECT_EQ(sim.run(), PERP_END);
  EXPECT_NEAR(sim.x(x)[0], std::pow(0.9 / 1.1, 3), 1e-15);
  perp::model both = ball_model();
  const auto y = both.add(perp::first_order_linear(1, -2.0), {1});
  perp::simulation mixed(both, 0.1, 3);
  EXPECT_EQ(mixed.run(), PERP_END);
  EXPECT_EQ(mixed.x(y)[0], sim.x(x)[0]);
  EXPECT_NEAR(mixed.q(kBall)[0], 1 - 9.81 * 0.09 / 2, 1e-15);
}

TEST(CppSimulation, TheSolverGoesByTheModelUnlessNamed) {
  const auto bytes = [](const perp::model &m, const perp::method &solver) {
    simulation_options o;
    o.solver = solver;
    return perp::simulation(m, o).work_bytes();
  };
  perp::model mechanics;
  const auto b = mechanics.add(perp::lagrangian_linear(3, {1, 1, 1}));
  mechanics.connect(perp::lagrangian_linear_relation(perp::rows({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}})),
                    perp::complementarity(), b);
  EXPECT_EQ(bytes(mechanics, {}), bytes(mechanics, perp::active_set()));
  EXPECT_NE(bytes(mechanics, {}), bytes(mechanics, perp::lemke()));
  perp::model circuit;
  perp::linear_relation r;
  r.C = r.B = perp::rows({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  circuit.connect(r, perp::complementarity(), circuit.add(perp::first_order_linear(3)));
  EXPECT_EQ(bytes(circuit, {}), bytes(circuit, perp::automatic()));
  EXPECT_NE(bytes(circuit, {}), bytes(circuit, perp::lemke()));
  EXPECT_NE(bytes(circuit, {}), bytes(circuit, perp::active_set()));
  const auto nonlinear = [](auto &&change) {
    perp::lagrangian s(3, {1, 1, 1});
    change(s);
    perp::model m;
    const perp::lagrangian_linear_relation all(perp::rows({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
    m.connect(all, perp::complementarity(), m.add(s));
    return m;
  };
  const perp::model plain = nonlinear([](auto &) {}),
                    damped = nonlinear([](auto &s) {
                      s.internal = [](perp::view, perp::view v, perp::span F) { F[0] = v[1]; };
                    });
  EXPECT_EQ(bytes(plain, {}), bytes(plain, perp::active_set()));
  EXPECT_NE(bytes(plain, {}), bytes(plain, perp::automatic()));
  EXPECT_EQ(bytes(damped, {}), bytes(damped, perp::automatic()));
  EXPECT_NE(bytes(damped, {}), bytes(damped, perp::active_set()));
}

TEST(CppSimulation, ViewsKnowTheirSizesAndBadOnesThrow) {
  perp::model m;
  const auto a = m.add(perp::lagrangian_linear(3, {1, 1, 1}), {1, 2, 3}, {4, 5, 6});
  const auto x = m.add(perp::first_order_linear(2), {7, 8});
  const auto i =
      m.connect(perp::lagrangian_linear_relation({1, 0, 0, 1, 0, 0}), perp::complementarity(), a);
  perp::simulation sim(m, 1e-3);
  ASSERT_EQ(sim.q(a).size(), 3u);
  EXPECT_EQ(sim.q(a)[2], 3.0);
  EXPECT_EQ(sim.v(a)[2], 6.0);
  ASSERT_EQ(sim.x(x).size(), 2u);
  EXPECT_EQ(sim.x(x)[1], 8.0);
  EXPECT_EQ(sim.y(i).size(), 2u);
  EXPECT_EQ(sim.ydot(i).size(), 2u);
  EXPECT_EQ(sim.lambda(i).size(), 2u);
  EXPECT_THROW((void)sim.x(a), perp::error);
  EXPECT_THROW((void)sim.q(x), perp::error);
  EXPECT_THROW((void)sim.v(x), perp::error);
  EXPECT_THROW((void)sim.q(system_id{2}), perp::error);
  EXPECT_THROW((void)sim.q(system_id{-1}), perp::error);
  EXPECT_THROW((void)sim.y(interaction_id{1}), perp::error);
  double f[3];
  EXPECT_THROW(sim.force(i, f), perp::error);
}

TEST(CppSimulation, EnergyAndReportTellTheRun) {
  perp::simulation sim(ball_model(), 0.005);
  EXPECT_NEAR(sim.energy().total(), 9.81, 1e-14);
  EXPECT_NEAR(sim.energy().potential, 9.81, 1e-14);
  EXPECT_EQ(sim.energy().kinetic, 0.0);
  int impacts = 0;
  for (int k = 0; k < 300; k++) {
    ASSERT_EQ(sim.step(), PERP_OK);
    if (sim.lambda(kFloor)[0] > 0) impacts++;
  }
  const auto r = sim.report();
  EXPECT_EQ(r.steps, 300u);
  EXPECT_EQ(r.impacts, static_cast<std::uint64_t>(impacts));
  EXPECT_GT(impacts, 0);
  EXPECT_EQ(r.max_active, 1);
  EXPECT_EQ(r.failures, 0);
  EXPECT_GE(r.penetration, 0.0);
  EXPECT_LT(r.penetration, 0.05);
  EXPECT_LT(sim.energy().total(), 9.81 * 0.9);
}

TEST(CppSimulation, WhatAPotentialThrowsComesOutOfEnergyAndOfNothingElse) {
  bool broken = true;
  perp::lagrangian mass(1);
  mass.M = 1.0;
  mass.potential = [&](perp::view q, perp::span V) {
    if (broken) throw std::domain_error("no potential here");
    V[0] = 9.81 * q[0];
  };
  perp::model m;
  m.add(mass, {2.0}, {1.0});
  perp::simulation steps(m, 0.005);
  perp::event_driven events(m);
  for (int k = 0; k < 2; k++) {
    EXPECT_THROW((void)steps.energy(), std::domain_error);
    EXPECT_THROW((void)events.energy(), std::domain_error);
    EXPECT_EQ(steps.step(), PERP_OK);
    EXPECT_EQ(events.run_until(0.01), PERP_OK);
  }
  broken = false;
  EXPECT_NEAR(steps.energy().potential, 9.81 * 2.01, 1e-12);
  EXPECT_NEAR(events.energy().total(), 9.81 * 2.01 + 0.5, 1e-12);
}

TEST(CppSimulation, ForceIsTheMeanOfTheImpulse) {
  perp::simulation sim(ball_model(0), 0.005);
  double force = 999;
  for (int k = 0; k < 3; k++) ASSERT_EQ(sim.step(), PERP_OK);
  sim.force(kFloor, {&force, 1});
  EXPECT_NEAR(force, 9.81, 1e-12);
  EXPECT_DOUBLE_EQ(sim.lambda(kFloor)[0], force * 0.005);
  EXPECT_EQ(sim.level(kFloor), PERP_LEVEL_IMPULSE);
  EXPECT_THROW((void)sim.level(interaction_id{1}), perp::error);
}

TEST(CppSimulation, ParametersMayChangeBetweenSteps) {
  double z = 0;  // height of the floor
  perp::model m;
  const auto b = m.add(perp::lagrangian_linear(1, 1.0, -9.81), {0.0});
  perp::lagrangian_linear_relation gap(1.0);
  gap.F = -1.0;
  gap.z = perp::borrow({&z, 1});
  const auto i = m.connect(gap, perp::newton_impact(0), b);
  perp::simulation sim(m, 1e-3);
  ASSERT_EQ(sim.step(), PERP_OK);
  EXPECT_NEAR(sim.lambda(i)[0], 9.81e-3, 1e-15) << "the floor carries";
  z = -1;
  ASSERT_EQ(sim.step(), PERP_OK) << "starts from the gap that the last step ended with";
  EXPECT_EQ(sim.y(i)[0], sim.q(b)[0] + 1);
  ASSERT_EQ(sim.step(), PERP_OK);
  EXPECT_EQ(sim.lambda(i)[0], 0.0) << "the floor is gone";
}

TEST(CppSimulation, TwoRunsShareNothing) {
  const auto m = ball_model();
  perp::simulation alone(m, 0.005);
  const auto expected = trajectory(alone, 200);
  perp::simulation a(m, 0.005), b(m, 0.003);
  std::vector<double> got;
  for (int k = 0; k < 200; k++) {
    const auto step = trajectory(a, 1);
    (void)trajectory(b, 1);
    got.insert(got.end(), step.begin(), step.end());
  }
  EXPECT_EQ(got, expected);
}

TEST(CppSimulation, StepsAllocateNothing) {
  perp::simulation sim(ball_model(1, [](double t, perp::span f) { f[0] = t; }), 0.005, 1000);
  double sum = 0;
  const long before = allocations;
  for (const auto &s : sim.steps()) sum += s.q(kBall)[0] + s.lambda(kFloor)[0];
  const auto report = sim.report();
  EXPECT_EQ(allocations - before, 0);
  EXPECT_EQ(report.steps, 1000u);
  EXPECT_TRUE(std::isfinite(sum));
}

TEST(CppSimulation, BadOptionsAreNamed) {
  const auto refused = [](auto &&change, const std::string &field) {
    simulation_options o = grid(0.005, 10);
    change(o);
    try {
      perp::simulation sim(ball_model(), o);
      ADD_FAILURE() << field << " accepted";
    } catch (const perp::error &e) {
      ASSERT_NE(e.field(), nullptr) << e.what();
      EXPECT_NE(std::string(e.what()).find(field), std::string::npos) << e.what();
    }
  };
  for (const double bad : {0.0, -1.0, kNaN, kInf}) {
    refused([=](auto &o) { o.h = bad; }, "h");
  }
  for (const double bad : {-0.1, 2.1, kNaN}) {
    refused([=](auto &o) { o.theta = bad; }, "theta");
    refused([=](auto &o) { o.thetas = bad; }, "theta");
    refused([=](auto &o) { o.gamma = bad; }, "gamma");
  }
  refused([](auto &o) { o.thetas = {0.5, 0.5}; }, "thetas");
  refused([](auto &o) { o.t0 = kNaN; }, "t0");
  refused([](auto &o) { o.steps = -1; }, "steps");
  refused([](auto &o) { o.grid = {0, 1, 1}; }, "grid");
  refused([](auto &o) { o.integrator = perp_integrator_theta(); }, "integrator");
}

TEST(CppSimulation, BadModelsAreNamed) {
  EXPECT_THROW(perp::simulation(ball_model(-0.1), 0.005), perp::error) << "below the floor";
  EXPECT_THROW(perp::simulation(ball_model(kNaN), 0.005), perp::error);
  perp::model none;
  EXPECT_THROW(none.add(perp::lagrangian_linear(2, {1, 1, 1, 1})), perp::error) << "singular";
  try {
    none.add(perp::lagrangian_linear(1, kInf));
    FAIL() << "accepted";
  } catch (const perp::error &e) {
    EXPECT_EQ(e.status(), PERP_ENOTFINITE);
    EXPECT_NE(e.field(), nullptr);
  }
  EXPECT_EQ(none.systems(), 0u);
}

}  // namespace
