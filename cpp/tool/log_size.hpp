// SPDX-License-Identifier: MIT
// How large the log of a run by time-stepping becomes, told before it.
#ifndef PERP_TOOL_LOG_SIZE_HPP
#define PERP_TOOL_LOG_SIZE_HPP

#include <string>

#include "io/model.hpp"
#include "perp/log.h"
#include "tool/commands.hpp"
#include "tool/model_check.hpp"

namespace perp::tool {

// "80.2 kB"
std::string bytes_shown(double bytes);

// Steps that a run takes from time t (s) to its end.
double steps_from(const io::loaded_model &m, double t);

struct log_size {
  double bytes = 0;       // of the file, but for the record of its end and contacts
  double checkpoint = 0;  // of a checkpoint; 0: there are none
  double events = 0;      // of schedules, which are in bytes
  double contacts = 0;    // as many as the pool can have, in bytes; 0: they are not logged
};

// The size of a log into which a run from time t (s) offers its samples, and writes events of
// schedules and two checkpoints, at the start and at the end; one where it goes on.
log_size size_of(const io::loaded_model &m, const perp_log *log, const perp_log_options &as,
                 double t, double checkpoint, bool resumed);

// "a log of 80.2 kB (80216 bytes), 6 events in it, each further checkpoint 412 bytes"
std::string size_shown(const log_size &size);

// What is said where the disk has less room than a log at path becomes; else empty.
std::string room_lacking(const std::string &path, const log_size &size);

// Of a run by time-stepping the size of its log, and a warning where its disk has less room.
// sim: of the model, made. @throws usage_error, run_error (no temporary file)
void tell_log(const io::loaded_model &m, const check_arguments &a, const perp_simulation *sim,
              model_findings *found);

}  // namespace perp::tool

#endif
