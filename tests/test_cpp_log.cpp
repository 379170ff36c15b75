// SPDX-License-Identifier: MIT
// The façade's logs: what was written is read, errors are thrown with their sentences.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "perp/log.hpp"
#include "perp/perp.hpp"

namespace {

struct CppLog : ::testing::Test {
  std::string path = ::testing::TempDir() + "perp_cpp_log_" + std::to_string(getpid());
  perp::model m;
  perp::system_id ball = m.add(perp::lagrangian_linear(1, 1.0, -9.81), {0.1});
  perp::interaction_id floor =
      m.connect(perp::lagrangian_linear_relation(1.0), perp::newton_impact(0.5), ball);
  static perp::simulation_options steps() {
    perp::simulation_options o;
    o.h = 1e-3;
    return o;
  }
  ~CppLog() override { std::remove(path.c_str()); }
};

TEST_F(CppLog, StepsEventsAndTheEnd) {
  perp::simulation sim(m, steps());
  perp::log first(path, sim, {"ball"}, {"floor"});
  std::vector<double> t, q, lambda;
  for (int k = 0; k < 300; k++) {
    first.step(sim);
    t.push_back(sim.time());
    q.push_back(sim.q(ball)[0]);
    lambda.push_back(sim.lambda(floor)[0]);
    ASSERT_EQ(sim.step(), PERP_OK);
  }
  perp::log log = std::move(first);
  EXPECT_THROW(log.step(sim, {1.0}), perp::error);
  log.checkpoint(sim.time(), "sealed", sim.sealed_checkpoint());
  log.note("name", "text");
  log.end(sim.time(), PERP_OK, "done");
  const std::int64_t bytes = log.bytes();
  log.close();
  perp::log_reader read(path);
  EXPECT_EQ(read.summary().bytes, bytes);
  EXPECT_EQ(read.times(), t);
  EXPECT_EQ(read.values("ball.q"), q);
  EXPECT_EQ(read.values("floor.lambda"), lambda);
  EXPECT_STREQ(read.schema().quantities[0].kind, "ball");
  perp_log_record r = PERP_LOG_RECORD_INIT;
  ASSERT_TRUE(read.next(r, 1u << PERP_LOG_CHECKPOINT | 1u << PERP_LOG_END));
  EXPECT_EQ(r.n_bytes, sim.sealed_checkpoint().size());
  ASSERT_TRUE(read.next(r, 1u << PERP_LOG_END));
  EXPECT_STREQ(r.text, "done");
  EXPECT_FALSE(read.next(r));
  try {
    (void)read.values("ball.x");
    FAIL();
  } catch (const perp::error &e) {
    EXPECT_NE(std::string(e.what()).find("there is no ball.x"), std::string::npos);
  }
}

TEST_F(CppLog, OfEvents) {
  perp::event_driven sim(m);
  perp::log log(path, sim);
  ASSERT_EQ(sim.next(0.2), PERP_OK);
  log.event(sim, *perp_event_driven_event(sim.get()));
  log.step(sim);
  log.close();
  EXPECT_EQ(perp::log_reader(path).values("system.q"), (std::vector<double>{sim.q(ball)[0]}));
  perp_log_record r = PERP_LOG_RECORD_INIT;
  ASSERT_TRUE(perp::log_reader(path).next(r, 1u << PERP_LOG_EVENTS));
  EXPECT_EQ(r.event.kind, PERP_EVENT_IMPACT);
}

TEST_F(CppLog, WhatIsRefused) {
  perp::simulation sim(m, steps());
  EXPECT_THROW(perp::log(path, sim, {"ball", "cube"}), perp::error);
  EXPECT_THROW(perp::log("/no/such/folder/a.log", sim), perp::error);
  EXPECT_THROW(perp::log_reader("/no/such/folder/a.log"), perp::error);
}

}  // namespace
