// SPDX-License-Identifier: MIT
// Judged by closed forms; by chains of balls and hysteretic springs followed through time; by the
// law in its published form, with a primary contact and the impulse as the independent variable.
#include <gtest/gtest.h>
#include <perp/multiple_impact.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "each.hpp"
#include "impact_judge.hpp"

namespace {

using impact_judge::chain;
using impact_judge::options;
using impact_judge::published;
using impact_judge::times;
using impact_judge::vec;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

struct outcome {
  perp_status status = PERP_EINVAL;
  vec impulse, energy, after;
  perp_info info = PERP_INFO_INIT;
  double kinetic = 0;  // change of the kinetic energy
  double work = 0;     // sum of the absolute work of all contacts, the scale of its rounding
  double lost = 0;     // sum of energy
};

outcome impact(const vec &W, const vec &ydot, const vec &e, const options *o = nullptr) {
  const std::size_t m = ydot.size();
  const std::size_t bytes = perp_multiple_impact_workspace(static_cast<std::int32_t>(m));
  std::vector<unsigned char> work(bytes + 17, 0xA5);
  outcome r;
  r.impulse.assign(m, nan);
  r.energy.assign(m, nan);
  r.status =
      perp_multiple_impact(static_cast<std::int32_t>(m), W.data(), ydot.data(), e.data(), o,
                           r.impulse.data(), r.energy.data(), work.data() + 1, bytes, &r.info);
  EXPECT_EQ(work[0], 0xA5);
  for (std::size_t i = 0; i < 16; i++) EXPECT_EQ(work[bytes + 1 + i], 0xA5);
  if (r.status < 0) return r;
  r.after = times(W, r.impulse);
  for (std::size_t i = 0; i < m; i++) {
    r.after[i] += ydot[i];
    r.kinetic += r.impulse[i] * (ydot[i] + r.after[i]) / 2;
    r.work += r.impulse[i] * (std::fabs(ydot[i]) + std::fabs(r.after[i]));
    r.lost += r.energy[i];
  }
  return r;
}

options with(double exponent, std::int32_t compliance = PERP_STIFFNESS_BI,
             const double *stiffness = nullptr) {
  options o = perp_multiple_impact_options_default();
  o.exponent = exponent;
  o.compliance = compliance;
  o.stiffness = stiffness;
  return o;
}

// W of a row of balls, each of which touches the next.
vec row_of(const vec &mass) {
  const std::size_t m = mass.size() - 1;
  vec W(m * m, 0);
  for (std::size_t i = 0; i < m; i++) {
    W[i + m * i] = 1 / mass[i] + 1 / mass[i + 1];
    if (i + 1 < m) W[i + m * (i + 1)] = W[i + 1 + m * i] = -1 / mass[i + 1];
  }
  return W;
}

double distance(const vec &a, const vec &b) {
  double d = 0;
  for (std::size_t i = 0; i < a.size(); i++) d = std::max(d, std::fabs(a[i] - b[i]));
  return d;
}

vec first_moves(std::size_t balls) {
  vec v(balls, 0);
  v[0] = 1;
  return v;
}

vec rates(const vec &v) {
  vec y;
  for (std::size_t i = 0; i + 1 < v.size(); i++) y.push_back(v[i + 1] - v[i]);
  return y;
}

// ---- closed forms ----

TEST(MultipleImpact, TwoBallsObeyNewton) {
  for (double e : {0.0, 0.3, 1.0}) {
    const vec W = row_of({2, 3});
    const outcome r = impact(W, {-1.5}, {e});
    ASSERT_EQ(r.status, PERP_OK);
    EXPECT_NEAR(r.after[0], 1.5 * e, 1e-15);
    EXPECT_NEAR(r.energy[0], (1 - e * e) * 1.5 * 1.5 / 2 * 6 / 5, 1e-15);
  }
}

TEST(MultipleImpact, TwoContactsAtOnePlaceShareTheImpulseOfOne) {
  // W is singular, and the path is followed: the contacts are coupled.
  for (double eta : {0.7, 1.0, 1.5, 3.0}) {
    for (std::int32_t kind : {PERP_STIFFNESS_MONO, PERP_STIFFNESS_BI}) {
      for (double e : {0.0, 0.05, 0.5, 1.0}) {
        const options o = with(eta, kind);
        const outcome r = impact({2, 2, 2, 2}, {-1, -1}, {e, e}, &o);
        ASSERT_EQ(r.status, PERP_OK);
        // The energy left is e²/4 of a unit: what is wrong in it counts by 1/e in ẏ.
        EXPECT_NEAR(r.after[0], e, e > 0 ? 1e-10 / e : 1e-14) << eta << " " << kind << " " << e;
        EXPECT_NEAR(r.impulse[0], r.impulse[1], 1e-14);
        EXPECT_NEAR(r.energy[0], (1 - e * e) / 8, 3e-11);
      }
    }
  }
}

TEST(MultipleImpact, StiffnessDividesTheImpulseOfContactsAtOnePlace) {
  const double kappa[] = {1, 4};
  const options o = with(1.5, PERP_STIFFNESS_BI, kappa);
  const outcome r = impact({2, 2, 2, 2}, {-1, -1}, {0.5, 0.5}, &o);
  ASSERT_EQ(r.status, PERP_OK);
  EXPECT_NEAR(r.impulse[1], 4 * r.impulse[0], 1e-12);
}

// ẏ of three equal balls with equal linear springs and e = 1: modes of frequency 1 and √3 until the
// first spring opens, then the second alone with √2.
vec three_balls() {
  const double w = std::sqrt(3.0);
  const auto s1 = [&](double t) { return (std::sin(t) + std::sin(w * t) / w) / 2; };
  double a = 1.5, b = 3;
  for (int k = 0; k < 200; k++) (s1((a + b) / 2) > 0 ? a : b) = (a + b) / 2;
  const double s2 = (std::sin(a) - std::sin(w * a) / w) / 2;
  const double r1 = -(std::cos(a) + std::cos(w * a)) / 2;
  const double r2 = -(std::cos(a) - std::cos(w * a)) / 2;
  const double end = std::sqrt(r2 * r2 + 2 * s2 * s2);
  return {r1 - (end - r2) / 2, end};  // contact 2 pushes the middle ball by half of what ẏ_2 gains
}

TEST(MultipleImpact, ThreeEqualBallsWithLinearSpringsMatchTheirModes) {
  const outcome r = impact(row_of({1, 1, 1}), {-1, 0}, {1, 1});
  ASSERT_EQ(r.status, PERP_OK);
  EXPECT_LT(distance(r.after, three_balls()), 2e-11);
}

TEST(MultipleImpact, ExtremeStiffnessGivesImpactsOneAfterTheOther) {
  const double first_stiff[] = {1e6, 1}, second_stiff[] = {1, 1e6};
  for (double eta : {1.0, 1.5}) {
    options o = with(eta, PERP_STIFFNESS_BI, first_stiff);
    EXPECT_LT(distance(impact(row_of({1, 1, 1}), {-1, 0}, {1, 1}, &o).after, {0, 1}), 1e-5);
    // 1 on 2: v = (-1/3, 2/3, 0); 2 on 3: (-1/3, -2/9, 4/9).
    EXPECT_LT(distance(impact(row_of({1, 2, 4}), {-1, 0}, {1, 1}, &o).after, {1.0 / 9, 2.0 / 3}),
              1e-5);
    // 1 on 2: v = (0, 1/2, 0); 2 on 3: (0, 1/30, 7/30).
    EXPECT_LT(distance(impact(row_of({1, 2, 4}), {-1, 0}, {0.5, 0.4}, &o).after, {1.0 / 30, 0.2}),
              1e-5);
    o.stiffness = second_stiff;  // 2 and 3 act as one ball
    EXPECT_LT(distance(impact(row_of({1, 1, 1}), {-1, 0}, {1, 1}, &o).after, {1, 0}), 2e-4);
  }
}

// A block on two corners that does not slide: coordinates z and φ, ẏ = (ż − aφ̇, ż + aφ̇), mass
// (m, J + m h²) with half width a, half height h.
struct block {
  double a, h, m = 2;
  double inertia() const { return m * (a * a + h * h) / 3 + m * h * h; }
  vec W() const {
    const double p = 1 / m, q = a * a / inertia();
    return {p + q, p - q, p - q, p + q};
  }
};

TEST(MultipleImpact, SlenderRockingBlockKeepsHousnersPartOfItsRate) {
  const block b{0.5, 2};
  // It turns about corner 1 with φ̇ = −1 and lands on corner 2: ż = aφ̇.
  const outcome r = impact(b.W(), {0, -2 * b.a}, {0, 0});
  ASSERT_EQ(r.status, PERP_OK);
  EXPECT_EQ(r.impulse[0], 0);
  EXPECT_NEAR(r.after[1], 0, 1e-14);
  const double rate = (r.after[1] - r.after[0]) / (2 * b.a);
  const double angle = std::atan(b.a / b.h);
  EXPECT_NEAR(rate, -(1 - 1.5 * std::pow(std::sin(angle), 2)), 1e-12);
}

TEST(MultipleImpact, WideRockingBlockStrikesBackAtTheCornerItStoodOn) {
  const block b{2, 0.5};
  const vec W = b.W();
  ASSERT_LT(W[1], 0);
  for (double e : {0.0, 0.6, 1.0}) {
    const options o = with(1.5);
    const outcome r = impact(W, {0, -4}, {e, e}, &o);
    ASSERT_EQ(r.status, PERP_OK);
    EXPECT_GT(r.impulse[0], 0);
    EXPECT_NEAR(r.kinetic, -r.lost, 1e-14 * r.work);
    if (e == 1) {
      EXPECT_NEAR(r.kinetic, 0, 1e-14 * r.work);
    }
    if (e == 0) {
      EXPECT_LT(distance(r.after, {0, 0}), 1e-10);
    }
  }
}

// ---- other forms of the law ----

TEST(MultipleImpact, FollowsBallsAndSpringsThroughTime) {
  struct {
    vec mass, kappa, e;
    double eta;
    std::int32_t kind;
  } const cases[] = {
      {{1, 1, 1}, {1, 1}, {1, 1}, 1, PERP_STIFFNESS_MONO},
      {{1, 1, 1}, {1, 3}, {0.5, 0.8}, 1, PERP_STIFFNESS_BI},
      {{1, 1, 1}, {1, 3}, {0.5, 0.8}, 1, PERP_STIFFNESS_MONO},
      {{1, 2, 0.5}, {5, 1}, {0.9, 0.4}, 1.5, PERP_STIFFNESS_BI},
      {{1, 2, 0.5}, {5, 1}, {0.9, 0.4}, 1.5, PERP_STIFFNESS_MONO},
      {{1, 1, 1}, {1, 1}, {1, 1}, 1.5, PERP_STIFFNESS_BI},
      {{1, 1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, 1, PERP_STIFFNESS_BI},
      {{1, 1, 1, 1, 1}, {1, 1, 1, 1}, {0.7, 0.7, 0.7, 0.7}, 1.5, PERP_STIFFNESS_BI},
      {{1, 1, 1, 1, 1}, {1, 1, 1, 1}, {0.7, 0.7, 0.7, 0.7}, 1.5, PERP_STIFFNESS_MONO},
  };
  int k = 0;
  for (const auto &c : cases) {
    if (k++ % tools::each() != 0) continue;
    const options o = with(c.eta, c.kind, c.kappa.data());
    const vec v = first_moves(c.mass.size());
    const outcome r = impact(row_of(c.mass), rates(v), c.e, &o);
    ASSERT_EQ(r.status, PERP_OK);
    chain judge(c.mass, v, c.e, o);
    EXPECT_LT(distance(r.after, judge.run(2e-4)), 2e-4)
        << c.mass.size() << " balls, exponent " << c.eta << ", kind " << c.kind;
  }
}

TEST(MultipleImpact, ThePublishedFormConvergesToIt) {
  const vec W = row_of({1, 1, 1});
  const double kappa[] = {1, 2};
  for (double eta : {1.0, 1.5}) {
    const options o = with(eta, PERP_STIFFNESS_BI, kappa);
    const outcome r = impact(W, {-1, 0}, {0.8, 0.6}, &o);
    ASSERT_EQ(r.status, PERP_OK);
    const double coarse = distance(r.after, published(W, {-1, 0}, {0.8, 0.6}, o, 4e-5));
    const double fine = distance(r.after, published(W, {-1, 0}, {0.8, 0.6}, o, 1e-5));
    EXPECT_LT(fine, 2e-4) << eta;
    EXPECT_LT(fine, 0.6 * coarse) << eta;
  }
}

TEST(MultipleImpact, CradlesOfHertzBallsSendOffTheLastBallAlmostAlone) {
  // Three balls: -0.0710, 0.0764, 0.9946, the values of Hertzian chains in the literature.
  const options o = with(1.5);
  const outcome r = impact(row_of({1, 1, 1}), {-1, 0}, {1, 1}, &o);
  ASSERT_EQ(r.status, PERP_OK);
  EXPECT_NEAR(1 - r.impulse[0], -0.0710, 1e-4);
  EXPECT_NEAR(r.impulse[1], 0.9946, 1e-4);
}

TEST(MultipleImpact, ARowOfTenBallsLosesWhatItsSpringsDissipate) {
  const vec W = row_of(vec(10, 1.0)), before = rates(first_moves(10));
  for (double eta : {1.0, 1.5}) {
    for (std::int32_t kind : {PERP_STIFFNESS_MONO, PERP_STIFFNESS_BI}) {
      for (double e : {0.0, 0.1, 0.5, 0.9, 1.0}) {
        const options o = with(eta, kind);
        const outcome r = impact(W, before, vec(9, e), &o);
        ASSERT_EQ(r.status, PERP_OK) << eta << " " << kind << " " << e;
        EXPECT_NEAR(r.kinetic, -r.lost, 1e-14);
        EXPECT_LE(r.kinetic, e == 1 ? 1e-15 : 0);
        EXPECT_GE(*std::min_element(r.after.begin(), r.after.end()), -1e-14);
        if (e == 0) {
          EXPECT_LT(distance(r.after, vec(9, 0)), 1e-13);
        }
      }
    }
  }
}

// Balls that rest on one another fall on a floor, a ball without end.
chain column_on_floor(std::size_t n, double e, const options &o) {
  vec mass(n + 1, 1), v(n + 1, -1);
  mass[0] = inf;
  v[0] = 0;
  return {mass, v, vec(n, e), o};
}

vec column_matrix(std::size_t n) {
  vec W(n * n, 0);
  for (std::size_t i = 0; i < n; i++) W[i + n * i] = i == 0 ? 1 : 2;
  for (std::size_t i = 1; i < n; i++) W[i - 1 + n * i] = W[i + n * (i - 1)] = -1;
  return W;
}

TEST(MultipleImpact, ColumnsOnAFloorLeaveItAsSpringsThroughTimeDo) {
  struct {
    std::size_t n;
    double e;
    std::int32_t kind;
  } const cases[] = {
      {30, 0.9, PERP_STIFFNESS_BI}, {30, 0.9, PERP_STIFFNESS_MONO}, {50, 1, PERP_STIFFNESS_BI}};
  int k = 0;
  for (const auto &c : cases) {
    if (k++ % tools::each() != 0) continue;
    const options o = with(1, c.kind);
    vec before(c.n, 0);
    before[0] = -1;
    const outcome r = impact(column_matrix(c.n), before, vec(c.n, c.e), &o);
    ASSERT_EQ(r.status, PERP_OK);
    EXPECT_LT(distance(r.after, column_on_floor(c.n, c.e, o).run(2e-3)), 2e-2) << c.n;
    EXPECT_NEAR(r.kinetic, -r.lost, 1e-13 * static_cast<double>(c.n));
  }
}

// Infinitely many compressions: what is left of the energy bounds how fast the balls may end.
TEST(MultipleImpact, ColumnsThatDissipateComeToRestOnTheFloor) {
  struct {
    std::size_t n;
    double e;
    std::int32_t kind;
  } const cases[] = {
      {20, 0.5, PERP_STIFFNESS_BI}, {30, 0.5, PERP_STIFFNESS_MONO}, {50, 0.5, PERP_STIFFNESS_BI}};
  int of = 0;
  for (const auto &c : cases) {
    if (of++ % tools::each() != 0) continue;
    const options o = with(1, c.kind);
    const double n = static_cast<double>(c.n);
    vec before(c.n, 0);
    before[0] = -1;
    const outcome r = impact(column_matrix(c.n), before, vec(c.n, c.e), &o);
    ASSERT_EQ(r.status, PERP_OK) << c.n;
    chain judge = column_on_floor(c.n, c.e, o);
    for (auto &s : judge.springs) s.follow(0, 0, 0);
    judge.springs[0].follow(0, -1, 0);
    for (int k = 0; k < 200000 && judge.energy() > 1e-3; k++) judge.step(2e-2);
    const double fastest = std::sqrt(2 * judge.energy());
    ASSERT_LT(fastest, 5e-2) << c.n;
    for (std::size_t i = 0; i < c.n; i++) {
      const double v = -1 + r.impulse[i] - (i + 1 < c.n ? r.impulse[i + 1] : 0);
      EXPECT_LT(std::fabs(v), fastest) << c.n << " " << i;
      EXPECT_GE(r.after[i], -1e-13) << c.n << " " << i;
    }
    EXPECT_NEAR(r.impulse[0], n, 1e-7 * n) << c.n;
    EXPECT_NEAR(r.kinetic, -r.lost, 1e-13 * n) << c.n;
  }
}

// ---- what always holds ----

struct random_impact {
  vec mass, v, W, ydot, e, kappa;
  std::vector<vec> H;  // rows: contacts; columns: bodies x 3
  options o = perp_multiple_impact_options_default();

  // Contacts between bodies in space along random normals: each row of H sums to 0 by direction.
  explicit random_impact(std::mt19937_64 &random) {
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> part(0, 1);
    const std::size_t m = 1 + random() % 5, bodies = m + 1;
    for (std::size_t i = 0; i < bodies; i++) mass.push_back(std::exp(normal(random)));
    for (std::size_t i = 0; i < 3 * bodies; i++) v.push_back(normal(random));
    for (std::size_t k = 0; k < m; k++) {
      if (k > 0 && part(random) < 0.15) {  // the same contact twice
        H.push_back(H[0]);
      } else {
        vec row(3 * bodies, 0), n = {normal(random), normal(random), normal(random)};
        const double length = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        const std::size_t a = k + 1, b = random() % (k + 1);  // a tree of bodies
        for (std::size_t i = 0; i < 3; i++) {
          row[3 * a + i] = n[i] / length;
          row[3 * b + i] = -n[i] / length;
        }
        H.push_back(row);
      }
      const double kind = part(random);
      e.push_back(kind < 0.1 ? 0 : kind < 0.3 ? 1 : 0.1 + 0.9 * part(random));
      kappa.push_back(std::exp(normal(random)));
    }
    W.assign(m * m, 0);
    ydot.assign(m, 0);
    for (std::size_t i = 0; i < m; i++) {
      for (std::size_t c = 0; c < v.size(); c++) ydot[i] += H[i][c] * v[c];
      for (std::size_t j = 0; j <= i; j++) {
        for (std::size_t c = 0; c < v.size(); c++) W[i + m * j] += H[i][c] * H[j][c] / mass[c / 3];
        W[j + m * i] = W[i + m * j];
      }
    }
    o.exponent = random() % 3 == 0 ? 1 : random() % 2 == 0 ? 1.5 : 0.6 + 1.5 * part(random);
    o.compliance = static_cast<std::int32_t>(random() % 2);
  }
};

TEST(MultipleImpact, RandomImpactsNeverGainEnergyAndKeepMomentum) {
  std::mt19937_64 random(11);
  for (int trial = 0; trial < 1000; trial += tools::each()) {
    random_impact p(random);
    p.o.stiffness = p.kappa.data();
    const outcome r = impact(p.W, p.ydot, p.e, &p.o);
    ASSERT_EQ(r.status, PERP_OK) << trial;
    const double V = std::max(1.0, distance(p.ydot, vec(p.ydot.size(), 0)));
    EXPECT_NEAR(r.kinetic, -r.lost, 1e-14 * r.work) << trial;
    EXPECT_LE(r.kinetic, 1e-15 * r.work) << trial;
    for (std::size_t i = 0; i < p.ydot.size(); i++) {
      EXPECT_GE(r.impulse[i], 0) << trial;
      EXPECT_GE(r.energy[i], 0) << trial;
      EXPECT_GE(r.after[i], -1e-13 * V) << trial;
    }
    vec after = p.v;
    for (std::size_t i = 0; i < p.H.size(); i++)
      for (std::size_t c = 0; c < after.size(); c++)
        after[c] += p.H[i][c] * r.impulse[i] / p.mass[c / 3];
    for (std::size_t d = 0; d < 3; d++) {
      double change = 0, scale = 0;
      for (std::size_t b = 0; b < p.mass.size(); b++) {
        change += p.mass[b] * (after[3 * b + d] - p.v[3 * b + d]);
        scale += p.mass[b] * (std::fabs(after[3 * b + d]) + std::fabs(p.v[3 * b + d]));
      }
      EXPECT_NEAR(change, 0, 1e-14 * scale) << trial;
    }
  }
}

TEST(MultipleImpact, OnlyRatiosOfStiffnessAndUnitsCount) {
  std::mt19937_64 random(12);
  for (int trial = 0; trial < 50; trial += tools::each()) {
    random_impact p(random);
    p.o.stiffness = p.kappa.data();
    const outcome r = impact(p.W, p.ydot, p.e, &p.o);
    vec kappa = p.kappa, W = p.W, ydot = p.ydot;
    for (double &k : kappa) k *= 3.7e9;
    for (double &w : W) w *= 1e-6;    // masses
    for (double &y : ydot) y *= 1e4;  // velocities
    p.o.stiffness = kappa.data();
    const outcome s = impact(W, ydot, p.e, &p.o);
    for (double &y : ydot) y *= 1e-4;
    for (std::size_t i = 0; i < ydot.size(); i++)
      EXPECT_NEAR(s.impulse[i] * 1e-10, r.impulse[i], 1e-9 * (1 + r.impulse[i])) << trial;
  }
}

TEST(MultipleImpact, TheOrderOfContactsDoesNotMatter) {
  const double kappa[] = {1, 3, 2}, back[] = {2, 3, 1};
  options o = with(1.5, PERP_STIFFNESS_MONO, kappa);
  const vec a = impact(row_of({1, 2, 3, 4}), {-1, 0, -0.5}, {0.5, 0.6, 0.7}, &o).impulse;
  o.stiffness = back;
  vec b = impact(row_of({4, 3, 2, 1}), {-0.5, 0, -1}, {0.7, 0.6, 0.5}, &o).impulse;
  std::reverse(b.begin(), b.end());
  EXPECT_LT(distance(a, b), 1e-10);
}

TEST(MultipleImpact, EqualEnergiesStayEqual) {
  // Balls 1 and 3 strike ball 2 from both sides, at the same speed.
  for (double e : {0.0, 0.4, 1.0}) {
    const outcome r = impact(row_of({1, 1, 1}), {-1, -1}, {e, e});
    ASSERT_EQ(r.status, PERP_OK);
    EXPECT_NEAR(r.impulse[0], 1 + e, 1e-11);
    EXPECT_NEAR(r.impulse[1], r.impulse[0], 1e-13);
  }
}

// ---- convergence ----

double order(double eta, double step) {
  const vec W = row_of({1, 1, 1});
  options o = with(eta, PERP_STIFFNESS_BI);
  o.tol = 1e-14;
  o.step = 0.01;
  const vec exact = impact(W, {-1, 0}, {0.7, 0.7}, &o).after;
  double error[2];
  o.tol = 1;
  for (int k = 0; k < 2; k++) {
    o.step = k == 0 ? step : step / 4;
    error[k] = distance(impact(W, {-1, 0}, {0.7, 0.7}, &o).after, exact);
  }
  return std::log(error[0] / error[1]) / std::log(4);
}

TEST(MultipleImpact, ConvergesWithTheStepAtOrderFiveForLinearSprings) {
  EXPECT_GT(order(1, 0.2), 4.5);
  EXPECT_GT(order(1.5, 0.2), 2.3);
}

TEST(MultipleImpact, ConvergesWithTheTolerance) {
  const vec W = row_of({1, 1, 1});
  for (double eta : {1.0, 1.5}) {
    options o = with(eta);
    o.tol = 1e-14;
    const vec exact = impact(W, {-1, 0}, {0.7, 0.7}, &o).after;
    for (double tol : {1e-6, 1e-8, 1e-10, 1e-12}) {
      o.tol = tol;
      EXPECT_LT(distance(impact(W, {-1, 0}, {0.7, 0.7}, &o).after, exact), 60 * tol) << eta;
    }
  }
}

// ---- edges ----

TEST(MultipleImpact, NothingHappensWhereNothingApproaches) {
  EXPECT_EQ(perp_multiple_impact(0, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                 vec(8).data(), 64, nullptr),
            PERP_OK);
  const outcome r = impact(row_of({1, 1, 1}), {0, 0.5}, {0.5, 0.5});
  ASSERT_EQ(r.status, PERP_OK);
  EXPECT_EQ(r.impulse, vec({0, 0}));
  EXPECT_EQ(r.energy, vec({0, 0}));
  EXPECT_EQ(r.info.iterations, 0);
}

TEST(MultipleImpact, AContactThatIsOnlyPulledApartTakesNothing) {
  // Positive coupling: pushing at contact 1 opens contact 2.
  const outcome r = impact({2, 1, 1, 2}, {-1, 0}, {0.5, 0.5});
  ASSERT_EQ(r.status, PERP_OK);
  EXPECT_EQ(r.impulse[1], 0);
  EXPECT_NEAR(r.after[0], 0.5, 1e-12);
}

TEST(MultipleImpact, AContactThatSeparatesIsOvertaken) {
  // Contact 2 opens at first, and closes when ball 2 has been driven.
  const outcome r = impact(row_of({5, 1, 1}), {-1, 0.5}, {1, 1});
  ASSERT_EQ(r.status, PERP_OK);
  EXPECT_GT(r.impulse[1], 0);
  EXPECT_NEAR(r.kinetic, 0, 1e-14);
}

TEST(MultipleImpact, ContactsThatNothingCouplesAreSolvedAlone) {
  // Three balls and, apart from them, a pair; and a row of zeros that does not approach.
  const vec three = row_of({1, 1, 1});
  const vec W = {three[0], three[1], 0, 0, three[2], three[3], 0, 0, 0, 0, 4, 0, 0, 0, 0, 0};
  const outcome r = impact(W, {-1, 0, -2, 0}, {1, 1, 0.25, 0.5});
  ASSERT_EQ(r.status, PERP_OK);
  EXPECT_LT(distance({r.after[0], r.after[1]}, three_balls()), 2e-11);
  EXPECT_EQ(r.after[2], 0.5);
  EXPECT_EQ(r.impulse[3], 0);
}

TEST(MultipleImpact, RoundingOfWAndOfRestingContactsIsNotRefused) {
  // Contact 3 cannot move: its row is what is left of an elimination.
  const vec W = {2, -1, 1e-17, -1, 2, -3e-17, 2e-17, 0, -1e-18};
  const outcome r = impact(W, {-1, 0, -1e-16}, {1, 1, 1});
  ASSERT_EQ(r.status, PERP_OK);
  EXPECT_EQ(r.impulse[2], 0);
  EXPECT_LT(distance({r.after[0], r.after[1]}, three_balls()), 2e-11);
}

TEST(MultipleImpact, ABodyThatBouncesBetweenTwoWallsForeverEndsAtTheLimit) {
  options o = with(1);
  o.max_steps = 5000;
  const outcome r = impact({1, -1, -1, 1}, {-1, 1}, {1, 1}, &o);
  EXPECT_EQ(r.status, PERP_MAX_ITER);
  EXPECT_GE(r.info.iterations, 5000);
  const outcome s = impact({1, -1, -1, 1}, {-1, 1}, {0.5, 0.5});
  EXPECT_EQ(s.status, PERP_OK);
  EXPECT_LT(distance(s.after, {0, 0}), 1e-10);
}

// ---- refusals ----

std::string refused(const vec &W, const vec &ydot, const vec &e, const options *o,
                    perp_status status = PERP_EINVAL) {
  const outcome r = impact(W, ydot, e, o);
  EXPECT_EQ(r.status, status);
  return r.info.field != nullptr ? r.info.field : "";
}

TEST(MultipleImpact, RefusesWhatItCannotUseAndNamesIt) {
  const vec W = row_of({1, 1, 1}), y = {-1, 0}, e = {1, 1};
  EXPECT_EQ(refused({2, -1, -1, nan}, y, e, nullptr, PERP_ENOTFINITE), "W");
  EXPECT_EQ(refused(W, {-1, inf}, e, nullptr, PERP_ENOTFINITE), "ydot");
  EXPECT_EQ(refused(W, y, {1, nan}, nullptr, PERP_ENOTFINITE), "e");
  EXPECT_EQ(refused(W, y, {1, 1.1}, nullptr), "e");
  EXPECT_EQ(refused(W, y, {-0.1, 1}, nullptr), "e");
  EXPECT_EQ(refused({2, -1, -0.5, 2}, y, e, nullptr), "W");  // not symmetric
  EXPECT_EQ(refused({2, -3, -3, 2}, y, e, nullptr), "W");    // not semidefinite
  EXPECT_EQ(refused({-2, 0, 0, 2}, y, e, nullptr), "W");
  EXPECT_EQ(refused({0, 0, 0, 2}, y, e, nullptr), "W");  // approaches, and nothing can stop it
  const auto bad = [&](auto &&set) {
    options o = perp_multiple_impact_options_default();
    set(o);
    return refused(W, y, e, &o);
  };
  EXPECT_EQ(bad([](options &o) { o.struct_size = 0; }), "struct_size");
  EXPECT_EQ(bad([](options &o) { o.compliance = 2; }), "compliance");
  for (double x : {0.0, -1.0, 17.0, nan}) {
    EXPECT_EQ(bad([x](options &o) { o.exponent = x; }), "exponent");
    EXPECT_EQ(bad([x](options &o) { o.step = x; }), "step");
    EXPECT_EQ(bad([x](options &o) { o.tol = x; }), "tol");
  }
  EXPECT_EQ(bad([](options &o) { o.max_steps = 0; }), "max_steps");
  EXPECT_EQ(bad([](options &o) { o.reserved = 1; }), "reserved");
  const double zero[] = {1, 0}, wide[] = {1, 1e-80}, no[] = {nan, 1};
  EXPECT_EQ(bad([&](options &o) { o.stiffness = zero; }), "stiffness");
  EXPECT_EQ(bad([&](options &o) { o.stiffness = wide; }), "stiffness");
  options o = with(1, PERP_STIFFNESS_BI, no);
  EXPECT_EQ(refused(W, y, e, &o, PERP_ENOTFINITE), "stiffness");
}

TEST(MultipleImpact, RefusesNullAndTooLittleMemory) {
  const vec W = row_of({1, 1, 1}), y = {-1, 0}, e = {1, 1};
  vec P(2), work(1000);
  const std::size_t bytes = perp_multiple_impact_workspace(2);
  ASSERT_LE(bytes, 8 * work.size());
  EXPECT_EQ(perp_multiple_impact_workspace(-1), 0U);
  const auto call = [&](std::int32_t m, const double *W_, const double *y_, const double *e_,
                        double *P_, std::size_t size) {
    perp_info info = PERP_INFO_INIT;
    const perp_status s =
        perp_multiple_impact(m, W_, y_, e_, nullptr, P_, nullptr, work.data(), size, &info);
    return std::string(s == PERP_OK ? "ok" : info.field);
  };
  EXPECT_EQ(call(2, W.data(), y.data(), e.data(), P.data(), bytes), "ok");
  EXPECT_EQ(call(-1, W.data(), y.data(), e.data(), P.data(), bytes), "m");
  EXPECT_EQ(call(2, nullptr, y.data(), e.data(), P.data(), bytes), "W");
  EXPECT_EQ(call(2, W.data(), nullptr, e.data(), P.data(), bytes), "ydot");
  EXPECT_EQ(call(2, W.data(), y.data(), nullptr, P.data(), bytes), "e");
  EXPECT_EQ(call(2, W.data(), y.data(), e.data(), nullptr, bytes), "impulse");
  EXPECT_EQ(call(2, W.data(), y.data(), e.data(), P.data(), bytes - 8), "work_bytes");
}

}  // namespace
