// SPDX-License-Identifier: MIT
// Evaluating varying relations of order 2 and systems through their tables.
#ifndef PERP_TESTS_BODY_RELATION_TOOLS_HPP
#define PERP_TESTS_BODY_RELATION_TOOLS_HPP

#include <gtest/gtest.h>
#include <perp/experimental.h>

#include <vector>

namespace tools {

struct evaluated {
  std::vector<double> y, ydot, H;
  std::int32_t answer = 999;
};

// As a step would: outputs 0, the inputs copied.
inline evaluated evaluate(const perp_relation &r, const std::vector<double> &q,
                          const std::vector<double> &v, double t = 0, double h = 0.01) {
  evaluated e;
  const auto m = static_cast<std::size_t>(r.m), n = static_cast<std::size_t>(r.n);
  e.y.assign(m, 0);
  e.ydot.assign(m, 0);
  e.H.assign(m * n, 0);
  std::vector<double> lambda(m, 0.0);
  const perp_relation_point at = {t, h, q.data(), v.data(), lambda.data(), lambda.data(), 0};
  const perp_relation_values out = {e.y.data(), e.ydot.data(), e.H.data(), nullptr,
                                    nullptr,    nullptr,       nullptr};
  std::vector<double> scratch(r.ops->scratch_doubles != nullptr ? r.ops->scratch_doubles(&r) : 0);
  e.answer = r.ops->evaluate(&r, &at, &out, scratch.data());
  return e;
}

// H d of an m x n column-major H.
inline std::vector<double> times(const std::vector<double> &H, const std::vector<double> &d) {
  const std::size_t m = H.size() / d.size();
  std::vector<double> out(m, 0.0);
  for (std::size_t j = 0; j < d.size(); j++)
    for (std::size_t i = 0; i < m; i++) out[i] += H[i + m * j] * d[j];
  return out;
}

// Rank of an m x n matrix, rows scaled, by elimination with complete pivots.
inline int rank(std::vector<double> A, std::size_t m) {
  const std::size_t n = A.size() / m;
  std::size_t r = 0;
  for (; r < m && r < n; r++) {
    std::size_t pi = r, pj = r;
    for (std::size_t j = r; j < n; j++)
      for (std::size_t i = r; i < m; i++)
        if (std::fabs(A[i + m * j]) > std::fabs(A[pi + m * pj])) pi = i, pj = j;
    if (std::fabs(A[pi + m * pj]) < 1e-9) break;
    for (std::size_t j = 0; j < n; j++) std::swap(A[r + m * j], A[pi + m * j]);
    for (std::size_t i = 0; i < m; i++) std::swap(A[i + m * r], A[i + m * pj]);
    for (std::size_t i = r + 1; i < m; i++) {
      const double f = A[i + m * r] / A[r + m * r];
      for (std::size_t j = r; j < n; j++) A[i + m * j] -= f * A[r + m * j];
    }
  }
  return static_cast<int>(r);
}

}  // namespace tools

#endif
