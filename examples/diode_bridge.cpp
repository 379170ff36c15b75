// SPDX-License-Identifier: MIT
// An LC oscillator feeds a resistor through a bridge of four ideal diodes (V, A, s):
//   C dv/dt = -i - l2 + l3,  L di/dt = v,  0 <= y _|_ l >= 0  with
//   y0 = (l0 + l1)/R - l2,  y1 = (l0 + l1)/R - l3,  y2 = l0 - v,  y3 = l1 + v;
// l0, l1 voltages of two diodes, l2, l3 currents of the others. Checked: the resistor carries
// |v|/R, and what it has burnt is what the oscillator has lost.
#include <cmath>
#include <cstdio>
#include <perp/perp.hpp>

int main() {
  constexpr double L = 1e-2, C = 1e-6, R = 1e3, h = 1e-7;  // H, F, Ohm, s
  perp::model m;
  const perp::first_order_linear oscillator(2, perp::rows({{0, -1 / C}, {1 / L, 0}}));
  const auto x = m.add(oscillator, {10.0, 0.0});  // v = 10 V, i = 0
  perp::linear_relation wires;
  wires.C = perp::rows({{0, 0}, {0, 0}, {-1, 0}, {1, 0}});
  wires.D = perp::rows({{1 / R, 1 / R, -1, 0}, {1 / R, 1 / R, 0, -1}, {1, 0, 0, 0}, {0, 1, 0, 0}});
  wires.B = perp::rows({{0, 0, -1 / C, 1 / C}, {0, 0, 0, 0}});
  const auto bridge = m.connect(wires, perp::complementarity(), x);

  const auto stored = [&](perp::view s) { return (C * s[0] * s[0] + L * s[1] * s[1]) / 2; };
  perp::simulation sim(m, h, 50000);
  double burnt = 0, worst = 0;
  std::puts("  t (ms)    v (V)   i (mA)   resistor (mA)  stored (uJ)  burnt (uJ)");
  for (const auto &s : sim.steps()) {
    const auto l = s.lambda(bridge);
    const double v = s.x(x)[0], load = (l[0] + l[1]) / R;
    burnt += h * R * load * load;
    worst = std::fmax(worst, std::abs(load - std::abs(v) / R));
    if (s.step_index() % 2500 == 0) {
      std::printf("%8.2f %9.4f %8.4f %14.4f %12.4f %11.4f\n", 1e3 * s.time(), v, 1e3 * s.x(x)[1],
                  1e3 * load, 1e6 * stored(s.x(x)), 1e6 * burnt);
    }
  }
  const double missing = (stored(perp::view({10.0, 0.0})) - stored(sim.x(x)) - burnt) / burnt;
  std::printf("energy missing %.1e of what was burnt; %s\n", missing,
              perp_status_string(sim.status()));
  return sim.status() == PERP_END && worst < 1e-12 && std::abs(missing) < 1e-3 ? 0 : 1;
}
