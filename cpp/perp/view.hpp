// SPDX-License-Identifier: MIT
/** @file view.hpp
 * Arrays at the border: `view` (read), `span` (write), both borrowed; `array`, which a description
 * owns. All take std::vector, std::array, C arrays, braces, and anything with data() and size(),
 * Eigen's vectors and column-major matrices among them, of which no header is needed here. */
#ifndef PERP_CXX_VIEW_HPP
#define PERP_CXX_VIEW_HPP

#include <cstddef>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "perp/error.hpp"

namespace perp {

namespace detail {

template <class C, class T, class = void>
struct holds : std::false_type {};

/** Whether a container's data() gives T *, and it has a size(). */
template <class C, class T>
struct holds<C, T,
             std::enable_if_t<std::is_convertible_v<decltype(std::declval<C &>().data()), T *> &&
                              std::is_integral_v<decltype(std::declval<C &>().size())>>>
    : std::true_type {};

template <class C, class = void>
struct row_major : std::false_type {};

/** A matrix type that says it stores rows (and is not a vector); only column-major is read. */
template <class C>
struct row_major<C, std::void_t<decltype(C::IsRowMajor), decltype(C::RowsAtCompileTime)>>
    : std::bool_constant<bool(C::IsRowMajor) && int(C::RowsAtCompileTime) != 1 &&
                         int(C::ColsAtCompileTime) != 1> {};

template <class C, class = void>
struct strided : std::false_type {};

template <class C>
struct strided<C, std::void_t<decltype(std::declval<const C &>().innerStride()),
                              decltype(std::declval<const C &>().outerStride()),
                              decltype(std::declval<const C &>().innerSize())>> : std::true_type {};

/** Refuse what is not one contiguous column-major array: a row-major matrix does not compile, a
 * block with gaps between its columns throws. */
template <class C>
void require_contiguous(const C &c) {
  static_assert(!row_major<C>::value, "perp reads matrices by columns: pass a column-major one");
  if constexpr (strided<C>::value) {
    const bool one_column = c.size() == c.innerSize();
    if (c.size() > 1 &&
        (c.innerStride() != 1 || (!one_column && c.outerStride() != c.innerSize()))) {
      detail::refuse(PERP_EINVAL, "a matrix with gaps between its entries", "stride", -1,
                     static_cast<double>(c.outerStride()));
    }
  }
}

}  // namespace detail

/** Doubles of somebody else, to be read. Cheap to copy; valid as long as what it was made from: a
 * view of braces only within the expression that holds them. */
class view {
 public:
  using value_type = double; /**< as containers have it */
  /** Of an address and a size, braces, a C array, or anything with data() and size(). */
  /**@{*/
  constexpr view() noexcept = default;
  constexpr view(const double *data, std::size_t size) noexcept : data_(data), size_(size) {}
  constexpr view(std::initializer_list<double> list) noexcept : view(list.begin(), list.size()) {}
  template <std::size_t N>
  constexpr view(const double (&a)[N]) noexcept : view(a, N) {}
  template <class C, class = std::enable_if_t<detail::holds<const C, const double>::value>>
  view(const C &of) : view(of.data(), static_cast<std::size_t>(of.size())) {
    detail::require_contiguous(of);
  }
  /**@}*/

  /** As containers have it; indices are not checked. */
  /**@{*/
  constexpr const double *data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr const double *begin() const noexcept { return data_; }
  constexpr const double *end() const noexcept { return data_ + size_; }
  constexpr const double &operator[](std::size_t i) const noexcept { return data_[i]; }
  constexpr const double &front() const noexcept { return data_[0]; }
  constexpr const double &back() const noexcept { return data_[size_ - 1]; }
  /**@}*/

 private:
  const double *data_ = nullptr;
  std::size_t size_ = 0;
};

/** Doubles of somebody else, to be written. */
class span {
 public:
  using value_type = double; /**< as containers have it */
  /** Of an address and a size, a C array, or anything with data() and size(). */
  /**@{*/
  constexpr span() noexcept = default;
  constexpr span(double *data, std::size_t size) noexcept : data_(data), size_(size) {}
  template <std::size_t N>
  constexpr span(double (&a)[N]) noexcept : span(a, N) {}
  template <class C, class = std::enable_if_t<detail::holds<C, double>::value>>
  span(C &&of) : span(of.data(), static_cast<std::size_t>(of.size())) {
    detail::require_contiguous(of);
  }
  /**@}*/

  /** As containers have it; indices are not checked. */
  /**@{*/
  constexpr double *data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr double *begin() const noexcept { return data_; }
  constexpr double *end() const noexcept { return data_ + size_; }
  constexpr double &operator[](std::size_t i) const noexcept { return data_[i]; }
  /**@}*/

 private:
  double *data_ = nullptr;
  std::size_t size_ = 0;
};

/** Doubles in a description: a copy of what it was made from, so that descriptions may be returned,
 * stored and moved; or, made by borrow(), somebody else's, for parameters that change during a run
 * and for matrices too large to copy. */
class array {
 public:
  /** A copy of one number, braces, a vector, or anything with data() and size(). */
  /**@{*/
  array() = default;
  array(double value) : own_{value} {}
  array(std::initializer_list<double> list) : own_(list) {}
  explicit array(std::vector<double> values) noexcept : own_(std::move(values)) {}
  template <class C,
            class = std::enable_if_t<std::conjunction_v<std::negation<std::is_same<array, C>>,
                                                        std::is_constructible<view, const C &>>>>
  array(const C &c) {
    const view v(c);
    own_.assign(v.begin(), v.end());
  }
  /**@}*/

  /** As containers have it; indices are not checked. */
  /**@{*/
  const double *data() const noexcept { return is_borrowed() ? borrowed_.data() : own_.data(); }
  std::size_t size() const noexcept { return is_borrowed() ? borrowed_.size() : own_.size(); }
  bool empty() const noexcept { return size() == 0; }
  const double *begin() const noexcept { return data(); }
  const double *end() const noexcept { return data() + size(); }
  double operator[](std::size_t i) const noexcept { return data()[i]; }
  /**@}*/
  /** Whether it refers to somebody else's numbers, see borrow(). */
  bool is_borrowed() const noexcept { return borrowed_.data() != nullptr; }

  /** Null where empty: what the C descriptions call absent. */
  const double *pointer() const noexcept { return empty() ? nullptr : data(); }

 private:
  friend array borrow(view v);
  std::vector<double> own_;
  view borrowed_;
};

/** An array that refers to v instead of copying it: v must outlive every use. */
inline array borrow(view v) {
  array a;
  a.borrowed_ = v;
  return a;
}

/** A matrix written as it is read, `rows({{a, b}, {c, d}})`, stored by columns. */
inline array rows(std::initializer_list<std::initializer_list<double>> list) {
  const std::size_t m = list.size(), n = m == 0 ? 0 : list.begin()->size();
  std::vector<double> values(m * n);
  std::size_t i = 0;
  for (const auto &row : list) {
    if (row.size() != n) {
      detail::refuse(PERP_EINVAL, "rows of different length", "rows", static_cast<std::int32_t>(i),
                     static_cast<double>(row.size()));
    }
    std::size_t j = 0;
    for (const double value : row) values[i + m * j++] = value;
    i++;
  }
  return array(std::move(values));
}

}  // namespace perp

#endif
