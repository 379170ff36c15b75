// SPDX-License-Identifier: MIT
// A buck converter: a switch puts the source E on the inductor (i) in the part D of each period T,
// otherwise the diode carries its current; capacitor (v), load R and, in the first half, J (V, A,
// s):
//   L i' = u - r i - v,  C v' = i - v/R - J(t),
//   0 <= u _|_ i - s >= 0 (diode),   0 <= s _|_ u - z >= 0 (switch),
// u the voltage behind the switch, s its current, z = E while it is closed and -E while it is open.
// Times lie on the edges of the pulses. Checked: the mean of v, exactly (D E - r J)/(1 + r/R) while
// i flows always; and, to 1 %, the textbook's 2 E/(1 + sqrt(1 + 8 L/(R T D^2))) where it stops in
// each period; the source gives what is burnt and stored, to rounding.
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <perp/perp.hpp>

int main(int argc, char **argv) {
  constexpr double E = 24, D = 0.4, T = 1e-5, L = 5e-5, C = 4.7e-5, R = 60, r = 0.2;
  constexpr int periods = 1500, part = 20, steps = 2 * part * periods;  // steps of a pulse
  const auto J = [](double t) { return t < T * periods / 2 ? 1.5 : 0; };
  std::array<double, 1> z = {};
  perp::first_order_linear filter(2, perp::rows({{-r / L, -1 / L}, {1 / C, -1 / (R * C)}}));
  filter.input = [&](double t, perp::span b) { b[0] = 0, b[1] = -J(t) / C; };
  perp::linear_relation stage;  // y = (i - s, u - z), lambda = (u, s)
  stage.C = perp::rows({{1, 0}, {0, 0}});
  stage.D = perp::rows({{0, -1}, {1, 0}});
  stage.B = perp::rows({{1 / L, 0}, {0, 0}});
  stage.F = {0, -1};
  stage.z = perp::borrow(z);
  perp::model m;
  const auto x = m.add(filter, {0, 0});
  const auto switched = m.connect(stage, perp::complementarity(), x);

  std::vector<double> times = {0};
  for (int k = 0; k < periods; k++)
    for (int i = 1; i <= 2 * part; i++)
      times.push_back(T * (k + (i <= part ? D * i / part : D + (1 - D) * (i - part) / part)));
  perp::simulation_options o;
  o.grid = times;
  perp::simulation sim(m, o);
  std::ofstream csv(argc > 1 ? argv[1] : "");  // for a plot, if a file is named
  csv << "time (s),i (A),v (V),u (V),s (A)\n";
  bool right = true;
  double i = 0, v = 0, source = 0, burnt = 0, mean[2] = {}, highest[2] = {}, lowest[2] = {9, 9};
  std::puts("  t (ms)     v (V)     i (A)");
  for (int k = 1; k <= steps; k++) {
    z[0] = (k - 1) % (2 * part) < part ? E : -E;
    right = sim.step() == PERP_OK && right;
    const double t = sim.time(), h = t - times[static_cast<std::size_t>(k - 1)];
    const double i_mean = (i + sim.x(x)[0]) / 2, v_mean = (v + sim.x(x)[1]) / 2;
    const double load = v_mean / R + (J(t) + J(t - h)) / 2;
    i = sim.x(x)[0], v = sim.x(x)[1];
    const perp::view l = sim.lambda(switched);
    source += h * l[0] * i_mean;
    burnt += h * (r * i_mean * i_mean + v_mean * load);
    const int half = k <= steps / 2 ? 0 : 1;
    if (k % (steps / 2) == 0 || k % (steps / 2) > steps / 2 - 2 * part * 20) {  // 20 periods
      mean[half] += h * v_mean / (20 * T);
      highest[half] = std::fmax(highest[half], i), lowest[half] = std::fmin(lowest[half], i);
    }
    const bool shown = k % (steps / 2) == 0 || k % (steps / 2) > steps / 2 - 4 * part;
    if (k % 5 == 0 || shown) csv << t << ',' << i << ',' << v << ',' << l[0] << ',' << l[1] << '\n';
    if (k % 4000 == 0) std::printf("%8.2f %9.5f %9.5f\n", 1e3 * t, v, i);
  }
  const double stored = (L * i * i + C * v * v) / 2, missing = 1 - (burnt + stored) / source;
  const double exact = (D * E - r * J(0)) / (1 + r / R);
  const double pulsed = 2 * E / (1 + std::sqrt(1 + 8 * L / (R * T * D * D)));
  std::printf(
      "with J v %.5f V, exact %.5f V, ripple %.3f A; without %.3f V, textbook %.3f V, "
      "i >= %.0e A; energy missing %.0e; %s\n",
      mean[0], exact, highest[0] - lowest[0], mean[1], pulsed, lowest[1], missing,
      right ? "solved" : "not solved");
  right = right && std::abs(mean[0] - exact) < 1e-3 && std::abs(mean[1] - pulsed) < 0.01 * pulsed;
  return right && lowest[0] > 0.5 && std::abs(lowest[1]) < 1e-9 && std::abs(missing) < 1e-12 ? 0
                                                                                             : 1;
}
