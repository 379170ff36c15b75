// SPDX-License-Identifier: MIT
// Sealed checkpoints: what is damaged, of another model, other options or another grid is refused
// and nothing is written; what is opened has the bits of the uninterrupted run.
#include <gtest/gtest.h>
#include <perp/perp.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "facade_tools.hpp"
#include "model_tools.hpp"
#include "random_model.hpp"

namespace {

using namespace tools;
using bytes = std::vector<unsigned char>;

bytes seal(const perp_simulation *sim) {
  bytes sealed(perp_simulation_checkpoint_size(sim));
  EXPECT_EQ(perp_simulation_checkpoint(sim, sealed.data(), sealed.size(), nullptr), PERP_OK);
  return sealed;
}

// The answer's field, "" for PERP_OK; what is refused leaves the state as it was.
struct opened {
  std::vector<std::uint64_t> state;
  perp_info info = PERP_INFO_INIT;
  perp_status status;
  opened(const world &w, const bytes &sealed, std::uint32_t accept = 0)
      : state(perp_simulation_state_size(&w.model, &w.options) / 8 + 1, 0xA5) {
    const auto before = state;
    status = perp_simulation_unseal(&w.model, &w.options, sealed.data(), sealed.size(), accept,
                                    state.data(), 8 * state.size(), &info);
    EXPECT_TRUE(status == PERP_OK || state == before);
  }
  std::string field() const { return status == PERP_OK ? "" : info.field; }
};

// A ball that bounces, and a pair that rubs: constants of many kinds.
void make(world &w) {
  make_ball(w, 1, 9.81, 1, 0, 0.5);
  perp_lagrangian_linear &s = w.body(vec{2, 3});
  s.f = w.keep({1, -2});
  s.C = perp_dense(2, 2, w.keep({1, 0.1, 0.1, 1}));
  s.K = perp_diagonal(2, w.keep({5, 6}));
  w.add(s.system);
  perp_lagrangian_linear_relation &r = w.contact(2, 2, {0, 1, 1, 0});
  r.b = w.keep({0.25, 0});
  w.join(r.relation, w.friction(2, 0.3, 0.2, 0.1), {1});
  perp_first_order_linear &c = w.circuit(1);
  c.A = perp_diagonal(1, w.keep({-1}));
  c.b = w.keep({0.5});
  w.add(c.system);
  perp_linear_relation &p = w.port(1, 1, {1});
  p.B = w.keep({1});
  p.D = w.keep({2});
  p.e = w.keep({-0.5});
  w.join(p.relation, w.box({-1}, {1}), {2});
  w.q0.insert(w.q0.end(), {0.5, 0.5});
  w.v0.insert(w.v0.end(), {1, 0});
  w.x0 = {1};
  w.options.solver = perp_solver_nsgs();
  w.options.steps = 400;
  w.integrators = {perp_integrator_moreau_jean(), perp_integrator_moreau_jean(),
                   perp_integrator_theta()};
  w.options.integrators = w.integrators.data();
}

TEST(Checkpoint, TheChecksumIsCrc32c) {
  // bit by bit from the polynomial, sharing nothing with the table
  const auto crc = [](const bytes &b, std::size_t n) {
    std::uint32_t c = 0xffffffff;
    for (std::size_t i = 0; i < 8 * n; i++) {
      const std::uint32_t bit = (b[i / 8] >> (i % 8)) & 1u;
      c = ((c ^ bit) & 1u) != 0 ? (c >> 1) ^ 0x82F63B78u : c >> 1;
    }
    return ~c;
  };
  ASSERT_EQ(crc({'1', '2', '3', '4', '5', '6', '7', '8', '9'}, 9), 0xE3069283u);
  world w;
  make(w);
  w.finish();
  run r(w.model, w.options);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  const bytes sealed = seal(r.sim);
  const std::size_t n = sealed.size() - 4;
  const std::uint32_t c = crc(sealed, n);
  for (std::size_t i = 0; i < 4; i++) EXPECT_EQ(sealed[n + i], (c >> (8 * i)) & 0xff);
}

TEST(Checkpoint, EveryBitAndEveryPairOfBitsIsFound) {
  world w;
  make_ball(w, 1, 9.81, 1, 0, 0.5);
  w.finish();
  run r(w.model, w.options);
  for (int k = 0; k < 50; k++) ASSERT_EQ(perp_simulation_step(r.sim, nullptr), PERP_OK);
  bytes sealed = seal(r.sim);
  std::vector<std::uint64_t> state(r.state_bytes / 8 + 1);
  const auto opens = [&] {
    return perp_simulation_unseal(&w.model, &w.options, sealed.data(), sealed.size(), 0,
                                  state.data(), 8 * state.size(), nullptr) == PERP_OK;
  };
  const auto flip = [&](std::size_t bit) {
    sealed[bit / 8] ^= static_cast<unsigned char>(1u << (bit % 8));
  };
  const std::size_t bits = 8 * sealed.size();
  std::size_t tried = 0, silent = 0;
  ASSERT_TRUE(opens());
  for (std::size_t i = 0; i < bits; i++) {
    flip(i);
    tried++;
    silent += opens();
    for (std::size_t j = i + 1; j < bits; j++) {
      flip(j);
      tried++;
      silent += opens();
      flip(j);
    }
    flip(i);
  }
  EXPECT_EQ(silent, 0u) << "of " << tried;
  RecordProperty("flips", std::to_string(tried));
  EXPECT_TRUE(opens());
}

TEST(Checkpoint, WhatIsShorterOrLongerIsRefused) {
  world w;
  make(w);
  w.finish();
  run r(w.model, w.options);
  const bytes sealed = seal(r.sim);
  for (std::size_t n = 0; n < sealed.size(); n++) {
    const bytes part(sealed.begin(), sealed.begin() + static_cast<std::ptrdiff_t>(n));
    EXPECT_NE(opened(w, part).field(), "") << n;
  }
  bytes more = sealed;
  more.push_back(0);
  EXPECT_EQ(opened(w, more).field(), "checkpoint.bytes");
  const auto *plain = reinterpret_cast<const unsigned char *>(r.state.data());
  EXPECT_EQ(opened(w, bytes(plain, plain + r.state_bytes)).field(), "checkpoint.magic");
}

TEST(Checkpoint, GoesOnWithTheBitsOfTheRun) {
  world w;
  make(w);
  w.finish();
  run whole(w.model, w.options), first(w.model, w.options);
  ASSERT_EQ(whole.status, PERP_OK) << whole.info.field;
  for (int k = 0; k < 400; k++) ASSERT_EQ(perp_simulation_step(whole.sim, nullptr), PERP_OK);
  for (int cut : {0, 1, 37, 200, 399}) {
    run part(w.model, w.options);
    for (int k = 0; k < cut; k++) ASSERT_EQ(perp_simulation_step(part.sim, nullptr), PERP_OK);
    for (std::size_t shift : {0u, 1u, 3u}) {  // any alignment
      bytes moved(shift);
      const bytes sealed = seal(part.sim);
      moved.insert(moved.end(), sealed.begin(), sealed.end());
      std::vector<std::uint64_t> state(whole.state_bytes / 8 + 1);
      ASSERT_EQ(perp_simulation_unseal(&w.model, &w.options, moved.data() + shift, sealed.size(), 0,
                                       state.data(), 8 * state.size(), nullptr),
                PERP_OK);
      run rest(w.model, w.options, 0, state.data());
      ASSERT_EQ(rest.status, PERP_OK) << rest.info.field;
      perp_status status = PERP_OK;
      while (status == PERP_OK) status = perp_simulation_step(rest.sim, nullptr);
      EXPECT_EQ(status, PERP_END);
      EXPECT_EQ(std::memcmp(rest.state.data(), whole.state.data(), whole.state_bytes), 0) << cut;
    }
  }
}

TEST(Checkpoint, EveryConstantCounts) {
  world w;
  make(w);
  w.finish();
  run r(w.model, w.options);
  for (int k = 0; k < 10; k++) ASSERT_EQ(perp_simulation_step(r.sim, nullptr), PERP_OK);
  const bytes sealed = seal(r.sim);
  std::vector<double *> constants;
  for (vec &v : w.numbers)
    for (double &x : v) constants.push_back(&x);
  for (perp_newton_impact &law : w.impacts) constants.push_back(&law.e);
  for (perp_friction &law : w.frictions)
    constants.insert(constants.end(), {&law.mu, &law.e_n, &law.e_t});
  ASSERT_GE(constants.size(), 20u);
  int accepted = 0;
  for (std::size_t i = 0; i < constants.size(); i++) {
    const double before = *constants[i];
    *constants[i] = std::nextafter(before, 10);
    const std::string field = opened(w, sealed).field();
    accepted += field == "";
    // an off-diagonal of C that is no longer symmetric and the like may be refused as such
    EXPECT_NE(field, "") << i << ": " << before;
    *constants[i] = before;
  }
  EXPECT_EQ(accepted, 0);
  EXPECT_EQ(opened(w, sealed).field(), "");
}

TEST(Checkpoint, EveryOptionCountsButStepsAndPointers) {
  world w;
  make(w);
  w.finish();
  run r(w.model, w.options);
  const bytes sealed = seal(r.sim);
  const perp_simulation_options plain = w.options;
  using change = std::function<void(perp_simulation_options &)>;
  const vec thetas(3, 0.75);
  perp_nsgs_options nsgs = perp_nsgs_options_default();
  perp_solver_options same = perp_solver_options_default();
  nsgs.tol = std::nextafter(nsgs.tol, 1);
  std::vector<const perp_integrator *> full = w.integrators;
  full[2] = perp_integrator_theta_gamma();
  const std::vector<std::pair<const char *, change>> refused = {
      {"theta", [](auto &o) { o.theta = 0.75; }},
      {"thetas", [&](auto &o) { o.thetas = thetas.data(); }},
      {"gamma", [](auto &o) { o.gamma = 0.75; }},
      {"min_gap", [](auto &o) { o.min_gap = -1e-4; }},
      {"integrators", [&](auto &o) { o.integrators = full.data(); }},
      {"solver", [](auto &o) { o.solver = perp_solver_friction_newton(); }},
      {"solver_options", [&](auto &o) { o.solver_options = &nsgs; }},
      {"on_failure", [](auto &o) { o.on_failure = PERP_FAILURE_ACCEPT; }},
      {"max_halvings", [](auto &o) { o.max_halvings = 3; }},
      {"newton_stop", [](auto &o) { o.newton_stop = PERP_NEWTON_DYNAMICS; }},
      {"newton_start", [](auto &o) { o.newton_start = PERP_NEWTON_FROM_POSITION; }},
      {"newton_max", [](auto &o) { o.newton_max = 51; }},
      {"newton_halvings", [](auto &o) { o.newton_halvings = 7; }},
      {"newton_tol", [](auto &o) { o.newton_tol = 1e-11; }},
      {"reaction_gamma", [](auto &o) { o.reaction_gamma = 0.5; }},
      {"projection_max", [](auto &o) { o.projection_max = 21; }},
      {"projection_tol", [](auto &o) { o.projection_tol = 1e-9; }},
      {"projection_tol_unilateral", [](auto &o) { o.projection_tol_unilateral = 1e-9; }},
      {"gap_tol", [](auto &o) { o.gap_tol = 1e-9; }},
      {"equality_tol", [](auto &o) { o.equality_tol = 1e-4; }},
      {"accept_tol", [](auto &o) { o.accept_tol = 1e-3; }},
      {"switchable", [](auto &o) { o.switchable = 1; }},
      {"backend", [](auto &o) { o.backend = perp_backend_lapack(); }}};
  for (const auto &[name, f] : refused) {
    w.options = plain;
    f(w.options);
    const std::string field = opened(w, sealed).field();
    if (std::string(name) == "reaction_gamma" && field == name) continue;  // not of these schemes
    EXPECT_EQ(field, "checkpoint.model") << name;
  }
  const std::vector<std::pair<const char *, change>> taken = {
      {"steps", [](auto &o) { o.steps = 77; }},
      {"no end", [](auto &o) { o.steps = 0; }},
      {"defaults of the solver", [&](auto &o) { o.solver_options = &same; }}};
  for (const auto &[name, f] : taken) {
    w.options = plain;
    f(w.options);
    EXPECT_EQ(opened(w, sealed).field(), "") << name;
  }
}

TEST(Checkpoint, OptionsOfASolverThatAreNoNumbersCount) {
  auto sweeps = perp_pgs_options_default();
  auto sweep = perp_nsgs_options_default();
  auto interior = perp_interior_point_options_default(), named = interior;
  auto newton = perp_friction_newton_options_default();
  auto admm = perp_admm_options_default();
  sweeps.symmetric = 1 - sweeps.symmetric;
  sweep.colours = 1;
  interior.sparse = newton.sparse = perp_sparse_klu();
  admm.sparse = perp_sparse_ldl();
  perp_sparse other = *perp_sparse_klu();
  other.name = "other";
  named.sparse = &other;
  const struct {
    const perp_solver *solver;
    const void *before, *after;
  } changes[] = {{perp_solver_pgs(), nullptr, &sweeps},
                 {perp_solver_nsgs(), nullptr, &sweep},
                 {perp_solver_interior_point(), nullptr, &interior},
                 {perp_solver_interior_point(), &interior, &named},
                 {perp_solver_friction_newton(), nullptr, &newton},
                 {perp_solver_admm(), nullptr, &admm}};
  for (const auto &c : changes) {
    world w;
    make_ball(w, 1, 9.81, 1, 0, 0.5);
    w.options.solver = c.solver;
    w.options.solver_options = c.before;
    w.finish();
    run r(w.model, w.options);
    ASSERT_EQ(r.status, PERP_OK) << c.solver->name << ": " << r.info.field;
    const bytes sealed = seal(r.sim);
    EXPECT_EQ(opened(w, sealed).field(), "");
    w.options.solver_options = c.after;
    EXPECT_EQ(opened(w, sealed).field(), "checkpoint.model") << c.solver->name;
  }
}

TEST(Checkpoint, AnotherGridNeedsTheFlagAndIsEnteredInTime) {
  world w;
  make_ball(w, 1, 9.81, 1, 0, 0.5);
  w.finish();
  run r(w.model, w.options);
  for (int k = 0; k < 500; k++) ASSERT_EQ(perp_simulation_step(r.sim, nullptr), PERP_OK);
  const bytes sealed = seal(r.sim);
  const double t = perp_simulation_time(r.sim), plain = w.options.h;
  for (double h : {plain / 8, plain * 3, plain * 64, 1e3}) {
    w.options.h = h;
    EXPECT_EQ(opened(w, sealed).field(), "checkpoint.grid");
    const opened o(w, sealed, PERP_OTHER_GRID);
    ASSERT_EQ(o.field(), "");
    run next(w.model, w.options, 0, o.state.data());
    ASSERT_EQ(next.status, PERP_OK) << next.info.field;
    ASSERT_EQ(perp_simulation_time(next.sim), t);
    ASSERT_EQ(perp_simulation_step(next.sim, nullptr), PERP_OK);
    EXPECT_GT(perp_simulation_time(next.sim), t);
    EXPECT_LE(perp_simulation_time(next.sim), t + h * (1 + 1e-12)) << "no step beyond h";
    const double k = perp_simulation_time(next.sim) / h;
    EXPECT_NEAR(k, std::round(k), 1e-9) << "a point of the new grid";
  }
  w.options.h = plain;
  w.options.t0 = -1;
  EXPECT_EQ(opened(w, sealed).field(), "checkpoint.grid");
  EXPECT_EQ(opened(w, sealed, PERP_OTHER_GRID).field(), "");
  w.options.t0 = t + 1;
  EXPECT_EQ(opened(w, sealed, PERP_OTHER_GRID).field(), "checkpoint.grid") << "before its begin";
  w.options.t0 = 0;
  EXPECT_EQ(opened(w, sealed, 2).field(), "accept");
  EXPECT_EQ(opened(w, sealed).field(), "");
}

TEST(Checkpoint, AGivenGridMayBeContinuedNotChanged) {
  world w;
  make_ball(w, 1, 9.81, 1, 0, 0.5);
  vec grid = {0, 0.01, 0.03, 0.04, 0.08};
  w.options.grid = grid.data();
  w.options.steps = 4;
  w.finish();
  run r(w.model, w.options);
  for (int k = 0; k < 2; k++) ASSERT_EQ(perp_simulation_step(r.sim, nullptr), PERP_OK);
  const bytes sealed = seal(r.sim);
  vec longer = {0, 0.01, 0.03, 0.05, 0.08, 0.2}, other = {0, 0.02, 0.03, 0.04, 0.08};
  w.options.grid = longer.data();
  w.options.steps = 5;
  EXPECT_EQ(opened(w, sealed).field(), "");
  w.options.grid = other.data();
  w.options.steps = 4;
  EXPECT_EQ(opened(w, sealed).field(), "checkpoint.grid");
  w.options.grid = grid.data();
  w.options.steps = 1;
  EXPECT_EQ(opened(w, sealed).field(), "checkpoint.grid") << "ended before";
}

TEST(Checkpoint, ArgumentsThatAreNone) {
  world w;
  make(w);
  w.finish();
  run r(w.model, w.options);
  bytes sealed = seal(r.sim);
  std::vector<std::uint64_t> state(r.state_bytes / 8 + 1);
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(perp_simulation_checkpoint_size(nullptr), 0u);
  EXPECT_EQ(perp_simulation_checkpoint(nullptr, sealed.data(), sealed.size(), &info), PERP_EINVAL);
  EXPECT_EQ(perp_simulation_checkpoint(r.sim, nullptr, sealed.size(), &info), PERP_EINVAL);
  const bytes before = sealed;
  EXPECT_EQ(perp_simulation_checkpoint(r.sim, sealed.data(), sealed.size() - 1, &info),
            PERP_EWORKSPACE);
  EXPECT_EQ(sealed, before);
  const auto open = [&](const void *from, std::size_t n, void *to, std::size_t room) {
    return perp_simulation_unseal(&w.model, &w.options, from, n, 0, to, room, &info);
  };
  EXPECT_EQ(open(nullptr, sealed.size(), state.data(), r.state_bytes), PERP_EINVAL);
  EXPECT_EQ(open(sealed.data(), sealed.size(), nullptr, r.state_bytes), PERP_EINVAL);
  EXPECT_EQ(open(sealed.data(), sealed.size(), state.data(), r.state_bytes - 1), PERP_EWORKSPACE);
  EXPECT_EQ(open(sealed.data(), sealed.size(), sealed.data() + 8, r.state_bytes), PERP_EINVAL);
  EXPECT_STREQ(info.field, "state overlaps sealed");
  EXPECT_EQ(perp_simulation_unseal(nullptr, &w.options, sealed.data(), sealed.size(), 0,
                                   state.data(), r.state_bytes, &info),
            PERP_EINVAL);
  EXPECT_EQ(perp_simulation_unseal(&w.model, nullptr, sealed.data(), sealed.size(), 0, state.data(),
                                   r.state_bytes, &info),
            PERP_EINVAL);
}

TEST(Checkpoint, NotWithinAStep) {
  world w;
  make_ball(w, 1, 9.81, 1, 0, 0.5);
  struct within {
    perp_simulation *sim = nullptr;
    perp_status status = PERP_OK;
  } at;
  w.bodies[0].force = [](double, double *f, void *user) -> std::int32_t {
    auto *a = static_cast<within *>(user);
    f[0] = 0;
    unsigned char room[4096];
    if (a->sim != nullptr)
      a->status = perp_simulation_checkpoint(a->sim, room, sizeof room, nullptr);
    return 0;
  };
  w.bodies[0].user = &at;
  w.finish();
  run r(w.model, w.options);
  at.sim = r.sim;
  ASSERT_EQ(perp_simulation_step(r.sim, nullptr), PERP_OK);
  EXPECT_EQ(at.status, PERP_EINVAL);
}

// ---- the façade ----

perp::model falling(double e, double mass = 2, double radius = 0.1) {
  perp::model m;
  const auto b = m.add(perp::body(mass, {1, 2, 3}, {0, 0, -9.81 * mass}),
                       std::vector<double>{0, 0, 1, 1, 0, 0, 0});
  m.connect(perp::body_contact(perp::sphere_plane{radius, {0, 0, 1}, 0}), perp::friction_3d(0.5, e),
            b);
  return m;
}

TEST(Checkpoint, OfTheFacade) {
  perp::simulation_options o;
  o.h = 1e-3;
  perp::simulation a(falling(0.5), o), b(falling(0.5), o);
  for (int k = 0; k < 600; k++) ASSERT_EQ(a.step(), PERP_OK);
  std::vector<std::byte> sealed = a.sealed_checkpoint();
  b.restore_sealed(sealed);
  for (int k = 0; k < 600; k++) {
    ASSERT_EQ(a.step(), PERP_OK);
    ASSERT_EQ(b.step(), PERP_OK);
  }
  EXPECT_EQ(a.checkpoint(), b.checkpoint());
  const auto refused = [&](const perp::model &m, const perp::simulation_options &with) {
    perp::simulation s(m, with);
    const perp::checkpoint before = s.checkpoint();
    const std::string field = field_of([&] { s.restore_sealed(sealed); });
    EXPECT_TRUE(field.empty() || before == s.checkpoint()) << "all stays as it was";
    return field;
  };
  EXPECT_EQ(refused(falling(0.5), o), "");
  EXPECT_EQ(refused(falling(0.6), o), "checkpoint.model");
  EXPECT_EQ(refused(falling(0.5, 3), o), "checkpoint.model");
  EXPECT_EQ(refused(falling(0.5, 2, 0.2), o), "checkpoint.model") << "geometry of the library";
  perp::simulation_options half = o;
  half.h = o.h / 2;
  EXPECT_EQ(refused(falling(0.5), half), "checkpoint.grid");
  perp::simulation c(falling(0.5), half);
  c.restore_sealed(sealed, true);
  EXPECT_EQ(c.time(), 0.6);
  ASSERT_EQ(c.step(), PERP_OK);
  EXPECT_NEAR(c.time(), 0.6 + half.h, 1e-12);
  sealed[sealed.size() / 2] ^= std::byte{1};
  EXPECT_EQ(refused(falling(0.5), o), "checkpoint.checksum");
  perp::simulation moved = std::move(a);
  EXPECT_THROW(a.restore_sealed(sealed), perp::error);
  EXPECT_THROW((void)a.sealed_checkpoint(), perp::error);
}

// The doubles that a struct itself holds, from one on.
void doubles(std::vector<double *> &to, const double *first, std::size_t n) {
  for (std::size_t i = 0; i < n; i++) to.push_back(const_cast<double *>(first + i));
}

TEST(Checkpoint, NumbersWithinDescriptionsCount) {
  std::map<std::string, std::size_t> told;
  for (std::uint64_t seed = 0; seed < 200; seed++) {
    random_model m(seed);
    run r(m.model, m.options);
    if (r.status != PERP_OK) continue;
    const bytes sealed = seal(r.sim);
    const auto opens = [&] {
      vec state(r.state_bytes / 8 + 1);
      return perp_simulation_unseal(&m.model, &m.options, sealed.data(), sealed.size(), 0,
                                    state.data(), 8 * state.size(), nullptr) == PERP_OK;
    };
    ASSERT_TRUE(opens()) << seed;
    const auto expect_told = [&](const char *kind, const double *first, std::size_t n) {
      std::vector<double *> numbers;
      doubles(numbers, first, n);
      for (std::size_t i = 0; i < n; i++) {
        const double before = *numbers[i];
        *numbers[i] = std::nextafter(before, 10);
        EXPECT_FALSE(opens()) << seed << " " << kind << " " << i;
        *numbers[i] = before;
        told[kind]++;
      }
    };
    for (const perp_system *s : m.system_list)
      for (const perp_body &b : m.rigid)
        if (&b.system == s) expect_told("body", &b.mass, 13);
    for (const perp_interaction *i : m.interaction_list) {
      const auto numbers = reinterpret_cast<const double *>(i->law + 1);
      const std::string law = i->law->ops->name;
      for (const char *kind : {"newton_impact", "friction", "rolling", "compliant", "cohesive"})
        if (law == kind)
          expect_told(kind, numbers, (i->law->struct_size - sizeof *i->law) / sizeof(double));
      for (const perp_joint &j : m.joints)
        if (&j.relation == i->relation) expect_told("joint", j.point_a, 25);
      for (const perp_body_contact &c : m.touches)
        if (&c.relation == i->relation)
          expect_told("contact", static_cast<const double *>(c.user), 2);
    }
  }
  EXPECT_GE(told.size(), 8u);
}

TEST(Checkpoint, EveryNumberOfAGraphCounts) {
  vec y = {-1, -0.5, 0.5, 1}, lambda = {2, 1, -1, -1.5};
  perp_piecewise_linear graph = PERP_PIECEWISE_LINEAR_INIT;
  graph.points = 4, graph.y = y.data(), graph.lambda = lambda.data();
  graph.slope_before = 1, graph.slope_after = 2;
  bytes sealed;
  const auto open = [&] {
    world w;
    w.add(w.circuit(1).system);
    w.circuits[0].A = perp_diagonal(1, w.keep({-1}));
    perp_linear_relation &port = w.port(1, 1, {1});
    port.B = w.keep({1});
    bytes memory(perp_piecewise_relation_memory(&port.relation, &graph));
    perp_piecewise_relation pieces;
    EXPECT_EQ(perp_piecewise_relation_init(&pieces, sizeof pieces, &port.relation, &graph,
                                           memory.data(), memory.size(), nullptr),
              PERP_OK);
    w.join(pieces.relation, &pieces.pieces.box.law, {0});
    w.x0 = {2};
    w.options.integrator = perp_integrator_theta();
    w.options.solver = perp_solver_auto();
    w.finish();
    if (sealed.empty()) sealed = seal(run(w.model, w.options).sim);
    return opened(w, sealed).field();
  };
  EXPECT_EQ(open(), "");
  for (double *x : {&y[0], &y[1], &y[2], &y[3], &lambda[0], &lambda[1], &lambda[2], &lambda[3],
                    &graph.slope_before, &graph.slope_after}) {
    const double before = *x;
    *x += 0.0625;
    EXPECT_EQ(open(), "checkpoint.model") << before;
    *x = before;
  }
}

}  // namespace
