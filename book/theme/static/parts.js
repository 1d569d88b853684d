// Pieces of pages that scripts make: elements, controls, tables.
"use strict";

globalThis.parts = (() => {
  function make(tag, props = {}, ...children) {
    const { data = {}, aria = {}, ...rest } = props;
    const one = Object.assign(document.createElement(tag), rest);
    Object.assign(one.dataset, data);
    for (const [name, value] of Object.entries(aria)) one.setAttribute(name === "role" ? name : `aria-${name}`, value);
    one.append(...children);
    return one;
  }

  function draw(tag, attributes = {}, ...children) {
    const one = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, value);
    one.append(...children);
    return one;
  }

  // A slider with its value beside it.
  function slider(name, { min, max, value, step = 1 }, changed) {
    const input = make("input", { type: "range", min, max, step, value });
    const shown = make("output", {}, String(value));
    input.addEventListener("input", () => {
      shown.textContent = input.value;
      changed(Number(input.value));
    });
    return make("label", { className: "slider" }, make("span", {}, name), input, shown);
  }

  function check(name, checked, changed) {
    const input = make("input", { type: "checkbox", checked });
    input.addEventListener("change", () => changed(input.checked));
    return make("label", {}, input, ` ${name}`);
  }

  function button(name, pressed) {
    const one = make("button", { type: "button" }, name);
    one.addEventListener("click", pressed);
    return one;
  }

  // A number that can be typed, stepped with the arrow keys, or dragged sideways.
  function number(name, value, changed, step = 0.5) {
    const input = make("input", { type: "number", step, value, aria: { label: name } });
    input.addEventListener("input", () => input.value !== "" && Number.isFinite(input.valueAsNumber) && changed(input.valueAsNumber));
    let from = null;
    input.addEventListener("pointerdown", (event) => {
      from = { x: event.clientX, value: input.valueAsNumber || 0 };
      input.setPointerCapture(event.pointerId);
    });
    input.addEventListener("pointermove", (event) => {
      if (!from || Math.abs(event.clientX - from.x) < 6) return;
      input.value = Number((from.value + Math.round((event.clientX - from.x) / 8) * step).toFixed(2));
      changed(input.valueAsNumber);
    });
    for (const end of ["pointerup", "pointercancel"]) input.addEventListener(end, () => (from = null));
    return input;
  }

  const digits = (value, places = 2) => {
    if (Number.isNaN(value)) return "NaN";
    if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
    return value.toFixed(places).replace(/^-(?=0\.?0*$)/, "").replace("-", "−");
  };

  // Rows of cells under a caption. A cell is what it says, or an element, or [what it says, its class].
  function table(caption, columns, rows, kind = "matrix") {
    const cell = (one) => {
      const [said, name] = Array.isArray(one) ? one : [one, ""];
      return make("td", { className: name }, said);
    };
    const title = make("caption", {}, ...[caption].flat());
    const head = make("tr", {}, make("td", {}), ...columns.map((one) => make("th", { scope: "col" }, one)));
    const body = rows.map(([name, cells]) => make("tr", {}, make("th", { scope: "row" }, name), ...cells.map(cell)));
    const top = columns.length ? [make("thead", {}, head)] : [];
    return make("table", { className: kind }, title, ...top, make("tbody", {}, ...body));
  }

  const shade = (share) => (share > 0 ? Math.max(1, Math.round(8 * share)) : 0);

  return { make, draw, slider, check, button, number, digits, table, shade };
})();
