/* SPDX-License-Identifier: MIT */
/** @file first_order_relation.h
 * Nonlinear and time-dependent relations of first-order systems; x holds the states of the systems
 * joined, one after another, λ has force level (a current, a voltage). The constant linear relation
 * is perp_linear_relation (model.h). Equations: docs/theory-model.md. */
#ifndef PERP_FIRST_ORDER_RELATION_H
#define PERP_FIRST_ORDER_RELATION_H

#include "perp/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A function of a relation, or one of its Jacobians: x has n entries, lambda m, z those of the
 * description (NULL if it has none). out was set to 0 before the call, so that a Jacobian need
 * write its nonzeros only; matrices are column-major.
 * @return 0: done, > 0: ask for a smaller step, < 0: give up. Pure. */
typedef int32_t (*perp_relation_fn)(double t, const double *x, const double *lambda,
                                    const double *z, double *out, void *user);

/** What the functions of a ::perp_first_order_relation depend on; bits of its field reads. */
enum {
  PERP_OUTPUT_READS_LAMBDA = 1, /**< h depends on λ; otherwise D = 0 */
  PERP_REACTION_READS_X = 2     /**< g depends on x; otherwise K = 0 */
};

/**
 * First-order nonlinear relation:  y = h(t, x, λ, z),  r = g(t, x, λ, z).
 *
 * | set up by                            | equations                          |
 * |--------------------------------------|------------------------------------|
 * | perp_first_order_relation_init()     | y = h(t, x, λ, z), r = g(t, x, λ, z) |
 * | perp_first_order_type1_init()        | y = h(t, x, z),    r = g(t, λ, z)    |
 * | perp_first_order_type2_init()        | y = h(t, x, λ, z), r = g(t, λ, z)    |
 *
 * A Jacobian that is NULL is formed by one-sided differences with steps of √ε max(|x_j|,
 * typical_j): n (or m) more calls of the function; C in event-driven integration by central ones,
 * 4 n more. What g returns is added to the equation of
 * motion.
 */
typedef struct perp_first_order_relation {
  perp_relation relation;       /**< head                                                  */
  perp_relation_fn h;           /**< y, m entries                                          */
  perp_relation_fn g;           /**< r, n entries; NULL: 0 (y is only observed)            */
  perp_relation_fn C;           /**< ∂h/∂x, m x n; NULL: by differences                    */
  perp_relation_fn D;           /**< ∂h/∂λ, m x m; NULL: by differences                    */
  perp_relation_fn B;           /**< ∂g/∂λ, n x m; NULL: by differences                    */
  perp_relation_fn K;           /**< ∂g/∂x, n x n; NULL: by differences                    */
  void *user;                   /**< handed to all of them                                 */
  const double *z;              /**< n_z parameters, read in every evaluation              */
  int32_t n_z;                  /**< length of z, 0: none                                  */
  uint32_t reads;               /**< PERP_OUTPUT_READS_LAMBDA | PERP_REACTION_READS_X      */
  const double *typical_x;      /**< n sizes of x, > 0, for differences; NULL: 1          */
  const double *typical_lambda; /**< m sizes of λ, > 0, for differences; NULL: 1     */
  perp_relation_fn
      h_dt; /**< ∂h/∂t, m entries, for event-driven integration; NULL: by differences */
} perp_first_order_relation;

/** Set the head and the bits of reads, and zero the rest; m rows, n columns, size is sizeof of the
 * caller's struct.
 * @return PERP_OK, or PERP_EINVAL if relation is NULL, m < 1, n < 1 or size is not one this
 * library knows. Since 0.1. */
PERP_API perp_status perp_first_order_relation_init(perp_first_order_relation *relation,
                                                    size_t size, int32_t m, int32_t n);
/** @copydoc perp_first_order_relation_init */
PERP_API perp_status perp_first_order_type1_init(perp_first_order_relation *relation, size_t size,
                                                 int32_t m, int32_t n);
/** @copydoc perp_first_order_relation_init */
PERP_API perp_status perp_first_order_type2_init(perp_first_order_relation *relation, size_t size,
                                                 int32_t m, int32_t n);

/**
 * First-order linear relation with coefficients that vary in time:
 *   y = C(t) x + D(t) λ + F(t) z + e(t),  r = B(t) λ + a(t).
 * Each coefficient is the function of time of its name if there is one, otherwise the constant of
 * its name in linear, otherwise 0. Shapes as there; functions find their output set to 0.
 */
typedef struct perp_linear_varying_relation {
  perp_linear_relation linear; /**< head, constants, z                  */
  perp_time_fn C;              /**< m x n                               */
  perp_time_fn D;              /**< m x m                               */
  perp_time_fn B;              /**< n x m                               */
  perp_time_fn F;              /**< m x n_z, needs linear.z             */
  perp_time_fn e;              /**< m                                   */
  perp_time_fn a;              /**< n                                   */
  void *user;                  /**< handed to all of them               */
} perp_linear_varying_relation;

/** @copydoc perp_linear_relation_init */
PERP_API perp_status perp_linear_varying_relation_init(perp_linear_varying_relation *relation,
                                                       size_t size, int32_t m, int32_t n);

#ifdef __cplusplus
}
#endif
#endif
