// SPDX-License-Identifier: MIT
// What every solver gets from its common entry: checks, memory, verification. Solvers of the test
// lie, fail and write nonsense.
#include <gtest/gtest.h>
#include <perp/pivoting.h>

#include <cstring>
#include <string>

#include "problem_tools.hpp"

extern "C" {
#include "solver/verified.h"
#include "solver/warm.h"
}

namespace {

using tools::kInf;
using tools::kNaN;
using tools::vec;

// What the scripted solver does next, and what it saw.
struct script {
  perp_status status = PERP_OK;
  double lambda = 0.5;
  double lambda_if_warm = 0.5;
  int calls = 0;
  std::size_t bytes = 0;
  perp_solver_options options = {};
} now;

perp_status scripted_solve(const perp_problem *p, const void *options, double *lambda, double *,
                           perp_warm *warm, void *work, std::size_t bytes, perp_info *info) {
  now.calls++;
  now.bytes = bytes;
  now.options = *static_cast<const perp_solver_options *>(options);
  const bool knows = warm_known(warm, p->n) && p->n > 0;
  for (std::int32_t i = 0; i < p->n; i++) lambda[i] = knows ? now.lambda_if_warm : now.lambda;
  if (bytes > 0) std::memset(work, 0x3C, bytes);
  if (info != nullptr) info->iterations = 42;
  return now.status;
}

std::size_t scripted_workspace(const perp_shape *shape, const void *) {
  return shape->n == 13 ? 0 : 100;
}

std::size_t scripted_warm(const perp_shape *shape) { return warm_full_bytes(shape->n, 3); }

perp_solver scripted() {
  perp_solver s = {};
  s.struct_size = sizeof s;
  s.sets = 1u << PERP_SET_ORTHANT;
  s.matrices = 1u << PERP_DENSE | 1u << PERP_DIAGONAL;
  s.name = "scripted";
  s.workspace = scripted_workspace;
  s.warm_bytes = scripted_warm;
  s.solve = scripted_solve;
  return s;
}

// 2 lambda - 1, complementary: solved by 1/2.
struct sample {
  double M[1] = {2}, q[1] = {-1}, lambda[1] = {999}, y[1] = {999};
  perp_complementarity law;
  const perp_law *laws[1] = {&law.law};
  perp_problem p = PERP_PROBLEM_INIT;
  perp_solver solver = scripted();
  perp_info info = PERP_INFO_INIT;
  std::vector<double> work = vec(64);

  sample() {
    perp_complementarity_init(&law, sizeof law);
    p = perp_problem_of(perp_dense(1, 1, M), q, 1, laws, nullptr);
    now = script();
  }
  perp_status solve(const void *options = nullptr, perp_warm *warm = nullptr) {
    return perp_solver_solve(&solver, &p, options, lambda, y, warm, work.data(),
                             work.size() * sizeof(double), &info);
  }
  bool refused(perp_status status, const char *field) {
    const perp_status got = solve();
    EXPECT_STREQ(info.field, field);
    EXPECT_EQ(now.calls, 0);
    EXPECT_EQ(lambda[0], 999);
    EXPECT_EQ(y[0], 999);
    return got == status;
  }
};

TEST(Solver, AClaimThatTheResidualConfirmsIsOk) {
  sample s;
  EXPECT_EQ(s.solve(), PERP_OK);
  EXPECT_EQ(s.y[0], 0);
  EXPECT_EQ(s.info.iterations, 42);
  EXPECT_EQ(s.info.residual, 0);
  EXPECT_EQ(s.info.relative_residual, 0);
  EXPECT_EQ(s.info.worst, 0);
  EXPECT_EQ(s.info.field, nullptr);
}

TEST(Solver, AFalseClaimIsInaccurateAndToldByHowMuch) {
  sample s;
  now.lambda = 0.75;
  EXPECT_EQ(s.solve(), PERP_INACCURATE);
  EXPECT_EQ(s.y[0], 0.5);
  EXPECT_EQ(s.info.residual, 0.5);
  EXPECT_DOUBLE_EQ(s.info.relative_residual, 0.5 / 2.5);
  EXPECT_EQ(now.calls, 1);
}

TEST(Solver, TheToleranceOfTheCallerDecides) {
  sample s;
  now.lambda = 0.5 + 1e-9;
  perp_solver_options o = {sizeof o, 0, 1e-8, nullptr, nullptr, 0};
  EXPECT_EQ(s.solve(&o), PERP_OK);
  EXPECT_EQ(now.options.tol, 1e-8);
  o.tol = 1e-10;
  EXPECT_EQ(s.solve(&o), PERP_INACCURATE);
  EXPECT_EQ(s.solve(), PERP_INACCURATE);  // the default, 1e-10
}

TEST(Solver, AHugeToleranceDoesNotMakeAnythingASolution) {
  sample s;
  now.lambda = 1e10;
  s.M[0] = 0;  // infeasible
  perp_solver_options o = {sizeof o, 0, 1e300, nullptr, nullptr, 0};
  EXPECT_EQ(s.solve(&o), PERP_INACCURATE);
}

TEST(Solver, OtherEndingsAreHandedOnWithTheirResidual) {
  for (perp_status status :
       {PERP_MAX_ITER, PERP_RAY, PERP_INFEASIBLE, PERP_STOPPED, PERP_EBACKEND, PERP_ECALLBACK}) {
    sample s;
    now.status = status;
    now.lambda = 0.75;
    EXPECT_EQ(s.solve(), status);
    EXPECT_EQ(s.y[0], 0.5);
    EXPECT_EQ(s.info.residual, 0.5);
    EXPECT_EQ(s.info.iterations, 42);
  }
}

// Rounding ends a pivoting method on a ray, or a limit stops it, where its point is a solution.
TEST(Solver, APointThatTheResidualConfirmsIsASolutionHoweverItWasFound) {
  for (perp_status status : {PERP_RAY, PERP_MAX_ITER, PERP_INFEASIBLE}) {
    sample s;
    now.status = status;
    EXPECT_EQ(s.solve(), PERP_OK);
    EXPECT_EQ(s.info.residual, 0);
  }
  for (perp_status status : {PERP_STOPPED, PERP_EBACKEND}) {
    sample s;
    now.status = status;
    EXPECT_EQ(s.solve(), status) << "what was asked for stays";
  }
}

TEST(Solver, NotANumberIsNeverSolvedAndItsSourceIsNamed) {
  for (double bad : {kNaN, kInf, -kInf}) {
    sample s;
    now.lambda = bad;
    EXPECT_EQ(s.solve(), PERP_INACCURATE);  // the solver's own fault
    EXPECT_TRUE(std::isnan(s.info.residual));
    now.lambda = 0.5;
    s.q[0] = bad;
    EXPECT_EQ(s.solve(), PERP_ENOTFINITE);
    EXPECT_STREQ(s.info.field, "q");
    EXPECT_EQ(s.info.index, 0);
    s.q[0] = -1;
    s.M[0] = bad;
    for (perp_status status : {PERP_OK, PERP_RAY, PERP_MAX_ITER}) {
      now.status = status;
      EXPECT_EQ(s.solve(), PERP_ENOTFINITE);
      EXPECT_STREQ(s.info.field, "M");
      EXPECT_EQ(s.info.index, 0);
    }
    s.p.M = perp_diagonal(1, s.M);
    EXPECT_EQ(s.solve(), PERP_ENOTFINITE);
    EXPECT_STREQ(s.info.field, "M");
  }
}

TEST(Solver, WrongWarmDataDoNotCostTheSolution) {
  sample s;
  double bytes[8] = {0};
  perp_warm warm = {bytes, sizeof bytes, 7, 0};
  const unsigned char mode = PERP_MODE_LOWER;
  ASSERT_EQ(perp_warm_set_modes(&warm, 1, &mode), PERP_OK);
  now.lambda_if_warm = 0.75;
  EXPECT_EQ(s.solve(nullptr, &warm), PERP_OK);  // asked again without them
  EXPECT_EQ(now.calls, 2);
  EXPECT_EQ(s.lambda[0], 0.5);
  ASSERT_EQ(perp_warm_set_modes(&warm, 1, &mode), PERP_OK);
  now.lambda = 0.75;
  now.calls = 0;
  EXPECT_EQ(s.solve(nullptr, &warm), PERP_INACCURATE);
  EXPECT_EQ(now.calls, 2);
  EXPECT_FALSE(warm_known(&warm, 1));
}

TEST(Solver, RefusesWhatTheDescriptorDoesNotAccept) {
  sample s;
  s.p.M = {PERP_ZERO, 1, 1, 0, 0, 0, nullptr, nullptr, nullptr, nullptr};
  EXPECT_TRUE(s.refused(PERP_EUNSUPPORTED, "M"));
  EXPECT_EQ(perp_solver_workspace(&s.solver, &s.p, nullptr), 0u);
  s = sample();
  s.laws[0] = &s.law.law;
  s.p.laws = s.laws;
  s.p.M.values = s.M;
  s.p.q = s.q;
  s.solver.sets = 1u << PERP_SET_FREE;
  EXPECT_TRUE(s.refused(PERP_EUNSUPPORTED, "laws"));
  EXPECT_EQ(s.info.index, 0);
  EXPECT_EQ(perp_solver_workspace(&s.solver, &s.p, nullptr), 0u);
}

TEST(Solver, RefusesDescriptorsThatAreNone) {
  sample s;
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(
      perp_solver_solve(nullptr, &s.p, nullptr, s.lambda, s.y, nullptr, s.work.data(), 512, &info),
      PERP_EINVAL);
  EXPECT_STREQ(info.field, "solver");
  EXPECT_EQ(perp_solver_workspace(nullptr, &s.p, nullptr), 0u);
  EXPECT_EQ(perp_solver_warm_bytes(nullptr, &s.p), 0u);
  s.solver.struct_size = 8;
  EXPECT_TRUE(s.refused(PERP_EINVAL, "struct_size"));
  s.solver = scripted();
  s.solver.solve = nullptr;
  EXPECT_TRUE(s.refused(PERP_EINVAL, "solve"));
  s.solver = scripted();
  s.solver.workspace = nullptr;
  EXPECT_TRUE(s.refused(PERP_EINVAL, "workspace"));
  EXPECT_EQ(perp_solver_workspace(&s.solver, &s.p, nullptr), 0u);
}

TEST(Solver, ChecksOptionsOfAnySolver) {
  sample s;
  perp_solver_options o = {sizeof o, 0, 1e-10, nullptr, nullptr, 0};
  const auto refused = [&](const char *field) {
    const perp_status status = s.solve(&o);
    const bool ok = status == PERP_EINVAL && std::string(s.info.field) == field;
    EXPECT_EQ(perp_solver_workspace(&s.solver, &s.p, &o), 0u);
    o = {sizeof o, 0, 1e-10, nullptr, nullptr, 0};
    return ok;
  };
  o.struct_size = 4;
  EXPECT_TRUE(refused("struct_size"));
  o.tol = -1;
  EXPECT_TRUE(refused("tol"));
  o.tol = kNaN;
  EXPECT_TRUE(refused("tol"));
  o.max_iter = -7;
  EXPECT_TRUE(refused("max_iter"));
  EXPECT_EQ(now.calls, 0);
  s.solver.check = [](const void *options, perp_info *info) -> perp_status {
    if (static_cast<const perp_solver_options *>(options)->max_iter != 13) return PERP_OK;
    info->field = "own";
    return PERP_EINVAL;
  };
  EXPECT_EQ(s.solve(), PERP_OK);
  o.max_iter = 13;
  EXPECT_EQ(s.solve(&o), PERP_EINVAL);
  EXPECT_STREQ(s.info.field, "own");
}

TEST(Solver, RefusesMissingAndOverlappingArrays) {
  sample s;
  void *work = s.work.data();
  const auto call = [&](double *lambda, double *y, void *w, std::size_t bytes) {
    return perp_solver_solve(&s.solver, &s.p, nullptr, lambda, y, nullptr, w, bytes, &s.info);
  };
  EXPECT_EQ(call(nullptr, s.y, work, 512), PERP_EINVAL);
  EXPECT_STREQ(s.info.field, "lambda");
  EXPECT_EQ(call(s.lambda, nullptr, work, 512), PERP_EINVAL);
  EXPECT_STREQ(s.info.field, "y");
  EXPECT_EQ(call(s.lambda, s.lambda, work, 512), PERP_EINVAL);
  EXPECT_STREQ(s.info.field, "y overlaps lambda");
  EXPECT_EQ(call(s.lambda, s.y, nullptr, 512), PERP_EINVAL);
  EXPECT_STREQ(s.info.field, "work");
  const std::size_t need = perp_solver_workspace(&s.solver, &s.p, nullptr);
  EXPECT_EQ(call(s.lambda, s.y, work, need - 1), PERP_EWORKSPACE);
  EXPECT_STREQ(s.info.field, "work_bytes");
  EXPECT_EQ(s.info.value, static_cast<double>(need));
  EXPECT_EQ(now.calls, 0);
  EXPECT_EQ(call(s.lambda, s.y, work, need), PERP_OK);
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(
      perp_solver_solve(&s.solver, nullptr, nullptr, s.lambda, s.y, nullptr, work, 512, &info),
      PERP_EINVAL);
  EXPECT_STREQ(info.field, "problem");
}

TEST(Solver, AnInfoThatIsTooSmallIsLeftAlone) {
  sample s;
  s.info.struct_size = 0;
  s.info.iterations = 1;
  perp_info *info = &s.info;
  perp_solver quiet = s.solver;
  quiet.solve = [](const perp_problem *, const void *, double *lambda, double *, perp_warm *,
                   void *, std::size_t,
                   perp_info *) -> perp_status { return lambda[0] = 0.5, PERP_OK; };
  EXPECT_EQ(
      perp_solver_solve(&quiet, &s.p, nullptr, s.lambda, s.y, nullptr, s.work.data(), 512, info),
      PERP_OK);
  EXPECT_EQ(info->iterations, 1);
  EXPECT_EQ(
      perp_solver_solve(&quiet, &s.p, nullptr, s.lambda, s.y, nullptr, s.work.data(), 512, nullptr),
      PERP_OK);
}

TEST(Solver, TheWorkspaceServesSolverAndVerification) {
  sample s;
  perp_shape shape;
  perp_problem_shape(&s.p, &shape);
  EXPECT_EQ(perp_solver_workspace(&s.solver, &s.p, nullptr), 100u);  // the solver's is larger
  shape.n = 1000;
  EXPECT_GE(perp_solver_shape_workspace(&s.solver, &shape, nullptr), 8000u);
  shape.n = 13;
  EXPECT_EQ(perp_solver_shape_workspace(&s.solver, &shape, nullptr), 0u);  // no such size
  shape.n = -1;
  EXPECT_EQ(perp_solver_shape_workspace(&s.solver, &shape, nullptr), 0u);
  EXPECT_EQ(perp_solver_shape_workspace(&s.solver, nullptr, nullptr), 0u);
  shape.n = 1;
  shape.sets = 1u << PERP_SET_CONE;
  EXPECT_EQ(perp_solver_shape_workspace(&s.solver, &shape, nullptr), 0u);
  shape.sets = 0;
  for (std::int32_t kind : {-1, 0, 3, 4, 1000}) {
    shape.matrix = kind;
    EXPECT_EQ(perp_solver_shape_workspace(&s.solver, &shape, nullptr), 0u);
  }
  EXPECT_EQ(perp_solver_workspace(&s.solver, nullptr, nullptr), 0u);
}

TEST(Solver, WarmBytesAreTheSolversAnswer) {
  sample s;
  EXPECT_EQ(perp_solver_warm_bytes(&s.solver, &s.p), 8u + 8 + 8 + 24);
  s.solver.warm_bytes = nullptr;
  EXPECT_EQ(perp_solver_warm_bytes(&s.solver, &s.p), 0u);
  EXPECT_EQ(perp_solver_warm_bytes(&s.solver, nullptr), 0u);
}

TEST(Solver, TheUncheckedRunVerifiesAllTheSame) {
  sample s;
  perp_residual r = PERP_RESIDUAL_INIT;
  std::memset(&r, 0x7f, sizeof r);
  const std::size_t bytes = s.work.size() * sizeof(double);
  EXPECT_EQ(perp_solver_run(&s.solver, &s.p, nullptr, s.lambda, s.y, nullptr, s.work.data(), bytes,
                            &r, nullptr),
            PERP_OK);
  EXPECT_EQ(r.residual, 0);
  now.lambda = 0.75;
  EXPECT_EQ(perp_solver_run(&s.solver, &s.p, nullptr, s.lambda, s.y, nullptr, s.work.data(), bytes,
                            &r, nullptr),
            PERP_INACCURATE);
  EXPECT_EQ(r.residual, 0.5);
  EXPECT_EQ(perp_solver_run(&s.solver, &s.p, nullptr, s.lambda, s.y, nullptr, s.work.data(), 8, &r,
                            nullptr),
            PERP_EWORKSPACE);
}

// ---- modes ----

TEST(Warm, ModesComeBackAndAnythingElseIsUnknown) {
  for (std::int32_t n : {0, 1, 7, 8, 9}) {
    const std::size_t need = warm_modes_bytes(n);
    vec bytes(need / 8 + 1, 0.0);
    perp_warm warm = {bytes.data(), need, 0, 0};
    std::vector<unsigned char> in(static_cast<std::size_t>(n) + 1), out(in.size(), 99);
    for (std::size_t i = 0; i < in.size(); i++) in[i] = static_cast<unsigned char>(i % 4);
    EXPECT_EQ(perp_warm_get_modes(&warm, n, out.data()), PERP_OK);  // all bytes 0: nothing known
    for (std::int32_t i = 0; i < n; i++) EXPECT_EQ(out[tools::at(i)], PERP_MODE_UNKNOWN);
    EXPECT_EQ(perp_warm_set_modes(&warm, n, in.data()), PERP_OK);
    EXPECT_EQ(perp_warm_get_modes(&warm, n, out.data()), PERP_OK);
    for (std::int32_t i = 0; i < n; i++) EXPECT_EQ(out[tools::at(i)], in[tools::at(i)]);
    EXPECT_EQ(out.back(), 99);
    if (n > 1) {
      EXPECT_EQ(perp_warm_get_modes(&warm, n - 1, out.data()), PERP_OK);  // of another problem
      EXPECT_EQ(out[0], PERP_MODE_UNKNOWN);
    }
    warm.bytes = need - 1;
    EXPECT_EQ(perp_warm_set_modes(&warm, n, in.data()), PERP_EWORKSPACE);
  }
}

TEST(Warm, SettingModesForgetsTheFactor) {
  vec bytes(16, 0.0);
  perp_warm warm = {bytes.data(), 16 * 8, 5, 0};
  const unsigned char modes[2] = {PERP_MODE_FREE, PERP_MODE_LOWER};
  ASSERT_EQ(perp_warm_set_modes(&warm, 2, modes), PERP_OK);
  warm_factor_keep(&warm, 2, WARM_LEMKE);
  EXPECT_TRUE(warm_factor_valid(&warm, 2, WARM_LEMKE));
  EXPECT_FALSE(warm_factor_valid(&warm, 2, WARM_ACTIVE_SET));  // another solver's
  EXPECT_FALSE(warm_factor_valid(&warm, 3, WARM_LEMKE));
  warm.stamp = 6;
  EXPECT_FALSE(warm_factor_valid(&warm, 2, WARM_LEMKE));  // another matrix
  warm.stamp = 5;
  ASSERT_EQ(perp_warm_set_modes(&warm, 2, modes), PERP_OK);
  EXPECT_FALSE(warm_factor_valid(&warm, 2, WARM_LEMKE));
  warm.stamp = 0;
  warm_factor_keep(&warm, 2, WARM_LEMKE);
  EXPECT_FALSE(warm_factor_valid(&warm, 2, WARM_LEMKE));  // stamp 0 promises nothing
}

TEST(Warm, RefusesWrongArguments) {
  vec bytes(4, 0.0);
  perp_warm warm = {bytes.data(), 32, 0, 0};
  unsigned char modes[2] = {0, 4};
  EXPECT_EQ(perp_warm_set_modes(&warm, 2, modes), PERP_EINVAL);  // 4 is no mode
  modes[1] = 3;
  EXPECT_EQ(perp_warm_set_modes(nullptr, 2, modes), PERP_EINVAL);
  EXPECT_EQ(perp_warm_set_modes(&warm, -1, modes), PERP_EINVAL);
  EXPECT_EQ(perp_warm_set_modes(&warm, 2, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_warm_get_modes(nullptr, 2, modes), PERP_EINVAL);
  EXPECT_EQ(perp_warm_get_modes(&warm, -1, modes), PERP_EINVAL);
  EXPECT_EQ(perp_warm_get_modes(&warm, 2, nullptr), PERP_EINVAL);
  warm.data = nullptr;
  EXPECT_EQ(perp_warm_set_modes(&warm, 2, modes), PERP_EINVAL);
  EXPECT_EQ(perp_warm_get_modes(&warm, 2, modes), PERP_OK);
  EXPECT_EQ(modes[1], PERP_MODE_UNKNOWN);
  warm.data = reinterpret_cast<unsigned char *>(bytes.data()) + 1;
  EXPECT_EQ(perp_warm_set_modes(&warm, 1, modes), PERP_EINVAL);
  EXPECT_EQ(perp_warm_get_modes(&warm, 1, modes), PERP_OK);
}

}  // namespace
