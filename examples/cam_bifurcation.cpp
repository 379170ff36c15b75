// SPDX-License-Identifier: MIT
// How the motion of a follower on a cam (cam_model.hpp) depends on its speed: for many speeds,
// after a transient, the height and velocity over the cam once in a turn and the impacts of each
// turn. On all processors; cam_bifurcation [FILE.csv [LOW HIGH SPEEDS]], turns a minute.
// Checked: below 114.98 turns a minute the follower stays on the cam.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <perp/perp.hpp>
#include <perp/poincare.hpp>

#include "cam_model.hpp"

namespace {

constexpr int transient = 200, kept = 80;  // turns
constexpr double threshold = 114.98;

// One row for each turn after the transient.
perp::table turns_at(double rpm) {
  perp::table rows({{"height", "m"}, {"velocity", "m/s"}, {"impacts", ""}});
  const cam_model own(rpm, cam_form::absolute, 0, 0);
  perp::event_driven sim(own.model, own.events);
  const double begin = (transient - 0.5) * own.turn();
  if (sim.run_until(begin) != PERP_OK) return rows;
  auto impacts = sim.report().impacts;
  const auto row = [&](const perp::section_point &p, perp::span values) {
    const auto lift = cam_at(p.time(), rpm);
    values[0] = p.q(own.follower)[0] - lift.position;
    values[1] = p.v(own.follower)[0] - lift.velocity;
    values[2] = static_cast<double>(sim.report().impacts - impacts);
    impacts = sim.report().impacts;
  };
  const perp::section once = perp::section::stroboscopic(own.turn(), own.turn() / 2);
  (void)perp::record(sim, once, begin + (kept + 1) * own.turn(), rows, row, kept);
  return rows;
}

}  // namespace

int main(int argc, char **argv) {
  const double low = argc > 2 ? std::atof(argv[2]) : 100;
  const double high = argc > 3 ? std::atof(argv[3]) : 800;
  const int speeds = argc > 4 ? std::atoi(argv[4]) : argc > 1 ? 701 : 15;
  perp::sweep_options options;
  if (isatty(fileno(stderr)) != 0) {
    options.progress = [](std::size_t done, std::size_t all) {
      (void)std::fprintf(stderr, "\r%zu of %zu speeds%s", done, all, done == all ? "\n" : "");
    };
  }
  const perp::table diagram = perp::bifurcation_diagram(
      {"speed", "turns/min"}, perp::evenly(low, high, static_cast<std::size_t>(speeds)), turns_at,
      options);
  if (argc > 1) perp::write_csv(diagram, argv[1]);

  std::size_t with = 0, early = 0;
  for (std::size_t i = 0; i < diagram.rows(); i++) {
    if (diagram(i, 3) == 0) continue;
    with++;
    if (diagram(i, 0) < threshold) early++;
  }
  std::printf("%zu turns at %d speeds: impacts in %zu of them, in %zu below %.2f turns a minute\n",
              diagram.rows(), speeds, with, early, threshold);
  const bool complete = diagram.rows() == static_cast<std::size_t>(speeds) * kept;
  return complete && with > 0 && early == 0 ? 0 : 1;
}
