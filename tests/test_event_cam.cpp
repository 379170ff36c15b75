// SPDX-License-Identifier: MIT
// The follower on a cam by events and by time-stepping, in two forms of the model. Judged by what
// is known of it: between impacts its height u obeys m u'' + k u = 0; an impact takes the share e²
// of the energy over the cam; up to 114.98 turns a minute it never leaves the cam.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "../examples/cam_model.h"

namespace {

#ifdef NDEBUG
constexpr bool quick = false;
#else
constexpr bool quick = true; /* debug and sanitizers: shorter runs, wider bounds */
#endif

enum Form { relative, absolute };

/** An impact: time, and height and velocities of the follower in space. */
struct Impact {
  double t, u, before, after;
};

/** A run by events that keeps its impacts. */
struct Events {
  cam_follower f;
  perp_event_options options;
  perp_event_driven *sim = nullptr;
  perp_event_observer observer = PERP_EVENT_OBSERVER_INIT;
  std::vector<Impact> impacts;
  std::vector<double> opened; /**< times at which the contact opened */
  bool keep = true;
  Form form;

  Events(double rpm, double height, double speed, Form which, double t0 = 0, double rtol = 1e-10,
         const perp_smooth *smooth = nullptr)
      : form(which) {
    cam_follower_init(&f, rpm, height, speed, which == absolute ? 1 : 0);
    options = cam_follower_options(&f, t0);
    options.rtol = rtol;
    options.atol = 1e-2 * rtol;
    options.smooth = smooth;
    observer.user = this;
    observer.event = [](perp_event_driven *, const perp_event *e, void *self) {
      static_cast<Events *>(self)->see(*e);
      return 0;
    };
    if (t0 != 0 && which == absolute) {
      const cam start = cam_at(0, rpm), now = cam_at(t0, rpm);
      f.q += now.position - start.position;
      f.v += now.velocity - start.velocity;
    }
    EXPECT_EQ(perp_event_driven_create(&sim, &f.model, &options, nullptr), PERP_OK);
  }
  Events(const Events &) = delete;
  Events &operator=(const Events &) = delete;
  ~Events() { perp_event_driven_destroy(sim); }

  void see(const perp_event &e) {
    if ((e.kinds & PERP_EVENT_OPEN) != 0) opened.push_back(e.t);
    if ((e.kinds & PERP_EVENT_IMPACT) == 0 || !keep) return;
    const cam c = cam_at(e.t, f.drive.rpm);
    const double u = form == relative ? c.position : 0, v = form == relative ? c.velocity : 0;
    impacts.push_back(
        {e.t, perp_event_driven_q(sim, 0)[0] + u, e.v[0] + v, perp_event_driven_v(sim, 0)[0] + v});
  }

  void run(double until) {
    ASSERT_EQ(perp_event_driven_run(sim, until, &observer, nullptr), PERP_OK)
        << perp_event_driven_message(sim);
  }

  /** Height and velocity over the cam now. */
  std::pair<double, double> over_cam() const {
    const double q = perp_event_driven_q(sim, 0)[0], v = perp_event_driven_v(sim, 0)[0];
    const cam c = cam_at(perp_event_driven_time(sim), f.drive.rpm);
    return form == relative ? std::pair(q, v) : std::pair(q - c.position, v - c.velocity);
  }
};

/** A run by steps of h. */
struct Steps {
  cam_follower f;
  std::vector<double> state;
  std::vector<unsigned char> work;
  perp_simulation *sim = nullptr;

  Steps(double rpm, double height, double speed, Form which, double h, double t0 = 0) {
    cam_follower_init(&f, rpm, height, speed, which == absolute ? 1 : 0);
    perp_simulation_options o = perp_simulation_options_default();
    o.t0 = t0;
    o.h = h;
    o.integrator = perp_integrator_moreau_jean();
    o.solver = perp_solver_lemke();
    state.resize(perp_simulation_state_size(&f.model, &o) / sizeof(double) + 1);
    work.resize(perp_simulation_work_size(&f.model, &o));
    EXPECT_EQ(perp_simulation_init(&sim, &f.model, &o, state.data(), state.size() * sizeof(double),
                                   work.data(), work.size(), nullptr),
              PERP_OK);
  }
  bool step() { return perp_simulation_step(sim, nullptr) == PERP_OK; }
  double t() const { return perp_simulation_time(sim); }
  bool hits() const { return perp_simulation_lambda(sim, 0)[0] > 0; }
};

double energy(double u, double v) { return cam_mass * v * v / 2 + cam_stiffness * u * u / 2; }

/** A point of the motion of period three turns at 358 turns a minute: over the cam, at a whole
 * turn. Orbits near it come back to it. */
std::pair<double, double> on_orbit(int turn) {
  Events e(358, 0.4, 0.4, absolute);
  e.run((600 + turn) * 60 / 358.0);
  return e.over_cam();
}

// ------------------------------------------------------------------------------ by events

struct Method {
  const char *name;
  const perp_smooth *(*smooth)();
  double rtol, error; /**< of an impact time after 1 s */
};

void PrintTo(const Method &m, std::ostream *to) { *to << m.name; }

class EventCam : public testing::TestWithParam<Method> {};

INSTANTIATE_TEST_SUITE_P(All, EventCam,
                         testing::Values(Method{"runge_kutta", perp_smooth_runge_kutta, 1e-10,
                                                1e-9},
                                         Method{"adams", perp_smooth_adams, 1e-11, 1e-8},
                                         Method{"bdf", perp_smooth_bdf, 1e-11, 1e-7},
                                         Method{"arkode", perp_smooth_arkode, 1e-10, 1e-9}),
                         [](const auto &p) { return std::string(p.param.name); });

/** From one impact to the next, through all joints on the way, u = A cos ωt + B sin ωt. */
TEST_P(EventCam, FlightsAreHarmonic) {
  const double omega = std::sqrt(cam_stiffness / cam_mass);
  for (const Form form : {relative, absolute}) {
    Events e(358, 0.4, 0.4, form, 0, GetParam().rtol, GetParam().smooth());
    e.run(1);
    ASSERT_GT(e.impacts.size(), 12U);
    for (std::size_t k = 1; k < e.impacts.size(); k++) {
      const Impact &a = e.impacts[k - 1], &b = e.impacts[k];
      const double c = std::cos(omega * (b.t - a.t)), s = std::sin(omega * (b.t - a.t));
      EXPECT_NEAR(b.u, a.u * c + a.after / omega * s, 20 * GetParam().error) << "flight " << k;
      EXPECT_NEAR(b.before, -a.u * omega * s + a.after * c, 600 * GetParam().error);
      EXPECT_NEAR(b.u, cam_at(b.t, 358).position, 1e-11) << "it hits the cam";
    }
  }
}

/** Relative and absolute heights are the same motion. */
TEST_P(EventCam, BothFormsAgree) {
  Events exact(358, 0.4, 0.4, absolute, 0, 1e-13);
  exact.run(1);
  for (const Form form : {relative, absolute}) {
    Events e(358, 0.4, 0.4, form, 0, GetParam().rtol, GetParam().smooth());
    e.run(1);
    ASSERT_EQ(e.impacts.size(), exact.impacts.size());
    for (std::size_t k = 0; k < e.impacts.size(); k++) {
      EXPECT_NEAR(e.impacts[k].t, exact.impacts[k].t, GetParam().error) << form << ", impact " << k;
    }
  }
}

/** While the cam dwells the height over it is harmonic about −c, in the relative form too. */
TEST(EventCamMotion, HarmonicInADwell) {
  struct Sample {
    double t, q, v;
  };
  const double omega = std::sqrt(cam_stiffness / cam_mass), rpm = 358;
  for (const int piece : {2, 5}) {
    const double begin = cam_joint(piece) / (2 * cam_pi) * 60 / rpm;
    const double end = cam_joint(piece + 1) / (2 * cam_pi) * 60 / rpm;
    const double height = cam_on(piece, begin, rpm).position;
    Events e(rpm, 0.05, 1.5, relative, begin);
    std::vector<Sample> seen;
    e.observer.every = (end - begin) / 64;
    e.observer.first = begin;
    e.observer.user = &seen;
    e.observer.event = nullptr;
    e.observer.output = [](perp_event_driven *sim, void *to) {
      static_cast<std::vector<Sample> *>(to)->push_back({perp_event_driven_time(sim),
                                                         perp_event_driven_q(sim, 0)[0],
                                                         perp_event_driven_v(sim, 0)[0]});
      return 0;
    };
    e.run(end);
    ASSERT_GE(seen.size(), 64U);
    for (const Sample &s : seen) {
      const double tau = s.t - begin, c = std::cos(omega * tau), w = std::sin(omega * tau);
      const double q = (0.05 + height) * c + 1.5 / omega * w - height;
      if (q < 0) break; /* it has hit the cam */
      EXPECT_NEAR(s.q, q, 1e-10);
      EXPECT_NEAR(s.v, 1.5 * c - (0.05 + height) * omega * w, 1e-8);
    }
  }
}

/** Over the cam an impact leaves e² of the kinetic energy; in space the cam may give some. */
TEST(EventCamMotion, ImpactsTakeEnergy) {
  for (const double rpm : {150.0, 358.0, 660.0, 700.0}) {
    Events e(rpm, 0.4, 0.4, absolute);
    e.run(10);
    ASSERT_GT(e.impacts.size(), 50U);
    for (const Impact &i : e.impacts) {
      const double c = cam_at(i.t, rpm).velocity, before = i.before - c, after = i.after - c;
      EXPECT_LT(before, 0);
      EXPECT_LE(after * after, before * before);
      if (after > 1e-5) {
        EXPECT_NEAR(after, -0.8 * before, 1e-9 * (std::abs(c) - before));
      }
    }
  }
}

/** Slow enough, the spring holds the follower on the cam, with the force m c'' + k c. */
TEST(EventCamMotion, StaysOnASlowCam) {
  for (const Form form : {relative, absolute}) {
    Events e(100, 0, 0, form);
    double worst = 0, least = HUGE_VAL;
    for (int k = 1; k < 2000; k++) {
      e.run(k * 1e-3);
      const cam c = cam_on(e.f.drive.piece, k * 1e-3, 100);
      const double force = cam_mass * c.acceleration + cam_stiffness * c.position;
      worst = std::max(worst, std::abs(perp_event_driven_lambda(e.sim, 0)[0] - force));
      least = std::min(least, force);
      ASSERT_EQ(perp_event_driven_mode(e.sim, 0, 0), PERP_CONTACT_CLOSED);
      ASSERT_NEAR(e.over_cam().first, 0, 1e-11);
    }
    EXPECT_TRUE(e.impacts.empty() && e.opened.empty());
    EXPECT_LT(worst, 1e-6);
    EXPECT_GT(least, 0);
  }
}

/** It leaves where m C''(β) w² + k (C(β) − 0.3) becomes negative: from 114.98 turns a minute on, at
 * β = 150.18°, where the nose begins. */
TEST(EventCamMotion, LeavesTheCamFromTheThresholdOn) {
  const cam nose = cam_on(1, cam_joint(1) / (2 * cam_pi) * 60, 1);
  const double w1 = 2 * cam_pi / 60;
  const double threshold =
      std::sqrt(-cam_stiffness * nose.position / (cam_mass * nose.acceleration / (w1 * w1))) / w1;
  EXPECT_NEAR(threshold, 114.98, 5e-3);
  for (const Form form : {relative, absolute}) {
    for (const double below : {1e-2, 1e-4, 1e-6}) {
      Events e(threshold * (1 - below), 0, 0, form);
      e.run(3);
      EXPECT_TRUE(e.opened.empty()) << below;
      Events faster(threshold * (1 + below), 0, 0, form);
      faster.run(0.9 * 60 / threshold);
      ASSERT_FALSE(faster.opened.empty()) << below;
      const double angle = 90 + cam_angle(faster.opened[0], faster.f.drive.rpm) * 180 / cam_pi;
      EXPECT_NEAR(angle, 150.18, 5e-3) << below;
    }
  }
}

/** Where joints come a hair before impacts, near the threshold in each turn, runs do not stall. */
TEST(EventCamMotion, RunsThroughJointsNextToImpacts) {
  for (const Form form : {relative, absolute}) {
    for (const double rpm : {116.0, 120.0, 200.0, 250.0, 300.0}) {
      Events e(rpm, 0.4, 0.4, form);
      e.run(quick ? 5 : 20);
      EXPECT_GE(e.over_cam().first, -1e-9) << rpm;
    }
  }
}

/** A little above the threshold it leaves the cam with 1e-6 m/s, for flights of picometres; late, a
 * gap is known no better than t is. */
TEST(EventCamMotion, RunsThroughTinyFlightsAtALateTime) {
  for (const Form form : {relative, absolute}) {
    Events e(115, 0, 0, form);
    e.run(quick ? 140 : 200);
    EXPECT_GE(e.opened.size(), e.f.drive.rpm / 60 * 140 - 2);
    EXPECT_GE(e.over_cam().first, -1e-9);
  }
}

// -------------------------------------------------------------------- by both strategies

/** Largest difference of the first 50 impact times, over three starts on the orbit at 358 turns a
 * minute, and their mean. In time-stepping an impact is where the gap, continued with its velocity
 * before the step, is 0. */
struct Difference {
  double worst, mean;
};
Difference difference(double h) {
  Difference d = {0, 0};
  for (int turn = 0; turn < 3; turn++) {
    const auto [height, speed] = on_orbit(turn);
    Events exact(358, height, speed, absolute);
    exact.run(3.5);
    Steps s(358, height, speed, absolute, h);
    double y = height, rate = speed;
    for (std::size_t k = 0; k < 50;) {
      if (!s.step()) return {HUGE_VAL, HUGE_VAL};
      if (s.hits()) {
        const double e = std::abs(s.t() - h - y / rate - exact.impacts[k++].t);
        d.worst = std::max(d.worst, e);
        d.mean += e / 150;
      }
      y = perp_simulation_y(s.sim, 0)[0];
      rate = perp_simulation_ydot(s.sim, 0)[0];
    }
  }
  return d;
}

/** The profile magnifies what time-stepping misses at an impact, but the orbit draws it back. */
TEST(EventCamStrategies, ImpactTimesOfTimeSteppingConverge) {
  const Difference a = difference(1e-4), b = difference(5e-5), c = difference(2.5e-5);
  EXPECT_LT(a.mean, 1e-3);
  EXPECT_LT(a.worst, 5e-3);
  EXPECT_LT(b.worst, a.worst);
  EXPECT_LT(c.worst, b.worst);
  EXPECT_LT(c.worst, 1e-3);
  EXPECT_LT(b.mean, 0.7 * a.mean);
  EXPECT_LT(c.mean, 0.7 * b.mean);
  std::printf("h = 1e-4: %.1e s (mean %.1e), 5e-5: %.1e (%.1e), 2.5e-5: %.1e (%.1e)\n", a.worst,
              a.mean, b.worst, b.mean, c.worst, c.mean);
}

/** 700 turns a minute: one impact in each turn. */
TEST(EventCamStrategies, OneImpactInEachTurn) {
  Events e(700, 0.4, 0.4, absolute);
  e.run(20);
  Steps s(700, 0.4, 0.4, absolute, 1e-4);
  int hits = 0;
  while (s.t() < 30 && s.step()) hits += s.hits() && s.t() > 20 ? 1 : 0;
  e.impacts.clear();
  e.run(30);
  EXPECT_NEAR(static_cast<double>(e.impacts.size()), 10 * 700 / 60.0, 1);
  EXPECT_NEAR(hits, 10 * 700 / 60.0, 1);
  for (std::size_t k = 1; k < e.impacts.size(); k++) {
    EXPECT_NEAR(e.impacts[k].t - e.impacts[k - 1].t, 60 / 700.0, 1e-8);
  }
}

/** Impacts a second of more than 1 m/s, and mean energy. */
struct Statistics {
  double rate, energy;
};

/** Starts spread over a turn; transient: what each run is not looked at (s). A single run by steps
 * ends in a cycle of the discrete map, of which there are many. */
template <class Run>
Statistics mean(int runs, Run &&run) {
  std::mt19937 random(1);
  const auto uniform = [&](double a, double b) {
    return a + (b - a) * static_cast<double>(random()) / 4294967296.0;
  };
  Statistics sum = {0, 0};
  for (int k = 0; k < runs; k++) {
    const double height = uniform(0, 0.3), speed = uniform(-2, 2), t0 = uniform(0, 60 / 660.0);
    const Statistics one = run(height, speed, t0);
    sum.rate += one.rate / runs;
    sum.energy += one.energy / runs;
  }
  return sum;
}

TEST(EventCamStrategies, StatisticsOfTheChaoticMotionAgree) {
  constexpr double transient = 10, length = 100, rpm = 660;
  const int runs = quick ? 4 : 50;
  const double tolerance = quick ? 0.12 : 0.02;
  const Statistics events = mean(runs, [&](double height, double speed, double t0) {
    Events e(rpm, height, speed, absolute, t0);
    struct Sum {
      double energy = 0, count = 0, hard = 0;
    } sum;
    e.run(t0 + transient);
    e.observer.first = t0 + transient;
    e.observer.every = 1e-3;
    e.observer.user = &sum;
    e.observer.output = [](perp_event_driven *sim, void *user) {
      auto *const s = static_cast<Sum *>(user);
      s->energy += energy(perp_event_driven_q(sim, 0)[0], perp_event_driven_v(sim, 0)[0]);
      s->count++;
      return 0;
    };
    e.observer.event = [](perp_event_driven *, const perp_event *event, void *user) {
      static_cast<Sum *>(user)->hard += event->impulse[0] > 1.8 * cam_mass ? 1 : 0;
      return 0;
    };
    e.run(t0 + transient + length);
    return Statistics{sum.hard / length, sum.energy / sum.count};
  });
  const Statistics steps = mean(runs, [&](double height, double speed, double t0) {
    Steps s(rpm, height, speed, relative, 1e-4, t0);
    double total = 0, count = 0, hard = 0, before = speed;
    for (int k = 0; s.t() < t0 + transient + length && s.step(); k++) {
      const double v = perp_simulation_v(s.sim, 0)[0];
      const bool counts = s.t() > t0 + transient;
      if (counts && s.hits() && before < -1) hard++;
      if (counts && k % 10 == 0) {
        const cam c = cam_at(s.t(), rpm);
        total += energy(perp_simulation_q(s.sim, 0)[0] + c.position, v + c.velocity);
        count++;
      }
      before = v;
    }
    return Statistics{hard / length, total / count};
  });
  std::printf("impacts a second: %.3f by events, %.3f by steps; energy: %.2f J, %.2f J\n",
              events.rate, steps.rate, events.energy, steps.energy);
  EXPECT_NEAR(steps.rate / events.rate, 1, tolerance);
  EXPECT_NEAR(steps.energy / events.energy, 1, tolerance);
}

}  // namespace
