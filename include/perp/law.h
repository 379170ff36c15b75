/* SPDX-License-Identifier: MIT */
/** @file law.h
 * Nonsmooth laws (y, λ) ∈ law: a common head, a table of operations, and one struct per law.
 *
 * Every law is written as  −y ∈ N_K(λ)  with a closed convex set K (after De Saxcé's change of
 * variable ŷ = shift(y) where the law is not associated):
 *
 * | law               | K         | meaning                                             |
 * |-------------------|-----------|-----------------------------------------------------|
 * | equality          | R         | y = 0, λ free                                       |
 * | complementarity   | R₊        | 0 ≤ y ⟂ λ ≥ 0                                       |
 * | Newton impact     | R₊        | complementarity between ẏ⁺ + e ẏ⁻ and the impulse   |
 * | box               | [l, u]    | λ = l where y > 0, λ = u where y < 0, between: y = 0 |
 * | mixed             | Rᵏ × R₊   | k equalities, then complementarities                |
 * | compliant         | R₊        | contact of a spring and a damper                    |
 * | polyhedron        | {Hλ ≥ K}  | y = Hᵀμ, 0 ≤ Hλ − K ⟂ μ ≥ 0                         |
 * | friction          | ‖λ_t‖ ≤ μλ_n | Coulomb: 0 ≤ y_n ⟂ λ_n ≥ 0, and λ_t = −μλ_n y_t/‖y_t‖ where
 * it slips | | rolling           | ‖λ_t‖ ≤ μλ_n, ‖λ_m‖ ≤ μ_r λ_n | the same with resistance to
 * rolling     |
 *
 * Sources: Acary and Brogliato, Numerical Methods for Nonsmooth Dynamical Systems, 2008, ch. 1 and
 * 13; De Saxcé and Feng, Math. Comput. Model. 28 (1998) 225-245; Acary and Bourrier, Eur. J.
 * Mech. A/Solids 85 (2021) 104046 (rolling). */
#ifndef PERP_LAW_H
#define PERP_LAW_H

#include "perp/matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The set K that solvers test for. Sets up to PERP_SET_BOX are intervals by component. */
enum {
  PERP_SET_FREE = 0,       /**< R, by component                         */
  PERP_SET_ORTHANT = 1,    /**< R₊, by component                        */
  PERP_SET_BOX = 2,        /**< [l, u], by component, bounds may be ±∞  */
  PERP_SET_CONE = 3,       /**< friction: a struct that begins with a ::perp_friction  */
  PERP_SET_ROLLING = 4,    /**< rolling: a struct that begins with a ::perp_rolling    */
  PERP_SET_POLYHEDRON = 5, /**< {Hλ ≥ K}: a struct that begins with a ::perp_polyhedron */
  PERP_SET_OTHER = 6       /**< known by its projection only            */
};

typedef struct perp_law perp_law;

/** What a law may know of a step: of its begin in restitute_step and preload, of its end in
 * commit_step. Vectors have law->size entries and belong to one copy. */
typedef struct perp_law_step {
  double t;             /**< time (s)                                             */
  double h;             /**< length of the step (s)                               */
  const double *y;      /**< gap: position level                                  */
  const double *ydot;   /**< relative velocity                                    */
  const double *lambda; /**< impulse of the last step; of this one in commit_step */
} perp_law_step;

/**
 * Operations of a kind of law. The table is public: a user's law is one more table with a struct
 * that begins with a ::perp_law. Pointers marked optional may be NULL. All operations are pure.
 */
typedef struct perp_law_ops {
  uint32_t struct_size; /**< sizeof(perp_law_ops)                     */
  int32_t set;          /**< PERP_SET_FREE ... PERP_SET_OTHER         */
  int32_t unilateral;   /**< 1: acts only while its gap is closed, so that time-stepping
                             switches each copy by its predicted gap; 0: always acts */
  int32_t bounded;      /**< 1: K is bounded, so that λ itself is what a residual may be measured
                             by (λ̂ of problem.h); 0: it is not, or is_bounded knows. Intervals
                             tell by their bounds */
  const char *name;     /**< static                                   */
  /** Check the data of the law; names the field in info (may be NULL). Optional. */
  perp_status (*check)(const perp_law *law, perp_info *info);
  /** Bounds by component for the interval sets: lower and upper, law->size each. NULL for
   * FREE and ORTHANT, where they are implied, and for sets that are not intervals. */
  void (*bounds)(const perp_law *law, double *lower, double *upper);
  /** p := P_K(x), size entries each; p may be x. Optional for the interval sets, and where there is
   * project_with. */
  void (*project)(const perp_law *law, const void *state, const double *x, double *p);
  /** J := an element of the generalised Jacobian of P_K at x, size x size, column-major.
   * Optional. */
  void (*jacobian)(const perp_law *law, const void *state, const double *x, double *J);
  /** yhat := y after De Saxcé's change of variable. NULL: the identity (associated laws). */
  void (*shift)(const perp_law *law, const void *state, const double *y, double *yhat);
  /** Solve one copy exactly: y = M λ + q, M size x size with column stride ld. PERP_RAY if this
   * block has no solution. Optional. */
  perp_status (*local)(const perp_law *law, const void *state, const double *M, int32_t ld,
                       const double *q, double *lambda);
  /** Map the problem's data: q += what the law adds at velocity level, from the relative velocity
   * ydot before the step (restitution). Optional. */
  void (*restitute)(const perp_law *law, const void *state, const double *ydot, double *q);
  /** Bytes of state one copy carries from step to step (damage, history). NULL: none. */
  size_t (*state_bytes)(const perp_law *law);
  /** Write the initial state. NULL with state_bytes NULL. */
  void (*state_init)(const perp_law *law, void *state);
  /** Update the state after a step was accepted. Optional. */
  void (*commit)(const perp_law *law, void *state, const double *y, const double *lambda);
  /** Doubles of scratch that project_with needs. NULL with project_with NULL. */
  size_t (*project_doubles)(const perp_law *law);
  /** As project, for a projection that needs memory: scratch holds project_doubles doubles, its
   * content before does not matter. NaN where the projection cannot be computed. NULL: use
   * project. */
  void (*project_with)(const perp_law *law, const void *state, const double *x, double *p,
                       double *scratch);
  /* The following are for systems of order 2, where y is ẏ and λ an impulse. */
  /** As restitute, which it replaces, with what is known at the begin of the step; answers as
   * callbacks do: 0 done, > 0 ask for a smaller step, < 0 give up. Optional. */
  int32_t (*restitute_step)(const perp_law *law, const void *state, const perp_law_step *step,
                            double *q);
  /** s := the part of the impulse that is known at the begin of the step (adhesion): λ = λ' + s,
   * where λ' obeys the law and is the unknown of the one-step problem. size entries, set to 0 by
   * the caller. Optional. */
  void (*preload)(const perp_law *law, const void *state, const perp_law_step *step, double *s);
  /** D := what the law adds to the one-step matrix at its own copy in a step of length h: it holds
   * between ẏ + D λ and λ. size x size, column-major, set to 0 by the caller. Optional. */
  void (*compliance)(const perp_law *law, double h, double *D);
  /** 1: this copy of a unilateral law acts although its gap is open. NULL: none does. */
  int32_t (*acts)(const perp_law *law, const void *state);
  /** As commit, which it replaces, with all that is known at the end of the step. Optional. */
  void (*commit_step)(const perp_law *law, void *state, const perp_law_step *step);
  /** 1: K is bounded, as the data of the law show; scratch as of project_with. NULL: what bounded
   * says. A table whose struct_size ends before this field has none. */
  int32_t (*is_bounded)(const perp_law *law, double *scratch);
  /** As local, which it replaces in solvers that keep a budget, for at most *work multiply-adds,
   * which are counted down: where they do not suffice it ends at the best point it has, with
   * another status than PERP_OK. NULL, or a table whose struct_size ends before this field: local
   * is asked. */
  perp_status (*local_within)(const perp_law *law, const void *state, const double *M, int32_t ld,
                              const double *q, double *lambda, double *work);
  /** The fields that hold numbers, pointers to them and the user pointer, up to one of
   * ::PERP_HOLDS_END. NULL, or a table whose struct_size ends before this field: the bytes of the
   * struct are all there is to copy, and they are not held against those of a checkpoint. */
  const perp_field *(*fields)(const perp_law *law);
} perp_law_ops;

/** Head of every law. Set by the _init function of the kind. */
struct perp_law {
  const perp_law_ops *ops; /**< operations of the kind                   */
  uint32_t struct_size;    /**< size of the whole description            */
  int32_t size;            /**< components of one copy, >= 1             */
};

/** y = 0, λ free, component by component. No data. */
typedef struct perp_equality {
  perp_law law; /**< head */
} perp_equality;

/** 0 ≤ y ⟂ λ ≥ 0, component by component. On Lagrangian systems: unilateral contact that keeps
 * no velocity (Newton impact with e = 0). No data. */
typedef struct perp_complementarity {
  perp_law law; /**< head */
} perp_complementarity;

/** Unilateral contact with Newton's impact law:  while closed,
 * 0 ≤ ẏ⁺ + e ẏ⁻ ⟂ λ ≥ 0,  λ an impulse in N s (for y in m). */
typedef struct perp_newton_impact {
  perp_law law; /**< head                                 */
  double e;     /**< restitution, 0 <= e <= 1, no unit    */
} perp_newton_impact;

/** −y ∈ N_[l,u](λ), component by component: relay (l = −1, u = 1), saturation, dry friction
 * with a known threshold. The caller owns lower and upper. */
typedef struct perp_box {
  perp_law law;        /**< head; law.size components                */
  const double *lower; /**< law.size, may hold -infinity, <= upper   */
  const double *upper; /**< law.size, may hold +infinity             */
} perp_box;

/** −y ∈ N_P(λ), P = {λ : Hλ >= K}: y = Hᵀμ with 0 <= Hλ − K ⟂ μ >= 0. An equation is a row
 * given twice with opposite signs. Whether P is bounded is found out from H. The caller owns what H
 * views, and K. */
typedef struct perp_polyhedron {
  perp_law law;    /**< head; law.size components                            */
  perp_matrix H;   /**< rows x law.size: dense or zero; any kind where square */
  const double *K; /**< H.rows                                               */
} perp_polyhedron;

/**
 * Unilateral contact with Coulomb friction, in the plane or in space. Components: normal first,
 * then one (law.size 2) or two (law.size 3) tangential ones. With K = {‖λ_t‖ <= μ λ_n} and De
 * Saxcé's change of variable  −(y + μ‖y_t‖ n) ∈ N_K(λ):  take-off (λ = 0, y_n >= 0), stick (y = 0,
 * λ ∈ K), or slip (y_n = 0, λ_t = −μ λ_n y_t/‖y_t‖). μ = 0 is contact without friction. With impact
 * the law holds between (ẏ_n⁺ + e_n ẏ_n⁻, ẏ_t⁺ + e_t ẏ_t⁻) and the impulse.
 */
typedef struct perp_friction {
  perp_law law; /**< head; law.size 2 (plane) or 3 (space)        */
  double mu;    /**< coefficient of friction, >= 0, no unit       */
  double e_n;   /**< normal restitution, 0 <= e_n <= 1, no unit   */
  double e_t;   /**< tangential one, -1 <= e_t <= 1, no unit      */
} perp_friction;

/**
 * Friction with resistance to rolling. Components: normal, tangential (one or two), then the moment
 * of rolling (one or two): law.size 3 in the plane, 5 in space. K = {‖λ_t‖ <= μ λ_n,
 * ‖λ_m‖ <= μ_r λ_n} and  −(y + (μ‖y_t‖ + μ_r‖y_m‖) n) ∈ N_K(λ).
 */
typedef struct perp_rolling {
  perp_law law;      /**< head; law.size 3 (plane) or 5 (space)             */
  double mu;         /**< coefficient of friction, >= 0, no unit            */
  double mu_rolling; /**< coefficient of rolling friction, >= 0, in m for a moment in N m s */
  double e_n;        /**< normal restitution, 0 <= e_n <= 1, no unit        */
  double e_t;        /**< of sliding and rolling, -1 <= e_t <= 1, no unit   */
} perp_rolling;

/** Components that are equalities and others that are complementarities, in one copy: y = 0 and λ
 * free in the first ones, 0 ≤ y ⟂ λ ≥ 0 in the rest. */
typedef struct perp_mixed {
  perp_law law;       /**< head; law.size components                      */
  int32_t equalities; /**< how many of them are equalities, 0 ... law.size */
  int32_t reserved;   /**< 0                                              */
} perp_mixed;

/**
 * Unilateral contact of a spring and a damper side by side (Kelvin-Voigt), that can only push:
 * while closed, with gap and velocity at the θ-point of the step,
 *   λ = h max(0, −k y_{k+θ} − c ẏ_{k+θ}),  ẏ_{k+θ} = θ ẏ⁺ + (1−θ) ẏ_k,  y_{k+θ} = y_k + hθ ẏ_{k+θ}.
 * As complementarity, 0 ≤ ẏ⁺ + D λ + q ⟂ λ ≥ 0 with g = hθk + c, D = 1/(hθg) and
 * q = k y_k/(θg) + (1−θ)/θ ẏ_k. With θ = 1, k → ∞ is the rigid contact. Penetrates by what the load
 * needs: perp_simulation_options.min_gap has to allow what there is at the begin.
 */
typedef struct perp_compliant {
  perp_law law; /**< head; law.size components                         */
  double k;     /**< stiffness, >= 0 (N/m)                             */
  double c;     /**< damping, >= 0 (N s/m); k + c > 0                  */
  double theta; /**< 0 < θ <= 1; default 1/2, as that of the integrator */
} perp_compliant;

/**
 * Contact with friction and Frémond's impact law: the percussion opposes the mean of the velocities
 * before and after. Components as of ::perp_friction. Coulomb's law holds between
 * (ẏ_n⁺ + e_n ẏ_n⁻, ẏ_t⁺ + ẏ_t⁻) and the impulse, so that its work λ·(ẏ⁺ + ẏ⁻)/2 is never
 * positive: no impact gains energy, which with Newton's law and e_n > 0 it may.
 */
typedef struct perp_fremond {
  perp_friction friction; /**< head, μ, e_n; e_t is not used and 0 */
} perp_fremond;

/**
 * Contact with friction between surfaces that stick together by a cohesive zone, whose strength
 * falls linearly with opening and never heals. Components as of ::perp_friction. With damage state
 * β (1: intact, 0: broken), N = σ_c A and δ_c = 2 G_c / σ_c:
 *   λ + h N β n  obeys Coulomb's law on ẏ⁺ + max(y_k, 0)/h n    while β > 0;
 *   β = min over time of max(0, 1 − δ/δ_c),  δ = ‖(max(y_n, 0), w s)‖, s the slip since the begin.
 * So it bears the tension N β and the shear μ(λ_n/h + N β), and opening it costs G_c A. Broken, it
 * is ::perp_friction. One copy stands for an area A.
 */
typedef struct perp_cohesive {
  perp_friction friction; /**< head, μ; e_n and e_t act once it is broken          */
  double sigma_c;         /**< tensile strength, >= 0 (Pa)                         */
  double G_c;             /**< fracture energy, > 0 (J/m²)                         */
  double area;            /**< of one copy, > 0; default 1 (m²)                    */
  double slip_weight;     /**< w >= 0 of slip in the opening; default 1. Slip alone
                               costs μ G_c A / w besides Coulomb's friction        */
} perp_cohesive;

/** State of a copy of ::perp_cohesive, see perp_simulation_law_state(). */
typedef struct perp_cohesive_state {
  double beta;    /**< 1: intact ... 0: broken                    */
  double slip[2]; /**< s: tangential displacement while not broken (m) */
} perp_cohesive_state;

/** Add to q (size entries) what an impact law adds at velocity level: the law then holds between
 * ẏ⁺ + what was added and the impulse. Newton's law adds e ẏ⁻. Answers 0: done, > 0: ask for a
 * smaller step, < 0: give up. Pure. */
typedef int32_t (*perp_impact_fn)(int32_t size, const perp_law_step *begin, double *q, void *user);

/** Unilateral contact, with friction (law.size 2 or 3) or without (law.size 1), and an impact law
 * of the user's. */
typedef struct perp_user_impact {
  perp_friction friction;   /**< head, μ; e_n and e_t are not used and 0 */
  perp_impact_fn restitute; /**< the impact law                          */
  void *user;               /**< handed to restitute                           */
} perp_user_impact;

/**
 * Set the head and defaults of a law description. size is sizeof of the caller's struct.
 * Defaults: e = 0; box of one component with bounds to be set by the caller; polyhedron of one
 * component without rows; friction, Frémond and cohesive in space (law.size 3), rolling (5), with
 * every coefficient 0 that has no other default.
 * @return PERP_OK, or PERP_EINVAL if law is NULL or size is not one this library knows
 * Since 0.1. */
PERP_API perp_status perp_equality_init(perp_equality *law, size_t size);
/** @copydoc perp_equality_init */
PERP_API perp_status perp_complementarity_init(perp_complementarity *law, size_t size);
/** @copydoc perp_equality_init */
PERP_API perp_status perp_newton_impact_init(perp_newton_impact *law, size_t size);
/** @copydoc perp_equality_init */
PERP_API perp_status perp_box_init(perp_box *law, size_t size);
/** @copydoc perp_equality_init */
PERP_API perp_status perp_polyhedron_init(perp_polyhedron *law, size_t size);
/** @copydoc perp_equality_init */
PERP_API perp_status perp_friction_init(perp_friction *law, size_t size);
/**
 * perp_friction_init() for firmware: 12 kB less are linked. One contact alone is solved by the law
 * where it takes off, sticks or slides beyond doubt, in doubles; what is left goes to the solver.
 * @return PERP_OK, PERP_EINVAL. Since 0.1. */
PERP_API perp_status perp_friction_small_init(perp_friction *law, size_t size);
/** @copydoc perp_equality_init */
PERP_API perp_status perp_rolling_init(perp_rolling *law, size_t size);
/** @copydoc perp_equality_init */
PERP_API perp_status perp_mixed_init(perp_mixed *law, size_t size);
/** @copydoc perp_equality_init */
PERP_API perp_status perp_compliant_init(perp_compliant *law, size_t size);
/** @copydoc perp_equality_init */
PERP_API perp_status perp_fremond_init(perp_fremond *law, size_t size);
/** @copydoc perp_equality_init */
PERP_API perp_status perp_cohesive_init(perp_cohesive *law, size_t size);
/** As perp_equality_init(); components 1, 2 or 3. */
PERP_API perp_status perp_user_impact_init(perp_user_impact *law, size_t size, int32_t components);

/**
 * Check a law, built in or the user's own: head, size, table, data.
 * @param law  the law
 * @param[out] info  may be NULL; names the field
 * @return PERP_OK, PERP_EINVAL, PERP_ENOTFINITE
 * Since 0.1. */
PERP_API perp_status perp_law_check(const perp_law *law, perp_info *info);

/** What perp_law_verify() finds: by how much (y, λ) does not satisfy a law, each 0 where it does.
 */
typedef struct perp_law_verdict {
  uint32_t struct_size; /**< sizeof(perp_law_verdict): PERP_LAW_VERDICT_INIT               */
  int32_t worst;        /**< component with the largest part of relative, -1: relative is 0 */
  const char *state;    /**< where λ is in its set, static: "equality"; "open", "closed"; "lower",
                             "between", "upper"; "open", "stick", "slip", "roll", "slip and roll";
                             "inside", "boundary"; "various" where components differ       */
  double lambda; /**< ‖λ − P(λ)‖: outside its set, units of λ                            */
  double y;      /**< part of y that no λ of the set allows (penetration), units of y; 0 for
                      polyhedra and sets that only a projection knows                    */
  double work;   /**< what keeps y and λ from being complementary, units of y times λ: for
                      intervals Σ |y| times the distance of λ from its bound, for friction
                      y_n λ_n + μ λ_n ‖y_t‖ + λ_t·y_t; else (P(λ) − P(λ − sŷ))·ŷ          */
  double angle; /**< between λ_t and −y_t, of friction and rolling, where both are not 0 (rad) */
  double relative; /**< ‖λ − P(λ − sŷ)‖ / ‖λ‖, s = ‖λ‖/‖ŷ‖ (1/‖ŷ‖ and undivided if λ = 0): without
                        units, and 0 only if the law holds                                 */
} perp_law_verdict;

/** Initialiser: `perp_law_verdict verdict = PERP_LAW_VERDICT_INIT;` */
#define PERP_LAW_VERDICT_INIT \
  { (uint32_t)sizeof(perp_law_verdict), 0, NULL, 0, 0, 0, 0, 0 }

/** Bytes perp_law_verify() needs; 0 if the law is malformed or the size overflows. Since 0.1. */
PERP_API size_t perp_law_verify_workspace(const perp_law *law);

/**
 * Judge a pair (y, λ) of one copy of a law: that of a one-step problem, or of a first-order system.
 * @param law     the law
 * @param state   of the copy, NULL for a law without
 * @param y       law->size
 * @param lambda  law->size
 * @param[out] verdict  see ::perp_law_verdict; its struct_size is set by the caller
 * @param work    work_bytes bytes of any alignment, see perp_law_verify_workspace()
 * @return PERP_OK (whatever the verdict is), PERP_EINVAL, PERP_ENOTFINITE (y, λ, or a projection
 * that cannot be computed), PERP_EWORKSPACE, or what perp_law_check() says
 * Allocates nothing; parallel calls need distinct work. Since 0.1. */
PERP_API perp_status perp_law_verify(const perp_law *law, const void *state, const double *y,
                                     const double *lambda, perp_law_verdict *verdict, void *work,
                                     size_t work_bytes);

#ifdef __cplusplus
}
#endif
#endif
