// SPDX-License-Identifier: MIT
// Logs of simulations: what stands in a log is what the accessors told, step by step.
#include <gtest/gtest.h>
#include <perp/perp.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

/** Two balls above a table, one of them on a spring, and a filter of first order. */
struct world {
  perp_lagrangian_linear ball, sprung;
  perp_first_order_linear filter;
  perp_lagrangian_linear_relation gap;
  perp_newton_impact law;
  double mass = 2, stiffness = 30, weight = -19.62, rate = -3, H = 1;
  const perp_system *systems[3] = {&ball.system, &filter.system, &sprung.system};
  std::int32_t at[2] = {0, 2};
  perp_interaction contacts[2] = {};
  const perp_interaction *interactions[2] = {&contacts[0], &contacts[1]};
  double q0[2] = {0.1, 0.05}, v0[2] = {0, 0}, x0[1] = {1};
  perp_model model = PERP_MODEL_INIT;
  perp_simulation_options options = perp_simulation_options_default();
  const perp_integrator *integrators[3] = {perp_integrator_moreau_jean(), perp_integrator_theta(),
                                           perp_integrator_moreau_jean()};
  world() {
    perp_lagrangian_linear_init(&ball, sizeof ball, 1);
    ball.M = perp_diagonal(1, &mass);
    ball.f = &weight;
    sprung = ball;
    sprung.K = perp_diagonal(1, &stiffness);
    perp_first_order_linear_init(&filter, sizeof filter, 1);
    filter.A = perp_diagonal(1, &rate);
    perp_lagrangian_linear_relation_init(&gap, sizeof gap, 1, 1);
    gap.H = &H;
    perp_newton_impact_init(&law, sizeof law);
    law.e = 0.5;
    for (int i = 0; i < 2; i++) contacts[i] = {&gap.relation, &law.law, &at[i], 1, 0};
    model.n_systems = 3;
    model.systems = systems;
    model.n_interactions = 2;
    model.interactions = interactions;
    model.q0 = q0;
    model.v0 = v0;
    model.x0 = x0;
    options.h = 1e-3;
    options.integrators = integrators;
    options.solver = perp_solver_auto();
  }
};

struct file {
  std::string path = ::testing::TempDir() + "perp_log_simulation_" + std::to_string(getpid());
  perp_log *log = nullptr;
  perp_log_reader *reader = nullptr;
  perp_info info = PERP_INFO_INIT;
  ~file() {
    perp_log_close(log, nullptr);
    perp_log_reader_close(reader);
    std::remove(path.c_str());
  }
  void read() {
    perp_log *l = log;
    log = nullptr;
    ASSERT_EQ(perp_log_close(l, &info), PERP_OK);
    ASSERT_EQ(perp_log_reader_open(&reader, path.c_str(), &info), PERP_OK);
  }
  std::vector<double> all(const char *name) {
    perp_log_summary s = PERP_LOG_SUMMARY_INIT;
    EXPECT_EQ(perp_log_reader_summary(reader, &s), PERP_OK);
    const std::int32_t i = perp_log_reader_find(reader, name);
    EXPECT_GE(i, 0) << name;
    if (i < 0) return {};
    const perp_log_quantity q = perp_log_reader_schema(reader)->quantities[i];
    std::vector<double> x(static_cast<std::size_t>(s.samples * q.members * q.components));
    EXPECT_EQ(perp_log_reader_read(reader, i, 0, s.samples, 1, nullptr, x.data(), &info), PERP_OK);
    return x;
  }
};

TEST(LogSimulation, AStepIsWhatTheAccessorsTell) {
  world w;
  file f;
  perp_simulation *sim = nullptr;
  ASSERT_EQ(perp_simulation_create(&sim, &w.model, &w.options, &f.info), PERP_OK) << f.info.field;
  const char *const systems[] = {"ball[0]", "filter", "ball[1]"};
  const char *const contacts[] = {"contact[0]", "contact[1]"};
  perp_log_quantity own[3] = {};
  for (perp_log_quantity &q : own) q.members = q.components = 1, q.kind = "run";
  own[0].name = "u";
  own[1].name = "kinetic";
  own[1].source = PERP_LOG_KINETIC;
  own[2].name = "step";
  perp_log_schema schema = PERP_LOG_SCHEMA_INIT;
  schema.quantities = own;
  schema.n_quantities = 3;
  ASSERT_EQ(perp_log_simulation_create(&f.log, f.path.c_str(), sim, systems, contacts, &schema,
                                       nullptr, &f.info),
            PERP_OK)
      << f.info.field;
  std::vector<double> q, v, x, y, lambda, kinetic, u, step;
  for (int k = 0; k < 300; k++) {
    const double mine[] = {0.5 * k, 1.0 * k};
    ASSERT_EQ(perp_log_step(f.log, sim, mine, 2, &f.info), PERP_OK) << f.info.field;
    for (const int i : {0, 2}) q.push_back(*perp_simulation_q(sim, i));
    for (const int i : {0, 2}) v.push_back(*perp_simulation_v(sim, i));
    x.push_back(*perp_simulation_x(sim, 1));
    for (const int i : {0, 1}) y.push_back(*perp_simulation_y(sim, i));
    for (const int i : {0, 1}) lambda.push_back(*perp_simulation_lambda(sim, i));
    kinetic.emplace_back();
    ASSERT_EQ(perp_simulation_energy(sim, &kinetic.back(), nullptr), PERP_OK);
    u.push_back(mine[0]);
    step.push_back(mine[1]);
    ASSERT_EQ(perp_simulation_step(sim, &f.info), PERP_OK);
  }
  EXPECT_EQ(perp_log_step(f.log, sim, nullptr, 0, &f.info), PERP_EINVAL);
  EXPECT_STREQ(f.info.field, "n_own");
  f.read();
  EXPECT_EQ(f.all("ball.q"), q);
  EXPECT_EQ(f.all("ball.v"), v);
  EXPECT_EQ(f.all("filter.x"), x);
  EXPECT_EQ(f.all("contact.y"), y);
  EXPECT_EQ(f.all("contact.lambda"), lambda);
  EXPECT_EQ(f.all("run.kinetic"), kinetic);
  EXPECT_EQ(f.all("run.u"), u);
  EXPECT_EQ(f.all("run.step"), step);
  EXPECT_GT(*std::max_element(lambda.begin(), lambda.end()), 0);
  const auto of = [&](const char *name) {
    return perp_log_reader_schema(f.reader)->quantities[perp_log_reader_find(f.reader, name)];
  };
  EXPECT_EQ(of("ball.q").objects[1], 2);
  EXPECT_STREQ(of("contact.lambda").unit, "N s");
  EXPECT_EQ(of("contact.lambda").source, PERP_LOG_LAMBDA);
  // and goes on where it was, without being told where values come from
  ASSERT_EQ(perp_log_append(&f.log, f.path.c_str(), nullptr, nullptr, PERP_LOG_AT_END, &f.info),
            PERP_OK);
  const double mine[] = {7, 8};
  ASSERT_EQ(perp_log_step(f.log, sim, mine, 2, &f.info), PERP_OK);
  q.push_back(*perp_simulation_q(sim, 0));
  q.push_back(*perp_simulation_q(sim, 2));
  perp_log_reader_close(f.reader);
  f.read();
  EXPECT_EQ(f.all("ball.q"), q);
  EXPECT_EQ(f.all("run.step").back(), 8);
  perp_simulation_destroy(sim);
}

TEST(LogSimulation, NamesAndSizes) {
  world w;
  file f;
  perp_simulation *sim = nullptr, *other = nullptr;
  ASSERT_EQ(perp_simulation_create(&sim, &w.model, &w.options, &f.info), PERP_OK);
  const auto create = [&](const char *const *systems, const char *const *contacts) {
    perp_log_close(f.log, nullptr);
    return perp_log_simulation_create(&f.log, f.path.c_str(), sim, systems, contacts, nullptr,
                                      nullptr, &f.info);
  };
  const char *const mixed[] = {"a[0]", "a[1]", "b"}, *const missing[] = {"a", nullptr, "c"};
  EXPECT_EQ(create(mixed, nullptr), PERP_EINVAL);
  EXPECT_STREQ(f.info.field, "systems.name");
  EXPECT_EQ(create(missing, nullptr), PERP_EINVAL);
  EXPECT_EQ(f.info.index, 1);
  const char *const nothing[] = {"", ""};
  EXPECT_EQ(create(nullptr, nothing), PERP_EINVAL);
  EXPECT_STREQ(f.info.field, "interactions.name");
  ASSERT_EQ(create(nullptr, nullptr), PERP_OK) << f.info.field;
  w.model.n_systems = w.model.n_interactions = 1;  // another simulation has not got all of it
  ASSERT_EQ(perp_simulation_create(&other, &w.model, &w.options, &f.info), PERP_OK);
  EXPECT_EQ(perp_log_step(f.log, other, nullptr, 0, &f.info), PERP_EINVAL);
  EXPECT_STREQ(f.info.field, "quantities");
  ASSERT_EQ(perp_log_step(f.log, sim, nullptr, 0, &f.info), PERP_OK);
  f.read();
  EXPECT_EQ(f.all("system.q"), (std::vector<double>{0.1, 0.05}));
  EXPECT_EQ(f.all("state.x"), (std::vector<double>{1}));
  EXPECT_EQ(f.all("interaction.y"), (std::vector<double>{0.1, 0.05}));
  perp_simulation_destroy(sim);
  perp_simulation_destroy(other);
}

TEST(LogSimulation, EventsWithTheirImpulses) {
  world w;
  w.model.n_systems = w.model.n_interactions = 1;
  file f;
  perp_event_driven *sim = nullptr;
  const perp_event_options options = perp_event_options_default();
  ASSERT_EQ(perp_event_driven_create(&sim, &w.model, &options, &f.info), PERP_OK);
  ASSERT_EQ(perp_log_event_driven_create(&f.log, f.path.c_str(), sim, nullptr, nullptr, nullptr,
                                         nullptr, &f.info),
            PERP_OK);
  std::vector<double> times, impulses, heights;
  for (int k = 0; k < 5; k++) {
    ASSERT_EQ(perp_event_driven_next(sim, 1, &f.info), PERP_OK);
    const perp_event *e = perp_event_driven_event(sim);
    ASSERT_NE(e->kinds & PERP_EVENT_IMPACT, 0u);
    times.push_back(e->t);
    impulses.push_back(e->impulse[0]);
    heights.push_back(*perp_event_driven_q(sim, 0));
    ASSERT_EQ(perp_log_event_driven_event(f.log, sim, e, &f.info), PERP_OK) << f.info.field;
    ASSERT_EQ(perp_log_event_driven_step(f.log, sim, nullptr, 0, &f.info), PERP_OK);
  }
  perp_event wrong = *perp_event_driven_event(sim);
  wrong.n_rows = 7;
  EXPECT_EQ(perp_log_event_driven_event(f.log, sim, &wrong, &f.info), PERP_EINVAL);
  EXPECT_STREQ(f.info.field, "event.impulse");
  f.read();
  EXPECT_EQ(f.all("system.q"), heights);
  std::vector<double> at, found;
  perp_log_record r = PERP_LOG_RECORD_INIT;
  while (perp_log_reader_next(f.reader, 1u << PERP_LOG_EVENTS, &r, nullptr) == PERP_OK) {
    EXPECT_EQ(r.event.index, 0);
    if (r.event.n_impulse != 1) continue;
    at.push_back(r.t);
    found.push_back(r.event.impulse[0]);
  }
  EXPECT_EQ(at, times);
  EXPECT_EQ(found, impulses);
  EXPECT_NEAR(impulses[0], 2 * 1.5 * std::sqrt(2 * 9.81 * 0.1), 1e-9);
  perp_event_driven_destroy(sim);
}

}  // namespace
