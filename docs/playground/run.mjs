// SPDX-License-Identifier: MIT
// A scene that runs: its model, composed by the scene from a few numbers, and what is watched of each step.
import { ArgumentError } from "perp.mjs";

/** A number that the scene needs in some other way than the library would say. */
export function require(holds, name, value, rule) {
  if (!holds) throw new ArgumentError(`${name} = ${value}: ${rule}`, name, -1, value);
}

export class Run {
  #perp;
  #scene;
  #sim = null;
  #state;
  #energy = 0;
  parameters;

  constructor(perp, scene) {
    this.#perp = perp;
    this.#scene = scene;
    this.#begin({ ...scene.parameters }, null);
  }

  /** Begin with parameters p: at a state, or anew; what is refused leaves the run as it was. */
  #begin(p, state) {
    for (const [name, value] of Object.entries(p)) require(Number.isFinite(value), name, value, "must be finite");
    const from = state ?? { t: 0, ...this.#scene.place(p) }, { model, options } = this.#scene.build(this.#perp, p, from);
    let sim;
    try { // it goes on from where a coarse step left it
      sim = new this.#perp.Simulation(model, { h: p.h, theta: p.theta, t0: from.t, min_gap: -Infinity, ...options });
    } finally {
      model.close();
    }
    this.#sim?.close();
    this.#sim = sim;
    this.parameters = p;
    this.gain = this.residual = 0;
    this.#look();
  }

  #look() {
    const s = this.#sim;
    this.#state = { t: s.time, q: s.q().slice(), v: s.v().slice(), x: s.x().slice(), y: s.y().slice(), lambda: s.lambda().slice() };
    this.#energy = this.#scene.joule(s, this.parameters);
  }

  /** Change parameters and go on. */
  set(values) { this.#begin({ ...this.parameters, ...values }, this.#state); }
  /** Back to the beginning, with changed parameters if there are any. */
  reset(values = {}) { this.#begin({ ...this.parameters, ...values }, null); }
  /** Change velocity or voltage and go on. */
  push(amount) {
    const state = { ...this.#state, v: this.#state.v.slice(), x: this.#state.x.slice() };
    (state.v.length > 0 ? state.v : state.x)[0] += amount;
    this.#begin(this.parameters, state);
  }

  /** Take so many steps; one that fails throws, and the state is that before it. */
  run(steps = 1) {
    const sim = this.#sim;
    this.gain = this.residual = 0;
    try {
      for (let k = 0; k < steps; k++) {
        const status = sim.step();
        if (status !== "OK") throw new Error(sim.ending);
        const energy = this.#scene.joule(sim, this.parameters);
        this.residual = Math.max(this.residual, sim.relative_residual);
        this.gain = Math.max(this.gain, energy - this.#energy);
        this.#energy = energy;
      }
    } finally {
      this.#look();
    }
  }

  get q() { return this.#state.q; }
  get v() { return this.#state.v; }
  get x() { return this.#state.x; }
  get y() { return this.#state.y; }
  get lambda() { return this.#state.lambda; }
  get time() { return this.#state.t; }
  /** J */
  get energy() { return this.#energy; }
  free() { this.#sim.close(); }
}
