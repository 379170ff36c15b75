// SPDX-License-Identifier: MIT
// Contacts of a pool in the scene: a point each, and a line along the reaction on its first system.

class Contacts {
  constructor() {
    const { form, lists, total } = about.contacts, buffer = bytesOf("contacts"), size = 16 + total * BYTES[form];
    this.times = numbers(buffer, 0, lists, "f64", false);
    this.start = [0];
    for (const n of numbers(buffer, 8 * lists, lists, "f64", false)) this.start.push(this.start.at(-1) + n);
    const columns = [0, 1, 2, 3, 4, 5].map((k) => numbers(buffer, 16 * lists + k * size, total, form, true));
    this.point = columns.slice(0, 3);
    this.push = columns.slice(3);
    this.most = this.start.reduce((most, at, k) => Math.max(most, at - (this.start[k - 1] ?? 0)), 0);
    // A strength that one in ten exceeds: beside impacts what rests could not be seen.
    const strengths = Float64Array.from({ length: total }, (_, i) => this.strength(i)).sort();
    this.usual = strengths[total - 1 - Math.floor(total / 10)] || strengths[total - 1] || 1;
    this.isShown = true;
  }

  strength(i) { return Math.hypot(...this.push.map((values) => values[i])); }

  /** Those of the list that is nearest to a time: from, to. */
  at(t) {
    const k = placeOf(this.times, t), next = this.times[k + 1] - t < t - this.times[k] ? k + 1 : k;
    return [this.start[next], this.start[next + 1]];
  }

  /** Their part of the scene, by add(thing); and of what is told below it. */
  build(add) {
    const L = libraries, colour = style("--mark"), seen = { depthTest: false, transparent: true };
    this.mesh = add(new L.InstancedMesh(new L.SphereGeometry(1, 10, 6), new L.MeshStandardMaterial({ color: colour, ...seen }), this.most));
    this.lines = add(lines(2 * this.most, colour));
    Object.assign(this.lines.material, seen);
    this.mesh.frustumCulled = false;
    for (const thing of [this.mesh, this.lines]) thing.renderOrder = 1;
    if (this.told) return;
    const label = element("label", "", { id: "contacts-shown" }), box = element("input", "", { type: "checkbox", checked: true });
    this.told = element("span");
    label.append(box, this.told);
    box.onchange = () => { this.isShown = box.checked; motion.draw(); };
    byId("drawn").append(label);
  }

  /** inPlane: x, y of contacts are along and up. radius: of a point; length: of a line of usual strength. */
  draw(t, inPlane, radius, length) {
    const L = libraries, [from, to] = this.isShown ? this.at(t) : [0, 0], ends = this.lines.geometry.attributes.position;
    const matrix = new L.Matrix4(), turn = new L.Quaternion(), place = new L.Vector3(), scale = new L.Vector3(radius, radius, radius);
    const drawn = (values, i) => (inPlane ? [values[0][i], 0, values[1][i]] : values.map((v) => v[i]));
    let n = 0, most = 0;
    for (let i = from; i < to; i++) {
      const p = drawn(this.point, i), f = drawn(this.push, i), strength = this.strength(i);
      if (!Number.isFinite(p[0] + p[1] + p[2] + strength)) continue;
      const by = length * Math.min(1 / this.usual, strength > 0 ? 4 / strength : 0); // no longer than four
      this.mesh.setMatrixAt(n, matrix.compose(place.set(...p), turn, scale));
      ends.setXYZ(2 * n, ...p);
      ends.setXYZ(2 * n + 1, ...p.map((x, k) => x + by * f[k]));
      most = Math.max(most, strength);
      n++;
    }
    this.mesh.count = n;
    this.lines.geometry.setDrawRange(0, 2 * n);
    this.mesh.instanceMatrix.needsUpdate = ends.needsUpdate = true;
    this.told.textContent = this.isShown ? `contacts: ${n}, reaction at most ${shown(most, 3)}` : "contacts";
  }
}
