// SPDX-License-Identifier: MIT
// perp.mjs of build/npm in node: node --test tests/wasm/test_perp.mjs, after scripts/build-wasm.
import test from "node:test";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { load } from "../../build/npm/perp.mjs";
import { hostile } from "./hostile.mjs";
import { models } from "./models.mjs";
import { ok, same } from "./say.mjs";

const golden = readFileSync(new URL("../golden/golden.txt", import.meta.url), "utf8");
const lines = Object.fromEntries(golden.split("\n").map((line) => [line.split(" ")[0], line.slice(line.indexOf(" ") + 1)]));
const bytes = () => readFile(new URL("../../build/npm/perp.wasm", import.meta.url));
const perp = await load();
for (const [name, check] of Object.entries({ ...models, ...hostile })) test(name, () => check(perp, { lines, load, bytes }));

test("what is forgotten is given back by the garbage collector", { skip: globalThis.gc ? false : "node runs without --expose-gc" }, async () => {
  const force = () => 0, all = [];
  const make = () => {
    const m = new perp.Model(), ball = m.add(new perp.LagrangianLinear({ M: 1, force }), { q0: [1] });
    m.connect(new perp.LagrangianLinearRelation({ H: [1] }), perp.impact(() => [0]), ball);
    all.push(new WeakRef(m), new WeakRef(new perp.Simulation(m, { h: 1e-3 })), new WeakRef(perp.parameters([1])),
      new WeakRef(new perp.EventDriven(m, { guards: [{ value: () => 1 }] })), new WeakRef(new perp.Solver("nsgs", { observe: () => {} })));
  };
  const turns = async () => {
    for (let k = 0; k < 10; k++) {
      await new Promise((done) => setTimeout(done, 5));
      globalThis.gc();
    }
  };
  await turns();
  const before = perp.callbacks;
  for (let k = 0; k < 50; k++) make();
  ok(perp.callbacks > before + 100);
  await turns();
  same(all.filter((one) => one.deref() !== undefined).length, 0);
  same(perp.callbacks, before);
});
