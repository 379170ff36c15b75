// SPDX-License-Identifier: MIT
// A sliding-mode controller brings a cart to x1 = 0 against a force that it does not know:
//   x1' = x2,  x2' = u + d(t),  u = G l,  -s in N_[-1,1](l) with s = c x1 + x2 (l = -sgn s),
// discretised implicitly, s at the end of the step (m, s; unit mass). Exact: s reaches 0 in finite
// time; then u = -c x2 - d is as smooth as d, and x1 decays as exp(-c t). Checked: |s| < 1e-14
// from then on, u changes by no more than its derivative tells. The explicit controller
// u = -G sgn(s of now), for comparison, chatters: u jumps by 2 G, and s stays of the order G h.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <perp/perp.hpp>

int main(int argc, char **argv) {
  constexpr double G = 5, c = 2, h = 1e-3;
  const auto d = [](double t) { return 2 * std::sin(4 * t); };  // |d| < G
  perp::first_order_linear cart(2, perp::rows({{0, 1}, {0, 0}}));
  cart.input = [&](double t, perp::span b) { b[0] = 0, b[1] = d(t); };
  perp::linear_relation relation;
  relation.C = {c, 1};
  relation.B = {0, G};
  perp::model m;
  const auto x = m.add(cart, {1, 0});
  const auto controller = m.connect(relation, perp::box(-1, 1), x);

  perp::simulation_options o;
  o.h = h, o.steps = 5000, o.theta = 1;
  perp::simulation sim(m, o);
  std::ofstream csv(argc > 1 ? argv[1] : "");  // for a plot, if a file is named
  csv << "time (s),x1 (m),x2 (m/s),s (m/s),u (N),explicit s (m/s),explicit u (N),disturbance (N)\n";
  double reached = 0, off = 0, jump = 0, before = 0, e1 = 1, e2 = 0, e_off = 0, e_before = 0,
         e_jump = 0;
  std::puts("  t (s)    x1 (m)         s (m/s)     u (N)  | explicit: s (m/s)   u (N)");
  for (const auto &s : sim.steps()) {
    const double t = s.time(), x1 = s.x(x)[0], x2 = s.x(x)[1], sigma = c * x1 + x2;
    const double u = G * s.lambda(controller)[0];
    const double e_u = c * e1 + e2 > 0 ? -G : G;
    e1 += h * e2, e2 += h * (e_u + d(t));
    if (reached == 0 && std::abs(sigma) < 1e-14) reached = t;
    if (reached > 0 && t > reached + h) {
      off = std::fmax(off, std::abs(sigma)), e_off = std::fmax(e_off, std::abs(c * e1 + e2));
      jump = std::fmax(jump, std::abs(u - before)),
      e_jump = std::fmax(e_jump, std::abs(e_u - e_before));
    }
    before = u, e_before = e_u;
    csv << t << ',' << x1 << ',' << x2 << ',' << sigma << ',' << u << ',' << c * e1 + e2 << ','
        << e_u << ',' << d(t) << '\n';
    if (s.step_index() % 250 == 0) {
      std::printf("%7.2f %9.6f %15.1e %9.4f  | %17.1e %7.1f\n", t, x1, sigma, u, c * e1 + e2, e_u);
    }
  }
  std::printf(
      "s = 0 from %.3f s: |s| < %.0e m/s, u moves by at most %.4f N a step; explicit: %.0e "
      "m/s, %.0f N; %s\n",
      reached, off, jump, e_off, e_jump, perp_status_string(sim.status()));
  return sim.status() == PERP_END && reached > 0 && off < 1e-14 && jump < 0.02 ? 0 : 1;
}
