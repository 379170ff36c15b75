// SPDX-License-Identifier: MIT
// Judged by closed forms and by the conditions of both phases, recomputed.
#include <gtest/gtest.h>
#include <perp/pivoting.h>
#include <perp/poisson_impact.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace {

using vec = std::vector<double>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct outcome {
  perp_status status = PERP_EINVAL;
  vec impulse, compression, after;
  perp_info info = PERP_INFO_INIT;
  double kinetic = 0, work = 0;  // change of the kinetic energy, scale of its rounding
};

vec rates(const vec &W, const vec &ydot, const vec &P) {
  vec y = ydot;
  for (std::size_t j = 0; j < P.size(); j++)
    for (std::size_t i = 0; i < P.size(); i++) y[i] += W[i + P.size() * j] * P[j];
  return y;
}

outcome impact(const vec &W, const vec &ydot, const vec &e,
               const perp_solver *solver = perp_solver_lemke()) {
  const auto m = static_cast<std::int32_t>(ydot.size());
  const std::size_t bytes = perp_poisson_impact_workspace(solver, m, nullptr);
  std::vector<unsigned char> work(bytes + 9, 0xA5);
  outcome r;
  r.impulse.assign(ydot.size(), nan);
  r.compression.assign(ydot.size(), nan);
  r.status =
      perp_poisson_impact(solver, m, W.data(), ydot.data(), e.data(), nullptr, r.impulse.data(),
                          r.compression.data(), work.data() + 1, bytes, &r.info);
  for (std::size_t i = 0; i < 8; i++) EXPECT_EQ(work[bytes + 1 + i], 0xA5);
  if (r.status != PERP_OK) return r;
  r.after = rates(W, ydot, r.impulse);
  for (std::size_t i = 0; i < ydot.size(); i++) {
    r.kinetic += r.impulse[i] * (ydot[i] + r.after[i]) / 2;
    r.work += r.impulse[i] * (std::fabs(ydot[i]) + std::fabs(r.after[i]));
  }
  return r;
}

void expect_near(const vec &a, const vec &b, double tol) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); i++) EXPECT_NEAR(a[i], b[i], tol) << i;
}

const vec three = {2, -1, -1, 2};  // three equal balls in a row

TEST(PoissonImpact, OneContactObeysNewton) {
  for (double e : {0.0, 0.3, 1.0}) {
    const outcome r = impact({0.5}, {-2}, {e});
    ASSERT_EQ(r.status, PERP_OK);
    EXPECT_NEAR(r.compression[0], 4, 1e-15);
    EXPECT_NEAR(r.after[0], 2 * e, 1e-15);
  }
}

TEST(PoissonImpact, EqualCoefficientsOfARowGiveNewtonsVelocities) {
  const outcome r = impact(three, {-1, 0}, {0.5, 0.5});
  ASSERT_EQ(r.status, PERP_OK);
  expect_near(r.compression, {2.0 / 3, 1.0 / 3}, 1e-15);
  expect_near(r.after, {0.5, 0}, 1e-15);
}

TEST(PoissonImpact, AContactThatWouldBePenetratedTakesMore) {
  // P_e = (2/3, 0) alone would leave ẏ = (4/3, −2/3); contact 2 takes 1/3.
  const outcome r = impact(three, {-1, 0}, {1, 0});
  ASSERT_EQ(r.status, PERP_OK);
  expect_near(r.impulse, {4.0 / 3, 2.0 / 3}, 1e-15);
  expect_near(r.after, {1, 0}, 1e-15);
}

TEST(PoissonImpact, LosesEnergyWhereNewtonsLawGainsSome) {
  // Newton's ẏ⁺ = (1, 0) with P = (7/6, 1/3) gains 1/12.
  const outcome r = impact(three, {-1, 0.5}, {1, 0});
  ASSERT_EQ(r.status, PERP_OK);
  expect_near(r.impulse, {1, 0.25}, 1e-15);
  EXPECT_NEAR(r.kinetic, -1.0 / 16, 1e-15);
}

TEST(PoissonImpact, RandomImpactsMeetBothProblemsAndNeverGainEnergy) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> part(0, 1);
  for (int trial = 0; trial < 2000; trial++) {
    const std::size_t m = 1 + random() % 6, n = m + random() % 3;
    const bool twice = m > 1 && random() % 5 == 0;  // one contact twice
    vec H(m * n), v(n), W(m * m, 0), ydot(m, 0), e(m);
    for (double &x : H) x = normal(random);
    for (double &x : v) x = normal(random);
    for (std::size_t c = 0; c < n && twice; c++) H[m - 1 + m * c] = H[m * c];
    for (double &x : e) x = random() % 4 == 0 ? static_cast<double>(random() % 2) : part(random);
    for (std::size_t i = 0; i < m; i++) {
      for (std::size_t c = 0; c < n; c++) ydot[i] += H[i + m * c] * v[c];
      for (std::size_t j = 0; j <= i; j++) {
        for (std::size_t c = 0; c < n; c++) W[i + m * j] += H[i + m * c] * H[j + m * c];
        W[j + m * i] = W[i + m * j];
      }
    }
    const perp_solver *solver = trial % 2 ? perp_solver_lemke() : perp_solver_active_set();
    const outcome r = impact(W, ydot, e, solver);
    ASSERT_EQ(r.status, PERP_OK) << trial;
    EXPECT_LE(r.kinetic, 1e-9 * r.work) << trial;
    const vec between = rates(W, ydot, r.compression);
    for (std::size_t i = 0; i < m; i++) {
      const double more = r.impulse[i] - (1 + e[i]) * r.compression[i];
      EXPECT_GE(r.compression[i], 0) << trial;
      EXPECT_GE(more, -1e-12 * (1 + r.impulse[i])) << trial;
      EXPECT_GE(between[i], -1e-8) << trial;
      EXPECT_GE(r.after[i], -1e-8) << trial;
      EXPECT_NEAR(between[i] * r.compression[i], 0, 1e-8 * (1 + r.compression[i])) << trial;
      EXPECT_NEAR(r.after[i] * more, 0, 1e-8 * (1 + r.impulse[i])) << trial;
    }
  }
}

TEST(PoissonImpact, NothingHappensWhereNothingApproaches) {
  const outcome r = impact(three, {0, 1}, {1, 1});
  ASSERT_EQ(r.status, PERP_OK);
  EXPECT_EQ(r.impulse, vec({0, 0}));
  const outcome none = impact({}, {}, {});
  EXPECT_EQ(none.status, PERP_OK);
}

TEST(PoissonImpact, AnImpossibleImpactIsNotSolved) {
  const outcome r = impact({1, -1, -1, 1}, {-1, -1}, {1, 1});  // ẏ₁ + ẏ₂ never changes
  EXPECT_GT(r.status, 0);
  EXPECT_TRUE(std::isnan(r.impulse[0]));
}

TEST(PoissonImpact, RefusesWhatItCannotUseAndNamesIt) {
  const vec y = {-1, 0}, e = {1, 1};
  vec P(2), work(4000);
  const auto call = [&](const perp_solver *solver, std::int32_t m, const double *W_,
                        const double *y_, const double *e_, double *P_, std::size_t size) {
    perp_info info = PERP_INFO_INIT;
    const perp_status s =
        perp_poisson_impact(solver, m, W_, y_, e_, nullptr, P_, nullptr, work.data(), size, &info);
    return std::string(s == PERP_OK ? "ok" : info.field);
  };
  const perp_solver *solver = perp_solver_lemke();
  const std::size_t bytes = perp_poisson_impact_workspace(solver, 2, nullptr);
  ASSERT_LE(bytes, 8 * work.size());
  EXPECT_EQ(perp_poisson_impact_workspace(solver, -1, nullptr), 0U);
  const double *W = three.data();
  EXPECT_EQ(call(solver, 2, W, y.data(), e.data(), P.data(), bytes), "ok");
  EXPECT_EQ(call(nullptr, 2, W, y.data(), e.data(), P.data(), bytes), "solver");
  EXPECT_EQ(call(solver, -1, W, y.data(), e.data(), P.data(), bytes), "m");
  EXPECT_EQ(call(solver, 2, nullptr, y.data(), e.data(), P.data(), bytes), "W");
  EXPECT_EQ(call(solver, 2, W, nullptr, e.data(), P.data(), bytes), "ydot");
  EXPECT_EQ(call(solver, 2, W, y.data(), nullptr, P.data(), bytes), "e");
  EXPECT_EQ(call(solver, 2, W, y.data(), e.data(), nullptr, bytes), "impulse");
  EXPECT_EQ(call(solver, 2, W, y.data(), e.data(), P.data(), bytes - 8), "work_bytes");
  for (double x : {-0.1, 1.1, nan}) {
    const vec bad = {1, x};
    EXPECT_EQ(call(solver, 2, W, y.data(), bad.data(), P.data(), bytes), "e");
  }
  const vec bad_W = {2, -1, nan, 2}, bad_y = {-1, nan};
  EXPECT_EQ(call(solver, 2, bad_W.data(), y.data(), e.data(), P.data(), bytes), "W");
  EXPECT_EQ(call(solver, 2, W, bad_y.data(), e.data(), P.data(), bytes), "ydot");
}

}  // namespace
