// SPDX-License-Identifier: MIT
/** @file nonlinear.hpp
 * Nonlinear mixed complementarity problems and variational inequalities, their functions as
 * callables: lambdas, function objects, std::function. A callable takes views and spans, and may
 * return nothing, or 0 (done), > 0 (not here, take a shorter step), < 0 (give up). What it throws
 * comes out of the call. */
#ifndef PERP_CXX_NONLINEAR_HPP
#define PERP_CXX_NONLINEAR_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <type_traits>
#include <vector>

#include "perp/callable.hpp"
#include "perp/mcp.h"
#include "perp/vi.h"
#include "perp/view.hpp"

namespace perp {

/** Solution of a nonlinear problem. */
struct nonlinear_solution {
  perp_status status;    /**< PERP_OK: solved and verified */
  std::vector<double> x; /**< unknowns                     */
  std::vector<double> F; /**< F(x)                         */
  perp_info info;        /**< iterations and residuals     */
};

namespace detail {

/** Two callables of C's callbacks, and what one of them threw. */
template <class First, class Second>
struct callables {
  First &first;
  Second &second;
  std::size_t n, values;
  std::exception_ptr thrown;

  template <class F>
  std::int32_t call(F &f, const double *x, double *out, std::size_t size) noexcept {
    const catching here(thrown);
    return caught([&]() -> std::int32_t {
      if constexpr (std::is_void_v<decltype(f(view(x, n), span(out, size)))>) {
        f(view(x, n), span(out, size));
        return 0;
      } else {
        return f(view(x, n), span(out, size));
      }
    });
  }
  static std::int32_t call_first(const double *x, double *out, void *self) noexcept {
    auto *c = static_cast<callables *>(self);
    return c->call(c->first, x, out, c->n);
  }
  static std::int32_t call_second(const double *x, double *out, void *self) noexcept {
    auto *c = static_cast<callables *>(self);
    return c->call(c->second, x, out, c->values);
  }
  nonlinear_solution ended(nonlinear_solution s, const char *who) {
    if (thrown) std::rethrow_exception(thrown);
    (void)answer(s.status, who, s.info);
    return s;
  }
};

inline nonlinear_solution start_at(view x) {
  return {PERP_OK, {x.begin(), x.end()}, std::vector<double>(x.size()), PERP_INFO_INIT};
}

struct differences {
  void operator()(view, span) const {}
};

}  // namespace detail

/** −F(x) ∈ N_[l,u](x) from x0: F(x, out) writes F, J(x, out) its Jacobian by columns. */
template <class Function, class Jacobian>
nonlinear_solution solve_mcp(view x0, view lower, view upper, Function &&F, Jacobian &&J,
                             const perp_mcp_options &o = perp_mcp_options_default()) {
  using J_type = std::remove_reference_t<Jacobian>;
  const std::size_t n = x0.size();
  if (lower.size() != n || upper.size() != n) {
    detail::refuse(PERP_EINVAL, "solve_mcp: bounds need as many entries as x0", "lower", -1,
                   static_cast<double>(lower.size()));
  }
  detail::callables<std::remove_reference_t<Function>, J_type> c{F, J, n, n * n, nullptr};
  perp_mcp p{};
  p.n = static_cast<std::int32_t>(n);
  p.function = c.call_first;
  if constexpr (!std::is_same_v<J_type, detail::differences>) p.jacobian = c.call_second;
  p.layout = perp_dense(p.n, p.n, nullptr);
  p.lower = lower.data();
  p.upper = upper.data();
  p.user = &c;
  nonlinear_solution s = detail::start_at(x0);
  const detail::block work("solve_mcp", perp_mcp_workspace(&p, &o));
  s.status = perp_mcp_solve(&p, &o, s.x.data(), s.F.data(), work.data(), work.size(), &s.info);
  return c.ended(std::move(s), "solve_mcp");
}

/** With the Jacobian by differences. */
template <class Function>
nonlinear_solution solve_mcp(view x0, view lower, view upper, Function &&F,
                             const perp_mcp_options &o = perp_mcp_options_default()) {
  detail::differences none;
  return solve_mcp(x0, lower, upper, F, none, o);
}

namespace detail {

using vi_method = perp_status (*)(const perp_vi *, const perp_vi_options *, double *, double *,
                                  void *, std::size_t, perp_info *);

template <class Function, class Projection>
nonlinear_solution solve_vi(vi_method solve, const char *who, view x0, Function &F, Projection &P,
                            const perp_vi_options &o) {
  callables<Function, Projection> c{F, P, x0.size(), x0.size(), nullptr};
  const perp_vi p{static_cast<std::int32_t>(x0.size()), 0, c.call_first, c.call_second, &c};
  nonlinear_solution s = start_at(x0);
  const block work(who, perp_vi_workspace(p.n));
  s.status = solve(&p, &o, s.x.data(), s.F.data(), work.data(), work.size(), &s.info);
  return c.ended(std::move(s), who);
}

}  // namespace detail

/** −F(x) ∈ N_K(x) from x0 for monotone F by the extragradient method: F(x, out) writes F,
 * P(x, out) the point of K next to x. */
template <class Function, class Projection>
nonlinear_solution solve_extragradient(view x0, Function &&F, Projection &&P,
                                       const perp_vi_options &o = perp_vi_options_default()) {
  return detail::solve_vi(perp_vi_extragradient, "solve_extragradient", x0, F, P, o);
}

/** By the fixed point of the projection, for strongly monotone F or a gradient. */
template <class Function, class Projection>
nonlinear_solution solve_fixed_point(view x0, Function &&F, Projection &&P,
                                     const perp_vi_options &o = perp_vi_options_default()) {
  return detail::solve_vi(perp_vi_fixed_point, "solve_fixed_point", x0, F, P, o);
}

}  // namespace perp

#endif
