// SPDX-License-Identifier: MIT
// y = M λ + q, s = |M||λ| + |q|, and with c the norm of the columns of M that belong to a law (1 if
// that is 0):
//
//   interval  r = |median(c (λ − u), y, c (λ − l))|
//   friction  r_n = |min(y_n, c λ_n)|,  r_t = c ‖λ_t − P(λ_t − y_t / c)‖,  P onto ‖·‖ <= μ λ_n⁺
//   rolling   the same, with r_m and μ_r
//   polyhedron  r = c ‖λ − P(λ − y / c)‖
//
// hat = ‖|M| λ̂ + |q|‖∞, λ̂ = |λ| on bounded intervals, the point nearest to 0 of others, 0 of cones.
#include "judge.hpp"

#include <cmath>

#include "nearest.hpp"

namespace verdicts {
namespace {

template <class T>
T size_of(T x) {
  return x < 0 ? -x : x;
}

// A square root in the precision of T: one step of Newton's from that of long double.
template <class T>
T root(T x) {
  if (!(x > 0)) return 0;
  const T r = static_cast<T>(std::sqrt(static_cast<long double>(x)));
  return r > 0 ? (r + x / r) / 2 : r;
}

template <class T>
T median(T a, T b, T c) {
  if (a > c) std::swap(a, c);
  return b < a ? a : b > c ? c : b;
}

template <class T>
struct sums {
  std::vector<T> y;
  std::vector<long double> scale, hat, square;  // square: of the columns
};

long double nearest(const instance &p, std::int32_t j, double lambda) {
  if (p.bounded(j)) return std::fabs(lambda);
  const double l = p.lower[at(j)], u = p.upper[at(j)];
  return std::fabs(l > 0 ? l : u < 0 ? u : 0.0);
}

// λ̂ of the unknowns of a polyhedron: |λ| where it is bounded, else its point nearest to 0.
std::vector<long double> polyhedron_hat(const instance &p, const double *lambda) {
  const polyhedron &d = p.polyhedra[0];
  const std::size_t size = at(p.n - d.begin);
  std::vector<long double> x(size, 0);
  if (!d.bounded) x = nearest_point(d, x);
  for (std::size_t i = 0; i < size; i++)
    x[i] = std::fabs(d.bounded ? static_cast<long double>(lambda[at(d.begin) + i]) : x[i]);
  return x;
}

template <class T>
void sum_up(const instance &p, const double *lambda, sums<T> &k) {
  const std::int32_t intervals = p.polyhedra.empty() ? p.n : p.polyhedra[0].begin;
  std::vector<long double> hat;
  if (intervals < p.n) hat = polyhedron_hat(p, lambda);
  k.y.assign(p.q.begin(), p.q.end());
  k.scale.resize(at(p.n));
  k.square.assign(at(p.n), 0);
  for (std::int32_t i = 0; i < p.n; i++) k.scale[at(i)] = std::fabs(p.q[at(i)]);
  k.hat = k.scale;
  for (std::int32_t j = 0; j < p.n; j++) {
    const double *column = p.M.data() + at(p.n) * at(j);
    const T x = lambda[j];
    const long double size = std::fabs(lambda[j]);
    const long double small = j < intervals ? nearest(p, j, lambda[j]) : hat[at(j - intervals)];
    for (std::int32_t i = 0; i < p.n; i++) {
      const long double m = std::fabs(column[i]);
      if (m == 0) continue;
      k.y[at(i)] += static_cast<T>(column[i]) * x;
      k.scale[at(i)] += m * size;
      k.hat[at(i)] += m * small;
      k.square[at(j)] += m * m;
    }
  }
}

template <class T>
T interval_residual(const instance &p, std::int32_t i, T lambda, T y, T c) {
  const double l = p.lower[at(i)], u = p.upper[at(i)];
  const T above = u < kInf ? c * (lambda - static_cast<T>(u)) : static_cast<T>(-kInf);
  const T below = l > -kInf ? c * (lambda - static_cast<T>(l)) : static_cast<T>(kInf);
  return size_of(median(above, y, below));
}

// c ‖x − P(x − y/c)‖ with the disk of the given radius.
template <class T>
T disk_residual(const T *x, const T *y, std::int32_t width, T radius, T c) {
  T w[2] = {0, 0}, norm = 0, r = 0;
  for (std::int32_t k = 0; k < width; k++) {
    w[k] = x[k] - y[k] / c;
    norm += w[k] * w[k];
  }
  norm = root(norm);
  const bool inside = norm <= radius;
  for (std::int32_t k = 0; k < width; k++) {
    const T e = inside ? y[k] / c : x[k] - w[k] * (radius / norm);
    r += e * e;
  }
  return c * root(r);
}

// The largest of r_n, r_t and r_m.
template <class T>
T contact_residual(const contact &k, const double *lambda, const T *y, T c) {
  const T n = lambda[0], normal = size_of(y[0] < c * n ? y[0] : c * n);
  T worst = normal;
  for (std::int32_t part = 0; part < k.parts(); part++) {
    const std::int32_t first = 1 + part * k.width();
    T x[2] = {0, 0}, v[2] = {0, 0};
    for (std::int32_t i = 0; i < k.width(); i++) x[i] = lambda[first + i], v[i] = y[first + i];
    const T radius = n > 0 ? static_cast<T>(k.coefficient(part)) * n : static_cast<T>(0);
    const T r = disk_residual(x, v, k.width(), radius, c);
    if (!(r <= worst)) worst = r;
  }
  return worst;
}

// c ‖λ − P(λ − y/c)‖ with the nearest point of the polyhedron.
long double polyhedron_residual(const instance &p, const double *lambda, const long double *y,
                                long double c) {
  const polyhedron &d = p.polyhedra[0];
  const std::size_t size = at(p.n - d.begin);
  std::vector<long double> w(size);
  for (std::size_t i = 0; i < size; i++) w[i] = lambda[at(d.begin) + i] - y[i] / c;
  const std::vector<long double> nearest = nearest_point(d, w);
  long double sum = 0;
  for (std::size_t i = 0; i < size; i++) {
    const long double e = lambda[at(d.begin) + i] - nearest[i];
    sum += e * e;
  }
  return c * std::sqrt(sum);
}

long double column_norm(long double square) { return square > 0 ? std::sqrt(square) : 1; }

template <class T>
T worst_residual(const instance &p, const double *lambda, const sums<T> &k) {
  T worst = 0;
  const auto take = [&](T r) {
    if (!(r <= worst)) worst = r;
  };
  std::int32_t i = 0;
  const auto intervals = [&](std::int32_t end) {
    for (; i < end; i++)
      take(interval_residual<T>(p, i, lambda[i], k.y[at(i)], column_norm(k.square[at(i)])));
  };
  for (const contact &c : p.contacts) {
    intervals(c.begin);
    long double square = 0;
    for (; i < c.begin + c.size; i++) square += k.square[at(i)];
    take(contact_residual<T>(c, lambda + c.begin, k.y.data() + c.begin, column_norm(square)));
  }
  if (p.polyhedra.empty()) {
    intervals(p.n);
    return worst;
  }
  intervals(p.polyhedra[0].begin);
  long double square = 0;
  for (std::int32_t j = i; j < p.n; j++) square += k.square[at(j)];
  const std::vector<long double> y(k.y.begin() + i, k.y.end());
  take(static_cast<T>(polyhedron_residual(p, lambda, y.data(), column_norm(square))));
  return worst;
}

struct limits {
  long double first, second;
};

limits limits_of(const instance &p, const judgement &j) {
  constexpr long double slack = 1 + 1e-6L, epsilon = 0x1p-52L;
  /* the last bit of the smallest numbers: of y, and where λ − y/c is taken to a polyhedron, of λ */
  const long double last = p.polyhedra.empty() ? 1 : 1 + j.norm;
  const long double denormal = (p.n + 4) * last * 0x1p-1074L;
  /* where M λ and q are 0, or no more than the rounding of λ makes of them, a point of a polyhedron
   * is one up to that rounding and that of its faces */
  const bool still = j.scale <= epsilon * j.reach;
  const long double corner = still ? 8 * (p.n + 4) * epsilon * j.reach : 0;
  return {kTol * slack * j.scale + (p.n + 4) * epsilon * j.scale + denormal + corner,
          /* of q = 0 and λ̂ = 0 every multiple of a solution is one: λ is what it is measured by */
          kFloor * slack * j.hat + (j.hat == 0 ? (p.n + 4) * epsilon * j.scale : 0) + denormal +
              corner};
}

template <class T>
judgement judge_in(const instance &p, const double *lambda) {
  thread_local sums<T> k;
  sum_up(p, lambda, k);
  judgement out;
  long double square = 0, largest = 0;
  for (std::int32_t i = 0; i < p.n; i++) {
    out.scale = std::max(out.scale, k.scale[at(i)]);
    out.hat = std::max(out.hat, k.hat[at(i)]);
    largest = std::max<long double>(largest, std::fabs(lambda[i]));
    square += k.square[at(i)];
  }
  out.norm = column_norm(square);
  out.reach = largest * out.norm;
  out.residual = static_cast<long double>(worst_residual(p, lambda, k));
  const limits most = limits_of(p, out);
  out.finite = std::isfinite(out.residual) && std::isfinite(out.scale);
  out.within_tol = out.residual <= most.first;
  out.within_ceiling = out.residual <= most.second;
  return out;
}

bool all_finite(const instance &p, const double *lambda) {
  for (std::int32_t i = 0; i < p.n; i++)
    if (!std::isfinite(lambda[i])) return false;
  return true;
}

}  // namespace

judgement judge(const instance &p, const double *lambda) {
  if (!all_finite(p, lambda)) return {};
  const judgement out = judge_in<long double>(p, lambda);
  const long double lost = 4 * (p.n + 4) * 0x1p-63L * out.scale;
  const limits most = limits_of(p, out);
  const bool doubt =
      std::fabs(out.residual - most.first) <= lost || std::fabs(out.residual - most.second) <= lost;
  return doubt ? judge_in<quad>(p, lambda) : out;
}

}  // namespace verdicts
