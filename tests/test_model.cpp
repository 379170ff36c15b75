// SPDX-License-Identifier: MIT
// Bad input of models and options: each fault has its status, and info names field, index, value.
#include <gtest/gtest.h>
#include <perp/experimental.h>

#include <cfloat>
#include <functional>
#include <string>

#include "dense_tools.hpp"
#include "model_tools.hpp"

namespace {

using tools::at;
using tools::ids;
using tools::kInf;
using tools::kNaN;
using tools::run;
using tools::vec;
using tools::world;

// Two bodies and a circuit, three interactions, every array present.
struct specimen : world {
  perp_lagrangian_linear *full, *point;
  perp_first_order_linear *coil;
  perp_lagrangian_linear_relation *wall, *brake;
  perp_linear_relation *diode;
  perp_newton_impact *impact_law;
  perp_box *box_law;
  vec z_wall = {0.5, 0.25}, z_diode = {0.5};
  vec thetas = {0.5, 1, 0.75};
  vec grid = {0, 0.1, 0.3, 0.4};

  specimen() {
    full = &body(2);
    full->M = perp_dense(2, 2, keep({2, 0.5, 0.5, 3}));
    full->C = perp_dense(2, 2, keep({1, 0, 0, 1}));
    full->K = perp_diagonal(2, keep({5, 6}));
    full->f = keep({-1, -2});
    coil = &circuit(2);
    coil->M = perp_diagonal(2, keep({1, 2}));
    coil->A = perp_dense(2, 2, keep({-1, 0.5, 0.25, -2}));
    coil->b = keep({1, 0});
    point = &body(vec{4});
    add(full->system);
    add(coil->system);
    add(point->system);

    wall = &contact(2, 3, {1, 0, 0, 1, 0.5, 0.5});
    wall->D = keep({1, 0, 0, 1});
    wall->F = keep({1, 0, 0, 1});
    wall->b = keep({1, 1});
    wall->z = z_wall.data();
    wall->n_z = 2;
    join(wall->relation, impact(0.5), {0, 2});
    impact_law = &impacts.back();
    diode = &port(1, 2, {1, 0});
    diode->D = keep({1});
    diode->B = keep({1, 0});
    diode->F = keep({1});
    diode->e = keep({0});
    diode->a = keep({0, 1});
    diode->z = z_diode.data();
    diode->n_z = 1;
    join(diode->relation, complementarity(), {1});
    brake = &contact(2, 1, {1, 2});
    join(brake->relation, box({-1, -2}, {1, 2}), {2});
    box_law = &boxes.back();

    q0 = {1, 2, 3};
    v0 = {-1, -2, -3};
    x0 = {4, 5};
    integrators = {perp_integrator_moreau_jean(), perp_integrator_theta(),
                   perp_integrator_moreau_jean()};
    options.integrator = nullptr;
    options.integrators = integrators.data();
    options.solver = perp_solver_active_set();
    finish();
  }
};

// What init says of the specimen; the state is not touched, out is NULL, the sizes are 0.
struct verdict {
  perp_status status;
  std::string field;
  std::int32_t index;
  double value;
};

verdict init(specimen &s) {
  std::vector<std::uint64_t> state(500, UINT64_C(0xA5A5A5A5A5A5A5A5)), work(8000);
  const auto before = state;
  perp_simulation *sim = reinterpret_cast<perp_simulation *>(&s);
  perp_info info = PERP_INFO_INIT;
  info.field = "999";
  const perp_status status = perp_simulation_init(&sim, &s.model, &s.options, state.data(), 4000,
                                                  work.data(), 64000, &info);
  EXPECT_EQ(sim == nullptr, status != PERP_OK);
  const std::string field = info.field != nullptr ? info.field : "";
  if (status != PERP_OK) {
    EXPECT_EQ(state, before) << field;
  }
  sim = nullptr;
  EXPECT_EQ(perp_simulation_init(&sim, &s.model, &s.options, state.data(), 4000, work.data(), 64000,
                                 nullptr),
            status);
  perp_info old = PERP_INFO_INIT;
  old.struct_size = 0;
  old.field = "old";
  EXPECT_EQ(perp_simulation_init(&sim, &s.model, &s.options, state.data(), 4000, work.data(), 64000,
                                 &old),
            status);
  EXPECT_STREQ(old.field, "old");  // an info that was not initialised is left alone
  return {status, field, info.index, info.value};
}

using breaker = std::function<void(specimen &)>;

void expect(const breaker &fault, perp_status status, const char *field, std::int32_t index,
            double value = 0) {
  specimen s;
  fault(s);
  const verdict v = init(s);
  EXPECT_EQ(v.status, status) << field;
  EXPECT_EQ(v.field, field);
  EXPECT_EQ(v.index, index) << field;
  EXPECT_TRUE(v.value == value || (v.value != v.value && value != value))
      << field << ": " << v.value << " instead of " << value;
}

// expect(), and perp_model_check() alone finds the fault, too.
void expect_model(const breaker &fault, perp_status status, const char *field, std::int32_t index,
                  double value = 0) {
  expect(fault, status, field, index, value);
  specimen s;
  fault(s);
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(perp_model_check(&s.model, &info), status) << field;
  EXPECT_STREQ(info.field, field);
  EXPECT_EQ(info.index, index) << field;
  EXPECT_EQ(perp_model_check(&s.model, nullptr), status) << field;
  EXPECT_EQ(perp_simulation_state_size(&s.model, &s.options), 0u);
  EXPECT_EQ(perp_simulation_work_size(&s.model, &s.options), 0u);
}

TEST(Model, TheSpecimenIsSound) {
  specimen s;
  perp_info info = PERP_INFO_INIT;
  info.field = "old";
  EXPECT_EQ(perp_model_check(&s.model, &info), PERP_OK);
  EXPECT_EQ(info.field, nullptr);
  EXPECT_EQ(init(s).status, PERP_OK);
  run r(s);
  EXPECT_EQ(r.steps(10), PERP_OK);
}

// ------------------------------------------------------------------------------- init ----

TEST(Model, DescriptionsKnowTheirSizes) {
  perp_lagrangian_linear body;
  std::memset(&body, 0x5A, sizeof body);
  EXPECT_EQ(perp_lagrangian_linear_init(&body, sizeof body, 3), PERP_OK);
  EXPECT_EQ(body.system.n, 3);
  EXPECT_EQ(body.system.struct_size, sizeof body);
  EXPECT_EQ(body.M.kind, PERP_ZERO);
  EXPECT_EQ(body.force, nullptr);
  perp_first_order_linear circuit;
  EXPECT_EQ(perp_first_order_linear_init(&circuit, sizeof circuit, 1), PERP_OK);
  perp_lagrangian_linear_relation contact;
  std::memset(&contact, 0x5A, sizeof contact);
  EXPECT_EQ(perp_lagrangian_linear_relation_init(&contact, sizeof contact, 2, 3), PERP_OK);
  EXPECT_EQ(contact.relation.m, 2);
  EXPECT_EQ(contact.relation.n, 3);
  EXPECT_EQ(contact.H, nullptr);
  perp_linear_relation port;
  EXPECT_EQ(perp_linear_relation_init(&port, sizeof port, 1, 1), PERP_OK);

  for (const std::int32_t n : {0, -1, INT32_MIN}) {
    EXPECT_EQ(perp_lagrangian_linear_init(&body, sizeof body, n), PERP_EINVAL);
    EXPECT_EQ(perp_first_order_linear_init(&circuit, sizeof circuit, n), PERP_EINVAL);
    EXPECT_EQ(perp_lagrangian_linear_relation_init(&contact, sizeof contact, n, 1), PERP_EINVAL);
    EXPECT_EQ(perp_lagrangian_linear_relation_init(&contact, sizeof contact, 1, n), PERP_EINVAL);
    EXPECT_EQ(perp_linear_relation_init(&port, sizeof port, n, 1), PERP_EINVAL);
    EXPECT_EQ(perp_linear_relation_init(&port, sizeof port, 1, n), PERP_EINVAL);
  }
  for (const std::size_t wrong : {std::size_t{0}, sizeof body - 8, sizeof body + 8, SIZE_MAX})
    EXPECT_EQ(perp_lagrangian_linear_init(&body, wrong, 1), PERP_EINVAL);
  EXPECT_EQ(perp_first_order_linear_init(&circuit, sizeof circuit - 8, 1), PERP_EINVAL);
  EXPECT_EQ(perp_lagrangian_linear_relation_init(&contact, 8, 1, 1), PERP_EINVAL);
  EXPECT_EQ(perp_linear_relation_init(&port, sizeof port + 8, 1, 1), PERP_EINVAL);
  EXPECT_EQ(perp_lagrangian_linear_init(nullptr, sizeof body, 1), PERP_EINVAL);
  EXPECT_EQ(perp_first_order_linear_init(nullptr, sizeof circuit, 1), PERP_EINVAL);
  EXPECT_EQ(perp_lagrangian_linear_relation_init(nullptr, sizeof contact, 1, 1), PERP_EINVAL);
  EXPECT_EQ(perp_linear_relation_init(nullptr, sizeof port, 1, 1), PERP_EINVAL);
}

// ------------------------------------------------------------------------------ numbers ----

struct array {
  const char *field;
  std::int32_t index;
  std::size_t length;
  std::function<double *(specimen &)> begin;
};

double *writable(const double *x) { return const_cast<double *>(x); }

std::vector<array> arrays_of_the_model() {
  return {
      {"M", 0, 4, [](specimen &s) { return writable(s.full->M.values); }},
      {"C", 0, 4, [](specimen &s) { return writable(s.full->C.values); }},
      {"K", 0, 2, [](specimen &s) { return writable(s.full->K.values); }},
      {"f", 0, 2, [](specimen &s) { return writable(s.full->f); }},
      {"M", 1, 2, [](specimen &s) { return writable(s.coil->M.values); }},
      {"A", 1, 4, [](specimen &s) { return writable(s.coil->A.values); }},
      {"b", 1, 2, [](specimen &s) { return writable(s.coil->b); }},
      {"M", 2, 1, [](specimen &s) { return writable(s.point->M.values); }},
      {"H", 0, 6, [](specimen &s) { return writable(s.wall->H); }},
      {"D", 0, 4, [](specimen &s) { return writable(s.wall->D); }},
      {"F", 0, 4, [](specimen &s) { return writable(s.wall->F); }},
      {"b", 0, 2, [](specimen &s) { return writable(s.wall->b); }},
      {"z", 0, 2, [](specimen &s) { return s.z_wall.data(); }},
      {"C", 1, 2, [](specimen &s) { return writable(s.diode->C); }},
      {"D", 1, 1, [](specimen &s) { return writable(s.diode->D); }},
      {"B", 1, 2, [](specimen &s) { return writable(s.diode->B); }},
      {"F", 1, 1, [](specimen &s) { return writable(s.diode->F); }},
      {"e", 1, 1, [](specimen &s) { return writable(s.diode->e); }},
      {"a", 1, 2, [](specimen &s) { return writable(s.diode->a); }},
      {"z", 1, 1, [](specimen &s) { return s.z_diode.data(); }},
      {"H", 2, 2, [](specimen &s) { return writable(s.brake->H); }},
      {"e", 0, 1, [](specimen &s) { return &s.impact_law->e; }},
  };
}

TEST(Model, EveryEntryIsFinite) {
  for (const array &a : arrays_of_the_model())
    for (std::size_t i = 0; i < a.length; i++)
      for (const double bad : {kNaN, kInf, -kInf})
        expect_model([&](specimen &s) { a.begin(s)[i] = bad; }, PERP_ENOTFINITE, a.field, a.index,
                     bad);
}

TEST(Model, EveryInitialValueIsFinite) {
  for (const double bad : {kNaN, kInf, -kInf}) {
    for (std::size_t i = 0; i < 3; i++) {
      const auto entry = static_cast<std::int32_t>(i);
      expect_model([&](specimen &s) { s.q0[i] = bad; }, PERP_ENOTFINITE, "q0", entry, bad);
      expect_model([&](specimen &s) { s.v0[i] = bad; }, PERP_ENOTFINITE, "v0", entry, bad);
    }
    for (std::size_t i = 0; i < 2; i++)
      expect_model([&](specimen &s) { s.x0[i] = bad; }, PERP_ENOTFINITE, "x0",
                   static_cast<std::int32_t>(i), bad);
  }
}

TEST(Model, BoundsOfABoxAreOrderedAndMayBeInfiniteOutwards) {
  for (std::size_t i = 0; i < 2; i++) {
    const auto lower = [i](double x) {
      return [i, x](specimen &s) { writable(s.box_law->lower)[i] = x; };
    };
    const auto upper = [i](double x) {
      return [i, x](specimen &s) { writable(s.box_law->upper)[i] = x; };
    };
    expect_model(lower(kNaN), PERP_ENOTFINITE, "lower", 2, kNaN);
    expect_model(upper(kNaN), PERP_ENOTFINITE, "upper", 2, kNaN);
    expect_model(lower(kInf), PERP_ENOTFINITE, "lower", 2, kInf);
    expect_model(upper(-kInf), PERP_ENOTFINITE, "upper", 2, -kInf);
    expect_model(lower(5), PERP_EINVAL, "lower", 2, 5);
    specimen s;
    lower(-kInf)(s);
    upper(kInf)(s);
    EXPECT_EQ(init(s).status, PERP_OK);
  }
  expect_model([](specimen &s) { s.box_law->lower = nullptr; }, PERP_EINVAL, "lower", 2);
  expect_model([](specimen &s) { s.box_law->upper = nullptr; }, PERP_EINVAL, "upper", 2);
}

TEST(Model, RestitutionIsBetweenZeroAndOne) {
  for (const double e : {-1e-9, 1 + 1e-9, -DBL_MAX, DBL_MAX})
    expect_model([e](specimen &s) { s.impact_law->e = e; }, PERP_EINVAL, "e", 0, e);
  for (const double e : {0.0, -0.0, 1.0, DBL_MIN}) {
    specimen s;
    s.impact_law->e = e;
    EXPECT_EQ(init(s).status, PERP_OK);
  }
}

// --------------------------------------------------------------------------- dimensions ----

TEST(Model, OperatorsHaveTheSizeOfTheirSystem) {
  for (const std::int32_t wrong : {-1, 0, 1, 3}) {
    const double value = wrong;
    expect_model([=](specimen &s) { s.full->M.rows = wrong; }, PERP_EINVAL, "M", 0, value);
    expect_model([=](specimen &s) { s.full->M.cols = wrong; }, PERP_EINVAL, "M", 0, value);
    expect_model([=](specimen &s) { s.full->C.rows = wrong; }, PERP_EINVAL, "C", 0, value);
    expect_model([=](specimen &s) { s.full->K.rows = wrong; }, PERP_EINVAL, "K", 0, value);
    expect_model([=](specimen &s) { s.coil->A.cols = wrong; }, PERP_EINVAL, "A", 1, value);
    expect_model([=](specimen &s) { s.coil->M.rows = wrong; }, PERP_EINVAL, "M", 1, value);
  }
  for (const std::int32_t ld : {-1, 0, 1})
    expect_model([=](specimen &s) { s.full->M.ld = ld; }, PERP_EINVAL, "M", 0, ld);
  for (const std::int32_t kind : {4, -1, INT32_MAX})
    expect_model([=](specimen &s) { s.full->C.kind = kind; }, PERP_EUNSUPPORTED, "C", 0, kind);
  expect_model([](specimen &s) { s.full->M.values = nullptr; }, PERP_EINVAL, "M", 0);
  expect_model([](specimen &s) { s.full->K.values = nullptr; }, PERP_EINVAL, "K", 0);
  expect_model([](specimen &s) { s.full->M = perp_matrix{}; }, PERP_EINVAL, "M", 0);
  specimen s;  // only a mass is needed, and at order 1 nothing
  s.full->C = s.full->K = s.coil->M = s.coil->A = perp_matrix{};
  s.full->f = s.coil->b = nullptr;
  s.model.q0 = s.model.v0 = s.model.x0 = nullptr;
  EXPECT_EQ(init(s).status, PERP_OK);
}

TEST(Model, SystemsAreWellFormed) {
  expect_model([](specimen &s) { s.system_list[1] = nullptr; }, PERP_EINVAL, "systems", 1);
  expect_model([](specimen &s) { s.full->system.ops = nullptr; }, PERP_EINVAL, "systems", 0);
  for (const std::uint32_t size : {0u, 8u, static_cast<std::uint32_t>(sizeof(perp_system))})
    expect_model([=](specimen &s) { s.point->system.struct_size = size; }, PERP_EINVAL,
                 "systems.struct_size", 2, size);
  for (const std::int32_t n : {0, -1, INT32_MIN})
    expect_model([=](specimen &s) { s.coil->system.n = n; }, PERP_EINVAL, "systems.n", 1, n);
}

TEST(Model, RelationsAreWellFormed) {
  expect_model([](specimen &s) { s.interactions[1].relation = nullptr; }, PERP_EINVAL, "relation",
               1);
  expect_model([](specimen &s) { s.wall->relation.ops = nullptr; }, PERP_EINVAL, "relation", 0);
  expect_model([](specimen &s) { s.diode->relation.struct_size = 0; }, PERP_EINVAL,
               "relation.struct_size", 1, 0);
  expect_model([](specimen &s) { s.wall->H = nullptr; }, PERP_EINVAL, "H", 0);
  expect_model([](specimen &s) { s.diode->C = nullptr; }, PERP_EINVAL, "C", 1);
  expect_model([](specimen &s) { s.wall->z = nullptr; }, PERP_EINVAL, "z", 0);
  expect_model([](specimen &s) { s.diode->z = nullptr; }, PERP_EINVAL, "z", 1);
  for (const std::int32_t bad : {0, -1, INT32_MIN}) {
    expect_model([=](specimen &s) { s.wall->relation.m = bad; }, PERP_EINVAL, "relation.m", 0, bad);
    expect_model([=](specimen &s) { s.wall->relation.n = bad; }, PERP_EINVAL, "relation.n", 0, bad);
  }
  for (const std::int32_t bad : {-1, INT32_MIN})
    expect_model([=](specimen &s) { s.diode->n_z = bad; }, PERP_EINVAL, "n_z", 1, bad);
  expect_model([](specimen &s) { s.wall->relation.n = 2; }, PERP_EINVAL, "relation.n", 0, 2);
  // entries beyond what an int32 numbers; no array is read
  expect_model([](specimen &s) { s.wall->relation.m = 46341; }, PERP_EUNSUPPORTED, "relation.m", 0,
               46341);
  expect_model([](specimen &s) { s.wall->relation.m = INT32_MAX; }, PERP_EUNSUPPORTED, "relation.m",
               0, INT32_MAX);
  expect_model([](specimen &s) { s.wall->relation.n = INT32_MAX; }, PERP_EUNSUPPORTED, "relation.n",
               0, INT32_MAX);
  expect_model([](specimen &s) { s.wall->n_z = INT32_MAX; }, PERP_EUNSUPPORTED, "n_z", 0,
               INT32_MAX);
  specimen s;  // only H is needed
  s.wall->D = s.wall->F = s.wall->b = s.wall->z = nullptr;
  s.diode->D = s.diode->B = s.diode->F = s.diode->e = s.diode->a = s.diode->z = nullptr;
  EXPECT_EQ(init(s).status, PERP_OK);
}

TEST(Model, LawsAreWellFormed) {
  expect_model([](specimen &s) { s.interactions[0].law = nullptr; }, PERP_EINVAL, "law", 0);
  expect_model([](specimen &s) { s.impact_law->law.ops = nullptr; }, PERP_EINVAL, "ops", 0);
  for (const std::uint32_t size : {0u, static_cast<std::uint32_t>(sizeof(perp_law))}) {
    specimen s;
    s.impact_law->law.struct_size = size;
    const verdict v = init(s);
    EXPECT_EQ(v.status, PERP_EINVAL);
    EXPECT_EQ(v.field, "struct_size");
    EXPECT_EQ(v.index, 0);
  }
  for (const std::int32_t size : {0, -1, INT32_MIN})
    expect_model([=](specimen &s) { s.box_law->law.size = size; }, PERP_EINVAL, "size", 2, size);
  expect_model([](specimen &s) { s.impact_law->law.size = 3; }, PERP_EINVAL, "law.size", 0, 3);
}

TEST(Model, InteractionsJoinSystemsThatAreThere) {
  expect_model([](specimen &s) { s.interaction_list[2] = nullptr; }, PERP_EINVAL, "interactions",
               2);
  expect_model([](specimen &s) { s.interactions[0].systems = nullptr; }, PERP_EINVAL, "n_systems",
               0, 2);
  for (const std::int32_t n : {0, -1, INT32_MIN})
    expect_model([=](specimen &s) { s.interactions[0].n_systems = n; }, PERP_EINVAL, "n_systems", 0,
                 n);
  for (const std::int32_t j : {-1, 3, INT32_MAX, INT32_MIN})
    expect_model([=](specimen &s) { s.joined[0][1] = j; }, PERP_EINVAL, "interaction.systems", 0,
                 j);
  expect_model([](specimen &s) { s.joined[0][1] = 0; }, PERP_EINVAL, "interaction.systems", 0, 0);
}

TEST(Model, InteractionsKeepToOneOrder) {
  expect_model([](specimen &s) { s.joined[0][0] = 1; }, PERP_EINVAL, "order", 0, 1);
  expect_model([](specimen &s) { s.joined[1][0] = 0; }, PERP_EINVAL, "order", 1, 2);
}

TEST(Model, TheModelItselfIsWellFormed) {
  expect_model([](specimen &s) { s.model.struct_size = 0; }, PERP_EINVAL, "model.struct_size", -1,
               0);
  expect_model([](specimen &s) { s.model.struct_size -= 4; }, PERP_EINVAL, "model.struct_size", -1,
               sizeof(perp_model) - 4);
  for (const std::int32_t n : {-1, INT32_MIN}) {
    expect_model([=](specimen &s) { s.model.n_systems = n; }, PERP_EINVAL, "n_systems", -1, n);
    expect_model([=](specimen &s) { s.model.n_interactions = n; }, PERP_EINVAL, "n_interactions",
                 -1, n);
  }
  expect_model([](specimen &s) { s.model.systems = nullptr; }, PERP_EINVAL, "systems", -1);
  expect_model([](specimen &s) { s.model.interactions = nullptr; }, PERP_EINVAL, "interactions",
               -1);
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(perp_model_check(nullptr, &info), PERP_EINVAL);
  EXPECT_STREQ(info.field, "model");
  EXPECT_EQ(perp_model_check(nullptr, nullptr), PERP_EINVAL);
}

// A description that stands in many places is named by the first of them.
TEST(Model, AFaultOfASharedDescriptionIsNamedWhereItFirstStands) {
  world w;
  perp_lagrangian_linear &good = w.body(vec{1}), &bad = w.body(vec{kNaN});
  for (int i = 0; i < 3; i++) w.add(good.system);
  for (int i = 0; i < 3; i++) w.add(bad.system);
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(perp_model_check(w.finish(), &info), PERP_ENOTFINITE);
  EXPECT_EQ(info.index, 3);
}

// ------------------------------------------------------------------------------ singular ----

TEST(Model, ASingularMassIsRefusedByInit) {
  expect([](specimen &s) { writable(s.point->M.values)[0] = 0; }, PERP_EINVAL, "M", 2);
  expect([](specimen &s) { writable(s.point->M.values)[0] = 1e-310; }, PERP_EINVAL, "M", 2);
  expect([](specimen &s) { writable(s.coil->M.values)[1] = 0; }, PERP_EINVAL, "M", 1);
  expect([](specimen &s) { std::fill_n(writable(s.full->M.values), 4, 0.0); }, PERP_EINVAL, "M", 0);
  expect([](specimen &s) { std::fill_n(writable(s.full->M.values), 4, 1.0); }, PERP_EINVAL, "M", 0);
  expect(
      [](specimen &s) {  // rank one but for rounding
        const double a = 0.1, b = 0.3;
        const double M[] = {a * a, a * b, a * b, b * b};
        std::copy(M, M + 4, writable(s.full->M.values));
      },
      PERP_EINVAL, "M", 0);
  // with stiffness the iteration matrix would be regular; the mass has to be all the same
  expect(
      [](specimen &s) {
        s.point->M = perp_diagonal(1, s.keep({0}));
        s.point->K = perp_diagonal(1, s.keep({1e6}));
      },
      PERP_EINVAL, "M", 2);
}

// Neither units nor the size of a velocity decide whether a matrix is regular.
TEST(Model, AMassOfVeryDifferentSizesIsRegular) {
  specimen s;
  const double M[] = {1e-12, 1e-3, 1e-3, 1e9};
  std::copy(M, M + 4, writable(s.full->M.values));
  EXPECT_EQ(init(s).status, PERP_OK);
  std::swap(writable(s.full->M.values)[0], writable(s.full->M.values)[3]);
  EXPECT_EQ(init(s).status, PERP_OK);
}

TEST(Model, ASingularIterationMatrixIsRefusedByInit) {
  expect(
      [](specimen &s) {  // 1 - h θ A = 0 with h = 1/8, θ = 1/2
        s.options.h = 0.125;
        s.coil->M = perp_diagonal(2, s.keep({1, 1}));
        s.coil->A = perp_diagonal(2, s.keep({-1, 16}));
      },
      PERP_EINVAL, "W", 1, 0.125);
}

// -------------------------------------------------------------------------- initial gaps ----

TEST(Model, AnInitialGapBelowTheLimitIsRefused) {
  // rows of the wall: q0 + q2 / 2 + 1 + z0, q1 + q2 / 2 + 1 + z1
  const auto gap_of = [](specimen &s, double first, double second) {
    s.q0 = {first - 1.5 - 1.5, second - 1.25 - 1.5, 3};
  };
  expect([&](specimen &s) { gap_of(s, -0.25, 1); }, PERP_EINVAL, "initial gap", 0, -0.25);
  expect([&](specimen &s) { gap_of(s, 1, -0.5); }, PERP_EINVAL, "initial gap", 0, -0.5);
  for (const double gap : {0.0, -1e-4, -9.9e-4, 1.0}) {
    specimen s;
    gap_of(s, gap, gap);
    EXPECT_EQ(init(s).status, PERP_OK);
  }
  specimen wide, narrow, any;
  gap_of(wide, -0.25, -0.25);
  wide.options.min_gap = -0.25;
  EXPECT_EQ(init(wide).status, PERP_OK);
  gap_of(any, -1e6, -1e6);
  any.options.min_gap = -kInf;
  EXPECT_EQ(init(any).status, PERP_OK);
  gap_of(narrow, 0.0625, 0.0625);
  narrow.options.min_gap = 0.125;
  EXPECT_EQ(init(narrow).field, "initial gap");
}

TEST(Model, VelocitiesAndOutputsAreNotGaps) {
  specimen s;
  s.v0 = {-100, -100, -100};
  s.q0[2] = -1e-3;  // of the brake, which is no gap
  s.x0 = {-100, -100};
  s.q0[0] = s.q0[1] = 10;
  EXPECT_EQ(init(s).status, PERP_OK);
}

TEST(Model, DefaultOfTheSmallestGap) {
  EXPECT_EQ(perp_simulation_options_default().min_gap, -1e-3);
}

// -------------------------------------------------------------------------------- options ----

TEST(Options, HaveTheirDefaults) {
  perp_simulation_options o;
  std::memset(&o, 0x5A, sizeof o);
  perp_simulation_options_init(&o, sizeof o);
  EXPECT_EQ(o.struct_size, sizeof o);
  EXPECT_EQ(o.steps, 0);
  EXPECT_EQ(o.t0, 0);
  EXPECT_EQ(o.theta, 0.5);
  EXPECT_EQ(o.gamma, PERP_GAMMA_DEFAULT);
  EXPECT_EQ(o.grid, nullptr);
  EXPECT_EQ(o.thetas, nullptr);
  EXPECT_EQ(o.integrator, nullptr);
  EXPECT_EQ(o.integrators, nullptr);
  EXPECT_EQ(o.solver, nullptr);
  EXPECT_EQ(o.solver_options, nullptr);
  EXPECT_EQ(o.backend, nullptr);
  EXPECT_EQ(o.on_failure, PERP_FAILURE_STOP);
  EXPECT_EQ(o.max_halvings, 4);
  perp_simulation_options_init(nullptr, sizeof o);
}

TEST(Options, StructSizeIsChecked) {
  for (const std::uint32_t size :
       {0u, 4u, static_cast<std::uint32_t>(offsetof(perp_simulation_options, accept_tol)) - 8,
        5000u})
    expect([=](specimen &s) { s.options.struct_size = size; }, PERP_EINVAL, "options.struct_size",
           -1, size);
}

TEST(Options, StepsAndTimes) {
  for (const double h : {0.0, -0.0, -1.0, -DBL_MAX})
    expect([=](specimen &s) { s.options.h = h; }, PERP_EINVAL, "h", -1, h);
  for (const double bad : {kNaN, kInf, -kInf}) {
    expect([=](specimen &s) { s.options.h = bad; }, PERP_ENOTFINITE, "h", -1, bad);
    expect([=](specimen &s) { s.options.t0 = bad; }, PERP_ENOTFINITE, "t0", -1, bad);
  }
  for (const std::int32_t steps : {-1, INT32_MIN})
    expect([=](specimen &s) { s.options.steps = steps; }, PERP_EINVAL, "steps", -1, steps);
}

TEST(Options, GridsIncrease) {
  const auto with_grid = [](const breaker &fault) {
    return [fault](specimen &s) {
      s.options.steps = 3;
      s.options.grid = s.grid.data();
      fault(s);
    };
  };
  specimen good;
  with_grid([](specimen &) {})(good);
  EXPECT_EQ(init(good).status, PERP_OK);
  for (std::size_t i = 0; i < 4; i++)
    for (const double bad : {kNaN, kInf, -kInf})
      expect(with_grid([=](specimen &s) { s.grid[i] = bad; }), PERP_ENOTFINITE, "grid",
             static_cast<std::int32_t>(i), bad);
  expect(with_grid([](specimen &s) { s.grid[2] = 0.1; }), PERP_EINVAL, "grid", 2, 0.1);
  expect(with_grid([](specimen &s) { s.grid[3] = 0.2; }), PERP_EINVAL, "grid", 3, 0.2);
  expect(with_grid([](specimen &s) { s.options.steps = 0; }), PERP_EINVAL, "steps", -1, 0);
}

TEST(Options, ThetaAndGammaAreWithinTheirRanges) {
  for (const double bad : {-1e-9, 2 + 1e-9, -5.0, DBL_MAX})
    expect([=](specimen &s) { s.options.gamma = bad; }, PERP_EINVAL, "gamma", -1, bad);
  for (const double bad : {-1e-9, 1 + 1e-9, -5.0, DBL_MAX}) {
    expect([=](specimen &s) { s.options.theta = bad; }, PERP_EINVAL, "theta", -1, bad);
    for (std::size_t i = 0; i < 3; i++)
      expect(
          [=](specimen &s) {
            s.thetas[i] = bad;
            s.options.thetas = s.thetas.data();
          },
          PERP_EINVAL, "theta", static_cast<std::int32_t>(i), bad);
  }
  for (const double bad : {kNaN, kInf, -kInf}) {
    expect([=](specimen &s) { s.options.theta = bad; }, PERP_ENOTFINITE, "theta", -1, bad);
    expect([=](specimen &s) { s.options.gamma = bad; }, PERP_ENOTFINITE, "gamma", -1, bad);
    for (std::size_t i = 0; i < 3; i++)
      expect(
          [=](specimen &s) {
            s.thetas[i] = bad;
            s.options.thetas = s.thetas.data();
          },
          PERP_ENOTFINITE, "theta", static_cast<std::int32_t>(i), bad);
  }
  for (const double good : {0.0, 1.0}) {
    specimen s;
    s.options.theta = s.options.gamma = good;
    EXPECT_EQ(init(s).status, PERP_OK);
  }
}

TEST(Options, TheSmallestGapIsANumber) {
  expect([](specimen &s) { s.options.min_gap = kNaN; }, PERP_ENOTFINITE, "min_gap", -1, kNaN);
}

TEST(Options, IntegratorsFitTheirSystems) {
  expect([](specimen &s) { s.options.integrators = nullptr; }, PERP_EINVAL, "integrator", 0);
  expect([](specimen &s) { s.integrators[1] = nullptr; }, PERP_EINVAL, "integrator", 1);
  expect([](specimen &s) { s.integrators[1] = perp_integrator_moreau_jean(); }, PERP_EINVAL,
         "integrator", 1, 2);
  expect([](specimen &s) { s.integrators[2] = perp_integrator_theta(); }, PERP_EINVAL, "integrator",
         2, 1);
  expect(
      [](specimen &s) {
        s.options.integrators = nullptr;
        s.options.integrator = perp_integrator_theta();
      },
      PERP_EINVAL, "integrator", 0, 1);
  static perp_integrator broken = *perp_integrator_moreau_jean();
  broken.struct_size = 0;
  expect([](specimen &s) { s.integrators[0] = &broken; }, PERP_EINVAL, "integrator.struct_size", 0,
         0);
  static perp_integrator empty = *perp_integrator_moreau_jean();
  empty.weights = nullptr;
  expect([](specimen &s) { s.integrators[0] = &empty; }, PERP_EINVAL, "integrator.weights", 0);
}

TEST(Options, SolversAreThereAndAcceptTheLaws) {
  expect([](specimen &s) { s.options.solver = nullptr; }, PERP_EINVAL, "solver", -1);
  expect([](specimen &s) { s.options.solver = perp_solver_lemke(); }, PERP_EUNSUPPORTED, "law", 2,
         PERP_SET_BOX);
  static perp_solver broken = *perp_solver_active_set();
  const auto use = [](specimen &s) { s.options.solver = &broken; };
  broken.struct_size = 0;
  expect(use, PERP_EINVAL, "solver.struct_size", -1, 0);
  broken = *perp_solver_active_set();
  broken.method = nullptr; /* whose place solve and workspace take */
  EXPECT_EQ(
      [&] {
        specimen s;
        use(s);
        return init(s).status;
      }(),
      PERP_EINVAL);
  broken.workspace = [](const perp_shape *, const void *) { return std::size_t{8}; };
  EXPECT_EQ(
      [&] {
        specimen s;
        use(s);
        return init(s).status;
      }(),
      PERP_EINVAL);
  broken = *perp_solver_active_set();
  broken.matrices = 1u << PERP_DENSE;
  expect(use, PERP_EUNSUPPORTED, "M", -1, PERP_BLOCKS);
}

TEST(Options, SolverOptionsAreCheckedByInit) {
  static perp_active_set_options o;
  for (const double tol : {-1.0, kNaN}) {
    specimen s;
    o = perp_active_set_options_default();
    o.tol = tol;
    s.options.solver_options = &o;
    const verdict v = init(s);
    EXPECT_LT(v.status, 0);
    EXPECT_EQ(v.field, "tol");
  }
  specimen s;
  o = perp_active_set_options_default();
  o.struct_size = 0;
  s.options.solver_options = &o;
  EXPECT_EQ(init(s).status, PERP_EINVAL);
}

TEST(Options, FailurePoliciesAreKnown) {
  for (const std::int32_t bad : {-1, 3, INT32_MAX})
    expect([=](specimen &s) { s.options.on_failure = bad; }, PERP_EINVAL, "on_failure", -1, bad);
  for (const std::int32_t bad : {-1, 21, INT32_MAX, INT32_MIN})
    expect([=](specimen &s) { s.options.max_halvings = bad; }, PERP_EINVAL, "max_halvings", -1,
           bad);
}

TEST(Options, BackEndsAreComplete) {
  static perp_backend empty;
  empty = perp_backend{};
  expect([](specimen &s) { s.options.backend = &empty; }, PERP_EINVAL, "backend", -1, 0);
}

}  // namespace
