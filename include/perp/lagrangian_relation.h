/* SPDX-License-Identifier: MIT */
/** @file lagrangian_relation.h
 * Nonlinear relations of systems of order 2; q and v hold the positions and velocities of the
 * systems joined, one after another, λ is an impulse under Moreau-Jean. The constant linear
 * relation is perp_lagrangian_linear_relation (model.h). Equations: docs/theory-model.md. */
#ifndef PERP_LAGRANGIAN_RELATION_H
#define PERP_LAGRANGIAN_RELATION_H

#include "perp/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A function of positions, or one of its Jacobians. lambda (m entries) is the multiplier *as a
 * force*: the impulse of the step divided by its length; z those of the description (NULL if it has
 * none). out was set to 0 before the call; matrices are column-major.
 * @return 0: done, > 0: ask for a smaller step, < 0: give up. Pure. */
typedef int32_t (*perp_gap_fn)(double t, const double *q, const double *lambda, const double *z,
                               double *out, void *user);

/** A function of positions and velocities, or its Jacobian; otherwise as ::perp_gap_fn. */
typedef int32_t (*perp_velocity_fn)(double t, const double *q, const double *v, const double *z,
                                    double *out, void *user);

/** What h of a ::perp_lagrangian_relation depends on besides q; bits of its field reads. */
enum {
  PERP_GAP_READS_TIME = 1,  /**< h depends on t; otherwise ∂h/∂t = 0 */
  PERP_GAP_READS_LAMBDA = 2 /**< h depends on λ; otherwise D = 0     */
};

/**
 * Relation of positions:  y = h(t, q, λ, z),  ẏ = H v + ∂h/∂t + (∂h/∂λ) λ̇,  r = Hᵀ λ,  H = ∂h/∂q.
 *
 * | set up by                            | y          | ẏ                   |
 * |--------------------------------------|------------|---------------------|
 * | perp_lagrangian_scleronomous_init()  | h(q, z)    | H v                 |
 * | perp_lagrangian_rheonomous_init()    | h(t, q, z) | H v + ∂h/∂t         |
 * | perp_lagrangian_compliant_init()     | h(q, λ, z) | H v + (∂h/∂λ) λ̇    |
 *
 * The last term of ẏ is discretised as (h(t, q, λ) − h(t, q, λ before))/h with the forces of this
 * step and of the last one. H by differences is central and of order four, since reactions and ẏ
 * are made of it: 4 n more calls of h; so is ∂h/∂t. D by differences is one-sided.
 */
typedef struct perp_lagrangian_relation {
  perp_relation relation;       /**< head                                                  */
  perp_gap_fn h;                /**< y, m entries                                          */
  perp_gap_fn H;                /**< ∂h/∂q, m x n; NULL: by differences                    */
  perp_gap_fn h_dt;             /**< ∂h/∂t, m entries; NULL: by differences                */
  perp_gap_fn D;                /**< ∂h/∂λ, m x m, λ a force; NULL: by differences         */
  void *user;                   /**< handed to all of them                                 */
  const double *z;              /**< n_z parameters, read in every evaluation              */
  int32_t n_z;                  /**< length of z, 0: none                                  */
  uint32_t reads;               /**< PERP_GAP_READS_TIME | PERP_GAP_READS_LAMBDA           */
  const double *typical_q;      /**< n sizes of q, > 0, for differences; NULL: 1          */
  const double *typical_lambda; /**< m sizes of λ, > 0, for differences; NULL: 1     */
  int32_t bodies;        /**< 1: joins bodies with quaternions; q has 7 entries for each, and H,
                              which must be given, is m x n with ẏ = H v            */
  int32_t reserved;      /**< 0                                                     */
  perp_velocity_fn bias; /**< γ(t, q, v) in ÿ = H v̇ + γ, m entries, for event-driven integration;
                              NULL: by differences. Not with λ in reads                 */
} perp_lagrangian_relation;

/**
 * Relation of velocities, without a position (nonholonomic: skates, wheels, clutches):
 *   ẏ = g(t, q, v, z),  r = Hᵀ λ,  H = ∂g/∂v,  y = 0.
 */
typedef struct perp_lagrangian_velocity_relation {
  perp_relation relation;  /**< head                                                  */
  perp_velocity_fn g;      /**< ẏ, m entries                                          */
  perp_velocity_fn H;      /**< ∂g/∂v, m x n; NULL: by differences (central)          */
  void *user;              /**< handed to both                                        */
  const double *z;         /**< n_z parameters, read in every evaluation              */
  int32_t n_z;             /**< length of z, 0: none                                  */
  int32_t bodies;          /**< 1: joins bodies with quaternions, 7 entries of q each */
  const double *typical_v; /**< n sizes of v, > 0, for differences; NULL: 1          */
  perp_velocity_fn bias;   /**< γ(t, q, v) in ÿ = H v̇ + γ, m entries; NULL: by differences */
} perp_lagrangian_velocity_relation;

/**
 * Contacts with tangential directions, for friction on mechanisms. Each copy of the law has size
 * rows, the first of them normal. With c = m/size gaps, H the rows of ∂h/∂q and T in turn:
 *   y = [h_1, 0 ..., h_2, 0 ...],  ẏ_n = (∂h/∂q) v + ∂h/∂t,  ẏ_t = T(t, q) v + s(t, q),
 *   r = Hᵀ λ.
 * lambda is not handed to these functions: NULL.
 */
typedef struct perp_lagrangian_contact_relation {
  perp_relation relation; /**< head                                                        */
  perp_gap_fn h;          /**< gaps, c entries                                             */
  perp_gap_fn G;          /**< ∂h/∂q, c x n; NULL: by differences (central)                */
  perp_gap_fn T;          /**< tangential directions, (m − c) x n: those of the first gap, of the
                               second, ...                                                 */
  perp_gap_fn h_dt;       /**< ∂h/∂t, c entries; NULL: 0                                   */
  perp_gap_fn s;          /**< tangential velocity of what the systems touch, with its sign in ẏ_t
                               (a belt that moves with w: −w), m − c entries; NULL: 0      */
  void *user;             /**< handed to all of them                                       */
  const double *z;        /**< n_z parameters, read in every evaluation                    */
  int32_t n_z;            /**< length of z, 0: none                                        */
  int32_t size;           /**< rows of a copy, >= 2; divides m                             */
  const double *typical_q; /**< n sizes of q, > 0, for differences; NULL: 1                */
  int32_t bodies;          /**< 1: as in ::perp_lagrangian_relation, with G given           */
  int32_t reserved;        /**< 0                                                           */
  perp_velocity_fn bias; /**< γ(t, q, v) in ÿ = H v̇ + γ of all m rows; NULL: by differences */
} perp_lagrangian_contact_relation;

/** Set the head and the bits of reads, and zero the rest; m rows, n columns (velocities of the
 * systems joined), size is sizeof of the caller's struct.
 * @return PERP_OK, or PERP_EINVAL if relation is NULL, m < 1, n < 1 or size is not one this
 * library knows. Since 0.1. */
PERP_API perp_status perp_lagrangian_scleronomous_init(perp_lagrangian_relation *relation,
                                                       size_t size, int32_t m, int32_t n);
/** @copydoc perp_lagrangian_scleronomous_init */
PERP_API perp_status perp_lagrangian_rheonomous_init(perp_lagrangian_relation *relation,
                                                     size_t size, int32_t m, int32_t n);
/** @copydoc perp_lagrangian_scleronomous_init */
PERP_API perp_status perp_lagrangian_compliant_init(perp_lagrangian_relation *relation, size_t size,
                                                    int32_t m, int32_t n);
/** Set the head and zero the rest; otherwise as perp_lagrangian_scleronomous_init(). Since 0.1. */
PERP_API perp_status perp_lagrangian_velocity_relation_init(
    perp_lagrangian_velocity_relation *relation, size_t size, int32_t m, int32_t n);
/** For contacts of `rows` rows each (2 in the plane, 3 in space): m = rows times the
 * number of gaps.
 * @return PERP_OK, or PERP_EINVAL as above, or if gaps < 1, rows < 2 or their product exceeds
 * 2^31 - 1. Since 0.1. */
PERP_API perp_status perp_lagrangian_contact_relation_init(
    perp_lagrangian_contact_relation *relation, size_t size, int32_t gaps, int32_t rows, int32_t n);

#ifdef __cplusplus
}
#endif
#endif
