// SPDX-License-Identifier: MIT
// Random box-form problems -(M λ + q) ∈ N_[l,u](λ) of the families that solvers are tried on, and
// their judge: the residual of the one-step problem written once more, in long double.
#ifndef PERP_TESTS_FAMILIES_HPP
#define PERP_TESTS_FAMILIES_HPP

#include <perp/law.h>
#include <perp/problem.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ostream>
#include <vector>

#include "problem_tools.hpp"

namespace families {

using tools::at;
using tools::dense;
using tools::kInf;
using tools::vec;

// What is known of every member of a family.
enum property : unsigned {
  kSymmetric = 1,
  kSemidefinite = 2,
  kDefinite = 4 | 2,
  kPMatrix = 8,
  kCopositive = 16,
  kSolvable = 32,
  kInfeasible = 64
};

struct instance {
  dense M;
  vec q, lower, upper;
  explicit instance(std::int32_t n) : M(n, n), q(at(n), 0), lower(at(n), 0), upper(at(n), kInf) {}
  std::int32_t n() const { return M.rows; }
};

class source {
 public:
  explicit source(std::uint64_t seed) : u_(seed) {}
  double signed_unit() { return u_(); }       // [-1, 1)
  double unit() { return 0.5 * (u_() + 1); }  // [0, 1)
  bool chance(double p) { return unit() < p; }
  std::int32_t integer(std::int32_t a, std::int32_t b) {  // a ... b
    return a + static_cast<std::int32_t>(unit() * (b - a + 1));
  }
  double power(double decades) { return std::pow(10.0, decades * u_()); }  // 10^±decades

 private:
  tools::uniform u_;
};

// Mostly small problems, where most of the cases are; every fiftieth is larger.
inline std::int32_t size(source &s, std::int32_t most) {
  return s.chance(0.02) ? s.integer(most + 1, 4 * most) : s.integer(1, most);
}

inline void add_product(dense &M, const dense &B, double w) {  // M += w B B^T
  for (std::int32_t j = 0; j < M.cols; j++)
    for (std::int32_t i = 0; i < M.rows; i++)
      for (std::int32_t k = 0; k < B.cols; k++) M(i, j) += w * B(i, k) * B(j, k);
}

inline void add_diagonal(dense &M, double d) {
  for (std::int32_t i = 0; i < M.rows; i++) M(i, i) += d;
}

inline void add_skew(dense &M, source &s, double w) {
  for (std::int32_t j = 0; j < M.cols; j++)
    for (std::int32_t i = 0; i < j; i++) {
      const double x = w * s.signed_unit();
      M(i, j) += x;
      M(j, i) -= x;
    }
}

inline dense random_matrix(source &s, std::int32_t m, std::int32_t n, bool whole) {
  dense B(m, n);
  for (std::int32_t j = 0; j < n; j++)
    for (std::int32_t i = 0; i < m; i++) B(i, j) = whole ? s.integer(-3, 3) : s.signed_unit();
  return B;
}

// Rows and columns in a random order, the same for both.
inline void shuffle(dense &M, source &s) {
  for (std::int32_t i = M.rows - 1; i > 0; i--) {
    const std::int32_t k = s.integer(0, i);
    for (std::int32_t j = 0; j < M.cols; j++) std::swap(M(i, j), M(k, j));
    for (std::int32_t j = 0; j < M.rows; j++) std::swap(M(j, i), M(j, k));
  }
}

inline void random_q(instance &p, source &s) {
  for (double &x : p.q) x = s.signed_unit();
}

// q such that a random complementary pair solves the problem. degenerate: the share of unknowns at
// a bound with y = 0.
inline void planted_q(instance &p, source &s, bool whole, double degenerate) {
  const std::int32_t n = p.n();
  for (std::int32_t i = 0; i < n; i++) p.q[at(i)] = 0;
  for (std::int32_t j = 0; j < n; j++) {
    const double l = p.lower[at(j)], u = p.upper[at(j)];
    const double size = whole ? s.integer(1, 4) : s.unit() + 0.01;
    const bool tie = s.chance(degenerate);
    double x = 0, y = 0;
    const std::int32_t side = s.integer(0, 2);
    if (side == 0 && l > -kInf) {
      x = l;
      y = tie ? 0 : size;
    } else if (side == 1 && u < kInf) {
      x = u;
      y = tie ? 0 : -size;
    } else if (l > -kInf && u < kInf) {
      x = whole ? l : l + s.unit() * (u - l);
    } else if (l > -kInf) {
      x = l + (tie ? 0 : size);
    } else if (u < kInf) {
      x = u - (tie ? 0 : size);
    } else {
      x = s.chance(0.5) ? size : -size;
    }
    p.q[at(j)] += y;
    for (std::int32_t i = 0; i < n; i++) p.q[at(i)] -= p.M(i, j) * x;
  }
}

struct family {
  const char *name;
  unsigned properties;
  instance (*make)(source &s);
};

inline void PrintTo(const family &f, std::ostream *out) { *out << f.name; }

inline instance positive_definite(source &s) {
  instance p(size(s, 10));
  add_product(p.M, random_matrix(s, p.n(), p.n(), false), 1);
  add_diagonal(p.M, 0.01 + s.unit());
  random_q(p, s);
  return p;
}

inline instance semidefinite(source &s) {
  instance p(size(s, 10));
  const bool whole = s.chance(0.5);
  add_product(p.M, random_matrix(s, p.n(), s.integer(0, p.n()), whole), 1);
  planted_q(p, s, whole, 0.2);
  return p;
}

inline instance monotone(source &s) {
  instance p(size(s, 10));
  add_product(p.M, random_matrix(s, p.n(), s.integer(0, p.n()), false), 1);
  add_skew(p.M, s, s.chance(0.5) ? 1 : 0.1);
  planted_q(p, s, false, 0.2);
  return p;
}

inline instance p_matrix(source &s) {
  instance p(size(s, 9));
  const std::int32_t n = p.n();
  if (s.chance(0.5)) { /* triangular with a positive diagonal, in any order */
    for (std::int32_t j = 0; j < n; j++)
      for (std::int32_t i = j; i < n; i++)
        p.M(i, j) = i == j ? 0.1 + s.unit() : 3 * s.signed_unit();
    shuffle(p.M, s);
  } else { /* rows and columns of a definite one, scaled by positive numbers */
    add_product(p.M, random_matrix(s, n, n, false), 1);
    add_diagonal(p.M, 0.05);
    add_skew(p.M, s, 2);
    for (std::int32_t k = 0; k < n; k++) {
      const double row = s.power(1), col = s.power(1);
      for (std::int32_t j = 0; j < n; j++) p.M(k, j) *= row;
      for (std::int32_t i = 0; i < n; i++) p.M(i, k) *= col;
    }
  }
  random_q(p, s);
  return p;
}

inline instance copositive(source &s) {  // no negative entry, a positive diagonal
  instance p(size(s, 9));
  for (std::int32_t j = 0; j < p.n(); j++)
    for (std::int32_t i = 0; i < p.n(); i++)
      p.M(i, j) = i == j ? 0.1 + s.unit() : s.chance(0.5) ? 2 * s.unit() : 0;
  random_q(p, s);
  return p;
}

inline instance ill_conditioned(source &s) {  // eigenvalues from 1 to 1e-12
  instance p(s.integer(2, 8));
  const std::int32_t n = p.n();
  for (std::int32_t i = 0; i < n; i++) p.M(i, i) = std::pow(10.0, -12.0 * i / (n - 1));
  for (int turns = 0; turns < 3; turns++) { /* Householder reflections on both sides */
    vec v(at(n));
    double norm = 0;
    for (double &x : v) {
      x = s.signed_unit();
      norm += x * x;
    }
    for (int side = 0; side < 2; side++)
      for (std::int32_t j = 0; j < n; j++) {
        double dot = 0;
        for (std::int32_t i = 0; i < n; i++) dot += v[at(i)] * (side ? p.M(j, i) : p.M(i, j));
        for (std::int32_t i = 0; i < n; i++)
          (side ? p.M(j, i) : p.M(i, j)) -= 2 * dot / norm * v[at(i)];
      }
  }
  for (std::int32_t j = 0; j < n; j++)
    for (std::int32_t i = 0; i < j; i++) p.M(j, i) = p.M(i, j);
  planted_q(p, s, false, 0);
  return p;
}

inline instance badly_scaled(source &s) {  // entries from 1e-9 to 1e9
  instance p = positive_definite(s);
  for (std::int32_t k = 0; k < p.n(); k++) {
    const double d = s.power(4.5);
    for (std::int32_t j = 0; j < p.n(); j++) p.M(k, j) *= d;
    for (std::int32_t i = 0; i < p.n(); i++) p.M(i, k) *= d;
    p.q[at(k)] *= d * s.power(2);
  }
  return p;
}

inline instance degenerate(source &s) {  // small whole numbers, many ties
  instance p(size(s, 9));
  add_product(p.M, random_matrix(s, p.n(), p.n() + 1, true), 1);
  add_diagonal(p.M, 1);
  planted_q(p, s, true, 0.7);
  return p;
}

// [A −Gᵀ; G 0]: the free block is singular, or empty where all multipliers are free.
inline instance free_unknowns(source &s) {
  const std::int32_t k = s.integer(1, 6), m = s.integer(0, k);
  instance p(k + m);
  const dense B = random_matrix(s, k, k, false), G = random_matrix(s, m, k, false);
  for (std::int32_t j = 0; j < k; j++)
    for (std::int32_t i = 0; i < k; i++)
      for (std::int32_t c = 0; c < k; c++) p.M(i, j) += B(i, c) * B(j, c);
  for (std::int32_t j = 0; j < k; j++)
    for (std::int32_t i = 0; i < m; i++) {
      p.M(k + i, j) = G(i, j);
      p.M(j, k + i) = -G(i, j);
    }
  for (std::int32_t i = 0; i < p.n(); i++)
    if (s.chance(i < k ? 0.5 : 0.7)) p.lower[at(i)] = -kInf;
  planted_q(p, s, false, 0.1);
  return p;
}

inline instance relays(source &s) {
  instance p(size(s, 9));
  add_product(p.M, random_matrix(s, p.n(), p.n(), false), 1);
  add_diagonal(p.M, 0.05);
  add_skew(p.M, s, s.chance(0.5) ? 0.5 : 0);
  for (std::int32_t i = 0; i < p.n(); i++) {
    p.lower[at(i)] = -s.unit();
    p.upper[at(i)] = s.chance(0.2) ? p.lower[at(i)] : s.unit();
  }
  for (double &x : p.q) x = 2 * s.signed_unit();
  return p;
}

inline instance banded(source &s) {
  instance p(s.integer(5, 40));
  const std::int32_t n = p.n(), half = s.integer(1, 3);
  for (std::int32_t j = 0; j < n; j++)
    for (std::int32_t i = j + 1; i < n && i <= j + half; i++) {
      const double x = s.signed_unit();
      p.M(i, j) = p.M(j, i) = x;
      p.M(i, i) += std::fabs(x);
      p.M(j, j) += std::fabs(x);
    }
  add_diagonal(p.M, 0.01 + 0.1 * s.unit());
  random_q(p, s);
  return p;
}

// Monotone, and u >= 0 with Mᵀu = 0 up to the last bit (whole numbers), qᵀu < 0.
inline instance infeasible(source &s) {
  instance p(s.integer(1, 8));
  const std::int32_t n = p.n(), rank = s.integer(0, n - 1);
  vec u(at(n), 0);
  u[at(s.integer(0, n - 1))] = 1;
  dense B(n, std::max(rank, 1));
  if (rank > 0) B = random_matrix(s, n, rank, true);
  for (std::int32_t i = 0; i < n; i++)
    for (std::int32_t j = 0; j < B.cols; j++)
      if (u[at(i)] != 0) B(i, j) = 0;
  add_product(p.M, B, 1);
  /* mix: rows and columns by T with u' = T^-T u >= 0 */
  for (int k = 0; k < n; k++) {
    const std::int32_t a = s.integer(0, n - 1), b = s.integer(0, n - 1);
    if (a == b) continue; /* row_a -= row_b, the same for columns; then u_b += u_a */
    for (std::int32_t j = 0; j < n; j++) p.M(a, j) -= p.M(b, j);
    for (std::int32_t i = 0; i < n; i++) p.M(i, a) -= p.M(i, b);
    u[at(b)] += u[at(a)];
  }
  double dot = 0, square = 0;
  for (std::int32_t i = 0; i < n; i++) {
    p.q[at(i)] = s.integer(-3, 3);
    dot += p.q[at(i)] * u[at(i)];
    square += u[at(i)] * u[at(i)];
  }
  if (dot >= 0)
    for (std::int32_t i = 0; i < n; i++) p.q[at(i)] -= u[at(i)] * (std::floor(dot / square) + 1);
  return p;
}

inline const std::vector<family> &all() {
  static const std::vector<family> list = {
      {"positive definite", kSymmetric | kDefinite | kPMatrix | kCopositive | kSolvable,
       positive_definite},
      {"semidefinite", kSymmetric | kSemidefinite | kCopositive | kSolvable, semidefinite},
      {"monotone", kSemidefinite | kCopositive | kSolvable, monotone},
      {"P-matrix", kPMatrix | kSolvable, p_matrix},
      {"copositive", kCopositive | kSolvable, copositive},
      {"ill-conditioned", kSymmetric | kDefinite | kPMatrix | kCopositive | kSolvable,
       ill_conditioned},
      {"badly scaled", kSymmetric | kDefinite | kPMatrix | kCopositive | kSolvable, badly_scaled},
      {"degenerate", kSymmetric | kDefinite | kPMatrix | kCopositive | kSolvable, degenerate},
      {"free unknowns", kSemidefinite | kSolvable, free_unknowns},
      {"relays", kDefinite | kPMatrix | kSolvable, relays},
      {"banded", kSymmetric | kDefinite | kPMatrix | kCopositive | kSolvable, banded},
      {"infeasible", kSymmetric | kSemidefinite | kCopositive | kInfeasible, infeasible},
  };
  return list;
}

// Its own sequence of random numbers.
inline std::uint64_t seed(const family &f) {
  std::uint64_t sum = 1;
  for (const char *c = f.name; *c != '\0'; c++) sum = 31 * sum + static_cast<unsigned char>(*c);
  return sum;
}

// A problem's laws: one block for each run of unknowns of one kind, so that a plain LCP is one.
class laws {
 public:
  explicit laws(const instance &p) {
    perp_equality_init(&free_, sizeof free_);
    perp_complementarity_init(&orthant_, sizeof orthant_);
    boxes_.reserve(p.q.size());
    const auto kind = [&](std::int32_t i) {
      if (p.lower[at(i)] == -kInf && p.upper[at(i)] == kInf) return 0;
      return p.lower[at(i)] == 0 && p.upper[at(i)] == kInf ? 1 : 2;
    };
    for (std::int32_t i = 0; i < p.n();) {
      std::int32_t end = i;
      while (end < p.n() && kind(end) == kind(i)) end++;
      if (kind(i) == 2) {
        perp_box box;
        perp_box_init(&box, sizeof box);
        box.law.size = end - i;
        box.lower = &p.lower[at(i)];
        box.upper = &p.upper[at(i)];
        boxes_.push_back(box);
      }
      pointers_.push_back(kind(i) == 0   ? &free_.law
                          : kind(i) == 1 ? &orthant_.law
                                         : &boxes_.back().law);
      offset_.push_back(end);
      i = end;
    }
    problem.q = p.q.data();
    problem.n = p.n();
    problem.n_blocks = static_cast<std::int32_t>(pointers_.size());
    problem.laws = pointers_.data();
    problem.offset = offset_.data();
  }
  laws(const laws &) = delete;
  laws &operator=(const laws &) = delete;
  perp_problem problem = PERP_PROBLEM_INIT;

 private:
  perp_equality free_;
  perp_complementarity orthant_;
  std::vector<perp_box> boxes_;
  std::vector<const perp_law *> pointers_;
  std::vector<std::int32_t> offset_{0};
};

// A problem with its laws and its matrix stored as dense.
struct posed {
  instance i;
  families::laws laws;
  posed(const instance &from) : i(from), laws(i) {
    laws.problem.M = perp_dense(i.n(), i.n(), i.M.data());
  }
  const perp_problem &p() const { return laws.problem; }
};

inline instance lcp(const dense &M, const vec &q) {
  instance i(M.rows);
  i.M = M;
  i.q = q;
  return i;
}

inline instance lcp(const vec &rows, const vec &q) {
  return lcp(tools::from_rows(static_cast<std::int32_t>(q.size()), rows), q);
}

// ---- the judge ----

inline long double clip(long double x, double l, double u) { return x < l ? l : x > u ? u : x; }

// Whether λ solves p at a relative residual of tol, from the definition; NaN does not. rounding:
// what doubles may lose of a row's sum, in parts of it.
inline bool solves(const instance &p, const vec &lambda, double tol, double rounding = 0) {
  const std::int32_t n = p.n();
  const auto y = tools::affine(p.M, p.q, lambda);
  long double residual = 0, scale = 0, hat = 0;
  for (std::int32_t j = 0; j < n; j++) {
    const double l = p.lower[at(j)], u = p.upper[at(j)];
    long double squares = 0, row = std::fabs(p.q[at(j)]), small = std::fabs(p.q[at(j)]);
    for (std::int32_t i = 0; i < n; i++) {
      const long double m = p.M(i, j), absolute = std::fabs(static_cast<long double>(p.M(j, i)));
      const double li = p.lower[at(i)], ui = p.upper[at(i)];
      const bool bounded = li > -kInf && ui < kInf;
      squares += m * m;
      row += absolute * std::fabs(lambda[at(i)]);
      small += absolute * (bounded ? std::fabs(lambda[at(i)]) : std::fabs(clip(0, li, ui)));
    }
    const long double rho = squares > 0 ? 1 / std::sqrt(squares) : 1, x = lambda[at(j)];
    const long double r = std::fabs(x - clip(x - rho * y[at(j)], l, u)) / rho;
    if (!(r <= residual)) residual = r;
    if (!(row <= scale)) scale = row;
    if (!(small <= hat)) hat = small;
  }
  const long double lost = rounding > 0 ? rounding * scale + 1e-300L : 0; /* below: denormals */
  return residual <= tol * (1 + 1e-6L) * scale + lost &&
         residual <= std::min(1e-2L, std::max(1e-6L, 10.0L * tol)) * (1 + 1e-6L) * hat + lost;
}

// Whether u proves that every solution of p has ‖|M||λ| + |q|‖∞ >= 2^30 ‖|M|λ̂ + |q|‖∞: u in the
// recession cone of the box, and uᵀ(M λ + q) < 0 for every λ in the box that does not.
inline bool proves_infeasible(const instance &p, const vec &u) {
  const auto n = p.n();
  long double supremum = 0, length = 0, rho = 0, hat = 0;
  for (std::int32_t i = 0; i < n; i++) length += std::fabs(u[at(i)]);
  for (std::int32_t i = 0; i < n; i++) {
    const double l = p.lower[at(i)], r = p.upper[at(i)];
    if (!(u[at(i)] >= 0 || l == -kInf) || !(u[at(i)] <= 0 || r == kInf)) return false;
    long double slope = 0, terms = 0, row = std::fabs(p.q[at(i)]);
    for (std::int32_t k = 0; k < n; k++) {
      const long double factor = std::max<long double>(std::fabs(u[at(k)]), length / n);
      slope += static_cast<long double>(p.M(k, i)) * u[at(k)];
      terms += std::fabs(p.M(k, i)) * factor;
      const double low = p.lower[at(k)], high = p.upper[at(k)];
      const double nearest = low > 0 ? low : high < 0 ? -high : 0;
      const bool bounded = low > -kInf && high < kInf;
      row += std::fabs(static_cast<long double>(p.M(i, k))) *
             (bounded ? std::max(std::fabs(low), std::fabs(high)) : nearest);
    }
    hat = std::max(hat, row);
    supremum += static_cast<long double>(p.q[at(i)]) * u[at(i)];
    if (std::fabs(slope) <= 1e-18L * terms) continue;
    if (std::fabs(slope > 0 ? r : l) < kInf)
      supremum += slope * (slope > 0 ? r : l);
    else
      rho = std::max(rho, std::fabs(slope) / terms);
  }
  return supremum < 0 && -supremum >= 0x1p30L * rho * 2 * length * hat;
}

}  // namespace families

#endif
