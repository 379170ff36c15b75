// SPDX-License-Identifier: MIT
// The first of the scripts of a page of perp view, which are one after another: what is in the page. All
// texts of a log become text of the page, never its markup.
"use strict";
const { uPlot } = libraries;
const byId = (id) => document.getElementById(id);
const about = JSON.parse(byId("about").textContent);

function element(tag, text = "", more = {}) {
  const e = document.createElement(tag);
  e.textContent = text;
  return Object.assign(e, more);
}

/** A number with so many significant digits, as one reads it. */
function shown(x, digits = 6) {
  if (x === null || x === undefined) return "\u2013";
  if (!Number.isFinite(x)) return String(x);
  const text = x !== 0 && (Math.abs(x) < 1e-4 || Math.abs(x) >= 1e7) ? x.toExponential(digits - 1).replace(/\.?0+e/, "e")
    : String(Number(x.toPrecision(digits)));
  return text.replace("-", "\u2212").replace("e+", "e");
}

const withUnit = (text, unit) => (unit && unit !== "1" ? `${text} ${unit}` : text);

// ---- numbers of the page, see view.cpp ----

const BYTES = { f64: 8, f32: 4, i16: 2 };

function bytesOf(id) {
  const text = atob(byId(id).textContent.trim()), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes.buffer;
}

/** n numbers at a place of a buffer; with a form that is not f64 scaled by the two before. */
function numbers(buffer, at, n, form, scaled) {
  const [offset, scale] = scaled ? new Float64Array(buffer.slice(at, at + 16)) : [0, 1];
  const from = at + (scaled ? 16 : 0), raw = buffer.slice(from, from + n * BYTES[form]);
  if (form === "f64") return new Float64Array(raw);
  const all = Float64Array.from(form === "f32" ? new Float32Array(raw) : new Int16Array(raw));
  for (let i = 0; i < n; i++) all[i] = form === "i16" && all[i] === -32768 ? NaN : offset + scale * all[i];
  return all;
}

/** Columns with their names; x and y of one are unpacked when they are asked for. */
class Data {
  constructor() {
    this.inOrder = true;
    this.columns = about.columns.map(([quantity, member, memberName, component, unit], index) => {
      const q = about.quantities[quantity];
      const part = q.components > 1 ? `.${q.componentNames[component] || component}` : "";
      return { index, quantity, member, memberName, component, unit, name: `${memberName}.${q.name}${part}` };
    });
    this.buffer = bytesOf("numbers");
    this.cache = new Map();
    const { what, form, points } = about.data;
    this.isShared = what === "shared";
    if (this.isShared) {
      this.times = this.#ordered(numbers(this.buffer, 0, points, "f64", false));
      return;
    }
    this.begin = [0]; // of each column
    for (const n of points) this.begin.push(this.begin.at(-1) + (n > 0 ? 2 * (16 + n * BYTES[form]) : 0));
  }

  // Times that a plot can be over: else the number of the sample.
  #ordered(x) {
    for (let i = 0; i < x.length; i++)
      if (!Number.isFinite(x[i]) || (i > 0 && x[i] < x[i - 1])) {
        this.inOrder = false;
        return x.map((_, k) => k);
      }
    return x;
  }

  /** Whether a column has a curve of its own; else it has the values of the frames. */
  hasCurve(index) { return this.isShared || about.data.points[index] > 0; }

  /** { x, y } of a column, Float64Array each. */
  curve(index) {
    if (this.cache.has(index)) return this.cache.get(index);
    const { form, points } = about.data;
    let curve;
    if (this.isShared) {
      const at = 8 * points + index * (16 + points * BYTES[form]);
      curve = { x: this.times, y: numbers(this.buffer, at, points, form, true) };
    } else if (!this.hasCurve(index)) {
      const frames = this.frames();
      curve = { x: frames.times, y: frames.of(index) };
    } else {
      const n = points[index], at = this.begin[index];
      curve = { x: this.#ordered(numbers(this.buffer, at, n, form, true)),
        y: numbers(this.buffer, at + 16 + n * BYTES[form], n, form, true) };
    }
    this.cache.set(index, curve);
    return curve;
  }

  /** Times and values of columns that stand for places, at times common to all. */
  frames() { return (this.framed ??= this.#frames()); }

  #frames() {
    if (this.isShared) return { times: this.times, of: (index) => this.curve(index).y };
    if (!about.frames) return { times: new Float64Array(), of: () => null };
    const { form, points, columns } = about.frames, buffer = bytesOf("frames");
    const place = new Map(columns.map((column, k) => [column, k]));
    return { times: this.#ordered(numbers(buffer, 0, points, "f64", false)), of: (index) =>
      numbers(buffer, 8 * points + place.get(index) * (16 + points * BYTES[form]), points, form, true) };
  }
}

/** The last place of an ascending array whose number is not above x, at least 0. */
function placeOf(array, x) {
  let low = 0, high = array.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (array[middle] <= x) low = middle; else high = middle;
  }
  return low;
}
