/* SPDX-License-Identifier: MIT */
/* A given Jacobian against differences of its function, entry by entry, for the derivative checker.
 */
#ifndef PERP_MODEL_DERIVATIVE_H
#define PERP_MODEL_DERIVATIVE_H

#include "perp/check.h"
#include "perp/experimental.h"

/* Systems side by side and where they are: positions, velocities or states, multipliers. */
typedef struct derivative_site {
  const perp_model *model;
  const int32_t *systems;
  int32_t n_systems;
  int32_t order, m, n, n_q;
  double t;
  const double *q, *v, *lambda; /* q: NULL at order 1 */
} derivative_site;

/* A point beside it. */
typedef struct derivative_point {
  double t;
  const double *q, *v, *lambda;
} derivative_point;

enum {
  DERIVATIVE_BY_Q = 0,
  DERIVATIVE_BY_V = 1,
  DERIVATIVE_BY_LAMBDA = 2,
  DERIVATIVE_BY_TIME = 3,
  DERIVATIVE_BY_MOTION = 4 /* one column: along t + s, q ⊕ s v */
};

/* A function and its Jacobian, given. */
typedef struct derivative_task {
  const char *name;
  /* Write rows entries, all of them; answers as callbacks do. */
  int32_t (*f)(const void *context, const derivative_point *at, double *out);
  const void *context;
  const double *J; /* rows x columns, stride rows */
  const double *typical;
  int32_t rows, columns, by;
  int32_t coarse; /* J may come from one-sided differences itself                        */
  int32_t every;  /* of the rows only each every-th, from 0; 1: all                     */
  int32_t zeros;  /* 1: rows of f that are 0 all about have no derivative to compare    */
  int32_t still;  /* 1: nor have rows that do not change                                */
} derivative_task;

/* Memory of the largest task and site. */
typedef struct derivative_memory {
  double *q, *v, *lambda, *d; /* the moved point, an increment */
  double *f[4];
} derivative_memory;

/* Compare; the report gets the worst entry of kind found and index. Answers 0, or a negative number
 * if f gave up. */
int32_t perp_derivative_compare(const derivative_task *task, const derivative_site *site,
                                const derivative_memory *memory, double tol, int32_t found,
                                int32_t index, perp_derivative_report *report);

/* Values of the largest relation, at a site and beside it; n zeros; γ; its scratch. */
typedef struct derivative_values {
  perp_relation_values here, beside;
  double *rest, *gamma, *scratch;
} derivative_values;

/* All that the relation of an interaction gives (derivative_relation.c). */
int32_t perp_derivative_relation(const perp_interaction *inter, const derivative_values *values,
                                 const derivative_site *site, const derivative_memory *memory,
                                 double tol, int32_t index, perp_derivative_report *report);

/* A Jacobian whose callback wrote behind its end. */
void perp_derivative_overrun(const char *name, int32_t overrun, int32_t found, int32_t index,
                             perp_derivative_report *report);

#endif
