// SPDX-License-Identifier: MIT
// Which rows a projection takes: columns against the nearest ordered sequence, disks against the
// distances of their centres, bodies that do not fit against the middle of what there is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "pool_tools.hpp"

namespace {

using tools::at;
using tools::contact_of;
using tools::count;
using tools::ids;
using tools::run;
using tools::vec;
using tools::world;

constexpr int kBoth[] = {PERP_PROJECT_POSITIONS, PERP_PROJECT_COMBINED};

// The nearest 0 <= z_0 <= z_1 <= ... to q in the metric of masses: pools of adjacent violators.
vec nearest_column(const vec &q, const vec &mass) {
  struct pool {
    double sum, weight;
    std::size_t size;
  };
  std::vector<pool> pools;
  for (std::size_t i = 0; i < q.size(); i++) {
    pools.push_back({mass[i] * q[i], mass[i], 1});
    while (pools.size() > 1) {
      const pool last = pools.back(), before = pools[pools.size() - 2];
      if (before.sum / before.weight <= last.sum / last.weight) break;
      pools.pop_back();
      pools.back() = {before.sum + last.sum, before.weight + last.weight, before.size + last.size};
    }
  }
  vec z;
  for (const pool &p : pools) z.insert(z.end(), p.size, std::max(0.0, p.sum / p.weight));
  return z;
}

void make_still_column(world &w, const vec &q, const vec &mass) {
  const perp_relation &floor = w.contact(1, 1, {1}).relation;
  const perp_relation &pair = w.contact(1, 2, {-1, 1}).relation;
  const perp_law *law = w.impact(0);
  for (std::int32_t i = 0; i < count(q.size()); i++) {
    w.add(w.body(vec{mass[at(i)]}).system);
    w.join(i == 0 ? floor : pair, law, i == 0 ? ids{0} : ids{i - 1, i});
  }
  w.q0 = q;
  w.v0.assign(q.size(), 0);
  w.options.min_gap = -1e9;
  w.options.solver = perp_solver_active_set();
}

TEST(ProjectionRows, RandomColumnsAreOrderedInOnePass) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> step(-0.04, 0.06), power(-2, 2);
  for (int trial = 0; trial < 60; trial++) {
    vec q(30), mass(30);
    double height = 0;
    for (std::size_t i = 0; i < q.size(); i++) {
      q[i] = height += step(random);
      mass[i] = trial % 2 == 0 ? 1 : std::pow(10.0, power(random));
    }
    const vec z = nearest_column(q, mass);
    for (int projection : kBoth) {
      world w;
      make_still_column(w, q, mass);
      w.options.projection = projection;
      w.options.projection_max = projection == PERP_PROJECT_COMBINED ? 2 : 1;
      run r(w);
      ASSERT_EQ(r.step(), PERP_OK) << trial << " " << r.info.value;
      for (std::int32_t i = 0; i < 30; i++) ASSERT_NEAR(r.q(i), z[at(i)], 1e-7) << trial;
    }
  }
}

// Levers: z_i moves z_{i+1} by three times as much, less a gap that is larger from one to the next.
TEST(ProjectionRows, ADisplacementReachesWhatItClosesFarAway) {
  constexpr std::int32_t kLevers = 20;
  world w;
  const perp_law *law = w.impact(0);
  double moved = 1;
  for (std::int32_t i = 0; i < kLevers; i++, moved *= 1.1) {
    w.add(w.body(vec{std::pow(0.01, i)}).system);
    w.q0.push_back(i == 0 ? -1 : 0);
    perp_lagrangian_linear_relation &r = i == 0 ? w.contact(1, 1, {1}) : w.contact(1, 2, {-3, 1});
    r.b = w.keep({i == 0 ? 0 : (i == 1 ? 1.9 - 3 : 1.9 * moved / 1.1)});
    w.join(r.relation, law, i == 0 ? ids{0} : ids{i - 1, i});
  }
  w.v0.assign(at(kLevers), 0);
  w.options.min_gap = -1e9;
  w.options.projection = PERP_PROJECT_POSITIONS;
  w.options.projection_max = 1;
  w.options.solver = perp_solver_active_set();
  run r(w);
  ASSERT_EQ(r.step(), PERP_OK) << r.info.value;
  for (std::int32_t i = 0; i < kLevers; i++)
    EXPECT_NEAR(r.q(i) - (i == 0 ? -1 : 0), std::pow(1.1, i), 0.02 * std::pow(1.1, i)) << i;
}

// The column of ten beads of the published trajectory.
TEST(ProjectionRows, AColumnOfTenBeadsRunsThroughItsImpacts) {
  for (int projection : kBoth) {
    world w;
    vec gap(10, 0.05);
    gap[0] = 0.9;
    tools::make_column(w, gap, 1, 9.81, 0.9);
    w.options.h = 5e-4;
    w.options.projection = projection;
    w.options.projection_max = 3;
    w.options.solver = perp_solver_active_set();
    run r(w);
    for (int k = 0; k < 4000; k++) {
      ASSERT_EQ(r.step(), PERP_OK) << k << " " << r.info.value;
      for (std::int32_t i = 0; i < 10; i++)
        ASSERT_GE(r.q(i) - (i == 0 ? 0 : r.q(i - 1)), -1.001e-8) << k;
    }
  }
}

std::int32_t apart(double, const double *q, const double *, const double *, double *y, void *) {
  y[0] = std::hypot(q[2] - q[0], q[3] - q[1]) - 1;
  return 0;
}

std::int32_t apart_H(double, const double *q, const double *, const double *, double *H, void *) {
  const double l = std::hypot(q[2] - q[0], q[3] - q[1]);
  for (int i = 0; i < 2; i++) {
    H[i] = -(q[2 + i] - q[i]) / l;
    H[2 + i] = (q[2 + i] - q[i]) / l;
  }
  return 0;
}

// Passes that disks on a disturbed square lattice need until they overlap by at most tol.
int passes_of_disks(unsigned seed, double tol) {
  constexpr std::int32_t kSide = 4, kDisks = kSide * kSide;
  for (int passes = 1; passes < 30; passes++) {
    world w;
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> by(-0.06, 0.06);
    perp_lagrangian_relation relation;
    perp_lagrangian_scleronomous_init(&relation, sizeof relation, 1, 4);
    relation.h = apart;
    relation.H = apart_H;
    const perp_system &disk = w.body(vec{1, 1}).system;
    const perp_law *law = w.impact(0);
    for (std::int32_t i = 0; i < kDisks; i++) {
      w.add(disk);
      w.q0.push_back(i % kSide + by(random));
      w.q0.push_back(i / kSide + by(random));
      for (std::int32_t j = 0; j < i; j++) w.join(relation.relation, law, {j, i});
    }
    w.v0.assign(2 * at(kDisks), 0);
    w.options.min_gap = -1;
    w.options.projection = PERP_PROJECT_POSITIONS;
    w.options.projection_max = passes;
    w.options.projection_tol_unilateral = tol;
    w.options.solver = perp_solver_active_set();
    run r(w);
    EXPECT_EQ(r.status, PERP_OK);
    if (r.step() != PERP_OK) continue;
    for (std::int32_t i = 0; i < kDisks; i++)
      for (std::int32_t j = 0; j < i; j++)
        EXPECT_GE(std::hypot(r.q(i, 0) - r.q(j, 0), r.q(i, 1) - r.q(j, 1)), 1 - 1.01 * tol);
    return passes;
  }
  return 30;
}

TEST(ProjectionRows, PassesOfCurvedGapsConvergeQuadratically) {
  for (unsigned seed = 1; seed <= 10; seed++) {
    const int coarse = passes_of_disks(seed, 1e-3), fine = passes_of_disks(seed, 1e-12);
    EXPECT_LE(coarse, 2) << seed;
    EXPECT_LE(fine, coarse + 2) << seed;
  }
}

// A block of this width between walls at 0 and 1, and one of another mass half in the floor.
struct wedged : world {
  perp_status status;
  std::vector<double> q;
  perp_report report = PERP_REPORT_INIT;

  wedged(double width, int projection, const perp_solver *solver, int n_steps = 3) {
    const perp_law *law = impact(0);
    perp_lagrangian_linear_relation &left = contact(1, 1, {1}), &right = contact(1, 1, {-1});
    left.b = keep({-width / 2});
    right.b = keep({1 - width / 2});
    add(body(vec{2}).system);
    add(body(vec{2e12}).system);
    join(left.relation, law, {0});
    join(right.relation, law, {0});
    join(contact(1, 1, {1}).relation, law, {1});
    q0 = {0.4999, -1e-4};
    v0 = {0, 0};
    options.min_gap = -1;
    options.projection = projection;
    options.projection_max = 3;
    options.solver = solver;
    run r(*this);
    const auto before = r.bytes();
    status = r.steps(n_steps);
    if (status != PERP_OK) {
      EXPECT_EQ(r.bytes(), before);
    }
    q = {r.q(0), r.q(1)};
    report = r.report();
  }
};

TEST(ProjectionRows, ABodyThatDoesNotFitStandsInTheMiddleAndIsCounted) {
  for (const perp_solver *solver : {perp_solver_active_set(), perp_solver_box_pivoting()})
    for (int projection : kBoth) {
      const wedged w(1 + 1e-6, projection, solver);
      ASSERT_EQ(w.status, PERP_OK) << solver->name;
      EXPECT_NEAR(w.q[0], 0.5, 1e-8) << solver->name;
      EXPECT_GE(w.q[1], -1e-8) << solver->name;
      EXPECT_EQ(w.report.relaxed, 3) << solver->name;
      const wedged fits(1, projection, solver);
      ASSERT_EQ(fits.status, PERP_OK) << solver->name;
      EXPECT_EQ(fits.report.relaxed, 0) << solver->name;
    }
}

TEST(ProjectionRows, ABodyThatDoesNotFitByFarEndsTheStep) {
  const wedged w(1 + 1e-2, PERP_PROJECT_POSITIONS, perp_solver_active_set(), 1);
  EXPECT_EQ(w.status, PERP_INFEASIBLE);
}

// Two rods of lengths that differ hold one bob.
TEST(ProjectionRows, ContradictingEqualitiesAreMissedAlike) {
  for (int projection : kBoth) {
    world w;
    w.add(w.body(vec{3}).system);
    for (double length : {1.0, 1.0 + 1e-5}) {
      perp_lagrangian_linear_relation &rod = w.contact(1, 1, {1});
      rod.b = w.keep({-length});
      w.join(rod.relation, w.equality(), {0});
    }
    w.q0 = {1.5};
    w.v0 = {0};
    w.options.projection = projection;
    w.options.projection_max = 3;
    w.options.solver = perp_solver_active_set();
    run r(w);
    ASSERT_EQ(r.step(), PERP_OK) << r.info.value;
    EXPECT_NEAR(r.q(), 1 + 5e-6, 1e-8);
    EXPECT_GE(r.report().relaxed, 1);
  }
}

// Grains that fall into a box, contacts found anew in each step.
void fall(const perp_solver *solver, int projection, unsigned seed) {
  constexpr std::int32_t kSide = 3, kGrains = kSide * kSide * kSide;
  constexpr double r = 0.05, kWidth = 0.33, margin = 0.01;
  tools::pooled w(8 * kGrains);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> u(-1, 1);
  perp_lagrangian_linear &s = tools::grain(w, 1);
  for (std::int32_t i = 0; i < kGrains; i++) {
    w.add(s.system);
    w.q0.insert(w.q0.end(),
                {0.055 + 0.11 * (i % 3) + 0.004 * u(random),
                 0.055 + 0.11 * (i / 3 % 3) + 0.004 * u(random), 0.06 + 0.11 * (i / 9)});
    w.v0.insert(w.v0.end(), {0.3 * u(random), 0.3 * u(random), 0});
  }
  w.law(w.impact(0.2));
  w.find = [](double, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
    tools::add_grains(sim, kGrains, r, margin, out);
    for (std::int32_t i = 0; i < kGrains; i++)
      for (std::size_t axis = 0; axis < 2; axis++)
        for (int side : {0, 1}) {
          const double x = perp_simulation_q(sim, i)[axis], gap = (side ? kWidth - x : x) - r;
          std::array<double, 3> normal{};
          normal[axis] = side ? -1 : 1;
          if (gap >= margin) continue;
          out.push_back(contact_of(i, PERP_GROUND, gap, normal));
          out.back().identity[0] = static_cast<std::uint32_t>(1 + 2 * axis) + (side ? 1U : 0U);
        }
    return 0;
  };
  w.options.h = 2e-3;
  w.options.projection = projection;
  w.options.solver = solver;
  run x(w);
  ASSERT_EQ(x.status, PERP_OK) << x.info.field;
  for (int k = 0; k < 250; k++) {
    ASSERT_EQ(x.step(), PERP_OK) << solver->name << " " << k << " " << x.info.value;
    for (std::int32_t i = 0; i < kGrains; i++) {
      ASSERT_GE(x.q(i, 2), r - 1e-6) << k;
      for (std::int32_t j = 0; j < i; j++)
        ASSERT_GE(std::hypot(x.q(i, 0) - x.q(j, 0), x.q(i, 1) - x.q(j, 1), x.q(i, 2) - x.q(j, 2)),
                  2 * r - 1e-4)
            << k;
    }
  }
}

TEST(ProjectionRows, APileWhoseContactsComeAndGoSettles) {
  for (const perp_solver *solver : {perp_solver_active_set(), perp_solver_nsgs()})
    for (int projection : kBoth)
      for (unsigned seed : {1U, 2U}) fall(solver, projection, seed);
}

}  // namespace
