// SPDX-License-Identifier: MIT
// The chaotic motion of a follower on a cam at 660 turns a minute (cam_model.hpp), cut in two ways:
//   impact map: angle of the cam and velocity over it right after each impact;
//   stroboscopic map: height and velocity of the follower once in a turn.
// By events 10^5 points of both, and a part of that by time-stepping with 1e-4 s, to compare:
// cam_attractor [FILE.csv]: the points go to FILE.csv; without it a run is shorter.
// Checked: impacts obey Newton's law, and both strategies agree in how often the follower hits.
#include <cmath>
#include <cstdio>
#include <ctime>
#include <perp/perp.hpp>
#include <perp/poincare.hpp>
#include <string>

#include "cam_model.hpp"

namespace {

constexpr double rpm = 660;
constexpr double transient = 50;  // turns
constexpr double slow = 1e-4;     // m/s: below it impacts may accumulate, and the contact close

// Impacts and turns, one under the other: map 0 or 1, strategy 0 (events) or 1 (steps), x, y.
perp::table points() {
  return perp::table({{"map", ""}, {"strategy", ""}, {"x", "deg or m"}, {"y", "m/s"}});
}

struct summary {
  double impacts = 0, turns = 0, seconds = 0, worst = 0;
};

// Both maps of a run, which is done twice: the sections are independent of the strategy.
template <class Make>
summary maps(const cam_model &of, double strategy, double turns, perp::table &to, Make &&make) {
  const double end = (transient + turns) * of.turn();
  summary s;
  s.turns = turns;
  const std::clock_t begin = std::clock();
  {
    auto sim = make();
    if (sim.run_until(transient * of.turn()) != PERP_OK) return s;
    const auto impact = [&](const auto &p, perp::span row) {
      const double c = of.form == cam_form::relative ? 0 : cam_at(p.time(), rpm).velocity;
      const double before = p.v_before(of.follower)[0] - c, after = p.v(of.follower)[0] - c;
      if (before < -slow)
        s.worst = std::fmax(s.worst, std::abs(after + cam_model::restitution * before));
      s.impacts++;
      row[0] = 0, row[1] = strategy, row[2] = cam_angle(p.time(), rpm) * 180 / cam_pi;
      row[3] = after;
    };
    if (perp::record(sim, perp::section::impacts(of.contact), end, to, impact) < 0) return s;
  }
  s.seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  auto sim = make();
  if (sim.run_until(transient * of.turn()) != PERP_OK) return s;
  const auto state = [&](const auto &p, perp::span row) {
    const cam u = of.in_space(p.time(), p.q(of.follower)[0], p.v(of.follower)[0]);
    row[0] = 1, row[1] = strategy, row[2] = u.position, row[3] = u.velocity;
  };
  (void)perp::record(sim, perp::section::stroboscopic(of.turn()), end, to, state);
  return s;
}

void print(const char *name, const summary &s) {
  std::printf("%-14s %8.0f impacts in %7.0f turns, %.4f in each; %6.2f s, %5.1f us for each\n",
              name, s.impacts, s.turns, s.impacts / s.turns, s.seconds,
              1e6 * s.seconds / s.impacts);
}

}  // namespace

int main(int argc, char **argv) {
  const double turns = argc > 1 ? 1e5 : 2e3;
  perp::table all = points();
  const summary events = maps(cam_model(rpm), 0, turns, all, [] {
    const cam_model own(rpm);
    return perp::event_driven(own.model, own.events);
  });
  print("events", events);
  const summary steps = maps(cam_model(rpm), 1, turns / 4, all,
                             [] { return perp::simulation(cam_model(rpm).model, 1e-4); });
  print("steps of 0.1 ms", steps);
  std::printf("largest |v+ + 0.8 v-| over the cam, by events: %.1e m/s\n", events.worst);
  if (argc > 1) perp::write_csv(all, argv[1]);
  const double rates = events.impacts / events.turns / (steps.impacts / steps.turns);
  return events.worst < 1e-6 && std::abs(rates - 1) < 0.2 ? 0 : 1;
}
