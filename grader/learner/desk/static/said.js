// A place for what was asked for: hints, the solution, the list of steps, a question.

import { button, el } from "./dom.js";

/** Fills `place` with a title and content; it can be closed, and then `back` gets the focus. */
export class Said {
  #place;
  #back;

  constructor(place, back) {
    this.#place = place;
    this.#back = back;
  }

  get open() {
    return !this.#place.hidden;
  }

  /** Shows content under a title, and goes there. */
  show(title, ...content) {
    const heading = el("h3", { tabindex: "-1" }, title);
    const close = button("Close", () => this.close(), "Esc");
    this.#place.replaceChildren(el("div", { class: "desk-row" }, heading, close), ...content);
    this.#place.hidden = false;
    heading.focus();
  }

  /** Shows text as it is. */
  text(title, text, ...more) {
    this.show(title, el("pre", {}, text), ...more);
  }

  close() {
    this.#place.hidden = true;
    this.#place.replaceChildren();
    this.#back();
  }
}

/** The lines of a comparison, each with what it is: only in one, or in the other. */
export function compared(lines) {
  const kinds = { "-": "minus", "+": "plus", "@": "place", "#": "place" };
  return el(
    "pre",
    { class: "desk-compared", tabindex: "0" },
    ...lines.map((line) => el("span", { class: kinds[line[0]] ?? "" }, `${line}\n`)),
  );
}
