// SPDX-License-Identifier: MIT
// What runs of both kinds share: a log, a line of progress, an end by Ctrl-C, checkpoints.
#ifndef PERP_TOOL_MODEL_RUN_HPP
#define PERP_TOOL_MODEL_RUN_HPP

#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/model.hpp"
#include "perp/log.h"
#include "tool/commands.hpp"

namespace perp::tool {

// A signal has asked for an end.
extern volatile std::sig_atomic_t interrupted;

// Ctrl-C, or an end that is asked for otherwise, ends a run after the step at hand; a second one
// ends the program. A hang-up that is ignored (nohup) stays so, and nobody who reads what a plug-in
// prints is an error of that.
class interrupt_guard {
 public:
  interrupt_guard();
  ~interrupt_guard();
  interrupt_guard(const interrupt_guard &) = delete;
  interrupt_guard &operator=(const interrupt_guard &) = delete;

 private:
  static constexpr int signals[4] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
  struct sigaction before_[4];
};

struct log_deleter {
  void operator()(perp_log *log) const noexcept { (void)perp_log_close(log, nullptr); }
};
struct reader_deleter {
  void operator()(perp_log_reader *r) const noexcept { perp_log_reader_close(r); }
};
struct stepping_deleter {
  void operator()(perp_simulation *s) const noexcept { perp_simulation_destroy(s); }
};
using open_simulation = std::unique_ptr<perp_simulation, stepping_deleter>;
using open_log = std::unique_ptr<perp_log, log_deleter>;
using open_reader = std::unique_ptr<perp_log_reader, reader_deleter>;

using clock = std::chrono::steady_clock;

// Looks at the clock in calls that may be short or long: in each of a slow run, in few of a fast
// one.
class paced {
 public:
  // Whether it is worth a look: once in about 20 ms, or in each call where they are longer.
  bool look(clock::time_point *now);

 private:
  unsigned left_ = 1, skip_ = 1;
  clock::time_point looked_ = clock::now();
};

// One line on a terminal, written over again and again.
class progress {
 public:
  progress(double from, double until);
  ~progress();
  progress(const progress &) = delete;
  progress &operator=(const progress &) = delete;

  bool due();  // whether a line is
  void show(double t, const std::string &more);

 private:
  double from_, until_;
  bool on_, shown_ = false;
  paced pace_;
  double next_ = 0;
  clock::time_point began_ = clock::now();
};

// What a log says of itself.
struct schema_of {
  std::string program, options;
  std::vector<const char *> systems, interactions;
  std::vector<perp_log_quantity> quantities;
  perp_log_schema schema = PERP_LOG_SCHEMA_INIT;

  schema_of(const io::loaded_model &m, const run_arguments &a);
};

double seconds_since(clock::time_point when);
std::string shown_time(double t);

[[noreturn]] void refuse(const std::string &what, perp_status status, const perp_info &info);
// The same of what a file describes.
[[noreturn]] void refuse(const io::loaded_model &m, perp_status status, const perp_info &info);
// @throws run_error unless all is well
void check(perp_status status, const perp_info &info, const std::string &log);

perp_log_options log_options(const run_arguments &a);
// The log that a run writes, or goes on with.
std::string log_of(const io::loaded_model &m, const run_arguments &a);
// The beginning of the log of time-stepping. @throws usage_error
open_log begun_log(const std::string &path, const perp_simulation *sim, const schema_of &mine,
                   const perp_log_options &options);
open_reader opened_log(const std::string &path);

// Give plug-ins what they remembered, from the end of a checkpoint. @return the bytes before that.
std::size_t restore_plugins(const io::loaded_model &m, const std::string &log,
                            const std::vector<unsigned char> &checkpoint);
// Append what plug-ins remember to a checkpoint.
void save_plugins(const io::model_plugins &plugins, const std::string &name,
                  std::vector<unsigned char> *checkpoint);
// Bytes in a log that a checkpoint of time-stepping has.
double checkpoint_bytes(const io::model_plugins &plugins, const perp_simulation *sim,
                        const std::string &name);
// No checkpoints where what plug-ins remember cannot be saved, which is said.
void check_resumable(const io::loaded_model &m, run_arguments *a);
// The last checkpoint of a log, which is of this model and does not go beyond the last time by more
// than a step (s); its bytes.
std::vector<unsigned char> last_checkpoint(const io::loaded_model &m, const std::string &path,
                                           const schema_of &mine, const char *name, double step);
// Once a log is held against other writers, it must end with the checkpoint that was taken before:
// another run may have gone on with it between.
void check_unchanged(const io::loaded_model &m, const std::string &path, const schema_of &mine,
                     const char *name, const std::vector<unsigned char> &checkpoint);

// The files that a model takes, but for plug-ins, as notes of its log.
void put_files(const io::loaded_model &m, perp_log *log, const std::string &name);
// Files below a folder, which must be new or empty.
void write_folder(const std::string &folder,
                  const std::map<std::filesystem::path, std::string> &files);

// Numbers of checkpoints: little-endian as all of a log.
void append_doubles(const std::vector<double> &values, std::vector<unsigned char> *to);
std::vector<double> doubles_of(const unsigned char *bytes, std::size_t n);

// An interaction of order 2 with a unilateral law.
bool is_contact(const perp_interaction &each);
// ", 3 contacts", of which so many act; empty: the model has none.
std::string contacts_shown(const perp_model &model, std::int32_t acting);
// "; " and why a run may have ended, where equalities contradict one another at the start; else "".
std::string contradiction(const io::loaded_model &m);
// Counters that are not 0, in a line.
std::string counters(const std::vector<std::pair<const char *, double>> &all);
// Close a log, and say what there is to say of its run. good: it ended as the model says.
int finish(const std::string &model, const std::string &ending, const std::string &more,
           const std::string &log, open_log opened, double seconds, perp_status status, bool good,
           std::string *out);

// Runs by events say so where they cannot be resumed.
extern const char *const no_checkpoints;
int run_events(io::loaded_model *m, const run_arguments &given, std::string *out);

}  // namespace perp::tool

#endif
