// SPDX-License-Identifier: MIT
// Worlds with a pool whose callback is a lambda, and grains over a floor.
#ifndef PERP_TESTS_POOL_TOOLS_HPP
#define PERP_TESTS_POOL_TOOLS_HPP

#include <perp/pool.h>

#include <array>
#include <cmath>
#include <functional>

#include "model_tools.hpp"

namespace tools {

constexpr double kGravity = 9.81;

inline perp_pool_contact contact_of(std::int32_t first, std::int32_t second, double gap,
                                    const std::array<double, 3> &normal) {
  perp_pool_contact c{};
  c.systems[0] = first;
  c.systems[1] = second;
  c.place.gap = gap;
  for (std::size_t i = 0; i < 3; i++) c.place.normal[i] = normal[i];
  return c;
}

// A pool in a world, its callback a lambda that may see the positions and adds to a list.
struct pooled : world {
  using finder = std::function<std::int32_t(double, const perp_simulation *,
                                            std::vector<perp_pool_contact> &)>;
  perp_contact_pool pool = PERP_CONTACT_POOL_INIT;
  std::vector<const perp_law *> law_list;
  finder find;
  std::vector<std::int32_t> answers;  // of perp_pool_add, last call: kept or not, or a refusal
  bool at_once = false;               // added by perp_pool_add_all, whose answers are kept alone

  explicit pooled(std::int32_t capacity) {
    pool.capacity = capacity;
    pool.find = [](double t, const perp_simulation *sim, perp_pool_writer *out, void *user) {
      auto *self = static_cast<pooled *>(user);
      std::vector<perp_pool_contact> seen;
      const std::int32_t answer = self->find(t, sim, seen);
      self->answers.assign(self->at_once ? seen.size() : 0, -1);
      if (self->at_once) {
        (void)perp_pool_add_all(out, count(seen.size()), seen.data(), self->answers.data());
        return answer;
      }
      for (const auto &c : seen) {
        std::int32_t kept = -1;
        const perp_status added = perp_pool_add(out, &c, &kept);
        self->answers.push_back(added == PERP_OK ? kept : added);
        EXPECT_EQ(kept, self->answers.back() == 1 ? 1 : 0);
      }
      return answer;
    };
    pool.user = this;
    model.pool = &pool;
    options.solver = perp_solver_nsgs();
#ifdef PERP_TESTS_SWEPT  // the same tests where contacts are swept body by body
    options.formulation = PERP_FORMULATION_GLOBAL;
#endif
  }
  void law(const perp_law *l) {
    law_list.push_back(l);
    pool.laws = law_list.data();
    pool.n_laws = count(law_list.size());
  }
};

// A solid sphere of mass m and radius r, heavy along −z.
inline perp_body sphere(double m, double r) {
  perp_body body;
  perp_body_init(&body, sizeof body);
  body.mass = m;
  for (std::size_t i = 0; i < 3; i++) body.inertia[4 * i] = 0.4 * m * r * r;
  body.f[2] = -m * kGravity;
  return body;
}

inline perp_lagrangian_linear &grain(world &w, double mass) {
  perp_lagrangian_linear &s = w.body(vec{mass, mass, mass});
  s.f = w.keep({0, 0, -mass * kGravity});
  return s;
}

// Grains of radius r over the floor z = 0: all contacts closer than a margin, in this order or not.
inline void add_grains(const perp_simulation *sim, std::int32_t n, double r, double margin,
                       std::vector<perp_pool_contact> &out) {
  for (std::int32_t i = 0; i < n; i++) {
    const double *a = perp_simulation_q(sim, i);
    if (a[2] - r < margin) out.push_back(contact_of(i, PERP_GROUND, a[2] - r, {0, 0, 1}));
    for (std::int32_t j = 0; j < i; j++) {
      const double *b = perp_simulation_q(sim, j);
      const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
      const double l = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
      if (l - 2 * r < margin)
        out.push_back(contact_of(i, j, l - 2 * r, {d[0] / l, d[1] / l, d[2] / l}));
    }
  }
}

}  // namespace tools

#endif
