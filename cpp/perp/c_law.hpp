// SPDX-License-Identifier: MIT
/** @file c_law.hpp
 * The C description of a law, and where C calls its callables back. */
#ifndef PERP_CXX_C_LAW_HPP
#define PERP_CXX_C_LAW_HPP

#include <cstdint>
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

/** The user's impact law as C calls it. */
struct impact_callback {
  impact_function restitute;
  static std::int32_t call(std::int32_t size, const perp_law_step *begin, double *q,
                           void *user) noexcept {
    const auto entries = static_cast<std::size_t>(size);
    return caught([&] {
      return static_cast<impact_callback *>(user)->restitute(law_callbacks::step_of(entries, begin),
                                                             span(q, entries));
    });
  }
  static void destroy(void *self) noexcept { delete static_cast<impact_callback *>(self); }
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
  owned<impact_callback> restitute; /**< of the user's impact law              */
  shared<law_callbacks> functions;
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
          detail::refuse(PERP_EINVAL, "box: lower and upper need one entry per component each",
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
          detail::refuse(PERP_EINVAL,
                         "polyhedron: H needs a whole number of columns of K.size() rows", "H", -1,
                         static_cast<double>(l.H.size()));
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
        if (l.user == nullptr) detail::refuse(PERP_EINVAL, "user_law", "user");
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
        if (l.restitute) {
          restitute.reset(new impact_callback{l.restitute});
          impact.restitute = impact_callback::call;
          impact.user = restitute.get();
        }
        head = &impact.friction.law;
        break;
      case law::kinds::piecewise_linear: {
        if (!in_model) {
          detail::refuse(PERP_EINVAL,
                         "piecewise_linear: taken apart by connect(), not a set by itself", "law");
        }
        if (l.y.size() != l.lambda.size()) {
          detail::refuse(PERP_EINVAL,
                         "piecewise_linear: y and lambda need one entry per point each", "lambda",
                         -1, static_cast<double>(l.lambda.size()));
        }
        const perp_piecewise_linear graph = graph_of(l);
        perp_info info = PERP_INFO_INIT;
        check(perp_piecewise_linear_check(&graph, &info), "piecewise_linear", info);
        return;
      }
      case law::kinds::functions:
        if (l.functions->ops.set >= PERP_SET_CONE && l.functions->ops.set <= PERP_SET_POLYHEDRON) {
          detail::refuse(PERP_EINVAL,
                         "law_functions: sets with data of their own are not for callables", "set",
                         -1, l.functions->ops.set);
        }
        functions = l.functions;
        head = &functions->description.law;
        break;
    }
    perp_info info = PERP_INFO_INIT;
    check(perp_law_check(head, &info), "law", info);
  }
  c_law(const c_law &) = delete;
  c_law &operator=(const c_law &) = delete;

  /** Components of one copy. */
  std::int32_t size() const { return head == nullptr ? 1 : head->size; }

  /** Whom C shall own, and who is given up once it does. */
  /**@{*/
  perp_owner owner(const law &from) {
    perp_owner o = PERP_OWNER_INIT;
    if (restitute) {
      key_ = from.restitute.address();
      o.user = restitute.get();
      o.destroy = impact_callback::destroy;
    } else if (functions) {
      shared_.reset(new shared<law_callbacks>(functions));
      key_ = functions.get();
      o.user = shared_.get();
      o.destroy = law_callbacks::destroy;
    }
    for (const array *a : {&from.lower, &from.upper, &from.H, &from.K}) {
      if (a->is_borrowed()) kept_.push_back(a->data());
    }
    o.key = &key_;
    o.key_bytes = sizeof key_;
    o.kept = kept_.data();
    o.n_kept = kept_.size();
    return o;
  }
  void give_up() noexcept { (void)restitute.release(), (void)shared_.release(); }
  /**@}*/

 private:
  owned<shared<law_callbacks>> shared_;
  const void *key_ = nullptr;
  list<const void *> kept_;
};

}  // namespace detail

/** Whether (y, λ) satisfies one copy of a law, and by how much not; see perp_law_verify(). */
inline perp_law_verdict verify(const law &l, view y, view lambda, view state = {}) {
  const detail::c_law c(l);
  const auto size = static_cast<std::size_t>(c.size());
  if (y.size() != size || lambda.size() != size) {
    detail::refuse(PERP_EINVAL, "verify: y and lambda need one entry per component each", "y", -1,
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
