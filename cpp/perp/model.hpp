// SPDX-License-Identifier: MIT
/** @file model.hpp
 * The builder of a model. */
#ifndef PERP_CXX_MODEL_HPP
#define PERP_CXX_MODEL_HPP

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "perp/body.hpp"
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

/** The content of a description as bytes; of what it only refers to, the address. */
class content {
 public:
  void operator()(std::int32_t i) { put(&i, sizeof i); }
  void operator()(double x) { put(&x, sizeof x); }
  void operator()(const void *p) { put(&p, sizeof p); }
  void operator()(view v) { sized(v.data(), v.size()); }
  void operator()(const std::vector<std::int32_t> &v) { sized(v.data(), v.size()); }
  void operator()(const std::vector<perp_harmonic> &v) { sized(v.data(), v.size()); }
  void operator()(const array &a) {
    (*this)(static_cast<std::int32_t>(a.is_borrowed()));
    if (!a.is_borrowed()) return sized(a.data(), a.size());
    const std::size_t size = a.size();
    put(&size, sizeof size);
    (*this)(static_cast<const void *>(a.data()));
  }
  void operator()(const matrix &a) {
    (*this)(static_cast<const array &>(a));
    (*this)(a.sparse() == nullptr ? nullptr : a.sparse()->address());
  }
  template <class... Args>
  void operator()(const callable<Args...> &f) {
    (*this)(f.address());
  }
  template <class... Args>
  void operator()(const jacobian<Args...> &f) {
    (*this)(f.function()), (*this)(f.constant());
  }
  /** A description within another. */
  template <class Part>
  auto operator()(const Part &part) -> decltype(part.each(*this)) {
    part.each(*this);
  }
  std::string bytes;

 private:
  template <class T>
  void sized(const T *data, std::size_t size) {
    put(&size, sizeof size);
    put(data, size * sizeof(T));
  }
  void put(const void *p, std::size_t size) {
    if (size > 0) bytes.append(static_cast<const char *>(p), size);
  }
};

/** What a model keeps of a kind of systems or relations: a value that never changes, from which
 * each simulation makes a C description of its own. */
template <class Form>
struct description {
  virtual ~description() = default;
  virtual std::unique_ptr<Form> make() const = 0;
};

/** The value, and what it meets in the model. */
template <class Form, class Value, class... Where>
struct held : description<Form> {
  Value value;
  std::tuple<Where...> where;
  explicit held(Value v, const Where &...w) : value(std::move(v)), where(w...) {}
  std::unique_ptr<Form> make() const override {
    return std::apply(
        [this](const Where &...w) -> std::unique_ptr<Form> {
          return std::make_unique<form<Value>>(value, w...);
        },
        where);
  }
};

/** Whether Value is a system (or relation) of an order. */
template <class Value, class Form, int order, class = void>
struct is_kind : std::false_type {};
template <class Value, class Form, int order>
struct is_kind<Value, Form, order, std::void_t<decltype(form<Value>::order)>>
    : std::bool_constant<std::is_base_of_v<Form, form<Value>> &&
                         (order == 0 || form<Value>::order == order)> {};

/** Different for each kind. */
template <class Value>
inline constexpr char kind_tag = 0;

/** What a model is made of. Descriptions are shared and never change, so a copy is cheap. */
struct parts {
  struct system_kind {
    std::shared_ptr<const description<system_form>> held;
    std::int32_t order, n, n_q;
    bool symmetric;
  };
  struct relation_kind {
    std::shared_ptr<const description<relation_form>> held;
    std::int32_t order, m;
    bool symmetric;
  };
  struct interaction {
    std::int32_t relation, law, first, count;
  };
  std::vector<system_kind> system_kinds;
  std::vector<relation_kind> relation_kinds;
  std::vector<std::shared_ptr<const law>> laws;
  std::vector<std::int32_t> systems; /**< the kind of each */
  std::vector<interaction> interactions;
  std::vector<std::int32_t> joined;
  std::vector<double> q0, v0, x0;
  std::shared_ptr<const contact_pool> pool;

  const system_kind &kind_of_system(std::size_t i) const {
    return system_kinds[static_cast<std::size_t>(systems[i])];
  }
  const relation_kind &kind_of_interaction(std::size_t i) const {
    return relation_kinds[static_cast<std::size_t>(interactions[i].relation)];
  }
  /** Whether one-step matrices are symmetric: mechanics without forces of velocity and control. */
  bool symmetric() const {
    for (const auto &r : relation_kinds)
      if (r.order != 2 || !r.symmetric) return false;
    for (const auto &s : system_kinds)
      if (s.order == 2 && !s.symmetric) return false;
    return true;
  }
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
    auto kind = look(parts_.system_kinds, s);
    const auto &[held, order, n, n_q, symmetric] = kind.of(parts_.system_kinds);
    require_initial("q0", q0, n_q);
    require_initial("v0", v0, n);
    const std::size_t begin = parts_.q0.size();
    append(parts_.q0, q0, n_q);
    if (q0.empty() && n_q != n) parts_.q0[begin + 3] = 1; /* the quaternion of no rotation */
    append(parts_.v0, v0, n);
    return add_system(kind);
  }

  /** Add a first-order system in state x0 (n entries; none: zeros). */
  template <class System,
            std::enable_if_t<detail::is_kind<System, detail::system_form, 1>::value, int> = 0>
  system_id add(const System &s, view x0 = {}) {
    auto kind = look(parts_.system_kinds, s);
    const std::int32_t n = kind.of(parts_.system_kinds).n;
    require_initial("x0", x0, n);
    append(parts_.x0, x0, n);
    return add_system(kind);
  }

  /** Join systems by a relation and copies of a law, as many as fill its rows. */
  template <class Relation,
            std::enable_if_t<detail::is_kind<Relation, detail::relation_form, 0>::value, int> = 0>
  interaction_id connect(const Relation &r, const law &l, const joined &systems) {
    detail::joined_shape at = shape(systems, detail::form<Relation>::order);
    auto to = look_law(l);
    at.law_size = l.size();
    auto kind = look(parts_.relation_kinds, r, at);
    const std::int32_t m = kind.of(parts_.relation_kinds).m;
    if (m % at.law_size != 0) {
      throw error(PERP_EINVAL, "connect: the size of the law does not divide the rows", "m", -1, m);
    }
    const std::int32_t relation = accept(parts_.relation_kinds, kind);
    const std::int32_t law_index = accept(parts_.laws, to);
    const auto first = static_cast<std::int32_t>(parts_.joined.size());
    for (std::size_t i = 0; i < systems.size(); i++) {
      parts_.joined.push_back(static_cast<std::int32_t>(systems[i]));
    }
    parts_.interactions.push_back(
        {relation, law_index, first, static_cast<std::int32_t>(systems.size())});
    return static_cast<interaction_id>(parts_.interactions.size() - 1);
  }

  /** Room for contacts that come and go; one pool in a model, in place of the one before. */
  void pool(contact_pool p) {
    const auto held = std::make_shared<const contact_pool>(std::move(p));
    if (!held->find) throw error(PERP_EINVAL, "contact_pool: find is needed", "find");
    const detail::c_pool checked(held, {}, {});
    parts_.pool = held;
  }

  /** How many were added. */
  std::size_t systems() const { return parts_.systems.size(); }
  /** How many were connected. */
  std::size_t interactions() const { return parts_.interactions.size(); }
  /** Different descriptions of systems, relations and laws. */
  std::size_t descriptions() const { return index_.size(); }
  /** What the C description is made from. */
  const detail::parts &parts() const { return parts_; }

 private:
  static void require_initial(const char *field, view v, std::int32_t n) {
    if (!v.empty() && v.size() != static_cast<std::size_t>(n)) {
      detail::wrong_size("model", field, v.size(), static_cast<std::size_t>(n));
    }
  }

  static void append(std::vector<double> &to, view v, std::int32_t n) {
    if (v.empty()) to.resize(to.size() + static_cast<std::size_t>(n), 0.0);
    to.insert(to.end(), v.begin(), v.end());
  }

  /** Where a description is in its list, or what will be there. */
  template <class Item>
  struct place {
    std::string key;
    std::int32_t index = -1;
    Item fresh{};
    const Item &of(const std::vector<Item> &items) const {
      return index < 0 ? fresh : items[static_cast<std::size_t>(index)];
    }
  };
  template <class Item>
  bool known(place<Item> &p) const {
    const auto found = index_.find(p.key);
    if (found != index_.end()) p.index = found->second;
    return found != index_.end();
  }

  /** Look an equal description up. A new one is made once, to find what is wrong with it. */
  template <class Item, class Value, class... Where>
  place<Item> look(const std::vector<Item> &, const Value &value, const Where &...where) const {
    detail::content key;
    key(static_cast<const void *>(&detail::kind_tag<Value>));
    value.each(key), (where.each(key), ...);
    place<Item> p{std::move(key.bytes)};
    if (!known(p)) p.fresh = made(Item{}, value, where...);
    return p;
  }
  template <class System>
  static detail::parts::system_kind made(const detail::parts::system_kind &, const System &s) {
    auto held = std::make_shared<const detail::held<detail::system_form, System>>(s);
    const auto c = held->make();
    return {std::move(held), detail::form<System>::order, c->head->n, c->n_q, c->symmetric};
  }
  template <class Relation>
  static detail::parts::relation_kind made(const detail::parts::relation_kind &, const Relation &r,
                                           const detail::joined_shape &at) {
    using held_type = detail::held<detail::relation_form, Relation, detail::joined_shape>;
    auto held = std::make_shared<const held_type>(r, at);
    const auto c = held->make();
    return {std::move(held), detail::form<Relation>::order, c->head->m, c->symmetric};
  }
  place<std::shared_ptr<const law>> look_law(const law &l) const {
    detail::content key;
    key(static_cast<const void *>(&detail::kind_tag<law>));
    l.each(key);
    place<std::shared_ptr<const law>> p{std::move(key.bytes)};
    if (!known(p)) {
      p.fresh = std::make_shared<const law>(l);
      const detail::c_law checked(*p.fresh, true);
    }
    return p;
  }
  /** Put it into its list if it is new. */
  template <class Item>
  std::int32_t accept(std::vector<Item> &items, place<Item> &p) {
    if (p.index >= 0) return p.index;
    p.index = static_cast<std::int32_t>(items.size());
    items.push_back(std::move(p.fresh));
    index_.emplace(std::move(p.key), p.index);
    return p.index;
  }

  system_id add_system(place<detail::parts::system_kind> &kind) {
    if (parts_.systems.size() >= std::numeric_limits<std::int32_t>::max()) {
      throw error(PERP_EINVAL, "model: too many systems");
    }
    parts_.systems.push_back(accept(parts_.system_kinds, kind));
    return static_cast<system_id>(parts_.systems.size() - 1);
  }

  detail::joined_shape shape(const joined &systems, std::int32_t order) const {
    std::int64_t n = 0, n_q = 0;
    for (std::size_t i = 0; i < systems.size(); i++) {
      const auto s = static_cast<std::int32_t>(systems[i]);
      if (s < 0 || static_cast<std::size_t>(s) >= parts_.systems.size()) {
        throw error(PERP_EINVAL, "connect: no such system", "systems", static_cast<std::int32_t>(i),
                    s);
      }
      const auto &kind = parts_.kind_of_system(static_cast<std::size_t>(s));
      if (kind.order != order) {
        throw error(PERP_EINVAL, "connect: the relation is for systems of the other order",
                    "systems", static_cast<std::int32_t>(i), s);
      }
      n += kind.n;
      n_q += kind.n_q;
    }
    if (n < 1 || n_q > std::numeric_limits<std::int32_t>::max()) {
      throw error(PERP_EINVAL, "connect: degrees of freedom joined", "systems", -1,
                  static_cast<double>(n));
    }
    return {static_cast<std::int32_t>(n), static_cast<std::int32_t>(n_q),
            static_cast<std::int32_t>(systems.size()), 1};
  }

  detail::parts parts_;
  std::unordered_map<std::string, std::int32_t> index_;
};

}  // namespace perp

#endif
