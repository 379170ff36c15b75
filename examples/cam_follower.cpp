// SPDX-License-Identifier: MIT
// A follower pressed on a cam by a spring (m, kg, s, N), q its height above the cam:
//   m q'' + k q = F(t) + contact force,  F = -(m c'' + k c),  q >= 0,  q'+ = -0.8 q'-.
// Checked between impacts: the height u = q + c follows m u'' + k u = 0, so that the energy
// m u'^2 / 2 + k u^2 / 2 stays as it is.
#include <cmath>
#include <cstdio>
#include <perp/perp.hpp>

#include "cam.h"

int main() {
  constexpr double mass = 1.221, stiffness = 1430.8, rpm = 358, h = 1e-5;
  perp::lagrangian_linear follower(1, mass);
  follower.K = stiffness;
  follower.force = [=](double t, perp::span f) {
    const cam c = cam_at(t, rpm);
    f[0] = -(mass * c.acceleration + stiffness * c.position);
  };
  perp::model m;
  const auto q = m.add(follower, {0.4}, {0.4});  // m, m/s
  const auto contact =
      m.connect(perp::lagrangian_linear_relation(1.0), perp::newton_impact(0.8), q);

  perp::simulation sim(m, h, 100000);
  double before = 0, change = 0, drift = 0;
  std::puts("  t (s)   follower (m)   cam (m)   speed over cam (m/s)   energy (J)");
  for (const auto &s : sim.steps()) {
    const cam c = cam_at(s.time(), rpm);
    const double u = s.q(q)[0] + c.position, du = s.v(q)[0] + c.velocity;
    const double energy = mass * du * du / 2 + stiffness * u * u / 2;
    change = before > 0 && s.lambda(contact)[0] == 0 ? change + energy - before : 0;
    drift = std::fmax(drift, std::abs(change) / energy);
    before = energy;
    if (s.step_index() % 5000 == 0) {
      std::printf("%7.3f %14.5f %9.5f %22.5f %12.3f\n", s.time(), u, c.position, s.v(q)[0], energy);
    }
  }
  const auto report = sim.report();
  std::printf("%d impacts, relative energy drift of a flight %.1e, penetration %.1e m\n",
              static_cast<int>(report.impacts), drift, report.penetration);
  return sim.status() == PERP_END && report.impacts > 10 && drift < 1e-2 ? 0 : 1;
}
