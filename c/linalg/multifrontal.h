/* SPDX-License-Identifier: MIT */
/* The multifrontal factor: what the analysis of a pattern finds, and where the numbers go.
 * Unknowns are numbered anew ("places"), so that those of one front follow one another. */
#ifndef PERP_LINALG_MULTIFRONTAL_H
#define PERP_LINALG_MULTIFRONTAL_H

#include <stddef.h>
#include <stdint.h>

#include "perp/sparse.h"

typedef struct multifrontal {
  int32_t n, fronts;
  int32_t *start, *index; /* the pattern that was analysed                              */
  int32_t *order;         /* n: the unknown at each place                               */
  int32_t *own;           /* fronts + 1: the first place that a front eliminates        */
  int32_t *row_start;     /* fronts + 1: in row                                         */
  int32_t *row;           /* the places beyond own that a front has, ascending          */
  int32_t *link;          /* the same, as rows of the parent's front                    */
  int32_t *children;      /* fronts: how many                                           */
  int32_t *entry_start;   /* fronts + 1: in entry                                       */
  int32_t *entry;         /* start[n]: entries of the matrix, front by front            */
  size_t *target;         /* start[n]: where they go in the front                       */
  size_t *panel;          /* fronts + 1: L (m x w) and U (w x h) in factor              */
  int32_t *pivots;        /* n: row exchanges within the front                          */
  double *factor;
  double *front;  /* m x m of the largest front                                        */
  double *stack;  /* what fronts leave to their parents                                */
  double *vector; /* 2 n                                                               */
  void *klu;      /* factor of KLU, where this one is not stable                        */
  int use_klu;
} multifrontal;

/* Rows and columns of front f that are eliminated, and that are left. */
static inline int32_t front_width(const multifrontal *s, int32_t f) {
  return s->own[f + 1] - s->own[f];
}
static inline int32_t front_height(const multifrontal *s, int32_t f) {
  return s->row_start[f + 1] - s->row_start[f];
}

/* Analyse the pattern (n > 0), whose arrays are copied. 0: no memory, or the factor would take more
 * than `most` multiply-adds. What is there already is freed. */
int perp_multifrontal_analyse(multifrontal *s, int32_t n, const int32_t *start,
                              const int32_t *index, double most);

/* Free everything but klu. */
void perp_multifrontal_forget(multifrontal *s);

/* perp_sparse_multifrontal(), but with PERP_EBACKEND where a factor would take more than 5e9
 * multiply-adds. */
const perp_sparse *perp_multifrontal_affordable(void);

#endif
