// SPDX-License-Identifier: MIT
// A user of perp::cxx: a ball that falls for 0.1 s.
#include <cmath>
#include <perp/perp.hpp>

int main() {
  perp::model m;
  perp::lagrangian_linear ball(1);
  ball.M = 1.0;
  ball.f = -9.81;
  const auto b = m.add(ball, {1.0});
  m.connect(perp::lagrangian_linear_relation(1.0), perp::newton_impact(0.9), b);

  perp::simulation sim(m, 0.001, 100);
  int steps = 0;
  for (const auto &s : sim.steps()) steps += s.time() > 0;
  return steps == 100 && sim.status() == PERP_END && std::abs(sim.v(b)[0] + 0.981) < 1e-12 ? 0 : 1;
}
