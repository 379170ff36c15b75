// SPDX-License-Identifier: MIT
// Descriptions of systems, relations and laws, and the functions about them: NULL, sizes that are
// none, numbers that are not finite end in a status, and nothing is written.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <string>

#include "model_tools.hpp"

namespace {

// The init of a kind with its dimensions, of which some may be wrong.
struct kind {
  const char *name;
  std::size_t size;
  std::function<perp_status(void *, std::size_t, std::int32_t, std::int32_t)> init;
  std::int32_t a, b;                                       // good dimensions
  std::vector<std::pair<std::int32_t, std::int32_t>> bad;  // pairs that are refused
};

constexpr std::int32_t kMost = INT32_MAX;

#define PLAIN(name)                                                                      \
  {                                                                                      \
#name, sizeof(name),                                                                 \
        [](void *p, std::size_t size, std::int32_t,                                      \
           std::int32_t) { return name##_init(static_cast<name *>(p), size); }, 0, 0, {} \
  }
#define SYSTEM(name)                                                                       \
  {                                                                                        \
#name, sizeof(name),                                                                   \
        [](void *p, std::size_t size, std::int32_t n,                                      \
           std::int32_t) { return name##_init(static_cast<name *>(p), size, n); }, 2, 0, { \
      {0, 0}, {-1, 0}, { INT32_MIN, 0 }                                                    \
    }                                                                                      \
  }
#define RELATION(type, function)                                                             \
  {                                                                                          \
#function, sizeof(type),                                                                 \
        [](void *p, std::size_t size, std::int32_t m,                                        \
           std::int32_t n) { return function(static_cast<type *>(p), size, m, n); }, 2, 3, { \
      {0, 3}, {-1, 3}, {2, 0}, {2, -1}, { INT32_MIN, INT32_MIN }                             \
    }                                                                                        \
  }

const std::vector<kind> &kinds() {
  static const std::vector<kind> all = {
      PLAIN(perp_body),
      PLAIN(perp_cohesive),
      PLAIN(perp_complementarity),
      PLAIN(perp_compliant),
      PLAIN(perp_equality),
      PLAIN(perp_fremond),
      PLAIN(perp_mixed),
      PLAIN(perp_rolling),
      SYSTEM(perp_first_order),
      SYSTEM(perp_first_order_linear),
      SYSTEM(perp_lagrangian),
      SYSTEM(perp_lagrangian_linear),
      RELATION(perp_first_order_relation, perp_first_order_relation_init),
      RELATION(perp_first_order_relation, perp_first_order_type1_init),
      RELATION(perp_first_order_relation, perp_first_order_type2_init),
      RELATION(perp_lagrangian_linear_relation, perp_lagrangian_linear_relation_init),
      RELATION(perp_lagrangian_relation, perp_lagrangian_compliant_init),
      RELATION(perp_lagrangian_relation, perp_lagrangian_rheonomous_init),
      RELATION(perp_lagrangian_relation, perp_lagrangian_scleronomous_init),
      RELATION(perp_lagrangian_velocity_relation, perp_lagrangian_velocity_relation_init),
      RELATION(perp_linear_relation, perp_linear_relation_init),
      RELATION(perp_linear_varying_relation, perp_linear_varying_relation_init),
      RELATION(perp_prescribed_velocity, perp_prescribed_velocity_init),
      {"perp_lagrangian_contact_relation_init",
       sizeof(perp_lagrangian_contact_relation),
       [](void *p, std::size_t size, std::int32_t gaps, std::int32_t rows) {
         return perp_lagrangian_contact_relation_init(
             static_cast<perp_lagrangian_contact_relation *>(p), size, gaps, rows, 3);
       },
       2,
       3,
       {{0, 2}, {-1, 2}, {1, 1}, {1, 0}, {1, -2}, {kMost, 2}, {kMost, kMost}}},
      {"perp_body_contact_init",
       sizeof(perp_body_contact),
       [](void *p, std::size_t size, std::int32_t m, std::int32_t bodies) {
         return perp_body_contact_init(static_cast<perp_body_contact *>(p), size, m, bodies);
       },
       3,
       2,
       {{0, 1}, {4, 1}, {6, 1}, {-1, 1}, {1, 0}, {1, 3}, {1, -1}, {kMost, kMost}}},
      {"perp_joint_init",
       sizeof(perp_joint),
       [](void *p, std::size_t size, std::int32_t which, std::int32_t bodies) {
         return perp_joint_init(static_cast<perp_joint *>(p), size, which, bodies);
       },
       PERP_JOINT_PIVOT,
       2,
       {{-1, 1}, {6, 1}, {0, 0}, {0, 3}, {kMost, kMost}}},
      {"perp_gear_init",
       sizeof(perp_gear),
       [](void *p, std::size_t size, std::int32_t bodies, std::int32_t) {
         return perp_gear_init(static_cast<perp_gear *>(p), size, bodies);
       },
       2,
       0,
       {{0, 0}, {1, 0}, {4, 0}, {-1, 0}}},
      {"perp_user_impact_init",
       sizeof(perp_user_impact),
       [](void *p, std::size_t size, std::int32_t components, std::int32_t) {
         return perp_user_impact_init(static_cast<perp_user_impact *>(p), size, components);
       },
       2,
       0,
       {{0, 0}, {4, 0}, {-1, 0}, {kMost, 0}}},
  };
  return all;
}

TEST(Arguments, EveryInitRefusesNullAndSizesThatAreNone) {
  for (const kind &k : kinds()) {
    SCOPED_TRACE(k.name);
    std::vector<std::uint64_t> memory(k.size / 8 + 100, UINT64_C(0x9999999999999999));
    const auto before = memory;
    EXPECT_EQ(k.init(nullptr, k.size, k.a, k.b), PERP_EINVAL);
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, k.size + 4096, SIZE_MAX})
      EXPECT_EQ(k.init(memory.data(), size, k.a, k.b), PERP_EINVAL) << size;
    for (const auto &[a, b] : k.bad)
      EXPECT_EQ(k.init(memory.data(), k.size, a, b), PERP_EINVAL) << a << ", " << b;
    EXPECT_EQ(memory, before) << "written to";
    EXPECT_EQ(k.init(memory.data(), k.size, k.a, k.b), PERP_OK);
    for (std::size_t i = k.size; i < memory.size() * 8; i++)
      ASSERT_EQ(reinterpret_cast<unsigned char *>(memory.data())[i], 0x99) << i;
  }
}

TEST(Arguments, RotationsTakeNullAndWhatIsNotFinite) {
  const double q[7] = {0, 0, 0, 1, 0, 0, 0}, d[6] = {1, 2, 3, 0.1, 0.2, 0.3}, axis[3] = {0, 0, 2};
  double out[9];
  std::fill(out, out + 9, 999.0);
  perp_rotation_matrix(nullptr, out);
  perp_rotation_matrix(q, nullptr);
  perp_rotation_quaternion(nullptr, 1, out);
  perp_rotation_quaternion(axis, 1, nullptr);
  perp_body_move(nullptr, d, out);
  perp_body_move(q, nullptr, out);
  perp_body_move(q, d, nullptr);
  for (const double x : out) EXPECT_EQ(x, 999);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {nan, HUGE_VAL, -HUGE_VAL}) {
    const double Q[4] = {bad, 0, 0, 1}, turn[6] = {0, 0, 0, bad, 0, 0}, along[3] = {bad, 0, 1};
    perp_rotation_matrix(Q, out);
    EXPECT_FALSE(std::isfinite(std::accumulate(out, out + 9, 0.0))) << bad;
    perp_rotation_quaternion(axis, bad, out);
    EXPECT_FALSE(std::isfinite(out[0] + out[3])) << bad;
    perp_rotation_quaternion(along, 1, out);
    EXPECT_FALSE(std::isfinite(out[1])) << bad;
    perp_body_move(q, turn, out);
    EXPECT_FALSE(std::isfinite(out[3] + out[4])) << bad;
  }
}

TEST(Arguments, GeometriesGiveUpWithoutWhatTheyNeed) {
  perp_sphere_plane plane = {1, {0, 0, 1}, 0};
  perp_sphere_sphere spheres = {{1, 1}};
  perp_point_plane point = {{0, 0, 0}, {0, 0, 1}, 0};
  const double q[14] = {0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0};
  perp_contact_place place{};
  const std::pair<perp_locate_fn, void *> all[] = {{perp_locate_sphere_plane, &plane},
                                                   {perp_locate_sphere_sphere, &spheres},
                                                   {perp_locate_point_plane, &point}};
  for (const auto &[locate, user] : all) {
    EXPECT_LT(locate(0, nullptr, &place, user), 0);
    EXPECT_LT(locate(0, q, nullptr, user), 0);
    EXPECT_LT(locate(0, q, &place, nullptr), 0);
    EXPECT_EQ(locate(0, q, &place, user), 0);
  }
  // in a model: a contact whose geometry was forgotten
  perp_body body;
  perp_body_contact contact;
  perp_body_init(&body, sizeof body);
  perp_body_contact_init(&contact, sizeof contact, 1, 1);
  contact.locate = perp_locate_sphere_plane;
  tools::world w;
  w.join(contact.relation, w.impact(0), {w.add(body.system)});
  w.q0 = {q, q + 7};
  tools::run r(w);
  EXPECT_EQ(r.status, PERP_EINVAL);
  EXPECT_STREQ(r.info.field, "user");
  EXPECT_EQ(r.sim, nullptr);
}

TEST(Arguments, ViewsOfASimulationTakeNullAndIndicesThatAreNone) {
  std::size_t bytes = 99;
  EXPECT_EQ(perp_simulation_law_state(nullptr, 0, 0, &bytes), nullptr);
  EXPECT_EQ(bytes, 0u);
  EXPECT_EQ(perp_simulation_law_state(nullptr, 0, 0, nullptr), nullptr);
  EXPECT_EQ(perp_simulation_is_active(nullptr, 0), 0);
  EXPECT_EQ(perp_simulation_set_active(nullptr, 0, 0), PERP_EINVAL);
  EXPECT_EQ(perp_simulation_run(nullptr, 1, 0, nullptr, nullptr, nullptr), PERP_EINVAL);
  std::int32_t count = 9;
  EXPECT_EQ(perp_simulation_contacts(nullptr, nullptr, sizeof(perp_contact_view), 0, &count),
            PERP_EINVAL);
  EXPECT_EQ(count, 0);
  perp_simulation_release(nullptr);
  perp_cohesive glue;
  perp_cohesive_init(&glue, sizeof glue);
  glue.friction.law.size = 2;
  glue.sigma_c = 10;
  glue.G_c = 1;
  tools::world w;
  auto &block = w.body(tools::vec{1, 1});
  w.join(w.contact(4, 2, {0, 1, 0, 1, 1, 0, 1, 0}).relation, &glue.friction.law,
         {w.add(block.system)});
  w.options.solver = perp_solver_nsgs();
  w.options.switchable = 1;
  tools::run r(w);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  for (const std::int32_t i : {-1, 1, kMost, INT32_MIN}) {
    EXPECT_EQ(perp_simulation_law_state(r.sim, i, 0, &bytes), nullptr);
    EXPECT_EQ(perp_simulation_law_state(r.sim, 0, i == 1 ? 2 : i, &bytes), nullptr);
    EXPECT_EQ(perp_simulation_is_active(r.sim, i), 0);
    EXPECT_EQ(perp_simulation_set_active(r.sim, i, 1), PERP_EINVAL);
    EXPECT_EQ(perp_simulation_q(r.sim, i), nullptr);
    EXPECT_EQ(perp_simulation_lambda(r.sim, i), nullptr);
  }
  EXPECT_EQ(perp_simulation_set_active(r.sim, 0, 2), PERP_EINVAL);
  EXPECT_EQ(perp_simulation_set_active(r.sim, 0, -1), PERP_EINVAL);
  EXPECT_NE(perp_simulation_law_state(r.sim, 0, 1, &bytes), nullptr);
  EXPECT_EQ(bytes, sizeof(perp_cohesive_state));
  EXPECT_EQ(perp_simulation_contacts(r.sim, nullptr, 0, 0, &count), PERP_EINVAL);
  EXPECT_EQ(perp_simulation_contacts(r.sim, nullptr, sizeof(perp_contact_view), -1, &count),
            PERP_EINVAL);
  EXPECT_EQ(perp_simulation_contacts(r.sim, nullptr, sizeof(perp_contact_view), 0, nullptr),
            PERP_EINVAL);
  perp_info info = PERP_INFO_INIT;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto before = r.bytes();
  EXPECT_LT(perp_simulation_run(r.sim, -1, HUGE_VAL, nullptr, nullptr, &info), 0);
  EXPECT_LT(perp_simulation_run(r.sim, 1, nan, nullptr, nullptr, &info), 0);
  EXPECT_LT(perp_simulation_run(r.sim, 0, HUGE_VAL, nullptr, nullptr, &info), 0);
  for (const double h : {nan, HUGE_VAL, -HUGE_VAL, 0.0, -1.0})
    EXPECT_LT(perp_simulation_advance(r.sim, h, &info), 0) << h;
  EXPECT_EQ(r.bytes(), before);
  perp_simulation_release(r.sim);
  EXPECT_EQ(r.step(), PERP_OK);
}

TEST(Arguments, PoolContactsTakeNull) {
  EXPECT_EQ(perp_pool_add(nullptr, nullptr, nullptr), PERP_EINVAL);
  const perp_pool_contact contact{};
  std::int32_t kept = 9;
  EXPECT_EQ(perp_pool_add(nullptr, &contact, &kept), PERP_EINVAL);
  EXPECT_EQ(kept, 0);
  kept = 9;
  EXPECT_EQ(perp_pool_add_all(nullptr, 1, &contact, &kept), PERP_EINVAL);
  EXPECT_EQ(kept, 0);
}

TEST(Arguments, PlacesOfJointsAreFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double p[3] = {0, 0, 0}, axis[3] = {0, 0, 1}, q[7] = {0, 0, 0, 1, 0, 0, 0};
  for (const double bad : {nan, HUGE_VAL}) {
    const double point[3] = {bad, 0, 0}, turned[7] = {0, 0, 0, bad, 0, 0, 0};
    perp_joint j;
    perp_gear g;
    ASSERT_EQ(perp_joint_init(&j, sizeof j, PERP_JOINT_PIVOT, 2), PERP_OK);
    ASSERT_EQ(perp_gear_init(&g, sizeof g, 2), PERP_OK);
    EXPECT_EQ(perp_joint_place(&j, point, axis, q, q), PERP_ENOTFINITE);
    EXPECT_EQ(perp_joint_place(&j, p, point, q, q), PERP_ENOTFINITE);
    EXPECT_EQ(perp_joint_place(&j, p, axis, turned, q), PERP_ENOTFINITE);
    EXPECT_EQ(perp_joint_place(&j, p, axis, q, turned), PERP_ENOTFINITE);
    EXPECT_EQ(perp_gear_place(&g, point, axis, q, q, nullptr), PERP_ENOTFINITE);
    EXPECT_EQ(perp_gear_place(&g, axis, axis, q, turned, nullptr), PERP_ENOTFINITE);
  }
  perp_gear g;
  ASSERT_EQ(perp_gear_init(&g, sizeof g, 3), PERP_OK);
  EXPECT_EQ(perp_gear_place(&g, axis, axis, q, q, nullptr), PERP_EINVAL);
  perp_joint j;
  ASSERT_EQ(perp_joint_init(&j, sizeof j, PERP_JOINT_PIVOT, 1), PERP_OK);
  EXPECT_EQ(perp_joint_place(&j, p, p, q, nullptr), PERP_EINVAL) << "no direction";
}

TEST(Arguments, GraphsThatAreNone) {
  EXPECT_EQ(perp_piecewise_linear_pieces(nullptr), 0);
  EXPECT_TRUE(std::isnan(perp_piecewise_linear_distance(nullptr, 0, 0)));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  perp_piecewise_linear graph{};
  EXPECT_EQ(perp_piecewise_linear_pieces(&graph), 0);
  EXPECT_TRUE(std::isnan(perp_piecewise_linear_distance(&graph, 0, 0)));
  EXPECT_TRUE(std::isnan(perp_piecewise_linear_distance(&graph, nan, 0)));
  EXPECT_LT(perp_piecewise_linear_check(&graph, nullptr), 0);
  EXPECT_EQ(perp_model_check_derivatives_workspace(nullptr), 0u);
  EXPECT_EQ(perp_law_verify_workspace(nullptr), 0u);
}

}  // namespace
