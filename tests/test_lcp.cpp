// SPDX-License-Identifier: MIT
// The door for plain arrays: what it refuses, by which name, and that it hands the rest on.
#include <gtest/gtest.h>
#include <perp/pivoting.h>

#include "problem_tools.hpp"

namespace {

using tools::kInf;
using tools::kNaN;
using tools::vec;

// 2 z0 + z1 - 5, z0 + 2 z1 - 6 in a 3 x 2 array, both in [0, 2].
struct arrays {
  vec M = {2, 1, 777, 1, 2, 777}, q = {-5, -6}, lower = {0, 0}, upper = {2, 2};
  vec z = {999, 999}, w = {999, 999};
  std::vector<unsigned char> work;
  perp_info info = PERP_INFO_INIT;
  perp_mlcp mixed = {2, 3, M.data(), q.data(), lower.data(), upper.data()};
  perp_lcp plain = {2, 3, M.data(), q.data()};
  const perp_solver *solver = perp_solver_box_pivoting();

  arrays() : work(perp_mlcp_workspace(perp_solver_box_pivoting(), 8, nullptr)) {}
  perp_status boxes(const void *options = nullptr) {
    return perp_mlcp_solve(solver, &mixed, options, z.data(), w.data(), work.data(), work.size(),
                           &info);
  }
  perp_status orthant(const void *options = nullptr) {
    return perp_lcp_solve(solver, &plain, options, z.data(), w.data(), work.data(), work.size(),
                          &info);
  }
  void untouched(const char *field) {
    EXPECT_STREQ(info.field, field);
    EXPECT_EQ(z, vec({999, 999}));
    EXPECT_EQ(w, vec({999, 999}));
  }
};

TEST(Lcp, BothFormsReachTheSolver) {
  arrays a;
  EXPECT_EQ(a.boxes(), PERP_OK);
  EXPECT_EQ(a.z, vec({1.5, 2}));
  EXPECT_EQ(a.w, vec({0, -0.5}));
  EXPECT_STREQ(a.info.solver, "box-pivoting");
  EXPECT_EQ(a.orthant(), PERP_OK);
  EXPECT_NEAR(a.z[0], 4.0 / 3, 1e-15);
  EXPECT_NEAR(a.z[1], 7.0 / 3, 1e-15);
  a.solver = perp_solver_lemke();
  EXPECT_EQ(a.orthant(), PERP_OK);
  EXPECT_STREQ(a.info.solver, "lemke");
  EXPECT_EQ(a.boxes(), PERP_EUNSUPPORTED);
  EXPECT_STREQ(a.info.field, "laws");
}

TEST(Lcp, MissingArgumentsAreNamed) {
  for (int form = 0; form < 2; form++) {
    const auto refused = [&](const char *field, auto change) {
      arrays a;
      change(a);
      EXPECT_EQ(form == 0 ? a.orthant() : a.boxes(), PERP_EINVAL) << field;
      EXPECT_STREQ(a.info.field, field);
    };
    refused("n", [](arrays &a) { a.plain.n = a.mixed.n = -1; });
    refused("ld", [](arrays &a) { a.plain.ld = a.mixed.ld = 1; });
    refused("ld", [](arrays &a) { a.plain.ld = a.mixed.ld = -3; });
    refused("M", [](arrays &a) { a.plain.M = a.mixed.M = nullptr; });
    refused("q", [](arrays &a) { a.plain.q = a.mixed.q = nullptr; });
    refused("solver", [](arrays &a) { a.solver = nullptr; });
  }
  arrays a;
  perp_info *info = &a.info;
  void *work = a.work.data();
  const std::size_t bytes = a.work.size();
  double *z = a.z.data(), *w = a.w.data();
  EXPECT_EQ(perp_mlcp_solve(a.solver, nullptr, nullptr, z, w, work, bytes, info), PERP_EINVAL);
  a.untouched("problem");
  EXPECT_EQ(perp_lcp_solve(a.solver, nullptr, nullptr, z, w, work, bytes, info), PERP_EINVAL);
  a.untouched("problem");
  EXPECT_EQ(perp_mlcp_solve(a.solver, &a.mixed, nullptr, nullptr, w, work, bytes, info),
            PERP_EINVAL);
  a.untouched("z");
  EXPECT_EQ(perp_mlcp_solve(a.solver, &a.mixed, nullptr, z, nullptr, work, bytes, info),
            PERP_EINVAL);
  a.untouched("w");
  EXPECT_EQ(perp_mlcp_solve(a.solver, &a.mixed, nullptr, z, w, nullptr, bytes, info), PERP_EINVAL);
  a.untouched("work");
  const std::size_t need = perp_mlcp_workspace(a.solver, 2, nullptr);
  EXPECT_EQ(perp_mlcp_solve(a.solver, &a.mixed, nullptr, z, w, work, need - 1, info),
            PERP_EWORKSPACE);
  a.untouched("work_bytes");
  EXPECT_EQ(perp_mlcp_solve(a.solver, &a.mixed, nullptr, z, w, work, need, info), PERP_OK);
  EXPECT_EQ(perp_mlcp_solve(a.solver, &a.mixed, nullptr, z, w, work, need, nullptr), PERP_OK);
}

TEST(Lcp, NumbersThatAreNoneAreNamed) {
  for (const double bad : {kNaN, kInf, -kInf}) {
    for (int form = 0; form < 2; form++) {
      for (const std::size_t k : {0u, 1u, 3u, 4u}) {
        arrays a;
        a.M[k] = bad;
        EXPECT_EQ(form == 0 ? a.orthant() : a.boxes(), PERP_ENOTFINITE);
        a.untouched("M");
        EXPECT_EQ(a.info.index, static_cast<std::int32_t>(k));
      }
      for (const std::size_t k : {2u, 5u}) {  // between the columns
        arrays a;
        a.M[k] = bad;
        EXPECT_EQ(form == 0 ? a.orthant() : a.boxes(), PERP_OK);
      }
      arrays a;
      a.q[1] = bad;
      EXPECT_EQ(form == 0 ? a.orthant() : a.boxes(), PERP_ENOTFINITE);
      a.untouched("q");
      EXPECT_EQ(a.info.index, 1);
    }
  }
}

TEST(Lcp, BoundsMustLeaveARealNumber) {
  const auto boxes = [](double l, double u) {
    arrays a;
    a.lower[1] = l;
    a.upper[1] = u;
    const perp_status status = a.boxes();
    if (status != PERP_OK) {
      EXPECT_EQ(a.z, vec({999, 999}));
      EXPECT_NE(a.info.field, nullptr);
    }
    return status;
  };
  EXPECT_EQ(boxes(1, 0), PERP_EINVAL);
  EXPECT_EQ(boxes(kInf, kInf), PERP_ENOTFINITE);
  EXPECT_EQ(boxes(-kInf, -kInf), PERP_ENOTFINITE);
  EXPECT_EQ(boxes(kNaN, 1), PERP_ENOTFINITE);
  EXPECT_EQ(boxes(0, kNaN), PERP_ENOTFINITE);
  EXPECT_EQ(boxes(1, 1), PERP_OK);
  EXPECT_EQ(boxes(-kInf, kInf), PERP_OK);
  arrays a;
  a.mixed.lower = nullptr;
  EXPECT_EQ(a.boxes(), PERP_EINVAL);
  a.untouched("lower");
  a.mixed.lower = a.lower.data();
  a.mixed.upper = nullptr;
  EXPECT_EQ(a.boxes(), PERP_EINVAL);
  a.untouched("upper");
}

TEST(Lcp, OutputsMayNotOverlap) {
  for (int form = 0; form < 2; form++)
    for (const int shift : {-1, 0, 1}) {
      arrays a;
      vec both(4, 999);
      double *z = both.data() + 1, *w = z + shift;
      const perp_status status = form == 0 ? perp_lcp_solve(a.solver, &a.plain, nullptr, z, w,
                                                            a.work.data(), a.work.size(), &a.info)
                                           : perp_mlcp_solve(a.solver, &a.mixed, nullptr, z, w,
                                                             a.work.data(), a.work.size(), &a.info);
      EXPECT_EQ(status, PERP_EINVAL);
      EXPECT_EQ(both, vec(4, 999));
    }
}

TEST(Lcp, NoUnknownIsSolvedAndNeedsNoArray) {
  arrays a;
  a.plain = {0, 0, nullptr, nullptr};
  a.mixed = {0, 0, nullptr, nullptr, nullptr, nullptr};
  EXPECT_EQ(a.orthant(), PERP_OK);
  EXPECT_EQ(a.boxes(), PERP_OK);
  EXPECT_EQ(perp_mlcp_solve(a.solver, &a.mixed, nullptr, nullptr, nullptr, a.work.data(),
                            a.work.size(), nullptr),
            PERP_OK);
}

TEST(Lcp, TheWorkspaceIsZeroWhereThereIsNone) {
  const perp_solver *lemke = perp_solver_lemke(), *pivoting = perp_solver_box_pivoting();
  for (const std::int32_t n : {-1, std::int32_t{-0x7fffffff} - 1, 0x7fffffff}) {
    EXPECT_EQ(perp_lcp_workspace(lemke, n, nullptr), 0u);
    EXPECT_EQ(perp_mlcp_workspace(pivoting, n, nullptr), 0u);
  }
  EXPECT_EQ(perp_mlcp_workspace(lemke, 3, nullptr), 0u);  // takes no boxes
  EXPECT_EQ(perp_lcp_workspace(nullptr, 3, nullptr), 0u);
  EXPECT_EQ(perp_mlcp_workspace(nullptr, 3, nullptr), 0u);
  perp_solver_options bad = {sizeof bad, -1, 1e-10, nullptr, nullptr, 0};
  EXPECT_EQ(perp_lcp_workspace(lemke, 3, &bad), 0u);
  EXPECT_EQ(perp_mlcp_workspace(pivoting, 3, &bad), 0u);
  EXPECT_EQ(perp_lcp_workspace(lemke, 3, nullptr), perp_lcp_lemke_workspace(3));
  EXPECT_EQ(perp_mlcp_workspace(pivoting, 3, nullptr),
            perp_mlcp_workspace(perp_solver_box_pivoting(), 3, nullptr));
}

TEST(Lcp, OptionsAreHandedOn) {
  arrays a;
  perp_solver_options o = {sizeof o, 1, 1e-10, nullptr, nullptr, 0};
  EXPECT_EQ(a.boxes(&o), PERP_MAX_ITER);
  EXPECT_EQ(a.orthant(&o), PERP_MAX_ITER);
  o.tol = kNaN;
  EXPECT_EQ(a.boxes(&o), PERP_EINVAL);
  EXPECT_STREQ(a.info.field, "tol");
}

}  // namespace
