// SPDX-License-Identifier: MIT
// The page: one scene runs, in steps of the library; drawings, plots and numbers follow.
import wasm from "perp.wasm";
import { load } from "perp.mjs";
import { colours, show, surface } from "./canvas.mjs";
import { makeControls } from "./controls.mjs";
import { Plot } from "./plot.mjs";
import { Run } from "./run.mjs";
import { ball } from "./scenes/ball.mjs";
import { beads } from "./scenes/beads.mjs";
import { box } from "./scenes/box.mjs";
import { bridge } from "./scenes/bridge.mjs";

const scenes = [ball, beads, bridge, box];
const FRAME_MS = 9;    // for steps, of the 16 of a frame
const TRAIL_S = 4;     // of simulated seconds kept for drawings, at pace 1
const TOLERANCE = { value: 1e-10, name: "accepted" };
const byId = (id) => document.getElementById(id);

let perp, sim, scene, run, plots, palette, playing = true, owed = 0, before = 0;

/* What is remembered of a run, beside the simulation. */
function begin() {
  const p = sim.parameters;
  run = { p, start: p, fresh: true, trail: [], gain: 0, top: sim.energy, most: sim.energy, residual: 0,
          deepest: 0, allowed: 0, bound: 0, clock: 0, steps: 0 };
  raiseBound();
  owed = 0;
  Object.values(plots).forEach((plot) => plot.clear());
  sample();
}

function raiseBound() {
  if (scene.bound !== undefined) run.bound = Math.max(run.bound, scene.bound(sim.energy, run.p));
}

function snapshot() {
  return { t: sim.time, q: sim.q, v: sim.v, x: sim.x, y: sim.y, lambda: sim.lambda, energy: sim.energy };
}

function sample() {
  const s = snapshot();
  run.now = s;
  run.gain = Math.max(run.gain, sim.gain);
  run.most = Math.max(run.most, s.energy);
  run.residual = Math.max(run.residual, sim.residual);
  run.trail.push({ t: s.t, q: s.q });
  while (run.trail.length > 2000 || run.trail[0].t < s.t - TRAIL_S * scene.pace) run.trail.shift();
  for (const gap of scene === bridge ? [] : scene === box ? [s.y[0], s.y[2]] : s.y)
    run.deepest = Math.max(run.deepest, -gap);
  for (const v of s.v) run.speed = Math.max(run.speed ?? 0, Math.abs(v));
  // A step that lands may be on its way for all of it, and a neighbour comes the other way.
  run.allowed = Math.max(run.allowed, 2 * run.p.h * ((run.speed ?? 0) + 9.81 * run.p.h));
  plots.signal.push(s.t, scene.signal.read(s));
  plots.energy.push(s.t, [s.energy * (scene.energy.scale ?? 1)]);
  plots.residual.push(s.t, [sim.residual]);
}

/* Take steps; a failure stops the run and says why. */
function advance(steps) {
  try {
    sim.run(steps);
    run.steps += steps;
    sample();
    return true;
  } catch (error) {
    setPlaying(false);
    tell(`Stopped at t = ${show(sim.time)} s: ${error.message}`, true);
    return false;
  }
}

function frame(now) {
  requestAnimationFrame(frame);
  const elapsed = Math.min(0.1, (now - before) / 1000);
  before = now;
  if (playing) {
    run.clock += elapsed;
    owed += (elapsed * scene.pace) / run.p.h;
    catchUp();
  }
  draw();
}

function catchUp() {
  const until = performance.now() + FRAME_MS;
  const part = Math.max(1, Math.ceil(owed / 4)); // a few samples a frame
  while (owed >= 1) {
    const steps = Math.min(Math.floor(owed), part, 400);
    owed -= steps;
    if (!advance(steps)) return;
    if (performance.now() > until) {
      owed = Math.min(owed, 1); // slower than real time, but alive
      return;
    }
  }
}

function draw() {
  const { g, width, height } = surface(byId("stage"));
  if (width === 0) return;
  scene.draw(g, width, height, run.now, run, palette);
  const lines = scene.signal.colours.map((name) => palette[name]);
  plots.signal.draw(palette, lines);
  plots.energy.draw(palette, [palette.body]);
  plots.residual.draw(palette, [palette.force]);
  numbers();
}

function numbers() {
  const time = scene.timeScale ?? 1;
  const rows = [["Time t", `${show(run.now.t * time)} ${scene.timeUnit ?? "s"}`], ["Steps", String(run.steps)],
    ["Energy", `${show(run.now.energy * (scene.energy.scale ?? 1))} ${scene.energy.unit}`],
    ...scene.numbers(run.now, run.p), ["Largest residual", show(run.residual, 2)]];
  fill(byId("numbers"), rows, ([name, text]) => [name, text], ["dt", "dd"]);
  const checks = [...scene.checks(run.now, run),
    [run.residual <= TOLERANCE.value, `Every step verified, residual ≤ 10⁻¹⁰`]];
  const list = byId("checks");
  fill(list, checks, ([, text]) => [text], ["li"]);
  checks.forEach(([good], i) => list.children[i].classList.toggle("bad", !good));
}

/* Texts into the children of a list, made once. */
function fill(node, rows, texts, tags) {
  const wanted = rows.flatMap(texts);
  while (node.children.length > wanted.length) node.lastChild.remove();
  wanted.forEach((text, i) => {
    if (node.children[i] === undefined) node.append(document.createElement(tags[i % tags.length]));
    if (node.children[i].textContent !== text) node.children[i].textContent = text;
  });
}

function tell(text, bad = false) {
  const status = byId("status");
  status.textContent = text;
  status.classList.toggle("bad", bad);
}

function setPlaying(on) {
  playing = on;
  byId("play").textContent = on ? "Pause" : "Run";
  tell(on ? "Running." : "Paused.");
}

/* Hand a changed parameter to the library; null, or why it was refused. */
function change(name, value) {
  const control = scene.controls.find((c) => c.name === name);
  try {
    if (control.restart) sim.reset({ [name]: value });
    else sim.set({ [name]: value });
  } catch (error) {
    tell(`Refused, the run goes on as before. ${error.message}`, true);
    return error.message;
  }
  run.p = sim.parameters;
  if (control.restart) begin();
  else if (control.atReset) tell("Counts from the next reset on.");
  else {
    Object.assign(run, { fresh: false, gain: 0, deepest: 0, most: sim.energy, top: sim.energy });
    raiseBound();
  }
  if (!control.atReset) tell(playing ? "Running." : "Paused.");
  return null;
}

function reset() {
  sim.reset();
  begin();
  setPlaying(true);
}

function step() {
  setPlaying(false);
  if (advance(1)) tell("One step.");
}

function push() {
  sim.push(scene.push.amount);
  Object.assign(run, { fresh: false, gain: 0, most: sim.energy, top: sim.energy });
  raiseBound();
  sample();
  tell(`Pushed ${scene.push.text}.`);
  if (!playing) setPlaying(true);
}

function open(index) {
  scene = scenes[index];
  sim?.free();
  sim = new Run(perp, scene);
  [...byId("tabs").children].forEach((tab, i) => {
    tab.setAttribute("aria-selected", String(i === index));
    tab.tabIndex = i === index ? 0 : -1;
  });
  byId("panel").setAttribute("aria-labelledby", `tab-${scene.name}`);
  byId("about").textContent = scene.about;
  byId("push").title = `Push ${scene.push.text}`;
  byId("stage").setAttribute("aria-label", `${scene.title}, animated. ${scene.about}`);
  const time = { window: scene.window, timeScale: scene.timeScale, timeUnit: scene.timeUnit };
  plots = {
    signal: new Plot(byId("signal"), { ...time, zero: scene.signal.zero }),
    energy: new Plot(byId("energy"), { ...time, zero: true }),
    residual: new Plot(byId("residual"), { ...time, log: true, mark: TOLERANCE }),
  };
  caption("signal", scene.signal.title, scene.signal.unit);
  caption("energy", "Energy", scene.energy.unit);
  caption("residual", "Residual, relative", "as verified");
  makeControls(byId("controls"), scene.controls, sim.parameters, change);
  byId("numbers").replaceChildren();
  byId("checks").replaceChildren();
  begin();
  setPlaying(!matchMedia("(prefers-reduced-motion: reduce)").matches);
}

function caption(id, title, unit) {
  byId(`${id}-caption`).innerHTML = "<b></b><span></span>";
  const [name, note] = byId(`${id}-caption`).children;
  name.textContent = title;
  note.textContent = unit;
  byId(id).setAttribute("aria-label", `${title} (${unit}) over the last seconds`);
}

function makeTabs() {
  scenes.forEach((s, i) => {
    const tab = document.createElement("button");
    Object.assign(tab, { type: "button", id: `tab-${s.name}`, textContent: s.title });
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", "panel");
    tab.setAttribute("aria-keyshortcuts", String(i + 1));
    tab.addEventListener("click", () => open(i));
    byId("tabs").append(tab);
  });
  byId("tabs").addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    const next = (scenes.indexOf(scene) + by + scenes.length) % scenes.length;
    open(next);
    byId("tabs").children[next].focus();
    event.preventDefault();
  });
}

function keys(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches?.("input[type=number]");
  const onButton = event.target.matches?.("button");
  if (typing || (onButton && (event.key === " " || event.key === "Enter"))) return;
  const actions = { " ": () => setPlaying(!playing), ".": step, r: reset, p: push };
  const action = actions[event.key.toLowerCase()] ?? (scenes[event.key - 1] && (() => open(event.key - 1)));
  if (!action) return;
  event.preventDefault();
  action();
}

function theme() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const names = ["auto", "light", "dark"];
  let chosen = 0;
  const apply = () => {
    const name = chosen === 0 ? (dark.matches ? "dark" : "light") : names[chosen];
    document.documentElement.dataset.theme = name;
    byId("theme").textContent = `Theme: ${names[chosen]}`;
    palette = colours();
  };
  dark.addEventListener("change", apply);
  byId("theme").addEventListener("click", () => {
    chosen = (chosen + 1) % names.length;
    apply();
  });
  apply();
}

theme();
perp = await load(wasm);
byId("version").textContent = perp.version;
makeTabs();
byId("play").addEventListener("click", () => setPlaying(!playing));
byId("step").addEventListener("click", step);
byId("push").addEventListener("click", push);
byId("reset").addEventListener("click", reset);
document.addEventListener("keydown", keys);
open(0);
requestAnimationFrame((now) => {
  before = now;
  requestAnimationFrame(frame);
});
// For the test in a browser, and for whoever wants to look in the console.
window.playground = { perp, get simulation() { return sim; }, get run() { return run; } };
