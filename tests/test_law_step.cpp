// SPDX-License-Identifier: MIT
// What a law may do in a step beyond its set: compliance, known impulses, maps that know the step,
// acting across a gap, state. Laws of the test's own, judged from the equations of the step.
#include <gtest/gtest.h>
#include <perp/perp.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "model_tools.hpp"

namespace {

using tools::run;
using tools::vec;
using tools::world;

// A unilateral law of the test's own: Newton impact's set with whatever operations are added.
struct own {
  perp_law law{};
  perp_law_ops ops{};
  double d = 0;      // compliance
  double s = 0;      // known impulse
  double shift = 0;  // added to q
  int answer = 0;    // of restitute_step
  int acts = 0;
};

const own &of(const perp_law *law) { return *reinterpret_cast<const own *>(law); }

void project(const perp_law *law, const void *, const double *x, double *p) {
  for (int i = 0; i < law->size; i++) p[i] = x[i] < 0 ? 0 : x[i];
}
void compliance(const perp_law *law, double h, double *D) {
  for (int i = 0; i < law->size; i++) D[i * (law->size + 1)] += of(law).d / h;
}
void preload(const perp_law *law, const void *, const perp_law_step *, double *s) {
  for (int i = 0; i < law->size; i++) s[i] = of(law).s * (i + 1);
}
std::int32_t restitute_step(const perp_law *law, const void *, const perp_law_step *at, double *q) {
  for (int i = 0; i < law->size; i++) q[i] += of(law).shift * at->y[i] / at->h + 0.5 * at->ydot[i];
  return of(law).answer;
}
std::int32_t acts(const perp_law *law, const void *) { return of(law).acts; }

void init(own &l, int size = 1) {
  l.ops.struct_size = sizeof l.ops;
  l.ops.set = PERP_SET_ORTHANT;
  l.ops.unilateral = 1;
  l.ops.name = "own";
  l.ops.project = project;
  l.law = {&l.ops, sizeof l, size};
}

// A mass that meets a contact with a law of one's own.
struct struck : world {
  own law;
  struck(double mass, double q, double v) {
    init(law);
    add(body(vec{mass}).system);
    join(contact(1, 1, {1}).relation, &law.law, {0});
    q0 = {q};
    v0 = {v};
  }
};

TEST(LawStep, ComplianceJoinsTheProblemButNotTheVelocity) {
  struck w(2, 0, -3);
  w.law.ops.compliance = compliance;
  w.law.d = 0.02;
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  ASSERT_EQ(r.step(), PERP_OK);
  // v = -3 + λ/2 and 0 = v + (d/h) λ
  const double d = w.law.d / w.options.h, lambda = 3 / (0.5 + d);
  EXPECT_NEAR(r.lambda(), lambda, 1e-12);
  EXPECT_NEAR(r.v(), -3 + lambda / 2, 1e-12);
  EXPECT_NEAR(perp_simulation_ydot(r.sim, 0)[0], r.v(), 1e-15);
}

TEST(LawStep, ComplianceFollowsTheLengthOfTheStep) {
  struck w(2, 0, -3);
  w.law.ops.compliance = compliance;
  w.law.d = 0.02;
  run r(w);
  ASSERT_EQ(perp_simulation_advance(r.sim, 1e-3, &r.info), PERP_OK);
  EXPECT_NEAR(r.lambda(), 3 / (0.5 + w.law.d / 1e-3), 1e-12);
}

// Two bodies, three copies of a law of two rows each on them, with a full D: copies 0 and 2 touch,
// so that D joins segments with a gap between them.
TEST(LawStep, KnownImpulseActsThroughTheWholeMatrix) {
  world w;
  own law;
  init(law, 2);
  law.ops.preload = preload;
  law.s = -0.3;
  w.add(w.body(vec{1, 2, 3, 4, 5, 6}).system);
  perp_lagrangian_linear_relation &r0 = w.contact(6, 6, vec(36, 0.0));
  vec H(36, 0.0), D(36, 0.0), b(6, 0.0);
  for (std::size_t i = 0; i < 6; i++)
    for (std::size_t j = 0; j < 6; j++) {
      H[i + 6 * j] = (i == j ? 1 : 0) + 0.1 * std::cos(double(3 * i + 5 * j));
      D[i + 6 * j] = (i == j ? 0.5 : 0) + 0.05 * std::sin(double(i + 2 * j));
    }
  b[2] = 10;  // the second copy is open
  r0.H = w.keep(H);
  r0.D = w.keep(D);
  r0.b = w.keep(b);
  w.join(r0.relation, &law.law, {0});
  w.q0 = vec(6, 0.0);
  w.v0 = {-1, -0.5, 2, 0.3, -2, 0.1};
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  ASSERT_EQ(r.step(), PERP_OK);
  const double s[2] = {-0.3, -0.6};
  vec lambda(6), v(6);
  for (std::size_t i = 0; i < 6; i++) lambda[i] = r.lambda(0, i), v[i] = r.v(0, i);
  EXPECT_EQ(lambda[2], 0);
  EXPECT_EQ(lambda[3], 0);
  for (std::size_t i = 0; i < 6; i++) {  // M (v - v_0) = Hᵀλ, the whole impulse
    double impulse = 0;
    for (std::size_t k = 0; k < 6; k++) impulse += H[k + 6 * i] * lambda[k];
    EXPECT_NEAR(double(i + 1) * (v[i] - w.v0[i]), impulse, 1e-10) << i;
  }
  for (std::size_t i = 0; i < 6; i++) {  // 0 <= H v + D λ ⟂ λ - s >= 0
    if (i == 2 || i == 3) continue;
    double y = 0, rest = lambda[i] - s[i % 2];
    for (std::size_t j = 0; j < 6; j++) y += H[i + 6 * j] * v[j] + D[i + 6 * j] * lambda[j];
    EXPECT_NEAR(std::min(y, rest), 0, 1e-9) << i;
    EXPECT_NEAR(perp_simulation_ydot(r.sim, 0)[i], y, 1e-10) << i;
  }
}

TEST(LawStep, KnownImpulseHoldsARowOfBodies) {
  world w;  // interactions of one row, along which segments run
  own law;
  init(law);
  law.ops.preload = preload;
  law.ops.acts = acts;
  law.acts = 1;
  law.s = -0.25;
  const perp_system &body = w.body(vec{2}).system;
  perp_lagrangian_linear_relation &floor = w.contact(1, 1, {1});
  floor.D = w.keep({0.5});
  floor.b = w.keep({1});
  for (int i = 0; i < 5; i++) {
    w.add(body);
    w.join(floor.relation, &law.law, {i});
    w.v0.push_back(i - 2.0);
    w.q0.push_back(0);
  }
  run r(w);
  ASSERT_EQ(r.step(), PERP_OK);
  for (int i = 0; i < 5; i++) {
    const double v0 = i - 2.0, lambda = r.lambda(i), v = r.v(i);
    EXPECT_NEAR(2 * (v - v0), lambda, 1e-12);
    EXPECT_NEAR(std::min(v + 0.5 * lambda, lambda + 0.25), 0, 1e-10);
  }
}

TEST(LawStep, MapKnowsGapAndLengthOfTheStep) {
  struck w(1, 0.004, -2);
  w.law.ops.restitute_step = restitute_step;
  w.law.shift = 1;
  run r(w);
  ASSERT_EQ(r.step(), PERP_OK);
  EXPECT_NEAR(r.v(), -0.004 / w.options.h + 0.5 * 2, 1e-12);
}

TEST(LawStep, MapMayRefuseAndTheStateStays) {
  struck w(1, 0, -2);
  w.law.ops.restitute_step = restitute_step;
  run r(w);
  const auto before = r.bytes();
  w.law.answer = -1;
  EXPECT_EQ(r.step(), PERP_ECALLBACK);
  EXPECT_STREQ(r.info.field, "law");
  EXPECT_EQ(r.bytes(), before);
  w.law.answer = 1;
  EXPECT_EQ(r.step(), PERP_RETRY);
  EXPECT_EQ(r.bytes(), before);
  w.law.answer = 0;
  w.law.shift = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(r.step(), PERP_ENOTFINITE);
  EXPECT_EQ(r.bytes(), before);
}

TEST(LawStep, ActsAcrossAnOpenGapWhileTheLawSaysSo) {
  world w;
  own law;
  init(law);
  law.ops.acts = acts;
  w.add(w.body(vec{1}).system);
  w.join(w.contact(1, 1, {1}).relation, &law.law, {0});
  w.q0 = {1};
  w.v0 = {-2};
  run r(w);
  ASSERT_EQ(r.step(), PERP_OK);
  EXPECT_EQ(r.lambda(), 0);
  law.acts = 1;
  ASSERT_EQ(r.step(), PERP_OK);
  EXPECT_NEAR(r.lambda(), 2, 1e-12);
  law.acts = 0;
  ASSERT_EQ(r.step(), PERP_OK);
  EXPECT_EQ(r.lambda(), 0);
}

struct history {
  double t, h, y, ydot, lambda;
};

TEST(LawStep, CommitKnowsTheEndOfTheStep) {
  world w;
  own law;
  init(law);
  law.ops.state_bytes = [](const perp_law *) { return sizeof(history); };
  law.ops.state_init = [](const perp_law *, void *s) { std::memset(s, 0, sizeof(history)); };
  law.ops.commit = [](const perp_law *, void *s, const double *, const double *) {
    std::memset(s, 0x55, sizeof(history));
  };
  static history last;
  law.ops.commit_step = [](const perp_law *, void *s, const perp_law_step *at) {
    last = {at->t, at->h, *at->y, *at->ydot, *at->lambda};
    std::memcpy(s, &last, sizeof last);
  };
  w.add(w.body(vec{4}).system);
  w.join(w.contact(1, 1, {1}).relation, &law.law, {0});
  w.q0 = {1e-3};
  w.v0 = {-2};
  run r(w);
  ASSERT_EQ(r.step(), PERP_OK);
  EXPECT_EQ(last.t, 0.01);
  EXPECT_EQ(last.h, 0.01);
  EXPECT_EQ(last.y, r.y());
  EXPECT_NEAR(last.ydot, 0, 1e-12);
  EXPECT_NEAR(last.lambda, 8, 1e-12);
}

TEST(LawStep, ResumedRunHasTheBitsOfTheWhole) {
  world w;
  own law;
  init(law);
  law.ops.preload = preload;
  law.s = -0.125;
  perp_lagrangian_linear &body = w.body(vec{1.7});
  body.f = w.keep({0.3});
  w.add(body.system);
  w.add(body.system);
  w.join(w.contact(1, 2, {1, 0}).relation, &law.law, {0, 1});
  w.join(w.contact(1, 2, {-1, 1}).relation, &law.law, {0, 1});
  w.q0 = {0, 0};
  w.v0 = {-1, -0.3};
  w.options.solver = perp_solver_pgs();
  run whole(w), first(w);
  ASSERT_EQ(whole.steps(20), PERP_OK);
  ASSERT_EQ(first.steps(7), PERP_OK);
  run second(*w.finish(), w.options, 0, first.state.data());
  ASSERT_EQ(second.status, PERP_OK);
  ASSERT_EQ(second.steps(13), PERP_OK);
  EXPECT_EQ(second.bytes(), whole.bytes());
}

TEST(LawStep, SuchLawsAreForVelocitiesOnly) {
  world w;
  own law;
  init(law);
  law.ops.compliance = compliance;
  w.add(w.circuit(1).system);
  w.join(w.port(1, 1, {1}).relation, &law.law, {0});
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(perp_model_check(w.finish(), &info), PERP_EUNSUPPORTED);
  EXPECT_STREQ(info.field, "law");
  law.ops.compliance = nullptr;
  law.ops.preload = preload;
  EXPECT_EQ(perp_model_check(w.finish(), &info), PERP_EUNSUPPORTED);
  law.ops.preload = nullptr;
  law.ops.restitute_step = restitute_step;
  EXPECT_EQ(perp_model_check(w.finish(), &info), PERP_EUNSUPPORTED);
  law.ops.restitute_step = nullptr;
  EXPECT_EQ(perp_model_check(w.finish(), &info), PERP_OK);
  law.ops.acts = acts;
  EXPECT_EQ(perp_law_check(&law.law, &info), PERP_OK);
  law.ops.unilateral = 0;
  EXPECT_EQ(perp_law_check(&law.law, &info), PERP_EINVAL);
  EXPECT_STREQ(info.field, "acts");
}

}  // namespace
