// SPDX-License-Identifier: MIT
// Impacts at several contacts within event-driven runs: cradles, chains, a rocking block, bodies in
// joints. Judged by closed forms, by balances of momentum and energy, and by the law itself on a W
// that the test makes.
#include <gtest/gtest.h>

#include <algorithm>

#include "event_tools.hpp"

namespace {

using tools::Motion;
using tools::Seen;
using tools::vec;
using tools::World;

// Balls in a row, each hung on a spring of frequency ω about its place; neighbours touch there.
struct Cradle : World {
  vec mass;
  std::vector<std::int32_t> contacts;
  Cradle(const vec &masses, const vec &v0, double e, double omega, bool backwards = false,
         bool wall = false)
      : mass(masses) {
    const std::size_t n = mass.size();
    for (std::size_t i = 0; i < n; i++)
      this->World::mass({mass[i]}, {0}, {0}, {v0[i]}, {mass[i] * omega * omega});
    for (std::size_t k = 0; k + 1 < n; k++) {
      const auto i = static_cast<std::int32_t>(backwards ? n - 2 - k : k);
      contacts.push_back(connect(gap({-1, 1}, {0}), newton(e), {i, i + 1}));
    }
    if (wall) contacts.push_back(connect(gap({-1}, {0}), newton(e), {std::int32_t(n) - 1}));
  }
};

double momentum(const vec &mass, const vec &v) {
  double p = 0;
  for (std::size_t i = 0; i < mass.size(); i++) p += mass[i] * v[i];
  return p;
}
double kinetic(const vec &mass, const vec &v) {
  double T = 0;
  for (std::size_t i = 0; i < mass.size(); i++) T += mass[i] * v[i] * v[i] / 2;
  return T;
}

// W, ẏ of a row of balls, by the order of their contacts from the left.
vec row_W(const vec &mass) {
  const std::size_t m = mass.size() - 1;
  vec W(m * m, 0);
  for (std::size_t i = 0; i < m; i++) {
    W[i + m * i] = 1 / mass[i] + 1 / mass[i + 1];
    if (i + 1 < m) W[i + m * (i + 1)] = W[i + 1 + m * i] = -1 / mass[i + 1];
  }
  return W;
}
// Velocities after an impact by perp_multiple_impact().
vec by_law(const vec &mass, const vec &v, double e, const perp_multiple_impact_options &o) {
  const std::size_t m = mass.size() - 1;
  vec ydot(m), es(m, e), p(m), after = v;
  for (std::size_t i = 0; i < m; i++) ydot[i] = v[i + 1] - v[i];
  std::vector<unsigned char> work(perp_multiple_impact_workspace(static_cast<std::int32_t>(m)));
  EXPECT_EQ(
      perp_multiple_impact(static_cast<std::int32_t>(m), row_W(mass).data(), ydot.data(), es.data(),
                           &o, p.data(), nullptr, work.data(), work.size(), nullptr),
      PERP_OK);
  for (std::size_t i = 0; i < m; i++)
    after[i] -= p[i] / mass[i], after[i + 1] += p[i] / mass[i + 1];
  return after;
}

TEST(EventMultiple, EveryImpactOfACradleIsThatOfTheLaw) {
  for (const std::size_t balls : {3u, 5u}) {
    for (const double e : {0.0, 0.7, 1.0}) {
      vec v(balls, 0);
      v[0] = 1;
      Cradle w(vec(balls, 2.0), v, e, 3);
      Motion run(w);
      perp_multiple_impact_options o = perp_multiple_impact_options_default();
      o.exponent = 1.5;
      run.options.impact = PERP_IMPACT_LZB;
      run.options.lzb = &o;
      run.options.rtol = 1e-10, run.options.atol = 1e-12;
      ASSERT_EQ(run.create(), PERP_OK) << run.message();
      // the impact at the start is an event of it
      const vec first = by_law(w.mass, v, e, o);
      for (std::size_t i = 0; i < balls; i++) EXPECT_NEAR(run.v()[i], first[i], 1e-10);
      double before = kinetic(w.mass, run.v());
      EXPECT_LE(before, 1 + 1e-14);
      run.expect_until(4);
      const auto impacts = run.of(PERP_EVENT_IMPACT);
      EXPECT_GE(impacts.size(), e > 0 ? 3u : 0u);  // e = 0: they stay together
      for (const Seen &s : impacts) {
        EXPECT_NEAR(momentum(w.mass, s.v_after), momentum(w.mass, s.v), 1e-14);
        EXPECT_LE(kinetic(w.mass, s.v_after), kinetic(w.mass, s.v) + 1e-14);
        for (const double p : s.impulse) EXPECT_GE(p, 0);
        if (s.is(PERP_EVENT_ACCUMULATION)) continue;
        double apart = 0;  // all neighbours touch: then it is the law on all of W
        for (std::size_t i = 0; i + 1 < balls; i++) apart = std::max(apart, s.q[i + 1] - s.q[i]);
        if (apart > 1e-10) continue;
        const vec after = by_law(w.mass, s.v, e, o);
        for (std::size_t i = 0; i < balls; i++) EXPECT_NEAR(s.v_after[i], after[i], 1e-9) << s.t;
      }
    }
  }
}

TEST(EventMultiple, PoissonsCradleHandsTheVelocityOn) {
  // compression leaves three equal balls at 1/3; with e = 1: −1/3, 2/3, 2/3 (Glocker)
  Cradle w({1, 1, 1}, {1, 0, 0}, 1, 2);
  Motion run(w);
  run.options.impact = PERP_IMPACT_POISSON;
  ASSERT_EQ(run.create(), PERP_OK);
  EXPECT_NEAR(run.v()[0], -1.0 / 3, 1e-12);
  EXPECT_NEAR(run.v()[1], 2.0 / 3, 1e-12);
  EXPECT_NEAR(run.v()[2], 2.0 / 3, 1e-12);
  const double energy = run.energy();
  run.expect_until(5);
  EXPECT_LE(run.energy(), energy + 1e-10);
}

TEST(EventMultiple, NewtonsLawOnACradleConservesMomentum) {
  for (const double e : {0.0, 0.5, 1.0}) {
    Cradle w({1, 2, 1, 3}, {1, 0, 0, 0}, e, 2);
    Motion run(w);
    run.expect_until(3);
    for (const Seen &s : run.of(PERP_EVENT_IMPACT))
      EXPECT_NEAR(momentum(w.mass, s.v_after), momentum(w.mass, s.v), 1e-14);
  }
}

TEST(EventMultiple, TenBallsAndAWallNeverGainEnergy) {
  for (const double e : {0.3, 0.9}) {
    vec v(10, 0);
    v[0] = 1;
    Cradle w(vec(10, 0.5), v, e, 2, false, true);
    Motion run(w);
    run.options.impact = PERP_IMPACT_LZB;
    run.options.rtol = 1e-11, run.options.atol = 1e-13;
    ASSERT_EQ(run.create(), PERP_OK) << run.message();
    double energy = run.energy();
    EXPECT_LE(energy, 0.25 + 1e-14);
    run.expect_until(2);
    for (const Seen &s : run.events) {
      EXPECT_LE(kinetic(w.mass, s.v_after), kinetic(w.mass, s.v) * (1 + 1e-12)) << s.t;
      for (std::size_t i = 0; i < 10; i++)
        EXPECT_GE((i < 9 ? s.q_after[i + 1] : 0) - s.q_after[i], -1e-9);
    }
    EXPECT_LE(run.energy(), energy * (1 + 1e-9)) << e;
    EXPECT_GE(run.of(PERP_EVENT_IMPACT).size(), e > 0.5 ? 1u : 0u);
  }
}

TEST(EventMultiple, TheOrderOfContactsDoesNotMatter) {
  for (const std::int32_t law : {PERP_IMPACT_LAW, PERP_IMPACT_POISSON, PERP_IMPACT_LZB}) {
    const vec mass = {1, 2, 1.5, 1}, v = {1, 0, 0, -0.3};
    Cradle one(mass, v, 0.6, 3), two(mass, v, 0.6, 3, true);
    Motion a(one), b(two);
    a.options.impact = b.options.impact = law;
    a.expect_until(1);
    b.expect_until(1);
    EXPECT_EQ(a.of(PERP_EVENT_IMPACT).size(), b.of(PERP_EVENT_IMPACT).size());
    for (std::size_t i = 0; i < 4; i++) EXPECT_NEAR(a.q()[i], b.q()[i], 1e-8) << law;
  }
}

TEST(EventMultiple, ContactsFarApartThatCloseAtOnceAreOneEvent) {
  for (const std::int32_t law : {PERP_IMPACT_LAW, PERP_IMPACT_POISSON, PERP_IMPACT_LZB}) {
    World w;
    for (const double m : {1.0, 5.0}) {
      w.mass({m}, {-10 * m}, {1.8}, {0});
      w.connect(w.gap({1}, {0}), w.newton(m == 1 ? 0.5 : 0.8), {static_cast<std::int32_t>(m == 5)});
    }
    Motion run(w);
    run.options.impact = law;
    run.expect_until(0.7);
    const auto impacts = run.of(PERP_EVENT_IMPACT);
    ASSERT_EQ(impacts.size(), 1u);
    EXPECT_NEAR(impacts[0].t, 0.6, 1e-12);
    EXPECT_NEAR(impacts[0].v_after[0], 3, 1e-10);
    EXPECT_NEAR(impacts[0].v_after[1], 4.8, 1e-10);
  }
}

// Two balls coupled by a rigid rod along x (an equality) that hit a wall: they act as one mass.
TEST(EventMultiple, JointsHoldThroughImpacts) {
  for (const std::int32_t law : {PERP_IMPACT_LAW, PERP_IMPACT_POISSON, PERP_IMPACT_LZB}) {
    for (const bool twice : {false, true}) {  // a redundant joint changes nothing
      World w;
      w.mass({1}, {0}, {-1}, {2});
      w.mass({3}, {0}, {-2}, {2});
      w.mass({2}, {0}, {0.5}, {0});  // what is hit
      const auto rod = w.connect(w.gap({1, -1}, {-1}), w.equality(), {0, 1});
      if (twice) w.connect(w.gap({-2, 2}, {2}), w.equality(), {0, 1});
      w.connect(w.gap({-1, 1}, {0}), w.newton(0.5), {0, 2});
      Motion run(w);
      run.options.impact = law;
      run.expect_until(1);
      const auto impacts = run.of(PERP_EVENT_IMPACT);
      ASSERT_EQ(impacts.size(), 1u);
      const Seen &s = impacts[0];
      EXPECT_NEAR(s.t, 0.75, 1e-12);
      // 4 kg at 2 m/s on 2 kg: (2·4 − 0.5·2·2)/6 = 1 and 2
      EXPECT_NEAR(s.v_after[0], 1, 1e-12);
      EXPECT_NEAR(s.v_after[1], 1, 1e-12);
      EXPECT_NEAR(s.v_after[2], 2, 1e-12);
      EXPECT_NEAR(std::fabs(s.impulse[0]) * (twice ? 0 : 1), twice ? 0 : 3, 1e-12);
      EXPECT_NEAR(run.q()[0] - run.q()[1], 1, 1e-14);
      EXPECT_EQ(run.mode(rod), PERP_CONTACT_BETWEEN);
    }
  }
}

// ---- a block of half width a and half height b that rocks on two corners, without sliding ----

struct Block {
  double a, b, g = 9.81;
  double R() const { return std::hypot(a, b); }
  double alpha() const { return std::atan(a / b); }
  double p2() const { return 3 * g / (4 * R()); }  // θ'' = p² sin(α − |θ|) toward 0
  double keeps() const { return 1 - 1.5 * std::pow(std::sin(alpha()), 2); }  // Housner's factor
};

// Coordinates x, z of the centre and angle; corners at (∓a, −b), gap and tangential velocity.
struct Rocking : World {
  static std::int32_t gaps(double, const double *q, const double *, const double *z, double *out,
                           void *) {
    const double s = std::sin(q[2]), c = std::cos(q[2]);
    out[0] = q[1] - z[0] * s - z[1] * c;
    out[1] = q[1] + z[0] * s - z[1] * c;
    return 0;
  }
  static std::int32_t tangents(double, const double *q, const double *, const double *z, double *T,
                               void *) {
    const double s = std::sin(q[2]), c = std::cos(q[2]);
    for (int k = 0; k < 2; k++) {
      const double side = k == 0 ? -z[0] : z[0];
      T[k] = 1;                         // ẋ
      T[4 + k] = -side * s + z[1] * c;  // φ̇: of x + side cos φ + b sin φ
    }
    return 0;
  }
  perp_lagrangian_contact_relation corners{};
  Rocking(const Block &block, double mu, double angle) {
    const double m = 2, J = m * (block.a * block.a + block.b * block.b) / 3;
    const double c = std::cos(angle), s = std::sin(angle);
    // stands on the corner at −a (angle < 0: on that at the left when turned to the left)
    const double side = angle > 0 ? -block.a : block.a;
    const double z = -(side * s - block.b * c), x = -(side * c + block.b * s);
    mass({m, m, J}, {0, -m * block.g, 0}, {x, z, angle}, {0, 0, 0});
    EXPECT_EQ(perp_lagrangian_contact_relation_init(&corners, sizeof corners, 2, 2, 3), PERP_OK);
    corners.h = gaps;
    corners.T = tangents;
    corners.z = keep({block.a, block.b});
    corners.n_z = 2;
    connect(&corners.relation, friction(2, mu));
  }
};

// Time from |θ| = θ0 at rest to 0, by Simpson's rule on the integral that energy gives.
double quarter(const Block &block, double theta0) {
  // θ'² = 2p²(cos(α − θ0) − cos(α − θ)); θ = θ0 (1 − u²) takes the root away
  const double alpha = block.alpha();
  const auto f = [&](double u) {
    const double theta = theta0 * (1 - u * u);
    const double drop =  // cos(α − θ0) − cos(α − θ)
        2 * std::sin(alpha - (theta + theta0) / 2) * std::sin(theta0 * u * u / 2);
    if (u == 0) return 2 * theta0 / std::sqrt(2 * block.p2() * theta0 * std::sin(alpha - theta0));
    return 2 * theta0 * u / std::sqrt(2 * block.p2() * drop);
  };
  const int n = 20000;
  double sum = f(0) + f(1);
  for (int k = 1; k < n; k++) sum += f(static_cast<double>(k) / n) * (k % 2 ? 4 : 2);
  return sum / (3 * n);
}

TEST(EventMultiple, ARockingBlockFollowsHousner) {
  const Block block{0.2, 1};
  const double theta0 = 0.5 * block.alpha();
  Rocking w(block, 5, theta0);  // rough enough not to slide
  Motion run(w);
  run.options.rtol = 1e-12, run.options.atol = 1e-13;
  run.expect_until(6);
  const auto impacts = run.of(PERP_EVENT_IMPACT);
  ASSERT_GE(impacts.size(), 4u);
  // the angle at which it turns back follows from energy
  double theta = theta0, t = 0;
  for (std::size_t k = 0; k < 4; k++) {
    const double down = quarter(block, theta);
    t += down;
    const double w2 = 2 * block.p2() * (std::cos(block.alpha() - theta) - std::cos(block.alpha()));
    EXPECT_NEAR(impacts[k].t, t, 1e-7) << k;
    EXPECT_NEAR(std::fabs(impacts[k].v[2]), std::sqrt(w2), 1e-8) << k;
    EXPECT_NEAR(impacts[k].v_after[2], block.keeps() * impacts[k].v[2], 1e-10) << k;
    EXPECT_LE(std::fabs(impacts[k].q[2]), 1e-9);
    const double after2 = w2 * block.keeps() * block.keeps();
    theta = block.alpha() - std::acos(std::cos(block.alpha()) + after2 / (2 * block.p2()));
    t += quarter(block, theta);
  }
  double energy = INFINITY;
  for (const Seen &s : run.events) {
    const auto of = [&](const vec &q, const vec &v) {
      const double m = 2, J = m * block.R() * block.R() / 3;
      return m * (v[0] * v[0] + v[1] * v[1]) / 2 + J * v[2] * v[2] / 2 + m * block.g * q[1];
    };
    EXPECT_LE(of(s.q, s.v), energy + 1e-8);
    EXPECT_LE(of(s.q_after, s.v_after), of(s.q, s.v) + 1e-9);
    energy = of(s.q_after, s.v_after);
  }
}

TEST(EventMultiple, ARockingBlockComesToRestAndItsCornersCarryIt) {
  const Block block{0.5, 1};
  Rocking w(block, 5, 0.1 * block.alpha());
  Motion run(w);
  run.options.rtol = 1e-10, run.options.atol = 1e-12;
  run.expect_until(5);
  EXPECT_EQ(run.mode(0, 0), PERP_CONTACT_STICK);
  EXPECT_EQ(run.mode(0, 1), PERP_CONTACT_STICK);
  const vec lambda = run.lambda();
  EXPECT_NEAR(lambda[0] + lambda[2], 2 * block.g, 1e-8);
  EXPECT_NEAR(run.q()[2], 0, 1e-9);
  EXPECT_GE(run.of(PERP_EVENT_ACCUMULATION).size(), 1u);
}

// Without friction, z and φ only: the impact with LZB and e = 0 is Housner's for a slender block.
TEST(EventMultiple, ABlockRocksWithoutFrictionByEachLaw) {
  for (const std::int32_t law : {PERP_IMPACT_LAW, PERP_IMPACT_POISSON, PERP_IMPACT_LZB}) {
    for (const double e : {0.0, 0.5}) {
      World w;
      const double m = 2, a = 0.3, J = 1.5, g = 9.81;
      w.mass({m, J}, {-m * g, 0}, {0.3, 0.2}, {0, 0});
      w.connect(w.gap({1, 1, -a, a}, {0, 0}), w.newton(e));
      Motion run(w);
      run.options.impact = law;
      run.options.rtol = 1e-10, run.options.atol = 1e-12;
      run.expect_until(9);
      double last = INFINITY;
      for (const Seen &s : run.of(PERP_EVENT_IMPACT)) {
        const auto T = [&](const vec &v) { return m * v[0] * v[0] / 2 + J * v[1] * v[1] / 2; };
        const double before = T(s.v) + m * g * s.q[0], after = T(s.v_after) + m * g * s.q[0];
        if (law != PERP_IMPACT_LAW || e == 0) {
          EXPECT_LE(after, before + 1e-12) << s.t;
          EXPECT_LE(before, last + 1e-8);  // the weight, lifted by contact_tol
          last = after;
        }
        const double W[2] = {1 / m + a * a / J, 1 / m - a * a / J};
        for (int k = 0; k < 2; k++) {  // impulses make the change of velocity
          const double y0 = s.v[0] + (k ? a : -a) * s.v[1];
          const double y1 = s.v_after[0] + (k ? a : -a) * s.v_after[1];
          EXPECT_NEAR(y1 - y0,
                      W[0] * s.impulse[std::size_t(k)] + W[1] * s.impulse[std::size_t(1 - k)],
                      1e-10);
        }
      }
      EXPECT_EQ(run.mode(0, 0), PERP_CONTACT_CLOSED) << law << " " << e;
      EXPECT_EQ(run.mode(0, 1), PERP_CONTACT_CLOSED) << law << " " << e;
      EXPECT_NEAR(run.q()[0], 0, 1e-9);
      EXPECT_NEAR(run.lambda()[0], m * g / 2, 1e-8);
    }
  }
}

}  // namespace
