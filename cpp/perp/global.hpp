// SPDX-License-Identifier: MIT
/** @file global.hpp
 * Problems in global form, M v = q + Hᵀ r, u = H v + b with laws on (u, r), as values, and their
 * solution with a workspace that is reused. */
#ifndef PERP_CXX_GLOBAL_HPP
#define PERP_CXX_GLOBAL_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "perp/global.h"
#include "perp/solver.hpp"

namespace perp {

/** M v = q + Hᵀ r, u = H v + b with laws; matrices and arrays are borrowed and must outlive it,
 * laws are its own. */
class global_problem {
 public:
  /** M q.size() x q.size() in any kind of storage, H b.size() x q.size() dense or in compressed
   * rows. */
  global_problem(const perp_matrix &M, const perp_matrix &H, view q, view b)
      : M_(M), H_(H), q_(q), laws_(perp_matrix{}, b) {}
  /** Both dense by columns. */
  global_problem(view M, view H, view q, view b)
      : global_problem(perp_matrix{}, perp_matrix{}, q, b) {
    require("M", M.size(), q.size() * q.size());
    require("H", H.size(), b.size() * q.size());
    const auto m = static_cast<std::int32_t>(q.size()), n = static_cast<std::int32_t>(b.size());
    M_ = perp_dense(m, m, M.data());
    H_ = perp_dense(n, m, H.data());
  }

  /** The next copies * l.size() rows of u and r obey l. */
  global_problem &add(const law &l, std::int32_t copies = 1) & {
    laws_.add(l, copies);
    return *this;
  }
  /** Added to in one expression. */
  global_problem add(const law &l, std::int32_t copies = 1) && { return std::move(add(l, copies)); }
  /** Weights of the rows of u, > 0, one each: see problem.h. */
  void weigh(std::vector<double> weight) { laws_.weigh(std::move(weight)); }
  /** Absolute tolerances of the rows, in units of u, one each: see problem.h. */
  void set_floor(std::vector<double> floor) { laws_.set_floor(std::move(floor)); }
  /** Keep something alive as long as this: what M, H, q or b are views of. */
  void keep(std::shared_ptr<const void> owner) { laws_.keep(std::move(owner)); }

  /** Number of velocities. */
  std::size_t velocities() const { return q_.size(); }
  /** Number of reactions. */
  std::size_t size() const { return laws_.size(); }
  /** The C view, valid until the next add() or the end of this. */
  perp_global_problem get() const {
    const perp_problem l = laws_.get();
    perp_global_problem p = PERP_GLOBAL_PROBLEM_INIT;
    p.M = M_;
    p.H = H_;
    p.q = q_.data();
    p.b = l.q;
    p.m = static_cast<std::int32_t>(q_.size());
    p.n = l.n;
    p.n_blocks = l.n_blocks;
    p.laws = l.laws;
    p.offset = l.offset;
    p.weight = l.weight;
    p.floor = l.floor;
    return p;
  }

 private:
  static void require(const char *field, std::size_t size, std::size_t needed) {
    if (size != needed) detail::wrong_size("global_problem", field, size, needed);
  }
  perp_matrix M_, H_;
  view q_;
  problem laws_;
};

/** The sparse back end that is taken where none is named: KLU, with perp::core alone none. */
inline const perp_sparse *default_sparse() {
#ifdef PERP_FULL
  return perp_sparse_klu();
#else
  return nullptr;
#endif
}

/** The one-step problem in r that is left when v is eliminated, y = u and λ = r; it owns its
 * matrix, and borrows the laws of p, which must outlive it. */
class condensed_problem {
 public:
  /** Condense p. */
  explicit condensed_problem(const perp_global_problem &p,
                             const perp_sparse *sparse = default_sparse()) {
    perp_info info = PERP_INFO_INIT;
    check(perp_global_check(&p, &info), "condensed_problem", info);
    const char *who = "condensed_problem";
    const detail::block scratch(who, perp_global_scratch(&p));
    work_.reserve(who, perp_global_condense_workspace(&p, sparse, scratch.data(), scratch.size()));
    check(perp_global_condense(&p, sparse, &view_, work_.data(), work_.size(), &info),
          "condensed_problem", info);
  }
  condensed_problem(const condensed_problem &) = delete;
  condensed_problem &operator=(const condensed_problem &) = delete;

  /** The C view. */
  const perp_problem &get() const { return view_; }

 private:
  detail::block work_;
  perp_problem view_ = PERP_PROBLEM_INIT;
};

/** A solver of problems in global form with its memory, reused from solve to solve; one per thread.
 */
class global_solver {
 public:
  /** Of a method for the condensed problem. */
  explicit global_solver(method m = default_method(), const perp_sparse *sparse = default_sparse())
      : method_(std::move(m)), options_(perp_global_options_default()) {
    if (method_.solver == nullptr)
      detail::refuse(PERP_EINVAL, "global_solver: a method is needed", "method");
    options_.solver = method_.solver;
    options_.solver_options = method_.options.get();
    options_.sparse = sparse;
  }
  /** At a tolerance, where the method has no options of its own. */
  global_solver &tolerance(double tol) {
    options_.tol = tol;
    return *this;
  }

  /** Solve p into v (p.m) and r, u (p.n each); r is the start for methods that take one. */
  [[nodiscard]] perp_status solve(const perp_global_problem &p, span v, span r, span u) {
    info_ = PERP_INFO_INIT;
    const perp_status posed =
        detail::answer(perp_global_check(&p, &info_), "global problem", info_);
    if (posed < 0) return posed;
    require("v", v.size(), static_cast<std::size_t>(p.m));
    require("r", r.size(), static_cast<std::size_t>(p.n));
    require("u", u.size(), static_cast<std::size_t>(p.n));
    scratch_.reserve(method_.solver->name, perp_global_scratch(&p));
    if (without_w(p) && full(p, v, r, u) == PERP_OK) return PERP_OK;
    const std::size_t need = perp_global_workspace(&p, &options_, scratch_.data(), scratch_.size());
    work_.reserve(method_.solver->name, scratch_.size()); /* a refusal has its reason */
    work_.reserve(method_.solver->name, need);
    return detail::answer(perp_global_solve(&p, &options_, v.data(), r.data(), u.data(), nullptr,
                                            work_.data(), work_.size(), &info_),
                          method_.solver->name, info_);
  }
  /** Solve a problem that was built here. */
  [[nodiscard]] perp_status solve(const global_problem &p, span v, span r, span u) {
    return solve(p.get(), v, r, u);
  }

  /** Iterations and residuals of the last solve. */
  const perp_info &info() const { return info_; }
  /** Name of the solver that gave the last answer. */
  const char *used() const { return info_.solver; }

 private:
  static void require(const char *field, std::size_t size, std::size_t needed) {
    if (size != needed) detail::wrong_size("global_solver", field, size, needed);
  }
  /** Whether automatic() should leave W alone. */
  bool without_w(const perp_global_problem &p) {
#ifdef PERP_FULL
    return method_.solver == perp_solver_auto() &&
           perp_global_form(&p, scratch_.data(), scratch_.size()) == PERP_GLOBAL_FULL;
#else
    (void)p;
    return false;
#endif
  }
  /** ADMM with M as it is; what it does not solve is condensed. */
  perp_status full(const perp_global_problem &p, span v, span r, span u) {
    perp_admm_options o = perp_admm_options_default();
    const auto *own = static_cast<const perp_solver_options *>(options_.solver_options);
    o.tol = own != nullptr ? own->tol : options_.tol;
#ifdef PERP_FULL
    o.sparse = perp_sparse_ldl();
#endif
    const std::size_t need = perp_global_admm_workspace(&p, &o);
    if (need == 0) return PERP_EUNSUPPORTED;
    work_.reserve(method_.solver->name, need);
    for (double &x : v) x = 0;
    return perp_global_admm(&p, &o, v.data(), r.data(), u.data(), work_.data(), work_.size(),
                            &info_);
  }
  method method_;
  perp_global_options options_;
  detail::block scratch_, work_;
  perp_info info_ = PERP_INFO_INIT;
};

}  // namespace perp

#endif
