// SPDX-License-Identifier: MIT
// One-step problems for tests: a matrix stored as a view of any kind, and judgement by definition.
#ifndef PERP_TESTS_PROBLEM_TOOLS_HPP
#define PERP_TESTS_PROBLEM_TOOLS_HPP

#include <perp/problem.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "dense_tools.hpp"

namespace tools {

using ints = std::vector<std::int32_t>;
using vec = std::vector<double>;

inline std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

inline dense from_rows(std::int32_t n, const vec &rows) {
  dense A(n, n);
  for (std::int32_t i = 0; i < n; i++)
    for (std::int32_t j = 0; j < n; j++) A(i, j) = rows[at(i * n + j)];
  return A;
}

// What A looks like in a view of one kind. Blocks and entries that are 0 are not stored; the order
// of a row is reversed on request. Owns what the view points to, and so does not move.
class stored {
 public:
  perp_matrix view{};
  vec values;

  stored(const dense &A, std::int32_t kind, ints cuts = {}, bool reverse = false)
      : cuts_(std::move(cuts)) {
    const std::int32_t n = A.rows;
    if (kind == PERP_ZERO) view.rows = view.cols = n;
    if (kind == PERP_DIAGONAL) {
      for (std::int32_t i = 0; i < n; i++) values.push_back(A(i, i));
      view = perp_diagonal(n, values.data());
    }
    if (kind == PERP_DENSE) {
      values = A.a;
      view = perp_dense(n, n, values.data());
      view.ld = A.ld;
    }
    if (kind == PERP_BLOCKS) store_blocks(A, reverse);
  }
  stored(const stored &) = delete;
  stored &operator=(const stored &) = delete;

 private:
  ints cuts_, start_, index_;

  void store_blocks(const dense &A, bool reverse) {
    const bool plain = cuts_.empty();
    const std::int32_t blocks = plain ? A.rows : static_cast<std::int32_t>(cuts_.size()) - 1;
    const auto cut = [&](std::int32_t b) { return plain ? b : cuts_[at(b)]; };
    start_.push_back(0);
    for (std::int32_t r = 0; r < blocks; r++) {
      for (std::int32_t k = 0; k < blocks; k++) {
        const std::int32_t c = reverse ? blocks - 1 - k : k;
        vec block;
        bool nonzero = false;
        for (std::int32_t j = cut(c); j < cut(c + 1); j++)
          for (std::int32_t i = cut(r); i < cut(r + 1); i++) {
            block.push_back(A(i, j));
            nonzero = nonzero || A(i, j) != 0;
          }
        if (!nonzero) continue;
        index_.push_back(c);
        values.insert(values.end(), block.begin(), block.end());
      }
      start_.push_back(static_cast<std::int32_t>(index_.size()));
    }
    view = perp_block_rows(blocks, plain ? nullptr : cuts_.data(), start_.data(), index_.data(),
                           values.data());
    view.rows = view.cols = A.rows;
  }
};

// y = M x + q in long double.
inline std::vector<long double> affine(const dense &M, const vec &q, const vec &x) {
  std::vector<long double> y(q.begin(), q.end());
  for (std::int32_t i = 0; i < M.rows; i++)
    for (std::int32_t j = 0; j < M.cols; j++)
      y[at(i)] += static_cast<long double>(M(i, j)) * x[at(j)];
  return y;
}

// Largest violation of 0 <= z, w = Mz + q >= 0, z w = 0, as min(z_i, w_i) and negative parts,
// relative to the rows; NaN comes out as infinity.
inline double lcp_error(const dense &M, const vec &q, const vec &z) {
  const std::vector<long double> w = affine(M, q, z);
  long double worst = 0, scale = 0;
  for (std::int32_t i = 0; i < M.rows; i++) {
    long double row = std::fabs(static_cast<long double>(q[at(i)]));
    for (std::int32_t j = 0; j < M.cols; j++)
      row += std::fabs(static_cast<long double>(M(i, j)) * z[at(j)]);
    if (row > scale) scale = row;
    if (!(z[at(i)] >= 0)) return kInf;
    const long double e = z[at(i)] > 0 ? std::fabs(w[at(i)]) : w[at(i)] < 0 ? -w[at(i)] : 0;
    if (!(w[at(i)] == w[at(i)])) return kInf;
    if (e > worst) worst = e;
  }
  return worst == 0 ? 0 : static_cast<double>(worst / scale);
}

// How far x is from -(M x + q) in N_[l,u](x): x outside [l, u], y = M x + q < 0 unless x = u, or >
// 0 unless x = l, relative to the largest row; a point that leaves its bounds is infinitely wrong.
inline double box_error(const dense &M, const vec &q, const vec &l, const vec &u, const vec &x) {
  const std::vector<long double> y = affine(M, q, x);
  long double worst = 0, scale = 0;
  for (std::int32_t i = 0; i < M.rows; i++) {
    long double row = std::fabs(static_cast<long double>(q[at(i)]));
    for (std::int32_t j = 0; j < M.cols; j++)
      row += std::fabs(static_cast<long double>(M(i, j)) * x[at(j)]);
    if (row > scale) scale = row;
    if (!(x[at(i)] >= l[at(i)] && x[at(i)] <= u[at(i)]) || !(y[at(i)] == y[at(i)])) return kInf;
    if (y[at(i)] > worst && x[at(i)] > l[at(i)]) worst = y[at(i)];
    if (-y[at(i)] > worst && x[at(i)] < u[at(i)]) worst = -y[at(i)];
  }
  return worst == 0 ? 0 : static_cast<double>(worst / scale);
}

}  // namespace tools

#endif
