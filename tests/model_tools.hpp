// SPDX-License-Identifier: MIT
// Models that own all they point to, and simulations in blocks that were filled with rubbish.
#ifndef PERP_TESTS_MODEL_TOOLS_HPP
#define PERP_TESTS_MODEL_TOOLS_HPP

#include <perp/perp.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <vector>

namespace tools {

using vec = std::vector<double>;
using ids = std::vector<std::int32_t>;

inline std::int32_t count(std::size_t n) { return static_cast<std::int32_t>(n); }
inline std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// Descriptions have stable addresses; a description may be added many times.
struct world {
  std::deque<vec> numbers;
  std::deque<ids> joined;
  std::deque<perp_lagrangian_linear> bodies;
  std::deque<perp_first_order_linear> circuits;
  std::deque<perp_lagrangian_linear_relation> contacts;
  std::deque<perp_linear_relation> ports;
  std::deque<perp_equality> equalities;
  std::deque<perp_complementarity> complementarities;
  std::deque<perp_newton_impact> impacts;
  std::deque<perp_box> boxes;
  std::deque<perp_friction> frictions;
  std::deque<perp_rolling> rollings;
  std::deque<perp_interaction> interactions;
  std::vector<const perp_system *> system_list;
  std::vector<const perp_interaction *> interaction_list;
  std::vector<const perp_integrator *> integrators;  // where options want them
  vec q0, v0, x0;
  perp_model model = PERP_MODEL_INIT;
  perp_simulation_options options = perp_simulation_options_default();

  world() {
    options.h = 1e-2;
    options.integrator = perp_integrator_moreau_jean();
    options.solver = perp_solver_lemke();
  }
  world(const world &) = delete;

  double *keep(vec x) { return numbers.emplace_back(std::move(x)).data(); }

  perp_lagrangian_linear &body(const vec &mass_diagonal) {
    perp_lagrangian_linear &s = body(count(mass_diagonal.size()));
    s.M = perp_diagonal(s.system.n, keep(mass_diagonal));
    return s;
  }
  perp_lagrangian_linear &body(std::int32_t n) {
    perp_lagrangian_linear &s = bodies.emplace_back();
    perp_lagrangian_linear_init(&s, sizeof s, n);
    return s;
  }
  perp_first_order_linear &circuit(std::int32_t n) {
    perp_first_order_linear &s = circuits.emplace_back();
    perp_first_order_linear_init(&s, sizeof s, n);
    return s;
  }
  perp_lagrangian_linear_relation &contact(std::int32_t m, std::int32_t n, const vec &H) {
    perp_lagrangian_linear_relation &r = contacts.emplace_back();
    perp_lagrangian_linear_relation_init(&r, sizeof r, m, n);
    r.H = keep(H);
    return r;
  }
  perp_linear_relation &port(std::int32_t m, std::int32_t n, const vec &C) {
    perp_linear_relation &r = ports.emplace_back();
    perp_linear_relation_init(&r, sizeof r, m, n);
    r.C = keep(C);
    return r;
  }
  const perp_law *equality(std::int32_t size = 1) {
    perp_equality &law = equalities.emplace_back();
    perp_equality_init(&law, sizeof law);
    law.law.size = size;
    return &law.law;
  }
  const perp_law *complementarity(std::int32_t size = 1) {
    perp_complementarity &law = complementarities.emplace_back();
    perp_complementarity_init(&law, sizeof law);
    law.law.size = size;
    return &law.law;
  }
  const perp_law *impact(double e, std::int32_t size = 1) {
    perp_newton_impact &law = impacts.emplace_back();
    perp_newton_impact_init(&law, sizeof law);
    law.law.size = size;
    law.e = e;
    return &law.law;
  }
  const perp_law *box(const vec &lower, const vec &upper) {
    perp_box &law = boxes.emplace_back();
    perp_box_init(&law, sizeof law);
    law.law.size = count(lower.size());
    law.lower = keep(lower);
    law.upper = keep(upper);
    return &law.law;
  }

  const perp_law *friction(std::int32_t size, double mu, double e_n = 0, double e_t = 0) {
    perp_friction &law = frictions.emplace_back();
    perp_friction_init(&law, sizeof law);
    law.law.size = size;
    law.mu = mu;
    law.e_n = e_n;
    law.e_t = e_t;
    return &law.law;
  }
  const perp_law *rolling(std::int32_t size, double mu, double mu_rolling) {
    perp_rolling &law = rollings.emplace_back();
    perp_rolling_init(&law, sizeof law);
    law.law.size = size;
    law.mu = mu;
    law.mu_rolling = mu_rolling;
    return &law.law;
  }

  std::int32_t add(const perp_system &s) {
    system_list.push_back(&s);
    return count(system_list.size()) - 1;
  }
  perp_interaction &join(const perp_relation &relation, const perp_law *law, const ids &systems) {
    perp_interaction &i = interactions.emplace_back();
    i.relation = &relation;
    i.law = law;
    joined.push_back(systems);
    i.systems = joined.back().data();
    i.n_systems = count(systems.size());
    interaction_list.push_back(&i);
    return i;
  }
  const perp_model *finish() {
    model.n_systems = count(system_list.size());
    model.systems = system_list.empty() ? nullptr : system_list.data();
    model.n_interactions = count(interaction_list.size());
    model.interactions = interaction_list.empty() ? nullptr : interaction_list.data();
    model.q0 = q0.empty() ? nullptr : q0.data();
    model.v0 = v0.empty() ? nullptr : v0.data();
    model.x0 = x0.empty() ? nullptr : x0.data();
    return &model;
  }
};

// Ball of mass m at height q0 and velocity v0 over a floor of restitution e.
inline void make_ball(world &w, double m, double g, double q0, double v0, double e) {
  perp_lagrangian_linear &s = w.body(vec{m});
  s.f = w.keep({-m * g});
  w.add(s.system);
  w.join(w.contact(1, 1, {1}).relation, w.impact(e), {0});
  w.q0 = {q0};
  w.v0 = {v0};
}

// N balls of mass m above one another; gap i is given, restitution e everywhere.
inline void make_column(world &w, const vec &gap, double m, double g, double e) {
  perp_lagrangian_linear &s = w.body(vec{m});
  s.f = w.keep({-m * g});
  const perp_relation &floor = w.contact(1, 1, {1}).relation;
  const perp_relation &pair = w.contact(1, 2, {-1, 1}).relation;
  const perp_law *law = w.impact(e);
  double height = 0;
  for (std::int32_t i = 0; i < count(gap.size()); i++) {
    w.add(s.system);
    height += gap[at(i)];
    w.q0.push_back(height);
    w.v0.push_back(0);
    if (i == 0)
      w.join(floor, law, {0});
    else
      w.join(pair, law, {i - 1, i});
  }
}

// The bob of a pendulum at q of the plane, on a rod of length kRod from the origin.
constexpr double kRod = 1.3;
inline const perp_relation &make_rod(perp_lagrangian_relation &rod) {
  perp_lagrangian_scleronomous_init(&rod, sizeof rod, 1, 2);
  rod.h = [](double, const double *q, const double *, const double *, double *y, void *) {
    y[0] = (q[0] * q[0] + q[1] * q[1] - kRod * kRod) / (2 * kRod);
    return 0;
  };
  rod.H = [](double, const double *q, const double *, const double *, double *H, void *) {
    H[0] = q[0] / kRod;
    H[1] = q[1] / kRod;
    return 0;
  };
  return rod.relation;
}

// The blocks of a simulation, filled with 0xA5 before they are used.
struct run {
  std::vector<std::uint64_t> state;
  std::vector<unsigned char> work;
  std::size_t state_bytes, work_bytes, shift;
  perp_simulation *sim = nullptr;
  perp_info info = PERP_INFO_INIT;
  perp_status status = 999;

  run(const perp_model &model, const perp_simulation_options &options, std::size_t alignment = 0,
      const void *from = nullptr)
      : state_bytes(perp_simulation_state_size(&model, &options)),
        work_bytes(perp_simulation_work_size(&model, &options)) {
    state.assign(state_bytes / 8 + 1, UINT64_C(0xA5A5A5A5A5A5A5A5));
    work.assign(work_bytes + 128, 0xA5);
    shift = (64 - reinterpret_cast<std::uintptr_t>(work.data()) % 64) % 64 + alignment;
    if (from != nullptr) std::memcpy(state.data(), from, state_bytes);
    status = (from != nullptr ? perp_simulation_resume : perp_simulation_init)(
        &sim, &model, &options, state.data(), state_bytes, work.data() + shift, work_bytes, &info);
  }
  explicit run(world &w) : run(*w.finish(), w.options) {}
  run(const run &) = delete;
  ~run() { perp_simulation_release(sim); }

  perp_status step() { return perp_simulation_step(sim, &info); }
  perp_status steps(int n) {
    perp_status s = PERP_OK;
    for (int k = 0; k < n && s == PERP_OK; k++) s = step();
    return s;
  }
  std::vector<unsigned char> bytes() const {
    std::vector<unsigned char> copy(state_bytes);
    std::memcpy(copy.data(), state.data(), state_bytes);
    return copy;
  }
  double q(std::int32_t i = 0, std::size_t k = 0) const { return perp_simulation_q(sim, i)[k]; }
  double v(std::int32_t i = 0, std::size_t k = 0) const { return perp_simulation_v(sim, i)[k]; }
  double x(std::int32_t i = 0, std::size_t k = 0) const { return perp_simulation_x(sim, i)[k]; }
  double y(std::int32_t i = 0, std::size_t k = 0) const { return perp_simulation_y(sim, i)[k]; }
  double lambda(std::int32_t i = 0, std::size_t k = 0) const {
    return perp_simulation_lambda(sim, i)[k];
  }
  double time() const { return perp_simulation_time(sim); }
  perp_report report() const {
    perp_report r = PERP_REPORT_INIT;
    perp_simulation_report(sim, &r);
    return r;
  }
};

}  // namespace tools

#endif
