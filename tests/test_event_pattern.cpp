// SPDX-License-Identifier: MIT
// The structure of ∂Ẏ/∂Y that implicit integrators are told, against the Jacobian by differences:
// no entry that is not 0 lies outside, in the modes that random models have at their start.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "event_tools.hpp"
#include "events/smooth.h"

namespace {

using tools::Motion;
using tools::vec;
using tools::World;

// An integrator that takes no step: it keeps its problem, and the state from which it would begin.
struct Probe {
  const smooth_problem *problem;
  vec y;
  double t;
};
Probe probe;

perp_status keep(void **self, const smooth_problem *problem, perp_info *) {
  probe.problem = problem;
  *self = &probe;
  return PERP_OK;
}
void nothing(void *) {}
perp_status begin(void *, double t, const double *y, double) {
  probe.t = t;
  probe.y.assign(y, y + probe.problem->n);
  return PERP_OK;
}
perp_status stay(void *, double, double *, double *, double *) { return PERP_EBACKEND; }
perp_status between(void *, double, double *) { return PERP_EBACKEND; }
perp_status none(void *, std::int32_t *, double *) { return PERP_EBACKEND; }
void no_counts(const void *, smooth_counts *counts) { *counts = smooth_counts{0, 0, 0, 0}; }
const char *no_words(const void *) { return "none"; }

const perp_smooth kProbe = {
    sizeof(perp_smooth), 0,       "probe", 0, 0, keep, nothing, begin, stay, between, none, nullptr,
    no_counts,           no_words};

struct Found {
  std::size_t entries = 0, nonzero = 0, size = 0;
};

// A guard may read all of the state, so that all systems are integrated as one.
std::int32_t never(const perp_event_state *, double *g, void *) {
  *g = 1;
  return 0;
}

// Entries of the structure, and of the Jacobian that are not 0; those outside are failures.
Found compare(World &w) {
  Motion run(w);
  Found found;
  run.options.smooth = &kProbe;
  const perp_guard whole = {never, nullptr, nullptr, 0, 0};
  run.options.guards = &whole;
  run.options.n_guards = 1;
  EXPECT_EQ(run.create(), PERP_OK) << run.message();
  if (run.sim == nullptr) return found;
  EXPECT_EQ(run.until(1), PERP_EBACKEND);  // begins, and takes no step
  const smooth_problem *p = probe.problem;
  const auto n = static_cast<std::size_t>(p->n);
  found.size = n;
  EXPECT_NE(p->start, nullptr) << "dense";
  if (p->start == nullptr) return found;
  vec up(n), down(n), moved = probe.y;
  for (std::size_t j = 0; j < n; j++) {
    const double d = 1e-5 * std::max(1.0, std::fabs(moved[j]));
    moved[j] = probe.y[j] + d;
    EXPECT_EQ(p->rhs(p->context, probe.t, moved.data(), up.data()), 0);
    moved[j] = probe.y[j] - d;
    EXPECT_EQ(p->rhs(p->context, probe.t, moved.data(), down.data()), 0);
    moved[j] = probe.y[j];
    const std::int32_t *from = p->index + p->start[j], *to = p->index + p->start[j + 1];
    found.entries += static_cast<std::size_t>(to - from);
    for (std::size_t i = 0; i < n; i++) {
      const double slope = (up[i] - down[i]) / (2 * d);
      if (std::fabs(slope) < 1e-5 * std::max(1.0, std::fabs(up[i]))) continue;
      found.nonzero++;
      EXPECT_NE(std::find(from, to, static_cast<std::int32_t>(i)), to)
          << "row " << i << ", column " << j << " of " << n << ": " << slope;
    }
  }
  return found;
}

std::mt19937 generator;
double real() { return std::uniform_real_distribution<double>(-1, 1)(generator); }
std::int32_t integer(std::int32_t n) {
  return static_cast<std::int32_t>(generator() % static_cast<unsigned>(n));
}

// Forces that couple the two coordinates of a system, and its mass with its place.
void nonlinear(World &w, perp_lagrangian &s, const vec &q0, const vec &v0) {
  ASSERT_EQ(perp_lagrangian_init(&s, sizeof s, 2), PERP_OK);
  s.mass = [](double, const double *q, const double *, const double *, double *M,
              void *) -> std::int32_t {
    return M[0] = 2 + std::sin(q[1]), M[1] = M[2] = 0.3, M[3] = 1, 0;
  };
  s.internal = [](double, const double *q, const double *v, const double *, double *f,
                  void *) -> std::int32_t {
    return f[0] = std::sin(q[0] - q[1]), f[1] = v[0] * v[1] + q[1], 0;
  };
  w.add(&s.system, q0, v0);
}

// Masses by twos on springs, some of them nonlinear, with joints, contacts and friction.
TEST(EventPattern, OfMechanicsHoldsTheJacobian) {
  for (unsigned seed = 0; seed < 30; seed++) {
    generator.seed(seed);
    World w;
    std::deque<perp_lagrangian> varying;
    const std::int32_t systems = 16;
    for (std::int32_t i = 0; i < systems; i++) {
      const double x = real();  // above the floor of those that stand on it: y = x1
      if (i % 4 == 3)
        nonlinear(w, varying.emplace_back(), {x, 1}, {real(), 0});
      else
        w.mass({1 + 0.5 * real(), 1 + 0.5 * real()}, {real(), -5}, {x, 0}, {real(), 0},
               {1 + real(), 0}, {0.1, 0.2});
    }
    for (std::int32_t i = 0; i < systems; i++) {
      if (i % 4 == 3) continue;
      const std::int32_t what = integer(4);
      if (what == 0) w.connect(w.gap({0, 1}, {0}), w.newton(0.5), {i});
      if (what == 1) w.connect(w.gap({0, 1, 1, 0}, {0, 0}), w.friction(2, 0.3), {i});
      if (what == 2) w.connect(w.gap({0, 1}, {0}), w.equality(), {i});
    }
    for (int k = 0; k < 3; k++) {
      const std::int32_t a = integer(systems / 2), b = systems / 2 + integer(systems / 2);
      w.connect(w.gap({real(), 0, real(), 0}, {0}), w.equality(), {a, b});
    }
    const Found found = compare(w);
    EXPECT_GT(found.nonzero, found.size) << seed;
    EXPECT_LT(found.entries, found.size * found.size) << seed;
  }
}

// States by fours with outputs of relative degree 0, 1 and 2. λ moves x3, too, and depends on x2 by
// the rates that it is to keep.
TEST(EventPattern, OfFirstOrderHoldsTheJacobian) {
  for (unsigned seed = 0; seed < 30; seed++) {
    generator.seed(100 + seed);
    World w;
    const std::int32_t systems = 12;
    const vec B = {0, 1, 0, 1};
    for (std::int32_t i = 0; i < systems; i++)  // x0' = x1 + ..., x1' = x2 + λ + ...
      w.state({0, 0, real(), 0},
              {0.5 * real(), real(), 0, 0, 1, real(), real(), 0, 0, 1, -1, 0, 0, 0, 0, -1},
              {real(), real(), real(), 0});
    for (std::int32_t i = 0; i < systems; i++) {
      const std::int32_t what = integer(5);
      if (what == 0) w.connect(w.output(1, 4, {0, 1, 0, 0}, {}, B), w.relay(1, -9, 9), {i});
      if (what == 1) w.connect(w.output(1, 4, {1, 0, 0, 0}, {}, B), w.equality(), {i});
      if (what == 2) w.connect(w.output(1, 4, {0, 1, 1, 0}, {2}, B), w.diode(), {i});
    }
    for (int k = 0; k < 2; k++) {
      const std::int32_t a = integer(systems / 2), b = systems / 2 + integer(systems / 2);
      w.connect(w.output(1, 8, {0, 1, 0, 0, 0, -1, 0, 0}, {1}, {0, 1, 0, 0, 0, -1, 0, 0}),
                w.relay(), {a, b});
    }
    const Found found = compare(w);
    EXPECT_GT(found.nonzero, found.size) << seed;
    EXPECT_LT(found.entries, found.size * found.size) << seed;
  }
}

// Chains of bodies on spherical joints.
TEST(EventPattern, OfBodiesHoldsTheJacobian) {
  for (unsigned seed = 0; seed < 5; seed++) {
    generator.seed(200 + seed);
    World w;
    std::deque<perp_body> bodies;
    std::deque<perp_joint> joints;
    std::vector<vec> places;
    for (std::int32_t i = 0; i < 8; i++) {
      perp_body &body = bodies.emplace_back();
      ASSERT_EQ(perp_body_init(&body, sizeof body), PERP_OK);
      places.push_back({double(i), real(), real(), 1, 0, 0, 0});
      w.add(&body.system, places.back(), vec(6, 0));
    }
    for (std::int32_t i = 0; i + 1 < 8; i++) {
      if (integer(2) == 0) continue;
      const vec &a = places[std::size_t(i)], &b = places[std::size_t(i) + 1];
      const double point[3] = {i + 0.5, 0.2, 0.1};
      perp_joint &joint = joints.emplace_back();
      ASSERT_EQ(perp_joint_init(&joint, sizeof joint, PERP_JOINT_SPHERICAL, 2), PERP_OK);
      ASSERT_EQ(perp_joint_place(&joint, point, nullptr, a.data(), b.data()), PERP_OK);
      w.connect(&joint.relation, w.equality(), {i, i + 1});
    }
    const Found found = compare(w);
    EXPECT_GT(found.nonzero, 0u) << seed;
    EXPECT_LT(found.entries, found.size * found.size) << seed;
  }
}

}  // namespace
