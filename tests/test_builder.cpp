// SPDX-License-Identifier: MIT
// The builder of models: what it builds has the bits of what was written by hand, though all that
// it was built from is overwritten; equal descriptions are one; users of callbacks end once; what
// is refused changes nothing.
#include <gtest/gtest.h>
#include <perp/experimental.h>

#include <cstdlib>
#include <limits>
#include <map>
#include <memory>

#include "random_model.hpp"
#include "sanitized.hpp"

// ---------------------------------------------------------- memory that is short

namespace {
long allocations_left = -1;  // -1: all succeed
}  // namespace

#if !SANITIZED && defined(__GLIBC__)
static bool refuse() { return allocations_left >= 0 && allocations_left-- == 0; }
extern "C" {
void *__libc_malloc(std::size_t);
void *__libc_calloc(std::size_t, std::size_t);
void *__libc_realloc(void *, std::size_t);
void *malloc(std::size_t n) { return refuse() ? nullptr : __libc_malloc(n); }
void *calloc(std::size_t k, std::size_t n) { return refuse() ? nullptr : __libc_calloc(k, n); }
void *realloc(void *p, std::size_t n) { return refuse() ? nullptr : __libc_realloc(p, n); }
}
#define COUNTS_ALLOCATIONS 1
#else
#define COUNTS_ALLOCATIONS 0
#endif

namespace {

using namespace tools;

struct built {
  perp_builder *b = nullptr;
  perp_info info = PERP_INFO_INIT;
  perp_status status = perp_builder_create(&b, &info);
  built() { EXPECT_EQ(status, PERP_OK); }
  built(const built &) = delete;
  ~built() { perp_builder_destroy(b); }

  std::int32_t add(const perp_system &s, const perp_owner *owner = nullptr) {
    std::int32_t id = 999;
    status = perp_builder_add(b, &s, owner, &id, &info);
    return id;
  }
  std::int32_t join(const perp_relation &r, const perp_law *law, const ids &on,
                    const perp_owner *of_relation = nullptr, const perp_owner *of_law = nullptr) {
    std::int32_t id = 999;
    const perp_interaction i = {&r, law, on.data(), count(on.size()), 0};
    status = perp_builder_connect(b, &i, of_relation, of_law, &id, &info);
    return id;
  }
  std::string field() const { return info.field == nullptr ? "" : info.field; }
  std::size_t descriptions() const { return perp_builder_descriptions(b); }
};

// Parameters, too: they are among what is overwritten.
void build(built &to, const world &w) {
  perp_owner nobody = PERP_OWNER_INIT;
  nobody.flags = PERP_COPY_PARAMETERS;
  const double *q = w.q0.data(), *v = w.v0.data(), *x = w.x0.data();
  for (const perp_system *s : w.system_list) {
    const std::int32_t id = to.add(*s, &nobody), n_q = s->n + s->ops->extra_q;
    ASSERT_EQ(to.status, PERP_OK) << to.field();
    if (s->ops->order == 1) {
      ASSERT_EQ(perp_builder_set_x(to.b, id, s->n, x, &to.info), PERP_OK);
      x += s->n;
    } else {
      ASSERT_EQ(perp_builder_set_q(to.b, id, n_q, q, &to.info), PERP_OK);
      ASSERT_EQ(perp_builder_set_v(to.b, id, s->n, v, &to.info), PERP_OK);
      q += n_q;
      v += s->n;
    }
  }
  for (const perp_interaction *i : w.interaction_list) {
    ASSERT_EQ(perp_builder_connect(to.b, i, &nobody, nullptr, nullptr, &to.info), PERP_OK)
        << to.field();
  }
}

// Nothing of what was described is left but functions and what they are handed.
template <class T>
void overwrite(std::deque<T> &all) {
  for (T &one : all) std::memset(static_cast<void *>(&one), 0xA5, sizeof one);
}
void overwrite(world &w) {
  for (vec &x : w.numbers) x.assign(x.size(), std::numeric_limits<double>::quiet_NaN());
  for (ids &x : w.joined) x.assign(x.size(), -1);
  overwrite(w.bodies), overwrite(w.circuits), overwrite(w.contacts), overwrite(w.ports);
  overwrite(w.equalities), overwrite(w.complementarities), overwrite(w.impacts);
  overwrite(w.boxes), overwrite(w.frictions), overwrite(w.rollings), overwrite(w.interactions);
}
void overwrite(random_model &m) {
  overwrite(static_cast<world &>(m));
  overwrite(m.lagrangians), overwrite(m.rigid), overwrite(m.nonlinear), overwrite(m.gaps);
  overwrite(m.wheels), overwrite(m.rubs), overwrite(m.drives), overwrite(m.varying);
  overwrite(m.diodes), overwrite(m.touches), overwrite(m.planes), overwrite(m.pairs);
  overwrite(m.joints), overwrite(m.mixeds), overwrite(m.polyhedra), overwrite(m.springs);
  overwrite(m.fremonds), overwrite(m.glues), overwrite(m.users);
}

// The state after each step until one is not taken, and how that ended.
std::pair<std::vector<std::vector<unsigned char>>, perp_status> bits(
    const perp_model &m, const perp_simulation_options &o) {
  run r(m, o);
  EXPECT_EQ(r.status, PERP_OK) << (r.info.field == nullptr ? "" : r.info.field);
  std::vector<std::vector<unsigned char>> all;
  perp_status status = r.status;
  for (int k = 0; k < 40 && status == PERP_OK; k++) {
    status = r.step();
    all.push_back(r.bytes());
  }
  return {all, status};
}

// --------------------------------------------------------------------- bits

TEST(Builder, RandomModelsHaveTheBitsOfThoseWrittenByHand) {
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 0; seed < 160; seed++) {
    random_model m(seed);
    run probe(m.model, m.options);
    if (probe.status != PERP_OK) continue;
    for (const perp_system *s : m.system_list) seen[s->ops->name]++;
    for (const perp_interaction *i : m.interaction_list) {
      seen[i->relation->ops->name]++;
      seen[i->law->ops->name]++;
    }
    const auto by_hand = bits(m.model, m.options);
    built b;
    build(b, m);
    overwrite(m);
    ASSERT_TRUE(bits(*perp_builder_model(b.b), m.options) == by_hand) << seed;
  }
  EXPECT_GE(seen.size(), 24u);
  for (const auto &[kind, times] : seen) EXPECT_GE(times, 1) << kind;
}

TEST(Builder, SparseMatricesAndGapsBetweenColumnsAreCopied) {
  world w;
  const ids start = {0, 2, 4}, column = {0, 1, 0, 1};
  ids starts = start, columns = column;
  perp_lagrangian_linear &s = w.body(2);
  s.M = perp_compressed_rows(2, starts.data(), columns.data(), w.keep({2, 0.5, 0.5, 3}));
  s.K = perp_dense(2, 2, w.keep({4, 1, std::nan(""), 1, 5, std::nan("")}));
  s.K.ld = 3;
  s.C = perp_diagonal(2, w.keep({0.1, 0.2}));
  w.add(s.system);
  perp_lagrangian_linear_relation &r = w.contacts.emplace_back();
  perp_lagrangian_linear_relation_init(&r, sizeof r, 1, 2);
  r.H_rows = perp_sparse_rows(1, 2, starts.data(), columns.data(), w.keep({1, 1}));
  w.join(r.relation, w.impact(0.5), {0});
  w.q0 = {1, 2};
  w.v0 = {-3, -1};
  w.options.sparse = perp_sparse_klu();
  w.options.min_gap = -10;
  w.finish();
  const auto by_hand = bits(w.model, w.options);
  built b;
  build(b, w);
  overwrite(w);
  starts = {-7, -7, -7}, columns = {-7, -7, -7, -7};
  EXPECT_TRUE(bits(*perp_builder_model(b.b), w.options) == by_hand);
}

// Two bodies on an axle with a stop and a gear, and one held by a prescribed motion.
TEST(Builder, DescriptionsWithinDescriptionsAreCopied) {
  world w;
  perp_body &s = *std::make_unique<perp_body>().release();
  const std::unique_ptr<perp_body> owned(&s);
  perp_body_init(&s, sizeof s);
  w.add(s.system), w.add(s.system);
  w.q0 = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0};
  w.v0 = {0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, -1};
  const double at[] = {0.5, 0, 0}, axis[] = {0, 0, 1};
  perp_joint hinge;
  perp_joint_init(&hinge, sizeof hinge, PERP_JOINT_PIVOT, 2);
  perp_joint_place(&hinge, at, axis, w.q0.data(), w.q0.data() + 7);
  perp_joint_coordinate stop;
  perp_joint_coordinate_init(&stop, sizeof stop, &hinge, PERP_COORDINATE_ANGLE,
                             PERP_COORDINATE_STOPS);
  stop.lower = -0.02, stop.upper = 0.03;
  ids index = {2};
  vec constant = {0.125};
  perp_harmonic waves[] = {{0.25, 3, 0.5}, {0.1, 7, 0}};
  perp_prescribed_velocity drive;
  perp_prescribed_velocity_init(&drive, sizeof drive, 1, 6);
  drive.index = index.data();
  drive.constant = constant.data();
  drive.harmonics = waves;
  drive.n_harmonics = 2;
  perp_gear gear;
  perp_gear_init(&gear, sizeof gear, 2);
  gear.teeth_a = 3, gear.teeth_b = 2;
  w.join(hinge.relation, w.equality(5), {0, 1});
  w.join(stop.relation, w.impact(0.25), {0, 1});
  w.join(drive.relation, w.equality(), {0});
  w.join(gear.relation, w.equality(), {0, 1});
  w.options.solver = perp_solver_auto();
  w.finish();
  const auto by_hand = bits(w.model, w.options);
  built b;
  build(b, w);
  overwrite(w);
  std::memset(static_cast<void *>(&s), 0xA5, sizeof s);
  std::memset(static_cast<void *>(&hinge), 0xA5, sizeof hinge);
  std::memset(static_cast<void *>(&stop), 0xA5, sizeof stop);
  std::memset(static_cast<void *>(&drive), 0xA5, sizeof drive);
  std::memset(static_cast<void *>(waves), 0xA5, sizeof waves);
  index = {-9}, constant = {std::nan("")};
  EXPECT_TRUE(bits(*perp_builder_model(b.b), w.options) == by_hand);
  EXPECT_GT(by_hand.first.size(), 20u);
}

// A ball on a graph of three pieces, made by hand and by the builder.
TEST(Builder, GraphsBecomeRelationsOfTheirPieces) {
  world w;
  w.add(w.circuit(1).system);
  w.circuits[0].A = perp_diagonal(1, w.keep({-1}));
  w.circuits[0].b = w.keep({0.75});
  perp_linear_relation &port = w.port(1, 1, {1});
  port.B = w.keep({1});
  vec y = {-0.5, -0.5, 0.5, 0.5}, lambda = {1, 0, 0, -1};
  perp_piecewise_linear graph = PERP_PIECEWISE_LINEAR_INIT;
  graph.points = 4, graph.y = y.data(), graph.lambda = lambda.data();
  std::vector<unsigned char> memory(perp_piecewise_relation_memory(&port.relation, &graph));
  perp_piecewise_relation pieces;
  ASSERT_EQ(perp_piecewise_relation_init(&pieces, sizeof pieces, &port.relation, &graph,
                                         memory.data(), memory.size(), nullptr),
            PERP_OK);
  w.join(pieces.relation, &pieces.pieces.box.law, {0});
  w.x0 = {2};
  w.options.integrator = perp_integrator_theta();
  w.options.solver = perp_solver_auto();
  w.finish();
  const auto by_hand = bits(w.model, w.options);
  built b;
  const double x0 = 2;
  const std::int32_t one = b.add(w.circuits[0].system);
  ASSERT_EQ(perp_builder_set_x(b.b, one, 1, &x0, nullptr), PERP_OK);
  const perp_interaction i = {&port.relation, nullptr, &one, 1, 0};
  std::int32_t id = 999;
  ASSERT_EQ(perp_builder_connect_graph(b.b, &i, &graph, nullptr, &id, &b.info), PERP_OK);
  EXPECT_EQ(id, 0);
  ASSERT_NE(perp_builder_pieces(b.b, 0), nullptr);
  EXPECT_EQ(perp_builder_pieces(b.b, 0)->relation.m, pieces.relation.m);
  EXPECT_EQ(b.descriptions(), 3u);  // the circuit, the port, the graph over it
  const std::int32_t other = b.add(w.circuits[0].system);
  const perp_interaction again = {&port.relation, nullptr, &other, 1, 0};
  ASSERT_EQ(perp_builder_connect_graph(b.b, &again, &graph, nullptr, nullptr, nullptr), PERP_OK);
  EXPECT_EQ(b.descriptions(), 3u);
  lambda[3] = -2;
  ASSERT_EQ(perp_builder_connect_graph(b.b, &again, &graph, nullptr, nullptr, nullptr), PERP_OK);
  EXPECT_EQ(b.descriptions(), 4u);
  lambda[3] = 2;  // increases
  EXPECT_EQ(perp_builder_connect_graph(b.b, &again, &graph, nullptr, nullptr, nullptr),
            PERP_EINVAL);
  lambda[3] = -1;
  const auto expect_refused = [&](perp_interaction wrong, const char *field) {
    EXPECT_EQ(perp_builder_connect_graph(b.b, &wrong, &graph, nullptr, &id, &b.info), PERP_EINVAL);
    EXPECT_STREQ(b.info.field, field);
    EXPECT_EQ(id, -1);
  };
  const std::int32_t unknown = 7;
  expect_refused({&port.relation, nullptr, &one, -1, 0}, "n_systems");
  expect_refused({&port.relation, nullptr, nullptr, 1, 0}, "n_systems");
  expect_refused({&port.relation, nullptr, &unknown, 1, 0}, "interaction.systems");
  expect_refused({nullptr, nullptr, &one, 1, 0}, "relation");
  expect_refused({&port.relation, w.equality(), &one, 1, 0}, "law");
  EXPECT_LT(perp_builder_connect_graph(b.b, &i, nullptr, nullptr, &id, &b.info), 0);
  EXPECT_EQ(b.descriptions(), 4u);
  lambda[3] = 2;
  EXPECT_EQ(b.join(pieces.relation, &pieces.pieces.box.law, {0}), -1);
  EXPECT_EQ(b.status, PERP_EUNSUPPORTED);
  built alone;
  (void)alone.add(w.circuits[0].system);
  (void)perp_builder_set_x(alone.b, 0, 1, &x0, nullptr);
  lambda[3] = -1;
  ASSERT_EQ(perp_builder_connect_graph(alone.b, &i, &graph, nullptr, &id, nullptr), PERP_OK);
  overwrite(w);
  y.assign(4, std::nan("")), lambda.assign(4, std::nan(""));
  EXPECT_TRUE(bits(*perp_builder_model(alone.b), w.options) == by_hand);
}

// ------------------------------------------------------------------- sharing

TEST(Builder, AThousandEqualBeadsAreOneDescription) {
  built b;
  world w;
  for (std::int32_t i = 0; i < 1000; i++) {  // each from arrays of its own
    perp_lagrangian_linear &bead = w.body(vec{0.5});
    bead.f = w.keep({-4.9});
    ASSERT_EQ(b.add(bead.system), i);
    const perp_relation &gap =
        i == 0 ? w.contact(1, 1, {1}).relation : w.contact(1, 2, {-1, 1}).relation;
    ASSERT_EQ(b.join(gap, w.impact(0.5), i == 0 ? ids{0} : ids{i - 1, i}), i);
  }
  EXPECT_EQ(b.descriptions(), 4u);
  const perp_model &m = *perp_builder_model(b.b);
  for (int i = 1; i < 1000; i++) EXPECT_EQ(m.systems[i], m.systems[0]);
  w.bodies.back().f = w.keep({std::nextafter(-4.9, 0)});  // one bit more is another one
  built other;
  (void)other.add(w.bodies.front().system), (void)other.add(w.bodies.back().system);
  EXPECT_EQ(other.descriptions(), 2u);
}

TEST(Builder, ManyDifferentDescriptionsTakeTimeInProportion) {
  built b;
  world w;
  for (std::int32_t i = 0; i < 20000; i++) {
    w.numbers.clear(), w.bodies.clear();
    ASSERT_EQ(b.add(w.body(vec{1.0 + i}).system), i);
  }
  EXPECT_EQ(b.descriptions(), 20000u);
}

TEST(Builder, WhatOneFieldTellsApartIsNotShared) {
  world w;
  built b;
  perp_lagrangian_linear &s = w.body(vec{1, 2});
  std::size_t kinds = 0;
  const auto expect_new = [&] {
    (void)b.add(s.system);
    EXPECT_EQ(b.descriptions(), ++kinds);
    (void)b.add(s.system);
    EXPECT_EQ(b.descriptions(), kinds);
  };
  expect_new();
  s.C = perp_diagonal(2, w.keep({1, 2})), expect_new();
  s.K = perp_diagonal(2, w.keep({1, 2})), expect_new();
  std::swap(s.C, s.K);
  s.K = {}, s.K = s.C, s.C = {}, expect_new();  // the same numbers in another field
  s.f = w.keep({0, 0}), expect_new();
  s.f = w.keep({-0.0, 0}), expect_new();
  s.typical_q = w.keep({1, 1}), expect_new();
  s.force = [](double, double *, void *) { return 0; };
  expect_new();
  int user = 0;
  s.user = &user, expect_new();
  s.K = perp_dense(2, 2, w.keep({1, 0, 0, 2})), expect_new();
}

// -------------------------------------------------------------------- owners

struct counter {
  int destroyed = 0;
  int id = 0;
  static void destroy(void *user) { static_cast<counter *>(user)->destroyed++; }
};
perp_owner owned_by(counter &c, bool keyed = false) {
  perp_owner o = PERP_OWNER_INIT;
  o.user = &c;
  o.destroy = counter::destroy;
  if (keyed) o.key = &c.id, o.key_bytes = sizeof c.id;
  return o;
}
std::int32_t push(double, double *f, void *user) {
  f[0] = static_cast<counter *>(user)->id;
  return 0;
}

TEST(Builder, UsersEndOnceAtTheirLastUse) {
  counter a, same, other, twice;
  a.id = same.id = 7, other.id = 8;
  world w;
  perp_lagrangian_linear &s = w.body(vec{1});
  s.force = push;
  perp_builder *copy = nullptr;
  {
    built b;
    const auto add = [&](counter &c, bool keyed) {
      s.user = &c;
      const perp_owner o = owned_by(c, keyed);
      (void)b.add(s.system, &o);
      ASSERT_EQ(b.status, PERP_OK);
    };
    add(a, true), add(a, true);
    EXPECT_EQ(a.destroyed, 0);
    add(same, true);  // does the same: not needed
    EXPECT_EQ(same.destroyed, 1);
    EXPECT_EQ(b.descriptions(), 1u);
    add(other, true);
    EXPECT_EQ(b.descriptions(), 2u);
    add(twice, false);
    s.f = w.keep({1});
    add(twice, false);  // one user of two descriptions
    EXPECT_EQ(b.descriptions(), 4u);
    ASSERT_EQ(perp_builder_copy(&copy, b.b, nullptr), PERP_OK);
    EXPECT_EQ(perp_builder_descriptions(copy), 4u);
  }
  EXPECT_EQ(a.destroyed + other.destroyed + twice.destroyed, 0);
  const perp_model &m = *perp_builder_model(copy);
  EXPECT_EQ(m.systems[2], m.systems[0]);
  double f = 0;
  const auto &kept = *reinterpret_cast<const perp_lagrangian_linear *>(m.systems[2]);
  EXPECT_EQ(kept.force(0, &f, kept.user), 0);
  EXPECT_EQ(f, 7);
  EXPECT_EQ(kept.user, &a);
  perp_builder_destroy(copy);
  EXPECT_EQ(a.destroyed, 1);
  EXPECT_EQ(same.destroyed, 1);
  EXPECT_EQ(other.destroyed, 1);
  EXPECT_EQ(twice.destroyed, 1);
}

std::int32_t restitute(std::int32_t, const perp_law_step *begin, double *q, void *) {
  q[0] += 0.5 * begin->ydot[0];
  return 0;
}

TEST(Builder, RelationAndLawMayHaveOneUser) {
  for (const bool again : {false, true}) {
    counter c;
    world w;
    {
      built b;
      (void)b.add(w.body(vec{1}).system);
      perp_lagrangian_relation r;
      perp_lagrangian_scleronomous_init(&r, sizeof r, 1, 1);
      r.h = [](double, const double *q, const double *, const double *, double *y, void *) {
        y[0] = q[0];
        return 0;
      };
      r.user = &c;
      perp_user_impact law;
      perp_user_impact_init(&law, sizeof law, 1);
      law.restitute = restitute;
      law.user = &c;
      const perp_owner o = owned_by(c);
      for (int k = 0; k < (again ? 2 : 1); k++) {
        (void)b.join(r.relation, &law.friction.law, {0}, &o, &o);
        ASSERT_EQ(b.status, PERP_OK) << b.field();
      }
      EXPECT_EQ(c.destroyed, 0);
      EXPECT_EQ(b.descriptions(), 3u);
    }
    EXPECT_EQ(c.destroyed, 1);
  }
}

TEST(Builder, ParametersAreReadWhereTheyAreUnlessTheyAreToBeCopied) {
  world w;
  double z = 1;
  perp_lagrangian_linear_relation &r = w.contact(1, 1, {1});
  r.F = w.keep({1});
  r.z = &z;
  r.n_z = 1;
  built b;
  (void)b.add(w.body(vec{1}).system);
  perp_owner copies = PERP_OWNER_INIT;
  copies.flags = PERP_COPY_PARAMETERS;
  const perp_law *law = w.impact(0.5);
  (void)b.join(r.relation, law, {0});
  (void)b.join(r.relation, law, {0}, &copies);
  double equal = 1;
  r.z = &equal;
  (void)b.join(r.relation, law, {0});
  (void)b.join(r.relation, law, {0}, &copies);
  EXPECT_EQ(b.descriptions(), 5u);  // system, law, at z, at equal, by value
  const perp_model &m = *perp_builder_model(b.b);
  const auto z_of = [&](int i) {
    return reinterpret_cast<const perp_lagrangian_linear_relation *>(m.interactions[i]->relation)
        ->z;
  };
  EXPECT_EQ(z_of(0), &z);
  EXPECT_EQ(z_of(2), &equal);
  EXPECT_EQ(z_of(1), z_of(3));
  z = equal = 2;
  EXPECT_EQ(*z_of(1), 1);
}

TEST(Builder, ArraysThatAreKeptStayWhereTheyAre) {
  world w;
  const vec large = {2, 1, 0, 1, 2, 0}, equal = large;
  perp_lagrangian_linear &s = w.body(2);
  s.f = w.keep({1, 2});
  built b;
  const auto add = [&](const vec &M) {
    s.M = perp_dense(2, 2, M.data());
    s.M.ld = 3;
    const void *const kept[] = {M.data()};
    perp_owner o = PERP_OWNER_INIT;
    o.kept = kept, o.n_kept = 1;
    (void)b.add(s.system, &o);
  };
  add(large), add(large), add(equal);
  EXPECT_EQ(b.descriptions(), 2u);
  const auto &c =
      *reinterpret_cast<const perp_lagrangian_linear *>(perp_builder_model(b.b)->systems[0]);
  EXPECT_EQ(c.M.values, large.data());
  EXPECT_EQ(c.M.ld, 3);
  EXPECT_NE(c.f, s.f);
}

// ------------------------------------------------------------- pointers, one by one

// Every pointer of a description leads into the copy, and users with one key are alike: field by
// field, so that what a table forgets is seen.
struct audit {
  struct array {
    const double **at;
    std::size_t size;
  };
  world w;
  counter first, second;
  perp_lagrangian_linear &mass = w.body(vec{1, 2});
  perp_first_order_linear &tank = w.circuit(2);
  perp_body rigid;

  audit() { perp_body_init(&rigid, sizeof rigid); }

  void fill(const std::vector<array> &arrays, const std::vector<void **> &users, counter &c) {
    for (const array &a : arrays) {
      vec x(a.size);
      for (std::size_t i = 0; i < a.size; i++) x[i] = 1.5 + double(i);
      *a.at = w.keep(x);
    }
    for (void **user : users) *user = &c;
  }
  perp_owner owner(counter &c) {
    perp_owner o = owned_by(c, true);
    o.flags = PERP_COPY_PARAMETERS;
    return o;
  }
  template <class C, class Put>
  void check(const char *kind, const C &c, const std::vector<array> &arrays,
             const std::vector<void **> &users, Put &&put) {
    SCOPED_TRACE(kind);
    first = second = counter{};
    fill(arrays, users, first);
    built one, both;
    const perp_owner o = owner(first);
    const char *copy = static_cast<const char *>(put(one, o, true));
    ASSERT_EQ(one.status, PERP_OK) << one.field();
    for (const array &a : arrays) {
      const auto offset = reinterpret_cast<const char *>(a.at) - reinterpret_cast<const char *>(&c);
      const double *now = nullptr;
      std::memcpy(&now, copy + offset, sizeof now);
      ASSERT_NE(now, *a.at) << offset;
      EXPECT_EQ(std::memcmp(now, *a.at, a.size * sizeof *now), 0) << offset;
    }
    (void)put(both, owner(first), false);
    const std::size_t count = both.descriptions();
    fill(arrays, users, second);
    (void)put(both, owner(second), false);
    EXPECT_EQ(both.status, PERP_OK) << both.field();
    EXPECT_EQ(both.descriptions(), count);
    EXPECT_EQ(second.destroyed, users.empty() ? second.destroyed : 1);
  }
  template <class C>
  void system(const char *kind, C &c, const std::vector<array> &arrays,
              const std::vector<void **> &users) {
    check(kind, c, arrays, users, [&](built &b, const perp_owner &o, bool take) -> const void * {
      (void)b.add(c.system, &o);
      return take ? perp_builder_model(b.b)->systems[0] : nullptr;
    });
  }
  const void *joined(built &b, const perp_relation &r, const perp_law *law, const perp_owner &o,
                     const perp_owner *of_law, const perp_system &on, bool take) {
    const std::int32_t id = b.add(on);
    (void)b.join(r, law, {id}, of_law == nullptr ? &o : nullptr, of_law);
    if (b.status != PERP_OK || !take) return nullptr;
    const perp_interaction *i = perp_builder_model(b.b)->interactions[0];
    return of_law == nullptr ? static_cast<const void *>(i->relation) : i->law;
  }
  template <class C>
  void relation(const char *kind, C &c, const perp_relation &r, const perp_system &on,
                const perp_law *law, const std::vector<array> &arrays,
                const std::vector<void **> &users) {
    check(kind, c, arrays, users, [&](built &b, const perp_owner &o, bool take) {
      return joined(b, r, law, o, nullptr, on, take);
    });
  }
  template <class C>
  void law(const char *kind, C &c, const perp_law &l, const std::vector<array> &arrays,
           const std::vector<void **> &users) {
    check(kind, c, arrays, users, [&](built &b, const perp_owner &o, bool take) {
      return joined(b, w.contact(2, 2, {1, 0, 0, 1}).relation, &l, o, &o, mass.system, take);
    });
  }
};
std::int32_t nothing(double, const double *, const double *, const double *, double *, void *) {
  return 0;
}
std::int32_t nothing_first(double, const double *, const double *, double *, void *) { return 0; }
std::int32_t nothing_of_time(double, double *, void *) { return 0; }

TEST(Builder, EveryPointerOfASystemIsCopied) {
  audit a;
  const auto controlled = [](perp_control &c) { c.n_u = 1, c.u = nothing; };
  perp_lagrangian_linear &l = a.w.body(2);
  l.M = perp_diagonal(2, nullptr), l.C = l.K = l.M, l.force = nothing_of_time, l.n_z = 2;
  controlled(l.control);
  a.system("Lagrangian linear", l,
           {{&l.M.values, 2},
            {&l.C.values, 2},
            {&l.K.values, 2},
            {&l.f, 2},
            {&l.control.T, 2},
            {&l.z, 2},
            {&l.typical_q, 2},
            {&l.typical_v, 2}},
           {&l.user, &l.control.user});
  perp_lagrangian n;
  perp_lagrangian_init(&n, sizeof n, 2);
  n.M = perp_diagonal(2, nullptr), n.internal = nothing, n.n_z = 2;
  controlled(n.control);
  a.system("Lagrangian", n,
           {{&n.M.values, 2},
            {&n.f, 2},
            {&n.control.T, 2},
            {&n.z, 2},
            {&n.typical_q, 2},
            {&n.typical_v, 2}},
           {&n.user, &n.control.user});
  perp_first_order_linear &x = a.w.circuit(2);
  x.M = perp_diagonal(2, nullptr), x.A = x.M, x.input = nothing_of_time, x.n_z = 2;
  controlled(x.control);
  a.system("first-order linear", x,
           {{&x.M.values, 2},
            {&x.A.values, 2},
            {&x.b, 2},
            {&x.control.T, 2},
            {&x.z, 2},
            {&x.typical, 2}},
           {&x.user, &x.control.user});
  perp_first_order f;
  perp_first_order_init(&f, sizeof f, 2);
  f.M = perp_diagonal(2, nullptr), f.f = nothing_first, f.n_z = 2;
  controlled(f.control);
  a.system("first-order", f, {{&f.M.values, 2}, {&f.control.T, 2}, {&f.z, 2}, {&f.typical, 2}},
           {&f.user, &f.control.user});
  perp_body b;
  perp_body_init(&b, sizeof b);
  b.force = [](double, const double *, const double *, double *, void *) { return 0; };
  b.n_z = 2;
  controlled(b.control);
  a.system("body", b, {{&b.control.T, 6}, {&b.z, 2}}, {&b.user, &b.control.user});
}

TEST(Builder, EveryPointerOfARelationIsCopied) {
  audit a;
  const perp_law *law = a.w.equality();
  const perp_system &x = a.tank.system, &q = a.mass.system;
  perp_linear_relation l;
  perp_linear_relation_init(&l, sizeof l, 1, 2);
  l.n_z = 2;
  a.relation("linear", l, l.relation, x, law,
             {{&l.C, 2}, {&l.D, 1}, {&l.B, 2}, {&l.F, 2}, {&l.e, 1}, {&l.a, 2}, {&l.z, 2}}, {});
  perp_linear_varying_relation v;
  perp_linear_varying_relation_init(&v, sizeof v, 1, 2);
  v.e = nothing_of_time, v.linear.n_z = 2;
  perp_linear_relation &c = v.linear;
  a.relation("linear varying", v, c.relation, x, law,
             {{&c.C, 2}, {&c.D, 1}, {&c.B, 2}, {&c.F, 2}, {&c.a, 2}, {&c.z, 2}}, {&v.user});
  v.e = nullptr, v.a = nothing_of_time, c.a = nullptr;
  a.relation("linear varying, e", v, c.relation, x, law, {{&c.C, 2}, {&c.e, 1}}, {&v.user});
  perp_first_order_relation f;
  perp_first_order_relation_init(&f, sizeof f, 1, 2);
  f.h = nothing, f.n_z = 2;
  a.relation("first-order", f, f.relation, x, law,
             {{&f.z, 2}, {&f.typical_x, 2}, {&f.typical_lambda, 1}}, {&f.user});
  perp_lagrangian_linear_relation g;
  perp_lagrangian_linear_relation_init(&g, sizeof g, 1, 2);
  g.n_z = 2;
  a.relation("Lagrangian linear", g, g.relation, q, law,
             {{&g.H, 2}, {&g.D, 1}, {&g.F, 2}, {&g.b, 1}, {&g.z, 2}}, {});
  perp_lagrangian_relation h;
  perp_lagrangian_compliant_init(&h, sizeof h, 1, 2);
  h.h = nothing, h.n_z = 2;
  a.relation("Lagrangian", h, h.relation, q, law,
             {{&h.z, 2}, {&h.typical_q, 2}, {&h.typical_lambda, 1}}, {&h.user});
  perp_lagrangian_velocity_relation w;
  perp_lagrangian_velocity_relation_init(&w, sizeof w, 1, 2);
  w.g = nothing, w.n_z = 2;
  a.relation("velocities", w, w.relation, q, law, {{&w.z, 2}, {&w.typical_v, 2}}, {&w.user});
  perp_lagrangian_contact_relation t;
  perp_lagrangian_contact_relation_init(&t, sizeof t, 1, 2, 2);
  t.h = t.T = nothing, t.n_z = 2;
  a.relation("contact", t, t.relation, q, a.w.friction(2, 0.5), {{&t.z, 2}, {&t.typical_q, 2}},
             {&t.user});
  perp_prescribed_velocity p;
  perp_prescribed_velocity_init(&p, sizeof p, 1, 2);
  const std::int32_t index = 1;
  p.index = &index, p.velocity = nothing_of_time;
  a.relation("prescribed", p, p.relation, q, law, {{&p.constant, 1}}, {&p.user});
  perp_body_contact s;
  perp_body_contact_init(&s, sizeof s, 1, 1);
  s.locate = [](double, const double *, perp_contact_place *, void *) { return 0; };
  a.relation("body contact", s, s.relation, a.rigid.system, law, {}, {&s.user});
  perp_joint hinge;
  perp_joint_init(&hinge, sizeof hinge, PERP_JOINT_PIVOT, 1);
  perp_joint_coordinate r;
  perp_joint_coordinate_init(&r, sizeof r, &hinge, PERP_COORDINATE_ANGLE, PERP_COORDINATE_RATE);
  r.rate = nothing_of_time;
  a.relation("coordinate", r, r.relation, a.rigid.system, law, {}, {&r.user});
}

TEST(Builder, EveryPointerOfALawIsCopied) {
  audit a;
  perp_box b;
  perp_box_init(&b, sizeof b);
  b.law.size = 2;
  a.law("box", b, b.law, {{&b.lower, 2}, {&b.upper, 2}}, {});
  perp_polyhedron p;
  perp_polyhedron_init(&p, sizeof p);
  p.law.size = 2, p.H = perp_dense(2, 2, nullptr);
  a.law("polyhedron", p, p.law, {{&p.H.values, 4}, {&p.K, 2}}, {});
  perp_user_impact u;
  perp_user_impact_init(&u, sizeof u, 1);
  u.restitute = restitute;
  a.law("user impact", u, u.friction.law, {}, {&u.user});
}

TEST(Builder, APoolHasCopiesOfItsLaws) {
  counter c, of_law;
  world w;
  {
    built b;
    perp_user_impact law;
    perp_user_impact_init(&law, sizeof law, 3);
    law.restitute = restitute;
    law.user = &of_law;
    const perp_law *const laws[] = {&law.friction.law, &law.friction.law};
    perp_contact_pool pool = PERP_CONTACT_POOL_INIT;
    pool.capacity = 4, pool.n_laws = 2, pool.laws = laws;
    pool.user = &c;
    const perp_owner o = owned_by(c), one = owned_by(of_law), other = owned_by(of_law);
    const perp_owner *const l[] = {&one, &other};
    EXPECT_EQ(perp_builder_pool(b.b, &pool, &o, l, &b.info), PERP_EINVAL);
    EXPECT_STREQ(b.info.field, "pool.find");
    EXPECT_EQ(b.descriptions(), 0u);
    pool.find = [](double, const perp_simulation *, perp_pool_writer *, void *) { return 0; };
    ASSERT_EQ(perp_builder_pool(b.b, &pool, &o, l, &b.info), PERP_OK) << b.info.field;
    EXPECT_EQ(b.descriptions(), 1u);
    const perp_contact_pool *taken = perp_builder_model(b.b)->pool;
    ASSERT_NE(taken, nullptr);
    EXPECT_EQ(taken->laws[0], taken->laws[1]);
    EXPECT_NE(taken->laws[0], laws[0]);
    EXPECT_EQ(perp_builder_pool(b.b, &pool, &o, l, &b.info), PERP_EINVAL);
    EXPECT_EQ(c.destroyed + of_law.destroyed, 0);
  }
  EXPECT_EQ(c.destroyed, 1);
  EXPECT_EQ(of_law.destroyed, 1);
}

// -------------------------------------------------------------------- misuse

TEST(Builder, WhatIsRefusedChangesNothingAndOwnsNothing) {
  counter c;
  const perp_owner o = owned_by(c);
  world w;
  built b;
  const auto expect = [&](perp_status status, const char *field) {
    EXPECT_EQ(b.status, status) << field;
    EXPECT_EQ(b.field(), field);
    EXPECT_EQ(c.destroyed, 0) << field;
    EXPECT_EQ(b.descriptions(), 1u) << field;
  };
  perp_lagrangian_linear &s = w.body(vec{1});
  ASSERT_EQ(b.add(s.system), 0);
  const perp_lagrangian_linear good = s;
  s.M = perp_diagonal(1, w.keep({-1}));
  EXPECT_EQ(b.add(s.system, &o), -1), expect(PERP_EINVAL, "M");
  s.M = perp_diagonal(1, w.keep({std::nan("")}));
  EXPECT_EQ(b.add(s.system, &o), -1), expect(PERP_ENOTFINITE, "M");
  s = good;
  s.system.n = -1;
  EXPECT_EQ(b.add(s.system, &o), -1), expect(PERP_EINVAL, "systems.n");
  s = good;
  perp_owner bad = o;
  bad.struct_size = 0;
  EXPECT_EQ(b.add(s.system, &bad), -1), expect(PERP_EINVAL, "owner.struct_size");
  bad = o, bad.key_bytes = 3;
  EXPECT_EQ(b.add(s.system, &bad), -1), expect(PERP_EINVAL, "owner.key");
  bad = o, bad.n_kept = 1;
  EXPECT_EQ(b.add(s.system, &bad), -1), expect(PERP_EINVAL, "owner.kept");
  bad = o, bad.flags = 8;
  EXPECT_EQ(b.add(s.system, &bad), -1), expect(PERP_EINVAL, "owner.flags");
  const perp_relation &r = w.contact(1, 1, {1}).relation;
  const perp_relation &two = w.contact(1, 2, {1, 1}).relation;
  EXPECT_EQ(b.join(r, w.impact(0.5), {1}, &o), -1), expect(PERP_EINVAL, "interaction.systems");
  EXPECT_EQ(b.join(r, w.impact(0.5), {-1}, &o), -1), expect(PERP_EINVAL, "interaction.systems");
  EXPECT_EQ(b.join(two, w.impact(0.5), {0, 0}, &o), -1), expect(PERP_EINVAL, "interaction.systems");
  EXPECT_EQ(b.join(two, w.impact(0.5), {0}, &o), -1), expect(PERP_EINVAL, "relation.n");
  EXPECT_EQ(b.join(r, w.impact(2), {0}, &o), -1), expect(PERP_EINVAL, "e");
  EXPECT_EQ(b.join(r, w.impact(0.5, 2), {0}, &o), -1), expect(PERP_EINVAL, "law.size");
  EXPECT_EQ(b.join(r, nullptr, {0}, &o), -1), expect(PERP_EINVAL, "law");
  EXPECT_EQ(b.join(w.port(1, 1, {1}).relation, w.box({-1}, {1}), {0}, &o), -1);
  expect(PERP_EINVAL, "order");
  b.status = perp_builder_connect(b.b, nullptr, &o, nullptr, nullptr, &b.info);
  expect(PERP_EINVAL, "interaction");
  b.status = perp_builder_add(b.b, nullptr, &o, nullptr, &b.info), expect(PERP_EINVAL, "systems");
  b.status = perp_builder_pool(b.b, nullptr, &o, nullptr, &b.info), expect(PERP_EINVAL, "pool");
  const double one[] = {1, std::numeric_limits<double>::infinity()};
  const auto set = [&](auto function, std::int32_t id, std::int32_t n, const double *x) {
    b.status = function(b.b, id, n, x, &b.info);
  };
  set(perp_builder_set_q, 1, 1, one), expect(PERP_EINVAL, "id");
  set(perp_builder_set_q, -1, 1, one), expect(PERP_EINVAL, "id");
  set(perp_builder_set_q, 0, 2, one), expect(PERP_EINVAL, "n");
  set(perp_builder_set_q, 0, -1, one), expect(PERP_EINVAL, "n");
  set(perp_builder_set_v, 0, 1, nullptr), expect(PERP_EINVAL, "v0");
  set(perp_builder_set_v, 0, 1, one + 1), expect(PERP_ENOTFINITE, "v0");
  set(perp_builder_set_x, 0, 1, one), expect(PERP_EINVAL, "order");
  b.status = perp_builder_set(b.b, "thetta", 0.5, &b.info), expect(PERP_EINVAL, "name");
  b.status = perp_builder_set(b.b, "solver", 0.5, &b.info), expect(PERP_EINVAL, "name");
  b.status = perp_builder_set(b.b, nullptr, 0.5, &b.info), expect(PERP_EINVAL, "name");
  b.status = perp_builder_set(b.b, "steps", 0.5, &b.info), expect(PERP_EINVAL, "steps");
  b.status = perp_builder_set(b.b, "steps", 3e9, &b.info), expect(PERP_EINVAL, "steps");
  b.status = perp_builder_set(b.b, "h", std::nan(""), &b.info), expect(PERP_EINVAL, "h");
  const perp_model *m = perp_builder_model(b.b);
  EXPECT_EQ(m->n_systems, 1);
  EXPECT_EQ(m->n_interactions, 0);
  EXPECT_EQ(perp_builder_model(b.b), m);
  EXPECT_EQ(b.add(s.system, &o), -1), expect(PERP_EINVAL, "builder");
  EXPECT_EQ(b.join(r, w.impact(0.5), {0}, &o), -1), expect(PERP_EINVAL, "builder");
  set(perp_builder_set_q, 0, 1, one), expect(PERP_EINVAL, "builder");
}

TEST(Builder, NullIsAnswered) {
  perp_info info = PERP_INFO_INIT;
  const double x = 1;
  perp_simulation *sim = reinterpret_cast<perp_simulation *>(999);
  EXPECT_EQ(perp_builder_create(nullptr, &info), PERP_EINVAL);
  perp_builder *copy = reinterpret_cast<perp_builder *>(999);
  EXPECT_EQ(perp_builder_copy(&copy, nullptr, &info), PERP_EINVAL);
  EXPECT_EQ(copy, nullptr);
  EXPECT_EQ(perp_builder_copy(nullptr, nullptr, &info), PERP_EINVAL);
  EXPECT_EQ(perp_builder_add(nullptr, nullptr, nullptr, nullptr, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_builder_set_q(nullptr, 0, 1, &x, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_builder_connect(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr),
            PERP_EINVAL);
  EXPECT_EQ(perp_builder_connect_graph(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr),
            PERP_EINVAL);
  EXPECT_EQ(perp_builder_pool(nullptr, nullptr, nullptr, nullptr, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_builder_set(nullptr, "h", 1, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_builder_simulate(nullptr, &sim, &info), PERP_EINVAL);
  EXPECT_EQ(sim, nullptr);
  EXPECT_EQ(perp_builder_pieces(nullptr, 0), nullptr);
  EXPECT_EQ(perp_builder_model(nullptr), nullptr);
  EXPECT_EQ(perp_builder_options(nullptr), nullptr);
  EXPECT_EQ(perp_builder_descriptions(nullptr), 0u);
  perp_builder_destroy(nullptr);
}

TEST(Builder, MemoryThatIsShortIsAStatusAtEveryAllocation) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "the allocator of this build is not ours to refuse";
  world w;
  perp_lagrangian_linear &s = w.body(vec{1, 2});
  s.force = push;
  vec y = {-1, 1}, lambda = {1, -1};
  perp_piecewise_linear graph = PERP_PIECEWISE_LINEAR_INIT;
  graph.points = 2, graph.y = y.data(), graph.lambda = lambda.data();
  const perp_relation &r = w.contact(1, 2, {1, 0}).relation;
  const perp_law *law = w.impact(0.5);
  const std::int32_t first = 0;
  const perp_interaction contact = {&r, law, &first, 1, 0}, bent = {&r, nullptr, &first, 1, 0};
  int refusals = 0;
  for (long k = 0;; k++) {
    counter c;
    s.user = &c;
    const perp_owner o = owned_by(c);
    perp_info info = PERP_INFO_INIT;
    perp_builder *b = nullptr, *copy = nullptr;
    perp_simulation *sim = nullptr;
    bool taken = false;
    allocations_left = k;
    perp_status status = perp_builder_create(&b, &info);
    if (status == PERP_OK) {
      status = perp_builder_add(b, &s.system, &o, nullptr, &info);
      taken = status == PERP_OK;
    }
    if (status == PERP_OK)
      status = perp_builder_connect(b, &contact, nullptr, nullptr, nullptr, &info);
    if (status == PERP_OK)
      status = perp_builder_connect_graph(b, &bent, &graph, nullptr, nullptr, &info);
    if (status == PERP_OK) status = perp_builder_copy(&copy, b, &info);
    if (status == PERP_OK) status = perp_builder_set(copy, "h", 1e-3, &info);
    if (status == PERP_OK) status = perp_builder_simulate(copy, &sim, &info);
    const bool all = allocations_left >= 0;
    allocations_left = -1;
    EXPECT_EQ(c.destroyed, 0);
    perp_simulation_destroy(sim);
    perp_builder_destroy(b);
    perp_builder_destroy(copy);
    EXPECT_EQ(c.destroyed, taken ? 1 : 0) << k;
    if (all) {
      EXPECT_EQ(status, PERP_OK) << info.field;
      break;
    }
    refusals++;
    ASSERT_EQ(status, PERP_EBACKEND) << k << " " << (info.field == nullptr ? "" : info.field);
    ASSERT_STREQ(info.field, "malloc");
    ASSERT_GT(info.value, 0);
  }
  EXPECT_GT(refusals, 12);
}

// ---------------------------------------------------------------- simulations

TEST(Builder, ABallBouncesByDefaults) {
  world w;
  make_ball(w, 1, 9.81, 1, 0, 0.5);
  w.options.h = 1e-3, w.options.steps = 700, w.options.theta = 0.75;
  w.options.solver = perp_solver_auto();
  run by_hand(w);
  built b;
  build(b, w);
  ASSERT_EQ(perp_builder_set(b.b, "h", 1e-3, &b.info), PERP_OK);
  ASSERT_EQ(perp_builder_set(b.b, "steps", 700, &b.info), PERP_OK);
  ASSERT_EQ(perp_builder_set(b.b, "theta", 0.75, &b.info), PERP_OK);
  perp_simulation *sim = nullptr;
  ASSERT_EQ(perp_builder_simulate(b.b, &sim, &b.info), PERP_OK) << b.field();
  perp_status status = PERP_OK;
  while (status == PERP_OK) {
    status = perp_simulation_step(sim, nullptr);
    ASSERT_EQ(by_hand.step(), status);
    ASSERT_EQ(*perp_simulation_q(sim, 0), by_hand.q());
  }
  EXPECT_EQ(status, PERP_END);
  perp_simulation_destroy(sim);
}

TEST(Builder, ItsModelIsForEventsToo) {
  world w;
  make_ball(w, 1, 9.81, 1, 0, 0.5);
  w.finish();
  built b;
  build(b, w);
  overwrite(w);
  perp_event_options o;
  perp_event_options_init(&o, sizeof o);
  perp_event_driven *sim = nullptr;
  ASSERT_EQ(perp_event_driven_create(&sim, perp_builder_model(b.b), &o, &b.info), PERP_OK);
  ASSERT_EQ(perp_event_driven_run(sim, 0.6, nullptr, nullptr), PERP_OK);
  const double t1 = std::sqrt(2 / 9.81), t = 0.6 - t1;
  EXPECT_NEAR(*perp_event_driven_q(sim, 0), 0.5 * 9.81 * t1 * t - 0.5 * 9.81 * t * t, 1e-9);
  perp_event_driven_destroy(sim);
}

TEST(Builder, OptionsHaveTheNamesOfTheirFields) {
  built b;
  perp_simulation_options *o = perp_builder_options(b.b);
  ASSERT_EQ(perp_builder_set(b.b, "newton_max", 7, nullptr), PERP_OK);
  EXPECT_EQ(o->newton_max, 7);
  ASSERT_EQ(perp_builder_set(b.b, "accept_tol", HUGE_VAL, nullptr), PERP_OK);
  EXPECT_EQ(o->accept_tol, HUGE_VAL);
  ASSERT_EQ(perp_builder_set(b.b, "t0", -2.5, nullptr), PERP_OK);
  EXPECT_EQ(o->t0, -2.5);
}

// A body is not rotated; both orders in one model find their integrators; a copy goes on alone.
TEST(Builder, WhatIsNotSaidIsChosen) {
  world w;
  built b;
  perp_body body;
  perp_body_init(&body, sizeof body);
  perp_first_order_linear &tank = w.circuit(1);
  tank.A = perp_diagonal(1, w.keep({-1}));
  ASSERT_EQ(b.add(tank.system), 0);
  ASSERT_EQ(b.add(body.system), 1);
  const double x0 = 2;
  ASSERT_EQ(perp_builder_set_x(b.b, 0, 1, &x0, nullptr), PERP_OK);
  perp_builder_options(b.b)->h = 0.1;
  perp_simulation *sim = nullptr;
  ASSERT_EQ(perp_builder_simulate(b.b, &sim, &b.info), PERP_OK) << b.field();
  EXPECT_EQ(perp_simulation_q(sim, 1)[3], 1);
  ASSERT_EQ(perp_simulation_step(sim, nullptr), PERP_OK);
  EXPECT_NEAR(*perp_simulation_x(sim, 0), 2 * 0.95 / 1.05, 1e-15);  // θ = 1/2
  perp_simulation_destroy(sim);
  perp_builder *more = nullptr;
  ASSERT_EQ(perp_builder_copy(&more, b.b, nullptr), PERP_OK);
  std::int32_t id = 999;
  EXPECT_EQ(perp_builder_add(more, &body.system, nullptr, &id, nullptr), PERP_OK);
  EXPECT_EQ(id, 2);
  EXPECT_EQ(perp_builder_model(more)->x0[0], 2);
  EXPECT_EQ(perp_builder_model(b.b)->n_systems, 2);
  perp_builder_destroy(more);
}

TEST(Builder, AModelOfNothingIsOne) {
  built b;
  perp_simulation *sim = nullptr;
  perp_builder_options(b.b)->h = 1;
  ASSERT_EQ(perp_builder_simulate(b.b, &sim, &b.info), PERP_OK) << b.field();
  EXPECT_EQ(perp_simulation_step(sim, nullptr), PERP_OK);
  perp_simulation_destroy(sim);
}

}  // namespace
