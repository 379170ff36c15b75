// SPDX-License-Identifier: MIT
// What repeats at an event until it settles is limited; where a limit is reached the run says so,
// by status and field, and the state is the last good one.
#include <gtest/gtest.h>

#include <cstring>

#include "event_tools.hpp"

namespace {

using tools::Method;
using tools::Motion;
using tools::World;

class EventLimits : public ::testing::TestWithParam<Method> {};

// A law that lets go half of the velocity with which it is approached: impacts without end.
TEST_P(EventLimits, ImpactsThatNeverSettleEndTheRun) {
  World w;
  w.mass({1}, {-8}, {4}, {0});
  perp_newton_impact law;
  ASSERT_EQ(perp_newton_impact_init(&law, sizeof law), PERP_OK);
  perp_law_ops ops = *law.law.ops;
  ops.restitute = [](const perp_law *, const void *, const double *ydot, double *q) {
    q[0] += 0.5 * std::fabs(ydot[0]);
  };
  law.law.ops = &ops;
  w.connect(w.gap({1}, {0}), &law.law);
  Motion run(w, GetParam());
  EXPECT_EQ(run.until(2), PERP_MAX_ITER);
  ASSERT_NE(run.info.field, nullptr);
  EXPECT_STREQ(run.info.field, "rounds");
  EXPECT_NEAR(run.t(), 1, 1e-6);
  EXPECT_NEAR(run.v()[0], -8, 1e-5);
  EXPECT_NE(run.message(), "");
}

// y = sign(x) √|x| = 0: each jump along the tangent goes to −x.
TEST_P(EventLimits, JumpsThatNeverArriveAreRefused) {
  World w;
  w.state({1}, {});
  perp_first_order_relation r;
  ASSERT_EQ(perp_first_order_type1_init(&r, sizeof r, 1, 1), PERP_OK);
  r.h = [](double, const double *x, const double *, const double *, double *y, void *) {
    return y[0] = std::copysign(std::sqrt(std::fabs(x[0])), x[0]), 0;
  };
  r.C = [](double, const double *x, const double *, const double *, double *C, void *) {
    return C[0] = 0.5 / std::sqrt(std::fabs(x[0])), 0;
  };
  r.g = [](double, const double *, const double *l, const double *, double *out, void *) {
    return out[0] = l[0], 0;
  };
  w.connect(&r.relation, w.equality());
  Motion run(w, GetParam());
  EXPECT_EQ(run.create(), PERP_MAX_ITER);
  ASSERT_NE(run.info.field, nullptr);
  EXPECT_STREQ(run.info.field, "jumps");
}

// x' = c(t) + atan(λ), y = x = 0: no λ where c is beyond π/2.
struct Bounded : World {
  perp_first_order_relation r;
  double c[2];
  Bounded(double start, double rate) : c{start, rate} {
    perp_first_order_linear &s = state({0}, {});
    s.input = [](double t, double *f, void *user) -> std::int32_t {
      const double *at = static_cast<const double *>(user);
      return f[0] = at[0] + at[1] * t, 0;
    };
    s.user = c;
    EXPECT_EQ(perp_first_order_type1_init(&r, sizeof r, 1, 1), PERP_OK);
    r.h = [](double, const double *x, const double *, const double *, double *y, void *) {
      return y[0] = x[0], 0;
    };
    r.C = [](double, const double *, const double *, const double *, double *C, void *) {
      return C[0] = 1, 0;
    };
    r.g = [](double, const double *, const double *l, const double *, double *out, void *) {
      return out[0] = std::atan(l[0]), 0;
    };
    r.B = [](double, const double *, const double *l, const double *, double *B, void *) {
      return B[0] = 1 / (1 + l[0] * l[0]), 0;
    };
    connect(&r.relation, equality());
  }
};

// Newton's iteration on sign(λ − 1) √|λ − 1| goes to and fro between 0 and 2.
TEST_P(EventLimits, AMultiplierThatIsNotFoundIsRefusedAtTheStart) {
  Bounded w(0, 0);
  w.r.g = [](double, const double *, const double *l, const double *, double *out, void *) {
    return out[0] = std::copysign(std::sqrt(std::fabs(l[0] - 1)), l[0] - 1), 0;
  };
  w.r.B = [](double, const double *, const double *l, const double *, double *B, void *) {
    return B[0] = 0.5 / std::sqrt(std::fabs(l[0] - 1)), 0;
  };
  Motion run(w, GetParam());
  EXPECT_EQ(run.create(), PERP_MAX_ITER);
  ASSERT_NE(run.info.field, nullptr);
  EXPECT_STREQ(run.info.field, "lambda");
}

TEST_P(EventLimits, AMultiplierThatIsFarAwayIsFound) {
  Bounded w(1.5, 0);  // more than five iterations of Newton's
  Motion run(w, GetParam());
  ASSERT_EQ(run.create(), PERP_OK) << run.message();
  EXPECT_NEAR(run.lambda()[0], -std::tan(1.5), 1e-6);
}

TEST_P(EventLimits, AMultiplierThatCeasesToExistEndsTheRun) {
  Bounded w(1, 0.5);
  Motion run(w, GetParam());
  run.options.rtol = run.options.atol = 1e-9;
  const perp_status status = run.until(2);
  const double last = 2 * (std::acos(0.0) - 1);
  EXPECT_EQ(status, PERP_MAX_ITER) << run.message();
  if (std::strcmp(GetParam().name, "ida") != 0) {  // to which λ is an unknown of its own
    ASSERT_NE(run.info.field, nullptr);
    EXPECT_STREQ(run.info.field, "lambda");
  }
  EXPECT_LE(run.t(), last);
  EXPECT_GE(run.t(), 0.5 * last);
}

// y = 1 + q² has no root.
TEST_P(EventLimits, PositionsThatDoNotComeToTheJointAreRefused) {
  World w;
  w.mass({1}, {0}, {1}, {0});
  perp_lagrangian_relation r;
  ASSERT_EQ(perp_lagrangian_scleronomous_init(&r, sizeof r, 1, 1), PERP_OK);
  r.h = [](double, const double *q, const double *, const double *, double *y, void *) {
    return y[0] = 1 + q[0] * q[0], 0;
  };
  r.H = [](double, const double *q, const double *, const double *, double *H, void *) {
    return H[0] = 2 * q[0], 0;
  };
  w.connect(&r.relation, w.equality());
  Motion run(w, GetParam());
  EXPECT_EQ(run.create(), PERP_INFEASIBLE);
  ASSERT_NE(run.info.field, nullptr);
  EXPECT_STREQ(run.info.field, "constraints");
}

std::int32_t wave(const perp_event_state *at, double *g, void *rate) {
  return *g = 1.5 + std::sin(*static_cast<double *>(rate) * at->t), 0;
}

TEST(EventLimit, AGuardTooRestlessForItsPointsIsCounted) {
  const auto unresolved = [](double rate) {
    World w;
    w.mass({1}, {0}, {0}, {1});
    perp_guard guard{wave, nullptr, &rate, 0, 0};
    Motion run(w);
    run.options.guards = &guard;
    run.options.n_guards = 1;
    run.expect_until(20);
    EXPECT_TRUE(run.events.empty());
    return run.report().unresolved;
  };
  EXPECT_EQ(unresolved(1), 0);
  EXPECT_GT(unresolved(1234.5) + unresolved(12345.678) + unresolved(98765.4), 0);
}

// A guard that comes to its zero with a slope beyond all bounds, and one right behind t = 0.
std::int32_t steep(const perp_event_state *at, double *g, void *zero) {
  return *g = std::cbrt(at->t - *static_cast<double *>(zero)), 0;
}

TEST_P(EventLimits, ASteepGuardIsFoundToRounding) {
  for (double zero : {0.3, 1e-9}) {
    World w;
    w.mass({1}, {0}, {0}, {1});
    perp_guard guard{steep, nullptr, &zero, 0, 0};
    Motion run(w, GetParam());
    run.options.guards = &guard;
    run.options.n_guards = 1;
    run.expect_until(1);
    ASSERT_EQ(run.events.size(), 1u);
    EXPECT_NEAR(run.events[0].t, zero, 1e-15);
  }
}

// A strongly damped spring beside a slow one: explicit methods take steps as its stability asks.
TEST_P(EventLimits, TooManyStepsOfAStiffMotionSayThatItIsStiff) {
  for (const double rtol : {1e-5, 1e-10}) {
    World w;
    w.mass({1, 1}, {0, 0}, {1, 1}, {0, 0}, {1e8, 1}, {2e4, 0});
    Motion run(w, GetParam());
    run.options.rtol = rtol, run.options.atol = rtol / 100;
    run.options.max_steps = 3000;
    ASSERT_EQ(run.until(1e6), PERP_MAX_ITER);
    const bool is_explicit =
        run.options.smooth != perp_smooth_bdf() && run.options.smooth != perp_smooth_ida();
    EXPECT_EQ(run.message().find("stiff") != std::string::npos, is_explicit) << run.message();
  }
}

// As many steps, for accuracy alone.
TEST_P(EventLimits, TooManyStepsOfAMotionThatIsNotStiffDoNotSaySo) {
  for (const double stiffness : {1.0, 1e8}) {
    World w;
    w.mass({1, 1}, {0, 0}, {1, 0}, {0, 0}, {stiffness, 1}, {0, 0});
    Motion run(w, GetParam());
    run.options.rtol = 1e-6, run.options.atol = 1e-8;
    run.options.max_steps = 3000;
    ASSERT_EQ(run.until(1e6), PERP_MAX_ITER);
    EXPECT_EQ(run.message().find("stiff"), std::string::npos) << run.message();
  }
}

// A force that is another one at all times after begin, but not at it.
TEST_P(EventLimits, AForceMayJumpBehindTheBeginOfAMotion) {
  for (const bool scheduled : {false, true}) {
    static double begin;
    begin = scheduled ? 0.5 : 0;
    World w;
    w.mass({1}, {0}, {0}, {0}).force = [](double t, double *f, void *) {
      f[0] += t > begin ? 1 : 0;
      return std::int32_t{0};
    };
    Motion run(w, GetParam());
    perp_schedule jump{};
    jump.first = begin;
    run.options.schedules = &jump;
    run.options.n_schedules = scheduled ? 1 : 0;
    run.expect_until(begin + 1);
    EXPECT_NEAR(run.q()[0], 0.5, 1e-9);
    EXPECT_NEAR(run.v()[0], 1, 1e-9);
  }
}

// A contact in the plane that slips with speed, q = (gap, shift), M⁻¹ = W of the contact: with
// μ = 2 friction against a positive speed pushes it in, W_nn − μ W_nt = −0.8; free accelerates it
// away from the obstacle. Beside it a mass at rest that is not concerned.
struct Paradox : World {
  perp_lagrangian_linear system{};
  Paradox(double free, double speed) {
    const double w = 0.9, det = 2 - w * w;
    mass({1}, {-10}, {0}, {0});
    connect(gap({1}, {0}), newton(0), {0});
    EXPECT_EQ(perp_lagrangian_linear_init(&system, sizeof system, 2), PERP_OK);
    system.M = perp_dense(2, 2, keep({2 / det, -w / det, -w / det, 1 / det}));
    system.f = keep({2 / det * free, -w / det * free});
    add(&system.system, {0, 0}, {0, speed});
    connect(gap({1, 0, 0, 1}, {0, 0}), friction(2, 2), {1});
  }
};

TEST_P(EventLimits, ASlipWithoutAForceIsRefusedByName) {
  Paradox w(-1, 1);
  Motion run(w, GetParam());
  EXPECT_EQ(run.create(), PERP_INFEASIBLE);
  EXPECT_STREQ(run.info.field, "mode");
  EXPECT_EQ(run.info.index, 1);
}

TEST_P(EventLimits, ASlipThatLosesItsForceEndsTheRunByName) {
  Paradox w(-1, -1);
  Motion run(w, GetParam());
  perp_schedule turn{};
  turn.first = 0.1;
  turn.reset = [](perp_event_state *s, void *) {
    s->v[2] = 1;
    return std::int32_t{0};
  };
  run.options.schedules = &turn;
  run.options.n_schedules = 1;
  EXPECT_EQ(run.until(1), PERP_INFEASIBLE);
  EXPECT_NEAR(run.t(), 0.1, 1e-15);
  EXPECT_LT(run.v()[2], 0);  // as before the reset
  EXPECT_STREQ(run.info.field, "mode");
  EXPECT_EQ(run.info.index, 1);
  EXPECT_NE(run.message().find("copy 0 of interaction 1"), std::string::npos) << run.message();
  EXPECT_NE(run.message().find("Painlevé"), std::string::npos) << run.message();
}

TEST_P(EventLimits, ASlipThatMayTakeOffOrStayIsCounted) {
  Paradox both(1, 1), one(1, -1), slips(-1, -1);
  Motion run(both, GetParam()), opens(one, GetParam()), holds(slips, GetParam());
  run.expect_until(0.5);
  opens.expect_until(0.5);
  holds.expect_until(0.1);
  EXPECT_NEAR(run.q()[1], 0.125, 1e-9);
  EXPECT_EQ(run.report().indeterminate, 1);
  EXPECT_EQ(opens.report().indeterminate, 0);
  EXPECT_EQ(holds.report().indeterminate, 0);
  EXPECT_EQ(holds.mode(1), PERP_CONTACT_SLIP);
}

INSTANTIATE_TEST_SUITE_P(All, EventLimits, ::testing::ValuesIn(tools::kMethods),
                         tools::method_name);

}  // namespace
