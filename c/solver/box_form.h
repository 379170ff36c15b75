/* SPDX-License-Identifier: MIT */
/* A problem in box form that one solver makes, in memory of its own, for another to solve: one
 * block of laws by component. */
#ifndef PERP_SOLVER_BOX_FORM_H
#define PERP_SOLVER_BOX_FORM_H

#include "base/arena.h"
#include "perp/lcp.h"
#include "perp/solver.h"

typedef struct box_form {
  double *M, *q, *lower, *upper;
  double *z, *w; /* start and answer                        */
  void *work;    /* bytes, of the solver; 0: it takes none  */
  size_t bytes;
} box_form;

/* entries: of M; n: of q, z, w; bounds: of lower and upper. */
void perp_box_form_carve(box_form *f, arena *a, size_t entries, size_t n, size_t bounds,
                         size_t bytes);

/* Bytes that a solver needs for n unknowns of this set with a dense M, 0: no such size. */
size_t perp_box_form_bytes(const perp_solver *solver, int32_t n, int32_t set, const void *options);

/* The problem of this set in plain arrays, which are checked first; an LCP has no bounds. */
perp_status perp_box_arrays_solve(const perp_solver *solver, int32_t set, const perp_mlcp *problem,
                                  const void *options, double *z, double *w, void *work,
                                  size_t work_bytes, perp_info *info);

static inline perp_mlcp box_arrays(const perp_lcp *p) {
  const perp_mlcp m = {p->n, p->ld, p->M, p->q, NULL, NULL};
  return m;
}

/* A law by component, and the pointer through which a problem knows it. */
typedef struct block_law {
  union {
    perp_law law;
    perp_equality equality;
    perp_complementarity orthant;
    perp_box box;
  } of;
  const perp_law *head;
} block_law;

/* One block of PERP_SET_FREE, _ORTHANT, or _BOX, which alone looks at the bounds. The problem
 * refers to law. */
static inline perp_problem box_form_problem(block_law *law, int32_t set, perp_matrix M,
                                            const double *q, const double *lower,
                                            const double *upper) {
  if (set == PERP_SET_FREE) {
    (void)perp_equality_init(&law->of.equality, sizeof law->of.equality);
  } else if (set == PERP_SET_ORTHANT) {
    (void)perp_complementarity_init(&law->of.orthant, sizeof law->of.orthant);
  } else {
    (void)perp_box_init(&law->of.box, sizeof law->of.box);
    law->of.box.lower = lower;
    law->of.box.upper = upper;
  }
  law->of.law.size = M.rows;
  law->head = &law->of.law;
  return perp_problem_of(M, q, M.rows > 0, &law->head, NULL);
}

#endif
