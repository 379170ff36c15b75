// SPDX-License-Identifier: MIT
// Models composed in JavaScript, against exact motions, discrete equations, and the bits of other platforms.
import { bits, near, ok, same, thrown } from "./say.mjs";

const G = 9.81;

export function ballModel(perp, { e = 0.9, q0 = 1, law = perp.newton_impact(e), ...more } = {}) {
  const m = new perp.Model();
  const ball = m.add(new perp.LagrangianLinear({ M: 1, f: [-G], ...more }), { q0: [q0] });
  const floor = m.connect(new perp.LagrangianLinearRelation({ H: [1] }), law, ball);
  return { m, ball, floor };
}

/** FNV-1a of bits, as tests/golden/golden.c has it. */
function hash() {
  let value = 14695981039346656037n;
  const bytes = new DataView(new ArrayBuffer(8));
  const take = (count) => {
    for (let i = 0; i < count; i++) value = ((value ^ BigInt(bytes.getUint8(i))) * 1099511628211n) & 0xffffffffffffffffn;
  };
  return {
    doubles: (row) => row.forEach((x) => { bytes.setFloat64(0, x, true); take(8); }),
    integer: (n) => { bytes.setInt32(0, n, true); take(4); },
    get text() { return value.toString(16).padStart(16, "0"); },
  };
}

/** The golden line of a run. */
function golden(perp, m, options, steps) {
  const sim = new perp.Simulation(m, options), h = hash();
  for (let k = 0; k < steps; k++) {
    same(sim.step(), "OK");
    for (let i = 0; i < m.systems; i++)
      if (options.integrator === "theta") h.doubles(sim.x(i)); else { h.doubles(sim.q(i)); h.doubles(sim.v(i)); }
    for (let i = 0; i < m.interactions; i++) h.doubles(sim.lambda(i));
  }
  h.integer(0);
  return `${h.text} ${steps}/${steps}`;
}

function goldenBall(perp) {
  const m = new perp.Model();
  const ball = m.add(new perp.LagrangianLinear({ M: [1, 1, 0.004], f: [-G, 0, 0] }), { q0: [1, 0, 0] });
  m.connect(new perp.LagrangianLinearRelation({ H: [[1, 0, 0]] }), perp.newton_impact(0.9), ball);
  return m;
}

function goldenBeads(perp) {
  const m = new perp.Model(), bead = new perp.LagrangianLinear({ M: 1, f: [-G] }), law = perp.newton_impact(0.9);
  const ground = new perp.LagrangianLinearRelation({ H: [1], b: [-0.1] }), pair = new perp.LagrangianLinearRelation({ H: [-1, 1], b: [-0.2] });
  const beads = Array.from({ length: 40 }, (_, i) => m.add(bead, { q0: [0.11 + 0.2 * i + 0.0005 * i] }));
  beads.forEach((b, i) => (i === 0 ? m.connect(ground, law, b) : m.connect(pair, law, beads[i - 1], b)));
  return m;
}

function goldenBridge(perp) {
  const m = new perp.Model(), circuit = m.add(new perp.FirstOrderLinear({ A: [[0, -1e6], [100, 0]] }), { x0: [10, 0] });
  m.connect(new perp.LinearRelation({
    C: [[0, 0], [0, 0], [-1, 0], [1, 0]], B: [[0, 0, -1e6, 1e6], [0, 0, 0, 0]],
    D: [[1e-3, 1e-3, -1, 0], [1e-3, 1e-3, 0, -1], [1, 0, 0, 0], [0, 1, 0, 0]],
  }), perp.complementarity(), circuit);
  return m;
}

export const models = {
  "the bits of golden.txt": (perp, { lines }) => {
    const runs = {
      ball: [goldenBall(perp), { h: 0.005, solver: "lemke", integrator: "moreau-jean" }, 2000],
      bridge: [goldenBridge(perp), { h: 1e-6, solver: "lemke", integrator: "theta" }, 5000],
      "beads-lemke": [goldenBeads(perp), { h: 5e-4, solver: "lemke" }, 1000],
      "beads-active-set": [goldenBeads(perp), { h: 5e-4, solver: "active-set" }, 2000],
      "beads-sp": [goldenBeads(perp), { h: 1e-3, solver: "active-set", integrator: "schatzman-paoli" }, 200],
    };
    for (const [name, run] of Object.entries(runs)) same(golden(perp, ...run), lines[name], name);
  },

  "an oscillator, linear and nonlinear, by every way to tell it": (perp) => {
    const k = 4, exact = Math.cos(2), z = perp.parameters([k]);
    const all = [
      new perp.LagrangianLinear({ M: 1, K: k }),
      new perp.Lagrangian({ n: 1, M: 1, internal: ({ q }) => k * q[0] }),
      new perp.Lagrangian({ n: 1, mass: () => [[1]], internal: ({ q, out }) => { out[0] = k * q[0]; }, internal_dq: [[k]], internal_dv: [[0]] }),
      new perp.LagrangianLinear({ M: 1, control: new perp.Control({ n_u: 1, u: ({ q }) => [-k * q[0]], T: [[1]] }) }),
      new perp.LagrangianLinear({ M: 1, z, control: new perp.Control({ n_u: 1, u: (at) => -at.z[0] * at.q[0], T: [[1]] }) }),
      new perp.Lagrangian({ n: 1, M: 1, z, internal: (at) => at.z[0] * at.q[0] }),
    ];
    for (const system of all) {
      const m = new perp.Model(), i = m.add(system, { q0: [1] }), sim = new perp.Simulation(m, { h: 1e-3, steps: 1000 });
      same(sim.run(), "END");
      near(sim.q(i), [exact], 2e-6);
      ok(sim.ending.startsWith("finished: 1000 steps"), sim.ending);
    }
  },

  "matrices by rows reach C by columns": (perp) => {
    const K = [[3, 1], [1, 2]], C = [[0.1, 0.7], [-0.7, 0.2]], f = [0.5, -0.5], q = [1, 0], v = [0, 2], h = 0.01, theta = 0.5;
    for (const flat of [false, true]) {
      const m = new perp.Model(), of = (A) => (flat ? A.flat() : A);
      const s = m.add(new perp.LagrangianLinear({ n: 2, M: [2, 1], C: of(C), K: of(K), f }), { q0: q, v0: v });
      const sim = new perp.Simulation(m, { h, theta });
      sim.step();
      const W = C.map((row, i) => row.map((c, j) => (i === j ? [2, 1][i] : 0) + h * theta * c + h * h * theta * theta * K[i][j]));
      const r = C.map((row, i) => row.reduce((sum, c, j) => sum - (h * c + h * h * theta * K[i][j]) * v[j] - h * K[i][j] * q[j], h * f[i]));
      const det = W[0][0] * W[1][1] - W[0][1] * W[1][0];
      const dv = [(r[0] * W[1][1] - r[1] * W[0][1]) / det, (W[0][0] * r[1] - W[1][0] * r[0]) / det];
      near(sim.v(s), v.map((x, i) => x + dv[i]), 1e-14);
      near(sim.q(s), q.map((x, i) => x + h * (theta * (v[i] + dv[i]) + (1 - theta) * v[i])), 1e-14);
    }
  },

  "systems of the first order": (perp) => {
    const A = [[0, 1], [-1, 0]], f = ({ x }) => [x[1], -x[0]];
    for (const system of [new perp.FirstOrderLinear({ A }), new perp.FirstOrder({ n: 2, f }), new perp.FirstOrder({ n: 2, f, f_dx: A }),
      new perp.FirstOrderLinear({ n: 2, A: [0, 0], state_matrix: () => A }),
      new perp.FirstOrderLinear({ n: 2, A: [0, 0], control: new perp.Control({ n_u: 2, u: f, T: [[1, 0], [0, 1]], u_dx: A }) })]) {
      const m = new perp.Model(), i = m.add(system, { x0: [1, 0] }), sim = new perp.Simulation(m, { h: 1e-3 });
      sim.run({ until: 1 });
      near(sim.x(i), [Math.cos(1), -Math.sin(1)], 1e-6);
    }
  },

  "a ball falls, bounces by e, and rests by its weight": (perp) => {
    const { m, ball, floor } = ballModel(perp, { e: 0.5 }), sim = new perp.Simulation(m, { h: 1e-4 });
    const apexes = [];
    let [before, last] = [1, 1];
    for (const s of sim.steps()) {
      const [q] = s.q(ball);
      if (before < last && last >= q && last > 1e-3) apexes.push(last);
      [before, last] = [last, q];
      if (s.time > 2) break;
    }
    near(apexes.slice(0, 3), [0.25, 0.0625, 0.015625], 2e-3);
    near(sim.lambda(floor), [G * 1e-4], 1e-12);
    near(sim.force(floor), [G], 1e-8);
    same(sim.level(floor), "impulse");
    same(sim.contacts().length, 1);
    ok(sim.report().steps >= 20000);
  },

  "relations of one's own, and their Jacobians": (perp) => {
    const length = ({ q }) => Math.hypot(q[0], q[1]) - 1, H = ({ q }) => [[q[0] / Math.hypot(q[0], q[1]), q[1] / Math.hypot(q[0], q[1])]];
    for (const relation of [new perp.LagrangianScleronomous({ h: length }), new perp.LagrangianScleronomous({ h: length, H }),
      new perp.LagrangianRheonomous({ h: (at) => length(at), H, h_dt: [0] })]) {
      const m = new perp.Model(), bob = m.add(new perp.LagrangianLinear({ M: [1, 1], f: [0, -G] }), { q0: [1, 0] });
      m.connect(relation, perp.equality(), bob);
      const sim = new perp.Simulation(m, { h: 1e-3, projection: "positions" });
      sim.run({ until: 0.5 });
      near(Math.hypot(...sim.q(bob)), 1, 1e-7);
      const { total } = sim.energy();
      near(total, 0, 4e-2); // the scheme dissipates, of the order of h
    }
  },

  "every other kind of relation, against exact motions": (perp) => {
    const run = (system, start, relation, law, options, until) => {
      const m = new perp.Model(), i = m.add(system, start);
      m.connect(relation, law, i);
      const sim = new perp.Simulation(m, { h: 1e-3, ...options });
      sim.run({ until });
      return sim;
    };
    const mass = (n, f) => new perp.LagrangianLinear({ M: Array(n).fill(1), f }), k = 1e4;
    const spring = new perp.LagrangianCompliant({ h: ({ q, lambda }) => q[0] + lambda[0] / k, D: [[1 / k]], H: [[1]] });
    near(run(mass(1, [-G]), {}, spring, perp.equality(), { theta: 1 }, 3).q()[0], -G / k, 1e-8);
    const clutch = new perp.LagrangianVelocityRelation({ g: ({ v }) => v[0] - v[1] });
    near(run(mass(2), { v0: [3, 1] }, clutch, perp.equality(), {}, 0.01).v(), [2, 2]);
    const slide = new perp.LagrangianContactRelation({ h: ({ q }) => q[1], G: [[0, 1]], T: [[1, 0]] });
    near(run(mass(2, [0, -G]), { v0: [2, 0] }, slide, perp.friction_2d(0.3), {}, 1).q()[0], 4 / (2 * 0.3 * G), 1e-5);
    const driven = new perp.PrescribedVelocity({ index: [1], constant: [2], harmonics: [[3, 5, 0]] });
    near(run(mass(2), {}, driven, perp.equality(), {}, 0.0995).v()[1], 2 + 3 * Math.cos(0.5));
    const wall = new perp.LinearVaryingRelation({ m: 1, C: ({ t }) => [[1 + t]], B: [[1]], D: [[0]], e: ({ t }) => -2 * t });
    near(run(new perp.FirstOrderLinear({ A: [[0]] }), { x0: [1] }, wall, perp.complementarity(), {}, 1.9995).x(), [4 / 3]);
    for (const Kind of [perp.FirstOrderRelation, perp.FirstOrderType1, perp.FirstOrderType2]) {
      const sim = run(new perp.FirstOrder({ n: 1, f: () => -1 }), { x0: [1] }, new Kind({ h: ({ x }) => x[0], g: ({ lambda }) => lambda[0] }),
        perp.complementarity(), {}, 2);
      near([sim.x()[0], sim.lambda()[0]], [0, 1], 1e-9);
    }
    const q0 = perp.pose_at([1, 0, 0]), bar = perp.brick(1, [2, 0.1, 0.1]), j = perp.pivot_joint([0, 0, 0], [0, 0, 1], q0);
    for (const [drive, law] of [[perp.joint_drive(j, () => 0.5), perp.equality()], [perp.joint_effort(j, () => 0.5), perp.box(-1, 1)]]) {
      const m = new perp.Model(), b = m.add(bar, { q0 });
      m.connect(j, perp.equality(), b);
      m.connect(drive, law, b);
      const sim = new perp.Simulation(m, { h: 1e-3, solver: "auto" });
      sim.run({ until: 2 });
      near(sim.v(b)[5], 0.5, 1e-9);
    }
    const [qa, qb] = [[0, 0, 0], [1, 0, 0]].map((x) => perp.pose_at(x)), m = new perp.Model(), wheel = perp.ball(1, 1);
    const [a, b] = [m.add(wheel, { q0: qa, v0: [0, 0, 0, 0, 0, 1] }), m.add(wheel, { q0: qb })];
    m.connect(new perp.Gear({ teeth_a: 10, teeth_b: 20, axis_a: [0, 0, 1], axis_b: [0, 0, 1], qa, qb }), perp.equality(), a, b);
    const sim = new perp.Simulation(m, { h: 1e-3 });
    sim.step();
    near([sim.v(a)[5], sim.v(b)[5]], [0.8, -0.4], 1e-12);
  },

  "every other law carries a weight": (perp) => {
    const laws = [perp.rolling_2d(0.3, 0.01), perp.fremond_2d(0.3), perp.cohesive_2d(0.3, 1, 1e-3), perp.polyhedron([[1, 0], [0, 1]], [0, 0]),
      perp.mixed(0, 1), perp.mixed(1, 0), perp.compliant(1e5, 600)];
    for (const law of laws) {
      const m = new perp.Model(), b = m.add(new perp.LagrangianLinear({ M: [1, 1, 1], f: [-G, 0, 0] }));
      m.connect(new perp.LagrangianLinearRelation({ H: [[1, 0, 0], [0, 1, 0], [0, 0, 1]].slice(0, law.size) }), law, b);
      const sim = new perp.Simulation(m, { h: 1e-3, solver: "auto" });
      sim.run({ until: 0.3 });
      near(sim.force(0)[0], G, 1e-6, law.name);
    }
  },

  "other options: grids, schemes system by system, switches, the step at an accumulation": (perp) => {
    const { m, ball, floor } = ballModel(perp, { e: 0.5 }), grid = new perp.Simulation(m, { grid: [0, 0.1, 0.5] });
    same(grid.run(), "END");
    near(grid.time, 0.5);
    const two = new perp.Model(), s = new perp.LagrangianLinear({ M: 1, K: 1 });
    for (let i = 0; i < 2; i++) two.add(s, { q0: [1] });
    const each = new perp.Simulation(two, { thetas: [0.5, 1], integrators: ["moreau-jean", "schatzman-paoli"] });
    each.run({ steps: 10 });
    near(each.q(), [Math.cos(0.01), Math.cos(0.01)], 1e-5);
    ok(each.q(0)[0] !== each.q(1)[0]);
    each.set_state(1, { q: [2], v: [0.5] }); // by the scheme on positions, which goes on along the line
    near([...each.q(1), ...each.v(1)], [2, 0.5]);
    same(each.step(), "OK");
    near(each.q(1), [2 + 1e-3 * 0.5 - 1e-6 * 2], 1e-5);
    thrown(() => each.set_state(0, { x: [1] }), perp.ArgumentError, "has no x");
    thrown(() => each.set_state(0, { q: [Infinity] }), perp.NotFiniteError, "set_state");
    near(each.q(1), [2 + 1e-3 * 0.5 - 1e-6 * 2], 1e-5);
    const off = new perp.Simulation(two, { switchable: true });
    off.set_active(1, false);
    off.run({ steps: 10 });
    near(off.q(), [Math.cos(0.01), 1], 1e-8);
    ok(off.is_active(0) && !off.is_active(1));
    thrown(() => grid.set_active(ball, false), perp.UnsupportedError, "set_active");
    const steps = new perp.EventDriven(m, { zeno: "step", stepping: { h: 1e-3 } });
    steps.run({ until: 2 });
    same(steps.report().handovers, 1);
    same(steps.mode(floor), "closed");
    near(steps.force(floor), [G], 1e-9);
    const ends = new perp.EventDriven(m, { guards: [{ value: (at) => at.q(ball)[0] - 0.5, reset: (at) => { at.v(ball)[0] = 7; return false; } }] });
    same(ends.run({ until: 5 }), "STOPPED");
    ok(ends.ending.startsWith("stopped"), ends.ending);
    near([ends.v(ball)[0], ends.rate(ball)[0]], [7, -G], 1e-9);
    const lzb = new perp.EventDriven(m, { impact: "lzb", lzb: { compliance: "mono" } });
    lzb.run({ until: 0.46 });
    near(lzb.v(ball)[0], Math.sqrt(2 * G) / 2 - G * (0.46 - Math.sqrt(2 / G)), 1e-6);
    thrown(() => new perp.EventDriven(m, { lzb: {} }), perp.ArgumentError, 'lzb goes with impact "lzb"');
    const sparse = new perp.Sparse({ rows: 1, cols: 1, start: [0, 1], index: [0], values: [1] }), other = new perp.Model();
    const i = other.add(new perp.LagrangianLinear({ M: 1, f: [-G] }));
    other.connect(new perp.LagrangianLinearRelation({ H: sparse }), perp.newton_impact(0), i);
    const sim = new perp.Simulation(other, { h: 1e-3 });
    sim.step();
    near(sim.force(0), [G], 1e-9);
    other.add(new perp.LagrangianLinear({ n: 1, M: 1, K: sparse }));
    thrown(() => new perp.Simulation(other), perp.UnsupportedError, "K of system 1 is in compressed rows");
  },

  "friction stops a box where it should": (perp) => {
    const m = new perp.Model(), mu = 0.3;
    const box = m.add(new perp.LagrangianLinear({ M: [1, 1], f: [0, -G] }), { v0: [2, 0] });
    m.connect(new perp.LagrangianLinearRelation({ H: [[0, 1], [1, 0]] }), perp.friction_2d(mu), box);
    const sim = new perp.Simulation(m, { h: 1e-3 });
    sim.run({ until: 2 });
    near(sim.q(box)[0], 4 / (2 * mu * G), 2e-3);
    near(sim.v(box), [0, 0], 1e-10);
    near(sim.lambda()[0] / 1e-3, G, 1e-6);
  },

  "an impact law and a law of functions are those of the library": (perp) => {
    const run = (law) => {
      const { m } = ballModel(perp, { law }), sim = new perp.Simulation(m, { h: 1e-3, solver: "auto" });
      sim.run({ until: 1.5 });
      return [...sim.q(), ...sim.v(), ...sim.lambda()];
    };
    const reference = run(perp.newton_impact(0.8));
    near(run(perp.impact(({ ydot }) => [0.8 * ydot[0]])), reference, 1e-12);
    near(run(perp.user_law(1, { set: "orthant", unilateral: true, restitute: (_, { ydot }) => [0.8 * ydot[0]] })), reference, 1e-12);
  },

  "a law with a state carries it": (perp) => {
    let commits = 0;
    const law = perp.user_law(1, {
      set: "orthant", unilateral: true, state: 2, begin: () => [7, 0],
      commit: (state, end) => { commits++; return [state[0], state[1] + end.lambda[0]]; },
    });
    const { m, floor } = ballModel(perp, { q0: 0, law }), sim = new perp.Simulation(m, { h: 1e-2, solver: "auto" });
    sim.run({ steps: 10 });
    same(commits, 10);
    near(sim.law_state(floor), [7, G * 0.1], 1e-9);
  },

  "a graph is met, and put together": (perp) => {
    const m = new perp.Model(), mass = m.add(new perp.LagrangianLinear({ M: 1, K: 100 }), { q0: [1] });
    const brake = m.connect(new perp.LagrangianLinearRelation({ H: [1] }), perp.relay_dead_zone(0.5, 2), mass), law = perp.relay_dead_zone(0.5, 2);
    const sim = new perp.Simulation(m, { h: 1e-3 });
    sim.run({ until: 0.4 });
    const [y] = sim.ydot(brake), [lambda] = sim.lambda(brake);
    near(y, sim.v(mass)[0], 1e-12);
    ok(perp.distance(law, y, lambda / 1e-3) < 1e-6 || perp.distance(law, y, lambda) < 1e-6, `${y}, ${lambda}`);
  },

  "bodies roll, hang and touch": (perp) => {
    const m = new perp.Model(), r = 0.1;
    const ball = m.add(perp.ball(1, r, [0, 0, -G]), { q0: perp.pose_at([0, 0, 1]) });
    const floor = m.connect(new perp.BodyContact({ locate: new perp.SpherePlane({ radius: r }) }), perp.friction_3d(0.4), ball);
    const place = ({ q }) => ({ gap: q[2] - r, normal: [0, 0, 1], a: [q[0], q[1], q[2] - r] });
    const own = new perp.Model(), ball2 = own.add(perp.ball(1, r, [0, 0, -G]), { q0: perp.pose_at([0, 0, 1]) });
    own.connect(new perp.BodyContact({ locate: place }), perp.friction_3d(0.4), ball2);
    const a = new perp.Simulation(m, { h: 1e-3 }), b = new perp.Simulation(own, { h: 1e-3 });
    a.run({ until: 1 });
    b.run({ until: 1 });
    near(a.q(ball), b.q(ball2), 1e-12);
    near(a.q(ball)[2], r, 6e-3);
    near(a.force(floor)[0], G, 1e-6);
    const qa = perp.pose_at([1, 0, 0]), hung = new perp.Model();
    const bar = hung.add(perp.brick(1, [2, 0.1, 0.1], [0, 0, -G]), { q0: qa });
    const pivot = perp.pivot_joint([0, 0, 0], [0, 1, 0], qa);
    hung.connect(pivot, perp.equality(), bar);
    hung.connect(perp.joint_stops(pivot, -0.1, 0.5), perp.newton_impact(0), bar);
    const sim = new perp.Simulation(hung, { h: 1e-3, projection: "positions" });
    sim.run({ until: 2 });
    near(Math.abs(perp.coordinate_value(pivot, sim.q(bar))), 0.5, 1e-3);
    near(perp.rotation_matrix([1, 0, 0, 0]).flat(), [1, 0, 0, 0, 1, 0, 0, 0, 1], 0);
  },

  "a pool finds contacts that come and go": (perp) => {
    const m = new perp.Model(), r = 0.1, one = perp.ball(1, r, [0, 0, -G]);
    const balls = [0.3, 0.6, 0.9].map((z) => m.add(one, { q0: perp.pose_at([0, 0, z]) }));
    const find = (search) => {
      const q = balls.map((b) => search.q(b));
      q.forEach((at, i) => {
        if (at[2] - r < 0.05) search.add(balls[i], perp.GROUND, { gap: at[2] - r, normal: [0, 0, 1], a: [at[0], at[1], at[2] - r] });
        if (i === 0) return;
        const gap = at[2] - q[i - 1][2] - 2 * r;
        if (gap < 0.05) search.add(balls[i], balls[i - 1], { gap, normal: [0, 0, 1], a: [0, 0, at[2] - r], b: [0, 0, q[i - 1][2] + r] });
      });
    };
    m.pool(new perp.ContactPool({ capacity: 8, laws: perp.friction_3d(0.5), find }));
    const sim = new perp.Simulation(m, { h: 1e-3 });
    sim.run({ until: 1.5 });
    near(balls.map((b) => sim.q(b)[2]), [r, 3 * r, 5 * r], 2e-2);
    const found = sim.contacts();
    same(found.length, 3);
    near(Math.max(...found.map((c) => c.force[2])), 3 * G, 1e-3);
    const left = (options) => {
      const one = new perp.Simulation(m, { h: 1e-3, ...options });
      one.run({ until: 1.5 });
      return one.report().speed_residual / (G * 1e-3);
    };
    ok(left({}) <= 0.1 && left({ speed_tol: "pile" }) === left({}));
    ok(left({ speed_tol: "stack" }) <= 0.01 && left({ speed_tol: "stack" }) > 0);
  },

  "events: impacts at their times, guards, schedules, outputs": (perp) => {
    const { m, ball } = ballModel(perp, { e: 0.5 }), t0 = Math.sqrt(2 / G), seen = [];
    const sim = new perp.EventDriven(m, {
      guards: [{ value: (s) => s.q(ball)[0] - 0.5, direction: -1 }],
      schedules: [{ first: 0.1, period: 0, reset: (s) => { s.v(ball)[0] += 0; } }],
    });
    const outputs = [];
    same(sim.run({ until: 1, every: 0.25, on_output: (s) => { outputs.push(s.time); }, on_event: (e) => { seen.push(e); } }), "OK");
    near(outputs, [0, 0.25, 0.5, 0.75, 1], 1e-12);
    const hit = seen.find((e) => e.kinds.includes("impact"));
    near(hit.t, t0, 1e-9);
    near(hit.v, [-G * t0], 1e-8);
    near(seen.find((e) => e.kinds.includes("guard")).t, Math.sqrt(1 / G), 1e-9);
    ok(seen.some((e) => e.changes.some((c) => c.kind === "schedule")));
    near(sim.energy().total, sim.v(ball)[0] ** 2 / 2 + G * sim.q(ball)[0], 1e-12);
    const again = new perp.EventDriven(m);
    same([...again.events(0.6)].filter((e) => e.kinds.includes("impact")).length, 1);
    same(again.status, "END");
    again.restart(0, { q: [2], v: [0] });
    near(again.q(ball), [2], 0);
    thrown(() => new perp.EventDriven(m, { smooth: "ida" }), perp.ArgumentError, "smooth");
  },

  "solvers, problems and answers without a solution": (perp) => {
    near(perp.solve_lcp([[2, 1], [1, 2]], [-5, -6]).z, [4 / 3, 7 / 3], 1e-14);
    for (const name of ["lemke", "active-set", "newton-min", "pgs"]) {
      const s = perp.solve_lcp([2, 1, 1, 2], [-5, -6], name, { tol: 1e-11 });
      ok(s.solved && s.relative_residual <= 1e-11, name);
      near(s.lambda, [4 / 3, 7 / 3], 1e-9, name);
    }
    const none = perp.solve_lcp([[0, 0], [0, 0]], [-1, 1], "lemke");
    ok(!none.solved && ["RAY", "INFEASIBLE"].includes(none.status) && none.text.length > 0, none.status);
    const problem = new perp.Problem([[2, 0, 0], [0, 2, 0], [0, 0, 2]], [1, -4, 6]).add(perp.equality()).add(perp.box(-1, 1)).add(perp.complementarity());
    near(perp.solve(problem).lambda, [-0.5, 1, 0], 1e-12);
    near(perp.solve_relay([[2]], [-1], 3).lambda, [0.5], 1e-12);
    const f = perp.solve_friction([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [-1, 2, 0], 0.3);
    near(f.lambda, [1, -0.3, 0], 1e-9);
    ok(f.dissipates === true);
    near(perp.solve_contact([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [-1, 2, 0], 0.3).lambda, [1, -0.3, 0], 1e-12);
    const iterates = [], solver = new perp.Solver("nsgs", { tol: 1e-9, observe: (it) => { iterates.push(it); }, warm_start: true });
    for (let k = 0; k < 3; k++) ok(solver.solve(perp.friction_problem([[1, 0.1, 0], [0.1, 1, 0], [0, 0, 1]], [-1, 2 + k, 0], 0.3)).solved);
    ok(iterates.length > 0);
    solver.close();
    const all = perp.solvers();
    ok(all.lemke.laws.includes("complementarity") && all.nsgs.options.includes("tol"));
    near(perp.verify(perp.complementarity(), [1], [0]).residual ?? 0, 0, 0);
    const sparse = new perp.Sparse({ rows: 2, cols: 2, start: [0, 2, 4], index: [0, 1, 0, 1], values: [2, 1, 1, 2] });
    near(perp.solve_lcp(sparse, [-5, -6]).z, [4 / 3, 7 / 3], 1e-9);
  },

  "a checkpoint goes on with the same bits": (perp) => {
    const { m, ball } = ballModel(perp), sim = new perp.Simulation(m, { h: 1e-3 });
    sim.run({ steps: 300 });
    const plain = sim.checkpoint(), sealed = sim.sealed_checkpoint();
    sim.run({ steps: 500 });
    const end = Array.from(sim.q(ball));
    const other = new perp.Simulation(m, { h: 1e-3 });
    for (const back of [() => other.restore(plain), () => other.restore_sealed(sealed)]) {
      back();
      near(other.time, 0.3, 1e-12);
      other.run({ steps: 500 });
      bits(other.q(ball), end);
    }
    thrown(() => other.restore(plain.slice(1)), perp.ArgumentError, "another model");
    sealed[sealed.length >> 1] ^= 1;
    thrown(() => other.restore_sealed(sealed), perp.ArgumentError, "checksum");
    bits(other.q(ball), end);
  },

  "parameters are read where they are": (perp) => {
    const z = perp.parameters([0]), m = new perp.Model(), ball = m.add(new perp.LagrangianLinear({ M: 1, f: [-G] }), { q0: [1] });
    m.connect(new perp.LagrangianLinearRelation({ H: [1], F: [[-1]], z }), perp.newton_impact(0), ball);
    const sim = new perp.Simulation(m, { h: 1e-3 });
    sim.run({ until: 1 });
    near(sim.q(ball), [0], 5e-3);
    z.values[0] = -1;
    sim.run({ until: 2 });
    near(sim.q(ball), [-1], 8e-3);
  },

  "all systems and interactions, one after another, also of both orders": (perp) => {
    const sim = new perp.Simulation(goldenBeads(perp), { h: 5e-4 });
    sim.run({ until: 1 });
    for (const name of ["q", "v"]) bits(sim[name](), Array.from({ length: 40 }, (_, i) => sim[name](i)[0]), name);
    for (const name of ["y", "ydot", "lambda"]) bits(sim[name](), Array.from({ length: 40 }, (_, i) => sim[name](i)[0]), name);
    const m = new perp.Model(), at = (v) => m.add(new perp.LagrangianLinear({ M: 1 }), { v0: [v] });
    const [a, x, b] = [at(1), m.add(new perp.FirstOrderLinear({ A: [[-1]] }), { x0: [5] }), at(2)];
    m.connect(new perp.LagrangianLinearRelation({ H: [1] }), perp.newton_impact(0), a);
    m.connect(new perp.LinearRelation({ C: [[1]], B: [[1]] }), perp.complementarity(), x);
    const both = new perp.Simulation(m, { h: 1e-3 });
    both.run({ steps: 3 });
    bits(both.v(), [1, 2]);
    bits(both.q(), [both.q(a)[0], both.q(b)[0]]);
    bits(both.x(), both.x(x));
    bits(both.y(), [both.y(0)[0], both.y(1)[0]]);
    bits(both.ydot(), both.ydot(0));
    both.step();
    near(both.q(), [4e-3, 8e-3]);
  },

  "equal beads are one description": (perp) => {
    const m = goldenBeads(perp);
    same(m.descriptions, 4);
    ok(m.describe().includes("40 systems"), m.describe());
  },
};
