/* SPDX-License-Identifier: MIT */
/** @file model.h
 * Systems, relations, interactions, and the model that joins them: const descriptions that the
 * caller owns. One description may appear many times: a thousand equal beads are one.
 *
 * Notation of Acary and Brogliato (2008): q positions, v velocities, x first-order state,
 * y = relative position or output, λ multiplier, r = reaction. */
#ifndef PERP_MODEL_H
#define PERP_MODEL_H

#include "perp/control.h"
#include "perp/law.h"
#include "perp/matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Write a function of time into f (as many entries as the system has, 0 before). 0: done, > 0: ask
 * for a smaller step, < 0: give up. Called once per time of the grid and run of equal systems;
 * pure. */
typedef int32_t (*perp_time_fn)(double t, double *f, void *user);

struct perp_system_ops;
struct perp_relation_ops;
struct perp_contact_pool;

/** Head of every system. Set by the _init function of the kind. */
typedef struct perp_system {
  const struct perp_system_ops *ops; /**< operations of the kind (experimental.h) */
  uint32_t struct_size;              /**< size of the whole description           */
  int32_t n;                         /**< degrees of freedom, >= 1                */
} perp_system;

/**
 * Lagrangian linear system:  M v̇ + C v + K q = f + F(t) + T(q) u(t, q, v) + r,  q̇ = v.
 * M, C, K are n x n: diagonal, dense or compressed rows (PERP_BLOCKS of 1 x 1), each as it likes;
 * a zeroed C or K is absent. Without control it is time-invariant and compiled; with it, evaluated
 * in every step, with dense matrices. Compiled with compressed rows and nothing dense it is
 * *sparse*, and the simulation needs a sparse back end in its options.
 */
typedef struct perp_lagrangian_linear {
  perp_system system;      /**< head                                             */
  perp_matrix M;           /**< mass, symmetric positive definite (kg)           */
  perp_matrix C;           /**< damping (N s/m)                                  */
  perp_matrix K;           /**< stiffness (N/m)                                  */
  const double *f;         /**< n: constant force (N), NULL: 0                   */
  perp_time_fn force;      /**< F(t), n entries (N), added to f; NULL: none      */
  void *user;              /**< handed to force                                  */
  perp_control control;    /**< T(q) u(t, q, v); zeroed: none                            */
  const double *z;         /**< n_z parameters of control, read in every evaluation      */
  const double *typical_q; /**< n typical sizes of q, > 0, for differences; NULL: 1      */
  const double *typical_v; /**< n typical sizes of v, > 0, for differences; NULL: 1      */
  int32_t n_z;             /**< length of z                                              */
  int32_t reserved;        /**< 0                                                        */
} perp_lagrangian_linear;

/**
 * First-order linear system:  M ẋ = (A + A(t)) x + b + B(t) + T(x) u(t, x) + r.
 * M, A are n x n, stored as in ::perp_lagrangian_linear; a zeroed M is the identity, a zeroed A is
 * absent. Without A(t) and control it is compiled; with one of them, evaluated in every step.
 */
typedef struct perp_first_order_linear {
  perp_system system;        /**< head                                           */
  perp_matrix M;             /**< regular; zeroed: identity                      */
  perp_matrix A;             /**< state matrix                                   */
  const double *b;           /**< n: constant input, NULL: 0                     */
  perp_time_fn input;        /**< time-dependent input, added to b; NULL: none   */
  void *user;                /**< handed to input and state_matrix               */
  perp_time_fn state_matrix; /**< A(t), n x n, column-major, set to 0 before the call; added to A;
                                  NULL: none                                            */
  perp_control control;      /**< T(x) u(t, x); zeroed: none                            */
  const double *z;           /**< n_z parameters of control, read in every evaluation   */
  const double *typical;     /**< n typical sizes of x, > 0, for differences; NULL: 1   */
  int32_t n_z;               /**< length of z                                           */
  int32_t reserved;          /**< 0                                                     */
} perp_first_order_linear;

/** Set the head and zero the rest; n is the number of degrees of freedom, size is sizeof of the
 * caller's struct. @return PERP_OK, or PERP_EINVAL if system is NULL, n < 1 or size is not one
 * this library knows. Since 0.1. */
PERP_API perp_status perp_lagrangian_linear_init(perp_lagrangian_linear *system, size_t size,
                                                 int32_t n);
/** perp_lagrangian_linear_init() for firmware: a system without control, which is refused with
 * ::PERP_EUNSUPPORTED; what control needs is not linked. perp_simulation_energy() knows its energy,
 * event-driven simulations do not. Since 0.1. */
PERP_API perp_status perp_lagrangian_linear_constant_init(perp_lagrangian_linear *system,
                                                          size_t size, int32_t n);
/** @copydoc perp_lagrangian_linear_init */
PERP_API perp_status perp_first_order_linear_init(perp_first_order_linear *system, size_t size,
                                                  int32_t n);

/** Head of every relation. Set by the _init function of the kind. */
typedef struct perp_relation {
  const struct perp_relation_ops *ops; /**< operations of the kind (experimental.h)  */
  uint32_t struct_size;                /**< size of the whole description            */
  int32_t m;                           /**< rows: size of y and λ, >= 1              */
  int32_t n;                           /**< columns: sum of n over the systems joined */
  int32_t reserved;                    /**< 0                                        */
} perp_relation;

/**
 * First-order linear time-invariant relation:  y = C x + D λ + F z + e,  r = B λ + a,
 * x the states of the systems joined, one after another; λ at force level. Column-major arrays.
 */
typedef struct perp_linear_relation {
  perp_relation relation; /**< head                                               */
  const double *C;        /**< m x n                                              */
  const double *D;        /**< m x m, NULL: 0                                     */
  const double *B;        /**< n x m, NULL: 0 (y is only observed)                */
  const double *F;        /**< m x n_z, NULL: 0                                   */
  const double *e;        /**< m, NULL: 0                                         */
  const double *a;        /**< n, NULL: 0                                         */
  const double *z;        /**< n_z parameters, read in every step                 */
  int32_t n_z;            /**< length of z; 0 with F NULL                         */
  int32_t reserved;       /**< 0                                                  */
} perp_linear_relation;

/**
 * Lagrangian linear relation:  y = H q + F z + b,  ẏ = H v + D λ,  r = Hᵀ λ,
 * q the positions of the systems joined, one after another; λ an impulse under Moreau-Jean.
 */
typedef struct perp_lagrangian_linear_relation {
  perp_relation relation; /**< head                                               */
  const double *H;        /**< m x n, column-major; NULL with H_rows              */
  const double *D;        /**< m x m, NULL: 0; acts where λ is solved             */
  const double *F;        /**< m x n_z, NULL: 0                                   */
  const double *b;        /**< m, NULL: 0                                         */
  const double *z;        /**< n_z parameters, read in every step                 */
  int32_t n_z;            /**< length of z; 0 with F NULL                         */
  int32_t reserved;       /**< 0                                                  */
  perp_matrix H_rows;     /**< m x n in compressed rows, in place of H; zeroed: none */
} perp_lagrangian_linear_relation;

/** Set the head and zero the rest; m rows, n columns, size is sizeof of the caller's struct.
 * @return PERP_OK, or PERP_EINVAL if relation is NULL, m < 1, n < 1 or size is not one this
 * library knows. Since 0.1. */
PERP_API perp_status perp_linear_relation_init(perp_linear_relation *relation, size_t size,
                                               int32_t m, int32_t n);
/** @copydoc perp_linear_relation_init */
PERP_API perp_status perp_lagrangian_linear_relation_init(perp_lagrangian_linear_relation *relation,
                                                          size_t size, int32_t m, int32_t n);

/**
 * A relation, a law and the systems they join. The m rows of the relation are m / law->size
 * copies of the law; each copy is switched by itself and is one block of the one-step problem.
 * A unilateral copy of several rows is switched as a whole by the gap of its first row, as contact
 * with friction needs; independent contacts are copies of a law of size 1.
 */
typedef struct perp_interaction {
  const perp_relation *relation; /**< rows of y                                          */
  const perp_law *law;           /**< its size divides relation->m                       */
  const int32_t *systems; /**< n_systems different indices into the model; all of one order */
  int32_t n_systems;      /**< >= 1                                               */
  int32_t reserved;       /**< 0                                                  */
} perp_interaction;

/**
 * A model: arrays of pointers to systems and interactions, and the initial values. The caller
 * keeps all of it, and everything it points to, while a simulation uses it.
 */
typedef struct perp_model {
  uint32_t struct_size;                        /**< sizeof(perp_model): PERP_MODEL_INIT  */
  int32_t n_systems;                           /**< >= 0                                 */
  int32_t n_interactions;                      /**< >= 0                                 */
  int32_t reserved;                            /**< 0                                    */
  const perp_system *const *systems;           /**< n_systems                            */
  const perp_interaction *const *interactions; /**< n_interactions                       */
  const double *q0; /**< positions of the Lagrangian systems, one after another; NULL: 0  */
  const double *v0; /**< their velocities; NULL: 0                                        */
  const double *x0; /**< states of the first-order systems, one after another; NULL: 0    */
  const struct perp_contact_pool *pool; /**< contacts that come and go (pool.h), NULL: none   */
} perp_model;

/** Initialiser: `perp_model model = PERP_MODEL_INIT;` */
#define PERP_MODEL_INIT \
  { (uint32_t)sizeof(perp_model), 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL }

/**
 * Check a model: sizes, matrices, laws, indices, orders, finite entries. What a simulation's init
 * calls first.
 * @param model  the model
 * @param[out] info  may be NULL: names the field, which system or interaction, and the value
 * @return PERP_OK, PERP_EINVAL, PERP_ENOTFINITE, PERP_EUNSUPPORTED (an operator stored in blocks
 * larger than 1 x 1, a relation whose m m, m n or m n_z exceeds 2^31 - 1)
 * Singular mass is found when the iteration matrix is factorised, by the simulation's init.
 * Since 0.1. */
PERP_API perp_status perp_model_check(const perp_model *model, perp_info *info);

#ifdef __cplusplus
}
#endif
#endif
