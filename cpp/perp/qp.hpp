// SPDX-License-Identifier: MIT
/** @file qp.hpp
 * Convex quadratic programs, min ½ xᵀP x + cᵀx with rows and bounds. */
#ifndef PERP_CXX_QP_HPP
#define PERP_CXX_QP_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "perp/qp.h"
#include "perp/solver.hpp"

namespace perp {

/** A quadratic program; all arrays are borrowed and must outlive it. */
class qp {
 public:
  /** P in any kind of storage, symmetric positive semidefinite. */
  qp(const perp_matrix &P, view c) {
    program_.n = static_cast<std::int32_t>(c.size());
    program_.P = P;
    program_.c = c.data();
  }
  /** Dense P by columns, c.size() squared entries. */
  qp(view P, view c) : qp(perp_matrix{}, c) {
    require("P", P.size(), c.size() * c.size());
    program_.P = perp_dense(program_.n, program_.n, P.data());
  }

  /** lower <= A x <= upper, A dense by columns with lower.size() rows; equal bounds: equations. */
  qp &rows(view A, view lower, view upper) {
    require("A", A.size(), lower.size() * static_cast<std::size_t>(program_.n));
    require("upper", upper.size(), lower.size());
    program_.m = static_cast<std::int32_t>(lower.size());
    program_.A = perp_dense(program_.m, program_.n, A.data());
    program_.row_lower = lower.data();
    program_.row_upper = upper.data();
    return *this;
  }
  /** lower <= x <= upper; an empty one: no such bounds. */
  qp &bounds(view lower, view upper) {
    const auto n = static_cast<std::size_t>(program_.n);
    require("lower", lower.size(), lower.empty() ? 0 : n);
    require("upper", upper.size(), upper.empty() ? 0 : n);
    program_.lower = lower.empty() ? nullptr : lower.data();
    program_.upper = upper.empty() ? nullptr : upper.data();
    return *this;
  }

  /** The C view. */
  const perp_qp &get() const { return program_; }

 private:
  static void require(const char *field, std::size_t size, std::size_t needed) {
    if (size != needed) detail::wrong_size("qp", field, size, needed);
  }
  perp_qp program_{};
};

/** Minimum of a quadratic program, P x + c = Aᵀν + ζ. */
struct qp_solution {
  perp_status status;       /**< PERP_OK: solved and verified                              */
  std::vector<double> x;    /**< unknowns                                                  */
  std::vector<double> nu;   /**< multipliers of the rows, >= 0 at the lower side           */
  std::vector<double> zeta; /**< multipliers of the bounds, likewise                       */
  std::vector<double> ray;  /**< proof of PERP_INFEASIBLE or PERP_UNBOUNDED, see
                                 perp_qp_certificate(); empty if there is none             */
  perp_info info;           /**< iterations and residuals; its ray is moved into the above */
};

namespace detail {

template <class Call>
qp_solution solve_qp(const perp_qp &p, std::size_t bytes, Call call) {
  const auto n = static_cast<std::size_t>(p.n), m = static_cast<std::size_t>(p.m);
  qp_solution s{PERP_OK,
                std::vector<double>(n),
                std::vector<double>(m),
                std::vector<double>(n),
                std::vector<double>(n + m),
                PERP_INFO_INIT};
  const block work("qp", bytes);
  s.info.ray = s.ray.data();
  s.info.ray_size = p.n + p.m;
  s.status = call(s, work.data(), work.size());
  if (s.info.ray_kind == PERP_RAY_NONE) s.ray.clear();
  s.info.ray = nullptr;
  s.info.ray_size = 0;
  (void)answer(s.status, "qp", s.info);
  return s;
}

inline const perp_qp &checked(const perp_qp &p) {
  perp_info info = PERP_INFO_INIT;
  check(perp_qp_check(&p, &info), "qp", info);
  return p;
}

}  // namespace detail

/** Solve a convex program through its optimality conditions by a solver of laws by component. */
inline qp_solution solve(const qp &program, const method &m = default_method()) {
  const perp_qp &p = detail::checked(program.get());
  const std::size_t bytes = perp_qp_workspace(m.solver, &p, m.options.get());
  return detail::solve_qp(p, bytes, [&](qp_solution &s, void *work, std::size_t size) {
    return perp_qp_solve(m.solver, &p, m.options.get(), s.x.data(), s.nu.data(), s.zeta.data(),
                         work, size, &s.info);
  });
}

/** Solve a small program with positive definite P by the dual active-set method. */
inline qp_solution solve_dual(const qp &program,
                              const perp_solver_options &o = perp_solver_options_default()) {
  const perp_qp &p = detail::checked(program.get());
  const std::size_t bytes = perp_qp_dual_workspace(p.n, p.m);
  return detail::solve_qp(p, bytes, [&](qp_solution &s, void *work, std::size_t size) {
    return perp_qp_dual(&p, &o, s.x.data(), s.nu.data(), s.zeta.data(), work, size, &s.info);
  });
}

}  // namespace perp

#endif
