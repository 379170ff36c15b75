// SPDX-License-Identifier: MIT
// Written by generate.py from include/perp: do not edit.

/** One iteration of a solver as an observer sees it. */
export interface Iterate {
  /** from 0; amid one the last that was done, -1: none */
  readonly iteration: number;
  /** unknown that becomes basic (or free), -1: several or none */
  readonly entering: number;
  /** unknown that leaves the basis, -1: several or none */
  readonly leaving: number;
  /** what the method decreases: infeasibilities, z0, residual */
  readonly merit: number;
}

/** What perp_law_verify() finds: by how much (y, λ) does not satisfy a law, each 0 where it does. */
export interface Verdict {
  /** component with the largest part of relative, -1: relative is 0 */
  readonly worst: number;
  /** where λ is in its set, static: "equality"; "open", "closed"; "lower", "between", "upper"; "open", "stick", "slip", "roll", "slip and roll"; "inside", "boundary"; "various" where components differ */
  readonly state: string;
  /** ‖λ − P(λ)‖: outside its set, units of λ */
  readonly lambda: number;
  /** part of y that no λ of the set allows (penetration), units of y; 0 for polyhedra and sets that only a projection knows */
  readonly y: number;
  /** what keeps y and λ from being complementary, units of y times λ: for intervals Σ |y| times the distance of λ from its bound, for friction y_n λ_n + μ λ_n ‖y_t‖ + λ_t·y_t; else (P(λ) − P(λ − sŷ))·ŷ */
  readonly work: number;
  /** between λ_t and −y_t, of friction and rolling, where both are not 0 (rad) */
  readonly angle: number;
  /** ‖λ − P(λ − sŷ)‖ / ‖λ‖, s = ‖λ‖/‖ŷ‖ (1/‖ŷ‖ and undivided if λ = 0): without units, and 0 only if the law holds */
  readonly relative: number;
}

/** What happened since init or resume. */
export interface Report {
  /** most unknowns in one step */
  readonly max_active: number;
  /** accepted steps (substeps of a retry included) */
  readonly steps: number;
  /** unknowns of one-step problems, summed over steps */
  readonly active: number;
  /** unilateral copies whose λ became positive */
  readonly impacts: number;
  /** summed over all solves */
  readonly solver_iterations: number;
  /** one-step problems not solved */
  readonly failures: number;
  /** steps halved */
  readonly retries: number;
  /** unsolved problems whose best point was taken; steps that missed their tolerance where contacts are swept */
  readonly accepted: number;
  /** problems whose equalities contradict each other by a little (joints that over-constrain), or rows of a projection, solved in the least-squares sense; steps whose projection left overlaps of a pool in global form, or more than projection_tol beside it */
  readonly relaxed: number;
  /** largest −y of a unilateral copy of a Lagrangian relation before or after a step in which it acted, projected if it is, >= 0 */
  readonly penetration: number;
  /** worst relative residual of an accepted step */
  readonly residual: number;
  /** passes of Newton's iteration in accepted steps */
  readonly newton: number;
  /** contacts found beyond the room of the pool, over steps */
  readonly dropped: number;
  /** geometric stiffness that Newton's iteration wanted and W did not get, as it would not have been positive definite, or couples systems: summed over systems and all passes, of failed steps too */
  readonly left_out: number;
  /** worst residual of contacts that are swept, of an accepted step, unit of ẏ: what speed_tol bounds; 0 without such contacts */
  readonly speed_residual: number;
  /** systems asleep now, see perp_simulation_is_asleep() */
  readonly asleep: number;
}

/** What a run has cost so far. */
export interface EventReport {
  /** times at which something happened */
  readonly events: number;
  /** copies of laws with an impulse, over all events */
  readonly impacts: number;
  /** changes of modes */
  readonly switches: number;
  /** accumulations cut off */
  readonly jumps: number;
  /** to time-stepping */
  readonly handovers: number;
  /** of the smooth integrator */
  readonly restarts: number;
  /** one-step problems solved at events */
  readonly problems: number;
  /** states put back on their constraints */
  readonly corrections: number;
  /** steps in which a guard bent more than its many points show: it may have been at 0 in between; bound the step (h_max) */
  readonly unresolved: number;
  /** of the smooth integrator */
  readonly steps: number;
  /** of which the error test refused */
  readonly rejected: number;
  /** of the right-hand side */
  readonly evaluations: number;
  /** of implicit methods */
  readonly jacobians: number;
  /** evaluations of guards */
  readonly guards: number;
  /** largest |y| of a held row seen at the end of a step */
  readonly drift: number;
  /** gaps found deeper than contact_tol though the search had passed them: the step ends there; bound the step (h_max) */
  readonly missed: number;
  /** next modes that were one of several: a contact slips, and its friction pushes it in by more than its force holds (Painlevé) */
  readonly indeterminate: number;
}

/** A unilateral copy of a law, between Lagrangian systems or bodies, that acted in the last step. */
export interface Contact {
  /** index into the model; -1: of the pool */
  readonly interaction: number;
  /** of its law */
  readonly copy: number;
  /** the first two joined; -1: none, as the ground */
  readonly systems: [number, number];
  /** as the pool's callback has given it; 0 otherwise */
  readonly identity: number;
  /** index into the pool's laws; -1 otherwise */
  readonly law: number;
  /** 1: what follows lambda is known (contacts of a pool and ::perp_body_contact); 0: it is 0 */
  readonly located: number;
  /** y of its first row at the end of the step, projected if it is */
  readonly gap: number;
  /** rows: relative velocity at the end of the step */
  readonly ydot: Float64Array;
  /** rows: reaction in the local frame, N s with Moreau-Jean */
  readonly lambda: Float64Array;
  /** where the reaction acts (m), fixed frame */
  readonly point: Float64Array;
  /** normal, to the first system, and both tangents */
  readonly frame: Float64Array;
  /** on the first system over the step (N s), fixed frame; its opposite acts on the second */
  readonly impulse: Float64Array;
  /** impulse / h (N) */
  readonly force: Float64Array;
  /** angular impulse of rolling resistance on the first system (N m s) */
  readonly couple: Float64Array;
}

/**
 * Options of a simulation. The arrays thetas and integrators are read at init and may go
 * afterwards; grid, solver_options and the descriptors must live as long as the simulation.
 */
export interface SimulationNumbers {
  /** steps of the grid; 0 with grid NULL: no end */
  steps?: number;
  /** first time (s) */
  t0?: number;
  /** step length (s), > 0: t_k = t0 + k h; not read with a grid */
  h?: number;
  /** 0 <= θ <= 1, weight of the end of the step; default 1/2 */
  theta?: number;
  /** 0 <= γ <= 2, prediction of the gap y + γ h ẏ; PERP_GAMMA_DEFAULT: 1/2. Given where no scheme predicts gaps: PERP_EINVAL */
  gamma?: number;
  /** smallest accepted initial gap, unit of y; default -1e-3 */
  min_gap?: number;
  /** PERP_FAILURE_STOP ... PERP_FAILURE_ACCEPT */
  on_failure?: number;
  /** for PERP_FAILURE_RETRY, 0 <= max_halvings <= 20; default 4 */
  max_halvings?: number;
  /** PERP_NEWTON_RESIDUAL ... PERP_NEWTON_FIXED */
  newton_stop?: number;
  /** PERP_NEWTON_FROM_CURRENT or PERP_NEWTON_FROM_POSITION */
  newton_start?: number;
  /** iterations of one step, 1 <= newton_max; default 50 */
  newton_max?: number;
  /** of the line search, where a step does not decrease the defect; 0: none; default 8 */
  newton_halvings?: number;
  /** > 0, relative; in N s with PERP_NEWTON_DYNAMICS; default 1e-10 */
  newton_tol?: number;
  /** 0 <= γ <= 1 of the θ–γ schemes; default 1, which is what others have: PERP_EINVAL for another value without a θ–γ scheme */
  reaction_gamma?: number;
  /** PERP_PROJECT_NONE ... PERP_PROJECT_COMBINED; for holonomic relations with equality laws (all rows) and unilateral laws (first row) */
  projection?: number;
  /** passes of one step, >= 1; default 20. Of a pool in global form: of ten sweeps each, in all no more than the solver's limit; with interactions at most as many such rounds */
  projection_max?: number;
  /** largest |y| left of an equality, unit of y; default 1e-8 */
  projection_tol?: number;
  /** largest -y left of a contact, unit of y; default 1e-8. Of a pool in global form also gap_tol or h speed_tol may be left, whichever is the largest */
  projection_tol_unilateral?: number;
  /** acts where y + γ h ẏ <= gap_tol, unit of y, >= 0; default 0 */
  gap_tol?: number;
  /** 1: systems may be switched off by perp_simulation_set_active() */
  switchable?: number;
  /** unit of ẏ (y at order 1), >= 0: by how much equalities may be missed, in the least-squares sense, where they contradict each other, as those of joints that over-constrain and drift; 0: not at all, such a step fails; rows of a projection, contacts too, in the unit of y; default 1e-3 */
  equality_tol?: number;
  /** PERP_FORMULATION_REDUCED (default) ... PERP_FORMULATION_AUTO */
  formulation?: number;
  /** >= 0; with PERP_FAILURE_ACCEPT the tolerance that the best point of a one-step problem must pass, as perp_residual_solved() has it, and the defect of PERP_NEWTON_RESIDUAL; beyond it the step stops. HUGE_VAL: none but to be finite; default 1e-2 */
  accept_tol?: number;
  /** unit of ẏ, >= 0: with the contacts of a pool in global form, the residual that ends the sweeps, instead of the solver's tol; 0 (default): tol; or PERP_SPEED_PILE, PERP_SPEED_STACK. What the limit of sweeps leaves is taken by PERP_FAILURE_ACCEPT then, whatever it is, if it is finite. That limit is the solver's max_iter and budget, of a solver without one 1000 sweeps */
  speed_tol?: number;
  /** J/kg, >= 0, with contacts of a pool in global form: a system rests while its kinetic energy per mass is less; 0 (default): nothing sleeps. What is pushed by no more than sqrt(2 sleep_energy)/sleep_time (m/s²) is taken for at rest. See perp_simulation_is_asleep() */
  sleep_energy?: number;
  /** s, > 0: systems that act on one another fall asleep when all have rested for so long; default 0.5 */
  sleep_time?: number;
}

/** Options of an event-driven simulation. All that is pointed to must live as long as it. */
export interface EventNumbers {
  /** highest order of the method, 0: its own */
  order?: number;
  /** first time (s) */
  t0?: number;
  /** relative tolerance of the smooth motion, > 0; default 1e-10 */
  rtol?: number;
  /** absolute one, > 0; default 1e-12 */
  atol?: number;
  /** PERP_LINEAR_AUTO ... PERP_LINEAR_SPARSE */
  linear?: number;
  /** steps of a component between two of its events or outputs, >= 1; default 100000 */
  max_steps?: number;
  /** first step (s), 0: the method's own choice */
  h_first?: number;
  /** longest step (s), 0: none */
  h_max?: number;
  /** |y| at which a contact counts as closed, > 0, unit of y; default 1e-10 */
  contact_tol?: number;
  /** smallest accepted initial gap of a contact, <= 0, unit of y; default -1e-6: what lies below 0 is put back on the contact */
  min_gap?: number;
  /** |ẏ| at which a closed contact counts as at rest, and sticks, > 0, unit of ẏ; default 1e-10 */
  velocity_tol?: number;
  /** PERP_IMPACT_LAW ... PERP_IMPACT_LZB */
  impact?: number;
  /** PERP_ZENO_JUMP ... PERP_ZENO_STOP */
  zeno?: number;
  /** largest excursion that is cut off, > 0, unit of y; default 1e-13 */
  zeno_tol?: number;
  /** that many events of a component, >= 2, ...; default 1000 */
  storm_events?: number;
  /** points inside a step at which forces are looked at, >= 0; default 4: two crossings inside one step are seen; docs/theory-event-driven.md */
  samples?: number;
  /** ... in less than this time (s) end the run; default 1e-6 */
  storm_time?: number;
}

/** Options of perp_multiple_impact(). */
export interface ImpactNumbers {
  /** PERP_STIFFNESS_MONO or PERP_STIFFNESS_BI (default) */
  compliance?: number;
  /** η > 0 of force = κ δ^η: 1 linear (default), 3/2 Hertz; at most 16 */
  exponent?: number;
  /** longest step as a part of the shortest s/|ẏ| among the closed contacts, s and ẏ those with which all energy of a contact would be in its spring, or none; 0 < step <= 1; default 1/2. With tol = 1 it is all that counts */
  step?: number;
  /** error of a step as a part of the whole, > 0, makes steps shorter; 1: none is; default 1e-12 */
  tol?: number;
  /** default 10000000 */
  max_steps?: number;
}

/** The fields with which the options of every solver begin. */
export interface SolverNumbers {
  /** iterations allowed; 0: the solver's own rule */
  max_iter?: number;
  /** accepted relative residual, >= 0 */
  tol?: number;
  /** multiply-adds allowed, 0: perp_solver_budget() */
  budget?: number;
}

/** Options of ADMM. */
export interface AdmmNumbers extends SolverNumbers {
  /** first ρ, > 0, in units of the mean diagonal entry of each contact; default 0.3 */
  rho?: number;
  /** 0 < relaxation < 2; 1 (default): none */
  relaxation?: number;
  /** steps that the acceleration remembers, 0 (none) ... 30; default 10 */
  memory?: number;
  /** times ρ may be changed and M + ρI factorised anew, >= 0; default 20 */
  updates?: number;
  /** 0 (default): De Saxcé's term follows every iterate; 1: it is kept until the convex problem that it makes is solved to a tenth, and so on */
  outer?: number;
}

/** Options of auto. */
export interface AutoNumbers extends SolverNumbers {
  /** 1 (default): KLU may be called for block rows of 200 unknowns or more with few entries, and allocates and frees before the solve ends; 0: nothing allocates. With friction KLU and LDL, of any size */
  allocate?: number;
}

/** Options of projected Gauss–Seidel. */
export interface PgsNumbers extends SolverNumbers {
  /** relaxation, 0 < omega < 2; 1 is Gauss–Seidel */
  omega?: number;
  /** ρ / max |M_ii| of the proximal loop, >= 0; 0: no such loop */
  regularisation?: number;
  /** other than 0: every second sweep goes backward */
  symmetric?: number;
  /** sweeps between two looks at the residual, >= 1 */
  check?: number;
}

/** Options of nonsmooth Gauss–Seidel. */
export interface NsgsNumbers extends SolverNumbers {
  /** relaxation, 0 < omega < 2; 1 is Gauss–Seidel */
  omega?: number;
  /** ρ / max |M_ii| of the proximal loop, >= 0; 0: no such loop */
  regularisation?: number;
  /** PERP_NSGS_FORWARD, ..._SYMMETRIC, ..._SHUFFLED */
  order?: number;
  /** PERP_NSGS_PLAIN, ..._ANDERSON, ..._MOMENTUM; shuffled sweeps are plain ones */
  acceleration?: number;
  /** of Anderson's acceleration, 1 ... PERP_NSGS_MOST_DEPTH */
  depth?: number;
  /** sweeps for which a contact that has come to rest is left out, >= 0; 0: none is. All take part before the end is claimed */
  freeze?: number;
  /** sweeps between two looks at the sizes of λ and of the change, >= 1 */
  check?: number;
  /** other than 0: contacts ordered by colours, of which none has two that meet, as it always is with parallel; 0 without it: the order of the problem. The order decides about the bits */
  colours?: number;
}

/** Options of the conjugate projected gradient. */
export interface CpgNumbers extends SolverNumbers {
  /** Γ > 0: bounds are released when what they hold back exceeds Γ times what is left to gain on the face */
  proportion?: number;
}

/** Options of the interior-point method. */
export interface InteriorPointNumbers extends SolverNumbers {
  /** Gondzio's centrality correctors a step may try, 0 ... 4; default 2 */
  correctors?: number;
  /** 1 (default): finish by solving the active set exactly; 0: iterate only */
  crossover?: number;
}

/** Options of the interior-point method for friction. */
export interface FrictionInteriorNumbers extends SolverNumbers {
  /** PERP_FRICTION_INTERIOR_NEWTON (default) or ..._LAGGED */
  coupling?: number;
  /** 1 (default): finish by steps of the nonsmooth Newton method; 0: interior points only */
  crossover?: number;
}

/** Options of both Newton methods. */
export interface NewtonNumbers extends SolverNumbers {
  /** a step may raise the merit up to the largest of so many last ones; 1 (monotone) ... 16, default 5 */
  history?: number;
  /** starts tried after one from which no step leads on, >= 0; default 30 */
  restarts?: number;
}

/** Options of the semismooth Newton method for friction. */
export interface FrictionNewtonNumbers extends SolverNumbers {
  /** PERP_FRICTION_NATURAL ... PERP_FRICTION_JEAN_MOREAU; default PERP_FRICTION_ALART_CURNIER */
  function?: number;
  /** PERP_SEARCH_WATCHDOG (default) ... PERP_SEARCH_NONE */
  search?: number;
  /** steps the watchdog waits, merits the line search looks back on, 1 ... 16; default 6 */
  history?: number;
  /** projected Gauss–Seidel sweeps before the first step, >= 0; default 10 */
  sweeps?: number;
  /** largest proximal parameter, relative to the diagonal blocks of M, >= 0; default 1; 0: M as it is */
  proximal?: number;
}

/** Options of Lemke's method. */
export interface LemkeNumbers extends SolverNumbers {
}

/** Options of block pivoting. */
export interface BlockPivotingNumbers extends SolverNumbers {
  /** σ / (largest entry of M) of the proximal loop, > 0; it runs only where a singular M_FF or no end is met; default 1e-6 */
  proximal?: number;
  /** block exchanges without a new least number of infeasible unknowns before single ones take over, >= 0; default 5 */
  patience?: number;
}

/** Options of the pivotal method for boxes. */
export interface BoxPivotingNumbers extends SolverNumbers {
  /** first σ of the proximal loop, in equilibrated units, > 0; it runs only where pivoting fails and M may be monotone; default 1e-6 */
  proximal?: number;
}

/** Options of the active-set method. */
export interface ActiveSetNumbers extends SolverNumbers {
  /** σ / (largest diagonal entry of M) of the proximal loop, > 0; it runs only where M is found not to be positive definite; default 1e-6 */
  proximal?: number;
}

/** Options of the projection methods. */
export interface ViNumbers extends SolverNumbers {
  /** first ρ, >= 0; 0: from the differences of F at the start */
  step?: number;
  /** L of the rule ρ ‖F(x) − F(x̄)‖ <= L ‖x − x̄‖, 0 < L < 1 */
  ratio?: number;
  /** ρ is multiplied by it where the rule fails, 0 < shrink < 1 */
  shrink?: number;
  /** and by this where ρ ‖F(x) − F(x̄)‖ < L ‖x − x̄‖ / 3, >= 1 */
  grow?: number;
}

/** Options of the method for polyhedra. */
export interface AviPivotingNumbers extends SolverNumbers {
}

/** Options of all solvers. */
export type AnySolverNumbers = AdmmNumbers & AutoNumbers & PgsNumbers & NsgsNumbers & CpgNumbers & InteriorPointNumbers & FrictionInteriorNumbers & NewtonNumbers & FrictionNewtonNumbers & LemkeNumbers & BlockPivotingNumbers & BoxPivotingNumbers & ActiveSetNumbers & ViNumbers & AviPivotingNumbers;

/** The functions of C as the module has them; addresses are numbers. */
export interface Functions {
  /**
   * One line of English for a status.
   * @param status  any number at all
   * @return a static string, never NULL; "unknown status" for a number perp does not use
   * Allocates nothing; safe from any thread.
   */
  perp_status_string(status: number): number;
  /**
   * Version of the library that is linked, in the form of ::PERP_VERSION.
   * Compare perp_version() / 100 with PERP_VERSION / 100: before 1.0 every minor version may
   * change the ABI. Safe from any thread.
   */
  perp_version(): number;
  /** The version as text, "0.2.0", between releases "0.2.1-dev"; static. */
  perp_version_string(): number;
  /**
   * Check that a view is well formed: kind known, sizes >= 0, arrays present, cuts and starts
   * ordered, block columns in range. Entries are not read; NaN shows in the residual.
   * @param matrix  the view
   * @param info  may be NULL; names the field
   * @return PERP_OK or PERP_EINVAL
   */
  perp_matrix_check(matrix: number, info: number): number;
  /**
   * y := A x.
   * @param A  well-formed view, rows x cols
   * @param x  cols entries
   * @param y  rows entries, may not overlap x
   * @return PERP_OK or PERP_EINVAL
   * Allocates nothing; safe from any thread.
   */
  perp_matrix_multiply(A: number, x: number, y: number): number;
  /**
   * Entry (i, j), 0 where nothing is stored or an argument is out of range. Linear search in a
   * block row: for tests and small work.
   */
  perp_matrix_entry(A: number, i: number, j: number): number;
  /**
   * Set the head and defaults of a law description. size is sizeof of the caller's struct.
   * Defaults: e = 0; box of one component with bounds to be set by the caller; polyhedron of one
   * component without rows; friction, Frémond and cohesive in space (law.size 3), rolling (5), with
   * every coefficient 0 that has no other default.
   * @return PERP_OK, or PERP_EINVAL if law is NULL or size is not one this library knows
   */
  perp_equality_init(law: number, size: number): number;
  /**
   * Set the head and defaults of a law description. size is sizeof of the caller's struct.
   * Defaults: e = 0; box of one component with bounds to be set by the caller; polyhedron of one
   * component without rows; friction, Frémond and cohesive in space (law.size 3), rolling (5), with
   * every coefficient 0 that has no other default.
   * @return PERP_OK, or PERP_EINVAL if law is NULL or size is not one this library knows
   */
  perp_complementarity_init(law: number, size: number): number;
  /**
   * Set the head and defaults of a law description. size is sizeof of the caller's struct.
   * Defaults: e = 0; box of one component with bounds to be set by the caller; polyhedron of one
   * component without rows; friction, Frémond and cohesive in space (law.size 3), rolling (5), with
   * every coefficient 0 that has no other default.
   * @return PERP_OK, or PERP_EINVAL if law is NULL or size is not one this library knows
   */
  perp_newton_impact_init(law: number, size: number): number;
  /**
   * Set the head and defaults of a law description. size is sizeof of the caller's struct.
   * Defaults: e = 0; box of one component with bounds to be set by the caller; polyhedron of one
   * component without rows; friction, Frémond and cohesive in space (law.size 3), rolling (5), with
   * every coefficient 0 that has no other default.
   * @return PERP_OK, or PERP_EINVAL if law is NULL or size is not one this library knows
   */
  perp_box_init(law: number, size: number): number;
  /**
   * Set the head and defaults of a law description. size is sizeof of the caller's struct.
   * Defaults: e = 0; box of one component with bounds to be set by the caller; polyhedron of one
   * component without rows; friction, Frémond and cohesive in space (law.size 3), rolling (5), with
   * every coefficient 0 that has no other default.
   * @return PERP_OK, or PERP_EINVAL if law is NULL or size is not one this library knows
   */
  perp_polyhedron_init(law: number, size: number): number;
  /**
   * Set the head and defaults of a law description. size is sizeof of the caller's struct.
   * Defaults: e = 0; box of one component with bounds to be set by the caller; polyhedron of one
   * component without rows; friction, Frémond and cohesive in space (law.size 3), rolling (5), with
   * every coefficient 0 that has no other default.
   * @return PERP_OK, or PERP_EINVAL if law is NULL or size is not one this library knows
   */
  perp_friction_init(law: number, size: number): number;
  /**
   * perp_friction_init() for firmware: 12 kB less are linked. One contact alone is solved by the law
   * where it takes off, sticks or slides beyond doubt, in doubles; what is left goes to the solver.
   * @return PERP_OK, PERP_EINVAL.
   */
  perp_friction_small_init(law: number, size: number): number;
  /**
   * perp_friction_init() for firmware: 12 kB less are linked. One contact alone is solved by the law
   * where it takes off, sticks or slides beyond doubt, in doubles; what is left goes to the solver.
   * @return PERP_OK, PERP_EINVAL.
   */
  perp_rolling_init(law: number, size: number): number;
  /**
   * perp_friction_init() for firmware: 12 kB less are linked. One contact alone is solved by the law
   * where it takes off, sticks or slides beyond doubt, in doubles; what is left goes to the solver.
   * @return PERP_OK, PERP_EINVAL.
   */
  perp_mixed_init(law: number, size: number): number;
  /**
   * perp_friction_init() for firmware: 12 kB less are linked. One contact alone is solved by the law
   * where it takes off, sticks or slides beyond doubt, in doubles; what is left goes to the solver.
   * @return PERP_OK, PERP_EINVAL.
   */
  perp_compliant_init(law: number, size: number): number;
  /**
   * perp_friction_init() for firmware: 12 kB less are linked. One contact alone is solved by the law
   * where it takes off, sticks or slides beyond doubt, in doubles; what is left goes to the solver.
   * @return PERP_OK, PERP_EINVAL.
   */
  perp_fremond_init(law: number, size: number): number;
  /**
   * perp_friction_init() for firmware: 12 kB less are linked. One contact alone is solved by the law
   * where it takes off, sticks or slides beyond doubt, in doubles; what is left goes to the solver.
   * @return PERP_OK, PERP_EINVAL.
   */
  perp_cohesive_init(law: number, size: number): number;
  /** As perp_equality_init(); components 1, 2 or 3. */
  perp_user_impact_init(law: number, size: number, components: number): number;
  /**
   * Check a law, built in or the user's own: head, size, table, data.
   * @param law  the law
   * @param info  may be NULL; names the field
   * @return PERP_OK, PERP_EINVAL, PERP_ENOTFINITE
   */
  perp_law_check(law: number, info: number): number;
  /** Bytes perp_law_verify() needs; 0 if the law is malformed or the size overflows. */
  perp_law_verify_workspace(law: number): number;
  /**
   * Judge a pair (y, λ) of one copy of a law: that of a one-step problem, or of a first-order system.
   * @param law     the law
   * @param state   of the copy, NULL for a law without
   * @param y       law->size
   * @param lambda  law->size
   * @param verdict  see ::perp_law_verdict; its struct_size is set by the caller
   * @param work    work_bytes bytes of any alignment, see perp_law_verify_workspace()
   * @return PERP_OK (whatever the verdict is), PERP_EINVAL, PERP_ENOTFINITE (y, λ, or a projection
   * that cannot be computed), PERP_EWORKSPACE, or what perp_law_check() says
   * Allocates nothing; parallel calls need distinct work.
   */
  perp_law_verify(law: number, state: number, y: number, lambda: number, verdict: number, work: number, work_bytes: number): number;
  /**
   * Check the shape of a problem: M square n x n and well formed, q present, law blocks that cover
   * 0 ... n, laws valid, weights > 0 and floors >= 0. Entries of M and q are not read (NaN shows in
   * the residual).
   * @return PERP_OK, PERP_EINVAL, PERP_ENOTFINITE (a weight, a floor) or what perp_law_check() says
   */
  perp_problem_check(problem: number, info: number): number;
  /** Bytes perp_problem_residual() needs; 0 if the problem is malformed or the size overflows. */
  perp_problem_residual_workspace(problem: number): number;
  /**
   * y := M λ + q and the residual of (y, λ), from the caller's data alone.
   * @param problem  the problem
   * @param lambda   n
   * @param y   n, may not overlap lambda
   * @param residual  struct_size set by the caller; see ::perp_residual
   * @param work     work_bytes bytes of any alignment, see perp_problem_residual_workspace()
   * @return PERP_OK (whatever the residual is), PERP_EINVAL, PERP_EWORKSPACE
   * Allocates nothing; parallel calls need distinct y, residual, work.
   */
  perp_problem_residual(problem: number, lambda: number, y: number, residual: number, work: number, work_bytes: number): number;
  /**
   * Whether u proves that a problem has no solution (Farkas). With C the recession cone of
   * K (u_i = 0 where both bounds are finite, >= 0 where only the lower one is, <= 0 where only the
   * upper one is): u ∈ C gives uᵀ y >= 0 at a solution, so there is none if uᵀ(M λ + q) < 0 for every
   * λ ∈ K. Where λ_i may grow without bound that needs a sign of (Mᵀu)_i, 0 if λ_i is free; what
   * rounding, here or in u, leaves of the wrong sign, w_i, is turned into a bound: every solution
   * would have Σ w_i |λ_i| >= c for the c > 0 by which the rest is negative, so ‖λ‖₁ >= c / max w_i.
   * At contacts with friction or rolling u_n >= 0 and the rest of u is 0, as y_n >= 0 at a solution;
   * with s = Mᵀu, s_n + μ ‖s_t‖ + μ_r ‖s_m‖ <= 0 is the sign that is needed.
   * All sums carry a bound of their rounding error, which is counted against the proof; numbers of
   * any size count, and the answer does not depend on how M is stored. A finite bound alone is less
   * than what PERP_INFEASIBLE says, which asks for an amplification of 2³⁰ besides.
   * @param problem  laws FREE, ORTHANT, BOX, CONE, ROLLING; M of any kind
   * @param u        n entries in C exactly, for example perp_info.ray
   * @param bound  least ‖λ‖₁ a solution could have, infinity if there is none for certain; 0 if
   * u proves nothing
   * @param work     work_bytes bytes of any alignment, see perp_problem_residual_workspace()
   * @return PERP_OK (u is a proof; believe it if *bound is beyond what the problem may mean),
   * PERP_INACCURATE (it is none; NaN and infinity prove nothing), PERP_EINVAL, PERP_EUNSUPPORTED,
   * PERP_EWORKSPACE, or what perp_problem_check() says
   * Allocates nothing; parallel calls need distinct work.
   */
  perp_problem_certificate(problem: number, u: number, bound: number, work: number, work_bytes: number): number;
  /** 1 if the residual means "solved" at tolerance tol, else 0; NaN is never solved. */
  perp_residual_solved(residual: number, tol: number): number;
  /** Fill opts with the defaults; size is sizeof of the caller's struct. */
  perp_solver_options_init(opts: number, size: number): void;
  /**
   * The budget of a solver of n unknowns whose options say 0: 5e7 multiply-adds, some 50 ms, up to
   * 20 unknowns, and 6250 n³ from there on. auto has a rule of its own.
   */
  perp_solver_budget(n: number): number;
  /**
   * Check a descriptor and options for it, as every call below does.
   * @return PERP_OK, PERP_EINVAL; info (may be NULL) names the field.
   */
  perp_solver_check(solver: number, options: number, info: number): number;
  /** Shape of a problem that passed perp_problem_check(). */
  perp_problem_shape(problem: number, shape: number): void;
  /**
   * Bytes perp_solver_solve() needs for this problem; 0 if the solver does not accept it or the
   * size overflows. options may be NULL.
   */
  perp_solver_workspace(solver: number, problem: number, options: number): number;
  /** Workspace for any problem within a shape. */
  perp_solver_shape_workspace(solver: number, shape: number, options: number): number;
  /** Bytes a perp_warm needs so that this solver can use all of it. */
  perp_solver_warm_bytes(solver: number, problem: number): number;
  /**
   * Solve a one-step problem and verify the answer.
   * @param solver   a descriptor, for example perp_solver_lemke()
   * @param problem  checked first, not modified
   * @param options  the solver's own struct or a perp_solver_options, NULL: defaults; those of
   * another solver are PERP_EINVAL, info->field names the struct that is asked for
   * @param lambda  n: start where the method takes one; solution; on failure the last or
   *                 best point
   * @param y   n: M λ + q, may not overlap lambda
   * @param warm     may be NULL; read and updated
   * @param work     work_bytes bytes of any alignment, see perp_solver_workspace()
   * @param info  may be NULL: iterations, residuals, or the offending argument
   * @return PERP_OK only if perp_residual_solved() of the recomputed residual says so
   * Allocates nothing, prints nothing; parallel calls need distinct lambda, y, warm, work, info.
   */
  perp_solver_solve(solver: number, problem: number, options: number, lambda: number, y: number, warm: number, work: number, work_bytes: number, info: number): number;
  /**
   * Write modes (n bytes, PERP_MODE_...) into warm data, and forget what was factorised for other
   * modes. @return PERP_OK, PERP_EINVAL, PERP_EWORKSPACE (bytes too few for n modes).
   */
  perp_warm_set_modes(warm: number, n: number, modes: number): number;
  /** Read the n modes of warm data; PERP_MODE_UNKNOWN where it holds none for n unknowns. */
  perp_warm_get_modes(warm: number, n: number, modes: number): number;
  /**
   * Check the shape of a problem: M square m x m, H n x m, both well formed, q and b present, laws as
   * perp_problem_check() wants them. Entries are not read.
   * @return PERP_OK, PERP_EINVAL or what perp_law_check() says
   */
  perp_global_check(problem: number, info: number): number;
  /** Bytes perp_global_residual() needs; 0 if the problem is malformed or the size overflows. */
  perp_global_residual_workspace(problem: number): number;
  /**
   * u := H v + b and the residual of (v, r), from the caller's data alone; no factor of M is needed.
   * @param problem  the problem
   * @param v        m
   * @param r        n
   * @param u   n, may not overlap v or r
   * @param parts  see ::perp_global_parts
   * @param work     work_bytes bytes of any alignment, see perp_global_residual_workspace()
   * @return PERP_OK (whatever the residual is), PERP_EINVAL, PERP_EWORKSPACE
   * Allocates nothing; parallel calls need distinct u, parts, work.
   */
  perp_global_residual(problem: number, v: number, r: number, u: number, parts: number, work: number, work_bytes: number): number;
  /** 1 if the parts mean "solved" at tolerance tol, else 0; NaN is never solved. */
  perp_global_solved(parts: number, tol: number): number;
  /** Fill opts with the defaults; size is sizeof of the caller's struct. */
  perp_global_options_init(opts: number, size: number): void;
  /**
   * Bytes of scratch that perp_global_workspace() needs to count what the problem couples; 0 if the
   * problem is malformed or the size overflows.
   */
  perp_global_scratch(problem: number): number;
  /**
   * Bytes perp_global_solve() needs: a symbolic pass over M and H counts the blocks of W.
   * @param problem  the problem; entries are read only for whether they are 0
   * @param options  as for the solve
   * @param scratch  scratch_bytes bytes of any alignment, see perp_global_scratch()
   * @return bytes; 0 if the solver does not accept the problem, the options are wrong, the scratch is
   * too small, or the size overflows
   */
  perp_global_workspace(problem: number, options: number, scratch: number, scratch_bytes: number): number;
  /**
   * Which way suits a problem, by a count of multiplications: to form W takes a solve with M for
   * every row of H, and a solver passes over W some hundred times; without W every iteration is a
   * solve with M + Hᵀ H. Factors are counted as those of a sparse matrix that is dissected
   * well. Condensed where no component of M has 100 velocities.
   * @param problem  the problem; entries are read only for whether they are 0
   * @param scratch  scratch_bytes bytes of any alignment, see perp_global_scratch()
   * @return PERP_GLOBAL_CONDENSED or PERP_GLOBAL_FULL; 0 if the problem is malformed or the scratch
   * too small
   */
  perp_global_form(problem: number, scratch: number, scratch_bytes: number): number;
  /**
   * Solve a problem in global form by condensation and verify the answer: the connected components of
   * M (bodies) are factorised one by one, W gets one block for each pair of law copies that share a
   * component, the named solver solves the condensed problem, v follows from r.
   * @param problem  checked first, not modified; M regular, not necessarily symmetric or definite
   * @param options  NULL is refused, as a solver has to be named
   * @param v   m
   * @param r  n: start where the solver takes one; solution; on failure the last or best
   * point
   * @param u   n: H v + b; v, r and u may not overlap
   * @param warm     of the solver, may be NULL; see perp_solver_warm_bytes() of the condensed problem
   * @param work     work_bytes bytes of any alignment, see perp_global_workspace()
   * @param info  may be NULL: of the solver; residual is that of contact, relative_residual the
   *                 larger one of contact, equilibrium and the condensed problem
   * @return PERP_OK only if perp_global_solved() of the recomputed residual says so, and the solver's
   * own verdict on the condensed problem does; PERP_EINVAL with field "M" and the first row of a
   * component that is singular; otherwise as perp_solver_solve()
   * Allocates nothing without a sparse back end, prints nothing; parallel calls need distinct v, r,
   * u, warm, work, info.
   */
  perp_global_solve(problem: number, options: number, v: number, r: number, u: number, warm: number, work: number, work_bytes: number, info: number): number;
  /**
   * Bytes perp_global_condense() needs, after a symbolic pass as in perp_global_workspace(); 0 if the
   * problem is malformed, the scratch too small or the size overflows.
   */
  perp_global_condense_workspace(problem: number, sparse: number, scratch: number, scratch_bytes: number): number;
  /**
   * Eliminate v: the one-step problem u = W r + (H M⁻¹ q + b), for whoever wants to solve it as one.
   * @param problem  as for perp_global_solve()
   * @param sparse   back end for large components of M, NULL: none
   * @param condensed  struct_size set by the caller: #PERP_PROBLEM_INIT; a view of work and
   * of the problem's laws: both have to stay
   * @param work     work_bytes bytes of any alignment, see perp_global_condense_workspace()
   * @param info  may be NULL
   * @return PERP_OK, PERP_EINVAL (of a singular M too, see there), PERP_ENOTFINITE, PERP_EWORKSPACE,
   * PERP_EUNSUPPORTED (W cannot be stored; a back end for symmetric matrices and a component of M
   * that is not), PERP_EBACKEND
   */
  perp_global_condense(problem: number, sparse: number, condensed: number, work: number, work_bytes: number, info: number): number;
  /**
   * Bytes perp_lcp_solve() needs for n unknowns with this solver and these options (may be NULL);
   * 0 if n < 0, the solver does not accept an LCP of that size, or the answer overflows.
   */
  perp_lcp_workspace(solver: number, n: number, options: number): number;
  /**
   * Solve an LCP by any solver that accepts complementarity and dense M.
   * @param solver   a descriptor, for example perp_solver_lemke()
   * @param problem  M and q, not modified; entries must be finite
   * @param options  the solver's own struct, NULL: defaults
   * @param z  n: start where the method takes one; solution; on failure the last or best
   * point
   * @param w   n: M z + q, may not overlap z
   * @param work     work_bytes bytes of any alignment, see perp_lcp_workspace()
   * @param info  may be NULL
   * @return as perp_solver_solve(); PERP_ENOTFINITE names the entry
   * Allocates nothing; parallel calls need distinct z, w, work, info.
   */
  perp_lcp_solve(solver: number, problem: number, options: number, z: number, w: number, work: number, work_bytes: number, info: number): number;
  /** As perp_lcp_workspace(), for perp_mlcp_solve(). */
  perp_mlcp_workspace(solver: number, n: number, options: number): number;
  /**
   * As perp_lcp_solve(), for the box form and solvers that accept boxes.
   * @return also PERP_EINVAL for bounds with lower > upper, PERP_ENOTFINITE for bounds that are NaN
   * or have no real number between them.
   */
  perp_mlcp_solve(solver: number, problem: number, options: number, z: number, w: number, work: number, work_bytes: number, info: number): number;
  /** Fill opts with the defaults; size is sizeof of the caller's struct. */
  perp_admm_options_init(opts: number, size: number): void;
  /**
   * ADMM as a descriptor: equality, complementarity, box, friction and rolling laws, M in any kind of
   * storage. Starts from lambda. Sure to converge for symmetric positive semidefinite M with convex
   * laws (by component, or μ = 0); with friction it converges where that problem is not too far from
   * a convex one, which is nearly always. A dense M may be of any kind. Of a sparse one the
   * symmetric part is factorised and the rest of it is carried along, which suits matrices that are
   * symmetric up to a few digits; options.sparse may be a back end for any matrix.
   * @return in solve: PERP_OK (verified), PERP_MAX_ITER, PERP_STOPPED, PERP_INACCURATE (M + ρI cannot
   * be factorised for any ρ tried, or the iteration stands still without a solution),
   * PERP_EUNSUPPORTED (block rows or compressed rows that store entries on one side of the diagonal
   * only, without options.sparse), PERP_EBACKEND (options.sparse failed); unless solved or stopped,
   * lambda is the best point met.
   */
  perp_solver_admm(): number;
  /**
   * Bytes perp_global_admm() needs; 0 if the problem is malformed or not accepted, the options are
   * wrong, or it overflows. Reads which entries of a dense H are 0.
   */
  perp_global_admm_workspace(problem: number, options: number): number;
  /**
   * ADMM on a problem in global form, without condensation: M + HᵀH / ρ is factorised, W never
   * formed. For large sparse M and many reactions that all velocities share, as on deformable bodies.
   * @param problem  M symmetric positive definite in any storage; laws by component, friction,
   * rolling
   * @param options  NULL: defaults; options.sparse factorises whatever M is stored as, without it M
   * is taken as dense
   * @param v  m: start; solution; on failure the best point
   * @param r  n: start; solution; on failure the best point
   * @param u   n: H v + b; v, r and u may not overlap
   * @param work     work_bytes bytes of any alignment, see perp_global_admm_workspace()
   * @param info  may be NULL; residual is that of contact, relative_residual the larger one of
   * contact and equilibrium
   * @return PERP_OK only if perp_global_solved() says so; PERP_MAX_ITER, PERP_STOPPED,
   * PERP_INACCURATE, PERP_EINVAL (field "M": M + HᵀH / ρ is not positive definite), PERP_EUNSUPPORTED
   * (M is not symmetric; laws), PERP_ENOTFINITE, PERP_EWORKSPACE, PERP_EBACKEND
   * Allocates nothing without a sparse back end; parallel calls need distinct v, r, u, work, info.
   */
  perp_global_admm(problem: number, options: number, v: number, r: number, u: number, work: number, work_bytes: number, info: number): number;
  /** Fill opts with the defaults; size is sizeof of the caller's struct. */
  perp_auto_options_init(opts: number, size: number): void;
  /**
   * The choice as a descriptor: every law and M of any kind. Looks at the laws, the size, the density
   * and the symmetry of M, tries the method that is fastest for such problems, and goes on to the
   * next when one fails, with its modes and its point. Choices and limits are counted in work, never
   * in seconds: results repeat. info->solver tells who solved it, info->iterations counts those of
   * all.
   *
   * With friction, rolling or a law known by its projection it solves each connected part of the
   * problem apart, by sweeps of Gauss–Seidel, ADMM, Newton's method and an interior point, and goes
   * on to the next where the present one promises more work than another.
   *
   * lambda is a start only with a warm start that knows modes; otherwise auto begins with what is
   * nearest to 0 in the bounds. With an unchanged stamp of M the method that solved the last
   * problem comes first, without another look at M.
   * @return in solve: PERP_OK (verified); PERP_INFEASIBLE (a certificate was found, or enumeration
   * proved it, and no point that passes as a solution came up where the proof leaves room for one);
   * otherwise lambda is the best point of all candidates, and the status is that of the one that
   * found it.
   */
  perp_solver_auto(): number;
  /**
   * A ::perp_state_fn for perp_control.u of an input that is sampled: u := z, the first parameters of
   * the description, which the caller changes between steps. It depends on no state, so that no
   * derivative is taken.
   * @param user  an int32_t, which perp_control.user points to: n_u, at most the n_z of the
   *              description
   * @return 0; -1 without z.
   */
  perp_control_sampled(t: number, q: number, v: number, z: number, out: number, user: number): number;
  /**
   * Set the head and zero the rest; n is the number of degrees of freedom, size is sizeof of the
   * caller's struct. @return PERP_OK, or PERP_EINVAL if system is NULL, n < 1 or size is not one
   * this library knows.
   */
  perp_lagrangian_linear_init(system: number, size: number, n: number): number;
  /**
   * perp_lagrangian_linear_init() for firmware: a system without control, which is refused with
   * ::PERP_EUNSUPPORTED; what control needs is not linked. perp_simulation_energy() knows its energy,
   * event-driven simulations do not.
   */
  perp_lagrangian_linear_constant_init(system: number, size: number, n: number): number;
  /**
   * perp_lagrangian_linear_init() for firmware: a system without control, which is refused with
   * ::PERP_EUNSUPPORTED; what control needs is not linked. perp_simulation_energy() knows its energy,
   * event-driven simulations do not.
   */
  perp_first_order_linear_init(system: number, size: number, n: number): number;
  /**
   * Set the head and zero the rest; m rows, n columns, size is sizeof of the caller's struct.
   * @return PERP_OK, or PERP_EINVAL if relation is NULL, m < 1, n < 1 or size is not one this
   * library knows.
   */
  perp_linear_relation_init(relation: number, size: number, m: number, n: number): number;
  /**
   * Set the head and zero the rest; m rows, n columns, size is sizeof of the caller's struct.
   * @return PERP_OK, or PERP_EINVAL if relation is NULL, m < 1, n < 1 or size is not one this
   * library knows.
   */
  perp_lagrangian_linear_relation_init(relation: number, size: number, m: number, n: number): number;
  /**
   * Check a model: sizes, matrices, laws, indices, orders, finite entries. What a simulation's init
   * calls first.
   * @param model  the model
   * @param info  may be NULL: names the field, which system or interaction, and the value
   * @return PERP_OK, PERP_EINVAL, PERP_ENOTFINITE, PERP_EUNSUPPORTED (an operator stored in blocks
   * larger than 1 x 1, a relation whose m m, m n or m n_z exceeds 2^31 - 1)
   * Singular mass is found when the iteration matrix is factorised, by the simulation's init.
   */
  perp_model_check(model: number, info: number): number;
  /**
   * Set the head and zero the rest; m conditions, n velocities of the systems joined, size is sizeof
   * of the caller's struct. @return PERP_OK, or PERP_EINVAL if relation is NULL, m < 1, n < 1 or size
   * is not one this library knows.
   */
  perp_prescribed_velocity_init(relation: number, size: number, m: number, n: number): number;
  /**
   * Check a graph. @return PERP_OK, PERP_EINVAL, PERP_ENOTFINITE; info (may be NULL) names field and
   * index.
   */
  perp_piecewise_linear_check(graph: number, info: number): number;
  /** Pieces z_j that the graph is taken apart into, >= 1; 0 if it is malformed. */
  perp_piecewise_linear_pieces(graph: number): number;
  /**
   * How far (y, λ) is from the graph, in the maximum norm: the least t with (y ± t, λ ± t) on it.
   * @return NaN if the graph is malformed or y or λ is NaN.
   */
  perp_piecewise_linear_distance(graph: number, y: number, lambda: number): number;
  /**
   * Bytes perp_piecewise_relation_init() needs; 0 if relation or graph is malformed or the size
   * overflows.
   */
  perp_piecewise_relation_memory(inner: number, graph: number): number;
  /**
   * Make the relation of the pieces of a graph.
   * @param relation  the description, and with it the law
   * @param size           sizeof the caller's struct
   * @param inner          checked when a model is; must live as long as relation. A constant one is
   *                       copied now, but z, which is read in every step
   * @param graph          must live as long as relation, with its arrays
   * @param memory         bytes bytes, any alignment: kept until relation is no longer used
   * @param bytes          see perp_piecewise_relation_memory()
   * @param info      may be NULL; names the field
   * @return PERP_OK, PERP_EINVAL, PERP_ENOTFINITE, PERP_EWORKSPACE
   * Allocates nothing.
   */
  perp_piecewise_relation_init(relation: number, size: number, inner: number, graph: number, memory: number, bytes: number, info: number): number;
  /** The relation of the pieces that this relation is, NULL if it is another one. */
  perp_piecewise_relation_of(relation: number): number;
  /**
   * y (ẏ at order 2) and λ of the rows of inner from those of the pieces, as a simulation shows them.
   * @param relation  from perp_piecewise_relation_init()
   * @param w         relation->m: y of the pieces (ẏ at order 2); NULL if y is
   * @param z         relation->m: λ of the pieces
   * @param y       inner->m or NULL
   * @param lambda  inner->m or NULL
   * @return PERP_OK or PERP_EINVAL.
   */
  perp_piecewise_relation_values(relation: number, w: number, z: number, y: number, lambda: number): number;
  /**
   * Set the head and the defaults: mass 1, inertia the identity, no force. size is sizeof of the
   * caller's struct. @return PERP_OK, or PERP_EINVAL if body is NULL or size is not one this library
   * knows.
   */
  perp_body_init(body: number, size: number): number;
  /**
   * R := rotation matrix (3 x 3, column-major) of a unit quaternion Q. Here and in the next two
   * nothing happens where a pointer is NULL.
   */
  perp_rotation_matrix(Q: number, R: number): void;
  /**
   * Q := unit quaternion of the rotation by angle (rad) about axis (any length but 0: NaN). Since
   * 0.1.
   */
  perp_rotation_quaternion(axis: number, angle: number, Q: number): void;
  /** out := q ⊕ d, 7 entries; out may be q. */
  perp_body_move(q: number, d: number, out: number): void;
  /**
   * Set the head and zero the rest; m = 1, 2, 3 or 5 rows, bodies = 1 (with the ground) or 2. size
   * is sizeof of the caller's struct. @return PERP_OK or PERP_EINVAL.
   */
  perp_body_contact_init(contact: number, size: number, m: number, bodies: number): number;
  /**
   * A perp_locate_fn() for a perp_sphere_plane as user; here and in the next two a NULL pointer
   * gives up.
   */
  perp_locate_sphere_plane(t: number, q: number, place: number, user: number): number;
  /**
   * A perp_locate_fn() for a perp_sphere_sphere as user; spheres with one centre ask for a smaller
   * step.
   */
  perp_locate_sphere_sphere(t: number, q: number, place: number, user: number): number;
  /** A perp_locate_fn() for a perp_point_plane as user. */
  perp_locate_point_plane(t: number, q: number, place: number, user: number): number;
  /**
   * Moreau-Jean θ-scheme for Lagrangian systems, impulses and velocities as unknowns:
   *   W = M + hθC + h²θ²K,   v_free = v_k − W⁻¹[(hC + h²θK) v_k + hK q_k − h F_{k+θ}],
   *   active where y_k + γ h ẏ_k ≤ 0:   0 ≤ ẏ_{k+1} + e ẏ_k ⟂ λ_{k+1} ≥ 0,
   *   v_{k+1} = v_free + W⁻¹Hᵀλ_{k+1},  q_{k+1} = q_k + h(θ v_{k+1} + (1−θ) v_k).
   * λ is an impulse (N s). Source: Jean and Moreau, 1987; Acary and Brogliato 2008, ch. 10.
   */
  perp_integrator_moreau_jean(): number;
  /**
   * perp_integrator_moreau_jean() for constant models, with the same bits, and nothing else: a
   * statically linked program that names no other integrator is about 30 kB smaller. For linear
   * systems without feedback and with diagonal or dense matrices, linear relations, any laws. What it
   * is not for is refused with ::PERP_EUNSUPPORTED, and info names it: "systems" or "relation" that
   * vary, "projection", "pool", "formulation", an operator or "H_rows" in compressed rows. Equalities
   * that contradict each other are not solved in the sense of least squares.
   */
  perp_integrator_moreau_jean_constant(): number;
  /**
   * Schatzman-Paoli scheme for Lagrangian systems, linear or not, with positions as unknowns and no
   * prediction: every constraint is in the one-step problem of every step,
   *   M(q*)(q_{k+1} − 2q_k + q_{k−1}) = h²(θ f_{k+1} + (1−θ) f_k) + Hᵀλ,
   *   0 ≤ y(q_{k+1}) + e y(q_{k−1}) ⟂ λ ≥ 0,   v_{k+1} = (q_{k+1} − q_{k−1}) / (2h),
   * f_k = f(t_k, q_k, v_k), q* = q_k + θ(q_{k+1} − q_k). λ has the unit kg m (for y in m); λ/h² is a
   * force. It starts with q_{−1} = q_0 − h v_0. Where the step length changes, q_{k−1} is moved along
   * the line to q_k. For laws by component, and holonomic relations between systems that are all of
   * this scheme; without quaternions. Source: Paoli and Schatzman, SIAM J. Numer. Anal. 40 (2002)
   * 702-733; Acary and Brogliato 2008, section 10.6.
   */
  perp_integrator_schatzman_paoli(): number;
  /**
   * θ-scheme for first-order systems with a fully implicit multiplier:
   *   W = M − hθA,   x_free = x_k + hW⁻¹(A x_k + b_{k+θ} + a),
   *   x_{k+1} = x_free + hW⁻¹Bλ_{k+1},   y_{k+1} = C x_{k+1} + D λ_{k+1} + F z + e.
   * λ has force level. Source: Acary and Brogliato 2008, ch. 9.
   */
  perp_integrator_theta(): number;
  /** perp_integrator_theta() for constant models; see perp_integrator_moreau_jean_constant(). */
  perp_integrator_theta_constant(): number;
  /**
   * θ–γ scheme for first-order systems, standard form:
   *   M(x_{k+1} − x_k) = h(θ f_{k+1} + (1−θ) f_k) + h(γ r_{k+1} + (1−γ) r_k),
   *   y_{k+1} = h(t_{k+1}, x_{k+1}, λ_{k+1}),   r_{k+1} = g(t_{k+1}, x_{k+1}, λ_{k+1}).
   * γ is options.reaction_gamma; 1 is perp_integrator_theta(), 0 takes the reaction explicitly (then
   * y must depend on λ). r_0 is taken with λ = 0. Source: Acary, Bonnefon and Brogliato, Nonsmooth
   * Modeling and Simulation for Switched Circuits, 2011, ch. 7.
   */
  perp_integrator_theta_gamma(): number;
  /**
   * θ–γ scheme, full form: relation, law and λ hold at t_{k+γ} = t_k + γh and x_{k+γ} = γ x_{k+1} +
   * (1−γ) x_k, 0 < γ <= 1:
   *   M(x_{k+1} − x_k) = h(θ f_{k+1} + (1−θ) f_k) + h r_{k+γ},
   *   y_{k+γ} = h(t_{k+γ}, x_{k+γ}, λ_{k+γ}),   r_{k+γ} = g(t_{k+γ}, x_{k+γ}, λ_{k+γ}).
   * y and λ of the state are those of t_{k+γ}. γ = 1/2 with θ = 1/2 keeps the energy of lossless
   * circuits. Source as above.
   */
  perp_integrator_theta_gamma_full(): number;
  /** perp_global_admm() with memory from malloc. In perp::perp only. */
  perp_global_step(): number;
  /**
   * Fill opts with the defaults; size is sizeof of the caller's struct. The caller sets at least
   * h, integrator (or integrators) and solver.
   */
  perp_simulation_options_init(opts: number, size: number): void;
  /** Bytes of the state block, exact; 0 if the model or the options are refused. */
  perp_simulation_state_size(model: number, options: number): number;
  /** Bytes of the work block, exact; 0 if the model or the options are refused. */
  perp_simulation_work_size(model: number, options: number): number;
  /**
   * Start a simulation at the model's initial values.
   * @param out   the simulation, a pointer into work; NULL on failure
   * @param model      lives as long as the simulation
   * @param options    copied
   * @param state      state_bytes bytes, 8-byte aligned
   * @param work       work_bytes bytes, any alignment, none of them of the state
   * @param info  may be NULL: the offending field, its index and value
   * @return PERP_OK, PERP_EINVAL (bad argument, singular W, initial gap below min_gap),
   *         PERP_EWORKSPACE, PERP_ENOTFINITE, PERP_ECALLBACK, PERP_EUNSUPPORTED, PERP_EBACKEND;
   *         PERP_RETRY if a callback asks for a smaller step, which there is none of here
   * Allocates nothing but through options.sparse; on failure that is given back.
   */
  perp_simulation_init(out: number, model: number, options: number, state: number, state_bytes: number, work: number, work_bytes: number, info: number): number;
  /**
   * Continue from a state written by a simulation of the same model and options, as
   * perp_simulation_init() without its initial values and initial gap check. The steps that follow
   * have the bits of the uninterrupted run.
   * @return as perp_simulation_init(); PERP_EINVAL if the state belongs to another model or version
   */
  perp_simulation_resume(out: number, model: number, options: number, state: number, state_bytes: number, work: number, work_bytes: number, info: number): number;
  /**
   * Give back what the sparse back end has allocated; NULL is fine. To be called before the work
   * block goes, or is used for something else, where options.sparse is not NULL and the model has
   * sparse systems or a pool; otherwise it does nothing. The simulation stays as it is: a further
   * step factorises anew. perp_simulation_destroy() of heap.h does it, too.
   */
  perp_simulation_release(sim: number): void;
  /**
   * Take the grid's next step.
   * @return PERP_OK; PERP_END after the last point; the solver's status if the one-step problem was
   *         not solved; PERP_RETRY, PERP_ECALLBACK, PERP_ENOTFINITE, PERP_EBACKEND; PERP_EINVAL
   *         within a step of the same simulation, from a callback. On any but PERP_OK the state is
   *         as it was.
   * Allocates nothing, calls nothing but the model's callbacks, the solver and the back end. Two
   * simulations share nothing.
   */
  perp_simulation_step(sim: number, info: number): number;
  /**
   * Take one step of length h > 0 that is not the grid's; the next perp_simulation_step() goes to
   * the grid's next point. A new h factorises the constant parts anew.
   */
  perp_simulation_advance(sim: number, h: number, info: number): number;
  /**
   * Take steps of the grid, until one of the limits is reached.
   * @param sim      the simulation
   * @param steps    steps to take; 0: as many as there are
   * @param until    stop where the time is not below it (s); HUGE_VAL: no such limit
   * @param observe  sees each accepted step and may end the run; NULL: none
   * @param user     handed to observe
   * @param info  may be NULL; of the last step
   * @return PERP_OK where steps or until is reached, PERP_END where the grid ends before,
   *         PERP_STOPPED or PERP_ECALLBACK as observe answers, or why a step was not taken;
   *         PERP_EINVAL also where nothing could end the run
   */
  perp_simulation_run(sim: number, steps: number, until: number, observe: number, user: number, info: number): number;
  /**
   * Switch a system off (0) or on (1) from the next step on; all are on at the beginning. One that is
   * off keeps position and velocity; none of its interactions acts, equations included, no force is
   * asked for, and the pool takes no contact of it: it is not there. Its laws keep their states.
   * The state block holds what is off.
   * @return PERP_OK; PERP_EINVAL, also within a step; PERP_EUNSUPPORTED without the option switchable
   */
  perp_simulation_set_active(sim: number, system: number, active: number): number;
  /** 1 if the system is on, 0 if it is off or there is no such system. */
  perp_simulation_is_active(sim: number, system: number): number;
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
   * @return 1 or 0, also for no such system.
   */
  perp_simulation_is_asleep(sim: number, system: number): number;
  /** Systems that are neither asleep nor switched off; 0 for NULL. */
  perp_simulation_awake(sim: number): number;
  /**
   * Wake a system, with its island, for what the library cannot see: a constant of a description or a
   * law was changed, ground was taken away. Nothing where it does not sleep; but what has rested so
   * far is counted anew. perp_simulation_set_active() does it itself.
   * @return PERP_OK; PERP_EINVAL, also within a step.
   */
  perp_simulation_wake(sim: number, system: number): number;
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
   * @param info  may be NULL: "q0" as at init (a quaternion of another norm than 1), "gap": a
   *                  contact that comes to lie deeper than min_gap and than before, or a joint open
   * by more; those of a pool are not looked at
   * @return PERP_OK; PERP_EINVAL, also within a step; PERP_ENOTFINITE; as a callback of a mass or a
   *         relation answers, which are called. On any but PERP_OK the state is as it was.
   */
  perp_simulation_set_state(sim: number, first: number, count: number, q: number, v: number, x: number, info: number): number;
  /**
   * The state block, wherever it lies: a copy of these bytes is a checkpoint.
   * @param sim         the simulation
   * @param bytes  perp_simulation_state_size(), 0 for NULL; may be NULL
   * @return the first byte, valid as long as the simulation; NULL for NULL
   */
  perp_simulation_state(sim: number, bytes: number): number;
  /** Bytes of a sealed checkpoint; 0 for NULL. */
  perp_simulation_checkpoint_size(sim: number): number;
  /**
   * Write a sealed checkpoint: a copy of the state with a checksum (CRC-32C) and a fingerprint of
   * what a run depends on: sizes, constants of systems, relations and laws, options and their
   * solver's, the time grid as far as it was used. Not in it: the option steps, initial values,
   * parameters z, callbacks, whatever is behind a user pointer, the constants of kinds and laws
   * whose tables do not tell them, covering vectors, and of auto, and solvers of one's own, all
   * options but the common ones.
   * @param sim     between two steps; the model has the constants it was started with
   * @param sealed  bytes bytes, any alignment
   * @param bytes   perp_simulation_checkpoint_size() or more
   * @param info  may be NULL
   * @return PERP_OK, PERP_EINVAL (also within a step), PERP_EWORKSPACE.
   */
  perp_simulation_checkpoint(sim: number, sealed: number, bytes: number, info: number): number;
  /**
   * Open a sealed checkpoint: the state for perp_simulation_resume() with the same model and options,
   * whose steps have the bits of the uninterrupted run (without ::PERP_OTHER_GRID).
   * @param model, options  those of the run that was sealed, but for what the fingerprint leaves out
   * @param sealed        sealed_bytes bytes, exactly those that were written, any alignment
   * @param accept        0 or ::PERP_OTHER_GRID
   * @param state    state_bytes bytes, see perp_simulation_state_size(), none of them of sealed;
   *                      untouched on failure
   * @param info     may be NULL: "checkpoint.checksum" (it is damaged; "checkpoint.magic",
   *                      "checkpoint.version" and "checkpoint.bytes" where its head shows it),
   *                      "checkpoint.model" (of another model or other options), "checkpoint.grid"
   *                      (of another time grid; or of a time before the first of the new one)
   * @return PERP_OK, PERP_EINVAL, PERP_EWORKSPACE, or why model and options are refused.
   */
  perp_simulation_unseal(model: number, options: number, sealed: number, sealed_bytes: number, accept: number, state: number, state_bytes: number, info: number): number;
  /** Current time (s); 0 for NULL. */
  perp_simulation_time(sim: number): number;
  /** Steps of the grid taken since t0; 0 for NULL. */
  perp_simulation_step_index(sim: number): bigint;
  /**
   * Views into the state, valid as long as the simulation; NULL for a bad index, or where the
   * order of the system has no such vector. Neighbouring systems are contiguous.
   * perp_simulation_n_q() and its neighbours tell how long they are.
   */
  perp_simulation_q(sim: number, system: number): number;
  /** Velocities of a Lagrangian system; see perp_simulation_q(). */
  perp_simulation_v(sim: number, system: number): number;
  /** State of a first-order system; see perp_simulation_q(). */
  perp_simulation_x(sim: number, system: number): number;
  /**
   * y of an interaction, m entries: gaps H q + F z + b, or outputs C x + D λ + F z + e. Right
   * after init, outputs are taken with λ = 0.
   */
  perp_simulation_y(sim: number, interaction: number): number;
  /** ẏ = H v + D λ of an interaction of Lagrangian systems, m entries. */
  perp_simulation_ydot(sim: number, interaction: number): number;
  /**
   * λ of an interaction, m entries, at the level that perp_simulation_level() tells: impulse over
   * the last step (N s) for Lagrangian systems (kg m with the Schatzman-Paoli scheme), force level
   * for first-order systems; perp_simulation_force() makes forces of all of them. 0 where not active.
   */
  perp_simulation_lambda(sim: number, interaction: number): number;
  /** Entries of perp_simulation_q(), 7 of a body; 0 where that is NULL. */
  perp_simulation_n_q(sim: number, system: number): number;
  /** Entries of perp_simulation_v(), 6 of a body; 0 where that is NULL. */
  perp_simulation_n_v(sim: number, system: number): number;
  /** Entries of perp_simulation_x(); 0 where that is NULL. */
  perp_simulation_n_x(sim: number, system: number): number;
  /** Rows m of an interaction: entries of its y, ẏ, λ and forces; 0 for a bad index. */
  perp_simulation_n_rows(sim: number, interaction: number): number;
  /**
   * The level of perp_simulation_lambda() of an interaction, by the scheme of its systems:
   * PERP_LEVEL_FORCE ... PERP_LEVEL_POSITION; -1 for a bad index.
   */
  perp_simulation_level(sim: number, interaction: number): number;
  /**
   * The state that a copy of a law carries from step to step, for instance a ::perp_cohesive_state.
   * @param sim          the simulation
   * @param interaction  which
   * @param copy         0 ... copies - 1 within the interaction
   * @param bytes   its size as the law told it; may be NULL
   * @return a view, valid as long as the simulation; NULL for a bad index or a law without state
   */
  perp_simulation_law_state(sim: number, interaction: number, copy: number, bytes: number): number;
  /**
   * Impulses as mean forces over the last step: force[m] = λ / h for Lagrangian systems (λ / h² with
   * the Schatzman-Paoli scheme), λ for first-order ones. @return PERP_OK or PERP_EINVAL.
   */
  perp_simulation_force(sim: number, interaction: number, force: number): number;
  /** Number of independent one-step problems (islands) of the last step. */
  perp_simulation_islands(sim: number): number;
  /**
   * The one-step problem of an island of the last step: views into work, valid until the next call
   * that steps.
   * @param problem  struct_size set by the caller: #PERP_PROBLEM_INIT; M, q, laws
   * @param rows     if not NULL: where to put the address of problem->n row numbers; row r is
   *                      row r of all relations of the model, one after another
   * @return PERP_OK or PERP_EINVAL
   */
  perp_simulation_problem(sim: number, island: number, problem: number, rows: number): number;
  /**
   * Kinetic ½vᵀMv and potential ½qᵀKq − fᵀq (f the constant force) of the Lagrangian systems, in J;
   * both may be NULL. @return PERP_OK, PERP_EINVAL (also within a step), or PERP_ECALLBACK where a
   * mass or a potential by callback failed or is not finite: the sum is NaN then.
   */
  perp_simulation_energy(sim: number, kinetic: number, potential: number): number;
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
   * @param work        may be NULL; 0 for relations of order 1, before the first step and right
   *                         after a resume
   * @param tangential  the part of the rows of friction and of rolling (all but the first of
   *                         each copy of such a law): −tangential is what friction has dissipated.
   *                         May be NULL
   * @return PERP_OK or PERP_EINVAL. See docs/verification.md.
   */
  perp_simulation_work_done(sim: number, interaction: number, work: number, tangential: number): number;
  /** Fill a report whose struct_size the caller has set. @return PERP_OK or PERP_EINVAL. */
  perp_simulation_report(sim: number, report: number): number;
  /**
   * Add a contact, from within a perp_find_fn(). Where more are added than there is room for, the
   * deepest are kept and the others counted in perp_report.dropped. A contact of a system that is
   * switched off is left out. The frame is (n, t, n × t), right-handed whatever is given. Arms are
   * differences of points and positions: 1e9 m from the origin they are known to 1e-7 m, as gaps are.
   * @param out      what the callback was handed
   * @param contact  copied
   * @param kept  may be NULL: 1 if it is among those kept so far, 0 if not
   * @return PERP_OK, kept or not; PERP_EINVAL, PERP_ENOTFINITE if it is no contact of this model:
   *         then the step fails with this status and names what is wrong, and leaves the state; so it
   *         does where two of those kept have the same systems and identity
   */
  perp_pool_add(out: number, contact: number, kept: number): number;
  /**
   * Add n contacts, as perp_pool_add() does one after another: the first that is refused ends it. By
   * all threads of the simulation (perp_simulation_options.parallel), so that a callback that finds
   * its contacts by several threads need not write them by one; what it comes to is the same.
   * @param contacts  n, copied
   * @param kept  n, may be NULL: as those of perp_pool_add(); of each only at its own turn, so
   *         that one that is kept may have to leave for those behind it
   * @return of the first that is refused; PERP_EINVAL also if n < 0 or contacts are NULL
   */
  perp_pool_add_all(out: number, n: number, contacts: number, kept: number): number;
  /**
   * A gap_tol for faces that rest on several points, whose gaps are 0 but for what the solver's
   * tolerance leaves: 1e-8 of the least radius of gyration √(I/m) among the bodies of the model, in
   * the plane among the systems of (x, y, angle) with a constant mass.
   * @return unit of y; 0 where there is no such body, or for NULL.
   */
  perp_pool_gap_tol(model: number): number;
  /**
   * A gap_tol for steps of h (s): h² g, by which what rests falls before it is seen to have lost its
   * ground, but not less than perp_pool_gap_tol() nor more than 1e-3 of that radius of gyration. g as
   * for perp_pool_speed_tol().
   * @return unit of y; perp_pool_gap_tol() where h or g is not > 0.
   */
  perp_pool_gap_tol_of_step(model: number, h: number): number;
  /**
   * What PERP_SPEED_PILE means where a constant force acts: 0.1 g h; for stacks take a tenth of it. g
   * is the mean acceleration of the systems that can be in contact and are pulled by a constant
   * force, sum of the forces over sum of the masses.
   * @return unit of ẏ; 0 where there is no such force, h is not > 0, or for NULL.
   */
  perp_pool_speed_tol(model: number, h: number): number;
  /**
   * Options with which a model with a pool runs where its user says nothing; what C++, Python and
   * JavaScript begin with: on_failure PERP_FAILURE_ACCEPT, gap_tol of perp_pool_gap_tol_of_step();
   * where no solver is named formulation PERP_FORMULATION_AUTO with speed_tol PERP_SPEED_PILE.
   * @param model    without a pool, or NULL: nothing is set
   * @param h        the first step (s)
   * @param named    1: the user has named a solver, 0: not
   * @param options  begun by perp_simulation_options_init(); NULL: nothing happens.
   */
  perp_pool_defaults(model: number, h: number, named: number, options: number): void;
  /**
   * An empty builder, NULL on failure; end with perp_builder_destroy(). @return PERP_OK,
   * PERP_EINVAL, PERP_EBACKEND.
   */
  perp_builder_create(out: number, info: number): number;
  /**
   * A builder that holds the same, shares the descriptions, and may be changed though from may not:
   * what perp_builder_model() has shown of from stays as it is.
   */
  perp_builder_copy(out: number, from: number, info: number): number;
  /**
   * End a builder, after all simulations of its model; NULL is fine. Users that no other builder has
   * are destroyed.
   */
  perp_builder_destroy(builder: number): void;
  /**
   * Add a system. It starts at rest in 0, a body without rotation.
   * @param builder  a builder whose model was not taken
   * @param system   any kind; copied
   * @param owner    of its callbacks, NULL: nobody
   * @param id  its place in the model, from 0; -1 on failure; may be NULL
   * @param info  may be NULL; names the field
   * @return PERP_OK, PERP_EINVAL, PERP_ENOTFINITE, PERP_EUNSUPPORTED, as perp_model_check() has them,
   * or PERP_EBACKEND.
   */
  perp_builder_add(builder: number, system: number, owner: number, id: number, info: number): number;
  /** @{ */
  perp_builder_set_q(builder: number, id: number, n: number, q0: number, info: number): number;
  perp_builder_set_v(builder: number, id: number, n: number, v0: number, info: number): number;
  /** Set where a system of order 1 starts: all its n states x0. Answers as those above. */
  perp_builder_set_x(builder: number, id: number, n: number, x0: number, info: number): number;
  /**
   * Join systems that were added by a relation and copies of a law.
   * @param builder      a builder whose model was not taken
   * @param interaction  relation, law and systems; all of it is copied
   * @param of_relation  owner of the relation's callbacks, NULL: nobody
   * @param of_law       the same of the law's
   * @param id      its place in the model, from 0; -1 on failure; may be NULL
   * @param info    may be NULL; names the field
   * @return as perp_builder_add(); PERP_EUNSUPPORTED for a ::perp_piecewise_relation, which
   * perp_builder_connect_graph() makes.
   */
  perp_builder_connect(builder: number, interaction: number, of_relation: number, of_law: number, id: number, info: number): number;
  /**
   * As perp_builder_connect() with a graph for a law: interaction->law is NULL, and the relation
   * becomes the ::perp_piecewise_relation of both, see perp_builder_pieces().
   */
  perp_builder_connect_graph(builder: number, interaction: number, graph: number, of_relation: number, id: number, info: number): number;
  /** The pieces of interaction id, for perp_piecewise_relation_values(); NULL if its law is no graph. */
  perp_builder_pieces(builder: number, id: number): number;
  /**
   * Room for contacts that come and go, in place of that before; laws are copied. of_laws: n_laws
   * pointers to the owners of each law's callbacks, NULL: nobody; or NULL.
   */
  perp_builder_pool(builder: number, pool: number, owner: number, of_laws: number, info: number): number;
  /** Different descriptions of systems, relations and laws; 0 for NULL. */
  perp_builder_descriptions(builder: number): number;
  /**
   * The model, for perp_simulation_create(), perp_event_driven_create() and all that takes one;
   * valid as long as the builder, which cannot be changed any longer (PERP_EINVAL, field "builder").
   * NULL for NULL.
   */
  perp_builder_model(builder: number): number;
  /**
   * Options of perp_builder_simulate(), the defaults at first, to be set in place as far as their
   * struct_size says; what their pointers refer to stays the caller's. NULL for NULL.
   */
  perp_builder_options(builder: number): number;
  /**
   * Set an option by the name of its field: "h", "theta", "steps", "projection".
   * @return PERP_OK; PERP_EINVAL if there is no field of that name that holds a number (field
   * "name"), for a fraction where it is an integer, for NaN. Whether the value makes sense is said by
   * perp_builder_simulate().
   */
  perp_builder_set(builder: number, name: number, value: number, info: number): number;
  /**
   * Take the model and make a simulation of it, by time-stepping with the options of the builder. An
   * integrator that is not named is perp_integrator_moreau_jean() for systems of order 2 and
   * perp_integrator_theta() for those of order 1; a solver that is not named is perp_solver_auto().
   * @param out  end with perp_simulation_destroy() before the builder; NULL on failure
   * @return as perp_simulation_create().
   */
  perp_builder_simulate(builder: number, out: number, info: number): number;
  /**
   * Bytes that perp_model_check_derivatives() needs; 0 if the model is refused by
   * perp_model_check().
   */
  perp_model_check_derivatives_workspace(model: number): number;
  /**
   * Compare every Jacobian that a callback of the model gives with differences of order four of its
   * function, at one state; and what each varying relation gives as a whole with itself: H with the
   * rate of y, D, B and K with differences, also where they are said to be 0.
   *
   * An entry is wrong if |given − expected| exceeds tol max(|given|, |expected|) and what differences
   * can tell. At zero many mistakes hide: choose a state whose entries all differ from 0.
   * @param model   checked by perp_model_check() first
   * @param t       time
   * @param q, v, x  positions, velocities, states of all systems; NULL: the initial values
   * @param lambda  multipliers of all interactions, at order 2 as forces; NULL: between 1 and 2
   * @param tol     relative tolerance, >= 0; 1e-6 is a good one
   * @param work    any alignment, bytes of it
   * @param report  may be NULL; after a refusal jacobian and index tell the field
   * @return PERP_OK: all agree; PERP_INACCURATE: report names the worst wrong entry; PERP_ECALLBACK:
   * a callback gave up, the report names it; PERP_ENOTFINITE; PERP_EINVAL; PERP_EWORKSPACE; what
   * perp_model_check() says
   * A function that asks for a smaller step or is not finite beside the state leaves its column
   * unchecked.
   */
  perp_model_check_derivatives(model: number, t: number, q: number, v: number, x: number, lambda: number, tol: number, work: number, bytes: number, report: number): number;
  /**
   * Call every callback of the model's systems and relations once, at the initial values with λ = 0,
   * and see whether it writes behind its last value (up to 16 doubles behind it, at least). What it
   * answers otherwise does not matter. perp_simulation_create() and perp_event_driven_create() do it;
   * perp_model_check_derivatives() finds the same.
   * @param model  checked by perp_model_check() first
   * @param t      time
   * @param work   any alignment, bytes of it: perp_model_check_derivatives_workspace()
   * @param info  may be NULL: the callback, the system or interaction, and how many numbers
   * behind its end it wrote
   * @return PERP_OK; PERP_ECALLBACK; PERP_EINVAL, PERP_ENOTFINITE, PERP_EWORKSPACE; what
   * perp_model_check() says. Allocates nothing.
   */
  perp_model_check_callbacks(model: number, t: number, work: number, bytes: number, info: number): number;
  /**
   * Bytes that perp_model_relative_degree() needs; 0 if the model or the index is refused. Since
   * 0.1.
   */
  perp_model_relative_degree_workspace(model: number, interaction: number): number;
  /**
   * Relative degree of each row of a relation: how often y has to be differentiated until λ shows.
   *
   *   order 1:  0 where D has a nonzero in the row, else the first k with (C A^{k−1} M⁻¹B)_i ≠ 0,
   *             A = M⁻¹(∂f/∂x + K): 1 for an ideal diode at a capacitor, 2 at a coil behind it;
   *   order 2:  0 where y depends on λ (compliant), 1 where ẏ does or the relation has no position,
   *             2 where λ acts on ÿ: contacts and joints;
   *   −1:       λ never acts on the row: its law cannot be met by this interaction.
   *
   * It is that of the systems joined, without what other interactions do, linearised at one state.
   * Time-stepping takes 0, 1 and 2; beyond, an order-1 scheme solves a row only through what h leaves
   * of its entry in the one-step matrix, h^k (C A^{k−1} B), which rounding eats.
   * @param model        checked by perp_model_check() first
   * @param interaction  which
   * @param t            time
   * @param q, v, x      positions, velocities, states of all systems; NULL: the initial values
   * @param degree  rows of the relation
   * @param work         any alignment, bytes of it
   * @param info    may be NULL
   * @return PERP_OK, PERP_EINVAL (also a singular M), PERP_EWORKSPACE, PERP_ECALLBACK, PERP_RETRY,
   * what perp_model_check() says.
   */
  perp_model_relative_degree(model: number, interaction: number, t: number, q: number, v: number, x: number, degree: number, work: number, bytes: number, info: number): number;
  /**
   * Solve one contact in the plane (n, t).
   * @param W   2 x 2, column-major
   * @param q   2: the velocity without the contact
   * @param mu  coefficient of friction, >= 0; 0 is contact without friction
   * @param r  2: the impulse; on a positive status the best point found
   * @param u  2: W r + q; may be NULL; r and u overlap neither each other nor W and q
   * @return PERP_OK: r passes both tests of the contract. With c = ‖W‖_F (1 if that is 0) the normal
   * part |min(u_n, c r_n)| and the tangential part c‖r_t − P(r_t − u_t/c)‖, P on the ball of radius
   * μ r_n, are each at most 1e-12 of ‖ |W||r| + |q| ‖∞ (in nearly all cases the rounding of r alone)
   * and at most 1e-6 of ‖q‖∞; where solutions are many, as for a singular W, none is taken that is so
   * large that u rounds to more while one of ordinary size is found. PERP_INACCURATE: at most 1e-8
   * and 1e-2 of them, as where the only solutions are 1e10 times as large as q and more; PERP_RAY: no
   * solution was found, and there is none that rounding could not take away;
   * PERP_EINVAL: W, q or r is NULL or mu < 0, nothing is written; PERP_ENOTFINITE: NaN or infinity in
   * W, q or mu, r and u are 0. Where there are several solutions it is one of them. See docs/theory-friction.md.
   */
  perp_contact_2d(W: number, q: number, mu: number, r: number, u: number): number;
  /**
   * Solve one contact in space (n, t1, t2): W 3 x 3; q, r, u 3 each.
   * @copydetails perp_contact_2d
   */
  perp_contact_3d(W: number, q: number, mu: number, r: number, u: number): number;
  /**
   * Solve one contact with friction and resistance to rolling in the plane (n, t, m): W 3 x 3; q, r,
   * u 3 each; ‖r_t‖ <= mu r_n, ‖r_m‖ <= mu_rolling r_n, each part sticks or slips by itself.
   * @param mu_rolling  length of the resistance to rolling (m), >= 0
   * Otherwise as perp_contact_2d().
   */
  perp_contact_rolling_2d(W: number, q: number, mu: number, mu_rolling: number, r: number, u: number): number;
  /**
   * In space (n, t1, t2, m1, m2): W 5 x 5; q, r, u 5 each. Where both parts slip the method
   * is Newton's from many starts, so that one in a hundred thousand W of condition up to 1e12, and
   * three in ten thousand singular ones, end as PERP_INACCURATE or PERP_RAY.
   */
  perp_contact_rolling_3d(W: number, q: number, mu: number, mu_rolling: number, r: number, u: number): number;
  /**
   * List the contacts that acted in the last step, in the order of the interactions, those of the
   * pool last.
   * @param sim       the simulation
   * @param list  capacity entries; NULL with capacity 0, to count
   * @param entry_bytes  sizeof(perp_contact_view) of the caller: an older one has fewer fields
   * @param capacity  entries of list, >= 0; not more are written
   * @param count  the number of all of them, however many were written; 0 on failure
   * @return PERP_OK, PERP_EINVAL
   * lambda and ydot are views into the state, valid until the next step. Contacts of a pool are
   * located where they were found, at the begin of the step; others at its end.
   */
  perp_simulation_contacts(sim: number, list: number, entry_bytes: number, capacity: number, count: number): number;
  /** Fill opts with the defaults; size is sizeof of the caller's struct. */
  perp_multiple_impact_options_init(opts: number, size: number): void;
  /** Bytes of memory that perp_multiple_impact() needs for m contacts; 0 if m is out of range. */
  perp_multiple_impact_workspace(m: number): number;
  /**
   * Impulses of a frictionless impact at m contacts.
   * The kinetic energy changes by impulse·ydot + impulse·W impulse/2 = −Σ energy to rounding. A
   * contact that W couples to no other gets −(1 + e) ẏ/W_ii. Afterwards ẏ >= 0 up to tol.
   * @param m        contacts, >= 0
   * @param W        m x m, column-major: H M⁻¹ Hᵀ, symmetric positive semidefinite; rows of H may
   *                 depend on each other, then ydot has to be possible: ẏ = H v for some v
   * @param ydot     m: ẏ before; negative: approaching
   * @param e        m: energetic restitution, 0 <= e <= 1: the part e² of the energy is given back
   * @param options  may be NULL
   * @param impulse  m, >= 0; ẏ after is ydot + W impulse; with PERP_MAX_ITER those so far
   * @param energy   m: what each contact has dissipated, >= 0 (J); may be NULL
   * @param work     work_bytes bytes of any alignment, see perp_multiple_impact_workspace()
   * @param info  may be NULL: iterations (steps), or the offending argument
   * @return PERP_OK, PERP_MAX_ITER (also where springs cannot stop an impossible ydot), PERP_EINVAL,
   * PERP_ENOTFINITE, PERP_EWORKSPACE
   * Allocates nothing.
   */
  perp_multiple_impact(m: number, W: number, ydot: number, e: number, options: number, impulse: number, energy: number, work: number, work_bytes: number, info: number): number;
  /**
   * Explicit Runge-Kutta pair of order 8(5, 3) with interpolation of order 7 (Dormand and Prince;
   * Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I, 1993): no restart costs,
   * so the one for motions with many events that are not stiff.
   */
  perp_smooth_runge_kutta(): number;
  /** Fill opts with the defaults; size is sizeof of the caller's struct. */
  perp_event_options_init(opts: number, size: number): void;
  /**
   * Start at the model's initial values: contacts that are closed are found, an impact at t0 is done,
   * the mode is chosen.
   * @param out   the simulation, NULL on failure; end with perp_event_driven_destroy()
   * @param model      lives as long as the simulation
   * @param options    copied
   * @param info  may be NULL: the offending field, its index and value
   * @return PERP_OK, PERP_EINVAL (bad argument, singular mass, tolerances that are not positive),
   *         PERP_EUNSUPPORTED (pools, laws and relations that have no event-driven form),
   *         PERP_ENOTFINITE, PERP_ECALLBACK, PERP_EBACKEND (memory, SUNDIALS), or the status of the
   *         problem that was not solved
   */
  perp_event_driven_create(out: number, model: number, options: number, info: number): number;
  /**
   * Free it; NULL is fine. From a callback or an observer of its own run nothing happens: it is to
   * be destroyed once that has ended.
   */
  perp_event_driven_destroy(sim: number): void;
  /**
   * Go on until a time, or until an observer stops.
   * @param sim       the simulation
   * @param until     the time at which to end (s), not before perp_event_driven_time()
   * @param observer  may be NULL
   * @param info may be NULL
   * @return PERP_OK at until; PERP_STOPPED; PERP_STORM where events crowd, PERP_MAX_ITER after
   *         max_steps, PERP_RETRY, PERP_ECALLBACK, PERP_ENOTFINITE, PERP_EBACKEND (SUNDIALS gave up),
   *         or the status of the problem at an event that was not solved. perp_event_driven_message()
   *         says more; the state is the last good one. PERP_EINVAL for times of output that do not
   *         increase, and from a callback or an observer of a run of its own.
   */
  perp_event_driven_run(sim: number, until: number, observer: number, info: number): number;
  /**
   * Go on to the next event, which has happened then: PERP_OK; PERP_END at until without one; else
   * as perp_event_driven_run().
   */
  perp_event_driven_next(sim: number, until: number, info: number): number;
  /** The event that happened last, that of the start at first; NULL for NULL. */
  perp_event_driven_event(sim: number): number;
  /**
   * Set the state and start anew from it, as perp_event_driven_create() does.
   * @param sim  the simulation
   * @param t    time
   * @param q    all positions, NULL: as they are
   * @param v    all velocities, NULL: as they are
   * @param x    all states of first order, NULL: as they are
   * @param info  may be NULL
   * @return as perp_event_driven_create(); on failure the state stays
   */
  perp_event_driven_restart(sim: number, t: number, q: number, v: number, x: number, info: number): number;
  /**
   * What went wrong last, in words: those of SUNDIALS, the time, guards and rate of a storm; "" if
   * nothing did. Valid until the next call.
   */
  perp_event_driven_message(sim: number): number;
  /**
   * Write how a run ended, as perp_simulation_ending() of a time-stepping one: "finished: 12 events,
   * t = 10", "stopped: ...", "not solved: mode was not found at t = 0.2, contact 17 between bodies 4
   * and 9, residual 2.6e-9, asked 1e-10; try tol = 1e-8"; of a negative status "failed at t = 0.2: "
   * (unless it was the call that was wrong) and perp_explain().
   * @param sim     as that call left it; NULL: perp_explain() alone
   * @param status  what it answered
   * @param info    what it said; may be NULL
   * @param first   what the first object is called: 0, or 1
   * @param text  room bytes, ends with a 0 always if room > 0; may be NULL
   * @param room     bytes of text
   * @return as perp_explain().
   */
  perp_event_driven_ending(sim: number, status: number, info: number, first: number, text: number, room: number): number;
  /** Current time (s); within an observer's output that of the output. */
  perp_event_driven_time(sim: number): number;
  /**
   * Views, as perp_simulation_q() and its neighbours; valid until the simulation goes on. NULL for a
   * bad index, and for callbacks of the model, which ask while it is being evaluated. What is shown
   * is worked out when it is asked for: the simulation is no const one, and looking at it is for one
   * thread at a time, too.
   * perp_event_driven_n_q() and its neighbours tell how long they are.
   */
  perp_event_driven_q(sim: number, system: number): number;
  /**
   * Views, as perp_simulation_q() and its neighbours; valid until the simulation goes on. NULL for a
   * bad index, and for callbacks of the model, which ask while it is being evaluated. What is shown
   * is worked out when it is asked for: the simulation is no const one, and looking at it is for one
   * thread at a time, too.
   * perp_event_driven_n_q() and its neighbours tell how long they are.
   */
  perp_event_driven_v(sim: number, system: number): number;
  /**
   * Views, as perp_simulation_q() and its neighbours; valid until the simulation goes on. NULL for a
   * bad index, and for callbacks of the model, which ask while it is being evaluated. What is shown
   * is worked out when it is asked for: the simulation is no const one, and looking at it is for one
   * thread at a time, too.
   * perp_event_driven_n_q() and its neighbours tell how long they are.
   */
  perp_event_driven_x(sim: number, system: number): number;
  /** Gap, or output, of an interaction: m entries. @copydetails perp_event_driven_q */
  perp_event_driven_y(sim: number, interaction: number): number;
  /** Relative velocity; NULL at order 1. @copydetails perp_event_driven_q */
  perp_event_driven_ydot(sim: number, interaction: number): number;
  /** λ as a force (N) at this time, m entries. @copydetails perp_event_driven_q */
  perp_event_driven_lambda(sim: number, interaction: number): number;
  /**
   * λ at this time into force[m], as perp_simulation_force() of a time-stepping one. @return
   * PERP_OK; PERP_EINVAL, also where perp_event_driven_lambda() is NULL.
   */
  perp_event_driven_force(sim: number, interaction: number, force: number): number;
  /** Accelerations v̇ of a system of order 2, or ẋ, n entries. @copydetails perp_event_driven_q */
  perp_event_driven_rate(sim: number, system: number): number;
  /**
   * Entries of q, of v (and of the rate), of x (and of the rate) of a system, as
   * perp_simulation_n_q() and its neighbours: 0 for a bad index, and where the order of the system
   * has no such vector.
   */
  perp_event_driven_n_q(sim: number, system: number): number;
  /**
   * Entries of q, of v (and of the rate), of x (and of the rate) of a system, as
   * perp_simulation_n_q() and its neighbours: 0 for a bad index, and where the order of the system
   * has no such vector.
   */
  perp_event_driven_n_v(sim: number, system: number): number;
  /**
   * Entries of q, of v (and of the rate), of x (and of the rate) of a system, as
   * perp_simulation_n_q() and its neighbours: 0 for a bad index, and where the order of the system
   * has no such vector.
   */
  perp_event_driven_n_x(sim: number, system: number): number;
  /** Rows m of an interaction: entries of its y, ẏ, λ and forces; 0 for a bad index. */
  perp_event_driven_n_rows(sim: number, interaction: number): number;
  /**
   * Number of parts of the model that no interaction joins, each with an integrator of its own; one
   * if there are guards. 0 for NULL.
   */
  perp_event_driven_components(sim: number): number;
  /** PERP_CONTACT_... of a copy of a law; -1 for a bad index. */
  perp_event_driven_mode(sim: number, interaction: number, copy: number): number;
  /** As perp_simulation_energy(); PERP_EINVAL for callbacks of the model. */
  perp_event_driven_energy(sim: number, kinetic: number, potential: number): number;
  /** Costs and counts. */
  perp_event_driven_report(sim: number, report: number): number;
  /**
   * Fill opts with the defaults (omega 1, no regularisation, forward sweeps, a look at the residual
   * every 5 of them); size is sizeof of the caller's struct.
   */
  perp_pgs_options_init(opts: number, size: number): void;
  /**
   * Projected Gauss–Seidel as a descriptor: equality, complementarity and box laws, M in any kind of
   * storage; a sweep reads M once, so it is linear in the stored entries. Starts from lambda. Sure to
   * converge for symmetric positive definite M, and for others that are diagonally dominant; where a
   * diagonal entry is not positive (ρ added) its unknown takes a step of another length. With
   * regularisation the answer is that of the given problem, not of M + ρI.
   * @return in solve: PERP_OK (verified), PERP_MAX_ITER, PERP_STOPPED, PERP_INFEASIBLE (a row of M is
   * zero, and its unknown has no bound to rest at), PERP_INACCURATE (it diverges, or it stands still
   * without a solution); unless solved or stopped, lambda is the best point met.
   */
  perp_solver_pgs(): number;
  /**
   * Fill opts with the defaults (omega 1, no regularisation, forward sweeps, Anderson's acceleration
   * of depth 5, nothing frozen, a look every 10 sweeps, no colours); size is sizeof of the caller's
   * struct.
   */
  perp_nsgs_options_init(opts: number, size: number): void;
  /**
   * Nonsmooth Gauss–Seidel as a descriptor: every law, M in any kind of storage. M is copied once
   * into the order in which sweeps read it; a sweep costs as much as one pass over that. Starts from
   * lambda. Robust and fast to a few digits; the more contacts a body has in excess of what holds it
   * (hyperstatic problems), the slower the last digits come.
   * @return in solve: PERP_OK (verified), PERP_MAX_ITER, PERP_STOPPED, PERP_INFEASIBLE (a row of M is
   * zero, and nothing can keep its y where the law wants it), PERP_INACCURATE (it diverges, or stands
   * still without a solution); unless solved or stopped, lambda is the best point met.
   */
  perp_solver_nsgs(): number;
  /**
   * Nonsmooth Gauss–Seidel for firmware, as a descriptor with ::perp_solver_options (max_iter 0 picks
   * 10000): plain forward sweeps that read M where it is, without a copy of it, acceleration, colours
   * and the like; a few kB of code, memory of the order of n. Contacts are solved by what their law's
   * table has (perp_law_ops.local), or else by projected steps, so that only laws which the program
   * names are linked. Needs more sweeps than perp_solver_nsgs(), as a rule.
   * @return in solve: PERP_OK (verified), PERP_MAX_ITER, PERP_STOPPED, PERP_INACCURATE See docs/theory-friction.md.
   */
  perp_solver_nsgs_small(): number;
  /** Fill opts with the defaults (proportion 0.5); size is sizeof of the caller's struct. */
  perp_cpg_options_init(opts: number, size: number): void;
  /**
   * The conjugate projected gradient as a descriptor: equality, complementarity and box laws, M
   * symmetric positive semidefinite in any kind of storage. One product with M an iteration, linear
   * in the stored entries; scaled by the diagonal. Starts from lambda; the energy never grows.
   * @return in solve: PERP_OK (verified), PERP_INFEASIBLE (with a certificate as ray),
   * PERP_RAY (the energy falls without end: M is not semidefinite, or the problem has no solution
   * and rounding keeps that from being proved), PERP_MAX_ITER, PERP_STOPPED, PERP_INACCURATE (no
   * further progress).
   */
  perp_solver_cpg(): number;
  /**
   * Bytes perp_fc_solve() needs for so many contacts with this solver and these options (may be
   * NULL); 0 if contacts < 0, dim is neither 2 nor 3, the solver does not accept such a problem, or
   * the answer overflows.
   */
  perp_fc_workspace(solver: number, contacts: number, dim: number, options: number): number;
  /**
   * Solve contacts with friction by any solver that accepts them and dense M.
   * @param solver   a descriptor, for example perp_solver_nsgs()
   * @param problem  not modified; entries must be finite
   * @param options  the solver's own struct, NULL: defaults
   * @param r  n: start where the method takes one; solution; on failure the last or best
   * point
   * @param u   n: W r + q, may not overlap r
   * @param work     work_bytes bytes of any alignment, see perp_fc_workspace()
   * @param info  may be NULL
   * @return as perp_solver_solve(); PERP_EINVAL and PERP_ENOTFINITE name the entry
   * Allocates nothing; parallel calls need distinct r, u, work, info.
   */
  perp_fc_solve(solver: number, problem: number, options: number, r: number, u: number, work: number, work_bytes: number, info: number): number;
  /** Bytes perp_fc_nsgs() needs; 0 as for perp_fc_workspace(). */
  perp_fc_nsgs_workspace(contacts: number, dim: number, opts: number): number;
  /** As perp_fc_solve() by nonsmooth Gauss–Seidel; r is the start. */
  perp_fc_nsgs(problem: number, opts: number, r: number, u: number, work: number, work_bytes: number, info: number): number;
  /**
   * Set the head and zero the rest; n is the number of states, size is sizeof of the caller's
   * struct. @return PERP_OK, or PERP_EINVAL if system is NULL, n < 1 or size is not one this library
   * knows.
   */
  perp_first_order_init(system: number, size: number, n: number): number;
  /**
   * Set the head and the bits of reads, and zero the rest; m rows, n columns, size is sizeof of the
   * caller's struct.
   * @return PERP_OK, or PERP_EINVAL if relation is NULL, m < 1, n < 1 or size is not one this
   * library knows.
   */
  perp_first_order_relation_init(relation: number, size: number, m: number, n: number): number;
  /**
   * Set the head and the bits of reads, and zero the rest; m rows, n columns, size is sizeof of the
   * caller's struct.
   * @return PERP_OK, or PERP_EINVAL if relation is NULL, m < 1, n < 1 or size is not one this
   * library knows.
   */
  perp_first_order_type1_init(relation: number, size: number, m: number, n: number): number;
  /**
   * Set the head and the bits of reads, and zero the rest; m rows, n columns, size is sizeof of the
   * caller's struct.
   * @return PERP_OK, or PERP_EINVAL if relation is NULL, m < 1, n < 1 or size is not one this
   * library knows.
   */
  perp_first_order_type2_init(relation: number, size: number, m: number, n: number): number;
  /**
   * First-order linear relation with coefficients that vary in time:
   *   y = C(t) x + D(t) λ + F(t) z + e(t),  r = B(t) λ + a(t).
   * Each coefficient is the function of time of its name if there is one, otherwise the constant of
   * its name in linear, otherwise 0. Shapes as there; functions find their output set to 0.
   */
  perp_linear_varying_relation_init(relation: number, size: number, m: number, n: number): number;
  /**
   * As perp_simulation_init(), in blocks from malloc; end with perp_simulation_destroy().
   * @return as perp_simulation_init(), or PERP_EBACKEND if memory is short.
   */
  perp_simulation_create(out: number, model: number, options: number, info: number): number;
  /** As perp_simulation_resume(), from a copy of the bytes of perp_simulation_state(). */
  perp_simulation_restore(out: number, model: number, options: number, state: number, state_bytes: number, info: number): number;
  /**
   * Free what create or restore made; NULL is fine. Called within a step or a run of the same
   * simulation, by a callback or an observer, it does nothing: call it again when that has returned.
   */
  perp_simulation_destroy(sim: number): void;
  /**
   * Write what a model is made of into text: sizes, systems, interactions with their relative
   * degrees (check.h, at the initial values), and which of them are coupled: the islands if every
   * interaction acts. Neighbours with one description share a line.
   * @param model    the model; where it is refused the text says why
   * @param options  with the sizes of state and work under them; may be NULL
   * @param text  room bytes, ends with a 0 always if room > 0; may be NULL
   * @param room     bytes of text
   * @return length of the whole text without its 0, as snprintf() does: room <= it: cut off. Since
   * 0.1.
   */
  perp_model_describe(model: number, options: number, text: number, room: number): number;
  /**
   * Write what a call refused, and what is allowed: "h = 0: must be > 0", "q0 of body 3: norm 1.414,
   * must be 1 (a quaternion)", "q[2] = nan: must be finite". So the sentence of an error is who
   * refused, ": ", and this.
   * @param status  what the call answered
   * @param info    what it said; NULL, or without a field: the text is perp_status_string()
   * @param first   what the first object and the first entry are called: 0, or 1
   * @param text  room bytes, ends with a 0 always if room > 0; may be NULL
   * @param room     bytes of text
   * @return length of the whole text without its 0, as snprintf() does. Beside perp::core it is where
   * the builder is, too.
   */
  perp_explain(status: number, info: number, first: number, text: number, room: number): number;
  /**
   * Write how a step or a run of a simulation ended: "finished: 1000 steps, t = 10", "stopped: ...",
   * "not solved: iteration limit in step 280 at t = 2.79, contact 17 between bodies 4 and 9, residual
   * 2.6e-9, asked 1e-10; try tol = 1e-8 or on_failure = accept"; of a negative status "failed in step
   * 3 at t = 0.02: " and perp_explain().
   * @param sim     as that call left it; NULL: perp_explain() alone
   * @param status  what it answered
   * @param info    what it said; may be NULL
   * @param first   what the first object is called: 0, or 1
   * @param text  room bytes, ends with a 0 always if room > 0; may be NULL
   * @param room     bytes of text
   * @return as perp_explain().
   */
  perp_simulation_ending(sim: number, status: number, info: number, first: number, text: number, room: number): number;
  /** Number of solvers in the library, and the i-th of them; NULL out of range. */
  perp_solver_count(): number;
  /** Number of solvers in the library, and the i-th of them; NULL out of range. */
  perp_solver_at(i: number): number;
  /** The solver of that name ("lemke", "active-set"), NULL if there is none. */
  perp_solver_find(name: number): number;
  /** Fill opts with the defaults; size is sizeof of the caller's struct. */
  perp_interior_point_options_init(opts: number, size: number): void;
  /**
   * The interior-point method as a descriptor. M monotone, symmetric or not, in any storage; the
   * number of steps hardly depends on n. Symmetric M in blocks, compressed rows or diagonal form is
   * factorised within its envelope, so that a step on a banded M costs time and memory linear in n;
   * other M are factorised dense. A sparse M that is not symmetric is factorised by options.sparse
   * (for example perp_sparse_klu() of perp::perp), in memory linear in its entries but for what the
   * back end allocates and frees before the solve ends; without it, dense up to n = 1000, and not
   * accepted beyond. An M that is not monotone as it stands, as circuits have whose
   * equations are in any order, is tried by the plain method, which proves nothing.
   * @return in solve: PERP_OK (verified), PERP_INFEASIBLE (proved; info->ray holds the certificate),
   * PERP_MAX_ITER, PERP_INACCURATE (no further step can be computed), PERP_STOPPED,
   * PERP_EUNSUPPORTED, PERP_EBACKEND (options.sparse had no memory or failed).
   */
  perp_solver_interior_point(): number;
  /** Fill opts with the defaults; size is sizeof of the caller's struct. */
  perp_friction_interior_options_init(opts: number, size: number): void;
  /**
   * The method as a descriptor, name "friction-interior". M of any kind, semidefinite and usually
   * symmetric; a sparse M without options.sparse is accepted up to n = 2000 and factorised dense.
   * lambda is no start: the method begins well inside the cones.
   * @return in solve: PERP_OK (verified), PERP_RAY (λ grows without bound along a direction on which
   * M vanishes: as a rule there is no solution; info->ray holds it, which proves nothing),
   * PERP_MAX_ITER, PERP_INACCURATE (no further step can be computed), PERP_STOPPED, PERP_EBACKEND.
   */
  perp_solver_friction_interior(): number;
  /**
   * Set the head, points 0 and frames the identity; bodies = 1 (with the ground) or 2. size is
   * sizeof of the caller's struct. @return PERP_OK, or PERP_EINVAL for a kind, number of bodies or
   * size that is not known.
   */
  perp_joint_init(joint: number, size: number, kind: number, bodies: number): number;
  /**
   * Set points and frames from where the joint is in the fixed frame while the bodies are at qa and
   * qb; this is where its angle and translation are 0.
   * @param joint  initialised
   * @param point  of the joint (m)
   * @param axis   its direction, any length but 0; NULL: e_x (spherical and fixed joints need none)
   * @param qa     7 positions of A
   * @param qb     7 positions of B; not read with the ground
   * @return PERP_OK; PERP_EINVAL for a NULL or an axis without direction; PERP_ENOTFINITE
   */
  perp_joint_place(joint: number, point: number, axis: number, qa: number, qb: number): number;
  /**
   * Set the head and zero the rest; bodies as of the joint. @return PERP_OK or PERP_EINVAL. Since
   * 0.1.
   */
  perp_joint_coordinate_init(relation: number, size: number, joint: number, coordinate: number, use: number): number;
  /**
   * The coordinate and its rate at positions q and velocities v of the bodies (7 and 6 each).
   * @param value  c, an angle in (−π, π]; may be NULL
   * @param rate   ċ; may be NULL, as may v
   * @return PERP_OK or PERP_EINVAL.
   */
  perp_joint_coordinate_value(joint: number, coordinate: number, q: number, v: number, value: number, rate: number): number;
  /**
   * Set the head, teeth 1 and 1, frames the identity; bodies = 2 (carried by the ground) or 3.
   * @return PERP_OK or PERP_EINVAL.
   */
  perp_gear_init(gear: number, size: number, bodies: number): number;
  /**
   * Set the frames: the teeth mesh while the bodies are at qa, qb and the carrier at qc (not read
   * with the ground), about axes given in the fixed frame. @return as perp_joint_place().
   */
  perp_gear_place(gear: number, axis_a: number, axis_b: number, qa: number, qb: number, qc: number): number;
  /**
   * Set the head and zero the rest; n is the number of degrees of freedom, size is sizeof of the
   * caller's struct. @return PERP_OK, or PERP_EINVAL if system is NULL, n < 1 or size is not one
   * this library knows.
   */
  perp_lagrangian_init(system: number, size: number, n: number): number;
  /**
   * Set the head and the bits of reads, and zero the rest; m rows, n columns (velocities of the
   * systems joined), size is sizeof of the caller's struct.
   * @return PERP_OK, or PERP_EINVAL if relation is NULL, m < 1, n < 1 or size is not one this
   * library knows.
   */
  perp_lagrangian_scleronomous_init(relation: number, size: number, m: number, n: number): number;
  /**
   * Set the head and the bits of reads, and zero the rest; m rows, n columns (velocities of the
   * systems joined), size is sizeof of the caller's struct.
   * @return PERP_OK, or PERP_EINVAL if relation is NULL, m < 1, n < 1 or size is not one this
   * library knows.
   */
  perp_lagrangian_rheonomous_init(relation: number, size: number, m: number, n: number): number;
  /**
   * Set the head and the bits of reads, and zero the rest; m rows, n columns (velocities of the
   * systems joined), size is sizeof of the caller's struct.
   * @return PERP_OK, or PERP_EINVAL if relation is NULL, m < 1, n < 1 or size is not one this
   * library knows.
   */
  perp_lagrangian_compliant_init(relation: number, size: number, m: number, n: number): number;
  /** Set the head and zero the rest; otherwise as perp_lagrangian_scleronomous_init(). */
  perp_lagrangian_velocity_relation_init(relation: number, size: number, m: number, n: number): number;
  /**
   * For contacts of `rows` rows each (2 in the plane, 3 in space): m = rows times the
   * number of gaps.
   * @return PERP_OK, or PERP_EINVAL as above, or if gaps < 1, rows < 2 or their product exceeds
   * 2^31 - 1.
   */
  perp_lagrangian_contact_relation_init(relation: number, size: number, gaps: number, rows: number, n: number): number;
  /** Fill opts with the defaults; size is sizeof of the caller's struct. */
  perp_mcp_options_init(opts: number, size: number): void;
  /**
   * Bytes perp_mcp_solve() needs, 8 n (2 n + 25) and what the entries of the Jacobian take, about; 0
   * if the problem or the options are malformed or the size overflows.
   */
  perp_mcp_workspace(problem: number, opts: number): number;
  /**
   * Solve a mixed complementarity problem.
   *
   * Solved means: z solves its own linearisation −(M z + q) ∈ N_[l,u](z), M = J(z), q = F(z) − M z,
   * by the residual of problem.h, relative to ‖ |M||z| + |q| ‖∞; that is the same z as for F. The
   * residuals of info are those.
   * @param problem  not modified
   * @param opts     NULL: defaults
   * @param z  n: start (moved into [l, u]), solution; on failure the best point
   * @param F   n: F(z), may not overlap z
   * @param work     work_bytes bytes of any alignment
   * @param info  may be NULL; iterations counts major iterations
   * @return PERP_OK; PERP_MAX_ITER; PERP_STOPPED; PERP_RAY: no start led to a solution, which proves
   * nothing; PERP_RETRY: F or J cannot be evaluated at the start; PERP_ENOTFINITE: nor are finite
   * there, or z is not; PERP_ECALLBACK: a callback gave up; PERP_EINVAL, PERP_EWORKSPACE
   * Allocates nothing; parallel calls need distinct z, F, work, info.
   */
  perp_mcp_solve(problem: number, opts: number, z: number, F: number, work: number, work_bytes: number, info: number): number;
  /** Fill opts with the defaults; size is sizeof of the caller's struct. */
  perp_newton_options_init(opts: number, size: number): void;
  /**
   * Newton's method on min(λ, y) (for boxes: on λ − P_[l,u](λ − y)) as a descriptor: a step
   * factorises M_FF of the unknowns that are taken for free, and lands on a solution as soon as
   * their set is right. Starts from lambda (any finite numbers), or from the modes of a warm start.
   * Any M, taken as dense; sure to end on a solution only for P-matrices.
   * @return in solve: PERP_OK (verified), PERP_MAX_ITER (also when no start is left), PERP_STOPPED;
   * on failure the point of least merit.
   */
  perp_solver_newton_min(): number;
  /**
   * Newton's method on the function of Fischer and Burmeister: n x n factors, fewer trials on
   * problems far from a P-matrix.
   */
  perp_solver_newton_fb(): number;
  /** Fill opts with the defaults; size is sizeof of the caller's struct. */
  perp_friction_newton_options_init(opts: number, size: number): void;
  /**
   * The method as a descriptor, "friction-newton". Laws FREE, ORTHANT, BOX, CONE, ROLLING in one
   * problem, M of any kind. It converges fast from a start of modest quality, as a few sweeps of
   * Gauss–Seidel give it, and to the last digits; from far away it may fail.
   * @return in solve: PERP_OK (verified), PERP_MAX_ITER (lambda is the best point), PERP_INACCURATE
   * (no further step can be computed; lambda is the best point), PERP_STOPPED, PERP_EBACKEND
   * (options.sparse had no memory or failed).
   */
  perp_solver_friction_newton(): number;
  /** Fill opts with the defaults; size is sizeof of the caller's struct. */
  perp_lemke_options_init(opts: number, size: number): void;
  /**
   * Lemke's method as a descriptor: complementarity laws, M zero, diagonal, dense or blocks (taken
   * as dense). Lexicographic ratio test, so it cannot cycle; starts from the modes of a warm start
   * where their basis is regular, and from the beginning if that ends on a ray. Processes
   * copositive-plus M (positive semidefinite included). A ray goes to perp_info.ray; where it proves
   * that there is no solution, as for monotone problems, the status is PERP_INFEASIBLE, and so it is
   * where up to 32 unknowns have another such proof, of any M; otherwise PERP_RAY, which proves
   * nothing.
   * Workspace 8 n (n + 8) bytes and little more.
   */
  perp_solver_lemke(): number;
  /** Bytes perp_lcp_lemke() needs for n unknowns; 0 if n < 0 or the answer overflows. */
  perp_lcp_lemke_workspace(n: number): number;
  /**
   * Solve  w = M z + q,  0 <= z ⟂ w >= 0  by Lemke's method. In perp::perp this is perp_lcp_solve()
   * with perp_solver_lemke(). In perp::core, for firmware, it is code of its own: the same pivots in
   * under 8 KiB on Cortex-M7, but with n^2 operations each, and not always the same last bits.
   * @param problem  M and q, not modified
   * @param opts     NULL: defaults
   * @param z,w n each, may not overlap; on failure the last basic point
   * @param work     work_bytes bytes of any alignment
   * @param info  may be NULL
   * @return PERP_OK (verified), PERP_INFEASIBLE, PERP_RAY, PERP_MAX_ITER, PERP_STOPPED,
   * PERP_INACCURATE, or < 0
   * Allocates nothing, prints nothing; parallel calls need distinct z, w, work, info.
   */
  perp_lcp_lemke(problem: number, opts: number, z: number, w: number, work: number, work_bytes: number, info: number): number;
  /**
   * Murty's method as a descriptor. M in any kind of storage (taken as dense). Finite for
   * P-matrices: never more than 2^n - 1 pivots for complementarity, a bound that is reached. Starts
   * from the modes of a warm start, and keeps them; else all bounded unknowns are at the bound
   * nearest to 0. For other M it may end in PERP_RAY (a pivot is 0), which proves nothing.
   * Options: ::perp_solver_options, max_iter counts pivots, 0 picks 1000 + 50 n; the observer is
   * called once per pivot, merit: infeasible unknowns after it, up to rounding.
   * @return in solve: PERP_OK (verified), PERP_RAY, PERP_MAX_ITER, PERP_STOPPED, PERP_INACCURATE.
   */
  perp_solver_murty(): number;
  /** Fill opts with the defaults; size is sizeof of the caller's struct. */
  perp_block_pivoting_options_init(opts: number, size: number): void;
  /**
   * Block pivoting as a descriptor. M in any kind of storage (a dense one is used in place, others
   * are copied), symmetric or not. Starts from the modes of a warm start, and keeps them.
   * Finite for P-matrices; solves monotone problems, singular ones included, by the proximal loop.
   * @return in solve: PERP_OK (verified), PERP_INFEASIBLE (a certificate was found, info.ray),
   * PERP_MAX_ITER, PERP_STOPPED, PERP_INACCURATE.
   */
  perp_solver_block_pivoting(): number;
  /** Fill opts with the defaults; size is sizeof of the caller's struct. */
  perp_box_pivoting_options_init(opts: number, size: number): void;
  /**
   * The pivotal method for boxes as a descriptor: laws by component (equality, complementarity, box),
   * M zero, diagonal, dense or blocks (taken as dense, zeros skipped where free unknowns are
   * eliminated). Lexicographic, so it cannot cycle; starts from the modes of a warm start where their
   * basis is regular, and from the beginning if that fails. Sure for monotone problems; otherwise
   * PERP_RAY proves nothing. Two-sided bounds cost nothing beyond one-sided ones.
   * @return in solve: PERP_OK (verified), PERP_INFEASIBLE (proved, with the certificate as ray),
   * PERP_RAY, PERP_MAX_ITER, PERP_STOPPED, PERP_INACCURATE.
   * Workspace about 16 n² bytes.
   */
  perp_solver_box_pivoting(): number;
  /** Fill opts with the defaults; size is sizeof of the caller's struct. */
  perp_active_set_options_init(opts: number, size: number): void;
  /**
   * The active-set method as a descriptor. M symmetric positive (semi)definite in any kind of
   * storage; only the entries on and below the diagonal enter the factor (all enter the
   * verification). Work and memory are linear in n for a banded M: number neighbours closely.
   * With a warm start whose stamp and modes agree with the last solve the factor is used again.
   * @return in solve: PERP_OK (verified), PERP_INFEASIBLE (semidefinite M, with a certificate found),
   * PERP_MAX_ITER, PERP_STOPPED, PERP_INACCURATE.
   */
  perp_solver_active_set(): number;
  /**
   * The enumeration as a descriptor: the first solution found, or the proof that there is none. At
   * most PERP_ENUMERATION_MAX unknowns; any M, in any kind of storage.
   * Options: ::perp_solver_options, max_iter counts nodes of the search, 0 picks 2^27, more than an
   * LCP has; the observer is called once per node, entering: the unknown that is free from this node
   * on, leaving: the one that is at a bound, merit: solutions found so far.
   * @return in solve: PERP_OK (verified), PERP_INFEASIBLE (every cell is refuted from M and q),
   * PERP_RAY (no solution was found, and nothing is proven), PERP_MAX_ITER, PERP_STOPPED.
   */
  perp_solver_enumeration(): number;
  /** Bytes perp_lcp_enumerate() needs; 0 if n < 0 or n > PERP_ENUMERATION_MAX. */
  perp_lcp_enumerate_workspace(n: number): number;
  /**
   * Visit all solutions of an LCP. An isolated solution comes once; of a connected set of infinitely
   * many at least one point.
   * @param problem  M and q, not modified; n <= PERP_ENUMERATION_MAX
   * @param opts     NULL: defaults
   * @param visit    called for every solution, each verified; may not be NULL
   * @param user     handed to visit
   * @param report  may be NULL
   * @param work     work_bytes bytes of any alignment
   * @param info  may be NULL; iterations: nodes; residuals of the last solution
   * @return PERP_OK (at least one solution, search ended), PERP_INFEASIBLE, PERP_RAY, PERP_MAX_ITER,
   * PERP_STOPPED (by visit or the observer), or < 0
   * Allocates nothing; parallel calls need distinct work, info, report.
   */
  perp_lcp_enumerate(problem: number, opts: number, visit: number, user: number, report: number, work: number, work_bytes: number, info: number): number;
  /** As perp_lcp_enumerate_workspace(), for perp_mlcp_enumerate(). */
  perp_mlcp_enumerate_workspace(n: number): number;
  /**
   * As perp_lcp_enumerate(), for the box form. An unknown with two finite bounds has three modes, so
   * that 16 of them may take as long as 25 of an LCP.
   */
  perp_mlcp_enumerate(problem: number, opts: number, visit: number, user: number, report: number, work: number, work_bytes: number, info: number): number;
  /**
   * Lemke's method for friction in the plane as a descriptor: friction with law.size 2, beside laws
   * by component (equality, complementarity, box); M zero, diagonal, dense or blocks (taken as
   * dense). Finite, and exact: the answer is the solution of linear equations. For M symmetric
   * positive semidefinite and q in its range (mechanics) it ends with a solution, whatever μ is.
   * Options: ::perp_solver_options, max_iter counts pivots in all, 0 picks 1000 + 50 N for each of
   * its two forms, N unknowns of the complementarity problem; the observer is called once per pivot,
   * merit is the artificial variable.
   * @return in solve: PERP_OK (verified), PERP_RAY (proves nothing here), PERP_MAX_ITER,
   * PERP_STOPPED, PERP_INACCURATE; a problem with friction in space is PERP_EUNSUPPORTED. Workspace
   * about 100 n² bytes: 2000 unknowns at most. The start lambda is not used.
   */
  perp_solver_friction_lemke(): number;
  /**
   * Bytes of memory that perp_poisson_impact() needs for m contacts with this solver and these
   * options (may be NULL); 0 if m is out of range or the solver takes no such problem.
   */
  perp_poisson_impact_workspace(solver: number, m: number, options: number): number;
  /**
   * Impulses of a frictionless impact at m contacts.
   * @param solver   of both problems: any that takes complementarity and dense M
   * @param m        contacts, >= 0
   * @param W        m x m, column-major: H M⁻¹ Hᵀ, symmetric positive semidefinite
   * @param ydot     m: ẏ before; negative: approaching
   * @param e        m: Poisson's restitution, 0 <= e <= 1
   * @param options  the solver's own struct, NULL: defaults
   * @param impulse  m: P_c + P_e; ẏ after is ydot + W impulse
   * @param compression  m: P_c; may be NULL
   * @param work     work_bytes bytes of any alignment, see perp_poisson_impact_workspace()
   * @param info  may be NULL: of the second problem (of the first, if that was not solved), its
   *                 iterations those of both; or the offending argument
   * @return as perp_lcp_solve() of the first problem that is not PERP_OK; impulse is then not written
   * Allocates nothing.
   */
  perp_poisson_impact(solver: number, m: number, W: number, ydot: number, e: number, options: number, impulse: number, compression: number, work: number, work_bytes: number, info: number): number;
  /**
   * Check a program: shapes, bounds (lower <= upper, a real number between them). Entries of P, A, c
   * are not read.
   * @return PERP_OK, PERP_EINVAL, PERP_ENOTFINITE; info (may be NULL) names the field
   */
  perp_qp_check(qp: number, info: number): number;
  /**
   * Bytes of perp_qp_judge() and perp_qp_certificate(); 0 if the program is malformed or the size
   * overflows.
   */
  perp_qp_judge_workspace(qp: number): number;
  /**
   * Judge a point and its multipliers from the caller's data, by code that no solver shares.
   * @param qp    the program
   * @param x,nu,zeta  n, m, n entries
   * @param residual  see ::perp_qp_residual; its struct_size is set by the caller
   * @param work  work_bytes bytes of any alignment, see perp_qp_judge_workspace()
   * @return PERP_OK (whatever the residual is), PERP_EINVAL, PERP_ENOTFINITE, PERP_EWORKSPACE
   * Allocates nothing; parallel calls need distinct residual and work.
   */
  perp_qp_judge(qp: number, x: number, nu: number, zeta: number, residual: number, work: number, work_bytes: number): number;
  /**
   * 1 if the residual means "solved" at tolerance tol: all three relative parts <= tol, and primal
   * and dual <= min(10⁻², max(10⁻⁶, 10 tol)) of their hats, which do not depend on the point, so that
   * no huge x passes for a solution of a program that has none; what rounding may hide counts as a
   * part of primal and dual there. Else 0. NaN is never solved.
   */
  perp_qp_residual_solved(residual: number, tol: number): number;
  /**
   * What a ray of n + m entries (d, r), for example perp_info.ray, proves (Farkas):
   * r with d = 0: no x satisfies the constraints, as rᵀA x >= Σ r_k⁺ row_lower_k − r_k⁻ row_upper_k
   * is impossible within the bounds; d with r = 0: P d = 0, cᵀd < 0, and x + t d stays feasible, so
   * the objective has no least value. What rounding leaves of a wrong sign is turned into *bound:
   * any feasible x would have ‖x‖₁ >= *bound, or any optimal x and its ν ‖x‖₁ + ‖ν‖₁ >= *bound;
   * infinity if there is none for certain. Rounding errors of the sums count against the proof.
   * @return PERP_INFEASIBLE, PERP_UNBOUNDED, PERP_INACCURATE (no proof, *bound = 0), PERP_EINVAL,
   * PERP_ENOTFINITE, PERP_EWORKSPACE
   * Allocates nothing; parallel calls need distinct work.
   */
  perp_qp_certificate(qp: number, ray: number, bound: number, work: number, work_bytes: number): number;
  /**
   * Bytes perp_qp_solve() needs; 0 if the program is malformed, the solver does not take its
   * optimality conditions, or the size overflows.
   */
  perp_qp_workspace(solver: number, qp: number, options: number): number;
  /**
   * Solve a convex program through its optimality conditions, a mixed complementarity problem in box
   * form with the matrix [P −Aᵀ; A 0]: not symmetric, positive semidefinite. Rows with two different
   * finite bounds take one unknown more. Without rows the matrix is P itself, in the caller's
   * storage.
   * @param solver   takes dense M (without rows: the kind of P) and boxes; complementarity is enough
   *                 where x >= 0 is the only bound and no row has two
   * @param qp       not modified
   * @param options  the solver's own, NULL: defaults; tol means every relative part of
   *                 ::perp_qp_residual
   * @param x  n: start where the solver takes one; solution; on failure its last point
   * @param nu,zeta  m, n: multipliers
   * @param work     work_bytes bytes of any alignment, see perp_qp_workspace()
   * @param info  may be NULL; ray, if there is room for n + m entries, as in
   *                 perp_qp_certificate()
   * @return PERP_OK (verified by perp_qp_judge(), see perp_qp_residual_solved(): never where no x is
   * feasible or the objective falls without end, by more than its tolerances), PERP_INFEASIBLE,
   * PERP_UNBOUNDED (both with a certificate that was checked; it is looked for by a method of its
   * own, whatever the solver is and however it ended), PERP_EUNSUPPORTED (P is not positive
   * semidefinite, or the solver does not take the problem), PERP_EINVAL (also: P is not symmetric),
   * PERP_ENOTFINITE, or the solver's own ending
   * Allocates nothing; parallel calls need distinct outputs and work.
   */
  perp_qp_solve(solver: number, qp: number, options: number, x: number, nu: number, zeta: number, work: number, work_bytes: number, info: number): number;
  /**
   * Bytes perp_qp_dual() needs for n unknowns and m rows; 0 if negative or the answer overflows.
   * About 24 n² + 8 n m.
   */
  perp_qp_dual_workspace(n: number, m: number): number;
  /**
   * Solve a program with positive definite P by the dual active-set method of Goldfarb and Idnani:
   * from the minimum without constraints, one violated constraint after the other, O(n (n + m)) a
   * step. Needs no start, knows infeasible programs by a certificate. Best for small n, or few
   * active constraints.
   * @param qp    not modified
   * @param opts  NULL: defaults; max_iter counts constraints entered or left, 0 picks
   *              100 + 10 (n + m); budget counts n (3 n + m) for each, 0 picks that of n + m
   *              unknowns; the observer is called as often, constraints are numbered as rows
   *              0 ... m-1, bounds of x_i m + i, merit is the violation of the entering one
   * @param x,nu,zeta  n, m, n: minimum and multipliers; on failure the last point
   * @param work  work_bytes bytes of any alignment, see perp_qp_dual_workspace()
   * @param info  may be NULL; ray as for perp_qp_solve()
   * @return PERP_OK (verified), PERP_INFEASIBLE (with a certificate that was checked),
   * PERP_INACCURATE, PERP_MAX_ITER, PERP_STOPPED, PERP_EUNSUPPORTED (P is not positive definite),
   * PERP_EINVAL (also: P is not symmetric), PERP_ENOTFINITE, PERP_EWORKSPACE
   * Allocates nothing; parallel calls need distinct outputs and work.
   */
  perp_qp_dual(qp: number, opts: number, x: number, nu: number, zeta: number, work: number, work_bytes: number, info: number): number;
  /** Fill opts with the defaults; size is sizeof of the caller's struct. */
  perp_sensitivity_options_init(opts: number, size: number): void;
  /**
   * Bytes perp_sensitivity_prepare() needs for any solution of this problem; 0 if it is malformed,
   * has other laws, or the size overflows.
   */
  perp_sensitivity_workspace(problem: number): number;
  /**
   * Classify the unknowns of a solution, and factorise M_FF once.
   * @param s   n_free, n_degenerate and state are there to be read
   * @param problem  laws FREE, ORTHANT, BOX; M of any kind
   * @param lambda   n: a solution
   * @param opts     NULL: defaults
   * @param work     work_bytes bytes of any alignment; s needs them and, if it is dense, M
   * @param info  may be NULL
   * @return PERP_OK, PERP_INACCURATE (lambda is no solution within tol), PERP_RAY (M_FF is singular:
   * the solution is not alone, or moves infinitely fast), PERP_EINVAL, PERP_EUNSUPPORTED,
   * PERP_EWORKSPACE, PERP_ENOTFINITE
   * Allocates nothing; parallel calls need distinct s and work.
   */
  perp_sensitivity_prepare(s: number, problem: number, lambda: number, opts: number, work: number, work_bytes: number, info: number): number;
  /**
   * load (n) := dM λ + dq, what a change of M and q does to y at a fixed λ; dM, dq: NULL for none.
   * @return PERP_OK, PERP_EINVAL.
   */
  perp_sensitivity_load(n: number, dM: number, dq: number, lambda: number, load: number): number;
  /**
   * Derivatives of λ in m directions, each given by its load dM λ + dq.
   * @param s        prepared; its scratch is used: one call at a time
   * @param m        directions, >= 0
   * @param load     n x m, column-major
   * @param dlambda    n x m; may be load
   * @param one_sided  m, may be NULL: 1 where the derivative holds for a step forward in this
   *                 direction only, 0 where it is linear
   * @return PERP_OK; with degenerate unknowns also what solving for them ended with (PERP_RAY,
   * PERP_MAX_ITER, PERP_INFEASIBLE, PERP_INACCURATE: no derivative was found, dlambda of this and all
   * further directions is NaN); PERP_EINVAL
   * O(k^2) for each direction, k = n_free; allocates nothing.
   */
  perp_sensitivity_apply(s: number, m: number, load: number, dlambda: number, one_sided: number): number;
  /**
   * The transposed map: load^T (result) = gradient^T dλ for every load, so that the gradient of a
   * function of λ with respect to q (and to M, as result λ^T) costs one call. Degenerate unknowns
   * are taken as fixed: then this is one element of the generalised Jacobian.
   * @param m        gradients, >= 0
   * @param gradient n x m, column-major
   * @param result  n x m; may be gradient
   * @return PERP_OK, PERP_EINVAL.
   */
  perp_sensitivity_adjoint(s: number, m: number, gradient: number, result: number): number;
  /**
   * Fill opts with the defaults (ratio 0.9, shrink 2/3, grow 3/2); size is sizeof of the caller's
   * struct.
   */
  perp_vi_options_init(opts: number, size: number): void;
  /** Bytes the two functions below need for n unknowns; 0 if n < 0 or the answer overflows. */
  perp_vi_workspace(n: number): number;
  /**
   * Solve −F(x) ∈ N_K(x) by x := P_K(x − ρ F(x)) with adaptive ρ. Converges for F that is strongly
   * monotone, or the gradient of a convex function, and Lipschitz continuous.
   *
   * The residual is r = Λ ‖x − P_K(x − F(x) / Λ)‖₂, in units of F, with Λ the largest
   * ‖F(a) − F(b)‖ / ‖a − b‖ met; the relative one divides it by the larger of ‖F(x)‖ + Λ'‖x‖, Λ' the
   * largest such slope of late, and s₀ = ‖F(x₀)‖ + Λ₀‖x₀‖ at x₀ = P_K(0), or at the start where that
   * is 0 or F has no value at P_K(0); 0/0 = 0. Solved means: both computed anew from the callbacks at
   * the x handed out, relative residual <= tol, and r <= min(10⁻², max(10⁻⁶, 10 tol)) s₀.
   * @param problem  the callbacks
   * @param options  NULL: defaults
   * @param x  n: start; solution; on failure the best point met
   * @param F   n: F(x), may not overlap x
   * @param work     work_bytes bytes of any alignment, see perp_vi_workspace()
   * @param info  may be NULL: iterations, residuals, or the offending argument
   * @return PERP_OK, PERP_MAX_ITER, PERP_STOPPED, PERP_INACCURATE (it diverges, no step is short
   * enough, or nothing more can be gained), PERP_RETRY (F has no value at the start, or at no point
   * near it), PERP_ECALLBACK, PERP_ENOTFINITE (from a callback, or x), PERP_EINVAL, PERP_EWORKSPACE
   * Allocates nothing; parallel calls need distinct x, F, work, info.
   */
  perp_vi_fixed_point(problem: number, options: number, x: number, F: number, work: number, work_bytes: number, info: number): number;
  /**
   * The extragradient method, x̄ := P_K(x − ρ F(x)), x := P_K(x − ρ F(x̄)): two values of
   * F an iteration; converges for every monotone, Lipschitz continuous F that has a solution. Since
   * 0.1.
   */
  perp_vi_extragradient(problem: number, options: number, x: number, F: number, work: number, work_bytes: number, info: number): number;
  /**
   * The fixed point as a solver of one-step problems, F(λ) = M λ + q after the law's change of
   * variable: all laws that have a projection (equality, complementarity, box, cones, polyhedra, the
   * user's own), M in any kind of storage. Scaled by the diagonal of M. Options: ::perp_vi_options;
   * the residual is that of problem.h.
   */
  perp_solver_fixed_point(): number;
  /**
   * The extragradient method, for M that is positive semidefinite and need not be
   * symmetric.
   */
  perp_solver_extragradient(): number;
  /** Fill opts with the defaults; size is sizeof of the caller's struct. */
  perp_avi_pivoting_options_init(opts: number, size: number): void;
  /**
   * Pivoting over polyhedra as a descriptor: laws of polyhedra, mixed with equality, complementarity
   * and boxes; M zero, diagonal, dense or blocks (taken as dense). Every row of H becomes an unknown
   * μ >= 0 (two opposite rows one without sign), every λ of a polyhedron free; that problem in box
   * form goes to the engine. Sure for monotone problems, singular M included, but for those whose
   * solutions are all so large that no residual can tell (problem.h). Judged by the projection on the
   * polyhedra. λ = 0 is the answer where it solves.
   * @return in solve: PERP_OK (verified); PERP_INFEASIBLE: the engine proved that there is no
   * solution; where info has room for n + constraints entries (perp_shape), the ray holds the proof:
   * a direction in λ, then in μ row by row, and info.bound and the amplification are those of λ and μ
   * together; else the engine's ending.
   * Workspace 8 N² bytes and the engine's for N = n + rows.
   */
  perp_solver_avi_pivoting(): number;
  /**
   * Bytes perp_avi_pivoting() needs for n unknowns and m rows with these options (may be NULL); 0 if
   * n or m < 0 or the answer overflows.
   */
  perp_avi_pivoting_workspace(n: number, m: number, opts: number): number;
  /**
   * Solve  −(M z + q) ∈ N_P(z),  P = {Hz >= K}.
   * @param problem  not modified; entries must be finite
   * @param opts     NULL: defaults
   * @param z  n: start where the engine takes one; solution; on failure the last point
   * @param w   n: M z + q, may not overlap z
   * @param work     work_bytes bytes of any alignment
   * @param info  may be NULL
   * @return see perp_solver_avi_pivoting(), or < 0
   * Allocates nothing, prints nothing; parallel calls need distinct z, w, work, info.
   */
  perp_avi_pivoting(problem: number, opts: number, z: number, w: number, work: number, work_bytes: number, info: number): number;
}
