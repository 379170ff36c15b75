// SPDX-License-Identifier: MIT
// A box on a slope, the cones of friction under its edges and the forces within them.
import { arrow, label, near, polyline, show } from "../canvas.mjs";
import { require } from "../run.mjs";

const G = 9.81, MASS = 2, HALF = 0.2, HIGH = 0.15;
const INERTIA = [MASS, MASS, MASS * (HALF * HALF + HIGH * HIGH) / 3];
const radian = Math.PI / 180;
const weight = (p) => [MASS * G * Math.sin(radian * p.slope), -MASS * G * Math.cos(radian * p.slope), 0];
const still = (v) => (Math.abs(v) > 1e-9 ? v : 0); // of rounding
const ARROW = 62; // pixels of the box's weight

export const box = {
  name: "box",
  title: "Friction",
  about: "A box slides on two contacts with Coulomb friction. The force of each lies in its cone: on the edge while it slides, anywhere inside once it sticks, which it does for good where tan α ≤ μ.",
  pace: 1,
  parameters: { mu: 0.4, slope: 0, speed: 3, theta: 0.5, h: 1e-3 },
  place: (p) => ({ q: [0, 0, 0], v: [p.speed, 0, 0] }),
  // q = (along the slope, off it, angle), the angle small; a contact at each end of the lower side.
  build(perp, p, from) {
    require(Math.abs(p.slope) <= 60, "slope", p.slope, "must be from -60 to 60");
    const model = new perp.Model();
    const box = model.add(new perp.LagrangianLinear({ M: INERTIA, f: weight(p) }), { q0: from.q, v0: from.v });
    const edges = [[0, 1, HALF], [1, 0, HIGH], [0, 1, -HALF], [1, 0, HIGH]];
    model.connect(new perp.LagrangianLinearRelation({ H: edges }), perp.friction_2d(p.mu), box);
    return { model, options: { solver: "friction-lemke" } };
  },
  joule(sim, p) {
    const q = sim.q(), v = sim.v(), f = weight(p);
    return INERTIA.reduce((sum, m, i) => sum + m * v[i] * v[i] / 2 - f[i] * q[i], 0);
  },
  window: 4,
  push: { amount: 2, text: "downhill by 2 m/s" },
  controls: [
    { name: "mu", label: "Friction", symbol: "μ", unit: "", min: 0, max: 1, step: 0.01 },
    { name: "slope", label: "Slope", symbol: "α", unit: "°", min: 0, max: 40, step: 0.5 },
    { name: "speed", label: "Speed at reset", symbol: "v₀", unit: "m/s", min: 0, max: 5, step: 0.1, atReset: true },
    { name: "theta", label: "Implicitness", symbol: "θ", unit: "", min: 0, max: 1, step: 0.01 },
    { name: "h", label: "Step", symbol: "h", unit: "ms", min: 0.1, max: 100, log: true, scale: 1e3 },
  ],
  signal: { title: "Speed", unit: "m/s", zero: true, colours: ["body"], read: (s) => [s.v[0]] },
  energy: { unit: "J" },
  numbers: (s) => [
    ["Slid", `${show(s.q[0])} m`],
    ["Speed", `${show(still(s.v[0]))} m/s`],
    ["Front, rτ / rν", s.lambda[0] > 0 ? show(s.lambda[1] / s.lambda[0], 3) : "open"],
    ["Rear, rτ / rν", s.lambda[2] > 0 ? show(s.lambda[3] / s.lambda[2], 3) : "open"],
  ],
  checks: (s, run) => [
    [run.gain <= 1e-9 * (1 + run.most), run.gain <= 1e-9 * (1 + run.most)
      ? "No step has gained energy" : `A step gained ${show(run.gain, 2)} J`],
    [inCone(s.lambda, run.p.mu), "Forces are within their cones"],
    ...state(s, run.p),
  ],

  draw(g, width, height, s, run, c) {
    const angle = (run.p.slope * Math.PI) / 180, scale = Math.min(width / 1.7, height / 1.05);
    const ground = height * (0.72 - 0.18 * Math.sin(angle)), text = { colour: c.soft, font: c.font };
    g.save();
    g.translate(width * 0.5, ground);
    g.rotate(angle);
    this.floor(g, s.q[0], scale, width, text, c);
    const edge = [[HALF, s.lambda[0], s.lambda[1]], [-HALF, s.lambda[2], s.lambda[3]]];
    const unit = ARROW / (MASS * G * run.p.h);
    g.save();
    g.translate(0, near(-s.q[1] * scale));
    g.rotate(-s.q[2] % (2 * Math.PI));
    g.beginPath();
    g.roundRect(-HALF * scale, -2 * HIGH * scale, 2 * HALF * scale, 2 * HIGH * scale, 5);
    g.fillStyle = c.body;
    g.fill();
    label(g, `${show(still(s.v[0]), 3)} m/s`, 0, -HIGH * scale, { colour: c.card, font: c.font, align: "center", size: 15 });
    g.restore();
    for (const [at, normal, tangent] of edge) this.cone(g, at * scale, run.p.mu, normal, tangent, unit, c);
    arrow(g, 0, -2 * HIGH * scale - 14, Math.min(90, Math.abs(s.v[0]) * 26) * Math.sign(s.v[0]), 0, c.body, 3);
    g.restore();
    if (run.p.slope !== 0) label(g, `α = ${show(run.p.slope, 3)}°`, 14, height - 18, { ...text, size: 13 });
  },

  floor(g, moved, scale, width, text, c) {
    const far = width, step = 0.25 * scale, shift = (((moved * scale) % step) + step) % step;
    polyline(g, [[-far, 1.5], [far, 1.5]], c.ink, 3);
    const first = Math.round((moved * scale - shift) / step);
    for (let k = -Math.ceil(far / step); k * step < far; k++) {
      const x = k * step - shift, number = first + k;
      polyline(g, [[x, 3], [x, number % 4 === 0 ? 13 : 8]], c.soft, 1.2);
      if (number % 4 === 0) label(g, `${number / 4} m`.replace("-", "−"), x, 24, { ...text, align: "center" });
    }
  },

  // The cone from the contact upwards, the force on the box from there.
  cone(g, x, mu, normal, tangent, unit, c) {
    const high = ARROW, wide = Math.min(mu, 40) * high;
    g.beginPath();
    g.moveTo(x, 0);
    g.lineTo(x - wide, -high);
    g.lineTo(x + wide, -high);
    g.closePath();
    g.fillStyle = c.forceSoft;
    g.fill();
    arrow(g, x, 0, tangent * unit, -normal * unit, c.force, 3.5);
  },
};

function inCone(lambda, mu) {
  const room = 1e-9 * Math.max(...lambda.map(Math.abs));
  return [0, 2].every((i) => Math.abs(lambda[i + 1]) <= mu * lambda[i] + room);
}

function state(s, p) {
  const slides = still(s.v[0]) !== 0;
  const held = Math.abs(Math.tan((p.slope * Math.PI) / 180)) <= p.mu;
  return slides ? [[true, "Slides"]] : [[held || s.t === 0, "Sticks"]];
}
