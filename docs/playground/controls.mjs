// SPDX-License-Identifier: MIT
// A slider and a number for each parameter. Both show the value in the unit of people: shown = scale
// × value. The slider keeps within its ends; what is typed goes to the library as it is.
import { show } from "./canvas.mjs";

const element = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
};

const position = (c, shown) => (c.log ? Math.log10(shown) : shown);
const value = (c, at) => (c.log ? Number((10 ** at).toPrecision(3)) : at);

function tidy(shown) {
  return String(Number(shown.toPrecision(6)));
}

/**
 * @param {HTMLElement} form
 * @param {Array} list     {name, label, symbol, unit, min, max, step, log, scale}; unit may be ""
 * @param {Object} values  by name
 * @param {(name: string, value: number) => string | null} change  tells why a value was refused
 */
export function makeControls(form, list, values, change) {
  form.replaceChildren();
  for (const c of list) {
    const scale = c.scale ?? 1, id = `set-${c.name}`;
    const number = element("input", { type: "number", id: `${id}-number`, step: "any", inputmode: "decimal",
      "aria-label": `${c.label}, typed${c.unit ? `, ${c.unit}` : ""}`, "aria-describedby": `${id}-why` });
    const ends = [position(c, c.min), position(c, c.max)];
    const range = element("input", { type: "range", id, min: ends[0], max: ends[1],
      step: c.log ? 0.01 : c.step, "aria-describedby": `${id}-why` });
    const why = element("span", { class: "why", id: `${id}-why` });
    const row = element("div", { class: "control" },
      element("label", { for: id }, c.label + " ", element("span", { class: "symbol" }, c.symbol)),
      element("span", { class: "value" }, number, element("span", { class: "unit" }, c.unit)), range, why);
    const mark = (shown) => {
      range.setAttribute("aria-valuetext", `${show(shown)}${c.unit ? ` ${c.unit}` : ""}`);
    };
    const tell = (shown) => {
      const refused = change(c.name, shown / scale);
      row.classList.toggle("bad", refused !== null);
      number.toggleAttribute("aria-invalid", refused !== null);
      why.textContent = refused ?? "";
      mark(shown);
    };
    const start = values[c.name] * scale;
    number.value = tidy(start);
    range.value = position(c, start);
    mark(start);
    range.addEventListener("input", () => {
      const shown = value(c, range.valueAsNumber);
      number.value = tidy(shown);
      tell(shown);
    });
    number.addEventListener("input", () => {
      const shown = number.valueAsNumber; // NaN where it is no number
      if (Number.isFinite(position(c, shown))) range.value = position(c, shown);
      tell(shown);
    });
    form.append(row);
  }
}
