// SPDX-License-Identifier: MIT
/** @file relation.hpp
 * Linear relations as values with public fields, named as the C descriptions they become, and what
 * all relations share. */
#ifndef PERP_CXX_RELATION_HPP
#define PERP_CXX_RELATION_HPP

#include <cstdint>

#include "perp/callable.hpp"
#include "perp/first_order_relation.h"
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
};

namespace detail {

/** What a relation meets where it is connected. */
struct joined_shape {
  std::int32_t n = 0;        /**< velocities or states of the systems joined */
  std::int32_t n_q = 0;      /**< their positions                            */
  std::int32_t systems = 0;  /**< how many there are                         */
  std::int32_t law_size = 1; /**< components of a copy of the law            */
};

/** Rows of a relation over n degrees of freedom, from the entries of its matrix if not said. */
inline std::int32_t rows_of(const char *what, const char *field, const matrix &H, std::int32_t m,
                            std::int32_t n) {
  if (H.sparse() != nullptr) {
    if (H.sparse()->columns() == n && (m == 0 || H.sparse()->rows() == m))
      return H.sparse()->rows();
    detail::refuse(PERP_EINVAL, what, field, -1, H.sparse()->columns());
  }
  const auto cols = static_cast<std::size_t>(n);
  const std::size_t m_or_more =
      m > 0 ? static_cast<std::size_t>(m) : (H.size() < cols ? 1 : H.size() / cols);
  if (m < 0) detail::refuse(PERP_EINVAL, what, "m", -1, m);
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
  static constexpr std::int32_t order = 2;

 protected:
  /** Set up the description of a kind of m rows over systems of a shape. Callables get all
   * positions and velocities, or states and λ if it reads them. */
  template <class C>
  void start(const char *kind, C &c,
             perp_status (*init)(C *, std::size_t, std::int32_t, std::int32_t), std::int32_t m,
             const joined_shape &at) {
    what = kind;
    if (m < 1) detail::refuse(PERP_EINVAL, kind, "relation.m", -1, m);
    check(init(&c, sizeof c, m, at.n), kind);
    rows_ = static_cast<std::size_t>(m);
    n_ = static_cast<std::size_t>(at.n);
    back->of.a = static_cast<std::size_t>(at.n_q);
    back->of.b = n_;
  }
  template <class C>
  void parameters_of(C &c, const array &z) {
    c.z = parameters(z);
    c.n_z = static_cast<std::int32_t>(z.size());
    back->of.z = z.size();
  }
  template <class F>
  void need(const char *field, const F &f) const {
    if (!f) {
      detail::refuse(PERP_EINVAL,
                     std::string(what).append(": ").append(field).append(" is needed").c_str(),
                     field);
    }
  }
  /** Constants of a linear relation, those of them that are there. */
  void set_constants(perp_linear_relation &c, const linear_relation &r) {
    c.C = sized("C", r.C, m() * n());
    c.D = at_home(r.D);
    c.B = sized("B", r.B, n() * m());
    c.F = at_home(r.F);
    c.e = sized("e", r.e, m());
    c.a = sized("a", r.a, n());
    c.z = parameters(r.z);
    c.n_z = static_cast<std::int32_t>(r.z.size());
  }
  std::size_t m() const { return rows_; }
  std::size_t n() const { return n_; }

 private:
  std::size_t rows_ = 0, n_ = 0;
};

template <>
struct form<lagrangian_linear_relation> : relation_form {
  perp_lagrangian_linear_relation c;
  template <class R>
  void fill(const R &r, const joined_shape &at) {
    constexpr const char *kind = "lagrangian_linear_relation";
    start(kind, c, perp_lagrangian_linear_relation_init, rows_of(kind, "H", r.H, r.m, at.n), at);
    head = &c.relation;
    require_parts(what, r, m());
    c.H = at_home(r.H);
    if (r.H.sparse() != nullptr) c.H_rows = r.H.sparse()->get();
    c.D = at_home(r.D);
    c.F = at_home(r.F);
    c.b = sized("b", r.b, m());
    parameters_of(c, r.z);
  }
};

template <>
struct form<linear_relation> : relation_form {
  static constexpr std::int32_t order = 1;
  perp_linear_relation c;
  template <class R>
  void fill(const R &r, const joined_shape &at) {
    constexpr const char *kind = "linear_relation";
    start(kind, c, perp_linear_relation_init, rows_of(kind, "C", r.C, r.m, at.n), at);
    head = &c.relation;
    require_parts(what, r, m());
    set_constants(c, r);
  }
};

template <>
struct form<linear_varying_relation> : relation_form {
  static constexpr std::int32_t order = 1;
  perp_linear_varying_relation c;
  template <class R>
  void fill(const R &r, const joined_shape &at) {
    constexpr const char *kind = "linear_varying_relation";
    const std::int32_t rows =
        r.C ? (r.linear.m > 1 ? r.linear.m : 1) : rows_of(kind, "C", r.linear.C, r.linear.m, at.n);
    start(kind, c, perp_linear_varying_relation_init, rows, at);
    head = &c.linear.relation;
    require_size(what, "D", r.linear.D, m() * m());
    require_size(what, "F", r.linear.F, m() * r.linear.z.size());
    if (r.linear.F.empty() && !r.F && !r.linear.z.empty()) {
      wrong_size(what, "F", 0, m() * r.linear.z.size());
    }
    set_constants(c.linear, r.linear);
    back->bind<0>(c.C, r.C, m() * n());
    back->bind<1>(c.D, r.D, m() * m());
    back->bind<2>(c.B, r.B, n() * m());
    back->bind<3>(c.F, r.F, m() * r.linear.z.size());
    back->bind<4>(c.e, r.e, m());
    back->bind<5>(c.a, r.a, n());
    c.user = back.get();
  }
};

}  // namespace detail

}  // namespace perp

#endif
