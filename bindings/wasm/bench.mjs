// SPDX-License-Identifier: MIT
// Times of perp.mjs:  node bindings/wasm/bench.mjs   after scripts/build-wasm; each the best of twenty.
import { load } from "../../build/npm/perp.mjs";

const perp = await load(), G = 9.81;

/** Microseconds of one of n. */
function best(n, body) {
  let least = Infinity;
  for (let round = 0; round < 20; round++) {
    const begin = performance.now();
    body(n);
    least = Math.min(least, performance.now() - begin);
  }
  return (1e3 * least) / n;
}

function column(n, more = {}) {
  const m = new perp.Model(), bead = new perp.LagrangianLinear({ M: 1, f: [-G], ...more }), law = perp.newton_impact(0.6);
  const ground = new perp.LagrangianLinearRelation({ H: [1] }), pair = new perp.LagrangianLinearRelation({ H: [-1, 1], b: [-0.1] });
  for (let i = 0; i < n; i++) {
    m.add(bead, { q0: [0.3 + 0.125 * i] });
    m.connect(i === 0 ? ground : pair, law, i === 0 ? [0] : [i - 1, i]);
  }
  return m;
}

const steps = (m) => {
  const sim = new perp.Simulation(m, { h: 1e-3 });
  sim.run({ until: 1 });
  return sim;
};
const say = (what, us) => console.log(`${what.padEnd(44)} ${us.toPrecision(3)} us`);
const ball = steps(column(1)), own = steps(column(1, { force: () => 0 })), beads = steps(column(100));
const plain = best(20000, (n) => ball.run({ steps: n })), called = best(20000, (n) => own.run({ steps: n }));
say("a step of a ball", plain);
say("a force in JavaScript adds to it", called - plain);
say("a step of a ball, asked for one by one", best(20000, (n) => { for (let k = 0; k < n; k++) ball.step(); }));
say("sim.q(ball)", best(20000, (n) => { for (let k = 0; k < n; k++) ball.q(0); }));
say("a step of 100 beads", best(300, (n) => beads.run({ steps: n })));
say("a model of 100 beads and its simulation", best(10, (n) => { for (let k = 0; k < n; k++) { const m = column(100); new perp.Simulation(m).close(); m.close(); } }));
