/* SPDX-License-Identifier: MIT */
/* Problems in plain arrays, as one-step problems for any solver: linear complementarity, contacts
 * with friction, Poisson's restitution. The laws of contacts lie in front of the solver's
 * workspace.
 */
#include "base/arena.h"
#include "base/finite.h"
#include "base/info.h"
#include "linalg/dense.h"
#include "perp/fc.h"
#include "perp/lcp.h"
#include "perp/poisson_impact.h"
#include "problem/multiple_impact.h"
#include "solver/box_form.h"
#include "solver/lemke.h"
#include "solver/verified.h"

/* --- box form ----------------------------------------------------------------------------------
 */

void perp_box_form_carve(box_form *f, arena *a, size_t entries, size_t n, size_t bounds,
                         size_t bytes) {
  f->M = arena_take(a, entries, sizeof(double));
  double **const vectors[] = {&f->q, &f->z, &f->w, NULL};
  arena_take_doubles(a, n, vectors);
  f->lower = arena_take(a, bounds, sizeof(double));
  f->upper = arena_take(a, bounds, sizeof(double));
  f->work = arena_take(a, bytes, 1);
  f->bytes = bytes;
  if (bytes == 0) a->failed = 1;
}

size_t perp_box_form_bytes(const perp_solver *solver, int32_t n, int32_t set, const void *options) {
  if (n < 0 || (n > 0 && (size_t)n > SIZE_MAX / (size_t)n)) return 0;
  const perp_shape shape = dense_shape(n, set);
  return perp_solver_shape_workspace(solver, &shape, options);
}

/* One law for all n unknowns. */
perp_status perp_box_arrays_solve(const perp_solver *solver, int32_t set, const perp_mlcp *m,
                                  const void *options, double *z, double *w, void *work,
                                  size_t work_bytes, perp_info *info) {
  block_law law;
  perp_status status = perp_lcp_arrays_check(m->n, m->ld, m->M, m->q, z, w, info);
  if (status != PERP_OK) return status;
  perp_problem p =
      box_form_problem(&law, set, perp_dense(m->n, m->n, m->M), m->q, m->lower, m->upper);
  p.M.ld = m->ld;
  if (set == PERP_SET_ORTHANT) /* nothing in it is left to check */
    return perp_solver_solve_known(solver, &p, options, z, w, work, work_bytes, info);
  return perp_solver_solve(solver, &p, options, z, w, NULL, work, work_bytes, info);
}

size_t perp_lcp_workspace(const perp_solver *solver, int32_t n, const void *options) {
  return perp_box_form_bytes(solver, n, PERP_SET_ORTHANT, options);
}

perp_status perp_lcp_solve(const perp_solver *solver, const perp_lcp *problem, const void *options,
                           double *z, double *w, void *work, size_t work_bytes, perp_info *info) {
  info_clear(info);
  if (problem == NULL) return fail_field(info, "problem", -1);
  const perp_mlcp m = box_arrays(problem);
  return perp_box_arrays_solve(solver, PERP_SET_ORTHANT, &m, options, z, w, work, work_bytes, info);
}

size_t perp_mlcp_workspace(const perp_solver *solver, int32_t n, const void *options) {
  return perp_box_form_bytes(solver, n, PERP_SET_BOX, options);
}

perp_status perp_mlcp_solve(const perp_solver *solver, const perp_mlcp *problem,
                            const void *options, double *z, double *w, void *work,
                            size_t work_bytes, perp_info *info) {
  info_clear(info);
  if (problem == NULL) return fail_field(info, "problem", -1);
  return perp_box_arrays_solve(solver, PERP_SET_BOX, problem, options, z, w, work, work_bytes,
                               info);
}

/* --- friction ----------------------------------------------------------------------------------
 */

typedef struct fc_laws {
  perp_friction *law;    /* contacts */
  const perp_law **head; /* contacts */
} fc_laws;

static fc_laws carve_laws(arena *a, int32_t contacts) {
  fc_laws l;
  l.law = arena_take(a, (size_t)contacts, sizeof *l.law);
  l.head = arena_take(a, (size_t)contacts, sizeof *l.head);
  return l;
}

static int countable(int32_t contacts, int32_t dim) {
  return (dim == 2 || dim == 3) && contacts >= 0 && contacts <= INT32_MAX / dim;
}

/* What the solver needs behind the laws; 0: no such size. */
static size_t solver_bytes(const perp_solver *solver, int32_t contacts, int32_t dim,
                           const void *options) {
  const int32_t n = contacts * dim;
  const size_t size = (size_t)n;
  if (size > 0 && size > SIZE_MAX / size) return 0;
  perp_shape shape = dense_shape(n, PERP_SET_CONE);
  shape.n_blocks = shape.contacts = contacts;
  shape.largest = n > 0 ? dim : 0;
  return perp_solver_shape_workspace(solver, &shape, options);
}

size_t perp_fc_workspace(const perp_solver *solver, int32_t contacts, int32_t dim,
                         const void *options) {
  if (!countable(contacts, dim)) return 0;
  arena a = arena_measure();
  (void)carve_laws(&a, contacts);
  const size_t own = arena_bytes(&a), rest = solver_bytes(solver, contacts, dim, options);
  return own == 0 || rest == 0 || rest > SIZE_MAX - own ? 0 : own + rest;
}

static perp_status check_contacts(const perp_fc *p, perp_info *info) {
  if (p == NULL) return fail_field(info, "problem", -1);
  if (p->dim != 2 && p->dim != 3) return fail(info, PERP_EINVAL, "dim", -1, p->dim);
  if (!countable(p->contacts, p->dim)) return fail(info, PERP_EINVAL, "contacts", -1, p->contacts);
  if (p->ld < p->dim * p->contacts) return fail(info, PERP_EINVAL, "ld", -1, p->ld);
  if (p->contacts == 0) return PERP_OK;
  if (p->W == NULL) return fail_field(info, "W", -1);
  if (p->q == NULL) return fail_field(info, "q", -1);
  if (p->mu == NULL) return fail_field(info, "mu", -1);
  for (int32_t k = 0; k < p->contacts; k++) {
    if (!is_finite(p->mu[k])) return fail(info, PERP_ENOTFINITE, "mu", k, p->mu[k]);
    if (p->mu[k] < 0) return fail(info, PERP_EINVAL, "mu", k, p->mu[k]);
  }
  return PERP_OK;
}

static void set_laws(const fc_laws *l, const perp_fc *p) {
  for (int32_t k = 0; k < p->contacts; k++) {
    perp_friction_init(&l->law[k], sizeof l->law[k]);
    l->law[k].law.size = p->dim;
    l->law[k].mu = p->mu[k];
    l->head[k] = &l->law[k].law;
  }
}

/* Why a block is too small, or that its size is not known: options first, they are read last. */
static perp_status refuse_contacts(const perp_solver *solver, const perp_fc *p, const void *options,
                                   perp_info *info) {
  const perp_status status = perp_solver_check(solver, options, info);
  if (status != PERP_OK) return status;
  if ((solver->sets & (1u << PERP_SET_CONE)) == 0)
    return fail_solver(info, solver->name, "laws", PERP_OF_ENTRY, 0, PERP_SET_CONE);
  const size_t need = perp_fc_workspace(solver, p->contacts, p->dim, options);
  return need == 0 ? fail_solver(info, solver->name, "contacts", PERP_OF_ENTRY, -1, p->contacts)
                   : fail(info, PERP_EWORKSPACE, "work_bytes", -1, (double)need);
}

perp_status perp_fc_solve(const perp_solver *solver, const perp_fc *problem, const void *options,
                          double *r, double *u, void *work, size_t work_bytes, perp_info *info) {
  info_clear(info);
  perp_status status = check_contacts(problem, info);
  if (status != PERP_OK) return status;
  if (work == NULL) return fail_field(info, "work", -1);
  arena a = arena_open(work, work_bytes);
  const fc_laws laws = carve_laws(&a, problem->contacts);
  if (!arena_fits(&a)) return refuse_contacts(solver, problem, options, info);
  set_laws(&laws, problem);
  const int32_t n = problem->dim * problem->contacts;
  perp_problem p =
      perp_problem_of(perp_dense(n, n, problem->W), problem->q, problem->contacts, laws.head, NULL);
  p.M.ld = problem->ld;
  const size_t own = arena_bytes(&a);
  status = perp_solver_solve(solver, &p, options, r, u, NULL, (unsigned char *)work + own,
                             work_bytes - own, info);
  return status == PERP_EWORKSPACE ? refuse_contacts(solver, problem, options, info) : status;
}

size_t perp_fc_nsgs_workspace(int32_t contacts, int32_t dim, const perp_nsgs_options *opts) {
  return perp_fc_workspace(perp_solver_nsgs(), contacts, dim, opts);
}

perp_status perp_fc_nsgs(const perp_fc *problem, const perp_nsgs_options *opts, double *r,
                         double *u, void *work, size_t work_bytes, perp_info *info) {
  return perp_fc_solve(perp_solver_nsgs(), problem, opts, r, u, work, work_bytes, info);
}

/* --- Poisson's restitution ---------------------------------------------------------------------
 */

/* Poisson's restitution:  compression  y = W P_c + ẏ⁻,  then with P_e = e P_c + z  expansion
 * y = W z + (ẏ_c + W (e P_c)),  both 0 <= y ⟂ impulse >= 0. */

typedef struct poisson {
  double *Pc, *given, *z, *y, *q;
  void *solver;
  size_t solver_bytes;
} poisson;

static poisson carve_impact(arena *a, int32_t m, size_t solver_bytes) {
  const size_t n = (size_t)m;
  poisson s;
  double **const vectors[] = {&s.Pc, &s.given, &s.z, &s.y, &s.q, NULL};
  arena_take_doubles(a, n, vectors);
  s.solver = arena_take(a, solver_bytes, 1);
  s.solver_bytes = solver_bytes;
  return s;
}

size_t perp_poisson_impact_workspace(const perp_solver *solver, int32_t m, const void *options) {
  const size_t bytes = m < 0 ? 0 : perp_lcp_workspace(solver, m, options);
  if (bytes == 0) return 0;
  arena a = arena_measure();
  carve_impact(&a, m, bytes);
  return arena_bytes(&a);
}

/* Why a solver has no size for the two problems. */
static perp_status refuse_orthants(const perp_solver *solver, int32_t m, const void *options,
                                   perp_info *info) {
  const perp_status status = perp_solver_check(solver, options, info);
  if (status != PERP_OK) return status;
  const int takes = (solver->sets & (1u << PERP_SET_ORTHANT)) != 0;
  return takes ? fail_solver(info, solver->name, "n", PERP_OF_ENTRY, -1, m)
               : fail_solver(info, solver->name, "laws", PERP_OF_ENTRY, 0, PERP_SET_ORTHANT);
}

perp_status perp_poisson_impact(const perp_solver *solver, int32_t m, const double *W,
                                const double *ydot, const double *e, const void *options,
                                double *impulse, double *compression, void *work, size_t work_bytes,
                                perp_info *info) {
  info_clear(info);
  if (solver == NULL) return fail_field(info, "solver", -1);
  perp_status status = perp_impact_check(m, W, ydot, e, impulse, info);
  if (status != PERP_OK) return status;
  const size_t solver_bytes = perp_lcp_workspace(solver, m, options);
  if (solver_bytes == 0) return refuse_orthants(solver, m, options, info);
  arena a = arena_open(work, work_bytes);
  const poisson s = carve_impact(&a, m, solver_bytes);
  if (!arena_fits(&a))
    return fail(info, PERP_EWORKSPACE, "work_bytes", -1,
                (double)perp_poisson_impact_workspace(solver, m, options));
  const size_t bytes = (size_t)m * sizeof(double);
  if (m > 0) memset(s.Pc, 0, bytes);
  const perp_lcp first = {m, m, W, ydot};
  status = perp_lcp_solve(solver, &first, options, s.Pc, s.y, s.solver, s.solver_bytes, info);
  if (status != PERP_OK) return status;
  const int32_t iterations = info_ready(info) ? info->iterations : 0;
  for (int32_t i = 0; i < m; i++) {
    if (s.Pc[i] < 0) s.Pc[i] = 0;
    s.given[i] = (1 + e[i]) * s.Pc[i];
    s.q[i] = ydot[i];
    s.z[i] = 0;
  }
  perp_dense_multiply_add(m, m, W, m, s.given, s.q);
  const perp_lcp second = {m, m, W, s.q};
  status = perp_lcp_solve(solver, &second, options, s.z, s.y, s.solver, s.solver_bytes, info);
  if (info_ready(info)) info->iterations += iterations;
  if (status != PERP_OK) return status;
  for (int32_t i = 0; i < m; i++) impulse[i] = s.given[i] + (s.z[i] > 0 ? s.z[i] : 0);
  if (compression != NULL && m > 0) memcpy(compression, s.Pc, bytes);
  return PERP_OK;
}
