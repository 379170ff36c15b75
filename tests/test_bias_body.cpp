// SPDX-License-Identifier: MIT
// γ of joints, gears, contacts and prescribed velocities, and of the user's relations on bodies.
#include "bias_tools.hpp"
#include "each.hpp"

namespace {

using namespace bias_tools;

// Bodies somewhere else than where they were put together.
world moved(int count, std::mt19937 &random) {
  world w = world::of_bodies(count, random);
  vec v;
  travel(w, 0.4L, w.q, v);
  return w;
}

struct place {
  double point[3], axis[3];
};

place somewhere(std::mt19937 &random) {
  std::uniform_real_distribution<double> some(-1, 1);
  place p{};
  for (double &x : p.point) x = some(random);
  for (double &x : p.axis) x = some(random);
  return p;
}

perp_joint joint_of(std::int32_t kind, const world &w, std::mt19937 &random) {
  perp_joint joint;
  const auto count = static_cast<std::int32_t>(w.bodies.size());
  const place at = somewhere(random);
  EXPECT_EQ(perp_joint_init(&joint, sizeof joint, kind, count), PERP_OK);
  EXPECT_EQ(perp_joint_place(&joint, at.point, at.axis, w.q.data(),
                             count == 2 ? w.q.data() + 7 : nullptr),
            PERP_OK);
  joint.lead = 0.7;
  return joint;
}

TEST(Bias, OfJoints) {
  std::mt19937 random(7);
  for (std::int32_t kind = PERP_JOINT_SPHERICAL; kind <= PERP_JOINT_SCREW; kind++)
    for (int count = 1; count <= 2; count++)
      for (int trial = 0; trial < 10; trial += tools::each()) {
        world w = world::of_bodies(count, random);
        perp_joint joint = joint_of(kind, w, random);
        vec v;
        travel(w, 0.4L, w.q, v);  // the joint need not be closed
        SCOPED_TRACE("kind " + std::to_string(kind) + ", bodies " + std::to_string(count));
        expect_bias(joint.relation, w);
        expect_same(joint.relation, w);
      }
}

std::int32_t swing(double t, double *rate, void *) {
  rate[0] = std::sin(5 * t);
  return 0;
}

TEST(Bias, OfCoordinatesOfJoints) {
  std::mt19937 random(11);
  for (std::int32_t coordinate : {PERP_COORDINATE_ANGLE, PERP_COORDINATE_TRANSLATION})
    for (std::int32_t use = PERP_COORDINATE_RATE; use <= PERP_COORDINATE_UPPER; use++)
      for (int count = 1; count <= 2; count++)
        for (perp_time_fn rate : {static_cast<perp_time_fn>(nullptr), swing}) {
          world w = world::of_bodies(count, random);
          const perp_joint joint = joint_of(PERP_JOINT_CYLINDRICAL, w, random);
          vec v;
          travel(w, 0.4L, w.q, v);
          perp_joint_coordinate r;
          ASSERT_EQ(perp_joint_coordinate_init(&r, sizeof r, &joint, coordinate, use), PERP_OK);
          r.lower = -1;
          r.upper = 1;
          r.rate = rate;
          SCOPED_TRACE(use);
          expect_bias(r.relation, w, 1e-9);
          expect_same(r.relation, w, 1e-10);
        }
}

TEST(Bias, OfGears) {
  std::mt19937 random(13);
  for (int count = 2; count <= 3; count++)
    for (int trial = 0; trial < 10; trial += tools::each()) {
      world w = world::of_bodies(count, random);
      perp_gear gear;
      ASSERT_EQ(perp_gear_init(&gear, sizeof gear, count), PERP_OK);
      gear.teeth_a = 13;
      gear.teeth_b = -7;
      const place a = somewhere(random), b = somewhere(random);
      ASSERT_EQ(perp_gear_place(&gear, a.axis, b.axis, w.q.data(), w.q.data() + 7,
                                count == 3 ? w.q.data() + 14 : nullptr),
                PERP_OK);
      vec v;
      travel(w, 0.3L, w.q, v);
      expect_bias(gear.relation, w, 2e-9);
      expect_same(gear.relation, w, 1e-10);
    }
}

void unit(double *n) {
  const double length = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  for (int i = 0; i < 3; i++) n[i] /= length;
}

TEST(Bias, OfContactsOfBodiesWithKnownGeometry) {
  std::mt19937 random(17);
  std::uniform_real_distribution<double> some(-1, 1);
  for (std::int32_t m : {1, 2, 3, 5})
    for (int trial = 0; trial < 20; trial += tools::each()) {
      perp_body_contact contact;
      SCOPED_TRACE(m);
      const world one = moved(1, random), two = moved(2, random);
      perp_sphere_plane sphere = {0.3, {some(random), some(random), some(random)}, 0.2};
      unit(sphere.normal);
      ASSERT_EQ(perp_body_contact_init(&contact, sizeof contact, m, 1), PERP_OK);
      contact.locate = perp_locate_sphere_plane;
      contact.user = &sphere;
      expect_bias(contact.relation, one);
      perp_point_plane corner = {{some(random), some(random), some(random)},
                                 {some(random), some(random), some(random)},
                                 0.1};
      unit(corner.normal);
      contact.locate = perp_locate_point_plane;
      contact.user = &corner;
      expect_bias(contact.relation, one);
      expect_same(contact.relation, one);
      EXPECT_GT(largest(bias(contact.relation, one).gamma), 1e-3);
      perp_sphere_sphere pair = {{0.3, 0.5}};
      ASSERT_EQ(perp_body_contact_init(&contact, sizeof contact, m, 2), PERP_OK);
      contact.locate = perp_locate_sphere_sphere;
      contact.user = &pair;
      const double apart[3] = {two.q[0] - two.q[7], two.q[1] - two.q[8], two.q[2] - two.q[9]};
      if (std::fabs(apart[0]) + std::fabs(apart[1]) + std::fabs(apart[2]) < 0.7) continue;
      expect_bias(contact.relation, two, 1e-8); /* the judge's own steps are long here */
      expect_same(contact.relation, two, 1e-10);
      EXPECT_GT(largest(bias(contact.relation, two).gamma), 1e-3);
    }
}

// A sphere on a floor that tilts with the angle 0.7 t about e_y and slides.
std::int32_t tilting(double t, const double *q, perp_contact_place *p, void *) {
  const double angle = 0.7 * t, n[3] = {std::sin(angle), 0, std::cos(angle)};
  p->gap = n[0] * q[0] + n[2] * q[2] - 0.3;
  for (int i = 0; i < 3; i++) {
    p->normal[i] = n[i];
    p->a[i] = q[i] - 0.3 * n[i];
  }
  p->tangent[0] = std::cos(angle);
  p->tangent[1] = 0.2;
  p->tangent[2] = -std::sin(angle);
  p->velocity[0] = 0.7 * p->a[2];
  p->velocity[1] = 0.1 * t;
  p->velocity[2] = -0.7 * p->a[0];
  return 0;
}

TEST(Bias, OfContactsOfBodiesWithTheUsersGeometry) {
  std::mt19937 random(19);
  for (std::int32_t m : {1, 2, 3, 5})
    for (int trial = 0; trial < 10; trial += tools::each()) {
      const world w = moved(1, random);
      perp_body_contact contact;
      ASSERT_EQ(perp_body_contact_init(&contact, sizeof contact, m, 1), PERP_OK);
      contact.locate = tilting;
      expect_bias(contact.relation, w);
    }
}

TEST(Bias, OfPrescribedVelocities) {
  const auto ramp = [](double t, double *f, void *) -> std::int32_t {
    f[1] = std::exp(t);
    return 0;
  };
  const std::int32_t index[] = {2, 0};
  const perp_harmonic parts[] = {{2, 3, 0.4}, {1, 50, 0}, {0.5, 1, 1}, {0, 0, 0}};
  for (perp_time_fn F : {static_cast<perp_time_fn>(nullptr), static_cast<perp_time_fn>(ramp)}) {
    perp_prescribed_velocity r;
    ASSERT_EQ(perp_prescribed_velocity_init(&r, sizeof r, 2, 3), PERP_OK);
    r.index = index;
    r.harmonics = parts;
    r.n_harmonics = 2;
    r.velocity = F;
    world w;
    set_plain(w, {1, 2, 3}, {4, 5, 6}, {7, 8, 9});
    const answer got = bias(r.relation, w);
    ASSERT_EQ(got.code, 0);
    const double t = w.t, extra = F != nullptr ? std::exp(t) : 0;
    EXPECT_NEAR(got.gamma[0], 6 * std::sin(3 * t + 0.4) + 50 * std::sin(50 * t), 1e-12);
    EXPECT_NEAR(got.gamma[1], 0.5 * std::sin(t + 1) - extra, 1e-12);
  }
}

// The point p of a body at a distance from a point that moves: h = |x + R p − c(t)|² with its H.
const double arm[3] = {0.3, -0.2, 0.5};

void reach(double t, const double *q, double R[9], double d[3]) {
  perp_rotation_matrix(q + 3, R);
  for (int i = 0; i < 3; i++) {
    d[i] = q[i] - (i == 0 ? std::sin(2 * t) : 0);
    for (int j = 0; j < 3; j++) d[i] += R[i + 3 * j] * arm[j];
  }
}
std::int32_t distance(double t, const double *q, const double *, const double *, double *y,
                      void *) {
  double R[9], d[3];
  reach(t, q, R, d);
  y[0] = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  return 0;
}
// dᵀ(ẋ + R (Ω × p)) = dᵀẋ + (p × Rᵀd)ᵀΩ.
std::int32_t distance_dq(double t, const double *q, const double *, const double *, double *H,
                         void *) {
  double R[9], d[3], b[3];
  reach(t, q, R, d);
  for (int i = 0; i < 3; i++) b[i] = R[3 * i] * d[0] + R[3 * i + 1] * d[1] + R[3 * i + 2] * d[2];
  for (int i = 0; i < 3; i++) H[i] = 2 * d[i];
  H[3] = 2 * (arm[1] * b[2] - arm[2] * b[1]);
  H[4] = 2 * (arm[2] * b[0] - arm[0] * b[2]);
  H[5] = 2 * (arm[0] * b[1] - arm[1] * b[0]);
  return 0;
}

TEST(Bias, OfRelationsOfPositionsOnBodies) {
  std::mt19937 random(23);
  for (int trial = 0; trial < 10; trial += tools::each()) {
    const world w = moved(1, random);
    perp_lagrangian_relation r;
    ASSERT_EQ(perp_lagrangian_rheonomous_init(&r, sizeof r, 1, 6), PERP_OK);
    r.h = distance;
    r.H = distance_dq;
    r.bodies = 1;
    expect_bias(r.relation, w, 1e-9);
  }
}

TEST(Bias, OfRelationsOfVelocitiesOnBodies) {
  std::mt19937 random(29);
  for (int trial = 0; trial < 10; trial += tools::each()) {
    const world w = moved(1, random);
    perp_lagrangian_velocity_relation r;
    ASSERT_EQ(perp_lagrangian_velocity_relation_init(&r, sizeof r, 1, 6), PERP_OK);
    r.bodies = 1;
    r.g = [](double t, const double *q, const double *v, const double *, double *out,
             void *) -> std::int32_t {
      double R[9];
      perp_rotation_matrix(q + 3, R);  // the blade's own direction
      out[0] = R[0] * v[0] + R[1] * v[1] + R[2] * v[2] + t * v[4];
      return 0;
    };
    expect_bias(r.relation, w, 1e-9);
  }
}

TEST(Bias, OfJointsPassesTheCheckOfDerivatives) {
  std::mt19937 random(31);
  for (int trial = 0; trial < 5; trial++) {
    world w = world::of_bodies(2, random);
    const perp_joint joint = joint_of(PERP_JOINT_SCREW, w, random);
    EXPECT_EQ(check_model(w, joint.relation, w.q, w.v).status, PERP_OK);
  }
}

}  // namespace
