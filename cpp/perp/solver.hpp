// SPDX-License-Identifier: MIT
/** @file solver.hpp
 * Solvers by name with their options, one-step problems as values, and a workspace that is reused.
 */
#ifndef PERP_CXX_SOLVER_HPP
#define PERP_CXX_SOLVER_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "perp/admm.h"
#include "perp/auto.h"
#include "perp/c_law.hpp"
#include "perp/interior_point.h"
#include "perp/newton.h"
#include "perp/pivoting.h"
#include "perp/solver.h"
#include "perp/sweeps.h"
#include "perp/vi.h"

namespace perp {

/** A solver and its options (a copy, shared). */
struct method {
  const perp_solver *solver = nullptr; /**< descriptor, null: to be chosen     */
  std::shared_ptr<const void> options; /**< its own struct, null: its defaults */

  method() = default;
  /** Any descriptor with its default options, a user's own too. */
  method(const perp_solver *descriptor) : solver(descriptor) {}
  /** A descriptor with options of its kind. */
  template <class Options>
  method(const perp_solver *descriptor, const Options &o)
      : solver(descriptor), options(detail::share(new Options(o))) {}
};

/** Whatever suits the problem, one method after the other; in perp::perp only. */
inline method automatic() { return perp_solver_auto(); }
/** With options. */
inline method automatic(const perp_auto_options &o) { return {perp_solver_auto(), o}; }
/** Lemke's method: complementarity laws, any copositive-plus M. */
inline method lemke() { return perp_solver_lemke(); }
/** With options. */
inline method lemke(const perp_lemke_options &o) { return {perp_solver_lemke(), o}; }
/** The pivotal path for laws by component, any M. */
inline method box_pivoting() { return perp_solver_box_pivoting(); }
/** With options. */
inline method box_pivoting(const perp_box_pivoting_options &o) {
  return {perp_solver_box_pivoting(), o};
}
/** The active-set method: laws by component, M symmetric positive (semi)definite, sparse too. */
inline method active_set() { return perp_solver_active_set(); }
/** With options. */
inline method active_set(const perp_active_set_options &o) { return {perp_solver_active_set(), o}; }
/** Block principal pivoting: laws by component, M a P-matrix or positive semidefinite. */
inline method block_pivoting() { return perp_solver_block_pivoting(); }
/** With options. */
inline method block_pivoting(const perp_block_pivoting_options &o) {
  return {perp_solver_block_pivoting(), o};
}
/** Murty's least-index pivoting: laws by component, M a P-matrix. */
inline method murty() { return perp_solver_murty(); }
/** With options. */
inline method murty(const perp_solver_options &o) { return {perp_solver_murty(), o}; }
/** Projected Gauss-Seidel and SOR: laws by component, sparse M. */
inline method pgs() { return perp_solver_pgs(); }
/** With options. */
inline method pgs(const perp_pgs_options &o) { return {perp_solver_pgs(), o}; }
/** ADMM: laws by component, friction and rolling, M symmetric positive semidefinite, sparse too. */
inline method admm() { return perp_solver_admm(); }
/** With options. */
inline method admm(const perp_admm_options &o) { return {perp_solver_admm(), o}; }
/** Conjugate projected gradients: laws by component, M symmetric positive semidefinite. */
inline method cpg() { return perp_solver_cpg(); }
/** With options. */
inline method cpg(const perp_cpg_options &o) { return {perp_solver_cpg(), o}; }
/** Semismooth Newton on the min function: laws by component. */
inline method newton_min() { return perp_solver_newton_min(); }
/** With options. */
inline method newton_min(const perp_newton_options &o) { return {perp_solver_newton_min(), o}; }
/** Semismooth Newton on the function of Fischer and Burmeister: laws by component. */
inline method newton_fb() { return perp_solver_newton_fb(); }
/** With options. */
inline method newton_fb(const perp_newton_options &o) { return {perp_solver_newton_fb(), o}; }
/** Interior point: laws by component, M positive semidefinite. */
inline method interior_point() { return perp_solver_interior_point(); }
/** With options. */
inline method interior_point(const perp_interior_point_options &o) {
  return {perp_solver_interior_point(), o};
}
/** Every basis, one after the other: few unknowns. */
inline method enumeration() { return perp_solver_enumeration(); }
/** Pivoting over polyhedra: their law, alone or beside laws by component. */
inline method avi_pivoting() { return perp_solver_avi_pivoting(); }
/** With options. */
inline method avi_pivoting(const perp_avi_pivoting_options &o) {
  return {perp_solver_avi_pivoting(), o};
}
/** Fixed point of the projection: every law that has one. */
inline method fixed_point() { return perp_solver_fixed_point(); }
/** With options. */
inline method fixed_point(const perp_vi_options &o) { return {perp_solver_fixed_point(), o}; }
/** Extragradient: every law that has a projection, M positive semidefinite. */
inline method extragradient() { return perp_solver_extragradient(); }
/** With options. */
inline method extragradient(const perp_vi_options &o) { return {perp_solver_extragradient(), o}; }
/** Semismooth Newton by contact: friction, rolling, and laws by component beside them. */
inline method friction_newton() { return perp_solver_friction_newton(); }
/** With options. */
inline method friction_newton(const perp_friction_newton_options &o) {
  return {perp_solver_friction_newton(), o};
}

/** Gauss-Seidel contact by contact: friction, rolling, laws by component, and laws known by their
 * projection; any M. */
inline method nsgs() { return perp_solver_nsgs(); }
/** With options. */
inline method nsgs(const perp_nsgs_options &o) { return {perp_solver_nsgs(), o}; }
/** Interior point on the cones of friction, beside laws by component. */
inline method friction_interior() { return perp_solver_friction_interior(); }
/** With options. */
inline method friction_interior(const perp_friction_interior_options &o) {
  return {perp_solver_friction_interior(), o};
}
/** Lemke's method for friction in the plane, beside laws by component; few contacts. */
inline method friction_lemke() { return perp_solver_friction_lemke(); }
/** With options. */
inline method friction_lemke(const perp_solver_options &o) {
  return {perp_solver_friction_lemke(), o};
}

/** What is taken where no method is named: automatic(), and with perp::core alone
 * box_pivoting(), which takes the same problems. */
inline method default_method() {
#ifdef PERP_FULL
  return automatic();
#else
  return box_pivoting();
#endif
}

namespace detail {

/** A method for steps, which allocate nothing. */
inline method step_method() {
#ifdef PERP_FULL
  perp_auto_options o = perp_auto_options_default();
  o.allocate = 0;
  return automatic(o);
#else
  return default_method();
#endif
}

/** The sparse back end for symmetric positive definite matrices, or for any; with perp::core alone
 * null. */
inline const perp_sparse *sparse_back_end([[maybe_unused]] bool symmetric) {
#ifdef PERP_FULL
  return symmetric ? perp_sparse_ldl() : perp_sparse_klu();
#else
  return nullptr;
#endif
}

/** And for steps with contacts; with a pool of so many places piles of bodies have to be expected,
 * whose last digits may cost without end. */
inline method contact_step_method(std::int32_t places) {
#ifdef PERP_FULL
  if (places == 0) return step_method();
  perp_auto_options o = perp_auto_options_default();
  o.allocate = 0;
  o.tol = 1e-8;
  o.budget = 1e5 * (places > 100 ? places : 100);
  return automatic(o);
#else
  perp_nsgs_options o = perp_nsgs_options_default();
  if (places > 0) o.tol = 1e-8;
  return nsgs(o);
#endif
}

}  // namespace detail

/** y = M λ + q with laws; M and q are borrowed and must outlive it, laws are its own. */
class problem {
 public:
  /** M in any kind of storage. */
  problem(const perp_matrix &M, view q) : M_(M), q_(q), n_(static_cast<std::int32_t>(q.size())) {}
  /** Dense M by columns, q.size() squared entries. */
  problem(view M, view q) : problem(perp_matrix{}, q) {
    if (M.size() != q.size() * q.size()) {
      detail::refuse(PERP_EINVAL, "problem: M needs the square of the entries of q", "M", -1,
                     static_cast<double>(M.size()));
    }
    M_ = perp_dense(n_, n_, M.data());
  }

  /** The next copies * l.size() unknowns obey l. */
  problem &add(const law &l, std::int32_t copies = 1) & {
    if (copies < 0)
      detail::refuse(PERP_EINVAL, "problem: copies must be >= 0", "copies", -1, copies);
    if (copies == 0) return *this;
    own_.push_back(detail::owned<own_law>(new own_law(l)));
    laws_.push_back(own_[own_.size() - 1]->c.head);
    offset_.push_back(offset_.back() + copies * laws_[laws_.size() - 1]->size);
    return *this;
  }
  /** Added to in one expression: `auto p = problem(M, q).add(...).add(...);` */
  problem add(const law &l, std::int32_t copies = 1) && { return std::move(add(l, copies)); }

  /** Weights of the rows, > 0, one each: see problem.h. */
  void weigh(std::vector<double> weight) { weight_ = sized("weight", std::move(weight)); }
  /** Absolute tolerances of the rows, in units of y, one each: see problem.h. */
  void set_floor(std::vector<double> floor) { floor_ = sized("floor", std::move(floor)); }

  /** Keep something alive as long as this: what M or q are views of. */
  void keep(std::shared_ptr<const void> owner) { kept_.push_back(std::move(owner)); }

  /** Number of unknowns. */
  std::size_t size() const { return q_.size(); }
  /** The C view, valid until the next add() or the end of this. */
  perp_problem get() const {
    perp_problem p = perp_problem_of(M_, q_.data(), static_cast<std::int32_t>(laws_.size()),
                                     laws_.data(), offset_.data());
    p.n = n_;
    p.weight = weight_.empty() ? nullptr : weight_.data();
    p.floor = floor_.empty() ? nullptr : floor_.data();
    return p;
  }

 private:
  struct own_law {
    law l;
    detail::c_law c;
    explicit own_law(const law &from) : l(from), c(l) {}
  };
  std::vector<double> sized(const char *field, std::vector<double> x) const {
    if (x.size() != q_.size()) detail::wrong_size("problem", field, x.size(), q_.size());
    return x;
  }
  perp_matrix M_;
  view q_;
  std::int32_t n_;
  detail::list<detail::owned<own_law>> own_;
  detail::list<const perp_law *> laws_;
  std::vector<std::int32_t> offset_{0};
  detail::list<std::shared_ptr<const void>> kept_;
  std::vector<double> weight_, floor_;
};

/**
 * A solver with its memory, reused from solve to solve; one per thread. Each solve starts from
 * the modes of the last one if warm starts are on.
 */
class solver {
 public:
  /** Of a method; with warm_start each solve begins where the last one ended. */
  explicit solver(method m = default_method(), bool warm_start = false)
      : method_(std::move(m)), warm_(warm_start) {
    if (method_.solver == nullptr)
      detail::refuse(PERP_EINVAL, "solver: a method is needed", "method");
  }

  /** Solve p into lambda and y (p.n each); lambda is the start for methods that take one. */
  [[nodiscard]] perp_status solve(const perp_problem &p, span lambda, span y) {
    info_ = PERP_INFO_INIT;
    const perp_status posed = detail::answer(perp_problem_check(&p, &info_), "problem", info_);
    if (posed < 0) return posed;
    const auto n = static_cast<std::size_t>(p.n);
    if (lambda.size() != n || y.size() != n) {
      detail::refuse(PERP_EINVAL, "solve: lambda and y need as many entries as q", "lambda", -1,
                     static_cast<double>(lambda.size() != n ? lambda.size() : y.size()));
    }
    const std::size_t need = perp_solver_workspace(method_.solver, &p, method_.options.get());
    work_.reserve(method_.solver->name, need);
    perp_warm warm = warm_data(p);
    return detail::answer(
        perp_solver_solve(method_.solver, &p, method_.options.get(), lambda.data(), y.data(),
                          warm_ ? &warm : nullptr, work_.data(), work_.size(), &info_),
        method_.solver->name, info_);
  }
  /** Solve a problem that was built here. */
  [[nodiscard]] perp_status solve(const problem &p, span lambda, span y) {
    return solve(p.get(), lambda, y);
  }

  /** w = M z + q, 0 <= z ⟂ w >= 0; M dense by columns. Nothing is copied. */
  [[nodiscard]] perp_status lcp(view M, view q, span z, span w) {
    problem p(M, q);
    p.add(complementarity(), static_cast<std::int32_t>(q.size()));
    return solve(p, z, w);
  }

  /** Iterations and residuals of the last solve. */
  const perp_info &info() const { return info_; }
  /** Name of the method. */
  const char *name() const { return method_.solver->name; }
  /** Name of the solver that gave the last answer: the method's, or the one that it chose. */
  const char *used() const { return info_.solver; }

 private:
  perp_warm warm_data(const perp_problem &p) {
    if (!warm_) return {};
    const std::size_t need = perp_solver_warm_bytes(method_.solver, &p);
    if (need != warm_bytes_) { /* a problem of another size: nothing is known */
      modes_.assign((need + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t), 0);
      warm_bytes_ = need;
    }
    return {modes_.data(), need, 0, 0};
  }

  method method_;
  bool warm_;
  detail::block work_;
  std::vector<std::uint64_t> modes_;
  std::size_t warm_bytes_ = 0;
  perp_info info_ = PERP_INFO_INIT;
};

/** Solution of a linear complementarity problem. */
struct lcp_solution {
  perp_status status;    /**< PERP_OK: solved and verified */
  std::vector<double> z; /**< unknowns                     */
  std::vector<double> w; /**< M z + q                      */
  perp_info info;        /**< iterations and residuals     */
};

/** Solve one LCP, w = M z + q, 0 <= z ⟂ w >= 0, M dense by columns; keep a solver for many. */
inline lcp_solution solve_lcp(view M, view q, method m = default_method()) {
  lcp_solution s{PERP_OK, std::vector<double>(q.size()), std::vector<double>(q.size()),
                 PERP_INFO_INIT};
  solver one(std::move(m));
  s.status = one.lcp(M, q, s.z, s.w);
  s.info = one.info();
  return s;
}

}  // namespace perp

#endif
