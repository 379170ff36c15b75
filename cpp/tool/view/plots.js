// SPDX-License-Identifier: MIT
// Plots over time by uPlot, and the choice of what is plotted.

const COLOURS = {
  light: ["#2a63c8", "#c4530f", "#1d7a46", "#8a3fb0", "#b0851a", "#0f7f8c", "#c02b62", "#5d6470"],
  dark: ["#7fb0ff", "#ffa25e", "#67d394", "#cf9bf0", "#e6c25a", "#5fd0dc", "#ff8fb4", "#aab3c0"],
};
const darkness = matchMedia("(prefers-color-scheme: dark)");
const colours = () => COLOURS[darkness.matches ? "dark" : "light"];
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const MOST_LINES = 12;

class Plots {
  constructor(data, seek) {
    Object.assign(this, { data, seek, plots: new Map(), lines: new Map(), head: null });
    this.span = this.#span();
    this.view = [...this.span];
    const zoom = (factor) => this.zoom(factor), pan = (part) => this.pan(part);
    byId("nearer").onclick = () => zoom(0.5);
    byId("farther").onclick = () => zoom(2);
    byId("left").onclick = () => pan(-0.25);
    byId("right").onclick = () => pan(0.25);
    byId("all").onclick = () => this.show(...this.span);
    byId("mark").onchange = () => { for (const { plot } of this.plots.values()) plot.redraw(false); };
    byId("marking").hidden = about.events.list.length === 0;
    this.resizes = new ResizeObserver(() => {
      for (const { plot, box } of this.plots.values()) plot.setSize({ width: Math.max(120, box.clientWidth), height: 240 });
    });
    this.resizes.observe(byId("figures"));
    darkness.addEventListener("change", () => { for (const quantity of this.lines.keys()) this.#draw(quantity); });
  }

  #span() {
    let low = Infinity, high = -Infinity;
    const take = (x) => {
      if (x.length === 0) return;
      low = Math.min(low, x[0]);
      high = Math.max(high, x[x.length - 1]);
    };
    if (this.data.isShared) take(this.data.times);
    else if (this.data.columns.length > 0) take(this.data.curve(Math.max(0, about.data.points.findIndex((n) => n > 0))).x);
    if (!(high >= low)) return [0, 1];
    const room = high > low ? 0 : Math.max(1e-3, 1e-3 * Math.abs(low));
    return [low - room, high + room];
  }

  has(column) { return this.lines.get(column.quantity)?.includes(column.index) ?? false; }

  /** Show a column, or no longer. @return whether it is as wanted */
  set(column, wanted) {
    const lines = this.lines.get(column.quantity) ?? [];
    if (wanted && lines.length >= MOST_LINES) return false;
    const rest = lines.filter((index) => index !== column.index);
    this.lines.set(column.quantity, wanted ? [...rest, column.index] : rest);
    this.#draw(column.quantity);
    return true;
  }

  /** Several of one quantity at once. */
  setAll(quantity, columns) {
    this.lines.set(quantity, columns.map((c) => c.index).slice(0, MOST_LINES));
    this.#draw(quantity);
  }

  #values(lines) {
    const curves = lines.map((index) => this.data.curve(index));
    const values = (y) => (y.every(Number.isFinite) ? y : Array.from(y, (v) => (Number.isFinite(v) ? v : null)));
    if (this.data.isShared || curves.length === 1) return [curves[0].x, ...curves.map(({ y }) => values(y))];
    return uPlot.join(curves.map(({ x, y }) => [Array.from(x), Array.from(values(y))]));
  }

  #draw(quantity) {
    const before = this.plots.get(quantity), lines = this.lines.get(quantity) ?? [];
    before?.plot.destroy();
    if (lines.length === 0) {
      before?.figure.remove();
      this.plots.delete(quantity);
      this.lines.delete(quantity);
      return;
    }
    const figure = before?.figure ?? this.#figure(quantity), box = figure.querySelector("div");
    const columns = lines.map((index) => this.data.columns[index]);
    const units = new Set(columns.map((c) => c.unit));
    figure.querySelector("span").textContent = [about.quantities[quantity].description,
      units.size === 1 ? withUnit("", columns[0].unit).trim() : ""].filter(Boolean).join(", ");
    const values = this.#values(lines);
    const plot = new uPlot(this.#options(box, columns), values, box);
    plot.root.tabIndex = 0;
    plot.root.setAttribute("role", "group");
    plot.root.setAttribute("aria-label", `Plot of ${columns.map((c) => c.name).join(", ")} over time`);
    plot.root.onkeydown = (event) => this.#key(event);
    const head = element("div", "", { className: "playhead", hidden: true });
    plot.over.append(head);
    this.plots.set(quantity, { plot, figure, box, head });
    this.#place(this.plots.get(quantity));
  }

  #figure(quantity) {
    const q = about.quantities[quantity], figure = element("figure"), caption = element("figcaption");
    const close = element("button", "\u00d7", { type: "button", className: "quiet" });
    close.setAttribute("aria-label", `Remove the plot of ${q.kind}.${q.name}`);
    close.onclick = () => {
      this.setAll(quantity, []);
      document.dispatchEvent(new Event("chosen"));
    };
    caption.append(element("b", `${q.kind}.${q.name}`), element("span"), close);
    figure.append(caption, element("div"));
    const next = [...this.plots.keys()].filter((k) => k > quantity).sort((a, b) => a - b)[0];
    byId("figures").insertBefore(figure, next === undefined ? null : this.plots.get(next).figure);
    return figure;
  }

  #options(box, columns) {
    const axis = { stroke: style("--soft"), grid: { stroke: style("--grid"), width: 1 }, ticks: { stroke: style("--line"), width: 1 },
      font: "12px system-ui, sans-serif", values: (u, ticks) => ticks.map((v) => (v === null ? "" : shown(v, 6))) };
    const plots = this;
    // Where two curves do not have the same times, the values next to the cursor.
    const nearest = (u, line, index) => {
      const y = u.data[line];
      if (line === 0 || !y || y[index] !== undefined) return index;
      for (let k = 1; k < y.length; k++) {
        if (y[index - k] !== undefined && index - k >= 0) return index - k;
        if (y[index + k] !== undefined && index + k < y.length) return index + k;
      }
      return index;
    };
    return {
      width: Math.max(120, box.clientWidth), height: 240,
      cursor: { sync: { key: "perp" }, drag: { x: true, y: false, dist: 4 }, dataIdx: nearest,
        points: { size: 7 },
        bind: { dblclick: () => () => { plots.show(...plots.span); return null; },
          mousedown: (u, target, handler) => (event) => (event.shiftKey ? plots.#grab(u, event) : handler(event)) } },
      scales: { x: { time: false, range: () => plots.view } },
      series: [{ label: plots.data.inOrder ? "t" : "sample", value: (u, v) => (v === null ? "\u2013" : withUnit(shown(v, 8), plots.data.inOrder ? "s" : "")) },
        ...columns.map((c, k) => ({ label: c.name, stroke: colours()[k % 8], width: 1.5, dash: k < 8 ? undefined : [6, 4],
          pxAlign: 0, points: { show: plots.#isSparse(c) ? true : undefined, size: 5 },
          value: (u, v) => (v === null || v === undefined ? "\u2013" : withUnit(shown(v), c.unit)) }))],
      axes: [{ ...axis, size: 34 }, { ...axis, size: 72 }],
      hooks: {
        setSelect: [(u) => {
          if (!(u.select.width > 0)) return;
          const low = u.posToVal(u.select.left, "x"), high = u.posToVal(u.select.left + u.select.width, "x");
          u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
          plots.show(low, high);
        }],
        drawClear: [(u) => plots.#marks(u)],
        ready: [(u) => {
          u.over.addEventListener("wheel", (event) => {
            if (!event.ctrlKey) return;
            event.preventDefault();
            plots.zoom(event.deltaY < 0 ? 0.8 : 1.25, u.posToVal(event.offsetX, "x"));
          }, { passive: false });
          u.over.addEventListener("click", (event) => {
            if (!event.shiftKey) plots.seek(u.posToVal(event.offsetX, "x"));
          });
        }],
      },
    };
  }

  #isSparse(column) { return this.data.curve(column.index).x.length < 3; }

  #grab(u, event) {
    event.preventDefault();
    const from = event.clientX, [low, high] = this.view, width = u.over.clientWidth;
    const move = (e) => {
      const by = (from - e.clientX) / width * (high - low);
      this.show(low + by, high + by);
    };
    const end = () => { removeEventListener("mousemove", move); removeEventListener("mouseup", end); };
    addEventListener("mousemove", move);
    addEventListener("mouseup", end);
  }

  // Events as lines, at most one a pixel.
  #marks(u) {
    if (!byId("mark").checked) return;
    const { ctx, bbox } = u;
    ctx.save();
    ctx.strokeStyle = style("--mark");
    ctx.globalAlpha = 0.35;
    ctx.lineWidth = devicePixelRatio;
    ctx.beginPath();
    let last = -1;
    for (const [t] of about.events.list) {
      if (t < this.view[0] || t > this.view[1]) continue;
      const x = Math.round(u.valToPos(t, "x", true)) + 0.5;
      if (x === last) continue;
      last = x;
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
    }
    ctx.stroke();
    ctx.restore();
  }

  #key(event) {
    const does = { "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2), ArrowLeft: () => this.pan(-0.1),
      ArrowRight: () => this.pan(0.1), 0: () => this.show(...this.span), Home: () => this.show(...this.span) }[event.key];
    if (!does || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    does();
  }

  zoom(factor, about_ = (this.view[0] + this.view[1]) / 2) {
    this.show(about_ + (this.view[0] - about_) * factor, about_ + (this.view[1] - about_) * factor);
  }

  pan(part) {
    const by = part * (this.view[1] - this.view[0]);
    this.show(this.view[0] + by, this.view[1] + by);
  }

  /** Show a stretch of time, within that of the log. */
  show(low, high) {
    const [first, last] = this.span, least = Math.max(1e-9 * (last - first), 1e-13 * Math.max(Math.abs(first), Math.abs(last)));
    let width = Math.min(last - first, Math.max(least, high - low));
    let from = (low + high) / 2 - width / 2;
    from = Math.max(first, Math.min(last - width, from));
    this.view = [from, from + width];
    for (const each of this.plots.values()) {
      each.plot.setScale("x", { min: this.view[0], max: this.view[1] });
      this.#place(each);
    }
    const is = width < 0.999999 * (last - first);
    byId("range").textContent = is ? `${shown(this.view[0], 7)} \u2026 ${shown(this.view[1], 7)}` : "";
  }

  /** Where the motion is. */
  at(t) {
    this.head = t;
    for (const each of this.plots.values()) this.#place(each);
  }

  #place({ plot, head }) {
    const is = this.head !== null && this.head >= this.view[0] && this.head <= this.view[1];
    head.hidden = !is;
    if (is) head.style.left = `${plot.valToPos(this.head, "x")}px`;
  }
}

// ---- which quantities are plotted ----

class Choice {
  constructor(data, plots) {
    Object.assign(this, { data, plots, groups: new Map(), folds: new Map() });
    for (const column of data.columns) {
      if (!this.groups.has(column.quantity)) this.groups.set(column.quantity, []);
      this.groups.get(column.quantity).push(column);
    }
    for (const [quantity, columns] of this.groups) this.#fold(quantity, columns);
    byId("filter").oninput = () => this.filter(byId("filter").value);
    document.addEventListener("chosen", () => this.filter(byId("filter").value));
    if (this.groups.size === 0) byId("choice").hidden = true;
  }

  /** What is plotted at first: of some quantities some columns, spread evenly. */
  begin() {
    const order = [...this.groups.keys()].slice(0, 4);
    for (const quantity of order) {
      const fine = this.groups.get(quantity).filter((c) => this.data.hasCurve(c.index));
      const columns = fine.length > 0 ? fine : this.groups.get(quantity);
      // Of a body the place and not the quaternion; so with velocities.
      const first = columns.filter((c) => !/^(p[0-3]|w[xyz])$/.test(about.quantities[quantity].componentNames[c.component] ?? ""));
      const from = first.length > 0 ? first : columns, members = [...new Set(from.map((c) => c.member))];
      const n = Math.min(members.length, Math.max(1, Math.floor(6 * members.length / from.length)));
      const shown = new Set(Array.from({ length: n }, (_, k) => members[n === 1 ? 0 : Math.round(k * (members.length - 1) / (n - 1))]));
      const some = from.filter((c) => shown.has(c.member)).slice(0, 6);
      this.plots.setAll(quantity, some);
    }
    this.filter("");
  }

  #fold(quantity, columns) {
    const q = about.quantities[quantity], fold = element("details"), summary = element("summary", `${q.kind}.${q.name} `);
    summary.append(element("span", `${q.description}${columns.length > 1 ? ` \u00b7 ${columns.length}` : ""}`));
    const list = element("div", "", { className: "columns" });
    fold.append(summary, list);
    fold.ontoggle = () => this.#list(quantity);
    byId("quantities").append(fold);
    this.folds.set(quantity, { fold, list, matches: columns });
    if (this.folds.size === 1) fold.open = true;
  }

  filter(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    for (const [quantity, columns] of this.groups) {
      const at = this.folds.get(quantity), q = about.quantities[quantity], of = `${q.kind}.${q.name}`.toLowerCase();
      at.matches = columns.filter((c) => words.every((word) => of.includes(word) || c.name.toLowerCase().includes(word)));
      at.fold.hidden = at.matches.length === 0;
      this.#list(quantity);
    }
  }

  // Only what is open is in the page, and no more than fits.
  #list(quantity) {
    const { fold, list, matches } = this.folds.get(quantity);
    list.replaceChildren();
    if (!fold.open) return;
    const chosen = matches.filter((c) => this.plots.has(c)), rest = matches.filter((c) => !this.plots.has(c)).slice(0, 40);
    for (const column of [...chosen, ...rest].sort((a, b) => a.index - b.index)) {
      const label = element("label"), box = element("input", "", { type: "checkbox", checked: this.plots.has(column) });
      box.onchange = () => { box.checked = this.plots.set(column, box.checked) && box.checked; };
      label.append(box, element("span", column.name));
      list.append(label);
    }
    const more = matches.length - chosen.length - rest.length;
    if (more > 0) list.append(element("p", `${more} more: filter by a name`));
  }
}
