// SPDX-License-Identifier: MIT
/** @file c_model.hpp
 * The C description that a model becomes, and where its callbacks end. */
#ifndef PERP_CXX_C_MODEL_HPP
#define PERP_CXX_C_MODEL_HPP

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "perp/model.hpp"

namespace perp {

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
    if (parts_.pool) describe_pool();
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
    const auto found = expansions_.find({at.relation, at.law});
    return found == expansions_.end() ? nullptr : &found->second->relation;
  }

  /** Which of the quantities of an interaction. */
  enum class quantity { y, ydot, lambda };
  /** Quantities of graphs, put together from their pieces. */
  using wholes = std::map<std::pair<std::size_t, quantity>, std::vector<double>>;

  /** That of interaction i as the model has it, m entries: data itself, or, where data are the
   * pieces of a graph, put together in kept; z: their λ, mechanical: of order 2. */
  view together(std::size_t i, quantity what, const double *data, const double *z, bool mechanical,
                wholes &kept) const {
    const auto m = static_cast<std::size_t>(parts_.kind_of_interaction(i).m);
    const perp_piecewise_relation *taken_apart = pieces(i);
    if (taken_apart == nullptr) return {data, m};
    std::vector<double> &whole = kept[{i, what}];
    whole.resize(m);
    if (what == quantity::y && mechanical) {
      const auto k = static_cast<std::size_t>(taken_apart->pieces.box.law.size);
      for (std::size_t r = 0; r < m; r++) whole[r] = data[r * k];
      return whole;
    }
    const bool is_lambda = what == quantity::lambda;
    check(perp_piecewise_relation_values(taken_apart, is_lambda ? nullptr : data, z,
                                         is_lambda ? nullptr : whole.data(),
                                         is_lambda ? whole.data() : nullptr),
          "piecewise_linear");
    return whole;
  }

  /** Throw what a callback threw, if one did. */
  void rethrow() {
    for (auto &l : laws_) l->callbacks.rethrow();
    for (auto &f : system_forms_) f->back.rethrow();
    for (auto &f : relation_forms_) f->back.rethrow();
    if (pool_) pool_->rethrow();
  }
  /** Forget what callbacks of systems and relations threw in a trial. */
  void forget() noexcept {
    for (auto &f : system_forms_) f->back.forget();
    for (auto &f : relation_forms_) f->back.forget();
  }

 private:
  void describe_systems() {
    for (const auto &k : parts_.system_kinds) system_forms_.push_back(k.held->make());
    systems_.reserve(parts_.systems.size());
    for (const auto k : parts_.systems) {
      systems_.push_back(system_forms_[static_cast<std::size_t>(k)]->head);
    }
  }

  void describe_pool() {
    std::vector<std::int32_t> n_q, n;
    for (std::size_t i = 0; i < parts_.systems.size(); i++) {
      n_q.push_back(parts_.kind_of_system(i).n_q);
      n.push_back(parts_.kind_of_system(i).n);
    }
    pool_ = std::make_unique<detail::c_pool>(parts_.pool, std::move(n_q), std::move(n));
    model_.pool = pool_->get();
  }

  void describe_interactions() {
    for (const auto &k : parts_.relation_kinds) relation_forms_.push_back(k.held->make());
    for (const auto &l : parts_.laws) laws_.push_back(std::make_unique<detail::c_law>(*l, true));
    interactions_.reserve(parts_.interactions.size());
    pointers_.reserve(parts_.interactions.size());
    for (const auto &i : parts_.interactions) {
      const auto r = static_cast<std::size_t>(i.relation), l = static_cast<std::size_t>(i.law);
      const perp_relation *relation = relation_forms_[r]->head;
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
    auto &place = expansions_[{i.relation, i.law}];
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
  std::vector<std::unique_ptr<detail::system_form>> system_forms_;
  std::vector<std::unique_ptr<detail::relation_form>> relation_forms_;
  std::vector<std::unique_ptr<detail::c_law>> laws_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::unique_ptr<expansion>> expansions_;
  std::unique_ptr<detail::c_pool> pool_;
  std::vector<const perp_system *> systems_;
  std::vector<perp_interaction> interactions_;
  std::vector<const perp_interaction *> pointers_;
  perp_model model_ = PERP_MODEL_INIT;
};

}  // namespace perp

#endif
