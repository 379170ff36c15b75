/* SPDX-License-Identifier: MIT */
/* Programs that know less of a struct than the library, or more: every struct with a struct_size is
 * given with other sizes. An older program (a smaller struct) gets defaults for what it does not
 * know, and what lies behind its struct is neither read nor written; a newer one (a larger struct)
 * is served as long as what the library does not know is 0. The memory behind is poison. */
#include <stdio.h>
#include <string.h>

#include "perp/perp.h"

enum { POISON = 0xee, ROOM = 1024, MORE = 16 };

static int wrong;
#define CHECK(condition, what)                                                       \
  do {                                                                               \
    if (!(condition)) {                                                              \
      (void)printf("%s:%d: %s: not so: %s\n", __FILE__, __LINE__, what, #condition); \
      wrong = 1;                                                                     \
    }                                                                                \
  } while (0)

/* A struct, and what lies behind it. */
typedef union block {
  unsigned char bytes[ROOM];
  double aligned;
  void *pointer;
} block;

static block poisoned(const void *content, size_t size) {
  block b;
  memset(&b, POISON, sizeof b);
  if (size > 0) memcpy(b.bytes, content, size);
  return b;
}

/* What stands there of a caller who declares so many bytes, of which those beyond size are filler.
 */
static block declared(const void *content, size_t size, uint32_t declares, unsigned char filler) {
  block b = poisoned(content, size < declares ? size : declares);
  for (size_t i = size; i < declares; i++) b.bytes[i] = filler;
  memcpy(b.bytes, &declares, sizeof declares);
  return b;
}

static int untouched(const block *b, size_t from) {
  for (size_t i = from; i < sizeof b->bytes; i++)
    if (b->bytes[i] != POISON) return 0;
  return 1;
}

/* ---- every _init function: an older, the same, a newer program ---- */

#define SOLVERS(X)                        \
  X(active_set, active_set)               \
  X(admm, admm)                           \
  X(auto, auto)                           \
  X(avi_pivoting, avi_pivoting)           \
  X(block_pivoting, block_pivoting)       \
  X(box_pivoting, box_pivoting)           \
  X(cpg, cpg)                             \
  X(friction_interior, friction_interior) \
  X(friction_newton, friction_newton)     \
  X(pgs, pgs)                             \
  X(interior_point, interior_point)       \
  X(lemke, lemke)                         \
  X(newton, newton_fb)                    \
  X(nsgs, nsgs)                           \
  X(solver, murty)                        \
  X(vi, fixed_point)
#define OTHERS(X) \
  X(event, 0)     \
  X(global, 0)    \
  X(log, 0)       \
  X(mcp, 0)       \
  X(multiple_impact, 0) X(sensitivity, 0) X(simulation, 0)

#define WRAP(name, solver) \
  static void init_##name(void *opts, size_t size) { perp_##name##_options_init(opts, size); }
SOLVERS(WRAP)
OTHERS(WRAP)
#undef WRAP

static void check_init(const char *what, void (*init)(void *opts, size_t size), size_t size) {
  block ours = poisoned(NULL, 0);
  uint32_t told;
  init(&ours, size);
  CHECK(untouched(&ours, size), what);
  for (size_t theirs = 8; theirs < size + MORE; theirs += 4) {
    block b = poisoned(NULL, 0);
    init(&b, theirs);
    memcpy(&told, b.bytes, sizeof told);
    CHECK(told == theirs && untouched(&b, theirs), what);
    CHECK(memcmp(b.bytes + 4, ours.bytes + 4, (theirs < size ? theirs : size) - 4) == 0, what);
    for (size_t i = size; i < theirs; i++) CHECK(b.bytes[i] == 0, what);
  }
}

static void check_inits(void) {
#define INIT(name, solver) check_init(#name, init_##name, sizeof(perp_##name##_options));
  SOLVERS(INIT)
  OTHERS(INIT)
#undef INIT
}

/* ---- options of solvers ---- */

typedef struct answer {
  perp_status status;
  int32_t iterations;
  double lambda[2], y[2];
} answer;

/* The problem as so many bytes, of which those that the library does not know are filler. */
static answer solve_declared(const perp_solver *solver, const void *options, uint32_t declares,
                             unsigned char filler) {
  static const double M[] = {2, 1, 1, 2}, q[] = {-5, -6};
  static double work[20000];
  perp_complementarity law;
  const perp_law *const laws[] = {&law.law};
  const int32_t offset[] = {0, 2};
  const perp_problem known = perp_problem_of(perp_dense(2, 2, M), q, 1, laws, offset);
  const block problem = declared(&known, sizeof known, declares, filler);
  perp_info info = PERP_INFO_INIT;
  answer a;
  memset(&a, 0, sizeof a);
  (void)perp_complementarity_init(&law, sizeof law);
  a.status = perp_solver_solve(solver, (const void *)&problem, options, a.lambda, a.y, NULL, work,
                               sizeof work, &info);
  a.iterations = info.iterations;
  return a;
}

static answer solve(const perp_solver *solver, const void *options) {
  return solve_declared(solver, options, (uint32_t)sizeof(perp_problem), 0);
}

static int same(answer a, answer b) {
  return a.status == b.status && a.iterations == b.iterations &&
         memcmp(a.lambda, b.lambda, sizeof a.lambda) == 0;
}

static void check_solver(const perp_solver *s, void (*init)(void *opts, size_t size), size_t size) {
  const answer defaults = solve(s, NULL);
  block full = poisoned(NULL, 0);
  init(&full, size);
  CHECK(defaults.status == PERP_OK, s->name);
  CHECK(same(solve(s, &full), defaults), s->name);
  for (uint32_t theirs = (uint32_t)sizeof(perp_solver_options); theirs < size; theirs += 8) {
    const block older = declared(full.bytes, size, theirs, 0);
    CHECK(same(solve(s, &older), defaults), s->name);
  }
  const block newer = declared(full.bytes, size, (uint32_t)size + MORE, 0);
  const block unknown = declared(full.bytes, size, (uint32_t)size + MORE, 1);
  const block short_of = declared(full.bytes, size, (uint32_t)sizeof(perp_solver_options) - 8, 0);
  CHECK(same(solve(s, &newer), defaults), s->name);
  CHECK(solve(s, &unknown).status == PERP_EINVAL, s->name);
  CHECK(solve(s, &short_of).status == PERP_EINVAL, s->name);
  /* the same of the problem, which needs all that it had in its first release */
  const uint32_t known = (uint32_t)sizeof(perp_problem);
  CHECK(same(solve_declared(s, NULL, known + MORE, 0), defaults), s->name);
  CHECK(solve_declared(s, NULL, known + MORE, 1).status == PERP_EINVAL, s->name);
  CHECK(solve_declared(s, NULL, known - 8, 0).status == PERP_EINVAL, s->name);
  CHECK(solve_declared(s, NULL, 0, 0).status == PERP_EINVAL, s->name);
}

static void check_solvers(void) {
#define SOLVE(name, solver) \
  check_solver(perp_solver_##solver(), init_##name, sizeof(perp_##name##_options));
  SOLVERS(SOLVE)
#undef SOLVE
}

/* ---- other options, and what is handed over by an initialiser: how a call takes it ---- */

static perp_lagrangian_linear ball;
static const perp_system *const systems[] = {&ball.system};

static perp_model free_ball(void) {
  static const double mass[] = {1};
  perp_model model = PERP_MODEL_INIT;
  (void)perp_lagrangian_linear_init(&ball, sizeof ball, 1);
  ball.M = perp_diagonal(1, mass);
  model.n_systems = 1;
  model.systems = systems;
  return model;
}

static perp_status take_simulation(const void *given) {
  static double state[100], work[2000];
  const perp_model model = free_ball();
  perp_simulation *sim;
  return perp_simulation_init(&sim, &model, given, state, sizeof state, work, sizeof work, NULL);
}

static perp_status take_model(const void *given) {
  static double state[100], work[2000];
  perp_simulation_options options = perp_simulation_options_default();
  perp_simulation *sim;
  options.h = 0.1;
  options.integrator = perp_integrator_moreau_jean();
  (void)free_ball();
  return perp_simulation_init(&sim, given, &options, state, sizeof state, work, sizeof work, NULL);
}

static perp_status take_event(const void *given) {
  const perp_model model = free_ball();
  perp_event_driven *sim = NULL;
  const perp_status status = perp_event_driven_create(&sim, &model, given, NULL);
  perp_event_driven_destroy(sim);
  return status;
}

static perp_status take_observer(const void *given) {
  const perp_model model = free_ball();
  const perp_event_options options = perp_event_options_default();
  perp_event_driven *sim = NULL;
  perp_status status = perp_event_driven_create(&sim, &model, &options, NULL);
  if (status == PERP_OK) status = perp_event_driven_run(sim, 0.1, given, NULL);
  perp_event_driven_destroy(sim);
  return status;
}

static perp_status take_multiple_impact(const void *given) {
  static const double W[] = {1}, ydot[] = {-1}, e[] = {0.5};
  static double work[200];
  double impulse[1];
  return perp_multiple_impact(1, W, ydot, e, given, impulse, NULL, work, sizeof work, NULL);
}

static int32_t identity(const double *z, double *F, void *user) {
  (void)user;
  F[0] = z[0] - 1;
  return 0;
}

static perp_status take_mcp(const void *given) {
  static const double lower[] = {0}, upper[] = {10};
  static double work[2000];
  const perp_mcp p = {1, 0, identity, NULL, {0}, lower, upper, NULL};
  double z[1] = {0}, F[1];
  return perp_mcp_solve(&p, given, z, F, work, sizeof work, NULL);
}

static perp_status take_sensitivity(const void *given) {
  static const double M[] = {2}, q[] = {-1}, lambda[] = {0.5};
  static double work[500];
  perp_complementarity law;
  const perp_law *const laws[] = {&law.law};
  const perp_problem problem = perp_problem_of(perp_dense(1, 1, M), q, 1, laws, NULL);
  perp_sensitivity s;
  (void)perp_complementarity_init(&law, sizeof law);
  return perp_sensitivity_prepare(&s, &problem, lambda, given, work, sizeof work, NULL);
}

/* u = v, 1 v = -1 + r. */
static perp_global_problem one_of_each(const perp_law *const *laws) {
  static const double M[] = {1}, H[] = {1}, q[] = {-1}, b[] = {0};
  perp_global_problem problem = PERP_GLOBAL_PROBLEM_INIT;
  problem.M = perp_dense(1, 1, M);
  problem.H = perp_dense(1, 1, H);
  problem.q = q;
  problem.b = b;
  problem.m = problem.n = problem.n_blocks = 1;
  problem.laws = laws;
  return problem;
}

static perp_status take_global(const void *given) {
  static double work[2000];
  perp_complementarity law;
  const perp_law *const laws[] = {&law.law};
  const perp_global_problem problem = one_of_each(laws);
  double v[1], r[1] = {0}, u[1];
  (void)perp_complementarity_init(&law, sizeof law);
  return perp_global_solve(&problem, given, v, r, u, NULL, work, sizeof work, NULL);
}

static perp_status take_solver(const void *given) { return solve(given, NULL).status; }

static perp_status take_graph(const void *given) {
  return perp_piecewise_linear_check(given, NULL);
}

static perp_status take_law(const void *given) {
  const perp_law law = {given, (uint32_t)sizeof law, 1};
  return perp_law_check(&law, NULL);
}

static void segment(const perp_law *law, const void *state, const double *x, double *p) {
  (void)law, (void)state;
  p[0] = x[0] > 1 ? 1 : x[0] < -1 ? -1 : x[0];
}

/* The residual asks a law that is no interval whether its set is bounded. */
static perp_status take_law_ops(const void *given) {
  static const double M[] = {1}, q[] = {-1}, lambda[] = {1};
  static double work[200];
  double y[1];
  const perp_law law = {given, (uint32_t)sizeof law, 1};
  const perp_law *const laws[] = {&law};
  const perp_problem problem = perp_problem_of(perp_dense(1, 1, M), q, 1, laws, NULL);
  perp_residual residual = PERP_RESIDUAL_INIT;
  return perp_problem_residual(&problem, lambda, y, &residual, work, sizeof work);
}

static int32_t no_contacts(double t, const perp_simulation *sim, perp_pool_writer *out,
                           void *user) {
  (void)t, (void)sim, (void)out, (void)user;
  return 0;
}

static perp_status take_pool(const void *given) {
  static const double mass[] = {1, 1, 1};
  perp_model model = free_ball();
  (void)perp_lagrangian_linear_init(&ball, sizeof ball, 3);
  ball.M = perp_diagonal(3, mass);
  model.pool = given;
  return perp_model_check(&model, NULL);
}

static perp_status take_owner(const void *given) {
  perp_builder *builder = NULL;
  (void)free_ball();
  perp_status status = perp_builder_create(&builder, NULL);
  if (status == PERP_OK) status = perp_builder_add(builder, &ball.system, given, NULL, NULL);
  perp_builder_destroy(builder);
  return status;
}

/* Of several owners each says its own size. */
static perp_status take_owner_of_law(const void *given) {
  perp_newton_impact law;
  const perp_law *const laws[] = {&law.law, &law.law};
  const perp_owner *const owners[] = {given, given};
  perp_contact_pool pool = PERP_CONTACT_POOL_INIT;
  perp_builder *builder = NULL;
  (void)perp_newton_impact_init(&law, sizeof law);
  pool.capacity = 1;
  pool.n_laws = 2;
  pool.laws = laws;
  pool.find = no_contacts;
  perp_status status = perp_builder_create(&builder, NULL);
  if (status == PERP_OK) status = perp_builder_pool(builder, &pool, NULL, owners, NULL);
  perp_builder_destroy(builder);
  return status;
}

static perp_status take_backend(const void *given) {
  perp_simulation_options options = perp_simulation_options_default();
  options.h = 0.1;
  options.integrator = perp_integrator_moreau_jean();
  options.backend = given;
  return take_simulation(&options);
}

static perp_status take_sparse(const void *given) {
  perp_simulation_options options = perp_simulation_options_default();
  options.h = 0.1;
  options.integrator = perp_integrator_moreau_jean();
  options.sparse = given;
  return take_simulation(&options);
}

static perp_status take_step_solver(const void *given) {
  perp_simulation_options options = perp_simulation_options_default();
  options.h = 0.1;
  options.integrator = perp_integrator_moreau_jean();
  options.formulation = PERP_FORMULATION_GLOBAL;
  options.global = given;
  return take_simulation(&options);
}

static const char *const log_path = "struct_size.log";

static perp_status take_log_schema(const void *given) {
  perp_log *log = NULL;
  const perp_log_event event = {1, PERP_EVENT_IMPACT, -1, -1, -1, -1, 0, 0, 1, NULL};
  perp_status status = perp_log_create(&log, log_path, given, NULL, NULL);
  if (status == PERP_OK) status = perp_log_add_event(log, &event, NULL);
  const perp_status closed = perp_log_close(log, NULL);
  return status != PERP_OK ? status : closed;
}

static void check_taken(const char *what, perp_status (*take)(const void *given),
                        const void *content, size_t size) {
  const block newer = declared(content, size, (uint32_t)size + MORE, 0);
  const block older = declared(content, size, (uint32_t)size - MORE, 0);
  CHECK(take(content) == PERP_OK, what);
  CHECK(take(&newer) == PERP_OK, what);
  CHECK(take(&older) == PERP_EINVAL, what); /* no release has had so little */
}

static void check_law_ops(void) {
  perp_law_ops ops;
  memset(&ops, 0, sizeof ops);
  ops.struct_size = (uint32_t)sizeof ops;
  ops.set = PERP_SET_OTHER;
  ops.name = "segment";
  ops.project = segment;
  const block older = declared(&ops, sizeof ops, (uint32_t)offsetof(perp_law_ops, is_bounded), 0);
  const block old = declared(&ops, sizeof ops, (uint32_t)offsetof(perp_law_ops, local_within), 0);
  check_taken("law_ops of a residual", take_law_ops, &ops, offsetof(perp_law_ops, local_within));
  CHECK(take_law_ops(&older) == PERP_OK, "law_ops without is_bounded");
  CHECK(take_law_ops(&old) == PERP_OK, "law_ops without local_within");
}

static void check_input(void) {
  static const double y[] = {0}, lambda[] = {0};
  perp_simulation_options simulation = perp_simulation_options_default();
  const perp_event_options event = perp_event_options_default();
  const perp_event_observer observer = PERP_EVENT_OBSERVER_INIT;
  const perp_multiple_impact_options multiple = perp_multiple_impact_options_default();
  const perp_mcp_options mcp = perp_mcp_options_default();
  perp_sensitivity_options sensitivity;
  perp_global_options global = perp_global_options_default();
  perp_piecewise_linear graph = PERP_PIECEWISE_LINEAR_INIT;
  perp_contact_pool pool = PERP_CONTACT_POOL_INIT;
  const perp_owner owner = PERP_OWNER_INIT;
  const perp_model model = free_ball();
  perp_newton_impact law;
  const perp_law *const laws[] = {&law.law};
  perp_sensitivity_options_init(&sensitivity, sizeof sensitivity);
  simulation.h = 0.1;
  simulation.integrator = perp_integrator_moreau_jean();
  global.solver = perp_solver_lemke();
  graph.points = 1;
  graph.y = y;
  graph.lambda = lambda;
  (void)perp_newton_impact_init(&law, sizeof law);
  pool.capacity = pool.n_laws = 1;
  pool.laws = laws;
  pool.find = no_contacts;
  perp_equality equality;
  (void)perp_equality_init(&equality, sizeof equality);
  check_taken("simulation_options", take_simulation, &simulation,
              offsetof(perp_simulation_options, speed_tol));
  check_taken("event_options", take_event, &event, sizeof event);
  check_taken("event_observer", take_observer, &observer, sizeof observer);
  check_taken("multiple_impact_options", take_multiple_impact, &multiple, sizeof multiple);
  check_taken("mcp_options", take_mcp, &mcp, sizeof mcp);
  check_taken("sensitivity_options", take_sensitivity, &sensitivity, sizeof sensitivity);
  check_taken("global_options", take_global, &global, sizeof global);
  check_taken("model", take_model, &model, sizeof model);
  check_taken("piecewise_linear", take_graph, &graph, sizeof graph);
  check_taken("contact_pool", take_pool, &pool, sizeof pool);
  check_taken("owner", take_owner, &owner, sizeof owner);
  check_taken("owner of a law", take_owner_of_law, &owner, sizeof owner);
  check_taken("solver", take_solver, perp_solver_lemke(), sizeof(perp_solver));
  check_taken("law_ops", take_law, equality.law.ops, offsetof(perp_law_ops, local_within));
  check_taken("backend", take_backend, perp_backend_lapack(), sizeof(perp_backend));
  check_taken("sparse", take_sparse, perp_sparse_klu(), offsetof(perp_sparse, analyse));
  check_taken("step_solver", take_step_solver, perp_global_step(), sizeof(perp_step_solver));
  const perp_log_schema schema = PERP_LOG_SCHEMA_INIT;
  check_taken("log_schema", take_log_schema, &schema, sizeof schema);
}

/* ---- what the library fills ---- */

static perp_status fill_report(void *out) {
  static double state[100], work[2000];
  perp_simulation_options options = perp_simulation_options_default();
  const perp_model model = free_ball();
  perp_simulation *sim;
  options.h = 0.1;
  options.integrator = perp_integrator_moreau_jean();
  if (perp_simulation_init(&sim, &model, &options, state, sizeof state, work, sizeof work, NULL) !=
      PERP_OK)
    return PERP_EBACKEND;
  return perp_simulation_report(sim, out);
}

/* A ball on the floor, whose contact acts. */
static perp_status fill_island(void *out) {
  static const double one[] = {1}, weight[] = {-1};
  static const int32_t joined[] = {0};
  static double state[100], work[2000];
  perp_simulation_options options = perp_simulation_options_default();
  perp_model model = free_ball();
  perp_lagrangian_linear_relation touch;
  perp_newton_impact law;
  const perp_interaction floor = {&touch.relation, &law.law, joined, 1, 0};
  const perp_interaction *const interactions[] = {&floor};
  perp_simulation *sim;
  (void)perp_lagrangian_linear_relation_init(&touch, sizeof touch, 1, 1);
  (void)perp_newton_impact_init(&law, sizeof law);
  touch.H = one;
  ball.f = weight;
  model.n_interactions = 1;
  model.interactions = interactions;
  options.h = 0.1;
  options.integrator = perp_integrator_moreau_jean();
  options.solver = perp_solver_lemke();
  if (perp_simulation_init(&sim, &model, &options, state, sizeof state, work, sizeof work, NULL) !=
          PERP_OK ||
      perp_simulation_step(sim, NULL) != PERP_OK)
    return PERP_EBACKEND;
  return perp_simulation_problem(sim, 0, out, NULL);
}

static perp_status fill_condensed(void *out) {
  static double work[2000];
  static perp_complementarity law;
  static const perp_law *const laws[] = {&law.law};
  const perp_global_problem problem = one_of_each(laws);
  (void)perp_complementarity_init(&law, sizeof law);
  return perp_global_condense(&problem, NULL, out, work, sizeof work, NULL);
}

static perp_status fill_event_report(void *out) {
  const perp_model model = free_ball();
  const perp_event_options options = perp_event_options_default();
  perp_event_driven *sim = NULL;
  perp_status status = perp_event_driven_create(&sim, &model, &options, NULL);
  if (status == PERP_OK) status = perp_event_driven_report(sim, out);
  perp_event_driven_destroy(sim);
  return status;
}

static perp_status fill_verdict(void *out) {
  static double work[200];
  const double y[] = {0}, lambda[] = {1};
  perp_complementarity law;
  (void)perp_complementarity_init(&law, sizeof law);
  return perp_law_verify(&law.law, NULL, y, lambda, out, work, sizeof work);
}

static perp_status fill_residual(void *out) {
  static const double M[] = {2}, q[] = {-1}, lambda[] = {0.25};
  static double work[200];
  double y[1];
  perp_complementarity law;
  const perp_law *const laws[] = {&law.law};
  const perp_problem problem = perp_problem_of(perp_dense(1, 1, M), q, 1, laws, NULL);
  (void)perp_complementarity_init(&law, sizeof law);
  const perp_status status = perp_problem_residual(&problem, lambda, y, out, work, sizeof work);
  if (status == PERP_OK) CHECK(perp_residual_solved(out, 1) == 0, "residual"); /* r > hat / 100 */
  return status;
}

static perp_status fill_global_parts(void *out) {
  static const double v[] = {0.5}, r[] = {0.5};
  static double work[200];
  double u[1];
  perp_complementarity law;
  const perp_law *const laws[] = {&law.law};
  const perp_global_problem problem = one_of_each(laws);
  (void)perp_complementarity_init(&law, sizeof law);
  return perp_global_residual(&problem, v, r, u, out, work, sizeof work);
}

static perp_status fill_qp_residual(void *out) {
  static const double P[] = {1}, c[] = {-1}, x[] = {0.5}, zeta[] = {0};
  static double work[200];
  perp_qp qp;
  memset(&qp, 0, sizeof qp);
  qp.n = 1;
  qp.P = perp_dense(1, 1, P);
  qp.c = c;
  return perp_qp_judge(&qp, x, NULL, zeta, out, work, sizeof work);
}

static perp_status fill_derivatives(void *out) {
  static double work[2000];
  static const double zero[] = {0};
  const perp_model model = free_ball();
  return perp_model_check_derivatives(&model, 0, zero, zero, NULL, NULL, 1e-6, work, sizeof work,
                                      out);
}

static int32_t visit(const double *z, const double *w, void *user) {
  (void)z, (void)w, (void)user;
  return 0;
}

static perp_status fill_enumeration(void *out) {
  static const double M[] = {1}, q[] = {-1};
  static double work[2000];
  const perp_lcp p = {1, 1, M, q};
  return perp_lcp_enumerate(&p, NULL, visit, NULL, out, work, sizeof work, NULL);
}

static perp_status fill_info(void *out) {
  perp_lcp bad = {-1, 0, NULL, NULL};
  double z[1], w[1], work[1];
  return perp_lcp_lemke(&bad, NULL, z, w, work, sizeof work, out) == PERP_EINVAL ? PERP_OK
                                                                                 : PERP_EBACKEND;
}

/* Of the log that check_input() has left. */
static perp_status fill_log_summary(void *out) {
  perp_log_reader *reader = NULL;
  perp_status status = perp_log_reader_open(&reader, log_path, NULL);
  if (status == PERP_OK) status = perp_log_reader_summary(reader, out);
  perp_log_reader_close(reader);
  return status;
}

static perp_status fill_log_record(void *out) {
  perp_log_reader *reader = NULL;
  perp_status status = perp_log_reader_open(&reader, log_path, NULL);
  if (status == PERP_OK) status = perp_log_reader_next(reader, 1U << PERP_LOG_EVENTS, out, NULL);
  perp_log_reader_close(reader);
  return status;
}

/* older_size: of a struct of before the first release, which is refused where that tells. */
static void check_filled_since(const char *what, perp_status (*fill)(void *out), size_t size,
                               size_t older_size, int refuses) {
  static const double zeros[ROOM / sizeof(double)];
  block same_size = declared(zeros, size, (uint32_t)size, 0);
  block newer = declared(zeros, size, (uint32_t)size + MORE, 0);
  block older = declared(zeros, size, (uint32_t)older_size, 0);
  const block before = older;
  CHECK(fill(&same_size) == PERP_OK && untouched(&same_size, size), what);
  CHECK(fill(&newer) == PERP_OK && untouched(&newer, size + MORE), what);
  uint32_t told;
  memcpy(&told, newer.bytes, sizeof told);
  CHECK(told == size + MORE, what);
  CHECK(memcmp(newer.bytes + 4, same_size.bytes + 4, size - 4) == 0, what);
  for (size_t i = size; i < size + MORE; i++) CHECK(newer.bytes[i] == 0, what);
  CHECK(fill(&older) == (refuses ? PERP_EINVAL : PERP_OK), what);
  CHECK(memcmp(&older, &before, sizeof older) == 0, what);
}

static void check_filled(const char *what, perp_status (*fill)(void *out), size_t size,
                         int refuses) {
  check_filled_since(what, fill, size, size - MORE, refuses);
}

static void check_output(void) {
  check_filled_since("report", fill_report, sizeof(perp_report), offsetof(perp_report, dropped), 1);
  check_filled("problem of an island", fill_island, sizeof(perp_problem), 1);
  check_filled("condensed problem", fill_condensed, sizeof(perp_problem), 1);
  check_filled("event_report", fill_event_report, sizeof(perp_event_report), 1);
  check_filled("law_verdict", fill_verdict, sizeof(perp_law_verdict), 1);
  check_filled("residual", fill_residual, sizeof(perp_residual), 1);
  check_filled("global_parts", fill_global_parts, sizeof(perp_global_parts), 1);
  check_filled("qp_residual", fill_qp_residual, sizeof(perp_qp_residual), 1);
  check_filled("enumeration_report", fill_enumeration, sizeof(perp_enumeration_report), 0);
  check_filled("derivative_report", fill_derivatives, sizeof(perp_derivative_report), 1);
  check_filled("info", fill_info, sizeof(perp_info), 0);
  check_filled("log_summary", fill_log_summary, sizeof(perp_log_summary), 1);
  check_filled("log_record", fill_log_record, sizeof(perp_log_record), 1);
  (void)remove(log_path);
}

int main(void) {
  check_inits();
  check_solvers();
  check_law_ops();
  check_input();
  check_output();
  if (wrong == 0) (void)puts("programs of other ages are served");
  return wrong;
}
