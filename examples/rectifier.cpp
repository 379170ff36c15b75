// SPDX-License-Identifier: MIT
// A power supply: mains transformer E sin(2 pi f t) with winding r and leakage L, a bridge of four
// ideal diodes, a capacitor C that smooths, a load R (V, A, s). i: current of the winding, v:
// voltage of C, l0, l1: potentials of the ends of the winding, l2, l3: currents of the upper
// diodes:
//   L i' = E sin(2 pi f t) - r i - l0 + l1,   C v' = l2 + l3 - v/R,   0 <= y _|_ l >= 0  with
//   y0 = l2 - i,  y1 = l3 + i  (currents of the lower diodes),   y2 = v - l0,  y3 = v - l1.
// Checked: energy of the mains = heat in r and R + what L and C hold; in the steady state the mean
// current of the bridge is that of the load, and both half waves are alike.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <perp/perp.hpp>

int main(int argc, char **argv) {
  constexpr double E = 17, f = 50, r = 0.5, L = 5e-4, C = 1e-3, R = 100, h = 1e-5;
  constexpr double pi = 3.14159265358979323846;
  constexpr int half = 1000, steps = 20 * half;  // steps of half a wave, of the run
  perp::first_order_linear circuit(2);
  circuit.M = {L, C};
  circuit.A = {-r, -1 / R};
  circuit.input = [](double t, perp::span b) { b[0] = E * std::sin(2 * pi * f * t), b[1] = 0; };
  perp::linear_relation bridge;
  bridge.C = perp::rows({{-1, 0}, {1, 0}, {0, 1}, {0, 1}});
  bridge.D = perp::rows({{0, 0, 1, 0}, {0, 0, 0, 1}, {-1, 0, 0, 0}, {0, -1, 0, 0}});
  bridge.B = perp::rows({{-1, 1, 0, 0}, {0, 0, 1, 1}});
  perp::model m;
  const auto x = m.add(circuit, {0, 0});
  const auto diodes = m.connect(bridge, perp::complementarity(), x);

  std::ofstream csv(argc > 1 ? argv[1] : "");  // for a plot, if a file is named
  csv << "time (s),mains (V),winding (A),capacitor (V),bridge (A),energy in (J),energy burnt (J),"
         "energy stored (J)\n";
  perp::simulation_options o;
  o.h = h, o.steps = steps;
  perp::simulation sim(m, o);
  double in = 0, burnt = 0, i = 0, v = 0, mean = 0, load = 0, lowest = E, highest = 0, alike = 0;
  double wave[half] = {};
  std::puts("  t (ms)   v (V)    i (A)   from the mains (J)  burnt (J)  stored (J)");
  for (const auto &s : sim.steps()) {
    const double t = s.time(), i_next = s.x(x)[0], v_next = s.x(x)[1];
    const double e = E * (std::sin(2 * pi * f * t) + std::sin(2 * pi * f * (t - h))) / 2;
    const double im = (i + i_next) / 2, vm = (v + v_next) / 2;
    const double out = s.lambda(diodes)[2] + s.lambda(diodes)[3];
    i = i_next, v = v_next;
    in += h * e * im, burnt += h * (r * im * im + vm * vm / R);
    const double stored = (L * i * i + C * v * v) / 2;
    const auto k = static_cast<int>(s.step_index() % half);
    if (s.step_index() > steps - half) {  // the last half wave
      mean += out / half, load += vm / R / half, alike = std::fmax(alike, std::abs(wave[k] - v));
      lowest = std::fmin(lowest, v), highest = std::fmax(highest, v);
    }
    wave[k] = v;
    if (s.step_index() % 10 == 0) {
      csv << t << ',' << E * std::sin(2 * pi * f * t) << ',' << i << ',' << v << ',' << out << ','
          << in << ',' << burnt << ',' << stored << '\n';
    }
    if (k == 0) {
      std::printf("%8.1f %7.4f %8.5f %20.5f %10.5f %11.5f\n", 1e3 * t, v, i, in, burnt, stored);
    }
  }
  const double missing = (in - burnt - (L * i * i + C * v * v) / 2) / in;
  std::printf(
      "%.3f V to %.3f V; bridge %.6f A, load %.6f A; half waves differ by %.0e V; energy "
      "missing %.0e; %s\n",
      lowest, highest, mean, load, alike, missing, perp_status_string(sim.status()));
  return sim.status() == PERP_END && std::abs(missing) < 2e-3 && std::abs(mean - load) < 1e-6 &&
                 alike < 1e-6
             ? 0
             : 1;
}
