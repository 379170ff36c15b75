// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <perp/problem.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "dense_tools.hpp"

namespace {

using tools::kInf;
using tools::kNaN;

perp_info fresh() { return PERP_INFO_INIT; }

struct laws {
  double lower[1] = {-1}, upper[1] = {1};
  perp_equality equality;
  perp_complementarity complementarity;
  perp_newton_impact impact;
  perp_box box;
  laws() {
    EXPECT_EQ(perp_equality_init(&equality, sizeof equality), PERP_OK);
    EXPECT_EQ(perp_complementarity_init(&complementarity, sizeof complementarity), PERP_OK);
    EXPECT_EQ(perp_newton_impact_init(&impact, sizeof impact), PERP_OK);
    EXPECT_EQ(perp_box_init(&box, sizeof box), PERP_OK);
    box.lower = lower;
    box.upper = upper;
  }
  std::vector<const perp_law *> all() const {
    return {&equality.law, &complementarity.law, &impact.law, &box.law};
  }
};

// The interval of a law of one component.
void interval(const perp_law &law, double *l, double *u) {
  *l = law.ops->set == PERP_SET_FREE ? -kInf : 0;
  *u = kInf;
  if (law.ops->set == PERP_SET_BOX) law.ops->bounds(&law, l, u);
}

// -y in N_[l,u](x), up to rounding.
bool is_solution(double l, double u, double x, double y) {
  if (!(x >= l && x <= u)) return false;
  if (std::fabs(y) <= 1e-13) return true;
  return y > 0 ? x == l : x == u;
}

TEST(Law, TablesNameTheSetAndWhetherTheLawIsUnilateral) {
  laws k;
  EXPECT_EQ(k.equality.law.ops->set, PERP_SET_FREE);
  EXPECT_EQ(k.complementarity.law.ops->set, PERP_SET_ORTHANT);
  EXPECT_EQ(k.impact.law.ops->set, PERP_SET_ORTHANT);
  EXPECT_EQ(k.box.law.ops->set, PERP_SET_BOX);
  EXPECT_EQ(k.equality.law.ops->unilateral, 0);
  EXPECT_EQ(k.complementarity.law.ops->unilateral, 1);
  EXPECT_EQ(k.impact.law.ops->unilateral, 1);
  EXPECT_EQ(k.box.law.ops->unilateral, 0);
  for (const perp_law *law : k.all()) {
    EXPECT_EQ(perp_law_check(law, nullptr), PERP_OK) << law->ops->name;
    EXPECT_NE(law->ops->project, nullptr);
    EXPECT_NE(law->ops->jacobian, nullptr);
    EXPECT_EQ(law->size, 1);
  }
}

TEST(Law, InitRefusesNullAndForeignSizes) {
  perp_newton_impact impact;
  std::memset(&impact, 0x5A, sizeof impact);
  EXPECT_EQ(perp_newton_impact_init(nullptr, sizeof impact), PERP_EINVAL);
  EXPECT_EQ(perp_newton_impact_init(&impact, sizeof impact - 1), PERP_EINVAL);
  EXPECT_EQ(perp_newton_impact_init(&impact, 0), PERP_EINVAL);
  perp_box box;
  EXPECT_EQ(perp_box_init(nullptr, sizeof box), PERP_EINVAL);
  EXPECT_EQ(perp_box_init(&box, sizeof box + 8), PERP_EINVAL);
  perp_equality equality;
  EXPECT_EQ(perp_equality_init(nullptr, sizeof equality), PERP_EINVAL);
  EXPECT_EQ(perp_equality_init(&equality, 1), PERP_EINVAL);
  perp_complementarity c;
  EXPECT_EQ(perp_complementarity_init(nullptr, sizeof c), PERP_EINVAL);
  EXPECT_EQ(perp_complementarity_init(&c, 1), PERP_EINVAL);
  EXPECT_EQ(perp_newton_impact_init(&impact, sizeof impact), PERP_OK);
  EXPECT_EQ(impact.e, 0.0);
}

TEST(Law, CheckNamesTheFieldAndTheValue) {
  laws k;
  perp_info info = fresh();
  EXPECT_EQ(perp_law_check(nullptr, &info), PERP_EINVAL);
  EXPECT_STREQ(info.field, "law");
  for (double e : {-0.1, 1.1, -1e300}) {
    k.impact.e = e;
    EXPECT_EQ(perp_law_check(&k.impact.law, &info), PERP_EINVAL);
    EXPECT_STREQ(info.field, "e");
    EXPECT_EQ(info.value, e);
  }
  for (double e : {kNaN, kInf, -kInf}) {
    k.impact.e = e;
    EXPECT_EQ(perp_law_check(&k.impact.law, &info), PERP_ENOTFINITE);
    EXPECT_STREQ(info.field, "e");
  }
  for (double e : {0.0, 0.5, 1.0}) {
    k.impact.e = e;
    EXPECT_EQ(perp_law_check(&k.impact.law, &info), PERP_OK);
    EXPECT_EQ(info.field, nullptr);
  }
}

TEST(Law, HeadsThatWereNotInitialisedAreRefused) {
  perp_law law = {};
  perp_info info = fresh();
  laws k;
  EXPECT_EQ(perp_law_check(&law, &info), PERP_EINVAL);
  EXPECT_STREQ(info.field, "ops");
  for (const perp_law *good : k.all()) {
    law = *good;
    law.size = 0;
    EXPECT_EQ(perp_law_check(&law, &info), PERP_EINVAL);
    EXPECT_STREQ(info.field, "size");
    law = *good;
    law.struct_size = 1;
    EXPECT_EQ(perp_law_check(&law, &info), PERP_EINVAL);
    EXPECT_STREQ(info.field, "struct_size");
  }
  k.box.law.struct_size = sizeof(perp_law);  // shorter than the data its check would read
  EXPECT_EQ(perp_law_check(&k.box.law, &info), PERP_EINVAL);
  EXPECT_STREQ(info.field, "struct_size");
}

TEST(Law, BoxNeedsOrderedBoundsThatLeaveAPoint) {
  laws k;
  perp_info info = fresh();
  const auto check = [&](double l, double u) {
    k.lower[0] = l;
    k.upper[0] = u;
    return perp_law_check(&k.box.law, &info);
  };
  EXPECT_EQ(check(-kInf, kInf), PERP_OK);
  EXPECT_EQ(check(2, 2), PERP_OK);
  EXPECT_EQ(check(0, kInf), PERP_OK);
  EXPECT_EQ(check(1, 0), PERP_EINVAL);
  EXPECT_STREQ(info.field, "lower");
  EXPECT_EQ(info.value, 1.0);
  EXPECT_EQ(check(kInf, kInf), PERP_ENOTFINITE);
  EXPECT_STREQ(info.field, "lower");
  EXPECT_EQ(check(-kInf, -kInf), PERP_ENOTFINITE);
  EXPECT_STREQ(info.field, "upper");
  EXPECT_EQ(check(kNaN, 1), PERP_ENOTFINITE);
  EXPECT_STREQ(info.field, "lower");
  EXPECT_EQ(check(0, kNaN), PERP_ENOTFINITE);
  EXPECT_STREQ(info.field, "upper");
  EXPECT_EQ(info.index, 0);
  k.box.lower = nullptr;
  EXPECT_EQ(perp_law_check(&k.box.law, &info), PERP_EINVAL);
  EXPECT_STREQ(info.field, "lower");
  k.box.lower = k.lower;
  k.box.upper = nullptr;
  EXPECT_EQ(perp_law_check(&k.box.law, &info), PERP_EINVAL);
  EXPECT_STREQ(info.field, "upper");
}

TEST(Law, BoxNamesTheEntry) {
  laws k;
  const double lower[3] = {0, 0, 5}, upper[3] = {1, 1, 1};
  k.box.law.size = 3;
  k.box.lower = lower;
  k.box.upper = upper;
  perp_info info = fresh();
  EXPECT_EQ(perp_law_check(&k.box.law, &info), PERP_EINVAL);
  EXPECT_EQ(info.index, 2);
}

// A user's law: the table is checked as the built-in ones are.
TEST(Law, AUsersTableNeedsWhatItsSetDemands) {
  perp_law_ops ops = *laws().complementarity.law.ops;
  ops.check = nullptr;
  perp_rolling whole = {};  // the most that a set asks for
  perp_law &law = whole.law;
  law = {&ops, sizeof whole, 2};
  perp_info info = fresh();
  const auto refused = [&](const char *field) {
    const bool as_expected = perp_law_check(&law, &info) == PERP_EINVAL &&
                             std::string(info.field == nullptr ? "" : info.field) == field;
    ops = *laws().complementarity.law.ops;
    ops.check = nullptr;
    return as_expected;
  };
  EXPECT_EQ(perp_law_check(&law, &info), PERP_OK);
  ops.struct_size = 8;
  EXPECT_TRUE(refused("ops"));
  ops.set = 7;
  EXPECT_TRUE(refused("set"));
  ops.set = -1;
  EXPECT_TRUE(refused("set"));
  ops.unilateral = 2;
  EXPECT_TRUE(refused("unilateral"));
  ops.bounded = 2;
  EXPECT_TRUE(refused("bounded"));
  ops.bounded = -1;
  EXPECT_TRUE(refused("bounded"));
  ops.set = PERP_SET_BOX;
  EXPECT_TRUE(refused("bounds"));
  ops.set = PERP_SET_OTHER;
  ops.project = nullptr;
  EXPECT_TRUE(refused("project"));
  ops.state_bytes = [](const perp_law *) -> std::size_t { return 8; };
  EXPECT_TRUE(refused("state_init"));
  law.size = 4;
  for (const std::int32_t set : {PERP_SET_CONE, PERP_SET_ROLLING}) {
    ops.set = set;
    EXPECT_TRUE(refused("shift"));
    ops.set = set;
    ops.shift = [](const perp_law *, const void *, const double *, double *) {};
    EXPECT_TRUE(refused("size"));
    ops.set = set;
    law.struct_size = sizeof(perp_law);
    EXPECT_TRUE(refused("struct_size"));
    law.struct_size = sizeof whole;
  }
  ops.check = [](const perp_law *, perp_info *) -> perp_status { return PERP_RAY; };
  EXPECT_EQ(perp_law_check(&law, &info), PERP_EINVAL);  // no check ends honestly without answer
}

// A unit disk as a user's law. M is singular, so that y = 0 far from 0 with a q that is tiny beside
// λ: nothing but λ itself can measure that.
TEST(Law, ASetThatIsDeclaredBoundedIsMeasuredByLambda) {
  perp_law_ops ops{};
  ops.struct_size = sizeof ops;
  ops.set = PERP_SET_OTHER;
  ops.name = "disk";
  ops.project = [](const perp_law *, const void *, const double *x, double *p) {
    const double r = std::hypot(x[0], x[1]), s = r > 1 ? 1 / r : 1;
    p[0] = s * x[0], p[1] = s * x[1];
  };
  perp_law law = {&ops, sizeof law, 2};
  const perp_law *laws = &law;
  const double M[4] = {1, 1, 1, 1}, q[2] = {1e-15, 1e-15}, lambda[2] = {0.5, -0.5 - 1e-15};
  const perp_problem problem = perp_problem_of(perp_dense(2, 2, M), q, 1, &laws, nullptr);
  const auto solved = [&] {
    std::vector<unsigned char> work(perp_problem_residual_workspace(&problem));
    perp_residual r = PERP_RESIDUAL_INIT;
    double y[2];
    EXPECT_EQ(perp_problem_residual(&problem, lambda, y, &r, work.data(), work.size()), PERP_OK);
    return perp_residual_solved(&r, 1e-10);
  };
  EXPECT_EQ(solved(), 0);
  ops.bounded = 1;
  EXPECT_EQ(solved(), 1);
  ops.bounded = 0;
  ops.is_bounded = [](const perp_law *l, double *) -> std::int32_t { return l->size == 2; };
  EXPECT_EQ(solved(), 1);
  ops.struct_size = static_cast<std::uint32_t>(offsetof(perp_law_ops, is_bounded));  // an old table
  EXPECT_EQ(perp_law_check(&law, nullptr), PERP_OK);
  EXPECT_EQ(solved(), 0);
}

TEST(Law, ProjectionIsTheNearestPointAndMayWorkInPlace) {
  laws k;
  tools::uniform random(1);
  for (const perp_law *law : k.all()) {
    double l, u;
    interval(*law, &l, &u);
    for (int trial = 0; trial < 100; trial++) {
      double x = 3 * random(), p = 999;
      law->ops->project(law, nullptr, &x, &p);
      EXPECT_GE(p, l);
      EXPECT_LE(p, u);
      if (p != x) {
        EXPECT_EQ(p, x < l ? l : u);
      }
      law->ops->project(law, nullptr, &x, &x);
      EXPECT_EQ(x, p);
    }
    double x = kNaN;
    law->ops->project(law, nullptr, &x, &x);
    EXPECT_TRUE(std::isnan(x)) << law->ops->name;
  }
}

TEST(Law, JacobianIsTheSlopeOfTheProjection) {
  laws k;
  const double lower[2] = {-1, 0}, upper[2] = {1, kInf};
  k.box.law.size = k.equality.law.size = k.complementarity.law.size = 2;
  k.box.lower = lower;
  k.box.upper = upper;
  const std::vector<const perp_law *> all = {&k.box.law, &k.equality.law, &k.complementarity.law};
  for (const perp_law *law : all) {
    for (double a : {-1.5, -0.5, 0.5, 1.5}) {
      for (double b : {-1.5, -0.5, 0.5, 1.5}) {
        const double x[2] = {a, b}, h = 1e-3;
        double J[4] = {999, 999, 999, 999}, p[2], ph[2];
        law->ops->jacobian(law, nullptr, x, J);
        law->ops->project(law, nullptr, x, p);
        for (int j = 0; j < 2; j++) {
          double xh[2] = {a, b};
          xh[j] += h;
          law->ops->project(law, nullptr, xh, ph);
          for (int i = 0; i < 2; i++) EXPECT_NEAR(J[i + 2 * j], (ph[i] - p[i]) / h, 1e-9);
        }
      }
    }
  }
}

TEST(Law, LocalFindsASolutionWheneverOneComponentHasOne) {
  laws k;
  const double bounds[] = {-kInf, -2, -1, 0, 1, kInf};
  for (double l : bounds) {
    for (double u : bounds) {
      if (l > u || l == kInf || u == -kInf) continue;
      k.lower[0] = l;
      k.upper[0] = u;
      for (const perp_law *law : k.all()) {
        double a, b;
        interval(*law, &a, &b);
        for (double M : {-2.0, -0.5, 0.0, 0.5, 2.0}) {
          for (double q : {-3.0, -1.0, 0.0, 0.25, 1.0, 4.0}) {
            double x = 999;
            const perp_status status = law->ops->local(law, nullptr, &M, 1, &q, &x);
            std::vector<double> candidates = {a, b, 0};  // 0: for y = 0 everywhere
            if (M != 0) candidates.push_back(-q / M);
            bool solvable = false;
            for (double c : candidates)
              solvable = solvable || (std::isfinite(c) && is_solution(a, b, c, M * c + q));
            if (M == 0 && q == 0) solvable = true;
            ASSERT_EQ(status, solvable ? PERP_OK : PERP_RAY)
                << law->ops->name << " M " << M << " q " << q << " [" << a << ", " << b << "]";
            if (solvable) {
              EXPECT_TRUE(is_solution(a, b, x, M * x + q)) << law->ops->name << " " << x;
            }
          }
        }
      }
    }
  }
}

TEST(Law, LocalNeverSolvesNotANumber) {
  laws k;
  for (const perp_law *law : k.all()) {
    for (double bad : {kNaN, kInf, -kInf}) {
      const double one = 1;
      double x;
      EXPECT_EQ(law->ops->local(law, nullptr, &bad, 1, &one, &x), PERP_ENOTFINITE);
      EXPECT_EQ(law->ops->local(law, nullptr, &one, 1, &bad, &x), PERP_ENOTFINITE);
    }
  }
}

TEST(Law, LocalLeavesLargerCopiesToSolvers) {
  laws k;
  const double M[4] = {1, 0, 0, 1}, q[2] = {-1, -1};
  double x[2] = {999, 999};
  k.complementarity.law.size = 2;
  EXPECT_EQ(k.complementarity.law.ops->local(&k.complementarity.law, nullptr, M, 2, q, x),
            PERP_EUNSUPPORTED);
}

TEST(Law, NewtonImpactAddsTheVelocityBeforeTimesRestitution) {
  laws k;
  k.impact.e = 0.5;
  k.impact.law.size = 2;
  const double before[2] = {-3, 4};
  double q[2] = {1, 1};
  k.impact.law.ops->restitute(&k.impact.law, nullptr, before, q);
  EXPECT_EQ(q[0], -0.5);
  EXPECT_EQ(q[1], 3.0);
  EXPECT_EQ(k.complementarity.law.ops->restitute, nullptr);
}

}  // namespace
