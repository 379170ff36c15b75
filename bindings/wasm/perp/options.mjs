// SPDX-License-Identifier: MIT
// Structs of options from objects of JavaScript: by the names of their fields.
import { ArgumentError } from "./errors.mjs";
import { callable, choice, entries, integer, real, vector } from "./arrays.mjs";
import { structs } from "./c.mjs";

const HIDDEN = new Set(["struct_size", "kind", "user", "reserved", "parallel", "parallel_user", "integrator", "integrators", "smooth",
  "solver", "solver_options", "global", "stepping", "lzb", "guards", "schedules", "n_guards", "n_schedules", "grid", "backend",
  "sparse"]);

/** Options that a struct has. */
export const keywords = (struct) => Object.keys(structs[struct].fields).filter((name) => !HIDDEN.has(name));

/** A struct of options with its defaults. */
export function madeOptions(lib, owned, kind) {
  const struct = `perp_${kind}_options`, at = owned.block(structs[struct].bytes);
  lib.call(`perp_${kind}_options_init`, at, structs[struct].bytes);
  return at;
}

/** Fill fields; a name that the struct has not is refused. words: of options that are told in words; sizes: of
 * arrays; also: options that are looked at elsewhere. */
export function fillOptions(lib, owned, at, struct, what, given, { words = {}, sizes = {}, also = [] } = {}) {
  for (const [name, value] of entries(what, given)) {
    if (also.includes(name)) continue;
    if (!keywords(struct).includes(name))
      throw new ArgumentError(`${what}: no option '${name}'; there are ${[...keywords(struct), ...also].join(", ")}`, name);
    lib.set(at, struct, name, optionOf(lib, owned, structs[struct].fields[name][1], what, name, value, words[name], sizes[name]));
  }
}

function optionOf(lib, owned, code, what, name, value, table, size) {
  if (table !== undefined) return choice(what, name, value, table);
  if (name === "observe") return observer(lib, owned, what, value);
  if (name === "engine") return findSolver(lib, what, value);
  if (code === "at") return owned.row(vector(what, name, value, size));
  if (code === "f64") return real(what, name, value);
  return integer(what, name, typeof value === "boolean" ? Number(value) : value);
}

function observer(lib, owned, what, body) {
  callable(what, "observe", body);
  return owned.callback("perp_observer", (iterate) => Number(body(lib.record(iterate, "perp_iterate")) === false), 1, `${what}: observe`);
}

export function findSolver(lib, what, name) {
  if (typeof name !== "string") throw new ArgumentError(`${what}: solver is no name`, "solver");
  const found = lib.briefly((owned) => {
    const bytes = new TextEncoder().encode(`${name.replaceAll("_", "-")}\0`), at = owned.block(bytes.length);
    lib.bytes.set(bytes, at);
    return lib.call("perp_solver_find", at) >>> 0;
  });
  if (found !== 0) return found;
  const names = Array.from({ length: lib.call("perp_solver_count") }, (_, i) => lib.get(lib.call("perp_solver_at", i), "perp_solver", "name"));
  throw new ArgumentError(`${what}: solver '${name}' is none of ${names.join(", ")}`, "solver");
}

/** A solver by name, with options; where a solver is asked for, a name alone will do. */
export class Method {
  constructor(name, options = {}) {
    this.name = name;
    this.options = Object.freeze({ ...options });
    Object.freeze(this);
  }
}

/** The C descriptor and options of a method, for the call `what`. */
export class MethodForm {
  constructor(lib, owned, what, method, more = {}) {
    const { name, options } = method instanceof Method ? method : new Method(method);
    this.solver = findSolver(lib, what, name);
    this.name = lib.get(this.solver, "perp_solver", "name");
    const defaults = lib.get(this.solver, "perp_solver", "defaults");
    // Whose options they are is told behind the common fields.
    const struct = defaults === 0 ? "perp_solver_options" : lib.get(defaults, "perp_lemke_options", "kind");
    this.struct = struct;
    this.options = owned.block(structs[struct].bytes);
    if (defaults === 0) lib.call("perp_solver_options_init", this.options, structs[struct].bytes);
    else lib.bytes.copyWithin(this.options, defaults, defaults + structs[struct].bytes);
    const given = { ...options, ...more };
    const info = owned.struct("perp_info");
    fillOptions(lib, owned, this.options, struct, `${what}: ${this.name}`, given);
    lib.check(`${what}: ${this.name}`, info, "perp_solver_check", this.solver, this.options, info);
  }
}
