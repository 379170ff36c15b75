// SPDX-License-Identifier: MIT
// Three systems from model to table: a bouncing ball, a diode bridge rectifier, a column of 1000
// beads. Writes ball.csv, bridge.csv and beads.csv into the folder given (default: out), with units
// in their first lines, and ends with a table of what happened. scripts/plots draws the files.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <perp/perp.hpp>
#include <string>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

namespace {

/** One line of the final table. */
struct summary {
  std::string system;
  bool mechanical;
  perp::run_report report;
  double energy_before, energy_after;  // J
  double seconds_per_step;
  perp_status status;
};

/** A bar on stderr while it is a terminal, else nothing. */
class progress {
 public:
  explicit progress(const char *what) : what_(what) {
#if defined(__unix__) || defined(__APPLE__)
    on_ = isatty(fileno(stderr)) != 0;
#endif
  }
  ~progress() {
    if (on_) (void)std::fprintf(stderr, "\r%60s\r", "");
  }
  progress(const progress &) = delete;
  progress &operator=(const progress &) = delete;
  void show(std::int64_t done, std::int32_t all) {
    const auto percent = static_cast<int>(100 * done / all);
    if (!on_ || percent == percent_) return;
    percent_ = percent;
    const std::string bar(static_cast<std::size_t>(percent * 3 / 10), '#');
    (void)std::fprintf(stderr, "\r%-8s [%-30s] %3d %%", what_, bar.c_str(), percent);
  }

 private:
  const char *what_;
  bool on_ = false;
  int percent_ = -1;
};

/** Comma-separated numbers under a line of names with units. */
class table {
 public:
  table(const std::filesystem::path &file, const std::string &names) : out_(file) {
    out_.precision(10);
    out_ << names << '\n';
  }
  void row(const std::vector<double> &values) {
    const char *comma = "";
    for (const double value : values) {
      out_ << comma << value;
      comma = ",";
    }
    out_ << '\n';
  }
  bool close() {
    out_.close();
    return !out_.fail();
  }

 private:
  std::ofstream out_;
};

/** Seconds a step takes, nothing written: whole runs until they have lasted long enough. */
double seconds_per_step(const perp::model &m, const perp::simulation_options &o) {
  using clock = std::chrono::steady_clock;
  double seconds = 0, steps = 0;
  while (seconds < 0.05) {
    perp::simulation sim(m, o);
    const auto start = clock::now();
    if (sim.run() != PERP_END) return NAN;
    seconds += std::chrono::duration<double>(clock::now() - start).count();
    steps += o.steps;
  }
  return seconds / steps;
}

perp::simulation_options grid(double h, std::int32_t steps) {
  perp::simulation_options o;
  o.h = h;
  o.steps = steps;
  return o;
}

/** M dv = -M g dt + impulses, q >= 0, v+ = -e v-: 1 kg dropped from 1 m, e = 0.9. */
summary ball(const std::filesystem::path &folder) {
  perp::model m;
  const auto b = m.add(perp::lagrangian_linear(1, 1.0, -9.81), {1.0});
  const auto floor = m.connect(perp::lagrangian_linear_relation(1.0), perp::newton_impact(0.9), b);
  const auto o = grid(0.005, 2000);
  perp::simulation sim(m, o);
  table csv(folder / "ball.csv",
            "time (s),position (m),velocity (m/s),reaction (N),kinetic energy (J),"
            "potential energy (J),total energy (J)");
  const auto write = [&](const perp::simulation &s) {
    const auto e = s.energy();
    double reaction = 0;
    s.force(floor, {&reaction, 1});
    csv.row({s.time(), s.q(b)[0], s.v(b)[0], reaction, e.kinetic, e.potential, e.total()});
  };
  const double before = sim.energy().total();
  progress bar("ball");
  write(sim);
  for (const auto &s : sim.steps()) {
    write(s);
    bar.show(s.step_index(), o.steps);
  }
  if (!csv.close()) throw std::runtime_error("cannot write ball.csv");
  return {"ball",      true, sim.report(), before, sim.energy().total(), seconds_per_step(m, o),
          sim.status()};
}

/** C dv/dt = -i - l2 + l3, L di/dt = v; four diodes 0 <= y _|_ l >= 0 feed a resistor R. */
summary bridge(const std::filesystem::path &folder) {
  constexpr double L = 1e-2, C = 1e-6, R = 1e3;  // H, F, Ohm
  perp::model m;
  const auto x = m.add(perp::first_order_linear(2, perp::rows({{0, -1 / C}, {1 / L, 0}})), {10, 0});
  perp::linear_relation wires;
  wires.C = perp::rows({{0, 0}, {0, 0}, {-1, 0}, {1, 0}});
  wires.D = perp::rows({{1 / R, 1 / R, -1, 0}, {1 / R, 1 / R, 0, -1}, {1, 0, 0, 0}, {0, 1, 0, 0}});
  wires.B = perp::rows({{0, 0, -1 / C, 1 / C}, {0, 0, 0, 0}});
  const auto diodes = m.connect(wires, perp::complementarity(), x);
  const auto o = grid(1e-6, 5000);
  perp::simulation sim(m, o);
  table csv(folder / "bridge.csv",
            "time (s),capacitor voltage (V),inductor current (A),diode R1 voltage (V),"
            "diode F2 voltage (V),diode F1 voltage (V),diode R2 voltage (V),diode R1 current (A),"
            "diode F2 current (A),diode F1 current (A),diode R2 current (A),resistor voltage (V),"
            "resistor current (A),stored energy (J)");
  const auto stored = [&] {
    const perp::view s = sim.x(x);
    return (C * s[0] * s[0] + L * s[1] * s[1]) / 2;
  };
  const double before = stored();
  progress bar("bridge");
  for (const auto &s : sim.steps()) {
    const perp::view now = s.x(x), y = s.y(diodes), l = s.lambda(diodes);
    const double load = l[0] + l[1];
    csv.row({s.time(), now[0], now[1], -l[0], -l[1], -y[2], -y[3], y[0], y[1], l[2], l[3], load,
             load / R, stored()});
    bar.show(s.step_index(), o.steps);
  }
  if (!csv.close()) throw std::runtime_error("cannot write bridge.csv");
  return {"bridge", false, sim.report(), before, stored(), seconds_per_step(m, o), sim.status()};
}

/** M dv_i = -M g dt + P_i - P_{i+1}; z_0 >= r, z_i - z_{i-1} >= 2 r; 1 kg, r = 0.1 m, e = 0.9. */
summary beads(const std::filesystem::path &folder) {
  constexpr int N = 1000, every = 4;  // beads; steps from row to row
  constexpr double r = 0.1, g = 9.81;
  perp::model m;
  perp::lagrangian_linear_relation ground(1.0), contact({-1, 1});
  ground.b = -r;
  contact.b = -2 * r;
  std::vector<perp::system_id> z;
  for (int i = 0; i < N; i++) {
    z.push_back(m.add(perp::lagrangian_linear(1, 1.0, -g), {1 + 0.25 * i}));
    if (i == 0) m.connect(ground, perp::newton_impact(0.9), z[0]);
    if (i > 0) m.connect(contact, perp::newton_impact(0.9), {z.end()[-2], z.end()[-1]});
  }
  std::vector<std::size_t> shown{0, 1, 2, 3, 4, 5, 6, 7, 24};
  for (std::size_t i = 49; i < N; i += 50) shown.push_back(i);
  std::string names = "time (s)";
  for (const auto i : shown) names += ",bead " + std::to_string(i + 1) + " (m)";
  table csv(folder / "beads.csv",
            names +
                ",reaction of the ground (N),kinetic energy (J),potential energy (J),"
                "total energy (J)");
  const auto o = grid(5e-4, 10000);
  perp::simulation sim(m, o);
  double impulse = 0;
  const auto write = [&](const perp::simulation &s) {
    const auto e = s.energy();
    std::vector<double> row{s.time()};
    for (const auto i : shown) row.push_back(s.q(z[i])[0]);
    for (const double x : {impulse / (every * o.h), e.kinetic, e.potential, e.total()}) {
      row.push_back(x);
    }
    csv.row(row);
    impulse = 0;
  };
  const double before = sim.energy().total();
  progress bar("beads");
  write(sim);
  for (const auto &s : sim.steps()) {
    impulse += s.lambda(perp::interaction_id{0})[0];
    if (s.step_index() % every == 0) write(s);
    bar.show(s.step_index(), o.steps);
  }
  if (!csv.close()) throw std::runtime_error("cannot write beads.csv");
  return {"beads",     true, sim.report(), before, sim.energy().total(), seconds_per_step(m, o),
          sim.status()};
}

void print(const summary &s) {
  const double lost = s.energy_before - s.energy_after;
  std::string contacts = "-", penetration = "-";  // a circuit has neither
  if (s.mechanical) {
    char text[32];
    (void)std::snprintf(text, sizeof text, "%.1e", s.report.penetration);
    penetration = text;
    contacts = std::to_string(s.report.impacts);
  }
  std::printf("%-8s %7llu %10s %13s %12.1e %13.6g %9.2f %10.3f  %s\n", s.system.c_str(),
              static_cast<unsigned long long>(s.report.steps), contacts.c_str(),
              penetration.c_str(), s.report.residual, lost, 100 * lost / s.energy_before,
              1e6 * s.seconds_per_step, s.status == PERP_END ? "" : perp_status_string(s.status));
}

}  // namespace

int main(int argc, char **argv) {
  const std::filesystem::path folder = argc > 1 ? argv[1] : "out";
  bool ended = true;
  try {
    std::filesystem::create_directories(folder);
    const std::vector<summary> all{ball(folder), bridge(folder), beads(folder)};
    std::printf("%-8s %7s %10s %13s %12s %13s %9s %10s\n", "system", "steps", "contacts",
                "penetration", "residual", "energy lost", "lost", "per step");
    std::printf("%-8s %7s %10s %13s %12s %13s %9s %10s\n", "", "", "", "(m)", "(relative)", "(J)",
                "(%)", "(us)");
    for (const summary &s : all) {
      print(s);
      ended = ended && s.status == PERP_END;
    }
    std::printf(
        "\n"
        "contacts     impacts, counted contact by contact; a circuit has none\n"
        "penetration  how deep a gap was below 0 when its contact acted\n"
        "residual     how well the laws hold in the worst step, computed anew from its data\n"
        "energy lost  to impacts, in the bridge to the resistor\n"
        "per step     with nothing written to files\n");
  } catch (const std::exception &e) {
    (void)std::fprintf(stderr, "perp-demo: %s\n", e.what());
    return 2;
  }
  return ended ? 0 : 1;
}
