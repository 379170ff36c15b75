// SPDX-License-Identifier: MIT
// Problems that were once judged wrongly, or took minutes: what auto says of each, and the point of
// every "solved" by a judge that shares nothing with the library.
#include <gtest/gtest.h>
#include <perp/auto.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "io/file.hpp"
#include "io/problem.hpp"
#include "tool/judge.hpp"

namespace {

struct verdict {
  perp_status status = PERP_EINVAL;
  double bound = 0, amplification = 0;
};

// Fails if a point that is called solved is none; kind: the class, where the file does not tell.
verdict ask(const std::filesystem::path &file, const char *kind) {
  const perp::io::document d = perp::io::read_problem(file.string(), kind);
  const perp::problem held = perp::io::view(d.problem);
  const perp_problem p = held.get();
  std::vector<unsigned char> work(perp_solver_workspace(perp_solver_auto(), &p, nullptr));
  std::vector<double> lambda(held.size(), 0.0), y(held.size(), 999.0);
  perp_info info = PERP_INFO_INIT;
  verdict v;
  v.status = perp_solver_solve(perp_solver_auto(), &p, nullptr, lambda.data(), y.data(), nullptr,
                               work.data(), work.size(), &info);
  v.bound = info.bound;
  v.amplification = info.amplification;
  if (v.status == PERP_OK) {
    EXPECT_TRUE(perp::tool::judge(d.problem).is_solution(lambda, PERP_DEFAULT_TOL)) << file;
  }
  return v;
}

TEST(HardFiles, AreJudgedRightly) {
  const char *env = std::getenv("PERP_DATA");
  const std::filesystem::path data =
      env != nullptr ? env : std::filesystem::path(PERP_SOURCE_DIR) / ".." / "shared" / "data";
  if (!std::filesystem::is_directory(data / "hard"))
    GTEST_SKIP() << "no problems; set PERP_DATA to the folder that has hard/";
  const auto at = [&](const char *name) { return data / "hard" / name; };

  EXPECT_EQ(ask(at("infeasible_denormal_lcp.dat"), "lcp").status, PERP_OK);
  EXPECT_EQ(ask(at("ok_on_infeasible_relay.dat"), "relay").status, PERP_INFEASIBLE);
  /* positive definite: its solution, of entries of 1e12 and more, is beyond what is proved */
  const verdict definite = ask(at("infeasible_pd_lcp.dat"), "lcp");
  EXPECT_TRUE(definite.status == PERP_OK ||
              (definite.status == PERP_INFEASIBLE && definite.bound > 0 && definite.bound <= 1e18));
  const verdict dense = ask(at("infeasible_though_point_passes_lcp.dat"), "lcp");
  const verdict sparse = ask(at("infeasible_though_point_passes_lcp_sparse.dat"), "lcp");
  EXPECT_EQ(dense.status, PERP_OK);
  EXPECT_EQ(sparse.status, dense.status);
  for (const char *name : {"ok_penetrates_fc2d.dat", "slow30s_fc2d.dat", "slow8s_fc2d.dat"})
    EXPECT_GE(ask(at(name), "fc2d").status, 0) << name;
}

}  // namespace
