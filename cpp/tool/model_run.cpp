// SPDX-License-Identifier: MIT
// perp run: a model file is run, and what happens goes to a log.
#include "tool/model_run.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>

#include "io/file.hpp"
#include "perp/contact_list.h"
#include "perp/experimental.h"
#include "tool/log_size.hpp"
#include "tool/model_check.hpp"
#include "tool/model_run_schedules.hpp"
#include "tool/results.hpp"
#include "tool/usage.hpp"

namespace perp::tool {

volatile std::sig_atomic_t interrupted = 0;

static void on_interrupt(int) { interrupted = 1; }

interrupt_guard::interrupt_guard() {
  interrupted = 0;
  struct sigaction a;
  std::memset(&a, 0, sizeof a);
  a.sa_handler = on_interrupt;
  a.sa_flags = static_cast<int>(SA_RESETHAND);
  for (std::size_t k = 0; k < std::size(signals); k++) {
    if (signals[k] == SIGPIPE) a.sa_handler = SIG_IGN;
    (void)sigaction(signals[k], &a, &before_[k]);
    if (signals[k] == SIGHUP && before_[k].sa_handler == SIG_IGN)
      (void)sigaction(SIGHUP, &before_[k], nullptr);
  }
}

interrupt_guard::~interrupt_guard() {
  for (std::size_t k = 0; k < std::size(signals); k++)
    (void)sigaction(signals[k], &before_[k], nullptr);
}

double seconds_since(clock::time_point when) {
  return std::chrono::duration<double>(clock::now() - when).count();
}

[[noreturn]] void refuse(const std::string &what, perp_status status, const perp_info &info) {
  throw usage_error(what + ": " + io::explained(status, info));
}

[[noreturn]] void refuse(const io::loaded_model &m, perp_status status, const perp_info &info) {
  throw usage_error(place_of(m, info) + ": " + named(m, info, io::explained(status, info)) +
                    m.values.plugins.complaint());
}

progress::progress(double from, double until) : from_(from), until_(until), on_(isatty(2) == 1) {}

progress::~progress() {
  if (shown_) (void)std::fputs("\r\033[K", stderr);
}

bool paced::look(clock::time_point *now) {
  if (--left_ > 0) return false;
  *now = clock::now();
  const double since = std::chrono::duration<double>(*now - looked_).count();
  looked_ = *now;
  if (since > 0.02)
    skip_ = skip_ / 2 + 1;
  else if (since < 0.01 && skip_ < 1U << 20)
    skip_ *= 2;
  if (since > 0.2) skip_ = 1;
  left_ = skip_;
  return true;
}

bool progress::due() {
  clock::time_point at;
  if (!on_ || !pace_.look(&at)) return false;
  const double now = std::chrono::duration<double>(at - began_).count();
  if (now < next_) return false;
  next_ = now + 0.2;
  return true;
}

void progress::show(double t, const std::string &more) {
  shown_ = true;
  const double speed = (t - from_) / seconds_since(began_);
  std::string bar;
  if (std::isfinite(until_) && until_ > from_) {
    const auto full = static_cast<std::size_t>(20 * std::fmin(1.0, (t - from_) / (until_ - from_)));
    bar = " [" + std::string(full, '#') + std::string(20 - full, ' ') + "]";
  }
  (void)std::fprintf(stderr, "\r\033[Kt = %.6g s%s %.3g s a second%s", t, bar.c_str(), speed,
                     more.c_str());
  (void)std::fflush(stderr);
}

std::string shown_time(double t) {
  char text[40];
  (void)std::snprintf(text, sizeof text, "%.9g", t);
  return text;
}

schema_of::schema_of(const io::loaded_model &m, const run_arguments &a) {
  program = std::string("perp run ") + perp_version_string();
  nlohmann::ordered_json j;
  j["set"] = a.set;
  for (const io::model_file &each : m.files) j["files"][each.name] = each.checksum;
  if (m.by_events && a.checkpoint > 0) j["checkpoint"] = a.checkpoint;
  if (a.contacts) j["contacts"] = true;
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

perp_log_options log_options(const run_arguments &a) {
  perp_log_options o = perp_log_options_default();
  o.every = a.every;
  o.float32 = a.float32 ? 1 : 0;
  o.contact_lists = a.contacts ? 1 : 0;
  if (!a.select.empty()) o.select = a.select.c_str();
  return o;
}

std::string log_of(const io::loaded_model &m, const run_arguments &a) {
  if (!a.resume.empty()) return a.resume;
  return a.log.empty() ? std::filesystem::path(m.name).stem().string() + ".log" : a.log;
}

open_log begun_log(const std::string &path, const perp_simulation *sim, const schema_of &mine,
                   const perp_log_options &options) {
  perp_log *log = nullptr;
  perp_info info = PERP_INFO_INIT;
  const perp_status status =
      perp_log_simulation_create(&log, path.c_str(), sim, mine.systems.data(),
                                 mine.interactions.empty() ? nullptr : mine.interactions.data(),
                                 &mine.schema, &options, &info);
  if (status != PERP_OK) refuse(path, status, info);
  return open_log(log);
}

static open_log resumed_log(const std::string &path, const perp_log_options &options) {
  perp_log *log = nullptr;
  perp_info info = PERP_INFO_INIT;
  const perp_status status =
      perp_log_append(&log, path.c_str(), nullptr, &options, PERP_LOG_AT_CHECKPOINT, &info);
  if (status != PERP_OK) refuse(path, status, info);
  return open_log(log);
}

open_reader opened_log(const std::string &path) {
  check_is_log(path);
  perp_log_reader *r = nullptr;
  perp_info info = PERP_INFO_INIT;
  const perp_status opened = perp_log_reader_open(&r, path.c_str(), &info);
  if (opened != PERP_OK) refuse(path, opened, info);
  return open_reader(r);
}

// A run replaces a log, or a file with nothing in it.
static void check_replaceable(const std::string &path) {
  std::error_code none;
  if (std::filesystem::is_regular_file(path, none) && std::filesystem::file_size(path, none) > 0 &&
      !io::looks_like_log(path))
    throw usage_error(path + ": is there and is no log, so that it is not replaced");
}

void check(perp_status status, const perp_info &info, const std::string &log) {
  if (status != PERP_OK) throw run_error(log + ": " + io::explained(status, info));
}

int finish(const std::string &model, const std::string &ending, const std::string &more,
           const std::string &log, open_log opened, double seconds, perp_status status, bool good,
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
  return good ? exit_solved : exit_not_solved;
}

// ---- plug-ins ----

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

void save_plugins(const io::model_plugins &plugins, const std::string &name,
                  std::vector<unsigned char> *checkpoint) {
  try {
    plugins.save(checkpoint);
  } catch (const std::runtime_error &e) {
    throw run_error(name + ": " + e.what() + plugins.complaint());
  }
}

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

// ---- checkpoints ----

std::vector<unsigned char> last_checkpoint(const io::loaded_model &m, const std::string &path,
                                           const schema_of &mine, const char *name, double step) {
  const open_reader reader = opened_log(path);
  perp_log_reader *const r = reader.get();
  perp_info info = PERP_INFO_INIT;
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

void check_unchanged(const io::loaded_model &m, const std::string &path, const schema_of &mine,
                     const char *name, const std::vector<unsigned char> &checkpoint) {
  if (last_checkpoint(m, path, mine, name, HUGE_VAL) != checkpoint)
    throw usage_error(path + ": another run has gone on with it meanwhile");
}

void append_doubles(const std::vector<double> &values, std::vector<unsigned char> *to) {
  for (const double value : values) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, 8);
    for (unsigned i = 0; i < 64; i += 8) to->push_back(static_cast<unsigned char>(bits >> i));
  }
}

std::vector<double> doubles_of(const unsigned char *bytes, std::size_t n) {
  std::vector<double> values(n);
  for (double &value : values) {
    std::uint64_t bits = 0;
    for (std::size_t i = 8; i-- > 0;) bits = bits << 8 | bytes[i];
    std::memcpy(&value, &bits, 8);
    bytes += 8;
  }
  return values;
}

bool is_contact(const perp_interaction &each) {
  return each.law->ops->unilateral != 0 && each.relation->ops->order == 2;
}

std::string contacts_shown(const perp_model &model, std::int32_t acting) {
  const bool any = model.pool != nullptr ||
                   std::any_of(model.interactions, model.interactions + model.n_interactions,
                               [](const perp_interaction *each) { return is_contact(*each); });
  return any ? ", " + std::to_string(acting) + " contact" + (acting == 1 ? "" : "s") : "";
}

std::string contradiction(const io::loaded_model &m) {
  const model_findings found = check_equalities(m);
  return found.errors.empty() ? "" : "; " + found.errors.front();
}

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

// ---- time-stepping ----

namespace {

// What a report counts over a run, and what it has the largest of.
const struct {
  const char *name;
  std::int64_t perp_report::*of;
} counted[] = {
    {"steps", &perp_report::steps},      {"impacts", &perp_report::impacts},
    {"active", &perp_report::active},    {"solver_iterations", &perp_report::solver_iterations},
    {"newton", &perp_report::newton},    {"failures", &perp_report::failures},
    {"retries", &perp_report::retries},  {"accepted", &perp_report::accepted},
    {"relaxed", &perp_report::relaxed},  {"dropped", &perp_report::dropped},
    {"left_out", &perp_report::left_out}};
const struct {
  const char *name;
  double perp_report::*of;
} largest[] = {{"penetration", &perp_report::penetration},
               {"residual", &perp_report::residual},
               {"speed_residual", &perp_report::speed_residual}};
const std::size_t n_numbers = std::size(counted) + std::size(largest) + 2;

// A report, and how many events there were, as checkpoints hold them.
std::vector<double> numbers_of(const perp_report &r, std::int64_t events) {
  std::vector<double> all = {static_cast<double>(r.max_active)};
  for (const auto &each : counted) all.push_back(static_cast<double>(r.*each.of));
  for (const auto &each : largest) all.push_back(r.*each.of);
  all.push_back(static_cast<double>(events));
  return all;
}

perp_report report_of(const std::vector<double> &numbers) {
  perp_report r = PERP_REPORT_INIT;
  auto at = numbers.begin();
  r.max_active = static_cast<std::int32_t>(*at++);
  for (const auto &each : counted) r.*each.of = static_cast<std::int64_t>(*at++);
  for (const auto &each : largest) r.*each.of = *at++;
  return r;
}

struct stepping_run {
  const perp_model &model;
  const io::model_plugins &plugins;
  perp_log *log;
  std::string name;
  double checkpoint_seconds;
  progress bar;
  perp_report before;  // of the runs that this one goes on with
  schedules timed;
  std::string *told;  // gets a line of each event, NULL: none
  std::string stopped_by = "";
  perp_status refused = PERP_OK;  // what a schedule has set
  perp_info why = PERP_INFO_INIT;
  std::vector<unsigned char> sealed = {};
  clock::time_point last = clock::now();
  paced pace = {};
  bool stepped = false;
  std::exception_ptr thrown = nullptr;

  perp_report report(perp_simulation *sim) const {
    perp_report r = PERP_REPORT_INIT;
    (void)perp_simulation_report(sim, &r);
    for (const auto &each : counted) r.*each.of += before.*each.of;
    for (const auto &each : largest) r.*each.of = std::fmax(r.*each.of, before.*each.of);
    r.max_active = std::max(r.max_active, before.max_active);
    return r;
  }

  void checkpoint(perp_simulation *sim) {
    sealed.resize(perp_simulation_checkpoint_size(sim));
    perp_info info = PERP_INFO_INIT;
    perp_status status = perp_simulation_checkpoint(sim, sealed.data(), sealed.size(), &info);
    append_doubles(numbers_of(report(sim), timed.events), &sealed);
    save_plugins(plugins, name, &sealed);
    if (status == PERP_OK)
      status = perp_log_add_checkpoint(log, perp_simulation_time(sim), "perp-simulation",
                                       sealed.data(), sealed.size(), &info);
    check(status, info, name);
    last = clock::now();
  }
  // What is due at the time of now, and then a sample. False: the run ends.
  bool look(perp_simulation *sim) {
    perp_info info = PERP_INFO_INIT;
    if (timed.any()) {
      refused = timed.happen(sim, log, &why);
      stopped_by = timed.names(true);
      if (told != nullptr && timed.happened()) {
        char line[80];
        (void)std::snprintf(line, sizeof line, "event %lld at t = %.9g: schedule\n",
                            static_cast<long long>(timed.events), perp_simulation_time(sim));
        *told += line;
      }
    }
    check(perp_log_step(log, sim, nullptr, 0, &info), info, name);
    return refused == PERP_OK && stopped_by.empty();
  }
  bool step(perp_simulation *sim) {
    const bool more_to_come = look(sim);
    stepped = true;
    if (!more_to_come) return false;
    clock::time_point now;
    if (checkpoint_seconds > 0 && pace.look(&now) &&
        std::chrono::duration<double>(now - last).count() >= checkpoint_seconds)
      checkpoint(sim);
    if (bar.due()) {
      const perp_report r = report(sim);
      char more[120];
      (void)std::snprintf(more, sizeof more, ", %lld impacts, worst residual %.1e",
                          static_cast<long long>(r.impacts),
                          std::fmax(r.residual, r.speed_residual));
      std::int32_t acting = 0;
      (void)perp_simulation_contacts(sim, nullptr, sizeof(perp_contact_view), 0, &acting);
      bar.show(perp_simulation_time(sim), contacts_shown(model, acting) + more);
    }
    return true;
  }
};

std::int32_t observe_step(perp_simulation *sim, void *user) {
  auto &run = *static_cast<stepping_run *>(user);
  try {
    if (!run.step(sim)) return 1;
  } catch (...) {
    run.thrown = std::current_exception();
    return -1;
  }
  return interrupted != 0 ? 1 : 0;
}

std::string report_json(const perp_report &r, const schedules &timed) {
  nlohmann::ordered_json j;
  for (const auto &each : counted) j[each.name] = r.*each.of;
  if (timed.any()) j["events"] = timed.events;
  j["max_active"] = r.max_active;
  for (const auto &each : largest) j[each.name] = r.*each.of;
  return j.dump();
}

// The state that a checkpoint of time-stepping holds, whose bytes are *sealed, and what had
// happened before it.
std::vector<double> resumed_state(const io::loaded_model &m, const perp_model *model,
                                  const perp_simulation_options *options, const std::string &path,
                                  const schema_of &mine, std::vector<unsigned char> *sealed,
                                  perp_report *before, std::int64_t *events) {
  double step = options->h;
  if (options->grid != nullptr) {
    step = 0;
    for (std::int32_t k = 0; k < options->steps; k++)
      step = std::fmax(step, options->grid[k + 1] - options->grid[k]);
  }
  *sealed = last_checkpoint(m, path, mine, "perp-simulation", step);
  const std::size_t with_numbers = restore_plugins(m, path, *sealed);
  if (with_numbers < 8 * n_numbers)
    throw usage_error(path + ": its checkpoints are of another size");
  const std::size_t n_bytes = with_numbers - 8 * n_numbers;
  const std::vector<double> counts = doubles_of(sealed->data() + n_bytes, n_numbers);
  *before = report_of(counts);
  *events = static_cast<std::int64_t>(counts.back());
  std::vector<double> state((perp_simulation_state_size(model, options) + 7) / 8);
  perp_info info = PERP_INFO_INIT;
  const perp_status opened_state =
      perp_simulation_unseal(model, options, sealed->data(), n_bytes, 0, state.data(),
                             perp_simulation_state_size(model, options), &info);
  if (opened_state != PERP_OK) refuse(path, opened_state, info);
  return state;
}

// Before the first step, and the first sample: how large the log becomes.
void tell_size(const io::loaded_model &m, const run_arguments &a, const perp_log *log,
               const perp_simulation *sim, const std::string &path) {
  const bool resumed = !a.resume.empty();
  const log_size size =
      size_of(m, log, log_options(a), perp_simulation_time(sim),
              a.checkpoint > 0 ? checkpoint_bytes(m.values.plugins, sim, path) : 0, resumed);
  const std::string lacking = room_lacking(path, size);
  if (!lacking.empty()) (void)std::fprintf(stderr, "perp: %s\n", lacking.c_str());
  if (isatty(2) == 1)
    (void)std::fprintf(stderr, "%s: %s\n", path.c_str(), size_shown(size).c_str());
}

// Whether a log was begun with --contacts.
bool has_contacts(const std::string &path) {
  const open_reader log = opened_log(path);
  const char *const options = perp_log_reader_schema(log.get())->options;
  const auto j = nlohmann::json::parse(options, nullptr, false);
  return j.is_object() && j.value("contacts", nlohmann::json()) == true;
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
  perp_report before = PERP_REPORT_INIT;
  // Points of the grid are sums that round: what lies within a millionth of a step is there.
  const double near = options->grid == nullptr ? 1e-6 * options->h : 0;
  schedules timed(*m, near);
  if (a.resume.empty()) {
    status = perp_simulation_create(&made, model, options, &info);
  } else {
    const std::vector<double> state =
        resumed_state(*m, model, options, a.resume, mine, &sealed, &before, &timed.events);
    status = perp_simulation_restore(&made, model, options, state.data(),
                                     perp_simulation_state_size(model, options), &info);
  }
  if (status != PERP_OK) refuse(*m, status, info);
  const open_simulation sim(made);
  const std::string path = log_of(*m, a);
  if (!a.resume.empty()) a.contacts = has_contacts(a.resume);
  const perp_log_options as = log_options(a);
  const interrupt_guard guard;  // up to the log's end
  open_log log = a.resume.empty() ? begun_log(path, made, mine, as) : resumed_log(path, as);
  perp_log *const opened = log.get();
  if (!a.resume.empty()) check_unchanged(*m, path, mine, "perp-simulation", sealed);
  const double until = m->until - std::fmin(near, 1e-6 * (m->last_time() - m->first_time()));
  if (!a.resume.empty()) (void)restore_plugins(*m, path, sealed);  // callbacks have been called
  stepping_run run{*model,
                   m->values.plugins,
                   opened,
                   path,
                   a.checkpoint,
                   progress(perp_simulation_time(made), m->until),
                   before,
                   timed,
                   a.events ? out : nullptr};
  run.timed.begin(made, !a.resume.empty());
  const clock::time_point began = clock::now();
  if (a.resume.empty()) put_files(*m, opened, path);
  tell_size(*m, a, opened, made, path);
  if (a.resume.empty()) {
    const bool goes_on = run.look(made);
    if (a.checkpoint > 0 && run.refused == PERP_OK) run.checkpoint(made);
    if (!goes_on) status = PERP_STOPPED;
  }
  if (status == PERP_OK && perp_simulation_time(made) < until)
    status = perp_simulation_run(made, 0, until, observe_step, &run, &info);
  if (run.thrown != nullptr) std::rethrow_exception(run.thrown);
  if (status == PERP_OK) status = PERP_END;
  std::string ending;
  if (run.refused != PERP_OK) {
    status = run.refused, info = run.why;
    ending = "failed at t = " + shown_time(perp_simulation_time(made)) + ", where " +
             run.timed.names(false) +
             " set the state: " + named(*m, info, io::explained(status, info));
  } else {
    char text[512];
    (void)perp_simulation_ending(made, status, &info, 0, text, sizeof text);
    ending = named(*m, info, text);
  }
  const std::string &by = run.stopped_by;
  if (status == PERP_STOPPED && !by.empty() && ending.compare(0, 7, "stopped") == 0)
    ending.insert(7, " by " + by);
  const perp_report r = run.report(made);
  ending += m->values.plugins.complaint();
  if (r.relaxed > 0 || (status != PERP_END && status != PERP_STOPPED)) ending += contradiction(*m);
  const double seconds = seconds_since(began);
  if ((status == PERP_STOPPED || status == PERP_END) && a.checkpoint > 0 && run.stepped)
    run.checkpoint(made);
  check(perp_log_add_end(opened, perp_simulation_time(made), status, ending.c_str(),
                         report_json(r, run.timed).c_str(), &info),
        info, path);
  const std::string more = counters({{"impacts", static_cast<double>(r.impacts)},
                                     {"events", static_cast<double>(run.timed.events)},
                                     {"most unknowns", r.max_active},
                                     {"failures", static_cast<double>(r.failures)},
                                     {"retries", static_cast<double>(r.retries)},
                                     {"accepted", static_cast<double>(r.accepted)},
                                     {"relaxed", static_cast<double>(r.relaxed)},
                                     {"penetration", r.penetration},
                                     {"residual", r.residual}});
  return finish(m->name, ending, more, path, std::move(log), seconds, status,
                status == PERP_END || (status == PERP_STOPPED && !by.empty()), out);
}

}  // namespace

double checkpoint_bytes(const io::model_plugins &plugins, const perp_simulation *sim,
                        const std::string &name) {
  std::vector<unsigned char> remembered;
  save_plugins(plugins, name, &remembered);
  const std::size_t bytes = 20 + std::strlen("perp-simulation") +
                            perp_simulation_checkpoint_size(sim) + 8 * n_numbers +
                            remembered.size();
  const std::size_t block = 32 + (bytes + 7) / 8 * 8;  // as perp/log.h says
  return static_cast<double>(block);
}

int run_command(const run_arguments &a, std::string *out) {
  std::string file = a.file;
  if (file.empty()) {
    if (a.resume.empty()) throw usage_error("run: MODEL is required");
    file = perp_log_reader_schema(opened_log(a.resume).get())->model_name;
  }
  if (a.until_given && !std::isfinite(a.until))
    throw usage_error("run: found --until " + shown_time(a.until) + ", expected a finite number");
  const auto m = io::load_model(file, a.set, a.plugins);
  if (a.until_given) {
    const double first = m->first_time();
    if (!(a.until > first))
      throw usage_error("run: found --until " + shown_time(a.until) +
                        ", expected a time behind the start, t = " + shown_time(first));
    m->until = a.until;
    io::check_times(*m);
  }
  if (m->by_events && a.checkpoint > 0) {
    const std::string why = io::lost_in_time(a.checkpoint, m->first_time(), m->until);
    if (!why.empty())
      throw usage_error("run: found --checkpoint " + shown_time(a.checkpoint) + ", " + why);
  }
  if (a.contacts && perp_builder_model(m->builder.get())->pool == nullptr)
    throw usage_error("run: found --contacts, but " + m->name + " has no pool");
  if (a.resume.empty()) {
    check_replaceable(log_of(*m, a));
    const model_findings found = check_equalities(*m, 1e7);
    if (!found.errors.empty()) throw io::model_error(found.errors);
  }
  if (m->by_events && !(a.checkpoint > 0) && a.resume.empty() && isatty(2) == 1)
    (void)std::fprintf(stderr, "%s: %s\n", file.c_str(), no_checkpoints);
  return m->by_events ? run_events(m.get(), a, out) : run_stepping(m.get(), a, out);
}

}  // namespace perp::tool
