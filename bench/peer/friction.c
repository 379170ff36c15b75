/* SPDX-License-Identifier: MIT */
/* The friction solvers of Siconos numerics 4.4 through its drivers, with their default options but
 * for tolerance, limit of iterations and local solver; W in the storage for which each is made, and
 * in others where that may be faster. */
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <GlobalFrictionContactProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <RollingFrictionContactProblem.h>
#include <SolverOptions.h>
#include <stdlib.h>
#include <string.h>

#include "../friction.h"
#include "matrices.h"

enum { AS_BLOCKS, AS_SPARSE, AS_DENSE };

typedef struct choice {
  int id, local, storage; /* local 0: the default local solver, if any */
  const char *name;
} choice;

static const choice in_space[] = {
    {SICONOS_FRICTION_3D_NSGS, 0, AS_BLOCKS, "NSGS"},
    {SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration,
     AS_BLOCKS, "NSGS-projection"},
    {SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_QUARTIC, AS_BLOCKS, "NSGS-quartic"},
    {SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_NSN_GP_HYBRID, AS_BLOCKS,
     "NSGS-hybrid"},
    {SICONOS_FRICTION_3D_ADMM, 0, AS_SPARSE, "ADMM"},
    {SICONOS_FRICTION_3D_ADMM, 0, AS_BLOCKS, "ADMM-blocks"},
    {SICONOS_FRICTION_3D_ADMM, 0, AS_DENSE, "ADMM-dense"},
    {SICONOS_FRICTION_3D_NSN_AC, 0, AS_SPARSE, "NSN_AC"},
    {SICONOS_FRICTION_3D_NSN_AC, 0, AS_BLOCKS, "NSN_AC-blocks"},
    {SICONOS_FRICTION_3D_NSN_AC, 0, AS_DENSE, "NSN_AC-dense"},
};
static const choice in_plane[] = {
    {SICONOS_FRICTION_2D_NSGS, 0, AS_BLOCKS, "NSGS"},
    {SICONOS_FRICTION_2D_NSGS, 0, AS_DENSE, "NSGS-dense"},
    {SICONOS_FRICTION_2D_LEMKE, 0, AS_DENSE, "Lemke"},
    {SICONOS_FRICTION_2D_CPG, 0, AS_DENSE, "CPG"},
};
/* Its rolling solvers do not take blocks. */
static const choice rolling_in_space[] = {
    {SICONOS_ROLLING_FRICTION_3D_NSGS, 0, AS_DENSE, "NSGS-dense"},
    {SICONOS_ROLLING_FRICTION_3D_NSGS, 0, AS_SPARSE, "NSGS"},
    {SICONOS_ROLLING_FRICTION_3D_NSGS, SICONOS_ROLLING_FRICTION_3D_ONECONTACT_ProjectionOnCone,
     AS_DENSE, "NSGS-projection-dense"},
    {SICONOS_ROLLING_FRICTION_3D_NSGS, SICONOS_ROLLING_FRICTION_3D_ONECONTACT_ProjectionOnCone,
     AS_SPARSE, "NSGS-projection"},
    {SICONOS_ROLLING_FRICTION_3D_ADMM, 0, AS_SPARSE, "ADMM"},
    {SICONOS_ROLLING_FRICTION_3D_ADMM, 0, AS_DENSE, "ADMM-dense"},
};
static const choice rolling_in_plane[] = {
    {SICONOS_ROLLING_FRICTION_2D_NSGS, 0, AS_DENSE, "NSGS-dense"},
    {SICONOS_ROLLING_FRICTION_2D_NSGS, 0, AS_SPARSE, "NSGS"},
    {SICONOS_ROLLING_FRICTION_2D_NSGS, 0, AS_BLOCKS, "NSGS-blocks"},
};
static const choice global_in_space[] = {
    {SICONOS_GLOBAL_FRICTION_3D_NSGS_WR, 0, AS_SPARSE, "NSGS_WR"},
    {SICONOS_GLOBAL_FRICTION_3D_ADMM, 0, AS_SPARSE, "ADMM"},
    {SICONOS_GLOBAL_FRICTION_3D_ADMM_WR, 0, AS_SPARSE, "ADMM_WR"},
    {SICONOS_GLOBAL_FRICTION_3D_NSN_AC_WR, 0, AS_SPARSE, "NSN_AC_WR"},
    {SICONOS_GLOBAL_FRICTION_3D_NSN_AC, 0, AS_SPARSE, "NSN_AC"},
    {SICONOS_GLOBAL_FRICTION_3D_NSGS, 0, AS_SPARSE, "NSGS"},
};
/* It has no global solver in the plane: reformulated, which is a part of the solve. */
static const choice global_in_plane[] = {
    {SICONOS_FRICTION_2D_NSGS, 0, AS_SPARSE, "NSGS_WR"},
    {SICONOS_FRICTION_2D_LEMKE, 0, AS_SPARSE, "Lemke_WR"},
};

/* Unknowns up to which W is made dense. */
enum { DENSE_MOST = 3000 };

#define PICK(list) (*count = (int)(sizeof(list) / sizeof *(list)), list)

static const choice *list_of(int form, int dim, int *count) {
  if (form == FRICTION_GLOBAL) return dim == 2 ? PICK(global_in_plane) : PICK(global_in_space);
  if (form == FRICTION_ROLLING) return dim == 3 ? PICK(rolling_in_plane) : PICK(rolling_in_space);
  return dim == 2 ? PICK(in_plane) : PICK(in_space);
}

static int count_of(int form, int dim) {
  int n;
  (void)list_of(form, dim, &n);
  return n;
}

static const char *solver(int form, int dim, int i) {
  int n;
  return list_of(form, dim, &n)[i].name;
}

typedef struct run {
  const friction_case *p;
  FrictionContactProblem *local;
  GlobalFrictionContactProblem *global;
  RollingFrictionContactProblem *rolling;
  SolverOptions *options;
  double *v;
} run;

static NumericsMatrix *triplets(const perp_matrix *M) {
  NumericsMatrix *A = NM_create(NM_SPARSE, M->rows, M->cols);
  int entries = 0;
  if (M->offset == NULL) entries = M->start[M->block_rows];
  for (int r = 0; M->offset != NULL && r < M->block_rows; r++)
    for (int k = M->start[r]; k < M->start[r + 1]; k++)
      entries +=
          (M->offset[r + 1] - M->offset[r]) * (M->offset[M->index[k] + 1] - M->offset[M->index[k]]);
  NM_triplet_alloc(A, entries);
  const double *at = M->values;
  for (int r = 0; r < M->block_rows; r++)
    for (int k = M->start[r]; k < M->start[r + 1]; k++) {
      const int c = M->index[k];
      if (M->offset == NULL) {
        NM_entry(A, r, c, *at++);
        continue;
      }
      for (int j = M->offset[c]; j < M->offset[c + 1]; j++)
        for (int i = M->offset[r]; i < M->offset[r + 1]; i++) NM_entry(A, i, j, *at++);
    }
  return A;
}

static NumericsMatrix *dense_blocks(const perp_matrix *M) {
  NumericsMatrix *A = NM_create(NM_DENSE, M->rows, M->cols);
  memset(A->matrix0, 0, (size_t)M->rows * (size_t)M->cols * sizeof *A->matrix0);
  const double *at = M->values;
  for (int r = 0; r < M->block_rows; r++)
    for (int k = M->start[r]; k < M->start[r + 1]; k++)
      for (int j = M->offset[M->index[k]]; j < M->offset[M->index[k] + 1]; j++)
        for (int i = M->offset[r]; i < M->offset[r + 1]; i++)
          A->matrix0[(size_t)i + (size_t)M->rows * (size_t)j] = *at++;
  return A;
}

static NumericsMatrix *stored(const perp_matrix *M, int storage) {
  if (storage == AS_SPARSE) return triplets(M);
  if (storage == AS_DENSE) return M->rows <= DENSE_MOST ? dense_blocks(M) : NULL;
  return block_rows(M);
}

static int open_global(run *r, const friction_case *p) {
  r->global = globalFrictionContactProblem_new();
  r->global->dimension = p->dim;
  r->global->numberOfContacts = p->contacts;
  r->global->M = triplets(&p->M);
  r->global->H = triplets(&p->H);
  r->global->q = copy(p->q, p->M.rows);
  r->global->b = copy(p->b, p->dim * p->contacts);
  r->global->mu = copy(p->mu, p->contacts);
  r->v = (double *)calloc((size_t)p->M.rows, sizeof *r->v);
  return 1;
}

static int open_problem(run *r, const friction_case *p, int storage) {
  if (p->form == FRICTION_GLOBAL) return open_global(r, p);
  NumericsMatrix *W = stored(&p->W, storage);
  if (W == NULL) return 0;
  double *q = copy(p->q, p->W.rows), *mu = copy(p->mu, p->contacts);
  if (p->form == FRICTION_LOCAL)
    r->local = frictionContactProblem_new_with_data(p->dim, p->contacts, W, q, mu);
  else
    r->rolling = rollingFrictionContactProblem_new_with_data(p->dim, p->contacts, W, q, mu,
                                                             copy(p->mu_rolling, p->contacts));
  return 1;
}

static void *open_run(const friction_case *p, int i, double tol) {
  int n;
  const choice *c = &list_of(p->form, p->dim, &n)[i];
  run *r = (run *)calloc(1, sizeof *r);
  r->p = p;
  r->options = solver_options_create(c->id);
  if (r->options == NULL || !open_problem(r, p, c->storage)) return NULL;
  if (c->local != 0) solver_options_update_internal(r->options, 0, c->local);
  r->options->dparam[SICONOS_DPARAM_TOL] = tol;
  r->options->iparam[SICONOS_IPARAM_MAX_ITER] = 10000000;
  return r;
}

static int solve_global(run *r, double *reaction, double *u) {
  if (r->p->dim == 3) {
    memset(r->v, 0, (size_t)r->p->M.rows * sizeof *r->v);
    return gfc3d_driver(r->global, reaction, u, r->v, r->options);
  }
  FrictionContactProblem *local = globalFrictionContact_reformulation_FrictionContact(r->global);
  NumericsMatrix *W = local->M;
  const int n = r->p->dim * r->p->contacts;
  local->M = NM_create(NM_DENSE, n, n);
  NM_to_dense(W, local->M);
  NM_free(W);
  const int status = fc2d_driver(local, reaction, u, r->options);
  frictionContactProblem_free(local);
  return status;
}

static int solve(void *opened, double *reaction, double *u) {
  run *r = (run *)opened;
  if (r->global != NULL) return solve_global(r, reaction, u);
  if (r->rolling != NULL)
    return r->p->dim == 3 ? rolling_fc2d_driver(r->rolling, reaction, u, r->options)
                          : rolling_fc3d_driver(r->rolling, reaction, u, r->options);
  return r->p->dim == 2 ? fc2d_driver(r->local, reaction, u, r->options)
                        : fc3d_driver(r->local, reaction, u, r->options);
}

const friction_peer peer_friction = {"siconos", count_of, solver, open_run, solve};
