// SPDX-License-Identifier: MIT
// What is refused, provoked one by one, and the whole sentence that says so. scripts/errors holds
// that every field that the sources name stands here: provoked, or in tests/errors.txt with the
// reason.
#include <gtest/gtest.h>
#include <perp/experimental.h>
#include <perp/perp.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "sentences.hpp"

namespace sentences {
namespace {

class provocations : public testing::Environment {
  void TearDown() override {
    const char *file = std::getenv("PERP_PROVOKED");
    if (file == nullptr) return;
    std::ofstream out(file);
    for (const std::string &p : provoked) out << p << "\n";
  }
};
[[maybe_unused]] const auto *const kept = testing::AddGlobalTestEnvironment(new provocations);

// ---------------------------------------------------------------------------- simulations ----

/** Two masses on a line, the first above a floor. */
struct ball {
  double one = 1, height[2] = {1, 1}, H = 1, e[2] = {0.5, 0.5};
  perp_lagrangian_linear mass, other;
  perp_lagrangian_linear_relation floor;
  perp_newton_impact bounce;
  perp_friction friction;
  perp_equality equality;
  std::int32_t on[2] = {0, 1};
  perp_interaction contact{&floor.relation, &bounce.law, on, 1, 0};
  const perp_system *systems[2] = {&mass.system, &other.system};
  const perp_interaction *interactions[1] = {&contact};
  const perp_integrator *integrators[2] = {perp_integrator_moreau_jean(),
                                           perp_integrator_moreau_jean()};
  perp_integrator own = *perp_integrator_moreau_jean();
  perp_solver solver = *perp_solver_auto();
  perp_sparse sparse{};
  perp_backend backend{};
  perp_step_solver global = *perp_global_step();
  double grid[3] = {0, 0.1, 0.2}, thetas[2] = {0.5, 0.5}, v0[2] = {0, 0};
  perp_model m = PERP_MODEL_INIT;
  perp_simulation_options o = perp_simulation_options_default();
  const perp_model *model = &m;
  const perp_simulation_options *options = &o;

  ball() {
    for (perp_lagrangian_linear *s : {&mass, &other}) {
      perp_lagrangian_linear_init(s, sizeof *s, 1);
      s->M = perp_diagonal(1, &one);
    }
    perp_lagrangian_linear_relation_init(&floor, sizeof floor, 1, 1);
    floor.H = &H;
    perp_newton_impact_init(&bounce, sizeof bounce);
    bounce.e = 0.5;
    perp_friction_init(&friction, sizeof friction);
    perp_equality_init(&equality, sizeof equality);
    m.n_systems = 2;
    m.systems = systems;
    m.n_interactions = 1;
    m.interactions = interactions;
    m.q0 = height;
    o.h = 0.01;
    o.integrator = perp_integrator_moreau_jean();
    o.solver = perp_solver_auto();
  }
  ball(const ball &) = delete;

  std::string said() {
    perp_info info = PERP_INFO_INIT;
    perp_simulation *sim = nullptr;
    const perp_status status = perp_simulation_create(&sim, model, options, &info);
    perp_simulation_destroy(sim);
    return told(status, info);
  }
};

TEST(Sentences, OptionsOfASimulation) {
  expect<ball>({
      {"options are missing", [](ball &b) { b.options = nullptr; }},
      {"options.struct_size = 8: must be set by the initialiser of the options",
       [](ball &b) { b.o.struct_size = 8; }},
      {"h = 0: must be > 0", [](ball &b) { b.o.h = 0; }},
      {"h = nan: must be finite", [](ball &b) { b.o.h = nan; }},
      {"t0 = inf: must be finite", [](ball &b) { b.o.t0 = inf; }},
      {"steps = -1: must be >= 0; with a grid the points after its first; 0 needs an end",
       [](ball &b) { b.o.steps = -1; }},
      {"steps = 0: must be >= 0; with a grid the points after its first; 0 needs an end",
       [](ball &b) { b.o.grid = b.grid; }},
      {"grid[2] = 0.2: must increase",
       [](ball &b) { b.o.grid = b.grid, b.o.steps = 2, b.grid[1] = 0.3; }},
      {"grid[1] = nan: must be finite",
       [](ball &b) { b.o.grid = b.grid, b.o.steps = 2, b.grid[1] = nan; }},
      {"theta = 2: must be between 0 and 1, of compliant laws > 0", [](ball &b) { b.o.theta = 2; }},
      {"theta = nan: must be finite", [](ball &b) { b.o.theta = nan; }},
      {"theta[1] = -1: must be between 0 and 1, of compliant laws > 0",
       [](ball &b) { b.o.thetas = b.thetas, b.thetas[1] = -1; }},
      {"gamma = 3: must be between 0 and 2, and is for Moreau-Jean's scheme alone",
       [](ball &b) { b.o.gamma = 3; }},
      {"gamma = nan: must be finite", [](ball &b) { b.o.gamma = nan; }},
      {"reaction_gamma = 0.5: must be between 0 and 1, not 0 where relations hold at x_{k+gamma}, "
       "and is for theta-gamma schemes of order 1 alone",
       [](ball &b) { b.o.reaction_gamma = 0.5; }},
      {"reaction_gamma = nan: must be finite", [](ball &b) { b.o.reaction_gamma = nan; }},
      {"min_gap = nan: must be finite", [](ball &b) { b.o.min_gap = nan; }},
      {"on_failure = 9: must be PERP_FAILURE_STOP, PERP_FAILURE_RETRY or PERP_FAILURE_ACCEPT",
       [](ball &b) { b.o.on_failure = 9; }},
      {"max_halvings = 21: must be 0 ... 20", [](ball &b) { b.o.max_halvings = 21; }},
      {"newton_stop = 3: must be PERP_NEWTON_RESIDUAL, PERP_NEWTON_DYNAMICS or PERP_NEWTON_FIXED",
       [](ball &b) { b.o.newton_stop = 3; }},
      {"newton_start = 2: must be PERP_NEWTON_FROM_CURRENT or PERP_NEWTON_FROM_POSITION",
       [](ball &b) { b.o.newton_start = 2; }},
      {"newton_max = 0: must be >= 1", [](ball &b) { b.o.newton_max = 0; }},
      {"newton_halvings = 51: must be 0 ... 50", [](ball &b) { b.o.newton_halvings = 51; }},
      {"newton_tol = 0: must be > 0 and finite", [](ball &b) { b.o.newton_tol = 0; }},
      {"accept_tol = -1: must be >= 0", [](ball &b) { b.o.accept_tol = -1; }},
      {"equality_tol = -1: must be >= 0 and finite", [](ball &b) { b.o.equality_tol = -1; }},
      {"gap_tol = -1: must be >= 0 and finite", [](ball &b) { b.o.gap_tol = -1; }},
      {"speed_tol = -1.5: must be >= 0 and finite, PERP_SPEED_PILE or PERP_SPEED_STACK",
       [](ball &b) { b.o.speed_tol = -1.5; }},
      {"sleep_energy = -1: must be >= 0 and finite", [](ball &b) { b.o.sleep_energy = -1; }},
      {"sleep_time = 0: must be > 0 and finite", [](ball &b) { b.o.sleep_time = 0; }},
      {"sleep_energy = 1: must be 0 where no contacts of a pool are swept: formulation must be "
       "global",
       [](ball &b) { b.o.sleep_energy = 1; }},
      {"switchable = 2: must be 0 or 1", [](ball &b) { b.o.switchable = 2; }},
      {"projection = 7: must be PERP_PROJECT_NONE, PERP_PROJECT_POSITIONS or PERP_PROJECT_COMBINED",
       [](ball &b) { b.o.projection = 7; }},
      {"projection_max = 0: must be >= 1",
       [](ball &b) { b.o.projection = 1, b.o.projection_max = 0; }},
      {"projection_tol = 0: must be > 0",
       [](ball &b) { b.o.projection = 1, b.o.projection_tol = 0; }},
      {"projection_tol_unilateral = 0: must be > 0",
       [](ball &b) { b.o.projection = 1, b.o.projection_tol_unilateral = 0; }},
      {"projection needs equalities and contacts, which lemke does not take: take auto",
       [](ball &b) { b.o.projection = 2, b.o.solver = perp_solver_lemke(); }},
      {"projection needs an integrator without _constant",
       [](ball &b) {
         b.o.projection = 2, b.o.integrator = perp_integrator_moreau_jean_constant();
       }},
      {"formulation = 7: must be one of PERP_FORMULATION_...",
       [](ball &b) { b.o.formulation = 7; }},
      {"global is needed by this formulation: perp_global_step()",
       [](ball &b) { b.o.formulation = PERP_FORMULATION_GLOBAL; }},
      {"global.struct_size = 4: must be that of this version, with all functions",
       [](ball &b) {
         b.o.formulation = PERP_FORMULATION_GLOBAL, b.global.struct_size = 4,
         b.o.global = &b.global;
       }},
      {"formulation needs constant systems and relations of order 2, without D and compliance",
       [](ball &b) {
         b.o.formulation = PERP_FORMULATION_GLOBAL, b.o.global = perp_global_step();
         b.o.integrator = perp_integrator_moreau_jean_constant();
       }},
      {"reserved = 1: must be 0", [](ball &b) { b.o.reserved = 1; }},
      {"integrator of system 0 is missing", [](ball &b) { b.o.integrator = nullptr; }},
      {"integrator of system 1 is missing",
       [](ball &b) { b.o.integrators = b.integrators, b.integrators[1] = nullptr; }},
      {"integrator.struct_size of system 0 = 8: must be that of this version",
       [](ball &b) { b.own.struct_size = 8, b.o.integrator = &b.own; }},
      {"integrator.weights of system 0 is missing",
       [](ball &b) { b.own.weights = nullptr, b.o.integrator = &b.own; }},
      {"integrator of system 0 = 1: must be of the order of the system",
       [](ball &b) { b.own.order = 1, b.o.integrator = &b.own; }},
      {"integrators of system 1 = 0: must be of one kind for all systems that one interaction "
       "joins",
       [](ball &b) {
         b.floor.relation.n = 2;
         static const double wide[2] = {1, -1};
         b.floor.H = wide, b.contact.n_systems = 2;
         b.integrators[1] = perp_integrator_schatzman_paoli(), b.o.integrators = b.integrators;
       }},
      {"solver is missing", [](ball &b) { b.o.solver = nullptr; }},
      {"solver.struct_size = 8: must be that of this version",
       [](ball &b) { b.solver.struct_size = 8, b.o.solver = &b.solver; }},
      {"M is in block rows, which auto does not take",
       [](ball &b) { b.solver.matrices = 1u << PERP_DENSE, b.o.solver = &b.solver; }},
      {"law of interaction 0 is an equality, which lemke does not take: take auto",
       [](ball &b) { b.contact.law = &b.equality.law, b.o.solver = perp_solver_lemke(); }},
      {"sparse = 4: must be a table of this version with all its functions",
       [](ball &b) { b.sparse.struct_size = 4, b.o.sparse = &b.sparse; }},
      {"backend = 4: must have all its functions, and the struct_size of this version",
       [](ball &b) { b.backend.struct_size = 4, b.o.backend = &b.backend; }},
      {"switchable is not possible with schemes on positions",
       [](ball &b) { b.o.integrator = perp_integrator_schatzman_paoli(), b.o.switchable = 1; }},
  });
}

TEST(Sentences, Models) {
  expect<ball>({
      {"model is missing", [](ball &b) { b.model = nullptr; }},
      {"model.struct_size = 8: must be set by PERP_MODEL_INIT",
       [](ball &b) { b.m.struct_size = 8; }},
      {"n_systems = -1: must be >= 0 of a model, >= 1 of an interaction",
       [](ball &b) { b.m.n_systems = -1; }},
      {"n_interactions = -1: must be >= 0, and their rows fewer than 2^30",
       [](ball &b) { b.m.n_interactions = -1; }},
      {"systems are missing", [](ball &b) { b.m.systems = nullptr; }},
      {"interactions are missing", [](ball &b) { b.m.interactions = nullptr; }},
      {"system 1 is missing", [](ball &b) { b.systems[1] = nullptr; }},
      {"interaction 0 is missing", [](ball &b) { b.interactions[0] = nullptr; }},
      {"struct_size of system 1 = 8: must be set by the initialiser of its kind",
       [](ball &b) { b.other.system.struct_size = 8; }},
      {"n of system 1 = 0: must be >= 1, and 6 of rigid bodies",
       [](ball &b) { b.other.system.n = 0; }},
      {"M of system 1 = 0: must be n x n, and symmetric positive definite where it is a mass",
       [](ball &b) { b.other.M = perp_matrix{}; }},
      {"M of system 0 = -1: must be n x n, and symmetric positive definite where it is a mass",
       [](ball &b) { b.one = -1; }},
      {"M of system 0 = nan: must be finite", [](ball &b) { b.one = nan; }},
      {"K of system 1 is of a kind that the system does not take",
       [](ball &b) { b.other.K.kind = 9; }},
      {"C of system 1 is of a kind that the system does not take",
       [](ball &b) { b.other.C.kind = 9; }},
      {"f of system 1 = nan: must be finite", [](ball &b) { b.other.f = &nan; }},
      {"n_z of system 1 = -1: must be >= 0, and > 0 where F is given",
       [](ball &b) { b.other.n_z = -1; }},
      {"q0[0] = nan: must be finite", [](ball &b) { b.height[0] = nan; }},
      {"v0[1] = inf: must be finite", [](ball &b) { b.m.v0 = b.v0, b.v0[1] = inf; }},
      {"initial gap of interaction 0 = -1: must be at least min_gap (or |y| at most |min_gap| of a "
       "joint) at the initial values",
       [](ball &b) { b.height[0] = -1; }},
      {"relation of interaction 0 is missing", [](ball &b) { b.contact.relation = nullptr; }},
      {"law of interaction 0 is missing", [](ball &b) { b.contact.law = nullptr; }},
      {"relation.struct_size of interaction 0 = 8: must be set by the initialiser of its kind",
       [](ball &b) { b.floor.relation.struct_size = 8; }},
      {"relation.m of interaction 0 = 0: must be that of its kind, >= 1",
       [](ball &b) { b.floor.relation.m = 0; }},
      {"relation.n of interaction 0 = 0: must be the degrees of freedom of the systems it joins",
       [](ball &b) { b.floor.relation.n = 0; }},
      {"H of interaction 0 is missing", [](ball &b) { b.floor.H = nullptr; }},
      {"H of interaction 0 = nan: must be finite", [](ball &b) { b.H = nan; }},
      {"D of interaction 0 = nan: must be finite", [](ball &b) { b.floor.D = &nan; }},
      {"b of interaction 0 = nan: must be finite", [](ball &b) { b.floor.b = &nan; }},
      {"n_z of interaction 0 = -1: must be >= 0, and > 0 where F is given",
       [](ball &b) { b.floor.n_z = -1; }},
      {"z of interaction 0 is missing", [](ball &b) { b.floor.F = &b.one, b.floor.n_z = 1; }},
      {"F of interaction 0 = nan: must be finite",
       [](ball &b) { b.floor.F = &nan, b.floor.n_z = 1, b.floor.z = &b.one; }},
      {"H_rows of interaction 0 = 1: must be m x n, and H absent",
       [](ball &b) { b.floor.H_rows = perp_diagonal(1, &b.one); }},
      {"H_rows of interaction 0 is for relations of linear kinds, and integrators that are not "
       "..._constant()",
       [](ball &b) { b.floor.H = nullptr, b.floor.H_rows = perp_diagonal(1, &b.one); }},
      {"e of interaction 0 = 2: must be between 0 and 1", [](ball &b) { b.bounce.e = 2; }},
      {"e of interaction 0 = nan: must be finite", [](ball &b) { b.bounce.e = nan; }},
      {"struct_size of interaction 0 = 8: must be set by the initialiser of the struct",
       [](ball &b) { b.bounce.law.struct_size = 8; }},
      {"law.size of interaction 0 = 2: must divide the rows of the relation",
       [](ball &b) { b.bounce.law.size = 2; }},
      {"size of interaction 0 = 0: must be >= 1, and that of its kind",
       [](ball &b) { b.bounce.law.size = 0; }},
      {"ops of interaction 0 is missing", [](ball &b) { b.bounce.law.ops = nullptr; }},
      {"n_systems of interaction 0 = 0: must be >= 0 of a model, >= 1 of an interaction",
       [](ball &b) { b.contact.n_systems = 0; }},
      {"systems of interaction 0 = 5: must be different systems of the model",
       [](ball &b) { b.on[0] = 5; }},
      {"relation.n of interaction 0 = 1: must be the degrees of freedom of the systems it joins",
       [](ball &b) { b.contact.n_systems = 2; }},
  });
}

// ------------------------------------------------------------------------------- solvers ----

/** Options of a solver. */
template <class Options>
struct chosen {
  const perp_solver *solver;
  Options o;
  std::string said() {
    perp_info info = PERP_INFO_INIT;
    const perp_status status = perp_solver_check(solver, &o, &info);
    return told(status, info);
  }
};
#define CHOSEN(name, method)                    \
  struct name : chosen<perp_##name##_options> { \
    name() {                                    \
      solver = perp_solver_##method();          \
      o = perp_##name##_options_default();      \
    }                                           \
  }
CHOSEN(admm, admm);
CHOSEN(nsgs, nsgs);
CHOSEN(cpg, cpg);
CHOSEN(newton, newton_fb);
CHOSEN(friction_newton, friction_newton);
CHOSEN(interior_point, interior_point);
CHOSEN(friction_interior, friction_interior);
CHOSEN(block_pivoting, block_pivoting);
CHOSEN(active_set, active_set);
CHOSEN(vi, extragradient);

TEST(Sentences, OptionsOfSolvers) {
  expect<nsgs>({
      {"struct_size = 4: must be set by the initialiser of the struct",
       [](nsgs &s) { s.o.struct_size = 4; }},
      {"max_iter = -1: must be >= 0 (0: the default)", [](nsgs &s) { s.o.max_iter = -1; }},
      {"tol = -1: must be >= 0, of impacts > 0 and at most 1", [](nsgs &s) { s.o.tol = -1; }},
      {"budget = -1: must be >= 0 (0: perp_solver_budget())", [](nsgs &s) { s.o.budget = -1; }},
      {"omega = 2: must be > 0 and < 2", [](nsgs &s) { s.o.omega = 2; }},
      {"regularisation = -1: must be >= 0", [](nsgs &s) { s.o.regularisation = -1; }},
      {"order = 9: must be that of the systems it goes with; of nsgs PERP_NSGS_FORWARD ... "
       "PERP_NSGS_SHUFFLED, of events >= 0",
       [](nsgs &s) { s.o.order = 9; }},
      {"acceleration = 9: must be one of PERP_NSGS_PLAIN ... PERP_NSGS_MOMENTUM",
       [](nsgs &s) { s.o.acceleration = 9; }},
      {"depth = 0: must be 1 or more, and not beyond PERP_NSGS_MOST_DEPTH",
       [](nsgs &s) { s.o.depth = 0; }},
      {"freeze = -1: must be >= 0", [](nsgs &s) { s.o.freeze = -1; }},
      {"check = 0: must be >= 1", [](nsgs &s) { s.o.check = 0; }},
  });
  expect<admm>({
      {"rho = 0: must be > 0", [](admm &s) { s.o.rho = 0; }},
      {"relaxation = 2: must be > 0 and < 2", [](admm &s) { s.o.relaxation = 2; }},
      {"memory = 31: must be 0 ... 30 of admm, 1 ... 16 of mcp", [](admm &s) { s.o.memory = 31; }},
      {"updates = -1: must be >= 0", [](admm &s) { s.o.updates = -1; }},
      {"outer = 2: must be 0 or 1", [](admm &s) { s.o.outer = 2; }},
      {"reserved = 1: must be 0", [](admm &s) { s.o.reserved = 1; }},
  });
  expect<cpg>({{"proportion = 0: must be > 0", [](cpg &s) { s.o.proportion = 0; }}});
  expect<newton>({
      {"history = 0: must be 1 ... 16", [](newton &s) { s.o.history = 0; }},
      {"restarts = -1: must be >= 0, of mcp 0 ... 5", [](newton &s) { s.o.restarts = -1; }},
  });
  expect<friction_newton>({
      {"function = 9: must be one of PERP_FRICTION_...",
       [](friction_newton &s) { s.o.function = 9; }},
      {"search = 9: must be one of PERP_SEARCH_...", [](friction_newton &s) { s.o.search = 9; }},
      {"sweeps = -1: must be >= 0", [](friction_newton &s) { s.o.sweeps = -1; }},
      {"proximal = -1: must be > 0, of friction-newton >= 0",
       [](friction_newton &s) { s.o.proximal = -1; }},
  });
  expect<interior_point>({
      {"correctors = 5: must be 0 ... 4", [](interior_point &s) { s.o.correctors = 5; }},
      {"crossover = 2: must be 0 or 1", [](interior_point &s) { s.o.crossover = 2; }},
  });
  expect<friction_interior>({{"coupling = 9: must be one of PERP_FRICTION_INTERIOR_...",
                              [](friction_interior &s) { s.o.coupling = 9; }}});
  expect<block_pivoting>(
      {{"patience = -1: must be >= 0", [](block_pivoting &s) { s.o.patience = -1; }}});
  expect<active_set>({{"proximal = 0: must be > 0, of friction-newton >= 0",
                       [](active_set &s) { s.o.proximal = 0; }}});
  expect<vi>({
      {"step = -1: must be >= 0, of impacts > 0 and at most 1", [](vi &s) { s.o.step = -1; }},
      {"ratio = 1: must be > 0 and < 1", [](vi &s) { s.o.ratio = 1; }},
      {"shrink = 0: must be > 0 and < 1", [](vi &s) { s.o.shrink = 0; }},
      {"grow = 0: must be >= 1", [](vi &s) { s.o.grow = 0; }},
  });
}

/** A problem of two contacts, and one solver for it. */
struct problem {
  double M[4] = {1, 0, 0, 1}, q[2] = {-1, -1}, lambda[2] = {0, 0}, y[2] = {0, 0};
  double weight[2] = {1, 1}, floor[2] = {0, 0};
  perp_complementarity law;
  perp_friction friction;
  perp_solver own = *perp_solver_lemke();
  const perp_law *laws[2] = {&law.law, &law.law};
  std::int32_t offset[3] = {0, 1, 2};
  perp_problem p = PERP_PROBLEM_INIT;
  const perp_problem *given = &p;
  const perp_solver *solver = perp_solver_lemke();
  const double *answer = lambda;
  std::size_t short_of = 0;
  bool has_work = true;

  problem() {
    perp_complementarity_init(&law, sizeof law);
    perp_friction_init(&friction, sizeof friction);
    p.n = 2;
    p.M = perp_dense(2, 2, M);
    p.q = q;
    p.n_blocks = 2;
    p.laws = laws;
    p.offset = offset;
  }
  problem(const problem &) = delete;
  std::string said() {
    perp_info info = PERP_INFO_INIT;
    std::vector<double> work(1000);
    const std::size_t bytes = short_of > 0 ? short_of : 8 * work.size();
    const perp_status status =
        perp_solver_solve(solver, given, nullptr, const_cast<double *>(answer), y, nullptr,
                          has_work ? work.data() : nullptr, bytes, &info);
    return told(status, info);
  }
};

TEST(Sentences, Problems) {
  expect<problem>({
      {"problem is missing", [](problem &s) { s.given = nullptr; }},
      {"struct_size = 4: must be set by the initialiser of the struct",
       [](problem &s) { s.p.struct_size = 4; }},
      {"reserved = 1: must be 0", [](problem &s) { s.p.reserved = 1; }},
      {"n = -1: must be >= 0, and fit the blocks", [](problem &s) { s.p.n = -1; }},
      {"n_blocks = -1: must be >= 0", [](problem &s) { s.p.n_blocks = -1; }},
      {"M = 1: must be n x n, and symmetric positive definite where it is a mass",
       [](problem &s) { s.p.M.rows = s.p.M.cols = 1; }},
      {"kind = 9: must be one of the documented kinds", [](problem &s) { s.p.M.kind = 9; }},
      {"ld = 1: must be at least the number of rows", [](problem &s) { s.p.M.ld = 1; }},
      {"rows = -1: must be as many as the problem has unknowns",
       [](problem &s) { s.p.M.rows = -1; }},
      {"cols = -1: must be as many as the problem has unknowns",
       [](problem &s) { s.p.M.cols = -1; }},
      {"reserved = 1: must be 0", [](problem &s) { s.p.M.reserved = 1; }},
      {"values are missing", [](problem &s) { s.p.M.values = nullptr; }},
      {"q is missing", [](problem &s) { s.p.q = nullptr; }},
      {"q[1] = nan: must be finite", [](problem &s) { s.q[1] = nan; }},
      {"M[0] = inf: must be finite", [](problem &s) { s.M[0] = inf; }},
      {"laws are missing", [](problem &s) { s.p.laws = nullptr; }},
      {"laws[1] is missing", [](problem &s) { s.laws[1] = nullptr; }},
      {"offset[0] = 1: must begin with 0 and increase", [](problem &s) { s.offset[0] = 1; }},
      {"offset[1] = 0: must begin with 0 and increase", [](problem &s) { s.offset[2] = -1; }},
      {"weight[1] = 0: must be > 0", [](problem &s) { s.p.weight = s.weight, s.weight[1] = 0; }},
      {"weight[1] = nan: must be finite",
       [](problem &s) { s.p.weight = s.weight, s.weight[1] = nan; }},
      {"floor[0] = -1: must be >= 0", [](problem &s) { s.p.floor = s.floor, s.floor[0] = -1; }},
      {"floor[0] = nan: must be finite", [](problem &s) { s.p.floor = s.floor, s.floor[0] = nan; }},
      {"solver is missing", [](problem &s) { s.solver = nullptr; }},
      {"laws[0] is of friction, which lemke does not take: take auto",
       [](problem &s) {
         s.p.n_blocks = 1, s.laws[0] = &s.friction.law, s.friction.law.size = 2, s.offset[1] = 2;
       }},
      {"M is dense, which lemke does not take: take auto",
       [](problem &s) { s.own.matrices = 1u << PERP_DIAGONAL, s.solver = &s.own; }},
      {"n = 2: must be fewer: the solver has no size for so many unknowns; nsgs has, others with a "
       "sparse back end (solver lemke)",
       [](problem &s) { s.own.max_n = 1, s.solver = &s.own; }},
      {"lambda is missing", [](problem &s) { s.answer = nullptr; }},
      {"work is missing", [](problem &s) { s.has_work = false; }},
  });
}

// ---------------------------------------------------------------------------------- laws ----

#define LAW(name)                                                                            \
  struct name : perp_##name {                                                                \
    name() {                                                                                 \
      perp_##name##_init(this, sizeof(perp_##name));                                         \
      prepare(static_cast<perp_##name &>(*this));                                            \
    }                                                                                        \
    std::string said() {                                                                     \
      perp_info info = PERP_INFO_INIT;                                                       \
      const perp_##name *self = this;                                                        \
      const perp_status s = perp_law_check(reinterpret_cast<const perp_law *>(self), &info); \
      return told(s, info);                                                                  \
    }                                                                                        \
  }

const double bound[2] = {0, 1}, wall[2] = {1, 1};
template <class L>
void prepare(L &) {}
void prepare(perp_box &l) { l.lower = &bound[0], l.upper = &bound[1]; }
void prepare(perp_compliant &l) { l.k = 1; }
void prepare(perp_cohesive &l) { l.sigma_c = l.G_c = l.area = 1; }
void prepare(perp_polyhedron &l) { l.H = perp_dense(1, 1, wall), l.K = bound; }

LAW(friction);
LAW(rolling);
LAW(cohesive);
LAW(compliant);
LAW(mixed);
LAW(box);
LAW(polyhedron);
LAW(fremond);

TEST(Sentences, Laws) {
  expect<friction>({
      {"mu = -1: must be >= 0", [](friction &l) { l.mu = -1; }},
      {"mu = nan: must be finite", [](friction &l) { l.mu = nan; }},
      {"e_n = 2: must be between 0 and 1, or to what the law's page says",
       [](friction &l) { l.e_n = 2; }},
      {"e_n = nan: must be finite", [](friction &l) { l.e_n = nan; }},
      {"e_t = 2: must be between -1 and 1, of Fremond's law 0", [](friction &l) { l.e_t = 2; }},
      {"e_t = nan: must be finite", [](friction &l) { l.e_t = nan; }},
      {"size = 9: must be >= 1, and that of its kind", [](friction &l) { l.law.size = 9; }},
      {"struct_size = 8: must be set by the initialiser of the struct",
       [](friction &l) { l.law.struct_size = 8; }},
  });
  expect<rolling>({
      {"mu_rolling = -1: must be >= 0", [](rolling &l) { l.mu_rolling = -1; }},
      {"mu_rolling = nan: must be finite", [](rolling &l) { l.mu_rolling = nan; }},
  });
  expect<cohesive>({
      {"sigma_c = -1: must be >= 0", [](cohesive &l) { l.sigma_c = -1; }},
      {"sigma_c = nan: must be finite", [](cohesive &l) { l.sigma_c = nan; }},
      {"G_c = 0: must be > 0", [](cohesive &l) { l.G_c = 0; }},
      {"G_c = nan: must be finite", [](cohesive &l) { l.G_c = nan; }},
      {"area = 0: must be > 0", [](cohesive &l) { l.area = 0; }},
      {"area = nan: must be finite", [](cohesive &l) { l.area = nan; }},
      {"slip_weight = -1: must be >= 0", [](cohesive &l) { l.slip_weight = -1; }},
      {"slip_weight = nan: must be finite", [](cohesive &l) { l.slip_weight = nan; }},
  });
  expect<compliant>({
      {"k = -1: must be >= 0, and k + c > 0", [](compliant &l) { l.k = -1; }},
      {"k = nan: must be finite", [](compliant &l) { l.k = nan; }},
      {"c = -1: must be >= 0", [](compliant &l) { l.c = -1; }},
      {"c = nan: must be finite", [](compliant &l) { l.c = nan; }},
      {"theta = 0: must be between 0 and 1, of compliant laws > 0",
       [](compliant &l) { l.theta = 0; }},
  });
  expect<mixed>({{"equalities = -1: must be 0 ... size", [](mixed &l) { l.equalities = -1; }}});
  expect<box>({
      {"lower is missing", [](box &l) { l.lower = nullptr; }},
      {"upper is missing", [](box &l) { l.upper = nullptr; }},
      {"lower[0] = 1: must not be above upper",
       [](box &l) { l.lower = &bound[1], l.upper = &bound[0]; }},
      {"lower[0] = nan: must be finite", [](box &l) { l.lower = &nan; }},
      {"upper[0] = nan: must be finite", [](box &l) { l.upper = &nan; }},
  });
  expect<polyhedron>({
      {"H = 2: must have a row for each component and a column for each degree of freedom",
       [](polyhedron &l) { l.H.cols = 2; }},
      {"K is missing", [](polyhedron &l) { l.K = nullptr; }},
      {"K[0] = nan: must be finite", [](polyhedron &l) { l.K = &nan; }},
      {"H[0] = nan: must be finite", [](polyhedron &l) { l.H.values = &nan; }},
  });
}

// ---------------------------------------------------------------- systems and relations ----

std::int32_t six(double, const double *, const double *, const double *, double *, void *) {
  return 0;
}
std::int32_t time_only(double, double *, void *) { return 0; }
std::int32_t located(double, const double *, perp_contact_place *, void *) { return 0; }

/** What a builder says of a system, or of a relation between two systems. */
struct built {
  perp_builder *b = nullptr;
  perp_info info = PERP_INFO_INIT;
  built() { (void)perp_builder_create(&b, nullptr); }
  built(const built &) = delete;
  ~built() { perp_builder_destroy(b); }
  std::string add(const perp_system &s) {
    std::int32_t id = -1;
    const perp_status status = perp_builder_add(b, &s, nullptr, &id, &info);
    return told(status, info);
  }
  std::string join(const perp_relation &r, std::int32_t systems) {
    perp_equality law;
    perp_equality_init(&law, sizeof law);
    const std::int32_t on[3] = {0, 1, 2};
    const perp_interaction i = {&r, &law.law, on, systems, 0};
    const perp_status status = perp_builder_connect(b, &i, nullptr, nullptr, nullptr, &info);
    return told(status, info);
  }
};

struct rigid : perp_body {
  rigid() {
    perp_body_init(this, sizeof(perp_body));
    mass = 1;
    inertia[0] = inertia[4] = inertia[8] = 1;
  }
  std::string said() const { return built().add(system); }
};
struct smooth : perp_lagrangian {
  double one = 1;
  smooth() {
    perp_lagrangian_init(this, sizeof(perp_lagrangian), 1);
    M = perp_diagonal(1, &one);
  }
  smooth(const smooth &) = delete;
  std::string said() const { return built().add(system); }
};
struct state : perp_first_order {
  state() {
    perp_first_order_init(this, sizeof(perp_first_order), 1);
    f = [](double, const double *, const double *, double *, void *) -> std::int32_t { return 0; };
  }
  std::string said() const { return built().add(system); }
};

TEST(Sentences, Systems) {
  expect<rigid>({
      {"mass of body 0 = 0: must be > 0; as a function it may not stand beside M",
       [](rigid &s) { s.mass = 0; }},
      {"mass of body 0 = nan: must be finite", [](rigid &s) { s.mass = nan; }},
      {"inertia of body 0 = -1: must be symmetric positive definite",
       [](rigid &s) { s.inertia[0] = -1; }},
      {"inertia of body 0 = 0.5: must be symmetric positive definite",
       [](rigid &s) { s.inertia[1] = 0.5; }},
      {"inertia of body 0 = nan: must be finite", [](rigid &s) { s.inertia[1] = nan; }},
      {"f of body 0 = inf: must be finite", [](rigid &s) { s.f[0] = inf; }},
      {"torque_frame of body 0 = 7: must be PERP_FRAME_BODY or PERP_FRAME_FIXED",
       [](rigid &s) { s.torque_frame = 7; }},
      {"gyroscopic of body 0 = 7: must be one of PERP_GYROSCOPIC_...",
       [](rigid &s) { s.gyroscopic = 7; }},
      {"n of body 0 = 5: must be >= 1, and 6 of rigid bodies", [](rigid &s) { s.system.n = 5; }},
  });
  expect<smooth>({
      {"M of system 0 = 0: must be n x n, and symmetric positive definite where it is a mass",
       [](smooth &s) { s.M = perp_matrix{}; }},
      {"mass of system 0 = 0: must be > 0; as a function it may not stand beside M",
       [](smooth &s) { s.mass = six; }},
      {"gyroscopic of system 0 is missing", [](smooth &s) { s.gyroscopic_dq = six; }},
      {"internal of system 0 is missing", [](smooth &s) { s.internal_dq = six; }},
      {"f of system 0 = nan: must be finite", [](smooth &s) { s.f = &nan; }},
      {"control.u of system 0 is missing", [](smooth &s) { s.control.n_u = 1; }},
      {"control.n_u of system 0 = -1: must be >= 1 where there is control, and 0 where there is "
       "none",
       [](smooth &s) { s.control.n_u = -1; }},
      {"control.n_u of system 0 = 0: must be >= 1 where there is control, and 0 where there is "
       "none",
       [](smooth &s) { s.control.u = six; }},
      {"control.effect of system 0 may not stand beside T",
       [](smooth &s) {
         s.control.n_u = 1, s.control.u = six, s.control.T = &s.one, s.control.effect = six;
       }},
      {"control.T of system 0 = nan: must be finite",
       [](smooth &s) { s.control.n_u = 1, s.control.u = six, s.control.T = &nan; }},
      {"control.T of system 0 needs n x n_u entries, or effect in its stead",
       [](smooth &s) { s.control.n_u = 2, s.control.u = six; }},
      {"z of system 0 is missing", [](smooth &s) { s.n_z = 1; }},
      {"z of system 0 = nan: must be finite", [](smooth &s) { s.z = &nan, s.n_z = 1; }},
      {"typical_q of system 0 = nan: must be finite", [](smooth &s) { s.typical_q = &nan; }},
      {"typical_v of system 0 = nan: must be finite", [](smooth &s) { s.typical_v = &nan; }},
  });
  expect<state>({
      {"f of system 0 is missing", [](state &s) { s.f = nullptr; }},
      {"control.u_dq of system 0 may not stand at order 1",
       [](state &s) { s.control.n_u = 1, s.control.u = six, s.control.u_dq = six; }},
      {"typical of system 0 = nan: must be finite", [](state &s) { s.typical = &nan; }},
  });
}

/** A relation of kind R between two bodies, or of two systems with one degree of freedom. */
template <class R>
struct relation_of : R {
  rigid body;
  double one = 1;
  perp_lagrangian_linear mass;
  perp_first_order_linear circuit;
  std::int32_t systems = 2;
  const perp_system *of;
  relation_of() : of(&body.system) {
    perp_lagrangian_linear_init(&mass, sizeof mass, 1);
    mass.M = perp_diagonal(1, &one);
    perp_first_order_linear_init(&circuit, sizeof circuit, 1);
  }
  relation_of(const relation_of &) = delete;
  std::string said() const {
    built b;
    for (std::int32_t i = 0; i < 3; i++) EXPECT_EQ(b.add(*of), "nothing");
    return b.join(*reinterpret_cast<const perp_relation *>(static_cast<const R *>(this)), systems);
  }
};

struct hinge : relation_of<perp_joint> {
  hinge() { perp_joint_init(this, sizeof(perp_joint), PERP_JOINT_PIVOT, 2); }
};
struct gears : relation_of<perp_gear> {
  gears() { perp_gear_init(this, sizeof(perp_gear), 2); }
};
struct angle : relation_of<perp_joint_coordinate> {
  perp_joint hinge{};
  angle() {
    perp_joint_init(&hinge, sizeof hinge, PERP_JOINT_PIVOT, 2);
    perp_joint_coordinate_init(this, sizeof(perp_joint_coordinate), &hinge, PERP_COORDINATE_ANGLE,
                               PERP_COORDINATE_RATE);
  }
};
struct touch : relation_of<perp_body_contact> {
  touch() {
    perp_body_contact_init(this, sizeof(perp_body_contact), 1, 2);
    locate = located;
  }
};
struct motor : relation_of<perp_prescribed_velocity> {
  std::int32_t which[2] = {0, 1};
  motor() {
    of = &mass.system;
    perp_prescribed_velocity_init(this, sizeof(perp_prescribed_velocity), 2, 2);
    index = which;
  }
};
struct gap : relation_of<perp_lagrangian_relation> {
  gap() {
    of = &mass.system;
    perp_lagrangian_scleronomous_init(this, sizeof(perp_lagrangian_relation), 1, 2);
    h = six;
  }
};
struct rate : relation_of<perp_lagrangian_velocity_relation> {
  rate() {
    of = &mass.system;
    perp_lagrangian_velocity_relation_init(this, sizeof(perp_lagrangian_velocity_relation), 1, 2);
    g = six;
  }
};
struct rubbing : relation_of<perp_lagrangian_contact_relation> {
  rubbing() {
    of = &mass.system;
    perp_lagrangian_contact_relation_init(this, sizeof(perp_lagrangian_contact_relation), 1, 2, 2);
    h = T = six;
  }
};
struct port : relation_of<perp_first_order_relation> {
  port() {
    of = &circuit.system;
    perp_first_order_relation_init(this, sizeof(perp_first_order_relation), 1, 2);
    h = g = six;
  }
};
struct varying : relation_of<perp_linear_varying_relation> {
  varying() {
    of = &circuit.system;
    perp_linear_varying_relation_init(this, sizeof(perp_linear_varying_relation), 1, 2);
    C = time_only;
  }
};

TEST(Sentences, Relations) {
  expect<hinge>({
      {"kind of interaction 0 = 99: must be one of the documented kinds",
       [](hinge &r) { r.kind = 99; }},
      {"relation.m of interaction 0 = 3: must be that of its kind, >= 1",
       [](hinge &r) { r.relation.m = 3; }},
      {"relation.n of interaction 0 = 7: must be the degrees of freedom of the systems it joins",
       [](hinge &r) { r.relation.n = 7; }},
      {"point_a of interaction 0 = nan: must be finite", [](hinge &r) { r.point_a[0] = nan; }},
      {"point_b of interaction 0 = nan: must be finite", [](hinge &r) { r.point_b[0] = nan; }},
      {"frame_a of interaction 0 is not three axes at right angles, of length 1",
       [](hinge &r) { r.frame_a[0] = 2; }},
      {"frame_b of interaction 0 is not three axes at right angles, of length 1",
       [](hinge &r) { r.frame_b[0] = 2; }},
      {"lead of interaction 0 = inf: must be finite", [](hinge &r) { r.lead = inf; }},
      {"systems of interaction 0 are of kinds that the relation does not join",
       [](hinge &r) { r.of = &r.mass.system; }},
      {"relation.n of interaction 0 = 12: must be the degrees of freedom of the systems it joins",
       [](hinge &r) { r.systems = 3; }},
  });
  expect<gears>({
      {"teeth_a of interaction 0 = 0: must be >= 1", [](gears &r) { r.teeth_a = 0; }},
      {"teeth_b of interaction 0 = 0: must not be 0", [](gears &r) { r.teeth_b = 0; }},
      {"frame_a of interaction 0 is not three axes at right angles, of length 1",
       [](gears &r) { r.frame_a[0] = 2; }},
      {"frame_b of interaction 0 is not three axes at right angles, of length 1",
       [](gears &r) { r.frame_b[0] = 2; }},
      {"carrier_a of interaction 0 is not three axes at right angles, of length 1",
       [](gears &r) { r.carrier_a[0] = 2; }},
      {"carrier_b of interaction 0 is not three axes at right angles, of length 1",
       [](gears &r) { r.carrier_b[0] = 2; }},
  });
  expect<angle>({
      {"use of interaction 0 = 99: must be one of PERP_COORDINATE_RATE ... PERP_COORDINATE_UPPER",
       [](angle &r) { r.use = 99; }},
      {"coordinate of interaction 0 = 99: must be PERP_COORDINATE_ANGLE or "
       "PERP_COORDINATE_TRANSLATION",
       [](angle &r) { r.coordinate = 99; }},
      {"joint of interaction 0 is missing", [](angle &r) { r.joint = nullptr; }},
      {"lower of interaction 0 = nan: must be finite", [](angle &r) { r.lower = nan; }},
      {"upper of interaction 0 = nan: must be finite", [](angle &r) { r.upper = nan; }},
      {"centre of interaction 0 = nan: must be finite", [](angle &r) { r.centre = nan; }},
      {"upper of interaction 0 = inf: must be finite",
       [](angle &r) { r.use = PERP_COORDINATE_UPPER, r.upper = inf; }},
  });
  expect<touch>({
      {"locate of interaction 0 is missing", [](touch &r) { r.locate = nullptr; }},
      {"relation.m of interaction 0 = 4: must be that of its kind, >= 1",
       [](touch &r) { r.relation.m = 4; }},
  });
  expect<motor>({
      {"index of interaction 0 = 0: must be given: different degrees of freedom of the system",
       [](motor &r) { r.index = nullptr; }},
      {"index of interaction 0 = 5: must be given: different degrees of freedom of the system",
       [](motor &r) { r.which[1] = 5; }},
      {"index of interaction 0 = 0: must be given: different degrees of freedom of the system",
       [](motor &r) { r.which[1] = 0; }},
      {"constant of interaction 0 = nan: must be finite", [](motor &r) { r.constant = &nan; }},
      {"n_harmonics of interaction 0 = -1: must be >= 0", [](motor &r) { r.n_harmonics = -1; }},
      {"harmonics of interaction 0 is missing", [](motor &r) { r.n_harmonics = 1; }},
  });
  expect<gap>({
      {"reads of interaction 0 = 1.07374182e9: must be bits that the kind documents",
       [](gap &r) { r.reads = 1u << 30; }},
      {"bodies of interaction 0 = 2: must be 0 or 1", [](gap &r) { r.bodies = 2; }},
      {"h of interaction 0 is missing", [](gap &r) { r.h = nullptr; }},
      {"H of interaction 0 is missing", [](gap &r) { r.bodies = 1; }},
      {"h_dt of interaction 0 needs PERP_GAP_READS_TIME among what h reads",
       [](gap &r) { r.h_dt = six; }},
      {"D of interaction 0 = 0: must be m x m, and of a relation that reads λ",
       [](gap &r) { r.D = six; }},
      {"bias of interaction 0 is for relations that do not read λ",
       [](gap &r) { r.reads = PERP_GAP_READS_LAMBDA, r.bias = six; }},
      {"typical_q of interaction 0 = nan: must be finite", [](gap &r) { r.typical_q = &nan; }},
      {"n_z of interaction 0 = -1: must be >= 0, and > 0 where F is given",
       [](gap &r) { r.n_z = -1; }},
  });
  expect<rate>({
      {"g of interaction 0 is missing", [](rate &r) { r.g = nullptr; }},
      {"bodies of interaction 0 = 2: must be 0 or 1", [](rate &r) { r.bodies = 2; }},
      {"typical_v of interaction 0 = nan: must be finite", [](rate &r) { r.typical_v = &nan; }},
  });
  expect<rubbing>({
      {"size of interaction 0 = 1: must be >= 1, and that of its kind",
       [](rubbing &r) { r.size = 1; }},
      {"h of interaction 0 is missing", [](rubbing &r) { r.h = nullptr; }},
      {"T of interaction 0 is missing", [](rubbing &r) { r.T = nullptr; }},
      {"G of interaction 0 is missing", [](rubbing &r) { r.bodies = 1; }},
  });
  expect<port>({
      {"reads of interaction 0 = 1.07374182e9: must be bits that the kind documents",
       [](port &r) { r.reads = 1u << 30; }},
      {"h of interaction 0 is missing", [](port &r) { r.h = nullptr; }},
      {"D of interaction 0 = 0: must be m x m, and of a relation that reads λ",
       [](port &r) { r.reads = 0, r.D = six; }},
      {"g of interaction 0 is missing", [](port &r) { r.g = nullptr, r.B = six; }},
      {"K of interaction 0 needs the size of its kind; of a reaction g and PERP_REACTION_READS_X, "
       "too",
       [](port &r) { r.reads = 0, r.K = six; }},
      {"typical_x of interaction 0 = nan: must be finite", [](port &r) { r.typical_x = &nan; }},
      {"typical_lambda of interaction 0 = nan: must be finite",
       [](port &r) { r.typical_lambda = &nan; }},
  });
  expect<varying>({
      {"C of interaction 0 is missing", [](varying &r) { r.C = nullptr; }},
      {"n_z of interaction 0 = 0: must be >= 0, and > 0 where F is given",
       [](varying &r) { r.F = time_only; }},
      {"e of interaction 0 = nan: must be finite", [](varying &r) { r.linear.e = &nan; }},
      {"a of interaction 0 = nan: must be finite", [](varying &r) { r.linear.a = &nan; }},
      {"B of interaction 0 = nan: must be finite", [](varying &r) { r.linear.B = &nan; }},
  });
}

// ------------------------------------------------------------------------------ builder ----

/** What is asked of a builder that holds one system, of order 2. */
struct building : built {
  perp_lagrangian_linear mass;
  double one = 1;
  perp_owner owner = PERP_OWNER_INIT;
  std::string answer = "nothing";
  building() {
    perp_lagrangian_linear_init(&mass, sizeof mass, 1);
    mass.M = perp_diagonal(1, &one);
    EXPECT_EQ(add(mass.system), "nothing");
  }
  void said_of(perp_status status) { answer = told(status, info); }
  std::string said() const { return answer; }
};

TEST(Sentences, Builders) {
  expect<building>({
      {"out is missing", [](building &b) { b.said_of(perp_builder_create(nullptr, &b.info)); }},
      {"from is missing",
       [](building &b) {
         perp_builder *to;
         b.said_of(perp_builder_copy(&to, nullptr, &b.info));
       }},
      {"builder is missing",
       [](building &b) { b.said_of(perp_builder_set_q(nullptr, 0, 1, &b.one, &b.info)); }},
      {"id = 3: must be a number that the builder gave",
       [](building &b) { b.said_of(perp_builder_set_q(b.b, 3, 1, &b.one, &b.info)); }},
      {"n of system 0 = 2: must be >= 0, and fit the blocks",
       [](building &b) { b.said_of(perp_builder_set_q(b.b, 0, 2, &b.one, &b.info)); }},
      {"q0 is missing",
       [](building &b) { b.said_of(perp_builder_set_q(b.b, 0, 1, nullptr, &b.info)); }},
      {"q0[0] = nan: must be finite",
       [](building &b) { b.said_of(perp_builder_set_q(b.b, 0, 1, &nan, &b.info)); }},
      {"order of system 0 = 2: must be that of the systems it goes with; of nsgs PERP_NSGS_FORWARD "
       "... PERP_NSGS_SHUFFLED, of events >= 0",
       [](building &b) { b.said_of(perp_builder_set_x(b.b, 0, 1, &b.one, &b.info)); }},
      {"system 1 is missing",
       [](building &b) { b.said_of(perp_builder_add(b.b, nullptr, nullptr, nullptr, &b.info)); }},
      {"owner.struct_size = 4: must be set by PERP_OWNER_INIT",
       [](building &b) {
         b.owner.struct_size = 4;
         b.said_of(perp_builder_add(b.b, &b.mass.system, &b.owner, nullptr, &b.info));
       }},
      {"owner.flags = 1.07374182e9: must be bits PERP_..._PARAMETERS that are documented",
       [](building &b) {
         b.owner.flags = 1u << 30;
         b.said_of(perp_builder_add(b.b, &b.mass.system, &b.owner, nullptr, &b.info));
       }},
      {"owner.key is missing",
       [](building &b) {
         b.owner.key_bytes = 1;
         b.said_of(perp_builder_add(b.b, &b.mass.system, &b.owner, nullptr, &b.info));
       }},
      {"owner.kept is missing",
       [](building &b) {
         b.owner.n_kept = 1;
         b.said_of(perp_builder_add(b.b, &b.mass.system, &b.owner, nullptr, &b.info));
       }},
      {"interaction is missing",
       [](building &b) {
         b.said_of(perp_builder_connect(b.b, nullptr, nullptr, nullptr, nullptr, &b.info));
       }},
      {"pool is missing",
       [](building &b) { b.said_of(perp_builder_pool(b.b, nullptr, nullptr, nullptr, &b.info)); }},
      {"name is missing",
       [](building &b) { b.said_of(perp_builder_set(b.b, "no option", 1, &b.info)); }},
  });
}

// ------------------------------------------------------------------------------- running ----

/** A simulation of a ball, and what is asked of it. */
struct running : ball {
  perp_simulation *sim = nullptr;
  perp_info info = PERP_INFO_INIT;
  std::string answer = "nothing";
  std::vector<unsigned char> sealed;
  std::vector<std::uint64_t> state;
  running() {
    o.steps = 2;
    EXPECT_EQ(perp_simulation_create(&sim, &m, &o, nullptr), PERP_OK);
    sealed.resize(perp_simulation_checkpoint_size(sim));
    EXPECT_EQ(perp_simulation_checkpoint(sim, sealed.data(), sealed.size(), nullptr), PERP_OK);
    state.resize(perp_simulation_state_size(&m, &o) / 8 + 1);
  }
  ~running() { perp_simulation_destroy(sim); }
  void said_of(perp_status status) { answer = told(status, info); }
  const double deep = -1;
  void set(std::int32_t first, std::int32_t n, const double *q, const double *v) {
    said_of(perp_simulation_set_state(sim, first, n, q, v, nullptr, &info));
  }
  void unseal(std::uint32_t accept = 0) {
    said_of(perp_simulation_unseal(&m, &o, sealed.data(), sealed.size(), accept, state.data(),
                                   8 * state.size(), &info));
  }
  std::string said() const { return answer; }
};

std::int32_t gives_up(perp_simulation *, void *) { return -7; }

TEST(Sentences, Runs) {
  expect<running>({
      {"sim is missing", [](running &r) { r.said_of(perp_simulation_step(nullptr, &r.info)); }},
      {"h = 0: must be > 0",
       [](running &r) { r.said_of(perp_simulation_advance(r.sim, 0, &r.info)); }},
      {"h = nan: must be finite",
       [](running &r) { r.said_of(perp_simulation_advance(r.sim, nan, &r.info)); }},
      {"steps = -1: must be >= 0; with a grid the points after its first; 0 needs an end",
       [](running &r) { r.said_of(perp_simulation_run(r.sim, -1, 1, nullptr, nullptr, &r.info)); }},
      {"until = nan: must be finite",
       [](running &r) {
         r.said_of(perp_simulation_run(r.sim, 1, nan, nullptr, nullptr, &r.info));
       }},
      {"observe = -7: the function gave up",
       [](running &r) { r.said_of(perp_simulation_run(r.sim, 0, 1, gives_up, nullptr, &r.info)); }},
      {"first = -1: must be the number of a system",
       [](running &r) { r.set(-1, 1, nullptr, nullptr); }},
      {"count = 3: must be >= 0, and those systems end with the model's last at most",
       [](running &r) { r.set(0, 3, nullptr, nullptr); }},
      {"q of system 1 = nan: must be finite", [](running &r) { r.set(1, 1, &nan, nullptr); }},
      {"v of system 0 = inf: must be finite", [](running &r) { r.set(0, 1, nullptr, &inf); }},
      {"gap of interaction 0 = -1: must be at least min_gap",
       [](running &r) { r.set(0, 1, &r.deep, nullptr); }},
      {"sealed is missing",
       [](running &r) { r.said_of(perp_simulation_checkpoint(r.sim, nullptr, 0, &r.info)); }},
      {"accept = 8: must be 0 or PERP_OTHER_GRID", [](running &r) { r.unseal(8); }},
      {"checkpoint.magic = 1.93602392e9: must be that of a checkpoint: these bytes are none",
       [](running &r) { r.sealed[0] ^= 1, r.unseal(); }},
      {"checkpoint.checksum is not that of its bytes: they have changed since it was written",
       [](running &r) { r.sealed.back() ^= 1, r.unseal(); }},
      {"checkpoint.model is another, or has other options: a constant, a size, an option",
       [](running &r) { r.bounce.e = 0.25, r.unseal(); }},
      {"checkpoint.grid = 0.02: must be the grid it was made on, or PERP_OTHER_GRID be accepted",
       [](running &r) { r.o.h = 0.02, r.unseal(); }},
      {"checkpoint.bytes = 9: must be as many as were written: the checkpoint is cut off",
       [](running &r) { r.sealed.resize(9), r.unseal(); }},
      {"out is missing",
       [](running &r) { r.said_of(perp_simulation_create(nullptr, &r.m, &r.o, &r.info)); }},
      {"state is missing",
       [](running &r) {
         perp_simulation *other = nullptr;
         r.said_of(perp_simulation_restore(&other, &r.m, &r.o, nullptr, 0, &r.info));
       }},
      {"state_bytes = 120: must be as many as perp_simulation_state_size() says",
       [](running &r) {
         perp_simulation *other = nullptr;
         r.said_of(perp_simulation_restore(&other, &r.m, &r.o, r.state.data(), 8 * r.state.size(),
                                           &r.info));
       }},
  });
}

// ------------------------------------------------------------------------------- events ----

/** The balls, by events. */
struct falling : ball {
  perp_event_options o = perp_event_options_default();
  perp_guard guard{};
  perp_schedule schedule{};
  double times[2] = {1, 2}, atols[4] = {1, 1, 1, 1};
  perp_event_observer observer{};
  double until = 0.1;
  const perp_event_options *options = &o;
  falling() {
    o.solver = perp_solver_auto();
    guard.value = [](const perp_event_state *, double *g, void *) -> std::int32_t {
      *g = 1;
      return 0;
    };
    observer.struct_size = sizeof observer;
  }
  std::string said() {
    perp_info info = PERP_INFO_INIT;
    perp_event_driven *sim = nullptr;
    perp_status status = perp_event_driven_create(&sim, model, options, &info);
    if (status == PERP_OK) status = perp_event_driven_run(sim, until, &observer, &info);
    perp_event_driven_destroy(sim);
    return status >= 0 ? "nothing" : told(status, info);
  }
};

TEST(Sentences, Events) {
  expect<falling>({
      {"options are missing", [](falling &b) { b.options = nullptr; }},
      {"rtol = 0: must be > 0", [](falling &b) { b.o.rtol = 0; }},
      {"atol = 0: must be > 0", [](falling &b) { b.o.atol = 0; }},
      {"contact_tol = 0: must be > 0", [](falling &b) { b.o.contact_tol = 0; }},
      {"velocity_tol = 0: must be > 0", [](falling &b) { b.o.velocity_tol = 0; }},
      {"min_gap = 1: must be a number, of events <= 0", [](falling &b) { b.o.min_gap = 1; }},
      {"zeno_tol = 0: must be > 0", [](falling &b) { b.o.zeno_tol = 0; }},
      {"storm_time = -1: must be >= 0", [](falling &b) { b.o.storm_time = -1; }},
      {"storm_events = 1: must be 2 ... 1000000", [](falling &b) { b.o.storm_events = 1; }},
      {"h_first = -1: must be >= 0 and finite", [](falling &b) { b.o.h_first = -1; }},
      {"h_max = -1: must be >= 0 and finite", [](falling &b) { b.o.h_max = -1; }},
      {"order = -1: must be that of the systems it goes with; of nsgs PERP_NSGS_FORWARD ... "
       "PERP_NSGS_SHUFFLED, of events >= 0",
       [](falling &b) { b.o.order = -1; }},
      {"max_steps = 0: must be >= 1", [](falling &b) { b.o.max_steps = 0; }},
      {"samples = -1: must be 0 ... 1000", [](falling &b) { b.o.samples = -1; }},
      {"linear = 9: must be one of PERP_LINEAR_...", [](falling &b) { b.o.linear = 9; }},
      {"impact = 9: must be PERP_IMPACT_LAW ... PERP_IMPACT_LZB",
       [](falling &b) { b.o.impact = 9; }},
      {"zeno = 9: must be PERP_ZENO_JUMP ... PERP_ZENO_STOP", [](falling &b) { b.o.zeno = 9; }},
      {"stepping is needed by PERP_ZENO_STEP", [](falling &b) { b.o.zeno = PERP_ZENO_STEP; }},
      {"n_guards = 1: must be >= 0, and 0 without guards or systems",
       [](falling &b) { b.o.n_guards = 1; }},
      {"n_schedules = 1: must be >= 0, and 0 without schedules",
       [](falling &b) { b.o.n_schedules = 1; }},
      {"t0 = nan: must be finite", [](falling &b) { b.o.t0 = nan; }},
      {"atols[1] = 0: must be > 0", [](falling &b) { b.o.atols = b.atols, b.atols[1] = 0; }},
      {"guards.value[0] is missing",
       [](falling &b) { b.o.guards = &b.guard, b.o.n_guards = 1, b.guard.value = nullptr; }},
      {"guards.direction[0] = 2: must be -1, 0 or 1",
       [](falling &b) { b.o.guards = &b.guard, b.o.n_guards = 1, b.guard.direction = 2; }},
      {"schedules.n_times[0] = 1: must be >= 0, and times given",
       [](falling &b) {
         b.o.schedules = &b.schedule, b.o.n_schedules = 1, b.schedule.n_times = 1;
       }},
      {"schedules.times[0] = 0: must increase",
       [](falling &b) {
         b.o.schedules = &b.schedule, b.o.n_schedules = 1, b.schedule.n_times = 2;
         b.schedule.times = b.times, b.times[1] = 0;
       }},
      {"schedules.period[0] = -1: must be >= 0 (0: once), and first finite",
       [](falling &b) {
         b.o.schedules = &b.schedule, b.o.n_schedules = 1, b.schedule.period = -1;
       }},
      {"initial gap of interaction 0 = -1: must be at least min_gap (or |y| at most |min_gap| of a "
       "joint) at the initial values",
       [](falling &b) { b.height[0] = -1; }},
      {"until = nan: must be finite", [](falling &b) { b.until = nan; }},
      {"until = -1: must not lie before the time of now", [](falling &b) { b.until = -1; }},
      {"observer is missing", [](falling &b) { b.observer.struct_size = 4; }},
      {"observer.every = -1: must be >= 0, and long enough for t + every to differ from t",
       [](falling &b) { b.observer.every = -1; }},
      {"observer.times[1] = 0: must increase",
       [](falling &b) { b.observer.times = b.times, b.observer.n_times = 2, b.times[1] = 0; }},
      {"observer.times[1] = nan: must be finite",
       [](falling &b) { b.observer.times = b.times, b.observer.n_times = 2, b.times[1] = nan; }},
  });
}

// ------------------------------------------------------------------------ what stands alone ----

/** An impact of two balls. */
struct clash {
  double W[4] = {1, 0, 0, 1}, ydot[2] = {-1, -1}, e[2] = {1, 1}, impulse[2] = {0, 0};
  double stiffness[2] = {1, 1}, work[1000] = {};
  const double *matrix = W, *rates = ydot, *law = e;
  double *answer = impulse;
  std::int32_t m = 2;
  perp_multiple_impact_options o = perp_multiple_impact_options_default();
  std::string said() {
    perp_info info = PERP_INFO_INIT;
    o.stiffness = stiffness;
    const perp_status status =
        perp_multiple_impact(m, matrix, rates, law, &o, answer, nullptr, work, sizeof work, &info);
    return told(status, info);
  }
};

TEST(Sentences, MultipleImpacts) {
  expect<clash>({
      {"m = -1: must be >= 0", [](clash &c) { c.m = -1; }},
      {"W is missing", [](clash &c) { c.matrix = nullptr; }},
      {"ydot is missing", [](clash &c) { c.rates = nullptr; }},
      {"e is missing", [](clash &c) { c.law = nullptr; }},
      {"impulse is missing", [](clash &c) { c.answer = nullptr; }},
      {"W[0] = nan: must be finite", [](clash &c) { c.W[0] = nan; }},
      {"W[0] = 0: must be regular, and symmetric where it is the Delassus matrix",
       [](clash &c) { c.W[0] = 0; }},
      {"W[2] = 0: must be regular, and symmetric where it is the Delassus matrix",
       [](clash &c) { c.W[1] = 0.5; }},
      {"ydot[1] = nan: must be finite", [](clash &c) { c.ydot[1] = nan; }},
      {"e[1] = nan: must be finite", [](clash &c) { c.e[1] = nan; }},
      {"e[1] = 2: must be between 0 and 1", [](clash &c) { c.e[1] = 2; }},
      {"stiffness[0] = nan: must be finite", [](clash &c) { c.stiffness[0] = nan; }},
      {"stiffness[0] = -1: must be > 0, and none 1e60 times another",
       [](clash &c) { c.stiffness[0] = -1; }},
      {"struct_size = 0: must be set by the initialiser of the struct",
       [](clash &c) { c.o.struct_size = 4; }},
      {"compliance = 9: must be one of PERP_STIFFNESS_...", [](clash &c) { c.o.compliance = 9; }},
      {"exponent = 0: must be > 0 and at most 16", [](clash &c) { c.o.exponent = 0; }},
      {"step = 0: must be >= 0, of impacts > 0 and at most 1", [](clash &c) { c.o.step = 0; }},
      {"tol = 0: must be >= 0, of impacts > 0 and at most 1", [](clash &c) { c.o.tol = 0; }},
      {"max_steps = 0: must be >= 1", [](clash &c) { c.o.max_steps = 0; }},
      {"reserved = 1: must be 0", [](clash &c) { c.o.reserved = 1; }},
  });
}

/** A quadratic program of one unknown. */
struct program {
  double P = 1, c = 1, low = 0, high = 1;
  perp_qp qp{};
  const perp_qp *given = &qp;
  program() {
    qp.n = 1;
    qp.P = perp_dense(1, 1, &P);
    qp.c = &c;
    qp.lower = &low;
    qp.upper = &high;
  }
  program(const program &) = delete;
  std::string said() const {
    perp_info info = PERP_INFO_INIT;
    const perp_status status = perp_qp_check(given, &info);
    return told(status, info);
  }
};

/** A graph of two points. */
struct graph {
  double y[2] = {0, 1}, lambda[2] = {1, 0};
  perp_piecewise_linear g{};
  const perp_piecewise_linear *given = &g;
  graph() {
    g.struct_size = sizeof g;
    g.points = 2;
    g.y = y;
    g.lambda = lambda;
  }
  graph(const graph &) = delete;
  std::string said() const {
    perp_info info = PERP_INFO_INIT;
    const perp_status status = perp_piecewise_linear_check(given, &info);
    return told(status, info);
  }
};

TEST(Sentences, ProgramsAndGraphs) {
  expect<program>({
      {"qp is missing", [](program &p) { p.given = nullptr; }},
      {"n = -1: must be >= 0, and fit the blocks", [](program &p) { p.qp.n = -1; }},
      {"m = -1: must be >= 0", [](program &p) { p.qp.m = -1; }},
      {"c is missing", [](program &p) { p.qp.c = nullptr; }},
      {"lower[0] = 2: must not be above upper", [](program &p) { p.low = 2; }},
      {"lower[0] = nan: must be finite", [](program &p) { p.low = nan; }},
      {"upper[0] = nan: must be finite", [](program &p) { p.high = nan; }},
  });
  expect<graph>({
      {"graph is missing", [](graph &g) { g.given = nullptr; }},
      {"graph.struct_size = 4: must be set by its initialiser",
       [](graph &g) { g.g.struct_size = 4; }},
      {"points = 0: must be >= 1, and fit the relation", [](graph &g) { g.g.points = 0; }},
      {"y is missing", [](graph &g) { g.g.y = nullptr; }},
      {"lambda is missing", [](graph &g) { g.g.lambda = nullptr; }},
      {"y[1] = nan: must be finite", [](graph &g) { g.y[1] = nan; }},
      {"lambda[1] = nan: must be finite", [](graph &g) { g.lambda[1] = nan; }},
      {"y[1] = -1: must increase along a graph", [](graph &g) { g.y[1] = -1; }},
      {"lambda[1] = 2: must not increase along a graph", [](graph &g) { g.lambda[1] = 2; }},
  });
}

/** A law of a user's own, with its table. */
struct own_law {
  perp_complementarity c;
  perp_law_ops ops;
  const perp_law *given = &c.law;
  own_law() {
    perp_complementarity_init(&c, sizeof c);
    ops = *c.law.ops;
    c.law.ops = &ops;
  }
  own_law(const own_law &) = delete;
  std::string said() const {
    perp_info info = PERP_INFO_INIT;
    const perp_status status = perp_law_check(given, &info);
    return told(status, info);
  }
};

TEST(Sentences, LawsOfOnesOwn) {
  expect<own_law>({
      {"law is missing", [](own_law &l) { l.given = nullptr; }},
      {"ops is missing", [](own_law &l) { l.c.law.ops = nullptr; }},
      {"ops = 4: must have the struct_size and the functions that its set asks for",
       [](own_law &l) { l.ops.struct_size = 4; }},
      {"set = 99: must be one of PERP_SET_...", [](own_law &l) { l.ops.set = 99; }},
      {"unilateral = 2: must be 0 or 1", [](own_law &l) { l.ops.unilateral = 2; }},
      {"bounded = 2: must be 0 or 1", [](own_law &l) { l.ops.bounded = 2; }},
      {"bounds are needed by a law of a box",
       [](own_law &l) { l.ops.set = PERP_SET_BOX, l.ops.bounds = nullptr; }},
      {"project is missing",
       [](own_law &l) {
         l.ops.set = PERP_SET_OTHER, l.ops.project = nullptr, l.ops.project_with = nullptr;
       }},
      {"state_init is missing",
       [](own_law &l) { l.ops.state_bytes = [](const perp_law *) -> std::size_t { return 8; }; }},
  });
}

/** The balls with a pool of contacts. */
struct pooled : ball {
  perp_contact_pool pool = PERP_CONTACT_POOL_INIT;
  perp_friction rubs;
  const perp_law *laws[1] = {&rubs.law};
  rigid one_body;
  const perp_system *only[1] = {&one_body.system};
  double pose[7] = {0, 0, 1, 1, 0, 0, 0};
  pooled() {
    m.systems = only;
    m.n_systems = 1;
    m.n_interactions = 0;
    m.q0 = pose;
    perp_friction_init(&rubs, sizeof rubs);
    rubs.law.size = 3;
    pool.capacity = 2;
    pool.laws = laws;
    pool.n_laws = 1;
    pool.find = [](double, const perp_simulation *, perp_pool_writer *, void *) -> std::int32_t {
      return 0;
    };
    m.pool = &pool;
  }
  void joined() { m.systems = systems, m.n_systems = 2, m.n_interactions = 1, m.q0 = height; }
  void global() { o.formulation = PERP_FORMULATION_GLOBAL, o.solver = perp_solver_nsgs(); }
};

TEST(Sentences, Pools) {
  expect<pooled>({
      {"pool.struct_size = 4: must be set by PERP_CONTACT_POOL_INIT",
       [](pooled &p) { p.pool.struct_size = 4; }},
      {"pool.capacity = 0: must be >= 1", [](pooled &p) { p.pool.capacity = 0; }},
      {"pool.max_per_system = -1: must be >= 0 (0: no bound)",
       [](pooled &p) { p.pool.max_per_system = -1; }},
      {"pool.plane = 2: must be 0 or 1", [](pooled &p) { p.pool.plane = 2; }},
      {"pool.n_laws = 0: must be >= 1", [](pooled &p) { p.pool.n_laws = 0; }},
      {"pool.laws are missing", [](pooled &p) { p.pool.laws = nullptr; }},
      {"pool.laws[0] is missing", [](pooled &p) { p.laws[0] = nullptr; }},
      {"pool.find is missing", [](pooled &p) { p.pool.find = nullptr; }},
      {"mu of pool.laws[0] = -1: must be >= 0", [](pooled &p) { p.rubs.mu = -1; }},
      {"pool.laws[0].size = 4: must be that of laws of contacts in the plane or in space",
       [](pooled &p) {
         p.rubs.law.size = 2, p.laws[0] = &p.equality.law, p.equality.law.size = 4;
       }},
      {"pool.laws[0] is of friction, which lemke does not take: take auto",
       [](pooled &p) { p.o.solver = perp_solver_lemke(); }},
      {"combined projection of a pool is not possible in global form: projection must be "
       "positions, "
       "or formulation reduced",
       [](pooled &p) { p.global(), p.o.projection = PERP_PROJECT_COMBINED; }},
      {"pool.laws[0] in global form is neither impact of size 1 nor friction of size 3, in the "
       "plane 2, "
       "without a state",
       [](pooled &p) { p.global(), p.rubs.law.size = 2; }},
      {"pool is not possible here: event-driven integration and schemes on positions have no pool",
       [](pooled &p) { p.o.integrator = perp_integrator_moreau_jean_constant(); }},
      {"pool.find = -3: the function gave up",
       [](pooled &p) {
         p.pool.find = [](double, const perp_simulation *, perp_pool_writer *,
                          void *) -> std::int32_t { return -3; };
       }},
      {"q0 of body 0: norm 2, must be 1 (a quaternion)", [](pooled &p) { p.pose[3] = 2; }},
      {"q0 of body 0 = nan: must be finite", [](pooled &p) { p.pose[3] = nan; }},
  });
}

/** How a run ends, in words. */
struct ended : running {
  perp_status status = PERP_OK;
  std::string said() const {
    char text[512];
    (void)perp_simulation_ending(sim, status, &info, 0, text, sizeof text);
    return text;
  }
};

TEST(Sentences, Endings) {
  ended e;
  EXPECT_EQ(e.said(), "not ended: 0 steps, t = 0");
  e.status = perp_simulation_step(e.sim, &e.info);
  EXPECT_EQ(e.said(), "not ended: 1 step, t = 0.01");
  e.status = perp_simulation_run(
      e.sim, 0, inf, [](perp_simulation *, void *) -> std::int32_t { return 1; }, nullptr, &e.info);
  EXPECT_EQ(e.said(), "stopped: 2 steps, t = 0.02");
  e.status = perp_simulation_step(e.sim, &e.info);
  EXPECT_EQ(e.said(), "finished: 2 steps, t = 0.02");
  e.status = perp_simulation_advance(e.sim, -1, &e.info);
  EXPECT_EQ(e.said(), "failed in step 3 at t = 0.02: h = -1: must be > 0");
}

}  // namespace
}  // namespace sentences
