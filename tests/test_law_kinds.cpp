// SPDX-License-Identifier: MIT
// Mixed, compliant, Frémond, cohesive and the user's impact law: data, and what bodies do under
// them, judged from the definition or against solutions in closed form.
#include <gtest/gtest.h>
#include <perp/perp.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "model_tools.hpp"

namespace {

using tools::run;
using tools::vec;
using tools::world;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

template <class Law>
Law make(perp_status (*init)(Law *, std::size_t)) {
  Law law;
  std::memset(&law, 0x5A, sizeof law);
  EXPECT_EQ(init(nullptr, sizeof law), PERP_EINVAL);
  EXPECT_EQ(init(&law, sizeof law - 1), PERP_EINVAL);
  EXPECT_EQ(init(&law, sizeof law), PERP_OK);
  return law;
}

// Every wrong value of a field is refused by name.
void refuse(const perp_law &law, const char *name, double &field, const vec &wrong) {
  const double right = field;
  perp_info info = PERP_INFO_INIT;
  for (const double x : {kNaN, kInf, -kInf}) {
    field = x;
    EXPECT_EQ(perp_law_check(&law, &info), PERP_ENOTFINITE) << name;
    EXPECT_STREQ(info.field, name);
  }
  for (const double x : wrong) {
    field = x;
    EXPECT_EQ(perp_law_check(&law, &info), PERP_EINVAL) << name << " " << x;
    EXPECT_STREQ(info.field, name);
    EXPECT_EQ(info.value, x);
  }
  field = right;
  EXPECT_EQ(perp_law_check(&law, &info), PERP_OK) << name << " " << info.field;
}

// ---- mixed ----

TEST(Mixed, DataAreChecked) {
  perp_mixed law = make(perp_mixed_init);
  EXPECT_EQ(perp_law_check(&law.law, nullptr), PERP_OK);
  perp_info info = PERP_INFO_INIT;
  for (const std::int32_t k : {-1, 2}) {
    law.equalities = k;
    EXPECT_EQ(perp_law_check(&law.law, &info), PERP_EINVAL);
    EXPECT_STREQ(info.field, "equalities");
  }
  law.law.size = 2;
  EXPECT_EQ(perp_law_check(&law.law, &info), PERP_OK);
  law.law.struct_size -= 1;
  EXPECT_EQ(perp_law_check(&law.law, &info), PERP_EINVAL);
  EXPECT_STREQ(info.field, "struct_size");
}

TEST(Mixed, ProjectionAndJacobianAreThoseOfItsSet) {
  perp_mixed law = make(perp_mixed_init);
  law.law.size = 4;
  law.equalities = 2;
  const double x[4] = {-1, 2, -3, 4};
  double p[4] = {999, 999, 999, 999}, J[16];
  for (double &j : J) j = 999;
  law.law.ops->project(&law.law, nullptr, x, p);
  law.law.ops->jacobian(&law.law, nullptr, x, J);
  const double want[4] = {-1, 2, 0, 4}, diagonal[4] = {1, 1, 0, 1};
  for (int i = 0; i < 4; i++) {
    EXPECT_EQ(p[i], want[i]);
    for (int j = 0; j < 4; j++) EXPECT_EQ(J[i + 4 * j], i == j ? diagonal[i] : 0);
  }
  const double bad[4] = {kNaN, 0, kNaN, 1};
  law.law.ops->project(&law.law, nullptr, bad, p);
  EXPECT_TRUE(std::isnan(p[0]) && std::isnan(p[2]));
}

TEST(Mixed, RandomProblemsAreSolved) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 50; trial++) {
    perp_mixed law = make(perp_mixed_init);
    law.law.size = 3;
    law.equalities = trial % 4;
    constexpr int n = 6;  // two copies
    vec A(n * n), M(n * n, 0.0), q(n);
    for (double &a : A) a = normal(random);
    for (double &b : q) b = normal(random);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        for (int k = 0; k < n; k++)
          M[tools::at(i + n * j)] += A[tools::at(k + n * i)] * A[tools::at(k + n * j)];
        M[tools::at(i + n * j)] += (i == j ? 0.5 : 0) + (i < j ? 1 : -1) * 0.2;
      }
    const perp_law *laws[] = {&law.law};
    const std::int32_t offset[] = {0, n};
    const perp_problem problem =
        perp_problem_of(perp_dense(n, n, M.data()), q.data(), 1, laws, offset);
    vec lambda(n, 0.0), y(n, 999);
    const perp_solver *solver = perp_solver_box_pivoting();
    vec work(perp_solver_workspace(solver, &problem, nullptr) / 8 + 1);
    ASSERT_EQ(perp_solver_solve(solver, &problem, nullptr, lambda.data(), y.data(), nullptr,
                                work.data(), 8 * work.size(), nullptr),
              PERP_OK);
    for (int i = 0; i < n; i++) {
      double sum = q[tools::at(i)];
      for (int j = 0; j < n; j++) sum += M[tools::at(i + n * j)] * lambda[tools::at(j)];
      if (i % 3 < law.equalities)
        EXPECT_NEAR(sum, 0, 1e-7);
      else
        EXPECT_NEAR(std::min(sum, lambda[tools::at(i)]), 0, 1e-7);
    }
  }
}

// ẋ = a + λ: x_0 is held at 0 from both sides, x_1 only from below.
TEST(Mixed, HoldsOneStateAndBoundsAnother) {
  for (const double a1 : {-2.0, 3.0}) {
    world w;
    perp_first_order_linear &s = w.circuit(2);
    s.b = w.keep({-5, a1});
    w.add(s.system);
    perp_linear_relation &r = w.port(2, 2, {1, 0, 0, 1});
    r.B = w.keep({1, 0, 0, 1});
    perp_mixed law = make(perp_mixed_init);
    law.law.size = 2;
    law.equalities = 1;
    w.join(r.relation, &law.law, {0});
    w.options.integrator = perp_integrator_theta();
    w.options.solver = perp_solver_box_pivoting();
    run sim(w);
    ASSERT_EQ(sim.steps(100), PERP_OK);
    EXPECT_NEAR(sim.x(0, 0), 0, 1e-12);
    EXPECT_NEAR(sim.lambda(0, 0), 5, 1e-9);
    EXPECT_NEAR(sim.x(0, 1), a1 > 0 ? 3 : 0, 1e-9);
    EXPECT_NEAR(sim.lambda(0, 1), a1 > 0 ? 0 : 2, 1e-9);
  }
}

// ---- compliant ----

TEST(Compliant, DataAreChecked) {
  perp_compliant law = make(perp_compliant_init);
  EXPECT_EQ(law.theta, 0.5);
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(perp_law_check(&law.law, &info), PERP_EINVAL);  // neither spring nor damper
  EXPECT_STREQ(info.field, "k");
  law.k = 10;
  refuse(law.law, "k", law.k, {-1});
  refuse(law.law, "c", law.c, {-1});
  refuse(law.law, "theta", law.theta, {0, -0.5, 1.5});
  law.law.struct_size -= 1;
  EXPECT_EQ(perp_law_check(&law.law, &info), PERP_EINVAL);
}

// Mass m meets a spring k and a damper c at speed u under weight: m ÿ = −k y − c ẏ − m g from
// y = 0, until the force on it would pull.
struct oscillator {
  double m, k, c, g, u;
  double w0() const { return std::sqrt(k / m); }
  double delta() const { return c / (2 * m); }
  double wd() const { return std::sqrt(w0() * w0() - delta() * delta()); }
  double rest() const { return -m * g / k; }
  double y(double t) const {
    const double A = -rest(), B = (-u + delta() * A) / wd();
    return rest() + std::exp(-delta() * t) * (A * std::cos(wd() * t) + B * std::sin(wd() * t));
  }
  double v(double t) const {
    const double A = -rest(), B = (-u + delta() * A) / wd();
    return std::exp(-delta() * t) * ((B * wd() - delta() * A) * std::cos(wd() * t) -
                                     (A * wd() + delta() * B) * std::sin(wd() * t));
  }
  double force(double t) const { return -k * y(t) - c * v(t); }
};

void put_on_spring(world &w, perp_compliant &law, const oscillator &o, double h) {
  law = make(perp_compliant_init);
  law.k = o.k;
  law.c = o.c;
  perp_lagrangian_linear &s = w.body(vec{o.m});
  s.f = w.keep({-o.m * o.g});
  w.add(s.system);
  w.join(w.contact(1, 1, {1}).relation, &law.law, {0});
  w.q0 = {0};
  w.v0 = {-o.u};
  w.options.h = h;
}

TEST(Compliant, FollowsTheDampedOscillatorWithSecondOrder) {
  const oscillator o = {2, 800, 8, 9.81, 3};
  double error[3];
  for (int level = 0; level < 3; level++) {
    world w;
    perp_compliant law;
    const double h = 1e-3 / (1 << level);
    put_on_spring(w, law, o, h);
    run r(w);
    ASSERT_EQ(r.status, PERP_OK);
    error[level] = 0;
    const int steps = static_cast<int>(std::lround(0.12 / h));
    for (int k = 1; k <= steps; k++) {
      ASSERT_EQ(r.step(), PERP_OK);
      const double t = k * h;
      ASSERT_GT(o.force(t), 0);
      error[level] = std::max(error[level], std::fabs(r.q() - o.y(t)) * o.w0());
      error[level] = std::max(error[level], std::fabs(r.v() - o.v(t)));
      EXPECT_NEAR(r.lambda() / h, o.force(t - h / 2), 100 * h * o.force(t)) << t;
    }
  }
  EXPECT_LT(error[0], 1e-3);
  EXPECT_NEAR(error[0] / error[1], 4, 0.3);
  EXPECT_NEAR(error[1] / error[2], 4, 0.3);
}

TEST(Compliant, ReleasesWithoutPullingAndBouncesElasticallyWithoutDamper) {
  const oscillator o = {2, 5000, 0, 0, 3};
  world w;
  perp_compliant law;
  put_on_spring(w, law, o, 1e-4);
  run r(w);
  for (int k = 0; k < 2000; k++) {
    ASSERT_EQ(r.step(), PERP_OK);
    EXPECT_GE(r.lambda(), 0);
  }
  EXPECT_NEAR(r.v(), 3, 3e-3);
  EXPECT_EQ(r.lambda(), 0);
  // With a damper the force ends before the gap opens; it never pulls either.
  const oscillator damped = {2, 5000, 60, 0, 3};
  world w2;
  put_on_spring(w2, law, damped, 1e-4);
  run s(w2);
  double released = 0;
  for (int k = 0; k < 2000; k++) {
    ASSERT_EQ(s.step(), PERP_OK);
    EXPECT_GE(s.lambda(), 0);
    if (released == 0 && s.lambda() == 0) released = s.time();
  }
  double end = 1e-3;
  while (damped.force(end) > 0) end += 1e-6;
  EXPECT_NEAR(released, end, 2e-4);
  EXPECT_NEAR(s.v(), damped.v(end), 5e-3);
}

TEST(Compliant, StackRestsOnItsSprings) {
  world w;
  perp_compliant law = make(perp_compliant_init);
  law.k = 1e4;
  law.c = 200;
  law.theta = 1;
  perp_lagrangian_linear &s = w.body(vec{1.5});
  s.f = w.keep({-1.5 * 9.81});
  for (int i = 0; i < 3; i++) w.add(s.system);
  w.join(w.contact(1, 1, {1}).relation, &law.law, {0});
  const perp_relation &pair = w.contact(1, 2, {-1, 1}).relation;
  w.join(pair, &law.law, {0, 1});
  w.join(pair, &law.law, {1, 2});
  w.q0 = {0, 0, 0};
  w.options.h = 1e-3;
  w.options.theta = 1;
  run r(w);
  ASSERT_EQ(r.steps(5000), PERP_OK);
  for (int i = 0; i < 3; i++) {
    EXPECT_NEAR(r.y(i), -(3 - i) * 1.5 * 9.81 / 1e4, 1e-8);
    EXPECT_NEAR(r.lambda(i) / 1e-3, (3 - i) * 1.5 * 9.81, 1e-4);
  }
}

TEST(Compliant, VeryStiffIsRigidWithThetaOne) {
  world w;
  perp_compliant law = make(perp_compliant_init);
  law.k = 1e15;
  law.theta = 1;
  tools::make_ball(w, 1, 9.81, 0, -4, 0);
  w.interactions[0].law = &law.law;
  run r(w);
  ASSERT_EQ(r.step(), PERP_OK);
  EXPECT_NEAR(r.v(), 0, 1e-9);
  EXPECT_NEAR(r.lambda(), 4 + 9.81 * 0.01, 1e-9);
}

// ---- Frémond ----

TEST(Fremond, DataAreChecked) {
  perp_fremond law = make(perp_fremond_init);
  EXPECT_EQ(perp_law_check(&law.friction.law, nullptr), PERP_OK);
  refuse(law.friction.law, "mu", law.friction.mu, {-1});
  refuse(law.friction.law, "e_n", law.friction.e_n, {-0.1, 1.1});
  refuse(law.friction.law, "e_t", law.friction.e_t, {-0.1, 0.1});
  perp_info info = PERP_INFO_INIT;
  law.friction.law.size = 4;
  EXPECT_EQ(perp_law_check(&law.friction.law, &info), PERP_EINVAL);
}

// Energy after minus before of a random impact of a random body, and the law from its definition.
double impact_gain(std::mt19937 &random, const perp_law *law, const perp_friction &f, int tangents,
                   bool fremond) {
  std::normal_distribution<double> normal;
  const int n = 4, m = 1 + tangents;
  world w;
  vec A(16), M(16, 0.0), H(tools::at(m * n));
  for (double &a : A) a = normal(random);
  for (double &a : H) a = normal(random);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < n; k++)
        M[tools::at(i + n * j)] += A[tools::at(k + n * i)] * A[tools::at(k + n * j)];
      if (i == j) M[tools::at(i + n * j)] += 0.3;
    }
  perp_lagrangian_linear &s = w.body(n);
  s.M = perp_dense(n, n, w.keep(M));
  w.add(s.system);
  w.join(w.contact(m, n, H).relation, law, {0});
  w.q0 = vec(4, 0.0);
  for (int i = 0; i < n; i++) w.v0.push_back(normal(random));
  double gap_rate = 0;
  for (int i = 0; i < n; i++) gap_rate += H[tools::at(m * i)] * w.v0[tools::at(i)];
  if (gap_rate > 0)
    for (double &v : w.v0) v = -v;
  w.options.solver = perp_solver_nsgs();
  run r(w);
  EXPECT_EQ(r.step(), PERP_OK);
  vec before(tools::at(m), 0.0), after(tools::at(m), 0.0);
  double energy = 0;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < m; k++) {
      before[tools::at(k)] += H[tools::at(k + m * i)] * w.v0[tools::at(i)];
      after[tools::at(k)] += H[tools::at(k + m * i)] * r.v(0, tools::at(i));
    }
    for (int j = 0; j < n; j++)
      energy +=
          0.5 * M[tools::at(i + n * j)] *
          (r.v(0, tools::at(i)) * r.v(0, tools::at(j)) - w.v0[tools::at(i)] * w.v0[tools::at(j)]);
  }
  const double e_t = fremond ? 1 : f.e_t;
  const double normal_part = after[0] + f.e_n * before[0], push = r.lambda(0, 0);
  EXPECT_NEAR(std::min(normal_part, push), 0, 1e-6);
  double slip = 0, drag = 0, along = 0;
  for (int k = 1; k < m; k++) {
    const double u = after[tools::at(k)] + e_t * before[tools::at(k)],
                 p = r.lambda(0, tools::at(k));
    slip += u * u, drag += p * p, along += u * p;
  }
  slip = std::sqrt(slip), drag = std::sqrt(drag);
  EXPECT_LE(drag, f.mu * push + 1e-6 * (1 + push));
  EXPECT_NEAR(along, -f.mu * push * slip, 1e-5 * (1 + push * slip));
  return energy;
}

TEST(Fremond, NoImpactGainsEnergyWhereNewtonsMay) {
  std::mt19937 random(3);
  perp_fremond law = make(perp_fremond_init);
  perp_friction newton;
  perp_friction_init(&newton, sizeof newton);
  int newton_gains = 0;
  for (int trial = 0; trial < 400; trial++) {
    const int tangents = 1 + trial % 2;
    law.friction.law.size = newton.law.size = 1 + tangents;
    law.friction.mu = newton.mu = 0.1 * (trial % 13);
    law.friction.e_n = newton.e_n = 0.2 * (trial % 6);
    EXPECT_LE(impact_gain(random, &law.friction.law, law.friction, tangents, true), 1e-6);
    newton_gains += impact_gain(random, &newton.law, newton, tangents, false) > 1e-3;
  }
  EXPECT_GT(newton_gains, 0);
}

TEST(Fremond, RestitutionWithoutFriction) {
  for (const double e : {0.0, 0.4, 1.0}) {
    perp_fremond law = make(perp_fremond_init);
    law.friction.e_n = e;
    law.friction.law.size = 2;
    world w;
    w.add(w.body(vec{1, 1}).system);
    w.join(w.contact(2, 2, {1, 0, 0, 1}).relation, &law.friction.law, {0});
    w.q0 = {0, 0};
    w.v0 = {-3, 2};
    w.options.solver = perp_solver_nsgs();
    run r(w);
    ASSERT_EQ(r.step(), PERP_OK);
    EXPECT_NEAR(r.v(0, 0), 3 * e, 1e-12);
    EXPECT_NEAR(r.v(0, 1), 2, 1e-12);
  }
}

// ---- the user's impact law ----

struct restitution {
  double slope = 0;
  int answer = 0;
  int calls = 0;
};

std::int32_t slower_is_bouncier(std::int32_t size, const perp_law_step *begin, double *q,
                                void *user) {
  auto *r = static_cast<restitution *>(user);
  r->calls++;
  const double u = -begin->ydot[0];
  for (std::int32_t i = 0; i < size; i++) {
    if (i == 0 && u > 0) q[0] += begin->ydot[0] / (1 + r->slope * u);
  }
  return r->answer;
}

TEST(UserImpact, DataAreChecked) {
  perp_user_impact law;
  std::memset(&law, 0x5A, sizeof law);
  EXPECT_EQ(perp_user_impact_init(nullptr, sizeof law, 1), PERP_EINVAL);
  EXPECT_EQ(perp_user_impact_init(&law, sizeof law - 1, 1), PERP_EINVAL);
  for (const int components : {0, 4, -1})
    EXPECT_EQ(perp_user_impact_init(&law, sizeof law, components), PERP_EINVAL);
  for (const int components : {1, 2, 3}) {
    ASSERT_EQ(perp_user_impact_init(&law, sizeof law, components), PERP_OK);
    EXPECT_EQ(law.friction.law.size, components);
    perp_info info = PERP_INFO_INIT;
    EXPECT_EQ(perp_law_check(&law.friction.law, &info), PERP_EINVAL);
    EXPECT_STREQ(info.field, "restitute");
    law.restitute = slower_is_bouncier;
    EXPECT_EQ(perp_law_check(&law.friction.law, &info), PERP_OK);
    refuse(law.friction.law, "mu", law.friction.mu, {-1});
    refuse(law.friction.law, "e_n", law.friction.e_n, {0.1});
    refuse(law.friction.law, "e_t", law.friction.e_t, {0.1});
  }
}

TEST(UserImpact, RestitutionDependsOnTheSpeedOfApproach) {
  restitution data = {0.5, 0, 0};
  perp_user_impact law;
  perp_user_impact_init(&law, sizeof law, 1);
  law.restitute = slower_is_bouncier;
  law.user = &data;
  for (const double u : {0.5, 2.0, 8.0}) {
    world w;
    tools::make_ball(w, 3, 0, 0, -u, 0);
    w.interactions[0].law = &law.friction.law;
    run r(w);
    ASSERT_EQ(r.step(), PERP_OK);
    EXPECT_NEAR(r.v(), u / (1 + 0.5 * u), 1e-12);
  }
  EXPECT_GT(data.calls, 0);
}

TEST(UserImpact, GoesWithFriction) {
  restitution data = {0.5, 0, 0};
  perp_user_impact law;
  perp_user_impact_init(&law, sizeof law, 3);
  law.restitute = slower_is_bouncier;
  law.user = &data;
  law.friction.mu = 0.2;
  world w;
  w.add(w.body(vec{1, 1, 1}).system);
  w.join(w.contact(3, 3, {1, 0, 0, 0, 1, 0, 0, 0, 1}).relation, &law.friction.law, {0});
  w.q0 = {0, 0, 0};
  w.v0 = {-2, 3, 4};
  w.options.solver = perp_solver_nsgs();
  run r(w);
  ASSERT_EQ(r.step(), PERP_OK);
  EXPECT_NEAR(r.v(0, 0), 1, 1e-10);  // u / (1 + u/2)
  EXPECT_NEAR(r.lambda(0, 0), 3, 1e-10);
  EXPECT_NEAR(r.v(0, 1), 3 - 0.6 * 0.6, 1e-8);
  EXPECT_NEAR(r.v(0, 2), 4 - 0.6 * 0.8, 1e-8);
  run again(w);
  const auto before = again.bytes();
  data.answer = -7;
  EXPECT_EQ(again.step(), PERP_ECALLBACK);
  data.answer = 7;
  EXPECT_EQ(again.step(), PERP_RETRY);
  EXPECT_EQ(again.bytes(), before);
}

// ---- cohesive ----

TEST(Cohesive, DataAreChecked) {
  perp_cohesive law = make(perp_cohesive_init);
  EXPECT_EQ(law.area, 1);
  EXPECT_EQ(law.slip_weight, 1);
  law.G_c = 1;
  law.sigma_c = 2;
  refuse(law.friction.law, "mu", law.friction.mu, {-1});
  refuse(law.friction.law, "e_n", law.friction.e_n, {-1, 2});
  refuse(law.friction.law, "e_t", law.friction.e_t, {-2, 2});
  refuse(law.friction.law, "sigma_c", law.sigma_c, {-1});
  refuse(law.friction.law, "G_c", law.G_c, {-1, 0});
  refuse(law.friction.law, "area", law.area, {-1, 0});
  refuse(law.friction.law, "slip_weight", law.slip_weight, {-1});
  perp_info info = PERP_INFO_INIT;
  law.friction.law.struct_size -= 1;
  EXPECT_EQ(perp_law_check(&law.friction.law, &info), PERP_EINVAL);
}

constexpr double kMass = 2, kStrength = 30, kEnergy = 0.06, kArea = 0.5;
constexpr double kHold = kStrength * kArea, kLength = 2 * kEnergy / kStrength;

perp_cohesive bond(double mu) {
  perp_cohesive law = make(perp_cohesive_init);
  law.friction.law.size = 2;
  law.friction.mu = mu;
  law.sigma_c = kStrength;
  law.G_c = kEnergy;
  law.area = kArea;
  return law;
}

// A block on a plane, pulled by force(t) = (normal, tangential).
struct pulled {
  world w;
  double normal = 0, tangential = 0;
  double refuse_after = kInf;
  static std::int32_t force(double t, double *f, void *user) {
    auto *p = static_cast<pulled *>(user);
    f[0] = p->normal;
    f[1] = p->tangential;
    return t > p->refuse_after ? 1 : 0;
  }
  pulled(const perp_cohesive &law, double h) {
    perp_lagrangian_linear &s = w.body(vec{kMass, kMass});
    s.force = force;
    s.user = this;
    w.add(s.system);
    w.join(w.contact(2, 2, {1, 0, 0, 1}).relation, &law.friction.law, {0});
    w.q0 = {0, 0};
    w.v0 = {0, 0};
    w.options.h = h;
    w.options.solver = perp_solver_nsgs();
  }
};

double beta(const run &r) {
  std::size_t bytes = 0;
  const void *state = perp_simulation_law_state(r.sim, 0, 0, &bytes);
  EXPECT_EQ(bytes, sizeof(perp_cohesive_state));
  return static_cast<const perp_cohesive_state *>(state)->beta;
}

TEST(Cohesive, BearsUpToItsStrength) {
  const perp_cohesive law = bond(0.5);
  pulled p(law, 1e-3);
  p.normal = 0.999 * kHold;
  run r(p.w);
  ASSERT_EQ(r.status, PERP_OK);
  ASSERT_EQ(r.steps(100), PERP_OK);
  EXPECT_NEAR(r.q(), 0, 1e-9);
  EXPECT_NEAR(r.lambda() / 1e-3, -p.normal, 1e-6);  // the plane pulls
  EXPECT_EQ(beta(r), 1);
  double force[2];
  EXPECT_EQ(perp_simulation_force(r.sim, 0, force), PERP_OK);
  EXPECT_NEAR(force[0], -p.normal, 1e-6);
}

// m ÿ = F − N (1 − y/δ_c): y = (F − N) δ_c/N (cosh(a t) − 1), a² = N/(m δ_c).
TEST(Cohesive, PullingItOffCostsItsFractureEnergy) {
  double miss[2], path[2];
  for (int level = 0; level < 2; level++) {
    const perp_cohesive law = bond(0.3);
    const double h = 2e-4 / (1 + 3 * level), F = 1.2 * kHold;
    pulled p(law, h);
    p.normal = F;
    run r(p.w);
    const double a = std::sqrt(kHold / (kMass * kLength));
    path[level] = 0;
    double last = 1;
    while (beta(r) > 0) {
      ASSERT_EQ(r.step(), PERP_OK);
      EXPECT_LE(beta(r), last);
      last = beta(r);
      if (beta(r) <= 0) break;
      const double y = (F - kHold) * kLength / kHold * (std::cosh(a * r.time()) - 1);
      path[level] = std::max(path[level], std::fabs(r.q() - y) / kLength);
      EXPECT_NEAR(beta(r), 1 - r.q() / kLength, 1e-12);
    }
    const double dissipated = F * r.q() - 0.5 * kMass * r.v() * r.v();
    miss[level] = std::fabs(dissipated / (kEnergy * kArea) - 1);
    ASSERT_EQ(r.steps(20), PERP_OK);
    EXPECT_EQ(r.lambda(), 0);  // free
  }
  EXPECT_LT(miss[0], 0.05);
  EXPECT_LT(miss[1], 0.4 * miss[0] + 1e-4);
  EXPECT_LT(path[0], 0.05);
  EXPECT_LT(path[1], 0.4 * path[0]);
}

TEST(Cohesive, NeverHealsAndHoldsWithWhatIsLeft) {
  const perp_cohesive law = bond(0.3);
  pulled p(law, 1e-4);
  p.normal = 1.2 * kHold;
  run r(p.w);
  while (beta(r) > 0.6) ASSERT_EQ(r.step(), PERP_OK);
  p.normal = -3 * kHold;  // press it back
  double least = beta(r);
  for (int k = 0; k < 4000; k++) {
    ASSERT_EQ(r.step(), PERP_OK);
    EXPECT_LE(beta(r), least);
    least = beta(r);
  }
  EXPECT_GT(least, 0);
  EXPECT_NEAR(r.v(), 0, 1e-9);
  EXPECT_LT(r.q(), 1e-6);
  EXPECT_NEAR(r.lambda() / 1e-4, 3 * kHold, 1e-6);
  p.normal = 0.95 * least * kHold;
  ASSERT_EQ(r.steps(300), PERP_OK);
  EXPECT_LT(r.q(), 1e-6);
  EXPECT_EQ(beta(r), least);
  p.normal = 1.05 * least * kHold;
  ASSERT_EQ(r.steps(3000), PERP_OK);
  EXPECT_GT(r.q(), kLength);
  EXPECT_EQ(beta(r), 0);
  p.normal = -kHold;  // back on the plane: a contact like any other
  for (int k = 0; k < 4000; k++) {
    ASSERT_EQ(r.step(), PERP_OK);
    EXPECT_EQ(beta(r), 0);
  }
  p.normal = 0.01 * kHold;
  ASSERT_EQ(r.steps(10), PERP_OK);
  EXPECT_EQ(r.lambda(), 0);
}

TEST(Cohesive, ShearBearsFrictionOfTheBondAndCostsItsPart) {
  const double mu = 0.5, N = 4;
  perp_cohesive law = bond(mu);
  {
    pulled p(law, 1e-4);
    p.normal = -N;
    p.tangential = 0.999 * mu * (N + kHold);
    run r(p.w);
    ASSERT_EQ(r.steps(50), PERP_OK);
    EXPECT_NEAR(r.q(0, 1), 0, 1e-9);
  }
  for (const double weight : {1.0, mu}) {
    law.slip_weight = weight;
    pulled p(law, 2e-5);
    p.normal = -N;
    p.tangential = 1.2 * mu * (N + kHold);
    run r(p.w);
    while (beta(r) > 0) ASSERT_EQ(r.step(), PERP_OK);
    const double slid = r.q(0, 1);
    EXPECT_NEAR(slid, kLength / weight, 0.02 * kLength / weight);
    const double lost = p.tangential * slid - 0.5 * kMass * r.v(0, 1) * r.v(0, 1) - mu * N * slid;
    EXPECT_NEAR(lost, mu * kEnergy * kArea / weight, 0.02 * kEnergy * kArea);
    ASSERT_EQ(r.step(), PERP_OK);
    EXPECT_NEAR(-r.lambda(0, 1) / 2e-5, mu * N, 1e-5);
  }
}

TEST(Cohesive, StateIsRestoredWhenAStepFails) {
  const perp_cohesive law = bond(0.3);
  pulled p(law, 1e-3);
  p.normal = 1.5 * kHold;
  p.w.options.on_failure = PERP_FAILURE_RETRY;
  p.w.options.max_halvings = 3;
  run r(p.w);
  while (beta(r) > 0.8) ASSERT_EQ(r.step(), PERP_OK);
  // The first half of the step is accepted, the second refused however short.
  p.refuse_after = r.time() + 0.6e-3;
  const auto before = r.bytes();
  const double held = beta(r);
  EXPECT_EQ(r.step(), PERP_RETRY);
  EXPECT_EQ(r.bytes(), before);
  EXPECT_EQ(beta(r), held);
  p.refuse_after = kInf;
  ASSERT_EQ(r.step(), PERP_OK);
  EXPECT_LT(beta(r), held);
}

TEST(Cohesive, ResumedRunHasTheBitsOfTheWhole) {
  const perp_cohesive law = bond(0.3);
  pulled p(law, 1e-3);
  p.normal = 1.2 * kHold;
  p.tangential = 1;
  run whole(p.w), first(p.w);
  ASSERT_EQ(whole.steps(60), PERP_OK);
  ASSERT_EQ(first.steps(17), PERP_OK);
  run second(*p.w.finish(), p.w.options, 0, first.state.data());
  ASSERT_EQ(second.status, PERP_OK);
  ASSERT_EQ(second.steps(43), PERP_OK);
  EXPECT_EQ(second.bytes(), whole.bytes());
}

TEST(Cohesive, StatesAreFoundByInteractionAndCopy) {
  const perp_cohesive law = bond(0.3);
  pulled p(law, 1e-3);
  run r(p.w);
  std::size_t bytes = 999;
  EXPECT_EQ(perp_simulation_law_state(nullptr, 0, 0, &bytes), nullptr);
  EXPECT_EQ(bytes, 0u);
  EXPECT_EQ(perp_simulation_law_state(r.sim, 1, 0, nullptr), nullptr);
  EXPECT_EQ(perp_simulation_law_state(r.sim, -1, 0, nullptr), nullptr);
  EXPECT_EQ(perp_simulation_law_state(r.sim, 0, 1, nullptr), nullptr);
  EXPECT_EQ(perp_simulation_law_state(r.sim, 0, -1, nullptr), nullptr);
  EXPECT_NE(perp_simulation_law_state(r.sim, 0, 0, nullptr), nullptr);
  world plain;
  tools::make_ball(plain, 1, 9.81, 1, 0, 0);
  run s(plain);
  EXPECT_EQ(perp_simulation_law_state(s.sim, 0, 0, &bytes), nullptr);
}

}  // namespace
