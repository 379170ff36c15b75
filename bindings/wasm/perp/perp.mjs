// SPDX-License-Identifier: MIT
// perp for JavaScript: nonsmooth dynamical systems, in a browser, in node, in a worker.
//
//   import { load } from "perp-dynamics";
//   const perp = await load();
//   const m = new perp.Model();
//   const ball = m.add(new perp.LagrangianLinear({ M: 1, f: [-9.81] }), { q0: [1] });
//   const floor = m.connect(new perp.LagrangianLinearRelation({ H: [1] }), perp.newton_impact(0.9), ball);
//   const sim = new perp.Simulation(m, { h: 1e-3 });
//   sim.run({ until: 2 });
//   console.log(sim.time, sim.q(ball)[0], sim.lambda(floor)[0]);
import * as errors from "./errors.mjs";
import * as laws from "./laws.mjs";
import * as relations from "./relations.mjs";
import * as systems from "./systems.mjs";
import { Sparse } from "./arrays.mjs";
import { Parameters } from "./describe.mjs";
import { Library } from "./library.mjs";
import { ContactPool, GROUND, InteractionId, Model, SystemId } from "./model.mjs";
import { Method } from "./options.mjs";
import { Simulation } from "./simulation.mjs";
import { Problem, Solution, solving } from "./solvers.mjs";
import { EventDriven } from "./events.mjs";
import * as bodies from "./bodies.mjs";

export { ArgumentError, BackendError, BusyError, CallbackError, ClosedError, NotFiniteError, PerpError, Retry, Status, UnsupportedError,
  WorkspaceError } from "./errors.mjs";
export * from "./systems.mjs";
export * from "./relations.mjs";
export { Body, BodyContact, Gear, Joint, JointCoordinate, PointPlane, SpherePlane, SphereSphere, ball, brick, joint_drive, joint_effort,
  joint_stops } from "./bodies.mjs";
export { ContactPool, EventDriven, InteractionId, Model, Problem, Simulation, Sparse, SystemId };

const { Law, VERTICAL, verify, distance, equality, complementarity, newton_impact, box, relay, mixed, polyhedron, compliant,
  friction_2d, friction_3d, rolling_2d, rolling_3d, fremond_2d, fremond_3d, cohesive_2d, cohesive_3d, impact, piecewise_linear,
  relay_dead_zone, user_law } = laws;
const values = {
  Law, VERTICAL, equality, complementarity, newton_impact, box, relay, mixed, polyhedron, compliant, friction_2d, friction_3d,
  rolling_2d, rolling_3d, fremond_2d, fremond_3d, cohesive_2d, cohesive_3d, impact, piecewise_linear, relay_dead_zone, user_law,
};

const { placing, ...ofBodies } = bodies;
const { errorOf, statusName, ...ofErrors } = errors;

/** An instance of the library, with a memory of its own. Made by load(). */
function instance(module) {
  const lib = new Library(module);
  const perp = {
    ...ofErrors, ...systems, ...relations, ...values, ...ofBodies, ...placing(lib), ...solving(lib), Sparse, ContactPool, GROUND,
    SystemId, InteractionId, Simulation, EventDriven, Problem, Solution,
    Model: class extends Model {
      constructor() { super(lib); }
    },
    parameters: (row) => new Parameters(lib, row),
    verify: (law, y, lambda) => verify(lib, law, y, lambda),
    distance: (law, y, lambda) => distance(lib, law, y, lambda),
    method: (name, options) => new Method(name, options),
    version: lib.text(lib.call("perp_version_string")),
    /** The functions of C, the memory, and what they hold; for those who know. */
    c: lib.c,
    get memory_bytes() { return lib.memory.buffer.byteLength; },
    get callbacks() { return lib.taken; },
  };
  return Object.freeze(perp);
}

/** Load the library: from its file beside this one, from bytes, a WebAssembly.Module, a Response or a promise of these. */
export async function load(source) {
  const given = await (source ?? beside());
  if (given instanceof WebAssembly.Module) return instance(given);
  const isResponse = typeof Response !== "undefined" && given instanceof Response;
  if (isResponse && !given.ok) throw new errors.BackendError(`load: ${given.url}: ${given.status} ${given.statusText}`);
  return instance(await WebAssembly.compile(isResponse ? await given.arrayBuffer() : given));
}

async function beside() {
  const url = new URL("./perp.wasm", import.meta.url);
  if (url.protocol !== "file:") return fetch(url);
  const { readFile } = await import("node:fs/promises");
  return readFile(url);
}
