// SPDX-License-Identifier: MIT
// Contacts by ADMM with one sparse factor, alone and where sweeps hand over to it.
#include <gtest/gtest.h>
#include <perp/contact_list.h>

#include <cmath>
#include <cstring>
#include <limits>

extern "C" {
#include "contacts/direct.h"
}
#include "pool_scenes.hpp"
#include "swept_tools.hpp"

namespace {

using swept::body;
using swept::contact;
using swept::generator;
using swept::judge;
using swept::scene;
using swept::solved;
using tools::at;
using tools::kGravity;
using tools::pooled;
using tools::run;
using tools::vec;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kFall = 5e-3 * kGravity;  // of a step

// ADMM alone, whatever it costs.
perp_status direct(solved *out, double tol, double affordable = kInf) {
  const swept_options o = {0, tol, 0, 0};
  out->set.sparse = perp_sparse_ldl();
  out->outcome = {};
  return out->status = perp_direct_solve(&out->set, &o, affordable, &out->outcome);
}

// A box with edges 1.
body box(double mass) {
  body b;
  for (std::size_t i = 0; i < 6; i++) b.inverse[7 * i] = (i < 3 ? 1 : 6) / mass;
  b.free[2] = -kFall;
  return b;
}

contact upright(std::int32_t a, std::int32_t b, double mu, const std::array<double, 3> &arm_a,
                const std::array<double, 3> &arm_b) {
  return {a, b, {0, 0, 1}, {1, 0, 0}, arm_a, arm_b, {0, 0, 0}, mu};
}

// Rows of boxes, one fewer than below, each on the halves of two; four points a face.
scene pyramid(std::int32_t rows, double mu, const std::function<double(std::int32_t)> &mass) {
  scene s;
  std::vector<std::int32_t> first;
  for (std::int32_t r = 0; r < rows; r++) {
    first.push_back(static_cast<std::int32_t>(s.bodies.size()));
    for (std::int32_t i = 0; i < rows - r; i++)
      s.bodies.push_back(box(mass(static_cast<std::int32_t>(s.bodies.size()))));
  }
  for (std::int32_t r = 0; r < rows; r++)
    for (std::int32_t i = 0; i < rows - r; i++)
      for (const double y : {-0.5, 0.5}) {
        const std::int32_t a = first[at(r)] + i;
        for (const double x : {-0.5, 0.5}) {
          if (r == 0) s.contacts.push_back(upright(a, -1, mu, {x, y, -0.5}, {}));
          if (r == 0) continue;
          const std::int32_t below = first[at(r - 1)] + i + (x > 0);
          for (const double inner : {0.0, x})
            s.contacts.push_back(upright(a, below, mu, {inner, y, -0.5},
                                         {x < 0 ? inner + 0.5 : inner - 0.5, y, 0.5}));
        }
      }
  return s;
}

double weight_on_ground(const scene &s, const solved &out) {
  const auto lambda = out.lambda(s);
  double sum = 0;
  for (std::size_t k = 0; k < lambda.size(); k++)
    if (s.contacts[k].b < 0) sum += lambda[k][0];
  return sum / kFall;
}

TEST(Direct, SolvesTheLawByItsDefinition) {
  int solved_ones = 0;
  for (std::uint64_t seed = 0; seed < 300; seed++) {
    generator any(seed);
    scene s;
    const std::int32_t n = 1 + any(12);
    for (std::int32_t i = 0; i < n; i++) s.bodies.push_back(any.any_body(any(3)));
    for (std::int32_t k = 1 + any(2 * n); k > 0; k--) s.contacts.push_back(any.any_contact(n));
    solved out(s);
    perp_swept_apply(&out.set);
    const swept_options o = {0, 1e-12, 0, 0};
    swept_outcome before{};
    perp_swept_judge(&out.set, &before);
    if (direct(&out, 1e-12) != PERP_OK) {
      EXPECT_LE(out.outcome.residual, before.residual) << seed;
      continue;
    }
    solved_ones++;
    EXPECT_LE(out.outcome.residual, swept_wanted(&o, out.outcome.scale));
    ASSERT_LT(judge(s, out.lambda(s)), 1e-9) << seed;
  }
  EXPECT_GT(solved_ones, 270);
}

TEST(Direct, PyramidsFromNothing) {
  for (const std::int32_t rows : {1, 10, 50}) {
    const scene s = pyramid(rows, 0.5, [](std::int32_t) { return 1.0; });
    solved out(s);
    ASSERT_EQ(direct(&out, 1e-8), PERP_OK) << rows;
    EXPECT_LT(out.outcome.iterations, 300);
    // relative to the speed of one step's fall, of which what the answer is made of is a multiple
    EXPECT_LT(judge(s, out.lambda(s)), 2e-8 * out.outcome.scale / kFall) << rows;
    EXPECT_LT(out.outcome.scale, 10 * rows * kFall);
    EXPECT_NEAR(weight_on_ground(s, out), static_cast<double>(s.bodies.size()), 1e-3) << rows;
  }
}

TEST(Direct, FromItsOwnAnswerItHasLittleToDo) {
  const scene s = pyramid(10, 0.5, [](std::int32_t) { return 1.0; });
  solved out(s);
  ASSERT_EQ(direct(&out, 1e-8), PERP_OK);
  ASSERT_EQ(direct(&out, 1e-8), PERP_OK);
  EXPECT_LE(out.outcome.iterations, 3);
}

// Heavy boxes below, and one on top, of which sweeps alone make nothing.
TEST(Direct, MassesFromOneToAMillion) {
  for (const bool below : {true, false}) {
    const scene s =
        pyramid(6, 0.5, [below](std::int32_t i) { return (below ? i < 11 : i == 20) ? 1e6 : 1.0; });
    solved alone(s), both(s), out(s);
    alone.solve(1e-8, 0, 5000);
    EXPECT_EQ(alone.status, below ? PERP_OK : PERP_MAX_ITER);
    both.go_on_by(perp_sparse_ldl());
    both.solve(1e-8, 0, 5000);
    ASSERT_EQ(both.status, PERP_OK);
    EXPECT_EQ(both.outcome.iterations > 0, !below);
    EXPECT_LT(judge(s, both.lambda(s)), 1e-5);
    ASSERT_EQ(direct(&out, 1e-8), PERP_OK);
    EXPECT_LT(out.outcome.iterations, 20);
    EXPECT_LT(judge(s, out.lambda(s)), 1e-5);
  }
}

// Light boxes between heavy ones: nobody solves it, and nobody says so.
TEST(Direct, WhatIsNotSolvedIsNotClaimedAndNotLost) {
  const scene s = pyramid(6, 0.5, [](std::int32_t i) { return std::pow(10.0, i % 4 * 2); });
  solved out(s);
  swept_outcome before{};
  perp_swept_judge(&out.set, &before);
  ASSERT_EQ(direct(&out, 1e-8), PERP_MAX_ITER);
  EXPECT_LE(out.outcome.residual, before.residual);
  EXPECT_GT(judge(s, out.lambda(s)), 1e-8);
}

TEST(Direct, WithoutFriction) {
  const scene s = pyramid(8, 0, [](std::int32_t) { return 1.0; });
  solved out(s);
  ASSERT_EQ(direct(&out, 1e-10), PERP_OK);
  EXPECT_LT(judge(s, out.lambda(s)), 1e-8);
}

// A wall that slides upwards pushes a row of boxes; boxes in a funnel of two walls.
TEST(Direct, WallsWithMuTwo) {
  scene row, funnel;
  for (int i = 0; i < 12; i++) row.bodies.push_back(box(1));
  for (int i = 0; i < 6; i++) funnel.bodies.push_back(box(1));
  for (const double y : {-0.5, 0.5})
    for (const double z : {-0.5, 0.5}) {
      for (std::int32_t i = 0; i < 12; i++)
        row.contacts.push_back({i,
                                i - 1,
                                {1, 0, 0},
                                {0, 1, 0},
                                {-0.5, y, z},
                                {0.5, y, z},
                                {i == 0 ? -0.3 : 0, 0, i == 0 ? -0.01 : 0},
                                2});
      for (std::int32_t i = 0; i < 6; i++) {
        const double x = z;  // below, on the box before
        if (i > 0) funnel.contacts.push_back(upright(i, i - 1, 2, {x, y, -0.5}, {x, y, 0.5}));
        for (const double side : {-1.0, 1.0})
          funnel.contacts.push_back(
              {i, -1, {-0.8 * side, 0, 0.6}, {0, 1, 0}, {0.5 * side, y, z}, {}, {0, 0, 0}, 2});
      }
    }
  for (const scene &s : {row, funnel, pyramid(9, 2, [](std::int32_t) { return 1.0; })}) {
    solved out(s);
    ASSERT_EQ(direct(&out, 1e-9), PERP_OK) << s.bodies.size();
    EXPECT_LT(judge(s, out.lambda(s)), 1e-7) << s.bodies.size();
  }
}

// W⁻¹ is neither symmetric nor one number in its translations.
TEST(Direct, BodiesWithAnyInverse) {
  for (const double odd : {0.02, 0.3}) {
    generator any(4);
    scene s = pyramid(6, 0.6, [](std::int32_t) { return 1.0; });
    for (body &b : s.bodies) {
      const body other = any.any_body(2);
      for (std::size_t i = 0; i < 36; i++) b.inverse[i] += 0.2 * other.inverse[i];
      for (std::size_t i = 0; i < 6; i++)
        for (std::size_t j = 0; j < i; j++) {
          const double x = odd * any(-1.0, 1.0);
          b.inverse[i + 6 * j] += x;
          b.inverse[j + 6 * i] -= x;
        }
    }
    solved out(s);
    ASSERT_EQ(direct(&out, 1e-9), PERP_OK) << odd;
    EXPECT_LT(judge(s, out.lambda(s)), 1e-7) << odd;
  }
}

// Points, which do not turn, and discs in a plane: what no force moves has no part in K.
TEST(Direct, BodiesThatAreHeld) {
  scene s = pyramid(6, 0.5, [](std::int32_t) { return 1.0; });
  for (std::size_t b = 0; b < s.bodies.size(); b++)
    for (const std::size_t i : {3u, 4u, 5u})
      if (b % 3 == 0 || (b % 3 == 1 && i != 4)) s.bodies[b].inverse[7 * i] = 0;
  solved out(s);
  ASSERT_EQ(direct(&out, 1e-9), PERP_OK);
  EXPECT_LT(judge(s, out.lambda(s)), 1e-7);
}

// ------------------------------------------------------------------------- who decides ----

TEST(Direct, SweepsHandOverWhereTheyAreSlow) {
  const scene s = pyramid(10, 0.5, [](std::int32_t) { return 1.0; });
  solved swept_only(s), both(s);
  both.go_on_by(perp_sparse_ldl());
  swept_only.solve(1e-8);
  both.solve(1e-8);
  ASSERT_EQ(swept_only.status, PERP_OK);
  ASSERT_EQ(both.status, PERP_OK);
  EXPECT_EQ(swept_only.outcome.iterations, 0);
  EXPECT_GT(both.outcome.iterations, 0);
  EXPECT_LT(10 * both.outcome.sweeps, swept_only.outcome.sweeps);
  EXPECT_LT(judge(s, both.lambda(s)), 1e-6);
}

TEST(Direct, WhatSweepsSolveSoonHasTheirBits) {
  generator any(8);
  scene s;
  for (int i = 0; i < 60; i++) s.bodies.push_back(any.any_body(1));
  for (int k = 0; k < 120; k++) s.contacts.push_back(any.any_contact(60));
  solved swept_only(s), both(s);
  both.go_on_by(perp_sparse_ldl());
  swept_only.solve(1e-3);
  both.solve(1e-3);
  ASSERT_EQ(both.status, PERP_OK);
  EXPECT_EQ(both.outcome.iterations, 0);
  EXPECT_EQ(swept_only.lambda(s), both.lambda(s));
}

TEST(Direct, AnyNumberOfThreadsGivesTheSameBits) {
  const scene s = pyramid(24, 0.5, [](std::int32_t) { return 1.0; });
  solved one(s), two(s);
  two.set.parallel = tools::in_threads;
  for (solved *x : {&one, &two}) {
    x->go_on_by(perp_sparse_ldl());
    x->solve(1e-7);
    ASSERT_EQ(x->status, PERP_OK);
  }
  EXPECT_GT(one.outcome.iterations, 0);
  EXPECT_EQ(one.outcome.iterations, two.outcome.iterations);
  EXPECT_EQ(one.lambda(s), two.lambda(s));
}

TEST(Direct, AFactorThatIsKeptGivesTheSameBits) {
  const scene a = pyramid(10, 0.5, [](std::int32_t) { return 1.0; });
  const scene b = pyramid(10, 0.7, [](std::int32_t i) { return 1.0 + i; });
  solved fresh(b), used(b);
  {
    solved before(a);
    before.go_on_by(perp_sparse_ldl());
    before.solve(1e-8);
    ASSERT_GT(before.outcome.iterations, 0);
    used.set.factor = before.set.factor;
    before.set.factor = nullptr;
  }
  for (solved *x : {&fresh, &used}) {
    x->go_on_by(perp_sparse_ldl());
    x->solve(1e-8);
    ASSERT_EQ(x->status, PERP_OK);
  }
  EXPECT_GT(fresh.outcome.iterations, 0);
  EXPECT_EQ(fresh.lambda(b), used.lambda(b));
}

// ------------------------------------------------------------------------- back ends ----

// One that fails as told, and counts.
struct faulty {
  static int factors, rooms;
  static double work, bytes;
  static perp_status factor_status, room_status, analyse_status, solve_status;
  static perp_status factor(std::int32_t n, const std::int32_t *start, const std::int32_t *index,
                            const double *values, void **f) {
    factors++;
    const perp_status status = perp_sparse_ldl()->factor(n, start, index, values, f);
    return factor_status != PERP_OK ? factor_status : status;
  }
  static perp_status solve(void *f, double *b) {
    const perp_status status = perp_sparse_ldl()->solve(f, b);
    return solve_status != PERP_OK ? solve_status : status;
  }
  static perp_status analyse(std::int32_t n, const std::int32_t *start, const std::int32_t *index,
                             void **f, double *w, double *b) {
    const perp_status status = perp_sparse_ldl()->analyse(n, start, index, f, w, b);
    if (work >= 0) *w = work;
    if (bytes >= 0) *b = bytes;
    return analyse_status != PERP_OK ? analyse_status : status;
  }
  static perp_status room(void **f, std::size_t bytes_, void **block) {
    rooms++;
    if (room_status != PERP_OK) return *block = nullptr, room_status;
    return perp_sparse_ldl()->room(f, bytes_, block);
  }
  perp_sparse table = {sizeof(perp_sparse),        1,       "faulty", factor, solve,
                       perp_sparse_ldl()->release, nullptr, analyse,  room};
  faulty() {
    factors = rooms = 0;
    work = bytes = -1;
    factor_status = room_status = analyse_status = solve_status = PERP_OK;
  }
};
int faulty::factors, faulty::rooms;
double faulty::work, faulty::bytes;
perp_status faulty::factor_status, faulty::room_status, faulty::analyse_status,
    faulty::solve_status;

TEST(Direct, SweepsFinishWhereTheBackEndFails) {
  const scene s = pyramid(7, 0.5, [](std::int32_t) { return 1.0; });
  solved plain(s);
  plain.solve(1e-7);
  ASSERT_EQ(plain.status, PERP_OK);
  for (perp_status *fails : {&faulty::factor_status, &faulty::room_status, &faulty::analyse_status,
                             &faulty::solve_status}) {
    faulty f;
    *fails = PERP_EBACKEND;
    solved out(s);
    out.go_on_by(&f.table);
    out.solve(1e-7);
    EXPECT_EQ(out.status, PERP_OK);
    EXPECT_GT(faulty::rooms, 0);
    EXPECT_LT(judge(s, out.lambda(s)), 1e-5);
    const bool begun = fails == &faulty::factor_status || fails == &faulty::solve_status;
    EXPECT_TRUE(begun || plain.lambda(s) == out.lambda(s));
    *fails = PERP_OK;
  }
}

TEST(Direct, NoFactorBeyondItsLimits) {
  const scene s = pyramid(7, 0.5, [](std::int32_t) { return 1.0; });
  for (double *limit : {&faulty::work, &faulty::bytes}) {
    for (const bool beyond : {false, true}) {
      faulty f;
      *limit = limit == &faulty::work ? beyond ? 1.01e9 : 0.99e9 : beyond ? 1.01e8 : 0.99e8;
      solved out(s);
      out.set.sparse = &f.table;
      const swept_options o = {0, 1e-6, 0, 0};
      const perp_status status = perp_direct_solve(&out.set, &o, kInf, &out.outcome);
      EXPECT_EQ(status, beyond ? PERP_EUNSUPPORTED : PERP_OK);
      EXPECT_EQ(faulty::factors > 0, !beyond);
    }
  }
}

TEST(Direct, OnlyWhatCanTellIsAsked) {
  EXPECT_FALSE(perp_direct_knows(nullptr));
  EXPECT_TRUE(perp_direct_knows(perp_sparse_ldl()));
  perp_sparse older = *perp_sparse_ldl();
  older.struct_size = offsetof(perp_sparse, analyse);
  EXPECT_FALSE(perp_direct_knows(&older));
  perp_sparse any = *perp_sparse_ldl();
  any.symmetric = 0;
  EXPECT_FALSE(perp_direct_knows(&any));
  any = *perp_sparse_ldl();
  any.room = nullptr;
  EXPECT_FALSE(perp_direct_knows(&any));
  any = *perp_sparse_ldl();
  any.analyse = nullptr;
  EXPECT_FALSE(perp_direct_knows(&any));
}

// NaN anywhere ends with a status, and λ as good as before.
TEST(Direct, NaNIsNoSolution) {
  const scene s = pyramid(4, 0.5, [](std::int32_t) { return 1.0; });
  for (int what = 0; what < 3; what++) {
    solved out(s);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    if (what == 0) out.set.free[7] = nan;
    if (what == 1) out.set.contacts[3].c[0] = nan;
    if (what == 2) out.set.contacts[3].lambda[1] = nan;
    EXPECT_NE(direct(&out, 1e-8), PERP_OK) << what;
  }
}

// ------------------------------------------------------------------------- simulations ----

struct pile : pooled {
  perp_body kind;
  scene s;
  explicit pile(std::int32_t rows)
      : pooled(8 * rows * rows), s(pyramid(rows, 0.5, [](std::int32_t) { return 1.0; })) {
    kind = tools::sphere(1, 0.5);
    for (std::size_t i = 0; i < 3; i++) kind.inertia[4 * i] = 1.0 / 6;
    for (std::int32_t r = 0; r < rows; r++)
      for (std::int32_t i = 0; i < rows - r; i++) {
        add(kind.system);
        q0.insert(q0.end(), {i + 0.5 * r, 0, 0.5 + r, 1, 0, 0, 0});
        v0.insert(v0.end(), 6, 0.0);
      }
    options.h = 5e-3;
    options.theta = 1;
    options.gap_tol = 1e-3;
    options.formulation = PERP_FORMULATION_GLOBAL;
    options.sparse = perp_sparse_ldl();
    law(friction(3, 0.5));
    find = [this](double t, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
      for (std::size_t k = 0; k < s.contacts.size(); k++) {
        const swept::contact &c = s.contacts[k];
        if (t > 0.004 && k % 17 == 3) continue;  // others touch than before
        perp_pool_contact p = tools::contact_of(c.a, c.b < 0 ? PERP_GROUND : c.b, 0, c.n);
        p.identity[0] = static_cast<std::uint32_t>(k);
        const double *q = perp_simulation_q(sim, c.a);
        for (std::size_t i = 0; i < 3; i++) p.place.a[i] = p.place.b[i] = q[i] + c.arm_a[i];
        out.push_back(p);
      }
      return 0;
    };
  }
};

TEST(Direct, AResumedRunHasTheBitsOfTheUninterruptedOne) {
  perp_nsgs_options o = perp_nsgs_options_default();
  o.tol = 1e-9;
  o.max_iter = 100000;
  pile a(8), b(8), none(8);
  for (pile *p : {&a, &b, &none}) p->options.solver_options = &o;
  none.options.sparse = nullptr;
  run x(a), y(none);
  ASSERT_EQ(x.status, PERP_OK) << x.info.field;
  ASSERT_EQ(y.status, PERP_OK) << y.info.field;
  ASSERT_EQ(x.step(), PERP_OK) << x.info.field;
  ASSERT_EQ(y.step(), PERP_OK) << y.info.field;
  EXPECT_LT(4 * x.report().solver_iterations, y.report().solver_iterations);  // it is at work
  const auto kept = x.bytes();
  ASSERT_EQ(x.step(), PERP_OK);
  run again(*b.finish(), b.options, 0, kept.data());
  ASSERT_EQ(again.status, PERP_OK) << again.info.field;
  ASSERT_EQ(again.step(), PERP_OK) << again.info.field;
  EXPECT_EQ(again.bytes(), x.bytes());
  perp_simulation_release(x.sim);  // a further step factorises anew
  ASSERT_EQ(x.step(), PERP_OK);
  ASSERT_EQ(again.step(), PERP_OK);
  EXPECT_EQ(again.bytes(), x.bytes());
}

TEST(Direct, WithoutContactsNobodyIsAsked) {
  faulty f;
  pile p(2);
  p.options.sparse = &f.table;
  p.find = [](double, const perp_simulation *, std::vector<perp_pool_contact> &) { return 0; };
  run r(p);
  ASSERT_EQ(r.status, PERP_OK);
  ASSERT_EQ(r.steps(3), PERP_OK);
  EXPECT_EQ(faulty::rooms, 0);
  EXPECT_NEAR(r.v(0, 2), -3 * kFall, 1e-12);
}

}  // namespace
