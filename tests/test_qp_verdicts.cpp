// SPDX-License-Identifier: MIT
// Verdicts on quadratic programs whose kind is known by construction: with a minimum, infeasible,
// without a least value. Every solver that takes them is asked, by its name. Answers and proofs are
// judged here in long double, by code that shares nothing with the library.
#include <gtest/gtest.h>
#include <perp/heap.h>
#include <perp/qp.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "problem_tools.hpp"

#ifndef PERP_VERDICT_TRIALS
#define PERP_VERDICT_TRIALS 40
#endif

namespace {

using tools::at;
using tools::dense;
using tools::kInf;
using tools::uniform;
using tools::vec;
using real = long double;

// ---- programs ----

enum class truth { minimum, infeasible, unbounded };

struct program {
  std::int32_t n, m;
  dense P, A;
  vec c, row_lower, row_upper, lower, upper;

  program(std::int32_t n_, std::int32_t m_)
      : n(n_),
        m(m_),
        P(n, n),
        A(m, n),
        c(at(n), 0.0),
        row_lower(at(m), -kInf),
        row_upper(at(m), kInf),
        lower(at(n), -kInf),
        upper(at(n), kInf) {}
  perp_qp view() const {
    return {n,
            m,
            perp_dense(n, n, P.data()),
            perp_dense(m, n, A.data()),
            c.data(),
            row_lower.data(),
            row_upper.data(),
            lower.data(),
            upper.data()};
  }
  double row(std::int32_t k, const vec &x) const {
    double sum = 0;
    for (std::int32_t j = 0; j < n; j++) sum += A(k, j) * x[at(j)];
    return sum;
  }
};

// Numbers of one family: small integers, so that all is exact, or reals.
class numbers {
 public:
  numbers(std::uint64_t seed, bool whole) : random_(seed), whole_(whole) {}
  double operator()(double size = 3) {
    const double x = size * random_();
    return whole_ ? std::floor(x + 0.5) : x;
  }
  double positive(double size = 3) { return std::fabs((*this)(size)) + (whole_ ? 1 : 0.1); }
  bool chance(double p) { return random_() < 2 * p - 1; }

 private:
  uniform random_;
  bool whole_;
};

// P := R Rᵀ of the columns of R.
void square(const std::vector<vec> &R, dense *P) {
  for (const vec &r : R)
    for (std::int32_t i = 0; i < P->rows; i++)
      for (std::int32_t j = 0; j < P->rows; j++) (*P)(i, j) += r[at(i)] * r[at(j)];
}

vec any(numbers &number, std::int32_t n) {
  vec v(at(n));
  for (double &x : v) x = number();
  return v;
}

// A vector orthogonal to d: a sum of d_j e_i - d_i e_j.
vec orthogonal(numbers &number, const vec &d) {
  vec v(d.size(), 0.0);
  for (std::size_t i = 0; i < d.size(); i++)
    for (std::size_t j = 0; j < i; j++) {
      if (number.chance(0.5)) continue;
      const double w = number(1.6);
      v[i] += w * d[j];
      v[j] -= w * d[i];
    }
  return v;
}

double dot(const vec &a, const vec &b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); i++) sum += a[i] * b[i];
  return sum;
}

void set_row(program *p, std::int32_t k, const vec &a) {
  for (std::int32_t j = 0; j < p->n; j++) p->A(k, j) = a[at(j)];
}

// x with multipliers that fit, and the c that makes them so.
program with_minimum(numbers &number, std::int32_t n, std::int32_t m, std::int32_t rank) {
  program p(n, m);
  std::vector<vec> R;
  for (std::int32_t k = 0; k < rank; k++) R.push_back(any(number, n));
  square(R, &p.P);
  const vec x = any(number, n);
  const auto side = [&](double v, double *l, double *u) {
    const bool low = number.chance(0.4), high = number.chance(0.4), equal = number.chance(0.15);
    *l = low ? v - (number.chance(0.5) ? 0 : number.positive()) : -kInf;
    *u = high ? v + (number.chance(0.5) ? 0 : number.positive()) : kInf;
    if (equal) *l = *u = v;
    double w = 0;
    if (*l == v && number.chance(0.7)) w += number.positive();
    if (*u == v && number.chance(0.7)) w -= number.positive();
    return w;
  };
  for (std::int32_t k = 0; k < m; k++) {
    set_row(&p, k, any(number, n));
    const double nu = side(p.row(k, x), &p.row_lower[at(k)], &p.row_upper[at(k)]);
    for (std::int32_t j = 0; j < n; j++) p.c[at(j)] += nu * p.A(k, j);
  }
  for (std::int32_t i = 0; i < n; i++) {
    p.c[at(i)] += side(x[at(i)], &p.lower[at(i)], &p.upper[at(i)]);
    for (std::int32_t j = 0; j < n; j++) p.c[at(i)] -= p.P(i, j) * x[at(j)];
  }
  return p;
}

// A direction d with P d = 0 that stays feasible, and c'd < 0; slow: by little beside c.
program without_least(numbers &number, std::int32_t n, std::int32_t m, std::int32_t rank,
                      bool slow) {
  program p(n, m);
  vec d = any(number, n);
  if (dot(d, d) == 0) d[0] = 1;
  std::vector<vec> R;
  for (std::int32_t k = 0; k < rank; k++) R.push_back(orthogonal(number, d));
  square(R, &p.P);
  const vec x = any(number, n);
  for (std::int32_t k = 0; k < m; k++) {
    vec a = number.chance(0.5) ? any(number, n) : orthogonal(number, d);
    const double rate = dot(a, d), v = (set_row(&p, k, a), p.row(k, x));
    const bool along = std::fabs(rate) < 1e-9;
    if (along || rate > 0) p.row_lower[at(k)] = v - (number.chance(0.5) ? 0 : number.positive());
    if (along || rate < 0) p.row_upper[at(k)] = v + (number.chance(0.5) ? 0 : number.positive());
  }
  for (std::int32_t i = 0; i < n; i++) {
    if (d[at(i)] >= 0 && number.chance(0.6)) p.lower[at(i)] = x[at(i)] - number.positive();
    if (d[at(i)] <= 0 && number.chance(0.6)) p.upper[at(i)] = x[at(i)] + number.positive();
    p.c[at(i)] = number();
  }
  double fall = dot(p.c, d);
  if (slow) {
    p.c = orthogonal(number, d);
    for (double &v : p.c) v *= 1000;
    fall = 0;
  }
  for (std::int32_t i = 0; i < n; i++) {
    if (fall > 0) p.c[at(i)] = -p.c[at(i)];
    if (fall == 0) p.c[at(i)] -= d[at(i)];
  }
  return p;
}

// The last row is a sum of others and of bounds, and asks for more than they allow.
program without_point(numbers &number, std::int32_t n, std::int32_t m, std::int32_t rank,
                      double gap) {
  program p = with_minimum(number, n, m, rank);
  double sum = 0;
  vec a(at(n), 0.0);
  const auto join = [&](double *l, double *u, double v) { /* weight, with its side there */
                                                          const double w =
                                                              number.chance(0.5) ? number() : 0;
                                                          if (w > 0 && *l == -kInf) *l = v - 1;
                                                          if (w < 0 && *u == kInf) *u = v + 1;
                                                          sum += w == 0 ? 0 : w * (w > 0 ? *l : *u);
                                                          return w;
  };
  for (std::int32_t k = 0; k + 1 < m; k++) {
    const double w = join(&p.row_lower[at(k)], &p.row_upper[at(k)],
                          p.row_lower[at(k)] > -kInf  ? p.row_lower[at(k)]
                          : p.row_upper[at(k)] < kInf ? p.row_upper[at(k)]
                                                      : number());
    for (std::int32_t j = 0; j < n; j++) a[at(j)] += w * p.A(k, j);
  }
  for (std::int32_t i = 0; i < n; i++)
    a[at(i)] += join(&p.lower[at(i)], &p.upper[at(i)],
                     p.lower[at(i)] > -kInf  ? p.lower[at(i)]
                     : p.upper[at(i)] < kInf ? p.upper[at(i)]
                                             : number());
  set_row(&p, m - 1, a);
  p.row_lower[at(m - 1)] = -kInf;
  p.row_upper[at(m - 1)] = sum - gap;
  return p;
}

// ---- answers ----

struct answer {
  perp_status status;
  vec x, nu, zeta, ray;
};

answer ask(const perp_solver *solver, const program &p) {
  const perp_qp qp = p.view();
  perp_info info = PERP_INFO_INIT;
  answer a{PERP_OK, vec(at(p.n), 0.0), vec(at(p.m), 999.0), vec(at(p.n), 999.0),
           vec(at(p.n + p.m), 999.0)};
  info.ray = a.ray.data();
  info.ray_size = p.n + p.m;
  std::vector<unsigned char> work(perp_qp_workspace(solver, &qp, nullptr));
  a.status = work.empty() ? PERP_EUNSUPPORTED
                          : perp_qp_solve(solver, &qp, nullptr, a.x.data(), a.nu.data(),
                                          a.zeta.data(), work.data(), work.size(), &info);
  return a;
}

// Sums and the magnitudes of their terms.
struct sums {
  std::vector<real> value, size;
  explicit sums(std::int32_t n) : value(at(n), 0), size(at(n), 0) {}
  void add(std::int32_t i, double a, double b) {
    value[at(i)] += static_cast<real>(a) * b;
    size[at(i)] += std::fabs(static_cast<real>(a) * b);
  }
  real largest() const {
    real most = 0;
    for (const real s : size) most = std::max(most, s);
    return most;
  }
};

double nearest(double l, double u) { return l > 0 ? l : u < 0 ? u : 0; }

// The largest of the parts of the residual by the definition of docs/theory-qp.md, each divided by
// what it may be at tol = 1e-10; at most 1: solved.
double excess(const program &p, const answer &a) {
  sums v(p.m), g(p.n), v_hat(p.m), g_hat(p.n);
  vec bounds(at(p.n));
  for (std::int32_t i = 0; i < p.n; i++) {
    g.add(i, p.c[at(i)], 1), g_hat.add(i, p.c[at(i)], 1), g.add(i, -a.zeta[at(i)], 1);
    bounds[at(i)] = nearest(p.lower[at(i)], p.upper[at(i)]);
  }
  for (std::int32_t i = 0; i < p.n; i++)
    for (std::int32_t j = 0; j < p.n; j++) {
      g.add(i, p.P(i, j), a.x[at(j)]);
      g_hat.add(i, p.P(i, j), bounds[at(j)]);
    }
  real primal = 0, dual = 0, gap = 0, primal_scale = 0, primal_hat = 0, gap_scale = 0;
  const auto constraint = [&](real value, real size, double l, double u, real w, real weight) {
    const real outside = value < l ? l - value : value > u ? value - u : 0;
    const double side = w > 0 ? l : u;
    primal = std::max(primal, outside);
    primal_scale = std::max(primal_scale, size + (value <= l   ? std::fabs(l)
                                                  : value >= u ? std::fabs(u)
                                                               : 0));
    if (w == 0) return;
    if (std::isinf(side)) {
      dual = std::max(dual, std::fabs(w * weight));
      return;
    }
    gap += std::fabs(w * (value - side));
    gap_scale += std::fabs(w) * (size + std::fabs(side));
  };
  for (std::int32_t k = 0; k < p.m; k++) {
    real weight = 0;
    for (std::int32_t j = 0; j < p.n; j++) {
      weight = std::max<real>(weight, std::fabs(p.A(k, j)));
      v.add(k, p.A(k, j), a.x[at(j)]);
      v_hat.add(k, p.A(k, j), bounds[at(j)]);
      g.add(j, -p.A(k, j), a.nu[at(k)]);
    }
    v_hat.add(k, nearest(p.row_lower[at(k)], p.row_upper[at(k)]), 1);
    constraint(v.value[at(k)], v.size[at(k)], p.row_lower[at(k)], p.row_upper[at(k)], a.nu[at(k)],
               weight);
  }
  for (std::int32_t i = 0; i < p.n; i++) {
    constraint(a.x[at(i)], std::fabs(a.x[at(i)]), p.lower[at(i)], p.upper[at(i)], a.zeta[at(i)], 1);
    dual = std::max(dual, std::fabs(g.value[at(i)]));
    primal_hat = std::max(primal_hat, static_cast<real>(std::fabs(bounds[at(i)])));
    for (std::int32_t j = 0; j < p.n; j++)
      gap_scale += std::fabs(static_cast<real>(a.x[at(i)]) * p.P(i, j) * a.x[at(j)]);
    gap_scale += std::fabs(static_cast<real>(a.x[at(i)]) * p.c[at(i)]);
  }
  primal_hat = std::max(primal_hat, v_hat.largest());
  const auto part = [](real r, real most) { return r == 0 ? 0 : r / most; };
  real worst = std::max({part(primal, 1e-10L * primal_scale), part(dual, 1e-10L * g.largest()),
                         part(gap, 1e-10L * gap_scale)});
  if (primal_hat > 0) worst = std::max(worst, part(primal, 1e-6L * primal_hat));
  if (g_hat.largest() > 0) worst = std::max(worst, part(dual, 1e-6L * g_hat.largest()));
  return worst == worst ? static_cast<double>(worst) : kInf;
}

bool recedes(real v, real size, double l, double u) {
  const real hair = 1e-12L * size;
  return (v >= -hair || l == -kInf) && (v <= hair || u == kInf);
}

// Whether (d, 0) is a direction without end along which the objective falls.
bool falls(const program &p, const vec &ray) {
  sums Pd(p.n), Ad(p.m), cd(1);
  for (std::int32_t i = 0; i < p.n; i++) {
    if (!recedes(ray[at(i)], 0, p.lower[at(i)], p.upper[at(i)])) return false;
    cd.add(0, p.c[at(i)], ray[at(i)]);
    for (std::int32_t j = 0; j < p.n; j++) Pd.add(i, p.P(i, j), ray[at(j)]);
  }
  for (const real v : Pd.value)
    if (std::fabs(v) > 1e-12L * Pd.largest()) return false;
  for (std::int32_t k = 0; k < p.m; k++) {
    if (ray[at(p.n + k)] != 0) return false;
    for (std::int32_t j = 0; j < p.n; j++) Ad.add(k, p.A(k, j), ray[at(j)]);
    if (!recedes(Ad.value[at(k)], Ad.largest(), p.row_lower[at(k)], p.row_upper[at(k)]))
      return false;
  }
  return cd.value[0] < 0;
}

// Whether (0, r) shows that no x is feasible, but for x of 2^30 times the data: |r|'|A||x| / |r|_1
// is what the terms of A x amount to then, and a row that r hardly has counts as one of |r|_1 / m.
bool contradicts(const program &p, const vec &ray) {
  sums s(p.n);
  std::vector<real> size(at(p.n));
  real most = 0, least = 0, mean = 0;  // r'A x is at most, and at least
  for (std::int32_t k = 0; k < p.m; k++) mean += std::fabs(ray[at(p.n + k)]) / p.m;
  for (std::int32_t i = 0; i < p.n; i++)
    if (ray[at(i)] != 0) return false;
  for (std::int32_t k = 0; k < p.m; k++) {
    const double r = ray[at(p.n + k)], side = r > 0 ? p.row_lower[at(k)] : p.row_upper[at(k)];
    if (r != 0) least += static_cast<real>(r) * side;
    for (std::int32_t j = 0; j < p.n; j++) {
      s.add(j, p.A(k, j), r);
      size[at(j)] += std::fabs(p.A(k, j)) * std::max<real>(std::fabs(r), mean);
    }
  }
  for (std::int32_t i = 0; i < p.n; i++) {
    if (std::fabs(s.value[at(i)]) <= 0x1p-30L * size[at(i)]) continue;
    most += s.value[at(i)] * (s.value[at(i)] > 0 ? p.upper[at(i)] : p.lower[at(i)]);
  }
  return least > most;
}

// ---- the table ----

struct count {
  int asked = 0, right = 0, open = 0, wrong = 0;
};

using table = std::map<std::string, count>;

void judge(const program &p, truth kind, table *results) {
  for (std::int32_t s = 0; s < perp_solver_count(); s++) {
    const perp_solver *solver = perp_solver_at(s);
    const answer a = ask(solver, p);
    if (a.status == PERP_EUNSUPPORTED) continue;
    count &row = (*results)[solver->name];
    row.asked++;
    EXPECT_GE(a.status, 0) << solver->name;
    bool right = false, wrong = false;
    if (a.status == PERP_OK) {
      right = kind == truth::minimum && excess(p, a) <= 1 + 1e-6;
      wrong = !right;
    } else if (a.status == PERP_INFEASIBLE) {
      right = kind == truth::infeasible && contradicts(p, a.ray);
      wrong = !right;
    } else if (a.status == PERP_UNBOUNDED) {
      right = kind == truth::unbounded && falls(p, a.ray);
      wrong = !right;
    }
    row.right += right;
    row.wrong += wrong;
    row.open += !right && !wrong;
  }
}

template <class Make>
table tally(const char *family, truth kind, int trials, Make make) {
  table results;
  for (int t = 0; t < trials; t++) judge(make(t), kind, &results);
  if (std::getenv("PERP_VERDICT_TABLE") != nullptr) {
    std::printf("%s\n", family);
    for (const auto &[name, c] : results)
      std::printf("  %-20s asked %6d  right %6d  open %5d  wrong %5d\n", name.c_str(), c.asked,
                  c.right, c.open, c.wrong);
  }
  for (const auto &[name, c] : results) EXPECT_EQ(c.wrong, 0) << family << ": " << name;
  return results;
}

// Where the answer needs no work of the solver: a proof is found whatever the solver was.
void expect_all_right(const table &results) {
  for (const auto &[name, c] : results) EXPECT_EQ(c.open, 0) << name << " of " << c.asked;
}

constexpr int kTrials = PERP_VERDICT_TRIALS;

TEST(QpVerdicts, WholeProgramsWithoutLeastValue) {
  numbers number(1, true);
  expect_all_right(tally("unbounded, integers", truth::unbounded, kTrials, [&](int t) {
    const std::int32_t n = 1 + t % 7;
    return without_least(number, n, (t / 7) % 6, (t / 42) % (n + 1), false);
  }));
}

TEST(QpVerdicts, RealProgramsWithoutLeastValue) {
  numbers number(2, false);
  expect_all_right(tally("unbounded, reals", truth::unbounded, kTrials, [&](int t) {
    const std::int32_t n = 1 + t % 7;
    return without_least(number, n, (t / 7) % 6, (t / 42) % (n + 1), false);
  }));
}

TEST(QpVerdicts, SlowFallsAreFalls) {
  numbers number(3, true);
  expect_all_right(tally("unbounded by little, integers", truth::unbounded, kTrials, [&](int t) {
    const std::int32_t n = 1 + t % 7;
    return without_least(number, n, (t / 7) % 6, (t / 42) % (n + 1), true);
  }));
}

TEST(QpVerdicts, ProgramsWithoutRows) {
  numbers number(4, true);
  expect_all_right(tally("unbounded, no rows", truth::unbounded, kTrials, [&](int t) {
    const std::int32_t n = 1 + t % 9;
    return without_least(number, n, 0, (t / 9) % (n + 1), t % 2 == 0);
  }));
}

TEST(QpVerdicts, WholeProgramsWithoutPoint) {
  numbers number(5, true);
  expect_all_right(tally("infeasible, integers", truth::infeasible, kTrials, [&](int t) {
    const std::int32_t n = 1 + t % 7;
    return without_point(number, n, 1 + (t / 7) % 6, (t / 42) % (n + 1), 1);
  }));
}

TEST(QpVerdicts, RealProgramsWithoutPoint) {
  numbers number(6, false);
  expect_all_right(tally("infeasible, reals", truth::infeasible, kTrials, [&](int t) {
    const std::int32_t n = 1 + t % 7;
    return without_point(number, n, 1 + (t / 7) % 6, (t / 42) % (n + 1), t % 2 ? 1 : 1e-3);
  }));
}

TEST(QpVerdicts, ContradictionsByLittle) {
  numbers number(7, true);
  expect_all_right(tally("infeasible by little, integers", truth::infeasible, kTrials, [&](int t) {
    const std::int32_t n = 1 + t % 7;
    return without_point(number, n, 1 + (t / 7) % 6, (t / 42) % (n + 1), std::ldexp(1, -(t % 18)));
  }));
}

TEST(QpVerdicts, WholeProgramsWithMinimum) {
  numbers number(8, true);
  tally("minimum, integers", truth::minimum, kTrials, [&](int t) {
    const std::int32_t n = 1 + t % 7;
    return with_minimum(number, n, (t / 7) % 6, (t / 42) % (n + 1));
  });
}

TEST(QpVerdicts, RealProgramsWithMinimum) {
  numbers number(9, false);
  tally("minimum, reals", truth::minimum, kTrials, [&](int t) {
    const std::int32_t n = 1 + t % 7;
    return with_minimum(number, n, (t / 7) % 6, (t / 42) % (n + 1));
  });
}

}  // namespace
