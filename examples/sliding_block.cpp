// SPDX-License-Identifier: MIT
// A block is pushed over a table in space (m, kg, s):  M dv = -M g dt + impulses, one contact with
// Coulomb friction mu. Exact: friction opposes the velocity, so the direction stays, the speed
// falls by mu g per second, and from v0 / (mu g) on the block rests, v0^2 / (2 mu g) away.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <perp/perp.hpp>

int main(int argc, char **argv) {
  constexpr double M = 2, g = 9.81, mu = 0.25, vx = 1.2, vy = 0.9, v0 = 1.5, h = 1e-3;
  perp::model m;
  const perp::lagrangian_linear block(3, {M, M, M}, {0, 0, -M * g});  // along, across, up
  const auto body = m.add(block, {0, 0, -1e-9}, {vx, vy, 0});         // it lies, whatever rounds
  const perp::lagrangian_linear_relation under(perp::rows({{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}));
  const auto table = m.connect(under, perp::friction_3d(mu), body);

  std::ofstream csv(argc > 1 ? argv[1] : "");  // for a plot, if a file is named
  csv << "time (s),x (m),y (m),speed (m/s),friction (N)\n";
  const double stop = v0 / (mu * g), way = v0 * v0 / (2 * mu * g);
  perp::simulation sim(m, h, 1000);
  double rests = 0, turned = 0, slowed = 0;
  std::puts("  t (s)    x (m)    y (m)  speed (m/s)  friction / (mu M g)");
  for (const auto &s : sim.steps()) {
    const perp::view q = s.q(body), v = s.v(body), r = s.lambda(table);
    const double speed = std::hypot(v[0], v[1]), friction = std::hypot(r[1], r[2]) / h;
    turned = std::fmax(turned, std::abs(v[0] * vy - v[1] * vx));
    slowed = std::fmax(slowed, std::abs(speed - std::fmax(0, v0 - mu * g * s.time())));
    if (speed == 0 && rests == 0) rests = s.time();
    csv << s.time() << ',' << q[0] << ',' << q[1] << ',' << speed << ',' << friction << '\n';
    if (s.step_index() % 100 == 0) {
      std::printf("%7.2f %8.5f %8.5f %12.5f %20.6f\n", s.time(), q[0], q[1], speed,
                  friction / (mu * M * g));
    }
  }
  const perp::view q = sim.q(body);
  std::printf(
      "at rest from %.3f s, exact %.5f s, after %.6f m, exact %.6f m; speed right to %.0e m/s; "
      "%s\n",
      rests, stop, std::hypot(q[0], q[1]), way, slowed, perp_status_string(sim.status()));
  return sim.status() == PERP_END && rests >= stop && rests - stop < h && turned < 1e-13 &&
                 slowed < 1e-13 && std::abs(std::hypot(q[0], q[1]) - way) < h * h
             ? 0
             : 1;
}
