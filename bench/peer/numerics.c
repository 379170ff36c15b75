/* SPDX-License-Identifier: MIT */
/* The solvers of Siconos numerics 4.4 through its drivers, with their default options but for
 * tolerance and limit of iterations. Files are read by its own readers. The MLCP solvers called
 * DIRECT begin with the configurations that solved the problem before; every solve here is to
 * start from nothing, so they are left out, as are those for which PATH or GAMS is needed. */
#include <LinearComplementarityProblem.h>
#include <MLCP_Solvers.h>
#include <MixedLinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <RelayProblem.h>
#include <SiconosNumerics.h>
#include <SparseBlockMatrix.h>
#include <lcp_cst.h>
#include <mlcp_cst.h>
#include <relay_cst.h>
#include <stdlib.h>
#include <string.h>

#include "../solve.h"
#include "matrices.h"

typedef struct choice {
  int id;
  const char *name;
} choice;

static const choice lcp_solvers[] = {
    {SICONOS_LCP_LEMKE, "Lemke"},
    {SICONOS_LCP_CPG, "CPG"},
    {SICONOS_LCP_PGS, "PGS"},
    {SICONOS_LCP_PSOR, "PSOR"},
    {SICONOS_LCP_RPGS, "RPGS"},
    {SICONOS_LCP_NSGS_SBM, "NSGS_SBM"},
    {SICONOS_LCP_PIVOT, "PIVOT"},
    {SICONOS_LCP_PIVOT_LUMOD, "PIVOT_LUMOD"},
    {SICONOS_LCP_BARD, "BARD"},
    {SICONOS_LCP_MURTY, "MURTY"},
    {SICONOS_LCP_PATHSEARCH, "PATHSEARCH"},
    {SICONOS_LCP_NEWTONMIN, "NEWTONMIN"},
    {SICONOS_LCP_NEWTON_MIN_FBLSA, "NEWTON_MIN_FBLSA"},
    {SICONOS_LCP_NEWTON_FB_FBLSA, "NEWTON_FB_FBLSA"},
    {SICONOS_LCP_AVI_CAOFERRIS, "AVI_CAOFERRIS"},
    {SICONOS_LCP_LATIN, "LATIN"},
    {SICONOS_LCP_LATIN_W, "LATIN_W"},
    {SICONOS_LCP_QP, "QP"},
    {SICONOS_LCP_NSQP, "NSQP"},
    {SICONOS_LCP_CONVEXQP_PG, "CONVEXQP_PG"},
    {SICONOS_LCP_ENUM, "ENUM"},
};
static const choice mlcp_solvers[] = {
    {SICONOS_MLCP_LCP_LEMKE, "LCP_LEMKE"}, {SICONOS_MLCP_PGS, "PGS"},
    {SICONOS_MLCP_RPGS, "RPGS"},           {SICONOS_MLCP_PSOR, "PSOR"},
    {SICONOS_MLCP_RPSOR, "RPSOR"},         {SICONOS_MLCP_FB, "FB"},
    {SICONOS_MLCP_SIMPLEX, "SIMPLEX"},     {SICONOS_MLCP_ENUM, "ENUM"},
};
static const choice relay_solvers[] = {
    {SICONOS_RELAY_LEMKE, "LEMKE"},
    {SICONOS_RELAY_PGS, "PGS"},
    {SICONOS_RELAY_ENUM, "ENUM"},
    {SICONOS_RELAY_AVI_CAOFERRIS, "AVI_CAOFERRIS"},
    {SICONOS_RELAY_AVI_CAOFERRIS_TEST, "AVI_CAOFERRIS_TEST"},
};

/* Compressed rows, which its LCP solvers do not take, become dense up to here. */
enum { DENSE_MOST = 2000 };

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

static const choice *list_of(int kind, int *count) {
  if (kind == PROBLEM_LCP) return *count = COUNT(lcp_solvers), lcp_solvers;
  if (kind == PROBLEM_MLCP) return *count = COUNT(mlcp_solvers), mlcp_solvers;
  return *count = COUNT(relay_solvers), relay_solvers;
}

static int count(int kind) {
  int n;
  (void)list_of(kind, &n);
  return n;
}

static const char *solver(int kind, int i) {
  int n;
  return list_of(kind, &n)[i].name;
}

typedef struct run {
  int kind;
  LinearComplementarityProblem *lcp;
  MixedLinearComplementarityProblem *mlcp;
  RelayProblem *relay;
  SolverOptions *options;
} run;

static int read_lcp(run *r, const bench_problem *p) {
  r->lcp = newLCP();
  if (p->file != NULL)
    return linearComplementarity_newFromFilename(r->lcp, p->file), r->lcp->M != NULL;
  r->lcp->size = p->n;
  r->lcp->M = matrix(&p->M);
  r->lcp->q = copy(p->q, p->n);
  return 1;
}

static int read_problem(run *r, const bench_problem *p) {
  if (p->kind == PROBLEM_LCP) return read_lcp(r, p);
  if (p->file == NULL) return 0;
  if (p->kind == PROBLEM_MLCP) {
    r->mlcp = mixedLinearComplementarity_new();
    return mixedLinearComplementarity_newFromFilename(r->mlcp, p->file) == 0;
  }
  r->relay = relay_new_from_filename(p->file);
  return r->relay != NULL;
}

static void *open_run(const bench_problem *p, int i, double tol) {
  int n;
  const int id = list_of(p->kind, &n)[i].id;
  const int blocks = p->M.kind == PERP_BLOCKS && p->M.offset != NULL && p->file == NULL;
  if (p->M.kind == PERP_BLOCKS && !blocks && p->n > DENSE_MOST) return NULL;
  if (p->kind == PROBLEM_LCP && p->file == NULL && blocks != (id == SICONOS_LCP_NSGS_SBM))
    return NULL;
  run *r = (run *)calloc(1, sizeof *r);
  r->kind = p->kind;
  r->options = solver_options_create(id);
  if (r->options == NULL || !read_problem(r, p)) return NULL;
  r->options->dparam[SICONOS_DPARAM_TOL] = tol;
  r->options->iparam[SICONOS_IPARAM_MAX_ITER] = 1000000;
  if (p->kind == PROBLEM_MLCP) mlcp_driver_init(r->mlcp, r->options);
  return r;
}

static int solve(void *opened, double *z, double *w) {
  run *r = (run *)opened;
  if (r->kind == PROBLEM_LCP) return linearComplementarity_driver(r->lcp, z, w, r->options);
  if (r->kind == PROBLEM_MLCP) return mlcp_driver(r->mlcp, z, w, r->options);
  return relay_driver(r->relay, z, w, r->options);
}

const bench_peer peer_numerics = {"siconos", count, solver, open_run, solve};
