// SPDX-License-Identifier: MIT
// What a program in TypeScript does with perp, to be checked by tsc --strict and run by node.
import { load, ArgumentError, Simulation } from "perp-dynamics";
import type { Contact, Event, Perp, Solution, StatusName } from "perp-dynamics";

const perp: Perp = await load();

const m = new perp.Model();
const ball = m.add(new perp.LagrangianLinear({ M: 1, f: [-9.81], force: ({ t, out }) => { out[0] = 0 * t; } }), { q0: [1], v0: 0 });
const floor = m.connect(new perp.LagrangianLinearRelation({ H: [1] }), perp.newton_impact(0.9), ball);
const sim = new perp.Simulation(m, { h: 1e-3, on_failure: "retry", solver: perp.method("lemke", { max_iter: 100 }) });
const status: StatusName = sim.run({ until: 1, observe: (s: Simulation) => s.time < 0.9 });
const heights: Float64Array = sim.q(ball);
const forces: number[] = sim.contacts().map((c: Contact) => c.force[0]!);
for (const s of sim) if (s.step_index > 1000) break;
console.log(status, heights[0], sim.force(floor)[0], forces.length, sim.ending, sim.report().steps, sim.energy().total);

const pendulum = new perp.Lagrangian({
  n: 1, M: [[1]], internal: ({ q, v }) => [9.81 * Math.sin(q[0]!) + 0.1 * v[0]!], internal_dq: ({ q }) => [[9.81 * Math.cos(q[0]!)]], internal_dv: [[0.1]],
});
const swing = new perp.Model();
swing.add(pendulum, { q0: [1] });
const events = new perp.EventDriven(swing, { guards: [{ value: (s) => s.q(0)[0]!, direction: -1 }], zeno: "jump" });
const seen: Event[] = [...events.events(2)];
console.log(seen.length, seen[0]?.kinds);

const answer: Solution = perp.solve_lcp([[2, 1], [1, 2]], [-5, -6], "lemke", { tol: 1e-12 });
const law = perp.user_law(1, { set: "orthant", unilateral: true, restitute: (_, { ydot }) => [0.5 * ydot[0]!] });
console.log(answer.solved, Array.from(answer.z), law.size, perp.c.perp_version());

try {
  new perp.Simulation(m, { h: 0 });
} catch (error) {
  if (!(error instanceof ArgumentError)) throw error;
  console.log(error.field, error.value, error.message);
}

// What is wrong, and has to be seen:
// @ts-expect-error a field that there is not
() => new perp.LagrangianLinear({ M: 1, mass: 2 });
// @ts-expect-error an interaction is no system
() => sim.q(floor);
// @ts-expect-error a word that there is not
() => new perp.Simulation(m, { projection: "some" });
// @ts-expect-error what a force is not handed
() => new perp.LagrangianLinear({ M: 1, force: ({ q }) => q });
// @ts-expect-error a number is no law
() => m.connect(new perp.LagrangianLinearRelation({ H: [1] }), 0.9, ball);
