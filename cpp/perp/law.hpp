// SPDX-License-Identifier: MIT
/** @file law.hpp
 * Laws as values: newton_impact(e), complementarity(), equality(), box(l, u), polyhedron(H, K),
 * friction_2d(mu), friction_3d(mu), rolling_2d(mu, mu_r), rolling_3d(mu, mu_r), user_law(l). */
#ifndef PERP_CXX_LAW_HPP
#define PERP_CXX_LAW_HPP

#include <cstdint>

#include "perp/law.h"
#include "perp/view.hpp"

namespace perp {

/** A law (y, λ) ∈ law; one copy has size components. */
struct law {
  /** Which of the structs of perp/law.h it becomes. */
  enum class kinds {
    equality,
    complementarity,
    newton_impact,
    box,
    polyhedron,
    friction,
    rolling,
    user
  };
  kinds kind = kinds::complementarity; /**< see kinds                           */
  double e = 0;                        /**< restitution, 0 <= e <= 1            */
  double e_t = 0;                      /**< tangential restitution, -1 <= e_t <= 1 */
  double mu = 0;                       /**< coefficient of friction, >= 0       */
  double mu_rolling = 0;               /**< of rolling friction, m, >= 0        */
  std::int32_t components = 1;         /**< of friction (2, 3) and rolling (3, 5) */
  array lower;                         /**< of a box, one entry per component   */
  array upper;                         /**< the same                            */
  array H;                             /**< of a polyhedron, rows x size by columns */
  array K;                             /**< the same, one entry per row         */
  const perp_law *user = nullptr;      /**< a law of the user's own, borrowed   */

  /** Components of one copy. */
  std::int32_t size() const {
    if (kind == kinds::user) return user == nullptr ? 1 : user->size;
    if (kind == kinds::polyhedron)
      return K.empty() ? 1 : static_cast<std::int32_t>(H.size() / K.size());
    if (kind == kinds::friction || kind == kinds::rolling) return components;
    return kind == kinds::box ? static_cast<std::int32_t>(lower.size()) : 1;
  }
  /** Whether λ obeys bounds component by component; contacts and polyhedra do not. */
  bool by_component() const {
    if (kind == kinds::user) return user != nullptr && user->ops->set <= PERP_SET_BOX;
    return kind <= kinds::box;
  }
  /** Hand over all fields, from which equal descriptions are recognised. */
  template <class Visit>
  void each(Visit &&visit) const {
    visit(static_cast<std::int32_t>(kind)), visit(e), visit(e_t), visit(mu), visit(mu_rolling),
        visit(components), visit(lower), visit(upper), visit(H), visit(K), visit(user);
  }
};

/** y = 0, λ free. */
inline law equality() {
  law l;
  l.kind = law::kinds::equality;
  return l;
}

/** 0 ≤ y ⟂ λ ≥ 0. */
inline law complementarity() { return {}; }

/** Unilateral contact; 0 ≤ ẏ⁺ + e ẏ⁻ ⟂ λ ≥ 0 while it is closed. */
inline law newton_impact(double e) {
  law l;
  l.kind = law::kinds::newton_impact;
  l.e = e;
  return l;
}

/** λ = lower where y > 0, λ = upper where y < 0, between where y = 0. */
inline law box(array lower, array upper) {
  law l;
  l.kind = law::kinds::box;
  l.lower = std::move(lower);
  l.upper = std::move(upper);
  return l;
}

/** −y ∈ N_P(λ), P = {Hλ >= K}: y = Hᵀμ, 0 ≤ Hλ − K ⟂ μ ≥ 0; H by columns, K.size() rows. */
inline law polyhedron(array H, array K) {
  law l;
  l.kind = law::kinds::polyhedron;
  l.H = std::move(H);
  l.K = std::move(K);
  return l;
}

/** Coulomb friction in the plane, y = (normal, tangential); e and e_t: restitution. */
inline law friction_2d(double mu, double e = 0, double e_t = 0) {
  law l;
  l.kind = law::kinds::friction;
  l.mu = mu;
  l.e = e;
  l.e_t = e_t;
  l.components = 2;
  return l;
}

/** Coulomb friction in space, y = (normal, two tangential). */
inline law friction_3d(double mu, double e = 0, double e_t = 0) {
  law l = friction_2d(mu, e, e_t);
  l.components = 3;
  return l;
}

/** Friction with resistance to rolling in the plane, y = (normal, tangential, rolling). */
inline law rolling_2d(double mu, double mu_rolling, double e = 0, double e_t = 0) {
  law l = friction_2d(mu, e, e_t);
  l.kind = law::kinds::rolling;
  l.mu_rolling = mu_rolling;
  l.components = 3;
  return l;
}

/** The same in space, y = (normal, two tangential, two rolling). */
inline law rolling_3d(double mu, double mu_rolling, double e = 0, double e_t = 0) {
  law l = rolling_2d(mu, mu_rolling, e, e_t);
  l.components = 5;
  return l;
}

/** A law of the user's own table of operations; the user keeps it. */
inline law user_law(const perp_law *own) {
  law l;
  l.kind = law::kinds::user;
  l.user = own;
  return l;
}

namespace detail {

/** The C description of a law; points into the law it was made from. Not to be copied. */
struct c_law {
  union {
    perp_equality equality;
    perp_complementarity complementarity;
    perp_newton_impact newton_impact;
    perp_box box;
    perp_polyhedron polyhedron;
    perp_friction friction;
    perp_rolling rolling;
  };
  const perp_law *head = nullptr;

  explicit c_law(const law &l) {
    switch (l.kind) {
      case law::kinds::equality:
        check(perp_equality_init(&equality, sizeof equality), "equality");
        head = &equality.law;
        break;
      case law::kinds::complementarity:
        check(perp_complementarity_init(&complementarity, sizeof complementarity),
              "complementarity");
        head = &complementarity.law;
        break;
      case law::kinds::newton_impact:
        check(perp_newton_impact_init(&newton_impact, sizeof newton_impact), "newton_impact");
        newton_impact.e = l.e;
        head = &newton_impact.law;
        break;
      case law::kinds::box:
        if (l.lower.size() != l.upper.size() || l.lower.empty()) {
          throw error(PERP_EINVAL, "box: lower and upper need one entry per component each",
                      "upper", -1, static_cast<double>(l.upper.size()));
        }
        check(perp_box_init(&box, sizeof box), "box");
        box.law.size = l.size();
        box.lower = l.lower.data();
        box.upper = l.upper.data();
        head = &box.law;
        break;
      case law::kinds::polyhedron:
        if (l.K.empty() || l.H.size() == 0 || l.H.size() % l.K.size() != 0) {
          throw error(PERP_EINVAL, "polyhedron: H needs a whole number of columns of K.size() rows",
                      "H", -1, static_cast<double>(l.H.size()));
        }
        check(perp_polyhedron_init(&polyhedron, sizeof polyhedron), "polyhedron");
        polyhedron.law.size = l.size();
        polyhedron.H = perp_dense(static_cast<std::int32_t>(l.K.size()), l.size(), l.H.data());
        polyhedron.K = l.K.data();
        head = &polyhedron.law;
        break;
      case law::kinds::friction:
        check(perp_friction_init(&friction, sizeof friction), "friction");
        friction.law.size = l.components;
        friction.mu = l.mu;
        friction.e_n = l.e;
        friction.e_t = l.e_t;
        head = &friction.law;
        break;
      case law::kinds::rolling:
        check(perp_rolling_init(&rolling, sizeof rolling), "rolling");
        rolling.law.size = l.components;
        rolling.mu = l.mu;
        rolling.mu_rolling = l.mu_rolling;
        rolling.e_n = l.e;
        rolling.e_t = l.e_t;
        head = &rolling.law;
        break;
      case law::kinds::user:
        if (l.user == nullptr) throw error(PERP_EINVAL, "user_law", "user");
        head = l.user;
        break;
    }
    perp_info info = PERP_INFO_INIT;
    check(perp_law_check(head, &info), "law", info);
  }
  c_law(const c_law &) = delete;
  c_law &operator=(const c_law &) = delete;
};

}  // namespace detail

}  // namespace perp

#endif
