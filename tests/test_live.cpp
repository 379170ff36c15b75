// SPDX-License-Identifier: MIT
// Steps of varying systems and relations, from the definition of the discrete equations.
#include <gtest/gtest.h>
#include <perp/experimental.h>

#include <cmath>
#include <random>

#include "model_tools.hpp"

namespace {

using tools::ids;
using tools::run;
using tools::vec;
using tools::world;

// A Lagrangian linear system that is described by values and derivatives instead of terms.
struct varying_body {
  perp_system head{};
  vec M, C, K, f;
  int masses = 0;
  mutable std::int32_t reply = 0;
};

const varying_body &body_of(const perp_system *s) {
  return *reinterpret_cast<const varying_body *>(s);
}

vec times(const vec &A, const double *x, std::size_t n) {
  vec y(n, 0.0);
  for (std::size_t j = 0; j < n; j++)
    for (std::size_t i = 0; i < n; i++) y[i] += A[i + n * j] * x[j];
  return y;
}

std::int32_t linear_mass(const perp_system *s, double, const double *, double *M, double *) {
  const auto &b = body_of(s);
  std::copy(b.M.begin(), b.M.end(), M);
  return 0;
}

std::int32_t linear_force(const perp_system *s, double, const double *q, const double *v, double *f,
                          double *) {
  const auto &b = body_of(s);
  const auto n = static_cast<std::size_t>(s->n);
  const vec Cv = times(b.C, v, n), Kq = times(b.K, q, n);
  for (std::size_t i = 0; i < n; i++) f[i] = b.f[i] - Cv[i] - Kq[i];
  return b.reply;
}

std::int32_t linear_jacobians(const perp_system *s, double, const double *, const double *,
                              double *dq, double *dv, double *) {
  const auto &b = body_of(s);
  for (std::size_t i = 0; i < b.C.size(); i++) {
    dq[i] = -b.K[i];
    dv[i] = -b.C[i];
  }
  return 0;
}

perp_system_ops linear_ops() {
  perp_system_ops ops{};
  ops.struct_size = sizeof ops;
  ops.order = 2;
  ops.name = "test";
  ops.bytes = sizeof(perp_system);
  ops.mass = linear_mass;
  ops.force = linear_force;
  ops.jacobians = linear_jacobians;
  return ops;
}

const perp_system_ops kLinear = linear_ops();

varying_body make_varying(std::int32_t n) {
  varying_body b;
  const auto size = static_cast<std::size_t>(n * n);
  b.head.ops = &kLinear;
  b.head.struct_size = sizeof b;
  b.head.n = n;
  b.M.assign(size, 0.0);
  b.C.assign(size, 0.0);
  b.K.assign(size, 0.0);
  b.f.assign(static_cast<std::size_t>(n), 0.0);
  return b;
}

TEST(Live, VaryingLinearSystemMovesAsTheConstantOne) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const std::int32_t n = 3;
  varying_body varying = make_varying(n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const auto at = static_cast<std::size_t>(i + n * j);
      varying.M[at] = (i == j ? 3 : 0) + 0.2 * std::cos(i + j);
      varying.C[at] = uniform(random);
      varying.K[at] = (i == j ? 20 : 0) + uniform(random);
    }
  varying.f = {-9.81, 1, 0.5};
  world a, b;
  auto &constant = a.body(n);
  constant.M = perp_dense(n, n, a.keep(varying.M));
  constant.C = perp_dense(n, n, a.keep(varying.C));
  constant.K = perp_dense(n, n, a.keep(varying.K));
  constant.f = a.keep(varying.f);
  for (world *w : {&a, &b}) {
    const auto system = w == &a ? w->add(constant.system) : w->add(varying.head);
    auto &floor = w->contact(2, n, {1, 0, 0, 1, 0.5, 0.5});
    floor.b = w->keep({0.1, 0.2});
    w->join(floor.relation, w->impact(0.6), {system});
    w->q0 = {0.5, 0.3, -0.1};
    w->v0 = {0, -1, 0.4};
    w->options.theta = 0.55;
    w->options.h = 5e-3;
  }
  run x(a), y(b);
  double impulses = 0;
  for (int k = 0; k < 400; k++) {
    ASSERT_EQ(perp_simulation_step(x.sim, nullptr), PERP_OK);
    ASSERT_EQ(perp_simulation_step(y.sim, nullptr), PERP_OK);
    for (std::size_t i = 0; i < 3; i++) {
      ASSERT_NEAR(perp_simulation_q(x.sim, 0)[i], perp_simulation_q(y.sim, 0)[i], 1e-10) << k;
      ASSERT_NEAR(perp_simulation_v(x.sim, 0)[i], perp_simulation_v(y.sim, 0)[i], 1e-9) << k;
    }
    for (std::size_t i = 0; i < 2; i++) {
      ASSERT_NEAR(perp_simulation_lambda(x.sim, 0)[i], perp_simulation_lambda(y.sim, 0)[i], 1e-9);
      ASSERT_NEAR(perp_simulation_y(x.sim, 0)[i], perp_simulation_y(y.sim, 0)[i], 1e-10);
      impulses += perp_simulation_lambda(x.sim, 0)[i];
    }
  }
  EXPECT_GT(impulses, 1);
  perp_report report = PERP_REPORT_INIT;
  ASSERT_EQ(perp_simulation_report(y.sim, &report), PERP_OK);
  EXPECT_EQ(static_cast<double>(report.newton), 400) << "linear: one pass each";
}

// A brake that saturates: M v̇ = −k v/√(1 + v²). A full step of Newton's from far away leads to the
// other side, and back.
struct brake {
  perp_lagrangian system{};
  double k;
  world w;

  explicit brake(double strength) : k(strength) {
    static const double M[] = {1};
    perp_lagrangian_init(&system, sizeof system, 1);
    system.M = perp_diagonal(1, M);
    system.internal = [](double, const double *, const double *v, const double *, double *F,
                         void *user) {
      F[0] = *static_cast<double *>(user) * v[0] / std::sqrt(1 + v[0] * v[0]);
      return 0;
    };
    system.internal_dv = [](double, const double *, const double *v, const double *, double *out,
                            void *user) {
      const double s = 1 + v[0] * v[0];
      out[0] = *static_cast<double *>(user) / (s * std::sqrt(s));
      return 0;
    };
    system.user = &k;
    w.add(system.system);
    w.v0 = {5};
    w.options.theta = 1;
    w.options.h = 1;
  }
};

TEST(Live, LineSearchSavesWhatFullStepsDoNot) {
  for (const double k : {20.0, 50.0, 200.0}) {
    brake plain(k), searched(k);
    plain.w.options.newton_halvings = 0;
    run a(plain.w), b(searched.w);
    const auto before = a.bytes();
    EXPECT_EQ(a.step(), PERP_MAX_ITER) << k;
    EXPECT_STREQ(a.info.field, "newton at system");
    EXPECT_EQ(a.info.index, 0);
    EXPECT_EQ(a.bytes(), before);
    ASSERT_EQ(b.step(), PERP_OK) << k << " " << b.info.value;
    const double v = b.v();
    EXPECT_NEAR(v - 5 + k * v / std::sqrt(1 + v * v), 0, 1e-9 * k);
    EXPECT_LT(static_cast<double>(b.report().newton), 30) << k;
    EXPECT_EQ(b.report().failures, 0);
  }
}

// v̇ = −k ln v: a full step from far away leads to where there is no logarithm.
TEST(Live, LineSearchComesBackFromWhereACallbackHasNoValue) {
  perp_lagrangian s;
  static const double M[] = {1};
  static double k = 50;
  perp_lagrangian_init(&s, sizeof s, 1);
  s.M = perp_diagonal(1, M);
  s.internal = [](double, const double *, const double *v, const double *, double *F, void *) {
    F[0] = v[0] > 0 ? k * std::log(v[0]) : std::nan("");
    return 0;
  };
  s.internal_dv = [](double, const double *, const double *v, const double *, double *out, void *) {
    out[0] = k / v[0];
    return 0;
  };
  for (const double v0 : {5.0, 20.0, 100.0}) {
    world w;
    w.add(s.system);
    w.v0 = {v0};
    w.options.h = 1;
    w.options.theta = 1;
    w.options.newton_halvings = 0;
    run plain(w);
    const auto before = plain.bytes();
    EXPECT_EQ(plain.step(), PERP_ENOTFINITE);
    EXPECT_STREQ(plain.info.field, "internal");
    EXPECT_EQ(plain.bytes(), before);
    w.options.newton_halvings = 20;
    run searched(w);
    ASSERT_EQ(searched.step(), PERP_OK) << v0 << " " << searched.info.value;
    const double v = searched.v();
    EXPECT_NEAR((v - v0 + k * std::log(v)) / (v0 + k), 0, 1e-9) << v0;
    EXPECT_EQ(searched.info.field, nullptr);
  }
}

// A converter whose diodes are switched by a comparator: the inductor's current x, currents and
// voltages of two switches with resistances that are multipliers themselves, and a saw tooth that
// jumps. Rows that are bilinear in λ: a pass across a switch may be far from what it leads to.
struct converter {
  static constexpr double R = 1, on = 1e-3, off = 1e3, L = 2e-4, T = 2e-5, gain = 100, h = 1e-7;
  perp_first_order_relation relation{};
  perp_mixed law{};
  world w;

  static double saw(double t) { return 7.5 - 10 * (t / T - std::floor(t / T)); }
  static void outputs(double t, double x, const double *l, double *y) {
    y[0] = l[4] - saw(t);
    y[1] = x - l[3] / R;
    y[2] = l[2] - 20 + l[0] * (l[6] + on);
    y[3] = l[2] + l[1] * (l[8] + on);
    y[4] = x - l[0] - l[1];
    y[5] = off - l[6] - on;
    y[6] = gain * (l[4] - l[3]) + l[5];
    y[7] = off - l[8] - on;
    y[8] = l[7] - l[2];
  }
  explicit converter(bool second = false) {
    perp_first_order_relation_init(&relation, sizeof relation, 9, 1);
    relation.h = [](double t, const double *x, const double *l, const double *, double *y, void *) {
      outputs(t, x[0], l, y);
      return 0;
    };
    relation.g = [](double, const double *, const double *l, const double *, double *r, void *) {
      r[0] = (l[2] - l[3]) / L;
      return 0;
    };
    relation.B = [](double, const double *, const double *, const double *, double *B, void *) {
      B[2] = 1 / L, B[3] = -1 / L;
      return 0;
    };
    relation.C = [](double, const double *, const double *, const double *, double *C, void *) {
      C[1] = C[4] = 1;
      return 0;
    };
    relation.D = [](double, const double *, const double *l, const double *, double *D, void *) {
      const auto set = [D](int i, int j, double v) { D[i + 9 * j] = v; };
      set(0, 4, 1), set(1, 3, -1 / R), set(2, 2, 1), set(2, 0, l[6] + on), set(2, 6, l[0]);
      set(3, 2, 1), set(3, 1, l[8] + on), set(3, 8, l[1]), set(4, 0, -1), set(4, 1, -1);
      set(5, 6, -1), set(6, 4, gain), set(6, 3, -gain), set(6, 5, 1), set(7, 8, -1);
      set(8, 2, -1), set(8, 7, 1);
      return 0;
    };
    perp_mixed_init(&law, sizeof law);
    law.law.size = 9;
    law.equalities = 5;
    w.add(w.circuit(1).system);
    if (second)
      w.join(w.port(1, 1, {1}).relation, w.complementarity(), {w.add(w.circuit(1).system)});
    w.join(relation.relation, &law.law, {0});
    w.options.integrator = perp_integrator_theta();
    w.options.solver = perp_solver_enumeration();
    w.options.theta = 1;
    w.options.h = h;
  }
};

TEST(Live, ALineSearchDoesNotHoldBackASwitch) {
  for (const int halvings : {0, 1, 4, 6, 7, 8, 9, 20, 50}) {
    converter c;
    c.w.options.newton_halvings = halvings;
    run r(c.w);
    ASSERT_EQ(r.status, PERP_OK) << r.info.field;
    for (int k = 1; k <= 1000; k++) {
      const double before = r.x(), t = k * converter::h;
      ASSERT_EQ(r.step(), PERP_OK) << halvings << " " << k << " " << r.info.value;
      const double *l = perp_simulation_lambda(r.sim, 0);
      double y[9], size = 1;
      converter::outputs(t, r.x(), l, y);
      for (int i = 0; i < 5; i++) ASSERT_NEAR(y[i], 0, 1e-8) << k << " " << i;
      for (int i = 5; i < 9; i++) {
        size = std::fmax(size, std::fabs(y[i]));
        ASSERT_NEAR(std::fmin(y[i], l[i]), 0, 1e-9 * size) << k << " " << i;
      }
      ASSERT_NEAR(r.x() - before, converter::h * (l[2] - l[3]) / converter::L, 1e-11) << k;
    }
    EXPECT_LE(static_cast<double>(r.report().newton), 1050) << halvings;
  }
}

// Where the passes do not suffice: that it was Newton, and at which of two interactions.
TEST(Live, TheEndingNamesWhereNewtonMetItsLimit) {
  converter c(true);
  c.w.options.newton_max = 2;
  run r(c.w);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  const perp_status status = r.steps(1000);
  EXPECT_EQ(status, PERP_MAX_ITER);
  EXPECT_STREQ(r.info.field, "newton at interaction");
  EXPECT_EQ(r.info.index, 1);
  EXPECT_GT(r.info.value, 1e-10);
  EXPECT_EQ(perp_simulation_step_index(r.sim), 125);  // of the step before; the saw meets x R
}

// A bead on the hoop |q| = 1 pushed against it from inside: its H turns with q.
struct hoop {
  perp_lagrangian_contact_relation relation{};
  world w;

  hoop() {
    auto &bead = w.body(vec{2, 2});
    bead.f = w.keep({3, -20});
    perp_lagrangian_contact_relation_init(&relation, sizeof relation, 1, 2, 2);
    relation.h = [](double, const double *q, const double *, const double *, double *y, void *) {
      y[0] = 1 - std::sqrt(q[0] * q[0] + q[1] * q[1]);
      return 0;
    };
    relation.G = [](double, const double *q, const double *, const double *, double *G, void *) {
      const double r = std::sqrt(q[0] * q[0] + q[1] * q[1]);
      G[0] = -q[0] / r;
      G[1] = -q[1] / r;
      return 0;
    };
    relation.T = [](double, const double *q, const double *, const double *, double *T, void *) {
      const double r = std::sqrt(q[0] * q[0] + q[1] * q[1]);
      T[0] = -q[1] / r;
      T[1] = q[0] / r;
      return 0;
    };
    w.join(relation.relation, w.friction(2, 0.2), {w.add(bead.system)});
    w.q0 = {-1, 0};
    w.v0 = {0, -2};
    w.options.h = 5e-3;
    w.options.solver = perp_solver_nsgs();
    w.options.min_gap = -1;
  }
};

// Long steps along the hoop, of a bead whose own terms are constant: a shortened step leaves it a
// part of what it lacked before, and only with that is the search worth its evaluations.
TEST(Live, LineSearchCountsWhatAConstantBodyStillLacks) {
  const auto failed = [](std::int32_t halvings) {
    std::mt19937 random(7);
    const auto draw = [&random] { return static_cast<double>(random()) * 0x1p-32; };
    int count = 0;
    for (int k = 0; k < 1500; k++) {
      const double a = 6.283 * draw(), speed = 10 * draw();
      hoop p;
      p.w.q0 = {std::cos(a), std::sin(a)};
      p.w.v0 = {speed * std::cos(7 * a), speed * std::sin(7 * a)};
      p.w.options.h = std::pow(10, -2 * draw());
      p.w.options.theta = 0.5 + 0.5 * draw();
      p.w.options.newton_halvings = halvings;
      run r(p.w);
      count += r.status != PERP_OK || r.steps(10) != PERP_OK;
    }
    return count;
  };
  const int plain = failed(0), searched = failed(8);
  EXPECT_LT(searched, 0.78 * plain) << searched << " of " << plain;
}

// Few passes, and what they lead to is the discrete contact with H of the end of the step.
TEST(Live, ExactDerivativesNeedFewPassesWithContact) {
  hoop p;
  run r(p.w);
  ASSERT_EQ(r.status, PERP_OK);
  int acted = 0, slid = 0;
  for (int k = 0; k < 400; k++) {
    const double before[] = {r.v(0, 0), r.v(0, 1)};
    const double passes = static_cast<double>(r.report().newton);
    ASSERT_EQ(r.step(), PERP_OK) << k << " " << r.info.field;
    ASSERT_LE(static_cast<double>(r.report().newton) - passes, 6) << k;
    const double q[] = {r.q(0, 0), r.q(0, 1)}, v[] = {r.v(0, 0), r.v(0, 1)};
    const double length = std::hypot(q[0], q[1]), n[] = {-q[0] / length, -q[1] / length};
    const double rn = r.lambda(0, 0), rt = r.lambda(0, 1);
    const double force[] = {3, -20}, tangent[] = {n[1], -n[0]};
    for (std::size_t i = 0; i < 2; i++)
      ASSERT_NEAR(2 * (v[i] - before[i]), 5e-3 * force[i] + n[i] * rn + tangent[i] * rt, 1e-9) << k;
    if (rn > 0) {
      acted++;
      const double vn = n[0] * v[0] + n[1] * v[1], vt = tangent[0] * v[0] + tangent[1] * v[1];
      ASSERT_NEAR(vn, 0, 1e-9);
      ASSERT_LE(std::fabs(rt), 0.2 * rn + 1e-9);
      if (std::fabs(vt) > 1e-6) {
        slid++;
        ASSERT_NEAR(rt, vt > 0 ? -0.2 * rn : 0.2 * rn, 1e-9) << k;
      }
    }
  }
  EXPECT_GT(acted, 300);
  EXPECT_GT(slid, 100);
  EXPECT_LT(static_cast<double>(r.report().newton), 4.5 * 400);
}

// v̇ = −v³ by the implicit Euler step: the defect left after 1, 2, 3 ... passes.
TEST(Live, DefectsFallQuadraticallyWithExactJacobians) {
  perp_lagrangian s;
  static const double M[] = {1};
  perp_lagrangian_init(&s, sizeof s, 1);
  s.M = perp_diagonal(1, M);
  s.internal = [](double, const double *, const double *v, const double *, double *F, void *) {
    F[0] = v[0] * v[0] * v[0];
    return 0;
  };
  s.internal_dv = [](double, const double *, const double *v, const double *, double *out, void *) {
    out[0] = 3 * v[0] * v[0];
    return 0;
  };
  double error = 0;
  const double exact = 0.68232780382801932737;  // v + v³ = 1
  for (int passes = 1; passes <= 5; passes++) {
    world w;
    w.add(s.system);
    w.v0 = {1};
    w.options.h = 1;
    w.options.theta = 1;
    w.options.newton_stop = PERP_NEWTON_FIXED;
    w.options.newton_max = passes;
    run r(w);
    ASSERT_EQ(r.step(), PERP_OK);
    EXPECT_EQ(static_cast<double>(r.report().newton), passes);
    const double now = std::fabs(r.v() - exact);
    if (passes > 1) {
      EXPECT_LT(now, 1.3 * error * error + 1e-15) << passes;
    }
    error = now;
  }
  EXPECT_LT(error, 1e-12);
}

// Passes are those of accepted steps, none where nothing varies.
TEST(Live, PassesAreCountedWhereThereAreAny) {
  world constant;
  tools::make_ball(constant, 1, 9.81, 1, 0, 0.5);
  run a(constant);
  ASSERT_EQ(a.steps(100), PERP_OK);
  EXPECT_EQ(static_cast<double>(a.report().newton), 0);
  for (const int fixed : {1, 2, 7}) {
    brake b(1);
    b.w.options.newton_stop = PERP_NEWTON_FIXED;
    b.w.options.newton_max = fixed;
    run r(b.w);
    ASSERT_EQ(r.steps(10), PERP_OK);
    EXPECT_EQ(static_cast<double>(r.report().newton), 10 * fixed);
  }
}

}  // namespace
