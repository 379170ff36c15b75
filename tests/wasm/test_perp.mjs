// SPDX-License-Identifier: MIT
// bindings/wasm/perp.mjs in node:  node --test tests/wasm/test_perp.mjs   (after scripts/build-wasm)
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { load, PerpError, Simulation } from "../../bindings/wasm/perp.mjs";

const bytes = readFileSync(new URL("../../build/wasm/playground.wasm", import.meta.url));
const perp = await load(bytes);
const G = 9.81;

/** That f throws a PerpError of this status and field, and says `words`. */
function refused(f, status, field, words) {
  assert.throws(f, (error) => {
    assert.ok(error instanceof PerpError && error instanceof Error, String(error));
    assert.equal(error.status, status, String(error));
    assert.equal(error.field, field, String(error));
    assert.match(error.message, words);
    return true;
  });
}

/** Whatever a simulation tells of itself. */
function all(sim) {
  const { parameters, q, v, x, y, lambda, time, energy, gain, residual } = sim;
  return { parameters, q, v, x, y, lambda, time, energy, gain, residual };
}

test("the module asks its host for nothing", () => {
  assert.deepEqual(WebAssembly.Module.imports(new WebAssembly.Module(bytes)), []);
});

test("what is loaded may be bytes, a module or a response", async () => {
  const from = [bytes, new WebAssembly.Module(bytes), new Response(bytes), Promise.resolve(new Response(bytes))];
  for (const source of from) assert.equal((await load(source)).version, perp.version);
  await assert.rejects(load(new Response("", { status: 404 })), /404/);
  await assert.rejects(load(new Uint8Array(3)), WebAssembly.CompileError);
});

test("an LCP's answer fulfils the law, its arrays are the caller's", () => {
  let seed = 7;
  const random = () => ((seed = (seed * 48271) % 2147483647) / 2147483647) * 2 - 1;
  for (let n = 0; n <= 64; n += 8) {
    const A = Array.from({ length: n }, () => Array.from({ length: n }, random));
    const M = A.map((row, i) => A.map((other, j) => row.reduce((s, a, k) => s + a * other[k], i === j ? 1 : 0)));
    const q = Float64Array.from({ length: n }, random);
    const { z, w, residual } = perp.lcp(M, q);
    perp.lcp([[1]], [-1000]); // z and w are no views into its memory
    assert.ok(residual <= 1e-10);
    for (let i = 0; i < n; i++) {
      const exact = q[i] + M[i].reduce((s, m, j) => s + m * z[j], 0);
      assert.ok(Math.abs(exact - w[i]) < 1e-9 && z[i] >= 0 && w[i] > -1e-9, `n = ${n}, i = ${i}`);
      assert.ok(Math.abs(z[i] * w[i]) < 1e-9);
    }
  }
});

test("M is taken by rows", () => {
  const { z, w } = perp.lcp([[1, 4], [0, 1]], [-9, -2]);
  assert.deepEqual([[...z], [...w]], [[1, 2], [0, 0]]);
});

test("an LCP of a wrong shape, with NaN or without a solution is refused by name", () => {
  refused(() => perp.lcp([[1]], [1, 2]), -1, "M", /1 rows/);
  refused(() => perp.lcp([[1, 0], [0]], [1, 2]), -1, "M", /M\[1\]: has 1 entries instead of 2/);
  refused(() => perp.lcp([[1, 0], [0, 1]], undefined), -1, "q", /not an array/);
  refused(() => perp.lcp(null, [1]), -1, "M", /rows/);
  refused(() => perp.lcp([[1, NaN], [0, 1]], [1, 2]), -6, "M[0]", /M\[0\]\[1\]: is NaN/);
  refused(() => perp.lcp([[1]], [Infinity]), -6, "q", /q\[0\]: is Infinity/);
  refused(() => perp.lcp([["1"]], [1]), -1, "M[0]", /not a number/);
  refused(() => perp.lcp(Array(65).fill(Array(65).fill(0)), Array(65).fill(0)), -1, "q", /at most 64/);
  refused(() => perp.lcp([[-1]], [-1]), 4, null, /no solution/);
});

test("a ball's bounces lose e² of their height, and its energy never grows", () => {
  const e = 0.5, h = 1e-4, ball = perp.simulation("ball", { e, h });
  const resolved = (G * h) ** 2 / 8; // what the step that comes to rest may gain, see the scheme
  const apexes = [1];
  let before = ball.q[0], rising = false;
  for (let k = 0; k < 15000; k++) {
    const energy = ball.energy;
    ball.run();
    const q = ball.q[0];
    assert.ok(ball.energy <= energy + resolved && ball.energy <= G + 1e-12, `step ${k}`);
    assert.ok(Math.abs(ball.energy - (ball.v[0] ** 2 / 2 + G * ball.q[0])) < 1e-12);
    if (rising && q <= before) apexes.push(before);
    rising = q > before;
    before = q;
  }
  assert.ok(apexes.length > 4);
  for (let n = 1; n < 4; n++) assert.ok(Math.abs(apexes[n] / apexes[n - 1] / e ** 2 - 1) < 0.01, `${apexes}`);
  assert.ok(Math.abs(ball.lambda[0] / (G * h) - 1) < 1e-9); // it rests
});

test("changed parameters carry on from where it is; reset begins anew", () => {
  const ball = perp.simulation("ball", { h: 1e-3 });
  ball.run(100);
  const [q, v, t] = [ball.q[0], ball.v[0], ball.time];
  ball.set({ e: 0.3, h: 5e-4 });
  assert.deepEqual([ball.q[0], ball.v[0], ball.time], [q, v, t]);
  ball.run(2);
  assert.ok(Math.abs(ball.time - t - 1e-3) < 1e-12 && ball.q[0] < q);
  ball.push(4);
  assert.ok(Math.abs(ball.v[0] - (v - G * 1e-3) - 4) < 1e-9);
  ball.reset();
  assert.deepEqual([ball.q[0], ball.v[0], ball.time, ball.parameters.e], [1, 0, 0, 0.3]);
});

test("wrong parameters are refused by name, and leave the run as it was", () => {
  refused(() => perp.simulation("cube"), -1, "cube", /no such scene/);
  refused(() => perp.simulation("ball", { f: 1 }), -1, "f", /no such parameter/);
  refused(() => perp.simulation("ball", { e: "0.5" }), -1, "e", /not a number/);
  refused(() => perp.simulation("ball", { e: NaN }), -6, "e", /NaN/);
  const wrong = [["ball", "e", 1.5], ["ball", "e", -1], ["ball", "h", 0], ["ball", "h", -1], ["ball", "theta", 2],
    ["beads", "beads", 0], ["beads", "beads", 2.5], ["beads", "beads", 101], ["bridge", "R", 0], ["box", "mu", -1],
    ["box", "slope", 90]];
  for (const change of ["set", "reset"])
    for (const [scene, field, value] of wrong) {
      const sim = perp.simulation(scene), twin = perp.simulation(scene);
      for (const one of [sim, twin]) {
        one.run(600); // beads and ball are on their way, or have met the ground
        one.set({ theta: 0.75 });
        one.run(10);
      }
      refused(() => sim[change]({ [field]: value }), -1, field, /out of range/);
      assert.deepEqual(all(sim), all(twin), `${change} ${scene}.${field}`);
      sim.run(10);
      twin.run(10);
      assert.deepEqual(all(sim), all(twin), `${change} ${scene}.${field}, and on`);
    }
  const ball = perp.simulation("ball");
  for (const steps of [-1, 1.5, NaN, "3", 2 ** 31]) refused(() => ball.run(steps), -1, "steps", /whole number/);
  refused(() => ball.push(NaN), -6, "amount", /NaN/);
});

test("a push that is refused leaves the run as it was", () => {
  const ball = perp.simulation("ball"), twin = perp.simulation("ball");
  for (const one of [ball, twin]) {
    one.run(500);
    one.push(1.7e308);
  }
  refused(() => ball.push(1.7e308), -6, "v0", /NaN or infinity/);
  assert.deepEqual(all(ball), all(twin));
  for (const one of [ball, twin]) {
    one.reset();
    one.run(500);
  }
  assert.deepEqual(all(ball), all(twin));
});

test("a step that fails throws, and the state is as it was", () => {
  const ball = perp.simulation("ball");
  ball.run(50);
  const q = ball.q[0];
  ball.set({ h: 1e308 });
  assert.throws(() => ball.run(3), (error) => error instanceof PerpError && error.status === -6 && /finite|infinity/.test(error.message));
  assert.equal(ball.q[0], q);
  ball.set({ h: 1e-3 });
  ball.run(50);
  assert.ok(ball.q[0] < q);
});

test("a freed simulation throws; arrays taken before stay", () => {
  const ball = perp.simulation("ball"), q = ball.q;
  ball.free();
  ball.free();
  for (const use of [() => ball.run(), () => ball.set({}), () => ball.reset(), () => ball.push(1), () => ball.q,
    () => ball.lambda, () => ball.time, () => ball.energy, () => ball.residual, () => ball.parameters])
    refused(use, -1, null, /was freed/);
  assert.equal(q[0], 1);
});

test("two simulations share nothing", () => {
  const [a, b] = [perp.simulation("ball"), perp.simulation("beads")];
  a.run(100);
  const q = a.q[0];
  b.run(100);
  assert.equal(a.q[0], q);
  assert.ok(a instanceof Simulation && a.q.length === 1 && b.q.length === 12);
});

test("every scene begins with the parameters that it names", () => {
  assert.deepEqual(perp.scenes, ["ball", "beads", "bridge", "box"]);
  for (const scene of perp.scenes) {
    const sim = perp.simulation(scene);
    assert.deepEqual(sim.parameters, perp.parameters(scene));
    sim.run(2000);
    assert.ok(sim.residual <= 1e-10 && sim.time > 0);
  }
});
