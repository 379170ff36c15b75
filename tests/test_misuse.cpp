// SPDX-License-Identifier: MIT
// What no simulation may be asked for: it is refused with a name, and nothing has changed.
#include <gtest/gtest.h>
#include <perp/perp.hpp>

#include <functional>

#include "model_tools.hpp"

namespace {

using namespace tools;

// A ball over a floor whose force calls what a test wants, once.
struct meddled {
  world w;
  perp_simulation *sim = nullptr;
  std::function<void(perp_simulation *)> meddle;
  int calls = 0;

  meddled() {
    make_ball(w, 1, 9.81, 1, 0, 0.5);
    w.bodies[0].force = force;
    w.bodies[0].user = this;
    w.options.switchable = 1;
    w.finish();
    perp_info info = PERP_INFO_INIT;
    EXPECT_EQ(perp_simulation_create(&sim, &w.model, &w.options, &info), PERP_OK) << info.field;
  }
  meddled(const meddled &) = delete;
  ~meddled() { perp_simulation_destroy(sim); }

  static std::int32_t force(double, double *f, void *user) {
    auto *self = static_cast<meddled *>(user);
    f[0] = 0;
    if (self->meddle && self->sim != nullptr) {
      self->calls++;
      self->meddle(self->sim);
    }
    return 0;
  }
  vec state() const { return {perp_simulation_q(sim, 0)[0], perp_simulation_v(sim, 0)[0]}; }
};

vec undisturbed(int steps) {
  meddled m;
  for (int k = 0; k < steps; k++) EXPECT_EQ(perp_simulation_step(m.sim, nullptr), PERP_OK);
  return m.state();
}

TEST(Misuse, AStepWithinAStepIsRefusedAndTheOuterOneGoesOn) {
  const std::function<perp_status(perp_simulation *, perp_info *)> inner[] = {
      [](perp_simulation *s, perp_info *info) { return perp_simulation_step(s, info); },
      [](perp_simulation *s, perp_info *info) { return perp_simulation_advance(s, 1e-3, info); },
      [](perp_simulation *s, perp_info *info) {
        return perp_simulation_run(s, 1, 1e9, nullptr, nullptr, info);
      }};
  for (const auto &step : inner) {
    meddled m;
    m.meddle = [&](perp_simulation *s) {
      perp_info info = PERP_INFO_INIT;
      EXPECT_EQ(step(s, &info), PERP_EINVAL);
      EXPECT_STREQ(info.field, "step within a step");
    };
    for (int k = 0; k < 20; k++) EXPECT_EQ(perp_simulation_step(m.sim, nullptr), PERP_OK);
    EXPECT_GT(m.calls, 0);
    EXPECT_EQ(m.state(), undisturbed(20));
  }
}

TEST(Misuse, NothingIsSwitchedWithinAStep) {
  meddled m;
  m.meddle = [](perp_simulation *s) {
    EXPECT_EQ(perp_simulation_set_active(s, 0, 0), PERP_EINVAL);
    EXPECT_EQ(perp_simulation_is_active(s, 0), 1);
  };
  for (int k = 0; k < 20; k++) EXPECT_EQ(perp_simulation_step(m.sim, nullptr), PERP_OK);
  EXPECT_EQ(m.state(), undisturbed(20));
}

TEST(Misuse, ASimulationIsNotDestroyedByItsOwnCallbackOrObserver) {
  meddled m;
  m.meddle = [](perp_simulation *s) { perp_simulation_destroy(s); };
  const perp_step_fn destroy = [](perp_simulation *s, void *) -> std::int32_t {
    perp_simulation_destroy(s);
    return 0;
  };
  EXPECT_EQ(perp_simulation_run(m.sim, 20, 1e9, destroy, nullptr, nullptr), PERP_OK);
  EXPECT_EQ(m.state(), undisturbed(20));
}

TEST(Misuse, AnObserverMayStep) {
  meddled m;
  const perp_step_fn again = [](perp_simulation *s, void *) -> std::int32_t {
    EXPECT_EQ(perp_simulation_step(s, nullptr), PERP_OK);
    return 0;
  };
  EXPECT_EQ(perp_simulation_run(m.sim, 10, 1e9, again, nullptr, nullptr), PERP_OK);
  EXPECT_EQ(m.state(), undisturbed(20));
}

TEST(Misuse, BlocksThatOverlapAreRefused) {
  world w;
  make_ball(w, 1, 9.81, 1, 0, 0.5);
  w.finish();
  const std::size_t state = perp_simulation_state_size(&w.model, &w.options);
  const std::size_t work = perp_simulation_work_size(&w.model, &w.options);
  std::vector<std::uint64_t> block((state + 2 * work) / 8 + 2);
  auto *bytes = reinterpret_cast<unsigned char *>(block.data());
  const auto init = [&](std::size_t state_at, std::size_t work_at) {
    perp_simulation *sim = nullptr;
    perp_info info = PERP_INFO_INIT;
    const perp_status status = perp_simulation_init(&sim, &w.model, &w.options, bytes + state_at,
                                                    state, bytes + work_at, work, &info);
    if (status == PERP_OK) perp_simulation_release(sim);
    if (status != PERP_OK) {
      EXPECT_STREQ(info.field, "work overlaps state");
    }
    return status;
  };
  const std::size_t above = (work + 7) / 8 * 8;
  EXPECT_EQ(init(0, state), PERP_OK) << "work right behind the state";
  EXPECT_EQ(init(0, state - 1), PERP_EINVAL);
  EXPECT_EQ(init(0, 0), PERP_EINVAL);
  EXPECT_EQ(init(above, 0), PERP_OK) << "the state right behind work";
  EXPECT_EQ(init(above - 8, 0), PERP_EINVAL);
}

// ---- models ----

std::string refusal(world &w) {
  perp_info info = PERP_INFO_INIT;
  return perp_model_check(w.finish(), &info) == PERP_OK ? "" : info.field;
}

TEST(Misuse, AMassThatIsNoneIsRefused) {
  const auto refuses = [](const vec &M) {
    world w;
    perp_lagrangian_linear &s = w.body(2);
    s.M = M.size() == 2 ? perp_diagonal(2, w.keep(M)) : perp_dense(2, 2, w.keep(M));
    w.add(s.system);
    return refusal(w) == "M";
  };
  EXPECT_FALSE(refuses({2, 1}));
  EXPECT_FALSE(refuses({2, 0.5, 0.5, 1}));
  EXPECT_FALSE(refuses({2, 0.5 + 1e-12, 0.5, 1})) << "rounding";
  EXPECT_TRUE(refuses({2, -1}));
  EXPECT_TRUE(refuses({2, 0}));
  EXPECT_TRUE(refuses({-1, 0, 0, -1}));
  EXPECT_TRUE(refuses({2, 0.5, 0, 1})) << "not symmetric";
  EXPECT_TRUE(refuses({1, 2, 2, 1})) << "indefinite";
}

TEST(Misuse, AMassThatOnlyItsFactorShowsToBeNoneIsRefused) {
  world w;
  perp_lagrangian_linear &s = w.body(3);
  const double a = -0.9;  // every pair is definite, (1, 1, 1) is a direction of energy < 0
  s.M = perp_dense(3, 3, w.keep({1, a, a, a, 1, a, a, a, 1}));
  w.add(s.system);
  w.finish();
  perp_simulation *sim = nullptr;
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(perp_simulation_create(&sim, &w.model, &w.options, &info), PERP_EINVAL);
  EXPECT_STREQ(info.field, "M");
}

perp::model hanging(const perp::joint &j, const perp::law &law, const std::vector<double> &q) {
  perp::model m;
  const auto b = m.add(perp::body(2, {1, 2, 3}, {0, 0, -19.6}), q);
  m.connect(j, law, b);
  return m;
}

std::string field_of(const std::function<void()> &f) {
  try {
    f();
  } catch (const perp::error &e) {
    return e.field();
  }
  return "";
}

TEST(Misuse, AJointHoldsAndIsClosedAtTheStart) {
  const std::vector<double> at = {0, 0, 1, 1, 0, 0, 0}, off = {0, 0, 2, 1, 0, 0, 0};
  const perp::joint j = perp::spherical_joint({0, 0, 0}, at);
  const auto start = [&](const perp::law &law, const std::vector<double> &q) {
    return field_of([&] { (void)perp::simulation(hanging(j, law, q), 1e-3).step(); });
  };
  EXPECT_EQ(start(perp::equality(), at), "");
  EXPECT_EQ(start(perp::newton_impact(0.5), at), "law");
  EXPECT_EQ(start(perp::equality(), off), "initial gap") << "1 m open";
}

TEST(Misuse, AJointPlacedForTwoBodiesJoinsTwo) {
  const std::vector<double> at = {0, 0, 1, 1, 0, 0, 0}, other = {0, 0, -1, 1, 0, 0, 0};
  EXPECT_EQ(field_of([&] {
              const perp::joint j = perp::spherical_joint({0, 0, 0}, at, other);
              (void)perp::simulation(hanging(j, perp::equality(), at), 1e-3).step();
            }),
            "systems");
}

}  // namespace
