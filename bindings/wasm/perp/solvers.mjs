// SPDX-License-Identifier: MIT
// Solvers of one-step problems  y = M λ + q,  (y_α, λ_α) ∈ law_α. No solution is an answer: look at `status`.
import { ArgumentError, statusName } from "./errors.mjs";
import { entries, integer, matrix, real, requireFinite, room, several, shown, vector } from "./arrays.mjs";
import { constants } from "./c.mjs";
import { writeMatrix } from "./describe.mjs";
import { Law, boxFor, complementarity, contactLaw, lawForm, relayLimit } from "./laws.mjs";
import { Alone } from "./library.mjs";
import { MethodForm, keywords } from "./options.mjs";

const SETS = ["equality", "complementarity", "box", "friction", "rolling", "polyhedron", "other"]; // in C's order
const MATRICES = ["zero", "diagonal", "dense", "blocks"];
const ASSUMES = ["symmetric", "definite", "semidefinite", "P-matrix", "copositive"];

/** The solvers of the library by name: laws, matrices and assumptions that they take, max_n, options. */
export function solvers(lib) {
  const bits = (value, names) => names.filter((_, k) => (value >> k) & 1);
  return Object.fromEntries(Array.from({ length: lib.call("perp_solver_count") }, (_, i) => {
    const at = lib.call("perp_solver_at", i), of = (name) => lib.get(at, "perp_solver", name);
    const defaults = of("defaults"), struct = defaults === 0 ? "perp_solver_options" : lib.get(defaults, "perp_lemke_options", "kind");
    return [of("name"), { name: of("name"), laws: bits(of("sets"), SETS), matrices: bits(of("matrices"), MATRICES),
      assumes: bits(of("assumes"), ASSUMES), max_n: of("max_n"), options: keywords(struct) }];
  }));
}

function lawAndCopies(what, pair) {
  const [law, copies] = pair instanceof Law ? [pair, 1] : several(what, "laws", pair);
  if (!(law instanceof Law)) throw new ArgumentError(`${what}: laws are pairs of a law and a number of copies`, "laws");
  if (law.isGraph) throw new ArgumentError(`${what}: a graph is for connect(), it has no set by itself`, "laws");
  return [law, integer(what, "copies", copies, 0)];
}

const spread = (what, name, value, n) => (value === undefined ? undefined : vector(what, name, value, n, { finite: true, same: true }));

/** y = M λ + q; laws: [law, copies] one after another, one law for all unknowns, or none: they come by add(). */
export class Problem {
  constructor(M, q, laws, { weight, floor } = {}, what = "Problem") {
    this.q = vector(what, "q", q, -1, { finite: true });
    this.n = this.q.length;
    this.M = M;
    this.weight = spread(what, "weight", weight, this.n);
    this.floor = spread(what, "floor", floor, this.n);
    this.laws = [];
    this.covered = 0;
    if (laws === undefined) return;
    for (const pair of laws instanceof Law ? [[laws, Math.floor(this.n / laws.size)]] : several(what, "laws", laws))
      this.#append(what, ...lawAndCopies(what, pair));
    this.require(what);
  }
  #append(what, law, copies) {
    const covered = this.covered + copies * law.size;
    if (covered > this.n) throw new ArgumentError(`${what}: the laws cover ${covered} of ${this.n} unknowns`, "laws", -1, covered);
    if (copies > 0) this.laws.push([law, copies]);
    this.covered = covered;
  }
  /** So many copies of a law on the unknowns that follow; gives the problem back. */
  add(law, copies = 1) {
    this.#append("add", ...lawAndCopies("add", [law, copies]));
    return this;
  }
  require(what) {
    if (this.covered !== this.n)
      throw new ArgumentError(`${what}: the laws cover ${this.covered} of ${this.n} unknowns`, "laws", -1, this.covered);
  }
  /** The problem in C. */
  form(lib, owned, what) {
    const forms = this.laws.map(([law]) => lawForm(lib, law)), offset = [0];
    owned.then(() => forms.forEach((form) => form.release()));
    for (const [law, copies] of this.laws) offset.push(offset.at(-1) + copies * law.size);
    const c = owned.struct("perp_problem", { q: owned.row(this.q), n: this.n, n_blocks: forms.length,
      laws: owned.integers(forms.map((form) => form.at)), offset: owned.integers(offset) });
    writeMatrix(lib, owned, lib.within(c, "perp_problem", "M"), what, "M", this.M, this.n);
    for (const name of ["weight", "floor"]) if (this[name] !== undefined) lib.set(c, "perp_problem", name, owned.row(this[name]));
    return c;
  }
}

/** An answer. Solved only if `status` is "OK", which the residual confirms. */
export class Solution {
  constructor(lib, status, lambda, y, info, ray) {
    this.status = statusName(status);
    this.text = lib.text(lib.call("perp_status_string", status));
    this.lambda = lambda;
    this.y = y;
    for (const name of ["iterations", "residual", "relative_residual", "amplification", "bound", "solver", "worst"])
      this[name] = info === 0 ? NaN : lib.get(info, "perp_info", name);
    const dissipates = info === 0 ? -1 : lib.get(info, "perp_info", "dissipates");
    this.dissipates = dissipates < 0 ? null : dissipates !== 0;
    this.ray = ray;
  }
  get solved() { return this.status === "OK"; }
  /** λ and y, as complementarity problems call them. */
  get z() { return this.lambda; }
  get w() { return this.y; }
}

/** A solver with its memory, used again from solve to solve. With warm_start each begins from the modes of the last one. */
export class Solver extends Alone {
  #method;
  #info;
  #warm;
  #work;

  constructor(lib, solver = "auto", given = {}, what = "Solver") {
    super(lib, what, "the solver is at work, or asks a function of the problem");
    const { warm_start = false, ...options } = Object.fromEntries(entries(what, given));
    try {
      this.#method = new MethodForm(lib, this.owned, what, solver, options);
      this.#info = this.owned.struct("perp_info");
      this.#work = this.owned.growing();
      this.#warm = warm_start ? this.owned.growing() : null;
    } catch (error) {
      this.close();
      throw error;
    }
  }
  get name() { return this.#method.name; }

  /** Solve; lambda: where to start from, zeros if it is not told. */
  solve(problem, { lambda } = {}, what = "solve") {
    if (!(problem instanceof Problem)) throw new ArgumentError(`${what}: problem is no Problem`, "problem");
    problem.require(what);
    return this.alone(what, () => this.lib.briefly((owned) => this.#solve(owned, problem, lambda, what)));
  }

  #solve(owned, problem, lambda, what) {
    const { lib } = this, { n } = problem, info = this.#info, { solver, options, name } = this.#method, who = `${what}: ${name}`;
    const at = owned.row(lambda === undefined ? new Float64Array(n) : vector(what, "lambda", lambda, n)), y = owned.block(8 * n);
    const c = problem.form(lib, owned, what), ray = owned.block(8 * n);
    lib.set(info, "perp_info", "ray", ray);
    lib.set(info, "perp_info", "ray_size", n);
    lib.check(what, info, "perp_problem_check", c, info);
    const need = lib.call("perp_solver_workspace", solver, c, options) >>> 0;
    if (need > this.#work.bytes) this.#work.become(need, who, "work_bytes"); // 0: the solve will say why there is none
    const status = lib.check(who, info, "perp_solver_solve", solver, c, options, at, y, this.#warmed(owned, c, what), this.#work.at,
      this.#work.bytes, info);
    const hasRay = lib.get(info, "perp_info", "ray_kind") !== constants.RAY_NONE;
    return new Solution(lib, status, lib.copied(at, n), lib.copied(y, n), info, hasRay ? lib.copied(ray, n) : null);
  }

  #warmed(owned, c, what) {
    if (this.#warm === null) return 0;
    const bytes = this.lib.call("perp_solver_warm_bytes", this.#method.solver, c) >>> 0;
    if (bytes !== this.#warm.bytes) this.#warm.become(bytes, what, "warm_bytes");
    return owned.struct("perp_warm", { data: this.#warm.at, bytes });
  }

  /** y = M λ + q,  0 ≤ λ ⟂ y ≥ 0. */
  lcp(M, q, options) { return this.solve(new Problem(M, q, complementarity(), {}, "lcp"), options, "lcp"); }
}

function contacts(what, M, q, dim, kind, coefficients) {
  const sizes = { friction: [2, 3], rolling: [3, 5] }[kind], row = vector(what, "q", q);
  if (!sizes.includes(dim)) throw new ArgumentError(`${what}: dim is ${shown(dim)}, ${sizes.join(" or ")} is needed`, "dim");
  if (row.length % dim !== 0) throw new ArgumentError(`${what}: q has ${row.length} entries, no multiple of dim = ${dim}`, "q", -1, row.length);
  const n = row.length / dim, columns = Object.entries(coefficients).map(([name, value]) => [name, spread(what, name, value, n)]);
  for (const [name, column] of columns) {
    const i = column.findIndex((x) => x < 0);
    if (i >= 0) throw new ArgumentError(`${what}: ${name}[${i}] = ${column[i]}: must be >= 0`, name, i, column[i]);
  }
  const problem = new Problem(M, row, undefined, {}, what), laws = new Map();
  for (let i = 0; i < n; i++) { // those that are equal are one law
    const numbers = Object.fromEntries(columns.map(([name, column]) => [name, column[i]])), key = Object.values(numbers).join();
    if (!laws.has(key)) laws.set(key, contactLaw(what, kind, dim, numbers));
    const tail = problem.laws.at(-1);
    if (tail?.[0] === laws.get(key)) {
      tail[1]++;
      problem.covered += dim;
    } else {
      problem.add(laws.get(key));
    }
  }
  return problem;
}

/** What needs a library: problems solved once. */
export function solving(lib) {
  const once = (what, problem, solver, { lambda, ...options } = {}) => {
    const one = new Solver(lib, solver, options, what);
    try {
      return one.solve(problem, { lambda }, what);
    } finally {
      one.close();
    }
  };
  const boxed = (what, M, q, lower, upper, solver, options) => {
    const n = several(what, "q", q).length, side = (bound) => (typeof bound === "number" ? room(what, "bound", n).fill(bound) : bound);
    const laws = n === 0 ? [] : boxFor(what, side(lower), side(upper), n);
    return once(what, new Problem(M, q, laws, {}, what), solver, options);
  };
  return {
    solvers: () => solvers(lib),
    Solver: class extends Solver {
      constructor(solver, options) { super(lib, solver, options); }
    },
    solve: (problem, solver, options) => once("solve", problem, solver, options),
    solve_lcp: (M, q, solver, options) => once("solve_lcp", new Problem(M, q, complementarity(), {}, "solve_lcp"), solver, options),
    solve_mlcp: (M, q, lower, upper, solver, options) => boxed("solve_mlcp", M, q, lower, upper, solver, options),
    solve_box: (M, q, lower, upper, solver, options) => boxed("solve_box", M, q, lower, upper, solver, options),
    solve_relay: (M, q, limit = 1, solver = "auto", options = {}) => {
      relayLimit("solve_relay", limit);
      return boxed("solve_relay", M, q, -limit, limit, solver, options);
    },
    friction_problem: (M, q, mu, dim = 3) => contacts("friction_problem", M, q, dim, "friction", { mu }),
    rolling_problem: (M, q, mu, mu_rolling, dim = 5) => contacts("rolling_problem", M, q, dim, "rolling", { mu, mu_rolling }),
    solve_friction: (W, q, mu, dim = 3, solver = "auto", options = {}) =>
      once("solve_friction", contacts("solve_friction", W, q, dim, "friction", { mu }), solver, options),
    solve_rolling: (W, q, mu, mu_rolling, dim = 5, solver = "auto", options = {}) =>
      once("solve_rolling", contacts("solve_rolling", W, q, dim, "rolling", { mu, mu_rolling }), solver, options),
    solve_contact: (W, q, mu, mu_rolling) => contact(lib, W, q, mu, mu_rolling),
  };
}

/** One contact, exactly; see docs/theory-friction.md. */
function contact(lib, W, q, mu, mu_rolling) {
  const what = "solve_contact", row = vector(what, "q", q, -1, { finite: true }), n = row.length;
  const name = { "2,1": "2d", "3,1": "3d", "3,2": "rolling_2d", "5,2": "rolling_3d" }[`${n},${mu_rolling === undefined ? 1 : 2}`];
  if (name === undefined) throw new ArgumentError(`${what}: q has ${n} entries`, "q", -1, n);
  const numbers = matrix(what, "W", W, n, n);
  requireFinite(what, "W", numbers);
  const coefficients = [real(what, "mu", mu), ...(mu_rolling === undefined ? [] : [real(what, "mu_rolling", mu_rolling)])];
  return lib.briefly((owned) => {
    const [r, u] = [owned.block(8 * n), owned.block(8 * n)];
    const status = lib.check(what, 0, `perp_contact_${name}`, owned.row(numbers), owned.row(row), ...coefficients, r, u);
    const found = new Solution(lib, status, lib.copied(r, n), lib.copied(u, n), 0, null);
    return Object.assign(found, { iterations: 0, solver: "one contact", worst: -1 });
  });
}
