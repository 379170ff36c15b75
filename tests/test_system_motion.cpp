// SPDX-License-Identifier: MIT
// Nonlinear and time-dependent systems in motion: exact solutions, energies, orders, failures.
#include <perp/perp.h>

#include <numeric>

#include "model_tools.hpp"
#include "system_tools.hpp"

using tools::run;
using tools::vec;
using tools::world;

namespace {

const double pi = std::acos(-1.0);

// ------------------------------------------------------------------------- first order ----

world &first_order(world &w, const perp_system &s, const vec &x0, double h) {
  w.options.integrator = perp_integrator_theta();
  w.options.h = h;
  w.add(s);
  w.x0 = x0;
  return w;
}

// Van der Pol, μ = 1, at t = 1 from (2, 0).
vec van_der_pol(double h, double theta, bool differences) {
  perp_first_order s;
  perp_first_order_init(&s, sizeof s, 2);
  s.f = [](double, const double *x, const double *, double *f, void *) -> std::int32_t {
    f[0] = x[1];
    f[1] = (1 - x[0] * x[0]) * x[1] - x[0];
    return 0;
  };
  s.f_dx = [](double, const double *x, const double *, double *J, void *) -> std::int32_t {
    J[1] = -2 * x[0] * x[1] - 1;
    J[2] = 1;
    J[3] = 1 - x[0] * x[0];
    return 0;
  };
  if (differences) s.f_dx = nullptr;
  world w;
  w.options.theta = theta;
  run r(first_order(w, s.system, {2, 0}, h));
  EXPECT_EQ(r.status, PERP_OK) << r.info.field;
  EXPECT_EQ(r.steps(static_cast<int>(std::lround(1 / h))), PERP_OK) << r.info.field;
  return {r.x(0, 0), r.x(0, 1)};
}

double distance(const vec &a, const vec &b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

TEST(SystemMotion, VanDerPolConvergesWithOrderTwoAtOneHalfAndOneAbove) {
  for (const double theta : {0.5, 1.0}) {
    const vec a = van_der_pol(4e-2, theta, false), b = van_der_pol(2e-2, theta, false),
              c = van_der_pol(1e-2, theta, false);
    const double order = std::log2(distance(a, b) / distance(b, c));
    EXPECT_NEAR(order, theta == 0.5 ? 2 : 1, 0.1);
  }
}

TEST(SystemMotion, DifferencesLeadToTheSameMotion) {
  tools::expect_near(van_der_pol(2e-2, 0.5, true), van_der_pol(2e-2, 0.5, false), 1e-9);
}

// ẋ = A(t) x turns by the angle ∫ω = t + t²/2.
double turn_error(double h) {
  perp_first_order_linear s;
  perp_first_order_linear_init(&s, sizeof s, 2);
  const double A[] = {0, 1, -1, 0};
  s.A = perp_dense(2, 2, A);
  s.state_matrix = [](double t, double *W, void *) -> std::int32_t {
    W[1] = t;
    W[2] = -t;
    return 0;
  };
  world w;
  run r(first_order(w, s.system, {1, 0}, h));
  EXPECT_EQ(r.status, PERP_OK);
  EXPECT_EQ(r.steps(static_cast<int>(std::lround(1 / h))), PERP_OK);
  return std::hypot(r.x(0, 0) - std::cos(1.5), r.x(0, 1) - std::sin(1.5));
}

TEST(SystemMotion, ATimeDependentMatrixGivesTheExactTurnWithOrderTwo) {
  const double coarse = turn_error(1e-2), fine = turn_error(5e-3);
  EXPECT_LT(fine, 1e-4);
  EXPECT_NEAR(coarse / fine, 4, 0.1);
}

TEST(SystemMotion, AnInputOfTimeIsIntegratedByTheTrapezoidalRule) {
  // M ẋ = A(t) x + B(t) with A(t) = 0: the same as the compiled system, to rounding
  perp_first_order_linear s;
  const double M = 2;
  world w[2];
  double x[2];
  for (int varying = 0; varying < 2; varying++) {
    perp_first_order_linear_init(&s, sizeof s, 1);
    s.M = perp_diagonal(1, &M);
    s.input = [](double t, double *b, void *) -> std::int32_t {
      b[0] = std::cos(3 * t);
      return 0;
    };
    if (varying) s.state_matrix = [](double, double *, void *) -> std::int32_t { return 0; };
    run r(first_order(w[varying], s.system, {0}, 1e-2));
    ASSERT_EQ(r.steps(300), PERP_OK);
    x[varying] = r.x();
  }
  EXPECT_NEAR(x[0], x[1], 1e-14);
  EXPECT_NEAR(x[1], std::sin(9) / 6, 1e-4);
}

// ----------------------------------------------------------------------------- control ----

TEST(SystemMotion, ProportionalAndDerivativeControlIsASpringAndADamper) {
  // M v̇ = −k (q − 1) − c v as feedback, with and without derivatives, and as terms of the system
  const double M = 2, kp = 50, kd = 6, k = kp, force = kp, T = 1;
  vec q[3];
  for (int kind = 0; kind < 3; kind++) {
    world w;
    perp_lagrangian_linear &s = w.body(vec{M});
    if (kind == 0) {
      s.K = perp_diagonal(1, &k);
      s.C = perp_diagonal(1, &kd);
      s.f = &force;
    } else {
      s.control.n_u = 1;
      s.control.T = &T;
      s.control.u = [](double, const double *p, const double *v, const double *, double *u,
                       void *) -> std::int32_t {
        u[0] = -50 * (p[0] - 1) - 6 * v[0];
        return 0;
      };
      if (kind == 2) {
        s.control.u_dq = [](double, const double *, const double *, const double *, double *u,
                            void *) -> std::int32_t { return u[0] = -50, 0; };
        s.control.u_dv = [](double, const double *, const double *, const double *, double *u,
                            void *) -> std::int32_t { return u[0] = -6, 0; };
      }
    }
    w.add(s.system);
    run r(w);
    ASSERT_EQ(r.status, PERP_OK);
    for (int i = 0; i < 200; i++) {
      ASSERT_EQ(r.step(), PERP_OK);
      q[kind].push_back(r.q());
    }
  }
  tools::expect_near(q[1], q[0], 1e-10);
  tools::expect_near(q[2], q[0], 1e-10);
  const double decay = kd / (2 * M), omega = std::sqrt(k / M - decay * decay), t = 2;
  const double exact =
      1 - std::exp(-decay * t) * (std::cos(omega * t) + decay / omega * std::sin(omega * t));
  EXPECT_NEAR(q[0].back(), exact, 2e-4);
}

TEST(SystemMotion, ParametersActFromTheNextStepOn) {
  perp_first_order s;
  perp_first_order_init(&s, sizeof s, 1);
  double z = 1;
  s.z = &z;
  s.n_z = 1;
  s.f = [](double, const double *, const double *p, double *f, void *) -> std::int32_t {
    f[0] = p[0];
    return 0;
  };
  world w;
  w.options.theta = 1;
  run r(first_order(w, s.system, {0}, 0.25));
  ASSERT_EQ(r.steps(2), PERP_OK);
  EXPECT_DOUBLE_EQ(r.x(), 0.5);
  z = -4;
  ASSERT_EQ(r.step(), PERP_OK);
  EXPECT_DOUBLE_EQ(r.x(), -0.5);
}

// -------------------------------------------------------------------------- mechanics ----

// A pendulum of length 1 and mass 2 in g = 9.81, angle from below.
struct pendulum : world {
  perp_lagrangian s;
  double M[1] = {2};
  explicit pendulum(double angle, double h) {
    perp_lagrangian_init(&s, sizeof s, 1);
    s.M = perp_diagonal(1, M);
    s.internal = [](double, const double *q, const double *, const double *, double *F,
                    void *) -> std::int32_t {
      F[0] = 2 * 9.81 * std::sin(q[0]);
      return 0;
    };
    s.potential = [](double, const double *q, const double *, const double *, double *V,
                     void *) -> std::int32_t {
      V[0] = -2 * 9.81 * std::cos(q[0]);
      return 0;
    };
    add(s.system);
    q0 = {angle};
    options.h = h;
  }
};

double energy(const perp_system &s, const run &r, std::size_t n) {
  tools::evaluated e(s);
  const double *q = perp_simulation_q(r.sim, 0), *v = perp_simulation_v(r.sim, 0);
  e.energy(r.time(), vec(q, q + n), vec(v, v + n));
  return e.kinetic + e.potential;
}

TEST(SystemMotion, APendulumSwingsWithItsPeriodAndEnergy) {
  // period by the arithmetic-geometric mean: T = 2π/(√g agm(1, cos(q0/2)))
  const double start = 2;
  double a = 1, b = std::cos(start / 2);
  for (int i = 0; i < 8; i++) {
    const double mean = (a + b) / 2;
    b = std::sqrt(a * b);
    a = mean;
  }
  const double period = 2 * pi / (std::sqrt(9.81) * a);
  double error[2], drift[2];
  for (int fine = 0; fine < 2; fine++) {
    const int steps = fine ? 2000 : 1000;
    pendulum w(start, period / steps);
    run r(w);
    ASSERT_EQ(r.status, PERP_OK);
    const double before = energy(w.s.system, r, 1);
    drift[fine] = 0;
    for (int i = 0; i < 5 * steps; i++) {
      ASSERT_EQ(r.step(), PERP_OK);
      drift[fine] = std::max(drift[fine], std::fabs(energy(w.s.system, r, 1) - before));
    }
    error[fine] = std::fabs(r.v());
  }
  EXPECT_LT(error[1], 1e-3);
  EXPECT_NEAR(error[0] / error[1], 4, 0.1);
  EXPECT_LT(drift[1], 1e-4);  // of 20 J between the turning points
  EXPECT_NEAR(drift[0] / drift[1], 4, 0.2);
}

// The PA10 arm in the plane: angles of upper arm from the upward vertical, forearm, hand; see the
// sanity values there. Viscous friction of the joints if user is not NULL.
constexpr double J3 = 0.0016704, J2 = 1.119662137, J1 = 3.683795137, SA = 6.7391, SB = 2.76576,
                 SC = 0.11004, k12 = 0.45 * SB, k13 = 0.45 * SC, k23 = 0.48 * SC, g = 9.81;

std::int32_t arm_mass(double, const double *q, const double *, const double *, double *M, void *) {
  const double c2 = std::cos(q[1]), c3 = std::cos(q[2]), c23 = std::cos(q[1] + q[2]);
  M[0] = J1 + 2 * k12 * c2 + 2 * k23 * c3 + 2 * k13 * c23 + 0.75;
  M[1] = M[3] = J2 + 2 * k23 * c3 + k12 * c2 + k13 * c23;
  M[2] = M[6] = J3 + k23 * c3 + k13 * c23;
  M[4] = J2 + 2 * k23 * c3 + 0.2125;
  M[5] = M[7] = J3 + k23 * c3;
  M[8] = J3 + 0.00575;
  return 0;
}
std::int32_t arm_forces(double, const double *q, const double *v, const double *, double *N,
                        void *user) {
  const double a = q[0], b = a + q[1], d = b + q[2], va = v[0], vb = va + v[1], vd = vb + v[2];
  const double s2 = std::sin(q[1]), s3 = std::sin(q[2]), s23 = std::sin(q[1] + q[2]);
  const double F1 = -k12 * s2 * vb * vb - k13 * s23 * vd * vd - g * SA * std::sin(a);
  const double F2 = k12 * s2 * va * va - k23 * s3 * vd * vd - g * SB * std::sin(b);
  const double F3 = k13 * s23 * va * va + k23 * s3 * vb * vb - g * SC * std::sin(d);
  const double c = user == nullptr ? 0 : 1;
  N[0] = F1 + F2 + F3 + 10 * c * v[0];
  N[1] = F2 + F3 + 5 * c * v[1];
  N[2] = F3 + 2 * c * v[2];
  return 0;
}
std::int32_t arm_potential(double, const double *q, const double *, const double *, double *V,
                           void *) {
  const double a = q[0], b = a + q[1], d = b + q[2];
  *V = g * (SA * std::cos(a) + SB * std::cos(b) + SC * std::cos(d));
  return 0;
}

struct arm : world {
  perp_lagrangian s;
  arm(double h, bool friction) {
    perp_lagrangian_init(&s, sizeof s, 3);
    s.mass = arm_mass;
    s.gyroscopic = arm_forces;
    s.potential = arm_potential;
    s.user = friction ? this : nullptr;
    add(s.system);
    q0 = {0.05, 0.05, 0};
    options.h = h;
  }
};

// Height of the wrist and its rate.
double height(const run &r) { return 0.45 * std::cos(r.q()) + 0.48 * std::cos(r.q() + r.q(0, 1)); }
double rate(const run &r) {
  return -0.45 * std::sin(r.q()) * r.v() - 0.48 * std::sin(r.q() + r.q(0, 1)) * (r.v() + r.v(0, 1));
}

// When the wrist reaches the ground: the zero of the cubic through heights and rates.
double fall_time(double h) {
  arm w(h, true);
  run r(w);
  EXPECT_EQ(r.status, PERP_OK) << r.info.field;
  double y0 = height(r), d0 = rate(r);
  for (;;) {
    EXPECT_EQ(r.step(), PERP_OK);
    const double y1 = height(r), d1 = rate(r);
    if (y1 <= 0 || r.time() > 2) {
      double low = 0, high = 1;
      for (int i = 0; i < 60; i++) {
        const double s = (low + high) / 2, u = 1 - s;
        const double y = (1 + 2 * s) * u * u * y0 + s * u * u * h * d0 + s * s * (3 - 2 * s) * y1 -
                         s * s * u * h * d1;
        (y > 0 ? low : high) = s;
      }
      return r.time() - h + low * h;
    }
    y0 = y1;
    d0 = d1;
  }
}

TEST(SystemMotion, TheFallingArmReachesTheGroundWhenItMust) {
  const double exact = 1.16574268;
  const double coarse = fall_time(4e-3), fine = fall_time(2e-3), finest = fall_time(1e-3);
  EXPECT_NEAR((coarse - exact) / (fine - exact), 4, 0.1);
  EXPECT_NEAR((4 * finest - fine) / 3, exact, 2e-8);  // what order two extrapolates to
}

TEST(SystemMotion, TheArmWithoutFrictionKeepsItsEnergyWithOrderTwo) {
  double drift[2];
  for (int fine = 0; fine < 2; fine++) {
    arm w(fine ? 1e-3 : 2e-3, false);
    run r(w);
    const double before = energy(w.s.system, r, 3);
    ASSERT_EQ(r.steps(fine ? 1000 : 500), PERP_OK);
    drift[fine] = std::fabs(energy(w.s.system, r, 3) - before);
  }
  EXPECT_LT(drift[1], 1e-3);
  EXPECT_NEAR(drift[0] / drift[1], 4, 0.3);
}

// ---------------------------------------------------------------------------- failures ----

// What a broken callback makes of the third step, and of the state.
void expect_failure(world &w, int &steps_before, perp_status status, const char *field) {
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  ASSERT_EQ(r.steps(2), PERP_OK);
  const auto before = r.bytes();
  steps_before = -1;  // from now on the callback fails
  EXPECT_EQ(r.step(), status);
  EXPECT_STREQ(r.info.field, field);
  EXPECT_EQ(r.info.index, 0);
  EXPECT_EQ(r.bytes(), before);
  steps_before = 0;
  EXPECT_EQ(r.step(), PERP_OK);
}

TEST(SystemMotion, AFailingCallbackEndsTheStepAndLeavesTheState) {
  struct broken {
    int bad = 0;
    std::int32_t answer = 0;
    double value = 0;
  } how;
  const auto force = [](double, const double *q, const double *v, const double *, double *F,
                        void *user) -> std::int32_t {
    const broken &b = *static_cast<broken *>(user);
    F[0] = q[0] + v[0] + (b.bad < 0 ? b.value : 0);
    return b.bad < 0 ? b.answer : 0;
  };
  for (const int kind : {0, 1, 2, 3}) {
    how.answer = kind == 0 ? -1 : kind == 1 ? 1 : 0;
    how.value = kind == 2 ? NAN : kind == 3 ? INFINITY : 0;
    world w;
    perp_lagrangian s;
    perp_lagrangian_init(&s, sizeof s, 1);
    const double M = 1;
    s.M = perp_diagonal(1, &M);
    s.internal = force;
    s.user = &how;
    w.add(s.system);
    w.q0 = {1};
    expect_failure(w, how.bad,
                   kind == 0   ? PERP_ECALLBACK
                   : kind == 1 ? PERP_RETRY
                               : PERP_ENOTFINITE,
                   kind < 2 ? "force" : "internal");
  }
}

TEST(SystemMotion, ASingularMassIsNamed) {
  double m = 0;
  world w;
  perp_lagrangian s;
  perp_lagrangian_init(&s, sizeof s, 2);
  s.user = &m;
  s.mass = [](double, const double *, const double *, const double *, double *M,
              void *user) -> std::int32_t {
    M[0] = 1;
    M[3] = *static_cast<double *>(user);
    return 0;
  };
  w.add(s.system);
  run r(w);
  EXPECT_EQ(r.status, PERP_EINVAL);
  EXPECT_STREQ(r.info.field, "M");
  m = NAN;
  run n(w);
  EXPECT_EQ(n.status, PERP_ENOTFINITE);
  m = 1;
  run fine(w);
  EXPECT_EQ(fine.status, PERP_OK);
  ASSERT_EQ(fine.step(), PERP_OK);
  m = 0;
  const auto before = fine.bytes();
  EXPECT_LT(fine.step(), 0);
  EXPECT_EQ(fine.bytes(), before);
}

}  // namespace
