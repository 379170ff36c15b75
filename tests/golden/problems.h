/* SPDX-License-Identifier: MIT */
/* One-step problems out of integers, so that every machine makes the same ones: entries of M and q
 * are whole numbers divided by a power of two. */
#ifndef PERP_TESTS_GOLDEN_PROBLEMS_H
#define PERP_TESTS_GOLDEN_PROBLEMS_H

#include "perp/perp.h"

enum { GOLDEN_N = 30, GOLDEN_FAMILIES = 18, GOLDEN_INSTANCES = 5 };

/* Whole numbers that look random (xorshift). */
typedef struct golden_source {
  uint32_t state;
} golden_source;

golden_source golden_source_start(int32_t seed);
int32_t golden_integer(golden_source *s, int32_t low, int32_t high); /* low ... high */

/* M := B Bᵀ / 16 + shift 1, n x n, B of n rows and rank columns of whole numbers. */
void golden_product(golden_source *s, double *M, int32_t n, int32_t rank, double shift);

/* A problem with all that it views. */
typedef struct golden_problem {
  double M[GOLDEN_N * GOLDEN_N], values[GOLDEN_N * GOLDEN_N];
  int32_t start[GOLDEN_N + 1], index[GOLDEN_N * GOLDEN_N], offset[GOLDEN_N + 1];
  double q[GOLDEN_N], lower[GOLDEN_N], upper[GOLDEN_N], H[8 * GOLDEN_N], K[8];
  perp_equality equality;
  perp_complementarity complementarity;
  perp_box box;
  perp_polyhedron polyhedron;
  perp_friction friction, small;
  perp_rolling rolling;
  const perp_law *laws[GOLDEN_N];
  perp_problem problem;
} golden_problem;

const char *golden_family(int32_t family);
/* Make member number instance of a family. */
void golden_problem_init(golden_problem *p, int32_t family, int32_t instance);

#endif
