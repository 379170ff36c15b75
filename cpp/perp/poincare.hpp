// SPDX-License-Identifier: MIT
/** @file poincare.hpp
 * Poincaré sections as tables: impact maps, stroboscopic maps, crossings of a guard, of runs by
 * time-stepping and by events alike; bifurcation diagrams on all processors. In perp::perp only.
 * See docs/running.md. */
#ifndef PERP_CXX_POINCARE_HPP
#define PERP_CXX_POINCARE_HPP

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "perp/section.hpp"
#include "perp/sweep.hpp"
#include "perp/table.hpp"

namespace perp {

/** As many points as there are. */
inline constexpr std::size_t all_points = std::numeric_limits<std::size_t>::max();

/**
 * Run a simulation, by time-stepping or by events, until a time, or until `most` points were found,
 * and call row(point, span) for each point: it writes a row of the table.
 * @return PERP_OK at the time or with `most` points, or why the run ended before; throws as the run
 */
template <class Simulation, class Row>
[[nodiscard]] perp_status record(Simulation &sim, const section &where, double until, table &to,
                                 Row &&row, std::size_t most = all_points) {
  std::size_t count = 0;
  if (most == 0) return PERP_OK;
  auto take = [&](const section_point &p) {
    const span values = to.add();
    try {
      row(p, values);
    } catch (...) {
      to.drop();
      throw;
    }
    return ++count < most;
  };
  const perp_status s = detail::cut(sim, where, until, take);
  return s == PERP_STOPPED && count == most ? PERP_OK : s;
}

/**
 * The impacts of an interaction until a time, or the first `most` of them, as a table of the
 * columns that row(point, span) writes. Afterwards sim.status() tells how the run ended.
 *
 *     auto map = perp::impact_map(sim, floor, 1e3, {{"time", "s"}, {"speed", "m/s"}},
 *                                 [&](const auto &p, perp::span row) {
 *                                   row[0] = p.time(), row[1] = p.v(ball)[0];
 *                                 });
 */
template <class Simulation, class Row>
table impact_map(Simulation &sim, interaction_id i, double until, std::vector<column> columns,
                 Row &&row, std::size_t most = all_points) {
  table t(std::move(columns));
  (void)record(sim, section::impacts(i), until, t, std::forward<Row>(row), most);
  return t;
}

/** The states at first + k period after the present time, until a time, as a table of the columns
 * that row(point, span) writes; see impact_map(). */
template <class Simulation, class Row>
table stroboscopic_map(Simulation &sim, double period, double until, std::vector<column> columns,
                       Row &&row, double first = 0, std::size_t most = all_points) {
  table t(std::move(columns));
  (void)record(sim, section::stroboscopic(period, first), until, t, std::forward<Row>(row), most);
  return t;
}

/** With a column for the time and for every q, v and x of the model. */
template <class Simulation>
table stroboscopic_map(Simulation &sim, double period, double until) {
  const detail::state_layout layout(sim.parts());
  std::vector<column> columns = {{"time", "s"}};
  const auto name = [&](const char *what, std::size_t n) {
    for (std::size_t i = 0; i < n; i++) columns.push_back({what + std::to_string(i), ""});
  };
  name("q", layout.n_q()), name("v", layout.n_v()), name("x", layout.n_x());
  return stroboscopic_map(sim, period, until, std::move(columns),
                          [](const section_point &p, span row) {
                            double *to = row.data();
                            *to++ = p.time();
                            for (const view part : {p.q(), p.v(), p.x()}) {
                              to = std::copy(part.begin(), part.end(), to);
                            }
                          });
}

/**
 * A bifurcation diagram: the rows of the tables run(value), such as those of a map once the
 * transient has passed, for each value of a parameter, which is the first column. On all
 * processors; see sweep().
 */
template <class Run>
table bifurcation_diagram(const column &parameter, const std::vector<double> &values, Run &&run,
                          const sweep_options &o = {}) {
  const std::vector<table> parts = sweep(values, std::forward<Run>(run), o);
  std::vector<column> columns = {parameter};
  if (!parts.empty()) {
    columns.insert(columns.end(), parts.front().columns().begin(), parts.front().columns().end());
  }
  table all(std::move(columns));
  for (std::size_t i = 0; i < parts.size(); i++) all.append(parts[i], {values[i]});
  return all;
}

}  // namespace perp

#endif
