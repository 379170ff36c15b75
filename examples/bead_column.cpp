// SPDX-License-Identifier: MIT
// A column of 1000 beads at rest on the ground, contact on contact (m, kg, s, N):
//   M dv_i = -M g dt + P_i - P_{i+1},  z_0 >= r,  z_i - z_{i-1} >= 2 r,  Newton impact e = 0.9.
// Exact: nothing moves, and contact i carries the weight above it, P_i = (N - i) M g h.
#include <cmath>
#include <cstdio>
#include <perp/perp.hpp>
#include <vector>

int main() {
  constexpr int N = 1000;
  constexpr double M = 1, g = 9.81, r = 0.1, h = 5e-4;
  perp::model m;
  const perp::lagrangian_linear bead(1, M, -M * g);
  perp::lagrangian_linear_relation ground(1.0), contact({-1.0, 1.0});
  ground.b = -r;
  contact.b = -2 * r;
  std::vector<perp::system_id> z;
  std::vector<perp::interaction_id> contacts;
  for (int i = 0; i < N; i++) {
    z.push_back(m.add(bead, {(2 * i + 1) * r - 1e-12 * (i + 1)}));  // closed, whatever rounds
    contacts.push_back(
        i == 0 ? m.connect(ground, perp::newton_impact(0.9), z.back())
               : m.connect(contact, perp::newton_impact(0.9), {z.end()[-2], z.end()[-1]}));
  }

  perp::simulation sim(m, h, 1000);
  if (sim.run() != PERP_END) return 1;
  double worst = 0, fastest = 0;
  std::puts("contact   force (N)   weight above (N)");
  for (std::size_t i = 0; i < N; i++) {
    const double weight = static_cast<double>(N - i) * M * g;
    double force = 0;
    sim.force(contacts[i], {&force, 1});
    worst = std::fmax(worst, std::abs(force / weight - 1));
    fastest = std::fmax(fastest, std::abs(sim.v(z[i])[0]));
    if (i % 100 == 0) std::printf("%7zu %11.4f %14.4f\n", i, force, weight);
  }
  const auto report = sim.report();
  std::printf("%zu bytes, %.0f contacts a step, relative error %.1e, speed %.1e m/s\n",
              sim.state_bytes() + sim.work_bytes(),
              static_cast<double>(report.active) / static_cast<double>(report.steps), worst,
              fastest);
  return worst < 1e-9 && fastest < 1e-9 ? 0 : 1;
}
