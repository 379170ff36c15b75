// SPDX-License-Identifier: MIT
// Random models: systems, what joins them, schemes and times.
#ifndef PERP_TESTS_RANDOM_MODEL_HPP
#define PERP_TESTS_RANDOM_MODEL_HPP

#include "random_laws.hpp"
#include "random_relations.hpp"
#include "random_systems.hpp"

namespace tools {

inline random_model::random_model(std::uint64_t seed) : d(seed) {
  const std::int32_t mix = d.pick(10);  // 0 ... 5 mechanical, 6 ... 8 circuits, 9 both
  positions = mix < 6 && d.chance(0.15);
  const std::int32_t second = mix < 6 || mix == 9 ? 1 + d.pick(4) : 0;
  const std::int32_t first = mix >= 6 ? 1 + d.pick(3) : 0;
  for (std::int32_t i = 0; i < second; i++) {
    const std::int32_t kind = d.pick(positions ? 5 : 8);
    if (kind < 2)
      linear_system(false);
    else if (kind == 2)
      linear_system(true);
    else if (kind < 5)
      nonlinear_system();
    else
      body_system();
  }
  for (std::int32_t i = 0; i < first; i++) {
    const std::int32_t kind = d.pick(4);
    if (kind < 2)
      first_linear(kind == 1 && d.chance(0.5));
    else
      first_nonlinear();
  }
  for (std::int32_t i = 1 + d.pick(5); i > 0 && second > 0; i--) attach(2);
  for (std::int32_t i = 1 + d.pick(3); i > 0 && first > 0; i--) attach(1);
  const perp_integrator *const circuits_by[] = {
      perp_integrator_theta(), perp_integrator_theta_gamma(), perp_integrator_theta_gamma_full()};
  const std::int32_t by = d.pick(3);
  middle = by == 2;
  gamma_first = by == 0 ? 1 : d.in(0.5, 1);
  for (const judged_system &s : systems) {
    integrators.push_back(s.order == 1 ? circuits_by[by]
                          : positions  ? perp_integrator_schatzman_paoli()
                                       : perp_integrator_moreau_jean());
    thetas.push_back(d.chance(0.3) ? 0.5 : d.in(0.5, 1));
  }
  options.integrator = nullptr;
  options.integrators = integrators.data();
  options.thetas = thetas.data();
  if (first > 0) options.reaction_gamma = gamma_first;
  const double gamma = d.in(0, 1);
  if (second > 0 && !positions) options.gamma = gamma;
  options.h = d.in(2e-3, 2e-2);
  options.min_gap = -1e3;
  options.solver =
      only_intervals && d.chance(0.5) ? perp_solver_box_pivoting() : perp_solver_auto();
  options.newton_start = d.pick(2);
  options.steps = 10 + d.pick(21);
  if (!positions && d.chance(0.3)) {
    grid.push_back(0);
    for (std::int32_t i = 0; i < options.steps; i++)
      grid.push_back(grid.back() + options.h * d.in(0.5, 1.5));
    options.grid = grid.data();
  }
  finish();
}

}  // namespace tools

#endif
