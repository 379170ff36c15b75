// SPDX-License-Identifier: MIT
// The models of examples/models have the bits of the programs of examples/: each program is run as
// it is, its steps are recorded, and the file's run is compared with them number by number.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "io/model.hpp"
#include "sanitized.hpp"

extern "C" {
extern void (*recorded_step_seen)(perp_simulation *sim);
extern void (*recorded_run_seen)(perp_event_driven *sim, double until);
int program_bouncing_ball(void);
int program_bouncing_ball_events(void);
int program_bead_column(void);
int program_double_pendulum(void);
int program_diode_bridge(void);
int program_rectifier(void);
int program_relay(void);
int program_friction_oscillator(void);
int program_sliding_box(void);
int program_twisting(void);
int program_woodpecker(void);
}
int program_bead_pulse(int argc, char **argv);
int program_buck(int argc, char **argv);
int program_cam_follower();
int program_chain(int argc, char **argv);
int program_cohesive_block(int argc, char **argv);
int program_cam_follower_events(int argc, char **argv);
int program_impacting_bar(int argc, char **argv);
int program_inverter(int argc, char **argv);
int program_masonry(int argc, char **argv);
int program_newtons_cradle_events(int argc, char **argv);
int program_own_law();
int program_pa10(int argc, char **argv);
int program_relay_spiral(int argc, char **argv);
int program_rlc_diode(int argc, char **argv);
int program_rocking_block(int argc, char **argv);
int program_rolling_ball(int argc, char **argv);
int program_slider_crank(int argc, char **argv);
int program_sliding_block(int argc, char **argv);
int program_sliding_mode(int argc, char **argv);
int program_sliding_relay(int argc, char **argv);
int program_stick_slip(int argc, char **argv);
int program_stick_slip_events(int argc, char **argv);

namespace {

// Positions, velocities, states and λ of everything, and the time.
void look(perp_simulation *sim, std::vector<double> *to) {
  to->push_back(perp_simulation_time(sim));
  const auto take = [to](const double *from, std::int32_t n) {
    if (from != nullptr) to->insert(to->end(), from, from + n);
  };
  for (std::int32_t s = 0;; s++) {
    const std::int32_t q = perp_simulation_n_q(sim, s), x = perp_simulation_n_x(sim, s);
    if (q == 0 && x == 0) break;
    take(perp_simulation_q(sim, s), q);
    take(perp_simulation_v(sim, s), perp_simulation_n_v(sim, s));
    take(perp_simulation_x(sim, s), x);
  }
  for (std::int32_t k = 0; perp_simulation_n_rows(sim, k) > 0; k++)
    take(perp_simulation_lambda(sim, k), perp_simulation_n_rows(sim, k));
}

// The same of an event-driven run, and what it has counted.
void look(perp_event_driven *sim, std::vector<double> *to) {
  to->push_back(perp_event_driven_time(sim));
  const auto take = [to](const double *from, std::int32_t n) {
    if (from != nullptr) to->insert(to->end(), from, from + n);
  };
  for (std::int32_t s = 0;; s++) {
    const std::int32_t q = perp_event_driven_n_q(sim, s), x = perp_event_driven_n_x(sim, s);
    if (q == 0 && x == 0) break;
    take(perp_event_driven_q(sim, s), q);
    take(perp_event_driven_v(sim, s), perp_event_driven_n_v(sim, s));
    take(perp_event_driven_x(sim, s), x);
  }
  for (std::int32_t k = 0; perp_event_driven_n_rows(sim, k) > 0; k++)
    take(perp_event_driven_lambda(sim, k), perp_event_driven_n_rows(sim, k));
  perp_event_report r = PERP_EVENT_REPORT_INIT;
  ASSERT_EQ(perp_event_driven_report(sim, &r), PERP_OK);
  for (const std::int64_t count : {r.events, r.impacts, r.steps})
    to->push_back(static_cast<double>(count));
}

// A run of a simulation, which may lie where one before it lay.
struct one_run {
  const perp_simulation *sim;
  std::int64_t last;  // index of its last step
};
std::vector<double> recorded;
std::vector<one_run> begun;  // in their order
std::size_t watched;         // which of them is looked at
std::int64_t stride = 1, most;

void seen(perp_simulation *sim) {
  const std::int64_t index = perp_simulation_step_index(sim);
  auto run = std::find_if(begun.rbegin(), begun.rend(),
                          [sim](const one_run &each) { return each.sim == sim; });
  if (run == begun.rend() || index <= run->last) {
    begun.push_back({sim, 0});
    run = begun.rbegin();
  }
  run->last = index;
  if (&*run == &begun.front() + watched && index % stride == 0 && index <= most)
    look(sim, &recorded);
}

// Up to which time the first run went.
double seen_until;

void seen_at_end(perp_event_driven *sim, double until) {
  if (!recorded.empty()) return;
  look(sim, &recorded);
  seen_until = until;
}

int called(int (*program)(void)) { return program(); }
int called(int (*program)(int, char **)) {
  char name[] = "program", *argv[] = {name, nullptr};
  return program(1, argv);
}

template <class Program>
void record(Program program) {
  recorded.clear();
  begun.clear();
  recorded_step_seen = seen, recorded_run_seen = seen_at_end;
  testing::internal::CaptureStdout();
  const int code = called(program);
  (void)testing::internal::GetCapturedStdout();
  ASSERT_EQ(code, 0);
  ASSERT_FALSE(recorded.empty());
}

std::string file_of(const char *name) {
  return std::string(PERP_SOURCE_DIR) + "/examples/models/" + name + ".toml";
}

// Within tol; 0: bit by bit.
void compare(const char *name, const std::vector<double> &mine, double tol) {
  ASSERT_EQ(mine.size(), recorded.size());
  for (std::size_t k = 0; k < mine.size(); k++) {
    const bool same = tol > 0 ? std::fabs(mine[k] - recorded[k]) <= tol
                              : std::memcmp(&mine[k], &recorded[k], sizeof(double)) == 0;
    ASSERT_TRUE(same) << name << ": number " << k << " is " << mine[k] << ", in the program "
                      << recorded[k];
  }
}

// every: which steps are compared; last: the last one.
template <class Program>
void same(const char *name, Program program, std::int64_t every, std::int64_t last, double tol = 0,
          std::size_t which = 0) {
  stride = every, most = last, watched = which;
  record(program);
  perp::io::plugin_permission may;
  may.folder = true;
  const auto m = perp::io::load_model(file_of(name), {}, may);
  perp_simulation *sim = nullptr;
  perp_info info = PERP_INFO_INIT;
  ASSERT_EQ(perp_builder_simulate(m->builder.get(), &sim, &info), PERP_OK) << info.field;
  std::vector<double> mine;
  while (perp_simulation_step_index(sim) < last && perp_simulation_step(sim, &info) == PERP_OK)
    if (perp_simulation_step_index(sim) % every == 0) look(sim, &mine);
  perp_simulation_destroy(sim);
  compare(name, mine, tol);
}

// The end of an event-driven run.
template <class Program>
void same_end(const char *name, Program program, double tol = 0) {
  most = 0;  // of steps nothing is recorded
  record(program);
  const auto m = perp::io::load_model(file_of(name));
  EXPECT_EQ(m->until, seen_until);
  perp_event_driven *sim = nullptr;
  perp_info info = PERP_INFO_INIT;
  ASSERT_EQ(perp_event_driven_create(&sim, perp_builder_model(m->builder.get()), &m->events, &info),
            PERP_OK)
      << info.field;
  ASSERT_EQ(perp_event_driven_run(sim, m->until, nullptr, &info), PERP_OK);
  std::vector<double> mine;
  look(sim, &mine);
  perp_event_driven_destroy(sim);
  compare(name, mine, tol);
}

}  // namespace

TEST(ModelPrograms, Ball) { same("ball", program_bouncing_ball, 1, 100000); }
TEST(ModelPrograms, Beads) { same("beads", program_bead_column, 10, 4000); }
TEST(ModelPrograms, DiodeBridge) { same("diode_bridge", program_diode_bridge, 1, 50000); }
TEST(ModelPrograms, Rectifier) { same("rectifier", program_rectifier, 1, 1000); }
TEST(ModelPrograms, Relay) { same("relay", program_relay, 1, 50); }
TEST(ModelPrograms, FrictionOscillator) {
  same("friction_oscillator", program_friction_oscillator, 1, 40000);
}
TEST(ModelPrograms, SlidingBox) { same("sliding_box", program_sliding_box, 1, 10000); }
TEST(ModelPrograms, Twisting) { same("twisting", program_twisting, 1, 8000); }
TEST(ModelPrograms, Woodpecker) { same("woodpecker", program_woodpecker, 1, 100000); }

TEST(ModelPrograms, BeadPulse) { same("bead_pulse", program_bead_pulse, 1, 5000); }
TEST(ModelPrograms, Buck) { same("buck", program_buck, 1, 60000, 1e-11); }
TEST(ModelPrograms, CamFollower) { same("cam_follower", program_cam_follower, 1, 100000); }
TEST(ModelPrograms, Chain) { same("chain", program_chain, 1, 1000, 0, 1); }
TEST(ModelPrograms, CohesiveBlock) { same("cohesive_block", program_cohesive_block, 1, 1000); }
TEST(ModelPrograms, ImpactingBar) { same("impacting_bar", program_impacting_bar, 50, 10000); }
TEST(ModelPrograms, Inverter) { same("inverter", program_inverter, 1, 1600, 1e-12, 1); }
TEST(ModelPrograms, Masonry) {
#if SANITIZED
  GTEST_SKIP() << "Python's interpreter has leaks at its end";
#endif
  if (std::system("python3 -c 'import numpy' 2>/dev/null") != 0)
    GTEST_SKIP() << "no python3 with NumPy";
  same("masonry", program_masonry, 1, 600);
}
TEST(ModelPrograms, OwnLaw) { same("own_law", program_own_law, 1, 2000); }
TEST(ModelPrograms, RelaySpiral) { same("relay_spiral", program_relay_spiral, 1, 80000); }
TEST(ModelPrograms, RlcDiode) { same("rlc_diode", program_rlc_diode, 1, 50000); }
TEST(ModelPrograms, RollingBall) { same("rolling_ball", program_rolling_ball, 1, 2500); }
TEST(ModelPrograms, SlidingBlock) { same("sliding_block", program_sliding_block, 1, 1000); }
TEST(ModelPrograms, SlidingMode) { same("sliding_mode", program_sliding_mode, 1, 5000); }
TEST(ModelPrograms, StickSlip) { same("stick_slip", program_stick_slip, 1, 50000); }

TEST(ModelPrograms, BallByEvents) { same_end("ball_events", program_bouncing_ball_events); }
TEST(ModelPrograms, CamFollowerByEvents) {
  same_end("cam_follower_events", program_cam_follower_events, 1e-9);
}
TEST(ModelPrograms, NewtonsCradle) { same_end("newtons_cradle", program_newtons_cradle_events); }
TEST(ModelPrograms, RockingBlock) { same_end("rocking_block", program_rocking_block, 1e-12); }
TEST(ModelPrograms, SlidingRelay) { same_end("sliding_relay", program_sliding_relay); }
TEST(ModelPrograms, StickSlipByEvents) { same_end("stick_slip_events", program_stick_slip_events); }

// The programs take the derivatives of N by differences, the files have exact ones: the same
// motion, not the same bits.
TEST(ModelPrograms, DoublePendulum) {
  same("double_pendulum", program_double_pendulum, 1, 5000, 1e-6);
}
TEST(ModelPrograms, Pa10) { same("pa10", program_pa10, 1, 7000, 1e-6); }
TEST(ModelPrograms, SliderCrank) { same("slider_crank", program_slider_crank, 1, 12600, 1e-6); }
