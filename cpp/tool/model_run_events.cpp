// SPDX-License-Identifier: MIT
// perp run of a model with `[events]`.
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tool/model_check.hpp"
#include "tool/model_run.hpp"
#include "tool/results.hpp"
#include "tool/usage.hpp"

namespace perp::tool {

const char *const no_checkpoints =
    "no checkpoints, so that it cannot be resumed: --checkpoint S has them each S seconds of its "
    "time";

namespace {

struct events_deleter {
  void operator()(perp_event_driven *s) const noexcept { perp_event_driven_destroy(s); }
};

// What a report counts.
const struct {
  const char *name;
  std::int64_t perp_event_report::*of;
} counted[] = {{"events", &perp_event_report::events},
               {"impacts", &perp_event_report::impacts},
               {"switches", &perp_event_report::switches},
               {"jumps", &perp_event_report::jumps},
               {"handovers", &perp_event_report::handovers},
               {"restarts", &perp_event_report::restarts},
               {"problems", &perp_event_report::problems},
               {"steps", &perp_event_report::steps},
               {"rejected", &perp_event_report::rejected},
               {"evaluations", &perp_event_report::evaluations},
               {"unresolved", &perp_event_report::unresolved},
               {"missed", &perp_event_report::missed}};

void add(perp_event_report *to, const perp_event_report &r, std::int64_t times) {
  for (const auto &each : counted) to->*each.of += times * r.*each.of;
}

// Where an event-driven run begins anew, as its checkpoints hold it: doubles, little-endian as all
// of a log. Both the run that goes on and the one that is resumed begin anew there, so that they
// have the same bits.
struct events_place {
  double point = 0;          // number of the checkpoint: its time is t0 + point * distance
  double t = 0;              // time (s)
  double last_output = NAN;  // of those before
  perp_event_report counts = PERP_EVENT_REPORT_INIT;
  std::vector<double> q, v, x;

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
  std::vector<unsigned char> bytes() const {
    std::vector<double> all = {point, t, last_output};
    for (const auto &each : counted) all.push_back(static_cast<double>(counts.*each.of));
    for (const auto *each : {&q, &v, &x}) all.insert(all.end(), each->begin(), each->end());
    std::vector<unsigned char> out;
    append_doubles(all, &out);
    return out;
  }
  // False: they are of another size. q, v, x have that of the model.
  bool read(const std::vector<unsigned char> &bytes) {
    if (bytes.size() != 8 * (3 + std::size(counted) + q.size() + v.size() + x.size())) return false;
    const std::vector<double> all = doubles_of(bytes.data(), bytes.size() / 8);
    auto next = all.begin();
    for (double *each : {&point, &t, &last_output}) *each = *next++;
    for (const auto &each : counted) counts.*each.of = static_cast<std::int64_t>(*next++);
    for (auto *each : {&q, &v, &x})
      for (double &entry : *each) entry = *next++;
    return true;
  }
};

// The distance of the checkpoints of a log's run.
double checkpoint_of_log(const std::string &path) {
  const open_reader reader = opened_log(path);
  const auto options =
      nlohmann::json::parse(perp_log_reader_schema(reader.get())->options, nullptr, false);
  const bool there =
      options.is_object() && options.contains("checkpoint") && options["checkpoint"].is_number();
  return there ? options["checkpoint"].get<double>() : 0;
}

struct events_run {
  const perp_model &model;
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
    (void)std::snprintf(line, sizeof line, "event %lld at t = %.9g: %s\n",
                        static_cast<long long>(run->at.counts.events) + event->number, event->t,
                        event_words(event->kinds).c_str());
    *run->out += line;
  });
}

// How many contacts have a force.
std::int32_t acting(const perp_model &model, perp_event_driven *sim) {
  std::int32_t n = 0;
  for (std::int32_t k = 0; k < model.n_interactions; k++) {
    const perp_interaction &each = *model.interactions[k];
    const double *const lambda = perp_event_driven_lambda(sim, k);
    for (std::int32_t i = 0; is_contact(each) && lambda != nullptr && i < each.relation->m;
         i += each.law->size)
      n += static_cast<std::int32_t>(lambda[i] != 0);
  }
  return n;
}

std::int32_t observe_smooth(perp_event_driven *sim, void *user) {
  auto *const run = static_cast<events_run *>(user);
  if (run->bar.due())
    run->bar.show(perp_event_driven_time(sim), contacts_shown(run->model, acting(run->model, sim)));
  return interrupted != 0 ? 1 : 0;
}

using driven = std::unique_ptr<perp_event_driven, events_deleter>;

driven begun(const io::loaded_model &m) {
  perp_info info = PERP_INFO_INIT;
  perp_event_driven *made = nullptr;
  const perp_status status =
      perp_event_driven_create(&made, perp_builder_model(m.builder.get()), &m.events, &info);
  if (status != PERP_OK) refuse(m, status, info);
  return driven(made);
}

// A new simulation at the place where the run is, and what happens there at once.
driven begun_anew(const io::loaded_model &m, events_run *run) {
  driven sim = begun(m);
  events_place &at = run->at;
  perp_event_report made = PERP_EVENT_REPORT_INIT;
  (void)perp_event_driven_report(sim.get(), &made);
  add(&at.counts, made, -1);  // counts are those of one run
  if (at.point > 0) at.counts.events--;
  perp_info info = PERP_INFO_INIT;
  const perp_status status =
      perp_event_driven_restart(sim.get(), at.t, at.q.data(), at.v.data(), at.x.data(), &info);
  if (status != PERP_OK)
    throw run_error(m.name + ": " + named(m, info, io::explained(status, info)) +
                    m.values.plugins.complaint());
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
    add(&run->at.counts, r, 1);
    run->at.take_state(sim->get(), m.systems.size());
    run->at.t = next, run->at.point++;
    put_checkpoint(run);
  }
}

// " by guard x", of the event that happened last; empty: by none.
std::string stopping(const io::loaded_model &m, const perp_event_driven *sim) {
  const perp_event *const event = perp_event_driven_event(sim);
  std::string by;
  for (std::int32_t k = 0; k < event->n_changes; k++) {
    const perp_event_change &each = event->changes[k];
    const bool guard = each.kind == PERP_EVENT_GUARD;
    if (!guard && each.kind != PERP_EVENT_SCHEDULE) continue;
    const io::model_hook &hook = *m.all_of(guard)[static_cast<std::size_t>(each.index)];
    if (hook.stop)
      by +=
          std::string(by.empty() ? " by " : " and ") + (guard ? "guard " : "schedule ") + hook.name;
  }
  return by;
}

}  // namespace

int run_events(io::loaded_model *m, const run_arguments &given, std::string *out) {
  run_arguments a = given;
  const bool resumed = !a.resume.empty();
  if (resumed && a.checkpoint < 0) a.checkpoint = checkpoint_of_log(a.resume);
  a.checkpoint = std::fmax(a.checkpoint, 0);
  check_resumable(*m, &a);
  driven sim = begun(*m);
  const schema_of mine(*m, a);
  events_run run{*perp_builder_model(m->builder.get()),
                 m->values.plugins,
                 nullptr,
                 "",
                 progress(m->events.t0, m->until),
                 a.events,
                 out,
                 {},
                 nullptr};
  run.at.take_state(sim.get(), m->systems.size());
  std::vector<unsigned char> sealed;
  if (resumed) {
    sealed = last_checkpoint(*m, a.resume, mine, "perp-event-driven", 1e-14 * std::fabs(m->until));
    std::vector<unsigned char> bytes = sealed;
    bytes.resize(restore_plugins(*m, a.resume, sealed));
    if (!run.at.read(bytes)) throw usage_error(a.resume + ": its checkpoints are of another size");
  }
  const std::string path = log_of(*m, a);
  const perp_log_options as = log_options(a);
  const interrupt_guard guard;  // up to the log's end
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
  if (resumed) check_unchanged(*m, path, mine, "perp-event-driven", sealed);
  run.log = opened, run.name = path;
  const clock::time_point began = clock::now();
  if (!resumed) {
    put_files(*m, opened, path);
    run.sample(sim.get());
    if (a.checkpoint > 0) put_checkpoint(&run);
  }
  status = go_through(*m, a.checkpoint, &run, &sim, &info);
  if (run.thrown != nullptr) std::rethrow_exception(run.thrown);
  if ((status == PERP_OK || status == PERP_STOPPED) &&
      run.logged != perp_event_driven_time(sim.get()))
    run.sample(sim.get());
  perp_event_report last = PERP_EVENT_REPORT_INIT;
  (void)perp_event_driven_report(sim.get(), &last);
  perp_event_report r = run.at.counts;
  add(&r, last, 1);
  r.events--;  // the start, which happens to nothing
  char text[512];
  (void)perp_event_driven_ending(sim.get(), status, &info, 0, text, sizeof text);
  std::string ending = named(*m, info, text);
  const std::string by = status == PERP_STOPPED && interrupted == 0 ? stopping(*m, sim.get()) : "";
  if (status == PERP_OK || status == PERP_STOPPED) {  // the simulation counts its own
    (void)std::snprintf(text, sizeof text, "%s: %lld event%s, t = %.9g",
                        status == PERP_OK ? "finished" : ("stopped" + by).c_str(),
                        static_cast<long long>(r.events), r.events == 1 ? "" : "s",
                        perp_event_driven_time(sim.get()));
    ending = text;
    if (r.missed > 0)
      ending += "; " + std::to_string(r.missed) + " found late: try a shorter h_max";
  }
  ending += m->values.plugins.complaint();
  if (status != PERP_OK && status != PERP_STOPPED) ending += contradiction(*m);
  if (status == PERP_OK) status = PERP_END;
  nlohmann::ordered_json j;
  for (const auto &each : counted) j[each.name] = r.*each.of;
  const double seconds = seconds_since(began);
  check(perp_log_add_end(opened, perp_event_driven_time(sim.get()), status, ending.c_str(),
                         j.dump().c_str(), &info),
        info, path);
  const auto shown = [](std::int64_t n) { return static_cast<double>(n); };
  std::string more = counters({{"impacts", shown(r.impacts)},
                               {"switches", shown(r.switches)},
                               {"accumulations", shown(r.jumps)},
                               {"steps", shown(r.steps)},
                               {"unresolved", shown(r.unresolved)},
                               {"missed", shown(r.missed)}});
  if (!(a.checkpoint > 0) && isatty(2) == 0)
    more += (more.empty() ? "" : "\n") + std::string(no_checkpoints);
  return finish(m->name, ending, more, path, std::move(log), seconds, status,
                status == PERP_END || !by.empty(), out);
}

}  // namespace perp::tool
