// SPDX-License-Identifier: MIT
// An elastic bar of 1000 finite elements thrown at a wall (m, kg, s, N), sparse matrices:
//   M dv + K q dt = dp,  q_0 >= 0,  element masses ρSl/6 (2 1; 1 2), stiffnesses ES/l (1 -1; -1 1).
// Exact for the continuous bar: contact for 2L/c, c = sqrt(E/ρ), with the force ρ c S v.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <perp/perp.hpp>
#include <vector>

int main(int argc, char **argv) {
  constexpr int elements = 1000, n = elements + 1;
  constexpr double E = 2.1e11, S = 3.14e-4, rho = 7800, L = 1, v = 0.1, gap = 5e-6, h = 5e-8;
  std::vector<perp::sparse_matrix::entry> mass, stiffness;
  const double l = L / elements, m = rho * S * l / 6, k = E * S / l;
  for (int e = 0; e < elements; e++)
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++) {
        mass.push_back({e + i, e + j, i == j ? 2 * m : m});
        stiffness.push_back({e + i, e + j, i == j ? k : -k});
      }
  perp::lagrangian_linear bar(n, perp::sparse_matrix(n, n, mass));
  bar.K = perp::sparse_matrix(n, n, stiffness);
  perp::model model;
  const auto body = model.add(bar, std::vector<double>(n, gap), std::vector<double>(n, -v));
  const auto wall =
      model.connect(perp::lagrangian_linear_relation(perp::sparse_matrix(1, n, {{0, 0, 1.0}})),
                    perp::newton_impact(0), body);

  perp::simulation_options options;
  options.h = h;
  options.steps = 10000;
  options.theta = 0.55;  // a little damping of what the elements cannot carry
  perp::simulation sim(model, options);
  const double c = std::sqrt(E / rho), force = rho * c * S * v, until = gap / v + 2 * L / c;
  std::ofstream csv(argc > 1 ? argv[1] : "");
  csv << "time (ms),force (kN),middle (µm),end (µm),kinetic (J),elastic (J)\n";
  double impulse = 0, mean = 0, last = 0;
  int steps = 0;
  std::puts("t (ms)   force (N)   exact (N)   kinetic (J)   elastic (J)");
  for (const auto &s : sim.steps()) {
    const double t = s.time(), p = s.lambda(wall)[0];
    impulse += p;
    if (p > 0) last = t;
    if (t > gap / v + 2e-5 && t < until - 2e-5) mean += p / h, steps++;
    if (s.step_index() % 10 != 0) continue;
    const perp::energies e = s.energy();
    csv << 1e3 * t << ',' << p / h / 1e3 << ',' << 1e6 * s.q(body)[n / 2] << ','
        << 1e6 * s.q(body)[n - 1] << ',' << e.kinetic << ',' << e.potential << '\n';
    if (s.step_index() % 500 == 0)
      std::printf("%6.3f %11.2f %11.2f %13.5f %13.5f\n", 1e3 * t, p / h,
                  t > gap / v && t < until ? force : 0, e.kinetic, e.potential);
  }
  mean /= steps;
  const double momentum = 2 * rho * S * L * v;
  std::printf("force %.3f N (exact %.3f), contact until %.5f ms (%.5f), impulse %.5f N s (%.5f)\n",
              mean, force, 1e3 * last, 1e3 * until, impulse, momentum);
  return sim.status() == PERP_END && std::abs(mean / force - 1) < 1e-3 &&
                 std::abs(last - until) < 5e-6 && std::abs(impulse / momentum - 1) < 5e-3
             ? 0
             : 1;
}
