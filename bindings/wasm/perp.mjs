// SPDX-License-Identifier: MIT
// perp for JavaScript, over a WebAssembly module without imports: in a browser, in node, in a worker.
//
//   const perp = await load(bytes);                          // or fetch("playground.wasm")
//   const { z, w } = perp.lcp([[2, 1], [1, 2]], [-5, -6]);   // M by rows
//   const ball = perp.simulation("ball", { e: 0.5 });
//   ball.run(1000); ball.q[0];                               // height (m) after 1000 steps
//
// Every simulation has an instance and a memory of its own, which the garbage collector takes with
// it. Whatever fails throws a PerpError; a simulation that was freed throws, too.

/** What the library refused or could not do: its status, and which argument was to blame. */
export class PerpError extends Error {
  constructor(text, { status = -1, field = null, index = -1, value = 0 } = {}) {
    const where = field === null ? "" : index < 0 ? `${field}: ` : `${field}[${index}]: `;
    const what = field !== null && value !== 0 ? ` (${value})` : "";
    super(where + text + what);
    this.name = "PerpError";
    /** A status of perp: > 0 an honest ending without a solution, < 0 a wrong call. */
    this.status = status;
    this.field = field;
    this.index = index;
    this.value = value;
  }
}

const EINVAL = -1;
const ENOTFINITE = -6;
const VECTORS = { q: 0, v: 1, x: 2, y: 3, lambda: 4 };

function number(value, field, index = -1) {
  if (typeof value !== "number")
    throw new PerpError("is not a number", { status: EINVAL, field, index });
  if (!Number.isFinite(value))
    throw new PerpError(`is ${value}, not a finite number`, { status: ENOTFINITE, field, index });
  return value;
}

function count(value, field, least) {
  if (!Number.isInteger(value) || value < least || value > 0x7fffffff)
    throw new PerpError(`is not a whole number from ${least} on`, { status: EINVAL, field });
  return value;
}

function text(exports, address) {
  if (address === 0) return null;
  const bytes = new Uint8Array(exports.memory.buffer, address);
  return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
}

function instantiate(module) {
  const { exports } = new WebAssembly.Instance(module, {});
  exports._initialize();
  return exports;
}

/** A scene that runs: "ball", "beads", "bridge" or "box". Made by Perp.simulation(). */
export class Simulation {
  #exports;
  #scene;
  #values;

  /** @param {WebAssembly.Module} module @param {string} name @param {Object<string, number>} values */
  constructor(module, name, values = {}) {
    this.#exports = instantiate(module);
    this.#scene = scenes(this.#exports).indexOf(name);
    if (this.#scene < 0)
      throw new PerpError(`there is no such scene`, { status: EINVAL, field: String(name) });
    this.#values = starts(this.#exports, this.#scene);
    this.#assign(values);
    this.#open(false);
  }

  #live() {
    if (this.#exports === null)
      throw new PerpError("this simulation was freed", { status: EINVAL });
    return this.#exports;
  }

  #throw(status) {
    const e = this.#exports;
    const field = text(e, e.info_field());
    throw new PerpError(text(e, e.status_text(status)),
      { status, field, index: e.info_index(), value: e.info_value() });
  }

  #assign(values) {
    const next = { ...this.#values };
    for (const [name, value] of Object.entries(values)) {
      if (!Object.hasOwn(next, name))
        throw new PerpError("there is no such parameter", { status: EINVAL, field: name });
      next[name] = number(value, name);
    }
    this.#values = next;
  }

  #open(keep) {
    const e = this.#exports;
    const numbers = Object.values(this.#values);
    new Float64Array(e.memory.buffer, e.scene_parameters(), numbers.length).set(numbers);
    const status = e.scene_open(this.#scene, keep ? 1 : 0);
    if (status !== 0) this.#throw(status);
  }

  // What is refused leaves the module's simulation as it was, and the parameters here.
  #change(values, keep) {
    this.#live();
    const before = this.#values;
    this.#assign(values);
    try {
      this.#open(keep);
    } catch (error) {
      this.#values = before;
      throw error;
    }
  }

  /** The parameters by name; a copy. */
  get parameters() {
    this.#live();
    return { ...this.#values };
  }

  /** Change parameters and go on from the present state; if it throws, all is as it was. */
  set(values) { this.#change(values, true); }

  /** Back to the beginning, with changed parameters if there are any; if it throws, the run is as it was. */
  reset(values = {}) { this.#change(values, false); }

  /** Take so many steps of length h. */
  run(steps = 1) {
    const status = this.#live().scene_run(count(steps, "steps", 0));
    if (status !== 0) this.#throw(status);
  }

  /** Add to the velocity (m/s), of the bridge to the voltage (V), and go on; if it throws, it is as it was. */
  push(amount) {
    const status = this.#live().scene_push(number(amount, "amount"));
    if (status !== 0) this.#throw(status);
  }

  #vector(kind) {
    const e = this.#live();
    const n = e.scene_length(kind);
    return n === 0 ? new Float64Array(0)
                   : new Float64Array(e.memory.buffer, e.scene_vector(kind), n).slice();
  }

  /** Positions (m, rad), velocities, state of a circuit (V, A); y and λ of every relation. Copies. */
  get q() { return this.#vector(VECTORS.q); }
  get v() { return this.#vector(VECTORS.v); }
  get x() { return this.#vector(VECTORS.x); }
  get y() { return this.#vector(VECTORS.y); }
  get lambda() { return this.#vector(VECTORS.lambda); }
  /** s */
  get time() { return this.#live().scene_time(); }
  /** J */
  get energy() { return this.#live().scene_energy(); }
  /** Largest energy gained in one step of the last run() (J), 0: it never grew. */
  get gain() { return this.#live().scene_gain(); }
  /** Worst relative residual of the last run(), as the library verified it. */
  get residual() { return this.#live().scene_residual(); }

  /** Give the memory back now; whatever is asked of the simulation afterwards throws. */
  free() {
    this.#exports = null;
  }
}

function scenes(exports) {
  const names = [];
  for (let i = 0; exports.scene_name(i) !== 0; i++) names.push(text(exports, exports.scene_name(i)));
  return names;
}

function starts(exports, scene) {
  const values = {};
  for (let k = 0; exports.parameter_name(scene, k) !== 0; k++)
    values[text(exports, exports.parameter_name(scene, k))] = exports.parameter_start(scene, k);
  return values;
}

/** The library: scenes to run, problems to solve. Made by load(). */
export class Perp {
  #module;
  #exports;

  constructor(module) {
    this.#module = module;
    this.#exports = instantiate(module);
  }

  get version() { return text(this.#exports, this.#exports.version_text()); }
  get scenes() { return scenes(this.#exports); }
  /** Parameters of a scene and what they are unless told otherwise. */
  parameters(name) {
    const scene = this.scenes.indexOf(name);
    if (scene < 0)
      throw new PerpError("there is no such scene", { status: EINVAL, field: String(name) });
    return starts(this.#exports, scene);
  }

  /** @returns {Simulation} */
  simulation(name, values = {}) { return new Simulation(this.#module, name, values); }

  /**
   * Solve w = M z + q, 0 <= z, 0 <= w, z·w = 0 by Lemke's method; verified by the library.
   * @param {ArrayLike<ArrayLike<number>>} M  n rows of n numbers
   * @param {ArrayLike<number>} q  n numbers, n <= 64
   * @returns {{z: Float64Array, w: Float64Array, residual: number, iterations: number}}
   */
  lcp(M, q) {
    const e = this.#exports;
    const n = q?.length;
    if (!Number.isInteger(n)) throw new PerpError("is not an array", { status: EINVAL, field: "q" });
    if (n > e.lcp_most())
      throw new PerpError(`has ${n} entries, at most ${e.lcp_most()} fit`, { status: EINVAL, field: "q" });
    if (M?.length !== n)
      throw new PerpError(`has ${M?.length} rows, q has ${n} entries`, { status: EINVAL, field: "M" });
    for (let i = 0; i < n; i++)
      if (M[i]?.length !== n)
        throw new PerpError(`has ${M[i]?.length} entries instead of ${n}`,
          { status: EINVAL, field: "M", index: i });
    const array = (which, size) => new Float64Array(e.memory.buffer, e.lcp_array(which), size);
    const matrix = array(0, n * n);
    const vector = array(1, n);
    for (let i = 0; i < n; i++) {
      vector[i] = number(q[i], "q", i);
      for (let j = 0; j < n; j++) matrix[i + n * j] = number(M[i][j], `M[${i}]`, j);
    }
    const status = e.lcp_solve(n);
    if (status !== 0)
      throw new PerpError(text(e, e.status_text(status)),
        { status, field: text(e, e.lcp_field()), index: e.lcp_index(), value: e.lcp_value() });
    return { z: array(2, n).slice(), w: array(3, n).slice(),
             residual: e.lcp_residual(), iterations: e.lcp_iterations() };
  }
}

/**
 * @param {BufferSource | WebAssembly.Module | Response | Promise<Response>} source  playground.wasm
 * @returns {Promise<Perp>}
 */
export async function load(source) {
  const given = await source;
  if (given instanceof WebAssembly.Module) return new Perp(given);
  if (typeof Response !== "undefined" && given instanceof Response && !given.ok)
    throw new PerpError(`${given.url}: ${given.status} ${given.statusText}`);
  const bytes = typeof Response !== "undefined" && given instanceof Response
    ? await given.arrayBuffer() : given;
  return new Perp(await WebAssembly.compile(bytes));
}
