// SPDX-License-Identifier: MIT
// Moreau-Jean steps against exact solutions of the mechanics.
#include <gtest/gtest.h>

#include <cmath>

#include "dense_tools.hpp"
#include "figure.hpp"
#include "scheme_oracle.hpp"

namespace {

using tools::at;
using tools::count;
using tools::dense;
using tools::figure;
using tools::ids;
using tools::make_ball;
using tools::make_column;
using tools::oracle;
using tools::run;
using tools::uniform;
using tools::vec;
using tools::world;

constexpr double kGravity = 9.81;

// ------------------------------------------------------------------------ bouncing ball ----

// Exact motion of a ball dropped from height 1 with restitution e < 1.
struct dropped_ball {
  double e, first = std::sqrt(2 / kGravity), speed = std::sqrt(2 * kGravity);

  double impact(int n) const {  // time of impact n = 0, 1, ...
    double t = first, u = speed;
    for (int k = 0; k < n; k++) t += 2 * (u *= e) / kGravity;
    return t;
  }
  void motion(double t, double *q, double *v) const {
    if (t < first) {
      *q = 1 - 0.5 * kGravity * t * t;
      *v = -kGravity * t;
      return;
    }
    double begin = first, u = e * speed;
    while (t >= begin + 2 * u / kGravity) {
      begin += 2 * u / kGravity;
      u *= e;
    }
    *q = u * (t - begin) - 0.5 * kGravity * (t - begin) * (t - begin);
    *v = u - kGravity * (t - begin);
  }
};

// Errors on [0, end]: position in the uniform norm, velocity in L1.
void ball_errors(double e, double h, double end, double *position, double *velocity) {
  world w;
  make_ball(w, 2, kGravity, 1, 0, e);
  w.options.h = h;
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  const dropped_ball exact{e};
  *position = *velocity = 0;
  while (r.time() < end) {
    ASSERT_EQ(r.step(), PERP_OK);
    double q, v;
    exact.motion(r.time(), &q, &v);
    *position = std::max(*position, std::fabs(r.q() - q));
    *velocity += h * std::fabs(r.v() - v);
  }
}

TEST(MoreauJean, BallHitsTheFloorWhenTheExactOneDoes) {
  for (const double h : {4e-3, 1e-3, 2.5e-4}) {
    world w;
    make_ball(w, 2, kGravity, 1, 0, 0.9);
    w.options.h = h;
    run r(w);
    ASSERT_EQ(r.status, PERP_OK);
    const dropped_ball exact{0.9};
    double late = 0;
    for (int n = 0; n < 8; n++) {
      do {
        ASSERT_EQ(r.step(), PERP_OK);
      } while (r.lambda() == 0);
      const double speed = exact.speed * std::pow(0.9, n);
      EXPECT_NEAR(r.time(), exact.impact(n), 2 * (n + 1) * h);
      late = std::max(late, std::fabs(r.time() - exact.impact(n)));
      EXPECT_NEAR(r.v(), 0.9 * speed, 3 * kGravity * h);
      EXPECT_NEAR(r.lambda(), 2 * 1.9 * speed, 2 * 6 * kGravity * h);
    }
    EXPECT_EQ(static_cast<double>(r.report().impacts), 8);
    figure("ball, 8 impacts, largest error of their times over h", late / h);
  }
}

TEST(MoreauJean, BallRisesToTheExactHeights) {
  for (const double h : {4e-3, 1e-3, 2.5e-4}) {
    world w;
    make_ball(w, 2, kGravity, 1, 0, 0.9);
    w.options.h = h;
    run r(w);
    ASSERT_EQ(r.status, PERP_OK);
    double off = 0;
    for (int n = 1; n < 8; n++) {
      while (!(r.v() > 0)) ASSERT_EQ(r.step(), PERP_OK);
      while (r.v() > 0) ASSERT_EQ(r.step(), PERP_OK);
      EXPECT_NEAR(r.q(), std::pow(0.81, n), 4 * n * h);
      off = std::max(off, std::fabs(r.q() - std::pow(0.81, n)));
    }
    figure("ball, 7 rebounds, largest error of their heights over h (m/s)", off / h);
  }
}

TEST(MoreauJean, BallConvergesWithOrderOne) {
  vec x, p, v;
  for (double h = 1.0 / 64; h > 1.0 / 10000; h /= 2) {
    double position = 999, velocity = 999;
    ball_errors(0.7, h * 0.937, 1.9, &position, &velocity);
    x.push_back(std::log(h));
    p.push_back(std::log(position));
    v.push_back(std::log(velocity));
  }
  const auto slope = [&x](const vec &y) {  // of the least-squares line
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    const double n = double(x.size());
    for (std::size_t i = 0; i < x.size(); i++) {
      sx += x[i];
      sy += y[i];
      sxx += x[i] * x[i];
      sxy += x[i] * y[i];
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
  };
  EXPECT_NEAR(slope(p), 1, 0.2);
  EXPECT_NEAR(slope(v), 1, 0.2);
  figure("ball, order of the position, uniform norm", slope(p));
  figure("ball, order of the velocity, L1", slope(v));
}

TEST(MoreauJean, ElasticImpactsKeepTheEnergyToRounding) {
  world w;
  make_ball(w, 2, kGravity, 1, 0.3, 1);
  w.options.h = 1e-3;
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  double kinetic, potential;
  ASSERT_EQ(perp_simulation_energy(r.sim, &kinetic, &potential), PERP_OK);
  EXPECT_DOUBLE_EQ(kinetic, 0.5 * 2 * 0.3 * 0.3);
  EXPECT_DOUBLE_EQ(potential, 2 * kGravity * 1);
  const double before = kinetic + potential;
  double drift = 0;
  for (int k = 0; k < 20000; k++) {
    ASSERT_EQ(r.step(), PERP_OK);
    perp_simulation_energy(r.sim, &kinetic, &potential);
    drift = std::max(drift, std::fabs(kinetic + potential - before) / before);
    ASSERT_NEAR(kinetic + potential, before, 1e-12 * before) << "step " << k;
  }
  EXPECT_GT(static_cast<double>(r.report().impacts), 20);
  figure("elastic ball, 20 s, largest relative change of energy", drift);
}

// A chain of elastic impacts between equal balls and springs keeps it too.
TEST(MoreauJean, ElasticImpactsOfSpringsKeepTheEnergyToRounding) {
  world w;
  perp_lagrangian_linear &s = w.body(vec{1.5});
  s.K = perp_diagonal(1, w.keep({400}));
  s.f = w.keep({-3});
  w.add(s.system);
  w.join(w.contact(1, 1, {1}).relation, w.impact(1), {0});
  w.q0 = {0.4};
  w.v0 = {-1};
  w.options.h = 1e-3;
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  double kinetic, potential;
  perp_simulation_energy(r.sim, &kinetic, &potential);
  const double before = kinetic + potential;
  for (int k = 0; k < 5000; k++) {
    ASSERT_EQ(r.step(), PERP_OK);
    perp_simulation_energy(r.sim, &kinetic, &potential);
    ASSERT_NEAR(kinetic + potential, before, 1e-12 * before) << "step " << k;
  }
  EXPECT_GT(static_cast<double>(r.report().impacts), 10);
}

// --------------------------------------------------------------------- free oscillation ----

// Oscillator with known modes: M = T⁻ᵀT⁻¹, C = T⁻ᵀ diag(2ζω) T⁻¹, K = T⁻ᵀ diag(ω²) T⁻¹, q = T η.
struct oscillator {
  std::int32_t n;
  dense T, M, C, K;
  vec omega, zeta;

  oscillator(dense modes, vec frequencies, vec damping)
      : n(modes.rows),
        T(modes),
        M(n, n),
        C(n, n),
        K(n, n),
        omega(std::move(frequencies)),
        zeta(std::move(damping)) {
    tools::matrix wide(n, n);
    for (std::int32_t j = 0; j < n; j++)
      for (std::int32_t i = 0; i < n; i++) wide(i, j) = T(i, j);
    const tools::matrix S = inverse(wide);
    for (std::int32_t j = 0; j < n; j++)
      for (std::int32_t i = 0; i < n; i++) {
        tools::real m = 0, c = 0, k = 0;
        for (std::int32_t s = 0; s < n; s++) {
          const tools::real both = S(s, i) * S(s, j), om = omega[at(s)];
          m += both;
          c += 2 * tools::real(zeta[at(s)]) * om * both;
          k += om * om * both;
        }
        M(i, j) = double(m);
        C(i, j) = double(c);
        K(i, j) = double(k);
      }
  }
  // From η = 1, η' = 0.
  void motion(double t, vec *q, vec *v) const {
    q->assign(at(n), 0);
    v->assign(at(n), 0);
    for (std::int32_t s = 0; s < n; s++) {
      const double om = omega[at(s)], decay = zeta[at(s)] * om;
      const double od = om * std::sqrt(1 - zeta[at(s)] * zeta[at(s)]), grow = std::exp(-decay * t);
      const double eta = grow * (std::cos(od * t) + decay / od * std::sin(od * t));
      const double rate = -grow * om * om / od * std::sin(od * t);
      for (std::int32_t i = 0; i < n; i++) {
        (*q)[at(i)] += T(i, s) * eta;
        (*v)[at(i)] += T(i, s) * rate;
      }
    }
  }
};

double oscillation_error(const oscillator &o, double theta, double h, int steps) {
  world w;
  perp_lagrangian_linear &s = w.body(o.n);
  bool diagonal = true, damped = false;
  for (std::int32_t j = 0; j < o.n; j++)
    for (std::int32_t i = 0; i < o.n; i++) {
      diagonal = diagonal && (i == j || o.T(i, j) == 0);
      damped = damped || o.C(i, j) != 0;
    }
  const auto view = [&](const dense &A) {
    if (!diagonal) return perp_dense(o.n, o.n, w.keep(vec(A.a.begin(), A.a.end() - 1)));
    vec d;
    for (std::int32_t i = 0; i < o.n; i++) d.push_back(A(i, i));
    return perp_diagonal(o.n, w.keep(d));
  };
  s.M = view(o.M);
  s.K = view(o.K);
  if (damped) s.C = view(o.C);
  w.add(s.system);
  o.motion(0, &w.q0, &w.v0);
  w.options.h = h;
  w.options.theta = theta;
  w.options.solver = nullptr;  // nothing to solve
  run r(w);
  EXPECT_EQ(r.status, PERP_OK);
  EXPECT_EQ(r.steps(steps), PERP_OK);
  vec q, v;
  o.motion(h * steps, &q, &v);
  double error = 0;
  for (std::size_t i = 0; i < q.size(); i++)
    error += std::fabs(r.q(0, i) - q[i]) + std::fabs(r.v(0, i) - v[i]);
  return error;
}

void expect_oscillation_orders(const oscillator &o) {
  for (const double theta : {0.5, 0.6, 1.0}) {
    const double coarse = oscillation_error(o, theta, 1e-3 / 2, 2000),
                 fine = oscillation_error(o, theta, 1e-3 / 4, 4000);
    EXPECT_LT(fine, theta == 0.5 ? 1e-4 : 1e-1);
    figure("oscillation, order at theta = " + std::to_string(theta), std::log2(coarse / fine));
    EXPECT_NEAR(std::log2(coarse / fine), theta == 0.5 ? 2 : 1, 0.1) << "theta " << theta;
  }
}

dense diagonal_modes(const vec &d) {
  dense T(count(d.size()), count(d.size()));
  for (std::int32_t i = 0; i < T.rows; i++) T(i, i) = d[at(i)];
  return T;
}

TEST(MoreauJean, FreeOscillationOfDiagonalSystems) {
  expect_oscillation_orders(oscillator(diagonal_modes({1, 0.5, 2}), {3, 5, 1}, {0, 0, 0}));
}

TEST(MoreauJean, FreeOscillationOfDampedDiagonalSystems) {
  expect_oscillation_orders(oscillator(diagonal_modes({1, 0.5, 2}), {3, 5, 1}, {0.1, 0.3, 0.05}));
}

TEST(MoreauJean, FreeOscillationOfDenseSystems) {
  uniform random(7);
  expect_oscillation_orders(oscillator(random.definite(4), {3, 5, 1, 2}, {0, 0, 0, 0}));
}

TEST(MoreauJean, FreeOscillationOfDampedDenseSystems) {
  uniform random(8);
  expect_oscillation_orders(oscillator(random.definite(4), {3, 5, 1, 2}, {0.1, 0.3, 0, 0.01}));
}

TEST(MoreauJean, ThetaOneDissipatesAndThetaHalfDoesNot) {
  for (const double theta : {0.5, 0.75, 1.0}) {
    world w;
    perp_lagrangian_linear &s = w.body(vec{1});
    s.K = perp_diagonal(1, w.keep({25}));
    w.add(s.system);
    w.q0 = {1};
    w.options.theta = theta;
    run r(w);
    ASSERT_EQ(r.status, PERP_OK);
    double before = 12.5;
    for (int k = 0; k < 200; k++) {
      ASSERT_EQ(r.step(), PERP_OK);
      double kinetic, potential;
      perp_simulation_energy(r.sim, &kinetic, &potential);
      const double now = kinetic + potential;
      if (theta > 0.5)
        ASSERT_LT(now, before);
      else
        ASSERT_NEAR(now, before, 1e-13);
      before = now;
    }
  }
}

// ---------------------------------------------------------------------------- columns ----

void expect_resting_column(std::int32_t N, const perp_solver *solver, double theta, double e) {
  SCOPED_TRACE(N);
  world w;
  const double m = 0.3, h = 5e-4;
  make_column(w, vec(at(N), -1e-12), m, kGravity, e);
  w.options.h = h;
  w.options.theta = theta;
  w.options.solver = solver;
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  double off = 0;
  for (int k = 0; k < 50; k++) {
    ASSERT_EQ(r.step(), PERP_OK);
    EXPECT_EQ(perp_simulation_islands(r.sim), 1);
    for (std::int32_t i = 0; i < N; i++) {
      const double weight = (N - i) * m * kGravity * h;
      off = std::max(off, std::fabs(r.lambda(i) / weight - 1));
      ASSERT_NEAR(r.lambda(i), weight, 1e-12 * weight) << "contact " << i;
      ASSERT_NEAR(r.v(i), 0, 1e-15 * N * N);
      double force;
      ASSERT_EQ(perp_simulation_force(r.sim, i, &force), PERP_OK);
      ASSERT_NEAR(force, (N - i) * m * kGravity, 1e-11 * (N - i));
    }
  }
  EXPECT_EQ(r.report().max_active, N);
  if (N == 200) figure("200 beads at rest, largest relative error of an impulse", off);
}

TEST(MoreauJean, RestingColumnCarriesItsWeight) {
  for (const double theta : {0.5, 1.0})
    for (const double e : {0.0, 0.9}) {
      for (const std::int32_t N : {1, 2, 10, 20})
        expect_resting_column(N, perp_solver_lemke(), theta, e);
      for (const std::int32_t N : {1, 2, 10, 100, 200})
        expect_resting_column(N, perp_solver_active_set(), theta, e);
    }
}

// Every step changes the momentum by the floor's impulse less the weight.
TEST(MoreauJean, FallingColumnKeepsTheMomentumBalance) {
  for (const perp_solver *solver : {perp_solver_lemke(), perp_solver_active_set()}) {
    world w;
    const std::int32_t N = 12;
    const double m = 0.7;
    make_column(w, vec(at(N), 0.05), m, kGravity, 0.5);
    w.options.h = 1e-3;
    w.options.solver = solver;
    run r(w);
    ASSERT_EQ(r.status, PERP_OK);
    double before = 0, pushed = 0;
    for (int k = 0; k < 1500; k++) {
      ASSERT_EQ(r.step(), PERP_OK);
      double momentum = 0;
      for (std::int32_t i = 0; i < N; i++) momentum += m * r.v(i);
      ASSERT_NEAR(momentum - before, r.lambda(0) - N * m * kGravity * 1e-3, 1e-12);
      before = momentum;
      pushed += r.lambda(0);
    }
    EXPECT_NEAR(pushed, N * m * kGravity * 1.5, 0.05 * N * m * kGravity * 1.5);  // at rest by then
  }
}

// ---------------------------------------------------------------- equality and box laws ----

// A bar that is held at one end: the held coordinate never moves, the hinge carries the load.
TEST(MoreauJean, EqualityHoldsACoordinateAndCarriesItsLoad) {
  for (const double theta : {0.5, 1.0}) {
    world w;
    const double mass = 3, length = 2, inertia = mass * length * length / 12;
    perp_lagrangian_linear &s = w.body(vec{mass, inertia});  // height of the middle, angle
    s.f = w.keep({-mass * kGravity, 0});
    w.add(s.system);
    w.join(w.contact(1, 2, {1, -length / 2}).relation, w.equality(), {0});
    w.q0 = {0, 0};
    w.options.theta = theta;
    w.options.solver = perp_solver_active_set();
    run r(w);
    ASSERT_EQ(r.status, PERP_OK);
    for (int k = 1; k < 100; k++) {
      ASSERT_EQ(r.step(), PERP_OK);
      // a hinged bar begins with the angular acceleration 3g/(2l): the hinge bears m g / 4
      ASSERT_NEAR(r.lambda(), mass * kGravity / 4 * 1e-2, 1e-14);
      ASSERT_NEAR(perp_simulation_ydot(r.sim, 0)[0], 0, 1e-13);
      ASSERT_NEAR(r.y(), 0, 1e-13);
      ASSERT_NEAR(r.v(0, 1), -1.5 * kGravity / length * r.time(), 1e-12);
    }
  }
}

TEST(MoreauJean, EqualityHasTheReactionThatTheForceAsksFor) {
  world w;
  perp_lagrangian_linear &s = w.body(vec{4, 1});
  s.f = w.keep({-7, 2});
  w.add(s.system);
  w.join(w.contact(1, 2, {1, 0}).relation, w.equality(), {0});
  w.options.solver = perp_solver_active_set();
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  for (int k = 0; k < 100; k++) {
    ASSERT_EQ(r.step(), PERP_OK);
    double force = 999;
    EXPECT_EQ(perp_simulation_force(r.sim, 0, &force), PERP_OK);
    ASSERT_NEAR(force, 7, 1e-13);
    ASSERT_EQ(r.v(), 0);
    ASSERT_EQ(r.q(), 0);
  }
}

// A block slips on a belt that is free to move; the friction impulse is bounded by F h. Both reach
// the common velocity in finite time, and then nothing slips any more.
TEST(MoreauJean, BoxIsDryFrictionThatSticksInFiniteTime) {
  world w;
  const double m = 1, belt = 3, F = 2, h = 1e-3;
  w.add(w.body(vec{m}).system);
  w.add(w.body(vec{belt}).system);
  w.join(w.contact(1, 2, {1, -1}).relation, w.box({-F * h}, {F * h}), {0, 1});
  w.v0 = {0, 1};
  w.options.h = h;
  w.options.solver = perp_solver_active_set();
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  const double stop = 1 / (F / m + F / belt);  // relative velocity 1, closing at this rate
  for (int k = 1; k <= 600; k++) {
    ASSERT_EQ(r.step(), PERP_OK);
    ASSERT_NEAR(m * r.v(0) + belt * r.v(1), belt, 1e-13);
    if (k * h <= stop) {
      ASSERT_NEAR(r.lambda(), F * h, 1e-13);
      ASSERT_NEAR(r.v(0), F / m * k * h, 1e-13);
    } else if (k * h > stop + h) {
      ASSERT_NEAR(r.v(0), 0.75, 1e-13);
      ASSERT_NEAR(r.v(0) - r.v(1), 0, 1e-15);
      ASSERT_NEAR(r.lambda(), 0, 1e-15);
    }
  }
}

TEST(MoreauJean, BoxStickingUnderALoadCarriesIt) {
  world w;
  perp_lagrangian_linear &s = w.body(vec{2});
  s.f = w.keep({1.5});
  w.add(s.system);
  w.join(w.contact(1, 1, {1}).relation, w.box({-2e-2}, {2e-2}), {0});
  w.v0 = {0.1};
  w.options.solver = perp_solver_active_set();
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  ASSERT_EQ(r.steps(60), PERP_OK);  // it slows down by (2 - 1.5)/2 = 0.25 per second
  ASSERT_NEAR(r.v(), 0.1 - 0.25 * 0.6 < 0 ? 0 : 0.1 - 0.25 * 0.6, 1e-14);
  const double q = r.q();
  ASSERT_EQ(r.steps(50), PERP_OK);
  EXPECT_NEAR(r.q(), q, 1e-15);
  EXPECT_NEAR(r.lambda(), -1.5e-2, 1e-15);
}

// ---------------------------------------------------------------------- forces of time ----

struct recorder {
  vec times;
};

std::int32_t record(double t, double *f, void *user) {
  static_cast<recorder *>(user)->times.push_back(t);
  f[0] = 1 + t;
  return 0;
}

TEST(MoreauJean, ForcesOfTimeAreAskedOncePerTimeOfTheGrid) {
  world w;
  recorder r1, r2;
  perp_lagrangian_linear &a = w.body(vec{2}), &b = w.body(vec{2});
  a.force = b.force = record;
  a.user = &r1;
  b.user = &r2;
  for (int i = 0; i < 3; i++) w.add(a.system);
  w.add(b.system);
  w.options.t0 = 0.3;
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  ASSERT_EQ(r.steps(20), PERP_OK);
  vec grid;
  for (int k = 0; k <= 20; k++) grid.push_back(0.3 + k * 1e-2);
  EXPECT_EQ(r1.times, grid);  // three equal neighbours are one run
  EXPECT_EQ(r2.times, grid);
  // θ = 1/2 integrates a linear force exactly: v = (t + t²/2)/m
  EXPECT_NEAR(r.v(1), 0.5 * (0.2 + 0.5 * (0.25 - 0.09)), 1e-14);
}

TEST(MoreauJean, ForcesOfTimeAreAskedOffTheGridToo) {
  world w;
  recorder log;
  perp_lagrangian_linear &a = w.body(vec{1});
  a.force = record;
  a.user = &log;
  w.add(a.system);
  w.options.h = 0.25;
  run r(w);
  ASSERT_EQ(r.steps(1), PERP_OK);
  ASSERT_EQ(perp_simulation_advance(r.sim, 0.125, &r.info), PERP_OK);
  ASSERT_EQ(r.steps(2), PERP_OK);
  EXPECT_EQ(log.times, (vec{0, 0.25, 0.375, 0.5, 0.75}));
  EXPECT_DOUBLE_EQ(r.v(), 0.75 + 0.5 * 0.75 * 0.75);
}

TEST(MoreauJean, ThetaWeighsTheEndOfTheStep) {
  for (const double theta : {0.0, 0.25, 0.5, 1.0}) {
    world w;
    recorder log;
    perp_lagrangian_linear &a = w.body(vec{1});
    a.force = record;
    a.user = &log;
    w.add(a.system);
    w.options.theta = theta;
    w.options.h = 0.5;
    run r(w);
    ASSERT_EQ(r.step(), PERP_OK);
    EXPECT_DOUBLE_EQ(r.v(), 0.5 * (theta * 1.5 + (1 - theta)));
    EXPECT_DOUBLE_EQ(r.q(), 0.5 * theta * r.v());
  }
}

TEST(MoreauJean, ThetaMayDifferBetweenSystems) {
  world w;
  perp_lagrangian_linear &s = w.body(vec{1});
  s.K = perp_diagonal(1, w.keep({25}));
  const vec thetas = {0, 1, 1, 0.5, 0.25};
  for (std::size_t i = 0; i < thetas.size(); i++) {
    w.add(s.system);
    w.q0.push_back(1);
  }
  w.options.thetas = thetas.data();
  w.options.theta = 0.75;  // not read
  run r(w);
  ASSERT_EQ(r.steps(10), PERP_OK);
  for (std::int32_t i = 0; i < count(thetas.size()); i++) {
    world alone;
    perp_lagrangian_linear &same = alone.body(vec{1});
    same.K = s.K;
    alone.add(same.system);
    alone.q0 = {1};
    alone.options.theta = thetas[at(i)];
    run single(alone);
    ASSERT_EQ(single.steps(10), PERP_OK);
    EXPECT_EQ(r.q(i), single.q());
    EXPECT_EQ(r.v(i), single.v());
  }
}

// ------------------------------------------------------------------------------ times ----

TEST(MoreauJean, TimesDoNotAccumulateRounding) {
  world w;
  perp_lagrangian_linear &s = w.body(vec{1});
  w.add(s.system);
  w.options.t0 = 0.1;
  w.options.h = 1e-3;
  run r(w);
  for (int k = 1; k <= 1000000; k++) {
    ASSERT_EQ(r.step(), PERP_OK);
    ASSERT_EQ(r.time(), 0.1 + k * 1e-3);
  }
  EXPECT_EQ(perp_simulation_step_index(r.sim), 1000000);
}

TEST(MoreauJean, UniformStepsHaveOneLength) {
  world w;
  perp_lagrangian_linear &s = w.body(vec{3});
  s.f = w.keep({-7.3});
  w.add(s.system);
  w.options.h = 1e-3;
  run r(w);
  ASSERT_EQ(r.step(), PERP_OK);
  const double gain = r.v();
  for (int k = 0; k < 1000; k++) {
    const double before = r.v();
    ASSERT_EQ(r.step(), PERP_OK);
    ASSERT_EQ(r.v(), before + gain);  // not that of fl((k+1)h) - fl(kh)
  }
}

TEST(MoreauJean, AUniformGridMayBeGivenOrImplied) {
  world given, implied;
  vec grid;
  for (int k = 0; k <= 600; k++) grid.push_back(2 + k * (1.0 / 512));
  for (world *w : {&given, &implied}) {
    make_ball(*w, 1, kGravity, 0.3, 0, 0.8);
    w->options.steps = 600;
    w->options.t0 = 2;
    w->options.h = 1.0 / 512;
  }
  given.options.grid = grid.data();
  given.options.t0 = 0;    // not read
  given.options.h = -1e9;  // not read
  run a(given), b(implied);
  ASSERT_EQ(a.status, PERP_OK) << a.info.field;
  EXPECT_EQ(a.time(), 2);
  for (int k = 0; k < 600; k++) {
    ASSERT_EQ(a.step(), PERP_OK);
    ASSERT_EQ(b.step(), PERP_OK);
    ASSERT_EQ(a.bytes(), b.bytes());
  }
  EXPECT_EQ(a.step(), PERP_END);
  EXPECT_EQ(b.step(), PERP_END);
}

TEST(MoreauJean, StepsMayHaveAnyLength) {
  world w;
  const vec grid = {0, 0.01, 0.0125, 0.1, 0.4, 0.41, 0.42, 0.43, 0.9, 1};
  make_column(w, {0.1, 0.1, 0.1}, 1, kGravity, 0.3);
  w.options.grid = grid.data();
  w.options.steps = count(grid.size()) - 1;
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  for (std::size_t k = 0; k + 1 < grid.size(); k++) {
    const oracle o(w.model, w.options, grid[k + 1] - grid[k]);
    const oracle::snapshot before = o.look(r.sim);
    ASSERT_EQ(r.step(), PERP_OK);
    EXPECT_EQ(r.time(), grid[k + 1]);
    o.expect_step(before, o.look(r.sim), r.sim);
  }
}

TEST(MoreauJean, AdvancesOffTheGridAndReturnsToIt) {
  world w;
  make_column(w, {0.1, 0.1}, 1, kGravity, 0.3);
  w.options.h = 1e-2;
  run r(w);
  const auto expect_move = [&](double h, bool off) {
    const oracle o(w.model, w.options, h);
    const oracle::snapshot before = o.look(r.sim);
    ASSERT_EQ(off ? perp_simulation_advance(r.sim, h, &r.info) : r.step(), PERP_OK);
    o.expect_step(before, o.look(r.sim), r.sim);
  };
  for (int k = 0; k < 40; k++) {
    expect_move(1e-3, true);
    expect_move(2e-3, true);
    EXPECT_EQ(perp_simulation_step_index(r.sim), k);
    EXPECT_DOUBLE_EQ(r.time(), k * 1e-2 + 3e-3);
    expect_move((k + 1) * 1e-2 - r.time(), false);
    EXPECT_EQ(r.time(), (k + 1) * 1e-2);
    EXPECT_EQ(perp_simulation_step_index(r.sim), k + 1);
  }
}

TEST(MoreauJean, GoesOnToTheNextPointOfTheGridBeyondAnAdvance) {
  world w;
  make_ball(w, 1, kGravity, 1, 0, 0);
  w.options.steps = 5;
  run r(w);
  ASSERT_EQ(perp_simulation_advance(r.sim, 0.025, &r.info), PERP_OK);
  const oracle o(w.model, w.options, 0.03 - 0.025);
  const oracle::snapshot before = o.look(r.sim);
  ASSERT_EQ(r.step(), PERP_OK);
  o.expect_step(before, o.look(r.sim), r.sim);
  EXPECT_EQ(r.time(), 3 * 0.01);
  EXPECT_EQ(perp_simulation_step_index(r.sim), 3);
  ASSERT_EQ(perp_simulation_advance(r.sim, 1, &r.info), PERP_OK);
  const auto end = r.bytes();
  EXPECT_EQ(r.step(), PERP_END);
  EXPECT_EQ(r.bytes(), end);
}

// ------------------------------------------------------------------------- prediction ----

TEST(MoreauJean, GammaPredictsTheGap) {
  for (const double gamma : {0.0, 0.5, 1.0}) {
    world w;
    make_ball(w, 1, 0, 0.1, -1, 0.5);
    w.options.gamma = gamma;
    w.options.h = 0.03;  // gap 0.1, 0.07, 0.04, 0.01, -0.02
    run r(w);
    const int first = gamma == 1.0 ? 4 : gamma == 0.5 ? 4 : 5;  // 0.01 - γ 0.03 <= 0 at γ = 1/2
    for (int k = 1; k <= first; k++) {
      EXPECT_EQ(r.v(), -1);
      ASSERT_EQ(r.step(), PERP_OK);
    }
    EXPECT_DOUBLE_EQ(r.v(), 0.5) << gamma;
    EXPECT_DOUBLE_EQ(r.lambda(), 1.5);
    ASSERT_EQ(r.steps(3), PERP_OK);
    EXPECT_EQ(r.lambda(), 0);
  }
}

TEST(MoreauJean, ComplementarityKeepsNoVelocity) {
  world w;
  perp_lagrangian_linear &s = w.body(vec{2});
  w.add(s.system);
  w.join(w.contact(1, 1, {1}).relation, w.complementarity(), {0});
  w.q0 = {0.001};
  w.v0 = {-3};
  run r(w);
  ASSERT_EQ(r.step(), PERP_OK);
  EXPECT_EQ(r.v(), 0);
  EXPECT_DOUBLE_EQ(r.lambda(), 6);
}

TEST(MoreauJean, ParametersMoveTheWall) {
  world w;
  double z[1] = {0};
  perp_lagrangian_linear &s = w.body(vec{1});
  w.add(s.system);
  perp_lagrangian_linear_relation &wall = w.contact(1, 1, {1});
  wall.F = w.keep({-2});
  wall.b = w.keep({0.25});
  wall.z = z;
  wall.n_z = 1;
  w.join(wall.relation, w.impact(0), {0});
  w.v0 = {-1};
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  EXPECT_EQ(r.y(), 0.25);
  ASSERT_EQ(r.step(), PERP_OK);
  EXPECT_EQ(r.v(), -1);
  z[0] = 0.2;
  ASSERT_EQ(r.step(), PERP_OK);
  EXPECT_DOUBLE_EQ(r.y(), r.q() - 0.4 + 0.25);
  ASSERT_EQ(r.step(), PERP_OK);
  EXPECT_EQ(r.v(), 0);
}

}  // namespace
