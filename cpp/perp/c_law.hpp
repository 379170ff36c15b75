// SPDX-License-Identifier: MIT
/** @file c_law.hpp
 * The C description of a law, and where C calls its callables back. */
#ifndef PERP_CXX_C_LAW_HPP
#define PERP_CXX_C_LAW_HPP

#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "perp/law.hpp"

namespace perp {

namespace detail {

/** The C description of a graph; points into the law. */
inline perp_piecewise_linear graph_of(const law &l) {
  perp_piecewise_linear graph = PERP_PIECEWISE_LINEAR_INIT;
  graph.points = static_cast<std::int32_t>(l.y.size());
  graph.y = l.y.data();
  graph.lambda = l.lambda.data();
  graph.slope_before = l.slope_before;
  graph.slope_after = l.slope_after;
  return graph;
}

/** Callables of a law as C calls them: what one throws is kept, and C is told to give up, or is
 * handed NaN where it cannot be told. */
struct law_callbacks {
  /** A law of its own table that finds its way back. */
  struct own {
    perp_law law;
    law_callbacks *self;
  };
  own description{};
  perp_law_ops ops{};
  std::shared_ptr<const law_functions> functions;
  impact_function impact;
  std::exception_ptr thrown;

  law_callbacks() = default;
  law_callbacks(const law_callbacks &) = delete;
  law_callbacks &operator=(const law_callbacks &) = delete;

  static law_callbacks &of(const perp_law *law) {
    return *reinterpret_cast<const own *>(law)->self;
  }
  static std::size_t n(const perp_law *law) { return static_cast<std::size_t>(law->size); }
  view state(const void *s) const { return {static_cast<const double *>(s), functions->state}; }
  span state(void *s) const { return {static_cast<double *>(s), functions->state}; }
  static law_step step_of(std::size_t size, const perp_law_step *s) {
    return {s->t, s->h, {s->y, size}, {s->ydot, size}, {s->lambda, size}};
  }

  /** Call f; whether it came back. */
  template <class F>
  bool guard(F &&f) noexcept {
    try {
      f();
      return true;
    } catch (...) {
      thrown = std::current_exception();
      return false;
    }
  }
  template <class F>
  void guard(F &&f, double *out, std::size_t size) noexcept {
    if (guard(f)) return;
    for (std::size_t i = 0; i < size; i++) out[i] = std::numeric_limits<double>::quiet_NaN();
  }

  static void call_project(const perp_law *law, const void *s, const double *x, double *p) {
    law_callbacks &c = of(law);
    c.guard([&] { c.functions->project(c.state(s), view(x, n(law)), span(p, n(law))); }, p, n(law));
  }
  static void call_jacobian(const perp_law *law, const void *s, const double *x, double *J) {
    law_callbacks &c = of(law);
    const std::size_t size = n(law) * n(law);
    c.guard([&] { c.functions->jacobian(c.state(s), view(x, n(law)), span(J, size)); }, J, size);
  }
  static void call_shift(const perp_law *law, const void *s, const double *y, double *yhat) {
    law_callbacks &c = of(law);
    c.guard([&] { c.functions->shift(c.state(s), view(y, n(law)), span(yhat, n(law))); }, yhat,
            n(law));
  }
  static void call_bounds(const perp_law *law, double *lower, double *upper) {
    law_callbacks &c = of(law);
    c.guard([&] { c.functions->bounds(span(lower, n(law)), span(upper, n(law))); }, lower, n(law));
  }
  static std::int32_t call_map(const perp_law *law, const void *s, const perp_law_step *begin,
                               double *q) {
    law_callbacks &c = of(law);
    std::int32_t answer = -1;
    c.guard(
        [&] { answer = c.functions->map(c.state(s), step_of(n(law), begin), span(q, n(law))); });
    return answer;
  }
  static void call_preload(const perp_law *law, const void *s, const perp_law_step *begin,
                           double *out) {
    law_callbacks &c = of(law);
    c.guard([&] { c.functions->preload(c.state(s), step_of(n(law), begin), span(out, n(law))); },
            out, n(law));
  }
  static void call_compliance(const perp_law *law, double h, double *D) {
    law_callbacks &c = of(law);
    const std::size_t size = n(law) * n(law);
    c.guard([&] { c.functions->compliance(h, span(D, size)); }, D, size);
  }
  static std::int32_t call_acts(const perp_law *law, const void *s) {
    law_callbacks &c = of(law);
    bool yes = true;
    c.guard([&] { yes = c.functions->acts(c.state(s)); });
    return yes ? 1 : 0;
  }
  static std::size_t call_state_bytes(const perp_law *law) {
    return of(law).functions->state * sizeof(double);
  }
  static void call_begin(const perp_law *law, void *s) {
    law_callbacks &c = of(law);
    std::memset(s, 0, call_state_bytes(law));
    if (c.functions->begin) {
      c.guard([&] { c.functions->begin(c.state(s)); }, static_cast<double *>(s),
              c.functions->state);
    }
  }
  static void call_commit(const perp_law *law, void *s, const double *y, const double *lambda) {
    law_callbacks &c = of(law);
    const law_step end = {0, 0, {y, n(law)}, {}, {lambda, n(law)}};
    c.guard([&] { c.functions->commit(c.state(s), end); });
  }
  static void call_commit_step(const perp_law *law, void *s, const perp_law_step *end) {
    law_callbacks &c = of(law);
    c.guard([&] { c.functions->commit(c.state(s), step_of(n(law), end)); });
  }
  static std::int32_t call_impact(std::int32_t size, const perp_law_step *begin, double *q,
                                  void *user) {
    auto &c = *static_cast<law_callbacks *>(user);
    const auto entries = static_cast<std::size_t>(size);
    std::int32_t answer = -1;
    c.guard([&] { answer = c.impact(step_of(entries, begin), span(q, entries)); });
    return answer;
  }

  /** Table and head of a law by callables. */
  void describe(std::shared_ptr<const law_functions> from) {
    functions = std::move(from);
    const law_functions &f = *functions;
    if (f.set == PERP_SET_CONE || f.set == PERP_SET_ROLLING || f.set == PERP_SET_POLYHEDRON) {
      throw error(PERP_EINVAL, "law_functions: sets with data of their own are not for callables",
                  "set", -1, f.set);
    }
    ops.struct_size = static_cast<std::uint32_t>(sizeof ops);
    ops.set = f.set;
    ops.unilateral = f.unilateral ? 1 : 0;
    ops.bounded = f.bounded ? 1 : 0;
    ops.name = "functions";
    if (f.project) ops.project = call_project;
    if (f.jacobian) ops.jacobian = call_jacobian;
    if (f.shift) ops.shift = call_shift;
    if (f.bounds) ops.bounds = call_bounds;
    if (f.map) ops.map_step = call_map;
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
    if (thrown) std::rethrow_exception(std::exchange(thrown, nullptr));
  }
};

/** The C description of a law; points into the law it was made from. Not to be copied. */
struct c_law {
  union {
    perp_equality equality;
    perp_complementarity complementarity;
    perp_newton_impact newton_impact;
    perp_box box;
    perp_polyhedron polyhedron;
    perp_friction friction;
    perp_rolling rolling;
    perp_mixed mixed;
    perp_compliant compliant;
    perp_fremond fremond;
    perp_cohesive cohesive;
    perp_user_impact impact;
  };
  law_callbacks callbacks;        /**< of functions and of the user's impact law */
  const perp_law *head = nullptr; /**< none for a graph, which a relation has to take apart */

  /** In a model graphs are laws too. */
  explicit c_law(const law &l, bool in_model = false) {
    switch (l.kind) {
      case law::kinds::equality:
        check(perp_equality_init(&equality, sizeof equality), "equality");
        head = &equality.law;
        break;
      case law::kinds::complementarity:
        check(perp_complementarity_init(&complementarity, sizeof complementarity),
              "complementarity");
        head = &complementarity.law;
        break;
      case law::kinds::newton_impact:
        check(perp_newton_impact_init(&newton_impact, sizeof newton_impact), "newton_impact");
        newton_impact.e = l.e;
        head = &newton_impact.law;
        break;
      case law::kinds::box:
        if (l.lower.size() != l.upper.size() || l.lower.empty()) {
          throw error(PERP_EINVAL, "box: lower and upper need one entry per component each",
                      "upper", -1, static_cast<double>(l.upper.size()));
        }
        check(perp_box_init(&box, sizeof box), "box");
        box.law.size = l.size();
        box.lower = l.lower.data();
        box.upper = l.upper.data();
        head = &box.law;
        break;
      case law::kinds::polyhedron:
        if (l.K.empty() || l.H.size() == 0 || l.H.size() % l.K.size() != 0) {
          throw error(PERP_EINVAL, "polyhedron: H needs a whole number of columns of K.size() rows",
                      "H", -1, static_cast<double>(l.H.size()));
        }
        check(perp_polyhedron_init(&polyhedron, sizeof polyhedron), "polyhedron");
        polyhedron.law.size = l.size();
        polyhedron.H = perp_dense(static_cast<std::int32_t>(l.K.size()), l.size(), l.H.data());
        polyhedron.K = l.K.data();
        head = &polyhedron.law;
        break;
      case law::kinds::friction:
        check(perp_friction_init(&friction, sizeof friction), "friction");
        friction.law.size = l.components;
        friction.mu = l.mu;
        friction.e_n = l.e;
        friction.e_t = l.e_t;
        head = &friction.law;
        break;
      case law::kinds::rolling:
        check(perp_rolling_init(&rolling, sizeof rolling), "rolling");
        rolling.law.size = l.components;
        rolling.mu = l.mu;
        rolling.mu_rolling = l.mu_rolling;
        rolling.e_n = l.e;
        rolling.e_t = l.e_t;
        head = &rolling.law;
        break;
      case law::kinds::user:
        if (l.user == nullptr) throw error(PERP_EINVAL, "user_law", "user");
        head = l.user;
        break;
      case law::kinds::mixed:
        check(perp_mixed_init(&mixed, sizeof mixed), "mixed");
        mixed.law.size = l.components;
        mixed.equalities = l.equalities;
        head = &mixed.law;
        break;
      case law::kinds::compliant:
        check(perp_compliant_init(&compliant, sizeof compliant), "compliant");
        compliant.k = l.k;
        compliant.c = l.c;
        compliant.theta = l.theta;
        head = &compliant.law;
        break;
      case law::kinds::fremond:
        check(perp_fremond_init(&fremond, sizeof fremond), "fremond");
        fremond.friction.law.size = l.components;
        fremond.friction.mu = l.mu;
        fremond.friction.e_n = l.e;
        head = &fremond.friction.law;
        break;
      case law::kinds::cohesive:
        check(perp_cohesive_init(&cohesive, sizeof cohesive), "cohesive");
        cohesive.friction.law.size = l.components;
        cohesive.friction.mu = l.mu;
        cohesive.friction.e_n = l.e;
        cohesive.friction.e_t = l.e_t;
        cohesive.sigma_c = l.sigma_c;
        cohesive.G_c = l.G_c;
        cohesive.area = l.area;
        cohesive.slip_weight = l.slip_weight;
        head = &cohesive.friction.law;
        break;
      case law::kinds::impact:
        check(perp_user_impact_init(&impact, sizeof impact, l.components), "impact");
        impact.friction.mu = l.mu;
        if (l.map) {
          callbacks.impact = l.map;
          impact.map = law_callbacks::call_impact;
          impact.user = &callbacks;
        }
        head = &impact.friction.law;
        break;
      case law::kinds::piecewise_linear: {
        if (!in_model) {
          throw error(PERP_EINVAL,
                      "piecewise_linear: taken apart by connect(), not a set by itself", "law");
        }
        if (l.y.size() != l.lambda.size()) {
          throw error(PERP_EINVAL, "piecewise_linear: y and lambda need one entry per point each",
                      "lambda", -1, static_cast<double>(l.lambda.size()));
        }
        const perp_piecewise_linear graph = graph_of(l);
        perp_info info = PERP_INFO_INIT;
        check(perp_piecewise_linear_check(&graph, &info), "piecewise_linear", info);
        return;
      }
      case law::kinds::functions:
        callbacks.describe(l.functions);
        head = &callbacks.description.law;
        break;
    }
    perp_info info = PERP_INFO_INIT;
    check(perp_law_check(head, &info), "law", info);
  }
  c_law(const c_law &) = delete;
  c_law &operator=(const c_law &) = delete;

  /** Components of one copy. */
  std::int32_t size() const { return head == nullptr ? 1 : head->size; }
};

}  // namespace detail

/** Whether (y, λ) satisfies one copy of a law, and by how much not; see perp_law_verify(). */
inline perp_law_verdict verify(const law &l, view y, view lambda, view state = {}) {
  const detail::c_law c(l);
  const auto size = static_cast<std::size_t>(c.size());
  if (y.size() != size || lambda.size() != size) {
    throw error(PERP_EINVAL, "verify: y and lambda need one entry per component each", "y", -1,
                static_cast<double>(y.size()));
  }
  std::vector<unsigned char> work(perp_law_verify_workspace(c.head));
  perp_law_verdict verdict = PERP_LAW_VERDICT_INIT;
  check(perp_law_verify(c.head, state.data(), y.data(), lambda.data(), &verdict, work.data(),
                        work.size()),
        "verify");
  return verdict;
}

/** How far (y, λ) is from the graph of a piecewise_linear() law, in the maximum norm. */
inline double distance(const law &l, double y, double lambda) {
  const perp_piecewise_linear graph = detail::graph_of(l);
  check(perp_piecewise_linear_check(&graph, nullptr), "distance");
  return perp_piecewise_linear_distance(&graph, y, lambda);
}

}  // namespace perp

#endif
