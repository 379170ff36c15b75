/* SPDX-License-Identifier: MIT */
/* Nonlinear mixed complementarity: arguments, memory, and the loop over starts and major
 * iterations.
 *
 * A start that comes to a point where nothing descends, or has used up half of the iterations that
 * are left, is followed by the next of a fixed list; the best point of all is kept. */
#include "perp/mcp.h"

#include <string.h>

#include "base/arena.h"
#include "base/finite.h"
#include "base/info.h"
#include "base/overlap.h"
#include "problem/residual_lcp.h"
#include "solver/mcp.h"
#include "solver/solver_options.h"

/* --- options -------------------------------------------------------------------------------------
 */

enum { MAX_ITER = 500, RESTARTS = 5 };

static const perp_mcp_options defaults = {.struct_size = (uint32_t)sizeof(perp_mcp_options),
                                          .max_iter = 0,
                                          .tol = PERP_DEFAULT_TOL,
                                          .mode = PERP_MCP_PATH,
                                          .crash = 10,
                                          .restarts = RESTARTS,
                                          .memory = 8,
                                          .watchdog = 3,
                                          .decrease = 1e-4};

void perp_mcp_options_init(perp_mcp_options *opts, size_t size) {
  perp_options_fill(opts, size, &defaults, sizeof defaults);
}

static const option_range ranges[] = {
    {FIELD(perp_mcp_options, max_iter), OPTION_INT, 0, INT32_MAX},
    {FIELD(perp_mcp_options, tol), OPTION_CLOSED, 0, (double)INFINITY},
    {FIELD(perp_mcp_options, budget), OPTION_CLOSED, 0, (double)INFINITY},
    {FIELD(perp_mcp_options, mode), OPTION_INT, PERP_MCP_PATH, PERP_MCP_JOSEPHY_NEWTON},
    {FIELD(perp_mcp_options, max_pivots), OPTION_INT, 0, INT32_MAX},
    {FIELD(perp_mcp_options, crash), OPTION_INT, 0, INT32_MAX},
    {FIELD(perp_mcp_options, restarts), OPTION_INT, 0, RESTARTS},
    {FIELD(perp_mcp_options, memory), OPTION_INT, 1, MERITS_MOST},
    {FIELD(perp_mcp_options, watchdog), OPTION_INT, 0, INT32_MAX},
    {FIELD(perp_mcp_options, decrease), OPTION_OPEN, 0, 1},
    {0}};

static perp_status read_options(perp_mcp_options *o, const perp_mcp_options *in, perp_info *info) {
  *o = defaults;
  if (perp_options_read(o, sizeof *o, in, PERP_THROUGH(perp_mcp_options, decrease)) != PERP_OK)
    return fail_field(info, "struct_size", -1);
  return perp_options_in_range(ranges, o, info);
}

/* --- arguments -----------------------------------------------------------------------------------
 */

static perp_status check_layout(const perp_mcp *p, perp_info *info) {
  perp_matrix layout = p->layout;
  const double present = 0;
  if (p->jacobian == NULL) return PERP_OK;
  const int sparse = layout.kind == PERP_BLOCKS && layout.offset == NULL;
  if (layout.kind != PERP_DENSE && !sparse) return fail(info, PERP_EINVAL, "kind", -1, layout.kind);
  if (layout.rows != p->n) return fail(info, PERP_EINVAL, "rows", -1, layout.rows);
  if (layout.cols != p->n) return fail(info, PERP_EINVAL, "cols", -1, layout.cols);
  layout.values = &present;
  return perp_matrix_check(&layout, info);
}

static perp_status check_bounds(const perp_mcp *p, perp_info *info) {
  perp_box law;
  (void)perp_box_init(&law, sizeof law);
  law.law.size = p->n;
  law.lower = p->lower;
  law.upper = p->upper;
  return p->n > 0 ? law.law.ops->check(&law.law, info) : PERP_OK;
}

static perp_status check_problem(const perp_mcp *p, perp_info *info) {
  if (p == NULL) return fail_field(info, "problem", -1);
  if (p->n < 0) return fail(info, PERP_EINVAL, "n", -1, p->n);
  if (p->n > 0 && p->function == NULL) return fail_field(info, "function", -1);
  const perp_status status = check_bounds(p, info);
  return status == PERP_OK ? check_layout(p, info) : status;
}

static perp_status check_arrays(const perp_mcp *p, const double *z, const double *F,
                                perp_info *info) {
  if (p->n > 0 && z == NULL) return fail_field(info, "z", -1);
  if (p->n > 0 && F == NULL) return fail_field(info, "F", -1);
  if (overlap(z, F, p->n)) return fail_field(info, "F overlaps z", -1);
  return fail_not_finite(info, "z", (size_t)p->n, z);
}

/* --- memory --------------------------------------------------------------------------------------
 */

static void carve(mcp *m, arena *a, const perp_mcp *p) {
  double **vectors[] = {&m->z,       &m->F,      &m->next,   &m->next_F, &m->probe,
                        &m->probe_F, &m->q,      &m->newton, &m->from,   &m->mark,
                        &m->best,    &m->best_F, &m->R,      &m->C,      NULL};
  const size_t n = (size_t)p->n;
  memset(m, 0, sizeof *m);
  m->n = p->n;
  m->problem = p;
  perp_box_path_carve(&m->path, a, p->n);
  m->J = p->jacobian == NULL ? perp_dense(p->n, p->n, NULL) : p->layout;
  const int sparse = m->J.kind == PERP_BLOCKS;
  m->entries = sparse ? arena_take(a, (size_t)m->J.start[n], sizeof(double))
                      : arena_take(a, (size_t)m->J.ld, n * sizeof(double));
  m->scratch = arena_take(a, residual_scratch_doubles(p->n), sizeof(double));
  arena_take_doubles(a, n, vectors);
  m->modes = arena_take(a, n, 1);
  m->J.values = m->entries;
}

size_t perp_mcp_workspace(const perp_mcp *problem, const perp_mcp_options *opts) {
  perp_mcp_options o;
  mcp m;
  if (check_problem(problem, NULL) != PERP_OK || read_options(&o, opts, NULL) != PERP_OK) return 0;
  arena a = arena_measure();
  if ((size_t)problem->n > SIZE_MAX / sizeof(double)) return 0;
  carve(&m, &a, problem);
  return arena_bytes(&a);
}

/* The linearisation as the path sees it, and as the residual does. */
static void prepare(mcp *m) {
  const perp_mcp *p = m->problem;
  const box_data data = {&m->J, m->q, p->lower, p->upper, NULL, 0};
  const session run = {.common = (const void *)&m->o,
                       .max_iter = m->o.max_iter > 0 ? m->o.max_iter : MAX_ITER,
                       .budget = m->o.budget > 0 ? m->o.budget : perp_solver_budget(m->n)};
  m->run = run;
  m->limit = GO_ON;
  m->data = data;
  m->o.max_pivots = pivot_limit(m->o.max_pivots, m->n);
  if (m->o.mode != PERP_MCP_PATH) m->o.crash = m->o.restarts = 0;
  m->linear = box_form_problem(&m->law, PERP_SET_BOX, m->J, m->q, p->lower, p->upper);
  m->best_judged.relative = (double)INFINITY;
  m->best_judged.residual = (double)INFINITY;
  m->best_judged.worst = -1;
}

/* --- starts --------------------------------------------------------------------------------------
 */

enum { USERS, INSIDE, SPREAD, BEST };

typedef struct start {
  int place;
  int crash;    /* whether projected Newton steps come first */
  int careful;  /* whether every step has to descend         */
  double shift; /* least σ of the proximal term              */
} start;

static const start starts[RESTARTS + 1] = {{USERS, 1, 0, 0},  {USERS, 0, 1, 0},
                                           {INSIDE, 1, 0, 0}, {USERS, 0, 0, 1e-2},
                                           {SPREAD, 1, 0, 0}, {BEST, 0, 1, 1e-4}};

/* One unit inside the bounds, or in the middle. */
static double inside(double z, double l, double u) {
  if (l < -DBL_MAX && u > DBL_MAX) return z;
  if (u > DBL_MAX) return l + 1;
  if (l < -DBL_MAX) return u - 1;
  return u - l > 2 ? l + 1 : l + (u - l) / 2;
}

static void place(mcp *m, int where, const double *given) {
  for (int32_t i = 0; i < m->n; i++) {
    const double z = given[i];
    m->z[i] = z;
    if (where == INSIDE) m->z[i] = inside(z, m->problem->lower[i], m->problem->upper[i]);
    /* the multiples of the golden section, less whole numbers, lie evenly in [0, 1) */
    const double g = 0.6180339887498949 * (double)(i % 100000 + 1), part = g - (double)(int32_t)g;
    if (where == SPREAD) m->z[i] = z + (1 + fabs(z)) * (4 * part - 2);
    if (where == BEST) m->z[i] = m->best[i];
  }
}

/* Evaluate the start, set the units, take the first steps. */
static int begin(mcp *m, const start *s, const double *given) {
  if (s->place == BEST && !(m->best_judged.relative <= DBL_MAX)) return MCP_REFUSED;
  place(m, s->place, given);
  const int code = perp_mcp_begin(m);
  if (code != MCP_DONE) return code;
  m->merits.count = m->provisional = m->gradient_steps = 0;
  m->memory = s->careful ? 1 : m->o.memory;
  m->watchdog = s->careful ? 0 : m->o.watchdog;
  m->shift = s->shift;
  return s->crash && !perp_mcp_judge(m) ? perp_mcp_crash(m) : MCP_DONE;
}

/* So often in a row a point may run to infinity along a residual that vanishes there, by chance;
 * and the merit stay above SLOW times its least value. */
enum { ESCAPES = 3, PATIENCE = 15 };
#define SLOW 0.9

/* GO_ON: this start leads nowhere. */
static perp_status iterate(mcp *m, const start *s, const double *given, int32_t last) {
  const int code = begin(m, s, given);
  int32_t escapes = 0, slow = 0;
  double least = m->merit;
  if (code == MCP_GIVE_UP) return PERP_ECALLBACK;
  if (code == MCP_REFUSED) return m->not_finite ? PERP_ENOTFINITE : PERP_RETRY;
  for (;;) {
    const int solves = perp_mcp_judge(m);
    if (solves && perp_mcp_stays(m)) return PERP_OK;
    escapes = solves ? escapes + 1 : 0;
    if (escapes == ESCAPES) return GO_ON;
    if (m->limit != GO_ON) return m->limit;
    if (m->run.iterations >= last) return GO_ON;
    const int step = perp_mcp_step(m);
    if (step == MCP_GIVE_UP) return PERP_ECALLBACK;
    m->limit = perp_session_step(&m->run, -1, -1, m->merit);
    if (m->limit == PERP_STOPPED) return PERP_STOPPED;
    m->run.price = 0;
    slow = m->merit < SLOW * least ? 0 : slow + 1;
    if (slow == 0) least = m->merit;
    if (step == MCP_REFUSED || slow == PATIENCE) return GO_ON;
  }
}

/* A status that the next start may better. */
static int is_open(perp_status status) {
  return status == GO_ON || status == PERP_RETRY || status == PERP_ENOTFINITE;
}

static perp_status run(mcp *m, const double *given) {
  perp_status status = GO_ON, first = GO_ON;
  for (int32_t k = 0; k <= m->o.restarts; k++) {
    const int32_t most = m->run.max_iter, left = k < m->o.restarts ? most - m->run.iterations : 0;
    status = iterate(m, &starts[k], given, most - left / 2);
    if (k == 0) first = status;
    if (!is_open(status)) return status;
  }
  if (m->best_judged.relative <= DBL_MAX) return PERP_RAY;
  return first == GO_ON ? PERP_RAY : first;
}

/* --- the solver ----------------------------------------------------------------------------------
 */

static void report(const mcp *m, perp_status status, double *z, double *F, perp_info *info) {
  const size_t bytes = (size_t)m->n * sizeof(double);
  const int solved = status == PERP_OK, known = m->best_judged.relative <= DBL_MAX;
  const perp_residual *r = solved ? &m->judged : &m->best_judged;
  if (solved || known) memcpy(z, solved ? m->z : m->best, bytes);
  memcpy(F, solved || !known ? m->F : m->best_F, bytes);
  if (!info_ready(info)) return;
  info->iterations = m->run.iterations;
  info->solver = "mcp-path";
  residual_tell(r, info);
  if (status == PERP_ECALLBACK || status == PERP_RETRY || status == PERP_ENOTFINITE)
    (void)fail(info, status, m->asked, -1, m->not_finite ? (double)NAN : m->answered);
}

perp_status perp_mcp_solve(const perp_mcp *problem, const perp_mcp_options *opts, double *z,
                           double *F, void *work, size_t work_bytes, perp_info *info) {
  perp_mcp_options o;
  mcp m;
  info_clear(info);
  perp_status status = check_problem(problem, info);
  if (status == PERP_OK) status = read_options(&o, opts, info);
  if (status == PERP_OK) status = check_arrays(problem, z, F, info);
  if (status != PERP_OK) return status;
  if (work == NULL) return fail_field(info, "work", -1);
  const size_t need = perp_mcp_workspace(problem, opts);
  if (need == 0) return fail(info, PERP_EUNSUPPORTED, "n", -1, problem->n);
  if (work_bytes < need) return fail(info, PERP_EWORKSPACE, "work_bytes", -1, (double)need);
  if (problem->n == 0) return PERP_OK;
  arena a = arena_open(work, work_bytes);
  carve(&m, &a, problem);
  m.o = o;
  prepare(&m);
  memset(m.F, 0, (size_t)m.n * sizeof *m.F);
  status = run(&m, z);
  report(&m, status, z, F, info);
  return status;
}
