// SPDX-License-Identifier: MIT
// A column of 20 beads at rest is kicked at its foot (m, kg, s, N): for T = 20 ms the lowest bead
// is pushed up by the force F = P sin^2(pi t / T), then let go:
//   M dv_i = -M g dt + F dt (i = 0) + P_i - P_{i+1},  z_0 >= r,  z_i - z_{i-1} >= 2 r,  e = 0.3.
// Exact: the rigid column rises as one body from t1 on, where F passes its weight; its foot rises
// by
//   a (t - t1)^2 / 2 + b (cos k t - cos k t1) / k^2 + b sin(k t1) (t - t1) / k  while it is pushed,
// k = 2 pi / T, b = P / (2 N M), a = b - g, and then flies like a ball. Checked besides: momentum
// in each step is what push, weight and ground gave; energy is never more than what the push
// brought.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <perp/perp.hpp>
#include <vector>

constexpr int N = 20;
constexpr double M = 0.1, g = 9.81, r = 0.02, T = 0.02, P = 200, h = 1e-4;
constexpr double pi = 3.14159265358979323846;

static double push(double t) { return t < T ? P * std::pow(std::sin(pi * t / T), 2) : 0; }

/** How high the foot is above the ground, until it comes back. */
static double exact(double t) {
  const double t1 = T / pi * std::asin(std::sqrt(N * M * g / P)), k = 2 * pi / T;
  const double b = P / (2 * N * M), a = b - g, s = t < T ? t - t1 : T - t1;
  const double rise = a * s * s / 2 + b * (std::cos(k * (t1 + s)) - std::cos(k * t1)) / (k * k) +
                      b * std::sin(k * t1) * s / k;
  const double speed = a * s - b * (std::sin(k * (t1 + s)) - std::sin(k * t1)) / k;
  return s < 0 ? 0 : t < T ? rise : rise + (t - T) * (speed - g * (t - T) / 2);
}

int main(int argc, char **argv) {
  perp::lagrangian_linear bead(1, M, -M * g), foot = bead;
  foot.force = [](double t, perp::span f) { f[0] = push(t); };
  perp::lagrangian_linear_relation ground(1.0), contact({-1, 1});
  ground.b = -r, contact.b = -2 * r;
  perp::model m;
  std::vector<perp::system_id> z;
  std::vector<perp::interaction_id> contacts;
  for (int i = 0; i < N; i++) {
    z.push_back(m.add(i == 0 ? foot : bead, {(2 * i + 1) * r - 1e-12 * (i + 1)}));
    contacts.push_back(
        i == 0 ? m.connect(ground, perp::newton_impact(0.3), z.back())
               : m.connect(contact, perp::newton_impact(0.3), {z.end()[-2], z.end()[-1]}));
  }
  std::ofstream csv(argc > 1 ? argv[1] : "");  // for a plot, if a file is named
  csv << "time (s),foot (m),top (m),push (N)";
  for (int i = 0; i < N; i++) csv << ",contact " << i + 1 << " (N)";
  csv << ",energy (J)\n";
  perp::simulation sim(m, h, 5000);
  const double rest = sim.energy().total();
  double given = 0, lost = 0, brought = 0, gained = 0, before = 0, worst = 0;
  bool back = false;
  std::puts("  t (s)  foot (m)  exact (m)   top (m)  energy (J)");
  for (const auto &s : sim.steps()) {
    const double t = s.time(), mean = (push(t) + push(t - h)) / 2, v = s.v(z[0])[0];
    const double height = s.q(z[0])[0] - r, energy = s.energy().total() - rest;
    double momentum = 0;
    for (const auto i : z) momentum += M * s.v(i)[0];
    given += h * (mean - N * M * g) + s.lambda(contacts[0])[0];
    lost = std::fmax(lost, std::abs(momentum - given));
    brought += h * mean * (v + before) / 2, before = v;
    gained = std::fmax(gained, energy - brought);
    back = back || (t > T && exact(t + h) < 0);
    if (!back) worst = std::fmax(worst, std::abs(height - exact(t)));
    csv << t << ',' << height << ',' << s.q(z[N - 1])[0] << ',' << push(t);
    for (const auto i : contacts) csv << ',' << s.lambda(i)[0] / h;
    csv << ',' << energy << '\n';
    if (s.step_index() % 250 == 0) {
      std::printf("%7.3f %9.5f %10.5f %9.5f %11.6f\n", t, height, back ? 0 : exact(t),
                  s.q(z[N - 1])[0], energy);
    }
  }
  std::printf(
      "the push brought %.4f J; height right to %.0e m, momentum to %.0e N s, energy gained "
      "%.0e J; %s\n",
      brought, worst, lost, gained, perp_status_string(sim.status()));
  return sim.status() == PERP_END && back && worst < 1e-4 && lost < 1e-12 && gained < 1e-12 ? 0 : 1;
}
