// SPDX-License-Identifier: MIT
// A box slides on a plane until friction stops it (m, kg, s), on two contacts at its lower edges:
//   M dv = -M g dt + impulses,   Coulomb friction at each contact.
// Exact: it slides v0^2 / (2 mu g) in v0 / (mu g) while the front contact carries the part
// (1 + mu b/a) / 2 of the weight, and each one half at rest; a, b half length and half height.
#include <cmath>
#include <cstdio>
#include <perp/perp.hpp>

int main() {
  constexpr double M = 2, a = 0.2, b = 0.15, g = 9.81, mu = 0.4, v0 = 3, h = 1e-4;
  constexpr double inertia = M * (a * a + b * b) / 3;
  perp::model m;
  const perp::lagrangian_linear box(3, {M, M, inertia}, {0, -M * g, 0});
  const auto body = m.add(box, {0, 0, 0}, {v0, 0, 0});  // along, up, angle
  const perp::lagrangian_linear_relation edges(         // velocities, normal first, front then rear
      perp::rows({{0, 1, a}, {1, 0, b}, {0, 1, -a}, {1, 0, b}}));
  const auto floor = m.connect(edges, perp::friction_2d(mu), body);

  const double stop = v0 / (mu * g), distance = v0 * v0 / (2 * mu * g);
  perp::simulation sim(m, h, 10000);
  double carried = 0, worst = 0;
  std::puts("  t (s)    x (m)  v (m/s)   front    rear (of the weight)");
  for (const auto &s : sim.steps()) {
    const double t = s.time(), weight = M * g * h;
    const auto r = s.lambda(floor);
    const double exact = t < stop ? v0 * t - mu * g * t * t / 2 : distance;
    worst = std::fmax(worst, std::abs(s.q(body)[0] - exact));
    if (t < stop) carried += r[0];
    if (s.step_index() % 1000 == 0) {
      std::printf("%7.2f %8.5f %8.5f %7.4f %7.4f\n", t, s.q(body)[0], s.v(body)[0], r[0] / weight,
                  r[2] / weight);
    }
  }
  const double front = carried / (M * g * stop), exact = (1 + mu * b / a) / 2;
  std::printf("largest error %.1e m; the front carried %.5f of the weight, exact %.5f; %s\n", worst,
              front, exact, perp_status_string(sim.status()));
  return sim.status() == PERP_END && worst < v0 * h && std::abs(front - exact) < 1e-3 ? 0 : 1;
}
