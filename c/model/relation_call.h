/* SPDX-License-Identifier: MIT */
/* A user's function of a relation, f(t, a, b, z), and its derivatives by differences. */
#ifndef PERP_MODEL_RELATION_CALL_H
#define PERP_MODEL_RELATION_CALL_H

#include "model/curve.h"
#include "perp/experimental.h"

/* The type of perp_relation_fn, perp_gap_fn and perp_velocity_fn. */
typedef int32_t (*relation_fn)(double t, const double *a, const double *b, const double *z,
                               double *out, void *user);

/* f at a point: a is x or q, b is λ or v. */
typedef struct relation_call {
  relation_fn f;
  double t;
  const double *a, *b, *z;
  void *user;
  int32_t m; /* entries that f writes */
} relation_call;

/* Doubles of scratch for derivatives of m functions by n unknowns. */
size_t perp_relation_call_doubles(int32_t m, int32_t n);

/* out := f, having been set to 0 first. */
int32_t perp_relation_call(const relation_call *call, double *out);

/* out := f; answers 0, too, with *go_on = 0, if out is not finite: whoever evaluates the relation
 * says so, and differences of it would not. */
int32_t perp_relation_call_value(const relation_call *call, double *out, int *go_on);

/* J (m x n) += ∂f/∂a (by_b 0) or ∂f/∂b (1), one-sided. typical: n sizes, NULL: 1. */
int32_t perp_relation_call_forward(const relation_call *call, int by_b, int32_t n,
                                   const double *typical, double *J, double *scratch);
/* J := the same by central differences, for what enters values too. */
int32_t perp_relation_call_central(const relation_call *call, int by_b, int32_t n,
                                   const double *typical, double *J, double *scratch);
/* out := ∂f/∂t, central. */
int32_t perp_relation_call_time(const relation_call *call, double *out, double *scratch);

/* A call whose first vector moves: a + s v at t + s, or at t if time stands still. */
typedef struct relation_motion {
  relation_call call;
  const double *v;
  int32_t n;
  int time;
} relation_motion;

/* out := CURVE_RATE or CURVE_ACCELERATION of f along the motion. typical: sizes of a, NULL: 1. */
int32_t perp_relation_call_curve(const relation_motion *motion, int32_t which,
                                 const double *typical, double *out, double *scratch);
/* Doubles of its scratch. */
size_t perp_relation_curve_doubles(int32_t m, int32_t n);

/* y += H v, H m x n. */
void perp_relation_product(int32_t m, int32_t n, const double *H, const double *v, double *y);

/* H of a perp_first_order_relation whose C is NULL once more, by central differences: one-sided
 * ones are too coarse to be differentiated along a motion. H of others stays. Scratch as evaluate;
 * answers as callbacks do. first_order_relation.c */
int32_t perp_relation_fine_C(const perp_relation *relation, const perp_relation_point *at,
                             double *H, double *scratch);

/* What every description with callbacks needs: m m, m n and n n can be numbered, n_z fits to z. */
perp_status perp_relation_check_sizes(const perp_relation *relation, const double *z, int32_t n_z,
                                      perp_info *info);

#endif
