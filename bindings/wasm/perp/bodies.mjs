// SPDX-License-Identifier: MIT
// Rigid bodies in space, their contacts, joints and gears; see docs/theory-rigid-bodies.md.
//
// q = (x, Q): centre of mass (m) and unit quaternion, scalar part first: 7 entries. v = (ẋ, Ω): velocity in the fixed
// frame (m/s), angular velocity in the frame of the body (rad/s): 6 entries.
import { ArgumentError } from "./errors.mjs";
import { callable, choice, integer, matrix, real, vector } from "./arrays.mjs";
import { structs } from "./c.mjs";
import { Description, Form } from "./describe.mjs";
import { words } from "./library.mjs";
import { writePlace } from "./model.mjs";
import { Relation } from "./relations.mjs";
import { System } from "./systems.mjs";

const KINDS = words("JOINT");
const USES = words("COORDINATE", "rate", "effort", "stops", "lower", "upper");

/** A rigid body:  m ẍ = f + F(t, q, v) + r,  I Ω̇ + Ω × IΩ = T(t, q, v) + r. */
export class Body extends System {
  static moves = ["force", "torque"];
  static also = ["mass", "inertia", "f", "force_jacobian", "torque_jacobian", "torque_frame", "gyroscopic"];
  static fields = { force: "3: t q v", torque: "3: t q v" };

  form(lib) {
    const what = "Body", { mass = 1, inertia = [1, 1, 1], f = [0, 0, 0], torque_frame = "body", gyroscopic = "implicit" } = this;
    return this.filled(new Form(lib, this, "body", { sizes: { n: 6, q: 7, v: 6 } }), (form) => {
      const isDiagonal = inertia.length === 3 && typeof inertia[0] === "number";
      const [a, b, c] = isDiagonal ? vector(what, "inertia", inertia, 3) : [];
      form.set("mass", real(what, "mass", mass));
      form.set("inertia", isDiagonal ? [a, 0, 0, 0, b, 0, 0, 0, c] : matrix(what, "inertia", inertia, 3, 3));
      form.set("f", vector(what, "f", f, 3));
      for (const name of ["force_jacobian", "torque_jacobian"]) if (this[name] !== undefined) putDerivatives(form, name, this[name]);
      form.set("torque_frame", choice(what, "torque_frame", torque_frame, words("FRAME")));
      form.set("gyroscopic", choice(what, "gyroscopic", gyroscopic, words("GYROSCOPIC")));
      form.symmetric = form.symmetric && gyroscopic !== "implicit";
    });
  }
}

/** A function that returns [by_d, by_v], 3 x 6 each. */
function putDerivatives(form, name, given) {
  const { lib } = form, who = `Body: ${name}`, body = callable("Body", name, given);
  form.set(name, form.owned.callback("perp_body_jacobian_fn", (t, q, v, by_d, by_v) => {
    const pair = body({ t, q: lib.copied(q, 7), v: lib.copied(v, 6) });
    if (pair?.length !== 2) throw new ArgumentError(`${who} returned no pair [by_d, by_v]`, name);
    [by_d, by_v].forEach((at, k) => lib.fresh().f64.set(matrix(who, "result", pair[k], 3, 6), at / 8));
    return 0;
  }));
}

/** A homogeneous ball; kg, m, N. */
export function ball(mass, radius, f) {
  const moment = 0.4 * real("ball", "mass", mass) * real("ball", "radius", radius) ** 2;
  return new Body({ mass, inertia: [moment, moment, moment], f, gyroscopic: "none" });
}
/** A homogeneous brick of three sides (m). */
export function brick(mass, sides, f) {
  const [a, b, c] = vector("brick", "sides", sides, 3), k = real("brick", "mass", mass) / 12;
  return new Body({ mass, inertia: [k * (b * b + c * c), k * (a * a + c * c), k * (a * a + b * b)], f });
}

/** A ball about the centre of mass on the half space normal·x <= offset (m). */
export class SpherePlane extends Description {
  static c = "sphere_plane";
  static fields = { radius: "!", normal: "", offset: "" };
  static standard = { normal: [0, 0, 1], offset: 0 };
}
/** Two balls about the centres of mass, radii (m) of the first and the second. */
export class SphereSphere extends Description {
  static c = "sphere_sphere";
  static fields = { radius: "!" };
  static standard = {};
}
/** A point of the body (m, its frame), such as a corner, on the half space normal·x <= offset. */
export class PointPlane extends Description {
  static c = "point_plane";
  static fields = { point: "!", normal: "", offset: "" };
  static standard = { normal: [0, 0, 1], offset: 0 };
}

/** Numbers that a struct holds itself. */
function assign(lib, at, struct, what, given) {
  for (const [name, value] of Object.entries(given)) {
    const [, code, count] = structs[struct].fields[name];
    lib.set(at, struct, name, count !== undefined ? vector(what, name, value, count) : (code === "f64" ? real : integer)(what, name, value));
  }
}

function requireBodies(what, at, least, most) {
  if (at.systems < least || at.systems > most || at.n !== 6 * at.systems || at.n_q !== 7 * at.systems)
    throw new ArgumentError(`${what}: systems have to be ${least} to ${most} bodies`, "systems", -1, at.systems);
}

/** Contact of a body with the ground, or of two; rows as the law has components. locate: a SpherePlane, SphereSphere,
 * PointPlane, or a function of {t, q} (7 for each body) that returns a place. */
export class BodyContact extends Relation {
  static also = ["locate"];
  static fields = {};
  require() {
    if (this.locate === undefined) throw new ArgumentError("BodyContact: locate is needed", "locate");
  }
  form(lib, at) {
    const { locate } = this;
    requireBodies("BodyContact", at, 1, 2);
    const form = new Form(lib, this, "body_contact", { given: [at.law_size, at.systems] });
    return form.made(() => {
      const { c, standard } = locate.constructor;
      if (c === undefined) return this.#function(form, callable("BodyContact", "locate", locate), at.n_q);
      const struct = `perp_${c}`, geometry = form.owned.block(structs[struct].bytes);
      assign(lib, geometry, struct, c, { ...standard, ...locate });
      form.set("locate", lib.address(`perp_locate_${c}`));
      return form.set("user", geometry);
    });
  }
  #function(form, locate, n) {
    const { lib } = form;
    form.set("locate", form.owned.callback("perp_locate_fn", (t, q, out) => {
      const place = locate({ t, q: lib.copied(q, n) });
      writePlace(lib.fresh(), out, place, "BodyContact: locate");
      return 0;
    }));
  }
}

const IDENTITY = [1, 0, 0, 0, 1, 0, 0, 0, 1];
const PLACED = { point_a: [0, 0, 0], point_b: [0, 0, 0], frame_a: IDENTITY, frame_b: IDENTITY, lead: 0 };

/** A joint of two bodies, or of one with the ground; goes with equality(). */
export class Joint extends Relation {
  static also = ["kind", "bodies", ...Object.keys(PLACED)];
  static fields = {};
  made(lib, bodies) {
    const form = new Form(lib, this, "joint", { given: [choice("Joint", "kind", this.kind ?? "spherical", KINDS), bodies] });
    const given = Object.fromEntries(Object.entries(PLACED).map(([name, standard]) => [name, this[name] ?? standard]));
    return form.made(() => assign(lib, form.at, form.struct, "Joint", given));
  }
  form(lib, at) {
    requireBodies("Joint", at, 1, 2);
    if (this.bodies !== undefined && this.bodies !== at.systems)
      throw new ArgumentError(`Joint: it was placed for ${this.bodies} bodies and joins ${at.systems}`, "systems");
    return this.made(lib, at.systems);
  }
}

/** Angle (rad) or translation (m) of a joint: drives, friction and stops; joins the same bodies in the same order. */
export class JointCoordinate extends Relation {
  static also = ["of", "use", "translation", "lower", "upper", "centre"];
  static fields = { rate: "1: t" };
  form(lib, at) {
    const what = "JointCoordinate", { of, use = "rate", translation = false, lower = 0, upper = 0, centre = 0 } = this;
    requireBodies(what, at, 1, 2);
    if (!(of instanceof Joint)) throw new ArgumentError(`${what}: of is no Joint`, "of");
    const held = of.made(lib, at.systems);
    try {
      const form = new Form(lib, this, "joint_coordinate", { given: [held.at, Number(Boolean(translation)), choice(what, "use", use, USES)] });
      return form.made(() => {
        held.hold();
        form.owned.then(() => held.release());
        assign(lib, form.at, form.struct, what, { lower, upper, centre });
        form.fill();
      });
    } finally {
      held.release();
    }
  }
}

/** A pair of gears on two bodies, carried by the ground or a third: z_A ω_A + z_B ω_B = 0; goes with equality(). */
export class Gear extends Relation {
  static also = ["qc"];
  static fields = { teeth_a: "!", teeth_b: "!", axis_a: "!", axis_b: "!", qa: "!", qb: "!" };
  form(lib, at) {
    requireBodies("Gear", at, 2, 3);
    if (at.systems === 3 && this.qc === undefined) throw new ArgumentError("Gear: qc is needed with a carrier", "qc");
    const form = new Form(lib, this, "gear", { given: [at.systems] });
    return form.made(() => {
      const { teeth_a, teeth_b } = this, sizes = { axis_a: 3, axis_b: 3, qa: 7, qb: 7, ...(at.systems === 3 ? { qc: 7 } : {}) };
      assign(lib, form.at, form.struct, "Gear", { teeth_a, teeth_b });
      const rows = Object.entries(sizes).map(([name, size]) => form.owned.row(vector("Gear", name, this[name], size)));
      lib.check("Gear: axis or pose", 0, "perp_gear_place", form.at, ...rows, ...(at.systems === 3 ? [] : [0]));
    });
  }
}

/** Two stops: for a unilateral law of size 1, such as newton_impact(e). */
export const joint_stops = (of, lower, upper, translation = false) =>
  new JointCoordinate({ of, use: "stops", translation, lower, upper, centre: translation ? 0 : (lower + upper) / 2 });
/** A drive of prescribed rate({t}): for equality(). */
export const joint_drive = (of, rate, translation = false) => new JointCoordinate({ of, use: "rate", translation, rate });
/** A drive of limited effort, or with no rate dry friction: for box(-limit, limit). */
export const joint_effort = (of, rate, translation = false) => new JointCoordinate({ of, use: "effort", translation, rate });

/** What needs a library: poses, and joints that are placed. */
export function placing(lib) {
  const joint = (kind, point, axis, qa, qb, lead = 0) => {
    const bodies = qb === undefined ? 1 : 2, form = new Joint({ kind }).made(lib, bodies);
    try {
      return lib.briefly((owned) => {
        const rows = [["point", point, 3], ["axis", axis, 3], ["qa", qa, 7], ["qb", qb, 7]].map(([name, row, n]) =>
          (row === undefined || row === null ? 0 : owned.row(vector("joint", name, row, n))));
        lib.check("joint: point, axis or pose", 0, "perp_joint_place", form.at, ...rows);
        const of = (name) => lib.get(form.at, form.struct, name);
        return new Joint({ kind, point_a: of("point_a"), point_b: of("point_b"), frame_a: of("frame_a"), frame_b: of("frame_b"),
          lead: real("joint", "lead", lead), bodies });
      });
    } finally {
      form.release();
    }
  };
  return {
    /** Seven positions of a body whose centre of mass is at x (m), turned by angle (rad) about axis. */
    pose_at: (x, axis = [1, 0, 0], angle = 0) => lib.briefly((owned) => {
      const centre = vector("pose_at", "x", x, 3, { finite: true }), about = vector("pose_at", "axis", axis, 3, { finite: true });
      if (about.every((a) => a === 0)) throw new ArgumentError("pose_at: axis has no direction", "axis");
      const Q = owned.block(32);
      lib.call("perp_rotation_quaternion", owned.row(about), real("pose_at", "angle", angle), Q);
      return Float64Array.of(...centre, ...lib.copied(Q, 4));
    }),
    /** 3 x 3 matrix by rows that maps the frame of the body to the fixed frame, of a unit quaternion. */
    rotation_matrix: (Q) => lib.briefly((owned) => {
      const at = owned.block(72);
      lib.call("perp_rotation_matrix", owned.row(vector("rotation_matrix", "Q", Q, 4)), at);
      const R = lib.copied(at, 9);
      return [0, 1, 2].map((i) => [R[i], R[i + 3], R[i + 6]]);
    }),
    joint,
    spherical_joint: (point, qa, qb) => joint("spherical", point, null, qa, qb),
    pivot_joint: (point, axis, qa, qb) => joint("pivot", point, axis, qa, qb),
    prismatic_joint: (point, axis, qa, qb) => joint("prismatic", point, axis, qa, qb),
    cylindrical_joint: (point, axis, qa, qb) => joint("cylindrical", point, axis, qa, qb),
    fixed_joint: (point, qa, qb) => joint("fixed", point, null, qa, qb),
    screw_joint: (point, axis, lead, qa, qb) => joint("screw", point, axis, qa, qb, lead),
    /** Angle or translation of a joint while its bodies are at q, 7 entries each. */
    coordinate_value: (of, q, translation = false) => {
      const row = vector("coordinate_value", "q", q);
      if (!(of instanceof Joint)) throw new ArgumentError("coordinate_value: of is no Joint", "of");
      if (row.length !== 7 && row.length !== 14)
        throw new ArgumentError(`coordinate_value: q has ${row.length} entries, 7 or 14 are needed`, "q", -1, row.length);
      const form = of.made(lib, row.length / 7);
      try {
        return lib.briefly((owned) => {
          const value = owned.block(8);
          lib.check("coordinate_value", 0, "perp_joint_coordinate_value", form.at, Number(Boolean(translation)), owned.row(row), 0, value, 0);
          return lib.copied(value, 1)[0];
        });
      } finally {
        form.release();
      }
    },
  };
}
