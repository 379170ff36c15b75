// SPDX-License-Identifier: MIT
// What is said of the run, and the beginning of it all.

function inUnits(bytes) {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let k = 0;
  for (; bytes >= 1000 && k < 4; k++) bytes /= 1000;
  return `${shown(bytes, 3)} ${units[k]}`;
}

const many = (n, word) => `${n.toLocaleString("en").replaceAll(",", "\u202f")} ${word}${n === 1 ? "" : "s"}`;

function tell(data, plots) {
  const name = about.title || about.modelName || about.file;
  document.title = `${name} \u2013 perp view`;
  byId("name").textContent = name;
  const ending = byId("ending"), { end } = about;
  ending.textContent = end ? end.reason || "ended" : "no end: interrupted, or still running";
  ending.className = !end ? "warn" : end.status < 0 ? "bad" : end.status === 0 || end.status === 6 ? "" : "warn";
  const between = about.samples > 0 ? `, t = ${shown(plots.span[0])} \u2026 ${shown(plots.span[1])} s` : "";
  byId("summary").textContent = `${about.file}: ${many(about.samples, "sample")}${between}, ${inUnits(about.bytes)}`;
  byId("made").textContent = `Made by perp ${about.library} view; with uPlot and three.js (MIT licences, in this file). Nothing is loaded or sent.`;
  notices(data);
  events(plots);
  facts();
}

function notices(data) {
  const tell = (text) => byId("notices").append(element("li", text));
  const { data: d } = about;
  if (about.cut > 0) tell(`The log is cut: its last ${inUnits(about.cut)} are not whole, and left out.`);
  if (about.samples === 0) tell("The log has no samples.");
  if (d.what === "curves" && d.points.length > 0)
    tell(`Decimated: of ${many(about.samples, "sample")} each curve has at most ${d.points.reduce((a, b) => Math.max(a, b), 0)} points, the least and the largest of each stretch${
      d.form === "i16" ? "; values are rounded to 1/65 000 of their range" : ""}.`);
  if (about.frames && about.frames.stride > 1) tell(`Motion has ${many(about.frames.points, "frame")}, every ${about.frames.stride}th sample.`);
  const c = about.contacts;
  if (c && (c.stride > 1 || c.most > 0))
    tell(`Contacts are those of ${c.stride > 1 ? `every ${c.stride}th` : "each"} sample${c.most > 0 ? `, the ${c.most} with the largest reactions` : ""}.`);
  const framed = d.what === "curves" ? d.points.filter((n) => n === 0).length : 0;
  if (framed > 0) tell(`${many(framed, "column")} of places have the values of these frames alone.`);
  if (d.form === "f32") tell("Values are in single precision.");
  if (about.notFinite > 0) tell(`${many(about.notFinite, "sample")} with numbers that are not finite: gaps in the curves.`);
  if (about.left > 0) tell(`${many(about.left, "column")} of the log had no room here; perp view FILE NAMES chooses.`);
  if (!data.inOrder) tell("Times of the log are not in order: curves are over the number of the sample.");
}

function events(plots) {
  const { total, every, list } = about.events, names = new Map();
  if (total === 0) return;
  for (const q of about.quantities) for (const [index, name] of Object.entries(q.objects ?? {})) names.set(Number(index), name);
  byId("events").hidden = false;
  byId("events-told").textContent = every > 1 ? `every ${every}th of ${total}` : String(total);
  const body = document.querySelector("#events tbody");
  let done = 0;
  const more = () => {
    for (const [t, words, kind, index, impulse] of list.slice(done, done + 100)) {
      const row = element("tr"), at = element("td"), time = element("button", shown(t, 8), { type: "button", className: "quiet" });
      time.setAttribute("aria-label", `Go to t = ${shown(t, 8)} s`);
      time.onclick = () => plots.seek(t);
      at.append(time);
      // Guards and schedules have numbers of their own.
      const where = index < 0 ? "" : /guard|schedule/.test(words) ? String(index) : names.get(index) ?? String(index);
      row.append(at, element("td", words || String(kind)), element("td", where), element("td", impulse > 0 ? shown(impulse) : ""));
      body.append(row);
    }
    done += 100;
    byId("more-events").hidden = done >= list.length;
  };
  byId("more-events").onclick = more;
  more();
}

function parsed(text) {
  try {
    const value = JSON.parse(text);
    return value !== null && typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}

function facts() {
  const list = document.querySelector("#facts dl");
  const fact = (name, value) => {
    const box = element("div");
    box.append(element("dt", name), element("dd", value));
    list.append(box);
  };
  if (about.program) fact("program", about.program);
  fact("logged", `${about.every === 1 ? "every sample" : `every ${about.every}th sample`}${about.single ? ", single precision" : ""}`);
  fact("checkpoints", String(about.checkpoints));
  if (about.end) fact("last time", `${shown(about.end.t, 8)} s`);
  for (const [name, value] of Object.entries(parsed(about.end?.report ?? "") ?? {}))
    if (value !== 0) fact(name.replaceAll("_", " "), typeof value === "number" ? shown(value) : JSON.stringify(value));
  const fold = (name, text, open = false) => {
    if (!text) return;
    const box = element("details", "", { className: "card", open });
    box.append(element("summary", name), element("pre", text));
    byId("texts").append(box);
  };
  fold("The model", about.model, about.model.length < 3000);
  fold("Options of the run", about.options === "{\"set\":[]}" ? "" : about.options);
  if (about.end && !parsed(about.end.report)) fold("Report", about.end.report);
  for (const [name, text] of about.notes) fold(`Note: ${name}`, text);
}

// ---- begin ----

const data = new Data();
let motion = null;
const plots = new Plots(data, (t) => {
  if (motion?.exists) motion.seek(t); else plots.at(t);
});
tell(data, plots);
const choice = new Choice(data, plots);
if (about.samples > 0) choice.begin(); else byId("plots").hidden = true;
motion = new Motion(data, plots);
globalThis.perpView = { about, data, plots, choice, motion };
