// SPDX-License-Identifier: MIT
/** @file section.hpp
 * Sections of trajectories, and how runs by time-stepping and by events are cut at them. */
#ifndef PERP_CXX_SECTION_HPP
#define PERP_CXX_SECTION_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "perp/event_driven.hpp"
#include "perp/simulation.hpp"

namespace perp {

/** Where trajectories are cut. */
class section {
 public:
  /** Impacts of a copy of the law of an interaction; copy < 0: of any. By time-stepping: steps at
   * whose end λ of a unilateral contact is positive for the first time. */
  static section impacts(interaction_id i, std::int32_t copy = -1) {
    section s(kind::impacts);
    s.interaction_ = i;
    s.copy_ = copy;
    return s;
  }
  /** Zeros of a guard, in its direction. An event-driven simulation must have it among its
   * options; time-stepping looks for a change of sign over a step, and knows no reset. */
  static section crossings(guard g) {
    section s(kind::crossings);
    s.guard_ = std::move(g);
    return s;
  }
  /** Times first + k period, k = 0, 1, ..., after the present one. */
  static section stroboscopic(double period, double first = 0) {
    if (!(period > 0))
      detail::refuse(PERP_EINVAL, "section: period must be > 0", "period", -1, period);
    section s(kind::stroboscopic);
    s.period_ = period;
    s.first_ = first;
    return s;
  }

  /** @cond */
  enum class kind { impacts, crossings, stroboscopic };
  kind what() const { return kind_; }
  interaction_id interaction() const { return interaction_; }
  std::int32_t copy() const { return copy_; }
  const guard &zero_of() const { return guard_; }
  double period() const { return period_; }
  double first() const { return first_; }
  /** @endcond */

 private:
  explicit section(kind k) : kind_(k) {}

  kind kind_;
  interaction_id interaction_{};
  std::int32_t copy_ = -1;
  guard guard_;
  double period_ = 0, first_ = 0;
};

namespace detail {

/** State of all systems at a time, kept. */
struct state_copy {
  double t = 0;
  std::vector<double> q, v, x;

  template <class Simulation>
  void take(const Simulation &sim, const parts &model) {
    t = sim.time();
    q.clear(), v.clear(), x.clear();
    for (std::size_t i = 0; i < model.systems.size(); i++) {
      const auto s = static_cast<system_id>(i);
      if (model.kind_of_system(i).order == 2) {
        append(q, sim.q(s)), append(v, sim.v(s));
      } else {
        append(x, sim.x(s));
      }
    }
  }
  /** The point between a and b, 0 <= s <= 1. */
  void between(const state_copy &a, const state_copy &b, double s) {
    t = a.t + s * (b.t - a.t);
    mix(q, a.q, b.q, s), mix(v, a.v, b.v, s), mix(x, a.x, b.x, s);
  }
  double value_of(const guard_function &g, const state_layout &layout) {
    const perp_event_state at = {t,
                                 q.data(),
                                 v.data(),
                                 x.data(),
                                 static_cast<std::int32_t>(q.size()),
                                 static_cast<std::int32_t>(v.size()),
                                 static_cast<std::int32_t>(x.size()),
                                 0};
    return g(event_state(&at, &layout));
  }

 private:
  static void append(std::vector<double> &to, view from) {
    to.insert(to.end(), from.begin(), from.end());
  }
  static void mix(std::vector<double> &to, const std::vector<double> &a,
                  const std::vector<double> &b, double s) {
    to.resize(a.size());
    for (std::size_t i = 0; i < a.size(); i++) to[i] = s < 1 ? a[i] + s * (b[i] - a[i]) : b[i];
  }
};

}  // namespace detail

/** A point of a section. Views end with the call that hands it over. */
class section_point {
 public:
  /** Time (s). */
  double time() const { return now_->t; }
  /** Points of this call before it. */
  std::size_t number() const { return number_; }
  /** State of a system, after what happens there. */
  /**@{*/
  view q(system_id s) const { return layout_->q(s, now_->q.data()); }
  view v(system_id s) const { return layout_->v(s, now_->v.data()); }
  view x(system_id s) const { return layout_->x(s, now_->x.data()); }
  /**@}*/
  /** State of a system before it, by time-stepping that of the step before; without a jump the
   * same. */
  /**@{*/
  view q_before(system_id s) const { return layout_->q(s, before_->q.data()); }
  view v_before(system_id s) const { return layout_->v(s, before_->v.data()); }
  view x_before(system_id s) const { return layout_->x(s, before_->x.data()); }
  /**@}*/
  /** All positions, velocities and states of first order, one system after another. */
  /**@{*/
  view q() const { return now_->q; }
  view v() const { return now_->v; }
  view x() const { return now_->x; }
  /**@}*/
  /** Of impacts: which copy, -1 otherwise, and the impulse (N s), a row for each of its law. */
  /**@{*/
  std::int32_t copy() const { return copy_; }
  view impulse() const { return impulse_; }
  /**@}*/

  /** @cond */
  section_point(const detail::state_copy *now, const detail::state_copy *before,
                const detail::state_layout *layout, std::size_t number, std::int32_t copy = -1,
                view impulse = {})
      : now_(now),
        before_(before),
        layout_(layout),
        number_(number),
        copy_(copy),
        impulse_(impulse) {}
  /** @endcond */

 private:
  const detail::state_copy *now_, *before_;
  const detail::state_layout *layout_;
  std::size_t number_;
  std::int32_t copy_;
  view impulse_;
};

namespace detail {

/** Copies of the law of an interaction, and which of their rows are unilateral. */
struct copies {
  std::int32_t count, size, normal;
  std::size_t row0 = 0; /**< of the interaction within all */
  copies(const perp_model &m, interaction_id i) {
    const auto k = static_cast<std::int32_t>(i);
    if (k < 0 || k >= m.n_interactions) {
      detail::no_such("section", "interaction", k);
    }
    const perp_interaction &at = *m.interactions[k];
    size = at.law->size;
    count = at.relation->m / size;
    normal = at.law->ops->set == PERP_SET_CONE ? 1 : size;
    for (std::int32_t j = 0; j < k; j++) {
      row0 += static_cast<std::size_t>(m.interactions[j]->relation->m);
    }
  }
};

/** Cuts a run by time-stepping. take(point) answers whether to go on. */
template <class Take>
class stepping_cut {
 public:
  stepping_cut(simulation &sim, const section &where, Take &take)
      : sim_(sim), where_(where), take_(take), layout_(sim.parts()) {
    if (where.what() == section::kind::crossings && where.zero_of().reset) {
      detail::refuse(PERP_EUNSUPPORTED, "section: time-stepping knows no reset", "guard");
    }
    if (where.what() == section::kind::crossings && !where.zero_of().value) {
      detail::refuse(PERP_EINVAL, "section: a guard without value", "guard");
    }
  }

  perp_status run(double until) {
    after_.take(sim_, sim_.parts());
    start();
    bool more = true;
    while (more && sim_.time() < until) {
      std::swap(before_, after_);
      if (sim_.step() != PERP_OK) break;
      after_.take(sim_, sim_.parts());
      more = where_.what() == section::kind::impacts     ? impacts()
             : where_.what() == section::kind::crossings ? crossing()
                                                         : times();
    }
    return sim_.status();
  }

 private:
  void start() {
    switch (where_.what()) {
      case section::kind::impacts:
        remember();
        break;
      case section::kind::crossings:
        g_ = after_.value_of(where_.zero_of().value, layout_);
        break;
      case section::kind::stroboscopic:
        k_ = static_cast<std::int64_t>(
            std::fmax(0, std::floor((after_.t - where_.first()) / where_.period() - 1)));
        while (next() <= after_.t) k_++;
        break;
    }
  }

  const double *lambda() const {
    return perp_simulation_lambda(sim_.get(), static_cast<std::int32_t>(where_.interaction()));
  }
  void remember() {
    const copies c(*sim_.c_model_view(), where_.interaction());
    const double *l = lambda();
    lambda_.assign(l, l + c.count * c.size);
  }
  bool impacts() {
    const copies c(*sim_.c_model_view(), where_.interaction());
    const double *l = lambda();
    bool more = true;
    for (std::int32_t k = 0; more && k < c.count; k++) {
      if (where_.copy() >= 0 && where_.copy() != k) continue;
      const std::int32_t row = k * c.size;
      bool began = false;
      for (std::int32_t r = row; r < row + c.normal; r++) {
        began = began || (l[r] > 0 && !(lambda_[static_cast<std::size_t>(r)] > 0));
      }
      if (!began) continue;
      more = take_(section_point(&after_, &before_, &layout_, number_++, k,
                                 {l + row, static_cast<std::size_t>(c.size)}));
    }
    std::copy(l, l + lambda_.size(), lambda_.begin());
    return more;
  }

  bool crossing() {
    const double begin = g_, end = after_.value_of(where_.zero_of().value, layout_);
    const std::int32_t direction = where_.zero_of().direction;
    g_ = end;
    const bool rises = begin < 0 && end >= 0, falls = begin > 0 && end <= 0;
    if (!(rises && direction >= 0) && !(falls && direction <= 0)) return true;
    point_.between(before_, after_, begin / (begin - end));
    return take_(section_point(&point_, &point_, &layout_, number_++));
  }

  double next() const { return where_.first() + static_cast<double>(k_) * where_.period(); }
  bool times() {
    const double h = after_.t - before_.t;
    bool more = true;
    while (more && next() <= after_.t + 1e-9 * h) {
      const double t = next();
      const double s = (t - before_.t) / h;
      k_++;
      point_.between(before_, after_, s < 1 - 1e-9 ? s : 1);
      point_.t = t;
      more = take_(section_point(&point_, &point_, &layout_, number_++));
    }
    return more;
  }

  simulation &sim_;
  const section &where_;
  Take &take_;
  state_layout layout_;
  state_copy before_, after_, point_;
  std::vector<double> lambda_;
  double g_ = 0;
  std::int64_t k_ = 0; /**< of the next time */
  std::size_t number_ = 0;
};

/** Cuts a run by events. */
template <class Take>
class event_cut {
 public:
  event_cut(event_driven &sim, const section &where, Take &take)
      : sim_(sim), where_(where), take_(take), layout_(sim.parts()) {
    if (where.what() == section::kind::crossings) find_guard();
  }

  perp_status run(double until) {
    const double begin = sim_.time();
    if (where_.what() == section::kind::stroboscopic) {
      return sim_.run(until, {where_.period(), where_.first()}, [&](const event_driven &s) {
        if (s.time() <= begin) return true;
        now_.take(s, s.parts());
        return take_(section_point(&now_, &now_, &layout_, number_++));
      });
    }
    if (where_.what() == section::kind::impacts) {
      (void)copies(*sim_.c_model_view(), where_.interaction());
    }
    return sim_.run(
        until, {}, [](const event_driven &) {},
        [&](const event &e) {
          return where_.what() == section::kind::impacts ? impacts(e) : crossing(e);
        });
  }

 private:
  void find_guard() {
    const auto &all = sim_.guards();
    const void *mine = where_.zero_of().value.address();
    for (std::size_t k = 0; k < all.size(); k++) {
      if (mine != nullptr && all[k].value.address() == mine) guard_ = static_cast<std::int32_t>(k);
    }
    if (guard_ < 0) {
      detail::refuse(PERP_EINVAL, "section: the guard is not among event_options::guards", "guard");
    }
  }

  void take_states(const event &e) {
    now_.take(sim_, sim_.parts());
    const perp_event &c = *e.get();
    before_.t = c.t;
    before_.q.assign(c.q, c.q + layout_.n_q());
    before_.v.assign(c.v, c.v + layout_.n_v());
    before_.x.assign(c.x, c.x + layout_.n_x());
  }

  bool impacts(const event &e) {
    if (!e.is_impact()) return true;
    const copies c(*sim_.c_model_view(), where_.interaction());
    const perp_event &raw = *e.get();
    std::int32_t last = -1;
    bool more = true, taken = false;
    for (std::int32_t k = 0; more && k < raw.n_changes; k++) {
      const perp_event_change &change = raw.changes[k];
      if (change.kind != PERP_EVENT_IMPACT || change.copy == last ||
          change.index != static_cast<std::int32_t>(where_.interaction()) ||
          (where_.copy() >= 0 && change.copy != where_.copy()))
        continue;
      last = change.copy;
      if (!taken) take_states(e);
      taken = true;
      const double *impulse = raw.impulse + c.row0 + static_cast<std::size_t>(change.copy * c.size);
      more = take_(section_point(&now_, &before_, &layout_, number_++, change.copy,
                                 {impulse, static_cast<std::size_t>(c.size)}));
    }
    return more;
  }

  bool crossing(const event &e) {
    if (!e.is_guard()) return true;
    const perp_event &raw = *e.get();
    for (std::int32_t k = 0; k < raw.n_changes; k++) {
      if (raw.changes[k].kind != PERP_EVENT_GUARD || raw.changes[k].index != guard_) continue;
      take_states(e);
      return take_(section_point(&now_, &before_, &layout_, number_++));
    }
    return true;
  }

  event_driven &sim_;
  const section &where_;
  Take &take_;
  state_layout layout_;
  state_copy before_, now_;
  std::int32_t guard_ = -1;
  std::size_t number_ = 0;
};

template <class Take>
perp_status cut(simulation &sim, const section &where, double until, Take &take) {
  return stepping_cut<Take>(sim, where, take).run(until);
}
template <class Take>
perp_status cut(event_driven &sim, const section &where, double until, Take &take) {
  return event_cut<Take>(sim, where, take).run(until);
}

}  // namespace detail

}  // namespace perp

#endif
