// SPDX-License-Identifier: MIT
// [schedules] of [simulation]: runs of the command against programs that do the same through the C
// interface, bit by bit; what is resumed, stopped and refused.
#include <gtest/gtest.h>
#include <perp/perp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "model_tools.hpp"

namespace {

using tools::run;
using tools::vec;
using tools::world;

struct sample {
  double t;
  vec values;  // of all quantities, in the order of the log
  bool operator==(const sample &o) const { return t == o.t && values == o.values; }
};

struct logged {
  std::vector<sample> samples;
  std::vector<std::pair<double, std::int32_t>> events;
  std::string ending;
};

logged read(const std::string &path) {
  logged all;
  perp_log_reader *r = nullptr;
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(perp_log_reader_open(&r, path.c_str(), &info), PERP_OK) << path;
  if (r == nullptr) return all;
  perp_log_summary has = PERP_LOG_SUMMARY_INIT;
  EXPECT_EQ(perp_log_reader_summary(r, &has), PERP_OK);
  perp_log_record record = PERP_LOG_RECORD_INIT;
  while (perp_log_reader_next(r, 0, &record, &info) == PERP_OK) {
    const auto n = static_cast<std::size_t>(has.n_values);
    if (record.type == PERP_LOG_SAMPLES)
      for (std::size_t k = 0; k < static_cast<std::size_t>(record.count); k++)
        all.samples.push_back(
            {record.times[k], vec(record.values + k * n, record.values + (k + 1) * n)});
    if (record.type == PERP_LOG_EVENTS) {
      EXPECT_EQ(record.event.kind, PERP_EVENT_SCHEDULE);
      all.events.emplace_back(record.event.t, record.event.index);
    }
    if (record.type == PERP_LOG_END) all.ending = record.text;
  }
  perp_log_reader_close(r);
  return all;
}

class Schedules : public ::testing::Test {
 protected:
  std::string folder_ = ::testing::TempDir() + "perp_schedules_" + std::to_string(getpid());
  std::string said_;

  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string &name, const std::string &text) const {
    std::ofstream(folder_ + "/" + name) << text;
  }
  // The exit code; said_: what it printed.
  int perp(const std::string &arguments) {
    const std::string line = "cd '" + folder_ + "' && '" PERP_COMMAND "' " + arguments + " 2>&1";
    FILE *const pipe = popen(line.c_str(), "r");
    said_.clear();
    for (std::array<char, 256> some{}; std::fgets(some.data(), some.size(), pipe) != nullptr;)
      said_ += some.data();
    const int answer = pclose(pipe);
    return WIFEXITED(answer) ? WEXITSTATUS(answer) : -1;
  }
  logged log(const std::string &name) const { return read(folder_ + "/" + name); }
};

// A ball that bounces and is thrown anew at times, and a plant whose input is sampled.
const char *const kModel =
    "[systems.ball]\nkind = \"lagrangian_linear\"\nM = [2]\nf = [-19.62]\nq0 = [1]\n"
    "[systems.plant]\nkind = \"first_order_linear\"\nA = [[0, 1], [0, 0]]\nx0 = [3, 0]\n"
    "[interactions.floor]\nsystems = [\"ball\"]\n"
    "relation = { kind = \"lagrangian_linear\", H = [[1]] }\n"
    "law = { kind = \"newton_impact\", e = 0.5 }\n"
    "[schedules.sampler]\nperiod = 0.1\nreset = { \"plant.x[1]\" = \"-2*plant.x[0] + 0*t\" }\n"
    "[schedules.kick]\ntimes = [-1, 0.25, 0.2501, 0.9, 1.5, 7]\n"
    "reset = { \"ball.v\" = \"4 - ball.v/4\", \"ball.q\" = \"ball.q + t/8\" }\n"
    "[schedules.shift]\nfirst = 0.9\nreset = { \"ball.q\" = \"2*ball.q\" }\n"
    "[simulation]\nh = 0.003\nuntil = 2.1\n";

// The same by the C interface: its states after each step, and what happened at which times.
logged by_program() {
  world w;
  auto &ball = w.body(vec{2});
  ball.f = w.keep({-19.62});
  w.add(ball.system);
  auto &plant = w.circuit(2);
  plant.A = perp_dense(2, 2, w.keep({0, 0, 1, 0}));
  w.add(plant.system);
  w.join(w.contact(1, 1, {1}).relation, w.impact(0.5), {0});
  w.q0 = {1}, w.v0 = {0}, w.x0 = {3, 0};
  w.integrators = {perp_integrator_moreau_jean(), perp_integrator_theta()};
  w.options.integrator = nullptr;
  w.options.integrators = w.integrators.data();
  w.options.solver = perp_solver_auto();
  w.options.h = 0.003;
  run r(w);
  EXPECT_EQ(r.status, PERP_OK);
  logged all;
  std::vector<double> kicks = {0.25, 0.2501, 0.9, 1.5, 7};
  std::size_t kick = 0;
  int sampled = 0;
  bool shifted = false;
  const auto happen = [&] {
    const double now = r.time() + 1e-6 * 0.003;
    double q = r.q(), v = r.v(), x[2] = {r.x(1, 0), r.x(1, 1)};
    const std::size_t before = all.events.size();
    if (sampled * 0.1 <= now) {
      while (sampled * 0.1 <= now) sampled++;
      x[1] = -2 * x[0] + 0 * r.time();
      all.events.emplace_back(r.time(), 0);
    }
    if (kicks[kick] <= now) {
      while (kicks[kick] <= now) kick++;
      const double thrown = 4 - v / 4;
      q = q + r.time() / 8;
      v = thrown;
      all.events.emplace_back(r.time(), 1);
    }
    if (!shifted && 0.9 <= now) {
      shifted = true;
      q = 2 * q;
      all.events.emplace_back(r.time(), 2);
    }
    if (all.events.size() > before) {
      EXPECT_EQ(perp_simulation_set_state(r.sim, 0, 1, &q, &v, nullptr, nullptr), PERP_OK);
      EXPECT_EQ(perp_simulation_set_state(r.sim, 1, 1, nullptr, nullptr, x, nullptr), PERP_OK);
    }
    all.samples.push_back({r.time(), {r.q(), r.v(), r.x(1, 0), r.x(1, 1), r.y(), r.lambda()}});
  };
  for (happen(); r.time() < 2.1 - 1e-6 * 0.003; happen()) EXPECT_EQ(r.step(), PERP_OK);
  return all;
}

// The quantities of the log that the program looks at.
std::vector<sample> picked(const logged &of, const std::string &path) {
  perp_log_reader *r = nullptr;
  EXPECT_EQ(perp_log_reader_open(&r, path.c_str(), nullptr), PERP_OK);
  std::vector<std::size_t> at;
  for (const auto &[name, n] : {std::pair("ball.q", 1),
                                {"ball.v", 1},
                                {"plant.x", 2},
                                {"floor.y", 1},
                                {"floor.lambda", 1}}) {
    const std::int32_t first = perp_log_reader_offset(r, perp_log_reader_find(r, name));
    EXPECT_GE(first, 0) << name;
    for (int i = 0; i < n; i++) at.push_back(static_cast<std::size_t>(first + i));
  }
  perp_log_reader_close(r);
  std::vector<sample> some;
  for (const sample &s : of.samples) {
    some.push_back({s.t, {}});
    for (const std::size_t i : at) some.back().values.push_back(s.values[i]);
  }
  return some;
}

TEST_F(Schedules, ARunHasTheBitsOfAProgramThatSetsTheStates) {
  write("m.toml", kModel);
  ASSERT_EQ(perp("run m.toml"), 0) << said_;
  const logged file = log("m.log"), program = by_program();
  EXPECT_EQ(file.events, program.events);
  EXPECT_EQ(file.events.size(), 22u + 3u + 1u);
  const auto seen = picked(file, folder_ + "/m.log");
  ASSERT_EQ(seen.size(), program.samples.size());
  for (std::size_t k = 0; k < seen.size(); k++)
    ASSERT_TRUE(seen[k] == program.samples[k]) << k << " t = " << seen[k].t;
  EXPECT_NE(said_.find("finished: 700 steps, t = 2.1"), std::string::npos) << said_;
  EXPECT_NE(said_.find("events 23"), std::string::npos) << said_;
}

TEST_F(Schedules, AResumedRunHasTheBitsOfTheUninterrupted) {
  write("m.toml", kModel);
  ASSERT_EQ(perp("run m.toml --log whole.log --events"), 0) << said_;
  const std::string lines = said_.substr(0, said_.find("m.toml:"));
  for (const char *until : {"0.0005", "0.25", "0.3", "0.9", "1.2"}) {
    ASSERT_EQ(perp(std::string("run m.toml --log part.log --events --until ") + until), 0) << said_;
    std::string told = said_.substr(0, said_.find("m.toml:"));
    ASSERT_EQ(perp("run m.toml --events --resume part.log"), 0) << said_;
    told += said_.substr(0, said_.find("m.toml:"));
    const logged whole = log("whole.log"), part = log("part.log");
    EXPECT_EQ(part.samples.size(), whole.samples.size()) << until;
    EXPECT_TRUE(part.samples == whole.samples) << until;
    EXPECT_EQ(part.events, whole.events) << until;
    EXPECT_EQ(part.ending, whole.ending) << until;
    EXPECT_EQ(told, lines) << until;
    EXPECT_NE(said_.find("events 23"), std::string::npos) << said_;
  }
}

// Times of a grid that is given are met exactly; a schedule may end the run, and at the start, too.
TEST_F(Schedules, AScheduleEndsTheRun) {
  const std::string ball =
      "[systems.ball]\nkind = \"lagrangian_linear\"\nM = [1]\nrepeat = 2\nv0 = [1]\n";
  write("a.toml", ball +
                      "[schedules.end]\nfirst = 0.5\nstop = true\n[schedules.mark]\nfirst = 0.5\n"
                      "reset = { \"ball[1].q\" = \"ball[0].q + 1\" }\n"
                      "[schedules.other]\nfirst = 0.45\nstop = true\n"
                      "[simulation]\ngrid = [0, 0.25, 0.5, 0.75, 1]\n");
  ASSERT_EQ(perp("run a.toml"), 0) << said_;
  EXPECT_NE(said_.find("a.toml: stopped by schedule end and schedule other: 2 steps, t = 0.5"),
            std::string::npos)
      << said_;
  const logged a = log("a.log");
  EXPECT_EQ(a.samples.size(), 3u);
  EXPECT_EQ(a.events, (std::vector<std::pair<double, std::int32_t>>{{0.5, 0}, {0.5, 1}, {0.5, 2}}));
  EXPECT_EQ(a.samples[2].values[1], 1.5);  // ball[1].q
  ASSERT_EQ(perp("run a.toml --resume a.log"), 0) << said_;
  EXPECT_EQ(log("a.log").samples.size(), 5u);
  write("b.toml", ball +
                      "[schedules.end]\nfirst = 2\nstop = true\n"
                      "[simulation]\nt0 = 2\nh = 0.1\nuntil = 3\n");
  ASSERT_EQ(perp("run b.toml"), 0) << said_;
  EXPECT_NE(said_.find("stopped by schedule end: 0 steps, t = 2"), std::string::npos) << said_;
  EXPECT_EQ(log("b.log").samples.size(), 1u);
  write("c.toml", ball +
                      "[schedules.never]\nfirst = 1\nstop = true\n"
                      "[simulation]\nt0 = 2\nh = 0.1\nuntil = 3\n");
  ASSERT_EQ(perp("run c.toml"), 0) << said_;
  EXPECT_NE(said_.find("finished: 10 steps"), std::string::npos) << said_;
}

TEST_F(Schedules, WhatCannotBeSetEndsTheRunBySentences) {
  const std::string ball =
      "[systems.ball]\nkind = \"lagrangian_linear\"\nM = [1]\n"
      "[interactions.floor]\nsystems = [\"ball\"]\n"
      "relation = { kind = \"lagrangian_linear\", H = [[1]] }\n"
      "law = { kind = \"newton_impact\" }\n[simulation]\nh = 0.1\nuntil = 1\n";
  write("a.toml", ball + "[schedules.deep]\nfirst = 0.45\nreset = { \"ball.q\" = -1 }\n");
  EXPECT_EQ(perp("run a.toml"), 1);
  EXPECT_NE(said_.find("failed at t = 0.5, where schedule deep set the state: gap of interaction "
                       "floor = -1: must be at least min_gap"),
            std::string::npos)
      << said_;
  EXPECT_EQ(log("a.log").samples.size(), 6u);
  EXPECT_EQ(log("a.log").events.size(), 0u);
  write("b.toml", ball + "[schedules.lost]\nfirst = 0.2\nreset = { \"ball.v\" = \"1/(t - t)\" }\n");
  EXPECT_EQ(perp("run b.toml"), 1);
  EXPECT_NE(said_.find("v of system ball = inf: must be finite"), std::string::npos) << said_;
  write("c.toml", ball + "[guards.a]\nvalue = \"ball.q\"\n");
  EXPECT_EQ(perp("run c.toml"), 2);
  EXPECT_NE(said_.find("found `guards` without `events`: time-stepping finds no zeros"),
            std::string::npos)
      << said_;
}

}  // namespace
