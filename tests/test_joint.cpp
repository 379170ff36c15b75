// SPDX-License-Identifier: MIT
// Joints, their coordinates and gears: gradients along q ⊕ d, what they leave free, checks.
#include <gtest/gtest.h>
#include <perp/experimental.h>
#include <perp/joint.h>

#include <cmath>
#include <limits>

#include "body_relation_tools.hpp"
#include "body_tools.hpp"

namespace {

using tools::evaluate;
using tools::evaluated;
using tools::vec3;
using tools::operator+;
using tools::operator-;
using tools::operator*;
using vec = std::vector<double>;

constexpr double kPi = 3.14159265358979323846;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
const int kKinds[] = {PERP_JOINT_SPHERICAL,   PERP_JOINT_PIVOT, PERP_JOINT_PRISMATIC,
                      PERP_JOINT_CYLINDRICAL, PERP_JOINT_FIXED, PERP_JOINT_SCREW};
const std::size_t kRows[] = {3, 5, 5, 4, 6, 5};

perp_joint random_joint(std::mt19937 &random, int kind, int bodies, const vec &q) {
  perp_joint joint;
  EXPECT_EQ(perp_joint_init(&joint, sizeof joint, kind, bodies), PERP_OK);
  const auto axis = tools::random_direction(random);
  const vec point = tools::random_vector(random, 3);
  joint.lead = 0.7;
  EXPECT_EQ(perp_joint_place(&joint, point.data(), axis.data(), q.data(),
                             bodies == 2 ? q.data() + 7 : nullptr),
            PERP_OK);
  return joint;
}

// H of every row against differences of y, wherever the bodies are.
void expect_gradient(const perp_relation &relation, const vec &q, std::mt19937 &random) {
  const vec d = tools::random_vector(random, static_cast<std::size_t>(relation.n));
  const evaluated e = evaluate(relation, q, d);
  ASSERT_EQ(e.answer, 0);
  const vec rate = tools::along([&](const vec &at) { return evaluate(relation, at, d).y; }, q, d);
  const vec product = tools::times(e.H, d);
  for (std::size_t i = 0; i < rate.size(); i++) {
    EXPECT_NEAR(product[i], rate[i], 1e-7) << relation.ops->name << " row " << i;
    EXPECT_NEAR(product[i], e.ydot[i], 1e-13);
  }
}

TEST(Joint, RowsAreGradientsOfTheErrorsEverywhere) {
  std::mt19937 random(1);
  for (int kind : kKinds) {
    for (int trial = 0; trial < 20; trial++) {
      const auto bodies = static_cast<std::size_t>(1 + trial % 2);
      const vec q0 = tools::random_bodies(random, bodies);
      const perp_joint joint = random_joint(random, kind, static_cast<int>(bodies), q0);
      expect_gradient(joint.relation, tools::random_bodies(random, bodies), random);
      expect_gradient(joint.relation, q0, random);
    }
  }
}

TEST(Joint, PlacedJointsHaveNoErrorAndIndependentRows) {
  std::mt19937 random(2);
  for (std::size_t k = 0; k < 6; k++) {
    for (std::size_t bodies = 1; bodies <= 2; bodies++) {
      const vec q = tools::random_bodies(random, bodies);
      const perp_joint joint = random_joint(random, kKinds[k], static_cast<int>(bodies), q);
      const evaluated e = evaluate(joint.relation, q, vec(6 * bodies, 0.0));
      ASSERT_EQ(e.y.size(), kRows[k]);
      for (double y : e.y) EXPECT_NEAR(y, 0, 1e-14);
      EXPECT_EQ(tools::rank(e.H, kRows[k]), static_cast<int>(kRows[k]));
      EXPECT_EQ(joint.relation.ops->check(&joint.relation, nullptr), PERP_OK);
    }
  }
}

// B as it is, A moved by an angle about and a translation along the joint's axis of B.
vec displaced(const perp_joint &joint, const vec &q, double angle, double translation) {
  const tools::quat QB =
      joint.relation.n == 12 ? tools::quaternion(&q[7]) : tools::quat{1, 0, 0, 0};
  const vec3 xB = joint.relation.n == 12 ? tools::v3(&q[7]) : vec3{0, 0, 0};
  const vec3 e = tools::turn(QB, tools::v3(joint.frame_b));
  const vec3 p = xB + tools::turn(QB, tools::v3(joint.point_b));
  const double axis[3] = {static_cast<double>(e[0]), static_cast<double>(e[1]),
                          static_cast<double>(e[2])};
  double turn[4];
  perp_rotation_quaternion(axis, angle, turn);
  const tools::quat by = {turn[0], turn[1], turn[2], turn[3]};
  const tools::quat Q = tools::multiply(by, tools::quaternion(q.data()));
  const vec3 x =
      p + tools::turn(by, tools::v3(q.data()) - p) + static_cast<tools::real>(translation) * e;
  vec out = q;
  for (std::size_t i = 0; i < 3; i++) out[i] = static_cast<double>(x[i]);
  for (std::size_t i = 0; i < 4; i++) out[3 + i] = static_cast<double>(Q[i]);
  return out;
}

TEST(Joint, WhatAJointLeavesFreeIsNoErrorAndTheRestIs) {
  std::mt19937 random(3);
  for (std::size_t bodies = 1; bodies <= 2; bodies++) {
    for (int kind : kKinds) {
      const bool turns = kind != PERP_JOINT_PRISMATIC && kind != PERP_JOINT_FIXED;
      const bool slides = kind == PERP_JOINT_PRISMATIC || kind == PERP_JOINT_CYLINDRICAL;
      const vec q = tools::random_bodies(random, bodies);
      const perp_joint joint = random_joint(random, kind, static_cast<int>(bodies), q);
      for (double angle : {-3.0, -0.4, 0.0, kPi / 2, 2.0}) {
        for (double slide : {-0.3, 0.0, 0.2}) {
          const double thread = kind == PERP_JOINT_SCREW ? joint.lead * angle / (2 * kPi) : 0;
          const vec at = displaced(joint, q, angle, slide + thread);
          const evaluated e = evaluate(joint.relation, at, vec(6 * bodies, 0.0));
          double worst = 0;
          for (double y : e.y) worst = std::fmax(worst, std::fabs(y));
          if ((angle == 0 || turns) && (slide == 0 || slides)) {
            EXPECT_LT(worst, 1e-13) << kind << " " << angle << " " << slide;
            EXPECT_EQ(tools::rank(e.H, e.y.size()), static_cast<int>(e.y.size())) << angle;
          } else {
            EXPECT_GT(worst, 0.1) << kind << " " << angle << " " << slide;
          }
        }
      }
    }
  }
}

TEST(Joint, RowsTurnOnlyAgainstWhatTheJointHolds) {
  std::mt19937 random(4);
  const vec q = tools::random_bodies(random, 1);
  for (int kind : {PERP_JOINT_PIVOT, PERP_JOINT_CYLINDRICAL, PERP_JOINT_SCREW}) {
    const perp_joint joint = random_joint(random, kind, 1, q);
    const vec at =
        displaced(joint, q, 0.8, kind == PERP_JOINT_SCREW ? 0.8 * joint.lead / (2 * kPi) : 0);
    const vec3 e = tools::v3(joint.frame_b), p = tools::v3(joint.point_b);
    const vec3 speed = tools::cross(e, tools::v3(at.data()) - p);
    const vec3 spin = tools::turn_back(tools::quaternion(at.data()), e);
    vec v(6);
    for (std::size_t i = 0; i < 3; i++) {
      v[i] = static_cast<double>(speed[i]);
      if (kind == PERP_JOINT_SCREW) v[i] += joint.lead / (2 * kPi) * joint.frame_b[i];
      v[3 + i] = static_cast<double>(spin[i]);
    }
    for (double rate : evaluate(joint.relation, at, v).ydot) EXPECT_NEAR(rate, 0, 1e-14);
  }
}

TEST(Joint, ImpulsesBetweenBodiesKeepMomentumAndAngularMomentum) {
  std::mt19937 random(5);
  for (int kind : kKinds) {
    const vec q = tools::random_bodies(random, 2);
    const perp_joint joint = random_joint(random, kind, 2, q);
    const evaluated e = evaluate(joint.relation, displaced(joint, q, 0.1, 0.2), vec(12, 0.0));
    const vec at = displaced(joint, q, 0.1, 0.2);
    const bool along_points =
        kind == PERP_JOINT_SPHERICAL || kind == PERP_JOINT_PIVOT || kind == PERP_JOINT_FIXED;
    const vec place = along_points ? q : at; /* point rows with an open gap have a couple */
    const evaluated f = along_points ? evaluate(joint.relation, q, vec(12, 0.0)) : e;
    const vec lambda = tools::random_vector(random, f.y.size());
    vec r(12, 0.0);
    for (std::size_t j = 0; j < 12; j++)
      for (std::size_t i = 0; i < lambda.size(); i++)
        r[j] += f.H[i + lambda.size() * j] * lambda[i];
    vec3 linear = {0, 0, 0}, angular = {0, 0, 0};
    for (std::size_t b = 0; b < 2; b++) {
      linear = linear + tools::v3(&r[6 * b]);
      angular = angular + tools::cross(tools::v3(&place[7 * b]), tools::v3(&r[6 * b])) +
                tools::turn(tools::quaternion(&place[7 * b]), tools::v3(&r[6 * b + 3]));
    }
    for (std::size_t i = 0; i < 3; i++) {
      EXPECT_NEAR(static_cast<double>(linear[i]), 0, 1e-14) << kind;
      EXPECT_NEAR(static_cast<double>(angular[i]), 0, 1e-13) << kind;
    }
  }
}

TEST(Joint, KneeIsThatOfThePlainFormula) {
  perp_joint knee;
  ASSERT_EQ(perp_joint_init(&knee, sizeof knee, PERP_JOINT_SPHERICAL, 1), PERP_OK);
  const double s = 0.5 / std::sqrt(2.0), point[3] = {0, 0, 0};
  const vec q = {s, 0, -s, std::cos(kPi / 8), 0, std::sin(kPi / 8), 0};
  ASSERT_EQ(perp_joint_place(&knee, point, nullptr, q.data(), nullptr), PERP_OK);
  EXPECT_NEAR(knee.point_a[0], -0.5, 1e-15);
  EXPECT_NEAR(knee.point_a[1], 0, 1e-15);
  EXPECT_NEAR(knee.point_a[2], 0, 1e-15);
  const evaluated e = evaluate(knee.relation, q, {1, 2, 3, 4, 5, 6});
  for (std::size_t j = 0; j < 3; j++)
    for (std::size_t i = 0; i < 3; i++) EXPECT_EQ(e.H[i + 3 * j], i == j ? 1 : 0);
}

class Coordinate : public testing::Test {
 protected:
  std::mt19937 random_{6};
  perp_joint_coordinate make(const perp_joint &joint, int coordinate, int use) {
    perp_joint_coordinate c;
    EXPECT_EQ(perp_joint_coordinate_init(&c, sizeof c, &joint, coordinate, use), PERP_OK);
    c.lower = -0.5;
    c.upper = 0.75;
    return c;
  }
};

TEST_F(Coordinate, AngleAndTranslationAreWhatTheBodiesWereMovedBy) {
  for (int bodies = 1; bodies <= 2; bodies++) {
    const vec q = tools::random_bodies(random_, static_cast<std::size_t>(bodies));
    const perp_joint joint = random_joint(random_, PERP_JOINT_CYLINDRICAL, bodies, q);
    for (double angle : {-3.0, -1.0, 0.0, 0.5, 3.1}) {
      const vec at = displaced(joint, q, angle, 0.3 * angle);
      double c = 999, s = 999;
      EXPECT_EQ(perp_joint_coordinate_value(&joint, PERP_COORDINATE_ANGLE, at.data(), nullptr, &c,
                                            nullptr),
                PERP_OK);
      EXPECT_EQ(perp_joint_coordinate_value(&joint, PERP_COORDINATE_TRANSLATION, at.data(), nullptr,
                                            &s, nullptr),
                PERP_OK);
      EXPECT_NEAR(c, angle, 1e-13);
      EXPECT_NEAR(s, 0.3 * angle, 1e-13);
    }
  }
}

TEST_F(Coordinate, EveryUseHasItsGradient) {
  for (int bodies = 1; bodies <= 2; bodies++) {
    const vec q = tools::random_bodies(random_, static_cast<std::size_t>(bodies));
    const perp_joint joint = random_joint(random_, PERP_JOINT_PIVOT, bodies, q);
    for (int coordinate : {PERP_COORDINATE_ANGLE, PERP_COORDINATE_TRANSLATION}) {
      for (int use : {PERP_COORDINATE_RATE, PERP_COORDINATE_STOPS, PERP_COORDINATE_LOWER,
                      PERP_COORDINATE_UPPER}) {
        const perp_joint_coordinate c = make(joint, coordinate, use);
        EXPECT_EQ(c.relation.ops->check(&c.relation, nullptr), PERP_OK);
        for (int trial = 0; trial < 5; trial++)
          expect_gradient(c.relation,
                          tools::random_bodies(random_, static_cast<std::size_t>(bodies)), random_);
      }
    }
  }
}

TEST_F(Coordinate, StopsAreGapsOnBothSides) {
  const vec q = tools::random_bodies(random_, 1);
  const perp_joint joint = random_joint(random_, PERP_JOINT_PIVOT, 1, q);
  const perp_joint_coordinate both = make(joint, PERP_COORDINATE_ANGLE, PERP_COORDINATE_STOPS);
  const vec at = displaced(joint, q, 0.25, 0), v = tools::random_vector(random_, 6);
  const evaluated e = evaluate(both.relation, at, v);
  ASSERT_EQ(e.y.size(), 2U);
  EXPECT_NEAR(e.y[0], 0.75, 1e-13);
  EXPECT_NEAR(e.y[1], 0.5, 1e-13);
  EXPECT_EQ(e.ydot[0], -e.ydot[1]);
  const perp_joint_coordinate low = make(joint, PERP_COORDINATE_ANGLE, PERP_COORDINATE_LOWER);
  const perp_joint_coordinate high = make(joint, PERP_COORDINATE_ANGLE, PERP_COORDINATE_UPPER);
  EXPECT_EQ(evaluate(low.relation, at, v).y[0], e.y[0]);
  EXPECT_EQ(evaluate(high.relation, at, v).y[0], e.y[1]);
}

TEST_F(Coordinate, AnglesAreTakenAboutTheirCentre) {
  const vec q = tools::random_bodies(random_, 1);
  const perp_joint joint = random_joint(random_, PERP_JOINT_PIVOT, 1, q);
  perp_joint_coordinate c = make(joint, PERP_COORDINATE_ANGLE, PERP_COORDINATE_RATE);
  c.centre = 3;
  for (double angle : {0.0, 2.0, 3.1, 4.0, 6.0})
    EXPECT_NEAR(evaluate(c.relation, displaced(joint, q, angle, 0), vec(6, 0.0)).y[0], angle,
                1e-12);
}

std::int32_t ramp(double t, double *f, void *user) {
  f[0] = *static_cast<double *>(user) * t;
  return 0;
}
std::int32_t ramp_fails(double, double *, void *) { return -4; }

TEST_F(Coordinate, DrivesSubtractTheirRateAndEffortsAreScaledByTheStep) {
  const vec q = tools::random_bodies(random_, 1), v = tools::random_vector(random_, 6);
  const perp_joint joint = random_joint(random_, PERP_JOINT_PIVOT, 1, q);
  perp_joint_coordinate drive = make(joint, PERP_COORDINATE_ANGLE, PERP_COORDINATE_RATE);
  perp_joint_coordinate effort = make(joint, PERP_COORDINATE_ANGLE, PERP_COORDINATE_EFFORT);
  double slope = 2, rate = 999;
  drive.rate = effort.rate = ramp;
  drive.user = effort.user = &slope;
  ASSERT_EQ(perp_joint_coordinate_value(&joint, PERP_COORDINATE_ANGLE, q.data(), v.data(), nullptr,
                                        &rate),
            PERP_OK);
  const evaluated a = evaluate(drive.relation, q, v, 3, 0.01);
  const evaluated b = evaluate(effort.relation, q, v, 3, 0.01);
  EXPECT_NEAR(a.ydot[0], rate - 6, 1e-13);
  EXPECT_NEAR(b.ydot[0], 0.01 * (rate - 6), 1e-15);
  for (std::size_t j = 0; j < 6; j++) EXPECT_NEAR(b.H[j], 0.01 * a.H[j], 1e-17);
  drive.rate = ramp_fails;
  EXPECT_EQ(evaluate(drive.relation, q, v).answer, -4);
  const auto features = [](const perp_joint_coordinate &c) {
    return c.relation.ops->features(&c.relation) & PERP_RELATION_HOLONOMIC;
  };
  EXPECT_EQ(features(drive), 0U) << "a velocity is held, not a position";
  EXPECT_NE(features(make(joint, PERP_COORDINATE_ANGLE, PERP_COORDINATE_STOPS)), 0U);
}

TEST_F(Coordinate, ChecksNameTheField) {
  const vec q = tools::random_bodies(random_, 1);
  const perp_joint joint = random_joint(random_, PERP_JOINT_PIVOT, 1, q);
  perp_joint bad_joint = joint;
  bad_joint.frame_a[0] += 1e-6;
  const perp_joint_coordinate good = make(joint, PERP_COORDINATE_ANGLE, PERP_COORDINATE_STOPS);
  const auto expect = [](const perp_joint_coordinate &c, perp_status status, const char *field) {
    perp_info info = PERP_INFO_INIT;
    EXPECT_EQ(c.relation.ops->check(&c.relation, &info), status) << field;
    EXPECT_STREQ(info.field, field);
  };
  perp_joint_coordinate c = good;
  c.use = 5;
  expect(c, PERP_EINVAL, "use");
  c = good;
  c.coordinate = 2;
  expect(c, PERP_EINVAL, "coordinate");
  c = good;
  c.relation.m = 1;
  expect(c, PERP_EINVAL, "relation.m");
  c = good;
  c.joint = nullptr;
  expect(c, PERP_EINVAL, "joint");
  c = good;
  c.joint = &bad_joint;
  expect(c, PERP_EINVAL, "frame_a");
  c = good;
  c.lower = kNaN;
  expect(c, PERP_ENOTFINITE, "lower");
  c = good;
  c.upper = kNaN;
  expect(c, PERP_ENOTFINITE, "upper");
  c = good;
  c.centre = kNaN;
  expect(c, PERP_ENOTFINITE, "centre");
  c = good;
  c.upper = c.lower;
  expect(c, PERP_EINVAL, "upper");
  EXPECT_EQ(perp_joint_coordinate_init(&c, sizeof c, nullptr, 0, 0), PERP_EINVAL);
  EXPECT_EQ(perp_joint_coordinate_init(&c, sizeof c, &joint, 2, 0), PERP_EINVAL);
  EXPECT_EQ(perp_joint_coordinate_init(&c, sizeof c, &joint, 0, -1), PERP_EINVAL);
  EXPECT_EQ(perp_joint_coordinate_init(&c, 8, &joint, 0, 0), PERP_EINVAL);
  EXPECT_EQ(perp_joint_coordinate_init(nullptr, sizeof c, &joint, 0, 0), PERP_EINVAL);
  double value;
  EXPECT_EQ(perp_joint_coordinate_value(nullptr, 0, q.data(), nullptr, &value, nullptr),
            PERP_EINVAL);
  EXPECT_EQ(perp_joint_coordinate_value(&joint, 0, nullptr, nullptr, &value, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_joint_coordinate_value(&joint, 3, q.data(), nullptr, &value, nullptr),
            PERP_EINVAL);
  EXPECT_EQ(perp_joint_coordinate_value(&joint, 0, q.data(), nullptr, nullptr, &value),
            PERP_EINVAL);
}

TEST(JointChecks, NameTheField) {
  std::mt19937 random(7);
  const vec q = tools::random_bodies(random, 1);
  const perp_joint good = random_joint(random, PERP_JOINT_SCREW, 1, q);
  const auto expect = [](const perp_joint &j, perp_status status, const char *field) {
    perp_info info = PERP_INFO_INIT;
    EXPECT_EQ(j.relation.ops->check(&j.relation, &info), status) << field;
    EXPECT_STREQ(info.field, field);
  };
  perp_joint j = good;
  j.kind = 6;
  expect(j, PERP_EINVAL, "kind");
  j = good;
  j.relation.m = 4;
  expect(j, PERP_EINVAL, "relation.m");
  j = good;
  j.relation.n = 18;
  expect(j, PERP_EINVAL, "relation.n");
  j = good;
  j.point_a[1] = kNaN;
  expect(j, PERP_ENOTFINITE, "point_a");
  j = good;
  j.point_b[1] = kNaN;
  expect(j, PERP_ENOTFINITE, "point_b");
  j = good;
  j.frame_b[8] = kNaN;
  expect(j, PERP_EINVAL, "frame_b");
  j = good;
  for (int i = 0; i < 3; i++) j.frame_b[6 + i] = -j.frame_b[6 + i];
  expect(j, PERP_EINVAL, "frame_b");
  j = good;
  j.lead = kNaN;
  expect(j, PERP_ENOTFINITE, "lead");
}

TEST(JointChecks, InitAndPlaceRefuseWhatIsNot) {
  perp_joint j;
  EXPECT_EQ(perp_joint_init(nullptr, sizeof j, 0, 1), PERP_EINVAL);
  EXPECT_EQ(perp_joint_init(&j, 8, 0, 1), PERP_EINVAL);
  EXPECT_EQ(perp_joint_init(&j, sizeof j, -1, 1), PERP_EINVAL);
  EXPECT_EQ(perp_joint_init(&j, sizeof j, 6, 1), PERP_EINVAL);
  EXPECT_EQ(perp_joint_init(&j, sizeof j, 0, 0), PERP_EINVAL);
  EXPECT_EQ(perp_joint_init(&j, sizeof j, 0, 3), PERP_EINVAL);
  ASSERT_EQ(perp_joint_init(&j, sizeof j, PERP_JOINT_PIVOT, 2), PERP_OK);
  const double p[3] = {0, 0, 0}, none[3] = {0, 0, 0}, axis[3] = {0, 0, 1e-200};
  const double bad[3] = {kNaN, 0, 0}, q[7] = {0, 0, 0, 1, 0, 0, 0};
  EXPECT_EQ(perp_joint_place(nullptr, p, axis, q, q), PERP_EINVAL);
  EXPECT_EQ(perp_joint_place(&j, nullptr, axis, q, q), PERP_EINVAL);
  EXPECT_EQ(perp_joint_place(&j, p, axis, nullptr, q), PERP_EINVAL);
  EXPECT_EQ(perp_joint_place(&j, p, axis, q, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_joint_place(&j, p, none, q, q), PERP_EINVAL);
  EXPECT_EQ(perp_joint_place(&j, p, bad, q, q), PERP_ENOTFINITE);
  EXPECT_EQ(perp_joint_place(&j, bad, axis, q, q), PERP_ENOTFINITE);
  EXPECT_EQ(perp_joint_place(&j, p, axis, q, q), PERP_OK) << "tiny is still a direction";
  EXPECT_EQ(j.frame_a[2], 1);
}

class Gear : public testing::Test {
 protected:
  // Turn body b of q by an angle about an axis of the fixed frame through its own centre.
  static void spin(vec &q, std::size_t b, const double *axis, double angle) {
    double turn[4];
    perp_rotation_quaternion(axis, angle, turn);
    const tools::quat Q =
        tools::multiply({turn[0], turn[1], turn[2], turn[3]}, tools::quaternion(&q[7 * b]));
    for (std::size_t i = 0; i < 4; i++) q[7 * b + 3 + i] = static_cast<double>(Q[i]);
  }
  std::mt19937 random_{8};
};

TEST_F(Gear, RowIsTheGradientOfTheMismatch) {
  for (int trial = 0; trial < 20; trial++) {
    const int bodies = 2 + trial % 2;
    const vec q = tools::random_bodies(random_, static_cast<std::size_t>(bodies));
    const auto a = tools::random_direction(random_), b = tools::random_direction(random_);
    perp_gear gear;
    ASSERT_EQ(perp_gear_init(&gear, sizeof gear, bodies), PERP_OK);
    gear.teeth_a = 3;
    gear.teeth_b = -2;
    ASSERT_EQ(
        perp_gear_place(&gear, a.data(), b.data(), q.data(), &q[7], bodies == 3 ? &q[14] : nullptr),
        PERP_OK);
    EXPECT_EQ(gear.relation.ops->check(&gear.relation, nullptr), PERP_OK);
    expect_gradient(gear.relation, q, random_);
    EXPECT_NEAR(
        evaluate(gear.relation, q, vec(static_cast<std::size_t>(gear.relation.n), 0.0)).y[0], 0,
        1e-14);
  }
}

TEST_F(Gear, TeethMeshOverManyTurns) {
  vec q = tools::random_bodies(random_, 2);
  const double axis[3] = {0, 0.6, 0.8};
  perp_gear gear;
  ASSERT_EQ(perp_gear_init(&gear, sizeof gear, 2), PERP_OK);
  gear.teeth_a = 20;
  gear.teeth_b = 33;
  ASSERT_EQ(perp_gear_place(&gear, axis, axis, &q[0], &q[7], nullptr), PERP_OK);
  for (int step = 0; step < 2000; step++) {
    spin(q, 0, axis, 0.05);
    spin(q, 1, axis, -0.05 * 20 / 33);
    EXPECT_NEAR(evaluate(gear.relation, q, vec(12, 0.0)).y[0], 0, 1e-11) << step;
  }
  spin(q, 0, axis, 0.01);
  EXPECT_NEAR(evaluate(gear.relation, q, vec(12, 0.0)).y[0], 0.01, 1e-11);
}

TEST_F(Gear, ACarriedPairFeelsOnlyWhatTurnsAgainstTheCarrier) {
  const vec q = tools::random_bodies(random_, 3);
  const double axis[3] = {0, 0, 1};
  perp_gear gear;
  ASSERT_EQ(perp_gear_init(&gear, sizeof gear, 3), PERP_OK);
  gear.teeth_a = 2;
  gear.teeth_b = 5;
  ASSERT_EQ(perp_gear_place(&gear, axis, axis, &q[0], &q[7], &q[14]), PERP_OK);
  vec v(18, 0.0);
  for (std::size_t b = 0; b < 3; b++) {
    const vec3 w = tools::turn_back(tools::quaternion(&q[7 * b]), {0.3L, -0.2L, 1.5L});
    for (std::size_t i = 0; i < 3; i++) v[6 * b + 3 + i] = static_cast<double>(w[i]);
  }
  EXPECT_NEAR(evaluate(gear.relation, q, v).ydot[0], 0, 1e-13) << "all turn together";
}

TEST_F(Gear, ChecksNameTheField) {
  perp_gear good;
  ASSERT_EQ(perp_gear_init(&good, sizeof good, 2), PERP_OK);
  const auto expect = [](const perp_gear &g, const char *field) {
    perp_info info = PERP_INFO_INIT;
    EXPECT_EQ(g.relation.ops->check(&g.relation, &info), PERP_EINVAL) << field;
    EXPECT_STREQ(info.field, field);
  };
  perp_gear g = good;
  g.teeth_a = 0;
  expect(g, "teeth_a");
  g = good;
  g.teeth_b = 0;
  expect(g, "teeth_b");
  g = good;
  g.frame_a[1] = 1;
  expect(g, "frame_a");
  g = good;
  g.frame_b[1] = 1;
  expect(g, "frame_b");
  g = good;
  g.carrier_a[1] = 1;
  expect(g, "carrier_a");
  g = good;
  g.carrier_b[1] = kNaN;
  expect(g, "carrier_b");
  g = good;
  g.relation.m = 2;
  expect(g, "relation.m");
  g = good;
  g.relation.n = 6;
  expect(g, "relation.n");
  const double p[3] = {1, 0, 0}, none[3] = {0, 0, 0}, q[7] = {0, 0, 0, 1, 0, 0, 0};
  EXPECT_EQ(perp_gear_init(&g, sizeof g, 1), PERP_EINVAL);
  EXPECT_EQ(perp_gear_init(&g, 8, 2), PERP_EINVAL);
  EXPECT_EQ(perp_gear_init(nullptr, sizeof g, 2), PERP_EINVAL);
  ASSERT_EQ(perp_gear_init(&g, sizeof g, 3), PERP_OK);
  EXPECT_EQ(perp_gear_place(&g, p, p, q, q, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_gear_place(&g, p, none, q, q, q), PERP_EINVAL);
  EXPECT_EQ(perp_gear_place(nullptr, p, p, q, q, q), PERP_EINVAL);
  EXPECT_EQ(perp_gear_place(&g, p, p, q, q, q), PERP_OK);
}

}  // namespace
