// SPDX-License-Identifier: MIT
// What a simulation promises around its steps: checkpoints, the end, failures, the report.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <set>

#include "random_graph.hpp"
#include "scheme_oracle.hpp"

namespace {

using tools::at;
using tools::count;
using tools::kInf;
using tools::kNaN;
using tools::make_ball;
using tools::make_column;
using tools::random_graph;
using tools::run;
using tools::vec;
using tools::world;

using snapshot = std::vector<unsigned char>;

// -------------------------------------------------------------------------- checkpoints ----

// Runs once to the end, then resumes from each step in fresh memory for some steps.
void expect_resumable(world &w, int steps, int further) {
  run whole(w);
  ASSERT_EQ(whole.status, PERP_OK) << whole.info.field;
  std::vector<snapshot> states = {whole.bytes()};
  for (int k = 0; k < steps; k++) {
    ASSERT_EQ(whole.step(), PERP_OK);
    states.push_back(whole.bytes());
  }
  for (int k = 0; k < steps; k++) {
    run resumed(w.model, w.options, at(k % 64), states[at(k)].data());
    ASSERT_EQ(resumed.status, PERP_OK) << resumed.info.field;
    ASSERT_EQ(resumed.bytes(), states[at(k)]);
    for (int i = k + 1; i <= std::min(steps, k + further); i++) {
      ASSERT_EQ(resumed.step(), PERP_OK);
      ASSERT_EQ(resumed.bytes(), states[at(i)]) << "from step " << k << " at " << i;
    }
  }
}

TEST(Simulation, ResumesABallAtEveryStepWithItsBits) {
  world w;
  make_ball(w, 1, 9.81, 0.1, 0, 0.7);
  w.options.h = 5e-3;
  expect_resumable(w, 300, 300);
}

// Beads fall apart and together: islands form, merge and dissolve.
TEST(Simulation, ResumesAColumnAtEveryStepWithItsBits) {
  for (const perp_solver *solver : {perp_solver_lemke(), perp_solver_active_set()})
    for (const std::int32_t N : {3, 15}) {
      world w;
      vec gap;
      for (std::int32_t i = 0; i < N; i++) gap.push_back(0.01 + 0.003 * (i * 7 % 5));
      make_column(w, gap, 0.2, 9.81, 0.6);
      w.options.h = 2e-3;
      w.options.solver = solver;
      expect_resumable(w, 250, 40);
      run r(w);
      std::set<std::int32_t> islands;
      for (int k = 0; k < 250; k++) {
        ASSERT_EQ(r.step(), PERP_OK);
        islands.insert(perp_simulation_islands(r.sim));
      }
      EXPECT_GT(islands.size(), 2u);
    }
}

TEST(Simulation, ResumesAnyGraphAtEveryStepWithItsBits) {
  for (std::uint64_t seed = 1; seed <= 60 && !HasFailure(); seed++) {
    SCOPED_TRACE(seed);
    world w;
    random_graph(w, seed, seed % 2 == 0, 0);
    expect_resumable(w, 20, 20);
  }
}

// Restitution that wears off: e = 1 / (2 + impacts so far), kept in the law's own state.
struct wear {
  std::int64_t impacts;
};
size_t wear_bytes(const perp_law *) { return sizeof(wear); }
void wear_init(const perp_law *, void *state) { static_cast<wear *>(state)->impacts = 0; }
void wear_map(const perp_law *, const void *state, const double *ydot, double *q) {
  q[0] += ydot[0] / (2 + double(static_cast<const wear *>(state)->impacts));
}
void wear_commit(const perp_law *, void *state, const double *, const double *lambda) {
  static_cast<wear *>(state)->impacts += lambda[0] > 0;
}

struct wearing_law {
  perp_law_ops ops{};
  perp_law law{};
  wearing_law() {
    ops.struct_size = sizeof ops;
    ops.set = PERP_SET_ORTHANT;
    ops.unilateral = 1;
    ops.name = "wear";
    ops.restitute = wear_map;
    ops.state_bytes = wear_bytes;
    ops.state_init = wear_init;
    ops.commit = wear_commit;
    law.ops = &ops;
    law.struct_size = sizeof law;
    law.size = 1;
  }
};

void make_wearing_balls(world &w, const wearing_law &law) {
  perp_lagrangian_linear &s = w.body(vec{1, 1});
  s.f = w.keep({-9.81, -9.81});
  w.add(s.system);
  w.join(w.contact(2, 2, {1, 0, 0, 1}).relation, &law.law, {0});
  w.q0 = {0.1, 0.15};
  w.options.h = 1e-3;
}

TEST(Simulation, LawsKeepAStateOfTheirOwn) {
  world w;
  const wearing_law law;
  make_wearing_balls(w, law);
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  int impacts[2] = {0, 0};
  for (int k = 0; k < 400; k++) {
    const double before[2] = {r.v(0, 0), r.v(0, 1)};
    ASSERT_EQ(r.step(), PERP_OK);
    for (std::size_t c : {0u, 1u}) {
      if (r.lambda(0, c) == 0) continue;
      ASSERT_NEAR(r.v(0, c), -before[c] / (2 + impacts[c]), 1e-13);
      impacts[c]++;
    }
  }
  EXPECT_GT(impacts[0], 3);
}

TEST(Simulation, StatesOfLawsAreCheckpointedAndRestored) {
  world w;
  const wearing_law law;
  make_wearing_balls(w, law);
  expect_resumable(w, 300, 300);
}

// ---------------------------------------------------------------------- foreign states ----

TEST(Simulation, ForeignStatesAreRefused) {
  world w, other;
  make_column(w, {0.1, 0.1}, 1, 9.81, 0);
  make_column(other, {0.1, 0.1}, 1, 9.81, 0);
  other.join(other.contact(1, 1, {1}).relation, other.impact(0), {1});
  other.joined[1][0] = 1;  // pairs the systems the other way round
  other.joined[1][1] = 0;
  run r(w);
  ASSERT_EQ(r.steps(3), PERP_OK);
  const snapshot good = r.bytes();
  const auto resume = [&](const world &model, snapshot bytes) {
    bytes.resize(4096);
    run again(model.model, model.options, 0, bytes.data());
    EXPECT_EQ(again.sim == nullptr, again.status != PERP_OK);
    return again.status;
  };
  EXPECT_EQ(resume(w, good), PERP_OK);
  other.finish();
  EXPECT_EQ(resume(other, good), PERP_EINVAL);
  other.interaction_list.pop_back();  // the sizes of w, other joints
  other.finish();
  EXPECT_EQ(resume(other, good), PERP_EINVAL);
  for (const std::size_t byte : {0u, 4u, 8u, 12u, 16u}) {  // magic, version, model, bytes
    snapshot bad = good;
    bad[byte] ^= 1;
    EXPECT_EQ(resume(w, bad), PERP_EINVAL) << byte;
  }
  EXPECT_EQ(resume(w, snapshot(good.size(), 0xA5)), PERP_EINVAL);
  EXPECT_EQ(resume(w, snapshot(good.size(), 0)), PERP_EINVAL);
  EXPECT_EQ(resume(w, snapshot(good.size(), 0xFF)), PERP_EINVAL);
  for (const double step : {-1.0, 1e300, kInf, kNaN}) {
    snapshot bad = good;
    std::memcpy(bad.data() + 40, &step, sizeof step);
    EXPECT_EQ(resume(w, bad), PERP_EINVAL) << step;
  }
  w.options.steps = 2;  // the state is at step 3
  const vec grid = {0, 0.01, 0.02};
  w.options.grid = grid.data();
  EXPECT_EQ(resume(w, good), PERP_EINVAL);
}

TEST(Simulation, AStateOfOtherCopiesIsForeign) {
  world one, two;
  for (world *w : {&one, &two}) {
    w->add(w->body(vec{1, 1}).system);
    w->join(w->contact(2, 2, {1, 0, 0, 1}).relation, w->equality(w == &one ? 1 : 2), {0});
    w->options.solver = perp_solver_active_set();
  }
  run a(one), b(two);
  ASSERT_EQ(b.status, PERP_OK);
  ASSERT_EQ(a.state_bytes, b.state_bytes);
  run again(two.model, two.options, 0, a.state.data());
  EXPECT_EQ(again.status, PERP_EINVAL);
  EXPECT_STREQ(again.info.field, "state.fingerprint");
}

TEST(Simulation, MoreCouplingsThanAnInt32NumbersAreRefused) {
  world w;
  w.add(w.body(vec{1}).system);
  const perp_relation &floor = w.contact(1, 1, {1}).relation;
  const perp_law *law = w.impact(0.5);
  for (int i = 0; i < 46341; i++) w.join(floor, law, {0});
  w.finish();
  EXPECT_EQ(perp_simulation_work_size(&w.model, &w.options), 0U);
  perp_simulation *sim = nullptr;
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(perp_simulation_init(&sim, &w.model, &w.options, nullptr, 0, nullptr, 0, &info),
            PERP_EUNSUPPORTED);
  EXPECT_STREQ(info.field, "n_interactions");
  EXPECT_EQ(info.value, 16 * 46341.0 * 46341.0);
}

TEST(Simulation, TwoSimulationsShareNothing) {
  world w;
  make_column(w, {0.02, 0.03, 0.01}, 1, 9.81, 0.5);
  w.options.h = 2e-3;
  run alone(w), a(w), b(w);
  for (int k = 0; k < 200; k++) {
    ASSERT_EQ(alone.step(), PERP_OK);
    ASSERT_EQ(a.step(), PERP_OK);
    if (k % 2 == 0) {
      ASSERT_EQ(perp_simulation_advance(b.sim, 1e-3, nullptr), PERP_OK);
    }
    ASSERT_EQ(a.bytes(), alone.bytes());
  }
}

// ------------------------------------------------------------------------------- the end ----

TEST(Simulation, EndsAfterTheLastPointAndStaysThere) {
  world w;
  make_ball(w, 1, 9.81, 1, 0, 0.5);
  w.options.steps = 3;
  run r(w);
  EXPECT_EQ(r.steps(3), PERP_OK);
  EXPECT_EQ(r.time(), 3 * 1e-2);
  const snapshot last = r.bytes();
  for (int k = 0; k < 3; k++) {
    EXPECT_EQ(r.step(), PERP_END);
    EXPECT_EQ(r.bytes(), last);
  }
  EXPECT_EQ(perp_simulation_step_index(r.sim), 3);
  EXPECT_EQ(static_cast<double>(r.report().steps), 3);
}

TEST(Simulation, WithoutInteractionsOrSystemsTimeStillPasses) {
  world empty;
  empty.options.solver = nullptr;
  run r(empty);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  EXPECT_EQ(r.steps(10), PERP_OK);
  EXPECT_EQ(r.time(), 10 * 1e-2);
  EXPECT_EQ(perp_simulation_islands(r.sim), 0);
  EXPECT_EQ(perp_simulation_q(r.sim, 0), nullptr);
}

// -------------------------------------------------------------------------------- report ----

TEST(Simulation, ReportCountsWhatHappened) {
  world w;
  make_column(w, {0.01, 0.02, 0.015}, 1, 9.81, 0.4);
  w.options.h = 1e-3;
  w.options.solver = perp_solver_active_set();
  run r(w);
  perp_report p = r.report();
  EXPECT_EQ(static_cast<double>(p.steps), 0);
  EXPECT_EQ(static_cast<double>(p.active), 0);
  EXPECT_EQ(p.penetration, 0);
  double active = 0, impacts = 0, deepest = 0, most = 0;
  vec before(3, 0.0);
  for (int k = 0; k < 600; k++) {
    ASSERT_EQ(r.step(), PERP_OK);
    double now = 0;
    for (std::int32_t i = 0; i < perp_simulation_islands(r.sim); i++) {
      perp_problem problem = PERP_PROBLEM_INIT;
      ASSERT_EQ(perp_simulation_problem(r.sim, i, &problem, nullptr), PERP_OK);
      now += problem.n;
    }
    active += now;
    most = std::max(most, now);
    for (std::int32_t i = 0; i < 3; i++) {
      impacts += r.lambda(i) > 0 && !(before[at(i)] > 0);
      before[at(i)] = r.lambda(i);
      deepest = std::max(deepest, -r.y(i));
    }
  }
  p = r.report();
  EXPECT_EQ(static_cast<double>(p.steps), 600);
  EXPECT_EQ(static_cast<double>(p.active), active);
  EXPECT_EQ(p.max_active, most);
  EXPECT_EQ(static_cast<double>(p.impacts), impacts);
  EXPECT_GT(static_cast<double>(p.solver_iterations), 0);
  EXPECT_EQ(p.penetration, deepest);
  EXPECT_GT(p.penetration, 0);
  EXPECT_LE(p.residual, 1e-10);
  EXPECT_EQ(p.failures, 0);
  EXPECT_EQ(p.retries, 0);
  EXPECT_EQ(p.accepted, 0);
}

// ------------------------------------------------------------------------ a solver that fails ----

// Solves by the active-set method but for the calls it is told to fail.
struct plan {
  perp_solver_options head{};
  int calls = 0;
  std::function<bool(int)> fails = [](int) { return false; };
  perp_status status = PERP_MAX_ITER;
  double lambda = 0;
  plan() {
    head.struct_size = sizeof head;
    head.tol = 1e-10;
    head.user = this;
  }
};

size_t flaky_workspace(const perp_shape *shape, const void *) {
  return perp_solver_shape_workspace(perp_solver_active_set(), shape, nullptr);
}
perp_status flaky_solve(const perp_problem *problem, const void *options, double *lambda, double *y,
                        perp_warm *, void *work, size_t work_bytes, perp_info *info) {
  plan *p = static_cast<plan *>(static_cast<const perp_solver_options *>(options)->user);
  if (p->fails(p->calls++)) {
    std::fill(lambda, lambda + problem->n, p->lambda);
    std::fill(y, y + problem->n, 999.0);
    return p->status;
  }
  return perp_solver_solve(perp_solver_active_set(), problem, nullptr, lambda, y, nullptr, work,
                           work_bytes, info);
}
const perp_solver flaky = {
    sizeof(perp_solver), 7,       1u << PERP_BLOCKS, 0,       "flaky", nullptr, nullptr,
    flaky_workspace,     nullptr, flaky_solve,       nullptr, 0,       0};

// Three beads on one another, so that every step has a problem of three unknowns.
struct trial {
  world w;
  plan p;
  explicit trial(int32_t policy) {
    make_column(w, {-1e-12, 0, 0}, 1, 9.81, 0.5);
    w.v0 = {0, 0, -1};
    w.options.h = 1.0 / 1024;
    w.options.solver = &flaky;
    w.options.solver_options = &p;
    w.options.on_failure = policy;
    w.options.accept_tol = kInf;
  }
};

TEST(Simulation, StopLeavesTheStateAndTheNextTryGoesOn) {
  trial a(PERP_FAILURE_STOP), b(PERP_FAILURE_STOP);
  b.p.fails = [](int call) { return call % 3 == 2; };
  run good(a.w), bad(b.w);
  ASSERT_EQ(bad.status, PERP_OK) << bad.info.field;
  int failures = 0;
  for (int k = 0; k < 30; k++) {
    const snapshot before = bad.bytes();
    perp_status status = bad.step();
    if (status != PERP_OK) {
      EXPECT_EQ(status, PERP_MAX_ITER);
      EXPECT_STREQ(bad.info.field, "one-step problem at interaction");
      EXPECT_EQ(bad.info.index, 0);
      EXPECT_EQ(bad.bytes(), before);
      failures++;
      status = bad.step();
    }
    ASSERT_EQ(status, PERP_OK);
    ASSERT_EQ(good.step(), PERP_OK);
    ASSERT_EQ(bad.bytes(), good.bytes());
  }
  EXPECT_GE(failures, 3);
  EXPECT_EQ(bad.report().failures, failures);
  EXPECT_EQ(static_cast<double>(bad.report().steps), 30);
  EXPECT_EQ(static_cast<double>(bad.report().active), static_cast<double>(good.report().active));
}

TEST(Simulation, AClaimOfSuccessIsVerified) {
  trial t(PERP_FAILURE_STOP);
  t.p.fails = [](int call) { return call == 0; };
  t.p.status = PERP_OK;
  t.p.lambda = 1;
  run r(t.w);
  const snapshot before = r.bytes();
  EXPECT_EQ(r.step(), PERP_INACCURATE);
  EXPECT_EQ(r.bytes(), before);
  EXPECT_GT(r.info.relative_residual, 1e-10);
}

TEST(Simulation, RetryHalvesUntilItSucceeds) {
  trial a(PERP_FAILURE_RETRY), b(PERP_FAILURE_STOP);
  a.p.fails = [](int call) { return call < 2; };  // the step and its first half
  run r(a.w), substeps(b.w);
  ASSERT_EQ(r.step(), PERP_OK);
  EXPECT_EQ(r.time(), 1.0 / 1024);
  EXPECT_EQ(perp_simulation_step_index(r.sim), 1);
  for (int k = 0; k < 4; k++)
    ASSERT_EQ(perp_simulation_advance(substeps.sim, 1.0 / 4096, nullptr), PERP_OK);
  for (std::int32_t i = 0; i < 3; i++) {
    EXPECT_EQ(r.q(i), substeps.q(i));
    EXPECT_EQ(r.v(i), substeps.v(i));
    EXPECT_EQ(r.lambda(i), substeps.lambda(i));
    double force = 999;
    EXPECT_EQ(perp_simulation_force(r.sim, i, &force), PERP_OK);
    EXPECT_EQ(force, r.lambda(i) * 4096);
  }
  perp_report p = r.report();
  EXPECT_EQ(p.failures, 2);
  EXPECT_EQ(p.retries, 2);
  EXPECT_EQ(static_cast<double>(p.steps), 4);
  // the next step has the length of the grid again
  ASSERT_EQ(r.step(), PERP_OK);
  ASSERT_EQ(substeps.step(), PERP_OK);
  EXPECT_EQ(r.v(1), substeps.v(1));
  EXPECT_EQ(static_cast<double>(r.report().steps), 5);
}

TEST(Simulation, RetryCountsOnlyWhatIsKept) {
  trial a(PERP_FAILURE_RETRY), b(PERP_FAILURE_STOP);
  a.p.fails = [](int call) { return call == 0 || call == 2; };  // the step, and its second half
  run r(a.w), substeps(b.w);
  ASSERT_EQ(r.step(), PERP_OK);
  for (int k = 0; k < 4; k++)
    ASSERT_EQ(perp_simulation_advance(substeps.sim, 1.0 / 4096, nullptr), PERP_OK);
  const perp_report p = r.report(), s = substeps.report();
  EXPECT_EQ(p.failures, 2);
  EXPECT_EQ(p.retries, 2);
  EXPECT_EQ(static_cast<double>(p.steps), 4);
  EXPECT_EQ(static_cast<double>(p.active), static_cast<double>(s.active));
  EXPECT_EQ(static_cast<double>(p.impacts), static_cast<double>(s.impacts));
  EXPECT_EQ(static_cast<double>(p.solver_iterations), static_cast<double>(s.solver_iterations));
  EXPECT_EQ(r.v(2), substeps.v(2));
}

TEST(Simulation, RetryThatNeverSucceedsRestoresTheState) {
  for (const std::int32_t halvings : {0, 1, 3}) {
    trial t(PERP_FAILURE_RETRY);
    t.p.fails = [](int call) { return call >= 10; };
    t.w.options.max_halvings = halvings;
    run r(t.w);
    ASSERT_EQ(r.steps(10), PERP_OK);
    const snapshot before = r.bytes();
    EXPECT_EQ(r.step(), PERP_MAX_ITER);
    EXPECT_EQ(r.bytes(), before);
    EXPECT_EQ(t.p.calls, 10 + 1 + halvings);
    EXPECT_EQ(r.report().retries, halvings);
    EXPECT_EQ(r.report().failures, 1 + halvings);
    EXPECT_EQ(static_cast<double>(r.report().steps), 10);
    // and what follows is as if nothing had been tried
    t.p.fails = [](int) { return false; };
    trial u(PERP_FAILURE_STOP);
    run undisturbed(u.w);
    ASSERT_EQ(undisturbed.steps(10), PERP_OK);
    for (int k = 0; k < 20; k++) {
      ASSERT_EQ(r.step(), PERP_OK);
      ASSERT_EQ(undisturbed.step(), PERP_OK);
      ASSERT_EQ(r.bytes(), undisturbed.bytes());
    }
  }
}

TEST(Simulation, RetryRestoresTheStatesOfLaws) {
  world w;
  const wearing_law law;
  make_wearing_balls(w, law);
  plan p;
  w.options.solver = &flaky;
  w.options.solver_options = &p;
  w.options.on_failure = PERP_FAILURE_RETRY;
  w.options.max_halvings = 2;
  run r(w);
  p.fails = [&p](int call) { return p.status == PERP_MAX_ITER && call % 7 != 0; };
  int failed = 0;
  for (int k = 0; k < 300; k++) {
    const snapshot before = r.bytes();
    if (r.step() == PERP_OK) continue;
    EXPECT_EQ(r.bytes(), before);
    failed++;
    p.status = PERP_RAY;  // do not fail once
    ASSERT_EQ(r.step(), PERP_OK);
    p.status = PERP_MAX_ITER;
  }
  EXPECT_GT(failed, 0);
}

std::int32_t slope(double t, double *f, void *) {
  f[0] = 10 * t;
  return 0;
}

// Failures at random, steps and substeps alike: whatever was tried, a step ends on the grid or
// leaves the state, and what follows has the bits of a run that knows only this state.
TEST(Simulation, WhatFollowsARetryDependsOnTheStateAlone) {
  world w, clean;
  plan p, calm;
  for (world *x : {&w, &clean}) {
    make_column(*x, {0.01, 0.02, 0.005, 0.01, 0.02}, 1, 9.81, 0.5);
    x->bodies[0].force = slope;
    x->options.h = 0.01;
    x->options.solver = &flaky;
    x->options.on_failure = PERP_FAILURE_RETRY;
    x->options.max_halvings = 2;
    x->finish();
  }
  w.options.solver_options = &p;
  clean.options.solver_options = &calm;
  run r(w);
  std::mt19937 random(3);
  int failed = 0, retried = 0;
  for (int k = 1; k <= 200; k++) {
    p.fails = [&random](int) { return random() % 3 == 0; };
    const snapshot before = r.bytes();
    const std::int64_t retries = r.report().retries;
    const perp_status status = r.step();
    retried += status == PERP_OK && r.report().retries > retries;
    if (status != PERP_OK) {
      failed++;
      ASSERT_EQ(r.bytes(), before);
      p.fails = [](int) { return false; };
      run fresh(clean.model, clean.options, 0, before.data());
      ASSERT_EQ(r.step(), PERP_OK);
      ASSERT_EQ(fresh.step(), PERP_OK);
      ASSERT_EQ(r.bytes(), fresh.bytes()) << k;
    }
    ASSERT_EQ(r.time(), k * 0.01);
  }
  EXPECT_GT(failed, 5);
  EXPECT_GT(retried, 5);
}

TEST(Simulation, WhatActedInAnUndoneSubstepActsNoMore) {
  // the second ball lands in the second of four substeps, the third of which asks for a retry
  world w;
  auto &ball = w.body(vec{1});
  ball.force = [](double t, double *f, void *) -> std::int32_t {
    *f = -9.81;
    return t > 0.05 ? 1 : 0;
  };
  const auto &gap = w.contact(1, 1, {1}).relation;
  for (const double height : {-1e-12, 0.016}) {
    w.join(gap, w.impact(0.5), {w.add(ball.system)});
    w.q0.push_back(height);
  }
  w.v0 = {0, -1};
  w.options.h = 0.08;
  w.options.on_failure = PERP_FAILURE_RETRY;
  w.options.max_halvings = 2;
  run r(w);
  ASSERT_EQ(perp_simulation_advance(r.sim, 0.001, nullptr), PERP_OK);
  const snapshot before = r.bytes();
  ASSERT_EQ(r.step(), PERP_RETRY);
  ASSERT_EQ(r.bytes(), before);
  run fresh(w.model, w.options, 0, before.data());
  const double part = (0.08 - 0.001) / 4;
  ASSERT_EQ(perp_simulation_advance(r.sim, part, nullptr), PERP_OK);
  ASSERT_EQ(perp_simulation_advance(fresh.sim, part, nullptr), PERP_OK);
  EXPECT_LT(fresh.v(1), -1);
  EXPECT_EQ(r.bytes(), fresh.bytes());
}

// Where a force of time writes nothing it is 0, in memory that was used before.
TEST(Simulation, WhatAForceDoesNotWriteIsZero) {
  world w;
  perp_lagrangian_linear &s = w.body(vec{1, 1, 1});
  s.force = [](double t, double *f, void *) {
    f[1] = t;
    return 0;
  };
  w.add(s.system);
  w.q0 = w.v0 = {0, 0, 0};
  run r(w);
  for (int k = 0; k < 3; k++) {
    ASSERT_EQ(r.step(), PERP_OK);
    EXPECT_EQ(r.v(0, 0), 0);
    EXPECT_EQ(r.v(0, 2), 0);
    EXPECT_GT(r.v(0, 1), 0);
  }
}

TEST(Simulation, AStepThatDoesNotMoveTimeIsRefused) {
  world w;
  w.add(w.body(vec{1}).system);
  w.q0 = {0};
  w.v0 = {1};
  w.options.t0 = 1e16;
  for (const double h : {1.0, 1e-3, 5e-324}) {  // doubles are 2 apart there
    w.options.h = h;
    run r(w);
    const snapshot before = r.bytes();
    EXPECT_EQ(r.step(), PERP_EINVAL);
    EXPECT_STREQ(r.info.field, "t");
    EXPECT_EQ(r.bytes(), before);
  }
  w.options.h = 2;
  run r(w);
  EXPECT_EQ(r.step(), PERP_OK);
  EXPECT_EQ(r.time(), 1e16 + 2);
}

TEST(Simulation, AfterALongWayTheGridIsFoundWithoutWalkingIt) {
  world w;
  w.add(w.body(vec{1}).system);
  w.q0 = {0};
  w.v0 = {1};
  w.options.h = 1e-6;
  w.options.steps = 0;
  run r(w);
  ASSERT_EQ(perp_simulation_advance(r.sim, 1e6 + 0.3e-6, nullptr), PERP_OK);
  const double t = r.time();
  ASSERT_EQ(r.step(), PERP_OK);
  EXPECT_GT(r.time(), t);
  EXPECT_LE(r.time(), t + 1e-6);
  EXPECT_EQ(r.time(), 1e-6 * std::round(r.time() / 1e-6));
  ASSERT_EQ(perp_simulation_advance(r.sim, 1e12, nullptr), PERP_OK);  // beyond 2^53 points
  const snapshot before = r.bytes();
  EXPECT_EQ(r.step(), PERP_EINVAL);
  EXPECT_STREQ(r.info.field, "t");
  EXPECT_EQ(r.bytes(), before);
}

TEST(Simulation, SubstepsSeeTheForcesOfTheirTimes) {
  world a, b;
  plan fail_second, calm;
  fail_second.fails = [](int call) { return call == 0 || call == 2; };
  for (world *x : {&a, &b}) {
    make_column(*x, {-1e-12, 0, 0}, 1, 9.81, 0.5);
    x->bodies[0].force = slope;
    x->v0 = {0, 0, -1};
    x->options.h = 1.0 / 4;
    x->options.solver = &flaky;
  }
  a.options.on_failure = PERP_FAILURE_RETRY;
  a.options.solver_options = &fail_second;
  b.options.solver_options = &calm;
  run r(a), substeps(b);
  ASSERT_EQ(r.step(), PERP_OK);
  ASSERT_EQ(r.report().retries, 2);
  for (int k = 0; k < 4; k++)
    ASSERT_EQ(perp_simulation_advance(substeps.sim, 1.0 / 16, nullptr), PERP_OK);
  for (std::int32_t i = 0; i < 3; i++) EXPECT_EQ(r.v(i), substeps.v(i));
}

TEST(Simulation, AStopOfTheObserverIsNotTriedAgain) {
  trial t(PERP_FAILURE_RETRY);
  t.p.fails = [](int) { return true; };
  t.p.status = PERP_STOPPED;
  run r(t.w);
  const snapshot before = r.bytes();
  EXPECT_EQ(r.step(), PERP_STOPPED);
  EXPECT_EQ(t.p.calls, 1);
  EXPECT_EQ(r.bytes(), before);
}

TEST(Simulation, AnErrorOfTheSolverIsNotTriedAgain) {
  for (const std::int32_t policy : {PERP_FAILURE_STOP, PERP_FAILURE_RETRY, PERP_FAILURE_ACCEPT}) {
    trial t(policy);
    t.p.fails = [](int) { return true; };
    t.p.status = PERP_EBACKEND;
    run r(t.w);
    const snapshot before = r.bytes();
    EXPECT_EQ(r.step(), PERP_EBACKEND);
    EXPECT_EQ(t.p.calls, 1);
    EXPECT_EQ(r.bytes(), before);
  }
}

TEST(Simulation, AcceptTakesTheBestPointAndCountsIt) {
  trial t(PERP_FAILURE_ACCEPT);
  t.p.fails = [](int call) { return call % 2 == 1; };
  t.p.lambda = 0.25;
  run r(t.w);
  for (int k = 0; k < 10; k++) {
    const vec v = {r.v(0), r.v(1), r.v(2)};
    ASSERT_EQ(r.step(), PERP_OK);
    if (k % 2 == 0) continue;
    perp_problem problem = PERP_PROBLEM_INIT;
    const std::int32_t *rows = nullptr;
    ASSERT_EQ(perp_simulation_islands(r.sim), 1);
    ASSERT_EQ(perp_simulation_problem(r.sim, 0, &problem, &rows), PERP_OK);
    vec lambda(4, 0.0);  // contact i pushes bead i up and bead i - 1 down
    for (std::int32_t i = 0; i < problem.n; i++) lambda[at(rows[i])] = 0.25;
    for (std::int32_t i = 0; i < 3; i++) {
      EXPECT_EQ(r.lambda(i), lambda[at(i)]);
      EXPECT_NEAR(r.v(i), v[at(i)] - 9.81 / 1024 + lambda[at(i)] - lambda[at(i) + 1], 1e-14);
    }
    break;
  }
  EXPECT_EQ(r.report().accepted, 1);
  EXPECT_EQ(r.report().failures, 1);
  EXPECT_EQ(static_cast<double>(r.report().steps), 2);
  EXPECT_GT(r.report().residual, 1e-10);
}

// A ball of 2 kg that falls with 1 m/s on a floor of two rows, of which the solver gives each λ:
// the solution is 1, and ẏ is missed by λ − 1.
TEST(Simulation, AcceptRefusesAPointThatIsFarFromASolution) {
  struct guess {
    double lambda, tol;
    bool taken;
  };
  const guess guesses[] = {{1.001, 1e-2, true},  {1.05, 1e-2, false}, {0.999, 1e-2, true},
                           {0.95, 1e-2, false},  {0, 1e-2, false},    {1e3, 1e-2, false},
                           {1e100, 1e-2, false}, {1e3, kInf, true},   {1.001, 1e-6, false},
                           {1.001, 0, false},    {kNaN, kInf, false}};
  for (const guess &g : guesses) {
    SCOPED_TRACE(testing::Message() << g.lambda << " " << g.tol);
    world w;
    plan p;
    p.fails = [](int) { return true; };
    p.lambda = g.lambda;
    w.add(w.body(vec{2}).system);
    w.join(w.contact(2, 1, {1, 1}).relation, w.impact(0), {0});
    w.q0 = {0};
    w.v0 = {-1};
    w.options.solver = &flaky;
    w.options.solver_options = &p;
    w.options.on_failure = PERP_FAILURE_ACCEPT;
    w.options.accept_tol = g.tol;
    run r(w);
    const snapshot before = r.bytes();
    const perp_status status = r.step();
    EXPECT_EQ(status == PERP_OK, g.taken);
    EXPECT_EQ(r.report().accepted, g.taken ? 1 : 0);
    if (g.taken) continue;
    EXPECT_EQ(r.bytes(), before);
    EXPECT_STREQ(r.info.field, "one-step problem at interaction");
  }
}

TEST(Simulation, AcceptRefusesAPointThatIsNotFinite) {
  for (const double bad : {kNaN, kInf, -kInf}) {
    trial t(PERP_FAILURE_ACCEPT);
    t.p.fails = [](int) { return true; };
    t.p.lambda = bad;
    run r(t.w);
    const snapshot before = r.bytes();
    EXPECT_NE(r.step(), PERP_OK);
    EXPECT_EQ(r.bytes(), before);
    EXPECT_EQ(r.report().accepted, 0);
  }
}

TEST(Simulation, AcceptRefusesAMultiplierThatIsNotFiniteEvenIfNothingFeelsIt) {
  world w;
  plan p;
  p.fails = [](int) { return true; };
  p.lambda = kNaN;
  w.add(w.circuit(1).system);
  perp_linear_relation &r = w.port(2, 1, {1, 1});  // no B
  r.D = w.keep({1, 0, 0, 1});
  w.join(r.relation, w.complementarity(), {0});
  w.options.integrator = perp_integrator_theta();
  w.options.solver = &flaky;
  w.options.solver_options = &p;
  w.options.on_failure = PERP_FAILURE_ACCEPT;
  run blind(w);
  ASSERT_EQ(blind.status, PERP_OK);
  const snapshot before = blind.bytes();
  EXPECT_NE(blind.step(), PERP_OK);
  EXPECT_EQ(blind.bytes(), before);
}

// What a solver starts from after its wrong claim was accepted follows from the state, too: it is
// told n = 0, nothing known, here by the first number of its warm bytes.
std::vector<std::uint32_t> known_unknowns;

size_t claiming_warm(const perp_shape *) { return 64; }
perp_status claiming_solve(const perp_problem *problem, const void *, double *lambda, double *,
                           perp_warm *warm, void *, size_t, perp_info *) {
  known_unknowns.push_back(*static_cast<const std::uint32_t *>(warm->data));
  const vec claims(at(problem->n), 0.25);
  std::copy(claims.begin(), claims.end(), lambda);
  return PERP_OK;
}

TEST(Simulation, AcceptedPointsLeaveTheSameStartAfterAResume) {
  trial t(PERP_FAILURE_ACCEPT);
  perp_solver claiming = flaky;
  claiming.warm_bytes = claiming_warm;
  claiming.solve = claiming_solve;
  t.w.options.solver = &claiming;
  t.w.v0 = {-1, -2, -3};  // all stay closed
  run whole(t.w);
  ASSERT_EQ(whole.step(), PERP_OK);
  const snapshot after = whole.bytes();
  known_unknowns.clear();
  ASSERT_EQ(whole.step(), PERP_OK);
  const std::vector<std::uint32_t> expected = known_unknowns;
  run resumed(t.w.model, t.w.options, 0, after.data());
  known_unknowns.clear();
  ASSERT_EQ(resumed.step(), PERP_OK);
  EXPECT_EQ(known_unknowns, expected);
  EXPECT_EQ(resumed.bytes(), whole.bytes());
}

// A law that claims to have solved its own block is not believed either.
perp_status lying_local(const perp_law *, const void *, const double *, std::int32_t,
                        const double *, double *lambda) {
  lambda[0] = 1e3;
  return PERP_OK;
}

TEST(Simulation, AClaimOfALawIsVerified) {
  world w;
  wearing_law law;
  law.ops.local = lying_local;
  w.add(w.body(vec{2}).system);
  w.join(w.contact(1, 1, {1}).relation, &law.law, {0});
  w.v0 = {-3};
  run r(w);
  ASSERT_EQ(r.step(), PERP_OK);
  EXPECT_DOUBLE_EQ(r.v(), 1.5);
  EXPECT_DOUBLE_EQ(r.lambda(), 9);
}

// ---------------------------------------------------------------------------- callbacks ----

// A force of time that misbehaves while asked to.
struct moody {
  std::int32_t answer = 0;
  double value = 1;
  double from = 0;  // good before this time
};
std::int32_t moody_force(double t, double *f, void *user) {
  const moody *m = static_cast<moody *>(user);
  f[0] = t >= m->from ? m->value : 1;
  f[1] = 2;
  return t >= m->from ? m->answer : 0;
}

void make_forced(world &w, moody *mood, int order) {
  if (order == 2) {
    perp_lagrangian_linear &s = w.body(vec{1, 2});
    s.force = moody_force;
    s.user = mood;
    w.add(w.body(vec{1}).system);
    w.add(s.system);
    w.join(w.contact(1, 2, {-1, 0.5}).relation, w.impact(0.5), {1});
  } else {
    perp_first_order_linear &s = w.circuit(2);
    s.input = moody_force;
    s.user = mood;
    w.options.integrator = perp_integrator_theta();
    w.add(w.circuit(1).system);
    w.add(s.system);
  }
  w.options.h = 1.0 / 128;
}

TEST(Simulation, CallbacksThatFailLeaveTheStateAndMayRecover) {
  struct fault {
    std::int32_t answer;
    double value;
    perp_status status;
  };
  const fault faults[] = {{1, 1, PERP_RETRY},         {7, 1, PERP_RETRY},
                          {-1, 1, PERP_ECALLBACK},    {-5, 1, PERP_ECALLBACK},
                          {0, kNaN, PERP_ENOTFINITE}, {0, kInf, PERP_ENOTFINITE},
                          {0, -kInf, PERP_ENOTFINITE}};
  for (const int order : {1, 2})
    for (const std::int32_t policy : {PERP_FAILURE_STOP, PERP_FAILURE_RETRY, PERP_FAILURE_ACCEPT})
      for (const fault &f : faults)
        for (const int steps : {0, 1, 5}) {
          moody mood, calm;
          world w, u;
          make_forced(w, &mood, order);
          make_forced(u, &calm, order);
          w.options.on_failure = policy;
          run r(w), undisturbed(u);
          ASSERT_EQ(r.steps(steps), PERP_OK);
          ASSERT_EQ(undisturbed.steps(steps), PERP_OK);
          mood.answer = f.answer;
          mood.value = f.value;
          const snapshot before = r.bytes();
          for (int k = 0; k < 2; k++) {
            EXPECT_EQ(r.step(), f.status);
            EXPECT_STREQ(r.info.field, order == 1 ? "input" : "force");
            EXPECT_EQ(r.info.index, 1);
            if (f.status != PERP_ENOTFINITE) {
              EXPECT_EQ(r.info.value, f.answer);
            }
            EXPECT_EQ(r.bytes(), before);
          }
          mood = moody{};
          for (int k = 0; k < 5; k++) {
            ASSERT_EQ(r.step(), PERP_OK);
            ASSERT_EQ(undisturbed.step(), PERP_OK);
            ASSERT_EQ(r.bytes(), undisturbed.bytes());
          }
        }
}

struct too_fast {
  double last = 0;
};
std::int32_t wants_small_steps(double t, double *f, void *user) {
  too_fast *u = static_cast<too_fast *>(user);
  const bool jump = t > u->last + 1.0 / 400;
  if (!jump) u->last = t;
  f[0] = 1;
  return jump ? 1 : 0;
}

TEST(Simulation, ACallbackMayAskForSmallerSteps) {
  world w;
  too_fast u;
  perp_lagrangian_linear &s = w.body(vec{1});
  s.force = wants_small_steps;
  s.user = &u;
  w.add(s.system);
  w.options.h = 1.0 / 128;
  w.options.on_failure = PERP_FAILURE_RETRY;
  run r(w);
  for (int k = 1; k <= 10; k++) {
    ASSERT_EQ(r.step(), PERP_OK);
    EXPECT_EQ(r.time(), k / 128.0);
    EXPECT_DOUBLE_EQ(r.v(), k / 128.0);
  }
  EXPECT_EQ(static_cast<double>(r.report().steps), 40);  // 1/128 -> 1/256 -> 1/512
  EXPECT_EQ(r.report().retries, 20);
}

// ---------------------------------------------------------------------------- overflow ----

TEST(Simulation, OverflowIsNotFiniteAndLeavesTheState) {
  world w;
  perp_first_order_linear &s = w.circuit(1);
  s.A = perp_diagonal(1, w.keep({1e4}));
  w.add(w.circuit(2).system);
  w.add(s.system);
  w.x0 = {0, 0, 1};
  w.options.integrator = perp_integrator_theta();
  w.options.theta = 0;
  run r(w);
  perp_status status = PERP_OK;
  snapshot before;
  for (int k = 0; k < 1000 && status == PERP_OK; k++) {
    before = r.bytes();
    status = r.step();
  }
  EXPECT_EQ(status, PERP_ENOTFINITE);
  EXPECT_EQ(r.info.index, 2);
  EXPECT_FALSE(std::isfinite(r.info.value));
  EXPECT_EQ(r.bytes(), before);
}

TEST(Simulation, OverflowOfAVelocityLeavesTheState) {
  world w;
  perp_lagrangian_linear &s = w.body(vec{1});
  s.f = w.keep({1e308});
  w.add(s.system);
  w.options.h = 0.5;
  run r(w);
  ASSERT_EQ(r.steps(3), PERP_OK);
  const snapshot before = r.bytes();
  EXPECT_EQ(r.step(), PERP_ENOTFINITE);
  EXPECT_EQ(r.bytes(), before);
}

// A step that ends at rest does not make the next ones small.
TEST(Simulation, OverflowOfAVelocityThatWasZeroLeavesTheState) {
  world w;
  perp_lagrangian_linear &s = w.body(vec{1});
  s.f = w.keep({1e308});
  w.add(s.system);
  w.v0 = {-1e308};
  w.options.h = 1;
  run r(w);
  ASSERT_EQ(r.steps(2), PERP_OK);
  const snapshot before = r.bytes();
  EXPECT_EQ(r.step(), PERP_ENOTFINITE);
  EXPECT_EQ(r.bytes(), before);
}

TEST(Simulation, OverflowOfAPositionLeavesTheState) {
  world w;
  w.add(w.body(vec{1, 1}).system);
  w.q0 = {0, 1e308};
  w.v0 = {1, 1e307};
  w.options.h = 1;
  run r(w);
  perp_status status = PERP_OK;
  snapshot before;
  for (int k = 0; k < 100 && status == PERP_OK; k++) {
    before = r.bytes();
    status = r.step();
    ASSERT_TRUE(std::isfinite(r.q(0, 1)));
  }
  EXPECT_EQ(status, PERP_ENOTFINITE);
  EXPECT_EQ(r.bytes(), before);
}

TEST(Simulation, OverflowOfAPositionInALongStepLeavesTheState) {
  world w;
  w.add(w.body(vec{1}).system);
  w.v0 = {1e200};
  run r(w);
  ASSERT_EQ(r.steps(2), PERP_OK);
  const snapshot before = r.bytes();
  EXPECT_EQ(perp_simulation_advance(r.sim, 1e200, &r.info), PERP_ENOTFINITE);
  EXPECT_STREQ(r.info.field, "q");
  EXPECT_EQ(r.info.index, 0);
  EXPECT_EQ(r.bytes(), before);
}

// The velocity that carries the position away is the one before the impact.
TEST(Simulation, OverflowOfAPositionInAnImpactLeavesTheState) {
  world w;
  w.add(w.body(vec{1}).system);
  perp_lagrangian_linear_relation &c = w.contact(1, 1, {1});
  c.b = w.keep({1.7e308 + 1.2e306});
  w.join(c.relation, w.impact(0), {0});
  w.q0 = {-1.7e308};
  w.v0 = {-1e307};
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  ASSERT_EQ(perp_simulation_advance(r.sim, 0.1, nullptr), PERP_OK);
  ASSERT_EQ(r.lambda(), 0);
  const snapshot before = r.bytes();
  EXPECT_EQ(perp_simulation_advance(r.sim, 20, &r.info), PERP_ENOTFINITE);
  EXPECT_EQ(r.bytes(), before);
}

TEST(Simulation, ParametersThatAreNotFiniteLeaveTheState) {
  for (const int order : {1, 2})
    for (const double bad : {kNaN, kInf, -kInf}) {
      world w;
      double z[2] = {1, 2};
      if (order == 2) {
        w.add(w.body(vec{1}).system);
        perp_lagrangian_linear_relation &c = w.contact(1, 1, {1});
        c.F = w.keep({0, 1});
        c.z = z;
        c.n_z = 2;
        w.join(c.relation, w.impact(0), {0});
      } else {
        w.options.integrator = perp_integrator_theta();
        w.add(w.circuit(1).system);
        perp_linear_relation &c = w.port(1, 1, {1});
        c.D = w.keep({1});
        c.F = w.keep({0, 1});
        c.z = z;
        c.n_z = 2;
        w.join(c.relation, w.complementarity(), {0});
      }
      run r(w);
      ASSERT_EQ(r.steps(2), PERP_OK);
      const snapshot before = r.bytes();
      z[1] = bad;
      EXPECT_EQ(r.step(), PERP_ENOTFINITE) << order;
      EXPECT_STREQ(r.info.field, "z");
      EXPECT_EQ(r.info.index, 0);
      EXPECT_EQ(r.bytes(), before);
      z[1] = 2;
      EXPECT_EQ(r.step(), PERP_OK);
    }
}

// ------------------------------------------------------------------------------ accessors ----

TEST(Simulation, ViewsAreNullForWhatIsNotThere) {
  world w;
  w.add(w.body(vec{1, 2}).system);
  w.add(w.circuit(1).system);
  w.join(w.contact(1, 2, {1, 0}).relation, w.impact(0), {0});
  w.join(w.port(1, 1, {1}).relation, w.complementarity(), {1});
  w.q0 = {3, 4};
  w.v0 = {5, 6};
  w.x0 = {7};
  w.integrators = {perp_integrator_moreau_jean(), perp_integrator_theta()};
  w.options.integrators = w.integrators.data();
  run r(w);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  EXPECT_EQ(r.q(0, 1), 4);
  EXPECT_EQ(r.v(0, 0), 5);
  EXPECT_EQ(r.x(1, 0), 7);
  EXPECT_EQ(perp_simulation_x(r.sim, 0), nullptr);
  EXPECT_EQ(perp_simulation_q(r.sim, 1), nullptr);
  EXPECT_EQ(perp_simulation_v(r.sim, 1), nullptr);
  EXPECT_EQ(r.y(0), 3);
  EXPECT_EQ(r.y(1), 7);
  EXPECT_EQ(perp_simulation_ydot(r.sim, 0)[0], 5);
  EXPECT_EQ(perp_simulation_ydot(r.sim, 1), nullptr);
  for (const std::int32_t i : {-1, 2, INT32_MAX, INT32_MIN}) {
    EXPECT_EQ(perp_simulation_q(r.sim, i), nullptr);
    EXPECT_EQ(perp_simulation_v(r.sim, i), nullptr);
    EXPECT_EQ(perp_simulation_x(r.sim, i), nullptr);
    EXPECT_EQ(perp_simulation_y(r.sim, i), nullptr);
    EXPECT_EQ(perp_simulation_ydot(r.sim, i), nullptr);
    EXPECT_EQ(perp_simulation_lambda(r.sim, i), nullptr);
    double force = 999;
    EXPECT_EQ(perp_simulation_force(r.sim, i, &force), PERP_EINVAL);
    EXPECT_EQ(force, 999);
  }
}

TEST(Simulation, NullIsRefusedEverywhere) {
  world w;
  make_ball(w, 1, 9.81, 1, 0, 0);
  run r(w);
  double force = 999;
  perp_problem problem = PERP_PROBLEM_INIT;
  const std::int32_t *rows = nullptr;
  perp_report report = PERP_REPORT_INIT;
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(perp_simulation_step(nullptr, &info), PERP_EINVAL);
  EXPECT_STREQ(info.field, "sim");
  EXPECT_EQ(perp_simulation_step(nullptr, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_simulation_advance(nullptr, 1, &info), PERP_EINVAL);
  EXPECT_EQ(perp_simulation_time(nullptr), 0);
  EXPECT_EQ(perp_simulation_step_index(nullptr), 0);
  EXPECT_EQ(perp_simulation_q(nullptr, 0), nullptr);
  EXPECT_EQ(perp_simulation_v(nullptr, 0), nullptr);
  EXPECT_EQ(perp_simulation_x(nullptr, 0), nullptr);
  EXPECT_EQ(perp_simulation_y(nullptr, 0), nullptr);
  EXPECT_EQ(perp_simulation_ydot(nullptr, 0), nullptr);
  EXPECT_EQ(perp_simulation_lambda(nullptr, 0), nullptr);
  EXPECT_EQ(perp_simulation_force(nullptr, 0, &force), PERP_EINVAL);
  EXPECT_EQ(perp_simulation_force(r.sim, 0, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_simulation_islands(nullptr), 0);
  EXPECT_EQ(perp_simulation_problem(nullptr, 0, &problem, &rows), PERP_EINVAL);
  EXPECT_EQ(perp_simulation_problem(r.sim, 0, nullptr, &rows), PERP_EINVAL);
  EXPECT_EQ(perp_simulation_energy(nullptr, &force, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_simulation_energy(r.sim, nullptr, nullptr), PERP_OK);
  EXPECT_EQ(perp_simulation_report(nullptr, &report), PERP_EINVAL);
  EXPECT_EQ(perp_simulation_report(r.sim, nullptr), PERP_EINVAL);
  report.struct_size = 0;
  EXPECT_EQ(perp_simulation_report(r.sim, &report), PERP_EINVAL);
}

TEST(Simulation, AdvanceRefusesLengthsThatAreNone) {
  world w;
  make_ball(w, 1, 9.81, 1, 0, 0);
  run r(w);
  ASSERT_EQ(r.steps(100), PERP_OK);
  const snapshot before = r.bytes();
  for (const double h : {0.0, -1.0, -kInf, kInf, kNaN, 1e-300}) {
    EXPECT_EQ(perp_simulation_advance(r.sim, h, &r.info),
              std::isfinite(h) ? PERP_EINVAL : PERP_ENOTFINITE);
    EXPECT_STREQ(r.info.field, "h");
    EXPECT_EQ(r.bytes(), before);
  }
}

// A length for which W has no inverse stops nothing else.
TEST(Simulation, ASingularIterationMatrixLeavesTheState) {
  world w;
  perp_first_order_linear &s = w.circuit(1);
  s.A = perp_diagonal(1, w.keep({8}));
  w.add(s.system);
  w.x0 = {1};
  w.options.integrator = perp_integrator_theta();
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  ASSERT_EQ(r.step(), PERP_OK);
  const snapshot before = r.bytes();
  EXPECT_EQ(perp_simulation_advance(r.sim, 0.25, &r.info), PERP_EINVAL);  // 1 - 0.25 8 / 2 = 0
  EXPECT_STREQ(r.info.field, "W");
  EXPECT_EQ(r.info.index, 0);
  EXPECT_EQ(r.info.value, 0.25);
  EXPECT_EQ(r.bytes(), before);
  run other(w);
  ASSERT_EQ(other.step(), PERP_OK);
  ASSERT_EQ(other.step(), PERP_OK);
  ASSERT_EQ(r.step(), PERP_OK);
  EXPECT_EQ(r.bytes(), other.bytes());
}

}  // namespace
