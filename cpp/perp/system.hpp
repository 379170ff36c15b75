// SPDX-License-Identifier: MIT
/** @file system.hpp
 * Systems as values with public fields, named as the C descriptions they become. Rigid bodies are
 * in body.hpp. */
#ifndef PERP_CXX_SYSTEM_HPP
#define PERP_CXX_SYSTEM_HPP

#include <cstdint>

#include "perp/callable.hpp"
#include "perp/first_order.h"
#include "perp/lagrangian.h"
#include "perp/model.h"
#include "perp/sparse.hpp"

namespace perp {

/** T(q, z) u(t, q, v, z) on the right-hand side of a Lagrangian system. */
struct control {
  std::int32_t n_u = 0;                         /**< entries of u; 0: no control     */
  array T;                                      /**< n x n_u, constant, or           */
  callable<positions, parameters, span> effect; /**< T(q, z)                         */
  callable<double, positions, velocities, parameters, span> u;    /**< n_u entries              */
  jacobian<double, positions, velocities, parameters, span> u_dq; /**< n_u x n; none: by
                                                                     differences             */
  jacobian<double, positions, velocities, parameters, span> u_dv; /**< n_u x n               */
};

/** T(x, z) u(t, x, z) on the right-hand side of a first-order system. */
struct first_order_control {
  std::int32_t n_u = 0;                            /**< entries of u; 0: no control     */
  array T;                                         /**< n x n_u, constant, or           */
  callable<states, parameters, span> effect;       /**< T(x, z)                         */
  callable<double, states, parameters, span> u;    /**< n_u entries                     */
  jacobian<double, states, parameters, span> u_dx; /**< n_u x n; none: by differences   */
};

/** M v̇ + C v + K q = f + F(t) + T u + r. Square matrices: n entries are a diagonal, n * n a dense
 * matrix by columns (see rows()), a sparse_matrix is that, none: absent. */
struct lagrangian_linear {
  std::int32_t n;        /**< degrees of freedom                             */
  matrix M;              /**< mass, regular (kg for translations)            */
  matrix C;              /**< damping (N s/m)                                */
  matrix K;              /**< stiffness (N/m)                                */
  array f;               /**< n: constant force (N)                          */
  time_function force;   /**< F(t) (N), added to f                           */
  perp::control control; /**< evaluated in every step                      */
  array z;               /**< parameters of control: borrow() to change      */
  array typical_q;       /**< n sizes of q, > 0, for differences; none: 1    */
  array typical_v;       /**< n sizes of v                                   */

  /** The most common fields; the others are set by name. */
  explicit lagrangian_linear(std::int32_t dof, matrix mass = {}, array constant_force = {})
      : n(dof), M(std::move(mass)), f(std::move(constant_force)) {}
};

/** M(q, z) v̇ + N(q, v, z) + F_int(t, q, v, z) = f + F_ext(t, z) + T u + r. Terms without a callable
 * are absent, Jacobians without one are taken by differences. */
struct lagrangian {
  /** Writes what depends on t, q and v. */
  using force_function = callable<double, positions, velocities, parameters, span>;
  /** A derivative of that, n x n. */
  using force_jacobian = jacobian<double, positions, velocities, parameters, span>;

  std::int32_t n; /**< degrees of freedom                                               */
  matrix M;       /**< constant mass, a diagonal or dense, or                           */
  callable<positions, parameters, span> mass; /**< M(q, z), n x n, both triangles       */
  callable<positions, velocities, parameters, span> gyroscopic;    /**< N, n               */
  jacobian<positions, velocities, parameters, span> gyroscopic_dq; /**< ∂N/∂q, n x n    */
  jacobian<positions, velocities, parameters, span> gyroscopic_dv; /**< ∂N/∂v, n x n    */
  force_function internal;                                         /**< F_int, n                 */
  force_jacobian internal_dq;                      /**< ∂F_int/∂q, n x n         */
  force_jacobian internal_dv;                      /**< ∂F_int/∂v, n x n         */
  callable<double, parameters, span> external;     /**< F_ext, n                 */
  callable<positions, parameters, span> potential; /**< V(q, z), one entry (J)   */
  array f;                                         /**< n: constant force        */
  perp::control control;                           /**< n_u = 0: none            */
  array z;         /**< parameters, read in every evaluation: borrow() to change        */
  array typical_q; /**< n sizes of q, > 0, for differences; none: 1                     */
  array typical_v; /**< n sizes of v                                                    */

  /** The most common fields; the others are set by name. */
  explicit lagrangian(std::int32_t dof, matrix constant_mass = {}, array constant_force = {})
      : n(dof), M(std::move(constant_mass)), f(std::move(constant_force)) {}
};

/** M ẋ = (A + A(t)) x + b + B(t) + T u + r. Square matrices as in lagrangian_linear; no M: the
 * identity. */
struct first_order_linear {
  std::int32_t n;              /**< size of x                       */
  matrix M;                    /**< regular; none: identity         */
  matrix A;                    /**< state matrix                    */
  array b;                     /**< n: constant input               */
  time_function input;         /**< input of time, added to b       */
  time_function state_matrix;  /**< A(t), n x n by columns, added to A             */
  first_order_control control; /**< evaluated in every step                        */
  array z;                     /**< parameters of control: borrow() to change      */
  array typical;               /**< n sizes of x, > 0, for differences; none: 1    */

  /** The most common fields; the others are set by name. */
  explicit first_order_linear(std::int32_t size, matrix constant_matrix = {},
                              array constant_input = {})
      : n(size), A(std::move(constant_matrix)), b(std::move(constant_input)) {}
};

/** M ẋ = f(t, x, z) + T u + r. */
struct first_order {
  std::int32_t n;                                  /**< size of x                         */
  matrix M;                                        /**< constant, regular; none: identity */
  callable<double, states, parameters, span> f;    /**< n entries                         */
  jacobian<double, states, parameters, span> f_dx; /**< ∂f/∂x, n x n                      */
  first_order_control control;                     /**< n_u = 0: none                     */
  array z;       /**< parameters, read in every evaluation: borrow() to change            */
  array typical; /**< n sizes of x, > 0, for differences; none: 1                         */

  /** The most common fields; the others are set by name. */
  explicit first_order(std::int32_t size, callable<double, states, parameters, span> right = {},
                       jacobian<double, states, parameters, span> derivative = {})
      : n(size), f(std::move(right)), f_dx(std::move(derivative)) {}
};

namespace detail {

/** A C description of a system; n_q positions at order 2. */
struct system_form : c_form<perp_system> {
  std::int32_t n_q = 0; /**< positions                 */
  static constexpr std::int32_t order = 2;

 protected:
  /** Set up the description of a kind. Callables get n of each state, and what z holds. */
  template <class C>
  void start(const char *kind, C &c, perp_status (*init)(C *, std::size_t, std::int32_t),
             std::int32_t n, std::size_t n_z) {
    what = kind;
    if (n < 1) detail::refuse(PERP_EINVAL, kind, "systems.n", -1, n);
    check(init(&c, sizeof c, n), kind);
    head = &c.system;
    n_q = n;
    back->of = {static_cast<std::size_t>(n), static_cast<std::size_t>(n), n_z};
  }
  /** The view of a square matrix whose shape its number of entries tells. */
  perp_matrix square(const char *field, const matrix &a, std::int32_t n) {
    const auto size = static_cast<std::size_t>(n);
    if (a.sparse() != nullptr) {
      if (a.sparse()->rows() == n && a.sparse()->columns() == n) return a.sparse()->get();
      detail::refuse(PERP_EINVAL, what, field, -1, a.sparse()->rows());
    }
    if (a.empty()) return perp_matrix{};
    if (a.size() == size) return perp_diagonal(n, at_home(a));
    if (a.size() == size * size) return perp_dense(n, n, at_home(a));
    char text[256];
    (void)std::snprintf(text, sizeof text,
                        "%s: %s has %lu entries where n = %ld needs %lu (diagonal) or %lu (dense)",
                        what, field, static_cast<unsigned long>(a.size()), static_cast<long>(n),
                        static_cast<unsigned long>(size), static_cast<unsigned long>(size * size));
    detail::refuse(PERP_EINVAL, text, field, -1, static_cast<double>(a.size()));
  }
  std::size_t n() const { return back->of.b; }

  /** What both kinds of control have; their callables are numbers 10, 11. */
  template <class Control>
  void begin_control(perp_control &c, const Control &from) {
    if (from.n_u < 0) detail::refuse(PERP_EINVAL, what, "control.n_u", -1, from.n_u);
    if (from.n_u == 0) return;
    symmetric = false;
    c.n_u = from.n_u;
    c.T = sized("control.T", from.T, n() * static_cast<std::size_t>(from.n_u));
    back->bind<10>(c.effect, from.effect, n() * static_cast<std::size_t>(from.n_u));
    back->bind<11>(c.u, from.u, static_cast<std::size_t>(from.n_u));
    c.user = back.get();
  }
  void set_control(perp_control &c, const control &from) {
    begin_control(c, from);
    const auto entries = static_cast<std::size_t>(c.n_u) * n();
    if (entries == 0) return;
    back->bind<12>(c.u_dq, from.u_dq, entries, what, "control.u_dq");
    back->bind<13>(c.u_dv, from.u_dv, entries, what, "control.u_dv");
  }
  void set_control(perp_control &c, const first_order_control &from) {
    begin_control(c, from);
    const auto entries = static_cast<std::size_t>(c.n_u) * n();
    if (entries > 0) back->bind<12>(c.u_dv, from.u_dx, entries, what, "control.u_dx");
  }
};

template <>
struct form<lagrangian_linear> : system_form {
  perp_lagrangian_linear c;
  template <class S>
  void fill(const S &s) {
    start("lagrangian_linear", c, perp_lagrangian_linear_init, s.n, s.z.size());
    if (s.M.absent()) wrong_size(what, "M", 0, n());
    c.M = square("M", s.M, s.n);
    c.C = square("C", s.C, s.n);
    c.K = square("K", s.K, s.n);
    c.f = sized("f", s.f, n());
    back->bind<0>(c.force, s.force, n());
    c.user = back.get();
    set_control(c.control, s.control);
    c.z = parameters(s.z);
    c.n_z = static_cast<std::int32_t>(s.z.size());
    c.typical_q = sized("typical_q", s.typical_q, n());
    c.typical_v = sized("typical_v", s.typical_v, n());
  }
};

template <>
struct form<lagrangian> : system_form {
  perp_lagrangian c;
  template <class S>
  void fill(const S &s) {
    start("lagrangian", c, perp_lagrangian_init, s.n, s.z.size());
    if (s.M.absent() && !s.mass) wrong_size(what, "M", 0, n());
    const std::size_t square_size = n() * n();
    c.M = square("M", s.M, s.n);
    back->bind<0>(c.mass, s.mass, square_size);
    back->bind<1>(c.gyroscopic, s.gyroscopic, n());
    back->bind<2>(c.gyroscopic_dq, s.gyroscopic_dq, square_size, what, "gyroscopic_dq");
    back->bind<3>(c.gyroscopic_dv, s.gyroscopic_dv, square_size, what, "gyroscopic_dv");
    back->bind<4>(c.internal, s.internal, n());
    back->bind<5>(c.internal_dq, s.internal_dq, square_size, what, "internal_dq");
    back->bind<6>(c.internal_dv, s.internal_dv, square_size, what, "internal_dv");
    back->bind<7>(c.external, s.external, n());
    back->bind<8>(c.potential, s.potential, 1);
    c.user = back.get();
    c.f = sized("f", s.f, n());
    set_control(c.control, s.control);
    c.z = parameters(s.z);
    c.n_z = static_cast<std::int32_t>(s.z.size());
    c.typical_q = sized("typical_q", s.typical_q, n());
    c.typical_v = sized("typical_v", s.typical_v, n());
    symmetric = symmetric && !s.gyroscopic && !s.internal;
  }
};

template <>
struct form<first_order_linear> : system_form {
  static constexpr std::int32_t order = 1;
  perp_first_order_linear c;
  template <class S>
  void fill(const S &s) {
    start("first_order_linear", c, perp_first_order_linear_init, s.n, s.z.size());
    c.M = square("M", s.M, s.n);
    c.A = square("A", s.A, s.n);
    c.b = sized("b", s.b, n());
    back->bind<0>(c.input, s.input, n());
    back->bind<1>(c.state_matrix, s.state_matrix, n() * n());
    c.user = back.get();
    set_control(c.control, s.control);
    c.z = parameters(s.z);
    c.n_z = static_cast<std::int32_t>(s.z.size());
    c.typical = sized("typical", s.typical, n());
  }
};

template <>
struct form<first_order> : system_form {
  static constexpr std::int32_t order = 1;
  perp_first_order c;
  template <class S>
  void fill(const S &s) {
    start("first_order", c, perp_first_order_init, s.n, s.z.size());
    if (!s.f) detail::refuse(PERP_EINVAL, "first_order: f is needed", "f");
    c.M = square("M", s.M, s.n);
    back->bind<0>(c.f, s.f, n());
    back->bind<1>(c.f_dx, s.f_dx, n() * n(), what, "f_dx");
    c.user = back.get();
    set_control(c.control, s.control);
    c.z = parameters(s.z);
    c.n_z = static_cast<std::int32_t>(s.z.size());
    c.typical = sized("typical", s.typical, n());
  }
};

}  // namespace detail

}  // namespace perp

#endif
