/* SPDX-License-Identifier: MIT */
/* What acts in a step, and its one-step problems. */
#ifndef PERP_STEPPING_ACTIVE_H
#define PERP_STEPPING_ACTIVE_H

#include "perp/solver.h"

/* An active unit: copy of interaction k of a run. */
typedef struct active_unit {
  int32_t unit, run, k, copy;
} active_unit;

/* A stretch of active units whose rows are neighbours in the state: along k in a run of
 * interactions with one row, otherwise copies of one interaction. */
typedef struct segment {
  int32_t run, k, copy, count;
  int32_t row; /* of its first unit in the active rows */
} segment;

/* An independent one-step problem: units first ... first + count - 1 of the active ones. */
typedef struct island {
  int32_t first, count;
  int32_t row, rows;       /* in the active rows                     */
  int32_t law, laws;       /* first law block, number of them        */
  size_t block, entry;     /* first stored block, first value        */
  size_t warm, warm_bytes; /* its part of the warm bytes */
  size_t envelope;         /* bound, as in perp_shape    */
  int32_t weighted;        /* its rows have unequal weights */
} island;

/* Whether a unit is among the sorted ones from *at to end, for units asked in their order. */
static inline int active_among(const int32_t **at, const int32_t *end, int32_t unit) {
  while (*at < end && **at < unit) ++*at;
  if (*at == end || **at != unit) return 0;
  ++*at;
  return 1;
}

/* Problems that are those acting, and such that a steady step may follow (steady.c). */
enum { ASSEMBLED = 1, ASSEMBLED_STEADY = 2 };

/* The units that act. */
typedef struct active_set {
  int32_t n, n_acted;      /* units active now, and at the state's λ */
  int32_t *acting, *acted; /* their numbers, increasing               */
  active_unit *units;      /* those that act, island by island        */
  active_unit *unsorted;   /* scratch of the sort                     */
  int32_t n_listed;        /* in units                                */
  int32_t *place;          /* of a unit in units, -1: not active      */
  int32_t *parent;         /* union-find over active units            */
  unsigned char *acts;     /* of all units: 1 of those acting; NULL: not a live model */
  segment *segments;
  island *islands;
  int32_t n_segments, n_islands;
  int32_t assembled; /* the problems are those acting: not 0, ASSEMBLED_... */
  int32_t fresh;     /* they were assembled in this step        */
  int32_t single;    /* each island is a unit, and its law has solved it so far */
} active_set;

/* Their problems, one behind the other. */
typedef struct active_problem {
  int32_t rows;
  int32_t *start, *index, *cut, *law_offset, *row_id;
  double *value, *rhs, *lambda, *y;
  double *weight;  /* where an island is weighted */
  double *kept;    /* diagonal of M while it is relaxed; NULL: no law is an equality */
  double *preload; /* known part of λ; NULL: no law has any */
  unsigned char *modes;
  const perp_law **laws;
  const void **states;
  double *residual_work; /* of a single unit */
  unsigned char *warm;
  size_t warm_bytes;
  uint32_t sets; /* of all laws */
  uint32_t stamp;
  unsigned char *work; /* of the solver */
  size_t work_bytes;
} active_problem;

#endif
