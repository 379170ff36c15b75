// SPDX-License-Identifier: MIT
// A robot arm falls on the ground (m, kg, s, rad): PA10, joints 2, 4 and 6, in its vertical plane.
// q = (angle of the upper arm from the upward vertical, of the forearm and the hand relative):
//   M(q) dv + (N(q, v) + ∂V/∂q + diag(10, 5, 2) v) dt = impulses,
// motors without torque. Contacts of elbow and wrist with the ground (e = 0.9), stops of the two
// first joints (e = 0). Parameters: data sheet of the arm as used by the HuMAnS toolbox. Checked:
// the first contact (fourth-order integration gives the wrist at 1.16574268 s), the balance of
// energy until there, impacts that lose energy, and that the arm comes to lie on the ground.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <perp/perp.hpp>

namespace {

constexpr double upper = 0.45, fore = 0.48, g = 9.81;                 // lengths of the arms
constexpr double J1 = 3.683795137, J2 = 1.119662137, J3 = 0.0016704;  // inertia about each joint
constexpr double S_A = 6.7391, S_B = 2.76576, S_C = 0.11004;          // first moments
constexpr double k12 = upper * S_B, k13 = upper * S_C, k23 = fore * S_C;

void mass(perp::view q, perp::span M) {
  const double c2 = k12 * std::cos(q[1]), c3 = k23 * std::cos(q[2]),
               c23 = k13 * std::cos(q[1] + q[2]);
  M[0] = J1 + 2 * (c2 + c3 + c23) + 0.75;  // 0.75, 0.2125, 0.00575: the motors
  M[1] = M[3] = J2 + 2 * c3 + c2 + c23;
  M[2] = M[6] = J3 + c3 + c23;
  M[4] = J2 + 2 * c3 + 0.2125;
  M[5] = M[7] = J3 + c3;
  M[8] = J3 + 0.00575;
}

// Forces on the three bodies by their absolute angles, summed to those on relative angles.
void sum(const double (&F)[3], perp::span out) {
  out[2] = F[2], out[1] = F[1] + F[2], out[0] = F[0] + out[1];
}

void gyroscopic(perp::view q, perp::view v, perp::span N) {
  const double a = v[0] * v[0], b = (v[0] + v[1]) * (v[0] + v[1]),
               d = (v[0] + v[1] + v[2]) * (v[0] + v[1] + v[2]);
  const double s2 = k12 * std::sin(q[1]), s3 = k23 * std::sin(q[2]),
               s23 = k13 * std::sin(q[1] + q[2]);
  sum({-s2 * b - s23 * d, s2 * a - s3 * d, s23 * a + s3 * b}, N);
}

void internal(perp::view q, perp::view v, perp::span F) {
  sum({-g * S_A * std::sin(q[0]), -g * S_B * std::sin(q[0] + q[1]),
       -g * S_C * std::sin(q[0] + q[1] + q[2])},
      F);
  F[0] += 10 * v[0], F[1] += 5 * v[1], F[2] += 2 * v[2];
}

void potential(perp::view q, perp::span V) {
  V[0] =
      g * (S_A * std::cos(q[0]) + S_B * std::cos(q[0] + q[1]) + S_C * std::cos(q[0] + q[1] + q[2]));
}

void heights(perp::view q, perp::span y) {  // of elbow and wrist
  y[0] = upper * std::cos(q[0]);
  y[1] = y[0] + fore * std::cos(q[0] + q[1]);
}

void heights_dq(perp::view q, perp::span H) {
  H[0] = -upper * std::sin(q[0]);
  H[3] = -fore * std::sin(q[0] + q[1]);
  H[1] = H[0] + H[3];
}

}  // namespace

int main(int argc, char **argv) {
  constexpr double h = 5e-4, end = 3.5, impact = 1.16574268;
  perp::lagrangian arm(3);
  arm.mass = mass;
  arm.gyroscopic = gyroscopic;
  arm.internal = internal;
  arm.potential = potential;
  perp::lagrangian_scleronomous ground;
  ground.m = 2;
  ground.h = heights;
  ground.H = heights_dq;
  perp::lagrangian_linear_relation stops(
      perp::rows({{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}}));
  stops.m = 4;
  stops.b = {1.6, 1.6, 3.1, 3.1};
  perp::model m;
  const auto robot = m.add(arm, {0.05, 0.05, 0});
  const auto contacts = m.connect(ground, perp::newton_impact(0.9), robot);
  const auto at_stops = m.connect(stops, perp::newton_impact(0), robot);

  perp::simulation sim(m, h, static_cast<int>(std::lround(end / h)));
  std::ofstream csv(argc > 1 ? argv[1] : "");
  csv << "time (s),upper arm (rad),forearm (rad),hand (rad),elbow (m),wrist (m),energy (J),"
         "elbow impulse (N s),wrist impulse (N s)\n";
  double first = 0, dissipated = 0, balance = 0, gain = 0, before = sim.energy().total();
  const double start = before;
  double last[3] = {}, q_last[3] = {}, q_first[3] = {};
  int impacts[2] = {}, stopped = 0;
  for (const auto &s : sim.steps()) {
    const perp::view q = s.q(robot), v = s.v(robot), p = s.lambda(contacts), y = s.y(contacts);
    const double energy = s.energy().total(),
                 mean[3] = {(v[0] + last[0]) / 2, (v[1] + last[1]) / 2, (v[2] + last[2]) / 2};
    dissipated += h * (10 * mean[0] * mean[0] + 5 * mean[1] * mean[1] + 2 * mean[2] * mean[2]);
    const bool hit = p[0] > 0 || p[1] > 0;
    if (hit && first == 0) {
      first = s.time() - h / 2;
      for (std::size_t i = 0; i < 3; i++) q_first[i] = q_last[i];
      std::printf("first contact at %.4f s (exact %.4f): %s, q = (%.5f, %.5f, %.5f) before\n",
                  first, impact, p[1] > 0 ? "wrist" : "elbow", q_last[0], q_last[1], q_last[2]);
    }
    if (first == 0) balance = std::fmax(balance, std::abs(energy + dissipated - start));
    for (std::size_t i = 0; i < 2; i++) impacts[i] += p[i] > 0;
    const perp::view at = s.lambda(at_stops);
    for (const double l : at) stopped += l > 0;
    gain = std::fmax(gain, energy - before);
    before = energy;
    for (std::size_t i = 0; i < 3; i++) last[i] = v[i], q_last[i] = q[i];
    if (s.step_index() % 4 == 0 || hit)
      csv << s.time() << ',' << q[0] << ',' << q[1] << ',' << q[2] << ',' << y[0] << ',' << y[1]
          << ',' << energy << ',' << p[0] << ',' << p[1] << '\n';
  }
  const perp::view q = sim.q(robot), y = sim.y(contacts);
  std::printf(
      "%d impacts of the elbow, %d of the wrist, %d at stops; q = (%.5f, %.5f, %.5f) at the "
      "end\n",
      impacts[0], impacts[1], stopped, q[0], q[1], q[2]);
  std::printf(
      "balance of energy until the first impact to %.1e J of %.1f, largest gain of a step "
      "%.1e J, penetration %.1e m; %s\n",
      balance, start, gain, sim.report().penetration, perp_status_string(sim.status()));
  const double half_pi = std::acos(0.0);
  return sim.status() == PERP_END && std::abs(first - impact) < h && balance < 1e-3 * start &&
                 gain < 1e-3 && stopped == 0 && std::abs(q_first[0] - 1.12216) < 2e-3 &&
                 std::abs(q_first[1] - 0.86740) < 2e-3 && std::abs(q[0] - half_pi) < 5e-3 &&
                 std::abs(q[1]) < 1e-2 && std::abs(y[0]) < 1e-3 && std::abs(y[1]) < 1e-3
             ? 0
             : 1;
}
