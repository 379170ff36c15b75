// SPDX-License-Identifier: MIT
// Random blocks of one contact, and their relative residual in long double by the definition.
#ifndef PERP_TESTS_CONTACT_TOOLS_HPP
#define PERP_TESTS_CONTACT_TOOLS_HPP

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

namespace contacts {

using real = long double;

// splitmix64: the same numbers with every compiler and library.
class source {
 public:
  explicit source(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = state_ += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
  }
  double uniform(double a, double b) {
    return a + (b - a) * static_cast<double>(bits() >> 11) * 0x1p-53;
  }
  int below(int n) { return static_cast<int>(bits() % static_cast<std::uint64_t>(n)); }
  double sign() { return below(2) == 0 ? -1 : 1; }
  double power(double lo, double hi) { return std::pow(10.0, uniform(lo, hi)); }
  // Not quite normal, but round enough.
  double round() { return uniform(-1, 1) + uniform(-1, 1) + uniform(-1, 1); }

 private:
  std::uint64_t state_;
};

// u = W r + q with parts of the tangential entries; W column-major.
struct block {
  int size = 3, parts = 1;
  std::vector<double> W, q;
  double mu[2] = {0, 0};
  bool solvable = true;  // whatever q is
  bool hard = false;     // may end without a solution, seldom
  std::string name;
  double at(int i, int j) const { return W[static_cast<std::size_t>(i + j * size)]; }
  double &at(int i, int j) { return W[static_cast<std::size_t>(i + j * size)]; }
};

inline real norm(int n, const real *x) {
  real sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return std::sqrt(sum);
}

// The normal entry of the projection: the zero of g(z) = z - n - sum mu (||x|| - mu z)_+, z >= 0,
// which is piecewise linear and rises: from the left through the kinks ||x|| / mu.
inline real projected_normal(const block &b, real n, const real *norms) {
  const auto g = [&](real z) {
    real v = z - n;
    for (int k = 0; k < b.parts; k++) {
      const real over = norms[k] - b.mu[k] * z;
      if (over > 0) v -= b.mu[k] * over;
    }
    return v;
  };
  if (g(0) >= 0) return 0;
  real low = 0, high = std::numeric_limits<real>::infinity();
  for (int k = 0; k < b.parts; k++) {
    if (b.mu[k] == 0) continue;
    const real kink = norms[k] / b.mu[k];
    if (g(kink) < 0)
      low = kink > low ? kink : low;
    else
      high = kink < high ? kink : high;
  }
  real top = n, slope = 1;
  for (int k = 0; k < b.parts; k++)
    if (b.mu[k] > 0 && norms[k] / b.mu[k] >= high) {
      top += b.mu[k] * norms[k];
      slope += static_cast<real>(b.mu[k]) * b.mu[k];
    }
  return top / slope;
}

inline double error(const block &b, const double *r) {
  const int n = b.size, h = (n - 1) / b.parts;
  real y[5], x[5], scale = 0, square = 0, largest = 0;
  for (int i = 0; i < n * n; i++) {
    const real w = std::fabs(static_cast<real>(b.W[static_cast<std::size_t>(i)]));
    largest = w > largest ? w : largest;
  }
  for (int i = 0; i < n; i++) {
    y[i] = b.q[static_cast<std::size_t>(i)];
    real terms = std::fabs(y[i]);
    for (int j = 0; j < n; j++) {
      y[i] += static_cast<real>(b.at(i, j)) * r[j];
      terms += std::fabs(static_cast<real>(b.at(i, j)) * r[j]);
      square += static_cast<real>(b.at(i, j)) * b.at(i, j);
    }
    scale = terms > scale ? terms : scale;
  }
  real c = std::sqrt(square);
  if (c == 0) c = 1;
  for (int k = 0; k < b.parts; k++) y[0] += b.mu[k] * norm(h, y + 1 + k * h);
  for (int i = 0; i < n; i++) x[i] = r[i] - y[i] / c;
  real norms[2];
  for (int k = 0; k < b.parts; k++) norms[k] = norm(h, x + 1 + k * h);
  const real z = projected_normal(b, x[0], norms);
  real e = (r[0] - z) * (r[0] - z);
  for (int k = 0; k < b.parts; k++) {
    const real most = b.mu[k] * z, shrink = norms[k] > most ? most / norms[k] : 1;
    for (int i = 1 + k * h; i < 1 + (k + 1) * h; i++)
      e += (r[i] - shrink * x[i]) * (r[i] - shrink * x[i]);
  }
  e = std::sqrt(e) * c;
  if (!(e - e == 0)) return std::numeric_limits<double>::infinity();
  return e == 0 ? 0 : static_cast<double>(e / scale);
}

// How much larger than q the terms of u are.
inline double amplification(const block &b, const double *r) {
  real scale = 0, hat = 0;
  for (int i = 0; i < b.size; i++) {
    const real q = std::fabs(static_cast<real>(b.q[static_cast<std::size_t>(i)]));
    real terms = q;
    for (int j = 0; j < b.size; j++) terms += std::fabs(static_cast<real>(b.at(i, j)) * r[j]);
    scale = terms > scale ? terms : scale;
    hat = q > hat ? q : hat;
  }
  return scale == 0 ? 1 : static_cast<double>(scale / hat);
}

// What u and r (times W) have to change by so that r >= 0 solves the problem, relative to the same:
// u_n, and of each part what it takes to stick (u_k = 0, r_k in its ball) or to slip (u_k against
// r_k, which is on the sphere). The residual counts what rounding leaves of u_k mu times.
inline double change(const block &b, const double *r) {
  const int n = b.size, h = (n - 1) / b.parts;
  real u[5], scale = 0;
  for (int i = 0; i < n; i++) {
    u[i] = b.q[static_cast<std::size_t>(i)];
    real terms = std::fabs(u[i]);
    for (int j = 0; j < n; j++) {
      u[i] += static_cast<real>(b.at(i, j)) * r[j];
      terms += std::fabs(static_cast<real>(b.at(i, j)) * r[j]);
    }
    scale = terms > scale ? terms : scale;
  }
  if (!(r[0] >= 0)) return std::numeric_limits<double>::infinity();
  if (r[0] == 0 && u[0] >= 0) u[0] = 0; /* take-off */
  real sum = std::fabs(u[0]);
  for (int k = 0; k < b.parts; k++) {
    real t[2] = {0, 0}, v[2] = {0, 0}, column = 0;
    for (int i = 0; i < h; i++) {
      t[i] = r[1 + k * h + i];
      v[i] = u[1 + k * h + i];
      for (int j = 0; j < n; j++) {
        const real w = b.at(j, 1 + k * h + i);
        column += w * w;
      }
    }
    column = std::sqrt(column);
    const real force = norm(h, t), over = force - b.mu[k] * static_cast<real>(r[0]);
    const real stick = norm(h, v) + (over > 0 ? column * over : 0);
    real slip = std::numeric_limits<real>::infinity();
    if (force == 0 && over == 0) slip = 0;
    if (force > 0) {
      const real along = (v[0] * t[0] + v[1] * t[1]) / force;
      real out[2] = {v[0], v[1]};
      if (along < 0)
        for (int i = 0; i < 2; i++) out[i] -= along * t[i] / force;
      slip = norm(2, out) + column * std::fabs(over);
    }
    sum += slip < stick ? slip : stick;
  }
  if (!(sum - sum == 0)) return std::numeric_limits<double>::infinity();
  return sum == 0 ? 0 : static_cast<double>(sum / scale);
}

// A point is as good as the better of the two says, if both say that it is one.
inline double backward_error(const block &b, const double *r) {
  const double e = error(b, r), c = change(b, r);
  return c > 1e-12 && c > e ? c : c < e ? c : e;
}

// ---- random blocks ----

inline void random_rotation(source &s, int n, double *Q) {
  for (int j = 0; j < n; j++) {
    for (;;) {
      for (int i = 0; i < n; i++) Q[i + j * n] = s.round();
      for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < j; k++) {
          double dot = 0;
          for (int i = 0; i < n; i++) dot += Q[i + j * n] * Q[i + k * n];
          for (int i = 0; i < n; i++) Q[i + j * n] -= dot * Q[i + k * n];
        }
      double sum = 0;
      for (int i = 0; i < n; i++) sum += Q[i + j * n] * Q[i + j * n];
      if (sum < 1e-3) continue;
      for (int i = 0; i < n; i++) Q[i + j * n] /= std::sqrt(sum);
      break;
    }
  }
}

inline void definite(source &s, block *b, double decades) {
  const int n = b->size;
  double Q[25], d[5];
  random_rotation(s, n, Q);
  for (int i = 0; i < n; i++) d[i] = s.power(-decades, 0);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += Q[i + k * n] * d[k] * Q[j + k * n];
      b->at(i, j) = b->at(j, i) = sum;
    }
  for (int i = 0; i < n; i++) b->at(i, i) *= 1 + 1e-14; /* definite after rounding too */
}

inline double determinant(const block &b, unsigned rows) {
  double A[5][5];
  int index[5], m = 0;
  for (int i = 0; i < b.size; i++)
    if (rows >> i & 1u) index[m++] = i;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) A[i][j] = b.at(index[i], index[j]);
  double det = 1;
  for (int k = 0; k < m; k++) {
    if (A[k][k] == 0) return 0;
    det *= A[k][k];
    for (int i = k + 1; i < m; i++)
      for (int j = k + 1; j < m; j++) A[i][j] -= A[i][k] / A[k][k] * A[k][j];
  }
  return det;
}

inline bool p_matrix(const block &b) {
  for (unsigned rows = 1; rows < 1u << b.size; rows++)
    if (!(determinant(b, rows) > 1e-6)) return false;
  return true;
}

inline void random_matrix(source &s, block *b) {
  const int n = b->size, kind = s.below(6);
  b->W.assign(static_cast<std::size_t>(n * n), 0);
  if (kind == 0) {
    b->name = "definite, ordinary";
    definite(s, b, 2);
  } else if (kind == 1) {
    b->name = "definite, condition up to 1e12";
    definite(s, b, 12);
    b->hard = n == 5;
  } else if (kind == 2) {
    b->name = "positive, not symmetric";
    definite(s, b, s.uniform(0, 6));
    const double skew = s.power(-3, 1);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < i; j++) {
        const double a = skew * s.round();
        b->at(i, j) += a;
        b->at(j, i) -= a;
      }
  } else if (kind == 3) {
    b->name = "P-matrix";
    b->solvable = false;
    do {
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) b->at(i, j) = s.uniform(-1.5, 1.5) + (i == j ? 1.2 : 0);
    } while (!p_matrix(*b));
  } else if (kind == 4) {
    b->name = "diagonal";
    const double t = s.power(-1, 1);
    const bool equal = s.below(2) == 0;
    for (int i = 0; i < n; i++) b->at(i, i) = i == 0 || !equal ? s.power(-1, 1) : t;
  } else {
    b->name = "equal tangential entries, coupled";
    const double t = s.power(-1, 1);
    for (int i = 0; i < n; i++) b->at(i, i) = t;
    b->at(0, 0) = s.power(-1, 1);
    const double most = 0.99 * std::sqrt(b->at(0, 0) * t / (n - 1));
    for (int i = 1; i < n; i++) b->at(0, i) = b->at(i, 0) = most * s.uniform(-1, 1);
  }
}

// A force in the cone; share: of the bound of each part.
inline void force(source &s, const block &b, double share, double *r) {
  const int h = (b.size - 1) / b.parts;
  r[0] = s.power(-2, 2);
  for (int k = 0; k < b.parts; k++) {
    const double t = s.uniform(0, 6.283185307179586), most = share * b.mu[k] * r[0];
    const bool axis = s.below(4) == 0;
    const double c = axis ? s.sign() * s.below(2) : std::cos(t);
    const double d = axis ? (c == 0 ? s.sign() : 0) : std::sin(t);
    r[1 + k * h] = most * (h == 1 ? s.sign() : c);
    if (h == 2) r[2 + k * h] = most * d;
  }
}

inline void random_q(source &s, block *b) {
  const int n = b->size, kind = s.below(8), h = (n - 1) / b->parts;
  b->q.assign(static_cast<std::size_t>(n), 0);
  double r[5] = {0, 0, 0, 0, 0}, u[5] = {0, 0, 0, 0, 0};
  double *q = b->q.data();
  if (kind < 3) {
    for (int i = 0; i < n; i++) q[i] = s.round();
    if (kind == 1) q[0] *= s.power(-16, 0);
    if (kind == 2) q[0] *= s.power(0, 6);
    b->name += kind == 0 ? ", any q" : kind == 1 ? ", small q_n" : ", large q_n";
  } else if (kind == 3) {
    for (int i = 0; i < n; i++) q[i] = s.below(3) == 0 ? 0 : s.sign();
    b->name += ", q of 0 and 1";
  } else {
    const bool slips = kind >= 6;
    force(s, *b, kind == 4 ? s.uniform(0, 1) : 1 - (kind == 5 ? s.power(-16, -8) * s.below(2) : 0),
          r);
    if (slips)
      for (int k = 0; k < b->parts; k++) {
        const double speed = s.power(kind == 6 ? -2 : -16, 1);
        double length = 0;
        for (int i = 1 + k * h; i < 1 + (k + 1) * h; i++) length += r[i] * r[i];
        if (length == 0) continue;
        for (int i = 1 + k * h; i < 1 + (k + 1) * h; i++) u[i] = -speed * r[i] / std::sqrt(length);
      }
    b->solvable = true;
    for (int i = 0; i < n; i++) {
      real sum = u[i];
      for (int j = 0; j < n; j++) sum -= static_cast<real>(b->at(i, j)) * r[j];
      q[i] = static_cast<double>(sum);
    }
    b->name += kind == 4   ? ", sticks"
               : kind == 5 ? ", sticks on the cone"
               : kind == 6 ? ", slips"
                           : ", slips hardly";
  }
}

inline block random_block(source &s, int size, int parts) {
  block b;
  b.size = size;
  b.parts = parts;
  for (int k = 0; k < parts; k++) b.mu[k] = s.below(16) == 0 ? 0 : s.power(-6, 3);
  random_matrix(s, &b);
  random_q(s, &b);
  const double w = s.below(4) == 0 ? s.power(-100, 100) : 1;
  const double v = s.below(4) == 0 ? s.power(-100, 100) : 1;
  for (double &x : b.W) x *= w;
  for (double &x : b.q) x *= v;
  return b;
}

inline std::string show(const block &b, const double *r) {
  std::string text = "size " + std::to_string(b.size) + " mu";
  char number[40];
  const auto add = [&](double x) {
    std::snprintf(number, sizeof number, " %.17g", x);
    text += number;
  };
  add(b.mu[0]);
  add(b.mu[1]);
  text += " W (by columns)";
  for (double x : b.W) add(x);
  text += " q";
  for (double x : b.q) add(x);
  text += " r";
  for (int i = 0; i < b.size; i++) add(r[i]);
  return text;
}

}  // namespace contacts

#endif
