// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <perp/perp.h>

#include <cmath>
#include <limits>

#include "model_tools.hpp"
#include "relation_tools.hpp"

namespace {

using tools::evaluate;
using tools::expect_near;
using tools::relation_at;
using vec = std::vector<double>;

const double nan = std::numeric_limits<double>::quiet_NaN();
const double inf = std::numeric_limits<double>::infinity();

// y = (x0 x1 + λ0² + t z0, sin x2 + λ0 λ1),
// r = (λ0 x0, exp(λ1) + x1 x2, t λ0 λ1); all written out by hand below.
std::int32_t h(double t, const double *x, const double *l, const double *z, double *y, void *) {
  y[0] = x[0] * x[1] + l[0] * l[0] + t * z[0];
  y[1] = std::sin(x[2]) + l[0] * l[1];
  return 0;
}
std::int32_t g(double t, const double *x, const double *l, const double *, double *r, void *) {
  r[0] = l[0] * x[0];
  r[1] = std::exp(l[1]) + x[1] * x[2];
  r[2] = t * l[0] * l[1];
  return 0;
}
// Only nonzeros are written.
std::int32_t h_dx(double, const double *x, const double *, const double *, double *C, void *) {
  C[0] = x[1];
  C[2] = x[0];
  C[5] = std::cos(x[2]);
  return 0;
}
std::int32_t h_dl(double, const double *, const double *l, const double *, double *D, void *) {
  D[0] = 2 * l[0];
  D[1] = l[1];
  D[3] = l[0];
  return 0;
}
std::int32_t g_dl(double t, const double *x, const double *l, const double *, double *B, void *) {
  B[0] = x[0];
  B[2] = t * l[1];
  B[4] = std::exp(l[1]);
  B[5] = t * l[0];
  return 0;
}
std::int32_t g_dx(double, const double *x, const double *l, const double *, double *K, void *) {
  K[0] = l[0];
  K[4] = x[2];
  K[7] = x[1];
  return 0;
}

const double z0[] = {0.5};

relation_at point() {
  relation_at at;
  at.t = 2;
  at.v = {1.5, -2, 0.25};
  at.lambda = {3, 0.5};
  at.before = {9, 9};
  return at;
}

perp_first_order_relation general() {
  perp_first_order_relation r;
  EXPECT_EQ(perp_first_order_relation_init(&r, sizeof r, 2, 3), PERP_OK);
  r.h = h;
  r.g = g;
  r.z = z0;
  r.n_z = 1;
  return r;
}

void expect_general(const tools::relation_values &v, double tol) {
  const double e = std::exp(0.5);
  expect_near(v.y, {-3 + 9 + 1, std::sin(0.25) + 1.5}, 1e-14);
  expect_near(v.r, {4.5, e - 0.5, 3}, 1e-14);
  expect_near(v.H, {-2, 0, 1.5, 0, 0, std::cos(0.25)}, tol);
  expect_near(v.D, {6, 0.5, 0, 3}, tol);
  expect_near(v.B, {1.5, 0, 1, 0, e, 6}, tol);
  expect_near(v.K, {3, 0, 0, 0, 0.25, 0, 0, -2, 0}, tol);
}

TEST(FirstOrderRelation, GivesTheUsersFunctionsAndJacobians) {
  perp_first_order_relation r = general();
  r.C = h_dx;
  r.D = h_dl;
  r.B = g_dl;
  r.K = g_dx;
  const auto v = evaluate(r.relation, point());
  EXPECT_EQ(v.code, 0);
  expect_general(v, 1e-15);
}

TEST(FirstOrderRelation, FormsMissingJacobiansByDifferences) {
  perp_first_order_relation r = general();
  auto v = evaluate(r.relation, point());
  EXPECT_EQ(v.code, 0);
  expect_general(v, 3e-7);
  const double x[] = {1, 4, 2}, l[] = {5, 1};
  r.typical_x = x;
  r.typical_lambda = l;
  v = evaluate(r.relation, point());
  expect_general(v, 1e-6);
}

TEST(FirstOrderRelation, DifferencesScaleWithTheUnknowns) {
  // y = (x/1e-9)²: the step must be small against 1e-9
  perp_first_order_relation r;
  ASSERT_EQ(perp_first_order_type1_init(&r, sizeof r, 1, 1), PERP_OK);
  r.h = [](double, const double *x, const double *, const double *, double *y, void *) {
    y[0] = x[0] * x[0] * 1e18;
    return 0;
  };
  const double typical[] = {1e-9};
  relation_at at;
  at.v = {3e-9};
  at.lambda = at.before = {0};
  r.typical_x = typical;
  EXPECT_NEAR(evaluate(r.relation, at).H[0] / 6e9, 1, 1e-6);
}

TEST(FirstOrderRelation, FeaturesFollowWhatTheFunctionsRead) {
  perp_first_order_relation r = general();
  EXPECT_EQ(r.relation.ops->order, 1);
  EXPECT_EQ(r.relation.ops->features(&r.relation),
            static_cast<std::uint32_t>(PERP_RELATION_D | PERP_RELATION_K));
  r.g = nullptr;
  EXPECT_EQ(r.relation.ops->features(&r.relation), static_cast<std::uint32_t>(PERP_RELATION_D));
  ASSERT_EQ(perp_first_order_type1_init(&r, sizeof r, 2, 3), PERP_OK);
  r.g = g;
  EXPECT_EQ(r.relation.ops->features(&r.relation), 0u);
  ASSERT_EQ(perp_first_order_type2_init(&r, sizeof r, 2, 3), PERP_OK);
  r.g = g;
  EXPECT_EQ(r.relation.ops->features(&r.relation), static_cast<std::uint32_t>(PERP_RELATION_D));
}

TEST(FirstOrderRelation, TypeTwoHasNoJacobianOfTheReactionByTheState) {
  perp_first_order_relation r;
  ASSERT_EQ(perp_first_order_type2_init(&r, sizeof r, 2, 3), PERP_OK);
  r.h = h;
  r.z = z0;
  r.n_z = 1;
  r.g = [](double, const double *, const double *l, const double *, double *out, void *) {
    out[0] = l[0] * l[1];
    return 0;
  };
  const auto v = evaluate(r.relation, point());
  expect_near(v.r, {1.5, 0, 0}, 1e-15);
  expect_near(v.B, {0.5, 0, 0, 3, 0, 0}, 1e-6);
  expect_near(v.D, {6, 0.5, 0, 3}, 1e-6);
  expect_near(v.K, vec(9, 0.0), 0);
}

TEST(FirstOrderRelation, AnObservedOutputHasNoReaction) {
  perp_first_order_relation r = general();
  r.g = nullptr;
  const auto v = evaluate(r.relation, point());
  EXPECT_EQ(v.code, 0);
  expect_near(v.r, vec(3, 0.0), 0);
  expect_near(v.B, vec(6, 0.0), 0);
}

TEST(FirstOrderRelation, HandsOnWhatCallbacksAnswer) {
  const perp_relation_fn answers = [](double, const double *, const double *, const double *,
                                      double *,
                                      void *user) { return *static_cast<std::int32_t *>(user); };
  for (std::int32_t code : {7, -3}) {
    for (int which = 0; which < 6; which++) {
      perp_first_order_relation r = general();
      r.h = [](double, const double *, const double *, const double *, double *, void *) {
        return 0;
      };
      r.g = r.h;
      r.user = &code;
      perp_relation_fn *fields[] = {&r.h, &r.g, &r.C, &r.D, &r.B, &r.K};
      *fields[which] = answers;
      EXPECT_EQ(evaluate(r.relation, point()).code, code) << which;
    }
  }
}

TEST(FirstOrderRelation, DifferencesUseTheOtherSideWhereOneIsRefused) {
  perp_first_order_relation r;
  ASSERT_EQ(perp_first_order_type1_init(&r, sizeof r, 1, 1), PERP_OK);
  relation_at at;
  at.lambda = at.before = {0};
  for (double side : {1.0, -1.0}) {
    r.user = &side;
    r.h = [](double, const double *x, const double *, const double *, double *y, void *user) {
      const double s = *static_cast<double *>(user);
      if (s * (x[0] - s) > 0) return 1;
      y[0] = x[0] * x[0];
      return 0;
    };
    at.v = {side};
    const auto v = evaluate(r.relation, at);
    EXPECT_EQ(v.code, 0);
    EXPECT_NEAR(v.H[0], 2 * side, 1e-4);
    r.h = [](double, const double *x, const double *, const double *, double *y, void *user) {
      const double s = *static_cast<double *>(user);
      y[0] = s * (x[0] - s) > 0 ? std::numeric_limits<double>::quiet_NaN() : x[0] * x[0];
      return 0;
    };
    EXPECT_NEAR(evaluate(r.relation, at).H[0], 2 * side, 1e-4);
  }
}

perp_status check(const perp_relation &r, perp_info *info) { return r.ops->check(&r, info); }

TEST(FirstOrderRelation, CheckNamesTheField) {
  perp_info info = PERP_INFO_INIT;
  perp_first_order_relation r = general();
  EXPECT_EQ(check(r.relation, &info), PERP_OK);
  r.h = nullptr;
  EXPECT_EQ(check(r.relation, &info), PERP_EINVAL);
  EXPECT_STREQ(info.field, "h");
  EXPECT_EQ(check(r.relation, nullptr), PERP_EINVAL);
  r = general();
  r.reads = 0;
  r.D = h_dl;
  EXPECT_EQ(check(r.relation, &info), PERP_EINVAL);
  EXPECT_STREQ(info.field, "D");
  r = general();
  r.reads = PERP_OUTPUT_READS_LAMBDA;
  r.K = g_dx;
  EXPECT_EQ(check(r.relation, &info), PERP_EINVAL);
  EXPECT_STREQ(info.field, "K");
  r = general();
  r.g = nullptr;
  r.B = g_dl;
  EXPECT_EQ(check(r.relation, &info), PERP_EINVAL);
  EXPECT_STREQ(info.field, "g");
  r = general();
  r.reads = 4;
  EXPECT_EQ(check(r.relation, &info), PERP_EINVAL);
  EXPECT_STREQ(info.field, "reads");
  r = general();
  r.n_z = -1;
  EXPECT_EQ(check(r.relation, &info), PERP_EINVAL);
  EXPECT_STREQ(info.field, "n_z");
  r = general();
  r.z = nullptr;
  EXPECT_EQ(check(r.relation, &info), PERP_EINVAL);
  EXPECT_STREQ(info.field, "z");
  for (double bad : {nan, inf, 0.0, -1.0}) {
    const double typical[] = {1, bad, 1};
    r = general();
    r.typical_x = typical;
    const perp_status status = std::isfinite(bad) ? PERP_EINVAL : PERP_ENOTFINITE;
    EXPECT_EQ(check(r.relation, &info), status);
    EXPECT_STREQ(info.field, "typical_x");
    r = general();
    r.typical_lambda = typical;
    EXPECT_EQ(check(r.relation, &info), status);
    EXPECT_STREQ(info.field, "typical_lambda");
  }
  r = general();
  r.z = &nan;
  EXPECT_EQ(check(r.relation, &info), PERP_ENOTFINITE);
  EXPECT_STREQ(info.field, "z");
  r = general();
  r.relation.n = 50000;
  EXPECT_EQ(check(r.relation, &info), PERP_EUNSUPPORTED);
  EXPECT_STREQ(info.field, "relation.n");
}

TEST(FirstOrderRelation, InitRefusesWrongSizes) {
  perp_first_order_relation r;
  for (auto init :
       {perp_first_order_relation_init, perp_first_order_type1_init, perp_first_order_type2_init}) {
    EXPECT_EQ(init(nullptr, sizeof r, 1, 1), PERP_EINVAL);
    EXPECT_EQ(init(&r, sizeof r - 1, 1, 1), PERP_EINVAL);
    EXPECT_EQ(init(&r, sizeof r, 0, 1), PERP_EINVAL);
    EXPECT_EQ(init(&r, sizeof r, 1, -1), PERP_EINVAL);
  }
  perp_linear_varying_relation l;
  EXPECT_EQ(perp_linear_varying_relation_init(nullptr, sizeof l, 1, 1), PERP_EINVAL);
  EXPECT_EQ(perp_linear_varying_relation_init(&l, 3, 1, 1), PERP_EINVAL);
  EXPECT_EQ(perp_linear_varying_relation_init(&l, sizeof l, 0, 1), PERP_EINVAL);
  EXPECT_EQ(perp_linear_varying_relation_init(&l, sizeof l, 1, 0), PERP_EINVAL);
}

// y = C x + D λ + F z + e, r = B λ + a with m = 2, n = 1, n_z = 2, all coefficients times t + 1.
const double C0[] = {1, 2}, D0[] = {3, 4, 5, 6}, B0[] = {7, 8}, F0[] = {9, 10, 11, 12};
const double e0[] = {13, 14}, a0[] = {15}, z2[] = {-1, 2};

template <int count>
std::int32_t scaled(double t, double *out, void *user) {
  for (int i = 0; i < count; i++) out[i] = (t + 1) * static_cast<const double *>(user)[i];
  return 0;
}

TEST(LinearVaryingRelation, UsesFunctionsOfTimeElseConstants) {
  const double x = 0.5, l[] = {2, -3};
  for (int mask = 0; mask < 64; mask++) {
    perp_linear_varying_relation r;
    ASSERT_EQ(perp_linear_varying_relation_init(&r, sizeof r, 2, 1), PERP_OK);
    r.linear.C = C0;
    r.linear.D = D0;
    r.linear.B = B0;
    r.linear.F = F0;
    r.linear.e = e0;
    r.linear.a = a0;
    r.linear.z = z2;
    r.linear.n_z = 2;
    static const struct data {
      double C[2], D[4], B[2], F[4], e[2], a[1];
    } all = {{1, 2}, {3, 4, 5, 6}, {7, 8}, {9, 10, 11, 12}, {13, 14}, {15}};
    r.user = const_cast<data *>(&all);
    const auto of = [mask](int bit) { return (mask >> bit & 1) != 0; };
    // each function reads its own part of the data
    if (of(0))
      r.C = [](double t, double *out, void *u) {
        return scaled<2>(t, out, static_cast<data *>(u)->C);
      };
    if (of(1))
      r.D = [](double t, double *out, void *u) {
        return scaled<4>(t, out, static_cast<data *>(u)->D);
      };
    if (of(2))
      r.B = [](double t, double *out, void *u) {
        return scaled<2>(t, out, static_cast<data *>(u)->B);
      };
    if (of(3))
      r.F = [](double t, double *out, void *u) {
        return scaled<4>(t, out, static_cast<data *>(u)->F);
      };
    if (of(4))
      r.e = [](double t, double *out, void *u) {
        return scaled<2>(t, out, static_cast<data *>(u)->e);
      };
    if (of(5))
      r.a = [](double t, double *out, void *u) {
        return scaled<1>(t, out, static_cast<data *>(u)->a);
      };
    perp_info info = PERP_INFO_INIT;
    EXPECT_EQ(check(r.linear.relation, &info), PERP_OK);
    relation_at at;
    at.t = 1.5;
    at.v = {x};
    at.lambda = {l[0], l[1]};
    at.before = {0, 0};
    const auto v = evaluate(r.linear.relation, at);
    EXPECT_EQ(v.code, 0);
    const auto w = [&of](int bit) { return of(bit) ? 2.5 : 1.0; };
    vec y(2);
    for (std::size_t i = 0; i < 2; i++)
      y[i] = w(0) * C0[i] * x + w(1) * (D0[i] * l[0] + D0[i + 2] * l[1]) +
             w(3) * (F0[i] * z2[0] + F0[i + 2] * z2[1]) + w(4) * e0[i];
    expect_near(v.y, y, 1e-12);
    expect_near(v.r, {w(2) * (B0[0] * l[0] + B0[1] * l[1]) + w(5) * a0[0]}, 1e-12);
    expect_near(v.H, {w(0) * 1, w(0) * 2}, 1e-14);
    expect_near(v.D, {w(1) * 3, w(1) * 4, w(1) * 5, w(1) * 6}, 1e-14);
    expect_near(v.B, {w(2) * 7, w(2) * 8}, 1e-14);
  }
}

TEST(LinearVaryingRelation, CheckNamesTheFieldAndAnswersAreHandedOn) {
  perp_info info = PERP_INFO_INIT;
  perp_linear_varying_relation r;
  const auto fresh = [&r] {
    ASSERT_EQ(perp_linear_varying_relation_init(&r, sizeof r, 2, 1), PERP_OK);
    r.linear.C = C0;
  };
  const auto expect = [&](perp_status status, const char *field) {
    EXPECT_EQ(check(r.linear.relation, &info), status);
    EXPECT_STREQ(info.field, field);
  };
  const perp_time_fn refuse = [](double, double *, void *) { return 5; };
  fresh();
  EXPECT_EQ(r.linear.relation.ops->features(&r.linear.relation), 0u);
  EXPECT_EQ(check(r.linear.relation, &info), PERP_OK);
  r.linear.C = nullptr;
  expect(PERP_EINVAL, "C");
  fresh();
  r.F = refuse;
  expect(PERP_EINVAL, "n_z");
  fresh();
  r.linear.n_z = 2;
  expect(PERP_EINVAL, "z");
  fresh();
  r.linear.n_z = -2;
  expect(PERP_EINVAL, "n_z");
  const double bad[] = {1, nan, 1, 1};
  for (int i = 0; i < 5; i++) {
    fresh();
    r.linear.z = z2;
    r.linear.n_z = 2;
    const char *names[] = {"C", "D", "B", "F", "e"};
    const double **fields[] = {&r.linear.C, &r.linear.D, &r.linear.B, &r.linear.F, &r.linear.e};
    *fields[i] = bad;
    expect(PERP_ENOTFINITE, names[i]);
  }
  fresh();
  r.linear.a = &inf;
  expect(PERP_ENOTFINITE, "a");
  relation_at at;
  at.v = {0};
  at.lambda = at.before = {0, 0};
  for (int i = 0; i < 6; i++) {
    fresh();
    r.linear.z = z2;
    r.linear.n_z = 2;
    perp_time_fn *fields[] = {&r.C, &r.D, &r.B, &r.F, &r.e, &r.a};
    *fields[i] = refuse;
    EXPECT_EQ(evaluate(r.linear.relation, at).code, 5) << i;
  }
}

// ------------------------------------------------------------------------ in simulations ----

// Capacitor c and inductor l with a diode whose series resistance grows with its current λ, and
// whose current reaches the capacitor with a gain that depends on the voltage:
//   c v' = −i + g,  l i' = v,  g = λ (1 + α v²),  y = v + R λ + S λ³,  0 ≤ y ⟂ λ ≥ 0.
struct rectifier {
  double c = 1e-2, l = 2e-2, R = 3, S = 0.7, alpha = 0, e = 0;
};

std::int32_t diode(double t, const double *x, const double *i, const double *, double *y,
                   void *user) {
  const rectifier &k = *static_cast<const rectifier *>(user);
  y[0] = x[0] + k.R * i[0] + k.S * i[0] * i[0] * i[0] + k.e * std::sin(40 * t);
  return 0;
}
std::int32_t current(double, const double *x, const double *i, const double *, double *r,
                     void *user) {
  const rectifier &k = *static_cast<const rectifier *>(user);
  r[0] = i[0] * (1 + k.alpha * x[0] * x[0]);
  return 0;
}

// The root of an increasing function on [low, high].
template <class F>
long double bisect(F f, long double low, long double high) {
  for (int i = 0; i < 200; i++) {
    const long double middle = (low + high) / 2;
    (f(middle) < 0 ? low : high) = middle;
  }
  return (low + high) / 2;
}

struct outcome {
  long double v, i, lambda;
};

// One step of the θ scheme, by bisection: for a given λ the voltage, then λ.
outcome exact_step(const rectifier &k, double h, double theta, double t1, const outcome &x) {
  // c (v − v0) = −h i_θ + h g, l (i − i0) = h v_θ
  const auto inductor = [&](long double v) {
    return x.i + static_cast<long double>(h) / k.l * (theta * v + (1 - theta) * x.v);
  };
  const auto voltage = [&](long double lambda) {
    return bisect(
        [&](long double v) {
          return k.c * (v - x.v) + h * (theta * inductor(v) + (1 - theta) * x.i) -
                 h * lambda * (1 + k.alpha * v * v);
        },
        -50.0L, 50.0L);
  };
  const auto output = [&](long double lambda) {
    return voltage(lambda) + k.R * lambda + k.S * lambda * lambda * lambda +
           k.e * std::sin(40 * t1);
  };
  const long double lambda = output(0) >= 0 ? 0 : bisect(output, 0, 100);
  const long double v = voltage(lambda);
  return {v, inductor(v), lambda};
}

struct rectifier_world : tools::world {
  perp_first_order_relation relation;
  rectifier k;

  rectifier_world(const rectifier &data,
                  perp_status (*init)(perp_first_order_relation *, std::size_t, std::int32_t,
                                      std::int32_t))
      : k(data) {
    perp_first_order_linear &s = circuit(2);
    s.M = perp_diagonal(2, keep({k.c, k.l}));
    s.A = perp_dense(2, 2, keep({0, 1, -1, 0}));
    add(s.system);
    init(&relation, sizeof relation, 1, 2);
    relation.h = diode;
    relation.g = current;
    relation.user = &k;
    join(relation.relation, complementarity(), {0});
    x0 = {10, 0};
    options.integrator = perp_integrator_theta();
    options.h = 1e-3;
    options.theta = 0.7;
  }
};

void expect_exact(rectifier_world &w, int steps, double tol) {
  tools::run sim(w);
  ASSERT_EQ(sim.status, PERP_OK);
  outcome x = {10, 0, 0};
  int conducting = 0, blocking = 0;
  for (int n = 1; n <= steps; n++) {
    ASSERT_EQ(sim.step(), PERP_OK) << n << " " << sim.info.field;
    x = exact_step(w.k, w.options.h, w.options.theta, n * w.options.h, x);
    ASSERT_NEAR(sim.x(0, 0), static_cast<double>(x.v), tol) << n;
    ASSERT_NEAR(sim.x(0, 1), static_cast<double>(x.i), tol) << n;
    ASSERT_NEAR(sim.lambda(), static_cast<double>(x.lambda), tol) << n;
    x = {sim.x(0, 0), sim.x(0, 1), 0};  // judge each step by itself
    (sim.lambda() > 0 ? conducting : blocking)++;
  }
  EXPECT_GT(conducting, steps / 10);
  EXPECT_GT(blocking, steps / 10);
}

TEST(FirstOrderRelation, NonlinearDiodeOfTypeTwoStepsExactly) {
  rectifier_world w({}, perp_first_order_type2_init);
  expect_exact(w, 300, 1e-7);
}

TEST(FirstOrderRelation, SourceInTheOutputIsTakenAtTheEndOfTheStep) {
  rectifier data;
  data.e = 5;
  rectifier_world w(data, perp_first_order_type2_init);
  expect_exact(w, 300, 1e-7);
}

TEST(FirstOrderRelation, GainThatDependsOnTheStateStepsExactly) {
  rectifier data;
  data.alpha = 0.05;
  data.e = 5;
  rectifier_world w(data, perp_first_order_relation_init);
  expect_exact(w, 300, 1e-7);
}

TEST(FirstOrderRelation, GivenJacobiansLeadToTheSameSteps) {
  rectifier data;
  data.alpha = 0.05;
  rectifier_world w(data, perp_first_order_relation_init);
  w.relation.C = [](double, const double *, const double *, const double *, double *C, void *) {
    C[0] = 1;
    return 0;
  };
  w.relation.D = [](double, const double *, const double *i, const double *, double *D,
                    void *user) {
    const rectifier &k = *static_cast<const rectifier *>(user);
    D[0] = k.R + 3 * k.S * i[0] * i[0];
    return 0;
  };
  w.relation.B = [](double, const double *x, const double *, const double *, double *B,
                    void *user) {
    const rectifier &k = *static_cast<const rectifier *>(user);
    B[0] = 1 + k.alpha * x[0] * x[0];
    return 0;
  };
  w.relation.K = [](double, const double *x, const double *i, const double *, double *K,
                    void *user) {
    const rectifier &k = *static_cast<const rectifier *>(user);
    K[0] = 2 * k.alpha * x[0] * i[0];
    return 0;
  };
  expect_exact(w, 300, 1e-7);
}

TEST(FirstOrderRelation, LinearFunctionsOfTypeOneAreTheLinearRelation) {
  rectifier data;
  data.R = 0;
  data.S = 0;
  tools::world w;
  perp_first_order_linear &s = w.circuit(2);
  s.M = perp_diagonal(2, w.keep({data.c, data.l}));
  s.A = perp_dense(2, 2, w.keep({0, 1, -1, 0}));
  w.add(s.system);
  perp_linear_relation &port = w.port(1, 2, {1, 0});
  port.B = w.keep({1, 0});
  w.join(port.relation, w.complementarity(), {0});
  w.x0 = {10, 0};
  w.options.integrator = perp_integrator_theta();
  w.options.h = 1e-3;
  w.options.theta = 0.7;
  rectifier_world nonlinear(data, perp_first_order_type1_init);
  tools::run a(w), b(nonlinear);
  for (int n = 0; n < 300; n++) {
    ASSERT_EQ(a.step(), PERP_OK);
    ASSERT_EQ(b.step(), PERP_OK);
    ASSERT_NEAR(a.x(0, 0), b.x(0, 0), 1e-6);
    ASSERT_NEAR(a.x(0, 1), b.x(0, 1), 1e-6);
  }
}

TEST(FirstOrderRelation, FailingCallbackLeavesTheStateAsItWas) {
  rectifier_world w({}, perp_first_order_type2_init);
  static double until;
  static std::int32_t then;
  w.relation.h = [](double t, const double *x, const double *i, const double *z, double *y,
                    void *user) {
    if (t > until) {
      if (then != 0) return then;
      y[0] = nan;
      return std::int32_t{0};
    }
    return diode(t, x, i, z, y, user);
  };
  const struct {
    std::int32_t answer;
    perp_status status;
  } cases[] = {{-1, PERP_ECALLBACK}, {1, PERP_RETRY}, {0, PERP_ENOTFINITE}};
  for (const auto &c : cases) {
    until = 0.0505;
    then = c.answer;
    tools::run sim(w);
    ASSERT_EQ(sim.steps(50), PERP_OK);
    const auto before = sim.bytes();
    EXPECT_EQ(sim.step(), c.status);
    EXPECT_EQ(sim.bytes(), before);
    until = 1;
    EXPECT_EQ(sim.step(), PERP_OK);
  }
}

TEST(LinearVaryingRelation, ConstantFunctionsAreTheConstantRelation) {
  tools::world w[2];
  perp_linear_varying_relation varying;
  for (int i = 0; i < 2; i++) {
    perp_first_order_linear &s = w[i].circuit(2);
    s.A = perp_dense(2, 2, w[i].keep({-1, 2, -3, -0.5}));
    w[i].add(s.system);
    perp_linear_relation &port = w[i].port(1, 2, {1, -0.5});
    port.B = w[i].keep({1, 0.3});
    port.D = w[i].keep({0.2});
    port.e = w[i].keep({-0.4});
    if (i == 0) {
      w[i].join(port.relation, w[i].complementarity(), {0});
    } else {
      ASSERT_EQ(perp_linear_varying_relation_init(&varying, sizeof varying, 1, 2), PERP_OK);
      varying.linear.C = port.C;
      varying.linear.D = port.D;
      varying.linear.e = port.e;
      varying.B = [](double, double *B, void *) {
        B[0] = 1;
        B[1] = 0.3;
        return 0;
      };
      w[i].join(varying.linear.relation, w[i].complementarity(), {0});
    }
    w[i].x0 = {1, 2};
    w[i].options.integrator = perp_integrator_theta();
  }
  tools::run a(w[0]), b(w[1]);
  for (int n = 0; n < 500; n++) {
    ASSERT_EQ(a.step(), PERP_OK);
    ASSERT_EQ(b.step(), PERP_OK);
    ASSERT_NEAR(a.x(0, 0), b.x(0, 0), 1e-9);
    ASSERT_NEAR(a.lambda(), b.lambda(), 1e-8);
  }
}

// Two relations on two systems, each reaction depending on all states and multipliers: they couple
// through K. What a step must satisfy is evaluated from the definition.
//   a' = −a + g1 + k1, b' = −2 b + g2 + k2;  y1 = a + b + λ1 (1 + a²), g1 = λ1 (1 + b/4), g2 = λ1
//   a/4, y2 = b − a/2 + λ2 − sin t,  k1 = λ2² b/8,  k2 = λ2.
TEST(FirstOrderRelation, RelationsThatCoupleThroughTheirReactionsStepExactly) {
  tools::world w;
  perp_first_order_linear &a = w.circuit(1), &b = w.circuit(1);
  a.A = perp_dense(1, 1, w.keep({-1}));
  b.A = perp_dense(1, 1, w.keep({-2}));
  w.add(a.system);
  w.add(b.system);
  perp_first_order_relation r[2];
  for (perp_first_order_relation &relation : r)
    ASSERT_EQ(perp_first_order_relation_init(&relation, sizeof relation, 1, 2), PERP_OK);
  r[0].h = [](double, const double *x, const double *l, const double *, double *y, void *) {
    y[0] = x[0] + x[1] + l[0] * (1 + x[0] * x[0]);
    return 0;
  };
  r[0].g = [](double, const double *x, const double *l, const double *, double *out, void *) {
    out[0] = l[0] * (1 + x[1] / 4);
    out[1] = l[0] * x[0] / 4;
    return 0;
  };
  r[1].h = [](double t, const double *x, const double *l, const double *, double *y, void *) {
    y[0] = x[1] - x[0] / 2 + l[0] - std::sin(t);
    return 0;
  };
  r[1].g = [](double, const double *x, const double *l, const double *, double *out, void *) {
    out[0] = l[0] * l[0] * x[1] / 8;
    out[1] = l[0];
    return 0;
  };
  w.join(r[0].relation, w.complementarity(), {0, 1});
  w.join(r[1].relation, w.complementarity(), {0, 1});
  w.x0 = {-1, 0.5};
  w.options.integrator = perp_integrator_theta();
  w.options.h = 0.02;
  const double h = 0.02;
  tools::run sim(w);
  ASSERT_EQ(sim.status, PERP_OK);
  int both = 0;
  for (int n = 1; n <= 400; n++) {
    const double x0 = sim.x(0), x1 = sim.x(1);
    ASSERT_EQ(sim.step(), PERP_OK) << n;
    const double u = sim.x(0), v = sim.x(1), l = sim.lambda(0), m = sim.lambda(1);
    ASSERT_NEAR(u, x0 - h * (u + x0) / 2 + h * (l * (1 + v / 4) + m * m * v / 8), 1e-9) << n;
    ASSERT_NEAR(v, x1 - h * (v + x1) + h * (l * u / 4 + m), 1e-9) << n;
    const double y = u + v + l * (1 + u * u), z = v - u / 2 + m - std::sin(n * h);
    ASSERT_NEAR(sim.y(0), y, 1e-9);
    ASSERT_NEAR(std::fmin(y, l), 0, 1e-8) << n;
    ASSERT_NEAR(std::fmin(z, m), 0, 1e-8) << n;
    both += l > 0 && m > 0;
  }
  EXPECT_GT(both, 20);
}

// x' = b(t) λ, y = C(t) x + e(t) = 0: x follows −e/C, and λ is its rate over b.
TEST(LinearVaryingRelation, EqualityFollowsTheCoefficientsOfTime) {
  tools::world w;
  perp_first_order_linear &s = w.circuit(1);
  w.add(s.system);
  perp_linear_varying_relation r;
  ASSERT_EQ(perp_linear_varying_relation_init(&r, sizeof r, 1, 1), PERP_OK);
  r.C = [](double t, double *C, void *) {
    C[0] = 2 + std::sin(t);
    return 0;
  };
  r.B = [](double t, double *B, void *) {
    B[0] = std::cos(3 * t) + 2;
    return 0;
  };
  r.e = [](double t, double *e, void *) {
    e[0] = -std::cos(t);
    return 0;
  };
  w.join(r.linear.relation, w.equality(), {0});
  w.options.integrator = perp_integrator_theta();
  w.options.solver = perp_solver_box_pivoting();
  tools::run sim(w);
  ASSERT_EQ(sim.status, PERP_OK);
  double before = 0;
  for (int n = 1; n < 300; n++) {
    ASSERT_EQ(sim.step(), PERP_OK);
    const double t = n * w.options.h, x = std::cos(t) / (2 + std::sin(t));
    ASSERT_NEAR(sim.x(), x, 1e-9);
    ASSERT_NEAR(sim.lambda() * (std::cos(3 * t) + 2), (x - before) / w.options.h, 1e-6);
    before = x;
  }
}

}  // namespace
