// SPDX-License-Identifier: MIT
// Lines over the last seconds of simulated time, linear or logarithmic.
import { label, polyline, raised, show, surface } from "./canvas.mjs";

const MOST = 2000; // samples
const FLOOR = -18; // power of ten at which a logarithmic plot draws 0

/** Steps of 1, 2 or 5 times a power of ten, about n of them between low and high. */
function ticks(low, high, n) {
  const rough = (high - low) / n, ten = 10 ** Math.floor(Math.log10(rough));
  const step = ten * [1, 2, 5, 10].find((m) => m * ten >= rough);
  const first = Math.ceil(low / step), count = Math.floor(high / step + 1e-9) - first + 1;
  if (!(count >= 1 && count <= 100)) return []; // of numbers so far away that they have no neighbours
  return Array.from({ length: count }, (_, i) => (first + i) * step);
}

function plain(x, ticksShown) {
  const step = ticksShown.length > 1 ? ticksShown[1] - ticksShown[0] : Math.abs(x) || 1;
  const digits = Math.max(0, Math.min(6, -Math.floor(Math.log10(step) + 1e-9)));
  return Math.abs(x) >= 1e5 || step < 1e-6 ? show(x, 2) : x.toFixed(digits).replace("-", "−");
}

export class Plot {
  /** window: simulated seconds shown; log: powers of ten from 10^-18; mark: a line to be drawn at. */
  constructor(canvas, { window, timeScale = 1, timeUnit = "s", log = false, mark = null, zero = false }) {
    Object.assign(this, { canvas, window, timeScale, timeUnit, log, mark, zero });
    this.clear();
  }

  clear() {
    this.samples = []; // [t, value, value, ...]
  }

  push(t, values) {
    this.samples.push([t, ...values]);
    const old = t - 1.1 * this.window;
    let drop = Math.max(0, this.samples.length - MOST);
    while (drop < this.samples.length - 2 && this.samples[drop][0] < old) drop++;
    if (drop > 64 || this.samples.length > MOST) this.samples.splice(0, drop);
  }

  #range(from) {
    let low = this.zero ? 0 : Infinity, high = this.zero ? 0 : -Infinity;
    for (const sample of this.samples) {
      if (sample[0] < from) continue;
      for (let k = 1; k < sample.length; k++) {
        if (!Number.isFinite(sample[k])) continue;
        low = Math.min(low, sample[k]);
        high = Math.max(high, sample[k]);
      }
    }
    if (!(high >= low)) return [0, 1];
    const room = high - low > 1e-12 * Math.max(Math.abs(high), Math.abs(low)) ? (high - low) * 0.07 : Math.abs(high) || 1;
    return [this.zero && low === 0 ? 0 : low - room, high + room];
  }

  #powers() {
    let high = -6;
    for (const sample of this.samples)
      if (sample[1] > 0) high = Math.max(high, Math.min(300, Math.ceil(Math.log10(sample[1]))));
    return [FLOOR, high];
  }

  draw(palette, lineColours) {
    const { g, width, height } = surface(this.canvas);
    const last = this.samples.at(-1)?.[0] ?? 0, from = Math.max(this.samples[0]?.[0] ?? 0, last - this.window);
    const [low, high] = this.log ? this.#powers() : this.#range(from);
    const box = { left: 46, right: width - 8, top: 8, bottom: height - 22 };
    const x = (t) => box.left + ((t - from) / this.window) * (box.right - box.left);
    const y = (v) => box.bottom - ((v - low) / (high - low)) * (box.bottom - box.top);
    const height10 = (v) => (v > 0 ? Math.max(FLOOR, Math.min(high, Math.log10(v))) : FLOOR);
    const text = { colour: palette.soft, font: palette.font, size: 11 };
    this.#grid(g, palette, text, box, { low, high, x, y, from });
    g.save();
    g.beginPath();
    g.rect(box.left, box.top - 4, box.right - box.left + 4, box.bottom - box.top + 8);
    g.clip();
    const lines = (this.samples.at(-1)?.length ?? 1) - 1;
    for (let k = 1; k <= lines; k++) {
      const points = [];
      for (const s of this.samples)
        if (s[0] >= from - this.window * 0.05 && s.length > k && !Number.isNaN(s[k]))
          points.push([x(s[0]), y(this.log ? height10(s[k]) : s[k])]);
      polyline(g, points, lineColours[(k - 1) % lineColours.length], lines > 4 ? 1.2 : 1.8);
      const end = points.at(-1);
      if (end !== undefined && lines <= 4) {
        g.beginPath();
        g.arc(...end, 3, 0, 7);
        g.fillStyle = lineColours[(k - 1) % lineColours.length];
        g.fill();
      }
    }
    g.restore();
  }

  #grid(g, palette, text, box, { low, high, x, y, from }) {
    g.lineWidth = 1;
    const powers = [];
    for (let p = FLOOR; this.log && p <= high; p += high > 30 ? 60 : 3) powers.push(p);
    const marks = this.log ? powers : ticks(low, high, 4);
    for (const v of marks) {
      const at = Math.round(y(v)) + 0.5;
      polyline(g, [[box.left, at], [box.right, at]], palette.line, 1);
      const name = !this.log ? plain(v, marks) : v === FLOOR ? "0" : `10${raised(v)}`;
      label(g, name, box.left - 6, at, { ...text, align: "right" });
    }
    if (this.mark !== null) {
      const at = y(Math.log10(this.mark.value));
      g.setLineDash([4, 4]);
      polyline(g, [[box.left, at], [box.right, at]], palette.soft, 1);
      g.setLineDash([]);
      label(g, this.mark.name, box.right, at - 8, { ...text, align: "right" });
    }
    const scale = this.timeScale, times = ticks(from * scale, (from + this.window) * scale, 4);
    for (const t of times) {
      if (x(t / scale) > box.right - 24) continue;
      label(g, plain(t, times), x(t / scale), box.bottom + 12, { ...text, align: "center" });
    }
    label(g, this.timeUnit, box.right, box.bottom + 12, { ...text, align: "right" });
  }
}
