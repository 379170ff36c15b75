// SPDX-License-Identifier: MIT
// A follower on a cam (cam_model.hpp) at 358, 660 and 700 turns a minute, by events and by
// time-stepping: what makes the simulation is the only line that differs.
// Checked by events: between impacts m u'' + k u = 0, so that u at an impact follows from u and u'
// after the one before, u = A cos(w t) + B sin(w t); and time-stepping hits the cam at the same
// times, the longer the smaller its steps.
#include <cmath>
#include <cstdio>
#include <perp/perp.hpp>
#include <perp/poincare.hpp>

#include "cam_model.hpp"

namespace {

constexpr double until = 3;  // s
const double speeds[] = {358, 660, 700};

perp::event_driven by_events(const cam_model &m) { return perp::event_driven(m.model, m.events); }
perp::simulation by_steps(const cam_model &m, double h) { return perp::simulation(m.model, h); }

// Impacts: time, height, and velocity before and after; the same for both strategies.
template <class Simulation>
perp::table impacts(Simulation sim, const cam_model &m) {
  return perp::impact_map(sim, m.contact, until,
                          {{"t", "s"}, {"u", "m"}, {"v-", "m/s"}, {"v+", ""}},
                          [&](const perp::section_point &p, perp::span row) {
                            row[0] = p.time(), row[1] = p.q(m.follower)[0];
                            row[2] = p.v_before(m.follower)[0], row[3] = p.v(m.follower)[0];
                          });
}

// Height and velocity every 0.5 ms.
template <class Simulation>
perp::table motion(Simulation sim) {
  return perp::stroboscopic_map(sim, 5e-4, until);
}

// Largest distance from the exact flight, at impacts.
double flight_error(const perp::table &hits) {
  const double w = std::sqrt(cam_model::stiffness / cam_model::mass);
  double worst = 0;
  for (std::size_t i = 1; i < hits.rows(); i++) {
    const double angle = w * (hits(i, 0) - hits(i - 1, 0));
    const double u = hits(i - 1, 1) * std::cos(angle) + hits(i - 1, 3) / w * std::sin(angle);
    worst = std::fmax(worst, std::abs(hits(i, 1) - u));
  }
  return worst;
}

// How many impacts come within 1 ms of the exact ones, until the first that does not.
int in_common(const perp::table &exact, const perp::table &hits) {
  std::size_t n = 0;
  while (n < exact.rows() && n < hits.rows() && std::abs(hits(n, 0) - exact(n, 0)) < 1e-3) n++;
  return static_cast<int>(n);
}

}  // namespace

int main(int argc, char **argv) {
  perp::table all;
  bool good = true;
  std::puts("turns/min   impacts   flights by events (m)   in common at h = 1e-4, 1e-5, 1e-6 s");
  for (const double rpm : speeds) {
    const perp::table exact = impacts(by_events(cam_model(rpm)), cam_model(rpm));
    int common[3];
    for (int k = 0; k < 3; k++) {
      const double h = k == 0 ? 1e-4 : k == 1 ? 1e-5 : 1e-6;
      common[k] = in_common(exact, impacts(by_steps(cam_model(rpm), h), cam_model(rpm)));
    }
    const double error = flight_error(exact);
    std::printf("%9.0f %9zu %23.1e %24d %5d %5d\n", rpm, exact.rows(), error, common[0], common[1],
                common[2]);
    good = good && error < 1e-9 && common[0] >= 5 && common[2] >= common[0];
  }
  if (argc > 1) {
    perp::table figure({{"time", "s"},
                        {"lift", "m"},
                        {"events", "m"},
                        {"events", "m/s"},
                        {"steps", "m"},
                        {"steps", "m/s"},
                        {"speed", "turns/min"}});
    for (const double rpm : speeds) {
      const perp::table events = motion(by_events(cam_model(rpm)));
      const perp::table steps = motion(by_steps(cam_model(rpm), 1e-4));
      for (std::size_t i = 0; i < events.rows() && i < steps.rows(); i++) {
        figure.add({events(i, 0), cam_at(events(i, 0), rpm).position, events(i, 1), events(i, 2),
                    steps(i, 1), steps(i, 2), rpm});
      }
    }
    perp::write_csv(figure, argv[1]);
  }
  return good ? 0 : 1;
}
