// SPDX-License-Identifier: MIT
/** @file law.hpp
 * Laws as values: newton_impact(e), complementarity(), equality(), mixed(k, n), box(l, u),
 * relay(), relay_dead_zone(w), piecewise_linear(y, λ), polyhedron(H, K), friction_2d(mu),
 * friction_3d(mu), rolling_2d(mu, mu_r), rolling_3d(mu, mu_r), fremond_3d(mu, e),
 * cohesive_3d(mu, sigma_c, G_c), compliant(k, c), impact(restitute), user_law(...). */
#ifndef PERP_CXX_LAW_HPP
#define PERP_CXX_LAW_HPP

#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <utility>

#include "perp/callable.hpp"
#include "perp/law.h"
#include "perp/piecewise_linear.h"
#include "perp/view.hpp"

namespace perp {

/** What a law may know of a step, as perp_law_step: of its begin in restitute, of its end in
 * commit. */
struct law_step {
  double t;    /**< time (s); 0 at order 1                                */
  double h;    /**< length of the step (s); 0 at order 1                  */
  view y;      /**< gap; at order 1 the output                            */
  view ydot;   /**< relative velocity; empty at order 1                   */
  view lambda; /**< impulse of the last step, in commit of this one; λ at order 1 */
};

/** An impact law: adds to q what ẏ⁺ gains before it is complementary, e ẏ⁻ for Newton's. */
using impact_function = callable<const law_step &, span>;

/** A law by callables, see perp_law_ops; those that are not set are absent. All get the state of
 * the copy first. They may be called from the threads of a solver. */
struct law_functions {
  std::int32_t size = 1;               /**< components of one copy                      */
  std::int32_t set = PERP_SET_OTHER;   /**< FREE, ORTHANT, BOX or OTHER                 */
  bool unilateral = false;             /**< acts only while its gap is closed           */
  std::size_t state = 0;               /**< doubles that a copy carries from step to step */
  callable<view, view, span> project;  /**< (state, x, p): p := P(x)        */
  callable<view, view, span> jacobian; /**< (state, x, J): of P, by columns */
  callable<view, view, span> shift;    /**< (state, y, ŷ)                   */
  callable<span, span> bounds;         /**< (lower, upper) of a box         */
  callable<view, const law_step &, span> restitute; /**< (state, begin, q): q += ...     */
  callable<view, const law_step &, span> preload;   /**< (state, begin, s): known impulse */
  callable<double, span> compliance;                /**< (h, D), by columns              */
  callable<view> acts;                              /**< (state): whether across an open gap */
  callable<span> begin;                             /**< (state): at first; none: zeros  */
  callable<span, const law_step &> commit;          /**< (state, end): step accepted     */
  bool bounded = false;                             /**< the set is, see perp_law_ops     */
};

namespace detail {

/** A law by callables as C calls them: what one throws is left to who called C, or, on another
 * thread of a solver, here; C is told to give up, or handed NaN where it cannot be told. */
struct law_callbacks {
  /** A law of its own table that finds its way back. */
  struct own {
    perp_law law;
    law_callbacks *self;
  };
  own description{};
  perp_law_ops ops{};
  law_functions functions;
  std::atomic_flag held = ATOMIC_FLAG_INIT; /**< thrown is in use */
  std::exception_ptr thrown;

  explicit law_callbacks(law_functions from) : functions(std::move(from)) { describe(); }
  law_callbacks(const law_callbacks &) = delete;
  law_callbacks &operator=(const law_callbacks &) = delete;

  static law_callbacks &of(const perp_law *law) {
    return *reinterpret_cast<const own *>(law)->self;
  }
  static std::size_t n(const perp_law *law) { return static_cast<std::size_t>(law->size); }
  view state(const void *s) const { return {static_cast<const double *>(s), functions.state}; }
  span state(void *s) const { return {static_cast<double *>(s), functions.state}; }
  static law_step step_of(std::size_t size, const perp_law_step *s) {
    return {s->t, s->h, {s->y, size}, {s->ydot, size}, {s->lambda, size}};
  }

  /** Call f; whether it came back. */
  template <class F>
  bool guard(F &&f) noexcept {
#ifdef __cpp_exceptions
    try {
      f();
    } catch (...) {
      if (!catching::leave()) leave(std::current_exception());
      return false;
    }
#else
    f();
#endif
    return true;
  }
  template <class F>
  void guard(F &&f, double *out, std::size_t size) noexcept {
    if (guard(f)) return;
    for (std::size_t i = 0; i < size; i++) out[i] = std::numeric_limits<double>::quiet_NaN();
  }
  /** Exchange what was thrown for another, threads one by one; it takes no time. */
  std::exception_ptr leave(std::exception_ptr other) noexcept {
    while (held.test_and_set(std::memory_order_acquire)) {
    }
    thrown.swap(other);
    held.clear(std::memory_order_release);
    return other;
  }

  static void call_project(const perp_law *law, const void *s, const double *x, double *p) {
    law_callbacks &c = of(law);
    c.guard([&] { c.functions.project(c.state(s), view(x, n(law)), span(p, n(law))); }, p, n(law));
  }
  static void call_jacobian(const perp_law *law, const void *s, const double *x, double *J) {
    law_callbacks &c = of(law);
    const std::size_t size = n(law) * n(law);
    c.guard([&] { c.functions.jacobian(c.state(s), view(x, n(law)), span(J, size)); }, J, size);
  }
  static void call_shift(const perp_law *law, const void *s, const double *y, double *yhat) {
    law_callbacks &c = of(law);
    c.guard([&] { c.functions.shift(c.state(s), view(y, n(law)), span(yhat, n(law))); }, yhat,
            n(law));
  }
  static void call_bounds(const perp_law *law, double *lower, double *upper) {
    law_callbacks &c = of(law);
    c.guard([&] { c.functions.bounds(span(lower, n(law)), span(upper, n(law))); }, lower, n(law));
  }
  static std::int32_t call_restitute(const perp_law *law, const void *s, const perp_law_step *begin,
                                     double *q) {
    law_callbacks &c = of(law);
    std::int32_t answer = -1;
    c.guard([&] {
      answer = c.functions.restitute(c.state(s), step_of(n(law), begin), span(q, n(law)));
    });
    return answer;
  }
  static void call_preload(const perp_law *law, const void *s, const perp_law_step *begin,
                           double *out) {
    law_callbacks &c = of(law);
    c.guard([&] { c.functions.preload(c.state(s), step_of(n(law), begin), span(out, n(law))); },
            out, n(law));
  }
  static void call_compliance(const perp_law *law, double h, double *D) {
    law_callbacks &c = of(law);
    const std::size_t size = n(law) * n(law);
    c.guard([&] { c.functions.compliance(h, span(D, size)); }, D, size);
  }
  static std::int32_t call_acts(const perp_law *law, const void *s) {
    law_callbacks &c = of(law);
    bool yes = true;
    c.guard([&] { yes = c.functions.acts(c.state(s)) != 0; });
    return yes ? 1 : 0;
  }
  static std::size_t call_state_bytes(const perp_law *law) {
    return of(law).functions.state * sizeof(double);
  }
  static void call_begin(const perp_law *law, void *s) {
    law_callbacks &c = of(law);
    std::memset(s, 0, call_state_bytes(law));
    if (c.functions.begin) {
      c.guard([&] { c.functions.begin(c.state(s)); }, static_cast<double *>(s), c.functions.state);
    }
  }
  static void call_commit(const perp_law *law, void *s, const double *y, const double *lambda) {
    law_callbacks &c = of(law);
    const law_step end = {0, 0, {y, n(law)}, {}, {lambda, n(law)}};
    c.guard([&] { c.functions.commit(c.state(s), end); });
  }
  static void call_commit_step(const perp_law *law, void *s, const perp_law_step *end) {
    law_callbacks &c = of(law);
    c.guard([&] { c.functions.commit(c.state(s), step_of(n(law), end)); });
  }

  /** Table and head of a law by callables. */
  void describe() {
    const law_functions &f = functions;
    ops.struct_size = static_cast<std::uint32_t>(sizeof ops);
    ops.set = f.set;
    ops.unilateral = f.unilateral ? 1 : 0;
    ops.bounded = f.bounded ? 1 : 0;
    ops.name = "functions";
    if (f.project) ops.project = call_project;
    if (f.jacobian) ops.jacobian = call_jacobian;
    if (f.shift) ops.shift = call_shift;
    if (f.bounds) ops.bounds = call_bounds;
    if (f.restitute) ops.restitute_step = call_restitute;
    if (f.preload) ops.preload = call_preload;
    if (f.compliance) ops.compliance = call_compliance;
    if (f.acts) ops.acts = call_acts;
    if (f.state > 0) {
      ops.state_bytes = call_state_bytes;
      ops.state_init = call_begin;
    }
    if (f.commit) {
      ops.commit = call_commit;
      ops.commit_step = call_commit_step;
    }
    description.law.ops = &ops;
    description.law.struct_size = static_cast<std::uint32_t>(sizeof description);
    description.law.size = f.size;
    description.self = this;
  }

  /** Throw what was thrown, if anything was. */
  void rethrow() {
    const std::exception_ptr was = leave(nullptr);
    if (was) std::rethrow_exception(was);
  }
  /** Whom C shall own for it: one of those who share it. */
  static void destroy(void *self) noexcept { delete static_cast<shared<law_callbacks> *>(self); }
};

}  // namespace detail

/** A law (y, λ) ∈ law; one copy has size components. */
struct law {
  /** Which of the structs of perp/law.h it becomes. */
  enum class kinds {
    equality,
    complementarity,
    newton_impact,
    box,
    polyhedron,
    friction,
    rolling,
    user,
    mixed,
    compliant,
    fremond,
    cohesive,
    impact,
    piecewise_linear,
    functions
  };
  kinds kind = kinds::complementarity; /**< see kinds                           */
  double e = 0;                        /**< restitution, 0 <= e <= 1            */
  double e_t = 0;                      /**< tangential restitution, -1 <= e_t <= 1 */
  double mu = 0;                       /**< coefficient of friction, >= 0       */
  double mu_rolling = 0;               /**< of rolling friction, m, >= 0        */
  std::int32_t components = 1;         /**< of contacts with friction, and of mixed */
  std::int32_t equalities = 0;         /**< of mixed: the first so many         */
  double k = 0;                        /**< stiffness, N/m                      */
  double c = 0;                        /**< damping, N s/m                      */
  double theta = 0.5;                  /**< of a compliant contact              */
  double sigma_c = 0;                  /**< tensile strength, Pa                */
  double G_c = 0;                      /**< fracture energy, J/m²               */
  double area = 1;                     /**< of one cohesive copy, m²            */
  double slip_weight = 1;              /**< of slip in its opening              */
  array lower;                         /**< of a box, one entry per component   */
  array upper;                         /**< one entry per component             */
  array H;                             /**< of a polyhedron, rows x size by columns */
  array K;                             /**< of a polyhedron, one entry per row  */
  array y;                             /**< breakpoints of a graph, not decreasing */
  array lambda;                        /**< its values there, not increasing    */
  double slope_before = 0;             /**< −dλ/dy before the first, may be infinite */
  double slope_after = 0;              /**< after the last                      */
  impact_function restitute;           /**< the user's impact law               */
  const perp_law *user = nullptr;      /**< a law of the user's own, borrowed   */
  detail::shared<detail::law_callbacks> functions; /**< a law by callables        */

  /** Components of one copy. */
  std::int32_t size() const {
    if (kind == kinds::user) return user == nullptr ? 1 : user->size;
    if (kind == kinds::polyhedron)
      return K.empty() ? 1 : static_cast<std::int32_t>(H.size() / K.size());
    if (kind == kinds::functions) return functions->functions.size;
    if (kind == kinds::friction || kind == kinds::rolling || kind == kinds::mixed ||
        kind == kinds::fremond || kind == kinds::cohesive || kind == kinds::impact)
      return components;
    return kind == kinds::box ? static_cast<std::int32_t>(lower.size()) : 1;
  }
  /** Whether λ obeys bounds component by component; contacts and polyhedra do not. */
  bool by_component() const {
    if (kind == kinds::user) return user != nullptr && user->ops->set <= PERP_SET_BOX;
    if (kind == kinds::functions) return functions->functions.set <= PERP_SET_BOX;
    if (kind == kinds::impact) return components == 1;
    return kind <= kinds::box || kind == kinds::mixed || kind == kinds::compliant ||
           kind == kinds::piecewise_linear;
  }
};

/** y = 0, λ free. */
inline law equality() {
  law l;
  l.kind = law::kinds::equality;
  return l;
}

/** 0 ≤ y ⟂ λ ≥ 0. */
inline law complementarity() { return {}; }

/** Unilateral contact; 0 ≤ ẏ⁺ + e ẏ⁻ ⟂ λ ≥ 0 while it is closed. */
inline law newton_impact(double e) {
  law l;
  l.kind = law::kinds::newton_impact;
  l.e = e;
  return l;
}

/** λ = lower where y > 0, λ = upper where y < 0, between where y = 0. */
inline law box(array lower, array upper) {
  law l;
  l.kind = law::kinds::box;
  l.lower = std::move(lower);
  l.upper = std::move(upper);
  return l;
}

/** −y ∈ N_P(λ), P = {Hλ >= K}: y = Hᵀμ, 0 ≤ Hλ − K ⟂ μ ≥ 0; H by columns, K.size() rows. */
inline law polyhedron(array H, array K) {
  law l;
  l.kind = law::kinds::polyhedron;
  l.H = std::move(H);
  l.K = std::move(K);
  return l;
}

/** Coulomb friction in the plane, y = (normal, tangential); e and e_t: restitution. */
inline law friction_2d(double mu, double e = 0, double e_t = 0) {
  law l;
  l.kind = law::kinds::friction;
  l.mu = mu;
  l.e = e;
  l.e_t = e_t;
  l.components = 2;
  return l;
}

/** Coulomb friction in space, y = (normal, two tangential). */
inline law friction_3d(double mu, double e = 0, double e_t = 0) {
  law l = friction_2d(mu, e, e_t);
  l.components = 3;
  return l;
}

/** Friction with resistance to rolling in the plane, y = (normal, tangential, rolling). */
inline law rolling_2d(double mu, double mu_rolling, double e = 0, double e_t = 0) {
  law l = friction_2d(mu, e, e_t);
  l.kind = law::kinds::rolling;
  l.mu_rolling = mu_rolling;
  l.components = 3;
  return l;
}

/** In space, y = (normal, two tangential, two rolling). */
inline law rolling_3d(double mu, double mu_rolling, double e = 0, double e_t = 0) {
  law l = rolling_2d(mu, mu_rolling, e, e_t);
  l.components = 5;
  return l;
}

/** y = 0, λ free in the first components, 0 ≤ y ⟂ λ ≥ 0 in the others, in one copy; none of a kind
 * may be. */
inline law mixed(std::int32_t equalities, std::int32_t complementarities) {
  if (complementarities < 0 ||
      equalities > std::numeric_limits<std::int32_t>::max() - complementarities) {
    detail::refuse(PERP_EINVAL, "mixed: complementarities must be >= 0", "complementarities", -1,
                   complementarities);
  }
  law l;
  l.kind = law::kinds::mixed;
  l.components = equalities + complementarities;
  l.equalities = equalities;
  return l;
}

/** λ = −limit where y > 0, limit where y < 0, between where y = 0. */
inline law relay(double limit = 1) { return box(-limit, limit); }

/** A graph λ(y) through points, y not decreasing and λ not increasing, with slopes −dλ/dy before
 * and after them: 0 goes on level, infinity (perp::vertical) upright. See perp/piecewise_linear.h.
 */
inline law piecewise_linear(array y, array lambda, double slope_before = 0,
                            double slope_after = 0) {
  law l;
  l.kind = law::kinds::piecewise_linear;
  l.y = std::move(y);
  l.lambda = std::move(lambda);
  l.slope_before = slope_before;
  l.slope_after = slope_after;
  return l;
}

/** The slope of a graph that goes on upright. */
constexpr double vertical = std::numeric_limits<double>::infinity();

/** λ = limit where y < −width, 0 where |y| < width, −limit where y > width. */
inline law relay_dead_zone(double width, double limit = 1) {
  return piecewise_linear({-width, -width, width, width}, {limit, 0, 0, -limit});
}

/** Contact of a spring k (N/m) and a damper c (N s/m) side by side. */
inline law compliant(double k, double c = 0, double theta = 0.5) {
  law l;
  l.kind = law::kinds::compliant;
  l.k = k;
  l.c = c;
  l.theta = theta;
  return l;
}

/** Friction in the plane with Frémond's impact law: on the mean velocity. */
inline law fremond_2d(double mu, double e = 0) {
  law l = friction_2d(mu, e);
  l.kind = law::kinds::fremond;
  return l;
}

/** In space. */
inline law fremond_3d(double mu, double e = 0) {
  law l = fremond_2d(mu, e);
  l.components = 3;
  return l;
}

/** Friction in the plane and a cohesive zone: strength sigma_c (Pa), fracture energy G_c (J/m²),
 * area of one copy (m²). */
inline law cohesive_2d(double mu, double sigma_c, double G_c, double area = 1) {
  law l = friction_2d(mu);
  l.kind = law::kinds::cohesive;
  l.sigma_c = sigma_c;
  l.G_c = G_c;
  l.area = area;
  return l;
}

/** In space. */
inline law cohesive_3d(double mu, double sigma_c, double G_c, double area = 1) {
  law l = cohesive_2d(mu, sigma_c, G_c, area);
  l.components = 3;
  return l;
}

/** Unilateral contact with an impact law of the user's, restitute(begin, q): q[0] += e *
 * begin.ydot[0] is Newton's. */
inline law impact(impact_function restitute) {
  law l;
  l.kind = law::kinds::impact;
  l.restitute = std::move(restitute);
  return l;
}

/** With friction in the plane. */
inline law impact_2d(double mu, impact_function restitute) {
  law l = impact(std::move(restitute));
  l.mu = mu;
  l.components = 2;
  return l;
}

/** In space. */
inline law impact_3d(double mu, impact_function restitute) {
  law l = impact_2d(mu, std::move(restitute));
  l.components = 3;
  return l;
}

/** A law of the user's own table of operations. The struct is copied by connect(); the table, and
 * what the struct points to beyond what its operation fields tells, stay the user's. */
inline law user_law(const perp_law *own) {
  law l;
  l.kind = law::kinds::user;
  l.user = own;
  return l;
}

/** A law by callables. */
inline law user_law(law_functions functions) {
  law l;
  l.kind = law::kinds::functions;
  l.functions = detail::shared(new detail::law_callbacks(std::move(functions)));
  return l;
}

}  // namespace perp

#endif
