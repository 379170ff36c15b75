// SPDX-License-Identifier: MIT
// Schedules of time-stepping runs: each happens at the first end of a step, or the start, that is
// at its time or behind it.
#ifndef PERP_TOOL_MODEL_RUN_SCHEDULES_HPP
#define PERP_TOOL_MODEL_RUN_SCHEDULES_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "io/model.hpp"
#include "perp/log.h"

namespace perp::tool {

// The next time of a schedule behind `behind` (s); HUGE_VAL: there is none.
double scheduled_behind(const perp_schedule &s, double behind);

// How often a schedule happens at ends of steps of length h (0: not equal, each time is counted)
// behind `first` or, where that counts, at it, up to `last`.
double scheduled_within(const perp_schedule &s, double first, bool at_first, double last, double h);

class schedules {
 public:
  // near: what is not so far behind a time is at it.
  schedules(const io::loaded_model &m, double near);

  bool any() const { return !next_.empty(); }
  // Before the first step; resumed: all up to the time of the simulation have happened.
  void begin(const perp_simulation *sim, bool resumed);

  // Those whose times have come: what their resets make of the state, one after another, is set,
  // and they become events of a log. @return PERP_OK, or why the state was refused
  perp_status happen(perp_simulation *sim, perp_log *log, perp_info *info);
  bool happened() const { return !happened_.empty(); }
  // "schedule a and schedule b": what has happened now, or of that what ends the run; else "".
  std::string names(bool stopping) const;
  std::int64_t events = 0;  // times at which something has happened

 private:
  const io::loaded_model &m_;
  double near_;
  std::vector<double> next_, q_, v_, x_;
  std::vector<std::int32_t> happened_;
};

}  // namespace perp::tool

#endif
