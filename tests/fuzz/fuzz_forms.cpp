// SPDX-License-Identifier: MIT
// The forms of problems beside the one-step problem, small and made of extreme numbers: quadratic
// programs, nonlinear complementarity, variational inequalities, enumeration, polyhedra,
// derivatives. Whatever the bytes say, the call ends with a status that exists, and what it claims
// is true.
#include <perp/heap.h>
#include <perp/law.h>
#include <perp/mcp.h>
#include <perp/pivoting.h>
#include <perp/qp.h>
#include <perp/sensitivity.h>
#include <perp/vi.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "../families.hpp"
#include "bytes.hpp"

namespace {

using namespace families;
using fuzz::bytes;
using real = long double;

constexpr double kTol = 1e-9;        // accepted by every solve here
constexpr double kRounding = 4e-15;  // what doubles may lose of a sum, in parts of its terms

[[noreturn]] void broken(const char *what, const char *form) {
  std::fprintf(stderr, "fuzz_forms: %s: %s\n", form, what);
  std::abort();
}

void exists(perp_status status, const char *form) {
  if (std::strcmp(perp_status_string(status), "unknown status") == 0)
    broken("a status that does not exist", form);
}

// The judges' sums are in long double, but what they square must not leave its range.
bool within(const vec &v, double least, double most) {
  for (const double x : v)
    if (!(std::fabs(x) <= most) || (x != 0 && std::fabs(x) < least)) return false;
  return true;
}
bool moderate(const vec &v) { return within(v, 0, 1e200); }
bool tame(const vec &v) { return within(v, 1e-2, 1e3); }
bool can_be_judged(const instance &p) { return moderate(p.M.a) && moderate(p.q); }

// Exactly the bytes that were asked for, at any alignment.
class block {
 public:
  block(std::size_t bytes, unsigned shift)
      : size(bytes), all_(bytes + shift % 8), shift_(shift % 8) {}
  void *data() { return all_.data() + shift_; }
  std::size_t size;

 private:
  std::vector<unsigned char> all_;
  std::size_t shift_;
};

vec numbers(bytes &in, std::int32_t n) {
  vec v(at(n));
  for (double &x : v) x = in.number();
  return v;
}

void bounds(bytes &in, vec *lower, vec *upper) {
  for (std::size_t i = 0; i < lower->size(); i++) {
    const double a = in.number(), b = in.number();
    const unsigned side = in.byte() % 4;
    (*lower)[i] = -kInf;
    (*upper)[i] = kInf;
    if (!(a <= b)) continue;
    if ((side & 1u) == 0 && a < kInf) (*lower)[i] = a;
    if ((side & 2u) == 0 && b > -kInf) (*upper)[i] = b;
  }
}

instance box_problem(bytes &in, unsigned form) {
  instance p(static_cast<std::int32_t>(in.byte() % 7));
  for (std::int32_t j = 0; j < p.n(); j++)
    for (std::int32_t i = 0; i < p.n(); i++) p.M(i, j) = in.number();
  p.q = numbers(in, p.n());
  if ((form & 1u) != 0) bounds(in, &p.lower, &p.upper);
  if ((form & 2u) != 0) /* strongly monotone */
    for (std::int32_t i = 0; i < p.n(); i++) {
      double sum = 1;
      for (std::int32_t k = 0; k < p.n(); k++)
        sum += (std::fabs(p.M(i, k)) + std::fabs(p.M(k, i))) / 2;
      p.M(i, i) = sum;
    }
  return p;
}

// Column-major without the spare entry of tools::dense, so that reading beyond it shows.
vec entries(const dense &A) { return vec(A.a.begin(), A.a.end() - 1); }

// ---- quadratic programs ----

struct program {
  std::int32_t n, m;
  dense P, A;
  vec c, row_lower, row_upper, lower, upper;
  program(std::int32_t n_, std::int32_t m_)
      : n(n_),
        m(m_),
        P(n, n),
        A(m, n),
        row_lower(at(m)),
        row_upper(at(m)),
        lower(at(n)),
        upper(at(n)) {}
};

program make_program(bytes &in) {
  const unsigned kind = in.byte();
  const auto n = static_cast<std::int32_t>(in.byte() % 5),
             m = static_cast<std::int32_t>(in.byte() % 4);
  program p(n, m);
  dense B(n, n);
  for (std::int32_t j = 0; j < n; j++)
    for (std::int32_t i = 0; i <= j; i++) {
      const double x = in.number();
      if (kind % 3 == 0 && i == j) p.P(i, j) = std::fabs(x);
      if (kind % 3 == 1) p.P(i, j) = p.P(j, i) = x;
      B(i, j) = x;
    }
  if (kind % 3 == 2) add_product(p.P, B, 1);
  for (std::int32_t j = 0; j < n; j++)
    for (std::int32_t i = 0; i < m; i++) p.A(i, j) = in.number();
  p.c = numbers(in, n);
  bounds(in, &p.row_lower, &p.row_upper);
  bounds(in, &p.lower, &p.upper);
  return p;
}

// How far x, a sum of terms of that weight, is outside [l, u].
void judge_side(real x, real weight, double l, double u, real *error, real *scale) {
  const real b = x <= l ? l : x >= u ? u : 0;
  const real e = x < l ? l - x : x > u ? x - u : 0;
  if (!(e <= *error)) *error = e;
  if (!(weight + std::fabs(b) <= *scale)) *scale = weight + std::fabs(b);
}

bool solves_program(const program &p, const vec &x, const vec &nu, const vec &zeta) {
  real primal = 0, primal_scale = 0, dual = 0, dual_scale = 0;
  for (std::int32_t k = 0; k < p.m; k++) {
    real sum = 0, weight = 0;
    for (std::int32_t i = 0; i < p.n; i++) {
      const real term = static_cast<real>(p.A(k, i)) * x[at(i)];
      sum += term;
      weight += std::fabs(term);
    }
    judge_side(sum, weight, p.row_lower[at(k)], p.row_upper[at(k)], &primal, &primal_scale);
  }
  for (std::int32_t i = 0; i < p.n; i++) {
    const real xi = x[at(i)];
    judge_side(xi, std::fabs(xi), p.lower[at(i)], p.upper[at(i)], &primal, &primal_scale);
    real sum = static_cast<real>(p.c[at(i)]) - zeta[at(i)];
    real weight = std::fabs(p.c[at(i)]) + std::fabs(zeta[at(i)]);
    for (std::int32_t j = 0; j < p.n; j++) {
      const real term = static_cast<real>(p.P(i, j)) * x[at(j)];
      sum += term;
      weight += std::fabs(term);
    }
    for (std::int32_t k = 0; k < p.m; k++) {
      const real term = static_cast<real>(p.A(k, i)) * nu[at(k)];
      sum -= term;
      weight += std::fabs(term);
    }
    if (!(std::fabs(sum) <= dual)) dual = std::fabs(sum);
    if (!(weight <= dual_scale)) dual_scale = weight;
  }
  const real part = kTol * (1 + 1e-6L) + kRounding;
  return primal <= part * primal_scale + 1e-300L && dual <= part * dual_scale + 1e-300L;
}

void quadratic_program(bytes &in, bool dual) {
  const unsigned form = in.byte();
  const std::int32_t which = static_cast<std::int32_t>(in.byte()) % perp_solver_count();
  const perp_solver *solver = perp_solver_at(which);
  const char *name = dual ? "qp_dual" : solver->name;
  if (!dual && (solver->sets & 1u << PERP_SET_BOX) == 0) return;
  const program p = make_program(in);
  const vec P = entries(p.P), A = entries(p.A);
  const perp_qp qp = {p.n,
                      p.m,
                      perp_dense(p.n, p.n, P.data()),
                      perp_dense(p.m, p.n, A.data()),
                      p.c.data(),
                      p.row_lower.data(),
                      p.row_upper.data(),
                      p.lower.data(),
                      p.upper.data()};
  vec x(at(p.n), 0), nu(at(p.m), 999), zeta(at(p.n), 999), ray(at(p.n + p.m), 999);
  perp_info info = PERP_INFO_INIT;
  info.ray = ray.data();
  info.ray_size = p.n + p.m;
  perp_status status = PERP_OK;
  if (dual) {
    perp_solver_options o = perp_solver_options_default();
    o.tol = kTol;
    block work(perp_qp_dual_workspace(p.n, p.m), form);
    status = perp_qp_dual(&qp, &o, x.data(), nu.data(), zeta.data(), work.data(), work.size, &info);
  } else {
    const perp_solver_options o = {sizeof o, (form & 16u) != 0 ? 7 : 300, kTol, nullptr, nullptr,
                                   0};
    block work(perp_qp_workspace(solver, &qp, &o), form);
    if (work.size == 0) return;
    status = perp_qp_solve(solver, &qp, &o, x.data(), nu.data(), zeta.data(), work.data(),
                           work.size, &info);
  }
  exists(status, name);
  block work(perp_qp_judge_workspace(&qp), form);
  if (status == PERP_OK) {
    perp_qp_residual r = PERP_QP_RESIDUAL_INIT;
    if (perp_qp_judge(&qp, x.data(), nu.data(), zeta.data(), &r, work.data(), work.size) !=
            PERP_OK ||
        perp_qp_residual_solved(&r, kTol) == 0)
      broken("a solution its judge refuses", name);
    if (moderate(P) && moderate(A) && moderate(p.c) && !solves_program(p, x, nu, zeta))
      broken("claims a solution", name);
  }
  if (status == PERP_INFEASIBLE || status == PERP_UNBOUNDED) {
    double bound = 0;
    if (perp_qp_certificate(&qp, ray.data(), &bound, work.data(), work.size) != status)
      broken("claims a proof", name);
  }
}

// ---- nonlinear complementarity: F(z) = q + M z + (c_1 z_1^2, ...) ----

struct quadratic {
  const instance *p;
  vec curve;
  double border; /* no value beyond it */
};

std::int32_t quadratic_value(const double *z, double *F, void *user) {
  const auto *f = static_cast<const quadratic *>(user);
  const std::int32_t n = f->p->n();
  for (std::int32_t i = 0; i < n; i++) {
    if (!(std::fabs(z[i]) <= f->border)) return 1;
    F[i] = f->p->q[at(i)] + f->curve[at(i)] * z[i] * z[i];
    for (std::int32_t j = 0; j < n; j++) F[i] += f->p->M(i, j) * z[j];
  }
  return 0;
}

std::int32_t quadratic_slope(const double *z, double *values, void *user) {
  const auto *f = static_cast<const quadratic *>(user);
  const std::int32_t n = f->p->n();
  for (std::int32_t j = 0; j < n; j++)
    for (std::int32_t i = 0; i < n; i++)
      values[i + n * j] = f->p->M(i, j) + (i == j ? 2 * f->curve[at(i)] * z[i] : 0);
  return 0;
}

void nonlinear(bytes &in) {
  const unsigned form = in.byte();
  const unsigned mode = in.byte();
  const instance p = box_problem(in, form);
  const std::int32_t n = p.n();
  quadratic f = {&p, numbers(in, n), (form & 4u) != 0 ? 1e3 : 1e300};
  const bool analytic = (form & 8u) != 0;
  perp_mcp problem{};
  problem.n = n;
  problem.function = quadratic_value;
  problem.jacobian = analytic ? quadratic_slope : nullptr;
  problem.layout = perp_dense(n, n, nullptr);
  problem.lower = p.lower.data();
  problem.upper = p.upper.data();
  problem.user = &f;
  perp_mcp_options o = perp_mcp_options_default();
  o.max_iter = (form & 16u) != 0 ? 3 : 40;
  o.tol = kTol;
  o.mode = static_cast<std::int32_t>(mode % 3);
  o.max_pivots = 100;
  o.crash = static_cast<std::int32_t>(mode / 3 % 4);
  vec z = numbers(in, n), F(at(n), 999);
  block work(perp_mcp_workspace(&problem, &o), form);
  if (work.size == 0) broken("no workspace", "mcp");
  perp_info info = PERP_INFO_INIT;
  const perp_status status =
      perp_mcp_solve(&problem, &o, z.data(), F.data(), work.data(), work.size, &info);
  exists(status, "mcp");
  if (status != PERP_OK) return;
  vec again(at(n), 999);
  if (quadratic_value(z.data(), again.data(), &f) != 0 ||
      (n > 0 && std::memcmp(again.data(), F.data(), sizeof(double) * at(n)) != 0))
    broken("F is not that of z", "mcp");
  instance line = p; /* M = J(z), q = F(z) - M z */
  vec J(at(n * n));
  quadratic_slope(z.data(), J.data(), &f);
  for (std::int32_t i = 0; i < n; i++) {
    real q = F[at(i)];
    for (std::int32_t j = 0; j < n; j++) {
      line.M(i, j) = J[at(i + n * j)];
      q -= static_cast<real>(line.M(i, j)) * z[at(j)];
    }
    line.q[at(i)] = static_cast<double>(q);
  }
  if (!analytic && !(tame(p.M.a) && tame(p.q) && tame(f.curve) && tame(z))) return;
  if (can_be_judged(line) && !solves(line, z, analytic ? kTol : 1e-6, analytic ? kRounding : 1e-9))
    broken("claims a solution", "mcp");
}

// ---- variational inequalities ----

struct inequality {
  const instance *p;
  bool ball; /* around 0, else the box of p */
  double radius, border;
};

std::int32_t affine_value(const double *x, double *F, void *user) {
  const auto *v = static_cast<const inequality *>(user);
  for (std::int32_t i = 0; i < v->p->n(); i++) {
    if (std::fabs(x[i]) > v->border) return 1;
    F[i] = v->p->q[at(i)];
    for (std::int32_t j = 0; j < v->p->n(); j++) F[i] += v->p->M(i, j) * x[j];
  }
  return 0;
}

std::vector<real> project(const inequality &v, const std::vector<real> &x) {
  std::vector<real> p = x;
  real squares = 0;
  for (std::size_t i = 0; i < p.size(); i++) squares += x[i] * x[i];
  const real norm = std::sqrt(squares);
  for (std::size_t i = 0; i < p.size(); i++)
    if (!v.ball)
      p[i] = clip(x[i], v.p->lower[i], v.p->upper[i]);
    else if (norm > v.radius)
      p[i] = x[i] / norm * v.radius;
  return p;
}

std::int32_t nearest(const double *x, double *p, void *user) {
  const auto *v = static_cast<const inequality *>(user);
  const std::vector<real> y = project(*v, std::vector<real>(x, x + v->p->n()));
  for (std::size_t i = 0; i < y.size(); i++) p[i] = static_cast<double>(y[i]);
  return 0;
}

real norm(const std::vector<real> &v) {
  real sum = 0;
  for (const real x : v) sum += x * x;
  return std::sqrt(sum);
}

// Strongly monotone with modulus 1 by rows and columns, so that every slope met is at least 1: the
// residual at that slope is a lower bound of the one that was accepted.
bool solves_inequality(const inequality &v, const vec &x, const vec &start) {
  const instance &p = *v.p;
  real frobenius = 0;
  for (std::int32_t j = 0; j < p.n(); j++)
    for (std::int32_t i = 0; i < p.n(); i++) frobenius += static_cast<real>(p.M(i, j)) * p.M(i, j);
  frobenius = std::sqrt(frobenius);
  const auto size = [&](const vec &a) {
    return norm(tools::affine(p.M, p.q, a)) +
           frobenius * norm(std::vector<real>(a.begin(), a.end()));
  };
  vec origin(x.size());
  nearest(vec(x.size(), 0).data(), origin.data(), const_cast<inequality *>(&v));
  real scale = size(x);
  if (size(origin) > scale) scale = size(origin);
  if (size(start) > scale) scale = size(start);
  std::vector<real> ahead = tools::affine(p.M, p.q, x);
  for (std::size_t i = 0; i < x.size(); i++) ahead[i] = x[i] - ahead[i];
  ahead = project(v, ahead);
  for (std::size_t i = 0; i < x.size(); i++) ahead[i] -= x[i];
  return norm(ahead) <= (kTol * (1 + 1e-6L) + 10 * kRounding) * scale;
}

void variational(bytes &in, bool extragradient) {
  const unsigned form = in.byte();
  const instance p = box_problem(in, form);
  const std::int32_t n = p.n();
  inequality v = {&p, (form & 4u) != 0, std::fabs(in.number()), (form & 8u) != 0 ? 100 : kInf};
  const perp_vi problem = {n, 0, affine_value, nearest, &v};
  perp_vi_options o = perp_vi_options_default();
  o.max_iter = (form & 16u) != 0 ? 7 : 500;
  o.tol = kTol;
  if ((form & 32u) != 0) o.step = std::fabs(in.number());
  const vec start = numbers(in, n);
  vec x = start, F(at(n), 999);
  block work(perp_vi_workspace(n), form);
  perp_info info = PERP_INFO_INIT;
  const perp_status status = (extragradient ? perp_vi_extragradient : perp_vi_fixed_point)(
      &problem, &o, x.data(), F.data(), work.data(), work.size, &info);
  const char *name = extragradient ? "vi_extragradient" : "vi_fixed_point";
  exists(status, name);
  if (status != PERP_OK) return;
  vec again(at(n), 999);
  affine_value(x.data(), again.data(), &v);
  if (n > 0 && std::memcmp(again.data(), F.data(), sizeof(double) * at(n)) != 0)
    broken("F is not that of x", name);
  if ((form & 2u) != 0 && tame(entries(p.M)) && tame(p.q) && tame(start) &&
      !solves_inequality(v, x, start))
    broken("claims a solution", name);
}

// ---- enumeration ----

struct visits {
  const instance *p;
  std::int32_t count;
};

std::int32_t visit(const double *z, const double *w, void *user) {
  auto *v = static_cast<visits *>(user);
  v->count++;
  const vec copy(z, z + v->p->n()), image(w, w + v->p->n());
  if (can_be_judged(*v->p) && !solves(*v->p, copy, kTol, kRounding))
    broken("claims a solution", "enumerate");
  return v->count > 50 ? 1 : 0;
}

void enumerate(bytes &in, bool boxes) {
  const unsigned form = in.byte();
  const instance p = box_problem(in, boxes ? form | 1u : form & ~1u);
  const std::int32_t n = p.n();
  const vec M = entries(p.M);
  perp_solver_options o = perp_solver_options_default();
  o.max_iter = (form & 16u) != 0 ? 7 : 2000;
  o.tol = kTol;
  visits v = {&p, 0};
  perp_enumeration_report report{};
  report.struct_size = sizeof report;
  perp_info info = PERP_INFO_INIT;
  perp_status status = PERP_OK;
  if (boxes) {
    const perp_mlcp problem = {n, n, M.data(), p.q.data(), p.lower.data(), p.upper.data()};
    block work(perp_mlcp_enumerate_workspace(n), form);
    status = perp_mlcp_enumerate(&problem, &o, visit, &v, &report, work.data(), work.size, &info);
  } else {
    const perp_lcp problem = {n, n, M.data(), p.q.data()};
    block work(perp_lcp_enumerate_workspace(n), form);
    status = perp_lcp_enumerate(&problem, &o, visit, &v, &report, work.data(), work.size, &info);
  }
  exists(status, "enumerate");
  if (status >= 0 && report.solutions != v.count) broken("counts its visits wrong", "enumerate");
  if (status == PERP_OK && n > 0 && v.count == 0) broken("solved without a solution", "enumerate");
  if (status == PERP_INFEASIBLE && v.count > 0) broken("infeasible with a solution", "enumerate");
}

// ---- polyhedra ----

void polyhedron(bytes &in) {
  const unsigned form = in.byte();
  const instance p = box_problem(in, form & ~1u);
  const std::int32_t n = p.n(), m = static_cast<std::int32_t>(in.byte() % 5);
  const vec M = entries(p.M), H = numbers(in, n * m), K = numbers(in, m);
  const perp_avi problem = {n, n, M.data(), p.q.data(), m, m, H.data(), K.data()};
  perp_avi_pivoting_options o = perp_avi_pivoting_options_default();
  o.max_iter = (form & 16u) != 0 ? 7 : 300;
  o.tol = kTol;
  vec z = numbers(in, n), w(at(n), 999);
  block work(perp_avi_pivoting_workspace(n, m, &o), form);
  perp_info info = PERP_INFO_INIT;
  const perp_status status =
      perp_avi_pivoting(&problem, &o, z.data(), w.data(), work.data(), work.size, &info);
  exists(status, "avi_pivoting");
  if (status != PERP_OK || n == 0) return;
  perp_polyhedron law;
  perp_polyhedron_init(&law, sizeof law);
  law.law.size = n;
  law.H = perp_dense(m, n, H.data());
  law.K = K.data();
  const perp_law *laws[] = {&law.law};
  perp_problem step = PERP_PROBLEM_INIT;
  step.M = perp_dense(n, n, M.data());
  step.q = p.q.data();
  step.n = n;
  step.n_blocks = 1;
  step.laws = laws;
  block scratch(perp_problem_residual_workspace(&step), form);
  vec y(at(n), 999);
  perp_residual r = PERP_RESIDUAL_INIT;
  if (perp_problem_residual(&step, z.data(), y.data(), &r, scratch.data(), scratch.size) !=
          PERP_OK ||
      perp_residual_solved(&r, kTol) == 0)
    broken("a solution its judge refuses", "avi_pivoting");
  if (!tame(M) || !tame(p.q) || !tame(H) || !tame(K)) return;
  real squares = 0; /* z is ρ residual away from P at most */
  for (const double a : M) squares += static_cast<real>(a) * a;
  const real away = r.residual / (squares > 0 ? std::sqrt(squares) : 1);
  for (std::int32_t k = 0; k < m; k++) {
    real sum = -static_cast<real>(K[at(k)]), weight = std::fabs(K[at(k)]), row = 0;
    for (std::int32_t i = 0; i < n; i++) {
      const real h = H[at(k + m * i)];
      sum += h * z[at(i)];
      weight += std::fabs(h * z[at(i)]);
      row += h * h;
    }
    if (!(sum >= -1.001L * away * std::sqrt(row) - 1e-8L * weight))
      broken("leaves the polyhedron", "avi_pivoting");
  }
}

// ---- derivatives ----

// Whether d = 0 at fixed unknowns and M d + load = 0, or Mᵀ d + load = 0, at free ones; normwise.
bool moves(const instance &p, const unsigned char *state, const double *load, const double *d,
           bool transposed) {
  real error = 0, size = 0, most = 0, entry = 0;
  for (std::int32_t i = 0; i < p.n(); i++) {
    if (state[i] != PERP_SENSITIVITY_FREE && d[i] != 0) return false;
    real sum = state[i] == PERP_SENSITIVITY_FREE ? load[i] : 0;
    if (std::fabs(load[i]) > size) size = std::fabs(load[i]);
    if (std::fabs(d[i]) > most) most = std::fabs(d[i]);
    for (std::int32_t j = 0; j < p.n(); j++) {
      const real a = transposed ? p.M(j, i) : p.M(i, j);
      if (std::fabs(a) > entry) entry = std::fabs(a);
      if (state[i] == PERP_SENSITIVITY_FREE) sum += a * d[j];
    }
    if (!(std::fabs(sum) <= error)) error = std::fabs(sum);
  }
  return error <= 1e-9L * (size + entry * most);
}

void derivatives(bytes &in) {
  const unsigned form = in.byte();
  const instance p = box_problem(in, form);
  const std::int32_t n = p.n();
  const vec given = numbers(in, 2 * n);
  laws l(p);
  const tools::stored M(p.M, (form & 8u) != 0 ? PERP_BLOCKS : PERP_DENSE);
  l.problem.M = M.view;
  const perp_solver_options o = {sizeof o, 300, kTol, nullptr, nullptr, 0};
  const perp_solver *solver = perp_solver_box_pivoting();
  vec lambda(at(n), 0), y(at(n), 999);
  block first(perp_solver_workspace(solver, &l.problem, &o), form);
  if (first.size == 0) return;
  perp_info info = PERP_INFO_INIT;
  exists(perp_solver_solve(solver, &l.problem, &o, lambda.data(), y.data(), nullptr, first.data(),
                           first.size, &info),
         "box_pivoting");
  perp_sensitivity s{}; /* of a point that is no solution too: then it has to say so */
  block work(perp_sensitivity_workspace(&l.problem), form);
  const perp_status ready = perp_sensitivity_prepare(&s, &l.problem, lambda.data(), nullptr,
                                                     work.data(), work.size, &info);
  exists(ready, "sensitivity");
  if (ready != PERP_OK) return;
  std::int32_t free = 0, degenerate = 0;
  for (std::int32_t i = 0; i < n; i++) {
    free += s.state[i] == PERP_SENSITIVITY_FREE ? 1 : 0;
    degenerate += s.state[i] >= PERP_SENSITIVITY_LOWER ? 1 : 0;
  }
  if (free != s.n_free || degenerate != s.n_degenerate)
    broken("counts states wrong", "sensitivity");
  vec forward(at(2 * n), 999), back(at(2 * n), 999);
  std::vector<std::int32_t> one_sided(2, 999);
  const perp_status applied =
      perp_sensitivity_apply(&s, 2, given.data(), forward.data(), one_sided.data());
  exists(applied, "sensitivity");
  const perp_status adjoint = perp_sensitivity_adjoint(&s, 2, given.data(), back.data());
  exists(adjoint, "sensitivity");
  if (!tame(entries(p.M)) || !tame(given)) return;
  for (std::int32_t k = 0; k < 2; k++) {
    const std::size_t column = at(k * n);
    if (applied == PERP_OK && degenerate == 0 &&
        !moves(p, s.state, given.data() + column, forward.data() + column, false))
      broken("a derivative that is none", "sensitivity");
    if (adjoint == PERP_OK && !moves(p, s.state, given.data() + column, back.data() + column, true))
      broken("an adjoint that is none", "sensitivity");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  bytes in(data, size);
  switch (in.byte() % 9) {
    case 0:
      quadratic_program(in, false);
      break;
    case 1:
      quadratic_program(in, true);
      break;
    case 2:
      nonlinear(in);
      break;
    case 3:
      variational(in, false);
      break;
    case 4:
      variational(in, true);
      break;
    case 5:
      enumerate(in, false);
      break;
    case 6:
      enumerate(in, true);
      break;
    case 7:
      polyhedron(in);
      break;
    default:
      derivatives(in);
      break;
  }
  return 0;
}
