// SPDX-License-Identifier: MIT
// Bodies of the façade, their contacts, joints and gears: every field reaches C, and the run has
// the bits of the same bodies written in C.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "facade_tools.hpp"
#include "perp/perp.hpp"

namespace {

using perp::span;
using perp::view;
using tools::c_world;
using tools::deep_steps;
using tools::expect_refusal;

/** n bodies of one kind, in C and here. */
struct bodies {
  perp_body c;
  perp::body mine{2, {1, 2, 3}, {0, 0, -20}};
  c_world world;
  perp::model model;
  std::vector<perp::system_id> ids;

  bodies() {
    EXPECT_EQ(perp_body_init(&c, sizeof c), PERP_OK);
    c.mass = 2;
    c.inertia[0] = 1, c.inertia[4] = 2, c.inertia[8] = 3;
    c.f[2] = -20;
  }
  void add(const perp::pose &q, const std::vector<double> &v = {0, 0, 0, 0, 0, 0}) {
    world.add(c.system);
    world.q0.insert(world.q0.end(), q.begin(), q.end());
    world.v0.insert(world.v0.end(), v.begin(), v.end());
    ids.push_back(model.add(mine, q, v));
  }
};

std::int32_t wind(double t, const double *q, const double *v, double *f, void *) {
  f[0] = std::sin(t) - 0.1 * v[0], f[1] = -0.3 * q[1];
  return 0;
}
std::int32_t wind_jacobian(double, const double *, const double *, double *by_d, double *by_v,
                           void *) {
  by_d[4] = -0.3, by_v[0] = -0.1;
  return 0;
}
std::int32_t motor(double t, const double *, const double *v, double *T, void *) {
  T[0] = t, T[2] = -0.5 * v[5];
  return 0;
}

TEST(CppBody, HasTheBitsOfC) {
  bodies b;
  b.c.force = wind, b.c.force_jacobian = wind_jacobian, b.c.torque = motor;
  b.c.torque_frame = PERP_FRAME_FIXED;
  b.c.inertia[1] = b.c.inertia[3] = 0.25;
  b.mine.inertia = {1, 0.25, 0, 0.25, 2, 0, 0, 0, 3};
  b.mine.force = [](double t, view q, view v, span f) {
    EXPECT_EQ(q.size(), 7u);
    EXPECT_EQ(v.size(), 6u);
    EXPECT_EQ(f.size(), 3u);
    wind(t, q.data(), v.data(), f.data(), nullptr);
  };
  b.mine.force_jacobian = [](double, view, view, span by_d, span by_v) {
    EXPECT_EQ(by_d.size(), 18u);
    EXPECT_EQ(by_v.size(), 18u);
    by_d[4] = -0.3, by_v[0] = -0.1;
  };
  b.mine.torque = [](double t, view, view v, span T) { T[0] = t, T[2] = -0.5 * v[5]; };
  b.mine.torque_frame = PERP_FRAME_FIXED;
  b.add(perp::pose_at({1, 2, 3}, {0, 1, 0}, 0.5), {1, 0, 0, 0.3, -2, 1});
  tools::expect_same_bits(b.model, b.world, deep_steps(0.01));
  for (const std::int32_t how : {PERP_GYROSCOPIC_EXPLICIT, PERP_GYROSCOPIC_NONE}) {
    bodies other;
    other.c.gyroscopic = other.mine.gyroscopic = how;
    other.add(perp::pose_at({1, 2, 3}), {1, 0, 0, 0.3, -2, 1});
    tools::expect_same_bits(other.model, other.world, deep_steps(0.01));
  }
}

std::int32_t feedback(double t, const double *q, const double *v, const double *z, double *u,
                      void *) {
  u[0] = z[0] * q[0] - v[3] + t;
  return 0;
}
std::int32_t feedback_by_v(double, const double *, const double *, const double *, double *out,
                           void *) {
  out[3] = -1;
  return 0;
}

TEST(CppBody, ControlHasTheBitsOfC) {
  const double gain[1] = {-2}, T[6] = {1, 0, 0, 0, 0, 0.5};
  bodies b;
  b.c.control.n_u = 1;
  b.c.control.T = T;
  b.c.control.u = feedback;
  b.c.control.u_dv = feedback_by_v;
  b.c.z = gain, b.c.n_z = 1;
  b.mine.control.n_u = 1;
  b.mine.control.T = {1, 0, 0, 0, 0, 0.5};
  b.mine.control.u = [](double t, view q, view v, view z, span u) {
    EXPECT_EQ(q.size(), 7u);
    EXPECT_EQ(v.size(), 6u);
    u[0] = z[0] * q[0] - v[3] + t;
  };
  b.mine.control.u_dv = [](double, view, view, view, span out) {
    EXPECT_EQ(out.size(), 6u);
    out[3] = -1;
  };
  b.mine.z = perp::borrow(gain);
  b.add(perp::pose_at({1, 2, 3}, {0, 1, 0}, 0.5), {1, 0, 0, 0.3, -2, 1});
  tools::expect_same_bits(b.model, b.world, deep_steps(0.01));
  b.mine.control.T = {1, 0, 0};
  expect_refusal([&] { b.model.add(b.mine, perp::pose_at({0, 0, 0})); }, {"control.T has 3", "6"});
}

TEST(CppBody, SevenPositionsAndSixVelocities) {
  perp::model m;
  const auto still = m.add(perp::body(2));
  const auto moving = m.add(perp::ball(1, 0.5), {1, 2, 3, 0, 1, 0, 0}, {1, 2, 3, 4, 5, 6});
  const auto box = m.add(perp::brick(12, 1, 2, 3));
  EXPECT_EQ(m.descriptions(), 3u);
  perp::simulation sim(m, 0.01);
  ASSERT_EQ(sim.q(still).size(), 7u);
  EXPECT_EQ(sim.q(still)[3], 1.0) << "no rotation";
  EXPECT_EQ(sim.q(moving)[4], 1.0);
  ASSERT_EQ(sim.v(moving).size(), 6u);
  EXPECT_EQ(sim.v(moving)[5], 6.0);
  EXPECT_EQ(sim.q(box)[3], 1.0);
  ASSERT_EQ(sim.step(), PERP_OK);
  EXPECT_NEAR(sim.q(moving)[0], 1.01, 1e-15);
  expect_refusal([&] { m.add(perp::body(), {1, 2, 3, 1, 0, 0}); }, {"q0 has 6 entries", "7"});
  expect_refusal([&] { m.add(perp::body(), {}, {1, 2, 3, 1, 0, 0, 0}); }, {"v0 has 7", "6"});
  expect_refusal([&] { m.add(perp::body(1, {1, 2})); }, {"inertia has 2 entries"});
  expect_refusal([&] { m.add(perp::body(1, {1, 2, 3, 4})); }, {"inertia has 4 entries", "9"});
  expect_refusal([&] { m.add(perp::body(1, {1, 1, 1}, {1, 2})); }, {"f has 2 entries"});
  EXPECT_EQ(m.systems(), 3u);
  const perp::body heavy = perp::brick(12, 1, 2, 3);
  EXPECT_EQ(heavy.inertia[0], 13.0);
  EXPECT_EQ(heavy.inertia[1], 10.0);
  EXPECT_EQ(heavy.inertia[2], 5.0);
}

TEST(CppBody, DirectionsThatAreNoneAreRefused) {
  expect_refusal([] { (void)perp::pose_at({0, 0, 0}, {0, 0, 0}, 1); }, {"pose_at", "axis"});
  perp::model m;
  const auto b = m.add(perp::ball(1, 0.5), perp::pose_at({0, 0, 1}));
  const perp::body_contact tilted(perp::sphere_plane{0.5, {0, 0, 2}, 0});
  expect_refusal([&] { m.connect(tilted, perp::newton_impact(0), b); },
                 {"normal of interaction 0 = 2"});
  EXPECT_EQ(m.interactions(), 0u);
}

TEST(CppBody, AFunctionThatIsNoneIsAbsent) {
  std::int32_t (*no_pointer)(double, view, view, span) = nullptr;
  const std::function<void(double, view, view, span)> nothing;
  perp::model m;
  perp::body a(2, {1, 2, 3}, {0, 0, -20}), b = a;
  a.force = no_pointer, a.torque = nothing;
  EXPECT_FALSE(a.force || a.torque);
  const auto one = m.add(a, perp::pose_at({0, 0, 1})), other = m.add(b, perp::pose_at({0, 0, 1}));
  EXPECT_EQ(m.descriptions(), 1u);
  perp::simulation sim(m, 0.01);
  ASSERT_EQ(sim.step(), PERP_OK);
  EXPECT_EQ(sim.v(one)[2], sim.v(other)[2]);
}

TEST(CppBody, AQuaternionThatIsNoUnitIsRefused) {
  perp::model m;
  m.add(perp::body(), {0, 0, 0, 1, 1, 0, 0});
  expect_refusal([&] { perp::simulation sim(m, 0.01); }, {"q0"});
}

TEST(CppBody, ReadyContactsHaveTheBitsOfC) {
  perp_friction law;
  ASSERT_EQ(perp_friction_init(&law, sizeof law), PERP_OK);
  law.mu = 0.5, law.e_n = 0.5;
  bodies b;
  b.add(perp::pose_at({0, 0, 0.6}), {1, 0, 0, 0, 0, 0});
  b.add(perp::pose_at({0, 0, 1.7}), {0, 0.5, 0, 0, 0, 1});
  perp_sphere_plane plane = {0.5, {0, 0, 1}, 0};
  perp_sphere_sphere pair = {{0.5, 0.5}};
  perp_point_plane corner = {{0.1, 0.2, -0.55}, {0, 0, 1}, 0};
  perp_body_contact floor, between, touch;
  ASSERT_EQ(perp_body_contact_init(&floor, sizeof floor, 3, 1), PERP_OK);
  ASSERT_EQ(perp_body_contact_init(&between, sizeof between, 3, 2), PERP_OK);
  ASSERT_EQ(perp_body_contact_init(&touch, sizeof touch, 3, 1), PERP_OK);
  floor.locate = perp_locate_sphere_plane, floor.user = &plane;
  between.locate = perp_locate_sphere_sphere, between.user = &pair;
  touch.locate = perp_locate_point_plane, touch.user = &corner;
  b.world.connect(floor.relation, law.law, {0});
  b.world.connect(between.relation, law.law, {1, 0});
  b.world.connect(touch.relation, law.law, {0});
  const perp::law mine = perp::friction_3d(0.5, 0.5);
  b.model.connect(perp::body_contact(perp::sphere_plane{0.5, {0, 0, 1}, 0}), mine, b.ids[0]);
  b.model.connect(perp::body_contact(perp::sphere_sphere{{0.5, 0.5}}), mine, {b.ids[1], b.ids[0]});
  b.model.connect(perp::body_contact(perp::point_plane{{0.1, 0.2, -0.55}, {0, 0, 1}, 0}), mine,
                  b.ids[0]);
  tools::expect_same_bits(b.model, b.world, deep_steps(0.005), 150);
}

std::int32_t bowl(double, const double *q, perp_contact_place *place, void *) {
  const double r = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
  place->gap = 2 - r - 0.5;
  for (int i = 0; i < 3; i++) {
    place->normal[i] = -q[i] / r;
    place->a[i] = q[i] * (1 + 0.5 / r);
    place->b[i] = 2 * q[i] / r;
  }
  return 0;
}

TEST(CppBody, AContactByLambdaHasTheBitsOfC) {
  perp_rolling law;
  ASSERT_EQ(perp_rolling_init(&law, sizeof law), PERP_OK);
  law.mu = 0.5, law.mu_rolling = 0.01;
  bodies b;
  b.add(perp::pose_at({0.5, 0, -1.2}));
  perp_body_contact c;
  ASSERT_EQ(perp_body_contact_init(&c, sizeof c, 5, 1), PERP_OK);
  c.locate = bowl;
  b.world.connect(c.relation, law.law, {0});
  const perp::body_contact mine([](view q, perp::contact_place &place) {
    EXPECT_EQ(q.size(), 7u);
    EXPECT_EQ(place.gap, 0.0) << "zeroed before";
    return bowl(0, q.data(), &place, nullptr);
  });
  b.model.connect(mine, perp::rolling_3d(0.5, 0.01), b.ids[0]);
  b.model.connect(mine, perp::rolling_3d(0.5, 0.01), b.ids[0]);
  EXPECT_EQ(b.model.descriptions(), 3u) << "copies are one description";
  perp::model once;
  once.add(b.mine, b.world.q0);
  once.connect(mine, perp::rolling_3d(0.5, 0.01), b.ids[0]);
  tools::expect_same_bits(once, b.world, deep_steps(0.005), 100);
}

TEST(CppBody, JointsHaveTheBitsOfC) {
  perp_equality law;
  ASSERT_EQ(perp_equality_init(&law, sizeof law), PERP_OK);
  const perp::vector3 point = {0.5, 0, 0}, axis = {0, 1, 0};
  const perp::pose qa = perp::pose_at({1, 0, 0}), qb = perp::pose_at({0, 0, 0.2}, {1, 2, 3}, 0.7);
  using kind = perp::joint_kind;
  for (const auto k : {kind::spherical, kind::pivot, kind::prismatic, kind::cylindrical,
                       kind::fixed, kind::screw}) {
    bodies b;
    b.add(qa, {0, 0, 0, 0, 1, 0});
    b.add(qb);
    perp_joint ground, pair;
    ASSERT_EQ(perp_joint_init(&ground, sizeof ground, PERP_JOINT_SPHERICAL, 1), PERP_OK);
    ASSERT_EQ(perp_joint_init(&pair, sizeof pair, static_cast<std::int32_t>(k), 2), PERP_OK);
    ASSERT_EQ(perp_joint_place(&ground, point.data(), nullptr, qb.data(), nullptr), PERP_OK);
    ASSERT_EQ(perp_joint_place(&pair, point.data(), axis.data(), qa.data(), qb.data()), PERP_OK);
    b.world.connect(ground.relation, law.law, {1});
    b.world.connect(pair.relation, law.law, {0, 1});
    perp::joint mine(k, point, axis, qa, qb);
    if (k == kind::screw) pair.lead = mine.lead = 0.3;
    b.model.connect(perp::spherical_joint(point, qb), perp::equality(), b.ids[1]);
    b.model.connect(mine, perp::equality(), {b.ids[0], b.ids[1]});
    perp::simulation_options o = deep_steps(0.01);
    o.solver = perp::automatic();
    tools::expect_same_bits(b.model, b.world, o, 30);
  }
}

std::int32_t spin(double t, double *rate, void *) {
  rate[0] = std::sin(t);
  return 0;
}

TEST(CppBody, CoordinatesOfAJointHaveTheBitsOfC) {
  perp_equality equality;
  perp_newton_impact impact;
  perp_box box;
  const double low = -2, high = 2;
  ASSERT_EQ(perp_equality_init(&equality, sizeof equality), PERP_OK);
  ASSERT_EQ(perp_newton_impact_init(&impact, sizeof impact), PERP_OK);
  ASSERT_EQ(perp_box_init(&box, sizeof box), PERP_OK);
  impact.e = 0.5, box.lower = &low, box.upper = &high;
  const perp::vector3 point = {0, 0, 0}, axis = {0, 1, 0};
  const perp::pose qa = perp::pose_at({1, 0, 0});
  bodies b;
  b.add(qa, {0, 0, 0, 0, 0, 0});
  b.add(perp::pose_at({1, 5, 0}));
  perp_joint hinge, other;
  const perp::pose qb = perp::pose_at({1, 5, 0});
  ASSERT_EQ(perp_joint_init(&hinge, sizeof hinge, PERP_JOINT_PIVOT, 1), PERP_OK);
  ASSERT_EQ(perp_joint_place(&hinge, point.data(), axis.data(), qa.data(), nullptr), PERP_OK);
  ASSERT_EQ(perp_joint_init(&other, sizeof other, PERP_JOINT_CYLINDRICAL, 1), PERP_OK);
  ASSERT_EQ(perp_joint_place(&other, point.data(), axis.data(), qb.data(), nullptr), PERP_OK);
  perp_joint_coordinate stops, friction, drive;
  ASSERT_EQ(perp_joint_coordinate_init(&stops, sizeof stops, &hinge, PERP_COORDINATE_ANGLE,
                                       PERP_COORDINATE_STOPS),
            PERP_OK);
  ASSERT_EQ(perp_joint_coordinate_init(&friction, sizeof friction, &hinge, PERP_COORDINATE_ANGLE,
                                       PERP_COORDINATE_EFFORT),
            PERP_OK);
  ASSERT_EQ(perp_joint_coordinate_init(&drive, sizeof drive, &other, PERP_COORDINATE_TRANSLATION,
                                       PERP_COORDINATE_RATE),
            PERP_OK);
  stops.lower = -0.5, stops.upper = 0.25, stops.centre = -0.125;
  drive.rate = spin;
  b.world.connect(hinge.relation, equality.law, {0});
  b.world.connect(stops.relation, impact.law, {0});
  b.world.connect(friction.relation, box.law, {0});
  b.world.connect(other.relation, equality.law, {1});
  b.world.connect(drive.relation, equality.law, {1});
  const perp::joint mine = perp::pivot_joint(point, axis, qa);
  const perp::joint slide = perp::cylindrical_joint(point, axis, qb);
  b.model.connect(mine, perp::equality(), b.ids[0]);
  b.model.connect(perp::joint_stops(mine, -0.5, 0.25), perp::newton_impact(0.5), b.ids[0]);
  b.model.connect(perp::joint_effort(mine), perp::box(-2, 2), b.ids[0]);
  b.model.connect(slide, perp::equality(), b.ids[1]);
  b.model.connect(perp::joint_drive(
                      slide,
                      [](double t, span rate) {
                        EXPECT_EQ(rate.size(), 1u);
                        rate[0] = std::sin(t);
                      },
                      true),
                  perp::equality(), b.ids[1]);
  perp::simulation_options o = deep_steps(0.01);
  o.solver = perp::automatic();
  tools::expect_same_bits(b.model, b.world, o, 100);
  const perp::pose turned = perp::pose_at({std::cos(0.3), 0, -std::sin(0.3)}, axis, 0.3);
  EXPECT_NEAR(perp::coordinate_value(mine, turned), 0.3, 1e-14);
}

TEST(CppBody, GearsHaveTheBitsOfC) {
  perp_equality law;
  ASSERT_EQ(perp_equality_init(&law, sizeof law), PERP_OK);
  const perp::vector3 z = {0, 0, 1};
  const perp::pose qa = perp::pose_at({0, 0, 0}), qb = perp::pose_at({3, 0, 0}, {0, 0, 1}, 0.2);
  bodies b;
  b.add(qa, {0, 0, 0, 0, 0, 3});
  b.add(qb);
  perp_joint left, right;
  perp_gear mesh;
  ASSERT_EQ(perp_joint_init(&left, sizeof left, PERP_JOINT_PIVOT, 1), PERP_OK);
  ASSERT_EQ(perp_joint_init(&right, sizeof right, PERP_JOINT_PIVOT, 1), PERP_OK);
  ASSERT_EQ(perp_joint_place(&left, qa.data(), z.data(), qa.data(), nullptr), PERP_OK);
  ASSERT_EQ(perp_joint_place(&right, qb.data(), z.data(), qb.data(), nullptr), PERP_OK);
  ASSERT_EQ(perp_gear_init(&mesh, sizeof mesh, 2), PERP_OK);
  mesh.teeth_a = 20, mesh.teeth_b = 10;
  ASSERT_EQ(perp_gear_place(&mesh, z.data(), z.data(), qa.data(), qb.data(), nullptr), PERP_OK);
  b.world.connect(left.relation, law.law, {0});
  b.world.connect(right.relation, law.law, {1});
  b.world.connect(mesh.relation, law.law, {0, 1});
  b.model.connect(perp::pivot_joint({0, 0, 0}, z, qa), perp::equality(), b.ids[0]);
  b.model.connect(perp::pivot_joint({3, 0, 0}, z, qb), perp::equality(), b.ids[1]);
  b.model.connect(perp::gear(20, 10, z, z, qa, qb), perp::equality(), {b.ids[0], b.ids[1]});
  perp::simulation_options o = deep_steps(0.01);
  o.solver = perp::automatic();
  tools::expect_same_bits(b.model, b.world, o, 50);
  perp::simulation sim(b.model, o);
  ASSERT_EQ(sim.step(), PERP_OK);
  EXPECT_NEAR(20 * sim.v(b.ids[0])[5] + 10 * sim.v(b.ids[1])[5], 0, 1e-9);
}

TEST(CppBody, ARelationOfPositionsSeesSevenForEachBody) {
  perp::model m;
  const auto a = m.add(perp::body(1, {1, 1, 1}, {0, 0, -10}), perp::pose_at({0, 0, 1}));
  perp::lagrangian_scleronomous r;
  r.h = [](view q, span y) {
    EXPECT_EQ(q.size(), 7u);
    y[0] = q[2];
  };
  r.H = {0, 0, 1, 0, 0, 0};
  const auto floor = m.connect(r, perp::newton_impact(0), a);
  perp::simulation sim(m, 0.01, 100);
  ASSERT_EQ(sim.run(), PERP_END);
  EXPECT_NEAR(sim.lambda(floor)[0], 0.1, 1e-9);
}

TEST(CppBody, OnlyBodiesHaveJointsAndContacts) {
  perp::model m;
  const auto b = m.add(perp::body()), c = m.add(perp::body()), d = m.add(perp::body());
  const auto l = m.add(perp::lagrangian_linear(6, {1, 1, 1, 1, 1, 1}));
  const perp::body_contact contact(perp::sphere_plane{0.5, {0, 0, 1}, 0});
  expect_refusal([&] { m.connect(contact, perp::friction_3d(0.1), l); },
                 {"body_contact", "bodies"});
  expect_refusal([&] { m.connect(contact, perp::friction_3d(0.1), {b, c, d}); }, {"1 to 2 bodies"});
  expect_refusal([&] { m.connect(perp::joint(), perp::equality(), l); }, {"joint", "bodies"});
  expect_refusal([&] { m.connect(perp::gear(1, 2), perp::equality(), b); }, {"gear", "bodies"});
  expect_refusal([&] { m.connect(perp::joint_stops(perp::joint(), 0, 1), perp::equality(), l); },
                 {"joint_coordinate"});
  expect_refusal([&] { m.connect(contact, perp::mixed(1, 3), b); }, {"components of the law"});
  const perp::pose q = perp::pose_at({0, 0, 0});
  expect_refusal([&] { perp::pivot_joint({0, 0, 0}, {0, 0, 0}, q); }, {"axis"});
  expect_refusal([&] { perp::pivot_joint({0, 0, 0}, {0, 0, 1}, {1, 2, 3}); }, {"qa has 3 entries"});
  expect_refusal([&] { perp::gear(1, 1, {0, 0, 1}, {0, 0, 1}, q, {}); }, {"qb has 0 entries"});
  EXPECT_EQ(m.interactions(), 0u);
}

}  // namespace
