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

/* The peer's block rows of ours; never freed: the process ends with the measurement. */
static NumericsMatrix *block_rows(const perp_matrix *M) {
  const int rows = M->block_rows, blocks = M->start[rows];
  SparseBlockStructuredMatrix *s = SBM_new();
  s->nbblocks = (unsigned)blocks;
  s->block = (double **)malloc((size_t)blocks * sizeof *s->block);
  s->blocknumber0 = s->blocknumber1 = (unsigned)rows;
  s->blocksize0 = (unsigned *)malloc((size_t)rows * sizeof *s->blocksize0);
  s->blocksize1 = (unsigned *)malloc((size_t)rows * sizeof *s->blocksize1);
  s->filled1 = (size_t)rows + 1;
  s->filled2 = (size_t)blocks;
  s->index1_data = (size_t *)malloc(s->filled1 * sizeof *s->index1_data);
  s->index2_data = (size_t *)malloc(s->filled2 * sizeof *s->index2_data);
  double *at = (double *)M->values; /* not written to */
  s->index1_data[0] = 0;
  for (int r = 0; r < rows; r++) {
    s->blocksize0[r] = s->blocksize1[r] = (unsigned)M->offset[r + 1];
    s->index1_data[r + 1] = (size_t)M->start[r + 1];
    for (int k = M->start[r]; k < M->start[r + 1]; k++) {
      const int c = M->index[k];
      s->index2_data[k] = (size_t)c;
      s->block[k] = at;
      at += (M->offset[r + 1] - M->offset[r]) * (M->offset[c + 1] - M->offset[c]);
    }
  }
  return NM_new_SBM(M->rows, M->cols, s);
}

static NumericsMatrix *dense_copy(const perp_matrix *M) {
  NumericsMatrix *A = NM_create(NM_DENSE, M->rows, M->cols);
  memset(A->matrix0, 0, (size_t)M->rows * (size_t)M->cols * sizeof *A->matrix0);
  for (int i = 0; i < M->rows; i++)
    for (int k = M->start[i]; k < M->start[i + 1]; k++)
      A->matrix0[(size_t)i + (size_t)M->rows * (size_t)M->index[k]] = M->values[k];
  return A;
}

static NumericsMatrix *matrix(const perp_matrix *M) {
  if (M->kind == PERP_BLOCKS && M->offset != NULL) return block_rows(M);
  if (M->kind == PERP_BLOCKS) return dense_copy(M);
  return NM_create_from_data(NM_DENSE, M->rows, M->cols, (double *)M->values);
}

static double *copy(const double *x, int n) {
  double *y = (double *)malloc((size_t)n * sizeof *y);
  return memcpy(y, x, (size_t)n * sizeof *y);
}

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
