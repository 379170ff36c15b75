// SPDX-License-Identifier: MIT
// The models of examples/models have the bits of the programs of examples/: each program is run as
// it is, its steps are recorded, and the file's run is compared with them number by number.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "io/model.hpp"

extern "C" {
extern void (*recorded_step_seen)(perp_simulation *sim);
int program_bouncing_ball(void);
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

std::vector<double> recorded;
bool first_run;
std::int64_t last_index, stride, most;

void seen(perp_simulation *sim) {
  const std::int64_t index = perp_simulation_step_index(sim);
  if (index <= last_index) first_run = false; /* the program begins anew */
  last_index = index;
  if (first_run && index % stride == 0 && index <= most) look(sim, &recorded);
}

// stride: every which step is compared; most: the last one.
void same_bits(const char *name, int (*program)(), std::int64_t every, std::int64_t last) {
  recorded.clear();
  first_run = true, last_index = 0, stride = every, most = last;
  recorded_step_seen = seen;
  testing::internal::CaptureStdout();
  const int code = program();
  (void)testing::internal::GetCapturedStdout();
  ASSERT_EQ(code, 0);
  ASSERT_FALSE(recorded.empty());

  const auto m = perp::io::load_model(std::string(PERP_SOURCE_DIR) + "/examples/models" + "/" +
                                      name + ".toml");
  perp_simulation *sim = nullptr;
  perp_info info = PERP_INFO_INIT;
  ASSERT_EQ(perp_builder_simulate(m->builder.get(), &sim, &info), PERP_OK) << info.field;
  std::vector<double> mine;
  while (perp_simulation_step_index(sim) < last && perp_simulation_step(sim, &info) == PERP_OK)
    if (perp_simulation_step_index(sim) % every == 0) look(sim, &mine);
  perp_simulation_destroy(sim);
  ASSERT_EQ(mine.size(), recorded.size());
  for (std::size_t k = 0; k < mine.size(); k++)
    ASSERT_EQ(std::memcmp(&mine[k], &recorded[k], sizeof(double)), 0)
        << name << ": number " << k << " is " << mine[k] << ", in the program " << recorded[k];
}

}  // namespace

TEST(ModelPrograms, Ball) { same_bits("ball", program_bouncing_ball, 1, 100000); }
TEST(ModelPrograms, Beads) { same_bits("beads", program_bead_column, 10, 4000); }
TEST(ModelPrograms, DiodeBridge) { same_bits("diode_bridge", program_diode_bridge, 1, 50000); }
TEST(ModelPrograms, Rectifier) { same_bits("rectifier", program_rectifier, 1, 1000); }
TEST(ModelPrograms, Relay) { same_bits("relay", program_relay, 1, 50); }
TEST(ModelPrograms, FrictionOscillator) {
  same_bits("friction_oscillator", program_friction_oscillator, 1, 40000);
}
TEST(ModelPrograms, SlidingBox) { same_bits("sliding_box", program_sliding_box, 1, 10000); }
TEST(ModelPrograms, Twisting) { same_bits("twisting", program_twisting, 1, 8000); }
TEST(ModelPrograms, Woodpecker) { same_bits("woodpecker", program_woodpecker, 1, 100000); }

// The program takes the derivatives of N by differences, the file has exact ones: the same motion,
// not the same bits.
TEST(ModelPrograms, DoublePendulum) {
  recorded.clear();
  first_run = true, last_index = 0, stride = 1, most = 5000;
  recorded_step_seen = seen;
  testing::internal::CaptureStdout();
  ASSERT_EQ(program_double_pendulum(), 0);
  (void)testing::internal::GetCapturedStdout();
  const auto m = perp::io::load_model(std::string(PERP_SOURCE_DIR) + "/examples/models" +
                                      "/double_pendulum.toml");
  perp_simulation *sim = nullptr;
  ASSERT_EQ(perp_builder_simulate(m->builder.get(), &sim, nullptr), PERP_OK);
  std::vector<double> mine;
  for (int k = 0; k < 5000; k++) {
    ASSERT_EQ(perp_simulation_step(sim, nullptr), PERP_OK);
    look(sim, &mine);
  }
  perp_simulation_destroy(sim);
  ASSERT_EQ(mine.size(), recorded.size());
  for (std::size_t k = 0; k < mine.size(); k++) ASSERT_NEAR(mine[k], recorded[k], 1e-6);
}
