/* SPDX-License-Identifier: MIT */
/* What needs no method (no reaction at all, contacts that meet nobody), and the problem in pieces:
 * every island is solved apart, and judged with the scale S of the whole,
 *
 *   r_island <= tol S,   S = ‖ |M||λ| + |q| ‖∞,
 *
 * of which max |q|, and what the islands solved before have shown, are lower bounds. */
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "portfolio/portfolio.h"
#include "problem/bounds.h"
#include "problem/certificate.h"
#include "problem/islands.h"
#include "problem/one_contact.h"
#include "problem/residual.h"
#include "solver/verified.h"
#include "solver/warm.h"

/* Contacts of up to MOST_LOCAL unknowns are solved alone. */
enum { MOST_LOCAL = 6 };

/* An island whose velocities are below this part of tol S stays at rest, and its reaction 0. */
static const double at_rest = 0.1;

/* More than this no island's scale tells of the others'. */
static const double most_ratio = 1e6;

typedef struct pieces {
  portfolio run; /* of the whole; that of an island begins as a copy */
  islands parts;
  island part;
  double scale;     /* lower bound of S                                        */
  int32_t behind;   /* unknowns of the islands that are to come                */
  double *p;        /* n: a ray                                    */
  const char *name; /* of the method that solved an island, NULL: none */
} pieces;

/* --- memory ---------------------------------------------------------------------------------- */

static void carve(pieces *s, arena *a, const perp_shape *shape) {
  const size_t n = (size_t)shape->n, own = residual_scratch_doubles(shape->n);
  const size_t more = shape->projection;
  double **const vectors[] = {&s->run.best, &s->run.ray, &s->p, NULL};
  arena_take_doubles(a, n, vectors);
  s->run.scratch = arena_take(a, more > SIZE_MAX - own ? SIZE_MAX : own + more, sizeof(double));
  perp_islands_carve(&s->parts, a, shape->n);
  perp_island_carve(&s->part, a, shape);
}

size_t perp_friction_bytes(const perp_shape *shape, int allocate) {
  pieces s;
  arena a = arena_measure();
  carve(&s, &a, shape);
  (void)arena_take(&a, perp_friction_plan_bytes(shape, allocate), 1);
  return arena_bytes(&a);
}

/* --- contacts without reaction --------------------------------------------------------------- */

/* Whether the unknowns i ... end - 1, which are of one law, need no reaction, but for so much of
 * weighted q. */
static int bears(const perp_problem *p, const perp_law *law, int32_t i, int32_t end, double slack) {
  const int32_t set = law->ops->set, step = set > PERP_SET_BOX ? law->size : 1;
  if (set == PERP_SET_BOX || set > PERP_SET_ROLLING) return 0;
  for (; i < end; i += step) {
    const double v = p->weight == NULL ? p->q[i] : p->weight[i] * p->q[i];
    if (!(set == PERP_SET_FREE ? fabs(v) <= slack : v >= -slack)) return 0;
  }
  return 1;
}

/* No reaction is the solution: what most problems of a simulation that flies say. */
static int rests(const perp_problem *p) {
  for (int32_t b = 0, i = 0, end; b < p->n_blocks; b++, i = end) {
    end = problem_block_end(p, b, i);
    if (!bears(p, p->laws[b], i, end, 0)) return 0;
  }
  return 1;
}

/* --- one island ------------------------------------------------------------------------------ */

static const perp_law *law_of(const pieces *s, int32_t node) {
  return s->run.problem->laws[s->parts.law[node]];
}

/* max |q|, of weighted rows. */
static double largest(const perp_problem *p) {
  return perp_residual_weighted_largest(p->n, p->weight, p->q);
}

static int island_rests(const pieces *s, int32_t k) {
  const int32_t *node = s->parts.order + s->parts.first[k], *begin = s->parts.begin;
  const int32_t count = s->parts.first[k + 1] - s->parts.first[k];
  const double slack = at_rest * s->run.tol * s->scale;
  for (int32_t e = 0; e < count; e++)
    if (!bears(s->run.problem, law_of(s, node[e]), begin[node[e]], begin[node[e] + 1], slack))
      return 0;
  for (int32_t e = 0; e < count; e++)
    for (int32_t u = begin[node[e]]; u < begin[node[e] + 1]; u++) s->run.lambda[u] = 0;
  return 1;
}

/* An island of one contact: its law solves it exactly, for no more than the work that is left. */
static int solve_local(pieces *s, int32_t node) {
  const perp_law *law = law_of(s, node);
  const int32_t begin = s->parts.begin[node];
  double B[MOST_LOCAL * MOST_LOCAL];
  if (law->size > MOST_LOCAL || law->ops->local == NULL) return 0;
  perp_island_block(&s->parts, node, B);
  const double most = s->run.left < CONTACT_VISIT_WORK ? s->run.left : CONTACT_VISIT_WORK;
  double left = most;
  const perp_status status = law_local(law, perp_island_state(&s->parts, node), B, law->size,
                                       s->run.problem->q + begin, s->run.lambda + begin, &left);
  s->run.left -= most - left;
  return status == PERP_OK;
}

/* What an island's own relative residual may be if its scale is no more than ratio times its q. */
static double island_tol(const pieces *s) {
  const double q = s->run.ratio * largest(&s->part.problem);
  const double tol = s->run.tol;
  return q > 0 && s->scale > q ? tol * (s->scale / q) : tol;
}

static void open_island(pieces *s, portfolio *run, double tol) {
  *run = s->run;
  run->problem = &s->part.problem;
  run->lambda = s->part.lambda;
  run->y = s->part.y;
  run->tol = tol;
  run->best_score = INFINITY;
  run->best_name = NULL;
  run->has_ray = 0;
  run->trusting = tol <= s->run.tol;
  run->residual.scale = 0;
  perp_problem_shape_known(run->problem, &run->shape);
}

static void close_island(pieces *s, const portfolio *run, perp_status status) {
  s->run.iterations = run->iterations;
  s->run.work = run->work;
  s->run.left = run->left;
  s->run.admm_first = run->admm_first;
  s->run.hopeless |= run->hopeless;
  const double own = run->residual.scale, q = largest(run->problem);
  if (own > s->scale) s->scale = own;
  if (q > 0 && own > s->run.ratio * q) s->run.ratio = own / q < most_ratio ? own / q : most_ratio;
  if (status == PERP_OK) s->name = run->name;
}

/* Solve the island that was taken out, from its own scale where the guess of that was too low. */
static perp_status run_island(pieces *s, portfolio *run) {
  double tol = island_tol(s);
  perp_status status = PERP_OK;
  for (int attempt = 0; attempt < 3; attempt++) {
    open_island(s, run, tol);
    status = perp_friction_plan(run);
    close_island(s, run, status);
    if (status != PERP_OK || tol <= s->run.tol) return status;
    if (run->residual.residual <= s->run.tol * s->scale) return PERP_OK;
    tol = attempt == 0 ? 0.5 * s->run.tol * (s->scale / run->residual.scale) : s->run.tol;
    if (tol < s->run.tol) tol = s->run.tol;
  }
  return status;
}

static perp_status solve_island(pieces *s, int32_t k) {
  portfolio run;
  /* left to those behind it, by their unknowns: an island that fails takes all it can */
  const double behind = s->behind, all = behind + perp_island_size(&s->parts, k);
  const double work = s->run.work * behind / all, left = s->run.left * behind / all;
  perp_island_extract(&s->parts, k, s->run.lambda, &s->part);
  s->run.work -= work;
  s->run.left -= left;
  const perp_status status = run_island(s, &run);
  s->run.work += work;
  s->run.left += left;
  for (int32_t i = 0; i < s->part.problem.n; i++)
    s->run.lambda[s->part.list[i]] = s->part.lambda[i];
  if (status != PERP_INFEASIBLE || run.has_ray != 1) return status;
  for (int32_t i = s->part.problem.n; i > 0; i--) s->p[i - 1] = s->run.ray[i - 1];
  memset(s->run.ray, 0, (size_t)s->run.shape.n * sizeof *s->run.ray);
  for (int32_t i = 0; i < s->part.problem.n; i++) s->run.ray[s->part.list[i]] = s->p[i];
  /* beside the data of other islands a solution of this one may look small */
  s->run.bound = perp_certificate_proves(s->run.problem, s->run.ray, s->run.scratch);
  s->run.has_ray = s->run.bound > 0 ? 1 : -1;
  return s->run.bound > 0 ? status : PERP_RAY;
}

/* --- all of them ----------------------------------------------------------------------------- */

/* From this tolerance on, parts that are solved are a whole that is solved: its residual is theirs
 * but for rounding. */
static const double surely = 1e-12;

/* NOT_TRIED: the parts were solved, the whole is not. */
static perp_status solve_islands(pieces *s) {
  perp_status worst = PERP_OK;
  s->behind = s->run.shape.n;
  for (int32_t k = 0; k < s->parts.count; k++) {
    s->behind -= perp_island_size(&s->parts, k);
    if (island_rests(s, k)) continue;
    if (s->parts.first[k] + 1 == s->parts.first[k + 1] &&
        solve_local(s, s->parts.order[s->parts.first[k]]))
      continue;
    const perp_status status = solve_island(s, k);
    if (status == PERP_INFEASIBLE || status == PERP_STOPPED || s->run.hopeless) return status;
    if (worst == PERP_OK) worst = status;
  }
  s->run.name = s->name != NULL ? s->name : "auto";
  if (worst == PERP_OK && s->run.tol >= surely) return PERP_OK;
  if (perp_portfolio_judge(&s->run, worst)) return PERP_OK;
  return worst == PERP_OK ? NOT_TRIED : worst;
}

static perp_status solve(pieces *s, int known) {
  portfolio *run = &s->run;
  if (known && perp_portfolio_judge(run, PERP_OK)) return PERP_OK;
  if (rests(run->problem)) {
    memset(run->lambda, 0, (size_t)run->shape.n * sizeof *run->lambda);
    return PERP_OK;
  }
  perp_islands_find(&s->parts, run->problem);
  if (s->parts.count == 1 && s->parts.nodes > 1) return perp_friction_plan(run);
  const perp_status status = solve_islands(s);
  return status == NOT_TRIED ? perp_friction_plan(run) : status;
}

/* Returns whether lambda is a start. */
static int begin(pieces *s, const perp_warm *warm) {
  portfolio *run = &s->run;
  const double own = run->options->budget;
  const int known = warm_known(warm, run->shape.n) && all_finite((size_t)run->shape.n, run->lambda);
  if (!known) memset(run->lambda, 0, (size_t)run->shape.n * sizeof *run->lambda);
  run->tol = run->options->tol < 1e-2 ? run->options->tol : 1e-2;
  run->work = budget_or(own, perp_friction_budget(&run->shape));
  run->left = budget_or(own, perp_solver_budget(run->shape.n));
  run->trusting = 1;
  run->admm_first = 0;
  run->ratio = 8;
  run->residual.scale = 0;
  run->known = known;
  s->name = NULL;
  s->scale = largest(run->problem);
  return known;
}

perp_status perp_friction_solve(const perp_problem *problem, const perp_auto_options *options,
                                double *lambda, double *y, perp_warm *warm, void *work,
                                size_t work_bytes, perp_info *info) {
  pieces s;
  portfolio *run = &s.run;
  perp_portfolio_open(run, problem, options, lambda, y);
  arena a = arena_open(work, work_bytes);
  carve(&s, &a, &run->shape);
  if (!arena_fits(&a)) return fail(info, PERP_EWORKSPACE, "work_bytes", -1, (double)work_bytes);
  run->room_bytes = (a.size - a.used) / ARENA_ALIGN * ARENA_ALIGN;
  run->room = arena_take(&a, run->room_bytes, 1);
  const int known = begin(&s, warm);
  const perp_status status = solve(&s, known);
  unsigned char *mode = status == PERP_OK ? warm_claim(warm, problem->n) : NULL;
  if (mode != NULL) memset(mode, PERP_MODE_FREE, (size_t)problem->n); /* there is a start */
  if (status == PERP_INFEASIBLE && run->has_ray == 1)
    info_proof(info, run->bound, problem->n, run->ray);
  if (info_ready(info)) {
    info->iterations = run->iterations;
    info->solver = run->name;
  }
  return status;
}
