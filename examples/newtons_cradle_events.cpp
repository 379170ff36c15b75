// SPDX-License-Identifier: MIT
// Newton's cradle of five equal balls on strings of length l (m, kg, s): small swings
//   M q'' = -M g / l q + impulses,  gaps q_{k+1} - q_k >= 0 (their diameters taken off),
// all elastic. The first ball is let go at -a and hits the other four, at rest and touching: a
// multiple impact, which three laws answer differently. Newton's and Poisson's (e = 1) throw off
// the four together; that of Liu, Zhao and Brogliato sends a wave through the springs of the
// contacts. All balls are back at the same time, so that every half period is one impact at all
// contacts. Checked: momentum and energy at every impact to 1e-12 of their size, the times of the
// impacts, and, with springs that get softer from ball to ball by 1e4, one ball thrown off as in
// the toy.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <perp/event_driven.hpp>
#include <perp/perp.hpp>

constexpr int n = 5;
constexpr double M = 0.1, g = 9.81, l = 0.2, a = 0.02;
const double w = std::sqrt(g / l), pi = std::acos(-1.0);

/** Swing for a while; velocities after the first impact into v. */
static bool swing(const char *name, const perp::event_options &options, double until, double *v,
                  std::ostream *csv) {
  perp::model m;
  perp::lagrangian_linear ball(1, M);
  ball.K = M * g / l;
  perp::system_id balls[n];
  for (int k = 0; k < n; k++) balls[k] = m.add(ball, {k == 0 ? -a : 0.0});
  for (int k = 0; k + 1 < n; k++) {
    m.connect(perp::lagrangian_linear_relation({-1, 1}), perp::newton_impact(1.0),
              {balls[k], balls[k + 1]});
  }
  perp::event_driven sim(m, options);
  int impacts = 0;
  double worst = 0;
  const auto see = [&](const perp::event_driven &now) {
    if (csv == nullptr) return;
    *csv << now.time();
    for (const auto b : balls) *csv << ',' << now.q(b)[0];
    *csv << '\n';
  };
  const auto note = [&](const perp::event &e) {
    if (!e.is_impact()) return;
    double momentum = 0, energy = 0;
    for (int k = 0; k < n; k++) {
      const double before = e.v_before(balls[k])[0], after = sim.v(balls[k])[0];
      momentum += (after - before) / (a * w),
          energy += (after * after - before * before) / (a * a * w * w);
      if (impacts == 0) v[k] = after / (a * w);
    }
    const double due = pi / w * (0.5 + impacts++);
    worst = std::fmax(worst, std::fmax(std::abs(momentum), std::abs(energy)));
    worst = std::fmax(worst, 1e-3 * std::abs(e.time() - due));
  };
  const perp_status status = sim.run(until, 0.002, see, note);
  std::printf("%-22s", name);
  for (int k = 0; k < n; k++) std::printf(" %8.5f", v[k]);
  std::printf("   %2d impacts, errors within %.0e\n", impacts, worst);
  return status == PERP_OK && impacts > 0 && worst < 1e-12;
}

int main(int argc, char **argv) {
  std::ofstream csv(argc > 1 ? argv[1] : "");  // for a plot, if a file is named
  csv << "time (s),q1 (m),q2 (m),q3 (m),q4 (m),q5 (m)\n";
  double v[n];
  std::puts("velocities after the first impact, 1 before it");
  perp::event_options o;
  bool good = swing("Newton, e = 1", o, 0.5, v, nullptr);
  o.impact = perp::impact_law::poisson;
  good = swing("Poisson, e = 1", o, 0.5, v, nullptr) && good;
  o.impact = perp::impact_law::lzb;
  good = swing("LZB, linear springs", o, 0.5, v, nullptr) && good;
  o.lzb.exponent = 1.5;
  good = swing("LZB, Hertz' springs", o, 2.4, v, &csv) && good;
  o.lzb.stiffness = {1e12, 1e8, 1e4, 1};
  good = swing("LZB, one by one", o, 0.5, v, nullptr) && good;
  const bool toy = std::abs(v[n - 1] - 1) < 2e-3 && std::abs(v[0]) < 2e-3;
  std::printf("one by one: %s\n", toy ? "the last ball takes it all" : "not the toy");
  return good && toy ? 0 : 1;
}
