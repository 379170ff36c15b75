// SPDX-License-Identifier: MIT
// Event-driven simulations as objects: the models and the names of perp::simulation, guards and
// resets by lambdas, exceptions that come out of the run with the state kept, options that arrive.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "facade_tools.hpp"
#include "perp/event_driven.hpp"
#include "perp/perp.hpp"

namespace {

using perp::contact_mode;
using perp::event_options;
using perp::event_state;
using perp::interaction_id;
using perp::reset_state;
using perp::system_id;
using tools::expect_refusal;

constexpr system_id kBall{0};
constexpr interaction_id kFloor{0};
constexpr double kG = 9.81, kNaN = std::numeric_limits<double>::quiet_NaN();

perp::model ball_model(double e = 0.9, perp::time_function force = {}) {
  perp::lagrangian_linear ball(1, 1.0, -kG);
  ball.force = std::move(force);
  perp::model m;
  const auto b = m.add(ball, {1.0});
  m.connect(perp::lagrangian_linear_relation(1.0), perp::newton_impact(e), b);
  return m;
}

/** A mass without forces, x = t. */
perp::model drift_model(perp::callable<double, perp::span> force = {}) {
  perp::lagrangian_linear mass(1, 1.0);
  mass.force = std::move(force);
  perp::model m;
  m.add(mass, {0.0}, {1.0});
  return m;
}

const double kFirst = std::sqrt(2 / kG); /* the ball reaches the floor */

// --------------------------------------------------------------------- one model, both ----

/** What a run of the ball shows at a time; written once for both strategies. */
template <class Simulation>
std::vector<double> seen(Simulation &sim, double t) {
  EXPECT_EQ(sim.run_until(t), PERP_OK);
  EXPECT_EQ(sim.status(), PERP_OK);
  const perp::energies e = sim.energy();
  return {sim.time(),       sim.q(kBall)[0],     sim.v(kBall)[0],
          sim.y(kFloor)[0], sim.ydot(kFloor)[0], e.total()};
}

// A contact whose friction pushes it in while it slips along (Painlevé), towards the obstacle:
// there is no motion from y = 0.
perp::model painleve_model(const perp::array &q, const perp::array &v) {
  const double w = 0.9, det = 2 - w * w;
  const perp::lagrangian_linear rod(2, {2 / det, -w / det, -w / det, 1 / det}, {-2 / det, w / det});
  perp::model m;
  const auto r = m.add(rod, q, v);
  m.connect(perp::lagrangian_linear_relation({1, 0, 0, 1}), perp::friction_2d(2), r);
  return m;
}

template <class Call>
void expect_no_motion(Call &&call) {
  try {
    call();
    FAIL() << "went through";
  } catch (const perp::error &e) {
    EXPECT_EQ(e.status(), PERP_EINVAL);
    EXPECT_STREQ(e.field(), "mode");
    EXPECT_EQ(e.index(), 0);
    EXPECT_NE(std::string(e.what()).find("no solution"), std::string::npos) << e.what();
  }
}

TEST(CppEventDriven, AStateWithoutAMotionIsAWrongArgument) {
  expect_no_motion([] { perp::event_driven sim(painleve_model({0, 0}, {0, 1})); });
}

TEST(CppEventDriven, TheSameModelRunsUnderEitherStrategy) {
  const perp::model m = ball_model();
  perp::simulation stepping(m, 1e-5);
  perp::event_driven events(m);
  for (const double t : {0.3, 1.0, 1.9}) {
    const auto a = seen(stepping, t), b = seen(events, t);
    for (std::size_t i = 0; i < a.size(); i++) EXPECT_NEAR(a[i], b[i], 2e-3) << t << " " << i;
    EXPECT_EQ(b[0], t);
  }
  EXPECT_EQ(events.report().impacts, 2);
}

TEST(CppEventDriven, ForcesOfAClosedContactAreTheSameQuantity) {
  const perp::model m = ball_model(0.0);
  perp::simulation stepping(m, 1e-3);
  perp::event_driven events(m);
  ASSERT_EQ(stepping.run_until(1), PERP_OK);
  ASSERT_EQ(events.run_until(1), PERP_OK);
  double a[1], b[1];
  stepping.force(kFloor, a);
  events.force(kFloor, b);
  EXPECT_NEAR(a[0], kG, 1e-11);
  EXPECT_NEAR(b[0], kG, 1e-11);
  EXPECT_EQ(events.lambda(kFloor)[0], b[0]);
  EXPECT_EQ(events.mode(kFloor), contact_mode::closed);
  EXPECT_NEAR(events.rate(kBall)[0], 0, 1e-12);
}

TEST(CppEventDriven, FirstOrderModelsToo) {  // x' = -sgn(x) from 1: at rest at 1
  perp::model m;
  const auto s = m.add(perp::first_order_linear(1), {1.0});
  perp::linear_relation r;
  r.C = 1.0, r.B = 1.0;
  const auto relay = m.connect(r, perp::relay(), s);
  perp::simulation stepping(m, 1e-3);
  perp::event_driven events(m);
  ASSERT_EQ(stepping.run_until(0.5), PERP_OK);
  ASSERT_EQ(events.run_until(0.5), PERP_OK);
  EXPECT_NEAR(events.x(s)[0], 0.5, 1e-12);
  EXPECT_NEAR(stepping.x(s)[0], 0.5, 1e-9);
  EXPECT_NEAR(events.lambda(relay)[0], -1, 1e-12);
  EXPECT_EQ(events.mode(relay), contact_mode::lower);
  ASSERT_EQ(events.run_until(2), PERP_OK);
  EXPECT_NEAR(events.x(s)[0], 0, 1e-10);
  EXPECT_EQ(events.mode(relay), contact_mode::between);
  EXPECT_THROW((void)events.q(s), perp::error);
  EXPECT_THROW((void)events.ydot(relay), perp::error);
}

TEST(CppEventDriven, GraphsArePutTogetherAtOrderOne) {  // x' = λ(x), 0 where |x| < 1, else -sgn(x)
  perp::model m;
  const auto s = m.add(perp::first_order_linear(1), {3.0});
  perp::linear_relation r;
  r.C = 1.0, r.B = 1.0;
  const auto graph = m.connect(r, perp::relay_dead_zone(1.0), s);
  perp::simulation stepping(m, 1.0 / 1024);
  perp::event_driven events(m);
  for (const double t : {0.5, 1.5, 4.0}) {
    ASSERT_EQ(stepping.run_until(t), PERP_OK);
    ASSERT_EQ(events.run_until(t), PERP_OK);
    EXPECT_NEAR(events.x(s)[0], std::fmax(3 - t, 1), 1e-10);
    EXPECT_NEAR(stepping.x(s)[0], events.x(s)[0], 2e-3);
    ASSERT_EQ(events.y(graph).size(), 1u);
    EXPECT_EQ(events.y(graph)[0], events.x(s)[0]);
    EXPECT_NEAR(events.lambda(graph)[0], t < 2 ? -1 : 0, 1e-10);
  }
  perp::model k;  // at order 2 it is one between velocities and impulses of a step
  const auto mass = k.add(perp::lagrangian_linear(1, 1.0), {0.0});
  k.connect(perp::lagrangian_linear_relation(1.0), perp::relay_dead_zone(1.0), mass);
  expect_refusal([&k] { perp::event_driven sim(k); },
                 {"relation", "has a D, which event-driven integration at order 2"});
}

TEST(CppEventDriven, HasTheBitsOfTheCInterface) {
  const perp::model m = ball_model();
  const perp::c_model c(m);
  const perp_event_options o = perp_event_options_default();
  perp_event_driven *raw = nullptr;
  ASSERT_EQ(perp_event_driven_create(&raw, c.get(), &o, nullptr), PERP_OK);
  perp::event_driven sim(m);
  for (int k = 1; k <= 50; k++) {
    ASSERT_EQ(perp_event_driven_run(raw, 0.1 * k, nullptr, nullptr), PERP_OK);
    ASSERT_EQ(sim.run_until(0.1 * k), PERP_OK);
    ASSERT_EQ(sim.q(kBall)[0], *perp_event_driven_q(raw, 0));
    ASSERT_EQ(sim.v(kBall)[0], *perp_event_driven_v(raw, 0));
    perp_event_report r = PERP_EVENT_REPORT_INIT;
    ASSERT_EQ(perp_event_driven_report(raw, &r), PERP_OK);
    ASSERT_EQ(sim.report().evaluations, r.evaluations);
  }
  perp_event_driven_destroy(raw);
}

// ------------------------------------------------------------------------------ events ----

TEST(CppEventDriven, EventsTellWhatHappened) {
  perp::event_driven sim(ball_model(0.5));
  EXPECT_TRUE(sim.event().is_start());
  int count = 0;
  double speed = kG * kFirst, t = kFirst;
  for (const perp::event &e : sim.events_until(1.2)) {
    EXPECT_TRUE(e.is_impact());
    EXPECT_FALSE(e.is_start() || e.is_close() || e.is_open() || e.is_guard() || e.is_slip());
    EXPECT_FALSE(e.is_stick() || e.is_reverse() || e.is_switch() || e.is_schedule());
    EXPECT_FALSE(e.is_accumulation() || e.is_handover() || e.is_return());
    EXPECT_TRUE(e.is(PERP_EVENT_IMPACT | PERP_EVENT_OPEN));
    EXPECT_NEAR(e.time(), t, 1e-10);
    EXPECT_EQ(e.time(), sim.time());
    EXPECT_NEAR(e.v_before(kBall)[0], -speed, 1e-9);
    EXPECT_NEAR(sim.v(kBall)[0], 0.5 * speed, 1e-9);
    EXPECT_NEAR(e.impulse(kFloor)[0], 1.5 * speed, 1e-9);
    const auto changes = e.changes();
    EXPECT_EQ(changes.size(), 1u);
    EXPECT_EQ(changes[0].kind, PERP_EVENT_IMPACT);
    EXPECT_EQ(changes[0].interaction(), kFloor);
    EXPECT_EQ(changes[0].copy, 0);
    EXPECT_THROW((void)e.impulse(interaction_id{1}), perp::error);
    EXPECT_THROW((void)e.x_before(kBall), perp::error);
    speed *= 0.5, t += 2 * speed / kG, count++;
  }
  EXPECT_EQ(count, 3);
  EXPECT_EQ(sim.status(), PERP_END);
  EXPECT_EQ(sim.time(), 1.2);
}

TEST(CppEventDriven, ABallComesToRestThroughItsAccumulationPoint) {
  perp::event_driven sim(ball_model(0.5));
  bool accumulated = false, closed = false;
  for (const perp::event &e : sim.events_until(3)) {
    accumulated = accumulated || e.is_accumulation();
    closed = closed || e.is_close();
    if (e.is_accumulation()) {
      EXPECT_NEAR(e.until(), kFirst * 3, 1e-10);
      EXPECT_LE(e.error_bound(), 1e-12);
    }
  }
  EXPECT_TRUE(accumulated && closed);
  EXPECT_EQ(sim.time(), 3);
  EXPECT_EQ(sim.mode(kFloor), contact_mode::closed);
  EXPECT_NEAR(sim.lambda(kFloor)[0], kG, 1e-11);
}

TEST(CppEventDriven, GuardsAndResetsAreLambdas) {
  // x = t; where x rises through 1, it is put back to 0: a saw tooth.
  event_options o;
  int resets = 0;
  o.guards.push_back({[](const event_state &s) { return s.q(kBall)[0] - 1; }, 1,
                      [&resets](reset_state &s) { s.q(kBall)[0] = 0, resets++; }});
  perp::event_driven sim(drift_model(), o);
  std::vector<double> times;
  const auto on_event = [&](const perp::event &e) {
    EXPECT_TRUE(e.is_guard());
    EXPECT_NEAR(e.q_before(kBall)[0], 1, 1e-12);
    times.push_back(e.time());
  };
  EXPECT_EQ(sim.run(
                3.5, {}, [](const perp::event_driven &) {}, on_event),
            PERP_OK);
  ASSERT_EQ(times.size(), 3u);
  for (std::size_t k = 0; k < 3; k++) EXPECT_NEAR(times[k], static_cast<double>(k + 1), 1e-12);
  EXPECT_EQ(resets, 3);
  EXPECT_NEAR(sim.q(kBall)[0], 0.5, 1e-12);
}

TEST(CppEventDriven, OneFunctionReadsTheStateOfGuardsAndSimulations) {
  const auto height = [](const auto &s) { return s.q(kBall)[0] - 0.25 * s.time(); };
  event_options o;
  o.guards.push_back({height, 0, {}});
  perp::event_driven sim(drift_model(), o);
  ASSERT_EQ(sim.run_until(2), PERP_OK);
  EXPECT_NEAR(height(sim), 1.5, 1e-12);
}

TEST(CppEventDriven, ResetsMayEndTheRun) {
  event_options o;
  o.guards.push_back({[](const event_state &s) { return s.q(kBall)[0] - 1; }, 0,
                      [](reset_state &s) {
                        s.v(kBall)[0] = -1;
                        return false;
                      }});
  perp::event_driven sim(drift_model(), o);
  EXPECT_EQ(sim.run_until(5), PERP_STOPPED);
  EXPECT_NEAR(sim.time(), 1, 1e-12);
  EXPECT_EQ(sim.v(kBall)[0], -1) << "after this event";
  EXPECT_EQ(sim.run_until(3), PERP_OK) << "goes on";
  EXPECT_NEAR(sim.q(kBall)[0], -1, 1e-12);
}

TEST(CppEventDriven, SchedulesAreMetExactly) {
  event_options o;
  const auto kick = [](reset_state &s) { s.v(kBall)[0] += 1; };
  o.schedules.push_back({{0.5, 1.25}, 0, 0, kick});
  o.schedules.push_back({{}, 2, 0.25, {}});
  perp::event_driven sim(drift_model(), o);
  std::vector<double> times;
  for (const perp::event &e : sim.events_until(2.6)) {
    EXPECT_TRUE(e.is_schedule());
    times.push_back(e.time());
  }
  EXPECT_EQ(times, (std::vector<double>{0.5, 1.25, 2, 2.25, 2.5}));
  EXPECT_NEAR(sim.q(kBall)[0], 0.5 + 2 * 0.75 + 3 * 1.35, 1e-12);
}

TEST(CppEventDriven, OutputsAreSeenAtTheirTimes) {
  perp::event_driven sim(ball_model(0.5));
  std::vector<double> times;
  const auto look = [&](const perp::event_driven &s) {
    times.push_back(s.time());
    const double t = s.time();
    if (t < kFirst) {
      EXPECT_NEAR(s.q(kBall)[0], 1 - kG * t * t / 2, 1e-9);
    }
    EXPECT_NEAR(s.y(kFloor)[0], s.q(kBall)[0], 1e-15);
  };
  EXPECT_EQ(sim.run(1, 0.25, look), PERP_OK);
  EXPECT_EQ(times, (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
  times.clear();
  EXPECT_EQ(sim.run(2, {0.5, 1.2}, look), PERP_OK);
  EXPECT_EQ(times, (std::vector<double>{1.2, 1.7}));
  times.clear();
  EXPECT_EQ(sim.run(3, perp::array({2.1, 2.7, 3.2}), look), PERP_OK);
  EXPECT_EQ(times, (std::vector<double>{2.1, 2.7}));
}

TEST(CppEventDriven, ObserversMayStop) {
  perp::event_driven sim(ball_model(0.5));
  EXPECT_EQ(sim.run(2, 0.1, [](const perp::event_driven &s) { return s.time() < 0.25; }),
            PERP_STOPPED);
  EXPECT_EQ(sim.status(), PERP_STOPPED);
  int events = 0;
  const auto nothing = [](const perp::event_driven &) {};
  EXPECT_EQ(sim.run(2, {}, nothing, [&](const perp::event &) { return ++events < 2; }),
            PERP_STOPPED);
  EXPECT_EQ(events, 2);
  EXPECT_EQ(sim.run_until(2), PERP_OK);
}

// ---------------------------------------------------------------------------- lifetimes ----

TEST(CppEventDriven, OutlivesModelAndOptions) {
  const auto make = [] {
    const perp::model m = ball_model(
        0.9, [scale = std::make_shared<double>(0.0)](double, perp::span f) { f[0] = *scale; });
    event_options o;
    o.atols = {1e-12, 1e-11};
    o.solver = perp::active_set(perp_active_set_options_default());
    o.guards.push_back({[top = std::make_shared<double>(0.3)](const event_state &s) {
                          return s.q(kBall)[0] - *top;
                        },
                        0,
                        {}});
    o.schedules.push_back({{0.1, 0.2}, 0, 0, {}});
    return perp::event_driven(m, o);
  };
  perp::event_driven a = make(), reference = make();
  ASSERT_EQ(a.run_until(0.7), PERP_OK);
  perp::event_driven b = std::move(a);
  perp::event_driven c(ball_model(0.1));
  ASSERT_EQ(c.run_until(0.1), PERP_OK);
  c = std::move(b);
  EXPECT_EQ(c.time(), 0.7);
  ASSERT_EQ(c.run_until(2), PERP_OK);
  ASSERT_EQ(reference.run_until(0.7), PERP_OK);
  ASSERT_EQ(reference.run_until(2), PERP_OK);
  EXPECT_EQ(c.q(kBall)[0], reference.q(kBall)[0]);
  EXPECT_EQ(c.report().events, reference.report().events);
  EXPECT_GT(c.report().events, 5);
  EXPECT_THROW((void)b.run_until(3), perp::error) << "moved from";
  EXPECT_THROW((void)b.q(kBall), perp::error);
  EXPECT_THROW((void)b.event(), perp::error);
  EXPECT_THROW((void)b.guards(), perp::error);
  EXPECT_THROW(b.restart(0), perp::error);
  EXPECT_EQ(b.message(), "");
}

TEST(CppEventDriven, IsMoveOnly) {
  static_assert(!std::is_copy_constructible_v<perp::event_driven>, "owns its state");
  static_assert(std::is_nothrow_move_constructible_v<perp::event_driven>, "moves pointers");
  SUCCEED();
}

TEST(CppEventDriven, RestartsFromAnyState) {
  perp::event_driven sim(ball_model(0.5));
  ASSERT_EQ(sim.run_until(0.7), PERP_OK);
  sim.restart(0, {2.0}, {0.0});
  EXPECT_TRUE(sim.event().is_start());
  EXPECT_EQ(sim.next(5), PERP_OK);
  EXPECT_NEAR(sim.time(), std::sqrt(4 / kG), 1e-10);
  expect_refusal([&] { sim.restart(0, {1, 2}); }, {"restart", "q", "2 entries"});
  const double q = sim.q(kBall)[0];
  EXPECT_THROW(sim.restart(0, {kNaN}), perp::error);
  EXPECT_EQ(sim.q(kBall)[0], q);
}

TEST(CppEventDriven, ARestartWithoutAMotionIsAWrongArgument) {
  perp::event_driven sim(painleve_model({1, 0}, {0, 0}));
  ASSERT_EQ(sim.run_until(0.1), PERP_OK);
  const std::vector<double> q(sim.q(kBall).begin(), sim.q(kBall).end());
  for (int attempt = 0; attempt < 2; attempt++) {
    expect_no_motion([&] { sim.restart(0, {0, 0}, {0, 1}); });
    EXPECT_EQ(sim.time(), 0.1);
    EXPECT_EQ(std::vector<double>(sim.q(kBall).begin(), sim.q(kBall).end()), q);
  }
  EXPECT_EQ(sim.run_until(0.2), PERP_OK) << "from where it was";
}

// --------------------------------------------------------------------------- exceptions ----

struct Oops : std::runtime_error {
  using std::runtime_error::runtime_error;
};

TEST(CppEventDriven, ExceptionsOfForcesComeOutAndTheStateStays) {
  auto broken = std::make_shared<bool>(false);
  perp::event_driven sim(ball_model(0.9, [broken](double, perp::span f) {
    if (*broken) throw Oops("no force today");
    f[0] = 0;
  }));
  ASSERT_EQ(sim.run_until(0.2), PERP_OK);
  *broken = true;
  for (int attempt = 0; attempt < 2; attempt++) {
    try {
      (void)sim.run_until(1);
      FAIL() << "went through";
    } catch (const Oops &e) {
      EXPECT_STREQ(e.what(), "no force today");
    }
    EXPECT_EQ(sim.status(), PERP_ECALLBACK);
    EXPECT_EQ(sim.time(), 0.2);
    EXPECT_NEAR(sim.q(kBall)[0], 1 - kG * 0.04 / 2, 1e-12);
  }
  *broken = false;
  EXPECT_EQ(sim.run_until(0.3), PERP_OK);
  EXPECT_NEAR(sim.v(kBall)[0], -kG * 0.3, 1e-11);
}

TEST(CppEventDriven, ExceptionsOfGuardsAndResetsComeOut) {
  bool guard_broken = false, reset_broken = true;
  event_options o;
  o.guards.push_back({[&](const event_state &s) {
                        if (guard_broken) throw Oops("guard");
                        return s.q(kBall)[0] - 1;
                      },
                      0,
                      [&](reset_state &s) {
                        s.q(kBall)[0] = 77;
                        if (reset_broken) throw Oops("reset");
                      }});
  perp::event_driven sim(drift_model(), o);
  const auto expect_oops = [&](const char *what) {
    try {
      (void)sim.run_until(2);
      FAIL() << "went through";
    } catch (const Oops &e) {
      EXPECT_STREQ(e.what(), what);
    }
  };
  expect_oops("reset");
  EXPECT_NEAR(sim.q(kBall)[0], 1, 1e-12) << "the state before the event";
  EXPECT_NEAR(sim.time(), 1, 1e-12);
  guard_broken = true;
  sim.restart(0, {0.0});
  expect_oops("guard");
  EXPECT_LT(sim.q(kBall)[0], 1);
  guard_broken = reset_broken = false;
  sim.restart(0, {0.0});
  EXPECT_EQ(sim.run_until(2), PERP_OK);
  EXPECT_NEAR(sim.q(kBall)[0], 78, 1e-9);
}

TEST(CppEventDriven, ExceptionsOfTheStartComeOutOfTheConstructor) {
  const auto m = ball_model(0.9, [](double, perp::span) { throw Oops("never"); });
  EXPECT_THROW(perp::event_driven sim(m), Oops);
}

TEST(CppEventDriven, ExceptionsOfObserversComeOut) {
  perp::event_driven sim(ball_model(0.5));
  const auto nothing = [](const perp::event_driven &) {};
  EXPECT_THROW((void)sim.run(2, 0.1, [](const perp::event_driven &) { throw Oops("output"); }),
               Oops);
  EXPECT_THROW(
      (void)sim.run(2, {}, nothing, [](const perp::event &) -> bool { throw Oops("event"); }),
      Oops);
  EXPECT_NEAR(sim.time(), kFirst, 1e-10);
  EXPECT_EQ(sim.status(), PERP_ECALLBACK);
  EXPECT_EQ(sim.run_until(1), PERP_OK);
  EXPECT_EQ(sim.report().impacts, 2);
}

TEST(CppEventDriven, GuardsThatAreNotNumbersAreNamed) {
  event_options o;
  o.guards.push_back({[](const event_state &s) { return s.q(kBall)[0] < 0.5 ? 1 : kNaN; }, 0, {}});
  perp::event_driven sim(drift_model(), o);
  try {
    (void)sim.run_until(1);
    FAIL() << "went through";
  } catch (const perp::error &e) {
    EXPECT_EQ(e.status(), PERP_ENOTFINITE);
    EXPECT_EQ(std::string(e.what()).substr(0, 26), "run_until: failed at t = 0");
    EXPECT_EQ(sim.ending(), std::string(e.what()).substr(11));
    EXPECT_EQ(sim.ending().substr(sim.ending().find("guard")), "guard[0] = nan: must be finite");
  }
}

TEST(CppEventDriven, StormsAreTold) {
  event_options o;
  o.storm_events = 50;
  o.storm_time = 1e-6;
  o.schedules.push_back({{}, 0.5, 1e-9, {}});
  perp::event_driven sim(drift_model(), o);
  EXPECT_EQ(sim.run_until(1), PERP_STORM);
  EXPECT_EQ(sim.status(), PERP_STORM);
  EXPECT_NE(sim.message().find("50 events"), std::string::npos) << sim.message();
  EXPECT_NE(sim.message().find("schedule 0"), std::string::npos) << sim.message();
  EXPECT_EQ(sim.ending(),
            "not solved: events crowd at t = 0.50000005, 50 in less than 1e-6 s, the "
            "last of schedule 0");
  EXPECT_NEAR(sim.time(), 0.5, 1e-7);
}

// ------------------------------------------------------------------------------ options ----

TEST(CppEventDriven, DefaultsAreThoseOfC) {
  const perp_event_options c = perp_event_options_default();
  const perp::model m = ball_model();
  const perp::detail::c_event_options made(event_options{}, m.parts());
  const perp_event_options &o = *made.get();
  EXPECT_EQ(o.struct_size, c.struct_size);
  EXPECT_EQ(o.order, c.order);
  EXPECT_EQ(o.t0, c.t0);
  EXPECT_EQ(o.rtol, c.rtol);
  EXPECT_EQ(o.atol, c.atol);
  EXPECT_EQ(o.atols, nullptr);
  EXPECT_EQ(o.smooth, c.smooth);
  EXPECT_EQ(o.linear, c.linear);
  EXPECT_EQ(o.max_steps, c.max_steps);
  EXPECT_EQ(o.h_first, c.h_first);
  EXPECT_EQ(o.h_max, c.h_max);
  EXPECT_EQ(o.contact_tol, c.contact_tol);
  EXPECT_EQ(o.velocity_tol, c.velocity_tol);
  EXPECT_EQ(o.impact, c.impact);
  EXPECT_EQ(o.zeno, c.zeno);
  EXPECT_EQ(o.zeno_tol, c.zeno_tol);
  EXPECT_EQ(o.storm_events, c.storm_events);
  EXPECT_EQ(o.storm_time, c.storm_time);
  EXPECT_EQ(o.samples, c.samples);
  EXPECT_EQ(o.lzb, nullptr);
  EXPECT_EQ(o.stepping, nullptr);
  EXPECT_EQ(o.solver, c.solver);
  EXPECT_EQ(o.solver_options, nullptr);
  EXPECT_EQ(o.n_guards, 0);
  EXPECT_EQ(o.n_schedules, 0);
}

TEST(CppEventDriven, DefaultsOfTheMultipleImpactAreThoseOfC) {
  event_options from;
  from.impact = perp::impact_law::lzb;
  const perp::model m = ball_model();
  const perp::detail::c_event_options made(from, m.parts());
  const perp_multiple_impact_options c = perp_multiple_impact_options_default();
  const perp_multiple_impact_options &o = *made.get()->lzb;
  EXPECT_EQ(o.struct_size, c.struct_size);
  EXPECT_EQ(o.compliance, c.compliance);
  EXPECT_EQ(o.exponent, c.exponent);
  EXPECT_EQ(o.step, c.step);
  EXPECT_EQ(o.tol, c.tol);
  EXPECT_EQ(o.max_steps, c.max_steps);
  EXPECT_EQ(o.stiffness, nullptr);
}

TEST(CppEventDriven, EveryOptionArrives) {
  event_options from;
  from.t0 = 1;
  from.rtol = 2e-7;
  from.atol = 3e-8;
  from.atols = {4e-9, 5e-9};
  from.smooth = perp::smooth::bdf();
  from.order = 3;
  from.linear = perp::linear_structure::banded;
  from.max_steps = 77;
  from.h_first = 1e-3;
  from.h_max = 0.5;
  from.samples = 9;
  from.contact_tol = 6e-9;
  from.velocity_tol = 7e-9;
  from.impact = perp::impact_law::lzb;
  from.lzb.compliance = perp::compliance::mono;
  from.lzb.exponent = 1.5;
  from.lzb.step = 0.25;
  from.lzb.tol = 1e-9;
  from.lzb.max_steps = 1234;
  from.lzb.stiffness = {8.0};
  from.zeno = perp::zeno::step;
  from.zeno_tol = 9e-12;
  from.stepping.h = 0.0125;
  from.stepping.theta = 0.75;
  from.storm_events = 55;
  from.storm_time = 1e-3;
  from.solver = perp::lemke(perp_lemke_options_default());
  from.guards.resize(2);
  from.guards[1].value = [](const event_state &) { return 1.0; };
  from.guards[1].direction = -1;
  from.guards[1].reset = [](reset_state &) {};
  from.schedules.push_back({{1, 2, 3}, 4, 5, [](reset_state &) {}});
  const perp::model m = ball_model();
  const perp::detail::c_event_options made(from, m.parts());
  const perp_event_options &o = *made.get();
  EXPECT_EQ(o.t0, 1);
  EXPECT_EQ(o.rtol, 2e-7);
  EXPECT_EQ(o.atol, 3e-8);
  EXPECT_EQ(o.atols[1], 5e-9);
  EXPECT_EQ(o.smooth, perp_smooth_bdf());
  EXPECT_EQ(o.order, 3);
  EXPECT_EQ(o.linear, PERP_LINEAR_BANDED);
  EXPECT_EQ(o.max_steps, 77);
  EXPECT_EQ(o.h_first, 1e-3);
  EXPECT_EQ(o.h_max, 0.5);
  EXPECT_EQ(o.samples, 9);
  EXPECT_EQ(o.contact_tol, 6e-9);
  EXPECT_EQ(o.velocity_tol, 7e-9);
  EXPECT_EQ(o.impact, PERP_IMPACT_LZB);
  ASSERT_NE(o.lzb, nullptr);
  EXPECT_EQ(o.lzb->struct_size, sizeof *o.lzb);
  EXPECT_EQ(o.lzb->compliance, PERP_STIFFNESS_MONO);
  EXPECT_EQ(o.lzb->exponent, 1.5);
  EXPECT_EQ(o.lzb->step, 0.25);
  EXPECT_EQ(o.lzb->tol, 1e-9);
  EXPECT_EQ(o.lzb->max_steps, 1234);
  EXPECT_EQ(o.lzb->stiffness[0], 8);
  EXPECT_EQ(o.zeno, PERP_ZENO_STEP);
  EXPECT_EQ(o.zeno_tol, 9e-12);
  ASSERT_NE(o.stepping, nullptr);
  EXPECT_EQ(o.stepping->h, 0.0125);
  EXPECT_EQ(o.stepping->theta, 0.75);
  EXPECT_NE(o.stepping->integrator, nullptr);
  EXPECT_NE(o.stepping->solver, nullptr);
  EXPECT_EQ(o.storm_events, 55);
  EXPECT_EQ(o.storm_time, 1e-3);
  EXPECT_EQ(o.solver, perp_solver_lemke());
  EXPECT_NE(o.solver_options, nullptr);
  ASSERT_EQ(o.n_guards, 2);
  EXPECT_EQ(o.guards[0].value, nullptr);
  EXPECT_NE(o.guards[1].value, nullptr);
  EXPECT_NE(o.guards[1].reset, nullptr);
  EXPECT_EQ(o.guards[1].direction, -1);
  ASSERT_EQ(o.n_schedules, 1);
  EXPECT_EQ(o.schedules[0].n_times, 3);
  EXPECT_EQ(o.schedules[0].times[2], 3);
  EXPECT_EQ(o.schedules[0].first, 4);
  EXPECT_EQ(o.schedules[0].period, 5);
  EXPECT_NE(o.schedules[0].reset, nullptr);
}

TEST(CppEventDriven, EveryMethodOfTheSmoothMotionFindsTheSameImpacts) {
  for (const perp_smooth *method : {perp::smooth::runge_kutta(), perp::smooth::adams(),
                                    perp::smooth::bdf(), perp::smooth::arkode()}) {
    event_options o;
    o.smooth = method;
    o.rtol = 1e-9;
    perp::event_driven sim(ball_model(0.5), o);
    ASSERT_EQ(sim.next(2), PERP_OK);
    EXPECT_NEAR(sim.time(), kFirst, 1e-6);
    ASSERT_EQ(sim.next(2), PERP_OK);
    EXPECT_NEAR(sim.time(), 2 * kFirst, 1e-6);
  }
}

TEST(CppEventDriven, WrongOptionsAreNamed) {
  const auto refuse = [](const char *field, const auto &change) {
    event_options o;
    change(o);
    expect_refusal([&] { perp::event_driven sim(ball_model(), o); }, {field});
  };
  refuse("rtol", [](event_options &o) { o.rtol = 0; });
  refuse("atol", [](event_options &o) { o.atol = kNaN; });
  refuse("atols", [](event_options &o) { o.atols = {1e-9}; });
  refuse("atols", [](event_options &o) { o.atols = {1e-9, 0}; });
  refuse("contact_tol", [](event_options &o) { o.contact_tol = -1; });
  refuse("zeno_tol", [](event_options &o) { o.zeno_tol = 0; });
  refuse("guards.value", [](event_options &o) { o.guards.resize(1); });
  refuse("schedules.times", [](event_options &o) { o.schedules.push_back({{2, 1}, 0, 0, {}}); });
  refuse("lzb.stiffness", [](event_options &o) {
    o.impact = perp::impact_law::lzb;
    o.lzb.stiffness = {1, 2};
  });
  refuse("thetas", [](event_options &o) {
    o.zeno = perp::zeno::step;
    o.stepping.thetas = {0.5, 0.5};
  });
}

TEST(CppEventDriven, OptionsOfAnotherSolverAreRefusedBeforeTheFirstImpact) {
  perp::model m;
  const auto ball = m.add(perp::lagrangian_linear(1, 1.0), {1.0});
  m.connect(perp::lagrangian_linear_relation(1.0), perp::newton_impact(0.5), ball);
  event_options o;
  o.solver = perp::method(perp_solver_lemke(), perp_cpg_options_default());
  try {
    perp::event_driven sim(m, o);
    FAIL() << "accepted";
  } catch (const perp::error &e) {
    EXPECT_EQ(e.status(), PERP_EINVAL);
    EXPECT_STREQ(e.field(), "perp_lemke_options");
  }
}

TEST(CppEventDriven, WrongStatesAndPlacesAreRefused) {
  event_options o;
  o.guards.push_back({[](const event_state &s) { return s.x(kBall)[0]; }, 0, {}});
  expect_refusal(
      [&] {
        perp::event_driven sim(ball_model(), o);
        (void)sim.run_until(1);
      },
      {"no such system", "x"});
  perp::event_driven sim(ball_model());
  EXPECT_THROW((void)sim.q(system_id{1}), perp::error);
  EXPECT_THROW((void)sim.x(kBall), perp::error);
  EXPECT_THROW((void)sim.y(interaction_id{1}), perp::error);
  EXPECT_THROW((void)sim.mode(kFloor, 1), perp::error);
  EXPECT_THROW((void)sim.rate(system_id{7}), perp::error);
  EXPECT_THROW((void)sim.run_until(-1), perp::error);
  EXPECT_THROW((void)sim.run_until(kNaN), perp::error);
  double two[2];
  EXPECT_THROW(sim.force(kFloor, two), perp::error);
}

}  // namespace
