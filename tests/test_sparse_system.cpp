// SPDX-License-Identifier: MIT
// Systems whose operators are compressed rows: the steps are those of the schemes, judged by the
// dense oracle where that is affordable, and by the discrete equation of motion where it is not.
#include <gtest/gtest.h>
#include <perp/heap.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <string>

#include "scheme_oracle.hpp"

namespace {

using tools::at;
using tools::count;
using tools::ids;
using tools::oracle;
using tools::run;
using tools::vec;
using tools::world;

// A matrix being assembled, and its compressed rows.
struct assembly {
  std::vector<std::map<std::int32_t, double>> rows;
  std::int32_t cols;
  explicit assembly(std::int32_t n) : assembly(n, n) {}
  assembly(std::int32_t m, std::int32_t n) : rows(at(m)), cols(n) {}
  void add(std::int32_t i, std::int32_t j, double value) { rows[at(i)][j] += value; }
  void spring(std::int32_t i, std::int32_t j, double k) {
    add(i, i, k), add(j, j, k), add(i, j, -k), add(j, i, -k);
  }
  // In the order of the columns, or against it.
  perp_matrix view(world &w, bool backwards = false) const {
    vec values;
    ids start{0}, index;
    for (const auto &row : rows) {
      const std::vector<std::pair<std::int32_t, double>> entries(row.begin(), row.end());
      for (std::size_t e = 0; e < entries.size(); e++) {
        const auto &[j, value] = entries[backwards ? entries.size() - 1 - e : e];
        index.push_back(j);
        values.push_back(value);
      }
      start.push_back(count(index.size()));
    }
    w.joined.push_back(start);
    const std::int32_t *starts = w.joined.back().data();
    w.joined.push_back(index);
    return perp_sparse_rows(count(rows.size()), cols, starts, w.joined.back().data(),
                            w.keep(values));
  }
  perp_matrix dense(world &w) const {
    const std::int32_t m = count(rows.size());
    vec values(at(m) * at(cols), 0.0);
    for (std::int32_t i = 0; i < m; i++)
      for (const auto &[j, value] : rows[at(i)]) values[at(i) + at(m) * at(j)] = value;
    return perp_dense(m, cols, w.keep(values));
  }
};

// y += a A x, from the stored rows.
void multiply_add(const perp_matrix &A, double a, const double *x, vec &y) {
  for (std::int32_t i = 0; A.kind == PERP_BLOCKS && i < A.rows; i++)
    for (std::int32_t p = A.start[i]; p < A.start[i + 1]; p++)
      y[at(i)] += a * A.values[p] * x[A.index[p]];
  for (std::int32_t i = 0; A.kind == PERP_DIAGONAL && i < A.rows; i++)
    y[at(i)] += a * A.values[i] * x[i];
}

const perp_sparse *const kTables[] = {perp_sparse_ldl(), perp_sparse_klu()};

// A graph of masses, springs and dampers that is connected.
assembly random_graph(std::mt19937 &gen, std::int32_t n, double stiffness) {
  std::uniform_real_distribution<double> u(0.1, 1);
  assembly K(n);
  for (std::int32_t i = 1; i < n; i++) {
    K.spring(i, i - 1, stiffness * u(gen));
    K.spring(i, static_cast<std::int32_t>(gen() % at(i)), stiffness * u(gen));
    if (K.rows[at(i)].count(i) == 0) K.add(i, i, 0);
  }
  return K;
}

// A system whose operators are stored in a way that the number says: two bits for each.
perp_lagrangian_linear &random_body(world &w, std::mt19937 &gen, std::int32_t n, unsigned way) {
  std::uniform_real_distribution<double> u(0.5, 2);
  perp_lagrangian_linear &s = w.body(n);
  vec mass(at(n)), damping(at(n)), force(at(n));
  for (std::int32_t i = 0; i < n; i++) {
    mass[at(i)] = u(gen);
    damping[at(i)] = 0.1 * u(gen);
    force[at(i)] = u(gen) - 2;
  }
  assembly M = random_graph(gen, n, 0.1), C = random_graph(gen, n, 0.2),
           K = random_graph(gen, n, 30);
  for (std::int32_t i = 0; i < n; i++) M.add(i, i, mass[at(i)]);
  const bool back = (way & 64) != 0;
  const unsigned m = way & 3, c = way >> 2 & 3, k = way >> 4 & 3;
  s.M = m == 0 ? M.view(w, back) : m == 3 ? M.dense(w) : perp_diagonal(n, w.keep(mass));
  if (c > 0) s.C = c == 1 ? C.view(w) : c == 3 ? C.dense(w) : perp_diagonal(n, w.keep(damping));
  if (k > 0) s.K = k == 1 ? K.view(w, back) : k == 3 ? K.dense(w) : perp_diagonal(n, w.keep(mass));
  s.f = w.keep(force);
  return s;
}

std::int32_t wave(double t, double *f, void *) {
  for (int i = 0; i < 5; i++) f[i] = std::sin(3 * t + i);
  return 0;
}

perp_lagrangian_linear_relation &random_relation(world &w, std::mt19937 &gen, std::int32_t m,
                                                 std::int32_t n, bool rows) {
  std::uniform_real_distribution<double> u(-1, 1);
  assembly H(m, n);
  for (std::int32_t r = 0; r < m; r++)
    for (int e = 0; e < 4; e++) H.add(r, static_cast<std::int32_t>(gen() % at(n)), u(gen));
  const perp_matrix full = H.dense(w);
  perp_lagrangian_linear_relation &r =
      w.contact(m, n, vec(full.values, full.values + at(m) * at(n)));
  if (rows) r.H_rows = H.view(w, true);
  return r;
}

// Sparse, dense and diagonal systems joined by every kind of law.
void make_mixture(world &w, unsigned seed, unsigned way) {
  std::mt19937 gen(seed);
  perp_lagrangian_linear &twin = random_body(w, gen, 9, way);
  perp_lagrangian_linear &other = random_body(w, gen, 5, 16 | 2);  // K in rows, M diagonal
  other.force = wave;
  perp_lagrangian_linear &ball = w.body(vec{1, 1, 2});
  w.add(twin.system), w.add(twin.system), w.add(other.system), w.add(ball.system);
  perp_lagrangian_linear_relation &own = random_relation(w, gen, 2, 9, false);
  own.b = w.keep({0.01, -0.0005});
  w.join(own.relation, w.impact(0.5), {0});
  w.join(own.relation, w.interactions.back().law, {1});
  perp_lagrangian_linear_relation &pair = random_relation(w, gen, 3, 14, false);
  pair.D = w.keep({0.1, 0, 0, 0.02, 0.1, 0, 0, 0, 0.2});
  w.join(pair.relation, w.box({-0.1, -0.1, -0.1}, {0.1, 0.2, 0.1}), {1, 2});
  perp_lagrangian_linear_relation &triple = random_relation(w, gen, 2, 17, false);
  w.join(triple.relation, w.equality(2), {3, 0, 2});
  perp_lagrangian_linear_relation &last = random_relation(w, gen, 1, 3, false);
  last.F = w.keep({0.5});
  last.z = w.keep({-0.1});
  last.n_z = 1;
  w.join(last.relation, w.complementarity(), {3});
  std::uniform_real_distribution<double> u(-1, 1);
  for (std::int32_t i = 0; i < 9 + 9 + 5 + 3; i++) {
    w.q0.push_back(0.001 * u(gen));
    w.v0.push_back(u(gen));
  }
  w.options.min_gap = -1;
  w.options.solver = perp_solver_box_pivoting();
}

TEST(SparseSystem, StepsAreThoseOfTheSchemeHoweverOperatorsAreStored) {
  for (unsigned way = 0; way < 128; way++) {
    world w;
    make_mixture(w, way, way);
    w.options.sparse = kTables[way / 2 % 2];
    w.options.theta = 0.5 + 0.1 * (way % 5);
    run r(w);
    ASSERT_EQ(r.status, PERP_OK) << way << " " << (r.info.field ? r.info.field : "");
    for (int k = 0; k < 6; k++) {
      const double h = k % 2 == 0 ? w.options.h : 0.003;
      const oracle judge(w.model, w.options, h);
      const oracle::snapshot old = judge.look(r.sim);
      ASSERT_EQ(perp_simulation_advance(r.sim, h, &r.info), PERP_OK) << way;
      judge.expect_step(old, judge.look(r.sim), r.sim);
      if (HasFailure()) FAIL() << "way " << way << ", step " << k;
    }
  }
}

std::int32_t flicker(double t, double *b, void *) {
  for (int i = 0; i < 8; i++) b[i] = std::cos(5 * t + i);
  return 0;
}

TEST(SparseSystem, FirstOrderStepsAreThoseOfTheScheme) {
  for (unsigned seed = 0; seed < 40; seed++) {
    std::mt19937 gen(seed);
    std::uniform_real_distribution<double> u(-1, 1);
    world w;
    assembly A(8), M(8);
    for (std::int32_t i = 0; i < 8; i++) {
      A.add(i, i, -2 + u(gen));
      M.add(i, i, 2 + u(gen));
      for (int e = 0; e < 2; e++) A.add(i, static_cast<std::int32_t>(gen() % 8), u(gen));
      M.add(i, (i + 3) % 8, 0.3 * u(gen));
    }
    perp_first_order_linear &net = w.circuit(8);
    net.A = A.view(w);
    if (seed % 3 == 1) net.M = M.view(w, true);
    if (seed % 3 == 2) net.M = perp_diagonal(8, w.keep({1, 2, 3, 1, 2, 3, 1, 2}));
    net.input = flicker;
    perp_first_order_linear &cell = w.circuit(2);
    cell.A = perp_dense(2, 2, w.keep({-1, 0.2, 0.3, -1}));
    w.add(net.system), w.add(cell.system), w.add(net.system);
    perp_linear_relation &port = w.port(2, 10, vec(20));
    vec C(20), B(20), a(10);
    for (double &x : C) x = u(gen);
    for (std::size_t i = 0; i < 20; i++) B[i % 10 + 10 * (i / 10)] = C[i / 10 + 2 * (i % 10)];
    for (double &x : a) x = u(gen);
    port.C = w.keep(C);
    port.B = w.keep(B);
    port.D = w.keep({1, 0.1, -0.1, 1});
    port.a = w.keep(a);
    w.join(port.relation, w.box({-1, -1}, {1, 1}), {0, 1});
    perp_linear_relation &watch = w.port(1, 8, vec(C.begin(), C.begin() + 8));
    watch.D = w.keep({1});
    w.join(watch.relation, w.complementarity(), {2});  // B absent: observed
    w.options.integrator = perp_integrator_theta();
    w.options.solver = perp_solver_box_pivoting();
    w.options.sparse = perp_sparse_klu();
    w.options.theta = seed % 2 == 0 ? 0.5 : 1;
    for (int i = 0; i < 18; i++) w.x0.push_back(u(gen));
    run r(w);
    ASSERT_EQ(r.status, PERP_OK) << seed;
    for (int k = 0; k < 4; k++) {
      const double h = k % 2 == 0 ? w.options.h : 0.02;
      const oracle judge(w.model, w.options, h);
      const oracle::snapshot old = judge.look(r.sim);
      ASSERT_EQ(perp_simulation_advance(r.sim, h, &r.info), PERP_OK);
      judge.expect_step(old, judge.look(r.sim), r.sim);
      if (HasFailure()) FAIL() << "seed " << seed << ", step " << k;
    }
  }
}

// Rows enough for the reactions to be solved for, and one row that its law solves.
TEST(SparseSystem, FirstOrderReactionsOfManyRowsAndOfOneAreThoseOfTheScheme) {
  for (const std::int32_t rows : {1, 24}) {
    std::mt19937 gen(5);
    std::uniform_real_distribution<double> u(-1, 1);
    world w;
    assembly A(30);
    for (std::int32_t i = 0; i < 30; i++) {
      A.add(i, i, -2);
      A.add(i, (i + 7) % 30, u(gen));
    }
    perp_first_order_linear &net = w.circuit(30);
    net.A = A.view(w);
    w.add(net.system);
    for (std::int32_t r = 0; r < rows; r++) {
      vec C(30);
      for (double &x : C) x = u(gen);
      perp_linear_relation &port = w.port(1, 30, C);
      port.B = port.C;
      port.D = w.keep({0.5});
      w.join(port.relation, w.complementarity(), {0});
    }
    for (std::size_t i = 0; i < 30; i++) w.x0.push_back(-w.ports[0].C[i]);  // y < 0 but for λ
    w.options.integrator = perp_integrator_theta();
    w.options.sparse = perp_sparse_klu();
    run r(w);
    ASSERT_EQ(r.status, PERP_OK);
    const oracle judge(w.model, w.options, w.options.h);
    for (int k = 0; k < 4; k++) {
      const oracle::snapshot old = judge.look(r.sim);
      ASSERT_EQ(r.step(), PERP_OK);
      judge.expect_step(old, judge.look(r.sim), r.sim);
      EXPECT_GT(r.lambda(), 0);
    }
  }
}

// A motor that feels its speed: evaluated in every iterate.
std::int32_t brake(double, const double *, const double *v, const double *, double *u, void *) {
  u[0] = -0.3 * v[0] * std::fabs(v[0]);
  return 0;
}

// Sparse systems beside one that varies, in one model and joined to it; or the same with dense
// ones.
void make_live_mixture(world &w, unsigned seed, bool sparse) {
  std::mt19937 gen(seed);
  perp_lagrangian_linear &twin = random_body(w, gen, 6, 0 | 1 << 2 | 1 << 4);
  perp_lagrangian_linear &motor = w.body(vec{1, 2});
  motor.control.n_u = 1;
  motor.control.u = brake;
  motor.control.T = w.keep({1, 0.5});
  if (!sparse)
    for (perp_matrix *A : {&twin.M, &twin.C, &twin.K}) {
      assembly dense(6);
      for (std::int32_t i = 0; i < 6; i++)
        for (std::int32_t p = A->start[i]; p < A->start[i + 1]; p++)
          dense.add(i, A->index[p], A->values[p]);
      *A = dense.dense(w);
    }
  w.add(twin.system), w.add(motor.system), w.add(twin.system);
  perp_lagrangian_linear_relation &own = random_relation(w, gen, 2, 6, false);
  own.b = w.keep({0.01, -0.0005});
  w.join(own.relation, w.impact(0.5), {0});
  w.join(own.relation, w.interactions.back().law, {2});
  perp_lagrangian_linear_relation &pair = random_relation(w, gen, 2, 8, seed % 2 == 0);
  if (seed % 2 == 0) pair.H = nullptr;
  pair.D = w.keep({0.1, 0, 0, 0.2});
  w.join(pair.relation, w.box({-0.1, -0.1}, {0.1, 0.2}), seed % 3 == 0 ? ids{1, 2} : ids{2, 1});
  perp_lagrangian_linear_relation &both = random_relation(w, gen, 2, 12, false);
  w.join(both.relation, w.equality(2), {0, 2});
  std::uniform_real_distribution<double> u(-1, 1);
  for (std::int32_t i = 0; i < 14; i++) {
    w.q0.push_back(0.001 * u(gen));
    w.v0.push_back(u(gen));
  }
  w.options.min_gap = -1;
  w.options.solver = perp_solver_box_pivoting();
  w.options.sparse = kTables[seed % 2];
}

TEST(SparseSystem, BesideVaryingSystemsTheyMoveAsDenseOnes) {
  for (unsigned seed = 0; seed < 30; seed++) {
    world a, b;
    make_live_mixture(a, seed, true);
    make_live_mixture(b, seed, false);
    run sparse(a), dense(b);
    ASSERT_EQ(sparse.status, PERP_OK) << (sparse.info.field ? sparse.info.field : "");
    ASSERT_EQ(dense.status, PERP_OK);
    for (int k = 0; k < 20; k++) {
      const double h = k % 7 == 3 ? 0.004 : 0.01;
      ASSERT_EQ(perp_simulation_advance(sparse.sim, h, &sparse.info), PERP_OK) << seed;
      ASSERT_EQ(perp_simulation_advance(dense.sim, h, &dense.info), PERP_OK);
      for (std::int32_t i = 0; i < 3; i++)
        for (std::size_t d = 0; d < (i == 1 ? 2 : 6); d++) {
          ASSERT_NEAR(sparse.q(i, d), dense.q(i, d), 1e-9) << seed << ", step " << k;
          ASSERT_NEAR(sparse.v(i, d), dense.v(i, d), 1e-8) << seed << ", step " << k;
        }
    }
  }
}

TEST(SparseSystem, UnderASchemeOnPositionsTheyMoveAsDenseOnes) {
  world w[2];
  for (int i = 0; i < 2; i++) {
    std::mt19937 gen(3);
    perp_lagrangian_linear &s = random_body(w[i], gen, 6, 1 << 2 | 1 << 4);
    for (perp_matrix *A : {&s.M, &s.C, &s.K}) {
      assembly dense(6);
      for (std::int32_t r = 0; r < 6; r++)
        for (std::int32_t p = A->start[r]; p < A->start[r + 1]; p++)
          dense.add(r, A->index[p], A->values[p]);
      if (i == 1) *A = dense.dense(w[i]);
    }
    w[i].add(s.system);
    w[i].join(w[i].contact(1, 6, {1, 0, 0, 0, 0, 0}).relation, w[i].impact(0.5), {0});
    w[i].q0 = vec(6, 0.01);
    w[i].v0 = vec(6, -1.0);
    w[i].options.integrator = perp_integrator_schatzman_paoli();
    w[i].options.h = 1e-3;
  }
  run sparse(w[0]), dense(w[1]);
  ASSERT_EQ(sparse.status, PERP_OK);
  for (int k = 0; k < 100; k++) {
    ASSERT_EQ(sparse.step(), PERP_OK);
    ASSERT_EQ(dense.step(), PERP_OK);
    for (std::size_t d = 0; d < 6; d++) ASSERT_NEAR(sparse.q(0, d), dense.q(0, d), 1e-11);
  }
}

// A block of nx x ny masses joined by springs, above the floor: each mass of the lowest row may
// touch it, with friction where mu >= 0. Diagonal mass.
struct block {
  std::int32_t nx, ny;
  assembly M, K, H;
  block(std::int32_t columns, std::int32_t rows, bool friction)
      : nx(columns),
        ny(rows),
        M(2 * nx * ny),
        K(2 * nx * ny),
        H(friction ? 2 * nx : nx, 2 * nx * ny) {
    for (std::int32_t j = 0; j < ny; j++)
      for (std::int32_t i = 0; i < nx; i++) {
        for (std::int32_t d = 0; d < 2; d++) M.add(node(i, j) + d, node(i, j) + d, 1);
        if (i > 0) K.spring(node(i, j), node(i - 1, j), 1e4);
        if (j > 0) K.spring(node(i, j) + 1, node(i, j - 1) + 1, 1e4);
        if (i > 0 && j > 0) diagonal_spring(node(i, j), node(i - 1, j - 1), 1);
        if (i > 0 && j > 0) diagonal_spring(node(i - 1, j), node(i, j - 1), -1);
      }
    for (std::int32_t i = 0; i < nx; i++) {
      const std::int32_t row = friction ? 2 * i : i;
      H.add(row, node(i, 0) + 1, 1);
      if (friction) H.add(row + 1, node(i, 0), 1);
    }
  }
  std::int32_t n() const { return 2 * nx * ny; }
  std::int32_t node(std::int32_t i, std::int32_t j) const { return 2 * (i + nx * j); }
  void diagonal_spring(std::int32_t a, std::int32_t b, double side) {
    const double k = 3e3, direction[2] = {1, side};
    for (std::int32_t c = 0; c < 2; c++)
      for (std::int32_t d = 0; d < 2; d++) {
        const double part = 0.5 * k * direction[c] * direction[d];
        K.add(a + c, a + d, part), K.add(b + c, b + d, part);
        K.add(a + c, b + d, -part), K.add(b + c, a + d, -part);
      }
  }
  // Falls sideways onto the floor.
  perp_lagrangian_linear &into(world &w, bool sparse, double gap) const {
    perp_lagrangian_linear &s = w.body(n());
    s.M = sparse ? M.view(w) : M.dense(w);
    s.K = sparse ? K.view(w) : K.dense(w);
    vec weight(at(n()), 0.0);
    for (std::int32_t i = 1; i < n(); i += 2) weight[at(i)] = -9.81;
    s.f = w.keep(weight);
    w.add(s.system);
    for (std::int32_t i = 0; i < n(); i++) {
      w.q0.push_back(i % 2 == 1 ? gap : 0);
      w.v0.push_back(i % 2 == 1 ? -1 : 0.3);
    }
    return s;
  }
};

void expect_alike(const run &a, const run &b, std::int32_t n, std::int32_t m, double tol) {
  for (std::int32_t i = 0; i < n; i++) {
    ASSERT_NEAR(a.q(0, at(i)), b.q(0, at(i)), tol);
    ASSERT_NEAR(a.v(0, at(i)), b.v(0, at(i)), tol);
  }
  for (std::int32_t r = 0; r < m; r++) ASSERT_NEAR(a.lambda(0, at(r)), b.lambda(0, at(r)), tol);
}

TEST(SparseSystem, ABlockOnManyContactsMovesAsTheDenseOne) {
  for (const bool friction : {false, true})
    for (const bool rows : {false, true}) {
      const block b(20, 4, friction);  // more rows than columns are worth
      world dense, sparse;
      for (world *w : {&dense, &sparse}) {
        const bool is_sparse = w == &sparse;
        b.into(*w, is_sparse, 1e-3);
        const std::int32_t m = count(b.H.rows.size());
        perp_lagrangian_linear_relation &r = w->contact(m, b.n(), vec{});
        r.H = nullptr;
        if (rows)
          r.H_rows = b.H.view(*w);
        else
          r.H = b.H.dense(*w).values;
        w->join(r.relation, friction ? w->friction(2, 0.4) : w->impact(0.2), {0});
        w->options.h = 1e-3;
        w->options.solver = friction ? perp_solver_friction_lemke() : perp_solver_active_set();
        w->options.sparse = perp_sparse_ldl();
      }
      run x(dense), y(sparse);
      ASSERT_EQ(x.status, PERP_OK);
      ASSERT_EQ(y.status, PERP_OK);
      for (int k = 0; k < 40; k++) {
        ASSERT_EQ(x.step(), PERP_OK);
        ASSERT_EQ(y.step(), PERP_OK);
        expect_alike(y, x, b.n(), count(b.H.rows.size()), 1e-9);
        if (HasFailure()) FAIL() << friction << rows << ", step " << k;
      }
      EXPECT_EQ(x.report().max_active, count(b.H.rows.size()));
      double T[2], V[2];
      perp_simulation_energy(x.sim, &T[0], &V[0]);
      perp_simulation_energy(y.sim, &T[1], &V[1]);
      EXPECT_NEAR(T[0], T[1], 1e-9 * T[0]);
      EXPECT_NEAR(V[0], V[1], 1e-9 * std::fabs(V[0]));
    }
}

// M (v⁺ − v) + h C v_θ + h K q_θ − h f − Hᵀλ, largest entry relative to the largest term.
double defect(const perp_lagrangian_linear &s, const perp_matrix &H, double h, double theta,
              const vec &q, const vec &v, const run &now) {
  const std::size_t n = q.size();
  vec change(n), middle_q(n), middle_v(n), sum(n), size(n);
  double largest = 0, scale = 0;
  for (std::size_t i = 0; i < n; i++) {
    change[i] = now.v(0, i) - v[i];
    middle_v[i] = theta * now.v(0, i) + (1 - theta) * v[i];
    middle_q[i] = theta * now.q(0, i) + (1 - theta) * q[i];
    EXPECT_NEAR(now.q(0, i), q[i] + h * middle_v[i], 1e-14 * (1 + std::fabs(q[i])));
  }
  multiply_add(s.M, 1, change.data(), sum);
  multiply_add(s.C, h, middle_v.data(), sum);
  multiply_add(s.K, h, middle_q.data(), sum);
  multiply_add(s.M, 1, now.sim == nullptr ? nullptr : v.data(), size);
  for (std::size_t i = 0; s.f != nullptr && i < n; i++) sum[i] -= h * s.f[i];
  for (std::int32_t r = 0; r < H.rows; r++)
    for (std::int32_t p = H.start[r]; p < H.start[r + 1]; p++) {
      sum[at(H.index[p])] -= H.values[p] * now.lambda(0, at(r));
      scale = std::max(scale, std::fabs(now.lambda(0, at(r))));
    }
  for (std::size_t i = 0; i < n; i++) {
    largest = std::max(largest, std::fabs(sum[i]));
    scale = std::max(scale, std::fabs(size[i]));
  }
  return largest / scale;
}

// Steps, each of which is one of the discrete equation of motion.
void expect_equation(run &r, const perp_lagrangian_linear &s, const perp_matrix &H,
                     const perp_simulation_options &o, int steps, double tol) {
  for (int k = 0; k < steps; k++) {
    const double *q0 = perp_simulation_q(r.sim, 0), *v0 = perp_simulation_v(r.sim, 0);
    const vec q(q0, q0 + s.system.n), v(v0, v0 + s.system.n);
    ASSERT_EQ(r.step(), PERP_OK);
    ASSERT_LE(defect(s, H, o.h, o.theta, q, v, r), tol) << "step " << k;
  }
}

TEST(SparseSystem, ColumnsTooLargeToKeepAreSolvedFor) {
  const block b(220, 50, false);  // 22000 x 220 columns would be 39 MB
  world w;
  perp_lagrangian_linear &s = b.into(w, true, 1e-4);
  perp_lagrangian_linear_relation &r = w.contact(220, b.n(), vec{});
  r.H = nullptr;
  r.H_rows = b.H.view(w);
  w.join(r.relation, w.impact(0), {0});
  w.options.h = 1e-3;
  w.options.solver = perp_solver_active_set();
  w.options.sparse = perp_sparse_ldl();
  EXPECT_LT(perp_simulation_work_size(w.finish(), &w.options), std::size_t(39) << 20);
  run x(w);
  ASSERT_EQ(x.status, PERP_OK);
  expect_equation(x, s, r.H_rows, w.options, 5, 1e-9);
  EXPECT_EQ(x.report().max_active, 220);
}

// The bar of the tutorials: n nodes, free at both ends, thrown at a wall with 0.1 m/s.
struct bar {
  static constexpr double modulus = 2.1e11, section = 3.14e-4, density = 7800, length = 1;
  assembly M, K, H;
  explicit bar(std::int32_t n) : M(n), K(n), H(1, n) {
    const double l = length / n, mass = density * section * l, k = modulus * section / l;
    for (std::int32_t i = 0; i < n; i++) {
      M.add(i, i, mass * (i == 0 || i == n - 1 ? 1 : 2) / 3);
      if (i == 0) continue;
      M.add(i, i - 1, mass / 6), M.add(i - 1, i, mass / 6);
      K.spring(i, i - 1, k);
    }
    H.add(0, 0, 1);
  }
  perp_lagrangian_linear &into(world &w, double q0, double e) const {
    const std::int32_t n = count(M.rows.size());
    perp_lagrangian_linear &s = w.body(n);
    s.M = M.view(w);
    s.K = K.view(w);
    w.add(s.system);
    perp_lagrangian_linear_relation &r = w.contact(1, n, vec{});
    r.H = nullptr;
    r.H_rows = H.view(w);
    w.join(r.relation, w.impact(e), {0});
    w.q0.assign(at(n), q0);
    w.v0.assign(at(n), -0.1);
    w.options.gamma = 0;
    w.options.sparse = perp_sparse_ldl();
    w.options.solver = perp_solver_active_set();
    return s;
  }
};

TEST(SparseSystem, TheImpactingBarIsThatOfTheReference) {
  const char *data = std::getenv("PERP_DATA");
  const std::string folder = data != nullptr ? data : PERP_SOURCE_DIR "/../shared/data";
  std::ifstream file(folder + "/reference/ImpactingBar.ref");
  std::size_t rows = 0, columns = 0;
  if (!(file >> rows >> columns)) GTEST_SKIP() << "ImpactingBar.ref is not here (PERP_DATA)";
  world w;
  bar(100).into(w, 5e-5, 0);
  w.options.h = 2e-6;
  w.options.t0 = 1e-8;
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  const vec tolerance = {1e-12, 1e-15, 1e-10, 1e-6,  1e-11, 1e-10,
                         1e-10, 1e-15, 1e-10, 1e-15, 1e-10};
  double before = r.v();
  for (std::size_t k = 0; k < rows; k++) {
    if (k > 0) {
      ASSERT_EQ(r.step(), PERP_OK);
    }
    double T = 0, V = 0;
    ASSERT_EQ(perp_simulation_energy(r.sim, &T, &V), PERP_OK);
    const double P = r.lambda();
    const vec mine = {r.time(), r.q(),      r.v(),      P / w.options.h, P,         2 * V,
                      2 * T,    r.q(0, 99), r.v(0, 99), r.q(0, 50),      r.v(0, 50)};
    for (std::size_t c = 0; c < columns; c++) {
      double theirs = 0;
      ASSERT_TRUE(file >> theirs);
      const double value = c < mine.size() ? mine[c] : 0.5 * (r.v() + before) * P;
      ASSERT_NEAR(value, theirs, c < mine.size() ? tolerance[c] : 1e-10)
          << "row " << k << ", " << c;
    }
    before = r.v();
  }
}

TEST(SparseSystem, AHundredThousandUnknownsKeepTheirEnergy) {
  world w;
  perp_lagrangian_linear &s = bar(100000).into(w, 0, 1);
  w.options.h = 2e-9;
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  double T = 0, V = 0;
  ASSERT_EQ(perp_simulation_energy(r.sim, &T, &V), PERP_OK);
  const double before = T + V;
  expect_equation(r, s, w.contacts[0].H_rows, w.options, 20, 1e-9);
  ASSERT_EQ(perp_simulation_energy(r.sim, &T, &V), PERP_OK);
  EXPECT_NEAR(T + V, before, 1e-12 * before);
  EXPECT_GT(static_cast<double>(r.report().active), 0);
}

TEST(SparseSystem, TheContactForceIsThatOfTheContinuousBar) {
  world w;
  bar(1000).into(w, 0, 0);
  w.options.h = 2e-7;
  w.options.theta = 1;  // without the oscillation of the discrete wave
  run r(w);
  ASSERT_EQ(r.steps(400), PERP_OK);
  const double exact = std::sqrt(bar::modulus * bar::density) * bar::section * 0.1;
  EXPECT_NEAR(r.lambda() / w.options.h, exact, 1e-3 * exact);
}

// ---- back ends ----

// LDL with books: factors alive, calls, and a call that fails.
struct books {
  int alive = 0, factors = 0, solves = 0, fail_factor = -1, fail_solve = -1;
} ledger;

perp_status counted_factor(std::int32_t n, const std::int32_t *start, const std::int32_t *index,
                           const double *values, void **factor) {
  if (ledger.factors++ == ledger.fail_factor) return PERP_EBACKEND;
  const bool fresh = *factor == nullptr;
  const perp_status status = perp_sparse_ldl()->factor(n, start, index, values, factor);
  ledger.alive += fresh && *factor != nullptr;
  return status;
}
perp_status counted_solve(void *factor, double *b) {
  if (ledger.solves++ == ledger.fail_solve) return PERP_EBACKEND;
  return perp_sparse_ldl()->solve(factor, b);
}
void counted_release(void *factor) {
  ledger.alive -= factor != nullptr;
  perp_sparse_ldl()->release(factor);
}
const perp_sparse kCounted = {
    sizeof(perp_sparse), 1,       "counted", counted_factor, counted_solve,
    counted_release,     nullptr, nullptr,   nullptr};

TEST(SparseSystem, EveryFactorIsGivenBack) {
  ledger = {};
  {
    world w;
    bar(20).into(w, 0, 0);
    w.options.sparse = &kCounted;
    w.options.h = 1e-5;
    run r(w);
    ASSERT_EQ(r.status, PERP_OK);
    EXPECT_EQ(ledger.alive, 1);
    perp_simulation_release(r.sim);
    perp_simulation_release(r.sim);
    EXPECT_EQ(ledger.alive, 0);
    EXPECT_EQ(r.step(), PERP_OK);  // factorised anew
    EXPECT_EQ(ledger.alive, 1);
  }
  EXPECT_EQ(ledger.alive, 0);
  perp_simulation_release(nullptr);
  world w;  // init that fails late, and a simulation on the heap
  bar(20).into(w, -1, 0);
  w.options.sparse = &kCounted;
  run deep(w);
  EXPECT_EQ(deep.status, PERP_EINVAL);
  EXPECT_STREQ(deep.info.field, "initial gap");
  EXPECT_EQ(ledger.alive, 0);
  w.options.min_gap = -2;
  perp_simulation *sim = nullptr;
  ASSERT_EQ(perp_simulation_create(&sim, &w.model, &w.options, nullptr), PERP_OK);
  EXPECT_EQ(ledger.alive, 1);
  perp_simulation_destroy(sim);
  EXPECT_EQ(ledger.alive, 0);
}

TEST(SparseSystem, ABackEndThatFailsLeavesTheStateAsItWas) {
  for (int call = 0; call < 10; call++)
    for (const bool in_factor : {false, true}) {
      ledger = {};
      world w;
      bar(20).into(w, 0, 0);
      w.options.sparse = &kCounted;
      w.options.h = 1e-6;
      (in_factor ? ledger.fail_factor : ledger.fail_solve) = call;
      {
        run r(w);
        if (r.status != PERP_OK) {
          EXPECT_EQ(r.status, PERP_EBACKEND);
          EXPECT_EQ(ledger.alive, 0);
          continue;
        }
        int failures = 0;
        for (int k = 0; k < 10; k++) {
          const auto before = r.bytes();
          const perp_status status = perp_simulation_advance(r.sim, (1 + k % 3) * 1e-6, &r.info);
          if (status == PERP_OK) continue;
          failures++;
          EXPECT_EQ(status, PERP_EBACKEND);
          EXPECT_EQ(before, r.bytes());
        }
        EXPECT_EQ(failures, 1);
      }
      EXPECT_EQ(ledger.alive, 0);
    }
}

TEST(SparseSystem, AResumedRunHasTheBitsOfTheUninterruptedOne) {
  for (const perp_sparse *table : kTables) {
    world w;
    make_mixture(w, 7, 1 << 4);
    w.options.sparse = table;
    run whole(w);
    ASSERT_EQ(whole.status, PERP_OK);
    ASSERT_EQ(whole.steps(5), PERP_OK);
    ASSERT_EQ(perp_simulation_advance(whole.sim, 0.02, nullptr), PERP_OK);
    const auto saved = whole.bytes();
    run later(w.model, w.options, 0, saved.data());
    ASSERT_EQ(later.status, PERP_OK);
    for (int k = 0; k < 10; k++) {
      ASSERT_EQ(whole.step(), PERP_OK);
      ASSERT_EQ(later.step(), PERP_OK);
      EXPECT_EQ(whole.bytes(), later.bytes()) << table->name;
    }
  }
}

TEST(SparseSystem, AStateOfAnotherModelIsRefusedAndNothingIsKept) {
  ledger = {};
  world w;
  bar(20).into(w, 0, 0);
  w.options.sparse = &kCounted;
  run r(w);
  auto saved = r.bytes();
  saved[0] ^= 1;
  run other(w.model, w.options, 0, saved.data());
  EXPECT_EQ(other.status, PERP_EINVAL);
  EXPECT_EQ(other.sim, nullptr);
  EXPECT_EQ(ledger.alive, 1);
}

// Asks for shorter steps after t = 5e-3 until they are.
std::int32_t shy(double t, double *f, void *user) {
  auto *last = static_cast<double *>(user);
  const double h = t - *last;
  f[0] = f[1] = f[2] = 0;
  if (t > 5e-3 && h > 6e-4) return 1;
  *last = t;
  return 0;
}

TEST(SparseSystem, StepsAreHalvedAsThoseOfDenseSystems) {
  world w[2];
  double last[2] = {0, 0};
  for (int i = 0; i < 2; i++) {
    assembly K(3);
    K.spring(0, 1, 100), K.spring(1, 2, 200), K.add(0, 0, 5);
    perp_lagrangian_linear &s = w[i].body(3);
    s.M = perp_diagonal(3, w[i].keep({1, 2, 1}));
    s.K = i == 0 ? K.view(w[i]) : K.dense(w[i]);
    s.force = shy;
    s.user = &last[i];
    w[i].add(s.system);
    w[i].join(w[i].contact(1, 3, {1, 0, 0}).relation, w[i].impact(0.5), {0});
    w[i].q0 = {0.002, 0.01, 0};
    w[i].v0 = {-1, 0, 1};
    w[i].options.h = 1e-3;
    w[i].options.on_failure = PERP_FAILURE_RETRY;
    w[i].options.sparse = perp_sparse_ldl();
  }
  run sparse(w[0]), dense(w[1]);
  for (int k = 0; k < 12; k++) {
    const perp_status status = dense.step();
    ASSERT_EQ(sparse.step(), status);
    if (status == PERP_OK) expect_alike(sparse, dense, 3, 1, 1e-13);
  }
  EXPECT_EQ(sparse.report().retries, dense.report().retries);
  EXPECT_GT(sparse.report().retries, 0);
}

// ---- refusals ----

// What init says about a bar that was changed.
template <class Change>
void expect_refusal(Change change, perp_status status, const char *field) {
  world w;
  perp_lagrangian_linear &s = bar(4).into(w, 0, 0);
  change(w, s);
  run r(w);
  EXPECT_EQ(r.status, status) << field;
  EXPECT_EQ(r.sim, nullptr);
  ASSERT_NE(r.info.field, nullptr) << field;
  EXPECT_STREQ(r.info.field, field);
}

// Replace one entry of a stored matrix.
void poke(perp_matrix &A, std::int32_t p, double value) {
  const_cast<double *>(A.values)[p] = value;
}

TEST(SparseSystem, WrongOperatorsAreRefusedByName) {
  using body = perp_lagrangian_linear;
  const double inf = HUGE_VAL;
  expect_refusal([](world &w, body &) { w.options.sparse = nullptr; }, PERP_EUNSUPPORTED, "M");
  expect_refusal(
      [](world &w, body &s) {
        s.M = perp_diagonal(4, w.keep({1, 1, 1, 1}));
        w.options.sparse = nullptr;
      },
      PERP_EUNSUPPORTED, "K");
  expect_refusal([](world &, body &s) { poke(s.K, 2, NAN); }, PERP_ENOTFINITE, "K");
  expect_refusal([=](world &, body &s) { poke(s.M, 0, -inf); }, PERP_ENOTFINITE, "M");
  expect_refusal([](world &, body &s) { const_cast<std::int32_t *>(s.K.index)[1] = 4; },
                 PERP_EINVAL, "K");
  expect_refusal([](world &, body &s) { const_cast<std::int32_t *>(s.K.index)[1] = -1; },
                 PERP_EINVAL, "K");
  expect_refusal([](world &, body &s) { const_cast<std::int32_t *>(s.K.index)[1] = 0; },
                 PERP_EINVAL, "K");  // twice in a row
  expect_refusal([](world &, body &s) { const_cast<std::int32_t *>(s.M.start)[1] = 9; },
                 PERP_EINVAL, "M");
  expect_refusal([](world &, body &s) { s.M.start = nullptr; }, PERP_EINVAL, "M");
  expect_refusal([](world &, body &s) { s.M.values = nullptr; }, PERP_EINVAL, "M");
  expect_refusal([](world &, body &s) { s.K.cols = 5; }, PERP_EINVAL, "K");
  expect_refusal([](world &, body &s) { s.C = s.K, s.C.rows = s.C.block_rows = 3; }, PERP_EINVAL,
                 "C");
  const std::int32_t cuts[] = {0, 2, 4}, start[] = {0, 1, 2}, index[] = {0, 1};
  const double eights[8] = {1, 0, 0, 1, 1, 0, 0, 1};
  expect_refusal([&](world &, body &s) { s.C = perp_block_rows(2, cuts, start, index, eights); },
                 PERP_EUNSUPPORTED, "C");
  expect_refusal([](world &, body &s) { poke(s.K, 1, -1); }, PERP_EUNSUPPORTED, "K");  // LDL
  expect_refusal(
      [](world &w, body &s) {
        poke(s.M, 0, 0), poke(s.M, 1, 0), poke(s.M, 2, 0);
        w.options.sparse = perp_sparse_klu();
      },
      PERP_EINVAL, "M");
  expect_refusal(
      [](world &w, body &s) {
        s.M = perp_diagonal(4, w.keep({1, 0, 1, 1}));
      },
      PERP_EINVAL, "M");
  perp_sparse broken = kCounted;
  broken.solve = nullptr;
  expect_refusal([&](world &w, body &) { w.options.sparse = &broken; }, PERP_EINVAL, "sparse");
}

TEST(SparseSystem, ASingularIterationMatrixIsRefused) {
  for (const perp_sparse *table : kTables) {
    world w;
    assembly K(2);
    K.add(0, 0, -4), K.add(1, 1, 1);  // W = 1 − h²θ² 4 = 0 at h = 1
    perp_lagrangian_linear &s = w.body(vec{1, 1});
    s.K = K.view(w);
    w.add(s.system);
    w.options.h = 1;
    w.options.sparse = table;
    run r(w);
    EXPECT_EQ(r.status, PERP_EINVAL) << table->name;
    EXPECT_STREQ(r.info.field, "W");
    w.options.h = 0.5;
    run good(w);
    ASSERT_EQ(good.status, PERP_OK);
    const auto before = good.bytes();
    EXPECT_EQ(perp_simulation_advance(good.sim, 1, &good.info), PERP_EINVAL);
    EXPECT_EQ(before, good.bytes());
    EXPECT_EQ(good.step(), PERP_OK);
  }
}

TEST(SparseSystem, WrongSparseRelationsAreRefused) {
  using body = perp_lagrangian_linear;
  auto H = [](world &w) -> perp_matrix & { return w.contacts.back().H_rows; };
  const double row[] = {1, 0, 0, 0};
  expect_refusal([&](world &w, body &) { w.contacts.back().H = row; }, PERP_EINVAL, "H_rows");
  expect_refusal([&](world &w, body &) { H(w) = perp_matrix{}; }, PERP_EINVAL, "H");
  expect_refusal([&](world &w, body &) { H(w) = perp_dense(1, 4, row); }, PERP_EUNSUPPORTED,
                 "H_rows");
  expect_refusal([&](world &w, body &) { H(w).cols = 3; }, PERP_EINVAL, "H_rows");
  expect_refusal([&](world &w, body &) { H(w).rows = H(w).block_rows = 2; }, PERP_EINVAL, "H_rows");
  expect_refusal([&](world &w, body &) { poke(H(w), 0, NAN); }, PERP_ENOTFINITE, "H_rows");
  expect_refusal([&](world &w, body &) { const_cast<std::int32_t *>(H(w).index)[0] = 4; },
                 PERP_EINVAL, "H_rows");
}

}  // namespace
