// SPDX-License-Identifier: MIT
// Motion in space by three.js. A log says what q is, not what moves: shapes and sizes are arbitrary.

// How the numbers of q may be meant; a log does not say it.
const MEANINGS = {
  body: { says: "rigid body: place, quaternion", points: () => 1 },
  height: { says: "height", points: () => 1 },
  along: { says: "place along a line", points: () => 1 },
  plane: { says: "plane: along, up", points: () => 1 },
  planar: { says: "planar body: along, up, angle", points: () => 1 },
  space: { says: "place: x, y, z", points: () => 1 },
  angles: { says: "angles of rods from the vertical", points: (n) => n },
  row: { says: "row of points, each displaced", points: (n) => n },
};

function meaningsOf(n, names) {
  if (n === 7 && names[0] === "x" && names[3] === "p0") return ["body"];
  return [null, ["height", "along", "angles"], ["plane", "angles", "row"], ["planar", "space", "angles", "row"]][n] ?? ["row", "angles"];
}

/** Whether the model's own expressions take a sine of q in this kind of system. */
function takesSines(kind) {
  const text = about.model, at = text.indexOf(`[systems.${kind}]`);
  if (at < 0) return false;
  const end = text.indexOf("\n[", at + 1);
  return /\b(sin|cos)\s*\([^)]*\bq\s*\[/.test(text.slice(at, end < 0 ? undefined : end));
}

/** Members of one quantity that move. */
class Movers {
  constructor(quantity, columns, frames) {
    const q = about.quantities[quantity];
    Object.assign(this, { quantity, kind: q.kind, n: q.components, members: [] });
    const members = new Map();
    for (const c of columns) {
      if (!members.has(c.member)) members.set(c.member, { name: c.memberName, q: [] });
      members.get(c.member).q[c.component] = frames.of(c.index);
    }
    for (const member of members.values())
      if (Array.from({ length: this.n }, (_, k) => member.q[k]).every(Boolean)) this.members.push(member);
    this.meanings = meaningsOf(this.n, q.componentNames);
    this.meaning = this.meanings.includes("angles") && takesSines(this.kind) ? "angles" : this.meanings[0];
    // Several that would stand in one place stand side by side.
    const starts = new Set(this.members.map((m) => m.q.map((values) => values[0]).join()));
    this.apart = starts.size < this.members.length;
  }

  get points() { return MEANINGS[this.meaning].points(this.n); }

  /** Numbers of a member between two frames: linear, quaternions along the shorter way. */
  #at(member, frame, part) {
    return member.q.map((values) => {
      const a = values[frame], b = part > 0 ? values[frame + 1] : a;
      return part > 0 ? a + part * (b - a) : a;
    });
  }

  /** Call put(point, x, y, z, turn) for each point; turn: quaternion w, x, y, z or null. */
  place(frame, part, put, step = 1) {
    let point = 0;
    for (const [m, member] of this.members.entries()) {
      const q = this.#at(member, frame, part), aside = this.apart ? (m - (this.members.length - 1) / 2) * step : 0;
      switch (this.meaning) {
        case "body": {
          const w = [3, 4, 5, 6].map((k) => member.q[k][frame]), v = part > 0 ? [3, 4, 5, 6].map((k) => member.q[k][frame + 1]) : w;
          const sign = w[0] * v[0] + w[1] * v[1] + w[2] * v[2] + w[3] * v[3] < 0 ? -1 : 1;
          const turn = w.map((x, k) => (1 - part) * x + part * sign * v[k]), length = Math.hypot(...turn);
          put(point++, q[0], q[1], q[2], length > 0 ? turn.map((x) => x / length) : null);
          break;
        }
        case "height": put(point++, aside, 0, q[0], null); break;
        case "along": put(point++, q[0], 0, aside, null); break;
        case "plane": put(point++, q[0], aside, q[1], null); break;
        case "planar": put(point++, q[0], aside, q[1], [Math.cos(q[2] / 2), 0, -Math.sin(q[2] / 2), 0]); break;
        case "space": put(point++, q[0], q[1], q[2], null); break;
        case "angles": {
          let x = aside * 2 * this.n, z = 0;
          for (const angle of q) {
            x += Math.sin(angle);
            z -= Math.cos(angle);
            put(point++, x, 0, z, [Math.cos(angle / 2), 0, -Math.sin(angle / 2), 0]);
          }
          break;
        }
        case "row":
          for (const [k, value] of q.entries()) put(point++, (k - (this.n - 1) / 2) * this.pitch, aside, value, null);
      }
    }
  }

  /** Distance of the points of a row: as far as they move, or a little more. */
  get pitch() {
    if (this.pitch_ !== undefined) return this.pitch_;
    let most = 0;
    for (const { q } of this.members) for (const values of q) for (const v of values) if (Number.isFinite(v)) most = Math.max(most, Math.abs(v));
    return (this.pitch_ = most > 0 ? 4 * most / this.n : 1);
  }
}

class Motion {
  constructor(data, plots) {
    const frames = data.frames(), of = new Map();
    this.times = frames.times;
    for (const c of data.columns) {
      const q = about.quantities[c.quantity];
      if (q.source !== 1 && !(q.source === 0 && q.name === "q")) continue;
      if (!of.has(c.quantity)) of.set(c.quantity, []);
      of.get(c.quantity).push(c);
    }
    this.movers = [...of].map(([quantity, columns]) => new Movers(quantity, columns, frames)).filter((m) => m.members.length > 0);
    this.exists = this.movers.length > 0 && this.times.length > 0;
    if (!this.exists) return;
    this.contacts = about.contacts && data.inOrder ? new Contacts() : null;
    Object.assign(this, { plots, playing: false, size: 1, wasAt: 0, speed: 1 });
    this.first = this.times[0];
    this.last = this.times[this.times.length - 1];
    this.t = this.first;
    byId("motion").hidden = false;
    this.#controls();
    try {
      this.#begin();
    } catch (error) {
      this.renderer = null;
      byId("stage").replaceChildren(element("p", `Motion in space needs WebGL 2, which this browser does not give (${error.message}).`, { id: "no-scene" }));
    }
    if (this.renderer) this.build();
    this.seek(this.first);
  }

  #controls() {
    const toggle = () => this.play(!this.playing), step = (n) => { this.play(false); this.step(n); };
    byId("play").onclick = toggle;
    byId("back").onclick = () => step(-1);
    byId("forth").onclick = () => step(1);
    byId("home").onclick = () => this.renderer && this.look();
    byId("time").oninput = (e) => { this.play(false); this.seek(this.first + e.target.value / 10000 * (this.last - this.first)); };
    byId("size").oninput = (e) => { this.size = 2 ** e.target.value; this.draw(); };
    // So fast that a run takes some ten seconds, where it is not of that order by itself.
    const length = this.last - this.first || 1, real = length >= 2 && length <= 60;
    const ten = 10 ** Math.floor(Math.log10(length / 10)), pace = real ? 1 : ten * [1, 2, 5].findLast((m) => m * ten <= length / 10 * 1.0001);
    for (const factor of [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10]) {
      const option = element("option", `${shown(Number((factor * pace).toPrecision(3)), 3)} \u00d7`, { value: factor * pace });
      option.selected = factor === 1;
      byId("speed").append(option);
    }
    this.speed = pace;
    byId("speed").onchange = (e) => { this.speed = Number(e.target.value); };
    for (const mover of this.movers) this.#meaning(mover);
    byId("drawn").append(element("span", "Shapes are not in a log: sizes are arbitrary."));
    addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, button, summary, .u-legend")) return;
      const most = event.shiftKey ? 10 : 1;
      const does = { " ": toggle, ArrowLeft: () => step(-most), ArrowRight: () => step(most), Home: () => this.seek(this.first), End: () => this.seek(this.last) }[event.key];
      if (!does) return;
      event.preventDefault();
      does();
    });
  }

  #meaning(mover) {
    const label = element("label"), swatch = element("span", "", { className: "swatch" });
    mover.swatch = swatch;
    label.append(swatch, element("b", mover.members.length > 1 ? `${mover.kind} (${mover.members.length})` : mover.members[0].name), " drawn as ");
    if (mover.meanings.length > 1) {
      const select = element("select");
      for (const meaning of mover.meanings) select.append(element("option", MEANINGS[meaning].says, { value: meaning, selected: meaning === mover.meaning }));
      select.onchange = () => {
        mover.meaning = select.value;
        if (this.renderer) this.build();
        this.draw();
      };
      label.append(select);
    } else {
      label.append(MEANINGS[mover.meaning].says);
    }
    byId("drawn").append(label);
  }

  #begin() {
    const L = libraries;
    this.renderer = new L.WebGLRenderer({ canvas: byId("scene"), antialias: true, alpha: true });
    this.scene = new L.Scene();
    this.camera = new L.PerspectiveCamera(35, 1, 0.01, 1000);
    this.camera.up.set(0, 0, 1);
    this.sun = new L.DirectionalLight("#ffffff", 3.2);
    this.scene.add(new L.HemisphereLight("#ffffff", "#8a8f99", 2.4), this.sun);
    this.controls = new L.OrbitControls(this.camera, byId("scene"));
    this.controls.addEventListener("change", () => this.#render());
    new ResizeObserver(() => this.#fit()).observe(byId("stage"));
    darkness.addEventListener("change", () => { this.build(false); this.draw(); });
  }

  #fit() {
    const { clientWidth: width, clientHeight: height } = byId("stage");
    if (width === 0 || height === 0) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (!this.looked) this.look();
    this.#render();
  }

  /** Things of the scene anew: after a choice of what numbers mean, or of colours. */
  build(looks = true) {
    const L = libraries;
    for (const thing of this.things ?? []) {
      this.scene.remove(thing);
      thing.geometry?.dispose();
      thing.material?.dispose();
    }
    this.things = [];
    const add = (thing) => { this.things.push(thing); this.scene.add(thing); return thing; };
    this.#measure();
    for (const [k, mover] of this.movers.entries()) {
      const colour = colours()[k % 8], count = mover.points * mover.members.length;
      mover.swatch.style.background = colour;
      const turns = mover.meaning === "body" || mover.meaning === "planar";
      const shape = turns ? tinted(new L.BoxGeometry(1.6, 1.6, 1.6)) : new L.SphereGeometry(1, count > 300 ? 12 : 32, count > 300 ? 8 : 20);
      const material = new L.MeshStandardMaterial({ color: colour, roughness: 0.5, metalness: 0.05, vertexColors: turns });
      mover.mesh = add(new L.InstancedMesh(shape, material, count));
      mover.mesh.frustumCulled = false;
      mover.rods = mover.meaning === "angles" ? add(lines(2 * count, style("--soft"))) : null;
      if (count <= 8 && this.moves) for (let p = 0; p < count; p++) add(this.#trail(mover, p, colour));
    }
    this.contacts?.build(add);
    const size = this.extent * 1.6 || 2, grid = add(new L.GridHelper(size, 20, style("--ground"), style("--ground")));
    grid.material.transparent = true;
    grid.material.opacity = 0.55;
    grid.rotation.x = Math.PI / 2;
    grid.position.set(this.middle[0], this.middle[1], this.ground);
    if (looks) this.look();
    this.#fit();
  }

  // The box around all that moves, and a size for things in it.
  #measure() {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity], start = [];
    const n = this.times.length, stride = Math.max(1, Math.floor(n / 200));
    this.spacing = 1;
    let reach = 0; // of heights, by which those that stand side by side are apart
    for (const mover of this.movers)
      if (mover.apart) for (const { q } of mover.members) for (let f = 0; f < n; f += stride) if (Number.isFinite(q[0][f])) reach = Math.max(reach, Math.abs(q[0][f]));
    if (reach > 0) this.spacing = Math.max(0.15 * reach, 2 * reach / Math.max(...this.movers.map((m) => m.members.length)));
    for (const mover of this.movers)
      for (let f = 0; f < n; f += stride)
        mover.place(f, 0, (point, x, y, z) => {
          if (!Number.isFinite(x + y + z)) return;
          [x, y, z].forEach((v, k) => { low[k] = Math.min(low[k], v); high[k] = Math.max(high[k], v); });
          if (f === 0 && start.length < 400) start.push([x, y, z]);
        }, this.spacing);
    if (this.movers.some((m) => m.meaning === "angles")) [0, 2].forEach((k) => { low[k] = Math.min(low[k], -0.3); high[k] = Math.max(high[k], 0.3); });
    if (low[0] > high[0]) low.fill(-1), high.fill(1);
    this.low = low;
    this.high = high;
    this.middle = low.map((v, k) => (v + high[k]) / 2);
    this.extent = Math.hypot(...low.map((v, k) => high[k] - v));
    this.moves = this.extent > 0;
    if (!(this.extent > 0)) this.extent = 1;
    // Half the usual distance of neighbours, within what can be seen.
    const near = start.map((a) => Math.min(...start.map((b) => (a === b ? Infinity : Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])))));
    const usual = near.filter((d) => Number.isFinite(d) && d > 0).sort((a, b) => a - b)[Math.floor(near.length / 2)] ?? Infinity;
    this.radius = Math.min(0.045 * this.extent, Math.max(0.004 * this.extent, 0.42 * usual));
    this.isPlane = high[1] - low[1] <= 1e-9 * this.extent;
    this.ground = low[2] >= -0.05 * this.extent && low[2] < 0.3 * this.extent ? 0 : low[2];
  }

  #trail(mover, which, colour) {
    const L = libraries, stride = Math.max(1, Math.ceil(this.times.length / 20000)), at = [];
    for (let f = 0; f < this.times.length; f += stride)
      mover.place(f, 0, (point, x, y, z) => { if (point === which && Number.isFinite(x + y + z)) at.push(x, y, z); }, this.spacing);
    const shape = new L.BufferGeometry().setAttribute("position", new L.BufferAttribute(new Float32Array(at), 3));
    return new L.Line(shape, new L.LineBasicMaterial({ color: colour, transparent: true, opacity: 0.35 }));
  }

  /** The camera where all is seen. */
  look() {
    const { camera } = this, half = Math.tan(camera.fov * Math.PI / 360), [w, d, h] = this.high.map((v, k) => v - this.low[k]);
    const edge = 3 * this.radius, aspect = camera.aspect || 1;
    const away = this.isPlane ? Math.max((h / 2 + edge) / half, (w / 2 + edge) / (half * aspect)) * 1.08 + d : (this.extent / 2 + edge) / (half * Math.min(1, aspect)) * 1.05;
    const from = this.isPlane ? [0.12, -1, 0.16] : [0.55, -1, 0.5], length = Math.hypot(...from);
    camera.position.set(...this.middle.map((v, k) => v + from[k] / length * away));
    camera.near = away / 1000;
    camera.far = away * 100;
    camera.updateProjectionMatrix();
    this.sun.position.set(this.middle[0] - away, this.middle[1] - away, this.middle[2] + 2 * away);
    this.sun.target.position.set(...this.middle);
    this.sun.target.updateMatrixWorld();
    this.controls.target.set(...this.middle);
    this.controls.update();
    this.looked = true;
  }

  /** Positions as drawn: [[x, y, z, turn], ...] of one mover, at the present time. */
  positions(k) {
    const all = [], [frame, part] = this.#frame();
    this.movers[k].place(frame, part, (point, x, y, z, turn) => all.push([x, y, z, turn]), this.spacing);
    return all;
  }

  #frame() {
    const frame = placeOf(this.times, this.t), a = this.times[frame], b = this.times[frame + 1];
    return [frame, b > a ? Math.min(1, (this.t - a) / (b - a)) : 0];
  }

  draw() {
    byId("clock").textContent = `t = ${shown(this.t, 5)} s`;
    if (!this.renderer) return;
    const L = libraries, matrix = new L.Matrix4(), turn = new L.Quaternion(), place = new L.Vector3(), scale = new L.Vector3();
    const [frame, part] = this.#frame();
    for (const mover of this.movers) {
      const rods = mover.rods?.geometry.attributes.position;
      let before = null;
      mover.place(frame, part, (point, x, y, z, q) => {
        const isThere = Number.isFinite(x + y + z);
        q ? turn.set(q[1], q[2], q[3], q[0]) : turn.identity();
        scale.setScalar(isThere ? this.radius * this.size : 0);
        mover.mesh.setMatrixAt(point, matrix.compose(isThere ? place.set(x, y, z) : place.set(0, 0, 0), turn, scale));
        if (!rods) return;
        const k = point % mover.n;
        const from = k === 0 ? [mover.apart ? (Math.floor(point / mover.n) - (mover.members.length - 1) / 2) * this.spacing * 2 * mover.n : 0, 0, 0] : before;
        rods.setXYZ(2 * point, ...from);
        rods.setXYZ(2 * point + 1, ...(before = isThere ? [x, y, z] : from));
      }, this.spacing);
      mover.mesh.instanceMatrix.needsUpdate = true;
      if (rods) rods.needsUpdate = true;
    }
    const inPlane = this.movers.some(({ meaning }) => meaning === "planar" || meaning === "plane");
    this.contacts?.draw(this.t, inPlane, 0.16 * this.radius * this.size, 0.12 * this.extent * this.size);
    this.#render();
  }

  #render() { this.renderer.render(this.scene, this.camera); }

  seek(t) {
    if (!this.exists) return;
    this.t = Math.max(this.first, Math.min(this.last, t));
    byId("time").value = this.last > this.first ? (this.t - this.first) / (this.last - this.first) * 10000 : 0;
    byId("time").setAttribute("aria-valuetext", `${shown(this.t, 5)} s`);
    this.draw();
    this.plots.at(this.t);
  }

  step(n) {
    const frame = placeOf(this.times, this.t), between = this.t > this.times[frame] && n < 0 ? 1 : 0;
    this.seek(this.times[Math.max(0, Math.min(this.times.length - 1, frame + n + between))]);
  }

  play(on) {
    this.playing = on && this.last > this.first;
    byId("play").textContent = this.playing ? "Pause" : "Play";
    if (!this.playing) return;
    if (this.t >= this.last) this.t = this.first;
    let before = performance.now();
    const next = (now) => {
      if (!this.playing) return;
      this.seek(this.t + Math.max(0, now - before) / 1000 * this.speed);
      before = now;
      if (this.t >= this.last) this.play(false); else requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  }
}

/** A box with faces of different shades, so that its turns are seen. */
function tinted(box) {
  const shades = [0.9, 0.7, 1, 1.15, 1.4, 0.5], colour = new Float32Array(24 * 3);
  for (let v = 0; v < 24; v++) colour.fill(shades[v >> 2], 3 * v, 3 * v + 3);
  return box.setAttribute("color", new libraries.BufferAttribute(colour, 3));
}

function lines(n, colour) {
  const L = libraries, shape = new L.BufferGeometry().setAttribute("position", new L.BufferAttribute(new Float32Array(3 * n), 3));
  const all = new L.LineSegments(shape, new L.LineBasicMaterial({ color: colour }));
  all.frustumCulled = false;
  return all;
}
