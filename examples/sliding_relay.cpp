// SPDX-License-Identifier: MIT
// Two switches that fight each other (Filippov; s):
//   x' = -2 if x > y, else 2,   y' = -3 if y > x, else 1.5,   x(0) = 1.5, y(0) = 1.
// With s = x - y and lambda in -Sgn(s):  x' = 2 lambda,  y' = -0.75 - 2.25 lambda, one relay. Both
// sides push towards s = 0, where a simulator that switches whenever it may chatters for ever.
// Exact: s reaches 0 at t = 1/7 and stays, s' = 4.25 lambda + 0.75 = 0, hence lambda = -3/17 and
// x = y = 17/14 - 6/17 (t - 1/7). Checked to 1e-12.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <perp/event_driven.hpp>
#include <perp/perp.hpp>

int main(int argc, char **argv) {
  perp::first_order_linear plane(2);
  plane.b = {0, -0.75};
  perp::linear_relation switching;  // s = C x, r = B lambda
  switching.C = {1, -1};
  switching.B = {2, -2.25};
  perp::model m;
  const auto point = m.add(plane, {1.5, 1.0});
  const auto relay = m.connect(switching, perp::relay(), point);

  std::ofstream csv(argc > 1 ? argv[1] : "");  // for a plot, if a file is named
  csv << "time (s),x,y,lambda\n";
  perp::event_driven sim(m);
  double switched = 0, worst = 0;
  const auto see = [&](const perp::event_driven &now) {
    const double t = now.time(), x = now.x(point)[0], y = now.x(point)[1];
    const bool slides = t >= 1.0 / 7;
    const double together = 17.0 / 14 - 6.0 / 17 * (t - 1.0 / 7);
    worst = std::fmax(worst, std::abs(x - (slides ? together : 1.5 - 2 * t)));
    worst = std::fmax(worst, std::abs(y - (slides ? together : 1 + 1.5 * t)));
    csv << t << ',' << x << ',' << y << ',' << now.lambda(relay)[0] << '\n';
  };
  const auto note = [&](const perp::event &e) {
    switched = e.time();
    std::printf("t = %.15f s: x = %.15f, y = %.15f, lambda from -1 to %.15f\n", e.time(),
                sim.x(point)[0], sim.x(point)[1], sim.lambda(relay)[0]);
  };
  const perp_status status = sim.run(1, 0.005, see, note);
  const bool slides = sim.mode(relay) == perp::contact_mode::between;
  std::printf("%.0f events, x = y = %.15f at t = 1 s; error %.1e; %s\n",
              static_cast<double>(sim.report().events), sim.x(point)[0], worst,
              slides ? "sliding" : "not sliding");
  return status == PERP_OK && slides && worst < 1e-12 && std::abs(switched - 1.0 / 7) < 1e-12 &&
                 std::abs(sim.lambda(relay)[0] + 3.0 / 17) < 1e-12
             ? 0
             : 1;
}
