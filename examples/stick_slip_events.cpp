// SPDX-License-Identifier: MIT
// The mass on a belt of stick_slip.cpp by events (m, kg, s, N). In q, its way on the belt, with the
// spring longer by x = q + u t:
//   M q'' - C q' + K (q + u t) = r,   Coulomb friction mu under the weight M g.
// Exact: the belt carries the mass to x = mu M g / K; there it breaks away and slides along
//   x = x_e + e^(a t) (c cos w t + d sin w t),  a = C / 2 M,  x_e = (mu M g - C u) / K,
// until it has the speed of the belt again. Checked: every switch within 1e-10 s.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <perp/event_driven.hpp>
#include <perp/perp.hpp>

constexpr double M = 1, K = 100, C = 1, g = 9.81, mu = 0.3, u = 0.1;  // C: kg/s
constexpr double break_away = mu * M * g / K, middle = (mu * M * g - C * u) / K;

/** How long it slides, and where it sticks: Newton on x' = u. */
static double exact_slide(double *where) {
  const double a = C / (2 * M), w = std::sqrt(K / M - a * a), c = break_away - middle,
               d = (u - a * c) / w;
  double t = 5 / w;
  for (int k = 0; k < 50; k++) {
    const double growth = std::exp(a * t), cosine = std::cos(w * t), sine = std::sin(w * t);
    const double x = growth * (c * cosine + d * sine);
    const double v = growth * ((a * c + w * d) * cosine + (a * d - w * c) * sine);
    *where = middle + x;
    t -= (v - u) / (2 * a * v - K / M * x);  // x'' = 2 a x' - K / M x
  }
  return t;
}

int main(int argc, char **argv) {
  perp::lagrangian_linear mass(2, {M, M}, {0, -M * g});  // along the belt, up
  mass.C = {-C, 0};
  mass.K = {K, 0};
  mass.force = [](double t, perp::span f) { f[0] = -K * u * t, f[1] = 0; };
  perp::model m;
  const auto body = m.add(mass, {0, 0});
  const perp::lagrangian_linear_relation under(perp::rows({{0, 1}, {1, 0}}));
  const auto belt = m.connect(under, perp::friction_2d(mu), body);

  std::ofstream csv(argc > 1 ? argv[1] : "");  // for a plot, if a file is named
  csv << "time (s),elongation (m),speed (m/s),friction (N)\n";
  perp::event_driven sim(m);
  double where, expected = break_away / u, worst = 0;
  const double slide = exact_slide(&where);
  int switches = 0;
  std::puts("        t (s)    error (s)    x (m)");
  const auto see = [&](const perp::event_driven &now) {
    csv << now.time() << ',' << now.q(body)[0] + u * now.time() << ',' << now.v(body)[0] + u << ','
        << now.lambda(belt)[1] << '\n';
  };
  const auto note = [&](const perp::event &e) {
    const double error = e.time() - expected;
    worst = std::fmax(worst, std::abs(error));
    std::printf("%13.10f %12.1e %8.5f  %s\n", e.time(), error, sim.q(body)[0] + u * e.time(),
                e.is_slip()    ? "slips"
                : e.is_stick() ? "sticks"
                               : "?");
    expected += ++switches % 2 == 1 ? slide : (break_away - where) / u;
  };
  const perp_status status = sim.run(3, 0.001, see, note);
  std::printf("%d switches within %.1e s, period %.10f s; %s\n", switches, worst,
              slide + (break_away - where) / u, perp_status_string(status));
  return status == PERP_OK && switches >= 6 && worst < 1e-10 ? 0 : 1;
}
