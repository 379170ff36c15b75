// SPDX-License-Identifier: MIT
// Sequences of impacts, and what may be cut off: those that forces end, with no more energy than
// they do along the excursion. Judged by energy.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "event_tools.hpp"

namespace {

using tools::Method;
using tools::Motion;
using tools::Seen;
using tools::vec;
using tools::World;

double kinetic(const vec &v) {
  double T = 0;
  for (const double a : v) T += a * a / 2;
  return T;
}

// Equal balls of 1 kg in a row on springs, that touch at rest; the first is thrown at the others.
struct Cradle : World {
  Cradle(std::size_t balls, double e, double omega, double speed = 1) {
    for (std::size_t i = 0; i < balls; i++)
      mass({1}, {0}, {0}, {i == 0 ? speed : 0}, {omega * omega});
    for (std::size_t k = 0; k + 1 < balls; k++)
      connect(gap({-1, 1}, {0}), newton(e), {std::int32_t(k), std::int32_t(k + 1)});
  }
};

TEST(EventAccumulation, ACradleWithoutLossesKeepsItsEnergy) {
  for (const std::size_t balls : {4u, 5u, 7u})
    for (const double omega : {2.0, 3.0, 3.1321})
      for (const double exponent : {1.0, 1.5}) {
        Cradle w(balls, 1, omega);
        Motion run(w);
        perp_multiple_impact_options springs = perp_multiple_impact_options_default();
        springs.exponent = exponent;
        run.options.impact = PERP_IMPACT_LZB;
        run.options.lzb = &springs;
        run.options.rtol = 1e-10, run.options.atol = 1e-12;
        run.expect_until(10);
        EXPECT_NEAR(run.energy(), 0.5, 1e-9) << balls << " balls, " << omega << ", " << exponent;
        EXPECT_GE(run.of(PERP_EVENT_IMPACT).size(), 6u);
        for (const Seen &s : run.of(PERP_EVENT_IMPACT))
          EXPECT_NEAR(kinetic(s.v_after), kinetic(s.v), 1e-11) << s.t;
      }
}

TEST(EventAccumulation, ACutTakesNoMoreEnergyThanForcesDoAlongTheExcursion) {
  const double g = 9.81;
  for (const double e : {0.1, 0.5, 0.95})
    for (const std::int32_t law : {PERP_IMPACT_LAW, PERP_IMPACT_LZB}) {
      World w;
      w.mass({1}, {-g}, {1}, {0});
      w.connect(w.gap({1}, {0}), w.newton(e));
      Motion run(w);
      run.options.impact = law;
      run.expect_until(20);
      const auto cuts = run.of(PERP_EVENT_ACCUMULATION);
      ASSERT_EQ(cuts.size(), 1u) << e;
      EXPECT_GT(cuts[0].error, 0);
      EXPECT_LE(e * e * kinetic(cuts[0].v) - kinetic(cuts[0].v_after), 2 * g * cuts[0].error);
    }
}

// Fast balls come to a row that a spring presses against a wall. The impulse goes through it, and
// leaves velocities of rounding behind: with e = 1 they would bounce for ever.
TEST(EventAccumulation, RoundingOfAnImpactDoesNotBounceOn) {
  for (const std::int32_t law : {PERP_IMPACT_LAW, PERP_IMPACT_POISSON, PERP_IMPACT_LZB})
    for (const double speed : {1.0, 1e6, 1e7}) {
      World w;
      for (std::int32_t i = 0; i < 5; i++) w.mass({1}, {1}, {0}, {i == 0 ? speed : 0}, {9});
      for (std::int32_t k = 0; k < 4; k++) w.connect(w.gap({-1, 1}, {0}), w.newton(1), {k, k + 1});
      w.connect(w.gap({-1}, {0}), w.newton(1), {4});
      Motion run(w);
      run.options.impact = law;
      run.options.rtol = 1e-10, run.options.atol = 1e-12 * speed;
      run.expect_until(0.5);
      EXPECT_LE(run.events.size(), 50u) << law << " " << speed;
      if (law == PERP_IMPACT_LAW) {  // the first ball is thrown back, the others stay
        EXPECT_NEAR(run.v()[0], std::sin(1.5) / 3 - speed * std::cos(1.5), 1e-8 * speed);
        for (std::int32_t k = 1; k < 5; k++) EXPECT_EQ(run.mode(k), PERP_CONTACT_CLOSED) << speed;
      }
    }
}

// Energy of balls in a column.
double energy(const vec &M, const vec &q, const vec &v) {
  double E = 0;
  for (std::size_t i = 0; i < M.size(); i++) E += M[i] * (v[i] * v[i] / 2 + 9.81 * q[i]);
  return E;
}

// A column dropped on a floor comes to rest after tens of impacts, by each law: flights of 1e-8 s
// end where they come down, though the step that they are found in is 0.1 s long.
TEST(EventAccumulation, ADroppedColumnComesToRest) {
  const double g = 9.81;
  for (const std::int32_t law : {PERP_IMPACT_LAW, PERP_IMPACT_POISSON, PERP_IMPACT_LZB})
    for (const double e : {0.1, 0.29, 0.5, 0.65})
      for (const double M : {0.4, 1.0, 3.0}) {
        World w;
        w.mass({1}, {-g}, {0.2}, {0});
        w.mass({M}, {-g * M}, {0.3}, {0});
        w.connect(w.gap({1}, {0}), w.newton(e));
        w.connect(w.gap({-1, 1}, {0}), w.newton(e), {0, 1});
        Motion run(w);
        run.options = perp_event_options_default();
        run.options.impact = law;
        run.options.storm_events = 300, run.options.storm_time = 4;
        SCOPED_TRACE(::testing::Message() << "law " << law << ", e " << e << ", M " << M);
        run.expect_until(4);
        EXPECT_EQ(run.mode(0), PERP_CONTACT_CLOSED);
        EXPECT_EQ(run.mode(1), PERP_CONTACT_CLOSED);
        EXPECT_NEAR(run.energy(), 0, 1e-12);
        double left = energy({1, M}, {0.2, 0.3}, {0, 0});
        for (const Seen &s : run.events) {
          EXPECT_LE(energy({1, M}, s.q, s.v), left * (1 + 1e-9) + 1e-14) << s.t;
          left = energy({1, M}, s.q_after, s.v_after);
          EXPECT_GE(s.q_after[0], -1e-15) << s.t;
          EXPECT_GE(s.q_after[1] - s.q_after[0], -1e-15) << s.t;
        }
      }
}

// Three balls, of which the lowest rests on the floor and is kicked off it by the next in flights
// below the error of the motion.
TEST(EventAccumulation, WhatItsNeighbourKicksOffClosesByAllMethods) {
  const vec M{0.999378, 3.13209, 2.20334}, v{0.63262710236287423, -0.74530144167343582, 0.138};
  const vec q{0.2478630058248748, 0.25887493734416457, 0.48490634307367936};
  for (const auto smooth :
       {perp_smooth_runge_kutta, perp_smooth_adams, perp_smooth_bdf, perp_smooth_ida})
    for (const std::int32_t law : {PERP_IMPACT_LAW, PERP_IMPACT_POISSON, PERP_IMPACT_LZB}) {
      World w;
      for (std::size_t i = 0; i < 3; i++) w.mass({M[i]}, {-9.81 * M[i]}, {q[i]}, {v[i]});
      w.connect(w.gap({1}, {0}), w.newton(0.29));
      for (std::int32_t k = 0; k < 2; k++)
        w.connect(w.gap({-1, 1}, {0}), w.newton(0.29), {k, k + 1});
      Motion run(w);
      run.options = perp_event_options_default();
      run.options.smooth = smooth();
      run.options.impact = law;
      run.options.storm_events = 200, run.options.storm_time = 2;
      SCOPED_TRACE(::testing::Message() << (smooth == perp_smooth_adams ? "adams"
                                            : smooth == perp_smooth_bdf ? "bdf"
                                                                        : "other")
                                        << ", law " << law);
      run.expect_until(2);
      for (std::int32_t k = 0; k < 3; k++) EXPECT_EQ(run.mode(k), PERP_CONTACT_CLOSED) << k;
      EXPECT_NEAR(run.energy(), 0, 1e-9);
      double left = energy(M, q, v);
      for (const Seen &s : run.events) {
        EXPECT_LE(energy(M, s.q_after, s.v_after), left * (1 + 1e-6) + 1e-9) << s.t;
        left = energy(M, s.q_after, s.v_after);
      }
    }
}

// Balls above each other on springs, the lowest two perhaps on a rod.
struct Column {
  vec M, q, v;
  double e, floor, K;
  bool rod;
  vec springs;  // of the contacts, rows of the model: for the law of Liu, Zhao and Brogliato

  std::size_t contacts() const { return M.size() - (rod ? 1 : 0); }
  double energy(const vec &x, const vec &w) const {
    double E = 0;
    for (std::size_t i = 0; i < M.size(); i++)
      E += M[i] * (w[i] * w[i] / 2 + 9.81 * x[i]) + K * x[i] * x[i] / 2;
    return E;
  }
  void into(World &w) const {
    for (std::size_t i = 0; i < M.size(); i++) w.mass({M[i]}, {-9.81 * M[i]}, {q[i]}, {v[i]}, {K});
    w.connect(w.gap({1}, {0}), w.newton(floor));
    for (std::size_t k = rod ? 1 : 0; k + 1 < M.size(); k++)
      w.connect(w.gap({-1, 1}, {0}), w.newton(e), {std::int32_t(k), std::int32_t(k + 1)});
    if (rod) w.connect(w.gap({-1, 1}, {q[0] - q[1]}), w.equality(), {0, 1});
  }
};

// The events of a run: nothing lies in anything, and energy does not grow (by Newton's law of
// several contacts with different e it may), but for the error of the motion.
void expect_physical(const Column &c, const Motion &run, const Method &method) {
  double left = c.energy(c.q, c.v);
  for (const Seen &s : run.events) {
    if (run.options.impact != PERP_IMPACT_LAW) {
      const double E = c.energy(s.q_after, s.v_after), size = 1 + std::abs(left);
      EXPECT_LE(E, left + 1e-6 * size) << s.t;
      EXPECT_LE(E, c.energy(s.q, s.v) + 1e-11 * method.slack * size) << s.t;
      left = std::min(left, E);
    }
    EXPECT_GE(s.q[0], -run.options.contact_tol) << s.t;
    for (std::size_t i = 1; i < c.M.size(); i++)
      EXPECT_GE(s.q[i] - s.q[i - 1], -run.options.contact_tol) << s.t;
  }
}

// With the tolerances of the defaults; slack: of what may be cut off, against zeno_tol.
const Method kMethods[] = {{"rk", perp_smooth_runge_kutta, 1e-10, 1e-12, 1},
                           {"adams", perp_smooth_adams, 1e-10, 1e-12, 1e3},
                           {"bdf", perp_smooth_bdf, 1e-10, 1e-12, 1e3},
                           {"arkode", perp_smooth_arkode, 1e-10, 1e-12, 1},
                           {"ida", perp_smooth_ida, 1e-10, 1e-12, 1e3}};

// Columns whose contacts kick each other off in turn when they come to rest: in flights below the
// error of a method of several steps, below the resolution of time, by the impact that ends the
// flight of a neighbour, on a rod, and below one that still flies.
TEST(EventAccumulation, WhatKicksItsNeighboursComesToRestWithThem) {
  const Column columns[] = {
      {{0.13668077290619418, 2.3531061308624621, 4.7182968124369067},
       {0.07071745276595863, 0.07071745276595863, 0.07071745276595863},
       {-0.9215377140367893, 0.078386585459503832, 0.50245341097084695},
       0.7271566591362475,
       0.87424992857906658,
       0.1,
       false,
       {1.6630919149259993, 0.26629220683120408, 0.06425454473147596}},
      {{5.6282569740119284, 0.83348244157639373, 0.12171485267295758},
       {0.0092612675323033959, 0.0092612675323033959, 0.030488866953780207},
       {0.19693144524983097, -0.054387727950395148, 0.94499479896316063},
       0.35995386519785999,
       0.35995386519785999,
       0,
       false,
       {0.094596225511920318, 0.6603349145402837, 0.11212638437557469}},
      {{0.39213507147215287, 1.7628794289334471, 0.10737502406760099, 0.13914677337472686},
       {0.22352572264038406, 0.32971116496100134, 0.36852161606593103, 0.60576283617787119},
       {-0.58933626563356944, 0.63251995611545686, 0.82958899755948723, -0.46422130775012993},
       0.2804755474905517,
       0.63320608242957099,
       0.1,
       false,
       {0.42134072559171043, 0.01295155288429976, 0.10061264304486051, 7.9010980890756679}},
      {{1.3886561247534124, 7.5451271396710871, 0.11655787353662764, 4.2180374855247971},
       {0.2065559467817818, 0.49428778827626774, 0.49428778827626774, 0.49428778827626774},
       {0.66298437084020367, -0.055560470501419212, 0.66456309560733762, -0.47536899560912105},
       0.6155635797784379,
       0.52648047943390175,
       0,
       true,
       {74.251109162085157, 70.030880311568126, 0.2034, 0.0355}},
      {{0.41202498271329641, 9.8231869211172924, 0.14452670057303121, 0.27405798403937059},
       {0.247006155267147, 0.30160716222770462, 0.56453960363824296, 0.5822749932181347},
       {0.83861112697566176, 0.38681852746413736, 0.021163628901369691, 0.89348355151837322},
       0.20931812555655382,
       0.20931812555655382,
       0,
       false,
       {4.6535561098026434, 1.6861946599205215, 43.691823570201471, 0.026819339117893283}},
  };
  for (const Column &c : columns)
    for (const Method &method : kMethods)
      for (const std::int32_t law : {PERP_IMPACT_LAW, PERP_IMPACT_POISSON, PERP_IMPACT_LZB}) {
        World w;
        c.into(w);
        Motion run(w, method);
        perp_multiple_impact_options lzb = perp_multiple_impact_options_default();
        lzb.stiffness = c.springs.data();
        run.options.impact = law;
        run.options.lzb = &lzb;
        SCOPED_TRACE(::testing::Message() << method.name << ", law " << law << ", " << c.M[0]);
        run.expect_until(1.1);
        EXPECT_LE(run.events.size(), 400u);
        expect_physical(c, run, method);
        for (const Seen &s : run.of(PERP_EVENT_ACCUMULATION))
          EXPECT_LE(s.error, method.slack * run.options.zeno_tol) << s.t;
        for (std::size_t k = 0; k < c.contacts(); k++)
          EXPECT_EQ(run.mode(std::int32_t(k)), PERP_CONTACT_CLOSED) << k;
        for (const double a : run.v()) EXPECT_LE(std::abs(a), 1e-12);
        EXPECT_NEAR(run.q()[0], 0, 1e-12);
        for (std::size_t k = c.rod ? 2 : 1; k < c.M.size(); k++)
          EXPECT_NEAR(run.q()[k], run.q()[k - 1], 1e-12);
      }
}

// A ball that bounces without losses on one that rests: as often as it takes, and as high.
TEST(EventAccumulation, WhatRisesFurtherBouncesOnThoughItsSupportRests) {
  const double g = 9.81, h = 1e-6, T = 1, fall = std::sqrt(2 * h / g);
  for (const Method &method : kMethods)
    for (const std::int32_t law : {PERP_IMPACT_LAW, PERP_IMPACT_POISSON}) {
      const Column c{{0.15, 1.2}, {0, h}, {0, 0}, 1, 0.5, 0, false, {}};
      World w;
      c.into(w);
      Motion run(w, method);
      run.options.impact = law;
      SCOPED_TRACE(::testing::Message() << method.name << ", law " << law);
      run.expect_until(T);
      EXPECT_NEAR(double(run.of(PERP_EVENT_IMPACT).size()), (T / fall + 1) / 2, 2);
      EXPECT_TRUE(run.of(PERP_EVENT_ACCUMULATION).empty());
      EXPECT_EQ(run.mode(0), PERP_CONTACT_CLOSED);
      EXPECT_NEAR(run.energy(), 1.2 * g * h, 1e-2 * 1.2 * g * h);
    }
}

// Impact by impact, in extended precision: balls above each other fall freely, two at a time
// collide, and those on the floor rest once they rise by less than 1e-17.
struct Exactly {
  using real = long double;
  std::vector<real> M, x, v;
  real e, floor, t = 0, first_rest = -1;
  std::size_t rest = 0;
  static constexpr real g = 9.81L;

  real gap(std::size_t i) const { return std::max<real>(x[i] - (i > 0 ? x[i - 1] : 0), 0); }
  real speed(std::size_t i) const { return v[i] - (i == rest ? 0 : v[i - 1]); }
  // Time until ball i meets what is below it.
  real meets(std::size_t i) const {
    const real y = gap(i), w = speed(i);
    if (i == rest) return (w + std::sqrt(w * w + 2 * g * y)) / g;
    return w < 0 ? -y / w : HUGE_VALL;
  }
  void fly(real s) {
    for (std::size_t i = rest; i < M.size(); i++) x[i] += s * (v[i] - g * s / 2), v[i] -= g * s;
    t += s;
  }
  void hit(std::size_t i) {
    const real of = i == 0 ? floor : e;
    if (i > rest) {
      const real p = (1 + of) * (v[i - 1] - v[i]) / (1 / M[i] + 1 / M[i - 1]);
      v[i] += p / M[i], v[i - 1] -= p / M[i - 1];
      return;
    }
    x[i] = i > 0 ? x[i - 1] : 0;
    v[i] = -of * v[i];
    if (v[i] * v[i] > 2e-17L * g) return;
    v[i] = 0;
    rest++;
    if (first_rest < 0) first_rest = t;
  }
  // Whether ball i hits while another does, within the tolerance of a contact: not one by one.
  bool is_crowded(std::size_t i) const {
    for (std::size_t k = rest; k < M.size(); k++)
      if (k != i && gap(k) < 1e-9L && std::abs(speed(k)) > 1e-3L) return true;
    return false;
  }
  // False where collisions are not one by one, or infinitely many in flight.
  bool until(real end) {
    for (int n = 0; rest < M.size(); n++) {
      if (n == 5000) return false;
      std::size_t next = rest;
      for (std::size_t i = rest; i < M.size(); i++)
        if (meets(i) < meets(next)) next = i;
      if (t + meets(next) >= end) break;
      fly(meets(next));
      if (is_crowded(next)) return false;
      hit(next);
    }
    if (t < end) fly(end - t);
    return true;
  }
};

Exactly exact_of(const Column &c, double by) {
  Exactly x;
  for (std::size_t i = 0; i < c.M.size(); i++) {
    x.M.push_back(c.M[i]), x.x.push_back(c.q[i]);
    x.v.push_back(c.v[i] * (1 + by * (i % 2 == 0 ? 1 : -1)));
  }
  x.e = c.e, x.floor = c.floor;
  return x;
}

// Where a little elsewhere at the begin stays a little elsewhere, runs come to where the balls are;
// by Newton's law through what rests, by the others until a ball does.
TEST(EventAccumulation, ColumnsComeToWhereTheirBallsAre) {
  std::mt19937 random(5);
  const auto uniform = [&](double a, double b) {
    return a + (b - a) * (double(random()) + 0.5) / 4294967296.0;
  };
  int compared = 0, rested = 0;
  for (int trial = 0; trial < 60; trial++) {
    Column c{{}, {}, {}, uniform(0.1, 0.95), uniform(0.1, 0.95), 0, false, {}};
    double z = 0;
    for (int i = 0; i < 2 + trial % 3; i++) {
      c.M.push_back(std::pow(10, uniform(-1, 1)));
      c.q.push_back(z += uniform(0.02, 0.3));
      c.v.push_back(uniform(-1, 1));
    }
    Exactly whole = exact_of(c, 0);
    if (!whole.until(0.8L)) continue;
    for (const std::int32_t law : {PERP_IMPACT_LAW, PERP_IMPACT_POISSON, PERP_IMPACT_LZB}) {
      const double end =
          law == PERP_IMPACT_LAW || whole.first_rest < 0 ? 0.8 : 0.95 * double(whole.first_rest);
      Exactly at = exact_of(c, 0), near = exact_of(c, 1e-10);
      double apart = at.until(end) && near.until(end) ? 0 : 1;
      for (std::size_t i = 0; i < c.M.size(); i++)
        apart = std::max(apart, std::max<double>(double(std::abs(at.x[i] - near.x[i])),
                                                 double(std::abs(at.v[i] - near.v[i]))));
      if (apart > 1e-8) continue;
      const Method &method = kMethods[trial % 5];
      World w;
      c.into(w);
      Motion run(w, method);
      run.options.impact = law;
      SCOPED_TRACE(::testing::Message() << trial << " " << method.name << ", law " << law);
      run.expect_until(end);
      expect_physical(c, run, method);
      for (std::size_t i = 0; i < c.M.size(); i++) {
        EXPECT_NEAR(run.q()[i], double(at.x[i]), 1e-7) << i;
        EXPECT_NEAR(run.v()[i], double(at.v[i]), 1e-6) << i;
      }
      compared++, rested += at.rest > 0;
    }
  }
  EXPECT_GE(compared, 90);
  EXPECT_GE(rested, 10);
}

// Balls that touch in free fall press each other with the rounding of their weights, whose sign
// means nothing.
TEST(EventAccumulation, BodiesThatTouchInFreeFallHaveNoEvents) {
  const vec M{2.0677253550255297, 0.70946505890319589, 2.795576870494155};
  const vec v{0.17132807097185099, -0.93869450619784545, -0.30550989538820128};
  for (const auto smooth : {perp_smooth_runge_kutta, perp_smooth_adams, perp_smooth_bdf,
                            perp_smooth_arkode, perp_smooth_ida}) {
    World w;
    for (std::size_t i = 0; i < 3; i++) w.mass({M[i]}, {-9.81 * M[i]}, {0.1246}, {v[i]});
    for (std::int32_t k = 0; k < 2; k++)
      w.connect(w.gap({-1, 1}, {0}), w.newton(0.83568998518231019), {k, k + 1});
    Motion run(w);
    run.options = perp_event_options_default();
    run.options.smooth = smooth();
    run.expect_until(0.8);
    EXPECT_TRUE(run.events.empty());
    double p0 = 0, p1 = 0, m = 0;
    for (std::size_t i = 0; i < 3; i++) p0 += M[i] * v[i], p1 += M[i] * run.v()[i], m += M[i];
    EXPECT_NEAR(p1, p0 - 9.81 * 0.8 * m, 1e-6);
    EXPECT_NEAR(run.q()[1], run.q()[2], 1e-9);
  }
}

// A ball on a spring that is let go below what the absolute tolerance tells from the floor: a gap
// of that size is no length by which the motion is slow or fast.
TEST(EventAccumulation, ABallSetDownWithinTheToleranceComesToRestByAllMethods) {
  for (const auto smooth : {perp_smooth_runge_kutta, perp_smooth_adams, perp_smooth_bdf,
                            perp_smooth_arkode, perp_smooth_ida})
    for (const double height : {6.0396448334117267e-12, 9.7533383874220047e-12, 1e-13, 0.0}) {
      const double M = 0.32268591597913865, g = 3.0659475235023508, k = 381.65917778963939;
      World w;
      w.mass({M}, {-M * g}, {height}, {0}, {M * k});
      w.connect(w.gap({1}, {0}), w.newton(0));
      Motion run(w);
      run.options = perp_event_options_default();
      run.options.smooth = smooth();
      run.expect_until(0.01);
      EXPECT_EQ(run.mode(), PERP_CONTACT_CLOSED);
      EXPECT_NEAR(run.q()[0], 0, 1e-11);
      EXPECT_NEAR(run.lambda()[0], M * g, 1e-8);
      EXPECT_LE(run.events.size(), 2u) << "an impact, at the most";
    }
}

// A block 0.2 wide and 0.8 high, whose two corners kick each other; one may do so in flights that
// do not shrink, millions of them a second.
TEST(EventAccumulation, ARockingBlockComesToRestByPoissonsLaw) {
  World w;
  const double b = 0.2, c = 0.8, g = 9.81, tilt = 0.15;
  w.mass({1, (b * b + c * c) / 12}, {-g, 0},
         {c / 2 * std::cos(tilt) + b / 2 * std::sin(tilt), tilt}, {0, 0});
  perp_lagrangian_relation corners;
  ASSERT_EQ(perp_lagrangian_scleronomous_init(&corners, sizeof corners, 2, 2), PERP_OK);
  corners.h = [](double, const double *q, const double *, const double *, double *y, void *) {
    for (int k = 0; k < 2; k++)
      y[k] = q[0] - 0.4 * std::cos(q[1]) + (k == 0 ? -0.1 : 0.1) * std::sin(q[1]);
    return 0;
  };
  corners.H = [](double, const double *q, const double *, const double *, double *H, void *) {
    for (int k = 0; k < 2; k++) {
      H[k] = 1;
      H[2 + k] = 0.4 * std::sin(q[1]) + (k == 0 ? -0.1 : 0.1) * std::cos(q[1]);
    }
    return 0;
  };
  perp_newton_impact law;
  ASSERT_EQ(perp_newton_impact_init(&law, sizeof law), PERP_OK);
  w.connect(&corners.relation, &law.law);
  for (int n = 1; n <= 18; n++) {
    law.e = 0.05 * n;
    Motion run(w);
    run.options = perp_event_options_default();
    run.options.impact = PERP_IMPACT_POISSON;
    run.observer.event = [](perp_event_driven *, const perp_event *event, void *) {
      return event->number > 5000 ? 1 : 0;
    };
    run.expect_until(3);
    EXPECT_EQ(run.mode(0, 0), PERP_CONTACT_CLOSED) << law.e;
    EXPECT_EQ(run.mode(0, 1), PERP_CONTACT_CLOSED) << law.e;
    EXPECT_NEAR(run.energy(), g * c / 2, 1e-9) << law.e;
  }
}

// A ball on the ground, and two above each other, without losses: they sink into nothing, but for
// what the spacing of times leaves of a gap.
TEST(EventAccumulation, ElasticImpactsDoNotSink) {
  for (const bool two : {false, true}) {
    World w;
    const double g = 9.81;
    if (two) {
      w.mass({1, 2}, {-g, -2 * g}, {0.1, 0.25}, {0, 0});
      w.connect(w.gap({-1, 1}, {0}), w.newton(1));
      w.connect(w.gap({1, 0}, {0}), w.newton(1));
    } else {
      w.mass({1}, {-g}, {0.1}, {0});
      w.connect(w.gap({1}, {0}), w.newton(1));
    }
    Motion run(w);
    run.options = perp_event_options_default();
    struct Deepest {
      double least, impacts;
    } deepest{0, 0};
    run.observer.event = [](perp_event_driven *sim, const perp_event *, void *user) {
      auto *s = static_cast<Deepest *>(user);
      const double *q = perp_event_driven_q(sim, 0);
      s->least = std::min(s->least, q[0]);
      return s->impacts++, 0;
    };
    run.observer.user = &deepest;
    ASSERT_EQ(run.create(), PERP_OK);
    const double before = run.energy(), end = two ? 7600 : 29000;
    run.expect_until(end);
    EXPECT_GE(deepest.impacts, 1e5);
    EXPECT_GE(deepest.least, -4 * std::numeric_limits<double>::epsilon() * end * 3);
    EXPECT_NEAR(run.energy(), before, 1e-8);
    EXPECT_EQ(run.report().missed, 0);
  }
}

}  // namespace
