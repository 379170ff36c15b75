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

/** The form of the callbacks that descriptions hold: time, two vectors, parameters, output, user.
 */
typedef int32_t (*perp_callback_fn)(double t, const double *a, const double *b, const double *z,
                                    double *out, void *user);

/** By what a Jacobian is the derivative. */
enum {
  PERP_BY_A = 0,    /**< first vector; positions by their increment where the system has move */
  PERP_BY_B = 1,    /**< second vector                                                       */
  PERP_BY_TIME = 2, /**< time                                                                */
  PERP_BY_NONE = 3, /**< no Jacobian: f alone, J is NULL                                     */
  PERP_BY_CLOCK = 4 /**< no Jacobian, and f is a ::perp_time_fn that was cast                */
};

/** A Jacobian that the user gave, and the function that it is the derivative of, or a function
 * alone; all find out set to 0. For the checks of check.h and to name who wrote what is not finite.
 * Systems: a = q (NULL at order 1), b = v or x.
 * Relations: a = x or q; b = λ, at order 2 as a force, or v. */
typedef struct perp_jacobian {
  const char *name;      /**< static: field of the description                       */
  perp_callback_fn f;    /**< writes rows entries                                    */
  perp_callback_fn J;    /**< writes rows x columns, column-major; NULL: not given   */
  void *user;            /**< handed to both                                         */
  const double *z;       /**< handed to both                                         */
  const double *typical; /**< columns sizes, NULL: 1                                 */
  int32_t rows;          /**< of both                                                */
  int32_t columns;       /**< of J                                                   */
  int32_t by;            /**< PERP_BY_A ... PERP_BY_TIME                             */
  int32_t velocity;      /**< relations of order 2: 1 if b is v                      */
} perp_jacobian;

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

/**
 * Operations of a kind of systems. A kind is *constant*, compiled once from its terms, or
 * *varying*, evaluated in every Newton iteration of a step:
 *
 *   order 2:  M(q) v̇ = f(t, q, v) + p,   q̇ = T(q) v;      order 1:  M ẋ = f(t, x) + r.
 *
 * Operations that return int32_t answer as callbacks do: 0 done, > 0 ask for a smaller step, < 0
 * give up. All are pure. At order 1 the arguments q are NULL and v is x. Matrices are n x n and
 * column-major, set to 0 by the caller. scratch holds scratch_doubles doubles.
 */
typedef struct perp_system_ops {
  uint32_t struct_size; /**< sizeof(perp_system_ops) */
  int32_t order;        /**< 1: ẋ, 2: v̇ */
  const char *name;     /**< static */
  size_t bytes;         /**< size of the description */
  /** Write the views of the terms. NULL: every description of this kind is varying. */
  void (*terms)(const perp_system *system, perp_system_terms *terms);
  /** Whether this description is varying. NULL: it is if there are no terms. */
  int32_t (*varying)(const perp_system *system);
  /** Positions beyond n: 1 for a body with a quaternion (n_q = 7, n = 6), 0 otherwise. */
  int32_t extra_q;
  int32_t constant_mass; /**< 1: mass does not read t and q                     */
  /** Doubles of scratch for the operations below. NULL: none. */
  size_t (*scratch_doubles)(const perp_system *system);
  /** M(q) at order 2, M at order 1. */
  int32_t (*mass)(const perp_system *system, double t, const double *q, double *M, double *scratch);
  /** f (n entries). */
  int32_t (*force)(const perp_system *system, double t, const double *q, const double *v, double *f,
                   double *scratch);
  /** df_dq := derivative of f(q ⊕ d) by the increment d at d = 0 (NULL at order 1);
   * df_dv := ∂f/∂v, at order 1 ∂f/∂x. */
  int32_t (*jacobians)(const perp_system *system, double t, const double *q, const double *v,
                       double *df_dq, double *df_dv, double *scratch);
  /** out := q ⊕ d, n_q entries; out may be q. NULL: q + d. */
  void (*move)(const perp_system *system, const double *q, const double *d, double *out);
  /** qdot := T(q) v, n_q entries: the derivative of q ⊕ s v by s at 0. NULL: v. */
  void (*rate)(const perp_system *system, const double *q, const double *v, double *qdot);
  /** Kinetic and potential energy (J) of what has a potential, NaN where a callback failed. NULL:
   * not known. */
  void (*energy)(const perp_system *system, double t, const double *q, const double *v,
                 double *kinetic, double *potential, double *scratch);
  /** Check the description and the initial values of one system (either may be NULL: zeros);
   * names the field in info (may be NULL). Optional. */
  perp_status (*check)(const perp_system *system, const double *q0, const double *v0,
                       perp_info *info);
  /** Describe the callback with number k, from 0, of those that the user gave. 1: done, 0: there is
   * none. NULL: jacobians is compared as a whole. */
  int32_t (*jacobian)(const perp_system *system, int32_t k, perp_jacobian *out);
  /** As that of perp_law_ops. Optional. */
  const perp_field *(*fields)(const perp_system *system);
} perp_system_ops;

/** The constant terms of a linear relation, as views; column-major, NULL where absent.
 * Order 2: y = H q + F z + b, ẏ = H v + D λ, r = Hᵀλ;  order 1: y = H x + D λ + F z + b,
 * r = B λ + a. */
typedef struct perp_relation_terms {
  const double *H;    /**< m x n; NULL with H_rows */
  const double *B;    /**< order 1: n x m, NULL: 0 */
  const double *D;    /**< m x m */
  const double *F;    /**< m x n_z */
  const double *b;    /**< m */
  const double *a;    /**< order 1: n */
  const double *z;    /**< n_z */
  int32_t n_z;        /**< length of z */
  int32_t reserved;   /**< 0 */
  perp_matrix H_rows; /**< H in compressed rows; zeroed: none */
} perp_relation_terms;

/** Where a varying relation is evaluated. Vectors of the joined systems follow one another. */
typedef struct perp_relation_point {
  double t;                    /**< time                                                        */
  double h;                    /**< length of the step                                          */
  const double *q;             /**< positions; NULL at order 1                                  */
  const double *v;             /**< velocities, or states x at order 1                          */
  const double *lambda;        /**< m: λ of the iterate, at the level at which it is solved      */
  const double *lambda_before; /**< m: λ of the last step                                      */
  double h_before;             /**< length of the last step, 0: h                              */
} perp_relation_point;

/** What an evaluation writes. The caller has set all of it to 0. */
typedef struct perp_relation_values {
  double *y;    /**< m: gap h(t, q) at order 2, output h(t, x, λ) at order 1               */
  double *ydot; /**< m: relative velocity; NULL at order 1                                */
  double *H; /**< m x n: ∂ẏ/∂v at order 2, ∂h/∂x at order 1                            */
  double *D; /**< m x m: ∂ẏ/∂λ or ∂h/∂λ; NULL without ::PERP_RELATION_D                 */
  double *r; /**< n: reaction g(t, x, λ); NULL at order 2, where it is Hᵀλ              */
  double *B; /**< n x m: ∂g/∂λ; NULL at order 2                                        */
  double *K; /**< n x n: ∂g/∂x; NULL without ::PERP_RELATION_K                          */
} perp_relation_values;

/** What a relation has. */
enum {
  PERP_RELATION_D = 1,         /**< y (or ẏ) depends on λ                                  */
  PERP_RELATION_K = 2,         /**< the reaction depends on x                              */
  PERP_RELATION_HOLONOMIC = 4, /**< rows of y with a position: those of equality laws and the
                                    first of each unilateral copy may be projected          */
  PERP_RELATION_BODIES = 8,    /**< joins bodies with quaternions, 7 positions each          */
  PERP_RELATION_ANY = 16,      /**< does not read positions: joins systems of either kind    */
  PERP_RELATION_NO_BIAS = 32,  /**< bias does not know γ of this description: by differences */
  PERP_RELATION_BILATERAL = 64 /**< rows that hold, as those of a joint: unilateral and
                                    frictional laws are refused, and a start that misses them */
};

/** Operations of a kind of relations: constant ones have terms, varying ones are evaluated in every
 * Newton iteration. */
typedef struct perp_relation_ops {
  uint32_t struct_size; /**< sizeof(perp_relation_ops) */
  int32_t order;        /**< of the systems it joins */
  const char *name;     /**< static */
  size_t bytes;         /**< size of the description */
  /** Write the views of the terms. NULL: varying. */
  void (*terms)(const perp_relation *relation, perp_relation_terms *terms);
  /** PERP_RELATION_D and so on. NULL: those of the terms. */
  uint32_t (*features)(const perp_relation *relation);
  /** Doubles of scratch for evaluate. NULL: none. */
  size_t (*scratch_doubles)(const perp_relation *relation);
  /** All values at a point; answers as a callback. NULL where there are terms. */
  int32_t (*evaluate)(const perp_relation *relation, const perp_relation_point *at,
                      const perp_relation_values *out, double *scratch);
  /** Check the description; names the field in info (may be NULL). Optional. */
  perp_status (*check)(const perp_relation *relation, perp_info *info);
  /** As that of perp_system_ops; what evaluate gives is compared, too. Optional. */
  int32_t (*jacobian)(const perp_relation *relation, int32_t k, perp_jacobian *out);
  /** Frame (normal, two tangents) and point of a copy of a contact at (t, q); answers as a
   * callback. Optional. */
  int32_t (*locate)(const perp_relation *relation, double t, const double *q, int32_t copy,
                    double frame[9], double point[3]);
  /** What event-driven integration needs: the rate γ (m entries, set to 0 by the caller) that ẏ has
   * beside that of the velocities, λ = 0. Order 2: ÿ = H v̇ + γ, γ = d/ds ẏ(t + s, q ⊕ s v, v) at
   * s = 0, for tangential rows too; order 1: ẏ = H ẋ + γ, γ = ∂h/∂t. scratch as for evaluate.
   * NULL, or with ::PERP_RELATION_NO_BIAS: 0 where there are terms, otherwise by differences along
   * the motion. */
  int32_t (*bias)(const perp_relation *relation, const perp_relation_point *at, double *gamma,
                  double *scratch);
  /** As that of perp_law_ops. Optional. */
  const perp_field *(*fields)(const perp_relation *relation);
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

/** Where a scheme of order 1 takes the reaction from. */
enum {
  PERP_REACTION_END = 0,      /**< r(t_{k+1}), weight h                                          */
  PERP_REACTION_WEIGHTED = 1, /**< γ r(t_{k+1}) + (1−γ) r(t_k), weight h                          */
  PERP_REACTION_MIDDLE = 2 /**< r, y and λ belong to t_{k+γ} and x_{k+γ}; weight h              */
};

/** What steps may need beside those of constant models, as tables of functions that a simulation
 * calls only through its integrators: a program links what its integrators name. Opaque. */
typedef struct perp_stages perp_stages;

/** All of it: systems and relations that vary, schemes on positions, projection, contact pools,
 * sparse systems, problems in global form. Since 0.1. */
PERP_API const perp_stages *perp_stages_all(void);

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
  int32_t reaction; /**< order 1: PERP_REACTION_END ... PERP_REACTION_MIDDLE */
  int32_t two_step; /**< order 2: 1 where constraints hold on positions, by two steps back */
  /** perp_stages_all(), or NULL: for constant models alone. A simulation has the stages of the
   * first system whose integrator has any; a model that needs what there is not is refused. */
  const perp_stages *stages;
};

#ifdef __cplusplus
}
#endif
#endif
