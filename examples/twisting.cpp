// SPDX-License-Identifier: MIT
// The twisting controller: two relays bring a cart to rest at the origin, in finite time, against
// a force that they do not know (m, s; unit mass), after [Acary and Brogliato 2010]:
//   x1' = x2,  x2' = u + d(t),  u = k1 l1 + k2 l2,  -x_i in N_[-1,1](l_i)   (l_i = -sgn x_i),
// discretised implicitly: both x are those of the end of the step, so the relays know of each
// other in the one-step problem. Checked: once there |x1|, |x2| < 1e-14 for ever, and u = -d(t) to
// rounding, without chattering (l1 and l2 alone are not unique there, only u is).
#include <cmath>
#include <cstdio>
#include <fstream>
#include <perp/perp.hpp>

int main(int argc, char **argv) {
  constexpr double k1 = 4, k2 = 2, h = 1e-3;
  const auto d = [](double t) { return 0.5 * std::sin(4 * t); };
  perp::first_order_linear cart(2, perp::rows({{0, 1}, {0, 0}}));
  cart.input = [&](double t, perp::span b) { b[0] = 0, b[1] = d(t); };
  perp::linear_relation relation;
  relation.C = perp::rows({{1, 0}, {0, 1}});
  relation.B = perp::rows({{0, 0}, {k1, k2}});
  perp::model m;
  const auto x = m.add(cart, {1, 0});
  const auto relays = m.connect(relation, perp::box({-1, -1}, {1, 1}), x);

  perp::simulation_options o;
  o.h = h, o.steps = 8000, o.theta = 1;
  perp::simulation sim(m, o);
  std::ofstream csv(argc > 1 ? argv[1] : "");  // for a plot, if a file is named
  csv << "time (s),x1 (m),x2 (m/s),u (N),disturbance (N)\n";
  double reached = 0, off = 0, wrong = 0;
  std::puts("  t (s)         x1 (m)       x2 (m/s)     u (N)     d (N)");
  for (const auto &s : sim.steps()) {
    const double t = s.time(), x1 = s.x(x)[0], x2 = s.x(x)[1];
    const double u = k1 * s.lambda(relays)[0] + k2 * s.lambda(relays)[1];
    const double away = std::fmax(std::abs(x1), std::abs(x2));
    if (reached > 0) off = std::fmax(off, away), wrong = std::fmax(wrong, std::abs(u + d(t)));
    if (reached == 0 && away < 1e-14) reached = t;
    csv << t << ',' << x1 << ',' << x2 << ',' << u << ',' << d(t) << '\n';
    if (s.step_index() % 400 == 0) {
      std::printf("%7.2f %14.6g %14.6g %9.4f %9.4f\n", t, x1, x2, u, d(t));
    }
  }
  std::printf("there from %.3f s: |x1|, |x2| < %.0e, |u + d| < %.0e N; %s\n", reached, off, wrong,
              perp_status_string(sim.status()));
  return sim.status() == PERP_END && reached > 0 && off < 1e-14 && wrong < 1e-11 ? 0 : 1;
}
