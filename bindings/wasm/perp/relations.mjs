// SPDX-License-Identifier: MIT
// Relations between systems and laws, as values; docs/theory-model.md has their equations.
//
// m rows; n velocities (or states) and n_q positions of the systems joined, one after another.
import { ArgumentError } from "./errors.mjs";
import { Sparse, integer, real, several, shape } from "./arrays.mjs";
import { structs } from "./c.mjs";
import { Description, Form } from "./describe.mjs";

/** A kind of relation. at: what it meets where it is connected: n, n_q, systems, law_size. */
export class Relation extends Description {
  static order = 2;

  constructor(given) {
    super(given, new.target.also ?? ["m", "z"]);
    if (new.target === Relation) throw new ArgumentError("Relation: take a kind of relation");
    this.require?.();
    Object.freeze(this);
  }
  get order() { return this.constructor.order; }
  rows() { return integer(this.constructor.name, "m", this.m ?? 1, 1); }

  form(lib, at) {
    const form = this.begun(lib, at, this.rows(at));
    return form.made(() => {
      form.parameters();
      form.fill();
      this.more?.(form, at);
    });
  }

  /** The form of m rows with nothing in it. */
  begun(lib, at, m, given = [m, at.n], sizes = {}) {
    const { struct, init = struct } = this.constructor;
    const all = { n: at.n, q: at.n_q, v: at.n, x: at.n, m, lambda: m, ...sizes };
    const form = new Form(lib, this, struct, { init, given, sizes: all });
    if (at.n_q !== at.n && "bodies" in structs[`perp_${struct}`].fields) form.set("bodies", 1);
    form.m = m;
    return form;
  }
}

/** Rows of a relation: as said, or as its matrix tells. */
function rowsOf(what, H, m, n) {
  if (m !== undefined) return integer(what, "m", m, 1);
  if (H === undefined || typeof H === "function") return 1;
  if (H instanceof Sparse) return Math.max(H.rows, 1);
  const [r, c] = shape(H);
  return c >= 0 || n === 1 ? Math.max(r, 1) : Math.max(Math.floor(r / n), 1);
}

/** y = H q + F z + b,  ẏ = H v + D λ,  r = Hᵀ λ. */
export class LagrangianLinearRelation extends Relation {
  static struct = "lagrangian_linear_relation";
  static fields = { H: "!", b: "m", D: "m m", F: "m z" };
  rows(at) { return rowsOf("LagrangianLinearRelation", this.H, this.m, at.n); }
  more(form) {
    if (this.z !== undefined && this.F === undefined) throw new ArgumentError("LagrangianLinearRelation: z without F", "F");
    form.put("H", this.H, "m n", { field: this.H instanceof Sparse ? "H_rows" : "H" });
  }
}

const GAP = (h) => ({ h: `!m: ${h}`, H: `m n: ${h}`, typical_q: "n" });

/** y = h(q, z),  ẏ = H v,  r = Hᵀ λ,  H = ∂h/∂q. */
export class LagrangianScleronomous extends Relation {
  static struct = "lagrangian_relation";
  static init = "lagrangian_scleronomous";
  static fields = { ...GAP(". q . z"), bias: "m: t q v z" };
}

/** y = h(t, q, z),  ẏ = H v + ∂h/∂t,  r = Hᵀ λ. */
export class LagrangianRheonomous extends Relation {
  static struct = "lagrangian_relation";
  static init = "lagrangian_rheonomous";
  static fields = { ...GAP("t q . z"), h_dt: "m: t q . z", bias: "m: t q v z" };
}

/** y = h(q, λ, z),  ẏ = H v + (∂h/∂λ) λ̇,  r = Hᵀ λ, λ as a force. */
export class LagrangianCompliant extends Relation {
  static struct = "lagrangian_relation";
  static init = "lagrangian_compliant";
  static fields = { ...GAP(". q lambda z"), D: "m m: . q lambda z", typical_lambda: "m" };
  more(form) { form.symmetric = form.m === 1; }
}

/** ẏ = g(t, q, v, z),  r = Hᵀ λ,  H = ∂g/∂v; without a position: skates, wheels, clutches. */
export class LagrangianVelocityRelation extends Relation {
  static struct = "lagrangian_velocity_relation";
  static fields = { g: "!m: t q v z", H: "m n: t q v z", bias: "m: t q v z", typical_v: "n" };
}

/** Contacts with friction on mechanisms: ẏ_n = G v + ∂h/∂t, ẏ_t = T v + s. */
export class LagrangianContactRelation extends Relation {
  static struct = "lagrangian_contact_relation";
  static also = ["gaps", "z"];
  static fields = {
    h: "!gaps: t q . z", T: "!tangents n: t q . z", G: "gaps n: t q . z", h_dt: "gaps: t q . z", s: "tangents: t q . z",
    bias: "m: t q v z", typical_q: "n",
  };
  rows(at) {
    if (at.law_size < 2)
      throw new ArgumentError("LagrangianContactRelation: the law needs tangential components", "size", -1, at.law_size);
    return at.law_size * integer("LagrangianContactRelation", "gaps", this.gaps ?? 1, 1);
  }
  begun(lib, at, m) {
    const gaps = this.gaps ?? 1;
    return super.begun(lib, at, m, [gaps, at.law_size, at.n], { gaps, tangents: m - gaps });
  }
}

/** ẏ_i = v_index(i) − v̄_i(t), v̄_i = constant_i + Σ_k a_ik cos(ω_ik t + φ_ik) + velocity_i(t): for equality(). */
export class PrescribedVelocity extends Relation {
  static struct = "prescribed_velocity";
  static also = ["index", "harmonics"];
  static fields = { constant: "m", velocity: "m: t" };
  #index() {
    const index = this.index ?? [0], row = typeof index === "number" ? [index] : several("PrescribedVelocity", "index", index);
    if (row.length === 0) throw new ArgumentError("PrescribedVelocity: index is empty", "index");
    return row;
  }
  rows() { return this.#index().length; }
  more(form, at) {
    const what = "PrescribedVelocity", index = this.#index().map((i) => integer(what, "index", i, 0, at.n - 1));
    form.set("index", form.owned.integers(index));
    if (this.harmonics === undefined) return;
    const parts = several(what, "harmonics", this.harmonics), flat = [];
    const rows = form.m === 1 && typeof parts[0]?.[0] === "number" ? [parts] : parts;
    for (const row of rows)
      for (const part of several(what, "harmonics", row)) flat.push(...[0, 1, 2].map((k) => real(what, "harmonics", part?.[k], k)));
    if (rows.length !== form.m || flat.length === 0 || rows.some((row) => row.length !== rows[0].length))
      throw new ArgumentError(`${what}: harmonics needs ${form.m} rows of as many triples each`, "harmonics", -1, rows.length);
    form.set("harmonics", form.owned.row(flat));
    form.set("n_harmonics", rows[0].length);
  }
}

/** y = C x + D λ + F z + e,  r = B λ + a: first order, constant. */
export class LinearRelation extends Relation {
  static order = 1;
  static struct = "linear_relation";
  static fields = { C: "!m n", B: "n m", D: "m m", F: "m z", e: "m", a: "n" };
  rows(at) { return rowsOf(this.constructor.name, this.C, this.m, at.n); }
}

/** A linear relation with coefficients that are functions of t, or constants. */
export class LinearVaryingRelation extends LinearRelation {
  static struct = "linear_varying_relation";
  form(lib, at) {
    const form = this.begun(lib, at, this.rows(at));
    return form.made(() => {
      const linear = { at: lib.within(form.at, form.struct, "linear"), struct: "perp_linear_relation" };
      form.parameters(linear.at, linear.struct);
      for (const [name, says] of Object.entries(LinearRelation.fields)) {
        const dims = says.replace("!", ""), given = this[name];
        if (typeof given === "function") form.put(name, given, `${dims}: t`);
        else if (given !== undefined) form.put(name, given, dims, linear);
      }
    });
  }
}

const FIRST = (h, g) => ({
  h: `!m: ${h}`, g: `n: ${g}`, C: `m n: ${h}`, D: `m m: ${h}`, B: `n m: ${g}`, K: `n n: ${g}`, h_dt: `m: ${h}`, typical_x: "n",
  typical_lambda: "m",
});

/** y = h(t, x, λ, z),  r = g(t, x, λ, z). */
export class FirstOrderRelation extends Relation {
  static order = 1;
  static struct = "first_order_relation";
  static fields = FIRST("t x lambda z", "t x lambda z");
}

/** y = h(t, x, z),  r = g(t, λ, z). */
export class FirstOrderType1 extends FirstOrderRelation {
  static init = "first_order_type1";
  static fields = FIRST("t x . z", "t . lambda z");
}

/** y = h(t, x, λ, z),  r = g(t, λ, z). */
export class FirstOrderType2 extends FirstOrderRelation {
  static init = "first_order_type2";
  static fields = FIRST("t x lambda z", "t . lambda z");
}
