// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <perp/fc.h>
#include <perp/pivoting.h>
#include <perp/vi.h>

#include <cstring>
#include <vector>

#include "contact_system.hpp"

namespace {

using contacts::unit;
using tools::at;
using tools::dense;
using tools::kInf;
using tools::kNaN;
using tools::vec;

struct arrays {
  std::int32_t contacts, dim, ld;
  vec W, q, mu;
  std::vector<unit> units;
  dense M;
  perp_fc view() const { return {contacts, dim, ld, 0, W.data(), q.data(), mu.data()}; }
};

arrays random_arrays(std::int32_t contacts, std::int32_t dim, std::int32_t gap,
                     std::uint64_t seed) {
  tools::uniform u(seed);
  const std::int32_t n = contacts * dim;
  arrays a{contacts, dim, n + gap, {}, u.vector(n), {}, {}, u.definite(n, n)};
  for (std::int32_t j = 0; j < n; j++)
    for (std::int32_t i = 0; i < n + gap; i++) a.W.push_back(i < n ? a.M(i, j) : kNaN);
  for (std::int32_t k = 0; k < contacts; k++) {
    a.mu.push_back(0.2 * k);
    a.q[at(k * dim)] -= 1;
    a.units.push_back(dim == 2 ? contacts::plane(a.mu.back()) : contacts::space(a.mu.back()));
  }
  return a;
}

TEST(Fc, ContactsInPlainArraysAreSolved) {
  for (std::int32_t dim : {2, 3})
    for (std::int32_t contacts : {0, 1, 2, 5, 9})
      for (std::int32_t gap : {0, 3}) {
        const arrays a = random_arrays(contacts, dim, gap, 5);
        const perp_fc p = a.view();
        const std::size_t n = at(contacts * dim);
        vec r(n, 0), u(n, 999);
        perp_info info = PERP_INFO_INIT;
        const std::size_t bytes = perp_fc_nsgs_workspace(contacts, dim, nullptr);
        for (std::size_t shift : {0u, 1u, 5u, 8u}) {
          std::vector<unsigned char> work(bytes + shift + 8, 0xA5);
          std::fill(r.begin(), r.end(), 0);
          EXPECT_EQ(
              perp_fc_nsgs(&p, nullptr, r.data(), u.data(), work.data() + shift, bytes, &info),
              PERP_OK);
          for (std::size_t i = shift + bytes; i < work.size(); i++) EXPECT_EQ(work[i], 0xA5);
          EXPECT_LE(contacts::error(a.M, a.q, a.units, r), 1.01e-10);
          const auto exact = tools::affine(a.M, a.q, r);
          for (std::size_t i = 0; i < n; i++)
            EXPECT_NEAR(u[i], static_cast<double>(exact[i]), 1e-13);
        }
      }
}

TEST(Fc, AnySolverOfFrictionMayBeNamed) {
  const arrays a = random_arrays(3, 3, 1, 8);
  const perp_fc p = a.view();
  vec r(9, 0), u(9, 999);
  const perp_solver *solver = perp_solver_extragradient();
  std::vector<unsigned char> work(perp_fc_workspace(solver, 3, 3, nullptr));
  EXPECT_EQ(
      perp_fc_solve(solver, &p, nullptr, r.data(), u.data(), work.data(), work.size(), nullptr),
      PERP_OK);
  EXPECT_LE(contacts::error(a.M, a.q, a.units, r), 1.01e-10);
  EXPECT_EQ(perp_fc_workspace(perp_solver_lemke(), 3, 3, nullptr), 0u);
}

TEST(Fc, WrongArgumentsAreNamed) {
  const arrays a = random_arrays(2, 3, 0, 9);
  const perp_fc good = a.view();
  vec r(6, 0), u(6, 999);
  std::vector<unsigned char> work(perp_fc_nsgs_workspace(2, 3, nullptr));
  const auto expect = [&](const perp_fc *p, perp_status status, const char *field,
                          std::int32_t index, double *x, double *y, void *w, std::size_t bytes) {
    perp_info info = PERP_INFO_INIT;
    EXPECT_EQ(perp_fc_nsgs(p, nullptr, x, y, w, bytes, &info), status) << field;
    EXPECT_STREQ(info.field, field);
    EXPECT_EQ(info.index, index);
  };
  const auto changed = [&](auto change) {
    perp_fc p = good;
    change(p);
    return p;
  };
  const auto bad = [&](perp_status status, const char *field, std::int32_t index, auto change) {
    const perp_fc p = changed(change);
    expect(&p, status, field, index, r.data(), u.data(), work.data(), work.size());
  };
  bad(PERP_EINVAL, "dim", -1, [](perp_fc &p) { p.dim = 4; });
  bad(PERP_EINVAL, "contacts", -1, [](perp_fc &p) { p.contacts = -1; });
  bad(PERP_EINVAL, "contacts", -1, [](perp_fc &p) { p.contacts = INT32_MAX; });
  bad(PERP_EINVAL, "ld", -1, [](perp_fc &p) { p.ld = 5; });
  bad(PERP_EINVAL, "W", -1, [](perp_fc &p) { p.W = nullptr; });
  bad(PERP_EINVAL, "q", -1, [](perp_fc &p) { p.q = nullptr; });
  bad(PERP_EINVAL, "mu", -1, [](perp_fc &p) { p.mu = nullptr; });
  const vec negative = {0.5, -0.1}, nan = {kNaN, 0}, infinite = {0, kInf};
  bad(PERP_EINVAL, "mu", 1, [&](perp_fc &p) { p.mu = negative.data(); });
  bad(PERP_ENOTFINITE, "mu", 0, [&](perp_fc &p) { p.mu = nan.data(); });
  bad(PERP_ENOTFINITE, "mu", 1, [&](perp_fc &p) { p.mu = infinite.data(); });
  vec q = a.q;
  q[4] = kNaN;
  bad(PERP_ENOTFINITE, "q", 4, [&](perp_fc &p) { p.q = q.data(); });
  expect(nullptr, PERP_EINVAL, "problem", -1, r.data(), u.data(), work.data(), work.size());
  expect(&good, PERP_EINVAL, "lambda", -1, nullptr, u.data(), work.data(), work.size());
  expect(&good, PERP_EINVAL, "y", -1, r.data(), nullptr, work.data(), work.size());
  expect(&good, PERP_EINVAL, "work", -1, r.data(), u.data(), nullptr, work.size());
  for (std::size_t bytes : {std::size_t{0}, std::size_t{100}, work.size() - 1})
    expect(&good, PERP_EWORKSPACE, "work_bytes", -1, r.data(), u.data(), work.data(), bytes);
  perp_info info = PERP_INFO_INIT;
  for (std::size_t bytes : {std::size_t{1}, work.size() - 1}) {
    EXPECT_EQ(perp_fc_nsgs(&good, nullptr, r.data(), u.data(), work.data(), bytes, &info),
              PERP_EWORKSPACE);
    EXPECT_EQ(info.value, static_cast<double>(work.size())) << "what is needed";
  }
  perp_lemke_options foreign;
  perp_lemke_options_init(&foreign, sizeof foreign);
  EXPECT_EQ(
      perp_fc_solve(perp_solver_nsgs(), &good, &foreign, r.data(), u.data(), work.data(), 1, &info),
      PERP_EINVAL);
  EXPECT_STREQ(info.field, "perp_nsgs_options");
  EXPECT_EQ(
      perp_fc_solve(perp_solver_lemke(), &good, nullptr, r.data(), u.data(), work.data(), 1, &info),
      PERP_EUNSUPPORTED);
  EXPECT_STREQ(info.field, "laws");
  EXPECT_EQ(perp_fc_workspace(nullptr, 2, 3, nullptr), 0u);
  EXPECT_EQ(perp_fc_nsgs_workspace(-1, 3, nullptr), 0u);
  EXPECT_EQ(perp_fc_nsgs_workspace(2, 1, nullptr), 0u);
  EXPECT_EQ(perp_fc_nsgs_workspace(INT32_MAX, 3, nullptr), 0u);
}

}  // namespace
