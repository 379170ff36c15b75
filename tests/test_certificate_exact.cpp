// SPDX-License-Identifier: MIT
// What INFEASIBLE claims, judged in exact rationals: all doubles are rationals, and of few unknowns
// all bases can be solved. A claim is wrong if a solution has an amplification below 2^30, or a
// norm below the bound.
#include <gmpxx.h>
#include <gtest/gtest.h>
#include <perp/interior_point.h>
#include <perp/pivoting.h>
#include <perp/problem.h>
#include <perp/solver.h>
#include <perp/sweeps.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "problem_tools.hpp"

extern "C" {
#include "problem/certificate.h"
}

namespace {

using tools::at;
using tools::kInf;
using tools::vec;
using rational = mpq_class;

struct posed {
  std::int32_t n;
  vec M, q, lower, upper;  // M by columns
  double &entry(std::int32_t i, std::int32_t j) { return M[at(i + n * j)]; }
  double entry(std::int32_t i, std::int32_t j) const { return M[at(i + n * j)]; }
};

// The solutions that matter: the least amplification and the least norm of those found.
struct solutions {
  bool any = false;
  rational scale, hat, norm;  // A = scale / hat
};

bool bounded(const posed &p, std::int32_t i) {
  return p.lower[at(i)] > -kInf && p.upper[at(i)] < kInf;
}

// How an unknown is: y = 0, at a bound, or both.
enum mode { kFree, kLower, kUpper, kLowerZero, kUpperZero, kModes };

class exact {
 public:
  explicit exact(const posed &p) : p_(p), M_(p.M.begin(), p.M.end()), q_(p.q.begin(), p.q.end()) {}

  solutions all() {
    modes_.assign(at(p_.n), kFree);
    for (;;) {
      if (possible() && solve() && holds()) count();
      std::size_t i = 0;
      while (i < modes_.size() && modes_[i] == kUpperZero) modes_[i++] = kFree;
      if (i == modes_.size()) return found_;
      modes_[i]++;
    }
  }

 private:
  const posed &p_;
  std::vector<rational> M_, q_, x_;
  std::vector<int> modes_;
  solutions found_;

  const rational &entry(std::size_t i, std::size_t j) const { return M_[i + at(p_.n) * j]; }

  bool possible() const {
    for (std::size_t i = 0; i < modes_.size(); i++) {
      const int m = modes_[i];
      if ((m == kLower || m == kLowerZero) && p_.lower[i] == -kInf) return false;
      if ((m == kUpper || m == kUpperZero) && p_.upper[i] == kInf) return false;
    }
    return true;
  }

  // x of the modes; what the equations leave open is 0.
  bool solve() {
    const std::size_t n = modes_.size();
    std::vector<std::size_t> free;
    std::vector<std::vector<rational>> rows;
    x_.assign(n, 0);
    for (std::size_t i = 0; i < n; i++) {
      if (modes_[i] == kFree) free.push_back(i);
      if (modes_[i] == kLower || modes_[i] == kLowerZero) x_[i] = p_.lower[i];
      if (modes_[i] == kUpper || modes_[i] == kUpperZero) x_[i] = p_.upper[i];
    }
    for (std::size_t i = 0; i < n; i++) {
      if (modes_[i] == kLower || modes_[i] == kUpper) continue;
      std::vector<rational> row;
      for (const std::size_t j : free) row.push_back(entry(i, j));
      rational right = -q_[i];
      for (std::size_t j = 0; j < n; j++) right -= entry(i, j) * x_[j];
      row.push_back(right);
      rows.push_back(row);
    }
    return eliminate(rows, free);
  }

  bool eliminate(std::vector<std::vector<rational>> &rows, const std::vector<std::size_t> &free) {
    std::size_t rank = 0;
    std::vector<std::size_t> pivots;
    for (std::size_t c = 0; c < free.size(); c++) {
      std::size_t k = rank;
      while (k < rows.size() && rows[k][c] == 0) k++;
      if (k == rows.size()) continue;
      std::swap(rows[k], rows[rank]);
      for (std::size_t r = 0; r < rows.size(); r++) {
        const rational factor = r == rank ? rational(0) : rational(rows[r][c] / rows[rank][c]);
        for (std::size_t j = 0; factor != 0 && j < rows[r].size(); j++)
          rows[r][j] -= factor * rows[rank][j];
      }
      pivots.push_back(c);
      rank++;
    }
    for (std::size_t r = rank; r < rows.size(); r++)
      if (rows[r].back() != 0) return false;
    for (std::size_t r = 0; r < rank; r++)
      x_[free[pivots[r]]] = rows[r].back() / rows[r][pivots[r]];
    return true;
  }

  rational y(std::size_t i) const {
    rational sum = q_[i];
    for (std::size_t j = 0; j < x_.size(); j++) sum += entry(i, j) * x_[j];
    return sum;
  }

  bool holds() const {
    for (std::size_t i = 0; i < x_.size(); i++) {
      const bool low = p_.lower[i] > -kInf, high = p_.upper[i] < kInf;
      if ((low && x_[i] < p_.lower[i]) || (high && x_[i] > p_.upper[i])) return false;
      const int sign = sgn(y(i));
      if (sign > 0 && !(low && x_[i] == p_.lower[i])) return false;
      if (sign < 0 && !(high && x_[i] == p_.upper[i])) return false;
    }
    return true;
  }

  rational hat(std::size_t i) const {
    if (bounded(p_, static_cast<std::int32_t>(i))) return abs(x_[i]);
    return p_.lower[i] > 0 ? p_.lower[i] : p_.upper[i] < 0 ? -p_.upper[i] : 0;
  }

  void count() {
    rational scale = 0, small = 0, norm = 0;
    for (std::size_t i = 0; i < x_.size(); i++) {
      rational row = abs(q_[i]), hats = row;
      for (std::size_t j = 0; j < x_.size(); j++) {
        row += abs(entry(i, j) * x_[j]);
        hats += abs(entry(i, j)) * hat(j);
      }
      scale = std::max(scale, row);
      small = std::max(small, hats);
      norm += abs(x_[i]);
    }
    if (!found_.any || scale * found_.hat < found_.scale * small) {
      found_.scale = scale;
      found_.hat = small;
    }
    if (!found_.any || norm < found_.norm) found_.norm = norm;
    found_.any = true;
  }
};

// Empty if the claim may stand.
std::string contradiction(const posed &p, double bound) {
  const solutions s = exact(p).all();
  if (!s.any) return "";
  if (bound == kInf) return "there is a solution";
  if (s.scale < s.hat * rational(0x1p30)) return "a solution is of ordinary size";
  return s.norm < rational(bound) ? "a solution is below the bound" : "";
}

// ---- problems ----

class source {
 public:
  explicit source(std::uint64_t seed) : bits_(seed) {}
  int integer(int a, int b) {
    return a + static_cast<int>(bits_() % static_cast<unsigned>(b - a + 1));
  }
  double real() { return static_cast<double>(bits_() >> 11) * 0x1p-52 - 1; }
  double number() { return integer(0, 1) == 0 ? real() : integer(-2, 2); }

 private:
  std::mt19937_64 bits_;
};

posed empty(source &s) {
  const std::int32_t n = s.integer(1, 3);
  return {n, vec(at(n * n), 0), vec(at(n), 0), vec(at(n), 0), vec(at(n), kInf)};
}

void add_gram(posed &p, source &s, bool whole) {
  const std::int32_t rank = s.integer(1, p.n);
  for (std::int32_t k = 0; k < rank; k++) {
    vec b(at(p.n));
    for (double &x : b) x = whole ? s.integer(-2, 2) : s.real();
    for (std::int32_t i = 0; i < p.n; i++)
      for (std::int32_t j = 0; j < p.n; j++) p.entry(i, j) += b[at(i)] * b[at(j)];
  }
}

void put_bounds(posed &p, source &s) {
  for (std::size_t i = 0; i < at(p.n); i++) {
    const int kind = s.integer(0, 5);
    if (kind <= 1) p.lower[i] = -kInf;
    if (kind >= 4) p.lower[i] = s.integer(-2, 0);
    if (kind == 1 || kind >= 3) p.upper[i] = s.integer(0, 2);
  }
}

double tenth(source &s, int from, int to) { return std::pow(10, s.integer(from, to)); }

using family = std::function<posed(source &)>;

posed whole_with_a_gap(source &s) {
  posed p = empty(s);
  add_gram(p, s, true);
  for (double &x : p.q) x = s.integer(-3, 3);
  p.q[0] -= tenth(s, -15, 0);
  if (s.integer(0, 1) == 0) put_bounds(p, s);
  return p;
}

posed nearly_singular(source &s) {
  posed p = empty(s);
  add_gram(p, s, s.integer(0, 1) == 0);
  for (std::int32_t i = 0; i < p.n; i++) p.entry(i, i) += s.integer(0, 1) * tenth(s, -16, -6);
  for (double &x : p.q) x = s.number();
  if (s.integer(0, 2) == 0) put_bounds(p, s);
  return p;
}

posed mixed_units(source &s) {
  posed p = nearly_singular(s);
  for (std::int32_t i = 0; i < p.n; i++) {
    const double r = tenth(s, -150, 150);
    const int how = s.integer(0, 2);
    for (std::int32_t j = 0; j < p.n; j++) {
      if (how != 1) p.entry(i, j) *= r;
      if (how != 2) p.entry(j, i) *= r;
    }
    if (how != 1) p.q[at(i)] *= r;
  }
  for (double &x : p.M) x = std::fabs(x) < kInf ? x : 1e300;
  return p;
}

posed denormal(source &s) {
  posed p = empty(s);
  if (s.integer(0, 1) == 0)
    add_gram(p, s, true);
  else
    for (double &x : p.M) x = s.integer(-2, 2);
  const double m = std::ldexp(1, s.integer(-1074, -1000)),
               q = std::ldexp(1, s.integer(-1074, -980));
  for (double &x : p.M) x *= m;
  for (double &x : p.q) x = q * s.integer(-2, 2);
  return p;
}

posed far_bounds(source &s) {
  posed p = nearly_singular(s);
  put_bounds(p, s);
  for (std::size_t i = 0; i < at(p.n); i++) {
    if (s.integer(0, 1) == 0) p.upper[i] = tenth(s, 3, 30);
    if (s.integer(0, 3) == 0) p.lower[i] = -tenth(s, 3, 30);
  }
  return p;
}

posed any_numbers(source &s) {
  posed p = empty(s);
  for (double &x : p.M) x = s.number();
  for (double &x : p.q) x = s.number();
  for (double &x : p.M)
    if (s.integer(0, 3) == 0) x *= tenth(s, -16, 0);
  if (s.integer(0, 1) == 0) put_bounds(p, s);
  return p;
}

const struct {
  const char *name;
  posed (*make)(source &);
} kFamilies[] = {{"whole numbers with a gap", whole_with_a_gap},
                 {"nearly singular", nearly_singular},
                 {"mixed units", mixed_units},
                 {"denormal", denormal},
                 {"far bounds", far_bounds},
                 {"any numbers", any_numbers}};

// ---- claims ----

// A view of a problem, in two storages.
class view {
 public:
  perp_problem problem{};

  view(const posed &p, bool sparse) : p_(p) {
    perp_box_init(&box_, sizeof box_);
    perp_complementarity_init(&orthant_, sizeof orthant_);
    box_.law.size = orthant_.law.size = p.n;
    box_.lower = p.lower.data();
    box_.upper = p.upper.data();
    const auto is = [](const vec &v, double x) {
      return std::all_of(v.begin(), v.end(), [x](double b) { return b == x; });
    };
    if (is(p.lower, 0) && is(p.upper, kInf)) law_ = &orthant_.law;
    problem = perp_problem_of(perp_dense(p.n, p.n, p.M.data()), p.q.data(), 1, &law_, nullptr);
    if (sparse) store();
  }
  view(const view &) = delete;
  view &operator=(const view &) = delete;

 private:
  const posed &p_;
  perp_box box_{};
  perp_complementarity orthant_{};
  const perp_law *law_ = &box_.law;
  tools::ints start_{0}, index_;
  vec values_;

  void store() {
    for (std::int32_t i = 0; i < p_.n; i++) {
      for (std::int32_t j = 0; j < p_.n; j++) {
        if (p_.entry(i, j) == 0) continue;
        index_.push_back(j);
        values_.push_back(p_.entry(i, j));
      }
      start_.push_back(static_cast<std::int32_t>(index_.size()));
    }
    index_.push_back(0);
    values_.push_back(0);
    problem.M = perp_block_rows(p_.n, nullptr, start_.data(), index_.data(), values_.data());
  }
};

double proof(const perp_problem &p, vec ray) {
  vec scratch(certificate_scratch_doubles(p.n));
  perp_certificate_project(&p, ray.data(), scratch.data());
  return perp_certificate_proves(&p, ray.data(), scratch.data());
}

// What a solver claims: 0, or the bound of its proof; without a ray 1 stands for any.
double claim(const perp_solver *solver, const perp_problem &p) {
  vec lambda(at(p.n), 0), y(at(p.n)), ray(at(p.n), 0);
  std::vector<unsigned char> work(perp_solver_workspace(solver, &p, nullptr));
  perp_info info = PERP_INFO_INIT;
  info.ray = ray.data();
  info.ray_size = p.n;
  const perp_status status = perp_solver_solve(solver, &p, nullptr, lambda.data(), y.data(),
                                               nullptr, work.data(), work.size(), &info);
  if (status != PERP_INFEASIBLE) return 0;
  return info.ray_kind == PERP_RAY_CERTIFICATE ? proof(p, ray) : 0x1p-1074;
}

TEST(CertificateExact, NoSolverClaimsWhatIsNotSo) {
  const perp_solver *solvers[] = {perp_solver_lemke(),        perp_solver_block_pivoting(),
                                  perp_solver_box_pivoting(), perp_solver_interior_point(),
                                  perp_solver_enumeration(),  perp_solver_cpg()};
  for (const auto &f : kFamilies) {
    int claims = 0;
    for (std::uint64_t k = 0; k < 700; k++) {
      source s(k);
      const posed p = f.make(s);
      double best = 0;
      for (const perp_solver *solver : solvers)
        for (const bool sparse : {false, true})
          best = std::max(best, claim(solver, view(p, sparse).problem));
      if (best == 0) continue;
      claims++;
      EXPECT_EQ(contradiction(p, best), "") << f.name << " " << k << " bound " << best;
    }
    EXPECT_GE(claims, 4) << f.name;
  }
}

// Rays that no method would find, and those that it would but for rounding.
TEST(CertificateExact, NoRayProvesWhatIsNotSo) {
  for (const auto &f : kFamilies) {
    int claims = 0;
    for (std::uint64_t k = 0; k < 1500; k++) {
      source s(1000 + k);
      const posed p = f.make(s);
      double best = 0;
      for (int trial = 0; trial < 12; trial++) {
        vec ray(at(p.n));
        for (double &x : ray) x = trial < 6 ? s.integer(-1, 2) : s.real();
        for (std::size_t i = 0; i < at(p.n) && trial % 3 == 2; i++)
          ray[i] /= p.M[i * at(p.n) + i] != 0 ? p.M[i * at(p.n) + i] : 1;
        const double dense = proof(view(p, false).problem, ray);
        EXPECT_EQ(dense, proof(view(p, true).problem, ray)) << f.name << " " << k;
        best = std::max(best, dense);
      }
      if (best == 0) continue;
      claims++;
      EXPECT_EQ(contradiction(p, best), "") << f.name << " " << k << " bound " << best;
    }
    EXPECT_GE(claims, 10) << f.name;
  }
}

}  // namespace
