// SPDX-License-Identifier: MIT
/** @file first_order_relation.hpp
 * Nonlinear relations of first-order systems as values, see perp/first_order_relation.h. */
#ifndef PERP_CXX_FIRST_ORDER_RELATION_HPP
#define PERP_CXX_FIRST_ORDER_RELATION_HPP

#include <cstdint>

#include "perp/first_order_relation.h"
#include "perp/relation.hpp"

namespace perp {

/** y = h(t, x, λ, z), r = g(t, x, λ, z); Jacobians without a callable are taken by differences. */
struct first_order_relation {
  /** Writes what depends on everything. */
  using function = callable<double, states, multipliers, parameters, span>;
  /** A derivative of that. */
  using derivative = jacobian<double, states, multipliers, parameters, span>;

  std::int32_t m = 1;   /**< rows                                                */
  function h;           /**< y, m                                                */
  function g;           /**< r, n; none: y is only observed                      */
  derivative C;         /**< ∂h/∂x, m x n                                        */
  derivative D;         /**< ∂h/∂λ, m x m                                        */
  derivative B;         /**< ∂g/∂λ, n x m                                        */
  derivative K;         /**< ∂g/∂x, n x n                                        */
  array z;              /**< parameters, read in every evaluation: borrow() to change */
  array typical_x;      /**< n sizes of x, > 0, for differences; none: 1         */
  array typical_lambda; /**< m sizes of λ                                        */
  derivative h_dt;      /**< ∂h/∂t, m, for event-driven integration      */
};

/** y = h(t, x, z), r = g(t, λ, z). */
struct first_order_type1 {
  std::int32_t m = 1;                                /**< rows                 */
  callable<double, states, parameters, span> h;      /**< y, m                 */
  callable<double, multipliers, parameters, span> g; /**< r, n; none: y is only observed */
  jacobian<double, states, parameters, span> C;      /**< ∂h/∂x, m x n         */
  jacobian<double, multipliers, parameters, span> B; /**< ∂g/∂λ, n x m         */
  array z;              /**< parameters, read in every evaluation: borrow() to change */
  array typical_x;      /**< n sizes of x, > 0, for differences; none: 1         */
  array typical_lambda; /**< m sizes of λ                                        */
  /** ∂h/∂t, m entries, for event-driven integration; none: by differences. */
  jacobian<double, states, parameters, span> h_dt;
};

/** y = h(t, x, λ, z), r = g(t, λ, z). */
struct first_order_type2 {
  std::int32_t m = 1;                                        /**< rows                 */
  callable<double, states, multipliers, parameters, span> h; /**< y, m                 */
  callable<double, multipliers, parameters, span> g;         /**< r, n; none: y is only observed */
  jacobian<double, states, multipliers, parameters, span> C; /**< ∂h/∂x, m x n         */
  jacobian<double, states, multipliers, parameters, span> D; /**< ∂h/∂λ, m x m         */
  jacobian<double, multipliers, parameters, span> B;         /**< ∂g/∂λ, n x m         */
  array z;              /**< parameters, read in every evaluation: borrow() to change */
  array typical_x;      /**< n sizes of x, > 0, for differences; none: 1         */
  array typical_lambda; /**< m sizes of λ                                        */
  /** ∂h/∂t, m entries, for event-driven integration; none: by differences. */
  jacobian<double, states, multipliers, parameters, span> h_dt;
};

namespace detail {

/** The three kinds of nonlinear first-order relations. */
struct first_order_form : relation_form {
  static constexpr std::int32_t order = 1;
  perp_first_order_relation c;

 protected:
  template <class R>
  void set(const char *kind,
           perp_status (*init)(perp_first_order_relation *, std::size_t, std::int32_t,
                               std::int32_t),
           const R &r, const joined_shape &at) {
    start(kind, c, init, r.m, at);
    head = &c.relation;
    back->of = {n(), m(), 0};
    parameters_of(c, r.z);
    need("h", r.h);
    back->bind<0>(c.h, r.h, m());
    back->bind<2>(c.C, r.C, m() * n(), what, "C");
    back->bind<4>(c.B, r.B, n() * m(), what, "B");
    back->bind<6>(c.h_dt, r.h_dt, m(), what, "h_dt");
    c.user = back.get();
    c.typical_x = sized("typical_x", r.typical_x, n());
    c.typical_lambda = sized("typical_lambda", r.typical_lambda, m());
  }
  /** g of λ alone: C's first array is x, which it does not look at. */
  template <class G>
  void set_g(const G &g) {
    back->bind<1>(c.g, g, n());
  }
};

template <>
struct form<first_order_relation> : first_order_form {
  template <class R>
  void fill(const R &r, const joined_shape &at) {
    set("first_order_relation", perp_first_order_relation_init, r, at);
    set_g(r.g);
    back->bind<3>(c.D, r.D, m() * m(), what, "D");
    back->bind<5>(c.K, r.K, n() * n(), what, "K");
  }
};

template <>
struct form<first_order_type1> : first_order_form {
  template <class R>
  void fill(const R &r, const joined_shape &at) {
    set("first_order_type1", perp_first_order_type1_init, r, at);
    set_g(r.g);
  }
};

template <>
struct form<first_order_type2> : first_order_form {
  template <class R>
  void fill(const R &r, const joined_shape &at) {
    set("first_order_type2", perp_first_order_type2_init, r, at);
    set_g(r.g);
    back->bind<3>(c.D, r.D, m() * m(), what, "D");
  }
};

}  // namespace detail

}  // namespace perp

#endif
