// SPDX-License-Identifier: MIT
// A ball dropped from H = 1 m on a floor (m, kg, s), under two strategies that differ in one line:
//   M dv = -M g dt + impulses,  q >= 0,  v+ = -e v- at impacts, e = 0.8.
// Exact: impacts at t1 = sqrt(2 H / g) and then 2 e^n t1 apart, infinitely many before
// t1 (1 + e) / (1 - e) = 4.0638 s, and rest from there on with the force M g. Checked by events:
// the time of every impact to 1e-10 s, heights to 1e-11 m; by time-stepping: heights to 10 h.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <perp/event_driven.hpp>
#include <perp/perp.hpp>
#include <vector>

constexpr double M = 1, g = 9.81, e = 0.8, H = 1, h = 1.0 / 4096, output = 1.0 / 128;
const double t1 = std::sqrt(2 * H / g);

static double exact_height(double t) {
  double flight = 2 * t1, begin = -t1;  // of a flight from the floor that peaks at t = 0
  while (t >= begin + flight && flight > 1e-9) begin += flight, flight *= e;
  return flight > 1e-9 ? g / 2 * (t - begin) * (begin + flight - t) : 0;
}

/** The height at k * output, whatever the strategy. */
template <class Simulation>
static std::vector<double> heights(Simulation sim, perp::system_id ball) {
  std::vector<double> q;
  for (int k = 0; sim.status() == PERP_OK && k <= 640; k++) {
    if (sim.run_until(k * output) == PERP_OK) q.push_back(sim.q(ball)[0]);
  }
  return q;
}

int main(int argc, char **argv) {
  perp::model m;
  const auto ball = m.add(perp::lagrangian_linear(1, M, -M * g), {H});
  const auto floor = m.connect(perp::lagrangian_linear_relation(1.0), perp::newton_impact(e), ball);

  const auto by_steps = heights(perp::simulation(m, h), ball);
  const auto by_events = heights(perp::event_driven(m), ball);

  perp::event_driven sim(m);
  double impact = t1, worst_time = 0, accumulation = 0;
  int impacts = 0;
  std::puts("impact       t (s)  error (s)   v+ (m/s)");
  for (const perp::event &what : sim.events_until(5)) {
    if (what.is_accumulation()) accumulation = what.until();
    const double error = what.time() - impact;
    worst_time = std::fmax(worst_time, std::abs(error));
    if (++impacts % 5 == 1) {
      std::printf("%6d %11.8f %10.1e %10.3e\n", impacts, what.time(), error, sim.v(ball)[0]);
    }
    impact += 2 * t1 * std::pow(e, impacts);
  }

  std::ofstream csv(argc > 1 ? argv[1] : "");  // for a plot, if a file is named
  csv << "time (s),height (m),error by events (m),error by steps (m)\n";
  double of_events = 0, of_steps = 0;
  for (std::size_t k = 0; k < by_steps.size() && k < by_events.size(); k++) {
    const double t = static_cast<double>(k) * output, exact = exact_height(t);
    const double a = std::abs(by_events[k] - exact), b = std::abs(by_steps[k] - exact);
    of_events = std::fmax(of_events, a), of_steps = std::fmax(of_steps, b);
    csv << t << ',' << exact << ',' << a << ',' << b << '\n';
  }
  const double end = t1 * (1 + e) / (1 - e), weight = sim.lambda(floor)[0];
  std::printf("%d impacts, their times within %.1e s; accumulation at %.10f s, exact %.10f s\n",
              impacts, worst_time, accumulation, end);
  std::printf("heights within %.1e m by events, %.1e m by steps; at rest the floor bears %.12f N\n",
              of_events, of_steps, weight);
  return by_steps.size() == 641 && by_events.size() == 641 && worst_time < 1e-10 &&
                 of_events < 1e-11 && of_steps < 10 * h && std::abs(accumulation - end) < 1e-9 &&
                 std::abs(weight - M * g) < 1e-11
             ? 0
             : 1;
}
