// SPDX-License-Identifier: MIT
// Models for tests of event-driven simulation, and runs that keep what the observer saw.
#ifndef PERP_TESTS_EVENT_TOOLS_HPP
#define PERP_TESTS_EVENT_TOOLS_HPP

#include <gtest/gtest.h>
#include <perp/event_driven.h>
#include <perp/perp.h>

#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

namespace tools {

using vec = std::vector<double>;
using indices = std::vector<std::int32_t>;

/** A model with everything it points to. */
class World {
 public:
  World() = default;
  World(const World &) = delete;

  /** M v' + K q + C v = f + F(t), all diagonal. */
  perp_lagrangian_linear &mass(const vec &M, const vec &f, const vec &q0, const vec &v0,
                               const vec &K = {}, const vec &C = {}) {
    const auto n = static_cast<std::int32_t>(M.size());
    perp_lagrangian_linear &s = masses_.emplace_back();
    EXPECT_EQ(perp_lagrangian_linear_init(&s, sizeof s, n), PERP_OK);
    s.M = perp_diagonal(n, keep(M));
    if (!K.empty()) s.K = perp_diagonal(n, keep(K));
    if (!C.empty()) s.C = perp_diagonal(n, keep(C));
    s.f = keep(f);
    add(&s.system, q0, v0);
    return s;
  }
  /** x' = A x + b + B(t), A by columns. */
  perp_first_order_linear &state(const vec &x0, const vec &A, const vec &b = {}) {
    const auto n = static_cast<std::int32_t>(x0.size());
    perp_first_order_linear &s = states_.emplace_back();
    EXPECT_EQ(perp_first_order_linear_init(&s, sizeof s, n), PERP_OK);
    if (!A.empty()) s.A = perp_dense(n, n, keep(A));
    if (!b.empty()) s.b = keep(b);
    first(&s.system, x0);
    return s;
  }
  void first(const perp_system *system, const vec &x0) {
    systems_.push_back(system);
    x0_.insert(x0_.end(), x0.begin(), x0.end());
  }
  void add(const perp_system *system, const vec &q0, const vec &v0) {
    systems_.push_back(system);
    q0_.insert(q0_.end(), q0.begin(), q0.end());
    v0_.insert(v0_.end(), v0.begin(), v0.end());
  }

  /** y = H q + b, H by columns. */
  const perp_relation *gap(const vec &H, const vec &b) {
    perp_lagrangian_linear_relation &r = gaps_.emplace_back();
    const auto m = static_cast<std::int32_t>(b.size());
    const auto n = static_cast<std::int32_t>(H.size() / b.size());
    EXPECT_EQ(perp_lagrangian_linear_relation_init(&r, sizeof r, m, n), PERP_OK);
    r.H = keep(H);
    r.b = keep(b);
    return &r.relation;
  }
  /** y = C x + D λ + e, r = B λ, by columns. */
  const perp_relation *output(std::int32_t m, std::int32_t n, const vec &C, const vec &D,
                              const vec &B, const vec &e = {}) {
    perp_linear_relation &r = outputs_.emplace_back();
    EXPECT_EQ(perp_linear_relation_init(&r, sizeof r, m, n), PERP_OK);
    r.C = keep(C);
    if (!D.empty()) r.D = keep(D);
    r.B = keep(B);
    if (!e.empty()) r.e = keep(e);
    return &r.relation;
  }

  const perp_law *newton(double e) {
    perp_newton_impact &law = newtons_.emplace_back();
    EXPECT_EQ(perp_newton_impact_init(&law, sizeof law), PERP_OK);
    law.e = e;
    return &law.law;
  }
  const perp_law *friction(std::int32_t size, double mu, double e_n = 0, double e_t = 0) {
    perp_friction &law = frictions_.emplace_back();
    EXPECT_EQ(perp_friction_init(&law, sizeof law), PERP_OK);
    law.law.size = size;
    law.mu = mu;
    law.e_n = e_n;
    law.e_t = e_t;
    return &law.law;
  }
  const perp_law *relay(std::int32_t size = 1, double low = -1, double high = 1) {
    perp_box &law = boxes_.emplace_back();
    EXPECT_EQ(perp_box_init(&law, sizeof law), PERP_OK);
    law.law.size = size;
    law.lower = keep(vec(static_cast<std::size_t>(size), low));
    law.upper = keep(vec(static_cast<std::size_t>(size), high));
    return &law.law;
  }
  const perp_law *diode() {
    EXPECT_EQ(perp_complementarity_init(&diode_, sizeof diode_), PERP_OK);
    return &diode_.law;
  }
  const perp_law *equality() {
    EXPECT_EQ(perp_equality_init(&equality_, sizeof equality_), PERP_OK);
    return &equality_.law;
  }

  std::int32_t connect(const perp_relation *relation, const perp_law *law,
                       const indices &systems = {0}) {
    joined_.push_back(systems);
    perp_interaction &i = interactions_.emplace_back();
    i = perp_interaction{relation, law, joined_.back().data(),
                         static_cast<std::int32_t>(systems.size()), 0};
    list_.push_back(&i);
    return static_cast<std::int32_t>(list_.size()) - 1;
  }

  const perp_model *model() {
    const perp_model empty = PERP_MODEL_INIT;
    model_ = empty;
    model_.n_systems = static_cast<std::int32_t>(systems_.size());
    model_.n_interactions = static_cast<std::int32_t>(list_.size());
    model_.systems = systems_.data();
    model_.interactions = list_.data();
    model_.q0 = q0_.empty() ? nullptr : q0_.data();
    model_.v0 = v0_.empty() ? nullptr : v0_.data();
    model_.x0 = x0_.empty() ? nullptr : x0_.data();
    return &model_;
  }
  std::size_t n_q() const { return q0_.size(); }
  std::size_t n_v() const { return v0_.size(); }
  std::size_t n_x() const { return x0_.size(); }
  std::size_t n_rows() const {
    std::size_t rows = 0;
    for (const perp_interaction *i : list_) rows += static_cast<std::size_t>(i->relation->m);
    return rows;
  }
  const double *keep(const vec &values) { return kept_.emplace_back(values).data(); }

 private:
  perp_model model_ = PERP_MODEL_INIT;
  std::deque<vec> kept_;
  std::deque<perp_lagrangian_linear> masses_;
  std::deque<perp_first_order_linear> states_;
  std::deque<perp_lagrangian_linear_relation> gaps_;
  std::deque<perp_linear_relation> outputs_;
  std::deque<perp_newton_impact> newtons_;
  std::deque<perp_friction> frictions_;
  std::deque<perp_box> boxes_;
  perp_complementarity diode_{};
  perp_equality equality_{};
  std::deque<indices> joined_;
  std::deque<perp_interaction> interactions_;
  std::vector<const perp_system *> systems_;
  std::vector<const perp_interaction *> list_;
  vec q0_, v0_, x0_;
};

/** An integrator with tolerances that suit it, and by how much larger errors are allowed than those
 * of the most exact one. */
struct Method {
  const char *name;
  const perp_smooth *(*smooth)();
  double rtol, atol, slack;
};
inline const Method kRungeKutta{"runge_kutta", perp_smooth_runge_kutta, 1e-13, 1e-14, 1};
inline const Method kMethods[] = {
    kRungeKutta,
    {"adams", perp_smooth_adams, 1e-13, 1e-14, 10},
    {"bdf", perp_smooth_bdf, 1e-12, 1e-13, 1e4},
    {"arkode", perp_smooth_arkode, 1e-13, 1e-14, 10},
    {"ida", perp_smooth_ida, 1e-12, 1e-13, 1e4},
};
inline void PrintTo(const Method &method, std::ostream *out) { *out << method.name; }
inline std::string method_name(const ::testing::TestParamInfo<Method> &info) {
  return info.param.name;
}

/** A copy of an event, with the state before and after. */
struct Seen {
  double t, error, until;
  std::uint32_t kinds;
  std::int64_t number;
  vec q, v, x, q_after, v_after, x_after, impulse;
  std::vector<perp_event_change> changes;
  bool is(std::uint32_t kind) const { return (kinds & kind) != 0; }
};
struct Sample {
  double t;
  vec q, v, x, lambda;
};

/** A simulation that keeps its events and outputs. */
class Motion {
 public:
  explicit Motion(World &world, const Method &method = kRungeKutta) : world_(&world) {
    options = perp_event_options_default();
    options.smooth = method.smooth();
    options.rtol = method.rtol;
    options.atol = method.atol;
    const perp_event_observer empty = PERP_EVENT_OBSERVER_INIT;
    observer = empty;
    observer.output = [](perp_event_driven *, void *self) {
      return static_cast<Motion *>(self)->sampled();
    };
    observer.event = [](perp_event_driven *, const perp_event *event, void *self) {
      return static_cast<Motion *>(self)->happened(*event);
    };
    observer.user = this;
  }
  ~Motion() { perp_event_driven_destroy(sim); }
  Motion(const Motion &) = delete;

  perp_status create() {
    perp_event_driven_destroy(sim);
    const perp_status status = perp_event_driven_create(&sim, world_->model(), &options, &info);
    EXPECT_EQ(sim == nullptr, status != PERP_OK);
    return status;
  }
  perp_status until(double t) {
    if (sim == nullptr) {
      const perp_status status = create();
      if (status != PERP_OK) return status;
    }
    return perp_event_driven_run(sim, t, &observer, &info);
  }
  /** until, which has to succeed. */
  void expect_until(double t) {
    const perp_status status = until(t);
    ASSERT_EQ(status, PERP_OK) << perp_status_string(status) << ", "
                               << perp_event_driven_message(sim) << ", field "
                               << (info.field == nullptr ? "-" : info.field);
    EXPECT_EQ(perp_event_driven_time(sim), t);
  }

  double t() const { return perp_event_driven_time(sim); }
  vec q() const { return all(perp_event_driven_q, world_->n_q()); }
  vec v() const { return all(perp_event_driven_v, world_->n_v()); }
  vec x() const { return all(perp_event_driven_x, world_->n_x()); }
  vec lambda() const {
    vec values;
    const perp_model *model = world_->model();
    for (std::int32_t i = 0; i < model->n_interactions; i++) {
      const double *l = perp_event_driven_lambda(sim, i);
      if (l != nullptr) values.insert(values.end(), l, l + model->interactions[i]->relation->m);
    }
    return values;
  }
  std::int32_t mode(std::int32_t interaction = 0, std::int32_t copy = 0) const {
    return perp_event_driven_mode(sim, interaction, copy);
  }
  double energy() const {
    double kinetic = NAN, potential = NAN;
    EXPECT_EQ(perp_event_driven_energy(sim, &kinetic, &potential), PERP_OK);
    return kinetic + potential;
  }
  perp_event_report report() const {
    perp_event_report r = PERP_EVENT_REPORT_INIT;
    EXPECT_EQ(perp_event_driven_report(sim, &r), PERP_OK);
    return r;
  }
  std::string message() const { return perp_event_driven_message(sim); }
  /** Events of a kind. */
  std::vector<Seen> of(std::uint32_t kind) const {
    std::vector<Seen> chosen;
    for (const Seen &e : events)
      if (e.is(kind)) chosen.push_back(e);
    return chosen;
  }

  perp_event_options options{};
  perp_event_observer observer{};
  perp_event_driven *sim = nullptr;
  perp_info info = PERP_INFO_INIT;
  std::vector<Seen> events;
  std::vector<Sample> samples;
  bool keep_lambda = false;

 private:
  template <class View>
  vec all(View view, std::size_t n) const {
    vec values;
    const perp_model *model = world_->model();
    for (std::int32_t i = 0; i < model->n_systems; i++) {
      const double *part = view(sim, i);
      if (part != nullptr) values.insert(values.end(), part, part + model->systems[i]->n);
    }
    EXPECT_EQ(values.size(), n);
    return values;
  }
  std::int32_t sampled() {
    samples.push_back({t(), q(), v(), x(), keep_lambda ? lambda() : vec{}});
    return 0;
  }
  std::int32_t happened(const perp_event &e) {
    EXPECT_EQ(e.struct_size, sizeof e);
    Seen s{e.t, e.error, e.until, e.kinds, e.number, {}, {}, {}, q(), v(), x(), {}, {}};
    const auto copy = [](vec &to, const double *from, std::size_t n) {
      if (n > 0) to.assign(from, from + n);
    };
    copy(s.q, e.q, world_->n_q());
    copy(s.v, e.v, world_->n_v());
    copy(s.x, e.x, world_->n_x());
    copy(s.impulse, e.impulse, world_->n_rows());
    s.changes.assign(e.changes, e.changes + e.n_changes);
    events.push_back(s);
    return 0;
  }
  World *world_;
};

}  // namespace tools

#endif
