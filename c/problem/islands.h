/* SPDX-License-Identifier: MIT */
/* Islands: the connected components of the graph whose nodes are the copies of the laws and whose
 * edges are the nonzero blocks of M. Each is a problem of its own. */
#ifndef PERP_PROBLEM_ISLANDS_H
#define PERP_PROBLEM_ISLANDS_H

#include "base/arena.h"
#include "perp/solver.h"

typedef struct islands {
  const perp_problem *problem;
  int32_t nodes;  /* copies of laws; an interval law of several components is one, too */
  int32_t count;  /* islands                                                    */
  int32_t *begin; /* n + 1: first unknown of each node, and n behind the last   */
  int32_t *law;   /* n: law block of each node                                  */
  int32_t *copy;  /* n: which copy of it                                        */
  int32_t *node;  /* n: node of each unknown                                    */
  int32_t *owner; /* n: island of each node                                     */
  int32_t *order; /* n: nodes, island by island, ascending within one           */
  int32_t *first; /* n + 1: where each island begins in order                   */
  int32_t *row;   /* n: block row of each unknown, blocks only                  */
  size_t *at;     /* n: where the values of each block row begin, blocks only   */
} islands;

/* One island taken out; its arrays have room for every one. */
typedef struct island {
  perp_problem problem;
  int32_t *list; /* n: its unknowns in the whole                    */
  double *lambda, *y, *q;
  double *weight, *floor; /* n, where the whole has them        */
  double *values;
  int32_t *start, *index, *offset;
  int32_t *place; /* n: of a block row within the island            */
  const perp_law **laws;
  const void **states;
} island;

void perp_islands_carve(islands *s, arena *a, int32_t n);
void perp_island_carve(island *s, arena *a, const perp_shape *shape);

/* Find the islands of a checked problem; one sweep over the structure of M, which ends where all
 * nodes are known to be connected. */
void perp_islands_find(islands *s, const perp_problem *problem);

/* Unknowns of island k. */
int32_t perp_island_size(const islands *s, int32_t k);

/* Take out island k, with its part of lambda. */
void perp_island_extract(const islands *s, int32_t k, const double *lambda, island *out);

/* The state of a node's law, NULL: it has none. */
const void *perp_island_state(const islands *s, int32_t node);

/* The block of M (size x size, column-major) at the only node of an island. */
void perp_island_block(const islands *s, int32_t node, double *B);

#endif
