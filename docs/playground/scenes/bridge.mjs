// SPDX-License-Identifier: MIT
// The circuit, its conducting diodes lit, and charge that wanders along its wires.
//   a: A→P, b: B→P, c: N→A, d: N→B;  currents y1, λ3, y0, λ2, reverse voltages λ1, y3, λ0, y2.
import { arrow, label, polyline, show } from "../canvas.mjs";
import { require } from "../run.mjs";

const L = 1e-2, C = 1e-6, OMEGA = 1e4; // H, F, rad/s: the resonance

export const bridge = {
  name: "bridge",
  title: "Diode bridge",
  about: "A coil and a capacitor swing; a bridge of four ideal diodes turns their voltage v into |v| at the resistor. The source drives them at their resonance, 1.59 kHz; without it they run down.",
  pace: 5e-4,
  window: 3e-3,
  parameters: { R: 1000, theta: 0.5, h: 1e-6, drive: 0.01 },
  place: () => ({ x: [10, 0] }),
  // C dv/dt = −i − λ2 + λ3 + I cos(ωt),  L di/dt = v;  λ0, λ1 are voltages of two diodes, λ2, λ3 currents of the others.
  build(perp, p, from) {
    require(p.R > 0, "R", p.R, "must be > 0");
    const model = new perp.Model(), g = 1 / p.R;
    const oscillator = model.add(new perp.FirstOrderLinear({
      A: [[0, -1 / C], [1 / L, 0]],
      input: ({ t, out }) => { out[0] = (p.drive / C) * Math.cos(OMEGA * t); },
    }), { x0: from.x });
    model.connect(new perp.LinearRelation({
      C: [[0, 0], [0, 0], [-1, 0], [1, 0]], B: [[0, 0, -1 / C, 1 / C], [0, 0, 0, 0]],
      D: [[g, g, -1, 0], [g, g, 0, -1], [1, 0, 0, 0], [0, 1, 0, 0]],
    }), perp.complementarity(), oscillator);
    return { model, options: { solver: "lemke" } };
  },
  joule(sim) {
    const [v, i] = sim.x();
    return (C * v * v + L * i * i) / 2;
  },
  timeScale: 1e3,
  timeUnit: "ms",
  push: { amount: 5, text: "the capacitor by 5 V" },
  controls: [
    { name: "R", label: "Resistor", symbol: "R", unit: "Ω", min: 20, max: 20000, log: true },
    { name: "drive", label: "Source", symbol: "I", unit: "mA", min: 0, max: 30, step: 0.1, scale: 1e3 },
    { name: "theta", label: "Implicitness", symbol: "θ", unit: "", min: 0.5, max: 1, step: 0.01 },
    { name: "h", label: "Step", symbol: "h", unit: "µs", min: 0.1, max: 100, log: true, scale: 1e6 },
  ],
  signal: {
    title: "v and load", unit: "V", colours: ["body", "force"],
    read: (s) => [s.x[0], s.lambda[0] + s.lambda[1]],
  },
  energy: { unit: "µJ", scale: 1e6 },
  numbers: (s, p) => [
    ["Capacitor v", `${show(s.x[0])} V`],
    ["Coil i", `${show(1e3 * s.x[1])} mA`],
    ["Resistor, voltage", `${show(s.lambda[0] + s.lambda[1])} V`],
    ["Resistor, current", `${show((1e3 * (s.lambda[0] + s.lambda[1])) / p.R)} mA`],
  ],
  checks: (s, run) => [
    [run.most <= run.bound * 1.02, `Energy ≤ ${show(1e6 * run.bound, 3)} µJ, the bound`],
    [rectified(s) <= 1e-9 * (1 + Math.abs(s.x[0])), "Resistor sees |v|"],
  ],
  // Of what C v'' + v'/R + v/L = I' can hold: the start (and pushes), or the driven amplitude R I.
  bound: (energy, p) => {
    const amplitude = p.R * p.drive + Math.sqrt((2 * energy) / 1e-6);
    return (1e-6 * amplitude * amplitude) / 2;
  },

  draw(g, width, height, s, run, c) {
    const size = Math.min(height * 0.4, width * 0.21), cx = width - size - 34, cy = height * 0.5;
    const P = [cx, cy - size], N = [cx, cy + size], A = [cx - size, cy], B = [cx + size, cy];
    const last = cx - size - (width < 460 ? 40 : 66), tank = [20, (20 + last) / 2, last];
    const top = 18, bottom = height - 16;
    const current = { a: s.y[1], b: s.lambda[3], c: s.y[0], d: s.lambda[2] };
    const load = current.a + current.b, leaving = current.a - current.c;
    const most = Math.max(run.peak?.(Math.abs(load)) ?? Math.abs(load), 1e-6);
    const wire = (points, i) => this.wire(g, points, i / most, run.clock, c);
    wire([[tank[0], top], [tank[2], top]], 0);
    wire([[tank[0], bottom], [tank[2], bottom]], 0);
    wire([[tank[2], top], [A[0], top], A], leaving);
    wire([B, [B[0] + 20, B[1]], [B[0] + 20, bottom], [tank[2], bottom]], leaving);
    wire([A, P], current.a);
    wire([B, P], current.b);
    wire([N, A], current.c);
    wire([N, B], current.d);
    wire([P, N], load);
    const beside = Math.max(14, size * 0.17) / 2 + 7, x = s.x, text = { colour: c.ink, font: c.font, size: 13 };
    this.source(g, tank[0], top, bottom, run.p.drive, c);
    this.coil(g, tank[1], top, bottom, x[1] / (10 / 100), c);
    this.capacitor(g, tank[2], top, bottom, x[0] / 10, c);
    for (const [name, from, to] of [["a", A, P], ["b", B, P], ["c", N, A], ["d", N, B]])
      this.diode(g, from, to, current[name] / most, size, c);
    this.resistor(g, cx, cy, size, load / most, c);
    label(g, "I", tank[0] + 17, cy, { ...text, font: c.serif, size: 15 });
    label(g, "L", tank[1] + 15, cy, { ...text, font: c.serif, size: 15 });
    label(g, "C", tank[2] + 19, cy - 14, { ...text, font: c.serif, size: 15 });
    label(g, `${show(x[0], 3)} V`, tank[2] + 8, cy + 20, { ...text, colour: c.body });
    label(g, "R", cx + beside, cy - 10, { ...text, font: c.serif, size: 15 });
    label(g, `${show(s.lambda[0] + s.lambda[1], 3)} V`, cx + beside, cy + 10, { ...text, colour: c.force });
  },

  wire(g, points, flow, clock, c) {
    polyline(g, points, c.soft, 1.6);
    if (!(Math.abs(flow) > 0.02)) return;
    const dots = [];
    let rest = (((clock * 40 * Math.sign(flow)) % 18) + 18) % 18;
    for (let i = 1; i < points.length; i++) {
      const [x0, y0] = points[i - 1], [x1, y1] = points[i], length = Math.hypot(x1 - x0, y1 - y0);
      for (; rest < length; rest += 18)
        dots.push([x0 + ((x1 - x0) * rest) / length, y0 + ((y1 - y0) * rest) / length]);
      rest -= length;
    }
    g.fillStyle = c.force;
    g.globalAlpha = Math.min(1, 0.25 + Math.abs(flow));
    for (const [x, y] of dots) {
      g.beginPath();
      g.arc(x, y, 2.6, 0, 7);
      g.fill();
    }
    g.globalAlpha = 1;
  },

  diode(g, from, to, flow, size, c) {
    const half = Math.max(9, size * 0.13), angle = Math.atan2(to[1] - from[1], to[0] - from[0]);
    g.save();
    g.translate((from[0] + to[0]) / 2, (from[1] + to[1]) / 2);
    g.rotate(angle);
    g.beginPath();
    g.moveTo(-half, -half);
    g.lineTo(-half, half);
    g.lineTo(half * 0.8, 0);
    g.closePath();
    g.fillStyle = flow > 1e-6 ? c.force : c.card;
    g.strokeStyle = flow > 1e-6 ? c.force : c.soft;
    g.lineWidth = 1.8;
    if (flow > 1e-6) {
      g.shadowColor = c.force;
      g.shadowBlur = 16 * Math.min(1, flow);
    }
    g.fill();
    g.stroke();
    g.shadowBlur = 0;
    polyline(g, [[half * 0.85, -half], [half * 0.85, half]], g.strokeStyle, 2.4);
    g.restore();
  },

  resistor(g, x, y, size, flow, c) {
    const w = Math.max(14, size * 0.17), h = size * 0.62;
    g.beginPath();
    g.roundRect(x - w / 2, y - h / 2, w, h, 3);
    g.fillStyle = c.card;
    g.fill();
    g.globalAlpha = Math.min(1, flow * flow) * 0.8;
    g.fillStyle = c.force;
    g.fill();
    g.globalAlpha = 1;
    g.strokeStyle = c.ink;
    g.lineWidth = 1.8;
    g.stroke();
  },

  source(g, x, top, bottom, amplitude, c) {
    const middle = (top + bottom) / 2, r = 12;
    polyline(g, [[x, top], [x, middle - r]], c.soft, 1.6);
    polyline(g, [[x, middle + r], [x, bottom]], c.soft, 1.6);
    g.beginPath();
    g.arc(x, middle, r, 0, 7);
    g.strokeStyle = amplitude === 0 ? c.line : c.ink;
    g.lineWidth = 1.8;
    g.stroke();
    arrow(g, x, middle + 7, 0, -14, g.strokeStyle, 1.8);
  },

  coil(g, x, top, bottom, current, c) {
    const middle = (top + bottom) / 2, turns = 4, r = 9;
    polyline(g, [[x, top], [x, middle - turns * r]], c.soft, 1.6);
    polyline(g, [[x, middle + turns * r], [x, bottom]], c.soft, 1.6);
    g.beginPath();
    for (let k = 0; k < turns; k++) g.arc(x, middle - (turns - 1 - 2 * k) * r, r, -Math.PI / 2, Math.PI / 2);
    g.strokeStyle = c.ink;
    g.lineWidth = 1.8 + 2 * Math.min(1, Math.abs(current));
    g.stroke();
  },

  capacitor(g, x, top, bottom, voltage, c) {
    const middle = (top + bottom) / 2, gap = 5, half = 15;
    polyline(g, [[x, top], [x, middle - gap]], c.soft, 1.6);
    polyline(g, [[x, middle + gap], [x, bottom]], c.soft, 1.6);
    g.globalAlpha = Math.min(1, 0.15 + Math.abs(voltage));
    polyline(g, [[x - half, middle - gap], [x + half, middle - gap]], c.body, 4);
    polyline(g, [[x - half, middle + gap], [x + half, middle + gap]], c.body, 4);
    g.globalAlpha = 1;
  },
};

const rectified = (s) => Math.abs(s.lambda[0] + s.lambda[1] - Math.abs(s.x[0]));
