// SPDX-License-Identifier: MIT
// Two coupled relays (after A. F. Filippov):
//   dx1/dt = l1 - 2 l2,  dx2/dt = 2 l1 + l2,  -x_i in N_[-1,1](l_i), that is l_i = -sgn x_i.
// The state spirals into the origin through infinitely many switchings in finite time: |x1| + |x2|
// falls by 2 per second, so it is 0 from T = (|x1| + |x2|) / 2 on. Checked: that law up to the
// step, and that from then on x and both relays are 0 to rounding.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <perp/perp.hpp>

int main(int argc, char **argv) {
  constexpr double x1 = 1, x2 = -0.5, h = 1e-5, end = (x1 - x2) / 2;
  perp::model m;
  const auto x = m.add(perp::first_order_linear(2), {x1, x2});
  perp::linear_relation relation;
  relation.C = perp::rows({{1, 0}, {0, 1}});
  relation.B = perp::rows({{1, -2}, {2, 1}});
  const auto relays = m.connect(relation, perp::box({-1, -1}, {1, 1}), x);

  std::ofstream csv(argc > 1 ? argv[1] : "");  // for a plot, if a file is named
  csv << "time (s),x1,x2,lambda1,lambda2\n";
  perp::simulation sim(m, h, 80000);
  double worst = 0, left = 0, reached = 0, before = 0;
  int switched = 0;
  std::puts("  t (s)        x1        x2  |x1| + |x2|  switchings");
  for (const auto &s : sim.steps()) {
    const perp::view now = s.x(x), l = s.lambda(relays);
    const double norm = std::abs(now[0]) + std::abs(now[1]);
    worst = std::fmax(worst, std::abs(norm - std::fmax(0, 2 * (end - s.time()))));
    switched += std::abs(l[0] * 3 + l[1] - before) > 0.5;
    before = l[0] * 3 + l[1];
    const double moved = norm + h * (std::abs(l[0]) + std::abs(l[1]));
    if (reached > 0) left = std::fmax(left, moved);
    if (reached == 0 && moved < 1e-14) reached = s.time();
    if (s.step_index() % 5000 == 0) {
      std::printf("%7.2f %9.5f %9.5f %12.5f %11d\n", s.time(), now[0] + 0.0, now[1] + 0.0, norm,
                  switched);
    }
    if (s.step_index() % 5 == 0)
      csv << s.time() << ',' << now[0] << ',' << now[1] << ',' << l[0] << ',' << l[1] << '\n';
  }
  std::printf(
      "at the origin from %.4f s, exact %.4f s; %.0e left; |x1| + |x2| right to %.0f h; %s\n",
      reached, end, left, worst / h, perp_status_string(sim.status()));
  return sim.status() == PERP_END && worst < 20 * h && left < 1e-14 && reached > 0 &&
                 std::abs(reached - end) < 20 * h
             ? 0
             : 1;
}
