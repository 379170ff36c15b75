// SPDX-License-Identifier: MIT
// What no simulation may be asked for: it is refused with a name, and nothing has changed.
#include <gtest/gtest.h>
#include <perp/event_driven.hpp>
#include <perp/perp.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "facade_tools.hpp"
#include "model_tools.hpp"

namespace {

using namespace tools;

// A ball over a floor whose force calls what a test wants, once.
struct meddled {
  world w;
  perp_simulation *sim = nullptr;
  std::function<void(perp_simulation *)> meddle;
  int calls = 0;

  meddled() {
    make_ball(w, 1, 9.81, 1, 0, 0.5);
    w.bodies[0].force = force;
    w.bodies[0].user = this;
    w.options.switchable = 1;
    w.finish();
    perp_info info = PERP_INFO_INIT;
    EXPECT_EQ(perp_simulation_create(&sim, &w.model, &w.options, &info), PERP_OK) << info.field;
  }
  meddled(const meddled &) = delete;
  ~meddled() { perp_simulation_destroy(sim); }

  static std::int32_t force(double, double *f, void *user) {
    auto *self = static_cast<meddled *>(user);
    f[0] = 0;
    if (self->meddle && self->sim != nullptr) {
      self->calls++;
      self->meddle(self->sim);
    }
    return 0;
  }
  vec state() const { return {perp_simulation_q(sim, 0)[0], perp_simulation_v(sim, 0)[0]}; }
};

vec undisturbed(int steps) {
  meddled m;
  for (int k = 0; k < steps; k++) EXPECT_EQ(perp_simulation_step(m.sim, nullptr), PERP_OK);
  return m.state();
}

TEST(Misuse, AStepWithinAStepIsRefusedAndTheOuterOneGoesOn) {
  const std::function<perp_status(perp_simulation *, perp_info *)> inner[] = {
      [](perp_simulation *s, perp_info *info) { return perp_simulation_step(s, info); },
      [](perp_simulation *s, perp_info *info) { return perp_simulation_advance(s, 1e-3, info); },
      [](perp_simulation *s, perp_info *info) {
        return perp_simulation_run(s, 1, 1e9, nullptr, nullptr, info);
      }};
  for (const auto &step : inner) {
    meddled m;
    m.meddle = [&](perp_simulation *s) {
      perp_info info = PERP_INFO_INIT;
      EXPECT_EQ(step(s, &info), PERP_EINVAL);
      EXPECT_STREQ(info.field, "step within a step");
    };
    for (int k = 0; k < 20; k++) EXPECT_EQ(perp_simulation_step(m.sim, nullptr), PERP_OK);
    EXPECT_GT(m.calls, 0);
    EXPECT_EQ(m.state(), undisturbed(20));
  }
}

TEST(Misuse, NothingIsSwitchedWithinAStep) {
  meddled m;
  m.meddle = [](perp_simulation *s) {
    const double q = 3;
    EXPECT_EQ(perp_simulation_set_active(s, 0, 0), PERP_EINVAL);
    EXPECT_EQ(perp_simulation_is_active(s, 0), 1);
    EXPECT_EQ(perp_simulation_set_state(s, 0, 1, &q, nullptr, nullptr, nullptr), PERP_EINVAL);
  };
  for (int k = 0; k < 20; k++) EXPECT_EQ(perp_simulation_step(m.sim, nullptr), PERP_OK);
  EXPECT_EQ(m.state(), undisturbed(20));
}

TEST(Misuse, ASimulationIsNotDestroyedByItsOwnCallbackOrObserver) {
  meddled m;
  m.meddle = [](perp_simulation *s) { perp_simulation_destroy(s); };
  const perp_step_fn destroy = [](perp_simulation *s, void *) -> std::int32_t {
    perp_simulation_destroy(s);
    return 0;
  };
  EXPECT_EQ(perp_simulation_run(m.sim, 20, 1e9, destroy, nullptr, nullptr), PERP_OK);
  EXPECT_EQ(m.state(), undisturbed(20));
}

TEST(Misuse, AnObserverMayStep) {
  meddled m;
  const perp_step_fn again = [](perp_simulation *s, void *) -> std::int32_t {
    EXPECT_EQ(perp_simulation_step(s, nullptr), PERP_OK);
    return 0;
  };
  EXPECT_EQ(perp_simulation_run(m.sim, 10, 1e9, again, nullptr, nullptr), PERP_OK);
  EXPECT_EQ(m.state(), undisturbed(20));
}

TEST(Misuse, BlocksThatOverlapAreRefused) {
  world w;
  make_ball(w, 1, 9.81, 1, 0, 0.5);
  w.finish();
  const std::size_t state = perp_simulation_state_size(&w.model, &w.options);
  const std::size_t work = perp_simulation_work_size(&w.model, &w.options);
  std::vector<std::uint64_t> block((state + 2 * work) / 8 + 2);
  auto *bytes = reinterpret_cast<unsigned char *>(block.data());
  const auto init = [&](std::size_t state_at, std::size_t work_at) {
    perp_simulation *sim = nullptr;
    perp_info info = PERP_INFO_INIT;
    const perp_status status = perp_simulation_init(&sim, &w.model, &w.options, bytes + state_at,
                                                    state, bytes + work_at, work, &info);
    if (status == PERP_OK) perp_simulation_release(sim);
    if (status != PERP_OK) {
      EXPECT_STREQ(info.field, "work overlaps state");
    }
    return status;
  };
  const std::size_t above = (work + 7) / 8 * 8;
  EXPECT_EQ(init(0, state), PERP_OK) << "work right behind the state";
  EXPECT_EQ(init(0, state - 1), PERP_EINVAL);
  EXPECT_EQ(init(0, 0), PERP_EINVAL);
  EXPECT_EQ(init(above, 0), PERP_OK) << "the state right behind work";
  EXPECT_EQ(init(above - 8, 0), PERP_EINVAL);
}

// ---- models ----

std::string refusal(world &w) {
  perp_info info = PERP_INFO_INIT;
  return perp_model_check(w.finish(), &info) == PERP_OK ? "" : info.field;
}

TEST(Misuse, AMassThatIsNoneIsRefused) {
  const auto refuses = [](const vec &M) {
    world w;
    perp_lagrangian_linear &s = w.body(2);
    s.M = M.size() == 2 ? perp_diagonal(2, w.keep(M)) : perp_dense(2, 2, w.keep(M));
    w.add(s.system);
    return refusal(w) == "M";
  };
  EXPECT_FALSE(refuses({2, 1}));
  EXPECT_FALSE(refuses({2, 0.5, 0.5, 1}));
  EXPECT_FALSE(refuses({2, 0.5 + 1e-12, 0.5, 1})) << "rounding";
  EXPECT_TRUE(refuses({2, -1}));
  EXPECT_TRUE(refuses({2, 0}));
  EXPECT_TRUE(refuses({-1, 0, 0, -1}));
  EXPECT_TRUE(refuses({2, 0.5, 0, 1})) << "not symmetric";
  EXPECT_TRUE(refuses({1, 2, 2, 1})) << "indefinite";
}

TEST(Misuse, AMassThatOnlyItsFactorShowsToBeNoneIsRefused) {
  world w;
  perp_lagrangian_linear &s = w.body(3);
  const double a = -0.9;  // every pair is definite, (1, 1, 1) is a direction of energy < 0
  s.M = perp_dense(3, 3, w.keep({1, a, a, a, 1, a, a, a, 1}));
  w.add(s.system);
  w.finish();
  perp_simulation *sim = nullptr;
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(perp_simulation_create(&sim, &w.model, &w.options, &info), PERP_EINVAL);
  EXPECT_STREQ(info.field, "M");
}

perp::model hanging(const perp::joint &j, const perp::law &law, const std::vector<double> &q) {
  perp::model m;
  const auto b = m.add(perp::body(2, {1, 2, 3}, {0, 0, -19.6}), q);
  m.connect(j, law, b);
  return m;
}

TEST(Misuse, AJointHoldsAndIsClosedAtTheStart) {
  const std::vector<double> at = {0, 0, 1, 1, 0, 0, 0}, off = {0, 0, 2, 1, 0, 0, 0};
  const perp::joint j = perp::spherical_joint({0, 0, 0}, at);
  const auto start = [&](const perp::law &law, const std::vector<double> &q) {
    return field_of([&] { (void)perp::simulation(hanging(j, law, q), 1e-3).step(); });
  };
  EXPECT_EQ(start(perp::equality(), at), "");
  EXPECT_EQ(start(perp::newton_impact(0.5), at), "law");
  EXPECT_EQ(start(perp::equality(), off), "initial gap") << "1 m open";
}

TEST(Misuse, AJointPlacedForTwoBodiesJoinsTwo) {
  const std::vector<double> at = {0, 0, 1, 1, 0, 0, 0}, other = {0, 0, -1, 1, 0, 0, 0};
  EXPECT_EQ(field_of([&] {
              const perp::joint j = perp::spherical_joint({0, 0, 0}, at, other);
              (void)perp::simulation(hanging(j, perp::equality(), at), 1e-3).step();
            }),
            "systems");
}

// ---- callbacks ----

// A pendulum of two coordinates with every kind of callback, over a floor that callbacks give. What
// the named one writes is spoiled: NaN in its last entry, or a number behind it.
struct spoilt {
  perp_lagrangian system;
  perp_lagrangian_relation floor;
  perp_complementarity law;
  perp_interaction joined = {nullptr, nullptr, nullptr, 1, 0};
  perp_model model = PERP_MODEL_INIT;
  const perp_system *systems[1] = {&system.system};
  const perp_interaction *interactions[1] = {&joined};
  std::int32_t index[1] = {0};
  double q0[2] = {0.3, 1}, v0[2] = {0.1, 0.2};
  std::string name;
  int behind = 0;
  double from = 0;  // NaN from that time on

  std::int32_t done(const char *who, double *out, int n, double t) const {
    if (name != who) return 0;
    if (behind > 0)
      out[n + behind - 1] = 0;
    else if (t >= from)
      out[n - 1] = std::nan("");
    return 0;
  }
  spoilt() {
    perp_lagrangian_init(&system, sizeof system, 2);
    system.user = this;
    system.mass = [](double, const double *q, const double *, const double *, double *M, void *u) {
      M[0] = 2 + std::cos(q[0]), M[3] = 1;
      return self(u)->done("mass", M, 4, HUGE_VAL);
    };
    system.gyroscopic = [](double, const double *, const double *v, const double *, double *N,
                           void *u) {
      N[0] = 0.1 * v[1], N[1] = -0.1 * v[0];
      return self(u)->done("gyroscopic", N, 2, HUGE_VAL);
    };
    system.internal = [](double t, const double *q, const double *, const double *, double *F,
                         void *u) {
      F[0] = q[0], F[1] = 0;
      return self(u)->done("internal", F, 2, t);
    };
    system.external = [](double t, const double *, const double *, const double *, double *F,
                         void *u) {
      F[0] = std::sin(t), F[1] = -10;
      return self(u)->done("external", F, 2, t);
    };
    perp_lagrangian_rheonomous_init(&floor, sizeof floor, 1, 2);
    floor.user = this;
    floor.h = [](double t, const double *q, const double *, const double *, double *y, void *u) {
      y[0] = q[1];
      return self(u)->done("h", y, 1, t);
    };
    floor.H = [](double t, const double *, const double *, const double *, double *H, void *u) {
      H[0] = 0, H[1] = 1;
      return self(u)->done("H", H, 2, t);
    };
    floor.h_dt = [](double t, const double *, const double *, const double *, double *y, void *u) {
      y[0] = 0;
      return self(u)->done("h_dt", y, 1, t);
    };
    perp_complementarity_init(&law, sizeof law);
    joined.relation = &floor.relation;
    joined.law = &law.law;
    joined.systems = index;
    model.n_systems = model.n_interactions = 1;
    model.systems = systems;
    model.interactions = interactions;
    model.q0 = q0;
    model.v0 = v0;
  }
  spoilt(const spoilt &) = delete;
  static const spoilt *self(void *u) { return static_cast<const spoilt *>(u); }
};

perp_simulation_options stepping() {
  perp_simulation_options o = perp_simulation_options_default();
  o.h = 1e-2;
  o.integrator = perp_integrator_moreau_jean();
  o.solver = perp_solver_lemke();
  return o;
}

struct ending {
  perp_status status;
  std::string field;
  std::int32_t index;
  double value;
};

ending step_to(const perp_model &m, double t, const perp_simulation_options &o = stepping()) {
  perp_simulation *sim = nullptr;
  perp_info info = PERP_INFO_INIT;
  perp_status s = perp_simulation_create(&sim, &m, &o, &info);
  if (s == PERP_OK) s = perp_simulation_run(sim, 0, t, nullptr, nullptr, &info);
  perp_simulation_destroy(sim);
  return {s, info.field == nullptr ? "" : info.field, info.index, info.value};
}

ending event_driven_to(const perp_model &m, double t, const perp_smooth *smooth) {
  perp_event_driven *sim = nullptr;
  perp_event_options o;
  perp_event_options_init(&o, sizeof o);
  o.smooth = smooth;
  perp_info info = PERP_INFO_INIT;
  perp_status s = perp_event_driven_create(&sim, &m, &o, &info);
  if (s == PERP_OK) s = perp_event_driven_run(sim, t, nullptr, &info);
  perp_event_driven_destroy(sim);
  return {s, info.field == nullptr ? "" : info.field, info.index, info.value};
}

const char *const kCallbacks[] = {"mass", "gyroscopic", "internal", "external", "h", "H", "h_dt"};

TEST(Misuse, ACallbackThatWritesBehindItsEndIsNamedAtCreation) {
  for (const char *name : kCallbacks)
    for (const int behind : {1, 2, 7}) {
      spoilt s;
      s.name = name;
      s.behind = behind;
      for (const ending &e :
           {step_to(s.model, 0.1), event_driven_to(s.model, 0.1, perp_smooth_runge_kutta())}) {
        EXPECT_EQ(e.status, PERP_ECALLBACK) << name;
        EXPECT_EQ(e.field, name);
        EXPECT_EQ(e.index, 0);
        EXPECT_EQ(e.value, behind) << name;
      }
      perp_derivative_report report = PERP_DERIVATIVE_REPORT_INIT;
      std::vector<unsigned char> work(perp_model_check_derivatives_workspace(&s.model));
      EXPECT_EQ(perp_model_check_derivatives(&s.model, 0.2, nullptr, nullptr, nullptr, nullptr,
                                             1e-6, work.data(), work.size(), &report),
                PERP_INACCURATE);
      EXPECT_STREQ(report.jacobian, name);
      EXPECT_EQ(report.overrun, behind);
    }
  spoilt s;
  EXPECT_EQ(step_to(s.model, 0.1).status, PERP_OK);
  std::vector<unsigned char> work(perp_model_check_derivatives_workspace(&s.model));
  EXPECT_EQ(perp_model_check_callbacks(&s.model, 0, work.data(), work.size(), nullptr), PERP_OK);
  EXPECT_EQ(perp_model_check_callbacks(&s.model, 0, work.data(), work.size() - 1, nullptr),
            PERP_EWORKSPACE);
  EXPECT_EQ(perp_model_check_callbacks(nullptr, 0, work.data(), work.size(), nullptr), PERP_EINVAL);
}

TEST(Misuse, AForceOfAConstantSystemThatWritesBehindItsEndIsNamed) {
  world w;
  perp_lagrangian_linear &s = w.body(vec{1, 1});
  s.force = [](double, double *f, void *) -> std::int32_t {
    f[0] = f[1] = f[2] = 1;
    return 0;
  };
  w.add(w.body(vec{1}).system);
  w.add(s.system);
  const ending e = step_to(*w.finish(), 0.1);
  EXPECT_EQ(e.status, PERP_ECALLBACK);
  EXPECT_EQ(e.field, "force");
  EXPECT_EQ(e.index, 1);
  EXPECT_EQ(e.value, 1);
}

TEST(Misuse, InTheFacadeToo) {
  perp::model m;
  perp::lagrangian k(1, 1.0);
  k.external = [](double, perp::span f) {
    double *beyond = f.data();
    beyond[0] = beyond[1] = 1;
  };
  m.add(k);
  EXPECT_EQ(field_of([&] { (void)perp::simulation(m, 1e-3).step(); }), "external");
  EXPECT_EQ(field_of([&] { (void)perp::event_driven(m).run_until(1); }), "external");
}

// A ball whose force calls what a test wants, once, half a second after it was let go.
struct meddling {
  std::function<void()> act;
  bool done = false;
  perp::model model() {
    perp::model m;
    perp::lagrangian_linear ball(1, 1.0);
    ball.force = [this](double t, perp::span f) {
      f[0] = -9.81;
      if (t < 0.5 || done || !act) return;
      done = true;
      act();
    };
    const auto b = m.add(ball, {5.0});
    m.connect(perp::lagrangian_linear_relation(1.0), perp::newton_impact(0.5), b);
    return m;
  }
};

TEST(Misuse, ASimulationThatItsOwnCallbackDestroysEndsItsStep) {
  using run = std::function<void(perp::simulation &)>;
  const run runs[] = {[](perp::simulation &s) { (void)s.run(); },
                      [](perp::simulation &s) { (void)s.run_until(1); },
                      [](perp::simulation &s) {
                        while (s.step() == PERP_OK) continue;
                      },
                      [](perp::simulation &s) {
                        for (int k = 0; k < 1000; k++) (void)s.advance(1e-3);
                      }};
  for (const run &go : runs) {
    meddling m;
    auto sim = std::make_unique<perp::simulation>(m.model(), 1e-3, 1000);
    m.act = [&] { sim.reset(); };
    EXPECT_EQ(field_of([&] { go(*sim); }), "simulation");
    EXPECT_EQ(sim, nullptr);
    meddling by_move;
    std::unique_ptr<perp::simulation> to;
    auto from = std::make_unique<perp::simulation>(by_move.model(), 1e-3, 1000);
    by_move.act = [&] { to = std::make_unique<perp::simulation>(std::move(*from)); };
    EXPECT_EQ(field_of([&] { go(*from); }), "simulation");
    ASSERT_NE(to, nullptr);
    EXPECT_EQ(to->run(), PERP_END) << "who owns it now goes on";
  }
}

TEST(Misuse, ASimulationThatItsObserverDestroysEndsItsRun) {
  meddling m;
  auto sim = std::make_unique<perp::simulation>(m.model(), 1e-3, 1000);
  EXPECT_EQ(field_of([&] { (void)sim->run([&](perp::simulation &) { sim.reset(); }); }),
            "simulation");
}

TEST(Misuse, AnEventDrivenSimulationThatItsOwnCallbackDestroysEndsItsRun) {
  using run = std::function<void(perp::event_driven &)>;
  const run runs[] = {
      [](perp::event_driven &s) { (void)s.run_until(2); },
      [](perp::event_driven &s) { (void)s.next(2); },
      [](perp::event_driven &s) { (void)s.run(2, 0.01, [](const perp::event_driven &) {}); }};
  for (const run &go : runs) {
    meddling m;
    auto sim = std::make_unique<perp::event_driven>(m.model());
    m.act = [&] { sim.reset(); };
    EXPECT_EQ(field_of([&] { go(*sim); }), "simulation");
    EXPECT_EQ(sim, nullptr);
    meddling again, quiet;
    perp::event_driven nested(again.model()), plain(quiet.model());
    again.act = [&] { EXPECT_EQ(field_of([&] { go(nested); }), "run within a run"); };
    EXPECT_EQ(nested.run_until(2), PERP_OK);
    EXPECT_TRUE(again.done);
    EXPECT_EQ(plain.run_until(2), PERP_OK);
    EXPECT_EQ(nested.q(perp::system_id{0})[0], plain.q(perp::system_id{0})[0]);
  }
  meddling m;
  auto sim = std::make_unique<perp::event_driven>(m.model());
  EXPECT_EQ(
      field_of([&] { (void)sim->run(2, 0.01, [&](const perp::event_driven &) { sim.reset(); }); }),
      "simulation");
  EXPECT_EQ(sim, nullptr);
}

TEST(Misuse, AStateIsNotReplacedWithinAStep) {
  const std::function<void(perp::simulation &)> acts[] = {
      [](perp::simulation &s) { s.restore(s.checkpoint()); },
      [](perp::simulation &s) { s.restore_sealed({}); },
      [](perp::simulation &s) { (void)s.step(); }, [](perp::simulation &s) { (void)s.run(); },
      [](perp::simulation &s) { (void)s.energy(); }};
  for (const auto &act : acts) {
    meddling m, quiet;
    perp::simulation sim(m.model(), 1e-3, 1000), plain(quiet.model(), 1e-3, 1000);
    m.act = [&] { EXPECT_EQ(field_of([&] { act(sim); }), "step within a step"); };
    EXPECT_EQ(sim.run(), PERP_END);
    EXPECT_TRUE(m.done);
    EXPECT_EQ(plain.run(), PERP_END);
    EXPECT_EQ(sim.checkpoint(), plain.checkpoint());
  }
}

// A mass in a potential, whose callbacks call what a test wants, once.
struct potential_well {
  std::function<void()> act;
  bool done = false;
  void meddle() {
    if (done || !act) return;
    done = true;
    act();
  }
  perp::model model() {
    perp::model m;
    perp::lagrangian body(1);
    body.potential = [this](perp::view q, perp::span V) {
      V[0] = q[0] * q[0] / 2;
      meddle();
    };
    body.mass = [this](perp::view, perp::span M) {
      M[0] = 1;
      meddle();
    };
    m.add(body, {1.0}, {2.0});
    return m;
  }
};

TEST(Misuse, NothingMeddlesInARestartAnEnergyOrARestore) {
  using events = perp::event_driven;
  using steps = perp::simulation;
  const std::function<void(events &)> event_calls[] = {[](events &s) { s.restart(0); },
                                                       [](events &s) { (void)s.energy(); }},
                                      event_acts[] = {[](events &s) { (void)s.run_until(1); },
                                                      [](events &s) { (void)s.next(1); },
                                                      [](events &s) { s.restart(0); }};
  const std::function<void(steps &)> step_calls[] = {
      [](steps &s) { s.restore(s.checkpoint()); },
      [](steps &s) { s.restore_sealed(s.sealed_checkpoint()); },
      [](steps &s) { (void)s.energy(); }},
                                     step_acts[] = {[](steps &s) { (void)s.step(); },
                                                    [](steps &s) { (void)s.advance(1); },
                                                    [](steps &s) { (void)s.run(); },
                                                    [](steps &s) { (void)s.energy(); },
                                                    [](steps &s) { s.restore(s.checkpoint()); }};
  for (const auto &call : event_calls)
    for (const auto &act : event_acts) {
      potential_well m;
      events sim(m.model());
      m.act = [&] { EXPECT_EQ(field_of([&] { act(sim); }), "run within a run"); };
      EXPECT_EQ(field_of([&] { call(sim); }), "");
      EXPECT_TRUE(m.done);
      EXPECT_EQ(sim.status(), PERP_OK);
      EXPECT_EQ(sim.info().field, nullptr) << "that of the call, not of who meddled";
      EXPECT_EQ(sim.time(), 0);
      EXPECT_EQ(sim.energy().total(), 2.5);
    }
  for (const auto &call : step_calls)
    for (const auto &act : step_acts) {
      potential_well m;
      steps sim(m.model(), 1e-3, 10);
      m.act = [&] { EXPECT_EQ(field_of([&] { act(sim); }), "step within a step"); };
      EXPECT_EQ(field_of([&] { call(sim); }), "");
      EXPECT_TRUE(m.done);
      EXPECT_EQ(sim.status(), PERP_OK);
      EXPECT_EQ(sim.info().field, nullptr) << "that of the call, not of who meddled";
      EXPECT_EQ(sim.time(), 0);
      EXPECT_EQ(sim.energy().total(), 2.5);
    }
}

// What it works on outlives it; only an energy can still be told to one who is gone.
TEST(Misuse, ASimulationThatItsOwnCallbackDestroysEndsItsRestartOrRestore) {
  potential_well m;
  auto events = std::make_unique<perp::event_driven>(m.model());
  m.act = [&] { events.reset(); };
  EXPECT_EQ(field_of([&] { events->restart(0); }), "simulation");
  EXPECT_EQ(events, nullptr);
  potential_well n;
  auto steps = std::make_unique<perp::simulation>(n.model(), 1e-3, 10);
  const perp::checkpoint at = steps->checkpoint();
  n.act = [&] { steps.reset(); };
  EXPECT_EQ(field_of([&] { steps->restore(at); }), "simulation");
  EXPECT_EQ(steps, nullptr);
  potential_well o, p;
  events = std::make_unique<perp::event_driven>(o.model());
  o.act = [&] { events.reset(); };
  EXPECT_EQ(events->energy().total(), 2.5);
  EXPECT_EQ(events, nullptr);
  steps = std::make_unique<perp::simulation>(p.model(), 1e-3, 10);
  p.act = [&] { steps.reset(); };
  EXPECT_EQ(steps->energy().total(), 2.5);
  EXPECT_EQ(steps, nullptr);
}

TEST(Misuse, ACallbackThatIsNotFiniteIsNamedWithWhatItWrote) {
  for (const char *name : kCallbacks) {
    spoilt s;
    s.name = name;
    s.from = 0.05;
    const ending e = step_to(s.model, 0.2);
    EXPECT_EQ(e.status, PERP_ENOTFINITE) << name;
    EXPECT_EQ(e.field, name);
    EXPECT_EQ(e.index, 0);
    EXPECT_TRUE(std::isnan(e.value)) << name << ": " << e.value;
    for (const perp_smooth *smooth : {perp_smooth_runge_kutta(), perp_smooth_adams(),
                                      perp_smooth_bdf(), perp_smooth_arkode()}) {
      const ending d = event_driven_to(s.model, 0.2, smooth);
      EXPECT_EQ(d.status, PERP_ENOTFINITE) << name;
      EXPECT_EQ(d.field, name);
      EXPECT_EQ(d.index, 0);
      EXPECT_TRUE(std::isnan(d.value)) << name << ": " << d.value;
    }
  }
}

TEST(Misuse, AMassByCallbackThatIsNoneIsRefused) {
  const vec none[] = {{-1, 0, 0, 1}, {1, 0, 0, 0}, {2, 0.5, 0, 1}, {1, 2, 2, 1}};
  for (const vec &M : none) {
    spoilt s;
    static vec now;
    now = M;
    s.system.mass = [](double, const double *, const double *, const double *, double *out,
                       void *) -> std::int32_t {
      std::copy(now.begin(), now.end(), out);
      return 0;
    };
    for (const ending &e :
         {step_to(s.model, 0.1), event_driven_to(s.model, 0.1, perp_smooth_runge_kutta())}) {
      EXPECT_EQ(e.status, PERP_EINVAL);
      EXPECT_EQ(e.field, "M");
      EXPECT_EQ(e.index, 0);
    }
  }
}

TEST(Misuse, AMassByCallbackThatOnlyItsFactorShowsToBeNoneIsRefused) {
  perp::model m;
  perp::lagrangian body(3);
  body.mass = [](perp::view, perp::span M) {
    for (std::size_t k = 0; k < 9; k++) M[k] = k % 4 == 0 ? 1 : -0.9;
  };
  m.add(body);
  EXPECT_EQ(field_of([&] { perp::simulation sim(m, 1e-3); }), "M");
  EXPECT_EQ(field_of([&] { perp::event_driven sim(m); }), "M");
}

// ---- event-driven ----

TEST(Misuse, TimesOfOutputIncrease) {
  spoilt s;
  perp_event_driven *sim = nullptr;
  perp_event_options o;
  perp_event_options_init(&o, sizeof o);
  ASSERT_EQ(perp_event_driven_create(&sim, &s.model, &o, nullptr), PERP_OK);
  const auto run = [&](const vec &times) {
    perp_event_observer watch = PERP_EVENT_OBSERVER_INIT;
    watch.times = times.data();
    watch.n_times = count(times.size());
    watch.output = [](perp_event_driven *, void *) -> std::int32_t { return 0; };
    perp_info info = PERP_INFO_INIT;
    const perp_status status = perp_event_driven_run(sim, 0.1, &watch, &info);
    return ending{status, info.field == nullptr ? "" : info.field, info.index, info.value};
  };
  const vec bad[] = {{0.01, 0.02, 0.02}, {0.01, 0.03, 0.02}, {0, 1, std::nan("")}};
  for (const vec &times : bad) {
    const ending e = run(times);
    EXPECT_LT(e.status, 0);
    EXPECT_EQ(e.field, "observer.times");
    EXPECT_EQ(e.index, 2);
    EXPECT_EQ(perp_event_driven_time(sim), 0);
  }
  EXPECT_EQ(run({0.01, 0.02, 5}).status, PERP_OK);
  perp_event_driven_destroy(sim);
  perp::model m;
  m.add(perp::lagrangian_linear(1, 1.0));
  perp::event_driven f(m);
  EXPECT_EQ(field_of([&] {
              (void)f.run(1, perp::output_times(perp::array{0.5, 0.25}), [](const auto &) {});
            }),
            "observer.times");
}

TEST(Misuse, AGridIncreases) {
  world w;
  make_ball(w, 1, 9.81, 1, 0, 0.5);
  const vec bad[] = {{0, 0.1, 0.1}, {0, 0.2, 0.1}, {0, 0.1, std::nan("")}};
  for (const vec &grid : bad) {
    w.options.grid = grid.data();
    w.options.steps = 2;
    const ending e = step_to(*w.finish(), 1, w.options);
    EXPECT_LT(e.status, 0);
    EXPECT_EQ(e.field, "grid");
    EXPECT_EQ(e.index, 2);
  }
}

TEST(Misuse, AnEventDrivenRunIsNotEnteredFromItsOwnCallbacks) {
  static perp_event_driven *sim;
  static int calls;
  world w;
  make_ball(w, 1, 9.81, 1, 0, 0.5);
  w.bodies[0].force = [](double, double *f, void *) -> std::int32_t {
    f[0] = 0;
    if (sim == nullptr) return 0;
    perp_info info = PERP_INFO_INIT;
    calls++;
    EXPECT_EQ(perp_event_driven_run(sim, 5, nullptr, &info), PERP_EINVAL);
    EXPECT_STREQ(info.field, "run within a run");
    EXPECT_EQ(perp_event_driven_next(sim, 5, &info), PERP_EINVAL);
    EXPECT_EQ(perp_event_driven_restart(sim, 0, nullptr, nullptr, nullptr, &info), PERP_EINVAL);
    perp_event_driven_destroy(sim);
    return 0;
  };
  w.finish();
  perp_event_options o;
  perp_event_options_init(&o, sizeof o);
  const auto fall = [&](bool meddle, bool next) {
    perp_event_driven *own = nullptr;
    sim = nullptr;
    EXPECT_EQ(perp_event_driven_create(&own, &w.model, &o, nullptr), PERP_OK);
    sim = meddle ? own : nullptr;
    if (next)
      while (perp_event_driven_next(own, 0.8, nullptr) == PERP_OK) continue;
    else
      EXPECT_EQ(perp_event_driven_run(own, 0.8, nullptr, nullptr), PERP_OK);
    const vec at = {perp_event_driven_q(own, 0)[0], perp_event_driven_v(own, 0)[0],
                    perp_event_driven_time(own)};
    perp_event_driven_destroy(own);
    return at;
  };
  for (const bool next : {false, true}) {
    calls = 0;
    EXPECT_EQ(fall(true, next), fall(false, next));
    EXPECT_GT(calls, 10);
  }
}

TEST(Misuse, NothingMeddlesInARestartAnEnergyOrALookInC) {
  using events = perp_event_driven;
  const std::function<perp_status(events *)> calls[] = {
      [](events *s) { return perp_event_driven_restart(s, 0, nullptr, nullptr, nullptr, nullptr); },
      [](events *s) {
        double T = 0, V = 0;
        return perp_event_driven_energy(s, &T, &V);
      },
      [](events *s) { return perp_event_driven_rate(s, 0) == nullptr ? PERP_EINVAL : PERP_OK; }};
  const std::function<perp_status(events *, perp_info *)> acts[] = {
      [](events *s, perp_info *info) { return perp_event_driven_run(s, 1, nullptr, info); },
      [](events *s, perp_info *info) { return perp_event_driven_next(s, 1, info); },
      [](events *s, perp_info *info) {
        return perp_event_driven_restart(s, 0, nullptr, nullptr, nullptr, info);
      }};
  for (const auto &call : calls)
    for (const auto &act : acts) {
      potential_well m;
      const perp::model described = m.model();
      const perp::c_model model(described);
      events *sim = nullptr;
      const perp_event_options o = perp_event_options_default();
      ASSERT_EQ(perp_event_driven_create(&sim, model.get(), &o, nullptr), PERP_OK);
      ASSERT_EQ(perp_event_driven_run(sim, 0.1, nullptr, nullptr), PERP_OK);
      m.act = [&] {
        perp_info info = PERP_INFO_INIT;
        EXPECT_EQ(act(sim, &info), PERP_EINVAL);
        EXPECT_STREQ(info.field, "run within a run");
        perp_event_driven_destroy(sim);
      };
      EXPECT_EQ(call(sim), PERP_OK);
      EXPECT_TRUE(m.done);
      EXPECT_EQ(perp_event_driven_run(sim, 0.2, nullptr, nullptr), PERP_OK);
      EXPECT_NEAR(perp_event_driven_v(sim, 0)[0], 2, 1e-12);
      perp_event_driven_destroy(sim);
    }
}

TEST(Misuse, NothingMeddlesInAnEnergyOfTimeSteppingInC) {
  potential_well m;
  const perp::model described = m.model();
  const perp::c_model model(described);
  perp_simulation_options o = stepping();
  o.switchable = 1;
  perp_simulation *sim = nullptr;
  ASSERT_EQ(perp_simulation_create(&sim, model.get(), &o, nullptr), PERP_OK);
  double T = 0, V = 0;
  m.act = [&] {
    perp_info info = PERP_INFO_INIT;
    EXPECT_EQ(perp_simulation_step(sim, &info), PERP_EINVAL);
    EXPECT_STREQ(info.field, "step within a step");
    EXPECT_EQ(perp_simulation_advance(sim, 1, &info), PERP_EINVAL);
    EXPECT_EQ(perp_simulation_set_active(sim, 0, 0), PERP_EINVAL);
    double kinetic = 0, potential = 0;
    EXPECT_EQ(perp_simulation_energy(sim, &kinetic, &potential), PERP_EINVAL);
    perp_simulation_destroy(sim);
  };
  EXPECT_EQ(perp_simulation_energy(sim, &T, &V), PERP_OK);
  EXPECT_TRUE(m.done);
  EXPECT_EQ(T + V, 2.5);
  m.done = false;
  EXPECT_EQ(perp_simulation_step(sim, nullptr), PERP_OK) << "nor within a step";
  EXPECT_TRUE(m.done);
  EXPECT_EQ(perp_simulation_time(sim), 1e-2);
  perp_simulation_destroy(sim);
}

}  // namespace
