// SPDX-License-Identifier: MIT
// Event-driven simulation of the models that Simulation steps; see docs/theory-event-driven.md.
//
// Between events the motion is smooth, λ is a force (N). Arrays that it hands out are copies.
import { ArgumentError } from "./errors.mjs";
import { callable, entries, integer, real, several, vector } from "./arrays.mjs";
import { constants, structs } from "./c.mjs";
import { words } from "./library.mjs";
import { SystemId, place } from "./model.mjs";
import { MethodForm, fillOptions, madeOptions } from "./options.mjs";
import { Run, stepOptions } from "./simulation.mjs";

const STRUCT = "perp_event_options";
const WORDS = { linear: words("LINEAR"), impact: words("IMPACT"), zeno: words("ZENO") };
const ALSO = ["lzb", "stepping", "solver", "guards", "schedules"];
const byNumber = (table) => new Map(Object.entries(table).map(([name, value]) => [value, name]));
const MODES = byNumber(words("CONTACT"));
const KINDS = byNumber(words("EVENT"));

/** Where each system is in the arrays of all. */
class Layout {
  constructor(parts) {
    this.systems = parts.systems;
    this.sizes = { q: 0, v: 0, x: 0 };
    this.at = { q: new Map(), v: new Map(), x: new Map() };
    for (let i = 0; i < parts.systems; i++)
      for (const name of ["q", "v", "x"]) {
        const n = parts.entries(name, i);
        if (n > 0) this.at[name].set(i, [this.sizes[name], this.sizes[name] += n]);
      }
  }
}

/** The state that guards read and resets may change: its arrays are those of the call, and what is written to them counts. */
class EventState {
  #layout;
  constructor(lib, layout, at) {
    this.#layout = layout;
    this.t = lib.get(at, "perp_event_state", "t");
    this.rows = {};
    for (const name of ["q", "v", "x"]) this.rows[name] = lib.copied(lib.get(at, "perp_event_state", name), layout.sizes[name]);
  }
  #part(name, system) {
    const i = place("state", name, system, SystemId, this.#layout.systems), range = this.#layout.at[name].get(i);
    if (range === undefined) throw new ArgumentError(`${name}: system ${i} is not of its order`, name, i);
    return this.rows[name].subarray(...range);
  }
  q(system) { return this.#part("q", system); }
  v(system) { return this.#part("v", system); }
  x(system) { return this.#part("x", system); }
}

const stops = (answer) => Number(answer === false);

/** An event-driven run of a model. */
export class EventDriven extends Run {
  #layout;
  #isObserved = false; // an observer runs, which may look

  constructor(model, options = {}) {
    super("EventDriven", "perp_event_driven", model);
    try {
      this.#layout = new Layout(this.model.parts);
      const { lib, owned } = this, at = this.#fill(Object.fromEntries(entries("EventDriven", options)));
      lib.briefly((brief) => {
        const out = brief.block(4), status = lib.call("perp_event_driven_create", out, this.model.c, at, this.info);
        if (status !== 0) throw lib.error(status, "EventDriven", this.info);
        this.held.at = lib.data.getUint32(out, true);
      });
      owned.thing(this.held, "perp_event_driven_destroy");
    } catch (error) {
      this.close();
      throw error;
    }
  }

  #fill(given) {
    const { lib, owned } = this, what = "EventDriven", at = madeOptions(lib, owned, "event");
    const set = (name, value) => lib.set(at, STRUCT, name, value);
    const sizes = { atols: this.#layout.sizes.q + this.#layout.sizes.v + this.#layout.sizes.x };
    fillOptions(lib, owned, at, STRUCT, what, given, { words: WORDS, sizes, also: ALSO });
    if (given.solver !== undefined) {
      const method = new MethodForm(lib, owned, what, given.solver);
      set("solver", method.solver);
      set("solver_options", method.options);
    }
    const own = (name, isUsed, word) => {
      if (given[name] !== undefined && !isUsed) throw new ArgumentError(`${what}: ${name} goes with ${word}`, name);
      return given[name] ?? {};
    };
    const isLzb = lib.get(at, STRUCT, "impact") === constants.IMPACT_LZB, isStep = lib.get(at, STRUCT, "zeno") === constants.ZENO_STEP;
    const lzb = own("lzb", isLzb, 'impact "lzb"'), stepping = own("stepping", isStep, 'zeno "step"');
    if (isLzb) {
      const struct = "perp_multiple_impact_options", options = madeOptions(lib, owned, "multiple_impact");
      const told = { words: { compliance: words("STIFFNESS") }, sizes: { stiffness: this.model.rows.at(-1) } };
      fillOptions(lib, owned, options, struct, `${what}: lzb`, lzb, told);
      set("lzb", options);
    }
    if (isStep) set("stepping", stepOptions(lib, owned, this.model, stepping));
    this.#each("guards", "perp_guard", given.guards, at, (one, g, name) => {
      const { value, direction = 0, reset } = g;
      lib.set(one, "perp_guard", "direction", integer(what, `${name}.direction`, direction));
      lib.set(one, "perp_guard", "value", this.#value(callable(what, `${name}.value`, value), name));
      lib.set(one, "perp_guard", "reset", this.#reset(reset, name));
    });
    this.#each("schedules", "perp_schedule", given.schedules, at, (one, s, name) => {
      const { times, first = 0, period = 0, reset } = s;
      if (times !== undefined) {
        const row = vector(what, `${name}.times`, times);
        lib.set(one, "perp_schedule", "times", owned.row(row));
        lib.set(one, "perp_schedule", "n_times", row.length);
      }
      lib.set(one, "perp_schedule", "first", real(what, `${name}.first`, first));
      lib.set(one, "perp_schedule", "period", real(what, `${name}.period`, period));
      lib.set(one, "perp_schedule", "reset", this.#reset(reset, name));
    });
    return at;
  }

  #each(name, struct, given, at, fill) {
    if (given === undefined) return;
    const { lib, owned } = this, { bytes } = structs[struct], list = several("EventDriven", name, given);
    const block = owned.block(bytes * Math.max(list.length, 1));
    list.forEach((one, k) => {
      if (typeof one !== "object" || one === null) throw new ArgumentError(`EventDriven: ${name}[${k}] is no object`, name, k);
      fill(block + k * bytes, one, `${name}[${k}]`);
    });
    lib.set(at, STRUCT, name, block);
    lib.set(at, STRUCT, `n_${name}`, list.length);
  }

  #value(body, name) {
    const { lib } = this, layout = this.#layout, who = `EventDriven: ${name}.value`;
    return this.owned.callback("perp_guard_fn", (at, g) => {
      const value = real(who, "result", body(new EventState(lib, layout, at)));
      lib.fresh().f64[g / 8] = value;
      return 0;
    }, -1, who);
  }

  #reset(body, name) {
    if (body === undefined || body === null) return 0;
    const { lib } = this, layout = this.#layout;
    callable("EventDriven", `${name}.reset`, body);
    return this.owned.callback("perp_reset_fn", (at) => {
      const state = new EventState(lib, layout, at), answer = body(state);
      for (const [part, row] of Object.entries(state.rows))
        if (row.length > 0) lib.fresh().f64.set(row, lib.get(at, "perp_event_state", part) / 8);
      return stops(answer);
    }, -1, `EventDriven: ${name}.reset`);
  }

  // -- Going on

  /** Go on until a time (s): "OK" there, or why it ended before. on_output(sim) at first + k every, or at times;
   * on_event(event) after each event. Either returns false to stop. */
  run(options) {
    const { until, every = 0, first = 0, times, on_output, on_event, ...rest } = Object.fromEntries(entries("run", options));
    for (const name of Object.keys(rest))
      throw new ArgumentError(`run: no option '${name}'; there are until, every, first, times, on_output, on_event`, name);
    real("run", "until", until);
    if (on_output === undefined && (times !== undefined || every !== 0))
      throw new ArgumentError("run: every and times are for on_output, and there is none", "on_output");
    const { lib } = this;
    return this.ended(lib.briefly((owned) => {
      const struct = "perp_event_observer";
      const at = owned.struct(struct, { first: real("run", "first", first), every: real("run", "every", every) });
      if (times !== undefined) {
        const row = vector("run", "times", times, -1, { finite: true });
        lib.set(at, struct, "times", owned.row(row));
        lib.set(at, struct, "n_times", row.length);
      }
      if (on_output !== undefined) {
        if (times === undefined && !(every > 0)) throw new ArgumentError("run: on_output needs every > 0 or times", "every", -1, every);
        callable("run", "on_output", on_output);
        lib.set(at, struct, "output", owned.callback("iii", () => this.#seen(on_output, () => this), -1, "run: on_output"));
      }
      if (on_event !== undefined) {
        callable("run", "on_event", on_event);
        lib.set(at, struct, "event", owned.callback("iiii", (_, e) => this.#seen(on_event, () => this.#eventOf(e)), -1, "run: on_event"));
      }
      this.status = "ECALLBACK"; // what a callback throws comes out of this call
      return this.called("run", "perp_event_driven_run", until, at, this.info);
    }), "run");
  }

  #seen(body, given) {
    this.#isObserved = true;
    try {
      return stops(body(given()));
    } finally {
      this.#isObserved = false;
    }
  }

  /** Go on to the next event, which has happened then: "OK"; "END" at `until` without one. */
  next(until) { return this.ended(this.called("next", "perp_event_driven_next", real("next", "until", until), this.info), "next"); }
  /** Each event once it has happened; afterwards `status` tells why it ended. */
  *events(until) {
    while (this.next(until) === "OK") yield this.event();
  }
  /** What happened last; that of the start at first. */
  event() { return this.#look("event", () => this.#eventOf(this.pointer("event"))); }

  /** Set the state (all positions, velocities, states; those that are not told: as they are) and start anew from it. */
  restart(t, given = {}) {
    const rows = Object.fromEntries(entries("restart", given)), { sizes } = this.#layout;
    for (const name of Object.keys(rows)) if (!(name in sizes)) throw new ArgumentError(`restart: there is no '${name}'`, name);
    real("restart", "t", t);
    this.lib.briefly((owned) => {
      const at = ["q", "v", "x"].map((name) => (rows[name] === undefined ? 0 : owned.row(vector("restart", name, rows[name], sizes[name]))));
      const status = this.called("restart", "perp_event_driven_restart", t, ...at, this.info);
      if (status > 0) throw this.lib.error(status, "restart");
      this.ended(status, "restart");
    });
  }

  ended(status, who) {
    const more = status < 0 ? this.message : "";
    return super.ended(status, more === "" ? who : `${who}: ${more}`);
  }
  /** What went wrong last, in words; empty if nothing did. */
  get message() { return this.#look("message", () => this.lib.text(this.pointer("message"))); }

  // -- Looking

  /** For between calls and for observers, not for functions of the model. */
  #look(who, body) { return this.#isObserved ? body() : this.alone(who, body); }

  /** Time (s); within on_output that of the output. */
  get time() { return this.#look("time", () => this.lib.c.perp_event_driven_time(this.handle())); }

  #read(name, i, size, what) {
    const at = this.pointer(name, i);
    if (at === 0) throw new ArgumentError(`${name}: ${what} ${i} has none`, name, i);
    return this.lib.copied(at, size);
  }
  ofSystem(name, system) {
    const i = this.system(name, system);
    return this.#look(name, () => this.#read(name, i, this.model.parts.entries(name, i), "system"));
  }
  /** Accelerations v̇, or ẋ. */
  rate(system) { return this.ofSystem("rate", system); }
  ofInteraction(name, interaction) {
    const i = this.interaction(name, interaction);
    return this.#look(name, () => (this.model.isGraph(i)
      ? this.model.whole(i, name, this.pointer(name, i), this.pointer("lambda", i), this.pointer("ydot", i) !== 0)
      : this.#read(name, i, this.model.size(i), "interaction")));
  }
  /** λ, which is a force. */
  force(interaction) { return this.lambda(interaction); }

  /** What a copy of a law does: "open", "touch", "closed", "stick", "slip", "lower", "between", "upper". */
  mode(interaction, copy = 0) {
    const i = this.interaction("mode", interaction);
    const found = this.#look("mode", () => this.lib.c.perp_event_driven_mode(this.handle(), i, integer("mode", "copy", copy)));
    if (found < 0) throw new ArgumentError("mode: no such copy", "copy", -1, copy);
    return MODES.get(found);
  }
  /** Parts of the model that nothing joins, each with an integrator of its own. */
  components() { return this.#look("components", () => this.lib.c.perp_event_driven_components(this.handle())); }
  called(who, name, ...given) { return this.#look(who, () => this.lib.call(name, this.handle(), ...given)); }

  /** What it cost since the start. */
  report() {
    return this.lib.briefly((owned) => {
      const at = owned.struct("perp_event_report"), status = this.called("report", "perp_event_driven_report", at);
      if (status < 0) throw this.lib.error(status, "report");
      return this.lib.record(at, "perp_event_report");
    });
  }

  #eventOf(at) {
    const { lib } = this, of = (name) => lib.get(at, "perp_event", name), { bytes } = structs.perp_event_change;
    const changes = Array.from({ length: of("n_changes") }, (_, k) => {
      const c = lib.record(of("changes") + k * bytes, "perp_event_change");
      return { ...c, kind: KINDS.get(c.kind) ?? "", before: MODES.get(c.before) ?? "", after: MODES.get(c.after) ?? "" };
    });
    const rows = { ...this.#layout.sizes, impulse: this.model.rows.at(-1) };
    const kinds = [...KINDS].filter(([bit]) => (of("kinds") & bit) !== 0).map(([, name]) => name);
    return {
      t: of("t"), number: of("number"), kinds, changes, error: of("error"), until: of("until"),
      ...Object.fromEntries(Object.entries(rows).map(([name, n]) => [name, lib.copied(of(name), n)])),
    };
  }
}
