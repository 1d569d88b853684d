// Lights up the sections of the lesson that speak of what fails.

import { button, el, lineOf } from "./dom.js";

let scrolled = null; // the section that the lesson was scrolled to last

/** Marks the passed steps in the book's contents. */
export function tick(progress) {
  for (const one of progress) {
    const there = `/step_${one.id.slice(1)}.html`;
    for (const link of document.querySelectorAll(".contents a[href]")) {
      const isIt = link.pathname.endsWith(there) && !link.hash;
      if (isIt || (link.hasAttribute("aria-current") && one.id === document.body.dataset.step)) {
        link.classList.toggle("desk-passed", one.state === "passed");
      }
    }
  }
}

/** Puts the failing checks of a report at the headings of their sections, and removes the old. */
export function light(report, act) {
  for (const old of document.querySelectorAll(".desk-lit")) old.remove();
  for (const old of document.querySelectorAll(".desk-section")) {
    old.classList.remove("desk-section", "first");
  }
  const failing = (report?.checks ?? []).filter((check) => check.status !== "pass");
  const places = new Map();
  for (const check of failing) add(places, check.section, check);
  const first = failing.find((check) => check.id === report.first);
  for (const [anchor, found] of places) show(anchor, found, first, act);
  const anchor = report?.explanation?.blanks ? null : first?.section?.anchor;
  if (anchor && anchor !== scrolled) document.getElementById(anchor)?.scrollIntoView();
  scrolled = anchor ?? scrolled;
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
  const isFirst = found.includes(first);
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
          `✗ ${one.message} `,
          one.line ? button(lineOf(one), () => act.goTo(one.line, one.after)) : null,
        ),
      ),
      more ? el("p", {}, `and ${more} more`) : null,
    ),
  );
}
