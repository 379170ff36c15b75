// SPDX-License-Identifier: MIT
// A ball of 1 kg falls on a floor; each bounce reaches e² of the height before (m, kg, s).
import { load } from "perp-dynamics";

const perp = await load();
const m = new perp.Model();
const ball = m.add(new perp.LagrangianLinear({ M: 1, f: [-9.81] }), { q0: [1] });
m.connect(new perp.LagrangianLinearRelation({ H: [1] }), perp.newton_impact(0.5), ball);

const sim = new perp.EventDriven(m);
for (const event of sim.events(2))
  console.log(`t = ${event.t.toFixed(6)} s: ${event.kinds.join(", ")}, v = ${event.v[0].toFixed(4)} before, ${sim.v(ball)[0].toFixed(4)} after`);
console.log(sim.status, sim.q(ball)[0].toFixed(6));
