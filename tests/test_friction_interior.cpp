// SPDX-License-Identifier: MIT
// Interior-point method for friction: known contacts, planted solutions of every law, judged from
// Coulomb's law; storages, the back end, endings.
#include <gtest/gtest.h>
#include <perp/interior_point.h>

#include <algorithm>
#include <functional>

#include "friction_tools.hpp"

namespace {

using namespace tools;

const perp_solver *const kSolver = perp_solver_friction_interior();

struct answer {
  vec lambda, y, ray;
  perp_info info = PERP_INFO_INIT;
  perp_status status = 999;
  bool intact = true;  // the bytes around the workspace

  explicit answer(const perp_problem &p, const perp_friction_interior_options *o = nullptr)
      : lambda(at(p.n), 999), y(at(p.n), 999), ray(at(p.n), 999) {
    const std::size_t bytes = perp_solver_workspace(kSolver, &p, o);
    std::vector<unsigned char> work(bytes + 16, 0xA5);
    info.ray = ray.data();
    info.ray_size = p.n;
    status = perp_solver_solve(kSolver, &p, o, lambda.data(), y.data(), nullptr, work.data() + 3,
                               bytes, &info);
    for (std::size_t i = 0; i < 3; i++) intact = intact && work[i] == 0xA5;
    for (std::size_t i = bytes + 3; i < work.size(); i++) intact = intact && work[i] == 0xA5;
  }
};

perp_friction_interior_options with_tol(double tol) {
  perp_friction_interior_options o = perp_friction_interior_options_default();
  o.tol = tol;
  return o;
}

void expect_solved(const scene &s, double tol = 1e-12) {
  const perp_friction_interior_options o = with_tol(tol);
  const answer a(s.problem, &o);
  EXPECT_EQ(a.status, PERP_OK) << a.info.relative_residual << " after " << a.info.iterations;
  EXPECT_LE(s.error(a.lambda), 20 * tol);
  EXPECT_TRUE(a.intact);
}

dense diagonal(const vec &d) {
  const auto n = static_cast<std::int32_t>(d.size());
  dense A(n, n);
  for (std::int32_t i = 0; i < n; i++) A(i, i) = d[at(i)];
  return A;
}

// ---- known contacts ----

struct known {
  vec rows, q, lambda;
  double mu;
};

TEST(FrictionInterior, OneContactInThePlaneIsExact) {
  const known all[] = {
      {{1, 0, 0, 2}, {-1, 3}, {1, -0.5}, 0.5},
      {{1, 0, 0, 2}, {-1, 0.5}, {1, -0.25}, 0.5},
      {{1, 1.5, 1.5, 4}, {-1, 0}, {16.0 / 7, -6.0 / 7}, 1},
      {{1, 1.5, 1.5, 4}, {-1, -3}, {0.4, 0.4}, 1},
      {{1, 1.5, 1.5, 4}, {1, 4}, {0, 0}, 1},
  };
  for (const known &k : all) {
    const scene s({contact(2, k.mu)}, from_rows(2, k.rows), k.q);
    const perp_friction_interior_options o = with_tol(1e-13);
    const answer a(s.problem, &o);
    EXPECT_EQ(a.status, PERP_OK);
    for (std::size_t i = 0; i < 2; i++) EXPECT_NEAR(a.lambda[i], k.lambda[i], 1e-11) << k.q[1];
  }
}

TEST(FrictionInterior, OneContactInSpaceHasClosedForms) {
  const dense W = diagonal({2, 1, 1});
  const scene slides({contact(3, 0.5)}, W, {-2, 3, 4});
  const answer a(slides.problem);
  ASSERT_EQ(a.status, PERP_OK);
  const vec expected = {1, -0.3, -0.4};
  for (std::size_t i = 0; i < 3; i++) EXPECT_NEAR(a.lambda[i], expected[i], 1e-7);
  EXPECT_EQ(a.info.dissipates, 1);
}

// Without coupling of normal and tangent; with it large coefficients leave several solutions or
// none.
TEST(FrictionInterior, CoefficientsFromZeroToTenAreOrdinary) {
  for (const double mu : {0.0, 1e-12, 1e-6, 1e-2, 1.0, 10.0})
    for (const std::int32_t size : {2, 3})
      for (std::uint64_t seed = 0; seed < 20; seed++) {
        const std::vector<piece> pieces(4, contact(size, mu));
        uniform next(seed);
        vec d(at(4 * size)), q = next.vector(4 * size);
        for (double &x : d) x = 1.5 + next();
        const scene s(pieces, diagonal(d), q);
        const perp_friction_interior_options o = with_tol(1e-10);
        const answer a(s.problem, &o);
        EXPECT_EQ(a.status, PERP_OK) << mu << " " << size << " " << seed;
        EXPECT_LE(s.error(a.lambda), 1e-7) << mu << " " << size << " " << seed;
      }
}

// ---- planted solutions ----

TEST(FrictionInterior, ContactsInPlaneAndSpaceAreSolvedToTheLastDigits) {
  for (const std::int32_t size : {2, 3})
    for (std::uint64_t seed = 0; seed < 100; seed++) {
      SCOPED_TRACE(testing::Message() << size << " " << seed);
      const std::vector<piece> pieces(6, contact(size, 0.1 + 0.01 * static_cast<double>(seed)));
      expect_solved(*planted(pieces, 6 * size + 4, seed));
    }
}

TEST(FrictionInterior, HyperstaticContactsAreSolved) {
  for (const std::int32_t size : {2, 3})
    for (std::uint64_t seed = 0; seed < 100; seed++) {
      SCOPED_TRACE(testing::Message() << size << " " << seed);
      const std::vector<piece> pieces(8, contact(size, 0.6));
      expect_solved(*planted(pieces, 8, seed), 1e-10);
    }
}

TEST(FrictionInterior, RollingIsSolved) {
  for (const std::int32_t size : {3, 5})
    for (std::uint64_t seed = 0; seed < 100; seed++) {
      SCOPED_TRACE(testing::Message() << size << " " << seed);
      const std::vector<piece> pieces = {
          rolling_contact(size, 0.5, 0.1), rolling_contact(size, 0.3, 0),
          rolling_contact(size, 0, 0.2), contact(3, 0.5), rolling_contact(size, 0, 0)};
      expect_solved(*planted(pieces, 5 * size + 4, seed), 1e-10);
    }
}

TEST(FrictionInterior, ContactsMeetEquationsAndBoundsInOneProblem) {
  for (std::uint64_t seed = 0; seed < 200; seed++) {
    SCOPED_TRACE(seed);
    const std::vector<piece> pieces = {
        interval(0, kInf),     contact(3, 0.4),  interval(-kInf, kInf),
        interval(-1, 2),       contact(2, 0.7),  interval(-kInf, 3),
        interval(0.5, 0.5),    contact(3, 0),    rolling_contact(5, 0.4, 0.1),
        interval(-1e-9, 1e-9), interval(2, kInf)};
    expect_solved(*planted(pieces, 24, seed), 1e-10);
  }
}

TEST(FrictionInterior, UnitsDoNotMatter) {
  const std::vector<piece> pieces(3, contact(3, 0.5));
  for (const double force : {1e-9, 1.0, 1e9})
    for (const double stiffness : {1e-8, 1.0, 1e8}) {
      const auto s = planted(pieces, 12, 5);
      dense M = s->M;
      vec q = s->q;
      for (std::int32_t j = 0; j < M.cols; j++)
        for (std::int32_t i = 0; i < M.rows; i++) M(i, j) *= stiffness;
      for (double &x : q) x *= force;
      expect_solved(scene(pieces, M, q));
    }
}

// ---- storage ----

// Gauss with partial pivoting, told to fail where a test wants it.
struct gauss {
  std::int32_t n = 0;
  dense A{0, 0};
  static perp_status failure, solve_failure;
  static int factors, alive;

  static perp_status factor(std::int32_t n, const std::int32_t *start, const std::int32_t *index,
                            const double *values, void **out) {
    factors++;
    if (failure != PERP_OK) return failure;
    if (*out == nullptr) {
      *out = new gauss;
      alive++;
    }
    auto *self = static_cast<gauss *>(*out);
    self->n = n;
    self->A = dense(n, n);
    for (std::int32_t i = 0; i < n; i++)
      for (std::int32_t k = start[i]; k < start[i + 1]; k++) self->A(i, index[k]) += values[k];
    return PERP_OK;
  }
  static perp_status solve(void *factor, double *b) {
    if (solve_failure != PERP_OK) return solve_failure;
    auto *self = static_cast<gauss *>(factor);
    dense A = self->A;
    for (std::int32_t k = 0; k < self->n; k++) {
      std::int32_t p = k;
      for (std::int32_t i = k; i < self->n; i++)
        if (std::fabs(A(i, k)) > std::fabs(A(p, k))) p = i;
      for (std::int32_t j = 0; j < self->n; j++) std::swap(A(k, j), A(p, j));
      std::swap(b[k], b[p]);
      for (std::int32_t i = k + 1; i < self->n; i++) {
        const double f = A(i, k) / A(k, k);
        for (std::int32_t j = k; j < self->n; j++) A(i, j) -= f * A(k, j);
        b[i] -= f * b[k];
      }
    }
    for (std::int32_t k = self->n; k-- > 0;) {
      for (std::int32_t j = k + 1; j < self->n; j++) b[k] -= A(k, j) * b[j];
      b[k] /= A(k, k);
    }
    return PERP_OK;
  }
  static void release(void *factor) {
    if (factor != nullptr) alive--;
    delete static_cast<gauss *>(factor);
  }
};

perp_status gauss::failure = PERP_OK;
perp_status gauss::solve_failure = PERP_OK;
int gauss::factors = 0;
int gauss::alive = 0;

const perp_sparse kGauss = {sizeof(perp_sparse), 0,       "gauss", gauss::factor, gauss::solve,
                            gauss::release,      nullptr, nullptr, nullptr};

const std::vector<piece> kMixed = {contact(3, 0.4), contact(2, 0.7), rolling_contact(5, 0.4, 0.1),
                                   interval(0, kInf), contact(3, 0)};

// Bodies that do not touch one another, so that M has few entries.
std::unique_ptr<scene> islands(std::int32_t count, ints *cuts) {
  std::vector<piece> pieces;
  dense M(14 * count, 14 * count);
  vec q;
  *cuts = {0};
  for (std::int32_t k = 0; k < count; k++) {
    const auto one = planted(kMixed, 20, static_cast<std::uint64_t>(3 + k));
    for (const piece &p : one->pieces) {
      pieces.push_back(p);
      cuts->push_back(cuts->back() + p.size);
    }
    for (std::int32_t j = 0; j < 14; j++)
      for (std::int32_t i = 0; i < 14; i++) M(14 * k + i, 14 * k + j) = one->M(i, j);
    q.insert(q.end(), one->q.begin(), one->q.end());
  }
  return std::make_unique<scene>(pieces, M, q);
}

TEST(FrictionInterior, EveryStorageGivesTheSolutionWithABackEndOrWithout) {
  ints at_contacts, across = {0, 4, 7, 14, 30, 64, 84};
  const auto s = islands(6, &at_contacts);
  gauss::factors = 0;
  for (const bool back_end : {false, true})
    for (const bool reverse : {false, true})
      for (const ints &cuts : {ints{}, at_contacts, across}) {
        stored M(s->M, PERP_BLOCKS, cuts, reverse);
        perp_problem p = s->problem;
        p.M = M.view;
        perp_friction_interior_options o = with_tol(1e-12);
        if (back_end) o.sparse = &kGauss;
        const answer a(p, &o);
        EXPECT_EQ(a.status, PERP_OK) << back_end << reverse << cuts.size();
        EXPECT_LE(s->error(a.lambda), 1e-11);
        EXPECT_TRUE(a.intact);
      }
  EXPECT_GT(gauss::factors, 0);
  EXPECT_EQ(gauss::alive, 0);
}

TEST(FrictionInterior, AFullMatrixIsFactorisedDenseHoweverItIsStored) {
  const auto s = planted(kMixed, 20, 3);
  stored M(s->M, PERP_BLOCKS);
  perp_problem p = s->problem;
  p.M = M.view;
  perp_friction_interior_options o = with_tol(1e-12);
  o.sparse = &kGauss;
  gauss::factors = 0;
  EXPECT_EQ(answer(p, &o).status, PERP_OK);
  EXPECT_EQ(gauss::factors, 0);
}

TEST(FrictionInterior, DiagonalAndZeroMatricesAreTaken) {
  const scene slides({contact(3, 0.5)}, diagonal({2, 1, 1}), {-2, 3, 4});
  perp_problem p = slides.problem;
  const vec d = {2, 1, 1};
  p.M = perp_diagonal(3, d.data());
  EXPECT_EQ(answer(p).status, PERP_OK);
  const scene flies({contact(3, 0.5)}, dense(3, 3), {1, 0.5, 0});
  p = flies.problem;
  p.M = perp_matrix{};
  p.M.rows = p.M.cols = 3;
  const answer a(p);
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_LE(flies.error(a.lambda), 1e-7);
}

TEST(FrictionInterior, ALargeSparseMatrixNeedsABackEnd) {
  perp_shape shape = {};
  shape.n = shape.contacts = 3000;
  shape.n_blocks = 1;
  shape.sets = 1u << PERP_SET_CONE;
  shape.matrix = PERP_BLOCKS;
  shape.nonzeros = 9000;
  shape.contacts = 1000;
  shape.largest = 3;
  EXPECT_EQ(perp_solver_shape_workspace(kSolver, &shape, nullptr), 0u);
  perp_friction_interior_options o = perp_friction_interior_options_default();
  o.sparse = &kGauss;
  const std::size_t bytes = perp_solver_shape_workspace(kSolver, &shape, &o);
  EXPECT_GT(bytes, 0u);
  EXPECT_LT(bytes, 20000000u);
}

TEST(FrictionInterior, ABackEndThatFailsIsNamed) {
  ints cuts;
  const auto s = islands(6, &cuts);
  stored M(s->M, PERP_BLOCKS);
  perp_problem p = s->problem;
  p.M = M.view;
  perp_friction_interior_options o = perp_friction_interior_options_default();
  o.sparse = &kGauss;
  gauss::failure = PERP_EBACKEND;
  const answer memory(p, &o);
  EXPECT_EQ(memory.status, PERP_EBACKEND);
  EXPECT_STREQ(memory.info.field, "sparse");
  gauss::failure = PERP_EINVAL;
  EXPECT_EQ(answer(p, &o).status, PERP_INACCURATE);
  gauss::failure = PERP_OK;
  gauss::solve_failure = PERP_EBACKEND;
  EXPECT_EQ(answer(p, &o).status, PERP_EBACKEND);
  gauss::solve_failure = PERP_OK;
  EXPECT_EQ(gauss::alive, 0);
}

// ---- options ----

TEST(FrictionInterior, LaggedCouplingSolvesToo) {
  perp_friction_interior_options o = with_tol(1e-8);
  o.coupling = PERP_FRICTION_INTERIOR_LAGGED;
  for (std::uint64_t seed = 0; seed < 20; seed++) {
    const auto s = planted(std::vector<piece>(4, contact(3, 0.3)), 15, seed);
    const answer a(s->problem, &o);
    EXPECT_EQ(a.status, PERP_OK) << seed;
    EXPECT_LE(s->error(a.lambda), 1e-6);
  }
}

TEST(FrictionInterior, WithoutCrossoverOnlyInteriorPointsAreSeen) {
  perp_friction_interior_options o = with_tol(1e-6);
  o.crossover = 0;
  const auto s = planted(std::vector<piece>(4, contact(3, 0.3)), 15, 1);
  const answer a(s->problem, &o);
  EXPECT_EQ(a.status, PERP_OK);
  for (std::size_t k = 0; k < 12; k += 3)
    EXPECT_GT(0.3 * a.lambda[k], std::hypot(a.lambda[k + 1], a.lambda[k + 2]));
}

TEST(FrictionInterior, OptionsAreChecked) {
  const auto s = planted(kMixed, 20, 3);
  const auto refused = [&](const std::function<void(perp_friction_interior_options &)> &spoil) {
    perp_friction_interior_options o = perp_friction_interior_options_default();
    spoil(o);
    perp_info info = PERP_INFO_INIT;
    EXPECT_EQ(perp_solver_check(kSolver, &o, &info), PERP_EINVAL);
    EXPECT_EQ(perp_solver_workspace(kSolver, &s->problem, &o), 0u);
    return std::string(info.field == nullptr ? "" : info.field);
  };
  EXPECT_EQ(refused([](auto &o) { o.coupling = 2; }), "coupling");
  EXPECT_EQ(refused([](auto &o) { o.coupling = -1; }), "coupling");
  EXPECT_EQ(refused([](auto &o) { o.crossover = 2; }), "crossover");
  EXPECT_EQ(refused([](auto &o) { o.tol = kNaN; }), "tol");
  EXPECT_EQ(refused([](auto &o) { o.tol = -1; }), "tol");
  EXPECT_EQ(refused([](auto &o) { o.max_iter = -1; }), "max_iter");
  EXPECT_EQ(refused([](auto &o) { o.struct_size = 4; }), "struct_size");
  static perp_sparse table;
  for (int k = 0; k < 5; k++) {
    table = kGauss;
    if (k == 0) table.struct_size = 8;
    if (k == 1) table.factor = nullptr;
    if (k == 2) table.solve = nullptr;
    if (k == 3) table.release = nullptr;
    if (k == 4) table.symmetric = 1;
    EXPECT_EQ(refused([](auto &o) { o.sparse = &table; }), "sparse") << k;
  }
  perp_friction_interior_options_init(nullptr, 8);
  EXPECT_EQ(perp_solver_check(kSolver, nullptr, nullptr), PERP_OK);
}

// ---- endings ----

TEST(FrictionInterior, TheIterationLimitIsExact) {
  const auto s = planted(kMixed, 20, 3);
  for (std::int32_t most = 1; most < 8; most++) {
    perp_friction_interior_options o = with_tol(0);
    o.max_iter = most;
    std::int32_t seen = 0;
    o.user = &seen;
    o.observe = [](const perp_iterate *it, void *user) {
      auto *count = static_cast<std::int32_t *>(user);
      EXPECT_EQ(it->iteration, (*count)++);
      return std::int32_t{0};
    };
    const answer a(s->problem, &o);
    EXPECT_EQ(a.status, PERP_MAX_ITER);
    EXPECT_EQ(a.info.iterations, most);
    EXPECT_EQ(seen, most);
  }
}

TEST(FrictionInterior, EndsWhereTheBudgetIsSpent) {
  const auto s = planted(kMixed, 20, 3);
  perp_friction_interior_options o = with_tol(0);
  o.budget = 1;
  const answer a(s->problem, &o);
  EXPECT_EQ(a.status, PERP_MAX_ITER);
  EXPECT_EQ(a.info.iterations, 1);
}

TEST(FrictionInterior, TheObserverStopsIt) {
  const auto s = planted(kMixed, 20, 3);
  perp_friction_interior_options o = with_tol(1e-12);
  o.observe = [](const perp_iterate *it, void *) { return std::int32_t{it->iteration == 2}; };
  const answer a(s->problem, &o);
  EXPECT_EQ(a.status, PERP_STOPPED);
  EXPECT_EQ(a.info.iterations, 3);
  for (const double x : a.lambda) EXPECT_NE(x, 999);
}

TEST(FrictionInterior, NothingIsSolvedAtOnce) {
  const scene s({}, dense(0, 0), {});
  const answer a(s.problem);
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_EQ(a.info.iterations, 0);
}

TEST(FrictionInterior, ProblemsWithoutSolutionEndOnARay) {
  dense M(3, 3);
  M(1, 1) = M(2, 2) = 1;  // nothing pushes the bodies apart
  const scene s({contact(3, 0.5)}, M, {-1, 0.1, 0});
  const answer a(s.problem);
  EXPECT_EQ(a.status, PERP_RAY);
  ASSERT_EQ(a.info.ray_kind, PERP_RAY_SECONDARY);
  EXPECT_NEAR(a.ray[0], 1, 1e-6);
  for (std::size_t i = 1; i < 3; i++) EXPECT_NEAR(a.ray[i], 0, 1e-3);
}

TEST(FrictionInterior, APairOfWallsThatApproachHasNoSolution) {
  dense M(6, 6);  // a body of mass 1 between two walls: u = ±v
  for (std::int32_t i = 0; i < 3; i++) {
    const double sign = i == 0 ? -1 : 1;
    M(i, i) = M(i + 3, i + 3) = 1;
    M(i, i + 3) = M(i + 3, i) = sign;
  }
  const std::vector<piece> pieces(2, contact(3, 0.3));
  const answer a(scene(pieces, M, {-1, 0, 0, -1, 0, 0}).problem);
  EXPECT_EQ(a.status, PERP_RAY);
  expect_solved(scene(pieces, M, {-1, 0.5, 0, 1, 0.5, 0}), 1e-9);
}

TEST(FrictionInterior, IntervalsWithoutSolutionAreProvedToHaveNone) {
  const scene s({interval(0, kInf), interval(0, kInf)}, from_rows(2, {1, -1, -1, 1}), {-1, -1});
  const answer a(s.problem);
  EXPECT_EQ(a.status, PERP_INFEASIBLE);
  EXPECT_EQ(a.info.ray_kind, PERP_RAY_CERTIFICATE);
}

TEST(FrictionInterior, NumbersThatAreNoneAreBlamed) {
  for (const double bad : {kNaN, kInf, -kInf})
    for (std::int32_t i = 0; i < 14; i++) {
      const auto s = planted(kMixed, 20, 3);
      s->q[at(i)] = bad;
      const answer a(s->problem);
      EXPECT_EQ(a.status, PERP_ENOTFINITE);
      EXPECT_STREQ(a.info.field, "q");
      EXPECT_EQ(a.info.index, i);
      const auto t = planted(kMixed, 20, 3);
      t->M(i, (i * 5) % 14) = bad;
      const answer b(t->problem);
      EXPECT_EQ(b.status, PERP_ENOTFINITE);
      EXPECT_STREQ(b.info.field, "M");
    }
}

TEST(FrictionInterior, MatricesNoBodyHasNeverPassForSolved) {
  for (std::uint64_t seed = 0; seed < 200; seed++) {
    uniform next(seed);
    const std::vector<piece> pieces = {contact(3, 0.5), contact(2, 0.3), interval(0, kInf)};
    const scene s(pieces, next.matrix(6, 6), next.vector(6));
    const answer a(s.problem);
    EXPECT_GE(a.status, 0);
    EXPECT_TRUE(a.status != PERP_OK || s.error(a.lambda) <= 1e-6) << seed;
  }
}

}  // namespace
