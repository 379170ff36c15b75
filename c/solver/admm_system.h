/* SPDX-License-Identifier: MIT */
/* The linear system of ADMM, (A + ρI) r = b with A = D W D, in the order in which it is factorised.
 * D has one number on each contact, so that cones stay what they are. */
#ifndef PERP_SOLVER_ADMM_SYSTEM_H
#define PERP_SOLVER_ADMM_SYSTEM_H

#include "base/arena.h"
#include "linalg/envelope.h"
#include "linalg/order.h"
#include "perp/solver.h"
#include "perp/sparse.h"
#include "problem/contacts.h"

/* How A + ρI is factorised. */
enum {
  ADMM_CHOLESKY, /* dense, symmetric                                     */
  ADMM_LU,       /* dense                                                */
  ADMM_ENVELOPE, /* sparse, the symmetric part within its envelope       */
  ADMM_LOWER,    /* sparse, the symmetric part by a back end for these   */
  ADMM_GENERAL   /* sparse, A itself by a back end for any matrix        */
};

typedef struct admm_system {
  const perp_matrix *M;
  const perp_sparse *table; /* may be NULL                                             */
  int32_t n;
  int method;
  int skew;         /* the symmetric part is not all: what is left stands in skewed      */
  double *d;        /* n: D, in the order of the problem                                 */
  int32_t *place;   /* n: where unknown i stands                                         */
  double *values;   /* dense: n x n, the factor; sparse: entries, diagonal first in each row */
  double *skewed;   /* sparse, symmetric: of the entries: ((A − Aᵀ) / 2)                 */
  double *diagonal; /* n, sparse: A_ii                                                 */
  int32_t *start, *index; /* n + 1, entries                                            */
  int32_t *pivots;        /* n: dense                                                  */
  void *factor;           /* of the table                                              */
  row_reader rows;        /* of M                                                      */
  perp_matrix lower;      /* view of start, index, values                              */
  row_reader lower_rows;
  envelope env;
  order_graph graph;
  int32_t *order, *node_place, *first, *node_of; /* nodes, nodes, nodes + 1, n: the contacts */
} admm_system;

/* Memory for problems of a shape. Fails where the entries are too many to be counted. */
void perp_admm_carve(admm_system *s, arena *a, const perp_shape *shape, const perp_sparse *table);

/* Scale, order and copy the matrix of a checked problem; M, table and n are set. spare: 2 n. */
void perp_admm_prepare(admm_system *s, const contact *contacts, int32_t count, double *spare);

/* Factorise A + ρI. PERP_OK, PERP_EINVAL (not for this ρ), PERP_EUNSUPPORTED (the structure of M is
 * not symmetric), PERP_ENOTFINITE, PERP_EBACKEND. */
perp_status perp_admm_factor(admm_system *s, double rho);

/* Whether the factor that was made costs many solutions with it. */
int perp_admm_dear(const admm_system *s);

/* b := (A + ρI)⁻¹ b, of the symmetric part where skew says so. PERP_OK or PERP_EBACKEND. */
perp_status perp_admm_solve(admm_system *s, double *b);

/* b −= (A − Aᵀ) z / 2 where skew says so. */
void perp_admm_subtract_skew(const admm_system *s, const double *z, double *b);

void perp_admm_release(admm_system *s);

#endif
