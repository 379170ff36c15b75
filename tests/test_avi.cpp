// SPDX-License-Identifier: MIT
// Polyhedra: the projection against an enumeration of active rows in long double, and affine
// variational inequalities judged by that projection.
#include <gtest/gtest.h>
#include <perp/interior_point.h>
#include <perp/pivoting.h>
#include <perp/vi.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "problem_tools.hpp"

extern "C" {
#include "problem/bounds.h"
}

namespace {

using tools::at;
using tools::dense;
using tools::from_rows;
using tools::kInf;
using tools::kNaN;
using tools::stored;
using tools::uniform;
using tools::vec;
using real = long double;
using reals = std::vector<real>;

// Solve A x = b by elimination with full pivoting; false if singular.
bool eliminate(std::vector<reals> A, reals b, reals *x) {
  const std::size_t n = b.size();
  std::vector<std::size_t> column(n);
  for (std::size_t k = 0; k < n; k++) column[k] = k;
  for (std::size_t k = 0; k < n; k++) {
    std::size_t r = k, c = k;
    for (std::size_t i = k; i < n; i++)
      for (std::size_t j = k; j < n; j++)
        if (std::fabs(A[i][j]) > std::fabs(A[r][c])) r = i, c = j;
    if (std::fabs(A[r][c]) < 1e-12L) return false;
    std::swap(A[k], A[r]);
    std::swap(b[k], b[r]);
    for (reals &row : A) std::swap(row[k], row[c]);
    std::swap(column[k], column[c]);
    for (std::size_t i = k + 1; i < n; i++) {
      const real f = A[i][k] / A[k][k];
      for (std::size_t j = k; j < n; j++) A[i][j] -= f * A[k][j];
      b[i] -= f * b[k];
    }
  }
  x->assign(n, 0);
  for (std::size_t k = n; k-- > 0;) {
    real sum = b[k];
    for (std::size_t j = k + 1; j < n; j++) sum -= A[k][j] * (*x)[column[j]];
    (*x)[column[k]] = sum / A[k][k];
  }
  return true;
}

// The projection of x on {H p >= K}: the first set of rows whose point is feasible with mu >= 0.
// False if there is none.
bool enumerate(const dense &H, const vec &K, const reals &x, reals *p) {
  for (unsigned set = 0; set < 1u << H.rows; set++) {
    std::vector<std::int32_t> rows;
    for (std::int32_t k = 0; k < H.rows; k++)
      if (set >> k & 1u) rows.push_back(k);
    if (rows.size() > x.size()) continue;
    std::vector<reals> G(rows.size(), reals(rows.size()));
    reals rest(rows.size()), mu;
    for (std::size_t a = 0; a < rows.size(); a++) {
      rest[a] = K[at(rows[a])];
      for (std::int32_t j = 0; j < H.cols; j++) {
        rest[a] -= static_cast<real>(H(rows[a], j)) * x[at(j)];
        for (std::size_t b = 0; b < rows.size(); b++)
          G[a][b] += static_cast<real>(H(rows[a], j)) * H(rows[b], j);
      }
    }
    if (!eliminate(G, rest, &mu)) continue;
    bool good = true;
    *p = x;
    for (std::size_t a = 0; a < rows.size(); a++) {
      good = good && mu[a] >= -1e-14L;
      for (std::int32_t j = 0; j < H.cols; j++) (*p)[at(j)] += mu[a] * H(rows[a], j);
    }
    for (std::int32_t k = 0; k < H.rows && good; k++) {
      real v = -static_cast<real>(K[at(k)]);
      for (std::int32_t j = 0; j < H.cols; j++) v += static_cast<real>(H(k, j)) * (*p)[at(j)];
      good = v >= -1e-13L;
    }
    if (good) return true;
  }
  return false;
}

// Laws of polyhedra that own what they view.
class polyhedron {
 public:
  dense H;
  vec K;
  perp_polyhedron law{};

  polyhedron(dense rows, vec k) : H(std::move(rows)), K(std::move(k)) {
    perp_polyhedron_init(&law, sizeof law);
    law.law.size = H.cols;
    law.H = perp_dense(H.rows, H.cols, H.data());
    law.H.ld = H.ld;
    law.K = K.data();
  }
  polyhedron(const polyhedron &) = delete;
  polyhedron &operator=(const polyhedron &) = delete;

  vec project(const vec &x) const {
    const std::size_t doubles = law.law.ops->project_doubles(&law.law);
    vec scratch(doubles + 1, 999.0), p(x.size(), 999.0);
    law.law.ops->project_with(&law.law, nullptr, x.data(), p.data(), scratch.data());
    EXPECT_EQ(scratch.back(), 999.0);
    return p;
  }
};

dense rows_of(std::int32_t m, std::int32_t n, const vec &rows) {
  dense H(m, n);
  for (std::int32_t k = 0; k < m; k++)
    for (std::int32_t j = 0; j < n; j++) H(k, j) = rows[at(k * n + j)];
  return H;
}

TEST(Polyhedron, ProjectsOnASimplex) {
  const polyhedron s(rows_of(4, 2, {1, 0, 0, 1, 1, 1, -1, -1}), {0, 0, 1, -1});
  const vec p = s.project({2, 1});
  EXPECT_NEAR(p[0], 1, 1e-15);
  EXPECT_NEAR(p[1], 0, 1e-15);
  EXPECT_EQ(s.project({0.5, 0.5}), (vec{0.5, 0.5}));
  const vec q = s.project({-3, -2.5});
  EXPECT_NEAR(q[0], 0.25, 1e-15);
  EXPECT_NEAR(q[1], 0.75, 1e-15);
}

// Random polyhedra around a point: with rows through it, copies of rows, equations.
void random_rows(uniform &random, std::int32_t m, std::int32_t n, dense *H, vec *K) {
  const vec point = random.vector(n);
  *H = random.matrix(m, n);
  K->assign(at(m), 0);
  bool through = false;
  for (std::int32_t k = 0; k < m; k++) {
    const bool opposite = k > 0 && through && random() > 0;
    for (std::int32_t j = 0; j < n && opposite; j++) (*H)(k, j) = -(*H)(k - 1, j);
    for (std::int32_t j = 0; j < n; j++) (*K)[at(k)] += (*H)(k, j) * point[at(j)];
    through = random() > 0;
    if (!through) (*K)[at(k)] -= 0.5;
  }
}

TEST(Polyhedron, ProjectionIsTheOneOfTheEnumeration) {
  uniform random(3);
  for (int t = 0; t < 1500; t++) {
    const std::int32_t n = 1 + t % 4, m = t % 7;
    dense H(0, 0);
    vec K;
    random_rows(random, m, n, &H, &K);
    const polyhedron s(H, K);
    vec x = random.vector(n);
    for (double &v : x) v *= 3;
    reals expected;
    ASSERT_TRUE(enumerate(H, K, reals(x.begin(), x.end()), &expected)) << t;
    const vec p = s.project(x);
    for (std::int32_t j = 0; j < n; j++)
      EXPECT_NEAR(p[at(j)], static_cast<double>(expected[at(j)]), 1e-9) << t;
  }
}

TEST(Polyhedron, EmptyOnesHaveNoProjection) {
  const polyhedron s(rows_of(2, 1, {1, -1}), {1, 0});
  EXPECT_TRUE(std::isnan(s.project({5})[0]));
  const polyhedron none(rows_of(1, 2, {0, 0}), {1});
  EXPECT_TRUE(std::isnan(none.project({5, 1})[1]));
  const polyhedron fine(rows_of(1, 1, {1}), {1});
  for (const double bad : {kNaN, kInf}) EXPECT_TRUE(std::isnan(fine.project({bad})[0]));
}

// Whether the law finds its set bounded.
bool found_bounded(const dense &H, const vec &K) {
  const polyhedron s(H, K);
  vec scratch(s.law.law.ops->project_doubles(&s.law.law) + 1, 999.0);
  const bool bounded = s.law.law.ops->is_bounded(&s.law.law, scratch.data()) != 0;
  EXPECT_EQ(scratch.back(), 999.0);
  return bounded;
}

TEST(Polyhedron, KnowsWhetherItIsBounded) {
  EXPECT_TRUE(found_bounded(rows_of(2, 1, {1, -1}), {0, -1}));
  EXPECT_TRUE(found_bounded(rows_of(2, 1, {1e-100, -1e100}), {0, -1}));
  EXPECT_FALSE(found_bounded(rows_of(2, 1, {1, 2}), {0, -1}));
  EXPECT_FALSE(found_bounded(rows_of(2, 1, {1, 0}), {0, -1}));
  EXPECT_TRUE(found_bounded(rows_of(4, 2, {1, 0, -1, 0, 0, 1, 0, -1}), {0, -1, 0, -1}));
  EXPECT_TRUE(found_bounded(rows_of(3, 2, {1, 0, 0, 1, -1, -1}), {0, 0, -1}));
  EXPECT_FALSE(found_bounded(rows_of(3, 2, {1, 0, 0, 1, -1, 0}), {0, 0, -1}));
  EXPECT_FALSE(found_bounded(rows_of(3, 2, {1, 1, -1, -1, 0, 0}), {0, -1, 0}));  // a strip
  EXPECT_FALSE(found_bounded(rows_of(4, 2, {1, 1, -1, -1, 2, 2, -3, -3}), {0, -1, 0, -9}));
  EXPECT_TRUE(found_bounded(rows_of(3, 2, {1, 1e-3, -1, 1e-3, 0, -1}), {0, 0, -1}));
  EXPECT_FALSE(found_bounded(rows_of(3, 2, {1, 1e-3, -1, 1e-3, 0, 1}), {0, 0, -1}));
  EXPECT_FALSE(found_bounded(dense(0, 2), {}));
}

// Bounded by construction: the rows sum to 0 with positive weights and span the space. Without the
// last of them, or with rows that leave a direction out, it is not.
TEST(Polyhedron, RandomOnesKnowWhetherTheyAreBounded) {
  uniform random(29);
  for (int t = 0; t < 600; t++) {
    const std::int32_t n = 1 + t % 5, m = n + 1 + t % 3;
    dense H = random.matrix(m, n);
    for (std::int32_t j = 0; j < n; j++) {
      H(m - 1, j) = 0;
      for (std::int32_t k = 0; k + 1 < m; k++) H(m - 1, j) -= (0.1 + (k * 7 + t) % 5) * H(k, j);
    }
    EXPECT_TRUE(found_bounded(H, vec(at(m), -1.0))) << t;
    dense open(m, n), flat = H;
    const vec d = random.vector(n);  // H d >= 0
    for (std::int32_t k = 0; k < m; k++) {
      double rate = 0;
      for (std::int32_t j = 0; j < n; j++) rate += H(k, j) * d[at(j)];
      for (std::int32_t j = 0; j < n; j++) open(k, j) = rate < 0 ? -H(k, j) : H(k, j);
    }
    EXPECT_FALSE(found_bounded(open, vec(at(m), -1.0))) << t;
    for (std::int32_t k = 0; k < m; k++) flat(k, t % n) = n > 1 ? flat(k, (t + 1) % n) : 0;
    EXPECT_FALSE(found_bounded(flat, vec(at(m), -1.0))) << t;
  }
}

TEST(Polyhedron, EveryStorageOfHIsRead) {
  const dense H = from_rows(2, {1, 2, 0, 3});
  const vec K = {1, 2};
  const polyhedron plain(H, K);
  const vec p = plain.project({0, 0});
  for (const tools::ints &cuts : {tools::ints{}, tools::ints{0, 2}}) {
    const stored view(H, PERP_BLOCKS, cuts);
    polyhedron other(H, K);
    other.law.H = view.view;
    EXPECT_EQ(perp_law_check(&other.law.law, nullptr), PERP_OK);
    EXPECT_EQ(other.project({0, 0}), p);
  }
}

TEST(Polyhedron, ChecksItsData) {
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(perp_polyhedron_init(nullptr, sizeof(perp_polyhedron)), PERP_EINVAL);
  perp_polyhedron law;
  EXPECT_EQ(perp_polyhedron_init(&law, sizeof law - 1), PERP_EINVAL);
  ASSERT_EQ(perp_polyhedron_init(&law, sizeof law), PERP_OK);
  EXPECT_EQ(perp_law_check(&law.law, &info), PERP_OK);  // no rows: the whole line
  EXPECT_EQ(law.law.size, 1);
  const auto refused = [&](auto &&spoil, perp_status status, const char *field) {
    polyhedron p(from_rows(2, {1, 2, 3, 4}), {1, 2});
    EXPECT_EQ(perp_law_check(&p.law.law, &info), PERP_OK);
    spoil(p);
    EXPECT_EQ(perp_law_check(&p.law.law, &info), status) << field;
    EXPECT_STREQ(info.field, field);
  };
  refused([](polyhedron &p) { p.law.law.size = 3; }, PERP_EINVAL, "H");
  refused([](polyhedron &p) { p.law.H.values = nullptr; }, PERP_EINVAL, "H");
  refused([](polyhedron &p) { p.law.H.kind = 77; }, PERP_EINVAL, "H");
  refused([](polyhedron &p) { p.law.K = nullptr; }, PERP_EINVAL, "K");
  refused([](polyhedron &p) { p.H(1, 0) = kNaN; }, PERP_ENOTFINITE, "H");
  refused([](polyhedron &p) { p.K[1] = kInf; }, PERP_ENOTFINITE, "K");
  refused([](polyhedron &p) { p.law.law.struct_size = sizeof(perp_law); }, PERP_EINVAL,
          "struct_size");
}

// An affine variational inequality in arrays, and its answer.
class avi {
 public:
  dense M, H;
  vec q, K, z, w;
  perp_info info = PERP_INFO_INIT;

  avi(dense m, vec q_, dense h, vec k)
      : M(std::move(m)), H(std::move(h)), q(std::move(q_)), K(std::move(k)) {}

  perp_avi view() const {
    return {M.rows, M.ld, M.data(), q.data(), H.rows, H.ld, H.data(), K.data()};
  }
  perp_status solve(const perp_avi_pivoting_options *o = nullptr) {
    const perp_avi p = view();
    z.assign(at(M.rows), 999);
    w.assign(at(M.rows), 999);
    std::vector<unsigned char> work(perp_avi_pivoting_workspace(M.rows, H.rows, o));
    return perp_avi_pivoting(&p, o, z.data(), w.data(), work.data(), work.size(), &info);
  }
  // |z - P(z - w)| / (1 + |z|), by enumeration.
  double error() const {
    const reals y = tools::affine(M, q, z);
    reals x, p;
    real size = 1, worst = 0;
    for (std::size_t i = 0; i < z.size(); i++) {
      x.push_back(z[i] - y[i]);
      size = std::max(size, static_cast<real>(std::fabs(z[i])));
      if (!(y[i] == y[i])) return kInf;
      EXPECT_NEAR(w[i], static_cast<double>(y[i]), 1e-9 * (1 + std::fabs(w[i])));
    }
    if (!enumerate(H, K, x, &p)) return kInf;
    for (std::size_t i = 0; i < z.size(); i++) worst = std::max(worst, std::fabs(z[i] - p[i]));
    return static_cast<double>(worst / size);
  }
};

TEST(Avi, ASmallOneByHand) {
  // the point of the simplex x + y = 1, x, y >= 0 nearest to (2, 1)
  avi p(from_rows(2, {1, 0, 0, 1}), {-2, -1}, rows_of(4, 2, {1, 0, 0, 1, 1, 1, -1, -1}),
        {0, 0, 1, -1});
  EXPECT_EQ(p.solve(), PERP_OK);
  EXPECT_NEAR(p.z[0], 1, 1e-14);
  EXPECT_NEAR(p.z[1], 0, 1e-14);
  EXPECT_LT(p.error(), 1e-14);
  EXPECT_STREQ(p.info.solver, "avi-pivoting");
  EXPECT_LE(p.info.relative_residual, 1e-14);
}

TEST(Avi, MonotoneOnesWithEquationsAndCopiesOfRowsAreSolved) {
  uniform random(7);
  for (int t = 0; t < 2000; t++) {
    const std::int32_t n = 1 + t % 4, m = t % 7;
    dense M = random.definite(n), H(0, 0);
    const dense S = random.matrix(n, n);
    for (std::int32_t i = 0; i < n; i++)
      for (std::int32_t j = 0; j < n; j++) M(i, j) += S(i, j) - S(j, i);  // not symmetric
    vec K;
    random_rows(random, m, n, &H, &K);
    avi p(M, random.vector(n), H, K);
    ASSERT_EQ(p.solve(), PERP_OK) << t;
    EXPECT_LT(p.error(), 1e-9) << t;
  }
}

TEST(Avi, ASkewMatrixOnABoundedSetIsSolved) {
  uniform random(13);
  for (int t = 0; t < 500; t++) {
    const std::int32_t n = 2 + t % 3;
    dense M(n, n), H(2 * n, n);
    vec K(at(2 * n), -1.0);
    for (std::int32_t i = 0; i < n; i++) {
      for (std::int32_t j = 0; j < i; j++) {
        M(i, j) = random();
        M(j, i) = -M(i, j);
      }
      H(i, i) = 1;
      H(n + i, i) = -1;
    }
    avi p(M, random.vector(n), H, K);
    ASSERT_EQ(p.solve(), PERP_OK) << t;
    EXPECT_LT(p.error(), 1e-10) << t;
  }
}

TEST(Avi, WithoutSolutionNoneIsClaimed) {
  avi empty(from_rows(1, {1}), {0}, rows_of(2, 1, {1, -1}), {1, 0});
  EXPECT_EQ(empty.solve(), PERP_INFEASIBLE);
  avi down(from_rows(1, {0}), {1}, rows_of(1, 1, {-1}), {-1});  // y = 1 on z <= 1
  vec ray(2, 999.0);
  down.info.ray = ray.data();
  down.info.ray_size = 2;
  EXPECT_EQ(down.solve(), PERP_INFEASIBLE);
  EXPECT_EQ(down.info.ray_kind, PERP_RAY_CERTIFICATE);
  EXPECT_LT(ray[0], 0);
  avi twins(from_rows(2, {0, 0, 0, 0}), {1, 0}, rows_of(2, 2, {0, 1, 0, -1}), {1, -1});
  vec three(4, 999.0);
  twins.info.ray = three.data();
  twins.info.ray_size = 4;
  EXPECT_EQ(twins.solve(), PERP_INFEASIBLE);
  EXPECT_EQ(twins.info.ray_kind, PERP_RAY_CERTIFICATE);
  EXPECT_LT(three[0], 0);
  EXPECT_GE(three[2], 0);
  EXPECT_GE(three[3], 0);
}

TEST(Avi, NothingIsSolved) {
  avi p(dense(0, 0), {}, dense(0, 0), {});
  EXPECT_EQ(p.solve(), PERP_OK);
  avi above(dense(0, 0), {}, dense(1, 0), {1});
  EXPECT_EQ(above.solve(), PERP_INFEASIBLE);
  avi below(dense(0, 0), {}, dense(1, 0), {-1});
  EXPECT_EQ(below.solve(), PERP_OK);
  avi line(from_rows(1, {2}), {-4}, dense(0, 1), {});  // no rows: M z + q = 0
  EXPECT_EQ(line.solve(), PERP_OK);
  EXPECT_NEAR(line.z[0], 2, 1e-15);
}

// Polyhedra, boxes, contacts and equations in one problem, in every storage of M.
TEST(Avi, PolyhedraMixWithOtherLaws) {
  uniform random(17);
  for (int t = 0; t < 400; t++) {
    dense M = random.definite(8), H(0, 0);
    M(0, 7) += 0.1;
    vec q = random.vector(8), K;
    for (double &v : q) v *= 3;
    random_rows(random, 3, 2, &H, &K);
    const polyhedron p(H, K);
    perp_box box;
    perp_complementarity contact;
    perp_equality equality;
    perp_box_init(&box, sizeof box);
    perp_complementarity_init(&contact, sizeof contact);
    perp_equality_init(&equality, sizeof equality);
    const double l[2] = {-0.2, -kInf}, u[2] = {0.1, 0.3};
    box.law.size = 2;
    box.lower = l;
    box.upper = u;
    const perp_law *laws[] = {&p.law.law, &box.law, &contact.law, &equality.law};
    const std::int32_t offset[] = {0, 4, 6, 7, 8};  // two copies of the polyhedron
    const stored view(M, t % 2 ? PERP_DENSE : PERP_BLOCKS);
    const perp_problem problem = perp_problem_of(view.view, q.data(), 4, laws, offset);
    vec z(8, 0.0), y(8, 999.0);
    perp_info info = PERP_INFO_INIT;
    const perp_solver *solver = perp_solver_avi_pivoting();
    std::vector<unsigned char> work(perp_solver_workspace(solver, &problem, nullptr));
    ASSERT_EQ(perp_solver_solve(solver, &problem, nullptr, z.data(), y.data(), nullptr, work.data(),
                                work.size(), &info),
              PERP_OK)
        << t;
    const reals exact = tools::affine(M, q, z);
    for (std::int32_t begin : {0, 2}) {
      reals x = {z[at(begin)] - exact[at(begin)], z[at(begin + 1)] - exact[at(begin + 1)]}, v;
      ASSERT_TRUE(enumerate(H, K, x, &v));
      for (std::int32_t i = 0; i < 2; i++)
        EXPECT_NEAR(static_cast<double>(v[at(i)]), z[at(begin + i)], 1e-9) << t;
    }
    const auto clamp = [](real v, real a, real b) { return std::max(a, std::min(b, v)); };
    EXPECT_NEAR(static_cast<double>(clamp(z[4] - exact[4], l[0], u[0])), z[4], 1e-10);
    EXPECT_NEAR(static_cast<double>(clamp(z[5] - exact[5], l[1], u[1])), z[5], 1e-10);
    EXPECT_NEAR(static_cast<double>(clamp(z[6] - exact[6], 0, kInf)), z[6], 1e-10);
    EXPECT_NEAR(static_cast<double>(exact[7]), 0, 1e-10);
  }
}

TEST(Avi, ProjectionMethodsTakePolyhedra) {
  uniform random(19);
  for (int t = 0; t < 60; t++) {
    dense H(0, 0);
    vec K;
    random_rows(random, 4, 3, &H, &K);
    avi p(random.definite(3), random.vector(3), H, K);
    ASSERT_EQ(p.solve(), PERP_OK);
    const polyhedron law(H, K);
    const perp_law *laws = &law.law.law;
    const perp_problem problem =
        perp_problem_of(perp_dense(3, 3, p.M.data()), p.q.data(), 1, &laws, nullptr);
    for (const perp_solver *solver : {perp_solver_extragradient(), perp_solver_fixed_point()}) {
      vec z(3, 0.0), y(3, 999.0);
      std::vector<unsigned char> work(perp_solver_workspace(solver, &problem, nullptr));
      ASSERT_EQ(perp_solver_solve(solver, &problem, nullptr, z.data(), y.data(), nullptr,
                                  work.data(), work.size(), nullptr),
                PERP_OK)
          << t;
      for (std::size_t i = 0; i < 3; i++) EXPECT_NEAR(z[i], p.z[i], 1e-6) << t;
    }
  }
}

TEST(Avi, TheInteriorPointMethodServesAsEngine) {
  uniform random(23);
  perp_avi_pivoting_options o = perp_avi_pivoting_options_default();
  o.engine = perp_solver_interior_point();
  for (int t = 0; t < 100; t++) {
    dense H(0, 0);
    vec K;
    random_rows(random, 1 + t % 6, 1 + t % 4, &H, &K);
    avi p(random.definite(1 + t % 4), random.vector(1 + t % 4), H, K);
    ASSERT_EQ(p.solve(&o), PERP_OK) << t;
    EXPECT_LT(p.error(), 1e-7) << t;
  }
}

// The largest violation of the conditions by definition, in long double: rows, and the gradient
// that is left after the best multipliers, found by projecting y on the cone of the active rows
// (those with slack below hair, or of rounding), as a part of max |q|, of |M||z| + |q| on a bounded
// set.
double singular_error(const dense &M, const vec &q, const dense &H, const vec &K, const vec &z,
                      real hair, bool bounded) {
  const reals y = tools::affine(M, q, z);
  real size = 0, outside = 0;
  std::vector<std::int32_t> active;
  for (std::int32_t i = 0; i < M.rows; i++) {
    real row = std::fabs(q[at(i)]);
    for (std::int32_t j = 0; j < M.cols && bounded; j++) row += std::fabs(M(i, j) * z[at(j)]);
    size = std::max(size, row);
  }
  for (std::int32_t k = 0; k < H.rows; k++) {
    real v = -static_cast<real>(K[at(k)]), terms = std::fabs(v);
    for (std::int32_t j = 0; j < H.cols; j++) {
      const real term = static_cast<real>(H(k, j)) * z[at(j)];
      v += term;
      terms += std::fabs(term);
    }
    outside = std::max(outside, -v);
    if (v <= hair + 1e-12L * terms) active.push_back(k);
  }
  // y - H'mu for mu >= 0 is least: minus the projection of -y on {H_active p >= 0}
  dense A(static_cast<std::int32_t>(active.size()), H.cols);
  for (std::size_t a = 0; a < active.size(); a++)
    for (std::int32_t j = 0; j < H.cols; j++) A(static_cast<std::int32_t>(a), j) = H(active[a], j);
  reals minus, rest;
  for (const real v : y) minus.push_back(-v / size);
  if (!enumerate(A, vec(active.size(), 0.0), minus, &rest)) return kInf;
  real worst = 0;
  for (const real v : rest) worst = std::max(worst, std::fabs(v));
  return static_cast<double>(std::max(worst, outside));
}

// M = G G' of less than full rank, with a planted solution: rows through it, copies of rows, rows
// of zeros. Small integers, where all of that is exact, and reals.
TEST(Avi, SymmetricSingularOnesWithASolutionAreSolved) {
  for (const bool whole : {true, false}) {
    uniform random(5);
    const auto number = [&](double size) {
      const double v = size * random();
      return whole ? std::floor(v + 0.5) : v;
    };
    for (int t = 0; t < 4000; t++) {
      const std::int32_t n = 2 + t % 5, m = 1 + (t / 5) % 8, rank = 1 + (t / 40) % (n - 1);
      dense M(n, n), H(m, n);
      for (std::int32_t k = 0; k < rank; k++) {
        vec g(at(n));
        for (double &v : g) v = number(2);
        for (std::int32_t i = 0; i < n; i++)
          for (std::int32_t j = 0; j < n; j++) M(i, j) += g[at(i)] * g[at(j)];
      }
      vec z(at(n)), q(at(n)), K(at(m));
      for (double &v : z) v = number(2);
      for (std::int32_t k = 0; k < m; k++) {
        const bool copy = k > 0 && random() > 0.6;
        const double sign = random() > 0 ? 1 : -1;
        double v = 0;
        for (std::int32_t j = 0; j < n; j++) {
          H(k, j) = copy ? sign * H(k - 1, j) : number(2);
          v += H(k, j) * z[at(j)];
        }
        const bool active = random() > -0.2;
        K[at(k)] = active ? v : v - 1 - std::fabs(number(2));
        const double mu = active && random() > -0.4 ? std::fabs(number(2)) : 0;
        for (std::int32_t j = 0; j < n; j++) q[at(j)] += mu * H(k, j);
      }
      for (std::int32_t i = 0; i < n; i++)
        for (std::int32_t j = 0; j < n; j++) q[at(i)] -= M(i, j) * z[at(j)];
      avi p(M, q, H, K);
      ASSERT_EQ(p.solve(), PERP_OK) << whole << " " << t;
      if (*std::max_element(q.begin(), q.end()) == 0 && *std::min_element(q.begin(), q.end()) == 0)
        continue;
      EXPECT_LT(singular_error(M, q, H, K, p.z, 1e-7, false), 1e-6) << whole << " " << t;
    }
  }
}

// A huge q moves the solution as far away; that is no proof that there is none.
TEST(Avi, HugeForcesAreSolved) {
  uniform random(5);
  for (int t = 0; t < 400; t++) {
    const double size = std::pow(10.0, 6 + t % 11);
    dense M(3, 3), H(3, 3);
    vec q(3), K(3);
    for (std::int32_t i = 0; i < 3; i++) {
      M(i, i) = 1 + std::fabs(random());
      q[at(i)] = size * random();
      K[at(i)] = random();
      for (std::int32_t j = 0; j < 3; j++) H(i, j) = random() + (i == j ? 3 : 0);
      for (std::int32_t j = 0; j < i; j++) M(i, j) = random(), M(j, i) = -M(i, j);
    }
    avi p(M, q, H, K);
    EXPECT_EQ(p.solve(), PERP_OK) << size << " " << t;
  }
}

// The polyhedron asks for λ of size 1, which M turns into forces that make nothing of a tiny q.
TEST(Avi, TinyForcesAreNoProofWhereThePolyhedronAsksForMore) {
  uniform random(7);
  for (int t = 0; t < 800; t++) {
    const double size = std::pow(10.0, -6 - t % 11);
    dense M(3, 3), H(3, 3);
    vec q(3), K(3);
    for (std::int32_t i = 0; i < 3; i++) {
      M(i, i) = 1 + std::fabs(random());
      q[at(i)] = size * random();
      K[at(i)] = random();
      for (std::int32_t j = 0; j < 3; j++) H(i, j) = random() + (i == j ? 3 : 0);
      for (std::int32_t j = 0; j < i; j++) M(i, j) = random(), M(j, i) = -M(i, j);
    }
    avi p(M, q, H, K);
    EXPECT_EQ(p.solve(), PERP_OK) << size << " " << t;
  }
}

// Units of M alone: multipliers are as large as M, and λ of size 1.
TEST(Avi, UnitsOfMAreNoProof) {
  uniform random(9);
  for (int t = 0; t < 600; t++) {
    const double size = std::ldexp(1, (t % 2 == 0 ? 1 : -1) * (36 + t % 24));
    dense M(3, 3), H(3, 3);
    vec q(3), K(3);
    for (std::int32_t i = 0; i < 3; i++) {
      M(i, i) = size * (1 + std::fabs(random()));
      q[at(i)] = random();
      K[at(i)] = random();
      for (std::int32_t j = 0; j < 3; j++) H(i, j) = random() + (i == j ? 3 : 0);
      for (std::int32_t j = 0; j < i; j++) M(i, j) = size * random(), M(j, i) = -M(i, j);
    }
    avi p(M, q, H, K);
    EXPECT_NE(p.solve(), PERP_INFEASIBLE) << size << " " << t;
  }
}

// |q| down to 1e-23 on squares: the solution is a corner, an edge, or close to 0.
TEST(Avi, TinyForcesOnABoundedSetAreSolved) {
  const vec matrices[] = {{0, 0, 0, 0},
                          {1, 0, 0, 1},
                          {1, 1, 1, 1},
                          {1e-3, 0, 0, 1e-3},
                          {2, -1, -1, 2},
                          {1, 0.5, -0.5, 1},
                          {2e-6, 4e-3, 1e-6, 2e-3}};
  for (const double lower : {-1.0, 0.0})
    for (const vec &entries : matrices) {
      if (lower == 0 && entries[0] == 1 && entries[1] == 1) continue;  // 13 of 200 are not
      uniform random(3);
      dense M(2, 2);
      M(0, 0) = entries[0], M(1, 0) = entries[1], M(0, 1) = entries[2], M(1, 1) = entries[3];
      for (int t = 0; t < 200; t++) {
        const double size = std::pow(10.0, -14 - (t % 4) * 3);
        const vec q = {t % 5 == 0 ? 0 : size * random(), size * random()};
        const vec K = {lower, -1, lower, -1};
        avi p(M, q, rows_of(4, 2, {1, 0, -1, 0, 0, 1, 0, -1}), K);
        ASSERT_EQ(p.solve(), PERP_OK) << lower << " " << entries[0] << " " << t;
        const double hair = 1e-9 * std::max({size, std::fabs(p.z[0]), std::fabs(p.z[1])});
        EXPECT_LT(singular_error(M, q, p.H, K, p.z, hair, true), 1e-6)
            << lower << " " << entries[0] << " " << t;
      }
    }
}

TEST(Avi, ProjectionMethodsTakeTinyForcesOnABoundedSet) {
  const polyhedron unit(rows_of(4, 2, {1, 0, -1, 0, 0, 1, 0, -1}), {0, -1, 0, -1});
  const polyhedron centred(unit.H, {-1, -1, -1, -1});
  for (const polyhedron *set : {&unit, &centred})
    for (const double diagonal : {0.0, 1e-3, 1.0}) {
      uniform random(3);
      const double M[] = {diagonal, 0, 0, diagonal};
      const perp_law *laws = &set->law.law;
      for (int t = 0; t < 100; t++) {
        const double size = std::pow(10.0, -14 - (t % 4) * 3);
        const vec q = {t % 5 == 0 ? 0 : size * random(), size * random()};
        const perp_problem problem =
            perp_problem_of(perp_dense(2, 2, M), q.data(), 1, &laws, nullptr);
        for (const perp_solver *solver : {perp_solver_extragradient(), perp_solver_fixed_point()}) {
          vec z(2, 0.0), y(2, 999.0);
          std::vector<unsigned char> work(perp_solver_workspace(solver, &problem, nullptr));
          ASSERT_EQ(perp_solver_solve(solver, &problem, nullptr, z.data(), y.data(), nullptr,
                                      work.data(), work.size(), nullptr),
                    PERP_OK)
              << solver->name << " " << diagonal << " " << t;
          for (std::size_t i = 0; i < 2; i++) {
            const double l = set == &unit ? 0 : -1, best = q[i] > 0 ? l : q[i] < 0 ? 1 : z[i];
            if (diagonal == 0) {
              EXPECT_NEAR(z[i], best, 1e-9);
            } else {
              EXPECT_NEAR(z[i], std::max(l, -q[i] / diagonal), 1e-6 * size / diagonal);
            }
          }
        }
      }
    }
}

TEST(Avi, AWrongCornerIsNoSolutionHoweverSmallTheForceIs) {
  const double M[] = {0, 0, 0, 0};
  const polyhedron square(rows_of(4, 2, {1, 0, -1, 0, 0, 1, 0, -1}), {-1, -1, -1, -1});
  const polyhedron cone(rows_of(2, 2, {1, 0, 0, 1}), {0, 0});
  const auto judge = [&](const polyhedron &p, const vec &q, const vec &z) {
    const perp_law *laws = &p.law.law;
    const perp_problem problem = perp_problem_of(perp_dense(2, 2, M), q.data(), 1, &laws, nullptr);
    std::vector<unsigned char> work(perp_problem_residual_workspace(&problem));
    perp_residual r = PERP_RESIDUAL_INIT;
    double y[2];
    EXPECT_EQ(perp_problem_residual(&problem, z.data(), y, &r, work.data(), work.size()), PERP_OK);
    return perp_residual_solved(&r, 1e-10);
  };
  for (const double s : {1.0, 1e-6, 1e-14, 1e-20, 1e-100}) {
    EXPECT_EQ(judge(square, {s, -s}, {-1, 1}), 1) << s;
    EXPECT_EQ(judge(square, {s, -s}, {-1, -1}), 0) << s;
    EXPECT_EQ(judge(square, {s, -s}, {1, 1}), 0) << s;
    EXPECT_EQ(judge(square, {s, -s}, {0, 0}), 0) << s;
    EXPECT_EQ(judge(square, {s, -s}, {-1.001, 1}), 0) << s;
    EXPECT_EQ(judge(cone, {s, s}, {0, 0}), 1) << s;
    for (const double far : {1.0, 1e8, 1e20}) {  // no solution: the cone has no end
      EXPECT_EQ(judge(cone, {s, -s}, {0, far}), 0) << s << " " << far;
      EXPECT_EQ(judge(cone, {s, s}, {0, far}), 0) << s << " " << far;
    }
  }
}

TEST(Avi, TheResidualSeesAWrongPoint) {
  const polyhedron p(rows_of(4, 2, {1, 0, 0, 1, 1, 1, -1, -1}), {0, 0, 1, -1});
  const perp_law *laws = &p.law.law;
  const double M[] = {1, 0, 0, 1}, q[] = {-2, -1};
  const perp_problem problem = perp_problem_of(perp_dense(2, 2, M), q, 1, &laws, nullptr);
  const std::size_t need = perp_problem_residual_workspace(&problem);
  std::vector<unsigned char> work(need + 1, 0xA5);
  perp_residual r = PERP_RESIDUAL_INIT;
  double y[2];
  const auto judge = [&](const vec &z) {
    EXPECT_EQ(perp_problem_residual(&problem, z.data(), y, &r, work.data(), need), PERP_OK);
    EXPECT_EQ(work.back(), 0xA5);
    return perp_residual_solved(&r, 1e-10);
  };
  EXPECT_EQ(judge({1, 0}), 1);
  EXPECT_LT(r.residual, 1e-14);
  EXPECT_EQ(judge({0.5, 0.5}), 0);
  EXPECT_NEAR(r.residual, std::sqrt(0.5), 1e-12);  // rho = 1 / |M|_F = sqrt(1/2)
  EXPECT_NEAR(r.natural_error, std::sqrt(0.5) / std::sqrt(5.0), 1e-12);
  EXPECT_EQ(judge({2, 1}), 0);  // y = 0, but outside
  EXPECT_EQ(judge({kNaN, 0}), 0);
  EXPECT_EQ(perp_problem_residual(&problem, q, y, &r, work.data(), need - 1), PERP_EWORKSPACE);
  const polyhedron empty(rows_of(2, 2, {1, 0, -1, 0}), {1, 0});
  laws = &empty.law.law;
  EXPECT_EQ(judge({1, 0}), 0);
  EXPECT_TRUE(std::isnan(r.residual));
}

TEST(Avi, AnyEngineForBoxesServesAndOthersAreRefused) {
  avi p(from_rows(2, {1, 0, 0, 1}), {-2, -1}, rows_of(4, 2, {1, 0, 0, 1, 1, 1, -1, -1}),
        {0, 0, 1, -1});
  perp_avi_pivoting_options o = perp_avi_pivoting_options_default();
  EXPECT_EQ(o.engine, nullptr);
  o.engine = perp_solver_avi_pivoting();
  EXPECT_EQ(p.solve(&o), PERP_OK);
  o.engine = perp_solver_lemke();  // takes no free unknowns
  EXPECT_EQ(p.solve(&o), PERP_EUNSUPPORTED);
  EXPECT_STREQ(p.info.field, "engine");
  EXPECT_EQ(perp_avi_pivoting_workspace(2, 2, &o), 0u);
  dense H(6, 4);
  for (std::int32_t i = 0; i < 4; i++) H(0, i) = -1 - i, H(1, i) = 1 - i, H(2 + i, i) = -1;
  avi more(from_rows(4, {2, 0, 1, 0, 0, 2, 0, 1, -1, 0, 2, 0, 0, -1, 0, 2}), {-9, -8, -7, -6}, H,
           {-3, -1, -1, -1, -1, -1});
  o = perp_avi_pivoting_options_default();
  EXPECT_EQ(more.solve(&o), PERP_OK);
  EXPECT_LT(more.error(), 1e-12);
  EXPECT_GT(more.info.iterations, 1);
  o.max_iter = 1;
  EXPECT_EQ(more.solve(&o), PERP_MAX_ITER);
  o.max_iter = 0;
  o.observe = [](const perp_iterate *, void *) -> std::int32_t { return 1; };
  EXPECT_EQ(more.solve(&o), PERP_STOPPED);
  o = perp_avi_pivoting_options_default();
  o.tol = kNaN;
  EXPECT_EQ(p.solve(&o), PERP_EINVAL);
  o = perp_avi_pivoting_options_default();
  o.max_iter = -1;
  EXPECT_EQ(p.solve(&o), PERP_EINVAL);
}

TEST(Avi, NotANumberIsNamed) {
  const auto spoilt = [](auto &&change, const char *field) {
    for (const double bad : {kNaN, kInf}) {
      avi p(from_rows(2, {1, 0, 0, 1}), {-2, -1}, rows_of(1, 2, {1, 1}), {0});
      change(p, bad);
      EXPECT_EQ(p.solve(), PERP_ENOTFINITE);
      EXPECT_STREQ(p.info.field, field);
    }
  };
  spoilt([](avi &p, double v) { p.M(1, 0) = v; }, "M");
  spoilt([](avi &p, double v) { p.q[1] = v; }, "q");
  spoilt([](avi &p, double v) { p.H(0, 1) = v; }, "H");
  spoilt([](avi &p, double v) { p.K[0] = v; }, "K");
  avi none(dense(0, 0), {}, dense(1, 0), {kNaN});
  EXPECT_EQ(none.solve(), PERP_ENOTFINITE);
}

TEST(Avi, RefusesWrongCalls) {
  const double M[] = {1}, q[] = {-1}, H[] = {1}, K[] = {0};
  const perp_avi good = {1, 1, M, q, 1, 1, H, K};
  const std::size_t need = perp_avi_pivoting_workspace(1, 1, nullptr);
  ASSERT_GT(need, 0u);
  std::vector<unsigned char> work(need + 64, 0xA5);
  double z[1] = {0}, w[1];
  perp_info info = PERP_INFO_INIT;
  const auto refused = [&](auto &&spoil, const char *field) {
    perp_avi p = good;
    spoil(p);
    EXPECT_EQ(perp_avi_pivoting(&p, nullptr, z, w, work.data(), need, &info), PERP_EINVAL);
    EXPECT_STREQ(info.field, field);
  };
  refused([](perp_avi &p) { p.n = -1; }, "n");
  refused([](perp_avi &p) { p.m = -1; }, "m");
  refused([](perp_avi &p) { p.m = INT32_MAX; }, "m");
  refused([](perp_avi &p) { p.ldM = 0; }, "ldM");
  refused([](perp_avi &p) { p.ldH = 0; }, "ldH");
  refused([](perp_avi &p) { p.M = nullptr; }, "M");
  refused([](perp_avi &p) { p.q = nullptr; }, "q");
  refused([](perp_avi &p) { p.H = nullptr; }, "H");
  refused([](perp_avi &p) { p.K = nullptr; }, "K");
  EXPECT_EQ(perp_avi_pivoting(nullptr, nullptr, z, w, work.data(), need, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_avi_pivoting(&good, nullptr, nullptr, w, work.data(), need, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_avi_pivoting(&good, nullptr, z, nullptr, work.data(), need, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_avi_pivoting(&good, nullptr, z, w, nullptr, need, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_avi_pivoting(&good, nullptr, z, w, work.data(), need - 1, nullptr),
            PERP_EWORKSPACE);
  for (std::size_t shift = 1; shift < 16; shift++) {
    std::fill(work.begin(), work.end(), 0xA5);
    EXPECT_EQ(perp_avi_pivoting(&good, nullptr, z, w, work.data() + shift, need, nullptr), PERP_OK);
    EXPECT_EQ(work[shift - 1], 0xA5);
    EXPECT_EQ(work[shift + need], 0xA5);
  }
  EXPECT_NEAR(z[0], 1, 1e-15);
  EXPECT_EQ(perp_avi_pivoting_workspace(-1, 0, nullptr), 0u);
  EXPECT_EQ(perp_avi_pivoting_workspace(0, -1, nullptr), 0u);
  EXPECT_EQ(perp_avi_pivoting_workspace(INT32_MAX, INT32_MAX, nullptr), 0u);
}

}  // namespace
