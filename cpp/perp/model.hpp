// SPDX-License-Identifier: MIT
/** @file model.hpp
 * The builder of a model, and the C description it becomes. */
#ifndef PERP_CXX_MODEL_HPP
#define PERP_CXX_MODEL_HPP

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "perp/c_law.hpp"
#include "perp/system.hpp"

namespace perp {

/** A system of a model, by its place: `system_id{3}` is the fourth. */
enum class system_id : std::int32_t {};
/** An interaction of a model, by its place. */
enum class interaction_id : std::int32_t {};

namespace detail {

/** A relation over n degrees of freedom. */
template <class R>
struct placed {
  R relation;
  std::int32_t n;
  template <class Visit>
  void each(Visit &&visit) const {
    visit(n), relation.each(visit);
  }
};

/** The content of a description as bytes; of what it only refers to, the address. */
class content {
 public:
  void operator()(std::int32_t i) { put(&i, sizeof i); }
  void operator()(double x) { put(&x, sizeof x); }
  void operator()(const void *p) { put(&p, sizeof p); }
  void operator()(const time_function &f) { (*this)(f.address()); }
  void operator()(const array &a) {
    const std::size_t size = a.size();
    put(&size, sizeof size);
    (*this)(static_cast<std::int32_t>(a.is_borrowed()));
    if (a.is_borrowed()) return (*this)(static_cast<const void *>(a.data()));
    put(a.data(), size * sizeof(double));
  }
  void operator()(const matrix &a) {
    (*this)(static_cast<const array &>(a));
    (*this)(a.sparse() == nullptr ? nullptr : a.sparse()->address());
  }
  std::string bytes;

 private:
  void put(const void *p, std::size_t size) {
    if (size > 0) bytes.append(static_cast<const char *>(p), size);
  }
};

template <class T>
using shared = std::vector<std::shared_ptr<const T>>;

/** What a model is made of. Descriptions are shared and never change, so a copy is cheap. */
struct parts {
  struct system {
    std::int32_t order, description, n;
  };
  struct interaction {
    std::int32_t order, relation, law, first, count, m;
  };
  shared<lagrangian_linear> lagrangian;
  shared<first_order_linear> first_order;
  shared<placed<lagrangian_linear_relation>> lagrangian_relations;
  shared<placed<linear_relation>> first_order_relations;
  shared<law> laws;
  std::vector<system> systems;
  std::vector<interaction> interactions;
  std::vector<std::int32_t> joined;
  std::vector<double> q0, v0, x0;
};

}  // namespace detail

/** The systems an interaction joins: one, braces, or a vector of them. */
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
  /** Add a Lagrangian system at position q0 and velocity v0 (n entries each; none: zeros). */
  system_id add(const lagrangian_linear &s, view q0 = {}, view v0 = {}) {
    detail::describe(s, nullptr);
    require_initial("q0", q0, s.n);
    require_initial("v0", v0, s.n);
    const std::int32_t d = intern(parts_.lagrangian, s, 'L');
    append(parts_.q0, q0, s.n);
    append(parts_.v0, v0, s.n);
    return add_system({2, d, s.n});
  }

  /** Add a first-order system in state x0 (n entries; none: zeros). */
  system_id add(const first_order_linear &s, view x0 = {}) {
    detail::describe(s, nullptr);
    require_initial("x0", x0, s.n);
    const std::int32_t d = intern(parts_.first_order, s, 'F');
    append(parts_.x0, x0, s.n);
    return add_system({1, d, s.n});
  }

  /** Join systems by a relation and copies of a law, as many as fill its rows. */
  interaction_id connect(lagrangian_linear_relation r, const law &l, const joined &systems) {
    const std::int32_t n = degrees(systems, 2);
    r.m = detail::rows_of("lagrangian_linear_relation", "H", r.H, r.m, n);
    detail::describe(r, n);
    return add_interaction(parts_.lagrangian_relations, std::move(r), n, 2, l, systems);
  }

  /** @copydoc connect */
  interaction_id connect(linear_relation r, const law &l, const joined &systems) {
    const std::int32_t n = degrees(systems, 1);
    r.m = detail::rows_of("linear_relation", "C", r.C, r.m, n);
    detail::describe(r, n);
    return add_interaction(parts_.first_order_relations, std::move(r), n, 1, l, systems);
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

  template <class T>
  std::int32_t intern(detail::shared<T> &items, const T &item, char kind) {
    detail::content key;
    key.bytes.push_back(kind);
    item.each(key);
    const auto next = static_cast<std::int32_t>(items.size());
    const auto found = index_.emplace(std::move(key.bytes), next);
    if (found.second) items.push_back(std::make_shared<const T>(item));
    return found.first->second;
  }

  system_id add_system(detail::parts::system s) {
    if (parts_.systems.size() >= std::numeric_limits<std::int32_t>::max()) {
      throw error(PERP_EINVAL, "model: too many systems");
    }
    parts_.systems.push_back(s);
    return static_cast<system_id>(parts_.systems.size() - 1);
  }

  std::int32_t degrees(const joined &systems, std::int32_t order) const {
    std::int64_t n = 0;
    for (std::size_t i = 0; i < systems.size(); i++) {
      const auto s = static_cast<std::int32_t>(systems[i]);
      if (s < 0 || static_cast<std::size_t>(s) >= parts_.systems.size()) {
        throw error(PERP_EINVAL, "connect: no such system", "systems", static_cast<std::int32_t>(i),
                    s);
      }
      const auto &entry = parts_.systems[static_cast<std::size_t>(s)];
      if (entry.order != order) {
        throw error(PERP_EINVAL, "connect: the relation is for systems of the other order",
                    "systems", static_cast<std::int32_t>(i), s);
      }
      n += entry.n;
    }
    if (n < 1 || n > std::numeric_limits<std::int32_t>::max()) {
      throw error(PERP_EINVAL, "connect: degrees of freedom joined", "systems", -1,
                  static_cast<double>(n));
    }
    return static_cast<std::int32_t>(n);
  }

  template <class R>
  interaction_id add_interaction(detail::shared<detail::placed<R>> &relations, R r, std::int32_t n,
                                 std::int32_t order, const law &l, const joined &systems) {
    const detail::c_law checked(l, true);
    const std::int32_t m = r.m;
    if (m % checked.size() != 0) {
      throw error(PERP_EINVAL, "connect: the size of the law does not divide the rows", "m", -1, m);
    }
    const detail::placed<R> item{std::move(r), n};
    const std::int32_t relation = intern(relations, item, order == 2 ? 'H' : 'C');
    const std::int32_t law_index = intern(parts_.laws, l, 'l');
    const auto first = static_cast<std::int32_t>(parts_.joined.size());
    for (std::size_t i = 0; i < systems.size(); i++) {
      parts_.joined.push_back(static_cast<std::int32_t>(systems[i]));
    }
    parts_.interactions.push_back(
        {order, relation, law_index, first, static_cast<std::int32_t>(systems.size()), m});
    return static_cast<interaction_id>(parts_.interactions.size() - 1);
  }

  detail::parts parts_;
  std::unordered_map<std::string, std::int32_t> index_;
};

/** The C description of a model: stays where it is, owns what it points to. */
class c_model {
 public:
  /** Of what m holds now. */
  explicit c_model(const model &m) : parts_(m.parts()) {
    describe_systems();
    describe_interactions();
    model_.n_systems = static_cast<std::int32_t>(systems_.size());
    model_.n_interactions = static_cast<std::int32_t>(interactions_.size());
    model_.systems = systems_.data();
    model_.interactions = pointers_.data();
    model_.q0 = parts_.q0.data();
    model_.v0 = parts_.v0.data();
    model_.x0 = parts_.x0.data();
  }
  c_model(const c_model &) = delete;
  c_model &operator=(const c_model &) = delete;

  /** For functions of perp/model.h and perp/simulation.h. */
  const perp_model *get() const { return &model_; }
  /** What it is made from. */
  const detail::parts &parts() const { return parts_; }

  /** The pieces of interaction i, nullptr if its law is no graph. */
  const perp_piecewise_relation *pieces(std::size_t i) const {
    const auto &at = parts_.interactions[i];
    const auto found = expansions_.find({at.order, at.relation, at.law});
    return found == expansions_.end() ? nullptr : &found->second->relation;
  }

  /** Throw what a callback threw, if one did. */
  void rethrow() {
    for (auto &l : laws_) l->callbacks.rethrow();
    for (auto &c : callbacks_) {
      if (c->thrown) std::rethrow_exception(std::exchange(c->thrown, nullptr));
    }
  }

 private:
  template <class Source, class Target>
  void describe_all(const detail::shared<Source> &from, std::vector<Target> &to,
                    time_function Source::*function) {
    to.reserve(from.size());
    for (const auto &s : from) {
      detail::callback *back = nullptr;
      if (*s.*function) {
        callbacks_.push_back(std::make_unique<detail::callback>());
        back = callbacks_.back().get();
        back->function = *s.*function;
        back->n = static_cast<std::size_t>(s->n);
      }
      to.push_back(detail::describe(*s, back));
    }
  }

  void describe_systems() {
    describe_all(parts_.lagrangian, lagrangian_, &lagrangian_linear::force);
    describe_all(parts_.first_order, first_order_, &first_order_linear::input);
    systems_.reserve(parts_.systems.size());
    for (const auto &s : parts_.systems) {
      const auto d = static_cast<std::size_t>(s.description);
      systems_.push_back(s.order == 2 ? &lagrangian_[d].system : &first_order_[d].system);
    }
  }

  void describe_interactions() {
    lagrangian_relations_.reserve(parts_.lagrangian_relations.size());
    for (const auto &r : parts_.lagrangian_relations) {
      lagrangian_relations_.push_back(detail::describe(r->relation, r->n));
    }
    first_order_relations_.reserve(parts_.first_order_relations.size());
    for (const auto &r : parts_.first_order_relations) {
      first_order_relations_.push_back(detail::describe(r->relation, r->n));
    }
    for (const auto &l : parts_.laws) laws_.push_back(std::make_unique<detail::c_law>(*l, true));
    interactions_.reserve(parts_.interactions.size());
    pointers_.reserve(parts_.interactions.size());
    for (const auto &i : parts_.interactions) {
      const auto r = static_cast<std::size_t>(i.relation), l = static_cast<std::size_t>(i.law);
      const perp_relation *relation =
          i.order == 2 ? &lagrangian_relations_[r].relation : &first_order_relations_[r].relation;
      const perp_law *law = laws_[l]->head;
      if (law == nullptr) {
        const auto &apart = take_apart(i, relation, *parts_.laws[l]);
        relation = &apart.relation;
        law = &apart.pieces.box.law;
      }
      interactions_.push_back({relation, law, parts_.joined.data() + i.first, i.count, 0});
      pointers_.push_back(&interactions_.back());
    }
  }

  /** A graph over a relation, made once for all interactions of both. */
  const perp_piecewise_relation &take_apart(const detail::parts::interaction &i,
                                            const perp_relation *inner, const law &l) {
    auto &place = expansions_[{i.order, i.relation, i.law}];
    if (place) return place->relation;
    place = std::make_unique<expansion>();
    place->graph = detail::graph_of(l);
    place->memory.resize(perp_piecewise_relation_memory(inner, &place->graph));
    perp_info info = PERP_INFO_INIT;
    check(
        perp_piecewise_relation_init(&place->relation, sizeof place->relation, inner, &place->graph,
                                     place->memory.data(), place->memory.size(), &info),
        "piecewise_linear", info);
    return place->relation;
  }

  struct expansion {
    perp_piecewise_linear graph;
    std::vector<unsigned char> memory;
    perp_piecewise_relation relation;
  };

  detail::parts parts_;
  std::vector<std::unique_ptr<detail::callback>> callbacks_;
  std::vector<perp_lagrangian_linear> lagrangian_;
  std::vector<perp_first_order_linear> first_order_;
  std::vector<perp_lagrangian_linear_relation> lagrangian_relations_;
  std::vector<perp_linear_relation> first_order_relations_;
  std::vector<std::unique_ptr<detail::c_law>> laws_;
  std::map<std::array<std::int32_t, 3>, std::unique_ptr<expansion>> expansions_;
  std::vector<const perp_system *> systems_;
  std::vector<perp_interaction> interactions_;
  std::vector<const perp_interaction *> pointers_;
  perp_model model_ = PERP_MODEL_INIT;
};

}  // namespace perp

#endif
