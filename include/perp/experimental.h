/* SPDX-License-Identifier: MIT */
/** @file experimental.h
 * Operation tables of systems, relations and integrators. Not part of the stable ABI: they may
 * change in any version until event-driven integration has tried them. */
#ifndef PERP_EXPERIMENTAL_H
#define PERP_EXPERIMENTAL_H

#include "perp/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The constant terms of a linear system, as views; absent ones are zeroed.
 * Order 2: M v̇ + C v + K q = f + F(t); order 1: M ẋ = A x + f + F(t), M zeroed: identity. */
typedef struct perp_system_terms {
  perp_matrix M;      /**< n x n */
  perp_matrix A;      /**< order 1 */
  perp_matrix C;      /**< order 2 */
  perp_matrix K;      /**< order 2 */
  const double *f;    /**< n or NULL */
  perp_time_fn force; /**< or NULL */
  void *user;         /**< of force */
} perp_system_terms;

/** Operations of a kind of systems. */
typedef struct perp_system_ops {
  uint32_t struct_size; /**< sizeof(perp_system_ops) */
  int32_t order;        /**< 1: ẋ, 2: v̇ */
  const char *name;     /**< static */
  size_t bytes;         /**< size of the description */
  /** Write the views of the terms. */
  void (*terms)(const perp_system *system, perp_system_terms *terms);
} perp_system_ops;

/** The constant terms of a linear relation, as views; column-major, NULL where absent.
 * Order 2: y = H q + F z + b, ẏ = H v + D λ, r = Hᵀλ;  order 1: y = H x + D λ + F z + b,
 * r = B λ + a. */
typedef struct perp_relation_terms {
  const double *H;  /**< m x n */
  const double *B;  /**< order 1: n x m, NULL: 0 */
  const double *D;  /**< m x m */
  const double *F;  /**< m x n_z */
  const double *b;  /**< m */
  const double *a;  /**< order 1: n */
  const double *z;  /**< n_z */
  int32_t n_z;      /**< length of z */
  int32_t reserved; /**< 0 */
} perp_relation_terms;

/** Operations of a kind of relations. */
typedef struct perp_relation_ops {
  uint32_t struct_size; /**< sizeof(perp_relation_ops) */
  int32_t order;        /**< of the systems it joins */
  const char *name;     /**< static */
  size_t bytes;         /**< size of the description */
  /** Write the views of the terms. */
  void (*terms)(const perp_relation *relation, perp_relation_terms *terms);
} perp_relation_ops;

/** See perp_integrator.weights. */
typedef struct perp_weights {
  double w_A;        /**< of A in W */
  double w_C;        /**< of C in W */
  double w_K;        /**< of K in W */
  double p_A;        /**< of A in W P */
  double p_C;        /**< of C in W P */
  double p_K;        /**< of K in W P */
  double r_K;        /**< of K in W R */
  double s;          /**< of forces (h) */
  double s_reaction; /**< of reactions: 1 for impulses, h for forces */
} perp_weights;

/**
 * A one-step scheme in the form  v_free = v + P v + R q + S F_{k+θ},  v⁺ = v_free + s W⁻¹ r,
 * q⁺ = q + h(θ v⁺ + (1−θ) v); x takes the place of v at order 1.
 */
struct perp_integrator {
  uint32_t struct_size; /**< sizeof(perp_integrator) */
  int32_t order;        /**< of the systems it integrates */
  const char *name;     /**< static */
  /** Weights of one step: W = M + w_A A + w_C C + w_K K;  W P = p_A A + p_C C + p_K K;
   * W R = r_K K;  W S = s 1. Absent terms have weight 0. */
  void (*weights)(double h, double theta, perp_weights *out);
};

#ifdef __cplusplus
}
#endif
#endif
