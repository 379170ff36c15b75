// SPDX-License-Identifier: MIT
// What the tests of perp.mjs claim, in node and in a browser alike.
const shown = (x) => (typeof x === "object" && x !== null ? JSON.stringify(Array.from(x)?.length ? Array.from(x) : x) : String(x));

export function ok(condition, what = "it does not hold") {
  if (!condition) throw new Error(what);
}
export function same(a, b, what = "") {
  if (!Object.is(a, b)) throw new Error(`${what} ${shown(a)} is not ${shown(b)}`);
}
/** Arrays, entry by entry, with their bits. */
export function bits(a, b, what = "") {
  same(a.length, b.length, `${what} length`);
  for (let i = 0; i < a.length; i++) same(a[i], b[i], `${what}[${i}]`);
}
export function near(a, b, delta = 1e-12, what = "") {
  const [x, y] = [a, b].map((n) => (typeof n === "number" ? [n] : Array.from(n)));
  same(x.length, y.length, `${what} length`);
  x.forEach((n, i) => ok(Math.abs(n - y[i]) <= delta, `${what}[${i}] ${n} is not ${y[i]} within ${delta}`));
}
/** What a call throws, which has to be of a class, and to say what is asked for. */
export function thrown(body, Kind = Error, words = "") {
  try {
    body();
  } catch (error) {
    ok(error instanceof Kind, `${error?.name}: ${error?.message} is no ${Kind.name}`);
    ok(error.message.includes(words), `"${error.message}" does not say "${words}"`);
    return error;
  }
  throw new Error(`nothing was thrown: ${body}`);
}
