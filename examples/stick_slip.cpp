// SPDX-License-Identifier: MIT
// A mass on a spring lies on a belt that moves with speed u (m, kg, s, N). In x' = q the way that
// it has moved on the belt, x = q + u t where the spring is longer by x:
//   M dv - C v dt + K (q + u t) dt = impulses,  Coulomb friction mu under the weight M g;
// friction mu M g - C |v| weakens with the speed of sliding: a damping of -C. So the belt carries
// the mass to x = mu M g / K, there it breaks away, slides back along
//   x = x_e + e^(a t) ((x_0 - x_e) cos w t + ((u - a (x_0 - x_e)) / w) sin w t),  a = C / 2 M,
// x_e = (mu M g - C u) / K, until it has the speed of the belt again. Checked: period of the cycle.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <perp/perp.hpp>

constexpr double M = 1, K = 100, C = 1, g = 9.81, mu = 0.3, u = 0.1, h = 1e-4;  // C: kg/s

/** The exact period: bisection for the time at which sliding ends, then the way back on the belt.
 */
static double exact_period() {
  const double a = C / (2 * M), w = std::sqrt(K / M - a * a), break_away = mu * M * g / K;
  const double middle = (mu * M * g - C * u) / K, c = break_away - middle, d = (u - a * c) / w;
  const auto x = [&](double t) {
    return middle + std::exp(a * t) * (c * std::cos(w * t) + d * std::sin(w * t));
  };
  const auto relative = [&](double t) {  // x' - u
    const double even = a * c + w * d, odd = a * d - w * c;
    return std::exp(a * t) * (even * std::cos(w * t) + odd * std::sin(w * t)) - u;
  };
  double low = 3.2 / w, high = 6.4 / w;  // slower than the belt, and faster
  while (high - low > 1e-12) {
    const double t = (low + high) / 2;
    (relative(t) < 0 ? low : high) = t;
  }
  return low + (break_away - x(low)) / u;
}

int main(int argc, char **argv) {
  perp::lagrangian_linear mass(2, {M, M}, {0, -M * g});  // along the belt, up
  mass.C = {-C, 0};
  mass.K = {K, 0};
  mass.force = [](double t, perp::span f) { f[0] = -K * u * t, f[1] = 0; };
  perp::model m;
  const auto body = m.add(mass, {0, -1e-9});  // it lies on the belt, whatever rounds
  const perp::lagrangian_linear_relation under(perp::rows({{0, 1}, {1, 0}}));
  const auto belt = m.connect(under, perp::friction_2d(mu), body);

  std::ofstream csv(argc > 1 ? argv[1] : "");  // for a plot, if a file is named
  csv << "time (s),elongation (m),speed (m/s),friction (N)\n";
  perp::simulation sim(m, h, 50000);
  double broke = 0, period = 0;
  bool stuck = true;
  std::puts("breaks away at  t (s)    x (m)  period (s)");
  for (const auto &s : sim.steps()) {
    const double x = s.q(body)[0] + u * s.time(), v = s.v(body)[0];
    if (stuck && v != 0) {
      period = s.time() - broke, broke = s.time();
      std::printf("%21.4f %8.5f %11.5f\n", broke, x, period);
    }
    stuck = v == 0;
    if (s.step_index() % 20 == 0) {
      csv << s.time() << ',' << x << ',' << u + v << ',' << s.lambda(belt)[1] / h << '\n';
    }
  }
  const double exact = exact_period();
  std::printf("period %.5f s, exact %.5f s; %s\n", period, exact, perp_status_string(sim.status()));
  return sim.status() == PERP_END && std::abs(period - exact) < 10 * h ? 0 : 1;
}
