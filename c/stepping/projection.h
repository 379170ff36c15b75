/* SPDX-License-Identifier: MIT */
/* Projections of the positions, and what they have added to them. */
#ifndef PERP_STEPPING_PROJECTION_H
#define PERP_STEPPING_PROJECTION_H

#include "perp/law.h"

/* A row of y that is projected: of interaction k of a run. */
typedef struct projection_row {
  int32_t run, k, row, unilateral;
} projection_row;

/* The problem of a projection, compressed rows. */
typedef struct projection {
  perp_equality bilateral;
  perp_complementarity unilateral;
  int32_t n;
  projection_row *rows;
  int32_t *first; /* n_interactions + 1: rows of each interaction */
  int32_t *start, *index, *mark, *offset;
  double *value, *rhs, *mu, *y;
  double *floor;         /* what a row may miss               */
  double *d;             /* n_v: the displacement             */
  unsigned char *listed; /* units: 1 if their rows are in rows */
  const perp_law **laws;
  double *shift; /* n_v: the sum of all displacements of a step; NULL: no projections, or of a swept
                    pool, which moves positions itself */
} projection;

#endif
