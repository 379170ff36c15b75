// SPDX-License-Identifier: MIT
// Matrices for the tests of linear algebra: column-major with a stride, filled, compared.
#ifndef PERP_TESTS_DENSE_TOOLS_HPP
#define PERP_TESTS_DENSE_TOOLS_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace tools {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kEps = std::numeric_limits<double>::epsilon();

// Entries beyond the rows of a column (the gap up to ld) hold 999.
struct dense {
  std::int32_t rows, cols, ld;
  std::vector<double> a;

  dense(std::int32_t m, std::int32_t n, std::int32_t gap = 0)
      : rows(m), cols(n), ld(m + gap), a(at(0, n) + 1, 999.0) {
    for (std::int32_t j = 0; j < n; j++)
      for (std::int32_t i = 0; i < m; i++) (*this)(i, j) = 0;
  }
  std::size_t at(std::int32_t i, std::int32_t j) const {
    return static_cast<std::size_t>(i) + static_cast<std::size_t>(ld) * static_cast<std::size_t>(j);
  }
  double *data() { return a.data(); }
  const double *data() const { return a.data(); }
  double &operator()(std::int32_t i, std::int32_t j) { return a[at(i, j)]; }
  const double &operator()(std::int32_t i, std::int32_t j) const { return a[at(i, j)]; }
  bool gaps_untouched() const {
    bool ok = a.back() == 999.0;
    for (std::int32_t j = 0; j < cols; j++)
      for (std::int32_t i = rows; i < ld; i++) ok = ok && (*this)(i, j) == 999.0;
    return ok;
  }
};

class uniform {  // in [-1, 1), the same numbers with every standard library
 public:
  explicit uniform(std::uint64_t seed) : engine_(seed) {}
  double operator()() { return std::ldexp(static_cast<double>(engine_() >> 11), -52) - 1.0; }
  std::vector<double> vector(std::int32_t n) {
    std::vector<double> v(static_cast<std::size_t>(n));
    for (double &x : v) x = (*this)();
    return v;
  }
  dense matrix(std::int32_t m, std::int32_t n, std::int32_t gap = 0) {
    dense A(m, n, gap);
    for (std::int32_t j = 0; j < n; j++)
      for (std::int32_t i = 0; i < m; i++) A(i, j) = (*this)();
    return A;
  }
  dense definite(std::int32_t n, std::int32_t gap = 0) {  // R R^T + n/10
    const dense R = matrix(n, n);
    dense A(n, n, gap);
    for (std::int32_t j = 0; j < n; j++)
      for (std::int32_t i = 0; i < n; i++) {
        for (std::int32_t k = 0; k < n; k++) A(i, j) += R(i, k) * R(j, k);
        if (i == j) A(i, j) += 0.1 * n;
      }
    return A;
  }

 private:
  std::mt19937_64 engine_;
};

inline dense hilbert(std::int32_t n) {
  dense H(n, n);
  for (std::int32_t j = 0; j < n; j++)
    for (std::int32_t i = 0; i < n; i++) H(i, j) = 1.0 / (i + j + 1);
  return H;
}

inline bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

template <class V>
bool same_bits(const V &a, const V &b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); i++)
    if (!same_bits(a[i], b[i])) return false;
  return true;
}

inline double norm_inf(const dense &A) {
  double worst = 0;
  for (std::int32_t i = 0; i < A.rows; i++) {
    double sum = 0;
    for (std::int32_t j = 0; j < A.cols; j++) sum += std::fabs(A(i, j));
    if (!(sum <= worst)) worst = sum;
  }
  return worst;
}

// ||b - A x||_inf / (||A||_inf ||x||_inf + ||b||_inf), sums in long double; NaN stays.
inline double backward_error(const dense &A, const double *x, const double *b) {
  double residual = 0, nx = 0, nb = 0;
  for (std::int32_t i = 0; i < A.rows; i++) {
    long double sum = b[i];
    for (std::int32_t j = 0; j < A.cols; j++) sum -= static_cast<long double>(A(i, j)) * x[j];
    const double r = static_cast<double>(std::fabs(sum));
    if (!(r <= residual)) residual = r;
    nx = std::max(nx, std::fabs(x[i]));
    nb = std::max(nb, std::fabs(b[i]));
  }
  return residual == 0 ? 0 : residual / (norm_inf(A) * nx + nb);
}

}  // namespace tools

#endif
