// SPDX-License-Identifier: MIT
// What steps and events refuse, and how a run ends, by whole sentences: a part of test_sentences.
#include <perp/experimental.h>
#include <perp/perp.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <vector>

#include "event_tools.hpp"
#include "sentences.hpp"

using tools::vec;
using tools::World;

namespace sentences {
namespace {

/** Does nothing, gives up, asks for a smaller step. */
std::int32_t silent(double, const double *, const double *, const double *, double *, void *) {
  return 0;
}
std::int32_t gives_up(double, const double *, const double *, const double *, double *, void *) {
  return -3;
}
std::int32_t shorter(double, const double *, const double *, const double *, double *, void *) {
  return 3;
}
std::int32_t height(double, const double *q, const double *, const double *, double *y, void *) {
  return y[0] = q[0], 0;
}
std::int32_t one(double, const double *, const double *, const double *, double *H, void *) {
  return H[0] = 1, 0;
}

/** A World in steps of 0.01, and what the first call says that does not end well. */
struct stepped : World {
  perp_simulation_options o = perp_simulation_options_default();
  perp_contact_pool pool = PERP_CONTACT_POOL_INIT;
  bool pooled = false;
  perp_status status = PERP_OK;
  std::string ending;
  stepped() {
    o.h = 0.01;
    o.integrator = perp_integrator_moreau_jean();
    o.solver = perp_solver_auto();
  }
  /** The first of some calls that does not end well. */
  std::string said(int steps = 5, int (*act)(perp_simulation *) = nullptr) {
    perp_info info = PERP_INFO_INIT;
    perp_simulation *sim = nullptr;
    perp_model m = *model();
    if (pooled) m.pool = &pool;
    status = perp_simulation_create(&sim, &m, &o, &info);
    if (act != nullptr && status == PERP_OK) act(sim);
    for (int k = 0; k < steps && status == PERP_OK; k++) status = perp_simulation_step(sim, &info);
    const std::string text = told(status, info);
    char words[512];
    (void)perp_simulation_ending(sim, status, &info, 0, words, sizeof words);
    ending = words;
    perp_simulation_destroy(sim);
    return text;
  }
};

/** A mass above a floor, h = q. */
struct guarded : stepped {
  perp_lagrangian_relation r;
  perp_lagrangian mass;
  double m = 1;
  guarded() {
    perp_lagrangian_init(&mass, sizeof mass, 1);
    mass.M = perp_diagonal(1, &m);
    mass.f = keep({-10});
    add(&mass.system, {1}, {0});
    perp_lagrangian_scleronomous_init(&r, sizeof r, 1, 1);
    r.h = height;
    r.H = one;
    connect(&r.relation, newton(0.5));
  }
};

/** A capacitor with a source behind a relation that varies. */
struct circuit : stepped {
  perp_first_order_relation r;
  perp_linear_varying_relation varying;
  explicit circuit(bool by_time = false) {
    o.integrator = perp_integrator_theta();
    state({1}, {-1});
    perp_first_order_type1_init(&r, sizeof r, 1, 1);
    r.h = [](double, const double *x, const double *, const double *, double *y, void *) {
      return y[0] = x[0], std::int32_t{0};
    };
    r.g = [](double, const double *, const double *l, const double *, double *out, void *) {
      return out[0] = l[0], std::int32_t{0};
    };
    perp_linear_varying_relation_init(&varying, sizeof varying, 1, 1);
    varying.linear.C = varying.linear.B = keep({1});
    connect(by_time ? &varying.linear.relation : &r.relation, diode());
  }
};

std::int32_t not_yet(double, double *out, void *) { return out[0] = nan, 0; }

TEST(SentencesOfRuns, Models) {
  {
    stepped w;
    w.o.integrator = perp_integrator_theta();
    const double A[4] = {1, 0, 0, 1};
    w.state({1}, {}).A = perp_dense(2, 2, A);
    EXPECT_EQ(w.said(),
              "A of system 0 = 2: must have as many rows and columns as the system has "
              "degrees of freedom");
  }
  {
    stepped w;
    w.o.integrator = perp_integrator_theta();
    w.state({1}, {}).A.kind = 9;
    EXPECT_EQ(w.said(), "A of system 0 is of a kind that the system does not take");
  }
  {
    stepped w;
    w.o.integrator = perp_integrator_theta();
    w.state({nan}, {});
    EXPECT_EQ(w.said(), "x0[0] = nan: must be finite");
  }
  {
    stepped w;
    w.o.integrator = perp_integrator_theta();
    w.state({1}, {});
    w.connect(w.output(1, 1, {nan}, {1}, {1}), w.diode());
    EXPECT_EQ(w.said(), "C of interaction 0 = nan: must be finite");
  }
  {
    stepped w;
    perp_lagrangian_linear mass;
    const double m = 1;
    perp_lagrangian_linear_constant_init(&mass, sizeof mass, 1);
    mass.M = perp_diagonal(1, &m);
    mass.control.n_u = 1;
    w.add(&mass.system, {1}, {0});
    EXPECT_EQ(w.said(),
              "control.n_u of system 0 is for perp_lagrangian_linear_init(), not for its "
              "..._constant_init()");
  }
  {
    stepped w;
    w.mass({1}, {0}, {1}, {0});
    w.connect(w.gap({1e200}, {0}), w.newton(0));
    EXPECT_EQ(w.said(),
              "H W^-1 B of interaction 0: not finite with h = 0.01, as a mass is too small beside "
              "h and H");
  }
  {
    stepped w;
    w.mass({1}, {0}, {1}, {0});
    perp_prescribed_velocity motor;
    perp_prescribed_velocity_init(&motor, sizeof motor, 1, 1);
    const std::int32_t first = 0;
    const perp_harmonic part = {nan, 1, 0};
    motor.index = &first;
    motor.n_harmonics = 1;
    motor.harmonics = &part;
    w.connect(&motor.relation, w.equality());
    EXPECT_EQ(w.said(), "harmonics of interaction 0 = nan: must be finite");
  }
  for (int spoilt = 0; spoilt < 3; spoilt++) {
    stepped w;
    perp_body body;
    perp_body_init(&body, sizeof body);
    body.mass = body.inertia[0] = body.inertia[4] = body.inertia[8] = 1;
    w.add(&body.system, {0, 0, 1, 1, 0, 0, 0}, vec(6, 0.0));
    perp_body_contact r;
    perp_body_contact_init(&r, sizeof r, 1, 1);
    perp_sphere_plane ball{};
    ball.radius = spoilt == 1 ? nan : 0.5;
    ball.normal[2] = spoilt == 2 ? 2 : 1;
    r.locate = perp_locate_sphere_plane;
    r.user = spoilt == 0 ? nullptr : &ball;
    w.connect(&r.relation, w.newton(0));
    EXPECT_EQ(w.said(), spoilt == 0   ? "user of interaction 0 is missing"
                        : spoilt == 1 ? "user of interaction 0 = nan: must be finite"
                                      : "normal of interaction 0 = 2: must have length 1");
  }
  {
    stepped w;
    w.mass({1}, {0}, {1}, {0});
    perp_lagrangian_linear_relation r;
    perp_lagrangian_linear_relation_init(&r, sizeof r, 1, 1);
    r.H = w.keep({1});
    perp_relation_ops ops = *r.relation.ops;
    ops.terms = nullptr;
    ops.evaluate = nullptr;
    r.relation.ops = &ops;
    w.connect(&r.relation, w.newton(0));
    EXPECT_EQ(w.said(), "relation.ops of interaction 0 lacks functions that its kind needs");
  }
  {
    guarded w;
    perp_system_ops ops = *w.mass.system.ops;
    ops.force = nullptr;
    w.mass.system.ops = &ops;
    EXPECT_EQ(w.said(), "ops of system 0 lacks functions that its kind needs");
  }
}

TEST(SentencesOfRuns, WhatAnIntegratorDoesNotTake) {
  {
    guarded w;
    w.o.integrator = perp_integrator_moreau_jean_constant();
    w.mass.internal = silent;
    EXPECT_EQ(w.said(), "system 0 varies: take the integrator without _constant");
  }
  {
    stepped w;
    w.o.integrator = perp_integrator_moreau_jean_constant();
    w.mass({1}, {0}, {1}, {0});
    perp_lagrangian_relation r;
    perp_lagrangian_scleronomous_init(&r, sizeof r, 1, 1);
    r.h = height;
    w.connect(&r.relation, w.newton(0));
    EXPECT_EQ(w.said(), "relation of interaction 0 varies: take the integrator without _constant");
  }
  {
    perp_integrator lean = *perp_integrator_schatzman_paoli();
    lean.stages = nullptr;
    stepped w;
    w.mass({1}, {0}, {1}, {0});
    w.o.integrator = &lean;
    EXPECT_EQ(w.said(),
              "integrator.stages of system 0 lack what the scheme needs: take the integrator as it "
              "is handed out");
  }
  {
    stepped w;
    w.o.integrator = perp_integrator_schatzman_paoli();
    w.mass({1}, {0}, {1}, {0});
    perp_lagrangian_linear_relation soft;
    perp_lagrangian_linear_relation_init(&soft, sizeof soft, 1, 1);
    soft.H = soft.D = w.keep({1});
    w.connect(&soft.relation, w.newton(0));
    EXPECT_EQ(w.said(),
              "relation of interaction 0 has a D, which event-driven integration at order 2 and "
              "schemes on positions do not take");
    w.o.integrator = perp_integrator_moreau_jean();
    w.o.formulation = PERP_FORMULATION_GLOBAL;
    w.o.global = perp_global_step();
    EXPECT_EQ(w.said(),
              "interaction 0 is not constant, of order 2 and without D and compliance, as the "
              "global form needs");
  }
  {
    stepped w;
    w.o.integrator = perp_integrator_schatzman_paoli();
    w.mass({1}, {0}, {1}, {0});
    perp_lagrangian_velocity_relation skate;
    perp_lagrangian_velocity_relation_init(&skate, sizeof skate, 1, 1);
    skate.g = silent;
    w.connect(&skate.relation, w.equality());
    EXPECT_EQ(w.said(),
              "relation of interaction 0 is one of velocities: schemes on positions need a gap");
  }
  {
    stepped w;
    w.o.integrator = perp_integrator_schatzman_paoli();
    perp_body body;
    perp_body_init(&body, sizeof body);
    body.mass = body.inertia[0] = body.inertia[4] = body.inertia[8] = 1;
    w.add(&body.system, {0, 0, 1, 1, 0, 0, 0}, vec(6, 0.0));
    perp_body_contact r;
    perp_body_contact_init(&r, sizeof r, 1, 1);
    perp_sphere_plane ball{};
    ball.radius = 0.5, ball.normal[2] = 1;
    r.locate = perp_locate_sphere_plane;
    r.user = &ball;
    w.connect(&r.relation, w.newton(0));
    EXPECT_EQ(w.said(), "body 0 turns, which schemes on positions cannot: take moreau-jean");
  }
  {
    stepped w;
    w.o.formulation = PERP_FORMULATION_GLOBAL;
    w.o.global = perp_global_step();
    w.mass({1}, {0}, {0}, {-1});
    perp_polyhedron law;
    perp_polyhedron_init(&law, sizeof law);
    law.H = perp_dense(1, 1, w.keep({1}));
    law.K = w.keep({0});
    w.connect(w.gap({1}, {0}), &law.law);
    EXPECT_EQ(w.said(), "laws[0] is of a polyhedron, which admm does not take: take auto");
  }
  {
    stepped w;
    perp_solver few = *perp_solver_lemke();
    few.max_n = 1;
    w.o.solver = &few;
    w.mass({1}, {0}, {1}, {0});
    w.connect(w.gap({1, 1}, {0, 0}), w.newton(0));
    EXPECT_EQ(w.said(),
              "solver: it has no size for 2 unknowns: take auto, or fewer contacts at a time "
              "(solver lemke)");
  }
}

TEST(SentencesOfRuns, LawsThatDoNotSuit) {
  {
    stepped w;
    w.o.integrator = perp_integrator_theta();
    w.state({1}, {});
    perp_user_impact law;
    perp_user_impact_init(&law, sizeof law, 2);
    law.restitute = [](std::int32_t, const perp_law_step *, double *, void *) {
      return std::int32_t{0};
    };
    w.connect(w.output(2, 1, {1, 1}, {}, {1, 1}), &law.friction.law);
    EXPECT_EQ(w.said(),
              "law of interaction 0 is one of impulses, which order 1 does not know: take "
              "complementarity, a box, an equality");
  }
  {
    stepped w;
    w.o.integrator = perp_integrator_schatzman_paoli();
    w.mass({1}, {0}, {1}, {0});
    w.connect(w.gap({1, 0}, {0, 0}), w.friction(2, 0.5));
    EXPECT_EQ(w.said(),
              "law of interaction 0 is not for positions: schemes on positions take newton-impact, "
              "boxes and equalities");
  }
  {
    stepped w;
    perp_body body;
    perp_body_init(&body, sizeof body);
    body.mass = body.inertia[0] = body.inertia[4] = body.inertia[8] = 1;
    w.add(&body.system, {0, 0, 1, 1, 0, 0, 0}, vec(6, 0.0));
    perp_joint hinge;
    perp_joint_init(&hinge, sizeof hinge, PERP_JOINT_PIVOT, 1);
    w.connect(&hinge.relation, w.newton(0));
    EXPECT_EQ(
        w.said(),
        "law of interaction 0 lets go or slips, which a joint does not: take an equality or a box");
  }
}

TEST(SentencesOfRuns, SizesThatAreTooLarge) {
  for (int spoilt = 0; spoilt < 3; spoilt++) {
    stepped w;
    w.mass({1}, {0}, {1}, {0});
    perp_lagrangian_linear_relation r;
    perp_lagrangian_linear_relation_init(&r, sizeof r, 1, 1);
    r.H = w.keep({1});
    r.relation.m = spoilt == 0 ? 46341 : 2;
    r.relation.n = spoilt == 1 ? 1 << 30 : 1;
    r.n_z = spoilt == 2 ? 1 << 30 : 0;
    w.connect(&r.relation, w.equality());
    EXPECT_EQ(w.said(), spoilt == 0 ? "relation.m of interaction 0 = 46341: must be at most 46340: "
                                      "a matrix of m x m has fewer than 2^31 entries"
                        : spoilt == 1 ? "relation.n of interaction 0 = 1.07374182e9: must be "
                                        "fewer: a matrix of m x n has fewer than 2^31 entries"
                                      : "n_z of interaction 0 = 1.07374182e9: must be fewer: a "
                                        "matrix of m x n_z has fewer than 2^31 entries");
  }
  {
    stepped w;
    w.mass({1}, {0}, {1}, {0});
    const perp_relation *const floor = w.gap({1}, {0});
    const perp_law *const law = w.newton(0);
    for (int k = 0; k < 46341; k++) w.connect(floor, law);
    EXPECT_EQ(w.said(),
              "n_interactions are too many: the one-step matrix would take 3.43598125e10 bytes");
  }
}

// ------------------------------------------------------------------- callbacks in steps ----

TEST(SentencesOfRuns, CallbacksInSteps) {
  {
    guarded w;
    w.mass.M = perp_matrix{};
    w.mass.mass = gives_up;
    EXPECT_EQ(w.said(), "mass of system 0 = -3: the function gave up");
    w.mass.mass = shorter;
    EXPECT_EQ(w.said(), "mass of system 0 = 3: a callback asked for a smaller step");
  }
  {
    guarded w;
    w.r.h = gives_up;
    EXPECT_EQ(w.said(), "relation of interaction 0 = -3: the function gave up");
    w.r.h = shorter;
    EXPECT_EQ(w.said(), "relation of interaction 0 = 3: a callback asked for a smaller step");
  }
  for (const std::int32_t answer : {-3, 3}) {
    stepped w;
    w.mass({1}, {0}, {0}, {-1});
    static std::int32_t code;
    code = answer;
    perp_newton_impact law;
    perp_newton_impact_init(&law, sizeof law);
    perp_law_ops ops = *law.law.ops;
    ops.restitute = nullptr;
    ops.restitute_step = [](const perp_law *, const void *, const perp_law_step *, double *) {
      return code;
    };
    law.law.ops = &ops;
    w.connect(w.gap({1}, {0}), &law.law);
    EXPECT_EQ(w.said(), answer < 0 ? "law of interaction 0 = -3: the function gave up"
                                   : "law of interaction 0 = 3: a callback asked for a smaller "
                                     "step");
  }
  {
    stepped w;
    perp_body body;
    perp_body_init(&body, sizeof body);
    body.mass = body.inertia[0] = body.inertia[4] = body.inertia[8] = 1;
    w.add(&body.system, {0, 0, 1, 1, 0, 0, 0}, vec(6, 0.0));
    perp_friction rubs;
    perp_friction_init(&rubs, sizeof rubs);
    rubs.law.size = 3;
    const perp_law *const laws[1] = {&rubs.law};
    w.pool.capacity = 1;
    w.pool.laws = laws;
    w.pool.n_laws = 1;
    w.pool.find = [](double, const perp_simulation *, perp_pool_writer *, void *) {
      return std::int32_t{3};
    };
    w.pooled = true;
    EXPECT_EQ(w.said(), "pool.find = 3: a callback asked for a smaller step");
  }
  {
    circuit w(true);
    w.varying.C = not_yet;
    EXPECT_EQ(w.said(), "C of interaction 0 = nan: must be finite");
  }
  {
    guarded w;
    static const auto large = [](double, const double *, const double *, const double *,
                                 double *out, void *) { return out[0] = 1e308, std::int32_t{0}; };
    w.mass.internal = w.mass.gyroscopic = silent;
    w.mass.internal_dq = gives_up;
    EXPECT_EQ(w.said(), "jacobians of system 0 = -3: the function gave up");
    w.mass.internal_dq = shorter;
    EXPECT_EQ(w.said(), "jacobians of system 0 = 3: a callback asked for a smaller step");
    w.mass.internal_dq = w.mass.gyroscopic_dq = large;
    EXPECT_EQ(w.said(), "jacobians of system 0 = -inf: must be finite");
  }
  {
    stepped w;
    w.mass({1}, {1e308}, {1}, {0});
    w.o.h = 1000;
    EXPECT_EQ(w.said(), "v[0] = inf: must be finite");
  }
}

TEST(SentencesOfRuns, Projections) {
  for (const double far : {1.0, 1e305}) {
    stepped w;
    static double away;
    away = far;
    w.mass({1}, {0}, {1}, {0});
    perp_lagrangian_relation r;
    perp_lagrangian_scleronomous_init(&r, sizeof r, 1, 1);
    r.h = [](double, const double *, const double *, const double *, double *y, void *) {
      return y[0] = away, std::int32_t{0};
    };
    r.H = one;
    w.o.projection = PERP_PROJECT_POSITIONS;
    w.o.projection_max = 3;
    w.connect(&r.relation, w.equality());
    EXPECT_EQ(w.said(), far == 1
                            ? "projection did not come within projection_tol in projection_max "
                              "passes"
                            : "projection = inf: must be finite");
    EXPECT_EQ(w.ending,
              far == 1 ? "not solved: iteration limit in step 1 at t = 0, projection did not come "
                         "within projection_tol in projection_max passes; try on_failure = retry"
                       : "failed in step 1 at t = 0: projection = inf: must be finite");
  }
}

// ---------------------------------------------------------------- blocks and misuse ----

/** A block of state, spoilt in one place. */
template <class T>
std::string restored(stepped &w, std::size_t place, T value) {
  perp_model m = *w.model();
  if (w.pooled) m.pool = &w.pool;
  perp_simulation *sim = nullptr;
  EXPECT_EQ(perp_simulation_create(&sim, &m, &w.o, nullptr), PERP_OK);
  const std::size_t bytes = perp_simulation_state_size(&m, &w.o);
  const std::size_t sealed_bytes = perp_simulation_checkpoint_size(sim);
  std::vector<unsigned char> sealed(sealed_bytes);
  std::vector<std::uint64_t> block(bytes / 8 + 1);
  EXPECT_EQ(perp_simulation_checkpoint(sim, sealed.data(), sealed_bytes, nullptr), PERP_OK);
  EXPECT_EQ(perp_simulation_unseal(&m, &w.o, sealed.data(), sealed_bytes, 0, block.data(), bytes,
                                   nullptr),
            PERP_OK);
  perp_simulation_destroy(sim);
  auto *const state = reinterpret_cast<unsigned char *>(block.data());
  if (place >= bytes) place += bytes; /* from the end */
  std::memcpy(state + place, &value, sizeof value);
  const std::string text = said(
      [&](perp_info *info) { return perp_simulation_restore(&sim, &m, &w.o, state, bytes, info); });
  perp_simulation_destroy(sim);
  return text;
}

TEST(SentencesOfRuns, Blocks) {
  stepped w;
  w.mass({1}, {0}, {1}, {0});
  EXPECT_EQ(restored(w, 0, 7), "state.magic = 7: must be that of a state: these bytes are none");
  EXPECT_EQ(restored(w, 4, 7), "state.version = 7: must be that of this library");
  EXPECT_EQ(restored(w, 8, 7), "state.fingerprint is that of another model");
  EXPECT_EQ(restored(w, 32, -1.0), "state.h = -1: must be > 0: the state is damaged");
  EXPECT_EQ(restored(w, 40, -1.0),
            "state.step = -1: must lie on the grid: the state is damaged, or of another grid");
  const std::size_t bytes = perp_simulation_state_size(w.model(), &w.o),
                    work = perp_simulation_work_size(w.model(), &w.o);
  std::vector<std::uint64_t> block((bytes + work) / 8 + 2);
  auto *const at = reinterpret_cast<unsigned char *>(block.data());
  perp_simulation *sim = nullptr;
  const auto init = [&](void *state, std::size_t n, void *scratch, std::size_t m) {
    return said([&](perp_info *info) {
      return perp_simulation_init(&sim, w.model(), &w.o, state, n, scratch, m, info);
    });
  };
  EXPECT_EQ(init(at, bytes, at + 8, work),
            "work overlaps state: two blocks that share no byte are needed");
  EXPECT_EQ(init(at, bytes - 8, at + bytes, work), "state_bytes = 64: so many bytes are needed");
  EXPECT_EQ(init(at, bytes, at + bytes, 8), "work_bytes = 2295: so many bytes are needed");
  ASSERT_EQ(perp_simulation_create(&sim, w.model(), &w.o, nullptr), PERP_OK);
  const std::size_t n = perp_simulation_checkpoint_size(sim);
  std::vector<std::uint64_t> sealed((n + bytes) / 8 + 1);
  EXPECT_EQ(perp_simulation_checkpoint(sim, sealed.data(), n, nullptr), PERP_OK);
  EXPECT_EQ(said([&](perp_info *info) {
              return perp_simulation_checkpoint(sim, sealed.data(), n - 1, info);
            }),
            "bytes = 100: so many bytes are needed");
  const auto unsealed = [&](void *state) {
    return said([&](perp_info *info) {
      return perp_simulation_unseal(w.model(), &w.o, sealed.data(), n, 0, state, bytes, info);
    });
  };
  EXPECT_EQ(unsealed(sealed.data()),
            "state overlaps sealed: two blocks that share no byte are needed");
  reinterpret_cast<unsigned char *>(sealed.data())[4] ^= 1;
  EXPECT_EQ(unsealed(at), "checkpoint.version = 0: must be that of this library");
  perp_simulation_destroy(sim);
  w.o.h = 1;
  EXPECT_EQ(
      w.said(1, [](perp_simulation *far) { return perp_simulation_advance(far, 1e17, nullptr); }),
      "t = 1e17: must be where t + h differs from t: h is too short so late");
}

TEST(SentencesOfRuns, PlacesOfAPoolInAState) {
  stepped w;
  perp_body body;
  perp_body_init(&body, sizeof body);
  body.mass = body.inertia[0] = body.inertia[4] = body.inertia[8] = 1;
  w.add(&body.system, {0, 0, 1, 1, 0, 0, 0}, vec(6, 0.0));
  const perp_law *const laws[1] = {w.friction(3, 0.5)};
  w.pool.capacity = 1;
  w.pool.laws = laws;
  w.pool.n_laws = 1;
  w.pool.find = [](double, const perp_simulation *, perp_pool_writer *, void *) {
    return std::int32_t{0};
  };
  w.pooled = true;
  const std::size_t last = std::size_t{0} - sizeof(perp_pool_contact);
  EXPECT_EQ(
      restored(w, last + offsetof(perp_pool_contact, reserved), 7),
      "state.pool of pool place 0 = 0: must be a contact of this model: the state is damaged");
}

/** What the callback hands over, the last one spoilt. */
std::vector<perp_pool_contact> handed;
bool nothing_handed;

TEST(SentencesOfRuns, ContactsOfAPool) {
  const struct {
    const char *sentence;
    void (*spoil)(perp_pool_contact &);
  } cases[] = {
      {"contact 1: gap = nan: must be finite", [](perp_pool_contact &c) { c.place.gap = nan; }},
      {"contact 1: normal = inf: must be finite",
       [](perp_pool_contact &c) { c.place.normal[1] = inf; }},
      {"contact 1: tangent = nan: must be finite",
       [](perp_pool_contact &c) { c.place.tangent[2] = nan; }},
      {"contact 1: a = -inf: must be finite", [](perp_pool_contact &c) { c.place.a[0] = -inf; }},
      {"contact 1: b = nan: must be finite", [](perp_pool_contact &c) { c.place.b[1] = nan; }},
      {"contact 1: velocity = nan: must be finite",
       [](perp_pool_contact &c) { c.place.velocity[0] = nan; }},
      {"contact 1: normal of length 0.5, must be 1",
       [](perp_pool_contact &c) { c.place.normal[2] = 0.5; }},
      {"contact 1: law = 3: must be the number of one of the pool's laws, and one that suits the "
       "systems",
       [](perp_pool_contact &c) { c.law = 3; }},
      {"contact 1: reserved = 2: must be 0", [](perp_pool_contact &c) { c.reserved = 2; }},
      {"contact 1: systems are not two different systems of the model, or one and PERP_GROUND",
       [](perp_pool_contact &c) { c.systems[1] = 9; }},
      {"contact 1: systems are not two different systems of the model, or one and PERP_GROUND",
       [](perp_pool_contact &c) { c.systems[1] = c.systems[0]; }},
      {"contact 1: systems are of a kind that contacts of a pool do not join",
       [](perp_pool_contact &c) { c.systems[0] = 2; }},
      {"contact 1: identity is that of contact 0, which joins the same bodies",
       [](perp_pool_contact &c) { c = handed[0]; }},
      {"contact 1: initial gap = -0.5: must be at least min_gap (or |y| at most |min_gap| of a "
       "joint) "
       "at the initial values",
       [](perp_pool_contact &c) { c.place.gap = -0.5; }},
      {"contact 1 is missing", [](perp_pool_contact &) { nothing_handed = true; }},
  };
  for (const std::int32_t form : {PERP_FORMULATION_REDUCED, PERP_FORMULATION_GLOBAL})
    for (const auto &c : cases) {
      stepped w;
      perp_body body;
      perp_body_init(&body, sizeof body);
      body.mass = body.inertia[0] = body.inertia[4] = body.inertia[8] = 1;
      for (int i = 0; i < 2; i++) w.add(&body.system, {0, 0, 1, 1, 0, 0, 0}, vec(6));
      const vec M{1};
      perp_lagrangian_linear bead;
      perp_lagrangian_linear_init(&bead, sizeof bead, 1);
      bead.M = perp_diagonal(1, M.data());
      w.add(&bead.system, {1}, {0});
      const perp_law *const laws[1] = {w.friction(3, 0.5)};
      w.pool.capacity = 4;
      w.pool.laws = laws;
      w.pool.n_laws = 1;
      w.pool.find = [](double, const perp_simulation *, perp_pool_writer *out, void *) {
        for (const perp_pool_contact &one : handed) (void)perp_pool_add(out, &one, nullptr);
        if (nothing_handed) (void)perp_pool_add(out, nullptr, nullptr);
        return std::int32_t{0};
      };
      w.pooled = true;
      w.o.formulation = form;
      w.o.solver = perp_solver_nsgs();
      perp_pool_contact good{};
      good.systems[1] = PERP_GROUND;
      good.place.normal[2] = 1;
      handed = {good, good};
      handed[1].systems[0] = 1;
      handed[1].systems[1] = 0;
      nothing_handed = false;
      EXPECT_EQ(w.said(), "nothing");
      c.spoil(handed[1]);
      if (nothing_handed) handed.pop_back();
      const auto name = [&](std::size_t i) {
        const std::int32_t a = handed[i].systems[0], b = handed[i].systems[1];
        if (a == b) return " of body " + std::to_string(a) + " with itself";
        return b < 0 ? " of body " + std::to_string(a) + " and the ground"
                     : " of bodies " + std::to_string(a) + " and " + std::to_string(b);
      };
      std::string sentence = c.sentence;
      if (!nothing_handed) sentence.insert(9, name(1));
      EXPECT_EQ(w.said(), sentence);
    }
}

TEST(SentencesOfRuns, PoolsThatAreTooLargeTellTheirBytes) {
  const std::string rest =
      " bytes, which is more than can be numbered: lower it or max_per_system, or take formulation "
      "auto";
  const auto said = [](std::int32_t capacity, std::int32_t form) {
    stepped w;
    perp_body body;
    perp_body_init(&body, sizeof body);
    w.add(&body.system, {0, 0, 1, 1, 0, 0, 0}, vec(6));
    const perp_law *const laws[1] = {w.friction(3, 0.5)};
    w.pool.capacity = capacity;
    w.pool.laws = laws;
    w.pool.n_laws = 1;
    w.pool.find = [](double, const perp_simulation *, perp_pool_writer *, void *) {
      return std::int32_t{0};
    };
    w.pooled = true;
    w.o.formulation = form;
    const std::string text = w.said();
    EXPECT_EQ(w.status, PERP_EWORKSPACE);
    return text;
  };
  const double least = 2.0 * sizeof(perp_pool_contact) * INT32_MAX;
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.9g", least);
  std::string bytes = digits;
  bytes.erase(bytes.find('+'), 1);
  for (const std::int32_t form :
       {PERP_FORMULATION_REDUCED, PERP_FORMULATION_GLOBAL, PERP_FORMULATION_AUTO})
    EXPECT_EQ(said(INT32_MAX, form), "pool.capacity needs at least " + bytes + rest);
  // 10^6 contacts of one body: (3 10^6)^2 numbers, all of them and those that act
  EXPECT_EQ(said(1000000, PERP_FORMULATION_REDUCED), "pool.capacity needs at least 1.44e14" + rest);
}

TEST(SentencesOfRuns, PoolsThatArePlaneHaveContactsInThePlane) {
  stepped w;
  w.pool.plane = 1;
  const vec M{1, 1, 1};
  perp_lagrangian_linear disc;
  perp_lagrangian_linear_init(&disc, sizeof disc, 3);
  disc.M = perp_diagonal(3, M.data());
  w.add(&disc.system, {0, 1, 0}, {0, 0, 0});
  const perp_law *const laws[1] = {w.friction(2, 0.5)};
  w.pool.capacity = 1;
  w.pool.laws = laws;
  w.pool.n_laws = 1;
  w.pool.find = [](double, const perp_simulation *, perp_pool_writer *out, void *) {
    perp_pool_contact c{};
    c.systems[1] = PERP_GROUND;
    c.place.normal[1] = 1;
    c.place.a[2] = 3;
    (void)perp_pool_add(out, &c, nullptr);
    return std::int32_t{0};
  };
  w.pooled = true;
  EXPECT_EQ(w.said(),
            "contact 0 of body 0 and the ground: place = 3: must lie in the plane z = 0 in a pool "
            "that is plane");
}

TEST(SentencesOfRuns, PoolsThatAreSwept) {
  stepped w;
  perp_body body;
  perp_body_init(&body, sizeof body);
  body.mass = body.inertia[0] = 1;
  body.inertia[4] = 1.2;
  body.inertia[8] = 1.5;
  w.add(&body.system, {0, 0, 1, 1, 0, 0, 0}, {0, 0, 0, 3, 2, 1});
  const perp_law *const laws[1] = {w.friction(3, 0.5)};
  w.pool.capacity = 1;
  w.pool.laws = laws;
  w.pool.n_laws = 1;
  w.pool.find = [](double, const perp_simulation *, perp_pool_writer *, void *) {
    return std::int32_t{0};
  };
  w.pooled = true;
  w.o.formulation = PERP_FORMULATION_GLOBAL;
  w.o.newton_max = 1;
  const std::string text = w.said();
  EXPECT_EQ(text.substr(0, text.find(' ', 20)), "newton at system 0 =");
  EXPECT_EQ(
      w.ending,
      "not solved: Newton's iteration limit in step 1 at t = 0, body 0, residual 2.5e-8, asked "
      "1e-10; try newton_tol = 1e-7 or on_failure = accept");
  w.o.newton_max = 50;
  EXPECT_EQ(w.said(), "nothing");
  w.state({1}, {-1});
  const perp_integrator *const both[2] = {perp_integrator_moreau_jean(), perp_integrator_theta()};
  w.o.integrators = both;
  EXPECT_EQ(w.said(),
            "order beside a pool of system 1 = 1: must be 2 for contacts to be swept: formulation "
            "must be reduced");
}

/** The simulation that is stepping. */
perp_simulation *meddled;

TEST(SentencesOfRuns, CallsFromWithinCallbacks) {
  guarded w;
  static std::vector<std::string> heard;
  heard.clear();
  w.mass.internal = [](double, const double *, const double *, const double *, double *F, void *) {
    F[0] = 0;
    if (meddled == nullptr) return std::int32_t{0};
    char room[4096];
    heard.push_back(said([](perp_info *i) { return perp_simulation_step(meddled, i); }));
    heard.push_back(said([](perp_info *i) { return perp_simulation_advance(meddled, 1, i); }));
    heard.push_back(said(
        [&](perp_info *i) { return perp_simulation_checkpoint(meddled, room, sizeof room, i); }));
    meddled = nullptr;
    return std::int32_t{0};
  };
  EXPECT_EQ(w.said(1, [](perp_simulation *sim) { return meddled = sim, 0; }), "nothing");
  ASSERT_EQ(heard.size(), 3u);
  EXPECT_EQ(heard[0], "step within a step is not possible: callbacks may look, not touch");
  EXPECT_EQ(heard[1], "step within a step is not possible: callbacks may look, not touch");
  EXPECT_EQ(heard[2], "checkpoint within a step is not possible: callbacks may look, not touch");
}

TEST(SentencesOfRuns, RelativeDegrees) {
  guarded w;
  double work[100];
  std::int32_t degree = 0;
  const auto ask = [&](const perp_model *m, std::int32_t *out, void *room, std::size_t bytes) {
    return said([&](perp_info *info) {
      return perp_model_relative_degree(m, 0, 0, nullptr, nullptr, nullptr, out, room, bytes, info);
    });
  };
  EXPECT_EQ(ask(w.model(), &degree, work, sizeof work), "nothing");
  EXPECT_EQ(ask(w.model(), nullptr, work, sizeof work), "degree is missing");
  EXPECT_EQ(ask(w.model(), &degree, nullptr, sizeof work), "work is missing");
  EXPECT_EQ(ask(w.model(), &degree, work, 8), "bytes = 143: so many bytes are needed");
  w.r.H = gives_up;
  EXPECT_EQ(ask(w.model(), &degree, work, sizeof work),
            "relation of interaction 0 = -3: the function gave up");
  for (const std::int32_t answer : {-3, 3}) {
    static std::int32_t code;
    code = answer;
    World p;
    perp_first_order system;
    perp_first_order_init(&system, sizeof system, 2);
    system.f = [](double, const double *, const double *, double *f, void *) {
      return f[0] = f[1] = 0, std::int32_t{0};
    };
    system.f_dx = [](double, const double *, const double *, double *, void *) { return code; };
    p.first(&system.system, {0, 0});
    p.connect(p.output(1, 2, {1, 0}, {}, {0, 1}), p.diode());
    EXPECT_EQ(ask(p.model(), &degree, work, sizeof work),
              answer < 0 ? "jacobian of system 0 = -3: the function gave up"
                         : "jacobian of system 0 = 3: a callback asked for a smaller step");
  }
}

// ------------------------------------------------------------------------------- events ----

/** A World by events, and what the first call says that does not end well. */
struct evented : World {
  perp_event_options o = perp_event_options_default();
  perp_event_observer observer = PERP_EVENT_OBSERVER_INIT;
  perp_guard guard{};
  perp_schedule schedule{};
  std::string ending;
  std::string said(double until = 1) {
    perp_info info = PERP_INFO_INIT;
    perp_event_driven *sim = nullptr;
    perp_status status = perp_event_driven_create(&sim, model(), &o, &info);
    if (status == PERP_OK) status = perp_event_driven_run(sim, until, &observer, &info);
    char words[512];
    (void)perp_event_driven_ending(sim, status, &info, 0, words, sizeof words);
    ending = words;
    perp_event_driven_destroy(sim);
    return told(status, info);
  }
  void guarded_by(perp_guard_fn value) {
    guard.value = value;
    o.guards = &guard;
    o.n_guards = 1;
  }
  void scheduled(perp_reset_fn reset) {
    schedule.first = 0.1;
    schedule.reset = reset;
    o.schedules = &schedule;
    o.n_schedules = 1;
  }
};

/** A mass that falls on a floor, from 1 at t = 0. */
struct falls : evented {
  perp_newton_impact law;
  perp_law_ops ops;
  explicit falls(double e = 0.5) {
    mass({1}, {-10}, {1}, {0});
    perp_newton_impact_init(&law, sizeof law);
    law.e = e;
    ops = *law.law.ops;
    law.law.ops = &ops;
    connect(gap({1}, {0}), &law.law);
  }
};

/** A mass with callbacks, h = q, and no law but that of a joint or a floor. */
struct called : evented {
  perp_lagrangian system;
  perp_lagrangian_relation r;
  double m = 1;
  called() {
    perp_lagrangian_init(&system, sizeof system, 1);
    system.M = perp_diagonal(1, &m);
    system.f = keep({-10});
    add(&system.system, {1}, {0});
    perp_lagrangian_scleronomous_init(&r, sizeof r, 1, 1);
    r.h = height;
    r.H = one;
    connect(&r.relation, newton(0.5));
  }
};

/** x' = r(x, lambda), y = h(x). */
struct port : evented {
  perp_first_order_relation r;
  explicit port(double x0) {
    state({x0}, {});
    perp_first_order_type1_init(&r, sizeof r, 1, 1);
    r.h = [](double, const double *x, const double *, const double *, double *y, void *) {
      return y[0] = x[0], std::int32_t{0};
    };
    r.C = one;
    r.g = [](double, const double *, const double *l, const double *, double *out, void *) {
      return out[0] = l[0], std::int32_t{0};
    };
    connect(&r.relation, equality());
  }
};

TEST(SentencesOfRuns, CallbacksInEvents) {
  for (const std::int32_t answer : {-3, 3}) {
    static std::int32_t code;
    code = answer;
    const std::string said =
        answer < 0 ? "-3: the function gave up" : "3: a callback asked for a smaller step";
    falls w;
    w.guarded_by([](const perp_event_state *, double *, void *) { return code; });
    EXPECT_EQ(w.said(), "guard[0] = " + said);
    falls law;
    law.ops.restitute = nullptr;
    law.ops.restitute_step = [](const perp_law *, const void *, const perp_law_step *, double *) {
      return code;
    };
    EXPECT_EQ(law.said(), "law of interaction 0 = " + said);
    EXPECT_EQ(law.ending,
              answer < 0
                  ? "failed at t = 0.447213595: law of interaction 0 = " + said
                  : "not solved: a callback asked for a smaller step at t = 0.447213595, law "
                    "of contact 0 of system 0");
    called heavy;
    heavy.system.M = perp_matrix{};
    heavy.system.mass = [](double, const double *, const double *, const double *, double *M,
                           void *) { return M[0] = 1, code; };
    EXPECT_EQ(heavy.said(), "mass of system 0 = " + said);
    called joined;
    joined.r.h = [](double, const double *, const double *, const double *, double *, void *) {
      return code;
    };
    EXPECT_EQ(joined.said(), "relation of interaction 0 = " + said);
  }
  {
    falls w;
    w.guarded_by(
        [](const perp_event_state *, double *g, void *) { return *g = nan, std::int32_t{0}; });
    EXPECT_EQ(w.said(), "guard[0] = nan: must be finite");
    EXPECT_EQ(w.ending, "failed at t = 0: guard[0] = nan: must be finite");
  }
  {
    falls w;
    w.scheduled([](perp_event_state *, void *) { return std::int32_t{-3}; });
    EXPECT_EQ(w.said(), "schedule[0] = -3: the function gave up");
    EXPECT_EQ(w.ending, "failed at t = 0.1: schedule[0] = -3: the function gave up");
    w.scheduled([](perp_event_state *s, void *) { return s->q[0] = -1, std::int32_t{0}; });
    EXPECT_EQ(w.said(), "gap of interaction 0 = -1: must be at least min_gap");
    EXPECT_EQ(w.ending, "failed at t = 0.1: gap of interaction 0 = -1: must be at least min_gap");
  }
  {
    called w;
    w.r.reads = PERP_GAP_READS_TIME;
    w.r.h_dt = [](double, const double *, const double *, const double *, double *out, void *) {
      return out[0] = 0, std::int32_t{0};
    };
    w.r.bias = [](double, const double *, const double *, const double *, double *out, void *) {
      return out[0] = nan, std::int32_t{0};
    };
    EXPECT_EQ(w.said(), "bias of interaction 0 = nan: must be finite");
  }
  {
    evented w;
    w.state({0}, {});
    perp_linear_varying_relation r;
    perp_linear_varying_relation_init(&r, sizeof r, 1, 1);
    r.linear.C = w.keep({0});
    r.linear.D = w.keep({1});
    r.linear.e = w.keep({-1e200});
    r.linear.B = w.keep({1e200});
    w.connect(&r.linear.relation, w.diode());
    EXPECT_EQ(w.said(), "r of interaction 0 = inf: must be finite");
  }
  {
    falls w;
    w.observer.event = [](perp_event_driven *sim, const perp_event *, void *) {
      perp_info info = PERP_INFO_INIT;
      EXPECT_EQ(told(perp_event_driven_run(sim, 2, nullptr, &info), info),
                "run within a run is not possible: callbacks may look, not touch");
      EXPECT_EQ(told(perp_event_driven_restart(sim, 2, nullptr, nullptr, nullptr, &info), info),
                "run within a run is not possible: callbacks may look, not touch");
      return std::int32_t{1};
    };
    EXPECT_EQ(w.said(), "stopped");
    EXPECT_EQ(w.ending, "stopped: 1 event, t = 0.447213595");
  }
}

TEST(SentencesOfRuns, ObserversOfEvents) {
  falls w;
  w.observer.event = [](perp_event_driven *, const perp_event *, void *) {
    return std::int32_t{-3};
  };
  EXPECT_EQ(w.said(), "observer.event = -3: the function gave up");
  EXPECT_EQ(w.ending, "failed at t = 0.447213595: observer.event = -3: the function gave up");
  w.observer.step = [](perp_event_driven *, void *) { return std::int32_t{-3}; };
  EXPECT_EQ(w.said(), "observer.step = -3: the function gave up");
  w.observer.every = 0.1;
  w.observer.output = [](perp_event_driven *, void *) { return std::int32_t{-3}; };
  EXPECT_EQ(w.said(), "observer.output = -3: the function gave up");
}

TEST(SentencesOfRuns, WhatEventsDoNotTake) {
  {
    evented polygon;
    perp_polyhedron law;
    perp_polyhedron_init(&law, sizeof law);
    law.H = perp_dense(1, 1, polygon.keep({1}));
    law.K = polygon.keep({0});
    polygon.mass({1}, {0}, {1}, {0});
    polygon.connect(polygon.gap({1}, {0}), &law.law);
    EXPECT_EQ(polygon.said(),
              "law of interaction 0 is not for events: take newton-impact, complementarity, a box, "
              "an equality, friction");
  }
  {
    evented w;
    perp_first_order large;
    perp_first_order_init(&large, sizeof large, 600000000);
    large.f = [](double, const double *, const double *, double *, void *) {
      return std::int32_t{0};
    };
    w.first(&large.system, {});
    EXPECT_EQ(w.said(),
              "model = 600000000: must have at most 2^29 numbers in its state, and as many rows, "
              "for events");
  }
  {
    falls w;
    w.law.law.ops = &w.ops;
    w.o.impact = PERP_IMPACT_LZB;
    w.ops.restitute = nullptr;
    w.ops.restitute_step = [](const perp_law *, const void *, const perp_law_step *, double *) {
      return std::int32_t{0};
    };
    EXPECT_EQ(w.said(),
              "impact of interaction 0 is not possible for this law: perp_event_options.impact "
              "must be another");
  }
  {
    called w;
    w.r.reads = PERP_GAP_READS_LAMBDA;
    EXPECT_EQ(w.said(),
              "relation of interaction 0 has a D, which event-driven integration at order 2 and "
              "schemes on positions do not take");
  }
  {
    evented w;
    EXPECT_EQ(w.said(), "nothing");
  }
  {
    port w(0);
    w.r.g = [](double, const double *, const double *, const double *, double *out, void *) {
      return out[0] = 0, std::int32_t{0};
    };
    EXPECT_EQ(w.said(), "nothing");
  }
  {
    falls w;
    perp_solver few = *perp_solver_lemke();
    few.max_n = 1;
    w.o.solver = &few;
    w.connect(w.gap({1}, {0}), w.newton(0));
    EXPECT_EQ(w.said(),
              "solver: it has no size for 2 unknowns: take auto, or fewer contacts at a time "
              "(solver lemke)");
  }
  {
    falls w;
    w.o.smooth = perp_smooth_ida();
    EXPECT_EQ(w.said(), "nothing");
  }
}

TEST(SentencesOfRuns, EndingsOfEvents) {
  {
    falls w;
    EXPECT_EQ(w.said(0.4), "nothing");
    EXPECT_EQ(w.ending, "finished: 0 events, t = 0.4");
    EXPECT_EQ(w.said(0.6), "nothing");
    EXPECT_EQ(w.ending, "finished: 1 event, t = 0.6");
  }
  {
    falls w(1.5);
    w.ops.check = nullptr;
    w.ops.restitute = [](const perp_law *, const void *, const double *ydot, double *q) {
      q[0] += 0.5 * std::fabs(ydot[0]);
    };
    EXPECT_EQ(w.said(), "rounds of interaction 0 do not end: impact follows upon impact");
    EXPECT_EQ(
        w.ending,
        "not solved: rounds do not end: impact follows upon impact at t = 0.447213595, contact 0 "
        "of system 0");
  }
  {
    falls w;
    w.o.max_steps = 2;
    w.guarded_by([](const perp_event_state *s, double *g, void *) {
      return *g = 2 + std::sin(100 * s->t), std::int32_t{0};
    });
    w.o.h_max = 1e-3;
    EXPECT_EQ(w.said(), "max_steps are over since the last event or output");
    EXPECT_EQ(w.ending,
              "not solved: max_steps are over since the last event or output at t = 0.00299009901; "
              "try a larger max_steps or rtol");
  }
  {
    falls w;
    w.o.zeno = PERP_ZENO_STOP;
    w.o.storm_time = 1;
    w.o.storm_events = 5;
    EXPECT_EQ(w.said(5), "events crowd");
    EXPECT_EQ(w.ending,
              "not solved: events crowd at t = 1.31368994, 5 in less than 1 s, the last of contact "
              "0 of system 0; try zeno = jump or step");
  }
  {
    falls w;
    w.o.storm_events = 5;
    w.guarded_by([](const perp_event_state *s, double *g, void *) {
      return *g = std::sin(1e8 * s->t), std::int32_t{0};
    });
    w.o.h_max = 1e-9;
    EXPECT_EQ(w.said(), "events crowd");
    EXPECT_EQ(w.ending,
              "not solved: events crowd at t = 1.57079633e-7, 5 in less than 1e-6 s, the last of "
              "guard 0");
  }
  {
    called w;
    w.r.h = [](double, const double *q, const double *, const double *, double *y, void *) {
      return y[0] = 1 + q[0] * q[0], std::int32_t{0};
    };
    w.r.H = [](double, const double *q, const double *, const double *, double *H, void *) {
      return H[0] = 2 * q[0], std::int32_t{0};
    };
    w.connect(&w.r.relation, w.equality());
    EXPECT_EQ(w.said(), "constraints are not met by any state");
    EXPECT_EQ(w.ending, "constraints are not met by any state");
  }
  {
    port w(1);
    w.r.h = [](double, const double *x, const double *, const double *, double *y, void *) {
      return y[0] = std::copysign(std::sqrt(std::fabs(x[0])), x[0]), std::int32_t{0};
    };
    w.r.C = [](double, const double *x, const double *, const double *, double *C, void *) {
      return C[0] = 0.5 / std::sqrt(std::fabs(x[0])), std::int32_t{0};
    };
    EXPECT_EQ(w.said(), "jumps of x do not come to where the outputs are in their bounds");
    EXPECT_EQ(w.ending, "jumps of x do not come to where the outputs are in their bounds");
  }
  {
    port w(0);
    w.r.g = [](double, const double *, const double *l, const double *, double *out, void *) {
      return out[0] = std::copysign(std::sqrt(std::fabs(l[0] - 1)), l[0] - 1), std::int32_t{0};
    };
    w.r.B = [](double, const double *, const double *l, const double *, double *B, void *) {
      return B[0] = 0.5 / std::sqrt(std::fabs(l[0] - 1)), std::int32_t{0};
    };
    EXPECT_EQ(w.said(), "lambda of the next mode was not found");
    EXPECT_EQ(w.ending, "lambda of the next mode was not found");
  }
  { /* a contact that slips while its friction pushes it in (Painlevé) */
    evented w;
    const double k = 0.9, det = 2 - k * k;
    perp_lagrangian_linear system;
    perp_lagrangian_linear_init(&system, sizeof system, 2);
    system.M = perp_dense(2, 2, w.keep({2 / det, -k / det, -k / det, 1 / det}));
    system.f = w.keep({-2 / det, k / det});
    w.add(&system.system, {0, 0}, {0, -1});
    w.connect(w.gap({1, 0, 0, 1}, {0, 0}), w.friction(2, 2));
    w.scheduled([](perp_event_state *s, void *) { return s->v[1] = 1, std::int32_t{0}; });
    EXPECT_EQ(w.said(), "mode of interaction 0 was not found");
    EXPECT_EQ(w.ending,
              "not solved: mode was not found at t = 0.1, contact 0 of system 0, residual 1, asked "
              "1e-10");
  }
  { /* an output of relative degree 2 that is out of its bounds */
    evented w;
    w.state({-1, 0}, {0, 0, 1, 0});
    w.connect(w.output(1, 2, {1, 0}, {}, {0, 1}), w.diode());
    EXPECT_EQ(w.said(), "x comes to no state in which outputs are in their bounds");
    EXPECT_EQ(w.ending, "x comes to no state in which outputs are in their bounds");
  }
  {
    falls w;
    perp_event_driven *sim = nullptr;
    ASSERT_EQ(perp_event_driven_create(&sim, w.model(), &w.o, nullptr), PERP_OK);
    perp_info info = PERP_INFO_INIT;
    char text[200];
    const auto words = [&](perp_status status) {
      (void)perp_event_driven_ending(sim, status, &info, 1, text, sizeof text);
      return std::string(text);
    };
    EXPECT_EQ(words(PERP_OK), "not ended: 0 events, t = 0");
    EXPECT_EQ(words(perp_event_driven_next(sim, 5, &info)), "not ended: 1 event, t = 0.447213595");
    EXPECT_EQ(words(perp_event_driven_next(sim, 0.5, &info)), "finished: 1 event, t = 0.5");
    EXPECT_EQ(words(perp_event_driven_restart(sim, nan, nullptr, nullptr, nullptr, &info)),
              "t = nan: must be finite");
    EXPECT_EQ(told(PERP_ENOTFINITE, info), "t = nan: must be finite");
    EXPECT_EQ(perp_event_driven_ending(nullptr, PERP_OK, nullptr, 0, nullptr, 0),
              std::strlen("solved and verified"));
    perp_event_driven_destroy(sim);
  }
}

}  // namespace
}  // namespace sentences
