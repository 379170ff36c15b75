// SPDX-License-Identifier: MIT
// A ball dropped from 1 m (m, kg, s): M dv = -M g dt + impulses, q >= 0, v+ = -0.9 v- at impacts.
// At rest (exact: from 8.58 s on) every step carries the impulse M g h = 0.04905 N s.
#include <cmath>
#include <cstdio>
#include <perp/perp.hpp>

int main() {
  perp::model m;
  perp::lagrangian_linear ball(1);
  ball.M = 1.0;
  ball.f = -9.81;
  const auto b = m.add(ball, {1.0});
  const auto floor = m.connect(perp::lagrangian_linear_relation(1.0), perp::newton_impact(0.9), b);

  perp::simulation sim(m, 0.005, 2000);
  for (const auto &s : sim.steps()) {
    if (s.step_index() % 100 == 0) {
      std::printf("%5.2f s %9.5f m %9.5f m/s %9.5f N s\n", s.time(), s.q(b)[0], s.v(b)[0],
                  s.lambda(floor)[0]);
    }
  }
  return sim.status() == PERP_END && std::abs(sim.lambda(floor)[0] - 0.04905) < 1e-12 ? 0 : 1;
}
