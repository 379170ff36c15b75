// SPDX-License-Identifier: MIT
// A ball is thrown, bounces, slides and rolls (m, kg, s): a rigid body with a quaternion, one
// contact with friction (μ = 0.08, e = 0.6), with and without projection of its position:
//   m dv = -m g e_z dt + r,  I dΩ = R(Q)ᵀ(p × r),  r in the cone of friction.
// All impulses act at the lowest point, so that m v R + I ω keeps its value: whatever the impacts
// were, the ball rolls in the end with 5/7 of its speed. With projection it does not lie in the
// ground.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <perp/perp.hpp>

namespace {

constexpr double m = 1, R = 0.1, g = 9.81, mu = 0.08, e = 0.6, v0 = 3, h = 1e-3;

struct outcome {
  double slip = 0, speed = 0, kept = 0, deepest = 0, gain = 0, unit = 0;
  bool ended = false;
};

outcome run(perp::projection projection, const char *file) {
  perp::model model;
  const auto ball =
      model.add(perp::ball(m, R, {0, 0, -m * g}), perp::pose_at({0, 0, 0.5}), {v0, 0, 0, 0, 0, 0});
  const auto ground = model.connect(perp::body_contact(perp::sphere_plane{R, {0, 0, 1}, 0}),
                                    perp::friction_3d(mu, e), ball);
  perp::simulation_options o;
  o.h = h;
  o.steps = 2500;
  o.projection = projection;
  perp::simulation sim(model, o);
  std::ofstream csv(file);
  csv << "time (s),height (m),speed (m/s),rate (m/s),gap (µm),energy (J)\n";
  outcome r;
  double last = sim.energy().total();
  for (const auto &s : sim.steps()) {
    const perp::view q = s.q(ball), v = s.v(ball), y = s.y(ground);
    const double spin = R * v[4], energy = s.energy().total();  // turns about e_y, as it began
    r.kept = std::max(r.kept, std::abs(v[0] + 0.4 * spin - v0));
    r.slip = std::abs(v[0] - spin), r.speed = v[0];
    r.deepest = std::max(r.deepest, -y[0]);
    r.gain = std::max(r.gain, energy - last);
    r.unit = std::max(
        r.unit, std::abs(std::sqrt(q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6]) - 1));
    last = energy;
    csv << s.time() << ',' << q[2] << ',' << v[0] << ',' << spin << ',' << 1e6 * y[0] << ','
        << energy << '\n';
  }
  r.ended = sim.status() == PERP_END;
  std::printf(
      "%-12s rolls with %.12f m/s (5/7 v_0 = %.12f), slip %.1e m/s, penetration %.1e m, "
      "largest gain %.1e J; %s\n",
      projection == perp::projection::none ? "free:" : "projected:", r.speed, 5 * v0 / 7, r.slip,
      r.deepest, r.gain, perp_status_string(sim.status()));
  return r;
}

}  // namespace

int main(int argc, char **argv) {
  const outcome drifting = run(perp::projection::none, ""),
                projected = run(perp::projection::positions, argc > 1 ? argv[1] : "");
  const auto sound = [](const outcome &r) {
    return r.ended && std::abs(r.speed - 5 * v0 / 7) < 1e-9 && r.slip < 1e-9 && r.kept < 1e-9 &&
           r.unit < 1e-12;
  };
  return sound(drifting) && sound(projected) && drifting.deepest > 1e-5 &&
                 projected.deepest < 1.1e-8
             ? 0
             : 1;
}
