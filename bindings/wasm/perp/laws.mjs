// SPDX-License-Identifier: MIT
// Nonsmooth laws (y, λ) ∈ law, as values; docs/theory-laws.md has their equations.
//
// One copy of a law has `size` components; a relation of m rows takes m / size copies.
import { ArgumentError, NotFiniteError } from "./errors.mjs";
import { callable, choice, entries, integer, matrix, real, shape, vector } from "./arrays.mjs";
import { structs } from "./c.mjs";
import { Form, writeMatrix } from "./describe.mjs";
import { words } from "./library.mjs";

/** The slope of a graph that goes on upright. */
export const VERTICAL = Infinity;

/** A law; made by the functions below, `name` being which. `kind` is its C name without perp_. */
export class Law {
  constructor(name, kind, size, byComponent, numbers = {}, data = {}) {
    this.name = name;
    this.kind = kind;
    this.size = size;
    this.byComponent = byComponent;
    for (const [key, value] of Object.entries(numbers)) real(name, key, value);
    this.data = Object.freeze({ ...data, ...numbers });
    Object.freeze(this);
  }
  get isGraph() { return this.kind === "piecewise_linear"; }
}

/** y = 0, λ free. */
export const equality = () => new Law("equality", "equality", 1, true);
/** 0 ≤ y ⟂ λ ≥ 0. */
export const complementarity = () => new Law("complementarity", "complementarity", 1, true);
/** Unilateral contact; 0 ≤ ẏ⁺ + e ẏ⁻ ⟂ λ ≥ 0 while it is closed. */
export const newton_impact = (e) => new Law("newton_impact", "newton_impact", 1, true, { e });

function boxLaw(what, lower, upper, size = -1) {
  const low = vector(what, "lower", lower, size);
  return new Law(what, "box", low.length, true, {}, { lower: low, upper: vector(what, "upper", upper, low.length) });
}
/** λ = lower where y > 0, λ = upper where y < 0, between them y = 0; bounds may be infinite. */
export const box = (lower, upper) => boxLaw("box", lower, upper);
/** A box for as many unknowns, refused in the name of what. */
export const boxFor = (what, lower, upper, size) => boxLaw(what, lower, upper, size);

export function relayLimit(what, limit) {
  if (real(what, "limit", limit) >= 0) return limit;
  const Kind = Number.isNaN(limit) ? NotFiniteError : ArgumentError;
  throw new Kind(`${what}: limit = ${limit}: must be >= 0`, "limit", -1, limit);
}
/** λ = −limit where y > 0, limit where y < 0, between where y = 0. */
export function relay(limit = 1) {
  relayLimit("relay", limit);
  return boxLaw("relay", -limit, limit);
}

/** y = 0 and λ free in the first components, 0 ≤ y ⟂ λ ≥ 0 in the others, in one copy. */
export function mixed(equalities, complementarities) {
  const first = integer("mixed", "equalities", equalities, 0);
  const others = integer("mixed", "complementarities", complementarities, first === 0 ? 1 : 0);
  return new Law("mixed", "mixed", first + others, true, {}, { equalities: first });
}

/** −y ∈ N_P(λ), P = {λ : Hλ >= K}; H rows x size, K one entry per row. */
export function polyhedron(H, K) {
  const [rows, cols] = shape(H);
  if (cols < 1) throw new ArgumentError("polyhedron: H is no matrix by rows", "H");
  const copy = matrix("polyhedron", "H", H, rows, cols);
  const byRows = Array.from({ length: rows }, (_, i) => Array.from({ length: cols }, (__, j) => copy[i + rows * j]));
  return new Law("polyhedron", "polyhedron", cols, false, {}, { H: byRows, K: vector("polyhedron", "K", K, rows) });
}

/** Contact of a spring k (N/m) and a damper c (N s/m) side by side; theta that of the scheme. */
export const compliant = (k, c = 0, theta = 0.5) => new Law("compliant", "compliant", 1, true, { k, c, theta });

/** Friction, rolling and their kin. */
export const contactLaw = (what, kind, size, numbers) => new Law(what, kind, size, false, numbers);
/** Coulomb friction in the plane, y = (normal, tangential); e_n, e_t: restitution. */
export const friction_2d = (mu, e_n = 0, e_t = 0) => contactLaw("friction_2d", "friction", 2, { mu, e_n, e_t });
/** Coulomb friction in space, y = (normal, two tangential). */
export const friction_3d = (mu, e_n = 0, e_t = 0) => contactLaw("friction_3d", "friction", 3, { mu, e_n, e_t });
/** Friction and resistance to rolling (m) in the plane, y = (normal, tangential, rolling). */
export const rolling_2d = (mu, mu_rolling, e_n = 0, e_t = 0) => contactLaw("rolling_2d", "rolling", 3, { mu, mu_rolling, e_n, e_t });
/** Friction and resistance to rolling (m) in space, y = (normal, two tangential, two rolling). */
export const rolling_3d = (mu, mu_rolling, e_n = 0, e_t = 0) => contactLaw("rolling_3d", "rolling", 5, { mu, mu_rolling, e_n, e_t });
/** Friction in the plane with Frémond's impact law: on the mean velocity. */
export const fremond_2d = (mu, e_n = 0) => contactLaw("fremond_2d", "fremond", 2, { mu, e_n });
/** Friction in space with Frémond's impact law: on the mean velocity. */
export const fremond_3d = (mu, e_n = 0) => contactLaw("fremond_3d", "fremond", 3, { mu, e_n });
/** Friction and a cohesive zone: strength sigma_c (Pa), fracture energy G_c (J/m²), area (m²). */
export const cohesive_2d = (mu, sigma_c, G_c, area = 1, slip_weight = 1) =>
  contactLaw("cohesive_2d", "cohesive", 2, { mu, sigma_c, G_c, area, slip_weight });
/** Friction in space and a cohesive zone: arguments as in the plane. */
export const cohesive_3d = (mu, sigma_c, G_c, area = 1, slip_weight = 1) =>
  contactLaw("cohesive_3d", "cohesive", 3, { mu, sigma_c, G_c, area, slip_weight });

/** Unilateral contact with an impact law of one's own: restitute(begin) returns what ẏ⁺ gains before it is complementary. */
export function impact(restitute, mu = 0, size = 1) {
  callable("impact", "restitute", restitute);
  integer("impact", "size", size, 1, 3);
  return new Law("impact", "user_impact", size, size === 1, { mu }, { restitute });
}

/** A graph λ(y) through points, y not decreasing and λ not increasing, with slopes −dλ/dy before and after them. */
export function piecewise_linear(y, lambda, slope_before = 0, slope_after = 0) {
  const what = "piecewise_linear", row = vector(what, "y", y);
  return new Law(what, what, 1, true, { slope_before, slope_after }, { y: row, lambda: vector(what, "lambda", lambda, row.length) });
}
/** λ = limit where y < −width, 0 where |y| < width, −limit where y > width. */
export function relay_dead_zone(width, limit = 1) {
  const w = real("relay_dead_zone", "width", width), top = relayLimit("relay_dead_zone", limit);
  return piecewise_linear([-w, -w, w, w], [top, 0, 0, -top]);
}

const FUNCTIONS = ["project", "jacobian", "shift", "bounds", "restitute", "preload", "compliance", "acts", "begin", "commit"];

/**
 * A law by functions; see perp_law_ops. Those that are absent are not called. Each gets the state of the copy first
 * (`state` doubles) and returns what it is asked for: project(state, x), jacobian(state, x), shift(state, y),
 * bounds() as [lower, upper], restitute(state, begin), preload(state, begin), compliance(h), acts(state), begin(),
 * commit(state, end).
 */
export function user_law(size = 1, given = {}) {
  const what = "user_law", functions = {}, rest = { set: "other", unilateral: false, bounded: false, state: 0 };
  for (const [name, value] of entries(what, given)) {
    if (FUNCTIONS.includes(name)) functions[name] = callable(what, name, value);
    else if (name in rest) rest[name] = value;
    else throw new ArgumentError(`${what}: there is no '${name}'; there are ${[...Object.keys(rest), ...FUNCTIONS].join(", ")}`, name);
  }
  const set = choice(what, "set", rest.set, words("SET", "free", "orthant", "box", "other"));
  const state = integer(what, "state", rest.state, 0, 1e6);
  if (functions.commit !== undefined && state === 0) throw new ArgumentError(`${what}: commit without state`, "state");
  return new Law(what, "functions", integer(what, "size", size, 1, 1000), rest.set !== "other", {},
    { set, unilateral: Boolean(rest.unilateral), bounded: Boolean(rest.bounded), state, functions });
}

/** The form of a law in C. */
export function lawForm(lib, law) {
  const { kind, size, data } = law;
  if (kind === "functions") return functionsForm(lib, law);
  const form = new Form(lib, law, kind, { given: kind === "user_impact" ? [size] : [], what: law.name });
  return form.made(() => {
    const inner = "friction" in structs[form.struct].fields
      ? { at: lib.within(form.at, form.struct, "friction"), struct: "perp_friction" } : { at: form.at, struct: form.struct };
    lib.set(form.at, "perp_law", "size", size);
    for (const [name, value] of Object.entries(data)) {
      const to = name in structs[inner.struct].fields ? inner : { at: form.at, struct: form.struct };
      if (name === "restitute") putImpact(form, size, value);
      else if (name === "H") writeMatrix(lib, form.owned, lib.within(to.at, to.struct, name), law.name, name, value, value.length, size);
      else lib.set(to.at, to.struct, name, ArrayBuffer.isView(value) ? form.owned.row(value) : value);
    }
    checked(form);
  });
}

function checked(form) {
  form.lib.briefly((owned) => {
    const info = owned.struct("perp_info");
    form.lib.check(form.what, info, "perp_law_check", form.at, info);
  });
}

/** What a law's function may know of a step. */
function lawStep(lib, at, n) {
  const row = (name) => {
    const from = lib.get(at, "perp_law_step", name);
    return from === 0 ? new Float64Array(0) : lib.copied(from, n);
  };
  return { t: lib.get(at, "perp_law_step", "t"), h: lib.get(at, "perp_law_step", "h"), y: row("y"), ydot: row("ydot"), lambda: row("lambda") };
}

function write(lib, at, numbers) { lib.fresh().f64.set(numbers, at / 8); }
function add(lib, at, numbers) {
  const { f64 } = lib.fresh();
  numbers.forEach((x, i) => { f64[at / 8 + i] += x; });
}

function putImpact(form, size, restitute) {
  const { lib } = form;
  form.set("restitute", form.owned.callback("perp_impact_fn", (n, begin, q) => {
    add(lib, q, vector("impact: restitute", "result", restitute(lawStep(lib, begin, size)), size));
    return 0;
  }));
}

/** A law of a table of its own. C cannot be told of a failure where a function gives nothing back: it is handed NaN. */
function functionsForm(lib, law) {
  const { size: n, data: { set, unilateral, bounded, state: states, functions: f } } = law;
  const form = new Form(lib, law, "equality", { what: "user_law" });
  return form.made(() => {
    const { owned } = form;
    const name = owned.block(10);
    lib.bytes.set(new TextEncoder().encode("functions"), name);
    const ops = owned.struct("perp_law_ops", { set, unilateral: Number(unilateral), bounded: Number(bounded), name });
    lib.set(form.at, "perp_law", "ops", ops);
    lib.set(form.at, "perp_law", "size", n);
    const stateOf = (at) => lib.copied(states === 0 ? 0 : at, states);
    const row = (at) => lib.copied(at, n);
    const put = (op, body, failed = -1, steady = "") => lib.set(ops, "perp_law_ops", op,
      owned.callback(structs.perp_law_ops.fields[op][1].slice(1), body, failed, steady));
    // ops[op] writes what a function returns for given(C's arguments) at one of these; a commit that has thrown leaves the state.
    const writes = (op, numbers, given, { at = -1, of = op } = {}) => {
      const body = f[of], label = `user_law: ${of}`;
      if (body === undefined) return;
      const size = Array.isArray(numbers) ? numbers[0] * numbers[1] : numbers;
      put(op, (...a) => {
        const result = body(...given(...a));
        write(lib, a.at(at), Array.isArray(numbers) ? matrix(label, "result", result, ...numbers) : vector(label, "result", result, size));
      }, of === "commit" ? () => {} : (...a) => write(lib, a.at(at), new Float64Array(size).fill(NaN)), label);
    };
    writes("project", n, (_, s, x) => [stateOf(s), row(x)]);
    writes("jacobian", [n, n], (_, s, x) => [stateOf(s), row(x)]);
    writes("shift", n, (_, s, y) => [stateOf(s), row(y)]);
    writes("preload", n, (_, s, step) => [stateOf(s), lawStep(lib, step, n)]);
    writes("compliance", [n, n], (_, h) => [h]);
    if (f.bounds !== undefined)
      put("bounds", (_, lower, upper) => {
        const pair = f.bounds();
        if (pair?.length !== 2) throw new ArgumentError("user_law: bounds returned no pair [lower, upper]", "bounds");
        [lower, upper].forEach((at, k) => write(lib, at, vector("user_law: bounds", k === 0 ? "lower" : "upper", pair[k], n)));
      }, (_, ...sides) => sides.forEach((at) => write(lib, at, new Float64Array(n).fill(NaN))), "user_law: bounds");
    if (f.restitute !== undefined)
      put("restitute_step", (_, s, begin, q) => {
        add(lib, q, vector("user_law: restitute", "result", f.restitute(stateOf(s), lawStep(lib, begin, n)), n));
        return 0;
      });
    if (f.acts !== undefined) put("acts", (_, s) => Number(Boolean(f.acts(stateOf(s)))), 1, "user_law: acts");
    if (states > 0) {
      put("state_bytes", () => 8 * states, 8 * states, "user_law: state");
      if (f.begin === undefined) put("state_init", (_, s) => write(lib, s, new Float64Array(states)));
      writes("state_init", states, () => [], { of: "begin" });
      writes("commit_step", states, (_, s, end) => [stateOf(s), lawStep(lib, end, n)], { at: 1, of: "commit" });
      writes("commit", states, (_, s, y, lambda) => [stateOf(s), { t: 0, h: 0, y: row(y), ydot: new Float64Array(0), lambda: row(lambda) }],
        { at: 1, of: "commit" });
    }
    checked(form);
  });
}

/** The C graph of a piecewise_linear law. */
export function graphStruct(owned, law) {
  const { y, lambda, slope_before, slope_after } = law.data;
  return owned.struct("perp_piecewise_linear", { points: y.length, y: owned.row(y), lambda: owned.row(lambda), slope_before, slope_after });
}

/** Judge one copy of a law from its definition. y, lambda: `size` entries. */
export function verify(lib, law, y, lambda) {
  if (!(law instanceof Law)) throw new ArgumentError("verify: law is no Law", "law");
  if (law.isGraph) throw new ArgumentError("verify: a graph is judged by distance()", "law");
  const form = lawForm(lib, law);
  try {
    return lib.briefly((owned) => {
      const [rowY, rowLambda] = [["y", y], ["lambda", lambda]].map(([name, row]) => owned.row(vector("verify", name, row, law.size)));
      const ops = lib.get(form.at, "perp_law", "ops"), init = lib.get(ops, "perp_law_ops", "state_init");
      const state = init === 0 ? 0 : owned.block(lib.invoke(lib.get(ops, "perp_law_ops", "state_bytes"), form.at));
      const bytes = lib.call("perp_law_verify_workspace", form.at), work = owned.block(bytes);
      const verdict = owned.struct("perp_law_verdict");
      if (init !== 0) lib.invoke(init, form.at, state);
      lib.check("verify", 0, "perp_law_verify", form.at, state, rowY, rowLambda, verdict, work, bytes);
      return lib.record(verdict, "perp_law_verdict");
    });
  } finally {
    form.release();
  }
}

/** How far (y, λ) is from the graph of a piecewise_linear law, in the maximum norm. */
export function distance(lib, law, y, lambda) {
  if (!(law instanceof Law) || !law.isGraph) throw new ArgumentError("distance: a law that is no graph is judged by verify()", "law");
  return lib.briefly((owned) => lib.call("perp_piecewise_linear_distance", graphStruct(owned, law),
    real("distance", "y", y), real("distance", "lambda", lambda)));
}
