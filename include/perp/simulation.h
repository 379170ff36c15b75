/* SPDX-License-Identifier: MIT */
/** @file simulation.h
 * Event-capturing simulation in the caller's memory: size, init, step.
 *
 * Two blocks. *State* (8-byte aligned, no pointers, may be copied and moved while no simulation
 * uses it): everything that changes during a run; a checkpoint is a copy of it. *Work* (any
 * alignment): rebuilt from model, options and state. In perp::core nothing needs a destroy. */
#ifndef PERP_SIMULATION_H
#define PERP_SIMULATION_H

#include "perp/backend.h"
#include "perp/global.h"
#include "perp/model.h"
#include "perp/parallel.h"
#include "perp/solver.h"
#include "perp/sparse.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A scheme for one order of systems; a constant descriptor (experimental.h). */
typedef struct perp_integrator perp_integrator;

/**
 * Moreau-Jean θ-scheme for Lagrangian systems, impulses and velocities as unknowns:
 *   W = M + hθC + h²θ²K,   v_free = v_k − W⁻¹[(hC + h²θK) v_k + hK q_k − h F_{k+θ}],
 *   active where y_k + γ h ẏ_k ≤ 0:   0 ≤ ẏ_{k+1} + e ẏ_k ⟂ λ_{k+1} ≥ 0,
 *   v_{k+1} = v_free + W⁻¹Hᵀλ_{k+1},  q_{k+1} = q_k + h(θ v_{k+1} + (1−θ) v_k).
 * λ is an impulse (N s). Source: Jean and Moreau, 1987; Acary and Brogliato 2008, ch. 10.
 * Since 0.1. */
PERP_API const perp_integrator *perp_integrator_moreau_jean(void);

/**
 * perp_integrator_moreau_jean() for constant models, with the same bits, and nothing else: a
 * statically linked program that names no other integrator is about 30 kB smaller. For linear
 * systems without feedback and with diagonal or dense matrices, linear relations, any laws. What it
 * is not for is refused with ::PERP_EUNSUPPORTED, and info names it: "systems" or "relation" that
 * vary, "projection", "pool", "formulation", an operator or "H_rows" in compressed rows. Equalities
 * that contradict each other are not solved in the sense of least squares. Since 0.1. */
PERP_API const perp_integrator *perp_integrator_moreau_jean_constant(void);

/**
 * Schatzman-Paoli scheme for Lagrangian systems, linear or not, with positions as unknowns and no
 * prediction: every constraint is in the one-step problem of every step,
 *   M(q*)(q_{k+1} − 2q_k + q_{k−1}) = h²(θ f_{k+1} + (1−θ) f_k) + Hᵀλ,
 *   0 ≤ y(q_{k+1}) + e y(q_{k−1}) ⟂ λ ≥ 0,   v_{k+1} = (q_{k+1} − q_{k−1}) / (2h),
 * f_k = f(t_k, q_k, v_k), q* = q_k + θ(q_{k+1} − q_k). λ has the unit kg m (for y in m); λ/h² is a
 * force. It starts with q_{−1} = q_0 − h v_0. Where the step length changes, q_{k−1} is moved along
 * the line to q_k. For laws by component, and holonomic relations between systems that are all of
 * this scheme; without quaternions. Source: Paoli and Schatzman, SIAM J. Numer. Anal. 40 (2002)
 * 702-733; Acary and Brogliato 2008, section 10.6. Since 0.1. */
PERP_API const perp_integrator *perp_integrator_schatzman_paoli(void);

/**
 * θ-scheme for first-order systems with a fully implicit multiplier:
 *   W = M − hθA,   x_free = x_k + hW⁻¹(A x_k + b_{k+θ} + a),
 *   x_{k+1} = x_free + hW⁻¹Bλ_{k+1},   y_{k+1} = C x_{k+1} + D λ_{k+1} + F z + e.
 * λ has force level. Source: Acary and Brogliato 2008, ch. 9. Since 0.1. */
PERP_API const perp_integrator *perp_integrator_theta(void);

/** perp_integrator_theta() for constant models; see perp_integrator_moreau_jean_constant().
 * Since 0.1. */
PERP_API const perp_integrator *perp_integrator_theta_constant(void);

/**
 * θ–γ scheme for first-order systems, standard form:
 *   M(x_{k+1} − x_k) = h(θ f_{k+1} + (1−θ) f_k) + h(γ r_{k+1} + (1−γ) r_k),
 *   y_{k+1} = h(t_{k+1}, x_{k+1}, λ_{k+1}),   r_{k+1} = g(t_{k+1}, x_{k+1}, λ_{k+1}).
 * γ is options.reaction_gamma; 1 is perp_integrator_theta(), 0 takes the reaction explicitly (then
 * y must depend on λ). r_0 is taken with λ = 0. Source: Acary, Bonnefon and Brogliato, Nonsmooth
 * Modeling and Simulation for Switched Circuits, 2011, ch. 7. Since 0.1. */
PERP_API const perp_integrator *perp_integrator_theta_gamma(void);

/**
 * θ–γ scheme, full form: relation, law and λ hold at t_{k+γ} = t_k + γh and x_{k+γ} = γ x_{k+1} +
 * (1−γ) x_k, 0 < γ <= 1:
 *   M(x_{k+1} − x_k) = h(θ f_{k+1} + (1−θ) f_k) + h r_{k+γ},
 *   y_{k+γ} = h(t_{k+γ}, x_{k+γ}, λ_{k+γ}),   r_{k+γ} = g(t_{k+γ}, x_{k+γ}, λ_{k+γ}).
 * y and λ of the state are those of t_{k+γ}. γ = 1/2 with θ = 1/2 keeps the energy of lossless
 * circuits. Source as above. Since 0.1. */
PERP_API const perp_integrator *perp_integrator_theta_gamma_full(void);

/** What a step does when its one-step problem is not solved or a callback asks for a retry. */
enum {
  PERP_FAILURE_STOP = 0,  /**< return the status; the state stays as it was               */
  PERP_FAILURE_RETRY = 1, /**< halve the step up to max_halvings times, then stop         */
  PERP_FAILURE_ACCEPT = 2 /**< take the best point if its residual is at most accept_tol, and count
                               it; a projection that does not converge still ends the step */
};

/** When the Newton iteration of a step with varying systems or relations ends. */
enum {
  PERP_NEWTON_RESIDUAL = 0, /**< when the discrete equations and relations hold, evaluated anew at
                                 the new iterate: the largest defect, each relative to the terms it
                                 is made of, is at most newton_tol                          */
  PERP_NEWTON_DYNAMICS = 1, /**< when ‖R(v) − Hᵀλ‖₂ <= newton_tol (absolute, N s), H of the iterate
                                 before: relations may lag by one iterate                   */
  PERP_NEWTON_FIXED = 2 /**< after newton_max iterations, unconditionally              */
};

/** Where the Newton iteration starts. */
enum {
  PERP_NEWTON_FROM_CURRENT = 0, /**< velocities v_k and the positions they lead to:
                                     q_k ⊕ hv_k                                           */
  PERP_NEWTON_FROM_POSITION = 1 /**< velocities v_k at the positions q_k                   */
};

/** What a step does about constraints that its velocities leave violated at position level. */
enum {
  PERP_PROJECT_NONE = 0,      /**< nothing: the drift stays                                     */
  PERP_PROJECT_POSITIONS = 1, /**< at the end of a step the positions are projected on the
                                   constraints, in the metric of the mass. With the contacts of
                                   a pool in global form: overlaps are taken out with friction, by
                                   velocities that are forgotten; v stays                     */
  PERP_PROJECT_COMBINED = 2   /**< and the velocities solved again at the projected positions, in
                                   turn until both hold; not with a pool in global form       */
};

/** In which form a one-step problem is solved. */
enum {
  PERP_FORMULATION_REDUCED = 0, /**< velocities eliminated: y = H W⁻¹ Hᵀ λ + q                */
  PERP_FORMULATION_GLOBAL = 1, /**< W stays: W v = W v_free + Hᵀ λ, y = H v + b; H W⁻¹ Hᵀ of
                                    sparse systems is never formed. With a pool and nothing else
                                    that joins systems: sweeps from contact to contact           */
  PERP_FORMULATION_AUTO = 2 /**< island by island as perp_global_form() counts, whenever the active
                                 set changes; with a pool: global where it can be             */
};

/** Values of perp_simulation_options.speed_tol by name: a part of g h, what gravity gives a body in
 * the step at hand. g is that of perp_pool_speed_tol(); where no constant force acts, the mean
 * acceleration of the step by forces of every kind but those of contacts; and where there is none
 * either, the solver's tol is what is asked for. */
enum {
  PERP_SPEED_PILE = -1, /**< 0.1 g h: heaps of grains                              */
  PERP_SPEED_STACK = -2 /**< 0.01 g h: stacks and masonry, whose every contact bears */
};

/** How problems in global form are solved; the core knows the table only, whoever implements it
 * may allocate. */
typedef struct perp_step_solver {
  uint32_t struct_size; /**< sizeof(perp_step_solver) */
  uint32_t reserved;    /**< 0                        */
  const char *name;     /**< static                   */
  /** *yes := 1 if the problem is to be solved in global form, 0 if not. *memory is NULL at first.
   * @return PERP_OK, or PERP_EBACKEND: no memory. */
  perp_status (*suits)(void **memory, const perp_global_problem *problem, int32_t *yes);
  /** Solve; v (m) and r (n) are start and answer. What comes back as PERP_OK is verified by the
   * caller. The answer must not depend on *memory. */
  perp_status (*solve)(void **memory, const perp_global_problem *problem,
                       const perp_solver_options *options, const perp_sparse *sparse, double *v,
                       double *r, double *u, perp_info *info);
  /** Free the memory; NULL is fine. */
  void (*release)(void *memory);
} perp_step_solver;

/** perp_global_admm() with memory from malloc. In perp::perp only. Since 0.1. */
PERP_API const perp_step_solver *perp_global_step(void);

/** Value of perp_simulation_options.gamma where none was given. */
#define PERP_GAMMA_DEFAULT (-1.0)

/** Options of a simulation. The arrays thetas and integrators are read at init and may go
 * afterwards; grid, solver_options and the descriptors must live as long as the simulation. */
typedef struct perp_simulation_options {
  uint32_t struct_size; /**< set by perp_simulation_options_init()                          */
  int32_t steps;        /**< steps of the grid; 0 with grid NULL: no end                    */
  double t0;            /**< first time (s)                                                 */
  double h;             /**< step length (s), > 0: t_k = t0 + k h; not read with a grid     */
  const double *grid;   /**< steps + 1 increasing times, NULL: uniform                      */
  double theta;         /**< 0 <= θ <= 1, weight of the end of the step; default 1/2        */
  const double *thetas; /**< θ per system, n_systems; NULL: theta for all                   */
  double gamma;   /**< 0 <= γ <= 2, prediction of the gap y + γ h ẏ; PERP_GAMMA_DEFAULT: 1/2.
                       Given where no scheme predicts gaps: PERP_EINVAL               */
  double min_gap; /**< smallest accepted initial gap, unit of y; default -1e-3        */
  const perp_integrator *integrator; /**< for every system; default NULL                     */
  const perp_integrator *const *integrators; /**< per system, n_systems; NULL: integrator    */
  const perp_solver *solver;   /**< of the one-step problems; may be NULL without interactions */
  const void *solver_options;  /**< the solver's own struct, NULL: its defaults              */
  const perp_backend *backend; /**< for large dense systems, NULL: own kernels               */
  int32_t on_failure;      /**< PERP_FAILURE_STOP ... PERP_FAILURE_ACCEPT                      */
  int32_t max_halvings;    /**< for PERP_FAILURE_RETRY, 0 <= max_halvings <= 20; default 4     */
  int32_t newton_stop;     /**< PERP_NEWTON_RESIDUAL ... PERP_NEWTON_FIXED                     */
  int32_t newton_start;    /**< PERP_NEWTON_FROM_CURRENT or PERP_NEWTON_FROM_POSITION          */
  int32_t newton_max;      /**< iterations of one step, 1 <= newton_max; default 50            */
  int32_t newton_halvings; /**< of the line search, where a step does not decrease the defect;
                                0: none; default 8                                          */
  double newton_tol;       /**< > 0, relative; in N s with PERP_NEWTON_DYNAMICS; default 1e-10   */
  double reaction_gamma; /**< 0 <= γ <= 1 of the θ–γ schemes; default 1, which is what others have:
                              PERP_EINVAL for another value without a θ–γ scheme            */
  int32_t projection;     /**< PERP_PROJECT_NONE ... PERP_PROJECT_COMBINED; for holonomic relations
                               with equality laws (all rows) and unilateral laws (first row)  */
  int32_t projection_max; /**< passes of one step, >= 1; default 20. Of a pool in global form: of
                               ten sweeps each, in all no more than the solver's limit; with
                               interactions at most as many such rounds                      */
  double projection_tol;  /**< largest |y| left of an equality, unit of y; default 1e-8      */
  double projection_tol_unilateral; /**< largest -y left of a contact, unit of y; default 1e-8. Of a
                                         pool in global form also gap_tol or h speed_tol may be
                                         left, whichever is the largest                      */
  double gap_tol; /**< acts where y + γ h ẏ <= gap_tol, unit of y, >= 0; default 0           */
  int32_t switchable; /**< 1: systems may be switched off by perp_simulation_set_active()     */
  const perp_sparse *sparse; /**< for systems with sparse operators, which NULL refuses; one for
                                  symmetric positive definite matrices where W is; what it
                                  allocates is given back by perp_simulation_release(). With a
                                  pool in global form one for such matrices that has analyse and
                                  room, as perp_sparse_ldl(), ends by ADMM what sweeps are slow
                                  at, where a factor takes <= 1e9 multiply-adds and 100 MB; NULL
                                  or another: sweeps alone                                    */
  double equality_tol; /**< unit of ẏ (y at order 1), >= 0: by how much equalities may be missed, in
                            the least-squares sense, where they contradict each other, as those
                            of joints that over-constrain and drift; 0: not at all, such a step
                            fails; rows of a projection, contacts too, in the unit of y;
                            default 1e-3                                               */
  const perp_step_solver *global; /**< for one-step problems in global form, needed by formulation
                                       other than PERP_FORMULATION_REDUCED; its allocations are
                                       given back as those of sparse                            */
  int32_t formulation; /**< PERP_FORMULATION_REDUCED (default) ... PERP_FORMULATION_AUTO      */
  int32_t reserved;    /**< 0                                                                 */
  double accept_tol;   /**< >= 0; with PERP_FAILURE_ACCEPT the tolerance that the best point of a
                            one-step problem must pass, as perp_residual_solved() has it, and the
                            defect of PERP_NEWTON_RESIDUAL; beyond it the step stops. HUGE_VAL:
                            none but to be finite; default 1e-2                              */
  double speed_tol; /**< unit of ẏ, >= 0: with the contacts of a pool in global form, the residual
                         that ends the sweeps, instead of the solver's tol; 0 (default): tol; or
                         PERP_SPEED_PILE, PERP_SPEED_STACK. What the limit of sweeps leaves is taken
                         by PERP_FAILURE_ACCEPT then, whatever it is, if it is finite. That limit is
                         the solver's max_iter and budget, of a solver without one 1000 sweeps  */
  perp_parallel_for parallel; /**< how these are worked on at once, with the same bits; NULL
                                   (default): one after the other                             */
  void *parallel_user;        /**< handed to parallel                                         */
  double sleep_energy; /**< J/kg, >= 0, with contacts of a pool in global form: a system rests while
                            its kinetic energy per mass is less; 0 (default): nothing sleeps.
                            What is pushed by no more than sqrt(2 sleep_energy)/sleep_time (m/s²)
                            is taken for at rest. See perp_simulation_is_asleep()           */
  double sleep_time;   /**< s, > 0: systems that act on one another fall asleep when all have rested
                            for so long; default 0.5                                        */
} perp_simulation_options;

/** Fill opts with the defaults; size is sizeof of the caller's struct. The caller sets at least
 * h, integrator (or integrators) and solver. Since 0.1. */
PERP_API void perp_simulation_options_init(perp_simulation_options *opts, size_t size);

/** Defaults by value. */
static inline perp_simulation_options perp_simulation_options_default(void) {
  perp_simulation_options o;
  perp_simulation_options_init(&o, sizeof o);
  return o;
}

/** A simulation; lives at the beginning of its work block. */
typedef struct perp_simulation perp_simulation;

/** What happened since init or resume. */
typedef struct perp_report {
  uint32_t struct_size;      /**< set by the caller: PERP_REPORT_INIT                         */
  int32_t max_active;        /**< most unknowns in one step                                   */
  int64_t steps;             /**< accepted steps (substeps of a retry included)               */
  int64_t active;            /**< unknowns of one-step problems, summed over steps            */
  int64_t impacts;           /**< unilateral copies whose λ became positive                   */
  int64_t solver_iterations; /**< summed over all solves                                 */
  int64_t failures;          /**< one-step problems not solved                                */
  int64_t retries;           /**< steps halved                                                */
  int64_t accepted;          /**< unsolved problems whose best point was taken; steps that missed
                                  their tolerance where contacts are swept                 */
  int64_t relaxed;    /**< problems whose equalities contradict each other by a little (joints that
                           over-constrain), or rows of a projection, solved in the
                           least-squares sense; steps whose projection left overlaps of a pool in
                           global form, or more than projection_tol beside it            */
  double penetration; /**< largest −y of a unilateral copy of a Lagrangian relation before or
                           after a step in which it acted, projected if it is, >= 0   */
  double residual;    /**< worst relative residual of an accepted step                 */
  int64_t newton;     /**< passes of Newton's iteration in accepted steps              */
  int64_t dropped;    /**< contacts found beyond the room of the pool, over steps      */
  int64_t left_out;   /**< geometric stiffness that Newton's iteration wanted and W did not get,
                         as it would not have been positive definite, or couples systems: summed
                         over systems and all passes, of failed steps too                   */
  double speed_residual; /**< worst residual of contacts that are swept, of an accepted step, unit
                            of ẏ: what speed_tol bounds; 0 without such contacts           */
  int64_t asleep;        /**< systems asleep now, see perp_simulation_is_asleep()             */
} perp_report;

/** Initialiser: `perp_report report = PERP_REPORT_INIT;` */
#define PERP_REPORT_INIT \
  { (uint32_t)sizeof(perp_report), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0, 0.0, 0, 0, 0, 0.0, 0 }

/** Bytes of the state block, exact; 0 if the model or the options are refused. Since 0.1. */
PERP_API size_t perp_simulation_state_size(const perp_model *model,
                                           const perp_simulation_options *options);
/** Bytes of the work block, exact; 0 if the model or the options are refused. Since 0.1. */
PERP_API size_t perp_simulation_work_size(const perp_model *model,
                                          const perp_simulation_options *options);

/**
 * Bytes of the state block as a constant expression, exact, without a margin, where no law has a
 * state of its own, without a pool and the option switchable: n_q positions, n_v velocities and
 * first-order states, rows of all relations. The Schatzman-Paoli scheme needs 8 (n_q + rows) bytes
 * more. */
#define PERP_SIMULATION_STATE_BYTES(n_q, n_v, rows) \
  (48 + 8 * ((size_t)(n_q) + (size_t)(n_v) + 3 * (size_t)(rows)) + ((size_t)(rows) + 7) / 8 * 8)

/**
 * Upper bound of the work block as a constant expression for static arrays, for constant systems
 * and relations under Moreau-Jean and θ, relations without parameters z, and a failure policy other
 * than PERP_FAILURE_RETRY (which needs the bytes of the state once more).
 * @param systems       systems, of at most n degrees of freedom each
 * @param system_runs   stretches of neighbouring systems with one description, θ and integrator
 * @param interactions  interactions, of at most m rows and joined systems each
 * @param interaction_runs  stretches of neighbouring interactions with one relation and law, whose
 *                      systems advance by 0 or 1 from one to the next
 * @param couplings     sum over the systems of (rows that stand on it)²
 * @param solver        PERP_LEMKE_BYTES(rows) or PERP_ACTIVE_SET_BYTES(rows, envelope) */
#define PERP_SIMULATION_WORK_BYTES(systems, n, system_runs, interactions, m, joined,               \
                                   interaction_runs, couplings, solver)                            \
  (1536 + (size_t)(solver) + 24 * (size_t)(couplings) +                                            \
   (size_t)(system_runs) * (1856 + 56 * (size_t)(n) * (size_t)(n) + 48 * (size_t)(n)) +            \
   (size_t)(interaction_runs) *                                                                    \
       (512 + 48 * (size_t)(joined) +                                                              \
        (size_t)(m) * (32 + 4 * (size_t)(joined) + 16 * (size_t)(m)) +                             \
        80 * (size_t)(m) * (size_t)(n) * (size_t)(joined) + 16 * (size_t)(n) * (size_t)(joined)) + \
   (size_t)(systems) * (8 * (size_t)(n) + 16) + 8 * (size_t)(n) +                                  \
   (size_t)(interactions) * (12 * (size_t)(joined) + 256 * (size_t)(m)) + 64 * (size_t)(m) +       \
   PERP_MARGIN((size_t)(systems) * (size_t)(n) + (size_t)(interactions) * (size_t)(m)))

/**
 * The bound where anything varies (nonlinear systems and relations, bodies, control), for all
 * schemes and options but PERP_FAILURE_RETRY (the bytes of the state once more) and sparse
 * matrices, without a pool, for the kinds of this library with at most n controls each.
 * @param systems       systems, of at most n degrees of freedom each (6 of a body)
 * @param interactions  interactions, of at most m rows and joined systems each
 * @param couplings     sum over the systems of (rows that stand on it)²; where coupled is not 0,
 * the square of the rows of all relations
 * @param coupled       0; where first-order relations of several systems have a K (reactions that
 *                      depend on x), the states of all first-order systems
 * @param solver        as above, for the rows of all relations */
#define PERP_SIMULATION_VARYING_WORK_BYTES(systems, n, interactions, m, joined, couplings,       \
                                           coupled, solver)                                      \
  (2048 + (size_t)(solver) + 36 * (size_t)(couplings) +                                          \
   (size_t)(systems) * (1920 + 56 * (size_t)(n) * (size_t)(n) + 144 * (size_t)(n)) +             \
   (size_t)(interactions) * (544 + 84 * (size_t)(joined) +                                       \
                             (size_t)(m) * (400 + 4 * (size_t)(joined) + 24 * (size_t)(m)) +     \
                             (size_t)(n) * (size_t)(joined) *                                    \
                                 (80 * (size_t)(m) + 32 + 8 * (size_t)(n) * (size_t)(joined))) + \
   8 * ((size_t)(n) * (3 * (size_t)(n) + 6) + (size_t)(m) * ((size_t)(m) + 20) +                 \
        ((size_t)(n) + 1) * (size_t)(joined) * (3 * (size_t)(m) + 6)) +                          \
   ((coupled) > 0 ? (size_t)(systems) * (40 + 84 * (size_t)(interactions)) +                     \
                        (size_t)(coupled) * (16 + 8 * (size_t)(coupled) +                        \
                                             8 * (size_t)(interactions) * (size_t)(m))           \
                  : 0) +                                                                         \
   PERP_MARGIN((size_t)(systems) * (size_t)(n) + (size_t)(interactions) * (size_t)(m)))

/**
 * Start a simulation at the model's initial values.
 * @param[out] out   the simulation, a pointer into work; NULL on failure
 * @param model      lives as long as the simulation
 * @param options    copied
 * @param state      state_bytes bytes, 8-byte aligned
 * @param work       work_bytes bytes, any alignment, none of them of the state
 * @param[out] info  may be NULL: the offending field, its index and value
 * @return PERP_OK, PERP_EINVAL (bad argument, singular W, initial gap below min_gap),
 *         PERP_EWORKSPACE, PERP_ENOTFINITE, PERP_ECALLBACK, PERP_EUNSUPPORTED, PERP_EBACKEND;
 *         PERP_RETRY if a callback asks for a smaller step, which there is none of here
 * Allocates nothing but through options.sparse; on failure that is given back. Since 0.1. */
PERP_API perp_status perp_simulation_init(perp_simulation **out, const perp_model *model,
                                          const perp_simulation_options *options, void *state,
                                          size_t state_bytes, void *work, size_t work_bytes,
                                          perp_info *info);

/**
 * Continue from a state written by a simulation of the same model and options, as
 * perp_simulation_init() without its initial values and initial gap check. The steps that follow
 * have the bits of the uninterrupted run.
 * @return as perp_simulation_init(); PERP_EINVAL if the state belongs to another model or version
 * Since 0.1. */
PERP_API perp_status perp_simulation_resume(perp_simulation **out, const perp_model *model,
                                            const perp_simulation_options *options, void *state,
                                            size_t state_bytes, void *work, size_t work_bytes,
                                            perp_info *info);

/**
 * Give back what the sparse back end has allocated; NULL is fine. To be called before the work
 * block goes, or is used for something else, where options.sparse is not NULL and the model has
 * sparse systems or a pool; otherwise it does nothing. The simulation stays as it is: a further
 * step factorises anew. perp_simulation_destroy() of heap.h does it, too. Since 0.1. */
PERP_API void perp_simulation_release(perp_simulation *sim);

/**
 * Take the grid's next step.
 * @return PERP_OK; PERP_END after the last point; the solver's status if the one-step problem was
 *         not solved; PERP_RETRY, PERP_ECALLBACK, PERP_ENOTFINITE, PERP_EBACKEND; PERP_EINVAL
 *         within a step of the same simulation, from a callback. On any but PERP_OK the state is
 *         as it was.
 * Allocates nothing, calls nothing but the model's callbacks, the solver and the back end. Two
 * simulations share nothing. Since 0.1. */
PERP_API perp_status perp_simulation_step(perp_simulation *sim, perp_info *info);

/** Take one step of length h > 0 that is not the grid's; the next perp_simulation_step() goes to
 * the grid's next point. A new h factorises the constant parts anew. Since 0.1. */
PERP_API perp_status perp_simulation_advance(perp_simulation *sim, double h, perp_info *info);

/** Called after each accepted step. 0: go on, > 0: stop, < 0: give up. */
typedef int32_t (*perp_step_fn)(perp_simulation *sim, void *user);

/**
 * Take steps of the grid, until one of the limits is reached.
 * @param sim      the simulation
 * @param steps    steps to take; 0: as many as there are
 * @param until    stop where the time is not below it (s); HUGE_VAL: no such limit
 * @param observe  sees each accepted step and may end the run; NULL: none
 * @param user     handed to observe
 * @param[out] info  may be NULL; of the last step
 * @return PERP_OK where steps or until is reached, PERP_END where the grid ends before,
 *         PERP_STOPPED or PERP_ECALLBACK as observe answers, or why a step was not taken;
 *         PERP_EINVAL also where nothing could end the run
 * Since 0.1. */
PERP_API perp_status perp_simulation_run(perp_simulation *sim, int32_t steps, double until,
                                         perp_step_fn observe, void *user, perp_info *info);

/**
 * Switch a system off (0) or on (1) from the next step on; all are on at the beginning. One that is
 * off keeps position and velocity; none of its interactions acts, equations included, no force is
 * asked for, and the pool takes no contact of it: it is not there. Its laws keep their states.
 * The state block holds what is off.
 * @return PERP_OK; PERP_EINVAL, also within a step; PERP_EUNSUPPORTED without the option switchable
 * Since 0.1. */
PERP_API perp_status perp_simulation_set_active(perp_simulation *sim, int32_t system,
                                                int32_t active);
/** 1 if the system is on, 0 if it is off or there is no such system. Since 0.1. */
PERP_API int32_t perp_simulation_is_active(const perp_simulation *sim, int32_t system);

/**
 * Whether a system sleeps (option sleep_energy): it has come to rest with all that contacts join it
 * to, their velocities were set to 0, and until it wakes it is not moved, its contacts stay as they
 * are, forces included, and its own time passes for nothing. It wakes with all of its island in the
 * step in which a contact with a system awake or a new one acts on it, ground that touches it moves
 * (its velocity, or its gap by more than a resting system moves in a step), its force changes
 * that a callback or control gives, or after perp_simulation_wake() or a change of the state block.
 * What moving ground touches, a force that changes with time moves, or interactions hold does not
 * fall asleep, nor what contacts join to it.
 * Within a perp_find_fn(): as it is known so far in this step.
 * @return 1 or 0, also for no such system. Since 0.2.1. */
PERP_API int32_t perp_simulation_is_asleep(const perp_simulation *sim, int32_t system);
/** Systems that are neither asleep nor switched off; 0 for NULL. Since 0.2.1. */
PERP_API int32_t perp_simulation_awake(const perp_simulation *sim);
/**
 * Wake a system, with its island, for what the library cannot see: a constant of a description or a
 * law was changed, ground was taken away. Nothing where it does not sleep; but what has rested so
 * far is counted anew. perp_simulation_set_active() does it itself.
 * @return PERP_OK; PERP_EINVAL, also within a step. Since 0.2.1. */
PERP_API perp_status perp_simulation_wake(perp_simulation *sim, int32_t system);

/**
 * Set positions, velocities and states of systems between two steps. A system whose values change
 * by a bit begins anew as in a new simulation: it wakes, the interactions on it have λ = 0 and gaps
 * of now, the Schatzman-Paoli scheme goes on from q_{k−1} = q − h v, h the last step's length;
 * contacts of a pool that join it are forgotten, their law states too, and the next step finds
 * others. The states of other laws stay, as do time, grid and all other systems. One that is off
 * stays so.
 * @param sim       the simulation
 * @param first, count  systems first ... first + count - 1
 * @param q, v      of those of order 2, one after another as in a model; NULL: they stay
 * @param x         of those of order 1, likewise
 * @param[out] info  may be NULL: "q0" as at init (a quaternion of another norm than 1), "gap": a
 *                  contact that comes to lie deeper than min_gap and than before, or a joint open
 * by more; those of a pool are not looked at
 * @return PERP_OK; PERP_EINVAL, also within a step; PERP_ENOTFINITE; as a callback of a mass or a
 *         relation answers, which are called. On any but PERP_OK the state is as it was.
 * Since 0.2.1. */
PERP_API perp_status perp_simulation_set_state(perp_simulation *sim, int32_t first, int32_t count,
                                               const double *q, const double *v, const double *x,
                                               perp_info *info);

/**
 * The state block, wherever it lies: a copy of these bytes is a checkpoint.
 * @param sim         the simulation
 * @param[out] bytes  perp_simulation_state_size(), 0 for NULL; may be NULL
 * @return the first byte, valid as long as the simulation; NULL for NULL
 * Since 0.1. */
PERP_API const void *perp_simulation_state(const perp_simulation *sim, size_t *bytes);

/** Bytes of a sealed checkpoint; 0 for NULL. Since 0.2. */
PERP_API size_t perp_simulation_checkpoint_size(const perp_simulation *sim);

/**
 * Write a sealed checkpoint: a copy of the state with a checksum (CRC-32C) and a fingerprint of
 * what a run depends on: sizes, constants of systems, relations and laws, options and their
 * solver's, the time grid as far as it was used. Not in it: the option steps, initial values,
 * parameters z, callbacks, whatever is behind a user pointer, the constants of kinds and laws
 * whose tables do not tell them, covering vectors, and of auto, and solvers of one's own, all
 * options but the common ones.
 * @param sim     between two steps; the model has the constants it was started with
 * @param[out] sealed  bytes bytes, any alignment
 * @param bytes   perp_simulation_checkpoint_size() or more
 * @param[out] info  may be NULL
 * @return PERP_OK, PERP_EINVAL (also within a step), PERP_EWORKSPACE. Since 0.2. */
PERP_API perp_status perp_simulation_checkpoint(const perp_simulation *sim, void *sealed,
                                                size_t bytes, perp_info *info);

/** What perp_simulation_unseal() takes although it differs; bits. */
enum {
  PERP_OTHER_GRID = 1 /**< h, t0 or grid: the run goes on from its time to the new grid's next
                           point, and counts its steps there                             */
};

/**
 * Open a sealed checkpoint: the state for perp_simulation_resume() with the same model and options,
 * whose steps have the bits of the uninterrupted run (without ::PERP_OTHER_GRID).
 * @param model, options  those of the run that was sealed, but for what the fingerprint leaves out
 * @param sealed        sealed_bytes bytes, exactly those that were written, any alignment
 * @param accept        0 or ::PERP_OTHER_GRID
 * @param[out] state    state_bytes bytes, see perp_simulation_state_size(), none of them of sealed;
 *                      untouched on failure
 * @param[out] info     may be NULL: "checkpoint.checksum" (it is damaged; "checkpoint.magic",
 *                      "checkpoint.version" and "checkpoint.bytes" where its head shows it),
 *                      "checkpoint.model" (of another model or other options), "checkpoint.grid"
 *                      (of another time grid; or of a time before the first of the new one)
 * @return PERP_OK, PERP_EINVAL, PERP_EWORKSPACE, or why model and options are refused. Since 0.2.
 */
PERP_API perp_status perp_simulation_unseal(const perp_model *model,
                                            const perp_simulation_options *options,
                                            const void *sealed, size_t sealed_bytes,
                                            uint32_t accept, void *state, size_t state_bytes,
                                            perp_info *info);

/** Current time (s); 0 for NULL. Since 0.1. */
PERP_API double perp_simulation_time(const perp_simulation *sim);
/** Steps of the grid taken since t0; 0 for NULL. Since 0.1. */
PERP_API int64_t perp_simulation_step_index(const perp_simulation *sim);

/** Views into the state, valid as long as the simulation; NULL for a bad index, or where the
 * order of the system has no such vector. Neighbouring systems are contiguous.
 * perp_simulation_n_q() and its neighbours tell how long they are. Since 0.1. */
PERP_API const double *perp_simulation_q(const perp_simulation *sim, int32_t system);
/** Velocities of a Lagrangian system; see perp_simulation_q(). */
PERP_API const double *perp_simulation_v(const perp_simulation *sim, int32_t system);
/** State of a first-order system; see perp_simulation_q(). */
PERP_API const double *perp_simulation_x(const perp_simulation *sim, int32_t system);
/** y of an interaction, m entries: gaps H q + F z + b, or outputs C x + D λ + F z + e. Right
 * after init, outputs are taken with λ = 0. */
PERP_API const double *perp_simulation_y(const perp_simulation *sim, int32_t interaction);
/** ẏ = H v + D λ of an interaction of Lagrangian systems, m entries. */
PERP_API const double *perp_simulation_ydot(const perp_simulation *sim, int32_t interaction);
/** λ of an interaction, m entries, at the level that perp_simulation_level() tells: impulse over
 * the last step (N s) for Lagrangian systems (kg m with the Schatzman-Paoli scheme), force level
 * for first-order systems; perp_simulation_force() makes forces of all of them. 0 where not active.
 */
PERP_API const double *perp_simulation_lambda(const perp_simulation *sim, int32_t interaction);

/** Entries of perp_simulation_q(), 7 of a body; 0 where that is NULL. Since 0.2. */
PERP_API int32_t perp_simulation_n_q(const perp_simulation *sim, int32_t system);
/** Entries of perp_simulation_v(), 6 of a body; 0 where that is NULL. Since 0.2. */
PERP_API int32_t perp_simulation_n_v(const perp_simulation *sim, int32_t system);
/** Entries of perp_simulation_x(); 0 where that is NULL. Since 0.2. */
PERP_API int32_t perp_simulation_n_x(const perp_simulation *sim, int32_t system);
/** Rows m of an interaction: entries of its y, ẏ, λ and forces; 0 for a bad index. Since 0.2. */
PERP_API int32_t perp_simulation_n_rows(const perp_simulation *sim, int32_t interaction);

/** At which level a λ is: the power of time by which it is more than a force. */
enum {
  PERP_LEVEL_FORCE = 0,   /**< a force (N)                                       */
  PERP_LEVEL_IMPULSE = 1, /**< h times a force: an impulse (N s)                 */
  PERP_LEVEL_POSITION = 2 /**< h² times a force (kg m): what acts on positions   */
};

/** The level of perp_simulation_lambda() of an interaction, by the scheme of its systems:
 * PERP_LEVEL_FORCE ... PERP_LEVEL_POSITION; -1 for a bad index. Since 0.2. */
PERP_API int32_t perp_simulation_level(const perp_simulation *sim, int32_t interaction);

/**
 * The state that a copy of a law carries from step to step, for instance a ::perp_cohesive_state.
 * @param sim          the simulation
 * @param interaction  which
 * @param copy         0 ... copies - 1 within the interaction
 * @param[out] bytes   its size as the law told it; may be NULL
 * @return a view, valid as long as the simulation; NULL for a bad index or a law without state
 * Since 0.1. */
PERP_API const void *perp_simulation_law_state(const perp_simulation *sim, int32_t interaction,
                                               int32_t copy, size_t *bytes);

/** Impulses as mean forces over the last step: force[m] = λ / h for Lagrangian systems (λ / h² with
 * the Schatzman-Paoli scheme), λ for first-order ones. @return PERP_OK or PERP_EINVAL. Since 0.1.
 */
PERP_API perp_status perp_simulation_force(const perp_simulation *sim, int32_t interaction,
                                           double *force);

/** Number of independent one-step problems (islands) of the last step. Since 0.1. */
PERP_API int32_t perp_simulation_islands(const perp_simulation *sim);
/**
 * The one-step problem of an island of the last step: views into work, valid until the next call
 * that steps.
 * @param[in,out] problem  struct_size set by the caller: #PERP_PROBLEM_INIT; M, q, laws
 * @param[out] rows     if not NULL: where to put the address of problem->n row numbers; row r is
 *                      row r of all relations of the model, one after another
 * @return PERP_OK or PERP_EINVAL
 * Since 0.1. */
PERP_API perp_status perp_simulation_problem(const perp_simulation *sim, int32_t island,
                                             perp_problem *problem, const int32_t **rows);

/** Kinetic ½vᵀMv and potential ½qᵀKq − fᵀq (f the constant force) of the Lagrangian systems, in J;
 * both may be NULL. @return PERP_OK, PERP_EINVAL (also within a step), or PERP_ECALLBACK where a
 * mass or a potential by callback failed or is not finite: the sum is NaN then. Since 0.1. */
PERP_API perp_status perp_simulation_energy(perp_simulation *sim, double *kinetic,
                                            double *potential);

/**
 * Work (J) of the reactions of an interaction over the last step (with retries: over its last
 * substep),
 *   Moreau-Jean        Σ λᵀ(θ ẏ_{k+1} + (1−θ) ẏ_k),   θ that of the first system it joins,
 *   Schatzman-Paoli    Σ λᵀ(y_{k+1} − y_k) / h².
 * It is what the interaction adds to the energy of its systems; < 0: it dissipates. Exactly so
 * under Moreau-Jean for constant relations ẏ = H v of systems with one θ. Where a relation depends
 * on time or has a D, it counts what moves the obstacle or is stored in D, too.
 * @param sim          the simulation
 * @param interaction  which, or -1: all
 * @param[out] work        may be NULL; 0 for relations of order 1, before the first step and right
 *                         after a resume
 * @param[out] tangential  the part of the rows of friction and of rolling (all but the first of
 *                         each copy of such a law): −tangential is what friction has dissipated.
 *                         May be NULL
 * @return PERP_OK or PERP_EINVAL. Since 0.1. See docs/verification.md. */
PERP_API perp_status perp_simulation_work_done(const perp_simulation *sim, int32_t interaction,
                                               double *work, double *tangential);

/** Fill a report whose struct_size the caller has set. @return PERP_OK or PERP_EINVAL. Since 0.1.
 */
PERP_API perp_status perp_simulation_report(const perp_simulation *sim, perp_report *report);

#ifdef __cplusplus
}
#endif
#endif
