// SPDX-License-Identifier: MIT
// Four circuits of a capacitor (v), an inductor (i), a resistor and an ideal diode (V, A, s), after
// [Acary, Bonnefon and Brogliato 2011]; 0 <= y _|_ l >= 0 with
//   a: C v' = i - (v + l)/R,  L i' = -(v + l),        y = (v + l)/R - i,  R burns (v + l)^2/R
//   b: C v' = l - i,          L i' = v,               y = v + R l,                R l^2
//   c: C v' = i,              L i' = -(R i + v + l),  y = -i,                     R i^2
//   d: C v' = i - v/R,        L i' = -(v + l),        y = -i,                     v^2/R
// Checked: R burns what C and L lose. Exact: a ring of frequency w^2 = 1/(L C) - a^2 keeps
// exp(-pi a/w) of its height in half a cycle. The diode of c lets one half pass, a = R/(2 L), and
// then C holds its charge; b rings freely while v > 0, and below 0 with a = 1/(2 R C).
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <perp/perp.hpp>

int main(int argc, char **argv) {
  constexpr double L = 1e-2, C = 1e-6, R[] = {200, 1000, 20, 1000};  // H, F, Ohm
  constexpr double v0 = 10, h = 1e-7, pi = 3.14159265358979323846;
  const perp::array A[] = {perp::rows({{-1 / (R[0] * C), 1 / C}, {-1 / L, 0}}),
                           perp::rows({{0, -1 / C}, {1 / L, 0}}),
                           perp::rows({{0, 1 / C}, {-1 / L, -R[2] / L}}),
                           perp::rows({{-1 / (R[3] * C), 1 / C}, {-1 / L, 0}})};
  perp::linear_relation wires[4];
  wires[0].C = {1 / R[0], -1}, wires[0].D = 1 / R[0], wires[0].B = {-1 / (R[0] * C), -1 / L};
  wires[1].C = {1, 0}, wires[1].D = R[1], wires[1].B = {1 / C, 0};
  for (const int c : {2, 3}) wires[c].C = {0, -1}, wires[c].B = {0, -1 / L};
  perp::model m;  // of four circuits that do not know of each other
  perp::system_id circuit[4];
  perp::interaction_id diode[4];
  for (int c = 0; c < 4; c++) {
    circuit[c] = m.add(perp::first_order_linear(2, A[c]), {v0, 0});
    diode[c] = m.connect(wires[c], perp::complementarity(), circuit[c]);
  }

  std::ofstream csv(argc > 1 ? argv[1] : "");  // for a plot, if a file is named
  csv << "time (s)";
  for (const char c : {'a', 'b', 'c', 'd'})
    csv << ",voltage " << c << " (V),current " << c << " (A)";
  csv << '\n';
  double v[] = {v0, v0, v0, v0}, i[4] = {}, burnt[4] = {}, missing[4] = {}, highest[9] = {};
  std::size_t half = 0;  // half cycles of b that began
  perp::simulation sim(m, h, 50000);
  std::puts("  t (ms)       v of a         b         c         d (V)");
  for (const auto &s : sim.steps()) {
    const bool write = s.step_index() % 50 == 0, print = s.step_index() % 2500 == 0;
    if (write) csv << s.time();
    if (print) std::printf("%8.2f    ", 1e3 * s.time());
    for (int c = 0; c < 4; c++) {
      const double now = s.x(circuit[c])[0], flow = s.x(circuit[c])[1], l = s.lambda(diode[c])[0];
      const double mean = (v[c] + now) / 2, i_mean = (i[c] + flow) / 2;
      const double u[] = {mean + l, R[1] * l, R[2] * i_mean, mean};  // of the resistors
      burnt[c] += h * u[c] * u[c] / R[c];
      missing[c] = 1 - (C * now * now + L * flow * flow + 2 * burnt[c]) / (C * v0 * v0);
      if (c == 1 && v[1] <= 0 && now > 0) half++;
      v[c] = now, i[c] = flow;
      if (write) csv << ',' << now << ',' << flow;
      if (print) std::printf("%10.5f", now);
    }
    if (half < 9) highest[half] = std::fmax(highest[half], v[1]);
    if (write) csv << '\n';
    if (print) std::puts("");
  }
  const auto kept = [&](double a) { return std::exp(-pi * a / std::sqrt(1 / (L * C) - a * a)); };
  const double held = -v0 * kept(R[2] / (2 * L));
  bool right = sim.status() == PERP_END && half == 8 && std::abs(v[2] - held) < 1e-5;
  for (const double x : missing) right = right && std::abs(x) < 2e-4;
  for (std::size_t k = 0; k < 8; k++) {
    const double exact = v0 * std::pow(kept(1 / (2 * R[1] * C)), static_cast<double>(k));
    std::printf("%zu. peak of b %.6f V, exact %.6f V\n", k, highest[k], exact);
    right = right && std::abs(highest[k] - exact) < 1e-3 * v0;
  }
  std::printf("c holds %.6f V, exact %.6f V; energy missing %.0e %.0e %.0e %.0e; %s\n", v[2], held,
              missing[0], missing[1], missing[2], missing[3], perp_status_string(sim.status()));
  return right ? 0 : 1;
}
