/* SPDX-License-Identifier: MIT */
/* Contacts with friction in plain arrays, as one-step problems with one law for each contact. The
 * laws lie in front of the solver's workspace. */
#include "perp/fc.h"

#include "base/arena.h"
#include "base/finite.h"
#include "base/info.h"
#include "solver/run.h"

typedef struct fc_laws {
  perp_friction *law;    /* contacts */
  const perp_law **head; /* contacts */
} fc_laws;

static fc_laws carve(arena *a, int32_t contacts) {
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
  (void)carve(&a, contacts);
  const size_t own = arena_bytes(&a), rest = solver_bytes(solver, contacts, dim, options);
  return own == 0 || rest == 0 || rest > SIZE_MAX - own ? 0 : own + rest;
}

static perp_status check(const perp_fc *p, perp_info *info) {
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

perp_status perp_fc_solve(const perp_solver *solver, const perp_fc *problem, const void *options,
                          double *r, double *u, void *work, size_t work_bytes, perp_info *info) {
  info_clear(info);
  perp_status status = check(problem, info);
  if (status != PERP_OK) return status;
  if (work == NULL) return fail_field(info, "work", -1);
  arena a = arena_open(work, work_bytes);
  const fc_laws laws = carve(&a, problem->contacts);
  if (!arena_fits(&a)) return fail(info, PERP_EWORKSPACE, "work_bytes", -1, (double)work_bytes);
  set_laws(&laws, problem);
  const int32_t n = problem->dim * problem->contacts;
  perp_problem p =
      perp_problem_of(perp_dense(n, n, problem->W), problem->q, problem->contacts, laws.head, NULL);
  p.M.ld = problem->ld;
  const size_t own = arena_bytes(&a);
  return perp_solver_solve(solver, &p, options, r, u, NULL, (unsigned char *)work + own,
                           work_bytes - own, info);
}

size_t perp_fc_nsgs_workspace(int32_t contacts, int32_t dim, const perp_nsgs_options *opts) {
  return perp_fc_workspace(perp_solver_nsgs(), contacts, dim, opts);
}

perp_status perp_fc_nsgs(const perp_fc *problem, const perp_nsgs_options *opts, double *r,
                         double *u, void *work, size_t work_bytes, perp_info *info) {
  return perp_fc_solve(perp_solver_nsgs(), problem, opts, r, u, work, work_bytes, info);
}
