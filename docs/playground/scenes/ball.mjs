// SPDX-License-Identifier: MIT
// A ball, the way it came, and the heights that it should reach: H e^(2n).
import { arrow, disc, label, polyline, show } from "../canvas.mjs";

const g9 = 9.81;
// A step that comes to rest cannot tell energies nearer than this (J), at θ = ½.
const resolved = (run) => (g9 * run.p.h) ** 2 / 8 + 1e-12 * run.top;
const SECONDS = 3; // of the way shown

export const ball = {
  name: "ball",
  title: "Ball",
  about: "A ball of 1 kg falls on a floor. An impact turns its speed into −e times itself: each bounce is e² as high as the one before, and after finitely many seconds it lies still.",
  pace: 1,
  window: 5,
  parameters: { e: 0.8, theta: 0.5, h: 1e-3, height: 1 },
  place: (p) => ({ q: [p.height], v: [0] }),
  build(perp, p, from) {
    const model = new perp.Model();
    const ball = model.add(new perp.LagrangianLinear({ M: 1, f: [-g9] }), { q0: from.q, v0: from.v });
    model.connect(new perp.LagrangianLinearRelation({ H: [1] }), perp.newton_impact(p.e), ball);
    return { model, options: { solver: "lemke" } };
  },
  joule: (sim) => sim.v()[0] ** 2 / 2 + g9 * sim.q()[0],
  push: { amount: 3, text: "upwards by 3 m/s" },
  controls: [
    { name: "e", label: "Restitution", symbol: "e", unit: "", min: 0, max: 1, step: 0.01 },
    { name: "theta", label: "Implicitness", symbol: "θ", unit: "", min: 0, max: 1, step: 0.01 },
    { name: "h", label: "Step", symbol: "h", unit: "ms", min: 0.1, max: 200, log: true, scale: 1e3 },
    { name: "height", label: "Height at reset", symbol: "H", unit: "m", min: 0.1, max: 3, step: 0.05, atReset: true },
  ],
  signal: { title: "Height", unit: "m", zero: true, colours: ["body"], read: (s) => [s.q[0]] },
  energy: { unit: "J" },
  numbers: (s, p) => [
    ["Height q", `${show(s.q[0])} m`],
    ["Velocity v", `${show(s.v[0])} m/s`],
    ["Floor’s force λ/h", `${show(s.lambda[0] / p.h)} N`],
  ],
  checks: (s, run) => [
    [run.most <= run.top + resolved(run), run.most <= run.top + resolved(run)
      ? "Energy has never grown"
      : `Energy has grown by ${show(run.most - run.top, 2)} J${run.p.theta < 0.5 ? ": θ < ½" : ""}`],
    [run.deepest <= run.allowed, `Deepest in the floor: ${show(1e3 * run.deepest, 2)} mm`],
  ],

  draw(g, width, height, s, run, c) {
    const wide = width < 460 ? 2 : SECONDS, text = { colour: c.soft, font: c.font };
    const trail = run.trail.filter((at) => at.t >= s.t - wide);
    const high = Math.max(run.start.height * 1.08, ...trail.map((at) => at.q[0])) || 1;
    const radius = Math.max(9, Math.min(20, width / 36)), floor = height - 26;
    const y = (q) => floor - radius - (q / high) * (floor - 2 * radius - 14);
    const now = width * 0.78, x = (t) => now - ((s.t - t) / wide) * (now - 30);
    if (run.fresh) this.apexes(g, width, y, run, text, c, high);
    polyline(g, [[0, floor + 1.5], [width, floor + 1.5]], c.ink, 3);
    polyline(g, trail.map((at) => [x(at.t), y(at.q[0])]), c.body, 2);
    const force = s.lambda[0] / run.p.h;
    arrow(g, now, floor + 2, 0, -Math.min(70, 18 * Math.log2(1 + force / g9)), c.force, 4);
    disc(g, now, y(s.q[0]), radius, c.body);
    label(g, `q = ${show(s.q[0], 3)} m`, now + radius + 8, Math.min(y(s.q[0]), floor - 12), { ...text, colour: c.ink, size: 13 });
    if (force > 0) label(g, "λ", now - radius - 12, floor - 12, { ...text, colour: c.force, font: c.serif, size: 17 });
  },

  apexes(g, width, y, run, text, c, high) {
    g.setLineDash([3, 5]);
    let before = Infinity;
    for (let n = 0, at = run.start.height; n < 8; n++, at *= run.start.e ** 2) {
      if (at < 0.01 * high || Math.abs(y(at) - before) < 14) break;
      before = y(at);
      polyline(g, [[8, before], [width - 8, before]], c.line, 1.5);
      label(g, n === 0 ? "H" : n === 1 ? "e²H" : `e${"⁰¹²³⁴⁵⁶⁷⁸⁹"[Math.floor((2 * n) / 10)].replace("⁰", "")}${"⁰¹²³⁴⁵⁶⁷⁸⁹"[(2 * n) % 10]}H`,
        10, before - 8, text);
    }
    g.setLineDash([]);
  },
};
