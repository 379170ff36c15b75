// SPDX-License-Identifier: MIT
/** @file log.hpp
 * Logs of runs: perp/log.h with lifetime and exceptions. In perp::perp only.
 *
 *     perp::log log("ball.log", sim, {"ball"}, {"floor"});
 *     for (auto &s : sim.steps()) log.step(s);
 *     log.end(sim.time(), sim.status());
 *     log.close();
 *
 *     perp::log_reader read("ball.log");
 *     std::vector<double> t = read.times(), q = read.values("ball.q");
 */
#ifndef PERP_CXX_LOG_HPP
#define PERP_CXX_LOG_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "perp/event_driven.hpp"
#include "perp/log.h"
#include "perp/simulation.hpp"

namespace perp {

namespace detail {

struct by_log_close {
  static void end(perp_log *l) noexcept { (void)perp_log_close(l, nullptr); }
  static void end(perp_log_reader *r) noexcept { perp_log_reader_close(r); }
};

/** Texts as C has them; NULL for none. */
class c_texts {
 public:
  explicit c_texts(const std::vector<std::string> &texts) {
    for (const std::string &t : texts) pointers_.push_back(t.c_str());
  }
  const char *const *get() const { return pointers_.empty() ? nullptr : pointers_.data(); }

 private:
  std::vector<const char *> pointers_;
};

}  // namespace detail

/**
 * A log that is being written; movable. What fails to be written throws an error, and each further
 * call does. Its end closes it; call close() to be told whether all of it is on the disk.
 */
class log {
 public:
  /** Of quantities that are all the caller's, or have sources; see perp_log_create(). */
  log(const std::string &path, const perp_log_schema &schema,
      const perp_log_options &options = perp_log_options_default()) {
    perp_log *l = nullptr;
    perp_info info = PERP_INFO_INIT;
    check(perp_log_create(&l, path.c_str(), &schema, &options, &info), "log", info);
    log_.reset(l);
  }
  /** Of a simulation: a name for each system and interaction, or none at all; see
   * perp_log_simulation_create(). */
  log(const std::string &path, const simulation &sim, const std::vector<std::string> &systems = {},
      const std::vector<std::string> &interactions = {}, const perp_log_schema *schema = nullptr,
      const perp_log_options &options = perp_log_options_default()) {
    begin(perp_log_simulation_create, path, sim, systems, interactions, schema, options);
  }
  /** The same of an event-driven one. */
  log(const std::string &path, const event_driven &sim,
      const std::vector<std::string> &systems = {},
      const std::vector<std::string> &interactions = {}, const perp_log_schema *schema = nullptr,
      const perp_log_options &options = perp_log_options_default()) {
    begin(perp_log_event_driven_create, path, sim, systems, interactions, schema, options);
  }

  /** Add a sample of the simulation, and numbers of the caller's own; see perp_log_step(). */
  void step(const simulation &sim, view own = {}) {
    perp_info info = PERP_INFO_INIT;
    check(perp_log_step(get(), sim.get(), own.data(), size(own), &info), "log", info);
  }
  /** The same of an event-driven one. */
  void step(const event_driven &sim, view own = {}) {
    perp_info info = PERP_INFO_INIT;
    check(perp_log_event_driven_step(get(), sim.get(), own.data(), size(own), &info), "log", info);
  }
  /** Add what happened at an event. */
  void event(const event_driven &sim, const perp_event &e) {
    perp_info info = PERP_INFO_INIT;
    check(perp_log_event_driven_event(get(), sim.get(), &e, &info), "log", info);
  }
  /** Add a sample of all quantities, one after another. */
  void sample(double t, view values) {
    perp_info info = PERP_INFO_INIT;
    check(perp_log_add_sample(get(), t, values.data(), size(values), &info), "log", info);
  }
  /** Add bytes that a run can go on from, as simulation::sealed_checkpoint() gives them; on the
   * disk afterwards. */
  void checkpoint(double t, const std::string &name, const std::vector<std::byte> &bytes) {
    perp_info info = PERP_INFO_INIT;
    check(perp_log_add_checkpoint(get(), t, name.c_str(), bytes.data(), bytes.size(), &info), "log",
          info);
  }
  /** Add a named text. */
  void note(const std::string &name, const std::string &text) {
    perp_info info = PERP_INFO_INIT;
    check(perp_log_add_note(get(), name.c_str(), text.c_str(), &info), "log", info);
  }
  /** Say how the run ended. */
  void end(double t, perp_status status, const std::string &reason = {},
           const std::string &report = {}) {
    perp_info info = PERP_INFO_INIT;
    check(perp_log_add_end(get(), t, status, reason.c_str(), report.c_str(), &info), "log", info);
  }
  /** Bytes of the file with so many samples more; see perp_log_bytes(). */
  std::int64_t bytes(std::int64_t samples = 0) const { return perp_log_bytes(get(), samples); }
  /** See all of it on the disk, and close the file. */
  void close() {
    perp_info info = PERP_INFO_INIT;
    check(perp_log_close(log_.release(), &info), "log", info);
  }
  /** The C log, for functions of perp/log.h that are not wrapped here. */
  perp_log *get() const noexcept { return log_.get(); }

 private:
  static std::int32_t size(view v) {
    return v.size() <= INT32_MAX ? static_cast<std::int32_t>(v.size()) : -1;
  }

  template <class Create, class Simulation>
  void begin(Create create, const std::string &path, const Simulation &sim,
             const std::vector<std::string> &systems, const std::vector<std::string> &interactions,
             const perp_log_schema *schema, const perp_log_options &options) {
    const perp_model *m = sim.c_model_view();
    if (m == nullptr) detail::refuse(PERP_EINVAL, "log: the simulation was moved from", "sim");
    check_names("systems", systems.size(), m->n_systems);
    check_names("interactions", interactions.size(), m->n_interactions);
    perp_log *l = nullptr;
    perp_info info = PERP_INFO_INIT;
    const detail::c_texts of_systems(systems), of_interactions(interactions);
    check(create(&l, path.c_str(), sim.get(), of_systems.get(), of_interactions.get(), schema,
                 &options, &info),
          "log", info);
    log_.reset(l);
  }
  static void check_names(const char *what, std::size_t names, std::int32_t objects) {
    if (names != 0 && names != static_cast<std::size_t>(objects))
      detail::refuse(PERP_EINVAL, "log: a name is needed for each, or none at all", what);
  }

  detail::owned<perp_log, detail::by_log_close> log_;
};

/** A log that is being read; movable. */
class log_reader {
 public:
  /** Open it; a run may still be writing it. See perp_log_reader_open(). */
  explicit log_reader(const std::string &path) {
    perp_log_reader *r = nullptr;
    perp_info info = PERP_INFO_INIT;
    check(perp_log_reader_open(&r, path.c_str(), &info), path.c_str(), info);
    reader_.reset(r);
  }
  /** What it is of. */
  const perp_log_schema &schema() const { return *perp_log_reader_schema(get()); }
  /** What it holds. */
  perp_log_summary summary() const {
    perp_log_summary s = PERP_LOG_SUMMARY_INIT;
    check(perp_log_reader_summary(get(), &s), "log");
    return s;
  }
  /** The times of the samples (s). */
  std::vector<double> times() const {
    std::vector<double> t(static_cast<std::size_t>(summary().samples));
    read(-1, t.data(), nullptr);
    return t;
  }
  /** The values of "kind.name", samples x members x components, one sample after another. */
  std::vector<double> values(const std::string &name) const {
    const std::int32_t i = perp_log_reader_find(get(), name.c_str());
    if (i < 0) detail::refuse(PERP_EINVAL, ("log: there is no " + name).c_str(), "name");
    const perp_log_quantity &q = schema().quantities[i];
    std::vector<double> x(static_cast<std::size_t>(summary().samples) *
                          static_cast<std::size_t>(q.members) *
                          static_cast<std::size_t>(q.components));
    read(i, nullptr, x.data());
    return x;
  }
  /** The next record of some types, bits `1 << type`, 0: of all. @return false behind the last. */
  bool next(perp_log_record &record, std::uint32_t types = 0) {
    perp_info info = PERP_INFO_INIT;
    return check(perp_log_reader_next(get(), types, &record, &info), "log", info) == PERP_OK;
  }
  /** The C reader, for functions of perp/log.h that are not wrapped here. */
  perp_log_reader *get() const noexcept { return reader_.get(); }

 private:
  void read(std::int32_t quantity, double *t, double *x) const {
    perp_info info = PERP_INFO_INIT;
    check(perp_log_reader_read(get(), quantity, 0, summary().samples, 1, t, x, &info), "log", info);
  }

  detail::owned<perp_log_reader, detail::by_log_close> reader_;
};

}  // namespace perp

#endif
