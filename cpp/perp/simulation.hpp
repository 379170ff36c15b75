// SPDX-License-Identifier: MIT
/** @file simulation.hpp
 * A simulation that owns its memory: two blocks, as in C, made once; steps allocate nothing. */
#ifndef PERP_CXX_SIMULATION_HPP
#define PERP_CXX_SIMULATION_HPP

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "perp/c_model.hpp"
#include "perp/check.h"
#include "perp/contact_list.h"
#include "perp/heap.h"
#include "perp/held.hpp"
#include "perp/simulation.h"
#include "perp/simulation_options.hpp"

namespace perp {

/** What a model is made of, as text: systems, interactions with relative degrees, couplings. See
 * perp_model_describe(), which is in perp::perp only. */
inline std::string describe(const model &m) {
  const c_model held(m);
  std::string text(perp_model_describe(held.get(), nullptr, nullptr, 0), ' ');
  perp_model_describe(held.get(), nullptr, &text[0], text.size() + 1);
  return text;
}

/** Work of reactions over a step in J, < 0: taken from the systems. */
struct works {
  double all;        /**< of all rows                                        */
  double tangential; /**< of the rows along which friction and rolling act   */
};

/** Energy of the Lagrangian systems in J. */
struct energies {
  double kinetic;   /**< ½ vᵀM v                              */
  double potential; /**< ½ qᵀK q − fᵀq, f the constant force */
  /** Their sum. */
  double total() const { return kinetic + potential; }
};

/** What happened since the start. */
using run_report = perp_report;

namespace detail {

/** The memory of one simulation. */
struct blocks {
  block state, work;
};

/** It lives in the work block; a sparse factor does not. */
struct by_release {
  static void end(perp_simulation *s) noexcept { perp_simulation_release(s); }
};

}  // namespace detail

/** State of a run as bytes: to be stored, copied, and handed to restore(). */
using checkpoint = std::vector<std::byte>;

/**
 * A run of a model. Movable; views it hands out stay valid as long as it, or what it was moved to,
 * lives. The model may change or end meanwhile. Two simulations share nothing but descriptions
 * that never change, and callables, which are pure.
 */
class simulation {
 public:
  /** Start at the model's initial values. */
  simulation(const model &m, const simulation_options &o) : core_(detail::shared(new core(m, o))) {
    start();
  }
  /** Steps of length h (s); steps 0: no end. */
  simulation(const model &m, double h, std::int32_t steps = 0) : simulation(m, uniform(h, steps)) {}

  /** Take the grid's next step: PERP_OK, PERP_END, or why it was not taken; throws for a negative
   * status, and what a callback threw. */
  [[nodiscard]] perp_status step() {
    const detail::shared<core> held = core_.in_use();
    const perp_status s = go_on(*held);
    require_owner(*held);
    return s;
  }

  /** Take a step of length h that is not the grid's. */
  [[nodiscard]] perp_status advance(double h) {
    const detail::shared<core> held = core_.in_use();
    const perp_status s = go_on(*held, &h);
    require_owner(*held);
    return s;
  }

  /** Step until the grid ends; call see(*this) after each step, which may return false to stop. */
  template <class See>
  [[nodiscard]] perp_status run(See &&see) {
    const detail::shared<core> held = core_.in_use();
    for (;;) {
      const perp_status s = go_on(*held);
      require_owner(*held);
      if (s != PERP_OK) return s;
      bool more = true;
      if constexpr (std::is_same_v<decltype(see(*this)), bool>)
        more = see(*this);
      else
        see(*this);
      require_owner(*held);
      if (!more) return held->status = PERP_STOPPED;
    }
  }
  /** Step until the grid ends. */
  [[nodiscard]] perp_status run() {
    return run([](const simulation &) {});
  }

  /** Step until the time is not below t, or the grid ends. */
  [[nodiscard]] perp_status run_until(double t) {
    const detail::shared<core> held = core_.in_use();
    if (t != t) detail::refuse(PERP_ENOTFINITE, "run_until", "until", -1, t);
    while (perp_simulation_time(held->sim.get()) < t) {
      const perp_status s = go_on(*held);
      require_owner(*held);
      if (s != PERP_OK) break;
    }
    return held->status;
  }

  class range;
  /** `for (auto &s : sim.steps())` sees the simulation after each step; afterwards status() tells
   * why the loop ended, PERP_END at the end of the grid. */
  range steps();

  /** Outcome of the last step. */
  [[nodiscard]] perp_status status() const noexcept {
    return core_ ? core_->status : perp_status{PERP_EINVAL};
  }
  /** Iterations and residual of the last step. */
  const perp_info &info() const { return core_.in_use()->info; }

  /** How it ended, in words: "finished: 1000 steps, t = 10", "not solved: iteration limit in step
   * 280 at t = 2.79, contact 17 between bodies 4 and 9, ...", see perp_simulation_ending(). */
  std::string ending() const {
    char text[512];
    (void)perp_simulation_ending(get(), status(), &info(), 0, text, sizeof text);
    return text;
  }

  /** Current time (s). */
  double time() const { return perp_simulation_time(get()); }
  /** Steps of the grid taken. */
  std::int64_t step_index() const { return perp_simulation_step_index(get()); }

  /** Position, velocity of a Lagrangian system; state of a first-order one. */
  /**@{*/
  view q(system_id s) const { return of(s, perp_simulation_q, "q"); }
  view v(system_id s) const { return of(s, perp_simulation_v, "v"); }
  view x(system_id s) const { return of(s, perp_simulation_x, "x"); }
  /**@}*/
  /** Gap or output, its rate, and the multiplier at the level that level() tells: impulse (N s) for
   * Lagrangian systems. Of a piecewise linear law a copy, taken now. */
  /**@{*/
  view y(interaction_id i) const { return of(i, perp_simulation_y, "y"); }
  view ydot(interaction_id i) const { return of(i, perp_simulation_ydot, "ydot"); }
  view lambda(interaction_id i) const { return of(i, perp_simulation_lambda, "lambda"); }
  /**@}*/

  /** Level of lambda(): PERP_LEVEL_FORCE, PERP_LEVEL_IMPULSE or PERP_LEVEL_POSITION. */
  std::int32_t level(interaction_id i) const {
    const std::int32_t l = perp_simulation_level(get(), static_cast<std::int32_t>(i));
    if (l < 0) detail::no_such("level", "interaction", static_cast<std::int32_t>(i));
    return l;
  }
  /** λ as a mean force over the last step, into f. */
  void force(interaction_id i, span f) const {
    if (f.size() != lambda(i).size()) detail::wrong_size("force", "f", f.size(), lambda(i).size());
    const perp_piecewise_relation *pieces = core_->model.pieces(static_cast<std::size_t>(i));
    std::vector<double> parts(pieces == nullptr ? 0 : static_cast<std::size_t>(pieces->relation.m));
    check(perp_simulation_force(get(), static_cast<std::int32_t>(i),
                                pieces == nullptr ? f.data() : parts.data()),
          "force");
    if (pieces != nullptr) {
      check(perp_piecewise_relation_values(pieces, nullptr, parts.data(), nullptr, f.data()),
            "force");
    }
  }

  /** What a copy of a law carries from step to step, as doubles: damage and slip of cohesive_3d().
   */
  view law_state(interaction_id i, std::int32_t copy = 0) const {
    std::size_t bytes = 0;
    const void *state =
        perp_simulation_law_state(get(), static_cast<std::int32_t>(i), copy, &bytes);
    if (state == nullptr) detail::no_such("law_state", "copy", copy, ", or its law has no state");
    return {static_cast<const double *>(state), bytes / sizeof(double)};
  }

  /** Unilateral contacts of mechanics that acted in the last step, see perp/contact_list.h; ydot
   * and lambda are views that end with the next one. */
  std::vector<perp_contact_view> contacts() const {
    std::int32_t n = 0;
    check(perp_simulation_contacts(get(), nullptr, sizeof(perp_contact_view), 0, &n), "contacts");
    std::vector<perp_contact_view> list(static_cast<std::size_t>(n));
    check(perp_simulation_contacts(get(), list.data(), sizeof(perp_contact_view), n, &n),
          "contacts");
    return list;
  }

  /** Switch a system off or on from the next step on; options.switchable has to allow it. */
  void set_active(system_id s, bool active) {
    require_rest("set_active");
    const auto i = static_cast<std::int32_t>(s);
    const perp_status answer = perp_simulation_set_active(get(), i, active ? 1 : 0);
    if (answer == PERP_EUNSUPPORTED)
      detail::refuse(answer, "set_active: options.switchable has to be true", "switchable");
    if (answer < 0) detail::no_such("set_active", "system", i);
  }
  /** Whether it is on. */
  bool is_active(system_id s) const {
    return perp_simulation_is_active(get(), static_cast<std::int32_t>(s)) != 0;
  }

  /** Whether a system sleeps (options.sleep_energy); within a pool's function: so far. */
  bool is_asleep(system_id s) const {
    return perp_simulation_is_asleep(get(), static_cast<std::int32_t>(s)) != 0;
  }
  /** Systems that are neither asleep nor off. */
  std::int32_t awake() const { return perp_simulation_awake(get()); }
  /** Wake a system with its island, for what the library cannot see. */
  void wake(system_id s) {
    require_rest("wake");
    const auto i = static_cast<std::int32_t>(s);
    if (perp_simulation_wake(get(), i) < 0) detail::no_such("wake", "system", i);
  }

  /** Set position and velocity of a Lagrangian system, or the state x of a first-order one, between
   * two steps; empty: it stays. It begins anew there, see perp_simulation_set_state(). */
  void set_state(system_id s, view q, view v = {}, view x = {}) {
    require_rest("set_state");
    const detail::shared<core> held = core_.in_use();
    const auto i = static_cast<std::int32_t>(s);
    if (i < 0 || i >= held->model.get()->n_systems) detail::no_such("set_state", "system", i);
    const auto row = [&](const char *field, view a, std::int32_t n) {
      const auto need = static_cast<std::size_t>(n);
      if (!a.empty() && a.size() != need) detail::wrong_size("set_state", field, a.size(), need);
      return a.empty() ? nullptr : a.data();
    };
    perp_simulation *const sim = held->sim.get();
    const double *const rows[] = {row("q", q, perp_simulation_n_q(sim, i)),
                                  row("v", v, perp_simulation_n_v(sim, i)),
                                  row("x", x, perp_simulation_n_x(sim, i))};
    perp_status status = PERP_OK;
    {
      const detail::counted under_way{*held};
      status = perp_simulation_set_state(sim, i, 1, rows[0], rows[1], rows[2], &held->info);
    }
    if (status != PERP_OK) fail(*held, status, "set_state");
  }

  /** Independent one-step problems of the last step. */
  std::int32_t islands() const { return perp_simulation_islands(get()); }

  /** Energy of the Lagrangian systems now, between two steps; what a potential throws comes out. */
  energies energy() const {
    require_rest("energy");
    const detail::shared<core> held = core_.in_use();
    const detail::counted under_way{*held};
    energies e{};
    const perp_status s = perp_simulation_energy(held->sim.get(), &e.kinetic, &e.potential);
    if (s < 0) rethrow(*held);
    check(s, "energy");
    return e;
  }

  /** Work of the reactions of interaction i over the last step, and its tangential part; i < 0:
   * of all. See perp_simulation_work_done(). */
  works work(std::int32_t i = -1) const {
    works w{};
    if (perp_simulation_work_done(get(), i, &w.all, &w.tangential) < 0)
      detail::no_such("work", "interaction", i, ", or it is of order 1");
    return w;
  }

  /** What happened since the start, or the last restore(). */
  run_report report() const {
    perp_report r = PERP_REPORT_INIT;
    check(perp_simulation_report(get(), &r), "report");
    return r;
  }

  /** Bytes of the two blocks, known before the first step. */
  /**@{*/
  std::size_t state_bytes() const noexcept { return core_ ? core_->blocks.state.size() : 0; }
  std::size_t work_bytes() const noexcept { return core_ ? core_->blocks.work.size() : 0; }
  /**@}*/

  /** A copy of the state; a run restored from it has the bits of the uninterrupted one. */
  perp::checkpoint checkpoint() const {
    perp::checkpoint c(state_bytes());
    if (!c.empty()) std::memcpy(c.data(), core_->blocks.state.data(), c.size());
    return c;
  }

  /** Go on from a checkpoint of the same model and options; refused, all stays as it was. Ends the
   * validity of views handed out before. */
  void restore(const perp::checkpoint &c) {
    require_rest("restore");
    if (c.size() != core_->blocks.state.size()) {
      detail::refuse(PERP_EINVAL, "restore: a checkpoint of another model", "bytes", -1,
                     static_cast<double>(c.size()));
    }
    detail::blocks fresh = room(state_bytes(), work_bytes());
    if (!c.empty()) std::memcpy(fresh.state.data(), c.data(), c.size());
    enter(perp_simulation_resume, std::move(fresh));
  }

  /** A sealed copy of the state, for files: with a checksum and a fingerprint of model and options,
   * see perp_simulation_checkpoint(). */
  std::vector<std::byte> sealed_checkpoint() const {
    std::vector<std::byte> sealed(perp_simulation_checkpoint_size(get()));
    perp_info info = PERP_INFO_INIT;
    check(perp_simulation_checkpoint(get(), sealed.data(), sealed.size(), &info), "checkpoint",
          info);
    return sealed;
  }

  /** Go on from a sealed copy; one that is damaged, or of another model, other options or another
   * grid, is refused, and all stays as it was. other_grid: h, t0 or grid may be others. Ends the
   * validity of views handed out before. */
  void restore_sealed(const std::vector<std::byte> &sealed, bool other_grid = false) {
    require_rest("restore_sealed");
    detail::blocks fresh = room(state_bytes(), work_bytes());
    perp_info info = PERP_INFO_INIT;
    check(perp_simulation_unseal(core_->model.get(), core_->options.get(), sealed.data(),
                                 sealed.size(), other_grid ? std::uint32_t{PERP_OTHER_GRID} : 0u,
                                 fresh.state.data(), fresh.state.size(), &info),
          "restore_sealed", info);
    enter(perp_simulation_resume, std::move(fresh));
  }

  /** The C simulation, for functions of perp/simulation.h that are not wrapped here. */
  perp_simulation *get() const noexcept { return core_ ? core_->sim.get() : nullptr; }
  /** The C model. */
  const perp_model *c_model_view() const noexcept { return core_ ? core_->model.get() : nullptr; }
  /** What the model was made of. */
  const detail::parts &parts() const { return core_.in_use()->model.parts(); }

 private:
  static simulation_options uniform(double h, std::int32_t steps) {
    simulation_options o;
    o.h = h;
    o.steps = steps;
    return o;
  }

  /** All that a call works on. It outlives an owner whom a callback destroys meanwhile. */
  struct core : detail::core_state {
    core(const model &m, const simulation_options &o)
        : model(m), options(o, model.parts(), model.get()) {}

    c_model model;
    detail::c_options options;
    detail::blocks blocks;
    detail::owned<perp_simulation, detail::by_release> sim;
    c_model::wholes whole;
  };

  /** Whether this is still there; not to be touched before. */
  void require_owner(const core &held) const {
    core_.require_owner(held, "step: the simulation was destroyed or moved within its own step");
  }
  void require_rest(const char *who) const {
    if (core_.in_use()->calls > 0) detail::refuse(PERP_EINVAL, who, "step within a step");
  }

  /** A step of length *h, or, without h, of the grid. */
  static perp_status go_on(core &c, const double *h = nullptr) {
    if (c.calls > 0)
      detail::refuse(PERP_EINVAL, h != nullptr ? "advance" : "step", "step within a step");
    perp_status s = PERP_OK;
    {
      const detail::counted under_way{c};
      s = h != nullptr ? perp_simulation_advance(c.sim.get(), *h, &c.info)
                       : perp_simulation_step(c.sim.get(), &c.info);
    }
    return ended(c, s, h != nullptr ? "advance" : "step");
  }

  static detail::blocks room(std::size_t state, std::size_t work) {
    detail::blocks b;
    b.state.reserve("simulation", state, "state_bytes");
    b.work.reserve("simulation", work);
    std::memset(b.state.data(), 0, state);
    return b;
  }
  void start() {
    core &c = *core_;
    check(perp_model_check(c.model.get(), &c.info), "model", c.info);
    check_callbacks();
    enter(perp_simulation_init, room(perp_simulation_state_size(c.model.get(), c.options.get()),
                                     perp_simulation_work_size(c.model.get(), c.options.get())));
  }

  /** A callback that writes behind its end is refused before it does so within the blocks. */
  void check_callbacks() {
    core &c = *core_;
    const detail::counted under_way{c};
    const perp_simulation_options *o = c.options.get();
    const detail::block work("simulation", perp_model_check_derivatives_workspace(c.model.get()));
    const perp_status s = perp_model_check_callbacks(
        c.model.get(), o->grid != nullptr && o->steps > 0 ? o->grid[0] : o->t0, work.data(),
        work.size(), &c.info);
    if (s == PERP_ECALLBACK) detail::refuse(s, "model", c.info);
  }

  /** Let init or resume take hold of blocks b. Sizes of 0 mean that it will say what is wrong. */
  template <class Enter>
  void enter(Enter init, detail::blocks b) {
    const detail::shared<core> held = core_.in_use();
    core &c = *held;
    perp_simulation *sim = nullptr;
    c.info = PERP_INFO_INIT;
    const auto attempt = [&] {
      const detail::counted under_way{c};
      return init(&sim, c.model.get(), c.options.get(), b.state.data(), b.state.size(),
                  b.work.data(), b.work.size(), &c.info);
    };
    perp_status s = attempt();
    if (s != PERP_OK && c.options.other_back_end(s)) s = attempt();
    if (s != PERP_OK) fail(c, s, "simulation");
    c.sim.reset(); /* while its blocks are there */
    c.blocks = std::move(b);
    c.sim.reset(sim);
    c.status = PERP_OK;
    require_owner(c);
  }

  static perp_status ended(core &c, perp_status s, const char *who) {
    c.status = s;
    if (s != PERP_OK && s != PERP_END) rethrow(c);  // a law of callables, or a callback
    return detail::answer(s, who, c.info);
  }

  static void rethrow(core &c) {
    c.rethrow();
    c.model.rethrow();
  }
  [[noreturn]] static void fail(core &c, perp_status s, const char *who) {
    rethrow(c);
    detail::refuse(s, who, c.info);
  }

  view of(system_id s, const double *(*read)(const perp_simulation *, std::int32_t),
          const char *what) const {
    const auto i = static_cast<std::int32_t>(s);
    const double *data = read(get(), i);
    if (data == nullptr) detail::no_such(what, "system", i, ", or it is of the other order");
    const auto &kind = core_->model.parts().kind_of_system(static_cast<std::size_t>(i));
    return {data, static_cast<std::size_t>(read == perp_simulation_q ? kind.n_q : kind.n)};
  }
  view of(interaction_id a, const double *(*read)(const perp_simulation *, std::int32_t),
          const char *what) const {
    const auto i = static_cast<std::int32_t>(a);
    const double *data = read(get(), i);
    if (data == nullptr) detail::no_such(what, "interaction", i, ", or it has none");
    using quantity = c_model::quantity;
    const bool mechanical = perp_simulation_ydot(get(), i) != nullptr;
    return core_->model.together(static_cast<std::size_t>(i),
                                 read == perp_simulation_lambda ? quantity::lambda
                                 : read == perp_simulation_y    ? quantity::y
                                                                : quantity::ydot,
                                 data, perp_simulation_lambda(get(), i), mechanical, core_->whole);
  }

  detail::handle<core> core_;
};

/** The steps of a simulation, one pass. */
class simulation::range {
 public:
  /** What begin() runs towards. */
  struct end_of_run {};
  /** Takes a step when it is incremented. */
  class iterator {
   public:
    /** As a range-based for needs it. */
    /**@{*/
    explicit iterator(simulation *s) : sim_(s) {}
    simulation &operator*() const { return *sim_; }
    iterator &operator++() {
      (void)sim_->step();
      return *this;
    }
    bool operator!=(end_of_run) const { return sim_->status() == PERP_OK; }
    /**@}*/

   private:
    simulation *sim_;
  };
  /** As a range-based for needs it. */
  /**@{*/
  explicit range(simulation *s) : sim_(s) {}
  iterator begin() { return ++iterator(sim_); }
  end_of_run end() const { return {}; }
  /**@}*/

 private:
  simulation *sim_;
};

inline simulation::range simulation::steps() { return range(this); }

}  // namespace perp

#endif
