/* SPDX-License-Identifier: MIT */
/* The methods auto chooses among: their order for each class of problems, what an iteration costs,
 * and the memory they may want. */
#ifndef PERP_PORTFOLIO_CANDIDATES_H
#define PERP_PORTFOLIO_CANDIDATES_H

#include "solver/options.h"

/* What an iteration costs by the model of docs/auto.md. */
enum { COST_PIVOT, COST_FACTOR, COST_CUBE, COST_SWEEP };

/* What it needs: M = Mᵀ; leave to allocate. */
enum { NEEDS_SYMMETRIC = 1, NEEDS_ALLOCATION = 2 };

typedef struct candidate {
  const perp_solver *(*solver)(void);
  int cost;
  int needs;
  double share;                     /* of the budget; above 1 only where that is the default */
  void (*preset)(solver_options *); /* of its own options; NULL: their defaults              */
  int32_t most;                     /* unknowns, 0: any number                               */
} candidate;

/* Classes of problems. */
enum {
  CLASS_SMALL,
  CLASS_BOXES,
  CLASS_SYMMETRIC,
  CLASS_GENERAL,
  CLASS_OTHERS,
  CLASS_SPARSE,
  CLASS_WIDE,
  CLASSES
};

typedef struct plan {
  const candidate *list;
  int32_t count;
} plan;

plan perp_candidates(uint32_t class);

/* Up to SMALL unknowns pivoting is faster than a look at M; up to ENUMERATE the search over all
 * solutions is the last resort. */
enum { SMALL = 32, ENUMERATE = 15 };

/* Laws by component. */
#define INTERVAL_SETS (1u << PERP_SET_FREE | 1u << PERP_SET_ORTHANT | 1u << PERP_SET_BOX)

static inline int interval_laws(const perp_shape *shape) {
  return (shape->sets & ~INTERVAL_SETS) == 0;
}

/* Multiply-adds of one iteration. */
double perp_candidate_cost(int cost, const perp_shape *shape);

/* Multiply-adds for all of them, where the user says nothing. */
double perp_default_budget(const perp_shape *shape);

/* Whether M, symmetric or not, is of the class of sparse matrices for which dense methods and long
 * envelopes come last. */
int perp_few_entries(const perp_shape *shape);
int perp_long_envelope(const perp_shape *shape);

/* Multiply-adds for the candidates of these two classes: no multiple of the cost of an envelope. */
double perp_sparse_budget(const perp_shape *shape);

/* out := its options, the common fields as given (NULL: the defaults). */
void perp_candidate_options(const candidate *c, const perp_solver_options *common,
                            solver_options *out);

/* Bytes a candidate needs, 0 if it does not accept the problem or wants far more than M has. */
size_t perp_candidate_bytes(const candidate *c, const perp_shape *shape);

/* Bytes of the largest candidate, and of the verification. For at most SMALL unknowns with laws by
 * component an upper bound of these and auto's own, since asking each would take longer than a
 * solve. */
size_t perp_candidates_bytes(const perp_shape *shape);

#endif
