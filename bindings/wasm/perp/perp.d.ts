// SPDX-License-Identifier: MIT
// perp for TypeScript. What c.d.ts holds is written from the headers of C; docs/webassembly.md is the guide.
import type { AnySolverNumbers, Contact as CContact, EventNumbers, EventReport, Functions, ImpactNumbers, Iterate, Report,
  SimulationNumbers, SolverNumbers, Verdict } from "./c.js";

export type { EventReport, Functions, Iterate, Report, Verdict } from "./c.js";

// -- Numbers

/** Numbers one after another. */
export type Row = ArrayLike<number>;
/** A matrix by rows, nested or flat; where it is square also one number (times the identity) or a diagonal. */
export type Matrix = number | Row | readonly Row[] | Sparse;
/** What a function returns: a row, one number where one is asked for, or nothing where it wrote to `out`. */
export type Answer = number | Row | void;
/** A matrix that a function returns. */
export type MatrixAnswer = number | Row | readonly Row[] | void;

/** What a function is handed: of what its field offers. The arrays are filled anew in the next call; slice() what is kept. */
export interface At {
  t: number;
  q: Float64Array;
  v: Float64Array;
  x: Float64Array;
  lambda: Float64Array;
  z: Float64Array;
  /** To be written, zeros at first; matrices by rows. */
  out: Float64Array;
}
export type Fn<Names extends keyof At, R = Answer> = (at: Pick<At, Names | "out">) => R;
/** A function, constant numbers, or nothing: by differences. */
export type Jacobian<Names extends keyof At> = Fn<Names, MatrixAnswer> | Row | readonly Row[];

/** A sparse matrix in compressed rows. */
export class Sparse {
  constructor(of: { rows: number; cols: number; start: Row; index: Row; values: Row });
  readonly rows: number;
  readonly cols: number;
  readonly start: Int32Array;
  readonly index: Int32Array;
  readonly values: Float64Array;
}

/** Numbers that C reads in every evaluation, where they are; made by parameters(). */
export interface Parameters {
  /** To be read and written; to be asked for anew, for memory may move. */
  readonly values: Float64Array;
  readonly size: number;
}

// -- Errors

export type StatusName = "OK" | "MAX_ITER" | "RAY" | "INACCURATE" | "INFEASIBLE" | "STOPPED" | "END" | "RETRY" | "UNBOUNDED" | "STORM" |
  "EINVAL" | "EWORKSPACE" | "ECALLBACK" | "EUNSUPPORTED" | "EBACKEND" | "ENOTFINITE";
/** Outcomes of calls by name; the same numbers as in C. */
export const Status: Readonly<Record<StatusName, number>>;

/** A call that was wrong, or an environment that failed. The message says which call, which field, the value, what is allowed. */
export class PerpError extends Error {
  readonly status: StatusName;
  /** The offending argument, "" if none. */
  readonly field: string;
  /** Which system, interaction or entry, -1: none or the only one. */
  readonly index: number;
  readonly value: number;
}
export class ArgumentError extends PerpError {}
export class NotFiniteError extends PerpError {}
export class UnsupportedError extends PerpError {}
export class WorkspaceError extends PerpError {}
export class CallbackError extends PerpError {}
export class BackendError extends PerpError {}
export class ClosedError extends PerpError {}
export class BusyError extends PerpError {}
/** Thrown by a callback to ask for a smaller step. */
export class Retry extends Error {
  constructor(message?: string);
}

// -- Systems

/** T(q) u(t, q, v) at order 2, T(x) u(t, x) at order 1, added to the right-hand side. */
export class Control {
  constructor(of: {
    n_u: number;
    u: Fn<"t" | "q" | "v" | "x" | "z">;
    T?: Matrix;
    effect?: Fn<"q" | "x" | "z", MatrixAnswer>;
    u_dq?: Jacobian<"t" | "q" | "v" | "z">;
    u_dv?: Jacobian<"t" | "q" | "v" | "z">;
    u_dx?: Jacobian<"t" | "x" | "z">;
  });
}
/** A kind of system; its fields do not change. */
export abstract class System {
  readonly order: 1 | 2;
}
interface OfSystem { control?: Control; z?: Parameters }
/** M v̇ + C v + K q = f + F(t) + T(q) u(t, q, v) + r,  q̇ = v. */
export class LagrangianLinear extends System {
  constructor(of: OfSystem & { n?: number; M: Matrix; C?: Matrix; K?: Matrix; f?: Row | number; force?: Fn<"t">; typical_q?: Row; typical_v?: Row });
}
/** M(q, z) v̇ + N(q, v, z) + F_int(t, q, v, z) = f + F_ext(t, z) + T(q) u(t, q, v) + r,  q̇ = v. M or mass is needed. */
export class Lagrangian extends System {
  constructor(of: OfSystem & {
    n: number;
    M?: Matrix;
    mass?: Fn<"q" | "z", MatrixAnswer>;
    gyroscopic?: Fn<"q" | "v" | "z">;
    gyroscopic_dq?: Jacobian<"q" | "v" | "z">;
    gyroscopic_dv?: Jacobian<"q" | "v" | "z">;
    internal?: Fn<"t" | "q" | "v" | "z">;
    internal_dq?: Jacobian<"t" | "q" | "v" | "z">;
    internal_dv?: Jacobian<"t" | "q" | "v" | "z">;
    external?: Fn<"t" | "z">;
    potential?: Fn<"q" | "z">;
    f?: Row | number;
    typical_q?: Row;
    typical_v?: Row;
  });
}
/** M ẋ = (A + A(t)) x + b + B(t) + T(x) u(t, x) + r. */
export class FirstOrderLinear extends System {
  constructor(of: OfSystem & { n?: number; A?: Matrix; b?: Row | number; M?: Matrix; input?: Fn<"t">; state_matrix?: Fn<"t", MatrixAnswer>; typical?: Row });
}
/** M ẋ = f(t, x, z) + T(x) u(t, x) + r. */
export class FirstOrder extends System {
  constructor(of: OfSystem & { n: number; f: Fn<"t" | "x" | "z">; f_dx?: Jacobian<"t" | "x" | "z">; M?: Matrix; typical?: Row });
}
/** A rigid body:  m ẍ = f + F(t, q, v) + r,  I Ω̇ + Ω × IΩ = T(t, q, v) + r; q has 7 entries (position, unit quaternion), v 6. */
export class Body extends System {
  constructor(of?: {
    mass?: number;
    /** 3 principal moments or 3 x 3, frame of the body (kg m²). */
    inertia?: Row | readonly Row[];
    f?: Row;
    force?: Fn<"t" | "q" | "v">;
    torque?: Fn<"t" | "q" | "v">;
    force_jacobian?: (at: Pick<At, "t" | "q" | "v">) => readonly [by_d: readonly Row[] | Row, by_v: readonly Row[] | Row];
    torque_jacobian?: (at: Pick<At, "t" | "q" | "v">) => readonly [by_d: readonly Row[] | Row, by_v: readonly Row[] | Row];
    torque_frame?: "body" | "fixed";
    gyroscopic?: "implicit" | "explicit" | "none";
    control?: Control;
    z?: Parameters;
  });
}
/** A homogeneous ball; kg, m, N. */
export function ball(mass: number, radius: number, f?: Row): Body;
/** A homogeneous brick of three sides (m). */
export function brick(mass: number, sides: Row, f?: Row): Body;

// -- Relations

/** A kind of relation; its fields do not change. */
export abstract class Relation {
  readonly order: 1 | 2;
}
interface OfRelation { m?: number; z?: Parameters }
/** y = H q + F z + b,  ẏ = H v + D λ,  r = Hᵀ λ. A row of n entries is one row. */
export class LagrangianLinearRelation extends Relation {
  constructor(of: OfRelation & { H: Matrix; b?: Row | number; D?: Matrix; F?: Matrix });
}
/** y = h(q, z),  ẏ = H v,  r = Hᵀ λ,  H = ∂h/∂q; bias is γ in ÿ = H v̇ + γ, for event-driven integration. */
export class LagrangianScleronomous extends Relation {
  constructor(of: OfRelation & { h: Fn<"q" | "z">; H?: Jacobian<"q" | "z">; bias?: Jacobian<"t" | "q" | "v" | "z">; typical_q?: Row });
}
/** y = h(t, q, z),  ẏ = H v + ∂h/∂t,  r = Hᵀ λ. */
export class LagrangianRheonomous extends Relation {
  constructor(of: OfRelation & {
    h: Fn<"t" | "q" | "z">; H?: Jacobian<"t" | "q" | "z">; h_dt?: Jacobian<"t" | "q" | "z">; bias?: Jacobian<"t" | "q" | "v" | "z">; typical_q?: Row;
  });
}
/** y = h(q, λ, z),  ẏ = H v + (∂h/∂λ) λ̇,  r = Hᵀ λ, λ as a force. */
export class LagrangianCompliant extends Relation {
  constructor(of: OfRelation & {
    h: Fn<"q" | "lambda" | "z">; H?: Jacobian<"q" | "lambda" | "z">; D?: Jacobian<"q" | "lambda" | "z">; typical_q?: Row; typical_lambda?: Row;
  });
}
/** ẏ = g(t, q, v, z),  r = Hᵀ λ,  H = ∂g/∂v; without a position: skates, wheels, clutches. */
export class LagrangianVelocityRelation extends Relation {
  constructor(of: OfRelation & { g: Fn<"t" | "q" | "v" | "z">; H?: Jacobian<"t" | "q" | "v" | "z">; bias?: Jacobian<"t" | "q" | "v" | "z">; typical_v?: Row });
}
/** Contacts with friction on mechanisms: ẏ_n = G v + ∂h/∂t, ẏ_t = T v + s. */
export class LagrangianContactRelation extends Relation {
  constructor(of: {
    gaps?: number; z?: Parameters; h: Fn<"t" | "q" | "z">; T: Jacobian<"t" | "q" | "z">; G?: Jacobian<"t" | "q" | "z">; h_dt?: Jacobian<"t" | "q" | "z">;
    s?: Jacobian<"t" | "q" | "z">; bias?: Jacobian<"t" | "q" | "v" | "z">; typical_q?: Row;
  });
}
/** [amplitude (m/s), omega (rad/s), phase (rad)] */
export type Harmonic = readonly [number, number, number];
/** ẏ_i = v_index(i) − v̄_i(t), v̄_i = constant_i + Σ_k a_ik cos(ω_ik t + φ_ik) + velocity_i(t): for equality(). */
export class PrescribedVelocity extends Relation {
  constructor(of?: { index?: number | Row; constant?: Row | number; harmonics?: readonly Harmonic[] | readonly (readonly Harmonic[])[]; velocity?: Fn<"t"> });
}
/** y = C x + D λ + F z + e,  r = B λ + a: first order, constant. */
export class LinearRelation extends Relation {
  constructor(of: OfRelation & { C: Matrix; B?: Matrix; D?: Matrix; F?: Matrix; e?: Row | number; a?: Row | number });
}
/** A linear relation with coefficients that are functions of t, or constants; m rows are needed where C is a function. */
export class LinearVaryingRelation extends Relation {
  constructor(of: OfRelation & {
    C: Matrix | Fn<"t", MatrixAnswer>; B?: Matrix | Fn<"t", MatrixAnswer>; D?: Matrix | Fn<"t", MatrixAnswer>; F?: Matrix | Fn<"t", MatrixAnswer>;
    e?: Row | number | Fn<"t">; a?: Row | number | Fn<"t">;
  });
}
interface OfFirstOrder<H extends keyof At, G extends keyof At> extends OfRelation {
  h: Fn<H>; g?: Fn<G>; C?: Jacobian<H>; D?: Jacobian<H>; B?: Jacobian<G>; K?: Jacobian<G>; h_dt?: Jacobian<H>; typical_x?: Row; typical_lambda?: Row;
}
/** y = h(t, x, λ, z),  r = g(t, x, λ, z). */
export class FirstOrderRelation extends Relation {
  constructor(of: OfFirstOrder<"t" | "x" | "lambda" | "z", "t" | "x" | "lambda" | "z">);
}
/** y = h(t, x, z),  r = g(t, λ, z). */
export class FirstOrderType1 extends Relation {
  constructor(of: OfFirstOrder<"t" | "x" | "z", "t" | "lambda" | "z">);
}
/** y = h(t, x, λ, z),  r = g(t, λ, z). */
export class FirstOrderType2 extends Relation {
  constructor(of: OfFirstOrder<"t" | "x" | "lambda" | "z", "t" | "lambda" | "z">);
}

/** Where and how two bodies, or a body and the ground, touch or would touch; fixed frame. */
export interface ContactPlace {
  /** Along the normal, < 0: they overlap (m). */
  gap: number;
  /** Length 1, from the second body or ground to the first. */
  normal: Row;
  /** Points of the first and of the second body (m). */
  a: Row;
  b?: Row;
  /** First tangential direction; none: chosen. */
  tangent?: Row;
  /** Of the ground at the contact (m/s). */
  velocity?: Row;
}
/** A ball about the centre of mass on the half space normal·x <= offset (m). */
export class SpherePlane {
  constructor(of: { radius: number; normal?: Row; offset?: number });
}
/** Two balls about the centres of mass, radii (m) of the first and the second. */
export class SphereSphere {
  constructor(of: { radius: Row });
}
/** A point of the body (m, its frame), such as a corner, on the half space normal·x <= offset. */
export class PointPlane {
  constructor(of: { point: Row; normal?: Row; offset?: number });
}
/** Contact of a body with the ground, or of two; rows as the law has components. */
export class BodyContact extends Relation {
  constructor(of: { locate: SpherePlane | SphereSphere | PointPlane | ((at: Pick<At, "t" | "q">) => ContactPlace) });
}
export type JointKind = "spherical" | "pivot" | "prismatic" | "cylindrical" | "fixed" | "screw";
/** A joint of two bodies, or of one with the ground; goes with equality(). */
export class Joint extends Relation {
  constructor(of: { kind?: JointKind; point_a?: Row; point_b?: Row; frame_a?: Row; frame_b?: Row; lead?: number; bodies?: number });
}
/** Angle (rad) or translation (m) of a joint: drives, friction and stops; joins the same bodies in the same order. */
export class JointCoordinate extends Relation {
  constructor(of: {
    of: Joint; use?: "rate" | "effort" | "stops" | "lower" | "upper"; translation?: boolean; lower?: number; upper?: number; centre?: number; rate?: Fn<"t">;
  });
}
/** A pair of gears on two bodies, carried by the ground or a third; goes with equality(). */
export class Gear extends Relation {
  constructor(of: { teeth_a: number; teeth_b: number; axis_a: Row; axis_b: Row; qa: Row; qb: Row; qc?: Row });
}
/** Two stops: for a unilateral law of size 1, such as newton_impact(e). */
export function joint_stops(of: Joint, lower: number, upper: number, translation?: boolean): JointCoordinate;
/** A drive of prescribed rate: for equality(). */
export function joint_drive(of: Joint, rate: Fn<"t">, translation?: boolean): JointCoordinate;
/** A drive of limited effort, or with no rate dry friction: for box(-limit, limit). */
export function joint_effort(of: Joint, rate?: Fn<"t">, translation?: boolean): JointCoordinate;

// -- Laws

/** A law; made by the functions below, `name` being which. */
export interface Law {
  readonly name: string;
  readonly kind: string;
  /** Components of one copy. */
  readonly size: number;
}
/** What a law's function may know of a step; vectors have one entry per component. */
export interface LawStep {
  readonly t: number;
  readonly h: number;
  readonly y: Float64Array;
  /** Relative velocity; empty at order 1. */
  readonly ydot: Float64Array;
  /** Impulse of the last step (N s); of this one in commit. */
  readonly lambda: Float64Array;
}
/** See perp_law_ops. Each function gets the state of the copy first. */
export interface UserLaw {
  set?: "free" | "orthant" | "box" | "other";
  unilateral?: boolean;
  bounded?: boolean;
  state?: number;
  project?(state: Float64Array, x: Float64Array): Row | number;
  jacobian?(state: Float64Array, x: Float64Array): Row | readonly Row[] | number;
  shift?(state: Float64Array, y: Float64Array): Row | number;
  bounds?(): readonly [lower: Row | number, upper: Row | number];
  restitute?(state: Float64Array, begin: LawStep): Row | number;
  preload?(state: Float64Array, begin: LawStep): Row | number;
  compliance?(h: number): Row | readonly Row[] | number;
  acts?(state: Float64Array): boolean;
  begin?(): Row | number;
  commit?(state: Float64Array, end: LawStep): Row | number;
}

// -- Models

/** The place of a system in a model. */
export class SystemId {
  private constructor();
  readonly number: number;
  private readonly isSystem: true;
}
/** The place of an interaction in a model. */
export class InteractionId {
  private constructor();
  readonly number: number;
  private readonly isInteraction: true;
}
export type OfSystemId = SystemId | number;
export type OfInteractionId = InteractionId | number;

/** What find looks at and writes to, while it is called. */
export interface ContactSearch {
  readonly t: number;
  readonly systems: number;
  /** Positions and velocities at the begin of the step; copies. */
  q(system: OfSystemId): Float64Array;
  v(system: OfSystemId): Float64Array;
  /** Whether a system sleeps, so far in this step; contacts of two that do need not be added. */
  is_asleep(system: OfSystemId): boolean;
  /** How many systems are neither asleep nor off. */
  awake(): number;
  /** A contact of a with b, or GROUND; the normal points to a. law: its place in the laws of the pool; identity tells it from
   * others of the same pair. Whether it is kept so far. */
  add(a: OfSystemId, b: OfSystemId, at: ContactPlace, law?: number, identity?: number): boolean;
}
export interface OfContactPool {
  capacity: number;
  laws: Law | readonly Law[];
  find(search: ContactSearch): void;
  max_per_system?: number;
  plane?: boolean;
}
/** Room for contacts that come and go between Lagrangian systems and bodies; see docs/running.md. */
export class ContactPool {
  constructor(of: OfContactPool);
}

/** A model, built piece by piece; it may change or end while runs made from it go on. */
export class Model {
  private constructor();
  readonly systems: number;
  readonly interactions: number;
  /** Different descriptions of systems, relations and laws. */
  readonly descriptions: number;
  add(system: System, start?: { q0?: Row | number; v0?: Row | number; x0?: Row | number }): SystemId;
  /** Join systems by a relation and as many copies of a law as fill its rows. */
  connect(relation: Relation, law: Law, ...systems: readonly OfSystemId[] | readonly [readonly OfSystemId[]]): InteractionId;
  pool(pool: ContactPool | OfContactPool): void;
  /** What the model is made of, as text. */
  describe(): string;
  close(): void;
}

// -- Runs

/** Options of solvers. */
export type SolverOptions = AnySolverNumbers & SolverNumbers & { covering?: Row; engine?: string; observe?: (iterate: Iterate) => boolean | void };
/** A solver by name, with options; made by method(). */
export interface Method {
  readonly name: string;
  readonly options: SolverOptions;
}
export type Integrator = "moreau-jean" | "schatzman-paoli" | "theta" | "theta-gamma" | "theta-gamma-full";
/** Options of a simulation: those of C under their names. */
export interface SimulationOptions extends Omit<SimulationNumbers, "on_failure" | "newton_stop" | "newton_start" | "projection" | "formulation" | "speed_tol" | "switchable"> {
  solver?: string | Method;
  integrator?: Integrator;
  integrators?: readonly (Integrator | null)[];
  grid?: Row;
  thetas?: Row;
  on_failure?: "stop" | "retry" | "accept";
  newton_stop?: "residual" | "dynamics" | "fixed";
  newton_start?: "current" | "position";
  projection?: "none" | "positions" | "combined";
  formulation?: "reduced" | "global" | "auto";
  /** With a pool: m/s, or "pile", which is the default, or "stack". */
  speed_tol?: number | "pile" | "stack";
  switchable?: boolean;
}
/** Energy of the Lagrangian systems (J). */
export interface Energy { readonly kinetic: number; readonly potential: number; readonly total: number }
/** Work of reactions over a step (J); < 0: taken from the systems. */
export interface Work { readonly all: number; readonly tangential: number }
/** A unilateral contact that acted in the last step. */
export interface Contact extends Omit<CContact, "located"> { readonly located: boolean }

/** What simulations by time-stepping and by events have in common. */
export interface Run {
  /** Outcome of the last call that went on. */
  readonly status: StatusName;
  readonly closed: boolean;
  readonly time: number;
  q(system: OfSystemId): Float64Array;
  v(system: OfSystemId): Float64Array;
  x(system: OfSystemId): Float64Array;
  y(interaction: OfInteractionId): Float64Array;
  ydot(interaction: OfInteractionId): Float64Array;
  lambda(interaction: OfInteractionId): Float64Array;
  force(interaction: OfInteractionId): Float64Array;
  energy(): Energy;
  /** How it ended, in words. */
  readonly ending: string;
  /** Give back what it has, now; later calls throw a ClosedError. */
  close(): void;
}

/** A run of a model with steps of length h (s). Arrays are views into its memory, not to be written: asked for again after each
 * step, slice()d to be kept. Without an argument: of all systems or interactions, one after another. */
export class Simulation implements Run, Iterable<Simulation> {
  constructor(model: Model, options?: SimulationOptions);
  readonly status: StatusName;
  readonly closed: boolean;
  /** Take the grid's next step: "OK", "END", or why it was not taken (the state is as it was). */
  step(): StatusName;
  /** Take a step of length h (s) that is not the grid's. */
  advance(h: number): StatusName;
  /** Step until the time is not below `until`, so many steps were taken, or the grid ends; observe returns false to stop. */
  run(options?: { until?: number; steps?: number; observe?: (sim: Simulation) => boolean | void }): StatusName;
  /** The simulation after each step; afterwards `status` tells why it ended. */
  steps(): Generator<Simulation, void>;
  [Symbol.iterator](): Generator<Simulation, void>;
  readonly ending: string;
  readonly time: number;
  readonly step_index: number;
  /** Of the last step's solves. */
  readonly iterations: number;
  readonly relative_residual: number;
  q(system?: OfSystemId): Float64Array;
  v(system?: OfSystemId): Float64Array;
  x(system?: OfSystemId): Float64Array;
  y(interaction?: OfInteractionId): Float64Array;
  ydot(interaction?: OfInteractionId): Float64Array;
  /** Impulses over the last step (N s) at order 2, force level at order 1, see level(). */
  lambda(interaction?: OfInteractionId): Float64Array;
  level(interaction: OfInteractionId): "force" | "impulse" | "position";
  /** λ as a mean force over the last step (N): a copy. */
  force(interaction: OfInteractionId): Float64Array;
  law_state(interaction: OfInteractionId, copy?: number): Float64Array;
  energy(): Energy;
  work(interaction?: OfInteractionId): Work;
  contacts(): Contact[];
  islands(): number;
  /** Set position and velocity, or the state x, between two steps: it begins anew there. */
  set_state(system: OfSystemId, state?: { q?: Row; v?: Row; x?: Row }): void;
  set_active(system: OfSystemId, active: boolean): void;
  is_active(system: OfSystemId): boolean;
  is_asleep(system: OfSystemId): boolean;
  awake(): number;
  wake(system: OfSystemId): void;
  report(): Report;
  /** The state as bytes; a run restored from it has the bits of the uninterrupted one. */
  checkpoint(): Uint8Array;
  restore(checkpoint: Uint8Array): void;
  sealed_checkpoint(): Uint8Array;
  restore_sealed(sealed: Uint8Array, other_grid?: boolean): void;
  close(): void;
}

/** The state that guards read and resets may change. */
export interface EventState {
  readonly t: number;
  q(system: OfSystemId): Float64Array;
  v(system: OfSystemId): Float64Array;
  x(system: OfSystemId): Float64Array;
}
/** Zeros of value are events; direction -1: it falls through 0, 1: it rises, 0: both; reset returns false to end the run. */
export interface Guard {
  value(state: EventState): number;
  direction?: -1 | 0 | 1;
  reset?(state: EventState): boolean | void;
}
/** Times known beforehand: `times`, or first + k period (period 0: once). */
export interface Schedule {
  times?: Row;
  first?: number;
  period?: number;
  reset?(state: EventState): boolean | void;
}
export interface Change {
  readonly kind: string;
  /** Interaction, guard or schedule. */
  readonly index: number;
  /** Of the law, -1: none. */
  readonly copy: number;
  readonly before: string;
  readonly after: string;
}
/** All that happened at one time; copies. The state after it is that of the simulation. */
export interface Event {
  readonly t: number;
  readonly number: number;
  readonly kinds: readonly string[];
  readonly changes: readonly Change[];
  readonly error: number;
  readonly until: number;
  /** All positions, velocities, states before. */
  readonly q: Float64Array;
  readonly v: Float64Array;
  readonly x: Float64Array;
  /** Of all rows of all interactions. */
  readonly impulse: Float64Array;
}
/** Options of an event-driven simulation: those of C under their names. */
export interface EventOptions extends Omit<EventNumbers, "linear" | "impact" | "zeno"> {
  atols?: Row;
  linear?: "auto" | "dense" | "banded" | "sparse";
  impact?: "law" | "poisson" | "lzb";
  zeno?: "jump" | "step" | "stop";
  lzb?: Omit<ImpactNumbers, "compliance"> & { compliance?: "mono" | "bi"; stiffness?: Row };
  stepping?: SimulationOptions;
  solver?: string | Method;
  guards?: readonly Guard[];
  schedules?: readonly Schedule[];
}
/** An event-driven run of a model. Arrays are copies, λ is a force (N). */
export class EventDriven implements Run {
  constructor(model: Model, options?: EventOptions);
  readonly status: StatusName;
  readonly ending: string;
  readonly closed: boolean;
  /** Go on until a time (s): "OK" there, or why it ended before. Observers return false to stop. */
  run(options: {
    until: number; every?: number; first?: number; times?: Row; on_output?: (sim: EventDriven) => boolean | void; on_event?: (event: Event) => boolean | void;
  }): StatusName;
  /** Go on to the next event, which has happened then: "OK"; "END" at `until` without one. */
  next(until: number): StatusName;
  events(until: number): Generator<Event, void>;
  event(): Event;
  /** Set the state (all positions, velocities, states) and start anew from it. */
  restart(t: number, state?: { q?: Row; v?: Row; x?: Row }): void;
  /** What went wrong last, in words; empty if nothing did. */
  readonly message: string;
  readonly time: number;
  q(system: OfSystemId): Float64Array;
  v(system: OfSystemId): Float64Array;
  x(system: OfSystemId): Float64Array;
  /** Accelerations v̇, or ẋ. */
  rate(system: OfSystemId): Float64Array;
  y(interaction: OfInteractionId): Float64Array;
  ydot(interaction: OfInteractionId): Float64Array;
  lambda(interaction: OfInteractionId): Float64Array;
  force(interaction: OfInteractionId): Float64Array;
  energy(): Energy;
  /** "open", "touch", "closed", "stick", "slip", "lower", "between", "upper". */
  mode(interaction: OfInteractionId, copy?: number): string;
  components(): number;
  report(): EventReport;
  close(): void;
}

// -- Problems

/** An answer. Solved only if `status` is "OK", which the residual confirms. */
export interface Solution {
  readonly status: StatusName;
  readonly solved: boolean;
  readonly text: string;
  readonly lambda: Float64Array;
  readonly y: Float64Array;
  /** λ and y, as complementarity problems call them. */
  readonly z: Float64Array;
  readonly w: Float64Array;
  readonly iterations: number;
  readonly residual: number;
  readonly relative_residual: number;
  readonly amplification: number;
  readonly bound: number;
  readonly solver: string;
  readonly worst: number;
  readonly dissipates: boolean | null;
  readonly ray: Float64Array | null;
}
/** y = M λ + q; laws: [law, copies] one after another, one law for all unknowns, or none: they come by add(). */
export class Problem {
  constructor(M: Matrix, q: Row, laws?: Law | readonly (Law | readonly [law: Law, copies: number])[], options?: { weight?: Row | number; floor?: Row | number });
  readonly n: number;
  readonly q: Float64Array;
  add(law: Law, copies?: number): this;
}
/** A solver with its memory, used again from solve to solve. */
export interface Solver {
  readonly name: string;
  readonly closed: boolean;
  solve(problem: Problem, options?: { lambda?: Row }): Solution;
  /** y = M λ + q,  0 ≤ λ ⟂ y ≥ 0. */
  lcp(M: Matrix, q: Row, options?: { lambda?: Row }): Solution;
  close(): void;
}
export interface SolverInfo {
  readonly name: string;
  readonly laws: readonly string[];
  readonly matrices: readonly string[];
  readonly assumes: readonly string[];
  readonly max_n: number;
  readonly options: readonly string[];
}
type Once = SolverOptions & { lambda?: Row };

// -- The library

/** An instance of the library, with a memory of its own. */
export interface Perp {
  readonly version: string;
  readonly memory_bytes: number;
  /** Places that functions of JavaScript hold in the table of C. */
  readonly callbacks: number;
  /** The functions of C, for those who know; see c.d.ts. */
  readonly c: Functions & { readonly memory: WebAssembly.Memory; malloc(bytes: number): number; free(at: number): void };

  readonly Status: typeof Status;
  readonly PerpError: typeof PerpError;
  readonly ArgumentError: typeof ArgumentError;
  readonly NotFiniteError: typeof NotFiniteError;
  readonly UnsupportedError: typeof UnsupportedError;
  readonly WorkspaceError: typeof WorkspaceError;
  readonly CallbackError: typeof CallbackError;
  readonly BackendError: typeof BackendError;
  readonly ClosedError: typeof ClosedError;
  readonly BusyError: typeof BusyError;
  readonly Retry: typeof Retry;

  readonly Sparse: typeof Sparse;
  parameters(values: Row | number): Parameters;

  readonly Control: typeof Control;
  readonly System: typeof System;
  readonly LagrangianLinear: typeof LagrangianLinear;
  readonly Lagrangian: typeof Lagrangian;
  readonly FirstOrderLinear: typeof FirstOrderLinear;
  readonly FirstOrder: typeof FirstOrder;
  readonly Body: typeof Body;
  readonly ball: typeof ball;
  readonly brick: typeof brick;
  /** Seven positions of a body whose centre of mass is at x (m), turned by angle (rad) about axis. */
  pose_at(x: Row, axis?: Row, angle?: number): Float64Array;
  /** 3 x 3 matrix by rows that maps the frame of the body to the fixed frame, of a unit quaternion. */
  rotation_matrix(Q: Row): number[][];

  readonly Relation: typeof Relation;
  readonly LagrangianLinearRelation: typeof LagrangianLinearRelation;
  readonly LagrangianScleronomous: typeof LagrangianScleronomous;
  readonly LagrangianRheonomous: typeof LagrangianRheonomous;
  readonly LagrangianCompliant: typeof LagrangianCompliant;
  readonly LagrangianVelocityRelation: typeof LagrangianVelocityRelation;
  readonly LagrangianContactRelation: typeof LagrangianContactRelation;
  readonly PrescribedVelocity: typeof PrescribedVelocity;
  readonly LinearRelation: typeof LinearRelation;
  readonly LinearVaryingRelation: typeof LinearVaryingRelation;
  readonly FirstOrderRelation: typeof FirstOrderRelation;
  readonly FirstOrderType1: typeof FirstOrderType1;
  readonly FirstOrderType2: typeof FirstOrderType2;
  readonly BodyContact: typeof BodyContact;
  readonly SpherePlane: typeof SpherePlane;
  readonly SphereSphere: typeof SphereSphere;
  readonly PointPlane: typeof PointPlane;
  readonly Joint: typeof Joint;
  readonly JointCoordinate: typeof JointCoordinate;
  readonly Gear: typeof Gear;
  /** A joint at a point (m) with an axis, in the fixed frame, while the bodies are at qa and qb (none: the ground). */
  joint(kind: JointKind, point: Row, axis: Row | null, qa: Row, qb?: Row, lead?: number): Joint;
  spherical_joint(point: Row, qa: Row, qb?: Row): Joint;
  pivot_joint(point: Row, axis: Row, qa: Row, qb?: Row): Joint;
  prismatic_joint(point: Row, axis: Row, qa: Row, qb?: Row): Joint;
  cylindrical_joint(point: Row, axis: Row, qa: Row, qb?: Row): Joint;
  fixed_joint(point: Row, qa: Row, qb?: Row): Joint;
  /** Rotation with translation by lead (m) in a turn. */
  screw_joint(point: Row, axis: Row, lead: number, qa: Row, qb?: Row): Joint;
  readonly joint_stops: typeof joint_stops;
  readonly joint_drive: typeof joint_drive;
  readonly joint_effort: typeof joint_effort;
  /** Angle or translation of a joint while its bodies are at q, 7 entries each. */
  coordinate_value(of: Joint, q: Row, translation?: boolean): number;

  readonly Law: abstract new () => Law;
  /** The slope of a graph that goes on upright. */
  readonly VERTICAL: number;
  /** y = 0, λ free. */
  equality(): Law;
  /** 0 ≤ y ⟂ λ ≥ 0. */
  complementarity(): Law;
  /** Unilateral contact; 0 ≤ ẏ⁺ + e ẏ⁻ ⟂ λ ≥ 0 while it is closed. */
  newton_impact(e: number): Law;
  /** λ = lower where y > 0, λ = upper where y < 0, between them y = 0; bounds may be infinite. */
  box(lower: Row | number, upper: Row | number): Law;
  /** λ = −limit where y > 0, limit where y < 0, between where y = 0. */
  relay(limit?: number): Law;
  /** y = 0 and λ free in the first components, 0 ≤ y ⟂ λ ≥ 0 in the others, in one copy. */
  mixed(equalities: number, complementarities: number): Law;
  /** −y ∈ N_P(λ), P = {λ : Hλ >= K}; H rows x size, K one entry per row. */
  polyhedron(H: readonly Row[], K: Row | number): Law;
  /** Contact of a spring k (N/m) and a damper c (N s/m) side by side; theta that of the scheme. */
  compliant(k: number, c?: number, theta?: number): Law;
  /** Coulomb friction in the plane, y = (normal, tangential); e_n, e_t: restitution. */
  friction_2d(mu: number, e_n?: number, e_t?: number): Law;
  /** Coulomb friction in space, y = (normal, two tangential). */
  friction_3d(mu: number, e_n?: number, e_t?: number): Law;
  /** Friction and resistance to rolling (m), y = (normal, tangential, rolling). */
  rolling_2d(mu: number, mu_rolling: number, e_n?: number, e_t?: number): Law;
  rolling_3d(mu: number, mu_rolling: number, e_n?: number, e_t?: number): Law;
  /** Friction with Frémond's impact law: on the mean velocity. */
  fremond_2d(mu: number, e_n?: number): Law;
  fremond_3d(mu: number, e_n?: number): Law;
  /** Friction and a cohesive zone: strength sigma_c (Pa), fracture energy G_c (J/m²), area (m²). */
  cohesive_2d(mu: number, sigma_c: number, G_c: number, area?: number, slip_weight?: number): Law;
  cohesive_3d(mu: number, sigma_c: number, G_c: number, area?: number, slip_weight?: number): Law;
  /** An impact law of one's own: restitute returns what ẏ⁺ gains before it is complementary. */
  impact(restitute: (begin: LawStep) => Row | number, mu?: number, size?: 1 | 2 | 3): Law;
  /** A graph λ(y) through points, y not decreasing and λ not increasing, with slopes −dλ/dy before and after them. */
  piecewise_linear(y: Row | number, lambda: Row | number, slope_before?: number, slope_after?: number): Law;
  /** λ = limit where y < −width, 0 where |y| < width, −limit where y > width. */
  relay_dead_zone(width: number, limit?: number): Law;
  user_law(size?: number, of?: UserLaw): Law;
  /** Judge one copy of a law from its definition. */
  verify(law: Law, y: Row | number, lambda: Row | number): Verdict;
  /** How far (y, λ) is from the graph of a piecewise_linear law, in the maximum norm. */
  distance(law: Law, y: number, lambda: number): number;

  readonly Model: new () => Model;
  readonly ContactPool: typeof ContactPool;
  readonly GROUND: number;
  readonly SystemId: typeof SystemId;
  readonly InteractionId: typeof InteractionId;
  readonly Simulation: typeof Simulation;
  readonly EventDriven: typeof EventDriven;

  readonly Problem: typeof Problem;
  readonly Solution: abstract new () => Solution;
  readonly Solver: new (solver?: string | Method, options?: SolverOptions & { warm_start?: boolean }) => Solver;
  /** A solver with options, where a solver is asked for. */
  method(name: string, options?: SolverOptions): Method;
  solvers(): Record<string, SolverInfo>;
  solve(problem: Problem, solver?: string | Method, options?: Once): Solution;
  /** y = M λ + q,  0 ≤ λ ⟂ y ≥ 0. */
  solve_lcp(M: Matrix, q: Row, solver?: string | Method, options?: Once): Solution;
  /** −(M λ + q) ∈ N_[lower, upper](λ). Equations have bounds −∞ and ∞; one number is a bound for all. */
  solve_mlcp(M: Matrix, q: Row, lower: Row | number, upper: Row | number, solver?: string | Method, options?: Once): Solution;
  solve_box(M: Matrix, q: Row, lower: Row | number, upper: Row | number, solver?: string | Method, options?: Once): Solution;
  /** λ_i ∈ −limit Sgn(y_i). */
  solve_relay(M: Matrix, q: Row, limit?: number, solver?: string | Method, options?: Once): Solution;
  /** Contacts with Coulomb friction, components contact by contact, normal first. */
  friction_problem(M: Matrix, q: Row, mu: Row | number, dim?: 2 | 3): Problem;
  rolling_problem(M: Matrix, q: Row, mu: Row | number, mu_rolling: Row | number, dim?: 3 | 5): Problem;
  solve_friction(W: Matrix, q: Row, mu: Row | number, dim?: 2 | 3, solver?: string | Method, options?: Once): Solution;
  solve_rolling(W: Matrix, q: Row, mu: Row | number, mu_rolling: Row | number, dim?: 3 | 5, solver?: string | Method, options?: Once): Solution;
  /** One contact, exactly; see docs/theory-friction.md. */
  solve_contact(W: readonly Row[] | Row, q: Row, mu: number, mu_rolling?: number): Solution;
}

/** Load the library: from perp.wasm beside perp.mjs, from bytes, a WebAssembly.Module, a Response or a promise of these. */
export function load(source?: BufferSource | WebAssembly.Module | Response | Promise<BufferSource | WebAssembly.Module | Response>): Promise<Perp>;
