// SPDX-License-Identifier: MIT
// Monotone piecewise linear graphs: the pairs that come out lie on the graph, told by code of the
// test's own; relays with dead zone, a diode by segments, transistors, friction of a joint.
#include <gtest/gtest.h>
#include <perp/experimental.h>
#include <perp/perp.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>

#include "model_tools.hpp"

namespace {

using tools::at;
using tools::run;
using tools::vec;
using tools::world;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

struct graph {
  vec y, lambda;
  double before = 0, after = 0;
  perp_piecewise_linear c() const {
    perp_piecewise_linear g = PERP_PIECEWISE_LINEAR_INIT;
    g.points = tools::count(y.size());
    g.y = y.data();
    g.lambda = lambda.data();
    g.slope_before = before;
    g.slope_after = after;
    return g;
  }
  // The interval of λ at y.
  std::pair<double, double> values(double at_y) const {
    const std::size_t n = y.size();
    if (at_y < y[0]) {
      const double l = before == kInf ? kInf : lambda[0] + before * (y[0] - at_y);
      return {l, l};
    }
    if (at_y > y[n - 1]) {
      const double l = after == kInf ? -kInf : lambda[n - 1] - after * (at_y - y[n - 1]);
      return {l, l};
    }
    double low = kInf, high = -kInf;
    for (std::size_t i = 0; i < n; i++) {
      if (y[i] == at_y) low = std::min(low, lambda[i]), high = std::max(high, lambda[i]);
      if (i + 1 < n && y[i] < at_y && at_y < y[i + 1]) {
        const double s = (at_y - y[i]) / (y[i + 1] - y[i]);
        low = high = lambda[i] + s * (lambda[i + 1] - lambda[i]);
      }
    }
    if (at_y == y[0] && before == kInf) high = kInf;
    if (at_y == y[n - 1] && after == kInf) low = -kInf;
    return {low, high};
  }
  // Whether (y, λ) is within tol of the graph: the graph falls, so it passes between the corners of
  // the square around the point.
  bool near(double at_y, double at_lambda, double tol) const {
    return values(at_y - tol).second >= at_lambda - tol &&
           values(at_y + tol).first <= at_lambda + tol;
  }
};

graph random_graph(std::mt19937 &random) {
  std::uniform_int_distribution<int> points(1, 5), kind(0, 3);
  std::uniform_real_distribution<double> step(0.1, 1.5), place(-2, 2);
  graph g;
  g.y = {place(random)};
  g.lambda = {place(random)};
  const int n = points(random);
  for (int i = 1; i < n; i++) {
    const int k = kind(random);
    g.y.push_back(g.y.back() + (k == 0 ? 0 : step(random)));
    g.lambda.push_back(g.lambda.back() - (k == 1 ? 0 : step(random)));
  }
  const double slopes[4] = {0, kInf, step(random), 0};
  g.before = slopes[kind(random)];
  g.after = slopes[kind(random)];
  return g;
}

// A piecewise relation with its memory.
struct expansion {
  vec memory;
  perp_piecewise_linear c;
  perp_piecewise_relation relation;
  perp_status status;
  expansion(const perp_relation &inner, const graph &g) : c(g.c()) {
    const std::size_t bytes = perp_piecewise_relation_memory(&inner, &c);
    memory.assign(bytes / 8 + 2, 999);
    std::memset(&relation, 0x5A, sizeof relation);
    status = perp_piecewise_relation_init(&relation, sizeof relation, &inner, &c, memory.data(),
                                          bytes, nullptr);
    EXPECT_EQ(memory.back(), 999);
  }
  expansion(const expansion &) = delete;
  const perp_law *law() const { return &relation.pieces.box.law; }
  void values(const run &r, std::int32_t i, vec &y, vec &lambda) const {
    const int order = relation.relation.ops->order;
    const double *w = order == 1 ? perp_simulation_y(r.sim, i) : perp_simulation_ydot(r.sim, i);
    y.assign(at(relation.inner->m), 999);
    lambda.assign(at(relation.inner->m), 999);
    EXPECT_EQ(perp_piecewise_relation_values(&relation, w, perp_simulation_lambda(r.sim, i),
                                             y.data(), lambda.data()),
              PERP_OK);
  }
};

TEST(PiecewiseLinear, GraphsAreChecked) {
  const graph good = {{-1, 0, 0, 2}, {1, 1, -1, -3}, 0, kInf};
  perp_info info = PERP_INFO_INIT;
  perp_piecewise_linear c = good.c();
  EXPECT_EQ(perp_piecewise_linear_check(&c, &info), PERP_OK);
  EXPECT_EQ(perp_piecewise_linear_check(nullptr, &info), PERP_EINVAL);
  const auto refused = [&](const graph &g, const char *field, int index,
                           perp_status status = PERP_EINVAL) {
    const perp_piecewise_linear bad = g.c();
    EXPECT_EQ(perp_piecewise_linear_check(&bad, &info), status);
    EXPECT_STREQ(info.field, field);
    EXPECT_EQ(info.index, index);
    EXPECT_EQ(perp_piecewise_linear_pieces(&bad), 0);
    EXPECT_TRUE(std::isnan(perp_piecewise_linear_distance(&bad, 0, 0)));
  };
  refused({{0, -1}, {0, -1}}, "y", 1);
  refused({{0, 1}, {0, 1}}, "lambda", 1);
  refused({{0, kNaN}, {0, 0}}, "y", 1, PERP_ENOTFINITE);
  refused({{0, kInf}, {0, 0}}, "y", 1, PERP_ENOTFINITE);
  refused({{0, 1}, {kInf, 0}}, "lambda", 0, PERP_ENOTFINITE);
  refused({{-1e308, 1e308}, {0, -1}}, "y", 1);
  refused({{0, 1e308}, {0, -1e-308}}, "lambda", 1);
  refused({{0}, {0}, -1, 0}, "slope_before", -1);
  refused({{0}, {0}, 1e-310, 0}, "slope_before", -1);
  refused({{0}, {0}, 0, -kInf}, "slope_after", -1);
  refused({{0}, {0}, 0, kNaN}, "slope_after", -1, PERP_ENOTFINITE);
  refused({{}, {}}, "points", -1);
  c.y = nullptr;
  EXPECT_EQ(perp_piecewise_linear_check(&c, &info), PERP_EINVAL);
  c = good.c();
  c.lambda = nullptr;
  EXPECT_EQ(perp_piecewise_linear_check(&c, &info), PERP_EINVAL);
  c = good.c();
  c.struct_size = 4;
  EXPECT_EQ(perp_piecewise_linear_check(&c, &info), PERP_EINVAL);
}

TEST(PiecewiseLinear, PiecesAreTheSegmentsThatAreNotHorizontal) {
  const auto pieces = [](const graph &g) {
    const perp_piecewise_linear c = g.c();
    return perp_piecewise_linear_pieces(&c);
  };
  EXPECT_EQ(pieces({{0}, {0}, kInf, 0}), 1);                    // complementarity
  EXPECT_EQ(pieces({{0}, {0}, kInf, kInf}), 1);                 // equality
  EXPECT_EQ(pieces({{0, 0}, {1, -1}, 0, 0}), 1);                // relay
  EXPECT_EQ(pieces({{-1, -1, 1, 1}, {1, 0, 0, -1}, 0, 0}), 2);  // relay with dead zone
  EXPECT_EQ(pieces({{0, 0, 0}, {1, 0, -1}, 0, 0}), 1);          // a relay in two parts
  EXPECT_EQ(pieces({{0, 0}, {1, -1}, kInf, 0}), 1);             // unbounded above
  EXPECT_EQ(pieces({{0, 1}, {3, 3}, 0, 0}), 1);                 // a constant
  EXPECT_EQ(pieces({{-1, 1}, {1, -1}, 0, 0}), 1);               // saturation
  EXPECT_EQ(pieces({{-1, 1}, {1, -1}, 0.5, 2}), 3);
}

TEST(PiecewiseLinear, DistanceIsZeroOnTheGraphOnly) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal(0, 2);
  for (int trial = 0; trial < 300; trial++) {
    const graph g = random_graph(random);
    const perp_piecewise_linear c = g.c();
    for (int k = 0; k < 20; k++) {
      const double y = normal(random), lambda = normal(random);
      const double d = perp_piecewise_linear_distance(&c, y, lambda);
      EXPECT_TRUE(g.near(y, lambda, d + 1e-9));
      if (d > 1e-9) {
        EXPECT_FALSE(g.near(y, lambda, d - 1e-9));
      }
      const auto on = g.values(y);
      if (std::fabs(on.first) < 1e300) {
        EXPECT_NEAR(perp_piecewise_linear_distance(&c, y, on.first), 0, 1e-12);
      }
    }
    EXPECT_TRUE(std::isnan(perp_piecewise_linear_distance(&c, kNaN, 0)));
    EXPECT_TRUE(std::isnan(perp_piecewise_linear_distance(&c, 0, kNaN)));
  }
}

// ẋ = −x/2 + b + 1.3 λ, y = 0.8 x + d λ + e; one step leads to a pair on the graph.
TEST(PiecewiseLinear, EveryGraphIsSolvedByEverySolverWithBounds) {
  std::mt19937 random(17);
  std::normal_distribution<double> normal(0, 3);
  const perp_solver *solvers[] = {perp_solver_newton_fb(), perp_solver_box_pivoting(),
                                  perp_solver_enumeration(), perp_solver_pgs()};
  for (int trial = 0; trial < 200; trial++) {
    const graph g = random_graph(random);
    for (const perp_solver *solver : solvers) {
      std::mt19937 own(static_cast<unsigned>(trial));
      world w;
      perp_first_order_linear &s = w.circuit(1);
      s.A = perp_dense(1, 1, w.keep({-0.5}));
      s.b = w.keep({normal(own)});
      w.add(s.system);
      perp_linear_relation &r = w.port(1, 1, {0.8});
      r.B = w.keep({1.3});
      r.D = w.keep({trial % 2 == 0 ? 0.7 : 0.0});
      r.e = w.keep({normal(own)});
      const expansion e(r.relation, g);
      ASSERT_EQ(e.status, PERP_OK);
      w.join(e.relation.relation, e.law(), {0});
      w.x0 = {normal(own)};
      w.options.integrator = perp_integrator_theta();
      w.options.solver = solver;
      w.options.h = 0.3;
      run sim(w);
      ASSERT_EQ(sim.status, PERP_OK) << sim.info.field;
      for (int k = 0; k < 5; k++) {
        ASSERT_EQ(sim.step(), PERP_OK) << solver->name << " " << trial;
        vec y, lambda;
        e.values(sim, 0, y, lambda);
        EXPECT_NEAR(y[0], 0.8 * sim.x() + r.D[0] * lambda[0] + r.e[0], 1e-6);
        EXPECT_TRUE(g.near(y[0], lambda[0], 1e-5)) << solver->name << " " << trial;
      }
    }
  }
}

// ẋ = d + λ, λ = 1 below −1/2, 0 within the dead zone, −1 above 1/2.
TEST(PiecewiseLinear, RelayWithDeadZoneComesToRestAtItsEdge) {
  const graph relay = {{-0.5, -0.5, 0.5, 0.5}, {1, 0, 0, -1}, 0, 0};
  for (const double d : {0.3, 0.0, -0.3}) {
    world w;
    perp_first_order_linear &s = w.circuit(1);
    s.b = w.keep({d});
    w.add(s.system);
    perp_linear_relation &r = w.port(1, 1, {1});
    r.B = w.keep({1});
    const expansion e(r.relation, relay);
    w.join(e.relation.relation, e.law(), {0});
    w.x0 = {2};
    w.options.integrator = perp_integrator_theta();
    w.options.solver = perp_solver_box_pivoting();
    w.options.h = 0.01;
    run sim(w);
    const double speed = 1 - d, reach = 1.5 / speed;
    while (sim.time() < reach - 0.02) {
      ASSERT_EQ(sim.step(), PERP_OK);
      EXPECT_NEAR(sim.x(), 2 - speed * sim.time(), 1e-9);
    }
    ASSERT_EQ(sim.steps(600), PERP_OK);
    vec y, lambda;
    e.values(sim, 0, y, lambda);
    // with d >= 0 it stays at the edge; pushed away from it, it drifts to the other
    EXPECT_NEAR(sim.x(), d >= 0 ? 0.5 : -0.5, 1e-9);
    EXPECT_NEAR(lambda[0], -d, 1e-9);
  }
}

// A capacitor through a diode of two resistances: C ẋ = −x/R_0 − i(x), i = 0 below 0.6, (x − 0.6)/r
// above: exponentials on either side.
TEST(PiecewiseLinear, DiodeBySegmentsDischargesACapacitor) {
  const double R = 10, r0 = 0.5;
  const graph diode = {{-0.6}, {0}, 1 / r0, 0};  // of y = −x: current λ = (−0.6 − y)/r
  world w;
  perp_first_order_linear &s = w.circuit(1);
  s.A = perp_dense(1, 1, w.keep({-1 / R}));
  w.add(s.system);
  perp_linear_relation &r = w.port(1, 1, {-1});
  r.B = w.keep({-1});
  const expansion e(r.relation, diode);
  w.join(e.relation.relation, e.law(), {0});
  w.x0 = {2};
  w.options.integrator = perp_integrator_theta();
  w.options.solver = perp_solver_box_pivoting();
  w.options.h = 1e-3;
  run sim(w);
  const double a = 1 / R + 1 / r0, rest = 0.6 / r0 / a;
  const double cross = std::log((2 - rest) / (0.6 - rest)) / a;
  for (int k = 0; k < 4000; k++) {
    ASSERT_EQ(sim.step(), PERP_OK);
    const double t = sim.time();
    const double x =
        t < cross ? rest + (2 - rest) * std::exp(-a * t) : 0.6 * std::exp(-(t - cross) / R);
    EXPECT_NEAR(sim.x(), x, 4e-3) << t;
  }
}

// Two transistors by segments, i = K/2 (f(v_gs − v_t) − f(v_gs − v_t − v_ds)) with f(x) a
// piecewise linear max(0, x)², drive a capacitor; four copies of one graph in one relation.
TEST(PiecewiseLinear, InverterOfTwoTransistors) {
  const vec x = {0, 0.5, 1, 2, 3, 5};
  graph f;  // of y = −x
  for (std::size_t i = x.size(); i-- > 0;) {
    f.y.push_back(-x[i]);
    f.lambda.push_back(x[i] * x[i]);
  }
  f.before = 8;
  const auto square = [&](double v) { return f.values(-v).first; };
  const double K = 0.8, vt = 0.6, V = 3;
  world w;
  w.add(w.circuit(1).system);  // C = 1: the output voltage u
  // y = −(argument), arguments: g − vt, g − vt − u, V − g − vt, (V − g − vt) − (V − u) = u − g − vt
  perp_linear_relation &r = w.port(4, 1, {0, 1, 0, -1});
  r.B = w.keep({-K / 2, K / 2, K / 2, -K / 2});
  vec z = {0};
  r.F = w.keep({-1, -1, 1, 1});
  r.z = z.data();
  r.n_z = 1;
  r.e = w.keep({vt, vt, vt - V, vt});
  const expansion e(r.relation, f);
  ASSERT_EQ(e.relation.relation.m, 4 * 6);
  w.join(e.relation.relation, e.law(), {0});
  w.x0 = {0};
  w.options.integrator = perp_integrator_theta();
  w.options.theta = 1;
  w.options.solver = perp_solver_box_pivoting();
  w.options.h = 0.01;
  run sim(w);
  ASSERT_EQ(sim.status, PERP_OK);
  double u = 0;
  for (int k = 0; k < 2000; k++) {
    z[0] = 1.5 - 1.5 * std::cos(0.3 * sim.time());
    ASSERT_EQ(sim.step(), PERP_OK) << k;
    // the same implicit step, by bisection of its increasing function
    const auto rest = [&](double v) {
      const double g = z[0];
      const double down = K / 2 * (square(g - vt) - square(g - vt - v));
      const double up = K / 2 * (square(V - g - vt) - square(v - g - vt));
      return v - u - 0.01 * (up - down);
    };
    double low = -5, high = 8;
    for (int i = 0; i < 100; i++) (rest(0.5 * (low + high)) < 0 ? low : high) = 0.5 * (low + high);
    EXPECT_NEAR(sim.x(), low, 1e-6) << k;
    u = sim.x();
    vec y, lambda;
    e.values(sim, 0, y, lambda);
    for (std::size_t i = 0; i < 4; i++) EXPECT_NEAR(lambda[i], square(-y[i]), 1e-5);
  }
  EXPECT_GT(u, -0.1);
}

// At order 2: drag of a joint, stiction and then a viscous part, in impulses of one step.
TEST(PiecewiseLinear, FrictionOfAJointBetweenVelocityAndImpulse) {
  const double h = 0.01, stick = 2, viscous = 0.5, wind = 0.25;
  // around the velocity of the air, so that a shift is there
  const graph drag = {{wind, wind}, {stick * h, -stick * h}, viscous * h, viscous * h};
  world w;
  perp_lagrangian_linear &s = w.body(vec{1.5});
  s.f = w.keep({5});
  w.add(s.system);
  w.v0 = {-3};
  const expansion e(w.contact(1, 1, {1}).relation, drag);
  ASSERT_EQ(e.status, PERP_OK);
  w.join(e.relation.relation, e.law(), {0});
  w.options.h = h;
  w.options.solver = perp_solver_box_pivoting();
  run sim(w);
  double v = -3;
  for (int k = 0; k < 2000; k++) {
    ASSERT_EQ(sim.step(), PERP_OK);
    vec y, lambda;
    e.values(sim, 0, y, lambda);
    EXPECT_NEAR(y[0], sim.v(), 1e-9);
    EXPECT_NEAR(1.5 * (sim.v() - v), 5 * h + lambda[0], 1e-9);
    EXPECT_TRUE(drag.near(y[0], lambda[0], 1e-7));
    v = sim.v();
  }
  EXPECT_NEAR(v, wind + (5 - stick) / viscous, 0.02);
}

TEST(PiecewiseLinear, SchemesOnPositionsAreRefused) {
  world w;
  w.add(w.body(vec{1}).system);
  const expansion e(w.contact(1, 1, {1}).relation, {{0, 0}, {1, -1}, 0, 0});
  w.join(e.relation.relation, e.law(), {0});
  w.options.integrator = perp_integrator_schatzman_paoli();
  w.options.solver = perp_solver_box_pivoting();
  run sim(w);
  EXPECT_EQ(sim.status, PERP_EUNSUPPORTED);
  EXPECT_STREQ(sim.info.field, "law");
}

// A varying relation is taken apart as it is evaluated.
TEST(PiecewiseLinear, VaryingRelationsToo) {
  const graph relay = {{-0.5, -0.5, 0.5, 0.5}, {1, 0, 0, -1}, 0.25, 0.5};
  struct data {
    double C, B, D;
  } d = {0.9, 1.1, 0.2};
  perp_relation_ops ops;
  std::memset(&ops, 0, sizeof ops);
  ops.struct_size = sizeof ops;
  ops.order = 1;
  ops.name = "own";
  ops.bytes = sizeof(perp_relation);
  ops.features = [](const perp_relation *) -> std::uint32_t { return PERP_RELATION_D; };
  static data *own;
  own = &d;
  // y = sin-like in x, so that Newton has to turn: y = C x + 0.1 x³ + D λ, r = B λ
  ops.evaluate = [](const perp_relation *, const perp_relation_point *p,
                    const perp_relation_values *out, double *) -> std::int32_t {
    const double x = p->v[0];
    out->y[0] = own->C * x + 0.1 * x * x * x + own->D * p->lambda[0];
    out->H[0] = own->C + 0.3 * x * x;
    out->D[0] = own->D;
    out->r[0] = own->B * p->lambda[0];
    out->B[0] = own->B;
    return 0;
  };
  const perp_relation inner = {&ops, sizeof(perp_relation), 1, 1, 0};
  world w;
  perp_first_order_linear &s = w.circuit(1);
  s.b = w.keep({0.3});
  w.add(s.system);
  const expansion e(inner, relay);
  ASSERT_EQ(e.status, PERP_OK);
  w.join(e.relation.relation, e.law(), {0});
  w.x0 = {3};
  w.options.integrator = perp_integrator_theta();
  w.options.theta = 1;
  w.options.solver = perp_solver_box_pivoting();
  w.options.h = 0.05;
  run sim(w);
  ASSERT_EQ(sim.status, PERP_OK);
  double x = 3;
  for (int k = 0; k < 200; k++) {
    ASSERT_EQ(sim.step(), PERP_OK);
    vec y, lambda;
    e.values(sim, 0, y, lambda);
    const double now = sim.x();
    EXPECT_NEAR(now, x + 0.05 * (0.3 + 1.1 * lambda[0]), 1e-8);
    EXPECT_NEAR(y[0], 0.9 * now + 0.1 * now * now * now + 0.2 * lambda[0], 1e-7);
    EXPECT_TRUE(relay.near(y[0], lambda[0], 1e-6));
    x = now;
  }
}

TEST(PiecewiseLinear, MemoryOfAnyAlignmentIsUsedWithinItsBytes) {
  world w;
  const graph g = {{-1, -1, 1, 2}, {1, 0, 0, -1}, 0.5, kInf};
  const perp_piecewise_linear c = g.c();
  perp_linear_relation &r = w.port(2, 3, {1, 2, 3, 4, 5, 6});
  r.B = w.keep({1, 2, 3, 4, 5, 6});
  r.D = w.keep({1, 0.5, 0.25, 2});
  const std::size_t bytes = perp_piecewise_relation_memory(&r.relation, &c);
  for (std::size_t shift = 0; shift < 64; shift += 7) {
    std::vector<unsigned char> memory(bytes + 128, 0xA5);
    perp_piecewise_relation p;
    ASSERT_EQ(perp_piecewise_relation_init(&p, sizeof p, &r.relation, &c, memory.data() + shift,
                                           bytes, nullptr),
              PERP_OK);
    for (std::size_t i = 0; i < memory.size(); i++)
      if (i < shift || i >= shift + bytes) {
        ASSERT_EQ(memory[i], 0xA5);
      }
    const std::int32_t k = perp_piecewise_linear_pieces(&c);
    ASSERT_EQ(p.relation.m, 2 * k);
    for (std::int32_t j = 0; j < 3; j++)  // rows and columns, each k times
      for (std::int32_t i = 0; i < 2 * k; i++) {
        EXPECT_EQ(p.H[i + 2 * k * j], r.C[i / k + 2 * j]);
        EXPECT_EQ(p.B[j + 3 * i], r.B[j + 3 * (i / k)]);
      }
    for (std::int32_t j = 0; j < 2 * k; j++)
      for (std::int32_t i = 0; i < 2 * k; i++)
        EXPECT_EQ(p.D[i + 2 * k * j],
                  r.D[i / k + 2 * (j / k)] + (i == j ? p.compliance[i % k] : 0));
  }
}

TEST(PiecewiseLinear, MakingIsRefusedByName) {
  world w;
  const graph g = {{0, 0}, {1, -1}, 0, 0};
  const perp_piecewise_linear c = g.c();
  perp_linear_relation &r = w.port(2, 3, vec(6, 1.0));
  perp_piecewise_relation p;
  perp_info info = PERP_INFO_INIT;
  const std::size_t bytes = perp_piecewise_relation_memory(&r.relation, &c);
  ASSERT_GT(bytes, 0u);
  vec memory(bytes / 8 + 1);
  const auto make = [&](perp_piecewise_relation *out, std::size_t size, const perp_relation *inner,
                        const perp_piecewise_linear *graph, void *m, std::size_t b) {
    return perp_piecewise_relation_init(out, size, inner, graph, m, b, &info);
  };
  EXPECT_EQ(make(&p, sizeof p, &r.relation, &c, memory.data(), bytes), PERP_OK);
  EXPECT_EQ(make(nullptr, sizeof p, &r.relation, &c, memory.data(), bytes), PERP_EINVAL);
  EXPECT_EQ(make(&p, sizeof p - 1, &r.relation, &c, memory.data(), bytes), PERP_EINVAL);
  EXPECT_EQ(make(&p, sizeof p, nullptr, &c, memory.data(), bytes), PERP_EINVAL);
  EXPECT_STREQ(info.field, "inner");
  EXPECT_EQ(make(&p, sizeof p, &r.relation, nullptr, memory.data(), bytes), PERP_EINVAL);
  EXPECT_STREQ(info.field, "graph");
  EXPECT_EQ(make(&p, sizeof p, &r.relation, &c, nullptr, bytes), PERP_EWORKSPACE);
  EXPECT_EQ(make(&p, sizeof p, &r.relation, &c, memory.data(), bytes - 1), PERP_EWORKSPACE);
  EXPECT_EQ(perp_piecewise_relation_memory(nullptr, &c), 0u);
  EXPECT_EQ(perp_piecewise_relation_memory(&r.relation, nullptr), 0u);
  r.C = nullptr;
  EXPECT_EQ(make(&p, sizeof p, &r.relation, &c, memory.data(), bytes), PERP_EINVAL);
  EXPECT_STREQ(info.field, "inner");
  double z[2] = {1, 2}, y[2], lambda[2];
  EXPECT_EQ(make(&p, sizeof p, &w.port(2, 3, vec(6, 1.0)).relation, &c, memory.data(), bytes),
            PERP_OK);
  EXPECT_EQ(perp_piecewise_relation_values(nullptr, z, z, y, lambda), PERP_EINVAL);
  EXPECT_EQ(perp_piecewise_relation_values(&p, nullptr, z, y, lambda), PERP_EINVAL);
  EXPECT_EQ(perp_piecewise_relation_values(&p, z, nullptr, y, lambda), PERP_EINVAL);
  EXPECT_EQ(perp_piecewise_relation_values(&p, nullptr, z, nullptr, lambda), PERP_OK);
  EXPECT_EQ(lambda[1], 2);
  // what is wrong with the relation of y is found when the model is
  vec bad(6, 1.0);
  bad[3] = kNaN;
  ASSERT_EQ(make(&p, sizeof p, &w.port(2, 3, bad).relation, &c, memory.data(), bytes), PERP_OK);
  w.add(w.circuit(3).system);
  w.join(p.relation, &p.pieces.box.law, {0});
  EXPECT_EQ(perp_model_check(w.finish(), &info), PERP_ENOTFINITE);
  EXPECT_STREQ(info.field, "C");
}

}  // namespace
