// SPDX-License-Identifier: MIT
/** @file relation.hpp
 * Relations as values with public fields, named as the C descriptions they become. Contacts and
 * joints of rigid bodies are in body.hpp. */
#ifndef PERP_CXX_RELATION_HPP
#define PERP_CXX_RELATION_HPP

#include <cstdint>
#include <vector>

#include "perp/boundary.h"
#include "perp/callable.hpp"
#include "perp/first_order_relation.h"
#include "perp/lagrangian_relation.h"
#include "perp/model.h"
#include "perp/sparse.hpp"

namespace perp {

/** y = H q + F z + b, ẏ = H v + D λ, r = Hᵀλ. Matrices by columns (see rows()). */
struct lagrangian_linear_relation {
  matrix H;           /**< m x n, n the degrees of freedom of the systems joined  */
  array D;            /**< m x m                                                  */
  array F;            /**< m x n_z                                                */
  array b;            /**< m                                                      */
  array z;            /**< n_z parameters, read in every step: borrow() to change */
  std::int32_t m = 0; /**< rows; 0: entries of H / n                              */

  /** With H by columns, or with everything still to be set. */
  /**@{*/
  lagrangian_linear_relation() = default;
  explicit lagrangian_linear_relation(array gap_matrix) : H(std::move(gap_matrix)) {}
  explicit lagrangian_linear_relation(sparse_matrix gap_matrix) : H(std::move(gap_matrix)) {}
  explicit lagrangian_linear_relation(std::initializer_list<double> gap_matrix) : H(gap_matrix) {}
  /**@}*/
  /** @copydoc control::each */
  template <class Visit>
  void each(Visit &&visit) const {
    visit(m), visit(H), visit(D), visit(F), visit(b), visit(z);
  }
};

/** y = C x + D λ + F z + e, r = B λ + a. Matrices by columns (see rows()). */
struct linear_relation {
  array C;            /**< m x n, n the states of the systems joined              */
  array D;            /**< m x m                                                  */
  array B;            /**< n x m; none: y is only observed                        */
  array F;            /**< m x n_z                                                */
  array e;            /**< m                                                      */
  array a;            /**< n                                                      */
  array z;            /**< n_z parameters, read in every step: borrow() to change */
  std::int32_t m = 0; /**< rows; 0: entries of C / n                              */

  /** @copydoc control::each */
  template <class Visit>
  void each(Visit &&visit) const {
    visit(m), visit(C), visit(D), visit(B), visit(F), visit(e), visit(a), visit(z);
  }
};

/** Velocities v[index] that are prescribed, for equality(): ẏ = v[index] − v̄(t), with
 * v̄ = constant + Σ amplitude cos(omega t + phase) + F(t). λ is the impulse that it takes. */
struct prescribed_velocity {
  std::vector<std::int32_t> index;      /**< m different ones of the systems joined           */
  array constant;                       /**< m (m/s), none: 0                                 */
  std::vector<perp_harmonic> harmonics; /**< the same number for each condition, one after the
                                             other: amplitude, omega, phase                   */
  time_function velocity;               /**< F(t), m entries                                  */

  /** The most common fields; the others are set by name. */
  explicit prescribed_velocity(std::vector<std::int32_t> which = {0}, array constant_part = {})
      : index(std::move(which)), constant(std::move(constant_part)) {}
  /** @copydoc control::each */
  template <class Visit>
  void each(Visit &&visit) const {
    visit(index), visit(constant), visit(harmonics), visit(velocity);
  }
};

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

  /** @copydoc control::each */
  template <class Visit>
  void each(Visit &&visit) const {
    visit(m), visit(h), visit(g), visit(C), visit(D), visit(B), visit(K), visit(z),
        visit(typical_x), visit(typical_lambda);
  }
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

  /** @copydoc control::each */
  template <class Visit>
  void each(Visit &&visit) const {
    visit(m), visit(h), visit(g), visit(C), visit(B), visit(z), visit(typical_x),
        visit(typical_lambda);
  }
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

  /** @copydoc control::each */
  template <class Visit>
  void each(Visit &&visit) const {
    visit(m), visit(h), visit(g), visit(C), visit(D), visit(B), visit(z), visit(typical_x),
        visit(typical_lambda);
  }
};

/** y = C(t) x + D(t) λ + F(t) z + e(t), r = B(t) λ + a(t): each coefficient constant, in linear, or
 * the function of time of its name. */
struct linear_varying_relation {
  linear_relation linear; /**< constants, z, and m (needed where C is a function) */
  time_function C;        /**< m x n by columns                                   */
  time_function D;        /**< m x m                                              */
  time_function B;        /**< n x m                                              */
  time_function F;        /**< m x n_z, needs linear.z                            */
  time_function e;        /**< m                                                  */
  time_function a;        /**< n                                                  */

  /** @copydoc control::each */
  template <class Visit>
  void each(Visit &&visit) const {
    linear.each(visit);
    visit(C), visit(D), visit(B), visit(F), visit(e), visit(a);
  }
};

/** y = h(q, z), ẏ = H v, r = Hᵀλ. Of bodies q has 7 entries each, and H, which is then needed, 6
 * columns for each. */
struct lagrangian_scleronomous {
  std::int32_t m = 1;                      /**< rows                                  */
  callable<positions, parameters, span> h; /**< y, m                                  */
  jacobian<positions, parameters, span> H; /**< ∂h/∂q, m x n; none: by differences    */
  array z;         /**< parameters, read in every evaluation: borrow() to change          */
  array typical_q; /**< n sizes of q, > 0, for differences; none: 1                       */

  /** @copydoc control::each */
  template <class Visit>
  void each(Visit &&visit) const {
    visit(m), visit(h), visit(H), visit(z), visit(typical_q);
  }
};

/** y = h(t, q, z), ẏ = H v + ∂h/∂t, r = Hᵀλ. */
struct lagrangian_rheonomous {
  std::int32_t m = 1;                                /**< rows                               */
  callable<double, positions, parameters, span> h;   /**< y, m                               */
  jacobian<double, positions, parameters, span> H;   /**< ∂h/∂q, m x n; none: by differences */
  jacobian<double, positions, parameters, span> h_t; /**< ∂h/∂t, m; none: by differences     */
  array z;         /**< parameters, read in every evaluation: borrow() to change          */
  array typical_q; /**< n sizes of q, > 0, for differences; none: 1                       */

  /** @copydoc control::each */
  template <class Visit>
  void each(Visit &&visit) const {
    visit(m), visit(h), visit(H), visit(h_t), visit(z), visit(typical_q);
  }
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

  /** @copydoc control::each */
  template <class Visit>
  void each(Visit &&visit) const {
    visit(m), visit(h), visit(H), visit(D), visit(z), visit(typical_q), visit(typical_lambda);
  }
};

/** ẏ = g(t, q, v, z), r = Hᵀλ, H = ∂g/∂v; without a position: skates, wheels, clutches. */
struct lagrangian_velocity_relation {
  std::int32_t m = 1;                                          /**< rows          */
  callable<double, positions, velocities, parameters, span> g; /**< ẏ, m          */
  jacobian<double, positions, velocities, parameters, span> H; /**< ∂g/∂v, m x n; none: by
                                                                    differences   */
  array z;         /**< parameters, read in every evaluation: borrow() to change       */
  array typical_v; /**< n sizes of v, > 0, for differences; none: 1                    */

  /** @copydoc control::each */
  template <class Visit>
  void each(Visit &&visit) const {
    visit(m), visit(g), visit(H), visit(z), visit(typical_v);
  }
};

/** Contacts of a mechanism with friction, as many rows each as the law has components, the first
 * normal: ẏ_n = G v + h_t, ẏ_t = T v + s. */
struct lagrangian_contact_relation {
  std::int32_t gaps = 1;                           /**< contacts                            */
  callable<double, positions, parameters, span> h; /**< their gaps                          */
  jacobian<double, positions, parameters, span> G; /**< ∂h/∂q, gaps x n; none: differences  */
  jacobian<double, positions, parameters, span> T; /**< tangential directions, gaps (size − 1) x n:
                                                        those of the first, of the second   */
  jacobian<double, positions, parameters, span> h_t; /**< ∂h/∂t, gaps; none: 0                */
  jacobian<double, positions, parameters, span> s;   /**< gaps (size − 1): tangential velocity of
                                                          what they touch, as in ẏ_t; none: 0 */
  array z;         /**< parameters, read in every evaluation: borrow() to change              */
  array typical_q; /**< n sizes of q, > 0, for differences; none: 1                           */

  /** @copydoc control::each */
  template <class Visit>
  void each(Visit &&visit) const {
    visit(gaps), visit(h), visit(G), visit(T), visit(h_t), visit(s), visit(z), visit(typical_q);
  }
};

namespace detail {

/** What a relation meets where it is connected. */
struct joined_shape {
  std::int32_t n = 0;        /**< velocities or states of the systems joined */
  std::int32_t n_q = 0;      /**< their positions                            */
  std::int32_t systems = 0;  /**< how many there are                         */
  std::int32_t law_size = 1; /**< components of a copy of the law            */
  template <class Visit>
  void each(Visit &&visit) const {
    visit(n), visit(n_q), visit(systems), visit(law_size);
  }
};

/** Rows of a relation over n degrees of freedom, from the entries of its matrix if not said. */
inline std::int32_t rows_of(const char *what, const char *field, const matrix &H, std::int32_t m,
                            std::int32_t n) {
  if (H.sparse() != nullptr) {
    if (H.sparse()->columns() == n && (m == 0 || H.sparse()->rows() == m))
      return H.sparse()->rows();
    throw error(PERP_EINVAL, what, field, -1, H.sparse()->columns());
  }
  const auto cols = static_cast<std::size_t>(n);
  const std::size_t m_or_more =
      m > 0 ? static_cast<std::size_t>(m) : (H.size() < cols ? 1 : H.size() / cols);
  if (m < 0) throw error(PERP_EINVAL, what, "m", -1, m);
  if (H.size() != m_or_more * cols) wrong_size(what, field, H.size(), m_or_more * cols);
  return static_cast<std::int32_t>(m_or_more);
}

/** Sizes of the parts that both relations have. */
template <class R>
void require_parts(const char *what, const R &r, std::size_t m) {
  require_size(what, "D", r.D, m * m);
  require_size(what, "F", r.F, m * r.z.size());
  if (r.F.empty() && !r.z.empty()) wrong_size(what, "F", 0, m * r.z.size());
}

/** A C description of a relation. */
struct relation_form : c_form<perp_relation> {
  const char *what = ""; /**< the kind, for messages            */
  static constexpr std::int32_t order = 2;

 protected:
  /** Set up the description of a kind of m rows over systems of a shape. Callables get all
   * positions and velocities, or states and λ if it reads them. */
  template <class C>
  void start(const char *kind, C &c,
             perp_status (*init)(C *, std::size_t, std::int32_t, std::int32_t), std::int32_t m,
             const joined_shape &at) {
    what = kind;
    if (m < 1) throw error(PERP_EINVAL, kind, "m", -1, m);
    check(init(&c, sizeof c, m, at.n), kind);
    rows_ = static_cast<std::size_t>(m);
    n_ = static_cast<std::size_t>(at.n);
    back.of.a = static_cast<std::size_t>(at.n_q);
    back.of.b = n_;
  }
  template <class C>
  void parameters_of(C &c, const array &z) {
    c.z = z.pointer();
    c.n_z = static_cast<std::int32_t>(z.size());
    back.of.z = z.size();
  }
  template <class F>
  void need(const char *field, const F &f) const {
    if (!f) {
      throw error(PERP_EINVAL, (std::string(what) + ": " + field + " is needed").c_str(), field);
    }
  }
  std::size_t m() const { return rows_; }
  std::size_t n() const { return n_; }

 private:
  std::size_t rows_ = 0, n_ = 0;
};

template <>
struct form<lagrangian_linear_relation> : relation_form {
  perp_lagrangian_linear_relation c;
  form(const lagrangian_linear_relation &r, const joined_shape &at) {
    constexpr const char *kind = "lagrangian_linear_relation";
    start(kind, c, perp_lagrangian_linear_relation_init, rows_of(kind, "H", r.H, r.m, at.n), at);
    head = &c.relation;
    require_parts(what, r, m());
    c.H = r.H.pointer();
    if (r.H.sparse() != nullptr) c.H_rows = r.H.sparse()->get();
    c.D = r.D.pointer();
    c.F = r.F.pointer();
    c.b = sized(what, "b", r.b, m());
    parameters_of(c, r.z);
  }
};

/** Constants of a linear relation, those of them that are there. */
inline void set_constants(perp_linear_relation &c, const char *what, const linear_relation &r,
                          std::size_t m, std::size_t n) {
  c.C = sized(what, "C", r.C, m * n);
  c.D = r.D.pointer();
  c.B = sized(what, "B", r.B, n * m);
  c.F = r.F.pointer();
  c.e = sized(what, "e", r.e, m);
  c.a = sized(what, "a", r.a, n);
  c.z = r.z.pointer();
  c.n_z = static_cast<std::int32_t>(r.z.size());
}

template <>
struct form<linear_relation> : relation_form {
  static constexpr std::int32_t order = 1;
  perp_linear_relation c;
  form(const linear_relation &r, const joined_shape &at) {
    constexpr const char *kind = "linear_relation";
    start(kind, c, perp_linear_relation_init, rows_of(kind, "C", r.C, r.m, at.n), at);
    head = &c.relation;
    require_parts(what, r, m());
    set_constants(c, what, r, m(), n());
  }
};

template <>
struct form<linear_varying_relation> : relation_form {
  static constexpr std::int32_t order = 1;
  perp_linear_varying_relation c;
  form(const linear_varying_relation &r, const joined_shape &at) {
    constexpr const char *kind = "linear_varying_relation";
    const std::int32_t rows =
        r.C ? std::max(r.linear.m, 1) : rows_of(kind, "C", r.linear.C, r.linear.m, at.n);
    start(kind, c, perp_linear_varying_relation_init, rows, at);
    head = &c.linear.relation;
    require_size(what, "D", r.linear.D, m() * m());
    require_size(what, "F", r.linear.F, m() * r.linear.z.size());
    if (r.linear.F.empty() && !r.F && !r.linear.z.empty()) {
      wrong_size(what, "F", 0, m() * r.linear.z.size());
    }
    set_constants(c.linear, what, r.linear, m(), n());
    back.bind<0>(c.C, r.C, m() * n());
    back.bind<1>(c.D, r.D, m() * m());
    back.bind<2>(c.B, r.B, n() * m());
    back.bind<3>(c.F, r.F, m() * r.linear.z.size());
    back.bind<4>(c.e, r.e, m());
    back.bind<5>(c.a, r.a, n());
    c.user = &back;
  }
};

template <>
struct form<prescribed_velocity> : relation_form {
  perp_prescribed_velocity c;
  form(const prescribed_velocity &r, const joined_shape &at) {
    start("prescribed_velocity", c, perp_prescribed_velocity_init,
          static_cast<std::int32_t>(r.index.size()), at);
    head = &c.relation;
    c.index = r.index.data();
    c.constant = sized(what, "constant", r.constant, m());
    if (r.harmonics.size() % m() != 0) {
      wrong_size(what, "harmonics", r.harmonics.size(), (r.harmonics.size() / m() + 1) * m());
    }
    c.n_harmonics = static_cast<std::int32_t>(r.harmonics.size() / m());
    c.harmonics = r.harmonics.empty() ? nullptr : r.harmonics.data();
    back.bind<0>(c.velocity, r.velocity, m());
    c.user = &back;
  }
};

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
    back.of = {n(), m(), 0};
    parameters_of(c, r.z);
    need("h", r.h);
    back.bind<0>(c.h, r.h, m());
    back.bind<2>(c.C, r.C, m() * n(), what, "C");
    back.bind<4>(c.B, r.B, n() * m(), what, "B");
    c.user = &back;
    c.typical_x = sized(what, "typical_x", r.typical_x, n());
    c.typical_lambda = sized(what, "typical_lambda", r.typical_lambda, m());
  }
  /** g of λ alone: C's first array is x, which it does not look at. */
  template <class G>
  void set_g(const G &g) {
    back.bind<1>(c.g, g, n());
  }
};

template <>
struct form<first_order_relation> : first_order_form {
  form(const first_order_relation &r, const joined_shape &at) {
    set("first_order_relation", perp_first_order_relation_init, r, at);
    set_g(r.g);
    back.bind<3>(c.D, r.D, m() * m(), what, "D");
    back.bind<5>(c.K, r.K, n() * n(), what, "K");
  }
};

template <>
struct form<first_order_type1> : first_order_form {
  form(const first_order_type1 &r, const joined_shape &at) {
    set("first_order_type1", perp_first_order_type1_init, r, at);
    set_g(r.g);
  }
};

template <>
struct form<first_order_type2> : first_order_form {
  form(const first_order_type2 &r, const joined_shape &at) {
    set("first_order_type2", perp_first_order_type2_init, r, at);
    set_g(r.g);
    back.bind<3>(c.D, r.D, m() * m(), what, "D");
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
    back.of.b = m();
    parameters_of(c, r.z);
    need("h", r.h);
    back.bind<0>(c.h, r.h, m());
    back.bind<1>(c.H, r.H, m() * n(), what, "H");
    c.user = &back;
    c.bodies = at.n_q != at.n ? 1 : 0;
    c.typical_q = sized(what, "typical_q", r.typical_q, n());
  }
};

template <>
struct form<lagrangian_scleronomous> : lagrangian_form {
  form(const lagrangian_scleronomous &r, const joined_shape &at) {
    set("lagrangian_scleronomous", perp_lagrangian_scleronomous_init, r, at);
  }
};

template <>
struct form<lagrangian_rheonomous> : lagrangian_form {
  form(const lagrangian_rheonomous &r, const joined_shape &at) {
    set("lagrangian_rheonomous", perp_lagrangian_rheonomous_init, r, at);
    back.bind<2>(c.h_t, r.h_t, m(), what, "h_t");
  }
};

template <>
struct form<lagrangian_compliant> : lagrangian_form {
  form(const lagrangian_compliant &r, const joined_shape &at) {
    set("lagrangian_compliant", perp_lagrangian_compliant_init, r, at);
    back.bind<3>(c.D, r.D, m() * m(), what, "D");
    c.typical_lambda = sized(what, "typical_lambda", r.typical_lambda, m());
    symmetric = m() == 1;
  }
};

template <>
struct form<lagrangian_velocity_relation> : relation_form {
  perp_lagrangian_velocity_relation c;
  form(const lagrangian_velocity_relation &r, const joined_shape &at) {
    start("lagrangian_velocity_relation", c, perp_lagrangian_velocity_relation_init, r.m, at);
    head = &c.relation;
    parameters_of(c, r.z);
    need("g", r.g);
    back.bind<0>(c.g, r.g, m());
    back.bind<1>(c.H, r.H, m() * n(), what, "H");
    c.user = &back;
    c.bodies = at.n_q != at.n ? 1 : 0;
    c.typical_v = sized(what, "typical_v", r.typical_v, n());
  }
};

template <>
struct form<lagrangian_contact_relation> : relation_form {
  perp_lagrangian_contact_relation c;
  form(const lagrangian_contact_relation &r, const joined_shape &at) {
    what = "lagrangian_contact_relation";
    if (r.gaps < 1) throw error(PERP_EINVAL, what, "gaps", -1, r.gaps);
    if (at.law_size < 2) {
      throw error(PERP_EINVAL, "lagrangian_contact_relation: the law needs tangential components",
                  "size", -1, at.law_size);
    }
    check(perp_lagrangian_contact_relation_init(&c, sizeof c, r.gaps, at.law_size, at.n), what);
    head = &c.relation;
    const auto gaps = static_cast<std::size_t>(r.gaps), n_v = static_cast<std::size_t>(at.n);
    const std::size_t tangents = gaps * static_cast<std::size_t>(at.law_size - 1);
    back.of.a = static_cast<std::size_t>(at.n_q);
    parameters_of(c, r.z);
    need("h", r.h);
    back.bind<0>(c.h, r.h, gaps);
    back.bind<1>(c.G, r.G, gaps * n_v, what, "G");
    back.bind<2>(c.T, r.T, tangents * n_v, what, "T");
    if (c.T == nullptr) wrong_size(what, "T", 0, tangents * n_v);
    back.bind<3>(c.h_t, r.h_t, gaps, what, "h_t");
    back.bind<4>(c.s, r.s, tangents, what, "s");
    c.user = &back;
    c.bodies = at.n_q != at.n ? 1 : 0;
    c.typical_q = sized(what, "typical_q", r.typical_q, n_v);
  }
};

}  // namespace detail

}  // namespace perp

#endif
