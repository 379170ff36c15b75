// SPDX-License-Identifier: MIT
#include "tool/log_size.hpp"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "tool/model_run.hpp"
#include "tool/model_run_schedules.hpp"
#include "tool/usage.hpp"

namespace perp::tool {

std::string bytes_shown(double bytes) {
  char text[40];
  const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
  int u = 0;
  while (bytes >= 1000 && u < 4) bytes /= 1000, u++;
  (void)std::snprintf(text, sizeof text, u == 0 ? "%.0f %s" : "%.3g %s", bytes, units[u]);
  return text;
}

double steps_from(const io::loaded_model &m, double t) {
  const perp_simulation_options &o = *perp_builder_options(m.builder.get());
  const double last = m.last_time();
  if (o.grid == nullptr) return std::fmax(0, std::ceil((last - t) / o.h - 1e-6));
  const double *const from = std::lower_bound(o.grid, o.grid + o.steps, t);
  return static_cast<double>(std::lower_bound(from, o.grid + o.steps, last) - from);
}

namespace {

// The end of the last step of a run from time t.
double end_from(const io::loaded_model &m, double t) {
  const perp_simulation_options &o = *perp_builder_options(m.builder.get());
  if (o.grid == nullptr) return t + steps_from(m, t) * o.h;
  return *std::lower_bound(o.grid, o.grid + o.steps, m.last_time());
}

}  // namespace

log_size size_of(const io::loaded_model &m, const perp_log *log, const perp_log_options &as,
                 double t, double checkpoint, bool resumed) {
  const double most = 4e18;  // beyond which bytes have no number
  const double samples = steps_from(m, t) + (resumed ? 0 : 1);
  const auto of = [&](double n) {
    const auto bytes = n < most ? perp_log_bytes(log, static_cast<std::int64_t>(n)) : -1;
    return bytes < 0 ? most : static_cast<double>(bytes);
  };
  log_size size = {of(samples) + (resumed ? 1 : 2) * checkpoint, checkpoint};
  // Blocks as perp/log.h says: 32 bytes and their records.
  const perp_simulation_options &o = *perp_builder_options(m.builder.get());
  for (std::int32_t k = 0; k < m.events.n_schedules; k++)
    size.events += scheduled_within(m.events.schedules[k], t, !resumed, end_from(m, t),
                                    o.grid == nullptr ? o.h : 0);
  constexpr double head = 32, event = 48, list = 16, contact = 24, values = 15;
  size.bytes += size.events * (head + event + head); /* and the block of samples that it ends */
  const perp_contact_pool *const pool = perp_builder_model(m.builder.get())->pool;
  if (pool == nullptr || as.contact_lists == 0) return size;
  const double lists = std::ceil(samples / std::max(as.every, 1));
  size.bytes = of(0) + lists * (of(as.every) - of(0) + head + list) + size.bytes - of(samples);
  size.contacts = lists * pool->capacity * (contact + values * (as.float32 != 0 ? 4 : 8));
  return size;
}

std::string room_lacking(const std::string &path, const log_size &size) {
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) folder = ".";
  struct statvfs disk;
  if (statvfs(folder.c_str(), &disk) != 0 || disk.f_blocks == 0) return "";  // it does not say
  std::error_code none;
  const auto there = std::filesystem::file_size(path, none);
  const double free = static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize),
               more = size.bytes - (none ? 0 : static_cast<double>(there));
  if (more <= free) return "";
  return path + ": " + bytes_shown(size.bytes) + " do not fit on its disk, which has " +
         bytes_shown(free) + " left; --every, --select and --float32 make a log smaller";
}

std::string size_shown(const log_size &size) {
  char exact[40];
  (void)std::snprintf(exact, sizeof exact, "%.0f", size.bytes);
  std::string more;
  if (size.events > 0) {
    char count[40];
    (void)std::snprintf(count, sizeof count, ", %.10g event%s in it", size.events,
                        size.events == 1 ? "" : "s");
    more += count;
  }
  if (size.contacts > 0) more += ", contacts not in it, at most " + bytes_shown(size.contacts);
  return "a log of " + bytes_shown(size.bytes) + " (" + exact + " bytes)" + more +
         (size.checkpoint > 0 ? ", each further checkpoint " + bytes_shown(size.checkpoint) : "");
}

namespace {

// A file of no name that is known before, gone in the end.
struct temporary_file {
  std::string path;
  explicit temporary_file(std::string name) : path(std::move(name)) {
    const int made = mkstemp(path.data());
    if (made < 0) throw run_error(path + ": " + std::strerror(errno));
    (void)close(made);
  }
  ~temporary_file() { (void)std::remove(path.c_str()); }
  temporary_file(const temporary_file &) = delete;
  temporary_file &operator=(const temporary_file &) = delete;
};

}  // namespace

void tell_log(const io::loaded_model &m, const check_arguments &a, const perp_simulation *sim,
              model_findings *found) {
  if (m.by_events) return;  // steps and events are as many as it takes
  run_arguments run;
  run.set = a.set;
  const schema_of mine(m, run);
  const perp_log_options as = log_options(run);
  const temporary_file beside((std::filesystem::temp_directory_path() / "perp-XXXXXX").string());
  const open_log log = begun_log(beside.path, sim, mine, as);
  put_files(m, log.get(), beside.path);
  const double checkpoint =
      m.values.plugins.forgetful().empty() ? checkpoint_bytes(m.values.plugins, sim, m.name) : 0;
  const log_size size = size_of(m, log.get(), as, m.first_time(), checkpoint, false);
  const std::string lacking = room_lacking(log_of(m, run), size);
  found->facts.push_back(size_shown(size));
  if (!lacking.empty()) found->warnings.push_back(lacking);
}

}  // namespace perp::tool
