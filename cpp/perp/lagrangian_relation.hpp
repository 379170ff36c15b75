// SPDX-License-Identifier: MIT
/** @file lagrangian_relation.hpp
 * Nonlinear relations of systems of order 2 as values, see perp/lagrangian_relation.h, and
 * prescribed velocities. Contacts and joints of rigid bodies are in body.hpp. */
#ifndef PERP_CXX_LAGRANGIAN_RELATION_HPP
#define PERP_CXX_LAGRANGIAN_RELATION_HPP

#include <cstdint>
#include <vector>

#include "perp/boundary.h"
#include "perp/lagrangian_relation.h"
#include "perp/relation.hpp"

namespace perp {

/** Velocities v[index] that are prescribed, for equality(): ẏ = v[index] − v̄(t), with
 * v̄ = constant + Σ amplitude cos(omega t + phase) + F(t). λ is the impulse that it takes. */
struct prescribed_velocity {
  std::vector<std::int32_t> index;      /**< m different ones of the systems joined           */
  array constant;                       /**< m (m/s), none: 0                                 */
  std::vector<perp_harmonic> harmonics; /**< as many for each condition, one after the
                                             other: amplitude, omega, phase                   */
  time_function velocity;               /**< F(t), m entries                                  */

  /** The most common fields; the others are set by name. */
  explicit prescribed_velocity(std::vector<std::int32_t> which = {0}, array constant_part = {})
      : index(std::move(which)), constant(std::move(constant_part)) {}
};

/** y = h(q, z), ẏ = H v, r = Hᵀλ. Of bodies q has 7 entries each, and H, which is then needed, 6
 * columns for each. */
struct lagrangian_scleronomous {
  std::int32_t m = 1;                      /**< rows                                  */
  callable<positions, parameters, span> h; /**< y, m                                  */
  jacobian<positions, parameters, span> H; /**< ∂h/∂q, m x n; none: by differences    */
  array z;         /**< parameters, read in every evaluation: borrow() to change          */
  array typical_q; /**< n sizes of q, > 0, for differences; none: 1                       */
  /** γ(q, v), m entries: ÿ = H v̇ + γ, for event-driven integration; none: by differences. */
  jacobian<positions, velocities, parameters, span> bias;
};

/** y = h(t, q, z), ẏ = H v + ∂h/∂t, r = Hᵀλ. */
struct lagrangian_rheonomous {
  std::int32_t m = 1;                                 /**< rows                               */
  callable<double, positions, parameters, span> h;    /**< y, m                               */
  jacobian<double, positions, parameters, span> H;    /**< ∂h/∂q, m x n; none: by differences */
  jacobian<double, positions, parameters, span> h_dt; /**< ∂h/∂t, m; none: by differences     */
  array z;         /**< parameters, read in every evaluation: borrow() to change          */
  array typical_q; /**< n sizes of q, > 0, for differences; none: 1                       */
  /** γ(t, q, v), all rows: ÿ = H v̇ + γ, for event-driven integration; none: by differences. */
  jacobian<double, positions, velocities, parameters, span> bias;
};

/** y = h(q, λ, z), ẏ = H v + (∂h/∂λ) λ̇, r = Hᵀλ; λ as a force. */
struct lagrangian_compliant {
  std::int32_t m = 1;                                   /**< rows                             */
  callable<positions, multipliers, parameters, span> h; /**< y, m                             */
  jacobian<positions, multipliers, parameters, span> H; /**< ∂h/∂q, m x n; none: differences  */
  jacobian<positions, multipliers, parameters, span> D; /**< ∂h/∂λ, m x m; none: differences  */
  array z;              /**< parameters, read in every evaluation: borrow() to change     */
  array typical_q;      /**< n sizes of q, > 0, for differences; none: 1                  */
  array typical_lambda; /**< m sizes of λ                                                 */
};

/** ẏ = g(t, q, v, z), r = Hᵀλ, H = ∂g/∂v; without a position: skates, wheels, clutches. */
struct lagrangian_velocity_relation {
  std::int32_t m = 1;                                          /**< rows          */
  callable<double, positions, velocities, parameters, span> g; /**< ẏ, m          */
  jacobian<double, positions, velocities, parameters, span> H; /**< ∂g/∂v, m x n; none: by
                                                                    differences   */
  array z;         /**< parameters, read in every evaluation: borrow() to change       */
  array typical_v; /**< n sizes of v, > 0, for differences; none: 1                    */
  /** γ(t, q, v), all rows: ÿ = H v̇ + γ, for event-driven integration; none: by differences. */
  jacobian<double, positions, velocities, parameters, span> bias;
};

/** Contacts of a mechanism with friction, as many rows each as the law has components, the first
 * normal: ẏ_n = G v + h_dt, ẏ_t = T v + s. */
struct lagrangian_contact_relation {
  std::int32_t gaps = 1;                           /**< contacts                            */
  callable<double, positions, parameters, span> h; /**< their gaps                          */
  jacobian<double, positions, parameters, span> G; /**< ∂h/∂q, gaps x n; none: differences  */
  jacobian<double, positions, parameters, span> T; /**< tangential directions, gaps (size − 1) x n:
                                                        those of the first, of the second   */
  jacobian<double, positions, parameters, span> h_dt; /**< ∂h/∂t, gaps; none: 0                */
  jacobian<double, positions, parameters, span> s;    /**< gaps (size − 1): tangential velocity of
                                                           what they touch, as in ẏ_t; none: 0 */
  array z;         /**< parameters, read in every evaluation: borrow() to change              */
  array typical_q; /**< n sizes of q, > 0, for differences; none: 1                           */
  /** γ(t, q, v), all rows: ÿ = H v̇ + γ, for event-driven integration; none: by differences. */
  jacobian<double, positions, velocities, parameters, span> bias;
};

namespace detail {

template <>
struct form<prescribed_velocity> : relation_form {
  perp_prescribed_velocity c;
  template <class R>
  void fill(const R &r, const joined_shape &at) {
    start("prescribed_velocity", c, perp_prescribed_velocity_init,
          static_cast<std::int32_t>(r.index.size()), at);
    head = &c.relation;
    c.index = r.index.data();
    c.constant = sized("constant", r.constant, m());
    if (r.harmonics.size() % m() != 0) {
      wrong_size(what, "harmonics", r.harmonics.size(), (r.harmonics.size() / m() + 1) * m());
    }
    c.n_harmonics = static_cast<std::int32_t>(r.harmonics.size() / m());
    c.harmonics = r.harmonics.empty() ? nullptr : r.harmonics.data();
    back->bind<0>(c.velocity, r.velocity, m());
    c.user = back.get();
  }
};

/** The three kinds of nonlinear relations of positions. */
struct lagrangian_form : relation_form {
  perp_lagrangian_relation c;

 protected:
  template <class R>
  void set(const char *kind,
           perp_status (*init)(perp_lagrangian_relation *, std::size_t, std::int32_t, std::int32_t),
           const R &r, const joined_shape &at) {
    start(kind, c, init, r.m, at);
    head = &c.relation;
    back->of.b = m();
    parameters_of(c, r.z);
    need("h", r.h);
    back->bind<0>(c.h, r.h, m());
    back->bind<1>(c.H, r.H, m() * n(), what, "H");
    c.user = back.get();
    c.bodies = at.n_q != at.n ? 1 : 0;
    c.typical_q = sized("typical_q", r.typical_q, n());
  }
  /** Its second array is v, where h has λ. */
  template <class F>
  void set_bias(const F &bias) {
    back->of.b = n();
    back->bind<4>(c.bias, bias, m(), what, "bias");
  }
};

template <>
struct form<lagrangian_scleronomous> : lagrangian_form {
  template <class R>
  void fill(const R &r, const joined_shape &at) {
    set("lagrangian_scleronomous", perp_lagrangian_scleronomous_init, r, at);
    set_bias(r.bias);
  }
};

template <>
struct form<lagrangian_rheonomous> : lagrangian_form {
  template <class R>
  void fill(const R &r, const joined_shape &at) {
    set("lagrangian_rheonomous", perp_lagrangian_rheonomous_init, r, at);
    back->bind<2>(c.h_dt, r.h_dt, m(), what, "h_dt");
    set_bias(r.bias);
  }
};

template <>
struct form<lagrangian_compliant> : lagrangian_form {
  template <class R>
  void fill(const R &r, const joined_shape &at) {
    set("lagrangian_compliant", perp_lagrangian_compliant_init, r, at);
    back->bind<3>(c.D, r.D, m() * m(), what, "D");
    c.typical_lambda = sized("typical_lambda", r.typical_lambda, m());
    symmetric = m() == 1;
  }
};

template <>
struct form<lagrangian_velocity_relation> : relation_form {
  perp_lagrangian_velocity_relation c;
  template <class R>
  void fill(const R &r, const joined_shape &at) {
    start("lagrangian_velocity_relation", c, perp_lagrangian_velocity_relation_init, r.m, at);
    head = &c.relation;
    parameters_of(c, r.z);
    need("g", r.g);
    back->bind<0>(c.g, r.g, m());
    back->bind<1>(c.H, r.H, m() * n(), what, "H");
    c.user = back.get();
    c.bodies = at.n_q != at.n ? 1 : 0;
    c.typical_v = sized("typical_v", r.typical_v, n());
    back->bind<2>(c.bias, r.bias, m(), what, "bias");
  }
};

template <>
struct form<lagrangian_contact_relation> : relation_form {
  perp_lagrangian_contact_relation c;
  template <class R>
  void fill(const R &r, const joined_shape &at) {
    what = "lagrangian_contact_relation";
    if (r.gaps < 1)
      detail::refuse(PERP_EINVAL, "lagrangian_contact_relation: gaps must be >= 1", "gaps", -1,
                     r.gaps);
    if (at.law_size < 2) {
      detail::refuse(PERP_EINVAL,
                     "lagrangian_contact_relation: the law needs tangential components", "size", -1,
                     at.law_size);
    }
    check(perp_lagrangian_contact_relation_init(&c, sizeof c, r.gaps, at.law_size, at.n), what);
    head = &c.relation;
    const auto gaps = static_cast<std::size_t>(r.gaps), n_v = static_cast<std::size_t>(at.n);
    const std::size_t tangents = gaps * static_cast<std::size_t>(at.law_size - 1);
    back->of.a = static_cast<std::size_t>(at.n_q);
    parameters_of(c, r.z);
    need("h", r.h);
    back->bind<0>(c.h, r.h, gaps);
    back->bind<1>(c.G, r.G, gaps * n_v, what, "G");
    back->bind<2>(c.T, r.T, tangents * n_v, what, "T");
    if (c.T == nullptr) wrong_size(what, "T", 0, tangents * n_v);
    back->bind<3>(c.h_dt, r.h_dt, gaps, what, "h_dt");
    back->bind<4>(c.s, r.s, tangents, what, "s");
    back->of.b = n_v;
    back->bind<5>(c.bias, r.bias, m(), what, "bias");
    c.user = back.get();
    c.bodies = at.n_q != at.n ? 1 : 0;
    c.typical_q = sized("typical_q", r.typical_q, n_v);
  }
};

}  // namespace detail

}  // namespace perp

#endif
