// SPDX-License-Identifier: MIT
// Simulations by time-stepping: Moreau–Jean, θ, θ–γ, Schatzman–Paoli.
import { ArgumentError, CallbackError, Retry, Status, statusName } from "./errors.mjs";
import { callable, choice, entries, integer, real, several, vector } from "./arrays.mjs";
import { constants, structs } from "./c.mjs";
import { Alone, words } from "./library.mjs";
import { InteractionId, Model, SystemId, TakenModel, place } from "./model.mjs";
import { Method, MethodForm, fillOptions, madeOptions } from "./options.mjs";

const INTEGRATORS = {
  "moreau-jean": ["moreau_jean", 2], "schatzman-paoli": ["schatzman_paoli", 2], theta: ["theta", 1], "theta-gamma": ["theta_gamma", 1],
  "theta-gamma-full": ["theta_gamma_full", 1],
};
const WORDS = {
  on_failure: words("FAILURE"), newton_stop: words("NEWTON", "residual", "dynamics", "fixed"), newton_start: words("NEWTON_FROM"),
  projection: words("PROJECT"), formulation: words("FORMULATION"),
};
const SPEEDS = words("SPEED");
const ALSO = ["integrator", "integrators", "solver", "grid"];
const LEVELS = ["force", "impulse", "position"];

/** The C options of a simulation of parts, in memory that is owned. */
export function stepOptions(lib, owned, model, given = {}, what = "Simulation") {
  const { parts } = model, struct = "perp_simulation_options", at = madeOptions(lib, owned, "simulation");
  const options = Object.fromEntries(entries(what, given)), set = (name, value) => lib.set(at, struct, name, value);
  set("h", 1e-3);
  let first = options.h === undefined ? 1e-3 : real(what, "h", options.h);
  if (options.grid !== undefined) {
    if (["steps", "t0", "h"].some((name) => options[name] !== undefined))
      throw new ArgumentError(`${what}: grid says all times: h, t0 and steps go without it`, "grid");
    const row = vector(what, "grid", options.grid);
    if (row.length < 2) throw new ArgumentError(`${what}: grid needs two times or more`, "grid", -1, row.length);
    set("grid", owned.row(row));
    set("steps", row.length - 1);
    first = row[1] - row[0];
  }
  lib.call("perp_pool_defaults", model.c, first, Number(options.solver !== undefined), at); // docs/running.md
  if (typeof options.speed_tol === "string") options.speed_tol = choice(what, "speed_tol", options.speed_tol, SPEEDS);
  fillOptions(lib, owned, at, struct, what, options, { words: WORDS, sizes: { thetas: parts.systems }, also: ALSO });
  if (lib.get(at, struct, "formulation") !== constants.FORMULATION_REDUCED) set("global", lib.call("perp_global_step"));
  integrators(lib, owned, what, parts, options, set);
  let { solver } = options;
  if (solver === undefined) {
    const isMechanical = parts.laws().every((law) => law.byComponent) && parts.isSymmetric();
    const piles = parts.pool === null ? {} : { tol: 1e-8, budget: 1e5 * Math.max(parts.pool.capacity, 100) };
    solver = isMechanical ? "active-set" : new Method("auto", { allocate: 0, ...piles });
  }
  const method = new MethodForm(lib, owned, what, solver);
  set("solver", method.solver);
  set("solver_options", method.options);
  return at;
}

function integrators(lib, owned, what, parts, { integrator, integrators: each }, set) {
  if (each !== undefined) {
    each = several(what, "integrators", typeof each === "string" ? [each] : each);
    if (each.length !== parts.systems)
      throw new ArgumentError(`${what}: integrators has ${each.length} entries, ${parts.systems} are needed`, "integrators", -1, each.length);
  }
  if (integrator !== undefined) choice(what, "integrator", integrator, INTEGRATORS);
  const orders = parts.added.map((form) => form.value.order), isBoth = new Set(orders).size > 1;
  const own = { 1: "theta", 2: "moreau-jean" };
  const names = orders.map((order, i) => {
    const said = each?.[i], name = said ?? integrator ?? own[order];
    const fits = choice(what, "integrator", name, INTEGRATORS)[1] === order;
    return !fits && isBoth && (said ?? null) === null ? own[order] : name;
  });
  const pointers = (names.length > 0 ? names : ["moreau-jean"]).map((name) => lib.call(`perp_integrator_${INTEGRATORS[name][0]}`));
  set("integrator", pointers[0]);
  if (new Set(names).size > 1) set("integrators", owned.integers(pointers));
}

/** What simulations by time-stepping and by events have in common. */
export class Run extends Alone {
  status = "OK";
  held = { at: 0 }; // what C has of it

  constructor(what, prefix, model) {
    if (!(model instanceof Model)) throw new ArgumentError(`${what}: model is no Model`, "model");
    super(model.lib, what, "it runs, or asks a function of the model");
    this.what = what;
    this.prefix = prefix;
    this.views = new Map();
    try {
      this.model = new TakenModel(this.owned, what, model);
      this.info = this.owned.struct("perp_info");
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Call C with the handle, alone. */
  called(who, name, ...given) { return this.alone(who, () => this.lib.call(name, this.handle(), ...given)); }
  handle() {
    void this.owned;
    return this.held.at;
  }
  ended(status, who) {
    this.status = statusName(status);
    if (status < 0) throw this.lib.error(status, who, this.info);
    return this.status;
  }
  system(name, value) { return place(this.what, name, value, SystemId, this.model.parts.systems); }
  interaction(name, value) { return place(this.what, name, value, InteractionId, this.model.parts.interactions); }
  pointer(name, i) { return this.lib.c[`${this.prefix}_${name}`](this.handle(), i) >>> 0; }

  /** Positions (n, of a body 7); of all systems of order 2, one after another, where none is named. */
  q(system) { return this.ofSystem("q", system); }
  /** Velocities (n, of a body 6). */
  v(system) { return this.ofSystem("v", system); }
  /** State of a system of order 1. */
  x(system) { return this.ofSystem("x", system); }
  /** Gaps or outputs (m); of all interactions, one after another, where none is named. */
  y(interaction) { return this.ofInteraction("y", interaction); }
  /** Relative velocities (m), of order 2. */
  ydot(interaction) { return this.ofInteraction("ydot", interaction); }
  /** Multipliers (m). */
  lambda(interaction) { return this.ofInteraction("lambda", interaction); }

  /** Kinetic and potential energy of the Lagrangian systems now (J). */
  energy() {
    const [kinetic, potential] = this.twoNumbers("energy", `${this.prefix}_energy`);
    return { kinetic, potential, total: kinetic + potential };
  }
  /** How it ended, in words: "finished: 1000 steps, t = 10", "not solved: iteration limit in step 280 at t = 2.79, ...". */
  get ending() {
    return this.lib.said(`${this.prefix}_ending`, this.handle(), Status[this.status], this.info, 0);
  }
  /** What C writes to two places. */
  twoNumbers(who, name, ...given) {
    return this.lib.briefly((owned) => {
      const out = owned.block(16), status = this.called(who, name, ...given, out, out + 8);
      if (status < 0) throw this.lib.error(status, who);
      return this.lib.copied(out, 2);
    });
  }
}

/** A run of a model with steps of length h (s). */
export class Simulation extends Run {
  #options;
  #blocks = [0, 0, 0, 0]; // state and work, and their bytes
  #buffer = null;         // of the views

  constructor(model, options = {}) {
    super("Simulation", "perp_simulation", model);
    try {
      const { lib, owned } = this;
      this.#options = stepOptions(lib, owned, this.model, options);
      const size = (name) => lib.call(`perp_simulation_${name}_size`, this.model.c, this.#options) >>> 0;
      const [state, work] = [size("state"), size("work")];
      this.#blocks = [owned.block(state, "Simulation", "state_bytes"), state, owned.block(work, "Simulation", "work_bytes"), work];
      this.#begin("perp_simulation_init");
      owned.thing(this.held, "perp_simulation_release");
    } catch (error) {
      this.close();
      throw error;
    }
  }

  #begin(init) {
    this.lib.briefly((brief) => {
      const out = brief.block(4), status = this.lib.call(init, out, this.model.c, this.#options, ...this.#blocks, this.info);
      if (status !== 0) throw this.lib.error(status, "Simulation", this.info);
      this.held.at = this.lib.data.getUint32(out, true);
    });
    this.status = "OK";
  }

  // -- Going on

  /** Take the grid's next step: "OK", "END", or why it was not taken (the state is as it was). */
  step() { return this.ended(this.called("step", "perp_simulation_step", this.info), "step"); }
  /** Take a step of length h (s) that is not the grid's. */
  advance(h) { return this.ended(this.called("advance", "perp_simulation_advance", real("advance", "h", h), this.info), "advance"); }

  /** Step until the time is not below `until`, so many steps were taken, or the grid ends. observe(sim) sees each step, may
   * do anything with sim, and returns false to stop. Without it the loop is C's. */
  run(options = {}) {
    const { until = Infinity, steps = 0, observe, ...rest } = Object.fromEntries(entries("run", options));
    for (const name of Object.keys(rest)) throw new ArgumentError(`run: no option '${name}'; there are until, steps, observe`, name);
    if (Number.isNaN(real("run", "until", until))) throw new ArgumentError("run: until = NaN: must be a number", "until", -1, until);
    integer("run", "steps", steps, 0);
    if (steps === 0 && until === Infinity && this.lib.get(this.#options, "perp_simulation_options", "steps") === 0)
      throw new ArgumentError("run: until or steps is needed, for the grid has no end", "until", -1, until);
    if (observe !== undefined) return this.#observed(until, steps, callable("run", "observe", observe));
    return this.ended(this.called("run", "perp_simulation_run", steps, until, 0, 0, this.info), "run");
  }

  #observed(until, steps, observe) {
    for (let taken = 0; this.time < until && !(steps > 0 && taken >= steps); taken++) {
      if (this.step() !== "OK") return this.status;
      let answer;
      try {
        answer = observe(this);
      } catch (thrown) {
        if (thrown instanceof Retry) throw new CallbackError("run: observe: it cannot ask for a smaller step, the step is taken");
        throw thrown;
      }
      if (answer === false) return this.ended(Status.STOPPED, "run");
    }
    return this.ended(Status.OK, "run");
  }

  /** `for (const s of sim.steps())` sees the simulation after each step; afterwards `status` tells why it ended. */
  *steps() {
    while (this.step() === "OK") yield this;
  }
  [Symbol.iterator]() { return this.steps(); }

  // -- Looking

  /** Time (s). */
  get time() { return this.lib.c.perp_simulation_time(this.handle()); }
  /** Steps of the grid taken. */
  get step_index() { return Number(this.lib.c.perp_simulation_step_index(this.handle())); }
  /** Iterations of the last step's solves. */
  get iterations() { return this.#ofInfo("iterations"); }
  /** Of the last step's one-step problem. */
  get relative_residual() { return this.#ofInfo("relative_residual"); }
  #ofInfo(name) {
    void this.owned;
    return this.lib.fresh().get(this.info, "perp_info", name);
  }

  #view(name, key, make) {
    const buffer = this.lib.memory.buffer;
    if (this.#buffer !== buffer) {
      this.views.clear();
      this.#buffer = buffer;
    }
    void this.owned;
    let of = this.views.get(name);
    if (of === undefined) this.views.set(name, of = new Map());
    let found = of.get(key);
    if (found === undefined) {
      found = make();
      if (found.buffer === buffer) of.set(key, found); // a copy is of now only
    }
    return found;
  }

  ofSystem(name, system) {
    return this.#view(name, system, () => {
      const { parts } = this.model;
      if (system === undefined) return this.#joined(parts.added.map((_, i) => [this.pointer(name, i), parts.entries(name, i)]));
      const i = this.system(name, system), at = this.pointer(name, i);
      if (at === 0) throw new ArgumentError(`${name}: system ${i} is not of its order`, name, i);
      return this.lib.view(at, parts.entries(name, i));
    });
  }

  ofInteraction(name, interaction) {
    if (interaction === undefined) return this.#allRows(name);
    const i = this.interaction(name, interaction);
    if (this.model.isGraph(i)) {
      const whole = () => this.model.whole(i, name, this.pointer(name, i), this.pointer("lambda", i), this.pointer("ydot", i) !== 0);
      return this.alone(name, whole);
    }
    return this.#view(name, interaction, () => {
      const at = this.pointer(name, i);
      if (at === 0) throw new ArgumentError(`${name}: interaction ${i} has none, its order is 1`, name, i);
      return this.lib.view(at, this.model.size(i));
    });
  }

  #allRows(name) {
    return this.#view(name, undefined, () => this.#joined(this.model.parts.joined.map((_, i) => {
      if (this.model.isGraph(i)) throw new ArgumentError(`${name}: interaction ${i} has a graph, and is asked by itself`, name, i);
      const at = this.pointer(name, i);
      return [at, at === 0 ? 0 : this.model.size(i)];
    })));
  }

  /** Rows one after another; a view if they lie so, else a copy. */
  #joined(rows) {
    const some = rows.filter(([, n]) => n > 0), total = some.reduce((sum, [, n]) => sum + n, 0);
    let end = some[0]?.[0] ?? 0;
    if (some.every(([at, n]) => at === end && (end += 8 * n) > 0)) return this.lib.view(some[0]?.[0] ?? 0, total);
    return Float64Array.from(some.flatMap(([at, n]) => Array.from(this.lib.view(at, n))));
  }

  /** What lambda() is: "force", "impulse" (h times a force) or "position" (h² times a force). */
  level(interaction) { return LEVELS[this.called("level", "perp_simulation_level", this.interaction("level", interaction))]; }

  /** λ as a mean force over the last step (N): a copy. */
  force(interaction) {
    const i = this.interaction("force", interaction), size = this.model.size(i);
    return this.lib.briefly((owned) => {
      const out = owned.block(8 * size), status = this.called("force", "perp_simulation_force", i, out);
      if (status < 0) throw this.lib.error(status, "force");
      return this.model.isGraph(i) ? this.model.whole(i, "lambda", 0, out, true) : this.lib.copied(out, size);
    });
  }

  /** What a copy of a law carries from step to step, as doubles. */
  law_state(interaction, copy = 0) {
    const i = this.interaction("law_state", interaction);
    return this.lib.briefly((owned) => {
      const bytes = owned.block(4);
      const at = this.called("law_state", "perp_simulation_law_state", i, integer("law_state", "copy", copy), bytes) >>> 0;
      if (at === 0) throw new ArgumentError("law_state: no such copy, or a law without state", "copy", -1, copy);
      return this.lib.copied(at, this.lib.data.getUint32(bytes, true) >> 3);
    });
  }

  /** Work of the reactions of an interaction over the last step (J); of all where none is named. */
  work(interaction) {
    const i = interaction === undefined ? -1 : this.interaction("work", interaction);
    const [all, tangential] = this.twoNumbers("work", "perp_simulation_work_done", i);
    return { all, tangential };
  }

  /** Unilateral contacts of mechanics that acted in the last step. */
  contacts() {
    return this.lib.briefly((owned) => {
      const { lib } = this, struct = "perp_contact_view", { bytes } = structs[struct], count = owned.block(4);
      const list = (at, room) => {
        const status = this.called("contacts", "perp_simulation_contacts", at, bytes, room, count);
        if (status < 0) throw lib.error(status, "contacts");
        return lib.data.getInt32(count, true);
      };
      const n = list(0, 0), at = owned.block(Math.max(n, 1) * bytes);
      list(at, n);
      return Array.from({ length: n }, (_, k) => {
        const one = at + k * bytes, rows = lib.get(one, struct, "rows");
        return { ...lib.record(one, struct, rows), located: lib.get(one, struct, "located") !== 0 };
      });
    });
  }

  /** Independent one-step problems of the last step. */
  islands() { return this.lib.c.perp_simulation_islands(this.handle()); }
  /** Set position and velocity of a system, or its state x, between two steps; what is not told stays. It begins anew there,
   * see perp_simulation_set_state(); refused, all stays as it was. */
  set_state(system, given = {}) {
    const i = this.system("set_state", system), rows = Object.fromEntries(entries("set_state", given));
    const sizes = Object.fromEntries(["q", "v", "x"].map((name) => [name, this.model.parts.entries(name, i)]));
    for (const name of Object.keys(rows)) if (!(sizes[name] > 0)) throw new ArgumentError(`set_state: system ${i} has no ${name}`, name);
    this.lib.briefly((owned) => {
      const at = ["q", "v", "x"].map((name) => (rows[name] === undefined ? 0 : owned.row(vector("set_state", name, rows[name], sizes[name]))));
      const status = this.called("set_state", "perp_simulation_set_state", i, 1, ...at, this.info);
      if (status !== 0) throw this.lib.error(status, "set_state", this.info);
    });
  }
  /** Switch a system off or on from the next step on; the option switchable has to allow it. */
  set_active(system, active) {
    const status = this.called("set_active", "perp_simulation_set_active", this.system("set_active", system), Number(Boolean(active)));
    if (status < 0) throw this.lib.error(status, "set_active");
  }
  is_active(system) { return this.lib.c.perp_simulation_is_active(this.handle(), this.system("is_active", system)) !== 0; }

  /** Whether a system sleeps, see the option sleep_energy; within a pool's function: as it is known so far. */
  is_asleep(system) { return this.lib.c.perp_simulation_is_asleep(this.handle(), this.system("is_asleep", system)) !== 0; }
  /** How many systems are neither asleep nor off. */
  awake() { return this.lib.c.perp_simulation_awake(this.handle()); }
  /** Wake a system with its island, for what the library cannot see: constants that were changed. */
  wake(system) {
    const status = this.called("wake", "perp_simulation_wake", this.system("wake", system));
    if (status < 0) throw this.lib.error(status, "wake");
  }

  /** What happened since the start, or the last restore(). */
  report() {
    return this.lib.briefly((owned) => {
      const at = owned.struct("perp_report"), status = this.called("report", "perp_simulation_report", at);
      if (status < 0) throw this.lib.error(status, "report");
      return this.lib.record(at, "perp_report");
    });
  }

  // -- Checkpoints

  /** The state as bytes; a run restored from it has the bits of the uninterrupted one. */
  checkpoint() {
    return this.alone("checkpoint", () => this.lib.fresh().bytes.slice(this.#blocks[0], this.#blocks[0] + this.#blocks[1]));
  }
  /** Go on from a checkpoint of the same model and options; refused, all stays as it was. */
  restore(checkpoint) {
    if (!(checkpoint instanceof Uint8Array)) throw new ArgumentError("restore: a Uint8Array is needed", "checkpoint");
    const [state, bytes] = this.#blocks;
    if (checkpoint.length !== bytes) throw new ArgumentError("restore: a checkpoint of another model", "checkpoint", -1, checkpoint.length);
    this.#adopt("restore", () => this.lib.bytes.set(checkpoint, state));
  }
  /** A sealed copy of the state, for files: with a checksum and a fingerprint of model and options. */
  sealed_checkpoint() {
    return this.lib.briefly((owned) => {
      const bytes = this.called("sealed_checkpoint", "perp_simulation_checkpoint_size"), at = owned.block(bytes);
      const status = this.called("sealed_checkpoint", "perp_simulation_checkpoint", at, bytes, this.info);
      if (status < 0) throw this.lib.error(status, "sealed_checkpoint", this.info);
      return this.lib.bytes.slice(at, at + bytes);
    });
  }
  /** Go on from a sealed checkpoint; other_grid: h, t0 or grid may be others. */
  restore_sealed(sealed, other_grid = false) {
    if (!(sealed instanceof Uint8Array)) throw new ArgumentError("restore_sealed: a Uint8Array is needed", "checkpoint");
    this.#adopt("restore_sealed", () => this.lib.briefly((owned) => {
      const at = owned.block(sealed.length), [state, bytes] = this.#blocks, accept = other_grid ? constants.OTHER_GRID : 0;
      this.lib.bytes.set(sealed, at);
      this.lib.check("restore_sealed", this.info, "perp_simulation_unseal", this.model.c, this.#options, at, sealed.length, accept,
        state, bytes, this.info);
    }));
  }

  /** Go on from what fill() writes into the state. */
  #adopt(who, fill) {
    this.alone(who, () => {
      const { lib } = this, [state, bytes] = this.#blocks, before = lib.fresh().bytes.slice(state, state + bytes);
      lib.call("perp_simulation_release", this.held.at);
      try {
        fill();
        this.#begin("perp_simulation_resume");
      } catch (error) {
        lib.fresh().bytes.set(before, state);
        this.#begin("perp_simulation_resume");
        throw error;
      } finally {
        this.views.clear();
      }
    });
  }
}
