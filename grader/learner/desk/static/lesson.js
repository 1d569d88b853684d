// Lights up the sections of the lesson that speak of what fails.

import { button, el } from "./dom.js";

/** Puts the failing checks of a report at the headings of their sections, and removes the old. */
export function light(report, act) {
  for (const old of document.querySelectorAll(".desk-lit")) old.remove();
  for (const old of document.querySelectorAll(".desk-section")) {
    old.classList.remove("desk-section", "first");
  }
  const failing = (report?.checks ?? []).filter((check) => check.status !== "pass");
  const places = new Map();
  for (const one of report?.lit ?? []) add(places, one.section, { message: one.message });
  for (const check of failing) add(places, check.section, check);
  const first = failing.find((check) => check.id === report.first);
  for (const [anchor, found] of places) show(anchor, found, first, act);
}

function add(places, section, said) {
  if (!section?.anchor) return;
  if (!places.has(section.anchor)) places.set(section.anchor, []);
  places.get(section.anchor).push(said);
}

function show(anchor, found, first, act) {
  const target = document.getElementById(anchor);
  if (!target) return;
  const heading = target.matches("h1, h2, h3, h4") ? target : target.querySelector("h1, h2, h3, h4");
  if (!heading) return;
  const isFirst = found.includes(first) || found.some((one) => !one.id);
  heading.classList.add("desk-section");
  heading.classList.toggle("first", isFirst);
  const shown = isFirst ? found : found.slice(0, 1);
  const more = found.length - shown.length;
  heading.after(
    el(
      "div",
      { class: `desk-lit${isFirst ? " first" : ""}`, role: "note" },
      ...shown.map((one) =>
        el(
          "p",
          {},
          `${one.id ? "✗" : "→"} ${one.message} `,
          one.line ? button(`Line ${one.line}`, () => act.goTo(one.line)) : null,
        ),
      ),
      more ? el("p", {}, `and ${more} more`) : null,
    ),
  );
}
