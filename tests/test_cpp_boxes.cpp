// SPDX-License-Identifier: MIT
// Boxes whose corners touch a floor and one another, with nothing named but the step, or how well
// velocities are to be known.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <perp/perp.hpp>

namespace {

using perp::system_id;
using perp::view;

constexpr double kGravity = 9.81;

// Cubes of an edge, in any number of places.
struct boxes {
  double edge, mass, mu;
  std::vector<system_id> id;
  perp::model model;

  boxes(double length, double m, double friction) : edge(length), mass(m), mu(friction) {}

  // At (x, y, z) edges, turned by an angle about an axis.
  void add(double x, double y, double z, std::array<double, 3> axis = {0, 0, 1}, double angle = 0) {
    auto pose = perp::pose_at({x * edge, y * edge, z * edge});
    perp_rotation_quaternion(axis.data(), angle, &pose[3]);
    id.push_back(model.add(perp::brick(mass, edge, edge, edge, {0, 0, -mass * kGravity}), pose));
  }

  static void corner(const view &q, double edge, int c, double x[3]) {
    double R[9];
    perp_rotation_matrix(q.data() + 3, R);
    for (std::size_t k = 0; k < 3; k++) {
      x[k] = q[k];
      for (std::size_t j = 0; j < 3; j++) x[k] += (c >> j & 1 ? 0.5 : -0.5) * edge * R[k + 3 * j];
    }
  }

  // Corners of box a near the floor, and near the upper or lower face of box b.
  void find(perp::contact_search &s) const {
    for (std::size_t a = 0; a < id.size(); a++)
      for (int c = 0; c < 8; c++) {
        double x[3];
        corner(s.q(id[a]), edge, c, x);
        perp::contact_place place{};
        std::copy(x, x + 3, place.a);
        place.normal[2] = 1;
        place.gap = x[2];
        if (place.gap < 0.05 * edge)
          s.add(id[a], perp::ground, place, 0, static_cast<std::uint64_t>(c));
        for (std::size_t b = 0; b < id.size(); b++)
          if (b != a) touch(s, a, b, c, x);
      }
  }

  void touch(perp::contact_search &s, std::size_t a, std::size_t b, int c, const double *x) const {
    const view q = s.q(id[b]);
    double R[9], local[3] = {};
    perp_rotation_matrix(q.data() + 3, R);
    for (std::size_t j = 0; j < 3; j++)
      for (std::size_t k = 0; k < 3; k++) local[j] += R[k + 3 * j] * (x[k] - q[k]);
    perp::contact_place place{};
    const double side = local[2] > 0 ? 1 : -1;
    place.gap = side * local[2] - 0.5 * edge;
    if (std::fabs(place.gap) > 0.05 * edge ||
        std::fmax(std::fabs(local[0]), std::fabs(local[1])) > 0.5 * (1 + 1e-6) * edge)
      return;
    for (std::size_t k = 0; k < 3; k++) {
      place.normal[k] = side * R[6 + k];
      place.a[k] = x[k];
      place.b[k] = x[k] - place.gap * place.normal[k];
    }
    s.add(id[a], id[b], place, 0, static_cast<std::uint64_t>(c));
  }

  // Steps of 2 ms for an edge of 1 m, each judged: momentum, cone and normal impulse of every
  // contact, energy that does not grow by more than is asked. What corners sink to, in edges.
  double run(int steps, double *moved = nullptr, perp::simulation_options o = {},
             double gain = 1e-5) {
    perp::contact_pool pool(16 * static_cast<int>(id.size()) + 16, perp::friction_3d(mu),
                            [this](perp::contact_search &s) { find(s); });
    pool.max_per_system = 40;
    model.pool(pool);
    const double h = o.h = 2e-3 * std::sqrt(edge);
    perp::simulation sim(model, o);
    const double weight = mass * kGravity, all = weight * edge * static_cast<double>(id.size());
    double sunk = 0;
    const auto energy = [&] {
      const auto e = sim.energy();
      return (e.kinetic + e.potential) / all;
    };
    std::vector<double> first;
    for (const system_id i : id) first.insert(first.end(), sim.q(i).begin(), sim.q(i).begin() + 3);
    for (int k = 0; k < steps; k++) {
      std::vector<double> lack;
      for (const system_id i : id)
        for (std::size_t c = 0; c < 3; c++)
          lack.push_back(-mass * sim.v(i)[c] + (c == 2 ? weight * h : 0));
      const double before = energy();
      EXPECT_EQ(sim.step(), PERP_OK) << k << " " << sim.ending();
      if (sim.status() != PERP_OK) return HUGE_VAL;
      double largest = weight * h;
      for (std::size_t i = 0; i < lack.size(); i++) lack[i] += mass * sim.v(id[i / 3])[i % 3];
      for (const auto &c : sim.contacts()) {
        const double *n = c.frame, *p = c.impulse;
        const double normal = n[0] * p[0] + n[1] * p[1] + n[2] * p[2];
        double tangential = 0;
        for (std::size_t j = 0; j < 3; j++) {
          tangential += std::pow(p[j] - normal * n[j], 2);
          lack[3 * static_cast<std::size_t>(c.systems[0]) + j] -= p[j];
          if (c.systems[1] >= 0) lack[3 * static_cast<std::size_t>(c.systems[1]) + j] += p[j];
        }
        largest = std::fmax(largest, normal);
        EXPECT_GE(normal, -1e-9 * largest);
        EXPECT_LE(std::sqrt(tangential), mu * normal + 1e-9 * largest);
        sunk = std::fmax(sunk, -c.gap / edge);
      }
      for (const double x : lack) EXPECT_NEAR(x, 0, 1e-9 * largest);
      EXPECT_LE(energy(), before + gain) << "at e = 0";
      if (testing::Test::HasFailure()) return HUGE_VAL;
    }
    for (std::size_t i = 0; moved != nullptr && i < first.size(); i++)
      *moved = std::fmax(*moved, std::fabs(sim.q(id[i / 3])[i % 3] - first[i]) / edge);
    EXPECT_EQ(sim.report().accepted, 0);
    return sunk;
  }
};

template <class Case>
void each_scale(Case test) {
  for (double mu : {0.0, 0.5, 10.0})
    for (double mass : {1e-3, 1.0, 1e6})
      for (double edge : {1.0, 0.3, 1e-4}) {
        if (mass == 1 && edge == 1 && mu == 0.5) continue;
        SCOPED_TRACE(testing::Message() << mu << " " << mass << " " << edge);
        test(edge, mass, mu);
        if (testing::Test::HasFailure()) return;
      }
}

perp::simulation_options reduced() {
  perp::simulation_options o;
  o.formulation = perp::formulation::reduced;
  return o;
}

perp::simulation_options for_stacks() {
  perp::simulation_options o;
  o.speed_tol = perp::speed_for_stacks;
  return o;
}

boxes wall(double edge, double mu) {
  boxes b(edge, edge == 1 ? 1e6 : 1e-3, mu);
  for (int row = 0; row < 4; row++)
    for (int i = 0; i < 5; i++) b.add(1.02 * i + 0.5 * (row % 2), 0, row + 0.5);
  return b;
}

TEST(CppBoxes, AStackStandsInReducedForm) {
  each_scale([](double edge, double mass, double mu) {
    boxes b(edge, mass, mu);
    for (int i = 0; i < 5; i++) b.add(0.01 * (i % 2), 0, i + 0.5);
    double moved = 0;
    EXPECT_LE(b.run(200, &moved, reduced()), 1e-8);
    EXPECT_LE(moved, 1e-7);
  });
}

TEST(CppBoxes, AStackStandsAsStacksAreAskedFor) {
  each_scale([](double edge, double mass, double mu) {
    if (mu == 0) return;  // whatever is left of a velocity along it stays
    boxes b(edge, mass, mu);
    for (int i = 0; i < 5; i++) b.add(0.01 * (i % 2), 0, i + 0.5);
    double moved = 0;
    EXPECT_LE(b.run(200, &moved, for_stacks()), 1e-4);
    EXPECT_LE(moved, 1e-3);
  });
}

TEST(CppBoxes, AWallOfTwentyStandsInReducedForm) {
  for (double mu : {0.0, 0.5, 10.0})
    for (double edge : {1.0, 1e-4}) {
      boxes b = wall(edge, mu);
      double moved = 0;
      EXPECT_LE(b.run(40, &moved, reduced()), 1e-8);
      EXPECT_LE(moved, 1e-7);
    }
}

// The boxes at its ends balance on an edge.
TEST(CppBoxes, AWallOfTwentyStandsAsStacksAreAskedFor) {
  for (double mu : {0.5, 10.0})
    for (double edge : {1.0, 1e-4}) {
      boxes b = wall(edge, mu);
      double moved = 0;
      EXPECT_LE(b.run(40, &moved, for_stacks()), 1e-4);
      EXPECT_LE(moved, 1e-2);
    }
}

// Four points where three hold, so that W is singular.
TEST(CppBoxes, APyramidOfFifteenRunsByDefault) {
  for (double edge : {1.0, 1e-4}) {
    boxes b(edge, 1, 0.5);
    for (int row = 0; row < 5; row++)
      for (int i = 0; i < 5 - row; i++) b.add(1.02 * i + 0.51 * row, 0, row + 0.5);
    double moved = 0;
    EXPECT_LE(b.run(400, &moved, {}, 1e-4), 1e-2);
    EXPECT_LE(moved, 2e-2);
  }
}

TEST(CppBoxes, ABoxFallsOnItsCornerAndOnItsEdge) {
  each_scale([](double edge, double mass, double mu) {
    boxes corner(edge, mass, mu), side(edge, mass, mu);
    corner.add(0, 0, 1.07, {1, 1, 0}, std::atan(std::sqrt(2.0)) + 0.07);
    side.add(0, 0, 0.9, {1, 0.03, 0}, 0.8154);
    EXPECT_LE(corner.run(600), 1e-2);
    EXPECT_LE(side.run(600), 1e-2);
  });
}

}  // namespace
