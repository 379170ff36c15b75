// SPDX-License-Identifier: MIT
// What no simulation may be asked for: it is refused with a name, and nothing has changed.
#include <gtest/gtest.h>

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

}  // namespace
