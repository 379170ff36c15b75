// SPDX-License-Identifier: MIT
// Size of the module, and steps per second of two scenes:  node bench.mjs playground.wasm
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { load } from "./perp.mjs";

const bytes = readFileSync(process.argv[2]);
const perp = await load(bytes);
console.log(`${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} with gzip`);
for (const [name, scene, p, steps] of [["ball", "ball", { e: 0.8, h: 1e-4 }, 200000],
                                       ["100 beads", "beads", { e: 0.6, h: 1e-3, beads: 100 }, 3000]]) {
  const sim = perp.simulation(scene, p);
  let best = Infinity;
  for (let round = 0; round < 5; round++) {
    sim.reset();
    const start = performance.now();
    sim.run(steps);
    best = Math.min(best, (performance.now() - start) / 1000);
  }
  console.log(`${name.padEnd(10)} ${(steps / best).toPrecision(3)} steps/s`);
}
