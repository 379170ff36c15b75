// SPDX-License-Identifier: MIT
/** @file c_model.hpp
 * The C description that a model becomes, and where its callbacks end. */
#ifndef PERP_CXX_C_MODEL_HPP
#define PERP_CXX_C_MODEL_HPP

#include <cstddef>
#include <cstdint>

#include "perp/model.hpp"

namespace perp {

/** A model as C sees it, as it is now: stays where it is. */
class c_model {
 public:
  /** Of what m holds now. */
  explicit c_model(const model &m) : parts_(m.parts()), builder_(m.built()) {
    if (parts_.pool) pool_ = parts_.pool.attach(parts_, builder_.get());
    model_ = perp_builder_model(builder_.get());
  }
  c_model(const c_model &) = delete;
  c_model &operator=(const c_model &) = delete;

  /** For functions of perp/model.h and perp/simulation.h. */
  const perp_model *get() const { return model_; }
  /** What there is to know of it beside that. */
  const detail::parts &parts() const { return parts_; }

  /** The pieces of interaction i, nullptr if its law is no graph. */
  const perp_piecewise_relation *pieces(std::size_t i) const {
    return perp_builder_pieces(builder_.get(), static_cast<std::int32_t>(i));
  }

  /** Which of the quantities of an interaction. */
  enum class quantity { y, ydot, lambda };
  /** Quantities of graphs, put together from their pieces. */
  using wholes = detail::list<double>;

  /** That of interaction i as the model has it, m entries: data itself, or, where data are the
   * pieces of a graph, put together in kept; z: their λ, mechanical: of order 2. */
  view together(std::size_t i, quantity what, const double *data, const double *z, bool mechanical,
                wholes &kept) const {
    const auto m = static_cast<std::size_t>(parts_.kind_of_interaction(i).m);
    const perp_piecewise_relation *taken_apart = pieces(i);
    if (taken_apart == nullptr) return {data, m};
    if (kept.empty()) kept = wholes(3 * parts_.rows);
    double *const whole =
        kept.data() + 3 * parts_.kind_of_interaction(i).row + m * static_cast<std::size_t>(what);
    if (what == quantity::y && mechanical) {
      const auto k = static_cast<std::size_t>(taken_apart->pieces.box.law.size);
      for (std::size_t r = 0; r < m; r++) whole[r] = data[r * k];
      return {whole, m};
    }
    const bool is_lambda = what == quantity::lambda;
    check(perp_piecewise_relation_values(taken_apart, is_lambda ? nullptr : data, z,
                                         is_lambda ? nullptr : whole, is_lambda ? whole : nullptr),
          "piecewise_linear");
    return {whole, m};
  }

  /** Throw what a law by callables threw on another thread of a solver, if one did. */
  void rethrow() {
    for (const auto &f : parts_.functions) f->rethrow();
    if (pool_ != nullptr) parts_.pool.rethrow(pool_.get());
  }

 private:
  detail::parts parts_;
  detail::shared_object pool_;
  detail::builder builder_;
  const perp_model *model_ = nullptr;
};

}  // namespace perp

#endif
