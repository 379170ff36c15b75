// SPDX-License-Identifier: MIT
// A mass on a spring rubs on a table (m, kg, s, N):  M dv + K x dt = impulses, weight M g, Coulomb
// friction mu. Exact: between two turning points the amplitude falls by 2 mu M g / K, thus by
// 4 mu M g / K a cycle, in half a period pi sqrt(M / K) each, and the mass stays for good at the
// first turning point with |x| <= mu M g / K, the band in which friction holds the spring.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <perp/perp.hpp>

int main(int argc, char **argv) {
  constexpr double M = 1, K = 100, g = 9.81, mu = 0.1, x0 = 0.2, h = 1e-4;
  constexpr double band = mu * M * g / K;
  perp::model m;
  perp::lagrangian_linear mass(2, {M, M}, {0, -M * g});  // along, up
  mass.K = {K, 0};
  const auto body = m.add(mass, {x0, -1e-9});  // it lies on the table, whatever rounds
  const perp::lagrangian_linear_relation under(perp::rows({{0, 1}, {1, 0}}));
  const auto table = m.connect(under, perp::friction_2d(mu), body);

  std::ofstream csv(argc > 1 ? argv[1] : "");  // for a plot, if a file is named
  csv << "time (s),position (m),velocity (m/s),friction (N),spring (N),energy (J)\n";
  perp::simulation sim(m, h, 40000);
  double amplitude = x0, before = 0, worst = 0;
  int turns = 0;
  std::puts("turn   t (s)  amplitude (m)  exact (m)");
  for (const auto &s : sim.steps()) {
    const double x = s.q(body)[0], v = s.v(body)[0], friction = s.lambda(table)[1] / h;
    if (v * before < 0 || (v == 0 && before != 0)) {
      amplitude -= 2 * band, turns++;
      worst = std::fmax(worst, std::abs(std::abs(x) - amplitude));
      std::printf("%4d %7.4f %14.7f %10.7f\n", turns, s.time(), std::abs(x), amplitude);
    }
    before = v;
    if (s.step_index() % 20 == 0) {
      csv << s.time() << ',' << x << ',' << v << ',' << friction << ',' << -K * x << ','
          << (M * v * v + K * x * x) / 2 << '\n';
    }
  }
  const double x = sim.q(body)[0], held = sim.lambda(table)[1] / h - K * x;
  std::printf("at rest at %.5f m, in the band of %.5f m; friction less spring %.0e N; %s\n", x,
              band, held, perp_status_string(sim.status()));
  return sim.status() == PERP_END && turns == 10 && worst < 1e-7 && sim.v(body)[0] == 0 &&
                 std::abs(held) < 1e-12
             ? 0
             : 1;
}
