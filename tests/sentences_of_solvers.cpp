// SPDX-License-Identifier: MIT
// What solvers, matrices, programs and laws refuse, and the whole sentence: a part of
// test_sentences.
#include <perp/perp.h>

#include <vector>

#include "sentences.hpp"

namespace sentences {
namespace {

// --------------------------------------------------------------------------- functions ----

std::int32_t line(const double *x, double *F, void *) {
  F[0] = x[0] - 1;
  return 0;
}
std::int32_t half_line(const double *x, double *p, void *) {
  p[0] = x[0] > 0 ? x[0] : 0;
  return 0;
}

/** A variational inequality of one unknown. */
struct inequality {
  perp_vi vi{1, 0, line, half_line, nullptr};
  perp_vi_options o = perp_vi_options_default();
  double x = 1, F = 0, work[100] = {};
  double *point = &x, *value = &F;
  std::string said() {
    return sentences::said([&](perp_info *info) {
      return perp_vi_extragradient(&vi, &o, point, value, work, sizeof work, info);
    });
  }
};

/** A mixed complementarity problem of one unknown. */
struct mixed_problem {
  perp_mcp mcp{};
  perp_mcp_options o = perp_mcp_options_default();
  double lower = 0, upper = inf, z = 1, F = 0, work[200] = {};
  double *point = &z, *value = &F;
  mixed_problem() {
    mcp.n = 1;
    mcp.function = line;
    mcp.lower = &lower;
    mcp.upper = &upper;
  }
  mixed_problem(const mixed_problem &) = delete;
  std::string said() {
    return sentences::said([&](perp_info *info) {
      return perp_mcp_solve(&mcp, &o, point, value, work, sizeof work, info);
    });
  }
};

TEST(SentencesOfSolvers, Functions) {
  expect<inequality>({
      {"function = -3: the function gave up",
       [](inequality &p) {
         p.vi.function = [](const double *, double *, void *) -> std::int32_t { return -3; };
       }},
      {"project = -3: the function gave up",
       [](inequality &p) {
         p.vi.project = [](const double *, double *, void *) -> std::int32_t { return -3; };
       }},
      {"project = 3: the function gave up",
       [](inequality &p) {
         p.vi.project = [](const double *, double *, void *) -> std::int32_t { return 3; };
       }},
      {"F is missing", [](inequality &p) { p.value = nullptr; }},
      {"F overlaps x: two arrays that share no entry are needed",
       [](inequality &p) { p.value = p.point; }},
      {"x is missing", [](inequality &p) { p.point = nullptr; }},
      {"x[0] = nan: must be finite", [](inequality &p) { p.x = nan; }},
      {"function is missing", [](inequality &p) { p.vi.function = nullptr; }},
  });
  expect<mixed_problem>({
      {"F is missing", [](mixed_problem &p) { p.value = nullptr; }},
      {"F overlaps z: two arrays that share no entry are needed",
       [](mixed_problem &p) { p.value = p.point; }},
      {"mode = 3: must be one of PERP_MCP_PATH ... PERP_MCP_JOSEPHY_NEWTON",
       [](mixed_problem &p) { p.o.mode = 3; }},
      {"max_pivots = -1: must be >= 0", [](mixed_problem &p) { p.o.max_pivots = -1; }},
      {"crash = -1: must be >= 0", [](mixed_problem &p) { p.o.crash = -1; }},
      {"watchdog = -1: must be >= 0", [](mixed_problem &p) { p.o.watchdog = -1; }},
      {"decrease = 1: must be > 0 and < 1", [](mixed_problem &p) { p.o.decrease = 1; }},
      {"function = -3: the function gave up",
       [](mixed_problem &p) {
         p.mcp.function = [](const double *, double *, void *) -> std::int32_t { return -3; };
       }},
  });
}

// ---------------------------------------------------------------------------- programs ----

/** A convex program of one unknown and one row. */
struct convex {
  double P[4] = {1, 0, 0, 1}, A[2] = {1, 1}, c[2] = {1, 1}, lower = 1;
  double x[2] = {0, 0}, nu = 0, zeta[2] = {0, 0}, work[1000] = {};
  double *at = x, *of_rows = &nu, *of_bounds = zeta;
  perp_qp qp{};
  perp_solver own = *perp_solver_lemke();
  bool dual = false;
  const perp_solver *solver = perp_solver_auto();
  convex() {
    qp.n = 2;
    qp.m = 1;
    qp.P = perp_dense(2, 2, P);
    qp.A = perp_dense(1, 2, A);
    qp.c = c;
    qp.row_lower = &lower;
  }
  convex(const convex &) = delete;
  std::string said() {
    std::vector<double> room(100000);
    return sentences::said([&](perp_info *info) {
      return dual ? perp_qp_dual(&qp, nullptr, at, of_rows, of_bounds, room.data(), 8 * room.size(),
                                 info)
                  : perp_qp_solve(solver, &qp, nullptr, at, of_rows, of_bounds, room.data(),
                                  8 * room.size(), info);
    });
  }
};

TEST(SentencesOfSolvers, Programs) {
  expect<convex>({
      {"x is missing", [](convex &p) { p.at = nullptr; }},
      {"nu is missing", [](convex &p) { p.of_rows = nullptr; }},
      {"zeta is missing", [](convex &p) { p.of_bounds = nullptr; }},
      {"P[0] is the row of a matrix that is not symmetric", [](convex &p) { p.P[1] = 0.5; }},
      {"P is not positive semidefinite: the program is not convex", [](convex &p) { p.P[0] = -1; }},
      {"P is not positive definite, which the method needs (solver qp-dual)",
       [](convex &p) { p.P[0] = 0, p.dual = true; }},
      {"law is of a box, which lemke does not take: take auto",
       [](convex &p) { p.own.max_n = 1, p.solver = &p.own; }},
  });
}

/** Contacts in arrays. */
struct contacts {
  double W[4] = {1, 0, 0, 1}, q[2] = {-1, 0}, mu = 0.5, r[2] = {0, 0}, u[2] = {0, 0};
  perp_fc fc{1, 2, 2, 0, W, q, &mu};
  std::size_t bytes = 8000;
  perp_solver solver = *perp_solver_nsgs();
  contacts() = default;
  contacts(const contacts &) = delete;
  std::string said() {
    std::vector<double> work(1000);
    return sentences::said([&](perp_info *info) {
      return perp_fc_solve(&solver, &fc, nullptr, r, u, work.data(), bytes, info);
    });
  }
};

/** A polyhedral inequality in arrays. */
struct polyhedral {
  double M = 1, q = -1, H = 1, K = 0, z = 0, w = 0;
  perp_avi avi{};
  perp_avi_pivoting_options o = perp_avi_pivoting_options_default();
  perp_solver broken = *perp_solver_lemke();
  polyhedral() {
    avi.n = avi.m = avi.ldM = avi.ldH = 1;
    avi.M = &M, avi.q = &q, avi.H = &H, avi.K = &K;
  }
  polyhedral(const polyhedral &) = delete;
  std::string said() {
    std::vector<double> work(1000);
    return sentences::said([&](perp_info *info) {
      return perp_avi_pivoting(&avi, &o, &z, &w, work.data(), 8 * work.size(), info);
    });
  }
};

/** A linear problem in arrays, for Lemke's method. */
struct linear {
  double M = 1, q = -1, z = 0, w = 0, covering = 1;
  double *second = &w;
  perp_lcp lcp{1, 1, &M, &q};
  perp_lemke_options o = perp_lemke_options_default();
  linear() { o.covering = &covering; }
  linear(const linear &) = delete;
  std::string said() {
    std::vector<double> work(1000);
    return sentences::said([&](perp_info *info) {
      return perp_lcp_lemke(&lcp, &o, &z, second, work.data(), 8 * work.size(), info);
    });
  }
};

TEST(SentencesOfSolvers, Arrays) {
  expect<contacts>({
      {"contacts = -1: must be >= 0", [](contacts &p) { p.fc.contacts = -1; }},
      {"dim = 4: must be 2 or 3", [](contacts &p) { p.fc.dim = 4; }},
      {"work_bytes = 990: so many bytes are needed", [](contacts &p) { p.bytes = 8; }},
      {"contacts = 1: must be fewer: the solver has no size for so many (solver nsgs)",
       [](contacts &p) { p.solver.max_n = 1, p.bytes = 8; }},
  });
  expect<polyhedral>({
      {"ldM = 0: must be at least the number of rows", [](polyhedral &p) { p.avi.ldM = 0; }},
      {"ldH = 0: must be at least the number of rows", [](polyhedral &p) { p.avi.ldH = 0; }},
      {"engine takes no boxes with a dense M that is not symmetric: take box-pivoting",
       [](polyhedral &p) { p.o.engine = perp_solver_lemke(); }},
      {"engine is no whole solver: its struct_size or functions are not those of this version",
       [](polyhedral &p) { p.broken.struct_size = 8, p.o.engine = &p.broken; }},
  });
  expect<linear>({
      {"w is missing", [](linear &p) { p.second = nullptr; }},
      {"w overlaps z: two arrays that share no entry are needed",
       [](linear &p) { p.second = &p.z; }},
      {"covering[0] = 0: must be > 0", [](linear &p) { p.covering = 0; }},
      {"covering[0] = nan: must be finite", [](linear &p) { p.covering = nan; }},
  });
  const double M = 1, q = -1;
  const perp_lcp p = {1, 1, &M, &q};
  EXPECT_EQ(said([&](perp_info *info) {
              double work[100];
              return perp_lcp_enumerate(&p, nullptr, nullptr, nullptr, nullptr, work, sizeof work,
                                        info);
            }),
            "visit is missing");
}

// ----------------------------------------------------------------------------- matrices ----

TEST(SentencesOfSolvers, Matrices) {
  const std::int32_t start[] = {0, 1, 2}, falls[] = {0, 2, 1}, index[] = {0, 1},
                     offset[] = {0, 1, 2};
  const double values[] = {1, 1};
  const auto check = [](const perp_matrix *A) {
    return said([A](perp_info *info) { return perp_matrix_check(A, info); });
  };
  perp_matrix A = perp_block_rows(2, offset, start, index, values);
  EXPECT_EQ(check(&A), "nothing");
  EXPECT_EQ(check(nullptr), "matrix is missing");
  A.block_rows = -1;
  EXPECT_EQ(check(&A), "block_rows = -1: must be >= 0, with as many offsets");
  A = perp_block_rows(2, offset, falls, index, values);
  EXPECT_EQ(check(&A), "start[2] = 1: must begin with 0 and not decrease");
  A.start = nullptr;
  EXPECT_EQ(check(&A), "start is missing");
}

// ------------------------------------------------------------------------- solvers' own ----

/** A problem of one contact, for a solver that is not whole. */
struct incomplete {
  double M = 1, q = -1, lambda = 0, y = 0;
  double *answer = &y;
  perp_complementarity law;
  perp_law_ops ops;
  const perp_law *laws[1] = {&law.law};
  perp_problem p = PERP_PROBLEM_INIT;
  perp_solver solver = *perp_solver_lemke();
  perp_solver_options of_solver = perp_solver_options_default();
  perp_nsgs_options of_nsgs = perp_nsgs_options_default();
  perp_auto_options of_auto = perp_auto_options_default();
  const void *options = nullptr;
  std::size_t bytes = 80000;
  incomplete() {
    perp_complementarity_init(&law, sizeof law);
    ops = *law.law.ops;
    law.law.ops = &ops;
    p.n = 1;
    p.M = perp_dense(1, 1, &M);
    p.q = &q;
    p.n_blocks = 1;
    p.laws = laws;
  }
  incomplete(const incomplete &) = delete;
  std::string said() {
    std::vector<double> work(10000);
    return sentences::said([&](perp_info *info) {
      return perp_solver_solve(&solver, &p, options, &lambda, answer, nullptr, work.data(), bytes,
                               info);
    });
  }
};

TEST(SentencesOfSolvers, Descriptors) {
  expect<incomplete>({
      {"workspace is missing",
       [](incomplete &s) { s.solver.method = nullptr, s.solver.workspace = nullptr; }},
      {"solve is missing",
       [](incomplete &s) {
         s.solver.method = nullptr;
         s.solver.workspace = [](const perp_shape *, const void *) -> std::size_t { return 8; };
         s.solver.solve = nullptr;
       }},
      {"defaults = 4: must be an options struct with its struct_size",
       [](incomplete &s) { s.of_solver.struct_size = 4, s.solver.defaults = &s.of_solver; }},
      {"perp_pgs_options is needed: these are the options of another solver",
       [](incomplete &s) { s.solver = *perp_solver_pgs(), s.options = &s.of_nsgs; }},
      {"perp_solver_options is needed: these are the options of another solver",
       [](incomplete &s) { s.solver = *perp_solver_murty(), s.options = &s.of_nsgs; }},
      {"allocate = 2: must be 0 or 1",
       [](incomplete &s) {
         s.solver = *perp_solver_auto(), s.of_auto.allocate = 2, s.options = &s.of_auto;
       }},
      {"y overlaps lambda: two arrays that share no entry are needed",
       [](incomplete &s) { s.answer = &s.lambda; }},
      {"states[0] is missing",
       [](incomplete &s) {
         s.ops.state_bytes = [](const perp_law *) -> std::size_t { return 8; };
         s.ops.state_init = [](const perp_law *, void *) {};
       }},
      {"work_bytes = 87: so many bytes are needed", [](incomplete &s) { s.bytes = 8; }},
      {"acts is for unilateral laws alone",
       [](incomplete &s) {
         s.ops.unilateral = 0;
         s.ops.acts = [](const perp_law *, const void *) -> std::int32_t { return 1; };
       }},
      {"project_doubles are missing",
       [](incomplete &s) {
         s.ops.project_with = [](const perp_law *, const void *, const double *, double *,
                                 double *) {};
       }},
  });
}

TEST(SentencesOfSolvers, Impacts) {
  const double W = 1e-300, ydot = -1e300, e = 0;
  double impulse, work[1000];
  EXPECT_EQ(said([&](perp_info *info) {
              return perp_multiple_impact(1, &W, &ydot, &e, nullptr, &impulse, nullptr, work,
                                          sizeof work, info);
            }),
            "impulse[0] = inf: must be finite");
  EXPECT_EQ(said([&](perp_info *info) {
              return perp_multiple_impact(1, &W, &ydot, &e, nullptr, &impulse, nullptr, work, 8,
                                          info);
            }),
            "work_bytes = 263: so many bytes are needed");
  perp_solver cones = *perp_solver_nsgs();
  cones.sets = 1u << PERP_SET_CONE;
  EXPECT_EQ(said([&](perp_info *info) {
              return perp_poisson_impact(&cones, 1, &W, &ydot, &e, nullptr, &impulse, nullptr, work,
                                         8, info);
            }),
            "laws[0] is of complementarity, which nsgs does not take: take auto");
}

TEST(SentencesOfSolvers, PiecesAndImpactLaws) {
  perp_user_impact impact;
  perp_user_impact_init(&impact, sizeof impact, 3);
  EXPECT_EQ(said([&](perp_info *info) { return perp_law_check(&impact.friction.law, info); }),
            "restitute is missing");
  double C = 1, y[2] = {0, 1}, lambda[2] = {1, 0}, memory[200];
  perp_linear_relation r;
  perp_linear_relation_init(&r, sizeof r, 1, 1);
  r.C = &C;
  perp_piecewise_linear graph{};
  graph.struct_size = sizeof graph;
  graph.points = 2;
  graph.y = y;
  graph.lambda = lambda;
  perp_piecewise_relation pieces;
  const auto make = [&](const perp_relation *inner, std::size_t bytes) {
    return said([&](perp_info *info) {
      return perp_piecewise_relation_init(&pieces, sizeof pieces, inner, &graph, memory, bytes,
                                          info);
    });
  };
  EXPECT_EQ(make(nullptr, sizeof memory), "inner is missing");
  EXPECT_EQ(make(&r.relation, 8), "bytes = 111: so many bytes are needed");
  EXPECT_EQ(make(&r.relation, sizeof memory), "nothing");
  pieces.pieces.shift = nullptr;
  EXPECT_EQ(said([&](perp_info *info) { return perp_law_check(&pieces.pieces.box.law, info); }),
            "shift is missing");
}

// ------------------------------------------------------------ global form, sensitivity ----

/** A problem with velocities, of one contact. */
struct with_velocities {
  double M = 1, H = 1, q = -1, b = 0, work[1000] = {};
  perp_complementarity law;
  const perp_law *laws[1] = {&law.law};
  perp_global_problem g = PERP_GLOBAL_PROBLEM_INIT;
  perp_problem out = PERP_PROBLEM_INIT;
  perp_problem *condensed = &out;
  with_velocities() {
    perp_complementarity_init(&law, sizeof law);
    g.m = g.n = g.n_blocks = 1;
    g.M = perp_dense(1, 1, &M);
    g.H = perp_dense(1, 1, &H);
    g.q = &q;
    g.b = &b;
    g.laws = laws;
  }
  with_velocities(const with_velocities &) = delete;
  std::string said() {
    return sentences::said([&](perp_info *info) {
      return perp_global_condense(&g, nullptr, condensed, work, sizeof work, info);
    });
  }
};

TEST(SentencesOfSolvers, GlobalFormsAndSensitivities) {
  expect<with_velocities>({
      {"b is missing", [](with_velocities &p) { p.g.b = nullptr; }},
      {"condensed is missing", [](with_velocities &p) { p.condensed = nullptr; }},
      {"condensed.struct_size = 4: must be set by PERP_PROBLEM_INIT",
       [](with_velocities &p) { p.out.struct_size = 4; }},
  });
  EXPECT_EQ(said([](perp_info *info) {
              return perp_sensitivity_prepare(nullptr, nullptr, nullptr, nullptr, nullptr, 0, info);
            }),
            "s is missing");
}

}  // namespace
}  // namespace sentences
