// SPDX-License-Identifier: MIT
/** @file event_driven.hpp
 * Event-driven simulation of the models that perp::simulation steps, with the same names for the
 * same things; in perp::perp only. See docs/theory-event-driven.md. */
#ifndef PERP_CXX_EVENT_DRIVEN_HPP
#define PERP_CXX_EVENT_DRIVEN_HPP

#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "perp/c_model.hpp"
#include "perp/event_driven.h"
#include "perp/event_options.hpp"
#include "perp/simulation.hpp"

namespace perp {

/** Costs and counts of an event-driven run. */
using event_report = perp_event_report;

/** What changed at an event. */
struct event_change {
  std::int32_t kind;   /**< one bit PERP_EVENT_...                          */
  std::int32_t index;  /**< of an interaction, or of a guard, or a schedule */
  std::int32_t copy;   /**< of the law, -1: none                            */
  contact_mode before; /**< mode before the event                           */
  contact_mode after;  /**< mode after it                                   */
  /** Which interaction, where it is one. */
  interaction_id interaction() const { return static_cast<interaction_id>(index); }
};

/** All that happened at one time: a view, valid until the simulation goes on. The state after it is
 * that of the simulation. */
class event {
 public:
  /** @cond */
  event(const perp_event *e, const c_model *m, const detail::state_layout *of)
      : event_(e), model_(m), of_(of) {}
  /** @endcond */
  /** Time (s). */
  double time() const { return event_->t; }
  /** Events before this one. */
  std::int64_t number() const { return event_->number; }
  /** Bits PERP_EVENT_... */
  std::uint32_t kinds() const { return event_->kinds; }
  /** Whether one of these kinds is among what happened. */
  bool is(std::uint32_t any_of) const { return (event_->kinds & any_of) != 0; }

  /** Whether that happened, to anything. */
  /**@{*/
  bool is_impact() const { return is(PERP_EVENT_IMPACT); }
  bool is_close() const { return is(PERP_EVENT_CLOSE); }
  bool is_open() const { return is(PERP_EVENT_OPEN); }
  bool is_stick() const { return is(PERP_EVENT_STICK); }
  bool is_slip() const { return is(PERP_EVENT_SLIP); }
  bool is_reverse() const { return is(PERP_EVENT_REVERSE); }
  bool is_switch() const { return is(PERP_EVENT_SWITCH); }
  bool is_schedule() const { return is(PERP_EVENT_SCHEDULE); }
  bool is_guard() const { return is(PERP_EVENT_GUARD); }
  bool is_accumulation() const { return is(PERP_EVENT_ACCUMULATION); }
  bool is_handover() const { return is(PERP_EVENT_HANDOVER); }
  bool is_return() const { return is(PERP_EVENT_RETURN); }
  bool is_start() const { return is(PERP_EVENT_START); }
  /**@}*/

  /** What changed, one by one. */
  std::vector<event_change> changes() const {
    std::vector<event_change> list;
    list.reserve(static_cast<std::size_t>(event_->n_changes));
    for (std::int32_t k = 0; k < event_->n_changes; k++) {
      const perp_event_change &c = event_->changes[k];
      list.push_back({c.kind, c.index, c.copy, static_cast<contact_mode>(c.before),
                      static_cast<contact_mode>(c.after)});
    }
    return list;
  }

  /** State of a system before the event. */
  /**@{*/
  view q_before(system_id s) const { return of_->q(s, event_->q); }
  view v_before(system_id s) const { return of_->v(s, event_->v); }
  view x_before(system_id s) const { return of_->x(s, event_->x); }
  /**@}*/
  /** Impulses of an interaction, 0 where there are none; of a graph those of its pieces. */
  view impulse(interaction_id i) const {
    const auto index = static_cast<std::int32_t>(i);
    const perp_model *m = model_->get();
    if (index < 0 || index >= m->n_interactions) {
      detail::no_such("impulse", "interaction", index);
    }
    std::size_t row = 0;
    for (std::int32_t k = 0; k < index; k++) {
      row += static_cast<std::size_t>(m->interactions[k]->relation->m);
    }
    return {event_->impulse + row, static_cast<std::size_t>(m->interactions[index]->relation->m)};
  }

  /** Where impacts accumulate: what the jump neglects at most (unit of y), and their last time. */
  /**@{*/
  double error_bound() const { return event_->error; }
  double until() const { return event_->until; }
  /**@}*/
  /** The C event. */
  const perp_event *get() const noexcept { return event_; }

 private:
  const perp_event *event_;
  const c_model *model_;
  const detail::state_layout *of_;
};

/** Times at which a run shows its state. */
struct output_times {
  double every = 0; /**< distance (s)                                    */
  double first = 0; /**< first time: first + k every, k = 0, 1, ...      */
  array times;      /**< increasing times instead                        */
  output_times() = default;
  /** first + k distance. */
  output_times(double distance, double from = 0) : every(distance), first(from) {}
  /** These, which increase. */
  output_times(array at) : times(std::move(at)) {}
};

/**
 * An event-driven run of a model. Movable; views it hands out are valid until it goes on. The model
 * may change or end meanwhile. Two simulations share nothing but descriptions that never change,
 * and callables, which are pure.
 *
 *     perp::event_driven sim(m);                          // where perp::simulation sim(m, h) was
 *     if (sim.run_until(10) != PERP_OK) complain(sim.message());
 */
class event_driven {
 public:
  /** Start at the model's initial values: an impact at t0 is done, the mode is chosen. */
  explicit event_driven(const model &m, const event_options &o = {})
      : core_(detail::shared(new core(m, o))) {
    core &c = *core_;
    c.options.require_sizes(*c.model.get());
    perp_event_driven *sim = nullptr;
    const detail::counted under_way{c};
    const perp_status s = perp_event_driven_create(&sim, c.model.get(), c.options.get(), &c.info);
    c.sim.reset(sim);
    if (s < 0 && s != PERP_ECALLBACK && s != PERP_RETRY) c.thrown = nullptr; /* of a trial */
    if (s != PERP_OK) fail(c, s, "event_driven", c.info);
  }
  /** Go on until a time: PERP_OK there, or why it ended before; throws for a negative status, and
   * what a callable threw. The state is then the last good one. */
  [[nodiscard]] perp_status run_until(double t) {
    return go_on("run_until", [t](perp_event_driven *sim, perp_info *info) {
      return perp_event_driven_run(sim, t, nullptr, info);
    });
  }

  /** Go on until a time; on_output(*this) is called at times of output, on_event(e) after each
   * perp::event, in the order of time. Both may return false to stop. At the time of an output the
   * accessors show the state at that time, by interpolation; where an event happens then: the state
   * after it. The time at which a run begins is shown if it is one of output. */
  template <class OnOutput, class OnEvent>
  [[nodiscard]] perp_status run(double t, const output_times &at, OnOutput &&on_output,
                                OnEvent &&on_event) {
    watch<OnOutput, OnEvent> w{this,   core_.in_use().get(), core_->owner, &on_output, &on_event,
                               nullptr};
    perp_event_observer o = PERP_EVENT_OBSERVER_INIT;
    o.times = at.times.pointer();
    o.n_times = static_cast<std::int32_t>(at.times.size());
    o.first = at.first;
    o.every = at.every;
    o.output = at.every != 0 || o.n_times > 0 ? &w.output : nullptr;
    o.event = &w.event;
    o.user = &w;
    return go_on("run", [&](perp_event_driven *sim, perp_info *info) {
      const perp_status s = perp_event_driven_run(sim, t, &o, info);
      w.held->status = s;
      if (w.thrown) std::rethrow_exception(w.thrown);
      return s;
    });
  }
  /** Without events. */
  template <class OnOutput>
  [[nodiscard]] perp_status run(double t, const output_times &at, OnOutput &&on_output) {
    return run(t, at, std::forward<OnOutput>(on_output), [](const perp::event &) {});
  }

  /** Go on to the next event, which has happened then: PERP_OK; PERP_END at t without one; or why
   * it ended before. */
  [[nodiscard]] perp_status next(double t) {
    return go_on("next", [t](perp_event_driven *sim, perp_info *info) {
      return perp_event_driven_next(sim, t, info);
    });
  }
  /** What happened last; that of the start at first. */
  perp::event event() const {
    return {required(perp_event_driven_event(get()), "event", -1), &core_->model,
            &core_->options.layout()};
  }

  class range;
  /** `for (const perp::event &e : sim.events_until(t))` sees each event once it has happened;
   * afterwards status() tells why the loop ended, PERP_END at t. */
  range events_until(double t);

  /** Outcome of the last call that went on. */
  [[nodiscard]] perp_status status() const noexcept {
    return core_ ? core_->status : perp_status{PERP_EINVAL};
  }
  /** The offending field of the last failure. */
  const perp_info &info() const { return core_.in_use()->info; }
  /** How it ended, in words: "finished: 12 events, t = 10", "not solved: mode was not found at t =
   * 0.2, contact 17 between bodies 4 and 9, ...", see perp_event_driven_ending(). */
  std::string ending() const {
    char text[512];
    (void)perp_event_driven_ending(get(), status(), &info(), 0, text, sizeof text);
    return text;
  }
  /** What went wrong last, in the integrator's words; empty if nothing did. */
  std::string message() const { return perp_event_driven_message(get()); }

  /** Set the state and start anew from it, as the constructor does; what is empty stays as it is.
   * Refused, all stays as it was. */
  void restart(double t, view q = {}, view v = {}, view x = {}) {
    const auto require = [](const char *field, view a, std::size_t need) {
      if (!a.empty() && a.size() != need) detail::wrong_size("restart", field, a.size(), need);
    };
    const detail::shared<core> held = core_.in_use();
    require("q", q, held->options.layout().n_q());
    require("v", v, held->options.layout().n_v());
    require("x", x, held->options.layout().n_x());
    const auto pointer = [](view a) { return a.empty() ? nullptr : a.data(); };
    const perp_status s = go_on("restart", [&](perp_event_driven *sim, perp_info *info) {
      return perp_event_driven_restart(sim, t, pointer(q), pointer(v), pointer(x), info);
    });
    if (s != PERP_OK) fail(*held, s, "restart", held->info);
  }

  /** Current time (s); within an output that of the output. */
  double time() const { return perp_event_driven_time(get()); }

  /** Position, velocity of a Lagrangian system; state of a first-order one. */
  /**@{*/
  view q(system_id s) const { return of(s, perp_event_driven_q, "q"); }
  view v(system_id s) const { return of(s, perp_event_driven_v, "v"); }
  view x(system_id s) const { return of(s, perp_event_driven_x, "x"); }
  /**@}*/
  /** Accelerations v̇ of a Lagrangian system, or ẋ. */
  view rate(system_id s) const {
    const auto i = static_cast<std::int32_t>(s);
    const double *data = required(perp_event_driven_rate(get(), i), "rate", i);
    return {data, static_cast<std::size_t>(
                      core_->model.parts().kind_of_system(static_cast<std::size_t>(i)).n)};
  }
  /** Gap or output, its rate, and the multiplier, a *force* (N) for Lagrangian systems. Of a
   * piecewise linear law a copy, taken now. */
  /**@{*/
  view y(interaction_id i) const { return of(i, perp_event_driven_y, c_model::quantity::y, "y"); }
  view ydot(interaction_id i) const {
    return of(i, perp_event_driven_ydot, c_model::quantity::ydot, "ydot");
  }
  view lambda(interaction_id i) const {
    return of(i, perp_event_driven_lambda, c_model::quantity::lambda, "lambda");
  }
  /**@}*/
  /** λ as a force, into f: the same quantity as that of perp::simulation. */
  void force(interaction_id i, span f) const {
    const view l = lambda(i);
    if (f.size() != l.size()) detail::wrong_size("force", "f", f.size(), l.size());
    for (std::size_t k = 0; k < l.size(); k++) f[k] = l[k];
  }
  /** What a copy of a law does; of a graph, what one of its pieces does. */
  contact_mode mode(interaction_id i, std::int32_t copy = 0) const {
    const std::int32_t m = perp_event_driven_mode(get(), static_cast<std::int32_t>(i), copy);
    if (m < 0) detail::no_such("mode", "copy", copy);
    return static_cast<contact_mode>(m);
  }

  /** Energy of the Lagrangian systems now; what a potential throws comes out. */
  energies energy() const {
    const detail::shared<core> held = core_.in_use();
    const detail::counted under_way{*held};
    energies e{};
    const perp_status s = perp_event_driven_energy(held->sim.get(), &e.kinetic, &e.potential);
    if (s < 0) rethrow(*held);
    check(s, "energy");
    return e;
  }
  /** Parts of the model that nothing joins, each with an integrator of its own. */
  std::int32_t components() const { return perp_event_driven_components(get()); }
  /** What it cost since the start. */
  event_report report() const {
    event_report r = PERP_EVENT_REPORT_INIT;
    check(perp_event_driven_report(get(), &r), "report");
    return r;
  }

  /** The C simulation, for functions of perp/event_driven.h that are not wrapped here. */
  perp_event_driven *get() const noexcept { return core_ ? core_->sim.get() : nullptr; }
  /** The C model. */
  const perp_model *c_model_view() const noexcept { return core_ ? core_->model.get() : nullptr; }
  /** What the model was made of. */
  const detail::parts &parts() const { return core_.in_use()->model.parts(); }
  /** Those of the options. */
  const std::vector<guard> &guards() const { return core_.in_use()->options.guards(); }

 private:
  struct by_c {
    static void end(perp_event_driven *s) noexcept { perp_event_driven_destroy(s); }
  };

  /** All that a call works on. It outlives an owner whom a callback destroys meanwhile. */
  struct core : detail::core_state {
    core(const model &m, const event_options &o) : model(m), options(o, model.parts()) {}

    c_model model;
    detail::c_event_options options;
    detail::owned<perp_event_driven, by_c> sim;
    c_model::wholes whole;
  };

  /** A call that goes on or starts anew. */
  template <class Call>
  perp_status go_on(const char *who, Call &&call) {
    const detail::shared<core> held = core_.in_use();
    core &c = *held;
    if (c.calls > 0) detail::refuse(PERP_EINVAL, who, "run within a run");
    const detail::counted under_way{c};
    const perp_status s = call(c.sim.get(), &c.info);
    c.status = s;
    core_.require_owner(c, "run: the simulation was destroyed or moved within its own run");
    if (s < 0 && detail::exceptions) fail(c, s, who, c.info);
    if (s != PERP_OK && s != PERP_END && s != PERP_STOPPED) rethrow(c);
    return s;
  }

  /** Who watches a run, and what it threw. */
  template <class OnOutput, class OnEvent>
  struct watch {
    event_driven *sim;
    core *held;
    const void *owner; /**< as the run began */
    std::remove_reference_t<OnOutput> *on_output;
    std::remove_reference_t<OnEvent> *on_event;
    std::exception_ptr thrown;

    /** 0: go on, 1: stop, -1: it threw. */
    template <class Call>
    std::int32_t answer(Call &&call) noexcept {
      if (held->owner != owner) return -1;
      const detail::catching here(thrown);
      return detail::caught([&]() -> std::int32_t {
        if constexpr (std::is_same_v<decltype(call()), bool>) return call() ? 0 : 1;
        call();
        return 0;
      });
    }
    static std::int32_t output(perp_event_driven *, void *user) noexcept {
      auto *const w = static_cast<watch *>(user);
      return w->answer([w]() -> decltype(auto) {
        return (*w->on_output)(static_cast<const event_driven &>(*w->sim));
      });
    }
    static std::int32_t event(perp_event_driven *, const perp_event *e, void *user) noexcept {
      auto *const w = static_cast<watch *>(user);
      const perp::event seen(e, &w->held->model, &w->held->options.layout());
      return w->answer([w, &seen]() -> decltype(auto) { return (*w->on_event)(seen); });
    }
  };

  static void rethrow(core &c) {
    c.options.rethrow();
    c.rethrow();
    c.model.rethrow();
  }

  [[noreturn]] static void fail(core &c, perp_status s, const char *who, const perp_info &info) {
    rethrow(c);
    std::string text = who;
    const std::string more = perp_event_driven_message(c.sim.get());
    if (!more.empty() && info.field != nullptr) {
      char t[40];
      (void)std::snprintf(t, sizeof t, "%.9g", perp_event_driven_time(c.sim.get()));
      text += std::string(": failed at t = ") + t;
    } else if (!more.empty()) {
      text += ": " + more;
    }
    if (s < 0) detail::refuse(s, text.c_str(), info);
    text += std::string(": ") + perp_status_string(s); /* no motion from a state that was given */
    detail::refuse(PERP_EINVAL, text.c_str(), info);
  }

  static const double *required(const double *data, const char *what, std::int32_t i) {
    if (data == nullptr) detail::no_such(what, "object", i, ", or it is of the other order");
    return data;
  }
  static const perp_event *required(const perp_event *e, const char *what, std::int32_t i) {
    if (e == nullptr) detail::no_such(what, "event", i);
    return e;
  }

  view of(system_id s, const double *(*read)(perp_event_driven *, std::int32_t),
          const char *what) const {
    const auto i = static_cast<std::int32_t>(s);
    const double *data = required(read(get(), i), what, i);
    const auto &kind = core_->model.parts().kind_of_system(static_cast<std::size_t>(i));
    return {data, static_cast<std::size_t>(read == perp_event_driven_q ? kind.n_q : kind.n)};
  }
  view of(interaction_id a, const double *(*read)(perp_event_driven *, std::int32_t),
          c_model::quantity which, const char *what) const {
    const auto i = static_cast<std::int32_t>(a);
    const double *data = required(read(get(), i), what, i);
    const bool mechanical = perp_event_driven_ydot(get(), i) != nullptr;
    return core_->model.together(static_cast<std::size_t>(i), which, data,
                                 perp_event_driven_lambda(get(), i), mechanical, core_->whole);
  }

  detail::handle<core> core_;
};

/** The events of a simulation until a time, one pass. */
class event_driven::range {
 public:
  /** What begin() runs towards. */
  struct end_of_run {};
  /** Goes on to the next event when it is incremented. */
  class iterator {
   public:
    /** As a range-based for needs it. */
    /**@{*/
    iterator(event_driven *s, double t) : sim_(s), t_(t) {}
    perp::event operator*() const { return sim_->event(); }
    iterator &operator++() {
      (void)sim_->next(t_);
      return *this;
    }
    bool operator!=(end_of_run) const { return sim_->status() == PERP_OK; }
    /**@}*/

   private:
    event_driven *sim_;
    double t_;
  };
  /** As a range-based for needs it. */
  /**@{*/
  range(event_driven *s, double t) : sim_(s), t_(t) {}
  iterator begin() { return ++iterator(sim_, t_); }
  end_of_run end() const { return {}; }
  /**@}*/

 private:
  event_driven *sim_;
  double t_;
};

inline event_driven::range event_driven::events_until(double t) { return range(this, t); }

}  // namespace perp

#endif
