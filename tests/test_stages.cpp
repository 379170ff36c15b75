// SPDX-License-Identifier: MIT
// The integrators for constant models: the same bits as those with all stages where they serve, and
// a refusal that names the field where they do not.
#include <gtest/gtest.h>
#include <perp/experimental.h>
#include <perp/heap.h>
#include <perp/newton_euler.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "pool_tools.hpp"

namespace {

using tools::kGravity;
using tools::pooled;
using tools::run;
using tools::vec;
using tools::world;

// Beads over a floor, one of them dense with friction against the floor, and a free one.
void make_mixed(world &w) {
  tools::make_column(w, {0.1, 0.2, 0.15}, 1, kGravity, 0.5);
  perp_lagrangian_linear &s = w.body(2);
  s.M = perp_dense(2, 2, w.keep({2, 0.3, 0.3, 1}));
  s.K = perp_dense(2, 2, w.keep({50, -7, -7, 40}));
  s.C = perp_diagonal(2, w.keep({0.1, 0.2}));
  s.f = w.keep({-2 * kGravity, 3});
  const std::int32_t i = w.add(s.system);
  w.q0.insert(w.q0.end(), {0.05, 0});
  w.v0.insert(w.v0.end(), {-1, 2});
  w.join(w.contact(2, 2, {1, 0, 0, 1}).relation, w.friction(2, 0.3, 0.4), {i});
  w.options.solver = perp_solver_nsgs();
}

void make_circuit(world &w) {
  perp_first_order_linear &s = w.circuit(2);
  s.A = perp_dense(2, 2, w.keep({0, -3, 2, -0.5}));
  w.add(s.system);
  perp_linear_relation &r = w.port(1, 2, {1, 0});
  r.B = w.keep({1, 0.5});
  r.D = w.keep({0.2});
  w.join(r.relation, w.complementarity(), {0});
  w.x0 = {1, -2};
}

void same_bits(world &all, world &constant) {
  run a(all), b(constant);
  ASSERT_EQ(a.status, PERP_OK) << a.info.field;
  ASSERT_EQ(b.status, PERP_OK) << b.info.field;
  for (int k = 0; k < 300; k++) {
    ASSERT_EQ(a.step(), PERP_OK);
    ASSERT_EQ(b.step(), PERP_OK);
    ASSERT_EQ(a.bytes(), b.bytes()) << k;
  }
  EXPECT_GT(a.report().active, 0u);
}

TEST(Stages, MoreauJeanForConstantModelsHasTheSameBits) {
  world all, constant;
  make_mixed(all);
  make_mixed(constant);
  constant.options.integrator = perp_integrator_moreau_jean_constant();
  same_bits(all, constant);
}

// Bodies on their own whose contacts act alone, for most of the time the same ones: three equal
// balls; blocks with friction in the plane and in space, one dense, under a force of time; one
// between two walls, which may touch both; one on two feet that are copies of one law.
struct shaking {
  double t_bad = -1, bad = 0;  // what the force is there
  static std::int32_t force(double t, double *f, void *user) {
    const auto *s = static_cast<const shaking *>(user);
    f[0] = -kGravity + 30 * std::sin(9 * t);
    f[1] = t == s->t_bad ? s->bad : 4 * std::cos(5 * t);
    return 0;
  }
};

void make_apart(world &w, shaking &shake) {
  perp_lagrangian_linear &ball = w.body(vec{2});
  ball.f = w.keep({-2 * kGravity});
  const perp_relation &floor = w.contact(1, 1, {1}).relation;
  const perp_law *bounce = w.impact(0.5);
  for (const double height : {0.02, 0.4, 1.0}) {
    w.join(floor, bounce, {w.add(ball.system)});
    w.q0.push_back(height);
    w.v0.push_back(0);
  }
  perp_lagrangian_linear &block = w.body(2);
  block.M = perp_dense(2, 2, w.keep({2, 0.3, 0.3, 1}));
  block.K = perp_dense(2, 2, w.keep({5, -0.7, -0.7, 4}));
  block.force = shaking::force;
  block.user = &shake;
  w.join(w.contact(2, 2, {1, 0, 0, 1}).relation, w.friction(2, 0.3, 0.4), {w.add(block.system)});
  perp_lagrangian_linear &stone = w.body(vec{1, 1, 1});
  stone.C = perp_diagonal(3, w.keep({0.1, 0.2, 0.3}));
  stone.f = w.keep({-kGravity, 0.5, -0.4});
  w.join(w.contact(3, 3, {1, 0, 0, 0, 1, 0, 0, 0, 1}).relation, w.friction(3, 0.4),
         {w.add(stone.system)});
  perp_lagrangian_linear &between = w.body(vec{1});
  between.f = w.keep({1});
  const std::int32_t i = w.add(between.system);
  perp_lagrangian_linear_relation &right = w.contact(1, 1, {-1});
  right.b = w.keep({0.2});
  w.join(floor, bounce, {i});
  w.join(right.relation, w.impact(0.9), {i});
  perp_lagrangian_linear &table = w.body(vec{1, 1});
  table.f = w.keep({-1, -2});
  w.join(w.contact(2, 2, {1, 0, 0, 1}).relation, bounce, {w.add(table.system)});
  w.q0.insert(w.q0.end(), {0.05, 0, 0.1, 0, 0, 0.1, 0.03, 0.07});
  w.v0.insert(w.v0.end(), {-1, 2, 0, 1, 2, 3, 0, 0});
  w.options.solver = perp_solver_nsgs();
  w.options.switchable = 1;
}

void expect_the_same(const run &a, const run &b) {
  ASSERT_EQ(a.bytes(), b.bytes());
  const perp_report one = a.report(), other = b.report();
  ASSERT_EQ(std::memcmp(&one, &other, sizeof one), 0);
  double work[2][2] = {};
  perp_simulation_work_done(a.sim, -1, &work[0][0], &work[0][1]);
  perp_simulation_work_done(b.sim, -1, &work[1][0], &work[1][1]);
  ASSERT_EQ(std::memcmp(work[0], work[1], sizeof work[0]), 0);
  ASSERT_EQ(std::memcmp(&a.info.relative_residual, &b.info.relative_residual, sizeof(double)), 0);
  ASSERT_EQ(a.info.worst, b.info.worst);
}

TEST(Stages, StepsInWhichTheSameContactsActHaveTheBitsOfAnyStep) {
  shaking shake;
  world all, constant;
  make_apart(all, shake);
  make_apart(constant, shake);
  constant.options.integrator = perp_integrator_moreau_jean_constant();
  run a(all), b(constant);
  ASSERT_EQ(a.status, PERP_OK) << a.info.field;
  ASSERT_EQ(b.status, PERP_OK) << b.info.field;
  std::mt19937 random(5);
  for (int k = 0; k < 3000; k++) {
    SCOPED_TRACE(k);
    const auto dice = static_cast<std::int32_t>(random() % 100);
    const double h = dice >= 98 ? 1e3 : dice % 2 == 0 ? 3e-3 : 1e-2;
    if (dice < 3)
      for (run *r : {&a, &b})
        perp_simulation_set_active(r->sim, dice, perp_simulation_is_active(r->sim, dice) == 0);
    shake.t_bad = dice == 50 || dice >= 98 ? a.time() + h : -1;
    shake.bad = dice == 50 ? NAN : 1e308;  // overflows v
    const perp_status status = dice < 90 ? a.step() : perp_simulation_advance(a.sim, h, &a.info);
    ASSERT_EQ(dice < 90 ? b.step() : perp_simulation_advance(b.sim, h, &b.info), status);
    ASSERT_EQ(std::string(a.info.field == nullptr ? "" : a.info.field),
              b.info.field == nullptr ? "" : b.info.field);
    expect_the_same(a, b);
  }
  EXPECT_GT(a.report().impacts, 100u);
}

// A law that gives up where the contact slides fast, and a body that jams between two walls unless
// the step is halved: what is told of a halved step is that of its last part.
TEST(Stages, AHalvedStepTellsTheIterationsOfItsLastPart) {
  static perp_law_ops ops;
  static const perp_law_ops *full;
  std::vector<std::int32_t> told;
  for (const bool lean : {false, true}) {
    world w;
    perp_lagrangian_linear &block = w.body(vec{1, 1}), &ball = w.body(vec{1});
    block.f = w.keep({-10, -50});
    ball.f = w.keep({400});
    perp_friction &law = w.frictions.emplace_back();
    perp_friction_init(&law, sizeof law);
    full = law.law.ops;
    ops = *full;
    ops.local_within = nullptr;
    ops.local = [](const perp_law *l, const void *s, const double *M, std::int32_t ld,
                   const double *q, double *lambda) -> perp_status {
      return q[1] > 0.6 ? PERP_INACCURATE : full->local(l, s, M, ld, q, lambda);
    };
    law.law.ops = &ops;
    law.law.size = 2;
    law.mu = 0.3;
    w.join(w.contact(2, 2, {1, 0, 0, 1}).relation, &law.law, {w.add(block.system)});
    const std::int32_t i = w.add(ball.system);
    w.join(w.contact(1, 1, {1}).relation, w.impact(1), {i});
    perp_lagrangian_linear_relation &up = w.contact(1, 1, {-1});
    up.b = w.keep({-0.1});
    w.join(up.relation, w.impact(0), {i});
    w.q0 = {0, 0, 0.004};
    w.v0 = {0, 1, -1};
    w.options.min_gap = -1;
    w.options.solver = perp_solver_nsgs();
    w.options.on_failure = PERP_FAILURE_RETRY;
    if (lean) w.options.integrator = perp_integrator_moreau_jean_constant();
    run r(w);
    EXPECT_EQ(r.step(), PERP_OK) << r.info.field;
    EXPECT_GT(r.report().retries, 0);
    told.push_back(r.info.iterations);
  }
  EXPECT_EQ(told[0], told[1]);
}

// A constant contact beside a body: its matrix overflows where it is made, not in the first step.
TEST(Stages, AConstantContactWhoseMatrixOverflowsIsRefusedInALiveModel) {
  world w;
  w.join(w.contact(1, 1, {1e200}).relation, w.impact(0), {w.add(w.body(vec{1}).system)});
  perp_body body;
  ASSERT_EQ(perp_body_init(&body, sizeof body), PERP_OK);
  w.add(body.system);
  w.q0 = {1, 0, 0, 0, 1, 0, 0, 0};
  run r(w);
  EXPECT_EQ(r.status, PERP_ENOTFINITE);
  EXPECT_STREQ(r.info.field, "H W^-1 B");
}

TEST(Stages, ThetaForConstantModelsHasTheSameBits) {
  world all, constant;
  make_circuit(all);
  make_circuit(constant);
  all.options.integrator = perp_integrator_theta();
  constant.options.integrator = perp_integrator_theta_constant();
  same_bits(all, constant);
}

TEST(Stages, OneIntegratorThatHasThemServesTheWholeModel) {
  world w;
  tools::make_column(w, {0.1, 0.2}, 1, kGravity, 0.5);
  w.options.projection = PERP_PROJECT_POSITIONS;
  w.options.solver = perp_solver_nsgs();
  w.integrators = {perp_integrator_moreau_jean_constant(), perp_integrator_moreau_jean()};
  w.options.integrators = w.integrators.data();
  run r(w);
  EXPECT_EQ(r.status, PERP_OK) << r.info.field;
  EXPECT_EQ(r.steps(100), PERP_OK);
}

// What init says, and of which field.
std::string refusal(world &w) {
  w.options.integrator = perp_integrator_moreau_jean_constant();
  const run r(w);
  EXPECT_EQ(r.state_bytes, 0u);
  EXPECT_EQ(r.work_bytes, 0u);
  EXPECT_EQ(r.status, PERP_EUNSUPPORTED);
  return r.info.field == nullptr ? "" : r.info.field;
}

TEST(Stages, VaryingSystemIsRefused) {
  world w;
  tools::make_ball(w, 1, kGravity, 1, 0, 0.5);
  w.bodies[0].control.n_u = 1;
  w.bodies[0].control.T = w.keep({1});
  w.bodies[0].control.u = [](double, const double *, const double *v, const double *, double *u,
                             void *) -> std::int32_t {
    u[0] = -v[0];
    return 0;
  };
  EXPECT_EQ(refusal(w), "system");
}

TEST(Stages, VaryingRelationIsRefused) {
  world w;
  w.body(vec{1});
  w.add(w.bodies[0].system);
  w.q0 = {1};
  perp_lagrangian_relation relation;
  ASSERT_EQ(perp_lagrangian_scleronomous_init(&relation, sizeof relation, 1, 1), PERP_OK);
  relation.h = [](double, const double *q, const double *, const double *, double *y,
                  void *) -> std::int32_t {
    y[0] = q[0];
    return 0;
  };
  w.join(relation.relation, w.impact(0.5), {0});
  EXPECT_EQ(refusal(w), "relation");
}

TEST(Stages, ProjectionIsRefused) {
  world w;
  tools::make_ball(w, 1, kGravity, 1, 0, 0.5);
  w.options.projection = PERP_PROJECT_POSITIONS;
  w.options.solver = perp_solver_nsgs();
  EXPECT_EQ(refusal(w), "projection");
}

TEST(Stages, PoolIsRefused) {
  pooled w(4);
  w.add(tools::grain(w, 1).system);
  w.q0 = {0, 0, 1};
  w.law(w.friction(3, 0.5));
  w.find = [](double, const perp_simulation *, std::vector<perp_pool_contact> &) { return 0; };
  EXPECT_EQ(refusal(w), "pool");
}

TEST(Stages, GlobalFormIsRefused) {
  world w;
  tools::make_ball(w, 1, kGravity, 1, 0, 0.5);
  w.options.formulation = PERP_FORMULATION_AUTO;
  w.options.global = perp_global_step();
  EXPECT_EQ(refusal(w), "formulation");
}

TEST(Stages, SparseOperatorIsRefused) {
  world w;
  perp_lagrangian_linear &s = w.body(vec{1, 2});
  w.joined.push_back({0, 1, 2});
  w.joined.push_back({0, 1});
  s.K = perp_compressed_rows(2, w.joined[0].data(), w.joined[1].data(), w.keep({5, 6}));
  w.add(s.system);
  w.q0 = {1, 1};
  w.options.sparse = perp_sparse_ldl();
  EXPECT_EQ(refusal(w), "K");
}

// Also beside a dense mass, with which it would be stored dense.
TEST(Stages, SparseOperatorOfADenseSystemIsRefused) {
  world w;
  perp_lagrangian_linear &s = w.body(vec{1, 2});
  w.joined.push_back({0, 1, 2});
  w.joined.push_back({0, 1});
  s.M = perp_dense(2, 2, w.keep({1, 0, 0, 2}));
  s.K = perp_compressed_rows(2, w.joined[0].data(), w.joined[1].data(), w.keep({5, 6}));
  w.add(s.system);
  w.q0 = {1, 1};
  EXPECT_EQ(refusal(w), "K");
}

TEST(Stages, RelationInCompressedRowsIsRefused) {
  world w;
  w.add(w.body(vec{1, 2}).system);
  w.q0 = {1, 1};
  w.joined.push_back({0, 1});
  w.joined.push_back({1});
  perp_lagrangian_linear_relation relation;
  ASSERT_EQ(perp_lagrangian_linear_relation_init(&relation, sizeof relation, 1, 2), PERP_OK);
  relation.H_rows = perp_compressed_rows(1, w.joined[0].data(), w.joined[1].data(), w.keep({1}));
  relation.H_rows.cols = 2;
  w.join(relation.relation, w.impact(0.5), {0});
  EXPECT_EQ(refusal(w), "H_rows");
}

TEST(Stages, SchemeOnPositionsWithoutThemIsRefused) {
  static perp_integrator lean = *perp_integrator_schatzman_paoli();
  lean.stages = nullptr;
  world w;
  tools::make_ball(w, 1, kGravity, 1, 0, 0.5);
  w.options.integrator = &lean;
  const run r(w);
  EXPECT_EQ(r.status, PERP_EUNSUPPORTED);
  EXPECT_STREQ(r.info.field, "integrator.stages");
}

// A scheme of the user's own has the stages that it asks for.
TEST(Stages, UsersIntegratorBringsThem) {
  static perp_integrator own = *perp_integrator_moreau_jean_constant();
  own.stages = perp_stages_all();
  world w;
  tools::make_ball(w, 1, kGravity, 1, 0, 0.5);
  w.options.projection = PERP_PROJECT_POSITIONS;
  w.options.solver = perp_solver_nsgs();
  w.options.integrator = &own;
  run r(w);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  EXPECT_EQ(r.steps(100), PERP_OK);
}

// The system for firmware moves as the other one, and refuses what it has no code for.
TEST(Stages, SystemWithoutControl) {
  world all, constant;
  for (world *w : {&all, &constant}) {
    perp_lagrangian_linear &s = w->body(2);
    if (w == &constant) {
      ASSERT_EQ(perp_lagrangian_linear_constant_init(&s, sizeof s, 2), PERP_OK);
    }
    s.M = perp_dense(2, 2, w->keep({2, 0.3, 0.3, 1}));
    s.K = perp_diagonal(2, w->keep({50, 40}));
    s.f = w->keep({-2 * kGravity, 3});
    const std::int32_t i = w->add(s.system);
    w->q0 = {0.05, 0};
    w->v0 = {-1, 2};
    w->join(w->contact(1, 2, {1, 0}).relation, w->impact(0.5), {i});
  }
  same_bits(all, constant);
  constant.bodies[0].control.n_u = 1;
  const run r(constant);
  EXPECT_EQ(r.status, PERP_EUNSUPPORTED);
  EXPECT_STREQ(r.info.field, "control.n_u");
}

// A plate on four feet that slides, stops and rocks: block rows, islands of one and of four.
void make_plate(world &w, perp_friction *small) {
  perp_lagrangian_linear &s = w.body(vec{2, 2, 2, 0.1, 0.1, 0.1});
  s.f = w.keep({3, 0, -2 * kGravity, 0, 0, 0});
  w.add(s.system);
  const perp_law *law = w.friction(3, 0.4, 0.2);
  if (small != nullptr) {
    EXPECT_EQ(perp_friction_small_init(small, sizeof *small), PERP_OK);
    small->mu = 0.4;
    small->e_n = 0.2;
    law = &small->law;
  }
  for (const double x : {-0.3, 0.3})
    for (const double y : {-0.2, 0.2}) {
      // velocities n, t1, t2 of the foot (x, y, -0.1) under v and small rotations
      const vec H = {0, 1, 0, 0, 0, 1, 1, 0, 0, y, 0, 0.1, -x, -0.1, 0, 0, -y, x};
      w.join(w.contact(3, 6, H).relation, law, {0});
    }
  w.q0 = {0, 0, 0.02, 0.01, 0.02, 0};
  w.v0 = {1, 0.5, -0.3, 0, 0, 0};
}

TEST(Stages, SmallSolverAndLawDoWhatTheLargeOnesDo) {
  world large, small;
  perp_friction law;
  make_plate(large, nullptr);
  make_plate(small, &law);
  perp_solver_options o = {sizeof o, 0, 1e-11, nullptr, nullptr, 0};
  large.options.solver = perp_solver_nsgs();
  large.options.solver_options = &o;
  small.options.solver = perp_solver_nsgs_small();
  small.options.solver_options = &o;
  small.options.integrator = perp_integrator_moreau_jean_constant();
  run a(large), b(small);
  ASSERT_EQ(a.status, PERP_OK) << a.info.field;
  ASSERT_EQ(b.status, PERP_OK) << b.info.field;
  for (int k = 0; k < 150; k++) {
    ASSERT_EQ(a.step(), PERP_OK);
    ASSERT_EQ(b.step(), PERP_OK) << k;
    for (std::size_t i = 0; i < 6; i++) {
      EXPECT_NEAR(a.q(0, i), b.q(0, i), 1e-7) << k;
      EXPECT_NEAR(a.v(0, i), b.v(0, i), 1e-7) << k;
    }
  }
  EXPECT_GT(b.report().impacts, 0u);
}

}  // namespace
