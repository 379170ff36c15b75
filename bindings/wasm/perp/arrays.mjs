// SPDX-License-Identifier: MIT
// What JavaScript hands over, as numbers: vectors from anything that is like an array, matrices by
// rows, nested or flat. What is no number, or of a wrong shape, is refused in words.
import { ArgumentError, NotFiniteError, WorkspaceError } from "./errors.mjs";

export const MOST = 0x7fffffff;

/** A value in a sentence. */
export const shown = (value) => {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  return typeof value === "object" && value !== null ? value.constructor?.name ?? "an object" : String(value);
};

const isArray = (value) => Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));

/** One number, which may be infinite or NaN: C judges. */
export function real(what, field, value, index = -1) {
  if (typeof value !== "number")
    throw new ArgumentError(`${what}: ${index < 0 ? field : `${field}[${index}]`} is ${shown(value)}, a number is needed`, field, index);
  return value;
}

/** A whole number within bounds. */
export function integer(what, field, value, low = -MOST - 1, high = MOST) {
  if (!Number.isInteger(value))
    throw new ArgumentError(`${what}: ${field} is ${shown(value)}, a whole number is needed`, field, -1, typeof value === "number" ? value : 0);
  if (value < low || value > high) throw new ArgumentError(`${what}: ${field} is ${value}, out of range`, field, -1, value);
  return value;
}

/** What a word stands for. */
export function choice(what, name, value, table) {
  if (typeof value !== "string" || !Object.hasOwn(table, value))
    throw new ArgumentError(`${what}: ${name} is ${shown(value)}, one of ${Object.keys(table).join(", ")} is needed`, name);
  return table[value];
}

/** A function. */
export function callable(what, name, value) {
  if (typeof value !== "function") throw new ArgumentError(`${what}: ${name} is ${shown(value)}, a function is needed`, name);
  return value;
}

/** Things one after another, as an array. */
export function several(what, field, value) {
  if (isArray(value)) return Array.from(value);
  throw new ArgumentError(`${what}: ${field} is ${shown(value)}, an array is needed`, field);
}

/** Room for so many numbers, of which the memory of the module cannot hold 2 GiB. */
export function room(what, field, count) {
  if (8 * count < 2 ** 31) {
    try {
      return new Float64Array(count);
    } catch {
      // there is none here either
    }
  }
  throw new WorkspaceError(`${what}: no memory: ${field} has ${count} entries`, field, -1, count);
}

/** A copy of a row of numbers; a number alone is one entry, and stands for all of them with `same`. */
export function vector(what, field, value, size = -1, { finite = false, same = false } = {}) {
  if (typeof value === "number") value = same && size >= 0 ? room(what, field, size).fill(value) : [value];
  if (!isArray(value)) throw new ArgumentError(`${what}: ${field} is ${shown(value)}, numbers are needed`, field);
  if (size >= 0 && value.length !== size)
    throw new ArgumentError(`${what}: ${field} has ${value.length} entries, ${size} are needed`, field, -1, value.length);
  const row = room(what, field, value.length);
  for (let i = 0; i < row.length; i++) row[i] = real(what, field, value[i], i);
  if (finite) requireFinite(what, field, row);
  return row;
}

/** No NaN, no infinity. */
export function requireFinite(what, field, row) {
  const bad = row.findIndex((x) => !Number.isFinite(x));
  if (bad >= 0) throw new NotFiniteError(`${what}: ${field}[${bad}] = ${row[bad]}: must be finite`, field, bad, row[bad]);
}

/** Rows and columns of what was given as a matrix; cols -1: a flat row, whose shape is not told. */
export function shape(value) {
  if (value instanceof Sparse) return [value.rows, value.cols];
  if (typeof value === "number") return [0, 0];
  if (!isArray(value)) return [-1, -1];
  return isArray(value[0]) ? [value.length, value[0].length] : [value.length, -1];
}

/** A matrix by columns, as C has it, of rows that are nested or flat. */
export function matrix(what, field, value, rows, cols) {
  const need = () => new ArgumentError(
    `${what}: ${field} is ${describe(value)}, ${rows} rows of ${cols} are needed`, field, -1, value?.length ?? 0);
  if (typeof value === "number" && rows * cols === 1) value = [value];
  if (!isArray(value)) throw need();
  const out = room(what, field, rows * cols);
  if (isArray(value[0])) {
    if (value.length !== rows) throw need();
    value.forEach((row, i) => {
      if (!isArray(row) || row.length !== cols) throw need();
      for (let j = 0; j < cols; j++) out[i + rows * j] = real(what, `${field}[${i}]`, row[j], j);
    });
  } else {
    if (value.length !== rows * cols) throw need();
    for (let i = 0; i < rows; i++)
      for (let j = 0; j < cols; j++) out[i + rows * j] = real(what, field, value[i * cols + j], i * cols + j);
  }
  return out;
}

function describe(value) {
  const [r, c] = shape(value);
  if (!isArray(value)) return shown(value);
  return c < 0 ? `a row of ${r}` : new Set(value.map((row) => row?.length)).size > 1 ? "of rows of different lengths" : `${r} x ${c}`;
}

/** A sparse matrix in compressed rows: `start` has rows + 1 entries, `index` the columns. */
export class Sparse {
  constructor({ rows, cols, start, index, values }) {
    const what = "Sparse", places = (name, row, high) => Int32Array.from(several(what, name, row), (i) => integer(what, name, i, 0, high));
    this.rows = integer(what, "rows", rows, 0);
    this.cols = integer(what, "cols", cols, 0);
    this.start = places("start", start, MOST);
    this.index = places("index", index, this.cols - 1);
    this.values = vector(what, "values", values);
    const stored = this.start.length === rows + 1 ? this.start[rows] : -1;
    if (stored < 0 || stored > Math.min(this.values.length, this.index.length))
      throw new ArgumentError(`Sparse: there are ${this.values.length} entries, ${this.index.length} columns and ` +
        `${this.start.length} beginnings of ${rows} rows`, "values", -1, stored);
    Object.freeze(this);
  }
}

/** A copy that later changes of value do not reach; functions stay, and objects of classes. */
export function frozen(value) {
  if (Array.isArray(value)) return Object.freeze(value.map(frozen));
  if (ArrayBuffer.isView(value)) return value.slice?.() ?? value;
  return value;
}

/** Names and values of an object of options; anything else is refused. */
export function entries(what, given) {
  if (given === undefined || given === null) return [];
  if (typeof given !== "object" || isArray(given)) throw new ArgumentError(`${what}: options are ${shown(given)}, an object is needed`, "options");
  return Object.entries(given).filter(([, value]) => value !== undefined && value !== null);
}
