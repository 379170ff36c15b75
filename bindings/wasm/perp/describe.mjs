// SPDX-License-Identifier: MIT
// What systems, relations and their like have in common: values that do not change, and their form
// in C by what their fields say.
//
// A field says its shape, in sizes that have names, and of a function what C hands it behind a colon,
// "." for what it is not offered: "n", "m n", "m n: t q . z". A field behind a "!" is needed.
import { ArgumentError } from "./errors.mjs";
import { Sparse, callable, entries, frozen, integer, matrix, room, shape, vector } from "./arrays.mjs";
import { constants, structs } from "./c.mjs";

// Functions whose place constant numbers may take.
const JACOBIANS = new Set(["gyroscopic_dq", "gyroscopic_dv", "internal_dq", "internal_dv", "f_dx", "u_dq", "u_dv", "u_dx", "H", "G",
  "T", "h_dt", "s", "C", "D", "B", "K", "bias"]);

/** Numbers that C reads in every evaluation, where they are in its memory. */
export class Parameters {
  #lib;
  constructor(lib, values) {
    const row = vector("parameters", "values", values);
    this.#lib = lib;
    this.at = lib.owned(this).row(row);
    this.size = row.length;
    Object.freeze(this);
  }
  /** The numbers themselves, to be read and written; to be asked for anew, for memory may move. */
  get values() { return this.#lib.view(this.at, this.size); }
  belongsTo(lib) { return this.#lib === lib; }
}

/** A description: its fields, which do not change. */
export class Description {
  constructor(given, also = []) {
    const known = this.constructor.fields, what = this.constructor.name;
    for (const [name, value] of entries(what, given)) {
      if (!Object.hasOwn(known, name) && !also.includes(name))
        throw new ArgumentError(`${what}: there is no field '${name}'; there are ${[...Object.keys(known), ...also].join(", ")}`, name);
      this[name] = frozen(value);
    }
    for (const [name, says] of Object.entries(known))
      if (says[0] === "!" && this[name] === undefined) throw new ArgumentError(`${what}: ${name} is needed`, name);
  }
}

/** A description in C, what it points to, and the functions that it calls. */
export class Form {
  symmetric = true; // what it adds to a one-step matrix of order 2 is
  uses = 1;         // models and runs that hold it

  constructor(lib, value, struct, { init = struct, given = [], sizes = {}, what = value.constructor.name } = {}) {
    this.lib = lib;
    this.value = value;
    this.what = what;
    this.struct = `perp_${struct}`;
    this.sizes = { 1: 1, 3: 3, z: 0, ...sizes };
    this.owned = lib.owned();
    try {
      this.at = this.owned.block(structs[this.struct].bytes);
      lib.check(what, 0, `perp_${init}_init`, this.at, structs[this.struct].bytes, ...given);
    } catch (error) {
      this.owned.end();
      throw error;
    }
  }

  /** Fill it; what it has is freed where that fails. */
  made(fill) {
    try {
      fill();
      return this;
    } catch (error) {
      this.owned.end();
      throw error;
    }
  }
  hold() {
    this.uses++;
    return this;
  }
  release() {
    if (--this.uses === 0) this.owned.end();
  }

  set(field, value) { this.lib.set(this.at, this.struct, field, value); }

  /** Let z be read where it is. Before all that has its length. */
  parameters(at = this.at, struct = this.struct) {
    const { z } = this.value;
    if (z === undefined) return;
    if (!(z instanceof Parameters) || !z.belongsTo(this.lib))
      throw new ArgumentError(`${this.what}: z is to be made by parameters()`, "z");
    this.sizes.z = z.size;
    this.lib.set(at, struct, "n_z", z.size);
    this.lib.set(at, struct, "z", z.at);
  }

  /** The fields of a value (the description) by a table (what they say). */
  fill(table = this.value.constructor.fields, of = this.value, at = this.at, struct = this.struct, prefix = "") {
    for (const [name, says] of Object.entries(table))
      if (says.replace("!", "") !== "" && of[name] !== undefined) this.put(name, of[name], says.replace("!", ""), { at, struct, prefix });
  }

  /** One field, under another name in C if there is one. */
  put(name, given, says, { at = this.at, struct = this.struct, prefix = "", field = name } = {}) {
    const [dims, passes] = says.split(":"), label = prefix + name;
    const size = dims.trim().split(/ +/).map((letter) => this.sizes[letter]);
    const code = structs[struct].fields[field][1];
    if (passes !== undefined) {
      const order = passes.trim().split(/ +/);
      this.lib.set(at, struct, field, typeof given === "function" || !JACOBIANS.has(name)
        ? this.#function(code.slice(1), order, callable(this.what, label, given), label, size)
        : this.#constant(code.slice(1), order.length, this.#numbers(label, given, size)));
    } else if (code === "perp_matrix") {
      writeMatrix(this.lib, this.owned, this.lib.within(at, struct, field), this.what, label, given, size[0], size[1] ?? size[0]);
    } else {
      this.lib.set(at, struct, field, this.owned.row(this.#numbers(label, given, size)));
    }
  }

  #numbers(label, given, size) {
    return size.length === 2 ? matrix(this.what, label, given, ...size) : vector(this.what, label, given, size[0]);
  }

  #constant(signature, at, numbers) {
    return this.owned.callback(signature, (...given) => {
      this.lib.f64.set(numbers, given[at] / 8);
      return 0;
    });
  }

  /** The C function of one that is handed an object of what `order` names, and returns numbers. */
  #function(signature, order, body, label, size) {
    const { lib } = this, last = order.length, who = `${this.what}: ${label}`;
    const taken = order.map((name, at) => [name, at, name === "t" ? -1 : this.sizes[name]]).filter(([name]) => name !== ".");
    const length = size[0] * (size[1] ?? 1);
    const arrays = () => {
      const rows = taken.map(([name, , n]) => [name, n < 0 ? 0 : room(this.what, label, n)]);
      return { ...Object.fromEntries(rows), out: room(this.what, label, length) };
    };
    let kept = arrays();
    return this.owned.callback(signature, (...given) => {
      // Each call has the same arrays, but for one within another.
      const own = kept ?? arrays();
      kept = null;
      try {
        const { f64 } = lib;
        for (const [name, at, n] of taken) {
          if (n < 0) own[name] = given[at];
          else for (let i = 0, from = given[at] / 8; i < n; i++) own[name][i] = from === 0 ? 0 : f64[from + i];
        }
        own.out.fill(0);
        deliver(lib, given[last], body(own), own.out, size, who);
        return 0;
      } finally {
        kept = own;
      }
    });
  }
}

/** Hand to C what a function returned: a number, a row, rows; or what it wrote to `out` where it returned nothing. */
export function deliver(lib, at, result, out, size, who) {
  const [rows, cols] = [size[0], size[1] ?? 1];
  if (result === undefined) result = out;
  if (result === undefined || result === null) throw new ArgumentError(`${who} returned nothing`, who);
  const isReady = cols === 1 && result instanceof Float64Array && result.length === rows;
  const numbers = isReady ? result : size.length === 2 ? matrix(who, "result", result, rows, cols) : vector(who, "result", result, rows);
  lib.fresh().f64.set(numbers, at / 8);
}

/** Write a perp_matrix: of a number (times the identity), n entries (a diagonal), rows, or a Sparse. */
export function writeMatrix(lib, owned, at, what, field, given, rows, cols = rows) {
  const set = (name, value) => lib.set(at, "perp_matrix", name, value);
  const dims = (kind) => {
    set("kind", constants[kind]);
    set("rows", rows);
    set("cols", cols);
  };
  if (given instanceof Sparse) {
    if (given.rows !== rows || given.cols !== cols)
      throw new ArgumentError(`${what}: ${field} is ${given.rows} x ${given.cols}, ${rows} x ${cols} is needed`, field, -1, given.rows);
    dims("BLOCKS");
    set("block_rows", rows);
    set("values", owned.row(given.values));
    set("start", owned.integers(given.start));
    set("index", owned.integers(given.index));
    return;
  }
  const [r, c] = shape(given);
  if (rows === cols && (r === 0 || (c === -1 && r === rows))) {
    dims("DIAGONAL");
    set("values", owned.row(vector(what, field, given, rows, { same: true })));
  } else {
    dims("DENSE");
    set("ld", Math.max(rows, 1));
    set("values", owned.row(matrix(what, field, given, rows, cols)));
  }
}

/** How many there are: as said, or as the first array tells; a number alone is one. */
export function sizeOf(what, n, given) {
  if (n !== undefined) return integer(what, "n", n, 1);
  let scalar = false;
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const [r] = shape(value);
    if (r > 0) return r;
    if (typeof value !== "number") throw new ArgumentError(`${what}: ${name} is no array with entries`, name);
    scalar = true;
  }
  if (scalar) return 1;
  throw new ArgumentError(`${what}: n is needed, or ${Object.keys(given).join(" or ")}`, "n");
}
