// SPDX-License-Identifier: MIT
// The tests of perp.mjs in a page, and in a worker of it; what fails is told by name, with why.
import { load } from "../../build/npm/perp.mjs";
import { hostile } from "./hostile.mjs";
import { models } from "./models.mjs";

async function results() {
  const text = await (await fetch("../golden/golden.txt")).text(), found = {}, perp = await load();
  const lines = Object.fromEntries(text.split("\n").map((line) => [line.split(" ")[0], line.slice(line.indexOf(" ") + 1)]));
  const bytes = async () => (await fetch("../../build/npm/perp.wasm")).arrayBuffer();
  for (const [name, check] of Object.entries({ ...models, ...hostile }))
    found[name] = await Promise.resolve().then(() => check(perp, { lines, load, bytes })).then(() => "", (error) => String(error));
  return found;
}

if (typeof document === "undefined") postMessage(await results());
else {
  window.inPage = await results();
  const worker = new Worker("page.mjs", { type: "module" });
  worker.onmessage = ({ data }) => { window.inWorker = data; };
  worker.onerror = (event) => { window.inWorker = { worker: event.message }; };
}
