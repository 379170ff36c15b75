// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <perp/experimental.h>
#include <perp/perp.h>

#include <cmath>
#include <limits>
#include <string>

#include "model_tools.hpp"

namespace {

using vec = std::vector<double>;

const double nan = std::numeric_limits<double>::quiet_NaN();
const double inf = std::numeric_limits<double>::infinity();

struct result {
  perp_status status = 999;
  perp_derivative_report report = PERP_DERIVATIVE_REPORT_INIT;
};

// In a block that is just large enough, filled with rubbish, guarded on both sides.
result check(const perp_model &model, double t = 0.3, const vec &q = {}, const vec &v = {},
             const vec &x = {}, const vec &lambda = {}, double tol = 1e-6) {
  result r;
  const std::size_t bytes = perp_model_check_derivatives_workspace(&model);
  EXPECT_GT(bytes, 0u);
  for (std::size_t shift : {std::size_t{0}, std::size_t{3}}) {
    std::vector<unsigned char> work(bytes + 16, 0xA5);
    const auto or_null = [](const vec &a) { return a.empty() ? nullptr : a.data(); };
    r.report = PERP_DERIVATIVE_REPORT_INIT;
    r.status =
        perp_model_check_derivatives(&model, t, or_null(q), or_null(v), or_null(x), or_null(lambda),
                                     tol, work.data() + shift, bytes, &r.report);
    for (std::size_t i = 0; i < shift; i++) EXPECT_EQ(work[i], 0xA5);
    for (std::size_t i = shift + bytes; i < work.size(); i++) EXPECT_EQ(work[i], 0xA5);
  }
  return r;
}

void expect_wrong(const result &r, std::int32_t found, std::int32_t index, const std::string &name,
                  std::int32_t row, std::int32_t column, double given, double expected) {
  EXPECT_EQ(r.status, PERP_INACCURATE);
  EXPECT_EQ(r.report.found, found);
  EXPECT_EQ(r.report.index, index);
  ASSERT_NE(r.report.jacobian, nullptr);
  EXPECT_EQ(r.report.jacobian, name);
  EXPECT_EQ(r.report.row, row);
  EXPECT_EQ(r.report.column, column);
  EXPECT_NEAR(r.report.given, given, 1e-12 * (1 + std::fabs(given)));
  EXPECT_NEAR(r.report.expected, expected, 1e-8 * (1 + std::fabs(expected)));
  EXPECT_GT(r.report.error, 1);
  EXPECT_EQ(r.report.overrun, 0);
}

// One Jacobian entry is spoilt: number `entry` of the one called `name`.
struct fault {
  std::string name;
  int entry = 0;
  double by = 0;
};

void spoil(const void *user, const char *name, double *J) {
  const fault &f = *static_cast<const fault *>(user);
  if (f.name == name) J[f.entry] += f.by;
}

// ------------------------------------------------------- first order: two systems, one relation
// ----

struct network : tools::world {
  perp_first_order system;
  perp_first_order_relation relation;
  fault wrong;

  network() {
    perp_first_order_init(&system, sizeof system, 2);
    system.user = &wrong;
    system.f = [](double t, const double *x, const double *, double *f, void *) {
      f[0] = std::sin(x[0]) * x[1] + t;
      f[1] = x[0] * x[0] * x[1];
      return 0;
    };
    system.f_dx = [](double, const double *x, const double *, double *J, void *user) {
      J[0] = std::cos(x[0]) * x[1];
      J[1] = 2 * x[0] * x[1];
      J[2] = std::sin(x[0]);
      J[3] = x[0] * x[0];
      spoil(user, "f_dx", J);
      return 0;
    };
    add(system.system);
    add(system.system);
    perp_first_order_relation_init(&relation, sizeof relation, 1, 4);
    relation.user = &wrong;
    relation.h = [](double, const double *x, const double *l, const double *, double *y, void *) {
      y[0] = x[0] * x[3] + l[0] * l[0] * x[1];
      return 0;
    };
    relation.C = [](double, const double *x, const double *l, const double *, double *J,
                    void *user) {
      J[0] = x[3];
      J[1] = l[0] * l[0];
      J[3] = x[0];
      spoil(user, "C", J);
      return 0;
    };
    relation.D = [](double, const double *x, const double *l, const double *, double *J,
                    void *user) {
      J[0] = 2 * l[0] * x[1];
      spoil(user, "D", J);
      return 0;
    };
    relation.g = [](double, const double *x, const double *l, const double *, double *r, void *) {
      r[0] = l[0] * x[2];
      r[3] = std::exp(l[0]);
      return 0;
    };
    relation.B = [](double, const double *x, const double *l, const double *, double *J,
                    void *user) {
      J[0] = x[2];
      J[3] = std::exp(l[0]);
      spoil(user, "B", J);
      return 0;
    };
    relation.K = [](double, const double *, const double *l, const double *, double *J,
                    void *user) {
      J[8] = l[0];
      spoil(user, "K", J);
      return 0;
    };
    join(relation.relation, complementarity(), {0, 1});
    x0 = {0.4, -1.2, 0.7, 2.5};
  }
};

TEST(CheckDerivatives, RightJacobiansAgree) {
  network w;
  const result r = check(*w.finish());
  EXPECT_EQ(r.status, PERP_OK);
  EXPECT_EQ(r.report.compared, 2 + 4 + 4);
  EXPECT_EQ(r.report.wrong, 0);
  EXPECT_EQ(r.report.found, PERP_FOUND_NOTHING);
  EXPECT_EQ(r.report.jacobian, nullptr);
}

TEST(CheckDerivatives, NamesTheWrongEntryOfASystem) {
  network w;
  w.wrong = {"f_dx", 2, 0.001};
  // both systems are wrong; the second by more of its size: sin 0.4 and sin 0.7
  result r = check(*w.finish());
  EXPECT_EQ(r.report.wrong, 2);
  expect_wrong(r, PERP_FOUND_SYSTEM, 0, "f_dx", 0, 1, std::sin(0.4) + 0.001, std::sin(0.4));
  // at another state the worst is another one
  r = check(*w.finish(), 0, {}, {}, {1.5, 1, 0.1, 1}, {1});
  expect_wrong(r, PERP_FOUND_SYSTEM, 1, "f_dx", 0, 1, std::sin(0.1) + 0.001, std::sin(0.1));
}

TEST(CheckDerivatives, NamesTheWrongEntryOfARelation) {
  const double l = 1.25;
  const struct {
    fault f;
    std::int32_t row, column;
    double right;
  } cases[] = {{{"C", 1, 0.5}, 0, 1, l * l},
               {{"C", 2, 1e-3}, 0, 2, 0},
               {{"D", 0, -0.01}, 0, 0, 2 * l * -1.2},
               {{"B", 3, 1e-4}, 3, 0, std::exp(l)},
               {{"B", 1, 1e-4}, 1, 0, 0},
               {{"K", 8, 1e-4}, 0, 2, l},
               {{"K", 7, 2}, 3, 1, 0}};
  for (const auto &c : cases) {
    network w;
    w.wrong = c.f;
    const result r = check(*w.finish(), 0.1, {}, {}, {}, {l});
    EXPECT_EQ(r.report.wrong, 1) << c.f.name;
    expect_wrong(r, PERP_FOUND_RELATION, 0, c.f.name, c.row, c.column, c.right + c.f.by, c.right);
  }
}

TEST(CheckDerivatives, ANumberThatIsNoneIsWrong) {
  network w;
  w.wrong = {"B", 0, nan};
  const result r = check(*w.finish());
  EXPECT_EQ(r.status, PERP_INACCURATE);
  EXPECT_STREQ(r.report.jacobian, "B");
  EXPECT_TRUE(std::isnan(r.report.given));
  EXPECT_NEAR(r.report.expected, 0.7, 1e-9);
}

TEST(CheckDerivatives, SmallMistakesShowAboveTheTolerance) {
  network w;
  w.wrong = {"D", 0, 1e-7};
  EXPECT_EQ(check(*w.finish()).status, PERP_OK);
  EXPECT_EQ(check(*w.finish(), 0.3, {}, {}, {}, {}, 1e-9).status, PERP_INACCURATE);
}

TEST(CheckDerivatives, DependenceThatWasNotDeclaredIsFound) {
  network w;
  w.relation.reads = PERP_REACTION_READS_X;
  w.relation.D = nullptr;
  result r = check(*w.finish(), 0, {}, {}, {}, {1.25});
  expect_wrong(r, PERP_FOUND_RELATION, 0, "evaluate: D", 0, 0, 0, 2 * 1.25 * -1.2);
  network g;
  g.relation.reads = PERP_OUTPUT_READS_LAMBDA;
  g.relation.K = nullptr;
  r = check(*g.finish(), 0, {}, {}, {}, {1.25});
  expect_wrong(r, PERP_FOUND_RELATION, 0, "evaluate: K", 0, 2, 0, 1.25);
}

TEST(CheckDerivatives, AJacobianOfAnotherShapeIsFound) {
  // n x n written where 1 x n is expected
  network w;
  w.relation.C = [](double, const double *, const double *, const double *, double *J, void *) {
    for (int i = 0; i < 16; i++) J[i] = i;
    return 0;
  };
  const result r = check(*w.finish());
  EXPECT_EQ(r.status, PERP_INACCURATE);
  EXPECT_STREQ(r.report.jacobian, "C");
  EXPECT_EQ(r.report.found, PERP_FOUND_RELATION);
  EXPECT_EQ(r.report.overrun, 12);
  EXPECT_EQ(r.report.row, -1);
  EXPECT_EQ(r.report.column, -1);
  EXPECT_EQ(r.report.error, inf);
}

TEST(CheckDerivatives, JacobiansByDifferencesAgreeWithThemselves) {
  network w;
  w.relation.C = w.relation.D = w.relation.B = w.relation.K = nullptr;
  w.system.f_dx = nullptr;
  const result r = check(*w.finish());
  EXPECT_EQ(r.status, PERP_OK);
  EXPECT_EQ(r.report.compared, 4);
}

// -------------------------------------------------------------------- order 2: a mechanism ----

struct mechanism : tools::world {
  perp_lagrangian system;
  perp_lagrangian_relation gap;
  perp_lagrangian_velocity_relation wheel;
  perp_lagrangian_contact_relation ground;
  fault wrong;

  mechanism() {
    perp_lagrangian_init(&system, sizeof system, 2);
    system.user = system.control.user = &wrong;
    system.M = perp_diagonal(2, keep({1, 2}));
    system.gyroscopic = [](double, const double *q, const double *v, const double *, double *N,
                           void *) {
      N[0] = std::sin(q[0]) * v[1] * v[1];
      N[1] = q[1] * v[0];
      return 0;
    };
    system.gyroscopic_dq = [](double, const double *q, const double *v, const double *, double *J,
                              void *user) {
      J[0] = std::cos(q[0]) * v[1] * v[1];
      J[3] = v[0];
      spoil(user, "gyroscopic_dq", J);
      return 0;
    };
    system.gyroscopic_dv = [](double, const double *q, const double *v, const double *, double *J,
                              void *user) {
      J[1] = q[1];
      J[2] = 2 * std::sin(q[0]) * v[1];
      spoil(user, "gyroscopic_dv", J);
      return 0;
    };
    system.internal = [](double t, const double *q, const double *v, const double *, double *F,
                         void *) {
      F[0] = 1e4 * q[0] + t;
      F[1] = v[1] * std::fabs(v[1]);
      return 0;
    };
    system.internal_dq = [](double, const double *, const double *, const double *, double *J,
                            void *user) {
      J[0] = 1e4;
      spoil(user, "internal_dq", J);
      return 0;
    };
    system.internal_dv = [](double, const double *, const double *v, const double *, double *J,
                            void *user) {
      J[3] = 2 * std::fabs(v[1]);
      spoil(user, "internal_dv", J);
      return 0;
    };
    system.control.n_u = 1;
    system.control.T = keep({1, 0});
    system.control.u = [](double, const double *q, const double *v, const double *, double *u,
                          void *) {
      u[0] = -3 * q[1] + q[0] * v[0];
      return 0;
    };
    system.control.u_dq = [](double, const double *, const double *v, const double *, double *J,
                             void *user) {
      J[0] = v[0];
      J[1] = -3;
      spoil(user, "control.u_dq", J);
      return 0;
    };
    system.control.u_dv = [](double, const double *q, const double *, const double *, double *J,
                             void *user) {
      J[0] = q[0];
      spoil(user, "control.u_dv", J);
      return 0;
    };
    add(system.system);
    perp_lagrangian_compliant_init(&gap, sizeof gap, 1, 2);
    gap.reads |= PERP_GAP_READS_TIME;
    gap.user = &wrong;
    gap.h = [](double t, const double *q, const double *l, const double *, double *y, void *) {
      y[0] = q[0] * std::cos(t) + q[1] * q[1] + std::sqrt(l[0]);
      return 0;
    };
    gap.H = [](double t, const double *q, const double *, const double *, double *J, void *user) {
      J[0] = std::cos(t);
      J[1] = 2 * q[1];
      spoil(user, "H", J);
      return 0;
    };
    gap.h_dt = [](double t, const double *q, const double *, const double *, double *J,
                  void *user) {
      J[0] = -q[0] * std::sin(t);
      spoil(user, "h_dt", J);
      return 0;
    };
    gap.D = [](double, const double *, const double *l, const double *, double *J, void *user) {
      J[0] = 0.5 / std::sqrt(l[0]);
      spoil(user, "D", J);
      return 0;
    };
    join(gap.relation, complementarity(), {0});
    perp_lagrangian_velocity_relation_init(&wheel, sizeof wheel, 1, 2);
    wheel.user = &wrong;
    wheel.g = [](double, const double *q, const double *v, const double *, double *y, void *) {
      y[0] = v[0] * std::cos(q[1]) + v[1] * v[1];
      return 0;
    };
    wheel.H = [](double, const double *q, const double *v, const double *, double *J, void *user) {
      J[0] = std::cos(q[1]);
      J[1] = 2 * v[1];
      spoil(user, "wheel", J);
      return 0;
    };
    join(wheel.relation, equality(), {0});
    perp_lagrangian_contact_relation_init(&ground, sizeof ground, 2, 2, 2);
    ground.user = &wrong;
    ground.h = [](double t, const double *q, const double *, const double *, double *y, void *) {
      y[0] = q[0] + q[1] - t * t;
      y[1] = q[0] * q[1];
      return 0;
    };
    ground.h_dt = [](double t, const double *, const double *, const double *, double *J,
                     void *user) {
      J[0] = -2 * t;
      spoil(user, "ground h_dt", J);
      return 0;
    };
    ground.G = [](double, const double *q, const double *, const double *, double *J, void *user) {
      J[0] = 1;
      J[1] = q[1];
      J[2] = 1;
      J[3] = q[0];
      spoil(user, "G", J);
      return 0;
    };
    ground.T = [](double, const double *q, const double *, const double *, double *J, void *) {
      J[0] = q[1];
      J[3] = 1;
      return 0;
    };
    join(ground.relation, friction(2, 0.5), {0});
    q0 = {0.6, 1.1};
    v0 = {-0.8, 1.7};
  }
};

TEST(CheckDerivatives, EachCallbackOfAMechanismIsNamed) {
  const double t = 0.3;
  const vec lambda = {1.5, 1, 1, 1, 1, 1};
  mechanism fine;
  result r = check(*fine.finish(), t, {}, {}, {}, lambda);
  EXPECT_EQ(r.status, PERP_OK) << r.report.jacobian;
  EXPECT_EQ(r.report.compared, 6 + (3 + 4) + (1 + 3) + (2 + 4));
  const struct {
    fault f;
    std::int32_t found, index;
    const char *name;
    std::int32_t row, column;
    double right;
  } cases[] = {{{"gyroscopic_dq", 2, 0.1}, PERP_FOUND_SYSTEM, 0, "gyroscopic_dq", 0, 1, 0},
               {{"gyroscopic_dv", 1, 0.1}, PERP_FOUND_SYSTEM, 0, "gyroscopic_dv", 1, 0, 1.1},
               {{"internal_dq", 0, 1}, PERP_FOUND_SYSTEM, 0, "internal_dq", 0, 0, 1e4},
               {{"internal_dv", 3, -0.1}, PERP_FOUND_SYSTEM, 0, "internal_dv", 1, 1, 3.4},
               {{"control.u_dq", 1, 6}, PERP_FOUND_SYSTEM, 0, "control.u_dq", 0, 1, -3},
               {{"control.u_dv", 1, 1e-3}, PERP_FOUND_SYSTEM, 0, "control.u_dv", 0, 1, 0},
               {{"H", 1, 0.01}, PERP_FOUND_RELATION, 0, "H", 0, 1, 2.2},
               {{"h_dt", 0, 0.01}, PERP_FOUND_RELATION, 0, "h_dt", 0, 0, -0.6 * std::sin(t)},
               {{"D", 0, 0.01}, PERP_FOUND_RELATION, 0, "D", 0, 0, 0.5 / std::sqrt(1.5)},
               {{"wheel", 0, 0.01}, PERP_FOUND_RELATION, 1, "H", 0, 0, std::cos(1.1)},
               {{"G", 3, 0.01}, PERP_FOUND_RELATION, 2, "G", 1, 1, 0.6},
               {{"ground h_dt", 1, 0.01}, PERP_FOUND_RELATION, 2, "h_dt", 1, 0, 0}};
  for (const auto &c : cases) {
    mechanism w;
    w.wrong = c.f;
    r = check(*w.finish(), t, {}, {}, {}, lambda);
    EXPECT_EQ(r.report.wrong, 1) << c.f.name;
    expect_wrong(r, c.found, c.index, c.name, c.row, c.column, c.right + c.f.by, c.right);
  }
}

TEST(CheckDerivatives, TimeThatWasNotDeclaredIsFound) {
  mechanism w;
  w.gap.reads = PERP_GAP_READS_LAMBDA;
  w.gap.h_dt = nullptr;
  const result r = check(*w.finish());
  expect_wrong(r, PERP_FOUND_RELATION, 0, "evaluate: ydot at rest", 0, 0, 0, -0.6 * std::sin(0.3));
}

TEST(CheckDerivatives, ForgottenMotionOfAGapIsFound) {
  mechanism w;
  w.ground.h_dt = nullptr;
  const result r = check(*w.finish());
  expect_wrong(r, PERP_FOUND_RELATION, 2, "evaluate: ydot at rest", 0, 0, 0, -0.6);
}

TEST(CheckDerivatives, ControlOfLinearSystemsIsNamed) {
  fault wrong;
  tools::world w;
  perp_lagrangian_linear &arm = w.body({1, 2});
  arm.K = perp_diagonal(2, w.keep({1e4, 1}));
  perp_first_order_linear &lag = w.circuit(2);
  for (perp_control *c : {&arm.control, &lag.control}) {
    c->n_u = 1;
    c->T = w.keep({0, 1});
    c->user = &wrong;
    c->u = [](double t, const double *q, const double *v, const double *, double *u, void *) {
      u[0] = v[0] * v[1] + t * (q == nullptr ? 0 : q[1] * q[1]);
      return 0;
    };
    c->u_dv = [](double, const double *, const double *v, const double *, double *J, void *user) {
      J[0] = v[1];
      J[1] = v[0];
      spoil(user, "u_dv", J);
      return 0;
    };
  }
  arm.control.u_dq = [](double t, const double *q, const double *, const double *, double *J,
                        void *user) {
    J[1] = 2 * t * q[1];
    spoil(user, "u_dq", J);
    return 0;
  };
  w.add(arm.system);
  w.add(lag.system);
  w.q0 = {1, 2};
  w.v0 = {3, 4};
  w.x0 = {100, 0.5};
  result r = check(*w.finish());
  EXPECT_EQ(r.status, PERP_OK);
  EXPECT_EQ(r.report.compared, 3);
  wrong = {"u_dq", 1, 0.1};
  expect_wrong(check(*w.finish()), PERP_FOUND_SYSTEM, 0, "control.u_dq", 0, 1, 1.3, 1.2);
  wrong = {"u_dv", 0, 1};
  r = check(*w.finish());
  EXPECT_EQ(r.report.wrong, 2);
  expect_wrong(r, PERP_FOUND_SYSTEM, 1, "control.u_dv", 0, 0, 1.5, 0.5);
}

TEST(CheckDerivatives, BodiesAreMovedByTheirIncrements) {
  tools::world w;
  perp_body body;
  ASSERT_EQ(perp_body_init(&body, sizeof body), PERP_OK);
  fault wrong;
  body.user = &wrong;
  // a spring to a point that turns with the body: F = −x + R e_x
  body.force = [](double, const double *q, const double *, double *F, void *) {
    double R[9];
    perp_rotation_matrix(q + 3, R);
    for (int i = 0; i < 3; i++) F[i] = -q[i] + R[i];
    return 0;
  };
  body.force_jacobian = [](double, const double *q, const double *, double *by_d, double *,
                           void *user) {
    double R[9];
    perp_rotation_matrix(q + 3, R);
    for (int i = 0; i < 3; i++) {
      by_d[4 * i] = -1;
      // d(R e_x) = R (d_r x e_x): −R e_z d_y + R e_y d_z
      by_d[12 + i] = -R[6 + i];
      by_d[15 + i] = R[3 + i];
    }
    spoil(user, "body", by_d);
    return 0;
  };
  w.add(body.system);
  // height of a point of the body, in velocity coordinates
  perp_lagrangian_relation r;
  ASSERT_EQ(perp_lagrangian_scleronomous_init(&r, sizeof r, 1, 6), PERP_OK);
  r.bodies = 1;
  r.user = &wrong;
  r.h = [](double, const double *q, const double *, const double *, double *y, void *) {
    double R[9];
    perp_rotation_matrix(q + 3, R);
    y[0] = q[2] + R[2];
    return 0;
  };
  r.H = [](double, const double *q, const double *, const double *, double *H, void *user) {
    double R[9];
    perp_rotation_matrix(q + 3, R);
    H[2] = 1;
    H[4] = -R[8];
    H[5] = R[5];
    spoil(user, "height", H);
    return 0;
  };
  w.join(r.relation, w.complementarity(), {0});
  w.q0 = {1, 2, 3, 0.5, -0.5, 0.7, 0.1};
  const double length = std::sqrt(0.25 + 0.25 + 0.49 + 0.01);
  for (std::size_t i = 3; i < 7; i++) w.q0[i] /= length;
  w.v0 = {1, 2, 3, 4, 5, 6};
  result out = check(*w.finish());
  EXPECT_EQ(out.status, PERP_OK) << out.report.jacobian;
  wrong = {"body", 13, 0.1};
  out = check(*w.finish());
  EXPECT_STREQ(out.report.jacobian, "force_jacobian, by_d");
  EXPECT_EQ(out.report.row, 1);
  EXPECT_EQ(out.report.column, 4);
  wrong = {"height", 3, 0.1};
  out = check(*w.finish());
  expect_wrong(out, PERP_FOUND_RELATION, 0, "H", 0, 3, 0.1, 0);
}

TEST(CheckDerivatives, ContactsAndJointsAgreeWithThemselves) {
  tools::world w;
  perp_body body;
  ASSERT_EQ(perp_body_init(&body, sizeof body), PERP_OK);
  w.add(body.system);
  w.add(body.system);
  const double qa[] = {0.1, 0.2, 0.3, 0.5, -0.5, 0.7, 0.1},
               qb[] = {1, -0.4, 0.6, 0.9, 0.3, 0, -0.3};
  for (const double *q : {qa, qb}) {
    const double length = std::sqrt(q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6]);
    for (int k = 0; k < 7; k++) w.q0.push_back(k < 3 ? q[k] : q[k] / length);
  }
  w.v0 = {1, 2, 3, 4, 5, 6, -1, 0.5, 2, -3, 1, 7};
  const double point[] = {0.4, 0.1, 0.2}, axis[] = {1, 2, -1};
  std::vector<perp_joint> joints(6);
  for (std::int32_t kind = PERP_JOINT_SPHERICAL; kind <= PERP_JOINT_SCREW; kind++) {
    perp_joint &joint = joints[static_cast<std::size_t>(kind)];
    ASSERT_EQ(perp_joint_init(&joint, sizeof joint, kind, 2), PERP_OK);
    ASSERT_EQ(perp_joint_place(&joint, point, axis, w.q0.data(), w.q0.data() + 7), PERP_OK);
    if (kind == PERP_JOINT_SCREW) joint.lead = 0.1;
    w.join(joint.relation, w.equality(joint.relation.m), {0, 1});
  }
  perp_joint_coordinate stop;
  ASSERT_EQ(perp_joint_coordinate_init(&stop, sizeof stop, &joints[1], PERP_COORDINATE_ANGLE,
                                       PERP_COORDINATE_STOPS),
            PERP_OK);
  stop.lower = -1;
  stop.upper = 1;
  w.join(stop.relation, w.complementarity(), {0, 1});
  perp_body_contact contact;
  ASSERT_EQ(perp_body_contact_init(&contact, sizeof contact, 3, 1), PERP_OK);
  perp_sphere_plane plane = {0.2, {0, 0.6, 0.8}, 0.1};
  contact.locate = perp_locate_sphere_plane;
  contact.user = &plane;
  w.join(contact.relation, w.friction(3, 0.5), {0});
  const result r = check(*w.finish());
  EXPECT_EQ(r.status, PERP_OK) << r.report.jacobian << " of " << r.report.index << " entry "
                               << r.report.row << " " << r.report.column << ": " << r.report.given
                               << " expected " << r.report.expected;
  EXPECT_GT(r.report.compared, 20);
}

// A kind of the user's own, which does not tell its Jacobians: compared as a whole.
TEST(CheckDerivatives, TablesOfTheUsersOwnAreCompared) {
  static double spoilt;
  perp_system_ops ops{};
  ops.struct_size = static_cast<std::uint32_t>(sizeof ops);
  ops.order = 2;
  ops.name = "own";
  ops.bytes = sizeof(perp_system);
  ops.mass = [](const perp_system *, double, const double *, double *M, double *) {
    M[0] = 1;
    return 0;
  };
  ops.force = [](const perp_system *, double, const double *q, const double *v, double *f,
                 double *) {
    f[0] = std::sin(q[0]) * v[0];
    return 0;
  };
  ops.jacobians = [](const perp_system *, double, const double *q, const double *v, double *df_dq,
                     double *df_dv, double *) {
    df_dq[0] = std::cos(q[0]) * v[0];
    df_dv[0] = std::sin(q[0]) + spoilt;
    return 0;
  };
  const perp_system own = {&ops, static_cast<std::uint32_t>(sizeof own), 1};
  tools::world w;
  w.add(own);
  w.q0 = {0.5};
  w.v0 = {2};
  spoilt = 0;
  result r = check(*w.finish());
  EXPECT_EQ(r.status, PERP_OK);
  EXPECT_EQ(r.report.compared, 2);
  spoilt = 0.01;
  r = check(*w.finish());
  expect_wrong(r, PERP_FOUND_SYSTEM, 0, "jacobians: df_dv", 0, 0, std::sin(0.5) + 0.01,
               std::sin(0.5));
}

// ---------------------------------------------------------------------- refusals ----

TEST(CheckDerivatives, CallbacksThatGiveUpAreNamed) {
  network w;
  w.relation.D = [](double, const double *, const double *, const double *, double *, void *) {
    return -1;
  };
  result r = check(*w.finish());
  EXPECT_EQ(r.status, PERP_ECALLBACK);
  EXPECT_EQ(r.report.found, PERP_FOUND_RELATION);
  EXPECT_EQ(r.report.index, 0);
  EXPECT_STREQ(r.report.jacobian, "D");
  network retry;
  retry.system.f_dx = [](double, const double *, const double *, double *, void *) { return 1; };
  r = check(*retry.finish());
  EXPECT_EQ(r.status, PERP_RETRY);
  EXPECT_STREQ(r.report.jacobian, "f_dx");
}

TEST(CheckDerivatives, ColumnsWhereTheFunctionIsRefusedAreLeftOut) {
  network w;
  w.wrong = {"f_dx", 0, 5};
  w.system.f = [](double, const double *x, const double *, double *f, void *) {
    f[0] = x[0] > 0.4 ? nan : std::sin(x[0]) * x[1];
    f[1] = x[0] * x[0] * x[1];
    return 0;
  };
  const result r = check(*w.finish());
  EXPECT_EQ(r.status, PERP_OK);
}

TEST(CheckDerivatives, WrongCallsAreRefused) {
  network w;
  const perp_model &model = *w.finish();
  perp_derivative_report report = PERP_DERIVATIVE_REPORT_INIT;
  const std::size_t bytes = perp_model_check_derivatives_workspace(&model);
  std::vector<unsigned char> work(bytes);
  const auto call = [&](const perp_model *m, double t, const double *x, double tol, std::size_t n) {
    report = PERP_DERIVATIVE_REPORT_INIT;
    return perp_model_check_derivatives(m, t, nullptr, nullptr, x, nullptr, tol, work.data(), n,
                                        &report);
  };
  EXPECT_EQ(call(nullptr, 0, nullptr, 1e-6, bytes), PERP_EINVAL);
  EXPECT_STREQ(report.jacobian, "model");
  EXPECT_EQ(call(&model, nan, nullptr, 1e-6, bytes), PERP_ENOTFINITE);
  EXPECT_STREQ(report.jacobian, "t");
  EXPECT_EQ(call(&model, 0, nullptr, -1, bytes), PERP_EINVAL);
  EXPECT_EQ(call(&model, 0, nullptr, nan, bytes), PERP_EINVAL);
  EXPECT_STREQ(report.jacobian, "tol");
  const double x[] = {0, 0, inf, 0};
  EXPECT_EQ(call(&model, 0, x, 1e-6, bytes), PERP_ENOTFINITE);
  EXPECT_STREQ(report.jacobian, "x");
  EXPECT_EQ(report.index, 2);
  EXPECT_EQ(call(&model, 0, nullptr, 1e-6, bytes - 1), PERP_EWORKSPACE);
  EXPECT_EQ(perp_model_check_derivatives(&model, 0, nullptr, nullptr, nullptr, nullptr, 1e-6,
                                         nullptr, bytes, &report),
            PERP_EWORKSPACE);
  EXPECT_EQ(call(&model, 0, nullptr, 1e-6, bytes), PERP_OK);
  EXPECT_EQ(perp_model_check_derivatives(&model, 0, nullptr, nullptr, nullptr, nullptr, 1e-6,
                                         work.data(), bytes, nullptr),
            PERP_OK);
  report.struct_size = 3;
  EXPECT_EQ(perp_model_check_derivatives(&model, 0, nullptr, nullptr, nullptr, nullptr, 1e-6,
                                         work.data(), bytes, &report),
            PERP_EINVAL);
  EXPECT_EQ(perp_model_check_derivatives_workspace(nullptr), 0u);
  w.relation.h = nullptr;
  EXPECT_EQ(perp_model_check_derivatives_workspace(&model), 0u);
  EXPECT_EQ(call(&model, 0, nullptr, 1e-6, bytes), PERP_EINVAL);
  EXPECT_STREQ(report.jacobian, "h");
}

TEST(CheckDerivatives, ConstantModelsHaveNothingToCompare) {
  tools::world w;
  tools::make_ball(w, 1, 9.81, 1, 0, 0.5);
  const result r = check(*w.finish());
  EXPECT_EQ(r.status, PERP_OK);
  EXPECT_EQ(r.report.compared, 0);
  tools::world none;
  EXPECT_EQ(check(*none.finish()).status, PERP_OK);
}

}  // namespace
