// SPDX-License-Identifier: MIT
// An instance of the module: its memory, structs in it, functions that C calls, and calls of C.
//
// Nothing that JavaScript throws goes through a frame of C: what a callback throws is kept, C is
// told to give up, and the call that began it all throws it. Should the module itself trap, no
// memory of it is to be trusted, and every later call says so.
import { BackendError, BusyError, CallbackError, ClosedError, Retry, Status, WorkspaceError, errorOf } from "./errors.mjs";
import { callbacks, constants, defaults, structs } from "./c.mjs";

const TYPES = { i: 0x7f, j: 0x7e, d: 0x7c };
const SENTENCE = 512; // bytes
const ROOM = 16;      // slots by which the table grows

const numbers = {
  i32: [4, "Int32"], u32: [4, "Uint32"], at: [4, "Uint32"], text: [4, "Uint32"], f64: [8, "Float64"], i64: [8, "BigInt64"],
  u64: [8, "BigUint64"], u16: [2, "Uint16"], u8: [1, "Uint8"],
};

/** Bytes of a module that imports a function of a signature and exports it: so it fits in a table. */
function adapter(signature) {
  const letters = (text) => [text.length, ...[...text].map((l) => TYPES[l])];
  const [result, taken] = [signature[0] === "v" ? "" : signature[0], signature.slice(1)];
  const type = [0x60, ...letters(taken), ...letters(result)];
  const section = (id, content) => [id, content.length, ...content];
  return new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, [1, ...type]), ...section(2, [1, 1, 0x65, 1, 0x66, 0, 0]), ...section(7, [1, 1, 0x66, 0, 0])]);
}

const adapters = new Map(); // compiled once, for all instances

/** What belongs to one thing of JavaScript's and ends with it: blocks of memory, callbacks, and things of C. */
export class Owned {
  #lib;
  #ends = [];
  closed = false;

  constructor(lib) { this.#lib = lib; }
  /** To be called when it ends; the last one is called first. It must not know the thing of JavaScript itself, which
   * would never be forgotten then: mind what other functions of the same scope know. */
  then(end) { this.#ends.push(end); }
  /** That the thing of C at held.at is ended by a function of C, before all that is owned so far. */
  thing(held, end) {
    const lib = this.#lib;
    this.then(() => lib.finish(end, held.at));
  }
  /** A zeroed block. */
  block(bytes, what = "memory", field = "malloc") {
    const at = this.#lib.alloc(bytes, what, field);
    this.then(() => this.#lib.free(at));
    return at;
  }
  /** A block that is replaced by a larger one as need be; -1 bytes: none so far. */
  growing() {
    const lib = this.#lib, held = {
      at: 0, bytes: -1,
      become(bytes, what, field) {
        lib.free(held.at);
        Object.assign(held, { at: 0, bytes: -1 });
        Object.assign(held, { at: lib.alloc(bytes, what, field), bytes });
      },
    };
    this.then(() => lib.free(held.at));
    return held;
  }
  row(numbers) {
    const at = this.block(8 * numbers.length);
    this.#lib.f64.set(numbers, at / 8);
    return at;
  }
  integers(numbers) {
    const at = this.block(4 * numbers.length);
    this.#lib.i32.set(numbers, at / 4);
    return at;
  }
  struct(name, fields = {}) {
    const at = this.block(structs[name].bytes);
    if ("struct_size" in structs[name].fields) this.#lib.set(at, name, "struct_size", structs[name].bytes);
    for (const [field, value] of Object.entries({ ...defaults[name], ...fields })) this.#lib.set(at, name, field, value);
    return at;
  }
  /** The function of C of a body, in the table. */
  callback(signature, body, failed, steady) {
    const slot = this.#lib.take(signature, this.#lib.guarded(body, failed, steady));
    this.then(() => this.#lib.give(slot));
    return slot;
  }
  end() {
    this.closed = true;
    while (this.#ends.length > 0) this.#ends.pop()();
  }
}

export class Library {
  #exports;
  #table;
  #free = [];
  #thrown = null;  // what a callback of the innermost call has thrown
  #broken = null;
  #sentence = 0;
  #forgotten;
  #addresses = new Map();

  constructor(module) {
    const { exports } = new WebAssembly.Instance(module, {});
    this.#exports = exports;
    exports._initialize?.();
    this.#table = exports.__indirect_function_table;
    this.#look();
    this.#sentence = this.alloc(SENTENCE);
    this.#forgotten = new FinalizationRegistry((owned) => owned.end());
  }

  /** The functions of C, as they are. */
  get c() { return this.#exports; }
  get memory() { return this.#exports.memory; }

  // -- Memory

  #look() {
    const buffer = this.memory.buffer;
    this.bytes = new Uint8Array(buffer);
    this.i32 = new Int32Array(buffer);
    this.f64 = new Float64Array(buffer);
    this.data = new DataView(buffer);
  }

  /** To be called after whatever may have made memory grow, which ends all views. */
  fresh() {
    if (this.bytes.buffer !== this.memory.buffer) this.#look();
    return this;
  }

  /** A zeroed block, 8-byte aligned. */
  alloc(bytes, what = "memory", field = "malloc") {
    const at = bytes < 2 ** 32 - 16 ? this.#enter("malloc", [Math.max(bytes, 8)]) >>> 0 : 0;
    this.fresh();
    if (at === 0) throw new WorkspaceError(`${what}: no memory: ${field} = ${bytes}: so many bytes are needed`, field, -1, bytes);
    this.bytes.fill(0, at, at + Math.max(bytes, 8));
    return at;
  }
  free(at) { this.finish("free", at); }
  /** End a thing of C; one of an instance that has trapped is lost already. */
  finish(name, at) {
    if (this.#broken !== null) return;
    try {
      this.#exports[name](at);
    } catch (trap) {
      this.#broken = trap;
    }
  }

  /** What is owned by value ends with it, or by close(). */
  owned(value) {
    const owned = new Owned(this);
    if (value !== undefined) this.#forgotten.register(value, owned, owned);
    return owned;
  }
  forget(owned) {
    this.#forgotten.unregister(owned);
    owned.end();
  }
  /** Run with things that end behind it. */
  briefly(body) {
    const owned = new Owned(this);
    try {
      return body(owned);
    } finally {
      owned.end();
    }
  }

  view(at, size) { return new Float64Array(this.memory.buffer, at, at === 0 ? 0 : size); }
  copied(at, size) { return at === 0 ? new Float64Array(size) : this.view(at, size).slice(); }
  text(at) {
    if (at === 0) return "";
    const { bytes } = this.fresh();
    return new TextDecoder().decode(bytes.subarray(at, bytes.indexOf(0, at)));
  }

  // -- Structs

  get(at, struct, field) {
    const [offset, code, count] = structs[struct].fields[field];
    const [size, kind] = numbers[code[0] === "(" ? "at" : code];
    const read = (k) => {
      const value = this.data[`get${kind}`](at + offset + k * size, true);
      return typeof value === "bigint" ? Number(value) : value;
    };
    if (count === undefined) return code === "text" ? this.text(read(0)) : read(0);
    const list = Array.from({ length: count }, (_, k) => read(k));
    if (code === "f64") return Float64Array.from(list);
    return code === "u32" ? list[0] + 2 ** 32 * list[1] : list; // two halves of a count
  }

  set(at, struct, field, value) {
    const [offset, code, count] = structs[struct].fields[field];
    const [size, kind] = numbers[code[0] === "(" ? "at" : code];
    const write = (number, k) => this.data[`set${kind}`](at + offset + k * size, number, true);
    if (count === undefined) write(value, 0);
    else value.forEach(write);
  }

  /** A field as where it is: of a struct within a struct. */
  within(at, struct, field) { return at + structs[struct].fields[field][0]; }

  /** What C answered with, as an object; rows: numbers of each of the arrays that it points to. */
  record(at, struct, rows = 0) {
    const out = {};
    for (const [field, [, code]] of Object.entries(structs[struct].fields)) {
      if (field === "struct_size" || field === "reserved" || field === "rows") continue;
      const value = this.get(at, struct, field);
      out[field] = code === "at" ? this.copied(value, rows) : value;
    }
    return out;
  }

  // -- Calls

  #enter(name, given) {
    if (this.#broken === null) {
      try {
        return this.#exports[name](...given);
      } catch (trap) {
        this.#broken = trap;
      }
    }
    throw new BackendError(`perp: this instance has trapped (${this.#broken.message}), load() another one`, "", -1, 0, Status.EBACKEND);
  }

  /** Call C; throw what a callback threw. */
  call(name, ...given) {
    const outer = this.#thrown;
    this.#thrown = null;
    let mine, answer;
    try {
      answer = this.#enter(name, given);
    } finally {
      mine = this.#thrown;
      this.#thrown = outer;
    }
    this.fresh();
    if (mine !== null) throw mine.what;
    return answer;
  }

  /** Call C for an answer that may be refused; info: a perp_info or 0. */
  check(who, info, name, ...given) {
    const status = this.call(name, ...given);
    if (status < 0) throw this.error(status, who, info);
    return status;
  }

  error(status, who, info = 0) {
    const message = `${who}: ${this.explained(status, info)}`;
    if (info === 0 || this.get(info, "perp_info", "field") === "") return errorOf(status, message);
    const [field, index, value] = ["field", "index", "value"].map((name) => this.get(info, "perp_info", name));
    return errorOf(status, message, field, index, value);
  }

  /** The sentence of a status and a perp_info. */
  explained(status, info = 0) { return this.said("perp_explain", status, info, 0); }

  /** What a function of C writes that is handed room last. */
  said(name, ...given) {
    this.call(name, ...given, this.#sentence, SENTENCE);
    return this.text(this.#sentence);
  }

  // -- Callbacks

  /** A function of JavaScript that C may call. failed: its answer where body has thrown, or what makes it;
   * steady: its name, where C cannot be asked for a smaller step. */
  guarded(body, failed = -1, steady = "") {
    return (...given) => {
      if (this.#thrown === null) {
        try {
          this.fresh();
          return body(...given);
        } catch (thrown) {
          if (thrown instanceof Retry && steady === "") return 1;
          this.#thrown = { what: thrown instanceof Retry ? this.#cannotRetry(steady, thrown) : thrown };
        }
      }
      this.fresh();
      return typeof failed === "function" ? failed(...given) : failed;
    };
  }

  #cannotRetry(who, cause) {
    const error = new CallbackError(`${who}: it cannot ask for a smaller step, Retry is for forces, gaps and their like`);
    error.cause = cause;
    return error;
  }

  /** Where a function of C is, in the table. */
  address(name) {
    if (!this.#addresses.has(name)) this.#addresses.set(name, this.#put(this.#exports[name]));
    return this.#addresses.get(name);
  }
  take(signature, body) {
    const letters = callbacks[signature] ?? signature;
    if (!adapters.has(letters)) adapters.set(letters, new WebAssembly.Module(adapter(letters)));
    return this.#put(new WebAssembly.Instance(adapters.get(letters), { e: { f: body } }).exports.f);
  }
  #put(code) {
    if (this.#free.length === 0) {
      const from = this.#table.grow(ROOM);
      for (let k = ROOM - 1; k >= 0; k--) this.#free.push(from + k);
    }
    const slot = this.#free.pop();
    this.#table.set(slot, code);
    return slot;
  }
  give(slot) {
    this.#table.set(slot, null);
    this.#free.push(slot);
  }
  /** Call a function by its place in the table. */
  invoke(slot, ...given) { return this.#table.get(slot)(...given); }
  /** Slots that callbacks hold. */
  get taken() {
    let count = 0;
    for (let k = 0; k < this.#table.length; k++) count += this.#table.get(k) === null ? 0 : 1;
    return count;
  }
}

/** What is for one call at a time; a callback that comes meanwhile is told what it does. */
export class Alone {
  #busy = false;
  #owned;
  #what;
  #does;

  constructor(lib, what, does) {
    this.lib = lib;
    this.#what = what;
    this.#does = does;
    this.#owned = lib.owned(this);
  }
  get owned() {
    if (this.#owned.closed) throw new ClosedError(`${this.#what}: it was closed`);
    return this.#owned;
  }
  get closed() { return this.#owned.closed; }
  /** Call a function while nobody else does. */
  alone(who, body) {
    void this.owned;
    if (this.#busy) throw new BusyError(`${who}: ${this.#does}`);
    this.#busy = true;
    try {
      return body();
    } finally {
      this.#busy = false;
    }
  }
  /** Give back what it has, now; later calls throw a ClosedError. */
  close() {
    if (this.#busy) throw new BusyError(`close: ${this.#does}`);
    if (!this.#owned.closed) this.lib.forget(this.#owned);
  }
}

/** The constants that begin with a prefix by words, of those names or all. */
export function words(prefix, ...names) {
  const start = `${prefix}_`, found = {};
  for (const [name, value] of Object.entries(constants))
    if (name.startsWith(start)) found[name.slice(start.length).toLowerCase().replaceAll("_", "-")] = value;
  return names.length === 0 ? found : Object.fromEntries(names.map((name) => [name, found[name]]));
}
