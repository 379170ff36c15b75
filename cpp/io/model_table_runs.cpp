// SPDX-License-Identifier: MIT
#include "io/model_keys.hpp"

namespace perp::io {

using namespace keys;

namespace {

std::vector<key> solver_keys() {
  using O = perp_solver_options;
  return {integer(FIELD(O, max_iter), "iterations allowed; 0: the solver's own rule", "0").from(0),
          number(FIELD(O, tol), "accepted relative residual", "1e-10").from(0),
          number(FIELD(O, budget), "multiply-adds allowed; 0: the solver's own rule", "0").from(0)};
}

const void *sparse(std::int32_t which) {
  return which == 1 ? perp_sparse_klu() : which == 2 ? perp_sparse_ldl() : nullptr;
}
key factorises(const char *name, std::size_t at) {
  return option(name, at, {{"none", 0}, {"klu", 1}, {"ldl", 2}}, "who factorises sparse matrices")
      .points(sparse);
}
const void *backend(std::int32_t which) { return which == 1 ? perp_backend_lapack() : nullptr; }
const void *global(std::int32_t which) { return which == 1 ? perp_global_step() : nullptr; }
const void *smooth(std::int32_t which) {
  const perp_smooth *(*const all[])() = {perp_smooth_runge_kutta, perp_smooth_adams,
                                         perp_smooth_bdf, perp_smooth_arkode, perp_smooth_ida};
  return all[which]();
}

}  // namespace

void add_solvers(std::vector<kind> *all) {
  const auto add = [all](const char *name, const description &of, const char *says,
                         std::vector<key> keys) {
    all->push_back(make("solver", name, of, says, joined(solver_keys(), std::move(keys))));
  };
  add("auto", PLAIN(perp_auto_options), "chooses among the solvers",
      {truth(FIELD(perp_auto_options, allocate), "KLU and LDL may be called").otherwise("true")});
  add("lemke", PLAIN(perp_lemke_options), "Lemke's pivoting", {});
  using S = perp_active_set_options;
  add("active-set", PLAIN(perp_active_set_options), "active set",
      {number(FIELD(S, proximal), "of the proximal loop", "1e-6").more_than(0)});
  using I = perp_interior_point_options;
  add("interior-point", PLAIN(perp_interior_point_options), "interior point",
      {integer(FIELD(I, correctors), "a step may try", "2").from(0).to(4),
       truth(FIELD(I, crossover), "finish by solving the active set").otherwise("true"),
       factorises(FIELD(I, sparse))});
  using N = perp_newton_options;
  const auto newton = [] {
    return std::vector<key>{integer(FIELD(N, history), "merits looked back on", "5").from(1).to(16),
                            integer(FIELD(N, restarts), "starts tried", "30").from(0)};
  };
  add("newton-fb", PLAIN(perp_newton_options), "Newton's method on the Fischer-Burmeister function",
      newton());
  add("newton-min", PLAIN(perp_newton_options), "Newton's method on the minimum function",
      newton());
  using C = perp_cpg_options;
  add("cpg", PLAIN(perp_cpg_options), "conjugate projected gradients",
      {number(FIELD(C, proportion), "when bounds are released", "0.5").more_than(0)});
  using F = perp_friction_newton_options;
  add("friction-newton", PLAIN(perp_friction_newton_options), "nonsmooth Newton for friction",
      {option(FIELD(F, function),
              {{"natural", PERP_FRICTION_NATURAL},
               {"alart_curnier", PERP_FRICTION_ALART_CURNIER},
               {"jean_moreau", PERP_FRICTION_JEAN_MOREAU}},
              "whose zero is looked for")
           .otherwise("alart_curnier"),
       option(FIELD(F, search),
              {{"watchdog", PERP_SEARCH_WATCHDOG},
               {"nonmonotone", PERP_SEARCH_NONMONOTONE},
               {"goldstein_price", PERP_SEARCH_GOLDSTEIN_PRICE},
               {"none", PERP_SEARCH_NONE}},
              "line search"),
       integer(FIELD(F, history), "steps looked back on", "6").from(1).to(16),
       integer(FIELD(F, sweeps), "before the first step", "10").from(0),
       number(FIELD(F, proximal), "largest proximal parameter", "1").from(0),
       factorises(FIELD(F, sparse))});
  using P = perp_pgs_options;
  add("pgs", PLAIN(perp_pgs_options), "projected Gauss-Seidel",
      {number(FIELD(P, omega), "relaxation", "1").more_than(0).to(2),
       number(FIELD(P, regularisation), "of the proximal loop", "0").from(0),
       truth(FIELD(P, symmetric), "every second sweep goes backward"),
       integer(FIELD(P, check), "sweeps between two looks at the residual", "5").from(1)});
  using A = perp_admm_options;
  add("admm", PLAIN(perp_admm_options), "ADMM",
      {number(FIELD(A, rho), "first penalty", "0.3").more_than(0),
       number(FIELD(A, relaxation), "1: none", "1").more_than(0).to(2),
       integer(FIELD(A, memory), "of the acceleration", "10").from(0).to(30),
       integer(FIELD(A, updates), "times the penalty may change", "20").from(0),
       truth(FIELD(A, outer), "De Saxce's term is kept until the convex problem is solved"),
       factorises(FIELD(A, sparse))});
  using B = perp_box_pivoting_options;
  add("box-pivoting", PLAIN(perp_box_pivoting_options), "pivoting for bounds",
      {number(FIELD(B, proximal), "of the proximal loop", "1e-6").more_than(0)});
  add("avi-pivoting", PLAIN(perp_avi_pivoting_options), "pivoting for polyhedra",
      {named("engine", "engine", holds::name, {}, "solver of the box form")
           .otherwise("box-pivoting")});
  using K = perp_block_pivoting_options;
  add("block-pivoting", PLAIN(perp_block_pivoting_options), "block pivoting",
      {number(FIELD(K, proximal), "of the proximal loop", "1e-6").more_than(0),
       integer(FIELD(K, patience), "exchanges before single ones", "5").from(0)});
  add("murty", PLAIN(perp_solver_options), "Murty's least index", {});
  using V = perp_vi_options;
  const auto vi = [] {
    return std::vector<key>{
        number(FIELD(V, step), "first step; 0: from differences", "0").from(0),
        number(FIELD(V, ratio), "of the rule for steps", "0.9").more_than(0).to(1),
        number(FIELD(V, shrink), "of a step that fails", "0.6666666666666666").more_than(0).to(1),
        number(FIELD(V, grow), "of an easy step", "1.5").from(1)};
  };
  add("extragradient", PLAIN(perp_vi_options), "extragradient", vi());
  add("fixed-point", PLAIN(perp_vi_options), "fixed point", vi());
  using T = perp_friction_interior_options;
  add("friction-interior", PLAIN(perp_friction_interior_options), "interior point for friction",
      {option(
           FIELD(T, coupling),
           {{"newton", PERP_FRICTION_INTERIOR_NEWTON}, {"lagged", PERP_FRICTION_INTERIOR_LAGGED}},
           "how De Saxce's term follows"),
       truth(FIELD(T, crossover), "finish by Newton's method").otherwise("true"),
       factorises(FIELD(T, sparse))});
  add("friction-lemke", PLAIN(perp_solver_options), "pivoting for friction", {});
  add("enumeration", PLAIN(perp_solver_options), "all modes in turn", {});
  using G = perp_nsgs_options;
  const auto nsgs = [] {
    return std::vector<key>{
        number(FIELD(G, omega), "relaxation", "1").more_than(0).to(2),
        number(FIELD(G, regularisation), "of the proximal loop", "0").from(0),
        option(FIELD(G, order),
               {{"forward", PERP_NSGS_FORWARD},
                {"symmetric", PERP_NSGS_SYMMETRIC},
                {"shuffled", PERP_NSGS_SHUFFLED}},
               "of the contacts in a sweep"),
        option(FIELD(G, acceleration),
               {{"plain", PERP_NSGS_PLAIN},
                {"anderson", PERP_NSGS_ANDERSON},
                {"momentum", PERP_NSGS_MOMENTUM}},
               "of the sweeps")
            .otherwise("anderson"),
        integer(FIELD(G, depth), "of Anderson's acceleration", "5").from(1),
        integer(FIELD(G, freeze), "sweeps for which a contact at rest is left out", "0").from(0),
        integer(FIELD(G, check), "sweeps between two looks", "10").from(1),
        truth(FIELD(G, colours), "contacts ordered by colours")};
  };
  add("nsgs", PLAIN(perp_nsgs_options), "nonsmooth Gauss-Seidel", nsgs());
  add("nsgs-small", PLAIN(perp_solver_options), "nonsmooth Gauss-Seidel without acceleration", {});
}

void add_simulation(std::vector<kind> *all) {
  using O = perp_simulation_options;
  all->push_back(make(
      "simulation", "simulation", PLAIN(perp_simulation_options), "time-stepping",
      {number(FIELD(O, h), "step length").in("s").more_than(0),
       own("until", holds::number, "last time").in("s"),
       integer(FIELD(O, steps), "steps of the grid; 0: no end", "0").from(0),
       number(FIELD(O, t0), "first time", "0").in("s"),
       array(FIELD(O, grid), "increasing times of the steps, in place of h", "steps + 1").in("s"),
       scheme(FIELD(O, integrator), "without it moreau_jean, at order 1 theta"),
       number(FIELD(O, theta), "weight of the end of a step", "0.5").from(0).to(1),
       number(FIELD(O, gamma), "prediction of the gap", "0.5").from(0).to(2),
       number(FIELD(O, reaction_gamma), "of the theta-gamma schemes", "1").from(0).to(1),
       number(FIELD(O, min_gap), "smallest gap at the start", "-1e-3"),
       number(FIELD(O, gap_tol), "acts where the predicted gap is at most that", "0").from(0),
       named("solver", "solver", holds::table, {},
             "of the one-step problems: a name, or a table with name and its options")
           .otherwise("auto"),
       option(FIELD(O, backend), {{"own", 0}, {"lapack", 1}}, "of large dense systems")
           .points(backend),
       factorises(FIELD(O, sparse)),
       option(FIELD(O, global), {{"none", 0}, {"admm", 1}}, "who solves problems in global form")
           .points(global),
       option(FIELD(O, formulation),
              {{"reduced", PERP_FORMULATION_REDUCED},
               {"global", PERP_FORMULATION_GLOBAL},
               {"auto", PERP_FORMULATION_AUTO}},
              "form of the one-step problems"),
       option(FIELD(O, on_failure),
              {{"stop", PERP_FAILURE_STOP},
               {"retry", PERP_FAILURE_RETRY},
               {"accept", PERP_FAILURE_ACCEPT}},
              "what a step does that is not solved"),
       integer(FIELD(O, max_halvings), "for retry", "4").from(0).to(20),
       number(FIELD(O, accept_tol), "for accept", "1e-2").from(0).or_infinite(),
       option(FIELD(O, newton_stop),
              {{"residual", PERP_NEWTON_RESIDUAL},
               {"dynamics", PERP_NEWTON_DYNAMICS},
               {"fixed", PERP_NEWTON_FIXED}},
              "when Newton's iteration ends"),
       option(FIELD(O, newton_start),
              {{"current", PERP_NEWTON_FROM_CURRENT}, {"position", PERP_NEWTON_FROM_POSITION}},
              "where it starts"),
       integer(FIELD(O, newton_max), "iterations of one step", "50").from(1),
       integer(FIELD(O, newton_halvings), "of its line search", "8").from(0),
       number(FIELD(O, newton_tol), "of its defect", "1e-10").more_than(0),
       option(FIELD(O, projection),
              {{"none", PERP_PROJECT_NONE},
               {"positions", PERP_PROJECT_POSITIONS},
               {"combined", PERP_PROJECT_COMBINED}},
              "what is done about drift"),
       integer(FIELD(O, projection_max), "passes of one step", "20").from(1),
       number(FIELD(O, projection_tol), "largest error left of an equality", "1e-8").more_than(0),
       number(FIELD(O, projection_tol_unilateral), "largest penetration left", "1e-8").more_than(0),
       number(FIELD(O, equality_tol), "by how much equalities that contradict may be missed",
              "1e-3")
           .from(0),
       truth(FIELD(O, switchable), "systems may be switched off"),
       number(FIELD(O, speed_tol),
              "of contacts of a pool: 0.1 g h, 0.01 g h, or what is left of a velocity; 0: tol")
           .from(0)
           .one_of({{"pile", static_cast<std::int32_t>(PERP_SPEED_PILE)},
                    {"stack", static_cast<std::int32_t>(PERP_SPEED_STACK)}}),
       number(FIELD(O, sleep_energy), "with a pool: less of it per mass is rest; 0: none sleep",
              "0")
           .in("J/kg")
           .from(0),
       number(FIELD(O, sleep_time), "of rest, after which systems sleep", "0.5")
           .in("s")
           .more_than(0)}));
}

void add_events(std::vector<kind> *all) {
  using O = perp_event_options;
  all->push_back(make(
      "events", "events", PLAIN(perp_event_options),
      "event-driven integration, in place of simulation",
      {own("until", holds::number, "last time").in("s").must(),
       own("every", holds::number, "distance of outputs").in("s").more_than(0),
       number(FIELD(O, t0), "first time", "0").in("s"),
       option(FIELD(O, smooth),
              {{"runge_kutta", 0}, {"adams", 1}, {"bdf", 2}, {"arkode", 3}, {"ida", 4}},
              "integrator of the smooth motion")
           .points(smooth),
       integer(FIELD(O, order), "highest order; 0: its own", "0").from(0),
       number(FIELD(O, rtol), "relative tolerance", "1e-10").more_than(0),
       number(FIELD(O, atol), "absolute tolerance", "1e-12").more_than(0),
       array(FIELD(O, atols), "absolute ones: all q, all v, all x", "state").more_than(0),
       option(FIELD(O, linear),
              {{"auto", PERP_LINEAR_AUTO},
               {"dense", PERP_LINEAR_DENSE},
               {"banded", PERP_LINEAR_BANDED},
               {"sparse", PERP_LINEAR_SPARSE}},
              "matrix of implicit methods"),
       integer(FIELD(O, max_steps), "between two events or outputs", "100000").from(1),
       number(FIELD(O, h_first), "first step; 0: its own choice", "0").in("s").from(0),
       number(FIELD(O, h_max), "longest step; 0: none", "0").in("s").from(0),
       number(FIELD(O, contact_tol), "gap at which a contact is closed", "1e-10").more_than(0),
       number(FIELD(O, min_gap), "smallest gap at the start", "-1e-6").to(0),
       number(FIELD(O, velocity_tol), "speed at which a contact is at rest", "1e-10").more_than(0),
       option(
           FIELD(O, impact),
           {{"law", PERP_IMPACT_LAW}, {"poisson", PERP_IMPACT_POISSON}, {"lzb", PERP_IMPACT_LZB}},
           "which law an impact obeys"),
       entry(FIELD(O, lzb), holds::part, "of impacts by Liu, Zhao and Brogliato").holding("lzb"),
       option(FIELD(O, zeno),
              {{"jump", PERP_ZENO_JUMP}, {"step", PERP_ZENO_STEP}, {"stop", PERP_ZENO_STOP}},
              "what happens where impacts accumulate"),
       named("stepping", "stepping", holds::table, {}, "for zeno = step: as the table simulation"),
       number(FIELD(O, zeno_tol), "largest excursion cut off", "1e-13").more_than(0),
       integer(FIELD(O, storm_events), "so many events ...", "1000").from(2),
       number(FIELD(O, storm_time), "... in less than this end the run", "1e-6")
           .in("s")
           .more_than(0),
       integer(FIELD(O, samples), "points of a step at which forces are looked at", "4").from(0),
       named("solver", "solver", holds::table, {},
             "of the problems at events: a name, or a table with name and its options")
           .otherwise("auto")}));
}

void add_parts(std::vector<kind> *all) {
  using C = perp_control;
  key u = function(FIELD(C, u), signature::state, "t q v x z", "control u(t, q, v)", "n_u").must();
  u.derived(FIELD(C, u_dq), "q").derived(FIELD(C, u_dv), "v");
  u.length = "n_u", u.length_offset = offsetof(C, n_u);
  all->push_back(make("part", "control", PLAIN(perp_control),
                      "control T(q) u(t, q, v), at order 1 T(x) u(t, x)",
                      {u, array(FIELD(C, T), "constant T, by rows; or effect gives it", "n", "n_u"),
                       function(FIELD(C, effect), signature::state, "q x z",
                                "T(q) or T(x), by rows", "n", "n_u")}));
  using M = perp_multiple_impact_options;
  all->push_back(make(
      "part", "lzb", PLAIN(perp_multiple_impact_options), "impacts by springs",
      {option(FIELD(M, compliance), {{"bi", PERP_STIFFNESS_BI}, {"mono", PERP_STIFFNESS_MONO}},
              "springs in compression and expansion"),
       number(FIELD(M, exponent), "of force and compression; 1.5: Hertz", "1").more_than(0).to(16),
       number(FIELD(M, step), "longest step, relative", "0.5").more_than(0).to(1),
       number(FIELD(M, tol), "of the error of a step", "1e-12").more_than(0),
       integer(FIELD(M, max_steps), "allowed", "10000000").from(1),
       array(FIELD(M, stiffness), "of all rows of all interactions; only ratios matter", "rows")
           .more_than(0)}));
  key systems = named("systems", "systems", holds::names, {},
                      "names: \"ball\", \"bead[i + 1]\"; or one name");
  systems.must().length = "n_systems";
  all->push_back(
      make("part", "interaction", PLAIN(perp_interaction),
           "a relation, a law, and the systems they join",
           {repeat_key(), systems,
            named("relation", "relation", holds::table, {},
                  "a table with kind, or the name of one of [relations]")
                .must(),
            named("law", "law", holds::table, {}, "a table with kind, or the name of one of [laws]")
                .must()}));
  const auto choose = [](const char *name, std::vector<choice> choices, const char *says) {
    return named("", name, holds::option, choices, says).otherwise(choices.front().name);
  };
  kind table;
  table.group = "part", table.name = "table";
  table.says = "a function of one number that expressions call as NAME(x): columns of a CSV file";
  table.keys = {
      own("file", holds::name, "below the folder of the model; , ; or tabs, # begins a comment")
          .must(),
      own("x", holds::name,
          "column that increases, by its name in the first line, or \"0\", \"1\" "
          "...; without it the first"),
      own("y", holds::name, "column of values; without it the second"),
      choose("between", {{"linear", 0}, {"cubic", 1}}, "points: lines, or a natural cubic spline"),
      choose("outside", {{"refuse", 0}, {"clamp", 1}},
             "of all x: not a number, which ends the run, or the value at the end")};
  all->push_back(table);
  using P = perp_contact_pool;
  key laws =
      named("laws", "laws", holds::names, {}, "names of [laws], which contacts count from 0");
  laws.must().length = "n_laws";
  key finds = named("find", "find", holds::name, {},
                    "what finds the contacts of a step: perp_find_fn of a plug-in, or of Python");
  finds.must().called = signature::find;
  key z = array("", nowhere, "parameters for find", "n_z").as("z");
  all->push_back(make(
      "part", "pool", PLAIN(perp_contact_pool), "contacts that come and go, found in each step",
      {integer(FIELD(P, capacity), "contacts at a time").from(1).must(),
       integer(FIELD(P, max_per_system), "contacts of one system; 0: capacity", "0").from(0),
       truth(FIELD(P, plane), "systems and contacts are in the plane"), laws, finds, z}));
  using V = perp_guard;
  const std::vector<key> what = {
      named("reset", "reset", holds::resets, {},
            "states and what they become, as { \"ball.v[0]\" = \"-ball.v[0]\" }, all at once"),
      own("stop", holds::truth, "the run ends after it").otherwise("false")};
  all->push_back(make(
      "part", "guard", PLAIN(perp_guard),
      "an event of [events]; expressions read t and NAME.q, NAME.v, NAME.x of systems; of those "
      "that are repeated NAME[3].q, NAME[i + 1].q",
      joined({repeat_key(),
              named("value", "value", holds::expression, {}, "whose zeros are events").must(),
              option(FIELD(V, direction), {{"both", 0}, {"rising", 1}, {"falling", -1}},
                     "in which it passes 0")},
             what)));
  using S = perp_schedule;
  key times = array(FIELD(S, times), "increasing", "n_times").in("s");
  times.length = "n_times", times.length_offset = offsetof(S, n_times);
  all->push_back(make(
      "part", "schedule", PLAIN(perp_schedule),
      "times known beforehand at which states are reset: samples of a controller. [events] ends a "
      "step at each from t0 on; [simulation] has each at the first end of a step, or start, at it "
      "or "
      "behind it (within 1e-6 h), those within one step at once; behind the last step there is "
      "none",
      joined({repeat_key(), times, number(FIELD(S, first), "first time, in place of times").in("s"),
              number(FIELD(S, period), "from each to the next; 0: once", "0").in("s").from(0)},
             what)));
}

}  // namespace perp::io
