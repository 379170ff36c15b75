// SPDX-License-Identifier: MIT
/** @file check.hpp
 * Comparison of a model's Jacobians with differences, see perp/check.h. */
#ifndef PERP_CXX_CHECK_HPP
#define PERP_CXX_CHECK_HPP

#include <cstddef>
#include <string>

#include "perp/c_model.hpp"
#include "perp/check.h"
#include "perp/held.hpp"

namespace perp {

/** What check_derivatives() found. */
struct derivative_report {
  perp_status status;           /**< PERP_OK: all agree; PERP_INACCURATE: see worst  */
  perp_derivative_report worst; /**< counts, and the worst wrong entry               */
  /** Whether all agree. */
  explicit operator bool() const noexcept { return status == PERP_OK; }
  /** In words. */
  std::string text() const {
    if (status == PERP_OK) return std::to_string(worst.compared) + " Jacobians agree";
    std::string s = worst.found == PERP_FOUND_SYSTEM ? "system " : "interaction ";
    s += std::to_string(worst.index) + ": " + (worst.jacobian == nullptr ? "?" : worst.jacobian);
    if (worst.overrun > 0) return s + " writes behind its end";
    s += "(" + std::to_string(worst.row) + ", " + std::to_string(worst.column) + ") is ";
    return s + std::to_string(worst.given) + " where differences say " +
           std::to_string(worst.expected);
  }
};

/** Where derivatives are compared; what is empty: the initial values, time 0, λ between 1 and 2. */
struct derivative_point {
  double t = 0; /**< time                                        */
  view q;       /**< positions of all systems of order 2         */
  view v;       /**< their velocities                            */
  view x;       /**< states of all first-order systems           */
  view lambda;  /**< multipliers of all interactions             */
};

/** Compare every Jacobian that a callable of the model writes, or a constant says, with differences
 * of its function. At zero many mistakes hide: choose a state whose entries differ from 0. */
inline derivative_report check_derivatives(const model &m, const derivative_point &at = {},
                                           double tol = 1e-6) {
  c_model c(m);
  perp_info info = PERP_INFO_INIT;
  check(perp_model_check(c.get(), &info), "model", info);
  const detail::parts &parts = c.parts();
  const auto require = [](const char *field, view a, std::size_t need) {
    if (!a.empty() && a.size() != need) {
      detail::wrong_size("check_derivatives", field, a.size(), need);
    }
  };
  std::size_t rows = 0;
  for (std::size_t i = 0; i < parts.interactions.size(); i++) {
    rows += static_cast<std::size_t>(c.get()->interactions[i]->relation->m);
  }
  require("q", at.q, parts.n_q);
  require("v", at.v, parts.n_v);
  require("x", at.x, parts.n_x);
  require("lambda", at.lambda, rows);
  const detail::block work("check_derivatives", perp_model_check_derivatives_workspace(c.get()));
  derivative_report r{PERP_OK, PERP_DERIVATIVE_REPORT_INIT};
  detail::core_state state;
  const detail::counted under_way{state};
  r.status =
      perp_model_check_derivatives(c.get(), at.t, at.q.data(), at.v.data(), at.x.data(),
                                   at.lambda.data(), tol, work.data(), work.size(), &r.worst);
  if (r.status < 0) {
    state.rethrow();
    detail::refuse(r.status, "check_derivatives", r.worst.jacobian, r.worst.index);
  }
  return r;
}

}  // namespace perp

#endif
