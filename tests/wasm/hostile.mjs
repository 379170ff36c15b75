// SPDX-License-Identifier: MIT
// What a careless or hostile caller does to perp.mjs: garbage, callbacks that throw, things that were closed, memory
// that grows, thousands of runs, two instances.
import { bits, near, ok, same, thrown } from "./say.mjs";
import { ballModel } from "./models.mjs";

const GARBAGE = [undefined, null, "1", {}, Symbol("s"), () => 1, NaN, [["a"]], new Date(0), 1n, true];

export const hostile = {
  "garbage is refused in words, by classes of the library": (perp) => {
    const { m, ball, floor } = ballModel(perp), sim = new perp.Simulation(m, { h: 1e-3 });
    const relation = new perp.LagrangianLinearRelation({ H: [1] }), law = perp.newton_impact(0.5);
    const calls = [
      (x) => m.add(x), (x) => m.add(new perp.LagrangianLinear({ M: 1 }), { q0: [x, x] }), (x) => m.add(new perp.LagrangianLinear({ M: [[x]] })),
      (x) => m.connect(x, law, ball), (x) => m.connect(relation, x, ball), (x) => m.connect(relation, law, x),
      (x) => sim.run({ steps: x, until: x }), (x) => sim.run({ nonsense: x ?? 1 }), (x) => sim.advance(x), (x) => sim.q(x === undefined ? null : x),
      (x) => sim.lambda(x === undefined ? null : x), (x) => sim.restore(x), (x) => sim.restore_sealed(x), (x) => sim.force(x), (x) => sim.work(x === undefined ? 7 : x),
      (x) => new perp.Simulation(x), (x) => new perp.Simulation(m, { h: x ?? -1 }), (x) => new perp.Simulation(m, { solver: x ?? "" }),
      (x) => new perp.Simulation(m, { integrator: x ?? "" }), (x) => new perp.Simulation(m, { on_failure: x ?? 1 }), (x) => new perp.EventDriven(x),
      (x) => new perp.EventDriven(m, { guards: x ?? [1] }), (x) => new perp.EventDriven(m).run({ until: x }), (x) => perp.solve_lcp([[1]], x), (x) => perp.solve_lcp(x, [1, 2]),
      (x) => perp.solve_relay([[1]], [1], x ?? -1), (x) => perp.solve_contact([[1, 0], [0, 1]], [1, 1], x), (x) => perp.newton_impact(x) && m.connect(relation, perp.newton_impact(x), ball),
      (x) => perp.box(Number.isNaN(x) ? "" : x, 1), (x) => perp.polyhedron(x, [1]), (x) => perp.mixed(x, 1), (x) => perp.user_law(x ?? 0), (x) => perp.impact(typeof x === "function" ? 1 : x),
      (x) => new perp.Sparse({ rows: 1, cols: 1, start: [0, 1], index: [x], values: [1] }), (x) => perp.parameters(Number.isNaN(x) ? "" : x), (x) => perp.pose_at(x),
      (x) => m.pool({ capacity: x, laws: law, find: () => {} }), (x) => new perp.ContactPool({ capacity: 1, laws: x, find: () => {} }),
      (x) => new perp.Solver(x ?? ""), (x) => new perp.Solver("lemke", { tol: x ?? "a" }), (x) => perp.verify(law, x, 0),
    ];
    const before = [m.systems, m.interactions, ...sim.q()];
    for (const call of calls)
      for (const x of GARBAGE) {
        if (x === true && String(call).includes("newton_impact(x) &&")) continue; // && is for numbers
        const error = thrown(() => call(x), perp.PerpError);
        ok(error.message.length > 8 && !error.message.includes("[object"), `${call} ${String(x)}: ${error.message}`);
      }
    bits([m.systems, m.interactions, ...sim.q()], before);
    same(sim.step(), "OK");
    ok(floor.number === 0);
  },

  "NaN and infinity are named with their place": (perp) => {
    const m = new perp.Model();
    same(thrown(() => m.add(new perp.LagrangianLinear({ M: [1, NaN] })), perp.NotFiniteError, "M").status, "ENOTFINITE");
    same(thrown(() => m.add(new perp.LagrangianLinear({ M: 1 }), { q0: [NaN] }), perp.NotFiniteError, "q0[0]").field, "q0");
    const { m: falls } = ballModel(perp, { force: ({ t }) => (t > 0.01 ? NaN : 0) }), sim = new perp.Simulation(falls, { h: 1e-3 });
    const error = thrown(() => sim.run({ until: 1 }), perp.NotFiniteError, "force");
    same(error.index, 0);
    same(sim.status, "ENOTFINITE");
    ok(sim.time > 0.005 && sim.ending.startsWith("failed in step"), sim.ending);
    thrown(() => perp.solve_lcp([[1]], [Infinity]), perp.NotFiniteError, "q[0]");
  },

  "a sentence says which call, which field, the value, and what is allowed": (perp) => {
    const { m } = ballModel(perp);
    same(thrown(() => new perp.Simulation(m, { h: 0 }), perp.ArgumentError).message, "Simulation: h = 0: must be > 0");
    m.add(new perp.Body({}), { q0: [0, 0, 0, 1, 1, 0, 0] });
    same(thrown(() => new perp.Simulation(m), perp.ArgumentError).message, "Simulation: q0 of body 1: norm 1.41421356, must be 1 (a quaternion)");
    thrown(() => m.connect(new perp.LagrangianLinearRelation({ H: [1] }), perp.newton_impact(1.5), 0), perp.ArgumentError, "e = 1.5: must be");
    thrown(() => new perp.LagrangianLinear({ M: 1, k: 2 }), perp.ArgumentError, "there is no field 'k'");
    thrown(() => new perp.Simulation(m, { dt: 1 }), perp.ArgumentError, "no option 'dt'");
    thrown(() => new perp.Simulation(m, { sparse: "ldl" }), perp.ArgumentError, "no option 'sparse'");
  },

  "what a callback throws comes out as it is, and the run goes on": (perp) => {
    const mine = new RangeError("mine");
    let isBad = false;
    const { m, ball } = ballModel(perp, { force: () => { if (isBad) throw mine; return 0; } });
    const sim = new perp.Simulation(m, { h: 1e-3 });
    sim.run({ steps: 100 });
    const q = Array.from(sim.q(ball));
    isBad = true;
    for (let k = 0; k < 3; k++) same(thrown(() => sim.step(), RangeError), mine);
    bits(sim.q(ball), q);
    isBad = false;
    same(sim.run({ steps: 100 }), "OK");
    near(sim.time, 0.2, 1e-12);
    isBad = true;
    same(thrown(() => new perp.Simulation(m, { h: 1e-3 }).step(), RangeError), mine);
    for (const [what, value] of [["undefined", null], ["a string", "1"], ["too many", [1, 2]], ["a promise", Promise.resolve([1])]]) {
      const { m: other } = ballModel(perp, { force: () => value });
      thrown(() => new perp.Simulation(other, { h: 1e-3 }).step(), perp.ArgumentError, "force");
      ok(what.length > 0);
    }
  },

  "observers, guards, laws and pools throw, too": (perp) => {
    const mine = new Error("mine"), fails = () => { throw mine; };
    const { m } = ballModel(perp, { q0: 0.1 }), sim = new perp.Simulation(m, { h: 1e-3 });
    same(thrown(() => sim.run({ steps: 3, observe: fails })), mine);
    same(sim.run({ steps: 3, observe: (s) => s.step_index < 3 }), "STOPPED");
    ok(sim.ending.startsWith("stopped"), sim.ending);
    for (const options of [{ guards: [{ value: fails }] }, { schedules: [{ first: 0.01, reset: fails }] }])
      same(thrown(() => new perp.EventDriven(m, options).run({ until: 1 })), mine);
    const events = new perp.EventDriven(m);
    for (const on of ["on_event", "on_output"]) same(thrown(() => events.run({ until: 1, every: on === "on_output" ? 0.1 : 0, [on]: fails })), mine);
    for (const law of [perp.impact(fails), perp.user_law(1, { set: "orthant", unilateral: true, restitute: fails }),
      perp.user_law(1, { project: fails }), perp.user_law(1, { set: "box", bounds: fails })]) {
      const { m: own } = ballModel(perp, { q0: 0, law });
      same(thrown(() => new perp.Simulation(own, { h: 1e-3 }).run({ steps: 10 })), mine);
    }
    const piled = new perp.Model();
    piled.add(perp.ball(1, 0.1));
    piled.pool({ capacity: 2, laws: perp.friction_3d(0.1), find: fails });
    same(thrown(() => new perp.Simulation(piled, { h: 1e-3 })), mine);
    same(thrown(() => perp.solve_lcp([[2, 1], [1, 2]], [-5, -6], "pgs", { observe: fails })), mine);
    let search;
    piled.pool({ capacity: 2, laws: perp.friction_3d(0.1), find: (s) => { search = s; } });
    new perp.Simulation(piled, { h: 1e-3 });
    thrown(() => search.q(0), perp.ArgumentError, "after find has returned");
    thrown(() => search.add(0, perp.GROUND, {}), perp.ArgumentError, "after find has returned");
  },

  "Retry asks for a smaller step where one can be asked for": (perp) => {
    let tried = 0;
    const { m } = ballModel(perp, { force: () => { if (tried++ === 20) throw new perp.Retry(); return 0; } });
    const sim = new perp.Simulation(m, { h: 1e-3, on_failure: "retry" });
    sim.run({ steps: 30 });
    ok(sim.report().retries > 0 || sim.report().halvings > 0, JSON.stringify(sim.report()));
    thrown(() => sim.run({ steps: 1, observe: () => { throw new perp.Retry(); } }), perp.CallbackError, "cannot ask for a smaller step");
  },

  "a callback that turns on its own run is told so, and may use others": (perp) => {
    let sim, other, ask = () => 0;
    const { m, ball } = ballModel(perp, { force: () => ask() });
    sim = new perp.Simulation(m, { h: 1e-3 });
    other = new perp.Simulation(m, { h: 1e-3 });
    for (const use of [() => sim.step(), () => sim.run({ steps: 1 }), () => sim.close(), () => sim.checkpoint(), () => sim.energy()]) {
      ask = () => { ask = () => 0; use(); return 0; };
      thrown(() => sim.step(), perp.BusyError);
    }
    ask = () => { ask = () => 0; other.step(); return sim.q(ball)[0] * 0; };
    same(sim.step(), "OK");
    same(other.step_index, 1);
    const ends = new perp.Model();
    ends.add(new perp.LagrangianLinear({ M: 1, force: () => { ends.close(); return 0; } }));
    same(new perp.Simulation(ends).run({ steps: 2 }), "OK");
    // The arguments of a call are its own, though the same function is called within it.
    const seen = [];
    let inner = null;
    const { m: nested } = ballModel(perp, { n: 1, force: (at) => {
      const { t } = at;
      if (inner !== null) { const run = inner; inner = null; run.step(); }
      seen.push(at.t === t);
      return 0;
    } });
    const [a, b] = [new perp.Simulation(nested, { h: 1e-3 }), new perp.Simulation(nested, { h: 1e-2, t0: 5 })];
    inner = b;
    a.step();
    ok(seen.length >= 4 && seen.every(Boolean));
  },

  "what was closed says so": (perp) => {
    const { m, ball, floor } = ballModel(perp), sim = new perp.Simulation(m), events = new perp.EventDriven(m), solver = new perp.Solver();
    m.close();
    m.close();
    for (const use of [() => m.add(new perp.LagrangianLinear({ M: 1 })), () => m.describe(), () => new perp.Simulation(m), () => m.pool({})])
      thrown(use, perp.ClosedError, "was closed");
    same(sim.run({ steps: 10 }), "OK"); // it goes on without its model
    same(events.run({ until: 0.1 }), "OK");
    for (const thing of [sim, events, solver]) {
      thing.close();
      thing.close();
      ok(thing.closed);
    }
    for (const use of [() => sim.step(), () => sim.run({ steps: 1 }), () => sim.q(ball), () => sim.q(), () => sim.lambda(floor), () => sim.time, () => sim.ending,
      () => sim.energy(), () => sim.checkpoint(), () => sim.islands(), () => sim.iterations, () => [...sim.steps()], () => events.time, () => events.next(1),
      () => events.q(ball), () => events.event(), () => solver.lcp([[1]], [1])])
      thrown(use, perp.ClosedError, "was closed");
  },

  "memory that grows ends views, and not the numbers": (perp) => {
    const { m, ball } = ballModel(perp), sim = new perp.Simulation(m, { h: 1e-3 });
    sim.run({ steps: 100 });
    const view = sim.q(ball), [q] = view, before = perp.memory_bytes;
    const n = 1200, one = new perp.LagrangianLinear({ M: 1, force: ({ t }) => { void t; return 0; } }), large = new perp.Model();
    for (let i = 0; i < n; i++) large.add(one);
    const big = new perp.Simulation(large, { h: 1e-3 }), hold = [big];
    while (perp.memory_bytes === before) hold.push(perp.parameters(new Float64Array(1e5)));
    same(view.length, 0); // it was ended
    same(sim.q(ball)[0], q);
    same(sim.step(), "OK");
    same(big.run({ steps: 3 }), "OK");
    // It grows within a callback.
    const held = [];
    const { m: grows } = ballModel(perp, { force: ({ out }) => { held.push(perp.parameters(new Float64Array(3e5))); out[0] = -1; } });
    const inside = new perp.Simulation(grows, { h: 1e-3 });
    inside.run({ steps: 5 });
    near(inside.v(0), [-10.81 * 5e-3], 1e-12);
    thrown(() => perp.solve_lcp({ length: 3 }, [1]), perp.ArgumentError);
  },

  "too much memory is refused, and all goes on": (perp) => {
    const m = new perp.Model();
    thrown(() => m.pool({ capacity: 2 ** 31, laws: perp.friction_3d(0.1), find: () => {} }), perp.ArgumentError, "capacity");
    for (const n of [2 ** 31 - 1, 3e8]) thrown(() => m.add(new perp.LagrangianLinear({ n, M: 1 })), perp.WorkspaceError, `M has ${n} entries`);
    m.add(perp.ball(1, 0.1));
    m.pool({ capacity: 2 ** 30, laws: perp.friction_3d(0.1), find: () => {} });
    thrown(() => new perp.Simulation(m), perp.PerpError);
    same(ballModel(perp).m.systems, 1);
  },

  "ten thousand runs are made and closed without a leak": (perp) => {
    const force = () => 0, { m } = ballModel(perp, { force });
    const make = () => {
      const { m: own } = ballModel(perp, { force }), sims = [new perp.Simulation(own), new perp.Simulation(m)];
      sims.forEach((sim) => { sim.step(); sim.close(); });
      own.close();
    };
    for (let k = 0; k < 100; k++) make();
    const [bytes, slots] = [perp.memory_bytes, perp.callbacks];
    for (let k = 0; k < 5000; k++) make();
    same(perp.memory_bytes, bytes, "bytes");
    same(perp.callbacks, slots, "callbacks");
    for (let k = 0; k < 200; k++) { // what is refused on its way leaves nothing either
      const own = new perp.Model();
      thrown(() => own.add(new perp.LagrangianLinear({ M: [1, 1, 1], force, K: [1, 2] })), perp.PerpError);
      thrown(() => new perp.Simulation(m, { h: -1 }), perp.PerpError);
      thrown(() => new perp.EventDriven(m, { rtol: -1, guards: [{ value: force }] }), perp.PerpError);
      own.close();
    }
    same(perp.callbacks, slots, "callbacks");
    same(perp.memory_bytes, bytes, "bytes");
  },

  "two instances share nothing": async (perp, { load }) => {
    const other = await load(), a = ballModel(perp), b = ballModel(other);
    const [one, two] = [new perp.Simulation(a.m, { h: 1e-3 }), new other.Simulation(b.m, { h: 1e-3 })];
    one.run({ steps: 700 });
    const q = Array.from(one.q());
    two.run({ steps: 300 });
    bits(one.q(), q);
    two.run({ steps: 400 });
    bits(two.q(), q);
    thrown(() => new perp.LagrangianLinearRelation({ H: [1], F: [1], z: 3 }) && a.m.connect(
      new perp.LagrangianLinearRelation({ H: [1], F: [1], z: other.parameters([1]) }), perp.newton_impact(0), 0), perp.ArgumentError, "parameters()");
  },

  "an instance that has trapped says so, and no other one": async (perp, { load }) => {
    const other = await load();
    new Uint8Array(other.c.memory.buffer).fill(0xff);
    thrown(() => other.solve_lcp([[1]], [-1]), perp.BackendError, "trapped");
    thrown(() => other.solve_lcp([[1]], [-1]), perp.BackendError, "trapped");
    near(perp.solve_lcp([[1]], [-1]).z, [1]);
  },

  "what is loaded may be bytes, a module or a response": async (perp, { load, bytes }) => {
    const code = await bytes();
    bits(WebAssembly.Module.imports(new WebAssembly.Module(code)), []);
    for (const source of [code, new WebAssembly.Module(code), Promise.resolve(new Response(code))]) same((await load(source)).version, perp.version);
    for (const [source, words] of [[new Response("", { status: 404 }), "404"], [new Uint8Array(3), "WebAssembly"]]) {
      let error = null;
      try {
        await load(source);
      } catch (caught) {
        error = caught;
      }
      ok(error?.message.includes(words), `${error}`);
    }
  },
};
