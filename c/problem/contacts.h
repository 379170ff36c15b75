/* SPDX-License-Identifier: MIT */
/* The copies of the laws of a checked problem one after another, as solvers by block see them. */
#ifndef PERP_PROBLEM_CONTACTS_H
#define PERP_PROBLEM_CONTACTS_H

#include "perp/problem.h"

/* One copy of a law. Laws by component (sets up to PERP_SET_BOX) come component by component, with
 * size 1; their bounds are those of perp_problem_bounds() at begin. */
typedef struct contact {
  int32_t begin; /* first unknown                                              */
  int32_t size;  /* unknowns                                                   */
  int32_t set;   /* PERP_SET_...                                               */
  int32_t block; /* law block                                                  */
  double mu;     /* friction and rolling, 0 elsewhere                          */
  double mu_rolling;
  const perp_law *law;
  const void *state; /* of this copy, NULL: the law has none                   */
} contact;

/* How many there are, and the size of the largest. */
int32_t perp_problem_contact_count(const perp_problem *problem, int32_t *largest);

/* Write them, in the order of their unknowns. */
void perp_problem_contacts(const perp_problem *problem, contact *out);

#endif
