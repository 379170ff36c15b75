// SPDX-License-Identifier: MIT
// A canvas in CSS pixels, and the colours of the page.

/** The canvas's context, cleared and scaled to the screen; with its width and height. */
export function surface(canvas) {
  const ratio = Math.min(window.devicePixelRatio || 1, 3);
  const { clientWidth: width, clientHeight: height } = canvas;
  const wide = Math.round(width * ratio), high = Math.round(height * ratio);
  if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
  const g = canvas.getContext("2d");
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  g.lineJoin = g.lineCap = "round";
  return { g, width, height };
}

export function colours() {
  const style = getComputedStyle(document.documentElement);
  const one = (name) => style.getPropertyValue(`--${name}`).trim();
  const names = ["page", "card", "ink", "soft", "line", "body", "body-soft", "force", "force-soft", "bad"];
  const found = Object.fromEntries(names.map((n) => [n.replace("-s", "S"), one(n)]));
  return { ...found, font: one("sans"), serif: one("serif") };
}

/** A coordinate not far off the canvas: one of 10^250 pixels would keep a browser busy for ever. */
export const near = (at) => Math.max(-5000, Math.min(5000, at));

export function polyline(g, points, colour, width = 2) {
  const seen = points.filter(([x, y]) => !Number.isNaN(x + y));
  if (seen.length < 2) return;
  g.beginPath();
  seen.forEach(([x, y], i) => (i === 0 ? g.moveTo(near(x), near(y)) : g.lineTo(near(x), near(y))));
  g.strokeStyle = colour;
  g.lineWidth = width;
  g.stroke();
}

export function label(g, text, x, y, { colour, font, align = "left", base = "middle", size = 12 }) {
  g.fillStyle = colour;
  g.font = `${size}px ${font}`;
  g.textAlign = align;
  g.textBaseline = base;
  g.fillText(text, near(x), near(y));
}

export function disc(g, x, y, radius, colour) {
  g.beginPath();
  g.arc(near(x), near(y), Math.min(radius, 1000), 0, 7);
  g.fillStyle = colour;
  g.fill();
}

export function arrow(g, x, y, dx, dy, colour, width = 3) {
  const length = Math.hypot(dx, dy);
  if (!(length > 2 && length < 5000)) return;
  const head = Math.min(10, length), ux = dx / length, uy = dy / length;
  const ex = x + dx - ux * head, ey = y + dy - uy * head;
  polyline(g, [[x, y], [ex, ey]], colour, width);
  g.beginPath();
  g.moveTo(x + dx, y + dy);
  g.lineTo(ex - uy * head * 0.45, ey + ux * head * 0.45);
  g.lineTo(ex + uy * head * 0.45, ey - ux * head * 0.45);
  g.closePath();
  g.fillStyle = colour;
  g.fill();
}

/** A number for people: four digits, thin minus, powers of ten where they are shorter. */
export function show(x, digits = 4) {
  if (!Number.isFinite(x)) return x > 0 ? "∞" : x < 0 ? "−∞" : "not a number";
  if (x === 0) return "0";
  const size = Math.abs(x);
  const text = size >= 1e5 || size < 1e-3 ? power(x) : x.toPrecision(digits);
  return text.replace("-", "−");
}

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
export function raised(n) {
  return (n < 0 ? "⁻" : "") + [...String(Math.abs(n))].map((d) => RAISED[d]).join("");
}

function power(x) {
  const [front, exponent] = x.toExponential(1).split("e");
  return `${front}·10${raised(Number(exponent))}`;
}
