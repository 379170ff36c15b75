// SPDX-License-Identifier: MIT
// A model, built piece by piece: systems, and interactions that join them. Descriptions are copied
// when they are added; a model may change or end while runs made from it go on.
import { ArgumentError, ClosedError } from "./errors.mjs";
import { callable, integer, several, shown, vector } from "./arrays.mjs";
import { constants } from "./c.mjs";
import { Law, graphStruct, lawForm } from "./laws.mjs";
import { Relation } from "./relations.mjs";
import { System } from "./systems.mjs";

/** The other side of a contact with what does not move. */
export const GROUND = constants.GROUND;

/** The place of a system or of an interaction; a number alone is one, too. */
class Place {
  constructor(number) {
    this.number = number;
    Object.freeze(this);
  }
  valueOf() { return this.number; }
  toString() { return String(this.number); }
}
export class SystemId extends Place {}
export class InteractionId extends Place {}

/** The index of a system or interaction, refused where it is one of the other kind. */
export function place(what, name, value, Kind, count) {
  if (value instanceof Place) {
    if (!(value instanceof Kind)) throw new ArgumentError(`${what}: ${name} is a ${value.constructor.name}`, name);
    value = value.number;
  }
  return integer(what, name, value, 0, count - 1);
}

/** Room for contacts that come and go between Lagrangian systems and bodies; see docs/running.md. */
export class ContactPool {
  constructor({ capacity, laws, find, max_per_system = 0, plane = false } = {}) {
    this.capacity = integer("ContactPool", "capacity", capacity, 1);
    this.laws = Object.freeze(laws instanceof Law ? [laws] : several("ContactPool", "laws", laws));
    if (this.laws.length === 0 || this.laws.some((law) => !(law instanceof Law) || law.isGraph))
      throw new ArgumentError("ContactPool: laws of size 1, 2, 3 or 5 are needed", "laws");
    this.find = callable("ContactPool", "find", find);
    this.max_per_system = integer("ContactPool", "max_per_system", max_per_system, 0);
    this.plane = Boolean(plane);
    Object.freeze(this);
  }
}

const PLACE = { gap: 1, normal: 3, a: 3, b: 3, tangent: 3, velocity: 3 };

/** Where and how two bodies, or a body and the ground, touch or would touch: written into a perp_contact_place. judged: C
 * looks at the normal, and names the contact. */
export function writePlace(lib, at, given, what, judged = false) {
  if (typeof given !== "object" || given === null) throw new ArgumentError(`${what}: a place of a contact is needed`, "at");
  for (const name of Object.keys(given))
    if (!Object.hasOwn(PLACE, name)) throw new ArgumentError(`${what}: a place has no '${name}'`, name);
  for (const [name, n] of Object.entries(PLACE)) {
    if (given[name] === undefined && ["gap", "normal", "a"].includes(name)) throw new ArgumentError(`${what}: ${name} is needed`, name);
    const row = given[name] === undefined ? new Float64Array(n) : vector(what, name, given[name], n);
    lib.set(at, "perp_contact_place", name, n === 1 ? row[0] : row);
  }
  const length = Math.hypot(...given.normal);
  if (!judged && !(Math.abs(length - 1) <= 1e-6)) throw new ArgumentError(`${what}: normal has length ${length}, 1 is needed`, "normal", -1, length);
}

/** What find looks at and writes to, while it is called. */
export class ContactSearch {
  #lib;
  #sim;
  #out;
  #parts;
  constructor(lib, t, sim, out, parts) {
    this.t = t;
    this.systems = parts.systems;
    this.#lib = lib;
    this.#sim = sim;
    this.#out = out;
    this.#parts = parts;
  }
  end() { this.#sim = 0; }
  #open(what) {
    if (this.#sim === 0) throw new ArgumentError(`${what}: a ContactSearch was used after find has returned`, what);
  }
  #read(name, system) {
    this.#open(name);
    const i = place("find", "system", system, SystemId, this.systems), at = this.#lib.c[`perp_simulation_${name}`](this.#sim, i) >>> 0;
    if (at === 0) throw new ArgumentError(`find: system ${i} is not of order 2`, name, i);
    return this.#lib.copied(at, this.#parts.entries(name, i));
  }
  /** Positions at the begin of the step; a copy. */
  q(system) { return this.#read("q", system); }
  /** Velocities at the begin of the step; a copy. */
  v(system) { return this.#read("v", system); }
  /** Whether a system sleeps, so far in this step; contacts of two that do need not be added. */
  is_asleep(system) {
    this.#open("is_asleep");
    return this.#lib.c.perp_simulation_is_asleep(this.#sim, place("find", "system", system, SystemId, this.systems)) !== 0;
  }
  /** How many systems are neither asleep nor off. */
  awake() {
    this.#open("awake");
    return this.#lib.c.perp_simulation_awake(this.#sim);
  }
  /** A contact of a with b, or GROUND; the normal points to a. Whether it is kept so far. */
  add(a, b, at, law = 0, identity = 0) {
    this.#open("add");
    const lib = this.#lib, of = (name, s) => (s === GROUND ? GROUND : place("add", name, s, SystemId, this.systems));
    return lib.briefly((owned) => {
      const c = owned.struct("perp_pool_contact"), kept = owned.block(4);
      lib.set(c, "perp_pool_contact", "systems", [of("a", a), of("b", b)]);
      lib.set(c, "perp_pool_contact", "law", integer("add", "law", law, 0, this.#parts.poolLaws - 1));
      if (!Number.isSafeInteger(identity) || identity < 0)
        throw new ArgumentError(`add: identity is ${shown(identity)}, a whole number from 0 on is needed`, "identity");
      lib.set(c, "perp_pool_contact", "identity", [identity % 2 ** 32, Math.floor(identity / 2 ** 32)]);
      writePlace(lib, lib.within(c, "perp_pool_contact", "place"), at, "add", true);
      lib.c.perp_pool_add(this.#out, c, kept); // what is refused ends the step
      return lib.i32[kept / 4] !== 0;
    });
  }
}

/** Parts of a model: forms in C, where they begin, what joins them. A copy shares the forms. */
class Parts {
  constructor(of) {
    this.forms = new Map(of?.forms);       // by description, and for a relation by what it joins
    this.added = of?.added.slice() ?? [];  // forms
    this.joined = of?.joined.slice() ?? []; // {form, law, m, systems}
    this.pool = of?.pool ?? null;
    for (const form of this.forms.values()) form.hold();
  }
  get systems() { return this.added.length; }
  get interactions() { return this.joined.length; }
  get poolLaws() { return this.pool.laws.length; }
  release() {
    for (const form of this.forms.values()) form.release();
    this.forms.clear();
  }
  /** The form of a description, made once. */
  form(value, make, at = "") {
    const key = at === "" ? value : `${this.#number(value)}:${at}`;
    let found = this.forms.get(key);
    if (found === undefined) this.forms.set(key, found = make());
    return found;
  }
  #number(value) {
    if (!numbers.has(value)) numbers.set(value, ++last);
    return numbers.get(value);
  }
  entries(name, i) { return this.added[i].sizes[name === "rate" ? "n" : name] ?? 0; }
  laws() { return [...this.joined.map(({ law }) => law), ...(this.pool?.laws ?? [])]; }
  /** Whether one-step matrices are symmetric: mechanics without forces of velocity and control. */
  isSymmetric() {
    const fits = (form) => form.value.order === 2 && form.symmetric;
    return this.joined.every(({ form }) => fits(form)) && this.added.every((form) => form.value.order !== 2 || form.symmetric);
  }
}
const numbers = new WeakMap(); // of descriptions
let last = 0;

/** A builder of C, a copy of another one or empty. */
function builder(lib, owned, info, of = 0) {
  return lib.briefly((brief) => {
    const out = brief.block(4);
    lib.check("Model", info, of === 0 ? "perp_builder_create" : "perp_builder_copy", out, ...(of === 0 ? [] : [of]), info);
    const at = lib.data.getUint32(out, true);
    owned.then(() => lib.finish("perp_builder_destroy", at));
    return at;
  });
}

export class Model {
  #owned;
  #info;
  #builder;
  #parts;

  constructor(lib) {
    this.lib = lib;
    this.#owned = lib.owned(this);
    this.#info = this.#owned.struct("perp_info");
    const parts = new Parts();
    this.#parts = parts;
    this.#owned.then(() => parts.release());
    this.#builder = builder(lib, this.#owned, this.#info);
  }

  #open(what) {
    if (this.#owned.closed) throw new ClosedError(`${what}: the model was closed`);
  }
  get systems() { return this.#parts.systems; }
  get interactions() { return this.#parts.interactions; }
  /** Different descriptions of systems, relations and laws. */
  get descriptions() {
    this.#open("descriptions");
    return this.lib.call("perp_builder_descriptions", this.#builder);
  }
  /** Give back what it has; runs made from it go on. */
  close() { if (!this.#owned.closed) this.lib.forget(this.#owned); }

  /** Add a system of order 2 at position q0 and velocity v0, or one of order 1 in state x0; zeros, a body without rotation. */
  add(system, start = {}) {
    this.#open("add");
    if (!(system instanceof System)) throw new ArgumentError("add: it is no system", "system");
    const allowed = system.order === 1 ? ["x0"] : ["q0", "v0"];
    if (typeof start !== "object" || start === null || Array.isArray(start) || ArrayBuffer.isView(start))
      throw new ArgumentError(`add: the start is an object of ${allowed.join(", ")}`, allowed[0]);
    for (const name of Object.keys(start))
      if (!allowed.includes(name)) throw new ArgumentError(`add: a system of order ${system.order} has ${allowed.join(" and ")}, not ${name}`, name);
    const form = this.#parts.form(system, () => system.form(this.lib));
    const rows = allowed.filter((name) => start[name] !== undefined)
      .map((name) => [name[0], vector("add", name, start[name], form.sizes[name[0]], { finite: true })]);
    this.#do(`add: ${form.what}`, "perp_builder_add", form.at, 0, 0);
    const i = this.systems;
    this.#parts.added.push(form);
    for (const [name, row] of rows)
      this.lib.briefly((owned) => this.#do("add", `perp_builder_set_${name}`, i, row.length, owned.row(row)));
    return new SystemId(i);
  }

  #do(what, name, ...given) { this.lib.check(what, this.#info, name, this.#builder, ...given, this.#info); }

  /** Join systems by a relation and as many copies of a law as fill its rows. */
  connect(relation, law, ...systems) {
    this.#open("connect");
    if (!(relation instanceof Relation)) throw new ArgumentError("connect: it is no relation", "relation");
    if (!(law instanceof Law)) throw new ArgumentError("connect: it is no law", "law");
    const given = systems.length === 1 && Array.isArray(systems[0]) ? systems[0] : systems;
    const joined = given.map((s) => place("connect", "systems", s, SystemId, this.systems)), parts = this.#parts;
    const kinds = joined.map((s) => parts.added[s]);
    kinds.forEach((kind, i) => {
      if (kind.value.order !== relation.order)
        throw new ArgumentError(`connect: ${relation.constructor.name} is for systems of order ${relation.order}`, "systems", i, joined[i]);
    });
    if (joined.length === 0 || new Set(joined).size !== joined.length)
      throw new ArgumentError("connect: one or more different systems are needed", "systems");
    const sum = (name) => kinds.reduce((n, kind) => n + (kind.sizes[name] ?? 0), 0);
    const at = { n: sum("n"), n_q: sum("q"), systems: kinds.length, law_size: law.size };
    const form = parts.form(relation, () => relation.form(this.lib, at), `${at.n},${at.n_q},${at.systems},${at.law_size}`);
    const m = this.lib.get(form.at, "perp_relation", "m");
    if (m % law.size !== 0) throw new ArgumentError(`connect: ${m} rows are no multiple of the law's ${law.size}`, "m", -1, m);
    this.lib.briefly((owned) => {
      const c = owned.struct("perp_interaction", { relation: form.at, n_systems: joined.length, systems: owned.integers(joined) });
      if (law.isGraph) {
        this.#do(`connect: ${form.what}`, "perp_builder_connect_graph", c, graphStruct(owned, law), 0, 0);
      } else {
        this.lib.set(c, "perp_interaction", "law", parts.form(law, () => lawForm(this.lib, law)).at);
        this.#do(`connect: ${form.what}`, "perp_builder_connect", c, 0, 0, 0);
      }
    });
    parts.joined.push({ form, law, m, systems: joined });
    return new InteractionId(this.interactions - 1);
  }

  /** Room for contacts that come and go; one in a model, in place of the one before. */
  pool(pool) {
    this.#open("pool");
    this.#parts.pool = pool instanceof ContactPool ? pool : new ContactPool(pool);
  }

  /** What the model is made of, as text. */
  describe() {
    this.#open("describe");
    return this.lib.briefly((owned) => {
      const taken = new TakenModel(owned, "describe", this);
      const room = this.lib.call("perp_model_describe", taken.c, 0, 0, 0) + 1, text = owned.block(room);
      this.lib.call("perp_model_describe", taken.c, 0, text, room);
      return this.lib.text(text);
    });
  }

  /** What a run takes of it. */
  taken(owned, what) {
    this.#open(what);
    const parts = new Parts(this.#parts);
    owned.then(() => parts.release());
    return [parts, builder(this.lib, owned, this.#info, this.#builder)];
  }
}

/** The model of C for the call `what`, which no longer changes; it ends with what owns it. */
export class TakenModel {
  constructor(owned, what, model) {
    if (!(model instanceof Model)) throw new ArgumentError(`${what}: model is no Model`, "model");
    this.lib = model.lib;
    [this.parts, this.builder] = model.taken(owned, what);
    this.rows = [0];
    this.parts.joined.forEach(({ m, law }, i) => {
      const rows = law.isGraph ? this.lib.get(this.pieces(i), "perp_relation", "m") : m;
      this.rows.push(this.rows[i] + rows);
    });
    if (this.parts.pool !== null) this.#pool(owned, what, this.parts.pool);
    this.c = this.lib.call("perp_builder_model", this.builder) >>> 0;
  }
  /** Rows that C has of an interaction. */
  size(i) { return this.rows[i + 1] - this.rows[i]; }
  isGraph(i) { return this.parts.joined[i].law.isGraph; }
  pieces(i) { return this.lib.call("perp_builder_pieces", this.builder, i) >>> 0; }

  #pool(owned, what, pool) {
    const { lib, parts } = this, heads = pool.laws.map((law) => parts.form(law, () => lawForm(lib, law)).at);
    lib.briefly((brief) => {
      const info = brief.struct("perp_info");
      const c = brief.struct("perp_contact_pool", {
        capacity: pool.capacity, max_per_system: pool.max_per_system, plane: Number(pool.plane), n_laws: heads.length,
        laws: brief.integers(heads),
        find: owned.callback("perp_find_fn", (t, sim, out) => {
          const search = new ContactSearch(lib, t, sim, out, parts);
          try {
            pool.find(search);
          } finally {
            search.end();
          }
          return 0;
        }),
      });
      lib.check(what, info, "perp_builder_pool", this.builder, c, 0, 0, info);
    });
  }

  /** y, ydot or lambda of an interaction with a graph, put together from its pieces; a copy. */
  whole(i, name, data, lambda, isMechanical) {
    const { lib } = this, pieces = this.pieces(i), { m } = this.parts.joined[i], rows = this.size(i);
    if (name === "y" && isMechanical) return lib.copied(data, rows).filter((_, k) => k % (rows / m) === 0);
    return lib.briefly((owned) => {
      const out = owned.block(8 * m);
      const given = name === "lambda" ? [0, lambda, 0, out] : [data, lambda, out, 0];
      lib.check("piecewise_linear", 0, "perp_piecewise_relation_values", pieces, ...given);
      return lib.copied(out, m);
    });
  }
}
