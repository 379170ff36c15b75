// SPDX-License-Identifier: MIT
// perp run: a model file is run, and what happens goes to a log.
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "io/model.hpp"
#include "perp/log.h"
#include "tool/commands.hpp"
#include "tool/model_check.hpp"
#include "tool/results.hpp"
#include "tool/usage.hpp"

namespace perp::tool {

namespace {

volatile std::sig_atomic_t interrupted = 0;

void on_interrupt(int) { interrupted = 1; }

// Ctrl-C, or an end that is asked for otherwise, ends a run after the step at hand; a second one
// ends the program. A hang-up that is ignored (nohup) stays so.
class interrupt_guard {
 public:
  interrupt_guard() {
    interrupted = 0;
    struct sigaction a;
    std::memset(&a, 0, sizeof a);
    a.sa_handler = on_interrupt;
    a.sa_flags = static_cast<int>(SA_RESETHAND);
    for (std::size_t k = 0; k < 3; k++) {
      (void)sigaction(signals[k], &a, &before_[k]);
      if (signals[k] == SIGHUP && before_[k].sa_handler == SIG_IGN)
        (void)sigaction(SIGHUP, &before_[k], nullptr);
    }
  }
  ~interrupt_guard() {
    for (std::size_t k = 0; k < 3; k++) (void)sigaction(signals[k], &before_[k], nullptr);
  }
  interrupt_guard(const interrupt_guard &) = delete;
  interrupt_guard &operator=(const interrupt_guard &) = delete;

 private:
  static constexpr int signals[3] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction before_[3];
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
struct events_deleter {
  void operator()(perp_event_driven *s) const noexcept { perp_event_driven_destroy(s); }
};
using open_log = std::unique_ptr<perp_log, log_deleter>;
using open_reader = std::unique_ptr<perp_log_reader, reader_deleter>;

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point when) {
  return std::chrono::duration<double>(clock::now() - when).count();
}

[[noreturn]] void refuse(const std::string &what, perp_status status, const perp_info &info,
                         const std::string &more = {}) {
  throw usage_error(what + ": " + io::explained(status, info) + more);
}

// One line on a terminal, written over again and again.
class progress {
 public:
  progress(double from, double until) : from_(from), until_(until), on_(isatty(2) == 1) {}
  ~progress() {
    if (shown_) (void)std::fputs("\r\033[K", stderr);
  }
  progress(const progress &) = delete;
  progress &operator=(const progress &) = delete;

  // Whether a line is due: looked at once in many calls.
  bool due() {
    if (!on_ || (++calls_ & 255) != 0) return false;
    const double now = seconds_since(began_);
    if (now < next_) return false;
    next_ = now + 0.2;
    return true;
  }
  void show(double t, const std::string &more) {
    shown_ = true;
    const double speed = (t - from_) / seconds_since(began_);
    std::string bar;
    if (std::isfinite(until_) && until_ > from_) {
      const auto full =
          static_cast<std::size_t>(20 * std::fmin(1.0, (t - from_) / (until_ - from_)));
      bar = " [" + std::string(full, '#') + std::string(20 - full, ' ') + "]";
    }
    (void)std::fprintf(stderr, "\r\033[Kt = %.6g s%s %.3g s a second%s", t, bar.c_str(), speed,
                       more.c_str());
    (void)std::fflush(stderr);
  }

 private:
  double from_, until_;
  bool on_, shown_ = false;
  unsigned calls_ = 0;
  double next_ = 0;
  clock::time_point began_ = clock::now();
};

std::string shown_time(double t) {
  char text[40];
  (void)std::snprintf(text, sizeof text, "%.9g", t);
  return text;
}

std::string bytes_shown(double bytes) {
  char text[40];
  const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
  int u = 0;
  while (bytes >= 1000 && u < 4) bytes /= 1000, u++;
  (void)std::snprintf(text, sizeof text, u == 0 ? "%.0f %s" : "%.3g %s", bytes, units[u]);
  return text;
}

// What a log says of itself.
struct schema_of {
  std::string program, options;
  std::vector<const char *> systems, interactions;
  std::vector<perp_log_quantity> quantities;
  perp_log_schema schema = PERP_LOG_SCHEMA_INIT;

  schema_of(const io::loaded_model &m, const run_arguments &a) {
    program = std::string("perp run ") + perp_version_string();
    nlohmann::ordered_json j;
    j["set"] = a.set;
    for (const io::model_file &each : m.files) j["files"][each.name] = each.checksum;
    if (m.by_events && a.checkpoint > 0) j["checkpoint"] = a.checkpoint;
    options = j.dump();
    for (const std::string &each : m.systems) systems.push_back(each.c_str());
    for (const std::string &each : m.interactions) interactions.push_back(each.c_str());
    if (a.energy)
      for (const auto &[name, source] :
           {std::pair("kinetic", PERP_LOG_KINETIC), std::pair("potential", PERP_LOG_POTENTIAL)}) {
        perp_log_quantity q;
        std::memset(&q, 0, sizeof q);
        q.kind = "energy", q.name = name, q.unit = "J", q.members = q.components = 1;
        q.source = source;
        quantities.push_back(q);
      }
    schema.n_quantities = static_cast<std::int32_t>(quantities.size());
    schema.quantities = quantities.data();
    schema.program = program.c_str();
    schema.model_name = m.name.c_str();
    schema.model = m.text.c_str();
    schema.options = options.c_str();
  }
};

perp_log_options log_options(const run_arguments &a) {
  perp_log_options o = perp_log_options_default();
  o.every = a.every;
  o.float32 = a.float32 ? 1 : 0;
  if (!a.select.empty()) o.select = a.select.c_str();
  return o;
}

std::string default_log(const std::string &model) {
  return std::filesystem::path(model).stem().string() + ".log";
}

// A run replaces a log, or a file with nothing in it.
void check_replaceable(const std::string &path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none) || std::filesystem::file_size(path, none) == 0)
    return;
  static const unsigned char magic[8] = {0x89, 'P', 'L', 'O', 'G', 0x0d, 0x0a, 0x1a};
  char head[8] = {};
  std::ifstream(path, std::ios::binary).read(head, sizeof head);
  if (std::memcmp(head, magic, sizeof magic) != 0)
    throw usage_error(path + ": is there and is no log, so that it is not replaced");
}

void check(perp_status status, const perp_info &info, const std::string &log) {
  if (status != PERP_OK) throw run_error(log + ": " + io::explained(status, info));
}

// Close a log, and say what there is to say of its run.
int finish(const std::string &model, const std::string &ending, const std::string &more,
           const std::string &log, open_log opened, double seconds, perp_status status,
           std::string *out) {
  perp_info info = PERP_INFO_INIT;
  check(perp_log_close(opened.release(), &info), info, log);
  if (status < 0) throw run_error(model + ": " + ending);
  std::error_code none;
  const auto bytes = std::filesystem::file_size(log, none);
  char time[40];
  (void)std::snprintf(time, sizeof time, "%.3g s", seconds);
  *out += model + ": " + ending + "\n";
  if (!more.empty()) *out += more + "\n";
  *out += log + ": " + bytes_shown(none ? 0 : static_cast<double>(bytes)) + ", " + time + "\n";
  return status == PERP_END ? exit_solved : exit_not_solved;
}

// ---- plug-ins ----

// Give plug-ins what they remembered, from the end of a checkpoint. @return the bytes before that.
std::size_t restore_plugins(const io::loaded_model &m, const std::string &log,
                            const std::vector<unsigned char> &checkpoint) {
  try {
    std::size_t n_bytes = checkpoint.size();
    m.values.plugins.restore(checkpoint.data(), &n_bytes);
    return n_bytes;
  } catch (const std::runtime_error &e) {
    throw usage_error(log + ": " + e.what() + m.values.plugins.complaint());
  }
}

// Append what plug-ins remember to a checkpoint.
void save_plugins(const io::model_plugins &plugins, const std::string &name,
                  std::vector<unsigned char> *checkpoint) {
  try {
    plugins.save(checkpoint);
  } catch (const std::runtime_error &e) {
    throw run_error(name + ": " + e.what() + plugins.complaint());
  }
}

// No checkpoints where what plug-ins remember cannot be saved, which is said.
void check_resumable(const io::loaded_model &m, run_arguments *a) {
  const std::vector<std::string> forgetful = m.values.plugins.forgetful();
  if (forgetful.empty()) return;
  if (!a->resume.empty()) throw usage_error(m.name + ": a run that cannot be resumed");
  a->checkpoint = 0;
  (void)std::fprintf(stderr,
                     "perp: %s: `%s` has no perp_plugin_save and perp_plugin_restore: this run "
                     "writes no checkpoints and cannot be resumed\n",
                     m.name.c_str(), forgetful.front().c_str());
}

// ---- time-stepping ----

struct stepping_run {
  const io::model_plugins &plugins;
  perp_log *log;
  std::string name;
  double checkpoint_seconds;
  progress bar;
  std::vector<unsigned char> sealed;
  clock::time_point last = clock::now();
  unsigned calls = 0;
  std::exception_ptr thrown;

  void checkpoint(perp_simulation *sim) {
    sealed.resize(perp_simulation_checkpoint_size(sim));
    perp_info info = PERP_INFO_INIT;
    perp_status status = perp_simulation_checkpoint(sim, sealed.data(), sealed.size(), &info);
    save_plugins(plugins, name, &sealed);
    if (status == PERP_OK)
      status = perp_log_add_checkpoint(log, perp_simulation_time(sim), "perp-simulation",
                                       sealed.data(), sealed.size(), &info);
    check(status, info, name);
    last = clock::now();
  }
  void step(perp_simulation *sim) {
    perp_info info = PERP_INFO_INIT;
    check(perp_log_step(log, sim, nullptr, 0, &info), info, name);
    if (checkpoint_seconds > 0 && (++calls & 63) == 0 && seconds_since(last) >= checkpoint_seconds)
      checkpoint(sim);
    if (bar.due()) {
      perp_report r = PERP_REPORT_INIT;
      (void)perp_simulation_report(sim, &r);
      char more[120];
      (void)std::snprintf(more, sizeof more, ", %lld steps, %lld impacts, residual %.1e",
                          static_cast<long long>(r.steps), static_cast<long long>(r.impacts),
                          r.residual);
      bar.show(perp_simulation_time(sim), more);
    }
  }
};

std::int32_t observe_step(perp_simulation *sim, void *user) {
  auto &run = *static_cast<stepping_run *>(user);
  try {
    run.step(sim);
  } catch (...) {
    run.thrown = std::current_exception();
    return -1;
  }
  return interrupted != 0 ? 1 : 0;
}

std::string report_json(const perp_report &r) {
  nlohmann::ordered_json j;
  j["steps"] = r.steps, j["impacts"] = r.impacts, j["max_active"] = r.max_active;
  j["active"] = r.active, j["solver_iterations"] = r.solver_iterations, j["newton"] = r.newton;
  j["failures"] = r.failures, j["retries"] = r.retries, j["accepted"] = r.accepted;
  j["relaxed"] = r.relaxed, j["penetration"] = r.penetration, j["residual"] = r.residual;
  return j.dump();
}

// Counters that are not 0, in a line.
std::string counters(const std::vector<std::pair<const char *, double>> &all) {
  std::string text;
  for (const auto &[name, value] : all) {
    if (value == 0) continue;
    char number[40];
    (void)std::snprintf(number, sizeof number, "%.6g", value);
    text += (text.empty() ? "" : ", ") + std::string(name) + " " + number;
  }
  return text;
}

// The last checkpoint of a log, which is of this model and does not go beyond the last time by more
// than a step (s); its bytes.
std::vector<unsigned char> last_checkpoint(const io::loaded_model &m, const std::string &path,
                                           const schema_of &mine, const char *name, double step) {
  perp_info info = PERP_INFO_INIT;
  perp_log_reader *r = nullptr;
  const perp_status opened = perp_log_reader_open(&r, path.c_str(), &info);
  if (opened != PERP_OK) refuse(path, opened, info);
  const open_reader reader(r);
  const perp_log_schema *const of = perp_log_reader_schema(r);
  const auto theirs = nlohmann::json::parse(of->options, nullptr, false),
             ours = nlohmann::json::parse(mine.options);
  const auto differs = [&](const char *key) {
    return !theirs.is_object() ||
           theirs.value(key, nlohmann::json()) != ours.value(key, nlohmann::json());
  };
  if (of->model != m.text || differs("set"))
    throw usage_error(path + ": the log of another model, or of other --set, than " + m.name);
  const auto kept = theirs.value("files", nlohmann::json());
  for (const io::model_file &each : m.files)
    if (!kept.is_object() || kept.value(each.name, nlohmann::json()) != each.checksum)
      throw usage_error(path + ": `" + each.name + "`, which " + m.name +
                        " takes, has changed since");
  if (differs("checkpoint"))
    throw usage_error(path + ": the log of another --checkpoint, which an event-driven run keeps");
  perp_log_record record = PERP_LOG_RECORD_INIT;
  const perp_status found =
      perp_log_reader_last(r, 1U << static_cast<unsigned>(PERP_LOG_CHECKPOINT), &record, &info);
  if (found == PERP_END || (found == PERP_OK && std::strcmp(record.name, name) != 0))
    throw usage_error(path + ": no checkpoint is in it to go on from");
  if (found != PERP_OK) refuse(path, found, info);
  const auto *const at = static_cast<const unsigned char *>(record.bytes);
  std::vector<unsigned char> bytes(at, at + record.n_bytes);
  double reached = record.t;
  perp_log_summary has = PERP_LOG_SUMMARY_INIT;
  (void)perp_log_reader_summary(r, &has);
  if (has.samples > 0) {
    double t = 0;
    const perp_status read = perp_log_reader_read(r, -1, has.samples - 1, 1, 1, &t, nullptr, &info);
    if (read != PERP_OK) refuse(path, read, info);
    reached = std::fmax(reached, t);
  }
  if (reached > m.until + step)
    throw usage_error(path + ": found results up to t = " + shown_time(reached) +
                      ", behind the last time " + shown_time(m.until) + "; none is taken away");
  return bytes;
}

// The state that a checkpoint of time-stepping holds, whose bytes are *sealed.
std::vector<double> resumed_state(const io::loaded_model &m, const perp_model *model,
                                  const perp_simulation_options *options, const std::string &path,
                                  const schema_of &mine, std::vector<unsigned char> *sealed) {
  double step = options->h;
  if (options->grid != nullptr) {
    step = 0;
    for (std::int32_t k = 0; k < options->steps; k++)
      step = std::fmax(step, options->grid[k + 1] - options->grid[k]);
  }
  *sealed = last_checkpoint(m, path, mine, "perp-simulation", step);
  const std::size_t n_bytes = restore_plugins(m, path, *sealed);
  std::vector<double> state((perp_simulation_state_size(model, options) + 7) / 8);
  perp_info info = PERP_INFO_INIT;
  const perp_status opened_state =
      perp_simulation_unseal(model, options, sealed->data(), n_bytes, 0, state.data(),
                             perp_simulation_state_size(model, options), &info);
  if (opened_state != PERP_OK) refuse(path, opened_state, info);
  return state;
}

int run_stepping(io::loaded_model *m, const run_arguments &given, std::string *out) {
  run_arguments a = given;
  if (a.checkpoint < 0) a.checkpoint = 10;
  check_resumable(*m, &a);
  const perp_model *const model = perp_builder_model(m->builder.get());
  perp_simulation_options *const options = perp_builder_options(m->builder.get());
  const schema_of mine(*m, a);
  perp_info info = PERP_INFO_INIT;
  perp_simulation *made = nullptr;
  perp_status status = PERP_OK;
  std::vector<unsigned char> sealed;
  if (a.resume.empty()) {
    status = perp_simulation_create(&made, model, options, &info);
  } else {
    const std::vector<double> state = resumed_state(*m, model, options, a.resume, mine, &sealed);
    status = perp_simulation_restore(&made, model, options, state.data(),
                                     perp_simulation_state_size(model, options), &info);
  }
  if (status != PERP_OK) refuse(place_of(*m, info), status, info, m->values.plugins.complaint());
  const std::unique_ptr<perp_simulation, stepping_deleter> sim(made);
  const std::string path = !a.resume.empty() ? a.resume
                           : a.log.empty()   ? default_log(m->name)
                                             : a.log;
  const perp_log_options as = log_options(a);
  perp_log *opened = nullptr;
  status = a.resume.empty() ? perp_log_simulation_create(
                                  &opened, path.c_str(), made, mine.systems.data(),
                                  mine.interactions.empty() ? nullptr : mine.interactions.data(),
                                  &mine.schema, &as, &info)
                            : perp_log_append(&opened, path.c_str(), nullptr, &as,
                                              PERP_LOG_AT_CHECKPOINT, &info);
  if (status != PERP_OK) refuse(path, status, info);
  open_log log(opened);
  // Points of the grid are sums that round: what lies within a millionth of a step is there.
  const double until = m->until - (options->grid == nullptr ? 1e-6 * options->h : 0);
  if (!a.resume.empty()) (void)restore_plugins(*m, path, sealed);  // callbacks have been called
  stepping_run run{m->values.plugins,
                   opened,
                   path,
                   a.checkpoint,
                   progress(perp_simulation_time(made), m->until),
                   {},
                   clock::now(),
                   0,
                   nullptr};
  const clock::time_point began = clock::now();
  if (a.resume.empty()) {
    check(perp_log_step(opened, made, nullptr, 0, &info), info, path);
    if (a.checkpoint > 0) run.checkpoint(made);
  }
  {
    const interrupt_guard guard;
    status = perp_simulation_time(made) >= until
                 ? PERP_OK
                 : perp_simulation_run(made, 0, until, observe_step, &run, &info);
  }
  if (run.thrown != nullptr) std::rethrow_exception(run.thrown);
  if (status == PERP_OK) status = PERP_END;
  char text[512];
  (void)perp_simulation_ending(made, status, &info, 0, text, sizeof text);
  const std::string ending = text + m->values.plugins.complaint();
  perp_report r = PERP_REPORT_INIT;
  (void)perp_simulation_report(made, &r);
  const double seconds = seconds_since(began);
  if ((status == PERP_STOPPED || status == PERP_END) && a.checkpoint > 0 && run.calls > 0)
    run.checkpoint(made);
  check(perp_log_add_end(opened, perp_simulation_time(made), status, ending.c_str(),
                         report_json(r).c_str(), &info),
        info, path);
  const std::string more = counters({{"impacts", static_cast<double>(r.impacts)},
                                     {"most unknowns", r.max_active},
                                     {"retries", static_cast<double>(r.retries)},
                                     {"accepted", static_cast<double>(r.accepted)},
                                     {"relaxed", static_cast<double>(r.relaxed)},
                                     {"penetration", r.penetration},
                                     {"residual", r.residual}});
  return finish(m->name, ending, more, path, std::move(log), seconds, status, out);
}

// ---- event-driven ----

// Where an event-driven run begins anew, as its checkpoints hold it: doubles, little-endian as all
// of a log. Both the run that goes on and the one that is resumed begin anew there, so that they
// have the same bits.
struct events_place {
  double point = 0;          // number of the checkpoint: its time is t0 + point * distance
  double t = 0;              // time (s)
  double last_output = NAN;  // of those before
  double events = 0, impacts = 0, switches = 0, jumps = 0, handovers = 0, restarts = 0,
         problems = 0, steps = 0, rejected = 0, evaluations = 0, unresolved = 0, missed = 0;
  std::vector<double> q, v, x;

  static constexpr std::size_t numbers = 15;
  double *number(std::size_t k) {
    double *const all[numbers] = {&point,    &t,        &last_output, &events,     &impacts,
                                  &switches, &jumps,    &handovers,   &restarts,   &problems,
                                  &steps,    &rejected, &evaluations, &unresolved, &missed};
    return all[k];
  }
  void add(const perp_event_report &r, double times = 1) {
    const auto add_to = [times](double *sum, std::int64_t n) {
      *sum += times * static_cast<double>(n);
    };
    add_to(&events, r.events), add_to(&impacts, r.impacts), add_to(&switches, r.switches);
    add_to(&jumps, r.jumps), add_to(&handovers, r.handovers), add_to(&restarts, r.restarts);
    add_to(&problems, r.problems), add_to(&steps, r.steps), add_to(&rejected, r.rejected);
    add_to(&evaluations, r.evaluations), add_to(&unresolved, r.unresolved);
    add_to(&missed, r.missed);
  }
  void take_state(perp_event_driven *sim, std::size_t systems) {
    q.clear(), v.clear(), x.clear();
    const auto take = [](std::vector<double> *to, const double *from, std::int32_t n) {
      if (n > 0) to->insert(to->end(), from, from + n);
    };
    for (std::size_t k = 0; k < systems; k++) {
      const auto s = static_cast<std::int32_t>(k);
      take(&q, perp_event_driven_q(sim, s), perp_event_driven_n_q(sim, s));
      take(&v, perp_event_driven_v(sim, s), perp_event_driven_n_v(sim, s));
      take(&x, perp_event_driven_x(sim, s), perp_event_driven_n_x(sim, s));
    }
    t = perp_event_driven_time(sim);
  }
  std::vector<unsigned char> bytes() {
    std::vector<double> all;
    for (std::size_t k = 0; k < numbers; k++) all.push_back(*number(k));
    for (const auto *each : {&q, &v, &x}) all.insert(all.end(), each->begin(), each->end());
    std::vector<unsigned char> out(all.size() * 8);
    for (std::size_t k = 0; k < all.size(); k++) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &all[k], 8);
      for (std::size_t i = 0; i < 8; i++)
        out[8 * k + i] = static_cast<unsigned char>(bits >> 8 * i & 255);
    }
    return out;
  }
  // False: they are of another size. q, v, x have that of the model.
  bool read(const std::vector<unsigned char> &bytes) {
    if (bytes.size() != 8 * (numbers + q.size() + v.size() + x.size())) return false;
    std::size_t at = 0;
    const auto next = [&] {
      std::uint64_t bits = 0;
      for (std::size_t i = 8; i-- > 0;) bits = bits << 8 | bytes[at + i];
      at += 8;
      double value = 0;
      std::memcpy(&value, &bits, 8);
      return value;
    };
    for (std::size_t k = 0; k < numbers; k++) *number(k) = next();
    for (auto *each : {&q, &v, &x})
      for (double &entry : *each) entry = next();
    return true;
  }
};

const char *const no_checkpoints =
    "no checkpoints, so that it cannot be resumed: --checkpoint S has them each S seconds of its "
    "time";

// The distance of the checkpoints of a log's run.
double checkpoint_of_log(const std::string &path) {
  perp_info info = PERP_INFO_INIT;
  perp_log_reader *r = nullptr;
  const perp_status opened = perp_log_reader_open(&r, path.c_str(), &info);
  if (opened != PERP_OK) refuse(path, opened, info);
  const open_reader reader(r);
  const auto options = nlohmann::json::parse(perp_log_reader_schema(r)->options, nullptr, false);
  const bool there =
      options.is_object() && options.contains("checkpoint") && options["checkpoint"].is_number();
  return there ? options["checkpoint"].get<double>() : 0;
}

struct events_run {
  const io::model_plugins &plugins;
  perp_log *log;
  std::string name;
  progress bar;
  bool tell;
  std::string *out;
  events_place at;
  std::exception_ptr thrown;
  double logged = NAN;  // time of the last sample

  void sample(perp_event_driven *sim) {
    perp_info info = PERP_INFO_INIT;
    check(perp_log_event_driven_step(log, sim, nullptr, 0, &info), info, name);
    logged = perp_event_driven_time(sim);
  }
};

template <class F>
std::int32_t guarded(events_run *run, F &&f) {
  try {
    f();
  } catch (...) {
    run->thrown = std::current_exception();
    return -1;
  }
  return interrupted != 0 ? 1 : 0;
}

std::int32_t observe_output(perp_event_driven *sim, void *user) {
  auto *const run = static_cast<events_run *>(user);
  return guarded(run, [&] {
    const double t = perp_event_driven_time(sim);
    if (std::fabs(t - run->at.last_output) <= 1e-14 * std::fabs(t)) return;  // before a checkpoint
    run->at.last_output = t;
    run->sample(sim);
  });
}

std::int32_t observe_event(perp_event_driven *sim, const perp_event *event, void *user) {
  auto *const run = static_cast<events_run *>(user);
  return guarded(run, [&] {
    perp_info info = PERP_INFO_INIT;
    check(perp_log_event_driven_event(run->log, sim, event, &info), info, run->name);
    run->sample(sim);
    if (!run->tell) return;
    char line[160];
    (void)std::snprintf(
        line, sizeof line, "event %lld at t = %.9g: %s\n",
        static_cast<long long>(run->at.events) + static_cast<long long>(event->number), event->t,
        event_words(event->kinds).c_str());
    *run->out += line;
  });
}

std::int32_t observe_smooth(perp_event_driven *sim, void *user) {
  auto *const run = static_cast<events_run *>(user);
  if (run->bar.due()) run->bar.show(perp_event_driven_time(sim), "");
  return interrupted != 0 ? 1 : 0;
}

using driven = std::unique_ptr<perp_event_driven, events_deleter>;

driven begun(const io::loaded_model &m) {
  perp_info info = PERP_INFO_INIT;
  perp_event_driven *made = nullptr;
  const perp_status status =
      perp_event_driven_create(&made, perp_builder_model(m.builder.get()), &m.events, &info);
  if (status != PERP_OK) refuse(place_of(m, info), status, info, m.values.plugins.complaint());
  return driven(made);
}

// A new simulation at the place where the run is, and what happens there at once.
driven begun_anew(const io::loaded_model &m, events_run *run) {
  driven sim = begun(m);
  events_place &at = run->at;
  perp_event_report made = PERP_EVENT_REPORT_INIT;
  (void)perp_event_driven_report(sim.get(), &made);
  at.add(made, -1);  // counts are those of one run
  if (at.point > 0) at.events--;
  perp_info info = PERP_INFO_INIT;
  const perp_status status =
      perp_event_driven_restart(sim.get(), at.t, at.q.data(), at.v.data(), at.x.data(), &info);
  if (status != PERP_OK)
    throw run_error(m.name + ": " + io::explained(status, info) + m.values.plugins.complaint());
  const perp_event *const event = perp_event_driven_event(sim.get());
  if ((event->kinds & PERP_EVENT_IMPACT) != 0 && observe_event(sim.get(), event, run) < 0)
    std::rethrow_exception(run->thrown);
  return sim;
}

void put_checkpoint(events_run *run) {
  std::vector<unsigned char> bytes = run->at.bytes();
  save_plugins(run->plugins, run->name, &bytes);
  perp_info info = PERP_INFO_INIT;
  check(perp_log_add_checkpoint(run->log, run->at.t, "perp-event-driven", bytes.data(),
                                bytes.size(), &info),
        info, run->name);
}

// Up to the last time. *sim is another one after each checkpoint.
perp_status go_through(const io::loaded_model &m, double distance, events_run *run, driven *sim,
                       perp_info *info) {
  perp_event_observer observer = PERP_EVENT_OBSERVER_INIT;
  observer.first = m.events.t0 + m.every;
  observer.every = m.every;
  observer.output = observe_output;
  observer.event = observe_event;
  observer.step = observe_smooth;
  observer.user = run;
  if (!(distance > 0)) return perp_event_driven_run(sim->get(), m.until, &observer, info);
  for (;;) {
    *sim = begun_anew(m, run);
    const double next = m.events.t0 + (run->at.point + 1) * distance;
    const perp_status status =
        perp_event_driven_run(sim->get(), std::fmin(next, m.until), &observer, info);
    if (status != PERP_OK || next >= m.until) return status;
    perp_event_report r = PERP_EVENT_REPORT_INIT;
    (void)perp_event_driven_report(sim->get(), &r);
    run->at.add(r);
    run->at.take_state(sim->get(), m.systems.size());
    run->at.t = next, run->at.point++;
    put_checkpoint(run);
  }
}

int run_events(io::loaded_model *m, const run_arguments &given, std::string *out) {
  run_arguments a = given;
  const bool resumed = !a.resume.empty();
  if (resumed && a.checkpoint < 0) a.checkpoint = checkpoint_of_log(a.resume);
  a.checkpoint = std::fmax(a.checkpoint, 0);
  check_resumable(*m, &a);
  driven sim = begun(*m);
  const schema_of mine(*m, a);
  events_run run{m->values.plugins, nullptr, "", progress(m->events.t0, m->until),
                 a.events,          out,     {}, nullptr};
  run.at.take_state(sim.get(), m->systems.size());
  if (resumed) {
    std::vector<unsigned char> bytes =
        last_checkpoint(*m, a.resume, mine, "perp-event-driven", 1e-14 * std::fabs(m->until));
    bytes.resize(restore_plugins(*m, a.resume, bytes));
    if (!run.at.read(bytes)) throw usage_error(a.resume + ": its checkpoints are of another size");
  }
  const std::string path = resumed ? a.resume : a.log.empty() ? default_log(m->name) : a.log;
  const perp_log_options as = log_options(a);
  perp_info info = PERP_INFO_INIT;
  perp_log *opened = nullptr;
  perp_status status =
      resumed ? perp_log_append(&opened, path.c_str(), nullptr, &as, PERP_LOG_AT_CHECKPOINT, &info)
              : perp_log_event_driven_create(
                    &opened, path.c_str(), sim.get(), mine.systems.data(),
                    mine.interactions.empty() ? nullptr : mine.interactions.data(), &mine.schema,
                    &as, &info);
  if (status != PERP_OK) refuse(path, status, info);
  open_log log(opened);
  run.log = opened, run.name = path;
  const clock::time_point began = clock::now();
  if (!resumed) {
    run.sample(sim.get());
    if (a.checkpoint > 0) put_checkpoint(&run);
  }
  {
    const interrupt_guard guard;
    status = go_through(*m, a.checkpoint, &run, &sim, &info);
  }
  if (run.thrown != nullptr) std::rethrow_exception(run.thrown);
  if ((status == PERP_OK || status == PERP_STOPPED) &&
      run.logged != perp_event_driven_time(sim.get()))
    run.sample(sim.get());
  perp_event_report last = PERP_EVENT_REPORT_INIT;
  (void)perp_event_driven_report(sim.get(), &last);
  run.at.add(last);
  run.at.events--;  // the start, which happens to nothing
  const events_place &r = run.at;
  char text[512];
  (void)perp_event_driven_ending(sim.get(), status, &info, 0, text, sizeof text);
  std::string ending = text;
  if (status == PERP_OK ||
      status == PERP_STOPPED) {  // the simulation counts its own, and the start
    (void)std::snprintf(text, sizeof text, "%s: %.0f event%s, t = %.9g",
                        status == PERP_OK ? "finished" : "stopped", r.events,
                        r.events == 1 ? "" : "s", perp_event_driven_time(sim.get()));
    ending = text;
    if (r.missed > 0)
      ending += "; " + std::to_string(std::llround(r.missed)) + " found late: try a shorter h_max";
  }
  ending += m->values.plugins.complaint();
  if (status == PERP_OK) status = PERP_END;
  nlohmann::ordered_json j;
  for (const auto &[name, value] :
       {std::pair("events", r.events), std::pair("impacts", r.impacts),
        std::pair("switches", r.switches), std::pair("jumps", r.jumps),
        std::pair("handovers", r.handovers), std::pair("restarts", r.restarts),
        std::pair("problems", r.problems), std::pair("steps", r.steps),
        std::pair("rejected", r.rejected), std::pair("evaluations", r.evaluations),
        std::pair("unresolved", r.unresolved), std::pair("missed", r.missed)})
    j[name] = static_cast<std::int64_t>(value);
  const double seconds = seconds_since(began);
  check(perp_log_add_end(opened, perp_event_driven_time(sim.get()), status, ending.c_str(),
                         j.dump().c_str(), &info),
        info, path);
  std::string more = counters({{"impacts", r.impacts},
                               {"switches", r.switches},
                               {"accumulations", r.jumps},
                               {"steps", r.steps},
                               {"unresolved", r.unresolved},
                               {"missed", r.missed}});
  if (!(a.checkpoint > 0) && isatty(2) == 0)
    more += (more.empty() ? "" : "\n") + std::string(no_checkpoints);
  return finish(m->name, ending, more, path, std::move(log), seconds, status, out);
}

}  // namespace

int run_command(const run_arguments &a, std::string *out) {
  std::string file = a.file;
  if (file.empty()) {
    if (a.resume.empty()) throw usage_error("run: MODEL is required");
    perp_info info = PERP_INFO_INIT;
    perp_log_reader *r = nullptr;
    const perp_status opened = perp_log_reader_open(&r, a.resume.c_str(), &info);
    if (opened != PERP_OK) refuse(a.resume, opened, info);
    const open_reader reader(r);
    file = perp_log_reader_schema(r)->model_name;
  }
  if (a.until_given && !std::isfinite(a.until))
    throw usage_error("run: found --until " + shown_time(a.until) + ", expected a finite number");
  const auto m = io::load_model(file, a.set, a.plugins);
  if (a.until_given) {
    const perp_simulation_options *const with = perp_builder_options(m->builder.get());
    const double t0 = m->by_events            ? m->events.t0
                      : with->grid != nullptr ? with->grid[0]
                                              : with->t0;
    if (!(a.until > t0))
      throw usage_error("run: found --until " + shown_time(a.until) +
                        ", expected a time behind the start, t = " + shown_time(t0));
    m->until = a.until;
  }
  if (a.resume.empty()) check_replaceable(a.log.empty() ? default_log(m->name) : a.log);
  if (m->by_events && !(a.checkpoint > 0) && a.resume.empty() && isatty(2) == 1)
    (void)std::fprintf(stderr, "%s: %s\n", file.c_str(), no_checkpoints);
  return m->by_events ? run_events(m.get(), a, out) : run_stepping(m.get(), a, out);
}

}  // namespace perp::tool
