// SPDX-License-Identifier: MIT
/** @file system.hpp
 * Systems and relations as values with public fields, named as the C descriptions they become. */
#ifndef PERP_CXX_SYSTEM_HPP
#define PERP_CXX_SYSTEM_HPP

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>

#include "perp/model.h"
#include "perp/sparse.hpp"
#include "perp/view.hpp"

namespace perp {

/** A function of time: any callable `f(double t, perp::span out)` that returns nothing, or 0 for
 * done, > 0 to ask for a smaller step, < 0 to give up. Kept on the heap, shared by copies, so that
 * what holds it may be moved. It must be pure; what it throws comes out of step(). */
class time_function {
 public:
  using signature = std::int32_t(double, span); /**< what it is called as */
  /** None, or a copy of a callable. */
  /**@{*/
  time_function() = default;
  time_function(std::nullptr_t) {}
  template <class F, class = std::enable_if_t<!std::is_same_v<std::decay_t<F>, time_function> &&
                                              std::is_invocable_v<F &, double, span>>>
  time_function(F f) {
    if constexpr (std::is_void_v<std::invoke_result_t<F &, double, span>>) {
      call_ = std::make_shared<std::function<signature>>(
          [f = std::move(f)](double t, span out) mutable {
            f(t, out);
            return std::int32_t{0};
          });
    } else {
      call_ = std::make_shared<std::function<signature>>(std::move(f));
    }
  }
  /**@}*/
  /** Whether there is one. */
  explicit operator bool() const noexcept { return call_ != nullptr; }
  /** Call it. */
  std::int32_t operator()(double t, span out) const { return (*call_)(t, out); }
  /** Where the callable lives: equal for copies, nullptr if there is none. */
  const void *address() const noexcept { return call_.get(); }

 private:
  std::shared_ptr<std::function<signature>> call_;
};

/** M v̇ + C v + K q = f + F(t) + r. Square matrices: n entries are a diagonal, n * n a dense matrix
 * by columns (see rows()), a sparse_matrix is that, none: absent. */
struct lagrangian_linear {
  std::int32_t n;      /**< degrees of freedom                             */
  matrix M;            /**< mass, regular (kg for translations)            */
  matrix C;            /**< damping (N s/m)                                */
  matrix K;            /**< stiffness (N/m)                                */
  array f;             /**< n: constant force (N)                          */
  time_function force; /**< F(t) (N), added to f                           */

  /** The most common fields; the others are set by name. */
  explicit lagrangian_linear(std::int32_t dof, matrix mass = {}, array constant_force = {})
      : n(dof), M(std::move(mass)), f(std::move(constant_force)) {}
  /** Hand over all fields, from which equal descriptions are recognised. */
  template <class Visit>
  void each(Visit &&visit) const {
    visit(n), visit(M), visit(C), visit(K), visit(f), visit(force);
  }
};

/** M ẋ = A x + b + B(t) + r. Square matrices as in lagrangian_linear; no M: the identity. */
struct first_order_linear {
  std::int32_t n;      /**< size of x                       */
  matrix M;            /**< regular; none: identity         */
  matrix A;            /**< state matrix                    */
  array b;             /**< n: constant input               */
  time_function input; /**< input of time, added to b       */

  /** The most common fields; the others are set by name. */
  explicit first_order_linear(std::int32_t size, matrix state_matrix = {},
                              array constant_input = {})
      : n(size), A(std::move(state_matrix)), b(std::move(constant_input)) {}
  /** @copydoc lagrangian_linear::each */
  template <class Visit>
  void each(Visit &&visit) const {
    visit(n), visit(M), visit(A), visit(b), visit(input);
  }
};

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
  /** @copydoc lagrangian_linear::each */
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

  /** @copydoc lagrangian_linear::each */
  template <class Visit>
  void each(Visit &&visit) const {
    visit(m), visit(C), visit(D), visit(B), visit(F), visit(e), visit(a), visit(z);
  }
};

namespace detail {

[[noreturn]] inline void wrong_size(const char *what, const char *field, std::size_t size,
                                    std::size_t need) {
  const std::string text = std::string(what) + ": " + field + " has " + std::to_string(size) +
                           " entries where " + std::to_string(need) + " are needed";
  throw error(PERP_EINVAL, text.c_str(), field, -1, static_cast<double>(size));
}

/** a holds need entries, or none. */
inline void require_size(const char *what, const char *field, const array &a, std::size_t need) {
  if (!a.empty() && a.size() != need) wrong_size(what, field, a.size(), need);
}

/** The view of a square matrix whose shape its number of entries tells. */
inline perp_matrix square(const char *what, const char *field, const matrix &a, std::int32_t n) {
  const auto size = static_cast<std::size_t>(n);
  if (a.sparse() != nullptr) {
    if (a.sparse()->rows() == n && a.sparse()->columns() == n) return a.sparse()->get();
    throw error(PERP_EINVAL, what, field, -1, a.sparse()->rows());
  }
  if (a.empty()) return perp_matrix{};
  if (a.size() == size) return perp_diagonal(n, a.data());
  if (a.size() == size * size) return perp_dense(n, n, a.data());
  const std::string text = std::string(what) + ": " + field + " has " + std::to_string(a.size()) +
                           " entries where n = " + std::to_string(n) + " needs " +
                           std::to_string(size) + " (diagonal) or " + std::to_string(size * size) +
                           " (dense)";
  throw error(PERP_EINVAL, text.c_str(), field, -1, static_cast<double>(a.size()));
}

/** Where C calls a function of time back: it keeps what was thrown, and tells C to give up. */
struct callback {
  time_function function;
  std::size_t n = 0;
  std::exception_ptr thrown;

  static std::int32_t call(double t, double *out, void *self) noexcept {
    auto *c = static_cast<callback *>(self);
    try {
      return c->function(t, span(out, c->n));
    } catch (...) {
      c->thrown = std::current_exception();
      return -1;
    }
  }
};

/** The C description of s; points into s and to back. */
inline perp_lagrangian_linear describe(const lagrangian_linear &s, callback *back) {
  constexpr const char *what = "lagrangian_linear";
  perp_lagrangian_linear c;
  if (s.n < 1) throw error(PERP_EINVAL, what, "n", -1, s.n);
  check(perp_lagrangian_linear_init(&c, sizeof c, s.n), what);
  if (s.M.absent()) wrong_size(what, "M", 0, static_cast<std::size_t>(s.n));
  c.M = square(what, "M", s.M, s.n);
  c.C = square(what, "C", s.C, s.n);
  c.K = square(what, "K", s.K, s.n);
  require_size(what, "f", s.f, static_cast<std::size_t>(s.n));
  c.f = s.f.pointer();
  if (s.force && back != nullptr) {
    c.force = callback::call;
    c.user = back;
  }
  return c;
}

/** @copydoc describe */
inline perp_first_order_linear describe(const first_order_linear &s, callback *back) {
  constexpr const char *what = "first_order_linear";
  perp_first_order_linear c;
  if (s.n < 1) throw error(PERP_EINVAL, what, "n", -1, s.n);
  check(perp_first_order_linear_init(&c, sizeof c, s.n), what);
  c.M = square(what, "M", s.M, s.n);
  c.A = square(what, "A", s.A, s.n);
  require_size(what, "b", s.b, static_cast<std::size_t>(s.n));
  c.b = s.b.pointer();
  if (s.input && back != nullptr) {
    c.input = callback::call;
    c.user = back;
  }
  return c;
}

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

/** The C description of r, whose m is known. */
inline perp_lagrangian_linear_relation describe(const lagrangian_linear_relation &r,
                                                std::int32_t n) {
  constexpr const char *what = "lagrangian_linear_relation";
  const auto m = static_cast<std::size_t>(r.m);
  require_parts(what, r, m);
  require_size(what, "b", r.b, m);
  perp_lagrangian_linear_relation c;
  check(perp_lagrangian_linear_relation_init(&c, sizeof c, r.m, n), what);
  c.H = r.H.pointer();
  if (r.H.sparse() != nullptr) c.H_rows = r.H.sparse()->get();
  c.D = r.D.pointer();
  c.F = r.F.pointer();
  c.b = r.b.pointer();
  c.z = r.z.pointer();
  c.n_z = static_cast<std::int32_t>(r.z.size());
  return c;
}

/** @copydoc describe */
inline perp_linear_relation describe(const linear_relation &r, std::int32_t n) {
  constexpr const char *what = "linear_relation";
  const auto m = static_cast<std::size_t>(r.m), cols = static_cast<std::size_t>(n);
  require_parts(what, r, m);
  require_size(what, "B", r.B, cols * m);
  require_size(what, "e", r.e, m);
  require_size(what, "a", r.a, cols);
  perp_linear_relation c;
  check(perp_linear_relation_init(&c, sizeof c, r.m, n), what);
  c.C = r.C.pointer();
  c.D = r.D.pointer();
  c.B = r.B.pointer();
  c.F = r.F.pointer();
  c.e = r.e.pointer();
  c.a = r.a.pointer();
  c.z = r.z.pointer();
  c.n_z = static_cast<std::int32_t>(r.z.size());
  return c;
}

}  // namespace detail

}  // namespace perp

#endif
