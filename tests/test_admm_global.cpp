// SPDX-License-Identifier: MIT
// ADMM on problems in global form, judged by the condensed problem, which the test makes itself.
#include <gtest/gtest.h>

#include "contact_system.hpp"
#include "perp/admm.h"

namespace {

using namespace contacts;
using tools::kNaN;
using model = contacts::system;

// M v = q + Hᵀ r, u = H v + b; the laws are those of a one-step problem whose W is not looked at.
struct instance {
  dense M, H;
  vec q, b;
  std::vector<unit> units;
  std::unique_ptr<model> laws;
  std::unique_ptr<tools::stored> stored;
  ints start, index;
  vec values;
  perp_global_problem problem = PERP_GLOBAL_PROBLEM_INIT;

  const perp_global_problem &view(std::int32_t kind, bool compressed) {
    laws = std::make_unique<model>(dense(H.rows, H.rows), b, units);
    stored = std::make_unique<tools::stored>(M, kind);
    problem = PERP_GLOBAL_PROBLEM_INIT;
    problem.M = stored->view;
    problem.H = perp_dense(H.rows, H.cols, H.data());
    if (compressed) {
      start = {0};
      index.clear();
      values.clear();
      for (std::int32_t i = 0; i < H.rows; i++) {
        for (std::int32_t j = H.cols; j-- > 0;)
          if (H(i, j) != 0) {
            index.push_back(j);
            values.push_back(H(i, j));
          }
        start.push_back(static_cast<std::int32_t>(index.size()));
      }
      problem.H = perp_sparse_rows(H.rows, H.cols, start.data(), index.data(), values.data());
    }
    problem.q = q.data();
    problem.b = b.data();
    problem.m = M.rows;
    problem.n = H.rows;
    problem.n_blocks = static_cast<std::int32_t>(units.size());
    problem.laws = laws->problem.laws;
    return problem;
  }
};

// M x = b by elimination.
std::vector<real> eliminate(const dense &M, std::vector<real> x) {
  const std::size_t m = at(M.rows);
  std::vector<std::vector<real>> A(m, std::vector<real>(m));
  for (std::size_t i = 0; i < m; i++)
    for (std::size_t j = 0; j < m; j++)
      A[i][j] = M(static_cast<std::int32_t>(i), static_cast<std::int32_t>(j));
  for (std::size_t k = 0; k < m; k++)
    for (std::size_t i = k + 1; i < m; i++) {
      const real f = A[i][k] / A[k][k];
      for (std::size_t j = k; j < m; j++) A[i][j] -= f * A[k][j];
      x[i] -= f * x[k];
    }
  for (std::size_t k = m; k-- > 0;) {
    for (std::size_t j = k + 1; j < m; j++) x[k] -= A[k][j] * x[j];
    x[k] /= A[k][k];
  }
  return x;
}

// The larger one of ‖M v − q − Hᵀ r‖ against its terms, and the residual of the condensed problem.
double error(const instance &p, const vec &v, const vec &r) {
  const std::int32_t m = p.M.rows, n = p.H.rows;
  real worst = 0, scale = 0;
  for (std::int32_t j = 0; j < m; j++) {
    real sum = -p.q[at(j)], terms = std::fabs(p.q[at(j)]);
    for (std::int32_t k = 0; k < m; k++) {
      sum += static_cast<real>(p.M(j, k)) * v[at(k)];
      terms += std::fabs(static_cast<real>(p.M(j, k)) * v[at(k)]);
    }
    for (std::int32_t i = 0; i < n; i++) {
      sum -= static_cast<real>(p.H(i, j)) * r[at(i)];
      terms += std::fabs(static_cast<real>(p.H(i, j)) * r[at(i)]);
    }
    worst = std::max(worst, std::fabs(sum));
    scale = std::max(scale, terms);
  }
  dense W(n, n);
  std::vector<real> free(p.q.begin(), p.q.end());
  free = eliminate(p.M, free);
  vec rhs = p.b;
  for (std::int32_t k = 0; k < n; k++) {
    std::vector<real> column(at(m));
    for (std::int32_t j = 0; j < m; j++) column[at(j)] = p.H(k, j);
    column = eliminate(p.M, column);
    real sum = p.b[at(k)];
    for (std::int32_t j = 0; j < m; j++) sum += p.H(k, j) * free[at(j)];
    rhs[at(k)] = static_cast<double>(sum);
    for (std::int32_t i = 0; i < n; i++) {
      real entry = 0;
      for (std::int32_t j = 0; j < m; j++) entry += p.H(i, j) * column[at(j)];
      W(i, k) = static_cast<double>(entry);
    }
  }
  const double equilibrium = scale > 0 ? static_cast<double>(worst / scale) : 0;
  return std::max(equilibrium, contacts::error(W, rhs, p.units, r));
}

// A chain of masses with springs, contacts between neighbours; all laws.
instance chain(int each, double mu, std::uint64_t seed) {
  tools::uniform random(seed);
  std::vector<unit> units;
  for (int k = 0; k < each; k++)
    for (const unit &u :
         {space(mu), orthant(), plane(mu), box(-0.5, 0.25), space_rolling(mu, 0.1), free_row()})
      units.push_back(u);
  std::int32_t n = 0;
  for (const unit &u : units) n += u.size;
  const std::int32_t m = n + 3;
  instance p{dense(m, m), dense(n, m), vec(at(m)), vec(at(n)), units, nullptr, nullptr, {}, {}, {}};
  for (std::int32_t j = 0; j < m; j++) {
    p.M(j, j) += 2 + j % 3;
    if (j > 0) {
      p.M(j, j - 1) = p.M(j - 1, j) = -0.75;
      p.M(j, j) += 0.75;
      p.M(j - 1, j - 1) += 0.75;
    }
    p.q[at(j)] = random();
  }
  for (std::int32_t i = 0; i < n; i++) {
    for (std::int32_t j = i; j < i + 4; j++) p.H(i, j) = random();
    p.b[at(i)] = random();
  }
  return p;
}

struct answer {
  perp_status status = 999;
  vec v, r, u;
  perp_info info = PERP_INFO_INIT;
};

answer solve(const perp_global_problem &p, const perp_admm_options &o, vec v = {}, vec r = {}) {
  answer a;
  a.v = v.empty() ? vec(at(p.m), 0.0) : std::move(v);
  a.r = r.empty() ? vec(at(p.n), 0.0) : std::move(r);
  a.u.assign(at(p.n), 999.0);
  std::vector<unsigned char> work(perp_global_admm_workspace(&p, &o) + 64, 0xA5);
  const std::size_t bytes = work.size() - 64;
  EXPECT_GT(bytes, 0U);
  a.status =
      perp_global_admm(&p, &o, a.v.data(), a.r.data(), a.u.data(), work.data(), bytes, &a.info);
  for (std::size_t i = 0; i < 64; i++) EXPECT_EQ(work[bytes + i], 0xA5);
  return a;
}

perp_admm_options with(double tol, std::int32_t max_iter = 0) {
  perp_admm_options o = perp_admm_options_default();
  o.tol = tol;
  o.max_iter = max_iter;
  return o;
}

// ---- a back end of the test's own: dense elimination ----

int alive, upper_entries;
perp_status answers_with;

struct factors {
  dense A;
};

perp_status factor(std::int32_t n, const std::int32_t *start, const std::int32_t *index,
                   const double *values, void **handle) {
  if (answers_with != PERP_OK) return answers_with;
  if (*handle == nullptr) {
    *handle = new factors{dense(n, n)};
    alive++;
  }
  dense &A = static_cast<factors *>(*handle)->A;
  A = dense(n, n);
  for (std::int32_t i = 0; i < n; i++) {
    std::vector<bool> there(at(n));
    for (std::int32_t k = start[i]; k < start[i + 1]; k++) {
      EXPECT_FALSE(there[at(index[k])]);
      there[at(index[k])] = true;
      upper_entries += index[k] > i;
      A(i, index[k]) = values[k];
    }
  }
  return PERP_OK;
}

perp_status back(dense A, double *b, bool mirror) {
  std::vector<real> x(b, b + A.rows);
  for (std::int32_t i = 0; i < A.rows && mirror; i++)
    for (std::int32_t j = i + 1; j < A.rows; j++) A(i, j) = A(j, i);
  x = eliminate(A, x);
  for (std::size_t i = 0; i < x.size(); i++) b[i] = static_cast<double>(x[i]);
  return PERP_OK;
}
perp_status back_lower(void *f, double *b) { return back(static_cast<factors *>(f)->A, b, true); }
perp_status back_any(void *f, double *b) { return back(static_cast<factors *>(f)->A, b, false); }
void release(void *f) {
  alive -= f != nullptr;
  delete static_cast<factors *>(f);
}

const perp_sparse lower = {
    sizeof(perp_sparse), 1, "lower", factor, back_lower, release, nullptr, nullptr, nullptr};
const perp_sparse any = {
    sizeof(perp_sparse), 0, "any", factor, back_any, release, nullptr, nullptr, nullptr};

// ---- tests ----

TEST(AdmmGlobal, AllLawsInEveryStorageWithAndWithoutABackEnd) {
  for (const double mu : {0.0, 0.4}) {
    instance p = chain(2, mu, 3);
    vec first;
    for (const std::int32_t kind : {PERP_DENSE, PERP_BLOCKS})
      for (const bool compressed : {false, true})
        for (const perp_sparse *table : {static_cast<const perp_sparse *>(nullptr), &lower, &any}) {
          alive = upper_entries = 0;
          answers_with = PERP_OK;
          perp_admm_options o = with(1e-10);
          o.sparse = table;
          const answer a = solve(p.view(kind, compressed), o);
          ASSERT_EQ(a.status, PERP_OK);
          EXPECT_LE(error(p, a.v, a.r), 1e-9);
          EXPECT_EQ(a.info.dissipates, 1);
          EXPECT_EQ(alive, 0);
          EXPECT_EQ(upper_entries > 0, table == &any);
          if (first.empty()) first = a.v;
          for (std::size_t j = 0; j < first.size(); j++) EXPECT_NEAR(a.v[j], first[j], 1e-8);
        }
  }
}

TEST(AdmmGlobal, ADiagonalMassMatrix) {
  instance p = chain(2, 0.3, 5);
  for (std::int32_t j = 0; j < p.M.rows; j++)
    for (std::int32_t i = 0; i < p.M.rows; i++)
      if (i != j) p.M(i, j) = 0;
  const answer a = solve(p.view(PERP_DIAGONAL, true), with(1e-10));
  ASSERT_EQ(a.status, PERP_OK);
  EXPECT_LE(error(p, a.v, a.r), 1e-9);
}

TEST(AdmmGlobal, StartsFromWhatItIsGiven) {
  instance p = chain(1, 0.4, 7);
  const perp_global_problem &view = p.view(PERP_DENSE, true);
  const answer cold = solve(view, with(1e-12));
  ASSERT_EQ(cold.status, PERP_OK);
  const answer warm = solve(view, with(1e-8), cold.v, cold.r);
  EXPECT_EQ(warm.status, PERP_OK);
  EXPECT_LE(warm.info.iterations, 2);
  const answer lost = solve(view, with(1e-8), vec(at(view.m), kNaN), vec(at(view.n), kInf));
  EXPECT_EQ(lost.status, PERP_OK);
}

TEST(AdmmGlobal, WithoutContactsTheEquationsAreSolved) {
  instance p = chain(1, 0.4, 9);
  p.H = dense(0, p.M.rows);
  p.b.clear();
  p.units.clear();
  const answer a = solve(p.view(PERP_DENSE, false), with(1e-10));
  EXPECT_EQ(a.status, PERP_OK);
  const std::vector<real> v = eliminate(p.M, {p.q.begin(), p.q.end()});
  for (std::size_t j = 0; j < v.size(); j++) EXPECT_NEAR(a.v[j], static_cast<double>(v[j]), 1e-12);
}

TEST(AdmmGlobal, EveryEndingIsTold) {
  instance p = chain(1, 0.4, 11);
  const perp_global_problem &view = p.view(PERP_BLOCKS, true);
  const answer limit = solve(view, with(1e-12, 2));
  EXPECT_EQ(limit.status, PERP_MAX_ITER);
  EXPECT_EQ(limit.info.iterations, 2);
  perp_admm_options o = with(1e-12);
  o.budget = 1;
  EXPECT_EQ(solve(view, o).status, PERP_MAX_ITER);
  o.budget = 0;
  o.observe = [](const perp_iterate *it, void *) { return std::int32_t{it->iteration == 1}; };
  EXPECT_EQ(solve(view, o).status, PERP_STOPPED);
  for (const perp_status bad : {PERP_EBACKEND, PERP_EINVAL, PERP_ENOTFINITE}) {
    answers_with = bad;
    o = with(1e-12);
    o.sparse = &lower;
    const answer a = solve(view, o);
    EXPECT_EQ(a.status, bad == PERP_ENOTFINITE ? PERP_INACCURATE : bad);
    if (bad != PERP_ENOTFINITE) {
      EXPECT_STREQ(a.info.field, bad == PERP_EBACKEND ? "sparse" : "M");
    }
  }
}

TEST(AdmmGlobal, AMatrixThatIsNotSymmetricOrNotDefiniteIsRefused) {
  instance p = chain(1, 0.4, 13);
  p.M(0, 1) += 0.5;
  answer a = solve(p.view(PERP_DENSE, true), with(1e-8));
  EXPECT_EQ(a.status, PERP_EUNSUPPORTED);
  EXPECT_STREQ(a.info.field, "M");
  p = chain(1, 0.4, 13);
  for (std::int32_t j = 0; j < p.M.rows; j++) p.M(j, j) -= 100;
  a = solve(p.view(PERP_DENSE, true), with(1e-8));
  EXPECT_EQ(a.status, PERP_EINVAL);
  EXPECT_STREQ(a.info.field, "M");
}

TEST(AdmmGlobal, NumbersThatAreNoneAreNamed) {
  for (const double bad : {kNaN, kInf, -kInf}) {
    instance p = chain(1, 0.4, 15);
    const auto named = [&](double *entry, const char *field) {
      const double good = *entry;
      *entry = bad;
      for (const bool compressed : {false, true}) {
        const answer a = solve(p.view(PERP_DENSE, compressed), with(1e-8));
        EXPECT_EQ(a.status, PERP_ENOTFINITE) << field;
        EXPECT_STREQ(a.info.field, field);
      }
      *entry = good;
    };
    named(&p.M(2, 2), "M");
    named(&p.H(1, 1), "H");
    named(&p.q[3], "q");
    named(&p.b[2], "b");
  }
}

TEST(AdmmGlobal, WrongArgumentsGetAStatus) {
  instance p = chain(1, 0.4, 17);
  const perp_global_problem &view = p.view(PERP_DENSE, true);
  const perp_admm_options o = with(1e-8);
  vec v(at(view.m)), r(at(view.n)), u(at(view.n));
  std::vector<unsigned char> work(perp_global_admm_workspace(&view, &o));
  const auto call = [&](const perp_global_problem *g, double *pv, double *pr, double *pu, void *w,
                        std::size_t bytes) {
    return perp_global_admm(g, &o, pv, pr, pu, w, bytes, nullptr);
  };
  const std::size_t all = work.size();
  EXPECT_EQ(call(nullptr, v.data(), r.data(), u.data(), work.data(), all), PERP_EINVAL);
  EXPECT_EQ(call(&view, nullptr, r.data(), u.data(), work.data(), all), PERP_EINVAL);
  EXPECT_EQ(call(&view, v.data(), nullptr, u.data(), work.data(), all), PERP_EINVAL);
  EXPECT_EQ(call(&view, v.data(), r.data(), nullptr, work.data(), all), PERP_EINVAL);
  EXPECT_EQ(call(&view, v.data(), r.data(), u.data(), nullptr, all), PERP_EINVAL);
  EXPECT_EQ(call(&view, v.data(), r.data(), u.data(), work.data(), all - 1), PERP_EWORKSPACE);
  EXPECT_EQ(call(&view, v.data(), r.data(), u.data(), work.data(), all), PERP_OK);
  perp_admm_options bad = o;
  bad.rho = -1;
  EXPECT_EQ(perp_global_admm_workspace(&view, &bad), 0U);
  EXPECT_EQ(perp_global_admm_workspace(nullptr, &o), 0U);
  EXPECT_EQ(perp_global_admm(&view, &bad, v.data(), r.data(), u.data(), work.data(), all, nullptr),
            PERP_EINVAL);
}

}  // namespace
