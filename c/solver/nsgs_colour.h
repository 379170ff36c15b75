/* SPDX-License-Identifier: MIT */
/* An order of the contacts in which many can be solved at once. Contacts that meet in M form groups
 * of a microsecond's work, which are solved one after the other; groups have colours, of which none
 * has two groups that meet. So there are few colours, and much to do in each. */
#ifndef PERP_SOLVER_NSGS_COLOUR_H
#define PERP_SOLVER_NSGS_COLOUR_H

#include "solver/nsgs.h"

/* The sweep in colours. Colour c has the chunks begin[c] ... begin[c+1]-1, chunk k the rows row[k]
 * ... row[k+1]-1. Chunks depend on the problem alone. */
typedef struct colouring {
  int32_t colours;
  int32_t *begin; /* count + 1                                          */
  int32_t *row;   /* count + 1                                          */
  double *change; /* count: what the chunks found                       */
  /* while it is made */
  int32_t *owner;  /* n: contact of an unknown                         */
  size_t *start;   /* count + 1: neighbours of a contact               */
  int32_t *next;   /* edges: one by one; some twice                    */
  int32_t *group;  /* count: first contact of the group, itself mostly */
  int32_t *colour; /* count: of the group, at its first contact        */
  int32_t *mark;   /* count                                            */
  contact *sorted; /* count                                            */
  size_t edges;
} colouring;

void perp_colouring_carve(colouring *c, arena *a, const perp_shape *shape, int wanted);

/* Order s->contacts and cut them into chunks. */
void perp_colouring_make(colouring *c, nsgs *s);

/* One sweep; order: that of the colours, NULL: as they are. As perp_nsgs_sweep(). */
double perp_colouring_sweep(const colouring *c, const nsgs *s, int backward, const int32_t *order);

#endif
