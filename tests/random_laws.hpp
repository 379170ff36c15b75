// SPDX-License-Identifier: MIT
// Laws of random models.
#ifndef PERP_TESTS_RANDOM_LAWS_HPP
#define PERP_TESTS_RANDOM_LAWS_HPP

#include "random_parts.hpp"

namespace tools {

inline std::int32_t answer_user(std::int32_t size, const perp_law_step *begin, double *q, void *) {
  for (std::int32_t i = 0; i < size; i++) q[i] += (i == 0 ? 0.3 : 0.1) * begin->ydot[i];
  return 0;
}

inline const perp_law *random_model::law(law_kind kind, std::int32_t size) {
  judged_law j;
  j.kind = kind;
  j.size = size;
  j.e = d.chance(0.3) ? 0 : d.in(0, 1);
  j.e_t = d.chance(0.5) ? 0 : d.in(-0.5, 0.5);
  j.mu = d.in(0, 0.8);
  j.mu_r = d.in(0.05, 0.3);
  const auto put = [&](const perp_law *law) {
    laws.push_back(j);
    return law;
  };
  only_intervals &= kind < law_kind::polyhedron || kind == law_kind::compliant;
  switch (kind) {
    case law_kind::equality:
      return put(equality(size));
    case law_kind::complementarity:
      return put(complementarity(size));
    case law_kind::impact:
      return put(impact(j.e, size));
    case law_kind::box:
      for (std::int32_t i = 0; i < size; i++) {
        j.lower.push_back(d.in(-1, 0.1));
        j.upper.push_back(j.lower.back() + d.in(0, 1));
      }
      return put(box(j.lower, j.upper));
    case law_kind::mixed: {
      perp_mixed &p = mixeds.emplace_back();
      perp_mixed_init(&p, sizeof p);
      p.law.size = size;
      p.equalities = j.equalities = d.pick(size + 1);
      return put(&p.law);
    }
    case law_kind::polyhedron: {  // a triangle about 0
      perp_polyhedron &p = polyhedra.emplace_back();
      perp_polyhedron_init(&p, sizeof p);
      j.radius = d.in(0.05, 1);
      j.angle = d.in(0, 2);
      vec H(6);
      for (std::size_t i = 0; i < 3; i++) {
        H[i] = std::cos(j.angle + 2.0943951023931953 * double(i));
        H[3 + i] = std::sin(j.angle + 2.0943951023931953 * double(i));
      }
      p.law.size = 2;
      p.H = perp_dense(3, 2, keep(H));
      p.K = keep(vec(3, -j.radius));
      return put(&p.law);
    }
    case law_kind::friction:
      return put(friction(size, j.mu, j.e, j.e_t));
    case law_kind::rolling: {
      const perp_law *p = rolling(size, j.mu, j.mu_r);
      rollings.back().e_n = j.e;
      rollings.back().e_t = j.e_t;
      return put(p);
    }
    case law_kind::compliant: {
      perp_compliant &p = springs.emplace_back();
      perp_compliant_init(&p, sizeof p);
      p.law.size = size;
      p.k = j.k = d.in(10, 1000);
      p.c = j.c = d.in(0, 5);
      p.theta = j.theta = d.in(0.5, 1);
      return put(&p.law);
    }
    case law_kind::fremond: {
      perp_fremond &p = fremonds.emplace_back();
      perp_fremond_init(&p, sizeof p);
      p.friction.law.size = size;
      p.friction.mu = j.mu;
      p.friction.e_n = j.e;
      return put(&p.friction.law);
    }
    case law_kind::cohesive: {
      perp_cohesive &p = glues.emplace_back();
      perp_cohesive_init(&p, sizeof p);
      p.friction.law.size = size;
      p.friction.mu = j.mu;
      p.friction.e_n = j.e;
      p.friction.e_t = j.e_t;
      p.sigma_c = d.in(0.5, 5);
      p.G_c = d.in(0.01, 0.3);
      p.area = d.in(0.5, 2);
      p.slip_weight = j.weight = d.in(0, 2);
      j.N = p.sigma_c * p.area;
      j.delta = 2 * p.G_c / p.sigma_c;
      return put(&p.friction.law);
    }
    case law_kind::user: {
      perp_user_impact &p = users.emplace_back();
      perp_user_impact_init(&p, sizeof p, size);
      p.friction.mu = j.mu;
      p.restitute = answer_user;
      return put(&p.friction.law);
    }
  }
  return nullptr;
}

}  // namespace tools

#endif
