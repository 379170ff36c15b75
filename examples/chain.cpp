// SPDX-License-Identifier: MIT
// A chain of 50 rigid bodies (m, kg, s), hung on one end, let go while it is straight and level and
// turns about the vertical. Links are joined by pivots whose axes are across in turn, with dry
// friction of a limited torque:
//   m ẍ = -m g e_z + r_x,  I Ω̇ + Ω × IΩ = r_Ω,  5 equations a pivot,  |τ| <= τ_0, τ = -τ_0 sgn φ̇.
// Checked: with projection joints stay closed, without it they drift apart; no step gains energy,
// and at least what friction takes is lost.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <perp/perp.hpp>
#include <vector>

namespace {

constexpr int links = 50;
constexpr double length = 0.05, mass = 0.05, width = 0.02, g = 9.81, torque = 0.02, h = 1e-3;
// From level to hanging straight.
constexpr double potential = links * mass * g * links * length / 2;

struct outcome {
  double gap = 0, gain = 0, lost = 0, friction = 0, lowest = 0;
  bool ended = false;
};

outcome run(perp::projection projection, int steps, std::ofstream &csv, const char *what) {
  perp::body link = perp::brick(mass, length, width, width, {0, 0, -mass * g});
  link.gyroscopic = PERP_GYROSCOPIC_EXPLICIT;  // keeps the one-step matrix symmetric
  perp::model m;
  std::vector<perp::system_id> bodies;
  std::vector<perp::interaction_id> pivots, rubs;
  std::vector<perp::joint> joints;
  constexpr double turning = 1.0;
  perp::pose before{};
  // A link and the one before it, if there is one.
  const auto joined = [&](std::size_t i) {
    std::vector<perp::system_id> both = {bodies[i]};
    if (i > 0) both.push_back(bodies[i - 1]);
    return both;
  };
  for (int i = 0; i < links; i++) {
    const perp::pose at = perp::pose_at({(i + 0.5) * length, 0, 0});
    bodies.push_back(m.add(link, at, {0, turning * at[0], 0, 0, 0, turning}));
    const perp::vector3 axis = {0, i % 2 ? 1.0 : 0.0, i % 2 ? 0.0 : 1.0},
                        point = {i * length, 0, 0};
    joints.push_back(perp::pivot_joint(point, axis, at, i > 0 ? perp::view(before) : perp::view()));
    pivots.push_back(m.connect(joints.back(), perp::equality(), joined(bodies.size() - 1)));
    before = at;
  }
  for (std::size_t i = 0; i < joints.size(); i++)
    rubs.push_back(m.connect(perp::joint_effort(joints[i]), perp::box(-torque, torque), joined(i)));
  perp::simulation_options o;
  o.h = h;
  o.steps = steps;
  o.projection = projection;
  perp::simulation sim(m, o);
  outcome r;
  const double start = sim.energy().total();
  double last = start;
  for (const auto &s : sim.steps()) {
    for (const auto p : pivots)
      for (const double y : s.y(p)) r.gap = std::max(r.gap, std::abs(y));
    // The law of these rows has ẏ = h φ̇ and the torque as λ.
    for (const auto p : rubs) r.friction -= s.lambda(p)[0] * s.ydot(p)[0];
    const double energy = s.energy().total();
    r.gain = std::max(r.gain, energy - last);
    last = energy;
    if (csv.is_open() && s.step_index() % 50 == 0) {
      for (const auto b : bodies) {
        csv << s.time() << ',' << start - energy << ',' << r.friction << ',' << s.q(b)[0] << ','
            << s.q(b)[1] << ',' << s.q(b)[2] << '\n';
      }
      csv << '\n';  // ends a snapshot
    }
  }
  r.ended = sim.status() == PERP_END;
  r.lost = start - last;
  r.lowest = sim.q(bodies.back())[2];
  std::printf(
      "%-12s gap of joints %.1e, largest gain %.1e J, lost %.4f J, friction %.4f J, end of "
      "the chain at %.3f m; %.1f iterations, %s\n",
      what, r.gap, r.gain, r.lost, r.friction, r.lowest, double(sim.report().newton) / steps,
      perp_status_string(sim.status()));
  return r;
}

}  // namespace

int main(int argc, char **argv) {
  std::ofstream csv, none;
  if (argc > 1) csv.open(argv[1]);
  csv << "time (s),lost (J),friction (J),x (m),y (m),z (m)\n";
  constexpr int steps = 1000;
  const outcome drifting = run(perp::projection::none, steps, none, "drifting:"),
                closed = run(perp::projection::positions, steps, csv, "projected:");
  const auto sound = [](const outcome &r) {
    return r.ended && r.gain < 1e-9 && r.friction > 0 && r.lost >= r.friction &&
           r.lost < r.friction + 0.04 * potential;
  };
  return sound(drifting) && sound(closed) && closed.gap < 1.1e-8 && drifting.gap > 1e-5 &&
                 drifting.gap < 1e-2
             ? 0
             : 1;
}
