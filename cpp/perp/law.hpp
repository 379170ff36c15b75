// SPDX-License-Identifier: MIT
/** @file law.hpp
 * Laws as values: newton_impact(e), complementarity(), equality(), mixed(size, k), box(l, u),
 * relay(), relay_dead_zone(w), piecewise_linear(y, λ), polyhedron(H, K), friction_2d(mu),
 * friction_3d(mu), rolling_2d(mu, mu_r), rolling_3d(mu, mu_r), fremond_3d(mu, e),
 * cohesive_3d(mu, sigma_c, G_c), compliant(k, c), impact(map), user_law(...). */
#ifndef PERP_CXX_LAW_HPP
#define PERP_CXX_LAW_HPP

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>

#include "perp/callable.hpp"
#include "perp/law.h"
#include "perp/piecewise_linear.h"
#include "perp/view.hpp"

namespace perp {

/** What a law may know of a step, as perp_law_step: of its begin in a map, of its end in commit. */
struct law_step {
  double t;    /**< time (s); 0 at order 1                                */
  double h;    /**< length of the step (s); 0 at order 1                  */
  view y;      /**< gap; at order 1 the output                            */
  view ydot;   /**< relative velocity; empty at order 1                   */
  view lambda; /**< impulse of the last step, in commit of this one; λ at order 1 */
};

/** An impact law: adds to q what ẏ⁺ gains before it is complementary, e ẏ⁻ for Newton's. */
using impact_function = callable<const law_step &, span>;

/** A law by callables, see perp_law_ops; those that are not set are absent. All get the state of
 * the copy first. They may be called from the threads of a solver. */
struct law_functions {
  std::int32_t size = 1;             /**< components of one copy                      */
  std::int32_t set = PERP_SET_OTHER; /**< FREE, ORTHANT, BOX or OTHER                 */
  bool unilateral = false;           /**< acts only while its gap is closed           */
  std::size_t state = 0;             /**< doubles that a copy carries from step to step */
  std::function<void(view, view, span)> project;  /**< (state, x, p): p := P(x)        */
  std::function<void(view, view, span)> jacobian; /**< (state, x, J): of P, by columns */
  std::function<void(view, view, span)> shift;    /**< (state, y, ŷ)                   */
  std::function<void(span, span)> bounds;         /**< (lower, upper) of a box         */
  callable<view, const law_step &, span> map;     /**< (state, begin, q): q += ...     */
  std::function<void(view, const law_step &, span)>
      preload;                                        /**< (state, begin, s): known impulse */
  std::function<void(double, span)> compliance;       /**< (h, D), by columns              */
  std::function<bool(view)> acts;                     /**< (state): across an open gap     */
  std::function<void(span)> begin;                    /**< (state): at first; none: zeros  */
  std::function<void(span, const law_step &)> commit; /**< (state, end): step accepted */
  bool bounded = false;                               /**< the set is, see perp_law_ops     */
};

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
    user,
    mixed,
    compliant,
    fremond,
    cohesive,
    impact,
    piecewise_linear,
    functions
  };
  kinds kind = kinds::complementarity; /**< see kinds                           */
  double e = 0;                        /**< restitution, 0 <= e <= 1            */
  double e_t = 0;                      /**< tangential restitution, -1 <= e_t <= 1 */
  double mu = 0;                       /**< coefficient of friction, >= 0       */
  double mu_rolling = 0;               /**< of rolling friction, m, >= 0        */
  std::int32_t components = 1;         /**< of contacts with friction, and of mixed */
  std::int32_t equalities = 0;         /**< of mixed: the first so many         */
  double k = 0;                        /**< stiffness, N/m                      */
  double c = 0;                        /**< damping, N s/m                      */
  double theta = 0.5;                  /**< of a compliant contact              */
  double sigma_c = 0;                  /**< tensile strength, Pa                */
  double G_c = 0;                      /**< fracture energy, J/m²               */
  double area = 1;                     /**< of one cohesive copy, m²            */
  double slip_weight = 1;              /**< of slip in its opening              */
  array lower;                         /**< of a box, one entry per component   */
  array upper;                         /**< the same                            */
  array H;                             /**< of a polyhedron, rows x size by columns */
  array K;                             /**< the same, one entry per row         */
  array y;                             /**< breakpoints of a graph, not decreasing */
  array lambda;                        /**< the same, not increasing            */
  double slope_before = 0;             /**< −dλ/dy before the first, may be infinite */
  double slope_after = 0;              /**< after the last                      */
  impact_function map;                 /**< the user's impact law               */
  const perp_law *user = nullptr;      /**< a law of the user's own, borrowed   */
  std::shared_ptr<const law_functions> functions; /**< a law by callables       */

  /** Components of one copy. */
  std::int32_t size() const {
    if (kind == kinds::user) return user == nullptr ? 1 : user->size;
    if (kind == kinds::polyhedron)
      return K.empty() ? 1 : static_cast<std::int32_t>(H.size() / K.size());
    if (kind == kinds::functions) return functions->size;
    if (kind == kinds::friction || kind == kinds::rolling || kind == kinds::mixed ||
        kind == kinds::fremond || kind == kinds::cohesive || kind == kinds::impact)
      return components;
    return kind == kinds::box ? static_cast<std::int32_t>(lower.size()) : 1;
  }
  /** Whether λ obeys bounds component by component; contacts and polyhedra do not. */
  bool by_component() const {
    if (kind == kinds::user) return user != nullptr && user->ops->set <= PERP_SET_BOX;
    if (kind == kinds::functions) return functions->set <= PERP_SET_BOX;
    if (kind == kinds::impact) return components == 1;
    return kind <= kinds::box || kind == kinds::mixed || kind == kinds::compliant ||
           kind == kinds::piecewise_linear;
  }
  /** Hand over all fields, from which equal descriptions are recognised. */
  template <class Visit>
  void each(Visit &&visit) const {
    visit(static_cast<std::int32_t>(kind)), visit(e), visit(e_t), visit(mu), visit(mu_rolling),
        visit(components), visit(lower), visit(upper), visit(H), visit(K), visit(user);
    visit(equalities), visit(k), visit(c), visit(theta), visit(sigma_c), visit(G_c), visit(area),
        visit(slip_weight), visit(y), visit(lambda), visit(slope_before), visit(slope_after);
    visit(map.address()), visit(static_cast<const void *>(functions.get()));
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

/** y = 0, λ free in the first equalities components, 0 ≤ y ⟂ λ ≥ 0 in the others of size. */
inline law mixed(std::int32_t size, std::int32_t equalities) {
  law l;
  l.kind = law::kinds::mixed;
  l.components = size;
  l.equalities = equalities;
  return l;
}

/** λ = −level where y > 0, level where y < 0, between where y = 0. */
inline law relay(double level = 1) { return box(-level, level); }

/** A graph λ(y) through points, y not decreasing and λ not increasing, with slopes −dλ/dy before
 * and after them: 0 goes on level, infinity (perp::vertical) upright. See perp/piecewise_linear.h.
 */
inline law piecewise_linear(array y, array lambda, double slope_before = 0,
                            double slope_after = 0) {
  law l;
  l.kind = law::kinds::piecewise_linear;
  l.y = std::move(y);
  l.lambda = std::move(lambda);
  l.slope_before = slope_before;
  l.slope_after = slope_after;
  return l;
}

/** The slope of a graph that goes on upright. */
constexpr double vertical = std::numeric_limits<double>::infinity();

/** λ = level where y < −width, 0 where |y| < width, −level where y > width. */
inline law relay_dead_zone(double width, double level = 1) {
  return piecewise_linear({-width, -width, width, width}, {level, 0, 0, -level});
}

/** Contact of a spring k (N/m) and a damper c (N s/m) side by side. */
inline law compliant(double k, double c = 0, double theta = 0.5) {
  law l;
  l.kind = law::kinds::compliant;
  l.k = k;
  l.c = c;
  l.theta = theta;
  return l;
}

/** Friction in the plane with Frémond's impact law: on the mean velocity. */
inline law fremond_2d(double mu, double e = 0) {
  law l = friction_2d(mu, e);
  l.kind = law::kinds::fremond;
  return l;
}

/** The same in space. */
inline law fremond_3d(double mu, double e = 0) {
  law l = fremond_2d(mu, e);
  l.components = 3;
  return l;
}

/** Friction in the plane and a cohesive zone: strength sigma_c (Pa), fracture energy G_c (J/m²),
 * area of one copy (m²). */
inline law cohesive_2d(double mu, double sigma_c, double G_c, double area = 1) {
  law l = friction_2d(mu);
  l.kind = law::kinds::cohesive;
  l.sigma_c = sigma_c;
  l.G_c = G_c;
  l.area = area;
  return l;
}

/** The same in space. */
inline law cohesive_3d(double mu, double sigma_c, double G_c, double area = 1) {
  law l = cohesive_2d(mu, sigma_c, G_c, area);
  l.components = 3;
  return l;
}

/** Unilateral contact with an impact law of the user's, map(begin, q): q[0] += e * begin.ydot[0] is
 * Newton's. */
inline law impact(impact_function map) {
  law l;
  l.kind = law::kinds::impact;
  l.map = std::move(map);
  return l;
}

/** The same with friction in the plane. */
inline law impact_2d(double mu, impact_function map) {
  law l = impact(std::move(map));
  l.mu = mu;
  l.components = 2;
  return l;
}

/** The same in space. */
inline law impact_3d(double mu, impact_function map) {
  law l = impact_2d(mu, std::move(map));
  l.components = 3;
  return l;
}

/** A law of the user's own table of operations; the user keeps it. */
inline law user_law(const perp_law *own) {
  law l;
  l.kind = law::kinds::user;
  l.user = own;
  return l;
}

/** A law by callables. */
inline law user_law(law_functions functions) {
  law l;
  l.kind = law::kinds::functions;
  l.functions = std::make_shared<const law_functions>(std::move(functions));
  return l;
}

}  // namespace perp

#endif
