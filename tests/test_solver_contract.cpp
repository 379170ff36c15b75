// SPDX-License-Identifier: MIT
// What every solver of the registry owes its caller, whoever wrote it.
#include "contract_tools.hpp"
#include "each.hpp"

namespace {

using namespace contract;

class SolverContract : public testing::TestWithParam<std::int32_t> {
 protected:
  const perp_solver *solver = perp_solver_at(GetParam());
};

std::string test_name(const testing::TestParamInfo<std::int32_t> &info) {
  std::string name = perp_solver_at(info.param)->name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Registry, SolverContract, testing::Range(0, perp_solver_count()),
                         test_name);

// ---- the options of each solver ----

struct options {
  alignas(8) unsigned char bytes[512] = {};
  std::size_t size = 0;

  perp_solver_options &common() { return *reinterpret_cast<perp_solver_options *>(bytes); }
  // The struct's name, as _init() leaves it behind the common fields.
  const char *kind() const {
    const char *name = nullptr;
    if (size > sizeof(perp_solver_options))
      std::memcpy(&name, bytes + sizeof(perp_solver_options), sizeof name);
    return name;
  }
  std::string asked_for() const { return kind() == nullptr ? "perp_solver_options" : kind(); }
};

template <class T>
options defaults(void (*init)(T *, std::size_t)) {
  options o;
  T own;
  init(&own, sizeof own);
  o.size = sizeof own;
  std::memcpy(o.bytes, &own, sizeof own);
  return o;
}

struct entry {
  const perp_solver *(*solver)();
  options (*own)();
};

const entry kEntries[] = {
    {perp_solver_lemke, [] { return defaults(perp_lemke_options_init); }},
    {perp_solver_active_set, [] { return defaults(perp_active_set_options_init); }},
    {perp_solver_interior_point, [] { return defaults(perp_interior_point_options_init); }},
    {perp_solver_newton_fb, [] { return defaults(perp_newton_options_init); }},
    {perp_solver_newton_min, [] { return defaults(perp_newton_options_init); }},
    {perp_solver_cpg, [] { return defaults(perp_cpg_options_init); }},
    {perp_solver_friction_newton, [] { return defaults(perp_friction_newton_options_init); }},
    {perp_solver_pgs, [] { return defaults(perp_pgs_options_init); }},
    {perp_solver_admm, [] { return defaults(perp_admm_options_init); }},
    {perp_solver_box_pivoting, [] { return defaults(perp_box_pivoting_options_init); }},
    {perp_solver_avi_pivoting, [] { return defaults(perp_avi_pivoting_options_init); }},
    {perp_solver_block_pivoting, [] { return defaults(perp_block_pivoting_options_init); }},
    {perp_solver_murty, [] { return defaults(perp_solver_options_init); }},
    {perp_solver_extragradient, [] { return defaults(perp_vi_options_init); }},
    {perp_solver_friction_interior, [] { return defaults(perp_friction_interior_options_init); }},
    {perp_solver_fixed_point, [] { return defaults(perp_vi_options_init); }},
    {perp_solver_enumeration, [] { return defaults(perp_solver_options_init); }},
    {perp_solver_friction_lemke, [] { return defaults(perp_solver_options_init); }},
    {perp_solver_nsgs, [] { return defaults(perp_nsgs_options_init); }},
    {perp_solver_nsgs_small, [] { return defaults(perp_solver_options_init); }},
    {perp_solver_auto, [] { return defaults(perp_auto_options_init); }},
};

options own_options(const perp_solver *solver) {
  for (const entry &e : kEntries)
    if (e.solver() == solver) return e.own();
  ADD_FAILURE() << "no row of kEntries for " << solver->name;
  return defaults(perp_lemke_options_init);
}

bool same(const call &a, const call &b) {
  return a.status == b.status && call::same_bits(a.lambda, b.lambda) && call::same_bits(a.y, b.y) &&
         a.info.iterations == b.info.iterations;
}

// ---- problems ----

TEST_P(SolverContract, TheDescriptorIsComplete) {
  EXPECT_EQ(solver->struct_size, sizeof(perp_solver));
  EXPECT_STREQ(perp_solver_find(solver->name)->name, solver->name);
  EXPECT_NE(solver->sets, 0u);
  EXPECT_NE(solver->matrices, 0u);
  EXPECT_EQ(solver->reserved, 0);
  EXPECT_GE(solver->max_n, 0);
  own_options(solver);
}

TEST_P(SolverContract, NothingIsSolvedAndNothingWritten) {
  for (storage how : kStorages) {
    if ((solver->matrices >> kind(how) & 1u) == 0) continue;
    const sample s(dense(0, 0), {}, "", how);
    EXPECT_EQ(call().run(solver, s).status, PERP_OK) << solver->name << " storage " << how;
    perp_problem p = s.problem;
    unsigned char work[4096];
    ASSERT_LE(perp_solver_workspace(solver, &p, nullptr), sizeof work);
    EXPECT_EQ(perp_solver_solve(solver, &p, nullptr, nullptr, nullptr, nullptr, work, sizeof work,
                                nullptr),
              PERP_OK);
    double bytes[8] = {};
    perp_warm warm = {bytes, sizeof bytes, 3, 0};
    EXPECT_EQ(
        perp_solver_solve(solver, &p, nullptr, nullptr, nullptr, &warm, work, sizeof work, nullptr),
        PERP_OK);
  }
}

TEST_P(SolverContract, ADefiniteProblemIsSolvedInEveryStorageAndToTheSamePoint) {
  for (const std::string &laws : law_choices(solver, 4)) {
    for (bool skewed : {false, true}) {
      if (skewed && (solver->assumes & PERP_ASSUMES_SYMMETRIC) != 0) continue;
      vec first;
      for (storage how : kStorages) {
        if (how == zero || how == diagonal || (solver->matrices >> kind(how) & 1u) == 0) continue;
        const sample s(skewed ? skewed4() : definite4(), rhs4(), laws, how);
        const call c = call().run(solver, s);
        EXPECT_EQ(c.status, PERP_OK) << solver->name << ' ' << laws << " storage " << how;
        if (first.empty()) first = c.lambda;
        for (std::size_t i = 0; i < first.size(); i++) EXPECT_NEAR(c.lambda[i], first[i], 1e-8);
      }
    }
    if ((solver->matrices >> PERP_DIAGONAL & 1u) == 0) continue;
    const sample s(diagonal4(), rhs4(), laws, diagonal);
    EXPECT_EQ(call().run(solver, s).status, PERP_OK) << solver->name << ' ' << laws;
  }
}

// Rows of zeros, in M = 0 or as rows without entries: q alone tells where the unknown rests.
TEST_P(SolverContract, RowsOfZerosAreSolvedOrHonestlyNot) {
  dense hollow = definite4();
  for (std::int32_t i = 0; i < 4; i++)
    hollow(1, i) = hollow(i, 1) = hollow(3, i) = hollow(i, 3) = 0;
  for (storage how : kStorages) {
    if (how == diagonal || (solver->matrices >> kind(how) & 1u) == 0) continue;
    for (const std::string &laws : law_choices(solver, 4)) {
      vec q = {3, 1, 2, 2.5};
      for (std::size_t i = 0; i < 4; i++)
        if (laws[i] == 'f') q[i] = 0;
      const sample s(how == zero ? dense(4, 4) : hollow, q, laws, how);
      const call c = call().run(solver, s);
      EXPECT_GE(c.status, 0) << solver->name << ' ' << laws << " storage " << how;
      if ((solver->assumes & PERP_ASSUMES_P_MATRIX) == 0) {
        EXPECT_EQ(c.status, PERP_OK) << solver->name << ' ' << laws << " storage " << how;
      }
      EXPECT_NE(c.status, PERP_INFEASIBLE) << solver->name << ' ' << laws << " storage " << how;
    }
  }
}

TEST_P(SolverContract, WhatHasNoSolutionIsNeverSolved) {
  struct bad {
    dense M;
    vec q;
  };
  std::vector<bad> list = {{tools::from_rows(2, {1, -1, -1, 1}), {-1, -1}},
                           {tools::from_rows(2, {1, -1, -1, 1}), {-1e-3, -1e5}},
                           {tools::from_rows(1, {0}), {-1}},
                           {tools::from_rows(2, {2, 0, 0, 0}), {-1, -1}}};
  if ((solver->assumes & PERP_ASSUMES_SYMMETRIC) == 0)
    list.push_back({tools::from_rows(2, {0, -1, 1, 0}), {-1, -1}});
  tools::uniform random(11);
  for (std::int32_t n : {5, 9}) {  // B Bᵀ of rank 2 with u > 0 in its kernel, and qᵀu < 0
    dense B(n, 2), M(n, n);
    for (std::int32_t k = 0; k < 2; k++)
      for (std::int32_t i = 0; i < n; i++) B(i, k) = i + 1 < n ? random() : 0;
    for (std::int32_t k = 0; k < 2; k++)
      for (std::int32_t i = 0; i + 1 < n; i++) B(n - 1, k) -= B(i, k);
    for (std::int32_t i = 0; i < n; i++)
      for (std::int32_t j = 0; j < n; j++) M(i, j) = B(i, 0) * B(j, 0) + B(i, 1) * B(j, 1);
    vec q = random.vector(n);
    double sum = 0;
    for (double x : q) sum += x;
    q[0] -= sum + 0.5;
    list.push_back({M, q});
  }
  for (storage how : {gapped, blocks, rows}) {
    if ((solver->matrices >> kind(how) & 1u) == 0) continue;
    for (const bad &b : list) {
      const sample s(b.M, b.q, std::string(b.q.size(), 'o'), how);
      const call c = call().run(solver, s);
      EXPECT_GT(c.status, 0) << solver->name << " n " << s.n() << " storage " << how;
      EXPECT_NE(c.status, PERP_STOPPED);
    }
    if ((solver->sets & 1u << PERP_SET_FREE) == 0) continue;
    for (const char *laws : {"ff", "fo", "of"}) {  // equations that contradict each other
      const sample s(tools::from_rows(2, {1, -1, -1, 1}), {-1, -1}, laws, how);
      EXPECT_GT(call().run(solver, s).status, 0) << solver->name << ' ' << laws;
    }
    for (double q : {-1.0, 1e-3}) {
      const sample s(tools::from_rows(2, {2, 0, 0, 0}), {-1, q}, "of", how);
      EXPECT_GT(call().run(solver, s).status, 0) << solver->name << " row of zeros, q " << q;
    }
  }
}

// ---- numbers that are none ----

TEST_P(SolverContract, NaNAndInfinityInAnyEntryAreNamed) {
  for (const auto &s : definite_samples(solver)) {
    const auto expect = [&](const char *field, std::size_t i, double bad) {
      const call c = call().run(solver, *s);
      EXPECT_EQ(c.status, PERP_ENOTFINITE)
          << solver->name << ' ' << field << '[' << i << "] = " << bad << " kind "
          << s->view->view.kind << " set of 0: " << s->problem.laws[0]->ops->set;
      if (c.status == PERP_ENOTFINITE) {
        EXPECT_STREQ(c.info.field, field) << solver->name;
      }
      EXPECT_EQ(c.info.index, static_cast<std::int32_t>(i)) << solver->name << ' ' << field;
    };
    for (double bad : {kNaN, kInf, -kInf}) {
      for (std::size_t i = 0; i<s->q.size(); i += s->n()> 4 ? 7 : 1) {
        const double kept = s->q[i];
        s->q[i] = bad;
        expect("q", i, bad);
        s->q[i] = kept;
      }
      for (std::size_t i = 0; i<s->view->values.size(); i += s->n()> 4 ? 47 : 1) {
        const perp_matrix &view = s->view->view;
        const std::size_t n = at(s->n()), ld = at(view.ld);
        if (view.kind == PERP_DENSE && (i % ld >= n || i >= ld * n)) continue;
        const double kept = s->view->values[i];
        s->view->values[i] = bad;
        expect("M", i, bad);
        s->view->values[i] = kept;
      }
    }
  }
}

TEST_P(SolverContract, AStartThatIsNoNumberCostsNothing) {
  for (const auto &s : definite_samples(solver))
    for (double bad : {kNaN, kInf, -kInf, 1e-310, 1e308, -1e300}) {
      vec start(at(s->n()), 0.5);
      start[2] = bad;
      const call one = started(start).run(solver, *s);
      const call all = started(vec(at(s->n()), bad)).run(solver, *s);
      EXPECT_GE(one.status, 0) << solver->name << ' ' << bad;
      EXPECT_GE(all.status, 0) << solver->name << ' ' << bad;
      if (std::fabs(bad) > 1 && std::isfinite(bad)) continue;  // numbers, and so believed
      EXPECT_EQ(one.status, PERP_OK) << solver->name << ' ' << bad;
      EXPECT_EQ(all.status, PERP_OK) << solver->name << ' ' << bad;
    }
}

// ---- limits and observers ----

TEST_P(SolverContract, TheLimitIsKeptAndTheObserverCalledOncePerIteration) {
  for (const auto &s : definite_samples(solver))
    for (std::int32_t most : {0, 1, 2, 3, 5, 8, 20}) {
      watcher w;
      const perp_solver_options o = {sizeof o, most, 1e-10, watcher::see, &w, 0};
      const call c = asked(&o).run(solver, *s);
      EXPECT_TRUE(c.status == PERP_OK || c.status == PERP_MAX_ITER)
          << solver->name << " status " << c.status << " limit " << most;
      EXPECT_EQ(w.calls, c.info.iterations) << solver->name << " limit " << most;
      EXPECT_TRUE(w.counted) << solver->name << " limit " << most;
      if (most == 0) {
        EXPECT_EQ(c.status, PERP_OK) << solver->name;
        continue;
      }
      EXPECT_LE(c.info.iterations, most) << solver->name;
      EXPECT_LE(w.calls, most) << solver->name;
      perp_solver_options alone = o;  // an observer changes no more than rounding
      alone.observe = nullptr;
      const call unseen = asked(&alone).run(solver, *s);
      EXPECT_EQ(unseen.status, c.status) << solver->name << " limit " << most;
      EXPECT_EQ(unseen.info.iterations, c.info.iterations) << solver->name << " limit " << most;
      for (std::size_t i = 0; i < c.lambda.size(); i++)
        EXPECT_NEAR(unseen.lambda[i], c.lambda[i], 1e-11) << solver->name << " limit " << most;
    }
}

TEST_P(SolverContract, TheObserverStopsItAtOnce) {
  for (const auto &s : definite_samples(solver)) {
    watcher all;
    perp_solver_options o = {sizeof o, 0, 1e-10, watcher::see, &all, 0};
    asked(&o).run(solver, *s);
    for (int j = 1; j <= all.calls; j = j < 8 ? j + 1 : 2 * j) {
      watcher w;
      w.stop_at = j;
      o.user = &w;
      const call c = asked(&o).run(solver, *s);
      EXPECT_EQ(c.status, PERP_STOPPED) << solver->name << " at " << j << " of " << all.calls;
      EXPECT_EQ(w.calls, j) << solver->name;
      EXPECT_LE(c.info.iterations, j) << solver->name;
    }
  }
}

TEST_P(SolverContract, ABudgetEndsTheWorkAndChangesNothingElse) {
  const bool chooses = solver == perp_solver_auto();  // it counts in whole methods
  for (const auto &s : definite_samples(solver)) {
    perp_solver_options o = {sizeof o, 0, 1e-10, nullptr, nullptr, 1};
    const call little = asked(&o).run(solver, *s);
    EXPECT_TRUE(little.status == PERP_OK || little.status == PERP_MAX_ITER)
        << solver->name << ' ' << little.status;
    EXPECT_LE(little.info.iterations, chooses ? 200 : 2) << solver->name << " n " << s->n();
    o.budget = kInf;
    const call all = asked(&o).run(solver, *s);
    o.budget = 0;
    const call usual = asked(&o).run(solver, *s);
    EXPECT_EQ(all.status, usual.status) << solver->name;
    if (!chooses) {  // whose parts get shares of it
      EXPECT_TRUE(same(all, usual)) << solver->name;
    }
    for (double bad : {-1.0, kNaN}) {
      o.budget = bad;
      perp_info info = PERP_INFO_INIT;
      EXPECT_EQ(perp_solver_check(solver, &o, &info), PERP_EINVAL) << solver->name;
      EXPECT_STREQ(info.field, "budget");
    }
  }
}

// ---- memory ----

TEST_P(SolverContract, WorkspaceOfAnyAlignmentAndContentGivesTheSameBits) {
  for (const auto &s : definite_samples(solver)) {
    const call first = call().run(solver, *s);
    for (std::size_t shift : {0u, 1u, 2u, 3u, 4u, 5u, 7u, 8u, 12u, 16u, 24u, 31u, 32u, 40u, 63u})
      for (int fill : {0x00, 0xff, 0x3f, 0xA5}) {
        const call c = placed(shift, fill).run(solver, *s);
        EXPECT_TRUE(same(c, first)) << solver->name << " shift " << shift << " fill " << fill;
      }
  }
}

TEST_P(SolverContract, OneByteLessIsRefused) {
  for (const auto &s : definite_samples(solver)) {
    const std::size_t need = perp_solver_workspace(solver, &s->problem, nullptr);
    std::vector<unsigned char> work(need);
    vec x(at(s->n()), 999), y = x;
    perp_info info = PERP_INFO_INIT;
    EXPECT_EQ(perp_solver_solve(solver, &s->problem, nullptr, x.data(), y.data(), nullptr,
                                work.data(), need - 1, &info),
              PERP_EWORKSPACE);
    EXPECT_STREQ(info.field, "work_bytes");
    EXPECT_EQ(info.value, static_cast<double>(need));
    EXPECT_EQ(perp_solver_solve(solver, &s->problem, nullptr, x.data(), y.data(), nullptr, nullptr,
                                need, &info),
              PERP_EINVAL);
    EXPECT_STREQ(info.field, "work");
    EXPECT_TRUE(x == vec(x.size(), 999) && y == x);
  }
}

TEST_P(SolverContract, HugeShapesHaveNoSizeOrALargeOne) {
  for (std::int32_t matrix = PERP_ZERO; matrix <= PERP_BLOCKS; matrix++) {
    perp_shape shape = {INT32_MAX, INT32_MAX, solver->sets, matrix, SIZE_MAX, SIZE_MAX,
                        0,         0,         INT32_MAX,    1};
    for (std::size_t many : {std::size_t{0}, SIZE_MAX / 2, SIZE_MAX / 8, SIZE_MAX}) {
      shape.nonzeros = shape.envelope = many;
      const std::size_t bytes = perp_solver_shape_workspace(solver, &shape, nullptr);
      EXPECT_TRUE(bytes == 0 || bytes > at(INT32_MAX)) << solver->name << ' ' << bytes;
      if (solver->warm_bytes != nullptr) {
        const std::size_t warm = solver->warm_bytes(&shape);
        EXPECT_TRUE(warm == 0 || warm >= at(INT32_MAX)) << solver->name << ' ' << warm;
      }
    }
    if (solver->sets >> PERP_SET_POLYHEDRON & 1u) {
      shape.n = 4;
      shape.constraints = SIZE_MAX;
      shape.projection = SIZE_MAX;
      EXPECT_EQ(perp_solver_shape_workspace(solver, &shape, nullptr), 0u) << solver->name;
    }
  }
}

// ---- options ----

TEST_P(SolverContract, DefaultsMayBeLeftOutOrSpelledOut) {
  const auto s = simple(solver);
  const call none = call().run(solver, *s);
  EXPECT_EQ(none.status, PERP_OK);
  options own = own_options(solver);
  EXPECT_EQ(own.common().struct_size, own.size);
  EXPECT_EQ(own.common().tol, PERP_DEFAULT_TOL);
  EXPECT_EQ(own.common().max_iter, 0);
  EXPECT_EQ(own.common().observe, nullptr);
  EXPECT_TRUE(same(asked(own.bytes).run(solver, *s), none)) << solver->name;
  own.common().struct_size = sizeof own.bytes;  // of a later version, with nothing new set
  EXPECT_TRUE(same(asked(own.bytes).run(solver, *s), none)) << solver->name;
  const perp_solver_options common = {sizeof common, 0, PERP_DEFAULT_TOL, nullptr, nullptr, 0};
  EXPECT_TRUE(same(asked(&common).run(solver, *s), none)) << solver->name;
}

// Refused with that field, nothing written, and no size.
void refuses(const perp_solver *solver, const void *options, const char *field) {
  const auto s = simple(solver);
  vec x(4, 999), y(4, 999), work(8192);
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(perp_solver_solve(solver, &s->problem, options, x.data(), y.data(), nullptr,
                              work.data(), work.size() * sizeof(double), &info),
            PERP_EINVAL)
      << solver->name << ' ' << field;
  EXPECT_STREQ(info.field, field) << solver->name;
  EXPECT_TRUE(x == vec(4, 999) && y == vec(4, 999));
  EXPECT_EQ(perp_solver_workspace(solver, &s->problem, options), 0u)
      << solver->name << ' ' << field;
}

TEST_P(SolverContract, CommonOptionsOutOfRangeAreNamed) {
  const options good = own_options(solver);
  options o = good;
  o.common().tol = -1e-300;
  refuses(solver, o.bytes, "tol");
  o.common().tol = kNaN;
  refuses(solver, o.bytes, "tol");
  o = good;
  o.common().max_iter = -1;
  refuses(solver, o.bytes, "max_iter");
  o.common().max_iter = INT32_MIN;
  refuses(solver, o.bytes, "max_iter");
  o = good;
  for (std::uint32_t size : {0u, 4u, static_cast<std::uint32_t>(sizeof(perp_solver_options)) - 1}) {
    o.common().struct_size = size;
    refuses(solver, o.bytes, "struct_size");
  }
  o = good;
  o.common().struct_size = sizeof o.bytes;
  for (std::size_t i : {o.size, o.size + 9, sizeof o.bytes - 1}) {
    o.bytes[i] = 1;
    const bool names = o.size == sizeof(perp_solver_options) && i == o.size;
    refuses(solver, o.bytes, names ? "perp_solver_options" : "struct_size");
    o.bytes[i] = 0;
  }
}

TEST_P(SolverContract, TheOptionsOfAnotherSolverAreRefusedByName) {
  const options own = own_options(solver);
  int others = 0;
  for (const entry &e : kEntries) {
    const options other = e.own();
    if (other.kind() == nullptr || other.asked_for() == own.asked_for()) continue;
    refuses(solver, other.bytes, own.asked_for().c_str());
    others++;
  }
  EXPECT_GT(others, 10);
  options o = own;  // never initialised, or something else altogether
  for (const int fill : {0x01, 0x5A, 0xFF}) {
    std::memset(o.bytes + sizeof(perp_solver_options), fill, 64);
    o.common().struct_size = sizeof(perp_solver_options) + 64;
    refuses(solver, o.bytes, own.asked_for().c_str());
  }
  if (own.kind() == nullptr) return;
  std::memset(o.bytes + sizeof(perp_solver_options), 0, 64);
  refuses(solver, o.bytes, own.kind());
}

TEST(SolverContract, TheOptionsOfAnotherSolverAreRefusedByTheOtherEntriesToo) {
  const double M[] = {2, 1, 1, 2}, q[] = {-1, -1};
  const perp_lcp lcp = {2, 2, M, q};
  const perp_cpg_options o = perp_cpg_options_default();
  double z[2], w[2];
  vec work(4096);
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(
      perp_lcp_solve(perp_solver_lemke(), &lcp, &o, z, w, work.data(), 8 * work.size(), &info),
      PERP_EINVAL);
  EXPECT_STREQ(info.field, "perp_lemke_options");
  EXPECT_EQ(perp_lcp_workspace(perp_solver_lemke(), 2, &o), 0U);
  const perp_qp qp = {2, 0, perp_dense(2, 2, M), {}, q, nullptr, nullptr, nullptr, nullptr};
  double zeta[2];
  EXPECT_EQ(perp_qp_solve(perp_solver_auto(), &qp, &o, z, nullptr, zeta, work.data(),
                          8 * work.size(), &info),
            PERP_EINVAL);
  EXPECT_STREQ(info.field, "perp_auto_options");
}

template <class T, class F>
void refuse_each(const std::vector<const perp_solver *> &solvers, void (*init)(T *, std::size_t),
                 F T::*member, const std::vector<F> &bad, const char *field) {
  for (const perp_solver *solver : solvers)
    for (const F &value : bad) {
      T o;
      init(&o, sizeof o);
      o.*member = value;
      refuses(solver, &o, field);
    }
}

TEST(SolverContract, OwnOptionsOutOfRangeAreNamed) {
  const vec unsigned_only = {-1, -1e-300, -kInf, kNaN}, positive = {0, -1, -kInf, kNaN};
  refuse_each({perp_solver_active_set()}, perp_active_set_options_init,
              &perp_active_set_options::proximal, positive, "proximal");
  refuse_each({perp_solver_block_pivoting()}, perp_block_pivoting_options_init,
              &perp_block_pivoting_options::proximal, positive, "proximal");
  refuse_each({perp_solver_block_pivoting()}, perp_block_pivoting_options_init,
              &perp_block_pivoting_options::patience, {-1, INT32_MIN}, "patience");
  refuse_each({perp_solver_box_pivoting()}, perp_box_pivoting_options_init,
              &perp_box_pivoting_options::proximal, positive, "proximal");
  const std::vector<const perp_solver *> newton = {perp_solver_newton_min(),
                                                   perp_solver_newton_fb()};
  refuse_each(newton, perp_newton_options_init, &perp_newton_options::history,
              {0, -1, 17, INT32_MAX, INT32_MIN}, "history");
  refuse_each(newton, perp_newton_options_init, &perp_newton_options::restarts, {-1, INT32_MIN},
              "restarts");
  refuse_each({perp_solver_cpg()}, perp_cpg_options_init, &perp_cpg_options::proportion, positive,
              "proportion");
  const std::vector<const perp_solver *> sweeps = {perp_solver_pgs()};
  refuse_each(sweeps, perp_pgs_options_init, &perp_pgs_options::omega, {0, 2, -1, kInf, kNaN},
              "omega");
  refuse_each(sweeps, perp_pgs_options_init, &perp_pgs_options::regularisation, unsigned_only,
              "regularisation");
  refuse_each(sweeps, perp_pgs_options_init, &perp_pgs_options::check, {0, -1, INT32_MIN}, "check");
  const std::vector<const perp_solver *> by_contact = {perp_solver_friction_newton()};
  using contact_options = perp_friction_newton_options;
  const auto contact_init = perp_friction_newton_options_init;
  refuse_each(by_contact, contact_init, &contact_options::function, {-1, 3}, "function");
  refuse_each(by_contact, contact_init, &contact_options::search, {-1, 4}, "search");
  refuse_each(by_contact, contact_init, &contact_options::history, {0, 17, -1}, "history");
  refuse_each(by_contact, contact_init, &contact_options::sweeps, {-1, INT32_MIN}, "sweeps");
  refuse_each(by_contact, contact_init, &contact_options::proximal, unsigned_only, "proximal");
  const std::vector<const perp_solver *> interior = {perp_solver_interior_point()};
  refuse_each(interior, perp_interior_point_options_init, &perp_interior_point_options::correctors,
              {-1, 5, INT32_MAX, INT32_MIN}, "correctors");
  refuse_each(interior, perp_interior_point_options_init, &perp_interior_point_options::crossover,
              {-1, 2, INT32_MAX, INT32_MIN}, "crossover");
  const std::vector<const perp_solver *> steps = {perp_solver_fixed_point(),
                                                  perp_solver_extragradient()};
  refuse_each(steps, perp_vi_options_init, &perp_vi_options::step, unsigned_only, "step");
  refuse_each(steps, perp_vi_options_init, &perp_vi_options::ratio, {0, 1, -1, kInf, kNaN},
              "ratio");
  refuse_each(steps, perp_vi_options_init, &perp_vi_options::shrink, {0, 1, -1, kInf, kNaN},
              "shrink");
  refuse_each(steps, perp_vi_options_init, &perp_vi_options::grow, {0.5, 0, -1, kNaN}, "grow");
  refuse_each({perp_solver_auto()}, perp_auto_options_init, &perp_auto_options::budget,
              unsigned_only, "budget");
  perp_solver nothing = {};
  refuse_each({perp_solver_avi_pivoting()}, perp_avi_pivoting_options_init,
              &perp_avi_pivoting_options::engine, {static_cast<const perp_solver *>(&nothing)},
              "engine");
}

// Their number is that of the problem, so they are read in the solve.
TEST(SolverContract, ACoveringVectorMustBePositiveAndFinite) {
  for (double bad : {0.0, -1.0, kNaN, kInf, -kInf}) {
    for (std::size_t i = 0; i < 4; i++) {
      vec d(4, 1);
      d[i] = bad;
      perp_lemke_options lemke = perp_lemke_options_default();
      perp_box_pivoting_options box = perp_box_pivoting_options_default();
      lemke.covering = box.covering = d.data();
      const sample s(definite4(), rhs4(), "oooo", gapped);
      const call a = asked(&lemke).run(perp_solver_lemke(), s);
      const call b = asked(&box).run(perp_solver_box_pivoting(), s);
      EXPECT_LT(a.status, 0) << bad << " at " << i;
      EXPECT_LT(b.status, 0) << bad << " at " << i;
      EXPECT_STREQ(a.info.field, "covering");
      EXPECT_STREQ(b.info.field, "covering");
    }
  }
}

// Values that are allowed at the edge of their range, however silly.
TEST_P(SolverContract, ExtremeTolerancesAndLimitsAreHonest) {
  for (const auto &s : definite_samples(solver))
    for (double tol : {0.0, 1e-300, 1e-16, 1.0, 1e300, kInf}) {
      perp_solver_options o = {sizeof o, 50, tol, nullptr, nullptr, 0};
      vec x(at(s->n())), y = x;
      std::vector<unsigned char> work(perp_solver_workspace(solver, &s->problem, &o));
      perp_info info = PERP_INFO_INIT;
      const perp_status status = perp_solver_solve(solver, &s->problem, &o, x.data(), y.data(),
                                                   nullptr, work.data(), work.size(), &info);
      EXPECT_GE(status, 0) << solver->name << ' ' << tol;
      if (status == PERP_OK) {
        EXPECT_LE(info.relative_residual, tol) << solver->name;
      }
      EXPECT_LE(info.iterations, 50) << solver->name;
    }
}

// ---- warm starts ----

struct warm_bytes {
  vec room;
  perp_warm warm{};
  std::size_t size, tag;  // tag: the word where the owner of the cache stands

  warm_bytes(const perp_solver *solver, const sample &s, std::uint32_t stamp)
      : size(std::max<std::size_t>(perp_solver_warm_bytes(solver, &s.problem), 512)),
        tag((8 + (at(s.n()) + 7) / 8 * 8) / 4) {
    room.assign(size / 8 + 4, 0.0);
    std::memset(room.data(), 0x5A, room.size() * 8);
    warm = {room.data() + 1, size, stamp, 0};
    std::memset(warm.data, 0, size);
  }
  unsigned char *data() { return static_cast<unsigned char *>(warm.data); }
  void word(std::size_t i, std::uint32_t value) { std::memcpy(data() + 4 * i, &value, 4); }
  // Nothing beside the bytes that the solver was given.
  bool intact() const {
    const auto *all = reinterpret_cast<const unsigned char *>(room.data());
    const auto *begin = static_cast<const unsigned char *>(warm.data), *end = begin + warm.bytes;
    for (const unsigned char *p = all; p < all + room.size() * 8; p++)
      if ((p < begin || p >= end) && *p != 0x5A) return false;
    return true;
  }
};

TEST_P(SolverContract, WarmBytesOfAnyContentCostNoSolution) {
  std::mt19937_64 random(3);
  for (const auto &s : definite_samples(solver)) {
    const auto expect = [&](warm_bytes &w, const char *what) {
      EXPECT_EQ(warmed(&w.warm).run(solver, *s).status, PERP_OK) << solver->name << what;
      EXPECT_TRUE(w.intact()) << solver->name << what;
      EXPECT_EQ(warmed(&w.warm).run(solver, *s).status, PERP_OK) << solver->name << what;
    };
    for (std::uint32_t stamp : {0u, 7u}) {
      warm_bytes ones(solver, *s, stamp);
      std::memset(ones.data(), 0xff, ones.size);
      expect(ones, " all ones");
      for (int k = 0; k < 12; k++) {
        warm_bytes w(solver, *s, stamp);
        for (std::size_t i = 0; i < w.size; i++) w.data()[i] = static_cast<unsigned char>(random());
        if (k > 2) {  // a head that fits: modes and a cache that look like this solver's
          w.word(0, static_cast<std::uint32_t>(s->n()));
          w.word(1, stamp);
          w.word(w.tag, static_cast<std::uint32_t>(k) % 3);
          w.word(w.tag + 1, 0);
        }
        if (k > 6)
          for (std::size_t i = 8; i < 16; i++)
            w.data()[i] = static_cast<unsigned char>(random() % 4);
        if (k > 9)
          for (std::size_t i = 4 * w.tag + 8; i + 8 <= w.size; i += 8) {
            const double x = k == 10 ? kNaN : 1e200;
            std::memcpy(w.data() + i, &x, 8);
          }
        expect(w, k > 2 ? " forged" : " random");
      }
    }
  }
}

TEST_P(SolverContract, WarmBytesOfAnyLengthAndPlaceCostNoSolution) {
  const std::size_t step = tools::each() > 1 ? 3 : 1;  // which comes to each remainder of 8
  for (const auto &s : definite_samples(solver)) {
    for (std::size_t cut = 0; cut <= 128; cut += cut < 40 ? step : 11) {
      warm_bytes w(solver, *s, 5);
      w.warm.bytes = cut;
      std::memset(w.data() + cut, 0x5A, w.size - cut);
      for (int k = 0; k < 3; k++)
        EXPECT_EQ(warmed(&w.warm).run(solver, *s).status, PERP_OK)
            << solver->name << " bytes " << cut;
      EXPECT_TRUE(w.intact()) << solver->name << " bytes " << cut;
    }
    for (std::size_t off : {1u, 2u, 4u, 7u}) {
      warm_bytes w(solver, *s, 5);
      w.warm.data = w.data() + off;
      w.warm.bytes -= 8;
      std::memset(w.room.data(), 0x5A, w.room.size() * 8);
      for (int k = 0; k < 2; k++)
        EXPECT_EQ(warmed(&w.warm).run(solver, *s).status, PERP_OK) << solver->name;
      EXPECT_TRUE(w.intact()) << solver->name << " off by " << off;
    }
    perp_warm nowhere = {nullptr, 4096, 5, 0};
    EXPECT_EQ(warmed(&nowhere).run(solver, *s).status, PERP_OK) << solver->name;
  }
}

TEST_P(SolverContract, WarmFromTheOwnAndFromEveryOtherSolversSolutionIsSolved) {
  for (const auto &s : definite_samples(solver))
    for (std::int32_t k = 0; k < perp_solver_count(); k++) {
      const perp_solver *other = perp_solver_at(k);
      if ((other->matrices >> s->view->view.kind & 1u) == 0 ||
          perp_solver_workspace(other, &s->problem, nullptr) == 0)
        continue;
      warm_bytes w(solver, *s, 9);
      const call first = warmed(&w.warm).run(other, *s);
      const call next = warmed(&w.warm, first.lambda).run(solver, *s);
      EXPECT_EQ(next.status, PERP_OK) << solver->name << " after " << other->name;
      s->q[0] += 4;  // the same M, another set of active unknowns
      EXPECT_EQ((warmed(&w.warm, next.lambda).run(solver, *s).status), PERP_OK)
          << solver->name << " after " << other->name;
      s->q[0] -= 4;
    }
}

TEST_P(SolverContract, NaNIsFoundBehindAGoodWarmStart) {
  for (const auto &s : definite_samples(solver)) {
    warm_bytes w(solver, *s, 9);
    const call first = warmed(&w.warm).run(solver, *s);
    for (std::size_t i = 0; i<s->q.size(); i += s->n()> 4 ? 7 : 1)
      for (double bad : {kNaN, kInf, -kInf}) {
        warm_bytes again = w;
        again.warm.data = again.room.data() + 1;
        const double kept = s->q[i];
        s->q[i] = bad;
        EXPECT_EQ((warmed(&again.warm, first.lambda).run(solver, *s).status), PERP_ENOTFINITE)
            << solver->name << " q[" << i << "] = " << bad;
        s->q[i] = kept;
        EXPECT_EQ((warmed(&again.warm, first.lambda).run(solver, *s).status), PERP_OK)
            << solver->name << " after q[" << i << "] = " << bad;
      }
  }
}

TEST_P(SolverContract, LimitsAndObserversHoldInWarmCalls) {
  std::mt19937_64 random(5);
  for (const auto &s : definite_samples(solver))
    for (int k = 0; k < 8; k++)
      for (std::int32_t most : {1, 2, 4}) {
        warm_bytes b(solver, *s, 7);
        for (std::size_t i = 0; i < b.size; i++) b.data()[i] = static_cast<unsigned char>(random());
        b.word(0, static_cast<std::uint32_t>(s->n()));
        b.word(1, 7);
        b.word(b.tag, static_cast<std::uint32_t>(k) % 3);
        for (std::size_t i = 8; i < 4 * b.tag; i++)
          b.data()[i] = static_cast<unsigned char>(random() % 4);
        watcher w;
        const perp_solver_options o = {sizeof o, most, 1e-10, watcher::see, &w, 0};
        const call c = warmed(&b.warm, {}, &o).run(solver, *s);
        EXPECT_TRUE(c.status == PERP_OK || c.status == PERP_MAX_ITER || c.status == PERP_INACCURATE)
            << solver->name << " status " << c.status;
        EXPECT_LE(c.info.iterations, most) << solver->name;
        EXPECT_LE(w.calls, most) << solver->name;
        EXPECT_TRUE(w.counted) << solver->name;
      }
}

// ---- info ----

TEST_P(SolverContract, AnInfoOfNoSizeIsLeftAloneAndNoneIsNeeded) {
  for (const auto &s : definite_samples(solver)) {
    const call with = call().run(solver, *s);
    call without;
    without.no_info = true;
    without.run(solver, *s);
    EXPECT_TRUE(call::same_bits(with.lambda, without.lambda) && with.status == without.status);
    for (std::uint32_t size :
         {0u, 4u, static_cast<std::uint32_t>(offsetof(perp_info, systems)) - 1}) {
      std::vector<unsigned char> raw(sizeof(perp_info), 0x7B);
      std::memcpy(raw.data(), &size, sizeof size);
      const std::vector<unsigned char> before = raw;
      alignas(perp_info) unsigned char place[sizeof(perp_info)];
      std::memcpy(place, raw.data(), sizeof place);
      vec x(at(s->n())), y = x;
      std::vector<unsigned char> work(perp_solver_workspace(solver, &s->problem, nullptr));
      perp_solver_solve(solver, &s->problem, nullptr, x.data(), y.data(), nullptr, work.data(),
                        work.size(), reinterpret_cast<perp_info *>(place));
      EXPECT_EQ(std::memcmp(place, before.data(), sizeof place), 0) << solver->name;
    }
  }
}

TEST_P(SolverContract, ARayIsWrittenOnlyWhereThereIsRoom) {
  const sample s(tools::from_rows(2, {1, -1, -1, 1}), {-1, -1}, "oo",
                 solver->matrices >> PERP_DENSE & 1u ? gapped : rows);
  std::vector<unsigned char> work(perp_solver_workspace(solver, &s.problem, nullptr));
  vec x(2), y(2);
  const auto run = [&](double *ray, std::int32_t size) {
    perp_info info = PERP_INFO_INIT;
    info.ray = ray;
    info.ray_size = size;
    info.ray_kind = 77;
    x = y = vec(2, 0.0);
    EXPECT_GT(perp_solver_solve(solver, &s.problem, nullptr, x.data(), y.data(), nullptr,
                                work.data(), work.size(), &info),
              0);
    EXPECT_TRUE(info.ray == ray && info.ray_size == size) << "they are the caller's";
    return info.ray_kind;
  };
  EXPECT_EQ(run(nullptr, 2), PERP_RAY_NONE) << solver->name;
  for (std::int32_t size : {-1, 0, 1}) {
    double ray[3] = {999, 999, 999};
    EXPECT_EQ(run(ray, size), PERP_RAY_NONE) << solver->name;
    EXPECT_TRUE(ray[0] == 999 && ray[1] == 999 && ray[2] == 999) << solver->name;
  }
  double ray[3] = {999, 999, 999};
  if (run(ray, 2) == PERP_RAY_NONE) {
    EXPECT_TRUE(ray[0] == 999 && ray[1] == 999) << solver->name;
  }
  EXPECT_EQ(ray[2], 999) << solver->name;
}

// ---- the plain entries ----

struct plain {
  const char *name;
  const perp_solver *(*solver)();
  std::size_t (*workspace)(std::int32_t);
  perp_status (*lcp)(const perp_lcp *, double *, double *, void *, std::size_t, perp_info *);
  perp_status (*mlcp)(const perp_mlcp *, double *, double *, void *, std::size_t, perp_info *);
};

#define PLAIN_LCP(name)                                                                      \
  {                                                                                          \
    "lcp_" #name, perp_solver_##name,                                                        \
        [](std::int32_t n) { return perp_lcp_workspace(perp_solver_##name(), n, nullptr); }, \
        [](const perp_lcp *p, double *z, double *w, void *work, std::size_t bytes,           \
           perp_info *info) {                                                                \
          return perp_lcp_solve(perp_solver_##name(), p, nullptr, z, w, work, bytes, info);  \
        },                                                                                   \
        nullptr                                                                              \
  }
#define PLAIN_MLCP(name)                                                                      \
  {                                                                                           \
    "mlcp_" #name, perp_solver_##name,                                                        \
        [](std::int32_t n) { return perp_mlcp_workspace(perp_solver_##name(), n, nullptr); }, \
        nullptr,                                                                              \
        [](const perp_mlcp *p, double *z, double *w, void *work, std::size_t bytes,           \
           perp_info *info) {                                                                 \
          return perp_mlcp_solve(perp_solver_##name(), p, nullptr, z, w, work, bytes, info);  \
        }                                                                                     \
  }

const plain kPlain[] = {
    {"lcp_lemke", perp_solver_lemke, perp_lcp_lemke_workspace,
     [](const perp_lcp *p, double *z, double *w, void *work, std::size_t bytes, perp_info *info) {
       return perp_lcp_lemke(p, nullptr, z, w, work, bytes, info);
     },
     nullptr},
    PLAIN_LCP(active_set),
    PLAIN_MLCP(active_set),
    PLAIN_LCP(interior_point),
    PLAIN_MLCP(interior_point),
    PLAIN_LCP(newton_fb),
    PLAIN_MLCP(newton_fb),
    PLAIN_LCP(newton_min),
    PLAIN_MLCP(newton_min),
    PLAIN_LCP(cpg),
    PLAIN_MLCP(cpg),
    PLAIN_LCP(pgs),
    PLAIN_MLCP(pgs),
    PLAIN_LCP(admm),
    PLAIN_MLCP(admm),
    PLAIN_LCP(box_pivoting),
    PLAIN_MLCP(box_pivoting),
    PLAIN_LCP(block_pivoting),
    PLAIN_MLCP(block_pivoting),
    PLAIN_LCP(murty),
    PLAIN_MLCP(murty),
    PLAIN_LCP(auto),
    PLAIN_MLCP(auto),
};

// Arguments of either entry; each may be spoilt.
struct arguments {
  std::int32_t n = 4, ld = 7;
  dense M = gap(definite4(), 3);
  vec q = rhs4(), lower, upper, z = vec(4, 0.0), w = vec(4, 999);
  const double *pM = M.data(), *pq = q.data(), *pl, *pu;
  double *pz = z.data(), *pw = w.data();
  std::vector<unsigned char> work;
  void *pwork;
  std::size_t bytes;
  perp_info info = PERP_INFO_INIT;

  explicit arguments(const plain &entry) {
    const sample s(definite4(), rhs4(), entry.lcp != nullptr ? "oooo" : "bobf", gapped);
    lower = s.lower;
    upper = s.upper;
    pl = lower.data();
    pu = upper.data();
    work.resize(bytes = entry.workspace(4));
    pwork = work.data();
  }
  arguments(const arguments &) = delete;
  arguments &operator=(const arguments &) = delete;

  perp_status run(const plain &entry) {
    const perp_lcp l = {n, ld, pM, pq};
    const perp_mlcp m = {n, ld, pM, pq, pl, pu};
    return entry.lcp != nullptr ? entry.lcp(&l, pz, pw, pwork, bytes, &info)
                                : entry.mlcp(&m, pz, pw, pwork, bytes, &info);
  }
};

TEST(SolverContract, PlainEntriesGiveTheBitsOfTheirDescriptors) {
  for (const plain &entry : kPlain) {
    arguments a(entry);
    ASSERT_GT(a.bytes, 0u) << entry.name;
    EXPECT_EQ(a.run(entry), PERP_OK) << entry.name;
    perp_complementarity complementarity;
    perp_box box;
    perp_complementarity_init(&complementarity, sizeof complementarity);
    perp_box_init(&box, sizeof box);
    box.law.size = 4;
    box.lower = a.pl;
    box.upper = a.pu;
    const perp_law *law = entry.lcp != nullptr ? &complementarity.law : &box.law;
    const std::int32_t offset[2] = {0, 4};
    perp_problem p = perp_problem_of(perp_dense(4, 4, a.pM), a.pq, 1, &law, offset);
    p.M.ld = 7;
    vec x(4), y(4, 999);
    std::vector<unsigned char> work(perp_solver_workspace(entry.solver(), &p, nullptr));
    EXPECT_LE(work.size(), a.bytes) << entry.name;
    EXPECT_EQ(perp_solver_solve(entry.solver(), &p, nullptr, x.data(), y.data(), nullptr,
                                work.data(), work.size(), nullptr),
              PERP_OK)
        << entry.name;
    EXPECT_TRUE(call::same_bits(x, a.z) && call::same_bits(y, a.w)) << entry.name;
    EXPECT_LE(tools::box_error(definite4(), a.q, a.lower, a.upper, a.z), 1e-9) << entry.name;
  }
}

// perp::core has code of its own for it, whose last bits are others at most of these sizes.
TEST(SolverContract, LemkeInPlainArraysIsTheDescriptor) {
  tools::uniform random(5);
  for (std::int32_t n = 0; n <= 48; n++) {
    const tools::dense M = random.definite(n);
    const vec q = random.vector(n);
    const perp_lcp p = {n, M.ld, M.data(), q.data()};
    ASSERT_EQ(perp_lcp_lemke_workspace(n), perp_lcp_workspace(perp_solver_lemke(), n, nullptr));
    ASSERT_LE(perp_lcp_lemke_workspace(n), PERP_LCP_LEMKE_WORKSPACE(n));
    std::vector<unsigned char> work(perp_lcp_lemke_workspace(n));
    vec z[2] = {vec(q.size()), vec(q.size())}, w[2] = {vec(q.size()), vec(q.size())};
    ASSERT_EQ(
        perp_lcp_lemke(&p, nullptr, z[0].data(), w[0].data(), work.data(), work.size(), nullptr),
        PERP_OK);
    ASSERT_EQ(perp_lcp_solve(perp_solver_lemke(), &p, nullptr, z[1].data(), w[1].data(),
                             work.data(), work.size(), nullptr),
              PERP_OK);
    ASSERT_TRUE(tools::same_bits(z[0], z[1]) && tools::same_bits(w[0], w[1])) << n;
    ASSERT_LE(tools::lcp_error(M, q, z[0]), 1e-12) << n;
  }
}

TEST(SolverContract, PlainEntriesRefuseWhatCannotBe) {
  for (const plain &entry : kPlain) {
    const auto refused = [&](auto &&spoil, perp_status status, const char *field) {
      arguments a(entry);
      spoil(a);
      EXPECT_EQ(a.run(entry), status) << entry.name << ' ' << field;
      EXPECT_STREQ(a.info.field, field) << entry.name;
      EXPECT_EQ(a.w, vec(4, 999)) << entry.name << ' ' << field;
      EXPECT_EQ(a.z, vec(4, 0.0)) << entry.name << ' ' << field;
    };
    refused([](arguments &a) { a.n = -1; }, PERP_EINVAL, "n");
    refused([](arguments &a) { a.n = INT32_MIN; }, PERP_EINVAL, "n");
    refused([](arguments &a) { a.ld = 3; }, PERP_EINVAL, "ld");
    refused([](arguments &a) { a.ld = -7; }, PERP_EINVAL, "ld");
    refused([](arguments &a) { a.pM = nullptr; }, PERP_EINVAL, "M");
    refused([](arguments &a) { a.pq = nullptr; }, PERP_EINVAL, "q");
    refused([](arguments &a) { a.pz = nullptr; }, PERP_EINVAL, "z");
    refused([](arguments &a) { a.pw = nullptr; }, PERP_EINVAL, "w");
    refused([](arguments &a) { a.pwork = nullptr; }, PERP_EINVAL, "work");
    refused([](arguments &a) { a.bytes--; }, PERP_EWORKSPACE, "work_bytes");
    refused([](arguments &a) { a.bytes = 0; }, PERP_EWORKSPACE, "work_bytes");
    for (double bad : {kNaN, kInf, -kInf})
      for (std::size_t i = 0; i < 4; i++) {
        arguments a(entry);
        a.q[i] = bad;
        EXPECT_EQ(a.run(entry), PERP_ENOTFINITE) << entry.name;
        EXPECT_STREQ(a.info.field, "q") << entry.name;
        EXPECT_EQ(a.info.index, static_cast<std::int32_t>(i)) << entry.name;
        arguments b(entry);
        b.M.a[7 * i + 2] = bad;
        EXPECT_EQ(b.run(entry), PERP_ENOTFINITE) << entry.name;
        EXPECT_STREQ(b.info.field, "M") << entry.name;
        EXPECT_EQ(b.info.index, static_cast<std::int32_t>(7 * i + 2)) << entry.name;
      }
    for (std::ptrdiff_t off : {0, 1, 3, -2}) {
      arguments a(entry);
      vec both(16, 999);
      a.pz = both.data() + 6;
      a.pw = both.data() + 6 + off;
      EXPECT_EQ(a.run(entry), PERP_EINVAL) << entry.name << " overlap at " << off;
      EXPECT_EQ(both, vec(16, 999)) << entry.name;
    }
    perp_info info = PERP_INFO_INIT;
    double z[4], w[4];
    unsigned char work[64];
    EXPECT_EQ(entry.lcp != nullptr ? entry.lcp(nullptr, z, w, work, sizeof work, &info)
                                   : entry.mlcp(nullptr, z, w, work, sizeof work, &info),
              PERP_EINVAL)
        << entry.name;
    EXPECT_STREQ(info.field, "problem") << entry.name;
    if (entry.mlcp == nullptr) continue;
    refused([](arguments &a) { a.pl = nullptr; }, PERP_EINVAL, "lower");
    refused([](arguments &a) { a.pu = nullptr; }, PERP_EINVAL, "upper");
    refused([](arguments &a) { a.lower[1] = kNaN; }, PERP_ENOTFINITE, "lower");
    refused([](arguments &a) { a.upper[1] = kNaN; }, PERP_ENOTFINITE, "upper");
    refused([](arguments &a) { a.lower[1] = 5, a.upper[1] = 4; }, PERP_EINVAL, "lower");
    arguments nowhere(entry);
    nowhere.lower[2] = kInf;
    EXPECT_LT(nowhere.run(entry), 0) << entry.name;
    nowhere.lower[2] = nowhere.upper[2] = -kInf;
    EXPECT_LT(nowhere.run(entry), 0) << entry.name;
  }
}

TEST(SolverContract, PlainEntriesOfNothingAndOfTooMuch) {
  for (const plain &entry : kPlain) {
    EXPECT_EQ(entry.workspace(-1), 0u) << entry.name;
    EXPECT_EQ(entry.workspace(INT32_MIN), 0u) << entry.name;
    const std::size_t huge = entry.workspace(INT32_MAX);
    EXPECT_TRUE(huge == 0 || huge > at(INT32_MAX)) << entry.name << ' ' << huge;
    for (std::int32_t n = 1; n < 40; n++)
      EXPECT_LE(entry.workspace(n - 1), entry.workspace(n)) << entry.name << ' ' << n;
    arguments a(entry);
    a.n = a.ld = 0;
    a.pM = a.pq = a.pl = a.pu = nullptr;
    a.pz = a.pw = nullptr;
    a.bytes = entry.workspace(0);
    EXPECT_EQ(a.run(entry), PERP_OK) << entry.name << (a.info.field ? a.info.field : "");
  }
}

}  // namespace
