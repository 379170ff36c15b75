/* SPDX-License-Identifier: MIT */
/* Orders of unknowns in which a symmetric factor stays near the diagonal. */
#ifndef PERP_LINALG_ORDER_H
#define PERP_LINALG_ORDER_H

#include "perp/matrix.h"

/* A square matrix of blocks as a graph of nodes, each of them unknowns in a row that stay together:
 * two are neighbours where an entry is stored. */
typedef struct order_graph {
  const perp_matrix *M;   /* PERP_BLOCKS                                              */
  int32_t nodes;          /* how many                                                 */
  const int32_t *first;   /* nodes + 1: node k has unknowns first[k] ... first[k+1]-1 */
  const int32_t *node_of; /* M->rows: node of each unknown                            */
  const int32_t *row_of;  /* M->rows: block row of each unknown                       */
} order_graph;

/* order[k] := the k-th node in the order of Cuthill and McKee, reversed. mark, degree: nodes each.
 */
void perp_order_cuthill_mckee(const order_graph *graph, int32_t *order, int32_t *mark,
                              int32_t *degree);

/* Places of the lower triangle of M + Mᵀ within its envelope, in an order of the nodes; SIZE_MAX if
 * it overflows. place, low: nodes each; place[order[k]] = k afterwards. */
size_t perp_order_envelope(const order_graph *graph, const int32_t *order, int32_t *place,
                           int32_t *low);

#endif
