// SPDX-License-Identifier: MIT
// A law of one's own: a magnetic brake holds a plate of 2 kg with at most 6 N, in every direction
// of the plane. λ is in the disc of radius F h, and against the velocity where it is on its edge:
// -v in N_K(λ). Exact: the speed falls by F/m = 3 m/s², the direction stays, and then it rests.
#include <cmath>
#include <cstdio>
#include <perp/perp.hpp>

int main() {
  const double F = 6, h = 1e-3;
  perp::law_functions brake;
  brake.size = 2;
  brake.bounded = true;
  brake.project = [=](perp::view, perp::view x, perp::span p) {  // the nearest point of the disc
    const double part = std::fmin(1, F * h / std::hypot(x[0], x[1]));
    p[0] = part * x[0], p[1] = part * x[1];
  };

  perp::lagrangian_linear mass(2);
  mass.M = {2, 2};
  perp::model m;
  const auto plate = m.add(mass, {0, 0}, {4, 3});
  m.connect(perp::lagrangian_linear_relation(perp::rows({{1, 0}, {0, 1}})), perp::user_law(brake),
            plate);
  perp::simulation sim(m, h, 2000);
  double wrong = 0;
  for (const auto &s : sim.steps()) {
    const double speed = std::fmax(0, 5 - F / 2 * s.time());
    wrong = std::fmax(wrong, std::hypot(s.v(plate)[0] - 0.8 * speed, s.v(plate)[1] - 0.6 * speed));
  }
  std::printf("velocity off by %.1e m/s at most\n", wrong);
  return sim.status() == PERP_END && wrong < 1e-8 ? 0 : 1;
}
