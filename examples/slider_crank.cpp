// SPDX-License-Identifier: MIT
// A slider-crank whose slider has clearance in its guide (m, kg, s, rad). q = absolute angles of
// crank, connecting rod and slider; ideal pins, so that the slider can hit the walls of the guide
// with each of its four corners:
//   M(q) dv + (N(q, v) + ∂V/∂q) dt = Σ (G_N,iᵀ dr_N,i + G_T,iᵀ dr_T,i),  0 <= g_i(q) ⟂ r_N,i >= 0,
// Coulomb friction (μ = 0.01), restitution 0.4. After P. Flores, R. Leine and Ch. Glocker, 2010.
// Once with a free crank: energy is only lost. Once with a drive that keeps the crank at 150 rad/s:
// what the drive gives is what contacts take and the mechanism keeps. Positions and velocities are
// projected, so that no corner is in the wall.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <perp/perp.hpp>

namespace {

constexpr double l1 = 0.153, m1 = 0.038, J1 = 7.4e-5, l2 = 0.306, m2 = 0.038, J2 = 5.9e-4;
constexpr double m3 = 0.076, J3 = 2.7e-6, a = 0.05, b = 0.025, c = 0.001, g = 9.81;
constexpr double k = (m2 / 2 + m3) * l1 * l2;                       // coupling of crank and rod
constexpr double across[] = {-1, 1, -1, 1}, up[] = {1, 1, -1, -1};  // the corners: rear, front

void mass(perp::view q, perp::span M) {
  M[0] = J1 + (m1 / 4 + m2 + m3) * l1 * l1;
  M[4] = J2 + (m2 / 4 + m3) * l2 * l2;
  M[8] = J3;
  M[1] = M[3] = k * std::cos(q[0] - q[1]);
}

void gyroscopic(perp::view q, perp::view v, perp::span N) {
  const double s = k * std::sin(q[0] - q[1]);
  N[0] = s * v[1] * v[1];
  N[1] = -s * v[0] * v[0];
}

void weight(perp::view q, perp::view, perp::span F) {
  F[0] = (m1 / 2 + m2 + m3) * g * l1 * std::cos(q[0]);
  F[1] = (m2 / 2 + m3) * g * l2 * std::cos(q[1]);
}

void potential(perp::view q, perp::span V) {
  V[0] = g * ((m1 / 2 + m2 + m3) * l1 * std::sin(q[0]) + (m2 / 2 + m3) * l2 * std::sin(q[1]));
}

// Height of a corner above the centre of the slider.
double corner(perp::view q, std::size_t i) {
  return across[i] * a * std::sin(q[2]) + up[i] * b * std::cos(q[2]);
}

void gaps(perp::view q, perp::span y) {
  const double height = l1 * std::sin(q[0]) + l2 * std::sin(q[1]);
  for (std::size_t i = 0; i < 4; i++) y[i] = b + c - up[i] * (height + corner(q, i));
}

void normals(perp::view q, perp::span G) {
  for (std::size_t i = 0; i < 4; i++) {
    G[i] = -up[i] * l1 * std::cos(q[0]);
    G[i + 4] = -up[i] * l2 * std::cos(q[1]);
    G[i + 8] = -up[i] * (across[i] * a * std::cos(q[2]) - up[i] * b * std::sin(q[2]));
  }
}

void tangents(perp::view q, perp::span T) {
  for (std::size_t i = 0; i < 4; i++) {
    T[i] = -l1 * std::sin(q[0]);
    T[i + 4] = -l2 * std::sin(q[1]);
    T[i + 8] = -corner(q, i);
  }
}

struct outcome {
  double gain = 0, balance = 0, exchanged = 0, slip = 0, deepest = 0, speed = 0;
  int impacts = 0;
  bool ended = false;
};

// 0.126 s, three turns at the speed of the beginning; the crank free or driven.
outcome run(bool driven, const char *file) {
  constexpr double h = 1e-5, omega = 150;
  perp::lagrangian mechanism(3);
  mechanism.mass = mass;
  mechanism.gyroscopic = gyroscopic;
  mechanism.internal = weight;
  mechanism.potential = potential;
  perp::lagrangian_contact_relation corners;
  corners.gaps = 4;
  corners.h = gaps;
  corners.G = normals;
  corners.T = tangents;
  perp::model m;
  const auto bodies = m.add(mechanism, {0, 0, 0}, {omega, -omega / 2, 0});
  const auto contacts = m.connect(corners, perp::friction_2d(0.01, 0.4), bodies);
  perp::interaction_id drive{};
  if (driven) {
    perp::prescribed_velocity crank;
    crank.index = {0};
    crank.constant = {omega};
    drive = m.connect(crank, perp::equality(), bodies);
  }
  perp::simulation_options o;
  o.h = h;
  o.steps = 12600;
  o.projection = perp::projection::combined;
  perp::simulation sim(m, o);

  std::ofstream csv(file);
  csv << "time (s),crank (rad),slider (m),angle of the slider (rad),energy (J),crank speed (rad/s)";
  for (int i = 1; i <= 4; i++) csv << ",gap " << i << " (mm)";
  csv << '\n';
  outcome r;
  double work = 0, before = sim.energy().total(), rate[8] = {}, speed = omega;
  const double start = before;
  for (const auto &s : sim.steps()) {
    const perp::view q = s.q(bodies), v = s.v(bodies), y = s.y(contacts), ydot = s.ydot(contacts),
                     p = s.lambda(contacts);
    for (std::size_t i = 0; i < 8; i++) work += p[i] * (rate[i] + ydot[i]) / 2, rate[i] = ydot[i];
    if (driven) {
      const double given = s.lambda(drive)[0] * (speed + v[0]) / 2;
      work += given, r.exchanged += std::abs(given);
    }
    const double energy = s.energy().total();
    r.gain = std::max(r.gain, energy - before);
    r.balance = std::max(r.balance, std::abs(energy - start - work));
    before = energy, speed = v[0];
    r.speed = std::max(r.speed, std::abs(v[0] - omega));
    for (std::size_t i = 0; i < 4; i++) {
      r.impacts += p[2 * i] > 0;
      r.slip = std::max(r.slip, std::abs(p[2 * i + 1]) - 0.01 * p[2 * i]);
      r.deepest = std::max(r.deepest, -y[2 * i]);
    }
    if (s.step_index() % 5 == 0) {
      csv << s.time() << ',' << q[0] << ',' << l1 * std::cos(q[0]) + l2 * std::cos(q[1]) << ','
          << q[2] << ',' << energy << ',' << v[0];
      for (std::size_t i = 0; i < 4; i++) csv << ',' << 1e3 * y[2 * i];
      csv << '\n';
    }
  }
  r.ended = sim.status() == PERP_END;
  std::printf(
      "%-7s %5d contacts in steps, energy %.3f -> %.3f J, largest gain %.1e J, missing work "
      "%.1e J of %.0f, penetration %.1e m; %s\n",
      driven ? "driven:" : "free:", r.impacts, start, before, r.gain, r.balance, r.exchanged,
      r.deepest, perp_status_string(sim.status()));
  return r;
}

}  // namespace

int main(int argc, char **argv) {
  const outcome free = run(false, argc > 1 ? argv[1] : ""), driven = run(true, "");
  const auto sound = [](const outcome &r) {
    return r.ended && r.impacts > 0 && r.slip < 1e-8 && r.deepest < 2e-8;
  };
  return sound(free) && sound(driven) && free.gain < 1e-4 && free.balance < 1e-2 &&
                 driven.balance < 1e-3 * driven.exchanged && driven.speed < 1e-6
             ? 0
             : 1;
}
