// SPDX-License-Identifier: MIT
// p = w + H_Sᵀ μ with H_S H_Sᵀ μ = K_S − H_S w for a set S of independent rows; it is the nearest
// point where μ >= 0 and H p >= K. Of all S the one is taken that misses this by least.
#include "nearest.hpp"

#include <algorithm>

namespace verdicts {
namespace {

using row = std::vector<long double>;

class projector {
 public:
  projector(const polyhedron &d, const row &w) : d_(d), w_(w), best_(w) { least_ = miss(w, {}); }
  row run() {
    choose(0);
    return best_;
  }

 private:
  long double h(std::size_t k, std::size_t j) const { return d_.H[k + at(d_.rows) * j]; }
  long double value(std::size_t k, const row &x) const {
    long double sum = -static_cast<long double>(d_.K[k]);
    for (std::size_t j = 0; j < x.size(); j++) sum += h(k, j) * x[j];
    return sum;
  }
  // By how much x is outside, or a multiplier negative.
  long double miss(const row &x, const row &mu) const {
    long double worst = 0;
    for (std::size_t k = 0; k < at(d_.rows); k++) worst = std::max(worst, -value(k, x));
    for (long double m : mu) worst = std::max(worst, -m);
    return worst;
  }
  void choose(std::size_t from) {
    for (std::size_t k = from; k < at(d_.rows) && least_ > 0; k++) {
      active_.push_back(k);
      if (try_active() && active_.size() < w_.size()) choose(k + 1);
      active_.pop_back();
    }
  }
  // Whether the rows are independent.
  bool try_active() {
    const std::size_t m = active_.size();
    std::vector<row> G(m, row(m + 1));
    for (std::size_t a = 0; a < m; a++) {
      for (std::size_t b = 0; b < m; b++)
        for (std::size_t j = 0; j < w_.size(); j++) G[a][b] += h(active_[a], j) * h(active_[b], j);
      G[a][m] = -value(active_[a], w_);
    }
    row mu;
    if (!solve(G, mu)) return false;
    row x = w_;
    for (std::size_t a = 0; a < m; a++)
      for (std::size_t j = 0; j < x.size(); j++) x[j] += h(active_[a], j) * mu[a];
    const long double e = miss(x, mu);
    if (e < least_) {
      least_ = e;
      best_ = x;
    }
    return true;
  }
  // Gauss and Jordan with pivots of the largest size.
  static bool solve(std::vector<row> &G, row &mu) {
    const std::size_t m = G.size();
    for (std::size_t c = 0; c < m; c++) {
      std::size_t pivot = c;
      for (std::size_t i = c + 1; i < m; i++)
        if (std::fabs(G[i][c]) > std::fabs(G[pivot][c])) pivot = i;
      if (!(std::fabs(G[pivot][c]) > 1e-12L)) return false;
      std::swap(G[c], G[pivot]);
      for (std::size_t i = 0; i < m; i++) {
        if (i == c) continue;
        const long double factor = G[i][c] / G[c][c];
        for (std::size_t j = c; j <= m; j++) G[i][j] -= factor * G[c][j];
      }
    }
    mu.resize(m);
    for (std::size_t i = 0; i < m; i++) mu[i] = G[i][m] / G[i][i];
    return true;
  }
  const polyhedron &d_;
  const row &w_;
  row best_;
  long double least_ = 0;
  std::vector<std::size_t> active_;
};

}  // namespace

std::vector<long double> nearest_point(const polyhedron &d, const std::vector<long double> &w) {
  return projector(d, w).run();
}

}  // namespace verdicts
