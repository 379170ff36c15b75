// SPDX-License-Identifier: MIT
// The smallest sliding mode:  dx/dt = l,  -x in N_[-1,1](l), that is l = -sgn x with every value
// between at x = 0. Exact: x = x0 - t until t = |x0|, and 0 for ever after. A step that would
// cross 0 ends on it, and there l = 0: no chattering, whatever the step.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <perp/perp.hpp>

int main(int argc, char **argv) {
  constexpr double x0 = 1, h = 0.03;  // h does not divide x0: the last step is a part of one
  perp::model m;
  const auto x = m.add(perp::first_order_linear(1), {x0});
  perp::linear_relation relation;
  relation.C = relation.B = 1.0;
  const auto relay = m.connect(relation, perp::box(-1, 1), x);

  std::ofstream csv(argc > 1 ? argv[1] : "");  // for a plot, if a file is named
  csv << "time (s),x,lambda\n" << 0 << ',' << x0 << ",-1\n";
  perp::simulation sim(m, h, 50);
  double worst = 0, chatter = 0;
  std::puts("  t (s)        x   lambda");
  for (const auto &s : sim.steps()) {
    const double t = s.time(), now = s.x(x)[0], lambda = s.lambda(relay)[0];
    worst = std::fmax(worst, std::abs(now - std::fmax(0, x0 - t)));
    if (t > x0 + h) chatter = std::fmax(chatter, std::abs(lambda));
    std::printf("%7.2f %8.5f %8.5f\n", t, now + 0.0, lambda + 0.0);
    csv << t << ',' << now << ',' << lambda << '\n';
  }
  std::printf("largest error %.0e, largest lambda on the surface %.0e; %s\n", worst, chatter,
              perp_status_string(sim.status()));
  return sim.status() == PERP_END && worst < 1e-14 && chatter < 1e-13 ? 0 : 1;
}
