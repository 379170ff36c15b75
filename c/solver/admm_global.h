/* SPDX-License-Identifier: MIT */
/* The linear system of ADMM on a problem in global form, (M + HᵀH / ρ) v = q + Hᵀ c / ρ, with the
 * rows of H scaled by contact. */
#ifndef PERP_SOLVER_ADMM_GLOBAL_H
#define PERP_SOLVER_ADMM_GLOBAL_H

#include "base/arena.h"
#include "linalg/envelope.h"
#include "perp/global.h"
#include "problem/contacts.h"

typedef struct admm_global_system {
  const perp_global_problem *g;
  const perp_sparse *table; /* NULL: dense                                      */
  int32_t n, m;
  int32_t general;                    /* the table wants both triangles                   */
  double rho;                         /* of the factor                                    */
  double *d;                          /* n: D                                             */
  int32_t *start, *index;             /* n + 1, entries of H                              */
  double *value;                      /* D H                                              */
  int32_t *column_start, *column_row; /* m + 1, entries: the rows that have entries       */
  row_reader rows;                    /* of M                                             */
  int32_t *k_start, *k_index, *mark;  /* m + 1, entries of M + HᵀH, m                     */
  double *k_M, *k_H, *k_sum;          /* entries of M, of HᵀH, and of M + HᵀH / ρ         */
  double *dense;                      /* m x m, without a table                           */
  void *handle;                       /* of the table                                     */
} admm_global_system;

/* Entries that M stores. */
uint64_t perp_admm_global_entries(const perp_matrix *M);

/* Memory; g, table, n, m are set. */
void perp_admm_global_carve(admm_global_system *s, arena *a);

/* Copy, scale and add up. four: 4 m. 0 if M is not symmetric. */
int perp_admm_global_prepare(admm_global_system *s, const contact *contacts, int32_t count,
                             double *four);

/* PERP_OK, PERP_EINVAL (not definite), or what the back end says. */
perp_status perp_admm_global_factor(admm_global_system *s, double rho);

/* v := (M + HᵀH / ρ)⁻¹ (q + Hᵀ c / ρ), and c := (c − H v) / ρ. PERP_OK or PERP_EBACKEND. */
perp_status perp_admm_global_solve(admm_global_system *s, double *c, double *v);

#endif
