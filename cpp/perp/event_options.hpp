// SPDX-License-Identifier: MIT
/** @file event_options.hpp
 * Options of an event-driven simulation: methods of the smooth motion by name, guards, resets and
 * schedules made of callables. */
#ifndef PERP_CXX_EVENT_OPTIONS_HPP
#define PERP_CXX_EVENT_OPTIONS_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <type_traits>
#include <utility>
#include <vector>

#include "perp/event_driven.h"
#include "perp/model.hpp"
#include "perp/simulation_options.hpp"

namespace perp {

/** Methods for the smooth motion, see perp/event_driven.h. */
namespace smooth {
/** One function for each. */
/**@{*/
inline const perp_smooth *runge_kutta() { return perp_smooth_runge_kutta(); }
inline const perp_smooth *adams() { return perp_smooth_adams(); }
inline const perp_smooth *bdf() { return perp_smooth_bdf(); }
inline const perp_smooth *arkode() { return perp_smooth_arkode(); }
inline const perp_smooth *ida() { return perp_smooth_ida(); }
/**@}*/
}  // namespace smooth

/** How implicit methods store their matrix. */
enum class linear_structure : std::int32_t {
  automatic = PERP_LINEAR_AUTO, /**< by the structure of the model */
  dense = PERP_LINEAR_DENSE,    /**< dense                         */
  banded = PERP_LINEAR_BANDED,  /**< banded                        */
  sparse = PERP_LINEAR_SPARSE   /**< compressed columns, KLU       */
};

/** Which law an impact obeys. */
enum class impact_law : std::int32_t {
  of_interaction = PERP_IMPACT_LAW, /**< that of each interaction                   */
  poisson = PERP_IMPACT_POISSON,    /**< compression and expansion                  */
  lzb = PERP_IMPACT_LZB             /**< Liu, Zhao and Brogliato, options.lzb       */
};

/** What happens where impacts accumulate. */
enum class zeno : std::int32_t {
  jump = PERP_ZENO_JUMP, /**< the contact closes once what remains is below zeno_tol      */
  step = PERP_ZENO_STEP, /**< Moreau-Jean for the crowded stretch, options.stepping       */
  stop = PERP_ZENO_STOP  /**< nothing is cut off                                          */
};

/** What a copy of a law does in a mode; see PERP_CONTACT_OPEN and its neighbours. */
enum class contact_mode : std::int32_t {
  none = -1,                      /**< there is none, as for guards          */
  open = PERP_CONTACT_OPEN,       /**< λ = 0                                 */
  touch = PERP_CONTACT_TOUCH,     /**< λ = 0 and y = 0                       */
  closed = PERP_CONTACT_CLOSED,   /**< held                                  */
  stick = PERP_CONTACT_STICK,     /**< held in all its rows                  */
  slip = PERP_CONTACT_SLIP,       /**< λ_t on the cone                       */
  lower = PERP_CONTACT_LOWER,     /**< λ is the lower bound                  */
  between = PERP_CONTACT_BETWEEN, /**< held: sliding mode of a relay         */
  upper = PERP_CONTACT_UPPER      /**< λ is the upper bound                  */
};

/** Springs of contacts during a multiple impact. */
enum class compliance : std::int32_t {
  mono = PERP_STIFFNESS_MONO, /**< one stiffness                    */
  bi = PERP_STIFFNESS_BI      /**< another one for the expansion    */
};

/** The law of Liu, Zhao and Brogliato, see perp/multiple_impact.h; defaults as in C. */
struct lzb_options {
  perp::compliance compliance = perp::compliance::bi; /**< springs                              */
  double exponent = 1;               /**< η of force = κ δ^η                   */
  double step = 0.5;                 /**< longest step, see C                  */
  double tol = 1e-12;                /**< error of a step; 1: none is          */
  std::int32_t max_steps = 10000000; /**< of an impact                         */
  array stiffness;                   /**< κ by row of all interactions; none: equal  */
};

namespace detail {

/** Where the state of each system is within q, v and x of all. */
class state_layout {
 public:
  explicit state_layout(const parts &model) {
    std::size_t q = 0, v = 0, x = 0;
    for (std::size_t i = 0; i < model.systems.size(); i++) {
      const auto &kind = model.kind_of_system(i);
      const auto n_q = static_cast<std::size_t>(kind.n_q), n = static_cast<std::size_t>(kind.n);
      if (kind.order == 2) {
        places_.push_back({{q, n_q}, {v, n}, {0, 0}});
        q += n_q, v += n;
      } else {
        places_.push_back({{0, 0}, {0, 0}, {x, n}});
        x += n;
      }
    }
    n_q_ = q, n_v_ = v, n_x_ = x;
  }
  /** Lengths of q, v and x. */
  /**@{*/
  std::size_t n_q() const { return n_q_; }
  std::size_t n_v() const { return n_v_; }
  std::size_t n_x() const { return n_x_; }
  /**@}*/
  template <class Of>
  auto q(system_id s, Of *all) const {
    return part(s, &place::q, all, "q");
  }
  template <class Of>
  auto v(system_id s, Of *all) const {
    return part(s, &place::v, all, "v");
  }
  template <class Of>
  auto x(system_id s, Of *all) const {
    return part(s, &place::x, all, "x");
  }

 private:
  struct range {
    std::size_t begin, size;
  };
  struct place {
    range q, v, x;
  };
  template <class Of>
  std::conditional_t<std::is_const_v<Of>, view, span> part(system_id s, range place::*which,
                                                           Of *all, const char *what) const {
    const auto i = static_cast<std::int32_t>(s);
    if (i < 0 || static_cast<std::size_t>(i) >= places_.size() ||
        (places_[static_cast<std::size_t>(i)].*which).size == 0) {
      detail::no_such(what, "system", i, ", or it is of the other order");
    }
    const range r = places_[static_cast<std::size_t>(i)].*which;
    return {all + r.begin, r.size};
  }

  std::vector<place> places_;
  std::size_t n_q_ = 0, n_v_ = 0, n_x_ = 0;
};

}  // namespace detail

/** The state that a guard reads, with the names of a simulation, so that one function reads either.
 */
class event_state {
 public:
  /** @cond */
  event_state(const perp_event_state *at, const detail::state_layout *of) : at_(at), of_(of) {}
  /** @endcond */
  /** Time (s). */
  double time() const { return at_->t; }
  /** Position, velocity of a Lagrangian system; state of a first-order one. */
  /**@{*/
  view q(system_id s) const { return of_->q(s, static_cast<const double *>(at_->q)); }
  view v(system_id s) const { return of_->v(s, static_cast<const double *>(at_->v)); }
  view x(system_id s) const { return of_->x(s, static_cast<const double *>(at_->x)); }
  /**@}*/

 private:
  const perp_event_state *at_;
  const detail::state_layout *of_;
};

/** The state that a reset may change; see ::perp::event_state. */
class reset_state {
 public:
  /** @cond */
  reset_state(const perp_event_state *at, const detail::state_layout *of) : at_(at), of_(of) {}
  /** @endcond */
  /** Time (s). */
  double time() const { return at_->t; }
  /** Position, velocity of a Lagrangian system; state of a first-order one. */
  /**@{*/
  span q(system_id s) const { return of_->q(s, at_->q); }
  span v(system_id s) const { return of_->v(s, at_->v); }
  span x(system_id s) const { return of_->x(s, at_->x); }
  /**@}*/

 private:
  const perp_event_state *at_;
  const detail::state_layout *of_;
};

/** A function of the state whose zeros are events, `[=](const event_state &s) { return s.q(a)[0];
 * }`. Pure. Shared by copies; what it throws comes out of the run. */
class guard_function {
 public:
  /** None, or a copy of a function object. */
  /**@{*/
  guard_function() = default;
  template <class F, class = std::enable_if_t<
                         std::conjunction_v<std::negation<std::is_same<F, guard_function>>,
                                            std::is_invocable_r<double, F &, const event_state &>>>>
  guard_function(F f)
      : object_(detail::share(new F(std::move(f)))), call_([](void *self, const event_state &at) {
          return static_cast<double>((*static_cast<F *>(self))(at));
        }) {}
  /**@}*/
  /** Whether there is one. */
  explicit operator bool() const noexcept { return object_ != nullptr; }
  /** Call it. */
  double operator()(const event_state &at) const {
    return call_(const_cast<void *>(object_.get()), at);
  }
  /** Equal for copies, nullptr if there is none. */
  const void *address() const noexcept { return object_.get(); }

 private:
  detail::shared_object object_;
  double (*call_)(void *self, const event_state &at) = nullptr;
};

/** What changes the state at an event, `[=](reset_state &s) { s.v(a)[0] = 0; }`. It returns
 * nothing, or a bool: false ends the run after the event. What it throws comes out of the run, the
 * state is then that before the event. */
class reset_function {
 public:
  /** None, or a copy of a function object. */
  /**@{*/
  reset_function() = default;
  template <class F, class = std::enable_if_t<
                         std::conjunction_v<std::negation<std::is_same<F, reset_function>>,
                                            std::is_invocable<F &, reset_state &>>>>
  reset_function(F f)
      : object_(detail::share(new F(std::move(f)))), call_([](void *self, reset_state &at) {
          using result = std::invoke_result_t<F &, reset_state &>;
          static_assert(std::is_void_v<result> || std::is_same_v<result, bool>,
                        "a reset returns nothing, or whether the run goes on");
          if constexpr (std::is_void_v<result>) {
            (*static_cast<F *>(self))(at);
            return true;
          } else {
            return (*static_cast<F *>(self))(at);
          }
        }) {}
  /**@}*/
  /** Whether there is one. */
  explicit operator bool() const noexcept { return object_ != nullptr; }
  /** Call it. */
  bool operator()(reset_state &at) const { return call_(const_cast<void *>(object_.get()), at); }

 private:
  detail::shared_object object_;
  bool (*call_)(void *self, reset_state &at) = nullptr;
};

/** A guard of the user's and what happens where it is zero. */
struct guard {
  guard_function value;       /**< whose zeros are events                         */
  std::int32_t direction = 0; /**< -1: it falls through 0, 1: it rises, 0: both   */
  reset_function reset;       /**< none: the event is only reported               */
};

/** Times known beforehand, see ::perp_schedule. */
struct schedule {
  array times;          /**< increasing; none: first + k period             */
  double first = 0;     /**< first time (s)                                 */
  double period = 0;    /**< > 0, or 0: once                                */
  reset_function reset; /**< none: only a new start of the integrator       */
};

/** Options of an event-driven simulation, with the defaults of C. */
struct event_options {
  double t0 = 0;       /**< first time (s)                                                 */
  double rtol = 1e-10; /**< relative tolerance of the smooth motion                        */
  double atol = 1e-12; /**< absolute one                                                   */
  array atols;         /**< absolute ones: all q, then all v, then all x; none: atol       */
  const perp_smooth *smooth = nullptr; /**< a function of perp::smooth; null: by the model  */
  std::int32_t order = 0;              /**< highest order of the method, 0: its own         */
  perp::linear_structure linear = perp::linear_structure::automatic; /**< of implicit methods */
  std::int32_t max_steps = 100000; /**< steps between two events                            */
  double h_first = 0;              /**< first step (s), 0: the method's own choice          */
  double h_max = 0;                /**< longest step (s), 0: none                           */
  std::int32_t samples = 4;        /**< points inside a step at which guards are looked at  */
  double contact_tol = 1e-10;      /**< |y| at which a contact counts as closed             */
  double velocity_tol = 1e-10;     /**< |ẏ| at which it counts as at rest, and sticks       */
  perp::impact_law impact = perp::impact_law::of_interaction; /**< at impacts               */
  lzb_options lzb;                    /**< for impact_law::lzb                              */
  perp::zeno zeno = perp::zeno::jump; /**< where impacts accumulate                         */
  double zeno_tol = 1e-13;            /**< largest excursion that is cut off, unit of y     */
  simulation_options stepping;        /**< for zeno::step                                   */
  std::int32_t storm_events = 1000;   /**< that many events ...                             */
  double storm_time = 1e-6;           /**< ... in less than this time (s) end the run       */
  method solver;                      /**< of the problems at events; none: automatic()     */
  std::vector<guard> guards;          /**< of the user's                                    */
  std::vector<schedule> schedules;    /**< times known beforehand                           */
};

namespace detail {

/** Options in C's form, where C calls back, and what was thrown there; stays where it is. */
class c_event_options {
 public:
  c_event_options(const event_options &from, const parts &model) : from_(from), layout_(model) {
    perp_event_options_init(&options_, sizeof options_);
    options_.t0 = from_.t0;
    options_.rtol = from_.rtol;
    options_.atol = from_.atol;
    require_size("event_options", "atols", from_.atols,
                 layout_.n_q() + layout_.n_v() + layout_.n_x());
    options_.atols = from_.atols.pointer();
    options_.smooth = from_.smooth;
    options_.order = from_.order;
    options_.linear = static_cast<std::int32_t>(from_.linear);
    options_.max_steps = from_.max_steps;
    options_.h_first = from_.h_first;
    options_.h_max = from_.h_max;
    options_.samples = from_.samples;
    options_.contact_tol = from_.contact_tol;
    options_.velocity_tol = from_.velocity_tol;
    options_.impact = static_cast<std::int32_t>(from_.impact);
    options_.zeno = static_cast<std::int32_t>(from_.zeno);
    options_.zeno_tol = from_.zeno_tol;
    options_.storm_events = from_.storm_events;
    options_.storm_time = from_.storm_time;
    options_.solver = from_.solver.solver;
    options_.solver_options = from_.solver.options.get();
    if (from_.zeno == zeno::step) {
      stepping_.reset(new c_options(from_.stepping, model, nullptr));
      options_.stepping = stepping_->get();
    }
    take_multiple_impact();
    take_guards();
  }
  c_event_options(const c_event_options &) = delete;
  c_event_options &operator=(const c_event_options &) = delete;

  /** What only the C model tells the sizes of. */
  void require_sizes(const perp_model &m) const {
    std::size_t rows = 0;
    for (std::int32_t i = 0; i < m.n_interactions; i++) {
      rows += static_cast<std::size_t>(m.interactions[i]->relation->m);
    }
    require_size("event_options", "lzb.stiffness", from_.lzb.stiffness, rows);
  }
  const perp_event_options *get() const { return &options_; }
  const state_layout &layout() const { return layout_; }
  const std::vector<guard> &guards() const { return from_.guards; }
  /** Throw what a guard or a reset threw. */
  void rethrow() {
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  }

 private:
  /** What C hands back. */
  struct hook {
    c_event_options *self;
    const guard_function *value;
    const reset_function *reset;
  };

  static std::int32_t call_guard(const perp_event_state *at, double *g, void *user) noexcept {
    const auto *const h = static_cast<const hook *>(user);
    const catching here(h->self->thrown_);
    return caught([&] {
      *g = (*h->value)(event_state(at, &h->self->layout_));
      return 0;
    });
  }
  static std::int32_t call_reset(perp_event_state *at, void *user) noexcept {
    const auto *const h = static_cast<const hook *>(user);
    const catching here(h->self->thrown_);
    return caught([&] {
      reset_state state(at, &h->self->layout_);
      return (*h->reset)(state) ? 0 : 1;
    });
  }

  void take_multiple_impact() {
    if (from_.impact != impact_law::lzb) return;
    perp_multiple_impact_options_init(&lzb_, sizeof lzb_);
    lzb_.compliance = static_cast<std::int32_t>(from_.lzb.compliance);
    lzb_.exponent = from_.lzb.exponent;
    lzb_.step = from_.lzb.step;
    lzb_.tol = from_.lzb.tol;
    lzb_.max_steps = from_.lzb.max_steps;
    lzb_.stiffness = from_.lzb.stiffness.pointer();
    options_.lzb = &lzb_;
  }

  void take_guards() {
    hooks_.reserve(from_.guards.size() + from_.schedules.size());
    for (const guard &g : from_.guards) {
      hooks_.push_back({this, &g.value, &g.reset});
      guards_.push_back({g.value ? &call_guard : nullptr, g.reset ? &call_reset : nullptr,
                         &hooks_.back(), g.direction, 0});
    }
    for (const schedule &s : from_.schedules) {
      hooks_.push_back({this, nullptr, &s.reset});
      schedules_.push_back({s.times.pointer(), static_cast<std::int32_t>(s.times.size()), 0,
                            s.first, s.period, s.reset ? &call_reset : nullptr, &hooks_.back()});
    }
    options_.guards = guards_.data();
    options_.n_guards = static_cast<std::int32_t>(guards_.size());
    options_.schedules = schedules_.data();
    options_.n_schedules = static_cast<std::int32_t>(schedules_.size());
  }

  event_options from_;
  state_layout layout_;
  perp_event_options options_;
  perp_multiple_impact_options lzb_{};
  owned<c_options> stepping_;
  std::vector<hook> hooks_;
  std::vector<perp_guard> guards_;
  std::vector<perp_schedule> schedules_;
  std::exception_ptr thrown_;
};

}  // namespace detail

}  // namespace perp

#endif
