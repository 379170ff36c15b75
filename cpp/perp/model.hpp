// SPDX-License-Identifier: MIT
/** @file model.hpp
 * The builder of a model. */
#ifndef PERP_CXX_MODEL_HPP
#define PERP_CXX_MODEL_HPP

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "perp/body.hpp"
#include "perp/builder.h"
#include "perp/c_law.hpp"
#include "perp/first_order_relation.hpp"
#include "perp/lagrangian_relation.hpp"
#include "perp/pool.hpp"
#include "perp/relation.hpp"
#include "perp/system.hpp"

namespace perp {

/** An interaction of a model, by its place. */
enum class interaction_id : std::int32_t {};

namespace detail {

/** Whether Value is a system (or relation) of an order. */
template <class Value, class Form, int order, class = void>
struct is_kind : std::false_type {};
template <class Value, class Form, int order>
struct is_kind<Value, Form, order, std::void_t<decltype(form<Value>::order)>>
    : std::bool_constant<std::is_base_of_v<Form, form<Value>> &&
                         (order == 0 || form<Value>::order == order)> {};

/** What there is to know of a model beside what C has of it. */
struct parts {
  struct system_kind {
    std::int32_t order, n, n_q;
  };
  struct relation_kind {
    std::int32_t m;
    std::size_t row; /**< its first one within all */
  };
  /** A pool, whose code only those compile who have one. */
  struct pool_kind {
    shared<const contact_pool> held;
    std::int32_t capacity = 0;
    bool by_component = true;
    /** Gives it to a builder, for as long as what this returns is there. */
    shared_object (*attach)(const parts &of, perp_builder *to) = nullptr;
    void (*rethrow)(const void *attached) = nullptr;
    explicit operator bool() const noexcept { return attach != nullptr; }
  };
  list<system_kind> systems;
  list<relation_kind> interactions;
  std::size_t rows = 0;                  /**< of all interactions                          */
  std::size_t n_q = 0, n_v = 0, n_x = 0; /**< entries of all systems                       */
  bool symmetric = true; /**< one-step matrices: mechanics without forces of velocity and control */
  bool by_component = true; /**< all laws but those of the pool                              */
  pool_kind pool;
  list<shared<law_callbacks>> functions; /**< of laws by callables          */

  const system_kind &kind_of_system(std::size_t i) const { return systems[i]; }
  const relation_kind &kind_of_interaction(std::size_t i) const { return interactions[i]; }
};

inline shared_object attach_pool(const parts &of, perp_builder *to) {
  list<std::int32_t> n_q, n;
  for (const parts::system_kind &s : of.systems) n_q.push_back(s.n_q), n.push_back(s.n);
  const shared<const c_pool> made(new c_pool(of.pool.held, static_cast<list<std::int32_t> &&>(n_q),
                                             static_cast<list<std::int32_t> &&>(n)));
  perp_info info = PERP_INFO_INIT;
  check(perp_builder_pool(to, made->get(), nullptr, nullptr, &info), "pool", info);
  return made.object();
}
inline void rethrow_of_pool(const void *attached) {
  static_cast<const c_pool *>(attached)->rethrow();
}

/** A builder of C. */
struct builder {
  struct by_c {
    static void end(perp_builder *b) noexcept { perp_builder_destroy(b); }
  };
  owned<perp_builder, by_c> c;

  builder() {
    perp_builder *made = nullptr;
    perp_info info = PERP_INFO_INIT;
    check(perp_builder_create(&made, &info), "model", info);
    c.reset(made);
  }
  builder(const builder &other) {
    perp_builder *made = nullptr;
    perp_info info = PERP_INFO_INIT;
    check(perp_builder_copy(&made, other.c.get(), &info), "model", info);
    c.reset(made);
  }
  // What was moved from stays an empty builder, which takes memory: it may throw.
  // NOLINTNEXTLINE(performance-noexcept-*,bugprone-exception-escape)
  builder(builder &&other) : builder() { swap(other); }
  builder &operator=(builder other) noexcept {
    swap(other);
    return *this;
  }
  void swap(builder &other) noexcept {
    perp_builder *const mine = c.release();
    c.reset(other.c.release());
    other.c.reset(mine);
  }
  perp_builder *get() const noexcept { return c.get(); }
};

}  // namespace detail

/** The systems an interaction joins: one, braces, or a vector of them. A view for the length of a
 * call: do not keep one that was made from braces. */
class joined {
 public:
  /** Of one system, braces, a vector, or an address and a size. */
  /**@{*/
  joined(system_id one) : own_(one), data_(nullptr), size_(1) {}
  joined(std::initializer_list<system_id> list) : joined(list.begin(), list.size()) {}
  joined(const std::vector<system_id> &list) : joined(list.data(), list.size()) {}
  joined(const system_id *data, std::size_t size) : data_(data), size_(size) {}
  /**@}*/
  /** How many. */
  std::size_t size() const { return size_; }
  /** Which. */
  system_id operator[](std::size_t i) const { return data_ == nullptr ? own_ : data_[i]; }

 private:
  system_id own_{};
  const system_id *data_;
  std::size_t size_;
};

/**
 * A model, built piece by piece:
 *
 *     auto ball = m.add(perp::lagrangian_linear(1, 1.0, -9.81), {1.0}, {0.0});
 *     m.connect(perp::lagrangian_linear_relation(1.0), perp::newton_impact(0.9), ball);
 *
 * Equal descriptions are stored once, however often they are added: a thousand beads are one.
 * A copy shares the descriptions; simulations keep what they need and outlive the model.
 */
class model {
 public:
  /** Add a system of order 2 at position q0 and velocity v0; none: zeros, of a body without
   * rotation. A body has seven positions and six velocities, others n of each. */
  template <class System,
            std::enable_if_t<detail::is_kind<System, detail::system_form, 2>::value, int> = 0>
  system_id add(const System &s, view q0 = {}, view v0 = {}) {
    detail::form<System> f;
    f.fill(s);
    const std::int32_t n = f.head->n, n_q = f.n_q;
    require_initial("q0", q0, n_q);
    require_initial("v0", v0, n);
    const system_id id = add_form(f, n_q);
    set(perp_builder_set_q, id, q0, "q0");
    set(perp_builder_set_v, id, v0, "v0");
    return id;
  }

  /** Add a first-order system in state x0 (n entries; none: zeros). */
  template <class System,
            std::enable_if_t<detail::is_kind<System, detail::system_form, 1>::value, int> = 0>
  system_id add(const System &s, view x0 = {}) {
    detail::form<System> f;
    f.fill(s);
    require_initial("x0", x0, f.head->n);
    const system_id id = add_form(f, 0);
    set(perp_builder_set_x, id, x0, "x0");
    return id;
  }

  /** Join systems by a relation and copies of a law, as many as fill its rows. */
  template <class Relation,
            std::enable_if_t<detail::is_kind<Relation, detail::relation_form, 0>::value, int> = 0>
  interaction_id connect(const Relation &r, const law &l, const joined &systems) {
    constexpr std::int32_t order = detail::form<Relation>::order;
    detail::joined_shape at = shape(systems, order);
    at.law_size = l.size();
    detail::c_law to(l, true);
    detail::form<Relation> f;
    f.fill(r, at);
    const std::int32_t m = f.head->m;
    if (m % at.law_size != 0) {
      detail::refuse(PERP_EINVAL, "connect: the size of the law does not divide the rows", "m", -1,
                     m);
    }
    parts_.interactions.make_room();
    parts_.functions.make_room();
    connect_form(f.head, f.owner(), f.what, to, l, systems);
    (void)f.back.release();
    to.give_up();
    parts_.interactions.push_back({m, parts_.rows});
    parts_.rows += static_cast<std::size_t>(m);
    parts_.symmetric = parts_.symmetric && order == 2 && f.symmetric;
    parts_.by_component = parts_.by_component && l.by_component();
    note_functions(l);
    return static_cast<interaction_id>(parts_.interactions.size() - 1);
  }

  /** Room for contacts that come and go; one pool in a model, in place of the one before. */
  void pool(contact_pool p) {
    const detail::shared<const contact_pool> held(new contact_pool(std::move(p)));
    if (!held->find) detail::refuse(PERP_EINVAL, "contact_pool: find is needed", "find");
    const detail::c_pool checked(held, {}, {});
    bool by_component = true;
    for (const law &l : held->laws) by_component = by_component && l.by_component();
    parts_.pool = {held, held->capacity, by_component, detail::attach_pool,
                   detail::rethrow_of_pool};
  }

  /** How many were added. */
  std::size_t systems() const { return parts_.systems.size(); }
  /** How many were connected. */
  std::size_t interactions() const { return parts_.interactions.size(); }
  /** Different descriptions of systems, relations and laws. */
  std::size_t descriptions() const { return perp_builder_descriptions(builder_.get()); }
  /** What there is to know of it beside what C has. */
  const detail::parts &parts() const { return parts_; }
  /** What C has of it, to be copied. */
  const detail::builder &built() const { return builder_; }

 private:
  static void require_initial(const char *field, view v, std::int32_t n) {
    if (!v.empty() && v.size() != static_cast<std::size_t>(n)) {
      detail::wrong_size("model", field, v.size(), static_cast<std::size_t>(n));
    }
    for (std::size_t i = 0; i < v.size(); i++) {
      if (!(v[i] - v[i] == 0))
        detail::refuse(PERP_ENOTFINITE, "model", field, static_cast<std::int32_t>(i), v[i]);
    }
  }

  template <class Form>
  system_id add_form(Form &f, std::int32_t n_q) {
    parts_.systems.make_room();
    const perp_owner owner = f.owner();
    std::int32_t id = -1;
    perp_info info = PERP_INFO_INIT;
    check(perp_builder_add(builder_.get(), f.head, &owner, &id, &info), f.what, info);
    (void)f.back.release();
    constexpr std::int32_t order = Form::order;
    const auto n = static_cast<std::size_t>(f.head->n);
    parts_.systems.push_back({order, f.head->n, order == 2 ? n_q : f.head->n});
    parts_.n_q += static_cast<std::size_t>(n_q);
    (order == 2 ? parts_.n_v : parts_.n_x) += n;
    parts_.symmetric = parts_.symmetric && (order != 2 || f.symmetric);
    return static_cast<system_id>(id);
  }
  template <class Set>
  void set(Set &&set_values, system_id id, view v, const char *field) {
    if (v.empty()) return;
    perp_info info = PERP_INFO_INIT;
    check(set_values(builder_.get(), static_cast<std::int32_t>(id),
                     static_cast<std::int32_t>(v.size()), v.data(), &info),
          field, info);
  }
  void connect_form(const perp_relation *relation, const perp_owner &of_relation, const char *what,
                    detail::c_law &to, const law &l, const joined &systems) {
    detail::list<std::int32_t> on(systems.size());
    for (std::size_t i = 0; i < on.size(); i++) on[i] = static_cast<std::int32_t>(systems[i]);
    const perp_interaction c = {relation, to.head, on.data(), static_cast<std::int32_t>(on.size()),
                                0};
    perp_info info = PERP_INFO_INIT;
    if (to.head == nullptr) {
      const perp_piecewise_linear graph = detail::graph_of(l);
      check(perp_builder_connect_graph(builder_.get(), &c, &graph, &of_relation, nullptr, &info),
            what, info);
    } else {
      const perp_owner of_law = to.owner(l);
      check(perp_builder_connect(builder_.get(), &c, &of_relation, &of_law, nullptr, &info), what,
            info);
    }
  }
  void note_functions(const law &l) {
    if (!l.functions) return;
    for (const auto &f : parts_.functions) {
      if (f.get() == l.functions.get()) return;
    }
    parts_.functions.push_back(l.functions);
  }

  detail::joined_shape shape(const joined &systems, std::int32_t order) const {
    std::int64_t n = 0, n_q = 0;
    for (std::size_t i = 0; i < systems.size(); i++) {
      const auto s = static_cast<std::int32_t>(systems[i]);
      if (s < 0 || static_cast<std::size_t>(s) >= parts_.systems.size()) {
        detail::refuse(PERP_EINVAL, "connect: no such system", "systems",
                       static_cast<std::int32_t>(i), s);
      }
      const auto &kind = parts_.kind_of_system(static_cast<std::size_t>(s));
      if (kind.order != order) {
        detail::refuse(PERP_EINVAL, "connect: the relation is for systems of the other order",
                       "systems", static_cast<std::int32_t>(i), s);
      }
      n += kind.n;
      n_q += kind.n_q;
    }
    if (n < 1 || n_q > std::numeric_limits<std::int32_t>::max()) {
      detail::refuse(PERP_EINVAL, "connect: systems with degrees of freedom are needed", "systems",
                     -1, static_cast<double>(n));
    }
    return {static_cast<std::int32_t>(n), static_cast<std::int32_t>(n_q),
            static_cast<std::int32_t>(systems.size()), 1};
  }

  detail::parts parts_;
  detail::builder builder_;
};

}  // namespace perp

#endif
