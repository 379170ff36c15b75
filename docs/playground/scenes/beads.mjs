// SPDX-License-Identifier: MIT
// A column of beads, and beside it the force in each contact with the weight that lies on it.
import { disc, label, near, polyline, show } from "../canvas.mjs";
import { require } from "../run.mjs";

const R = 0.05, WEIGHT = 9.81;
const LINES = 24; // paths in the plot, at most

export const beads = {
  name: "beads",
  title: "Beads",
  about: "Beads of 1 kg, 10 cm thick, fall on the ground and on each other. One complementarity problem a step finds all contact forces; at rest each contact carries the weight above it.",
  pace: 1,
  window: 4,
  parameters: { e: 0.6, theta: 0.5, h: 1e-3, beads: 12 },
  place(p) {
    require(Number.isInteger(p.beads) && p.beads >= 1 && p.beads <= 100, "beads", p.beads, "must be a whole number from 1 to 100");
    return { q: Array.from({ length: p.beads }, (_, i) => 6 * R + 2.5 * R * i), v: new Float64Array(p.beads) };
  },
  build(perp, p, from) {
    const model = new perp.Model(), bead = new perp.LagrangianLinear({ M: 1, f: [-WEIGHT] }), law = perp.newton_impact(p.e);
    const ground = new perp.LagrangianLinearRelation({ H: [1], b: [-R] });
    const contact = new perp.LagrangianLinearRelation({ H: [-1, 1], b: [-2 * R] });
    for (let i = 0; i < p.beads; i++) {
      model.add(bead, { q0: [from.q[i]], v0: [from.v[i]] });
      if (i === 0) model.connect(ground, law, i);
      else model.connect(contact, law, i - 1, i);
    }
    return { model, options: { solver: "active-set" } };
  },
  // Zero where every bead lies on the one below.
  joule(sim) {
    const q = sim.q(), v = sim.v();
    let sum = 0;
    for (let i = 0; i < q.length; i++) sum += v[i] * v[i] / 2 + WEIGHT * (q[i] - R - 2 * R * i);
    return sum;
  },
  push: { amount: 6, text: "lowest bead upwards by 6 m/s" },
  controls: [
    { name: "beads", label: "Number of beads", symbol: "n", unit: "", min: 1, max: 100, step: 1, restart: true },
    { name: "e", label: "Restitution", symbol: "e", unit: "", min: 0, max: 1, step: 0.01 },
    { name: "theta", label: "Implicitness", symbol: "θ", unit: "", min: 0, max: 1, step: 0.01 },
    { name: "h", label: "Step", symbol: "h", unit: "ms", min: 0.1, max: 100, log: true, scale: 1e3 },
  ],
  signal: {
    title: "Heights", unit: "m", zero: true, colours: ["body"],
    read(s) {
      const every = Math.ceil(s.q.length / LINES);
      return Array.from(s.q).filter((_, i) => i % every === 0 || i === s.q.length - 1);
    },
  },
  energy: { unit: "J" },
  numbers: (s, p) => [
    ["Top bead", `${show(s.q.at(-1))} m`],
    ["Force on the ground", `${show(s.lambda[0] / p.h)} N`],
    ["Weight of all", `${show(WEIGHT * s.q.length)} N`],
    ["Contacts that carry", `${s.lambda.filter((l) => l > 0).length} of ${s.q.length}`],
  ],
  checks: (s, run) => [
    [run.deepest <= run.allowed, `Deepest overlap: ${show(1e3 * run.deepest, 2)} mm`],
    [Math.abs(s.energy) <= run.most, `Energy never above ${show(run.most, 3)} J`],
  ],

  draw(g, width, height, s, run, c) {
    const n = s.q.length, text = { colour: c.soft, font: c.font };
    const floor = height - 22, world = Math.max(6 * R + 2.5 * R * (n - 1) + R, s.q.at(-1) + R);
    const scale = Math.min((floor - 12) / world, 360), y = (z) => floor - z * scale;
    const middle = Math.max(40, Math.min(width * 0.24, 150)), left = middle + Math.max(R * scale, 6) + 34;
    polyline(g, [[0, floor + 1.5], [width, floor + 1.5]], c.ink, 3);
    const full = WEIGHT * n, force = (i) => s.lambda[i] / run.p.h;
    const room = width - left - 18, bar = (f) => Math.min(1.25, f / full) * (room / 1.25);
    for (let i = 0; i < n; i++) {
      const load = Math.min(1, Math.max(0, force(i)) / full);
      const radius = Math.max(1.5, R * scale - 0.7);
      disc(g, middle, y(s.q[i]), radius, c.body);
      g.globalAlpha = Math.sqrt(load);
      disc(g, middle, y(s.q[i]), radius, c.force);
      g.globalAlpha = 1;
      if (force(i) > 0) {
        const thick = Math.max(1.5, Math.min(10, R * scale));
        g.fillRect(left, near(y(s.q[i] - R)) - thick / 2, Math.max(1.5, bar(force(i))), thick);
      }
    }
    this.static(g, s, { left, bar, y, full }, text, c);
  },

  // What each contact carries at rest.
  static(g, s, { left, bar, y, full }, text, c) {
    const n = s.q.length;
    g.setLineDash([4, 4]);
    polyline(g, Array.from(s.q, (z, i) => [left + bar(WEIGHT * (n - i)), y(z - R)]), c.soft, 1.3);
    g.setLineDash([]);
    polyline(g, [[left, y(0)], [left, 14]], c.line, 1);
    label(g, "contact force", left + 8, 20, { ...text, colour: c.force, size: 13 });
    label(g, "weight above (dashed)", left + 8, 38, { ...text, size: 13 });
    label(g, `${show(full, 3)} N`, left + bar(full), y(0) + 13, { ...text, align: "center" });
  },
};
