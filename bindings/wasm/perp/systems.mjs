// SPDX-License-Identifier: MIT
// Systems of order 1 and 2, as values; docs/theory-model.md has their equations.
import { ArgumentError } from "./errors.mjs";
import { integer } from "./arrays.mjs";
import { Description, Form, sizeOf } from "./describe.mjs";

const CONTROL = {
  2: { T: "n u", effect: "n u: . q . z", u: "u: t q v z", u_dq: "u n: t q v z", u_dv: "u n: t q v z" },
  1: { T: "n u", effect: "n u: . . x z", u: "u: t . x z" },
};

/** T(q) u(t, q, v) at order 2, T(x) u(t, x) at order 1, added to the right-hand side. */
export class Control extends Description {
  static fields = { n_u: "!", T: "", effect: "", u: "!", u_dq: "", u_dv: "", u_dx: "" };
  constructor(given) {
    super(given);
    integer("Control", "n_u", this.n_u, 1);
    Object.freeze(this);
  }
}

/** A kind of system. */
export class System extends Description {
  static order = 2;
  static moves = []; // what makes one-step matrices unsymmetric
  static sizeOf = [];

  constructor(given) {
    super(given, ["control", "z", ...(new.target.also ?? ["n"])]);
    if (this.control !== undefined && !(this.control instanceof Control))
      throw new ArgumentError(`${new.target.name}: control is no Control`, "control");
    if (new.target === System) throw new ArgumentError("System: take a kind of system");
    this.require?.();
    Object.freeze(this);
  }

  get order() { return this.constructor.order; }

  form(lib) {
    const { struct, sizeOf: tells } = this.constructor;
    const n = sizeOf(this.constructor.name, this.n, Object.fromEntries(tells.map((name) => [name, this[name]])));
    const sizes = this.order === 1 ? { n, x: n } : { n, q: n, v: n };
    return this.filled(new Form(lib, this, struct, { given: [n], sizes }));
  }

  filled(form, more = () => {}) {
    return form.made(() => {
      form.parameters();
      form.fill();
      if (this.control !== undefined) this.#control(form);
      form.symmetric = this.control === undefined && this.constructor.moves.every((name) => this[name] === undefined);
      more(form);
    });
  }

  #control(form) {
    const { control, order } = this, at = form.lib.within(form.at, form.struct, "control");
    form.sizes.u = control.n_u;
    form.lib.set(at, "perp_control", "n_u", control.n_u);
    form.fill(CONTROL[order], control, at, "perp_control", "control.");
    if (order === 1 && control.u_dx !== undefined)
      form.put("u_dx", control.u_dx, "u n: t . x z", { at, struct: "perp_control", prefix: "control.", field: "u_dv" });
  }
}

/** M v̇ + C v + K q = f + F(t) + T(q) u(t, q, v) + r,  q̇ = v. */
export class LagrangianLinear extends System {
  static struct = "lagrangian_linear";
  static sizeOf = ["M", "C", "K"];
  static fields = { M: "!n", C: "n", K: "n", f: "n", force: "n: t", typical_q: "n", typical_v: "n" };
}

/** M(q, z) v̇ + N(q, v, z) + F_int(t, q, v, z) = f + F_ext(t, z) + T(q) u(t, q, v) + r,  q̇ = v. */
export class Lagrangian extends System {
  static struct = "lagrangian";
  static moves = ["gyroscopic", "internal"];
  static fields = {
    M: "n", mass: "n n: . q . z", gyroscopic: "n: . q v z", gyroscopic_dq: "n n: . q v z", gyroscopic_dv: "n n: . q v z",
    internal: "n: t q v z", internal_dq: "n n: t q v z", internal_dv: "n n: t q v z", external: "n: t . . z", potential: "1: . q . z",
    f: "n", typical_q: "n", typical_v: "n",
  };
  require() {
    if (this.M === undefined && this.mass === undefined) throw new ArgumentError("Lagrangian: M or mass is needed", "M");
  }
}

/** M ẋ = (A + A(t)) x + b + B(t) + T(x) u(t, x) + r. */
export class FirstOrderLinear extends System {
  static order = 1;
  static struct = "first_order_linear";
  static sizeOf = ["A", "M", "b"];
  static fields = { A: "n", b: "n", M: "n", input: "n: t", state_matrix: "n n: t", typical: "n" };
}

/** M ẋ = f(t, x, z) + T(x) u(t, x) + r. */
export class FirstOrder extends System {
  static order = 1;
  static struct = "first_order";
  static fields = { f: "!n: t x z", f_dx: "n n: t x z", M: "n", typical: "n" };
}
